/**
 * The seed paper's own search for a common point of functionally defined solids, to the letter, and
 * the proved verdict beside its answer.
 *
 * S. Vyatkin, B. Dolgovesov, "Collision Detection of Functionally Defined Objects for Constant
 * Time", section 3.3. The cube of +-1 in which the intersection is embedded is a's model cube. Its
 * side at z = -1 is the screen. Each step cuts a bar into four (compressed twice and shifted by +-1
 * along x and y), and drops those that a test calls outside of one solid. After `a` steps a bar is
 * one of 2^a by 2^a slices. A slice is halved along z, from the near end, a times, until its first
 * point is met. With m the sum of the sizes of a quadric's coefficients but A44:
 *
 *     test 8     m < |A44|: no zero; the cell is inside if A44 >= 0, else outside
 *     test 9     A44 + R < 0 and m < -(A44 + R): outside of a freeform, R being the most that its
 *                perturbations add on the cell
 *     test 10    m < |A44| of a perturbing quadric: the cell is outside of its range, and it adds
 *                nothing to R
 *
 * Our reading, where the paper leaves it open:
 *   - Test 10 lacks A44 < 0. As printed, it drops perturbations that are positive all over a cell,
 *     too, so contacts are missed.
 *   - "With smaller number of coefficients", along z: only A33, A34 and A44 are left on the ray
 *     through the middle of a slice.
 *   - R is amount (m + A44)^2. For a dent, whose amount is below 0, R is 0: its Q may be 0 if test
 *     10 lets the perturbation pass.
 *   - A perturbed Q adds its own R to A44 in test 10, as in test 9. Unions and intersections pass
 *     on the member that decides. A polynomial takes all its coefficients, as section 3.3.1 says.
 *   - No step uses a bounding volume, so the domains of our solids take no part.
 *
 * No rounding is counted and test 10 is wrong, so these answers prove nothing. A verdict is
 * `contact` only if a point of both is proved, and `clear` only if our own search proves it.
 */

import { OptionError } from '../../../base/errors.ts';
import { relativePose } from '../../../engine/pair-kernel.ts';
import type { Outcome, Query, SeedSearch, UnprovedAnswer } from '../../../engine/records.ts';
import { reachOfFrep } from '../tree/cell-function.ts';
import { halvePolynomial, substitutePolynomial } from '../tree/polynomial.ts';
import { type FrepObject, isLeaf, type Leaf, numbersOfLeaf, OP, OP_NAMES, type Program } from '../tree/program.ts';
import { halveQuadric, substituteQuadric } from '../tree/quadric.ts';
import { checkFreps, commonPoint, holdsPoint } from './descent.ts';

const MOST_CELLS = 2 ** 24;
const MOST_LISTED = 2 ** 20;

const map = new Float64Array(12);
/** A leaf for one call of a kernel. */
const leaf: Leaf = { numbers: new Float64Array(0), at: 0, size: 0 };

/** A solid in the coordinates of cells. */
interface Side {
  program: Program;
  /** The index in `cells` at which each leaf's coefficients start. */
  at: Int32Array;
  length: number;
  /** By depth; made when the search first gets there. */
  cells: Float64Array[];
  between: Float64Array;
  /** By instruction, in the last tested cell: A44 with R added, and m. */
  middle: Float64Array;
  most: Float64Array;
  /** Number of tests of a cell. */
  tests: SeedSearch['tests'];
}

export interface SeedOptions {
  /** The `a` of 2^a by 2^a slices. */
  resolution: number;
  /** True for the first point of every slice. */
  all?: boolean;
  mostCells?: number;
  mostPoints?: number;
  /** Receives each point with its half extent along z; default: lists them. */
  onPoint?: (x: number, y: number, z: number, half: number) => void;
}

/** A solid's program, and where it is: u = M u' + t, 12 numbers, with u' in the cube of +-1. */
export interface PlacedProgram {
  program: Program;
  map: Float64Array;
}

interface Run extends Omit<SeedSearch, 'answer' | 'complete'> {
  sides: Side[];
  all: boolean;
  mostCells: number;
  mostPoints: number;
  onPoint: SeedOptions['onPoint'];
  hasGivenUp: boolean;
}

