// What the host does once: it stores trees as the machine's memory holds them, and for a pair of
// poses computes what section 4.1 precomputes, (P'_A, P'_B, p', j_A, j_B) of every axis.
//
// Both are the library's own: the coefficients of a built tree, and what the search prepares for an
// axis (src/representations/kdop/search/projection.ts), joined where the search splits them. Trees
// of more bits than the format has are rounded here.
import { axisSet, createAxisSet, prepareAlong, prepareAxis } from '#src/representations/kdop/search/projection';
import { compressed } from './compress.mjs';
import { edgesOf } from './edges.mjs';
import { widened } from './widen.mjs';

/** @typedef {import('gicollide').KdopTree} KdopTree */
/** @typedef {import('gicollide').Pose} Pose */
/** @typedef {import('./parameters.mjs').Parameters} Parameters */
/** @typedef {import('#src/representations/kdop/search/projection').AxisSet} AxisSet */
/** @typedef {import('#src/representations/kdop/search/projection').Side} Side */
/** @typedef {number | bigint} Whole */

/**
 * A tree in the machine's memory.
 *
 * @typedef {object} Stored
 * @property {KdopTree} tree
 * @property {number} k
 * @property {number} bits of a coefficient
 * @property {ArrayLike<Whole>} coefficients k a node: doubles, or integers where sums need them
 * @property {Uint32Array} links
 * @property {Float64Array} sizes the largest width of a node, model units
 */

/**
 * What the host sends of an axis.
 *
 * @typedef {object} AxisData
 * @property {readonly number[]} facesA j: three whose coefficients bound a from below, three from
 *   above
 * @property {readonly number[]} facesB
 * @property {readonly Whole[]} mappingA P', three whole numbers of 2^-c
 * @property {readonly Whole[]} mappingB
 * @property {boolean} isSingleA whether the first of the three faces is the axis' own
 * @property {boolean} isSingleB
 * @property {Whole} below p' for diff1, units u
 * @property {Whole} above p' for diff2
 */

/**
 * @typedef {object} Prepared
 * @property {AxisData[]} axes
 * @property {(x: any) => Whole} toUnitA from units of a's images to u, towards -infinity
 * @property {(x: any) => Whole} toUnitB
 * @property {Whole} zero of the kind of number that is used
 */

/** Bits up to which doubles hold every sum of the pipeline (projection.ts, "Widths"). */
const LARGEST_IN_DOUBLES = 26;
/** Bits of a tree that the library prepares axes for where the format has no wider ones. */
const LARGEST_STORED = 36;
/** Its bits stand for wider ones there: it has the most bits of P'. */
const STAND_IN = 16;

/** @type {WeakMap<KdopTree, Map<string, Stored>>} */
const known = new WeakMap();

/**
 * A tree as the machine stores it; once for each width.
 *
 * @param {KdopTree} tree of these bits; of any bits where these are more than 36
 * @param {Parameters} parameters
 * @returns {Stored}
 */
export function store(tree, { bits, deltaBits }) {
  const name = `${bits} ${deltaBits}`;
  const stored = known.get(tree) ?? new Map();
  known.set(tree, stored);
  let made = stored.get(name);
  if (!made) stored.set(name, (made = storeAnew(tree, bits, deltaBits)));
  return made;
}

/** @param {KdopTree} tree @param {number} bits @param {number} deltaBits @returns {Stored} */
function storeAnew(tree, bits, deltaBits) {
  if (bits <= LARGEST_STORED && bits !== tree.bits) throw new Error(`a tree of ${tree.bits} bits in place of ${bits}`);
  const { k, links, exponent } = tree;
  /** @type {ArrayLike<Whole>} */
  let coefficients = tree.coefficients;
  if (bits > LARGEST_STORED) coefficients = widened(tree, bits);
  else if (bits > LARGEST_IN_DOUBLES) coefficients = BigInt64Array.from(Array.from(tree.coefficients, BigInt));
  if (deltaBits > 0) coefficients = compressed(coefficients, links, k, deltaBits);
  const quantum = 2 ** (exponent - bits + 1);
  const sizes = Float64Array.from(links, (_, node) => {
    let size = 0;
    for (let i = k * node; i < k * node + k / 2; i++) {
      size = Math.max(size, Number(coefficients[i]) + Number(coefficients[i + k / 2]));
    }
    return size * quantum;
  });
  return { tree, k, bits, coefficients, links, sizes };
}

