/** A clock that tests hold in their hands, for what has a budget of milliseconds. */
import { vi } from 'vitest';

/** What `run` returns, and how often it read the clock: time stands still for `looks` readings, then it is late for ever. */
export function untilLook<T>(looks: number, run: () => T): { result: T; reads: number } {
  let reads = 0;
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => (++reads > looks ? 1e12 : 0));
  try {
    return { result: run(), reads };
  } finally {
    clock.mockRestore();
  }
}
