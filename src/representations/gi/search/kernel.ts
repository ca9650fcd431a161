/**
 * Places geometry images in the kernel's memory (kernel.as.ts), once per image, and queries pairs
 * pose by pose. All kernels of geometry images use the disks that this file writes.
 *
 * An image's record holds only addresses, so workers that share the memory share the image. Its
 * blocks hold four nodes each, the children of one node, as disks (../tree/slab-tree.ts) in
 * float32, their numbers in lanes; block 0 holds the root alone. A chart's blocks are in the order
 * of levels, in Morton order within one. So the children of node k of block i are in block 4 i + 1
 * + k, without pointers. The binary tree over the charts gets four children per node, by opening
 * the largest child until there are four.
 *
 * Rounding outward: see the disks below. Boxes around them are measured on the placed data
 * (sides.as.ts).
 *
 * Memory: 208 bytes for four nodes, 69.3 per quad, and 6 per sample. Placing a node takes some 110
 * ns. descent.ts searches images above 1.5 GiB.
 */

import {
  answerPoses,
  askKernel,
  firstContact,
  verdictIn,
  workspaceOf,
  writePoses,
} from '../../../engine/pair-kernel.ts';
import type { PairKernel } from '../../../engine/representation.ts';
import { UNSUITED } from '../../../kernels/layout.as.ts';
import { adoptPlacement, allocateFor, type Kernels, kernels, placementOf } from '../../../kernels/memory.ts';
import { requireChartTree } from '../tree/chart-tree.ts';
import { type GeometryImage, groupOf, type PlacedGroup } from '../tree/geometry-image.ts';
import { decodeError, isPadding, largestAlpha, nodeOffset, sizeOf, treePixels } from '../tree/grid.ts';
import { discOf } from '../tree/slab-tree.ts';
import { reachOfGeometryImage } from '../tree/unfold.ts';
import { checkGeometryImages } from './descent.ts';
import { KERNEL, type KernelName } from './kernel.generated.ts';
import {
  ACROSS,
  ALONG,
  BLOCK_BYTES,
  BLOCKS,
  CENTRES,
  CHART,
  CHART_BYTES,
  CHARTS,
  CHILDREN,
  DECODE_ERROR,
  DEPTH,
  EXPONENT,
  FINEST,
  FIRST_BLOCK,
  FIRST_QUAD,
  GRID,
  GRID_REACH,
  HALVES,
  HEIGHT,
  LEAVES,
  LINK_BYTES,
  LINKS,
  NO_CHART,
  NORMALS,
  OVER,
  RADII,
  REACH,
  RECORD_BYTES,
  ROOT_CHART,
  SAMPLES,
  SIDES,
} from './layout.as.ts';

/** Larger radii, in steps, could overflow; they are left to descent.ts. */
const LARGEST = 2 ** 40;
// In 32-bit numbers; and the nodes of a block.
const BLOCK = BLOCK_BYTES / 4;
const LINK = LINK_BYTES / 4;
const MOST_BYTES = 1.5 * 2 ** 30;

/** One block for each node above the quads. */
const blocksOf = (exponent: number): number => ((1 << (2 * exponent)) - 1) / 3;

export function placeImage(image: GeometryImage): number {
  const known = placementOf(image);
  if (known !== undefined) return known;
  const own = kernels(KERNEL);
  // The kernels may be in use; this says nothing about the image.
  if (!own) return 0;
  const record = placed(image, own);
  adoptPlacement(image, record);
  return record;
}

