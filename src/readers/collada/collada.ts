/**
 * Reads the geometry of COLLADA 1.4 and 1.5 (.dae): meshes, and the nodes of the scene that place
 * them. Materials, cameras, lights, animations and physics are ignored.
 *
 * Coordinates become meters, by the file's <unit>. The axes stay as they are in the file, and
 * <up_axis> is ignored: so do RViz, MoveIt (geometric_shapes) and Gazebo. So a URDF with its meshes
 * looks there as it does here, and no other format is turned, either. Loaders that turn every file
 * until y is up, such as assimp, are corrected by those of robots for the same reason
 * (ros-visualization/rviz#1045, moveit/geometric_shapes#52).
 */
import { FormatError } from '../../base/errors.ts';
import { counted, grouped, quoted } from '../../base/printable.ts';
import { only, readXml, type XmlElement } from '../../base/xml.ts';
import { compose, identity, type Pose } from '../../math/pose.ts';
import {
  type FileMesh,
  type FileNode,
  leftOut,
  leftOutText,
  type MeshFile,
  missing,
  NoSurfaceError,
  UNNAMED,
  warning,
} from '../mesh-file.ts';
import { type ColladaDocument, childrenOf, documentOf, elsewhere, nameOf, someNumbers, target } from './document.ts';
import { type Geometry, readGeometry } from './geometry.ts';
import { matrixOf, transformOf } from './transforms.ts';

const MOST_BYTES = 2 ** 28;
/** Limits the nesting of elements in the file, and of nodes that instances put into each other. */
const MOST_NESTED = 256;
/** Tags of 16 MiB hold about as many. */
const MOST_NODES = 2 ** 18;
/** Keeps moved coordinates from overflowing. */
const LARGEST = 1e150;

interface Reading {
  document: ColladaDocument;
  meter: number;
  geometries: Map<XmlElement, Geometry & { number: number | null; name: string }>;
  meshes: FileMesh[];
  nodes: FileNode[];
  worlds: Pose[];
  /** Nodes above, whose instances would form a ring. */
  above: Set<XmlElement>;
  skins: number;
  morphs: number;
  /** Nodes whose geometry has no triangles. */
  bare: string[];
}

/** @throws FormatError with the line, also for other versions, and instances that form a ring */
export function readCollada(bytes: Uint8Array): MeshFile {
  const root = readXml(bytes, { texts: true, mostBytes: MOST_BYTES, mostNested: MOST_NESTED });
  if (root.name !== 'COLLADA') throw new FormatError({ line: root.line }, '<COLLADA>', `<${root.name}>`);
  const version = root.attributes.get('version') ?? '';
  if (!/^1\.[45]\b/.test(version))
    throw new FormatError(
      { line: root.line },
      'version 1.4 or 1.5 of COLLADA',
      version === '' ? 'none' : quoted(version),
    );
  const document = documentOf(root, bytes.length);
  const { notes } = document;
  const asset = only(root, 'asset');
  const up = (asset && only(asset, 'up_axis')?.text?.trim()) ?? '';
  if (up !== '' && up !== 'Z_UP') notes.push(warning(`up_axis is ${quoted(up)}; the axes were left as they are`));
  const reading: Reading = {
    ...{ document, meter: meterOf(asset && only(asset, 'unit')), geometries: new Map(), meshes: [], nodes: [] },
    ...{ worlds: [], above: new Set(), skins: 0, morphs: 0, bare: [] },
  };
  const scene = sceneOf(document);
  if (scene) for (const node of childrenOf(scene, 'node')) addNode(reading, node, -1);
  else for (const geometry of allGeometries(root)) show(reading, geometry, '', -1, identity());
  tell(reading);
  const { meshes, nodes } = reading;
  if (meshes.length === 0) throw new NoSurfaceError(notes, 'a scene with triangles', 'none');
  return { meshes, nodes, units: 'm', notes };
}

function meterOf(unit: XmlElement | null): number {
  const text = unit?.attributes.get('meter')?.trim() ?? '1';
  const meter = /^[\d.eE+-]+$/.test(text) ? Number(text) : Number.NaN;
  if (meter >= 1e-30 && meter <= 1e30) return meter;
  throw new FormatError({ line: unit!.line }, 'a number above 0 as meter of <unit>', quoted(text));
}

const allGeometries = (root: XmlElement): XmlElement[] =>
  childrenOf(root, 'library_geometries').flatMap((library) => childrenOf(library, 'geometry'));

/** The scene that the file shows, else its first; null without scenes. */
function sceneOf(document: ColladaDocument): XmlElement | null {
  const { root, notes } = document;
  const shown = only(root, 'scene');
  const instance = shown && only(shown, 'instance_visual_scene');
  if (instance && elsewhere(instance, 'url') === null) return target(document, instance, 'url', ['visual_scene']);
  const scenes = childrenOf(root, 'library_visual_scenes').flatMap((library) => childrenOf(library, 'visual_scene'));
  if (scenes.length === 0) notes.push(warning('the file has no scene; each geometry was read once, at the origin'));
  else notes.push(warning('the file names no scene of its own to show; its first one was read'));
  return scenes[0] ?? null;
}

