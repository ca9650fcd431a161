/**
 * Walks overlays in WebAssembly (kernel.as.ts) if it is available: with the bits of overlay.ts, in
 * half of the time.
 *
 * A chart's arrays are in the kernel's memory during its walk. Its source goes through that memory
 * in batches, so a large mesh takes no more of it than a small one.
 */
import { runBuild, type Workshop } from '../../../kernels/memory.ts';
import type { SphereTree } from '../tree/grid.ts';
import { KERNEL, type KernelName } from './kernel.generated.ts';
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
  return runBuild(KERNEL, (workshop) => {
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
  { memory, functions, hold }: Workshop<KernelName>,
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
