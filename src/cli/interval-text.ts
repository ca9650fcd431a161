/** Formats time intervals for people. */
import type { TimeInterval } from '../motion/motion.ts';

/**
 * Rounds two times outward, to about two digits more than tell them apart. `rounding: 'inward'` is
 * for a statement about every time between.
 *
 * @example intervalText({ from: 0.24999998, to: 0.25 }) // '[0.24999998, 0.25]'
 */
export function intervalText({ from, to }: TimeInterval, rounding: 'outward' | 'inward' = 'outward'): string {
  const places = Math.min(20, Math.max(0, 1 - Math.floor(Math.log10(to - from))));
  const shown = (x: number, isUpward: boolean): string => {
    const scale = 10 ** places;
    const text = Number(((isUpward ? Math.ceil(x * scale) : Math.floor(x * scale)) / scale).toFixed(places));
    return String((isUpward ? text >= x : text <= x) ? text : x);
  };
  const isInward = rounding === 'inward';
  return `[${shown(from, isInward)}, ${shown(to, !isInward)}]`;
}
