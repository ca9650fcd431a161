/** No node's decoded bound is below what it was given, nor more than a step and an eighth above. */
import { expect, test } from 'vitest';
import { quantiseNodes } from '../../../src/representations/gi/make/quantise-nodes.ts';
import { seeded } from '../../support/random.ts';

test.each([
  [1, 1],
  [2, 1e-60],
  [3, 1e60],
  [4, 1e-320],
])('seed %i, lengths up to %d', (seed, scale) => {
  const random = seeded(seed);
  for (const count of [1, 6, 384, 1536]) {
    const bounds = Float64Array.from({ length: count }, () => scale * random.next() ** 4);
    bounds[random.below(count)] = 0;
    const { page, step } = quantiseNodes(bounds);
    expect(page.length).toBe(count);
    const order = Array.from(bounds, (_, i) => i).sort((i, j) => bounds[i] - bounds[j]);
    order.forEach((i, k) => {
      expect(page[i] * step).toBeGreaterThanOrEqual(bounds[i]);
      if (bounds[i] === 0) expect(page[i]).toBe(0);
      else expect((page[i] - 1) * step).toBeLessThan((9 / 8) * bounds[i] + Number.MIN_VALUE);
      // So a node's is no less than its children's.
      if (k > 0) expect(page[i]).toBeGreaterThanOrEqual(page[order[k - 1]]);
    });
  }
});

test('nothing missing: a page of zeros', () => {
  const { page, step } = quantiseNodes(new Float64Array(384));
  expect(step).toBe(0);
  expect(page.every((units) => units === 0)).toBe(true);
});

test('what is no length is refused', () => {
  for (const bound of [-1, Number.NaN, Number.POSITIVE_INFINITY]) {
    expect(() => quantiseNodes(new Float64Array(384).fill(bound))).toThrow(RangeError);
  }
});
