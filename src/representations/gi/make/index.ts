/**
 * Builds a geometry image from any mesh: clean, cut to a manifold, cut into charts, embed, sample,
 * quantize, bound.
 */
import { MeshError, OptionError } from '../../../base/errors.ts';
import { type Builder, beyondSource, type OwnNames, type Provenance } from '../../../engine/representation.ts';
import { type CleanMesh, cleanMesh, inWalkOrder, type MeshLosses } from '../../../mesh/clean.ts';
import { measureMeans } from '../../../mesh/deviation.ts';
import { diagonalOf } from '../../../mesh/extent.ts';
import { cutToManifold, type ManifoldMesh, type SurfaceCuts } from '../../../mesh/manifold.ts';
import type { Mesh } from '../../../mesh/mesh.ts';
import { TOOL } from '../../../version.ts';
import type { GiEncodeOptions } from '../format/codec.ts';
import { assembleImage, type ChartGroup, exponentOf, type GeometryImage, toMesh } from '../tree/geometry-image.ts';
import { sizeOf } from '../tree/grid.ts';
import { kernelFitter } from '../tree/kernel.ts';
import { makeSlabs } from '../tree/slab-tree.ts';
import { buildTreesOfGroups, type ChartSamples, type SphereMethod } from '../tree/sphere-tree.ts';
import { type Atlas, type ClosedSource, planAtlas, releaseAtlas, sampleAtlas } from './charts/atlas.ts';
import { CHART_CHOICES, type ChartChoice, JUDGED_SIZE } from './charts/one-square.ts';
import { type ChartSource, chartsOfDropped, type SampledChart } from './charts/sampled-chart.ts';
import { chooseSize, type Distances, GOOD, isEnough, isWithin, promisedSize } from './choose-size.ts';
import { deviationsOf } from './deviation.ts';
import { FIT_CHOICES, type FitChoice, fitCharts } from './fit-charts.ts';
import { embedClosed } from './parameterize/closed.ts';
import type { Embedding } from './parameterize/embed.ts';
import { boundsOf, decibelsOf, joined, MEASURED_SAMPLES, quantise, quantiseNormals } from './quantise.ts';
import { findSmallParts, type SmallParts } from './small-parts.ts';
import { untangle } from './untangle.ts';
import { type Built, buildWithin, farthestOf } from './within.ts';

export interface GiBuildOptions extends Provenance {
  /**
   * Samples per side, 2^n + 1 with n from 4 to 13. Several charts get about as many samples in all
   * as a square of that side, up to 1.3 times. 'auto' (default) is the smallest size up to 257 that
   * reaches 78 dB and is proved to be within 0.2 % of the diagonal. It also stops at a size if the
   * next one gains less than half a decibel. With `psnr` or `maxError`, 'auto' is the smallest size
   * that reaches them, up to 2049.
   */
  size?: number | 'auto';
  /** Least quality of the image in dB, measured as in `build`; it chooses the size. */
  psnr?: number;
  /**
   * Proved bound on the distance between source and image, in both directions. A length in the
   * mesh's units, after any scale. Charts get more samples than `size` gives, up to 2049 per side,
   * and are split once that is no longer worth it.
   */
  maxError?: number;
  /**
   * - `one`: one square, for a closed surface of genus 0 in one piece.
   * - `auto` (default): flat faces as one quad each, if they are few or other charts would be poor;
   *   this is exact, and may exceed `size`. Else one square for a closed surface of genus 0 if 72
   *   dB are expected at 257, else charts.
   * - `best`: charts wherever they have more decibels and no greater deviation, in up to twice the
   *   time.
   *
   * `one` and `auto` choose the same charts whatever `size` is.
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
   * Receives the triangles dropped and turned by cleaning, the cuts that make the surface a
   * manifold, and the components too small for the image's grid, before anything else is done.
   */
  onLosses?: (losses: MeshLosses, cuts: SurfaceCuts, small: SmallParts) => void;
}

