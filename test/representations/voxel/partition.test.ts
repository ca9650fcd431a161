/**
 * Cubes of a surface against triangles that are cut, in rational numbers, at the walls of every cell; cubes of an inside against
 * the solid angles of all triangles.
 */
import { describe, expect, test } from 'vitest';
import type { Surface } from '../../../src/mesh/topology.ts';
import { partition } from '../../../src/representations/voxel/make/partition.ts';
import { type CubeSet, cellOf, cellsOf, firstCubes, lowKey } from '../../../src/representations/voxel/tree/cube-set.ts';
import { long } from '../../support/long.ts';
import { type Random, seeded } from '../../support/random.ts';
import { commonIntegers } from '../../support/rational.ts';
import {
  box,
  icosphere,
  mapped,
  octasphere,
  openCylinder,
  signedVolume,
  tetrahedron,
  together,
  torus,
} from '../../support/shapes.ts';

const PRECISIONS = [0.1, 1 / 3, 1, 0.25];
const MARGIN = 2 ** -45;

type Cell = [number, number, number];
const nameOf = (cell: ArrayLike<number>) => `${cell[0]} ${cell[1]} ${cell[2]}`;

function cellList(set: CubeSet): Cell[] {
  const flat = cellsOf(set);
  return Array.from({ length: flat.length / 3 }, (_, n) => [flat[3 * n], flat[3 * n + 1], flat[3 * n + 2]]);
}

const names = (set: CubeSet) => new Set(cellList(set).map(nameOf));

const ofTriangle = (corners: number[], a: number) =>
  partition({ positions: Float64Array.from(corners), triangles: Uint32Array.of(0, 1, 2) }, a);

// ---- the oracle

/** A point, all over its last number, which is positive. */
type Point = [bigint, bigint, bigint, bigint];

/** What of a convex polygon, degenerate or not, is on one side of a wall: I. Sutherland, G. Hodgman, 1974. */
function cut(polygon: Point[], axis: number, wall: bigint, side: bigint): Point[] {
  const depth = polygon.map((p) => side * (p[axis] - wall * p[3]));
  const left: Point[] = [];
  polygon.forEach((p, n) => {
    const m = (n + 1) % polygon.length;
    if (depth[n] >= 0n) left.push(p);
    if (depth[n] * depth[m] >= 0n) return;
    const [s, t] = [depth[n] < 0n ? -depth[n] : depth[n], depth[m] < 0n ? -depth[m] : depth[m]];
    left.push(p.map((x, i) => x * t + polygon[m][i] * s) as Point);
  });
  return left;
}

/**
 * The cells of a block that hold a point of the triangle: half-open ones, or closed ones grown by `grown`.
 *
 * @param from the block's first cell
 * @param to its last
 */
function cellsByCutting(corners: number[], a: number, from: Cell, to: Cell, grown: number | null): Set<string> {
  const ranges = [0, 1, 2].map((axis) => Array.from({ length: to[axis] - from[axis] + 1 }, (_, n) => from[axis] + n));
  const walls = ranges.map((range) => range.flatMap((k) => [k * a - (grown ?? 0), (k + 1) * a + (grown ?? 0)]));
  const whole = commonIntegers([1, ...corners, ...walls.flat()]);
  const triangle = [1, 4, 7].map((at): Point => [whole[at], whole[at + 1], whole[at + 2], 1n]);
  const starts = [10, 10 + walls[0].length, 10 + walls[0].length + walls[1].length];
  const found = new Set<string>();
  const descend = (polygon: Point[], axis: number, cell: number[], tops: bigint[]) => {
    if (axis === 3) {
      // A point below all three open walls: the mean of one for each.
      if (grown !== null || tops.every((top, i) => polygon.some((p) => p[i] < top * p[3]))) found.add(nameOf(cell));
      return;
    }
    ranges[axis].forEach((k, n) => {
      const [low, high] = [whole[starts[axis] + 2 * n], whole[starts[axis] + 2 * n + 1]];
      const rest = cut(cut(polygon, axis, low, 1n), axis, high, -1n);
      if (rest.length > 0) descend(rest, axis + 1, [...cell, k], [...tops, high]);
    });
  };
  descend(triangle, 0, [], []);
  return found;
}

const sizeOf = (corners: number[], a: number) => Math.max(...corners.map(Math.abs)) + 8 * a;

