/** No sampled and no exactly computed distance is above its bound; the bounds are near them; everything is covered once. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { kernels } from '../../../src/kernels/memory.ts';
import { cleanMesh } from '../../../src/mesh/clean.ts';
import { measureDeviation } from '../../../src/mesh/deviation.ts';
import type { Mesh } from '../../../src/mesh/mesh.ts';
import { halfedges } from '../../../src/mesh/topology.ts';
import { TriangleTree, triangleDistanceSquared } from '../../../src/mesh/triangle-tree.ts';
import { readObj } from '../../../src/readers/obj/obj.ts';
import { KERNEL } from '../../../src/representations/gi/make/kernel.generated.ts';
import {
  type OverlayChart,
  type OverlaySource,
  overlayDeviation,
} from '../../../src/representations/gi/make/overlay.ts';
import { searchCones } from '../../../src/representations/gi/make/parameterize/cones.ts';
import {
  coarsenToTetrahedron,
  DEFAULT_EMBED_OPTIONS,
  embedFrom,
  normalise,
} from '../../../src/representations/gi/make/parameterize/embed.ts';
import { resample } from '../../../src/representations/gi/make/resample.ts';
import {
  createStoredSurface,
  layDropped,
  wholeDeviation,
} from '../../../src/representations/gi/make/whole-deviation.ts';
import { nodeOffset, sizeOf, treeWidth } from '../../../src/representations/gi/tree/grid.ts';
import { buildSphereTree } from '../../../src/representations/gi/tree/sphere-tree.ts';
import { chartMesh } from '../../support/gi.ts';
import { long, some } from '../../support/long.ts';
import { type Random, seeded } from '../../support/random.ts';
import { commonIntegers } from '../../support/rational.ts';
import { bumpySphere, octasphere, tetrahedron } from '../../support/shapes.ts';

const asset = (name: string): Mesh => readObj(readFileSync(new URL(`../../../assets/${name}.obj`, import.meta.url)));

/** A closed mesh in the pillowcase, its cones searched or, quicker, where simplification leaves them. */
function embedded(mesh: Mesh, cones = false): OverlaySource {
  const { positions, triangles } = cleanMesh(mesh).mesh;
  const closed = {
    positions: normalise(positions, triangles),
    triangles,
    twin: halfedges(triangles, positions.length / 3),
  };
  const options = {
    ...DEFAULT_EMBED_OPTIONS,
    ...(cones && { cones: searchCones(closed, () => undefined) }),
  };
  const embedding = embedFrom(coarsenToTetrahedron(closed, options), closed.positions, options);
  return { positions, triangles, corners: embedding.corners, folded: true };
}

function quantised(samples: Float64Array, exponent: number): OverlayChart {
  const low = [0, 1, 2].map((k) => samples.reduce((m, x, i) => (i % 3 === k && x < m ? x : m), Infinity));
  const high = [0, 1, 2].map((k) => samples.reduce((m, x, i) => (i % 3 === k && x > m ? x : m), -Infinity));
  const step = Math.max(...high.map((x, k) => x - low[k])) / 65535;
  const geometry = Uint16Array.from(samples, (x, i) => Math.min(65535, Math.round((x - low[i % 3]) / step)));
  return { exponent, geometry, origin: Float64Array.from(low), step };
}

function imageOf(source: OverlaySource, exponent: number): OverlayChart {
  const { positions, triangles, corners } = source;
  const embedding = { corners, cones: new Int32Array(4), stretch: 0 };
  return quantised(resample(positions, triangles, embedding, sizeOf(exponent)).positions, exponent);
}

const SNAP = 2 ** 46;
const snap = (x: number): number => Math.round(x * SNAP) / SNAP;

/**
 * A disk that fills the square: (m + 1)^2 vertices, their places given by `shift` for inner ones, in space anywhere in a box. Places
 * between vertices of a side stay on it.
 */
