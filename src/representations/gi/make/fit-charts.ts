/**
 * Moves the samples of an image's charts as close to the source as possible without harm.
 *
 * Samples beside creases move onto them first (snap-creases.ts). The fit knows only the source's
 * tangent planes, which approximate it near a sample alone. In a plate thinner than the sample
 * distance, some samples slide over its edge. So a quad with more reversed triangles than before
 * gets its samples back, in halves of their way. If the image is farther from the source than
 * before, or with `auto` not at least a decibel nearer, no sample moves.
 */
import type { Mesh } from '../../../mesh/mesh.ts';
import { sizeOf } from '../tree/grid.ts';
import type { SampledChart } from './charts/sampled-chart.ts';
import { sampleChart } from './charts/sampled-chart.ts';
import { copyOwners, type FittedChart, fitSamples } from './fit.ts';
import { gains } from './fit-gain.ts';
import { reversedQuads, splitsNow, stored } from './quantise.ts';
import { type NormalSource, renewNormals } from './sample-normals.ts';
import { type SharedSamples, shareSamples } from './shared-samples.ts';
import { snapToCreases } from './snap-creases.ts';

/** Images up to this size are fitted to 4 x 4 points per quad, larger ones to 2 x 2. */
const FINELY_FITTED = 513;
/** With `on`, images with more quads are not measured before and after the fit. */
const MOST_MEASURED = 1.3 * 512 ** 2;
/** Unless `on`, images with more quads are not fitted: charts of a square of 2049 have fewer. */
const MOST_FITTED = 1.3 * 2048 ** 2;
/** Least gains in decibels. */
const GAIN = { auto: 1, on: 0 };
/** Rounds for quads whose shorter diagonal changes in a fit. */
const ROUNDS = 3;
/** Distances in steps of the image: rounding to steps leaves 0.29, so that these gain nothing. */
const UNSEEN = 0.1;
const KEPT = [1, 0.5, 0.25, 0];

export type FitChoice = 'auto' | 'on' | 'off';
export const FIT_CHOICES: readonly FitChoice[] = ['auto', 'on', 'off'];

/**
 * Fits samples as asked, and returns true if they stay moved. A trial is not measured, so it may
 * end farther from the source.
 */
export function fitCharts(
  charts: readonly SampledChart[],
  { mesh, normals }: { mesh: Mesh; normals: NormalSource },
  choice: FitChoice | 'trial',
): boolean {
  const quads = charts.reduce((sum, { exponent }) => sum + 4 ** exponent, 0);
  if (choice === 'off' || (choice !== 'on' && quads > MOST_FITTED)) return false;
  const fitted = charts.map(({ exponent, positions, source }): FittedChart => {
    const size = sizeOf(exponent);
    const finer = (size <= FINELY_FITTED ? 4 : 2) * (size - 1) + 1;
    return { size, positions, folded: source.folded, fine: exponent > 0 ? sampleChart(source, finer) : null };
  });
  if (fitted.every(({ fine }) => fine === null)) return false;
  const before = charts.map(({ positions }) => positions.slice());
  const reversed = reversedQuads(charts);
  const isSnapped = charts
    .map(({ source }, i) => fitted[i].fine !== null && snapToCreases(source, fitted[i]))
    .includes(true);
  const shared = shareSamples(fitted);
  const unseen = isSnapped ? 0 : UNSEEN * stored(charts).step;
  const isFitted = fitSamples(fitted, () => splitsNow(charts), { rounds: ROUNDS, shared, unseen });
  if (!isSnapped && !isFitted) return false;
  putBack(charts, fitted, before, reversed, shared);
  if (choice === 'trial') return true;
  const settle = (): true => {
    charts.forEach(({ positions, normals: own, source: { source } }, i) => {
      const { size, folded, fine } = fitted[i];
      if (fine) renewNormals(normals, { size, fine, folded, source, positions, before: before[i], normals: own });
    });
    return true;
  };
  if (choice === 'on' && quads > MOST_MEASURED) return settle();
  const was = {
    samples: charts.map((chart, i) => ({ ...chart, positions: before[i] })),
    fitted: fitted.map((chart, i) => ({ ...chart, positions: before[i] })),
  };
  if (gains(mesh, was, { samples: charts, fitted }, GAIN[choice])) return settle();
  charts.forEach(({ positions }, i) => {
    positions.set(before[i]);
  });
  return false;
}

/** Moves samples back in steps until no quad has more reversed triangles than before. */
function putBack(
  charts: readonly SampledChart[],
  fitted: readonly FittedChart[],
  before: readonly Float64Array[],
  reversed: readonly Uint8Array[],
  shared: SharedSamples,
): void {
  const { first, owner } = shared;
  const moved = charts.map(({ positions }) => positions.slice());
  const steps = new Uint8Array(owner.length);
  for (;;) {
    const worse = samplesOfWorse(charts, reversed, shared).filter((g) => steps[g] < KEPT.length - 1);
    if (worse.length === 0) return;
    for (const g of worse) steps[g]++;
    charts.forEach(({ positions }, i) => {
      for (let v = 0; v < positions.length; v++) {
        const kept = KEPT[steps[owner[first[i] + Math.floor(v / 3)]]];
        if (kept < 1) positions[v] = before[i][v] + kept * (moved[i][v] - before[i][v]);
      }
    });
    copyOwners(fitted, first, owner);
  }
}

function samplesOfWorse(
  charts: readonly SampledChart[],
  before: readonly Uint8Array[],
  { first, owner }: SharedSamples,
): number[] {
  const samples = new Set<number>();
  reversedQuads(charts).forEach((now, i) => {
    const size = sizeOf(charts[i].exponent);
    for (let quad = 0; quad < now.length; quad++) {
      if (now[quad] <= before[i][quad]) continue;
      const corner = first[i] + quad + Math.floor(quad / (size - 1));
      for (const g of [corner, corner + 1, corner + size, corner + size + 1]) samples.add(owner[g]);
    }
  });
  return [...samples];
}
