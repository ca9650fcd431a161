/** The place of a contact, which `witness` asks for, of every kind: a point of both surfaces. */
import { describe, expect, test } from 'vitest';
import { createLibrary } from '../../src/api.ts';
import { memorySource } from '../../src/containers/byte-source.ts';
import { sharpCodec } from '../../src/containers/pixels-sharp.ts';
import type { CheckOptions } from '../../src/engine/options.ts';
import { check, openPair } from '../../src/engine/prepared.ts';
import type { Report } from '../../src/engine/records.ts';
import type { Asset } from '../../src/engine/representation.ts';
import { compose, type Pose, translation } from '../../src/math/pose.ts';
import { compileFrep } from '../../src/representations/frep/make/compile.ts';
import { readFrep } from '../../src/representations/frep/make/model.ts';
import { buildGeometryImage } from '../../src/representations/gi/make/index.ts';
import { representationOf } from '../../src/representations/kinds.ts';
import { buildObbTree } from '../../src/representations/obb/make/index.ts';
import { randomRotation, surfaceOf } from '../support/agreement.ts';
import { long } from '../support/long.ts';
import { seeded } from '../support/random.ts';
import { box, bumpySphere } from '../support/shapes.ts';
import { ballImage, tiledFile } from '../support/tiles.ts';
import { pairsOf, triangulated, variants } from './variants.ts';

/** Rounding of coordinates of some units. */
const ROUNDING = 1e-13;
type Point = readonly number[];

const along = (p: Point, q: Point, s: number): number[] => p.map((x, k) => x + s * (q[k] - x));
const dot = (p: Point, q: Point): number => p.reduce((sum, x, k) => sum + x * q[k], 0);
const minus = (p: Point, q: Point): number[] => p.map((x, k) => x - q[k]);
const length = (p: Point): number => Math.sqrt(dot(p, p));

function toSegment(x: Point, p: Point, q: Point): number {
  const d = minus(q, p);
  const s = dot(d, d) > 0 ? dot(minus(x, p), d) / dot(d, d) : 0;
  return length(minus(x, along(p, q, Math.min(1, Math.max(0, s)))));
}

/** A point's distance from a triangle: from its plane if it is above it, else from its sides. */
function toTriangle(x: Point, [p, q, r]: readonly Point[]): number {
  const [u, v, w] = [minus(q, p), minus(r, p), minus(x, p)];
  const [uu, uv, vv, uw, vw] = [dot(u, u), dot(u, v), dot(v, v), dot(u, w), dot(v, w)];
  const d = uu * vv - uv * uv;
  const [s, t] = [(vv * uw - uv * vw) / d, (uu * vw - uv * uw) / d];
  if (s >= 0 && t >= 0 && s + t <= 1)
    return length(
      minus(
        w,
        u.map((x, k) => s * x + t * v[k]),
      ),
    );
  return Math.min(toSegment(x, p, q), toSegment(x, q, r), toSegment(x, r, p));
}

const moved = (m: Pose, [x, y, z]: Point): number[] =>
  [0, 4, 8].map((k) => m[k] * x + m[k + 1] * y + m[k + 2] * z + m[k + 3]);
const movedBack = (m: Pose, p: Point): number[] => {
  const v = [p[0] - m[3], p[1] - m[7], p[2] - m[11]];
  return [0, 1, 2].map((k) => m[k] * v[0] + m[k + 4] * v[1] + m[k + 8] * v[2]);
};

function triangleOf(asset: Asset, pose: Pose, number: number): number[][] {
  const { positions, triangles } = surfaceOf(asset);
  const corners = Array.from(triangles.subarray(3 * number, 3 * number + 3), (v) => 3 * v);
  return corners.map((v) => moved(pose, Array.from(positions.subarray(v, v + 3))));
}

const poseOf = (random: ReturnType<typeof seeded>, most: number): Pose =>
  compose(translation(random.between(-most, most), random.between(-most, most), 0), randomRotation(random));

/** Holds the places of reports with this clearance to the triangles that they name. */
function holdsTo(a: Asset, b: Asset, { poseA, poseB, clearance = 0 }: CheckOptions, report: Report): void {
  const { verdict, witness, contacts } = report;
  if (verdict !== 'contact') {
    expect(witness).toBeNull();
    return;
  }
  if (!witness) throw new Error('a contact without a place');
  const [i, j] = witness.pair;
  if (contacts.pairs.length === 1) expect(witness.pair).toEqual(contacts.pairs[0]);
  expect(toTriangle(witness.a, triangleOf(a, poseA as Pose, i))).toBeLessThan(ROUNDING);
  expect(toTriangle(witness.b, triangleOf(b, poseB as Pose, j))).toBeLessThan(ROUNDING);
  expect(length(minus(witness.a, witness.b))).toBeLessThan(clearance + ROUNDING);
}

const assets = triangulated.map((variant) => ({
  ...variant,
  a: variant.build(bumpySphere(5, 1)),
  b: variant.build(bumpySphere(6, 1)),
}));

