/**
 * Reads and validates the image file directories (IFDs) of a TIFF, so that no decoder sees a false
 * one.
 *
 * Adobe Developers Association, "TIFF Revision 6.0", 1992, sections 2 (structure), 13 (LZW), 14
 * (predictor), 15 (tiles) and 18 (extra samples); Deflate is compression 8 of Adobe's technical
 * note of 2002, and 32946 before that. Only forms of a geometry image are accepted: classic TIFF of
 * either byte order, gray or chunky RGB or RGBA of 16-bit unsigned samples, in strips or tiles,
 * each uncompressed, LZW or Deflate. Tags that cannot change such samples are ignored.
 *
 * Time and memory are linear in the file. The parts of a sound file do not overlap, so the parts
 * that are read (directories, values, pixel data) may not add up to more than the file. Arrays are
 * made only after their count is checked.
 */

import { FormatError } from '../base/errors.ts';
import { once } from '../base/require.ts';
import { LITTLE_ENDIAN } from '../math/byte-order.ts';
import type { ByteRange, ByteSource } from './byte-source.ts';
import { isTiff } from './is-tiff.ts';

export const Tag = {
  ImageWidth: 256,
  ImageLength: 257,
  BitsPerSample: 258,
  Compression: 259,
  PhotometricInterpretation: 262,
  FillOrder: 266,
  ImageDescription: 270,
  StripOffsets: 273,
  Orientation: 274,
  SamplesPerPixel: 277,
  RowsPerStrip: 278,
  StripByteCounts: 279,
  XResolution: 282,
  YResolution: 283,
  PlanarConfiguration: 284,
  ResolutionUnit: 296,
  Predictor: 317,
  TileWidth: 322,
  TileLength: 323,
  TileOffsets: 324,
  TileByteCounts: 325,
  ExtraSamples: 338,
  SampleFormat: 339,
  /** Ours, among the private tags: bytes that other readers skip. */
  Attachment: 65012,
} as const;

type TagName = keyof typeof Tag;

export const Type = { Ascii: 2, Short: 3, Long: 4, Rational: 5, Undefined: 7 } as const;

/** Every accepted page has 16 bits a sample. */
export const SAMPLE_BYTES = 2;

/** Compression of a geometry image's samples; all of them are lossless. */
export type Compression = 'deflate' | 'lzw' | 'none';

/** One page, as its directory describes it, checked against the file. */
export interface TiffPage {
  ifd: number;
  littleEndian: boolean;
  width: number;
  height: number;
  channels: 1 | 3 | 4;
  compression: Compression;
  /** 'horizontal': a row's samples are differences from the pixel to the left, modulo 2^16. */
  predictor: 'none' | 'horizontal';
  /**
   * Blocks are compressed one by one, row by row of blocks. They are strips (whole rows, the last
   * one perhaps short) or tiles (all of one size, padded on the right and at the bottom).
   */
  tiled: boolean;
  blockWidth: number;
  blockHeight: number;
  /** Byte offset and length of each block's stored bytes. */
  offsets: Uint32Array;
  byteCounts: Uint32Array;
  /** ImageDescription, up to its first NUL, or null. */
  description: string | null;
  /** The private tag's bytes, a view of the file; null if there are none, or unread. */
  attachment: Uint8Array | null;
}

interface TiffLimits {
  /** Default 64. */
  maxPages?: number;
  /**
   * Decoded bytes of all pages, padding of tiles included. Default 2^31; the largest asset, n = 13,
   * takes 1.6e9.
   */
  maxDecodedBytes?: number;
}

/**
 * Most bytes that one stored byte can become, so that a small file cannot request much memory.
 * Deflate: A match gives at most 258 bytes and needs at least two bits, a length's and a
 * distance's: 258 * 8 / 2 = 1032. A literal gives one byte a bit. LZW: A code of b <= 12 bits is
 * one of the first 2^b. 258 of these are no strings longer than a byte, and each later one is a
 * byte longer than some earlier one. So there are at most (2^b - 257) / b bytes a bit, and 3839 * 8
 * / 12 < 2560.
 */
const MAX_EXPANSION: Record<Compression, number> = { none: 1, deflate: 1032, lzw: 2560 };

