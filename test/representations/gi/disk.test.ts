/** A disk covers the square: every triangle certainly positive, the rim exactly in its place, the area exactly 4. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { MeshError } from '../../../src/base/errors.ts';
import { Random } from '../../../src/math/numbers.ts';
import { measureDeviation } from '../../../src/mesh/deviation.ts';
import { halfedges, type Surface } from '../../../src/mesh/topology.ts';
import { readObj } from '../../../src/readers/obj/obj.ts';
import { coarsenDisk, estimateDisk } from '../../../src/representations/gi/make/parameterize/coarse-disk.ts';
import {
  DEFAULT_DISK_OPTIONS,
  type DiskEmbedding,
  embedDisk,
} from '../../../src/representations/gi/make/parameterize/disk.ts';
import type { Disk } from '../../../src/representations/gi/make/parameterize/disk-mesh.ts';
import { placeBoundary } from '../../support/disks.ts';
import { long, some } from '../../support/long.ts';
import { bumpySphere, grid, icosphere, mapped, octasphere, torus, twoBoxes } from '../../support/shapes.ts';

const after = (h: number): number => (h % 3 === 2 ? h - 2 : h + 1);

/** The triangles that `keeps` all three corners of, renumbered, and their rim (the one of vertex order's first). */
function diskOf(mesh: Surface, keeps: (v: number) => boolean = () => true): Disk {
  const numbers = new Map<number, number>();
  const positions: number[] = [];
  const faces: number[] = [];
  for (let h = 0; h < mesh.triangles.length; h += 3) {
    const corners = [...mesh.triangles.subarray(h, h + 3)];
    if (!corners.every(keeps)) continue;
    for (const v of corners) {
      if (!numbers.has(v)) {
        numbers.set(v, numbers.size);
        positions.push(...mesh.positions.subarray(3 * v, 3 * v + 3));
      }
      faces.push(numbers.get(v)!);
    }
  }
  const triangles = Uint32Array.from(faces);
  const twin = halfedges(triangles, numbers.size);
  const onward = new Map<number, number>();
  twin.forEach((t, h) => {
    if (t < 0) onward.set(triangles[h], triangles[after(h)]);
  });
  const boundary: number[] = [];
  for (let v = [...onward.keys()][0]; boundary.length === 0 || v !== boundary[0]; v = onward.get(v)!) boundary.push(v);
  return { positions: Float64Array.from(positions), triangles, boundary };
}

/** A disk of a vertex and those round it, grown by random triangles on its rim: any boundary, dents and ears. */
function randomDisk(seed: number): Disk {
  const random = new Random(seed);
  const point = () => [random.unit(), random.unit(), random.unit()];
  const positions = [...point(), ...point(), ...point()];
  const triangles = [0, 1, 2];
  const rim = [0, 1, 2];
  const edges = new Set(['0 1', '1 2', '0 2']);
  const key = (a: number, b: number) => (a < b ? `${a} ${b}` : `${b} ${a}`);
  const size = 3 + Math.floor(150 * random.unit());
  while (positions.length < 3 * size) {
    const i = Math.floor(random.unit() * rim.length);
    const [a, b, c] = [rim[i], rim[(i + 1) % rim.length], rim[(i + 2) % rim.length]];
    if (random.unit() < 0.6 && rim.length > 3 && !edges.has(key(a, c))) {
      triangles.push(a, c, b);
      edges.add(key(a, c));
      rim.splice((i + 1) % rim.length, 1);
    } else {
      const v = positions.length / 3;
      positions.push(...point());
      triangles.push(b, a, v);
      edges.add(key(a, v)).add(key(b, v));
      rim.splice(i + 1, 0, v);
    }
  }
  return { positions: Float64Array.from(positions), triangles: Uint32Array.from(triangles), boundary: rim };
}

/** Ascending places from a random start on, gaps of very different sizes. */
function randomPerimeter(count: number, seed: number): Float64Array {
  const random = new Random(seed);
  const gaps = Float64Array.from({ length: count }, () => 0.02 + random.unit() ** 4);
  const sum = gaps.reduce((a, b) => a + b);
  let place = 4 * random.unit();
  return gaps.map((gap) => {
    place += (4 * gap) / sum;
    return place % 4;
  });
}

const evenly = (count: number) => Float64Array.from({ length: count }, (_, i) => (4 * i) / count);

