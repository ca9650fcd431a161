// Section 4 of Raabe et al. 2006 in whole numbers of any length: eqs. 2 to 5 without an error that
// counts, and eqs. 7 to 9 to the last bit, so that eq. 21 can be measured.
//
// Given are a mesh on a grid, directions, a rotation and axes, all as the doubles they are, rounded
// to grids. An axis is shorter than 1 by 2^-40, so that nothing relies on |L| = 1. From there on:
//
//   heights        D . x                       exact, units 2^-HEIGHT of the model
//   coefficients   the largest below a node    exact; the paper divides by the largest, H
//   P              -(D_j0 D_j1 D_j2)^-1 v      a fraction, of which floor(2^WEIGHT P) is kept
//   diff1, diff2   eqs. 3 to 5                 low by less than SLACK, units 2^-FINE; times H
//   diff'          eqs. 7 to 9                 exact, the same units: all is multiplied by H
//
// The weights of a vector are those of the facet whose cone holds it, by exact signs.
import { build } from 'gicollide';
import { dopDirections } from '#src/representations/kdop/tree/dop-directions';
import { opened } from './kdop-machine/controller.mjs';

/** @typedef {import('gicollide').Mesh} Mesh */
/** @typedef {import('gicollide').Pose} Pose */
/** @typedef {import('#src/representations/kdop/tree/dop-directions').DopSize} DopSize */

const POINT = 24;
const DIRECTION = 53;
export const HEIGHT = POINT + DIRECTION;
export const WEIGHT = 96;
export const FINE = HEIGHT + WEIGHT;
/** Twelve products of a height below 2^77 and a weight that lacks less than 2^-96. */
export const SLACK = 1n << 81n;
const SHORTENED = 1 - 2 ** -40;

/** @param {number} x @param {number} bits after the point */
const whole = (x, bits) => BigInt(Math.round(x * 2 ** bits));

/** @param {bigint} p @param {bigint} q above 0 */
export function floorDiv(p, q) {
  const quotient = p / q;
  return p < 0n && quotient * q !== p ? quotient - 1n : quotient;
}

/** @param {readonly bigint[]} p @param {readonly bigint[]} q */
const dot = (p, q) => p[0] * q[0] + p[1] * q[1] + p[2] * q[2];
/** @param {readonly bigint[]} p @param {readonly bigint[]} q */
const cross = (p, q) => [p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0]];

/** A mesh whose coordinates are multiples of 2^-24. @param {Mesh} mesh @returns {Mesh} */
export const onGrid = (mesh) => ({
  ...mesh,
  positions: mesh.positions.map((x) => Math.round(x * 2 ** POINT) / 2 ** POINT),
});

/** A pose whose numbers are on the grids. @param {Pose} pose @returns {Pose} */
export const poseOnGrid = (pose) => {
  const found = pose.slice();
  for (let i = 0; i < 12; i++) {
    const scale = 2 ** (i % 4 === 3 ? POINT : DIRECTION);
    found[i] = Math.round(pose[i] * scale) / scale;
  }
  return found;
};

/**
 * @typedef {object} ExactTree
 * @property {DopSize} k
 * @property {Mesh} mesh on the grid
 * @property {Uint32Array} links as in a k-DOP tree
 * @property {Uint8Array} levels of the nodes
 * @property {bigint[]} coefficients k a node, units 2^-HEIGHT
 * @property {bigint} largest of their absolute values
 * @property {Float64Array} sizes the widest slab of a node, model units
 */

/** @param {Mesh} given @param {DopSize} k @returns {ExactTree} */
export function exactTree(given, k) {
  const mesh = onGrid(given);
  const { positions, triangles } = mesh;
  const { links } = build(mesh, { format: 'kdop', k, bits: 8 });
  const half = k / 2;
  const directions = wholeDirections(k);
  const heights = Array.from({ length: positions.length / 3 }, (_, v) => {
    const point = [0, 1, 2].map((c) => whole(positions[3 * v + c], POINT));
    const found = directions.slice(0, half).map((direction) => dot(direction, point));
    return [...found, ...found.map((x) => -x)];
  });
  /** @type {bigint[]} */
  const coefficients = new Array(k * links.length);
  let largest = 0n;
  for (let node = links.length - 1; node >= 0; node--) {
    const aim = links[node] >>> 1;
    for (let i = 0; i < k; i++) {
      const parts =
        links[node] & 1
          ? [0, 1, 2].map((c) => heights[triangles[3 * aim + c]][i])
          : [coefficients[k * aim + i], coefficients[k * (aim + 1) + i]];
      const most = parts.reduce((p, q) => (p > q ? p : q));
      coefficients[k * node + i] = most;
      if (most > largest) largest = most;
      if (-most > largest) largest = -most;
    }
  }
  const levels = new Uint8Array(links.length);
  for (const [node, link] of links.entries()) {
    if (!(link & 1)) levels[link >>> 1] = levels[(link >>> 1) + 1] = levels[node] + 1;
  }
  const sizes = Float64Array.from(links, (_, node) => {
    let size = 0;
    for (let i = k * node; i < k * node + half; i++) {
      size = Math.max(size, Number(coefficients[i] + coefficients[i + half]));
    }
    return size / 2 ** HEIGHT;
  });
  return { k, mesh, links, levels, coefficients, largest, sizes };
}

