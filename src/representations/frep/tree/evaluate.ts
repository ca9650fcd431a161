/**
 * Evaluates an F-rep's function and gradient at a point in plain doubles, for pictures, surfaces
 * and guesses. Nothing is rounded outward, so it proves nothing.
 *
 * The gradient is carried forward through the instructions. If there is none, it is a subgradient:
 * that of the left argument if a minimum's or a maximum's two are equal. max(g, 0)^2 has one
 * everywhere, 2 max(g, 0) g'.
 */
import { type Blend, blend, blendSlopes } from './blend.ts';
import { evaluatePolynomial, gradientOfPolynomial } from './polynomial.ts';
import { type FrepObject, OP, type Program, timesOf } from './program.ts';
import { evaluateFunction, slopeOfFunction } from './taylor.ts';
import { evaluateWaves, gradientOfWaves, type Waves } from './waves.ts';

/** Per instruction: its value; and in `jets`, value and derivatives by u, v, w. Grown on demand. */
let values = new Float64Array(64);
let jets = new Float64Array(4 * 64);
const slopes = new Float64Array(3);

const leafOf = ({ left, right, third, numbers }: Program, i: number): Waves => ({
  numbers,
  at: left[i],
  size: right[i],
  frequencies: numbers,
  from: third[i],
});

const blendOf = ({ ops, third, numbers }: Program, i: number): Blend => ({
  isJoin: ops[i] === OP.JOIN,
  numbers,
  at: third[i],
});

const exponentOf = ({ ops, third, numbers }: Program, i: number): number =>
  ops[i] === OP.POWER ? numbers[third[i] + 1] : 0;

/**
 * Returns F at a point of the asset's frame, whether the domain holds it or not.
 *
 * @returns at least 0 in the object, except for rounding; NaN or infinite where F has no value,
 *   outside the domain
 * @example evaluate(sphere, 0, 0, 0) // 1, in the middle of 1 - x^2 - y^2 - z^2
 */
export function evaluate(object: FrepObject, x: number, y: number, z: number): number {
  const { program, center, half } = object;
  const [u, v, w] = [(x - center[0]) / half, (y - center[1]) / half, (z - center[2]) / half];
  return evaluateCube(program, u, v, w, timeOf(object));
}

export function timeOf(object: FrepObject): number {
  const [from, to] = timesOf(object);
  return from === to ? from : from / 2 + to / 2;
}

export function evaluateCube(program: Program, u: number, v: number, w: number, time = 0): number {
  const { ops, left, right, third, numbers } = program;
  const count = ops.length;
  if (values.length < count) values = new Float64Array(2 * count);
  for (let i = 0; i < count; i++) {
    const a = left[i];
    const b = right[i];
    switch (ops[i]) {
      case OP.QUADRIC:
        values[i] =
          (numbers[a] * u + numbers[a + 3] * v + numbers[a + 4] * w + numbers[a + 6]) * u +
          (numbers[a + 1] * v + numbers[a + 5] * w + numbers[a + 7]) * v +
          (numbers[a + 2] * w + numbers[a + 8]) * w +
          numbers[a + 9];
        break;
      case OP.POLYNOMIAL:
        values[i] = evaluatePolynomial(leafOf(program, i), u, v, w);
        break;
      case OP.WAVES:
        values[i] = evaluateWaves(leafOf(program, i), u, v, w, time);
        break;
      case OP.SUM:
        values[i] = values[a] + values[b];
        break;
      case OP.TIMED:
        values[i] = time * values[a];
        break;
      case OP.PERTURBATION:
        values[i] = values[b] > 0 ? values[a] + numbers[third[i]] * values[b] * values[b] : values[a];
        break;
      case OP.INTERSECTION:
        values[i] = values[a] <= values[b] ? values[a] : values[b];
        break;
      case OP.JOIN:
      case OP.MEET:
        values[i] = blend(blendOf(program, i), values[a], values[b]);
        break;
      case OP.PRODUCT:
        values[i] = values[a] * values[b];
        break;
      case OP.POWER:
      case OP.SINE:
      case OP.COSINE:
      case OP.EXPONENTIAL:
      case OP.LOGARITHM:
        values[i] = numbers[third[i]] * evaluateFunction(ops[i], exponentOf(program, i), values[a]);
        break;
      default:
        values[i] = values[a] >= values[b] ? values[a] : values[b];
    }
  }
  return values[count - 1];
}

