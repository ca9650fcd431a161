/**
 * Eqs. 7, 21 and 22 of Raabe et al. 2006, as src/representations/kdop/projection.ts restates them, held to arithmetic without rounding.
 *
 * Of a pair of nodes on an axis diff1 and diff2 (eqs. 4 and 5) are computed from coefficients before they were rounded, and from the weights that
 * the axis itself has in the facet whose faces were taken: rational numbers, by Cramer's rule. What whole numbers of a few bits make of the rounded
 * coefficients must be less, and not by more than the bound.
 */

import { describe, expect, test } from 'vitest';
import { compose, identity, type Pose, rotation, translation, validatePose } from '../../../src/math/pose.ts';
import { buildKdopTree } from '../../../src/representations/kdop/make.ts';
import {
  type AxisSet,
  axisSet,
  createAxisSet,
  prepareAlong,
  prepareAxis,
  project,
  type Side,
} from '../../../src/representations/kdop/search/projection.ts';
import { DOP_SIZES, type DopSize, dopDirections } from '../../../src/representations/kdop/tree/dop-directions.ts';
import { type KdopTree, largestCoefficient, quantumOf } from '../../../src/representations/kdop/tree/kdop-tree.ts';
import { randomDirection, randomRotation } from '../../support/agreement.ts';
import { long, some } from '../../support/long.ts';
import { type Random, seeded } from '../../support/random.ts';
import { commonIntegers } from '../../support/rational.ts';
import { box } from '../../support/shapes.ts';

/** Coefficients before rounding are whole numbers of the scale over two to this power. */
const FINE = 52;

const WIDTHS = [8, 16, 19, 24, 26, 27, 35, 36];

const dot = (p: readonly bigint[], q: readonly bigint[]): bigint => p[0] * q[0] + p[1] * q[1] + p[2] * q[2];
const cross = (p: readonly bigint[], q: readonly bigint[]): bigint[] => [
  p[1] * q[2] - p[2] * q[1],
  p[2] * q[0] - p[0] * q[2],
  p[0] * q[1] - p[1] * q[0],
];

/** A tree of nothing but nodes. */
function treeOf(k: DopSize, bits: number, exponent: number, origin: number[], nodes: number): KdopTree {
  return {
    representation: 'kdop',
    positions: new Float64Array(0),
    triangles: new Uint32Array(0),
    k,
    bits,
    coefficients: new Float64Array(k * nodes),
    links: new Uint32Array(nodes),
    origin: Float64Array.from(origin),
    exponent,
    header: {} as KdopTree['header'],
  };
}

/** A facet that an exact vector is in the cone of: inverse rows, over the determinant, in units of the directions' one. */
interface Cone {
  faces: number[];
  rows: bigint[][];
  determinant: bigint;
}

const conesOf = new Map<DopSize, { one: bigint; cones: Cone[] }>();

function exactCones(k: DopSize): { one: bigint; cones: Cone[] } {
  let known = conesOf.get(k);
  if (known) return known;
  const { vectors, facets } = dopDirections(k);
  const [one, ...q] = commonIntegers([1, ...vectors]);
  const direction = (i: number) => q.slice(3 * i, 3 * i + 3);
  const cones = Array.from({ length: facets.length / 3 }, (_, f): Cone => {
    const faces = [...facets.subarray(3 * f, 3 * f + 3)];
    const [a, b, c] = faces.map(direction);
    const rows = [cross(b, c), cross(c, a), cross(a, b)];
    return { faces, rows, determinant: dot(a, rows[0]) };
  });
  known = { one, cones };
  conesOf.set(k, known);
  return known;
}

/** The cone of the faces that were taken for axis i, or, where one face was taken alone, the cone that v is in. */
function coneOf(side: Side, i: number, v: readonly bigint[]): Cone {
  const { cones } = exactCones(side.tree.k);
  const taken = [...side.faces.subarray(6 * i + 3, 6 * i + 6)];
  const found =
    taken[0] === taken[1]
      ? cones.find(({ faces, rows }) => faces.includes(taken[0]) && rows.every((row) => dot(row, v) >= 0n))
      : cones.find(({ faces }) => faces.join() === taken.join());
  if (!found) throw new Error(`axis ${i}: faces ${taken} are no facet that v is in`);
  return found;
}

