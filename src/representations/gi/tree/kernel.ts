/**
 * Fits the slabs of a level in WebAssembly (kernel.as.ts), where there is some: the bytes are those
 * of slab-tree.ts.
 *
 * A level is fitted in bands, as many rows of nodes as there is room for, so that a large chart
 * takes no more memory than a small one.
 */
import { allocate, kernels, release } from '../../../kernels/memory.ts';
import { decodeError, type Grid, sizeOf } from './grid.ts';
import { nodeOffset } from './tree-page.ts';

/** Bytes of a band: its samples, and of every node what goes in and comes out. */
const BAND_BYTES = 2 ** 22;
const SAMPLE_BYTES = 6;
const NODE_BYTES = 16;
/** The least exponent of a chart: copies of smaller ones take longer than fitting them. */
const SMALLEST = 4;

/** A chart's level at work. */
interface LevelOfChart {
  /** The chart's samples, and its page of spheres. */
  geometry: Uint16Array;
  exponent: number;
  level: number;
  page: Uint16Array;
  grid: Grid;
}

/**
 * Writes the slabs of a level of a chart; false where it is left to the caller. It is handed to
 * what builds trees, so that who only reads files with trees need not have the kernels.
 */
export type SlabFitter = (of: LevelOfChart, radiusStep: number, slabs: Uint16Array) => boolean;

/** By the kernel, where there is one. */
export const fitSlabsByKernel: SlabFitter = ({ geometry, exponent, level, page, grid }, radiusStep, slabs) => {
  const own = exponent < SMALLEST ? null : kernels();
  if (!own) return false;
  const size = sizeOf(exponent);
  const span = 1 << (exponent - level);
  const nodes = 1 << level;
  const fixed = SAMPLE_BYTES * size + 64;
  const rowBytes = SAMPLE_BYTES * size * span + NODE_BYTES * nodes;
  const atOnce = Math.min(nodes, Math.floor((BAND_BYTES - fixed) / rowBytes));
  if (atOnce < 1) return false;
  const address = allocate(fixed + atOnce * rowBytes);
  if (address === 0) return false;
  // Only now, since the memory may have grown for it.
  const { buffer } = own.memory;
  for (let first = 0; first < nodes; first += atOnce) {
    const rows = Math.min(atOnce, nodes - first);
    const from = 3 * size * span * first;
    const samples = geometry.subarray(from, from + 3 * size * (span * rows + 1));
    new Uint16Array(buffer, address, samples.length).set(samples);
    const inputs = Math.ceil((address + samples.byteLength) / 8) * 8;
    const outputs = inputs + 8 * rows * nodes;
    const spheres = new Uint16Array(buffer, inputs, 4 * rows * nodes);
    for (let row = 0; row < rows; row++) {
      const o = nodeOffset(exponent, level, first + row, 0);
      spheres.set(page.subarray(o, o + 4 * nodes), 4 * row * nodes);
    }
    own.functions.fitSlabs(
      ...[address, size, span, rows, nodes, radiusStep, grid.step, decodeError(grid), inputs, outputs],
    );
    for (let row = 0; row < rows; row++) {
      const o = nodeOffset(exponent, level, first + row, 0);
      slabs.set(new Uint16Array(buffer, outputs + 8 * row * nodes, 4 * nodes), o);
    }
  }
  release(address);
  return true;
};
