/** Charts are disks by a count of their own, every triangle in one; parts are connected, of about one size; few of them. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { describe, expect, it, test } from 'vitest';
import { cleanMesh } from '../../../../src/mesh/clean.ts';
import { cutToManifold, type ManifoldMesh } from '../../../../src/mesh/manifold.ts';
import type { Surface } from '../../../../src/mesh/topology.ts';
import { readObj } from '../../../../src/readers/obj/obj.ts';
import { bisect } from '../../../../src/representations/gi/make/segment/halves.ts';
import { components, topologyOf } from '../../../../src/representations/gi/make/segment/regions.ts';
import { cutIntoDisks, cutIntoFewDisks } from '../../../../src/representations/gi/make/segment/segment.ts';
import { long } from '../../../support/long.ts';
import { seeded } from '../../../support/random.ts';
import {
  bowTie,
  box,
  bumpySphere,
  finnedBox,
  grid,
  icosphere,
  mapped,
  moebiusStrip,
  openCylinder,
  soup,
  together,
  torus,
} from '../../../support/shapes.ts';

const manifold = (surface: Surface): ManifoldMesh =>
  cutToManifold(cleanMesh({ positions: surface.positions, triangles: surface.triangles, groups: [] }).mesh).mesh;

const asset = (name: string): Surface =>
  readObj(readFileSync(new URL(`../../../../assets/${name}.obj`, import.meta.url)));

function packaged(name: string): Surface {
  const { positions, cells } = createRequire(import.meta.url)(name) as { positions: number[][]; cells: number[][] };
  return { positions: Float64Array.from(positions.flat()), triangles: Uint32Array.from(cells.flat()) };
}

/** The surface of the cubes x, y, z that are kept of an n by m by 1 block. */
function cubesSurface(n: number, m: number, keep: (x: number, y: number) => boolean): Surface {
  const inside = (x: number, y: number, z: number) => z === 0 && x >= 0 && x < n && y >= 0 && y < m && keep(x, y);
  const positions: number[] = [];
  const triangles: number[] = [];
  const face = (...corners: number[][]) => {
    const first = positions.length / 3;
    for (const corner of corners) positions.push(...corner);
    triangles.push(first, first + 1, first + 2, first, first + 2, first + 3);
  };
  for (let x = 0; x < n; x++) {
    for (let y = 0; y < m; y++) {
      if (!inside(x, y, 0)) continue;
      const at = (i: number, j: number, k: number) => [x + i, y + j, k];
      face(at(0, 0, 1), at(1, 0, 1), at(1, 1, 1), at(0, 1, 1));
      face(at(0, 0, 0), at(0, 1, 0), at(1, 1, 0), at(1, 0, 0));
      if (!inside(x - 1, y, 0)) face(at(0, 0, 0), at(0, 0, 1), at(0, 1, 1), at(0, 1, 0));
      if (!inside(x + 1, y, 0)) face(at(1, 0, 0), at(1, 1, 0), at(1, 1, 1), at(1, 0, 1));
      if (!inside(x, y - 1, 0)) face(at(0, 0, 0), at(1, 0, 0), at(1, 0, 1), at(0, 0, 1));
      if (!inside(x, y + 1, 0)) face(at(0, 1, 0), at(0, 1, 1), at(1, 1, 1), at(1, 1, 0));
    }
  }
  return { positions: Float64Array.from(positions), triangles: Uint32Array.from(triangles) };
}

const doubleTorus = () => cubesSurface(21, 9, (x, y) => !(y > 2 && y < 6 && ((x > 3 && x < 8) || (x > 12 && x < 17))));

/** A grid of squares with every `step`-th one left out. */
function gridWithHoles(n: number, step: number): Surface {
  const { positions, triangles } = grid(n);
  const kept = [...Array(n * n).keys()].filter((q) => (q % n) % step !== 2 || Math.floor(q / n) % step !== 2);
  return { positions, triangles: Uint32Array.from(kept.flatMap((q) => [...triangles.subarray(6 * q, 6 * q + 6)])) };
}

function tangle(seed: number): Surface {
  const random = seeded(seed);
  const positions = Float64Array.from({ length: 90 }, () => random.between(-1, 1));
  return { positions, triangles: Uint32Array.from({ length: 300 }, () => random.below(30)) };
}

