/**
 * The bounding-sphere tree of a geometry image, packed in one RGBA page (grid.ts): a node's
 * center is its pixel's RGB on the image's own grid, its radius A * radiusSteps[level].
 *
 * `seed` builds the spheres of the paper (at the end). `tight` (ours) builds at every level the
 * smallest sphere around the *vertices* below (E. Welzl, "Smallest enclosing disks", 1991, by
 * pivoting: B. Gaertner, "Fast and robust smallest enclosing balls", ESA 1999). A child sphere may
 * then extend beyond its parent. Its content does not, and no query needs more.
 *
 * Rounding outward. A vertex decodes to
 *   fl(o + fl(q step))
 * wrong by at most u (|o| + 2 |q step|) per coordinate, u = 2^-53. For two integer points at
 * squared distance d (exact), the decoded distance is at most
 *   step sqrt(d) + `decodeError`
 * Radii are measured so, enlarged by 8u, and rounded up to the level's step.
 *
 * How tight: a tight leaf's decoded radius relative to the smallest ball around its quad's four
 * vertices, bunny, in percent above 1 (bench/layout-check.mjs; blob and bolt differ by at most
 * 0.05):
 *                                     129     257    1025    4097    8193
 *   mean                             0.04    0.07    0.28    1.12    2.36
 *   99th percentile                  0.10    0.21    0.81    3.26    6.63
 *   of the mean, radius rounded up  0.002   0.002   0.002   0.002   0.002
 *   mean if one radius step served   0.08    0.16    0.64    2.55    5.06
 * All but the radius' share is the center's rounding to the grid, at most half a step per axis: at
 * 8193 a leaf's radius is 11 steps on average. The method itself adds nothing visible.
 *
 * The lowest levels, 98 % of the nodes, are fitted in WebAssembly if available (kernel.ts).
 */

import type { Chart } from './geometry-image.ts';
import { decodeError, type Grid, nodeOffset, type SphereTree, sizeOf, treePixels } from './grid.ts';
import type { LevelFitter } from './kernel.ts';
import { buildSlabs, withSlabs } from './slab-tree.ts';

export type SphereMethod = 'tight' | 'seed';

const U = 2 ** -53;

/** Consecutive samples of charts of one size. */
export interface ChartSamples {
  geometry: Uint16Array;
  exponent: number;
  count: number;
}

/**
 * Builds the trees of `count` charts of one size, consecutive in one page with common radius steps,
 * and their slabs when they are first read. The charts' samples in `geometry` are consecutive.
 * `fitter` does its part; the bytes don't depend on it.
 */
export const buildSphereTrees = (
  geometry: Uint16Array,
  exponent: number,
  count: number,
  grid: Grid,
  method: SphereMethod = 'tight',
  fitter?: LevelFitter,
): SphereTree => buildTreesOfGroups([{ geometry, exponent, count }], grid, method, fitter)[0];

/** The same for all groups of an image: spheres as in the seed paper have one scale. */
export function buildTreesOfGroups(
  groups: readonly ChartSamples[],
  grid: Grid,
  method: SphereMethod,
  fitter?: LevelFitter,
): SphereTree[] {
  const trees =
    method === 'seed' ? buildSeedSpheres(groups, grid) : groups.map((group) => fitTight(group, grid, fitter));
  return groups.map(({ geometry, exponent, count }, g) =>
    withSlabs(trees[g], () => buildSlabs(geometry, exponent, count, grid, trees[g], fitter)),
  );
}

function fitTight({ geometry, exponent, count }: ChartSamples, grid: Grid, fitter?: LevelFitter): SphereTree {
  const samples = geometry.length / count;
  const values = 4 * treePixels(exponent);
  const page = new Uint16Array(count * values);
  const radiusSteps = new Float64Array(exponent + 1);
  const builders = Array.from({ length: count }, (_, slot) => {
    const own = geometry.subarray(slot * samples, (slot + 1) * samples);
    return new TreeBuilder(own, exponent, grid, page.subarray(slot * values, (slot + 1) * values));
  });
  for (let level = exponent; level >= 0; level--) {
    let largest = 0;
    for (const builder of builders) largest = Math.max(largest, builder.fitLevel(level, fitter));
    radiusSteps[level] = stepOf(largest);
    for (const builder of builders) builder.quantiseRadii(level, radiusSteps[level]);
  }
  return { page, radiusSteps };
}

