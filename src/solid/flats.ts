/**
 * Flats: connected coplanar triangles of one surface, as of a wall. All cuts of a flat are drawn
 * once, without the sides between its triangles.
 */
import { orient2d, orient3d } from '../geometry/orient.ts';
import { NON_MANIFOLD_EDGE } from '../mesh/shells.ts';
import { axisOf } from './border.ts';
import type { Flat } from './faces.ts';
import type { PlacedBody } from './solid.ts';

export interface FlatOf extends Flat {
  triangles: readonly number[];
}

/**
 * By number; a triangle alone in its plane has none. Two triangles connect over an edge without
 * others if they are exactly coplanar, of one orientation, and on its two sides.
 */
export function flatsOf(placed: PlacedBody, triangles: Iterable<number>): Map<number, FlatOf> {
  const twins = twinsOf(placed, triangles);
  const flats = new Map<number, FlatOf>();
  const seen = new Set<number>();
  for (const side of twins.keys()) {
    const start = Math.floor(side / 3);
    if (seen.has(start)) continue;
    const members = [start];
    seen.add(start);
    for (const triangle of members) {
      for (let k = 3 * triangle; k < 3 * triangle + 3; k++) {
        const twin = twins.get(k);
        const neighbour = twin === undefined ? triangle : Math.floor(twin / 3);
        if (seen.has(neighbour)) continue;
        seen.add(neighbour);
        members.push(neighbour);
      }
    }
    const flat = flatOf(placed, members, twins);
    for (const triangle of members) flats.set(triangle, flat);
  }
  return flats;
}

function twinsOf(placed: PlacedBody, triangles: Iterable<number>): Map<number, number> {
  const { edgeOf, edgeKinds } = placed.body.shells;
  const twins = new Map<number, number>();
  const first = new Map<number, number>();
  for (const triangle of triangles) {
    for (let side = 3 * triangle; side < 3 * triangle + 3; side++) {
      const edge = edgeOf[side];
      if (edge < 0 || edgeKinds[edge] & NON_MANIFOLD_EDGE) continue;
      const twin = first.get(edge);
      if (twin === undefined) first.set(edge, side);
      else if (areFlat(placed, twin, side)) {
        twins.set(twin, side);
        twins.set(side, twin);
      }
    }
  }
  return twins;
}

const p = new Float64Array(9);
const q = new Float64Array(9);

function areFlat({ body, operand }: PlacedBody, side: number, twin: number): boolean {
  const { corners } = body.shells;
  const [from, to] = [side, twin].map((s) => s - (s % 3) + ((s + 1) % 3));
  if (corners[side] !== corners[to] || corners[twin] !== corners[from]) return false;
  p.set(operand.load(Math.floor(side / 3)).points.subarray(0, 9));
  q.set(operand.load(Math.floor(twin / 3)).points.subarray(0, 9));
  const axis = axisOf(p);
  if (axis < 0) return false;
  const begin = 3 * (side % 3);
  const end = 3 * (from % 3);
  const third = 9 - begin - end;
  const opposite = 9 - 3 * (twin % 3) - 3 * (to % 3);
  if (orient3d(q, opposite, p, 0, p, 3, p, 6) !== 0) return false;
  return orient2d(p, begin, p, end, q, opposite, axis) * orient2d(p, begin, p, end, p, third, axis) < 0;
}

function flatOf({ operand }: PlacedBody, triangles: readonly number[], twins: Map<number, number>): FlatOf {
  const corners = new Float64Array(9 * triangles.length);
  const outline: number[] = [];
  const inner: number[] = [];
  for (const [n, triangle] of triangles.entries()) {
    corners.set(operand.load(triangle).points.subarray(0, 9), 9 * n);
    for (let k = 0; k < 3; k++) {
      const twin = twins.get(3 * triangle + k);
      if (twin !== undefined && twin < 3 * triangle + k) continue;
      const into = twin === undefined ? outline : inner;
      for (const at of [3 * k, 3 * ((k + 1) % 3)])
        into.push(corners[9 * n + at], corners[9 * n + at + 1], corners[9 * n + at + 2]);
    }
  }
  const own = corners.slice(0, 9);
  return { triangles, corners: own, outline: Float64Array.from(outline), inner: Float64Array.from(inner) };
}
