/**
 * Reads glTF 2.0 and GLB: the triangles of a file's scene, in meters, and its nodes. gltf-transform
 * decodes compressed and interleaved data; the tree, the checks and the meshes are ours. Materials,
 * textures and images are never opened.
 *
 * Khronos Group, "glTF 2.0 Specification" (ISO/IEC 12113:2022), with the extensions of READ.
 */
import { FormatError } from '../base/errors.ts';
import { quoted } from '../base/printable.ts';
import { Budget, type Views } from './gltf-accessors.ts';
import { bufferBytes, takeApart } from './gltf-container.ts';
import { type Decoded, decode } from './gltf-decode.ts';
import { type Instances, instanceAccessors, instanceMatrices, planInstances } from './gltf-instances.ts';
import { itemOf, listOf, type Part, partOf, refuse, textOf } from './gltf-json.ts';
import { nameOfNode, readTree, requireFew, type TreeNode } from './gltf-nodes.ts';
import { makeMeshes, plainAccessors, planMeshes } from './gltf-primitives.ts';
import type { FileNode, MeshFile, Surroundings } from './mesh-file.ts';
import { leftOut, NoSurfaceError, type ReaderNote, warning } from './notes.ts';

/**
 * @param around opens buffers in other files, below the file's folder
 * @throws FormatError for unsupported versions and extensions, and for missing bytes
 */
export async function readGltf(bytes: Uint8Array, around: Surroundings): Promise<MeshFile> {
  const { root, views, tree, shown, plans, instances, notes } = outlineOf(bytes, around);
  const accessors = new Set([...plainAccessors(plans), ...instanceAccessors(instances.values())]);
  const decoded = await decode(views, [...accessors], [...plans.dracos.values()]);
  const meshes = makeMeshes(plans, decoded);
  notes.push(...notesWithout(root, tree, instances, meshes));
  if (meshes.size === 0) throw new NoSurfaceError(notes, 'a scene with triangles', 'none');
  const numbers = new Map([...meshes.keys()].map((n, place) => [n, place]));
  const nodes = nodesOf(tree, instances, decoded, numbers);
  const unseen = listOf(root, 'meshes').length - shown.length;
  const skinned = tree.filter(({ hasSkin, mesh }) => hasSkin && mesh !== null).length;
  const animations = listOf(root, 'animations').length;
  const warn = (count: number, text: string): void => {
    if (count > 0) notes.push(warning(`${count} ${text}`));
  };
  warn(unseen, 'meshes hang on no node of the scene and were left out');
  warn(plans.skipped, 'primitives of points or lines are no surface and were skipped');
  warn(plans.morphing, 'meshes have morph targets, which were left out');
  warn(skinned, 'nodes have a skin, which was left out: their meshes are at rest');
  warn(animations, 'animations were left out');
  return { meshes: [...meshes.values()], nodes, units: 'm', notes };
}

function notesWithout(
  root: Part,
  tree: readonly TreeNode[],
  instances: ReadonlyMap<TreeNode, Instances>,
  meshes: ReadonlyMap<number, unknown>,
): ReaderNote[] {
  return tree.flatMap((node) => {
    if (node.mesh === null || meshes.has(node.mesh)) return [];
    const note = leftOut(nameOfNode(root, node.name, node.mesh), 'points or lines alone');
    return Array<ReaderNote>(instances.get(node)?.count ?? 1).fill(note);
  });
}

export function outlineOf(bytes: Uint8Array, around: Surroundings) {
  const { root, binary, notes } = takeApart(bytes);
  requireReadable(root);
  const views = viewsOf(root, bytes.length, binary, around);
  const tree = readTree(root, notes);
  const shown = [...new Set(tree.flatMap(({ mesh }) => mesh ?? []))].sort((a, b) => a - b);
  const plans = planMeshes(views, shown);
  const instances = planInstances(views, tree);
  requireFew([...instances.values()].reduce((sum, { count }) => sum + count, tree.length));
  return { root, views, tree, shown, plans, instances, notes };
}

const READ = [
  'KHR_mesh_quantization',
  'KHR_accessor_float64',
  'KHR_draco_mesh_compression',
  'KHR_meshopt_compression',
  'EXT_meshopt_compression',
  'EXT_mesh_gpu_instancing',
];
/** Prefixes of extensions that move no vertex and no node. */
const IRRELEVANT =
  /^(?:KHR_materials_|KHR_texture_|EXT_texture_|MSFT_texture_|KHR_lights_|EXT_lights_|KHR_xmp|KHR_audio|KHR_animation_pointer$|KHR_node_visibility$|EXT_mesh_features$|EXT_instance_features$|EXT_structural_metadata$)/;

function requireReadable(root: Part): void {
  if (root.value.asset === undefined) refuse('the asset of glTF', [], root.value);
  const asset = partOf(root.value.asset, ['asset']);
  const version = textOf(asset, 'version');
  if (!/^2\.\d+$/.test(version)) refuse('version 2.0 of glTF', ['asset', 'version'], asset.value.version);
  const least = textOf(asset, 'minVersion');
  if (least !== '' && least !== '2.0') refuse('version 2.0 of glTF', ['asset', 'minVersion'], least);
  for (const name of listOf(root, 'extensionsRequired')) {
    if (typeof name === 'string' && (READ.includes(name) || IRRELEVANT.test(name))) continue;
    const found = typeof name === 'string' ? quoted(name) : 'no name';
    throw new FormatError(null, 'no required extension that gicollide does not read', found);
  }
}

function viewsOf(root: Part, size: number, binary: Uint8Array | null, around: Surroundings): Views {
  const budget = new Budget(size);
  const buffers = new Map<number, Uint8Array>();
  const opened = new Map<string, Uint8Array>();
  // Once, however many buffers are in one file.
  const open = (path: string): Uint8Array => {
    const bytes = opened.get(path) ?? around.open(path);
    if (!opened.has(path)) budget.grow(bytes.length);
    opened.set(path, bytes);
    return bytes;
  };
  const buffer = (n: number): Uint8Array => {
    const bytes = buffers.get(n) ?? bufferBytes(itemOf(root, 'buffers', n), n, binary, { open });
    buffers.set(n, bytes);
    return bytes;
  };
  return { root, budget, buffer, seen: new Map(), accessors: new Map() };
}

function nodesOf(
  tree: readonly TreeNode[],
  instances: ReadonlyMap<TreeNode, Instances>,
  decoded: Decoded,
  meshes: ReadonlyMap<number, number>,
): FileNode[] {
  const nodes: FileNode[] = [];
  const places: number[] = [];
  for (const node of tree) {
    const parent = node.parent < 0 ? -1 : places[node.parent];
    const mesh = node.mesh === null ? null : (meshes.get(node.mesh) ?? null);
    const several = mesh === null ? undefined : instances.get(node);
    places.push(nodes.length);
    nodes.push({ name: node.name, parent, matrix: node.matrix, mesh: several ? null : mesh });
    const place = nodes.length - 1;
    for (const matrix of several ? instanceMatrices(several, node, decoded) : []) {
      nodes.push({ name: '', parent: place, matrix, mesh });
    }
  }
  return nodes;
}
