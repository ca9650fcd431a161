/**
 * Units from the command line for files that record none, and times. Units label; nothing is
 * converted.
 */
import { extname } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import { InputError, OptionError } from '../base/errors.ts';
import { printable, quoted } from '../base/printable.ts';
import type { Asset } from '../engine/representation.ts';
import { converterOf, isOneUnit, misspelledUnit } from '../engine/units.ts';
import type { TimeInterval } from '../motion/motion.ts';
import type { FrepObject } from '../representations/frep/tree/program.ts';
import { kindByExtension, representationOf } from '../representations/kinds.ts';

export interface PairUnits {
  unitsA?: string | undefined;
  unitsB?: string | undefined;
}

export interface UnitLabel {
  option: string;
  units: string;
}

export const addPairUnits = (command: Command): Command =>
  command
    .option(
      '--units-a <name>',
      'unit of a, if its file records none (m, cm, mm, in, ...); nothing is converted',
      parseUnits,
    )
    .option('--units-b <name>', 'unit of b, if its file records none; nothing is converted', parseUnits);

export function parseUnits(text: string): string {
  if (text.trim() === '') throw new InvalidArgumentError('Expected a unit of length: m, cm, mm, in, ...');
  const meant = misspelledUnit(text);
  if (meant !== null) throw new InvalidArgumentError(`Did you mean ${meant}?`);
  return text;
}

export interface PairLabels {
  a: UnitLabel | undefined;
  b: UnitLabel | undefined;
}

export function labelsOf(
  { unitsA, unitsB, units }: PairUnits & { units?: string | undefined },
  { isSameFile }: { isSameFile: boolean },
): PairLabels {
  const both = units === undefined ? undefined : { option: '--units', units };
  const a = unitsA === undefined ? both : { option: '--units-a', units: unitsA };
  const b = unitsB === undefined ? both : { option: '--units-b', units: unitsB };
  if (isSameFile && a && b && !isOneUnit(a.units, b.units))
    throw new OptionError(
      `units: expected one unit for one file, found ${a.option} ${a.units} and ${b.option} ${b.units}`,
    );
  return isSameFile ? { a: a ?? b, b: b ?? a } : { a, b };
}

/** @throws InputError if the option contradicts the file */
export function unitOf(own: string | null, label: UnitLabel | undefined): string | null {
  const recorded = own?.trim() ? own : null;
  if (recorded === null || !label) return recorded ?? label?.units ?? null;
  if (!isOneUnit(recorded, label.units))
    throw new InputError(
      `expected ${label.option} ${quoted(recorded)}, the unit of the file, found ${quoted(label.units)}; nothing is converted`,
    );
  return recorded;
}

/** @param remedies advice if the first, the second, or neither file records a unit */
export function requireOneUnit(
  [first, unit]: readonly [string, string | null],
  [other, otherUnit]: readonly [string, string | null],
  remedies: readonly [first: string, second: string, both: string],
): void {
  if (unit === null ? otherUnit === null : otherUnit !== null && isOneUnit(unit, otherUnit)) return;
  const shown = (units: string | null): string => (units === null ? 'in an unknown unit' : `in ${quoted(units)}`);
  const remedy = remedies[unit === null ? 0 : otherUnit === null ? 1 : 2];
  throw new OptionError(`units: ${first} is ${shown(unit)}, ${other} ${shown(otherUnit)}: ${remedy}`);
}

/** @param a the first file's name, and the unit that it records; likewise `b` */
export const requireOneUnitOfPair = (a: readonly [string, string | null], b: readonly [string, string | null]): void =>
  requireOneUnit(
    [a[0], unitOf(a[1], undefined)],
    [b[0], unitOf(b[1], undefined)],
    [`set the unit of ${a[0]} with --units-a`, `set the unit of ${b[0]} with --units-b`, conversionOf(a, b)],
  );

