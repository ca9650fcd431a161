/**
 * Blobs, the container of `.obb`, `.kdop`, `.voxel` and `.frep` files: a JSON header, and arrays
 * that typed arrays view in place.
 *
 * All numbers are little-endian. With s sections and j bytes of JSON:
 *     byte       size  type        what
 *        0          8  char[8]     magic, "gicollid"
 *        8          4  char[4]     kind: "obb", "kdop", "voxl" or "frep"; NULs fill what a name
 *                                  leaves free, here and below
 *       12          4  u32         version of the kind's format; bytes 0 to 15 keep their meaning
 *                                  in every version
 *       16          4  u32         s, 0 to 256
 *       20          4  u32         j, 2 to 2^24
 *       24          8  u64         bytes in the whole file, checksum included; at most 2^31 - 1
 *       32       32 s  struct[s]   the section table, an entry a section, in the order of the sections:
 *                                    +0   12  char[12]  name: 1 to 12 of a-z, 0-9 and -, unlike all others
 *                                    +12   4  char[4]   type of the elements: "u8", "i16", "u16",
 *                                                       "u32", "i32", "f32" or "f64"
 *                                    +16   8  u64       offset of the first element from the start
 *                                                       of the file
 *                                    +24   8  u64       number of elements
 *     32+32s        j  char[j]     a JSON object, UTF-8 without a byte order mark, nested at most 64 deep
 *      then, for each section:
 *               0-63  u8[]         zeros, as few as bring the next byte to a multiple of 64: the
 *                                  entry's offset
 *       offset         element[]   the elements, without gaps
 *       last          4  u32       CRC-32 of every byte before it; follows the last byte of the
 *                                  last section, or of the JSON
 * Version 1 of trees, and every version of `voxl` and `frep`, end with 32 bytes, a SHA-256, instead
 * (see CRC_SINCE): reading such a file takes two to four times as long. Here it detects no more
 * than the CRC: accidents.
 *
 * So given contents have one file, every byte of it is accounted for, and a reader in C maps it and
 * casts: two structs of 32 bytes without padding. A reader refuses unknown versions. The i of iN is
 * two's complement, the f of fN IEEE 754.
 */

import { FormatError, MeshError } from '../base/errors.ts';
import { LITTLE_ENDIAN, swapBytes } from '../math/byte-order.ts';
import type { ByteSource } from './byte-source.ts';
import { crc32 } from './crc32.ts';
import { digestOf, sha256 } from './hash.ts';

const ELEMENTS = {
  u8: Uint8Array,
  i16: Int16Array,
  u16: Uint16Array,
  u32: Uint32Array,
  i32: Int32Array,
  f32: Float32Array,
  f64: Float64Array,
} as const;

interface SectionArrays {
  u8: Uint8Array;
  i16: Int16Array;
  u16: Uint16Array;
  u32: Uint32Array;
  i32: Int32Array;
  f32: Float32Array;
  f64: Float64Array;
}

type SectionType = keyof SectionArrays;
export type SectionArray<T extends SectionType = SectionType> = SectionArrays[T];

export interface ReadOptions {
  /** True to keep the bytes, which must not change any more, instead of a copy. */
  take?: boolean;
  /**
   * For geometry images, for queries by `spheres` only: slabs that the file lacks are made only
   * when something else needs them.
   */
  bounds?: 'spheres';
}

export interface BlobContents {
  version: number;
  /** The JSON object; its fields are the kind's to check. */
  header: Record<string, unknown>;
  /** By name, in the order of the file. */
  sections: Map<string, SectionArray>;
}

interface Entry {
  name: string;
  type: SectionType;
  offset: number;
  count: number;
}

