/**
 * The exact arithmetic that measures eq. 21, on examples by hand; and the helpers of the k-DOP
 * experiments.
 */
import { expect, test } from 'vitest';
import '../../src/representations/everything.ts';
import { logarithmOf, powerOf } from '../../bench/papers/growth.mjs';
import { bothWays, excess, facetsOf, fitness, seededDirections } from '../../bench/papers/kdop-directions.mjs';
import {
  bound,
  exactAxes,
  exactEnds,
  exactTraversal,
  exactTree,
  fixedEnds,
  fixedShift,
  floorDiv,
  HEIGHT,
  type Mapping,
  poseOnGrid,
  roundedUp,
  SLACK,
  scaled,
  WEIGHT,
} from '../../bench/papers/kdop-exact.mjs';
import { freshSearch, packed } from '../../bench/papers/kdop-software-search.mjs';
import { compose, identity, rotation, translation } from '../../src/math/pose.ts';
import { buildKdopTree } from '../../src/representations/kdop/make.ts';
import { DOP_SIZES } from '../../src/representations/kdop/tree/dop-directions.ts';
import { randomRotation } from '../support/agreement.ts';
import { bruteForce } from '../support/oracle.ts';
import { seeded } from '../support/random.ts';
import { bumpySphere } from '../support/shapes.ts';

/** One triangle from (0, 0, 0) to (1, 0, 0) and (0, 0.5, 0). */
const triangle = () => ({
  positions: Float64Array.of(0, 0, 0, 1, 0, 0, 0, 0.5, 0),
  triangles: Uint32Array.of(0, 1, 2),
  groups: [],
});

test('floorDiv rounds down on both sides of 0', () => {
  expect([7n, -7n, 6n, -6n, 0n].map((p) => floorDiv(p, 3n))).toEqual([2n, -3n, 2n, -2n, 0n]);
});

test('coefficients of a triangle by hand: x from 0 to 1, y from 0 to 1/2, z 0; rounded up to 2 bits', () => {
  const tree = exactTree(triangle(), 6);
  const inModel = tree.coefficients.map((x) => Number(x) / 2 ** HEIGHT);
  expect(inModel).toEqual([1, 0.5, 0, 0, 0, 0]);
  expect(Number(tree.largest) / 2 ** HEIGHT).toBe(1);
  expect(roundedUp(tree, 2, tree.largest)).toEqual([4n, 2n, 0n, 0n, 0n, 0n]);
  // Over 3 in place of 1: 1/3 and 1/6 are 4/3 and 2/3 quarters.
  expect(roundedUp(tree, 2, 3n * tree.largest)).toEqual([2n, 1n, 0n, 0n, 0n, 0n]);
});

test('ends by eq. 3 and eq. 7 by hand, negative coefficients too', () => {
  const tree = { ...exactTree(triangle(), 6), coefficients: [3n, 2n, 5n, -1n, -2n, 0n].map((x) => x << 70n) };
  const mapping: Mapping = {
    low: [3, 4, 5],
    high: [0, 1, 2],
    weights: [-1n, -1n, -1n].map((w, i) => (w << BigInt(WEIGHT)) >> BigInt(i)), // -1, -1/2, -1/4
  };
  const ends = exactEnds(tree, 0, mapping).map((x) => Number(x >> 70n) / 2 ** WEIGHT);
  expect(ends).toEqual([1 + 1 + 0, -3 - 1 - 1.25]);
  // c = 1: P' is -1, -1/2, -1/2 in halves; 1/2 is added before negative coefficients.
  //   low:  (-2 + 1)(-1) + (-1 + 1)(-2) + 0
  //   high: -2 * 3 - 1 * 2 - 1 * 5
  expect(fixedEnds([3n, 2n, 5n, -1n, -2n, 0n], 0, mapping, 1)).toEqual([1n, -13n]);
});

test('axes of a cube: those of a turned by 90 degrees are faces, P is -1 and 0, p the shift', () => {
  const pose = poseOnGrid(compose(translation(0.5, 0, 0.25), rotation(0, 0, 1, 90)));
  const axes = exactAxes(6, pose);
  const near = (x: bigint, bits: number) => Math.round((1000 * Number(x)) / 2 ** bits) / 1000;
  expect(axes.map(({ shift }) => near(shift, HEIGHT))).toEqual([0, -0.5, 0.25, 0.5, 0, 0.25]);
  // a's first face turns to y, its second to -x.
  for (const { a, b } of axes) {
    expect([...a.weights].map((w) => near(w, WEIGHT) + 0).sort()).toEqual([-1, 0, 0].map((x) => x + 0).sort());
    expect([...b.weights].map((w) => near(w, WEIGHT) + 0).sort()).toEqual([-1, 0, 0].map((x) => x + 0).sort());
  }
  const main = (mapping: Mapping) => mapping.high[mapping.weights.findIndex((w) => near(w, WEIGHT) === -1)];
  expect(axes.map(({ a }) => main(a))).toEqual([0, 1, 2, 4, 0, 2]);
  expect(axes.map(({ b }) => main(b))).toEqual([1, 3, 2, 0, 1, 2]);
});

