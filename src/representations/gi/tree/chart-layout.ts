/** Where the charts of an image stand in a picture: packed without gaps, the largest first. */
import type { PixelRows } from '../../../containers/pixels.ts';
import type { GeometryImage } from './geometry-image.ts';

type PaintQuad = (chart: number, exponent: number, row: number, column: number, into: Uint8Array, at: number) => void;

interface PlacedChart {
  chart: number;
  exponent: number;
  x: number;
  y: number;
}

export interface ChartLayout {
  charts: PlacedChart[];
  width: number;
  height: number;
}

/**
 * Places charts in order along the curve of G. Morton (1966). Falling sizes leave no gap, since
 * each chart begins at a multiple of its area.
 */
export function layOut({ groups }: Pick<GeometryImage, 'groups'>): ChartLayout {
  const charts: PlacedChart[] = [];
  let area = 0;
  let width = 0;
  let height = 0;
  for (const { exponent, count, firstChart } of groups) {
    for (let slot = 0; slot < count; slot++, area += 4 ** exponent) {
      const [x, y] = placeOnCurve(area);
      charts.push({ chart: firstChart + slot, exponent, x, y });
      width = Math.max(width, x + (1 << exponent));
      height = Math.max(height, y + (1 << exponent));
    }
  }
  return { charts, width, height };
}

/** Paints every `stride`-th quad (a power of two), with `empty` between charts. */
export function layoutRows(
  { charts, width, height }: ChartLayout,
  stride: number,
  empty: ArrayLike<number>,
  paint: PaintQuad,
): PixelRows {
  return {
    width: Math.ceil(width / stride),
    height: Math.ceil(height / stride),
    read: (line, into) => {
      for (let i = 0; i < into.length; i++) into[i] = empty[i % 3];
      const y = line * stride;
      for (const { chart, exponent, x, y: top } of charts) {
        if (y < top || y >= top + (1 << exponent)) continue;
        // Charts begin at multiples of their sides; those smaller than the stride may be skipped.
        const first = Math.ceil(x / stride) * stride - x;
        for (let column = first; column < 1 << exponent; column += stride)
          paint(chart, exponent, y - top, column, into, (3 * (x + column)) / stride);
      }
    },
  };
}

/** Even bits of a place on the curve are x, odd ones y. */
function placeOnCurve(place: number): [number, number] {
  let x = 0;
  let y = 0;
  for (let rest = place, bit = 1; rest > 0; rest = Math.floor(rest / 4), bit *= 2) {
    x += (rest % 2) * bit;
    y += (Math.floor(rest / 2) % 2) * bit;
  }
  return [x, y];
}
