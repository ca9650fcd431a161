/**
 * A small software renderer for pictures of surfaces, spheres and lines: orthographic, with a depth
 * buffer.
 *
 * Triangles are filled by edge functions (J. Pineda, "A Parallel Algorithm for Polygon
 * Rasterization", SIGGRAPH 1988). Corners are snapped to 1/256 of a sample, where those functions
 * are exact, so neighbors leave no gap between them. Normals are interpolated per sample (B. T.
 * Phong, "Illumination for Computer Generated Pictures", CACM 1975) and lit once, after everything
 * has been drawn. Each pixel is the mean of 3 by 3 samples, in linear light. Spheres are drawn as
 * spheres, and a line is a string of beads, so one depth buffer decides which parts of all three
 * are visible. The code uses only + - * / and square roots: the same picture on any engine.
 */
import { movePoint, type Pose } from '../math/pose.ts';
import { MOST_CORNERS, Sight, type Vector, type View } from './perspective.ts';

/** Red, green, blue, 0 to 255, as a screen shows them. */
export type Paint = readonly [number, number, number];

/** `pose`: its place; default: its own coordinates. */
export type Body =
  | SurfaceBody
  /** `balls`: x, y, z, radius each, in the surface's units; `paint` receives the ball's number. */
  | { balls: Float64Array; paint: (ball: number) => Paint }
  /** `dots`: x, y, z each; balls of a radius in pixels. */
  | { dots: ArrayLike<number>; radius: number; paint: Paint }
  /** `ends`: two numbers of points a line; `width` in pixels, above 0. Unlit. */
  | { points: ArrayLike<number>; ends: ArrayLike<number>; width: number; paint: Paint; pose?: Pose };

interface SurfaceBody {
  surface: { positions: Float64Array; triangles: Uint32Array };
  /** Unit vectors, x, y, z per vertex; zero if unknown. Without them, triangles are shaded flat. */
  normals?: Float32Array | null;
  paint: Paint;
  /** Color of sides that face away: the inside of a body that is cut open. */
  inside?: Paint;
  /** Samples by which it is drawn farther away, so that one of two coplanar faces is visible. */
  behind?: number;
  /** The line along which a half-space cuts it. */
  cut?: { width: number; paint: Paint };
  pose?: Pose;
}

const SAMPLES = 3;
/** Corners lie on multiples of 1 / SNAP of a sample. */
const SNAP = 256;
/** A fraction of the picture. */
const MARGIN = 0.03;

/**
 * Returns the view from `toward` (any length, not along y) of all bodies, with a margin; y is up.
 */
export function frame(bodies: readonly Body[], toward: Vector, pixels: number): View {
  const t = unit(toward);
  const r = unit([t[2], 0, -t[0]]);
  const u: Vector = [t[1] * r[2] - t[2] * r[1], t[2] * r[0] - t[0] * r[2], t[0] * r[1] - t[1] * r[0]];
  let [left, right, bottom, top] = [Infinity, -Infinity, Infinity, -Infinity];
  const view: View = { right: r, up: u, toward: t, middle: [0, 0], scale: 1, pixels };
  const sight = new Sight(view);
  for (const body of bodies) {
    const places = turned(sight, body);
    for (let i = 0; i < places.length; i += 3) {
      const radius = 'balls' in body ? body.balls[(4 * i) / 3 + 3] : 0;
      if (places[i] - radius < left) left = places[i] - radius;
      if (places[i] + radius > right) right = places[i] + radius;
      if (places[i + 1] - radius < bottom) bottom = places[i + 1] - radius;
      if (places[i + 1] + radius > top) top = places[i + 1] + radius;
    }
  }
  const extent = Math.max(right - left, top - bottom);
  const scale = extent > 0 ? (pixels * (1 - 2 * MARGIN)) / extent : 1;
  return { ...view, middle: [(left + right) / 2, (bottom + top) / 2], scale };
}