function disk(
  m: number,
  lines: number[],
  random: Random,
  jitter: number,
  space: (x: number, y: number) => number[],
): OverlaySource {
  const place = new Float64Array(2 * (m + 1) * (m + 1));
  const positions = new Float64Array(3 * (m + 1) * (m + 1));
  for (let j = 0; j <= m; j++) {
    for (let i = 0; i <= m; i++) {
      const v = j * (m + 1) + i;
      const inX = i > 0 && i < m ? jitter : 0;
      const inY = j > 0 && j < m ? jitter : 0;
      place[2 * v] = snap(lines[i] + inX * random.between(-1, 1));
      place[2 * v + 1] = snap(lines[j] + inY * random.between(-1, 1));
      positions.set(space(place[2 * v], place[2 * v + 1]), 3 * v);
    }
  }
  const triangles: number[] = [];
  for (let j = 0; j < m; j++) {
    for (let i = 0; i < m; i++) {
      const a = j * (m + 1) + i;
      const [b, c, d] = [a + 1, a + m + 1, a + m + 2];
      triangles.push(...(random.below(2) === 0 ? [a, b, d, a, d, c] : [a, b, c, b, d, c]));
    }
  }
  const corners = Float64Array.from({ length: 2 * triangles.length }, (_, i) => place[2 * triangles[i >> 1] + (i & 1)]);
  return { positions, triangles, corners, folded: false };
}

const evenly = (m: number): number[] => Array.from({ length: m + 1 }, (_, i) => -1 + (2 * i) / m);

/** Any grid of samples in a box: the bounds have no need of a good image. */
function anyImage(random: Random, exponent: number, low: number, extent: number): OverlayChart {
  const size = sizeOf(exponent);
  const geometry = Uint16Array.from({ length: 3 * size * size }, () => random.below(65536));
  return { exponent, geometry, origin: Float64Array.of(low, -low, low / 3), step: extent / 65535 };
}

/** x, y, z of three corners of triangle t. */
function cornersOf(positions: Float64Array, triangles: ArrayLike<number>, t: number): Float64Array {
  return Float64Array.from({ length: 9 }, (_, i) => positions[3 * triangles[3 * t + Math.floor(i / 3)] + (i % 3)]);
}

/** Squares leave the doubles at 1e-160 and single precision of nothing here: distances are measured in units of `unit`. */
function distanceTo(corners: Float64Array, p: number[], unit: number): number {
  const relative = corners.map((x, i) => (x - p[i % 3]) / unit);
  return unit * Math.sqrt(triangleDistanceSquared(relative, 0, 0, 0, 0));
}

/** A random place in a triangle, now and then on a side or a corner. */
function weights(random: Random): number[] {
  const w = [random.next(), random.next(), random.next()];
  if (random.below(4) === 0) w[random.below(3)] = 0;
  if (random.below(8) === 0) w.fill(0)[random.below(3)] = 1;
  const sum = w[0] + w[1] + w[2];
  return w.map((x) => x / sum);
}

/** Where a source point lies in the square: the images under the group, by trying all that can be. */
function* placesInSquare(source: OverlaySource, t: number, w: number[]): Generator<[number, number]> {
  const at = [0, 1].map((k) => [0, 1, 2].reduce((sum, i) => sum + w[i] * source.corners[6 * t + 2 * i + k], 0));
  if (!source.folded) yield [at[0], at[1]];
  else
    for (let i = -6; i <= 6; i++)
      for (let j = -6; j <= 6; j++) {
        const sign = (i + j) % 2 === 0 ? 1 : -1;
        const [x, y] = [sign * at[0] + 2 * i, sign * at[1] + 2 * j];
        if (Math.abs(x) <= 1 && Math.abs(y) <= 1) yield [x, y];
      }
}

