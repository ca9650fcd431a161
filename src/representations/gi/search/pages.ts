/**
 * A geometry image as a descent reads it: pages of blocks that are there or are missing.
 *
 * Of an image that was read every page is one block. Of one that was opened the blocks are its
 * tiles, which come when they are asked for (on-demand-check.ts).
 */

import type { StoredPage } from '../../../containers/block-store.ts';
import { isIdentity, movePoint, type Pose } from '../../../math/pose.ts';
import { derived } from '../../../query/derived.ts';
import { cutsDownAt, type GeometryImage, groupOf } from '../tree/geometry-image.ts';
import { sizeOf } from '../tree/grid.ts';
import { isPadding } from '../tree/padding.ts';
import { finerOf } from '../tree/subsample.ts';
import { nodeOffset, treeHeight, treePixels, treeWidth } from '../tree/tree-page.ts';
import { OUTWARD } from './grid-map.ts';

/** Where blocks stand on a page. */
export interface Blocks extends Pick<StoredPage, 'first' | 'across'> {
  page: { blockWidth: number; blockHeight: number; channels: number };
}

/** The charts of one size, on pages of blocks. */
export interface PagedGroup {
  exponent: number;
  /** The level whose nodes are quads: `exponent`, or above it in an image that is subsampled. */
  leaf: number;
  count: number;
  /** Charts side by side on a page. */
  columns: number;
  firstChart: number;
  firstQuad: number;
  /** As `unfold` numbers nodes. */
  firstNode: number;
  radiusSteps: Float64Array;
  geometry: Blocks;
  spheres: Blocks;
  /** In blocks as those of the spheres, and in the same places of these. */
  slabs: Blocks | undefined;
  /**
   * Likewise, how far the source is from a node's triangles, in steps of `deviationStep`.
   */
  deviations: Blocks | undefined;
  deviationStep: number;
  /** The pixel of chart i's root is at firstRoot + i * rootStride. */
  roots: Uint16Array;
  firstRoot: number;
  rootStride: number;
}

export interface PagedImage {
  /** All that is known without pixels. */
  outline: Pick<GeometryImage, 'origin' | 'step' | 'charts' | 'roots' | 'tolerance' | 'stored'>;
  /** Largest charts first. */
  groups: PagedGroup[];
  store: {
    /** Samples of each block; undefined where it is missing. */
    blocks: readonly (Uint16Array | undefined)[];
    /** When each was last used, by `now`. */
    used: Float64Array;
    now: number;
  };
}

const pagesOfImages = /* @__PURE__ */ derived<GeometryImage, PagedImage>();

/** An image that was read, as pages of one block each: made once an image. */
export function residentPages(image: GeometryImage): PagedImage {
  let pages = pagesOfImages.get(image);
  if (!pages) {
    const finer = finerOf(image);
    pages = finer ? subsampledPages(residentPages(finer.image), finer.m) : pagesOf(image);
    pagesOfImages.set(image, pages);
  }
  return pages;
}

/**
 * An image of one square subsampled to 2^m + 1 samples a side, on the pages that it has: the
 * spheres of levels 0 to m hold the coarse triangles, too, for their corners are among the samples
 * below.
 */
export function subsampledPages<Image extends PagedImage>(image: Image, m: number): Image {
  const [group] = image.groups;
  return { ...image, groups: [{ ...group, leaf: Math.min(group.exponent, m) }] };
}

function pagesOf(image: GeometryImage): PagedImage {
  const blocks: Uint16Array[] = [];
  const pageOf = (samples: Uint16Array, blockWidth: number, blockHeight: number, channels: number): Blocks => ({
    page: { blockWidth, blockHeight, channels },
    first: blocks.push(samples) - 1,
    across: 1,
  });
  const groups = image.groups.map(
    ({ exponent, count, geometry, tree, deviation, firstChart, firstQuad, firstNode }): PagedGroup => ({
      exponent,
      leaf: exponent,
      count,
      columns: 1,
      firstChart,
      firstQuad,
      firstNode,
      radiusSteps: tree.radiusSteps,
      geometry: pageOf(geometry, sizeOf(exponent), count * sizeOf(exponent), 3),
      spheres: pageOf(tree.page, treeWidth(exponent), count * treeHeight(exponent), 4),
      slabs: tree.slabs && pageOf(tree.slabs, treeWidth(exponent), count * treeHeight(exponent), 4),
      deviations: deviation ? pageOf(deviation.page, treeWidth(exponent), count * treeHeight(exponent), 1) : undefined,
      deviationStep: deviation?.step ?? 0,
      roots: tree.page,
      firstRoot: nodeOffset(exponent, 0, 0, 0),
      rootStride: 4 * treePixels(exponent),
    }),
  );
  return { outline: image, groups, store: { blocks, used: new Float64Array(blocks.length), now: 0 } };
}

