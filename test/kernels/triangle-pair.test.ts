import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { trianglesIntersectAt } from '../../src/geometry/triangle-triangle.ts';
import { KERNEL } from '../../src/kernels/kernel.generated.ts';
import { allocate, kernels } from '../../src/kernels/memory.ts';
import { long } from '../support/long.ts';
import { trianglesMeet } from '../support/oracle.ts';
import { type Random, seeded } from '../support/random.ts';
import { commonIntegers } from '../support/rational.ts';

const own = kernels(KERNEL);
if (!own) throw new Error('no WebAssembly here');
const { functions } = own;
const MOST_PAIRS = 20_000;
functions.setTriangleScratch(allocate(5136));
const pairsAt = allocate(144 * MOST_PAIRS);
const pairs = new Float64Array(own.memory.buffer, pairsAt, 18 * MOST_PAIRS);

const SMALLEST = Number.MIN_VALUE;
/** Of the unit roundoff times the extents: see triangle-pair.as.ts. */
const BOUND = 49;
const E = 2 ** -53;

/** The kernel's answer for 18 coordinates, both ways round. */
function kernelMeet(c: ArrayLike<number>): boolean {
  pairs.set(Array.from(c));
  const meet = functions.trianglesMeet(pairsAt, pairsAt + 72) !== 0;
  if ((functions.trianglesMeet(pairsAt + 72, pairsAt) !== 0) !== meet) expect.fail(`not symmetric: [${Array.from(c)}]`);
  return meet;
}

const six = (point: () => number[]): number[] => Array.from({ length: 6 }, point).flat();

/** x, one unit in the last place up or down, or left alone. */
function nudge(r: Random, x: number): number {
  const step = Math.max(Math.abs(x) * 2 ** -52, SMALLEST);
  return r.pick([x, x, x + step, x - step]);
}

/** Points i p + j q + s of an integer plane through integer points. */
function planePoints(r: Random): number[] {
  const [p, q, s] = [0, 1, 2].map(() => [0, 1, 2].map(() => r.below(9) - 4));
  return six(() => {
    const [i, j] = [r.below(11) - 5, r.below(11) - 5];
    return [0, 1, 2].map((k) => i * p[k] + j * q[k] + s[k]);
  });
}

/** The unit sphere's point, as good as doubles are. */
function unitVector(r: Random): number[] {
  const v = [r.between(-1, 1), r.between(-1, 1), r.between(-1, 1)];
  const length = Math.sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) + 1e-9;
  return v.map((x) => x / length);
}

/** Two triangles of one plane, moved by one pose in doubles: coplanar but for rounding. */
function movedPlane(r: Random, planar: () => number[]): number[] {
  const [u, v, t] = [unitVector(r), unitVector(r), unitVector(r)];
  return six(() => {
    const [x, y] = planar();
    return [0, 1, 2].map((k) => u[k] * x + v[k] * y + t[k]);
  });
}

const COS_90 = 6.123233995736766e-17;

