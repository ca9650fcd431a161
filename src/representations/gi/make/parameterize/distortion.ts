/**
 * Measures the distortion of the triangles around one vertex; kernel.as.ts lowers it by Newton
 * steps.
 *
 * Energy: L2 stretch of the map from the domain to the surface, summed over the surface (P. Sander,
 * J. Snyder, S. Gortler, H. Hoppe, "Texture Mapping Progressive Meshes", SIGGRAPH 2001), plus a
 * little of the Dirichlet energy of the inverse map. Stretch is large where samples lie far apart
 * on the surface. The inverse term keeps slivers from collapsing in the domain.
 *
 * The square of each length includes the change of the normal times TURN, as if the normal were
 * three more coordinates. Sources: H. Hoppe, "New Quadric Metric for Simplifying Meshes with
 * Appearance Attributes", Visualization 1999; P. Sander, S. Gortler, J. Snyder, H. Hoppe,
 * "Signal-Specialized Parametrization", EGWR 2002. So the surface looks larger where it bends,
 * across the bend, and gets more samples.
 *
 * Tried: Dirichlet energy over the domain (extremities collapse: bunny 33-43 dB). The inverse term
 * also keeps quads from getting long and askew, which turns triangles over. Measured as one square
 * at 257, fitted, with weights of 0.1 and 0.3: dB, flipped triangles, longest side by height at the
 * 99th percentile
 *   armadillo   82.78, 82.85   786, 187   40, 26
 *   horse       89.32, 89.40   249,  93   47, 24
 *   cow         87.27, 87.41   516, 278   56, 36
 *   fandisk    100.18, 99.81    15,   4    7,  7
 *   bunny       91.39, 91.41     7,   4   13, 10
 * Not fitted, 0.3 loses 0.1 dB, and 0.45 of the horse; 1 loses 0.3 to 1.3.
 *
 * Letters. u: the vertex that moves, at (x, y). a, b: consecutive neighbors, counterclockwise. In
 * the domain
 *   A = a - u, B = b - u, C = b - a, D = A x B (twice the triangle's area)
 * On the surface La = |ua|^2, Lb = |ub|^2, Lc = |ab|^2, and S is the area. By the cotangent formula
 * the squared singular values of domain -> surface sum to N / D^2, and the triangle's stretch is S
 * N / D^2, with
 *   N = (A.B) Lc - (A.C) Lb + (B.C) La
 * The inverse map's term is
 *   ((Lb + Lc - La) A^2 + (La + Lc - Lb) B^2 + (La + Lb - Lc) C^2) / (8 S)
 * The surface's area is scaled to the domain's, so that both energies have one size.
 */

/**
 * Length of a turn of the normal by one radian, where the area is 4: the most that makes nothing
 * worse. Measured as one square at 257, dB, with 0, 0.06, 0.2: bunny 81.0, 83.0, 83.7; boulder
 * 78.2, 78.7, 78.0; star 85.0, 86.8, 88.9; fandisk 78.8, 84.7, 90.5. Fitted, boulder falls above
 * 0.06: 86.8, 86.5, 85.1 with 0.06, 0.1, 0.2. Reversed triangles of a cow, of 131,072, with 0,
 * 0.03, 0.06, 0.1, 0.2: 356, 543, 882, 1316, 2563.
 */
export const TURN = 0.06;
const INVERSE_WEIGHT = 0.3;
/** Least area of a surface triangle, so that one without area cannot turn over. */
const LEAST_AREA = 1e-12;
const LEAST_INVERSE_AREA = 1e-9;
/**
 * Domain coordinates are multiples of 2^-46 below 32 in size, so differences of two are exact, and
 * so are moves between charts (a sign and an even shift). Twice an area is two products and a
 * subtraction, wrong by less than 2^-52 of the products' sizes. So a triangle that passes
 * `turnsLeft` is positively oriented in exact arithmetic, seen from any chart.
 */
const SNAP = 96;
/** Rounds x, below 32 in size, to a multiple of 2^-46. */
export const snap = (x: number): number => x + SNAP - SNAP;
const CERTAIN = 2 ** -51;

/** True if the triangle (0,0), (ax,ay), (bx,by) certainly turns left, for exact differences. */
export function turnsLeft(ax: number, ay: number, bx: number, by: number): boolean {
  const p = ax * by;
  const q = ay * bx;
  return p - q > CERTAIN * (Math.abs(p) + Math.abs(q));
}

/** A vertex's neighbors in its own chart; entry `count` repeats entry 0. */
export interface Ring {
  count: number;
  x: Float64Array;
  y: Float64Array;
  /** The energy with the vertex at (x, y); infinite unless all triangles certainly turn left. */
  energyAt(x: number, y: number): number;
}