/** A node of a chart in one integer: level, row and column; 4 + 13 + 13 bits. */
const LEVEL_SHIFT = 26;
const ROW_SHIFT = 13;
const COORDINATE_MASK = (1 << 13) - 1;

export const levelOf = (node: number): number => node >> LEVEL_SHIFT;
const rowOf = (node: number): number => (node >> ROW_SHIFT) & COORDINATE_MASK;
const columnOf = (node: number): number => node & COORDINATE_MASK;

/** The first of a node's descendants on a level so much deeper. */
export const firstBelow = (node: number, levels: number): number =>
  ((levelOf(node) + levels) << LEVEL_SHIFT) | ((node & ((1 << LEVEL_SHIFT) - 1)) << levels);
/** The k-th of four children, by the first. */
export const siblingOf = (first: number, k: number): number => first + ((k >> 1) << ROW_SHIFT) + (k & 1);

/** One image as a descent reads it, a chart at a time. */
export interface Side {
  image: PagedImage;
  pose: Pose;
  moves: boolean;
  /** What a radius in model units is in a's grid, enlarged for the pose. */
  scale: number;
  /** The level of the image that the descent ends at. */
  limit: number;
  /** Whether slabs are found with the nodes, where there are some. */
  findsSlabs: boolean;
  /** Whether nodes are as large as holds the source, too. */
  findsSource: boolean;
  /** The chart at work, -1 before the first; levels above its root; that it is descended to. */
  chart: number;
  height: number;
  bottom: number;
  group: PagedGroup;
  /** Its number in the group, and its first quad's. */
  slot: number;
  firstQuad: number;
  /** Column and row where it starts on the pages of spheres and of samples. */
  left: number;
  top: number;
  quadLeft: number;
  quadTop: number;
  /**
   * What was found last: a pixel at `offset`; if it is the first of four, two are `stride` further.
   */
  samples: Uint16Array;
  offset: number;
  stride: number;
  /** The slabs of these nodes, in the same places. */
  slabs: Uint16Array | undefined;
  /** Their source's deviations, where it is asked for: one number a pixel. */
  deviations: Uint16Array | undefined;
  /** The quad whose triangles are in `triangles`: half 0 at 0, half 1 at 9. */
  quad: number;
  triangles: Float64Array;
}

const NONE = new Uint16Array(0);
const NO_TRIANGLES = new Float64Array(0);

export function createSide(
  image: PagedImage,
  pose: Pose,
  norm: number,
  step: number,
  limit: number,
  { findsSlabs, findsSource }: Pick<Side, 'findsSlabs' | 'findsSource'>,
): Side {
  const group = image.groups[0];
  return {
    image,
    pose,
    moves: !isIdentity(pose),
    scale: (norm / step) * OUTWARD,
    limit,
    findsSlabs,
    findsSource,
    chart: -1,
    height: 0,
    bottom: 0,
    group,
    slot: 0,
    firstQuad: 0,
    left: 0,
    top: 0,
    quadLeft: 0,
    quadTop: 0,
    samples: NONE,
    offset: 0,
    stride: 0,
    slabs: undefined,
    deviations: undefined,
    quad: -1,
    triangles: NO_TRIANGLES,
  };
}

/** The radius of a node of the chart at work whose pixel was found at `o`, in a's grid. */
export const radiusOf = (side: Side, level: number, o: number): number => {
  const radius = side.samples[o + 3] * (side.group.radiusSteps[level] * side.scale);
  return side.deviations ? radius + deviationAt(side, o) : radius;
};

