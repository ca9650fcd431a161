/**
 * Unit normals at the corners of triangles: smooth along a surface, but not across a crease.
 *
 * The normal at a corner is the mean over the faces around its vertex whose normals lie within the
 * crease angle of that of the corner's own face. A face counts by its area, and less the more it
 * turns away, down to nothing at the crease angle. So the sides of a crease have different normals,
 * and a large flat face keeps its own beside small faces that turn away slowly.
 *
 * Roads not taken. One normal per vertex with the weights of N. Max (vertexNormals in topology.ts):
 * small faces win. Smoothing groups between creases: the group of a cone's apex goes all around it,
 * so a face of the cone would get the axis as its normal there. Mean angle to the faces' own
 * normals, by area, with this and with a crease of 26 degrees and no decrease: bunny of 3,674
 * triangles 2.2 and 4.9 degrees, a rough sphere 2.2 and 6.2, a torus of 2,304 1.2 and 4.4.
 */

/** Cosine of the crease angle, 15 degrees. */
const CREASE = 0.966;

/**
 * Lower triangles, relative to the mesh's extent, get their normals from their neighbors: single
 * precision leaves 2^-24.
 */
const LOWEST = 2 ** -22;

/** Up to this many faces at a vertex are compared one by one; else those in one cell are as one. */
const FEW = 64;
/** Cells per side of the cube of directions. */
const CELLS = 8;
const MOST_ENTRIES = 6 * CELLS * CELLS;

/**
 * Returns x, y, z for corner k of triangle t at 9t + 3k; zero only if no face at its vertex, and no
 * other corner of its triangle, has an area. Linear in the mesh, for vertices of any degree.
 *
 * @param triangles three vertices each; all faces around a vertex count, so a crease that is open
 *   (as in manifold.ts) has two vertices at each point
 * @example cornerNormals(Float64Array.of(0, 0, 0, 1, 0, 0, 0, 1, 0), Uint32Array.of(0, 1, 2))
 *          // [0, 0, 1, 0, 0, 1, 0, 0, 1]
 */
export function cornerNormals(positions: Float64Array, triangles: ArrayLike<number>): Float32Array {
  const faces = measureFaces(positions, triangles);
  const { start, corners } = cornersOf(triangles, positions.length / 3);
  const out = new Float32Array(3 * triangles.length);
  for (let v = 0; v + 1 < start.length; v++) {
    if (start[v] < start[v + 1]) writeFan(faces, corners.subarray(start[v], start[v + 1]), out);
  }
  for (let t = 0; t < triangles.length / 3; t++) if (faces.areas[t] === 0) fillZeros(out, 9 * t);
  return out;
}

interface Faces {
  /** Unit normals, zero without an area. */
  normals: Float64Array;
  areas: Float64Array;
  /** 1 for a triangle that is high enough to have a direction. */
  isHigh: Uint8Array;
}

function measureFaces(p: Float64Array, triangles: ArrayLike<number>): Faces {
  const count = triangles.length / 3;
  const faces = { normals: new Float64Array(3 * count), areas: new Float64Array(count), isHigh: new Uint8Array(count) };
  const lowest = LOWEST * extentOf(p);
  for (let t = 0; t < count; t++) {
    const [a, b, c] = [3 * triangles[3 * t], 3 * triangles[3 * t + 1], 3 * triangles[3 * t + 2]];
    const [ux, uy, uz] = [p[b] - p[a], p[b + 1] - p[a + 1], p[b + 2] - p[a + 2]];
    const [vx, vy, vz] = [p[c] - p[a], p[c + 1] - p[a + 1], p[c + 2] - p[a + 2]];
    const [wx, wy, wz] = [vx - ux, vy - uy, vz - uz];
    const [x, y, z] = [uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx];
    const area = Math.sqrt(x * x + y * y + z * z);
    if (!(area > 0)) continue;
    faces.areas[t] = area;
    faces.normals[3 * t] = x / area;
    faces.normals[3 * t + 1] = y / area;
    faces.normals[3 * t + 2] = z / area;
    const longest = Math.max(ux * ux + uy * uy + uz * uz, vx * vx + vy * vy + vz * vz, wx * wx + wy * wy + wz * wz);
    if (area > lowest * Math.sqrt(longest)) faces.isHigh[t] = 1;
  }
  return faces;
}

function extentOf(p: Float64Array): number {
  let extent = 0;
  for (let k = 0; k < 3; k++) {
    let low = Number.POSITIVE_INFINITY;
    let high = Number.NEGATIVE_INFINITY;
    for (let i = k; i < p.length; i += 3) {
      if (p[i] < low) low = p[i];
      if (p[i] > high) high = p[i];
    }
    extent = Math.max(extent, high - low);
  }
  return extent;
}