/** The level's step holds its largest radius in 16 bits. */
function stepOf(largest: number): number {
  let step = largest / 65535;
  while (65535 * step < largest) step *= 1 + 2 * U;
  return step;
}

export const buildSphereTree = (
  geometry: Uint16Array,
  exponent: number,
  grid: Grid,
  method?: SphereMethod,
  fitter?: LevelFitter,
): SphereTree => buildSphereTrees(geometry, exponent, 1, grid, method, fitter);

/** A node's vertices are the square of (2^(n-L) + 1)^2 vertices at its corner. */
class TreeBuilder {
  private readonly size: number;
  private readonly slack: number;
  /** Radii in model units by pixel: exact on the current level, decoded below. */
  private readonly radii: Float64Array;

  constructor(
    private readonly geometry: Uint16Array,
    private readonly exponent: number,
    private readonly grid: Grid,
    private readonly page: Uint16Array,
  ) {
    this.size = sizeOf(exponent);
    this.radii = new Float64Array(page.length / 4);
    this.slack = decodeError(grid);
  }

  fitLevel(level: number, fitter?: LevelFitter): number {
    const nodes = 1 << level;
    let largest = 0;
    const { geometry, exponent, page, grid } = this;
    const isDone = fitter?.balls({ geometry, exponent, level, page, grid }, this.radii);
    for (let row = 0; row < nodes; row++) {
      if (!isDone) for (let column = 0; column < nodes; column++) this.fitTight(level, row, column);
      const first = nodeOffset(this.exponent, level, row, 0) / 4;
      for (let i = first; i < first + nodes; i++) if (this.radii[i] > largest) largest = this.radii[i];
    }
    return largest;
  }

  /** Rounds radii up, compared after decoding. */
  quantiseRadii(level: number, step: number): void {
    const nodes = 1 << level;
    for (let row = 0; row < nodes; row++) {
      const first = nodeOffset(this.exponent, level, row, 0) / 4;
      for (let i = first; i < first + nodes; i++) {
        let alpha = step > 0 ? Math.min(65535, Math.ceil(this.radii[i] / step)) : 0;
        while (alpha * step < this.radii[i]) alpha++;
        this.page[4 * i + 3] = alpha;
        this.radii[i] = alpha * step;
      }
    }
  }

  /** Stores the center, and the radius for a farthest vertex at squared grid distance d2. */
  private store(offset: number, d2: number): void {
    this.page[offset] = centre[0];
    this.page[offset + 1] = centre[1];
    this.page[offset + 2] = centre[2];
    this.radii[offset >> 2] = (this.grid.step * Math.sqrt(d2) + this.slack) * (1 + 8 * U);
  }

  private fitTight(level: number, row: number, column: number): void {
    const offset = nodeOffset(this.exponent, level, row, column);
    support.count = 0;
    this.addCorners(level, row, column);
    smallestBall();
    let d2 = 0;
    for (let round = 0; ; round++) {
      d2 = this.farthest(level, row, column, ball.x, ball.y, ball.z);
      // 1e-3 of the radius: 2e-3 of its square.
      if (d2 <= ball.d2 * 1.002 + 0.5 || round === 16) break;
      support.add(far.x, far.y, far.z);
      smallestBall();
    }
    centre[0] = roundToGrid(ball.x);
    centre[1] = roundToGrid(ball.y);
    centre[2] = roundToGrid(ball.z);
    this.store(offset, this.farthest(level, row, column, centre[0], centre[1], centre[2]));
  }

  private addCorners(level: number, row: number, column: number): void {
    const span = 1 << (this.exponent - level);
    for (let k = 0; k < 4; k++) {
      const v = 3 * ((row + (k >> 1)) * span * this.size + (column + (k & 1)) * span);
      support.add(this.geometry[v], this.geometry[v + 1], this.geometry[v + 2]);
    }
  }

  private farthest(level: number, row: number, column: number, x: number, y: number, z: number): number {
    far.d2 = -1;
    this.searchFarthest(level, row, column, x, y, z);
    return far.d2;
  }

