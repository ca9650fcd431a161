/**
 * Decides by signs of doubles if other triangles cut a triangle or only touch its border. Finds
 * twins (equal triangles of two surfaces) and flats (connected coplanar triangles of one).
 */
import { orient2d, orient3d } from '../geometry/orient.ts';
import { NON_MANIFOLD_EDGE } from '../mesh/shells.ts';
import type { Flat } from './faces.ts';
import type { PlacedBody } from './solid.ts';

export interface Touch {
  /** Triangles that may cut it: they share more than single points with its inside. */
  cutters: number[];
  /** Bit k: others cover a part of side k, from corner k on. Single points do not count. */
  blocked: number;
  /** The same bits for each of the others; empty if the triangle has no area. */
  along: Uint8Array;
}

/** Signs of heights of the other's points in the plane above the triangle's three sides. */
const heights = new Int8Array(9);

/** A triangle without area is cut by nothing, and blocked. */
export function touchOf(corners: Float64Array, others: Float64Array): Touch {
  const axis = axisOf(corners);
  const cutters: number[] = [];
  if (axis < 0) return { cutters, blocked: 7, along: new Uint8Array(0) };
  const along = new Uint8Array(others.length / 9);
  const turn = orient2d(corners, 0, corners, 3, corners, 6, axis);
  let blocked = 0;
  for (let at = 0; at < others.length; at += 9) {
    const [h, g, f] = [0, 3, 6].map((k) => orient3d(others, at + k, corners, 0, corners, 3, corners, 6));
    const above = [h, g, f];
    let ends = 0;
    for (let k = 0; k < 3; k++) {
      const next = (k + 1) % 3;
      const [p, q] = above[k] > 0 ? [at + 3 * k, at + 3 * next] : [at + 3 * next, at + 3 * k];
      if (above[k] === 0) {
        for (let side = 0; side < 3; side++)
          heights[ends++] = turn * orient2d(corners, 3 * side, corners, (3 * side + 3) % 9, others, at + 3 * k, axis);
      }
      // A line from above to below passes a side as its point in the plane does.
      if (above[k] * above[next] < 0) {
        for (let side = 0; side < 3; side++)
          heights[ends++] = orient3d(others, p, others, q, corners, 3 * side, corners, (3 * side + 3) % 9);
      }
    }
    // Every two of these points are ends of the other's part of the plane.
    let isCutter = false;
    for (let p = 0; p < ends; p += 3) {
      for (let q = p + 3; q < ends; q += 3) {
        const isInner = (side: number): boolean => heights[p + side] > 0 || heights[q + side] > 0;
        if (isInner(0) && isInner(1) && isInner(2)) isCutter = true;
        for (let side = 0; side < 3; side++)
          if (heights[p + side] === 0 && heights[q + side] === 0) along[at / 9] |= 1 << side;
      }
    }
    if (isCutter) cutters.push(at / 9);
    blocked |= along[at / 9];
  }
  return { cutters, blocked, along };
}

/** An axis along which the triangle has an area; -1 if it has none. */
export function axisOf(corners: Float64Array): number {
  for (let axis = 0; axis < 3; axis++) if (orient2d(corners, 0, corners, 3, corners, 6, axis) !== 0) return axis;
  return -1;
}

/*
 * Twins: triangles of two surfaces with the same three corners, as in the faces of parts that were
 * cut apart, and in copies.
 *
 * A triangle and its twin are one sheet. If no other triangle of either surface cuts two adjacent
 * sheets, nor lies along their common edge, the cells on both sides of one continue beside the
 * other. So one triangle of a connected set gives the labels of all. A triangle and its twin touch
 * the same triangles, so contacts with the other surface are complete.
 */

interface TwinSide {
  touched: ReadonlyMap<number, readonly number[]>;
  touchOf(triangle: number): Touch;
  corners(triangle: number, out: Float64Array, at: number): void;
}

interface TwinPatches {
  starts: number[];
  ofA: Set<number>;
  ofB: Set<number>;
}

export function twinPatches(a: TwinSide, b: TwinSide): TwinPatches {
  const twinOf = twinsOf(a, b);
  const starts: number[] = [];
  const seen = new Set<number>();
  for (const start of twinOf.keys()) {
    if (seen.has(start)) continue;
    seen.add(start);
    starts.push(start);
    const queue = [start];
    for (let triangle = queue.pop(); triangle !== undefined; triangle = queue.pop()) {
      for (let side = 0; side < 3; side++) {
        const neighbour = beside(a, b, twinOf, triangle, side);
        if (neighbour === undefined || seen.has(neighbour)) continue;
        seen.add(neighbour);
        queue.push(neighbour);
      }
    }
  }
  return { starts, ofA: seen, ofB: new Set([...twinOf.values()].map(({ id }) => id)) };
}