const COMPRESSIONS = new Map<number, Compression>([
  [1, 'none'],
  [5, 'lzw'],
  [8, 'deflate'],
  [32946, 'deflate'],
]);

/**
 * Returns every page of a TIFF, validated, in the order of the file's chain. Throws FormatError,
 * with the byte offset of the fault, for any page other than 16-bit gray or chunky RGB or RGBA, of
 * none, LZW or Deflate compression.
 *
 * @example const [geometry, normals, spheres] = readDirectories(bytes);
 *          const page = await codec.decodePage(bytes, geometry);
 */
export function readDirectories(bytes: Uint8Array, limits: TiffLimits = {}): TiffPage[] {
  const file = new FileParts(bytes.length);
  file.add(0, bytes);
  const walk = walkDirectories(file, limits);
  for (;;) {
    const { done, value } = walk.next();
    if (done) return value;
  }
}

/**
 * `readDirectories` for a file that is read in parts. It reads directories and values, but no
 * pixels; private tags are checked, but left out. A read has at least `readAhead` bytes: our files
 * have their directories together, at the start.
 */
export async function readDirectoriesOf(
  source: ByteSource,
  limits: TiffLimits = {},
  readAhead = 2 ** 16,
): Promise<TiffPage[]> {
  const parts = new FileParts(source.size);
  const need = async ({ offset, length }: ByteRange): Promise<void> => {
    if (parts.part(offset, length)) return;
    const end = Math.min(source.size, offset + Math.max(length, readAhead));
    parts.add(offset, await source.read(offset, end - offset));
  };
  await need({ offset: 0, length: Math.min(8, source.size) });
  const walk = walkDirectories(parts, limits);
  for (;;) {
    const { done, value } = walk.next();
    if (done) return value;
    await need(value);
  }
}

/** The walk: it requests each range of the file before it reads there, except the first 8 bytes. */
function* walkDirectories(bytes: FileParts, limits: TiffLimits): Generator<ByteRange, TiffPage[]> {
  const { maxPages = 64, maxDecodedBytes = 2 ** 31 } = limits;
  const file = openFile(bytes, maxDecodedBytes);
  const pages: TiffPage[] = [];
  const visited = new Set<number>();
  let pointer = 4;
  let ifd = file.view.getUint32(pointer, file.littleEndian);
  if (ifd === 0) throw new FormatError({ byte: pointer }, 'the offset of a directory', '0');
  while (ifd !== 0) {
    if (visited.has(ifd)) {
      throw new FormatError({ byte: pointer }, 'a chain of directories that ends', `the one at byte ${ifd} again`);
    }
    if (pages.length === maxPages) {
      throw new FormatError({ byte: pointer }, `at most ${maxPages} page${maxPages === 1 ? '' : 's'}`, 'another one');
    }
    visited.add(ifd);
    const directory = yield* readDirectory(file, ifd, pointer);
    pages.push(readPage(file, directory));
    pointer = directory.end;
    ifd = file.view.getUint32(pointer, file.littleEndian);
  }
  return pages;
}

/** Our files' headers say so. */
export const isOurs = ({ description }: Pick<TiffPage, 'description'>): boolean =>
  description?.includes('gicollide') === true;

interface FirstPage {
  /** False for other programs' pictures: without our header and our tag. */
  isOurs: boolean;
  /** True if a pixel is one gray number, whatever its type. */
  isGray: boolean;
}

/**
 * Reads a TIFF's first page, with pixels of any kind.
 *
 * @returns null for other files, and if the page's directory or description is not within the file
 */
