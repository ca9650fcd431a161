// P. Terdiman, "RAPID Hack" (2000 to 2002), using quaternions: "need 13 more operations per OBB
// overlap test". Here operations are counted, not timed: each way to place one box in the other's
// frame (rapid-ways.mjs), and the product's box test over the pairs that queries meet, run with
// numbers that count (rapid-counting.mjs).
//
// Time stands beside: the ways in JavaScript; and boxes read from the bytes of each rung, decoded
// and tested in WebAssembly (rapid-boxes.as.ts), in double and in single precision: the pairs that
// queries meet, which lie in caches, and pairs anywhere in trees that are larger than these. All
// take turns, and the least time counts.
//
//   npm run bench -- papers/rapid-operations
import { build, identity } from 'gicollide';
import { relativePose } from '#src/engine/pair-kernel';
import { boxesDisjoint } from '#src/representations/obb/search/descent';
import { bumpyBall, nearContactPoses, randomTurn, sample, seeded } from '../inputs.mjs';
import { digits, mean, printTable, round } from '../race.mjs';
import { compiled } from '../sphere-descents-wasm.mjs';
import { Counter, counted } from './rapid-counting.mjs';
import { RungSearch } from './rapid-search.mjs';
import { leastBoxes, RUNGS, RungTree, unitQuaternion } from './rapid-trees.mjs';
import * as ways from './rapid-ways.mjs';

/** @typedef {import('gicollide').ObbTree} ObbTree */
/** @typedef {import('gicollide').Pose} Pose */
/** @typedef {import('./rapid-trees.mjs').Least} Least */

/** The text, quoting S. Gottschalk, M. Lin, D. Manocha, "OBBTree" (1996). */
const PAPER = { more: 13 };
const SEED = 1996;
const NAMES = ['bunny', 'bunny'];
const PAIRS = 1000;
const SCATTERED = 50_000;

const { WAYS, ...FUNCTIONS } = ways;
const SCRATCH = 'const [own, other, column] = [9, 9, 3].map((length) => new Float64Array(length));';

/**
 * Operations of each way, of the centre and of all.
 *
 * @returns {{ name: string, add: number, multiply: number, root: number, all: number,
 *   centre: number }[]}
 */
export function countsOfWays() {
  const counter = new Counter();
  const functions = counted(FUNCTIONS, counter, SCRATCH);
  const some = () => Float64Array.from({ length: 9 }, () => 0.1);
  return WAYS.map(({ name, way, centre }) => {
    counter.reset();
    functions[way.name](some(), some(), some(), some(), some());
    const { add, multiply, root } = counter.counts;
    const { all } = counter;
    counter.reset();
    functions[centre.name](some(), some(), some());
    return { name, add, multiply, root, all, centre: counter.all };
  });
}

/** Nanoseconds of each way, and how far its R is from that of matrices. @param {number} rounds */
function timesOfWays(rounds) {
  const random = seeded(SEED);
  const rotations = Array.from({ length: PAIRS + 1 }, () => {
    const m = randomTurn(random);
    const matrix = Float64Array.from([0, 1, 2, 4, 5, 6, 8, 9, 10], (i) => m[i]);
    const q = unitQuaternion(matrix);
    const sign = q[3] < 0 ? -1 : 1;
    return { matrix, quaternion: Float64Array.from(q, (x) => sign * x) };
  });
  const d = Float64Array.of(random(), random(), random());
  const results = WAYS.map(() => ({ r: new Float64Array(9), t: new Float64Array(3) }));
  const errors = WAYS.map(() => 0);
  const least = WAYS.map(() => Number.POSITIVE_INFINITY);
  let sink = 0;
  for (let i = 0; i < PAIRS; i++) {
    for (const [k, { way, takes }] of WAYS.entries()) {
      const { r, t } = results[k];
      way(rotations[i][takes[0]], rotations[i + 1][takes[1]], d, r, t);
      for (let n = 0; n < 9; n++) errors[k] = Math.max(errors[k], Math.abs(r[n] - results[0].r[n]));
      for (let n = 0; n < 3; n++) errors[k] = Math.max(errors[k], Math.abs(t[n] - results[0].t[n]));
    }
  }
  for (let turn = -10; turn < rounds; turn++) {
    for (const [k, { way, takes }] of WAYS.entries()) {
      const { r, t } = results[k];
      const from = performance.now();
      for (let i = 0; i < PAIRS; i++) {
        way(rotations[i][takes[0]], rotations[i + 1][takes[1]], d, r, t);
        sink += r[0] + t[0];
      }
      const time = (1e6 * (performance.now() - from)) / PAIRS;
      if (turn >= 0) least[k] = Math.min(least[k], time);
    }
  }
  if (Number.isNaN(sink)) throw new Error('the results were used');
  return WAYS.map((_, k) => ({ ns: digits(least[k]), error: errors[k] }));
}