/** The corners at vertex v are corners[start[v]] to corners[start[v + 1] - 1], ascending. */
export function cornersOf(triangles: ArrayLike<number>, vertexCount: number) {
  const start = new Uint32Array(vertexCount + 1);
  for (let h = 0; h < triangles.length; h++) start[triangles[h] + 1]++;
  for (let v = 0; v < vertexCount; v++) start[v + 1] += start[v];
  const corners = new Uint32Array(triangles.length);
  const next = start.slice();
  for (let h = 0; h < triangles.length; h++) corners[next[triangles[h]]++] = h;
  return { start, corners };
}

/*
 * The faces at one vertex: an entry each, or each cell of directions. An entry has a direction, and
 * its faces' normals times their areas.
 */
const directions = new Float64Array(3 * MOST_ENTRIES);
const sums = new Float64Array(3 * MOST_ENTRIES);
const means = new Float64Array(3 * MOST_ENTRIES);
const entryOfCell = new Int32Array(MOST_ENTRIES);

function writeFan({ normals, areas, isHigh }: Faces, corners: Uint32Array, out: Float32Array): void {
  const isMany = corners.length > FEW;
  const entryAt = new Int32Array(corners.length);
  let count = 0;
  let largest = 0;
  if (isMany) entryOfCell.fill(-1);
  for (let i = 0; i < corners.length; i++) {
    const t = (corners[i] / 3) | 0;
    if (areas[t] > areas[(corners[largest] / 3) | 0]) largest = i;
    const cell = isMany ? cellOf(normals, 3 * t) : 0;
    const known = isMany ? entryOfCell[cell] : -1;
    const entry = known < 0 ? count++ : known;
    if (isMany) entryOfCell[cell] = entry;
    entryAt[i] = entry;
    for (let k = 0; k < 3; k++) {
      const sum = areas[t] * normals[3 * t + k];
      sums[3 * entry + k] = known < 0 ? sum : sums[3 * entry + k] + sum;
      directions[3 * entry + k] = normals[3 * t + k];
    }
  }
  if (isMany) for (let entry = 0; entry < count; entry++) setUnit(directions, 3 * entry, sums);
  for (let entry = 0; entry < count; entry++) setMean(3 * entry, count);
  for (let i = 0; i < corners.length; i++) {
    const entry = entryAt[isHigh[(corners[i] / 3) | 0] === 1 ? i : largest];
    for (let k = 0; k < 3; k++) out[3 * corners[i] + k] = means[3 * entry + k];
  }
}

const sum = new Float64Array(3);

/** The direction of all entries within the crease angle of the one at `at`. */
function setMean(at: number, count: number): void {
  const [x, y, z] = [directions[at], directions[at + 1], directions[at + 2]];
  sum.fill(0);
  for (let i = 0; i < 3 * count; i += 3) {
    const weight = x * directions[i] + y * directions[i + 1] + z * directions[i + 2] - CREASE;
    if (!(weight > 0)) continue;
    for (let k = 0; k < 3; k++) sum[k] += weight * sums[i + k];
  }
  for (let k = 0; k < 3; k++) means[at + k] = sum[k];
  setUnit(means, at, means);
}

/** Zero for a vector of no length. */
function setUnit(to: Float64Array, at: number, from: Float64Array): void {
  const length = Math.sqrt(from[at] * from[at] + from[at + 1] * from[at + 1] + from[at + 2] * from[at + 2]);
  for (let k = at; k < at + 3; k++) to[k] = length > 0 ? from[k] / length : 0;
}

/** The cell of a direction on the cube around it. */
function cellOf(n: Float64Array, at: number): number {
  let axis = 0;
  for (let k = 1; k < 3; k++) if (Math.abs(n[at + k]) > Math.abs(n[at + axis])) axis = k;
  const size = Math.abs(n[at + axis]);
  if (size === 0) return 0;
  const along = (k: number): number => Math.min(CELLS - 1, Math.floor(((n[at + k] / size + 1) * CELLS) / 2));
  const face = 2 * axis + (n[at + axis] < 0 ? 1 : 0);
  return (face * CELLS + along((axis + 1) % 3)) * CELLS + along((axis + 2) % 3);
}

/** Corners without a normal get one of another corner of the triangle. */
function fillZeros(out: Float32Array, at: number): void {
  const isZero = (i: number): boolean => out[i] === 0 && out[i + 1] === 0 && out[i + 2] === 0;
  let from = at;
  while (from < at + 9 && isZero(from)) from += 3;
  if (from === at + 9) return;
  for (let to = at; to < at + 9; to += 3) if (isZero(to)) out.copyWithin(to, from, from + 3);
}
