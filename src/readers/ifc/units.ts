/** Reads the units of an IFC file from its project: of length, and of plane angles. */
import { OptionError } from '../../base/errors.ts';
import { quoted } from '../../base/printable.ts';
import { failure, isRef, type RecordOf, type StepValue, stepArguments, wordOf } from './step-records.ts';
import type { StepFile } from './step-scanner.ts';

const PREFIXES: Readonly<Record<string, number>> = {
  ...{ EXA: 1e18, PETA: 1e15, TERA: 1e12, GIGA: 1e9, MEGA: 1e6, KILO: 1e3, HECTO: 1e2, DECA: 1e1 },
  ...{ DECI: 1e-1, CENTI: 1e-2, MILLI: 1e-3, MICRO: 1e-6, NANO: 1e-9, PICO: 1e-12, FEMTO: 1e-15, ATTO: 1e-18 },
};

const NAMED: Readonly<Record<string, number>> = {
  ...{ m: 1, km: 1e3, dm: 0.1, cm: 0.01, mm: 1e-3, um: 1e-6, nm: 1e-9 },
  ...{ in: 0.0254, ft: 0.3048, yd: 0.9144, mi: 1609.344, mil: 2.54e-5 },
};

/** Relative tolerance of named units: a survey foot differs from a foot by 2e-6. */
const SAME = 1e-9;

/**
 * Returns the unit of length: its name, or null; and its meters, as rounded by web-ifc, or 1 if the
 * file has no unit. Returns the unit of plane angles in radians, or 1.
 *
 * @throws FormatError for two projects, and for a unit that is invalid or a second one
 */
export function unitsOf(
  file: StepFile,
  recordOf: RecordOf,
): { length: { name: string | null; metres: number }; radians: number } {
  const metres = unitOf(file, recordOf, { kind: 'LENGTHUNIT', si: 'METRE', noun: 'a unit of length' });
  const radians = unitOf(file, recordOf, { kind: 'PLANEANGLEUNIT', si: 'RADIAN', noun: 'a unit of plane angles' });
  const known = Object.entries(NAMED).find(([, length]) => Math.abs((metres ?? 0) / length - 1) < SAME);
  return { length: { name: known?.[0] ?? null, metres: metres ?? 1 }, radians: radians ?? 1 };
}

/**
 * A length in the file's unit. A number is in that unit already, and a text may have its own unit,
 * such as `1mm`.
 *
 * @throws OptionError for a length that is not above 0, or in no known unit
 */
export function lengthIn(length: number | string, metres: number): number {
  const [, digits, unit] = /^\s*([-+.\de]+)\s*([a-z]*)\s*$/i.exec(`${length}`) ?? [];
  const value = digits === undefined ? NaN : Number(digits) * (unit ? (NAMED[unit.toLowerCase()] ?? NaN) / metres : 1);
  if (!(value > 0 && value < Infinity))
    throw new OptionError(
      `chord tolerance: expected a length above 0, such as 0.5 or 1mm (${Object.keys(NAMED).join(', ')}), found ${quoted(`${length}`)}`,
    );
  return value;
}

interface UnitKind {
  kind: string;
  si: string;
  noun: string;
}

function unitOf(file: StepFile, recordOf: RecordOf, wanted: UnitKind): number | null {
  const { kind, noun } = wanted;
  const project = projectOf(file);
  const follow = (value: StepValue | undefined): number => (isRef(value) ? recordOf(value.ref) : -1);
  const read = (record: number): StepValue[] => (record < 0 ? [] : stepArguments(file.bytes, file.starts[record]));
  const assignment = follow(read(project)[8]);
  const [units] = read(assignment);
  const found: number[] = [];
  for (const value of Array.isArray(units) ? units : []) {
    const unit = follow(value);
    const type = unit < 0 ? '' : file.typeNames[file.types[unit]];
    const values = read(unit);
    if (wordOf(values[1]) !== kind) continue;
    if (type === 'IFCSIUNIT') found.push(siSize(values, wanted));
    else if (type === 'IFCCONVERSIONBASEDUNIT') {
      const [ratio, base] = read(follow(values[3]));
      found.push(siSize(read(follow(base)), wanted) * numberOf(ratio));
    } else continue;
    if (!(found.at(-1)! > 0 && found.at(-1)! < Infinity)) throw failure(file, unit, noun, 'none');
  }
  if (found.length > 1) throw failure(file, assignment, noun.replace(/^a/, 'one'), `${found.length}`);
  return found[0] ?? null;
}

function siSize(values: readonly StepValue[], { kind, si }: UnitKind): number {
  if (wordOf(values[1]) !== kind || wordOf(values[3]) !== si) return NaN;
  const prefix = wordOf(values[2]);
  return prefix === null ? 1 : (PREFIXES[prefix] ?? NaN);
}

function numberOf(value: StepValue | undefined): number {
  const inner = typeof value === 'object' && value !== null && 'type' in value ? value.values[0] : value;
  return typeof inner === 'number' ? inner : NaN;
}

function projectOf(file: StepFile): number {
  const type = file.typeNames.indexOf('IFCPROJECT');
  const first = type < 0 ? -1 : file.types.indexOf(type);
  const last = type < 0 ? -1 : file.types.lastIndexOf(type);
  if (first === last) return first;
  throw failure(file, last, 'one IfcProject', 'a second one');
}
