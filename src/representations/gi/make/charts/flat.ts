/**
 * Cuts surfaces of few flat faces into triangles and convex quads, which an image holds exactly.
 *
 * A flat convex quad is a chart of one quad of the grid, whichever diagonal splits it. Its four
 * samples are its corners, and its sides are straight, so it meets its neighbors without a gap.
 *
 * A face of many triangles is one chart if it has at most four corners, and if its sides hold no
 * corner of another chart. All other faces are cut into their triangles, in pairs where two are a
 * convex quad.
 *
 * Not taken: larger convex polygons. They need corners of neighbors on their sides, so 3 x 3
 * samples or more. A plate with holes had 5 % fewer charts, and 20 times the bound.
 */
import type { ManifoldMesh } from '../../../../mesh/manifold.ts';
import { nextInTriangle, previousInTriangle } from '../../../../mesh/topology.ts';
import { growFace, type RegionNormals, regionNormals } from './choose.ts';

/**
 * The largest faces must have this part of a surface's area. Among 40 meshes, machine parts have
 * 0.26 to 1. Other shapes have up to 0.14, except for a truck with 0.31.
 */
const FEW_FACES = 16;
const FLAT_SHARE = 0.25;
/** Above this, FLAT_SHARE of the area must be in triangles with a neighbor in their plane. */
const FEW_TRIANGLES = 64;
/** A straight corner is at most this part of the tolerance of faces from the line across it. */
const STRAIGHT = 1 / 16;

export interface FlatOptions {
  /** Greatest distance from a plane. */
  flat: number;
  most: number;
  /** True if a few faces must have most of the area. */
  isFew: boolean;
}

/** Returns triangles and convex quads, or null if that is too many charts or faces. */
export function flatCharts(
  mesh: ManifoldMesh,
  triangles: Int32Array,
  { flat, most, isFew }: FlatOptions,
): Int32Array[] | null {
  const region = regionNormals(mesh, triangles);
  if (!(region.area > 0)) return null;
  if (isFew && triangles.length > FEW_TRIANGLES && !isPaired(mesh, region, flat)) return null;
  const { twice, area } = region;
  const order = Array.from(triangles, (_, i) => i).sort((i, j) => twice[j] - twice[i] || i - j);
  const isTaken = new Uint8Array(triangles.length);
  const found: number[][] = [];
  for (const seed of order) {
    if (isTaken[seed]) continue;
    found.push(growFace(mesh, region, seed, flat, isTaken));
    if (found.length > most) return null;
  }
  const areas = found.map((face) => face.reduce((sum, i) => sum + twice[i], 0));
  const largest = areas.sort((a, b) => b - a).slice(0, FEW_FACES);
  if (isFew && largest.reduce((sum, size) => sum + size, 0) < FLAT_SHARE * area) return null;

  const faces = found.map((places) => faceOf(mesh, region, places, STRAIGHT * flat));
  const isWhole = wholeFaces(mesh, faces);
  const charts: Int32Array[] = [];
  for (let i = 0; i < faces.length && charts.length <= most; i++) {
    if (isWhole[i]) charts.push(faces[i].triangles);
    else for (const pair of pairsOf(mesh, faces[i], STRAIGHT * flat)) charts.push(pair);
  }
  return charts.length > most ? null : charts.sort((one, other) => one[0] - other[0]);
}

/** True if most of the area may belong to faces of several triangles. Linear. */
function isPaired(
  { positions: p, triangles: corners, twin }: ManifoldMesh,
  region: RegionNormals,
  flat: number,
): boolean {
  const { triangles, normal, twice, area } = region;
  let paired = 0;
  for (let i = 0; i < triangles.length; i++) {
    if (!(twice[i] > 0)) continue;
    for (let h = 3 * triangles[i]; h < 3 * triangles[i] + 3; h++) {
      if (twin[h] < 0) continue;
      const from = 3 * corners[h];
      const far = 3 * corners[previousInTriangle(twin[h])];
      let off = 0;
      for (let k = 0; k < 3; k++) off += normal[3 * i + k] * (p[far + k] - p[from + k]);
      if (Math.abs(off) > flat * twice[i]) continue;
      paired += twice[i];
      break;
    }
  }
  return paired >= FLAT_SHARE * area;
}

interface Face {
  triangles: Int32Array;
  normal: Float64Array;
  /** Vertices around it, if it is a convex disk. */
  rim: { vertex: number; isStraight: boolean }[] | null;
}

function faceOf(mesh: ManifoldMesh, region: RegionNormals, places: readonly number[], straight: number): Face {
  const triangles = Int32Array.from(places, (i) => region.triangles[i]).sort();
  const normal = new Float64Array(3);
  for (const i of places) for (let k = 0; k < 3; k++) normal[k] += region.normal[3 * i + k];
  const size = Math.sqrt(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]);
  if (size > 0) for (let k = 0; k < 3; k++) normal[k] /= size;
  const loop = triangles.length > 2 ? loopAround(mesh, triangles) : null;
  if (!loop) return { triangles, normal, rim: null };
  const turns = loop.map((vertex, i) => {
    const [from, to] = [loop[(i + loop.length - 1) % loop.length], loop[(i + 1) % loop.length]];
    return turnAt(mesh, normal, from, vertex, to);
  });
  const isConvex = turns.every((turn) => turn >= -straight);
  return {
    triangles,
    normal,
    rim: isConvex ? loop.map((vertex, i) => ({ vertex, isStraight: turns[i] <= straight })) : null,
  };
}

