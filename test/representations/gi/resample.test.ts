/** Samples of slanted needles: of whatever triangle is the first to hold a grid point, by looking at all of them. */
import { expect, test } from 'vitest';
import { resample } from '../../../src/representations/gi/make/resample.ts';
import { seeded } from '../../support/random.ts';

/** A fan round a point of the square, its rim at places of the sides, all of them multiples of 2^-12. */
function fanInSquare(seed: number, rim: number): Float64Array {
  const random = seeded(seed);
  const dyadic = (x: number): number => Math.round(x * 4096) / 4096;
  const hub = [dyadic(random.between(-1, 1)), dyadic(random.between(-1, 1))];
  const places = Array.from({ length: rim }, () => dyadic(random.between(0, 8)));
  const round = [...new Set([0, 2, 4, 6, ...places.map((p) => p % 8)])].sort((p, q) => p - q);
  const pointAt = (p: number): [number, number] => {
    if (p < 2) return [p - 1, -1];
    if (p < 4) return [1, p - 3];
    return p < 6 ? [5 - p, 1] : [-1, 7 - p];
  };
  return Float64Array.from(
    round.flatMap((p, i) => [...hub, ...pointAt(p), ...pointAt(round[i + 1 < round.length ? i + 1 : 0])]),
  );
}

function firstHolding(corners: Float64Array, x: number, y: number): number {
  for (let t = 0; 6 * t < corners.length; t++) {
    const [ax, ay, bx, by, cx, cy] = corners.subarray(6 * t, 6 * t + 6);
    const a = (bx - x) * (cy - y) - (by - y) * (cx - x);
    const b = (cx - x) * (ay - y) - (cy - y) * (ax - x);
    const c = (ax - x) * (by - y) - (ay - y) * (bx - x);
    if (a >= 0 && b >= 0 && c >= 0) return t;
  }
  return -1;
}

test.each([1, 2, 3, 4, 5, 6])('a fan of needles in the square, seed %i', { tags: ['all'] }, (seed) => {
  const corners = fanInSquare(seed, 20 * seed);
  const count = corners.length / 6;
  const triangles = Uint32Array.from({ length: 3 * count }, (_, i) => i);
  const positions = Float64Array.from({ length: 9 * count }, (_, i) => {
    const axis = i % 3;
    return axis === 2 ? 0 : corners[2 * Math.floor(i / 3) + axis];
  });
  const size = 65;
  const samples = resample(positions, triangles, { corners, folded: false }, size);
  for (let g = 0; g < size * size; g++) {
    const [x, y] = [(g % size) / 32 - 1, Math.floor(g / size) / 32 - 1];
    expect(samples.triangle[g]).toBe(firstHolding(corners, x, y));
    expect(samples.positions[3 * g]).toBeCloseTo(x, 9);
    expect(samples.positions[3 * g + 1]).toBeCloseTo(y, 9);
  }
});
