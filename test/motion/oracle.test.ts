/** The oracle of straight motions against the other one, which knows nothing of time, and against what is plain. */
import { expect, test } from 'vitest';
import { long } from '../support/long.ts';
import { hullsMeet } from '../support/oracle.ts';
import { seeded } from '../support/random.ts';
import { box } from '../support/shapes.ts';
import { meetingTimes, timesInContact } from '../support/translating.ts';

/** Multiples of 1/8, so that few times are no doubles and touching happens. */
const points = (random: ReturnType<typeof seeded>, count: number, width: number): number[] =>
  Array.from({ length: 3 * count }, () => Math.round(8 * random.between(-width, width)) / 8);

const movedBy = (corners: number[], at: readonly number[], velocity: readonly number[], t: number): number[] =>
  corners.map((x, i) => x + at[i % 3] + velocity[i % 3] * t);

test.each(Array.from({ length: long ? 7 : 2 }, (_, i) => i))(
  'within the times two triangles meet, and else not, seed %i',
  { tags: ['quick', 'long'] },
  (seed) => {
    const random = seeded(2600 + seed);
    for (let n = 0; n < 60; n++) {
      const [a, b] = [points(random, 3, 1), points(random, 3, 1)];
      const [moveA, moveB] = [0, 1].map(() => ({ at: points(random, 1, 1), velocity: points(random, 1, 3) }));
      const times = meetingTimes(a, moveA, b, moveB);
      // A 64th is a double, and so are the moved corners.
      for (let k = 0; k <= 64; k++) {
        const t = k / 64;
        const inside = times !== null && times[0] <= t && t <= times[1];
        const met = hullsMeet(movedBy(a, moveA.at, moveA.velocity, t), movedBy(b, moveB.at, moveB.velocity, t));
        if (met !== inside) expect({ n, t, met, times }).toBeNull();
      }
    }
  },
);

test('two cubes that meet face to face, and leave each other', () => {
  const [still, moving] = [
    { at: [0, 0, 0], velocity: [0, 0, 0] },
    { at: [4, 0.25, 0], velocity: [-16, 0, 0] },
  ];
  // Surfaces: the smaller cube is clear of the larger one's while it is inside of it.
  expect(timesInContact(box(2), still, box(1), moving)).toEqual([
    [2.5 / 16, 3.5 / 16],
    [4.5 / 16, 5.5 / 16],
  ]);
  expect(timesInContact(box(2), still, box(1), { at: [4, 1.625, 0], velocity: [-16, 0, 0] })).toEqual([]);
});
