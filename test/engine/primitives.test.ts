/**
 * Primitives beside each other and beside meshes, as `check` and scenes tell of them: what touches,
 * by construction; classes, by points that are in one, in the other, in both; boxes, in whole
 * numbers.
 */
import { describe, expect, test } from 'vitest';
import type { Report } from '../../src/engine/records.ts';
import { build, check, createScene, rotation, translation } from '../../src/index.ts';
import { compose, identity, movePoint, type Pose } from '../../src/math/pose.ts';
import type { Mesh } from '../../src/mesh/mesh.ts';
import type { Primitive } from '../../src/readers/mesh-file.ts';
import { compileFrep } from '../../src/representations/frep/make/compile.ts';
import { modelOfPrimitive } from '../../src/representations/frep/make/primitive.ts';
import type { FrepObject } from '../../src/representations/frep/tree/program.ts';
import { polyhedronOf } from '../../src/solid/polyhedron.ts';
import { some } from '../support/long.ts';
import { type Random, seeded } from '../support/random.ts';
import { commonIntegers } from '../support/rational.ts';
import { box, finnedBox, mapped, octasphere, tetrahedron, together, torus, twoBoxes } from '../support/shapes.ts';

const solid = (primitive: Primitive, matrix?: Pose): FrepObject => compileFrep(modelOfPrimitive(primitive, matrix));
const boxOf = (x: number, y = x, z = x): FrepObject => solid({ shape: 'box', size: [x, y, z] });
const cylinder = (radius: number, length: number): FrepObject => solid({ shape: 'cylinder', radius, length });
const capsule = (radius: number, length: number): FrepObject => solid({ shape: 'capsule', radius, length });
const sphere = (radius: number): FrepObject => solid({ shape: 'sphere', radius });
const mesh = (surface: Mesh) => build(surface, { format: 'obb' });

type Asked = Parameters<typeof check>[2];
const ask = (a: Parameters<typeof check>[0], b: Parameters<typeof check>[1], poseB: Pose, more: Asked = {}): Report =>
  check(a, b, { poseB, solid: 'auto', ...more });
const turned = (...turn: Parameters<typeof rotation>) => rotation(...turn);

/** A square hole of 1 x 1, into which a cylinder of radius 0.5 just fits. */
const frame = (): Mesh =>
  together(
    ...[
      [1, 0],
      [-1, 0],
      [0, 1],
      [0, -1],
    ].map(([dx, dy]) => mapped(box(), (x, y, z) => [x + dx, y + dy, z])),
  );

