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
  if (kind !== 'point') for (const p of points) if (kind === 'area') expect(corners).toContain(String(p));
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
  test.each([0, 0.5])('areas, curves and points are those of the lattice, cut at %f of the lines', (cuts) => {
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
  });
});
