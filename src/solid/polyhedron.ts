/**
 * Decides if a body of triangles is convex, and computes the planes of its faces.
 *
 * A closed surface whose triangles all have a point c on the same side covers a sphere about c,
 * once or several times, and winds about c as often. If that is once, it is a star about c and does
 * not meet itself. If no edge of such a surface is a valley, it is convex (H. Tietze, "Über
 * Konvexheit im kleinen und im großen", Mathematische Zeitschrift 28, 1928). All of these are exact
 * signs on the stored coordinates, three for a triangle.
 */

import { derived } from '../engine/asset-cache.ts';
import type { Asset } from '../engine/representation.ts';
import { pointAt } from '../geometry/exact-point.ts';
import { orient3d } from '../geometry/orient.ts';
import { toInteger } from '../math/numbers.ts';
import { NO_EDGE } from '../mesh/shells.ts';
import { previousInTriangle } from '../mesh/topology.ts';
import { bodyOf } from './solid.ts';
import { windingOfTriangles } from './winding.ts';

const MOST_FACES = 10_000;

export interface Polyhedron {
  /** Origin of the planes, in the asset's frame. */
  centre: Float64Array;
  /** A unit normal and an offset each, outward: no vertex is beyond, except by `rounding`. */
  planes: Float64Array;
  /** The planes' largest error within `reach`. */
  rounding: number;
  reach: number;
}

const polyhedra = /* @__PURE__ */ derived<Asset, { polyhedron: Polyhedron | null }>();

/** Null if it is not convex, has a triangle without area, or more than 10,000 triangles. */
export function polyhedronOf(asset: Asset): Polyhedron | null {
  let known = polyhedra.get(asset);
  if (!known) {
    known = { polyhedron: findPolyhedron(asset) };
    polyhedra.set(asset, known);
  }
  return known.polyhedron;
}

function findPolyhedron(asset: Asset): Polyhedron | null {
  const body = bodyOf(asset);
  const { surface, shells, box } = body;
  const { corners, edgeOf } = shells;
  const count = corners.length / 3;
  if (count > MOST_FACES || shells.count !== 1 || !shells.bounds || shells.nonManifoldEdges > 0) return null;
  const points = surface.positions instanceof Float64Array ? surface.positions : Float64Array.from(surface.positions);
  const centre = Float64Array.from([0, 1, 2], (k) => box[k] / 2 + box[3 + k] / 2);
  const sideOf = (t: number, at: Float64Array, i: number): number =>
    orient3d(at, i, points, 3 * corners[3 * t], points, 3 * corners[3 * t + 1], points, 3 * corners[3 * t + 2]);
  const inside = count > 0 ? sideOf(0, centre, 0) : 0;
  if (inside === 0) return null;
  for (let t = 1; t < count; t++) if (sideOf(t, centre, 0) !== inside) return null;
  for (let side = 0; side < corners.length; side++) {
    const edge = edgeOf[side];
    if (edge === NO_EDGE) return null;
    if (edge === side) continue;
    const beyond = corners[previousInTriangle(edge)];
    if (sideOf(Math.floor(side / 3), points, 3 * beyond) === -inside) return null;
  }
  // Convexity took a look at every triangle, too.
  const winding = windingOfTriangles(surface, [Uint32Array.from({ length: count }, (_, t) => t)], pointAt(centre, 0));
  if (Math.abs(winding?.ahead ?? 0) !== 1) return null;
  // From the center every direction meets one triangle.
  body.embedded = true;
  return planesAbout(centre, points, corners, inside);
}

/**
 * A normal is off by 8 u of the product of two edges, u = 2^-53. If that product is more than this
 * many times the normal's length, or underflows, whole numbers give the normal.
 */
const SLENDER = 16;
const SMALLEST = 2 ** -900;
/** Rounding of normals and offsets, as a part of the reach: 8 u SLENDER twice, and a little. */
const ROUNDING = 2 ** -44;

function planesAbout(
  centre: Float64Array,
  points: Float64Array,
  corners: Uint32Array,
  inside: number,
): Polyhedron | null {
  const planes = new Float64Array((4 * corners.length) / 3);
  let reach = 0;
  for (let at = 0; at < corners.length; at += 3) {
    const normal = normalOf(points, 3 * corners[at], 3 * corners[at + 1], 3 * corners[at + 2]);
    if (!normal) return null;
    const plane = (4 * at) / 3;
    let offset = Number.NEGATIVE_INFINITY;
    for (let k = 0; k < 3; k++) planes[plane + k] = -inside * normal[k];
    for (let c = at; c < at + 3; c++) {
      const corner = 3 * corners[c];
      const x = points[corner] - centre[0];
      const y = points[corner + 1] - centre[1];
      const z = points[corner + 2] - centre[2];
      offset = Math.max(offset, planes[plane] * x + planes[plane + 1] * y + planes[plane + 2] * z);
      reach = Math.max(reach, Math.sqrt(x * x + y * y + z * z));
    }
    planes[plane + 3] = offset;
  }
  return { centre, planes, reach, rounding: ROUNDING * reach };
}

/** The unit normal toward points for which orient3d is 1; null if the area is 0 or NaN. */
function normalOf(points: Float64Array, p: number, q: number, r: number): number[] | null {
  const e = [points[q] - points[p], points[q + 1] - points[p + 1], points[q + 2] - points[p + 2]];
  const f = [points[r] - points[p], points[r + 1] - points[p + 1], points[r + 2] - points[p + 2]];
  let normal = crossOf(e, f);
  let length = lengthOf(normal);
  if (!(SLENDER * length >= lengthOf(e) * lengthOf(f) && length > SMALLEST)) {
    const whole = (a: number): bigint[] => [0, 1, 2].map((k) => toInteger(points[a + k]) - toInteger(points[p + k]));
    normal = doublesOf(crossOf(whole(q), whole(r)));
    length = lengthOf(normal);
  }
  if (!(length > 0 && length < Number.POSITIVE_INFINITY)) return null;
  return [normal[0] / length, normal[1] / length, normal[2] / length];
}

const lengthOf = (v: readonly number[]): number => Math.sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);

function crossOf<N extends number | bigint>(e: readonly N[], f: readonly N[]): N[] {
  // The operators of both types are the same.
  const [a, b] = [e, f] as unknown as (readonly number[])[];
  const found = [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
  return found as unknown as N[];
}

/** Divided by a power of two that makes the largest about 2^60. */
function doublesOf(whole: readonly bigint[]): number[] {
  const bits = Math.max(...whole.map((x) => x.toString(16).length * 4));
  const shift = BigInt(Math.max(0, bits - 60));
  return whole.map((x) => Number(x >> shift));
}
