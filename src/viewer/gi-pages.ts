/** The pages of a geometry image as pictures, and the places of their samples. */
import type { PixelRows } from '../containers/pixels.ts';
import { childOver } from '../representations/gi/tree/chart-tree.ts';
import { chartsOf, type GeometryImage } from '../representations/gi/tree/geometry-image.ts';
import { sizeOf } from '../representations/gi/tree/grid.ts';
import { type ChartLayout, centreRows, layOut, radiusRows, sampleRows } from '../representations/gi/tree/page-rows.ts';
import { hasSample, nodeAt } from './page-places.ts';
import type { Pages } from './protocol.ts';

/** Most quads per side to show; larger images show every second sample, or fourth, and so on. */
const MOST_SHOWN = 1024;

/**
 * @example const { pages } = pagesOf(image);
 *          pages.map(({ role }) => role) // ['geometry', 'normals', 'spheres', 'radii']
 */
export function pagesOf(image: GeometryImage): Pages {
  const layout = layOut(image);
  let stride = 1;
  while (Math.max(layout.width, layout.height) / stride > MOST_SHOWN) stride *= 2;
  const levels = rootLevels(image);
  const charts = Int32Array.from(
    layout.charts.flatMap(({ chart, exponent, x, y }) => [x, y, 1 << exponent, levels[chart]]),
  );
  const places = placesOf(image, layout, stride);
  const pages: Pages = { pages: [], places, origin: [...image.origin] as Pages['origin'], stride, charts };
  const isSeen = (x: number, y: number, width: number): boolean => hasSample(pages, y * width + x);
  const isNode = (x: number, y: number, width: number): boolean =>
    image.charts > 1 ? isSeen(x, y, width) : nodeAt(pages, x, y) !== null;
  pages.pages.push({ role: 'geometry', ...paint(sampleRows(image, 'geometry', stride), isSeen) });
  if (image.groups[0].normals)
    pages.pages.push({ role: 'normals', ...paint(sampleRows(image, 'normals', stride), isSeen) });
  pages.pages.push({ role: 'spheres', ...paint(centreRows(image, stride), isNode) });
  pages.pages.push({ role: 'radii', ...paint(radiusRows(image, stride), isNode) });
  return pages;
}

function rootLevels({ charts, roots }: GeometryImage): Int32Array {
  const levels = new Int32Array(charts);
  if (charts === 1) return levels;
  const open: [node: number, level: number][] = [[0, 0]];
  for (let next = open.pop(); next; next = open.pop()) {
    const [node, level] = next;
    if (node < 0) levels[~node] = level;
    else for (let k = 0; k < 2; k++) open.push([childOver(roots, node, k), level + 1]);
  }
  return levels;
}

function placesOf(image: GeometryImage, layout: ChartLayout, stride: number): Float32Array {
  const more = image.charts === 1 ? 1 : 0;
  const width = Math.ceil(layout.width / stride) + more;
  const places = new Float32Array(3 * width * (Math.ceil(layout.height / stride) + more)).fill(Number.NaN);
  const samples = Array.from(chartsOf(image), ({ geometry }) => geometry);
  const firstFrom = (place: number): number => -place & (stride - 1);
  for (const { chart, exponent, x, y } of layout.charts) {
    const side = (1 << exponent) + more;
    for (let row = firstFrom(y); row < side; row += stride) {
      for (let column = firstFrom(x); column < side; column += stride) {
        const at = 3 * (((y + row) / stride) * width + (x + column) / stride);
        const vertex = 3 * (row * sizeOf(exponent) + column);
        for (let k = 0; k < 3; k++) places[at + k] = samples[chart][vertex + k] * image.step;
      }
    }
  }
  return places;
}

function paint(rows: PixelRows, isThere: (x: number, y: number, width: number) => boolean) {
  const { width, height } = rows;
  const rgba = new Uint8ClampedArray(4 * width * height);
  const line = new Uint8Array(3 * width);
  for (let y = 0; y < height; y++) {
    rows.read(y, line);
    for (let x = 0; x < width; x++) {
      if (!isThere(x, y, width)) continue;
      const at = 4 * (y * width + x);
      for (let k = 0; k < 3; k++) rgba[at + k] = line[3 * x + k];
      rgba[at + 3] = 255;
    }
  }
  return { width, height, rgba };
}