/** Coordinates are multiples of 2^-46: whole numbers here. */
const UNIT = 2n ** 46n;
function whole(x: number): bigint {
  return BigInt(x * 2 ** 46); // a RangeError where it is none
}

function placeOn(perimeter: number): [number, number] {
  const side = Math.floor(perimeter);
  const along = 2 * (perimeter - side) - 1;
  return [[along, -1] as const, [1, along] as const, [-along, 1] as const, [-1, -along] as const][side] as [
    number,
    number,
  ];
}

/** All that `embedDisk` promises. */
function expectSquare(disk: Disk, perimeter: Float64Array, result: DiskEmbedding): void {
  const { positions, triangles, corners, source, inserted, boundary } = result;
  const count = disk.positions.length / 3;
  const at = new Map<number, [number, number]>();
  triangles.forEach((v, h) => {
    const place: [number, number] = [corners[2 * h], corners[2 * h + 1]];
    const before = at.get(v) ?? place;
    if (before[0] !== place[0] || before[1] !== place[1]) throw new Error(`vertex ${v} has two places`);
    at.set(v, place);
  });
  expect(at.size).toBe(positions.length / 3);
  let area = 0n;
  for (let h = 0; h < triangles.length; h += 3) {
    const [[ax, ay], [bx, by], [cx, cy]] = [0, 1, 2].map((k) => at.get(triangles[h + k])!.map(whole));
    const twice = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax);
    if (twice <= 0n) throw new Error(`triangle ${h / 3} is not positive`);
    area += twice;
  }
  expect(area).toBe(8n * UNIT * UNIT);

  // the rim: the given vertices where they were put (to 2^-46, and to corners within 2^-30), corners between them
  const given = Array.from(disk.boundary);
  expect([...boundary].filter((v) => v < count)).toEqual(given);
  given.forEach((v, i) => {
    const [x, y] = at.get(v)!;
    const [px, py] = placeOn(perimeter[i]);
    const near = Math.abs(perimeter[i] - Math.round(perimeter[i])) < 2 ** -30 ? 2 ** -29 : 2 ** -46;
    const off = Math.max(Math.abs(x - px), Math.abs(y - py));
    if (off > near || Math.max(Math.abs(x), Math.abs(y)) !== 1) throw new Error(`vertex ${v} is ${off} from its place`);
  });
  boundary.forEach((v, i) => {
    if (String(at.get(v)) !== String(placeOn(result.perimeter[i]))) throw new Error(`vertex ${v} is not where it says`);
  });
  for (let corner = 0; corner < 4; corner++) expect(result.perimeter).toContain(corner);

  // inserted vertices by their recipe
  expect(inserted.first).toBe(count);
  expect(positions.subarray(0, 3 * count)).toEqual(disk.positions);
  inserted.t.forEach((t, i) => {
    const [a, b] = [inserted.a[i], inserted.b[i]];
    const recipe = [0, 1, 2].map((k) => positions[3 * a + k] + t * (positions[3 * b + k] - positions[3 * a + k]));
    const there = positions.subarray(3 * (count + i), 3 * (count + i) + 3);
    const rightT = boundary.includes(count + i) ? t > 0 && t < 1 : t === 0.5;
    if (Math.max(a, b) >= count + i || !rightT || recipe.some((x, k) => x !== there[k])) {
      throw new Error(`vertex ${count + i} is not where its recipe says`);
    }
  });

  // a corner's t is where it lies between the places of the rim vertices beside it
  const rim = given.length;
  boundary.forEach((v, i) => {
    if (v < count) return;
    const from = given.indexOf(inserted.a[v - count]);
    expect(inserted.b[v - count]).toBe(given[(from + 1) % rim]);
    const past = (a: number, b: number) => (b - a + 4) % 4;
    const t = past(perimeter[from], result.perimeter[i]) / past(perimeter[from], perimeter[(from + 1) % rim]);
    expect(inserted.t[v - count]).toBeCloseTo(t, 9);
  });

  // every triangle a part of its source, the parts of one of the area of the whole
  const areas = new Float64Array(disk.triangles.length / 3);
  source.forEach((t, i) => {
    areas[t] += areaOf(positions, triangles, 3 * i);
  });
  areas.forEach((area, t) => {
    const wanted = areaOf(disk.positions, disk.triangles, 3 * t);
    if (!(Math.abs(area - wanted) <= 1e-9 * (1 + wanted)))
      throw new Error(`the parts of triangle ${t} miss some of it`);
  });
}

