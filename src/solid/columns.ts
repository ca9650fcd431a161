/**
 * Selects segments of a drawing that may be above or below a point, or meet a segment.
 *
 * The drawing is cut into upright columns of one width, and each segment is in all that its box
 * meets. Their number limits the entries to a few times the segments.
 */

/** A box; infinite if unknown. */
export interface Boxed {
  low: readonly [number, number];
  high: readonly [number, number];
}

export const doMeet = (p: Boxed, q: Boxed): boolean =>
  !(p.low[0] > q.high[0] || p.high[0] < q.low[0] || p.low[1] > q.high[1] || p.high[1] < q.low[1]);

export function boxAbout(boxes: readonly Boxed[]): Boxed {
  const low = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY] as [number, number];
  const high = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY] as [number, number];
  for (const box of boxes) {
    for (const k of [0, 1]) {
      low[k] = Math.min(low[k], box.low[k]);
      high[k] = Math.max(high[k], box.high[k]);
    }
  }
  return { low, high };
}

const FEW = 16;
/** Average entries per segment, at most. */
const MOST_ENTRIES = 4;

export class Columns<Segment extends Boxed> {
  private readonly columns: Segment[][];
  private readonly left: number;
  private readonly perWidth: number;

  constructor(readonly segments: readonly Segment[]) {
    const { low, high } = boxAbout(segments);
    this.left = low[0];
    const width = high[0] - low[0];
    const sum = segments.reduce((total, s) => total + (s.high[0] - s.low[0]), 0);
    // n segments in c columns have n + c sum / width entries at most.
    const count = Math.min(segments.length, Math.floor((MOST_ENTRIES * segments.length * width) / sum));
    const isCut = segments.length > FEW && count > 1;
    this.perWidth = isCut ? count / width : 0;
    this.columns = Array.from({ length: isCut ? count : 1 }, () => []);
    for (const segment of segments) for (const column of this.over(segment)) column.push(segment);
  }

  /** A superset of the segments above or below a place; all segments for NaN. */
  at(u: number): readonly Segment[] {
    return Number.isNaN(u) ? this.segments : this.columns[this.columnOf(u)];
  }

  /** A superset of those that meet it, each once. */
  beside(segment: Segment): Segment[] {
    const found = new Set<Segment>();
    for (const column of this.over(segment)) for (const other of column) if (doMeet(other, segment)) found.add(other);
    found.delete(segment);
    return [...found];
  }

  private over({ low, high }: Boxed): Segment[][] {
    return this.columns.slice(this.columnOf(low[0]), this.columnOf(high[0]) + 1);
  }

  private columnOf(u: number): number {
    if (this.perWidth === 0) return 0;
    return Math.max(0, Math.min(this.columns.length - 1, Math.floor((u - this.left) * this.perWidth)));
  }
}
