/** Whether what two assets record of their units is one unit. */
import { OptionError } from '../math/errors.ts';
import { printable } from '../math/printable.ts';

/**
 * Names of one unit, the first for all; lower case. A US survey foot, 2e-6 longer than a foot, is
 * none of these. Capitals as in IGES (ANSI US PRO/IPO-100, global parameter 15: INCH, MM, FT, MI,
 * M, KM, MIL, UM, CM, UIN) are read too.
 */
const NAMES = [
  ['m', 'metre', 'metres', 'meter', 'meters'],
  ['km', 'kilometre', 'kilometres', 'kilometer', 'kilometers'],
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

/** A blank is none. */
const isRecorded = (units: string | null): units is string => typeof units === 'string' && units.trim() !== '';

/**
 * Refuses two assets whose recorded units are not one. Metres, meter and m are one; mm and Mm are
 * not. Nothing is said where one of the two records none.
 *
 * @param a, b as `build` was given them: a representation's `units(asset)`
 * @throws OptionError with one line that says what they are and what to do
 * @example requireSameUnits('mm', 'Millimeters'); // passes, and so does ('mm', null)
 *          requireSameUnits('mm', 'm');           // throws
 */
export function requireSameUnits(a: string | null, b: string | null): void {
  if (!isRecorded(a) || !isRecorded(b) || canonical(a) === canonical(b)) return;
  throw new OptionError(
    `units: a is in ${shown(a)}, b in ${shown(b)}: build one with --scale and --units so that both are in one unit`,
  );
}

/** A file's words on one line, and of a length for one. */
function shown(units: string): string {
  const text = printable(units.trim().slice(0, 60));
  return text.length > 30 ? `${text.slice(0, 27)}...` : text;
}
