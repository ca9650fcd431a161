/**
 * Turns triangles so that they agree with their neighbors and face outward.
 *
 * A piece is connected over edges of two triangles. It is closed if its own triangles run through
 * every edge as often in one direction as in the other. So it may touch other pieces, or itself, at
 * edges of three triangles or more.
 *
 * - A closed piece gets a positive volume, unless it is a cavity.
 * - An open piece turns as little of its area as possible. So does a closed one if rounding leaves
 *   the sign of its volume open.
 * - A one-sided piece stays.
 *
 * Cavities: a piece that is negative, and that others wind around. A source that is inside out as a
 * whole encloses the same solid, so signs are relative to the outermost piece around. The source's
 * triangles must agree on a cavity, except for a tenth of its area.
 */
import { orient2d, orient3d } from '../geometry/orient.ts';
import {
  agreeingPieces,
  halfedges,
  NON_MANIFOLD,
  nextInTriangle as next,
  OPEN,
  type Pieces,
  type Surface,
  turnTriangle,
} from './topology.ts';
import { treeOfBoxes } from './triangle-tree.ts';
import { shellVolumes } from './volumes.ts';

export interface Turned {
  /** Triangles turned in pieces of which only a part was turned. */
  triangles: number;
  /** Pieces turned as a whole, and the sum of their triangles. */
  pieces: number;
  inPieces: number;
}

/** A piece that disagrees in more of its area is no cavity. */
const MIXED = 0.1;
/** Vertices to try: few lie on another piece. */
const MOST_POINTS = 16;

/**
 * Turns triangles in place: second and third corner change places. Vertices must be distinct
 * points. Linear, except for the search for cavities.
 */
export function orientOutward({ positions, triangles }: Surface): Turned {
  const twin = halfedges(triangles, positions.length / 3);
  const pieces = agreeingPieces(triangles, twin);
  const { start, order, isTurned } = pieces;
  const isClosed = closedPieces(triangles, twin, pieces);
  for (let t = 0; t < isTurned.length; t++) if (isTurned[t] === 1) turnTriangle(triangles, t);
  const isFlipped = findFlips(positions, triangles, pieces, isClosed);
  const turned: Turned = { triangles: 0, pieces: 0, inPieces: 0 };
  for (let piece = 0; piece < isFlipped.length; piece++) {
    let count = 0;
    for (let i = start[piece]; i < start[piece + 1]; i++) {
      if (isFlipped[piece] === 1) turnTriangle(triangles, order[i]);
      if (isTurned[order[i]] !== isFlipped[piece]) count++;
    }
    if (count < start[piece + 1] - start[piece]) turned.triangles += count;
    else {
      turned.pieces++;
      turned.inPieces += count;
    }
  }
  return turned;
}

/** Decides which pieces to turn as a whole; their triangles agree already. */
function findFlips(positions: Float64Array, triangles: Uint32Array, pieces: Pieces, isClosed: Uint8Array): Uint8Array {
  const { start, order, pieceOf, isTurned, isTwoSided } = pieces;
  const count = isTwoSided.length;
  const { volumes, errors } = shellVolumes({ positions }, { corners: triangles, shellOf: pieceOf, count });
  const isFlipped = new Uint8Array(count);
  const signs = new Int8Array(count);
  const isMixed = new Uint8Array(count);
  for (let piece = 0; piece < count; piece++) {
    if (isTwoSided[piece] === 0) continue;
    let [area, turnedArea, turned] = [0, 0, 0];
    for (let i = start[piece]; i < start[piece + 1]; i++) {
      const t = order[i];
      const own = areaOf(positions, triangles, t);
      area += own;
      if (isTurned[t] === 0) continue;
      turnedArea += own;
      turned++;
    }
    const isMore = 2 * turnedArea > area;
    const isAsMuch = 2 * turnedArea === area;
    isFlipped[piece] = isMore || (isAsMuch && 2 * turned > start[piece + 1] - start[piece]) ? 1 : 0;
    if (isClosed[piece] === 0 || !(Math.abs(volumes[piece]) > errors[piece])) continue;
    signs[piece] = volumes[piece] < 0 === (isFlipped[piece] === 1) ? 1 : -1;
    if (!(Math.min(turnedArea, area - turnedArea) > MIXED * area)) continue;
    isMixed[piece] = 1;
    signs[piece] = 1;
  }
  const isCavity = findCavities(positions, triangles, pieces, { signs, isMixed, volumes });
  for (let piece = 0; piece < count; piece++) {
    if (signs[piece] !== 0) isFlipped[piece] = volumes[piece] > 0 === (isCavity[piece] === 1) ? 1 : 0;
  }
  return isFlipped;
}

