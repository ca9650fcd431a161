/**
 * Pixels without sharp: the codec of browsers and wherever sharp cannot run. It decodes what
 * `readDirectories` accepts, strips or tiles: uncompressed pages and Deflate by the platform, LZW
 * by utif, which is loaded for the first such page. It writes pages compressed by the platform's
 * own Deflate, or uncompressed. LZW it does not write: an LZW page is the same bytes on every
 * machine, which takes the one encoder.
 *
 * utif 3.1 decodes a sound strip exactly, but it trusts its input. Tiles with a predictor come out
 * wrong. Corrupt LZW gives wrong samples, or sends it past the end of the data for more than a
 * minute. Its LZW strings run out of a table of 2,000,000 bytes, silently. Data that happens to be
 * as long as the samples is copied as if it were uncompressed. So every strip or tile goes to utif
 * as a one-strip image of its own, and only after its compressed data has been walked here and
 * found to end and to give exactly the samples of that block. The walk is stricter than libtiff:
 * LZW that lacks an end code or overflows that table is refused, not guessed at.
 *
 * What is not found is damage that decodes to the right number of bytes: LZW has no checksum.
 */

import type UTIF from 'utif';
import { FormatError, OptionError } from '../math/errors.ts';
import { checkPixelPage, type PixelCodec } from './pixels.ts';
import { blockDecodedBytes, blockRows, readSinglePage, SAMPLE_BYTES, type TiffPage } from './tiff-directory.ts';
import { encodePage, isolateBlock } from './tiff-writer.ts';

/**
 * @example const samples = new Uint16Array(17 * 17 * 3).fill(40_000);
 *          const tiff = await utifCodec.encode({ width: 17, height: 17, channels: 3, samples }, 'deflate');
 *          (await utifCodec.decode(tiff)).samples[0] // 40000
 */
export const utifCodec: PixelCodec = {
  name: 'utif',

  async encode(page, compression) {
    checkPixelPage(page);
    if (compression === 'lzw') {
      throw new OptionError('compression lzw takes sharp, which is not there: choose deflate or none');
    }
    return encodePage(page, compression, compression === 'none' ? async (bytes) => bytes : deflated);
  },

  async decode(tiff) {
    const page = readSinglePage(tiff);
    const { width, height, channels } = page;
    const samples = new Uint16Array(width * height * channels);
    for (let i = 0; i < page.offsets.length; i++) copyBlock(samples, page, i, await decodeBlock(tiff, page, i));
    return { width, height, channels, samples };
  },
};

/**
 * A strip or tile as little-endian bytes, without its predictor. Rejects with FormatError unless
 * its data decodes to exactly the bytes that the page needs of it.
 */
async function decodeBlock(tiff: Uint8Array, page: TiffPage, index: number): Promise<Uint8Array> {
  const { compression } = page;
  const data = tiff.subarray(page.offsets[index], page.offsets[index] + page.byteCounts[index]);
  const expected = blockDecodedBytes(page, index);
  const refuse = (damage: string): never => {
    const block = `${page.tiled ? 'tile' : 'strip'} ${index}`;
    throw new FormatError(null, `${compression} data of ${expected} bytes in ${block}`, damage);
  };
  if (compression === 'lzw') {
    const damage = lzwDamage(data, expected);
    return damage === null ? decodeByUtif((await import('utif')).default, tiff, page, index) : refuse(damage);
  }
  // Of what is not compressed, readDirectories has compared the lengths.
  const bytes = compression === 'none' ? data.slice() : await inflated(data, expected);
  if (typeof bytes === 'string') return refuse(bytes);
  if (!page.littleEndian) swapBytes(bytes);
  if (page.predictor === 'horizontal') addRows(bytes, page);
  return bytes;
}

function swapBytes(bytes: Uint8Array): void {
  for (let i = 0; i < bytes.length; i += 2) {
    const high = bytes[i];
    bytes[i] = bytes[i + 1];
    bytes[i + 1] = high;
  }
}

/** Undoes the predictor: each sample is stored as its difference from the pixel to the left. */
function addRows(bytes: Uint8Array, { blockWidth, channels }: TiffPage): void {
  const pixel = channels * SAMPLE_BYTES;
  const row = blockWidth * pixel;
  for (let start = 0; start < bytes.length; start += row) {
    for (let i = start + pixel; i < start + row; i += SAMPLE_BYTES) {
      const sum = (bytes[i] | (bytes[i + 1] << 8)) + (bytes[i - pixel] | (bytes[i - pixel + 1] << 8));
      bytes[i] = sum;
      bytes[i + 1] = sum >>> 8;
    }
  }
}

/** Decodes one strip or tile of LZW that was walked to little-endian bytes. */
function decodeByUtif(utif: typeof UTIF, tiff: Uint8Array, page: TiffPage, index: number): Uint8Array {
  let file = isolateBlock(tiff, page, index);
  const decoded = blockDecodedBytes(page, index);
  const stored = page.byteCounts[index];
  const disguised = stored === decoded;
  if (disguised) {
    const longer = new Uint8Array(file.length + 1);
    longer.set(file);
    file = longer;
  }
  const buffer = file.buffer as ArrayBuffer;
  const [image] = utif.decode(buffer);
  // One byte more, behind the end of the compressed data, and utif no longer takes it for
  // uncompressed.
  if (disguised) image.t279 = [stored + 1];
  utif.decodeImage(buffer, image);
  if (image.data.length !== decoded) {
    throw new FormatError(null, `${decoded} bytes of samples from utif`, `${image.data.length}`);
  }
  return image.data;
}

