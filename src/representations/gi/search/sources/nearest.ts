/**
 * Brackets the distance between two images' sources: kernel.as.ts finds near quads, and their
 * triangles are measured here. The images are placed for that search, too.
 *
 * From below: sources laid on two quads are at least as far apart as their triangles, less their
 * deviations. From above: some point of a source is within `excess` of any stored one. So the
 * sources are no farther apart than the stored surfaces and both excesses. These are two searches.
 * A combined one would have to open all pairs within both tolerances, since pairs that lower one
 * bound need not lower the other. For two balls, one in the other, that took 20 s.
 *
 * Each ends when nothing can narrow the bracket by more than FINE of the tolerances. The comparison
 * with the clearance does not depend on it.
 */

import { derived } from '../../../../engine/asset-cache.ts';
import { type Goal, type Nearest, nothingMeasured } from '../../../../engine/records.ts';
import type { PairKernel } from '../../../../engine/representation.ts';
import { type DistanceBracket, triangleDistanceWithin } from '../../../../geometry/triangle-distance.ts';
import {
  CONTACTS,
  ENDED,
  LEAST_SQUARED,
  QUERY,
  RESULT,
  STACK,
  STATE,
  TURN as TURN_OF_SEARCH,
  WORKSPACE_BYTES,
} from '../../../../kernels/layout.as.ts';
import { allocateFor, type Kernels, kernelMemory, kernels } from '../../../../kernels/memory.ts';
import { movePoint, normBound, type Pose } from '../../../../math/pose.ts';
import {
  type Deviation,
  type GeometryImage,
  groupOf,
  groupOfQuad,
  type PlacedGroup,
} from '../../tree/geometry-image.ts';
import { nodeOffset, treePixels } from '../../tree/grid.ts';
import { discOf } from '../../tree/slab-tree.ts';
import { hullOfGeometryImage } from '../../tree/unfold.ts';
import { LANES, type Lanes, NOTHING, placeImage, spread, treeOver, writeDisc } from '../kernel.ts';
import { BLOCKS, CHART_BYTES, CHARTS, FIRST_BLOCK, HALVES, OVER, RECORD_BYTES } from '../layout.as.ts';
import { type GridMap, mapGrid, OUTWARD } from '../pages.ts';
import { KERNEL, type KernelName } from './kernel.generated.ts';
import { DISCS_BYTES, LEFT, LINEAR, NEAR, PAIR_BYTES, PARALLEL, SCALE, SHIFT, SKEW, SLACK, TURN } from './layout.as.ts';

/** Acceptable excess width of a bracket, relative to both tolerances. */
const FINE = 2 ** -5;
/** Above this many pairs of triangles, 200 ns each, FINE grows with their number, up to 1. */
const MANY = 2 ** 10;
/** Steps of the kernel, some 100 ns each, between readings of the clock. */
const STEPS_A_LOOK = 512;
/** For rounding to float32, and as in ../kernel.as.ts. */
const UP = 1 + 2 ** -22;
const RAISED = 1 + 2 ** -19;
const COARSE = 2 ** -18;
const ROUNDING = 2 ** -21;
/** Farther images, and greater ratios of steps, are left to the common engine. */
const LARGEST = 2 ** 40;
const LARGEST_SCALE = 2 ** 30;
/** For rounding of sums and differences with margins. */
const DOWN = 1 - 2 ** -50;

const FIRST_FLOAT = QUERY / 4;
const FOUND = RESULT / 8;
const LEFT_OUT = (RESULT + LEFT) / 4;
const NEAR_BY = (RESULT + NEAR) / 4;
const PAIR = PAIR_BYTES / 4;
const ENTRY = 6;
const GAP_OF_ENTRY = 4;

const bracket: DistanceBracket = { lower: 0, upper: 0, onA: new Float64Array(3), onB: new Float64Array(3) };
const beyond = new Float64Array(1);
const corner = new Float64Array(9);