  /**
   * Tests vertices themselves up to two levels up. Above, enters only children whose sphere could
   * hold a farther one.
   */
  private searchFarthest(level: number, row: number, column: number, x: number, y: number, z: number): void {
    if (this.exponent - level <= 2) {
      const { geometry, size } = this;
      const span = 1 << (this.exponent - level);
      for (let r = row * span; r <= (row + 1) * span; r++) {
        let v = 3 * (r * size + column * span);
        for (let c = 0; c <= span; c++, v += 3) {
          const dx = geometry[v] - x;
          const dy = geometry[v + 1] - y;
          const dz = geometry[v + 2] - z;
          const d2 = dx * dx + dy * dy + dz * dz;
          if (d2 > far.d2) {
            far.d2 = d2;
            far.x = geometry[v];
            far.y = geometry[v + 1];
            far.z = geometry[v + 2];
          }
        }
      }
      return;
    }
    const { page, radii } = this;
    const toGrid = 1 / this.grid.step;
    for (let k = 0; k < 4; k++) {
      const r = 2 * row + (k >> 1);
      const c = 2 * column + (k & 1);
      const o = nodeOffset(this.exponent, level + 1, r, c);
      const dx = page[o] - x;
      const dy = page[o + 1] - y;
      const dz = page[o + 2] - z;
      const reach = Math.sqrt(dx * dx + dy * dy + dz * dz) + radii[o >> 2] * toGrid;
      if (reach * reach * (1 + 1e-12) > far.d2) this.searchFarthest(level + 1, r, c, x, y, z);
    }
  }
}

/** Clamps to the page's range: a radius for a center that wraps around would be too small. */
const roundToGrid = (x: number): number => Math.min(65535, Math.max(0, Math.round(x)));

const centre = new Float64Array(3);
const far = { d2: 0, x: 0, y: 0, z: 0 };

const support = {
  count: 0,
  points: new Float64Array(3 * 24),
  add(x: number, y: number, z: number): void {
    this.points[3 * this.count] = x;
    this.points[3 * this.count + 1] = y;
    this.points[3 * this.count + 2] = z;
    this.count++;
  },
};

const ball = { x: 0, y: 0, z: 0, d2: 0 };
const boundary = new Float64Array(12);

function smallestBall(): void {
  welzl(support.count, 0);
}

/**
 * Welzl's recursion with move-to-front: the ball around the first `count` points with `fixed`
 * points on its boundary.
 */
function welzl(count: number, fixed: number): void {
  ballThrough(fixed);
  if (fixed === 4) return;
  const p = support.points;
  for (let i = 0; i < count; i++) {
    const x = p[3 * i];
    const y = p[3 * i + 1];
    const z = p[3 * i + 2];
    const dx = x - ball.x;
    const dy = y - ball.y;
    const dz = z - ball.z;
    if (dx * dx + dy * dy + dz * dz <= ball.d2 * (1 + 1e-9) + 1e-6) continue;
    boundary[3 * fixed] = x;
    boundary[3 * fixed + 1] = y;
    boundary[3 * fixed + 2] = z;
    welzl(i, fixed + 1);
    for (let k = 3 * i - 1; k >= 0; k--) p[k + 3] = p[k]; // copyWithin costs more than a few numbers do
    p[0] = x;
    p[1] = y;
    p[2] = z;
  }
}

