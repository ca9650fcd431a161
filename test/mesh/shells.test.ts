/** Shells, edges and signed volumes against a count by texts and rationals, on grids where every coincidence occurs. */
import { describe, expect, test } from 'vitest';
import { distinctTriangles } from '../../src/mesh/clean.ts';
import { measureSurface } from '../../src/mesh/measure.ts';
import { NON_MANIFOLD_EDGE, OPEN_EDGE, repeatsOf, shellsOf, UNBALANCED_EDGE } from '../../src/mesh/shells.ts';
import type { Surface } from '../../src/mesh/topology.ts';
import { shellVolumes } from '../../src/mesh/volumes.ts';
import { long } from '../support/long.ts';
import { seeded } from '../support/random.ts';
import { box, bumpySphere, soup, tetrahedron, torus } from '../support/shapes.ts';

interface Side {
  triangle: number;
  from: string;
  to: string;
}

/** Sides by the texts of their ends, without those from a point to itself. */
function sidesByText({ positions, triangles }: Surface): Side[] {
  const at = (c: number): string =>
    Array.from(positions.subarray(3 * triangles[c], 3 * triangles[c] + 3), (x) => x + 0).join(' ');
  return Array.from(triangles, (_, c) => ({
    triangle: Math.floor(c / 3),
    from: at(c),
    to: at(c % 3 === 2 ? c - 2 : c + 1),
  })).filter(({ from, to }) => from !== to);
}

/** The same by maps and sets: nothing of shells.ts. */
function byText(surface: Surface) {
  const edges = new Map<string, Side[]>();
  for (const side of sidesByText(surface)) {
    const key = [side.from, side.to].sort().join(' - ');
    edges.set(key, [...(edges.get(key) ?? []), side]);
  }
  const count = surface.triangles.length / 3;
  const shellOf = Array.from({ length: count }, (_, t) => t);
  for (let changed = true; changed; ) {
    changed = false;
    for (const sides of edges.values()) {
      const least = Math.min(...sides.map(({ triangle }) => shellOf[triangle]));
      for (const { triangle } of sides) {
        changed ||= shellOf[triangle] !== least;
        shellOf[triangle] = least;
      }
    }
  }
  const names = [...new Set(shellOf)];
  const degenerate = (t: number): boolean => sidesByText(surface).filter(({ triangle }) => triangle === t).length < 3;
  const surplus = (sides: Side[]): number =>
    sides.reduce((sum, { from }) => sum + (from === sides[0].from ? 1 : -1), 0);
  const unbalanced = [...edges.values()].filter((sides) => surplus(sides) !== 0);
  return {
    shellOf: shellOf.map((name) => names.indexOf(name)),
    count: names.length,
    openEdges: [...edges.values()].filter((sides) => sides.length % 2 === 1).length,
    unbalanced: unbalanced.length,
    nonManifoldEdges: [...edges.values()].filter(
      (sides) => sides.filter(({ triangle }) => !degenerate(triangle)).length > 2,
    ).length,
    bounds: unbalanced.length === 0,
    first:
      unbalanced.length === 0 ? null : unbalanced.map((sides) => sides[0]).sort((a, b) => a.triangle - b.triangle)[0],
    shellBounds: names.map((name) => Number(!unbalanced.some(([side]) => shellOf[side.triangle] === name))),
  };
}

/** Triangles on a grid of 3 x 3 x 2 points, stored several times and with zeros of both signs. */
function onGrid(seed: number): Surface {
  const random = seeded(seed);
  const positions = Float64Array.from({ length: 3 * 24 }, (_, i) => {
    const x = random.below(i % 3 === 2 ? 2 : 3) - 1;
    return x === 0 && random.below(2) === 0 ? -0 : x;
  });
  const triangles = Uint32Array.from({ length: 3 * (1 + random.below(30)) }, () => random.below(24));
  return { positions, triangles };
}

test.each(Array.from({ length: long ? 140 : 40 }, (_, seed) => seed))(
  'on a grid, seed %i',
  { tags: ['quick', 'long'] },
  (seed) => {
    const surface = onGrid(seed);
    const { first, shellBounds, ...expected } = byText(surface);
    const shells = shellsOf(surface);
    expect({ ...shells, shellOf: [...shells.shellOf] }).toMatchObject(expected);
    expect([...shells.shellBounds]).toEqual(shellBounds);
    expect(shells.firstUnbalanced?.triangle).toBe(first?.triangle);
    const countOf = (kind: number): number => shells.edgeKinds.filter((kinds) => (kinds & kind) !== 0).length;
    expect([OPEN_EDGE, UNBALANCED_EDGE, NON_MANIFOLD_EDGE].map(countOf)).toEqual([
      expected.openEdges,
      expected.unbalanced,
      expected.nonManifoldEdges,
    ]);
    expect(repeatsOf(shells)).toEqual(distinctTriangles(shells.corners).cleaned);
  },
);

test.each(Array.from({ length: long ? 100 : 20 }, (_, seed) => seed))(
  'repeats at crowded edges, seed %i',
  { tags: ['quick', 'long'] },
  (seed) => {
    const random = seeded(seed);
    const vertices = 4 + random.below(6);
    const positions = Float64Array.from({ length: 3 * vertices }, (_, i) => i);
    const triangles = Uint32Array.from({ length: 3 * (1 + random.below(80)) }, () => random.below(vertices));
    const shells = shellsOf({ positions, triangles });
    const { cleaned, duplicates, backFaces } = distinctTriangles(shells.corners);
    expect(repeatsOf(shells)).toEqual(cleaned);
    if (triangles.length > 150) expect(duplicates + backFaces).toBeGreaterThan(0);
  },
);