/** Random points of the source against their quad, random points of the image against the source. */
function sampleAgainst(chart: OverlayChart, source: OverlaySource, random: Random, count: number, unit: number) {
  const spheres = buildSphereTree(chart.geometry, chart.exponent, chart);
  // Cells are listed by the readable walk alone.
  const overlay = overlayDeviation(chart, source, { cells: true, spheres });
  expect(overlayDeviation(chart, source, { spheres })).toEqual({ ...overlay, cells: null });
  const stored = chartMesh(chart);
  const quads = 1 << chart.exponent;
  const { positions, triangles } = source;
  const wrong: string[] = [];
  const slack = 1e-9;
  for (let i = 0; i < count; i++) {
    const t = random.below(triangles.length / 3);
    const w = weights(random);
    const c = cornersOf(positions, triangles, t);
    const p = [0, 1, 2].map((k) => w[0] * c[k] + w[1] * c[3 + k] + w[2] * c[6 + k]);
    let images = 0;
    for (const [x, y] of placesInSquare(source, t, w)) {
      images++;
      const column = Math.min(quads - 1, Math.floor((x + 1) * (quads / 2)));
      const row = Math.min(quads - 1, Math.floor((y + 1) * (quads / 2)));
      const quad = row * quads + column;
      const distance = Math.min(
        distanceTo(cornersOf(stored.positions, stored.triangles, 2 * quad), p, unit),
        distanceTo(cornersOf(stored.positions, stored.triangles, 2 * quad + 1), p, unit),
      );
      // A sample's own rounding may put it just beyond its quad's line: 1e-9 of the unit is more than that moves it in space.
      if (!(distance <= overlay.missing[quad] + slack * unit)) {
        wrong.push(`sample ${i}: ${distance} from quad ${quad}`);
      }
      for (let level = 0; level <= chart.exponent; level++) {
        const up = chart.exponent - level;
        const node = nodeOffset(chart.exponent, level, row >> up, column >> up);
        const centre = [0, 1, 2].map((k) => chart.origin[k] + spheres.page[node + k] * chart.step);
        const radius = spheres.page[node + 3] * spheres.radiusSteps[level];
        const reach = unit * Math.hypot(...centre.map((x, k) => (p[k] - x) / unit)) - radius;
        if (!(reach <= overlay.outside![node / 4] + slack * unit)) {
          wrong.push(`sample ${i}: ${reach} out of sphere ${node / 4}`);
        }
      }
      const { offsets, items } = overlay.cells!;
      const inner = w.every((weight) => weight > 1e-9);
      if (inner && !items.subarray(offsets[quad], offsets[quad + 1]).includes(t)) {
        wrong.push(`sample ${i}: quad ${quad} lacks triangle ${t}`);
      }
    }
    if (images === 0) wrong.push(`sample ${i}: nowhere in the square`);
  }
  const tree = new TriangleTree({
    positions: positions.map((x) => x / unit),
    triangles: Uint32Array.from(triangles),
  });
  for (let i = 0; i < count; i++) {
    const t = random.below(stored.triangles.length / 3);
    const w = weights(random);
    const c = cornersOf(stored.positions, stored.triangles, t);
    const p = [0, 1, 2].map((k) => (w[0] * c[k] + w[1] * c[3 + k] + w[2] * c[6 + k]) / unit);
    const distance = unit * Math.sqrt(tree.closestDistanceSquared(p[0], p[1], p[2]));
    if (!(distance <= overlay.excess[t >> 1] + slack * unit)) {
      wrong.push(`stored sample ${i}: ${distance} from the source`);
    }
  }
  expect(wrong).toEqual([]);
  expect(Math.abs(overlay.area - 4)).toBeLessThan(1e-9);
  return overlay;
}

test('the walk has a kernel here, so that both walks are compared', () => {
  expect(kernels(KERNEL)?.functions.walkOverlay).toBeTypeOf('function');
});

const greatest = (x: ArrayLike<number>): number => Array.from(x).reduce((m, y) => Math.max(m, y), 0);

const EXPONENT = long ? 7 : 6;

test(`bunny at ${sizeOf(EXPONENT)}, seed 1: bounds hold, and are near what is measured`, {
  tags: ['all', 'long'],
}, () => {
  const source = embedded(asset('bunny'), long);
  const chart = imageOf(source, EXPONENT);
  const overlay = sampleAgainst(chart, source, seeded(1), long ? 4000 : 700, 0.1);
  const surface = { positions: source.positions, triangles: Uint32Array.from(source.triangles) };
  const measured = measureDeviation(surface, chartMesh(chart), { samples: long ? 100_000 : 40_000 });
  const missing = greatest(overlay.missing);
  expect(missing).toBeGreaterThanOrEqual(measured.maxAB);
  expect(missing).toBeLessThan(1.5 * measured.maxAB);
  // What reaches out of the spheres is far less than what is missing from the triangles.
  const leaves = overlay.outside!.filter((_, i) => i % treeWidth(EXPONENT) < 1 << EXPONENT);
  const sum = (x: Float64Array): number => x.reduce((a, b) => a + b, 0);
  expect(sum(leaves)).toBeLessThan(0.05 * sum(overlay.missing));
  expect(greatest(overlay.excess)).toBeGreaterThanOrEqual(measured.maxBA);
  expect(greatest(overlay.excess)).toBeLessThan(2.5 * measured.maxBA);
  expect(greatest(overlay.bySource)).toBeGreaterThanOrEqual(measured.maxAB);
  const whole = wholeDeviation([{ chart, source, overlay }], createStoredSurface([chart]));
  expect(whole.missing).toBeGreaterThanOrEqual(measured.maxAB);
  expect(whole.missing).toBeLessThan(1.15 * measured.maxAB);
  expect(whole.excess).toBeGreaterThanOrEqual(measured.maxBA);
  expect(whole.excess).toBeLessThan(1.4 * measured.maxBA);
});

