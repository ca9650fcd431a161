/** Self-contacts against clipping in whole numbers, on grids where every coincidence occurs; what must not take a square of time. */
import { describe, expect, test } from 'vitest';
import { trianglesIntersectAt } from '../../src/geometry/triangle-triangle.ts';
import { selfContacts } from '../../src/mesh/self-contacts.ts';
import type { Surface } from '../../src/mesh/topology.ts';
import { long } from '../support/long.ts';
import { seeded } from '../support/random.ts';
import { box, bumpySphere, icosphere, soup, torus } from '../support/shapes.ts';
import { type Corner, hasArea, sharedPoints } from '../support/shared-points.ts';

const contactsOf = (surface: Surface): string[] => {
  const found: string[] = [];
  expect(selfContacts(surface, (t, u, contact) => void found.push(`${t} ${u} ${contact}`))).toBe(true);
  return found.sort();
};

/** All pairs, by the oracle. */
function contactsByClipping({ positions, triangles }: Surface): string[] {
  const cornersOf = (t: number): Corner[] =>
    [0, 1, 2].map((k) => Array.from(positions.subarray(3 * triangles[3 * t + k]).subarray(0, 3)) as never);
  const all = Array.from({ length: triangles.length / 3 }, (_, t) => cornersOf(t));
  const keyOf = (t: Corner[]): string =>
    t
      .map((c) => c.map((x) => x + 0).join())
      .sort()
      .join(' ');
  const keys = all.map(keyOf);
  const takesPart = all.map((t, i) => hasArea(t) && keys.indexOf(keys[i]) === i);
  const found: string[] = [];
  for (let t = 0; t < all.length; t++)
    for (let u = t + 1; u < all.length; u++) {
      if (!takesPart[t] || !takesPart[u]) continue;
      const shared = all[t].filter((c) => all[u].some((d) => c.every((x, k) => x === d[k]))).length;
      const points = sharedPoints(all[t], all[u]);
      if (points !== 'apart') found.push(`${t} ${u} ${shared === 2 ? 'fold' : points}`);
    }
  return found.sort();
}

/** Triangles on few points of a small grid: these share vertices, edges and planes. */
function onGrid(seed: number): Surface {
  const random = seeded(seed);
  const size = [2, 3, 5, 9][seed % 4];
  const flat = seed % 5 === 0;
  const count = 4 + random.below(40);
  const positions = Float64Array.from({ length: 3 * count }, (_, i) =>
    flat && i % 3 === 2 ? 0 : random.below(size) - (size >> 1),
  );
  const triangles = Uint32Array.from({ length: 3 * (2 + random.below(60)) }, () => random.below(count));
  return { positions, triangles };
}

test.each(Array.from({ length: long ? 200 : 40 }, (_, seed) => seed))(
  'on a grid, seed %i',
  { tags: ['all', 'long'] },
  (seed) => {
    const surface = onGrid(seed);
    expect(contactsOf(surface)).toEqual(contactsByClipping(surface));
  },
);

test('of many triangles strewn in space, as all pairs have it, seed 7', () => {
  const random = seeded(7);
  const count = 1500;
  const middles = Array.from({ length: count }, () => [0, 1, 2].map(() => random.between(-1, 1)));
  const positions = Float64Array.from({ length: 9 * count }, (_, i) => {
    const size = 0.3 * random.next() ** 3;
    return middles[Math.floor(i / 9)][i % 3] + random.between(-size, size);
  });
  const expected: string[] = [];
  for (let t = 0; t < count; t++)
    for (let u = t + 1; u < count; u++)
      if (trianglesIntersectAt(positions, 9 * t, positions, 9 * u)) expected.push(`${t} ${u} cross`);
  expect(expected.length).toBeGreaterThan(100);
  expect(contactsOf({ positions, triangles: Uint32Array.from({ length: 3 * count }, (_, c) => c) })).toEqual(
    expected.sort(),
  );
});

