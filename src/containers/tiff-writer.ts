/**
 * Writes TIFF directories around strips and tiles that are already encoded: several pages of
 * different sizes in one file, which sharp cannot do, and clean single pages for a decoder to read.
 * Adobe Developers Association, "TIFF Revision 6.0", 1992. The layout has the header, then each
 * directory with its values, then the pixel data page by page. Every part starts on an even byte.
 * Nothing depends on the time, the machine or the input beyond the pages themselves.
 */

import { FormatError, OptionError } from '../base/errors.ts';
import type { PixelPage } from './pixels.ts';
import { type Compression, readSinglePage, SAMPLE_BYTES, Tag, type TiffPage, Type } from './tiff-directory.ts';

/**
 * Joins single-page TIFFs in order, the first with `description` as its ImageDescription and
 * `attachment` in a private tag. Copies strips and tiles unchanged. The text must be printable
 * ASCII, tabs and line ends (see `asciiJson`), else RangeError. Throws FormatError if
 * `readDirectories` does not accept a file as a single page or they differ in byte order,
 * OptionError if the result would pass the 4 GiB of 32-bit offsets.
 */
export function joinPages(
  singlePageTiffs: readonly Uint8Array[],
  description: string,
  attachment: Uint8Array | null = null,
): Uint8Array {
  if (singlePageTiffs.length === 0) throw new RangeError('joinPages needs at least one page');
  if (!ASCII_TEXT.test(description)) throw new RangeError('ImageDescription must be printable ASCII');
  const sources = singlePageTiffs.map((bytes, i) => ({
    bytes,
    page: {
      ...readSinglePage(bytes),
      description: i === 0 ? description : null,
      attachment: i === 0 ? attachment : null,
    },
  }));
  const { littleEndian } = sources[0].page;
  if (sources.some((source) => source.page.littleEndian !== littleEndian)) {
    throw new FormatError({ byte: 0 }, 'pages of one byte order', 'both "II" and "MM"');
  }
  return writePages(sources);
}

/**
 * Makes a single-page TIFF of the validated tags and data of `page`, for a decoder that is not to
 * be trusted with the rest. Byte order and compression stay; alpha is marked as unassociated.
 */
export function isolatePage(bytes: Uint8Array, page: TiffPage): Uint8Array {
  return writePages([{ bytes, page: { ...page, description: null, attachment: null } }]);
}

/**
 * 'horizontal' if samples are stored as differences from the pixel to the left (TIFF 6.0, section
 * 14). Not for our grey pages, deviations: those are few different numbers in no order. Their
 * differences are more numbers, and take 28 to 37 % more bytes (docs/space.md).
 */
export const predictorOf = (compression: Compression, channels: number): TiffPage['predictor'] =>
  compression === 'none' || channels === 1 ? 'none' : 'horizontal';

/**
 * Makes a single-page, little-endian TIFF of the samples, in tiles if `inTiles` says so, else in
 * strips. `encode` compresses a block's bytes, after the predictor, block by block, in order.
 */
export async function encodePage(
  pixels: PixelPage,
  compression: Compression,
  encode: (bytes: Uint8Array) => Promise<Uint8Array>,
): Promise<Uint8Array> {
  const { width, height, channels } = pixels;
  const tiled = compression !== 'none' && inTiles(width, height, channels);
  const blockWidth = tiled ? TILE_SIDE : width;
  const blockHeight = tiled ? TILE_SIDE : Math.min(height, rowsPerStrip(width, channels));
  const padded = tiled ? padToTiles(pixels) : pixels;
  const predictor = predictorOf(compression, channels);
  const blocks: Uint8Array[] = [];
  for (let top = 0; top < padded.height; top += blockHeight) {
    const rows = Math.min(blockHeight, padded.height - top);
    for (let left = 0; left < padded.width; left += blockWidth) {
      blocks.push(await encode(blockBytes(padded, left, top, blockWidth, rows, predictor)));
    }
  }
  const byteCounts = Uint32Array.from(blocks, (block) => block.length);
  const offsets = new Uint32Array(blocks.length);
  for (let i = 1; i < blocks.length; i++) offsets[i] = offsets[i - 1] + byteCounts[i - 1];
  const bytes = new Uint8Array(blocks.reduce((sum, block) => sum + block.length, 0));
  for (const [i, block] of blocks.entries()) bytes.set(block, offsets[i]);
  const page: TiffPage = {
    ifd: 0,
    littleEndian: true,
    width,
    height,
    channels,
    compression,
    predictor,
    tiled,
    blockWidth,
    blockHeight,
    offsets,
    byteCounts,
    description: null,
    attachment: null,
  };
  return writePages([{ bytes, page }]);
}

