/**
 * A small software renderer for pictures of surfaces, spheres and lines: orthographic, with a depth
 * buffer.
 *
 * Triangles are filled by edge functions (J. Pineda, "A Parallel Algorithm for Polygon
 * Rasterization", SIGGRAPH 1988) over corners snapped to 1/256 of a sample, where those functions
 * are exact: neighbours leave no gap between them. Normals are interpolated per sample (B. T.
 * Phong, "Illumination for Computer Generated Pictures", CACM 1975) and lit once, after everything
 * has been drawn; each pixel is the mean of 3 by 3 samples, in linear light. Spheres are drawn as
 * what they are, and a line is a string of beads, so that one depth buffer decides what is seen of
 * all three. Only + - * / and square roots: the same picture on any engine.
 */

/** x, y, z. */
export type Vector = readonly [number, number, number];

/** Red, green, blue, 0 to 255, as a screen shows them. */
export type Paint = readonly [number, number, number];

export type Body =
  /**
   * `normals`: unit vectors, x, y, z per vertex, zero where unknown; null shades every triangle by
   * its own.
   */
  | { surface: { positions: Float64Array; triangles: Uint32Array }; normals: Float32Array | null; paint: Paint }
  /**
   * `balls`: x, y, z, radius each, in the surface's units; `paint` is asked with the ball's number.
   */
  | { balls: Float64Array; paint: (ball: number) => Paint }
  /** `path`: x, y, z of points joined in order; `width` in pixels, above 0. Unlit. */
  | { path: Float64Array; width: number; paint: Paint };

/**
 * A window on the scene, which it sees from infinitely far away; perspective.ts bends a scene so
 * that this is a near eye's sight of it.
 */
export interface View {
  /** Unit vectors, right-handed: to the picture's right, to its top, to the viewer. */
  right: Vector;
  up: Vector;
  toward: Vector;
  /** What the middle of the picture shows, along right and up. */
  middle: readonly [number, number];
  /** Pixels to a unit of the scene. */
  scale: number;
  /** Width of the picture, and its height unless that is given. */
  pixels: number;
  height?: number;
}

/** Samples to a pixel's side. */
const SAMPLES = 3;
/** Corners lie on multiples of 1 / SNAP of a sample. */
const SNAP = 256;

/**
 * The view from `toward` (any length, not along y) that holds all bodies and leaves `margin` (a
 * fraction of the picture) free round them. y is up.
 */
export function frame(bodies: readonly Body[], toward: Vector, pixels: number, margin = 0.03): View {
  const t = unit(toward);
  const r = unit([t[2], 0, -t[0]]);
  const u: Vector = [t[1] * r[2] - t[2] * r[1], t[2] * r[0] - t[0] * r[2], t[0] * r[1] - t[1] * r[0]];
  let [left, right, bottom, top] = [Infinity, -Infinity, Infinity, -Infinity];
  for (const body of bodies) {
    const stride = 'balls' in body ? 4 : 3;
    const points = 'surface' in body ? body.surface.positions : 'balls' in body ? body.balls : body.path;
    for (let i = 0; i < points.length; i += stride) {
      const x = r[0] * points[i] + r[1] * points[i + 1] + r[2] * points[i + 2];
      const y = u[0] * points[i] + u[1] * points[i + 1] + u[2] * points[i + 2];
      const radius = stride === 4 ? points[i + 3] : 0;
      if (x - radius < left) left = x - radius;
      if (x + radius > right) right = x + radius;
      if (y - radius < bottom) bottom = y - radius;
      if (y + radius > top) top = y + radius;
    }
  }
  const extent = Math.max(right - left, top - bottom);
  const scale = extent > 0 ? (pixels * (1 - 2 * margin)) / extent : 1;
  return { right: r, up: u, toward: t, middle: [(left + right) / 2, (bottom + top) / 2], scale, pixels };
}

/**
 * The bodies as `view` sees them: RGBA, 8 bits each, rows from the top, alpha not premultiplied,
 * the background transparent.
 *
 * @example const bodies: Body[] = [{ balls: Float64Array.of(0, 0, 0, 1), paint: () => [200, 200, 200] }];
 *          const rgba = render(bodies, frame(bodies, [1, 1, 2], 256)); // 4 * 256 * 256 bytes
 */