/** Checks a triangle's cubes, all of them, both ways; returns how many are more than the exact ones. */
function checkTriangle(corners: number[], a: number): number {
  const along = (axis: number) => [corners[axis], corners[3 + axis], corners[6 + axis]];
  const from = [0, 1, 2].map((axis) => Math.floor(Math.min(...along(axis)) / a) - 2) as Cell;
  const to = [0, 1, 2].map((axis) => Math.floor(Math.max(...along(axis)) / a) + 2) as Cell;
  const found = cellList(ofTriangle(corners, a));
  const foundNames = new Set(found.map(nameOf));
  const exact = cellsByCutting(corners, a, from, to, null);
  const message = `${corners} in cubes of ${a}`;
  for (const cell of exact) if (!foundNames.has(cell)) expect.fail(`${message}: ${cell} is missing`);
  const close = cellsByCutting(corners, a, from, to, MARGIN * sizeOf(corners, a));
  for (const cell of foundNames) if (!close.has(cell)) expect.fail(`${message}: ${cell} is too much`);
  const exactCells = [...exact].map((name) => name.split(' ').map(Number));
  for (let axis = 0; axis < 3; axis++) {
    const range = (cells: number[][]) => [
      Math.min(...cells.map((c) => c[axis])),
      Math.max(...cells.map((c) => c[axis])),
    ];
    expect(range(found), message).toEqual(range(exactCells));
  }
  return found.length - exact.size;
}

// ---- triangles

const spread = (random: Random, size: number) => Array.from({ length: 9 }, () => random.between(-size, size));
const lattice = (random: Random) => Array.from({ length: 9 }, () => random.below(9) - 4);
/** Near the margin on both sides, and far from it. */
const JOLTS = [0, 1e-16, 1e-13, 1e-12, 2e-12, 5e-12, 1e-11, 1e-10, 1e-6];
const jolt = (random: Random) => random.pick([1, -1]) * random.pick(JOLTS);

/** In cells. */
const KINDS: Record<string, (random: Random) => number[]> = {
  any: (random) => spread(random, 3),
  'small ones': (random) => spread(random, 0.4),
  slivers: (random) => {
    const p = spread(random, 4);
    const s = random.between(-0.2, 1.2);
    const width = 10 ** random.between(-16, -1);
    for (let i = 0; i < 3; i++) p[6 + i] = p[i] + s * (p[3 + i] - p[i]) + width * random.between(-1, 1);
    return p;
  },
  'slivers along the lattice': (random) => {
    const p = lattice(random);
    const s = random.pick([0, 0.5, 0.25, 2]);
    const width = 10 ** random.between(-10, -1);
    for (let i = 0; i < 3; i++) p[6 + i] = p[i] + s * (p[3 + i] - p[i]) + width * random.between(-1, 1);
    return p;
  },
  'slivers over a lattice point': (random) => {
    // In a plane x + y + z, a little off a lattice point that is over the middle of the sliver.
    const [i, j, k] = lattice(random).map((x) => Math.round(x / 4));
    const [u, v, off] = [random.between(-3, 3), random.between(-3, 3), jolt(random)];
    const width = 10 ** random.between(-7, -2);
    return [
      [-1, -width],
      [1, -width],
      [random.between(-0.5, 0.5), 2 * width],
    ].flatMap(([s, t]) => {
      const [x, y] = [i + s * u - t * v, j + s * v + t * u];
      return [x, y, i + j + k + off - x - y];
    });
  },
  needles: (random) => {
    const p = spread(random, 4);
    for (let i = 0; i < 3; i++) p[6 + i] = p[i] + 10 ** random.between(-17, -2) * random.between(-1, 1);
    return p;
  },
  segments: (random) => {
    const p = random.below(2) === 0 ? lattice(random) : spread(random, 4);
    const s = random.pick([0, 1, 0.5]);
    for (let i = 0; i < 3; i++) p[6 + i] = s === 0.5 ? (p[i] + p[3 + i]) / 2 : s === 0 ? p[i] : p[3 + i];
    return p;
  },
  points: (random) => {
    const p = random.below(2) === 0 ? lattice(random) : spread(random, 4);
    return [...p.slice(0, 3), ...p.slice(0, 3), ...p.slice(0, 3)];
  },
  'in a plane of the lattice': (random) => {
    const p = spread(random, 3);
    const axis = random.below(3);
    const k = random.below(7) - 3;
    for (let n = axis; n < 9; n += 3) p[n] = k;
    return p;
  },
  'on lattice points': lattice,
  'near lattice points': (random) => lattice(random).map((x) => x + jolt(random)),
  'beside a slanted lattice plane': (random) => {
    const [k, off] = [random.below(5) - 2, jolt(random)];
    const p = random.below(2) === 0 ? spread(random, 3) : lattice(random);
    const [u, v, sign] = random.pick([
      [0, 1, 1],
      [1, 2, -1],
      [2, 0, 1],
      [0, 2, -1],
    ]);
    for (let n = 0; n < 9; n += 3) p[n + v] = k + sign * p[n + u] + off;
    return p;
  },
};