/** The size auto goes on beyond this for `psnr` and `maxError` alone. */
const LARGEST_CHOSEN = 257;
const MOST_PSNR = 200;
const SMALLEST_AUTOMATIC = 17;
/** Above so many triangles they are put in the order of a walk first: caches hold fewer. */
const LARGE = 100_000;
const LARGEST_FITTED = 2049;
const LARGEST_AUTOMATIC = 2049;
/** A size within so many times `maxError` is enough for the start. */
const HEAD_START = 2;
/** Largest size at which one square is compared with charts. */
const LARGEST_TRIAL = 1025;
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
  const { size = 'auto' } = options;
  requireSensible(options, size);
  const progress = createStages(options.onProgress);
  const { plan, cleaned } = planFor(mesh, options, progress);
  const planned = size === 'auto' ? LARGEST_CHOSEN : size;

  const steps = stepsOf(mesh, plan, cleaned, options, progress);
  const { drawn, fitted, finish, tryFit } = steps;
  const fit = fitChoiceOf(options.fit);
  const choice = chosenAtlas(plan, planned, mesh, steps);
  const { atlas } = choice;
  let { first, known } = choice;
  const diagonal = diagonalOf(mesh);
  let samples = planned;
  let ready: { size: number; charts: SampledChart[] } | null = null;
  if (size === 'auto') {
    const goal = goalOf(options, diagonal);
    const promised = known ? planned : promisedSize(atlas, goal.rms, diagonal);
    // Sampling changes an atlas. A size has the same image whether it is chosen or asked for.
    const copy = { ...atlas };
    const charts = known?.charts ?? drawn(copy, promised);
    samples = chooseSize(mesh, {
      drawn: charts,
      normals: atlas.normals,
      size: promised,
      first: SMALLEST_AUTOMATIC,
      goal,
      diagonal,
      fit: fit === 'off' ? null : tryFit,
    });
    if (samples === promised && !known) {
      Object.assign(atlas, copy);
      ready = { size: promised, charts };
    }
  }
  const { maxError } = options;
  /** With `maxError`, a fit is judged by the greatest distance, not by decibels. */
  const buildAt = (side: number): Built => {
    if (first && side === planned) {
      const built = first;
      first = null;
      return built;
    }
    const isProved = fit === 'auto' && maxError !== undefined;
    const sampled = known?.size === side && !isProved ? known : null;
    const charts = sampled?.charts ?? (ready?.size === side ? ready.charts : drawn(atlas, side));
    known = null;
    ready = null;
    if (!isProved) {
      const made = sampled ?? fitted(charts);
      const { why } = atlas;
      const isLast = size !== 'auto' || (options.psnr === undefined && side >= LARGEST_CHOSEN);
      if (isLast && maxError === undefined) releaseAtlas(plan);
      return finish({ why }, side, made);
    }
    const plain = charts.map((chart) => ({ ...chart, positions: chart.positions.slice() }));
    const isFitted = tryFit(charts);
    untangle(charts);
    const built = finish(atlas, side, { charts, isFitted });
    if (!isFitted || farthestOf(built.image) <= maxError) return built;
    untangle(plain);
    const other = finish(atlas, side, { charts: plain, isFitted: false });
    return farthestOf(other.image) < farthestOf(built.image) ? other : built;
  };
  const distancesOf = ({ image }: Built): Distances => {
    // A wire thinner than a step has no area in the image.
    const { rmsAB, rmsBA } = measureMeans(mesh, toMesh(image), MEASURED_SAMPLES, { evenWithoutArea: true });
    return { rms: Math.max(rmsAB, rmsBA) / diagonal, far: farthestOf(image) / diagonal };
  };
  let built = buildAt(samples);
  if (size === 'auto') ({ built, samples } = grown(built, samples, options, distancesOf, buildAt));
  if (maxError === undefined) return built.image;
  const maySplit = options.charts !== 'one';
  return buildWithin(maxError, built, atlas, { maySplit, build: () => buildAt(samples) });
}

interface Steps {
  /** Samples an atlas for a size; charts of segments and points come along. */
  drawn: (from: Atlas, samples: number) => SampledChart[];
  fitted: (charts: SampledChart[]) => Sampled;
  tryFit: (charts: SampledChart[]) => boolean;
  finish: (from: Pick<Atlas, 'why'>, side: number, sampled: Sampled) => Built;
}

