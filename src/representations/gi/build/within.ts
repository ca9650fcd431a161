/**
 * Comes within a greatest error: charts that are too far from their source get more samples; where
 * that pays no more, they are split.
 *
 * An error falls with the square of the samples' distance where the source is smooth, by 4 for
 * twice as many samples a side; with the distance, by 2, at its edges; and hardly at all where a
 * chart is squeezed, as a limb is that one square holds. There two halves are better. What is near
 * enough keeps its samples, so that no round undoes another.
 */
import { MeshError } from '../../../math/errors.ts';
import { exponentOf, type GeometryImage } from '../tree/geometry-image.ts';
import { sizeOf } from '../tree/grid.ts';
import type { Atlas } from './charts/atlas.ts';
import type { PlannedChart, SampledChart } from './charts/sampled-chart.ts';
import { splitChart } from './charts/split.ts';

/** An image, and how far each of its charts may be from its source. */
export interface Built {
  image: GeometryImage;
  charts: Pick<SampledChart, 'exponent' | 'of'>[];
  farthest: Float64Array;
}

/** Samples a side of a chart, beyond which it is split. */
const LARGEST_CHART = 2049;
/** Samples of all charts together, or four times as many as were asked for. */
const MOST_SAMPLES = 4097 * 4097;
/** What twice as many samples a side must divide an error by, so that they pay. */
const LEAST_FACTOR = 1.5;
/** And what it is expected to be divided by as long as nothing is known. */
const SMOOTH_FACTOR = 4;
/** Doublings in one round, where their factor is known; else one. */
const MOST_DOUBLINGS = 2;
/** An expected error so many times too large is tried. */
const HOPEFUL = 1.25;
/** Lengths of the grid's rounding, below which neither samples nor splits help. */
const ROUNDED = 2;
/** Rounds that may bring nothing. */
const MOST_IDLE = 5;
/** Of the error: what is more is something. */
const GAIN = 0.99;

/**
 * @param build samples the atlas again
 * @param maySplit whether charts may become several
 * @throws MeshError where the bound is not reached
 */
export function buildWithin(
  maxError: number,
  first: Built,
  atlas: Atlas,
  maySplit: boolean,
  build: () => Built,
): GeometryImage {
  const most = Math.max(MOST_SAMPLES, 4 * samplesOf(first.charts));
  let built = first;
  let least = Number.POSITIVE_INFINITY;
  let idle = 0;
  while (farthestOf(built.image) > maxError) {
    idle = farthestOf(built.image) < GAIN * least ? 0 : idle + 1;
    least = Math.min(least, farthestOf(built.image));
    const isRounded = maxError < roundingOf(built.image.step);
    if (isRounded || idle === MOST_IDLE || !improve(built, maxError, atlas, maySplit, most)) {
      throw new MeshError(
        `expected an image within ${maxError} of its source and the other way, found ${least}${reasonOf(built.image, maxError, maySplit, most)}`,
      );
    }
    built = build();
  }
  return built.image;
}

function reasonOf({ step }: GeometryImage, maxError: number, maySplit: boolean, most: number): string {
  if (maxError < ROUNDED * roundingOf(step)) return `: its coordinates, of 16 bits, are rounded to steps of ${step}`;
  const more = maySplit
    ? `more charts, of up to ${most} samples in all`
    : `more samples, up to ${LARGEST_CHART} a side`;
  return `, and no better with ${more}`;
}

function farthestOf({ tolerance }: GeometryImage): number {
  return Math.max(tolerance!.missing, tolerance!.excess);
}

const samplesOf = (charts: Built['charts']): number =>
  charts.reduce((sum, { exponent }) => sum + sizeOf(exponent) ** 2, 0);

/** Half a step in each coordinate. */
const roundingOf = (step: number): number => (Math.sqrt(3) / 2) * step;

/**
 * Asks for more samples of the charts that are too far off, or splits them; false where neither is
 * possible for any, or where it would be too many samples.
 */
function improve({ image, charts, farthest }: Built, maxError: number, atlas: Atlas, maySplit: boolean, most: number) {
  const largest = exponentOf(LARGEST_CHART);
  const whole = farthestOf(image);
  const floor = ROUNDED * roundingOf(image.step);
  let samples = samplesOf(charts);
  let isChanged = false;
  charts.forEach(({ exponent, of }, i) => {
    // One triangle is held as it is.
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
  return isChanged && samples <= most;
}

/** What one doubling has divided an error by; null where none was tried. */
function factorOf(tried: PlannedChart['tried'], exponent: number, far: number): number | null {
  if (!tried || exponent <= tried.exponent) return null;
  let factor = tried.far / far;
  for (let count = exponent - tried.exponent; count > 1; count /= 2) factor = Math.sqrt(factor);
  return factor;
}

/** Doublings until an error is small enough; infinitely many where they don't pay. */
function doublingsFor(far: number, maxError: number, factor: number): number {
  if (factor < LEAST_FACTOR) return Number.POSITIVE_INFINITY;
  let needed = 1;
  for (let left = far / factor; left > HOPEFUL * maxError; left /= factor) needed++;
  return needed;
}