function push(reading: Reading, node: FileNode, { line }: XmlElement): number {
  const { nodes, worlds } = reading;
  if (nodes.length >= MOST_NODES)
    throw new FormatError({ line }, `at most ${grouped(MOST_NODES)} nodes and instances`, 'more');
  const world = node.parent < 0 ? node.matrix : compose(worlds[node.parent], node.matrix);
  if (!world.every((x) => Math.abs(x) <= LARGEST))
    throw new FormatError({ line }, `numbers of size at most ${LARGEST} in the product of the matrices`, 'larger ones');
  worlds.push(world);
  return nodes.push(node) - 1;
}

function addNode(reading: Reading, node: XmlElement, parent: number): void {
  const { document, above } = reading;
  const { line } = node;
  if (above.has(node))
    throw new FormatError({ line }, 'nodes that are no instance of themselves', quoted(nameOf(node)));
  if (above.size >= MOST_NESTED) throw new FormatError({ line }, `at most ${MOST_NESTED} levels of nodes`, 'more');
  above.add(node);
  const name = nameOf(node);
  const matrix = transformOf(document, node, reading.meter);
  const number = push(reading, { name, parent, matrix, mesh: null }, node);
  const shown = node.children.filter((child) => /^instance_(geometry|controller)$/.test(child.name));
  for (const instance of shown) {
    const place = shown.length === 1 ? name : '';
    const away = elsewhere(instance, 'url');
    if (away !== null) {
      document.notes.push(missing(name || UNNAMED, `it is in another file, ${quoted(away)}, which is not read`));
      continue;
    }
    const { geometry, bind } = geometryOf(reading, instance);
    if (shown.length === 1 && bind === null) fill(reading, geometry, name, number);
    else show(reading, geometry, place, number, bind ?? identity());
  }
  for (const child of node.children) {
    if (child.name === 'node') addNode(reading, child, number);
    if (child.name !== 'instance_node') continue;
    const away = elsewhere(child, 'url');
    if (away === null) addNode(reading, target(document, child, 'url', ['node']), number);
    else document.notes.push(missing(name || UNNAMED, `a node is in another file, ${quoted(away)}, which is not read`));
  }
  above.delete(node);
}

/** The geometry of an instance; of a skin with the matrix that binds it, and without its joints. */
function geometryOf(reading: Reading, instance: XmlElement): { geometry: XmlElement; bind: Pose | null } {
  const { document } = reading;
  let bind: Pose | null = null;
  let found = target(document, instance, 'url', ['geometry', 'controller']);
  for (let k = 0; found.name === 'controller'; k++) {
    const inner = found.children.find(({ name }) => name === 'skin' || name === 'morph');
    if (!inner || k > 8) throw new FormatError({ line: found.line }, 'a <skin> or <morph> of a geometry', 'none');
    const shape = only(inner, 'bind_shape_matrix');
    if (shape) {
      const matrix = matrixOf(Array.from(someNumbers(document, shape, 16)), shape);
      for (const row of [3, 7, 11]) matrix[row] *= reading.meter;
      bind = bind ? compose(bind, matrix) : matrix;
    }
    if (inner.name === 'skin') reading.skins++;
    else reading.morphs++;
    found = target(document, inner, 'source', ['geometry', 'controller']);
  }
  return { geometry: found, bind };
}

/** A node of its own below the parent. */
function show(reading: Reading, geometry: XmlElement, name: string, parent: number, matrix: Pose): void {
  const number = push(reading, { name, parent, matrix, mesh: null }, geometry);
  fill(reading, geometry, name, number);
}

function fill(reading: Reading, geometry: XmlElement, name: string, node: number): void {
  const { document, geometries, meshes, nodes, meter, bare } = reading;
  let read = geometries.get(geometry);
  if (!read) {
    const own = readGeometry(document, geometry, meter);
    const number = own.mesh && meshes.push({ name: nameOf(geometry), mesh: own.mesh }) - 1;
    read = { ...own, mesh: null, number, name: nameOf(geometry) };
    geometries.set(geometry, read);
  }
  const shown = name || read.name || UNNAMED;
  if (read.lost !== null) document.notes.push(missing(shown, read.lost, { isPart: read.number !== null }));
  else if (read.number === null) bare.push(shown);
  nodes[node].mesh = read.number;
}

function tell({ document, geometries, skins, morphs, bare }: Reading): void {
  const { notes, root } = document;
  const warn = (count: number, noun: string, text: string): void => {
    if (count > 0) notes.push(warning(`${counted(count, noun)} ${text}`));
  };
  for (const name of bare) notes.push(leftOut(name, 'only lines or points'));
  if (bare.length > 0) notes.push(warning(leftOutText(bare, 'node')));
  const linear = [...geometries.values()].reduce((sum, geometry) => sum + geometry.linear, 0);
  warn(linear, 'primitive', 'skipped: lines, splines or faces of fewer than three corners');
  warn(skins, 'skin', 'left out: meshes stay in the bind pose');
  warn(morphs, 'morph', 'left out: base meshes are used');
  warn(
    allGeometries(root).filter((geometry) => !geometries.has(geometry)).length,
    'geometry',
    'left out: not in the scene',
  );
}