describe.each(PRECISIONS)('cubes of %d', (a) => {
  test.each(Object.keys(KINDS))('seed 11, triangles: %s', { tags: ['quick', 'long'] }, (kind) => {
    const random = seeded(11 + PRECISIONS.indexOf(a) + 100 * Object.keys(KINDS).indexOf(kind));
    for (let n = 0; n < (long ? 8 : 5); n++)
      checkTriangle(
        KINDS[kind](random).map((x) => x * a),
        a,
      );
  });

  test.each([-300, 2 ** 17 + 0.5, -(2 ** 20)])('seed 12, %d cells away', { tags: ['quick', 'long'] }, (away) => {
    const random = seeded(12);
    for (let n = 0; n < (long ? 10 : 6); n++) {
      const p = KINDS[random.pick(Object.keys(KINDS))](random);
      checkTriangle(
        p.map((x, i) => ((i % 3 === n % 3 ? away : 0) + x) * a),
        a,
      );
    }
  });

  test('seed 13, a large triangle: cells beside the set hold nothing of it, those of the set nearly touch it', {
    tags: ['all', 'long'],
  }, () => {
    const random = seeded(13);
    for (let n = 0; n < 3; n++) {
      const p = n < 2 ? spread(random, 150) : KINDS.slivers(random).map((x) => 40 * x);
      const corners = p.map((x) => x * a);
      const set = ofTriangle(corners, a);
      const cells = cellList(set);
      const all = new Set(cells.map(nameOf));
      for (let m = 0; m < (long ? 200 : 100); m++) {
        const cell = random.pick(cells);
        const beside = cell.map((k) => k + random.below(3) - 1) as Cell;
        const margin = MARGIN * sizeOf(corners, a);
        if (cellsByCutting(corners, a, cell, cell, margin).size === 0) expect.fail(`${cell} is too much of ${corners}`);
        if (all.has(nameOf(beside))) continue;
        if (cellsByCutting(corners, a, beside, beside, null).size > 0)
          expect.fail(`${beside} is missing of ${corners}`);
      }
      for (let m = 0; m < 2000; m++) {
        const [s, t] = [random.next(), random.next()].sort();
        const at = [0, 1, 2].map((i) => corners[i] * s + corners[3 + i] * (t - s) + corners[6 + i] * (1 - t));
        // Points of it but for rounding: those that rounding could bring to another cell tell nothing.
        if (at.some((x) => cellOf(x - 1e-9 * a, a) !== cellOf(x + 1e-9 * a, a))) continue;
        if (!all.has(nameOf(at.map((x) => cellOf(x, a))))) expect.fail(`a cube at ${at} is missing of ${corners}`);
      }
    }
  });
});

test('seed 14: precisions and coordinates of all sizes, down to where products vanish', () => {
  const random = seeded(14);
  for (const a of [1e-100, 1e100, 3e-99, 7e99]) {
    for (const kind of Object.keys(KINDS))
      checkTriangle(
        KINDS[kind](random).map((x) => x * a),
        a,
      );
    checkTriangle([0, 0, 0, 5e-324, -5e-324, 0, 2 * a, a * 1e-200, -1e-310], a);
  }
  checkTriangle([-1e-300, 1e-310, 0, 2, 1e-200, -5e-324, 0.5, 2e-170, 1e-155], 1);
});

