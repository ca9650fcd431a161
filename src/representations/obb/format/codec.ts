/** An OBB tree to a blob and back; the bytes are described in FORMAT.md. */
import { readBlob, sectionOf, writeBlob } from '../../../containers/blob.ts';
import { meshSections, readMesh } from '../../../containers/mesh-sections.ts';
import { FormatError } from '../../../math/errors.ts';
import { type AssetHeader, areNumbers, isCount, readAssetHeader, requireField } from '../../../query/asset-header.ts';
import type { Decoded } from '../../../query/representation.ts';
import { child, childrenOf, createCursor, triangleOf } from '../tree/cursor.ts';
import { DECODED, LARGEST_COUNTED, type NodeBytes, type NodeReader, positiveCount } from '../tree/node.ts';
import type { ObbTree } from '../tree/obb-tree.ts';
import { reachOfObbTree } from '../tree/unfold.ts';
import {
  FRAME_STEPS,
  halfOf,
  isWideLeaf,
  LARGEST_DEPTH,
  LARGEST_HALF,
  LARGEST_SKEW,
  linkOfNode,
  WIDE_BYTES,
  WIDTH,
  type WideViews,
  wideCount,
  wideIndex,
  wideViews,
} from '../tree/wide-node.ts';

export const FORMAT_VERSION = 1;
/** Our builder stays below 97; a chain of a million nodes would make other walks quadratic. */
export const DEEPEST = 256;
/** Beyond, squares and products of coordinates leave the range of doubles. */
const LARGEST_COORDINATE = 1e100;

interface HeaderJson extends AssetHeader {
  nodeBytes: number;
  triangles: number;
  vertices: number;
  origin: number[];
  scale: number[];
}

export async function encodeObbTree(tree: ObbTree): Promise<Uint8Array> {
  const header: HeaderJson = {
    ...tree.header,
    nodeBytes: tree.nodeBytes,
    triangles: tree.triangles.length / 3,
    vertices: tree.positions.length / 3,
    origin: Array.from(tree.origin),
    scale: Array.from(tree.scale),
  };
  const { buffer, byteOffset, byteLength } = tree.nodes;
  const sections = [
    ...meshSections(tree),
    {
      name: 'nodes',
      data:
        tree.nodeBytes === 20
          ? new Uint16Array(buffer, byteOffset, byteLength / 2)
          : new Uint32Array(buffer, byteOffset, byteLength / 4),
    },
    ...(tree.order ? [{ name: 'order', data: tree.order }] : []),
  ];
  return writeBlob('obb', FORMAT_VERSION, header, sections);
}

export async function decodeObbTree(bytes: Uint8Array): Promise<Decoded<ObbTree>> {
  const blob = await readBlob(bytes, 'obb', [FORMAT_VERSION]);
  const header = readHeader(blob.header);
  const mesh = readMesh(blob, header.vertices, header.triangles, LARGEST_COORDINATE);
  const nodeBytes = header.nodeBytes as NodeBytes;
  const words = sectionOf(blob, 'nodes', nodeBytes === 20 ? 'u16' : 'u32', wordsOf(nodeBytes, header.triangles));
  const tree: ObbTree = {
    representation: 'obb',
    ...mesh,
    nodeBytes,
    nodes: new Uint8Array(words.buffer, words.byteOffset, words.byteLength),
    origin: Float64Array.from(header.origin),
    scale: Float64Array.from(header.scale),
    order: nodeBytes === 40 ? null : sectionOf(blob, 'order', 'u32', header.triangles),
    header: readAssetHeader(blob.header),
  };
  if (nodeBytes === WIDE_BYTES) requireWideTree(tree);
  else requireTree(tree);
  reachOfObbTree(tree); // once, so that no query has to
  return { asset: tree, warnings: [] };
}

/** Elements of the section of nodes; of a wide tree they are not known from its triangles. */
function wordsOf(nodeBytes: NodeBytes, triangles: number): number | undefined {
  if (nodeBytes === WIDE_BYTES) return undefined;
  return 10 * (nodeBytes === 40 ? 2 * triangles - 1 : Math.max(1, triangles - 1));
}

