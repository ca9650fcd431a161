/**
 * Triangulates an outline in n log n steps.
 *
 * A sweep from left to right cuts it into pieces that are monotone along the sweep. (Lee and
 * Preparata, "Location of a Point in a Planar Subdivision and Its Applications", SIAM Journal on
 * Computing 6, 1977.) A stack cuts each piece into triangles. (Garey, Johnson, Preparata and
 * Tarjan, "Triangulating a Simple Polygon", Information Processing Letters 7, 1978.) Orientations
 * are exact, so the triangles of a simple outline cover it once.
 *
 * An outline may touch itself, as at the bridge to a hole. Coincident chains are followed to where
 * they part. If they do not, there is a bridge between them, with the inside on both sides. An
 * outline that crosses itself gets some triangles, which always partition its ring. Diagonals that
 * would cross others in the cyclic order of the vertices are left out, and the stack only needs two
 * chains.
 *
 * Letters: v, w are vertex numbers. A side has the number of its first vertex. The outline runs
 * counterclockwise, or is walked backwards. Earlier vertices of the sweep have a lower rank.
 */
import { orient2d } from '../geometry/orient.ts';

/** Most sides in a block of the status. */
const BLOCK = 256;
/** Most sides along which two coincident chains are followed. */
const MOST_SHARED = 100;

/**
 * @param outline u, v of vertex k at 2k; three vertices or more
 * @returns pairs i < j, unsorted, some of them twice; no two cross in the cyclic order
 * @example monotoneDiagonals(Float64Array.of(0, 0, 2, 0, 2, 2, 0, 2)) // [1, 3]
 */
export function monotoneDiagonals(outline: Float64Array): number[] {
  const size = outline.length / 2;
  const diagonals: number[] = [];
  const add = (v: number, w: number): void => {
    const gap = Math.abs(v - w);
    if (gap > 1 && gap < size - 1) diagonals.push(Math.min(v, w), Math.max(v, w));
  };
  const kept = withoutSpikes(outline, add);
  const addKept = (v: number, w: number): void => add(kept[v], kept[w]);
  const ring = new Ring(Float64Array.from({ length: 2 * kept.length }, (_, k) => outline[2 * kept[k >> 1] + (k & 1)]));
  const cuts = laminar(new Sweep(ring).diagonals(), ring.size);
  for (const face of facesOf(cuts, ring.size)) {
    for (let k = 0; k < face.length; k++) addKept(face[k], face[k + 1 === face.length ? 0 : k + 1]);
    if (face.length > 3) cutMonotone(face, ring, addKept);
  }
  return diagonals;
}

/** Cuts off spikes, and vertices at their neighbors' places. Leaves three vertices or more. */
function withoutSpikes(outline: Float64Array, cut: (v: number, w: number) => void): number[] {
  const size = outline.length / 2;
  const next = Uint32Array.from({ length: size }, (_, v) => (v + 1) % size);
  const previous = Uint32Array.from({ length: size }, (_, v) => (v + size - 1) % size);
  const isSpike = (v: number): boolean => {
    const [p, q, at] = [2 * previous[v], 2 * next[v], 2 * v];
    const ux = outline[p] - outline[at];
    const uy = outline[p + 1] - outline[at + 1];
    const wx = outline[q] - outline[at];
    const wy = outline[q + 1] - outline[at + 1];
    if ((ux === 0 && uy === 0) || (wx === 0 && wy === 0)) return true;
    // Rounded differences have the right signs, which give the direction along a line.
    const isBack = ux === 0 ? uy > 0 === wy > 0 : ux > 0 === wx > 0;
    return isBack && orient2d(outline, p, outline, at, outline, q, 2) === 0;
  };
  let v = 0;
  let count = size;
  for (let left = size; left > 0 && count > 3; ) {
    if (!isSpike(v)) {
      v = next[v];
      left--;
      continue;
    }
    cut(previous[v], next[v]);
    next[previous[v]] = next[v];
    previous[next[v]] = previous[v];
    v = previous[v];
    count--;
    left++;
  }
  const kept: number[] = [];
  for (let k = 0; k < count; k++, v = next[v]) kept.push(v);
  return kept.sort((a, b) => a - b);
}