export function render(bodies: Iterable<Body>, view: View): Uint8Array {
  const canvas = new Samples(view);
  for (const body of bodies) {
    if ('surface' in body) canvas.drawSurface(body.surface, body.normals, pack(body.paint) | LIT);
    else if ('balls' in body) canvas.drawBalls(body.balls, body.paint);
    else canvas.drawPath(body.path, body.width, pack(body.paint));
  }
  return canvas.develop();
}

/** Set beside the 24 bits of a paint where light falls on it. */
const LIT = 1 << 24;
const pack = ([r, g, b]: Paint): number => r | (g << 8) | (b << 16);

/**
 * Sample (column, row) has its centre at (column + 1/2, row + 1/2); depth is in samples, larger is
 * nearer.
 */
class Samples {
  private readonly columns: number;
  private readonly rows: number;
  private readonly scale: number;
  private readonly depth: Float32Array;
  private readonly normals: Float32Array;
  private readonly paints: Uint32Array;
  /** Of a row of a triangle: the least and the largest x from its first corner. */
  private readonly span = new Float64Array(2);

  constructor(private readonly view: View) {
    this.columns = SAMPLES * view.pixels;
    this.rows = SAMPLES * (view.height ?? view.pixels);
    this.scale = SAMPLES * view.scale;
    this.depth = new Float32Array(this.columns * this.rows).fill(-Infinity);
    this.normals = new Float32Array(3 * this.depth.length);
    this.paints = new Uint32Array(this.depth.length);
  }

  /** Where points of the scene fall: x to the right, y down, depth, in samples. */
  private project(points: Float64Array, stride: number): Float64Array {
    const { right: r, up: u, toward: t, middle } = this.view;
    const { scale, columns, rows } = this;
    const projected = new Float64Array((3 * points.length) / stride);
    for (let i = 0, o = 0; i < points.length; i += stride, o += 3) {
      const x = points[i];
      const y = points[i + 1];
      const z = points[i + 2];
      projected[o] = columns / 2 + scale * (r[0] * x + r[1] * y + r[2] * z - middle[0]);
      projected[o + 1] = rows / 2 - scale * (u[0] * x + u[1] * y + u[2] * z - middle[1]);
      projected[o + 2] = scale * (t[0] * x + t[1] * y + t[2] * z);
    }
    return projected;
  }

  drawSurface(
    { positions, triangles }: { positions: Float64Array; triangles: Uint32Array },
    vertexNormals: Float32Array | null,
    paint: number,
  ): void {
    const p = this.project(positions, 3);
    for (let i = 0; i < p.length; i++) if (i % 3 !== 2) p[i] = Math.round(p[i] * SNAP) / SNAP;
    const normals = vertexNormals ? this.toView(vertexNormals) : null;
    for (let i = 0; i < triangles.length; i += 3) {
      this.drawTriangle(p, normals, 3 * triangles[i], 3 * triangles[i + 1], 3 * triangles[i + 2], paint);
    }
  }

  private toView(normals: Float32Array): Float32Array {
    const { right: r, up: u, toward: t } = this.view;
    const turned = new Float32Array(normals.length);
    for (let i = 0; i < normals.length; i += 3) {
      const x = normals[i];
      const y = normals[i + 1];
      const z = normals[i + 2];
      turned[i] = r[0] * x + r[1] * y + r[2] * z;
      turned[i + 1] = u[0] * x + u[1] * y + u[2] * z;
      turned[i + 2] = t[0] * x + t[1] * y + t[2] * z;
    }
    return turned;
  }