class Quads {
  readonly triangles = new Float64Array(18);
  quad = -1;
  margin = 0;

  constructor(
    private readonly image: GeometryImage,
    private readonly pose: Pose,
  ) {}

  load(quad: number): void {
    if (quad === this.quad) return;
    this.quad = quad;
    this.margin = marginOfQuad(this.image, quad);
    for (let half = 0; half < 2; half++) {
      hullOfGeometryImage(this.image, 2 * quad + half, corner);
      for (let k = 0; k < 9; k += 3)
        movePoint(this.pose, corner[k], corner[k + 1], corner[k + 2], this.triangles, 9 * half + k);
    }
  }
}

class NearSources {
  private readonly doubles: Float64Array;
  private readonly floats: Float32Array;
  private readonly words: Uint32Array;
  private nearest: Nearest = nothingMeasured();
  private map!: GridMap;
  /** Least length of a step of a's grid in the common frame. */
  private unit = 0;
  private quadsA!: Quads;
  private quadsB!: Quads;
  /** Bound on both sources' distances from the stored surfaces. */
  private tolerance = 0;
  private lower = 0;

  constructor(
    private readonly a: GeometryImage,
    private readonly b: GeometryImage,
    private readonly kernels: Kernels<KernelName>,
  ) {
    const { memory, workspace } = kernels;
    this.doubles = new Float64Array(memory.buffer, workspace, WORKSPACE_BYTES / 8);
    this.floats = new Float32Array(memory.buffer, workspace, WORKSPACE_BYTES / 4);
    this.words = new Uint32Array(memory.buffer, workspace, WORKSPACE_BYTES / 4);
    // All searches read it, though this one counts its steps differently.
    this.doubles[TURN_OF_SEARCH / 8] = 0;
  }

  find(poseA: Pose, poseB: Pose, goal: Goal): Nearest | undefined {
    const { a, b } = this;
    const [discsA, discsB] = [placeDiscs(a, 'source'), placeDiscs(b, 'source')];
    if (kernelMemory() === null || !discsA || !discsB) return undefined;
    this.map = mapGrid(a, b, poseA, poseB);
    if (!this.writeMap(discsA, discsB)) return undefined;
    const [normA, normB] = [normBound(poseA), normBound(poseB)];
    const [ofA, ofB] = [a.tolerance!, b.tolerance!];
    const nearest = nothingMeasured();
    this.nearest = nearest;
    this.quadsA = new Quads(a, poseA);
    this.quadsB = new Quads(b, poseB);
    this.tolerance = normA * ofA.missing + normB * ofB.missing;
    this.lower = Number.POSITIVE_INFINITY;
    nearest.isComplete = false;
    const left = this.descend(discsA, discsB, goal, this.fromBelow);
    nearest.lower = Math.max(0, Math.min(this.lower, left));
    const stored = goal.distance ? [placeDiscs(a, 'stored'), placeDiscs(b, 'stored')] : [];
    if (stored[0] && stored[1]) this.descend(stored[0], stored[1], goal, this.fromAbove);
    const excess = normA * ofA.excess + normB * ofB.excess;
    nearest.upper = (nearest.upper + excess) * OUTWARD;
    nearest.measured = nearest.upper;
    nearest.lower = Math.min(nearest.lower, nearest.upper);
    nearest.isApart = nearest.lower > 0;
    return nearest;
  }

