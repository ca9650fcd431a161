/** The embedding is a pillowcase: every triangle certainly oriented, neighbours glued by p2, area exactly 4. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { cleanMesh } from '../../../src/mesh/clean.ts';
import type { Mesh } from '../../../src/mesh/mesh.ts';
import { halfedges } from '../../../src/mesh/topology.ts';
import { readObj } from '../../../src/readers/obj/obj.ts';
import { searchCones } from '../../../src/representations/gi/make/parameterize/cones.ts';
import {
  type ClosedMesh,
  coarsenToTetrahedron,
  DEFAULT_EMBED_OPTIONS,
  embedFrom,
  normalise,
  simplifying,
} from '../../../src/representations/gi/make/parameterize/embed.ts';
import { collapseTo } from '../../../src/representations/gi/make/parameterize/simplify.ts';
import { some } from '../../support/long.ts';
import { box, bumpySphere, icosphere, tetrahedron } from '../../support/shapes.ts';

const asset = (name: string): Mesh => readObj(readFileSync(new URL(`../../../assets/${name}.obj`, import.meta.url)));

/** A cylinder whose caps are fans about one vertex each: valence n. */
function cappedCylinder(n: number): Mesh {
  const positions = [0, 0, 0, 0, 0, 1];
  const triangles: number[] = [];
  for (let i = 0; i < n; i++) {
    const angle = (2 * Math.PI * i) / n;
    positions.push(Math.cos(angle), Math.sin(angle), 0, Math.cos(angle), Math.sin(angle), 1);
    const [a, b] = [2 + 2 * i, 2 + 2 * ((i + 1) % n)];
    triangles.push(0, b, a, 1, a + 1, b + 1, a, b, b + 1, a, b + 1, a + 1);
  }
  return { positions: Float64Array.from(positions), triangles: Uint32Array.from(triangles), groups: [] };
}

/** The bumpy sphere drawn out to a needle. */
function needle(seed: number): Mesh {
  const mesh = bumpySphere(seed, 3);
  return { ...mesh, positions: mesh.positions.map((x, i) => (i % 3 === 0 ? 30 * x : x)) };
}

/** A cube with a vertex in the middle of one face's edge, in line with its ends: triangles without area. */
function cubeWithSlivers(): Mesh {
  const cube = box();
  const [a, b] = [cube.triangles[0], cube.triangles[1]];
  const positions = [...cube.positions];
  for (let k = 0; k < 3; k++) positions.push((cube.positions[3 * a + k] + cube.positions[3 * b + k]) / 2);
  const m = cube.positions.length / 3;
  const triangles: number[] = [];
  for (let t = 0; t < cube.triangles.length; t += 3) triangles.push(...cube.triangles.subarray(t, t + 3));
  // Only the first triangle learns of the middle: it is cut in two, and a triangle without area closes the gap.
  const [, , c] = triangles;
  triangles.splice(0, 3, a, m, c, m, b, c, a, b, m);
  return { positions: Float64Array.from(positions), triangles: Uint32Array.from(triangles), groups: [] };
}

/** Domain coordinates are multiples of 2^-46: whole numbers here. */
const whole = (x: number): bigint => {
  const scaled = x * 2 ** 46;
  expect(Number.isInteger(scaled)).toBe(true);
  return BigInt(scaled);
};
const TWO = 2n * 2n ** 46n;

function expectPillowcase(mesh: Mesh, withCones: boolean, simplifiedTo?: number): void {
  const { positions, triangles } = cleanMesh(mesh).mesh;
  const twin = halfedges(triangles, positions.length / 3);
  const closed: ClosedMesh = { positions: normalise(positions, triangles), triangles, twin };
  if (simplifiedTo !== undefined) {
    closed.simplification = simplifying(closed);
    collapseTo(closed.simplification, { target: simplifiedTo });
  }
  const cones = withCones ? searchCones(closed) : undefined;
  const options = { ...DEFAULT_EMBED_OPTIONS, ...(cones && { cones }) };
  const { corners, cones: pinned } = embedFrom(coarsenToTetrahedron(closed, options), closed.positions, options);
  expect(new Set(pinned).size).toBe(4);
  if (cones) expect([...pinned].sort()).toEqual([...cones.vertices].sort());
  const at = (h: number): [bigint, bigint] => [whole(corners[2 * h]), whole(corners[2 * h + 1])];
  let area = 0n;
  for (let h = 0; h < triangles.length; h += 3) {
    const [[ax, ay], [bx, by], [cx, cy]] = [at(h), at(h + 1), at(h + 2)];
    const twice = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax);
    expect(twice > 0n, `triangle ${h / 3}`).toBe(true);
    area += twice;
  }
  expect(area).toBe(8n * 2n ** 92n);
  for (let h = 0; h < triangles.length; h++) {
    const after = (e: number) => (e % 3 === 2 ? e - 2 : e + 1);
    const [a, b, a2, b2] = [at(h), at(after(h)), at(after(twin[h])), at(twin[h])];
    // One element p -> s p + t takes both ends to the neighbour's copies.
    const fits = [1n, -1n].some((s) => {
      const t = [a2[0] - s * a[0], a2[1] - s * a[1]];
      if (b2[0] - s * b[0] !== t[0] || b2[1] - s * b[1] !== t[1]) return false;
      if (t[0] % TWO !== 0n || t[1] % TWO !== 0n) return false;
      return (t[0] / TWO + t[1] / TWO) % 2n === 0n ? s === 1n : s === -1n;
    });
    expect(fits, `half-edge ${h}`).toBe(true);
  }
}

describe('the embedding is a pillowcase', () => {
  const meshes: [string, () => Mesh][] = [
    ['tetrahedron', tetrahedron],
    ['box', () => box(1, 2, 3)],
    ['flat box', () => box(1, 1, 1e-4)],
    ['box with slivers', cubeWithSlivers],
    ['bolt', () => asset('bolt')],
    ['icosphere', () => icosphere(3)],
    ['needle', () => needle(3)],
    ['fans of 700', () => cappedCylinder(700)],
    ['bunny', () => asset('bunny')],
    ['star', () => asset('star')],
  ];
  test.each(some(5, meshes))('%s', { tags: ['all', 'long'] }, (_, make) => expectPillowcase(make(), true));

  test.each(some(1, [1, 2, 3, 4, 5, 6]))(
    'bumpy sphere, seed %i, cones as they come',
    { tags: ['all', 'long'] },
    (seed) => {
      expectPillowcase(bumpySphere(seed, 3), false);
    },
  );

  test.each([[1, true, 900] as const, ...some(1, [[2, false, 300] as const])])(
    'bumpy sphere, seed %i, simplified once for all, cones searched: %s',
    { tags: ['long'] },
    (seed, withCones, simplifiedTo) => {
      expectPillowcase(bumpySphere(seed, 4), withCones, simplifiedTo);
    },
  );
});