/** The smallest ball with the first `count` `boundary` points on it; fewer if these are flat. */
function ballThrough(count: number): void {
  if (count === 0) {
    ball.d2 = -1;
    return;
  }
  const b = boundary;
  ball.x = b[0];
  ball.y = b[1];
  ball.z = b[2];
  ball.d2 = 0;
  if (count === 1) return;
  const ux = b[3] - b[0];
  const uy = b[4] - b[1];
  const uz = b[5] - b[2];
  const uu = ux * ux + uy * uy + uz * uz;
  if (count === 2) {
    setBall(ux / 2, uy / 2, uz / 2);
    return;
  }
  const vx = b[6] - b[0];
  const vy = b[7] - b[1];
  const vz = b[8] - b[2];
  const vv = vx * vx + vy * vy + vz * vz;
  const nx = uy * vz - uz * vy;
  const ny = uz * vx - ux * vz;
  const nz = ux * vy - uy * vx;
  const nn = nx * nx + ny * ny + nz * nz;
  if (count === 3) {
    if (!(nn > 1e-9 * uu * vv)) {
      if (uu > vv) setBall(ux / 2, uy / 2, uz / 2);
      else setBall(vx / 2, vy / 2, vz / 2);
      return;
    }
    // Circumcenter relative to point 0:
    //   (uu v - vv u) x n / (2 |n|^2)
    const wx = uu * vx - vv * ux;
    const wy = uu * vy - vv * uy;
    const wz = uu * vz - vv * uz;
    const s = 1 / (2 * nn);
    setBall((wy * nz - wz * ny) * s, (wz * nx - wx * nz) * s, (wx * ny - wy * nx) * s);
    return;
  }
  const wx = b[9] - b[0];
  const wy = b[10] - b[1];
  const wz = b[11] - b[2];
  const ww = wx * wx + wy * wy + wz * wz;
  const det = nx * wx + ny * wy + nz * wz;
  if (!(det * det > 1e-9 * nn * ww)) {
    ballThrough(3);
    return;
  }
  const s = 1 / (2 * det);
  setBall(
    (ww * nx + vv * (wy * uz - wz * uy) + uu * (vy * wz - vz * wy)) * s,
    (ww * ny + vv * (wz * ux - wx * uz) + uu * (vz * wx - vx * wz)) * s,
    (ww * nz + vv * (wx * uy - wy * ux) + uu * (vx * wy - vy * wx)) * s,
  );
}

function setBall(x: number, y: number, z: number): void {
  ball.x = boundary[0] + x;
  ball.y = boundary[1] + y;
  ball.z = boundary[2] + z;
  ball.d2 = x * x + y * y + z * z;
}

/*
 * The spheres of the seed paper: B. Benes, N. Gomez Villanueva, "GI-COLLIDE - Collision Detection
 * with Geometry Images", SCCG 2005, section 3, Figures 4 and 6. FORMAT.md quotes it, and has the
 * formulas.
 *
 * A leaf is centered in the min-max box of its four corners, with half the box's diagonal. A sphere
 * above is centered in the box of the four spheres below, and is the smallest there that holds
 * them. Alpha is the radius itself, in the steps that red, green and blue count centers in, on all
 * levels of all charts. Spheres of spheres grow beyond what they hold. If a radius of the image
 * exceeds 65,535 steps, all alphas count 2, 4, 8, ... steps.
 *
 * Rounding outward, as above. A center is rounded to the grid, and a box made larger to both sides
 * of it. A radius is rounded up to its scale before the next level is made, so every sphere holds
 * those below it as they are stored. `verify` repeats the formulas.
 *
 * How loose: as above, mean in percent above 1, with a step for each level and on one scale.
 *                            129     257     513
 *   a step for each level   13.67   14.15   14.44
 *   one scale               13.75   14.29   14.74
 *
 * Roads not taken. The largest radius / 65535 as the scale is finer, by 6 % for the bunny at 129 (a
 * root of 61,678) and by 28 % for a box at 17 (47,026 times 2). But then alpha would not be a
 * number of steps. Half the diagonal of the box of the four spheres, on every level, would let
 * radii grow by up to sqrt(3) a level.
 */

const LARGEST_ALPHA = 65535;

/** Makes the trees of all groups of an image, on one scale. */
function buildSeedSpheres(groups: readonly ChartSamples[], grid: Grid): SphereTree[] {
  const trees = groups.map(({ exponent, count }) => ({
    page: new Uint16Array(4 * count * treePixels(exponent)),
    radiusSteps: new Float64Array(exponent + 1),
  }));
  const fits = (scale: number): boolean =>
    groups.every((group, g) => {
      trees[g].radiusSteps.fill(scale * grid.step);
      return chartsOfGroup(group, trees[g], grid).every(fitChart);
    });
  let scale = 1;
  while (!fits(scale)) scale *= 2;
  return trees;
}

type SeedChart = Pick<Chart, 'exponent' | 'geometry' | 'tree' | keyof Grid>;

function chartsOfGroup({ geometry, exponent, count }: ChartSamples, tree: SphereTree, grid: Grid): SeedChart[] {
  const samples = geometry.length / count;
  const values = 4 * treePixels(exponent);
  return Array.from({ length: count }, (_, slot) => ({
    ...grid,
    exponent,
    geometry: geometry.subarray(slot * samples, (slot + 1) * samples),
    tree: { ...tree, page: tree.page.subarray(slot * values, (slot + 1) * values) },
  }));
}