/**
 * Returns F at a point of the model cube. Minima and maxima that only others read compare
 * F / |grad F|, with the same sign.
 *
 * @param out receives dF/du, dF/dv, dF/dw, per unit of the model cube
 */
function carry(program: Program, u: number, v: number, w: number, time: number, out: Float64Array): number {
  const { ops, left, right, third, numbers } = program;
  const count = ops.length;
  if (jets.length < 4 * count) jets = new Float64Array(8 * count);
  for (let i = 0; i < count; i++) {
    const a = left[i];
    const b = right[i];
    const f = 4 * a;
    const g = 4 * b;
    const at = 4 * i;
    switch (ops[i]) {
      case OP.QUADRIC:
        quadricJet(numbers, a, u, v, w, at);
        break;
      case OP.POLYNOMIAL:
        jets[at] = gradientOfPolynomial(leafOf(program, i), u, v, w, slopes);
        for (let k = 0; k < 3; k++) jets[at + 1 + k] = slopes[k];
        break;
      case OP.WAVES:
        jets[at] = gradientOfWaves(leafOf(program, i), u, v, w, slopes, time);
        for (let k = 0; k < 3; k++) jets[at + 1 + k] = slopes[k];
        break;
      case OP.TIMED:
        for (let k = 0; k < 4; k++) jets[at + k] = time * jets[f + k];
        break;
      case OP.SUM:
        for (let k = 0; k < 4; k++) jets[at + k] = jets[f + k] + jets[g + k];
        break;
      case OP.PERTURBATION: {
        const above = jets[g] > 0 ? jets[g] : 0;
        const amount = numbers[third[i]];
        jets[at] = jets[f] + amount * above * above;
        for (let k = 1; k < 4; k++) jets[at + k] = jets[f + k] + 2 * amount * above * jets[g + k];
        break;
      }
      case OP.JOIN:
      case OP.MEET: {
        const own = blendOf(program, i);
        jets[at] = blend(own, jets[f], jets[g]);
        blendSlopes(own, jets[f], jets[g], slopes);
        for (let k = 1; k < 4; k++) jets[at + k] = slopes[0] * jets[f + k] + slopes[1] * jets[g + k];
        break;
      }
      case OP.PRODUCT:
        for (let k = 1; k < 4; k++) jets[at + k] = jets[f] * jets[g + k] + jets[g] * jets[f + k];
        jets[at] = jets[f] * jets[g];
        break;
      case OP.POWER:
      case OP.SINE:
      case OP.COSINE:
      case OP.EXPONENTIAL:
      case OP.LOGARITHM: {
        const amount = numbers[third[i]];
        const exponent = exponentOf(program, i);
        const slope = amount * slopeOfFunction(ops[i], exponent, jets[f]);
        for (let k = 1; k < 4; k++) jets[at + k] = slope * jets[f + k];
        jets[at] = amount * evaluateFunction(ops[i], exponent, jets[f]);
        break;
      }
      default: {
        const isByDepth = isSetOfSets[i] === 1;
        const ofLeft = isByDepth ? depthOf(f) : jets[f];
        const ofRight = isByDepth ? depthOf(g) : jets[g];
        const isLeft = ops[i] === OP.INTERSECTION ? ofLeft <= ofRight : ofLeft >= ofRight;
        const from = isLeft ? f : g;
        for (let k = 0; k < 4; k++) jets[at + k] = jets[from + k];
      }
    }
  }
  const last = 4 * (count - 1);
  for (let k = 0; k < 3; k++) out[k] = jets[last + 1 + k];
  return jets[last];
}

/** For the last program of `depthAt`: 1 if only nested minima and maxima read an instruction. */
let isSetOfSets = new Uint8Array(0);
let setsOf: Program | null = null;