export async function firstPageOf({ size, read }: ByteSource): Promise<FirstPage | null> {
  const start = await read(0, Math.min(8, size));
  if (!isTiff(start)) return null;
  if (start.includes(43)) return { isOurs: false, isGray: false };
  const littleEndian = start[0] === 0x49;
  const viewOf = async (offset: number, length: number): Promise<DataView | null> => {
    if (offset + length > size) return null;
    const bytes = await read(offset, length);
    return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  };
  const ifd = (await viewOf(4, 4))?.getUint32(0, littleEndian) ?? size;
  const count = (await viewOf(ifd, 2))?.getUint16(0, littleEndian) ?? 0;
  const entries = count > 0 ? await viewOf(ifd + 2, 12 * count) : null;
  if (!entries) return null;
  const places = new Map(Array.from({ length: count }, (_, k) => [entries.getUint16(12 * k, littleEndian), 12 * k]));
  const number = (tag: number, otherwise: number): number => {
    const at = places.get(tag);
    return at === undefined ? otherwise : entries.getUint16(at + 8, littleEndian);
  };
  const page = {
    isOurs: places.has(Tag.Attachment),
    isGray: number(Tag.SamplesPerPixel, 1) === 1 && number(Tag.PhotometricInterpretation, 2) <= 1,
  };
  const at = places.get(Tag.ImageDescription);
  if (at === undefined) return page;
  const length = entries.getUint32(at + 4, littleEndian);
  const text = length > 4 ? await viewOf(entries.getUint32(at + 8, littleEndian), length) : null;
  if (length > 4 && !text) return null;
  const description = text && new TextDecoder().decode(text);
  return { ...page, isOurs: page.isOurs || isOurs({ description }) };
}

/** Returns the page of a single-page TIFF. Throws like `readDirectories`, or for more pages. */
export function readSinglePage(bytes: Uint8Array): TiffPage {
  return readDirectories(bytes, { maxPages: 1 })[0];
}

export function blockRows(page: TiffPage, index: number): number {
  return page.tiled ? page.blockHeight : Math.min(page.blockHeight, page.height - index * page.blockHeight);
}

/** `strip 3` or `tile 3`, for messages. */
export const nounOfBlock = ({ tiled }: TiffPage, index: number): string => `${tiled ? 'tile' : 'strip'} ${index}`;

export function blockDecodedBytes(page: TiffPage, index: number): number {
  return page.blockWidth * blockRows(page, index) * page.channels * SAMPLE_BYTES;
}

/** The parts of a file that have been read. The walk only uses parts that it has requested. */
class FileParts {
  private readonly parts: { start: number; end: number; bytes: Uint8Array; view: DataView }[] = [];

  constructor(readonly byteLength: number) {}

  add(start: number, bytes: Uint8Array): void {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.parts.unshift({ start, end: start + bytes.length, bytes, view });
  }

  getUint16(at: number, littleEndian: boolean): number {
    const { start, view } = this.find(at, 2)!;
    return view.getUint16(at - start, littleEndian);
  }

  getUint32(at: number, littleEndian: boolean): number {
    const { start, view } = this.find(at, 4)!;
    return view.getUint32(at - start, littleEndian);
  }

  /** A view, not a copy; null if the part was not read. */
  part(at: number, length: number): Uint8Array | null {
    const found = this.find(at, length);
    return found ? found.bytes.subarray(at - found.start, at - found.start + length) : null;
  }

  private find(at: number, length: number) {
    return this.parts.find(({ start, end }) => start <= at && at + length <= end);
  }
}

interface TiffFile {
  view: FileParts;
  littleEndian: boolean;
  /** Unclaimed bytes of the file, and decoded bytes still allowed. */
  unclaimed: number;
  decodable: number;
}

interface Field {
  name: TagName;
  /** Byte offset of the twelve-byte entry, which errors name, and of the values. */
  entry: number;
  at: number;
  type: number;
  count: number;
}

interface Directory {
  ifd: number;
  fields: Map<TagName, Field>;
  /** Byte offset behind the last entry, where the next directory's offset is. */
  end: number;
}

function openFile(view: FileParts, maxDecodedBytes: number): TiffFile {
  const size = view.byteLength;
  const start = view.part(0, Math.min(8, size)) as Uint8Array;
  if (!isTiff(start)) throw new FormatError({ byte: 0 }, 'a TIFF ("II*" or "MM*")', firstBytes(start));
  if (size < 8) throw new FormatError({ byte: size }, "a TIFF's 8 bytes of header", 'the end of the file');
  const littleEndian = start[0] === 0x49;
  const version = view.getUint16(2, littleEndian);
  if (version !== 42) throw new FormatError({ byte: 2 }, 'classic TIFF (version 42)', `BigTIFF (version ${version})`);
  return { view, littleEndian, unclaimed: size - 8, decodable: maxDecodedBytes };
}

