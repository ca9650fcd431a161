/** Encodes and decodes functionally defined objects; FORMAT.md describes the bytes. */

import { FormatError, MeshError } from '../../base/errors.ts';
import { type ReadOptions, readBlob, sectionOf, writeBlob } from '../../containers/blob.ts';
import type { PixelCodec } from '../../containers/pixels.ts';
import type { Codec, Decoded } from '../../engine/representation.ts';
import { type AssetHeader, areNumbers, readAssetHeader, requireField } from '../../engine/representation.ts';
import { isRigid } from '../../math/pose.ts';
import type { PlacedPrimitive, Primitive } from '../../readers/mesh-file.ts';
import {
  DEFAULT_RESOLUTION,
  dependsOnTime,
  type FrepObject,
  isAnalytic,
  isBlend,
  LARGEST_TIME,
  MOST_INSTRUCTIONS,
  MOST_NUMBERS,
  type Program,
  requireProgram,
} from './tree/program.ts';

/** Version 2 added blends, version 3 time, version 4 functions, which alone need it. */
const FORMAT_VERSION = 4;
const FIRST_BLENDS = 2;
const FIRST_TIMES = 3;
const LARGEST_CENTER = 1e60;
const SMALLEST_HALF = 1e-60;
const LARGEST_HALF = 1e60;
const LONGEST_NAME = 200;
/** For all names as JSON: half of a blob's header. */
const MOST_NAME_BYTES = 2 ** 23;

interface HeaderJson extends AssetHeader {
  center: number[];
  half: number;
  domain: number[];
  names: string[];
  span?: number[];
  primitive?: PlacedPrimitive;
}

export const frepCodec: Codec<FrepObject> = { encode: encodeFrep, decode: decodeFrep };

/** @throws MeshError if the names need more than 8 MiB */
export async function encodeFrep(object: FrepObject): Promise<Uint8Array> {
  const { center, half, domain, names, program, span, primitive } = object;
  const nameBytes = new TextEncoder().encode(JSON.stringify(names)).length;
  if (nameBytes > MOST_NAME_BYTES) {
    throw new MeshError(`expected at most ${MOST_NAME_BYTES} bytes of names in a file, found ${nameBytes}`);
  }
  const more = { ...(span && { span: [...span] }), ...(primitive && { primitive }) };
  const header: HeaderJson = { ...object.header, center, half, domain, names, ...more };
  const version = program.ops.some(isAnalytic) ? FORMAT_VERSION : FIRST_TIMES;
  return writeBlob('frep', version, header, [
    { name: 'ops', data: program.ops },
    { name: 'left', data: program.left },
    { name: 'right', data: program.right },
    { name: 'third', data: program.third },
    { name: 'numbers', data: program.numbers },
  ]);
}

/** @throws FormatError for violations of program.ts; time and memory are linear in the file */
export async function decodeFrep(
  bytes: Uint8Array,
  _codec?: PixelCodec,
  options?: ReadOptions,
): Promise<Decoded<FrepObject>> {
  const blob = await readBlob(bytes, 'frep', [1, 2, FIRST_TIMES, FORMAT_VERSION], options);
  const ops = sectionOf(blob, 'ops', 'u8');
  if (blob.version < FIRST_BLENDS && ops.some(isBlend))
    throw new FormatError(null, `version ${FIRST_BLENDS} of a file with blends`, `version ${blob.version}`);
  if (blob.version < FORMAT_VERSION && ops.some(isAnalytic))
    throw new FormatError(null, `version ${FORMAT_VERSION} of a file with functions`, `version ${blob.version}`);
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
  const { center, half, domain, names, span, primitive } = readHeader(blob.header, ops.length, blob.version);
  requireProgram(program);
  const isTimed = dependsOnTime(program);
  if (isTimed && blob.version < FIRST_TIMES)
    throw new FormatError(null, `version ${FIRST_TIMES} of a file that depends on time`, `version ${blob.version}`);
  requireField(isTimed === (span !== undefined), `${isTimed ? 'span' : 'no span without a dependence on time'}`, span);
  const object: FrepObject = {
    representation: 'frep',
    center: [center[0], center[1], center[2]],
    half,
    domain: [domain[0], domain[1], domain[2]],
    program,
    names,
    ...(span && { span: [span[0], span[1]] as const }),
    ...(primitive && { primitive }),
    header: readAssetHeader(blob.header),
    resolution: DEFAULT_RESOLUTION,
  };
  return { asset: object, warnings: [] };
}

function readHeader(json: Record<string, unknown>, instructions: number, version: number): HeaderJson {
  const { center, half, domain, names, span } = json;
  const primitive = readPrimitive(json.primitive);
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
  const isTime = (v: number) => Math.abs(v) <= LARGEST_TIME;
  if (version < FIRST_TIMES) return { ...json, span: undefined, primitive } as unknown as HeaderJson;
  const isSpan = span === undefined || (areNumbers(span, 2, isTime) && span[0] < span[1]);
  requireField(isSpan, `span, two times up to ${LARGEST_TIME}, the later one last,`, span);
  return { ...json, primitive } as unknown as HeaderJson;
}

const LENGTHS: Record<Primitive['shape'], number> = { box: 3, cylinder: 2, capsule: 2, sphere: 1 };

function readPrimitive(json: unknown): PlacedPrimitive | undefined {
  if (json === undefined) return undefined;
  const { shape, size, radius, length, frame } = (json ?? {}) as Record<string, unknown>;
  const count = typeof shape === 'string' && Object.hasOwn(LENGTHS, shape) ? LENGTHS[shape as Primitive['shape']] : 0;
  requireField(count > 0, 'primitive, a box, cylinder, capsule or sphere,', shape);
  const lengths = count === 3 ? size : [radius, length].slice(0, count);
  const isLength = (x: number): boolean => x > 0 && x <= LARGEST_HALF;
  requireField(areNumbers(lengths, count, isLength), `${count} lengths of primitive, above 0,`, lengths);
  const isFrame = frame === undefined || (areNumbers(frame, 16, Number.isFinite) && isRigid(Float64Array.from(frame)));
  requireField(isFrame, 'frame of primitive, a rigid pose,', frame);
  return json as PlacedPrimitive;
}
