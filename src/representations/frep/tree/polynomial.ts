/**
 * Polynomials of a total degree d in the coordinates of a cell: re-expressed once, halved by
 * additions, and bounded by a quadric.
 *
 * S. Vyatkin, B. Dolgovesov, "Collision Detection of Functionally Defined Objects for Constant
 * Time", section 3.3.1; the arguments are as in cell-function.ts. The shift by one is W. G.
 * Horner's repeated synthetic division. A term of higher degree is replaced by the part of at most
 * second degree of its Chebyshev series (C. Lanczos's economization, "Applied Analysis" 1956, VII).
 * That leaves a quarter of u^3 and an eighth of u^4.
 *
 * Letters: e = 2^-53; f_ijk the coefficient of u^i v^j w^k; r_k the sum of the absolute values of
 * the map's row k; F^(r) the majorant,
 *   sum |f_ijk| r_1^i r_2^j r_3^k.
 *
 * Substitution. Nested Horner's schemes in the affine forms X, Y, Z of the map's rows. A step
 * multiplies by a form, coefficient by coefficient
 *   t p + m1 p' + m2 p'' + m3 p''',
 * and adds one number: a term goes through one product and at most four sums. f_ijk takes i + j + k
 * <= d steps, and is added three times to what it joins. So there are no more than
 *   N = 5d + 3 <= 63
 * roundings, and the coefficients are off by N e (1 + 2^-40) times those that the scheme gives for
 * absolute values throughout. These add up to F^(r), a bound on the whole cube. A shift of the
 * argument by s in each coordinate changes F by no more than s times the sum of F^'s partial
 * derivatives at r + s (mean value). F^ and its derivative are sums of non-negative terms with
 * under 100 roundings: 2^-40 covers them. With B = max(1, r + s), all that is computed is below
 *   (sum |f|) B^(d + 1),
 * which is held below 2^996. Underflow costs 2^-1074 for each of under 2^18 products, multiplied by
 * no more than B^(d + 1) later.
 *
 * Halving. Scaling by 2^-n is exact. Then on each line along the axis, pass p = 0, 1, ... adds
 * c_(n+1) to c_n for n from the end down to p. A term c_n moves n times, down the line or on to the
 * next pass, with one rounding each time, after one when it is first added: n + 1 roundings. The
 * shifted absolute values of a line add up to the sum of 2^n |c_n|, that of the coefficients before
 * they were scaled. So the error is no larger than the sum of (n + 1) e |g| over all coefficients
 * g, n being their exponent along the axis. Underflow costs less than 2^12 * 455 * 2^-1074.
 *
 * Model. Chebyshev coefficients of u^i are non-negative and add up to 1, the value at u = 1, and so
 * are their products. Keeping those of total degree <= 2 leaves an error of at most 1 less the kept
 * part. Monomials of even exponents lie in [0, 1]: 1/2 is within 1/2 of them, and is used if it is
 * better. An error is 1/8 at least. A monomial adds less than 3 altogether to the ten numbers,
 * through fewer than 130 roundings: relative to the error, 2^-41. The last sum's rounding is e
 * times the ten numbers.
 */
import { coefficientsOf, type Leaf, MOST_DEGREE } from './program.ts';

const EPSILON = 2 ** -53;
/** Exceeds the relative rounding of sums and products of non-negative terms here. */
const OUTWARD = 1 + 2 ** -36;
const UNDERFLOW = 2 ** -1000;
/** Larger sums of absolute values might overflow. */
const LARGEST = 2 ** 996;

const MOST_COEFFICIENTS = coefficientsOf(MOST_DEGREE);

export function coefficientAt(d: number, i: number, j: number, k: number): number {
  const left = d - i;
  return coefficientsOf(d) - coefficientsOf(left) + j * (left + 1) - (j * (j - 1)) / 2 + k;
}

/**
 * Monomials are in graded order, so a polynomial of lower degree is a prefix of one of higher
 * degree. `DOWN_*` is the index of a monomial divided by a coordinate; index NOWHERE always holds
 * 0.
 */
