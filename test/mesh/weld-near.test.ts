/** Welded points against all pairs. */
import { describe, expect, test } from 'vitest';
import { build, check, lint, read, write } from '../../src/index.ts';
import { PairNumbers, weldMesh, weldNear } from '../../src/mesh/weld.ts';
import { long } from '../support/long.ts';
import { type Random, seeded } from '../support/random.ts';

test.each(long ? [1, 2, 3, 4, 5, 6] : [1])(
  'what rounding parts is one, what is apart is not, seed %i',
  { tags: ['quick', 'long'] },
  (seed) => {
    const random = seeded(seed);
    const tolerance = 2 ** -20;
    // On a lattice of cells' sides, where the most neighbours must be looked at, and beside it.
    const places = Array.from({ length: 300 }, () =>
      [0, 1, 2].map(() => Math.floor(random.between(-3, 4)) * 64 * tolerance + random.pick([0, 0, 40, 10]) * tolerance),
    );
    const points = places.flat().map((x) => x + random.between(-0.25, 0.25) * tolerance);
    const { of, first } = weldNear(Float64Array.from(points), places.length, tolerance);
    const known = new Map<string, number>();
    for (const [p, place] of places.entries()) {
      const name = String(place);
      if (!known.has(name)) {
        expect(first[known.size]).toBe(p);
        known.set(name, known.size);
      }
      expect(of[p]).toBe(known.get(name));
    }
    expect(first.length).toBe(known.size);
  },
);

test('0 and -0 are one place', () => {
  expect([...weldNear(Float64Array.of(0, 0, 0, -0, 0, -0), 2, 1e-9).of]).toEqual([0, 0]);
});

test('a pair has one number, whichever way round', () => {
  const numbers = new PairNumbers(3);
  expect([numbers.of(5, 2), numbers.of(2, 5), numbers.of(2, 2), numbers.of(0, 5), numbers.of(5, 0)]).toEqual([
    0, 0, 1, 2, 2,
  ]);
  expect([...numbers.low.subarray(0, 3), ...numbers.high.subarray(0, 3)]).toEqual([2, 2, 0, 5, 2, 5]);
});

/** A box whose faces have corners of their own, each off by up to `most` along each axis. */
function looseBox(random: Random, most: number): { positions: Float64Array; triangles: Uint32Array } {
  const corners = Array.from({ length: 8 }, (_, k) => [k & 1, (k >> 1) & 1, k >> 2]);
  const faces = [
    [0, 2, 3, 1],
    [4, 5, 7, 6],
    [0, 1, 5, 4],
    [1, 3, 7, 5],
    [3, 2, 6, 7],
    [2, 0, 4, 6],
  ];
  const positions = faces.flat().flatMap((k) => corners[k].map((x) => x + random.between(-most, most)));
  const triangles = faces.flatMap((_, f) => [0, 1, 2, 0, 2, 3].map((k) => 4 * f + k));
  return { positions: Float64Array.from(positions), triangles: Uint32Array.from(triangles) };
}

test.each(long ? [1, 2, 3, 4, 5, 6] : [1, 2])(
  'joined vertices: as all pairs say, none moved too far, seed %i',
  { tags: ['quick', 'long'] },
  (seed) => {
    const random = seeded(seed);
    const positions = Float64Array.from({ length: 3 * 200 }, () => random.between(0, 1));
    const triangles = Uint32Array.from({ length: 3 * 150 }, () => random.below(200));
    const distance = 0.08;
    const { mesh, moved, joined } = weldMesh({ positions, triangles }, distance);
    // The first vertex in the order of the corners within the distance that was not joined itself.
    const kept: number[] = [];
    const goesTo = new Map<number, number>();
    const far = (a: number, b: number): number =>
      Math.sqrt([0, 1, 2].reduce((sum, k) => sum + (positions[3 * a + k] - positions[3 * b + k]) ** 2, 0));
    for (const v of triangles) {
      if (goesTo.has(v)) continue;
      const near = kept.filter((k) => far(k, v) < distance);
      if (near.length === 0) kept.push(v);
      goesTo.set(v, near.length === 0 ? v : -1);
    }
    expect(mesh.positions.length / 3).toBe(kept.length);
    expect(joined).toBe([...goesTo.values()].filter((to) => to < 0).length);
    let most = 0;
    for (const [c, vertex] of mesh.triangles.entries()) {
      const at = mesh.positions.subarray(3 * vertex, 3 * vertex + 3);
      const own = positions.subarray(3 * triangles[c], 3 * triangles[c] + 3);
      most = Math.max(most, Math.sqrt(at.reduce((sum, x, k) => sum + (x - own[k]) ** 2, 0)));
    }
    expect(moved).toBeGreaterThanOrEqual(most);
    expect(moved).toBeLessThanOrEqual(most * (1 + 1e-12));
    expect(most).toBeLessThan(distance);
  },
);

test('joined vertices: triangles keep their numbers, and collapsed ones are counted', () => {
  const surface = {
    positions: Float64Array.of(0, 0, 0, 0.5, 0, 0, 5, 0, 0, 5, 5, 0),
    triangles: Uint32Array.of(0, 2, 3, 0, 1, 3),
  };
  const { mesh, collapsed, joined } = weldMesh(surface, 1);
  expect([Array.from(mesh.triangles), collapsed, joined]).toEqual([[0, 1, 2, 0, 0, 2], 1, 1]);
  expect(weldMesh(surface, 0.5)).toMatchObject({ mesh: surface, moved: 0, joined: 0, collapsed: 0 });
});