describe('what touches', { tags: ['all'] }, () => {
  test.each([
    ['a box on a box', boxOf(1), boxOf(1), translation(1, 0, 0)],
    ['a cylinder on a box', boxOf(1), cylinder(0.1, 1), translation(0, 0, 1)],
    [
      'a cylinder that lies on a box',
      boxOf(1),
      cylinder(0.25, 1),
      compose(translation(0, 0, 0.75), turned(1, 0, 0, 90)),
    ],
    ['a ball on a box', boxOf(1), sphere(0.5), translation(0.25, 0, 1)],
    ['a ball beside a ball', sphere(0.3), sphere(0.7), translation(0.6, 0.8, 0)],
    ['a capsule on a box', boxOf(1), capsule(0.25, 1), translation(0, 0, 1.25)],
    ['a capsule beside a cylinder', cylinder(0.5, 2), capsule(0.25, 1), translation(0.75, 0, 0)],
    ['the rim of a cylinder at a ball', cylinder(1, 2), sphere(0.5), translation(1.3, 0, 1.4)],
    ['a box by an edge', boxOf(1), boxOf(1), compose(translation(0, 0, 0.5 + Math.SQRT1_2), turned(1, 0, 0, 45))],
    ['a cube of a mesh beside a box', mesh(box()), boxOf(1), translation(1, 0, 0)],
    ['a cube of a mesh under a cylinder', mesh(box()), cylinder(0.1, 1), translation(0, 0, 1)],
    ['a ring around a cylinder', mesh(frame()), cylinder(0.5, 9), translation(0, 0, 0)],
  ])('%s', (_, a, b, poseB) => {
    for (const pose of [identity(), compose(translation(3, -2, 0.7), turned(1, 2, 3, 17))]) {
      const [poseA, moved] = [pose, compose(pose, poseB)];
      const report = check(a, b, { poseA, poseB: moved, solid: 'auto', distance: true });
      expect(report.class).toBe('touch');
      expect(report.thickness!.upper).toBeLessThan(2e-12);
      expect(report.bracket!.upper).toBeLessThan(2e-12);
      expect(check(b, a, { poseA: moved, poseB: pose, solid: 'auto' }).class).toBe('touch');
      // A millionth to and fro.
      const [into, off] = [-1e-6, 1e-6].map((s) => compose(pose, aside(poseB, s)));
      expect(check(a, b, { poseA, poseB: into, solid: 'auto' })).toMatchObject({
        verdict: 'contact',
        class: 'overlap',
      });
      if (_ === 'a ring around a cylinder') continue;
      expect(check(a, b, { poseA, poseB: off, solid: 'auto' })).toMatchObject({ verdict: 'clear', class: 'clear' });
    }
  });

  /** Farther from the other one's origin, or nearer. */
  function aside(pose: Pose, by: number): Pose {
    const length = Math.hypot(pose[3], pose[7], pose[11]) || 1;
    const far = pose.slice();
    if (length === 1 && pose[3] === 0 && pose[7] === 0 && pose[11] === 0) far[3] += by;
    else for (const i of [3, 7, 11]) far[i] *= 1 + by / length;
    return far;
  }

  test('0.1 + 0.1 and 0.3 - 0.1: boxes that overlap by 2.8e-17, and some that are as far apart', () => {
    const report = check(boxOf(0.2), boxOf(0.2), {
      poseA: translation(0.1, 0, 0),
      poseB: translation(0.3, 0, 0),
      solid: 'auto',
    });
    expect(report).toMatchObject({
      verdict: 'contact',
      class: 'touch',
      thickness: { lower: 0 },
      bracket: { lower: 0 },
    });
    expect(report.thickness!.upper).toBeGreaterThanOrEqual(0.1 + 0.1 - (0.3 - 0.1));
    expect(report.thickness!.upper).toBeLessThan(5e-14);
    const apart = check(boxOf(1.4), boxOf(0.4), {
      poseA: translation(0.1, 0, 0),
      poseB: translation(1, 0, 0),
      solid: 'auto',
    });
    expect(apart).toMatchObject({ verdict: 'clear', class: 'touch', bracket: { lower: 0 } });
    expect(apart.bracket!.upper).toBeGreaterThanOrEqual(0.8 - (0.1 + 0.7));
  });

  test('wider gaps and overlaps are for --touch-gap and --tolerance, to the last digits of these', () => {
    const [a, b] = [boxOf(1), cylinder(0.5, 1)];
    expect(ask(a, b, translation(0, 0, 1.001)).class).toBe('clear');
    expect(ask(a, b, translation(0, 0, 1.001), { touchGap: 0.001 }).class).toBe('touch');
    expect(ask(a, b, translation(0, 0, 1.001), { touchGap: 0.00099 }).class).toBe('clear');
    expect(ask(a, b, translation(0, 0, 1.001), { clearance: 0.001 })).toMatchObject({
      verdict: 'contact',
      class: 'near',
    });
    expect(ask(a, b, translation(0, 0, 0.999)).class).toBe('overlap');
    expect(ask(a, b, translation(0, 0, 0.999), { tolerance: 0.001 }).class).toBe('touch');
    expect(ask(a, b, translation(0, 0, 0.999), { tolerance: 0.00099 }).class).toBe('overlap');
  });

  test('what is a kilometre from the origin touches as well', () => {
    const far = compose(translation(1000.1, -2000.7, 0.3), turned(3, 1, 2, 33));
    for (const other of [boxOf(0.1), cylinder(0.05, 0.1), mesh(box(0.1))])
      expect(
        check(boxOf(0.1), other, { poseA: far, poseB: compose(far, translation(0.1, 0, 0)), solid: 'auto' }).class,
      ).toBe('touch');
  });

  test.each([
    ['cylinder', cylinder(0.5, 1)],
    ['box', boxOf(1)],
    ['ball', sphere(0.5)],
  ])('a %s on a mesh whose own coordinates are far from its origin', (_, top) => {
    const table = mesh(mapped(box(2), (x, y, z) => [x + 3000, y - 4000, z + 1000]));
    const poseB = translation(3000.25, -4000, 1001.5);
    expect(check(table, top, { poseB, solid: 'auto' })).toMatchObject({ verdict: 'contact', class: 'touch' });
    expect(check(table, top, { poseB: compose(translation(0, 0, 1e-9), poseB), solid: 'auto' }).class).toBe('clear');
    const deep = compose(translation(0, 0, -1e-9), poseB);
    expect(check(table, top, { poseB: deep, solid: 'auto' }).class).toBe('overlap');
  });

  test('a finding has the bracket', async () => {
    const scene = createScene([
      { name: 'table', asset: boxOf(1) },
      { name: 'cup', asset: cylinder(0.1, 1), pose: translation(0, 0, 1) },
    ]);
    const { findings, summary } = await scene.findings();
    expect(summary).toMatchObject({ touch: 1, undecided: 0 });
    expect(findings).toMatchObject([{ class: 'touch', thickness: { lower: 0 }, bracket: { lower: 0 } }]);
    expect(scene.step({ cup: translation(0, 0, 1.5) }).ended).toHaveLength(1);
  });
});