/** The little-endian samples, after the predictor, of a block that lies wholly within the page. */
function blockBytes(
  { width, channels, samples }: PixelPage,
  left: number,
  top: number,
  columns: number,
  rows: number,
  predictor: TiffPage['predictor'],
): Uint8Array {
  const rowSamples = columns * channels;
  const bytes = new Uint8Array(rows * rowSamples * SAMPLE_BYTES);
  let at = 0;
  for (let row = 0; row < rows; row++) {
    const start = ((top + row) * width + left) * channels;
    for (let i = start; i < start + rowSamples; i++) {
      const before = predictor === 'horizontal' && i >= start + channels ? samples[i - channels] : 0;
      const value = samples[i] - before;
      bytes[at++] = value;
      bytes[at++] = value >>> 8;
    }
  }
  return bytes;
}

/**
 * True for pages in tiles of 128 x 128: compressed ones beyond 1 MiB of samples. A smaller page is
 * one strip, which most readers know. Tiles of a large page take fewer bytes than strips: pixels
 * above and below are within the window of Deflate and the table of LZW. They decode as fast, and a
 * part of the page can be read by itself. libvips pads the last tiles with the previous tile's
 * remains, which take as many bytes as a picture. So `padToTiles` repeats the last column and row
 * instead, and `cutPage` states the true size.
 *
 * Bunny, its three pages, sharp 0.35: bytes relative to strips of 1 MiB | ms to decode | KB that
 * hold 64 x 64 quads and their spheres, mean over the page (bench/layout-check.mjs)
 *                  257^2 Deflate       1025^2 Deflate       2049^2 Deflate         2049^2 LZW
 *   strips 64 KiB  +0.5 %  11   300    +8.7 %  89   588    +15.0 % 296   850       0 % 539  1656
 *   strips 1 MiB        0  10  1003         0  77  1000          0 232  1071         0 492  2426
 *   one strip           0  10  1003    -0.5 %  84  8124     -1.0 % 252 22740       0 % 508 51385
 *   tiles of 64    -0.8 %  10   119    -8.5 %  78    67    -19.3 % 229    43   -41.5 % 384    68
 *   tiles of 128   -0.3 %  10   284   -10.2 %  72   158    -23.6 % 208    99   -38.9 % 406   173
 *   tiles of 256   +0.7 %  11   853    -9.5 %  72   477    -23.7 % 210   293   -29.7 % 481   589
 * Padded by libvips, the geometry page alone in tiles of 256: +299 % at 257^2, +40 % at 1025^2. By
 * utif, 1025^2 Deflate: strips of 1 MiB 0.69 s, tiles of 64 1.04 s, of 128 0.76 s. At 513^2 128 is
 * the smallest, too; at 257^2 with LZW it is 7 % larger than one strip.
 */
export function inTiles(width: number, height: number, channels: number): boolean {
  return width * height * channels * SAMPLE_BYTES > ONE_STRIP;
}

export const TILE_SIDE = 128;

const ONE_STRIP = 2 ** 20;

/** Repeats the last column and row up to whole tiles; returns the page itself if it fits. */
export function padToTiles(pixels: PixelPage): PixelPage {
  const { channels, samples } = pixels;
  const width = TILE_SIDE * Math.ceil(pixels.width / TILE_SIDE);
  const height = TILE_SIDE * Math.ceil(pixels.height / TILE_SIDE);
  if (width === pixels.width && height === pixels.height) return pixels;
  const padded = new Uint16Array(width * height * channels);
  const rowSamples = pixels.width * channels;
  for (let row = 0; row < height; row++) {
    const from = Math.min(row, pixels.height - 1) * rowSamples;
    const to = row * width * channels;
    padded.set(samples.subarray(from, from + rowSamples), to);
    for (let i = to + rowSamples; i < to + width * channels; i++) padded[i] = padded[i - channels];
  }
  return { width, height, channels, samples: padded };
}

