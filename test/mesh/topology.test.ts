import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Mesh } from '../../src/mesh/mesh.ts';
import {
  halfedges,
  NON_MANIFOLD,
  nextInTriangle,
  OPEN,
  orientConsistently,
  previousInTriangle,
  type Surface,
} from '../../src/mesh/topology.ts';
import { long } from '../support/long.ts';
import {
  bowTie,
  box,
  finnedBox,
  grid,
  icosphere,
  moebiusStrip,
  octasphere,
  openCylinder,
  signedVolume,
  soup,
  tetrahedron,
  together,
  torus,
  twoBoxes,
} from '../support/shapes.ts';
import { analyseTopology, type Topology } from '../support/topology.ts';

const seed = 20_261_121;

function meshOf(vertexCount: number, triangles: number[]): Mesh {
  return { positions: new Float64Array(3 * vertexCount), triangles: Uint32Array.from(triangles), groups: [] };
}

/** The icosahedron with opposite points made one: closed, with one side only. */
function projectivePlane(): Mesh {
  const { positions, triangles } = icosphere(0);
  const opposite = (v: number) =>
    [...Array(12).keys()].find((w) => [0, 1, 2].every((k) => positions[3 * v + k] === -positions[3 * w + k]))!;
  const seen = new Set<string>();
  const kept: number[] = [];
  for (let c = 0; c < triangles.length; c += 3) {
    const corners = [...triangles.subarray(c, c + 3)].map((v) => Math.min(v, opposite(v)));
    const key = [...corners].sort().join();
    if (!seen.has(key)) kept.push(...corners);
    seen.add(key);
  }
  return { positions, triangles: Uint32Array.from(kept), groups: [] };
}

const sound = { nonManifoldEdges: 0, nonManifoldVertices: 0, orientable: true, consistentlyOriented: true };
const closedSphere = { ...sound, components: 1, boundaryLoops: 0, boundaryEdges: 0, genus: 0, closed: true };

const shapes: [string, Surface, Partial<Topology>][] = [
  ['tetrahedron', tetrahedron(), { ...closedSphere, vertices: 4, edges: 6, triangles: 4, eulerCharacteristic: 2 }],
  ['box', box(), { ...closedSphere, vertices: 8, edges: 18, triangles: 12 }],
  ['octahedron sphere', octasphere(3), { ...closedSphere, vertices: 258, edges: 768, triangles: 512 }],
  ['icosphere', icosphere(2), { ...closedSphere, vertices: 162, edges: 480, triangles: 320 }],
  ['torus', torus(16, 8), { ...closedSphere, genus: 1, vertices: 128, edges: 384, eulerCharacteristic: 0 }],
  ['two boxes', twoBoxes(), { ...closedSphere, components: 2, eulerCharacteristic: 4 }],
  ['two tori and a box', together(torus(), torus(5, 4), box()), { ...closedSphere, components: 3, genus: 2 }],
  ['patch', grid(4, 3), { ...sound, components: 1, boundaryLoops: 1, boundaryEdges: 14, genus: 0, closed: false }],
  ['tube', openCylinder(12, 3), { ...sound, components: 1, boundaryLoops: 2, boundaryEdges: 24, genus: 0 }],
  [
    'torus without two triangles apart',
    { ...torus(), triangles: torus().triangles.filter((_, c) => c >= 3 && (c < 300 || c >= 303)) },
    { ...sound, components: 1, boundaryLoops: 2, boundaryEdges: 6, genus: 1, closed: false },
  ],
  [
    'Moebius strip',
    moebiusStrip(12),
    { components: 1, boundaryLoops: 1, boundaryEdges: 24, orientable: false, consistentlyOriented: false, genus: null },
  ],
  [
    'projective plane',
    projectivePlane(),
    { vertices: 6, edges: 15, triangles: 10, eulerCharacteristic: 1, closed: true, orientable: false, genus: null },
  ],
  [
    'bow tie',
    bowTie(),
    { vertices: 7, edges: 12, components: 1, nonManifoldVertices: 1, nonManifoldEdges: 0, closed: true, genus: null },
  ],
  [
    'two triangles at one vertex',
    meshOf(5, [0, 1, 2, 0, 3, 4]),
    { components: 1, boundaryEdges: 6, boundaryLoops: 2, nonManifoldVertices: 1 },
  ],
  [
    'box with a fin',
    finnedBox(1),
    { nonManifoldEdges: 1, nonManifoldVertices: 2, boundaryEdges: 2, boundaryLoops: 1, closed: false, genus: null },
  ],
  [
    'box with three fins',
    finnedBox(3),
    { nonManifoldEdges: 1, nonManifoldVertices: 2, boundaryEdges: 6, boundaryLoops: 3, orientable: true },
  ],
  ['soup', soup(box()), { vertices: 36, edges: 36, components: 12, boundaryLoops: 12, boundaryEdges: 36, genus: 0 }],
  ['unused vertices', meshOf(9, [2, 5, 7]), { vertices: 3, edges: 3, components: 1, boundaryLoops: 1 }],
  ['nothing', meshOf(0, []), { vertices: 0, edges: 0, components: 0, boundaryLoops: 0, closed: false, genus: 0 }],
];