test.each([1e-3, 1e-6, 1e-9])('a box that is open by %d: lint says the distance, which closes it, seed 7', (most) => {
  const box = looseBox(seeded(7), most);
  const { message } = lint(box).findings.find(({ rule }) => rule === 'open-edge')!;
  const distance = Number(/, all within \S+: --weld (\S+) closes them$/.exec(message)?.[1]);
  expect(distance).toBeLessThanOrEqual(4 * most);
  expect(lint(box, { weld: distance }).summary).toMatchObject({ errors: 0, counts: {} });
  // Half of it is too little.
  expect(lint(box, { weld: distance / 2 }).summary.counts['open-edge']).toBeGreaterThan(0);
});

test.each(long ? [11, 12, 13, 14, 15, 16] : [11, 12])(
  'objects with gaps of many widths: the one distance of lint closes what it says, and spares the rest, seed %i',
  { tags: ['quick', 'long'] },
  (seed) => {
    const random = seeded(seed);
    const boxes = Array.from({ length: 4 }, () => looseBox(random, 10 ** -random.between(2, 9)));
    const mesh = {
      positions: Float64Array.from(boxes.flatMap(({ positions }, i) => Array.from(positions, (x) => x + 3 * i))),
      triangles: Uint32Array.from(boxes.flatMap(({ triangles }, i) => Array.from(triangles, (v) => v + 24 * i))),
      groups: boxes.map((_, i) => ({ kind: 'object' as const, name: `box ${i}`, first: 12 * i, count: 12 })),
    };
    const open = lint(mesh).findings.filter(({ rule }) => rule === 'open-edge');
    const distances = new Set(open.flatMap(({ weld }) => weld?.distance ?? []));
    expect(distances.size).toBe(1);
    const [distance] = distances;
    for (const { weld, message } of open) {
      expect(message.includes(`--weld ${distance} closes`)).toBe(weld !== undefined);
      if (weld) expect(weld.gap).toBeLessThan(distance);
    }
    const after = lint(mesh, { weld: distance }).findings;
    const closed = new Set(open.filter(({ weld }) => weld).map(({ element }) => element));
    expect(after.filter(({ rule, element }) => rule === 'open-edge' && closed.has(element))).toEqual([]);
    expect(after.filter(({ rule }) => rule === 'degenerate-face')).toEqual([]);
  },
);

test('a hole is none, and the seam beside it is', () => {
  const box = looseBox(seeded(8), 1e-4);
  const messages = lint({ ...box, triangles: box.triangles.subarray(0, 30) }).findings.filter(
    ({ rule }) => rule === 'open-edge',
  );
  expect(messages.some(({ message }) => message.includes('--weld'))).toBe(true);
  expect(messages.some(({ message }) => !message.includes('--weld'))).toBe(true);
});

describe.each(['obb', 'kdop', 'voxel', 'gi'] as const)('an asset of joined vertices: %s', (format) => {
  const box = looseBox(seeded(9), 1e-4);
  const own = format === 'voxel' ? { precision: 0.1 } : format === 'gi' ? { size: 17 } : {};
  const make = (weld?: number) =>
    build({ ...box, groups: [] }, { format, ...own, ...(weld && { weld }) } as { format: 'obb' });
  const inner = build(
    { positions: Float64Array.of(2, 0, 0, 3, 0, 0, 2, 1, 0), triangles: Uint32Array.of(0, 1, 2), groups: [] },
    { format: 'obb' },
  );

  test('records by how far, beside its own tolerance; so does its file', async () => {
    const asset = make(0.01);
    const { welded, weld } = asset.header.options;
    expect([weld, Number(welded) > 0 && Number(welded) < 4e-4]).toEqual([0.01, true]);
    const found = (await read(await write(asset))).asset;
    const { tolerance } = check(found, inner);
    // The k-DOP and OBB trees have no other.
    if (format === 'obb' || format === 'kdop') expect(tolerance!.missing).toBeCloseTo(Number(welded), 12);
    expect(tolerance!.missing).toBeGreaterThanOrEqual(Number(welded));
    expect(tolerance!.excess).toBeGreaterThanOrEqual(Number(welded));
  });

  test('about its source: clear beyond that, and no contact', () => {
    const asset = make(0.01);
    expect(check(asset, inner, { source: true }).verdict).toBe('clear');
    const touching = check(asset, asset, { source: true });
    expect(touching.verdict).toBe('undecided');
  });

  test('without seams that close nothing is recorded but the wish', () => {
    const asset = make(1e-12);
    expect(asset.header.options).toMatchObject({ weld: 1e-12, welded: 0 });
  });
});

test.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY, '1'])('weld: %s is refused', (weld) => {
  const mesh = {
    positions: Float64Array.of(0, 0, 0, 1, 0, 0, 0, 1, 0),
    triangles: Uint32Array.of(0, 1, 2),
    groups: [],
  };
  expect(() => build(mesh, { format: 'obb', weld: weld as number })).toThrow(/^weld: expected a length above 0/);
  expect(() => lint(mesh, { weld: weld as number })).toThrow(/weld/);
});
