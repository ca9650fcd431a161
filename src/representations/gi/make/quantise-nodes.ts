/**
 * Stores a bound per tree node in a gray page, laid out like the sphere page (grid.ts).
 *
 * A node's pixel times `step`, in doubles, is at least its given bound: the decoded value is
 * rounded up to a few binary digits.
 */
import type { Deviation } from '../tree/geometry-image.ts';

/** Rounds finite lengths >= 0 up to whole steps, pixel by pixel. Throws RangeError for others. */
export function quantiseNodes(lengths: Float64Array): Deviation {
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

/** Rounds up to SIGNIFICANT digits: costs queries little, saves a third of the bytes. */
function withFewDigits(units: number): number {
  const grain = 1 << Math.max(0, 32 - Math.clz32(units) - SIGNIFICANT);
  return Math.min(65535, Math.ceil(units / grain) * grain);
}

const SIGNIFICANT = 4;

/** Least number of steps not below `length`, at most 65535. */
function roundUp(length: number, step: number): number {
  if (length === 0) return 0;
  let units = Math.min(65535, Math.ceil(length / step));
  while (units * step < length) units++;
  return units;
}