describe('analyseTopology', () => {
  it.each(shapes)('%s', (_, mesh, expected) => {
    expect(analyseTopology(mesh)).toMatchObject(expected);
  });

  it(`agrees with a slow count on arbitrary complexes (seed ${seed})`, { tags: ['quick', 'long'] }, () => {
    fc.assert(
      fc.property(complexes(), (mesh) => {
        const { edges, boundaryEdges, nonManifoldEdges, nonManifoldVertices, components, boundaryLoops } =
          analyseTopology(mesh);
        expect({ edges, boundaryEdges, nonManifoldEdges, nonManifoldVertices, components, boundaryLoops }).toEqual(
          slowCount(mesh),
        );
      }),
      { seed, numRuns: long ? 1000 : 500 },
    );
  });

  it(`ends on any indices at all, repeated corners and copies among them (seed ${seed})`, {
    tags: ['quick', 'long'],
  }, () => {
    const anything = fc
      .array(fc.nat(5), { maxLength: 60 })
      .map((c) => meshOf(6, c.slice(0, c.length - (c.length % 3))));
    fc.assert(
      fc.property(anything, (mesh) => {
        const found = analyseTopology(mesh);
        expect(found.boundaryLoops).toBeLessThanOrEqual(found.boundaryEdges);
        orientConsistently(mesh.triangles);
      }),
      { seed, numRuns: long ? 1000 : 500 },
    );
  });

  const n = long ? 100_000 : 50_000;
  it(`is linear where all triangles share two vertices (a wheel of ${2 * n})`, { tags: ['all', 'long'] }, () => {
    const triangles = new Uint32Array(6 * n);
    for (let i = 0; i < n; i++) triangles.set([0, 2 + i, 2 + ((i + 1) % n), 1, 2 + ((i + 1) % n), 2 + i], 6 * i);
    const wheel = { positions: new Float64Array(3 * (n + 2)), triangles };
    expect(analyseTopology(wheel)).toMatchObject({ closed: true, edges: 3 * n, eulerCharacteristic: 2 });
  });
});

describe('halfedges', () => {
  it(`pairs the two half-edges of every ordinary edge and marks the others (seed ${seed})`, {
    tags: ['quick', 'long'],
  }, () => {
    fc.assert(
      fc.property(complexes(), ({ positions, triangles }) => {
        const twin = halfedges(triangles, positions.length / 3);
        const byEdge = edgeTable(triangles);
        for (const sides of byEdge.values()) {
          if (sides.length === 1) expect(twin[sides[0]]).toBe(OPEN);
          else if (sides.length === 2) expect([twin[sides[0]], twin[sides[1]]]).toEqual([sides[1], sides[0]]);
          else for (const h of sides) expect(twin[h]).toBe(NON_MANIFOLD);
        }
      }),
      { seed, numRuns: long ? 600 : 300 },
    );
  });

  it('runs from corner k to corner k + 1', () => {
    expect([...halfedges(Uint32Array.of(0, 1, 2, 1, 0, 3), 4)]).toEqual([3, -1, -1, 0, -1, -1]);
    expect([3, 4, 5].map(nextInTriangle)).toEqual([4, 5, 3]);
    expect([3, 4, 5].map(previousInTriangle)).toEqual([5, 3, 4]);
  });
});