  private writeMap(discsA: PlacedDiscs, discsB: PlacedDiscs): boolean {
    const { floats, map } = this;
    const { linear, shift, toUnit, skew, scale } = map;
    let squares = 0;
    for (let i = 0; i < 3; i++) {
      let size = 0;
      for (let k = 3 * i; k < 3 * i + 3; k++) {
        floats[FIRST_FLOAT + LINEAR / 4 + k] = linear[k];
        floats[FIRST_FLOAT + TURN / 4 + k] = linear[k] * toUnit;
        size += Math.abs(linear[k]);
      }
      floats[FIRST_FLOAT + SHIFT / 4 + i] = shift[i];
      size = Math.abs(shift[i]) + size * discsB.reach;
      squares += size * size;
    }
    const rounding = ROUNDING * Math.sqrt(squares);
    const slack = map.slack + rounding;
    floats[FIRST_FLOAT + SCALE / 4] = scale * RAISED * UP;
    floats[FIRST_FLOAT + SLACK / 4] = slack * RAISED * UP;
    floats[FIRST_FLOAT + SKEW / 4] = (2 * skew + COARSE) * UP;
    floats[FIRST_FLOAT + PARALLEL / 4] = (1 + 2 * skew + COARSE) * UP;
    this.unit = map.toCommonLeast * (1 - 2 ** -16 - 4 * skew);
    const isFine = rounding <= 0.25 * discsA.finest && rounding <= 0.25 * discsB.finest * scale;
    const isInRange = squares < LARGEST * LARGEST && slack > LEAST_SQUARED && slack < LARGEST;
    return isFine && isInRange && scale < LARGEST_SCALE && scale * LARGEST_SCALE > 1;
  }

  /** Measures near quads until the rest is irrelevant; returns the least distance of the rest. */
  private descend(discsA: PlacedDiscs, discsB: PlacedDiscs, goal: Goal, by: Way): number {
    const { doubles, floats, nearest, unit } = this;
    const { nearQuads, nearQuadsResume } = this.kernels.functions;
    const { workspace } = this.kernels;
    let left = Number.POSITIVE_INFINITY;
    const limit = (): number => (by.limit(goal) / unit) * UP;
    let state = nearQuads(discsA.record, discsB.record, workspace, limit(), STEPS_A_LOOK);
    for (;;) {
      const end = CONTACTS / 4 + PAIR * doubles[FOUND];
      for (let at = CONTACTS / 4; at < end; at += PAIR) {
        const gap = floats[at + 2];
        if (by.isDone(goal) || (gap > 0 && gap >= limit())) left = Math.min(left, gap);
        else this.measure(this.words[at], this.words[at + 1], gap, by, goal);
      }
      if (state === ENDED || by.isDone(goal)) break;
      if (goal.deadline < Number.POSITIVE_INFINITY && performance.now() >= goal.deadline) break;
      state = nearQuadsResume(workspace, limit(), STEPS_A_LOOK);
    }
    nearest.level = Math.max(nearest.level, doubles[FOUND + 3]);
    nearest.tests.bounds += doubles[FOUND + 1];
    const near = (floats[NEAR_BY] * (1 + COARSE) + this.map.slack) * this.map.toCommon;
    nearest.upper = Math.min(nearest.upper, near);
    return Math.max(0, Math.min(left, floats[LEFT_OUT], this.leastPending())) * unit;
  }

  private measure(quadA: number, quadB: number, gap: number, by: Way, goal: Goal): void {
    const { quadsA, quadsB, nearest } = this;
    quadsA.load(quadA);
    quadsB.load(quadB);
    const margin = by.hasMargins ? this.marginOf(quadsA, quadsB) : 0;
    const apart = Math.max(0, gap * this.unit);
    for (let i = 0; i < 4; i++) {
      nearest.tests.hulls++;
      beyond[0] = by.limit(goal) + margin;
      triangleDistanceWithin(quadsA.triangles, 9 * (i >> 1), quadsB.triangles, 9 * (i & 1), bracket, beyond);
      if (by.hasMargins) this.lower = Math.min(this.lower, Math.max(apart, (bracket.lower - margin) * DOWN));
      if (bracket.upper >= nearest.measured) continue;
      nearest.measured = bracket.upper;
      nearest.upper = Math.min(nearest.upper, bracket.upper);
      nearest.a = 2 * quadA + (i >> 1);
      nearest.b = 2 * quadB + (i & 1);
      nearest.onA.set(bracket.onA);
      nearest.onB.set(bracket.onB);
    }
  }