function stepsOf(
  mesh: Mesh,
  plan: Atlas,
  cleaned: Int32Array,
  options: GiBuildOptions,
  progress: (stage: Stage, fraction: number) => void,
): Steps {
  const isOne = options.charts === 'one';
  const lacks = isOne ? leftOut(chartsOfDropped(mesh, cleaned).length) : '';
  const fitAs = (charts: SampledChart[], choice: FitChoice | 'trial') =>
    fitCharts(charts, { mesh, normals: plan.normals }, choice);
  return {
    drawn: (from, samples) => {
      const charts = sampleAtlas(from, samples, (fraction) => progress('charts', fraction));
      if (!isOne) charts.push(...chartsOfDropped(mesh, cleaned));
      return charts;
    },
    fitted: (charts) => {
      const isFitted = fitAs(charts, fitChoiceOf(options.fit));
      untangle(charts);
      return { charts, isFitted };
    },
    tryFit: (charts) => fitAs(charts, 'trial'),
    finish: (from, side, { charts, isFitted }) => {
      progress('resample', 1);
      return imageOf(charts, side, { ...options, why: from.why + lacks, isFitted }, progress, mesh, cleaned);
    },
  };
}

/** The better of the plan's atlases, with what was already built or sampled of it. */
function chosenAtlas(plan: Atlas, planned: number, mesh: Mesh, { drawn, fitted, finish }: Steps) {
  const trial = Math.min(LARGEST_TRIAL, Math.max(JUDGED_SIZE, planned));
  const tryAt = (from: Atlas): Sampled => fitted(drawn(from, trial));
  const own = betterOf(plan, mesh, tryAt);
  const rival = plan.rival && rivalOf(own, plan.rival, mesh, tryAt);
  const [ownBuilt, rivalBuilt] = [own, rival].map((choice) => {
    if (!rival || !choice) return null;
    const tried = trial === planned ? choice.tried : null;
    return finish(choice.atlas, planned, tried ?? fitted(drawn(choice.atlas, planned)));
  });
  const isRival = rival && farthestOf(rivalBuilt!.image) <= farthestOf(ownBuilt!.image);
  const { atlas, tried } = isRival ? rival : own;
  const first = isRival ? rivalBuilt : ownBuilt;
  return { atlas, first, known: tried && !first ? { size: trial, ...tried } : null };
}

/** Cleans and plans, and releases what only this needs: as much memory as the mesh itself. */
function planFor(
  mesh: Mesh,
  { charts = 'auto', onLosses }: GiBuildOptions,
  progress: (stage: Stage, fraction: number) => void,
): { plan: Atlas; cleaned: Int32Array } {
  const whole = cleanMesh(mesh);
  const { mesh: clean, losses, cleaned } = whole.mesh.triangles.length > 3 * LARGE ? inWalkOrder(whole) : whole;
  const { mesh: surface, cuts } = cutToManifold(clean);
  if (clean.triangles.length === 0) throw new MeshError('expected a triangle with three corners, found none');
  onLosses?.(losses, cuts, findSmallParts(clean));
  requireUsableExtent(clean);
  const number = new Int32Array(surface.positions.length / 3);
  const plan = planAtlas(
    surface,
    charts,
    (triangles) => embedComponent(surface, triangles, number, progress),
    (fraction) => progress('plan', fraction),
  );
  return { plan, cleaned };
}

/** Goal of the size auto. `maxError` leaves charts that need more samples to `buildWithin`. */
function goalOf({ psnr, maxError }: GiBuildOptions, diagonal: number): Distances {
  if (psnr === undefined && maxError === undefined) return GOOD;
  return {
    rms: psnr === undefined ? Number.POSITIVE_INFINITY : 10 ** (-psnr / 20),
    far: maxError === undefined ? Number.POSITIVE_INFINITY : (HEAD_START * maxError) / diagonal,
  };
}

/**
 * Builds larger images than the one that trials propose, until one is good enough or twice the
 * samples per side gain nothing. `buildWithin` takes care of `maxError`.
 */
function grown(
  first: Built,
  side: number,
  { psnr, maxError }: GiBuildOptions,
  distancesOf: (built: Built) => Distances,
  buildAt: (side: number) => Built,
): { built: Built; samples: number } {
  let [built, samples] = [first, side];
  let found: Distances | null = null;
  if (psnr !== undefined) {
    const goal = { rms: 10 ** (-psnr / 20), far: Number.POSITIVE_INFINITY };
    while (samples < LARGEST_AUTOMATIC && !isWithin(distancesOf(built), goal)) {
      samples = 2 * samples - 1;
      built = buildAt(samples);
    }
  } else if (maxError === undefined) {
    while (samples < LARGEST_CHOSEN && !isWithin((found ??= distancesOf(built)), GOOD)) {
      const larger = buildAt(2 * samples - 1);
      const next = distancesOf(larger);
      if (larger.image.quads > built.image.quads && isEnough(found.rms, next.rms)) break;
      [built, samples, found] = [larger, 2 * samples - 1, next];
    }
  }
  return { built, samples };
}