function areaOf(p: Float64Array, triangles: Uint32Array, t: number): number {
  const [a, b, c] = [3 * triangles[3 * t], 3 * triangles[3 * t + 1], 3 * triangles[3 * t + 2]];
  const [ux, uy, uz] = [p[b] - p[a], p[b + 1] - p[a + 1], p[b + 2] - p[a + 2]];
  const [vx, vy, vz] = [p[c] - p[a], p[c + 1] - p[a + 1], p[c + 2] - p[a + 2]];
  const [x, y, z] = [uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx];
  return Math.sqrt(x * x + y * y + z * z);
}

/**
 * 1 for two-sided pieces without open edges whose edges of three triangles or more cancel out.
 * `triangles` as `twin` has them, not yet turned.
 */
function closedPieces(triangles: Uint32Array, twin: Int32Array, { pieceOf, isTurned, isTwoSided }: Pieces): Uint8Array {
  const isClosed = isTwoSided.slice();
  const surplus = new Map<string, number>();
  for (let h = 0; h < twin.length; h++) {
    const piece = pieceOf[(h / 3) | 0];
    if (twin[h] === OPEN) isClosed[piece] = 0;
    if (twin[h] !== NON_MANIFOLD) continue;
    const [from, to] = [triangles[h], triangles[next(h)]];
    const key = `${piece} ${Math.min(from, to)} ${Math.max(from, to)}`;
    surplus.set(key, (surplus.get(key) ?? 0) + (from < to === (isTurned[(h / 3) | 0] === 0) ? 1 : -1));
  }
  for (const [key, sum] of surplus) if (sum !== 0) isClosed[Number.parseInt(key, 10)] = 0;
  return isClosed;
}

interface Signs {
  /** The sign of a closed piece's volume in its source; 1 for mixed pieces, 0 for open ones. */
  signs: Int8Array;
  isMixed: Uint8Array;
  volumes: Float64Array;
}

function findCavities(
  positions: Float64Array,
  triangles: Uint32Array,
  pieces: Pieces,
  { signs, isMixed, volumes }: Signs,
): Uint8Array {
  const isCavity = new Uint8Array(signs.length);
  if (!signs.includes(-1)) return isCavity;
  const around = piecesAround(positions, triangles, pieces, signs);
  // Pieces around others come first.
  const inner = [...around.keys()].sort((a, b) => around.get(a)!.length - around.get(b)!.length || a - b);
  for (const piece of inner) {
    const others = around.get(piece)!;
    const outermost = others.reduce((most, other) => {
      return Math.abs(volumes[other]) > Math.abs(volumes[most]) ? other : most;
    });
    const winding = others.reduce((sum, other) => sum + (isCavity[other] === 1 ? -1 : 1), 0);
    if (isMixed[piece] === 0 && signs[piece] !== signs[outermost] && winding > 0) isCavity[piece] = 1;
  }
  return isCavity;
}

