/** Every boundary edge is on one side of one arc; who lies on an arc lists the same vertices; corners are junctions. */
import { readFileSync } from 'node:fs';
import { describe, expect, it, test } from 'vitest';
import { cleanMesh } from '../../../../src/mesh/clean.ts';
import { cutToManifold, type ManifoldMesh } from '../../../../src/mesh/manifold.ts';
import type { Surface } from '../../../../src/mesh/topology.ts';
import { readObj } from '../../../../src/readers/obj/obj.ts';
import { type Layout, layCharts } from '../../../../src/representations/gi/make/charts/arcs.ts';
import { bisect } from '../../../../src/representations/gi/make/segment/halves.ts';
import { components } from '../../../../src/representations/gi/make/segment/regions.ts';
import { cutIntoDisks } from '../../../../src/representations/gi/make/segment/segment.ts';
import { long, some } from '../../../support/long.ts';
import { seeded } from '../../../support/random.ts';
import {
  bowTie,
  box,
  bumpySphere,
  finnedBox,
  grid,
  mapped,
  moebiusStrip,
  openCylinder,
  soup,
  together,
  torus,
} from '../../../support/shapes.ts';

const manifold = (surface: Surface): ManifoldMesh =>
  cutToManifold(cleanMesh({ positions: surface.positions, triangles: surface.triangles, groups: [] }).mesh).mesh;

/** Every triangle alone, where no other is. */
function apart(surface: Surface): Surface {
  const { positions, triangles } = soup(surface);
  return { positions: positions.map((x, k) => (k % 3 === 2 ? x + Math.floor(k / 9) : x)), triangles };
}

const disksOf = (mesh: ManifoldMesh) => components(mesh).flatMap(({ triangles }) => cutIntoDisks(mesh, triangles));

function tangle(seed: number): Surface {
  const random = seeded(seed);
  const positions = Float64Array.from({ length: 60 }, () => random.between(-1, 1));
  return { positions, triangles: Uint32Array.from({ length: 240 }, () => random.below(20)) };
}

function demandConsistent(mesh: ManifoldMesh, given: Int32Array[], { arcs, charts }: Layout): void {
  expect(charts.length).toBe(given.length);
  const position = new Map<number, number[]>();
  mesh.vertex.forEach((v, i) => {
    position.set(v, [...mesh.positions.subarray(3 * i, 3 * i + 3)]);
  });
  const arcEdges = new Map<string, number>();
  const key = (v: number, w: number) => (v < w ? `${v} ${w}` : `${w} ${v}`);
  arcs.forEach(({ vertices, along, length }, number) => {
    const last = vertices.length - 1;
    expect(vertices[0]).toBeLessThanOrEqual(vertices[last]);
    if (vertices[0] === vertices[last]) expect(vertices[1]).toBeLessThan(vertices[last - 1]);
    expect([along[0], along[last], along.length]).toEqual([0, length, vertices.length]);
    for (let i = 0; i < last; i++) {
      const [p, q] = [position.get(vertices[i])!, position.get(vertices[i + 1])!];
      expect(along[i + 1] - along[i]).toBeCloseTo(Math.hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]), 9);
      expect(arcEdges.has(key(vertices[i], vertices[i + 1]))).toBe(false);
      arcEdges.set(key(vertices[i], vertices[i + 1]), number);
    }
  });
  const used = new Set<number>();
  const chartOf = new Map(given.flatMap((triangles, i) => [...triangles].map((t): [number, number] => [t, i])));
  charts.forEach(({ triangles, vertices, corners, boundary, sides }, number) => {
    expect([...triangles]).toEqual([...given[number]].sort((s, t) => s - t));
    corners.forEach((local, c) => {
      expect(vertices[local]).toBe(mesh.vertex[mesh.triangles[3 * triangles[Math.floor(c / 3)] + (c % 3)]]);
    });
    // The boundary is the chart's half-edges without a partner among its local ones, each once and in their direction.
    const local = new Set<string>();
    for (let c = 0; c < corners.length; c++) {
      const edge = `${corners[c]} ${corners[c % 3 === 2 ? c - 2 : c + 1]}`;
      expect(local.has(edge)).toBe(false);
      local.add(edge);
    }
    const open = [...local].filter((edge) => !local.has(edge.split(' ').reverse().join(' ')));
    const n = boundary.length;
    expect([...boundary].map((v, i) => `${v} ${boundary[(i + 1) % n]}`).sort()).toEqual(open.sort());
    expect(new Set(boundary).size).toBe(n);
    expect(vertices.length - (corners.length + n) / 2 + triangles.length).toBe(1);
    // Half-edges of the mesh whose other side is not in the chart are as many.
    const cut = [...triangles]
      .flatMap((t) => [3 * t, 3 * t + 1, 3 * t + 2])
      .filter((h) => {
        const g = mesh.twin[h];
        return g < 0 || chartOf.get(Math.floor(g / 3)) !== number;
      });
    expect(cut.length).toBe(n);
    // Sides are whole arcs, one after the other.
    expect(sides[0].first).toBe(0);
    sides.forEach(({ arc, reversed, first }, i) => {
      used.add(arc);
      const end = i + 1 < sides.length ? sides[i + 1].first : n;
      const run = Array.from({ length: end - first + 1 }, (_, k) => vertices[boundary[(first + k) % n]]);
      expect(reversed ? run.reverse() : run).toEqual([...arcs[arc].vertices]);
    });
  });
  expect(used.size).toBe(arcs.length);
  expect(charts.reduce((sum, { boundary }) => sum + boundary.length, 0)).toBeGreaterThanOrEqual(arcEdges.size);
}