/** Writes the weights of a triangle of squared lengths a, b, c: stretchWeight, inverseWeight. */
export function weigh(weights: Float64Array, at: number, a: number, b: number, c: number): void {
  const area = surfaceArea(a, b, c);
  weights[at] = area + LEAST_AREA;
  weights[at + 1] = INVERSE_WEIGHT / (8 * (area + LEAST_INVERSE_AREA));
}

/** Heron's formula for squared edge lengths. */
export function surfaceArea(a: number, b: number, c: number): number {
  const s = 2 * (a * b + b * c + c * a) - a * a - b * b - c * c;
  return s > 0 ? 0.25 * Math.sqrt(s) : 0;
}

export const placed = { x: 0, y: 0 };

let clipX = new Float64Array(256);
let clipY = new Float64Array(256);
let clippedX = new Float64Array(256);
let clippedY = new Float64Array(256);

/**
 * Finds a place that sees every neighbor, for `placed`: the centroid of the ring's kernel (the
 * ring clipped by its own edges), else its corners' mean. False if there is none.
 */
export function placeInKernel(ring: Ring): boolean {
  const { count, x: rx, y: ry } = ring;
  if (clipX.length < count + 8) {
    clipX = new Float64Array(2 * count + 8);
    clipY = new Float64Array(2 * count + 8);
    clippedX = new Float64Array(2 * count + 8);
    clippedY = new Float64Array(2 * count + 8);
  }
  let px = clipX;
  let py = clipY;
  let qx = clippedX;
  let qy = clippedY;
  let lowX = rx[0];
  let lowY = ry[0];
  let highX = lowX;
  let highY = lowY;
  for (let i = 1; i < count; i++) {
    lowX = Math.min(lowX, rx[i]);
    highX = Math.max(highX, rx[i]);
    lowY = Math.min(lowY, ry[i]);
    highY = Math.max(highY, ry[i]);
  }
  // Relative to the ring's middle, so that a small ring far from the origin keeps its digits.
  const mx = (lowX + highX) / 2;
  const my = (lowY + highY) / 2;
  px[0] = px[3] = lowX - mx;
  px[1] = px[2] = highX - mx;
  py[0] = py[1] = lowY - my;
  py[2] = py[3] = highY - my;
  let corners = 4;
  for (let i = 0; i < count && corners > 0; i++) {
    const ox = rx[i] - mx;
    const oy = ry[i] - my;
    const ex = rx[i + 1] - rx[i];
    const ey = ry[i + 1] - ry[i];
    let kept = 0;
    for (let j = 0; j < corners; j++) {
      const k = j + 1 === corners ? 0 : j + 1;
      const dj = ex * (py[j] - oy) - ey * (px[j] - ox);
      const dk = ex * (py[k] - oy) - ey * (px[k] - ox);
      if (dj >= 0) {
        qx[kept] = px[j];
        qy[kept++] = py[j];
      }
      if ((dj > 0 && dk < 0) || (dj < 0 && dk > 0)) {
        const t = dj / (dj - dk);
        qx[kept] = px[j] + t * (px[k] - px[j]);
        qy[kept++] = py[j] + t * (py[k] - py[j]);
      }
    }
    corners = kept;
    [px, qx] = [qx, px];
    [py, qy] = [qy, py];
  }
  if (corners < 3) return false;
  let area = 0;
  let cx = 0;
  let cy = 0;
  let sumX = px[0];
  let sumY = py[0];
  for (let j = 1; j < corners; j++) {
    sumX += px[j];
    sumY += py[j];
    if (j + 1 === corners) break;
    const c = (px[j] - px[0]) * (py[j + 1] - py[0]) - (py[j] - py[0]) * (px[j + 1] - px[0]);
    area += c;
    cx += c * (px[0] + px[j] + px[j + 1]);
    cy += c * (py[0] + py[j] + py[j + 1]);
  }
  return (
    (area > 0 && tryPlace(ring, cx / (3 * area) + mx, cy / (3 * area) + my)) ||
    tryPlace(ring, sumX / corners + mx, sumY / corners + my)
  );
}

/** True if the center may be at (x, y), snapped; then leaves it in `placed`. */
export function tryPlace(ring: Ring, x: number, y: number): boolean {
  const sx = snap(x);
  const sy = snap(y);
  if (!(ring.energyAt(sx, sy) < Number.POSITIVE_INFINITY)) return false;
  placed.x = sx;
  placed.y = sy;
  return true;
}