/** A rough surface with holes, some of its corners elsewhere: many rims, handles and tubes of few triangles. */
function worn(seed: number): Surface {
  const random = seeded(seed);
  const base = random.pick([torus(12, 7), grid(12), icosphere(2), torus(30, 4)]);
  const positions = base.positions.map((x) => x + random.pick([0, 0.2]) * random.next());
  const kept = Array.from(base.triangles.subarray(0, base.triangles.length / 3), (_, t) => t).filter(
    () => random.next() > 0.05,
  );
  const corners = kept.flatMap((t) => [...base.triangles.subarray(3 * t, 3 * t + 3)]);
  const count = positions.length / 3;
  const triangles = Uint32Array.from(corners, (v) => (random.next() < 0.01 ? random.below(count) : v));
  return { positions, triangles };
}

const threeSheets = (): Surface => {
  const sheet = grid(6);
  return together(
    sheet,
    mapped(sheet, (x, y) => [-x, y, 0]),
    mapped(sheet, (x, y) => [0, y, x]),
  );
};

/** V - E + F and the number of pieces of triangles glued where they share twins, by union-find over their corners. */
function count(mesh: ManifoldMesh, triangles: ArrayLike<number>): { euler: number; pieces: number } {
  const isIn = new Set(Array.from(triangles));
  const parent = new Map<string, string>();
  const root = (key: string): string => {
    let top = key;
    while (parent.get(top) !== top) top = parent.get(top)!;
    return top;
  };
  for (const t of isIn) for (const key of [`${3 * t}`, `${3 * t + 1}`, `${3 * t + 2}`, `t${t}`]) parent.set(key, key);
  const next = (h: number) => (h % 3 === 2 ? h - 2 : h + 1);
  let edges = 3 * isIn.size;
  for (const t of isIn) {
    for (let h = 3 * t; h < 3 * t + 3; h++) {
      const g = mesh.twin[h];
      if (g < h || !isIn.has(Math.floor(g / 3))) continue;
      edges--;
      for (const [a, b] of [
        [`${h}`, `${next(g)}`],
        [`${next(h)}`, `${g}`],
        [`t${t}`, `t${Math.floor(g / 3)}`],
      ])
        parent.set(root(a), root(b));
    }
  }
  const roots = [...parent.keys()].filter((key) => parent.get(key) === key);
  const pieces = roots.filter((key) => key[0] === 't').length;
  return { euler: roots.length - pieces - edges + isIn.size, pieces };
}

/** Every triangle alone, where no other is. */
function apart(surface: Surface): Surface {
  const { positions, triangles } = soup(surface);
  return { positions: positions.map((x, k) => (k % 3 === 2 ? x + Math.floor(k / 9) : x)), triangles };
}

const borderOf = (mesh: ManifoldMesh, chart: Int32Array) => {
  const isIn = new Set(chart);
  return [...chart]
    .flatMap((t) => [3 * t, 3 * t + 1, 3 * t + 2])
    .filter((h) => mesh.twin[h] < 0 || !isIn.has(Math.floor(mesh.twin[h] / 3))).length;
};

const partition = (parts: Int32Array[]) => parts.flatMap((part) => [...part]).sort((i, j) => i - j);

const shapes: [string, () => Surface, number][] = [
  ['torus', () => torus(32, 16), 6],
  ['coarse torus', () => torus(3, 3), 6],
  ['double torus', doubleTorus, 14],
  ['Moebius strip', moebiusStrip, 2],
  ['three sheets', threeSheets, 3],
  ['bow-tie', bowTie, 4],
  ['finned box', finnedBox, 4],
  ['grid with holes', () => gridWithHoles(15, 5), 20],
  ['open cylinder', () => openCylinder(24, 6), 3],
  ['long cylinder', () => mapped(openCylinder(12, 60), (x, y, z) => [x, y, 20 * z]), 10],
  ['two-triangle ring', () => openCylinder(3, 1), 3],
  ['cube', box, 2],
  ['loose triangles', () => apart(grid(4)), 32],
  ['sphere', () => icosphere(3), 2],
  ['bumpy sphere', () => bumpySphere(3, 3), 2],
  ['asset torus', () => asset('torus'), 6],
  ['asset bolt', () => asset('bolt'), 2],
  ['bunny', () => packaged('bunny'), 12],
  ['teapot', () => packaged('teapot'), 60],
  ...[1, 2, 3, 4, 5, 6].map((seed): [string, () => Surface, number] => [
    `tangle, seed ${seed}`,
    () => tangle(seed),
    100,
  ]),
];