test('walls belong to the cell above: a triangle in x = 3 a gives cells 3 alone', () => {
  for (const a of PRECISIONS) {
    const cells = cellList(ofTriangle([3 * a, -a, -a, 3 * a, 2.5 * a, -a, 3 * a, -a, 2.5 * a], a));
    expect(new Set(cells.map((cell) => cell[0]))).toEqual(new Set([3]));
    expect(ofTriangle([0, 0, 0, 0, 0, 0, 0, 0, 0], a).masks).toEqual(Uint32Array.of(1, 0));
  }
});

test('the example', () => {
  expect(cellList(ofTriangle([0, 0, 0, 2.5, 0, 0, 0, 0, 0], 1))).toEqual([
    [0, 0, 0],
    [1, 0, 0],
    [2, 0, 0],
  ]);
});

// ---- meshes

function shuffled({ positions, triangles }: Surface, random: Random): Surface {
  const order = Array.from({ length: triangles.length / 3 }, (_, t) => ({ t, at: random.next() }));
  order.sort((p, q) => p.at - q.at);
  const turned = order.flatMap(({ t }) => {
    const first = random.below(3);
    return [0, 1, 2].map((n) => triangles[3 * t + ((first + n) % 3)]);
  });
  return { positions, triangles: Uint32Array.from(turned) };
}

test('seed 21: neither the order of triangles nor of their corners matters, nor that they come twice, nor what holds the numbers', {
  tags: ['quick', 'long'],
}, () => {
  const mesh = icosphere(long ? 3 : 2);
  for (const fill of [false, true]) {
    const set = partition(mesh, 0.07, { fill });
    expect(partition(shuffled(mesh, seeded(21)), 0.07, { fill })).toEqual(set);
    expect(partition(together(mesh, mesh), 0.07, { fill })).toEqual(set);
    const single = { positions: Float32Array.from(mesh.positions), triangles: mesh.triangles };
    const same = { positions: Float64Array.from(single.positions), triangles: mesh.triangles };
    expect(partition(single, 0.07, { fill })).toEqual(partition(same, 0.07, { fill }));
  }
});

test('a mesh has the cubes of its triangles, sorted, none empty', () => {
  const mesh = torus(24, 12);
  const set = partition(mesh, 0.06);
  const expected = new Set<string>();
  for (let t = 0; t < mesh.triangles.length; t += 3) {
    const corners = [0, 1, 2].flatMap((n) => [...mesh.positions.subarray(3 * mesh.triangles[t + n]).subarray(0, 3)]);
    for (const cell of cellList(ofTriangle(corners, 0.06))) expected.add(nameOf(cell));
  }
  expect(names(set)).toEqual(expected);
  expect(firstCubes(set).at(-1)).toBe(expected.size);
  const keys = Array.from(
    { length: set.keys.length / 2 },
    (_, n) => (BigInt(set.keys[2 * n + 1]) << 30n) + BigInt(set.keys[2 * n]),
  );
  expect(keys.every((key, n) => n === 0 || keys[n - 1] < key)).toBe(true);
  expect(keys.every((_, n) => (set.masks[2 * n] | set.masks[2 * n + 1]) !== 0)).toBe(true);
});

/** How often the mesh winds round a point that is not on it: A. van Oosterom, J. Strackee, "The Solid Angle of a Plane Triangle", 1983. */
function windingNumber({ positions, triangles }: Surface, x: number, y: number, z: number): number {
  let angle = 0;
  for (let t = 0; t < triangles.length; t += 3) {
    const [p, q, r] = [0, 1, 2].map((n) => {
      const at = 3 * triangles[t + n];
      return [positions[at] - x, positions[at + 1] - y, positions[at + 2] - z];
    });
    const dot = (u: number[], v: number[]) => u[0] * v[0] + u[1] * v[1] + u[2] * v[2];
    const [lp, lq, lr] = [p, q, r].map((u) => Math.sqrt(dot(u, u)));
    const volume =
      p[0] * (q[1] * r[2] - q[2] * r[1]) + p[1] * (q[2] * r[0] - q[0] * r[2]) + p[2] * (q[0] * r[1] - q[1] * r[0]);
    angle += 2 * Math.atan2(volume, lp * lq * lr + dot(p, q) * lr + dot(q, r) * lp + dot(r, p) * lq);
  }
  return angle / (4 * Math.PI);
}

