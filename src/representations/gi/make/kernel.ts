/**
 * Walks overlays and fits samples in WebAssembly (kernel.as.ts), where there is some: the bits are
 * those of overlay.ts and fit.ts, in half of the time.
 *
 * A chart's arrays are in the kernel's memory during its walk, its source goes through it in
 * batches: a large mesh takes no more of that memory than a small one. So do fine samples.
 */
import { runBuild, type Workshop } from '../../../kernels/memory.ts';
import type { SphereTree } from '../tree/grid.ts';
import { createSquareImages, findSquareImages } from './resample.ts';

/** Arrays as in `Overlay`, zeros to begin with. */
export interface OverlayArrays {
  chart: { exponent: number; geometry: Uint16Array; origin: ArrayLike<number>; step: number };
  isDown: Uint8Array;
  missing: Float64Array;
  excess: Float64Array;
  bySource: Float64Array;
  spheres: SphereTree | null;
  outside: Float64Array | null;
}

interface WalkedSource {
  positions: Float64Array;
  triangles: ArrayLike<number>;
  corners: Float64Array;
  folded: boolean;
}

/** Copying smaller charts takes longer than their walk; larger ones would fill the memory. */
const SMALLEST = 3;
const LARGEST = 10;
const BATCH = 1024;
/** Numbers of an image: its corners, and its triangle's. */
const IMAGE = 15;

/**
 * Fills a chart's arrays.
 *
 * @returns null if an image of a triangle is too wide; undefined, with nothing done, if there is no
 *   kernel for this chart
 */
export function walkInKernel(
  arrays: OverlayArrays,
  source: WalkedSource,
): { pieces: number; area: number } | null | undefined {
  const { exponent } = arrays.chart;
  if (exponent < SMALLEST || exponent > LARGEST) return undefined;
  return runBuild((workshop) => {
    const { memory, functions, hold, put } = workshop;
    const { chart, isDown, missing, excess, bySource, spheres, outside } = arrays;
    const into = [missing, excess, ...(outside ? [outside] : [])].map((array) => ({ array, at: put(array) }));
    functions.beginOverlay(
      put(chart.geometry),
      put(isDown),
      into[0].at,
      into[1].at,
      spheres ? put(spheres.page) : 0,
      spheres ? put(spheres.radiusSteps) : 0,
      outside ? into[2].at : 0,
      exponent,
      chart.origin[0],
      chart.origin[1],
      chart.origin[2],
      chart.step,
      hold(functions.overlayScratch()),
    );
    if (!walkBatches(workshop, source, bySource)) return null;
    for (const { array, at } of into) array.set(new Float64Array(memory.buffer, at, array.length));
    return { pieces: functions.overlayPieces(), area: functions.overlayArea() };
  });
}

function walkBatches(
  { memory, functions, hold }: Workshop,
  { positions, triangles, corners, folded }: WalkedSource,
  bySource: Float64Array,
): boolean {
  const at = hold(8 * IMAGE * BATCH);
  const distances = hold(8 * BATCH);
  const inMemory = new Float64Array(memory.buffer, at, IMAGE * BATCH);
  const results = new Float64Array(memory.buffer, distances, BATCH);
  const triangleOf = new Int32Array(BATCH);
  const images = createSquareImages();
  let count = 0;
  const flush = (): boolean => {
    if (functions.walkOverlay(at, count, distances) === 0) return false;
    for (let i = 0; i < count; i++) if (results[i] > bySource[triangleOf[i]]) bySource[triangleOf[i]] = results[i];
    count = 0;
    return true;
  };
  for (let t = 0; t < bySource.length; t++) {
    if (folded) {
      findSquareImages(corners, 6 * t, images);
    } else {
      images.count = 1;
      for (let k = 0; k < 6; k++) images.corners[k] = corners[6 * t + k];
    }
    for (let image = 0; image < images.count; image++) {
      const to = IMAGE * count;
      for (let k = 0; k < 6; k++) inMemory[to + k] = images.corners[6 * image + k];
      for (let k = 0; k < 3; k++) {
        const v = 3 * triangles[3 * t + k];
        inMemory[to + 6 + 3 * k] = positions[v];
        inMemory[to + 7 + 3 * k] = positions[v + 1];
        inMemory[to + 8 + 3 * k] = positions[v + 2];
      }
      triangleOf[count++] = t;
      if (count === BATCH && !flush()) return false;
    }
  }
  return flush();
}