function firstBytes(bytes: Uint8Array): string {
  if (bytes.length === 0) return 'an empty file';
  return Array.from(bytes.subarray(0, 4), (byte) => byte.toString(16).padStart(2, '0')).join(' ');
}

/** Claims a part of the file from `offset` on; `place` is where the offset is written. */
function claim(file: TiffFile, offset: number, length: number, what: string, place: number): void {
  const size = file.view.byteLength;
  if (offset < 8 || offset + length > size) {
    throw new FormatError(
      { byte: place },
      `${what} within bytes 8 to ${size}`,
      `bytes ${offset} to ${offset + length}`,
    );
  }
  file.unclaimed -= length;
  if (file.unclaimed < 0) {
    throw new FormatError(
      { byte: place },
      'parts that do not overlap',
      `${what} beyond the file's ${size} bytes in all`,
    );
  }
}

/** Written for other readers, never read. */
const UNREAD: readonly number[] = [Tag.XResolution, Tag.YResolution, Tag.ResolutionUnit];
const tagNames = once(
  () =>
    new Map(
      Object.entries(Tag).flatMap(([name, tag]): [number, TagName][] =>
        UNREAD.includes(tag) ? [] : [[tag, name as TagName]],
      ),
    ),
);

function* readDirectory(file: TiffFile, ifd: number, pointer: number): Generator<ByteRange, Directory> {
  const { view, littleEndian } = file;
  claim(file, ifd, 2, 'a directory', pointer);
  yield { offset: ifd, length: 2 };
  const count = view.getUint16(ifd, littleEndian);
  const end = ifd + 2 + 12 * count;
  claim(file, ifd + 2, 12 * count + 4, `a directory of ${count} entries`, ifd);
  yield { offset: ifd, length: end + 4 - ifd };
  const fields = new Map<TagName, Field>();
  const names = tagNames();
  for (let entry = ifd + 2; entry < end; entry += 12) {
    const name = names.get(view.getUint16(entry, littleEndian));
    if (name === undefined) continue;
    if (fields.has(name)) throw new FormatError({ byte: entry }, `${name} once in a directory`, 'it twice');
    const field = readField(file, name, entry);
    fields.set(name, field);
    if (name !== 'Attachment') yield { offset: field.at, length: field.count * bytesOf(field.type) };
  }
  return { ifd, fields, end };
}

/** Types of fields other than whole numbers. */
const WANTED: Partial<Record<TagName, { types: number[]; words: string }>> = {
  ImageDescription: { types: [Type.Ascii], words: 'ASCII' },
  Attachment: { types: [Type.Undefined], words: 'UNDEFINED' },
};

const bytesOf = (type: number): number => (type === Type.Short ? 2 : type === Type.Long ? 4 : 1);

function readField(file: TiffFile, name: TagName, entry: number): Field {
  const { view, littleEndian } = file;
  const type = view.getUint16(entry + 2, littleEndian);
  const count = view.getUint32(entry + 4, littleEndian);
  const wanted = WANTED[name] ?? { types: [Type.Short, Type.Long], words: 'SHORT or LONG' };
  if (!wanted.types.includes(type)) {
    throw new FormatError({ byte: entry + 2 }, `${name} as ${wanted.words}`, `type ${type}`);
  }
  if (count === 0) throw new FormatError({ byte: entry + 4 }, `a value for ${name}`, 'none');
  const length = count * bytesOf(type);
  if (length <= 4) return { name, entry, at: entry + 8, type, count };
  const at = view.getUint32(entry + 8, littleEndian);
  claim(file, at, length, `${name}'s ${count} values`, entry + 8);
  return { name, entry, at, type, count };
}

function valueAt(file: TiffFile, field: Field, index: number): number {
  return field.type === Type.Short
    ? file.view.getUint16(field.at + 2 * index, file.littleEndian)
    : file.view.getUint32(field.at + 4 * index, file.littleEndian);
}

/** The one value of a field, or `absent` without it; required if `absent` is not given. */
function scalar(file: TiffFile, directory: Directory, name: TagName, absent?: number): number {
  const field = absent === undefined ? required(directory, name) : directory.fields.get(name);
  if (field === undefined) return absent as number;
  if (field.count !== 1) throw new FormatError({ byte: field.entry + 4 }, `one value for ${name}`, `${field.count}`);
  return valueAt(file, field, 0);
}