describe.each(some(1, [1, 2, 3]))('seed %i', (seed) => {
  test('closed meshes in the pillowcase', { tags: ['all', 'long'] }, () => {
    const random = seeded(seed);
    for (const mesh of [bumpySphere(seed, long ? 3 : 1), octasphere(2), tetrahedron()]) {
      const source = embedded(mesh);
      sampleAgainst(imageOf(source, 5), source, random, 1000, 1);
      sampleAgainst(anyImage(random, 4, -1, 2), source, random, 500, 1);
    }
  });

  test.each([1e-60, 1e-20, 1, 1e20, 1e60])(
    'disks of extent %d, near and far from the origin',
    { tags: ['quick', 'long'] },
    (extent) => {
      const random = seeded(100 + seed);
      for (const far of [0, 1, 2 ** 20]) {
        if (extent * far > 1e60) continue;
        const space = () => [1, -1, 1 / 3].map((k) => k * far * extent + random.between(0, extent));
        const source = disk(6, evenly(6), random, 0.1, space);
        sampleAgainst(anyImage(random, 4, far * extent, extent), source, random, 300, extent);
      }
    },
  );

  test('corners on grid lines and on the diagonals', { tags: ['quick', 'long'] }, () => {
    const random = seeded(200 + seed);
    const space = (x: number, y: number) => [x, y, random.between(-0.2, 0.2)];
    for (const m of [8, 16, 32]) {
      const source = disk(m, evenly(m), random, 0, space);
      const size = 17;
      const samples = Float64Array.from({ length: 3 * size * size }, (_, i) => {
        const [row, column] = [Math.floor(i / 3 / size), Math.floor(i / 3) % size];
        return [column / 8 - 1, row / 8 - 1, random.between(-0.2, 0.2)][i % 3];
      });
      sampleAgainst(quantised(samples, 4), source, random, 1000, 1);
    }
  });

  test('one triangle over the whole square, and two', { tags: ['quick', 'long'] }, () => {
    const random = seeded(300 + seed);
    const positions = Float64Array.from({ length: 12 }, () => random.between(-1, 1));
    const chart = anyImage(random, 4, -1, 2);
    const one = { positions, triangles: [0, 1, 2], folded: false };
    const over = overlayDeviation(chart, { ...one, corners: Float64Array.of(-3, -2, 7, -2, -3, 9) }, { cells: true });
    expect(Math.abs(over.area - 4)).toBeLessThan(1e-9);
    expect(over.pieces).toBe(512);
    expect(over.cells!.items).toEqual(new Int32Array(256));
    const two = { positions, triangles: [0, 1, 2, 0, 2, 3], folded: false };
    sampleAgainst(
      chart,
      { ...two, corners: Float64Array.of(-1, -1, 1, -1, 1, 1, -1, -1, 1, 1, -1, 1) },
      random,
      500,
      1,
    );
  });
});

