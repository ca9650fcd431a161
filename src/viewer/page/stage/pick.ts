/**
 * Finds the first hit of a ray, and the pair that a click on it chooses. Boxes come first; then
 * triangles, nearest box first, until no box is nearer than the hit. Uses doubles throughout.
 */
import type { Box } from '../../camera.ts';
import type { Shape } from '../../protocol.ts';
import type { ViewState } from '../../view-state.ts';
import { movedBack, turnedBack } from './space.ts';

/** In the common frame; `way` is a unit vector. */
export interface Ray {
  from: readonly [number, number, number];
  way: readonly [number, number, number];
}

export interface Hit {
  object: number;
  far: number;
  place: [number, number, number];
}

export interface Target {
  object: number;
  pose: ArrayLike<number>;
  box: Box;
  grid: Blocks;
  /** Ghosts are hit only if no object with a lesser number is. */
  rank: number;
  /** Nearer places are not drawn. */
  from: number;
}

/** Triangles with boxes of consecutive blocks: triangles in a file are often neighbors. */
export interface Blocks {
  shape: Shape;
  /** Low x, y, z and high x, y, z each, about the shape's origin. */
  boxes: Float32Array;
}

const BLOCK = 32;

export function blocksOf(shape: Shape): Blocks {
  const { positions, triangles } = shape;
  const boxes = new Float32Array(6 * Math.ceil(triangles.length / (3 * BLOCK)));
  for (let block = 0; block < boxes.length; block += 6) {
    boxes.fill(Infinity, block, block + 3).fill(-Infinity, block + 3, block + 6);
    const begin = (block / 6) * 3 * BLOCK;
    const end = Math.min(begin + 3 * BLOCK, triangles.length);
    for (let corner = begin; corner < end; corner++) {
      for (let k = 0; k < 3; k++) {
        const x = positions[3 * triangles[corner] + k];
        boxes[block + k] = Math.min(boxes[block + k], x);
        boxes[block + 3 + k] = Math.max(boxes[block + 3 + k], x);
      }
    }
  }
  return { shape, boxes };
}

interface Met {
  target: Target;
  far: number;
  from: number[];
  way: number[];
}

/** @param isShown false for places that a section cuts away */
export function pick(ray: Ray, targets: Iterable<Target>, isShown: (far: number) => boolean): Hit | null {
  const met: Met[] = [];
  for (const target of targets) {
    const from = movedBack(target.pose, ray.from);
    const way = turnedBack(target.pose, ray.way);
    const far = enters(from, way, target.box.low, 0, target.box.high, 0, Infinity);
    if (far < Infinity) met.push({ target, far, from, way });
  }
  met.sort((one, other) => one.target.rank - other.target.rank || one.far - other.far);
  let hit: Hit | null = null;
  let rank = 0;
  for (const { target, far, from, way } of met) {
    if (hit && (target.rank > rank || far > hit.far)) break;
    rank = target.rank;
    const isDrawn = (there: number): boolean => there >= target.from && isShown(there);
    const nearest = meets(target.grid, from, way, hit?.far ?? Infinity, isDrawn);
    if (nearest < (hit?.far ?? Infinity)) {
      const place = from.map((x, k) => x + nearest * way[k]) as [number, number, number];
      hit = { object: target.object, far: nearest, place };
    }
  }
  return hit;
}

function enters(
  from: ArrayLike<number>,
  way: ArrayLike<number>,
  low: ArrayLike<number>,
  lowAt: number,
  high: ArrayLike<number>,
  highAt: number,
  most: number,
): number {
  let first = 0;
  let last = most;
  for (let k = 0; k < 3; k++) {
    const toLow = low[lowAt + k] - from[k];
    const toHigh = high[highAt + k] - from[k];
    if (way[k] === 0) {
      if (toLow > 0 || toHigh < 0) return Infinity;
      continue;
    }
    const one = toLow / way[k];
    const other = toHigh / way[k];
    first = Math.max(first, Math.min(one, other));
    last = Math.min(last, Math.max(one, other));
  }
  return first <= last ? first : Infinity;
}

function meets(
  { shape, boxes }: Blocks,
  start: readonly number[],
  way: readonly number[],
  most: number,
  isShown: (far: number) => boolean,
): number {
  const { positions, triangles, origin } = shape;
  const from = start.map((x, k) => x - origin[k]);
  let nearest = most;
  for (let block = 0; block < boxes.length; block += 6) {
    if (enters(from, way, boxes, block, boxes, block + 3, nearest) === Infinity) continue;
    const begin = (block / 6) * 3 * BLOCK;
    const end = Math.min(begin + 3 * BLOCK, triangles.length);
    for (let corner = begin; corner < end; corner += 3) {
      const far = meetsTriangle(positions, triangles, corner, from, way);
      if (far < nearest && isShown(far)) nearest = far;
    }
  }
  return nearest < most ? nearest : Infinity;
}

/** Möller and Trumbore, "Fast, minimum storage ray/triangle intersection", 1997. */
function meetsTriangle(
  positions: Float32Array,
  triangles: Uint32Array,
  corner: number,
  from: readonly number[],
  way: readonly number[],
): number {
  const [p, q, r] = [3 * triangles[corner], 3 * triangles[corner + 1], 3 * triangles[corner + 2]];
  const e0 = positions[q] - positions[p];
  const e1 = positions[q + 1] - positions[p + 1];
  const e2 = positions[q + 2] - positions[p + 2];
  const f0 = positions[r] - positions[p];
  const f1 = positions[r + 1] - positions[p + 1];
  const f2 = positions[r + 2] - positions[p + 2];
  const h0 = way[1] * f2 - way[2] * f1;
  const h1 = way[2] * f0 - way[0] * f2;
  const h2 = way[0] * f1 - way[1] * f0;
  const volume = e0 * h0 + e1 * h1 + e2 * h2;
  if (volume === 0) return Infinity;
  const s0 = from[0] - positions[p];
  const s1 = from[1] - positions[p + 1];
  const s2 = from[2] - positions[p + 2];
  const u = (s0 * h0 + s1 * h1 + s2 * h2) / volume;
  const g0 = s1 * e2 - s2 * e1;
  const g1 = s2 * e0 - s0 * e2;
  const g2 = s0 * e1 - s1 * e0;
  const v = (way[0] * g0 + way[1] * g1 + way[2] * g2) / volume;
  if (!(u >= 0 && v >= 0 && u + v <= 1)) return Infinity;
  const far = (f0 * g0 + f1 * g1 + f2 * g2) / volume;
  return far >= 0 ? far : Infinity;
}

type Pair = Pick<ViewState, 'a' | 'b'>;

/**
 * A click chooses b, with Alt a. The second click makes a pair: the old b becomes a. On one of the
 * two, Alt exchanges them; without Alt nothing changes.
 */
export function chosen({ a, b }: Pair, name: string, { isAlt }: { isAlt: boolean }): Pair {
  if (isAlt) return name === b ? { a: b, b: a } : { a: name, b };
  if (name === a || name === b) return { a, b };
  return a === null ? { a: b, b: name } : { a, b: name };
}
