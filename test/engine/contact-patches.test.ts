/** Patches against lattices, formulas, and themselves in other words. */
import { describe, expect, test } from 'vitest';
import { build, type ContactPatch, check, type Pose, rotation, translation } from '../../src/index.ts';
import type { Mesh } from '../../src/mesh/mesh.ts';
import { randomRotation } from '../support/agreement.ts';
import { long } from '../support/long.ts';
import { type Random, seeded } from '../support/random.ts';
import { box, octasphere, tetrahedron, torus } from '../support/shapes.ts';

type Point = [number, number, number];

const tree = (mesh: Mesh) => build(mesh, { format: 'obb' });

function patchesOf(a: Mesh, b: Mesh, poseB?: Pose, poseA?: Pose): ContactPatch[] {
  const poses = { ...(poseA && { poseA }), ...(poseB && { poseB }) };
  const { contacts } = check(tree(a), tree(b), { ...poses, all: true, patches: true, maxContacts: 1e6 });
  const patches = contacts.patches ?? [];
  expect(patches.reduce((sum, { pairs }) => sum + pairs, 0)).toBe(contacts.count);
  for (const patch of patches) expectSound(patch);
  return patches;
}

function expectSound({ kind, area, length, centre, normal, points, outline }: ContactPatch): void {
  expect(centre.every(Number.isFinite)).toBe(true);
  expect(Math.hypot(...normal)).toBeCloseTo(1, 12);
  expect(points.length).toBeGreaterThanOrEqual(1);
  expect(points.length).toBeLessThanOrEqual(4);
  expect(area > 0).toBe(kind === 'area');
  expect(length > 0).toBe(kind !== 'point');
  const paths = outline.map((path) =>
    path.slice(1).reduce((sum, p, k) => sum + Math.hypot(...p.map((x, axis) => x - path[k][axis])), 0),
  );
  expect(paths.reduce((sum, x) => sum + x, 0)).toBeCloseTo(length, 10);
  const corners = new Set(outline.flat().map(String));
  if (kind !== 'point') for (const p of points) expect(corners).toContain(String(p));
}

const meshOf = (triangles: Point[][]): Mesh => ({
  positions: Float64Array.from(triangles.flat(2)),
  triangles: Uint32Array.from({ length: 3 * triangles.length }, (_, k) => k),
  groups: [],
});

/** A box of whole coordinates. */
interface Lattice {
  low: Point;
  high: Point;
}

/**
 * Its faces, outward, cut at some of the lines x = k / 2, each on its own, so that what meets at an
 * edge of the box need not share vertices; some cells are fans about their centre.
 */
function cutBox({ low, high }: Lattice, random: Random, cuts: number): Mesh {
  const triangles: Point[][] = [];
  const stops = (axis: number): number[] => {
    const inner = Array.from({ length: 2 * (high[axis] - low[axis]) - 1 }, (_, k) => low[axis] + (k + 1) / 2);
    return [low[axis], ...inner.filter(() => random.between(0, 1) < cuts), high[axis]];
  };
  for (let axis = 0; axis < 3; axis++) {
    const [u, v] = [(axis + 1) % 3, (axis + 2) % 3];
    for (const isHigh of [false, true]) {
      const place = (s: number, t: number): Point => {
        const p: Point = [0, 0, 0];
        p[axis] = (isHigh ? high : low)[axis];
        p[u] = s;
        p[v] = t;
        return p;
      };
      const [along, across] = [stops(u), stops(v)];
      for (let i = 0; i + 1 < along.length; i++) {
        for (let j = 0; j + 1 < across.length; j++) {
          const [s, t, x, y] = [along[i], across[j], along[i + 1], across[j + 1]];
          const corners = [place(s, t), place(x, t), place(x, y), place(s, y)];
          const way = random.between(0, 3);
          const centre = place((s + x) / 2, (t + y) / 2);
          const parts =
            way < 1 && cuts > 0
              ? corners.map((p, k) => [p, corners[(k + 1) % 4], centre])
              : [0, 2].map((k) => [0, 1, 2].map((step) => corners[(k + step + (way < 2 ? 0 : 1)) % 4]));
          for (const [p, q, r] of parts) triangles.push(isHigh ? [p, q, r] : [p, r, q]);
        }
      }
    }
  }
  return meshOf(triangles);
}

