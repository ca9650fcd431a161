/** An opaque picture in memory; pixels of other sizes are scaled to it. */
import type { PixelRows } from '../containers/pixels.ts';
import type { Paint } from './shade.ts';

/** Red, green, blue, 8 bits each, rows from the top. */
export class Canvas {
  readonly pixels: Uint8Array;

  constructor(
    readonly width: number,
    readonly height: number,
    paint: Paint = [255, 255, 255],
  ) {
    this.pixels = new Uint8Array(3 * width * height);
    for (let i = 0; i < this.pixels.length; i++) this.pixels[i] = paint[i % 3];
  }

  /** Copies a picture of three channels, `width` pixels wide, to (left, top). */
  place(rgb: Uint8Array, width: number, left: number, top: number): void {
    for (let row = 0; row < rgb.length / 3 / width; row++) {
      this.pixels.set(rgb.subarray(3 * row * width, 3 * (row + 1) * width), 3 * ((top + row) * this.width + left));
    }
  }

  /** Blends four channels over the pixels at (left, top); alpha is not premultiplied. */
  cover(rgba: Uint8Array, width: number, left: number, top: number, opacity = 1): void {
    for (let i = 0; i < rgba.length / 4; i++) {
      const at = 3 * ((top + ((i / width) | 0)) * this.width + left + (i % width));
      this.blend(at, rgba[4 * i], rgba[4 * i + 1], rgba[4 * i + 2], (rgba[4 * i + 3] / 255) * opacity);
    }
  }

  /** Blends one paint over the pixels at (left, top), with coverage `cover`, 0 to 1. */
  stain(cover: Float32Array, width: number, left: number, top: number, [r, g, b]: Paint): void {
    for (let i = 0; i < cover.length; i++) {
      this.blend(3 * ((top + ((i / width) | 0)) * this.width + left + (i % width)), r, g, b, cover[i]);
    }
  }

  private blend(at: number, r: number, g: number, b: number, alpha: number): void {
    if (alpha === 0) return;
    const { pixels } = this;
    pixels[at] = Math.round(pixels[at] + alpha * (r - pixels[at]));
    pixels[at + 1] = Math.round(pixels[at + 1] + alpha * (g - pixels[at + 1]));
    pixels[at + 2] = Math.round(pixels[at + 2] + alpha * (b - pixels[at + 2]));
  }
}

/**
 * Resizes a picture, larger or smaller: every pixel is the mean of the pixels that it covers. Large
 * pixels stay squares.
 *
 * @example const read = (_, into) => into.set([0, 0, 0, 90, 90, 90]);
 *          resize({ width: 2, height: 1, read }, 1, 1) // 45, 45, 45
 */
export function resize(source: PixelRows, width: number, height: number): Uint8Array {
  const line = new Uint8Array(3 * source.width);
  const narrow = new Float64Array(3 * width);
  const sums = new Float64Array(3 * width * height);
  for (let row = 0; row < source.height; row++) {
    source.read(row, line);
    narrow.fill(0);
    spread(source.width, width, 0, source.width, (column, to, share) => {
      for (let i = 0; i < 3; i++) narrow[3 * to + i] += share * line[3 * column + i];
    });
    spread(source.height, height, row, row + 1, (_, to, share) => {
      for (let i = 0; i < 3 * width; i++) sums[3 * width * to + i] += share * narrow[i];
    });
  }
  return Uint8Array.from(sums, Math.round);
}

/** Computes the share of each of `to` cells that cells first to end - 1 of `from` cells cover. */
function spread(
  from: number,
  to: number,
  first: number,
  end: number,
  add: (cell: number, toCell: number, share: number) => void,
): void {
  for (let cell = first; cell < end; cell++) {
    const start = (cell * to) / from;
    const stop = ((cell + 1) * to) / from;
    for (let k = Math.floor(start); k < stop && k < to; k++) {
      add(cell, k, Math.min(stop, k + 1) - Math.max(start, k));
    }
  }
}
