/**
 * Reads glTF 2.0 and GLB: the triangles of a file's scene, in meters, and its nodes. gltf-transform
 * decodes compressed data; the tree, the checks and the meshes are ours. Materials, textures and
 * images are never opened.
 *
 * Khronos Group, "glTF 2.0 Specification" (ISO/IEC 12113:2022), with the extensions of READ.
 */
import { FormatError } from '../../base/errors.ts';
import { parseJson } from '../../base/json-text.ts';
import { counted, grouped, quoted } from '../../base/printable.ts';
import { identity, type Pose } from '../../math/pose.ts';
import { turnedRound } from '../../mesh/mesh.ts';
import {
  type FileNode,
  leftOut,
  type MeshFile,
  missing,
  NoSurfaceError,
  type ReaderNote,
  type Surroundings,
  warning,
} from '../mesh-file.ts';
import { isGlb } from '../signatures.ts';
import {
  type Accessor,
  Budget,
  itemOf,
  listOf,
  type Part,
  partOf,
  refuse,
  textOf,
  type Views,
  wholeOf,
} from './accessors.ts';
import { decode } from './decode.ts';
import { meshOf } from './mesh.ts';
import {
  type Instances,
  instanceAccessors,
  instanceMatrices,
  NodePlaces,
  nameOfNode,
  planInstances,
  readTree,
  requireFew,
  type TreeNode,
} from './nodes.ts';
import { makeMeshes, type Plans, plainAccessors, planMeshes, surfacesOf } from './primitives.ts';
import { movedSurfaces, type Placement, placeSkins, planSkins, skinAccessors } from './skins.ts';

/**
 * @param around opens buffers in other files, below the file's folder
 * @throws FormatError for unsupported versions and extensions, and for missing bytes
 */
export async function readGltf(bytes: Uint8Array, around: Surroundings): Promise<MeshFile> {
  const outline = outlineOf(bytes, around);
  const { root, views, tree, shown, plans, instances, skins, notes } = outline;
  const decoded = await decode(views, outlineAccessors(outline), [...plans.dracos.values()]);
  const { placements, weightless } = placeSkins(skins, outline.places, plans, decoded);
  const bakedOf = (node: TreeNode): Placement | null => {
    const placement = placements.get(node);
    return placement && placement.matrix === null ? placement : null;
  };
  const plain = new Set(tree.flatMap((node) => (bakedOf(node) ? [] : (node.mesh ?? []))));
  const made = makeMeshes(plans, decoded, (n) => plain.has(n));
  const meshes = [...made.values()];
  const numbers = new Map<number | string, number>([...made.keys()].map((n, place) => [n, place]));
  for (const node of tree) {
    const placement = bakedOf(node);
    if (!placement || numbers.has(placement.key)) continue;
    const { name, primitives } = plans.meshes.get(node.mesh!)!;
    const surfaces = movedSurfaces(surfacesOf(name, primitives, decoded, new Map()), placement, views);
    const mesh = meshOf(surfaces);
    numbers.set(placement.key, meshes.length);
    meshes.push({ name, mesh: placement.isTurned ? { ...mesh, triangles: turnedRound(mesh.triangles) } : mesh });
  }
  notes.push(...notesWithout(root, tree, instances, plans));
  if (meshes.length === 0) throw new NoSurfaceError(notes, 'a scene with triangles', 'none');
  const meshOfNode = (node: TreeNode): number | null =>
    (node.mesh === null ? null : numbers.get(bakedOf(node)?.key ?? node.mesh)) ?? null;
  const nodes = nodesOf(tree, meshOfNode, placements, (node) => {
    const several = instances.get(node);
    return several ? instanceMatrices(several, node, decoded) : null;
  });
  const unseen = listOf(root, 'meshes').length - shown.length;
  const unbound = tree.filter((node) => node.skin !== null && !skins.has(node)).length;
  const animations = listOf(root, 'animations').length;
  const warn = (count: number, noun: string, text: string): void => {
    if (count > 0) notes.push(warning(`${counted(count, noun)} ${text}`));
  };
  warn(unseen, 'mesh', 'left out: in no node of the scene');
  warn(plans.skipped, 'primitive', 'skipped: points or lines');
  warn(plans.morphing, 'mesh', 'read without morph targets');
  warn(skins.size, 'node', 'with a skin: read in the rest pose of the joints');
  warn(unbound, 'node', 'with a skin, but without joints in the mesh: placed by the node');
  warn(weightless, 'point', 'of skins without weights: moved by the first joint');
  warn(animations, 'animation', 'left out');
  return { meshes, nodes, units: 'm', notes };
}

function notesWithout(
  root: Part,
  tree: readonly TreeNode[],
  instances: ReadonlyMap<TreeNode, Instances>,
  { meshes }: Plans,
): ReaderNote[] {
  return tree.flatMap((node) => {
    if (node.mesh === null || meshes.get(node.mesh)!.primitives.length > 0) return [];
    const note = leftOut(nameOfNode(root, node.name, node.mesh), 'only points or lines');
    return Array<ReaderNote>(instances.get(node)?.count ?? 1).fill(note);
  });
}

