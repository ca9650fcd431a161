/**
 * Reads an expression such as `0.1 * sin(8*x) * cos(8*y)` as a function of a point and the time:
 * polynomials of low degree, which become leaves, and instructions over these.
 *
 *     sum      = product { ("+" | "-") product }
 *     product  = signed { ("*" | "/") signed }
 *     signed   = ("+" | "-") signed | power
 *     power    = atom [ "^" signed ]
 *     atom     = number | "pi" | "x" | "y" | "z" | "t" | "(" sum ")" | name "(" sum { "," sum } ")"
 *
 * So -x^2 is -(x^2), 2^-x is 2^(-x), and x^y^z is x^(y^z).
 *
 * Constants are folded in plain doubles, and polynomials multiplied out up to degree 4: a quartic
 * has 35 coefficients, one of degree 12 has 455. Factors and signs go into amounts, so that the
 * negative of an expression is one of the same length.
 */
import { FormatError } from '../../../base/errors.ts';
import { type Path, pathText } from '../../../base/json-messages.ts';
import { quoted } from '../../../base/printable.ts';
import { LARGEST_EXPONENT } from '../../../math/exponential.ts';
import { LARGEST_ANGLE } from '../../../math/sine.ts';
import { LARGEST_POWER, OP } from '../tree/program.ts';
import { evaluateFunction } from '../tree/taylor.ts';
import type { Affine } from './placement.ts';

const MOST_NESTED = 64;
const MOST_EXPANDED = 4;

/** Coefficients of u^i v^j w^k t^l in the model cube, by `keyOf(i, j, k, l)`. */
export interface PolynomialTerm {
  terms: Map<number, number>;
}

/** An instruction: the amount is 1 for products, sums, minima and maxima. */
export interface OperationTerm {
  op: number;
  amount: number;
  exponent: number;
  parts: Term[];
  /** True for a minimum or maximum of its one part and the negative of that. */
  isSymmetric?: boolean;
}

export type Term = PolynomialTerm | OperationTerm;

const keyOf = (i: number, j: number, k: number, l: number): number => i + 16 * j + 256 * k + 4096 * l;

/** Returns [c, i, j, k, l] of each term. */
export const termsOf = ({ terms }: PolynomialTerm): number[][] =>
  Array.from(terms, ([key, c]) => [c, key & 15, (key >> 4) & 15, (key >> 8) & 15, key >> 12]);

export const isPolynomial = (term: Term): term is PolynomialTerm => 'terms' in term;

const constant = (value: number): PolynomialTerm => ({ terms: new Map(value === 0 ? [] : [[0, value]]) });

/** The value of a constant; null for others. */
function constantOf(term: Term): number | null {
  if (!isPolynomial(term) || term.terms.size > 1) return null;
  return term.terms.size === 0 ? 0 : (term.terms.get(0) ?? null);
}

function degreeOf({ terms }: PolynomialTerm): number {
  let most = 0;
  for (const key of terms.keys()) most = Math.max(most, (key & 15) + ((key >> 4) & 15) + ((key >> 8) & 15), key >> 12);
  return most;
}

const operation = (op: number, parts: Term[], exponent = 0): OperationTerm => ({ op, amount: 1, exponent, parts });

function added(a: Term, b: Term): Term {
  const partsOf = (term: Term): Term[] => (!isPolynomial(term) && term.op === OP.SUM ? term.parts : [term]);
  const parts = [...partsOf(a), ...partsOf(b)];
  const terms = new Map<number, number>();
  for (const part of parts) {
    if (!isPolynomial(part)) continue;
    for (const [key, c] of part.terms) terms.set(key, (terms.get(key) ?? 0) + c);
  }
  for (const [key, c] of terms) if (c === 0) terms.delete(key);
  const others = parts.filter((part) => !isPolynomial(part));
  if (others.length === 0) return { terms };
  const all = terms.size > 0 ? [...others, { terms }] : others;
  return all.length === 1 ? all[0] : operation(OP.SUM, all);
}

/** Applies a factor, or a divisor, to amounts and coefficients. */
function scaled(term: Term, by: number, divides = false): Term {
  const times = (x: number): number => (divides ? x / by : x * by);
  if (by === 1) return term;
  if (isPolynomial(term)) {
    const terms = new Map<number, number>();
    for (const [key, c] of term.terms) if (times(c) !== 0) terms.set(key, times(c));
    return { terms };
  }
  const { op, parts, amount } = term;
  if (by === 0) return constant(0);
  if (op === OP.PRODUCT) return { ...term, parts: [scaled(parts[0], by, divides), ...parts.slice(1)] };
  if (op === OP.SUM) return parts.map((part) => scaled(part, by, divides)).reduce(added);
  if (op === OP.INTERSECTION || op === OP.UNION) {
    const turned = op === OP.UNION ? OP.INTERSECTION : OP.UNION;
    return { ...term, op: by > 0 ? op : turned, parts: parts.map((part) => scaled(part, by, divides)) };
  }
  return times(amount) === 0 ? constant(0) : { ...term, amount: times(amount) };
}