/** What two boxes' surfaces share, on the lattice: exact. */
function latticeContacts(a: Lattice, b: Lattice): { areas: number[]; curves: number[]; points: number } {
  const isOn = ({ low, high }: Lattice, p: number[]): boolean =>
    p.every((x, k) => x >= low[k] && x <= high[k]) && p.some((x, k) => x === low[k] || x === high[k]);
  const areas: number[] = [];
  const faces: { axis: number; at: number; low: number[]; high: number[] }[] = [];
  for (let axis = 0; axis < 3; axis++) {
    for (const at of new Set([a.low[axis], a.high[axis]])) {
      if (at !== b.low[axis] && at !== b.high[axis]) continue;
      const low = a.low.map((x, k) => (k === axis ? at : Math.max(x, b.low[k])));
      const high = a.high.map((x, k) => (k === axis ? at : Math.min(x, b.high[k])));
      const sizes = high.map((x, k) => x - low[k]).filter((_, k) => k !== axis);
      if (sizes.some((x) => x <= 0)) continue;
      areas.push(sizes[0] * sizes[1]);
      faces.push({ axis, at, low, high });
    }
  }
  const isInFace = (p: number[]): boolean =>
    faces.some(({ low, high }) => p.every((x, k) => x >= low[k] && x <= high[k]));
  const edges: [string, string][] = [];
  const touched = new Set<string>();
  const alone: string[] = [];
  const low = a.low.map((x, k) => Math.max(x, b.low[k]));
  const high = a.high.map((x, k) => Math.min(x, b.high[k]));
  for (let x = low[0]; x <= high[0]; x++) {
    for (let y = low[1]; y <= high[1]; y++) {
      for (let z = low[2]; z <= high[2]; z++) {
        const p = [x, y, z];
        if (isOn(a, p) && isOn(b, p)) alone.push(String(p));
        if (isInFace(p)) touched.add(String(p));
        for (let axis = 0; axis < 3; axis++) {
          const middle = p.map((c, k) => c + (k === axis ? 0.5 : 0));
          if (!isOn(a, middle) || !isOn(b, middle) || isInFace(middle)) continue;
          const end = String(p.map((c, k) => c + Number(k === axis)));
          edges.push([String(p), end]);
          touched.add(String(p)).add(end);
        }
      }
    }
  }
  return { areas, curves: componentsOf(edges), points: alone.filter((p) => !touched.has(p)).length };
}

/** The lengths of what hangs together of unit edges. */
function componentsOf(edges: [string, string][]): number[] {
  const left = new Set(edges);
  const sizes: number[] = [];
  for (const edge of edges) {
    if (!left.delete(edge)) continue;
    const nodes = new Set(edge);
    let size = 1;
    for (let found = true; found; ) {
      found = false;
      for (const other of left) {
        if (!other.some((node) => nodes.has(node))) continue;
        left.delete(other);
        for (const node of other) nodes.add(node);
        size++;
        found = true;
      }
    }
    sizes.push(size);
  }
  return sizes;
}

const sorted = (x: number[]): number[] => x.toSorted((p, q) => p - q);
const rounded = (x: number): number => Number(x.toFixed(9));

function randomBox(random: Random): Lattice {
  const low = [0, 1, 2].map(() => Math.floor(random.between(0, 4))) as Point;
  return { low, high: low.map((x) => x + 1 + Math.floor(random.between(0, 3))) as Point };
}

describe.each(long ? [1, 2, 3, 4, 5, 6, 7, 8] : [1])('boxes of a lattice, seed %i', (seed) => {
  test.each([0, 0.5])(
    'areas, curves and points are those of the lattice, cut at %f of the lines',
    { tags: ['all', 'long'] },
    (cuts) => {
      const random = seeded(seed);
      const kinds = new Set<string>();
      for (let trial = 0; trial < 60; trial++) {
        const [a, b] = [randomBox(random), randomBox(random)];
        if (trial % 20 === 0) Object.assign(b, { low: a.high, high: a.high.map((x) => x + 1 + (trial % 3)) });
        const patches = patchesOf(cutBox(a, random, cuts), cutBox(b, random, cuts));
        const expected = latticeContacts(a, b);
        const of = (kind: string): ContactPatch[] => patches.filter((patch) => patch.kind === kind);
        const name = JSON.stringify([a, b]);
        for (const { kind } of patches) kinds.add(kind);
        expect(sorted(of('area').map(({ area }) => rounded(area))), name).toEqual(sorted(expected.areas));
        expect(sorted(of('curve').map(({ length }) => rounded(length))), name).toEqual(sorted(expected.curves));
        expect(of('point').length, name).toBe(expected.points);
      }
      expect(kinds.size).toBe(3);
    },
  );
});