function placed(image: GeometryImage, { memory, functions }: Kernels<KernelName>): number {
  const over = treeOver(image);
  const overLanes = over.members.length;
  const ofCharts = image.groups.reduce((sum, { exponent, count }) => sum + count * blocksOf(exponent), 0);
  const sizes = [
    RECORD_BYTES,
    BLOCK_BYTES * (overLanes + ofCharts),
    LINK_BYTES * 4 * overLanes,
    CHART_BYTES * image.charts,
    ...image.groups.map(({ geometry }) => geometry.byteLength),
  ];
  const offsets = [0];
  for (const size of sizes) offsets.push(Math.ceil((offsets.at(-1)! + size) / 64) * 64);
  const record = offsets.at(-1)! > MOST_BYTES ? 0 : allocateFor(image, offsets.at(-1)!);
  if (record === 0) return 0;
  // Read here, since placing may have grown the memory.
  const { buffer } = memory;
  const [, blocks, links, charts, ...samples] = offsets.map((offset) => record + offset);
  const into: Lanes = { numbers: new Float32Array(buffer, blocks, sizes[1] / 4), reach: 0, largest: 0 };
  writeOver(image, over, into, new Uint32Array(buffer, links, sizes[2] / 4));
  const records = new Uint32Array(buffer, charts, sizes[3] / 4);
  let block = overLanes;
  let finest = 0;
  image.groups.forEach((group, g) => {
    const { exponent, count, geometry, firstChart, firstQuad, tree } = group;
    new Uint16Array(buffer, samples[g], geometry.length).set(geometry);
    finest = Math.max(finest, (largestAlpha(tree.page, exponent, exponent) * tree.radiusSteps[exponent]) / image.step);
    for (let slot = 0; slot < count; slot++) {
      const at = (CHART_BYTES / 4) * (firstChart + slot);
      records[at + FIRST_BLOCK / 4] = block;
      records[at + LEAVES / 4] = exponent === 0 ? 0 : blocksOf(exponent - 1);
      records[at + SAMPLES / 4] = samples[g] + slot * 6 * sizeOf(exponent) ** 2;
      records[at + EXPONENT / 4] = exponent;
      records[at + FIRST_QUAD / 4] = firstQuad + (slot << (2 * exponent));
      records[at + HEIGHT / 4] = over.heights[firstChart + slot];
      writeChart(image, group, slot, into, block);
      functions.placeSides(blocks, block, exponent, records[at + SAMPLES / 4]);
      block += blocksOf(exponent);
    }
  });
  if (!(into.largest < LARGEST)) return 0;
  const { origin, step } = image;
  const numbers = new DataView(buffer, record, RECORD_BYTES);
  numbers.setUint32(BLOCKS, blocks, true);
  numbers.setUint32(LINKS, links, true);
  numbers.setUint32(CHARTS, charts, true);
  numbers.setUint32(OVER, 4 * overLanes, true);
  numbers.setUint32(ROOT_CHART, image.charts === 1 ? 0 : NO_CHART, true);
  for (let k = 0; k < 3; k++) numbers.setFloat64(GRID + 8 * k, origin[k], true);
  numbers.setFloat64(GRID + 24, step, true);
  numbers.setFloat64(DECODE_ERROR, decodeError(image), true);
  numbers.setFloat64(REACH, reachOfGeometryImage(image), true);
  numbers.setFloat64(GRID_REACH, Math.max(into.reach, into.largest), true);
  numbers.setFloat64(FINEST, finest, true);
  return record;
}

interface Over {
  /** Nodes of each block, or ~chart; their children's blocks, 0 for charts; and depths. */
  members: number[][];
  below: number[][];
  depth: number[][];
  heights: Uint32Array;
}

export function treeOver({ charts, roots }: GeometryImage): Over {
  requireChartTree(roots, charts);
  const { children, spheres } = roots;
  const root = charts === 1 ? ~0 : 0;
  const over: Over = { members: [[root]], below: [[0]], depth: [[0]], heights: new Uint32Array(charts) };
  const levels = new Int32Array(spheres.length / 4);
  for (let i = 0; i < over.members.length; i++) {
    over.members[i].forEach((node, k) => {
      if (node < 0) return;
      const members = [node];
      let depth = 0;
      while (members.length < 4) {
        let largest = -1;
        members.forEach((member, m) => {
          if (member < 0) return;
          if (largest < 0 || spheres[4 * member + 3] > spheres[4 * members[largest] + 3]) largest = m;
        });
        if (largest < 0) break;
        const [opened] = members.splice(largest, 1, children[2 * members[largest]], children[2 * members[largest] + 1]);
        for (const child of children.subarray(2 * opened, 2 * opened + 2)) {
          if (child < 0) over.heights[~child] = levels[opened] + 1;
          else levels[child] = levels[opened] + 1;
        }
        depth = Math.max(depth, levels[opened] + 1);
      }
      over.below[i][k] = over.members.length;
      over.depth[i][k] = depth;
      over.members.push(members);
      over.below.push(members.map(() => 0));
      over.depth.push(members.map(() => 0));
    });
  }
  return over;
}