function areaOf(p: Float64Array, triangles: Uint32Array, h: number): number {
  const [a, b, c] = [0, 1, 2].map((k) => [...p.subarray(3 * triangles[h + k], 3 * triangles[h + k] + 3)]);
  const [u, v] = [b.map((x, k) => x - a[k]), c.map((x, k) => x - a[k])];
  return Math.hypot(u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]) / 2;
}

const triangle: Disk = {
  positions: Float64Array.of(0, 0, 0, 1, 0, 0, 0, 1, 0),
  triangles: Uint32Array.of(0, 1, 2),
  boundary: [0, 1, 2],
};

/** A tube along z, closed at the top by a fan; n round, the rim at the bottom. */
function tube(n: number, height: number): Disk {
  const rings = Math.round((height * n) / Math.PI);
  const positions: number[] = [];
  const triangles: number[] = [];
  for (let j = 0; j <= rings; j++) {
    for (let i = 0; i < n; i++) {
      const angle = (2 * Math.PI * (i + j / 2)) / n;
      positions.push(Math.cos(angle) / 2, Math.sin(angle) / 2, (height * j) / rings);
    }
  }
  const vertex = (j: number, i: number) => n * j + (i % n);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < rings; j++) {
      triangles.push(vertex(j, i), vertex(j, i + 1), vertex(j + 1, i));
      triangles.push(vertex(j, i + 1), vertex(j + 1, i + 1), vertex(j + 1, i));
    }
    triangles.push(vertex(rings, i), vertex(rings, i + 1), positions.length / 3);
  }
  positions.push(0, 0, height + 0.5);
  return diskOf({ positions: Float64Array.from(positions), triangles: Uint32Array.from(triangles) });
}

/** n triangles round vertex 0: all the way, or half of it, so that vertex 0 is on the rim. */
function fan(n: number, half: boolean): Disk {
  const positions = [0, 0, 0];
  const triangles: number[] = [];
  for (let i = 0; i < (half ? n + 1 : n); i++) {
    const angle = ((half ? 1 : 2) * Math.PI * i) / n;
    positions.push(Math.cos(angle), Math.sin(angle), 0);
  }
  for (let i = 0; i < n; i++) triangles.push(0, 1 + i, half ? 2 + i : 1 + ((i + 1) % n));
  return diskOf({ positions: Float64Array.from(positions), triangles: Uint32Array.from(triangles) });
}

const strip = (n: number): Disk => diskOf(mapped(grid(n, 1), (x, y) => [n * x, y, 0]));
const terrain = (n: number): Disk => {
  const random = new Random(4);
  return diskOf(mapped(grid(n), (x, y) => [x, y, 0.05 * random.unit()]));
};
const sphereLess = (seed: number): Disk => diskOf(bumpySphere(seed, 3), (v) => v !== 5);
const halfSphere = (levels: number): Disk => {
  const sphere = octasphere(levels);
  return diskOf(sphere, (v) => sphere.positions[3 * v + 2] > -1e-9);
};
const bunny = (): Disk =>
  diskOf(readObj(readFileSync(new URL('../../../assets/bunny.obj', import.meta.url))), (v) => v !== 100);

