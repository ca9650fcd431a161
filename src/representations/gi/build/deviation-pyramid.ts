/**
 * A bound per quad becomes a bound per node of the image's tree: one grey page, laid out as the
 * sphere page is (tree-page.ts).
 *
 * A node's pixel times `step`, in doubles, is at least the bound that it was given, rounded up on
 * the decoded value to a few binary digits. Where a node has the greatest of its quads' bounds, one
 * step serves all levels, since each level's greatest is the image's; and as rounding up is
 * monotone, no decoded value is below those of the node's children.
 */
import { nodeOffset, treeHeight, treeWidth } from '../tree/tree-page.ts';

export interface DeviationPyramid {
  /** One sample a pixel, treeWidth x treeHeight; 0 where no node has its place. */
  page: Uint16Array;
  /** Model units a unit of the page. */
  step: number;
}

/** Index in `page` of the node (row, column) of a level. */
export const deviationOffset = (exponent: number, level: number, row: number, column: number): number =>
  nodeOffset(exponent, level, row, column) / 4;

/**
 * @param bounds per quad, row by row: finite, not negative
 * @throws RangeError where a bound is neither
 * @example const { page, step } = deviationPyramid(overlay.missing, 8);
 *          page[deviationOffset(8, 0, 0, 0)] * step // at least every bound
 */
export function deviationPyramid(bounds: Float64Array, exponent: number): DeviationPyramid {
  const quads = 1 << exponent;
  if (bounds.length !== quads * quads) throw new RangeError(`expected ${quads * quads} bounds, found ${bounds.length}`);
  const nodes = new Float64Array(treeWidth(exponent) * treeHeight(exponent));
  for (let row = 0; row < quads; row++) {
    const first = deviationOffset(exponent, exponent, row, 0);
    for (let column = 0; column < quads; column++) nodes[first + column] = bounds[row * quads + column];
  }
  for (let level = exponent - 1; level >= 0; level--) {
    for (let row = 0; row < 1 << level; row++) {
      const to = deviationOffset(exponent, level, row, 0);
      const above = deviationOffset(exponent, level + 1, 2 * row, 0);
      const below = deviationOffset(exponent, level + 1, 2 * row + 1, 0);
      for (let column = 0; column < 1 << level; column++) {
        const k = 2 * column;
        nodes[to + column] = Math.max(nodes[above + k], nodes[above + k + 1], nodes[below + k], nodes[below + k + 1]);
      }
    }
  }
  return quantiseNodes(nodes);
}

/**
 * Rounds lengths up to whole steps, pixel by pixel: what an overlay finds outside of the spheres,
 * as it lies.
 *
 * @param lengths per pixel: finite, not negative
 * @throws RangeError where a length is neither
 * @example const { page, step } = quantiseNodes(overlay.outside);
 */
export function quantiseNodes(lengths: Float64Array): DeviationPyramid {
  let largest = 0;
  for (let i = 0; i < lengths.length; i++) {
    if (!(lengths[i] >= 0 && lengths[i] < Number.POSITIVE_INFINITY)) {
      throw new RangeError(`expected a length at pixel ${i}, found ${lengths[i]}`);
    }
    if (lengths[i] > largest) largest = lengths[i];
  }
  let step = largest / 65535;
  while (65535 * step < largest) step = step * (1 + 2 ** -52) + Number.MIN_VALUE;
  const page = new Uint16Array(lengths.length);
  for (let i = 0; i < lengths.length; i++) page[i] = withFewDigits(roundUp(lengths[i], step));
  return { page, step };
}

/**
 * Rounded up to SIGNIFICANT binary digits, which keeps their order: a bound that is up to an eighth
 * larger costs a query little, and the page takes a third fewer bytes.
 */
function withFewDigits(units: number): number {
  const grain = 2 ** Math.max(0, 32 - Math.clz32(units) - SIGNIFICANT);
  return Math.min(65535, Math.ceil(units / grain) * grain);
}

const SIGNIFICANT = 4;

/** The least whole number of steps that is no less than a length of up to 65535 of them. */
function roundUp(length: number, step: number): number {
  if (length === 0) return 0;
  let units = Math.min(65535, Math.ceil(length / step));
  while (units * step < length) units++;
  return units;
}