const disc = new Float64Array(8);

function writeOver(image: GeometryImage, over: Over, into: Lanes, links: Uint32Array): void {
  const { spheres } = image.roots;
  over.members.forEach((members, i) => {
    for (let k = 0; k < 4; k++) {
      const at = BLOCK * i + k;
      const link = LINK * (4 * i + k);
      if (k >= members.length) {
        writeNothing(into, at);
        links.fill(0, link, link + LINK);
        continue;
      }
      const node = members[k];
      links[link + CHILDREN / 4] = over.below[i][k];
      links[link + CHART / 4] = node < 0 ? ~node : NO_CHART;
      links[link + DEPTH / 4] = over.depth[i][k];
      links[link + 3] = 0;
      if (node < 0) {
        const { tree, exponent, firstChart } = groupOf(image, ~node);
        const o = (~node - firstChart) * 4 * treePixels(exponent) + nodeOffset(exponent, 0, 0, 0);
        discOf(tree.page, tree.slabs, o, (tree.page[o + 3] * tree.radiusSteps[0]) / image.step, disc);
      } else {
        disc.fill(0);
        for (let a = 0; a < 3; a++) disc[a] = spheres[4 * node + a];
        disc[6] = 1;
        disc[3] = disc[7] = spheres[4 * node + 3] / image.step;
      }
      writeDisc(into, at, disc, disc[3], disc[7]);
      writeWholeSides(into.numbers, at);
    }
  });
}

/** Sides that are not measured: across the normal, as far as the ball reaches. */
function writeWholeSides(numbers: Float32Array, at: number): void {
  const [x, y, z] = [0, 1, 2].map((k) => numbers[at + NORMALS / 4 + LANES * k]);
  // Cross product of the normal and its smaller axis of x and y.
  const side = Math.abs(x) < Math.abs(y) ? [0, z, -y] : [-z, 0, x];
  const length = Math.sqrt(side[0] * side[0] + side[1] * side[1] + side[2] * side[2]);
  for (let k = 0; k < 3; k++) numbers[at + SIDES / 4 + LANES * k] = side[k] / length;
  numbers[at + ALONG / 4] = numbers[at + ACROSS / 4] = numbers[at + RADII / 4];
}

/** Clears the whole lane: leftover NaN would separate nothing. */
function writeNothing(into: Lanes, at: number): void {
  for (let number = 0; number < BLOCK; number += LANES) into.numbers[at + number] = 0;
  into.numbers[at + NORMALS / 4 + 2 * LANES] = 1;
  into.numbers[at + SIDES / 4] = 1;
  into.numbers[at + HALVES / 4] = NOTHING;
}

function writeChart(
  { step, stored }: GeometryImage,
  { exponent, tree }: PlacedGroup,
  slot: number,
  into: Lanes,
  first: number,
): void {
  const base = slot * 4 * treePixels(exponent);
  for (let level = 1; level <= exponent; level++) {
    const firstSlot = 4 * (first + blocksOf(level - 1));
    const toGrid = tree.radiusSteps[level] / step;
    for (let row = 0; row < 1 << level; row++) {
      const o = base + nodeOffset(exponent, level, row, 0);
      const ofRow = firstSlot + 2 * spread(row);
      for (let column = 0; column < 1 << level; column++) {
        const number = ofRow + spread(column);
        if (isPadding(stored, exponent, level, row, column)) {
          writeNothing(into, BLOCK * (number >> 2) + (number & 3));
          continue;
        }
        discOf(tree.page, tree.slabs, o + 4 * column, tree.page[o + 4 * column + 3] * toGrid, disc);
        writeDisc(into, BLOCK * (number >> 2) + (number & 3), disc, disc[3], disc[7]);
      }
    }
  }
}