/** Writes a decoded strip or tile into the page, without the padding of the last tiles. */
function copyBlock(samples: Uint16Array, page: TiffPage, index: number, block: Uint8Array): void {
  const { width, height, channels, blockWidth, blockHeight } = page;
  const across = Math.ceil(width / blockWidth);
  const left = (index % across) * blockWidth;
  const top = Math.floor(index / across) * blockHeight;
  const rows = Math.min(blockRows(page, index), height - top);
  const rowSamples = Math.min(blockWidth, width - left) * channels;
  for (let row = 0; row < rows; row++) {
    const from = row * blockWidth * channels * SAMPLE_BYTES;
    const to = ((top + row) * width + left) * channels;
    for (let k = 0; k < rowSamples; k++) samples[to + k] = block[from + 2 * k] | (block[from + 2 * k + 1] << 8);
  }
}

const CLEAR = 256;
const END = 257;
const FIRST_FREE = 258;
/**
 * Bytes of strings that utif can hold between two clear codes, each string rounded up to four
 * bytes.
 */
const UTIF_STRING_BYTES = 2_000_000;
/** Length of the string of each code; the single bytes' are 1. */
const stringLength = new Uint16Array(4096).fill(1, 0, 256);

/**
 * Why utif could not decode this LZW data to `expected` bytes, or null where it can: walks the
 * codes and adds up the lengths of their strings without making them. TIFF 6.0, section 13: codes
 * from 9 to 12 bits, highest bit first, the width growing one code early. Time linear in the data.
 */
export function lzwDamage(data: Uint8Array, expected: number): string | null {
  const bits = data.length * 8;
  if (bits >= 2 ** 32) return 'more data than 32-bit arithmetic on bits can address';
  let bit = 0;
  let width = 9;
  let free = FIRST_FREE;
  let strings = FIRST_FREE * 4;
  let previous = -1; // the code before, CLEAR right after one, -1 at the start
  let total = 0;
  while (bit + width <= bits) {
    const byte = bit >>> 3;
    const window = (data[byte] << 16) | (data[byte + 1] << 8) | data[byte + 2];
    const code = (window >>> (24 - (bit & 7) - width)) & ((1 << width) - 1);
    bit += width;
    if (previous === -1 && code !== CLEAR) return `code ${code} where a clear code starts the data`;
    if (code === END) return total === expected ? null : `data of ${total} bytes`;
    if (code === CLEAR) {
      if (previous === CLEAR) return 'two clear codes in a row';
      width = 9;
      free = FIRST_FREE;
      strings = FIRST_FREE * 4;
    } else if (previous === CLEAR) {
      if (code > 255) return `code ${code} right after a clear code`;
      total += 1;
    } else {
      if (code > free) return `code ${code} when the next new one is ${free}`;
      stringLength[free] = stringLength[previous] + 1;
      total += stringLength[code];
      strings = (strings + stringLength[free] + 3) & ~3;
      free += 1;
      if (strings > UTIF_STRING_BYTES) return `${strings} bytes of strings, more than utif's table holds`;
      if (free + 1 === 4096) return 'a full table of codes without a clear code';
      if (free + 1 === 1 << width) width += 1;
    }
    if (total > expected) return `data of at least ${total} bytes`;
    previous = code;
  }
  return `data that ends within a code, after ${total} bytes`;
}

/** A zlib stream of the bytes, by the platform's own compressor. */
async function deflated(bytes: Uint8Array): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of piped(bytes, new CompressionStream('deflate'))) chunks.push(chunk);
  const stream = new Uint8Array(chunks.reduce((sum, chunk) => sum + chunk.length, 0));
  let at = 0;
  for (const chunk of chunks) {
    stream.set(chunk, at);
    at += chunk.length;
  }
  return stream;
}

/**
 * What this zlib stream inflates to, `expected` bytes, or in words why it does not, by the
 * platform's own inflater, which checks the stream's checksum and is stopped as soon as the bytes
 * are too many.
 */
export async function inflated(data: Uint8Array, expected: number): Promise<Uint8Array | string> {
  const bytes = new Uint8Array(expected);
  let total = 0;
  try {
    for await (const chunk of piped(data, new DecompressionStream('deflate'))) {
      if (total + chunk.length > expected) return `data of at least ${total + chunk.length} bytes`;
      bytes.set(chunk, total);
      total += chunk.length;
    }
    return total === expected ? bytes : `data of ${total} bytes`;
  } catch (error) {
    return `corrupt data (${error instanceof Error ? error.message : String(error)})`;
  }
}

/**
 * What comes out of a platform's stream for these bytes, chunk by chunk; leaving early cancels it.
 */
async function* piped(bytes: Uint8Array, stream: CompressionStream | DecompressionStream): AsyncGenerator<Uint8Array> {
  const writer = stream.writable.getWriter();
  // A failed write shows in the reader too, which reports it.
  writer.write(bytes as Uint8Array<ArrayBuffer>).catch(() => {});
  writer.close().catch(() => {});
  const reader = stream.readable.getReader();
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
  } finally {
    await reader.cancel().catch(() => {}); // nothing to do where it has ended
  }
}
