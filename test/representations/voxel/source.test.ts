/** What cubes say of the meshes they were made of: never `clear` where the meshes touch, and a bracket that holds their distance. */
import { describe, expect, test } from 'vitest';
import '../../../src/representations/everything.ts';
import type { CheckOptions } from '../../../src/engine/options.ts';
import { check } from '../../../src/engine/prepared.ts';
import type { Asset } from '../../../src/engine/representation.ts';
import type { DistanceBracket } from '../../../src/geometry/triangle-distance.ts';
import { triangleDistance } from '../../../src/geometry/triangle-distance.ts';
import { compose, identity, type Pose, rotation, translation } from '../../../src/math/pose.ts';
import type { Mesh } from '../../../src/mesh/mesh.ts';
import { buildKdopTree } from '../../../src/representations/kdop/make.ts';
import { buildObbTree } from '../../../src/representations/obb/make/index.ts';
import { buildVoxels } from '../../../src/representations/voxel/make/index.ts';
import { nearContact, randomDirection, randomRotation, shifted } from '../../support/agreement.ts';
import { movedBy, nextBelow } from '../../support/cubes.ts';
import { long } from '../../support/long.ts';
import { bruteForce } from '../../support/oracle.ts';
import { seeded } from '../../support/random.ts';
import { box, mapped, octasphere, tetrahedron } from '../../support/shapes.ts';

interface Source {
  mesh: Mesh;
  /** The mesh as others keep it, and as cubes of some precisions. */
  kept: Asset[];
  cubes: Asset[];
}

function sourceOf(mesh: Mesh, precisions: number[]): Source {
  return {
    mesh,
    kept: [buildObbTree(mesh), buildKdopTree(mesh)],
    cubes: precisions.map((precision) => buildVoxels(mesh, { precision })),
  };
}

/** Cubes with cubes, of one precision and of two, and with what keeps the triangles, on either side. */
function mixtures(a: Source, b: Source): [Asset, Asset][] {
  return [
    ...a.cubes.flatMap((p) => b.cubes.map((q): [Asset, Asset] => [p, q])),
    ...b.kept.map((q): [Asset, Asset] => [a.cubes[0], q]),
    ...a.kept.map((p): [Asset, Asset] => [p, b.cubes[0]]),
  ];
}

const touch = (a: Source, poseA: Pose, b: Source, poseB: Pose): boolean =>
  bruteForce(a.mesh, poseA, b.mesh, poseB).length > 0;

/** The distance of two meshes over all pairs of their triangles. */
function distanceOf(a: Mesh, poseA: Pose, b: Mesh, poseB: Pose): { lower: number; upper: number } {
  const corners = ({ positions, triangles }: Mesh, pose: Pose): Float64Array => {
    const moved = movedBy(pose, [...positions]);
    return Float64Array.from([...triangles].flatMap((v) => moved.slice(3 * v, 3 * v + 3)));
  };
  const [p, q] = [corners(a, poseA), corners(b, poseB)];
  const out: DistanceBracket = { lower: 0, upper: 0, onA: new Float64Array(3), onB: new Float64Array(3) };
  const least = { lower: Number.POSITIVE_INFINITY, upper: Number.POSITIVE_INFINITY };
  for (let i = 0; i < p.length; i += 9) {
    for (let j = 0; j < q.length; j += 9) {
      triangleDistance(p, i, q, j, out);
      least.lower = Math.min(least.lower, out.lower);
      least.upper = Math.min(least.upper, out.upper);
    }
  }
  return least;
}

function middleOf({ positions }: Mesh): number[] {
  return [0, 1, 2].map((axis) => {
    const along = positions.filter((_, i) => i % 3 === axis);
    return along.reduce((sum, x) => sum + x, 0) / along.length;
  });
}

const sources: Source[] = [
  sourceOf(
    mapped(tetrahedron(), (x, y, z) => [x, 0.8 * y, 1.2 * z]),
    [0.1, 0.25, 1 / 3],
  ),
  sourceOf(
    mapped(octasphere(1), (x, y, z) => [x - 0.5, y, 0.7 * z + 2]),
    [0.1, 0.4],
  ),
  // Faces on the grid: every cell's boundary is a multiple of an eighth.
  sourceOf(box(1.5), [0.25, 0.125]),
];
/** Of all precisions above, the longest diagonals of a cube on either side. */
const DIAGONALS = 2 * Math.sqrt(3) * 0.4;

