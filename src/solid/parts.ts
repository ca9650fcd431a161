/**
 * Which parts has a solid inside another, and which outside of it? By cells of space, halved where
 * neither solid is proved to be on one side of them.
 *
 * Parts are proved by points that are strictly inside the one and strictly inside, or outside, the
 * other; that there are none, by cells that cover the solid. Coarse cells come first: a part that
 * is easy to see is found soon, however close the two come elsewhere.
 */
import { hullOfBox, type Located, type Place } from './located.ts';

/** What is known of the parts of a solid `inner` inside and outside of another, `outer`. */
export interface Parts {
  /** x, y, z of a point strictly inside both; null where none is known. */
  within: number[] | null;
  /** Of one strictly inside `inner` and strictly outside `outer`. */
  beyond: number[] | null;
  /** Whether it is proved that the two share no point. */
  isApart: boolean;
  /** Whether it is proved that `inner` is all inside `outer`. */
  isContained: boolean;
}

/** Cells to look at: some milliseconds with few triangles. */
const MOST_CELLS = 4096;

/**
 * @param inner, outer two solids in poses of one frame
 */
export function partsOf(inner: Located, outer: Pick<Located, 'place'>): Parts {
  const parts: Parts = { within: null, beyond: null, isApart: false, isContained: false };
  /** Low and high corners of cells, six numbers each; neighbours have the very same numbers. */
  const cells = Array.from(inner.box);
  let looked = 0;
  for (let at = 0; at < cells.length; at += 6) {
    if (++looked > MOST_CELLS) return parts;
    const [low, high] = [cells.slice(at, at + 3), cells.slice(at + 3, at + 6)];
    const own = inner.place(hullOfBox(low, high));
    if (own === 'outside') continue;
    const other = outer.place(hullOfBox(low, high));
    const isKnown = (other === 'inside' && parts.within) || (other === 'outside' && parts.beyond);
    if (isKnown) continue;
    const middle = low.map((x, k) => x / 2 + high[k] / 2);
    note(parts, middle, own, other, inner, outer);
    if (parts.within && parts.beyond) return parts;
    if ((other === 'inside' && parts.within) || (other === 'outside' && parts.beyond)) continue;
    pushEighths(cells, low, middle, high);
  }
  return { ...parts, isApart: parts.within === null, isContained: parts.beyond === null };
}

/** Notes the middle of a cell, of which it is known where all of the cell is, where it is a part's point. */
function note(
  parts: Parts,
  middle: number[],
  own: Place,
  other: Place,
  inner: Located,
  outer: Pick<Located, 'place'>,
): void {
  const point = hullOfPoint(middle);
  if (own !== 'inside' && inner.place(point) !== 'inside') return;
  const place = other === 'unsure' ? outer.place(point) : other;
  if (place === 'inside') parts.within ??= middle;
  else if (place === 'outside') parts.beyond ??= middle;
}

export const hullOfPoint = (point: ArrayLike<number>): { points: Float64Array; count: number } => ({
  points: Float64Array.of(point[0], point[1], point[2]),
  count: 1,
});

function pushEighths(cells: number[], low: number[], middle: number[], high: number[]): void {
  for (let part = 0; part < 8; part++) {
    for (let k = 0; k < 3; k++) cells.push((part >> k) & 1 ? middle[k] : low[k]);
    for (let k = 0; k < 3; k++) cells.push((part >> k) & 1 ? high[k] : middle[k]);
  }
}
