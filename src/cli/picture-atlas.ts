/** Where the charts of an atlas stand in a picture: packed without gaps, the largest first. */
import type { GeometryImage } from '../representations/gi/tree/geometry-image.ts';
import type { Rows } from './picture-canvas.ts';

/** Paints the pixel of a chart's quad (row, column). */
type PaintQuad = (chart: number, exponent: number, row: number, column: number, into: Uint8Array, at: number) => void;

export interface Atlas {
  /** The whole, a pixel a quad; `empty` where no chart is. */
  rows(empty: ArrayLike<number>, paint: PaintQuad): Rows;
}

/**
 * Places charts of 2^n quads a side along the curve of G. Morton (1966), in their order: sizes that
 * fall never leave a gap, since where each begins is a multiple of its own area.
 */
export function layOut({ groups }: GeometryImage): Atlas {
  const placed: { chart: number; exponent: number; x: number; y: number }[] = [];
  let area = 0;
  let width = 0;
  let height = 0;
  for (const { exponent, count, firstChart } of groups) {
    for (let slot = 0; slot < count; slot++, area += 4 ** exponent) {
      const [x, y] = placeOnCurve(area);
      placed.push({ chart: firstChart + slot, exponent, x, y });
      width = Math.max(width, x + (1 << exponent));
      height = Math.max(height, y + (1 << exponent));
    }
  }
  return {
    rows: (empty, paint) => ({
      width,
      height,
      read: (y, into) => {
        for (let i = 0; i < into.length; i++) into[i] = empty[i % 3];
        for (const { chart, exponent, x, y: top } of placed) {
          if (y < top || y >= top + (1 << exponent)) continue;
          for (let column = 0; column < 1 << exponent; column++)
            paint(chart, exponent, y - top, column, into, 3 * (x + column));
        }
      },
    }),
  };
}

/** The even bits of a place on the curve are x, the odd ones y. */
function placeOnCurve(place: number): [number, number] {
  let x = 0;
  let y = 0;
  for (let rest = place, bit = 1; rest > 0; rest = Math.floor(rest / 4), bit *= 2) {
    x += (rest % 2) * bit;
    y += (Math.floor(rest / 2) % 2) * bit;
  }
  return [x, y];
}
