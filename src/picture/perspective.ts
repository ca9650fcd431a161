/**
 * What an eye near a scene sees of it, for the orthographic renderer of shade.ts: a projective map
 * bends the scene so that the rays of sight become parallel. It takes lines to lines and planes to
 * planes, so depths stay comparable, and triangles triangles (L. G. Roberts, "Machine Perception of
 * Three-Dimensional Solids", 1963).
 *
 * Letters: x, y, z are to the picture's right, to its top and towards the viewer, from what the eye
 * looks at; D is the distance of the two, so the eye is at (0, 0, D). A point goes to D / (D - z)
 * times itself: where z is 0, nothing is bent. What is outside the pyramid of sight is cut off
 * first (I. E. Sutherland, G. W. Hodgman, "Reentrant Polygon Clipping", CACM 1974), since behind
 * the eye the map turns over, and far beside it coordinates grow without end.
 */
import { movePoint, type Pose } from '../math/pose.ts';
import type { Body, Paint, Vector, View } from './shade.ts';
import type { Surface } from '../mesh/topology.ts';

/** An eye in the scene's frame. Unit vectors as those of a View. */
export interface Sight {
  right: Vector;
  up: Vector;
  toward: Vector;
  /** What it looks at, and how far off that is. */
  target: Vector;
  distance: number;
  /** What the bent scene is drawn with. */
  view: View;
  /** Of half of the picture's width, and of half of its height, at distance 1. */
  tangents: readonly [number, number];
}

/** A half-space that stays: normal . x <= offset. */
export interface HalfSpace {
  normal: Vector;
  offset: number;
}

/** A surface as it is drawn. */
export interface Dress {
  paint: Paint;
  /** Of the sides that face away: the inside of what a half-space has opened. */
  inside?: Paint;
}

/** A line as it is drawn: pixels wide. */
export interface Stroke {
  width: number;
  paint: Paint;
}

/** Triangles to a body: more would only take more memory at once. */
const BLOCK = 1 << 16;
/** How near to the eye things are seen, in D. */
const NEAREST = 1e-4;
/** How far beside the picture things are kept, in halves of it: cuts are then never seen. */
const BESIDE = 1.5;
/** Corners of a triangle that six half-spaces have cut, at most. */
const CORNERS = 9;

/**
 * What an eye sees in a picture of so many pixels.
 *
 * @param axes unit vectors as those of a View; `toward` from the target to the eye
 * @param distance of the two
 * @param tangent of half of the angle from the picture's bottom to its top
 */
export function sightFrom(
  axes: Pick<Sight, 'right' | 'up' | 'toward'>,
  target: Vector,
  distance: number,
  tangent: number,
  { width, height }: { width: number; height: number },
): Sight {
  const scale = height / (2 * tangent * distance);
  const view: View = { right: X, up: Y, toward: Z, middle: [0, 0], scale, pixels: width, height };
  return { ...axes, target, distance, view, tangents: [(tangent * width) / height, tangent] };
}

const X: Vector = [1, 0, 0];
const Y: Vector = [0, 1, 0];
const Z: Vector = [0, 0, 1];

/** Rows `first` to `first + count - 1` of what a sight shows. */
export function rowsOf({ view }: Sight, first: number, count: number): View {
  const middle = view.height! / 2 - first - count / 2;
  return { ...view, height: count, middle: [0, middle / view.scale] };
}

/** Where a point of the scene is in the bent one; null behind the eye. */
export function bentPoint(sight: Sight, point: ArrayLike<number>): [number, number, number] | null {
  const p = new Float64Array(3);
  toEye(sight, point[0]!, point[1]!, point[2]!, p, 0);
  if (p[2]! > sight.distance * (1 - NEAREST)) return null;
  bend(sight.distance, p, 3);
  return [p[0]!, p[1]!, p[2]!];
}

/**
 * A surface, where `pose` puts it, as bodies of the bent scene, flat triangles all.
 *
 * @param kept what else is cut off
 * @param onCut is handed both ends of every piece of line where `kept` cuts it, in the scene's
 *   frame
 */