  /** Acceptable error of the upper bound; it grows with the number of measurements. */
  private get spare(): number {
    return Math.min(1, FINE * Math.max(1, this.nearest.tests.hulls / MANY)) * this.tolerance;
  }

  private marginOf(quadsA: Quads, quadsB: Quads): number {
    const { map, a } = this;
    return ((quadsA.margin + quadsB.margin * map.norm) * (OUTWARD / a.step) + map.slack) * map.toCommon * OUTWARD;
  }

  private leastPending(): number {
    let least = Number.POSITIVE_INFINITY;
    const end = (STACK + this.words[STATE / 4]) / 4;
    for (let at = STACK / 4 + GAP_OF_ENTRY; at < end; at += ENTRY) least = Math.min(least, this.floats[at]);
    return least;
  }

  private readonly fromBelow: Way = {
    hasMargins: true,
    isDone: ({ distance, clearance }) => this.lower <= (distance ? 0 : clearance),
    limit: ({ distance, clearance }) => {
      if (!distance) return clearance;
      const limit = this.lower - FINE * this.tolerance;
      return this.lower > clearance ? Math.max(limit, clearance) : Math.max(0, limit);
    },
  };

  private readonly fromAbove: Way = {
    hasMargins: false,
    isDone: () => this.nearest.upper <= this.spare,
    limit: () => Math.max(0, this.nearest.upper - this.spare),
  };
}

interface Way {
  hasMargins: boolean;
  isDone(goal: Goal): boolean;
  /** Greater distances are irrelevant. */
  limit(goal: Goal): number;
}

/** Undefined without kernels, or if an image has no tolerance. */
export function nearestSources(a: GeometryImage, b: GeometryImage): PairKernel['nearest'] {
  const own = kernels(KERNEL);
  const isKnown = [a, b].every(({ source, tolerance }) => source === null && tolerance !== null);
  if (!own || !isKnown) return undefined;
  const search = new NearSources(a, b, own);
  return (poseA, poseB, goal) => search.find(poseA, poseB, goal);
}

/*
 * Places a geometry image for the search of near quads (kernel.as.ts): its stored surface or its
 * source, as float32 disks, beside the data placed for contacts.
 *
 * A disk around a node's triangles (../../tree/slab-tree.ts) is enlarged by the largest deviation
 * of the quads below. Then it holds the source laid on these quads. Its radius is at most the
 * sphere's, plus the page's deviation beyond that, plus the distance of the two centers. Without a
 * page, the whole image's bound is used for all quads. Then it refers to the nearest triangles of
 * all, so it enlarges every node and is every margin.
 *
 * Rounding outward: proved in ../kernel.ts.
 */

interface PlacedDiscs {
  /** Address of a record as in ../layout.as.ts, but with these blocks. */
  record: number;
  /** Steps: the largest coordinate of a center, or radius; the largest quad's radius. */
  reach: number;
  finest: number;
}

const NUMBERS = DISCS_BYTES / 4;
const storedDiscs = /* @__PURE__ */ derived<GeometryImage, PlacedDiscs | null>();
const sourceDiscs = /* @__PURE__ */ derived<GeometryImage, PlacedDiscs | null>();

/** @param surface the surface inside the disks: the image's own, or its source */
function placeDiscs(image: GeometryImage, surface: 'stored' | 'source'): PlacedDiscs | null {
  const known = surface === 'source' ? sourceDiscs : storedDiscs;
  let placed = known.get(image);
  if (placed === undefined) {
    // The kernels may be in use; this says nothing about the image.
    if (!kernelMemory()) return null;
    placed = write(image, surface);
    known.set(image, placed);
  }
  return placed;
}

