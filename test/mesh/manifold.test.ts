/** Cutting leaves an oriented manifold, by an independent count, and changes nothing else. */
import { describe, expect, it, test } from 'vitest';
import { type CleanMesh, cleanMesh } from '../../src/mesh/clean.ts';
import { cutToManifold, describeCuts, type ManifoldMesh } from '../../src/mesh/manifold.ts';
import { OPEN } from '../../src/mesh/topology.ts';
import { seeded } from '../support/random.ts';
import {
  bowTie,
  box,
  finnedBox,
  grid,
  moebiusStrip,
  openCylinder,
  soup,
  tetrahedron,
  together,
  torus,
} from '../support/shapes.ts';
import { analyseTopology } from '../support/topology.ts';

/** A closed surface with one side only: a torus whose one way round is glued upside down. */
function kleinBottle(n = 12, m = 8): CleanMesh {
  const triangles: number[] = [];
  const vertex = (i: number, j: number) => (i < n ? i * m + (j % m) : (2 * m - j) % m);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < m; j++) {
      const [a, b, c, d] = [vertex(i, j), vertex(i + 1, j), vertex(i + 1, j + 1), vertex(i, j + 1)];
      triangles.push(a, b, c, a, c, d);
    }
  }
  // Where it is does not matter, as long as no two vertices are at one place.
  const positions = Float64Array.from({ length: 3 * n * m }, (_, k) => Math.sin(k * k + 1));
  return { positions, triangles: Uint32Array.from(triangles) };
}

/** Triangles on few vertices, so that edges have many and vertices several fans. */
function tangle(seed: number, vertices: number, count: number): CleanMesh {
  const random = seeded(seed);
  const positions = Float64Array.from({ length: 3 * vertices }, () => random.between(-1, 1));
  const triangles = Uint32Array.from({ length: 3 * count }, () => random.below(vertices));
  return cleanMesh({ positions, triangles, groups: [] }).mesh;
}

/** Everything the type promises, looked at without the code's own lists. */
function demandManifold(clean: CleanMesh, mesh: ManifoldMesh, turned: Uint32Array): void {
  const { triangles, twin, vertex, positions } = mesh;
  expect(triangles.length).toBe(clean.triangles.length);
  const isTurned = new Set(turned);
  for (let t = 0; t < triangles.length / 3; t++) {
    const [a, b, c] = clean.triangles.subarray(3 * t, 3 * t + 3);
    const expected = isTurned.has(t) ? [a, c, b] : [a, b, c];
    expect([0, 1, 2].map((k) => vertex[triangles[3 * t + k]])).toEqual(expected);
  }
  for (let v = 0; v < vertex.length; v++) {
    for (let k = 0; k < 3; k++) expect(positions[3 * v + k]).toBe(clean.positions[3 * vertex[v] + k]);
  }
  const next = (h: number) => (h % 3 === 2 ? h - 2 : h + 1);
  const parent = Array.from(triangles, (_, corner) => corner);
  const root = (corner: number): number => (parent[corner] === corner ? corner : root(parent[corner]));
  for (let h = 0; h < twin.length; h++) {
    if (twin[h] === OPEN) continue;
    expect(twin[twin[h]]).toBe(h);
    expect([triangles[twin[h]], triangles[next(twin[h])]]).toEqual([triangles[next(h)], triangles[h]]);
    parent[root(h)] = root(next(twin[h]));
    parent[root(next(h))] = root(twin[h]);
  }
  // One fan a vertex.
  const fans = new Map<number, number>();
  for (let corner = 0; corner < triangles.length; corner++) {
    const fan = fans.get(root(corner)) ?? triangles[corner];
    expect(fan).toBe(triangles[corner]);
    fans.set(root(corner), fan);
  }
  expect(fans.size).toBe(vertex.length);
  expect(new Set(fans.values()).size).toBe(vertex.length);
}

/** Half-edges that are open: those of open edges, of edges of three triangles or more, and two for each one-sided edge. */
function demandNoOtherCuts(clean: CleanMesh, mesh: ManifoldMesh, oneSidedEdges: number): void {
  const uses = new Map<string, number>();
  for (let h = 0; h < clean.triangles.length; h++) {
    const ends = [clean.triangles[h], clean.triangles[h % 3 === 2 ? h - 2 : h + 1]].sort((v, w) => v - w);
    uses.set(ends.join(), (uses.get(ends.join()) ?? 0) + 1);
  }
  const expected = [...uses.values()].reduce((sum, count) => sum + (count === 2 ? 0 : count), 2 * oneSidedEdges);
  expect(mesh.twin.filter((g) => g === OPEN).length).toBe(expected);
}

