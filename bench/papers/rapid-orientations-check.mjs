// P. Terdiman, "RAPID Hack" (2000 to 2002), wiping w out: nodes of 40 bytes whose orientation is
// three floats in each way that the text names. x, y, z and the sign of w in a pointer's bit; w >=
// 0 instead (S. Bacelle); the root approximated from a float's bits by one or two steps of
// Newton's method; Euler angles. Axes are called as they come, as in the text, or so that w is
// largest, as in the product.
//
// Boxes are fitted to what a node decodes to, so that an error of decoding costs no contact. It
// costs extents that are larger, and, where the axes come out not orthonormal, a margin in the
// test.
//
//   npm run bench -- papers/rapid-orientations
import { build } from 'gicollide';
import { DECODED } from '#src/representations/obb/tree/node';
import { nearContactPoses, sample } from '../inputs.mjs';
import { digits, fastest, mean, printTable, round } from '../race.mjs';
import { RungSearch } from './rapid-search.mjs';
import { approximateRoot, leastBoxes, RungTree } from './rapid-trees.mjs';

/** @typedef {import('gicollide').ObbTree} ObbTree */
/** @typedef {import('gicollide').Pose} Pose */
/** @typedef {import('./rapid-trees.mjs').Least} Least */
/** @typedef {import('./rapid-trees.mjs').Orientation} Orientation */

const SEED = 2002;
const ROUNDS = 40;

/** @type {readonly { name: string, orientation: Orientation, renamed: boolean }[]} */
const CODES = [
  { name: 'four numbers (44 bytes)', orientation: 'quaternion', renamed: false },
  { name: 'the sign of w in a bit', orientation: 'sign', renamed: false },
  { name: 'w >= 0', orientation: 'w', renamed: false },
  { name: 'w >= 0, one step', orientation: 'newton1', renamed: false },
  { name: 'w >= 0, two steps', orientation: 'newton2', renamed: false },
  { name: 'Euler angles', orientation: 'euler', renamed: false },
  { name: 'w largest', orientation: 'w', renamed: true },
  { name: 'w largest, one step', orientation: 'newton1', renamed: true },
  { name: 'w largest, two steps', orientation: 'newton2', renamed: true },
];

/** The largest error of the approximate root by steps, as a part of it. */
function rootErrors() {
  const count = 200_000;
  return [0, 1, 2, 3].map((steps) => {
    let most = 0;
    for (let i = 1; i <= count; i++) {
      const n = i / count;
      most = Math.max(most, Math.abs(approximateRoot(n, steps) / Math.sqrt(n) - 1));
    }
    return digits(most);
  });
}

/**
 * Over all nodes: the largest angle between an axis and what it decodes to, and by how much an
 * extent grows, as a part of half the box's diagonal.
 *
 * @param {RungTree} tree
 * @param {Least} least
 */
function errorsOf(tree, { boxes }) {
  const box = new Float64Array(DECODED);
  let [angle, growth] = [0, 0];
  for (let node = 0; node < tree.count; node++) {
    const exact = boxes.subarray(DECODED * node, DECODED * (node + 1));
    tree.decode(tree.bytes * node, box);
    const half = Math.sqrt(exact[12] * exact[12] + exact[13] * exact[13] + exact[14] * exact[14]);
    for (let i = 0; i < 3; i++) {
      // Decoded axes are nearly 1 long, so the difference is the angle.
      const apart = [0, 3, 6].reduce((sum, k) => sum + (box[k + i] - exact[k + i]) ** 2, 0);
      angle = Math.max(angle, Math.sqrt(apart));
      if (half > 0) growth = Math.max(growth, (box[12 + i] - exact[12 + i]) / half);
    }
  }
  return { angle: digits(angle), growth: digits(growth) };
}

/**
 * Nanoseconds a box, the least of rounds in which all trees take turns.
 *
 * @param {readonly RungTree[]} trees
 * @param {number} rounds
 */
