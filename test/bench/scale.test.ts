import { describe, expect, test } from 'vitest';
import { simulate } from '../../bench/scale-simulation.mjs';
import { Random } from '../../src/math/numbers.ts';

const free = {
  coordinator: { send: 0, take: 0 },
  redis: { operation: 0, add: 1, take: 1, end: 1, renewEvery: 10 },
  store: { bytesPerSecond: 1, runBytes: 0, open: 0 },
};
const uniform = (seed: number): (() => number) => {
  const random = new Random(seed);
  return () => random.integer() / 2 ** 32;
};

/** Each simulation beside what a closed form says of it. */
describe('a simulated run', () => {
  test.for([1, 3, 10, 1000])('%i workers with nothing in between share the jobs', (workers) => {
    const jobs = 1000;
    const told = simulate({ ...free, jobs, workers, window: 4000, seconds: () => 0.5, random: uniform(1) });
    expect(told.seconds).toBeCloseTo(Math.ceil(jobs / workers) * 0.5, 9);
    expect(told).toMatchObject({ answered: jobs, repeated: 0 });
    expect(told.work).toBeCloseTo(500, 9);
  });

  test('a Redis that is too slow gives the pace, whatever the workers', () => {
    const redis = { operation: 0.01, add: 2, take: 3, end: 4, renewEvery: 10 };
    const seconds = [500, 1000].map((workers) => {
      const told = simulate({
        ...free,
        redis,
        jobs: 2000,
        workers,
        window: 5000,
        seconds: () => 0.5,
        random: uniform(1),
      });
      expect(told.busy.redis).toBeGreaterThan(0.95);
      return told.seconds;
    });
    for (const each of seconds) expect(each).toBeCloseTo(2000 * 9 * 0.01, 0);
  });

  test('a coordinator that is too slow gives the pace', () => {
    const coordinator = { send: 0.02, take: 0.03 };
    const told = simulate({
      ...free,
      coordinator,
      jobs: 1000,
      workers: 500,
      window: 5000,
      seconds: () => 0.5,
      random: uniform(1),
    });
    expect(told.seconds).toBeGreaterThanOrEqual(1000 * 0.05);
    expect(told.seconds).toBeLessThan(1000 * 0.05 + 1);
  });

  test('a window that is smaller than the workers leaves some idle', () => {
    const told = simulate({ ...free, jobs: 1000, workers: 100, window: 10, seconds: () => 1, random: uniform(1) });
    expect(told.seconds).toBeCloseTo(100, 6);
    expect(told.busy.workers).toBeCloseTo(0.1, 6);
  });

  test('each worker reads the run once, one after the other', () => {
    const store = { bytesPerSecond: 1e6, runBytes: 2e6, open: 1 };
    const told = simulate({ ...free, store, jobs: 8, workers: 8, window: 8, seconds: () => 1, random: uniform(1) });
    expect(told.seconds).toBeCloseTo(8 * 2 + 1 + 1, 9);
  });

  test('threads of one machine read it together', () => {
    const store = { bytesPerSecond: 1e6, runBytes: 2e6, open: 1 };
    const machines = { ...free, store, threads: 4, seconds: () => 1, random: uniform(1) };
    const told = simulate({ ...machines, jobs: 8, workers: 8, window: 8 });
    expect(told.seconds).toBeCloseTo(2 * 2 + 1 + 1, 9);
  });

  test.for([1, 2, 3])('workers that die lose nothing, seed %i', (seed) => {
    const deaths = { every: 20, noticed: 5, restart: 2 };
    const told = simulate({
      ...free,
      deaths,
      jobs: 3000,
      workers: 20,
      window: 100,
      seconds: () => 1,
      random: uniform(seed),
    });
    expect(told.answered).toBe(3000);
    // A job of a second is begun again with the chance that its worker dies within it.
    const chance = 1 - Math.exp(-1 / 20);
    expect(told.repeated / (3000 + told.repeated)).toBeGreaterThan(chance / 1.5);
    expect(told.repeated / (3000 + told.repeated)).toBeLessThan(chance * 1.5);
  });
});
