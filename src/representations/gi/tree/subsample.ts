/**
 * Level of detail: the image of every 2^(n-m)-th sample, with its own sphere tree.
 *
 * B. Benes, N. Gomez Villanueva, "GI-COLLIDE - Collision Detection with Geometry Images", SCCG
 * 2005, section 6, where it is future work.
 *
 * Still closed. Let s = 2^(n-m). On each side of a pillowcase sample i equals sample N - 1 - i, bit
 * for bit. Sample i of the coarse side is sample s i of the fine one, which equals sample
 *   2^n - s i = s (2^m - i)
 * which is sample 2^m - i of the coarse side. All four corners stay, and so, for m >= 1, do the
 * four folds at i = 2^(m-1). So every edge of a side lies on the one it is folded on, in the
 * opposite direction. Every other edge is between two triangles: the oriented boundary is 0,
 * however the quads are cut. Nothing more is claimed: as in the fine image, triangles may be points
 * or intersect. With m = 0 only the corners would remain, one point.
 *
 * A chart of an atlas has at most that many samples, or as many as its seams need, which are
 * closed, too (stitch.ts).
 *
 * Distance from the fine surface, for one square. The triangles of a coarse quad lie in the sphere
 * of level m that holds their fine triangles, since their corners do and it is convex. So a point
 * of either surface is within the sphere's diameter of the other. The largest of the level is known
 * without a pixel, since radii are counted in 65,535ths of it. It is not where all levels have one
 * scale (sphere-tree.ts).
 *
 * A search of a square reads levels 0 to m of the fine tree, whose spheres hold the coarse samples,
 * too, so it builds nothing (pages.ts). Others, such as kernels, get a tree of the coarse samples.
 * Fitting it takes 2.3 s for 2,049 samples per side out of 4,097, 0.2 s for 513, 3 ms for 65.
 * Bounds tested without it, 200 poses each of the bunny, boulder, bolt and star at 257: 2-22% more
 * for m = 3, 0-2% for m = 5, the same for m = 7.
 */

import { OptionError } from '../../../base/errors.ts';
import { requireThat } from '../../../base/require.ts';
import { derived } from '../../../engine/asset-cache.ts';
import type { Tolerance } from '../../../engine/records.ts';
import { assembleImage, type ChartGroup, type GeometryImage } from './geometry-image.ts';
import { isOneScale, largestAlpha, sizeOf, thinnedSize } from './grid.ts';
import { makeSlabs } from './slab-tree.ts';
import { buildTreesOfGroups } from './sphere-tree.ts';
import { type StitchedChart, stitchCharts } from './stitch.ts';

/** By image and m, as long as the fine image is alive. */
const coarserImages = /* @__PURE__ */ derived<GeometryImage, GeometryImage[]>();

/**
 * Returns the image of 2^m + 1 samples per side: a subset of the given samples and normals, bit for
 * bit, on the same origin and step. Triangles are numbered in the coarse image's quads. Returns the
 * image itself if it has no more samples. Cached: the same call returns the same object.
 *
 * Verdicts are about the coarse surface. It is meant for queries; a file of it can be read from m =
 * 4.
 *
 * @param m a whole number from 1, which leaves an octahedron's six points
 * @throws OptionError for any other
 */
export function subsample(image: GeometryImage, m: unknown): GeometryImage {
  requireLod(m);
  if (m >= image.groups[0].exponent) return image;
  const made = coarserImages.get(image) ?? [];
  coarserImages.set(image, made);
  made[m] ??= image.charts === 1 ? outlineOf(image, m) : stitched(image, m);
  return made[m];
}

export function requireLod(m: unknown): asserts m is number {
  if (typeof m !== 'number' || !Number.isInteger(m) || m < 1)
    throw new OptionError(`lod ${m}: expected a whole number from 1`);
}

interface Radii {
  exponent: number;
  radiusSteps: Float64Array;
  /** The spheres of all levels, if they are in memory. */
  page?: Uint16Array;
}

const radiiOf = ({ groups: [{ exponent, tree }] }: GeometryImage): Radii => ({
  exponent,
  page: tree.page,
  radiusSteps: tree.radiusSteps,
});

/**
 * Bound on the distance between the image of 2^m + 1 samples per side and the full one, either way.
 * If one scale serves all levels, the largest radius of a level is in its pixels alone.
 */
function deviationOf({ exponent, radiusSteps, page }: Radii, m: number): number {
  if (exponent <= m) return 0;
  const alpha = page && isOneScale(radiusSteps) ? largestAlpha(page, exponent, m) : 65535;
  return 2 * alpha * radiusSteps[m] * (1 + 2 ** -50);
}

/** Bound on the distance of a square of 2^m + 1 samples per side from the full image's source. */
export const toleranceOf = (chart: Radii, m: number, whole: Tolerance): Tolerance =>
  enlarged(whole, deviationOf(chart, m));