/** The closed pieces that wind around each closed one, where there are any. */
function piecesAround(
  positions: Float64Array,
  triangles: Uint32Array,
  { start, order }: Pieces,
  signs: Int8Array,
): Map<number, number[]> {
  const closed = Uint32Array.from(signs.keys()).filter((piece) => signs[piece] !== 0);
  const boxes = new Float64Array(6 * closed.length);
  closed.forEach((piece, n) => {
    boxes.fill(Number.POSITIVE_INFINITY, 6 * n, 6 * n + 3).fill(Number.NEGATIVE_INFINITY, 6 * n + 3, 6 * n + 6);
    for (let i = 3 * start[piece]; i < 3 * start[piece + 1]; i++) {
      const v = 3 * triangles[3 * order[(i / 3) | 0] + (i % 3)];
      for (let k = 0; k < 3; k++) {
        boxes[6 * n + k] = Math.min(boxes[6 * n + k], positions[v + k]);
        boxes[6 * n + 3 + k] = Math.max(boxes[6 * n + 3 + k], positions[v + k]);
      }
    }
  });
  const holds = (outer: number, inner: number): boolean =>
    [0, 1, 2].every(
      (k) => boxes[6 * outer + k] <= boxes[6 * inner + k] && boxes[6 * outer + 3 + k] >= boxes[6 * inner + 3 + k],
    );
  const asked = new Map<number, number[]>();
  const ids = Uint32Array.from({ length: 3 * closed.length }, (_, i) => Math.floor(i / 3));
  treeOfBoxes(boxes).forPairs(ids, (i, j) => {
    for (const [outer, inner] of [
      [i, j],
      [j, i],
    ]) {
      if (!holds(outer, inner)) continue;
      const list = asked.get(outer);
      if (list) list.push(inner);
      else asked.set(outer, [inner]);
    }
    return false;
  });
  const around = new Map<number, number[]>();
  for (const [outer, list] of asked) {
    const own = order.subarray(start[closed[outer]], start[closed[outer] + 1]);
    const rays = new Rays(positions, triangles, own, boxes.subarray(6 * outer, 6 * outer + 6));
    for (const inner of list) {
      const piece = closed[inner];
      let winding: number | null = null;
      for (let i = start[piece]; winding === null && i < Math.min(start[piece + 1], start[piece] + MOST_POINTS); i++) {
        winding = rays.windingAbout(3 * triangles[3 * order[i]]);
      }
      // A piece on the other one is taken to be within.
      if (winding === 0) continue;
      const others = around.get(piece);
      if (others) others.push(closed[outer]);
      else around.set(piece, [closed[outer]]);
    }
  }
  for (const others of around.values()) others.sort((a, b) => a - b);
  return around;
}

/** Counts how often some triangles wind around points, along rays in direction x. */
class Rays {
  readonly #positions: Float64Array;
  readonly #triangles: Uint32Array;
  readonly #start: Uint32Array;
  readonly #items: Int32Array;
  readonly #low: number;
  readonly #scale: number;

  /** Strips across y keep the triangles that reach into them, about sixteen each. */
  constructor(positions: Float64Array, triangles: Uint32Array, list: Int32Array, box: Float64Array) {
    this.#positions = positions;
    this.#triangles = triangles;
    const strips = Math.max(1, Math.floor(Math.sqrt(list.length) / 4));
    this.#low = box[1];
    const scale = strips / (box[4] - box[1]);
    this.#scale = scale < Number.POSITIVE_INFINITY ? scale : 0;
    const start = new Uint32Array(strips + 1);
    const count = (t: number, visit: (strip: number) => void): void => {
      const y = [0, 1, 2].map((k) => positions[3 * triangles[3 * t + k] + 1]);
      const last = this.#strip(Math.max(...y), strips);
      for (let strip = this.#strip(Math.min(...y), strips); strip <= last; strip++) visit(strip);
    };
    for (const t of list)
      count(t, (strip) => {
        start[strip + 1]++;
      });
    for (let strip = 0; strip < strips; strip++) start[strip + 1] += start[strip];
    this.#start = start;
    this.#items = new Int32Array(start[strips]);
    const filled = start.slice();
    for (const t of list)
      count(t, (strip) => {
        this.#items[filled[strip]++] = t;
      });
  }

  #strip(y: number, strips: number): number {
    return Math.min(strips - 1, Math.max(0, Math.floor((y - this.#low) * this.#scale)));
  }

  /** The winding number about the vertex at `at`; null if it is on a triangle. */
  windingAbout(at: number): number | null {
    const p = this.#positions;
    const strip = this.#strip(p[at + 1], this.#start.length - 1);
    let winding = 0;
    for (let n = this.#start[strip]; n < this.#start[strip + 1]; n++) {
      const t = this.#items[n];
      const [a, b, c] = [0, 1, 2].map((k) => 3 * this.#triangles[3 * t + k]);
      const sign = sideOf(p, a, b, at);
      if (sign === 0 || sideOf(p, b, c, at) !== sign || sideOf(p, c, a, at) !== sign) continue;
      const side = orient3d(p, at, p, a, p, b, p, c);
      if (side === 0) return null;
      // Seen along x, a triangle that turns left faces ahead; the point is behind it.
      if (side === -sign) winding += sign;
    }
    return winding;
  }
}

/**
 * The side of an edge on which a point is, as seen along x. The point counts as moved by very
 * little along y and much less along z. So it is on no edge, and two triangles of an edge agree. 0
 * if the edge is seen as a point.
 */
function sideOf(p: Float64Array, a: number, b: number, q: number): number {
  return orient2d(p, a, p, b, p, q, 0) || Math.sign(p[a + 2] - p[b + 2]) || Math.sign(p[b + 1] - p[a + 1]);
}
