/** The experiments of the geometry images' paper: their inputs, both descents, and verdicts that follow the rows. */
import { describe, expect, it } from 'vitest';
import { nearContactPoses, sample } from '../../bench/inputs.mjs';
import { bunnies, trendOf } from '../../bench/papers/bunnies-page.mjs';
import { countFalseHits, noCounts, placeOf } from '../../bench/papers/false-hits-check.mjs';
import { gridImage, STEPS } from '../../bench/papers/grid-image.mjs';
import { growthOf, verdictOfLogarithm } from '../../bench/papers/growth.mjs';
import { CHARTS, helicopter } from '../../bench/papers/helicopter.mjs';
import { LAYINGS, plane } from '../../bench/papers/planes.mjs';
import { pointers } from '../../bench/papers/pointers-page.mjs';
import { heightsOf, terrain } from '../../bench/papers/terrain.mjs';
import { bodyOf, meetByIndex, meetByPointer, tested } from '../../bench/sphere-descents.mjs';
import { descentsInWasm } from '../../bench/sphere-descents-wasm.mjs';
import { build, check, compose, type GeometryImage, identity, rotation, toMesh, translation } from '../../src/index.ts';
import { nodeOffset } from '../../src/representations/gi/tree/grid.ts';
import { bruteForce } from '../support/oracle.ts';

describe('the terrain', () => {
  it('seed 2005: every other sample is the next smaller terrain', () => {
    const [coarse, fine] = [heightsOf(4, 2005), heightsOf(5, 2005)];
    for (let row = 0; row <= 16; row++)
      for (let column = 0; column <= 16; column++)
        expect(fine[2 * row * 33 + 2 * column]).toBe(coarse[row * 17 + column]);
  });

  it('seed 7: heights are rough at every level, and others by another seed', () => {
    const heights = heightsOf(6, 7);
    expect(new Set(heights).size).toBeGreaterThan(65 * 65 - 10);
    expect(heightsOf(6, 8)).not.toEqual(heights);
  });
});

describe('the helicopter', () => {
  const { samples, origin, step } = helicopter(3, 1);
  const at = (chart: number, row: number, column: number) => {
    const i = 3 * ((chart * 9 + row) * 9 + column);
    return Array.from(samples.subarray(i, i + 3));
  };

  it('is closed: each chart meets itself along its sides, and ends in a point', () => {
    for (let chart = 0; chart < CHARTS; chart++) {
      for (let row = 0; row <= 8; row++) expect(at(chart, row, 0)).toEqual(at(chart, row, 8));
      for (const row of [0, 8])
        for (let column = 1; column <= 8; column++) expect(at(chart, row, column)).toEqual(at(chart, row, 0));
    }
  });

  it('fills its box, and its rotor is as wide as asked', () => {
    expect(Math.max(...samples)).toBe(STEPS);
    const ends = [0, 8].map((row) => origin[0] + step * at(8, row, 0)[0]);
    expect(Math.max(...ends.map((x) => Math.abs(x - 0.26)))).toBeCloseTo(0.24, 3);
  });
});

it('images of both by formula have the verdicts that all pairs of triangles have, at eight poses', () => {
  const [ground, craft] = [gridImage(terrain(4, 2005)), gridImage(helicopter(2, 0.4))];
  const verdicts = [0, 1, 2, 3, 4, 5, 6, 7].map((i) => {
    const pose = compose(translation(0.5, 0.4, 0.3 - 0.06 * i), rotation(1, 2, 3, 40 * i));
    const touches = bruteForce(toMesh(ground), null, toMesh(craft), pose).length > 0;
    expect(check(ground, craft, { poseB: pose }).verdict).toBe(touches ? 'contact' : 'clear');
    return touches;
  });
  expect(new Set(verdicts).size).toBe(2);
});

