/** Surfaces that are one, in other triangles, against sets of tetrahedra. */
import { expect, test } from 'vitest';
import '../../src/representations/everything.ts';
import { check } from '../../src/api.ts';
import { Random } from '../../src/math/numbers.ts';
import { identity, type Pose } from '../../src/math/pose.ts';
import type { Mesh } from '../../src/mesh/mesh.ts';
import { buildObbTree } from '../../src/representations/obb/make/index.ts';
import { haveOneSurface } from '../../src/solid/same-surface.ts';
import { placeBody } from '../../src/solid/solid.ts';
import { some } from '../support/long.ts';
import { poseOf, randomGridPose, randomSolid, surfaceOf } from './kuhn.ts';
import { retessellated, turnedOver } from './retessellate.ts';

const seeds = Array.from({ length: 200 }, (_, k) => k + 1);

const treeOf = (mesh: Mesh) => buildObbTree(mesh);

function areOne(a: Mesh, b: Mesh, pose: Pose = identity()): boolean {
  return haveOneSurface(placeBody(treeOf(a), pose), placeBody(treeOf(b), pose));
}

test.each(some(5, seeds))(
  'surfaces in other triangles are one where their sets are equal, seed %i',
  { tags: ['all', 'long'] },
  (seed) => {
    const random = new Random(seed);
    for (let n = 0; n < 10; n++) {
      const solid = randomSolid(
        random,
        1 + (random.integer() % 3),
        0.3 + 0.6 * random.unit(),
        random.integer() % 2 === 0,
      );
      if (solid.tetrahedra.size === 0) continue;
      const pose = poseOf(randomGridPose(random, 2));
      const surface = surfaceOf(solid);
      const again = retessellated(surface, random, random.integer() % 30);
      expect(areOne(surface, again, pose), `case ${n}`).toBe(true);
      expect(areOne(again, turnedOver(surface), pose), `case ${n}, turned over`).toBe(true);
      // One tetrahedron at another place: the volume is the same, and often the box.
      const tetrahedra = new Set(solid.tetrahedra);
      const [gone] = tetrahedra;
      const free = Array.from({ length: 6 * solid.n ** 3 }, (_, k) => k).filter((k) => !tetrahedra.has(k));
      if (free.length === 0) continue;
      tetrahedra.delete(gone);
      tetrahedra.add(free[random.integer() % free.length]);
      const other = retessellated(surfaceOf({ n: solid.n, tetrahedra }), random, random.integer() % 30);
      expect(areOne(surface, other, pose), `case ${n}, another solid`).toBe(false);
    }
  },
);

test('a copy in other triangles is the same, and lists no contacts for it', () => {
  const random = new Random(1);
  const solid = surfaceOf(randomSolid(random, 3, 0.5, true));
  const [a, b] = [solid, retessellated(solid, random, 40)].map(treeOf);
  const report = check(a, b, { solid: 'auto' });
  expect(report).toMatchObject({ class: 'same', closed: [true, true], reason: null });
  expect(report.contacts.count).toBe(1);
});

/** A prism upon a polygon of n corners about the origin; its ends are fans about their middles. */
function prism(n: number, first: number): Mesh {
  const positions = [0, 0, 0, 0, 0, 1];
  for (let k = 0; k < n; k++) {
    const angle = (2 * Math.PI * k) / n;
    const [x, y] = [Math.round(4096 * Math.cos(angle)), Math.round(4096 * Math.sin(angle))];
    positions.push(x, y, 0, x, y, 1);
  }
  const triangles: number[] = [];
  for (let k = 0; k < n; k++) {
    const [p, q] = [2 + 2 * ((k + first) % n), 2 + 2 * ((k + first + 1) % n)];
    triangles.push(0, q, p, 1, p + 1, q + 1, p, q, q + 1, p, q + 1, p + 1);
  }
  return { positions: Float64Array.from(positions), triangles: Uint32Array.from(triangles), groups: [] };
}

test('a vertex of hundreds of triangles is told as others are', () => {
  expect(areOne(prism(500, 0), prism(500, 77))).toBe(true);
});