/** Returns the place of b's program in a's model cube. */
export function placeInCube(a: FrepObject, b: FrepObject, { poseA, poseB }: Query): Float64Array {
  const { map: t } = relativePose(poseB, poseA, reachOfFrep(b), reachOfFrep(a));
  const into = new Float64Array(12);
  for (let i = 0; i < 3; i++) {
    let at = t[4 * i + 3] - b.center[i];
    for (let j = 0; j < 3; j++) {
      at += t[4 * i + j] * a.center[j];
      into[4 * i + j] = (t[4 * i + j] * a.half) / b.half;
    }
    into[4 * i + 3] = at / b.half;
  }
  return into;
}

/** @throws OptionError for functions that the paper's tests don't cover */
export function requireSeed({ program }: FrepObject, name: string): void {
  const { ops } = program;
  for (let i = 0; i < ops.length; i++) {
    const isCovered = ops[i] === OP.QUADRIC || ops[i] === OP.POLYNOMIAL || ops[i] === OP.PERTURBATION;
    if (isCovered || ops[i] === OP.INTERSECTION || ops[i] === OP.UNION) continue;
    const covered = 'quadrics, polynomials, perturbations, unions and intersections';
    throw new OptionError(`search seed: expected ${covered} in ${name}, found ${OP_NAMES[ops[i]]} (instruction ${i})`);
  }
}

/**
 * Searches the cube of +-1 for points of any number of solids, as printed. Points are in the cube.
 *
 * @param solids solids that `requireSeed` accepts
 */
export function searchAsSeed(solids: readonly PlacedProgram[], options: SeedOptions): SeedSearch {
  const { resolution, all = false, mostCells = MOST_CELLS, mostPoints = MOST_LISTED, onPoint } = options;
  const run: Run = {
    ...{ resolution, cells: 0, tests: { quadric: 0, freeform: 0, perturbation: 0 }, slices: 0, points: [] },
    ...{ sides: solids.map(sideOf), all, mostCells, mostPoints, onPoint },
    // Without a step there is no slice to look at.
    hasGivenUp: resolution === 0,
  };
  const hasEnded = run.hasGivenUp || splitScreen(run, 0, 0, 0);
  const { cells, tests, slices, points, hasGivenUp } = run;
  const answer = points.length > 0 ? 'found' : hasGivenUp ? 'unfinished' : 'none';
  return { answer, complete: !hasEnded, resolution, cells, tests, slices, points };
}

function sideOf({ program, map: place }: PlacedProgram): Side {
  const { ops, left, right, numbers } = program;
  const at = new Int32Array(ops.length);
  let length = 0;
  for (let i = 0; i < ops.length; i++) {
    if (!isLeaf(ops[i])) continue;
    at[i] = length;
    length += numbersOfLeaf(ops[i], right[i]);
  }
  const cells = [new Float64Array(length)];
  for (let i = 0; i < ops.length; i++) {
    if (!isLeaf(ops[i])) continue;
    const substitute = ops[i] === OP.QUADRIC ? substituteQuadric : substitutePolynomial;
    substitute(leafOf(numbers, left[i], right[i]), place, 0, cells[0], at[i]);
  }
  return {
    ...{ program, at, length, cells, between: new Float64Array(length), tests: testsOf(program) },
    ...{ middle: new Float64Array(ops.length), most: new Float64Array(ops.length) },
  };
}

function leafOf(numbers: Float64Array, at: number, size: number): Leaf {
  leaf.numbers = numbers;
  leaf.at = at;
  leaf.size = size;
  return leaf;
}

const PLAIN = 1;
const PERTURBED = 2;
const PERTURBING = 4;

/** Counts the tests of a cell: of bases with and without perturbations, of perturbations. */
function testsOf({ ops, left, right }: Program): SeedSearch['tests'] {
  const roles = new Uint8Array(ops.length);
  const tests = { quadric: 0, freeform: 0, perturbation: 0 };
  roles[ops.length - 1] = PLAIN;
  for (let i = ops.length - 1; i >= 0; i--) {
    if (isLeaf(ops[i])) {
      if (roles[i] & PLAIN) tests.quadric++;
      if (roles[i] & PERTURBED) tests.freeform++;
    } else if (ops[i] === OP.PERTURBATION) {
      tests.perturbation++;
      // A perturbed Q is tested by test 10, with its R, and by no other.
      roles[left[i]] |= roles[i] === PERTURBING ? PERTURBING : PERTURBED;
      roles[right[i]] |= PERTURBING;
    } else {
      roles[left[i]] |= roles[i];
      roles[right[i]] |= roles[i];
    }
  }
  return tests;
}