type Outline = ReturnType<typeof outlineOf>;

export function outlineOf(bytes: Uint8Array, around: Surroundings) {
  const { root, binary, notes } = takeApart(bytes);
  requireReadable(root);
  const views = viewsOf(root, bytes.length, binary, around);
  const places = new NodePlaces(root);
  const tree = readTree(root, places, notes);
  const shown = [...new Set(tree.flatMap(({ mesh }) => mesh ?? []))].sort((a, b) => a - b);
  const skinned = new Set(tree.flatMap(({ mesh, skin }) => (mesh === null || skin === null ? [] : mesh)));
  const plans = planMeshes(views, shown, skinned);
  const skins = planSkins(views, tree, plans);
  const instances = planInstances(views, tree);
  for (const [node, { count }] of instances) {
    if (!skins.has(node)) continue;
    instances.delete(node);
    const text = `${count} instances of a skinned mesh, which are read as one`;
    notes.push(missing(nameOfNode(root, node.name, node.mesh!), text, { isPart: true }));
  }
  requireFew([...instances.values()].reduce((sum, { count }) => sum + count, tree.length + skins.size));
  return { root, views, places, tree, shown, plans, skins, instances, notes };
}

export const outlineAccessors = ({ plans, instances, skins }: Outline): Accessor[] => [
  ...new Set([...plainAccessors(plans), ...instanceAccessors(instances.values()), ...skinAccessors(skins.values())]),
];

const READ = [
  'KHR_mesh_quantization',
  'KHR_accessor_float64',
  'KHR_draco_mesh_compression',
  'KHR_meshopt_compression',
  'EXT_meshopt_compression',
  'EXT_mesh_gpu_instancing',
];
/** Extensions that move no vertex and no node: materials, textures, lights, metadata. */
const IRRELEVANT =
  /^[A-Z][A-Z\d]*_(?:materials?|textures?|images?|lights?|lightmap|packing|techniques|audio|xmp|structural_metadata|feature_metadata|stk_metadata|mesh_features|instance_features|animation_pointer|node_visibility|node_hoverability|node_selectability|primitive_outline)(?:_|$)|^VRM(?:C_|$)/;

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
  // Once, even if many buffers are in one file.
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

/**
 * The nodes of the file. A skinned mesh becomes a root: its own node and those above it do not move
 * it, but may move children.
 */
export function nodesOf(
  tree: readonly TreeNode[],
  meshOf: (node: TreeNode) => number | null,
  placements: ReadonlyMap<TreeNode, Placement>,
  instancesOf: (node: TreeNode) => Pose[] | null,
): FileNode[] {
  const nodes: FileNode[] = [];
  const places: number[] = [];
  for (const node of tree) {
    const { name, matrix } = node;
    const parent = node.parent < 0 ? -1 : places[node.parent];
    const mesh = meshOf(node);
    const placement = mesh === null ? undefined : placements.get(node);
    const several = mesh === null ? null : instancesOf(node);
    places.push(nodes.length);
    nodes.push({ name, parent, matrix, mesh: several || placement ? null : mesh });
    const place = nodes.length - 1;
    if (placement) nodes.push({ name, parent: -1, matrix: placement.matrix ?? identity(), mesh });
    for (const matrix of several ?? []) nodes.push({ name: '', parent: place, matrix, mesh });
  }
  return nodes;
}

/*
 * Takes a glTF file apart: the chunks of a GLB, and buffers within it, in `data:` addresses, or in
 * files beside it.
 *
 * Khronos Group, "glTF 2.0 Specification", sections 3.6 and 4.4 (ISO/IEC 12113:2022).
 */

interface Container {
  root: Part;
  binary: Uint8Array | null;
  notes: ReaderNote[];
}

const JSON_CHUNK = 0x4e4f534a;
const BINARY_CHUNK = 0x004e4942;
/** Most bytes of JSON: its text must fit in a string, and its value in memory. */
const MOST_JSON = 2 ** 28;
/** Most values in JSON: an empty object takes 2 bytes there, and 56 in memory. */
const MOST_VALUES = 2 ** 24;

const COMMA = 0x2c;
const BRACE = 0x7b;
const BRACKET = 0x5b;

function takeApart(bytes: Uint8Array): Container {
  if (isGlb(bytes)) return takeGlbApart(bytes);
  return { root: parsed(bytes), binary: null, notes: [] };
}

function parsed(text: Uint8Array): Part {
  if (text.length > MOST_JSON) {
    throw new FormatError(null, `at most ${grouped(MOST_JSON)} bytes of JSON`, grouped(text.length));
  }
  let values = 1;
  for (let i = 0; i < text.length; i++) if (text[i] === COMMA || text[i] === BRACE || text[i] === BRACKET) values++;
  if (values > MOST_VALUES) {
    throw new FormatError(null, `at most ${grouped(MOST_VALUES)} values in JSON`, grouped(values));
  }
  return partOf(parseJson(text), []);
}