const isClosed = ({ outline }: ContactPatch): boolean =>
  outline.length > 0 && outline.every((path) => String(path[0]) === String(path.at(-1)));

function expectPoint(found: readonly number[], expected: readonly number[], digits = 9): void {
  for (let k = 0; k < 3; k++) expect(found[k], `${found}`).toBeCloseTo(expected[k], digits);
}

describe('what touches', () => {
  test('a face on a face: an area, its four corners in order round the normal, b up and a down', () => {
    const [patch, ...others] = patchesOf(box(), box(), translation(0.25, 0.25, 1));
    expect(others).toEqual([]);
    expect(patch).toMatchObject({ kind: 'area', area: 0.5625, length: 3, normal: [0, 0, -1], pairs: 22 });
    expectPoint(patch.centre, [0.125, 0.125, 0.5]);
    const corners = patch.points.map(([x, y]) => `${x} ${y}`);
    expect(corners.toSorted()).toEqual(['-0.25 -0.25', '-0.25 0.5', '0.5 -0.25', '0.5 0.5']);
    for (let k = 0; k < 4; k++) {
      const [p, q, r] = [0, 1, 2].map((step) => patch.points[(k + step) % 4]);
      // Seen from below, where the normal points, they turn left.
      expect((q[0] - p[0]) * (r[1] - q[1]) - (q[1] - p[1]) * (r[0] - q[0])).toBeLessThan(0);
    }
    expect(isClosed(patch)).toBe(true);
  });

  test('a face that reaches around a corner: an area whose border is no rectangle', () => {
    const l = cutBox({ low: [0, 0, 0], high: [2, 1, 1] }, seeded(1), 0);
    const foot = cutBox({ low: [0, 1, 0], high: [1, 2, 1] }, seeded(2), 0);
    const both = { ...l, positions: Float64Array.of(...l.positions, ...foot.positions) };
    both.triangles = Uint32Array.from({ length: both.positions.length / 3 }, (_, k) => k);
    const [patch, ...others] = patchesOf(both, box(4, 4, 1), translation(1, 1, -0.5));
    expect(others).toEqual([]);
    expect(patch).toMatchObject({ kind: 'area', area: 3, length: 8, normal: [0, 0, 1] });
    expect(patch.points.length).toBe(4);
  });

  const wedge = (reach: number, along: number): Mesh =>
    meshOf(
      // A prism on its edge: the edge lies on z = 0, from (-1 0) to (1 0).
      (() => {
        const low: Point[] = [-1, 1].map((x) => [x, 0, 0]);
        const left: Point[] = [-1, 1].map((x) => [x, -reach, 1]);
        const right: Point[] = [-1, 1].map((x) => [x, along, 1]);
        return [
          ...[low, right, left].flatMap((p, k, all) => {
            const q = all[(k + 1) % 3];
            return [
              [p[0], q[1], p[1]],
              [p[0], q[0], q[1]],
            ];
          }),
          [low[0], right[0], left[0]],
          [low[1], left[1], right[1]],
        ];
      })(),
    );

  test.each([
    ['straight', 1, 1],
    ['leaning', 0.25, 2],
  ])("a box on its edge, %s: an open curve, and the normal is the face's", (_, reach, along) => {
    const floor = box(8, 8, 1);
    const [patch, ...others] = patchesOf(floor, wedge(reach, along), translation(0.5, 0, 0.5));
    expect(others).toEqual([]);
    expect(patch).toMatchObject({ kind: 'curve', length: 2, normal: [0, 0, -1] });
    expectPoint(patch.centre, [0.5, 0, 0.5]);
    expect(patch.points.length).toBe(2);
    expect(isClosed(patch)).toBe(false);
    const [turned] = patchesOf(wedge(reach, along), floor, undefined, translation(0.5, 0, 0.5));
    expect(turned.normal).toEqual([0, 0, 1]);
  });

  test("a corner on a face: a point, and the normal is the face's, however the corner leans", () => {
    const tip: Mesh = meshOf([
      [
        [0, 0, 0],
        [3, 0, 1],
        [0, 1, 1],
      ],
      [
        [0, 0, 0],
        [0, 1, 1],
        [-1, -2, 1],
      ],
      [
        [0, 0, 0],
        [-1, -2, 1],
        [3, 0, 1],
      ],
      [
        [3, 0, 1],
        [-1, -2, 1],
        [0, 1, 1],
      ],
    ]);
    const patches = patchesOf(tip, box(8, 8, 1), translation(0.5, 0.25, -0.5));
    expect(patches).toMatchObject([{ kind: 'point', centre: [0, 0, 0], points: [[0, 0, 0]], normal: [0, 0, 1] }]);
  });

  test('an edge across an edge: a point, and the normal is at right angles to both', () => {
    const [upper, lower] = [wedge(1, 0.5), wedge(2, 1)];
    // A half turn about (1 1 0): the other edge along y, its body below.
    const turned = { ...lower, positions: lower.positions.slice() };
    for (let v = 0; v < turned.positions.length; v += 3) {
      const [x, y, z] = lower.positions.subarray(v, v + 3);
      turned.positions.set([y, x, -z], v);
    }
    const patches = patchesOf(upper, turned);
    expect(patches).toMatchObject([{ kind: 'point', centre: [0, 0, 0] }]);
    expectPoint(patches[0].normal, [0, 0, 1]);
  });

  test('a box in a corner of a room: three areas, no two of one plane', () => {
    const room = cutBox({ low: [0, 0, 0], high: [4, 4, 4] }, seeded(3), 0.5);
    for (let c = 0; c < room.triangles.length; c += 3) room.triangles.subarray(c, c + 2).reverse();
    const patches = patchesOf(cutBox({ low: [0, 0, 0], high: [1, 2, 3] }, seeded(4), 0.5), room);
    expect(patches.map(({ kind }) => kind)).toEqual(['area', 'area', 'area']);
    expect(patches.map(({ area }) => rounded(area))).toEqual([6, 3, 2]);
    expect(patches.map(({ normal }) => normal.map(rounded))).toEqual([
      [1, 0, 0],
      [0, 1, 0],
      [0, 0, 1],
    ]);
  });
});