const NOWHERE = MOST_COEFFICIENTS;
const DOWN_U = new Int32Array(MOST_COEFFICIENTS);
const DOWN_V = new Int32Array(MOST_COEFFICIENTS);
const DOWN_W = new Int32Array(MOST_COEFFICIENTS);
/** BELOW[e] is the number of monomials with total degree < e. */
const BELOW = new Int32Array(MOST_DEGREE + 2);
const EXPONENTS = new Uint8Array(3 * MOST_COEFFICIENTS);

function gradedAt(i: number, j: number, k: number): number {
  const e = i + j + k;
  const left = e - i;
  return BELOW[e] + ((e + 1) * (e + 2) - (left + 1) * (left + 2)) / 2 + j;
}

/** Fills the four tables above, before the first of `tablesOf`. */
function fillOrder(): void {
  for (let e = 0; e <= MOST_DEGREE; e++) BELOW[e + 1] = coefficientsOf(e);
  for (const down of [DOWN_U, DOWN_V, DOWN_W]) down.fill(NOWHERE);
  for (let e = 0; e <= MOST_DEGREE; e++) {
    for (let i = 0; i <= e; i++) {
      for (let j = 0; j <= e - i; j++) {
        const k = e - i - j;
        const at = gradedAt(i, j, k);
        EXPONENTS.set([i, j, k], 3 * at);
        if (i > 0) DOWN_U[at] = gradedAt(i - 1, j, k);
        if (j > 0) DOWN_V[at] = gradedAt(i, j - 1, k);
        if (k > 0) DOWN_W[at] = gradedAt(i, j, k - 1);
      }
    }
  }
}

interface Tables {
  count: number;
  stored: Int32Array;
  /** By axis: the additions of the shift, in order, out[to] += out[from]. */
  shiftTo: Int32Array[];
  shiftFrom: Int32Array[];
  /** By axis and coefficient: 2^-n and n + 1. */
  scale: Float64Array[];
  roundings: Float64Array[];
  /** Indices of a quadric's ten coefficients; -1 if the degree has none. */
  quadric: Int32Array;
  /** Terms of higher degree: model[modelTo] += modelFactor * coefficient[modelFrom]. */
  modelTo: Int32Array;
  modelFrom: Int32Array;
  modelFactor: Float64Array;
  modelError: Float64Array;
}

const TABLES: (Tables | undefined)[] = [];

function tablesOf(d: number): Tables {
  if (BELOW[1] === 0) fillOrder();
  const count = coefficientsOf(d);
  const stored = new Int32Array(count);
  const shiftTo: number[][] = [[], [], []];
  const shiftFrom: number[][] = [[], [], []];
  const scale = [0, 1, 2].map(() => new Float64Array(count));
  const roundings = [0, 1, 2].map(() => new Float64Array(count));
  const modelTo: number[] = [];
  const modelFrom: number[] = [];
  const modelFactor: number[] = [];
  const modelError = new Float64Array(count);
  const at = (n: ArrayLike<number>) => coefficientAt(d, n[0], n[1], n[2]);
  for (let a = 0; a < count; a++) {
    const n = EXPONENTS.slice(3 * a, 3 * a + 3);
    const place = at(n);
    stored[a] = place;
    for (let axis = 0; axis < 3; axis++) {
      scale[axis][place] = 2 ** -n[axis];
      roundings[axis][place] = n[axis] + 1;
      if (n[axis] > 0) continue;
      const length = d - n[0] - n[1] - n[2];
      const along = (m: number) => at(n.map((x, k) => (k === axis ? m : x)));
      for (let pass = 0; pass < length; pass++) {
        for (let m = length - 1; m >= pass; m--) {
          shiftTo[axis].push(along(m));
          shiftFrom[axis].push(along(m + 1));
        }
      }
    }
    if (n[0] + n[1] + n[2] <= 2) continue;
    const { parts, error } = economized(n[0], n[1], n[2]);
    modelError[place] = error;
    for (const [to, factor] of parts) {
      modelTo.push(to);
      modelFrom.push(place);
      modelFactor.push(factor);
    }
  }
  return {
    count,
    stored,
    shiftTo: shiftTo.map((x) => Int32Array.from(x)),
    shiftFrom: shiftFrom.map((x) => Int32Array.from(x)),
    scale,
    roundings,
    quadric: Int32Array.from(QUADRIC_EXPONENTS, (n) => (n[0] + n[1] + n[2] <= d ? at(n) : -1)),
    modelTo: Int32Array.from(modelTo),
    modelFrom: Int32Array.from(modelFrom),
    modelFactor: Float64Array.from(modelFactor),
    modelError,
  };
}

