/** A chart of an atlas cut into several, since it holds its part of the surface badly. */
import { type Atlas, areaOf, guessCost, sumOf } from './atlas.ts';
import { halve, limbs, type PricedChart } from './choose.ts';
import type { PlannedChart } from './sampled-chart.ts';

/** Most intervals, 2^n a side, at which coarse forms of the parts are measured. */
const FINEST = 7;
const ROTATIONS = 4;
/** Parts that a chart is cut into. */
const MOST_PARTS = 16;

/**
 * Puts parts in the place of a chart: two halves, or what its limbs are cut into where that is
 * expected to be better. A part of half the area has as many samples as the chart.
 *
 * Not taken: faces and what is between them. A bolt came to 116 charts and 13 times the samples.
 *
 * @param chart one of the atlas
 * @param exponent its quads a side are 2^exponent
 * @returns whether it was cut: a triangle is not
 */
export function splitChart(atlas: Atlas, chart: PlannedChart, exponent: number): boolean {
  const { closed, disks, mesh } = atlas;
  if (chart.triangles.length < 2) return false;
  const area = areaOf(mesh, chart.triangles);
  const price = (part: Int32Array): PricedChart => {
    const own = exponentFor(areaOf(mesh, part) / area, exponent);
    const guess = guessCost(mesh, part, Math.min(FINEST, own), ROTATIONS);
    if (part.length === 1) return guess;
    // What could not be embedded is cut when it is sampled.
    return { ...guess, cost: Number.isFinite(guess.cost) ? guess.cost : 0, least: own };
  };
  let best = halve(mesh, chart.triangles).map(price);
  const others = limbs(mesh, chart.triangles, MOST_PARTS)?.map(price);
  if (others && sumOf(others) < sumOf(best)) best = others;
  if (closed.length === 1 && disks.length === 0) atlas.why = 'charts: one square does not come within maxError';
  atlas.closed = closed.filter((other) => other !== chart);
  atlas.disks = disks.flatMap((other) => (other === chart ? best : [other]));
  if (atlas.closed.length < closed.length) atlas.disks.push(...best);
  return true;
}

/** Of a part with such a share of the area. */
function exponentFor(share: number, exponent: number): number {
  let own = exponent;
  for (let left = 4 * share; left < 1 && own > 1; left *= 4) own--;
  return own;
}