function findSets(program: Program): void {
  const { ops, left, right } = program;
  setsOf = program;
  isSetOfSets = new Uint8Array(ops.length).fill(1);
  for (let i = ops.length - 1; i >= 0; i--) {
    const isSet = ops[i] === OP.INTERSECTION || ops[i] === OP.UNION;
    if (ops[i] <= OP.WAVES || (isSet && isSetOfSets[i] === 1)) continue;
    isSetOfSets[left[i]] = 0;
    isSetOfSets[right[i]] = 0;
  }
}

function depthOf(jet: number): number {
  const x = jets[jet + 1];
  const y = jets[jet + 2];
  const z = jets[jet + 3];
  return jets[jet] === 0 ? 0 : jets[jet] / Math.sqrt(x * x + y * y + z * z);
}

/**
 * Returns the approximate depth of a point inside the object, to first order: f over the length of
 * its gradient, with f the function of the nearby surface. Minima and maxima compare this measure,
 * too, so the scale of their arguments does not matter. If the domain's nearest face is closer,
 * returns its depth. The sign is exact: at least 0 only in the object.
 *
 * @param point in the model cube
 * @param normal receives the outward unit normal of the face or the level surface; zero if F has no
 *   slope
 */
export function depthAt(
  program: Program,
  domain: readonly number[],
  point: Float64Array,
  normal: Float64Array,
  time = 0,
): number {
  if (setsOf !== program) findSets(program);
  let depth = carry(program, point[0], point[1], point[2], time, normal);
  const slope = Math.sqrt(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]);
  const hasSlope = slope > 0 && slope < Infinity;
  if (hasSlope) depth /= slope;
  for (let k = 0; k < 3; k++) normal[k] = hasSlope ? -normal[k] / slope : 0;
  for (let k = 0; k < 3; k++) {
    const within = domain[k] - Math.abs(point[k]);
    if (!(within < depth)) continue;
    depth = within;
    normal.fill(0);
    normal[k] = point[k] < 0 ? -1 : 1;
  }
  return depth;
}

/**
 * Finds where an axis-parallel line leaves the object, between a point inside and one outside. Uses
 * the Illinois method (M. Dowell, P. Jarratt, "A Modified Regula Falsi Method for Computing the
 * Root of an Equation", BIT 1971).
 *
 * @param line the axis, and its coordinates of the points inside and outside
 * @param point has the other coordinates; receives the place
 * @param normal receives the outward unit normal there, as from `depthAt`
 */
export function moveToCrossing(
  program: Program,
  domain: readonly number[],
  { axis, inner, outer }: { axis: number; inner: number; outer: number },
  point: Float64Array,
  normal: Float64Array,
  time = 0,
): void {
  const valueAt = (x: number): number => {
    point[axis] = x;
    return evaluateCube(program, point[0], point[1], point[2], time);
  };
  let from = inner;
  let to = Math.min(domain[axis], Math.max(-domain[axis], outer));
  let g = valueAt(to);
  if (g >= 0) {
    normal.fill(0);
    normal[axis] = outer < inner ? -1 : 1;
    return;
  }
  let f = valueAt(from);
  const small = 2 ** -46 * (f - g);
  for (let step = 0, kept = 0, value = f; step < 16 && Math.abs(value) > small; step++) {
    let x = from + (to - from) * (f / (f - g));
    if (!(Math.min(from, to) < x && x < Math.max(from, to))) x = (from + to) / 2;
    value = valueAt(x);
    if (value >= 0) {
      from = x;
      f = value;
      if (kept > 0) g /= 2;
      kept = 1;
    } else {
      to = x;
      g = value;
      if (kept < 0) f /= 2;
      kept = -1;
    }
  }
  depthAt(program, domain, point, normal, time);
}

function quadricJet(c: Float64Array, a: number, u: number, v: number, w: number, at: number): void {
  const alongU = c[a] * u + c[a + 3] * v + c[a + 4] * w + c[a + 6];
  const alongV = c[a + 1] * v + c[a + 5] * w + c[a + 7];
  const alongW = c[a + 2] * w + c[a + 8];
  jets[at] = alongU * u + alongV * v + alongW * w + c[a + 9];
  jets[at + 1] = alongU + c[a] * u;
  jets[at + 2] = alongV + c[a + 1] * v + c[a + 3] * u;
  jets[at + 3] = alongW + c[a + 2] * w + c[a + 4] * u + c[a + 5] * v;
}
