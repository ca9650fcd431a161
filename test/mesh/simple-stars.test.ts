/** Stars that are proved to be simple, against clipping in whole numbers; and how many are. */
import { expect, test } from 'vitest';
import { shellsOf } from '../../src/mesh/shells.ts';
import { proveStars } from '../../src/mesh/simple-stars.ts';
import type { Surface } from '../../src/mesh/topology.ts';
import { long } from '../support/long.ts';
import { seeded } from '../support/random.ts';
import { bumpySphere, torus } from '../support/shapes.ts';
import { type Corner, hasArea, sharedPoints } from '../support/shared-points.ts';

/** Vertex 0 in a ring of others: all edges at it have two triangles that agree. */
function closedFan(ring: readonly Corner[]): Surface {
  return {
    positions: Float64Array.of(0, 0, 0, ...ring.flat()),
    triangles: Uint32Array.from({ length: 3 * ring.length }, (_, c) =>
      c % 3 === 0 ? 0 : 1 + ((Math.floor(c / 3) + (c % 3) - 1) % ring.length),
    ),
  };
}

function isProved({ positions, triangles }: Surface): boolean {
  const isOpen = new Uint8Array(positions.length / 3);
  proveStars(positions, triangles, isOpen);
  return isOpen[0] === 0;
}

function meetsItself({ positions, triangles }: Surface): boolean {
  const cornersOf = (t: number): Corner[] =>
    [0, 1, 2].map((k) => Array.from(positions.subarray(3 * triangles[3 * t + k]).subarray(0, 3)) as never);
  const all = Array.from({ length: triangles.length / 3 }, (_, t) => cornersOf(t));
  return all.some((t, i) => all.slice(0, i).some((u) => sharedPoints(t, u) !== 'apart'));
}

/** Rings of points on a small grid; every other one goes round an axis, at changing heights. */
function onGrid(seed: number): Surface {
  const random = seeded(seed);
  const size = [3, 5, 9][seed % 3];
  const ring = new Map<string, Corner>();
  const count = 3 + random.below(5);
  for (let tries = 0; ring.size < count && tries < 100; tries++) {
    const corner: Corner = [0, 1, 2].map(() => random.below(size) - (size >> 1)) as never;
    if (corner.some((x) => x !== 0)) ring.set(corner.join(), corner);
  }
  const corners = [...ring.values()];
  if (seed % 2 === 0) corners.sort((a, b) => Math.atan2(a[1], a[0]) - Math.atan2(b[1], b[0]));
  return closedFan(corners);
}

test.each(Array.from({ length: long ? 60 : 12 }, (_, seed) => seed))(
  'fans on a grid, seed %i',
  { tags: ['quick', 'long'] },
  (seed) => {
    let proved = 0;
    for (let i = 0; i < 200; i++) {
      const fan = onGrid(200 * seed + i);
      const { positions: p, triangles } = fan;
      const corners = Array.from(triangles, (v) => Array.from(p.subarray(3 * v, 3 * v + 3)) as never as Corner);
      if (!corners.every((_, c) => c % 3 > 0 || hasArea(corners.slice(c, c + 3)))) continue;
      if (!isProved(fan)) continue;
      proved++;
      expect(meetsItself(fan), `fan ${200 * seed + i}`).toBe(false);
    }
    expect(proved).toBeGreaterThan(5);
  },
);

test('a fan that goes round twice, or back, is not proved; flat, steep and tiny ones are', () => {
  const ring = (count: number, turns: number, height: (i: number) => number): Corner[] =>
    Array.from({ length: count }, (_, i) => {
      const angle = (2 * Math.PI * turns * (i + 0.3)) / count;
      return [Math.cos(angle), Math.sin(angle), height(i)];
    });
  expect(isProved(closedFan(ring(12, 1, () => 0)))).toBe(true);
  expect(isProved(closedFan(ring(12, 1, () => 5)))).toBe(true);
  expect(isProved(closedFan(ring(12, 2, (i) => i / 12)))).toBe(false);
  expect(isProved(closedFan(ring(700, 257, (i) => i / 700)))).toBe(false);
  expect(isProved(closedFan(ring(12, 1, (i) => (i % 2 === 0 ? 9 : -9))))).toBe(true);
  const back = ring(12, 1, () => 0);
  expect(isProved(closedFan(back.with(3, back[5]).with(5, back[3])))).toBe(false);
  // Axes, on which signs are exactly 0.
  const square: Corner[] = [
    [1, 0, 0],
    [0, 1, 0],
    [-1, 0, 0],
    [0, -1, 0],
  ];
  expect(isProved(closedFan(square))).toBe(true);
  for (const scale of [1e-60, 1e60])
    expect(isProved(closedFan(square.map((corner) => corner.map((x) => x * scale) as never as Corner)))).toBe(true);
  // Where products leave the doubles, nothing is proved.
  for (const scale of [1e-300, 1e-100, 1e100, 1e200])
    expect(isProved(closedFan(square.map((corner) => corner.map((x) => x * scale) as never as Corner)))).toBe(false);
});

test('nearly all stars of smooth surfaces are proved', () => {
  for (const mesh of [bumpySphere(1, 4), torus(40, 20)]) {
    const isOpen = new Uint8Array(mesh.positions.length / 3);
    proveStars(mesh.positions, shellsOf(mesh).corners, isOpen);
    expect(isOpen.filter((is) => is !== 0).length).toBeLessThan(isOpen.length / 20);
  }
});
