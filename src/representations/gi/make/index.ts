/**
 * Builds a geometry image from any mesh: clean, cut to a manifold, cut into charts, embed, sample,
 * quantize, bound.
 */
import { MeshError, OptionError } from '../../../base/errors.ts';
import { type Builder, beyondSource, type OwnNames, type Provenance } from '../../../engine/representation.ts';
import { type CleanMesh, cleanMesh, inWalkOrder, type MeshLosses } from '../../../mesh/clean.ts';
import { measureDeviation } from '../../../mesh/deviation.ts';
import { cutToManifold, type ManifoldMesh, type SurfaceCuts } from '../../../mesh/manifold.ts';
import type { Mesh } from '../../../mesh/mesh.ts';
import { vertexNormals } from '../../../mesh/topology.ts';
import { TOOL } from '../../../version.ts';
import type { GiEncodeOptions } from '../format/codec.ts';
import { assembleImage, type ChartGroup, exponentOf, type GeometryImage, toMesh } from '../tree/geometry-image.ts';
import { sizeOf } from '../tree/grid.ts';
import { kernelFitter } from '../tree/kernel.ts';
import { buildSphereTrees, type SphereMethod } from '../tree/sphere-tree.ts';
import { type Atlas, type ClosedSource, planAtlas, sampleAtlas } from './charts/atlas.ts';
import { CHART_CHOICES, type ChartChoice } from './charts/one-square.ts';
import { type ChartSource, chartsOfDropped, type SampledChart } from './charts/sampled-chart.ts';
import { deviationsOf } from './deviation.ts';
import { FIT_CHOICES, type FitChoice, fitCharts } from './fit-charts.ts';
import { embedClosed } from './parameterize/closed.ts';
import type { Embedding } from './parameterize/embed.ts';
import { boundsOf, decibelsOf, joined, MEASURED_SAMPLES, quantise, quantiseNormals } from './quantise.ts';
import { type Built, buildWithin } from './within.ts';

export interface GiBuildOptions extends Provenance {
  /**
   * Samples per side, 2^n + 1 with n from 4 to 13; 257 by default. Several charts get about as many
   * samples in all as a square of that side, up to 1.3 times. 'auto': as few as reach `psnr` or
   * `maxError`, up to 2049.
   */
  size?: number | 'auto';
  /** With 'auto': least quality of the image in dB, measured as in `build`; 75 by default. */
  psnr?: number;
  /**
   * Proved bound on the distance between source and image, in both directions. A length in the
   * mesh's units, after any scale. Charts get more samples than `size` gives, up to 2049 per side,
   * and are split once that is no longer worth it.
   */
  maxError?: number;
  /**
   * - `one`: one square, for a closed surface of genus 0 in one piece.
   * - `auto` (default): one square for such a surface if 72 dB are expected at 257, else charts.
   * - `best`: charts wherever they are better; this takes longer to decide.
   */
  charts?: ChartChoice;
  /** Bounding spheres: `tight` (default) or as in the `seed` paper. */
  spheres?: SphereMethod;
  /**
   * Moves samples closest to the source in least squares instead of placing them on it. This is 4
   * dB better for smooth surfaces, 7 to 20 dB with edges. It takes as much memory as an image of
   * two or four times that size.
   *
   * - `auto` (default): if that gains at least 1 dB, up to 2049 samples per side.
   * - `on` or true: always, unless that loses. Larger sizes are refused.
   * - `off` or false: never.
   */
  fit?: FitChoice | boolean;
  /** True to store the source's triangles, so that checks of the sources are exact. */
  embedSource?: boolean;
  /**
   * Receives the triangles dropped by cleaning and the cuts that make the surface a manifold,
   * before anything else is done.
   */
  onLosses?: (losses: MeshLosses, cuts: SurfaceCuts) => void;
}

const DEFAULT_SIZE = 257;
const DEFAULT_PSNR = 75;
const MOST_PSNR = 200;
const SMALLEST_AUTOMATIC = 17;
/** Above so many triangles they are put in the order of a walk first: caches hold fewer. */
const LARGE = 100_000;
const LARGEST_FITTED = 2049;
const LARGEST_AUTOMATIC = 2049;
/**
 * Outside, fourth powers of lengths (squared areas, weights of normals) leave the range of doubles:
 *   (2^-53 1e-60)^4 = 2e-304
 */
