/**
 * Pixels without sharp: the codec of browsers and wherever sharp cannot run. It decodes what
 * `readDirectories` accepts, strips or tiles: uncompressed pages and Deflate by the platform, LZW
 * by utif, which is loaded for the first such page. It writes pages compressed by the platform's
 * own Deflate, or uncompressed. It does not write LZW: an LZW page has the same bytes on every
 * machine, which only one encoder can give.
 *
 * utif 3.1 decodes a sound strip exactly, but it trusts its input. Tiles with a predictor come out
 * wrong. Corrupt LZW gives wrong samples, or sends it past the end of the data for more than a
 * minute. Its LZW strings run out of a table of 2,000,000 bytes, silently. Data that happens to be
 * as long as the samples is copied as if it were uncompressed. So utif gets every strip or tile by
 * itself, as plain bytes. Before that, its compressed data is walked here: it must end, and give
 * exactly the samples of that block. The walk is stricter than libtiff: LZW that lacks an end code
 * or overflows that table is refused, not guessed at.
 *
 * Damage that decodes to the right number of bytes is not found: LZW has no checksum.
 */

import type { UtifImage } from 'utif';
import { FormatError, OptionError } from '../base/errors.ts';
import { checkPixelPage, type PixelCodec } from './pixels.ts';
import { corrupt, decodeBlocks, deflate, inflateInto } from './tiff-blocks.ts';
import { nounOfBlock, readSinglePage } from './tiff-directory.ts';
import { encodePage } from './tiff-writer.ts';

/**
 * The codec of browsers: Deflate of the platform, and LZW by utif, to read only.
 *
 * @example const samples = new Uint16Array(17 * 17 * 3).fill(40_000);
 *          const tiff = await utifCodec.encode({ width: 17, height: 17, channels: 3, samples }, 'deflate');
 *          (await utifCodec.decode(tiff)).samples[0] // 40000
 */
export const utifCodec: Required<PixelCodec> = {
  name: 'utif',

  async encode(page, compression) {
    checkPixelPage(page);
    if (compression === 'lzw') {
      throw new OptionError('compression lzw needs sharp, which is not installed: choose deflate or none');
    }
    return encodePage(page, compression, compression === 'none' ? async (bytes) => bytes : deflate);
  },

  decode: async (tiff) => utifCodec.decodePage(tiff, readSinglePage(tiff)),

  async decodePage(file, page) {
    const { compression } = page;
    const decompress = { none: copied, deflate: inflated, lzw: fromLzw }[compression];
    return decodeBlocks(file, page, async (data, length, index) => {
      const bytes = await decompress(data, length);
      if (typeof bytes !== 'string') return bytes;
      throw new FormatError(null, `${compression} data of ${length} bytes in ${nounOfBlock(page, index)}`, bytes);
    });
  },
};

/** All bytes: `readDirectories` has compared the lengths. */
const copied = (data: Uint8Array): Uint8Array => new Uint8Array(data);

/** The bytes to which a zlib stream inflates, or an error if their number is wrong. */
export async function inflated(data: Uint8Array, length: number): Promise<Uint8Array | string> {
  const bytes = new Uint8Array(length);
  const found = await inflateInto(data, bytes).catch(corrupt);
  if (found === length) return bytes;
  return typeof found === 'string' ? found : `data of ${found > length ? 'at least ' : ''}${found} bytes`;
}

/** The same of LZW data. */
async function fromLzw(data: Uint8Array, length: number): Promise<Uint8Array | string> {
  const damage = lzwDamage(data, length);
  if (damage !== null) return damage;
  const { default: utif } = await import('utif');
  // Rows of two bytes: utif knows neither predictor nor order of bytes, and cannot count rows of
  // 2^29. Data of no stored bytes is not as long as the samples.
  const image = { t256: [2], t257: [length / 2], t258: [8], t259: [5], t273: [0], t279: [0] } as unknown as UtifImage;
  utif.decodeImage(new Uint8Array(data).buffer, image);
  return image.data;
}

const CLEAR = 256;
const END = 257;
const FIRST_FREE = 258;
/** utif's room for strings between two clear codes, each rounded up to four bytes. */
const UTIF_STRING_BYTES = 2_000_000;

/**
 * The reason why utif cannot decode this LZW data to `expected` bytes, or null if it can. Walks the
 * codes and adds up the lengths of their strings without making them. TIFF 6.0, section 13: codes
 * from 9 to 12 bits, highest bit first, the width growing one code early. Time linear in the data.
 */
function lzwDamage(data: Uint8Array, expected: number): string | null {
  // The length of each code's string; it is 1 for single bytes.
  const stringLength = new Uint16Array(4096).fill(1, 0, 256);
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
