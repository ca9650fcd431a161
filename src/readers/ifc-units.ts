/** The unit of length of an IFC file: what its project says. */
import type { RecordOf } from './step-graph.ts';
import { failure } from './step-graph.ts';
import type { StepFile } from './step-scanner.ts';
import { type StepValue, stepArguments } from './step-values.ts';

/** Powers of ten of the prefixes. */
const PREFIXES: Readonly<Record<string, number>> = {
  ...{ EXA: 1e18, PETA: 1e15, TERA: 1e12, GIGA: 1e9, MEGA: 1e6, KILO: 1e3, HECTO: 1e2, DECA: 1e1 },
  ...{ DECI: 1e-1, CENTI: 1e-2, MILLI: 1e-3, MICRO: 1e-6, NANO: 1e-9, PICO: 1e-12, FEMTO: 1e-15, ATTO: 1e-18 },
};

/** Units that have a name here, in metres. */
const NAMED: readonly (readonly [name: string, metres: number])[] = [
  ...([
    ['m', 1],
    ['km', 1e3],
    ['dm', 0.1],
    ['cm', 0.01],
    ['mm', 1e-3],
    ['um', 1e-6],
    ['nm', 1e-9],
  ] as const),
  ...([
    ['in', 0.0254],
    ['ft', 0.3048],
    ['yd', 0.9144],
    ['mi', 1609.344],
    ['mil', 2.54e-5],
  ] as const),
];

/** A unit is one that has a name if it differs by less: a survey foot is no foot, by 2e-6. */
const SAME = 1e-9;

/**
 * @returns its name, null where it has none; and metres, with the roundings that web-ifc makes, 1
 *   where the file says nothing that web-ifc reads
 * @throws FormatError where there are two projects, or a unit that is none
 */
export function lengthUnitOf(file: StepFile, recordOf: RecordOf): { name: string | null; metres: number } {
  const project = projectOf(file);
  const typeOf = (record: number): string => file.typeNames[file.types[record]];
  const follow = (value: StepValue): number => {
    const found = isRef(value) ? recordOf(value.ref) : -1;
    return found;
  };
  const read = (record: number): StepValue[] => stepArguments(file.bytes, file.starts[record]);
  const units = project < 0 ? -1 : follow(read(project)[8]);
  const list = units < 0 ? [] : read(units)[0];
  const lengths: number[] = [];
  for (const value of Array.isArray(list) ? list : []) {
    const unit = follow(value);
    if (unit < 0) continue;
    const values = read(unit);
    if (wordOf(values[1]) !== 'LENGTHUNIT') continue;
    if (typeOf(unit) === 'IFCSIUNIT' && wordOf(values[3]) === 'METRE') lengths.push(prefixOf(values[2]));
    else if (typeOf(unit) === 'IFCCONVERSIONBASEDUNIT') {
      const measure = follow(values[3]);
      if (measure < 0) throw failure(file, unit, 'a measure of the unit', 'none');
      const [ratio, base] = read(measure);
      const metre = follow(base);
      const prefix = metre < 0 ? NaN : prefixOf(read(metre)[2]);
      const factor = typeof ratio === 'object' && ratio !== null && 'type' in ratio ? ratio.values[0] : ratio;
      lengths.push(prefix * (typeof factor === 'number' ? factor : NaN));
    }
    if (!(lengths.at(-1)! > 0 && lengths.at(-1)! < Infinity)) throw failure(file, unit, 'a unit of length', 'none');
  }
  if (lengths.length > 1) throw failure(file, units, 'one unit of length', `${lengths.length}`);
  const [metres = null] = lengths;
  if (metres === null) return { name: null, metres: 1 };
  return { name: NAMED.find(([, length]) => Math.abs(metres / length - 1) < SAME)?.[0] ?? null, metres };
}

/** -1 where there is none. */
function projectOf(file: StepFile): number {
  const type = file.typeNames.indexOf('IFCPROJECT');
  const first = type < 0 ? -1 : file.types.indexOf(type);
  const last = type < 0 ? -1 : file.types.lastIndexOf(type);
  if (first === last) return first;
  throw failure(file, last, 'one IfcProject', 'another');
}

const isRef = (value: StepValue): value is { ref: number } =>
  typeof value === 'object' && value !== null && 'ref' in value;

const wordOf = (value: StepValue): string | null =>
  typeof value === 'object' && value !== null && 'word' in value ? value.word : null;

const prefixOf = (value: StepValue): number => (wordOf(value) === null ? 1 : (PREFIXES[wordOf(value)!] ?? NaN));
