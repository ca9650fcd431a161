/** Jobs of a build begin when there is memory for them. */
import { expect, test } from 'vitest';
import { Room } from '../../src/cli/make/threads.ts';
import { seeded } from '../support/random.ts';

const turn = (): Promise<void> => new Promise((done) => setImmediate(done));

test.each([1, 2, 3])('no more is taken than there is, but by one alone; all have their turn: seed %i', async (seed) => {
  const random = seeded(seed);
  const jobs = Array.from({ length: 60 }, () => 1 + random.below(30));
  const room = new Room(20);
  let [taken, most, running, together] = [0, 0, 0, 0];
  const work = jobs.map(async (bytes) => {
    await room.take(bytes);
    taken += bytes;
    running++;
    if (running > 1) most = Math.max(most, taken);
    together = Math.max(together, running);
    for (let turns = random.below(4); turns >= 0; turns--) await turn();
    taken -= bytes;
    running--;
    room.give(bytes);
  });
  await Promise.all(work);
  expect(most).toBeLessThanOrEqual(20);
  expect(together).toBeGreaterThan(1);
  expect(taken).toBe(0);
});