/** The points of a body at its place, in the axes of a view. */
function turned(sight: Sight, body: Body): Float64Array {
  if ('balls' in body) return sight.turn(body.balls, 4);
  if ('dots' in body) return sight.turn(body.dots, 3);
  const { pose } = body;
  const points = 'surface' in body ? body.surface.positions : body.points;
  if (!pose) return sight.turn(points, 3);
  const moved = new Float64Array(points.length);
  for (let i = 0; i < moved.length; i += 3) movePoint(pose, points[i], points[i + 1], points[i + 2], moved, i);
  return sight.turn(moved, 3);
}

/**
 * Draws the bodies in a view: RGBA, 8 bits each, rows from the top, alpha not premultiplied, the
 * background transparent.
 *
 * @example const ball = { balls: Float64Array.of(0, 0, 0, 1), paint: () => [200, 200, 200] };
 *          const rgba = render([ball], frame([ball], [1, 1, 2], 256)); // 4 * 256 * 256 bytes
 */
export function render(bodies: Iterable<Body>, view: View): Uint8Array {
  const canvas = new Samples(view);
  for (const body of bodies) canvas.draw(body);
  return canvas.develop();
}

/** Flag of lit samples, above the 24 bits of a paint. */
const LIT = 1 << 24;
const pack = ([r, g, b]: Paint): number => r | (g << 8) | (b << 16);

/** Sample (column, row) has its center half a sample on; depth in samples, larger is nearer. */
class Samples {
  private readonly columns: number;
  private readonly rows: number;
  private readonly scale: number;
  private readonly depth: Float32Array;
  private readonly normals: Float32Array;
  private readonly paints: Uint32Array;
  /** Least and largest x of a triangle's row, from its first corner. */
  private readonly span = new Float64Array(2);
  /** Nothing has been drawn above the first row of samples, or below the last one. */
  private first = Number.POSITIVE_INFINITY;
  private last = 0;
  private readonly sight: Sight;

  constructor(private readonly view: View) {
    this.columns = SAMPLES * view.pixels;
    this.rows = SAMPLES * (view.height ?? view.pixels);
    this.scale = SAMPLES * view.scale;
    this.depth = new Float32Array(this.columns * this.rows).fill(-Infinity);
    this.normals = new Float32Array(3 * this.depth.length);
    this.paints = new Uint32Array(this.depth.length);
    this.sight = new Sight(view);
  }

  draw(body: Body): void {
    const points = turned(this.sight, body);
    if ('surface' in body) this.drawSurface(body, points);
    else if ('points' in body) this.drawLines(points, body.ends, body.width, pack(body.paint));
    else if ('dots' in body) this.drawBalls(points, { paint: () => body.paint, radius: () => SAMPLES * body.radius });
    else this.drawBalls(points, { ...body, radius: (ball) => body.balls[4 * ball + 3] * this.scale });
  }

  /** Converts points from the view's axes to samples, in place: x to the right, y down, depth. */
  private project(points: Float64Array, length: number, behind = 0): void {
    const { view, scale, columns, rows } = this;
    this.sight.bend(points, length);
    for (let i = 0; i < length; i += 3) {
      points[i] = columns / 2 + scale * (points[i] - view.middle[0]);
      points[i + 1] = rows / 2 - scale * (points[i + 1] - view.middle[1]);
      points[i + 2] = points[i + 2] * scale - behind;
    }
  }