/** Two trees in all rungs, and poses. @param {boolean} quick */
function subject(quick) {
  const [a, b] = NAMES.map((name) => build(sample(quick ? 'bolt' : name), { format: 'obb', nodeBytes: 40 }));
  return { a, b, least: [leastBoxes(a), leastBoxes(b)], poses: nearContactPoses(a, b, quick ? 2 : 20, SEED) };
}

/**
 * Operations of the product's box test over what queries meet.
 *
 * @param {ReturnType<typeof subject>} subject
 */
function countsOfTests({ a, b, least, poses }) {
  const counter = new Counter();
  const functions = counted({ boxesDisjoint }, counter, 'let distance2 = 0;');
  const search = new RungSearch(new RungTree(a, RUNGS[0], least[0]), new RungTree(b, RUNGS[0], least[1]));
  /** @type {number[]} */
  const all = [];
  let comparisons = 0;
  search.onTest = (p, q) => {
    counter.reset();
    functions.boxesDisjoint(p, 0, q, search.slack, search.skew);
    all.push(counter.all);
    comparisons += counter.counts.compare;
  };
  for (const pose of poses) search.meets(pose);
  return { tests: all.length, mean: round(mean(all)), most: Math.max(...all), axes: round(comparisons / all.length) };
}

/** A function of rapid-boxes.as.ts, and its rung. */
const KERNELS = /** @type {const} */ ([
  ['doubles132', 'doubles', { ...RUNGS[0] }],
  ['doubles136', 'doubles, aligned', { ...RUNGS[0], aligned: true }],
  ['widened72', 'floats, widened', RUNGS[1]],
  ['single72', 'single precision', RUNGS[1]],
  ['single64', 'one pointer', RUNGS[3]],
  ['single44', 'quaternions', RUNGS[4]],
  ['single40', 'w from a root', RUNGS[5]],
]);
const [FIRST, PAGE] = [4096, 65536];
const upTo = (/** @type {number} */ at, /** @type {number} */ size) => Math.ceil(at / size) * size;

/**
 * Pairs of nodes by number, and where b's are.
 *
 * @typedef {{ pairs: readonly number[], map: Float64Array, slack: number }} Met
 */

/**
 * Nanoseconds a pair of boxes that is read, decoded, mapped and tested, by rung, and how many of
 * the pairs touch.
 *
 * @param {WebAssembly.Module} module
 * @param {{ a: ObbTree, b: ObbTree, least: readonly Least[] }} subject
 * @param {(trees: readonly RungTree[]) => readonly Met[]} pairsOf
 * @param {number} rounds
 */