/** Eighteen coordinates, two triangles, of each hard kind. */
const kinds: Record<string, (r: Random) => number[]> = {
  random: (r) => six(() => [r.between(-1, 1), r.between(-1, 1), r.between(-1, 1)]),
  'near each other': (r) => six(() => [0, 1, 2].map((k) => 10 * k + r.between(-1, 1))),
  'coplanar in a skew plane': planePoints,
  'coplanar but for one unit in the last place': (r) => planePoints(r).map((x) => nudge(r, x / 3)),
  'coplanar, one pose': (r) => movedPlane(r, () => [r.between(-1, 1), r.between(-1, 1)]),
  'neighbours of a flat grid, one pose': (r) => movedPlane(r, () => [r.below(4) / 40, r.below(4) / 40]),
  'a box turned by 90 degrees': (r) => {
    const plane = r.below(3);
    return six(() => {
      const [x, y, z] = [0, 1, 2].map((k) => (k === plane ? 0.25 : r.below(5) / 4 - 0.5));
      return [COS_90 * x - y, x + COS_90 * y, z];
    });
  },
  'touching in a point': (r) => {
    const c = six(() => [8 * r.below(20), 8 * r.below(20), 8 * r.below(20)]);
    const [u, v] = [r.below(9), r.below(9)];
    const w = Math.max(8 - u - v, 0);
    const sum = u + v + w; // 8 or a point beyond an edge
    for (let k = 0; k < 3; k++) c[9 + k] = (c[k] * u + c[3 + k] * v + c[6 + k] * w) / (sum === 8 ? 8 : 16);
    return r.next() < 0.5 ? c : c.map((x) => nudge(r, x));
  },
  'sharing a vertex or an edge': (r) => {
    const c = six(() => [r.between(-1, 1), r.between(-1, 1), r.below(2)]);
    c.splice(9, 6, ...c.slice(3, 9));
    if (r.next() < 0.5) c.splice(12, 3, r.between(-1, 1), r.between(-1, 1), r.below(2));
    return r.next() < 0.5 ? c : c.map((x) => nudge(r, x));
  },
  slivers: (r) => {
    const t = r.between(0, 1);
    return six(() => [t + r.below(5) * 2 ** -52, r.between(-1, 1), t * r.below(3) + r.below(3) * 2 ** -51]);
  },
  'grid of 3': (r) => six(() => [r.below(3), r.below(3), r.below(3)]),
  'grid of 2, flat': (r) => six(() => [r.below(2), r.below(3), 0]),
  'segments and points': (r) => {
    const c = six(() => [r.below(4), r.below(4), r.below(4)]);
    for (const at of [0, 9]) {
      if (r.next() < 0.3) continue;
      const steps = [0, r.below(3), r.below(4) - 1];
      const d = [r.below(3) - 1, r.below(3) - 1, r.below(3) - 1];
      for (let v = 1; v < 3; v++) for (let k = 0; k < 3; k++) c[at + 3 * v + k] = c[at + k] + steps[v] * d[k];
    }
    return c;
  },
  'segments on one line, thirds': (r) => {
    const d = [r.below(5) - 2, r.below(5) - 2, r.below(5) - 2];
    return six(() => {
      const s = r.below(12);
      return d.map((x) => (x * s) / r.pick([1, 1, 3]));
    });
  },
  'whole numbers of 20 to 64 bits, nearly coplanar': (r) => {
    const width = 20 + r.below(45);
    const [u, v, s] = [0, 1, 2].map(() => [0, 1, 2].map(() => BigInt(Math.round(r.between(-1, 1) * 2 ** (width - 4)))));
    return six(() => {
      const [i, j] = [BigInt(r.below(5)), BigInt(r.below(5))];
      return [0, 1, 2].map((k) => Number(i * u[k] + j * v[k] + s[k] + BigInt(r.below(3) === 0 ? 1 : 0)));
    });
  },
  'mixed magnitudes, near': (r) => six(() => [0, 0, 0].map(() => r.between(-1, 1) * 2 ** -r.below(60))),
};

/** The same, slower: numbers of thousands of bits. */
const wideKinds: Record<string, (r: Random) => number[]> = {
  'mixed magnitudes': (r) =>
    six(() => [0, 0, 0].map(() => r.between(-1, 1) * 2 ** r.pick([-1060, -600, -250, -1, 0, 1, 249, 600, 1020]))),
  'a grid and the smallest doubles': (r) =>
    six(() => [0, 0, 0].map(() => r.below(2) + r.pick([0, 0, SMALLEST, -SMALLEST]) + 0)),
  'around 0 by the smallest doubles': (r) =>
    six(() => [0, 0, 0].map(() => r.pick([-1, 0, 0, 1]) + (r.below(5) - 2) * SMALLEST)),
  'huge grid, products overflow': (r) => six(() => [0, 0, 0].map(() => (r.below(5) - 2) * 2 ** 1021)),
  'the greatest and the smallest': (r) =>
    six(() => [0, 0, 0].map(() => r.pick([1, -1]) * r.pick([0, SMALLEST, 2 ** -1022, Number.MAX_VALUE]))),
  'great and the smallest': (r) => six(() => [0, 0, 0].map(() => r.pick([0, SMALLEST, -SMALLEST, 2 ** 200, 2 ** 201]))),
  'full limbs': (r) => six(() => [0, 0, 0].map(() => r.pick([2 ** 64 - 2 ** 11, 2 ** 64 - 2 ** 12, 2 ** 63, 1, 0]))),
};