  private drawSurface({ surface, paint, inside = paint, cut, ...body }: SurfaceBody, points: Float64Array): void {
    const { sight, view } = this;
    const { triangles } = surface;
    const axes = body.normals ? sight.turnWays(body.normals, body.pose) : null;
    if (sight.isWhole) {
      this.project(points, points.length, body.behind);
      snap(points, points.length);
      for (let i = 0; i < triangles.length; i += 3)
        this.drawTriangle(
          points,
          axes,
          3 * triangles[i],
          3 * triangles[i + 1],
          3 * triangles[i + 2],
          pack(paint) | LIT,
        );
      return;
    }
    const cuts: Float64Array[] = [];
    const ways = new Float32Array(3 * MOST_CORNERS);
    const own = { corners: new Float64Array(9), ways: new Float32Array(9) };
    const [front, back] = [pack(paint) | LIT, pack(view.kept ? inside : paint) | LIT];
    for (let i = 0; i < triangles.length; i += 3) {
      for (let k = 0; k < 9; k++) {
        const from = 3 * triangles[i + ((k / 3) | 0)] + (k % 3);
        sight.corners[k] = points[from];
        own.corners[k] = points[from];
        if (axes) own.ways[k] = axes[from];
      }
      const count = sight.cutTriangle();
      if (count < 3) continue;
      const line = cut && sight.cutSide(count);
      if (line) cuts.push(line);
      const side = sight.isFacing() ? front : back;
      const { corners } = sight;
      for (let k = 0; k < 3 * count; k++) ways[k] = sight.normal[k % 3];
      if (axes) for (let k = 0; k < 3 * count; k += 3) blend(own, corners, ways, k);
      this.project(corners, 3 * count, body.behind);
      snap(corners, 3 * count);
      for (let k = 6; k < 3 * count; k += 3) this.drawTriangle(corners, ways, 0, k - 3, k, side);
    }
    for (const line of cuts) {
      this.project(line, 6);
      this.drawLine(line, cut!.width, pack(cut!.paint));
    }
  }

  /** a, b, c: offsets of corners in `p` and `n`. A triangle's back is lit like a front. */
  private drawTriangle(p: Float64Array, n: Float32Array | null, a: number, b: number, c: number, paint: number): void {
    const { columns, rows, depth } = this;
    const ax = p[a];
    const ay = p[a + 1];
    const az = p[a + 2];
    const ux = p[b] - ax;
    const uy = p[b + 1] - ay;
    const uz = p[b + 2] - az;
    const vx = p[c] - ax;
    const vy = p[c + 1] - ay;
    const vz = p[c + 2] - az;
    // y points down, so counter-clockwise corners have a negative area here.
    const area = ux * vy - uy * vx;
    if (area === 0) return;
    const left = Math.max(0, Math.ceil(ax + Math.min(0, ux, vx) - 0.5));
    const right = Math.min(columns - 1, Math.floor(ax + Math.max(0, ux, vx) - 0.5));
    const top = Math.max(0, Math.ceil(ay + Math.min(0, uy, vy) - 0.5));
    const bottom = Math.min(rows - 1, Math.floor(ay + Math.max(0, uy, vy) - 0.5));
    if (left > right || top > bottom) return;
    if (top < this.first) this.first = top;
    if (bottom > this.last) this.last = bottom;
    const turn = area < 0 ? 1 : -1;
    const whole = turn * -area;
    // The triangle's own normal, towards the viewer, in view axes (y up).
    const fx = turn * (uz * vy - uy * vz);
    const fy = turn * (uz * vx - ux * vz);
    for (let row = top; row <= bottom; row++) {
      const y = row + 0.5 - ay;
      // Most of the box of a triangle larger than the picture may lie outside.
      this.span[0] = left - ax;
      this.span[1] = right + 1 - ax;
      this.clip(turn * y * vx, -turn * vy);
      this.clip(-turn * y * ux, turn * uy);
      this.clip(whole - turn * y * (vx - ux), turn * (vy - uy));
      const last = Math.min(right, Math.ceil(this.span[1] + ax));
      for (let column = Math.max(left, Math.floor(this.span[0] + ax) - 1); column <= last; column++) {
        const x = column + 0.5 - ax;
        // Twice the areas opposite b and c, exact: coordinates are multiples of 1 / (2 SNAP) below
        // 2^17.
        const wb = turn * (y * vx - x * vy);
        const wc = turn * (x * uy - y * ux);
        if (wb < 0 || wc < 0 || wb + wc > whole) continue;
        const sb = wb / whole;
        const sc = wc / whole;
        const z = az + sb * uz + sc * vz;
        const at = row * columns + column;
        if (!(z > depth[at])) continue;
        depth[at] = z;
        this.paints[at] = paint;
        if (n) {
          const sa = 1 - sb - sc;
          const nx = turn * (sa * n[a] + sb * n[b] + sc * n[c]);
          const ny = turn * (sa * n[a + 1] + sb * n[b + 1] + sc * n[c + 1]);
          const nz = turn * (sa * n[a + 2] + sb * n[b + 2] + sc * n[c + 2]);
          if (nx * nx + ny * ny + nz * nz > 1e-6) {
            this.setNormal(at, nx, ny, nz);
            continue;
          }
        }
        this.setNormal(at, fx, fy, whole);
      }
    }
  }

