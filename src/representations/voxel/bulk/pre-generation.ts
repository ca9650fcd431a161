/**
 * Algorithm 2, pre-generation: counts the two-tuples of cubes of each pair of models.
 *
 * Z. Peng, B. Wu, "Collision Detection Algorithm Based on Data Parallelism", section III.A.
 *
 * Letters, here and in the files beside this one: N models m_0 to m_(N-1); C_m the cubes of m; u a
 * pair of models i < j; Pair_u = |C_i| |C_j|; t a two-tuple; D the two-tuples, R the results, O the
 * two-tuples that collide; Q workers. The paper counts from 1, this code from 0, and prefix[k] is
 * the sum of the first k: pair u has the two-tuples from Prefix_Pair[u] to Prefix_Pair[u + 1].
 *
 * The paper's equation (2) adds up N of the Pair_u; its section III.A, and this code, all N(N -
 * 1)/2: TotalPairCount is about N^2 |C|^2 / 2.
 *
 * Pairs in order: (0, 1), (0, 2), ..., (0, N - 1), (1, 2), ... Counted from the last, they fill a
 * triangle:
 *   v = N(N - 1)/2 - 1 - u
 * Row r has the r + 1 pairs of i = N - 2 - r, and the rows before it r(r + 1)/2. So r satisfies
 *   (2r + 1)^2 <= 8v + 1 < (2r + 3)^2, or r = floor((sqrt(8v + 1) - 1) / 2)
 * Doubles give the same while 8v + 1 < 2^53. Math.sqrt is rounded correctly, so it is never below
 * 2r + 1, which is a double. With w = 2r + 3, an odd square below w^2 is at most w^2 - 8, its root
 * at most w - 4/w. As 4/w > 2^-25 is more than the distance of doubles near w < 2^27, it is not
 * rounded to w. Subtracting 1 and halving are exact.
 */

export const pairCount = (models: number): number => (models * (models - 1)) / 2;

/** Most models whose pairs have 32-bit numbers. */
export const MOST_MODELS = 92_682;

export const pairNumber = (models: number, i: number, j: number): number => (i * (2 * models - i - 1)) / 2 + j - i - 1;

export function firstModel(models: number, u: number): number {
  const v = pairCount(models) - 1 - u;
  return models - 2 - Math.floor((Math.sqrt(8 * v + 1) - 1) / 2);
}

export const secondModel = (models: number, u: number, i: number): number => u - pairNumber(models, i, i + 1) + i + 1;

interface PreGeneration {
  models: number;
  /** Cubes of model m: firstCube[m] to firstCube[m + 1]. */
  firstCube: Uint32Array;
  /** Out: Pair_u. A product of 2^53 or more stays at least that when rounded: see prefix-sum.ts. */
  pair: Float64Array;
}

export function preGeneration({ models, firstCube, pair }: PreGeneration, from: number, to: number): number {
  for (let u = from; u < to; u++) {
    const i = firstModel(models, u);
    const j = secondModel(models, u, i);
    pair[u] = (firstCube[i + 1] - firstCube[i]) * (firstCube[j + 1] - firstCube[j]);
  }
  return 0;
}