/** How far the source may be from a node's triangles, in a's grid. */
export const deviationAt = ({ deviations, group, scale }: Side, o: number): number =>
  deviations![o >> 2] * (group.deviationStep * scale);

/** Turns to a chart, `height` levels below the image's root. */
export function select(side: Side, chart: number, height: number): void {
  const group = groupOf(side.image, chart);
  side.height = height;
  side.bottom = Math.min(group.leaf, Math.max(0, side.limit - height));
  if (side.chart === chart) return;
  const slot = chart - group.firstChart;
  const { exponent } = group;
  const across = slot % group.columns;
  const down = Math.floor(slot / group.columns);
  side.chart = chart;
  side.group = group;
  side.slot = slot;
  side.firstQuad = group.firstQuad + (slot << (2 * group.leaf));
  side.left = across * treeWidth(exponent);
  side.top = down * treeHeight(exponent);
  side.quadLeft = across * sizeOf(exponent);
  side.quadTop = down * sizeOf(exponent);
  side.quad = -1;
}

/** Whether a node of the chart at work holds nothing that was stored. */
export const isBeyond = ({ image, group }: Side, node: number): boolean =>
  image.outline.stored !== null &&
  isPadding(image.outline.stored, group.exponent, levelOf(node), rowOf(node), columnOf(node));

/** The number that `unfold` gives a node of the chart at work. */
export const numberOf = ({ group, slot }: Side, node: number): number =>
  numberOnPage(group, slot, levelOf(node), rowOf(node), columnOf(node));

/** The same of a node over the charts, or of the root of chart ~node. */
export function numberOver(image: PagedImage, node: number): number {
  if (node >= 0) return image.outline.roots.firstNode + node;
  const group = groupOf(image, ~node);
  return numberOnPage(group, ~node - group.firstChart, 0, 0, 0);
}

const numberOnPage = (
  { exponent, firstNode }: PagedGroup,
  slot: number,
  level: number,
  row: number,
  column: number,
): number => firstNode + slot * treePixels(exponent) + nodeOffset(exponent, level, row, column) / 4;

/** Where a node of the chart stands on the page of spheres: tree-page.ts. */
function columnOnPage({ group: { exponent }, left }: Side, node: number): number {
  return left + columnOf(node) + (levelOf(node) === exponent ? 0 : 1 << exponent);
}

function rowOnPage({ group: { exponent }, top }: Side, node: number): number {
  return top + rowOf(node) + (levelOf(node) === exponent ? 0 : (1 << exponent) - (2 << levelOf(node)));
}

/** Finds a node's pixel, or with it those right and below; false where a block is missing. */
export function findNodes(side: Side, node: number, span: 1 | 2): boolean {
  const { spheres, slabs, deviations } = side.group;
  const x = columnOnPage(side, node);
  const y = rowOnPage(side, node);
  if (side.findsSource && deviations) {
    if (!find(side, deviations, x, y, span, gatheredDeviations)) return false;
    // As the spheres have them: a fourth of their offset, or from 0 where they are put together.
    side.deviations = side.samples;
  }
  if (side.findsSlabs && slabs) {
    if (!find(side, slabs, x, y, span, gatheredSlabs)) return false;
    side.slabs = side.samples;
  } else side.slabs = undefined;
  return find(side, spheres, x, y, span, gathered);
}

/** The number of the block that holds a pixel. */
function blockAt({ page: { blockWidth, blockHeight }, first, across }: Blocks, x: number, y: number): number {
  return first + Math.floor(y / blockHeight) * across + Math.floor(x / blockWidth);
}

/** Where a quad's first corner is on the page, and how far apart all four are. */
function cornersOf(
  { group: { exponent, leaf }, quadLeft, quadTop }: Side,
  node: number,
): [x: number, y: number, apart: number] {
  const shift = exponent - leaf;
  return [quadLeft + (columnOf(node) << shift), quadTop + (rowOf(node) << shift), 1 << shift];
}

