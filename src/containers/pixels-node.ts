/**
 * Pixels in Node. Node's zlib decodes Deflate, block by block. sharp compresses, decodes LZW, and
 * describes the fault of damaged pages. If sharp cannot be loaded, utif replaces it, slower and
 * without writing LZW. sharp is an optional dependency: without a binary for the platform, and
 * under --omit=optional, an install continues without it.
 *
 * Loading sharp takes longer than starting Node, so it is loaded for the first page that needs it.
 *
 * Only sound pages are decoded here: every stream has the right checksum and gives exactly the
 * bytes of its block. Then two decoders could see nothing differently. sharp decodes large pages,
 * in threads of its own.
 *
 * Bunny, Deflate, all pages: milliseconds in a new process, including the loading of the decoder:
 *            65^2  257^2  513^2  1025^2  2049^2
 *   sharp     169    177    244     389     911
 *   here       11     46    192     406     995
 */
import { inflateSync } from 'node:zlib';
import { FormatError } from '../base/errors.ts';
import { once } from '../base/require.ts';
import type { PixelCodec, PixelPage } from './pixels.ts';
import { corrupt, decodeBlocks, type Inflate } from './tiff-blocks.ts';
import { readSinglePage, SAMPLE_BYTES, type TiffPage } from './tiff-directory.ts';

/** The largest page decoded here, in bytes of samples: all pages at 513 x 513. */
const LARGEST = 2 ** 22;

/** Node's zlib: 0.4 ms per tile, streams need 0.7 to 1. Synchronous, since tiles are few. */
export const nodeInflate: Inflate = async (data, length) => {
  let bytes: Uint8Array;
  try {
    bytes = inflateSync(data, { maxOutputLength: length + 1, chunkSize: Math.max(64, length + 1) });
  } catch (error) {
    const isLonger = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
    throw new FormatError(null, `deflate data of ${length} bytes`, isLonger ? 'more' : corrupt(error));
  }
  if (bytes.length !== length) throw new FormatError(null, `deflate data of ${length} bytes`, `${bytes.length} bytes`);
  return bytes;
};

/** Loads sharp, or utif with a process.emitWarning if that fails. Chooses once per process. */
const choose = /* @__PURE__ */ once(async (): Promise<Required<PixelCodec>> => {
  const { loadSharp, sharpCodec } = await import('./pixels-sharp.ts');
  try {
    await loadSharp();
    return sharpCodec;
  } catch (error) {
    const reason = String((error as Error)?.message ?? error)
      .trim()
      .split('\n', 1)[0];
    const message = `images are read and written without sharp, which is faster: it cannot be loaded (${reason})`;
    process.emitWarning(message, { code: 'GICOLLIDE_NO_SHARP' });
    return (await import('./pixels-utif.ts')).utifCodec;
  }
});

/** The decoded samples are the same with any decoder. */
export const nodeCodec: Required<PixelCodec> = {
  name: 'zlib, sharp or utif',
  encode: async (page, compression) => (await choose()).encode(page, compression),
  decode: async (tiff) => nodeCodec.decodePage(tiff, readSinglePage(tiff)),
  decodePage: async (file, page) => (await decodeSound(file, page)) ?? (await choose()).decodePage(file, page),
};

/** The pixels of a page whose blocks are all sound; null for any other. */
async function decodeSound(file: Uint8Array, page: TiffPage): Promise<PixelPage | null> {
  const { width, height, channels, compression } = page;
  if (compression === 'lzw' || width * height * channels * SAMPLE_BYTES > LARGEST) return null;
  try {
    return await decodeBlocks(file, page, compression === 'none' ? (data) => new Uint8Array(data) : nodeInflate);
  } catch (error) {
    if (error instanceof FormatError) return null;
    throw error;
  }
}