  /** Clips the span to a + b x >= 0, with room for rounding. */
  private clip(a: number, b: number): void {
    const { span } = this;
    if (b > 0) span[0] = Math.max(span[0], -a / b);
    else if (b < 0) span[1] = Math.min(span[1], -a / b);
    else if (a < 0) span[1] = Number.NEGATIVE_INFINITY;
  }

  private setNormal(at: number, x: number, y: number, z: number): void {
    this.normals[3 * at] = x;
    this.normals[3 * at + 1] = y;
    this.normals[3 * at + 2] = z;
  }

  private drawBalls(
    p: Float64Array,
    { paint, radius }: { paint(ball: number): Paint; radius(ball: number): number },
  ): void {
    const place = new Float64Array(3);
    for (let i = 0; i < p.length / 3; i++) {
      if (!this.sight.isBefore(p, 3 * i)) continue;
      place.set(p.subarray(3 * i, 3 * i + 3));
      this.project(place, 3);
      this.drawBall(place[0], place[1], place[2], radius(i), pack(paint(i)) | LIT);
    }
  }

  private drawBall(x: number, y: number, z: number, radius: number, paint: number): void {
    const { columns, rows, depth } = this;
    const top = Math.max(0, Math.ceil(y - radius - 0.5));
    const bottom = Math.min(rows - 1, Math.floor(y + radius - 0.5));
    const left = Math.max(0, Math.ceil(x - radius - 0.5));
    const right = Math.min(columns - 1, Math.floor(x + radius - 0.5));
    if (top < this.first) this.first = top;
    if (bottom > this.last) this.last = bottom;
    for (let row = top; row <= bottom; row++) {
      const dy = row + 0.5 - y;
      for (let column = left; column <= right; column++) {
        const dx = column + 0.5 - x;
        const height2 = radius * radius - dx * dx - dy * dy;
        if (height2 < 0) continue;
        const height = Math.sqrt(height2);
        const at = row * columns + column;
        if (!(z + height > depth[at])) continue;
        depth[at] = z + height;
        this.paints[at] = paint;
        this.setNormal(at, dx, -dy, height);
      }
    }
  }

  private drawLines(points: Float64Array, ends: ArrayLike<number>, width: number, paint: number): void {
    const line = new Float64Array(6);
    for (let i = 0; i < ends.length; i += 2) {
      for (let k = 0; k < 6; k++) line[k] = points[3 * ends[i + ((k / 3) | 0)] + (k % 3)];
      if (!this.sight.cutSegment(line)) continue;
      this.project(line, 6);
      this.drawLine(line, width, paint);
    }
  }

  /** Beads a third of their radius apart, lifted by a radius: a line on a surface is visible. */
  private drawLine(p: Float64Array, width: number, paint: number): void {
    const radius = (SAMPLES * width) / 2;
    const dx = p[3] - p[0];
    const dy = p[4] - p[1];
    const dz = p[5] - p[2];
    const steps = Math.ceil((3 * Math.sqrt(dx * dx + dy * dy)) / radius) + 1;
    for (let k = 0; k <= steps; k++) {
      const s = k / steps;
      this.drawBall(p[0] + s * dx, p[1] + s * dy, p[2] + s * dz + radius, radius, paint);
    }
  }

