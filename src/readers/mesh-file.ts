/** The content of a mesh file of any format: meshes, nodes that place them, the reader's notes. */
import { FormatError } from '../base/errors.ts';
import { grouped, printable } from '../base/printable.ts';
import { compose, identity, isIdentity, type Pose } from '../math/pose.ts';
import type { Mesh, MeshGroup } from '../mesh/mesh.ts';
import { transformMesh } from '../mesh/mesh.ts';

/**
 * A solid given by numbers, about its node's origin. The axis of cylinders and capsules is z; a
 * capsule is everything within its radius of a segment of its length.
 */
export type Primitive =
  | { shape: 'box'; size: readonly [number, number, number] }
  | { shape: 'cylinder'; radius: number; length: number }
  | { shape: 'capsule'; radius: number; length: number }
  | { shape: 'sphere'; radius: number };

/** A primitive in a frame, 16 numbers of a rigid pose. */
export type PlacedPrimitive = Primitive & { frame?: readonly number[] | undefined };

export function resized(primitive: Primitive, length: (old: number) => number): Primitive {
  if (primitive.shape === 'box') return { ...primitive, size: primitive.size.map(length) as [number, number, number] };
  const radius = length(primitive.radius);
  if (primitive.shape === 'sphere') return { ...primitive, radius };
  return { ...primitive, radius, length: length(primitive.length) };
}

/** A mesh of a file, in its own frame; several nodes may show it. */
export interface FileMesh {
  /** As in the file, or empty. */
  name: string;
  mesh: Mesh;
}

/** A node of a file's tree. */
export interface FileNode {
  /** As in the file, or empty. */
  name: string;
  /** The number of its parent, which comes before it; -1 for a root. */
  parent: number;
  /** Row-major 4x4, from the node's frame to its parent's. It may scale, shear and mirror. */
  matrix: Pose;
  /** The number of its mesh, or null. */
  mesh: number | null;
  /** In place of a mesh. */
  primitive?: Primitive;
  /** The file's permanent identifier, since names may change or repeat: the GlobalId of IFC. */
  id?: string;
  /**
   * How far the surface that the file describes may lie beyond the mesh, and the mesh beyond it,
   * because curves became chords. Lengths in the file's unit.
   */
  tolerance?: { missing: number; excess: number };
  /** The class in the file: IfcWall. */
  kind?: string;
  /** The facts in IFC about it. */
  ifc?: IfcFacts;
  /** Nodes of the same file that it belongs to, such as the whole that it is a part of. */
  related?: readonly { node: number; why: string }[];
}

/** The facts in an IFC file about an element. */
export interface IfcFacts {
  /** IfcWallStandardCase */
  class: string;
  /** Its class and the class for which its type is made; and the classes above its own. */
  kinds: { own: readonly string[]; above: readonly string[] };
  /** The names of its type, its storey and its materials, if it has any. */
  type?: string;
  storey?: string;
  material?: readonly string[];
}

/** A file of meshes. */
export interface MeshFile {
  meshes: FileMesh[];
  /** Depth first, in the order of the file, in which triangles are numbered. */
  nodes: FileNode[];
  /** The unit of all coordinates, if the format or the file defines one: m, mm, ... */
  units: string | null;
  /** Notes on elements that the reader left out or could not make. */
  notes: readonly ReaderNote[];
}

/** Ways to parse OBJ, to the same bits: see `readObj`. */
export type ObjParser = 'auto' | 'obj-file-parser' | 'scanner';

export interface Surroundings {
  /** By the path in the file. Throws InputError if it is outside, missing, or may not be read. */
  open(path: string): Uint8Array;
  name?: string;
  /** Classes of IFC, or patterns of them, to include although a rule leaves them out. */
  include?: readonly string[] | undefined;
  /**
   * Maximum distance of chords from the curves of IFC: a length in the file's unit, or with its
   * own, such as `1mm`. Default: 1 mm, or 32 chords per circle if that is finer.
   */
  chordTolerance?: number | string | undefined;
  /** How OBJ is parsed: see `readObj`. */
  parser?: ObjParser | undefined;
}

export function fileOf(mesh: Mesh, name = '', notes: readonly ReaderNote[] = []): MeshFile {
  const node = { name, parent: -1, matrix: identity(), mesh: 0 };
  return { meshes: [{ name, mesh }], nodes: [node], units: null, notes };
}