describe.each(pairsOf(assets).map(([p, q]) => ({ name: `${p.name} x ${q.name}`, a: p.a, b: q.b })))(
  '$name',
  ({ a, b }) => {
    test.each(Array.from({ length: long ? 8 : 2 }, (_, i) => i + 1))(
      'on both triangles, seed %i',
      {
        tags: ['quick', 'long'],
      },
      (seed) => {
        const random = seeded(seed);
        const verdicts = new Set<string>();
        const pair = openPair(a, b, { questions: 1e9 }); // by a kernel, where the kinds have one
        for (let k = 0; k < (long ? 40 : 8); k++) {
          const poses = { poseA: poseOf(random, 2), poseB: poseOf(random, 2) };
          for (const more of [{}, { all: true }, { clearance: 0.2 }, { path: 'common' as const }, { distance: true }]) {
            const asked = { ...poses, ...more, witness: true };
            const report = check(a, b, asked);
            verdicts.add(report.verdict);
            // Its witness has the two nearest points.
            if ('distance' in more && report.verdict !== 'contact') continue;
            holdsTo(a, b, asked, report);
            if (!('path' in more)) holdsTo(a, b, asked, pair.report(asked));
          }
          expect(check(a, b, poses).witness).toBeNull();
        }
        expect(verdicts).toContain('contact');
      },
    );
  },
);

/** True if a point of the common frame is in a cube, whose corners are its hull. */
function isInCube(asset: Asset, pose: Pose, cube: number, p: Point): boolean {
  const corners = new Float64Array(24);
  representationOf(asset).hull(asset, cube, corners);
  const own = movedBack(pose, p);
  return own.every((x, k) => {
    const axis = [0, 1, 2, 3, 4, 5, 6, 7].map((corner) => corners[3 * corner + k]);
    return x >= Math.min(...axis) - 1e-12 && x <= Math.max(...axis) + 1e-12;
  });
}

test('cubes: the place is in the cube, and on the triangle or in the other cube, seed 7', {
  tags: ['quick', 'long'],
}, () => {
  const random = seeded(7);
  const cubes = variants.find(({ name }) => name.startsWith('voxel'))!.build(bumpySphere(5, 1));
  const tree = buildObbTree(bumpySphere(6, 1));
  let contacts = 0;
  for (let k = 0; k < (long ? 60 : 12); k++) {
    const poses = { poseA: poseOf(random, 1.5), poseB: poseOf(random, 1.5), witness: true };
    const [mixed, both] = [check(cubes, tree, poses), check(cubes, cubes, poses)];
    for (const report of [mixed, both]) {
      const { verdict, witness } = report;
      expect(witness === null).toBe(verdict !== 'contact');
      if (!witness) continue;
      contacts++;
      expect(isInCube(cubes, poses.poseA, witness.pair[0], witness.a)).toBe(true);
      if (report === both) expect(isInCube(cubes, poses.poseB, witness.pair[1], witness.b)).toBe(true);
      else expect(toTriangle(witness.b, triangleOf(tree, poses.poseB, witness.pair[1]))).toBeLessThan(ROUNDING);
      expect(length(minus(witness.a, witness.b))).toBeLessThan(1e-12);
    }
  }
  expect(contacts).toBeGreaterThan(4);
});

test('an F-rep: the place is in the solid, and on the triangle or in the other solid, seed 8', {
  tags: ['quick', 'long'],
}, () => {
  const random = seeded(8);
  const ball = compileFrep(readFrep('{ "object": { "ellipsoid": { "radii": [1, 1, 1] } } }'));
  const tree = buildObbTree(box());
  const isInBall = (pose: Pose, p: Point): boolean => length(movedBack(pose, p)) < 1 + 4e-6;
  let contacts = 0;
  for (let k = 0; k < (long ? 60 : 12); k++) {
    const poses = { poseA: poseOf(random, 1.5), poseB: poseOf(random, 1.5), witness: true };
    for (const more of [{}, { distance: true }, { all: true }, { clearance: 0.3 }]) {
      const { verdict, witness } = check(ball, tree, { ...poses, ...more });
      if (verdict === 'contact' || !('distance' in more)) expect(witness === null).toBe(verdict !== 'contact');
      if (verdict !== 'contact' || !witness) continue;
      contacts++;
      expect(isInBall(poses.poseA, witness.a)).toBe(true);
      expect(toTriangle(witness.b, triangleOf(tree, poses.poseB, witness.pair[1]))).toBeLessThan(4e-6);
      expect(length(minus(witness.a, witness.b))).toBeLessThan(('clearance' in more ? 0.3 : 0) + 4e-6);
    }
    const { verdict, witness } = check(ball, ball, poses);
    expect(witness === null).toBe(verdict !== 'contact');
    if (witness) for (const pose of [poses.poseA, poses.poseB]) expect(isInBall(pose, witness.a)).toBe(true);
  }
  expect(contacts).toBeGreaterThan(12);
});

test('tiles, and embedded sources', { tags: ['quick', 'long'] }, async () => {
  const { openImage } = createLibrary(sharpCodec);
  const image = ballImage(5, 0.1);
  const open = async () => openImage(memorySource(await tiledFile(image, 16)));
  const [a, b] = [await open(), await open()];
  const poses = { poseA: translation(0, 0, 0), poseB: translation(0.3, 0.1, 0) };
  for (const all of [false, true]) {
    const report = await a.check(b, { ...poses, all, witness: true });
    expect(report.engine).toBe('tiles');
    holdsTo(image, image, poses, { ...report, contacts: { ...report.contacts, pairs: [report.witness!.pair] } });
    expect((await a.check(b, { ...poses, all })).witness).toBeNull();
  }
  const source = buildObbTree(box());
  const kept = buildGeometryImage(box(), { size: 17, embedSource: true });
  const asked = { poseA: translation(0, 0, 0), poseB: translation(0.7, 0.2, 0.1), source: true, witness: true };
  const report = check(kept, kept, asked);
  expect(report.verdict).toBe('contact');
  holdsTo(source, source, asked, report);
});
