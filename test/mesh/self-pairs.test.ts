/** The kernel's pairs against those of the tree's own search: the same meet, in the same order. */
import { expect, test } from 'vitest';
import { trianglesIntersectAt } from '../../src/geometry/triangle-triangle.ts';
import { selfContacts } from '../../src/mesh/self-contacts.ts';
import { forPairsByKernel } from '../../src/mesh/self-pairs.ts';
import type { Surface } from '../../src/mesh/topology.ts';
import { readTriangle } from '../../src/mesh/topology.ts';
import { TriangleTree } from '../../src/mesh/triangle-tree.ts';
import { long } from '../support/long.ts';
import { seeded } from '../support/random.ts';
import { bumpySphere, icosphere, together, torus } from '../support/shapes.ts';

type ForPairs = (onPair: (t: number, u: number) => boolean) => boolean | undefined;

function meeting({ positions, triangles }: Surface, forPairs: ForPairs): { pairs: string[]; asked: number } {
  const pairs: string[] = [];
  const [a, b] = [new Float64Array(9), new Float64Array(9)];
  let asked = 0;
  const isEnded = forPairs((t, u) => {
    asked++;
    readTriangle(positions, triangles, t, a);
    readTriangle(positions, triangles, u, b);
    if (trianglesIntersectAt(a, 0, b, 0)) pairs.push(`${t} ${u}`);
    return false;
  });
  expect(isEnded).toBe(false);
  return { pairs, asked };
}

function expectAgreement(surface: Surface): { pairs: number; asked: number; askedByTree: number } {
  const byKernel = meeting(surface, (onPair) => forPairsByKernel(surface, onPair));
  const byTree = meeting(surface, (onPair) => new TriangleTree(surface).forPairs(surface.triangles, onPair));
  expect(byKernel.pairs).toEqual(byTree.pairs);
  return { pairs: byKernel.pairs.length, asked: byKernel.asked, askedByTree: byTree.asked };
}

/** Triangles of all sizes that share vertices, on a grid, in a plane, or anywhere. */
function tangle(seed: number): Surface {
  const random = seeded(seed);
  const vertices = 600 + random.below(600);
  const cells = [4, 16, 0, 0][seed % 4];
  const isFlat = seed % 3 === 0;
  const middles = Float64Array.from({ length: 3 * vertices }, (_, i) => {
    const x = random.between(-1, 1) * (i % 3 === 2 && isFlat ? 0 : 1);
    return cells > 0 ? Math.round(x * cells) / cells : x;
  });
  const triangles = Uint32Array.from({ length: 3 * 1200 }, () => random.below(vertices));
  // Most of them near a corner, so that not all meet.
  for (let c = 0; c < triangles.length; c += 3) {
    const [p, near] = [triangles[c], 1 + random.below(8)];
    if (random.below(60) > 0) for (let k = 1; k < 3; k++) triangles[c + k] = (p + k * near) % vertices;
  }
  return { positions: middles.sort(), triangles };
}

test.each(Array.from({ length: long ? 60 : 4 }, (_, seed) => seed))(
  'tangles, seed %i',
  { tags: ['quick', 'long'] },
  (seed) => {
    const surface = tangle(seed);
    expect(expectAgreement(surface).pairs).toBeGreaterThan(20);
    const asked = askedAt(surface, 1);
    for (const scale of [2 ** -100, 2 ** 100]) expect(askedAt(surface, scale)).toEqual(asked);
    // Where the filter's products leave the doubles, it decides nothing.
    for (const scale of [2 ** -1000, 2 ** 1000]) {
      const all = new Set(askedAt(surface, scale));
      expect(asked.filter((pair) => !all.has(pair))).toEqual([]);
    }
  },
);

function askedAt(surface: Surface, scale: number): string[] {
  const asked: string[] = [];
  const scaled = { ...surface, positions: surface.positions.map((x) => x * scale) };
  expect(forPairsByKernel(scaled, (t, u) => asked.push(`${t} ${u}`) < 0)).toBe(false);
  return asked;
}

test('where products of the filter overflow in part, no pair that meets is left out', () => {
  const random = seeded(7);
  const middles = Float64Array.from({ length: 3000 }, () => random.between(-2, 2));
  const positions = Float64Array.from({ length: 9000 }, (_, i) => {
    return middles[3 * Math.floor(i / 9) + (i % 3)] + random.between(-1, 1);
  });
  const surface = { positions, triangles: Uint32Array.from({ length: 3000 }, (_, c) => c) };
  const { pairs } = meeting(surface, (onPair) => forPairsByKernel(surface, onPair));
  for (const exponent of [340, 341, 342, 343]) {
    const all = new Set(askedAt(surface, 2 ** exponent));
    expect(pairs.filter((pair) => !all.has(pair))).toEqual([]);
  }
});

test('far from the origin, and two bodies far apart', () => {
  const ball = bumpySphere(1, 4);
  const moved = (by: number): Surface => ({ ...ball, positions: ball.positions.map((x) => x + by) });
  expectAgreement(moved(1e9));
  for (const by of [0.1, 1e7]) expectAgreement(together(ball, torus(40, 20), moved(by)));
});

test('of a smooth body it leaves most pairs out', () => {
  const { pairs, asked, askedByTree } = expectAgreement(bumpySphere(2, 5));
  expect(pairs).toBe(0);
  expect(asked).toBeLessThan(askedByTree / 2);
});

test('it gives up where all of a mesh lies in a few of its cells, and all pairs are found once', () => {
  const body = together(icosphere(4), mapped(icosphere(4)));
  const far = Float64Array.of(1e15, 0, 0, 1e15, 1e15, 0, 1e15, 0, 1e15);
  const surface = {
    positions: Float64Array.of(...body.positions, ...far),
    triangles: Uint32Array.of(...body.triangles, ...[0, 1, 2].map((k) => body.positions.length / 3 + k)),
  };
  expect(forPairsByKernel(surface, () => false)).toBe(undefined);
  const found: string[] = [];
  expect(selfContacts(surface, (t, u) => void found.push(`${t} ${u}`))).toBe(true);
  const expected: string[] = [];
  expect(selfContacts(body, (t, u) => void expected.push(`${t} ${u}`))).toBe(true);
  expect(expected.length).toBeGreaterThan(100);
  expect(found.sort()).toEqual(expected.sort());
});

const mapped = (mesh: Surface): Surface => ({
  ...mesh,
  positions: mesh.positions.map((x, i) => x + (i % 3 === 0 ? 0.9 : 0)),
});

test('beyond the doubles, and of few triangles, it leaves the search to the tree', () => {
  const far = icosphere(4);
  expect(forPairsByKernel({ ...far, positions: far.positions.map((x) => x * 1.7e308) }, () => false)).toBe(undefined);
  expect(forPairsByKernel(icosphere(1), () => false)).toBe(undefined);
});

test('it may be ended, and whoever is told of a pair may search, too', () => {
  const surface = tangle(1);
  let met = 0;
  expect(forPairsByKernel(surface, () => ++met === 5)).toBe(true);
  expect(met).toBe(5);
  const expected = meeting(surface, (onPair) => forPairsByKernel(surface, onPair)).pairs;
  const other = tangle(2);
  let searches = 0;
  const found = meeting(surface, (onPair) =>
    forPairsByKernel(surface, (t, u) => {
      if (searches++ < 3) expect(forPairsByKernel(other, () => false)).toBe(false);
      return onPair(t, u);
    }),
  ).pairs;
  expect(found).toEqual(expected);
});
