/** Contact lists, sorted as the contract says, and hulls as they are loaded for one side of a query. */
import { describe, expect, test } from 'vitest';
import { HULL_NUMBERS, hullLoader, hullsMeet } from '../../src/engine/narrow-phase.ts';
import { ContactList } from '../../src/engine/records.ts';
import { identity, movePoint, rotation } from '../../src/math/pose.ts';
import { seeded } from '../support/random.ts';

test.each([1, 2])('contacts come out sorted by a, then b, up to the largest numbers, seed %i', (seed) => {
  const random = seeded(seed);
  const query = { all: true, maxContacts: 1e9 };
  const walk = { level: 0, bounds: 0, hulls: 0 };
  expect(new ContactList(query).outcome(walk).contacts.pairs).toEqual([]);
  for (const most of [4, 1000, 2 ** 32]) {
    const list = new ContactList(query);
    const pairs = Array.from({ length: 500 }, (): [number, number] => [random.below(most), random.below(most)]);
    pairs.push([most - 1, 0], [0, most - 1]);
    for (const [a, b] of pairs) list.add(a, b);
    expect(list.count).toBe(pairs.length);
    expect(list.outcome(walk).contacts.pairs).toEqual(pairs.sort((p, q) => p[0] - q[0] || p[1] - q[1]));
  }
});

describe('hulls', () => {
  const corners = Float64Array.of(0, 0, 0, 1, 0, 0, 0, 1, 0);
  const asked: number[] = [];
  const hull = (id: number, out: Float64Array) => {
    asked.push(id);
    for (let i = 0; i < 9; i++) out[i] = corners[i] + id;
    return 3;
  };

  test('are moved as vertices are, and read once while the same one is asked for', () => {
    const pose = rotation(1, 2, 3, 40);
    const load = hullLoader(hull, pose);
    asked.length = 0;
    for (const id of [7, 7, 7, 8, 7]) {
      const { points, count } = load(id);
      const expected = new Float64Array(HULL_NUMBERS);
      for (let k = 0; k < 9; k += 3) {
        movePoint(pose, corners[k] + id, corners[k + 1] + id, corners[k + 2] + id, expected, k);
      }
      expect([count, points]).toEqual([3, expected]);
    }
    expect(asked).toEqual([7, 8, 7]);
  });

  test('stay as they are in the identity, and meet in a point', () => {
    const [a, b] = [hullLoader(hull, identity()), hullLoader(hull, identity())];
    expect([...a(0).points.subarray(0, 9)]).toEqual([...corners]);
    expect(hullsMeet(a(0), b(0))).toBe(true);
    expect(hullsMeet(a(0), b(1))).toBe(false);
  });
});