class Ring {
  readonly size: number;
  readonly rank: Uint32Array;
  readonly order: Uint32Array;
  /** 1 if the outline runs counterclockwise, else -1. */
  readonly turn: 1 | -1;

  constructor(readonly outline: Float64Array) {
    const size = outline.length / 2;
    this.size = size;
    let area = 0;
    const [x, y] = outline;
    for (let k = 2; k < outline.length - 2; k += 2)
      area += (outline[k] - x) * (outline[k + 3] - y) - (outline[k + 1] - y) * (outline[k + 2] - x);
    this.turn = area < 0 ? -1 : 1;
    this.order = Uint32Array.from({ length: size }, (_, k) => k).sort(
      (a, b) => this.compare(a, b) || this.compareWedges(a, b) || a - b,
    );
    this.rank = new Uint32Array(size);
    for (let k = 0; k < size; k++) this.rank[this.order[k]] = k;
  }

  /** Negative if v comes before w, 0 if both are at one place. */
  private compare(v: number, w: number): number {
    const { outline } = this;
    return outline[2 * v] - outline[2 * w] || outline[2 * v + 1] - outline[2 * w + 1];
  }

  /**
   * At one place: ends of two sides, the innermost first; an end and a start; starts of two sides,
   * the outermost first.
   */
  private compareWedges(v: number, w: number): number {
    if (v === w) return 0;
    const [begun, lower, upper] = this.wedge(v);
    const [others, otherLower, otherUpper] = this.wedge(w);
    if (begun !== others || begun === 1) return begun - others;
    return -this.side(v, lower, otherLower) || this.side(v, upper, otherUpper);
  }

  /** The number of sides that begin at v, and its neighbors, the lower one first. */
  private wedge(v: number): [begun: number, lower: number, upper: number] {
    const p = this.previous(v);
    const q = this.next(v);
    const begun = Number(this.compare(v, p) < 0) + Number(this.compare(v, q) < 0);
    const isPreviousLower = this.side(v, p, q) * (begun - 1) > 0;
    return isPreviousLower ? [begun, p, q] : [begun, q, p];
  }

  next(v: number): number {
    const w = v + this.turn;
    return w < 0 ? this.size - 1 : w === this.size ? 0 : w;
  }

  previous(v: number): number {
    const w = v - this.turn;
    return w < 0 ? this.size - 1 : w === this.size ? 0 : w;
  }

  isBefore(v: number, w: number): boolean {
    return this.rank[v] < this.rank[w];
  }

  /** 1 if three vertices turn left, -1 if right, 0 if they are collinear. */
  side(a: number, b: number, c: number): number {
    return orient2d(this.outline, 2 * a, this.outline, 2 * b, this.outline, 2 * c, 2);
  }

  isSamePlace(v: number, w: number): boolean {
    return this.outline[2 * v] === this.outline[2 * w] && this.outline[2 * v + 1] === this.outline[2 * w + 1];
  }
}

/** Sides that the sweep line crosses and that have the inside above them, from below. */
class Status {
  private readonly blocks: number[][] = [[]];
  private readonly blockOf: (number[] | undefined)[];

  constructor(size: number) {
    this.blockOf = new Array(size);
  }

  has(side: number): boolean {
    return this.blockOf[side] !== undefined;
  }

  /** The last side for which `isBelow` holds, or null. It must hold for all sides before, too. */
  find(isBelow: (side: number) => boolean): number | null {
    const block = this.blocks[this.blockAt(isBelow)];
    const k = countWhile(block.length, (n) => isBelow(block[n]));
    return k === 0 ? null : block[k - 1];
  }

  insert(side: number, isBelow: (side: number) => boolean): void {
    const b = this.blockAt(isBelow);
    const block = this.blocks[b];
    block.splice(
      countWhile(block.length, (n) => isBelow(block[n])),
      0,
      side,
    );
    this.blockOf[side] = block;
    if (block.length <= BLOCK) return;
    const upper = block.splice(BLOCK / 2);
    for (const moved of upper) this.blockOf[moved] = upper;
    this.blocks.splice(b + 1, 0, upper);
  }

