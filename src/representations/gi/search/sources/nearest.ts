/**
 * Brackets the distance between two images' sources: kernel.as.ts finds near quads, and their
 * triangles are measured here.
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
import type { DistanceBracket } from '../../../../geometry/triangle-distance.ts';
import { triangleDistanceWithin } from '../../../../geometry/triangle-distance.ts';
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
import { type Kernels, kernels } from '../../../../kernels/memory.ts';
import { movePoint, normBound, type Pose } from '../../../../math/pose.ts';
import { type Goal, type Nearest, nothingMeasured } from '../../../../query/nearest.ts';
import type { PairKernel } from '../../../../query/representation.ts';
import type { GeometryImage } from '../../tree/geometry-image.ts';
import { hullOfGeometryImage } from '../../tree/unfold.ts';
import { type GridMap, mapGrid, OUTWARD } from '../grid-map.ts';
import { LEFT, LINEAR, NEAR, PAIR_BYTES, PARALLEL, SCALE, SHIFT, SKEW, SLACK, TURN } from './layout.as.ts';
import { marginOfQuad, type PlacedDiscs, placeDiscs } from './place.ts';

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
    private readonly kernels: Kernels,
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
    if (kernels() === null || !discsA || !discsB) return undefined;
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
  const own = kernels();
  const isKnown = [a, b].every(({ source, tolerance }) => source === null && tolerance !== null);
  if (!own || !isKnown) return undefined;
  const search = new NearSources(a, b, own);
  return (poseA, poseB, goal) => search.find(poseA, poseB, goal);
}