/** One axis without rounding, everything in a common unit, a fraction of model units that makes all of it whole. */
interface ExactAxis {
  facesA: number[];
  facesB: number[];
  /** -P per coefficient, times the unit of unrounded coefficients. */
  weightsA: bigint[];
  weightsB: bigint[];
  /** L . (oA - T oB). */
  p: bigint;
  /** The unit u. */
  unit: bigint;
  /** What eq. 21 allows, and its part that is of the coefficients. */
  bound: bigint;
  coefficientPart: bigint;
  /** Whether p was too large to be written down, so that eq. 21 is not claimed. */
  isCut: boolean;
}

function exactAxis(set: AxisSet, i: number): ExactAxis {
  const [sA, sB] = [set.a.tree.exponent, set.b.tree.exponent];
  const [oneL, ...axis] = commonIntegers([1, ...set.axes.subarray(3 * i, 3 * i + 3)]);
  const [oneM, ...map] = commonIntegers([1, ...set.relative.map]);
  const [oneO, ...origins] = commonIntegers([1, ...set.a.tree.origin, ...set.b.tree.origin]);
  const [oA, oB] = [origins.slice(0, 3), origins.slice(3)];
  const vB = [0, 1, 2].map((k) => dot([map[k], map[4 + k], map[8 + k]], axis));
  const coneA = coneOf(set.a, i, axis);
  const coneB = coneOf(set.b, i, vB);
  const [dA, dB] = [coneA.determinant, coneB.determinant];
  const fraction = Math.max(0, FINE - Math.min(sA, sB));
  const power = (exponent: number) => 1n << BigInt(fraction + exponent);
  const one = dA * dB * oneL * oneM * oneO;
  const inUnits = (x: number): bigint => {
    const [o, q] = commonIntegers([1, x]);
    return ((q * one) << BigInt(fraction)) / o;
  };
  const from = [0, 1, 2].map((r) => oneM * oA[r] - dot(map.slice(4 * r, 4 * r + 3), oB) - oneO * map[4 * r + 3]);
  const { one: oneA } = exactCones(set.a.tree.k);
  const { one: oneB } = exactCones(set.b.tree.k);
  // Less than sqrt 3.
  const coefficientPart = inUnits(Math.sqrt(3) * (1 - 2 ** -52) * (quantumOf(set.a.tree) + quantumOf(set.b.tree)));
  return {
    facesA: coneA.faces,
    facesB: coneB.faces,
    weightsA: coneA.rows.map((row) => dot(row, axis) * oneA * dB * oneM * oneO * power(sA - FINE)),
    weightsB: coneB.rows.map((row) => dot(row, vB) * oneB * dA * oneO * power(sB - FINE)),
    p: dot(axis, from) * dA * dB * power(0),
    unit: one * power(Math.max(sA, sB) - 48),
    bound:
      coefficientPart +
      inUnits(3 * 2 ** (sA - set.a.c)) +
      inUnits(3 * 2 ** (sB - set.b.c)) +
      inUnits(3 * set.unit) +
      inUnits(2 * set.errors[i]),
    coefficientPart,
    isCut: Math.max(Math.abs(set.below[i]), Math.abs(set.above[i])) >= 2 ** 51,
  };
}