/** True if each quad's own bound is known. */
const knowsDeviations = ({ groups }: GeometryImage): boolean => groups.every(({ deviation }) => deviation !== null);

const largestMargin = (image: GeometryImage): number =>
  knowsDeviations(image)
    ? Math.max(...image.groups.map(({ deviation }) => 65535 * deviation!.step))
    : (image.tolerance?.missing ?? Number.POSITIVE_INFINITY);

function marginOfQuad(image: GeometryImage, quad: number): number {
  if (!knowsDeviations(image)) return largestMargin(image);
  const { exponent, deviation, firstQuad } = groupOfQuad(image, quad);
  const own = quad - firstQuad;
  const row = (own >> exponent) & ((1 << exponent) - 1);
  const column = own & ((1 << exponent) - 1);
  const pixel = (own >> (2 * exponent)) * treePixels(exponent) + nodeOffset(exponent, exponent, row, column) / 4;
  return deviation!.page[pixel] * deviation!.step;
}

type Discs = PlacedDiscs & Lanes;

function write(image: GeometryImage, surface: 'stored' | 'source'): PlacedDiscs | null {
  const ofSource = surface === 'source';
  const plain = placeImage(image);
  const own = kernels(KERNEL);
  if (plain === 0 || !own) return null;
  const blocks = blocksOf(image, own.memory, plain);
  // Not the image's own record: that placement may move (movePlacement).
  const placed: PlacedDiscs = { record: 0, reach: 0, finest: 0 };
  const record = allocateFor(placed, RECORD_BYTES + DISCS_BYTES * blocks);
  if (record === 0) return null;
  const { buffer } = own.memory;
  new Uint8Array(buffer, record, RECORD_BYTES).set(new Uint8Array(buffer, plain, RECORD_BYTES));
  const first = record + RECORD_BYTES;
  new DataView(buffer, record, RECORD_BYTES).setUint32(BLOCKS, first, true);
  const numbers = new Float32Array(buffer, first, (DISCS_BYTES / 4) * blocks);
  const discs: Discs = { ...placed, numbers, largest: 0 };
  writeOver(image, ofSource ? largestMargin(image) / image.step : 0, discs);
  const records = new Uint32Array(buffer, new DataView(buffer, plain, RECORD_BYTES).getUint32(CHARTS, true));
  for (const group of image.groups) {
    const margins = ofSource ? marginsOf(image, group) : null;
    for (let slot = 0; slot < group.count; slot++) {
      const block = records[(CHART_BYTES * (group.firstChart + slot) + FIRST_BLOCK) / 4];
      writeChart(group, slot, image.step, margins, discs, block);
    }
  }
  const { reach, finest, largest } = discs;
  return largest < LARGEST ? Object.assign(placed, { record, reach: Math.max(reach, largest), finest }) : null;
}

function blocksOf({ groups }: GeometryImage, { buffer }: WebAssembly.Memory, record: number): number {
  const over = new DataView(buffer, record, RECORD_BYTES).getUint32(OVER, true) / LANES;
  return groups.reduce((sum, { exponent, count }) => sum + (count * (4 ** exponent - 1)) / 3, over);
}

interface Margins {
  /** By pixel: largest distance of the source on any quad below from that quad's triangles. */
  margins: Float64Array;
  /** Distance beyond a node's sphere, if the pages have it. */
  outside: Deviation | null;
}

