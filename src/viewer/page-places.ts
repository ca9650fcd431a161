/**
 * Maps pixels of a geometry image's pages to samples and nodes, and back. A single chart has its
 * tree page laid out as grid.ts draws it. With several charts, all pages show quads and leaves
 * in the places of the first.
 */
import { nodeOffset, treeWidth } from '../representations/gi/tree/grid.ts';
import type { Pages } from './protocol.ts';

type Role = Pages['pages'][number]['role'];
type Places = Pick<Pages, 'pages' | 'places' | 'stride' | 'charts'>;

const PER_CHART = 4;

export interface PageNode {
  chart: number;
  level: number;
  row: number;
  column: number;
}

export interface Rectangle {
  x: number;
  y: number;
  width: number;
  height: number;
}

const isOneChart = ({ charts }: Pick<Pages, 'charts'>): boolean => charts.length === PER_CHART;
const exponentOf = ({ charts }: Pick<Pages, 'charts'>, chart: number): number =>
  31 - Math.clz32(charts[PER_CHART * chart + 2]);
const shownExponent = (pages: Places): number => exponentOf(pages, 0) - (31 - Math.clz32(pages.stride));

export const hasSample = ({ places }: Pick<Pages, 'places'>, pixel: number): boolean =>
  !Number.isNaN(places[3 * pixel]);

function chartAt(pages: Places, x: number, y: number): number {
  const { charts, stride } = pages;
  if (isOneChart(pages)) return 0;
  for (let i = 0; i < charts.length; i += PER_CHART) {
    const inX = x * stride - charts[i];
    const inY = y * stride - charts[i + 1];
    if (inX >= 0 && inY >= 0 && inX < charts[i + 2] && inY < charts[i + 2]) return i / PER_CHART;
  }
  return -1;
}

export function sampleAt(pages: Places, x: number, y: number): { chart: number; row: number; column: number } {
  const chart = chartAt(pages, x, y);
  const { charts, stride } = pages;
  return {
    chart,
    row: y * stride - (charts[PER_CHART * chart + 1] ?? 0),
    column: x * stride - (charts[PER_CHART * chart] ?? 0),
  };
}

/**
 * Returns the node, at a level of the whole image, that holds the quad right of and below a sample.
 * Charts that end above the level give their leaf, charts with a deeper root their root.
 */
export function nodeOfSample(pages: Places, x: number, y: number, level: number): PageNode | null {
  const { chart, row, column } = sampleAt(pages, x, y);
  if (chart < 0) return null;
  const quads = pages.charts[PER_CHART * chart + 2];
  const exponent = exponentOf(pages, chart);
  const own = Math.max(0, Math.min(exponent, level - pages.charts[PER_CHART * chart + 3]));
  const shift = exponent - own;
  // The last row and column of samples have no quads: use the previous ones.
  return { chart, level: own, row: Math.min(row, quads - 1) >> shift, column: Math.min(column, quads - 1) >> shift };
}

/** Returns the node at pixel (x, y) of the spheres and the radii; null if there is none. */
export function nodeAt(pages: Places, x: number, y: number): PageNode | null {
  if (!isOneChart(pages)) return nodeOfSample(pages, x, y, Number.POSITIVE_INFINITY);
  const exponent = shownExponent(pages);
  const side = 1 << exponent;
  if (x < side) return { chart: 0, level: exponent, row: y, column: x };
  const level = 31 - Math.clz32(side - y - 1);
  const column = x - side;
  return level < 0 || column >= 1 << level ? null : { chart: 0, level, row: y - side + (2 << level), column };
}

export function middleOf(pages: Places, { chart, level, row, column }: PageNode): { x: number; y: number } {
  const { charts, stride } = pages;
  const side = charts[PER_CHART * chart + 2] >> level;
  const middle = (first: number, place: number): number => Math.floor((first + (place + 0.5) * side) / stride);
  return { x: middle(charts[PER_CHART * chart], column), y: middle(charts[PER_CHART * chart + 1], row) };
}

export function rectangleOf(pages: Places, role: Role, { chart, level, row, column }: PageNode): Rectangle {
  const { charts, stride } = pages;
  if (isOneChart(pages) && (role === 'spheres' || role === 'radii')) {
    const exponent = shownExponent(pages);
    const finer = Math.max(0, level - exponent);
    const pixel = nodeOffset(exponent, level - finer, row >> finer, column >> finer) / 4;
    const width = treeWidth(exponent);
    return { x: pixel % width, y: Math.floor(pixel / width), width: 1, height: 1 };
  }
  const side = charts[PER_CHART * chart + 2] >> level;
  const x = Math.floor((charts[PER_CHART * chart] + column * side) / stride);
  const y = Math.floor((charts[PER_CHART * chart + 1] + row * side) / stride);
  // A single chart also shows the node's last row and column of samples.
  const more = isOneChart(pages) ? 1 : 0;
  const extent = Math.max(1, side / stride) + more;
  return { x, y, width: extent, height: extent };
}