/** Fills one node with slabs of all kinds: `fine` before rounding, in units of the scale over 2^FINE, and the tree's rounded ones. */
function fillNode(tree: KdopTree, node: number, fine: Float64Array, random: Random): void {
  const { k, bits, coefficients } = tree;
  const half = k / 2;
  const quantum = 2 ** (FINE + 1 - bits);
  const most = largestCoefficient(bits) * quantum;
  const size = most * (random.below(4) === 0 ? 1 : random.next());
  // Half of the nodes are exact to the grid's last step or just above it: errors at their least and their largest.
  const snapped = random.below(4);
  for (let i = 0; i < half; i++) {
    let high = size * random.between(-1, 1);
    let low = random.below(8) === 0 ? high : size * random.between(-1, 1);
    if (random.below(8) === 0) high = low = size;
    if (random.below(8) === 0) high = low = -size;
    for (let end = 0; end < 2; end++) {
      const d = end === 0 ? Math.max(low, high) : -Math.min(low, high);
      const floor = Math.floor(d / quantum) * quantum;
      const raw = snapped === 0 ? floor : snapped === 1 ? floor + 1 : Math.ceil(d);
      const exact = Math.max(-most, Math.min(most, raw));
      fine[k * node + half * end + i] = exact;
      coefficients[k * node + half * end + i] = Math.ceil(exact / quantum);
    }
  }
}

const KINDS = [
  'identity',
  'turned',
  'turned',
  'six digits',
  'nearly the identity',
  'a right angle',
  'half a right angle',
  'longer',
  'shorter',
  'sheared',
] as const;

function poseOf(kind: (typeof KINDS)[number], random: Random, far: number): Pose {
  const shift = translation(far * random.between(-1, 1), far * random.between(-1, 1), far * random.between(-1, 1));
  const axisOf = () =>
    random.pick([
      [1, 0, 0],
      [0, 1, 0],
      [0, 0, 1],
    ] as const);
  const turn = (degrees: number) => {
    const [x, y, z] = axisOf();
    return rotation(x, y, z, degrees);
  };
  if (kind === 'identity') return random.below(2) === 0 ? identity() : shift;
  if (kind === 'nearly the identity') {
    return compose(shift, rotation(random.between(-1, 1), random.between(-1, 1), 1, 10 ** -random.between(3, 15)));
  }
  if (kind === 'a right angle') return compose(shift, turn(90 * random.below(4)));
  if (kind === 'half a right angle') return compose(shift, compose(turn(45 + 90 * random.below(4)), turn(90)));
  const pose = compose(shift, randomRotation(random));
  const linear = (change: (x: number, i: number) => number) =>
    pose.map((x, i) => (i < 12 && i % 4 !== 3 ? change(x, i) : x));
  if (kind === 'six digits') return linear((x) => Math.round(x * 1e6) / 1e6);
  if (kind === 'longer') return linear((x) => x * (1 + 4.99e-6));
  if (kind === 'shorter') return linear((x) => x * (1 - 4.99e-6));
  if (kind === 'sheared') return linear((x, i) => (i % 4 === 0 ? x + 4e-6 * pose[i + 1] : x));
  return pose;
}

interface Trial {
  kA: DopSize;
  kB: DopSize;
  bitsA: number;
  bitsB: number;
  sA: number;
  sB: number;
  mappingBits: number;
}

function randomTrial(random: Random): Trial {
  const sA = random.below(200) - 300;
  const apart = random.below(4) === 0 ? 0 : random.below(20) === 0 ? 400 : random.below(41);
  const mappingBits = random.below(3) > 0 ? Number.POSITIVE_INFINITY : random.pick([1, 4, 9, 14, 20, 27]);
  return {
    kA: random.pick(DOP_SIZES),
    kB: random.pick(DOP_SIZES),
    bitsA: random.pick(WIDTHS),
    bitsB: random.pick(WIDTHS),
    sA,
    sB: sA + (random.below(2) === 0 ? apart : -apart),
    mappingBits,
  };
}

const imagesA = new Float64Array(52);
const imagesB = new Float64Array(52);

/** diff1 and diff2 of a pair of nodes in units u, as search/descent.ts has them. */
function differences(set: AxisSet, nodeA: number, nodeB: number, i: number): [number, number] {
  project(set.a, set.a.tree.k * nodeA, i, i + 1, imagesA, 0);
  project(set.b, set.b.tree.k * nodeB, i, i + 1, imagesB, 0);
  const [lower, upper] = [2 * i, 2 * i + 1];
  return [imagesA[lower] + set.below[i] + imagesB[upper], imagesA[upper] - set.above[i] + imagesB[lower]];
}

