/** A functionally defined object to a blob and back; the bytes are described in FORMAT.md. */
import { type ReadOptions, readBlob, sectionOf, writeBlob } from '../../containers/blob.ts';
import type { PixelCodec } from '../../containers/pixels.ts';
import { FormatError, MeshError } from '../../math/errors.ts';
import { type AssetHeader, areNumbers, readAssetHeader, requireField } from '../../query/asset-header.ts';
import type { Decoded } from '../../query/representation.ts';
import {
  DEFAULT_RESOLUTION,
  type FrepObject,
  isBlend,
  MOST_INSTRUCTIONS,
  MOST_NUMBERS,
  type Program,
  requireProgram,
} from './tree/program.ts';

/** The second has blends: nothing else is new. */
export const FORMAT_VERSION = 2;
const FIRST_BLENDS = 2;
const LARGEST_CENTER = 1e60;
export const SMALLEST_HALF = 1e-60;
export const LARGEST_HALF = 1e60;
export const LONGEST_NAME = 200;
/** Of all names as JSON: half of what a blob's header holds. */
const MOST_NAME_BYTES = 2 ** 23;

interface HeaderJson extends AssetHeader {
  center: number[];
  half: number;
  domain: number[];
  names: string[];
}

/** @throws MeshError when the names take more than 8 MiB */
export async function encodeFrep(object: FrepObject): Promise<Uint8Array> {
  const { center, half, domain, names, program } = object;
  const nameBytes = new TextEncoder().encode(JSON.stringify(names)).length;
  if (nameBytes > MOST_NAME_BYTES) {
    throw new MeshError(`${nameBytes} bytes of names to store, a file holds ${MOST_NAME_BYTES}`);
  }
  const header: HeaderJson = { ...object.header, center, half, domain, names };
  return writeBlob('frep', FORMAT_VERSION, header, [
    { name: 'ops', data: program.ops },
    { name: 'left', data: program.left },
    { name: 'right', data: program.right },
    { name: 'third', data: program.third },
    { name: 'numbers', data: program.numbers },
  ]);
}

/**
 * @throws FormatError for whatever program.ts does not promise; time and memory stay linear in the
 *   file
 */
export async function decodeFrep(
  bytes: Uint8Array,
  _codec?: PixelCodec,
  options?: ReadOptions,
): Promise<Decoded<FrepObject>> {
  const blob = await readBlob(bytes, 'frep', [1, FORMAT_VERSION], options);
  const ops = sectionOf(blob, 'ops', 'u8');
  if (blob.version < FIRST_BLENDS && ops.some(isBlend))
    throw new FormatError(null, `version ${FIRST_BLENDS} of a file with blends`, `version ${blob.version}`);
  if (ops.length < 1 || ops.length > MOST_INSTRUCTIONS) {
    throw new FormatError(null, `1 to ${MOST_INSTRUCTIONS} instructions`, `${ops.length}`);
  }
  const numbers = sectionOf(blob, 'numbers', 'f64');
  if (numbers.length > MOST_NUMBERS)
    throw new FormatError(null, `at most ${MOST_NUMBERS} numbers`, `${numbers.length}`);
  const program: Program = {
    ops,
    left: sectionOf(blob, 'left', 'u32', ops.length),
    right: sectionOf(blob, 'right', 'u32', ops.length),
    third: sectionOf(blob, 'third', 'u32', ops.length),
    numbers,
  };
  const { center, half, domain, names } = readHeader(blob.header, ops.length);
  requireProgram(program);
  const object: FrepObject = {
    representation: 'frep',
    center: [center[0], center[1], center[2]],
    half,
    domain: [domain[0], domain[1], domain[2]],
    program,
    names,
    header: readAssetHeader(blob.header),
    resolution: DEFAULT_RESOLUTION,
  };
  return { asset: object, warnings: [] };
}

function readHeader(json: Record<string, unknown>, instructions: number): HeaderJson {
  const { center, half, domain, names } = json;
  const isCoordinate = (v: number) => Math.abs(v) <= LARGEST_CENTER;
  requireField(areNumbers(center, 3, isCoordinate), 'center, three coordinates,', center);
  const isLength = typeof half === 'number' && half >= SMALLEST_HALF && half <= LARGEST_HALF;
  requireField(isLength, `half, ${SMALLEST_HALF} to ${LARGEST_HALF},`, half);
  const isDomain = areNumbers(domain, 3, (v) => v > 0 && v <= 1) && Math.max(...domain) === 1;
  requireField(isDomain, 'domain, three numbers above 0, the largest of them 1,', domain);
  const isList = Array.isArray(names);
  requireField(
    isList && names.length === instructions,
    `names, ${instructions} of them,`,
    isList ? names.length : names,
  );
  for (const name of names as unknown[]) {
    const isName = typeof name === 'string' && name.length <= LONGEST_NAME;
    requireField(isName, `names of at most ${LONGEST_NAME} characters`, name);
  }
  return json as unknown as HeaderJson;
}
