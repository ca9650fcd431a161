/**
 * Chooses the direction from which a finding is seen: both objects and their contact. Draws the
 * objects from many directions, each into a small depth buffer of its own.
 *
 * Letters: w is one over the depth along the line of sight, which is linear in the picture; larger
 * is nearer. D is the distance from the eye to what it looks at, the origin of all points.
 */
import { movePoint, type Pose } from '../math/pose.ts';
import type { Surface } from '../mesh/topology.ts';
import {
  axesOf,
  type Box,
  type Framing,
  fitCamera,
  frameFinding,
  laid,
  type Sight as Side,
  stood,
  tangentOf,
  type Up,
} from './camera.ts';

export interface Seen {
  surface: Surface;
  pose: Pose;
}

/** A point that both touch, or midway between their nearest points; and the box around it. */
export interface Place {
  point: readonly number[] | null;
  box: Box | null;
}

export interface From {
  /** The direction towards the viewer now, which stays if it is nearly as good as the best. */
  from?: readonly number[];
  up?: Up | undefined;
  isOrthographic?: boolean;
}

export interface VisibleFraming extends Framing {
  /** The object that hides the contact from everywhere; null if none does. */
  through: number | null;
}

/** Pixels along a side of a drawing. */
const SIDE = 64;
const PIXELS = SIDE * SIDE;
const pixel = (): number => (2 * tangentOf(1)) / SIDE;
/** Pixels; depths that differ by less count as equal. */
const SAME = 1.5;
/** More visible pixels of an object, or of a contact, make no direction better. */
const ENOUGH = 0.02 * PIXELS;
const ENOUGH_OF_CONTACT = 8;
const POINT_ALONE = 0.5;
/** For one solid in another, which have no contact. */
const NO_CONTACT = 0.12;
/** Directions from which translucent objects are tried: those from above. */
const FEW = 17;
/** Directions are good from this part of the best; with less than LEAST something is hidden. */
const GOOD = 0.7;
const LEAST = 0.1;
/** Most small triangles of an object to draw. */
const MOST_DOTS = 15_000;
/** Least depth, as a part of D. */
const NEAREST = 1e-3;
/** Parallel lines of sight come from an eye at this multiple of the distance. */
const FAR = 32;

/**
 * Frames a finding so that both objects and their contact are visible.
 *
 * @param objects one or two, where they stand
 */
export function frameVisible(
  objects: readonly Seen[],
  { point, box: place, from, up = 'z', isOrthographic = false }: Place & From,
): VisibleFraming {
  const moved = objects.map(movedBy);
  const { box, direction: usual } = frameFinding(
    place,
    moved.map(({ box }) => box),
    up,
  );
  const { eye, target } = fitCamera(box, 1, { up });
  const distance = distanceOf(eye.map((x, k) => x - target[k]!));
  const reach = (isOrthographic ? FAR : 2) * distance;
  const rasters = moved.map((object) => new Raster(contentOf(object, { target, reach, least: pixel() * distance })));
  const at = point?.map((x, k) => x - target[k]!) ?? null;
  let last: Drawing | null = null;
  const drawn = (direction: readonly number[]): Drawing => {
    if (last?.direction === direction) return last;
    const sight = sightOf(box, { direction, up, isOrthographic });
    for (const raster of rasters) raster.draw(sight);
    const { eye } = fitCamera(box, 1, { direction, up });
    const isInside = (): boolean => !isOrthographic && moved.some((object) => holds(object, eye, direction));
    last = { direction, isInside, rasters, sight, spot: at && spotOf(sight, at) };
    return last;
  };
  const directions = [...(from ? [from] : []), ...around(stood(usual, up)).map((side) => laid(side, up))];
  const plain = best(directions, (direction) => valuePlain(drawn(direction)));
  if (plain.value >= LEAST || objects.length < 2) return { box, direction: plain.choice, through: null };
  const sizes = moved.map(({ box: { low, high } }) => Math.max(...low.map((x, k) => high[k]! - x)));
  const larger = sizes[0]! >= sizes[1]! ? 0 : 1;
  const choices = directions
    .slice(0, FEW)
    .flatMap((direction) => [larger, 1 - larger].map((through) => ({ direction, through })));
  const glass = best(choices, ({ direction, through }) => valueThrough(drawn(direction), through));
  return glass.value >= LEAST ? { box, ...glass.choice } : { box, direction: plain.choice, through: null };
}

