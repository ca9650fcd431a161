/** Follows only those records of elements that web-ifc draws: placements, bodies, openings. */
import type { RecordOf } from './step-records.ts';
import type { StepFile } from './step-scanner.ts';

export class Uses {
  constructor(
    private readonly file: StepFile,
    private readonly recordOf: RecordOf,
    /** The representations to draw, for shapes that also have others. */
    private readonly kept: ReadonlyMap<number, readonly number[]>,
    private readonly openings: ReadonlyMap<number, readonly number[]>,
  ) {}

  private of(record: number): readonly number[] {
    const { file } = this;
    const own = this.kept.get(record);
    if (own) return own;
    const all = Array.from(file.refs.subarray(file.firstRef[record], file.firstRef[record + 1]), this.recordOf);
    return [...all, ...(this.openings.get(record) ?? [])];
  }

  /** By record: 1 if some root leads to it. */
  from(roots: Iterable<number>): Uint8Array {
    const used = new Uint8Array(this.file.count);
    const way = [...roots];
    for (let record = way.pop(); record !== undefined; record = way.pop()) {
      if (record < 0 || used[record] === 1) continue;
      used[record] = 1;
      way.push(...this.of(record));
    }
    return used;
  }

  /** Returns the mark of the first marked record that a record leads to, itself included. */
  first(marks: ReadonlyMap<number, string>): (record: number) => string | undefined {
    const known = new Map<number, string | undefined>(marks);
    const find = (record: number): string | undefined => {
      if (known.has(record)) return known.get(record);
      known.set(record, undefined);
      let mark: string | undefined;
      for (const next of this.of(record)) mark ??= next < 0 ? undefined : find(next);
      known.set(record, mark);
      return mark;
    };
    return marks.size === 0 ? () => undefined : find;
  }
}