const MAGIC = 'gicollid';
const FIXED_BYTES = 32;
const ENTRY_BYTES = 32;
const CRC_BYTES = 4;
const SHA256_BYTES = 32;
/** The first version of each kind's format that ends with a CRC-32; kinds without one never do. */
const CRC_SINCE: Readonly<Record<string, number>> = { obb: 2, kdop: 2 };
const ALIGNMENT = 64;
const MAX_SECTIONS = 256;
const MAX_JSON_BYTES = 2 ** 24;
const MAX_DEPTH = 64;
const MAX_BYTES = 2 ** 31 - 1;
const KIND = /^[a-z0-9]{1,4}$/;
const NAME = /^[a-z0-9-]{1,12}$/;

const checksumBytes = (kind: string, version: number): number =>
  version >= (CRC_SINCE[kind] ?? Number.POSITIVE_INFINITY) ? CRC_BYTES : SHA256_BYTES;

const aligned = (offset: number): number => Math.ceil(offset / ALIGNMENT) * ALIGNMENT;

/**
 * Writes a blob; equal arguments give equal bytes.
 *
 * @param kind 1 to 4 of a-z, 0-9
 * @param header an object that JSON keeps: finite numbers, strings, booleans, null, arrays, objects
 * @param sections in the order of the file; copied
 * @throws MeshError if the file would exceed 2^31 - 1 bytes; RangeError for names, versions or a
 *   header outside the table above
 * @example const bytes = await writeBlob('obb', 1, { origin: [0, 0, 0] }, [{ name: 'extents', data: Float32Array.of(1, 2, 3) }]);
 *          (await readBlob(bytes, 'obb', [1])).sections.get('extents'); // Float32Array [1, 2, 3]
 */
export async function writeBlob(
  kind: string,
  version: number,
  header: object,
  sections: readonly { name: string; data: SectionArray }[],
): Promise<Uint8Array<ArrayBuffer>> {
  const json = new TextEncoder().encode(JSON.stringify(header));
  demand(KIND.test(kind), `kind ${kind}`);
  demand(version === version >>> 0, `version ${version}`);
  demand(json[0] === 0x7b && json.length <= MAX_JSON_BYTES && depthOf(json) <= MAX_DEPTH, 'the header');
  demand(sections.length <= MAX_SECTIONS, `${sections.length} sections`);
  demand(new Set(sections.map(({ name }) => name)).size === sections.length, 'two sections of one name');

  let end = FIXED_BYTES + ENTRY_BYTES * sections.length + json.length;
  const offsets = sections.map(({ data }) => {
    const offset = aligned(end);
    end = offset + data.byteLength;
    return offset;
  });
  const total = end + checksumBytes(kind, version);
  if (total > MAX_BYTES) throw new MeshError(`expected at most ${MAX_BYTES} bytes in a file, found ${total}`);

  const bytes = new Uint8Array(total);
  const view = new DataView(bytes.buffer);
  setText(bytes, 0, MAGIC);
  setText(bytes, 8, kind);
  view.setUint32(12, version, true);
  view.setUint32(16, sections.length, true);
  view.setUint32(20, json.length, true);
  view.setBigUint64(24, BigInt(total), true);
  sections.forEach(({ name, data }, i) => {
    demand(NAME.test(name), `section name ${name}`);
    const entry = FIXED_BYTES + ENTRY_BYTES * i;
    setText(bytes, entry, name);
    setText(bytes, entry + 12, typeOf(data));
    view.setBigUint64(entry + 16, BigInt(offsets[i]), true);
    view.setBigUint64(entry + 24, BigInt(data.length), true);
    bytes.set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength), offsets[i]);
    if (!LITTLE_ENDIAN) swapBytes(bytes.subarray(offsets[i], offsets[i] + data.byteLength), data.BYTES_PER_ELEMENT);
  });
  bytes.set(json, FIXED_BYTES + ENTRY_BYTES * sections.length);
  bytes.set(await checksumOf(bytes.subarray(0, end), total - end), end);
  return bytes;
}

