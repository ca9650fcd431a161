/**
 * Bricks by ranges of their keys, so that each range fits into a buffer: bricks of one key stay
 * together.
 */
import { GpuError } from '../math/errors.ts';

/** Ranges are made of so many parts of the keys that there are: by the upper bits that vary. */
const PART_BITS = 16;

/**
 * In which bits of each word keys differ.
 *
 * @param keys two words each
 */
export function varyingBits(keys: Uint32Array): [number, number] {
  let [low, high] = [0, 0];
  for (let k = 2; k < keys.length; k += 2) {
    low |= keys[k] ^ keys[0];
    high |= keys[k + 1] ^ keys[1];
  }
  return [low, high];
}

/**
 * The numbers of the keys in each range, ascending; ranges by their keys.
 *
 * @param keys two words of 30 bits each, the low one first
 * @param most keys of a range, at most
 * @throws GpuError where more have the same upper bits
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
  // From here on the number of each part's range.
  const sizes = [0];
  for (const [part, size] of counts.entries()) {
    if (size > most) throw new GpuError(`${size} bricks side by side: the device has room for ${most}`);
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
