/**
 * The samples of a TIFF's strips and tiles, and deflate, which packs them. Adobe Developers
 * Association, "TIFF Revision 6.0", 1992, sections 14 (predictor) and 15 (tiles). Deflate is the
 * platform's streams, which Node has since 18 and browsers since 2023.
 */

import { FormatError } from '../base/errors.ts';
import { LITTLE_ENDIAN, swapBytes } from '../math/byte-order.ts';
import type { PixelPage } from './pixels.ts';
import { blockDecodedBytes, blockRows, SAMPLE_BYTES, type TiffPage } from './tiff-directory.ts';

/**
 * Decodes a page block by block.
 *
 * @param decompress gives the bytes of a block, as many as asked for; they are overwritten
 *   afterward
 */
export async function decodeBlocks(
  file: Uint8Array,
  page: TiffPage,
  decompress: (data: Uint8Array, length: number, index: number) => Uint8Array | Promise<Uint8Array>,
): Promise<PixelPage> {
  const { width, height, channels, blockWidth, blockHeight, offsets, byteCounts } = page;
  const isOneBlock = offsets.length === 1 && blockWidth === width && blockHeight === height;
  const samples = new Uint16Array(isOneBlock ? 0 : width * height * channels);
  for (let i = 0; i < offsets.length; i++) {
    const data = file.subarray(offsets[i], offsets[i] + byteCounts[i]);
    const block = samplesOfBlock(await decompress(data, blockDecodedBytes(page, i), i), page);
    if (isOneBlock) return { width, height, channels, samples: block };
    copyBlock(samples, page, i, block);
  }
  return { width, height, channels, samples };
}

/**
 * The samples of a decompressed block, whose bytes are overwritten: rows of `blockWidth` pixels, in
 * the machine's order of bytes, with sums in place of the predictor's differences.
 */
export function samplesOfBlock(bytes: Uint8Array, { littleEndian, predictor, blockWidth, channels }: TiffPage) {
  const aligned = bytes.byteOffset % SAMPLE_BYTES === 0 ? bytes : new Uint8Array(bytes);
  if (littleEndian !== LITTLE_ENDIAN) swapBytes(aligned, SAMPLE_BYTES);
  const samples = new Uint16Array(aligned.buffer as ArrayBuffer, aligned.byteOffset, aligned.length / SAMPLE_BYTES);
  if (predictor === 'horizontal') {
    const row = blockWidth * channels;
    for (let start = 0; start < samples.length; start += row) {
      for (let i = start + channels; i < start + row; i++) samples[i] += samples[i - channels];
    }
  }
  return samples;
}

/** Writes a block into the page, without the padding of the last tiles. */
function copyBlock(samples: Uint16Array, page: TiffPage, index: number, block: Uint16Array): void {
  const { width, height, channels, blockWidth, blockHeight } = page;
  const across = Math.ceil(width / blockWidth);
  const left = (index % across) * blockWidth;
  const top = Math.floor(index / across) * blockHeight;
  const rows = Math.min(blockRows(page, index), height - top);
  const rowSamples = Math.min(blockWidth, width - left) * channels;
  for (let row = 0; row < rows; row++) {
    const from = row * blockWidth * channels;
    samples.set(block.subarray(from, from + rowSamples), ((top + row) * width + left) * channels);
  }
}

/**
 * Inflates a zlib stream to exactly `length` bytes and compares its Adler-32 checksum. Rejects with
 * FormatError, and stops as soon as the bytes are too many.
 */
export type Inflate = (data: Uint8Array, length: number) => Promise<Uint8Array>;

/** @example (await inflate(deflateSync(Uint8Array.of(1, 2, 3)), 3))[2] // 3 */
export const inflate: Inflate = async (data, length) => {
  const bytes = new Uint8Array(length);
  const found = await inflateInto(data, bytes).catch((error: unknown) => corrupt(error));
  if (found === length) return bytes;
  const words = typeof found === 'string' ? found : found > length ? 'more' : `${found} bytes`;
  throw new FormatError(null, `deflate data of ${length} bytes`, words);
};

/**
 * Returns the number of bytes that a zlib stream gives; `bytes` gets the first of them. If there is
 * no room for all, there are at least as many as the result. Rejects with the platform's error.
 */
export async function inflateInto(data: Uint8Array, bytes: Uint8Array): Promise<number> {
  let total = 0;
  for await (const chunk of piped(data, new DecompressionStream('deflate'))) {
    if (total + chunk.length > bytes.length) return total + chunk.length;
    bytes.set(chunk, total);
    total += chunk.length;
  }
  return total;
}

/** A zlib stream of the bytes. */
export async function deflate(bytes: Uint8Array): Promise<Uint8Array> {
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

/** The chunks that a stream makes of the bytes; leaving early cancels it. */
async function* piped(bytes: Uint8Array, stream: CompressionStream | DecompressionStream) {
  const writer = stream.writable.getWriter();
  // The reader also reports a failed write.
  writer.write(bytes as Uint8Array<ArrayBuffer>).catch(() => {});
  writer.close().catch(() => {});
  const reader = stream.readable.getReader();
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
  } finally {
    await reader.cancel().catch(() => {}); // nothing to do if it has ended
  }
}

/** An inflater's error in one line. */
export function corrupt(error: unknown): string {
  return `corrupt data (${error instanceof Error ? error.message : String(error)})`;
}
