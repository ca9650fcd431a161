/**
 * Builds an image within a maximum error: charts that exceed it get more samples, or are split once
 * that no longer helps.
 *
 * Twice as many samples per side divide an error by 4 if the source is smooth, and by 2 at edges.
 * They hardly help in a squeezed chart, such as a square that holds a limb; there two halves are
 * better. A chart that is near enough keeps its samples, so no round undoes another.
 */
import { MeshError } from '../../../base/errors.ts';
import { exponentOf, type GeometryImage } from '../tree/geometry-image.ts';
import { sizeOf } from '../tree/grid.ts';
import { type Atlas, areaOf, guessCost, sumOf } from './charts/atlas.ts';
import { halve, limbs, type PricedChart } from './charts/choose.ts';
import type { PlannedChart, SampledChart } from './charts/sampled-chart.ts';

export interface Built {
  image: GeometryImage;
  charts: Pick<SampledChart, 'exponent' | 'of'>[];
  farthest: Float64Array;
}

const LARGEST_CHART = 2049;
/** Most samples of an image, unless four times the requested number is more. */
const MOST_SAMPLES = 2049 * 2049;
/** Samples of all rounds, in those of an image: a square that doubles each time takes 4/3. */
const MOST_WORK = 1.5;
/** Twice as many samples per side must divide an error by at least this. */
const LEAST_FACTOR = 1.5;
const SMOOTH_FACTOR = 4;
/** Most doublings in a round if their factor is known; otherwise one. */
const MOST_DOUBLINGS = 2;
/** Try an expected error up to this many times too large. */
const HOPEFUL = 1.25;
/** Below this many roundings of the grid, neither samples nor splits help. */
const ROUNDED = 2;
const MOST_IDLE = 3;
/** Part of the error below which a round has gained. */
const GAIN = 0.99;

/** Throws MeshError if the bound is not reached. */
export function buildWithin(
  maxError: number,
  first: Built,
  atlas: Atlas,
  { maySplit, build }: { maySplit: boolean; build: () => Built },
): GeometryImage {
  const most = Math.max(MOST_SAMPLES, 4 * samplesOf(first.charts));
  const all = Math.round(MOST_WORK * most);
  let built = first;
  let least = Number.POSITIVE_INFINITY;
  let idle = 0;
  let work = samplesOf(first.charts);
  while (farthestOf(built.image) > maxError) {
    idle = farthestOf(built.image) < GAIN * least ? 0 : idle + 1;
    least = Math.min(least, farthestOf(built.image));
    const { step } = built.image;
    const isRounded = maxError < roundingOf(step);
    const next = isRounded || idle === MOST_IDLE ? null : improve(built, maxError, atlas, maySplit);
    work += next ?? 0;
    if (next === null || next > most || work > all) {
      const more =
        next === null
          ? `, and no better with more ${maySplit ? 'charts' : 'samples'}`
          : `: more needs over ${most} samples, or ${all} in all rounds`;
      const reason =
        maxError < ROUNDED * roundingOf(step) ? `: its coordinates, of 16 bits, are rounded to steps of ${step}` : more;
      throw new MeshError(`expected an image and a source within ${maxError} of each other, found ${least}${reason}`);
    }
    built = build();
  }
  return built.image;
}

export function farthestOf({ tolerance }: GeometryImage): number {
  return Math.max(tolerance!.missing, tolerance!.excess);
}

const samplesOf = (charts: Built['charts']): number =>
  charts.reduce((sum, { exponent }) => sum + sizeOf(exponent) ** 2, 0);

const roundingOf = (step: number): number => (Math.sqrt(3) / 2) * step;

/** Adds samples to charts that are too far off, or splits them. Returns all samples, or null. */
function improve({ image, charts, farthest }: Built, maxError: number, atlas: Atlas, maySplit: boolean): number | null {
  const largest = exponentOf(LARGEST_CHART);
  const whole = farthestOf(image);
  const floor = ROUNDED * roundingOf(image.step);
  let samples = samplesOf(charts);
  let isChanged = false;
  charts.forEach(({ exponent, of }, i) => {
    // A single triangle is exact.
    if (!of || of.triangles.length === 1) return;
    of.least = Math.max(of.least ?? 0, exponent);
    // A chart's own bound is looser than the image's.
    const far = Math.min(farthest[i], whole);
    if (!(far > maxError)) return;
    const factor = factorOf(of.tried, exponent, far);
    const isKnown = factor !== null;
    of.tried = { exponent, far };
    const needed = doublingsFor(far, maxError, factor ?? SMOOTH_FACTOR);
    const own = sizeOf(exponent) ** 2;
    if (exponent < largest && (!maySplit || exponent + needed <= largest)) {
      of.least = Math.min(largest, exponent + Math.min(isKnown ? MOST_DOUBLINGS : 1, needed));
      samples += sizeOf(of.least) ** 2 - own;
    } else {
      const isSplit = maySplit && far > floor && splitChart(atlas, of, exponent);
      if (!isSplit) return;
      samples += own;
    }
    isChanged = true;
  });
  return isChanged ? samples : null;
}

function factorOf(tried: PlannedChart['tried'], exponent: number, far: number): number | null {
  if (!tried || exponent <= tried.exponent) return null;
  let factor = tried.far / far;
  for (let count = exponent - tried.exponent; count > 1; count /= 2) factor = Math.sqrt(factor);
  return factor;
}

function doublingsFor(far: number, maxError: number, factor: number): number {
  if (factor < LEAST_FACTOR) return Number.POSITIVE_INFINITY;
  let needed = 1;
  for (let left = far / factor; left > HOPEFUL * maxError; left /= factor) needed++;
  return needed;
}

const FINEST = 7;
const MOST_PARTS = 16;

/**
 * Replaces a chart by halves, or by limbs if expected to be better. False for a triangle. A part of
 * half the area has as many samples as the chart, which had 2^exponent quads per side.
 *
 * Not taken: faces and the rest between them. A bolt came to 116 charts and 13 times the samples.
 */
function splitChart(atlas: Atlas, chart: PlannedChart, exponent: number): boolean {
  const { closed, disks, mesh } = atlas;
  if (chart.triangles.length < 2) return false;
  const area = areaOf(mesh, chart.triangles);
  const price = (part: Int32Array): PricedChart => {
    const own = exponentFor(areaOf(mesh, part) / area, exponent);
    const guess = guessCost(mesh, part, Math.min(FINEST, own));
    if (part.length === 1) return guess;
    // A part that could not be embedded is cut when it is sampled.
    return { ...guess, cost: Number.isFinite(guess.cost) ? guess.cost : 0, least: own };
  };
  let best = halve(mesh, chart.triangles).map(price);
  const others = limbs(mesh, chart.triangles, MOST_PARTS)?.map(price);
  if (others && sumOf(others) < sumOf(best)) best = others;
  if (closed.length === 1 && disks.length === 0) atlas.why = 'charts: one square does not come within maxError';
  atlas.draft = null;
  atlas.closed = closed.filter((other) => other !== chart);
  atlas.disks = disks.flatMap((other) => (other === chart ? best : [other]));
  if (atlas.closed.length < closed.length) atlas.disks.push(...best);
  return true;
}

function exponentFor(share: number, exponent: number): number {
  let own = exponent;
  for (let left = 4 * share; left < 1 && own > 1; left *= 4) own--;
  return own;
}