interface Sampled {
  charts: SampledChart[];
  isFitted: boolean;
}

const fitChoiceOf = (fit: GiBuildOptions['fit'] = 'auto'): FitChoice =>
  typeof fit === 'boolean' ? (fit ? 'on' : 'off') : fit;

interface Choice {
  atlas: Atlas;
  tried: Sampled | null;
  decibels: number | null;
}

/** The rival, if it is closer by decibels. Greatest distances are compared at the final size. */
function rivalOf(choice: Choice, rival: Atlas, mesh: Mesh, sampled: (from: Atlas) => Sampled): Choice | null {
  choice.tried ??= sampled(choice.atlas);
  choice.decibels ??= decibelsOf(mesh, choice.tried.charts);
  const tried = sampled(rival);
  const decibels = decibelsOf(mesh, tried.charts);
  return decibels > choice.decibels ? { atlas: rival, tried, decibels } : null;
}

/** Charts, or the one square they replaced: whichever is closer. `tried` holds samples taken. */
function betterOf(plan: Atlas, mesh: Mesh, sampled: (from: Atlas) => Sampled): Choice {
  if (!plan.square) return { atlas: plan, tried: null, decibels: null };
  const [charts, square] = [plan, plan.square].map((atlas) => {
    const tried = sampled(atlas);
    return { atlas, tried, decibels: decibelsOf(mesh, tried.charts) };
  });
  return square.decibels > charts.decibels ? square : charts;
}

const leftOut = (count: number): string =>
  count === 0 ? '' : `, without ${count} ${count === 1 ? 'segment or point' : 'segments and points'}`;

function requireSensible(options: GiBuildOptions, size: number | 'auto'): void {
  const { psnr = MOST_PSNR, maxError, spheres = 'tight', charts = 'auto' } = options;
  if (size !== 'auto' && exponentOf(size) < 0) {
    throw new OptionError(
      `size ${size}: expected 2^n + 1 from 17 to 8193 (17, 33, 65, 129, 257, 513, 1025, ...) or auto`,
    );
  }
  if (!(psnr > 0 && psnr <= MOST_PSNR))
    throw new OptionError(`psnr ${psnr}: expected decibels above 0, up to ${MOST_PSNR}`);
  if (options.psnr !== undefined && size !== 'auto') throw new OptionError('psnr: it chooses the size; use size auto');
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
    throw new OptionError(`fit: expected an image of at most ${LARGEST_FITTED} x ${LARGEST_FITTED}, found ${size}`);
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
    const sourceOf = ({ corners }: Embedding): ChartSource => {
      return { positions: own, triangles, corners, folded: true, source: list };
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
  const sources = charts.map(({ source: { positions, triangles, corners, folded, source } }) => {
    return { positions, triangles, corners, folded, source };
  });
  const exponents = charts.map((chart) => chart.exponent);
  const kept = options.maxError === undefined ? [] : charts.map(({ exponent, of }) => ({ exponent, of }));
  // Frees gigabytes at 8193.
  charts.length = 0;
  const grid = { origin, step };
  const samples: (ChartSamples & { normals: Uint16Array })[] = [];
  let at = 0;
  for (let first = 0; first < exponents.length; ) {
    const exponent = exponents[first];
    let count = 1;
    while (exponents[first + count] === exponent) count++;
    const end = at + count * 3 * sizeOf(exponent) ** 2;
    const isAll = count === exponents.length;
    const [ownGeometry, ownNormals] = [geometry, normals].map((page) => (isAll ? page : page.slice(at, end)));
    samples.push({ exponent, count, geometry: ownGeometry, normals: ownNormals });
    first += count;
    at = end;
  }
  const trees = buildTreesOfGroups(samples, grid, spheres, kernelFitter);
  const groups = samples.map((group, g): ChartGroup => ({ ...group, tree: trees[g], deviation: null }));
  makeSlabs(groups);
  progress('spheres', 1);
  const header = {
    tool: TOOL,
    source: options.source ? { ...options.source } : null,
    units: options.units ?? null,
    options: {
      size: options.size ?? 'auto',
      ...((options.size ?? 'auto') === 'auto' && { chosen: size }),
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