function timesOfKernels(module, { a, b, least }, pairsOf, rounds) {
  const rungs = KERNELS.map(([name, step, layout]) => {
    const trees = [new RungTree(a, layout, least[0]), new RungTree(b, layout, least[1])];
    return { name, step, bytes: trees[0].bytes, trees };
  });
  const met = pairsOf(rungs[1].trees);
  const most = Math.max(...met.map(({ pairs }) => pairs.length));
  const needed = rungs.map(({ trees }) => trees.reduce((sum, tree) => sum + upTo(tree.triangles, 64), 0));
  const pages = Math.ceil((FIRST + 4 * most + 64 + needed.reduce((sum, x) => sum + x)) / PAGE);
  const memory = new WebAssembly.Memory({ initial: pages, maximum: pages, shared: false });
  const kernel = /** @type {Record<string, (...numbers: number[]) => number>} */ (
    /** @type {unknown} */ (new WebAssembly.Instance(module, { env: { memory } }).exports)
  );
  const bytes = new Uint8Array(memory.buffer);
  let at = upTo(FIRST + 4 * most, 64);
  const placed = rungs.map((rung) => {
    const starts = rung.trees.map((tree) => {
      bytes.set(new Uint8Array(tree.view.buffer, 0, tree.triangles), at);
      at += upTo(tree.triangles, 64);
      return at - upTo(tree.triangles, 64);
    });
    return { ...rung, starts, touching: 0, ns: 0 };
  });
  for (const { pairs, map, slack } of met) {
    new Uint32Array(memory.buffer, FIRST, pairs.length).set(pairs);
    new Float64Array(memory.buffer, 0, 12).set(map);
    const [count, times] = [pairs.length / 2, placed.map(() => Number.POSITIVE_INFINITY)];
    for (let round = -5; round < rounds; round++) {
      for (const [k, { name, starts }] of placed.entries()) {
        const from = performance.now();
        const found = kernel[name](starts[0], starts[1], FIRST, count, 0, slack);
        const time = (1e6 * (performance.now() - from)) / count;
        if (round >= 0) times[k] = Math.min(times[k], time);
        if (round === 0) placed[k].touching += found;
      }
    }
    for (const [k, time] of times.entries()) placed[k].ns += time / met.length;
  }
  const tests = met.reduce((sum, { pairs }) => sum + pairs.length / 2, 0);
  const rows = placed.map(({ name, step, bytes, ns, touching }) => ({ name, step, bytes, ns: digits(ns), touching }));
  return { tests, rows };
}

/**
 * Pairs of nodes of trees that are larger than caches, anywhere in them.
 *
 * @param {readonly RungTree[]} trees
 * @returns {Met[]}
 */
function scattered([a, b]) {
  const random = seeded(SEED);
  const pairs = Array.from({ length: 2 * SCATTERED }, (_, i) => Math.floor(random() * [a, b][i % 2].count));
  const pose = nearContactPoses(a.tree, b.tree, 1, SEED)[0];
  const { map, slack } = relativePose(identity(), pose, a.reach, b.reach);
  return [{ pairs, map, slack }];
}

/**
 * The pairs of nodes that a query tests, by number.
 *
 * @param {readonly RungTree[]} trees
 * @param {Pose} pose
 * @returns {Met}
 */
function pairsMet([a, b], pose) {
  const search = new RungSearch(a, b);
  /** @type {number[]} */
  const pairs = [];
  search.onPair = (atA, atB) => pairs.push(atA / a.bytes, atB / b.bytes);
  search.meets(pose);
  const { map, slack } = relativePose(identity(), pose, a.reach, b.reach);
  return { pairs, map, slack };
}

/** @param {import('../race.mjs').Run} run */
export default async function rapidOperations({ quick, keep }) {
  const times = timesOfWays(quick ? 10 : 2000);
  const [base, ...others] = countsOfWays().map((way, i) => ({ ...way, rotation: way.all - way.centre, ...times[i] }));
  const rows = [base, ...others].map((way) => ({
    ...way,
    'more, rotation': way.rotation - base.rotation,
    'more, all': way.all - base.all,
  }));
  printTable('ways to place a box', Object.fromEntries(rows.map(({ name, ...row }) => [name, row])));
  const boxes = subject(quick);
  const test = countsOfTests(boxes);
  printTable('the box test', { operations: test });
  const module = new WebAssembly.Module(await compiled('papers/rapid-boxes.as.ts'));
  const met = (/** @type {readonly RungTree[]} */ trees) => boxes.poses.map((pose) => pairsMet(trees, pose));
  const kernels = timesOfKernels(module, boxes, met, quick ? 3 : 300);
  const large = [1, 2].map((seed) => build(quick ? sample('bolt') : bumpyBall(seed), { format: 'obb', nodeBytes: 40 }));
  const balls = { a: large[0], b: large[1], least: large.map((tree) => leastBoxes(tree)) };
  const apart = timesOfKernels(module, balls, scattered, quick ? 1 : 60);
  for (const [title, { rows }] of Object.entries({ 'pairs of queries': kernels, 'scattered pairs': apart }))
    printTable(title, Object.fromEntries(rows.map(({ name, ...row }) => [name, row])));
  keep({
    ways: rows,
    test,
    kernels,
    scattered: apart,
    boxes: balls.least[0].below.length,
    mesh: NAMES[0],
    poses: boxes.poses.length,
    paper: PAPER,
  });
}