/** A number for each point of space: how deep it is in a primitive. By its definition. */
function depthIn(primitive: Primitive, [x, y, z]: readonly number[]): number {
  switch (primitive.shape) {
    case 'box':
      return Math.min(...[x, y, z].map((c, k) => primitive.size[k] / 2 - Math.abs(c)));
    case 'cylinder':
      return Math.min(primitive.radius - Math.hypot(x, y), primitive.length / 2 - Math.abs(z));
    case 'capsule':
      return primitive.radius - Math.hypot(x, y, Math.max(0, Math.abs(z) - primitive.length / 2));
    default:
      return primitive.radius - Math.hypot(x, y, z);
  }
}

function anyPrimitive(random: Random): Primitive {
  const [p, q, r] = [random.between(0.3, 2), random.between(0.3, 2), random.between(0.3, 2)];
  const shape = random.pick(['box', 'cylinder', 'capsule', 'sphere'] as const);
  if (shape === 'box') return { shape, size: [p, q, r] };
  return shape === 'sphere' ? { shape, radius: p / 2 } : { shape, radius: p / 2, length: q };
}

const anyPose = (random: Random, far: number): Pose =>
  compose(
    translation(random.between(-far, far), random.between(-far, far), random.between(-far, far)),
    rotation(random.between(-1, 1), random.between(-1, 1), 1, random.between(0, 360)),
  );

/** The point in the frame that a pose moves. */
const into = (m: Pose, p: readonly number[]): number[] =>
  [0, 1, 2].map((k) => [0, 1, 2].reduce((sum, i) => sum + m[4 * i + k] * (p[i] - m[4 * i + 3]), 0));

/** The same for any matrix, by Cramer's rule. */
function inverse(m: Pose, p: readonly number[]): number[] {
  const columns = [0, 1, 2].map((k) => [m[k], m[4 + k], m[8 + k]]);
  const moved = p.map((x, i) => x - m[4 * i + 3]);
  const determinant = ([a, b, c]: number[][]): number =>
    a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) + a[2] * (b[0] * c[1] - b[1] * c[0]);
  return [0, 1, 2].map((k) => determinant(columns.with(k, moved)) / determinant(columns));
}

/** Which parts of space points were found in. */
function partsOf(
  random: Random,
  depthA: (p: readonly number[]) => number,
  depthB: (p: readonly number[]) => number,
): { both: boolean; onlyA: boolean; onlyB: boolean } {
  const found = { both: false, onlyA: false, onlyB: false };
  for (let n = 0; n < 6000; n++) {
    const p = [random.between(-2.5, 2.5), random.between(-2.5, 2.5), random.between(-2.5, 2.5)];
    const [a, b] = [depthA(p), depthB(p)];
    if (a > 0 && b > 0) found.both = true;
    if (a > 0 && b < 0) found.onlyA = true;
    if (a < 0 && b > 0) found.onlyB = true;
  }
  return found;
}