const SCALES = [-1074, -700, -400, -300, -251, -250, -240, -100, -5, 61, 62, 100, 240, 246, 300, 500, 1000];

function shuffledVertices(r: Random, c: number[]): number[] {
  const order = r.pick(['012', '021', '102', '120', '201', '210']);
  return [0, 9].flatMap((at) => [...order].flatMap((v) => c.slice(at + 3 * Number(v), at + 3 * Number(v) + 3)));
}

describe('agrees with the rational oracle', () => {
  const cases = [
    ...Object.entries(kinds).map(([name, make]) => ({ name, make, count: long ? 170 : 80 })),
    ...Object.entries(wideKinds).map(([name, make]) => ({ name, make, count: long ? 50 : 25 })),
  ];
  for (const [seed, { name, make, count }] of cases.entries()) {
    test(`${name}, seed ${seed}`, () => {
      const r = seeded(seed);
      const seen = { true: 0, false: 0 };
      for (let i = 0; i < count; i++) {
        const c = make(r);
        if (c.length !== 18) expect(c).toHaveLength(18);
        const truth = trianglesMeet(c.slice(0, 9), c.slice(9));
        const got = [kernelMeet(c), kernelMeet(shuffledVertices(r, c))];
        if (got.some((verdict) => verdict !== truth)) expect.fail(`${got}, not ${truth}: [${c}]`);
        seen[`${truth}`]++;
      }
      expect(Math.min(seen.true, seen.false)).toBeGreaterThan(count / 100); // both answers occur
    });
  }

  test('any finite doubles, seed 77', { tags: ['quick', 'long'] }, () => {
    const coordinate = fc.oneof(
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.constantFrom(0, -0, 1, SMALLEST, -SMALLEST, 2 ** -1022, 2 ** -250, 2 ** 61, 2 ** 62, -Number.MAX_VALUE),
    );
    const numbers = fc.array(coordinate, { minLength: 18, maxLength: 18 });
    fc.assert(
      fc.property(numbers, (c) => kernelMeet(c) === trianglesMeet(c.slice(0, 9), c.slice(9))),
      { seed: 77, numRuns: long ? 100 : 25 },
    );
  });
});

describe('agrees with the twin, in batches', () => {
  for (const [index, [name, make]] of Object.entries({ ...kinds, ...wideKinds }).entries()) {
    const seed = 100 + index;
    test(`${name}, scales 1 and 2^-1074 to 2^1000, seed ${seed}`, { tags: ['all', 'long'] }, () => {
      const r = seeded(seed);
      const count = (name in kinds ? 4000 : 500) / (long ? 1 : 4);
      for (let i = 0; i < count; i++) {
        const scale = i % 2 === 0 ? 0 : r.pick(SCALES);
        // Twice, as 2^-1074 times anything but whole numbers is nothing.
        const c = make(r).map((x) => x * 2 ** Math.ceil(scale / 2) * 2 ** Math.floor(scale / 2));
        pairs.set(c.every(Number.isFinite) ? c : make(r), 18 * i);
      }
      for (let i = 0; i < count; i++) {
        const truth = trianglesIntersectAt(pairs, 18 * i, pairs, 18 * i + 9);
        const found = functions.trianglesMeet(pairsAt + 144 * i, pairsAt + 144 * i + 72) !== 0;
        if (found !== truth) expect.fail(`${truth}: [${pairs.subarray(18 * i, 18 * i + 18)}]`);
      }
    });
  }
});

/** det, as the kernel computes it: (p-t0) . ((t1-t0) x (t2-t0)), p at 9. */
function heightAsComputed(c: number[]): number {
  const [ux, uy, uz] = [c[3] - c[0], c[4] - c[1], c[5] - c[2]];
  const [vx, vy, vz] = [c[6] - c[0], c[7] - c[1], c[8] - c[2]];
  const [nx, ny, nz] = [uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx];
  return nx * (c[9] - c[0]) + ny * (c[10] - c[1]) + nz * (c[11] - c[2]);
}

/** The product of the three extents of points. */
function extents(c: number[]): number {
  const extent = (axis: number) => {
    const x = c.filter((_, i) => i % 3 === axis);
    return Math.max(...x) - Math.min(...x);
  };
  return extent(0) * extent(1) * extent(2);
}