function required(directory: Directory, name: TagName): Field {
  const field = directory.fields.get(name);
  if (field === undefined) throw new FormatError({ byte: directory.ifd }, `${name} in the directory`, 'none');
  return field;
}

/** Byte offset to blame for a field's value, or the directory's without the field. */
function placeOf(directory: Directory, name: TagName): { byte: number } {
  return { byte: directory.fields.get(name)?.at ?? directory.ifd };
}

function readPage(file: TiffFile, directory: Directory): TiffPage {
  const samples = readSamples(file, directory);
  const page: TiffPage = {
    ifd: directory.ifd,
    littleEndian: file.littleEndian,
    ...samples,
    ...readBlocks(file, directory, samples.channels),
    description: readDescription(file, directory),
    attachment: readAttachment(file, directory),
  };
  claimBlocks(file, directory, page);
  return page;
}

function readSamples(file: TiffFile, directory: Directory): Pick<TiffPage, 'channels' | 'compression' | 'predictor'> {
  const expect = (name: TagName, value: number, accepted: readonly number[], expected: string): number => {
    if (!accepted.includes(value)) throw new FormatError(placeOf(directory, name), expected, `${name} ${value}`);
    return value;
  };
  const oneOf = (name: TagName, absent: number | undefined, accepted: readonly number[], expected: string): number =>
    expect(name, scalar(file, directory, name, absent), accepted, expected);

  const photometric = [1, 2];
  const isGrey =
    oneOf(
      'PhotometricInterpretation',
      undefined,
      photometric,
      'RGB pixels (PhotometricInterpretation 2), or grey ones (1)',
    ) === 1;
  const channels = (
    isGrey
      ? oneOf('SamplesPerPixel', 1, [1], 'one sample a grey pixel')
      : oneOf('SamplesPerPixel', 1, [3, 4], '3 or 4 samples a pixel')
  ) as 1 | 3 | 4;
  eachOf(file, directory, 'BitsPerSample', channels, 16, '16 bits a sample');
  if (directory.fields.has('SampleFormat')) {
    const single = directory.fields.get('SampleFormat')?.count === 1;
    eachOf(file, directory, 'SampleFormat', single ? 1 : channels, 1, 'unsigned integers (SampleFormat 1)');
  }
  oneOf('PlanarConfiguration', 1, [1], 'interleaved samples (PlanarConfiguration 1)');
  oneOf('Orientation', 1, [1], 'rows from the top, columns from the left (Orientation 1)');
  oneOf('FillOrder', 1, [1], 'bits from the highest down (FillOrder 1)');
  // With associated alpha, 1, readers would divide colors by it again.
  if (channels === 4) oneOf('ExtraSamples', 0, [0, 2], 'a fourth sample that scales no colours (ExtraSamples 0 or 2)');
  else if (directory.fields.has('ExtraSamples')) {
    throw new FormatError(
      { byte: required(directory, 'ExtraSamples').entry },
      'no ExtraSamples beside grey or RGB',
      'some',
    );
  }
  const code = oneOf('Compression', 1, [...COMPRESSIONS.keys()], 'no compression (1), LZW (5) or Deflate (8)');
  const compression = COMPRESSIONS.get(code) as Compression;
  // Readers disagree on differences without compression: libtiff takes them for plain samples.
  const predictors = compression === 'none' ? [1] : [1, 2];
  const predictor =
    oneOf('Predictor', 1, predictors, `Predictor ${predictors.join(' or ')}`) === 2 ? 'horizontal' : 'none';
  return { channels, compression, predictor };
}