describe('classes', () => {
  test.each(some(1, [1, 2, 3]))(
    'seed %i: no point is where the class says there is none',
    { tags: ['all'] },
    (seed) => {
      const random = seeded(seed);
      const seen = new Set<string>();
      for (let n = 0; n < 60; n++) {
        const [p, q] = [anyPrimitive(random), anyPrimitive(random)];
        const poseB = anyPose(random, random.pick([0.1, 0.8, 1.4]));
        // A box is now and then the mesh of one.
        const isMesh = q.shape === 'box' && n % 2 === 0;
        const b = isMesh ? mesh(box(...q.size)) : solid(q);
        const report = ask(solid(p), b, poseB, { distance: true });
        const parts = partsOf(
          random,
          (x) => depthIn(p, x),
          (x) => depthIn(q, into(poseB, x)),
        );
        const found = report.class!;
        seen.add(found);
        expect(['clear', 'overlap', 'inside'], JSON.stringify([p, q, [...poseB]])).toContain(found);
        if (parts.both) expect(found).not.toBe('clear');
        if (parts.onlyA && parts.onlyB && parts.both) expect(found).toBe('overlap');
        if (parts.onlyA) expect(report.inner).not.toBe('a');
        if (parts.onlyB) expect(report.inner).not.toBe('b');
        if (found === 'clear') expect(report.bracket!.upper - report.bracket!.lower).toBeLessThan(2e-12);
        else expect(report.thickness!.upper - report.thickness!.lower).toBeLessThan(2e-9);
        if (found !== 'clear')
          expect(Math.min(depthIn(p, report.deepest!), depthIn(q, into(poseB, report.deepest!)))).toBeCloseTo(
            report.thickness!.lower / 2,
            9,
          );
      }
      expect([...seen].sort()).toEqual(['clear', 'inside', 'overlap']);
    },
  );

  test.each(some(1, [4, 5, 6]))(
    'seed %i: poses of six digits, and no class that is not proved',
    { tags: ['all', 'long'] },
    (seed) => {
      const random = seeded(seed);
      const rounded = (pose: Pose): Pose => pose.map((x, i) => (i < 12 && i % 4 < 3 ? Number(x.toFixed(6)) : x));
      const seen = new Set<string>();
      for (let n = 0; n < 60; n++) {
        const [p, q] = [anyPrimitive(random), anyPrimitive(random)];
        const [poseA, poseB] = [rounded(anyPose(random, 0)), rounded(anyPose(random, random.pick([0, 0.8, 1.4])))];
        const isMesh = q.shape === 'box' && n % 2 === 0;
        const { class: found, inner } = check(solid(p), isMesh ? mesh(box(...q.size)) : solid(q), {
          poseA,
          poseB,
          solid: 'auto',
        });
        const parts = partsOf(
          random,
          (x) => depthIn(p, inverse(poseA, x)),
          (x) => depthIn(q, inverse(poseB, x)),
        );
        seen.add(found!);
        if (parts.both) expect(found).not.toBe('clear');
        if (parts.onlyA) expect(inner).not.toBe('a');
        if (parts.onlyB) expect(inner).not.toBe('b');
      }
      expect([...seen]).toEqual(expect.arrayContaining(['clear', 'inside', 'overlap']));
    },
  );

  test('a pose that is off by 4e-6 leaves open which of two that just fit is inside', { tags: ['all'] }, () => {
    const scale = (by: number): Pose => identity().map((x, i) => (i % 5 === 0 && i < 15 ? x * by : x));
    for (const by of [1 - 4e-6, 1 + 4e-6]) {
      const { class: found, reason } = check(boxOf(1), cylinder(0.5, 1), { poseB: scale(by), solid: 'auto' });
      expect(found).toMatch(by < 1 ? /inside|contact/ : /overlap|contact/);
      if (found === 'contact') expect(reason).toBeTruthy();
    }
    expect(check(boxOf(1), cylinder(0.499, 0.998), { poseB: scale(1 + 4e-6), solid: 'auto' }).class).toBe('inside');
    expect(check(boxOf(1), cylinder(0.501, 0.998), { poseB: scale(1 + 4e-6), solid: 'auto' }).class).toBe('overlap');
  });

  test('one in the other, to its border, from either side; and both in one place', { tags: ['long'] }, () => {
    const quarter = rotation(0, 0, 1, 90);
    const tilt = rotation(1, 1, 0, 30);
    const place = (a: FrepObject | ReturnType<typeof mesh>, b: typeof a, by: Pose): [unknown, unknown] => {
      const { class: found, inner } = check(a, b, { poseA: tilt, poseB: compose(tilt, by), solid: 'auto' });
      return [found, inner];
    };
    expect(place(boxOf(1), cylinder(0.5, 1), identity())).toEqual(['inside', 'b']);
    expect(place(cylinder(0.5, 1), boxOf(1), identity())).toEqual(['inside', 'a']);
    expect(place(cylinder(0.5, 1), sphere(0.5), identity())).toEqual(['inside', 'b']);
    expect(place(cylinder(0.5, 1), sphere(0.25), translation(0.25, 0, 0.25))).toEqual(['inside', 'b']);
    expect(place(sphere(1), cylinder(0.6, 1.6), identity())).toEqual(['inside', 'b']);
    expect(place(capsule(0.5, 1), cylinder(0.5, 1), identity())).toEqual(['inside', 'b']);
    expect(place(capsule(0.5, 1), cylinder(0.4, 1.6), identity())).toEqual(['inside', 'b']);
    expect(place(capsule(0.5, 1), cylinder(0.4, 1.61), identity())).toEqual(['overlap', null]);
    expect(place(cylinder(2, 2), cylinder(0.5, 1), rotation(1, 0, 0, 77))).toEqual(['inside', 'b']);
    expect(place(boxOf(1, 2, 3), boxOf(2, 1, 3), quarter)).toEqual(['same', null]);
    expect(place(cylinder(1, 2), cylinder(1, 2), rotation(0, 0, 1, 33))).toEqual(['same', null]);
    expect(place(boxOf(1, 2, 3), mesh(box(2, 1, 3)), quarter)).toEqual(['same', null]);
    expect(place(boxOf(2), mesh(torus()), translation(9, 0, 0))).toEqual(['clear', null]);
    expect(place(boxOf(4), mesh(torus()), identity())).toEqual(['inside', 'b']);
    expect(place(sphere(1.4), mesh(torus()), identity())).toEqual(['inside', 'b']);
    expect(place(sphere(0.3), mesh(torus(64, 32)), translation(1, 0, 0))).toEqual(['inside', 'a']);
    expect(place(sphere(0.5), mesh(torus(64, 32)), identity())).toEqual(['clear', null]);
    expect(place(mesh(box(4)), boxOf(4, 1, 1), identity())).toEqual(['inside', 'b']);
  });

  test('a mesh with a fin, and one whose shells cross, are told as any function beside them', { tags: ['all'] }, () => {
    // The fin has no inside: a ball about it meets no solid.
    expect(ask(mesh(finnedBox()), sphere(0.01), translation(9, 9, 9)).class).toBe('clear');
    // The walls of two boxes cross inside of a ball that is in both.
    const crossing = mesh(
      together(
        box(2),
        mapped(box(2), (x, y, z) => [x + 0.5, y, z]),
      ),
    );
    expect(['inside', 'contact']).toContain(ask(crossing, sphere(0.6), translation(0.25, 0, 0)).class);
    expect(ask(mesh(twoBoxes()), boxOf(9), identity())).toMatchObject({ class: 'inside', inner: 'a' });
  });

  test('an open mesh has the class of its surface', { tags: ['all'] }, () => {
    const open = box();
    const report = ask(mesh({ ...open, triangles: open.triangles.slice(6) }), boxOf(1), translation(1, 0, 0));
    expect(report).toMatchObject({ verdict: 'contact', class: 'contact', closed: [false, true] });
  });
});

