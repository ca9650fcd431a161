/**
 * Vertex normals for drawing: smooth over gentle edges, separate at sharp ones, so that round
 * shapes look round and flat faces flat. Each normal is the mean of its faces, weighted by their
 * areas (M. Botsch et al., "Polygon Mesh Processing", 2010, section 3.2). This keeps large faces
 * flat beside small chamfers.
 *
 * corner-normals.ts gives each corner of a triangle its own, which is finer. But a drawn surface
 * would then have six times the vertices.
 */
import { cornersOf } from './corner-normals.ts';
import { SHARP } from './sharp-edges.ts';
import { nextInTriangle, previousInTriangle, type Surface } from './topology.ts';

/** A surface whose vertices are copied at sharp edges, with a normal for each. */
export interface Creased extends Surface {
  /** x, y, z for each vertex, of length 1; zeros if its triangles have no area. */
  normals: Float32Array;
}

/** Cosine of 12.5 degrees: faces this close to their mean have no sharp edge between them. */
const CLOSE = 0.9763;

/**
 * Triangles and normals are new arrays. Copies follow the vertices of the surface. Triangles share
 * an edge if they share its vertices and agree in orientation. Linear in the surface.
 *
 * @example creased(box).normals.length // 3 * 24 for a box of 8 vertices
 */
export function creased({ positions, triangles }: Surface): Creased {
  const count = positions.length / 3;
  const faces = facesOf(positions, triangles);
  const { start: first, corners } = cornersOf(triangles, count);
  const fan = createFan(triangles, faces, count);
  const numbers = triangles.slice();
  const copied: number[] = [];
  for (let v = 0; v < count; v++) {
    if (isSmooth(faces, corners, first[v], first[v + 1])) continue;
    const parts = fan.part(corners, first[v], first[v + 1]);
    const start = count + copied.length - 1;
    for (let i = first[v]; i < first[v + 1]; i++) {
      const part = fan.parts[i - first[v]];
      if (part > 0) numbers[corners[i]] = start + part;
    }
    for (let part = 1; part < parts; part++) copied.push(v);
  }
  if (copied.length === 0) return { positions, triangles: numbers, normals: meansOf(faces, numbers, positions.length) };
  const all = new Float64Array(positions.length + 3 * copied.length);
  all.set(positions);
  for (let i = 0, o = positions.length; i < copied.length; i++)
    for (let k = 3 * copied[i]; k < 3 * copied[i] + 3; k++) all[o++] = positions[k];
  return { positions: all, triangles: numbers, normals: meansOf(faces, numbers, all.length) };
}

/** The cross product of each triangle's sides, and its length: four numbers each. */
function facesOf(p: Float64Array, triangles: Uint32Array): Float64Array {
  const faces = new Float64Array((4 * triangles.length) / 3);
  for (let t = 0, o = 0; t < triangles.length; t += 3, o += 4) {
    const a = 3 * triangles[t];
    const b = 3 * triangles[t + 1];
    const c = 3 * triangles[t + 2];
    const ux = p[b] - p[a];
    const uy = p[b + 1] - p[a + 1];
    const uz = p[b + 2] - p[a + 2];
    const vx = p[c] - p[a];
    const vy = p[c + 1] - p[a + 1];
    const vz = p[c + 2] - p[a + 2];
    const x = uy * vz - uz * vy;
    const y = uz * vx - ux * vz;
    const z = ux * vy - uy * vx;
    faces[o] = x;
    faces[o + 1] = y;
    faces[o + 2] = z;
    faces[o + 3] = Math.sqrt(x * x + y * y + z * z);
  }
  return faces;
}

function isSmooth(faces: Float64Array, corners: Uint32Array, from: number, to: number): boolean {
  let [x, y, z] = [0, 0, 0];
  for (let i = from; i < to; i++) {
    const f = 4 * ((corners[i] / 3) | 0);
    x += faces[f];
    y += faces[f + 1];
    z += faces[f + 2];
  }
  const least = CLOSE * Math.sqrt(x * x + y * y + z * z);
  for (let i = from; i < to; i++) {
    const f = 4 * ((corners[i] / 3) | 0);
    if (x * faces[f] + y * faces[f + 1] + z * faces[f + 2] < least * faces[f + 3]) return false;
  }
  return true;
}

/** Parts the triangles around a vertex at sharp edges. */
function createFan(triangles: Uint32Array, faces: Float64Array, count: number) {
  const isGentle = (corner: number, other: number): boolean => {
    const [f, g] = [4 * ((corner / 3) | 0), 4 * ((other / 3) | 0)];
    const cosine = faces[f] * faces[g] + faces[f + 1] * faces[g + 1] + faces[f + 2] * faces[g + 2];
    return cosine > 0 && cosine >= SHARP * faces[f + 3] * faces[g + 3];
  };
  /** By vertex: where in the fan the next triangle is; otherwise a place of another fan. */
  const leaving = new Uint32Array(count);
  const links: number[] = [];
  const root = (i: number): number => {
    while (links[i] !== i) {
      links[i] = links[links[i]];
      i = links[i];
    }
    return i;
  };
  const parts: number[] = [];
  return {
    /** For each corner of the fan, from 0. */
    parts,
    /** Takes the corners `from` to before `to`; returns the number of parts. */
    part(corners: Uint32Array, from: number, to: number): number {
      const size = to - from;
      for (let i = 0; i < size; i++) {
        links[i] = i;
        parts[i] = -1;
        leaving[triangles[nextInTriangle(corners[from + i])]] = i;
      }
      for (let i = 0; i < size; i++) {
        const corner = corners[from + i];
        const edge = triangles[previousInTriangle(corner)];
        const place = leaving[edge];
        const other = corners[from + place];
        const isShared = place < size && triangles[nextInTriangle(other)] === edge;
        if (isShared && isGentle(corner, other)) links[root(i)] = root(place);
      }
      let found = 0;
      for (let i = 0; i < size; i++) {
        const whole = root(i);
        if (parts[whole] < 0) parts[whole] = found++;
        parts[i] = parts[whole];
      }
      return found;
    },
  };
}

function meansOf(faces: Float64Array, triangles: Uint32Array, length: number): Float32Array {
  const sums = new Float64Array(length);
  for (let c = 0; c < triangles.length; c++) {
    const f = 4 * ((c / 3) | 0);
    const v = 3 * triangles[c];
    sums[v] += faces[f];
    sums[v + 1] += faces[f + 1];
    sums[v + 2] += faces[f + 2];
  }
  const normals = new Float32Array(length);
  for (let v = 0; v < length; v += 3) {
    const size = Math.sqrt(sums[v] * sums[v] + sums[v + 1] * sums[v + 1] + sums[v + 2] * sums[v + 2]) || 1;
    for (let k = v; k < v + 3; k++) normals[k] = sums[k] / size;
  }
  return normals;
}