  /**
   * a, b, c: offsets of the corners in `p` and in `n`. Seen from behind, a triangle is lit as its
   * other side would be.
   */
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
    // y points down, so that counter-clockwise corners have a negative area here.
    const area = ux * vy - uy * vx;
    if (area === 0) return;
    const left = Math.max(0, Math.ceil(ax + Math.min(0, ux, vx) - 0.5));
    const right = Math.min(columns - 1, Math.floor(ax + Math.max(0, ux, vx) - 0.5));
    const top = Math.max(0, Math.ceil(ay + Math.min(0, uy, vy) - 0.5));
    const bottom = Math.min(rows - 1, Math.floor(ay + Math.max(0, uy, vy) - 0.5));
    if (left > right || top > bottom) return;
    const turn = area < 0 ? 1 : -1;
    const whole = turn * -area;
    // The triangle's own normal, towards the viewer, in view axes (y up).
    const fx = turn * (uz * vy - uy * vz);
    const fy = turn * (uz * vx - ux * vz);
    for (let row = top; row <= bottom; row++) {
      const y = row + 0.5 - ay;
      // Of a triangle that is larger than the picture, most of its box may lie outside.
      this.span[0] = left - ax;
      this.span[1] = right + 1 - ax;
      this.clip(turn * y * vx, -turn * vy);
      this.clip(-turn * y * ux, turn * uy);
      this.clip(whole - turn * y * (vx - ux), turn * (vy - uy));
      const last = Math.min(right, Math.ceil(this.span[1] + ax));
      for (let column = Math.max(left, Math.floor(this.span[0] + ax) - 1); column <= last; column++) {
        const x = column + 0.5 - ax;
        // Twice the areas opposite b and c, exact as all coordinates are multiples of 1 / (2 SNAP)
        // below 2^17.
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

  /** Leaves of the span where a + b x >= 0, and as much more as rounding may take. */
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

  drawBalls(balls: Float64Array, paint: (ball: number) => Paint): void {
    const p = this.project(balls, 4);
    for (let i = 0; i < p.length / 3; i++) {
      this.drawBall(p[3 * i], p[3 * i + 1], p[3 * i + 2], balls[4 * i + 3] * this.scale, pack(paint(i)) | LIT);
    }
  }

  private drawBall(x: number, y: number, z: number, radius: number, paint: number): void {
    const { columns, rows, depth } = this;
    const top = Math.max(0, Math.ceil(y - radius - 0.5));
    const bottom = Math.min(rows - 1, Math.floor(y + radius - 0.5));
    const left = Math.max(0, Math.ceil(x - radius - 0.5));
    const right = Math.min(columns - 1, Math.floor(x + radius - 0.5));
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

  /**
   * Beads a third of their radius apart; lifted by a radius, so that a line on a surface lies on
   * top of it.
   */
  drawPath(path: Float64Array, width: number, paint: number): void {
    const p = this.project(path, 3);
    const radius = (SAMPLES * width) / 2;
    for (let i = 0; i + 3 < p.length; i += 3) {
      const dx = p[i + 3] - p[i];
      const dy = p[i + 4] - p[i + 1];
      const dz = p[i + 5] - p[i + 2];
      const steps = Math.ceil((3 * Math.sqrt(dx * dx + dy * dy)) / radius) + 1;
      for (let k = 0; k <= steps; k++) {
        const s = k / steps;
        this.drawBall(p[i] + s * dx, p[i + 1] + s * dy, p[i + 2] + s * dz + radius, radius, paint);
      }
    }
  }

  develop(): Uint8Array {
    const { columns, rows, view } = this;
    const picture = new Uint8Array((4 * columns * rows) / (SAMPLES * SAMPLES));
    const colour = new Float64Array(3);
    for (let row = 0, o = 0; row < rows / SAMPLES; row++) {
      for (let column = 0; column < view.pixels; column++, o += 4) {
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

/**
 * Directions to the lights, in view axes: a soft key from the upper left, a faint one from the
 * right.
 */
const KEY = unit([-0.5, 0.62, 0.6]);
const FILL = unit([0.9, -0.1, 0.35]);
/** Half way between the key and the viewer. */
const HALFWAY = unit([KEY[0], KEY[1], KEY[2] + 1]);

/**
 * Adds a sample's linear light; `n` holds its normal, of any length, at `o`. Screens are taken as
 * of gamma 2.
 */
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