test('a stored sample that is moved by k steps shows in its quads alone, by as much', () => {
  const size = 17;
  const step = 2 ** -16;
  // Samples and the source's vertices agree to the bit: 4095 steps a quad.
  const geometry = new Uint16Array(3 * size * size);
  for (let v = 0; v < size * size; v++) {
    geometry[3 * v] = (v % size) * 4095;
    geometry[3 * v + 1] = Math.floor(v / size) * 4095;
    geometry[3 * v + 2] = 1000;
  }
  const chart = { exponent: 4, geometry, origin: Float64Array.of(0, 0, 0), step };
  const side = 8 * 4095 * step;
  const source = disk(4, evenly(4), seeded(1), 0, (x, y) => [(x + 1) * side, (y + 1) * side, 1000 * step]);
  const flat = overlayDeviation(chart, source);
  expect(greatest(flat.missing)).toBeLessThan(1e-12);
  expect(greatest(flat.excess)).toBeLessThan(1e-12);
  for (const k of [1, 10, 100]) {
    const moved = geometry.slice();
    moved[3 * (5 * size + 7) + 2] += k;
    const { missing, excess } = overlayDeviation({ ...chart, geometry: moved }, source);
    for (let row = 0; row < 16; row++) {
      for (let column = 0; column < 16; column++) {
        const quad = 16 * row + column;
        const isNext = (row === 4 || row === 5) && (column === 6 || column === 7);
        expect(missing[quad]).toBeLessThan(isNext ? k * step + 1e-12 : 1e-12);
        expect(excess[quad]).toBeLessThan(isNext ? k * step + 1e-12 : 1e-12);
        if (isNext) expect(excess[quad]).toBeGreaterThanOrEqual(k * step * (1 - 1e-12));
        if (isNext) expect(missing[quad]).toBeGreaterThan(0.99 * k * step);
      }
    }
  }
});

type Whole = readonly bigint[];
const minus = (a: Whole, b: Whole): bigint[] => a.map((x, k) => x - b[k]);
const dot = (a: Whole, b: Whole): bigint => a.reduce((sum, x, k) => sum + x * b[k], 0n);

/** Whether point p / d, d > 0, is no farther than a bound from a triangle: in whole numbers, all of them d times as large. */
function isWithin(bound: bigint, p: Whole, d: bigint, triangle: readonly Whole[]): boolean {
  const [a, b, c] = triangle.map((corner) => corner.map((x) => x * d));
  const limit = bound * d * (bound * d);
  const [u, v, r] = [minus(b, a), minus(c, a), minus(p, a)];
  const [uu, uv, vv, ru, rv] = [dot(u, u), dot(u, v), dot(v, v), dot(r, u), dot(r, v)];
  const det = uu * vv - uv * uv;
  const [s, t] = [vv * ru - uv * rv, uu * rv - uv * ru];
  if (det > 0n && s >= 0n && t >= 0n && s + t <= det) {
    const normal = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
    const height = dot(r, normal);
    return height * height <= limit * det;
  }
  return [
    [a, b],
    [b, c],
    [c, a],
  ].some(([x, y]) => {
    const [e, q] = [minus(y, x), minus(p, x)];
    const [ee, along] = [dot(e, e), dot(q, e)];
    if (along <= 0n) return dot(q, q) <= limit;
    if (along >= ee) return dot(minus(p, y), minus(p, y)) <= limit;
    return dot(q, q) * ee - along * along <= limit * ee;
  });
}

/**
 * The corners of the part of a source triangle over a grid triangle, exact: each x, y of its place, x, y, z of its point, and the denominator
 * of them all, positive.
 */
function exactPiece(places: readonly Whole[], points: readonly Whole[], grid: readonly Whole[]): bigint[][] {
  let polygon = places.map((place, k) => [...place, ...points[k], 1n]);
  for (let k = 0; k < 3; k++) {
    const [p, q] = [grid[k], grid[(k + 1) % 3]];
    const [ex, ey] = minus(q, p);
    const side = (at: Whole) => ex * (at[1] - p[1] * at[5]) - ey * (at[0] - p[0] * at[5]);
    const cut: bigint[][] = [];
    polygon.forEach((from, i) => {
      const to = polygon[(i + 1) % polygon.length];
      const [a, b] = [side(from), side(to)];
      if (a >= 0n) cut.push(from);
      if ((a > 0n && b < 0n) || (a < 0n && b > 0n)) {
        const sign = a > 0n ? 1n : -1n;
        cut.push(from.map((x, n) => sign * (a * to[n] - b * x)));
      }
    });
    polygon = cut;
  }
  return polygon;
}