/** The same determinant exactly, as a numerator and a power of two: whole numbers of the same scale for the other argument. */
function exactly(c: number[], computed: number): { value: bigint; computed: bigint; unit: bigint } {
  // Coordinates below 1, multiples of 2^-200: the determinant is a multiple of 2^-600.
  const q = commonIntegers([...c, 2 ** -200]).slice(0, 12);
  const d = q.map((x, i) => x - q[i % 3]);
  const [ux, uy, uz, vx, vy, vz, px, py, pz] = d.slice(3);
  const value = (uy * vz - uz * vy) * px + (uz * vx - ux * vz) * py + (ux * vy - uy * vx) * pz;
  const [whole] = commonIntegers([computed, 2 ** -600]);
  return { value, computed: whole, unit: 1n << 600n };
}

describe('the bound', { tags: ['quick', 'long'] }, () => {
  /** Two triangles; the second's vertices are above the first's plane, their determinants `times` the bound or more, as nearly as doubles allow. */
  function atBound(r: Random, times: number): { c: number[]; ratio: number } {
    // Of various sizes, so that whole numbers have some bits more.
    const c = six(() => [0, 0, 0].map(() => r.between(-1, 1) * 2 ** -r.below(r.pick([1, 8]))));
    const n = [0, 1, 2].map((k) => {
      const [i, j] = [(k + 1) % 3, (k + 2) % 3];
      return (c[3 + i] - c[i]) * (c[6 + j] - c[j]) - (c[3 + j] - c[j]) * (c[6 + i] - c[i]);
    });
    const square = n[0] * n[0] + n[1] * n[1] + n[2] * n[2];
    for (let v = 9; v < 18; v += 3) {
      const [i, j] = [r.between(0, 1), r.between(0, 1)];
      for (let k = 0; k < 3; k++) c[v + k] = c[k] + i * (c[3 + k] - c[k]) + j * (c[6 + k] - c[k]);
    }
    const bound = BOUND * E * extents(c);
    let least = Infinity;
    for (let v = 9; v < 18; v += 3) {
      const point = [...c.slice(0, 9), ...c.slice(v, v + 3)];
      const wanted = times * bound * (v === 9 ? 1 : r.between(1, 2));
      for (let step = 0; step < 3; step++) {
        const missing = (wanted - heightAsComputed(point)) / square;
        for (let k = 0; k < 3; k++) point[9 + k] += missing * n[k];
      }
      for (let k = 0; k < 3; k++) c[v + k] = point[9 + k];
      least = Math.min(least, heightAsComputed(point));
    }
    return { c, ratio: least / (BOUND * E * extents(c)) };
  }

  test.each([0, 0.02, 0.5, 0.9, 1, 1.1, 2])('verdicts of points %f bounds above a plane, seed 31', (times) => {
    const r = seeded(31);
    const points = long ? 300 : 150;
    let [near, below, above] = [0, 0, 0];
    for (let i = 0; i < points; i++) {
      const { c, ratio } = atBound(r, times);
      const truth = trianglesMeet(c.slice(0, 9), c.slice(9));
      if (kernelMeet(c) !== truth) expect.fail(`${ratio} bounds, ${truth}: [${c}]`);
      if (Math.abs(ratio - times) > 0.02) continue;
      near++;
      if (ratio < 1) below++;
      else above++;
    }
    expect(near).toBeGreaterThan(points / 1.5);
    if (times === 1) expect(Math.min(below, above)).toBeGreaterThan(points / 6); // a tiny fraction to both sides
  });

  test('holds where errors are searched for, seed 32', () => {
    const r = seeded(32);
    const errorOf = (c: number[]): number => {
      const { value, computed, unit } = exactly(c, heightAsComputed(c));
      const error = value > computed ? value - computed : computed - value;
      return Number((error << 80n) / unit) / 2 ** 80 / (E * extents(c));
    };
    let worst = 0;
    for (let start = 0; start < (long ? 6 : 3); start++) {
      // From near the corners of a box on, the steepest of a hundred small changes at a time.
      let c = Array.from({ length: 12 }, (_, i) => (i % 3 === r.below(3) ? r.next() : r.below(2)) + r.next() / 64);
      let error = errorOf(c);
      for (let step = 0; step < 1500; step++) {
        const tried = c.slice();
        tried[r.below(12)] += r.between(-1, 1) * 2 ** -r.below(50);
        const found = errorOf(tried);
        if (found > error) [c, error] = [tried, found];
      }
      worst = Math.max(worst, error);
    }
    expect(worst).toBeLessThan(BOUND);
    expect(worst).toBeGreaterThan(3); // of which nothing random comes near
  });
});