// biome-ignore format: degree 2, then 1, then 0
const QUADRIC_EXPONENTS: readonly (readonly number[])[] = [
  [2, 0, 0], [0, 2, 0], [0, 0, 2], [1, 1, 0], [1, 0, 1], [0, 1, 1],
  [1, 0, 0], [0, 1, 0], [0, 0, 1],
  [0, 0, 0],
];

function chebyshev(i: number, n: number): number {
  if (n > i || (i - n) % 2 !== 0) return 0;
  let binomial = 1;
  for (let m = 1; m <= (i - n) / 2; m++) binomial = (binomial * (i - m + 1)) / m;
  return binomial * 2 ** (n === 0 ? -i : 1 - i);
}

/** Returns the quadric that replaces u^i v^j w^k, as [index, value], and its error. All exact. */
function economized(i: number, j: number, k: number): { parts: [number, number][]; error: number } {
  const exponents = [i, j, k];
  const isOdd = exponents.map((n) => n % 2 === 1);
  const product = (orders: number[]) => exponents.reduce((c, n, axis) => c * chebyshev(n, orders[axis]), 1);
  const odd = isOdd.filter(Boolean).length;
  if (odd === 3) return { parts: [], error: 1 };
  if (odd > 0) {
    const orders = isOdd.map(Number);
    const to = QUADRIC_EXPONENTS.findIndex((n) => n.every((x, axis) => x === orders[axis]));
    return { parts: [[to, product(orders)]], error: 1 - product(orders) };
  }
  const constant = product([0, 0, 0]);
  const seconds = [0, 1, 2].map((axis) => product([0, 1, 2].map((a) => (a === axis ? 2 : 0))));
  const sum = seconds[0] + seconds[1] + seconds[2];
  const error = 1 - constant - sum;
  if (error > 1 / 2) return { parts: [[9, 1 / 2]], error: 1 / 2 };
  const squares = seconds.map((c, axis): [number, number] => [axis, 2 * c]).filter(([, c]) => c !== 0);
  return { parts: [...squares, [9, constant - sum]], error };
}

const inX = new Float64Array(MOST_COEFFICIENTS + 1);
const inY = new Float64Array(MOST_COEFFICIENTS + 1);
const inZ = new Float64Array(MOST_COEFFICIENTS + 1);

function multiplyByRow(p: Float64Array, degree: number, map: Float64Array, row: number): void {
  const m1 = map[row];
  const m2 = map[row + 1];
  const m3 = map[row + 2];
  const t = map[row + 3];
  p.fill(0, BELOW[degree + 1], BELOW[degree + 2]);
  for (let a = BELOW[degree + 2] - 1; a >= 0; a--) {
    p[a] = t * p[a] + m1 * p[DOWN_U[a]] + m2 * p[DOWN_V[a]] + m3 * p[DOWN_W[a]];
  }
}

/** Adds q to p; degree -1 means empty. Returns the sum's degree. */
function addTo(p: Float64Array, degree: number, q: Float64Array, degreeOfQ: number): number {
  if (degreeOfQ > degree) p.fill(0, BELOW[degree + 1], BELOW[degreeOfQ + 1]);
  for (let a = BELOW[degreeOfQ + 1] - 1; a >= 0; a--) p[a] += q[a];
  return degreeOfQ > degree ? degreeOfQ : degree;
}

/**
 * Writes the polynomial in the coordinates of a cell. Returns the error bound of its
 * values there.
 *
 * @param map (M | t), row-major, 12 numbers: x = M u' + t
 * @param slack maximum shift of each coordinate of x
 * @returns Infinity, and zeros in `out`, if something might overflow
 */