/** Every corner of every exact piece against the bounds, in whole numbers. */
function compareExactly(chart: OverlayChart, source: OverlaySource): void {
  const quads = 1 << chart.exponent;
  const overlay = overlayDeviation(chart, source, { cells: true });
  const stored = chartMesh(chart);
  // One power of two for all lengths, another for all places.
  const bounds = [...overlay.missing, ...overlay.excess];
  const lengths = commonIntegers([...source.positions, ...stored.positions, ...bounds]);
  const sourceLength = source.positions.length;
  const sourceAt = (v: number): Whole => lengths.slice(3 * v, 3 * v + 3);
  const storedAt = (v: number): Whole => lengths.slice(sourceLength + 3 * v, sourceLength + 3 * v + 3);
  const boundAt = (i: number): bigint => lengths[sourceLength + stored.positions.length + i];
  const grid = Array.from({ length: quads + 1 }, (_, i) => -1 + (2 * i) / quads);
  const places = commonIntegers([...grid, ...source.corners]);
  const sourceTriangles = Array.from({ length: source.triangles.length / 3 }, (_, t) => ({
    points: [0, 1, 2].map((k) => sourceAt(source.triangles[3 * t + k])),
    places: [0, 1, 2].map((k) => places.slice(quads + 1 + 6 * t + 2 * k, quads + 3 + 6 * t + 2 * k)),
  }));
  for (let quad = 0; quad < quads * quads; quad++) {
    const near = overlay.cells!.items.subarray(overlay.cells!.offsets[quad], overlay.cells!.offsets[quad + 1]);
    const halves = [0, 1].map((half) =>
      Array.from(stored.triangles.slice(6 * quad + 3 * half, 6 * quad + 3 * half + 3)),
    );
    const quadTriangles = halves.map((half) => half.map(storedAt));
    halves.forEach((half, side) => {
      const at = half.map((v) => [places[v % (quads + 1)], places[Math.floor(v / (quads + 1))]]);
      const [ux, uy] = minus(at[1], at[0]);
      const [vx, vy] = minus(at[2], at[0]);
      const det = ux * vy - uy * vx;
      expect(det > 0n).toBe(true);
      sourceTriangles.forEach((triangle, t) => {
        const piece = exactPiece(triangle.places, triangle.points, at);
        if (piece.length > 0) expect(near.includes(t)).toBe(true);
        for (const [x, y, px, py, pz, d] of piece) {
          const isNear = quadTriangles.some((other) => isWithin(boundAt(quad), [px, py, pz], d, other));
          expect(isNear).toBe(true);
          // The stored point at this place: weights over det d.
          const [rx, ry] = [x - at[0][0] * d, y - at[0][1] * d];
          const [s, w] = [rx * vy - ry * vx, ux * ry - uy * rx];
          const [a, b, c] = quadTriangles[side];
          const g = a.map((_, k) => (det * d - s - w) * a[k] + s * b[k] + w * c[k]);
          const excess = boundAt(quads * quads + quad);
          const isCovered = Array.from(near).some((i) => isWithin(excess, g, det * d, sourceTriangles[i].points));
          expect(isCovered).toBe(true);
        }
      });
    });
  }
}

/** The source's triangle t alone. */
function only(source: OverlaySource, t: number): OverlaySource {
  return {
    positions: source.positions.slice(9 * t, 9 * t + 9),
    triangles: [0, 1, 2],
    corners: source.corners.slice(6 * t, 6 * t + 6),
    folded: false,
  };
}

