/** Checks the options that every `build` has, and refuses unknown ones. */
import { requireOptions, requireThat, unknownOption } from '../base/require.ts';
import type { Provenance } from './representation.ts';
import { misspelledUnit } from './units.ts';

const COMMON: Readonly<Record<keyof Provenance, true>> = {
  source: true,
  units: true,
  options: true,
  onProgress: true,
  take: true,
};

/**
 * @param own names of the kind's own options
 * @throws OptionError for an unknown option, with a similar one
 */
export function requireBuildNames(options: Provenance, own: Readonly<Record<string, true>>): void {
  requireOptions(options);
  for (const name in options) {
    if (Object.hasOwn(own, name) || Object.hasOwn(COMMON, name)) continue;
    if ((options as Record<string, unknown>)[name] === undefined) continue;
    throw unknownOption(name, Object.keys({ ...own, ...COMMON }));
  }
}

/**
 * Requires the provenance to have the shape that readers of files accept.
 *
 * @throws OptionError for an invalid value, and for a misspelled unit
 */
export function requireProvenance({ source, units, options: recorded = {} }: Provenance): void {
  requireThat(units === undefined || typeof units === 'string', 'units', 'a string', units);
  const meant = units === undefined ? null : misspelledUnit(units);
  requireThat(meant === null, 'units', `a unit of length (did you mean ${meant}?)`, units);
  const isSource = source === undefined || (typeof source?.name === 'string' && typeof source.sha256 === 'string');
  requireThat(isSource, 'source', 'a name and a digest', source);
  requireOptions(recorded, 'options.options');
  for (const [name, value] of Object.entries(recorded)) {
    const isPlain = typeof value === 'string' || Number.isFinite(value);
    requireThat(isPlain, `options.${name}`, 'a string or a finite number', value);
  }
}
