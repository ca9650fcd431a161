/**
 * Adapts a geometry image to the common engine: spheres, cut by their slabs to flat boxes, with a
 * quad's two triangles in a leaf.
 *
 * A sphere over a flat patch extends beyond it by its radius, a slab by the square of that. For two
 * images at a distance of their size, a search for the nearest points tests a quarter of the pairs
 * of nodes in a third of the time. A contact search tests a third of them in the same time.
 */

import { FormatError } from '../../../base/errors.ts';
import { type NodeWriter, ROOT, requireNodes } from '../../../engine/bound-tree.ts';
import { writeAxes } from '../../../geometry/rounded-box.ts';
import type { Box } from '../../../mesh/extent.ts';
import { childOver } from './chart-tree.ts';
import {
  cutsDownAt,
  type EmbeddedSource,
  type GeometryImage,
  groupOf,
  groupOfQuad,
  type PlacedGroup,
} from './geometry-image.ts';
import {
  type Grid,
  isPadding,
  levelOfPixel,
  nodeOffset,
  type SphereTree,
  sizeOf,
  treePixels,
  treeWidth,
} from './grid.ts';
import { discOf } from './slab-tree.ts';

/**
 * Writes the root, or the children of a node; quads are leaves. A chart's node has its pixel's
 * number, continued from chart to chart; nodes over the charts follow.
 */
export function unfoldGeometryImage(image: GeometryImage, node: number, into: NodeWriter): void {
  unfoldSource(image, node, into, null);
}

/** The source's triangles as hulls: k is the k-th listed, the file's lists by quad first. */
export interface SourceHulls {
  triangles: Uint32Array;
  count: number;
}

export function createSourceHulls({ source }: GeometryImage): SourceHulls {
  return source ? { triangles: source.items, count: source.items.length } : { triangles: new Uint32Array(0), count: 0 };
}

/**
 * The same tree around the source: spheres are enlarged by their deviations. Leaves are the quads'
 * triangles, or the source's if the image keeps it. Then a node with a few of these is a leaf, too,
 * with its list appended to `hulls`: a box of twelve triangles needs no 65,536 quads. Without
 * `hulls`, the tree of the image itself.
 */
export function unfoldSource(image: GeometryImage, node: number, into: NodeWriter, hulls: SourceHulls | null): void {
  const { firstNode } = image.roots;
  requireNodes(into, firstNode + image.charts);
  if (node === ROOT) {
    if (image.charts === 1) writeChart(image, 0, into, hulls);
    else writeOver(image, 0, into, hulls);
    return;
  }
  if (node >= firstNode) {
    for (let k = 0; k < 2; k++) {
      const child = childOver(image.roots, node - firstNode, k);
      if (child < 0) writeChart(image, ~child, into, hulls);
      else writeOver(image, child, into, hulls);
    }
    return;
  }
  let g = image.groups.length - 1;
  while (image.groups[g].firstNode > node) g--;
  const group = image.groups[g];
  const pixels = treePixels(group.exponent);
  const slot = Math.floor((node - group.firstNode) / pixels);
  const pixel = node - group.firstNode - slot * pixels;
  const width = treeWidth(group.exponent);
  const side = 1 << group.exponent;
  const y = Math.floor(pixel / width);
  const level = levelOfPixel(group.exponent, pixel);
  const row = 2 * (y - side + (2 << level));
  const column = 2 * (pixel - y * width - side);
  for (let k = 0; k < 4; k++) {
    const [r, c] = [row + (k >> 1), column + (k & 1)];
    if (!isPadding(image.stored, group.exponent, level + 1, r, c))
      write(image, group, slot, level + 1, r, c, into, hulls);
  }
}

function writeChart(image: GeometryImage, chart: number, into: NodeWriter, hulls: SourceHulls | null): void {
  const group = groupOf(image, chart);
  write(image, group, chart - group.firstChart, 0, 0, 0, into, hulls);
}

