/** Compares the units that assets record, and converts lengths from one unit to another. */
import { OptionError } from '../base/errors.ts';
import { nearest } from '../base/nearest.ts';
import { printable } from '../base/printable.ts';
import { once } from '../base/require.ts';

/**
 * Names of one unit, the first for all; lower case. A US survey foot, 2e-6 longer than a foot, is
 * none of these. Capitals as in IGES (ANSI US PRO/IPO-100, global parameter 15: INCH, MM, FT, MI,
 * M, KM, MIL, UM, CM, UIN) are read too.
 */
const NAMES = [
  ['m', 'metre', 'metres', 'meter', 'meters'],
  ['km', 'kilometre', 'kilometres', 'kilometer', 'kilometers'],
  ['hm', 'hectometre', 'hectometres', 'hectometer', 'hectometers'],
  ['dam', 'decametre', 'decametres', 'decameter', 'decameters'],
  ['dm', 'decimetre', 'decimetres', 'decimeter', 'decimeters'],
  ['cm', 'centimetre', 'centimetres', 'centimeter', 'centimeters'],
  ['mm', 'millimetre', 'millimetres', 'millimeter', 'millimeters'],
  // Micro sign and Greek mu.
  ['um', '\u00b5m', '\u03bcm', 'micrometre', 'micrometres', 'micrometer', 'micrometers', 'micron', 'microns'],
  ['nm', 'nanometre', 'nanometres', 'nanometer', 'nanometers'],
  ['in', 'inch', 'inches', '"', '\u2033'],
  ['uin', 'microinch', 'microinches'],
  ['mil', 'mils', 'thou'],
  ['ft', 'foot', 'feet', "'", '\u2032'],
  ['yd', 'yds', 'yard', 'yards'],
  ['mi', 'mile', 'miles'],
];

/** Ten-billionths of a meter in each, by its first name: whole numbers. */
const LENGTHS: Readonly<Record<string, number>> = {
  ...{ m: 1e10, km: 1e13, hm: 1e12, dam: 1e11, dm: 1e9, cm: 1e8, mm: 1e7, um: 1e4, nm: 10 },
  ...{ in: 254_000_000, uin: 254, mil: 254_000, ft: 3_048_000_000, yd: 9_144_000_000, mi: 16_093_440_000_000 },
};

/** Names whose capitals mean another unit: megameter, newton meter, nautical mile. */
const CASED = new Set(['Mm', 'Nm', 'NM']);

const firstNames = once(() => new Map(NAMES.flatMap((names) => names.map((name) => [name, names[0]] as const))));

/** Maps all names of a unit to one; an unknown unit stays, capitals and all. */
function canonical(units: string): string {
  const name = units.trim();
  if (CASED.has(name)) return name;
  return firstNames().get(name.toLowerCase().replace(/\.$/, '')) ?? name;
}

/** Words from this length on may be two letters away from the unit. */
const LONG = 8;

/**
 * @example misspelledUnit('milimeter') // 'millimeter'
 *          misspelledUnit('us-ft')     // null: a unit, as for words near none
 */
export function misspelledUnit(units: string): string | null {
  const word = units.trim();
  if (CASED.has(word) || word.length < 3 || firstNames().has(canonical(word))) return null;
  return nearest(word, [...firstNames().keys()], word.length < LONG ? 1 : 2);
}

const isRecorded = (units: string | null): units is string => typeof units === 'string' && units.trim() !== '';

/**
 * Refuses two assets with different recorded units, or if only one records any. Metres, meter and m
 * are one; mm and Mm are not. Two assets that record none are compared as they are.
 *
 * @param a, b as passed to `build`: a representation's `units(asset)`
 * @throws OptionError with one line that names the units and a remedy
 */
export function requireSameUnits(a: string | null, b: string | null): void {
  if (a === b) return;
  const [ofA, ofB] = [a, b].map((units) => (isRecorded(units) ? units : null));
  if (ofA === null ? ofB === null : ofB !== null && isOneUnit(ofA, ofB)) return;
  const told = (units: string | null): string => (units === null ? 'an unknown unit' : shown(units));
  throw new OptionError(
    `units: a is in ${told(ofA)}, b in ${told(ofB)}: ${
      ofA === null || ofB === null
        ? 'build both with units, or set them (--units-a, --units-b, --units)'
        : 'build one with --scale and --units so that both are in one unit'
    }`,
  );
}

export const isOneUnit = (a: string, b: string): boolean => canonical(a) === canonical(b);

/**
 * Makes a converter of lengths. If one unit is a whole number of the other, it rounds once.
 *
 * @throws OptionError for different units of unknown length
 */
export function converterOf(from: string, to: string): (length: number) => number {
  const [a, b] = [canonical(from), canonical(to)];
  if (a === b) return (x) => x;
  for (const [name, text] of [
    [a, from],
    [b, to],
  ]) {
    if (!Object.hasOwn(LENGTHS, name))
      throw new OptionError(
        `units: expected a unit of length that can be converted (m, mm, in, ...), found ${shown(text)}`,
      );
  }
  const [p, q] = [LENGTHS[a], LENGTHS[b]];
  if (p % q === 0) return (x) => x * (p / q);
  if (q % p === 0) return (x) => x / (q / p);
  return (x) => (x * p) / q;
}

function shown(units: string): string {
  const text = printable(units.trim().slice(0, 60));
  return text.length > 30 ? `${text.slice(0, 27)}...` : text;
}
