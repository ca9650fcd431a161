/**
 * Builds the closed complement of a functionally defined solid: F <= 0, or beyond the domain.
 * Points outside of the complement are strictly inside the solid.
 *
 * Every instruction's negative is one of the same kind over negatives: leaves and amounts with the
 * other sign, minima for maxima. A perturbing function keeps its sign, so an instruction with both
 * uses occurs twice.
 */
import { type FrepObject, isBlend, isLeaf, numbersOfLeaf, OP, type Program, timesOf } from './program.ts';

const outsides = new WeakMap<FrepObject, FrepObject>();

/** Returns the complement, for searches only; the same one for the same object. */
export function outsideOfFrep(object: FrepObject): FrepObject {
  let outside = outsides.get(object);
  if (!outside) {
    outside = { ...object, program: negativeOf(object.program), isOutside: true };
    outsides.set(object, outside);
  }
  return outside;
}

export function isSameFrep(a: FrepObject, b: FrepObject): boolean {
  const [p, q] = [a.program, b.program];
  return (
    a.half === b.half &&
    areEqual(a.center, b.center) &&
    areEqual(a.domain, b.domain) &&
    areEqual(timesOf(a), timesOf(b)) &&
    (p === q ||
      (areEqual(p.ops, q.ops) &&
        areEqual(p.left, q.left) &&
        areEqual(p.right, q.right) &&
        areEqual(p.third, q.third) &&
        areEqual(p.numbers, q.numbers)))
  );
}

function areEqual(a: ArrayLike<number>, b: ArrayLike<number>): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

const negatives = new WeakMap<Program, Program>();

const NEGATIVES: readonly number[] = [
  0,
  1,
  2,
  OP.SUM,
  OP.PERTURBATION,
  OP.UNION,
  OP.INTERSECTION,
  OP.MEET,
  OP.JOIN,
  OP.TIMED,
];

const PLAIN = 0;
const NEGATED = 1;

function negativeOf(program: Program): Program {
  let negative = negatives.get(program);
  if (!negative) {
    negative = write(program, findAsked(program));
    negatives.set(program, negative);
  }
  return negative;
}

function findAsked({ ops, left, right }: Program): Uint8Array {
  const asked = new Uint8Array(2 * ops.length);
  asked[2 * (ops.length - 1) + NEGATED] = 1;
  for (let i = ops.length - 1; i >= 0; i--) {
    if (isLeaf(ops[i])) continue;
    for (let sign = PLAIN; sign <= NEGATED; sign++) {
      if (asked[2 * i + sign] === 0) continue;
      asked[2 * left[i] + sign] = 1;
      asked[2 * right[i] + (ops[i] === OP.PERTURBATION ? PLAIN : sign)] = 1;
    }
  }
  return asked;
}

function write({ ops, left, right, third, numbers }: Program, asked: Uint8Array): Program {
  const out = { ops: [] as number[], left: [] as number[], right: [] as number[], third: [] as number[] };
  const written: number[] = [];
  const numberOf = new Uint32Array(asked.length);
  const push = (op: number, l: number, r: number, t: number): number => {
    out.left.push(l);
    out.right.push(r);
    out.third.push(t);
    return out.ops.push(op) - 1;
  };
  for (let i = 0; i < ops.length; i++) {
    for (let sign = PLAIN; sign <= NEGATED; sign++) {
      if (asked[2 * i + sign] === 0) continue;
      const op = ops[i];
      const start = written.length;
      if (isLeaf(op)) {
        const count = numbersOfLeaf(op, right[i]);
        for (let k = 0; k < count; k++) {
          const isNegated = sign === NEGATED && (op !== OP.WAVES || k % 5 === 0);
          written.push(isNegated ? -numbers[left[i] + k] : numbers[left[i] + k]);
        }
        const frequencies = op === OP.WAVES && third[i] !== 0 ? written.length : 0;
        if (frequencies > 0) for (let k = 0; k < right[i]; k++) written.push(numbers[third[i] + k]);
        numberOf[2 * i + sign] = push(op, start, right[i], frequencies);
        continue;
      }
      const f = numberOf[2 * left[i] + sign];
      const isPerturbation = op === OP.PERTURBATION;
      const g = numberOf[2 * right[i] + (isPerturbation ? PLAIN : sign)];
      if (isPerturbation || isBlend(op)) written.push(sign === NEGATED ? -numbers[third[i]] : numbers[third[i]]);
      if (isBlend(op)) written.push(numbers[third[i] + 1], numbers[third[i] + 2]);
      const own = written.length > start ? start : 0;
      numberOf[2 * i + sign] = push(sign === NEGATED ? NEGATIVES[op] : op, f, g, own);
    }
  }
  return {
    ops: Uint8Array.from(out.ops),
    left: Uint32Array.from(out.left),
    right: Uint32Array.from(out.right),
    third: Uint32Array.from(out.third),
    numbers: Float64Array.from(written),
  };
}
