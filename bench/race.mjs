// Timing, medians and tables for all tasks, and the peer in JavaScript, three-mesh-bvh.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { BufferAttribute, BufferGeometry, Line3, Matrix4 } from 'three';
import { MeshBVH } from 'three-mesh-bvh';

/** @typedef {import('gicollide').Mesh} Mesh */
/** @typedef {import('gicollide').Pose} Pose */
/**
 * @typedef {(pose: Pose) => number | boolean} Ask what is timed; the answer is used, so that no
 *   engine leaves the work out
 */

/**
 * What a task is given.
 *
 * @typedef {object} Run
 * @property {boolean} quick tiny input: does the task work? Its figures say nothing
 * @property {TaskOptions} options
 * @property {(row: object) => void} keep appends the row to results.jsonl where --record asks for
 *   it
 */

/**
 * @typedef {object} TaskOptions
 * @property {string} [sets] speed: a folder of sets of one's own
 * @property {string} [only] speed: the pairs with this in their names; mixed: `totals`
 * @property {boolean} [no-native] speed: without FCL
 * @property {string[]} [size] layout: further sizes
 * @property {string} [sizes] tiles: other sizes, with commas
 * @property {string} [images] tiles: the folder where images are kept
 */

// Numbers.

/** @param {readonly number[]} values */
export const sum = (values) => values.reduce((total, x) => total + x, 0);

/** @param {readonly number[]} values */
export const mean = (values) => sum(values) / values.length;

/**
 * The middle one, or the mean of the two middle ones.
 *
 * @param {readonly number[]} values
 */
export function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  return (sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2;
}

/** @param {number} x */
export const round = (x, decimals = 1) => Number(x.toFixed(decimals));

/**
 * So many digits that count; null for what is not there.
 *
 * @param {number | null | undefined} x
 */
export const digits = (x, count = 3) =>
  typeof x === 'number' && Number.isFinite(x) ? Number(x.toPrecision(count)) : null;

// Time.

/** @type {NodeJS.CpuUsage | undefined} */
let processorTime;
let start = 0;

/** Starts the clock that `elapsed` reads; one at a time. */
export function startClock() {
  processorTime = process.cpuUsage();
  start = performance.now();
}

/**
 * Milliseconds since startClock, or the process's processor time if that is less. Both are at least
 * the time of the work; only the first includes other programs. Short spans are left to the median;
 * elsewhere than on Linux processor time is too coarse.
 */
export function elapsed() {
  const time = performance.now() - start;
  if (time < 1 || process.platform !== 'linux') return time;
  const { user, system } = process.cpuUsage(processorTime);
  return Math.min(time, (user + system) / 1000);
}

/**
 * Milliseconds of a call: the median of `rounds`.
 *
 * @param {() => unknown} work
 */
export function timeOf(work, rounds = 1) {
  const times = Array.from({ length: rounds }, () => {
    startClock();
    work();
    return elapsed();
  });
  return median(times);
}

/**
 * Wall clock of work that others do too: seconds.
 *
 * @param {() => Promise<unknown>} work
 */
export async function secondsOf(work) {
  const from = performance.now();
  await work();
  return (performance.now() - from) / 1000;
}

/**
 * Median microseconds over the poses; at each pose the contestants run in turn, `rounds` times, and
 * count by their median.
 *
 * @param {Record<string, Ask>} contestants
 * @param {readonly Pose[]} poses
 */
export function race(contestants, poses, rounds = 9) {
  const runners = Object.entries(contestants).map(([name, ask]) => ({
    name,
    ask,
    times: /** @type {number[]} */ ([]),
  }));
  let sink = 0;
  for (const warmUp of [true, false]) {
    for (const pose of warmUp ? poses.slice(0, 12) : poses) {
      const samples = runners.map(() => /** @type {number[]} */ ([]));
      for (let turn = 0; turn < rounds; turn++) {
        for (const [i, { ask }] of runners.entries()) {
          const from = performance.now();
          sink += Number(ask(pose));
          samples[i].push(1000 * (performance.now() - from));
        }
      }
      if (!warmUp) for (const [i, { times }] of runners.entries()) times.push(median(samples[i]));
    }
  }
  if (Number.isNaN(sink)) throw new Error('the results were used');
  return Object.fromEntries(runners.map(({ name, times }) => [name, round(median(times))]));
}

/**
 * Microseconds of each contestant at each pose: the least of `rounds` rounds, in which all take
 * turns, after a warm-up of a third as many.
 *
 * @param {Record<string, Ask>} contestants
 * @param {readonly Pose[]} poses
 * @returns {Record<string, number[]>}
 */
