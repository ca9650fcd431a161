// P. Terdiman, "RAPID Hack" (2000 to 2002): bytes and time at each rung of its ladder, from
// RAPID's 132 bytes a box to 40 (rapid-trees.mjs). One search asks all of them, in one language,
// over the same boxes; a box is decoded whenever it is needed. Beside them the product: nodes of
// 40 bytes with the cache of decoded boxes, and nodes of 64 bytes with four boxes by their kernel.
//
// Extents are rounded outward, so that all verdicts are right; papers/rapid-unfitted has the
// text's own rounding. 132 bytes are no multiple of 8, so doubles cannot lie aligned: 136 bytes
// are RAPID's box as most compilers lay it out.
//
//   npm run bench -- papers/rapid-rungs
import { build, identity, prepare } from 'gicollide';
import { checkObbTrees } from '#src/representations/obb/search/descent';
import { createCursor } from '#src/representations/obb/tree/cursor';
import { DECODED } from '#src/representations/obb/tree/node';
import { nearContactPoses, sample } from '../inputs.mjs';
import { digits, fastest, mean, printTable, round } from '../race.mjs';
import { RungSearch } from './rapid-search.mjs';
import { bytesOf, leastBoxes, RUNGS, RungTree } from './rapid-trees.mjs';

/** @typedef {import('gicollide').ObbTree} ObbTree */
/** @typedef {import('gicollide').Pose} Pose */
/** @typedef {import('../race.mjs').Ask} Ask */

/** The text: bytes of the rungs; bytes a triangle, computed and reported; how much less 40 are. */
const PAPER = { ladder: [132, 72, 68, 64, 44, 40], triangle: 264, reported: 412, less: 3.3 };
const SEED = 2002;
const ROUNDS = 40;

const LAYOUTS = [RUNGS[0], { ...RUNGS[0], aligned: true, step: 'the same, aligned' }, ...RUNGS.slice(1)];

/** RAPID 2.01 a triangle: two boxes, three vertices of doubles, and a number. */
function rapidBytes() {
  const [box, aligned] = LAYOUTS.map(bytesOf);
  const vertices = 9 * 8;
  const id = 4;
  return {
    ...{ boxes: 2 * box, vertices, id, all: 2 * box + vertices + id },
    aligned: 2 * aligned + vertices + 2 * id,
    indexed: 2 * box + 3 * 4,
  };
}

/** Nanoseconds that a box takes to be decoded. @param {RungTree} tree @param {number} rounds */
function decodeTime(tree, rounds) {
  const out = new Float64Array(DECODED);
  let sink = 0;
  const times = Array.from({ length: rounds }, () => {
    const from = performance.now();
    for (let at = 0; at < tree.triangles; at += tree.bytes) {
      tree.decode(at, out);
      sink += out[0] + out[9];
    }
    return (1e6 * (performance.now() - from)) / tree.count;
  });
  if (Number.isNaN(sink)) throw new Error('the results were used');
  return Math.min(...times);
}

/** The product's search of two trees. @param {ObbTree} a @param {ObbTree} b */
function productSearch(a, b) {
  const [cursorA, cursorB] = [createCursor(a), createCursor(b)];
  const query = { poseA: identity(), all: false, maxContacts: 1, level: null };
  return (/** @type {Pose} */ poseB) => checkObbTrees(a, b, { ...query, poseB }, cursorA, cursorB);
}

/** The counts of a query. @param {RungSearch} search @param {Pose} pose */
function askedOf(search, pose) {
  search.meets(pose);
  return search;
}

