/**
 * A functionally defined object as it is stored: instructions over coefficients, in the model cube M.
 *
 * S. Vyatkin, B. Dolgovesov, "Collision Detection of Functionally Defined Objects for Constant Time" (section 3.1: quadrics and perturbation
 * functions; 3.2: set-theoretic operations; 3.3.1: polynomials of higher degree).
 *
 * The model cube: a point x of the asset's frame is u = (x - center) / half, and the domain is |u_k| <= domain_k with domain_k in (0, 1], the
 * largest of them 1. All coefficients are in u. The object is { x : |u_k| <= domain_k and F(u) >= 0 }, with F the value of the last instruction,
 * in exact arithmetic of the coefficients as they are stored: transformations and sugar were folded into them when the object was compiled,
 * and what that rounded is part of its definition.
 *
 * Instruction i reads instructions before it. With f, g the values of `left` and `right`:
 *
 *     QUADRIC        A11 u^2 + A22 v^2 + A33 w^2 + A12 uv + A13 uw + A23 vw + A14 u + A24 v + A34 w + A44; its ten numbers, in this order,
 *                    start at numbers[left]; right is 10
 *     POLYNOMIAL     of total degree d = right, 3 to MOST_DEGREE: the coefficients of u^i v^j w^k, i + j + k <= d, start at numbers[left], ordered
 *                    by i, then j, then k (for d = 1: 1, w, v, u)
 *     WAVES          the sum of right waves a sin(p u + q v + r w + s), 1 or more; a, p, q, r, s of each start at numbers[left]
 *     SUM            f + g
 *     PERTURBATION   f + amount max(g, 0)^2, the amount is numbers[third], not 0
 *     INTERSECTION   min(f, g)
 *     UNION          max(f, g)
 *
 * Complement and difference are none: a negated object is compiled of negated coefficients and amounts, minima for maxima.
 */
import type { AssetHeader } from '../../../query/asset-header.ts';

export const OP = { QUADRIC: 0, POLYNOMIAL: 1, WAVES: 2, SUM: 3, PERTURBATION: 4, INTERSECTION: 5, UNION: 6 } as const;

/** What instructions are called, by their code. */
export const OP_NAMES = ['quadric', 'polynomial', 'waves', 'sum', 'perturbation', 'intersection', 'union'] as const;

export const MOST_DEGREE = 12;
export const MOST_INSTRUCTIONS = 2 ** 16;
export const MOST_NUMBERS = 2 ** 22;
/** No coefficient or amount is larger than this, so that nothing computed of them overflows. */
export const LARGEST_NUMBER = 1e60;
/** Of p, q, r and s of a wave. */
export const LARGEST_PHASE = 2 ** 16;

export interface Program {
  /** OP code of every instruction. */
  ops: Uint8Array;
  left: Uint32Array;
  right: Uint32Array;
  /** Of a PERTURBATION where its amount is in `numbers`; else 0. */
  third: Uint32Array;
  numbers: Float64Array;
}

export interface FrepObject {
  representation: 'frep';
  center: [number, number, number];
  /** Above 0: model units to a unit of u. */
  half: number;
  domain: [number, number, number];
  program: Program;
  /** What the source calls each instruction: 'sphere', 'torus', or a name that its author gave; '' where it calls it nothing. */
  names: string[];
  header: AssetHeader;
  /** Searched to 2^resolution cells along an axis; not stored. */
  resolution: number;
}

export const DEFAULT_RESOLUTION = 10;
export const MOST_RESOLUTION = 20;

/** Whether an instruction has coefficients and no arguments. */
export const isLeaf = (op: number): boolean => op <= OP.WAVES;

/** How many coefficients a polynomial of total degree d has: those of u^i v^j w^k with i + j + k <= d. */
export const coefficientsOf = (d: number): number => ((d + 1) * (d + 2) * (d + 3)) / 6;

/** How many numbers a leaf has. */
export function numbersOfLeaf(op: number, right: number): number {
  if (op === OP.QUADRIC) return 10;
  return op === OP.POLYNOMIAL ? coefficientsOf(right) : 5 * right;
}