export function substitutePolynomial(
  leaf: Leaf,
  map: Float64Array,
  slack: number,
  out: Float64Array,
  outAt: number,
): number {
  const { numbers, at, size: degree } = leaf;
  const tables = (TABLES[degree] ??= tablesOf(degree));
  const { count, stored } = tables;
  const error = substitutionError(leaf, map, slack);
  if (error === Number.POSITIVE_INFINITY) {
    out.fill(0, outAt, outAt + count);
    return error;
  }
  let next = at + count;
  let degreeX = -1;
  for (let i = degree; i >= 0; i--) {
    if (degreeX >= 0) multiplyByRow(inX, degreeX++, map, 0);
    let degreeY = -1;
    for (let j = degree - i; j >= 0; j--) {
      if (degreeY >= 0) multiplyByRow(inY, degreeY++, map, 4);
      let degreeZ = -1;
      for (let k = degree - i - j; k >= 0; k--) {
        if (degreeZ >= 0) multiplyByRow(inZ, degreeZ++, map, 8);
        const f = numbers[--next];
        if (degreeZ >= 0) inZ[0] += f;
        else if (f !== 0) {
          inZ[0] = f;
          degreeZ = 0;
        }
      }
      degreeY = addTo(inY, degreeY, inZ, degreeZ);
    }
    degreeX = addTo(inX, degreeX, inY, degreeY);
  }
  const written = BELOW[degreeX + 1];
  for (let a = 0; a < written; a++) out[outAt + stored[a]] = inX[a];
  for (let a = written; a < count; a++) out[outAt + stored[a]] = 0;
  return error;
}

function substitutionError({ numbers, at, size: d }: Leaf, map: Float64Array, slack: number): number {
  const x = Math.abs(map[0]) + Math.abs(map[1]) + Math.abs(map[2]) + Math.abs(map[3]) + slack;
  const y = Math.abs(map[4]) + Math.abs(map[5]) + Math.abs(map[6]) + Math.abs(map[7]) + slack;
  const z = Math.abs(map[8]) + Math.abs(map[9]) + Math.abs(map[10]) + Math.abs(map[11]) + slack;
  majorants(numbers, at, d, x, y, z);
  const base = Math.max(1, x, y, z);
  let power = base;
  for (let n = 0; n < d; n++) power *= base;
  if (!(found[2] * power <= LARGEST)) return Number.POSITIVE_INFINITY;
  return ((5 * d + 3) * EPSILON * found[0] + slack * found[1]) * OUTWARD + UNDERFLOW * power;
}

/** Output of `majorants`: F^, its derivative along (1, 1, 1), sum |f|; not rounded outward. */
const found = new Float64Array(3);

function majorants(numbers: Float64Array, at: number, d: number, x: number, y: number, z: number): void {
  let next = at + coefficientsOf(d);
  let sum = 0;
  let value = 0;
  let slope = 0;
  for (let i = d; i >= 0; i--) {
    let valueY = 0;
    let slopeY = 0;
    for (let j = d - i; j >= 0; j--) {
      let valueZ = 0;
      let slopeZ = 0;
      for (let k = d - i - j; k >= 0; k--) {
        const size = Math.abs(numbers[--next]);
        sum += size;
        slopeZ = slopeZ * z + valueZ;
        valueZ = valueZ * z + size;
      }
      slopeY = slopeY * y + valueY + slopeZ;
      valueY = valueY * y + valueZ;
    }
    slope = slope * x + value + slopeY;
    value = value * x + valueY;
  }
  found[0] = value;
  found[1] = slope;
  found[2] = sum;
}

/** Bounds sum |f_ijk| x^i y^j z^k for x, y, z >= 0, and so F for |u| <= x, |v| <= y, |w| <= z. */
export function majorantOfPolynomial(leaf: Leaf, x: number, y: number, z: number): number {
  const { numbers, at, size: degree } = leaf;
  majorants(numbers, at, degree, x, y, z);
  const base = Math.max(1, x, y, z);
  let power = 1;
  for (let n = 0; n < degree; n++) power *= base;
  const most = found[0] * OUTWARD + UNDERFLOW * power;
  return most < Number.POSITIVE_INFINITY ? most : Number.POSITIVE_INFINITY;
}