describe('boxes are exact', () => {
  /**
   * Whether the hulls of two sets of eight points share a point: no plane of their sides or edges
   * parts them.
   */
  function meetInIntegers(points: Float64Array): boolean {
    const all = commonIntegers(points);
    const corner = (i: number): bigint[] => all.slice(3 * i, 3 * i + 3);
    const minus = (p: bigint[], q: bigint[]): bigint[] => p.map((x, k) => x - q[k]);
    const cross = (p: bigint[], q: bigint[]): bigint[] =>
      [0, 1, 2].map((k) => p[(k + 1) % 3] * q[(k + 2) % 3] - p[(k + 2) % 3] * q[(k + 1) % 3]);
    const edges = [0, 8].map((first) =>
      Array.from({ length: 64 }, (_, n) => [n >> 3, n & 7])
        .filter(([i, j]) => i < j)
        .map(([i, j]) => minus(corner(first + i), corner(first + j))),
    );
    const pairs = [
      [0, 0],
      [1, 1],
      [0, 1],
    ].flatMap(([i, j]) => edges[i].flatMap((e) => edges[j].map((f) => cross(e, f))));
    return !pairs.some((n) => {
      const along = Array.from({ length: 16 }, (_, i) => corner(i).reduce((sum, x, k) => sum + x * n[k], 0n));
      const range = (of: bigint[]): [bigint, bigint] => [
        of.reduce((a, b) => (a < b ? a : b)),
        of.reduce((a, b) => (a > b ? a : b)),
      ];
      const [[lowA, highA], [lowB, highB]] = [range(along.slice(0, 8)), range(along.slice(8))];
      return highA < lowB || highB < lowA;
    });
  }

  function corners(size: readonly number[], pose: Pose): Float64Array {
    const moved = new Float64Array(24);
    for (let i = 0; i < 8; i++) {
      const [x, y, z] = size.map((s, k) => ((i >> k) & 1 ? s / 2 : -s / 2));
      movePoint(pose, x, y, z, moved, 3 * i);
    }
    return moved;
  }

  test('seed 21: some units in the last place from contact', { tags: ['all'] }, () => {
    const random = seeded(21);
    const verdicts = new Set<string>();
    for (let n = 0; n < 24; n++) {
      const [p, q] = [0, 1].map(() => [0, 0, 0].map(() => random.between(0.3, 2)) as [number, number, number]);
      const poseA = anyPose(random, 1);
      // A corner or a face of the other touches the first face, but for a few digits.
      const turn = n % 2 === 0 ? rotation(1, 0, 0, random.between(0, 360)) : rotation(random.between(-1, 1), 1, 1, 40);
      const reach = [0, 1, 2].reduce((sum, k) => sum + (Math.abs(turn[k]) * q[k]) / 2, 0);
      const poseB = compose(
        poseA,
        compose(translation(p[0] / 2 + reach + random.between(-4, 4) * 2 ** -53, 0.01, -0.02), turn),
      );
      const meets = meetInIntegers(Float64Array.of(...corners(p, poseA), ...corners(q, poseB)));
      const { verdict } = check(boxOf(...p), boxOf(...q), { poseA, poseB });
      verdicts.add(verdict);
      expect(verdict).toBe(meets ? 'contact' : 'clear');
    }
    expect(verdicts.size).toBe(2);
  });
});

