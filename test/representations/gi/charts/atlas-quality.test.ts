/** How near images of several charts come to their sources: floors, a dB or two below what was measured. */
import { expect, test } from 'vitest';
import { measureDeviation } from '../../../../src/mesh/deviation.ts';
import type { Mesh } from '../../../../src/mesh/mesh.ts';
import { buildGeometryImage } from '../../../../src/representations/gi/make/index.ts';
import { toMesh } from '../../../../src/representations/gi/tree/geometry-image.ts';
import { sizeOf } from '../../../../src/representations/gi/tree/grid.ts';
import { some } from '../../../support/long.ts';
import { seeded } from '../../../support/random.ts';
import { box, grid, moebiusStrip, openCylinder, torus } from '../../../support/shapes.ts';

function joined(...meshes: Mesh[]): Mesh {
  const positions: number[] = [];
  const triangles: number[] = [];
  for (const mesh of meshes) {
    for (const v of mesh.triangles) triangles.push(v + positions.length / 3);
    for (const x of mesh.positions) positions.push(x);
  }
  return { positions: Float64Array.from(positions), triangles: Uint32Array.from(triangles), groups: [] };
}

const moved = (mesh: Mesh, scale: number, by: number[]): Mesh => {
  return { ...mesh, positions: mesh.positions.map((x, i) => scale * x + by[i % 3]) };
};

/** Four turns of a thin spring, closed at both ends. */
function spring(): Mesh {
  const [rings, around] = [240, 8];
  const positions: number[] = [];
  const triangles: number[] = [];
  for (let i = 0; i <= rings; i++) {
    const a = (8 * Math.PI * i) / rings;
    for (let j = 0; j < around; j++) {
      const b = (2 * Math.PI * j) / around;
      const r = 1 + 0.08 * Math.cos(b);
      positions.push(r * Math.cos(a), r * Math.sin(a), (1.5 * i) / rings + 0.08 * Math.sin(b));
    }
  }
  const ends = positions.length / 3;
  for (const i of [0, rings]) positions.push(Math.cos(0), Math.sin(0), (1.5 * i) / rings);
  for (let i = 0; i < rings; i++) {
    for (let j = 0; j < around; j++) {
      const k = (j + 1) % around;
      const [a, b, c, d] = [i * around + j, i * around + k, (i + 1) * around + k, (i + 1) * around + j];
      triangles.push(a, c, b, a, d, c);
    }
  }
  for (let j = 0; j < around; j++) {
    const k = (j + 1) % around;
    triangles.push(ends, j, k, ends + 1, rings * around + k, rings * around + j);
  }
  return { positions: Float64Array.from(positions), triangles: Uint32Array.from(triangles), groups: [] };
}

function boxes(seed: number, count: number): Mesh {
  const random = seeded(seed);
  const place = () => [0, 1, 2].map(() => random.between(0, 10));
  return joined(...Array.from({ length: count }, () => moved(box(1), random.between(0.2, 1), place())));
}

function looseTriangles(seed: number, count: number): Mesh {
  const random = seeded(seed);
  const positions = Float64Array.from({ length: 9 * count }, () => random.between(0, 1));
  return { positions, triangles: Uint32Array.from({ length: 3 * count }, (_, i) => i), groups: [] };
}

const CASES: [name: string, mesh: () => Mesh, size: number, psnr: number][] = [
  ['open cylinder', () => openCylinder(24, 6), 65, 70],
  ['Moebius strip', () => moebiusStrip(24), 65, 72],
  ['flat grid, one chart', () => grid(8), 65, 90],
  ['200 loose triangles', () => looseTriangles(2, 200), 65, 90],
  ['torus', () => torus(24, 12), 65, 64],
  ['spring, a closed surface that charts suit better', spring, 65, 50],
  ['100 boxes, each in its six faces', () => boxes(1, 100), 65, 90],
  [
    'a torus and one a thousandth of its size',
    () => joined(torus(24, 12), moved(torus(24, 12), 1e-3, [3, 0, 0])),
    65,
    66,
  ],
];

test.each(some(4, CASES))('%s', { tags: ['all', 'long'] }, (_, shape, size, psnr) => {
  const mesh = shape();
  const image = buildGeometryImage(mesh, { size });
  const deviation = measureDeviation(mesh, toMesh(image), { samples: 10_000 });
  expect(deviation.psnr).toBeGreaterThan(psnr);
  const samples = image.groups.reduce((sum, { count, exponent }) => sum + count * sizeOf(exponent) ** 2, 0);
  expect(samples).toBeLessThanOrEqual(1.3 * size * size);
});