  develop(): Uint8Array {
    const { columns, rows, view } = this;
    const picture = new Uint8Array((4 * columns * rows) / (SAMPLES * SAMPLES));
    const colour = new Float64Array(3);
    for (let row = Math.floor(this.first / SAMPLES); row <= this.last / SAMPLES; row++) {
      for (let column = 0, o = 4 * row * view.pixels; column < view.pixels; column++, o += 4) {
        colour.fill(0);
        let covered = 0;
        for (let k = 0; k < SAMPLES * SAMPLES; k++) {
          const at = (SAMPLES * row + ((k / SAMPLES) | 0)) * columns + SAMPLES * column + (k % SAMPLES);
          if (this.depth[at] === -Infinity) continue;
          covered++;
          light(this.paints[at], this.normals, 3 * at, colour);
        }
        if (covered === 0) continue;
        for (let i = 0; i < 3; i++) {
          picture[o + i] = Math.min(255, Math.round(255 * Math.sqrt(colour[i] / covered)));
        }
        picture[o + 3] = Math.round((255 * covered) / (SAMPLES * SAMPLES));
      }
    }
    return picture;
  }
}

/** Writes the normal at a place of a triangle, if that has an area. */
function blend(
  { corners: t, ways: n }: { corners: Float64Array; ways: Float32Array },
  p: Float64Array,
  out: Float32Array,
  at: number,
): void {
  let [uu, uv, vv, uw, vw] = [0, 0, 0, 0, 0];
  for (let k = 0; k < 3; k++) {
    const [u, v, w] = [t[3 + k] - t[k], t[6 + k] - t[k], p[at + k] - t[k]];
    uu += u * u;
    uv += u * v;
    vv += v * v;
    uw += u * w;
    vw += v * w;
  }
  const area = uu * vv - uv * uv;
  if (!(area > 0)) return;
  const [b, c] = [(vv * uw - uv * vw) / area, (uu * vw - uv * uw) / area];
  for (let k = 0; k < 3; k++) out[at + k] = n[k] + b * (n[3 + k] - n[k]) + c * (n[6 + k] - n[k]);
}

/** Moves corners to the raster on which edge functions are exact. */
function snap(p: Float64Array, length: number): void {
  for (let i = 0; i < length; i++) if (i % 3 !== 2) p[i] = Math.round(p[i] * SNAP) / SNAP;
}

/** Directions to the lights in view axes: a soft key from upper left, a faint one from right. */
const KEY = unit([-0.5, 0.62, 0.6]);
const FILL = unit([0.9, -0.1, 0.35]);
const HALFWAY = unit([KEY[0], KEY[1], KEY[2] + 1]);

/** Adds a sample's linear light; `n` holds its normal, of any length, at `o`. Screen gamma is 2. */
function light(paint: number, n: Float32Array, o: number, sum: Float64Array): void {
  let diffuse = 1;
  let gloss = 0;
  if (paint & LIT) {
    const length = Math.sqrt(n[o] * n[o] + n[o + 1] * n[o + 1] + n[o + 2] * n[o + 2]);
    const x = n[o] / length;
    const y = n[o + 1] / length;
    const z = n[o + 2] / length;
    const key = Math.max(0, x * KEY[0] + y * KEY[1] + z * KEY[2]);
    const fill = Math.max(0, x * FILL[0] + y * FILL[1] + z * FILL[2]);
    diffuse = 0.22 + 0.1 * y + 0.78 * key + 0.14 * fill;
    gloss = Math.max(0, x * HALFWAY[0] + y * HALFWAY[1] + z * HALFWAY[2]);
    for (let k = 0; k < 5; k++) gloss *= gloss; // the 32nd power
    gloss *= 0.1;
  }
  for (let i = 0; i < 3; i++) {
    const shade = ((paint >> (8 * i)) & 255) / 255;
    sum[i] += Math.min(1, shade * shade * diffuse + gloss);
  }
}

function unit([x, y, z]: Vector): Vector {
  const length = Math.sqrt(x * x + y * y + z * z);
  return [x / length, y / length, z / length];
}