describe('never a false clear', () => {
  test.each(long ? Array.from({ length: 40 }, (_, i) => i) : [0, 2])(
    'near contact, seed %i',
    { tags: ['all', 'long'] },
    (seed) => {
      const random = seeded(seed);
      const [a, b] = [sources[seed % 3], sources[(seed >> 1) % 3]];
      const poseA = seed === 0 ? identity() : compose(translation(random.between(-5, 5), 1, 0), randomRotation(random));
      // The middle of b on a corner of a, so that the one surface goes through the other.
      const turned = randomRotation(random);
      const corner = movedBy(poseA, [...a.mesh.positions.subarray(0, 3)]);
      const middle = movedBy(turned, middleOf(b.mesh));
      const start = compose(translation(...(corner.map((x, k) => x - middle[k]) as [number, number, number])), turned);
      const direction = randomDirection(random);
      const [inside, outside] = nearContact(a.kept[0], b.kept[0], poseA, start, direction);
      expect(touch(a, poseA, b, inside)).toBe(true);
      for (const s of [0, 0.01, 0.2, 4]) {
        const poseB = s === 0 ? inside : shifted(outside, direction, s);
        const distance = distanceOf(a.mesh, poseA, b.mesh, poseB);
        for (const [p, q] of mixtures(a, b)) {
          for (const extra of [{}, { distance: true }, { level: 2 }] satisfies CheckOptions[]) {
            const { verdict, bracket, tolerance, contacts, path } = check(p, q, {
              poseA,
              poseB,
              source: true,
              ...extra,
            });
            if (s === 0) expect(verdict).toBe('undecided');
            if (distance.upper === 0) expect(bracket?.lower).toBe(0);
            // Farther apart than two diagonals the cubes are apart, too.
            if (distance.lower > DIAGONALS && !('level' in extra)) expect(verdict).toBe('clear');
            expect(verdict).not.toBe('contact');
            expect(contacts).toEqual({ count: 0, complete: verdict === 'clear', pairs: [] });
            expect(path).toBe('common');
            expect(tolerance?.missing).toBe(0);
            expect(bracket?.lower).toBeLessThanOrEqual(distance.upper);
            expect(bracket?.upper).toBeGreaterThanOrEqual(distance.lower);
            if ('distance' in extra) {
              const width = (bracket?.upper ?? 99) - (bracket?.lower ?? 0);
              expect(width).toBeLessThanOrEqual((tolerance?.excess ?? 0) + 1e-9);
            }
          }
        }
      }
    },
  );

  test('far apart: clear, by a budget and a clearance too', () => {
    for (const a of sources) {
      for (const [p, q] of mixtures(a, sources[0])) {
        const poseB = compose(translation(9, 9, -9), rotation(1, 2, 3, 50));
        for (const extra of [{}, { distance: true }, { budget: 1e6 }, { clearance: 1 }]) {
          expect(check(p, q, { poseB, source: true, ...extra }).verdict).toBe('clear');
        }
        expect(check(p, q, { poseB, source: true, clearance: 50 }).verdict).toBe('undecided');
      }
    }
  });

  test('where only cubes meet: contact of the cubes, undecided of the sources', () => {
    const [a, b] = [0.02, 0.08].map((z) => plate([0, 0, z], [0.05, 0, z], [0, 0.05, z]));
    const [p, q] = [a, b].map((mesh) => buildVoxels(mesh, { precision: 0.1 }));
    expect(check(p, q)).toMatchObject({ verdict: 'contact', contacts: { pairs: [[0, 0]] } });
    expect(check(p, q, { source: true }).verdict).toBe('undecided');
    expect(check(buildObbTree(a), buildObbTree(b), { source: true }).verdict).toBe('clear');
  });

  test('what keeps both meshes still speaks of contact', () => {
    const [p, q] = [sources[0].kept[0], sources[1].kept[1]];
    const poseB = translation(0.1, 0, -2);
    expect(check(p, q, { poseB, source: true })).toMatchObject({ verdict: 'contact', path: 'common' });
  });
});

/** Triangles, three corners each. */
const plate = (...corners: number[][]): Mesh => ({
  positions: Float64Array.from(corners.flat()),
  triangles: Uint32Array.from(corners.map((_, i) => i)),
  groups: [],
});

const nextAbove = (x: number): number => -nextBelow(-x);

