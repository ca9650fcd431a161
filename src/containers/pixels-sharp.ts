/**
 * Pixels by sharp (libvips and libtiff): Node's codec, which writes and reads every compression.
 *
 * Every option here prevents a silent loss. Without `toColourspace('rgb16')` or 'grey16' samples
 * are cut to 8 bits, without a compression they become JPEG, and without `depth` they come back as
 * 8 bits. Nothing premultiplies, resizes or applies a color profile. sharp takes longer to load
 * than Node, so it loads at the first page.
 */

import { FormatError } from '../base/errors.ts';
import { checkPixelPage, type PixelCodec } from './pixels.ts';
import { readSinglePage, SAMPLE_BYTES } from './tiff-directory.ts';
import { cutPage, inTiles, isolatePage, padToTiles, predictorOf, rowsPerStrip, TILE_SIDE } from './tiff-writer.ts';

/** Rejects if sharp is not installed, or has no binary for this platform. */
export const loadSharp = async () => (await import('sharp')).default;

/**
 * The codec of sharp: every compression, in Node.
 *
 * @example const samples = new Uint16Array(17 * 17 * 3).fill(40_000);
 *          const tiff = await sharpCodec.encode({ width: 17, height: 17, channels: 3, samples }, 'deflate');
 *          (await sharpCodec.decode(tiff)).samples[0] // 40000
 */
export const sharpCodec: Required<PixelCodec> = {
  name: 'sharp',

  async encode(page, compression) {
    checkPixelPage(page);
    const tiled = compression !== 'none' && inTiles(page.width, page.height, page.channels);
    const { width, height, channels, samples } = tiled ? padToTiles(page) : page;
    const sharp = await loadSharp();
    const encoded = await sharp(samples, { raw: { width, height, channels }, limitInputPixels: false })
      .toColourspace(channels === 1 ? 'grey16' : 'rgb16')
      .tiff({
        compression,
        predictor: predictorOf(compression, channels),
        tile: tiled,
        tileWidth: TILE_SIDE,
        tileHeight: tiled ? TILE_SIDE : rowsPerStrip(width, channels), // without `tile` these are the rows of a strip
      })
      .toBuffer();
    const tiff = new Uint8Array(encoded.buffer, encoded.byteOffset, encoded.byteLength);
    return tiled ? cutPage(tiff, page.width, page.height) : tiff;
  },

  decode: async (tiff) => sharpCodec.decodePage(tiff, readSinglePage(tiff)),

  async decodePage(file, page) {
    const { width, height, channels, compression } = page;
    const expected = `${compression} data of ${width} x ${height} pixels of ${channels} samples`;
    const sharp = await loadSharp();
    // Our limits have been checked for this page. failOn stays at its default: damage is an error,
    // not wrong pixels.
    const { data, info } = await sharp(isolatePage(file, page), { limitInputPixels: false })
      .toColourspace(channels === 1 ? 'grey16' : 'rgb16')
      .raw({ depth: 'ushort' })
      .toBuffer({ resolveWithObject: true })
      .catch((error: unknown) => {
        throw new FormatError(null, expected, oneLine(error));
      });
    if (info.width !== width || info.height !== height || info.channels !== channels) {
      throw new FormatError(null, expected, `${info.width} x ${info.height} pixels of ${info.channels} samples`);
    }
    return {
      width,
      height,
      channels,
      samples: sharpSamples(data, width * height * channels, expected),
    };
  },
};

/** Views sharp's raw bytes, in the machine's order, as samples; copies them only if unaligned. */
function sharpSamples(data: Uint8Array, count: number, expected: string): Uint16Array {
  if (data.length !== count * SAMPLE_BYTES) throw new FormatError(null, expected, `${data.length} bytes`);
  const aligned = data.byteOffset % SAMPLE_BYTES === 0 ? data : Uint8Array.from(data);
  return new Uint16Array(aligned.buffer, aligned.byteOffset, count);
}

function oneLine(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text
    .trim()
    .split(/\s*\n\s*/)
    .join('; ');
}
