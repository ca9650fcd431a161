/** Every representation's hierarchy: one tree over all of its surface, whose every bound holds, in exact arithmetic, what is below. */
import { describe, expect, test } from 'vitest';
import { OptionError } from '../../src/base/errors.ts';
import { BoundTree } from '../../src/engine/bound-tree.ts';
import { HULL_NUMBERS } from '../../src/engine/narrow-phase.ts';
import type { Asset } from '../../src/engine/representation.ts';
import type { Mesh } from '../../src/mesh/mesh.ts';
import { representationOf } from '../../src/representations/kinds.ts';
import { containment } from '../support/containment.ts';
import { long } from '../support/long.ts';
import { bumpySphere, mapped, octasphere } from '../support/shapes.ts';
import { variants } from './variants.ts';

/** Of 320 triangles, or of 80. */
const LEVEL = long ? 2 : 1;

/** Closed and of genus 0, so that every representation can be built of it. */
const meshes: [string, () => Mesh][] = [
  ['bumpy sphere, seed 3', () => bumpySphere(3, LEVEL)],
  ['flat sphere, 1:1000', () => mapped(octasphere(LEVEL), (x, y, z) => [x, y, z / 1000])],
  ['far from its origin', () => mapped(bumpySphere(4, LEVEL), (x, y, z) => [x + 1e7, y - 3e6, z + 0.1])],
  ['1e-30 small', () => mapped(bumpySphere(5, LEVEL), (x, y, z) => [1e-30 * x, 1e-30 * y, 1e-30 * z])],
  ['1e30 large', () => mapped(bumpySphere(6, LEVEL), (x, y, z) => [1e30 * x, 1e30 * y, 1e30 * z])],
];

/** The whole tree, with the hulls below every node. */
function unfoldAll(asset: Asset): { tree: BoundTree; hulls: number[][]; deepest: number } {
  const representation = representationOf(asset);
  const tree = new BoundTree((node, into) => representation.unfold(asset, node, into));
  for (let i = 0; i < tree.size; i++) if (!tree.isLeaf(i)) tree.firstChild(i);
  const hulls: number[][] = Array.from({ length: tree.size }, () => []);
  let deepest = 0;
  // Children have grown after their parents.
  for (let i = tree.size - 1; i >= 0; i--) {
    deepest = Math.max(deepest, tree.level[i]);
    if (tree.isLeaf(i)) {
      for (let k = 0; k < tree.count[i]; k++) hulls[i].push(~tree.link[i] + k);
    } else {
      for (let k = 0; k < tree.count[i]; k++) hulls[i].push(...hulls[tree.link[i] + k]);
    }
  }
  return { tree, hulls, deepest };
}

function hullPoints(asset: Asset, id: number): number[] {
  const out = new Float64Array(HULL_NUMBERS);
  const count = representationOf(asset).hull(asset, id, out);
  if (!(count >= 1 && count <= 8)) expect.fail(`a hull of ${count} points`);
  return [...out.subarray(0, 3 * count)];
}

describe.each(variants)('$name', ({ representation, triangles: isTriangles, build, encode, decode }) => {
  describe.each(meshes)('%s', (_, make) => {
    const asset = build(make());
    const { tree, hulls, deepest } = unfoldAll(asset);
    const points = Array.from({ length: hulls[0].length }, (_, id) => hullPoints(asset, id));

    test('the tree holds every hull once, and is as deep as it says', () => {
      expect([...hulls[0]].sort((a, b) => a - b)).toEqual(points.map((_, id) => id));
      expect(representation.depth(asset)).toBe(deepest);
    });

    if (isTriangles) {
      test('hulls are the triangles of the surface', () => {
        const { positions, triangles } = representation.surface(asset);
        expect(positions.every(Number.isFinite)).toBe(true);
        expect(points.length).toBe(triangles.length / 3);
        points.forEach((hull, t) => {
          const corners = [0, 1, 2].flatMap((k) => [
            ...positions.subarray(3 * triangles[3 * t + k], 3 * triangles[3 * t + k] + 3),
          ]);
          if (String(hull) !== String(corners)) expect(hull).toEqual(corners);
        });
      });
    }

    test('every bound holds every point below it', () => {
      for (let i = 0; i < tree.size; i++) {
        const holds = containment(tree.bounds, 16 * i);
        const outside = holds(hulls[i].flatMap((id) => points[id]));
        if (outside >= 0)
          throw new Error(`node ${i} of level ${tree.level[i]} does not hold point ${outside} below it`);
      }
    });

    test('nothing is beyond its reach', () => {
      const reach = representation.reach(asset);
      expect(points.flat().filter((x) => !(Math.abs(x) <= reach))).toEqual([]);
      for (let i = 0; i < tree.size; i++) {
        const [x, y, z, radius] = tree.bounds.subarray(16 * i, 16 * i + 4);
        const half = [7, 11, 15].map((k) => tree.bounds[16 * i + k]);
        const most = Math.max(Math.hypot(x, y, z), radius, ...half);
        if (!(most <= reach)) expect.fail(`node ${i} is ${most} from 0, beyond ${reach}`);
      }
    });

    test('verify proves it, before and after a round trip', async () => {
      const { checked, problems } = representation.verify(asset);
      expect(problems).toEqual([]);
      expect(checked).toBeGreaterThan(hulls[0].length / 4);
      expect(representation.verify(await decode(await encode(asset)))).toEqual(representation.verify(asset));
    });
  });

  test('a level of bounds is a surface round the stored one', { tags: ['quick', 'long'] }, () => {
    const asset = build(bumpySphere(3, long ? 2 : 1));
    const { positions } = representation.surface(asset);
    const depth = representation.depth(asset);
    for (let level = 0; level <= depth; level++) {
      const bounds = representation.boundsOfLevel(asset, level);
      expect(bounds.triangles.reduce((most, v) => Math.max(most, v), 0)).toBe(bounds.positions.length / 3 - 1);
      for (let k = 0; k < 3; k++) {
        const extent = (p: Float64Array, sign: number) =>
          p.reduce((most, x, i) => (i % 3 === k ? Math.max(most, sign * x) : most), 0);
        // Inscribed balls fall short of the ball by less than a third.
        for (const sign of [1, -1]) {
          expect(extent(bounds.positions, sign)).toBeGreaterThan(0.66 * extent(positions, sign));
        }
      }
    }
    for (const level of [-1, 0.5, depth + 1, Number.NaN]) {
      expect(() => representation.boundsOfLevel(asset, level)).toThrow(OptionError);
    }
  });
});