/**
 * Section 4.1 for a pair of poses: the axes of a's faces, then of b's, then crosses of edges.
 *
 * @param {Stored} a
 * @param {Stored} b
 * @param {Pose} poseA
 * @param {Pose} poseB
 * @param {Parameters} parameters
 * @returns {Prepared}
 */
export function prepareAxes(a, b, poseA, poseB, { axes, edgeAxes, isFurther, mappingBits }) {
  const faces = (a.k + b.k) / 2;
  const edges = edgeAxes > 0 ? edgesOf(a.k, b.k).slice(0, edgeAxes) : [];
  const trees = [a, b].map(({ tree, bits }) => (bits > LARGEST_STORED ? { ...tree, bits: STAND_IN } : tree));
  const into = createAxisSet(trees[0], trees[1], faces + edges.length);
  const set = axisSet(trees[0], trees[1], poseA, poseB, faces, mappingBits, into);
  if (set === null) throw new Error('the scales of the trees are too far apart');
  const count = isFurther ? faces + edges.length : axes;
  for (let i = 0; i < Math.min(count, faces); i++) prepareAxis(set);
  for (const [ofA, ofB] of edges) if (set.prepared < count) prepareCross(set, ofA, ofB);
  const isWide = Math.max(a.bits, b.bits) > LARGEST_IN_DOUBLES;
  return {
    axes: Array.from({ length: set.prepared }, (_, i) => axisData(set, i, isWide)),
    toUnitA: unitChange(set.a, a, set.unit, isWide),
    toUnitB: unitChange(set.b, b, set.unit, isWide),
    zero: isWide ? 0n : 0,
  };
}

/** Two that are shorter than this, crossed, are nearly parallel. */
const SHORTEST_CROSS = 1e-3;

/**
 * The cross of an edge of a's and of one of b's, turned; nothing where they are nearly parallel.
 *
 * @param {AxisSet} set
 * @param {readonly number[]} e
 * @param {readonly number[]} f
 */
function prepareCross(set, e, f) {
  const { map } = set.relative;
  const [x, y, z] = [0, 4, 8].map((r) => map[r] * f[0] + map[r + 1] * f[1] + map[r + 2] * f[2]);
  const cross = [e[1] * z - e[2] * y, e[2] * x - e[0] * z, e[0] * y - e[1] * x];
  const length = Math.hypot(...cross);
  if (length < SHORTEST_CROSS) return;
  prepareAlong(set, cross[0] / length, cross[1] / length, cross[2] / length, 1);
}

/** @param {AxisSet} set @param {number} i @returns {AxisData} */
function axisData({ a, b, below, above }, i, isWide = false) {
  const whole = (/** @type {number} */ x) => (isWide ? BigInt(x) : x);
  return {
    facesA: Array.from(a.faces.subarray(6 * i, 6 * i + 6)),
    facesB: Array.from(b.faces.subarray(6 * i, 6 * i + 6)),
    mappingA: mappingOf(a, i, isWide),
    mappingB: mappingOf(b, i, isWide),
    isSingleA: a.isSingle[i] === 1,
    isSingleB: b.isSingle[i] === 1,
    below: whole(below[i]),
    above: whole(above[i]),
  };
}

/** @param {Side} side @param {number} i @param {boolean} isWide */
function mappingOf({ mapping, low, isSplit, halfScale }, i, isWide) {
  return [0, 1, 2].map((m) => {
    const [high, rest] = [mapping[3 * i + m], isSplit ? low[3 * i + m] : 0];
    if (isWide) return isSplit ? BigInt(high) * BigInt(halfScale) + BigInt(rest) : BigInt(high);
    return isSplit ? high * halfScale + rest : high;
  });
}

/**
 * What brings an image, of quanta over 2^c, to the unit u: it cuts the lowest t bits, or adds some.
 *
 * @param {Side} side
 * @param {Stored} stored
 * @param {number} unit
 * @param {boolean} isWide
 * @returns {(x: any) => Whole}
 */
function unitChange({ c }, { tree, bits }, unit, isWide) {
  const t = Math.log2(unit) - (tree.exponent - bits + 1 - c);
  if (!isWide) return (/** @type {number} */ x) => Math.floor(x * 2 ** -t);
  const shift = BigInt(t);
  return (/** @type {bigint} */ x) => x >> shift; // of a negative number of bits: to the left
}