describe.each(some(1, [1, 2]))('in rational arithmetic, seed %i', (seed) => {
  // Two by two quads: cutsDown and the walk know no least size.
  const EXPONENT = 1;

  test.each([
    ['anywhere', evenly(3), 0.2],
    ['corners on grid lines', evenly(4), 0],
    ['strips of 2^-45 beside a grid line', [-1, 0, 2 ** -45, 1], 0],
    ['strips of 2^-46 across one', [-1, -(2 ** -46), 2 ** -46, 1], 0],
    ["strips beside the square's sides", [-1, -1 + 2 ** -46, 1 - 2 ** -46, 1], 0],
  ] as [string, number[], number][])('%s', { tags: ['quick', 'long'] }, (_, lines, jitter) => {
    const random = seeded(seed);
    const space = () => [0, 1, 2].map(() => random.between(-1, 1));
    compareExactly(anyImage(random, EXPONENT, -1, 2), disk(lines.length - 1, lines, random, jitter, space));
  });

  test.each([1e-60, 1e60])('extent %d', { tags: ['quick', 'long'] }, (extent) => {
    const random = seeded(seed + 10);
    const space = () => [0, 1, 2].map(() => random.between(-extent, extent));
    compareExactly(anyImage(random, EXPONENT, -extent, 2 * extent), disk(2, evenly(2), random, 0.1, space));
  });

  // Not a disk: what is proved of a piece has no need of the others.
  test('sides through grid points, which they touch and do not cross', { tags: ['quick', 'long'] }, () => {
    const random = seeded(seed + 30);
    const corners: number[] = [];
    for (let t = 0; t < 40; t++) {
      const grid = [random.below(3) - 1, random.below(3) - 1];
      const p = [0, 1].map(() => snap(random.between(-2, 2)));
      const beyond = random.pick([1, 2, 3]);
      const q = p.map((x, k) => grid[k] + beyond * (grid[k] - x));
      corners.push(...p, ...q, snap(random.between(-8, 8)), snap(random.between(-8, 8)));
    }
    const positions = Float64Array.from({ length: 9 * 40 }, () => random.between(-1, 1));
    const triangles = Array.from({ length: 3 * 40 }, (_, v) => v);
    const source = { positions, triangles, corners: Float64Array.from(corners), folded: false };
    for (let t = 0; t < 40; t++) compareExactly(anyImage(random, EXPONENT, -1, 2), only(source, t));
  });

  test('a source within rounding of the stored surface', { tags: ['quick', 'long'] }, () => {
    const random = seeded(seed + 40);
    for (let round = 0; round < 20; round++) {
      const chart = anyImage(random, EXPONENT, -1, 2);
      const stored = chartMesh(chart);
      const t = random.below(8);
      const c = cornersOf(stored.positions, stored.triangles, t);
      const at = Array.from(stored.triangles.slice(3 * t, 3 * t + 3), (v) => [(v % 3) - 1, Math.floor(v / 3) - 1]);
      const [positions, corners]: number[][] = [[], []];
      for (let k = 0; k < 3; k++) {
        // Whole sixteenths, so that places are exact and only the points are rounded.
        const v = random.below(17);
        const w = random.below(17 - v);
        const share = [(16 - v - w) / 16, v / 16, w / 16];
        for (let i = 0; i < 3; i++) positions.push(share[0] * c[i] + share[1] * c[3 + i] + share[2] * c[6 + i]);
        for (let i = 0; i < 2; i++) corners.push(share[0] * at[0][i] + share[1] * at[1][i] + share[2] * at[2][i]);
      }
      compareExactly(chart, {
        positions: Float64Array.from(positions),
        triangles: [0, 1, 2],
        corners: Float64Array.from(corners),
        folded: false,
      });
    }
  });

  test('triangles much larger than the square, small in space', { tags: ['quick', 'long'] }, () => {
    const random = seeded(seed + 50);
    for (let round = 0; round < 10; round++) {
      const source = {
        positions: Float64Array.from({ length: 9 }, () => random.between(-1e-3, 1e-3)),
        triangles: [0, 1, 2],
        corners: Float64Array.from({ length: 6 }, (_, i) => snap(random.between(0, 28) * [-1, -1, 1, -1, 0.1, 1][i])),
        folded: false,
      };
      compareExactly(anyImage(random, 2, -1, 2), source);
    }
  });

  test('a source that lies in the stored surface: only the margins stand between a bound and zero', {
    tags: ['quick', 'long'],
  }, () => {
    const random = seeded(seed + 20);
    const chart = anyImage(random, EXPONENT, -1, 2);
    const { positions, triangles } = chartMesh(chart);
    const corners = new Float64Array(2 * triangles.length);
    for (let h = 0; h < triangles.length; h++) {
      corners[2 * h] = (triangles[h] % 3) - 1;
      corners[2 * h + 1] = Math.floor(triangles[h] / 3) - 1;
    }
    const source = { positions, triangles, corners, folded: false };
    compareExactly(chart, source);
    expect(greatest(overlayDeviation(chart, source).missing)).toBeLessThan(3e-13);
  });
});

