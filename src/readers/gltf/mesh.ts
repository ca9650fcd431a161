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
import { weld } from '../../mesh/clean.ts';
import type { Mesh } from '../../mesh/mesh.ts';
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
  /** Each point's vertex, in the mesh with the number `mesh`. */
  vertex: Uint32Array;
  mesh: Uint32Array;
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
  const count = numbers.length / 3;
  return { path, numbers, divisor, vertex: new Uint32Array(count), mesh: new Uint32Array(count) };
}

export const cornersOf = (mode: number, count: number): number =>
  mode === TRIANGLES ? count : 3 * Math.max(0, count - 2);

/** @param number the mesh's, from 1; unique for each call */
export function meshOf(surfaces: readonly Surface[], number: number): Mesh {
  const counts = surfaces.map(({ mode, points, indices }) => cornersOf(mode, (indices ?? points.vertex).length));
  const triangles = new Uint32Array(counts.reduce((sum, count) => sum + count, 0));
  const distinct = new Set(surfaces.map(({ points }) => points));
  const most = [...distinct].reduce((sum, { vertex }) => sum + vertex.length, 0);
  const positions = new Float64Array(3 * Math.min(most, triangles.length));
  const made: Made = { number, positions, vertices: 0 };
  let from = 0;
  for (const [k, surface] of surfaces.entries()) {
    const corners = triangles.subarray(from, from + counts[k]);
    connect(surface, corners);
    for (let c = 0; c < corners.length; c++) corners[c] = vertexOf(surface, corners[c], made);
    from += counts[k];
  }
  return joined(positions, triangles, made.vertices);
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
  for (let c = 0, k = 0; c < out.length; c += 3, k++) {
    const turn = k % 2;
    const first = mode === TRIANGLES ? c : mode === STRIP ? k : k + 1;
    const second = mode === TRIANGLES ? c + 1 : mode === STRIP ? k + 1 + turn : k + 2;
    const third = mode === TRIANGLES ? c + 2 : mode === STRIP ? k + 2 - turn : 0;
    out[c] = indices ? indices[first] : first;
    out[c + 1] = indices ? indices[second] : second;
    out[c + 2] = indices ? indices[third] : third;
  }
}

interface Made {
  number: number;
  positions: Float64Array;
  vertices: number;
}

function vertexOf(surface: Surface, point: number, made: Made): number {
  const { points } = surface;
  if (point >= points.vertex.length) {
    const expected = `numbers of points below ${points.vertex.length}${placeOf(surface)}.indices`;
    throw new FormatError(null, expected, `${point}`);
  }
  if (points.mesh[point] === made.number) return points.vertex[point];
  const vertex = made.vertices++;
  for (let k = 0; k < 3; k++) {
    const x = decodedNumber(points.numbers[3 * point + k], points.divisor);
    if (!Number.isFinite(x)) {
      const expected = `finite coordinates${at([...points.path])}, point ${point}, of${placeOf(surface).slice(3)}`;
      throw new FormatError(null, expected, `${x}`);
    }
    made.positions[3 * vertex + k] = x;
  }
  points.mesh[point] = made.number;
  points.vertex[point] = vertex;
  return vertex;
}

/** ' at meshes[3].primitives[0] "wheel"' */
const placeOf = ({ path, name }: Surface): string => `${at(path)}${name === '' ? '' : ` (${quoted(name)})`}`;

/** The specification's section 3.11 divides normalized numbers so. */
export const decodedNumber = (x: number, divisor: number): number => (divisor === 0 ? x : Math.max(x / divisor, -1));

function joined(all: Float64Array, triangles: Uint32Array, vertices: number): Mesh {
  const positions = all.subarray(0, 3 * vertices);
  const { representative, weldedVertices } = weld({ positions, triangles });
  if (weldedVertices === 0) return { positions: positions.slice(), triangles, groups: [] };
  const kept = new Float64Array(3 * (vertices - weldedVertices));
  const number = new Uint32Array(vertices);
  let count = 0;
  for (let v = 0; v < vertices; v++) {
    if (representative[v] !== v) continue;
    for (let k = 0; k < 3; k++) kept[3 * count + k] = positions[3 * v + k];
    number[v] = count++;
  }
  for (let c = 0; c < triangles.length; c++) triangles[c] = number[representative[triangles[c]]];
  return { positions: kept, triangles, groups: [] };
}
