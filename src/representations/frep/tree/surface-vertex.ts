/**
 * Places the vertex of a dual contour's cell: on the surface, its creases and corners.
 *
 * A vertex is at the least-squares intersection of the tangent planes at its crossings; in
 * directions without one, at the crossings' mean. If the planes meet in several directions, the
 * crossings move to a quarter of their distance from the vertex, and the vertex is found again.
 * This happens twice, so that creases of curved faces become sharp. Last it moves along the
 * gradient to the surface, or by bisection. It never leaves the domain, nor its cell by more than
 * half a cell (held strictly to the cell, oblique creases got notches of a quarter of a cell).
 */
import { symmetricEigen } from '../../../math/linear.ts';
import { depthAt, timeOf } from './evaluate.ts';
import type { FrepObject, Program } from './program.ts';

const SINGULAR = 0.01;
const PASSES = 3;
/** In the model cube. */
const CLOSE = 2 ** -44;

/** Input: at most 12 crossings of a run, point and outward unit normal each, in the model cube. */
export const planes = new Float64Array(6 * 12);

interface Field {
  program: Program;
  domain: readonly number[];
  time: number;
}

const low = new Float64Array(3);
const high = new Float64Array(3);
const point = new Float64Array(3);
const normal = new Float64Array(3);
const matrix = new Float64Array(9);
const moments = new Float64Array(3);
const axes = new Float64Array(9);
const pull = new Float64Array(3);

/**
 * Finds the vertex of a run of `count` crossings, which are in `planes`.
 *
 * @param lowest with `highest`, the box for the vertex, within the domain; in the model cube
 * @param out receives the vertex
 * @returns true if planes of several directions meet there
 */
export function placeVertex(
  object: FrepObject,
  lowest: Float64Array,
  highest: Float64Array,
  count: number,
  out: Float64Array,
): boolean {
  const { program, domain } = object;
  const field: Field = { program, domain, time: timeOf(object) };
  low.set(lowest);
  high.set(highest);
  let rank = meet(count);
  for (let pass = 1; pass < PASSES && rank > 1; pass++) {
    const [x, y, z] = point;
    for (let i = 0; i < 6 * count; i += 6) {
      point.set([x + (planes[i] - x) / 4, y + (planes[i + 1] - y) / 4, z + (planes[i + 2] - z) / 4]);
      if (Math.abs(project(field)) > CLOSE) continue;
      planes.set(point, i);
      planes.set(normal, i + 3);
    }
    rank = meet(count);
  }
  if (Math.abs(project(field)) > CLOSE) bisect(field);
  out.set(point);
  return rank > 1;
}

/** Moves `point` towards the surface by Newton's steps as long as they help; sets `normal`. */
function project({ program, domain, time }: Field): number {
  let depth = depthAt(program, domain, point, normal, time);
  for (let step = 0; step < 12 && Math.abs(depth) > CLOSE; step++) {
    const [x, y, z] = point;
    for (let k = 0; k < 3; k++) point[k] = Math.min(high[k], Math.max(low[k], point[k] + depth * normal[k]));
    const next = depthAt(program, domain, point, normal, time);
    if (!(Math.abs(next) < Math.abs(depth))) {
      point.set([x, y, z]);
      break;
    }
    depth = next;
  }
  return depth;
}

/** If Newton's steps failed, bisects towards the box's nearest corner on the other side. */
function bisect({ program, domain, time }: Field): void {
  const isIn = depthAt(program, domain, point, normal, time) >= 0;
  const here = [...point];
  let there: number[] | null = null;
  for (let corner = 0; corner < 8; corner++) {
    for (let k = 0; k < 3; k++) point[k] = (corner >> k) & 1 ? high[k] : low[k];
    const isOther = depthAt(program, domain, point, normal, time) >= 0 !== isIn;
    if (isOther && (there === null || squared(point, here) < squared(there, here))) there = [...point];
  }
  point.set(here);
  for (let step = 0; there !== null && step < 48; step++) {
    for (let k = 0; k < 3; k++) point[k] = (here[k] + there[k]) / 2;
    const side = depthAt(program, domain, point, normal, time) >= 0 === isIn ? here : there;
    for (let k = 0; k < 3; k++) side[k] = point[k];
  }
}

/** Moves `point` to where the planes meet in the cell. Returns the number of directions. */
function meet(count: number): number {
  matrix.fill(0);
  pull.fill(0);
  const mean = [0, 0, 0];
  for (let i = 0; i < 6 * count; i += 6) for (let k = 0; k < 3; k++) mean[k] += planes[i + k] / count;
  for (let i = 0; i < 6 * count; i += 6) {
    const [a, b, c] = planes.subarray(i + 3, i + 6);
    const offset = a * (planes[i] - mean[0]) + b * (planes[i + 1] - mean[1]) + c * (planes[i + 2] - mean[2]);
    [a, b, c].forEach((x, k) => {
      pull[k] += x * offset;
      for (let n = 0; n < 3; n++) matrix[3 * k + n] += x * planes[i + 3 + n];
    });
  }
  symmetricEigen(matrix, moments, axes);
  const order = [0, 1, 2].sort((a, b) => moments[b] - moments[a]);
  let rank = order.filter((k) => moments[k] > SINGULAR * moments[order[0]]).length;
  for (; ; rank--) {
    point.set(mean);
    for (const k of order.slice(0, rank)) {
      const along = (axes[3 * k] * pull[0] + axes[3 * k + 1] * pull[1] + axes[3 * k + 2] * pull[2]) / moments[k];
      for (let n = 0; n < 3; n++) point[n] += along * axes[3 * k + n];
    }
    if (rank === 2) slideIntoCell(axes.subarray(3 * order[2], 3 * order[2] + 3));
    const free = point.slice();
    for (let k = 0; k < 3; k++) point[k] = Math.min(high[k], Math.max(low[k], point[k]));
    if (rank < 2 || squared(free, point) <= 2 ** -40 * squared(low, high)) return rank;
  }
}

function slideIntoCell(direction: Float64Array): void {
  let least = Number.NEGATIVE_INFINITY;
  let most = Number.POSITIVE_INFINITY;
  for (let k = 0; k < 3; k++) {
    if (Math.abs(direction[k]) < 2 ** -30) continue;
    const a = (low[k] - point[k]) / direction[k];
    const b = (high[k] - point[k]) / direction[k];
    least = Math.max(least, Math.min(a, b));
    most = Math.min(most, Math.max(a, b));
  }
  const by = least > 0 ? least : Math.min(0, most);
  if (least <= most) for (let k = 0; k < 3; k++) point[k] += by * direction[k];
}

export function squared(a: ArrayLike<number>, b: ArrayLike<number>): number {
  return (a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]);
}