/** @param {DopSize} k @returns {bigint[][]} */
export function wholeDirections(k) {
  const { vectors } = dopDirections(k);
  return Array.from({ length: k }, (_, i) => [0, 1, 2].map((c) => whole(vectors[3 * i + c], DIRECTION)));
}

/**
 * How a tree's nodes are projected onto an axis.
 *
 * @typedef {object} Mapping
 * @property {readonly number[]} low j: three faces that bound an image from below
 * @property {readonly number[]} high their opposites
 * @property {readonly bigint[]} weights floor(2^WEIGHT P) of each, from -2^WEIGHT to 0
 */

/**
 * @typedef {object} ExactAxis
 * @property {Mapping} a
 * @property {Mapping} b
 * @property {readonly bigint[]} ofA the axis in a's own frame, units 2^-106: transposed M, times L
 * @property {readonly bigint[]} ofB
 * @property {bigint} shift L . T, units 2^-HEIGHT
 */

/**
 * Section 4.1 for a pose of a in b's frame: the faces of a, then those of b.
 *
 * @param {DopSize} k
 * @param {Pose} pose on the grids
 * @returns {ExactAxis[]}
 */
export function exactAxes(k, pose) {
  const { vectors } = dopDirections(k);
  const turn = [0, 1, 2].map((row) => [0, 1, 2].map((c) => whole(pose[4 * row + c], DIRECTION)));
  const moved = [0, 1, 2].map((row) => whole(pose[4 * row + 3], POINT));
  return Array.from({ length: k }, (_, i) => {
    const d = vectors.subarray(3 * (i % (k / 2)), 3 * (i % (k / 2)) + 3);
    const axis = [0, 1, 2].map((row) => {
      const along = pose[4 * row] * d[0] + pose[4 * row + 1] * d[1] + pose[4 * row + 2] * d[2];
      return whole(SHORTENED * (i < k / 2 ? along : d[row]), DIRECTION);
    });
    const ofA = [0, 1, 2].map((c) => dot([turn[0][c], turn[1][c], turn[2][c]], axis));
    const ofB = axis.map((x) => x << BigInt(DIRECTION));
    return { a: mappingOf(k, ofA), b: mappingOf(k, ofB), ofA, ofB, shift: dot(axis, moved) };
  });
}

/** @type {Map<DopSize, { faces: number[], rows: bigint[][], volume: bigint }[]>} */
const facetsOf = new Map();

/**
 * The inverse of three directions, by rows, times their volume.
 *
 * @param {DopSize} k
 * @param {number[]} faces
 */
export function inverseOf(k, faces) {
  const directions = wholeDirections(k);
  const [p, q, r] = faces.map((face) => directions[face]);
  const rows = [cross(q, r), cross(r, p), cross(p, q)];
  const volume = dot(p, rows[0]);
  return volume < 0n
    ? { faces, rows: rows.map((row) => row.map((x) => -x)), volume: -volume }
    : { faces, rows, volume };
}

/** @param {DopSize} k */
function exactFacets(k) {
  let found = facetsOf.get(k);
  if (!found) {
    const { facets } = dopDirections(k);
    found = Array.from({ length: facets.length / 3 }, (_, f) =>
      inverseOf(k, Array.from(facets.subarray(3 * f, 3 * f + 3))),
    );
    facetsOf.set(k, found);
  }
  return found;
}

/**
 * The mapping of a vector by three directions; null where their cone does not hold it.
 *
 * @param {DopSize} k
 * @param {ReturnType<typeof inverseOf>} inverse
 * @param {readonly bigint[]} v units 2^-106
 * @returns {Mapping | null}
 */
export function mappingBy(k, { faces, rows, volume }, v) {
  const along = rows.map((row) => dot(row, v));
  if (along.some((x) => x < 0n)) return null;
  // Rows have units 2^-106, the volume 2^-159: P is -along / volume, times 2^-53.
  const weights = along.map((x) => floorDiv(-x << BigInt(WEIGHT - DIRECTION), volume));
  return { low: faces.map((face) => (face + k / 2) % k), high: faces, weights };
}

/** @param {DopSize} k @param {readonly bigint[]} v @returns {Mapping} */
function mappingOf(k, v) {
  if (dot(v, v) > 1n << 212n) throw new Error('an axis is longer than 1');
  for (const facet of exactFacets(k)) {
    const mapping = mappingBy(k, facet, v);
    if (mapping !== null) return mapping;
  }
  throw new Error('no cone holds an axis');
}

