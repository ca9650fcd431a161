/** How two solids lie, against sets of tetrahedra. */
import { expect, test } from 'vitest';
import { build, check } from '../../src/api.ts';
import { operandOf } from '../../src/engine/operand.ts';
import { traverse } from '../../src/engine/traverse.ts';
import { Random } from '../../src/math/numbers.ts';
import { identity, rotation, translation } from '../../src/math/pose.ts';
import type { Mesh } from '../../src/mesh/mesh.ts';
import { buildObbTree } from '../../src/representations/obb/make/index.ts';
import { areParted, classify } from '../../src/solid/classify.ts';
import { placeBody } from '../../src/solid/solid.ts';
import { some } from '../support/long.ts';
import { box, icosphere, together } from '../support/shapes.ts';
import {
  type GridPose,
  holds,
  type KuhnSolid,
  lieOf,
  ORDERS,
  poseOf,
  randomGridPose,
  randomSolid,
  surfaceOf,
} from './kuhn.ts';
import { retessellated, turnedOver } from './retessellate.ts';

/** A grid solid with something in it. */
function someSolid(random: Random, most: number): KuhnSolid {
  for (;;) {
    const solid = randomSolid(
      random,
      1 + (random.integer() % most),
      0.2 + 0.9 * random.unit(),
      random.integer() % 2 === 0,
    );
    if (solid.tetrahedra.size > 0) return solid;
  }
}

const seeds = Array.from({ length: 400 }, (_, k) => k + 1);

/** A point in a tetrahedron. */
function middleOf(tetrahedron: number, n: number): number[] {
  const cell = Math.floor(tetrahedron / 6);
  const point = [cell % n, Math.floor(cell / n) % n, Math.floor(cell / (n * n))];
  ORDERS[tetrahedron % 6].forEach((axis, k) => {
    point[axis] += [0.7, 0.5, 0.3][k];
  });
  return point;
}

/** How two lie, b moved, and what the sets say. */
function lies(a: Mesh, b: Mesh, sets: [KuhnSolid, KuhnSolid], pose: GridPose): { found: string; expected: string } {
  const [treeA, treeB] = [a, b].map((mesh) => buildObbTree(mesh));
  const poseA = identity();
  const poseB = poseOf(pose);
  const query = { poseA, poseB, all: true, maxContacts: Number.POSITIVE_INFINITY, level: null };
  const { contacts } = traverse(operandOf(treeA, poseA), operandOf(treeB, poseB), query);
  const placed = [placeBody(treeA, poseA), placeBody(treeB, poseB)] as const;
  const { lie, inner } = classify(...placed, contacts.pairs);
  const expected = lieOf(...sets, pose, contacts.count > 0);
  if (areParted(...placed, contacts.pairs)) expect(['touch', 'clear']).toContain(expected);
  return { found: inner ? `${lie} ${inner}` : lie, expected };
}

test.each(some(20, seeds))(
  'random solids on a grid lie as their sets say, seed %i',
  { tags: ['all', 'long'] },
  (seed) => {
    const random = new Random(seed);
    for (let n = 0; n < 20; n++) {
      const a = someSolid(random, 3);
      const b = random.integer() % 8 === 0 ? a : someSolid(random, 2);
      const pose = randomGridPose(random, random.integer() % 2);
      const { found, expected } = lies(surfaceOf(a), surfaceOf(b), [a, b], pose);
      expect(found, `case ${n}`).toBe(expected);
    }
  },
);

