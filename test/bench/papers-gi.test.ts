/** The experiments of the geometry images' paper: their inputs, both descents, and verdicts that follow the rows. */
import { describe, expect, it } from 'vitest';
import { nearContactPoses, sample } from '../../bench/inputs.mjs';
import { gridImage, STEPS } from '../../bench/papers/grid-image.mjs';
import { CHARTS, helicopter } from '../../bench/papers/helicopter.mjs';
import { pointers } from '../../bench/papers/pointers-page.mjs';
import { heightsOf, terrain } from '../../bench/papers/terrain.mjs';
import { bodyOf, meetByIndex, meetByPointer, tested } from '../../bench/sphere-descents.mjs';
import { descentsInWasm } from '../../bench/sphere-descents-wasm.mjs';
import { build, check, compose, rotation, toMesh, translation } from '../../src/index.ts';
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
    expect(asked[0][0]).toBe(check(image, image, { poseB: pose }).verdict === 'contact');
  }
});

describe('what the page says of Figure 10', () => {
  const rowOf = (ratio: number, near: number) => ({
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
    first: { index: near, pointers: 1, 'WASM index': 1, 'WASM pointers': 1 },
  });

  it.each([
    [0.9, 0.9, 'confirmed'],
    [0.9, 1.1, 'partly'],
    [1.1, 0.9, 'refuted'],
  ])('follows the row: %f of the time in motion and %f near contact is %s', (ratio, near, verdict) => {
    expect(pointers.write(rowOf(ratio, near), {}).findings[0].verdict).toBe(verdict);
  });
});