/** Returns the first choice that is nearly as good as the best. */
function best<T>(choices: readonly T[], measure: (choice: T) => number): { choice: T; value: number } {
  const values: number[] = [];
  for (const choice of choices) {
    values.push(measure(choice));
    if (values[values.length - 1]! >= 1) break;
  }
  const first = values.findIndex((value) => value >= GOOD * Math.max(...values));
  return { choice: choices[first]!, value: values[first]! };
}

const HALF = Math.sqrt(0.5);

/** Cosine and sine of eighths of a turn, the least first. */
const TURNS = [
  [1, 0],
  [HALF, HALF],
  [HALF, -HALF],
  [0, 1],
  [0, -1],
  [-HALF, HALF],
  [-HALF, -HALF],
  [-1, 0],
] as const;

/** Returns a direction from eight sides: as it is, steep, flat, from below; then top and bottom. */
function around([x = 0, y = 0, z = 0]: readonly number[]): (readonly number[])[] {
  const sides = TURNS.map(([cos, sin]) => [cos * x - sin * y, sin * x + cos * y] as const);
  const heights = [z, 3.5 * z, 0.25 * z, -z];
  return [...heights.flatMap((height) => sides.map(([u, v]) => [u, v, height])), [x, y, 20 * z], [x, y, -20 * z]];
}

interface Moved {
  points: Float64Array;
  triangles: Uint32Array;
  box: Box;
}

function movedBy({ surface: { positions, triangles }, pose }: Seen): Moved {
  const points = new Float64Array(positions.length);
  for (let i = 0; i < points.length; i += 3)
    movePoint(pose, positions[i]!, positions[i + 1]!, positions[i + 2]!, points, i);
  const low = [0, 1, 2].map((k) => (triangles.length > 0 ? points[3 * triangles[0]! + k]! : 0));
  const high = low.slice();
  for (let c = 0; c < triangles.length; c++) {
    for (let k = 0; k < 3; k++) {
      const x = points[3 * triangles[c]! + k]!;
      if (x < low[k]!) low[k] = x;
      if (x > high[k]!) high[k] = x;
    }
  }
  return { points, triangles, box: { low, high } };
}

/** Off any symmetry, so that rays meet no edges. */
const ASIDE = [0.0137, 0.0071, 0.0043];

/**
 * True if a point is inside the surface: a ray from there goes through it an odd number of times.
 * In doubles, since a wrong answer costs no more than a poor view.
 */
function holds({ points, triangles, box }: Moved, from: readonly number[], way: readonly number[]): boolean {
  if (from.some((x, k) => x < box.low[k]! || x > box.high[k]!)) return false;
  const [x, y, z] = way.map((w, k) => w + ASIDE[k]!) as [number, number, number];
  const [fx, fy, fz] = from as [number, number, number];
  // The volume of two corners with the ray: its sign tells the side on which it passes them.
  const side = (p: number, q: number): number => {
    const px = points[p]! - fx;
    const py = points[p + 1]! - fy;
    const pz = points[p + 2]! - fz;
    const qx = points[q]! - fx;
    const qy = points[q + 1]! - fy;
    const qz = points[q + 2]! - fz;
    return x * (py * qz - pz * qy) + y * (pz * qx - px * qz) + z * (px * qy - py * qx);
  };
  const along = (p: number): number => x * (points[p]! - fx) + y * (points[p + 1]! - fy) + z * (points[p + 2]! - fz);
  let isOdd = false;
  for (let t = 0; t < triangles.length; t += 3) {
    const p = 3 * triangles[t]!;
    const q = 3 * triangles[t + 1]!;
    const r = 3 * triangles[t + 2]!;
    const s = side(q, r);
    const u = side(r, p);
    if (s < 0 !== u < 0) continue;
    const v = side(p, q);
    if (s < 0 === v < 0 && (s * along(p) + u * along(q) + v * along(r)) / (s + u + v) > 0) isOdd = !isOdd;
  }
  return isOdd;
}

/** x, y, z each, about what the eye looks at. */
interface Content {
  points: Float64Array;
  triangles: Uint32Array;
  /** One corner of each triangle that is smaller than a pixel. */
  dots: Float64Array;
}

