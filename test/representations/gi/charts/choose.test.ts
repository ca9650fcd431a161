/** Charts are cut where their parts weigh less, and into disks in any case. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { cleanMesh } from '../../../../src/mesh/clean.ts';
import { cutToManifold, type ManifoldMesh } from '../../../../src/mesh/manifold.ts';
import type { Mesh } from '../../../../src/mesh/mesh.ts';
import { readObj } from '../../../../src/readers/obj/obj.ts';
import {
  chooseCharts,
  cutFurther,
  faces,
  limbs,
  type PricedChart,
  type Shared,
  total,
  weightOf,
} from '../../../../src/representations/gi/make/charts/choose.ts';
import { components, topologyOf } from '../../../../src/representations/gi/make/segment/regions.ts';
import { box, bumpySphere, grid } from '../../../support/shapes.ts';

const manifold = (mesh: Mesh): ManifoldMesh => cutToManifold(cleanMesh(mesh).mesh).mesh;
const sorted = (parts: readonly Int32Array[]): number[] => parts.flatMap((part) => [...part]).sort((a, b) => a - b);
const all = (mesh: ManifoldMesh): Int32Array => components(mesh)[0].triangles;
const corner = { vertex: 0, place: 0 };
const shared: Shared = { samples: 66_049, others: 0, poor: Number.POSITIVE_INFINITY, flat: 1e-9 };

function expectDisks(mesh: ManifoldMesh, parts: readonly Int32Array[]): void {
  for (const part of parts) expect(topologyOf(mesh, part).eulerCharacteristic).toBe(1);
  expect(sorted(parts)).toEqual([...all(mesh)]);
}

test('a weight is the least of what samples and error come to', () => {
  // Of n samples and the error c / n^2, one sample worth 2 S^3 / N^3 of it.
  for (const [cost, smallest] of [
    [8, 0],
    [8, 5],
    [1e-6, 1],
    [0, 2],
  ]) {
    const [samples, sum] = [10_000, 5];
    let least = Number.POSITIVE_INFINITY;
    for (let n = ((1 << smallest) + 1) ** 2; n < 10_000; n += 0.5) {
      least = Math.min(least, n + (cost / (n * n)) * (samples ** 3 / (2 * sum ** 3)));
    }
    expect(weightOf({ cost, smallest }, samples, sum)).toBeCloseTo(least, 2);
  }
});

describe('chooseCharts', () => {
  const mesh = manifold(grid(12));
  /** A price that grows like the number of triangles to some power: 3 is even, for cube roots. */
  const priceOf =
    (power: number) =>
    (triangles: Int32Array): PricedChart => {
      return { triangles, cost: triangles.length ** power, smallest: 0, corner };
    };

  test('keeps what is not cheaper in parts', () => {
    expect(chooseCharts(mesh, [all(mesh)], priceOf(3), shared)).toHaveLength(1);
  });

  test('cuts what is cheaper in parts, and is never worse by its own measure', () => {
    const price = priceOf(4);
    const charts = chooseCharts(mesh, [all(mesh)], price, shared);
    expect(charts.length).toBeGreaterThan(8);
    expect(charts.length).toBeLessThanOrEqual(64);
    expectDisks(
      mesh,
      charts.map(({ triangles }) => triangles),
    );
    const sum = Math.cbrt(price(all(mesh)).cost);
    expect(total(charts, 66_049, sum)).toBeLessThan(0.94 * total([price(all(mesh))], 66_049, sum));
  });

  test('what cannot be embedded is cut, down to single triangles', () => {
    const charts = chooseCharts(
      mesh,
      [all(mesh)],
      (triangles) => ({ triangles, cost: triangles.length === 1 ? 0 : Number.POSITIVE_INFINITY, smallest: 0, corner }),
      shared,
    );
    expect(charts).toHaveLength(mesh.triangles.length / 3);
  });

  test('of parts only those are priced that may weigh less together', () => {
    let priced = 0;
    const parted = (triangles: Int32Array): PricedChart => {
      priced++;
      return priceOf(3)(triangles);
    };
    chooseCharts(mesh, [all(mesh)], parted, { ...shared, poor: 0 });
    // The whole, and both halves, the second of which takes them to the weight of the whole.
    expect(priced).toBe(3);
    priced = 0;
    const cube = manifold(box());
    const dear = (triangles: Int32Array): PricedChart => {
      priced++;
      return { triangles, cost: triangles.length < 12 ? 1e9 : 1, smallest: 0, corner };
    };
    expect(chooseCharts(cube, [all(cube)], dear, shared)).toHaveLength(1);
    // The whole; a half, a face, a face that may be curved, and a limb: one of each is enough.
    expect(priced).toBe(5);
  });

  test('a part that is a hundredth of the whole is left alone', () => {
    const charts = chooseCharts(mesh, [all(mesh)], priceOf(4), { ...shared, others: 1e6 });
    expect(charts).toHaveLength(1);
  });
});

describe('other cuts', () => {
  test('a box has six faces', () => {
    const mesh = manifold(box(1, 2, 3));
    const parts = faces(mesh, all(mesh), 1e-9)!;
    expect(parts.map((part) => part.length)).toEqual([2, 2, 2, 2, 2, 2]);
    expectDisks(mesh, parts);
    expect(sorted(faces(mesh, all(mesh), Number.POSITIVE_INFINITY)!)).toEqual(sorted(parts));
    expect(faces(mesh, all(mesh), 1e-9, 6)).toEqual(parts);
    expect(faces(mesh, all(mesh), 1e-9, 5)).toBeNull();
  });

  test('a bolt has so many faces, and none where there is room for fewer', () => {
    const mesh = manifold(readObj(readFileSync(new URL('../../../../assets/bolt.obj', import.meta.url))));
    const parts = faces(mesh, all(mesh), 1e-9)!;
    expectDisks(mesh, parts);
    expect(parts.length).toBeGreaterThan(2);
    expect(faces(mesh, all(mesh), 1e-9, parts.length)).toEqual(parts);
    expect(faces(mesh, all(mesh), 1e-9, parts.length - 1)).toBeNull();
  });

  test('what is round has none, nor has what is one', () => {
    const round = manifold(bumpySphere(1, 3));
    expect(faces(round, all(round), 1e-9)).toBeNull();
    const flat = manifold(grid(3));
    expect(faces(flat, all(flat), 1e-9)).toBeNull();
  });

  test.each([1, 2, 3])('limbs are disks, and every triangle in one, seed %i', { tags: ['all'] }, (seed) => {
    const { positions, ...rest } = bumpySphere(seed, 3);
    // Eight times as long as it is thick.
    const mesh = manifold({ ...rest, positions: positions.map((x, i) => (i % 3 === 0 ? 8 * x : x)) });
    const parts = limbs(mesh, all(mesh))!;
    expect(parts.length).toBeGreaterThan(1);
    expectDisks(mesh, parts);
    expect(limbs(mesh, all(mesh), parts.length)).toEqual(parts);
    expect(limbs(mesh, all(mesh), parts.length - 1)).toBeNull();
  });
});

test('cutFurther keeps disks, and shares the cost', () => {
  const mesh = manifold(grid(4));
  const parts = cutFurther(mesh, { triangles: all(mesh), cost: 64, smallest: 1, corner });
  expectDisks(
    mesh,
    parts.map(({ triangles }) => triangles),
  );
  expect(parts.reduce((sum, { cost }) => sum + Math.cbrt(cost), 0)).toBeCloseTo(4, 9);
});
