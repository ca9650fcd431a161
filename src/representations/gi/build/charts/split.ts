/** Cuts a chart of an atlas that holds its part of the surface badly. */
import { type Atlas, areaOf, guessCost, sumOf } from './atlas.ts';
import { halve, limbs, type PricedChart } from './choose.ts';
import type { PlannedChart } from './sampled-chart.ts';

const FINEST = 7;
const ROTATIONS = 4;
const MOST_PARTS = 16;

/**
 * Replaces a chart by halves, or by limbs if expected to be better. False for a triangle. A part of
 * half the area has as many samples as the chart, which had 2^exponent quads per side.
 *
 * Not taken: faces and the rest between them. A bolt came to 116 charts and 13 times the samples.
 */
export function splitChart(atlas: Atlas, chart: PlannedChart, exponent: number): boolean {
  const { closed, disks, mesh } = atlas;
  if (chart.triangles.length < 2) return false;
  const area = areaOf(mesh, chart.triangles);
  const price = (part: Int32Array): PricedChart => {
    const own = exponentFor(areaOf(mesh, part) / area, exponent);
    const guess = guessCost(mesh, part, Math.min(FINEST, own), ROTATIONS);
    if (part.length === 1) return guess;
    // A part that could not be embedded is cut when it is sampled.
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

function exponentFor(share: number, exponent: number): number {
  let own = exponent;
  for (let left = 4 * share; left < 1 && own > 1; left *= 4) own--;
  return own;
}