/**
 * Cuts columns and rows off a tiled single-page TIFF: they become padding of its last tiles, whose
 * bytes stay. Throws RangeError if whole tiles would be cut off, FormatError if `readDirectories`
 * does not accept `tiff` as a single page.
 */
export function cutPage(tiff: Uint8Array, width: number, height: number): Uint8Array {
  const page = readSinglePage(tiff);
  const { blockWidth, blockHeight } = page;
  const kept = Math.ceil(width / blockWidth) * Math.ceil(height / blockHeight);
  if (!page.tiled || width > page.width || height > page.height || kept !== page.offsets.length) {
    throw new RangeError(
      `${page.width} x ${page.height} pixels cannot be cut to ${width} x ${height} within their last tiles`,
    );
  }
  return writePages([{ bytes: tiff, page: { ...page, width, height, description: null, attachment: null } }]);
}

/**
 * Rows of a strip: the largest power of two, from 2 up, that keeps a strip within 1 MiB of samples.
 * It is a power of two because libvips 8.18 writes an empty last strip if an odd number of rows
 * leaves one row over, which is possible for every page of 2^n + 1 rows. The limit is a megabyte
 * because its LZW fits the table of utif, which holds 2,000,000 bytes of strings. Uncompressed
 * pages are in strips at every size: tiles would pad them, and any row can be read in place.
 */
export function rowsPerStrip(width: number, channels: number): number {
  let rows = 2;
  while (rows < 2 ** 14 && 2 * rows * width * channels * SAMPLE_BYTES <= ONE_STRIP) rows *= 2;
  return rows;
}

/** Writes JSON in ASCII only, as an ImageDescription requires. */
export function asciiJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

const ASCII_TEXT = /^[\t\n\r -~]*$/;

const COMPRESSION_CODES: Record<Compression, number> = { none: 1, lzw: 5, deflate: 8 };

interface Source {
  bytes: Uint8Array;
  page: TiffPage;
}

interface Entry {
  tag: number;
  type: number;
  /** For Type.Rational, numerator and denominator in turn. */
  values: ArrayLike<number>;
}

interface Plan {
  source: Source;
  entries: Entry[];
  ifd: number;
  /** Offset of each entry's values; 0 if they are inside it. */
  valuesAt: number[];
  /** Offset of each block; the array is the value of the offsets' entry. */
  offsets: Uint32Array;
}

function writePages(sources: readonly Source[]): Uint8Array {
  let end = 8;
  const place = (length: number): number => {
    const at = end;
    end += length + (length % 2);
    return at;
  };
  const plans = sources.map((source): Plan => {
    const offsets = new Uint32Array(source.page.offsets.length);
    const entries = entriesOf(source.page, offsets);
    const ifd = place(2 + 12 * entries.length + 4);
    const valuesAt = entries.map((entry) => (byteLength(entry) > 4 ? place(byteLength(entry)) : 0));
    return { source, entries, ifd, valuesAt, offsets };
  });
  for (const { source, offsets } of plans) {
    for (let i = 0; i < offsets.length; i++) offsets[i] = place(source.page.byteCounts[i]);
  }
  if (end > 0xffffffff) {
    throw new OptionError(
      `a TIFF holds less than 4 GiB, these pages take ${end} bytes: choose a smaller size or compression`,
    );
  }
  const out = new Uint8Array(end);
  const view = new DataView(out.buffer);
  const { littleEndian } = sources[0].page;
  out.fill(littleEndian ? 0x49 : 0x4d, 0, 2);
  view.setUint16(2, 42, littleEndian);
  view.setUint32(4, plans[0].ifd, littleEndian);
  plans.forEach((plan, i) => {
    writeDirectory(view, littleEndian, plan, plans[i + 1]?.ifd ?? 0);
    copyBlocks(out, plan);
  });
  return out;
}

