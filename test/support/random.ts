/** A seeded generator for tests: the same numbers on every machine. G. Marsaglia, "Xorshift RNGs", 2003, section 4. */

export interface Random {
  /** Uniform in [0, 1), 53 bits. */
  next(): number;
  /** Uniform in [low, high). */
  between(low: number, high: number): number;
  /** A whole number, 0 to count - 1. */
  below(count: number): number;
  pick<T>(items: readonly T[]): T;
}

/** A generator; any seed will do. */
export function seeded(seed: number): Random {
  const state = Uint32Array.of(seed ^ 0x9e3779b9, 362436069, 521288629, 88675123);
  const word = () => {
    const t = state[0]! ^ (state[0]! << 11);
    state.copyWithin(0, 1);
    state[3] = state[2]! ^ (state[2]! >>> 19) ^ t ^ (t >>> 8);
    return state[3];
  };
  for (let i = 0; i < 20; i++) word();
  const next = () => ((word() >>> 5) * 2 ** 26 + (word() >>> 6)) * 2 ** -53;
  const below = (count: number) => Math.floor(next() * count);
  return {
    next,
    below,
    between: (low, high) => low + (high - low) * next(),
    pick: (items) => items[below(items.length)]!,
  };
}