export const negative = (term: Term): Term => scaled(term, -1);

function multiplied(a: Term, b: Term): Term {
  const [p, q] = [constantOf(a), constantOf(b)];
  if (p !== null) return scaled(b, p);
  if (q !== null) return scaled(a, q);
  if (!isPolynomial(a) || !isPolynomial(b)) return operation(OP.PRODUCT, [a, b]);
  if (degreeOf(a) + degreeOf(b) > MOST_EXPANDED) return operation(OP.PRODUCT, [a, b]);
  const terms = new Map<number, number>();
  for (const [i, c] of a.terms) for (const [j, d] of b.terms) terms.set(i + j, (terms.get(i + j) ?? 0) + c * d);
  for (const [key, c] of terms) if (c === 0) terms.delete(key);
  return { terms };
}

/** The text of an expression while it is read, and its error messages. */
class Reader {
  #at = 0;
  #start = 0;
  #token = '';
  #depth = 0;

  constructor(
    private readonly text: string,
    private readonly map: Affine,
    private readonly path: Path,
  ) {
    this.#next();
  }

  whole(): Term {
    const term = this.#sum();
    if (this.#token !== '') throw this.#refusal('an operator, or the end,');
    return term;
  }

  #next(): void {
    const token = /\s*(\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?|[A-Za-z_]\w*|[-+*/^(),]|$)/y;
    token.lastIndex = this.#at;
    const found = token.exec(this.text);
    if (found === null) {
      this.#start = this.text.length - this.text.slice(this.#at).trimStart().length;
      this.#token = String.fromCodePoint(this.text.codePointAt(this.#start) as number);
      throw this.#refusal('a number, a name or one of + - * / ^ ( ) ,');
    }
    this.#token = found[1];
    this.#at = token.lastIndex;
    this.#start = this.#at - this.#token.length;
  }

  #takes(token: string): boolean {
    if (this.#token !== token) return false;
    this.#next();
    return true;
  }

  #require(token: string): void {
    if (!this.#takes(token)) throw this.#refusal(token);
  }

