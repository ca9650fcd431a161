/**
 * Adapts a functionally defined solid to the common engine: an octree of the cells that are not
 * proved outside. Also builds the solid's closed complement.
 *
 * Cells are halved from the domain's box along all axes at once. A cell's number defines it, so
 * nothing need be stored: the 8^L cells of level L follow those of earlier levels, in the order of
 * their Morton codes. Cells wholly inside are leaves at any level, others at the last one. Level 10
 * has the last numbers that fit 31 bits.
 */
import { OptionError } from '../../../base/errors.ts';
import { type NodeWriter, ROOT } from '../../../engine/bound-tree.ts';
import { BOX_NUMBERS, writeAxes } from '../../../geometry/rounded-box.ts';
import { CellFunction, functionOf } from './cell-function.ts';
import {
  type FrepObject,
  isAnalytic,
  isBlend,
  isFunction,
  isLeaf,
  numbersOfLeaf,
  OP,
  type Program,
  timesOf,
} from './program.ts';

const MOST_LEVELS = 10;
const FLAT_ENOUGH = 0.95;
const MOST_CELLS = 2 ** 20;

export const levelsOfFrep = ({ resolution }: FrepObject): number => Math.min(resolution, MOST_LEVELS);

/** Number of the first cell of each level: (8^L - 1) / 7. */
const FIRST = firstCells();

function firstCells(): number[] {
  const first = [0];
  for (let level = 0; level <= MOST_LEVELS; level++) first.push(8 * first[level] + 1);
  return first;
}

const map = new Float64Array(12);
const place = new Float64Array(6);

/** Returns the level of cell `id`. Writes its middle and half extents, rounded once, to `place`. */
function placeCell({ domain }: FrepObject, id: number): number {
  let level = 0;
  while (FIRST[level + 1] <= id) level++;
  let code = id - FIRST[level];
  // From the least significant digit up: the cell's middle in its parent, then its parent's, ...
  let x = 0;
  let y = 0;
  let z = 0;
  for (let k = 0; k < level; k++) {
    x = (x + (code & 1 ? 1 : -1)) / 2;
    y = (y + (code & 2 ? 1 : -1)) / 2;
    z = (z + (code & 4 ? 1 : -1)) / 2;
    code = Math.floor(code / 8);
  }
  const size = 2 ** -level;
  place[0] = domain[0] * x;
  place[1] = domain[1] * y;
  place[2] = domain[2] * z;
  for (let k = 0; k < 3; k++) place[3 + k] = domain[k] * size;
  return level;
}

/**
 * Classifies |u - middle| <= half + slack: outside the solid (-1), inside (1), unproved (0). `box`
 * has the middle's coordinates, then the half extents.
 */
export function classifyBox(object: FrepObject, box: ArrayLike<number>): -1 | 0 | 1 {
  const [x, y, z, hx, hy, hz] = [box[0], box[1], box[2], box[3], box[4], box[5]];
  map.fill(0);
  map[0] = hx;
  map[3] = x;
  map[5] = hy;
  map[7] = y;
  map[10] = hz;
  map[11] = z;
  const solid = functionOf(object);
  const [a, b, c] = object.center;
  solid.start(map, 2 ** -51 * (1 + (Math.abs(a) + Math.abs(b) + Math.abs(c)) / object.half));
  solid.bound(0);
  return solid.upper < 0 ? -1 : solid.lower >= 0 ? 1 : 0;
}

const alone = new WeakMap<FrepObject['program'], CellFunction>();

/** For `verify`: writes bounds of F, ignoring the domain, on a cell and then at its middle. */
export function boundsOfCell(
  object: FrepObject,
  x: number,
  y: number,
  z: number,
  [hx, hy, hz]: readonly [number, number, number],
  out: Float64Array,
): void {
  const { program } = object;
  let value = alone.get(program);
  if (!value) alone.set(program, (value = new CellFunction(program, null)));
  map.fill(0);
  map[0] = hx;
  map[3] = x;
  map[5] = hy;
  map[7] = y;
  map[10] = hz;
  map[11] = z;
  const [from, to] = timesOf(object);
  value.during(from, to);
  value.start(map, 0);
  value.bound(0);
  value.centre(0);
  out[0] = value.lower;
  out[1] = value.upper;
  out[2] = value.centreLower;
  out[3] = value.centreUpper;
  // Unknown, such as 0 times what overflows.
  for (let k = 0; k < 4; k++) if (Number.isNaN(out[k])) out[k] = k % 2 === 0 ? -Infinity : Infinity;
}

const classifyPlace = (object: FrepObject): -1 | 0 | 1 => classifyBox(object, place);

/** Center and half extents, in the asset's frame, of a level's cells and of the leaves above. */
export const cellsOfLevel = (object: FrepObject, level: number): number[] => cellsOf(object, idsOfLevel(object, level));

export function cellsOf(object: FrepObject, ids: readonly number[]): number[] {
  const cells: number[] = [];
  for (const id of ids) {
    placeCell(object, id);
    for (let k = 0; k < 3; k++) cells.push(object.center[k] + object.half * place[k]);
    for (let k = 0; k < 3; k++) cells.push(object.half * place[3 + k]);
  }
  return cells;
}