/** The entries of a directory in ascending order of tags, as the specification requires. */
function entriesOf(page: TiffPage, offsets: Uint32Array): Entry[] {
  const short = (tag: number, ...values: number[]): Entry => ({ tag, type: Type.Short, values });
  const long = (tag: number, ...values: number[]): Entry => ({ tag, type: Type.Long, values });
  const perSample = (value: number): number[] => new Array<number>(page.channels).fill(value);
  const { description, tiled, predictor } = page;
  const text = (content: string): Entry => ({
    tag: Tag.ImageDescription,
    type: Type.Ascii,
    values: new TextEncoder().encode(`${content}\0`),
  });
  return [
    long(Tag.ImageWidth, page.width),
    long(Tag.ImageLength, page.height),
    short(Tag.BitsPerSample, ...perSample(16)),
    short(Tag.Compression, COMPRESSION_CODES[page.compression]),
    short(Tag.PhotometricInterpretation, page.channels === 1 ? 1 : 2),
    ...(description === null ? [] : [text(description)]),
    ...(tiled ? [] : [{ tag: Tag.StripOffsets, type: Type.Long, values: offsets }]),
    short(Tag.Orientation, 1),
    short(Tag.SamplesPerPixel, page.channels),
    ...(tiled
      ? []
      : [
          long(Tag.RowsPerStrip, page.blockHeight),
          { tag: Tag.StripByteCounts, type: Type.Long, values: page.byteCounts },
        ]),
    // Baseline TIFF requires a resolution; pixels here have none, so one without unit.
    { tag: Tag.XResolution, type: Type.Rational, values: [1, 1] },
    { tag: Tag.YResolution, type: Type.Rational, values: [1, 1] },
    short(Tag.PlanarConfiguration, 1),
    short(Tag.ResolutionUnit, 1),
    ...(predictor === 'none' ? [] : [short(Tag.Predictor, 2)]),
    ...(tiled
      ? [
          long(Tag.TileWidth, page.blockWidth),
          long(Tag.TileLength, page.blockHeight),
          { tag: Tag.TileOffsets, type: Type.Long, values: offsets },
          { tag: Tag.TileByteCounts, type: Type.Long, values: page.byteCounts },
        ]
      : []),
    // Unassociated alpha, so that no reader divides the colors by it or drops it.
    ...(page.channels === 4 ? [short(Tag.ExtraSamples, 2)] : []),
    short(Tag.SampleFormat, ...perSample(1)),
    ...(page.attachment?.length ? [{ tag: Tag.Attachment, type: Type.Undefined, values: page.attachment }] : []),
  ];
}

function byteLength({ type, values }: Entry): number {
  return values.length * (type === Type.Ascii || type === Type.Undefined ? 1 : type === Type.Short ? 2 : 4);
}

function writeDirectory(view: DataView, littleEndian: boolean, plan: Plan, next: number): void {
  const { entries, ifd, valuesAt } = plan;
  view.setUint16(ifd, entries.length, littleEndian);
  entries.forEach((entry, i) => {
    const { tag, type, values } = entry;
    const at = ifd + 2 + 12 * i;
    view.setUint16(at, tag, littleEndian);
    view.setUint16(at + 2, type, littleEndian);
    view.setUint32(at + 4, type === Type.Rational ? values.length / 2 : values.length, littleEndian);
    if (valuesAt[i] !== 0) view.setUint32(at + 8, valuesAt[i], littleEndian);
    const target = valuesAt[i] || at + 8;
    for (let k = 0; k < values.length; k++) {
      if (type === Type.Ascii || type === Type.Undefined) view.setUint8(target + k, values[k]);
      else if (type === Type.Short) view.setUint16(target + 2 * k, values[k], littleEndian);
      else view.setUint32(target + 4 * k, values[k], littleEndian);
    }
  });
  view.setUint32(ifd + 2 + 12 * entries.length, next, littleEndian);
}

function copyBlocks(out: Uint8Array, { source, offsets }: Plan): void {
  const { bytes, page } = source;
  for (let i = 0; i < offsets.length; i++) {
    const start = page.offsets[i];
    out.set(bytes.subarray(start, start + page.byteCounts[i]), offsets[i]);
  }
}