/** Leaves out triangles beyond `reach`, which hide nothing, and some small ones of many. */
function contentOf(
  { points, triangles }: Moved,
  { target, reach, least }: { target: readonly number[]; reach: number; least: number },
): Content {
  const [large, small]: [number[], number[]] = [[], []];
  for (let t = 0; t < triangles.length; t += 3) {
    let isNear = true;
    let isSmall = true;
    for (let k = 0; k < 3; k++) {
      const p = points[3 * triangles[t]! + k]!;
      const q = points[3 * triangles[t + 1]! + k]!;
      const r = points[3 * triangles[t + 2]! + k]!;
      const low = Math.min(p, q, r);
      const high = Math.max(p, q, r);
      if (low - target[k]! > reach || high - target[k]! < -reach) isNear = false;
      if (high - low > least) isSmall = false;
    }
    if (!isNear) continue;
    if (isSmall) small.push(triangles[t]!);
    else large.push(triangles[t]!, triangles[t + 1]!, triangles[t + 2]!);
  }
  const step = Math.ceil(small.length / MOST_DOTS);
  const gathered = (vertices: readonly number[]): Float64Array => {
    const places = new Float64Array(3 * vertices.length);
    for (let i = 0; i < places.length; i++) places[i] = points[3 * vertices[(i / 3) | 0]! + (i % 3)]! - target[i % 3]!;
    return places;
  };
  const numbers = new Int32Array(points.length / 3).fill(-1);
  const used: number[] = [];
  const renumbered = (vertex: number): number => {
    if (numbers[vertex]! < 0) numbers[vertex] = used.push(vertex) - 1;
    return numbers[vertex]!;
  };
  return {
    triangles: Uint32Array.from(large, renumbered),
    points: gathered(used),
    dots: gathered(small.filter((_, i) => i % step === 0)),
  };
}

/** The place of the eye: rows that give places to the right, upward, and the depth; and D. */
interface Sight {
  rows: Float64Array;
  distance: number;
  /** Width of a pixel at depth 1. */
  pixel: number;
}

function sightOf(box: Box, side: Required<Side>): Sight {
  const { eye, target } = fitCamera(box, 1, side);
  const { right, up, toward } = axesOf(side.direction, side.up);
  const rows = Float64Array.of(...right, ...up, ...toward.map((x) => -x));
  const times = side.isOrthographic ? FAR : 1;
  return { rows, distance: times * distanceOf(eye.map((x, k) => x - target[k]!)), pixel: pixel() / times };
}

const distanceOf = ([x = 0, y = 0, z = 0]: readonly number[]): number => Math.sqrt(x * x + y * y + z * z);

/** A point in the picture: its pixel, and w; null if it is not seen. */
function spotOf(sight: Sight, point: ArrayLike<number>): { pixel: number; w: number } | null {
  turn(sight, point, 0, turned, 0);
  if (!(turned[2]! > NEAREST * sight.distance)) return null;
  toPicture(sight, turned, 0);
  const [column, row] = [Math.floor(turned[0]!), Math.floor(turned[1]!)];
  const isInside = column >= 0 && row >= 0 && column < SIDE && row < SIDE;
  return isInside ? { pixel: row * SIDE + column, w: turned[2]! } : null;
}

/** Writes places to the right, upwards, and the depth. */
function turn({ rows, distance }: Sight, points: ArrayLike<number>, at: number, out: Float64Array, to: number): void {
  const x = points[at]!;
  const y = points[at + 1]!;
  const z = points[at + 2]!;
  out[to] = rows[0]! * x + rows[1]! * y + rows[2]! * z;
  out[to + 1] = rows[3]! * x + rows[4]! * y + rows[5]! * z;
  out[to + 2] = distance + rows[6]! * x + rows[7]! * y + rows[8]! * z;
}

/** Turns the output of `turn` into a column, a row, and w. */
function toPicture({ pixel }: Sight, places: Float64Array, at: number): void {
  const w = 1 / places[at + 2]!;
  places[at] = SIDE / 2 + (places[at]! * w) / pixel;
  places[at + 1] = SIDE / 2 + (places[at + 1]! * w) / pixel;
  places[at + 2] = w;
}

const turned = new Float64Array(3);
/** Corners of a triangle that a plane has cut. */
const cut = new Float64Array(12);

class Raster {
  /** The largest w of each pixel; 0: nothing is there. */
  readonly nearest = new Float64Array(PIXELS);
  /** Pixels whose w belongs to a dot, which may be a pixel away. */
  readonly isRough = new Uint8Array(PIXELS);
  /** Pixels where some layer of this object is as far as the front of the other. */
  readonly touches = new Uint8Array(PIXELS);
  /** If given, `put` compares instead of drawing. */
  private other: Float64Array | null = null;
  /** Relative difference of depths that count as equal. */
  private same = 0;
  private readonly turned: Float64Array;

