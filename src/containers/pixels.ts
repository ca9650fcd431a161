/**
 * The interface of an image library: one page of 16-bit samples to a single-page TIFF and back.
 *
 * It is injected, so that the core runs where sharp cannot.
 */

import { OptionError } from '../base/errors.ts';
import type { Compression, TiffPage } from './tiff-directory.ts';

export type { Compression };

/** Interleaved 16-bit samples, rows from the top; as many as width * height * channels. */
export interface PixelPage {
  width: number;
  height: number;
  /** Gray, RGB, or RGBA. */
  channels: 1 | 3 | 4;
  samples: Uint16Array;
}

/** Pictures that are drawn a row at a time, however large they are. */
export interface PixelRows {
  width: number;
  height: number;
  /** Writes row `row`: red, green, blue, from 0 to 255, 3 * width values. */
  read(row: number, into: Uint8Array): void;
}
/** Encodes and decodes single-page TIFFs of 16-bit samples. */
export interface PixelCodec {
  name: string;
  /**
   * Writes a complete single-page TIFF with chunky 16-bit unsigned samples. Rejects pages that it
   * cannot write with OptionError.
   */
  encode(page: PixelPage, compression: Compression): Promise<Uint8Array>;
  /**
   * The pixels of a single-page TIFF. Rejects with FormatError if `readDirectories` does not accept
   * its directory, or the compressed data is corrupt or short. Damage that still decodes to as many
   * samples is not found: that needs a checksum of the samples.
   */
  decode(tiff: Uint8Array): Promise<PixelPage>;
  /**
   * The same for one page of a file, whose directory has been read and checked. Without it,
   * `decode` gets each page as a TIFF of its own.
   */
  decodePage?(file: Uint8Array, page: TiffPage): Promise<PixelPage>;
}

/** Throws OptionError unless the number of samples matches the page's size. */
export function checkPixelPage({ width, height, channels, samples }: PixelPage): void {
  const whole = Number.isInteger(width) && Number.isInteger(height) && width > 0 && height > 0;
  if (!whole || (channels !== 1 && channels !== 3 && channels !== 4) || samples.length !== width * height * channels) {
    throw new OptionError(
      `${samples.length} samples are not a page of ${width} x ${height} x ${channels} (1, 3 or 4) samples`,
    );
  }
}
