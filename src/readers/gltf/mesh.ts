/**
 * Joins the triangles of glTF's primitives into meshes.
 *
 * Exporters write a vertex for each combination of normal, color and texture coordinate: a cube has
 * 24. Equal positions become one vertex, so that a closed surface is closed. Unused vertices are
 * left out. Triangles keep their order.
 */
import { FormatError } from '../../base/errors.ts';
import { at } from '../../base/json-messages.ts';
import { quoted } from '../../base/printable.ts';
import type { Mesh } from '../../mesh/mesh.ts';
import { joinPoints } from '../../mesh/point-numbers.ts';
import type { Part } from './accessors.ts';
import type { Numbers } from './decode.ts';

/** Modes of primitives with triangles; the third is a fan, 6. */
export const TRIANGLES = 4;
const STRIP = 5;

export interface Points {
  path: Part['path'];
  numbers: Numbers;
  /** As for its accessor: divides each number; 0 for none. */
  divisor: number;
  /** `base` plus each point's vertex in the present mesh; less if it has none. */
  vertex: Int32Array;
  base: number;
}

export interface Surface {
  /** The primitive in the file, and the name of its mesh. */
  path: Part['path'];
  name: string;
  mode: number;
  points: Points;
  /** Numbers of points; null for consecutive ones. */
  indices: Numbers | null;
}

export function pointsOf(path: Part['path'], numbers: Numbers, divisor: number): Points {
  return { path, numbers, divisor, vertex: new Int32Array(numbers.length / 3), base: 1 };
}

export const cornersOf = (mode: number, count: number): number =>
  mode === TRIANGLES ? count : 3 * Math.max(0, count - 2);

export function meshOf(surfaces: readonly Surface[]): Mesh {
  const counts = surfaces.map(({ mode, points, indices }) => cornersOf(mode, (indices ?? points.vertex).length));
  const triangles = new Uint32Array(counts.reduce((sum, count) => sum + count, 0));
  const distinct = new Set(surfaces.map(({ points }) => points));
  const all = [...distinct].reduce((sum, { vertex }) => sum + vertex.length, 0);
  const most = Math.min(all, triangles.length);
  const positions = new Float64Array(3 * most);
  for (const points of distinct) {
    if (points.base + most < 2 ** 31) continue;
    points.vertex.fill(0);
    points.base = 1;
  }
  let from = 0;
  let vertices = 0;
  for (const [k, surface] of surfaces.entries()) {
    const corners = triangles.subarray(from, from + counts[k]);
    connect(surface, corners);
    vertices = numberVertices(surface, corners, positions, vertices);
    from += counts[k];
  }
  for (const points of distinct) points.base += vertices;
  return joined(positions, triangles, vertices);
}

/** The point at each corner, in the order of the mesh's triangles. */
export function pointsAtCorners(surface: Surface): Uint32Array {
  const out = new Uint32Array(cornersOf(surface.mode, (surface.indices ?? surface.points.vertex).length));
  connect(surface, out);
  return out;
}

/**
 * Writes the points at corners, by section 3.7.2.1 of the specification. Every other triangle of a
 * strip swaps its last two, so that all face one way. A fan's triangles end at its first point.
 */
function connect({ mode, indices }: Surface, out: Uint32Array): void {
  if (mode === TRIANGLES) {
    if (indices) out.set(indices);
    else for (let c = 0; c < out.length; c++) out[c] = c;
    return;
  }
  for (let c = 0, k = 0; c < out.length; c += 3, k++) {
    const turn = k % 2;
    const first = mode === STRIP ? k : k + 1;
    const second = mode === STRIP ? k + 1 + turn : k + 2;
    const third = mode === STRIP ? k + 2 - turn : 0;
    out[c] = indices ? indices[first] : first;
    out[c + 1] = indices ? indices[second] : second;
    out[c + 2] = indices ? indices[third] : third;
  }
}

/**
 * Replaces the points at corners by vertices, in the order of first use, and writes these.
 *
 * @returns the number of the mesh's vertices so far; `vertices` of them belong to earlier surfaces
 */
function numberVertices(surface: Surface, corners: Uint32Array, positions: Float64Array, vertices: number): number {
  const { points } = surface;
  const { vertex, base, numbers, divisor } = points;
  const count = vertex.length;
  for (let c = 0; c < corners.length; c++) {
    const point = corners[c];
    if (point >= count) {
      const expected = `numbers of points below ${count}${placeOf(surface)}.indices`;
      throw new FormatError(null, expected, `${point}`);
    }
    let own = vertex[point] - base;
    if (own < 0) {
      own = vertices++;
      vertex[point] = base + own;
      const [p, q] = [3 * point, 3 * own];
      const x = decodedNumber(numbers[p], divisor);
      const y = decodedNumber(numbers[p + 1], divisor);
      const z = decodedNumber(numbers[p + 2], divisor);
      if (x - x + (y - y) + (z - z) !== 0) throw infinite(surface, point, [x, y, z]);
      positions[q] = x;
      positions[q + 1] = y;
      positions[q + 2] = z;
    }
    corners[c] = own;
  }
  return vertices;
}

function infinite(surface: Surface, point: number, position: readonly number[]): FormatError {
  const place = `${at([...surface.points.path])}, point ${point}, of${placeOf(surface).slice(3)}`;
  return new FormatError(null, `finite coordinates${place}`, `${position.find((x) => !Number.isFinite(x))}`);
}

/** ' at meshes[3].primitives[0] "wheel"' */
const placeOf = ({ path, name }: Surface): string => `${at(path)}${name === '' ? '' : ` (${quoted(name)})`}`;

/** Divides normalized numbers as in the specification's section 3.11. */
export const decodedNumber = (x: number, divisor: number): number => (divisor === 0 ? x : Math.max(x / divisor, -1));

/** Welds vertices at equal positions. There are fewer vertices than corners. */
function joined(all: Float64Array, triangles: Uint32Array, vertices: number): Mesh {
  const { positions, number } = joinPoints(all, vertices);
  if (number) for (let c = 0; c < triangles.length; c++) triangles[c] = number[triangles[c]];
  return { positions, triangles, groups: [] };
}
