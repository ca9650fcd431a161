/**
 * Algorithm 2, pre-generation: how many two-tuples of cubes each pair of models has.
 *
 * Z. Peng, B. Wu, "Collision Detection Algorithm Based on Data Parallelism", section III.A.
 *
 * Letters, here and in the files beside this one: N models m_0 to m_(N-1); C_m the cubes of m; u a
 * pair of models i < j; Pair_u = |C_i| |C_j|; t a two-tuple; D the two-tuples, R the results, O the
 * two-tuples that collide; Q workers. The paper counts from 1, this code from 0, and prefix[k] is
 * the sum of the first k: the pair u has the two-tuples from Prefix_Pair[u] to Prefix_Pair[u + 1].
 *
 * The paper's equation (2) adds up N of the Pair_u; its section III.A, and this code, all N(N -
 * 1)/2: TotalPairCount is about N^2 |C|^2 / 2.
 *
 * Pairs in order: (0, 1), (0, 2), ..., (0, N - 1), (1, 2), ... Counted from the last, v = N(N -
 * 1)/2 - 1 - u, they fill a triangle: row r has the r + 1 pairs of i = N - 2 - r, and the rows
 * before it r(r + 1)/2. So r is the one with (2r + 1)^2 <= 8v + 1 < (2r + 3)^2, or r =
 * floor((sqrt(8v + 1) - 1) / 2), and doubles say the same while 8v + 1 < 2^53: Math.sqrt is rounded
 * correctly, so never below 2r + 1, which is a double; with w = 2r + 3 an odd square below w^2 is
 * at most w^2 - 8, its root at most w - 4/w, and 4/w > 2^-25 is more than the distance of doubles
 * near w < 2^27, so it is not rounded to w. Subtracting 1 and halving are exact.
 */

/** The pairs of so many models. */
export const pairCount = (models: number): number => (models * (models - 1)) / 2;

/** Most models whose pairs have numbers of 32 bits. */
export const MOST_MODELS = 92_682;

/** The number u of the pair of models i < j. */
export const pairNumber = (models: number, i: number, j: number): number => (i * (2 * models - i - 1)) / 2 + j - i - 1;

/**
 * The lower model of pair u.
 *
 * @example firstModel(4, 3) // 1: (0, 1), (0, 2), (0, 3), and (1, 2)
 */
export function firstModel(models: number, u: number): number {
  const v = pairCount(models) - 1 - u;
  return models - 2 - Math.floor((Math.sqrt(8 * v + 1) - 1) / 2);
}

/** The higher model of pair u, whose lower one is i. */
export const secondModel = (models: number, u: number, i: number): number => u - pairNumber(models, i, i + 1) + i + 1;

export interface PreGeneration {
  /** N. */
  models: number;
  /** Cubes of model m: from firstCube[m] to firstCube[m + 1] of all. */
  firstCube: Uint32Array;
  /** Out: Pair_u. A product of 2^53 or more is rounded to such: see prefix-sum.ts. */
  pair: Float64Array;
}

/** The pairs u from `from` to `to`. */
export function preGeneration({ models, firstCube, pair }: PreGeneration, from: number, to: number): number {
  for (let u = from; u < to; u++) {
    const i = firstModel(models, u);
    const j = secondModel(models, u, i);
    pair[u] = (firstCube[i + 1] - firstCube[i]) * (firstCube[j + 1] - firstCube[j]);
  }
  return 0;
}