describe('what crosses', () => {
  test('a ball in a ball: one closed curve, as long as the formula says', { tags: ['all'] }, () => {
    for (const [distance, levels] of [
      [1, 4],
      [1.6, 5],
    ]) {
      const [patch, ...others] = patchesOf(
        octasphere(levels),
        octasphere(levels),
        translation(0.36 * distance, 0.48 * distance, 0.8 * distance),
      );
      expect(others).toEqual([]);
      const radius = Math.sqrt(1 - distance ** 2 / 4);
      expect(patch.kind).toBe('curve');
      expect(patch.length).toBeGreaterThan(2 * Math.PI * radius * 0.98);
      expect(patch.length).toBeLessThan(2 * Math.PI * radius * 1.005);
      expect(isClosed(patch)).toBe(true);
      expect(patch.outline.length).toBe(1);
      expectPoint(patch.centre, [0.18 * distance, 0.24 * distance, 0.4 * distance], 2);
      expectPoint(patch.normal, [-0.36, -0.48, -0.8], 2);
      expect(patch.points.length).toBe(4);
    }
  });

  test('a thin ring through the tube of a thick one: two closed curves', () => {
    const pose = rotation(1, 0, 0, 90);
    pose.set([1.9], 3);
    const patches = patchesOf(torus(40, 20, 1, 0.4), torus(60, 12, 1, 0.1), pose);
    expect(patches.map(({ kind }) => kind)).toEqual(['curve', 'curve']);
    for (const patch of patches) {
      expect(isClosed(patch)).toBe(true);
      expect(patch.length).toBeGreaterThan(0.55);
      expect(patch.length).toBeLessThan(0.75);
    }
    const heights = patches.map(({ centre }) => centre[2]);
    expect(Math.min(...heights)).toBeLessThan(-0.3);
    expect(Math.max(...heights)).toBeGreaterThan(0.3);
  });

  test("a peg through a face: one closed curve, and the normal is the face's", () => {
    const [patch, ...others] = patchesOf(box(8, 8, 1), box(1, 2, 1), translation(0.5, 0.25, 0.75));
    expect(others).toEqual([]);
    expect(patch).toMatchObject({ kind: 'curve', length: 6 });
    expectPoint(patch.normal, [0, 0, -1]);
    expect(isClosed(patch)).toBe(true);
  });
});

