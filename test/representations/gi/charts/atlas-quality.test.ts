/** How near images of several charts come to their sources: floors, a dB or two below what was measured. */
import { expect, test } from 'vitest';
import { cleanMesh } from '../../../../src/mesh/clean.ts';
import { measureDeviation } from '../../../../src/mesh/deviation.ts';
import type { Mesh } from '../../../../src/mesh/mesh.ts';
import { buildGeometryImage } from '../../../../src/representations/gi/make/index.ts';
import { toMesh } from '../../../../src/representations/gi/tree/geometry-image.ts';
import { sizeOf } from '../../../../src/representations/gi/tree/grid.ts';
import { some } from '../../../support/long.ts';
import { seeded } from '../../../support/random.ts';
import { box, grid, moebiusStrip, openCylinder, torus } from '../../../support/shapes.ts';
import { analyseTopology } from '../../../support/topology.ts';

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

/** A plate with `columns` by `rows` holes of 16 sides: two flat faces, and a wall for each hole. */
function drilled(columns: number, rows: number): Mesh {
  const positions: number[] = [];
  const triangles: number[] = [];
  const flat: number[][] = [];
  const corner = (i: number, j: number): number => j * (columns + 1) + i;
  const hole = (i: number, j: number, k: number): number =>
    (columns + 1) * (rows + 1) + 16 * (j * columns + i) + ((k + 16) % 16);
  const count = (columns + 1) * (rows + 1) + 16 * columns * rows;
  for (const z of [0.6, 0]) {
    for (let j = 0; j <= rows; j++) for (let i = 0; i <= columns; i++) positions.push(i, j, z);
    for (let j = 0; j < rows; j++) {
      for (let i = 0; i < columns; i++) {
        for (let k = 0; k < 16; k++) {
          const turn = (Math.PI * (k - 6)) / 8;
          positions.push(i + 0.5 + 0.3 * Math.cos(turn), j + 0.5 + 0.3 * Math.sin(turn), z);
        }
      }
    }
  }
  const wall = (a: number, b: number): void => {
    triangles.push(b, a, count + a, b, count + a, count + b);
  };
  for (let j = 0; j < rows; j++) {
    for (let i = 0; i < columns; i++) {
      const around = [corner(i, j), corner(i + 1, j), corner(i + 1, j + 1), corner(i, j + 1)];
      for (let q = 0; q < 4; q++) {
        for (let k = 4 * q; k < 4 * q + 4; k++) flat.push([hole(i, j, k), around[q], hole(i, j, k + 1)]);
        flat.push([around[q], around[(q + 1) % 4], hole(i, j, 4 * q + 4)]);
      }
      for (let k = 0; k < 16; k++) wall(hole(i, j, k + 1), hole(i, j, k));
    }
  }
  for (const [a, b, c] of flat) triangles.push(a, b, c, count + c, count + b, count + a);
  for (let i = 0; i < columns; i++) {
    wall(corner(i, 0), corner(i + 1, 0));
    wall(corner(i + 1, rows), corner(i, rows));
  }
  for (let j = 0; j < rows; j++) {
    wall(corner(columns, j), corner(columns, j + 1));
    wall(corner(0, j + 1), corner(0, j));
  }
  return { positions: Float64Array.from(positions), triangles: Uint32Array.from(triangles), groups: [] };
}

/** A wavy sheet with a bite out of each cell of a grid, and crumbs above it, seeded. */
function torn(seed: number, cells: number): Mesh {
  const random = seeded(seed);
  const steps = 8 * cells;
  const bites = Array.from({ length: cells * cells }, (_, i) => ({
    x: 8 * (i % cells) + random.between(3, 5),
    y: 8 * Math.floor(i / cells) + random.between(3, 5),
    radius: random.between(1, 2.5),
  }));
  const sheet = (isKept: (x: number, y: number) => boolean, lift: number): Mesh => {
    const positions: number[] = [];
    const triangles: number[] = [];
    const number = new Map<number, number>();
    const vertex = (x: number, y: number): number => {
      const key = y * (steps + 1) + x;
      const known = number.get(key);
      if (known !== undefined) return known;
      positions.push(x, y, lift + 2 * Math.sin(x / 7) * Math.cos(y / 9));
      number.set(key, number.size);
      return number.size - 1;
    };
    for (let y = 0; y < steps; y++) {
      for (let x = 0; x < steps; x++) {
        if (!isKept(x, y)) continue;
        const [a, b, c, d] = [vertex(x, y), vertex(x + 1, y), vertex(x + 1, y + 1), vertex(x, y + 1)];
        triangles.push(a, b, c, a, c, d);
      }
    }
    return { positions: Float64Array.from(positions), triangles: Uint32Array.from(triangles), groups: [] };
  };
  const isIn = (x: number, y: number): boolean =>
    bites.some((bite) => Math.hypot(x + 0.5 - bite.x, y + 0.5 - bite.y) < bite.radius);
  return joined(
    sheet((x, y) => !isIn(x, y), 0),
    sheet(isIn, 3),
  );
}