describe('orientConsistently', () => {
  it(`turns back what was turned, up to half of it (seed ${seed})`, { tags: ['quick', 'long'] }, () => {
    const torusTriangles = torus().triangles;
    const count = torusTriangles.length / 3;
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(count - 1), { maxLength: count / 2 - 1 }), (some) => {
        const triangles = torusTriangles.slice();
        for (const t of some) turn(triangles, t);
        expect(orientConsistently(triangles)).toBe(some.length);
        expect(triangles).toEqual(torusTriangles);
      }),
      { seed, numRuns: long ? 80 : 40 },
    );
  });

  it(`leaves every orientable complex consistent, and changes nothing the second time (seed ${seed})`, {
    tags: ['quick', 'long'],
  }, () => {
    fc.assert(
      fc.property(complexes(), (mesh) => {
        orientConsistently(mesh.triangles);
        const found = analyseTopology(mesh);
        expect(found.consistentlyOriented).toBe(found.orientable);
        expect(orientConsistently(mesh.triangles)).toBe(0);
      }),
      { seed, numRuns: long ? 600 : 300 },
    );
  });

  it('treats pieces one by one and leaves an inside-out one alone', () => {
    const insideOut = box();
    for (let t = 0; t < 12; t++) turn(insideOut.triangles, t);
    const mesh = together(insideOut, torus(), moebiusStrip());
    const expected = mesh.triangles.slice();
    turn(mesh.triangles, 3);
    turn(mesh.triangles, 20);
    expect(orientConsistently(mesh.triangles)).toBe(2);
    expect(mesh.triangles).toEqual(expected);
    expect(signedVolume({ ...insideOut })).toBeCloseTo(-1, 12);
  });
});

function turn(triangles: Uint32Array, t: number): void {
  [triangles[3 * t + 1], triangles[3 * t + 2]] = [triangles[3 * t + 2], triangles[3 * t + 1]];
}

/** Some of the triangles on a few vertices, no two on the same three: edges and vertices of every kind. */
function complexes(): fc.Arbitrary<Mesh> {
  const corner = fc.nat(7);
  const triangle = fc.tuple(corner, corner, corner).filter(([i, j, k]) => i !== j && j !== k && k !== i);
  const selector = (t: number[]) => [...t].sort().join();
  return fc.uniqueArray(triangle, { selector, maxLength: 16 }).map((some) => meshOf(8, some.flat()));
}

function edgeTable(triangles: Uint32Array): Map<string, number[]> {
  const table = new Map<string, number[]>();
  triangles.forEach((v, h) => {
    const key = [v, triangles[nextInTriangle(h)]].sort().join();
    table.set(key, [...(table.get(key) ?? []), h]);
  });
  return table;
}

/** The definitions, word for word: sets of things, joined until nothing changes. */
function slowCount({ triangles }: Mesh) {
  const edges = [...edgeTable(triangles).values()];
  const open = edges.filter((sides) => sides.length === 1).map(([h]) => h);
  const corners = [...triangles.keys()];
  const cornersOfEdge = (h: number, v: number) => (triangles[h] === v ? h : nextInTriangle(h));
  const fanLinks: [number, number][] = edges
    .filter((sides) => sides.length === 2)
    .flatMap(([g, h]) =>
      [triangles[g], triangles[nextInTriangle(g)]].map((v): [number, number] => [
        cornersOfEdge(g, v),
        cornersOfEdge(h, v),
      ]),
    );
  const fans = joined(corners, fanLinks);
  const fansOf = (v: number) => fans.filter((fan) => triangles[fan[0]] === v).length;
  const vertices = [...new Set(triangles)];
  const rimLinks = fans.flatMap((fan) => {
    const ends = open.filter((h) => fan.includes(h) || fan.includes(nextInTriangle(h)));
    return ends.length === 2 ? [[ends[0], ends[1]] as [number, number]] : [];
  });
  const sides = corners.map((h): [number, number] => [triangles[h], triangles[nextInTriangle(h)]]);
  return {
    edges: edges.length,
    boundaryEdges: open.length,
    nonManifoldEdges: edges.filter((sides) => sides.length > 2).length,
    nonManifoldVertices: vertices.filter((v) => fansOf(v) > 1).length,
    components: joined(vertices, sides).length,
    boundaryLoops: joined(open, rimLinks).length,
  };
}

function joined(items: number[], links: [number, number][]): number[][] {
  let sets = items.map((item) => [item]);
  for (const [a, b] of links) {
    const [withA, withB] = [sets.find((s) => s.includes(a))!, sets.find((s) => s.includes(b))!];
    if (withA !== withB) sets = [...sets.filter((s) => s !== withA && s !== withB), [...withA, ...withB]];
  }
  return sets;
}
