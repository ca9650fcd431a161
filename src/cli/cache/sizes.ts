/** Parses and formats sizes in bytes: 1 KB is 1000 bytes. */
import { InvalidArgumentError } from 'commander';
import { grouped } from '../../base/printable.ts';

const UNITS = ['KB', 'MB', 'GB', 'TB'];

export function parseSize(text: string): number {
  const [, number, unit] = /^(\d{1,15}(?:\.\d{1,9})?) ?(KB|MB|GB|TB)?$/i.exec(text.trim()) ?? [];
  const bytes = Math.floor(Number(number) * 1000 ** (UNITS.indexOf(unit?.toUpperCase() ?? '') + 1));
  if (Number.isSafeInteger(bytes)) return bytes;
  throw new InvalidArgumentError('Expected a number of bytes, or of KB, MB, GB or TB, as 500MB.');
}

/** @example sizeText(3_200_000_000) // '3.2 GB' */
export function sizeText(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`;
  let [value, unit] = [bytes / 1000, 0];
  // A value that would be shown as 1000.0 uses the next unit.
  while (value >= 999.95 && unit < UNITS.length - 1) [value, unit] = [value / 1000, unit + 1];
  const [whole, fraction] = value.toFixed(1).split('.');
  return `${grouped(Number(whole))}.${fraction} ${UNITS[unit]}`;
}