describe('orientation predicates', () => {
  const places: Record<string, (r: Random, scale: number) => number[]> = {
    'a skew plane': (r, scale) => {
      const p = planePoints(r).map((x) => x * scale);
      return r.next() < 0.3 ? p : p.map((x) => nudge(r, r.next() < 0.9 ? x : x / 3));
    },
    // d = a + b - c but for a rounding: determinants near 0 of as many bits as doubles of these sizes give.
    'a parallelogram of mixed sizes': (r, scale) =>
      parallelogram(r, (k) => r.between(-1, 1) * 2 ** -r.below(6 + 8 * k) * scale),
    'a line': line,
    'a wide parallelogram': (r, scale) => parallelogram(r, () => r.between(-1, 1) * 2 ** -r.below(200) * scale),
  };

  function line(r: Random, scale: number): number[] {
    const [p, d] = [0, 1].map(() => [0, 1, 2].map(() => r.between(-1, 1)));
    return six(() => {
      const s = r.below(9) / 8;
      return [0, 1, 2].map((k) => (p[k] + s * d[k]) * scale);
    });
  }

  function parallelogram(r: Random, coordinate: (axis: number) => number): number[] {
    const p = Array.from({ length: 9 }, (_, i) => coordinate(i % 3));
    const corner = [0, 1, 2].map((k) => nudge(r, p[k] + p[3 + k] - p[6 + k]));
    // So that four are coplanar exactly, where that can be.
    if (r.next() < 0.5) for (let k = 0; k < 3; k++) p[6 + k] = p[k] + (p[3 + k] - corner[k]);
    return [...p, ...corner, ...p.slice(0, 6)];
  }

  const scales = [0, -15, -250, -251, -330, -700, -1060, 60, 61, 62, 240, 249, 400, 1010];
  for (const [index, [name, make]] of Object.entries(places).entries()) {
    test(`signs of rational determinants, ${name}, scales 2^-1060 to 2^1010, seed ${index}`, {
      tags: ['quick', 'long'],
    }, () => {
      const r = seeded(index);
      const seen = new Map<number, number>();
      for (let n = 0; n < (long ? 1600 : 800); n++) {
        const p = make(r, 2 ** r.pick(scales)).slice(0, 12);
        if (!p.every(Number.isFinite)) continue;
        pairs.set(p);
        const axis = r.below(3);
        const [a, b, c, d] = [pairsAt, pairsAt + 24, pairsAt + 48, pairsAt + 72];
        const signs = [functions.orient3d(a, b, c, d), functions.orient2d(a, b, c, axis)];
        const truth = rationalSigns(p, axis);
        if (signs[0] !== truth[0] || signs[1] !== truth[1]) expect.fail(`${signs}, not ${truth}: axis ${axis} [${p}]`);
        seen.set(truth[0], (seen.get(truth[0]) ?? 0) + 1);
        seen.set(truth[1] + 10, (seen.get(truth[1] + 10) ?? 0) + 1);
      }
      const collinear = name === 'a line' || name === 'a skew plane' ? [10] : [];
      for (const sign of [-1, 0, 1, 9, 11, ...collinear]) expect(seen.get(sign)).toBeGreaterThan(20);
    });
  }

  function rationalSigns(p: number[], axis: number): number[] {
    const q = commonIntegers(p);
    const d = Array.from({ length: 9 }, (_, i) => q[i] - q[9 + (i % 3)]);
    const minor = (i: number, j: number) => d[3 + i] * d[6 + j] - d[3 + j] * d[6 + i];
    const [u, v] = [(axis + 1) % 3, (axis + 2) % 3];
    const area = (q[3 + u] - q[u]) * (q[6 + v] - q[v]) - (q[3 + v] - q[v]) * (q[6 + u] - q[u]);
    return [d[0] * minor(1, 2) + d[1] * minor(2, 0) + d[2] * minor(0, 1), area].map(
      (x) => Number(x > 0n) - Number(x < 0n),
    );
  }
});