export function worldMatrices(nodes: readonly FileNode[]): Pose[] {
  const world: Pose[] = [];
  for (const { parent, matrix } of nodes) world.push(parent < 0 ? matrix : compose(world[parent], matrix));
  return world;
}

const isShown = ({ mesh, primitive }: FileNode): boolean => mesh !== null || primitive !== undefined;

export const UNNAMED = 'unnamed';

const LONGEST_PATH = 1000;

/**
 * Returns a name for every node, unique among nodes that show something: its own or its mesh's.
 * Ancestors' names precede duplicates, with slashes; a number follows if these are equal, too.
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
 * Makes names unique by numbers after repetitions.
 *
 * @param stays true if the name of this number must stay
 * @example distinctNames(['a', 'b', 'a', 'a~2']) // ['a', 'b', 'a~3', 'a~2']
 */
export function distinctNames(names: readonly string[], stays: (i: number) => boolean = () => false): string[] {
  const taken = new Set(names);
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
 * Joins all meshes in their places: triangles by node, depth first. Each node is an object of the
 * mesh. A single unmoved mesh keeps its objects and arrays. Throws FormatError for primitives.
 */
export function wholeMesh(file: MeshFile): Mesh {
  const solids = file.nodes.filter(({ primitive }) => primitive !== undefined).length;
  if (solids > 0)
    throw new FormatError(
      null,
      'only triangles',
      `${solids} solids of other kinds (boxes, cylinders, capsules, spheres)`,
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

/** The only mesh of a file, unmoved; or null. Without objects it becomes one, named by its node. */
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

/*
 * Notes of readers on files and their elements, and their texts. scene/coverage.ts makes findings
 * and counts of them.
 */

export interface ReaderNote {
  /**
   * - `warning`: leaves every surface whole, such as data without a surface, or bytes after the
   *   end.
   * - `missing`: the surface of an element is missing, wholly or in part.
   * - `left out`: an element without a surface of its own, such as lines or points. A warning
   *   counts these notes, so their own texts are for lists alone.
   */
  kind: 'warning' | 'missing' | 'left out';
  /** The name of the element; null in a warning about the file. */
  element: string | null;
  text: string;
  /** The identifier of the element in the file: the GlobalId of IFC. */
  id?: string;
  /** True if an element has some surface, and other parts of it are missing. */
  isPart?: boolean;
  ifc?: IfcFacts;
}

export const warning = (text: string): ReaderNote => ({ kind: 'warning', element: null, text });

export const missing = (
  element: string,
  text: string,
  { id, isPart = false, ifc }: Pick<ReaderNote, 'id' | 'isPart' | 'ifc'> = {},
): ReaderNote => ({
  ...{ kind: 'missing', element, text, isPart },
  ...(id !== undefined && { id }),
  ...(ifc && { ifc }),
});

export const leftOut = (element: string, text: string, id?: string): ReaderNote => ({
  ...{ kind: 'left out', element, text },
  ...(id !== undefined && { id }),
});

/** A file without triangles; the notes account for its elements. */
export class NoSurfaceError extends FormatError {
  constructor(
    readonly notes: readonly ReaderNote[],
    expected: string,
    found: string,
  ) {
    super(null, expected, found);
  }
}

const SHOWN = 3;
const LONGEST_NAME = 120;

const short = (name: string): string =>
  printable(name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME - 3)}...` : name);

export const someOf = (names: readonly string[]): string =>
  `${names.slice(0, SHOWN).map(short).join(', ')}${names.length > SHOWN ? ', ...' : ''}`;

export const leftOutText = (names: readonly string[], noun: string): string =>
  `${grouped(names.length)} ${noun}${names.length === 1 ? '' : 's'} without faces left out: ${someOf(names)}`;

export const warningsIn = (notes: readonly ReaderNote[]): string[] =>
  notes.filter(({ kind }) => kind === 'warning').map(({ text }) => text);

export function linesOfNotes(notes: readonly ReaderNote[]): string[] {
  const lines: string[] = [];
  const reasons = new Map<string, string[]>();
  for (const { kind, element, text } of notes) {
    if (kind !== 'missing') continue;
    const names = reasons.get(text) ?? [];
    names.push(element ?? '');
    reasons.set(text, names);
  }
  for (const [text, names] of reasons)
    lines.push(
      `${grouped(names.length)} incomplete ${names.length === 1 ? 'element' : 'elements'} (${text}): ${someOf(names)}`,
    );
  return [...lines, ...warningsIn(notes)];
}