/**
 * Eq. 3, times H: the lower end of an image and its upper end negated, both low by less than a
 * quarter of SLACK.
 *
 * @param {ExactTree} tree
 * @param {number} node
 * @param {Mapping} mapping
 */
export function exactEnds({ coefficients, k }, node, { low, high, weights }) {
  const at = k * node;
  const end = (/** @type {readonly number[]} */ faces) =>
    weights[0] * coefficients[at + faces[0]] +
    weights[1] * coefficients[at + faces[1]] +
    weights[2] * coefficients[at + faces[2]];
  return [end(low), end(high)];
}

/**
 * A pair of nodes that the traversal by eqs. 3 to 6 tests: diff1 and diff2 of each axis.
 *
 * @typedef {object} Pair
 * @property {number} a
 * @property {number} b
 * @property {number} level the deeper node's
 * @property {readonly bigint[]} diffs of each axis diff1 and diff2
 * @property {boolean} isApart
 */

/**
 * All contacts by eqs. 3 to 6: what is tested.
 *
 * @param {ExactTree} treeA
 * @param {ExactTree} treeB
 * @param {readonly ExactAxis[]} axes
 * @returns {Pair[]}
 */
export function exactTraversal(treeA, treeB, axes) {
  /** @param {ExactTree} tree @param {'a' | 'b'} side */
  const cached = (tree, side) => {
    /** @type {Map<number, bigint[]>} */
    const known = new Map();
    return (/** @type {number} */ node) => {
      let ends = known.get(node);
      if (!ends) known.set(node, (ends = axes.flatMap((axis) => exactEnds(tree, node, axis[side]))));
      return ends;
    };
  };
  const [endsA, endsB] = [cached(treeA, 'a'), cached(treeB, 'b')];
  // From units 2^-HEIGHT.
  const shifts = axes.map((axis) => axis.shift << BigInt(WEIGHT));
  /** @type {Pair[]} */
  const pairs = [];
  const pending = [{ isTriangles: false, a: 0, b: 0 }];
  for (let next = pending.pop(); next; next = pending.pop()) {
    if (next.isTriangles) continue;
    const [a, b] = [endsA(next.a), endsB(next.b)];
    const diffs = shifts.flatMap((p, i) => [a[2 * i] + p + b[2 * i + 1], a[2 * i + 1] - p + b[2 * i]]);
    const isApart = diffs.some((x) => x > 0n);
    // Sums are low by less than SLACK. Near 0 the sign is unknown.
    if (!isApart && diffs.some((x) => x + SLACK > 0n)) throw new Error('a difference is too near to 0');
    const level = Math.max(treeA.levels[next.a], treeB.levels[next.b]);
    pairs.push({ a: next.a, b: next.b, level, diffs, isApart });
    if (!isApart) pending.push(...opened(treeA, treeB, next.a, next.b));
  }
  return pairs;
}

/** Bits after the point. @typedef {{ b: number, c: number, z: number }} Bits */

/**
 * Coefficients over the largest of the scenario, rounded up to b bits after the point.
 *
 * @param {ExactTree} tree
 * @param {number} b
 * @param {bigint} largest H
 */
export const roundedUp = ({ coefficients }, b, largest) => coefficients.map((x) => -floorDiv(-x << BigInt(b), largest));

/**
 * Eq. 7 in units of 2^-(b+c): the lower end, and the upper end negated.
 *
 * @param {readonly bigint[]} rounded
 * @param {number} at the node's first coefficient
 * @param {Mapping} mapping
 * @param {number} c
 */
export function fixedEnds(rounded, at, { low, high, weights }, c) {
  const shift = BigInt(WEIGHT - c);
  const end = (/** @type {readonly number[]} */ faces) => {
    let total = 0n;
    for (let m = 0; m < 3; m++) {
      const x = rounded[at + faces[m]];
      total += (x < 0n ? (weights[m] >> shift) + 1n : weights[m] >> shift) * x;
    }
    return total;
  };
  return [end(low), end(high)];
}

/**
 * p' = floor(p), z bits after the point, units 2^-z.
 *
 * @param {bigint} shift
 * @param {bigint} largest
 * @param {number} z
 */
export const fixedShift = (shift, largest, z) => floorDiv(shift << BigInt(z), largest);

/** Eq. 21's right side. @param {Bits} bits */
export const bound = ({ b, c, z }) => Math.sqrt(3) * 2 ** (1 - b) + 6 * 2 ** -c + 2 ** -z;

/**
 * A number of units 2^-FINE, times H, as the paper scales it.
 *
 * @param {bigint} x
 * @param {bigint} largest
 */
export const scaled = (x, largest) => Number(x) / (2 ** WEIGHT * Number(largest));