test.each(some(10, seeds))(
  'so do those of shells that overlap, in other triangles, seed %i',
  { tags: ['all', 'long'] },
  (seed) => {
    const random = new Random(seed);
    // All that any of the shells encloses.
    const someShells = (most: number): { solid: KuhnSolid; mesh: Mesh } => {
      const [p, q] = [someSolid(random, most), someSolid(random, most)];
      const n = Math.max(p.n, q.n);
      const within = (solid: KuhnSolid, k: number): boolean => holds(solid, middleOf(k, n));
      const tetrahedra = new Set(
        Array.from({ length: 6 * n ** 3 }, (_, k) => k).filter((k) => within(p, k) || within(q, k)),
      );
      const isOne = random.integer() % 3 === 0;
      const shells = isOne ? surfaceOf(p) : together(surfaceOf(p), surfaceOf(q));
      const mesh = retessellated(shells, random, random.integer() % 12);
      return { solid: isOne ? p : { n, tetrahedra }, mesh };
    };
    for (let n = 0; n < 8; n++) {
      const [a, b] = [someShells(2), someShells(2)];
      const pose = randomGridPose(random, random.integer() % 2);
      const { found, expected } = lies(a.mesh, b.mesh, [a.solid, b.solid], pose);
      expect(found, `case ${n}`).toBe(expected);
    }
  },
);

/** Cells of a grid of n^3, whole. */
const cells = (n: number, isIn: (x: number, y: number, z: number) => boolean): KuhnSolid => ({
  n,
  tetrahedra: new Set(
    Array.from({ length: 6 * n ** 3 }, (_, k) => k).filter((k) => {
      const cell = Math.floor(k / 6);
      return isIn(cell % n, Math.floor(cell / n) % n, Math.floor(cell / (n * n)));
    }),
  ),
});

test('a convex body that fills an opening, a cavity or a corner is told apart without a list of contacts', () => {
  const wall = cells(5, (x, y, z) => y === 2 && !(x > 0 && x < 3 && z > 1 && z < 4));
  const hollow = cells(3, (x, y, z) => x !== 1 || y !== 1 || z !== 1);
  const [window, cube] = [cells(2, (_, y) => y === 0), cells(1, () => true)];
  const parted = (a: KuhnSolid, b: KuhnSolid, ...by: [number, number, number]): boolean[] => {
    const [treeA, treeB] = [a, b].map((solid) => buildObbTree(surfaceOf(solid)));
    const [placedA, placedB] = [placeBody(treeA, identity()), placeBody(treeB, translation(...by))];
    return [areParted(placedA, placedB, []), areParted(placedB, placedA, [])];
  };
  expect(parted(wall, window, 1, 2, 2)).toEqual([true, true]);
  expect(parted(hollow, cube, 1, 1, 1)).toEqual([true, true]);
  expect(parted(hollow, cube, 3, 1, 1)).toEqual([true, true]);
  // In the wall's opening it is 2^-40 too high, and in the hollow's side.
  expect(parted(wall, window, 1, 2, 2 + 2 ** -40)).toEqual([false, false]);
  expect(parted(hollow, cube, 2, 1, 1)).toEqual([false, false]);
  expect(parted(wall, cube, 0, 2, 0)).toEqual([false, false]);
});

const alongX = (mesh: Mesh, by: number): Mesh => ({
  ...mesh,
  positions: mesh.positions.map((x, k) => (k % 3 === 0 ? x + by : x)),
});

test('a ball in its socket touches, with a pin it overlaps; with another part beside it it holds itself', {
  tags: ['long'],
}, () => {
  const ball = icosphere(2);
  const socket = together(box(4), turnedOver(ball));
  // From inside the ball out through its surface, not through the socket's.
  const pin = alongX(box(0.5), 0.9);
  const [a, b, c, d] = [ball, socket, together(ball, pin), together(ball, alongX(pin, 8))].map((m) => buildObbTree(m));
  expect(check(a, b, { solid: 'auto' }).class).toBe('touch');
  expect(check(b, a, { solid: 'auto' }).class).toBe('touch');
  expect(check(c, b, { solid: 'auto' }).class).toBe('overlap');
  expect(check(a, c, { solid: 'auto' })).toMatchObject({ class: 'inside', inner: 'a' });
  expect(check(d, a, { solid: 'auto' })).toMatchObject({ class: 'inside', inner: 'b' });
  const turn = { poseA: rotation(1, 2, 3, 40), poseB: rotation(1, 2, 3, 40), solid: 'auto' } as const;
  expect(check(a, b, turn).class).toBe('touch');
  expect(check(a, d, turn)).toMatchObject({ class: 'inside', inner: 'a' });
});