test('edges are the same where vertices of thousands of edges have the least numbers, and the highest', () => {
  const random = seeded(3);
  const count = 4000;
  const hubs = 3;
  const corners = Array.from({ length: 3 * count }, (_, c) =>
    c % 3 === 0 ? random.below(hubs) : hubs + random.below(900),
  );
  const surfaceOf = (number: (v: number) => number): Surface => {
    const positions = new Float64Array(3 * (hubs + 900));
    for (let v = 0; v < hubs + 900; v++) positions.set([v, v * v, 1], 3 * number(v));
    return { positions, triangles: Uint32Array.from(corners, number) };
  };
  const { corners: _, ...low } = shellsOf(surfaceOf((v) => v));
  const { corners: __, ...high } = shellsOf(surfaceOf((v) => (v < hubs ? 900 + v : v - hubs)));
  expect(low).toEqual(high);
  expect(low.nonManifoldEdges).toBeGreaterThan(500);
});

/** Six times the signed volume about the origin, exactly, of coordinates that are whole numbers of 2^-60. */
function sixVolumes({ positions, triangles }: Surface): bigint {
  const at = (c: number, k: number): bigint => BigInt(positions[3 * triangles[c] + k] * 2 ** 60);
  let sum = 0n;
  for (let c = 0; c < triangles.length; c += 3) {
    const [a, b, d] = [0, 1, 2].map((k) => [at(c + k, 0), at(c + k, 1), at(c + k, 2)]);
    sum += a[0] * (b[1] * d[2] - b[2] * d[1]) + a[1] * (b[2] * d[0] - b[0] * d[2]) + a[2] * (b[0] * d[1] - b[1] * d[0]);
  }
  return sum;
}

const turned = ({ positions, triangles }: Surface): Surface => ({ positions, triangles: triangles.toReversed() });

describe.each([
  ['box', box()],
  ['tetrahedron', tetrahedron()],
  ['bumpy ball', bumpySphere(1, 2)],
  ['torus', torus(10, 6)],
])('%s', (_, mesh) => {
  test('bounds a solid: its volume is within its bound, and changes its sign when it is turned', () => {
    for (const { surface, sign } of [
      { surface: mesh, sign: 1 },
      { surface: soup(mesh), sign: 1 },
      { surface: turned(mesh), sign: -1 },
    ]) {
      const grid = { ...surface, positions: surface.positions.map((x) => Math.round(x * 2 ** 40) / 2 ** 40) };
      const shells = shellsOf(grid);
      expect(shells).toMatchObject({ count: 1, bounds: true, firstUnbalanced: null });
      const { volumes, errors } = shellVolumes(grid, shells);
      const off = 6n * BigInt(volumes[0] * 2 ** 180) - sixVolumes(grid);
      expect(Math.abs(Number(off)) / 6 / 2 ** 180).toBeLessThanOrEqual(errors[0]);
      expect(Math.sign(volumes[0])).toBe(sign);
      expect(errors[0]).toBeLessThan(Math.abs(volumes[0]) * 1e-9);
      expect(measureSurface(grid).volume).toBe(volumes[0]);
    }
  });
});

test('a triangle turned over leaves no edge open, and three unbalanced', () => {
  const { positions, triangles } = box();
  triangles.set([triangles[4], triangles[3]], 3);
  const shells = shellsOf({ positions, triangles });
  expect(shells).toMatchObject({ openEdges: 0, unbalanced: 3, bounds: false, count: 1 });
  expect(shells.firstUnbalanced?.triangle).toBe(0);
  expect(measureSurface({ positions, triangles })).toMatchObject({ volume: null, openEdges: 0, unbalancedEdges: 3 });
});

test('boxes that share a corner are two shells, those that share an edge are one that bounds', () => {
  const moved = (x: number, y: number, z: number): Surface => {
    const { positions, triangles } = box();
    return { positions: positions.map((p, i) => p + [x, y, z][i % 3]), triangles };
  };
  const both = (a: Surface, b: Surface): Surface => ({
    positions: Float64Array.of(...a.positions, ...b.positions),
    triangles: Uint32Array.of(...a.triangles, ...b.triangles.map((v) => v + a.positions.length / 3)),
  });
  expect(shellsOf(both(box(), moved(1, 1, 1)))).toMatchObject({ count: 2, bounds: true, nonManifoldEdges: 0 });
  expect(shellsOf(both(box(), moved(1, 1, 0)))).toMatchObject({ count: 1, bounds: true, nonManifoldEdges: 1 });
  expect(shellsOf(both(box(), moved(0, 0, 0)))).toMatchObject({ count: 1, bounds: true, nonManifoldEdges: 18 });
  const open = { ...box(), triangles: box().triangles.subarray(3) };
  expect([...shellsOf(both(open, moved(3, 0, 0))).shellBounds]).toEqual([0, 1]);
});

test('no triangle, and coordinates whose volumes overflow', () => {
  const none = shellsOf({ positions: new Float64Array(0), triangles: new Uint32Array(0) });
  expect(none).toMatchObject({ count: 0, bounds: true, openEdges: 0, firstUnbalanced: null });
  const huge = box();
  huge.positions.forEach((x, i) => {
    huge.positions[i] = x * 1e300;
  });
  const { volumes, errors } = shellVolumes(huge, shellsOf(huge));
  expect(errors[0] < Math.abs(volumes[0])).toBe(false);
});