/** @param {readonly string[]} names @param {boolean} quick */
function pair(names, quick) {
  const [a, b] = names.map((name) => build(sample(name), { format: 'obb', nodeBytes: 40 }));
  const [leastA, leastB] = [leastBoxes(a), leastBoxes(b)];
  const poses = nearContactPoses(a, b, quick ? 4 : 40, SEED);
  const rungs = LAYOUTS.map((layout) => {
    const [treeA, treeB] = [new RungTree(a, layout, leastA), new RungTree(b, layout, leastB)];
    return { step: layout.step, bytes: treeA.bytes, tree: treeA, search: new RungSearch(treeA, treeB) };
  });
  const trees = [40, 64].map((nodeBytes) => {
    const bytes = /** @type {40 | 64} */ (nodeBytes);
    const [p, q] = names.map((name) => build(sample(name), { format: 'obb', nodeBytes: bytes }));
    return { bytes, p, q, search: productSearch(p, q) };
  });
  const checker = prepare(trees[1].p, trees[1].q);
  /** @type {Record<string, Ask>} */
  const contestants = {
    ...Object.fromEntries(
      rungs.map(({ bytes, search }) => [`${bytes} bytes`, (/** @type {Pose} */ pose) => search.meets(pose)]),
    ),
    'OBB 40': (pose) => trees[0].search(pose).verdict === 'contact',
    'OBB 64': (pose) => checker.contact(pose),
  };
  for (const [name, ask] of Object.entries(contestants)) {
    const wrong = poses.filter((pose, i) => ask(pose) !== (i % 2 === 1)).length;
    if (wrong > 0) throw new Error(`${name}: ${wrong} verdicts of ${poses.length} are wrong`);
  }
  const times = fastest(contestants, poses, quick ? 2 : ROUNDS);
  const of = (/** @type {string} */ name, /** @type {number} */ odd) =>
    digits(mean(times[name].filter((_, i) => i % 2 === odd)));
  const timesOf = (/** @type {string} */ name) => ({
    hit: of(name, 1),
    miss: of(name, 0),
    us: digits(mean(times[name])),
  });
  const testsOf = (/** @type {(pose: Pose) => number} */ ask) => round(mean(poses.map(ask)));
  const triangles = a.triangles.length / 3;
  const rows = rungs.map(({ step, bytes, tree, search }) => ({
    ...{ name: `${bytes} bytes`, step, bytes, 'bytes a triangle': round(tree.triangles / triangles) },
    tests: testsOf((pose) => askedOf(search, pose).tests),
    'triangle tests': testsOf((pose) => askedOf(search, pose).triangles),
    'ns to decode': digits(decodeTime(tree, quick ? 2 : 100)),
    ...timesOf(`${bytes} bytes`),
  }));
  const product = trees.map(({ bytes, p, search }) => ({
    ...{ name: `OBB ${bytes}`, bytes },
    'bytes a triangle': round((p.nodes.byteLength + (p.order?.byteLength ?? 0)) / triangles),
    tests: testsOf((pose) => search(pose).tests.bounds),
    ...timesOf(`OBB ${bytes}`),
  }));
  return { triangles: [a, b].map((tree) => tree.triangles.length / 3), poses: poses.length, rows, product };
}

/** @param {import('../race.mjs').Run} run */
export default function rapidRungs({ quick, keep }) {
  /** @type {Record<string, ReturnType<typeof pair>>} */
  const pairs = {};
  const all = [
    ['bunny', 'bunny'],
    ['star', 'boulder'],
    ['bolt', 'torus'],
    ['blob', 'bolt'],
  ];
  for (const names of quick ? all.slice(2, 3) : all) {
    const measured = pair(names, quick);
    pairs[names.join(', ')] = measured;
    const rows = [...measured.rows, ...measured.product].map(({ name, ...row }) => [name, row]);
    printTable(names.join(' against '), Object.fromEntries(rows));
  }
  const ladder = RUNGS.map((rung) => ({ bytes: bytesOf(rung), step: rung.step }));
  const rapid = rapidBytes();
  console.log(`RAPID 2.01 a triangle: ${rapid.all} bytes, ${rapid.aligned} aligned; ${PAPER.reported} reported`);
  keep({ runs: ROUNDS, ladder, rapid, pairs, paper: PAPER });
}