const SMALLEST_EXTENT = 1e-60;
const LARGEST_EXTENT = 1e60;

/**
 * Remeshes a surface into a geometry image. The same mesh and options give the same image on any
 * engine.
 *
 * @throws MeshError for a mesh without a triangle, for coordinates too large to be squared, or if
 *   `maxError` is not reached
 * @throws OptionError for a size that is not 2^n + 1, and for contradictory options
 * @example const image = buildGeometryImage(readObj(bytes), { size: 129 });
 */
export function buildGeometryImage(mesh: Mesh, options: GiBuildOptions = {}): GeometryImage {
  const size = options.size ?? DEFAULT_SIZE;
  requireSensible(options, size);
  const whole = cleanMesh(mesh);
  const { mesh: clean, losses, cleaned } = whole.mesh.triangles.length > 3 * LARGE ? inWalkOrder(whole) : whole;
  const { mesh: surface, cuts } = cutToManifold(clean);
  if (clean.triangles.length === 0) throw new MeshError('expected a triangle with three corners, found none');
  options.onLosses?.(losses, cuts);
  requireUsableExtent(clean);
  const progress = createStages(options.onProgress);
  const planned = size === 'auto' ? DEFAULT_SIZE : size;
  const number = new Int32Array(surface.positions.length / 3);
  const plan = planAtlas(
    surface,
    planned * planned,
    options.charts ?? 'auto',
    (triangles) => embedComponent(surface, triangles, number, progress),
    (fraction) => progress('plan', fraction),
  );

  const fit = fitChoiceOf(options.fit);
  const sampled = (from: Atlas, samples: number): Sampled => {
    const charts = sampleAtlas(from, samples, (fraction) => progress('charts', fraction));
    if (options.charts !== 'one') charts.push(...chartsOfDropped(mesh, cleaned));
    return { charts, isFitted: fitCharts(charts, mesh, fit) };
  };
  const trial = Math.min(planned, DEFAULT_SIZE);
  const { atlas, tried } = betterOf(plan, mesh, (from) => sampled(from, trial));
  const lacks = options.charts === 'one' ? leftOut(chartsOfDropped(mesh, cleaned).length) : '';
  let known = size === trial ? tried : null;
  const buildAt = (samples: number): Built => {
    const { charts, isFitted } = known ?? sampled(atlas, samples);
    known = null;
    progress('resample', 1);
    return imageOf(charts, samples, { ...options, why: atlas.why + lacks, isFitted }, progress, mesh, cleaned);
  };
  const { maxError } = options;
  const psnr = options.psnr ?? (maxError === undefined ? DEFAULT_PSNR : 0);
  const reaches = (image: GeometryImage): boolean =>
    size !== 'auto' || psnr === 0 || measureDeviation(mesh, toMesh(image), { samples: MEASURED_SAMPLES }).psnr >= psnr;
  let samples = size === 'auto' ? SMALLEST_AUTOMATIC : size;
  let built = buildAt(samples);
  while (samples < LARGEST_AUTOMATIC && !reaches(built.image)) {
    samples = 2 * samples - 1;
    built = buildAt(samples);
  }
  if (maxError === undefined) return built.image;
  const maySplit = options.charts !== 'one';
  return buildWithin(maxError, built, atlas, { maySplit, build: () => buildAt(samples) });
}

interface Sampled {
  charts: SampledChart[];
  isFitted: boolean;
}

const fitChoiceOf = (fit: GiBuildOptions['fit'] = 'auto'): FitChoice =>
  typeof fit === 'boolean' ? (fit ? 'on' : 'off') : fit;

/** Charts, or the one square they replaced: whichever is closer. `tried` holds samples taken. */
function betterOf(plan: Atlas, mesh: Mesh, sampled: (from: Atlas) => Sampled) {
  if (!plan.square) return { atlas: plan, tried: null };
  const [charts, square] = [plan, plan.square].map((atlas) => {
    const tried = sampled(atlas);
    return { atlas, tried, decibels: decibelsOf(mesh, tried.charts) };
  });
  return square.decibels > charts.decibels ? square : charts;
}