export function* bentSurface(
  sight: Sight,
  { positions, triangles }: Surface,
  pose: Pose,
  dress: Dress,
  kept: HalfSpace | null = null,
  onCut: (from: Vector, to: Vector) => void = () => {},
): Generator<Body> {
  const planes = pyramidOf(sight);
  if (kept) planes.push(planeOf(sight, kept));
  const points = pointsOf(sight, positions, pose);
  const front = new Block(dress.paint);
  const back = new Block(dress.inside ?? dress.paint);
  for (let i = 0; i < triangles.length; i += 3) {
    for (let k = 0; k < 3; k++) corners.set(points.subarray(3 * triangles[i + k]!, 3 * triangles[i + k]! + 3), 3 * k);
    normalOf(corners);
    const count = cutPolygon(planes, 3);
    if (count < 3) continue;
    if (kept) tellCut(sight, planes[planes.length - 1]!, count, onCut);
    const isFront =
      normal[0] * -corners[0]! + normal[1] * -corners[1]! + normal[2] * (sight.distance - corners[2]!) >= 0;
    bend(sight.distance, corners, 3 * count);
    const block = isFront ? front : back;
    block.add(count);
    if (block.isFull) yield block.take();
  }
  for (const block of [front, back]) if (!block.isEmpty) yield block.take();
}

/**
 * Lines between vertices, where `pose` puts them, as bodies of the bent scene.
 *
 * @param positions x, y, z a vertex
 * @param ends two numbers of vertices a line
 * @param kept what else is cut off
 */
export function* bentLines(
  sight: Sight,
  positions: ArrayLike<number>,
  ends: ArrayLike<number>,
  pose: Pose,
  { width, paint }: Stroke,
  kept: HalfSpace | null = null,
): Generator<Body> {
  const planes = pyramidOf(sight);
  if (kept) planes.push(planeOf(sight, kept));
  const points = pointsOf(sight, positions, pose);
  const line = new Float64Array(6);
  for (let i = 0; i < ends.length; i += 2) {
    for (let k = 0; k < 2; k++) line.set(points.subarray(3 * ends[i + k]!, 3 * ends[i + k]! + 3), 3 * k);
    if (!cutSegment(planes, line)) continue;
    bend(sight.distance, line, 6);
    yield { path: line.slice(), width, paint };
  }
}

/** Triangles that are gathered for one body. */
class Block {
  private positions = new Float64Array(0);
  private normals = new Float32Array(0);
  private count = 0;

  constructor(private readonly paint: Paint) {}

  get isFull(): boolean {
    return this.count >= BLOCK;
  }

  get isEmpty(): boolean {
    return this.count === 0;
  }

  /** Takes the polygon of so many `corners`, as a fan. */
  add(corner: number): void {
    this.makeRoom(this.count + corner);
    for (let k = 2; k < corner; k++) {
      const at = 9 * this.count;
      this.positions.set(corners.subarray(0, 3), at);
      this.positions.set(corners.subarray(3 * k - 3, 3 * k + 3), at + 3);
      for (let v = 0; v < 9; v += 3) this.normals.set(normal, at + v);
      this.count++;
    }
  }

  private makeRoom(count: number): void {
    if (9 * count <= this.positions.length) return;
    const length = 9 * Math.max(64, 2 * count);
    const [positions, normals] = [new Float64Array(length), new Float32Array(length)];
    positions.set(this.positions);
    normals.set(this.normals);
    [this.positions, this.normals] = [positions, normals];
  }

  /** The body of what was gathered; then there is nothing. */
  take(): Body {
    const positions = this.positions.slice(0, 9 * this.count);
    const normals = this.normals.slice(0, 9 * this.count);
    const triangles = Uint32Array.from({ length: 3 * this.count }, (_, i) => i);
    this.count = 0;
    return { surface: { positions, triangles }, normals, paint: this.paint };
  }
}

/** In the eye's axes: a, b, c, d with a x + b y + c z <= d for what stays. */
type Plane = readonly [number, number, number, number];

function pyramidOf({ distance, tangents: [across, upward] }: Sight): Plane[] {
  const sides = [BESIDE * across, BESIDE * upward];
  return [
    [0, 0, 1, distance * (1 - NEAREST)],
    [1, 0, sides[0]!, sides[0]! * distance],
    [-1, 0, sides[0]!, sides[0]! * distance],
    [0, 1, sides[1]!, sides[1]! * distance],
    [0, -1, sides[1]!, sides[1]! * distance],
  ];
}

function planeOf({ right, up, toward, target }: Sight, { normal, offset }: HalfSpace): Plane {
  return [dot(normal, right), dot(normal, up), dot(normal, toward), offset - dot(normal, target)];
}

const dot = (u: Vector, v: Vector): number => u[0] * v[0] + u[1] * v[1] + u[2] * v[2];

function pointsOf(sight: Sight, positions: ArrayLike<number>, pose: Pose): Float64Array {
  const points = new Float64Array(positions.length);
  const moved = new Float64Array(3);
  for (let v = 0; v < points.length; v += 3) {
    movePoint(pose, positions[v]!, positions[v + 1]!, positions[v + 2]!, moved, 0);
    toEye(sight, moved[0]!, moved[1]!, moved[2]!, points, v);
  }
  return points;
}