/** Finds a square of pixels, in `room` if need be; false where a block is missing. */
function find(side: Side, pages: Blocks, x: number, y: number, span: number, room: Uint16Array): boolean {
  const { blockWidth, blockHeight, channels } = pages.page;
  const { blocks, used, now } = side.image.store;
  let block = pages.first;
  let column = x;
  let row = y;
  if (x >= blockWidth || y >= blockHeight) {
    block = blockAt(pages, x, y);
    column = x % blockWidth;
    row = y % blockHeight;
  }
  if (column + span > blockWidth || row + span > blockHeight) return gather(side, pages, x, y, 1, room);
  const samples = blocks[block];
  if (!samples) return false;
  used[block] = now;
  side.samples = samples;
  side.offset = channels * (row * blockWidth + column);
  side.stride = channels * blockWidth;
  return true;
}

const gathered = new Uint16Array(16);
const gatheredSlabs = new Uint16Array(16);
const gatheredDeviations = new Uint16Array(4);

/** Four pixels that are in several blocks, or `apart`, put together as a square of two by two. */
function gather(side: Side, pages: Blocks, x: number, y: number, apart: number, room: Uint16Array): boolean {
  const { channels } = pages.page;
  for (let k = 0; k < 4; k++) {
    if (!find(side, pages, x + (k & 1) * apart, y + (k >> 1) * apart, 1, room)) return false;
    for (let i = 0; i < channels; i++) room[channels * k + i] = side.samples[side.offset + i];
  }
  side.samples = room;
  side.offset = 0;
  side.stride = 2 * channels;
  return true;
}

/** Numbers of the blocks that a node's pixel is in, or its children's, or a quad's corners. */
export function blocksOfNode(side: Side, node: number): number[] {
  const { spheres, slabs, deviations } = side.group;
  const block = blockAt(spheres, columnOnPage(side, node), rowOnPage(side, node));
  const others = [side.findsSlabs ? slabs : undefined, side.findsSource ? deviations : undefined];
  return [block, ...others.flatMap((pages) => (pages ? [block - spheres.first + pages.first] : []))];
}

export const blocksOfChildren = (side: Side, node: number): number[] =>
  [0, 1, 2, 3].flatMap((k) => blocksOfNode(side, siblingOf(firstBelow(node, 1), k)));

export function blocksOfQuad(side: Side, node: number): number[] {
  const [x, y, apart] = cornersOf(side, node);
  return [0, 1, 2, 3].map((k) => blockAt(side.group.geometry, x + (k & 1) * apart, y + (k >> 1) * apart));
}

/** Decodes and moves a quad's triangles, if they are not there; false where a block is missing. */
export function loadQuad(side: Side, node: number): boolean {
  const { group, firstQuad } = side;
  const quad = firstQuad + (rowOf(node) << group.leaf) + columnOf(node);
  if (side.quad === quad) return true;
  const [x, y, apart] = cornersOf(side, node);
  const isFound =
    apart === 1 ? find(side, group.geometry, x, y, 2, gathered) : gather(side, group.geometry, x, y, apart, gathered);
  if (!isFound) return false;
  side.quad = quad;
  if (side.triangles === NO_TRIANGLES) side.triangles = new Float64Array(18);
  const { samples } = side;
  const [v, size] = [side.offset / 3, side.stride / 3];
  const isDown = cutsDownAt(samples, size, v);
  loadVertex(side, samples, v, 0);
  loadVertex(side, samples, v + (isDown ? size + 1 : 1), 3);
  loadVertex(side, samples, v + size, 6);
  copyVertex(side, isDown ? 0 : 3, 9);
  loadVertex(side, samples, v + (isDown ? 1 : size + 1), 12);
  copyVertex(side, isDown ? 3 : 6, 15);
  return true;
}

function loadVertex({ image, moves, pose, triangles }: Side, samples: Uint16Array, vertex: number, to: number): void {
  const { origin, step } = image.outline;
  const x = origin[0] + samples[3 * vertex] * step;
  const y = origin[1] + samples[3 * vertex + 1] * step;
  const z = origin[2] + samples[3 * vertex + 2] * step;
  if (moves) {
    movePoint(pose, x, y, z, triangles, to);
  } else {
    triangles[to] = x;
    triangles[to + 1] = y;
    triangles[to + 2] = z;
  }
}

function copyVertex({ triangles }: Side, from: number, to: number): void {
  triangles[to] = triangles[from];
  triangles[to + 1] = triangles[from + 1];
  triangles[to + 2] = triangles[from + 2];
}