it('seed 10: four descents of one tree test the same pairs and agree', { tags: ['long'] }, async () => {
  const image = build(sample('bunny'), { size: 33 });
  const body = bodyOf(image);
  const wasm = await descentsInWasm(body);
  for (const pose of nearContactPoses(image, image, 6, 10)) {
    const asked = [
      () => [meetByIndex(body, body, pose), tested.spheres],
      () => [meetByPointer(body, body, pose), tested.spheres],
      () => [wasm.byIndex(pose), wasm.spheresTested()],
      () => [wasm.byPointer(pose), wasm.spheresTested()],
    ].map((ask) => {
      tested.triangles = 0;
      return [...ask(), tested.triangles];
    });
    for (const other of asked) expect(other).toEqual(asked[0]);
    const { verdict, tests } = check(image, image, { poseB: pose, bounds: 'spheres' });
    expect(asked[0]).toEqual([verdict === 'contact', tests.bounds, tests.hulls]);
  }
});

describe('what the page says of Figure 10', () => {
  const rowOf = (ratio: number) => ({
    ...{ task: 'structure', date: '', version: '', node: '', cpu: '' },
    scenes: {
      8: {
        pairs: 28,
        contacts: 3,
        index: ratio,
        pointer: 1,
        ratio,
        'WASM, index': 1,
        'WASM, pointer': 1,
        'WASM, ratio': 1,
      },
    },
    ...{
      runs: 1,
      bytesOfNode: { index: 9, pointer: 100, 'WASM, pointer': 32 },
      paper: { bodies: [2, 256], 'faster, %': 19 },
    },
  });

  it.each([
    [0.9, 'confirmed'],
    [1.1, 'refuted'],
  ])('follows the row: %f of the time is %s', (ratio, verdict) => {
    expect(pointers.write(rowOf(ratio), {}).findings[0].verdict).toBe(verdict);
  });
});

describe('moving bunnies', () => {
  it('ranks: a trend is of all values, not of the first and the last', () => {
    expect(trendOf([1, 2, 3, 9])).toBe(1);
    expect(trendOf([4, 3, 2, 1])).toBe(-1);
    // Ranks 0 3 2 1: differences 0 2 0 -2, so 1 - 6 * 8 / (4 * 15).
    expect(trendOf([1, 9, 8, 2])).toBeCloseTo(0.2, 12);
  });

  it('a verdict stands where the same was measured: on the response, and on growth', () => {
    const times = (n: number) => ({
      'spheres alone, ms': 3 * n,
      'images, ms': n,
      'OBB 64, ms': n,
      'FCL, ms': 4 * n + n * n,
    });
    const kept = { 'patches, ms': 1, 'impulses, ms': 1, 'momentum off': 1e-16, 'energy off': 1e-15 };
    const row = {
      ...{ frames: 3000, size: 65, rounds: 2, cores: 2 },
      look: {
        side: 2,
        frames: 1,
        points: [[0, 0, 0]],
        poses: [[1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0]],
        touching: [0],
        met: [],
      },
      moving: Object.fromEntries(
        [2, 4, 8].map((n) => [
          n,
          { ...times(n), ...kept, collisions: n - 2, responses: n - 2, 'energy, change of all': 1e-6 },
        ]),
      ),
      paper: { objects: [2, 256], 'ms a collision': { 'I-COLLIDE': [9.5, 11.5], 'GI-COLLIDE': [0.29, 0.94] } },
    };
    const verdictsOf = (changed: object) =>
      bunnies.write({ ...row, ...changed } as never, {}).findings.map(({ verdict }) => verdict);
    const rest = ['not comparable', 'not comparable', 'not comparable'];
    expect(verdictsOf({})).toEqual(['confirmed', 'confirmed', ...rest]);
    const lossy = { ...row.moving, 4: { ...row.moving[4], 'energy off': 0.01, 'spheres alone, ms': 1 } };
    expect(verdictsOf({ moving: lossy })).toEqual(['refuted', 'refuted', ...rest]);
    const [{ why: first }, , , { why: trend }] = bunnies.write(row as never, {}).findings;
    expect(first).toMatch(/^8 pairs that touched/);
    expect(trend).toContain('a rank correlation of 1.00');
  });
});

