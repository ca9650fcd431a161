/** Decides between one square and charts, and says why. */
import { MeshError } from '../../../../base/errors.ts';
import { measurePsnr } from '../../../../mesh/deviation.ts';
import type { Component } from '../segment/regions.ts';
import { type ChartSource, interpolationError, sampleChart } from './sampled-chart.ts';

/**
 * - `one`: one square, or an error.
 * - `auto`: flat faces if they are few. Else one square for a closed surface of genus 0 if that is
 *   good enough, else charts.
 * - `best`: charts wherever they are better.
 */
export type ChartChoice = 'one' | 'auto' | 'best';

export const CHART_CHOICES: readonly ChartChoice[] = ['one', 'auto', 'best'];

/** Charts are chosen as for this size, whatever the requested size. */
export const JUDGED_SIZE = 257;
const JUDGED_SAMPLES = 20_000;
const GOOD_SQUARE = 72;
/** Above this estimate in dB a square is not measured; it has at worst 1 less, and up to 5 more. */
const SURE_SQUARE = 76;
const EXPECTED_AT = 6;

/**
 * Returns the sum of cube roots S that N samples turn into an error of so many decibels:
 *   S^3 / N^2 = area (diagonal / 10^(dB / 20))^2
 */
export function sumAt(decibels: number, diagonal: number, area: number): number {
  const rms = diagonal / 10 ** (decibels / 20);
  return Math.cbrt(area * rms * rms * JUDGED_SIZE ** 4);
}

function qualityOf(source: ChartSource): number {
  const { positions } = sampleChart(source, JUDGED_SIZE);
  const squared = (v: number, w: number): number =>
    [0, 1, 2].reduce((sum, k) => sum + (positions[3 * v + k] - positions[3 * w + k]) ** 2, 0);
  const triangles: number[] = [];
  for (let row = 0; row + 1 < JUDGED_SIZE; row++) {
    for (let column = 0; column + 1 < JUDGED_SIZE; column++) {
      const a = row * JUDGED_SIZE + column;
      const [b, c, d] = [a + 1, a + JUDGED_SIZE, a + JUDGED_SIZE + 1];
      if (squared(a, d) <= squared(b, c)) triangles.push(a, d, c, a, b, d);
      else triangles.push(a, b, c, b, d, c);
    }
  }
  const square = { positions, triangles: Uint32Array.from(triangles) };
  const own = { positions: source.positions, triangles: Uint32Array.from(source.triangles) };
  return measurePsnr(own, square, JUDGED_SAMPLES);
}

export const isClosedSphere = ({ genus, boundaryLoops }: Component): boolean => genus === 0 && boundaryLoops === 0;

function topologyInWords(parts: readonly Component[]): string {
  const genus = parts.reduce((sum, part) => sum + part.genus, 0);
  const holes = parts.reduce((sum, part) => sum + part.boundaryLoops, 0);
  const words = [
    `${parts.length} ${parts.length === 1 ? 'component' : 'components'}`,
    `genus ${genus}`,
    holes === 0 ? 'no hole' : `${holes} ${holes === 1 ? 'hole' : 'holes'}`,
  ];
  return words.join(', ');
}

/** @throws MeshError if one square cannot hold the surface */
export function requireOneSquare(parts: readonly Component[]): void {
  if (parts.length === 1 && isClosedSphere(parts[0])) return;
  throw new MeshError(
    `charts one: expected a closed surface of genus 0 in one component, found ${topologyInWords(parts)}`,
  );
}

export interface Verdict {
  isGood: boolean;
  /** One line, without "one square" or "charts". */
  reason: string;
}

/** `sumFor` returns the sum of cube roots that so many decibels allow. */
export function judge(
  parts: readonly Component[],
  square: ChartSource | undefined,
  sumFor: (decibels: number) => number,
): Verdict {
  if (parts.length > 1 || !isClosedSphere(parts[0])) return { isGood: true, reason: topologyInWords(parts) };
  if (!square) return { isGood: false, reason: 'closed, genus 0, too degenerate for one square' };
  const cost = interpolationError(square, EXPECTED_AT) * 16 ** EXPECTED_AT;
  if (Math.cbrt(cost) <= sumFor(SURE_SQUARE)) return { isGood: true, reason: 'closed, genus 0' };
  const decibels = qualityOf(square);
  const quality = decibels < 200 ? `${decibels.toFixed(1)} dB` : 'over 200 dB';
  return {
    isGood: decibels >= GOOD_SQUARE,
    reason: `closed, genus 0, ${quality} as one at ${JUDGED_SIZE}`,
  };
}