function takeGlbApart(bytes: Uint8Array): Container {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < 20) {
    throw new FormatError(null, 'a GLB of at least 20 bytes', `${bytes.length}`);
  }
  const version = view.getUint32(4, true);
  if (version !== 2) throw new FormatError({ byte: 4 }, 'version 2 of GLB', `${version}`);
  const length = view.getUint32(8, true);
  if (length > bytes.length) {
    throw new FormatError({ byte: 8 }, `a GLB of ${grouped(length)} bytes`, grouped(bytes.length));
  }
  const rest = bytes.length - length;
  const notes = rest > 0 ? [warning(`${rest} bytes after the end of the GLB were skipped`)] : [];
  let json: Uint8Array | null = null;
  let binary: Uint8Array | null = null;
  // By the specification further chunks are skipped.
  for (let from = 12, k = 0; from + 8 <= length && k < 2; k++) {
    const size = view.getUint32(from, true);
    const type = view.getUint32(from + 4, true);
    if (from + 8 + size > length) {
      const expected = `a chunk of at most ${grouped(length - from - 8)} bytes`;
      throw new FormatError({ byte: from }, expected, grouped(size));
    }
    const chunk = bytes.subarray(from + 8, from + 8 + size);
    if (k === 0 && type === JSON_CHUNK) json = chunk;
    if (k === 1 && type === BINARY_CHUNK) binary = chunk;
    from += 8 + size;
  }
  if (!json) throw new FormatError({ byte: 16 }, 'the chunk JSON', `chunk type ${view.getUint32(16, true)}`);
  return { root: parsed(json), binary, notes };
}

/** Throws FormatError for missing bytes, and addresses outside of the file's own folder. */
function bufferBytes(buffer: Part, n: number, binary: Uint8Array | null, around: Surroundings): Uint8Array {
  const uri = textOf(buffer, 'uri');
  const length = wholeOf(buffer, 'byteLength', 1, Number.MAX_SAFE_INTEGER);
  const place = [...buffer.path, 'uri'];
  let found: Uint8Array;
  if (uri.startsWith('data:')) found = bytesOfData(uri, place);
  else if (uri !== '') found = around.open(pathOf(uri, place));
  else if (n === 0 && binary) found = binary;
  else refuse('the address of a buffer', place, undefined);
  if (found.length < length) {
    const where = uri === '' ? ' in the GLB' : uri.startsWith('data:') ? '' : ` in ${quoted(uri)}`;
    const expected = `${grouped(length)} bytes of buffers[${n}]${where}`;
    throw new FormatError(null, expected, grouped(found.length));
  }
  return found.subarray(0, length);
}

function pathOf(uri: string, place: Part['path']): string {
  let path: string;
  try {
    path = decodeURIComponent(uri);
  } catch {
    refuse('an address with a valid percent-encoding of UTF-8', place, uri);
  }
  const isInside =
    !/^[a-z][a-z\d+.-]*:|^[/\\]|[\\\0]/i.test(path) &&
    !/^[a-z][a-z\d+.-]*:/i.test(uri) &&
    !path.split('/').includes('..');
  if (!isInside) refuse('a path below the folder of the file', place, uri);
  return path;
}

const DATA = /^data:[^,;]{0,200}(?:;[^,;]{0,200}){0,10};base64,/;

function bytesOfData(uri: string, place: Part['path']): Uint8Array {
  const start = DATA.exec(uri)?.[0].length;
  if (start === undefined) refuse('data:...;base64,...', place, uri);
  let end = uri.length;
  while (end > start && uri[end - 1] === '=') end--;
  const letters = end - start;
  if (letters % 4 === 1 || uri.length - end > 2) refuse('whole bytes of base64', place, uri);
  const bytes = new Uint8Array(Math.floor((letters * 3) / 4));
  let bits = 0;
  for (let i = 0, to = 0; i < letters; i++) {
    const sextet = SEXTETS[uri.charCodeAt(start + i) & 127];
    if (sextet < 0 || uri.charCodeAt(start + i) > 127)
      refuse('letters of base64', place, uri.slice(start + i, start + i + 1));
    bits = (bits << 6) | sextet;
    if (i % 4 > 0) bytes[to++] = bits >> (6 - 2 * (i % 4));
  }
  return bytes;
}

/** The value of each letter of base64, also of its URL variant; -1 for others. */
const SEXTETS = (() => {
  const table = new Int8Array(128).fill(-1);
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
  for (let k = 0; k < 64; k++) table[letters.charCodeAt(k)] = k;
  table['-'.charCodeAt(0)] = 62;
  table['_'.charCodeAt(0)] = 63;
  return table;
})();
