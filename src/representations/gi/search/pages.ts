/**
 * Pages of a geometry image for a descent: blocks that are present or missing; and the map of one
 * image's grid into another's.
 *
 * In a read image every page is one block. In an opened one, blocks are tiles that are loaded on
 * demand (on-demand.ts).
 */
import type { StoredPage } from '../../../containers/block-store.ts';
import { derived } from '../../../engine/asset-cache.ts';
import { relativePose } from '../../../engine/pair-kernel.ts';
import { isIdentity, movePoint, type Pose } from '../../../math/pose.ts';
import { cutsDownAt, type GeometryImage, groupOf } from '../tree/geometry-image.ts';
import {
  decodeError,
  type Grid,
  isPadding,
  nodeOffset,
  type SphereTree,
  sizeOf,
  treeHeight,
  treePixels,
  treeWidth,
} from '../tree/grid.ts';
import { finerOf } from '../tree/subsample.ts';
import { reachOfGeometryImage } from '../tree/unfold.ts';

export interface Blocks extends Pick<StoredPage, 'first' | 'across'> {
  page: { blockWidth: number; blockHeight: number; channels: number };
}

export interface PagedGroup {
  exponent: number;
  /** The level whose nodes are quads: `exponent`, or less if subsampled. */
  leaf: number;
  count: number;
  columns: number;
  firstChart: number;
  firstQuad: number;
  /** As in `unfold`. */
  firstNode: number;
  radiusSteps: Float64Array;
  geometry: Blocks;
  spheres: Blocks;
  /** In the same places as the spheres. */
  slabs: Blocks | undefined;
  /** The source's distance from a node's triangles, in `deviationStep`, in the same places. */
  deviations: Blocks | undefined;
  deviationStep: number;
  /** The pixel of chart i's root is at firstRoot + i * rootStride. */
  roots: Uint16Array;
  firstRoot: number;
  rootStride: number;
}

export interface PagedImage {
  outline: Pick<GeometryImage, 'origin' | 'step' | 'charts' | 'roots' | 'tolerance' | 'stored'>;
  groups: PagedGroup[];
  store: {
    /** Samples of each block, if present. */
    blocks: readonly (Uint16Array | undefined)[];
    /** Time of last use of each, by `now`. */
    used: Float64Array;
    now: number;
  };
}

const pagesOfImages = /* @__PURE__ */ derived<GeometryImage, PagedImage>();
const spheresOfImages = /* @__PURE__ */ derived<GeometryImage, PagedImage>();

/** A read image as pages of one block each; cached per image. */
export const residentPages = (image: GeometryImage): PagedImage =>
  cachedPages(image, pagesOfImages, ({ slabs }) => slabs);

/** The same without slabs, which are not made either. */
export const residentSpheres = (image: GeometryImage): PagedImage =>
  cachedPages(image, spheresOfImages, () => undefined);

function cachedPages(image: GeometryImage, cache: typeof pagesOfImages, slabsOf: SlabsOf): PagedImage {
  let pages = cache.get(image);
  if (!pages) {
    const finer = finerOf(image);
    pages = finer ? subsampledPages(cachedPages(finer.image, cache, slabsOf), finer.m) : pagesOf(image, slabsOf);
    cache.set(image, pages);
  }
  return pages;
}

/** Subsamples one square to 2^m + 1 samples per side; levels 0 to m hold the coarse triangles. */
export function subsampledPages<Image extends PagedImage>(image: Image, m: number): Image {
  const [group] = image.groups;
  return { ...image, groups: [{ ...group, leaf: Math.min(group.exponent, m) }] };
}

type SlabsOf = (tree: SphereTree) => Uint16Array | undefined;

