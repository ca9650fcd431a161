/**
 * Gives the orthographic renderer of shade.ts the perspective of an eye near a scene. A projective
 * map bends the scene so that the rays of sight become parallel. It takes lines to lines, planes to
 * planes and triangles to triangles, so depths stay comparable (L. G. Roberts, "Machine Perception
 * of Three-Dimensional Solids", 1963).
 *
 * Letters: x, y, z point to the picture's right, to its top and toward the viewer. They start at
 * the point that the eye looks at, at the distance D, so the eye is at (0, 0, D). A point is
 * multiplied by D / (D - z); where z is 0, nothing is bent. Everything outside the pyramid of sight
 * is cut off first (I. E. Sutherland, G. W. Hodgman, "Reentrant Polygon Clipping", CACM 1974).
 * Behind the eye the map would turn over, and far beside it coordinates would grow without end.
 */

export type Vector = readonly [number, number, number];

/** A window on a scene, seen from infinitely far away unless it has an eye. */
export interface View {
  /** Unit vectors, right-handed: to the picture's right, to its top, to the viewer. */
  right: Vector;
  up: Vector;
  toward: Vector;
  /** The middle of the picture, along right and up. */
  middle: readonly [number, number];
  /** Pixels per unit of the scene. With an eye, per unit at the point that it looks at. */
  scale: number;
  /** Width of the picture, and the default of its height. */
  pixels: number;
  height?: number;
  eye?: Eye;
  /** A half-space that also cuts the scene. */
  kept?: HalfSpace | null;
}

interface Eye {
  /** The point that it looks at, and its distance. */
  target: Vector;
  distance: number;
  /** Half of the picture's width and height at distance 1. */
  tangents: readonly [number, number];
}

/** A half-space that stays: normal . x <= offset. */
export interface HalfSpace {
  normal: Vector;
  offset: number;
}

/** Least visible distance from the eye, relative to D. */
const NEAREST = 1e-4;
/** The kept half widths of the picture, so that cuts are never visible. */
const BESIDE = 1.5;
/** Maximum number of corners of a triangle that six half-spaces have cut. */
export const MOST_CORNERS = 9;

/**
 * Returns the view of an eye, in a picture with this number of pixels.
 *
 * @param axes unit vectors like those of a View; `toward` points from the target to the eye
 * @param distance from the target to the eye
 * @param tangent of half of the angle between the picture's bottom and its top
 */
export function eyeView(
  { right, up, toward }: Pick<View, 'right' | 'up' | 'toward'>,
  target: Vector,
  distance: number,
  tangent: number,
  { width, height }: { width: number; height: number },
): View {
  const scale = height / (2 * tangent * distance);
  const eye = { target, distance, tangents: [(tangent * width) / height, tangent] } as const;
  return { right, up, toward, middle: [0, 0], scale, pixels: width, height, eye };
}

/** Rows `first` to `first + count - 1` of a view's picture. */
export function rowsOf(view: View, first: number, count: number): View {
  const { pixels, height = pixels, middle, scale } = view;
  return { ...view, height: count, middle: [middle[0], middle[1] + (height / 2 - first - count / 2) / scale] };
}

const UNMOVED = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0] as const;

/** In the view's axes: a, b, c, d; points with a x + b y + c z <= d stay. */
type Plane = readonly [number, number, number, number];

/** Cuts and bends the visible part of the scene, in the view's axes. */
export class Sight {
  private readonly view: View;
  /** The planes that cut; the last one is the half-space's, if there is one. */
  private readonly planes: Plane[];
  /** The polygon that `cutTriangle` leaves, x, y, z a corner. */
  corners = new Float64Array(3 * MOST_CORNERS);
  private others = new Float64Array(3 * MOST_CORNERS);
  /** The normal of the triangle before it was cut: of length 1, or zero. */
  readonly normal = new Float64Array(3);

  constructor(view: View) {
    this.view = view;
    this.planes = planesOf(view);
  }

  /** True if nothing is cut off. */
  get isWhole(): boolean {
    return this.planes.length === 0;
  }

  /** Points of the scene in the view's axes; with an eye, relative to its target. */
  turn(points: ArrayLike<number>, stride: number): Float64Array {
    const { right: r, up: u, toward: t, eye } = this.view;
    const [ox, oy, oz] = eye ? eye.target : [0, 0, 0];
    const turned = new Float64Array((3 * points.length) / stride);
    for (let i = 0, o = 0; i < points.length; i += stride, o += 3) {
      const x = points[i] - ox;
      const y = points[i + 1] - oy;
      const z = points[i + 2] - oz;
      turned[o] = r[0] * x + r[1] * y + r[2] * z;
      turned[o + 1] = u[0] * x + u[1] * y + u[2] * z;
      turned[o + 2] = t[0] * x + t[1] * y + t[2] * z;
    }
    return turned;
  }

  /** Directions of a body at `pose`, in the view's axes. */
  turnWays(ways: ArrayLike<number>, pose: ArrayLike<number> = UNMOVED): Float32Array {
    const axes = [this.view.right, this.view.up, this.view.toward].map((axis) =>
      [0, 1, 2].map((k) => axis[0] * pose[k] + axis[1] * pose[4 + k] + axis[2] * pose[8 + k]),
    );
    return Float32Array.from({ length: ways.length }, (_, i) => {
      const [axis, at] = [axes[i % 3], i - (i % 3)];
      return axis[0] * ways[at] + axis[1] * ways[at + 1] + axis[2] * ways[at + 2];
    });
  }

