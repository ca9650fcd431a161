/**
 * Geometry images as the kernel reads them (kernel.as.ts): placed in its memory once an image, then
 * asked a pose at a time.
 *
 * An image's record holds addresses alone, so that workers that share the memory share the image.
 * Its blocks hold four nodes each, the children of one node, as discs (../tree/slab-tree.ts) in
 * float32, their numbers in lanes; block 0 the root alone. A chart's blocks stand in the order of
 * levels, Morton's within one, so that the children of node k of block i are in block 4 i + 1 + k:
 * no pointers. The binary tree over the charts is made one of four children a node, by opening the
 * largest of a node's until there are four.
 *
 * Rounding outward. A disc's centre is rounded to float32, which moves it by at most `moved`,
 * computed in doubles; its normal is, by 2^-23 at most. So every point of it is within r + moved of
 * the new centre, and |n . (p - c)| within h + moved + 2^-23 r. What is stored is more than these
 * by 2^-20 r, which the kernel's own rounding asks for, and by 2^-22 of itself, for what it is
 * rounded to.
 *
 * Bytes: 128 for four nodes, 42.7 a quad, and 6 a sample; a placed node takes some 40 ns. Images of
 * more than a GiB are left to descent.ts.
 */
import {
  adoptPlacement,
  allocateFor,
  type Kernels,
  kernels,
  placementOf,
  WORKSPACE_BYTES,
  whileBusy,
} from '../../../kernels/memory.ts';
import { isIdentity, type Pose } from '../../../math/pose.ts';
import { ContactList } from '../../../query/outcome.ts';
import type { PairKernel } from '../../../query/representation.ts';
import { requireChartTree } from '../tree/chart-tree.ts';
import { type GeometryImage, groupOf, type PlacedGroup } from '../tree/geometry-image.ts';
import { sizeOf } from '../tree/grid.ts';
import { discOf } from '../tree/slab-tree.ts';
import { nodeOffset, treePixels } from '../tree/tree-page.ts';
import { checkGeometryImages } from './descent.ts';
import { createUnmovedMap, type GridMap, mapGrid, mapUnmoved } from './grid-map.ts';

// ------------------------------------------------------------------------------------------------- placing

// An image's record: addresses of blocks, links and charts, how many slots are over the charts or
// their roots, the root's chart; then f64.
const RECORD_BYTES = 64;
const REACH = 32 / 8;
const FINEST = 40 / 8;

const BLOCK_BYTES = 128;
/** Numbers of 32 bits. */
const BLOCK = BLOCK_BYTES / 4;
const CHART = 8;
const LINK = 4;
const NO_CHART = 0xffffffff;

/** Larger radii and farther images, steps, are left to descent.ts, so that nothing overflows. */
const LARGEST = 2 ** 40;
/** So are images whose steps differ by more. */
const LARGEST_SCALE = 2 ** 30;
/** The half thickness of lanes that hold no node: with it a plane parts them from everything. */
const NOTHING = -(2 ** 80);
const MOST_BYTES = 2 ** 30;

/** Blocks of a chart: one for each node above its quads. */
const blocksOf = (exponent: number): number => ((1 << (2 * exponent)) - 1) / 3;

/** The address of the image's record; 0 where it cannot be placed. */
function placeImage(image: GeometryImage): number {
  const known = placementOf(image);
  if (known !== undefined) return known;
  const own = kernels();
  // They may be in use: that says nothing of this image.
  if (!own) return 0;
  const record = placed(image, own.memory);
  adoptPlacement(image, record);
  return record;
}

