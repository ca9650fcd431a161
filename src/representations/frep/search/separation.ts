/**
 * Proves that two solids have no common point in a cell, or finds a candidate for one. Used if the
 * cell is outside of neither.
 *
 * The source tests the two functions separately. Then a cell between two surfaces a gap g apart is
 * empty for sure only if it is smaller than g, and there are about 1/g of them. But if f >= 0 and g
 * >= 0 hold at one point, so does s f + (1 - s) g >= 0 for every s in [0, 1] (the S-procedure: V.
 * A. Yakubovich, 1971). Between two surfaces the gradients oppose each other. The s that best
 * cancels them is
 *     s = b . (b - a) / |a - b|^2     with a, b the gradients of f and g at the cell's center.
 * It leaves only terms of second degree: a few cells separate two balls, however small the gap. f
 * is any conjunct of the one solid, g of the other. Their time is one more coordinate.
 *
 * Candidates: with opposite gradients, f is at least 0 from -f/|a| on along a's direction, g up to
 * g/|b|. The middle of the two is in both if their common lens is thin. If both rise the same way,
 * the candidate is the cell's corner that way.
 */
import type { CellFunction } from '../tree/cell-function.ts';
import { boundQuadric } from '../tree/quadric.ts';

const MOST_MIXTURES = 16;

const mixed = new Float64Array(10);
const lower = new Float64Array(1);
const upper = new Float64Array(1);
export const candidate = new Float64Array(3);

/** True if the two, bounded on the same cell of `depth`, surely share no point of it. */
export function areApart(a: CellFunction, b: CellFunction, depth: number): boolean {
  const countA = a.conjunctCount(depth);
  const countB = b.conjunctCount(depth);
  const slotsA = a.conjuncts(depth);
  const slotsB = b.conjuncts(depth);
  let mixtures = 0;
  for (let i = 0; i < countA; i++) {
    // A conjunct that holds on the whole cell excludes nothing.
    if (a.lowers[slotsA[i]] >= 0) continue;
    for (let j = 0; j < countB; j++) {
      if (b.lowers[slotsB[j]] >= 0) continue;
      if (++mixtures > MOST_MIXTURES) return false;
      if (excludeEachOther(a, slotsA[i], b, slotsB[j])) return true;
    }
  }
  return false;
}

function excludeEachOther(a: CellFunction, slotA: number, b: CellFunction, slotB: number): boolean {
  const f = a.models;
  const g = b.models;
  const atF = 10 * slotA;
  const atG = 10 * slotB;
  let along = 0;
  let across = 0;
  for (let k = 6; k < 9; k++) {
    const d = g[atG + k] - f[atF + k];
    along += g[atG + k] * d;
    across += d * d;
  }
  const driftF = a.drift[slotA];
  const driftG = b.drift[slotB];
  along += driftG * (driftG - driftF);
  across += (driftG - driftF) * (driftG - driftF);
  const s = along / across;
  if (!(s > 0 && s < 1)) return false;
  const moved = s * driftF + (1 - s) * driftG;
  let size = Math.abs(driftF) + Math.abs(driftG);
  for (let k = 0; k < 10; k++) {
    const x = s * f[atF + k];
    const y = (1 - s) * g[atG + k];
    size += Math.abs(x) + Math.abs(y);
    mixed[k] = x + y;
  }
  // Any s will do, so its rounding does not matter; 1 - s, products and sums are rounded.
  const rounding = 2 ** -50 * size + 2 ** -1000;
  const rest = s * a.remainder[slotA] + (1 - s) * b.remainder[slotB] + Math.abs(moved);
  const remainder = rest * (1 + 2 ** -48) + rounding;
  boundQuadric(mixed, 0, remainder, lower, upper, 0);
  return upper[0] < 0;
}

/** Writes a point of the cell that may be in both to `candidate`; false if nothing suggests one. */
export function seek(a: CellFunction, b: CellFunction, depth: number): boolean {
  if (a.conjunctCount(depth) === 0 || b.conjunctCount(depth) === 0) return false;
  const f = a.models;
  const g = b.models;
  const atF = 10 * leastConjunct(a, depth);
  const atG = 10 * leastConjunct(b, depth);
  let ff = 0;
  let gg = 0;
  let fg = 0;
  for (let k = 6; k < 9; k++) {
    ff += f[atF + k] * f[atF + k];
    gg += g[atG + k] * g[atG + k];
    fg += f[atF + k] * g[atG + k];
  }
  if (!(ff > 0 && gg > 0)) return false;
  const lengthF = Math.sqrt(ff);
  const lengthG = Math.sqrt(gg);
  // Along the difference of the two directions both functions change alike.
  const cosine = fg / (lengthF * lengthG);
  const scale =
    cosine < 0 ? (g[atG + 9] / lengthG - f[atF + 9] / lengthF) / (2 * (1 - cosine)) : Number.POSITIVE_INFINITY;
  for (let k = 0; k < 3; k++) {
    const x = f[atF + 6 + k] / lengthF;
    const y = g[atG + 6 + k] / lengthG;
    const at = cosine < 0 ? scale * (x - y) : x + y;
    candidate[k] = at > 1 ? 1 : at >= -1 ? at : -1;
  }
  return true;
}

export function leastConjunct(side: CellFunction, depth: number): number {
  const slots = side.conjuncts(depth);
  let best = slots[0];
  let low = Number.POSITIVE_INFINITY;
  for (let i = 0; i < side.conjunctCount(depth); i++) {
    const at = 10 * slots[i];
    const m = side.models;
    const height = m[at + 9] / (Math.abs(m[at + 6]) + Math.abs(m[at + 7]) + Math.abs(m[at + 8]));
    if (height < low) {
      low = height;
      best = slots[i];
    }
  }
  return best;
}