  constructor(private readonly content: Content) {
    this.turned = new Float64Array(content.points.length);
  }

  draw(sight: Sight): void {
    this.nearest.fill(0);
    this.other = null;
    this.same = SAME * sight.pixel;
    this.each(sight);
  }

  compare(sight: Sight, { nearest }: Raster): void {
    this.touches.fill(0);
    this.other = nearest;
    this.each(sight);
  }

  private each(sight: Sight): void {
    const { points, triangles, dots } = this.content;
    const least = NEAREST * sight.distance;
    const half = (sight.pixel * SIDE) / 2;
    const places = this.turned;
    for (let i = 0; i < points.length; i += 3) turn(sight, points, i, places, i);
    for (let t = 0; t < triangles.length; t += 3) {
      const a = 3 * triangles[t]!;
      const b = 3 * triangles[t + 1]!;
      const c = 3 * triangles[t + 2]!;
      const ah = half * places[a + 2]!;
      const bh = half * places[b + 2]!;
      const ch = half * places[c + 2]!;
      // Beside the picture.
      if (places[a]! > ah && places[b]! > bh && places[c]! > ch) continue;
      if (-places[a]! > ah && -places[b]! > bh && -places[c]! > ch) continue;
      if (places[a + 1]! > ah && places[b + 1]! > bh && places[c + 1]! > ch) continue;
      if (-places[a + 1]! > ah && -places[b + 1]! > bh && -places[c + 1]! > ch) continue;
      const count = cutNear(places, [a, b, c], least);
      for (let k = 0; k < count; k++) toPicture(sight, cut, 3 * k);
      for (let k = 6; k < 3 * count; k += 3) this.fill(0, k - 3, k);
    }
    for (let i = 0; i < dots.length; i += 3) {
      turn(sight, dots, i, turned, 0);
      if (!(turned[2]! > least)) continue;
      toPicture(sight, turned, 0);
      const column = Math.round(turned[0]!);
      const row = Math.round(turned[1]!);
      if (column < 1 || row < 1 || column >= SIDE || row >= SIDE) continue;
      // Four pixels, so that no gaps are left.
      const at = row * SIDE + column;
      const w = turned[2]!;
      this.put(at, w, 1);
      this.put(at - 1, w, 1);
      this.put(at - SIDE, w, 1);
      this.put(at - SIDE - 1, w, 1);
    }
  }

  /** Fills a triangle of `cut` where it holds the middle of a pixel. */
  private fill(a: number, b: number, c: number): void {
    const ax = cut[a]!;
    const ay = cut[a + 1]!;
    const aw = cut[a + 2]!;
    const ux = cut[b]! - ax;
    const uy = cut[b + 1]! - ay;
    const vx = cut[c]! - ax;
    const vy = cut[c + 1]! - ay;
    const area = ux * vy - uy * vx;
    if (area === 0) return;
    const left = Math.max(0, Math.ceil(ax + Math.min(0, ux, vx) - 0.5));
    const right = Math.min(SIDE - 1, Math.floor(ax + Math.max(0, ux, vx) - 0.5));
    const top = Math.max(0, Math.ceil(ay + Math.min(0, uy, vy) - 0.5));
    const bottom = Math.min(SIDE - 1, Math.floor(ay + Math.max(0, uy, vy) - 0.5));
    const uw = (cut[b + 2]! - aw) / area;
    const vw = (cut[c + 2]! - aw) / area;
    const sign = area > 0 ? 1 : -1;
    for (let row = top; row <= bottom; row++) {
      const y = row + 0.5 - ay;
      for (let column = left; column <= right; column++) {
        const x = column + 0.5 - ax;
        // Shares of b and c, times the area.
        const s = x * vy - y * vx;
        const t = y * ux - x * uy;
        if (sign * s >= 0 && sign * t >= 0 && sign * (area - s - t) >= 0)
          this.put(row * SIDE + column, aw + s * uw + t * vw, 0);
      }
    }
  }

  private put(at: number, w: number, isRough: number): void {
    if (this.other) {
      if (this.areSame(w, this.other[at]!)) this.touches[at] = 1;
    } else if (w > this.nearest[at]!) {
      this.nearest[at] = w;
      this.isRough[at] = isRough;
    }
  }