/** The command that converts a mesh, b if possible, to the unit of the other file. */
function conversionOf(...both: readonly (readonly [string, string | null])[]): string {
  const isMesh = ([file]: readonly [string, string | null]): boolean =>
    /^[\w.,/@+-]*\w\.\w+$/.test(file) && kindByExtension(extname(file)) === undefined;
  const [[, to], [file, from]] = isMesh(both[1]) ? both : both.toReversed();
  const scale = scaleOf(from, to);
  if (scale === null || !isMesh([file, from])) return 'build one with --scale and --units so that both are in one unit';
  const out = `${file.slice(0, -extname(file).length)}.obb`;
  return `convert one: gicollide build ${file} -o ${out} -f obb --scale ${scale} --units ${to}`;
}

/** Null if a unit has no known length. */
function scaleOf(from: string | null, to: string | null): number | null {
  try {
    return from && to && /^\w+$/.test(to) ? converterOf(from, to)(1) : null;
  } catch {
    return null;
  }
}

/** Millimeters beside meters differ by 1000. Half of that: sizes of objects differ, too. */
const SUSPICIOUS = 500;

/**
 * Warns if sizes differ so much that files without a unit are probably in different ones.
 *
 * @param sizes the largest extent of each file, all without a unit
 */
export function sizeWarning(sizes: readonly (readonly [file: string, size: number])[]): string | null {
  const sorted = sizes.filter(([, size]) => size > 0 && Number.isFinite(size)).sort((p, q) => p[1] - q[1]);
  const [small, large] = [sorted[0], sorted.at(-1)];
  if (!small || !large || large[1] < SUSPICIOUS * small[1]) return null;
  const [a, b] = [small, large].map(([file, size]) => `${printable(file)} is ${Number(size.toPrecision(3))}`);
  return `${a} across and ${b}, and neither has a unit: if one is in m and the other in mm, convert that: gicollide build FILE -f obb --scale 0.001 --units m; if both are in one unit, name it with --units`;
}

/** The largest extent of a box: low x, y, z, then high. */
export const sizeOf = (box: ArrayLike<number>, first = 0): number =>
  Math.max(...[0, 1, 2].map((k) => box[first + k + 3] - box[first + k]));

/**
 * Rounds two times outward, to about two digits more than tell them apart. `rounding: 'inward'` is
 * for a statement about every time between, and rounds to six digits.
 *
 * @example intervalText({ from: 0.24999998, to: 0.25 }) // '[0.24999998, 0.25]'
 */
export const intervalText = (interval: TimeInterval, rounding: Rounding = 'outward'): string =>
  `[${endsOf(interval, rounding).join(', ')}]`;

/** The same in a sentence: `between the times 0.24999998 and 0.25`. */
export const betweenText = (interval: TimeInterval, rounding: Rounding = 'outward'): string =>
  `between the times ${endsOf(interval, rounding).join(' and ')}`;

type Rounding = 'outward' | 'inward';

function endsOf({ from, to }: TimeInterval, rounding: Rounding): [string, string] {
  const isInward = rounding === 'inward';
  const places = Math.min(20, Math.max(0, (isInward ? 5 : 1) - Math.floor(Math.log10(to - from))));
  const shown = (x: number, isUpward: boolean): string => {
    const scale = 10 ** places;
    const text = Number(((isUpward ? Math.ceil(x * scale) : Math.floor(x * scale)) / scale).toFixed(places));
    return String((isUpward ? text >= x : text <= x) ? text : x);
  };
  return [shown(from, isInward), shown(to, !isInward)];
}

/**
 * Applies `--time` for commands that draw or describe one asset. Returns the asset itself without a
 * time.
 *
 * @throws OptionError for an asset without times
 */
export function atTime(asset: Asset, time: number | undefined): Asset {
  if (time === undefined) return asset;
  if (asset.representation !== 'frep' || !(asset as FrepObject).span)
    throw new OptionError(`--time ${time} is for F-reps that depend on time, and this does not`);
  // Only who has an F-rep has loaded its code.
  return representationOf(asset).own?.options?.time?.instead?.(asset, time) ?? asset;
}