describe.each(long ? [1, 2, 3, 4] : [1])('the same in other words, seed %i', (seed) => {
  const random = seeded(seed);
  const place = (): Pose => {
    const pose = randomRotation(random);
    for (const k of [3, 7, 11]) pose[k] = random.between(-0.5, 0.5);
    return pose;
  };
  const summary = (patches: ContactPatch[]) =>
    patches.map(({ kind, area, length, centre, pairs }) => ({
      ...{ kind, pairs, area: area.toFixed(9), length: length.toFixed(9) },
      centre: centre.map((x) => rounded(x) + 0),
    }));

  test('b against a: the same patches, the other normals', { tags: ['quick', 'long'] }, () => {
    for (let trial = 0; trial < 12; trial++) {
      const [poseA, poseB] = [place(), place()];
      const one = patchesOf(octasphere(2), box(), poseB, poseA);
      const other = patchesOf(box(), octasphere(2), poseA, poseB);
      expect(summary(other)).toEqual(summary(one));
      for (const [k, { normal }] of one.entries())
        expectPoint(
          other[k].normal,
          normal.map((x) => -x),
        );
    }
  });

  test('trees of every kind, and the common engine: the same to the bit', { tags: ['quick', 'long'] }, () => {
    const poses = { poseA: place(), poseB: place(), all: true, patches: true };
    const asked = (format: 'obb' | 'kdop', options: object = {}) =>
      check(build(octasphere(3), { format }), build(torus(), { format }), { ...poses, ...options }).contacts.patches;
    const expected = asked('obb');
    expect(expected?.length).toBeGreaterThan(0);
    expect(asked('kdop')).toEqual(expected);
    expect(asked('obb', { path: 'common' })).toEqual(expected);
  });

  test('other units: lengths and areas by the powers of two', { tags: ['quick', 'long'] }, () => {
    const scaled = (mesh: Mesh, by: number): Mesh => ({ ...mesh, positions: mesh.positions.map((x) => x * by) });
    const [a, b] = [cutBox(randomBox(random), random, 0.5), cutBox(randomBox(random), random, 0.5)];
    const balls = [octasphere(2), scaled(octasphere(2), 0.75)];
    for (const [p, q] of [[a, b], balls]) {
      const expected = patchesOf(p, q, translation(0.5, 0.25, 0.125));
      const by = 2 ** -20;
      const found = patchesOf(scaled(p, by), scaled(q, by), translation(0.5 * by, 0.25 * by, 0.125 * by));
      expect(found.map(({ length, area, normal }) => [length / by, area / by ** 2, normal])).toEqual(
        expected.map(({ length, area, normal }) => [length, area, normal]),
      );
    }
  });

  test('turned boxes, face on face within rounding: one patch a face, its area', { tags: ['quick', 'long'] }, () => {
    for (let trial = 0; trial < 12; trial++) {
      // About z, so that the faces stay in one plane to the bit.
      const pose = rotation(0, 0, 1, random.between(0, 90));
      pose[11] = 1;
      const [a, b] = [
        cutBox({ low: [-2, -2, 0], high: [2, 2, 1] }, random, 0.5),
        cutBox({ low: [-1, -1, 0], high: [1, 1, 1] }, random, 0.5),
      ];
      const [patch, ...others] = patchesOf(a, b, pose);
      expect(others).toEqual([]);
      expect(patch.kind).toBe('area');
      expect(patch.area).toBeCloseTo(4, 9);
      expect(patch.length).toBeCloseTo(8, 6);
      expectPoint(patch.normal, [0, 0, -1]);
    }
  });
});