/**
 * Reads a blob, after checking every byte of it. The sections are views of a private copy of the
 * file. With `take` they view `bytes` themselves, unless these do not start at a multiple of 8 in
 * their buffer or lie in shared memory (which others may change). On a big-endian host each is a
 * copy.
 *
 * @param versions the versions of the kind's format that the caller can read
 * @throws FormatError with the offset of the fault; time and memory stay linear in the file, even
 *   for false claims
 */
export async function readBlob(
  bytes: Uint8Array,
  kind: string,
  versions: readonly number[],
  { take = false }: ReadOptions = {},
): Promise<BlobContents> {
  const inPlace = take && bytes.buffer instanceof ArrayBuffer && bytes.byteOffset % 8 === 0;
  const file = (inPlace ? bytes : new Uint8Array(bytes)) as Uint8Array<ArrayBuffer>;
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);

  const version = readIdentity(file, view, kind, versions);
  const limit = file.length - checksumBytes(kind, version);
  const { entries, json } = readTable(file, view, limit);
  // From here on the layout is sound. The checksum comes before the JSON: damage is damage, not bad
  // syntax.
  await requireSum(file, limit);

  const header = parseHeader(file, json.start, json.end);
  const sections = new Map<string, SectionArray>();
  for (const { name, type, offset, count } of entries) {
    const size = ELEMENTS[type].BYTES_PER_ELEMENT;
    const elements = file.subarray(offset, offset + count * size);
    const own = LITTLE_ENDIAN ? elements : elements.slice();
    if (!LITTLE_ENDIAN) swapBytes(own, size);
    sections.set(name, new ELEMENTS[type](own.buffer, own.byteOffset, count));
  }
  return { version, header, sections };
}

/** @throws FormatError if any byte of a blob, of any kind and version, has changed */
export async function requireChecksum(file: Uint8Array): Promise<void> {
  if (file.length < FIXED_BYTES) throw cutShort(file, `${FIXED_BYTES} bytes of header`);
  const version = new DataView(file.buffer, file.byteOffset).getUint32(12, true);
  await requireSum(file, Math.max(0, file.length - checksumBytes(blobKind(file) ?? '', version)));
}

/** Compares the checksum that starts at `end`. */
async function requireSum(file: Uint8Array, end: number): Promise<void> {
  const stored = file.subarray(end);
  const computed = await checksumOf(file.subarray(0, end), stored.length);
  if (computed.every((byte, i) => byte === stored[i])) return;
  throw new FormatError({ byte: end }, `the checksum ${hexOf(computed)}`, hexOf(stored));
}

/** As bytes of the file: CRC_BYTES or SHA256_BYTES. */
async function checksumOf(bytes: Uint8Array, size: number): Promise<Uint8Array> {
  if (size !== CRC_BYTES) return digestOf(bytes);
  const sum = new Uint8Array(CRC_BYTES);
  new DataView(sum.buffer).setUint32(0, crc32(bytes), true);
  return sum;
}

const hexOf = (bytes: Uint8Array): string => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');

/** Digest of all of a blob but its checksum, in lower-case hexadecimal digits. */
export async function contentHash(file: Uint8Array): Promise<string> {
  const version = new DataView(file.buffer, file.byteOffset).getUint32(12, true);
  return sha256(file.subarray(0, file.length - checksumBytes(blobKind(file) ?? '', version)));
}

/** @throws FormatError if it is no blob, or of another length than it says */
export async function readBlobHeader(source: ByteSource): Promise<Record<string, unknown>> {
  const start = await source.read(0, Math.min(FIXED_BYTES, source.size));
  const view = new DataView(start.buffer, start.byteOffset, start.byteLength);
  const kind = blobKind(start);
  if (kind === null) throw new FormatError({ byte: 0 }, `"${MAGIC}" and a kind`, 'other bytes');
  if (start.length < FIXED_BYTES) throw cutShort(start, `${FIXED_BYTES} bytes of header`);
  if (view.getBigUint64(24, true) !== BigInt(source.size))
    throw new FormatError({ byte: 24 }, `${source.size} bytes`, `${view.getBigUint64(24, true)}`);
  const [sections, length] = [view.getUint32(16, true), view.getUint32(20, true)];
  const offset = FIXED_BYTES + ENTRY_BYTES * sections;
  if (sections > MAX_SECTIONS || length > MAX_JSON_BYTES || offset + length + CRC_BYTES > source.size)
    throw new FormatError(
      { byte: 16 },
      `a header within ${source.size} bytes`,
      `${sections} sections, ${length} bytes`,
    );
  return parseHeader(await source.read(offset, length), 0, length);
}