/** The other triangle of a sheet, and the number there of each corner. */
interface Twin {
  id: number;
  corners: readonly number[];
}

const own = new Float64Array(9);
const others = new Float64Array(9);

function twinsOf(a: TwinSide, b: TwinSide): Map<number, Twin> {
  const twins = new Map<number, Twin>();
  for (const [triangle, touched] of a.touched) {
    a.corners(triangle, own, 0);
    for (const id of touched) {
      b.corners(id, others, 0);
      const corners = matched();
      if (!corners) continue;
      if (a.touchOf(triangle).cutters.length === 0 && b.touchOf(id).cutters.length === 0)
        twins.set(triangle, { id, corners });
      break;
    }
  }
  return twins;
}

function matched(): number[] | undefined {
  const corners: number[] = [];
  for (let p = 0; p < 9; p += 3) {
    let q = 0;
    while (q < 9 && (own[p] !== others[q] || own[p + 1] !== others[q + 1] || own[p + 2] !== others[q + 2])) q += 3;
    if (q === 9 || corners.includes(q / 3)) return undefined;
    corners.push(q / 3);
  }
  return corners;
}

function beside(
  a: TwinSide,
  b: TwinSide,
  twinOf: ReadonlyMap<number, Twin>,
  triangle: number,
  side: number,
): number | undefined {
  const [ofA, ofB] = alongSheet(a, b, triangle, twinOf.get(triangle)!, side);
  if (ofA.length !== 2 || ofB.length !== 2) return undefined;
  const neighbour = ofA[0] === triangle ? ofA[1] : ofA[0];
  const twin = twinOf.get(neighbour);
  if (!twin || !ofB.includes(twin.id)) return undefined;
  // A triangle that continues one's plane lies only along the other's side.
  for (let k = 0; k < 3; k++) {
    const [back, backOfB] = alongSheet(a, b, neighbour, twin, k);
    if (back.includes(triangle) && back.length + backOfB.length === 4) return neighbour;
  }
  return undefined;
}

/** The triangles of both surfaces along a side of a sheet, itself included. */
function alongSheet(a: TwinSide, b: TwinSide, triangle: number, { id, corners }: Twin, side: number): number[][] {
  const [from, to] = [corners[side], corners[(side + 1) % 3]];
  return [alongSide(b, id, (from + 1) % 3 === to ? from : to), alongSide(a, triangle, side)];
}

/** Triangles of the other surface whose border covers part of a side. */
function alongSide(side: TwinSide, triangle: number, k: number): number[] {
  const { along } = side.touchOf(triangle);
  return side.touched.get(triangle)!.filter((_, n) => (along[n] >> k) & 1);
}

/*
 * Flats: connected coplanar triangles of one surface, as of a wall. All cuts of a flat are drawn
 * once, without the sides between its triangles.
 */

export interface FlatOf extends Flat {
  triangles: readonly number[];
}

/**
 * By number; a triangle alone in its plane has none. Two triangles connect over an edge without
 * others if they are exactly coplanar, of one orientation, and on its two sides.
 */
export function flatsOf(placed: PlacedBody, triangles: Iterable<number>): Map<number, FlatOf> {
  const twins = twinSidesOf(placed, triangles);
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

function twinSidesOf(placed: PlacedBody, triangles: Iterable<number>): Map<number, number> {
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

function areFlat({ body, load }: PlacedBody, side: number, twin: number): boolean {
  const { corners } = body.shells;
  const [from, to] = [side, twin].map((s) => s - (s % 3) + ((s + 1) % 3));
  if (corners[side] !== corners[to] || corners[twin] !== corners[from]) return false;
  p.set(load(Math.floor(side / 3)).points.subarray(0, 9));
  q.set(load(Math.floor(twin / 3)).points.subarray(0, 9));
  const axis = axisOf(p);
  if (axis < 0) return false;
  const begin = 3 * (side % 3);
  const end = 3 * (from % 3);
  const third = 9 - begin - end;
  const opposite = 9 - 3 * (twin % 3) - 3 * (to % 3);
  if (orient3d(q, opposite, p, 0, p, 3, p, 6) !== 0) return false;
  return orient2d(p, begin, p, end, q, opposite, axis) * orient2d(p, begin, p, end, p, third, axis) < 0;
}

function flatOf({ load }: PlacedBody, triangles: readonly number[], twins: Map<number, number>): FlatOf {
  const corners = new Float64Array(9 * triangles.length);
  const outline: number[] = [];
  const inner: number[] = [];
  for (const [n, triangle] of triangles.entries()) {
    corners.set(load(triangle).points.subarray(0, 9), 9 * n);
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