/** Triangles round one vertex, more than are compared two by two, some of them at one edge. */
function star(seed: number): Surface {
  const random = seeded(seed);
  const count = 40;
  const positions = Float64Array.from({ length: 3 * count }, () => random.below(9) - 4);
  const triangles = Uint32Array.from({ length: 3 * 60 }, (_, c) =>
    c % 3 === 0 ? 0 : c % 3 === 1 && c > 90 ? 1 : random.below(count),
  );
  return { positions, triangles };
}

test.each(Array.from({ length: long ? 67 : 12 }, (_, seed) => seed))(
  'round one vertex, seed %i',
  { tags: ['all', 'long'] },
  (seed) => {
    const surface = star(seed);
    const expected = contactsByClipping(surface);
    expect(contactsOf(surface)).toEqual(expected);
    // Sizes at which lengths overflow, or underflow, change nothing.
    for (const scale of [2 ** 1000, 2 ** -1060])
      expect(contactsOf({ ...surface, positions: surface.positions.map((x) => x * scale) })).toEqual(expected);
  },
);

describe.each([
  ['box', box()],
  ['ball', icosphere(2)],
  ['bumpy ball', bumpySphere(1, 2)],
  ['torus', torus(10, 6)],
])('%s', (_, mesh) => {
  test('does not meet itself, by indices and as a soup', () => {
    for (const surface of [mesh, soup(mesh)]) expect(contactsOf(surface)).toEqual([]);
  });

  test('and itself moved do', () => {
    const moved = mesh.positions.map((x, i) => x + [0.3, 0.2, 0.1][i % 3]);
    const both = {
      positions: Float64Array.of(...mesh.positions, ...moved),
      triangles: Uint32Array.of(...mesh.triangles, ...mesh.triangles.map((v) => v + mesh.positions.length / 3)),
    };
    expect(contactsOf(both).length).toBeGreaterThan(10);
    let met = 0;
    expect(selfContacts(both, () => ++met === 3)).toBe(false);
    expect(met).toBe(3);
  });
});

test('whoever is told of a pair may search, too', () => {
  const [outer, inner] = [onGrid(7), onGrid(9)];
  const found: string[] = [];
  selfContacts(outer, (t, u, contact) => {
    selfContacts(inner, () => {});
    found.push(`${t} ${u} ${contact}`);
  });
  expect(found.length).toBeGreaterThan(0);
  expect(found.sort()).toEqual(contactsOf(outer));
});

describe('many at one place', () => {
  const MANY = 100_000;

  test('a fan of triangles round one vertex', { tags: ['all'] }, () => {
    const random = seeded(1);
    const positions = new Float64Array(3 * (MANY + 1));
    for (let i = 0; i < MANY; i++) {
      const angle = (2 * Math.PI * i) / MANY;
      const radius = random.between(0.5, 1);
      positions.set([radius * Math.cos(angle), radius * Math.sin(angle), random.between(-1e-6, 1e-6)], 3 + 3 * i);
    }
    const triangles = Uint32Array.from({ length: 3 * MANY }, (_, c) =>
      c % 3 === 0 ? 0 : 1 + ((Math.floor(c / 3) + (c % 3) - 1) % MANY),
    );
    expect(contactsOf({ positions, triangles })).toEqual([]);
  });

  test('a book of pages at one edge', { tags: ['all'] }, () => {
    const positions = new Float64Array(3 * (MANY + 2));
    positions[5] = 1;
    for (let i = 0; i < MANY; i++) {
      const angle = (2 * Math.PI * i) / MANY;
      positions.set([Math.cos(angle), Math.sin(angle), (i % 7) / 7], 6 + 3 * i);
    }
    const triangles = Uint32Array.from({ length: 3 * MANY }, (_, c) => (c % 3 < 2 ? c % 3 : 2 + Math.floor(c / 3)));
    expect(contactsOf({ positions, triangles })).toEqual([]);
  });

  test('one triangle again and again', () => {
    const positions = Float64Array.of(0, 0, 0, 1, 0, 0, 0, 1, 0);
    const triangles = Uint32Array.from({ length: 3 * MANY }, (_, c) => c % 3);
    expect(contactsOf({ positions, triangles })).toEqual([]);
  });
});