function writeOver(image: GeometryImage, node: number, into: NodeWriter, hulls: SourceHulls | null): void {
  const { roots, origin, step, groups } = image;
  const at = into.branch(roots.firstNode + node);
  let radius = roots.spheres[4 * node + 3];
  if (hulls) radius = (radius + Math.max(...groups.map(largestDeviation))) * OUTWARD;
  writeSphere(into.bounds, at, roots.spheres, 4 * node, origin, step, radius);
}

const OUTWARD = 1 + 2 ** -50;

/** No page holds a larger deviation. */
const largestDeviation = ({ deviation }: PlacedGroup): number => (deviation ? 65535 * deviation.step : 0);

function write(
  image: GeometryImage,
  group: PlacedGroup,
  slot: number,
  level: number,
  row: number,
  column: number,
  into: NodeWriter,
  hulls: SourceHulls | null,
): void {
  const { exponent, tree, deviation, firstQuad, firstNode } = group;
  const o = slot * 4 * treePixels(exponent) + nodeOffset(exponent, level, row, column);
  const node = firstNode + o / 4;
  let at: number;
  const quad = firstQuad + (((slot << exponent) + row) << exponent) + column;
  if (level === exponent) {
    if (hulls && image.source) {
      const { offsets, items } = image.source;
      const listed = offsets[quad + 1] - offsets[quad];
      if (!(listed >= 0 && offsets[quad] + listed <= items.length)) {
        throw new FormatError(null, `lists of the ${items.length} triangles in the quads`, `${listed} in quad ${quad}`);
      }
      at = into.leaf(offsets[quad], listed, node);
    } else {
      at = into.leaf(2 * quad, 2, node);
    }
  } else if (hulls && image.source && hasFew(image.source, group, slot, level, row, column)) {
    at = into.leaf(append(hulls), fewCount, node);
  } else {
    at = into.branch(node);
  }
  let radius = tree.page[o + 3] * tree.radiusSteps[level];
  // The source's deviation is known beyond the sphere, not beyond the slab.
  if (!hulls && tree.slabs && writeDisc(into.bounds, at, image, tree, o, radius)) return;
  if (hulls && deviation) radius = (radius + deviation.page[o / 4] * deviation.step) * OUTWARD;
  writeSphere(into.bounds, at, tree.page, o, image.origin, image.step, radius);
}

/** A ball is cut by its slab if at most this part of its radius is left. */
const FLAT_ENOUGH = 0.5;
const disc = new Float64Array(8);

/**
 * Writes the box around a sphere's part between its planes; false if the sphere is as good.
 *
 * The disk from `discOf` holds the node's points to within 2^-48 of the radius. Its center in model
 * units is within 2^-49 of the image's size of the exact one, its axes are at right angles to
 * 2^-50: `margin` is more than all of that.
 */
function writeDisc(
  bounds: Float64Array,
  at: number,
  { origin, step }: GeometryImage,
  { page, slabs }: SphereTree,
  o: number,
  radius: number,
): boolean {
  discOf(page, slabs, o, radius / step, disc);
  if (!(disc[7] <= FLAT_ENOUGH * disc[3])) return false;
  writeAxes(bounds, at, disc[4], disc[5], disc[6]);
  let size = radius;
  for (let k = 0; k < 3; k++) {
    bounds[at + k] = origin[k] + disc[k] * step;
    size = Math.max(size, Math.abs(origin[k]) + 65536 * step);
  }
  // Center, disk and axes were rounded, in proportion to the coordinates' size.
  const rounding = 2 ** -46 * size;
  bounds[at + 3] = 0;
  bounds[at + 7] = disc[7] * step + rounding;
  bounds[at + 11] = bounds[at + 15] = disc[3] * step + rounding;
  return true;
}

/**
 * Medians of all contacts at 257: two boxes of 12 triangles 14 ms without such leaves, 1.1 ms with
 * 2 and 0.3 with 8. But a model in another takes 3.4 ms with 2, 9 with 4 and 27 with 8, since
 * spheres separate them sooner than triangles do.
 */