/** One chart's part of a fit, as in fit.ts. */
interface FittedPart {
  size: number;
  positions: Float64Array;
  fine: { size: number; positions: Float64Array } | null;
  splits: Uint8Array;
}

interface FitOptions {
  shared: { first: Int32Array; owner: Int32Array; stays: Uint8Array };
  /** Weight that holds a sample in place, relative to the area of a quad. */
  hold: number;
  steps: number;
}

/** Numbers per sample: see fit.ts. */
const NUMBERS = 24;
/** Larger images would fill the memory: 320 bytes a sample. */
const MOST_SAMPLES = 300_000;

/** Returns the moves of a fit's samples; undefined if there is no kernel for it. */
export function fitInKernel(charts: readonly FittedPart[], options: FitOptions): Float64Array | undefined {
  const { first, owner, stays } = options.shared;
  const count = owner.length;
  if (count > MOST_SAMPLES) return undefined;
  return runBuild((workshop): Float64Array => {
    const { memory, functions, hold, put, giveBack } = workshop;
    const zeros = (length: number): number => {
      const at = hold(8 * length);
      new Float64Array(memory.buffer, at, length).fill(0);
      return at;
    };
    const matrices = zeros(NUMBERS * count);
    const right = zeros(3 * count);
    const owners = put(owner);
    const atFirsts: number[] = [];
    const splits = hold(charts.reduce((sum, chart) => sum + chart.splits.length, 0));
    let ofSplits = 0;
    charts.forEach((chart, i) => {
      if (!chart.fine) return;
      new Uint8Array(memory.buffer, splits + ofSplits, chart.splits.length).set(chart.splits);
      atFirsts.push(first[i], chart.size, ofSplits);
      const positions = put(chart.positions);
      gatherChart(workshop, chart, { positions, splits: splits + ofSplits, owners, matrices, right, first: first[i] });
      giveBack(positions);
      ofSplits += chart.splits.length;
      const weight = (options.hold * functions.gatherTotal()) / (chart.size - 1) ** 2;
      const own = new Float64Array(memory.buffer, matrices, NUMBERS * count);
      for (let g = first[i]; g < first[i] + chart.size ** 2; g++) {
        if (owner[g] !== g) continue;
        own[NUMBERS * g] += weight;
        own[NUMBERS * g + 3] += weight;
        own[NUMBERS * g + 5] += weight;
      }
    });
    const forces = new Float64Array(memory.buffer, right, 3 * count);
    for (let g = 0; g < count; g++) if (stays[g] === 1) forces.fill(0, 3 * g, 3 * g + 3);
    const weights = hold(8 * count);
    const [own, traces] = [
      new Float64Array(memory.buffer, matrices, NUMBERS * count),
      new Float64Array(memory.buffer, weights, count),
    ];
    for (let g = 0; g < count; g++) traces[g] = own[NUMBERS * g] + own[NUMBERS * g + 3] + own[NUMBERS * g + 5];
    const moves = zeros(3 * count);
    functions.solveFit(
      ...[matrices, owners, put(stays), put(Int32Array.from(atFirsts)), atFirsts.length / 3, splits, weights],
      ...[right, moves, hold(3 * 24 * count), count, options.steps],
    );
    return new Float64Array(memory.buffer, moves, 3 * count).slice();
  });
}

interface GatherPlaces {
  positions: number;
  splits: number;
  owners: number;
  matrices: number;
  right: number;
  first: number;
}

/** Gathers a chart row by row, with the fine samples of a row at a time. */
function gatherChart({ memory, functions, hold, giveBack }: Workshop, chart: FittedPart, at: GatherPlaces): void {
  const { size } = chart;
  const fine = chart.fine!;
  const parts = (fine.size - 1) / (size - 1);
  const atFine = hold(24 * fine.size * (parts + 3));
  functions.clearGather();
  for (let row = 0; row < size - 1; row++) {
    const top = Math.max(0, row * parts - 1);
    const end = Math.min(fine.size, (row + 1) * parts + 2);
    const rows = fine.positions.subarray(3 * fine.size * top, 3 * fine.size * end);
    new Float64Array(memory.buffer, atFine, rows.length).set(rows);
    functions.gatherRow(
      ...[atFine, top, fine.size, parts, row, size, at.positions, at.splits],
      ...[at.owners + 4 * at.first, at.matrices, at.right, at.first],
    );
  }
  giveBack(atFine);
}