const enlarged = (whole: Tolerance, deviation: number): Tolerance =>
  whole && {
    missing: (whole.missing + deviation) * (1 + 2 ** -50),
    excess: (whole.excess + deviation) * (1 + 2 ** -50),
  };

/** Least m whose image of a square is certainly within `length`. Throws OptionError. */
export const lodWithin = (chart: Radii, length: unknown): number =>
  leastWithin(chart.exponent, length, (m) => deviationOf(chart, m));

function leastWithin(most: number, length: unknown, deviationAt: (m: number) => number): number {
  requireThat(typeof length === 'number' && length >= 0, 'maxError', 'a length from 0', length);
  let m = 1;
  while (m < most && deviationAt(m) > length) m++;
  return m;
}

export function subsampleWithin(image: GeometryImage, length: unknown): GeometryImage {
  const m =
    image.charts === 1
      ? lodWithin(radiiOf(image), length)
      : leastWithin(image.groups[0].exponent, length, (m) => stitchCharts(image, m).deviation);
  return subsample(image, m);
}

/** The full image of a subsampled square and its m; undefined for other images. */
export const finerOf = (image: GeometryImage): { image: GeometryImage; m: number } | undefined =>
  finerImages.get(image);

const finerImages = /* @__PURE__ */ derived<GeometryImage, { image: GeometryImage; m: number }>();

function outlineOf(image: GeometryImage, m: number): GeometryImage {
  let made: GeometryImage | undefined;
  const whole = (): GeometryImage => {
    made ??= subsampled(image, m);
    return made;
  };
  const { header, origin, step, charts } = image;
  const coarse: GeometryImage = {
    representation: 'gi',
    origin: origin.slice(),
    step,
    get groups() {
      return whole().groups;
    },
    charts,
    quads: 1 << (2 * m),
    get roots() {
      return whole().roots;
    },
    tolerance: toleranceOf(radiiOf(image), m, image.tolerance),
    source: null,
    stored: thinnedSize(image.stored, image.groups[0].exponent - m),
    header: { ...header, options: { ...header.options, lod: m } },
  };
  finerImages.set(coarse, { image, m });
  return coarse;
}

function subsampled(image: GeometryImage, m: number): GeometryImage {
  const [{ exponent, geometry, normals }] = image.groups;
  const chart = {
    exponent: m,
    geometry: everySample(geometry, exponent, m),
    normals: normals && everySample(normals, exponent, m),
  };
  return imageOf(image, [chart], m, toleranceOf(radiiOf(image), m, image.tolerance));
}

function stitched(image: GeometryImage, m: number): GeometryImage {
  const { charts, deviation } = stitchCharts(image, m);
  return imageOf(image, charts, m, enlarged(image.tolerance, deviation));
}

function imageOf(image: GeometryImage, charts: StitchedChart[], m: number, tolerance: Tolerance): GeometryImage {
  const { header } = image;
  const grid = { origin: image.origin.slice(), step: image.step };
  const spheres = header.options.spheres === 'seed' ? 'seed' : 'tight';
  const exponents = [...new Set(charts.map(({ exponent }) => exponent))].sort((a, b) => b - a);
  const samples = exponents.map((exponent) => {
    const own = charts.filter((chart) => chart.exponent === exponent);
    const normals = own.flatMap((chart) => chart.normals ?? []);
    const count = own.length;
    return {
      exponent,
      count,
      geometry: joined(own.map((chart) => chart.geometry)),
      normals: normals.length < count ? null : joined(normals),
    };
  });
  const trees = buildTreesOfGroups(samples, grid, spheres);
  const groups = samples.map((group, g): ChartGroup => ({ ...group, tree: trees[g], deviation: null }));
  // A search of one square reads the fine image's (pages.ts).
  if (image.charts > 1) makeSlabs(groups);
  return assembleImage(grid, groups, { ...header, options: { ...header.options, lod: m } }, { tolerance });
}

/** Three values each of every 2^(n - m)-th sample of every so many rows, of `count` charts. */
export function everySample(samples: Uint16Array, exponent: number, m: number, count = 1): Uint16Array {
  const size = sizeOf(exponent);
  const coarseSize = sizeOf(m);
  const shift = exponent - m;
  const coarse = new Uint16Array(3 * coarseSize * coarseSize * count);
  let to = 0;
  for (let row = 0; row < coarseSize * count; row++) {
    const first = Math.floor(row / coarseSize) * size + ((row % coarseSize) << shift);
    for (let column = 0; column < coarseSize; column++) {
      const from = 3 * (first * size + (column << shift));
      coarse[to++] = samples[from];
      coarse[to++] = samples[from + 1];
      coarse[to++] = samples[from + 2];
    }
  }
  return coarse;
}

function joined(parts: Uint16Array[]): Uint16Array {
  if (parts.length === 1) return parts[0];
  const whole = new Uint16Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