/** Cuts a bar of the screen into four. Returns true if the search ends. */
function splitScreen(run: Run, level: number, x: number, y: number): boolean {
  const half = 2 ** -(level + 1);
  for (let quarter = 0; quarter < 4; quarter++) {
    const [toX, toY] = [quarter & 1 ? 1 : -1, quarter & 2 ? 1 : -1];
    if (run.cells >= run.mostCells) return giveUp(run);
    if (!isCrossed(run, level, toX, toY, 0)) continue;
    const [atX, atY] = [x + toX * half, y + toY * half];
    const isLast = level + 1 === run.resolution;
    if (isLast ? lookAlong(run, atX, atY) : splitScreen(run, level + 1, atX, atY)) return true;
  }
  return false;
}

/** Finds the first point of a slice. Returns true if the search ends. */
function lookAlong(run: Run, x: number, y: number): boolean {
  run.slices++;
  const z = firstAlong(run, run.resolution, 0);
  if (Number.isNaN(z)) return run.hasGivenUp;
  if (run.points.length === run.mostPoints) return giveUp(run);
  run.points.push([x, y, z]);
  run.onPoint?.(x, y, z, 2 ** -run.resolution);
  return !run.all;
}

/** Returns the middle of the first part of a slice that the tests leave; NaN if there is none. */
function firstAlong(run: Run, depth: number, z: number): number {
  if (depth === 2 * run.resolution) return z;
  const half = 2 ** (run.resolution - depth - 1);
  for (let side = -1; side <= 1; side += 2) {
    if (run.cells >= run.mostCells) {
      giveUp(run);
      return Number.NaN;
    }
    if (!isCrossed(run, depth, 0, 0, side)) continue;
    const at = firstAlong(run, depth + 1, z + side * half);
    if (!Number.isNaN(at) || run.hasGivenUp) return at;
  }
  return Number.NaN;
}

function giveUp(run: Run): boolean {
  run.hasGivenUp = true;
  return true;
}

/** Moves all solids to a part of the cell of `depth`; false if one of them is outside of it. */
function isCrossed(run: Run, depth: number, toX: number, toY: number, toZ: number): boolean {
  run.cells++;
  for (const side of run.sides) {
    const cell = (side.cells[depth + 1] ??= new Float64Array(side.length));
    if (toZ !== 0) halve(side, side.cells[depth], cell, 2, toZ);
    else {
      halve(side, side.cells[depth], side.between, 0, toX);
      halve(side, side.between, cell, 1, toY);
    }
    run.tests.quadric += side.tests.quadric;
    run.tests.freeform += side.tests.freeform;
    run.tests.perturbation += side.tests.perturbation;
    if (isOutside(side, cell, toZ !== 0)) return false;
  }
  return true;
}

function halve({ program, at }: Side, from: Float64Array, to: Float64Array, axis: number, side: number): void {
  const { ops, right } = program;
  for (let i = 0; i < ops.length; i++) {
    if (!isLeaf(ops[i])) continue;
    const half = ops[i] === OP.QUADRIC ? halveQuadric : halvePolynomial;
    half(leafOf(from, at[i], right[i]), axis, side, to, at[i]);
  }
}