/** What a run over many pairs has seen. */
interface Seen {
  pairs: number;
  cut: number;
  positive: number;
  /** The largest error less all parts of the bound but the coefficients', over that part. */
  share: number;
}

/** A set that other trees were in before, as search/descent.ts uses it again and again. */
const kept = createAxisSet(treeOf(6, 8, 0, [0, 0, 0], 1), treeOf(26, 36, 0, [0, 0, 0], 1));

/** Nodes of a side that pairs are drawn from. */
const NODES = 32;

/** Tests eq. 21 on `count` pairs of nodes, each on one axis of one pose. */
function tryPairs(
  trial: Trial,
  poseA: Pose,
  poseB: Pose,
  origins: number[][],
  count: number,
  random: Random,
  seen: Seen,
) {
  const a = treeOf(trial.kA, trial.bitsA, trial.sA, origins[0], NODES);
  const b = treeOf(trial.kB, trial.bitsB, trial.sB, origins[1], NODES);
  const axes = (trial.kA + trial.kB) / 2;
  const into = random.below(2) === 0 ? kept : undefined;
  const set = axisSet(a, b, poseA, poseB, axes, trial.mappingBits, into) as AxisSet;
  const exact: ExactAxis[] = [];
  // Faces' directions, or others among them: both take the same bound.
  const hasOthers = random.below(4) === 0;
  while (set.prepared < axes) {
    if (hasOthers && random.below(2) === 0) prepareAlong(set, ...randomDirection(random), 1);
    else prepareAxis(set);
    exact.push(exactAxis(set, set.prepared - 1));
  }
  const fineA = new Float64Array(a.coefficients.length);
  const fineB = new Float64Array(b.coefficients.length);
  for (let n = 0; n < NODES; n++) {
    fillNode(a, n, fineA, random);
    fillNode(b, n, fineB, random);
  }
  const start = random.below(axes);
  for (let n = 0; n < count; n++) {
    const nodeA = random.below(NODES);
    const nodeB = random.below(NODES);
    const i = (start + n) % axes;
    const { facesA, facesB, weightsA, weightsB, p, unit, bound, coefficientPart, isCut } = exact[i];
    const [diff1, diff2] = differences(set, nodeA, nodeB, i);
    let [upperA, lowerA, upperB, lowerB] = [0n, 0n, 0n, 0n];
    for (let m = 0; m < 3; m++) {
      const [fA, fB] = [facesA[m], facesB[m]];
      const [oA, oB] = [(fA + a.k / 2) % a.k, (fB + b.k / 2) % b.k];
      upperA += weightsA[m] * BigInt(fineA[a.k * nodeA + fA]);
      lowerA -= weightsA[m] * BigInt(fineA[a.k * nodeA + oA]);
      upperB += weightsB[m] * BigInt(fineB[b.k * nodeB + fB]);
      lowerB -= weightsB[m] * BigInt(fineB[b.k * nodeB + oB]);
    }
    const exact1 = lowerA + p - upperB;
    const exact2 = lowerB - (upperA + p);
    seen.pairs++;
    if (Math.max(diff1, diff2) > 0) seen.positive++;
    const where = () =>
      `${JSON.stringify({ ...trial, i, nodeA, nodeB, origins, poseA: [...poseA], poseB: [...poseB] })}`;
    if (isCut) {
      seen.cut++;
      // Never more than the truth, and where p decides alone it does.
      const [exactDiff, diff] = [exact1 > exact2 ? exact1 : exact2, Math.max(diff1, diff2)];
      const isFar = set.below[i] >= 2 ** 51 || set.above[i] <= -(2 ** 51);
      if (BigInt(diff) * unit > exactDiff || diff > 0 !== isFar) throw new Error(`cut: ${diff}, ${where()}`);
      continue;
    }
    for (const error of [exact1 - BigInt(diff1) * unit, exact2 - BigInt(diff2) * unit]) {
      if (error < 0n || error > bound) {
        throw new Error(`error ${Number((error * 1000n) / bound) / 1000} of the bound, ${where()}`);
      }
      const share = Number(((error - bound + coefficientPart) * 1024n) / coefficientPart) / 1024;
      if (share > seen.share) seen.share = share;
    }
  }
}