/** Returns false if a radius is beyond the scale. */
function fitChart(chart: SeedChart): boolean {
  const { exponent, tree } = chart;
  for (let level = exponent; level >= 0; level--) {
    for (let row = 0; row < 1 << level; row++) {
      for (let column = 0; column < 1 << level; column++) {
        placeCenter(chart, level, row, column);
        const alpha = alphaOf(seedRadius(chart, level, row, column), tree.radiusSteps[level]);
        if (alpha > LARGEST_ALPHA) return false;
        tree.page[nodeOffset(exponent, level, row, column) + 3] = alpha;
      }
    }
  }
  return true;
}

/** The least alpha that decodes to the radius or more. */
function alphaOf(radius: number, step: number): number {
  let alpha = Math.ceil(radius / step);
  while (alpha * step < radius) alpha++;
  return alpha;
}

function placeCenter(chart: SeedChart, level: number, row: number, column: number): void {
  const { exponent, tree } = chart;
  if (level === exponent) boxOfCorners(chart, row, column);
  else boxOfChildren(chart, level, row, column);
  const o = nodeOffset(exponent, level, row, column);
  // On the page, no sphere below is centered beyond the sides. And the box reaches at least as far
  // beyond the center of any of these spheres as that sphere does, both ways.
  for (let i = 0; i < 3; i++) tree.page[o + i] = Math.round((low[i] + high[i]) / 2);
}

/**
 * The radius that the paper demands for a node around the stored center, in model units: half the
 * diagonal of the box around the corners, or the distance that the four spheres below reach. It is
 * rounded up, so that an alpha that decodes to no less holds them in exact arithmetic.
 */
export function seedRadius(chart: SeedChart, level: number, row: number, column: number): number {
  const { exponent, tree, step } = chart;
  const { page } = tree;
  const o = nodeOffset(exponent, level, row, column);
  const slack = decodeError(chart);
  if (level === exponent) {
    boxOfCorners(chart, row, column);
    let square = 0;
    for (let i = 0; i < 3; i++) {
      const half = Math.max(high[i] - page[o + i], page[o + i] - low[i]);
      square += half * half;
    }
    return (step * Math.sqrt(square) + slack) * (1 + 8 * U);
  }
  let radius = 0;
  for (let k = 0; k < 4; k++) {
    const c = nodeOffset(exponent, level + 1, 2 * row + (k >> 1), 2 * column + (k & 1));
    const dx = page[c] - page[o];
    const dy = page[c + 1] - page[o + 1];
    const dz = page[c + 2] - page[o + 2];
    const distance = step * Math.sqrt(dx * dx + dy * dy + dz * dz) + slack;
    radius = Math.max(radius, (distance + page[c + 3] * tree.radiusSteps[level + 1]) * (1 + 8 * U));
  }
  return radius;
}

function boxOfCorners({ geometry, exponent }: SeedChart, row: number, column: number): void {
  low.fill(Number.POSITIVE_INFINITY);
  high.fill(Number.NEGATIVE_INFINITY);
  const size = sizeOf(exponent);
  for (let k = 0; k < 4; k++) {
    const v = 3 * ((row + (k >> 1)) * size + column + (k & 1));
    for (let i = 0; i < 3; i++) {
      low[i] = Math.min(low[i], geometry[v + i]);
      high[i] = Math.max(high[i], geometry[v + i]);
    }
  }
}

/** The box of the four spheres below, in steps of the grid. */
function boxOfChildren({ exponent, tree, step }: SeedChart, level: number, row: number, column: number): void {
  low.fill(Number.POSITIVE_INFINITY);
  high.fill(Number.NEGATIVE_INFINITY);
  const scale = tree.radiusSteps[level + 1] / step;
  for (let k = 0; k < 4; k++) {
    const c = nodeOffset(exponent, level + 1, 2 * row + (k >> 1), 2 * column + (k & 1));
    const radius = tree.page[c + 3] * scale;
    for (let i = 0; i < 3; i++) {
      low[i] = Math.min(low[i], tree.page[c + i] - radius);
      high[i] = Math.max(high[i], tree.page[c + i] + radius);
    }
  }
}

const low = new Float64Array(3);
const high = new Float64Array(3);