  /** Counts pixels where this object hides the other. */
  visible(other: Raster | null): number {
    let sum = 0;
    for (let at = 0; at < PIXELS; at++) {
      const behind = other?.nearest[at] ?? 0;
      const margin = behind > 0 && (this.isRough[at] || other!.isRough[at]) ? this.same : 0;
      if (this.nearest[at]! > behind * (1 + margin)) sum++;
    }
    return sum;
  }

  areSame(w: number, other: number): boolean {
    return Math.abs(w - other) <= this.same * Math.max(w, other);
  }

  hides({ pixel, w }: { pixel: number; w: number }): boolean {
    const nearest = this.nearest[pixel]!;
    return nearest > w && !this.areSame(nearest, w);
  }

  /** Counts places where this object ends and the other begins at the same depth. */
  borders({ nearest: others }: Raster): number {
    const { nearest } = this;
    let sum = 0;
    const isOwn = (at: number): boolean => nearest[at]! >= others[at]!;
    const isEmpty = (at: number): boolean => nearest[at] === 0 && others[at] === 0;
    const isSame = (at: number): boolean =>
      nearest[at]! > 0 && others[at]! > 0 && this.areSame(nearest[at]!, others[at]!);
    const isBorder = (p: number, q: number): boolean =>
      isOwn(p) !== isOwn(q) && !isEmpty(p) && !isEmpty(q) && (isSame(p) || isSame(q));
    for (let at = 0; at < PIXELS; at++) {
      if (at % SIDE < SIDE - 1 && isBorder(at, at + 1)) sum++;
      if (at < PIXELS - SIDE && isBorder(at, at + SIDE)) sum++;
    }
    return sum;
  }
}

/** Writes the part of a triangle beyond `least` to `cut`; returns the number of its corners. */
function cutNear(p: Float64Array, corners: readonly number[], least: number): number {
  let count = 0;
  for (let k = 0; k < 3; k++) {
    const from = corners[k]!;
    const to = corners[(k + 1) % 3]!;
    const depth = p[from + 2]!;
    const far = p[to + 2]!;
    if (depth >= least) {
      for (let i = 0; i < 3; i++) cut[3 * count + i] = p[from + i]!;
      count++;
    }
    if (depth >= least === far >= least) continue;
    const s = (least - depth) / (far - depth);
    for (let i = 0; i < 3; i++) cut[3 * count + i] = p[from + i]! + s * (p[to + i]! - p[from + i]!);
    count++;
  }
  return count;
}

interface Drawing {
  direction: readonly number[];
  /** Tells if the eye is in one of the solids, where it sees nothing. */
  isInside(): boolean;
  rasters: readonly Raster[];
  sight: Sight;
  spot: ReturnType<typeof spotOf>;
}

const upTo1 = (x: number): number => Math.min(1, x);

/** Returns how well all is visible: 0 if something is hidden, at least 1 if it is perfect. */
function valuePlain({ isInside, rasters, spot }: Drawing): number {
  const [one, other = null] = rasters as [Raster, Raster?];
  const isSpotSeen = spot !== null && !rasters.some((raster) => raster.hides(spot));
  if (!other) return Math.min(upTo1(one.visible(null) / ENOUGH), spot === null || isSpotSeen ? 1 : 0);
  const objects = upTo1(Math.min(one.visible(other), other.visible(one)) / ENOUGH);
  const contact = one.borders(other) / ENOUGH_OF_CONTACT;
  const value = Math.min(objects, upTo1(Math.max(contact, isSpotSeen ? POINT_ALONE : 0)));
  if (value >= LEAST && isInside()) return 0;
  // Both objects without their contact are better than nothing.
  return value + 1e-3 * objects;
}

/** Returns how well all is visible if one of the objects is translucent. */
function valueThrough({ isInside, rasters, sight, spot }: Drawing, through: number): number {
  const [glass, solid] = [rasters[through]!, rasters[1 - through]!];
  glass.compare(sight, solid);
  const objects = Math.min(solid.visible(null), glass.visible(solid)) / ENOUGH;
  const contact = glass.touches.reduce((sum, each) => sum + each, 0) / ENOUGH_OF_CONTACT;
  const isSpotSeen = spot !== null && !solid.hides(spot);
  const value = Math.min(upTo1(objects), upTo1(Math.max(contact, isSpotSeen ? POINT_ALONE : NO_CONTACT)));
  return value >= LEAST && isInside() ? 0 : value;
}