describe('0 <= err <= sqrt 3 (qA + qB) + 3 (2^(sA-cA) + 2^(sB-cB)) + 3 u + 2 E', () => {
  const POSES = long ? 2400 : 360;
  const PAIRS = 400;

  test.each(some(1, [1, 2]))(
    `${POSES} poses, ${PAIRS} pairs of nodes each, seed %i`,
    { tags: ['all', 'long'] },
    (seed) => {
      const random = seeded(seed);
      const seen: Seen = { pairs: 0, cut: 0, positive: 0, share: 0 };
      for (let n = 0; n < POSES; n++) {
        const trial = randomTrial(random);
        const size = 2 ** Math.max(trial.sA, trial.sB);
        const isMet = random.below(8) > 0;
        const far = size * (isMet ? random.pick([0, 0, 0.3, 1, 2]) : random.pick([3, 10, 1e6, 1e15]));
        const origins = [trial.sA, trial.sB].map((s) => {
          const reach = 2 ** s * random.pick([0, 0, 1, 30]);
          return [0, 1, 2].map(() => reach * random.between(-1, 1));
        });
        const poseA = isMet && n % 2 === 0 ? identity() : poseOf(random.pick(KINDS), random, far);
        const poseB = random.below(8) === 0 ? poseA.slice() : poseOf(random.pick(KINDS), random, far);
        if (isMet) {
          // b's origin is brought to a's.
          const [oA, oB] = origins;
          for (let r = 0; r < 12; r += 4) {
            const turned = [0, 1, 2].map((k) => poseA[r + k] * oA[k] - poseB[r + k] * oB[k]);
            poseB[r + 3] += poseA[r + 3] + turned[0] + turned[1] + turned[2];
          }
        }
        validatePose(poseA, 'a');
        validatePose(poseB, 'b');
        tryPairs(trial, poseA, poseB, origins, PAIRS, random, seen);
      }
      expect(seen.pairs).toBe(POSES * PAIRS);
      // It is a test of pairs near and far, parted and not.
      expect(seen.positive).toBeGreaterThan(seen.pairs / 10);
      expect(seen.positive).toBeLessThan(0.8 * seen.pairs);
      expect(seen.pairs - seen.cut).toBeGreaterThan(long ? 250_000 : 125_000);
      // No bound that is too good to be reached.
      expect(seen.share).toBeGreaterThan(0.9);
    },
  );
});