test('two triangles a quarter apart: diff is 1/4, over the largest coefficient; diff by hand', () => {
  const tree = exactTree(triangle(), 6);
  const pose = poseOnGrid(translation(0, 0, 0.25));
  const axes = exactAxes(6, pose);
  const [pair] = exactTraversal(tree, tree, axes);
  expect(pair.isApart).toBe(true);
  const diffs = pair.diffs.map((x) => scaled(x, tree.largest));
  // Along x, y, z: the images lie on each other, by 1, 1/2; z is 1/4 above.
  const expected = [-1, -1, -0.5, -0.5, 0.25, -0.25];
  for (const [i, x] of [...expected, ...expected].entries()) expect(diffs[i]).toBeCloseTo(x, 9);
  const [z] = axes.slice(2);
  // p is a little less than 1/4 of 1: an axis is shorter than 1.
  expect(fixedShift(z.shift, tree.largest, 4)).toBe(3n);
  expect(bound({ b: 8, c: 8, z: 8 })).toBeCloseTo((2 * Math.sqrt(3) + 7) / 256, 12);
});

test.each([1, 2, 3])('eq. 21 holds of random nodes and axes, and diffs are those of doubles, seed %d', (seed) => {
  const random = seeded(seed);
  const k = random.pick(DOP_SIZES);
  const tree = exactTree(bumpySphere(seed, 1), k);
  const pose = poseOnGrid(compose(translation(random.between(0, 2), 0.3, 0), randomRotation(random)));
  const axes = exactAxes(k, pose);
  const [b, c, z] = [4 + random.below(30), 4 + random.below(30), 4 + random.below(30)];
  const rounded = roundedUp(tree, b, tree.largest);
  const inModel = tree.coefficients.map((x) => Number(x) / 2 ** HEIGHT);
  for (const { a, b: other, ofA, shift } of axes) {
    const [i, j] = [random.below(tree.links.length), random.below(tree.links.length)];
    const [endsA, endsB] = [exactEnds(tree, i, a), exactEnds(tree, j, other)];
    const p = shift << BigInt(WEIGHT);
    const exact = [endsA[0] + p + endsB[1], endsB[0] + endsA[1] - p];
    // The image of a DOP holds that of its triangles' corners.
    const v = ofA.map((x) => Number(x) / 2 ** 106);
    const { positions, triangles } = tree.mesh;
    let node = i;
    while (!(tree.links[node] & 1)) node = tree.links[node] >>> 1;
    const corner = 3 * triangles[3 * (tree.links[node] >>> 1)];
    const along = v[0] * positions[corner] + v[1] * positions[corner + 1] + v[2] * positions[corner + 2];
    const size = 2 ** (HEIGHT + WEIGHT);
    expect(Number(endsA[0]) / size).toBeLessThan(along + 1e-9);
    expect(-Number(endsA[1]) / size).toBeGreaterThan(along - 1e-9);
    const low = a.low.reduce((sum, face, m) => sum + (Number(a.weights[m]) / 2 ** WEIGHT) * inModel[k * i + face], 0);
    expect(Number(endsA[0]) / size).toBeCloseTo(low, 9);
    const [fixedA, fixedB] = [fixedEnds(rounded, k * i, a, c), fixedEnds(rounded, k * j, other, c)];
    const fixedP = fixedShift(shift, tree.largest, z);
    const unit = (x: bigint, bits: number) => x << BigInt(WEIGHT - bits);
    const fixed = [
      unit(fixedA[0], b + c) + unit(fixedP, z) + unit(fixedB[1], b + c),
      unit(fixedB[0], b + c) + unit(fixedA[1], b + c) - unit(fixedP + 1n, z),
    ];
    for (const n of [0, 1]) {
      const error = exact[n] - fixed[n] * tree.largest;
      expect(error > -SLACK).toBe(true);
      expect(scaled(error, tree.largest)).toBeLessThanOrEqual(bound({ b, c, z }));
    }
  }
});

