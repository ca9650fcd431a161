/**
 * The pages of a geometry image as pictures: samples and centers as colors, radii in gray. Several
 * charts are packed without gaps, the largest first.
 *
 * B. Benes, N. Gomez Villanueva, "GI-COLLIDE - Collision Detection with Geometry Images", SCCG
 * 2005: the page of the tree, centers and radii in brightened gray, is its Figure 6. The paper has
 * one chart; if there are several, the quads and the leaves stand side by side.
 */
import type { PixelRows } from '../../../containers/pixels.ts';
import { type Chart, chartOf, chartsOf, type GeometryImage } from './geometry-image.ts';
import { isOneScale, largestAlpha, nodeOffset, sizeOf, treeHeight, treeWidth } from './grid.ts';

export const EMPTY_PIXEL = [236, 237, 240] as const;
/** Gray of a sphere of mean size at the root; 1 is white. */
const MEAN_GREY = 0.75;

/** Samples of one chart, or of several charts' quads; every `stride`-th, a power of two. */
export function sampleRows(image: GeometryImage, page: 'geometry' | 'normals', stride = 1): PixelRows {
  if (image.charts === 1) {
    const samples = chartOf(image, 0)[page]!;
    const size = sizeOf(image.groups[0].exponent);
    const side = (size - 1) / stride + 1;
    return {
      width: side,
      height: side,
      read: (row, into) => {
        const from = 3 * stride * row * size;
        for (let i = 0; i < 3 * side; i++) into[i] = samples[from + 3 * stride * Math.floor(i / 3) + (i % 3)] >> 8;
      },
    };
  }
  const pages = Array.from(chartsOf(image), (chart) => chart[page]!);
  return layoutRows(layOut(image), stride, EMPTY_PIXEL, (chart, exponent, row, column, into, at) => {
    const from = 3 * (row * sizeOf(exponent) + column);
    for (let k = 0; k < 3; k++) into[at + k] = pages[chart][from + k] >> 8;
  });
}

export function centreRows(image: GeometryImage, stride = 1): PixelRows {
  if (image.charts > 1) return leafRows(image, stride, false);
  const { exponent, tree } = chartOf(image, 0);
  return treeRows(exponent, stride, (_, offset, into, at) => {
    for (let k = 0; k < 3; k++) into[at + k] = tree.page[offset + k] >> 8;
  });
}

/**
 * Radii in gray: the square root of their ratio to their level's mean, so that every level shows
 * its structure. A factor from a half at the leaves to 1 at the root makes larger spheres brighter.
 * Radii on one scale are gray by themselves: the fourth root of their ratio to the largest.
 */
export function radiusRows(image: GeometryImage, stride = 1): PixelRows {
  if (image.charts > 1) return leafRows(image, stride, true);
  const { exponent, tree } = chartOf(image, 0);
  if (isOneScale(tree.radiusSteps)) {
    const largest = largestAlpha(tree.page, exponent, 0);
    return treeRows(exponent, stride, (_, offset, into, at) =>
      into.fill(greyOfAlpha(tree.page[offset + 3], largest), at, at + 3),
    );
  }
  const means = Array.from({ length: exponent + 1 }, (_, level) => meanAlpha(tree.page, exponent, level));
  return treeRows(exponent, stride, (level, offset, into, at) => {
    const ratio = means[level] > 0 ? tree.page[offset + 3] / means[level] : 0;
    const grey = (1 - (0.5 * level) / exponent) * Math.min(1, MEAN_GREY * Math.sqrt(ratio));
    into.fill(Math.round(255 * grey), at, at + 3);
  });
}

/** Doubling a radius makes it 1.19 times as bright: levels differ, and leaves are not black. */
const greyOfAlpha = (alpha: number, largest: number): number =>
  Math.round(255 * Math.min(1, Math.sqrt(Math.sqrt(alpha / (largest || 1)))));

function leafRows(image: GeometryImage, stride: number, radii: boolean): PixelRows {
  const charts = Array.from<Chart>(chartsOf(image));
  const means = charts.map(({ tree, exponent }) => meanAlpha(tree.page, exponent, exponent));
  const { groups } = image;
  const isShared = isOneScale(groups[0].tree.radiusSteps);
  const largest = Math.max(...groups.map(({ tree, exponent }) => largestAlpha(tree.page, exponent, 0)));
  return layoutRows(layOut(image), stride, EMPTY_PIXEL, (chart, exponent, row, column, into, at) => {
    const { page } = charts[chart].tree;
    const o = nodeOffset(exponent, exponent, row, column);
    if (!radii) for (let k = 0; k < 3; k++) into[at + k] = page[o + k] >> 8;
    else if (isShared) into.fill(greyOfAlpha(page[o + 3], largest), at, at + 3);
    else into.fill(Math.round(255 * Math.min(1, 0.6 * Math.sqrt(page[o + 3] / (means[chart] || 1)))), at, at + 3);
  });
}

/** Draws the tree's page by `paint` (level, page offset). A stride of 2^k omits k levels. */
function treeRows(
  exponent: number,
  stride: number,
  paint: (level: number, offset: number, into: Uint8Array, at: number) => void,
): PixelRows {
  const side = (1 << exponent) / stride;
  const deepest = 31 - Math.clz32(side);
  return {
    width: treeWidth(deepest),
    height: treeHeight(deepest),
    read: (row, into) => {
      for (let i = 0; i < into.length; i++) into[i] = EMPTY_PIXEL[i % 3];
      for (let column = 0; column < side; column++)
        paint(deepest, nodeOffset(exponent, deepest, row, column), into, 3 * column);
      // Level L has the rows 2^n - 2^(L+1) to 2^n - 2^L - 1; the last row has none.
      const level = 31 - Math.clz32(side - row - 1);
      if (level < 0) return;
      const inLevel = row - side + (2 << level);
      for (let column = 0; column < 1 << level; column++)
        paint(level, nodeOffset(exponent, level, inLevel, column), into, 3 * (side + column));
    },
  };
}

function meanAlpha(page: Uint16Array, exponent: number, level: number): number {
  const nodes = 1 << level;
  let sum = 0;
  for (let row = 0; row < nodes; row++) {
    const first = nodeOffset(exponent, level, row, 0) + 3;
    for (let column = 0; column < nodes; column++) sum += page[first + 4 * column];
  }
  return sum / (nodes * nodes);
}

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
function layoutRows(
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