describe('one scale, as in the paper', () => {
  const nothing = (): Seen => ({ pairs: 0, cut: 0, positive: 0, share: 0 });

  test.each([...DOP_SIZES])(
    'k and seed %i: eq. 21 with r_max in place of sqrt 3, and not much less',
    { tags: ['all', 'long'] },
    (k) => {
      const random = seeded(k);
      const most = dopDirections(k).rMax / Math.sqrt(3);
      for (const bits of WIDTHS) {
        const seen = nothing();
        for (let n = 0; n < (long ? 10 : 5); n++) {
          const trial = { kA: k, kB: k, bitsA: bits, bitsB: bits, sA: 0, sB: 0, mappingBits: Number.POSITIVE_INFINITY };
          const [poseA, poseB] = [poseOf('turned', random, 0), poseOf('turned', random, 1)];
          tryPairs(
            trial,
            poseA,
            poseB,
            [
              [0, 0, 0],
              [0, 0, 0],
            ],
            200,
            random,
            seen,
          );
        }
        expect(seen.cut).toBe(0);
        expect(seen.share).toBeLessThan(most + 1e-3);
        // From 24 bits on, rounding of P and E are no longer small beside that of coefficients.
        if (bits < 24) expect(seen.share).toBeGreaterThan(0.75 * most);
      }
    },
  );

  test('the bound is sqrt 3 2^(-b+1) + 6 2^-c + 2^-z, and 2 u and 2 E', () => {
    for (const bits of WIDTHS) {
      const tree = treeOf(24, bits, 0, [0, 0, 0], 1);
      const pose = rotation(1, 2, 3, 40);
      const set = axisSet(tree, tree, identity(), pose, 24) as AxisSet;
      prepareAxis(set);
      const { bound, unit } = exactAxis(set, 0);
      const [b, c, z] = [bits - 1, set.a.c, 48];
      expect(set.unit).toBe(2 ** -z);
      const paper = Math.sqrt(3) * 2 ** (1 - b) + 6 * 2 ** -c + 2 ** -z;
      const ratio = Number((bound << 60n) / unit) * 2 ** (-z - 60);
      expect(ratio / (paper + 2 * set.unit + 2 * set.errors[0])).toBeCloseTo(1, 12);
      // E is of doubles, not of the bits of a tree.
      expect(set.errors[0]).toBeLessThan(2 ** -36);
    }
  });
});

test('bits of P: sums of three products stay within doubles, halves are of one width', () => {
  for (let bits = 8; bits <= 36; bits++) {
    const tree = buildKdopTree(box(), { bits });
    const { c } = axisSet(tree, tree, identity(), identity(), 1)!.a;
    expect(c).toBeGreaterThanOrEqual(26);
    expect(c).toBeLessThanOrEqual(36);
    if (bits > 26) expect(c % 2).toBe(0);
    expect(3 * 2 ** (bits - 1 + (bits > 26 ? c / 2 : c))).toBeLessThan(2 ** 53);
  }
});

test('every face of both trees has one axis, a fraction shorter than 1 in both frames', () => {
  for (const kA of DOP_SIZES) {
    for (const kB of DOP_SIZES) {
      const [a, b] = [treeOf(kA, 16, 3, [0, 0, 0], 1), treeOf(kB, 16, 3, [0, 0, 0], 1)];
      const axes = (kA + kB) / 2;
      const warps = kA < kB ? (['longer', 'shorter'] as const) : (['shorter', 'longer'] as const);
      const [poseA, poseB] = warps.map((warp, n) => poseOf(warp, seeded(kA + kB + n), 1));
      const set = axisSet(a, b, poseA, poseB, axes) as AxisSet;
      const { map } = set.relative;
      const faces = [a, b].flatMap((tree) =>
        Array.from({ length: tree.k / 2 }, (_, i) => {
          const [x, y, z] = dopDirections(tree.k).vectors.subarray(3 * i, 3 * i + 3);
          return tree === a ? [x, y, z] : [0, 4, 8].map((r) => map[r] * x + map[r + 1] * y + map[r + 2] * z);
        }),
      );
      for (let i = 0; i < axes; i++) {
        prepareAxis(set);
        const [one, ...q] = commonIntegers([1, ...set.axes.subarray(3 * i, 3 * i + 3)]);
        expect(dot(q, q) < one * one).toBe(true);
        const [oneM, ...m] = commonIntegers([1, ...set.relative.map]);
        const turned = [0, 1, 2].map((k) => dot([m[k], m[4 + k], m[8 + k]], q));
        expect(dot(turned, turned) < (one * oneM) ** 2n).toBe(true);
        const own = set.axes.subarray(3 * i, 3 * i + 3);
        const at = faces.findIndex((normal) => normal.every((x, r) => Math.abs(x - own[r]) < 1e-4));
        expect(at).toBeGreaterThanOrEqual(0);
        faces.splice(at, 1);
      }
      expect(faces).toEqual([]);
    }
  }
});