  remove(side: number): void {
    const block = this.blockOf[side]!;
    block.splice(block.indexOf(side), 1);
    this.blockOf[side] = undefined;
    if (block.length === 0 && this.blocks.length > 1) this.blocks.splice(this.blocks.indexOf(block), 1);
  }

  replace(side: number, by: number): void {
    const block = this.blockOf[side]!;
    block[block.indexOf(side)] = by;
    this.blockOf[side] = undefined;
    this.blockOf[by] = block;
  }

  /** The last block whose first side is below, else the first. */
  private blockAt(isBelow: (side: number) => boolean): number {
    const { blocks } = this;
    return countWhile(blocks.length - 1, (n) => isBelow(blocks[n + 1][0]));
  }
}

/** Bisects: the condition must hold for a first part of the numbers. */
function countWhile(length: number, holds: (n: number) => boolean): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Makes diagonals from every vertex at which a piece would not be monotone. */
class Sweep {
  private readonly status: Status;
  /** By side: the last vertex with a possible diagonal to the space above the side. */
  private readonly helper: Uint32Array;
  private readonly isMerge: Uint8Array;
  private readonly found: number[] = [];

  constructor(private readonly ring: Ring) {
    this.status = new Status(ring.size);
    this.helper = new Uint32Array(ring.size);
    this.isMerge = new Uint8Array(ring.size);
  }

  diagonals(): number[] {
    for (const v of this.ring.order) this.pass(v);
    return this.found;
  }

  private pass(v: number): void {
    const { ring } = this;
    const p = ring.previous(v);
    const q = ring.next(v);
    const begins = ring.isBefore(v, q);
    const isConvex = ring.side(p, v, q) > 0;
    if (ring.isBefore(p, v)) {
      this.close(p, v);
      if (begins) {
        this.open(v, p);
        return;
      }
      if (this.status.has(p)) this.status.remove(p);
      if (isConvex) return;
      this.isMerge[v] = 1;
      this.meet(this.sideBelow(v, null, q), v);
    } else if (begins) {
      if (!isConvex) {
        const below = this.sideBelow(v, p, null);
        if (below !== null) {
          this.add(v, this.helper[below]);
          this.helper[below] = v;
        }
      }
      this.open(v, null);
    } else this.meet(this.sideBelow(v, p, q), v);
  }

  /** @param before the side that ends at v */
  private open(v: number, before: number | null): void {
    this.helper[v] = v;
    if (before !== null && this.status.has(before)) this.status.replace(before, v);
    else this.status.insert(v, (side) => this.isBelow(side, v, this.ring.next(v), null));
  }

  /** Joins v to the helper of a side if nothing else would close the pieces that meet there. */
  private close(side: number, v: number): void {
    const helper = this.helper[side];
    if (this.status.has(side) && this.isMerge[helper]) this.add(v, helper);
  }

  private meet(side: number | null, v: number): void {
    if (side === null) return;
    this.close(side, v);
    this.helper[side] = v;
  }

  private add(v: number, w: number): void {
    this.found.push(Math.min(v, w), Math.max(v, w));
  }

  /** @param right the lower neighbor behind v in the sweep @param left that before it */
  private sideBelow(v: number, right: number | null, left: number | null): number | null {
    return this.status.find((side) => this.isBelow(side, v, right, left));
  }

  /** For a side through v: below the sides of v, behind v or else before. */
  private isBelow(side: number, v: number, right: number | null, left: number | null): boolean {
    const { ring } = this;
    const to = ring.next(side);
    const turn = ring.side(side, to, v);
    if (turn !== 0) return turn > 0;
    const behind = right === null ? 0 : this.parting(v, right, to, 1);
    if (behind !== 0) return behind < 0;
    return left !== null && this.parting(v, left, side, -1) > 0;
  }

