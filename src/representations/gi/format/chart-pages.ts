/**
 * Packs charts of one size on one page: side by side, row by row, in about as many rows as columns.
 */
import type { PixelPage } from '../../../containers/pixels.ts';

type Shape = Pick<PixelPage, 'width' | 'height' | 'channels'>;

export function packedSize(count: number, { width, height, channels }: Shape): Shape {
  const columns = columnsOf(count);
  return { width: columns * width, height: Math.ceil(count / columns) * height, channels };
}

function columnsOf(count: number): number {
  let columns = Math.floor(Math.sqrt(count));
  while (columns * columns < count) columns++;
  return columns;
}

/** Packs consecutive charts into a page, padded with 0. One chart is the page, not a copy. */
export function packCharts(samples: Uint16Array, count: number, shape: Shape): PixelPage {
  const page = packedSize(count, shape);
  if (count === 1) return { ...page, samples };
  const packed = new Uint16Array(page.width * page.height * page.channels);
  forEachRow(count, shape, (chart, onPage, length) => packed.set(samples.subarray(chart, chart + length), onPage));
  return { ...page, samples: packed };
}

export function unpackCharts({ samples }: PixelPage, count: number, shape: Shape): Uint16Array {
  if (count === 1) return samples;
  const charts = new Uint16Array(count * shape.width * shape.height * shape.channels);
  forEachRow(count, shape, (chart, onPage, length) => charts.set(samples.subarray(onPage, onPage + length), chart));
  return charts;
}

function forEachRow(
  count: number,
  { width, height, channels }: Shape,
  visit: (chart: number, onPage: number, length: number) => void,
): void {
  const columns = columnsOf(count);
  const length = width * channels;
  for (let index = 0; index < count; index++) {
    for (let row = 0; row < height; row++) {
      const pageRow = Math.floor(index / columns) * height + row;
      visit((index * height + row) * length, (pageRow * columns + (index % columns)) * length, length);
    }
  }
}