describe('on the boundary of cells', () => {
  test.each([0.1, 0.25, 1 / 3])(
    'a common corner at a multiple of %d, or a digit beside it, seed 20',
    { tags: ['all', 'long'] },
    (precision) => {
      const random = seeded(20);
      const seen = { same: 0, beside: 0 };
      for (let n = 0; n < (long ? 340 : 40); n++) {
        const k = [0, 0, 0].map(() => random.below(2001) - 1000);
        // Digits beside the boundary: of a's corner and of b's.
        const digits = [0, 1].map(() => [0, 1, 2].map(() => (n % 2 === 0 ? 0 : random.below(3) - 1)));
        const [from, to] = digits.map((steps) =>
          k.map((cell, axis) => {
            const wall = cell * precision;
            return steps[axis] < 0 ? nextBelow(wall) : steps[axis] > 0 ? nextAbove(wall) : wall;
          }),
        );
        const direction = randomDirection(random);
        const meshes = [from, to].map((corner, side) =>
          plate(
            corner,
            ...[0, 1].map(() =>
              corner.map((x, axis) => x + (side === 0 ? 1 : -1) * direction[axis] * 0.3 * random.next()),
            ),
          ),
        );
        const [a, b] = meshes.map((mesh) => sourceOf(mesh, [precision, 0.2]));
        const meet = touch(a, identity(), b, identity());
        if (meet) seen.same++;
        else seen.beside++;
        for (const [p, q] of mixtures(a, b)) {
          const answer = check(p, q, { source: true });
          if (meet) expect(answer.verdict).toBe('undecided');
          if (meet) expect(check(p, q).verdict).toBe('contact');
          expect(answer.bracket?.lower).toBeLessThanOrEqual(distanceOf(a.mesh, identity(), b.mesh, identity()).upper);
        }
      }
      expect(Math.min(seen.same, seen.beside)).toBeGreaterThan(long ? 16 : 8);
    },
  );

  test('a point that is no double, between the last of one cell and the first of the next', () => {
    for (const precision of [0.1, 1 / 3]) {
      const wall = 7 * precision;
      const before = nextBelow(wall);
      // Two segments that cross halfway, each from one cell to the other.
      const a = sourceOf(plate([before, 0, 0], [wall, 1, 0], [before, 0, 0]), [precision]);
      const b = sourceOf(plate([before, 1, 0], [wall, 0, 0], [wall, 0, 0]), [precision]);
      expect(touch(a, identity(), b, identity())).toBe(true);
      for (const [p, q] of mixtures(a, b)) {
        expect(check(p, q).verdict).toBe('contact');
        expect(check(p, q, { source: true }).verdict).toBe('undecided');
      }
    }
  });

  test.each([1, 1000, 1e5])(
    'corners that meet when both are moved, %d from the origin, seed 21',
    { tags: ['quick', 'long'] },
    (far) => {
      const random = seeded(21);
      let met = 0;
      let beside = 0;
      for (let n = 0; n < (long ? 100 : 30); n++) {
        // Corners of both are on the first face of a cube, and their faces nearly in one plane.
        const wall = () => 0.1 * Math.round(random.between(-9, 9) * far);
        const [x, y] = [0, 1].map(() => [wall(), random.between(-9, 9), random.between(-9, 9)]);
        const poseA = n % 3 === 0 ? identity() : compose(translation(wall(), 1, 0), randomRotation(random));
        const poseB = compose(poseA, rotation(0, 1, 0, 180));
        const target = movedBy(poseA, x);
        for (let r = 0; r < 3; r++) poseB[4 * r + 3] = 0;
        const here = movedBy(poseB, y);
        for (let r = 0; r < 3; r++) poseB[4 * r + 3] = target[r] - here[r];
        const away = (point: number[]) => [0, 1].map(() => point.map((c) => c + 0.2 * random.next()));
        const a = sourceOf(plate(x, ...away(x)), [0.1, 0.25]);
        const b = sourceOf(plate(y, ...away(y)), [0.1, 0.25]);
        if (!touch(a, poseA, b, poseB)) continue;
        met++;
        for (const [p, q] of mixtures(a, b)) {
          const { verdict, bracket } = check(p, q, { poseA, poseB, source: true });
          expect(verdict).toBe('undecided');
          expect(bracket?.lower).toBe(0);
          if (check(p, q, { poseA, poseB }).verdict === 'clear') beside++;
        }
      }
      expect(met).toBeGreaterThan(long ? 10 : 5);
      // Cubes whose moved corners miss each other by a rounding, where their sources meet.
      expect(beside).toBeGreaterThan(long ? 5 : 1);
    },
  );
});