/**
 * @param count number of elements; any by default
 * @throws FormatError at the section's entry in the table, or at the number of sections without one
 */
export function sectionOf<T extends SectionType>(
  blob: BlobContents,
  name: string,
  type: T,
  count?: number,
): SectionArray<T> {
  const data = blob.sections.get(name);
  if (!data) throw new FormatError({ byte: 16 }, `a section ${name}`, [...blob.sections.keys()].join(', ') || 'none');
  const entry = FIXED_BYTES + ENTRY_BYTES * [...blob.sections.keys()].indexOf(name);
  if (typeOf(data) !== type) throw new FormatError({ byte: entry + 12 }, `section ${name} of ${type}`, typeOf(data));
  if (count !== undefined && data.length !== count) {
    throw new FormatError({ byte: entry + 24 }, `${count} elements in section ${name}`, String(data.length));
  }
  return data as SectionArray<T>;
}

/** The kind that a blob claims; null unless the bytes start like a blob. Checks nothing else. */
export function blobKind(bytes: Uint8Array): string | null {
  if (bytes.length < 12 || textAt(bytes, 0, 8) !== MAGIC) return null;
  const kind = textAt(bytes, 8, 4);
  return KIND.test(kind) ? kind : null;
}

function readIdentity(file: Uint8Array, view: DataView, kind: string, versions: readonly number[]): number {
  const magic = textAt(file, 0, 8);
  if (magic !== MAGIC) throw new FormatError({ byte: 0 }, `"${MAGIC}"`, JSON.stringify(magic));
  if (file.length < FIXED_BYTES) throw cutShort(file, `${FIXED_BYTES} bytes of header`);
  const found = textAt(file, 8, 4);
  if (found !== kind) throw new FormatError({ byte: 8 }, `kind "${kind}"`, JSON.stringify(found));
  const version = view.getUint32(12, true);
  if (!versions.includes(version)) {
    throw new FormatError(
      { byte: 12 },
      `a version of ${kind} that this reader knows (${versions.join(', ')})`,
      `${version}`,
    );
  }
  const total = view.getBigUint64(24, true);
  if (total > MAX_BYTES) throw new FormatError({ byte: 24 }, `at most ${MAX_BYTES} bytes`, `${total}`);
  if (total > file.length) throw cutShort(file, `${total} bytes`);
  if (total < file.length) throw new FormatError({ byte: Number(total) }, 'the end', `${file.length} bytes`);
  return version;
}