const inwards = ({ positions, triangles }: Surface): Surface => ({ positions, triangles: triangles.slice().reverse() });
const sized = (mesh: Surface, s: number, x = 0, y = 0, z = 0) =>
  mapped(mesh, (px, py, pz) => [s * px + x, s * py + y, s * pz + z]);

const turned = (mesh: Surface) =>
  mapped(mesh, (x, y, z) => [0.48 * x - 0.6 * y + 0.64 * z, 0.36 * x + 0.8 * y + 0.48 * z, -0.8 * x + 0.6 * z]);

const SOLIDS: Record<string, { mesh: Surface; a: number }> = {
  'box on the lattice': { mesh: box(8, 6, 10), a: 1 },
  'box with its sides through centres': { mesh: sized(box(8, 6, 10), 1, 0.5, 0.5, 0.5), a: 1 },
  'box smaller than a cell': { mesh: sized(box(), 0.3, 0.5, 0.5, 0.5), a: 1 },
  'box of tenths': { mesh: sized(box(), 0.7, 0.35, -0.35, 1.35), a: 0.1 },
  'turned box': { mesh: turned(box(2, 1.5, 1)), a: 0.15 },
  'tetrahedron through lattice points and centres': { mesh: sized(tetrahedron(), 4.5), a: 1 },
  sphere: { mesh: icosphere(long ? 2 : 1), a: 0.19 },
  'sphere inwards': { mesh: inwards(icosphere(long ? 2 : 1)), a: 0.15 },
  torus: { mesh: long ? torus() : torus(12, 8), a: 0.14 },
  'torus on end, far away': { mesh: mapped(torus(12, 6), (x, y, z) => [x - 4000, z + 0.01, -y + 7000]), a: 0.14 },
  'edges through columns of centres above, not below': {
    mesh: mapped(octasphere(1), (x, y, z) => [4.6 * x + 0.5, 4.6 * y + (z < 0 ? 0.8 : 0.5), 4.6 * z]),
    a: 1,
  },
  'a hollow ball': { mesh: together(icosphere(2), inwards(sized(icosphere(1), 0.6))), a: 0.17 },
  'a ball in a ball': { mesh: together(icosphere(2), sized(icosphere(1), 0.6)), a: 0.17 },
  'balls that overlap, one inwards': {
    mesh: together(icosphere(2), inwards(sized(icosphere(1), 0.8, 0.5, 0.3, 0.2))),
    a: 0.17,
  },
  'a thin plate': { mesh: sized(box(2, 3, 1e-9), 1, 0.01, 0.02, 0.03), a: 0.1 },
};

describe.each(Object.keys(SOLIDS))('inside: %s', (name) => {
  const { mesh, a } = SOLIDS[name];
  test('cells beyond the surface are those with a centre inside', { tags: ['all', 'long'] }, () => {
    const surface = names(partition(mesh, a));
    const filled = partition(mesh, a, { fill: true });
    const all = names(filled);
    for (const cell of surface) if (!all.has(cell)) expect.fail(`${cell} of the surface is missing`);
    const range = [0, 1, 2].map((axis) => {
      const x = Array.from({ length: mesh.positions.length / 3 }, (_, v) => cellOf(mesh.positions[3 * v + axis], a));
      return [Math.min(...x) - 1, Math.max(...x) + 1];
    });
    for (let i = range[0][0]; i <= range[0][1]; i++) {
      for (let j = range[1][0]; j <= range[1][1]; j++) {
        for (let k = range[2][0]; k <= range[2][1]; k++) {
          const cell = nameOf([i, j, k]);
          if (surface.has(cell)) continue;
          const winding = windingNumber(mesh, (i + 0.5) * a, (j + 0.5) * a, (k + 0.5) * a);
          const whole = Math.round(winding);
          if (!(Math.abs(winding - whole) < 1e-6)) expect.fail(`${cell}: winding number ${winding}`);
          if (all.has(cell) !== (whole !== 0)) expect.fail(`${cell}: winding number ${winding}`);
        }
      }
    }
    for (const cell of cellList(filled)) {
      expect(cell.every((k, axis) => k >= range[axis][0] && k <= range[axis][1])).toBe(true);
    }
  });
});

