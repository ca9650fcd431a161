/** Compares the units that assets record, and converts lengths from one unit to another. */
import { OptionError } from '../math/errors.ts';
import { nearest } from '../math/nearest.ts';
import { printable } from '../math/printable.ts';

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

/** How many ten-billionths of a metre are in each, by its first name: whole numbers. */
const LENGTHS: Readonly<Record<string, number>> = {
  ...{ m: 1e10, km: 1e13, hm: 1e12, dam: 1e11, dm: 1e9, cm: 1e8, mm: 1e7, um: 1e4, nm: 10 },
  ...{ in: 254_000_000, uin: 254, mil: 254_000, ft: 3_048_000_000, yd: 9_144_000_000, mi: 16_093_440_000_000 },
};

/** Capitals that make another unit of it: megametre, newton metre, nautical mile. */
const CASED = new Set(['Mm', 'Nm', 'NM']);

const firstNames = new Map(NAMES.flatMap((names) => names.map((name) => [name, names[0]] as const)));

/**
 * One name for all names of a unit; what is no unit we know stands for itself, capitals and all.
 */
function canonical(units: string): string {
  const name = units.trim();
  if (CASED.has(name)) return name;
  return firstNames.get(name.toLowerCase().replace(/\.$/, '')) ?? name;
}

/** Letters from which on a word may be two letters away from the unit that is meant. */
const LONG = 8;

/**
 * The unit that a word is a misspelling of; null for a unit, and for a word that is near none.
 * Words of one or two letters are near too many.
 *
 * @example misspelledUnit('milimeter') // 'millimeter'
 *          misspelledUnit('us-ft')     // null
 */
export function misspelledUnit(units: string): string | null {
  const word = units.trim();
  if (CASED.has(word) || word.length < 3 || firstNames.has(canonical(word))) return null;
  return nearest(word, [...firstNames.keys()], word.length < LONG ? 1 : 2);
}

/** A blank is none. */
const isRecorded = (units: string | null): units is string => typeof units === 'string' && units.trim() !== '';

/**
 * Refuses two assets whose recorded units are not one, or of which one alone records any. Metres,
 * meter and m are one; mm and Mm are not. Two assets that record none are compared as they are.
 *
 * @param a, b as `build` was given them: a representation's `units(asset)`
 * @throws OptionError with one line that says what they are and what to do
 * @example requireSameUnits('mm', 'Millimeters'); // passes, and so does (null, null)
 *          requireSameUnits('mm', 'm');           // throws, and so does ('mm', null)
 */
export function requireSameUnits(a: string | null, b: string | null): void {
  if (a === b) return;
  const [ofA, ofB] = [a, b].map((units) => (isRecorded(units) ? units : null));
  if (ofA === null ? ofB === null : ofB !== null && isOneUnit(ofA, ofB)) return;
  const told = (units: string | null): string => (units === null ? 'no known unit' : shown(units));
  throw new OptionError(
    `units: a is in ${told(ofA)}, b in ${told(ofB)}: ${
      ofA === null || ofB === null
        ? 'build both with units, or say them (--units-a, --units-b, --units)'
        : 'build one with --scale and --units so that both are in one unit'
    }`,
  );
}

/** Whether two names are of one unit. */
export const isOneUnit = (a: string, b: string): boolean => canonical(a) === canonical(b);

/**
 * Converts lengths: what a number of one unit is in another. Where one unit is a whole number of the
 * other it takes one rounding.
 *
 * @throws OptionError for units whose lengths we do not know, where they are not one
 * @example converterOf('mm', 'm')(2500) // 2.5
 */
export function converterOf(from: string, to: string): (length: number) => number {
  const [a, b] = [canonical(from), canonical(to)];
  if (a === b) return (x) => x;
  for (const [name, text] of [
    [a, from],
    [b, to],
  ]) {
    if (!Object.hasOwn(LENGTHS, name))
      throw new OptionError(`units: ${shown(text)} is no unit of length that can be converted; use m, mm, in, ...`);
  }
  const [p, q] = [LENGTHS[a], LENGTHS[b]];
  if (p % q === 0) return (x) => x * (p / q);
  if (q % p === 0) return (x) => x / (q / p);
  return (x) => (x * p) / q;
}

/** A file's words on one line, and of a length for one. */
function shown(units: string): string {
  const text = printable(units.trim().slice(0, 60));
  return text.length > 30 ? `${text.slice(0, 27)}...` : text;
}
