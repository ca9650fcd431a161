import { describe, expect, it } from 'vitest';
import { MeshError, OptionError } from '../../src/base/errors.ts';
import { measureDeviation } from '../../src/mesh/deviation.ts';
import type { Surface } from '../../src/mesh/topology.ts';
import { box, bumpySphere, grid, icosphere, mapped, together } from '../support/shapes.ts';

const samples = 20_000;

/** About the axis (1, 2, 2) / 3. */
function turned(mesh: Surface, angle: number, scale = 1, shift = 0): Surface {
  const [c, s] = [Math.cos(angle), Math.sin(angle)];
  return mapped(mesh, (x, y, z) => {
    const [i, j, k] = [1 / 3, 2 / 3, 2 / 3];
    const d = (i * x + j * y + k * z) * (1 - c);
    return [
      scale * (x * c + (j * z - k * y) * s + i * d) + shift,
      scale * (y * c + (k * x - i * z) * s + j * d) - 2 * shift,
      scale * (z * c + (i * y - j * x) * s + k * d) + shift,
    ];
  });
}

describe('measureDeviation', () => {
  it('is 0, to rounding, between a mesh and itself', () => {
    for (const mesh of [box(), bumpySphere(2), grid(5)]) {
      const { rmsAB, rmsBA, maxAB, maxBA, psnr, diagonal } = measureDeviation(mesh, mesh, { samples });
      for (const distance of [rmsAB, rmsBA, maxAB, maxBA]) expect(distance).toBeLessThan(1e-15 * diagonal);
      expect(psnr).toBeGreaterThan(300);
    }
  });

  it.each([1e-60, 1e60])('is the same at an extent of %f, but for its unit', (scale) => {
    const [a, b] = [bumpySphere(2), icosphere(3)];
    const scaled = (mesh: Surface) => mapped(mesh, (x, y, z) => [scale * x, scale * y, scale * z]);
    const found = measureDeviation(scaled(a), scaled(b), { samples: 2000 });
    const expected = measureDeviation(a, b, { samples: 2000 });
    expect(found.psnr).toBeCloseTo(expected.psnr, 6);
    expect(found.maxAB / scale).toBeCloseTo(expected.maxAB, 9);
    expect(found.maxBA / scale).toBeCloseTo(expected.maxBA, 9);
  });

  it('is the gap between a sphere and a larger one, within 1 %', { tags: ['all'] }, () => {
    const sphere = icosphere(5);
    const found = measureDeviation(
      sphere,
      mapped(sphere, (x, y, z) => [1.1 * x, 1.1 * y, 1.1 * z]),
      { samples },
    );
    for (const distance of [found.rmsAB, found.rmsBA, found.maxAB, found.maxBA]) {
      expect(distance).toBeGreaterThan(0.099);
      expect(distance).toBeLessThan(0.101);
    }
    expect(found.diagonal).toBeCloseTo(2 * Math.sqrt(3), 2);
    expect(found.psnr).toBeCloseTo(20 * Math.log10((2 * Math.sqrt(3)) / 0.1), 1);
  });

  it('is exact between parallel planes', () => {
    const found = measureDeviation(
      grid(3),
      mapped(grid(7, 2), (x, y) => [x, y, 0.25]),
      { samples },
    );
    for (const distance of [found.rmsAB, found.rmsBA, found.maxAB, found.maxBA]) expect(distance).toBeCloseTo(0.25, 14);
  });

  it('tells the two directions apart: a square and its left half', () => {
    // the square's right half lies x - 1/2 away: a mean square of 1/24, at most 1/2
    const half = mapped(grid(4), (x, y) => [x / 2, y, 0]);
    // triangles of very unequal size, so that area must weigh them
    const square = mapped(grid(9), (x, y) => [x ** 3, y ** 2, 0]);
    const found = measureDeviation(square, half, { samples });
    expect(found.rmsAB / Math.sqrt(1 / 24)).toBeCloseTo(1, 2);
    expect(found.maxAB).toBe(0.5);
    expect(found.rmsBA).toBeLessThan(1e-15);
    expect(found.psnr).toBe(found.psnrAB);
    expect(measureDeviation(half, square, { samples }).psnr).toBeCloseTo(
      found.psnr + 20 * Math.log10(Math.sqrt(5 / 8)),
      1,
    );
  });

  it('sees a spike that no sample hits, by its vertex', () => {
    const spike = {
      positions: Float64Array.of(0.5, 0.5, 0, 0.5 + 1e-12, 0.5, 0, 0.5, 0.5, 3),
      triangles: Uint32Array.of(0, 1, 2),
    };
    const found = measureDeviation(together(grid(2), spike), grid(2), { samples });
    expect(found.maxAB).toBe(3);
    expect(found.rmsAB).toBeLessThan(1e-3);
  });

  it('is the same for the same seed, and settled to 0.1 dB between seeds', () => {
    const [a, b] = [bumpySphere(5), icosphere(3)];
    const figures = [1, 2, 3].map((seed) => measureDeviation(a, b, { samples, seed }));
    expect(measureDeviation(a, b, { samples, seed: 2 })).toEqual(figures[1]);
    expect(figures[0].rmsAB).not.toBe(figures[1].rmsAB);
    for (const { psnr } of figures) expect(Math.abs(psnr - figures[0].psnr)).toBeLessThan(0.1);
  });

  it('does not change when both are turned, moved and scaled', () => {
    const a = icosphere(4);
    const b = mapped(a, (x, y, z) => [x * (1 + 0.01 * Math.sin(5 * z)), y, z * (1 + 0.02 * Math.cos(4 * x))]);
    const before = measureDeviation(a, b, { samples });
    for (const angle of [0.4, 1.3, 2.9]) {
      const scale = 10 ** (angle - 1);
      const after = measureDeviation(turned(a, angle, scale, 3), turned(b, angle, scale, 3), { samples });
      expect(after.rmsAB / scale / before.rmsAB).toBeCloseTo(1, 9);
      expect(after.maxBA / scale / before.maxBA).toBeCloseTo(1, 9);
      expect(Math.abs(after.psnr - before.psnr)).toBeLessThan(0.05);
    }
  });

  it('looks at nothing that no triangle uses', () => {
    const { positions, triangles } = box();
    const withStray = { positions: Float64Array.of(...positions, 100, 100, 100), triangles };
    expect(measureDeviation(withStray, box(), { samples })).toEqual(measureDeviation(box(), box(), { samples }));
  });

  it('needs an area, and a sample', () => {
    for (const none of [0, -1, Number.NaN])
      expect(() => measureDeviation(box(), box(), { samples: none })).toThrow(OptionError);
    const line = mapped(grid(2), (x) => [x, x, x]);
    expect(() => measureDeviation(line, grid(2))).toThrow(MeshError);
    expect(() => measureDeviation(grid(2), line)).toThrow(MeshError);
  });
});
