/** Splits a mesh file into elements: node by node, or mesh by mesh. */
import { FormatError } from '../base/errors.ts';
import { identity, type Pose } from '../math/pose.ts';
import type { Mesh } from '../mesh/mesh.ts';
import { splitByGroups } from '../mesh/split.ts';
import {
  distinctNames,
  elementNames,
  type FileNode,
  type IfcFacts,
  type MeshFile,
  meshAlone,
  type Primitive,
  UNNAMED,
  worldMatrices,
} from './mesh-file.ts';

/** Ways to split; `groups` is the former name of `elements`. */
export const SPLITS = ['elements', 'groups', 'meshes'] as const;
export type Split = (typeof SPLITS)[number];

export interface FileElement {
  name: string;
  /** In its own frame; elements that share it have the same object. Null for a primitive. */
  mesh: Mesh | null;
  primitive: Primitive | null;
  /** From its own frame to the file's. */
  matrix: Pose;
  /** See FileNode: how far its chords may be off. */
  tolerance?: FileNode['tolerance'];
  /** Its identifier in the authoring program, if known: the GlobalId of IFC. */
  id?: string;
  ifc?: IfcFacts;
  /** Names of elements that it belongs to, such as the whole that it is a part of. */
  related?: readonly { name: string; why: string }[];
}

/**
 * In file order: each node that shows something, in its place. A mesh without nodes gives its
 * objects, or else its groups. With `meshes`: each mesh once and each primitive, in its own frame.
 * Elements without triangles are left out. Throws FormatError if nothing is left.
 */
export function elementsOf(file: MeshFile, split: Split): FileElement[] {
  const found = (split === 'meshes' ? meshesOf(file) : placedOf(file)).filter(
    ({ mesh }) => mesh === null || mesh.triangles.length > 0,
  );
  if (found.length === 0) throw new FormatError(null, 'at least one triangle', 'none');
  return found;
}

function meshesOf(file: MeshFile): FileElement[] {
  const names = elementNames(file);
  const parts = [
    ...file.meshes.map(({ name, mesh }) => ({ name: name || UNNAMED, mesh, primitive: null })),
    ...file.nodes.flatMap(({ primitive }, n) => (primitive ? [{ name: names[n], mesh: null, primitive }] : [])),
  ];
  const once = distinctNames(parts.map(({ name }) => name));
  return parts.map((part, i) => ({ ...part, name: once[i], matrix: identity() }));
}

function placedOf(file: MeshFile): FileElement[] {
  const alone = meshAlone(file);
  const { meshes, nodes } = file;
  if (alone) {
    const own = factsOf(nodes.find(({ mesh }) => mesh !== null)!);
    return splitByGroups(alone).map(({ name, mesh }) => ({
      ...{ name, mesh, primitive: null, matrix: identity() },
      ...own,
    }));
  }
  const [names, world] = [elementNames(file), worldMatrices(nodes)];
  return nodes.flatMap((node, n) => {
    const { mesh, primitive = null, related } = node;
    if (mesh === null && primitive === null) return [];
    const own = mesh === null ? null : meshes[mesh].mesh;
    const others = related?.map(({ node: other, why }) => ({ name: names[other], why }));
    return [
      {
        ...{ name: names[n], mesh: own, primitive, matrix: world[n] },
        ...factsOf(node),
        ...(others && { related: others }),
      },
    ];
  });
}

const factsOf = ({ id, ifc, tolerance }: FileNode): Pick<FileElement, 'id' | 'ifc' | 'tolerance'> => ({
  ...(tolerance && { tolerance }),
  ...(id !== undefined && { id }),
  ...(ifc && { ifc }),
});

/**
 * Leaves elements out of a file, by their names: nodes show nothing, and a mesh that stands alone
 * loses the triangles. Returns null if nothing is left.
 */
export function withoutElements(file: MeshFile, isOut: (name: string) => boolean): MeshFile | null {
  const alone = meshAlone(file);
  if (alone) {
    const all = splitByGroups(alone);
    const parts = all.filter(({ name }) => !isOut(name));
    if (parts.length === 0) return null;
    return parts.length === all.length ? file : { ...file, ...joinedParts(parts) };
  }
  const names = elementNames(file);
  const nodes = file.nodes.map((node, n) => {
    if ((node.mesh === null && !node.primitive) || !isOut(names[n])) return node;
    const { primitive: _, ...bare } = node;
    return { ...bare, mesh: null };
  });
  const isSome = nodes.some(
    ({ mesh, primitive }) => primitive || (mesh !== null && file.meshes[mesh].mesh.triangles.length > 0),
  );
  return isSome ? { ...file, nodes } : null;
}

/** Parts of one mesh, each a node of its own. */
function joinedParts(parts: readonly { name: string; mesh: Mesh }[]): Pick<MeshFile, 'meshes' | 'nodes'> {
  return {
    meshes: parts.map(({ name, mesh }) => ({ name, mesh: { ...mesh, groups: [] } })),
    nodes: parts.map(({ name }, n) => ({ name, parent: -1, matrix: identity(), mesh: n })),
  };
}