function isOutside({ program, at, middle, most }: Side, cell: Float64Array, isRay: boolean): boolean {
  const { ops, left, right, third, numbers } = program;
  const last = ops.length - 1;
  for (let i = 0; i <= last; i++) {
    const f = left[i];
    const g = right[i];
    if (ops[i] === OP.QUADRIC) {
      middle[i] = cell[at[i] + 9];
      most[i] = isRay ? Math.abs(cell[at[i] + 2]) + Math.abs(cell[at[i] + 8]) : sumOfSizes(cell, at[i], 9);
    } else if (ops[i] === OP.POLYNOMIAL) {
      // Coefficients of 1, z, z^2 and so on come first.
      middle[i] = cell[at[i]];
      most[i] = sumOfSizes(cell, at[i] + 1, (isRay ? g + 1 : numbersOfLeaf(OP.POLYNOMIAL, g)) - 1);
    } else if (ops[i] === OP.PERTURBATION) {
      const isOutOfRange = most[g] < Math.abs(middle[g]); // test 10, as printed
      const amount = numbers[third[i]];
      const highest = middle[g] + most[g];
      middle[i] = middle[f] + (isOutOfRange || amount < 0 ? 0 : amount * highest * highest);
      most[i] = most[f];
    } else {
      const isLeftLower = middle[f] + most[f] <= middle[g] + most[g];
      const member = isLeftLower === (ops[i] === OP.INTERSECTION) ? f : g;
      middle[i] = middle[member];
      most[i] = most[member];
    }
  }
  return middle[last] < 0 && most[last] < -middle[last]; // tests 8 and 9
}

function sumOfSizes(numbers: Float64Array, from: number, count: number): number {
  let sum = 0;
  for (let i = from; i < from + count; i++) sum += Math.abs(numbers[i]);
  return sum;
}

/** The answer of the paper's search, and the proved verdict. */
export function checkBySeed(a: FrepObject, b: FrepObject, query: Query): Outcome {
  const finest = Math.max(a.resolution, b.resolution);
  const resolution = Math.min(finest, query.level ?? finest);
  map.fill(0);
  for (let k = 0; k < 3; k++) map[5 * k] = 1;
  let proved: number[] | null = null;
  const seed = searchAsSeed(
    [
      { program: a.program, map },
      { program: b.program, map: placeInCube(a, b, query) },
    ],
    {
      ...{ resolution, all: query.all, mostCells: Math.min(query.mostCells ?? MOST_CELLS, MOST_CELLS) },
      mostPoints: Math.min(query.maxContacts, MOST_LISTED),
      // The first part of a slice may only hold the surface at its far end.
      onPoint: (x, y, z, half) => {
        for (const at of [z, z + half, z - half])
          if (!proved && holdsPoint(a, b, query, [x, y, at])) proved = [x, y, at];
      },
    },
  );
  const points = seed.points.map((at) => commonPoint(a, query, at));
  const outcome = provedBeside(a, b, query, { ...seed, proved, bounds: seed.cells });
  return { ...outcome, level: resolution, seed: { ...seed, points } };
}

/** A search without proofs: its answer, a point of a's model cube that is proved, its effort. */
interface Unproved {
  answer: UnprovedAnswer;
  /** True if all of it was searched. */
  complete: boolean;
  proved: number[] | null;
  bounds: number;
}

/**
 * Returns the proved verdict for the answer of a search that proves nothing. Unless a point is
 * proved, our own search is asked. If the unproved search found nothing, the verdict is never
 * corrected to `contact`, but left `undecided`.
 */
export function provedBeside(
  a: FrepObject,
  b: FrepObject,
  query: Query,
  { answer, complete, proved, bounds }: Unproved,
): Outcome {
  const isComplete = query.all && complete;
  if (proved) {
    query.onContact?.(0, 0);
    return {
      verdict: 'contact',
      contacts: { count: 1, complete: isComplete, pairs: [[0, 0]] },
      ...{ point: commonPoint(a, query, proved), level: 0, tests: { bounds, hulls: 0 } },
    };
  }
  const own = checkFreps(a, b, { ...query, all: false, onContact: undefined, own: undefined });
  const tests = { bounds: bounds + own.tests.bounds, hulls: 0 };
  const isFound = own.verdict === 'contact' && answer === 'found';
  if (isFound) query.onContact?.(0, 0);
  const verdict = own.verdict === 'contact' && !isFound ? 'undecided' : own.verdict;
  return {
    verdict,
    contacts: {
      count: isFound ? 1 : 0,
      complete: isFound ? isComplete : verdict === 'clear',
      pairs: isFound ? [[0, 0]] : [],
    },
    ...{ level: own.level, tests, ...(isFound && own.point && { point: own.point }) },
  };
}
