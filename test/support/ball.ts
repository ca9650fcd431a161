/**
 * A ball as a solid that a function defines, for tests of the query engine. It has cells of an
 * octree, some of them empty. It answers queries about hulls by the distance of its center,
 * computed here over all triangles and tetrahedra of a hull's points.
 */
import type { NodeWriter } from '../../src/engine/bound-tree.ts';
import type { Refined } from '../../src/engine/representation.ts';

export type Point = readonly [number, number, number];

export interface BallOptions {
  centre?: Point;
  radius?: number;
  /** Cells are halved so often. */
  depth?: number;
  /** Answers are unsure where the centre's distance is so near to the radius. */
  margin?: number;
  /** Cells as of the ball, but nothing in them: every answer is 'out', no core. */
  isHollow?: boolean;
}

/** The functions of a representation, for one asset. */
export interface Ball {
  centre: Point;
  radius: number;
  margin: number;
  /** The diagonal of the smallest cells. */
  cell: number;
  reach: number;
  /** How often `refine` was called. */
  asked: number;
  /** How many leaves and branches have nothing below them. */
  empty: { leaves: number; branches: number };
  unfold(node: number, into: NodeWriter): void;
  hull(id: number, out: Float64Array): number;
  core(id: number, out: Float64Array): number;
  refine(points: Float64Array, count: number, slack: number): Refined;
}

/** Far above the rounding of the distances here, for coordinates up to about 10. */
const ROUNDING = 1e-12;

interface Cell {
  centre: Point;
  half: Point;
  level: number;
}

/** A ball within the cube of +-1. Leaves at the last level have two hulls, halves of the cell. */
export function ball(options: BallOptions = {}): Ball {
  const { centre = [0.125, -0.0625, 0.03], radius = 0.7, depth = 4, margin = 1e-6, isHollow = false } = options;
  const branches: Cell[] = [];
  const hulls: Cell[] = [];
  const empty = { leaves: 0, branches: 0 };

  const writeBox = ({ centre: c, half: h }: Cell, into: NodeWriter, at: number): void => {
    into.bounds.set([...c, 0, 1, 0, 0, h[0], 0, 1, 0, h[1], 0, 0, 1, h[2]], at);
  };
  const write = (cell: Cell, into: NodeWriter): void => {
    const least = pointToBox(centre, cell);
    const most = Math.max(...corners(cell).map((corner) => lengthOf(minus(corner, centre))));
    if (cell.level < depth && most > radius) {
      branches.push(cell);
      writeBox(cell, into, into.branch(branches.length - 1));
      return;
    }
    if (least > radius) empty.leaves++;
    const { centre: c, half: h, level } = cell;
    const halves: Cell[] = [-1, 1].map((side) => ({
      centre: [c[0] + (side * h[0]) / 2, c[1], c[2]],
      half: [h[0] / 2, h[1], h[2]],
      level,
    }));
    const own = level === depth && depth > 0 ? halves : [cell];
    hulls.push(...own);
    writeBox(cell, into, into.leaf(hulls.length - own.length, own.length));
  };

  const self: Ball = {
    centre,
    radius,
    margin,
    cell: 2 * Math.sqrt(3) * 2 ** -depth,
    reach: 2,
    asked: 0,
    empty,
    unfold(node, into) {
      if (node < 0) return write({ centre: [0, 0, 0], half: [1, 1, 1], level: 0 }, into);
      const { centre: c, half: h, level } = branches[node];
      let children = 0;
      for (let k = 0; k < 8; k++) {
        const side = [k & 1, (k >> 1) & 1, k >> 2].map((bit) => bit - 0.5);
        const child: Cell = {
          centre: [c[0] + side[0] * h[0], c[1] + side[1] * h[1], c[2] + side[2] * h[2]],
          half: [h[0] / 2, h[1] / 2, h[2] / 2],
          level: level + 1,
        };
        // Branches are kept that hold nothing, and some such leaves.
        const isKept = pointToBox(centre, child) <= radius + (level + 1 < depth ? 1.5 : (k % 2) * 0.5) * child.half[0];
        if (!isKept) continue;
        children++;
        write(child, into);
      }
      if (children === 0) empty.branches++;
    },
    hull(id, out) {
      out.set(corners(hulls[id]).flat());
      return 8;
    },
    core(id, out) {
      if (isHollow) return 0;
      const inside = corners(hulls[id]).filter((corner) => lengthOf(minus(corner, centre)) <= radius - ROUNDING);
      out.set(inside.flat());
      return inside.length;
    },
    refine(points, count, slack) {
      self.asked++;
      if (isHollow) return 'out';
      const list = Array.from(
        { length: count },
        (_, k): Point => [points[3 * k], points[3 * k + 1], points[3 * k + 2]],
      );
      const nearest = Math.min(...list.map((point) => lengthOf(minus(point, centre))));
      const unsure = slack + margin + ROUNDING * Math.max(1, nearest);
      // Most are far away, or have a point deep inside.
      const diameter = Math.max(...list.map((point) => lengthOf(minus(point, list[0])))) * 2;
      if (nearest - diameter > radius + unsure) return 'out';
      const gap = (nearest < radius - unsure ? nearest : distanceToHull(centre, list)) - radius;
      return gap > unsure ? 'out' : gap < -unsure ? 'in' : 'unsure';
    },
  };
  return self;
}