const shapes: [string, () => Surface][] = [
  ['torus', () => torus(24, 12)],
  ['Moebius strip', moebiusStrip],
  [
    'three sheets',
    () =>
      together(
        ...[0, 1, 2].map((k) =>
          mapped(
            grid(5),
            (x, y) =>
              [
                [x, y, 0],
                [-x, y, 0],
                [0, y, x],
              ][k] as [number, number, number],
          ),
        ),
      ),
  ],
  ['bow-tie', bowTie],
  ['finned box', () => finnedBox(3)],
  ['open cylinder', () => openCylinder(24, 6)],
  ['cube', box],
  ['grid', () => grid(8)],
  ['loose triangles', () => apart(grid(3))],
  ['bumpy sphere', () => bumpySphere(2, long ? 3 : 2)],
  ...some<[string, () => Surface]>(0, [
    ['bunny', () => readObj(readFileSync(new URL('../../../../assets/bunny.obj', import.meta.url)))],
  ]),
  ...some(2, [1, 2, 3, 4, 5, 6, 7, 8]).map((seed): [string, () => Surface] => [
    `tangle, seed ${seed}`,
    () => tangle(seed),
  ]),
];

test.each(shapes)(
  '%s: arcs and sides fit, whatever the charts, and are the same twice',
  { tags: ['all', 'long'] },
  (_, make) => {
    const mesh = manifold(make());
    const charts = disksOf(mesh);
    const layout = layCharts(mesh, charts);
    demandConsistent(mesh, charts, layout);
    expect(layCharts(mesh, charts)).toEqual(layout);
    const finer = charts.flatMap((chart) => (chart.length > 1 ? bisect(mesh, chart) : [chart]));
    const finest = finer.flatMap((chart) => (chart.length > 1 ? bisect(mesh, chart) : [chart]));
    demandConsistent(mesh, finest, layCharts(mesh, finest));
    const single = Array.from({ length: mesh.triangles.length / 3 }, (_, t) => Int32Array.of(t));
    demandConsistent(mesh, single, layCharts(mesh, single));
  },
);

describe('layCharts', () => {
  it('hits the corners of a rim, and no more', () => {
    const { arcs, charts } = layCharts(manifold(grid(8)), disksOf(manifold(grid(8))));
    expect(arcs.map(({ length }) => length)).toEqual([1, 1, 1, 1]);
    expect(charts[0].sides.length).toBe(4);
  });

  it('leaves a round rim in one arc, from its lowest vertex', () => {
    const disk = grid(1);
    const n = 64;
    const positions = Float64Array.from({ length: 3 * n }, (_, k) =>
      [Math.cos, Math.sin, () => 0][k % 3]((2 * Math.PI * Math.floor(k / 3)) / n),
    );
    const triangles = Uint32Array.from({ length: 3 * (n - 2) }, (_, c) =>
      c % 3 === 0 ? 0 : Math.floor(c / 3) + (c % 3),
    );
    const mesh = manifold({ ...disk, positions, triangles });
    const { arcs, charts } = layCharts(mesh, disksOf(mesh));
    expect(arcs.length).toBe(1);
    expect([...arcs[0].vertices]).toEqual([...Array(n).keys(), 0]);
    expect(charts[0].sides).toEqual([{ arc: 0, reversed: false, first: 0 }]);
  });

  it('keeps junctions at the corners of a jagged rim apart', () => {
    const n = 400;
    const saw = mapped(grid(n, 1), (x, y) => [x, y === 0 ? 0 : 0.1 + 0.01 * (Math.round(x * n) % 2), 0]);
    const mesh = manifold(saw);
    const { arcs } = layCharts(mesh, disksOf(mesh));
    expect(arcs.length).toBeGreaterThan(4);
    expect(arcs.length).toBeLessThanOrEqual(32);
  });

  it('gives a single triangle three arcs', () => {
    const { arcs, charts } = layCharts(manifold(apart(grid(1))), [Int32Array.of(0)]);
    expect(arcs.map(({ vertices }) => [...vertices])).toEqual([
      [0, 1],
      [0, 2],
      [1, 2],
    ]);
    expect(charts[0].sides.map(({ arc, reversed }) => [arc, reversed])).toEqual([
      [0, false],
      [2, false],
      [1, true],
    ]);
  });

  it('refuses what is no disk', () => {
    const mesh = manifold(torus());
    expect(() => layCharts(mesh, [components(mesh)[0].triangles])).toThrow(RangeError);
    const ring = manifold(openCylinder());
    expect(() => layCharts(ring, [components(ring)[0].triangles])).toThrow(RangeError);
    const two = manifold(apart(grid(1)));
    expect(() => layCharts(two, [Int32Array.of(0, 1)])).toThrow(RangeError);
  });
});

test('a small part of a mesh is laid as in a mesh that has little else', () => {
  const small = finnedBox();
  const alone = manifold(small);
  const away = mapped(bumpySphere(1, 4), (x, y, z) => [x + 10, y, z]);
  const among = manifold(together(small, away));
  const disks = disksOf(alone);
  for (const charts of [disks, ...disks.map((disk) => [disk])]) {
    const part = layCharts(among, charts);
    // Of at least a quarter of the triangles the whole mesh is looked through.
    const rest = components(among).slice(components(alone).length);
    const whole = layCharts(among, [...charts, ...rest.flatMap(({ triangles }) => cutIntoDisks(among, triangles))]);
    expect(part.charts.map(({ sides: _, ...chart }) => chart)).toEqual(
      whole.charts.slice(0, charts.length).map(({ sides: _, ...chart }) => chart),
    );
    expect(part.charts.map(({ sides }) => sides.map((side) => ({ ...side, arc: part.arcs[side.arc] })))).toEqual(
      whole.charts
        .slice(0, charts.length)
        .map(({ sides }) => sides.map((side) => ({ ...side, arc: whole.arcs[side.arc] }))),
    );
  }
});