function toEye(
  { right: r, up: u, toward: t, target }: Sight,
  x: number,
  y: number,
  z: number,
  out: Float64Array,
  at: number,
): void {
  const dx = x - target[0];
  const dy = y - target[1];
  const dz = z - target[2];
  out[at] = r[0] * dx + r[1] * dy + r[2] * dz;
  out[at + 1] = u[0] * dx + u[1] * dy + u[2] * dz;
  out[at + 2] = t[0] * dx + t[1] * dy + t[2] * dz;
}

function bend(distance: number, points: Float64Array, length: number): void {
  for (let v = 0; v < length; v += 3) {
    const factor = distance / (distance - points[v + 2]!);
    for (let k = v; k < v + 3; k++) points[k]! *= factor;
  }
}

/** The polygon that is being cut, and the one that comes of it. */
let corners = new Float64Array(3 * CORNERS);
let others = new Float64Array(3 * CORNERS);
/** Of the triangle before it was cut: of length 1, or zero. */
const normal = new Float64Array(3);

function normalOf(p: Float64Array): void {
  const [ux, uy, uz] = [p[3]! - p[0]!, p[4]! - p[1]!, p[5]! - p[2]!];
  const [vx, vy, vz] = [p[6]! - p[0]!, p[7]! - p[1]!, p[8]! - p[2]!];
  normal[0] = uy * vz - uz * vy;
  normal[1] = uz * vx - ux * vz;
  normal[2] = ux * vy - uy * vx;
  const length = Math.sqrt(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]);
  if (length > 0) for (let k = 0; k < 3; k++) normal[k]! /= length;
}

/** Cuts `corners`, so many; returns how many there are then. */
function cutPolygon(planes: readonly Plane[], count: number): number {
  let left = count;
  for (const plane of planes) {
    let inside = 0;
    for (let v = 0; v < left; v++) if (over(plane, corners, 3 * v) <= 0) inside++;
    if (inside === 0) return 0;
    if (inside < left) left = cutOnce(plane, left);
  }
  return left;
}

function cutOnce(plane: Plane, count: number): number {
  let left = 0;
  for (let v = 0; v < count; v++) {
    const [p, q] = [3 * v, 3 * ((v + 1) % count)];
    const [heightP, heightQ] = [over(plane, corners, p), over(plane, corners, q)];
    if (heightP <= 0) for (let k = 0; k < 3; k++) others[3 * left + k] = corners[p + k]!;
    if (heightP <= 0) left++;
    if (heightP <= 0 === heightQ <= 0) continue;
    const s = heightP / (heightP - heightQ);
    for (let k = 0; k < 3; k++) others[3 * left + k] = corners[p + k]! + s * (corners[q + k]! - corners[p + k]!);
    left++;
  }
  [corners, others] = [others, corners];
  return left;
}

/** How far a point is on the side that goes. */
const over = ([a, b, c, d]: Plane, p: Float64Array, at: number): number =>
  a * p[at]! + b * p[at + 1]! + c * p[at + 2]! - d;

/** The side of the polygon that lies in a plane, if one does. */
function tellCut(sight: Sight, plane: Plane, count: number, onCut: (from: Vector, to: Vector) => void): void {
  const within = 1e-9 * (sight.distance + Math.abs(plane[3]));
  for (let v = 0; v < count; v++) {
    const [p, q] = [3 * v, 3 * ((v + 1) % count)];
    if (Math.abs(over(plane, corners, p)) > within || Math.abs(over(plane, corners, q)) > within) continue;
    onCut(fromEye(sight, corners, p), fromEye(sight, corners, q));
    return;
  }
}

function fromEye({ right: r, up: u, toward: t, target }: Sight, p: Float64Array, at: number): Vector {
  const [x, y, z] = [p[at]!, p[at + 1]!, p[at + 2]!];
  const place = (k: 0 | 1 | 2): number => target[k] + r[k] * x + u[k] * y + t[k] * z;
  return [place(0), place(1), place(2)];
}

/** Cuts what goes off two ends; false where nothing stays. */
function cutSegment(planes: readonly Plane[], ends: Float64Array): boolean {
  for (const plane of planes) {
    const [p, q] = [over(plane, ends, 0), over(plane, ends, 3)];
    if (p > 0 && q > 0) return false;
    if (p <= 0 && q <= 0) continue;
    const s = p / (p - q);
    const at = p > 0 ? 0 : 3;
    for (let k = 0; k < 3; k++) ends[at + k] = ends[k]! + s * (ends[3 + k]! - ends[k]!);
  }
  return true;
}