function corners({ centre: c, half: h }: Cell): Point[] {
  return Array.from(
    { length: 8 },
    (_, k): Point => [c[0] + (k & 1 ? h[0] : -h[0]), c[1] + (k & 2 ? h[1] : -h[1]), c[2] + (k & 4 ? h[2] : -h[2])],
  );
}

const minus = (a: Point, b: Point): Point => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const dot = (a: Point, b: Point): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a: Point, b: Point): Point => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];
export const lengthOf = (a: Point): number => Math.sqrt(dot(a, a));

const pointToBox = (p: Point, { centre: c, half: h }: Cell): number =>
  Math.hypot(...[0, 1, 2].map((k) => Math.max(0, Math.abs(p[k] - c[k]) - h[k])));

/** The distance of p from the convex hull of up to eight points, to rounding: 0 in a tetrahedron of them, else that of the nearest triangle. */
export function distanceToHull(p: Point, points: Point[]): number {
  const q = points.map((point) => minus(point, p));
  const n = q.length;
  let least = Number.POSITIVE_INFINITY;
  for (let i = 0; i < n; i++) {
    least = Math.min(least, lengthOf(q[i]));
    for (let j = i + 1; j < n; j++) {
      least = Math.min(least, originToSegment(q[i], q[j]));
      for (let k = j + 1; k < n; k++) {
        least = Math.min(least, originToPlane(q[i], q[j], q[k]));
        for (let l = k + 1; l < n; l++) if (holdsOrigin(q[i], q[j], q[k], q[l])) return 0;
      }
    }
  }
  return least;
}

function originToSegment(a: Point, b: Point): number {
  const along = minus(b, a);
  const t = Math.min(1, Math.max(0, -dot(a, along) / Math.max(dot(along, along), 1e-300)));
  return lengthOf([a[0] + t * along[0], a[1] + t * along[1], a[2] + t * along[2]]);
}

/** Infinity where the foot of the perpendicular is outside the triangle, or the triangle has no area to speak of. */
function originToPlane(a: Point, b: Point, c: Point): number {
  const normal = cross(minus(b, a), minus(c, a));
  if (volume(a, b, normal) < 0 || volume(b, c, normal) < 0 || volume(c, a, normal) < 0) return Number.POSITIVE_INFINITY;
  const length = lengthOf(normal);
  return length > 1e-12 ? Math.abs(dot(a, normal)) / length : Number.POSITIVE_INFINITY;
}

/** p (q x r). */
const volume = (p: Point, q: Point, r: Point): number =>
  p[0] * (q[1] * r[2] - q[2] * r[1]) + p[1] * (q[2] * r[0] - q[0] * r[2]) + p[2] * (q[0] * r[1] - q[1] * r[0]);

function holdsOrigin(a: Point, b: Point, c: Point, d: Point): boolean {
  const opposite = [volume(b, d, c), volume(a, c, d), volume(a, d, b), volume(a, b, c)];
  const whole = opposite[0] + opposite[1] + opposite[2] + opposite[3];
  return Math.abs(whole) > 1e-12 && opposite.every((part) => part * whole >= 0);
}
