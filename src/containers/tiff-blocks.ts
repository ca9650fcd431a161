/**
 * The samples of a TIFF's strips and tiles. Adobe Developers Association, "TIFF Revision 6.0",
 * 1992, sections 14 (predictor) and 15 (tiles).
 */

import { LITTLE_ENDIAN, swapBytes } from '../math/byte-order.ts';
import type { PixelPage } from './pixels.ts';
import { blockDecodedBytes, blockRows, SAMPLE_BYTES, type TiffPage } from './tiff-directory.ts';

/**
 * A page, block by block.
 *
 * @param decompress the bytes of a block, as many as asked for; they are written to afterward
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
 * The samples of a decompressed block, whose bytes are written to: rows of `blockWidth` pixels, in
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