  /**
   * Follows two chains from v to where they part, forward (ahead 1) or back (-1).
   *
   * @returns 1 if `other` turns left there, -1 if right, 0 if one of them turns back before
   */
  private parting(v: number, own: number, other: number, ahead: 1 | -1): number {
    const { ring } = this;
    const isForward = own === ring.next(v);
    const walk = (w: number, byNext: boolean): number | null => {
      const then = byNext ? ring.next(w) : ring.previous(w);
      return ring.isBefore(w, then) === ahead > 0 ? then : null;
    };
    let at = v;
    let a: number | null = own;
    let b: number | null = ring.isSamePlace(v, other) ? walk(other, ahead > 0) : other;
    for (let n = 0; n < MOST_SHARED && a !== null && b !== null; n++) {
      const turn = ring.side(at, a, b);
      if (turn !== 0) return turn;
      // The nearer end of the two is on both.
      const isSame = ring.isSamePlace(a, b);
      const isOwn = ring.isBefore(a, b) === ahead > 0;
      at = isOwn ? a : b;
      if (isSame || isOwn) a = walk(a, isForward);
      if (isSame || !isOwn) b = walk(b, ahead > 0);
    }
    return 0;
  }
}

/** Removes crossing diagonals. Keys are ordered by start, then the longest first. */
function laminar(pairs: readonly number[], size: number): Float64Array {
  const keys = new Float64Array(pairs.length / 2);
  for (let k = 0; k < keys.length; k++) keys[k] = pairs[2 * k] * size + (size - 1 - pairs[2 * k + 1]);
  keys.sort();
  const ends: number[] = [size - 1];
  let count = 0;
  for (const key of keys) {
    const start = Math.floor(key / size);
    const end = size - 1 - (key - start * size);
    if (end - start < 2 || end - start === size - 1) continue;
    while (ends.at(-1)! <= start) ends.pop();
    const isTwice = count > 0 && keys[count - 1] === key;
    if (end > ends.at(-1)! || isTwice) continue;
    ends.push(end);
    keys[count++] = key;
  }
  return keys.subarray(0, count);
}

function* facesOf(cuts: Float64Array, size: number): Generator<number[]> {
  const startOf = (cut: number): number => Math.floor(cut / size);
  const endOf = (cut: number): number => size - 1 - (cut - startOf(cut) * size);
  // The faces about the current vertex, the innermost last.
  const open: { face: number[]; end: number }[] = [{ face: [], end: size }];
  let k = 0;
  for (let v = 0; v < size; v++) {
    while (open.at(-1)!.end === v) {
      const { face } = open.pop()!;
      face.push(v);
      yield face;
    }
    open.at(-1)!.face.push(v);
    for (; k < cuts.length && startOf(cuts[k]) === v; k++) open.push({ face: [v], end: endOf(cuts[k]) });
  }
  yield open[0].face;
}

/** Both chains of the piece must be monotone along the sweep. */
function cutMonotone(face: readonly number[], ring: Ring, add: (v: number, w: number) => void): void {
  const count = face.length;
  let first = 0;
  let last = 0;
  for (let k = 1; k < count; k++) {
    if (ring.isBefore(face[k], face[first])) first = k;
    if (ring.isBefore(face[last], face[k])) last = k;
  }
  // Ascending numbers are the lower chain of a counterclockwise outline.
  let up = first;
  let down = first;
  const step = (k: number, by: number): number => (k + by + count) % count;
  const stack: number[] = [face[first]];
  let wentUp = false;
  for (let n = 1; n < count; n++) {
    const [nextUp, nextDown] = [step(up, 1), step(down, -1)];
    // The last vertex belongs to both chains.
    const goesUp = nextDown === last || (nextUp !== last && ring.isBefore(face[nextUp], face[nextDown]));
    const v = face[goesUp ? nextUp : nextDown];
    if (goesUp) up = nextUp;
    else down = nextDown;
    if (n > 1 && (goesUp !== wentUp || n === count - 1)) {
      for (const w of stack) add(v, w);
      stack.splice(0, stack.length - 1);
    } else {
      const inward = goesUp ? ring.turn : -ring.turn;
      let top = stack.pop()!;
      while (stack.length > 0 && ring.side(stack.at(-1)!, top, v) === inward) {
        top = stack.pop()!;
        add(v, top);
      }
      stack.push(top);
    }
    stack.push(v);
    wentUp = goesUp;
  }
}