test('a dropped segment is answered for by quads near it', () => {
  const source = embedded(octasphere(3));
  const chart = imageOf(source, 5);
  const stored = createStoredSurface([chart]);
  // From the centre out through the surface to twice the radius, a short one on the surface, and a point.
  const dropped = {
    positions: Float64Array.of(0, 0, 0, 2, 0, 0, 1, 0, 0, 0.99, 0.1, 0, 0, 0, -3),
    triangles: Uint32Array.of(0, 1, 1, 2, 2, 3, 4, 4, 4),
  };
  const charges = layDropped(dropped, stored);
  const bound = Math.max(...charges.map(({ length }) => length));
  expect(bound).toBeGreaterThanOrEqual(2);
  expect(bound).toBeLessThan(2.1);
  // The short one lies on the surface, but for its chords.
  expect(Math.max(...charges.filter(({ triangle }) => triangle === 1).map(({ length }) => length))).toBeLessThan(0.02);
  for (let t = 0; t < 3; t++) {
    const own = charges.filter(({ triangle }) => triangle === t);
    expect(new Set(own.map(({ quad }) => quad)).size).toBeGreaterThan(0);
    const c = cornersOf(dropped.positions, dropped.triangles, t);
    for (let k = 0; k <= 64; k++) {
      const p = [0, 1, 2].map((axis) => c[axis] + (k / 64) * (c[6 + axis] - c[axis]));
      const holds = own.some(({ quad, length }) =>
        [0, 1].some(
          (half) =>
            distanceTo(cornersOf(stored.surface.positions, stored.surface.triangles, 2 * quad + half), p, 1) <= length,
        ),
      );
      expect(holds).toBe(true);
    }
  }
});

test.each(some(1, [1, 2]))(
  'charts of one triangle, two of their samples in one, are as near as rounding leaves them: seed %i',
  { tags: ['quick', 'long'] },
  (seed) => {
    const random = seeded(seed);
    const charts = Array.from({ length: 40 }, () => {
      const [a, b, c] = [0, 1, 2].map(() => [0, 1, 2].map(() => random.between(-1, 1)));
      const positions = Float64Array.of(...a, ...b, ...a, ...c);
      const chart = quantised(positions, 0);
      const corners = Float64Array.of(1, -1, 1, 1, -1, 1, 1, -1, -1, 1, -1, -1);
      const source = { positions, triangles: Uint32Array.of(1, 3, 2, 1, 2, 0), corners, folded: false };
      return { chart, source, overlay: overlayDeviation(chart, source) };
    });
    const whole = wholeDeviation(charts, createStoredSurface(charts.map(({ chart }) => chart)));
    const step = Math.max(...charts.map(({ chart }) => chart.step));
    for (const bound of [whole.missing, whole.excess]) {
      expect(bound).toBeGreaterThan(0);
      expect(bound).toBeLessThan(step);
    }
  },
);

test('the whole surface of a smooth body is bound within a few percent of what is measured', {
  tags: ['all', 'long'],
}, () => {
  const source = embedded(long ? asset('blob') : bumpySphere(1, 3), true);
  const chart = imageOf(source, long ? 6 : 5);
  const overlay = overlayDeviation(chart, source);
  const surface = { positions: source.positions, triangles: Uint32Array.from(source.triangles) };
  const { missing, excess } = wholeDeviation([{ chart, source, overlay }], createStoredSurface([chart]));
  const measured = measureDeviation(surface, chartMesh(chart), { samples: long ? 50_000 : 10_000 });
  expect(missing).toBeGreaterThanOrEqual(measured.maxAB);
  expect(missing).toBeLessThan(1.3 * measured.maxAB);
  expect(excess).toBeGreaterThanOrEqual(measured.maxBA);
  expect(excess).toBeLessThan(1.3 * measured.maxBA);
});

test('what is out of range is refused', () => {
  const chart = anyImage(seeded(1), 4, 0, 1);
  const source = disk(2, evenly(2), seeded(1), 0, () => [0, 0, Number.NaN]);
  expect(() => overlayDeviation(chart, source)).toThrow(RangeError);
  expect(() =>
    overlayDeviation(
      { ...chart, step: 1e61 },
      disk(2, evenly(2), seeded(1), 0, () => [0, 0, 0]),
    ),
  ).toThrow(RangeError);
});
