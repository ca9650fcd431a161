/**
 * Encodes and decodes OBB trees, and lists the bytes of each node layout; FORMAT.md describes the
 * bytes of files.
 */
import { type ReadOptions, readBlob, sectionOf, writeBlob } from '../../containers/blob.ts';
import { meshSections, readMesh } from '../../containers/mesh-sections.ts';
import type { PixelCodec } from '../../containers/pixels.ts';
import type { Codec, Decoded } from '../../engine/representation.ts';
import { type AssetHeader, areNumbers, isCount, readAssetHeader, requireField } from '../../engine/representation.ts';
import type { NodeBytes } from './tree/node.ts';
import type { ObbTree } from './tree/obb-tree.ts';
import { requireReadTree } from './tree/reading.ts';
import { LARGEST_COORDINATE } from './tree/requirements.ts';
import { reachWithin } from './tree/unfold.ts';
import { WIDE_BYTES } from './tree/wide-node.ts';

const FORMAT_VERSION = 2;
/** Version 1 ends with another checksum. */
const READABLE = [1, FORMAT_VERSION];

interface HeaderJson extends AssetHeader {
  nodeBytes: number;
  triangles: number;
  vertices: number;
  origin: number[];
  scale: number[];
}

export const obbCodec: Codec<ObbTree> = { encode: encodeObbTree, decode: decodeObbTree };

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

export async function decodeObbTree(
  bytes: Uint8Array,
  _codec?: PixelCodec,
  options?: ReadOptions,
): Promise<Decoded<ObbTree>> {
  const blob = await readBlob(bytes, 'obb', READABLE, options);
  const header = readHeader(blob.header);
  const { mesh, farthest } = readMesh(blob, header.vertices, header.triangles, LARGEST_COORDINATE);
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
  reachWithin(tree, requireReadTree(tree), farthest);
  return { asset: tree, warnings: [] };
}

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

/*
 * The ladder of P. Terdiman's "RAPID Hack" (2000-2002), from RAPID's 132 bytes per box to 40, and
 * the smaller nodes here. Every size is the sum of the listed fields.
 */

const BYTES = { f64: 8, f32: 4, pointer: 4, u32: 4, i16: 2, u16: 2, u8: 1 } as const;

interface Field {
  name: string;
  type: keyof typeof BYTES;
  count: number;
}

interface Rung {
  step: string;
  fields: Field[];
}

const field = (name: string, type: Field['type'], count = 1): Field => ({ name, type, count });

const RUNGS: Rung[] = [
  {
    step: 'RAPID 2.01',
    fields: [
      field('rotation', 'f64', 9),
      field('translation', 'f64', 3),
      field('half extents', 'f64', 3),
      field('positive child', 'pointer'),
      field('negative child', 'pointer'),
      field('triangle', 'pointer'),
    ],
  },
  {
    step: 'single precision',
    fields: [
      field('rotation', 'f32', 9),
      field('translation', 'f32', 3),
      field('half extents', 'f32', 3),
      field('positive child', 'pointer'),
      field('negative child', 'pointer'),
      field('triangle', 'pointer'),
    ],
  },
  {
    step: 'the negative child follows the positive one',
    fields: [
      field('rotation', 'f32', 9),
      field('translation', 'f32', 3),
      field('half extents', 'f32', 3),
      field('positive child', 'pointer'),
      field('triangle', 'pointer'),
    ],
  },
  {
    step: 'triangle and leaf test in the child word',
    fields: [
      field('rotation', 'f32', 9),
      field('translation', 'f32', 3),
      field('half extents', 'f32', 3),
      field('child or triangle', 'u32'),
    ],
  },
  {
    step: 'orientation as a quaternion',
    fields: [
      field('quaternion', 'f32', 4),
      field('translation', 'f32', 3),
      field('half extents', 'f32', 3),
      field('child or triangle', 'u32'),
    ],
  },
  {
    step: 'w implicit (node bytes 40)',
    fields: [
      field('quaternion x y z', 'f32', 3),
      field('translation', 'f32', 3),
      field('half extents', 'f32', 3),
      field('child or triangle', 'u32'),
    ],
  },
  {
    step: 'four children and their boxes in one node, half a node a triangle (node bytes 64)',
    fields: [
      field('axes', 'i16', 9),
      field('half extents', 'u16', 3),
      field('translation', 'f32', 3),
      field('children or triangles', 'u32'),
      field("children's boxes", 'u8', 24),
    ],
  },
  {
    step: '16 bits, no leaf boxes, children implicit (node bytes 20)',
    fields: [
      field('quaternion x y z', 'i16', 3),
      field('translation', 'i16', 3),
      field('half extents', 'u16', 3),
      field("positive child's triangles", 'u16'),
    ],
  },
];

interface LayoutRow {
  bytes: number;
  step: string;
  fields: string;
}

export function layoutLadder(): LayoutRow[] {
  return RUNGS.map(({ step, fields }) => ({
    bytes: fields.reduce((sum, { type, count }) => sum + count * BYTES[type], 0),
    step,
    fields: fields.map(({ name, type, count }) => `${name} ${count > 1 ? `${count} x ` : ''}${type}`).join(', '),
  }));
}

export const SIGN_OF_W = [
  'the second least significant bit of the child or triangle word',
  'the sign bit of any of the three half extents, which are never negative',
  'nowhere: q and -q are one rotation, so the whole is negated where w < 0 (S. Bacelle, 2002); this is what we do',
];