function idsOfLevel(object: FrepObject, level: number): number[] {
  const deepest = levelsOfFrep(object);
  if (!Number.isInteger(level) || level < 0 || level > deepest) {
    throw new OptionError(`level ${level}: these cells have the levels 0 to ${deepest}`);
  }
  const ids: number[] = [];
  const pending = [0];
  while (pending.length > 0) {
    const id = pending.pop() as number;
    const own = placeCell(object, id);
    const where = classifyPlace(object);
    if (where < 0 && id > 0) continue;
    if (own < level && (where === 0 || id === 0)) {
      for (let child = 8 * id + 8; child > 8 * id; child--) pending.push(child);
      continue;
    }
    if (ids.length === MOST_CELLS) throw new OptionError(`level ${level}: more than ${MOST_CELLS} cells`);
    ids.push(id);
  }
  return ids;
}

export function unfoldFrep(object: FrepObject, node: number, into: NodeWriter): void {
  if (node === ROOT) {
    writeCell(object, 0, into);
    return;
  }
  for (let child = 8 * node + 1; child <= 8 * node + 8; child++) writeCell(object, child, into);
}

function writeCell(object: FrepObject, id: number, into: NodeWriter): void {
  const level = placeCell(object, id);
  const where = classifyPlace(object);
  if (where < 0 && id > 0) return;
  const isLeaf = (where > 0 && id > 0) || level >= levelsOfFrep(object);
  const at = isLeaf ? into.leaf(id, 1, id) : into.branch(id);
  fitBox(object, where === 0);
  into.bounds.set(box, at);
}

const box = new Float64Array(BOX_NUMBERS);

/**
 * Fits `box` to the possible part of the solid in the cell at `place`, bounded last. It is the
 * cell, or if the surface passes through and is flat enough, a box along its normal that ends at
 * the surface to second order. With c + g . u the linear part of a conjunct's model and m a bound
 * of the rest,
 *   g . u >= -(c + m) in the solid.
 * Along the unit normal n in space that is from -t to w, with w the cell's own reach.
 */
function fitBox(object: FrepObject, isMixed: boolean): void {
  const { center, half } = object;
  box.fill(0);
  let size = half;
  for (let k = 0; k < 3; k++) {
    box[k] = center[k] + half * place[k];
    box[4 + 5 * k] = 1;
    box[7 + 4 * k] = half * place[3 + k];
    size = Math.max(size, Math.abs(center[k]), Math.abs(box[k]));
  }
  if (isMixed) cutBox(object);
  // Covers the rounding of centers, extents and axes, relative to the coordinates' size.
  for (let k = 7; k < 16; k += 4) box[k] = box[k] * (1 + 2 ** -45) + 2 ** -50 * size;
}

function cutBox(object: FrepObject): void {
  const solid = functionOf(object);
  solid.focus();
  const { models, lowers, remainder, drift } = solid;
  const slots = solid.conjuncts(0);
  let best = FLAT_ENOUGH;
  let bestAt = -1;
  let bestReach = 0;
  for (let i = 0; i < solid.conjunctCount(0); i++) {
    if (lowers[slots[i]] >= 0) continue;
    const at = 10 * slots[i];
    let rest = remainder[slots[i]] + Math.abs(drift[slots[i]]);
    rest += Math.abs(models[at + 3]) + Math.abs(models[at + 4]) + Math.abs(models[at + 5]);
    let squares = 0;
    let reach = 0;
    for (let k = 0; k < 3; k++) {
      if (models[at + k] > 0) rest += models[at + k];
      const g = models[at + 6 + k] / place[3 + k];
      squares += g * g;
      reach += Math.abs(models[at + 6 + k]);
    }
    const length = Math.sqrt(squares);
    // Smaller squares have lost digits to underflow.
    if (!(squares > 2 ** -900 && reach > 0)) continue;
    const t = (models[at + 9] + rest + 2 ** -40 * (reach + Math.abs(models[at + 9]) + rest)) / length;
    const share = t / (reach / length);
    if (!(share < best)) continue;
    best = share;
    bestAt = at;
    bestReach = reach / length;
  }
  if (bestAt < 0) return;
  setAxes(models, bestAt);
  const from = Math.min(-best * bestReach, bestReach);
  for (let axis = 0; axis < 3; axis++) {
    let reach = 0;
    for (let k = 0; k < 3; k++) reach += Math.abs(box[4 + 4 * axis + k]) * place[3 + k];
    box[7 + 4 * axis] = object.half * reach;
  }
  const middle = (from + bestReach) / 2;
  for (let k = 0; k < 3; k++) box[k] += object.half * middle * box[4 + k];
  box[7] = object.half * ((bestReach - from) / 2);
}

function setAxes(models: Float64Array, at: number): void {
  const x = models[at + 6] / place[3];
  const y = models[at + 7] / place[4];
  const z = models[at + 8] / place[5];
  const length = Math.sqrt(x * x + y * y + z * z);
  writeAxes(box, 0, x / length, y / length, z / length);
}