function pagesOf(image: GeometryImage, slabsOf: SlabsOf): PagedImage {
  const blocks: Uint16Array[] = [];
  const pageOf = (samples: Uint16Array, blockWidth: number, blockHeight: number, channels: number): Blocks => ({
    page: { blockWidth, blockHeight, channels },
    first: blocks.push(samples) - 1,
    across: 1,
  });
  const groups = image.groups.map(
    ({ exponent, count, geometry, tree, deviation, firstChart, firstQuad, firstNode }): PagedGroup => {
      const slabs = slabsOf(tree);
      return {
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
        slabs: slabs && pageOf(slabs, treeWidth(exponent), count * treeHeight(exponent), 4),
        deviations: deviation
          ? pageOf(deviation.page, treeWidth(exponent), count * treeHeight(exponent), 1)
          : undefined,
        deviationStep: deviation?.step ?? 0,
        roots: tree.page,
        firstRoot: nodeOffset(exponent, 0, 0, 0),
        rootStride: 4 * treePixels(exponent),
      };
    },
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

/** A node's first descendant, `levels` deeper. */
export const firstBelow = (node: number, levels: number): number =>
  ((levelOf(node) + levels) << LEVEL_SHIFT) | ((node & ((1 << LEVEL_SHIFT) - 1)) << levels);
export const siblingOf = (first: number, k: number): number => first + ((k >> 1) << ROW_SHIFT) + (k & 1);

/** The state of one image in a descent, one chart at a time. */
export interface Side {
  image: PagedImage;
  pose: Pose;
  moves: boolean;
  /** Factor from a radius in model units to a's grid, enlarged for the pose. */
  scale: number;
  limit: number;
  findsSlabs: boolean;
  /** True if nodes must hold the source, too. */
  findsSource: boolean;
  /** Current chart, -1 before the first; levels above its root; deepest level. */
  chart: number;
  height: number;
  bottom: number;
  group: PagedGroup;
  /** Its number in the group, and its first quad's. */
  slot: number;
  firstQuad: number;
  left: number;
  top: number;
  quadLeft: number;
  quadTop: number;
  /** The last found pixel, at `offset`; if it is the first of four, two are `stride` further. */
  samples: Uint16Array;
  offset: number;
  stride: number;
  slabs: Uint16Array | undefined;
  /** Their deviations, one number per pixel, if asked for. */
  deviations: Uint16Array | undefined;
  /** The quad in `triangles`: half 0 at 0, half 1 at 9. */
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

export const radiusOf = (side: Side, level: number, o: number): number => {
  const radius = side.samples[o + 3] * (side.group.radiusSteps[level] * side.scale);
  return side.deviations ? radius + deviationAt(side, o) : radius;
};

/** Bound on the source's distance from a node's triangles, in a's grid. */
export const deviationAt = ({ deviations, group, scale }: Side, o: number): number =>
  deviations![o >> 2] * (group.deviationStep * scale);

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

export const isBeyond = ({ image, group }: Side, node: number): boolean =>
  image.outline.stored !== null &&
  isPadding(image.outline.stored, group.exponent, levelOf(node), rowOf(node), columnOf(node));

export const numberOf = ({ group, slot }: Side, node: number): number =>
  numberOnPage(group, slot, levelOf(node), rowOf(node), columnOf(node));

/** The same for a node over the charts, or for the root of chart ~node. */
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

function columnOnPage({ group: { exponent }, left }: Side, node: number): number {
  return left + columnOf(node) + (levelOf(node) === exponent ? 0 : 1 << exponent);
}

function rowOnPage({ group: { exponent }, top }: Side, node: number): number {
  return top + rowOf(node) + (levelOf(node) === exponent ? 0 : (1 << exponent) - (2 << levelOf(node)));
}

/** Finds a node's pixel, or also those right and below; false if a block is missing. */
export function findNodes(side: Side, node: number, span: 1 | 2): boolean {
  const { spheres, slabs, deviations } = side.group;
  const x = columnOnPage(side, node);
  const y = rowOnPage(side, node);
  if (side.findsSource && deviations) {
    if (!find(side, deviations, x, y, span, gatheredDeviations)) return false;
    // In the spheres' places: at a fourth of their offset, or from 0 if gathered.
    side.deviations = side.samples;
  }
  if (side.findsSlabs && slabs) {
    if (!find(side, slabs, x, y, span, gatheredSlabs)) return false;
    side.slabs = side.samples;
  } else side.slabs = undefined;
  return find(side, spheres, x, y, span, gathered);
}

function blockAt({ page: { blockWidth, blockHeight }, first, across }: Blocks, x: number, y: number): number {
  return first + Math.floor(y / blockHeight) * across + Math.floor(x / blockWidth);
}

function cornersOf(
  { group: { exponent, leaf }, quadLeft, quadTop }: Side,
  node: number,
): [x: number, y: number, apart: number] {
  const shift = exponent - leaf;
  return [quadLeft + (columnOf(node) << shift), quadTop + (rowOf(node) << shift), 1 << shift];
}

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

/** Loads a quad's moved triangles, unless present; false if a block is missing. */
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

/*
 * Maps b's grid into a's for two geometry images in poses (engine/pair-kernel.ts proves that mapped
 * bounds miss nothing).
 */

export const OUTWARD = 1 + 2 ** -47;

/** Maps a center q of b to `linear` q + `shift`, row-major; with error and length bounds. */
export interface GridMap {
  linear: Float64Array;
  shift: Float64Array;
  norm: number;
  slack: number;
  /** Extra factor for normals of b after `linear`: their length is 1 to within `skew`. */
  toUnit: number;
  skew: number;
  /** Greatest length in a's grid of a unit of b's. */
  scale: number;
  /** Least and greatest length of a unit of a's grid in the common frame. */
  toCommonLeast: number;
  toCommon: number;
}

export function mapGrid(a: Grid, b: Grid, poseA: Pose, poseB: Pose): GridMap {
  const [reachA, reachB] = [reachOfGeometryImage(a), reachOfGeometryImage(b)];
  const { map, norm, skew, slack, shortest, longest } = relativePose(poseA, poseB, reachA, reachB);
  const linear = new Float64Array(9);
  const shift = new Float64Array(3);
  for (let i = 0; i < 3; i++) {
    let sum = map[4 * i + 3] - a.origin[i];
    for (let k = 0; k < 3; k++) {
      linear[3 * i + k] = (map[4 * i + k] * b.step) / a.step;
      sum += map[4 * i + k] * b.origin[k];
    }
    shift[i] = sum / a.step;
  }
  return {
    linear,
    shift,
    norm,
    slack: ((slack + decodeError(a) + 2 * decodeError(b)) / a.step) * (1 + 2 ** -40),
    toUnit: a.step / b.step,
    scale: ((norm * b.step) / a.step) * OUTWARD,
    skew: skew + 2 ** -44,
    toCommonLeast: (shortest * a.step) / OUTWARD,
    toCommon: longest * a.step * OUTWARD,
  };
}