function placed(image: GeometryImage, memory: Kernels['memory']): number {
  const over = treeOver(image);
  const overBlocks = over.members.length;
  const ofCharts = image.groups.reduce((sum, { exponent, count }) => sum + count * blocksOf(exponent), 0);
  const sizes = [
    RECORD_BYTES,
    BLOCK_BYTES * (overBlocks + ofCharts),
    4 * LINK * 4 * overBlocks,
    4 * CHART * image.charts,
    ...image.groups.map(({ geometry }) => geometry.byteLength),
  ];
  const offsets = [0];
  for (const size of sizes) offsets.push(Math.ceil((offsets.at(-1)! + size) / 64) * 64);
  const record = offsets.at(-1)! > MOST_BYTES ? 0 : allocateFor(image, offsets.at(-1)!);
  if (record === 0) return 0;
  // Only now, since the memory may have grown for it.
  const { buffer } = memory;
  const [, blocks, links, charts, ...samples] = offsets.map((offset) => record + offset);
  const into: Blocks = { numbers: new Float32Array(buffer, blocks, sizes[1] / 4), reach: 0, largest: 0 };
  writeOver(image, over, into, new Uint32Array(buffer, links, sizes[2] / 4));
  const records = new Uint32Array(buffer, charts, sizes[3] / 4);
  let block = overBlocks;
  let finest = 0;
  image.groups.forEach((group, g) => {
    const { exponent, count, geometry, firstChart, firstQuad, tree } = group;
    new Uint16Array(buffer, samples[g], geometry.length).set(geometry);
    finest = Math.max(finest, (65535 * tree.radiusSteps[exponent]) / image.step);
    for (let slot = 0; slot < count; slot++) {
      const at = CHART * (firstChart + slot);
      records[at] = block;
      records[at + 1] = exponent === 0 ? 0 : blocksOf(exponent - 1);
      records[at + 2] = samples[g] + slot * 6 * sizeOf(exponent) ** 2;
      records[at + 3] = exponent;
      records[at + 4] = firstQuad + (slot << (2 * exponent));
      records[at + 5] = over.heights[firstChart + slot];
      writeChart(group, slot, image.step, into, block);
      block += blocksOf(exponent);
    }
  });
  if (!(into.largest < LARGEST)) return 0;
  new Uint32Array(buffer, record, 5).set([blocks, links, charts, 4 * overBlocks, image.charts === 1 ? 0 : NO_CHART]);
  const numbers = new Float64Array(buffer, record, RECORD_BYTES / 8);
  numbers[REACH] = Math.max(into.reach, into.largest);
  numbers[FINEST] = finest;
  return record;
}

/** The tree over the charts, four children a node. */
interface Over {
  /** The nodes in each block: of the chart tree, or ~chart. */
  members: number[][];
  /** Of each of them the block of its children; 0 of charts. */
  below: number[][];
  /** And their deepest level. */
  depth: number[][];
  /** Levels above each chart's root. */
  heights: Uint32Array;
}

