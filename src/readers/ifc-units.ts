/** The unit of length of an IFC file, from its project. */
import { failure, type RecordOf } from './step-graph.ts';
import type { StepFile } from './step-scanner.ts';
import { isRef, type StepValue, stepArguments, wordOf } from './step-values.ts';

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
 * @returns its name, or null; and meters, as rounded by web-ifc, or 1 if it reads no unit
 * @throws FormatError for two projects, or an invalid unit
 */
export function lengthUnitOf(file: StepFile, recordOf: RecordOf): { name: string | null; metres: number } {
  const project = projectOf(file);
  const follow = (value: StepValue | undefined): number => (isRef(value) ? recordOf(value.ref) : -1);
  const read = (record: number): StepValue[] => (record < 0 ? [] : stepArguments(file.bytes, file.starts[record]));
  const assignment = follow(read(project)[8]);
  const [units] = read(assignment);
  const lengths: number[] = [];
  for (const value of Array.isArray(units) ? units : []) {
    const unit = follow(value);
    const type = unit < 0 ? '' : file.typeNames[file.types[unit]];
    const values = read(unit);
    if (wordOf(values[1]) !== 'LENGTHUNIT') continue;
    if (type === 'IFCSIUNIT') lengths.push(siMetres(values));
    else if (type === 'IFCCONVERSIONBASEDUNIT') {
      const [ratio, base] = read(follow(values[3]));
      lengths.push(siMetres(read(follow(base))) * numberOf(ratio));
    } else continue;
    if (!(lengths.at(-1)! > 0 && lengths.at(-1)! < Infinity)) throw failure(file, unit, 'a unit of length', 'none');
  }
  if (lengths.length > 1) throw failure(file, assignment, 'one unit of length', `${lengths.length}`);
  if (lengths.length === 0) return { name: null, metres: 1 };
  const [metres] = lengths;
  const known = Object.entries(NAMED).find(([, length]) => Math.abs(metres / length - 1) < SAME);
  return { name: known?.[0] ?? null, metres };
}

function siMetres(values: readonly StepValue[]): number {
  if (wordOf(values[1]) !== 'LENGTHUNIT' || wordOf(values[3]) !== 'METRE') return NaN;
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
  throw failure(file, last, 'one IfcProject', 'another');
}