function readTable(file: Uint8Array, view: DataView, limit: number) {
  const count = view.getUint32(16, true);
  if (count > MAX_SECTIONS) throw new FormatError({ byte: 16 }, `at most ${MAX_SECTIONS} sections`, `${count}`);
  const json = { start: FIXED_BYTES + ENTRY_BYTES * count, end: 0 };
  if (json.start > limit) throw new FormatError({ byte: 16 }, `sections within ${file.length} bytes`, `${count}`);
  const length = view.getUint32(20, true);
  const longest = Math.min(MAX_JSON_BYTES, limit - json.start);
  if (length > longest) throw new FormatError({ byte: 20 }, `at most ${longest} bytes of JSON`, `${length}`);
  json.end = json.start + length;

  let end = json.end;
  const entries: Entry[] = [];
  const names = new Set<string>();
  for (let at = FIXED_BYTES; at < json.start; at += ENTRY_BYTES) {
    const name = textAt(file, at, 12);
    if (!NAME.test(name)) throw new FormatError({ byte: at }, 'a name of a-z, 0-9 and -', JSON.stringify(name));
    if (names.has(name)) throw new FormatError({ byte: at }, 'one section of each name', `${name} again`);
    names.add(name);
    const type = textAt(file, at + 12, 4);
    if (!isSectionType(type)) {
      throw new FormatError({ byte: at + 12 }, Object.keys(ELEMENTS).join(', '), JSON.stringify(type));
    }
    const offset = aligned(end);
    const storedOffset = view.getBigUint64(at + 16, true);
    if (storedOffset !== BigInt(offset)) {
      throw new FormatError({ byte: at + 16 }, `section ${name} at byte ${offset}`, `${storedOffset}`);
    }
    const most = Math.max(0, Math.floor((limit - offset) / ELEMENTS[type].BYTES_PER_ELEMENT));
    const elements = view.getBigUint64(at + 24, true);
    if (offset > limit || elements > most) {
      throw new FormatError({ byte: at + 24 }, `at most ${most} elements in section ${name}`, `${elements}`);
    }
    for (; end < offset; end++) {
      if (file[end] !== 0) throw new FormatError({ byte: end }, `zeros before section ${name}`, `${file[end]}`);
    }
    entries.push({ name, type, offset, count: Number(elements) });
    end = offset + Number(elements) * ELEMENTS[type].BYTES_PER_ELEMENT;
  }
  if (end !== limit) throw new FormatError({ byte: end }, `the checksum`, `${limit - end} bytes that no section holds`);
  return { entries, json };
}

function parseHeader(file: Uint8Array, start: number, end: number): Record<string, unknown> {
  const json = file.subarray(start, end);
  const depth = depthOf(json);
  if (depth > MAX_DEPTH) throw new FormatError({ byte: start }, `JSON at most ${MAX_DEPTH} deep`, `${depth}`);
  try {
    const header: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(json));
    if (typeof header === 'object' && header !== null && !Array.isArray(header))
      return header as Record<string, unknown>;
  } catch (error) {
    throw new FormatError({ byte: start }, 'JSON', (error as Error).message.replaceAll('\n', ' '));
  }
  throw new FormatError({ byte: start }, 'a JSON object', 'another value');
}

/** Nesting depth of brackets outside of strings, which must not overflow a walker's stack. */
function depthOf(json: Uint8Array): number {
  let depth = 0;
  let deepest = 0;
  let inString = false;
  for (let i = 0; i < json.length; i++) {
    const byte = json[i];
    if (inString && byte === 0x5c) i++;
    else if (byte === 0x22) inString = !inString;
    else if (!inString && (byte === 0x5b || byte === 0x7b)) deepest = Math.max(deepest, ++depth);
    else if (!inString && (byte === 0x5d || byte === 0x7d)) depth--;
  }
  return deepest;
}

function cutShort(file: Uint8Array, expected: string): FormatError {
  return new FormatError({ byte: file.length }, expected, `the end of the file after ${file.length}`);
}

function isSectionType(type: string): type is SectionType {
  return Object.hasOwn(ELEMENTS, type);
}

function typeOf(data: SectionArray): SectionType {
  const type = Object.keys(ELEMENTS).find((name) => data instanceof ELEMENTS[name as SectionType]);
  if (type === undefined) throw new RangeError('a section of a type that no blob stores');
  return type as SectionType;
}

function textAt(bytes: Uint8Array, at: number, length: number): string {
  return String.fromCharCode(...bytes.subarray(at, at + length)).replace(/\0+$/, '');
}

function setText(bytes: Uint8Array, at: number, text: string): void {
  for (let i = 0; i < text.length; i++) bytes[at + i] = text.charCodeAt(i);
}

/** An error of the caller, not of a file. */
function demand(holds: boolean, what: string): void {
  if (!holds) throw new RangeError(`${what} cannot be stored in a blob`);
}