describe('how counts grow', () => {
  const sizes = [513 ** 2, 1025 ** 2, 2049 ** 2, 4097 ** 2];

  it('as a logarithm or as a power, each with its own numbers', () => {
    const logarithm = growthOf(sizes.map((n) => [n, 1000 + 25 * Math.log2(n)]));
    expect(logarithm.isLogarithm).toBe(true);
    expect(logarithm.logarithm.b).toBeCloseTo(25, 6);
    const power = growthOf(sizes.map((n) => [n, 3 * n ** 0.29]));
    expect(power.isLogarithm).toBe(false);
    expect(power.power.k).toBeCloseTo(0.29, 6);
    expect(power.power.r2).toBeCloseTo(1, 9);
  });

  it("the audit's counts: the paper's spheres as a power, ours as a logarithm", () => {
    const of = (counts: number[]) => growthOf(counts.map((y, i) => [sizes[i], y]));
    expect(of([52941, 79557, 118561])).toMatchObject({ isLogarithm: false, power: { k: expect.closeTo(0.29, 2) } });
    expect(of([8205, 11018, 13503]).isLogarithm).toBe(true);
    expect(verdictOfLogarithm(of([8205, 11018, 13503]))).toBe('confirmed');
    expect(verdictOfLogarithm(of([52941, 79557, 118561]))).toBe('refuted');
    // With a fourth size neither fit is the better one by much.
    expect(verdictOfLogarithm(of([8205, 11018, 13503, 17030]))).toBe('partly');
    expect(growthOf(sizes.map((n) => [n, 100 - Math.log2(n)])).isLogarithm).toBe(false);
  });
});

describe('planes that lie on one another', () => {
  const count = (a: GeometryImage, b: GeometryImage, poseB = identity()) =>
    check(a, b, { poseB, bounds: 'spheres', all: true, maxContacts: 1e6 });

  it('folded ones touch in all pairs of triangles; every test is counted', () => {
    const [a, b] = [plane(2, { isFolded: true }), plane(1, { isFolded: true })];
    const { contacts, tests } = count(a, b);
    expect(contacts.count).toBe(32 * 8);
    // The root's, a's four by b's root, all 16 pairs below, and a's further 16 by b's four quads.
    expect(tests).toEqual({ bounds: 1 + 4 + 16 + 64, hulls: 256 });
  });

  it.each(Object.entries(LAYINGS))('%s: the contacts are those of the oracle', { tags: ['all'] }, (_, pose) => {
    const [a, b] = [plane(2), plane(1)];
    expect(count(a, b, pose).contacts.pairs).toEqual(bruteForce(toMesh(a), identity(), toMesh(b), pose));
  });
});

describe('false hits', () => {
  it('a number is a place in the page, as the tree has it', () => {
    for (const depth of [1, 3, 5])
      for (let level = 0; level <= depth; level++)
        for (let row = 0; row < 2 ** level; row++)
          for (let column = 0; column < 2 ** level; column++)
            expect(placeOf(depth, nodeOffset(depth, level, row, column) / 4)).toEqual({ level, row, column });
  });

  it('two sheets of four quads, counted by hand', () => {
    const counts = noCounts(1);
    // At 0.625 the roots overlap, and each quad the one above it: nothing touches.
    countFalseHits(plane(1), translation(0, 0, 0.625), counts);
    expect(counts).toEqual([
      { overlapping: 1, false: 1, droppedNext: 0, droppedByTwo: 1 },
      { overlapping: 4, false: 4, droppedNext: 4, droppedByTwo: 4 },
    ]);
    // At 0.75 no quads overlap: the root is dropped a level lower.
    countFalseHits(plane(1), translation(0, 0, 0.75), counts);
    expect(counts[0]).toEqual({ overlapping: 2, false: 2, droppedNext: 1, droppedByTwo: 2 });
    // In one plane all overlap; each pair of quads touches, so nothing is false.
    countFalseHits(plane(1), identity(), counts);
    expect(counts[0]).toEqual({ overlapping: 3, false: 2, droppedNext: 1, droppedByTwo: 2 });
    expect(counts[1]).toMatchObject({ overlapping: 20, false: 4 });
  });
});
