/**
 * Makes the meshes of an IFC file's elements: welded, joined, oriented outward, and shared.
 *
 * The engine gives every corner a vertex of its own. After it has cut an opening into a wall, in a
 * frame of its own, corners of one vertex differ by some roundings. They are joined if that closes
 * the mesh, at the smallest distance that does; no vertex moves by more than JOINED of the mesh's
 * extent, a micrometer in 16 m.
 */
import { identity, type Pose } from '../../math/pose.ts';
import { weld } from '../../mesh/clean.ts';
import type { Mesh } from '../../mesh/mesh.ts';
import { transformMesh } from '../../mesh/mesh.ts';
import { type Shells, shellsOf } from '../../mesh/shells.ts';
import { orientConsistently } from '../../mesh/topology.ts';
import { shellVolumes } from '../../mesh/volumes.ts';
import { weldNear } from '../../mesh/weld.ts';
import { type EnginePart, STRIDE } from './engine.ts';

/** Joining distances as fractions of a mesh's extent, tried in turn. */
const JOINED = [2 ** -44, 2 ** -36, 2 ** -30, 2 ** -24];

interface Known {
  given: Mesh;
  mesh: Mesh;
  isClosed: boolean;
  /** In `meshes`; -1 while it is only a part of others. */
  number: number;
}

export class ElementMeshes {
  readonly meshes: Mesh[] = [];
  private readonly known = new Map<number, Known[]>();

  /**
   * A single part keeps the engine's frame, which others share; several are joined in place.
   *
   * @returns its mesh's number in `meshes`, and its matrix; isClosed if all parts are
   */
  add(parts: readonly EnginePart[]): { mesh: number; matrix: Pose; isClosed: boolean } {
    const known = parts.map((part) => this.knownOf(weldedMesh(part)));
    const isClosed = known.every((part) => part.isClosed);
    if (parts.length === 1) {
      if (known[0].number < 0) known[0].number = this.meshes.push(known[0].mesh) - 1;
      return { mesh: known[0].number, matrix: rowMajor(parts[0].matrix), isClosed };
    }
    const placed = known.map(({ mesh }, k) => transformMesh(mesh, rowMajor(parts[k].matrix)));
    return { mesh: this.meshes.push(joined(placed)) - 1, matrix: identity(), isClosed };
  }

  private knownOf(given: Mesh): Known {
    const hash = hashOf(given);
    const alike = this.known.get(hash) ?? [];
    const found = alike.find((one) => isSame(one.given, given));
    if (found) return found;
    const made = { given, ...finished(given), number: -1 };
    this.known.set(hash, [...alike, made]);
    return made;
  }
}

function weldedMesh({ vertices, indices: triangles }: EnginePart): Mesh {
  const count = vertices.length / STRIDE;
  const positions = new Float64Array(3 * count);
  // A zero has one sign, so that equal meshes are equal to the bit.
  for (let v = 0; v < count; v++) for (let k = 0; k < 3; k++) positions[3 * v + k] = vertices[STRIDE * v + k] + 0;
  return withVertices(positions, triangles, weld({ positions, triangles }).representative);
}

function withVertices(all: Float64Array, triangles: Uint32Array, representative: Int32Array): Mesh {
  const numbers = new Int32Array(representative.length).fill(-1);
  const positions: number[] = [];
  const corners = triangles.map((corner) => {
    const v = representative[corner];
    if (numbers[v] < 0) numbers[v] = positions.push(all[3 * v], all[3 * v + 1], all[3 * v + 2]) / 3 - 1;
    return numbers[v];
  });
  return { positions: Float64Array.from(positions), triangles: corners, groups: [] };
}

/** Closed if joining vertices and turning triangles can do that, and oriented outward. */
function finished(given: Mesh): { mesh: Mesh; isClosed: boolean } {
  const closed = closedMesh(given);
  if (closed) return { mesh: closed, isClosed: true };
  const { positions, triangles } = given;
  const extent = positions.reduce((most, x) => Math.max(most, Math.abs(x)), 0);
  for (const fraction of JOINED) {
    if (!(fraction * extent > 0)) break;
    const { of, first } = weldNear(positions, positions.length / 3, fraction * extent);
    const representative = of.map((n) => first[n]);
    const joint = closedMesh(withVertices(positions, triangles, representative));
    if (joint) return { mesh: joint, isClosed: true };
  }
  return { mesh: given, isClosed: false };
}

/** Turns triangles if needed; null if the mesh bounds no solid even then. */
function closedMesh(mesh: Mesh): Mesh | null {
  const shells = shellsOf(mesh);
  if (shells.bounds) return outward(mesh, shells);
  if (shells.openEdges > 0) return null;
  const triangles = mesh.triangles.slice();
  orientConsistently(triangles);
  const turned = { ...mesh, triangles };
  const again = shellsOf(turned);
  if (!again.bounds) return null;
  // A shell with turned triangles has no direction; an untouched hollow faces inward.
  const { volumes } = shellVolumes(turned, again);
  const isTouched = new Uint8Array(again.count);
  for (let c = 0; c < triangles.length; c++)
    if (triangles[c] !== mesh.triangles[c]) isTouched[again.shellOf[(c / 3) | 0]] = 1;
  for (let t = 0; t < triangles.length; t += 3) {
    const shell = again.shellOf[t / 3];
    if (isTouched[shell] && volumes[shell] < 0) turnRound(triangles, t);
  }
  return outward(turned, shellsOf(turned));
}

/** Turns a mesh of negative volume: the engine may mirror. Our matrices mirror themselves. */
function outward(mesh: Mesh, shells: Shells): Mesh {
  const { volumes } = shellVolumes(mesh, shells);
  if (volumes.reduce((sum, volume) => sum + volume, 0) >= 0) return mesh;
  const triangles = mesh.triangles.slice();
  for (let t = 0; t < triangles.length; t += 3) turnRound(triangles, t);
  return { ...mesh, triangles };
}

function turnRound(triangles: Uint32Array, t: number): void {
  [triangles[t + 1], triangles[t + 2]] = [triangles[t + 2], triangles[t + 1]];
}

function joined(parts: readonly Mesh[]): Mesh {
  const sum = (key: 'positions' | 'triangles'): number => parts.reduce((total, part) => total + part[key].length, 0);
  const positions = new Float64Array(sum('positions'));
  const triangles = new Uint32Array(sum('triangles'));
  let [vertex, corner] = [0, 0];
  for (const part of parts) {
    positions.set(part.positions, 3 * vertex);
    for (const v of part.triangles) triangles[corner++] = v + vertex;
    vertex += part.positions.length / 3;
  }
  return { positions, triangles, groups: [] };
}

const rowMajor = (m: Float64Array): Pose => Float64Array.from(m, (_, k) => m[4 * (k % 4) + Math.floor(k / 4)] + 0);

const wordsOf = ({ positions }: Mesh): Uint32Array =>
  new Uint32Array(positions.buffer, positions.byteOffset, 2 * positions.length);

function hashOf(mesh: Mesh): number {
  let hash = mesh.triangles.length;
  for (const words of [wordsOf(mesh), mesh.triangles]) {
    for (let k = 0; k < words.length; k++) hash = Math.imul(hash ^ words[k], 0x01000193) ^ (hash >>> 15);
  }
  return hash;
}

function isSame(a: Mesh, b: Mesh): boolean {
  const areEqual = (p: Uint32Array, q: Uint32Array): boolean =>
    p.length === q.length && p.every((word, k) => word === q[k]);
  return areEqual(a.triangles, b.triangles) && areEqual(wordsOf(a), wordsOf(b));
}