/** Halves the cell along an axis: u = (u' + side) / 2, `side` -1 or 1. Returns the error bound. */
export function halvePolynomial(
  { numbers: data, at, size: degree }: Leaf,
  axis: number,
  side: number,
  out: Float64Array,
  outAt: number,
): number {
  const tables = (TABLES[degree] ??= tablesOf(degree));
  const { count } = tables;
  const scale = tables.scale[axis];
  const roundings = tables.roundings[axis];
  const shiftTo = tables.shiftTo[axis];
  const shiftFrom = tables.shiftFrom[axis];
  let sum = 0;
  for (let a = 0; a < count; a++) {
    const g = data[at + a];
    sum += Math.abs(g) * roundings[a];
    out[outAt + a] = g * scale[a];
  }
  if (!(sum <= LARGEST)) {
    out.fill(0, outAt, outAt + count);
    return Number.POSITIVE_INFINITY;
  }
  const additions = shiftTo.length;
  if (side > 0) for (let a = 0; a < additions; a++) out[outAt + shiftTo[a]] += out[outAt + shiftFrom[a]];
  else for (let a = 0; a < additions; a++) out[outAt + shiftTo[a]] -= out[outAt + shiftFrom[a]];
  return sum * (EPSILON * OUTWARD) + UNDERFLOW;
}

/** Writes the ten numbers of a quadric. Returns a bound of its distance on the cell. */
export function modelPolynomial(leaf: Leaf, out: Float64Array, outAt: number): number {
  const { numbers: data, at, size: degree } = leaf;
  const tables = (TABLES[degree] ??= tablesOf(degree));
  const { count, quadric, modelTo, modelFrom, modelFactor, modelError } = tables;
  for (let n = 0; n < 10; n++) out[outAt + n] = 0;
  const parts = modelTo.length;
  for (let a = 0; a < parts; a++) out[outAt + modelTo[a]] += modelFactor[a] * data[at + modelFrom[a]];
  let error = 0;
  for (let a = 0; a < count; a++) error += modelError[a] * Math.abs(data[at + a]);
  let size = 0;
  for (let n = 0; n < 10; n++) {
    if (quadric[n] >= 0) out[outAt + n] += data[at + quadric[n]];
    size += Math.abs(out[outAt + n]);
  }
  if (!(size + error <= LARGEST)) {
    for (let n = 0; n < 10; n++) out[outAt + n] = 0;
    return Number.POSITIVE_INFINITY;
  }
  return (error + EPSILON * size) * OUTWARD + UNDERFLOW;
}

/**
 * Returns the value at (x, y, z) in plain doubles by nested Horner's schemes. It is within 2^-47
 * `majorantOfPolynomial` at (|x|, |y|, |z|) of the exact one, since a term goes through at most 2d
 * + 3 <= 27 roundings.
 */
export function evaluatePolynomial(leaf: Leaf, x: number, y: number, z: number): number {
  const { numbers, at, size: degree } = leaf;
  let next = at + coefficientsOf(degree);
  let value = 0;
  for (let i = degree; i >= 0; i--) {
    let valueY = 0;
    for (let j = degree - i; j >= 0; j--) {
      let valueZ = 0;
      for (let k = degree - i - j; k >= 0; k--) valueZ = valueZ * z + numbers[--next];
      valueY = valueY * y + valueZ;
    }
    value = value * x + valueY;
  }
  return value;
}

/** Returns the value; `out` receives the derivatives along x, y and z. */
export function gradientOfPolynomial(leaf: Leaf, x: number, y: number, z: number, out: Float64Array): number {
  const { numbers, at, size: degree } = leaf;
  let next = at + coefficientsOf(degree);
  let value = 0;
  let alongX = 0;
  let alongY = 0;
  let alongZ = 0;
  for (let i = degree; i >= 0; i--) {
    let valueY = 0;
    let yAlongY = 0;
    let yAlongZ = 0;
    for (let j = degree - i; j >= 0; j--) {
      let valueZ = 0;
      let zAlongZ = 0;
      for (let k = degree - i - j; k >= 0; k--) {
        zAlongZ = zAlongZ * z + valueZ;
        valueZ = valueZ * z + numbers[--next];
      }
      yAlongY = yAlongY * y + valueY;
      yAlongZ = yAlongZ * y + zAlongZ;
      valueY = valueY * y + valueZ;
    }
    alongX = alongX * x + value;
    alongY = alongY * x + yAlongY;
    alongZ = alongZ * x + yAlongZ;
    value = value * x + valueY;
  }
  out[0] = alongX;
  out[1] = alongY;
  out[2] = alongZ;
  return value;
}
