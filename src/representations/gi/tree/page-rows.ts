/**
 * The pages of a geometry image as pictures: samples and centres as colours, radii in grey.
 *
 * B. Benes, N. Gomez Villanueva, "GI-COLLIDE - Collision Detection with Geometry Images", SCCG
 * 2005: the page of the tree, centres and radii in brightened grey, is its Figure 6. Of several
 * charts, which the paper has not, the quads and the leaves stand side by side.
 */
import type { PixelRows } from '../../../containers/pixels.ts';
import { layOut, layoutRows } from './chart-layout.ts';
import { type Chart, chartOf, chartsOf, type GeometryImage } from './geometry-image.ts';
import { sizeOf } from './grid.ts';
import { nodeOffset, treeHeight, treeWidth } from './tree-page.ts';

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
 */
export function radiusRows(image: GeometryImage, stride = 1): PixelRows {
  if (image.charts > 1) return leafRows(image, stride, true);
  const { exponent, tree } = chartOf(image, 0);
  const means = Array.from({ length: exponent + 1 }, (_, level) => meanAlpha(tree.page, exponent, level));
  return treeRows(exponent, stride, (level, offset, into, at) => {
    const ratio = means[level] > 0 ? tree.page[offset + 3] / means[level] : 0;
    const grey = (1 - (0.5 * level) / exponent) * Math.min(1, MEAN_GREY * Math.sqrt(ratio));
    into.fill(Math.round(255 * grey), at, at + 3);
  });
}

function leafRows(image: GeometryImage, stride: number, radii: boolean): PixelRows {
  const charts = Array.from<Chart>(chartsOf(image));
  const means = charts.map(({ tree, exponent }) => meanAlpha(tree.page, exponent, exponent));
  return layoutRows(layOut(image), stride, EMPTY_PIXEL, (chart, exponent, row, column, into, at) => {
    const { page } = charts[chart].tree;
    const o = nodeOffset(exponent, exponent, row, column);
    if (!radii) for (let k = 0; k < 3; k++) into[at + k] = page[o + k] >> 8;
    else into.fill(Math.round(255 * Math.min(1, 0.6 * Math.sqrt(page[o + 3] / (means[chart] || 1)))), at, at + 3);
  });
}

/**
 * Draws the tree's page by `paint` (level, page offset). A stride of 2^k omits k deepest levels.
 */
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
