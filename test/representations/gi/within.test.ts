/** Images within a greatest error: reached and proved, by more samples or more charts, or refused with the reason. */
import { describe, expect, test } from 'vitest';
import { MeshError } from '../../../src/base/errors.ts';
import { measureDeviation } from '../../../src/mesh/deviation.ts';
import { diagonalOf } from '../../../src/mesh/extent.ts';
import type { Mesh } from '../../../src/mesh/mesh.ts';
import { buildGeometryImage } from '../../../src/representations/gi/make/index.ts';
import { type GeometryImage, toMesh } from '../../../src/representations/gi/tree/geometry-image.ts';
import { sizeOf } from '../../../src/representations/gi/tree/grid.ts';
import { verifyGeometryImage } from '../../../src/representations/gi/tree/verify.ts';
import { some } from '../../support/long.ts';
import { openCylinder, torus } from '../../support/shapes.ts';

/** A ball with a long thin tail, which one square squeezes: closed, of genus 0. */
function tadpole(rings = 40, around = 8): Mesh {
  const positions: number[] = [];
  const triangles: number[] = [];
  const ringAt = (t: number): [x: number, z: number, radius: number] => {
    const turn = (t / 0.3 - 0.5) * Math.PI * 0.98;
    if (t < 0.3) return [0, Math.sin(turn), Math.max(0.01, Math.cos(turn))];
    return [0.3 * Math.sin(8 * t), 1 + 5 * (t - 0.3), 0.01];
  };
  for (let i = 0; i <= rings; i++) {
    const [x, z, radius] = ringAt(i / rings);
    for (let j = 0; j < around; j++) {
      const turn = (2 * Math.PI * j) / around;
      positions.push(x + radius * Math.cos(turn), radius * Math.sin(turn), z);
    }
  }
  const end = positions.length / 3;
  for (const t of [0, 1]) positions.push(ringAt(t)[0], 0, ringAt(t)[1]);
  for (let j = 0; j < around; j++) {
    const k = (j + 1) % around;
    const last = rings * around;
    triangles.push(end, k, j, end + 1, last + j, last + k);
    for (let i = 0; i < last; i += around)
      triangles.push(i + j, i + k, i + around + k, i + j, i + around + k, i + around + j);
  }
  return { positions: Float64Array.from(positions), triangles: Uint32Array.from(triangles), groups: [] };
}

const samplesOf = ({ groups }: GeometryImage): number =>
  groups.reduce((sum, { count, exponent }) => sum + count * sizeOf(exponent) ** 2, 0);

function expectWithin(image: GeometryImage, mesh: Mesh, maxError: number): void {
  const { missing, excess } = image.tolerance!;
  expect(Math.max(missing, excess)).toBeLessThanOrEqual(maxError);
  const { maxAB, maxBA } = measureDeviation(mesh, toMesh(image), { samples: 20_000, seed: 28 });
  expect(missing * (1 + 1e-9)).toBeGreaterThanOrEqual(maxAB);
  expect(excess * (1 + 1e-9)).toBeGreaterThanOrEqual(maxBA);
  expect(verifyGeometryImage(image).problems).toEqual([]);
}

describe('a ball with a long tail', { tags: ['long'] }, () => {
  const mesh = tadpole();
  const maxError = 0.003 * diagonalOf(mesh);
  const image = buildGeometryImage(mesh, { size: 33, maxError });

  test('is split where more samples pay no more, and takes a quarter of those of one square', () => {
    expect(image.charts).toBeGreaterThan(1);
    expect(image.header.options.layout).toMatch(
      /^charts: (one square does not come within maxError|flat faces, exact)$/,
    );
    expectWithin(image, mesh, maxError);
    const one = buildGeometryImage(mesh, { size: 33, maxError, charts: 'one' });
    expect(one.charts).toBe(1);
    expectWithin(one, mesh, maxError);
    expect(4 * samplesOf(image)).toBeLessThan(samplesOf(one));
  });

  test('gives the same image again', () => {
    expect(buildGeometryImage(mesh, { size: 33, maxError })).toEqual(image);
  });
});

test.each<[string, Mesh, number]>(
  some(1, [
    ['a torus', torus(24, 12), 0.003],
    ['a tube', openCylinder(16, 4), 0.004],
    ['a tail', tadpole(20, 6), 0.002],
  ]),
)('%s: charts that are near enough keep their samples', { tags: ['all', 'long'] }, (_, mesh, part) => {
  const maxError = part * diagonalOf(mesh);
  const image = buildGeometryImage(mesh, { size: 17, maxError });
  expectWithin(image, mesh, maxError);
});

test('less than coordinates are rounded by is refused at once, with the reason', { tags: ['all'] }, () => {
  const build = () => buildGeometryImage(torus(), { size: 17, maxError: 1e-6 });
  expect(build).toThrow(MeshError);
  expect(build).toThrow(
    /^expected an image and a source within 0.000001 .* found [\d.]+: its coordinates, of 16 bits, are rounded/,
  );
});