const leftOut = (count: number): string =>
  count === 0 ? '' : `, without ${count} ${count === 1 ? 'segment or point' : 'segments and points'}`;

function requireSensible(options: GiBuildOptions, size: number | 'auto'): void {
  const { psnr = DEFAULT_PSNR, maxError, spheres = 'tight', charts = 'auto' } = options;
  if (size !== 'auto' && exponentOf(size) < 0) {
    throw new OptionError(
      `size ${size}: expected 2^n + 1 from 17 to 8193 (17, 33, 65, 129, 257, 513, 1025, ...) or auto`,
    );
  }
  if (!(psnr > 0 && psnr <= MOST_PSNR))
    throw new OptionError(`psnr ${psnr}: expected decibels above 0, up to ${MOST_PSNR}`);
  if (options.psnr !== undefined && size !== 'auto')
    throw new OptionError('psnr: it chooses a size, and needs size auto');
  if (maxError !== undefined && !(maxError > 0 && maxError < Number.POSITIVE_INFINITY))
    throw new OptionError(`maxError ${maxError}: expected a length above 0`);
  if (!CHART_CHOICES.includes(charts)) throw new OptionError(`charts ${String(charts)}: expected one, auto or best`);
  if (spheres !== 'tight' && spheres !== 'seed') {
    throw new OptionError(`spheres ${String(spheres)}: expected tight or seed`);
  }
  const fit = fitChoiceOf(options.fit);
  if (!FIT_CHOICES.includes(fit)) {
    throw new OptionError(`fit ${String(fit)}: expected auto, on, off, true or false`);
  }
  if (fit === 'on' && size !== 'auto' && size > LARGEST_FITTED) {
    throw new OptionError(`fit: images up to ${LARGEST_FITTED} x ${LARGEST_FITTED} are fitted, not ${size}`);
  }
}

function requireUsableExtent({ positions }: CleanMesh): void {
  const { extent, largest } = boundsOf(positions);
  if (!(extent >= SMALLEST_EXTENT && largest <= LARGEST_EXTENT)) {
    throw new MeshError(
      `expected an extent of at least ${SMALLEST_EXTENT} and coordinates up to ${LARGEST_EXTENT}, found ${extent} and ${largest}: scale the mesh`,
    );
  }
  if (extent < largest * 2 ** -36) {
    throw new MeshError(
      `expected a mesh near its origin, found an extent of ${extent} at coordinates of ${largest}: doubles cannot hold 65535 steps there, move the mesh`,
    );
  }
}

/** Null if the component is too degenerate. `number` is scratch, one per vertex of the mesh. */
function embedComponent(
  mesh: ManifoldMesh,
  list: Int32Array,
  number: Int32Array,
  onProgress: (stage: Stage, fraction: number) => void,
): ClosedSource | null {
  const triangles = new Uint32Array(3 * list.length);
  for (let i = 0; i < triangles.length; i++) triangles[i] = mesh.triangles[3 * list[Math.floor(i / 3)] + (i % 3)];
  // Old order, so that a mesh of one component stays unchanged.
  const vertices = triangles
    .slice()
    .sort()
    .filter((v, i, all) => i === 0 || v !== all[i - 1]);
  vertices.forEach((v, i) => {
    number[v] = i;
  });
  for (let i = 0; i < triangles.length; i++) triangles[i] = number[triangles[i]];
  const own = new Float64Array(3 * vertices.length);
  for (let i = 0; i < own.length; i++) own[i] = mesh.positions[3 * vertices[Math.floor(i / 3)] + (i % 3)];
  try {
    const normals = vertexNormals(own, triangles);
    const sourceOf = ({ corners }: Embedding): ChartSource => {
      return { positions: own, triangles, normals, corners, folded: true, source: list };
    };
    const embedding = embedClosed(own, triangles, onProgress);
    return { ...sourceOf(embedding), plain: () => sourceOf(embedding.plain()) };
  } catch (error) {
    if (!(error instanceof MeshError)) throw error;
    return null;
  }
}