/** Room for the contacts of two quads, if any contact may end the search. */
const LEAST_CAPACITY = 4;

/** Places two images; undefined without kernels or memory, or if float32 cannot hold the values. */
export function kernelOfGeometryImages(a: GeometryImage, b: GeometryImage): PairKernel | undefined {
  const recordA = placeImage(a);
  const recordB = placeImage(b);
  const own = kernels(KERNEL);
  if (!own || recordA === 0 || recordB === 0) return undefined;
  const workspace = workspaceOf(own);
  const { slabQuery, slabResume, slabPoses, sortContacts } = own.functions;
  const start = (isAll: number, capacity: number): number =>
    slabQuery(recordA, recordB, workspace.address, isAll, capacity);
  return {
    // Keeps the images alive as long as their records.
    verdict(poseA, poseB) {
      const isOurs = writePoses(workspace, poseA, poseB) && start(0, LEAST_CAPACITY) !== UNSUITED;
      return isOurs ? verdictIn(workspace) : checkGeometryImages(a, b, firstContact(poseA, poseB)).verdict;
    },
    verdicts: (poses, verdicts) =>
      answerPoses(workspace, poses, verdicts, (count) => slabPoses(recordA, recordB, workspace.address, count)),
    search: (query) =>
      askKernel(workspace, query, {
        start: (isAll, room) => start(isAll, query.onContact ? LEAST_CAPACITY : room),
        resume: slabResume,
        sortContacts,
      }),
  };
}

/*
 * Disks in float32 for the kernels of geometry images: four nodes per block, each number of the
 * four in lanes.
 *
 * Rounding outward: the center moves by at most `moved`, computed in doubles, and the normal by at
 * most 2^-23. So every point is within r + moved of the new center, and
 *   |n . (p - c)| <= h + moved + 2^-23 r
 * Stored values are larger by 2^-20 r, for the kernels' own rounding, and by 2^-22 of themselves,
 * for the rounding to float32.
 */

export const LANES = 4;
/** Half thickness of lanes without a node: a plane separates them from everything. */
export const NOTHING = -(2 ** 80);
const UP = 1 + 2 ** -22;

/** Blocks being filled; largest coordinate of a center and largest radius so far, in steps. */
export interface Lanes {
  numbers: Float32Array;
  reach: number;
  largest: number;
}

/** Writes a disk's center and normal to the lane at number `at` (../tree/slab-tree.ts). */
export function writeDisc(into: Lanes, at: number, disc: Float64Array, size: number, half: number): void {
  const { numbers } = into;
  let moved = 0;
  for (let k = 0; k < 3; k++) {
    const centre = at + CENTRES / 4 + LANES * k;
    numbers[centre] = disc[k];
    numbers[at + NORMALS / 4 + LANES * k] = disc[4 + k];
    const off = numbers[centre] - disc[k];
    moved += off * off;
    const far = Math.abs(disc[k]);
    if (!(far <= into.reach)) into.reach = largeOf(far);
  }
  moved = Math.sqrt(moved) * UP;
  const radius = (size + moved) * (1 + 2 ** -20) * UP;
  numbers[at + RADII / 4] = radius;
  numbers[at + HALVES / 4] = half + moved + 2 ** -20 * radius + 2 ** -22 * Math.abs(half);
  if (!(radius <= into.largest)) into.largest = largeOf(radius);
}

/** NaN becomes infinite, so that no smaller number replaces it. */
const largeOf = (x: number): number => (x >= 0 ? x : Number.POSITIVE_INFINITY);

/** Moves bit i to 2 i. */
export function spread(bits: number): number {
  let x = bits;
  x = (x | (x << 8)) & 0x00ff00ff;
  x = (x | (x << 4)) & 0x0f0f0f0f;
  x = (x | (x << 2)) & 0x33333333;
  return (x | (x << 1)) & 0x55555555;
}