const FEW = 2;
const few = new Uint32Array(FEW);
let fewCount = 0;

function hasFew(
  { offsets, items }: EmbeddedSource,
  { exponent, firstQuad }: PlacedGroup,
  slot: number,
  level: number,
  row: number,
  column: number,
): boolean {
  const span = 1 << (exponent - level);
  fewCount = 0;
  for (let r = row * span; r < (row + 1) * span; r++) {
    const first = firstQuad + (((slot << exponent) + r) << exponent) + column * span;
    for (let i = offsets[first]; i < offsets[first + span]; i++) {
      let k = 0;
      while (k < fewCount && few[k] !== items[i]) k++;
      if (k < fewCount) continue;
      if (fewCount === FEW) return false;
      few[fewCount++] = items[i];
    }
  }
  return true;
}

function append(hulls: SourceHulls): number {
  const first = hulls.count;
  if (first + FEW > hulls.triangles.length) {
    const bigger = new Uint32Array(2 * (first + FEW));
    bigger.set(hulls.triangles);
    hulls.triangles = bigger;
  }
  for (let k = 0; k < fewCount; k++) hulls.triangles[hulls.count++] = few[k];
  return first;
}

function writeSphere(
  bounds: Float64Array,
  at: number,
  centres: ArrayLike<number>,
  o: number,
  origin: Float64Array,
  step: number,
  radius: number,
): void {
  bounds.fill(0, at, at + 16);
  for (let k = 0; k < 3; k++) bounds[at + k] = origin[k] + centres[o + k] * step;
  bounds[at + 3] = radius;
  bounds[at + 4] = bounds[at + 9] = bounds[at + 14] = 1;
}

/** The least box of the decoded samples: a coordinate grows with its sample. */
export function boxOfGeometryImage({ origin, step, groups }: GeometryImage): Box {
  const [least, most] = [new Uint16Array(3).fill(65535), new Uint16Array(3)];
  for (const { geometry } of groups) {
    for (let i = 0; i < geometry.length; i += 3) {
      for (let k = 0; k < 3; k++) {
        if (geometry[i + k] < least[k]) least[k] = geometry[i + k];
        if (geometry[i + k] > most[k]) most[k] = geometry[i + k];
      }
    }
  }
  return Float64Array.from({ length: 6 }, (_, i) => origin[i % 3] + (i < 3 ? least[i] : most[i - 3]) * step);
}

export function hullOfGeometryImage(image: GeometryImage, id: number, out: Float64Array): number {
  const { origin, step } = image;
  const { exponent, geometry, firstQuad } = groupOfQuad(image, id >>> 1);
  const quad = (id >>> 1) - firstQuad;
  const slot = quad >> (2 * exponent);
  const size = sizeOf(exponent);
  const row = (quad >> exponent) & ((1 << exponent) - 1);
  const column = quad & ((1 << exponent) - 1);
  const a = (slot * size + row) * size + column;
  const corners = cornersOf(a, size, (id & 1) === 0, cutsDownAt(geometry, size, a));
  for (let k = 0; k < 3; k++) {
    for (let i = 0; i < 3; i++) out[3 * k + i] = origin[i] + geometry[3 * corners[k] + i] * step;
  }
  return 3;
}

const corner = new Int32Array(3);

function cornersOf(a: number, size: number, first: boolean, down: boolean): Int32Array {
  const b = a + 1;
  const c = a + size;
  const d = c + 1;
  corner[0] = first || down ? a : b;
  corner[1] = down ? (first ? d : b) : first ? b : d;
  corner[2] = down && !first ? d : c;
  return corner;
}

/** Bound on the reach of vertices, centers and the largest radius from the origin. */
export function reachOfGeometryImage(image: Grid): number {
  const [x, y, z] = image.origin;
  return 4 * (Math.max(Math.abs(x), Math.abs(y), Math.abs(z)) + 65535 * image.step);
}
