/** Encodes and decodes k-DOP trees; FORMAT.md describes the bytes. */

import { FormatError } from '../../base/errors.ts';
import { type ReadOptions, readBlob, sectionOf, writeBlob } from '../../containers/blob.ts';
import { meshSections, readMesh } from '../../containers/mesh-sections.ts';
import type { PixelCodec } from '../../containers/pixels.ts';
import type { Codec, Decoded } from '../../engine/representation.ts';
import { type AssetHeader, areNumbers, isCount, readAssetHeader, requireField } from '../../engine/representation.ts';
import { DOP_SIZES, type DopSize } from './tree/dop-directions.ts';
import { packBits, unpackBits } from './tree/fixed-point.ts';
import {
  type Coefficients,
  coefficientArray,
  type KdopTree,
  LARGEST_BITS,
  LARGEST_COORDINATE,
  LARGEST_EXPONENT,
  largestCoefficient,
  requireKdopTree,
  SMALLEST_BITS,
  SMALLEST_EXPONENT,
} from './tree/kdop-tree.ts';
import { areCoefficientsProved } from './tree/reading.ts';

const FORMAT_VERSION = 2;
/** Version 1 ends with another checksum. */
const READABLE = [1, FORMAT_VERSION];

interface HeaderJson extends AssetHeader {
  k: DopSize;
  bits: number;
  triangles: number;
  vertices: number;
  origin: number[];
  exponent: number;
}

export const kdopCodec: Codec<KdopTree> = { encode: encodeKdopTree, decode: decodeKdopTree };

export async function encodeKdopTree(tree: KdopTree): Promise<Uint8Array> {
  const { k, bits, coefficients, links, origin, exponent } = tree;
  const header: HeaderJson = {
    ...tree.header,
    k,
    bits,
    triangles: tree.triangles.length / 3,
    vertices: tree.positions.length / 3,
    origin: Array.from(origin),
    exponent,
  };
  // An array whose elements are as wide as the coefficients already is the bit stream.
  const isStream = bits === 16 || bits === 32;
  const data = isStream ? (coefficients as Int16Array | Int32Array) : packBits(coefficients, bits);
  return writeBlob('kdop', FORMAT_VERSION, header, [
    ...meshSections(tree),
    { name: 'coefficients', data },
    { name: 'links', data: links },
  ]);
}

export async function decodeKdopTree(
  bytes: Uint8Array,
  _codec?: PixelCodec,
  options?: ReadOptions,
): Promise<Decoded<KdopTree>> {
  const blob = await readBlob(bytes, 'kdop', READABLE, options);
  const header = readHeader(blob.header);
  const { k, bits, triangles, exponent } = header;
  const { mesh } = readMesh(blob, header.vertices, triangles, LARGEST_COORDINATE);
  const nodes = 2 * triangles - 1;
  const numbers = k * nodes;
  let coefficients: KdopTree['coefficients'];
  if (bits === 16) coefficients = sectionOf(blob, 'coefficients', 'i16', numbers);
  else if (bits === 32) coefficients = sectionOf(blob, 'coefficients', 'i32', numbers);
  else {
    const stream = sectionOf(blob, 'coefficients', 'u8', Math.ceil((numbers * bits) / 8));
    if (bits === 8) coefficients = new Int8Array(stream.buffer, stream.byteOffset, numbers);
    else {
      coefficients = coefficientArray(bits, numbers);
      unpackBits(stream, bits, coefficients);
    }
    const rest = (numbers * bits) % 8;
    if (rest > 0 && stream[stream.length - 1] >> rest !== 0) {
      throw new FormatError(null, 'zeros after the last coefficient', `${stream[stream.length - 1] >> rest}`);
    }
  }
  const tree: KdopTree = {
    representation: 'kdop',
    ...mesh,
    k,
    bits,
    coefficients,
    links: sectionOf(blob, 'links', 'u32', nodes),
    origin: Float64Array.from(header.origin),
    exponent,
    header: readAssetHeader(blob.header),
  };
  requireKdopTree(tree);
  requireCoefficients(tree);
  return { asset: tree, warnings: [] };
}

function readHeader(json: Record<string, unknown>): HeaderJson {
  const isWithin = (x: unknown, least: number, most: number) =>
    Number.isInteger(x) && (x as number) >= least && (x as number) <= most;
  requireField(DOP_SIZES.includes(json.k as DopSize), `k, one of ${DOP_SIZES.join(', ')},`, json.k);
  requireField(
    isWithin(json.bits, SMALLEST_BITS, LARGEST_BITS),
    `bits, ${SMALLEST_BITS} to ${LARGEST_BITS},`,
    json.bits,
  );
  requireField(isCount(json.triangles), 'triangles, a count,', json.triangles);
  requireField(isCount(json.vertices), 'vertices, a count,', json.vertices);
  const isCoordinate = (v: number) => Math.abs(v) <= LARGEST_COORDINATE;
  requireField(areNumbers(json.origin, 3, isCoordinate), 'origin, three coordinates,', json.origin);
  const isExponent = isWithin(json.exponent, SMALLEST_EXPONENT, LARGEST_EXPONENT);
  requireField(isExponent, `exponent, ${SMALLEST_EXPONENT} to ${LARGEST_EXPONENT},`, json.exponent);
  return json as unknown as HeaderJson;
}

/** For integers of at most 16 bits, one sign tests all bits of a pair at once: sums fit 32 bits. */
function requireCoefficients({ k, bits, coefficients }: KdopTree): void {
  const most = largestCoefficient(bits);
  if (areCoefficientsProved(coefficients, k, most)) return;
  const half = k / 2;
  if (bits > 16) {
    requirePairs(coefficients, k, most, 0, coefficients.length);
    return;
  }
  const small = coefficients as Int8Array | Int16Array;
  for (let at = 0; at < small.length; at += k) {
    let signs = 0;
    for (let i = at; i < at + half; i++) {
      const a = small[i];
      const b = small[i + half];
      signs |= (a + b) | (a + most) | (b + most);
    }
    if (signs < 0) requirePairs(coefficients, k, most, at, at + k);
  }
}

function requirePairs(coefficients: Coefficients, k: number, most: number, start: number, end: number): void {
  const half = k / 2;
  for (let at = start; at < end; at += k) {
    for (let i = at; i < at + half; i++) {
      if (coefficients[i] < -most || coefficients[i + half] < -most) {
        throw new FormatError(null, `coefficients from ${-most}`, `${-most - 1} at node ${at / k}`);
      }
      if (coefficients[i] + coefficients[i + half] < 0) {
        const found = `${coefficients[i]} and ${coefficients[i + half]} at node ${at / k}`;
        throw new FormatError(null, 'opposite coefficients whose sum is not negative', found);
      }
    }
  }
}