  isBefore(points: Float64Array, at: number): boolean {
    const { eye } = this.view;
    return !eye || points[at + 2] <= eye.distance * (1 - NEAREST);
  }

  bend(points: Float64Array, length: number): void {
    const { eye } = this.view;
    if (!eye) return;
    for (let v = 0; v < length; v += 3) {
      const factor = eye.distance / (eye.distance - points[v + 2]);
      for (let k = v; k < v + 3; k++) points[k] *= factor;
    }
  }

  /** Cuts the triangle in `corners`; returns the remaining number of corners. */
  cutTriangle(): number {
    this.setNormal(this.corners);
    let left = 3;
    for (const plane of this.planes) {
      let inside = 0;
      for (let v = 0; v < left; v++) if (over(plane, this.corners, 3 * v) <= 0) inside++;
      if (inside === 0) return 0;
      if (inside < left) left = this.cutOnce(plane, left);
    }
    return left;
  }

  private setNormal(p: Float64Array): void {
    const { normal } = this;
    const [ux, uy, uz] = [p[3] - p[0], p[4] - p[1], p[5] - p[2]];
    const [vx, vy, vz] = [p[6] - p[0], p[7] - p[1], p[8] - p[2]];
    normal[0] = uy * vz - uz * vy;
    normal[1] = uz * vx - ux * vz;
    normal[2] = ux * vy - uy * vx;
    const length = Math.sqrt(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]);
    if (length > 0) for (let k = 0; k < 3; k++) normal[k] /= length;
  }

  private cutOnce(plane: Plane, count: number): number {
    const { corners, others } = this;
    let left = 0;
    for (let v = 0; v < count; v++) {
      const [p, q] = [3 * v, 3 * ((v + 1) % count)];
      const [heightP, heightQ] = [over(plane, corners, p), over(plane, corners, q)];
      if (heightP <= 0) for (let k = 0; k < 3; k++) others[3 * left + k] = corners[p + k];
      if (heightP <= 0) left++;
      if (heightP <= 0 === heightQ <= 0) continue;
      const s = heightP / (heightP - heightQ);
      for (let k = 0; k < 3; k++) others[3 * left + k] = corners[p + k] + s * (corners[q + k] - corners[p + k]);
      left++;
    }
    [this.corners, this.others] = [others, corners];
    return left;
  }

  /** True if the cut triangle faces the viewer. */
  isFacing(): boolean {
    const { normal, corners, view } = this;
    if (!view.eye) return normal[2] >= 0;
    return normal[0] * -corners[0] + normal[1] * -corners[1] + normal[2] * (view.eye.distance - corners[2]) >= 0;
  }

  /** Both ends of the polygon's side at the half-space's border, if there is one. */
  cutSide(count: number): Float64Array | null {
    const { corners, planes, view } = this;
    if (!view.kept) return null;
    const plane = planes[planes.length - 1];
    const within = 1e-9 * ((view.eye?.distance ?? 0) + Math.abs(plane[3]));
    for (let v = 0; v < count; v++) {
      const [p, q] = [3 * v, 3 * ((v + 1) % count)];
      if (Math.abs(over(plane, corners, p)) > within || Math.abs(over(plane, corners, q)) > within) continue;
      return Float64Array.of(...corners.subarray(p, p + 3), ...corners.subarray(q, q + 3));
    }
    return null;
  }

  /** Cuts a segment at both ends; false if nothing is left. */
  cutSegment(ends: Float64Array): boolean {
    for (const plane of this.planes) {
      const [p, q] = [over(plane, ends, 0), over(plane, ends, 3)];
      if (p > 0 && q > 0) return false;
      if (p <= 0 && q <= 0) continue;
      const s = p / (p - q);
      const at = p > 0 ? 0 : 3;
      for (let k = 0; k < 3; k++) ends[at + k] = ends[k] + s * (ends[3 + k] - ends[k]);
    }
    return true;
  }
}

const over = ([a, b, c, d]: Plane, p: Float64Array, at: number): number =>
  a * p[at] + b * p[at + 1] + c * p[at + 2] - d;

function planesOf({ right, up, toward, eye, kept }: View): Plane[] {
  const planes: Plane[] = [];
  if (eye) {
    const { distance } = eye;
    const [across, upward] = [BESIDE * eye.tangents[0], BESIDE * eye.tangents[1]];
    planes.push([0, 0, 1, distance * (1 - NEAREST)]);
    for (const sign of [1, -1]) planes.push([sign, 0, across, across * distance]);
    for (const sign of [1, -1]) planes.push([0, sign, upward, upward * distance]);
  }
  if (kept) {
    const { normal, offset } = kept;
    const past = eye ? dot(normal, eye.target) : 0;
    planes.push([dot(normal, right), dot(normal, up), dot(normal, toward), offset - past]);
  }
  return planes;
}

const dot = (u: Vector, v: Vector): number => u[0] * v[0] + u[1] * v[1] + u[2] * v[2];
