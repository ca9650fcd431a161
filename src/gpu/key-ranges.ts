/** Splits bricks by ranges of their keys, so that each range fits into a buffer. */
import { GpuError } from '../base/errors.ts';

/** The upper varying bits cut the keys into 2^PART_BITS parts. Ranges consist of these. */
const PART_BITS = 16;

export function varyingBits(keys: Uint32Array): [number, number] {
  let [low, high] = [0, 0];
  for (let k = 2; k < keys.length; k += 2) {
    low |= keys[k] ^ keys[0];
    high |= keys[k + 1] ^ keys[1];
  }
  return [low, high];
}

/**
 * Returns the numbers of the keys in each range, ascending; ranges are in the order of their keys.
 *
 * @param keys two words of 30 bits each, the low one first
 * @param most largest number of keys in a range
 * @throws GpuError if more keys have the same upper bits
 */
export function keyRanges(keys: Uint32Array, most: number): Uint32Array[] {
  const count = keys.length / 2;
  const [low, high] = varyingBits(keys);
  const top = high === 0 ? 32 - Math.clz32(low) : 62 - Math.clz32(high);
  const shift = Math.max(0, top - PART_BITS);
  const partOf = (k: number): number => {
    const [lower, upper] = [keys[2 * k], keys[2 * k + 1]];
    const bits = shift < 30 ? (upper << (30 - shift)) | (lower >>> shift) : upper >>> (shift - 30);
    return bits & (2 ** PART_BITS - 1);
  };
  const counts = new Uint32Array(2 ** PART_BITS);
  for (let k = 0; k < count; k++) counts[partOf(k)]++;
  const sizes = [0];
  for (const [part, size] of counts.entries()) {
    if (size > most) throw new GpuError(`${size} bricks side by side: the device allows ${most}`);
    if (sizes[sizes.length - 1] + size > most) sizes.push(0);
    sizes[sizes.length - 1] += size;
    counts[part] = sizes.length - 1;
  }
  const ranges = sizes.map((size) => new Uint32Array(size));
  const filled = sizes.map(() => 0);
  for (let k = 0; k < count; k++) {
    const range = counts[partOf(k)];
    ranges[range][filled[range]++] = k;
  }
  return ranges;
}
