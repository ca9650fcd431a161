/**
 * Proves that a program has a value at every point of a domain: no divisor is 0, no logarithm has
 * an argument of 0 or less, and no angle or exponent is too large for bounds.
 *
 * Cells are halved until the bounds of the argument prove it (taylor.ts), the largest first. A root
 * of a function below 0 counts as 0 in a program. An expression's author may not expect that, so a
 * cell where it is proved to be below 0 is reported, too. If it is only possible, the root is 0.
 */
import { LARGEST_EXPONENT, SMALLEST_NORMAL } from '../../../math/exponential.ts';
import { LARGEST_ANGLE } from '../../../math/sine.ts';
import { CellFunction } from './cell-function.ts';
import { OP, type Program } from './program.ts';

const MOST_CELLS = 2 ** 14;
const MOST_CELLS_OF_ROOTS = 2 ** 10;
/** Most instructions to bound, of all cells together: a second or so. */
const MOST_WORK = 2 ** 23;

/** The first instruction without a value, or that may be without one. */
export interface Undefined {
  instruction: number;
  expected: string;
  found: string;
  /** Middle of a cell in the model cube. */
  place: [number, number, number];
  time: number;
  /** True if it is proved, false if the opposite cannot be. */
  isProved: boolean;
}

interface Condition {
  instruction: number;
  argument: number;
  expected: string;
  found: string;
  holds(low: number, high: number): boolean;
  fails(low: number, high: number): boolean;
}

/**
 * Returns an instruction without a value at some place and time of the domain and span, or null.
 */
export function undefinedIn(
  program: Program,
  domain: readonly [number, number, number],
  span: readonly [number, number],
): Undefined | null {
  const all = conditionsOf(program);
  const [roots, others] = [all.filter(isRoot), all.filter((condition) => !isRoot(condition))];
  const first = others.length > 0 ? search(program, domain, span, others, MOST_CELLS) : null;
  if (first || roots.length === 0) return first;
  const found = search(program, domain, span, roots, MOST_CELLS_OF_ROOTS);
  return found?.isProved ? found : null;
}

const ROOT = 'roots of numbers of 0 or more';
const isRoot = ({ expected }: Condition): boolean => expected === ROOT;

function conditionsOf({ ops, left, third, numbers }: Program): Condition[] {
  const conditions: Condition[] = [];
  ops.forEach((op, instruction) => {
    const condition = conditionOf(op, op === OP.POWER ? numbers[third[instruction] + 1] : 0);
    if (condition) conditions.push({ instruction, argument: left[instruction], ...condition });
  });
  return conditions;
}

function conditionOf(op: number, p: number): Omit<Condition, 'instruction' | 'argument'> | null {
  const above0 = {
    found: 'one of 0 or less',
    holds: (low: number) => low >= SMALLEST_NORMAL,
    fails: (_: number, high: number) => high <= 0,
  };
  const within = (most: number) => ({
    found: 'a larger one',
    holds: (low: number, high: number) => low >= -most && high <= most,
    fails: (low: number, high: number) => low > most || high < -most,
  });
  switch (op) {
    case OP.POWER: {
      if (p === Math.floor(p)) {
        if (p > 0) return null;
        const holds = (low: number, high: number) => low > 0 || high < 0;
        return { expected: 'a divisor other than 0', found: '0', holds, fails: () => false };
      }
      if (p < 0) return { expected: 'powers of numbers above 0', ...above0 };
      return {
        expected: ROOT,
        found: 'one of a number below 0',
        holds: (low) => low >= 0,
        fails: (_, high) => high < 0,
      };
    }
    case OP.LOGARITHM:
      return { expected: 'logarithms of numbers above 0', ...above0 };
    case OP.SINE:
    case OP.COSINE:
      return { expected: `angles of at most ${LARGEST_ANGLE} radians`, ...within(LARGEST_ANGLE) };
    case OP.EXPONENTIAL:
      return {
        expected: `exponents of at most ${LARGEST_EXPONENT}`,
        found: 'a larger one',
        holds: (_, high) => high <= LARGEST_EXPONENT,
        fails: (low) => low > LARGEST_EXPONENT,
      };
    default:
      return null;
  }
}

function search(
  program: Program,
  domain: readonly [number, number, number],
  [begin, end]: readonly [number, number],
  conditions: readonly Condition[],
  mostCells: number,
): Undefined | null {
  const most = Math.max(1, Math.min(mostCells, Math.floor(MOST_WORK / program.ops.length)));
  const cell = new CellFunction(program, null);
  const map = new Float64Array(12);
  // Middle and half extents along x, y, z and t.
  const cells: number[][] = [[0, 0, 0, begin / 2 + end / 2, ...domain, end / 2 - begin / 2]];
  const longest = [...domain, end / 2 - begin / 2];
  let open: Undefined | null = null;
  for (let at = 0; at < cells.length; at++) {
    const own = cells[at];
    const [x, y, z, time] = own;
    for (let k = 0; k < 3; k++) {
      map[5 * k] = own[4 + k];
      map[4 * k + 3] = own[k];
    }
    // Rounded outward, as halves of times are rounded.
    const reach = own[7] * (1 + 2 ** -40) + 2 ** -50 * Math.abs(time);
    cell.during(Math.max(begin, time - reach), Math.min(end, time + reach));
    cell.start(map, 2 ** -50);
    cell.bound(0);
    let isOpen = false;
    for (const { instruction, argument, expected, found: wrong, holds, fails } of conditions) {
      const [low, high] = [cell.lowers[argument], cell.uppers[argument]];
      if (holds(low, high)) continue;
      const isProved = fails(low, high);
      const words = isProved ? wrong : `perhaps ${wrong}`;
      const found: Undefined = { instruction, expected, found: words, place: [x, y, z], time, isProved };
      if (isProved) return found;
      isOpen = true;
      if (at + 1 >= most) open = found;
    }
    if (open) return open;
    if (!isOpen) continue;
    let axis = 0;
    for (let k = 1; k < 4; k++) if (own[4 + k] / longest[k] > own[4 + axis] / longest[axis]) axis = k;
    for (let side = -1; side <= 1; side += 2) {
      const half = own.slice();
      half[4 + axis] /= 2;
      half[axis] += side * half[4 + axis];
      cells.push(half);
    }
  }
  return null;
}
