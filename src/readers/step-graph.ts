/**
 * Checks the references of STEP records from some roots on, for programs that follow them by
 * recursion: each leads to a record, there are no cycles, and the expanded size is bounded.
 */
import { FormatError } from '../base/errors.ts';
import { lineOf, type StepFile } from './step-scanner.ts';

export type RecordOf = (id: number) => number;

/** A table of all ids is used up to this ratio of the largest id to the number of records. */
const DENSE = 16;

export function indexRecords(file: StepFile): RecordOf {
  const { ids, count } = file;
  const most = ids.reduce((largest, id) => Math.max(largest, id), 0);
  const again = (record: number): never => {
    throw failure(file, record, 'an id of its own', `#${ids[record]} a second time`);
  };
  if (most < DENSE * count + 1024) {
    const table = new Int32Array(most + 1).fill(-1);
    for (let r = 0; r < count; r++) {
      if (table[ids[r]] >= 0) again(r);
      table[ids[r]] = r;
    }
    return (id) => table[id] ?? -1;
  }
  const table = new Map<number, number>();
  for (let r = 0; r < count; r++) {
    if (table.has(ids[r])) again(r);
    table.set(ids[r], r);
  }
  return (id) => table.get(id) ?? -1;
}

export function failure(file: StepFile, record: number, expected: string, found: string): FormatError {
  return new FormatError({ line: lineOf(file.bytes, file.starts[record]) }, expected, found);
}

/** Records counted once per reference. A file of 2 kB can expand to 10^18, by maps of maps. */
const MOST_SPELT = 2 ** 32;

/** Longest path of references; real booleans and placements are nested less. */
const MOST_DEEP = 2000;

/**
 * @param extra further references of record r, as records
 * @throws FormatError with the line of dangling references, cycles, and too large expansions
 */
export function checkGraph(
  file: StepFile,
  recordOf: RecordOf,
  roots: readonly number[],
  extra: ReadonlyMap<number, readonly number[]>,
): void {
  const walk = new Walk(file, recordOf, extra);
  let total = 0;
  for (const root of roots) {
    total += walk.from(root);
    if (total > MOST_SPELT)
      throw failure(file, root, `at most ${MOST_SPELT} records, each as often as it is used`, 'more');
  }
}

class Walk {
  /** The expanded size of each record, itself included; 0 not seen, -1 in progress. */
  private readonly spelt: Float64Array;
  private readonly depth: Uint16Array;

  constructor(
    private readonly file: StepFile,
    private readonly recordOf: RecordOf,
    private readonly extra: ReadonlyMap<number, readonly number[]>,
  ) {
    this.spelt = new Float64Array(file.count);
    this.depth = new Uint16Array(file.count);
  }

  from(root: number): number {
    const { spelt, depth } = this;
    if (spelt[root] > 0) return spelt[root];
    const way = [root];
    const next = [0];
    spelt[root] = -1;
    while (way.length > 0) {
      const record = way[way.length - 1];
      const child = this.child(record, next[next.length - 1]++);
      if (child === null) {
        this.close(record);
        way.pop();
        next.pop();
      } else if (spelt[child] < 0) this.refuseRing(way, child);
      else if (spelt[child] === 0) {
        spelt[child] = -1;
        way.push(child);
        next.push(0);
      }
      if (way.length > MOST_DEEP) throw this.tooDeep(record);
    }
    if (depth[root] > MOST_DEEP) throw this.tooDeep(root);
    return spelt[root];
  }

  private child(record: number, k: number): number | null {
    const { file } = this;
    const at = file.firstRef[record] + k;
    if (at < file.firstRef[record + 1]) {
      const found = this.recordOf(file.refs[at]);
      if (found < 0) throw failure(file, record, `a record #${file.refs[at]}`, 'none');
      return found;
    }
    return this.extra.get(record)?.[at - file.firstRef[record + 1]] ?? null;
  }

  private close(record: number): void {
    let [sum, deepest] = [1, 0];
    for (let k = 0; ; k++) {
      const child = this.child(record, k);
      if (child === null) break;
      sum += this.spelt[child];
      deepest = Math.max(deepest, 1 + this.depth[child]);
    }
    if (deepest > MOST_DEEP) throw this.tooDeep(record);
    if (sum > MOST_SPELT)
      throw failure(this.file, record, `at most ${MOST_SPELT} records, each as often as it is used`, 'more');
    this.spelt[record] = sum;
    this.depth[record] = deepest;
  }

  private refuseRing(way: readonly number[], again: number): never {
    const ring = [...way.slice(way.lastIndexOf(again)), again].map((record) => `#${this.file.ids[record]}`);
    const shown = ring.length > 6 ? [...ring.slice(0, 4), '...', ring[ring.length - 1]] : ring;
    throw failure(this.file, again, 'references that end', `a ring: ${shown.join(' -> ')}`);
  }

  private tooDeep(record: number): FormatError {
    return failure(this.file, record, `references up to ${MOST_DEEP} deep`, 'deeper ones');
  }
}