test('scales 2^500 apart have a common unit, 2^501 have none', () => {
  const [small, large] = [treeOf(6, 8, -300, [0, 0, 0], 1), treeOf(26, 36, 200, [0, 0, 0], 1)];
  expect(axisSet(small, large, identity(), identity(), 16)).not.toBeNull();
  expect(axisSet({ ...small, exponent: -301 }, large, identity(), identity(), 16)).toBeNull();
  expect(axisSet(large, { ...small, exponent: -301 }, identity(), identity(), 16)).toBeNull();
});

/** Eq. 7 on whole numbers of any length: floor((P' . d + sn(d)) 2^-t) for the whole numbers P' 2^c. */
function exactEnd(mapping: bigint[], coefficients: number[], t: number): number {
  let sum = 0n;
  coefficients.forEach((d, m) => {
    sum += mapping[m] * BigInt(d) + (d < 0 ? BigInt(d) : 0n);
  });
  return Number(t >= 0 ? sum >> BigInt(t) : sum << BigInt(-t));
}

describe('no sum is rounded but where eq. 7 says so', () => {
  test.each(some(1, [16, ...Array.from({ length: 29 }, (_, i) => 8 + i)]))(
    '%i bits, seed 9',
    { tags: ['quick', 'long'] },
    (bits) => {
      const random = seeded(9 + bits);
      const most = largestCoefficient(bits);
      const out = new Float64Array(4);
      for (const mappingBits of [Number.POSITIVE_INFINITY, 30, 17, 8, 1]) {
        // Scales of the other tree: the common unit is that of this one, or coarser.
        for (const apart of [-500, 0, 1, 4, 5, 12, 17, 40, 500]) {
          const tree = treeOf(14, bits, 0, [0, 0, 0], 1);
          const set = axisSet(
            tree,
            treeOf(6, 8, apart, [0, 0, 0], 1),
            identity(),
            identity(),
            10,
            mappingBits,
          ) as AxisSet;
          prepareAxis(set);
          const side = set.a;
          const { c } = side;
          expect(c).toBeLessThanOrEqual(mappingBits + (bits > 26 ? 1 : 0));
          const t = Math.max(0, apart) - 48 - (0 - bits + 1 - c);
          side.faces.set([7, 8, 9, 0, 1, 2]);
          side.isSingle[0] = 0;
          const least = -(2 ** c);
          const words = [least, least, least, 0, -1, least + 1, Math.floor(-(2 ** c) / Math.sqrt(3)), -(2 ** (c >> 1))];
          for (let n = 0; n < 30; n++) {
            const values = [0, 1, 2].map(() =>
              n === 0 ? least : n < 20 ? random.pick(words) : -random.below(2 ** c + 1),
            );
            const ends = [most, -most, most - 1, 1 - most, 1, -1, 0];
            const sign = n % 2 === 0 ? 1 : -1;
            const coefficients = Array.from({ length: 14 }, () => {
              return n < 2 ? sign * most : n < 20 ? random.pick(ends) : random.below(2 * most + 1) - most;
            });
            tree.coefficients.set(coefficients);
            values.forEach((value, m) => {
              const high = bits > 26 ? Math.floor(value / 2 ** (c / 2)) : value;
              side.mapping[m] = high;
              if (bits > 26) side.low[m] = value - high * 2 ** (c / 2);
            });
            project(side, 0, 0, 1, out, 0);
            const mapping = values.map(BigInt);
            const [lower, upper] = [coefficients.slice(7, 10), coefficients.slice(0, 3)].map((d) =>
              exactEnd(mapping, d, t),
            );
            const where = `c ${c}, t ${t}, P' ${values}, coefficients ${coefficients}`;
            expect(out[0] === lower, where).toBe(true);
            expect(out[1] === upper, where).toBe(true);
            // With the other side's image and the largest p a sum is a whole number still.
            expect(2 * Math.max(Math.abs(lower), Math.abs(upper)) + 2 ** 51).toBeLessThanOrEqual(2 ** 53);
          }
        }
      }
    },
  );
});