function treeOver({ charts, roots }: GeometryImage): Over {
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

/**
 * Blocks as they are filled; the largest coordinate of a centre and the largest radius so far,
 * steps.
 */
interface Blocks {
  numbers: Float32Array;
  reach: number;
  largest: number;
}

const disc = new Float64Array(8);

function writeOver(image: GeometryImage, over: Over, into: Blocks, links: Uint32Array): void {
  const { spheres } = image.roots;
  over.members.forEach((members, i) => {
    for (let k = 0; k < 4; k++) {
      const at = BLOCK * i + k;
      const link = LINK * (4 * i + k);
      if (k >= members.length) {
        // All of it: what memory is given holds anything, and a number that is none would part from
        // nothing.
        for (let number = 0; number < 8; number++) into.numbers[at + 4 * number] = 0;
        into.numbers[at + 24] = 1;
        into.numbers[at + 28] = NOTHING;
        links.fill(0, link, link + LINK);
        continue;
      }
      const node = members[k];
      links[link] = over.below[i][k];
      links[link + 1] = node < 0 ? ~node : NO_CHART;
      links[link + 2] = over.depth[i][k];
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
      writeDisc(into, at);
    }
  });
}

/** Writes the nodes of a chart below its root. */
function writeChart({ exponent, tree }: PlacedGroup, slot: number, step: number, into: Blocks, first: number): void {
  const base = slot * 4 * treePixels(exponent);
  for (let level = 1; level <= exponent; level++) {
    const firstSlot = 4 * (first + blocksOf(level - 1));
    const toGrid = tree.radiusSteps[level] / step;
    for (let row = 0; row < 1 << level; row++) {
      const o = base + nodeOffset(exponent, level, row, 0);
      const ofRow = firstSlot + 2 * spread(row);
      for (let column = 0; column < 1 << level; column++) {
        const number = ofRow + spread(column);
        discOf(tree.page, tree.slabs, o + 4 * column, tree.page[o + 4 * column + 3] * toGrid, disc);
        writeDisc(into, BLOCK * (number >> 2) + (number & 3));
      }
    }
  }
}

/** Moves bit i to 2 i. */
function spread(bits: number): number {
  let x = bits;
  x = (x | (x << 8)) & 0x00ff00ff;
  x = (x | (x << 4)) & 0x0f0f0f0f;
  x = (x | (x << 2)) & 0x33333333;
  return (x | (x << 1)) & 0x55555555;
}

/** For rounding to float32. */
const UP = 1 + 2 ** -22;

function writeDisc(into: Blocks, at: number): void {
  const { numbers } = into;
  let moved = 0;
  for (let k = 0; k < 3; k++) {
    numbers[at + 4 * k] = disc[k];
    numbers[at + 16 + 4 * k] = disc[4 + k];
    const off = numbers[at + 4 * k] - disc[k];
    moved += off * off;
    const size = Math.abs(disc[k]);
    if (!(size <= into.reach)) into.reach = largeOf(size);
  }
  moved = Math.sqrt(moved) * UP;
  const radius = (disc[3] + moved) * (1 + 2 ** -20) * UP;
  numbers[at + 12] = radius;
  numbers[at + 28] = disc[7] + moved + 2 ** -20 * radius + 2 ** -22 * Math.abs(disc[7]);
  if (!(radius <= into.largest)) into.largest = largeOf(radius);
}

/** What is no number is never forgotten for a smaller one. */
const largeOf = (x: number): number => (x >= 0 ? x : Number.POSITIVE_INFINITY);

// ------------------------------------------------------------------------------------------------- queries

// Places in the workspace, in units of what stands there: see the kernel.
const SCALE = 84 / 4;
const SLACK = 88 / 4;
const SKEW = 92 / 4;
const PARALLEL = 96 / 4;
const SIDE_A = 128 / 4;
const SIDE_B = 144 / 4;
const ALL = 160 / 4;
const CAPACITY = 164 / 4;
const PENDING = 168 / 4;
const BOUNDS = 176 / 4;
const HULLS = 180 / 4;
const DEEPEST = 184 / 4;
const GRID_A = 192 / 8;
const GRID_B = 224 / 8;
const POSE_A = 256 / 8;
const POSE_B = 352 / 8;
const MOVES = 448 / 4;
const STACK = 65536 / 4;
const CONTACTS = 131072 / 4;
const MOST_CONTACTS = (WORKSPACE_BYTES - 131072) / 8;
/**
 * The contacts of two quads: with room for no more, the search stops after each pair that has any.
 */
const FEWEST_CONTACTS = 4;

/** Two placed images and the workspace. */
interface Pair {
  a: GeometryImage;
  b: GeometryImage;
  recordA: Uint32Array;
  recordB: Uint32Array;
  reachB: number;
  /** Radii of the largest quads, steps of their grids. */
  finestA: number;
  finestB: number;
  /** Roots as balls: x, y, z and radius, steps of their grids. */
  rootA: Float32Array;
  rootB: Float32Array;
  floats: Float32Array;
  words: Uint32Array;
  doubles: Float64Array;
}

function pairOf(a: GeometryImage, b: GeometryImage, { memory, workspace }: Kernels): Pair | null {
  const [atA, atB] = [placeImage(a), placeImage(b)];
  if (atA === 0 || atB === 0) return null;
  const { buffer } = memory;
  const recordA = new Uint32Array(buffer, atA, 5);
  const recordB = new Uint32Array(buffer, atB, 5);
  const numbersA = new Float64Array(buffer, atA, RECORD_BYTES / 8);
  const numbersB = new Float64Array(buffer, atB, RECORD_BYTES / 8);
  return {
    a,
    b,
    recordA,
    recordB,
    reachB: numbersB[REACH],
    finestA: numbersA[FINEST],
    finestB: numbersB[FINEST],
    rootA: new Float32Array(buffer, recordA[0], BLOCK),
    rootB: new Float32Array(buffer, recordB[0], BLOCK),
    floats: new Float32Array(buffer, workspace, 128),
    words: new Uint32Array(buffer, workspace, WORKSPACE_BYTES / 4),
    doubles: new Float64Array(buffer, workspace, 64),
  };
}

/** What `begin` has found. */
const APART = 0;
const READY = 1;
const UNSUITED = 2;

/**
 * Writes a query to the workspace: READY, unless the roots are apart or the kernel's numbers would
 * be too coarse.
 */
function begin(pair: Pair, map: GridMap, poseA: Pose, poseB: Pose, isAll: boolean): number {
  const { a, b, floats, words, doubles, rootA, rootB, reachB } = pair;
  const { linear, shift, scale, skew, toUnit } = map;
  let squares = 0;
  let apart = 0;
  for (let i = 0; i < 3; i++) {
    let size = Math.abs(shift[i]);
    let d = shift[i] - rootA[4 * i];
    for (let k = 0; k < 3; k++) {
      const m = linear[3 * i + k];
      floats[3 * i + k] = m;
      floats[12 + 3 * i + k] = m * toUnit;
      size += Math.abs(m) * reachB;
      d += m * rootB[4 * k];
    }
    floats[9 + i] = shift[i];
    squares += size * size;
    apart += d * d;
  }
  const rounding = 2 ** -21 * Math.sqrt(squares);
  const slack = map.slack + rounding;
  const radii = rootA[12] + rootB[12] * scale + slack;
  words[BOUNDS] = 1;
  words[HULLS] = 0;
  words[DEEPEST] = 0;
  words[PENDING] = 0;
  // Radii of placed nodes are larger by 2^-20 already.
  if (apart > radii * radii) return APART;
  const isFine = rounding <= 0.25 * pair.finestA && rounding <= 0.25 * pair.finestB * scale;
  const isInRange =
    squares < LARGEST * LARGEST && slack < LARGEST && scale < LARGEST_SCALE && scale * LARGEST_SCALE > 1;
  if (!isFine || !isInRange) return UNSUITED;
  floats[SCALE] = scale * (1 + 2 ** -19) * UP;
  floats[SLACK] = slack * (1 + 2 ** -19) * UP;
  floats[SKEW] = (2 * skew + 2 ** -18) * UP;
  floats[PARALLEL] = (1 + 2 * skew + 2 ** -18) * UP;
  for (let k = 0; k < 4; k++) {
    words[SIDE_A + k] = pair.recordA[k];
    words[SIDE_B + k] = pair.recordB[k];
    doubles[GRID_A + k] = k < 3 ? a.origin[k] : a.step;
    doubles[GRID_B + k] = k < 3 ? b.origin[k] : b.step;
  }
  for (let k = 0; k < 12; k++) {
    doubles[POSE_A + k] = poseA[k];
    doubles[POSE_B + k] = poseB[k];
  }
  words[MOVES] = isIdentity(poseA) ? 0 : 1;
  words[MOVES + 1] = isIdentity(poseB) ? 0 : 1;
  words[ALL] = isAll ? 1 : 0;
  words[CAPACITY] = FEWEST_CONTACTS;
  // The two roots.
  words[STACK] = 0;
  words[STACK + 1] = pair.recordA[4];
  words[STACK + 2] = 0;
  words[STACK + 3] = pair.recordB[4];
  words[PENDING] = 16;
  return READY;
}

const kernelsOfPairs = new WeakMap<GeometryImage, WeakMap<GeometryImage, PairKernel | null>>();

/**
 * Two images, placed; undefined where there are no kernels, no memory, or what float32 does not
 * hold.
 *
 * @example kernelOfGeometryImages(bunny, blob)?.verdict(identity(), translation(0.4, 0, 0)) // 'contact'
 */
export function kernelOfGeometryImages(a: GeometryImage, b: GeometryImage): PairKernel | undefined {
  let ofA = kernelsOfPairs.get(a);
  if (!ofA) {
    ofA = new WeakMap();
    kernelsOfPairs.set(a, ofA);
  }
  let kernel = ofA.get(b);
  if (kernel === undefined) {
    const own = kernels();
    if (!own) return undefined;
    const pair = pairOf(a, b, own);
    kernel = pair && kernelOfPair(pair, own);
    ofA.set(b, kernel);
  }
  return kernel ?? undefined;
}

function kernelOfPair(pair: Pair, { functions: { slabQuery }, workspace }: Kernels): PairKernel {
  const { a, b } = pair;
  const kept = createUnmovedMap(a, b);
  return {
    // Poses of a other than the identity allocate a few small arrays.
    verdict(poseA, poseB) {
      const isOurs = kernels() !== null;
      const map = isOurs && isIdentity(poseA) ? mapUnmoved(kept, poseB) : mapGrid(a, b, poseA, poseB);
      const state = isOurs ? begin(pair, map, poseA, poseB, false) : UNSUITED;
      if (state === UNSUITED) {
        const query = { poseA, poseB, all: false, maxContacts: 1, level: null };
        return checkGeometryImages(a, b, query).verdict;
      }
      return state === READY && slabQuery(workspace) > 0 ? 'contact' : 'clear';
    },
    search(query) {
      if ((query.level ?? null) !== null || kernels() === null) return undefined;
      const map = mapGrid(a, b, query.poseA, query.poseB);
      if (begin(pair, map, query.poseA, query.poseB, query.all) === UNSUITED) return undefined;
      const { words } = pair;
      const contacts = new ContactList(query);
      let goesOn = true;
      while (words[PENDING] > 0 && goesOn) {
        const wanted = query.onContact ? 0 : query.maxContacts + 1 - contacts.count;
        words[CAPACITY] = Math.max(FEWEST_CONTACTS, Math.min(MOST_CONTACTS, wanted));
        const found = slabQuery(workspace);
        goesOn = found === 0 || whileBusy(() => addAll(words, found, contacts));
      }
      return contacts.outcome({ level: words[DEEPEST], bounds: words[BOUNDS], hulls: words[HULLS] });
    },
  };
}

/** Whether the search goes on after all that the kernel has found. */
function addAll(words: Uint32Array, found: number, contacts: ContactList): boolean {
  for (let i = CONTACTS; i < CONTACTS + 2 * found; i += 2) {
    if (!contacts.add(words[i], words[i + 1])) return false;
  }
  return true;
}