describe('the triangles cover the square once', () => {
  test.each<[string, () => Disk]>([
    ['triangle', () => triangle],
    ['two triangles', () => diskOf(grid(1))],
    ['grid', () => diskOf(grid(9))],
    ['terrain', () => terrain(12)],
    ['half sphere', () => halfSphere(3)],
    ['icosphere less a vertex', () => diskOf(icosphere(2), (v) => v !== 7)],
    ['tube', () => tube(12, long ? 6 : 3)],
    ['fan of 500', () => fan(500, false)],
    ['half a fan of 500', () => fan(500, true)],
    ['strip of 400', () => strip(400)],
    ...some<[string, () => Disk]>(0, [['bunny less a vertex', bunny]]),
  ])('%s', { tags: ['all', 'long'] }, (_, make) => {
    const disk = make();
    const perimeter = placeBoundary(disk);
    expectSquare(disk, perimeter, embedDisk(disk, perimeter));
    const even = evenly(disk.boundary.length);
    expectSquare(disk, even, embedDisk(disk, even, { sweeps: 1, finalSweeps: 1, growth: 2 }));
  });

  test.each([
    [0, 1, 2],
    [0.1, 0.2, 0.3],
    [3.9, 0.1, 0.2],
    [0.5, 3.5, 0.2],
    [0, 0.25, 0.5],
    [3, 0, 0.5],
    [0.5, 1.5, 3],
    [1, 1.001, 2 ** -12],
  ])('a triangle at %f, %f, %f', (...places) => {
    const perimeter = Float64Array.from(places);
    expectSquare(triangle, perimeter, embedDisk(triangle, perimeter));
  });

  test.each(Array.from({ length: long ? 14 : 4 }, (_, i) => i + 1))(
    'random disk at random places, seed %i',
    { tags: ['quick', 'long'] },
    (seed) => {
      const disk = randomDisk(seed);
      const perimeter = randomPerimeter(disk.boundary.length, seed);
      expectSquare(disk, perimeter, embedDisk(disk, perimeter, { ...DEFAULT_DISK_OPTIONS, coarseSweeps: 10 }));
    },
  );

  test.each(some(1, [1, 2, 3]))('bumpy sphere less a vertex, seed %i', { tags: ['quick', 'long'] }, (seed) => {
    const disk = sphereLess(seed);
    const perimeter = randomPerimeter(disk.boundary.length, seed);
    expectSquare(disk, perimeter, embedDisk(disk, perimeter));
  });
});

test('vertices pinned at grid places stay there bit by bit', () => {
  const disk = diskOf(grid(16));
  const perimeter = Float64Array.from({ length: 64 }, (_, i) => ((i + 5) % 64) / 16);
  const { perimeter: places, boundary, inserted } = embedDisk(disk, perimeter);
  expect(places).toEqual(perimeter);
  expect([...boundary]).toEqual(disk.boundary);
  // the given corners of the grid lie five places from the square's: ears there have chords
  expect([...inserted.t].every((t) => t === 0.5)).toBe(true);
});

test('two runs give the same bytes', { tags: ['quick', 'long'] }, () => {
  const disk = long ? sphereLess(4) : halfSphere(2);
  const [a, b] = [0, 1].map(() => embedDisk(disk, placeBoundary(disk)));
  expect(Buffer.from(a.corners.buffer).equals(Buffer.from(b.corners.buffer))).toBe(true);
  expect(a).toEqual(b);
});

describe('hostile disks embed or are refused in one line', () => {
  const moved = (make: () => Disk, move: (x: number, y: number, z: number) => [number, number, number]) => () => {
    const disk = make();
    return { ...disk, ...mapped(disk as Surface, move) };
  };
  test.each<[string, () => Disk]>([
    [
      'all on a line',
      moved(
        () => terrain(8),
        (x) => [x, 0, 0],
      ),
    ],
    [
      'all in one point',
      moved(
        () => terrain(8),
        () => [1, 2, 3],
      ),
    ],
    [
      'half folded flat',
      moved(
        () => terrain(8),
        (x, y) => [Math.min(x, 0.5), y, 0],
      ),
    ],
    [
      'a needle',
      moved(
        () => sphereLess(2),
        (x, y, z) => [1e6 * x, y, z],
      ),
    ],
    [
      'a sheet',
      moved(
        () => sphereLess(2),
        (x, y, z) => [x, y, 1e-9 * z],
      ),
    ],
    ['a deep tube', () => tube(6, long ? 40 : 20)],
    [
      'rim in one point',
      moved(
        () => halfSphere(3),
        (x, y, z) => (z < 0.01 ? [0, 0, 0] : [x, y, z]),
      ),
    ],
    [
      'coordinates of 1e100',
      moved(
        () => sphereLess(2),
        (x, y, z) => [1e100 * x, 1e100 * y, 1e100 * z],
      ),
    ],
  ])('%s', { tags: ['quick', 'long'] }, (_, make) => {
    const disk = make();
    const even = evenly(disk.boundary.length);
    try {
      expectSquare({ ...disk }, even, embedDisk(disk, even, { sweeps: 1, finalSweeps: 1, growth: 2 }));
    } catch (error) {
      if (!(error instanceof MeshError)) throw error;
      expect(error.message).not.toContain('\n');
    }
  });

  test.each<[string, () => Disk]>([
    ['a torus', () => ({ ...torus(), boundary: [0, 1, 2] })],
    ['a vertex without a triangle', () => ({ ...triangle, positions: new Float64Array(12) })],
    ['a rim not its own', () => ({ ...diskOf(grid(4)), boundary: [0, 1, 2, 3] })],
    ['a rim backwards', () => ({ ...triangle, boundary: [2, 1, 0] })],
    [
      'a closed piece beside',
      () => {
        const { positions, triangles } = twoBoxes();
        return diskOf({ positions, triangles: triangles.slice(3) });
      },
    ],
    [
      'two triangles at a vertex',
      () => ({
        positions: new Float64Array(15),
        triangles: Uint32Array.of(0, 1, 2, 0, 3, 4),
        boundary: [0, 1, 2],
      }),
    ],
  ])('%s is no disk', (_, make) => {
    const disk = make();
    expect(() => embedDisk(disk, evenly(disk.boundary.length))).toThrow(MeshError);
  });

  test('places', () => {
    const [a, b] = [0.25, 0.25 + 2 ** -50];
    expect(() => embedDisk(triangle, Float64Array.of(a, b, 2))).toThrow(MeshError);
    expect(() => embedDisk(triangle, Float64Array.of(0, 2, 1))).toThrow(RangeError);
    expect(() => embedDisk(triangle, Float64Array.of(0, 1, 5))).toThrow(RangeError);
    expect(() => embedDisk(triangle, Float64Array.of(0, 1))).toThrow(RangeError);
  });
});

