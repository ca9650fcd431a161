/**
 * Fits the nodes of a level in WebAssembly (kernel.as.ts) if it is available: with the bytes of
 * sphere-tree.ts and slab-tree.ts, in a third of the time. Without the kernel of balls, an update
 * of an image takes 1.4 times as long, and so does reading one without a tree.
 *
 * A level is fitted in bands, as many rows of nodes as there is room for, so that a large chart
 * takes no more memory than a small one.
 */
import { allocate, type Kernels, kernels, release } from '../../../kernels/memory.ts';
import { decodeError, type Grid, nodeOffset, sizeOf } from './grid.ts';
import { KERNEL, type KernelName } from './kernel.generated.ts';

/** Bytes of a band: its samples, and each node's input and output. */
const BAND_BYTES = 2 ** 22;
const SAMPLE_BYTES = 6;
const NODE_BYTES = 16;
/** Copying smaller charts takes longer than fitting them. */
const SMALLEST = 4;
/** Levels above quads whose balls are fitted to the vertices themselves. */
const LOWEST_LEVELS = 2;

interface LevelOfChart {
  geometry: Uint16Array;
  exponent: number;
  level: number;
  page: Uint16Array;
  grid: Grid;
}

/** Fits a level, or returns false. Passed to builders, so that mere readers need no kernels. */
export interface LevelFitter {
  /** Writes a level's centers to the page, and its radii, model units, by pixel. */
  balls(of: LevelOfChart, radii: Float64Array): boolean;
  slabs(of: LevelOfChart, radiusStep: number, slabs: Uint16Array): boolean;
}

export const kernelFitter: LevelFitter = { balls: fitBallsByKernel, slabs: fitSlabsByKernel };

/** Rows of nodes in the kernel's memory: samples, then twice 8 bytes per node. */
interface Band {
  own: Kernels<KernelName>;
  first: number;
  rows: number;
  samples: number;
  inputs: number;
  outputs: number;
}

function fitBallsByKernel(of: LevelOfChart, radii: Float64Array): boolean {
  const { exponent, level, page, grid } = of;
  if (exponent - level > LOWEST_LEVELS) return false;
  const span = 1 << (exponent - level);
  const columns = 1 << level;
  return inBands(of, ({ own, first, rows, samples, inputs, outputs }) => {
    const { buffer } = own.memory;
    const scratch = outputs + 8 * rows * columns;
    own.functions.fitBalls(
      ...[samples, sizeOf(exponent), span, rows, columns, grid.step, decodeError(grid), inputs, outputs, scratch],
    );
    for (let row = 0; row < rows; row++) {
      const o = nodeOffset(exponent, level, first + row, 0);
      page.set(new Uint16Array(buffer, inputs + 8 * row * columns, 4 * columns), o);
      radii.set(new Float64Array(buffer, outputs + 8 * row * columns, columns), o / 4);
    }
  });
}

function fitSlabsByKernel(of: LevelOfChart, radiusStep: number, slabs: Uint16Array): boolean {
  const { exponent, level, page, grid } = of;
  const span = 1 << (exponent - level);
  const columns = 1 << level;
  return inBands(of, ({ own, first, rows, samples, inputs, outputs }) => {
    const { buffer } = own.memory;
    const spheres = new Uint16Array(buffer, inputs, 4 * rows * columns);
    for (let row = 0; row < rows; row++) {
      const o = nodeOffset(exponent, level, first + row, 0);
      spheres.set(page.subarray(o, o + 4 * columns), 4 * row * columns);
    }
    own.functions.fitSlabs(
      ...[samples, sizeOf(exponent), span, rows, columns, radiusStep, grid.step, decodeError(grid), inputs, outputs],
    );
    for (let row = 0; row < rows; row++) {
      const o = nodeOffset(exponent, level, first + row, 0);
      slabs.set(new Uint16Array(buffer, outputs + 8 * row * columns, 4 * columns), o);
    }
  });
}

/** Passes a level on band by band, with samples in place; false if no band fits. */
function inBands({ geometry, exponent, level }: LevelOfChart, work: (band: Band) => void): boolean {
  const own = exponent < SMALLEST ? null : kernels(KERNEL);
  if (!own) return false;
  const size = sizeOf(exponent);
  const span = 1 << (exponent - level);
  const nodes = 1 << level;
  const fixed = SAMPLE_BYTES * size + own.functions.ballScratch() + 64;
  const most = Math.floor((BAND_BYTES - fixed) / (SAMPLE_BYTES * size * span + NODE_BYTES * nodes));
  const atOnce = Math.min(nodes, most);
  if (atOnce < 1) return false;
  const address = allocate(fixed + atOnce * (SAMPLE_BYTES * size * span + NODE_BYTES * nodes));
  if (address === 0) return false;
  try {
    // Read here, since the memory may have grown.
    const { buffer } = own.memory;
    for (let first = 0; first < nodes; first += atOnce) {
      const rows = Math.min(atOnce, nodes - first);
      const from = 3 * size * span * first;
      const samples = geometry.subarray(from, from + 3 * size * (span * rows + 1));
      new Uint16Array(buffer, address, samples.length).set(samples);
      const inputs = Math.ceil((address + samples.byteLength) / 8) * 8;
      work({ own, first, rows, samples: address, inputs, outputs: inputs + 8 * rows * nodes });
    }
  } finally {
    release(address);
  }
  return true;
}