describe('what is refused, and what is not said', () => {
  const [a, b] = [tree(box()), tree(tetrahedron())];

  test('without all contacts, of cubes', () => {
    expect(() => check(a, b, { patches: true })).toThrow('patches: they need all contacts; add all');
    const cubes = build(box(), { format: 'voxel', precision: 0.1 });
    expect(() => check(a, cubes, { patches: true, all: true })).toThrow('patches: expected triangles');
  });

  test('a list that is cut has no patches; nothing in common has none either', () => {
    const near = translation(0.5, 0, 0);
    expect(check(a, b, { poseB: near, patches: true, all: true, maxContacts: 3 }).contacts.patches).toBeUndefined();
    expect(check(a, b, { poseB: near, patches: true, all: true }).contacts.patches).not.toEqual([]);
    expect(check(a, b, { poseB: translation(9, 0, 0), patches: true, all: true }).contacts.patches).toEqual([]);
  });
});

test.each([0.5, 1, 1.25, 9])('with a clearance, %s along: the patches without it, and none of what is near', (x) => {
  const [a, b] = [tree(box()), tree(box())];
  const asked = { poseB: translation(x, 0.25, 0), all: true, patches: true, distance: true, solid: 'auto' } as const;
  const plain = check(a, b, asked);
  const wide = check(a, b, { ...asked, clearance: 0.5 });
  expect(wide.contacts.patches).toEqual(plain.contacts.patches);
  expect(wide.distance).toBe(plain.distance);
  expect(wide.class).toBe(x === 1.25 ? 'near' : plain.class);
  expect(wide.verdict).toBe(check(a, b, { poseB: asked.poseB, clearance: 0.5 }).verdict);
  if (plain.verdict === 'contact') expect(wide.contacts).toEqual(plain.contacts);
  expect(() => check(a, b, { ...asked, clearance: -1 })).toThrow('clearance');
});

describe('triangles without area, and such that come twice', () => {
  test('add no length and no area', () => {
    const random = seeded(9);
    for (const b of [
      { low: [1, 1, 2], high: [3, 3, 4] },
      { low: [1, 1, 1], high: [3, 3, 4] },
      { low: [2, 2, 2], high: [3, 3, 3] },
    ] as Lattice[]) {
      const plain = cutBox({ low: [0, 0, 0], high: [2, 2, 2] }, random, 0.5);
      const corners = Array.from(plain.positions);
      const more = plain.positions.length / 3;
      const triangles = Array.from(plain.triangles);
      for (let c = 0; c < triangles.length; c += 21) {
        const [i, j, k] = triangles.slice(c, c + 3);
        corners.push(...[0, 1, 2].map((axis) => (corners[3 * i + axis] + corners[3 * j + axis]) / 2));
        triangles.push(i, corners.length / 3 - 1, j, i, i, j, k, k, k, i, j, k);
      }
      expect(corners.length / 3).toBeGreaterThan(more);
      const mesh: Mesh = { positions: Float64Array.from(corners), triangles: Uint32Array.from(triangles), groups: [] };
      const other = cutBox(b, random, 0.5);
      const shown = (patches: ContactPatch[]) =>
        patches.map(({ kind, length, area }) => [kind, rounded(kind === 'area' ? area : length)]);
      expect(shown(patchesOf(mesh, other))).toEqual(shown(patchesOf(plain, other)));
    }
  });
});

test.each(long ? [1, 2, 3, 4, 5, 6, 7, 8] : [1])(
  'soups of a small lattice: every pair counts once, seed %i',
  { tags: ['quick', 'long'] },
  (seed) => {
    const random = seeded(seed);
    const soup = (count: number): Mesh =>
      meshOf(
        Array.from({ length: count }, () =>
          [0, 1, 2].map(() => [0, 1, 2].map(() => Math.floor(random.between(0, 4))) as Point),
        ),
      );
    for (let trial = 0; trial < 12; trial++) {
      const [a, b] = [soup(1 + trial), soup(12 - trial)];
      patchesOf(a, b);
      // Two whole soups have patches wherever they have contacts, also where triangles are points.
      const { contacts } = check(tree(a), tree(b), { all: true, patches: true });
      expect(contacts.patches?.length === 0).toBe(contacts.count === 0);
    }
  },
);
