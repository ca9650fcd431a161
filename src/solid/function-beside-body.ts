/**
 * Decides how a function's solid lies to one of triangles, by proving which parts of space are in
 * both, and in either alone.
 *
 * If the triangles' surface has a point strictly inside the function's solid, points of both and of
 * the function's alone are beside it. If it has one strictly outside, there are points of the
 * triangles' solid alone. Together they prove an overlap. If the whole surface is outside the
 * function's solid, every cell of that is on one side of the surface, once cells are small enough.
 * If the whole surface is inside, so is every cell of the function's complement.
 */
import type { MovedHull } from '../engine/narrow-phase.ts';
import { traverse } from '../engine/traverse.ts';
import { partsOf } from './cells.ts';
import { hullOfPoint, type LocatedBody, type LocatedFunction, type Place } from './located.ts';

/** Points that prove parts, x, y, z; and parts proved to be empty. */
export interface Shares {
  both: number[] | null;
  onlyF: number[] | null;
  onlyS: number[] | null;
  isApart: boolean;
  /** True if the function's solid is all inside the other, and the reverse. */
  isInsideS: boolean;
  isInsideF: boolean;
}

/** Triangles in contact, and others, on which to look for a point. */
const MOST_TOUCHED = 64;
const SPREAD = 64;
const MOST_PARTS = 1024;
const MOST_BOUNDS = 4096;

export function sharesOf(f: LocatedFunction, s: LocatedBody): Shares {
  const shares: Shares = { both: null, onlyF: null, onlyS: null, isApart: false, isInsideS: false, isInsideF: false };
  const { operand, pose, body } = s.placed;
  const query = { poseA: f.pose, poseB: pose, all: true, maxContacts: MOST_TOUCHED, level: null };
  const { verdict, contacts } = traverse(f.solid, operand, query);
  const count = body.surface.triangles.length / 3;
  const some = Array.from({ length: Math.min(count, SPREAD) }, (_, i) =>
    Math.floor((i * count) / Math.min(count, SPREAD)),
  );
  const outer = beside(f, s, 'outside', some);
  shares.onlyS = outer?.inside ?? null;
  if (verdict === 'clear') {
    const parts = partsOf(f.solid, f.pose, (point) => f.place(point) === 'inside', s);
    const { within: both, beyond: onlyF, isNoneWithin: isApart, isNoneBeyond } = parts;
    return { ...shares, both, onlyF, isApart, isInsideS: both !== null && isNoneBeyond };
  }
  const touched = contacts.pairs.map(([, triangle]) => triangle);
  const inner = beside(f, s, 'inside', touched);
  shares.both = inner?.inside ?? null;
  shares.onlyF = inner?.outside ?? null;
  if (shares.onlyS || !shares.both) return shares;
  const stray = strayTriangle(f, s);
  if (stray === 'unsure') return shares;
  if (stray !== null) return { ...shares, onlyS: beside(f, s, 'outside', [stray])?.inside ?? null };
  const holes = partsOf(f.complement, f.pose, (point) => f.place(point) === 'outside', s);
  return { ...shares, onlyS: holes.within, isInsideF: holes.isNoneWithin };
}

/** Two points, strictly inside and strictly outside of s, on the wanted side of f. */
interface Beside {
  inside: number[];
  outside: number[];
}

/** Points beside one on a triangle of s strictly inside, or outside, of f; or null. */
function beside(f: LocatedFunction, s: LocatedBody, wanted: Place, triangles: readonly number[]): Beside | null {
  let left = MOST_PARTS;
  for (const triangle of triangles) {
    const parts: Float64Array[] = [s.placed.operand.load(triangle).points.slice(0, 9)];
    const normal = normalOf(parts[0]);
    for (let n = 0; n < parts.length && left > 0; n++, left--) {
      const part = parts[n];
      const middle = [0, 1, 2].map((k) => part[k] / 3 + part[3 + k] / 3 + part[6 + k] / 3);
      if (f.place(hullOfPoint(middle)) === wanted) {
        const found = normal && pointsBeside(f, s, wanted, middle, normal);
        if (found) return found;
        // Other triangles cover it, probably all of it.
        break;
      }
      const all = f.place({ points: part, count: 3 });
      if (all === 'unsure') parts.push(...quartersOf(part));
    }
  }
  return null;
}

/** Steps off a surface, relative to its size, until f has both sides alike. */
const STEPS = [-8, -16, -24, -32, -40].map((exponent) => 2 ** exponent);

function pointsBeside(
  f: LocatedFunction,
  s: LocatedBody,
  wanted: Place,
  point: number[],
  normal: number[],
): Beside | null {
  const across = s.box[3] - s.box[0] + (s.box[4] - s.box[1]) + (s.box[5] - s.box[2]);
  for (const step of STEPS) {
    const ends = [step, -step].map((by) => point.map((x, k) => x + by * across * normal[k]));
    if (ends.some((end) => f.place(hullOfPoint(end)) !== wanted)) continue;
    const places = ends.map((end) => s.place(hullOfPoint(end)));
    const [inside, outside] = [ends[places.indexOf('inside')], ends[places.indexOf('outside')]];
    if (inside && outside) return { inside, outside };
  }
  return null;
}

/** A triangle of s not strictly inside f; null if there is surely none. */
function strayTriangle(f: LocatedFunction, s: LocatedBody): number | 'unsure' | null {
  const { tree, load } = s.placed.operand;
  const nodes = [0];
  for (let n = 0; n < nodes.length; n++) {
    if (n === MOST_BOUNDS) return 'unsure';
    const node = nodes[n];
    if (!tree.isLeaf(node)) {
      const first = tree.firstChild(node);
      for (let child = first; child < first + tree.count[node]; child++) nodes.push(child);
      continue;
    }
    const first = ~tree.link[node];
    for (let id = first; id < first + tree.count[node]; id++) if (!isAllInside(f, load(id))) return id;
  }
  return null;
}

const isAllInside = (f: LocatedFunction, triangle: MovedHull): boolean =>
  f.complement.solid!.ask(triangle, 0, MOST_PARTS) === 'out';

function normalOf(t: Float64Array): number[] | null {
  const [p, q] = [[0, 1, 2].map((k) => t[3 + k] - t[k]), [0, 1, 2].map((k) => t[6 + k] - t[k])];
  const cross = [0, 1, 2].map((k) => p[(k + 1) % 3] * q[(k + 2) % 3] - p[(k + 2) % 3] * q[(k + 1) % 3]);
  const length = Math.sqrt(cross.reduce((sum, x) => sum + x * x, 0));
  return length > 0 ? cross.map((x) => x / length) : null;
}

function quartersOf(t: Float64Array): Float64Array[] {
  const corner = (i: number, j: number): number[] => [0, 1, 2].map((k) => t[3 * i + k] / 2 + t[3 * j + k] / 2);
  const [a, b, c, ab, bc, ca] = [corner(0, 0), corner(1, 1), corner(2, 2), corner(0, 1), corner(1, 2), corner(2, 0)];
  return [
    [a, ab, ca],
    [ab, b, bc],
    [ca, bc, c],
    [ab, bc, ca],
  ].map((part) => Float64Array.from(part.flat()));
}