export function hullOfFrep(object: FrepObject, id: number, out: Float64Array): number {
  placeCell(object, id);
  fitBox(object, classifyPlace(object) === 0);
  for (let corner = 0; corner < 8; corner++) {
    for (let k = 0; k < 3; k++) {
      let x = box[k];
      for (let axis = 0; axis < 3; axis++) {
        const reach = box[7 + 4 * axis] * box[4 + 4 * axis + k];
        x += (corner >> axis) & 1 ? reach : -reach;
      }
      out[3 * corner + k] = x;
    }
  }
  return 8;
}

const TRIES = 4;

/**
 * Writes a hull in the solid and in cell `id`: the cell itself, slightly smaller; otherwise a point
 * near the surface along the middle's gradient; otherwise the middle; or nothing.
 */
export function coreOfFrep(object: FrepObject, id: number, out: Float64Array): number {
  placeCell(object, id);
  if (classifyPlace(object) > 0) {
    for (let k = 0; k < 3; k++) {
      const middle = object.center[k] + object.half * place[k];
      const rounding = 2 ** -50 * (object.half + Math.abs(object.center[k]) + Math.abs(middle));
      const half = Math.max(0, object.half * place[3 + k] * (1 - 2 ** -45) - rounding);
      for (let corner = 0; corner < 8; corner++)
        out[3 * corner + k] = (corner >> k) & 1 ? middle + half : middle - half;
    }
    return 8;
  }
  const solid = functionOf(object);
  solid.focus();
  if (!findInside(solid)) return 0;
  for (let k = 0; k < 3; k++) out[k] = object.center[k] + object.half * (place[k] + place[3 + k] * inside[k]);
  return 1;
}

const inside = new Float64Array(3);

function findInside(solid: CellFunction): boolean {
  const slots = solid.conjuncts(0);
  const { models, lowers } = solid;
  for (let i = 0; i < solid.conjunctCount(0); i++) {
    if (lowers[slots[i]] >= 0) continue;
    const at = 10 * slots[i];
    let slope = 0;
    let bend = 0;
    for (let k = 0; k < 3; k++) {
      inside[k] = models[at + 6 + k] / (place[3 + k] * place[3 + k]);
      slope += models[at + 6 + k] * inside[k];
    }
    const q = models;
    const [x, y, z] = inside;
    bend = (q[at] * x + q[at + 3] * y + q[at + 4] * z) * x + (q[at + 1] * y + q[at + 5] * z) * y + q[at + 2] * z * z;
    if (!(slope > 0)) continue;
    // c + slope s + bend s^2 = deeper: two Newton steps from the linear solution.
    let deeper =
      2 ** -40 * (Math.abs(q[at + 9]) + slope) + 2 * (solid.remainder[slots[i]] + Math.abs(solid.drift[slots[i]]));
    for (let attempt = 0; attempt < TRIES; attempt++) {
      let s = (deeper - q[at + 9]) / slope;
      for (let step = 0; step < 2; step++) s -= (q[at + 9] + (slope + bend * s) * s - deeper) / (slope + 2 * bend * s);
      if (Math.abs(s * x) <= 1 && Math.abs(s * y) <= 1 && Math.abs(s * z) <= 1) {
        if (solid.valueAt(0, s * x, s * y, s * z) >= 0) {
          inside[0] = s * x;
          inside[1] = s * y;
          inside[2] = s * z;
          return true;
        }
      }
      deeper *= 64;
    }
  }
  solid.centre(0);
  inside.fill(0);
  return solid.centreLower >= 0;
}

/*
 * Builds the closed complement of a functionally defined solid: F <= 0, or beyond the domain.
 * Points outside of the complement are strictly inside the solid.
 *
 * Every instruction's negative is one of the same kind over negatives: leaves and amounts with the
 * other sign, minima for maxima. A perturbing function keeps its sign, and so do the argument of a
 * sine and one factor of a product. So an instruction with both uses occurs twice.
 */

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
  OP.PRODUCT,
  OP.POWER,
  OP.SINE,
  OP.COSINE,
  OP.EXPONENTIAL,
  OP.LOGARITHM,
];

/** True if the right argument of a negative keeps its sign. */
const keepsRight = (op: number): boolean => op === OP.PERTURBATION || isAnalytic(op);

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
      asked[2 * left[i] + (isFunction(ops[i]) ? PLAIN : sign)] = 1;
      asked[2 * right[i] + (keepsRight(ops[i]) ? PLAIN : sign)] = 1;
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
      const f = numberOf[2 * left[i] + (isFunction(op) ? PLAIN : sign)];
      const g = numberOf[2 * right[i] + (keepsRight(op) ? PLAIN : sign)];
      if (op === OP.PERTURBATION || isBlend(op) || isFunction(op))
        written.push(sign === NEGATED ? -numbers[third[i]] : numbers[third[i]]);
      if (op === OP.POWER) written.push(numbers[third[i] + 1]);
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