function marginsOf(image: GeometryImage, { exponent, count, deviation }: PlacedGroup): Margins {
  const pixels = treePixels(exponent);
  const margins = new Float64Array(count * pixels);
  if (!deviation || !knowsDeviations(image)) return { margins: margins.fill(largestMargin(image)), outside: null };
  for (let slot = 0; slot < count; slot++) {
    const at = (level: number, row: number): number => slot * pixels + nodeOffset(exponent, level, row, 0) / 4;
    for (let row = 0; row < 1 << exponent; row++) {
      const first = at(exponent, row);
      for (let i = first; i < first + (1 << exponent); i++) margins[i] = deviation.page[i] * deviation.step;
    }
    for (let level = exponent - 1; level >= 0; level--) {
      for (let row = 0; row < 1 << level; row++) {
        const [to, upper, lower] = [at(level, row), at(level + 1, 2 * row), at(level + 1, 2 * row + 1)];
        for (let i = 0; i < 1 << level; i++) {
          const k = 2 * i;
          const most = Math.max(margins[upper + k], margins[upper + k + 1]);
          margins[to + i] = Math.max(most, margins[lower + k], margins[lower + k + 1]);
        }
      }
    }
  }
  return { margins, outside: deviation };
}

const disc = new Float64Array(8);

function writeOver(image: GeometryImage, beyond: number, into: Discs): void {
  const { spheres } = image.roots;
  treeOver(image).members.forEach((members, i) => {
    for (let k = 0; k < LANES; k++) {
      const at = NUMBERS * i + k;
      if (k >= members.length) {
        writeNothing(into, at);
        continue;
      }
      const node = members[k];
      if (node < 0) {
        const { tree, exponent, firstChart } = groupOf(image, ~node);
        const o = (~node - firstChart) * 4 * treePixels(exponent) + nodeOffset(exponent, 0, 0, 0);
        const radius = (tree.page[o + 3] * tree.radiusSteps[0]) / image.step;
        discOf(tree.page, tree.slabs, o, radius, disc);
        if (exponent === 0) into.finest = Math.max(into.finest, radius);
      } else {
        disc.fill(0);
        for (let a = 0; a < 3; a++) disc[a] = spheres[4 * node + a];
        disc[6] = 1;
        disc[3] = disc[7] = spheres[4 * node + 3] / image.step;
      }
      writeDisc(into, at, disc, disc[3] + beyond, thick(disc[7] + beyond));
    }
  });
}

function writeChart(
  { exponent, tree }: PlacedGroup,
  slot: number,
  step: number,
  of: Margins | null,
  into: Discs,
  first: number,
): void {
  const base = slot * 4 * treePixels(exponent);
  for (let level = 1; level <= exponent; level++) {
    const firstSlot = LANES * (first + (4 ** (level - 1) - 1) / 3);
    const toGrid = tree.radiusSteps[level] / step;
    for (let row = 0; row < 1 << level; row++) {
      const o = base + nodeOffset(exponent, level, row, 0);
      const ofRow = firstSlot + 2 * spread(row);
      for (let column = 0; column < 1 << level; column++) {
        const number = ofRow + spread(column);
        const pixel = o + 4 * column;
        const sphere = tree.page[pixel + 3] * toGrid;
        discOf(tree.page, tree.slabs, pixel, sphere, disc);
        const margin = of ? of.margins[pixel >> 2] / step : 0;
        let radius = disc[3] + margin;
        if (of?.outside) {
          const outside = (of.outside.page[pixel >> 2] * of.outside.step) / step;
          radius = Math.min(radius, sphere + outside + movedFrom(tree.page, pixel));
        }
        if (level === exponent) into.finest = Math.max(into.finest, sphere);
        writeDisc(into, NUMBERS * (number >> 2) + (number & 3), disc, radius, thick(disc[7] + margin));
      }
    }
  }
}

function movedFrom(page: Uint16Array, o: number): number {
  const x = disc[0] - page[o];
  const y = disc[1] - page[o + 1];
  const z = disc[2] - page[o + 2];
  return Math.sqrt(x * x + y * y + z * z) * (1 + 2 ** -40);
}

/** A damaged file may have its planes reversed. */
const thick = (half: number): number => Math.max(0, half);

function writeNothing({ numbers }: Discs, at: number): void {
  for (let number = 0; number < NUMBERS; number += LANES) numbers[at + number] = 0;
  numbers[at + HALVES / 4] = NOTHING;
}