test('a cube has right angles and r_max sqrt(3); four faces in a vertex bring P below -1', () => {
  // biome-ignore format: three directions
  const axes = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];
  const cube = fitness(axes);
  expect([cube.dihedral, cube.taken, cube.leastP, cube.vertices]).toEqual([90, 90, -1, 8]);
  expect(cube.rMax).toBeCloseTo(Math.sqrt(3), 12);
  // biome-ignore format: four directions
  const octahedron = fitness([[1, 1, 1], [1, 1, -1], [1, -1, 1], [-1, 1, 1]]);
  expect(octahedron.dihedral).toBeCloseTo(109.4712, 4);
  expect(octahedron.taken).toBeCloseTo(70.5288, 4);
  // Two directions with the product -1/3: 1 / sqrt(1 - 1/9).
  expect(octahedron.leastP).toBeCloseTo(-3 / Math.sqrt(8), 12);
  const [faces] = facetsOf(bothWays(axes));
  expect(faces.rows.map((row) => row.map(Math.abs).reduce((p, q) => p + q))).toEqual([1, 1, 1]);
});

test('directions that are pushed apart have no acute angles, and more directions are tighter', {
  tags: ['all'],
}, () => {
  const sample = { turns: 6, axes: 6, seed: 1 };
  const [few, many] = [14, 24].map((k) => seededDirections(k, 5, 200));
  for (const half of [few, many]) expect(fitness(half).dihedral).toBeGreaterThan(90);
  expect(excess(many, sample)).toBeLessThan(excess(few, sample));
  expect(excess(many, sample)).toBeGreaterThan(0);
});

test('fits find the logarithm and the power that points lie on', () => {
  const line = logarithmOf([1, 2, 4, 8].map((n) => [n, 5 - 2 * Math.log2(n)]));
  expect([line.a, line.b, line.missed].map((x) => Math.round(1e9 * x) / 1e9)).toEqual([5, -2, 0]);
  const power = powerOf([10, 100, 1000].map((x) => [x, 3 * x ** 0.5]));
  expect(power.k).toBeCloseTo(0.5, 3);
  expect(power.c).toBeCloseTo(3, 2);
  expect(powerOf([10, 100, 1000].map((x) => [x, 7])).k).toBeCloseTo(0, 4);
});

test.each([4, 6, 8] as const)(
  'differences of %d bits: decoded by the stack and by a cache they hold all contacts',
  { tags: ['all'] },
  (deltaBits) => {
    const mesh = bumpySphere(9, 2);
    const exact = exactTree(mesh, 24);
    const largest = exact.largest + (exact.largest >> 6n);
    const narrow = Int16Array.from(roundedUp(exact, 15, largest).map(Number));
    const { packed: packing, read } = packed(narrow, exact.links, 24, deltaBits);
    for (const [i, x] of narrow.entries()) expect(read[i]).toBeGreaterThanOrEqual(x);
    const pose = poseOnGrid(compose(translation(1.1, 0.2, 0), rotation(0, 0.6, 0.8, 40)));
    const axes = exactAxes(24, pose);
    const numbers = (side: 'a' | 'b') =>
      Float64Array.from(
        axes.flatMap((axis) => [...axis[side].weights]),
        (w) => Number(w >> BigInt(WEIGHT - 15)),
      );
    const faces = (side: 'a' | 'b') => Uint8Array.from(axes.flatMap((axis) => [...axis[side].low, ...axis[side].high]));
    const below = Float64Array.from(axes, ({ shift }) => Number(fixedShift(shift, largest, 15)) * 2 ** 15);
    const prepared = {
      ...{ count: 24, facesA: faces('a'), facesB: faces('b'), weightsA: numbers('a'), weightsB: numbers('b') },
      ...{ below, above: below.map((x) => x + 2 ** 15), step: 1 },
    };
    const { links, sizes } = exact;
    const { positions, triangles } = exact.mesh;
    const stored = { links, sizes, positions: Float64Array.from(positions), triangles, coefficients: narrow };
    const compressed = { ...stored, coefficients: narrow.slice(0, 24), packed: packing };
    const expected = bruteForce(exact.mesh, pose, exact.mesh, identity()).length;
    expect(expected).toBeGreaterThan(0);
    const whole = { ...stored, coefficients: Int16Array.from(read), packed: null };
    const asRead = freshSearch(24)(whole, whole, pose, prepared);
    expect(asRead.contacts).toBe(expected);
    for (const slots of [0, 16, 1024]) {
      expect(freshSearch(24, slots)(compressed, compressed, pose, prepared)).toEqual(asRead);
    }
    const plain = { ...stored, packed: null };
    expect(freshSearch(24)(plain, plain, pose, prepared).contacts).toBe(expected);
  },
);

test('links are those of a k-DOP tree, and levels count from the root', () => {
  const tree = exactTree(bumpySphere(4, 1), 14);
  expect(tree.links).toEqual(buildKdopTree(tree.mesh, { k: 14, bits: 8 }).links);
  expect([tree.levels[0], tree.levels[tree.links[0] >>> 1]]).toEqual([0, 1]);
});