/** The disk sampled at size x size places of the square, as a mesh. */
function resampled({ positions, triangles, corners }: DiskEmbedding, size: number): Surface {
  const samples = new Float64Array(3 * size * size).fill(Number.NaN);
  const step = 2 / (size - 1);
  for (let h = 0; h < triangles.length; h += 3) {
    const [ax, ay, bx, by, cx, cy] = corners.subarray(2 * h, 2 * h + 6);
    const twice = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax);
    const rows = [Math.ceil((Math.min(ay, by, cy) + 1) / step), Math.floor((Math.max(ay, by, cy) + 1) / step)];
    const columns = [Math.ceil((Math.min(ax, bx, cx) + 1) / step), Math.floor((Math.max(ax, bx, cx) + 1) / step)];
    for (let j = rows[0]; j <= rows[1]; j++) {
      for (let i = columns[0]; i <= columns[1]; i++) {
        const [x, y] = [i * step - 1 - ax, j * step - 1 - ay];
        const v = (x * (cy - ay) - y * (cx - ax)) / twice;
        const w = ((bx - ax) * y - (by - ay) * x) / twice;
        if (Math.min(v, w, 1 - v - w) < -1e-9) continue;
        for (let k = 0; k < 3; k++) {
          const [p, q, r] = [0, 1, 2].map((c) => positions[3 * triangles[h + c] + k]);
          samples[3 * (j * size + i) + k] = p + v * (q - p) + w * (r - p);
        }
      }
    }
  }
  expect(samples.includes(Number.NaN)).toBe(false);
  return { positions: samples, triangles: grid(size - 1).triangles };
}

describe('quality', () => {
  const disks: [string, () => Disk, number][] = [
    ['half sphere', () => halfSphere(4), 75],
    ['tube of ten diameters', () => tube(24, 10), 70],
    ['bunny less a vertex', bunny, 55],
  ];
  test.each(some(1, disks))('%s at 65', { tags: ['all', 'long'] }, (_, make, least) => {
    const disk = make();
    const embedding = embedDisk(disk, placeBoundary(disk));
    const { psnr } = measureDeviation(disk, resampled(embedding, 65), { samples: 10_000, seed: 1 });
    expect(psnr).toBeGreaterThan(least);
  });

  test('a flat square onto itself is nearly isometric', { tags: ['quick', 'long'] }, () => {
    const disk = diskOf(grid(long ? 32 : 16));
    expect(embedDisk(disk, placeBoundary(disk)).stretch).toBeLessThan(8.2);
  });

  test('the coarse form estimates the stretch', () => {
    const disk = diskOf(bumpySphere(7, 4), (v) => v !== 5);
    const perimeter = evenly(disk.boundary.length);
    const estimate = estimateDisk(coarsenDisk(disk), perimeter).stretch;
    const { stretch } = embedDisk(disk, perimeter);
    expect(estimate / stretch).toBeGreaterThan(0.6);
    expect(estimate / stretch).toBeLessThan(1.7);
  });
});