export function fastest(contestants, poses, rounds = 15) {
  const runners = Object.values(contestants);
  const least = runners.map(() => poses.map(() => Number.POSITIVE_INFINITY));
  let sink = 0;
  for (let round = -Math.ceil(rounds / 3); round < rounds; round++) {
    for (const [i, pose] of poses.entries()) {
      for (const [j, ask] of runners.entries()) {
        const from = performance.now();
        sink += Number(ask(pose));
        const time = 1000 * (performance.now() - from);
        if (round >= 0 && time < least[j][i]) least[j][i] = time;
      }
    }
  }
  if (Number.isNaN(sink)) throw new Error('the results were used');
  return Object.fromEntries(Object.keys(contestants).map((name, j) => [name, least[j]]));
}

/** Frees what nothing refers to any more. */
export function collectGarbage() {
  setFlagsFromString('--expose_gc');
  runInNewContext('gc')();
}

// Tables.

/**
 * @param {string} title
 * @param {Record<string, number>} times
 */
export function printRace(title, times) {
  const [own] = Object.values(times);
  console.log(`${title}, median microseconds a query`);
  for (const [name, time] of Object.entries(times)) {
    console.log(`  ${name.padEnd(36)} ${time.toFixed(1).padStart(9)}   ${(time / own).toFixed(2)} x`);
  }
}

/**
 * A line a row, a column a field.
 *
 * @param {string} title
 * @param {Record<string, Record<string, number | string | null>>} rows
 */
export function printTable(title, rows) {
  const names = Object.keys(rows);
  const columns = [...new Set(Object.values(rows).flatMap((row) => Object.keys(row)))];
  const widest = Math.max(title.length, ...names.map((name) => name.length));
  const widths = columns.map((column) =>
    Math.max(7, column.length, ...names.map((name) => cell(rows[name][column]).length)),
  );
  const line = (/** @type {string} */ head, /** @type {string[]} */ cells) =>
    console.log(`${head.padEnd(widest)}  ${cells.map((text, i) => text.padStart(widths[i])).join('  ')}`);
  console.log();
  line(title, columns);
  for (const name of names)
    line(
      name,
      columns.map((column) => cell(rows[name][column])),
    );
}

/** @param {number | string | null | undefined} value */
const cell = (value) => String(value ?? '-');

// The peer.

/** @typedef {BufferGeometry & { boundsTree: MeshBVH }} PeerTree */

/**
 * three-mesh-bvh's tree of a surface.
 *
 * @param {{ positions: ArrayLike<number>, triangles: ArrayLike<number> }} surface
 * @returns {PeerTree}
 */
export function peerTree({ positions, triangles }) {
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new BufferAttribute(Float32Array.from(positions), 3));
  geometry.setIndex(new BufferAttribute(Uint32Array.from(triangles), 1));
  return Object.assign(geometry, { boundsTree: new MeshBVH(geometry) });
}

/**
 * Bytes of nodes.
 *
 * @param {PeerTree} tree
 */
export function peerBytes({ boundsTree }) {
  const { _roots } = /** @type {MeshBVH & { _roots: ArrayBuffer[] }} */ (boundsTree);
  return sum(_roots.map((buffer) => buffer.byteLength));
}

const matrixOf = (/** @type {Pose} */ pose) => {
  const entries = /** @type {Parameters<Matrix4['set']>} */ (/** @type {unknown} */ (pose));
  return new Matrix4().set(...entries);
};

/**
 * @param {PeerTree} a
 * @param {PeerTree} b
 * @param {Pose} pose
 */
export const peerFirst = (a, b, pose) => a.boundsTree.intersectsGeometry(b, matrixOf(pose));

/**
 * How many pairs of triangles touch.
 *
 * @param {PeerTree} a
 * @param {PeerTree} b
 * @param {Pose} pose
 */
export function peerAll(a, b, pose) {
  let count = 0;
  a.boundsTree.bvhcast(b.boundsTree, matrixOf(pose), {
    intersectsTriangles(p, q) {
      if (p.intersectsTriangle(q)) count++;
      return false;
    },
  });
  return count;
}

/**
 * The length of all segments in which triangles cross, each segment made; triangles of one plane
 * have none.
 *
 * @param {PeerTree} a
 * @param {PeerTree} b
 * @param {Pose} pose
 */
export function peerSegments(a, b, pose) {
  const segment = new Line3();
  let length = 0;
  a.boundsTree.bvhcast(b.boundsTree, matrixOf(pose), {
    intersectsTriangles(p, q) {
      if (p.intersectsTriangle(q, segment)) length += segment.distance();
      return false;
    },
  });
  return length;
}

/**
 * @param {PeerTree} a
 * @param {PeerTree} b
 * @param {Pose} pose
 */
export const peerDistance = (a, b, pose) =>
  a.boundsTree.closestPointToGeometry(b, matrixOf(pose))?.distance ?? Number.NaN;
