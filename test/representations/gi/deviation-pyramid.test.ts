/** No node's decoded bound is below that of a quad under it, and none is more than a step and an eighth above the greatest. */
import { expect, test } from 'vitest';
import { deviationOffset, deviationPyramid } from '../../../src/representations/gi/build/deviation-pyramid.ts';
import { treeHeight, treeWidth } from '../../../src/representations/gi/tree/tree-page.ts';
import { seeded } from '../../support/random.ts';

test.each([
  [1, 1],
  [2, 1e-60],
  [3, 1e60],
  [4, 1e-320],
])('seed %i, lengths up to %d', (seed, scale) => {
  const random = seeded(seed);
  for (const exponent of [1, 4, 5]) {
    const quads = 1 << exponent;
    const bounds = Float64Array.from({ length: quads * quads }, () => scale * random.next() ** 4);
    bounds[random.below(bounds.length)] = 0;
    const { page, step } = deviationPyramid(bounds, exponent);
    expect(page.length).toBe(treeWidth(exponent) * treeHeight(exponent));
    let nodes = 0;
    for (let level = 0; level <= exponent; level++) {
      const span = quads >> level;
      for (let row = 0; row < 1 << level; row++) {
        for (let column = 0; column < 1 << level; column++) {
          const units = page[deviationOffset(exponent, level, row, column)];
          let most = 0;
          for (let r = row * span; r < (row + 1) * span; r++) {
            for (let c = column * span; c < (column + 1) * span; c++) most = Math.max(most, bounds[r * quads + c]);
          }
          expect(units * step).toBeGreaterThanOrEqual(most);
          expect((units - 1) * step).toBeLessThan(most === 0 ? 1 : (9 / 8) * most + Number.MIN_VALUE);
          if (most > 0) nodes++;
          if (level === 0) continue;
          const parent = page[deviationOffset(exponent, level - 1, row >> 1, column >> 1)];
          expect(parent).toBeGreaterThanOrEqual(units);
        }
      }
    }
    expect(page.filter((units) => units > 0).length).toBe(nodes);
  }
});

test('nothing missing: a page of zeros', () => {
  const { page, step } = deviationPyramid(new Float64Array(256), 4);
  expect(step).toBe(0);
  expect(page.every((units) => units === 0)).toBe(true);
});

test('what is no length is refused', () => {
  for (const bound of [-1, Number.NaN, Number.POSITIVE_INFINITY]) {
    expect(() => deviationPyramid(new Float64Array(256).fill(bound), 4)).toThrow(RangeError);
  }
  expect(() => deviationPyramid(new Float64Array(255), 4)).toThrow(RangeError);
});