const nothing = { nonManifoldEdges: 0, splitVertices: 0, oneSidedEdges: 0 };

describe('cutToManifold', () => {
  it.each<[string, CleanMesh]>([
    ['torus', torus()],
    ['grid', grid(3)],
    ['open cylinder', openCylinder()],
    ['tetrahedron', tetrahedron()],
    ['loose triangles', soup(grid(3))],
    ['two pieces', together(box(), torus())],
    ['nothing', { positions: new Float64Array(0), triangles: new Uint32Array(0) }],
  ])('leaves what is a manifold as it is: %s', (_, clean) => {
    const { mesh, cuts, turned } = cutToManifold(clean);
    demandManifold(clean, mesh, turned);
    demandNoOtherCuts(clean, mesh, cuts.oneSidedEdges);
    expect(cuts).toEqual(nothing);
    expect(mesh.triangles).toEqual(clean.triangles);
    expect(turned.length).toBe(0);
    expect(describeCuts(cuts)).toBe(null);
  });

  it('gives both fans of a bow-tie a vertex', () => {
    const { mesh, cuts, turned } = cutToManifold(bowTie());
    demandManifold(bowTie(), mesh, turned);
    demandNoOtherCuts(bowTie(), mesh, cuts.oneSidedEdges);
    expect(cuts).toEqual({ ...nothing, splitVertices: 1 });
    expect(analyseTopology(mesh)).toMatchObject({ components: 2, closed: true, genus: 0 });
    expect(describeCuts(cuts)).toBe('split 1 vertex');
  });

  it('opens an edge of three triangles for all of them', () => {
    const { mesh, cuts, turned } = cutToManifold(finnedBox());
    demandManifold(finnedBox(), mesh, turned);
    demandNoOtherCuts(finnedBox(), mesh, cuts.oneSidedEdges);
    expect(cuts).toEqual({ ...nothing, nonManifoldEdges: 1, splitVertices: 2 });
    expect(describeCuts(cuts)).toBe('cut 1 edge of three triangles or more, split 2 vertices');
  });

  it('opens a Moebius strip to a band, and says what it turned', () => {
    const { mesh: clean } = cleanMesh(moebiusStrip());
    const { mesh, cuts, turned } = cutToManifold(clean);
    demandManifold(clean, mesh, turned);
    demandNoOtherCuts(clean, mesh, cuts.oneSidedEdges);
    expect(cuts.oneSidedEdges).toBeGreaterThan(0);
    expect(cuts.oneSidedEdges).toBeLessThan(clean.triangles.length / 6);
    expect(analyseTopology(mesh)).toMatchObject({ components: 1, genus: 0, boundaryLoops: 1 });
    expect(describeCuts(cuts)).toContain('one side only');
  });

  it('opens a Klein bottle', () => {
    const clean = kleinBottle();
    expect(analyseTopology(clean)).toMatchObject({ orientable: false, closed: true, eulerCharacteristic: 0 });
    const { mesh, cuts, turned } = cutToManifold(clean);
    demandManifold(clean, mesh, turned);
    demandNoOtherCuts(clean, mesh, cuts.oneSidedEdges);
    expect(cuts.oneSidedEdges).toBeGreaterThan(0);
    expect(analyseTopology(mesh)).toMatchObject({ components: 1, closed: false, orientable: true });
  });

  test.each([1, 2, 3, 4, 5, 6, 7, 8])('makes manifolds of tangles, the same twice; seed %i', (seed) => {
    const clean = tangle(seed, 5 + 4 * seed, 60);
    const { mesh, cuts, turned } = cutToManifold(clean);
    demandManifold(clean, mesh, turned);
    demandNoOtherCuts(clean, mesh, cuts.oneSidedEdges);
    expect(cuts.nonManifoldEdges).toBe(analyseTopology(clean).nonManifoldEdges);
    expect(cutToManifold(clean)).toEqual({ mesh, cuts, turned });
  });
});
