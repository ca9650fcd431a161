/**
 * What the records of a STEP file refer to, from some of them on: each reference must lead to a
 * record, none may lead back to itself, and what they spell out must have an end that memory can
 * hold. Programs that follow references by recursion trust in this.
 */
import { FormatError } from '../math/errors.ts';
import { lineOf, type StepFile } from './step-scanner.ts';

/** The record of an id; -1 where there is none. */
export type RecordOf = (id: number) => number;

/** Ids need be no more than this many times as many as records for a table of all ids. */
const DENSE = 16;

/**
 * Finds records by their ids.
 *
 * @throws FormatError with the line of an id that comes a second time
 */
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

/** An error at a record. */
export function failure(file: StepFile, record: number, expected: string, found: string): FormatError {
  return new FormatError({ line: lineOf(file.bytes, file.starts[record]) }, expected, found);
}

/**
 * Most records that all roots together spell out, each as often as it is referred to. A file of
 * 2 kB can spell out 10^18, by maps of maps.
 */
const MOST_SPELT = 2 ** 32;

/** Longest way from reference to reference. Nobody nests booleans or placements as deep. */
const MOST_DEEP = 2000;

/**
 * Checks all that roots refer to.
 *
 * @param extra what record r refers to beside its own references, as records
 * @throws FormatError with the line of a reference that leads to nothing, of a ring, of what nests
 *   or spells out too much
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
  /** How many records each spells out, itself one of them; 0 not seen, -1 on the way. */
  private readonly spelt: Float64Array;
  /** The longest way down from each. */
  private readonly depth: Uint16Array;

  constructor(
    private readonly file: StepFile,
    private readonly recordOf: RecordOf,
    private readonly extra: ReadonlyMap<number, readonly number[]>,
  ) {
    this.spelt = new Float64Array(file.count);
    this.depth = new Uint16Array(file.count);
  }

  /** Depth first, with a stack of its own. */
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

  /** The record that a record's kth reference leads to; null behind the last. */
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
