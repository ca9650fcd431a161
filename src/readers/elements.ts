/** A mesh file in parts: what it shows node by node, or mesh by mesh. */
import { FormatError } from '../math/errors.ts';
import { identity, type Pose } from '../math/pose.ts';
import type { Mesh } from '../mesh/mesh.ts';
import { splitByGroups } from '../mesh/split.ts';
import {
  distinctNames,
  elementNames,
  type MeshFile,
  meshAlone,
  type Primitive,
  UNNAMED,
  worldMatrices,
} from './mesh-file.ts';

/** What a file may be cut at; `groups` is the first name of `elements`. */
export const SPLITS = ['elements', 'groups', 'meshes'] as const;
export type Split = (typeof SPLITS)[number];

/** A part of a file: a mesh, or a primitive. */
export interface FileElement {
  /** Whole, and of this element alone. */
  name: string;
  /** In its own frame; elements that share it have the same object. Null of a primitive. */
  mesh: Mesh | null;
  primitive: Primitive | null;
  /** From its own frame to the file's. */
  matrix: Pose;
  /** What its own program tells it by, where the file says that: the GlobalId of IFC. */
  id?: string;
}

/**
 * The elements of a file, in its order: each node that shows something, where it stands; of a mesh
 * that stands alone its objects, or its groups where it has none. With `meshes` each mesh once and
 * each primitive, in its own frame. What has no triangles is left out.
 *
 * @throws FormatError where nothing is left
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
  if (alone) return splitByGroups(alone).map(({ name, mesh }) => ({ name, mesh, primitive: null, matrix: identity() }));
  const { meshes, nodes } = file;
  const [names, world] = [elementNames(file), worldMatrices(nodes)];
  return nodes.flatMap(({ mesh, primitive = null, id }, n) => {
    if (mesh === null && primitive === null) return [];
    const own = mesh === null ? null : meshes[mesh].mesh;
    return [{ name: names[n], mesh: own, primitive, matrix: world[n], ...(id !== undefined && { id }) }];
  });
}
