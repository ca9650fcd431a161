/** Which boxes overlap: against all pairs, boxes that touch and that are points included. */
import { describe, expect, test } from 'vitest';
import { forOverlaps, meetingOf, sweepOverlaps } from '../../src/scene/broad-phase.ts';
import { some } from '../support/long.ts';
import { type Random, seeded } from '../support/random.ts';

/** Boxes on a coarse grid, so that ends coincide; some are points or plates. */
function randomBoxes(random: Random, count: number): Float64Array {
  const boxes = new Float64Array(6 * count);
  for (let i = 0; i < count; i++) placeBox(random, boxes, i);
  return boxes;
}

function placeBox(random: Random, boxes: Float64Array, i: number): void {
  for (let k = 0; k < 3; k++) {
    const low = random.below(40) / 4;
    boxes[6 * i + k] = low;
    boxes[6 * i + 3 + k] = low + random.below(8) / 4;
  }
}

function bruteForce(boxes: Float64Array): string[] {
  const pairs: string[] = [];
  const count = boxes.length / 6;
  for (let i = 0; i < count; i++) {
    for (let j = i + 1; j < count; j++) {
      const meets = [0, 1, 2].every(
        (k) => boxes[6 * i + k] <= boxes[6 * j + 3 + k] && boxes[6 * j + k] <= boxes[6 * i + 3 + k],
      );
      if (meets) pairs.push(`${i} ${j}`);
    }
  }
  return pairs.sort();
}

const once = (boxes: Float64Array): string[] => {
  const [pairs, swept]: string[][] = [[], []];
  forOverlaps(boxes, (i, j) => pairs.push(`${i} ${j}`));
  sweepOverlaps(boxes, (i, j) => swept.push(`${i} ${j}`));
  expect(swept.sort()).toEqual(pairs.sort());
  return pairs;
};

describe.each(some(2, [1, 2, 3, 4, 5, 6]))('boxes, seed %i', (seed) => {
  test('every pair that overlaps, once', { tags: ['quick', 'long'] }, () => {
    const random = seeded(seed);
    for (const count of [0, 1, 2, 3, 8, 9, 16, 17, 40, 200]) {
      const boxes = randomBoxes(random, count);
      expect(once(boxes)).toEqual(bruteForce(boxes));
    }
  });

  test('rows, equal boxes, and one that holds all others', { tags: ['quick', 'long'] }, () => {
    const random = seeded(seed + 50);
    const row = Float64Array.from({ length: 6 * 90 }, (_, k) => (k % 3 === 0 ? Math.floor(k / 6) + (k % 6) / 3 : 0));
    expect(once(row)).toEqual(bruteForce(row));
    const equal = Float64Array.from({ length: 6 * 40 }, (_, k) => Math.floor((k % 6) / 3));
    expect(once(equal)).toHaveLength((40 * 39) / 2);
    const mixed = randomBoxes(random, 100);
    mixed.set([-1, -1, -1, 20, 20, 20], 6 * random.below(100));
    expect(once(mixed)).toEqual(bruteForce(mixed));
  });

  test('the boxes that meet one', { tags: ['quick', 'long'] }, () => {
    const boxes = randomBoxes(seeded(seed + 100), 60);
    const out = new Uint32Array(60);
    const pairs = Array.from({ length: 60 }, (_, i) => i).flatMap((i) =>
      Array.from(out.subarray(0, meetingOf(boxes, i, out)), (j) => `${i} ${j}`),
    );
    const both = bruteForce(boxes).flatMap((pair) => [pair, pair.split(' ').reverse().join(' ')]);
    expect(pairs.sort()).toEqual([...both, ...Array.from({ length: 60 }, (_, i) => `${i} ${i}`)].sort());
  });
});