/** Returns the vertices around a connected face, or null if it is no disk. */
function loopAround({ triangles: corners, twin }: ManifoldMesh, triangles: Int32Array): number[] | null {
  const own = new Set(triangles);
  const isInside = (h: number): boolean => h >= 0 && own.has(Math.floor(h / 3));
  const vertices = new Set<number>();
  let rim = 0;
  let first = -1;
  for (const t of triangles) {
    for (let h = 3 * t; h < 3 * t + 3; h++) {
      vertices.add(corners[h]);
      if (isInside(twin[h])) continue;
      rim++;
      first = h;
    }
  }
  const loop: number[] = [];
  for (let h = first; h >= 0 && loop.length <= rim; ) {
    loop.push(corners[h]);
    h = nextInTriangle(h);
    while (isInside(twin[h])) h = nextInTriangle(twin[h]);
    if (h === first) break;
  }
  // A disk has V - E + F = 1, with E = (3 F + rim) / 2.
  return loop.length === rim && 2 * vertices.size === triangles.length + rim + 2 ? loop : null;
}

/** Returns how far a corner is from the line across it, negative if it is turned inward. */
function turnAt({ positions: p }: ManifoldMesh, n: Float64Array, from: number, at: number, to: number): number {
  const [a, b, c] = [3 * from, 3 * at, 3 * to];
  const [ux, uy, uz] = [p[b] - p[a], p[b + 1] - p[a + 1], p[b + 2] - p[a + 2]];
  const [vx, vy, vz] = [p[c] - p[b], p[c + 1] - p[b + 1], p[c + 2] - p[b + 2]];
  const [wx, wy, wz] = [ux + vx, uy + vy, uz + vz];
  const cross = n[0] * (uy * vz - uz * vy) + n[1] * (uz * vx - ux * vz) + n[2] * (ux * vy - uy * vx);
  const across = Math.sqrt(wx * wx + wy * wy + wz * wz);
  const turn = cross / across;
  // A boundary that runs back along itself is no side of a polygon.
  const isBack = ux * vx + uy * vy + uz * vz < 0 && Math.abs(cross) <= 1e-6 * (ux * ux + uy * uy + uz * uz);
  return isBack || !(across > 0) ? Number.NEGATIVE_INFINITY : turn;
}

/** Marks the faces that are one chart each. */
function wholeFaces({ vertex: clean, triangles: corners }: ManifoldMesh, faces: readonly Face[]): boolean[] {
  const isWhole = faces.map(({ rim }) => rim !== null);
  const isCorner = new Set<number>();
  const cut = ({ triangles }: Face): void => {
    for (const t of triangles) for (let h = 3 * t; h < 3 * t + 3; h++) isCorner.add(clean[corners[h]]);
  };
  for (const face of faces) {
    if (!face.rim) cut(face);
    else for (const { vertex, isStraight } of face.rim) if (!isStraight) isCorner.add(clean[vertex]);
  }
  for (let isChanged = true; isChanged; ) {
    isChanged = false;
    faces.forEach((face, i) => {
      if (!isWhole[i]) return;
      const count = face.rim!.filter(({ vertex }) => isCorner.has(clean[vertex])).length;
      if (count <= 4) return;
      cut(face);
      isWhole[i] = false;
      isChanged = true;
    });
  }
  return isWhole;
}

/** Returns a face's triangles, in pairs where two are a convex quad: across long edges first. */
function pairsOf(mesh: ManifoldMesh, { triangles, normal }: Face, straight: number): Int32Array[] {
  const { positions: p, triangles: corners, twin } = mesh;
  const open = new Set(triangles);
  const edges: { h: number; length: number }[] = [];
  for (const t of triangles) {
    for (let h = 3 * t; h < 3 * t + 3; h++) {
      if (twin[h] < h || !open.has(Math.floor(twin[h] / 3))) continue;
      const [a, b] = [3 * corners[h], 3 * corners[nextInTriangle(h)]];
      const [x, y, z] = [p[b] - p[a], p[b + 1] - p[a + 1], p[b + 2] - p[a + 2]];
      edges.push({ h, length: x * x + y * y + z * z });
    }
  }
  edges.sort((one, other) => other.length - one.length || one.h - other.h);
  const charts: Int32Array[] = [];
  for (const { h } of edges) {
    const g = twin[h];
    const [t, other] = [Math.floor(h / 3), Math.floor(g / 3)];
    if (!open.has(t) || !open.has(other)) continue;
    const [a, b] = [corners[h], corners[nextInTriangle(h)]];
    const [left, right] = [corners[previousInTriangle(h)], corners[previousInTriangle(g)]];
    if (turnAt(mesh, normal, left, a, right) < -straight || turnAt(mesh, normal, right, b, left) < -straight) continue;
    open.delete(t);
    open.delete(other);
    charts.push(Int32Array.of(Math.min(t, other), Math.max(t, other)));
  }
  for (const t of open) charts.push(Int32Array.of(t));
  return charts;
}
