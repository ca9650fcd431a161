/** What a file of meshes holds, whatever its format: meshes, and nodes that place them. */
import { FormatError } from '../math/errors.ts';
import { compose, identity, isIdentity, type Pose } from '../math/pose.ts';
import type { Mesh, MeshGroup } from '../mesh/mesh.ts';
import { transformMesh } from '../mesh/transform.ts';

/**
 * A solid that a file describes by numbers, about its node's origin. A cylinder and a capsule stand
 * along z; a capsule is all that is within its radius of a segment of its length.
 */
export type Primitive =
  | { shape: 'box'; size: readonly [number, number, number] }
  | { shape: 'cylinder'; radius: number; length: number }
  | { shape: 'capsule'; radius: number; length: number }
  | { shape: 'sphere'; radius: number };

/** A primitive where it stands: the frame, 16 numbers of a rigid pose, comes first. */
export type PlacedPrimitive = Primitive & { frame?: readonly number[] | undefined };

/** A primitive whose lengths are others. */
export function resized(primitive: Primitive, length: (old: number) => number): Primitive {
  if (primitive.shape === 'box') return { ...primitive, size: primitive.size.map(length) as [number, number, number] };
  const radius = length(primitive.radius);
  if (primitive.shape === 'sphere') return { ...primitive, radius };
  return { ...primitive, radius, length: length(primitive.length) };
}

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
  /** What the file is called, for messages. */
  name?: string;
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

/** Whether a node shows something. */
const isShown = ({ mesh, primitive }: FileNode): boolean => mesh !== null || primitive !== undefined;

/** What a node, or a mesh, without a name is called. */
export const UNNAMED = 'unnamed';

/** Characters of a name that ancestors may stand in front of. */
const LONGEST_PATH = 1000;

/**
 * A name for every node; of those that show something each is once there. It is the node's own or
 * its mesh's. Where several have that name its ancestors' stand in front, with slashes; where these
 * do not tell them apart either, a number stands behind.
 *
 * @example elementNames(fileOf(mesh, 'hull')) // ['hull']
 */
export function elementNames({ meshes, nodes }: MeshFile): string[] {
  const own = nodes.map(({ name, mesh }) => name || (mesh === null ? '' : meshes[mesh].name) || UNNAMED);
  const uses = new Map<string, number>();
  for (const [n, name] of own.entries()) if (isShown(nodes[n])) uses.set(name, (uses.get(name) ?? 0) + 1);
  const lengths: number[] = [];
  for (const [n, { parent }] of nodes.entries()) lengths.push(own[n].length + (parent < 0 ? 0 : lengths[parent] + 1));
  const pathOf = (n: number): string => {
    const parts: string[] = [];
    for (let k = n; k >= 0; k = nodes[k].parent) parts.push(own[k]);
    return parts.reverse().join('/');
  };
  const shown = [...nodes.keys()].filter((n) => isShown(nodes[n]));
  const isAlone = (n: number): boolean => uses.get(own[n]) === 1;
  const wanted = shown.map((n) => (isAlone(n) || lengths[n] > LONGEST_PATH ? own[n] : pathOf(n)));
  const names = own.slice();
  for (const [i, name] of distinctNames(wanted, (i) => isAlone(shown[i])).entries()) names[shown[i]] = name;
  return names;
}

/**
 * The names, each once: a name that only one has stays; of those that several have the first one
 * stays, and the others have a number behind.
 *
 * @param stays whether the name of this number is one that has to stay
 * @example distinctNames(['a', 'b', 'a', 'a~2']) // ['a', 'b', 'a~3', 'a~2']
 */
export function distinctNames(names: readonly string[], stays: (i: number) => boolean = () => false): string[] {
  const taken = new Set(names);
  /** The last number of each name that is used. */
  const numbers = new Map<string, number>();
  for (const [i, name] of names.entries()) if (stays(i)) numbers.set(name, 1);
  return names.map((name, i) => {
    let number = (numbers.get(name) ?? 0) + 1;
    if (stays(i)) return name;
    while (number > 1 && taken.has(`${name}~${number}`)) number++;
    numbers.set(name, number);
    return number === 1 ? name : `${name}~${number}`;
  });
}

/**
 * All meshes of a file as one, where their nodes place them: triangles by node, depth first, then
 * as the mesh has them. Each node is an object of the mesh. A mesh that stands alone, where it was
 * written, keeps the objects that it has, and its arrays.
 *
 * @throws FormatError for primitives, which have no triangles
 */
export function wholeMesh(file: MeshFile): Mesh {
  const solids = file.nodes.filter(({ primitive }) => primitive !== undefined).length;
  if (solids > 0)
    throw new FormatError(
      null,
      'triangles alone',
      `${solids} solids that are no triangles: boxes, cylinders, capsules, spheres`,
    );
  const alone = meshAlone(file);
  if (alone) return alone;
  const { meshes, nodes } = file;
  const shown = [...nodes.keys()].filter((n) => nodes[n].mesh !== null);
  const world = worldMatrices(nodes);
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

/**
 * The mesh of a file that shows one, where it was written, and nothing else; else null. Without
 * objects of its own it is one, of its node's name.
 */
export function meshAlone({ meshes, nodes }: MeshFile): Mesh | null {
  const shown = nodes.filter(isShown);
  if (shown.length !== 1 || shown[0].mesh === null) return null;
  if (!isIdentity(worldMatrices(nodes)[nodes.indexOf(shown[0])])) return null;
  const { name, mesh } = meshes[shown[0].mesh];
  const own = shown[0].name || name;
  if (own === '' || mesh.groups.some(({ kind }) => kind === 'object')) return mesh;
  const object: MeshGroup = { kind: 'object', name: own, first: 0, count: mesh.triangles.length / 3 };
  return { ...mesh, groups: [object, ...mesh.groups] };
}
