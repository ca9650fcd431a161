// The machine of Figure 4, cycle by cycle: controller, GetData and memory, pipeline and PipeData,
// triangle unit. README.md has the cycle and a worked example.
//
// A. Raabe, S. Hochguertel, J. K. Anlauf, G. Zachmann, "Hardware-Accelerated Collision Detection
// using Bounded-Error Fixed-Point Arithmetic", 2006, section 5.
import { createController } from './controller.mjs';
import { prepareAxes, store } from './host.mjs';
import { createGetData } from './memory.mjs';
import { CYCLES_A_MICROSECOND, parametersOf } from './parameters.mjs';
import { createPipeline } from './pipeline.mjs';
import { createTriangleUnit } from './triangle-unit.mjs';

/** @typedef {import('gicollide').KdopTree} KdopTree */
/** @typedef {import('gicollide').Pose} Pose */
/** @typedef {import('./parameters.mjs').Parameters} Parameters */
/** @typedef {import('./pipeline.mjs').Pair} Pair */
/** @typedef {import('./pipeline.mjs').Test} Test */

/**
 * What the machine reports, and what it did for it.
 *
 * @typedef {object} Answer
 * @property {'clear' | 'contact'} verdict
 * @property {[number, number][]} contacts touching triangles, sorted by a's number, then by b's
 * @property {number} cycles from the first request to the last result; the host's work is not in it
 * @property {number} microseconds of these cycles
 * @property {number} pairs of nodes that were tested
 * @property {number} axes tests that entered the pipeline
 * @property {number} ignored those of them whose pair was separated already
 * @property {number} triangles pairs that the triangle unit tested
 * @property {number} waiting most entries that the stack, or the queue, held
 * @property {{ bursts: number, busy: number, nodes: number, hits: number, kept: number }} memory
 *   bursts read, cycles it was busy, nodes read, hits of the cache, items that were in registers
 * @property {number[]} tested pairs of nodes in the order in which they entered the pipeline: node
 *   of a, of b, 1 where separated
 * @property {number[]} reached of each axis: pairs that no earlier axis separated
 * @property {number[]} separated how many of them it separates
 */

/**
 * All contacts of two trees, by the machine.
 *
 * @param {KdopTree} treeA
 * @param {KdopTree} treeB
 * @param {Pose} poseA
 * @param {Pose} poseB
 * @param {Partial<Parameters>} [changes] to the paper's machine; `bits` are the trees' own
 * @returns {Answer}
 */
export function runMachine(treeA, treeB, poseA, poseB, changes = {}) {
  const parameters = parametersOf({ bits: treeA.bits, ...changes });
  const { bits, pipelines, isFurther, order } = parameters;
  const [a, b] = [store(treeA, parameters), store(treeB, parameters)];
  const prepared = prepareAxes(a, b, poseA, poseB, parameters);
  const all = prepared.axes.length;
  const least = Math.min(parameters.axes, all);
  const controller = createController(a, b, order);
  const getData = createGetData([a.k, b.k], a === b, parameters);
  const pipeline = createPipeline(a, b, prepared, bits, pipelines);
  const triangleUnit = createTriangleUnit(treeA, treeB, poseA, poseB, parameters.triangleCycles);
  const reached = new Array(all).fill(0);
  const separated = new Array(all).fill(0);
  /** @type {number[]} */
  const tested = [];
  let [axes, ignored, out] = [0, 0, 0];
  /** In the pipeline's first registers, and its next axis. @type {Pair | null} */
  let current = null;
  let axis = 0;

  /** A result that leaves the pipeline. @param {Test} test */
  function receive({ pair, axis: number, isLast, separates }) {
    if (pair.isSeparated) {
      ignored++;
      return;
    }
    reached[number]++;
    if (separates) {
      separated[number]++;
      pair.isSeparated = true;
      out--;
      tested[3 * pair.number + 2] = 1;
      if (pair === current) current = null;
    } else if (isLast) {
      out--;
      controller.overlap(pair.a, pair.b);
    }
  }

  /** What is loaded goes where it belongs, if there is room. */
  function handOver() {
    const { item } = getData;
    if (item === null || !getData.isReady) return;
    if (item.isTriangles) {
      if (!triangleUnit.isIdle) return;
      triangleUnit.take(item.a, item.b);
    } else {
      if (current !== null) return;
      current = { a: item.a, b: item.b, number: tested.length / 3, isSeparated: false };
      axis = 0;
      tested.push(item.a, item.b, 0);
    }
    getData.take();
  }

  /** The next axes of the pair in work enter the pipeline. */
  function issue() {
    if (current === null) {
      pipeline.step(null, 0, 0, false);
      return;
    }
    const count = Math.min(pipelines, all - axis, axis < least ? least - axis : pipelines);
    const isLoading = getData.item !== null && !getData.isReady;
    const end = axis + count;
    const isLast = end >= least && !(isFurther && isLoading && end < all);
    pipeline.step(current, axis, count, isLast);
    axes += count;
    axis = end;
    if (isLast) current = null;
  }

  /** @returns {boolean} whether GetData has been given something to fetch */
  function request() {
    if (getData.item !== null) return true;
    const item = controller.next(out === 0);
    if (item === null) return false;
    if (!item.isTriangles) out++;
    getData.request(item);
    return true;
  }

  let cycles = 0;
  request();
  while (out > 0 || getData.item !== null || !pipeline.isEmpty || !triangleUnit.isIdle || !controller.isEmpty) {
    cycles++;
    pipeline.leave(receive);
    handOver();
    issue();
    triangleUnit.step();
    getData.step();
    request();
  }
  const contacts = triangleUnit.contacts.sort((p, q) => p[0] - q[0] || p[1] - q[1]);
  return {
    verdict: contacts.length > 0 ? 'contact' : 'clear',
    contacts,
    cycles,
    microseconds: cycles / CYCLES_A_MICROSECOND,
    pairs: tested.length / 3,
    axes,
    ignored,
    triangles: triangleUnit.tests,
    waiting: controller.peak,
    memory: getData.counts,
    tested,
    reached,
    separated,
  };
}
