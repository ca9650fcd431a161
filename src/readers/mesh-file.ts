/** What a file of meshes holds, whatever its format: meshes, and nodes that place them. */
import { compose, identity, isIdentity, type Pose } from '../math/pose.ts';
import type { Mesh, MeshGroup } from '../mesh/mesh.ts';
import { transformMesh } from '../mesh/transform.ts';

/** A solid that a file describes by numbers, about its node's origin; a cylinder stands along z. */
export type Primitive =
  | { shape: 'box'; size: readonly [number, number, number] }
  | { shape: 'cylinder'; radius: number; length: number }
  | { shape: 'sphere'; radius: number };

/** A mesh of a file, in its own frame; several nodes may show it. */
export interface FileMesh {
  /** As in the file; empty where that gives none. */
  name: string;
  mesh: Mesh;
}

/** A place in a file's tree. */
export interface FileNode {
  /** As in the file; empty where that gives none. */
  name: string;
  /** The number of the node that it hangs on, which stands before it; -1 of a root. */
  parent: number;
  /** Row-major 4x4, from the node's frame to its parent's. It may scale, shear and mirror. */
  matrix: Pose;
  /** The number of its mesh; null of a node that shows none. */
  mesh: number | null;
  /** In place of a mesh. */
  primitive?: Primitive;
  /** What the file calls it for good, where its name may change or come twice: the GlobalId of IFC. */
  id?: string;
  /** The class that the file says it is of: IfcWall. */
  kind?: string;
}

/** A file of meshes. */
export interface MeshFile {
  meshes: FileMesh[];
  /** Depth first, in the order of the file: triangles are numbered in this order. */
  nodes: FileNode[];
  /** The unit of all coordinates where the format or the file says one: m, mm, ... */
  units: string | null;
  /** What was left out, a line each. */
  warnings: string[];
  /**
   * Names of elements that should be there, and that the reader could make nothing of. What is
   * found clear without them is not known to be.
   */
  missing?: string[];
}

/** What a reader may ask of the place that its file lies in. */
export interface Surroundings {
  /**
   * The bytes of a file that the file names, by the path that stands there.
   *
   * @throws InputError where it lies outside, is missing, or may not be read
   */
  open(path: string): Uint8Array;
}

/** A file with one mesh where it stands. */
export function fileOf(mesh: Mesh, name = '', warnings: string[] = []): MeshFile {
  const node = { name, parent: -1, matrix: identity(), mesh: 0 };
  return { meshes: [{ name, mesh }], nodes: [node], units: null, warnings };
}

/** From each node's frame to the file's. */
export function worldMatrices(nodes: readonly FileNode[]): Pose[] {
  const world: Pose[] = [];
  for (const { parent, matrix } of nodes) world.push(parent < 0 ? matrix : compose(world[parent], matrix));
  return world;
}

/**
 * A name for every node, each once: its own or its mesh's; with its ancestors' before where another
 * node has that one; with a number behind where that does not tell them apart either.
 *
 * @example elementNames(fileOf(mesh, 'hull')) // ['hull']
 */
export function elementNames({ meshes, nodes }: MeshFile): string[] {
  const own = nodes.map(({ name, mesh }) => name || (mesh === null ? '' : meshes[mesh].name) || UNNAMED);
  const paths: string[] = [];
  for (const [n, { parent }] of nodes.entries()) paths.push(parent < 0 ? own[n] : `${paths[parent]}/${own[n]}`);
  const shown = nodes.map(({ mesh, primitive }) => mesh !== null || primitive !== undefined);
  const [ofName, ofPath] = [own, paths].map((names) => countsOf(names.filter((_, n) => shown[n])));
  const taken = new Set(own.filter((name, n) => shown[n] && ofName.get(name) === 1));
  return own.map((name, n) => {
    if (!shown[n] || ofName.get(name) === 1) return name;
    if (ofPath.get(paths[n]) === 1 && !taken.has(paths[n])) {
      taken.add(paths[n]);
      return paths[n];
    }
    let number = 1;
    let numbered: string;
    do numbered = number === 1 ? paths[n] : `${paths[n]}~${number}`;
    while (taken.has(numbered) && number++ > 0);
    taken.add(numbered);
    return numbered;
  });
}

const UNNAMED = 'unnamed';

function countsOf(names: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

/**
 * All meshes of a file as one, where their nodes place them: triangles by node, depth first, then as
 * the mesh has them. Each node is an object of the mesh. A mesh that stands alone, where it was
 * written, is itself: with its own objects and groups.
 */
export function wholeMesh(file: MeshFile): Mesh {
  const { meshes, nodes } = file;
  const shown = nodes.flatMap(({ mesh }, n) => (mesh === null ? [] : [n]));
  const world = worldMatrices(nodes);
  if (shown.length === 1 && isIdentity(world[shown[0]])) return meshes[nodes[shown[0]].mesh!].mesh;
  const parts = shown.map((n) => transformMesh(meshes[nodes[n].mesh!].mesh, world[n]));
  const names = elementNames(file);
  const sum = (key: 'positions' | 'triangles'): number => parts.reduce((total, part) => total + part[key].length, 0);
  const positions = new Float64Array(sum('positions'));
  const triangles = new Uint32Array(sum('triangles'));
  const groups: MeshGroup[] = [];
  let [vertex, corner] = [0, 0];
  for (const [k, part] of parts.entries()) {
    positions.set(part.positions, 3 * vertex);
    for (let c = 0; c < part.triangles.length; c++) triangles[corner + c] = vertex + part.triangles[c];
    const count = part.triangles.length / 3;
    if (count > 0) groups.push({ kind: 'object', name: names[shown[k]], first: corner / 3, count });
    vertex += part.positions.length / 3;
    corner += part.triangles.length;
  }
  return { positions, triangles, groups };
}