describe.each(shapes)('%s', (_, make, most) => {
  const mesh = manifold(make());
  const pieces = components(mesh);

  test('components are the pieces, with their topology', () => {
    expect(partition(pieces.map(({ triangles }) => triangles))).toEqual([...Array(mesh.triangles.length / 3).keys()]);
    for (const piece of pieces) {
      const { triangles, genus, boundaryLoops, eulerCharacteristic } = piece;
      expect(count(mesh, triangles)).toEqual({ euler: eulerCharacteristic, pieces: 1 });
      expect(2 - 2 * genus - boundaryLoops).toBe(eulerCharacteristic);
      expect(Number.isInteger(genus) && genus >= 0).toBe(true);
    }
  });

  test('charts are disks, few, and the same twice', { tags: ['all'] }, () => {
    const charts = pieces.flatMap(({ triangles }) => cutIntoDisks(mesh, triangles));
    expect(partition(charts)).toEqual([...Array(mesh.triangles.length / 3).keys()]);
    for (const chart of charts) {
      expect(count(mesh, chart)).toEqual({ euler: 1, pieces: 1 });
      expect(chart).toEqual(chart.slice().sort());
      expect(borderOf(mesh, chart)).toBeGreaterThan(2);
    }
    expect(charts.length).toBeLessThanOrEqual(most);
    expect(pieces.flatMap(({ triangles }) => cutIntoDisks(mesh, triangles))).toEqual(charts);
  });

  test('halves are connected, halves of disks are disks, down to single triangles', { tags: ['all', 'long'] }, () => {
    const waiting = pieces.map(({ triangles }) => triangles);
    let cuts = 0;
    for (let region = waiting.pop(); region !== undefined && cuts < (long ? 120 : 60); region = waiting.pop()) {
      if (region.length < 2) continue;
      cuts++;
      const parts = bisect(mesh, region);
      expect(partition(parts)).toEqual([...region]);
      for (const part of parts) expect(count(mesh, part).pieces).toBe(1);
      if (topologyOf(mesh, region).eulerCharacteristic === 1)
        for (const part of parts) expect(count(mesh, part).euler).toBe(1);
      waiting.push(...parts);
    }
  });
});

test.each([230, 234, 238, 242, 246, 250])('charts of worn surfaces are disks; seed %i', (seed) => {
  const mesh = manifold(worn(seed));
  const pieces = components(mesh);
  const charts = pieces.flatMap(({ triangles }) => cutIntoDisks(mesh, triangles));
  expect(partition(charts)).toEqual([...Array(mesh.triangles.length / 3).keys()]);
  for (const chart of charts) expect(count(mesh, chart)).toEqual({ euler: 1, pieces: 1 });
});

test('a surface is cut into as few disks as there may be, or not at all', () => {
  const mesh = manifold(torus(24, 12));
  const [{ triangles }] = components(mesh);
  const disks = cutIntoDisks(mesh, triangles);
  expect(cutIntoFewDisks(mesh, triangles, disks.length)).toEqual(disks);
  expect(cutIntoFewDisks(mesh, triangles, disks.length - 1)).toBeNull();
});

describe('bisect', () => {
  it('halves a square by a short seam', () => {
    const mesh = manifold(grid(20));
    const [left, right] = bisect(mesh, components(mesh)[0].triangles);
    expect(Math.min(left.length, right.length)).toBeGreaterThan(0.35 * 800);
    const isLeft = new Set(left);
    let seam = 0;
    for (const t of left) {
      for (let h = 3 * t; h < 3 * t + 3; h++) {
        if (mesh.twin[h] < 0 || isLeft.has(Math.floor(mesh.twin[h] / 3))) continue;
        const [v, w] = [mesh.triangles[h], mesh.triangles[h % 3 === 2 ? h - 2 : h + 1]];
        seam += Math.hypot(...[0, 1, 2].map((k) => mesh.positions[3 * v + k] - mesh.positions[3 * w + k]));
      }
    }
    expect(seam).toBeLessThan(1.2);
  });

  it('refuses one triangle', () => {
    expect(() => bisect(manifold(grid(1)), Int32Array.of(0))).toThrow(RangeError);
  });

  const HALF = long ? 30_000 : 15_000;
  it(`takes a strip of ${2 * HALF} triangles`, () => {
    const mesh = manifold(mapped(grid(HALF, 1), (x, y) => [HALF * x, y, 0]));
    const parts = bisect(mesh, components(mesh)[0].triangles);
    expect(Math.abs(parts[0].length - parts[1].length)).toBeLessThan(1000);
  });
});