describe('beside meshes', () => {
  const shapes = [octasphere(3), torus(24, 12), box(1, 2, 3), tetrahedron()];

  test.each(some(1, [31, 32, 33]))(
    'seed %i: distances, clearances and lists are those of the deepest points',
    { tags: ['all', 'long'] },
    (seed) => {
      const random = seeded(seed);
      for (let n = 0; n < 12; n++) {
        const surface = random.pick(shapes);
        const asset = mesh(surface);
        const primitive = anyPrimitive(random);
        const poseB = anyPose(random, 2);
        const moved = mapped(surface, (x, y, z) => {
          const to = new Float64Array(3);
          movePoint(poseB, x, y, z, to, 0);
          return [to[0], to[1], to[2]];
        });
        const report = check(solid(primitive), asset, { poseB, distance: true, all: true });
        const listed = new Set(report.contacts.pairs.map(([p, q]) => (p === 0 ? q : -1)));
        let deepest = Number.NEGATIVE_INFINITY;
        for (let t = 0; t < moved.triangles.length / 3; t++) {
          const [p, q, r] = [0, 1, 2].map((k) => moved.positions.subarray(3 * moved.triangles[3 * t + k]).slice(0, 3));
          let most = Number.NEGATIVE_INFINITY;
          for (let i = 0; i <= 12; i++) {
            for (let j = 0; i + j <= 12; j++) {
              const x = [0, 1, 2].map((k) => p[k] + ((q[k] - p[k]) * i + (r[k] - p[k]) * j) / 12);
              most = Math.max(most, distanceIn(primitive, x));
            }
          }
          deepest = Math.max(deepest, most);
          if (most > 0) expect(listed).toContain(t);
          // Twelfths of a side, between samples.
          if (most < -0.3) expect(listed).not.toContain(t);
        }
        expect(report.verdict).toBe(listed.size > 0 ? 'contact' : 'clear');
        if (report.verdict === 'contact') continue;
        const { lower, upper } = report.bracket!;
        expect(upper - lower).toBeLessThan(1e-12 * 4);
        expect(-deepest).toBeGreaterThanOrEqual(lower);
        expect(-deepest).toBeLessThan(upper + 0.15);
        const { a, b } = report.witness!;
        expect(Math.hypot(...a.map((x, k) => x - b[k]))).toBeCloseTo(upper, 10);
        expect(distanceIn(primitive, a)).toBeCloseTo(0, 10);
        for (const [clearance, verdict] of [
          [upper * (1 + 1e-9), 'contact'],
          [lower * (1 - 1e-9), 'clear'],
        ] as const) {
          expect(check(solid(primitive), asset, { poseB, clearance }).verdict).toBe(verdict);
          expect(check(asset, solid(primitive), { poseA: poseB, clearance, all: true }).verdict).toBe(verdict);
        }
      }
    },
  );

  /** As depthIn, and the true distance outside, below 0. */
  function distanceIn(primitive: Primitive, p: readonly number[]): number {
    const depth = depthIn(primitive, p);
    if (depth > 0 || primitive.shape === 'capsule' || primitive.shape === 'sphere') return depth;
    const [x, y, z] = p;
    const beyond =
      primitive.shape === 'box'
        ? [x, y, z].map((c, k) => Math.abs(c) - primitive.size[k] / 2)
        : [Math.hypot(x, y) - primitive.radius, Math.abs(z) - primitive.length / 2];
    return -Math.hypot(...beyond.map((b) => Math.max(0, b)));
  }

  test('a convex mesh is found to be one, and no other', { tags: ['long'] }, () => {
    const found = (surface: Mesh): boolean => polyhedronOf(mesh(surface)) !== null;
    const inverted = { ...box(), triangles: box().triangles.toReversed() };
    expect([box(), tetrahedron(), octasphere(4), inverted].map(found)).toEqual([true, true, true, true]);
    const dented = octasphere(2);
    dented.positions[0] *= 0.5;
    const open = { ...box(), triangles: box().triangles.slice(3) };
    const others = [torus(), dented, open, twoBoxes(), finnedBox(), together(box(), box()), starPrism()];
    expect(others.map(found)).toEqual(others.map(() => false));
    expect(found(octasphere(6))).toBe(false);
  });

  /** A prism over a pentagram: no edge of it is a valley, and it winds twice about its middle. */
  function starPrism(): Mesh {
    const around = [0, 2, 4, 1, 3].map((k) => [Math.cos((2 * Math.PI * k) / 5), Math.sin((2 * Math.PI * k) / 5)]);
    const points = [-1, 1].flatMap((z) => [...around.map(([x, y]) => [x, y, z]), [0, 0, z]]);
    const triangles = around.flatMap((_, k) => {
      const [p, q] = [k, (k + 1) % 5];
      return [
        [p, q, 6 + q],
        [p, 6 + q, 6 + p],
        [5, q, p],
        [11, 6 + p, 6 + q],
      ].flat();
    });
    return { positions: Float64Array.from(points.flat()), triangles: Uint32Array.from(triangles), groups: [] };
  }
});

test('stored and read again, turned and scaled: the same primitive', { tags: ['all'] }, async () => {
  const { read, write } = await import('../../src/index.ts');
  const at = compose(translation(1, 2, 3), rotation(1, 2, 3, 40));
  const stored = compileFrep(modelOfPrimitive({ shape: 'cylinder', radius: 0.5, length: 1 }, at), {
    options: { scale: 2 },
  });
  const { asset, warnings } = await read(await write(stored));
  expect(warnings).toEqual([]);
  const table = solid({ shape: 'box', size: [4, 4, 2] }, compose(at, translation(0, 0, -1.5)));
  const scaled = at.map((x, i) => (i % 4 === 3 && i < 12 ? 2 * x : x));
  expect(
    check(asset, solid({ shape: 'box', size: [4, 4, 2] }), {
      poseB: compose(scaled, translation(0, 0, -2)),
      solid: 'auto',
    }).class,
  ).toBe('touch');
  expect(check(solid({ shape: 'cylinder', radius: 0.5, length: 1 }), table, { poseA: at, solid: 'auto' }).class).toBe(
    'touch',
  );
});