test('a body that rounding folds flat, so far out, encloses nothing: no class is told of it', () => {
  const cube = buildObbTree(surfaceOf(cells(1, () => true)));
  const far = translation(1e17, 0, 0);
  for (const poseB of [far, translation(1e17, 0.5, 0)]) {
    const found = check(cube, cube, { poseA: far, poseB, solid: 'auto' });
    expect([found.class, found.reason]).toEqual(['contact', expect.stringContaining('encloses nothing')]);
    expect(() => check(cube, cube, { poseA: far, poseB, solid: 'require' })).toThrow('encloses nothing');
  }
  // Not so far out it is a cube as ever.
  const near = translation(1e6, 0, 0);
  expect(check(cube, cube, { poseA: near, poseB: near, solid: 'auto' }).class).toBe('same');
});

/** Cuboids of one mesh, and triangles without area between points, each in both directions. */
function cuboids(boxes: number[][], needles: number[][][]): Mesh {
  const positions: number[] = [];
  const triangles: number[] = [];
  const numbers = new Map<string, number>();
  const add = (points: number[][]): void => {
    for (const point of points) {
      const known = numbers.get(`${point}`) ?? positions.length / 3;
      numbers.set(`${point}`, known);
      triangles.push(known);
      if (3 * known === positions.length) positions.push(...point);
    }
  };
  const FACES = ['0132', '4675', '0451', '2376', '0264', '1573'];
  for (const box of boxes) {
    const corner = (n: string): number[] => [0, 1, 2].map((k) => box[((Number(n) >> (2 - k)) & 1) * 3 + k]);
    for (const [p, q, r, s] of FACES.map((face) => [...face].map(corner))) add([p, q, r, p, r, s]);
  }
  for (const [p, q, r] of needles) add([p, q, r, p, r, q]);
  return { positions: Float64Array.from(positions), triangles: Uint32Array.from(triangles), groups: [] };
}

const along = (...xs: number[]): number[][] => xs.map((x) => [x, 0, 0]);

test('a shell that meets the other with triangles without area alone is looked at on both sides of them', () => {
  // Two boxes hang together over their edges on one line; a wall of c is between them.
  const chain = cuboids(
    [
      [0, 0, 0, 1, 1, 1],
      [4, 0, 0, 5, 1, 1],
    ],
    [along(0, 1, 4), along(1, 4, 5)],
  );
  const spiked = cuboids([[0, 0, 0, 1, 1, 1]], [along(0, 1, 3)]);
  const crate = cuboids([[3, -1, -1, 6, 2, 2]], []);
  const [a, s, c] = [chain, spiked, crate].map((mesh) => buildObbTree(mesh));
  expect(check(a, c, { solid: 'auto' })).toMatchObject({ class: 'overlap', closed: [true, true], reason: null });
  expect(check(c, a, { solid: 'auto' }).class).toBe('overlap');
  expect(check(s, c, { solid: 'auto' })).toMatchObject({ class: 'touch', reason: null });
  expect(check(c, s, { solid: 'auto' }).class).toBe('touch');
});

test('filled cubes touch with their upper faces too, though a verdict takes them for half-open', () => {
  const cube = build(cuboids([[0.25, 0.25, 0.25, 0.75, 0.75, 0.75]], []), {
    format: 'voxel',
    precision: 1,
    fill: true,
  });
  const box = build(cuboids([[0, 0, 0, 1, 1, 1]], []), { format: 'obb' });
  const large = build(cuboids([[-1, -1, -1, 1, 2, 2]], []), { format: 'obb' });
  for (const [x, y, z] of [
    [1, 0, 0],
    [-1, 0, 0],
    [1, 1, 0],
    [1, 1, 1],
  ]) {
    const asked = { poseB: translation(x, y, z), solid: 'auto' } as const;
    for (const [a, b] of [
      [cube, box],
      [box, cube],
      [cube, cube],
    ])
      expect(check(a, b, asked), `${x} ${y} ${z}`).toMatchObject({ class: 'touch', thickness: { lower: 0, upper: 0 } });
  }
  expect(check(cube, large, { solid: 'auto' })).toMatchObject({ class: 'inside', inner: 'a' });
});
