/** Numbers as the command line prints them. */
import { grouped } from '../../../base/printable.ts';

/** Six digits. */
export const short = (x: number): string => String(Number(x.toPrecision(6)));

export const point = (x: readonly number[]): string => `(${x.map(short).join(' ')})`;

export const milliseconds = (ms: number): string => (ms > 0 ? `${ms.toFixed(2)} ms` : 'less than 0.1 ms');

/** `1 pair`, `1,200 pairs`. */
export const counted = (count: number, noun: string): string => `${grouped(count)} ${noun}${count === 1 ? '' : 's'}`;