function readBlocks(
  file: TiffFile,
  directory: Directory,
  channels: number,
): Pick<TiffPage, 'width' | 'height' | 'tiled' | 'blockWidth' | 'blockHeight' | 'offsets' | 'byteCounts'> {
  const width = positive(file, directory, 'ImageWidth');
  const height = positive(file, directory, 'ImageLength');
  const tiled = directory.fields.has('TileWidth') || directory.fields.has('TileOffsets');
  const blockWidth = tiled ? tileSide(file, directory, 'TileWidth') : width;
  const blockHeight = tiled
    ? tileSide(file, directory, 'TileLength')
    : directory.fields.has('RowsPerStrip')
      ? Math.min(height, positive(file, directory, 'RowsPerStrip'))
      : height;

  const across = Math.ceil(width / blockWidth);
  const down = Math.ceil(height / blockHeight);
  const decoded = across * blockWidth * (tiled ? down * blockHeight : height) * channels * SAMPLE_BYTES;
  if (decoded > file.decodable) {
    const size = `${width} x ${height} pixels, ${decoded} bytes`;
    const most = `at most ${file.decodable} more bytes of pixels in a file of ${file.view.byteLength} bytes`;
    throw new FormatError(placeOf(directory, 'ImageWidth'), most, size);
  }
  file.decodable -= decoded;

  const offsets = readBlockTable(file, directory, tiled ? 'TileOffsets' : 'StripOffsets', across * down);
  const byteCounts = readBlockTable(file, directory, tiled ? 'TileByteCounts' : 'StripByteCounts', across * down);
  return { width, height, tiled, blockWidth, blockHeight, offsets, byteCounts };
}

function positive(file: TiffFile, directory: Directory, name: TagName): number {
  const value = scalar(file, directory, name);
  if (value === 0) throw new FormatError(placeOf(directory, name), `${name} of at least 1`, '0');
  return value;
}

function tileSide(file: TiffFile, directory: Directory, name: TagName): number {
  const side = positive(file, directory, name);
  if (side % 16 !== 0) throw new FormatError(placeOf(directory, name), `a multiple of 16 as ${name}`, `${side}`);
  return side;
}

function eachOf(file: TiffFile, directory: Directory, name: TagName, count: number, value: number, what: string): void {
  const field = required(directory, name);
  if (field.count !== count) {
    throw new FormatError({ byte: field.entry + 4 }, `${count} values for ${name}`, `${field.count}`);
  }
  for (let i = 0; i < count; i++) {
    const found = valueAt(file, field, i);
    if (found !== value) throw new FormatError({ byte: field.at }, what, `${name} ${found}`);
  }
}

function readBlockTable(file: TiffFile, directory: Directory, name: TagName, count: number): Uint32Array {
  const field = required(directory, name);
  if (field.count !== count) {
    throw new FormatError({ byte: field.entry + 4 }, `${count} ${name} for the page's size`, `${field.count}`);
  }
  const table = new Uint32Array(count);
  const values = file.view.part(field.at, count * bytesOf(field.type)) as Uint8Array;
  if (field.type === Type.Long && file.littleEndian && LITTLE_ENDIAN) {
    new Uint8Array(table.buffer).set(values);
    return table;
  }
  for (let i = 0; i < count; i++) table[i] = valueAt(file, field, i);
  return table;
}

function claimBlocks(file: TiffFile, directory: Directory, page: TiffPage): void {
  const place = placeOf(directory, page.tiled ? 'TileOffsets' : 'StripOffsets').byte;
  for (let i = 0; i < page.offsets.length; i++) {
    const stored = page.byteCounts[i];
    const decoded = blockDecodedBytes(page, i);
    claim(file, page.offsets[i], stored, nounOfBlock(page, i), place);
    if (page.compression === 'none' ? stored !== decoded : stored * MAX_EXPANSION[page.compression] < decoded) {
      const what = page.compression === 'none' ? 'uncompressed' : `from ${page.compression}`;
      throw new FormatError(
        { byte: page.offsets[i] },
        `${decoded} bytes ${what} in ${nounOfBlock(page, i)}`,
        `${stored} stored bytes`,
      );
    }
  }
}

function readDescription(file: TiffFile, directory: Directory): string | null {
  const field = directory.fields.get('ImageDescription');
  if (field === undefined) return null;
  const bytes = file.view.part(field.at, field.count) as Uint8Array;
  const end = bytes.indexOf(0);
  return new TextDecoder().decode(end < 0 ? bytes : bytes.subarray(0, end));
}

function readAttachment(file: TiffFile, directory: Directory): Uint8Array | null {
  const field = directory.fields.get('Attachment');
  return field ? file.view.part(field.at, field.count) : null;
}
