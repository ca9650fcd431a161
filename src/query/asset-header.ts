/** The header that all blobs share, and strict reading of one with any contents. */
import { FormatError } from '../base/errors.ts';
import { TOOL } from '../version.ts';
import type { Asset, Provenance } from './representation.ts';

export interface AssetHeader {
  tool: string;
  source: { name: string; sha256: string } | null;
  units: string | null;
  options: Record<string, string | number>;
}

/** `own` are the representation's options. */
export function assetHeader(provenance: Provenance, own: Record<string, string | number>): AssetHeader {
  return {
    tool: TOOL,
    source: provenance.source ? { ...provenance.source } : null,
    units: provenance.units ?? null,
    options: { ...own, ...provenance.options },
  };
}

const UPDATED = 'updated';

/**
 * The header for updated geometry keeps only the build options in `kept`. It names no source: the
 * old one is another surface, and its promises are void.
 */
export function updatedHeader({ units, options }: AssetHeader, kept: readonly string[]): AssetHeader {
  const own = Object.fromEntries(Object.entries(options).filter(([name]) => kept.includes(name)));
  return { tool: TOOL, source: null, units, options: { ...own, geometry: UPDATED } };
}

export const isUpdated = ({ options }: AssetHeader): boolean => options.geometry === UPDATED;

export const inUnits = <A extends Asset>(asset: A, units: string): A => ({
  ...asset,
  header: { ...(asset as A & { header: AssetHeader }).header, units },
});

/** Throws FormatError, with `found` as JSON, unless the condition holds. */
export function requireField(condition: boolean, expected: string, found: unknown): void {
  if (condition) return;
  const text = found === undefined ? 'nothing' : (JSON.stringify(found) ?? String(found));
  throw new FormatError(null, `${expected} in the header`, text.length > 60 ? `${text.slice(0, 57)}...` : text);
}

export const isCount = (x: unknown): x is number =>
  Number.isInteger(x) && (x as number) >= 1 && (x as number) <= 2 ** 30;

export const areNumbers = (x: unknown, length: number, test: (v: number) => boolean): x is number[] =>
  Array.isArray(x) && x.length === length && x.every((v) => typeof v === 'number' && test(v));

/** @throws FormatError if a field is missing or of another type */
export function readAssetHeader(json: Record<string, unknown>): AssetHeader {
  const { tool, source, units, options } = json;
  requireField(typeof tool === 'string', 'tool', tool);
  requireField(units === null || typeof units === 'string', 'units', units);
  const record = source as Record<string, unknown> | null;
  const isSource =
    record === null ||
    (typeof record === 'object' && typeof record.name === 'string' && typeof record.sha256 === 'string');
  requireField(isSource, 'source, a name and a digest,', source);
  const isOptions =
    typeof options === 'object' &&
    options !== null &&
    !Array.isArray(options) &&
    Object.values(options).every((option) => typeof option === 'string' || typeof option === 'number');
  requireField(isOptions, 'options', options);
  return { tool, source, units, options } as AssetHeader;
}
