/**
 * Checks point numbers in IFC's faces and arcs. For numbers beyond the last point web-ifc would
 * read memory behind it, and triangulate that.
 */
import { failure, type RecordOf } from './step-graph.ts';
import type { StepFile } from './step-scanner.ts';
import { isRef, type StepValue, stepArguments } from './step-values.ts';

/** The argument of each type with point numbers, and the one whose numbers replace them. */
const INDEXED: Readonly<Record<string, { indices: number; instead: number }>> = {
  IFCTRIANGULATEDFACESET: { indices: 3, instead: 4 },
  IFCTRIANGULATEDIRREGULARNETWORK: { indices: 3, instead: 4 },
  IFCPOLYGONALFACESET: { indices: 2, instead: 3 },
  IFCINDEXEDPOLYCURVE: { indices: 1, instead: Infinity },
};

export function requireIndices(file: StepFile, recordOf: RecordOf): void {
  const { bytes, starts, types, typeNames, count } = file;
  const indexed = typeNames.map((name) => (Object.hasOwn(INDEXED, name) ? INDEXED[name] : null));
  for (let r = 0; r < count; r++) {
    const where = indexed[types[r]];
    if (where === null) continue;
    const values = stepArguments(bytes, starts[r]);
    const points = recordOf((values[0] as { ref: number }).ref);
    if (points < 0) continue; // of no element: what elements refer to is there
    const list = stepArguments(bytes, starts[points], 1)[0];
    const instead = values[where.instead];
    let most = Array.isArray(list) ? list.length : 0;
    if (Array.isArray(instead)) {
      requireWithin(file, r, instead, most);
      most = instead.length;
    }
    for (const value of (values[where.indices] ?? []) as StepValue[]) {
      const face = isRef(value) ? recordOf(value.ref) : -1;
      if (face >= 0) requireWithin(file, face, stepArguments(bytes, starts[face]), most);
      else requireWithin(file, r, [value], most);
    }
  }
}

function requireWithin(file: StepFile, record: number, values: readonly StepValue[], most: number): void {
  for (const value of values) {
    if (Array.isArray(value)) requireWithin(file, record, value, most);
    else if (typeof value === 'number') {
      if (!(Number.isInteger(value) && value >= 1 && value <= most))
        throw failure(file, record, `the number of a point, 1 to ${most}`, `${value}`);
    } else if (value !== null && 'values' in value) requireWithin(file, record, value.values, most);
  }
}
