/**
 * Pixels of small pages without sharp, whose loading takes longer than Node's own start.
 *
 * What is decoded here, by Node's zlib, is a page whose blocks are sound: every stream ends where
 * its data does, has the right checksum and gives exactly the bytes of its block; then there is
 * nothing that two decoders could see differently. Anything else is sharp's, which says what is
 * wrong, and so are LZW and large pages, which sharp decodes in threads of its own.
 *
 * Bunny, Deflate, all pages, ms in a new process, with the loading of what decodes them:
 *            65^2  257^2  513^2  1025^2  2049^2
 *   sharp     169    177    244     389     911
 *   here       11     46    192     406     995
 */
import { inflateSync } from 'node:zlib';
import type { PixelCodec } from '../containers/pixels.ts';
import {
  blockDecodedBytes,
  blockRows,
  readSinglePage,
  SAMPLE_BYTES,
  type TiffPage,
} from '../containers/tiff-directory.ts';

/** The largest page that is decoded here, bytes of samples: at 513 x 513 all are. */
const LARGEST = 2 ** 22;

const loadNodeCodec = async (): Promise<PixelCodec> => (await import('../containers/pixels-node.ts')).nodeCodec;

/**
 * Decodes and encodes exactly as `nodeCodec`, which is loaded, and sharp by it, with the first page
 * that takes it.
 */
export const pixelCodec: PixelCodec = {
  name: 'zlib, sharp or utif',
  encode: async (page, compression) => (await loadNodeCodec()).encode(page, compression),
  async decode(tiff) {
    const page = readSinglePage(tiff);
    const samples = samplesOf(tiff, page);
    if (samples === null) return (await loadNodeCodec()).decode(tiff);
    const { width, height, channels } = page;
    return { width, height, channels, samples };
  },
};

/** The samples of a page whose blocks are all sound; null for any other. */
function samplesOf(tiff: Uint8Array, page: TiffPage): Uint16Array | null {
  const { width, height, channels, blockWidth, blockHeight, offsets } = page;
  if (page.compression === 'lzw' || width * height * channels * SAMPLE_BYTES > LARGEST) return null;
  const isWhole = offsets.length === 1 && blockWidth === width && blockHeight === height;
  const across = Math.ceil(width / blockWidth);
  const samples = isWhole ? null : new Uint16Array(width * height * channels);
  for (let i = 0; i < offsets.length; i++) {
    const block = blockOf(tiff, page, i);
    if (block === null || samples === null) return block;
    const left = (i % across) * blockWidth;
    const top = Math.floor(i / across) * blockHeight;
    const rows = Math.min(blockRows(page, i), height - top);
    const rowSamples = Math.min(blockWidth, width - left) * channels;
    for (let row = 0; row < rows; row++) {
      const from = row * blockWidth * channels;
      samples.set(block.subarray(from, from + rowSamples), ((top + row) * width + left) * channels);
    }
  }
  return samples;
}

/** The samples of one strip or tile, padding included, or null where its data is not sound. */
function blockOf(tiff: Uint8Array, page: TiffPage, index: number): Uint16Array | null {
  const stored = tiff.subarray(page.offsets[index], page.offsets[index] + page.byteCounts[index]);
  const length = blockDecodedBytes(page, index);
  const bytes = page.compression === 'none' ? stored : inflated(stored, length);
  if (bytes === null) return null;
  // A copy: swapped or summed in place, and aligned.
  const samples = new Uint16Array(length / SAMPLE_BYTES);
  const own = Buffer.from(samples.buffer);
  own.set(bytes);
  if (page.littleEndian !== IS_LITTLE_ENDIAN) own.swap16();
  if (page.predictor === 'horizontal') addUp(samples, page.blockWidth * page.channels, page.channels);
  return samples;
}

const IS_LITTLE_ENDIAN = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1;

/** All that a zlib stream holds, where that is `length` bytes and the stream all of `data`. */
function inflated(data: Uint8Array, length: number): Uint8Array | null {
  try {
    // One chunk, with room to spare, holds it all.
    const { buffer, engine } = inflateSync(data, {
      chunkSize: length + 64,
      maxOutputLength: length,
      info: true,
    }) as unknown as {
      buffer: Uint8Array;
      engine: { bytesWritten: number };
    };
    return buffer.length === length && engine.bytesWritten === data.length ? buffer : null;
  } catch {
    return null;
  }
}

/**
 * TIFF 6.0, section 14: a row's samples are stored as differences from the pixel to the left,
 * modulo 2^16.
 */
function addUp(samples: Uint16Array, rowSamples: number, channels: number): void {
  for (let row = 0; row < samples.length; row += rowSamples) {
    for (let i = row + channels; i < row + rowSamples; i++) samples[i] += samples[i - channels];
  }
}