type Json = Record<string, unknown>;

function readHeader(json: Json): HeaderJson {
  const isKnown = json.nodeBytes === 40 || json.nodeBytes === 20 || json.nodeBytes === WIDE_BYTES;
  requireField(isKnown, 'nodeBytes, 40, 20 or 64,', json.nodeBytes);
  requireField(isCount(json.triangles), 'triangles, a count,', json.triangles);
  requireField(isCount(json.vertices), 'vertices, a count,', json.vertices);
  const isCoordinate = (v: number) => Math.abs(v) <= LARGEST_COORDINATE;
  requireField(areNumbers(json.origin, 3, isCoordinate), 'origin, three coordinates,', json.origin);
  const isLength = (v: number) => v > 0 && v <= LARGEST_COORDINATE;
  requireField(areNumbers(json.scale, 2, isLength), 'scale, two lengths,', json.scale);
  return json as unknown as HeaderJson;
}

/**
 * The nodes are one tree over all triangles: from the root every node and every triangle is reached once, children come after
 * their parents, nothing is deeper than DEEPEST, every box is made of numbers. Linear in time, whatever the words say: a node
 * that is met twice ends it.
 */
function requireTree(tree: ObbTree): void {
  const cursor = createCursor(tree);
  const total = tree.triangles.length / 3;
  const nodes = cursor.reader.count;
  const seenNode = new Uint8Array(nodes);
  const seenTriangle = new Uint8Array(total);
  const box = new Float64Array(DECODED);
  const pending: number[] = [0, 0, total, 0];
  let triangles = 0;
  let reached = 0;
  const wrong = (expected: string, found: string) => new FormatError(null, expected, found);
  while (pending.length > 0) {
    const depth = pending.pop() as number;
    const count = pending.pop() as number;
    const first = pending.pop() as number;
    const node = pending.pop() as number;
    if (node >= nodes) throw wrong(`node numbers below ${nodes}`, `${node}`);
    if (depth > DEEPEST) throw wrong(`a tree of at most ${DEEPEST} levels`, 'a deeper one');
    if (node >= 0) {
      if (seenNode[node]) throw wrong('every node once', `node ${node} twice`);
      seenNode[node] = 1;
      reached++;
      requireBox(cursor.reader, node, box);
    }
    const triangle = triangleOf(cursor, node, first, count);
    if (triangle >= 0) {
      if (triangle >= total) throw wrong(`triangle numbers below ${total}`, `${triangle} at node ${node}`);
      if (seenTriangle[triangle]) throw wrong('every triangle once', `triangle ${triangle} twice`);
      seenTriangle[triangle] = 1;
      triangles++;
      continue;
    }
    if (tree.nodeBytes === 20) {
      const word = cursor.reader.word(node);
      const positive = positiveCount(word, count);
      if (positive < 1 || positive >= count || (count > LARGEST_COUNTED && word !== 0)) {
        throw wrong(`a positive child of 1 to ${count - 1} triangles at node ${node}`, `${word}`);
      }
    }
    childrenOf(cursor, node, first, count);
    if (tree.nodeBytes === 40 && child.node[0] <= node) {
      throw wrong(`children after node ${node}`, `node ${child.node[0]}`);
    }
    for (let k = 1; k >= 0; k--) pending.push(child.node[k], child.first[k], child.count[k], depth + 1);
  }
  if (triangles !== total) throw wrong(`${total} triangles in the tree`, `${triangles}`);
  if (reached !== nodes) throw wrong(`${nodes} nodes in the tree`, `${reached}`);
}

function requireBox(reader: NodeReader, node: number, box: Float64Array): void {
  const length2 = reader.decode(node, box, 0);
  if (!(length2 <= 1))
    throw new FormatError(null, `a quaternion with x^2 + y^2 + z^2 <= 1 at node ${node}`, `${length2}`);
  for (let k = 9; k < DECODED; k++) {
    if (!(Math.abs(box[k]) <= 4 * LARGEST_COORDINATE) || (k >= 12 && box[k] < 0)) {
      throw new FormatError(null, `a centre and half extents at node ${node}`, `${box[k]}`);
    }
  }
}