test('the volumes of cubes come to that of the model', () => {
  for (const mesh of [icosphere(3), torus(40, 20), sized(box(2, 1, 1.5), 1, 0.013, 0.017, 0.019)]) {
    const a = 0.02;
    const volume = (fill: boolean) => firstCubes(partition(mesh, a, { fill })).at(-1)! * a ** 3;
    // Half of the surface's cubes are too much.
    const about = volume(true) - volume(false) / 2;
    expect(Math.abs(about / signedVolume(mesh) - 1)).toBeLessThan(0.01);
  }
});

// ---- refusals

describe('what cannot be', () => {
  const one = { positions: Float64Array.of(0, 0, 0, 1, 0, 0, 0, 1, 0), triangles: Uint32Array.of(0, 1, 2) };

  test.each([0, -1, Number.NaN, Infinity, 1e-101, 1e101])('precision %d', (a) => {
    expect(() => partition(one, a)).toThrowError(expect.objectContaining({ name: 'OptionError' }));
  });

  test('no triangles', () => {
    expect(() => partition({ positions: one.positions, triangles: new Uint32Array(0) }, 1)).toThrowError(
      expect.objectContaining({ name: 'MeshError' }),
    );
  });

  test.each([2 ** 21, -(2 ** 21) - 0.5, 1e300, Number.NaN, Infinity])('coordinate %d in cubes of 1', (x) => {
    const far = { positions: Float64Array.of(0, 0, 0, 1, 0, 0, 0, x, 0), triangles: one.triangles };
    expect(() => partition(far, 1)).toThrowError(
      `coordinate ${x} is beyond 2097152 cubes of 1: move the mesh nearer to the origin, or use larger cubes`,
    );
  });

  test('the last coordinates that can be', () => {
    const end = 2 ** 21;
    const cells = cellList(ofTriangle([-end, -end, -end, -end, -end, -end, -end, -end, -end], 1));
    expect(cells).toEqual([[-end, -end, -end]]);
    expect(lowKey(-end, -end, -end)).toBe(0);
    checkTriangle([end - 0.5, end - 1, -end, end - 2.5, end - 1, 1 - end, end - 2, end - 1.5, 2 - end], 1);
  });

  test('an inside of what is not closed: the edge is named', () => {
    expect(() => partition(openCylinder(), 0.1, { fill: true })).toThrowError(
      /^the model is open at \d+ edges, one of them from \(.*\) to \(.*\), of triangle \d+, so nothing is inside$/,
    );
    expect(() => partition(one, 0.1, { fill: true })).toThrowError(
      /^the model is open at 3 edges, one of them from \(0 0 0\) to \(1 0 0\), of triangle 0, so nothing is inside$/,
    );
    const { positions, triangles } = box();
    const flipped = Uint32Array.of(triangles[1], triangles[0], ...triangles.slice(2));
    expect(() => partition({ positions, triangles: flipped }, 0.1, { fill: true })).toThrowError(
      'the model is closed, but its triangles disagree on what is inside at 3 edges',
    );
    expect(() => partition(openCylinder(), 0.1)).not.toThrow();
  });

  test('an inside of triangles that share no vertices, but their points', () => {
    const shared = icosphere(2);
    const corners = Array.from(shared.triangles, (v) => Array.from(shared.positions.subarray(3 * v, 3 * v + 3)));
    const own = {
      positions: Float64Array.from(corners.flat()),
      triangles: Uint32Array.from(shared.triangles, (_, corner) => corner),
    };
    const [p, q] = [shared, own].map((mesh) => partition(mesh, 0.1, { fill: true }));
    expect(cellsOf(q)).toEqual(cellsOf(p));
    expect(cellsOf(p).length).toBeGreaterThan(cellsOf(partition(shared, 0.1)).length);
  });

  test('one triangle of more than 2^26 bricks, at once', () => {
    const huge = { positions: Float64Array.of(0, 0, 0, 2e6, 0, 1, 0, 2e6, 1), triangles: one.triangles };
    expect(() => partition(huge, 1)).toThrowError(
      'about 2000000000000 cubes of 1 are more than 67108863 bricks of 4 x 4 x 4 can hold: use a precision of 44 or more',
    );
  });

  test('a surface or an inside of more bricks than allowed', () => {
    const surface = partition(icosphere(2), 0.02);
    const bricks = surface.keys.length / 2;
    expect(partition(icosphere(2), 0.02, { mostBricks: bricks })).toEqual(surface);
    expect(() => partition(icosphere(2), 0.02, { mostBricks: bricks - 1 })).toThrowError(
      /^about [34][0-9]000 cubes of 0.02 /,
    );
    const filled = partition(icosphere(2), 0.02, { fill: true }).keys.length / 2;
    expect(() => partition(icosphere(2), 0.02, { fill: true, mostBricks: filled - 1 })).toThrowError(
      /^about 5[0-9]0000 cubes of 0.02 /,
    );
    expect(() => partition(icosphere(2), 0.02, { fill: true, mostBricks: bricks })).toThrowError(
      /^about 5[0-9]0000 cubes of 0.02 /,
    );
  });

  test('cubes far too small for a mesh: before the first is made, with a precision that will do', () => {
    const mesh = icosphere(4);
    for (const [fill, fits] of [
      [false, /: use a precision of 0\.0001\d or more$/],
      [true, /: use a precision of 0\.0011 or more$/],
    ] as const) {
      const stages: string[] = [];
      const onProgress = (stage: string) => stages.push(stage);
      expect(() => partition(mesh, 2e-6, { fill, onProgress })).toThrowError(fits);
      expect(stages).toEqual([]);
    }
  });

  test.each([true, false])('a hundredth too many: told before the first is made, fill %s', (fill) => {
    for (const mesh of [icosphere(3), torus(30, 20), sized(box(), 1, 0.3, 0.1, 0.2)]) {
      const a = 0.01;
      const bricks = partition(mesh, a, { fill }).keys.length / 2;
      const stages: string[] = [];
      const onProgress = (stage: string) => stages.push(stage);
      const most = Math.floor(bricks / 1.02);
      expect(() => partition(mesh, a, { fill, mostBricks: most, onProgress })).toThrowError(/use a precision of/);
      expect(stages).toEqual([]);
    }
  });

  test('the precision that is named will do, and what is there is never refused: seed 31', {
    tags: ['quick', 'long'],
  }, () => {
    const { between, below } = seeded(31);
    const numberOf = (error: unknown): number => Number(/precision of (\S+) or/.exec((error as Error).message)?.[1]);
    for (let tries = 0; tries < (long ? 6 : 2); tries++) {
      // Copies of one another, sides on planes of the grid, far from the origin.
      const shapes = [icosphere(2), box(), sized(icosphere(1), 1, 1, 0.01, 0.1)];
      const one = shapes[below(3)];
      const mesh = below(2) === 0 ? together(one, one) : one;
      const far = 64 * below(3);
      const positions = mesh.positions.map((x) => x + far);
      const model = { positions, triangles: mesh.triangles };
      const size = long ? 1 : 4;
      const a = size * (below(2) === 0 ? 2 ** -8 : between(0.004, 0.007));
      const fill = below(2) === 0;
      const bricks = partition(model, a, { fill }).keys.length / 2;
      expect(() => partition(model, a, { fill, mostBricks: bricks }), `try ${tries}`).not.toThrow();
      try {
        partition(model, a / 2, { fill, mostBricks: bricks });
        expect.unreachable();
      } catch (error) {
        expect(() => partition(model, numberOf(error), { fill, mostBricks: bricks }), `try ${tries}`).not.toThrow();
      }
    }
  });

  test('an inside of more than 2^26 bricks, counted first', { tags: ['long'] }, () => {
    expect(() => partition(sized(box(), 1700, 0.1, 0.1, 0.1), 1, { fill: true })).toThrowError(
      'about 4900000000 cubes of 1 are more than 67108863 bricks of 4 x 4 x 4 can hold: use a precision of 1.1 or more',
    );
  });
});

test('progress goes from 0 to 1 in three stages', () => {
  const heard: [string, number][] = [];
  partition(icosphere(3), 0.1, { fill: true, onProgress: (stage, fraction) => heard.push([stage, fraction]) });
  expect([...new Set(heard.map(([stage]) => stage))]).toEqual(['surface', 'inside', 'order']);
  for (const stage of ['surface', 'inside', 'order']) {
    const fractions = heard.filter(([name]) => name === stage).map(([, fraction]) => fraction);
    expect(fractions[0]).toBe(0);
    expect(fractions.at(-1)).toBe(1);
    expect(fractions.every((fraction, n) => n === 0 || fractions[n - 1] <= fraction)).toBe(true);
  }
});