const areaOf = ({ positions: p, triangles }: Pick<Mesh, 'positions' | 'triangles'>): number => {
  let area = 0;
  for (let t = 0; t < triangles.length; t += 3) {
    const [a, b, c] = [3 * triangles[t], 3 * triangles[t + 1], 3 * triangles[t + 2]];
    const [u, v] = [b, c].map((to) => [0, 1, 2].map((k) => p[to + k] - p[a + k]));
    area += Math.hypot(u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]) / 2;
  }
  return area;
};

const HANDLES: [name: string, mesh: () => Mesh, size: number, psnr: number, bound: number][] = [
  ['a plate with 15 holes', () => drilled(5, 3), 65, 83, 0.006],
  ['a torn sheet of 16 bites and 16 crumbs, seed 3', () => torn(3, 4), 65, 85, 0.0015],
];

test.each(HANDLES)('%s keeps its rims and its topology', { tags: ['all'] }, (_, shape, size, psnr, bound) => {
  const mesh = shape();
  const image = buildGeometryImage(mesh, { size, fit: 'off' });
  const stored = toMesh(image);
  const deviation = measureDeviation(mesh, stored, { samples: 10_000 });
  expect(deviation.psnr).toBeGreaterThan(psnr);
  const { missing, excess } = image.tolerance!;
  expect(Math.max(missing, excess)).toBeLessThan(bound * deviation.diagonal);
  expect(Math.abs(areaOf(stored) / areaOf(mesh) - 1)).toBeLessThan(0.02);
  const [own, kept] = [mesh, cleanMesh({ ...stored, groups: [] }).mesh].map(analyseTopology);
  for (const key of ['components', 'eulerCharacteristic', 'boundaryLoops', 'nonManifoldEdges'] as const) {
    expect(kept[key], key).toBe(own[key]);
  }
});

/** A sheet with a needle of so many triangles at its middle, below a bumpy torus. */
function torusAndNeedle(height: number, radius: number): Mesh {
  const [rings, around] = [24, 32];
  const positions: number[] = [];
  const triangles: number[] = [];
  for (let i = 0; i <= rings; i++) {
    const t = (2 * i) / rings;
    for (let j = 0; j < around; j++) {
      const a = (2 * Math.PI * j) / around;
      const r = t < 1 ? radius * (0.02 + 0.98 * t) : radius + (0.5 - radius) * (t - 1);
      const z = t < 1 ? height * (1 - t) : 0.08 * Math.cos(3 * a) * r ** 2;
      positions.push(r * Math.cos(a), r * Math.sin(a), 2 + z);
    }
  }
  for (let i = 0; i < rings; i++) {
    for (let j = 0; j < around; j++) {
      const k = (j + 1) % around;
      const [a, b, c, d] = [i * around + j, i * around + k, (i + 1) * around + j, (i + 1) * around + k];
      triangles.push(a, c, d, a, d, b);
    }
  }
  const tip = positions.length / 3;
  positions.push(0, 0, 2 + 1.02 * height);
  for (let j = 0; j < around; j++) triangles.push(tip, j, (j + 1) % around);
  return joined(bumpyTorus(192, 48), {
    positions: Float64Array.from(positions),
    triangles: Uint32Array.from(triangles),
    groups: [],
  });
}

function bumpyTorus(along: number, around: number): Mesh {
  const positions: number[] = [];
  const triangles: number[] = [];
  for (let i = 0; i < along; i++) {
    for (let j = 0; j < around; j++) {
      const [a, b] = [(2 * Math.PI * i) / along, (2 * Math.PI * j) / around];
      const r = 0.3 * (1 + 0.1 * Math.sin(9 * a) * Math.sin(5 * b));
      positions.push((1 + r * Math.cos(b)) * Math.cos(a), (1 + r * Math.cos(b)) * Math.sin(a), r * Math.sin(b));
      const [k, l] = [(i + 1) % along, (j + 1) % around];
      triangles.push(i * around + j, k * around + j, k * around + l);
      triangles.push(i * around + j, k * around + l, i * around + l);
    }
  }
  return { positions: Float64Array.from(positions), triangles: Uint32Array.from(triangles), groups: [] };
}

test('a needle beside a large surface does not stick out: 0.60 % of the diagonal before', { tags: ['all'] }, () => {
  const mesh = torusAndNeedle(0.12, 0.006);
  const { tolerance } = buildGeometryImage(mesh, { size: 257, fit: 'off' });
  const { diagonal } = measureDeviation(mesh, mesh, { samples: 10 });
  expect(Math.max(tolerance!.missing, tolerance!.excess) / diagonal).toBeLessThan(0.002);
});