/** The same of wide nodes: what lies beside the tree is refused before the tree is looked at. */
function requireWideTree({ nodes: bytes, order, triangles }: ObbTree): void {
  const places = order as Uint32Array;
  const total = triangles.length / 3;
  const nodes = bytes.length / WIDE_BYTES;
  const wrong = (expected: string, found: string) => new FormatError(null, expected, found);
  if (nodes < 1 || !Number.isInteger(nodes)) throw wrong('nodes of 64 bytes, one at least', `${bytes.length} bytes`);
  const views = wideViews(bytes);
  const seenNode = new Uint8Array(nodes);
  const seenTriangle = new Uint8Array(total);
  const pending: number[] = [0, 0];
  let found = 0;
  let reached = 0;
  while (pending.length > 0) {
    const depth = pending.pop() as number;
    const node = pending.pop() as number;
    if (seenNode[node]) throw wrong('every node once', `node ${node} twice`);
    seenNode[node] = 1;
    reached++;
    if (depth > LARGEST_DEPTH) throw wrong(`a tree of at most ${LARGEST_DEPTH} levels`, 'a deeper one');
    requireWideBox(views, node);
    const link = linkOfNode(views, node);
    const count = wideCount(link);
    const index = wideIndex(link);
    if (!isWideLeaf(link)) {
      if (index <= node) throw wrong(`children after node ${node}`, `node ${index}`);
      if (index + count > nodes) throw wrong(`node numbers below ${nodes}`, `${index + count - 1}`);
      for (let j = count - 1; j >= 0; j--) pending.push(index + j, depth + 1);
      continue;
    }
    if (index + count > total) throw wrong(`places below ${total} in the order of triangles`, `${index + count - 1}`);
    for (let i = index; i < index + count; i++) {
      const triangle = places[i];
      if (triangle >= total) throw wrong(`triangle numbers below ${total}`, `${triangle} at node ${node}`);
      if (seenTriangle[triangle]) throw wrong('every triangle once', `triangle ${triangle} twice`);
      seenTriangle[triangle] = 1;
      found++;
    }
  }
  if (found !== total) throw wrong(`${total} triangles in the tree`, `${found}`);
  if (reached !== nodes) throw wrong(`${nodes} nodes in the tree`, `${reached}`);
}

function requireWideBox(views: WideViews, node: number): void {
  const { bytes, shorts, halves, floats } = views;
  const s = 32 * node;
  const wrong = (expected: string, found: number) => new FormatError(null, `${expected} at node ${node}`, `${found}`);
  for (let i = 0; i < 3; i++) {
    for (let j = i; j < 3; j++) {
      let product = 0;
      for (let k = s; k < s + 12; k += 4) product += shorts[k + i] * shorts[k + j];
      const skew = product / FRAME_STEPS ** 2 - Number(i === j);
      if (!(Math.abs(skew) <= LARGEST_SKEW)) throw wrong('three unit axes at right angles', skew);
    }
    const centre = floats[16 * node + 6 + i];
    if (!(Math.abs(centre) <= LARGEST_HALF)) throw wrong('a centre', centre);
    const half = halfOf(halves[s + 4 * i + 3]);
    if (!(half >= 0 && half <= LARGEST_HALF) || halves[s + 4 * i + 3] >= 0x8000) throw wrong('half extents', half);
    const first = WIDE_BYTES * node + 40 + 4 * i;
    for (let j = wideCount(linkOfNode(views, node)); j < WIDTH; j++) {
      if (bytes[first + j] !== 255 || bytes[first + 12 + j] !== 0) {
        throw wrong(`no box of child ${j}`, bytes[first + j] === 255 ? bytes[first + 12 + j] : bytes[first + j]);
      }
    }
  }
}