  #refusal(
    expected: string,
    found = this.#token === '' ? 'the end' : quoted(this.#token),
    at = this.#start,
  ): FormatError {
    return new FormatError(null, `${expected} at character ${at + 1} of ${pathText(this.path)}`, found);
  }

  #sum(): Term {
    let term = this.#product();
    for (;;) {
      if (this.#takes('+')) term = added(term, this.#product());
      else if (this.#takes('-')) term = added(term, negative(this.#product()));
      else return term;
    }
  }

  #product(): Term {
    let term = this.#signed();
    for (;;) {
      const at = this.#start;
      if (this.#takes('*')) term = multiplied(term, this.#signed());
      else if (this.#takes('/')) term = this.#divided(term, this.#signed(), at);
      else return term;
    }
  }

  #signed(): Term {
    if (++this.#depth > MOST_NESTED) throw this.#refusal(`at most ${MOST_NESTED} levels of brackets and signs`, 'more');
    const isNegative = this.#token === '-';
    const term = this.#takes('-') || this.#takes('+') ? this.#signed() : this.#power();
    this.#depth--;
    return isNegative ? negative(term) : term;
  }

  #power(): Term {
    const base = this.#atom();
    const at = this.#start;
    if (!this.#takes('^')) return base;
    const exponent = this.#signed();
    const p = constantOf(exponent);
    if (p !== null) return this.#raised(base, p, at);
    const b = constantOf(base);
    const log = b === null ? this.#applied(OP.LOGARITHM, base, at) : constant(this.#folded(OP.LOGARITHM, 0, b, at));
    return this.#applied(OP.EXPONENTIAL, multiplied(exponent, log), at);
  }

  #divided(term: Term, by: Term, at: number): Term {
    const divisor = constantOf(by);
    if (divisor === 0) throw this.#refusal('a divisor other than 0', '0', at);
    return divisor === null ? multiplied(term, this.#raised(by, -1, at)) : scaled(term, divisor, true);
  }

  #raised(base: Term, p: number, at: number): Term {
    if (!(Math.abs(p) <= LARGEST_POWER)) throw this.#refusal(`an exponent up to ${LARGEST_POWER}`, `${p}`, at);
    if (p === 0) return constant(1);
    if (p === 1) return base;
    const value = constantOf(base);
    if (value !== null) return constant(this.#folded(OP.POWER, p, value, at));
    if (p > 0 && p === Math.floor(p) && isPolynomial(base) && degreeOf(base) * p <= MOST_EXPANDED) {
      let term: Term = base;
      for (let n = 1; n < p; n++) term = multiplied(term, base);
      return term;
    }
    return operation(OP.POWER, [base], p);
  }

  #applied(op: number, argument: Term, at: number): Term {
    const value = constantOf(argument);
    return value === null ? operation(op, [argument]) : constant(this.#folded(op, 0, value, at));
  }

  #folded(op: number, p: number, x: number, at: number): number {
    const isRoot = op === OP.POWER && p !== Math.floor(p) && x < 0;
    const value = isRoot ? Number.NaN : evaluateFunction(op, p, x);
    if (!Number.isFinite(value)) throw this.#refusal(REFUSED[op] ?? 'constants that have a value', `${x}`, at);
    return value;
  }

  #atom(): Term {
    const token = this.#token;
    if (/^[\d.]/.test(token)) {
      const value = Number(token);
      // A number that is rounded to 0 or to infinity would change the sign of the whole.
      const isLost = value === 0 && /^[0.]*[1-9]/.test(token);
      if (isLost || !Number.isFinite(value)) throw this.#refusal('a number that fits a double');
      this.#next();
      return constant(value);
    }
    if (this.#takes('(')) {
      const term = this.#sum();
      this.#require(')');
      return term;
    }
    if (token === 'pi') {
      this.#next();
      return constant(Math.PI);
    }
    if (Object.hasOwn(VARIABLES, token)) {
      this.#next();
      return this.#variable(VARIABLES[token as keyof typeof VARIABLES]);
    }
    if (!Object.hasOwn(FUNCTIONS, token))
      throw this.#refusal(
        `a number, ${Object.keys(VARIABLES).join(', ')}, pi or one of ${Object.keys(FUNCTIONS).join(', ')}`,
      );
    return this.#call(token as keyof typeof FUNCTIONS);
  }

  #variable(row: number): Term {
    const { map } = this;
    if (row === 3) return { terms: new Map([[keyOf(0, 0, 0, 1), 1]]) };
    const numbers: [number, number][] = [
      [keyOf(1, 0, 0, 0), map[4 * row]],
      [keyOf(0, 1, 0, 0), map[4 * row + 1]],
      [keyOf(0, 0, 1, 0), map[4 * row + 2]],
      [0, map[4 * row + 3]],
      [keyOf(0, 0, 0, 1), map[12 + row]],
    ];
    return { terms: new Map(numbers.filter(([, c]) => c !== 0)) };
  }

  #call(name: keyof typeof FUNCTIONS): Term {
    const at = this.#start;
    this.#next();
    this.#require('(');
    const list = [this.#sum()];
    while (this.#takes(',')) list.push(this.#sum());
    const [least, most] = FUNCTIONS[name];
    if (list.length < least || list.length > most) {
      const count = most === 1 ? '1 argument' : `${least} arguments or more`;
      throw this.#refusal(`${count} of ${name}`, `${list.length}`, at);
    }
    this.#require(')');
    const [f] = list;
    switch (name) {
      case 'sin':
        return this.#applied(OP.SINE, f, at);
      case 'cos':
        return this.#applied(OP.COSINE, f, at);
      case 'tan':
        return this.#divided(this.#applied(OP.SINE, f, at), this.#applied(OP.COSINE, f, at), at);
      case 'exp':
        return this.#applied(OP.EXPONENTIAL, f, at);
      case 'log':
        return this.#applied(OP.LOGARITHM, f, at);
      case 'sqrt':
        return this.#raised(f, 0.5, at);
      case 'abs':
        return absolute(f);
      case 'min':
        return list.reduce((a, b) => extreme(OP.INTERSECTION, a, b));
      default:
        return list.reduce((a, b) => extreme(OP.UNION, a, b));
    }
  }
}

/** By op: the condition on constants whose value exists; others are not computed. */
const REFUSED: Record<number, string> = {
  [OP.EXPONENTIAL]: `exponents of at most ${LARGEST_EXPONENT}`,
  [OP.SINE]: `angles of at most ${LARGEST_ANGLE} radians`,
  [OP.COSINE]: `angles of at most ${LARGEST_ANGLE} radians`,
};

const VARIABLES = { x: 0, y: 1, z: 2, t: 3 };

/** Minimum and maximum number of arguments. */
const FUNCTIONS = {
  sin: [1, 1],
  cos: [1, 1],
  tan: [1, 1],
  exp: [1, 1],
  log: [1, 1],
  sqrt: [1, 1],
  abs: [1, 1],
  min: [2, Number.POSITIVE_INFINITY],
  max: [2, Number.POSITIVE_INFINITY],
};

function absolute(f: Term): Term {
  const value = constantOf(f);
  if (value !== null) return constant(Math.abs(value));
  if (isPolynomial(f)) return operation(OP.UNION, [f, negative(f)]);
  // Without the negative, as nested ones would double it at each level.
  return { ...operation(OP.UNION, [f]), isSymmetric: true };
}

function extreme(op: number, a: Term, b: Term): Term {
  const [p, q] = [constantOf(a), constantOf(b)];
  if (p !== null && q !== null) return constant(op === OP.UNION ? Math.max(p, q) : Math.min(p, q));
  return operation(op, [a, b]);
}

/**
 * Reads an expression in the coordinates of a shape.
 *
 * @param map leads from the model cube into the shape's coordinates
 * @throws FormatError with the character that is wrong
 */
export const readExpression = (text: string, map: Affine, path: Path): Term => new Reader(text, map, path).whole();
