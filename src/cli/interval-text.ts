/** Pieces of time as a person reads them. */
import type { TimeInterval } from '../motion/impact.ts';

/**
 * Two times with about two digits more than tell them apart, rounded outward.
 *
 * @example intervalText({ from: 0.24999998, to: 0.25 }) // '[0.24999998, 0.25]'
 */
export function intervalText({ from, to }: TimeInterval): string {
  const places = Math.min(20, Math.max(0, 1 - Math.floor(Math.log10(to - from))));
  const scale = 10 ** places;
  const shown = (x: number, rounded: number, isOutside: (y: number) => boolean): string => {
    const text = Number((rounded / scale).toFixed(places));
    return String(isOutside(text) ? text : x);
  };
  return `[${shown(from, Math.floor(from * scale), (y) => y <= from)}, ${shown(to, Math.ceil(to * scale), (y) => y >= to)}]`;
}