function imageOf(
  charts: SampledChart[],
  size: number,
  options: GiBuildOptions & { why: string; isFitted: boolean },
  progress: (stage: Stage, fraction: number) => void,
  mesh: Mesh,
  cleaned: Int32Array,
): Built {
  const spheres = options.spheres ?? 'tight';
  const { geometry, origin, step } = quantise(joined(charts.map((chart) => chart.positions)));
  const normals = quantiseNormals(joined(charts.map((chart) => chart.normals)));
  const sources = charts.map((chart) => chart.source);
  const exponents = charts.map((chart) => chart.exponent);
  const kept = charts.map(({ exponent, of }) => ({ exponent, of }));
  // Frees gigabytes at 8193.
  charts.length = 0;
  const grid = { origin, step };
  const groups: ChartGroup[] = [];
  let at = 0;
  for (let first = 0; first < exponents.length; ) {
    const exponent = exponents[first];
    let count = 1;
    while (exponents[first + count] === exponent) count++;
    const end = at + count * 3 * sizeOf(exponent) ** 2;
    const isAll = count === exponents.length;
    const [ownGeometry, ownNormals] = [geometry, normals].map((page) => (isAll ? page : page.slice(at, end)));
    const tree = buildSphereTrees(ownGeometry, exponent, count, grid, spheres, kernelFitter);
    groups.push({ exponent, count, geometry: ownGeometry, normals: ownNormals, tree, deviation: null });
    first += count;
    at = end;
  }
  progress('spheres', 1);
  const header = {
    tool: TOOL,
    source: options.source ? { ...options.source } : null,
    units: options.units ?? null,
    options: {
      size,
      spheres,
      charts: options.charts ?? 'auto',
      layout: options.why,
      fit: options.isFitted ? 'least squares' : 'none',
      ...(fitChoiceOf(options.fit) !== 'auto' && { fitAsked: fitChoiceOf(options.fit) }),
      ...(options.maxError !== undefined && { maxError: options.maxError }),
      ...options.options,
    },
  };
  const { tolerance, farthest, pages, source } = deviationsOf(
    assembleImage(grid, groups, header),
    mesh,
    cleaned,
    sources,
    { embed: options.embedSource ?? false },
  );
  progress('deviation', 1);
  const bounded = groups.map((group, i) => ({ ...group, deviation: pages[i] }));
  return {
    image: assembleImage(grid, bounded, header, { tolerance: beyondSource(tolerance, header), source }),
    charts: kept,
    farthest,
  };
}

export const giBuilder: Builder<GeometryImage> = {
  build: buildGeometryImage,
  options: {
    size: true,
    psnr: true,
    maxError: true,
    charts: true,
    spheres: true,
    fit: true,
    embedSource: true,
    onLosses: true,
  } satisfies OwnNames<GiBuildOptions>,
  encodeOptions: { compression: true, pages: true } satisfies OwnNames<GiEncodeOptions>,
};

/** Shares of a build's time, measured on 70k triangles at 257. */
const PARTS = {
  simplify: { from: 0, share: 0.2 },
  cones: { from: 0.2, share: 0.2 },
  embed: { from: 0.4, share: 0.35 },
  plan: { from: 0, share: 0.5 },
  charts: { from: 0.5, share: 0.25 },
  resample: { from: 0.75, share: 0.05 },
  spheres: { from: 0.8, share: 0.1 },
  deviation: { from: 0.9, share: 0.1 },
};

export type Stage = keyof typeof PARTS;

/**
 * Reports a build's progress from that of a stage, each from 0 to 1. It never falls, whichever
 * stages run. If more is done already when a stage begins (as with planning behind a square), it
 * shares the rest with the later stages.
 */
export function createStages(
  onProgress: ((stage: string, fraction: number) => void) | undefined,
): (stage: Stage, fraction: number) => void {
  let current: Stage | null = null;
  let start = 0;
  let done = 0;
  return (stage, fraction) => {
    if (stage !== current) start = done;
    current = stage;
    const { from, share } = PARTS[stage];
    const begun = Math.max(from, start);
    done = Math.max(done, begun + (share * fraction * (1 - begun)) / (1 - from));
    onProgress?.(stage, done);
  };
}