function decodeTimes(trees, rounds) {
  const out = new Float64Array(DECODED);
  const least = trees.map(() => Number.POSITIVE_INFINITY);
  let sink = 0;
  for (let turn = -3; turn < rounds; turn++) {
    for (const [k, tree] of trees.entries()) {
      const from = performance.now();
      for (let at = 0; at < tree.triangles; at += tree.bytes) {
        tree.decode(at, out);
        sink += out[0];
      }
      const time = (1e6 * (performance.now() - from)) / tree.count;
      if (turn >= 0 && time < least[k]) least[k] = time;
    }
  }
  if (Number.isNaN(sink)) throw new Error('the results were used');
  return least.map((time) => digits(time));
}

/**
 * How many nodes have w < 0, and how many decode otherwise when q is replaced by -q.
 *
 * @param {ObbTree} tree
 * @param {Least} least
 */
export function signsOf(tree, least) {
  const [bit, forced] = /** @type {const} */ (['sign', 'w']).map(
    (orientation) => new RungTree(tree, { orientation, real: 4, pointers: 1 }, least),
  );
  const [p, q] = [new Float64Array(DECODED), new Float64Array(DECODED)];
  let [negative, lost] = [0, 0];
  for (let node = 0; node < bit.count; node++) {
    bit.decode(40 * node, p);
    forced.decode(40 * node, q);
    if ((bit.words[(40 * node + bit.link) >> 2] & 2) !== 0) negative++;
    if (p.some((x, k) => x !== q[k])) lost++;
  }
  return { nodes: bit.count, negative, lost };
}

/** @param {readonly string[]} names @param {boolean} quick */
function pair(names, quick) {
  const [a, b] = names.map((name) => build(sample(name), { format: 'obb', nodeBytes: 40 }));
  const poses = nearContactPoses(a, b, quick ? 4 : 40, SEED);
  const least = [true, false].map((renamed) => [leastBoxes(a, { renamed }), leastBoxes(b, { renamed })]);
  const codes = CODES.map(({ name, orientation, renamed }) => {
    const boxes = least[renamed ? 0 : 1];
    const layout = { orientation, real: /** @type {4} */ (4), pointers: /** @type {1} */ (1) };
    const [treeA, treeB] = [new RungTree(a, layout, boxes[0]), new RungTree(b, layout, boxes[1])];
    return { name, tree: treeA, boxes: boxes[0], search: new RungSearch(treeA, treeB) };
  });
  const tests = codes.map(({ name, search }) =>
    mean(
      poses.map((pose, i) => {
        if (search.meets(pose) !== (i % 2 === 1)) throw new Error(`${name}: a wrong verdict at pose ${i}`);
        return search.tests;
      }),
    ),
  );
  const times = fastest(
    Object.fromEntries(codes.map(({ name, search }) => [name, (/** @type {Pose} */ pose) => search.meets(pose)])),
    poses,
    quick ? 2 : ROUNDS,
  );
  const decode = decodeTimes(
    codes.map(({ tree }) => tree),
    quick ? 2 : 100,
  );
  const rows = codes.map(({ name, tree, boxes }, i) => ({
    name,
    bytes: tree.bytes,
    ...errorsOf(tree, boxes),
    margin: digits(2 * tree.loose),
    rootless: tree.rootless,
    tests: round(tests[i]),
    ns: decode[i],
    us: digits(mean(times[name])),
  }));
  return { triangles: [a, b].map((tree) => tree.triangles.length / 3), signs: signsOf(a, least[1][0]), rows };
}

/** @param {import('../race.mjs').Run} run */
export default function rapidOrientations({ quick, keep }) {
  /** @type {Record<string, ReturnType<typeof pair>>} */
  const pairs = {};
  const all = [
    ['bunny', 'bunny'],
    ['star', 'boulder'],
    ['bolt', 'torus'],
  ];
  for (const names of quick ? all.slice(2) : all) {
    const measured = pair(names, quick);
    pairs[names.join(', ')] = measured;
    const { nodes, negative, lost } = measured.signs;
    printTable(names.join(' against '), Object.fromEntries(measured.rows.map(({ name, ...row }) => [name, row])));
    console.log(`${nodes} boxes of ${names[0]}, w < 0 at ${negative}; with w >= 0 ${lost} of them are others`);
  }
  const errors = rootErrors();
  console.log(`errors of the root by 0 to 3 steps: ${errors.join(', ')}`);
  keep({ runs: ROUNDS, pairs, errors });
}
