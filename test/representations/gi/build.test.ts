/** From mesh to image: folds bit-equal, samples on the source, quality, refusals, determinism. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { MeshError, OptionError } from '../../../src/base/errors.ts';
import { measureDeviation } from '../../../src/mesh/deviation.ts';
import type { Mesh } from '../../../src/mesh/mesh.ts';
import type { Surface } from '../../../src/mesh/topology.ts';
import { TriangleTree } from '../../../src/mesh/triangle-tree.ts';
import { readObj } from '../../../src/readers/obj/obj.ts';
import { buildGeometryImage } from '../../../src/representations/gi/make/index.ts';
import { countReversed, type GeometryImage, toMesh } from '../../../src/representations/gi/tree/geometry-image.ts';
import { sizeOf } from '../../../src/representations/gi/tree/grid.ts';
import { squareOf, withSquare } from '../../support/gi.ts';
import { long, some } from '../../support/long.ts';
import { seeded } from '../../support/random.ts';
import { box, bumpySphere, drilledPlate, icosphere, mapped, tetrahedron } from '../../support/shapes.ts';
import { analyseTopology } from '../../support/topology.ts';

const asset = (name: string): Mesh => readObj(readFileSync(new URL(`../../../assets/${name}.obj`, import.meta.url)));

function stretched(mesh: Mesh, factor: number): Mesh {
  return { ...mesh, positions: mesh.positions.map((x, i) => (i % 3 === 0 ? factor * x : x)) };
}

/** The two samples that one boundary point has: mirrored about the middle of its side. */
function boundaryCopies(size: number): [number, number][] {
  const last = size - 1;
  const pairs: [number, number][] = [];
  for (let i = 0; i <= last; i++) {
    pairs.push([i, last - i]);
    pairs.push([last * size + i, last * size + last - i]);
    pairs.push([i * size, (last - i) * size]);
    pairs.push([i * size + last, (last - i) * size + last]);
  }
  return pairs;
}

function expectFolded(image: GeometryImage): void {
  const { exponent, geometry, normals } = squareOf(image);
  const isFolded = ([a, b]: [number, number]): boolean =>
    [geometry, normals!].every((page) => [0, 1, 2].every((k) => page[3 * a + k] === page[3 * b + k]));
  expect(boundaryCopies(sizeOf(exponent)).filter((pair) => !isFolded(pair))).toEqual([]);
}

describe('an image of a closed genus-0 mesh', () => {
  const meshes: [string, () => Mesh, number][] = [
    ['tetrahedron', tetrahedron, 80],
    ['bolt', () => asset('bolt'), 74],
    ['bunny', () => asset('bunny'), 80],
    ['blob', () => asset('blob'), 85],
    ['star', () => asset('star'), 80],
    ['boulder', () => asset('boulder'), 74],
    ['box', () => asset('box'), 74],
    ['needle of 1000:1', () => stretched(icosphere(4), 1000), 100],
    ['sheet of 100:1', () => stretched(box(1, 100, 100), 1), 85],
  ];
  test.each(some(1, meshes))('%s', { tags: ['quick', 'long'] }, (_, make, decibels) => {
    const mesh = make();
    const image = buildGeometryImage(mesh, { size: long ? 257 : 129, charts: 'one', fit: 'off' });
    expectFolded(image);
    const surface = toMesh(image);
    const deviation = measureDeviation(mesh, surface, { samples: long ? 60_000 : 8000 });
    // Half the samples a side are good for a quarter of the distances at best, for half of them at an edge: 6 dB.
    expect(deviation.psnr).toBeGreaterThan(long ? decibels : decibels - 6);
    // Every sample lies on the source to within its quantum.
    const tree = new TriangleTree(mesh);
    let farthest = 0;
    for (let v = 0; v < surface.positions.length; v += long ? 3 : 9) {
      const [x, y, z] = surface.positions.subarray(v, v + 3);
      farthest = Math.max(farthest, tree.closestDistanceSquared(x, y, z));
    }
    expect(Math.sqrt(farthest)).toBeLessThan(0.9 * image.step);
  });

  test.each(some(1, [11, 12, 13, 14]))(
    'bumpy sphere, seed %i: the stored surface is closed where welded, of genus 0',
    { tags: ['quick', 'long'] },
    (seed) => {
      const image = buildGeometryImage(bumpySphere(seed, long ? 4 : 1), { size: 33 });
      expectFolded(image);
      const { positions, triangles } = toMesh(image);
      const number = new Map<string, number>();
      const welded = triangles.map((v) => {
        const key = positions.subarray(3 * v, 3 * v + 3).join();
        if (!number.has(key)) number.set(key, v);
        return number.get(key)!;
      });
      const kept = [];
      for (let t = 0; t < welded.length; t += 3) {
        const [a, b, c] = welded.subarray(t, t + 3);
        if (a !== b && b !== c && c !== a) kept.push(a, b, c);
      }
      const topology = analyseTopology({ positions, triangles: Uint32Array.from(kept) });
      expect(topology).toMatchObject({
        closed: true,
        boundaryEdges: 0,
        components: 1,
        genus: 0,
        consistentlyOriented: true,
      });
    },
  );

  test('normals are unit length and point outward', { tags: ['quick', 'long'] }, () => {
    const image = buildGeometryImage(icosphere(long ? 4 : 1), { size: long ? 65 : 33 });
    const { positions } = toMesh(image);
    const normals = squareOf(image).normals!;
    // Of unit length, and along the radius: triangles lie a little within the sphere.
    const least = long ? 0.99 : 0.93;
    const wrong: number[] = [];
    for (let v = 0; v < positions.length; v += 3) {
      const n = [0, 1, 2].map((k) => (normals[v + k] - 32768) / 32767);
      const isUnit = Math.abs(n[0] * n[0] + n[1] * n[1] + n[2] * n[2] - 1) < 2e-4;
      const isOutward = n[0] * positions[v] + n[1] * positions[v + 1] + n[2] * positions[v + 2] > least;
      if (!isUnit || !isOutward) wrong.push(v / 3);
    }
    expect(wrong).toEqual([]);
  });

  test('the stored surface turns outward as the source does', () => {
    const { positions: p, triangles } = toMesh(
      buildGeometryImage(box(1, 2, 3), { size: 33, charts: 'one', fit: 'off' }),
    );
    let volume = 0;
    for (let t = 0; t < triangles.length; t += 3) {
      const [a, b, c] = [3 * triangles[t], 3 * triangles[t + 1], 3 * triangles[t + 2]];
      volume +=
        (p[a] * (p[b + 1] * p[c + 2] - p[b + 2] * p[c + 1]) +
          p[a + 1] * (p[b + 2] * p[c] - p[b] * p[c + 2]) +
          p[a + 2] * (p[b] * p[c + 1] - p[b + 1] * p[c])) /
        6;
    }
    expect(volume).toBeGreaterThan(5.4);
    expect(volume).toBeLessThan(6);
  });

  test('two builds are equal, and other placements give the same quality', { tags: ['all', 'long'] }, () => {
    const mesh = bumpySphere(5, long ? 4 : 1);
    const size = long ? 65 : 33;
    const image = buildGeometryImage(mesh, { size });
    expect(buildGeometryImage(mesh, { size })).toEqual(image);
    const samples = long ? 40_000 : 5000;
    const psnr = (m: Mesh, built: GeometryImage) => measureDeviation(m, toMesh(built), { samples }).psnr;
    const moved = { ...mesh, positions: mesh.positions.map((x) => 1000 * x + 5e5) };
    const other = buildGeometryImage(moved, { size });
    expect(Math.abs(psnr(moved, other) - psnr(mesh, image))).toBeLessThan(1);
  });

  test.each([-198, 198])(
    'scaled by 2^%d, to the ends of what is accepted, every pixel stays',
    { tags: ['all', 'long'] },
    (power) => {
      const mesh = bumpySphere(6, long ? 2 : 1);
      const size = long ? 33 : 17;
      const image = buildGeometryImage(mesh, { size });
      const scaled = buildGeometryImage({ ...mesh, positions: mesh.positions.map((x) => x * 2 ** power) }, { size });
      expect(squareOf(scaled).geometry).toEqual(squareOf(image).geometry);
      expect(squareOf(scaled).normals).toEqual(squareOf(image).normals);
      expect(squareOf(scaled).tree.page).toEqual(squareOf(image).tree.page);
      expect(scaled.step).toBe(image.step * 2 ** power);
    },
  );

  test('every size makes an image of that size', { tags: ['quick', 'long'] }, () => {
    for (const size of long ? [17, 33, 129, 513] : [17, 33]) {
      const image = buildGeometryImage(box(), { size, charts: 'one' });
      expect(squareOf(image).geometry.length).toBe(3 * size * size);
      expectFolded(image);
    }
  });
});

/** Components of the stored normals, decoded as FORMAT.md says. */
const normalsOf = (image: GeometryImage): Float64Array =>
  Float64Array.from(squareOf(image).normals!, (q) => (q - 32768) / 32767);

describe('stored normals', { tags: ['quick', 'long'] }, () => {
  const smooth: [string, () => Mesh][] = [
    ['bumpy sphere, seed 61', () => bumpySphere(61, long ? 2 : 1)],
    ['bunny', () => asset('bunny')],
  ];
  test.each(some(1, smooth))('%s: of unit length to within the quantum', (_, make) => {
    const normals = normalsOf(buildGeometryImage(make(), { size: long ? 129 : 65, charts: 'one' }));
    // Each component is off by half a step of 1 / 32767 at most, the vector by sqrt(3) of that.
    let worst = 0;
    for (let i = 0; i < normals.length; i += 3) {
      const length = Math.sqrt(normals[i] ** 2 + normals[i + 1] ** 2 + normals[i + 2] ** 2);
      worst = Math.max(worst, Math.abs(length - 1));
    }
    expect(worst).toBeLessThanOrEqual(Math.sqrt(3) / 2 / 32767 + 1e-12);
    expect(worst).toBeGreaterThan(0);
  });

  test('icosphere of level 0: those of its faces, which are creased', () => {
    const mesh = icosphere(0);
    const { mean, flat } = anglesOf(mesh, buildGeometryImage(mesh, { size: 33, fit: 'off' }), 500);
    expect(mean).toBeLessThan(0.01);
    expect(flat).toBeLessThan(0.01);
  });

  test("icosphere of level 3: the sphere's, not the facets'", () => {
    const image = buildGeometryImage(icosphere(3), { size: 65, fit: 'off' });
    const { positions } = toMesh(image);
    const normals = normalsOf(image);
    const cosines = Array.from({ length: positions.length / 3 }, (_, v) => {
      const [p, n] = [positions, normals].map((all) => all.subarray(3 * v, 3 * v + 3));
      return dot(p, n) / Math.hypot(...p);
    });
    // The facets' are more than 4 degrees off at their corners.
    expect(Math.min(...cosines)).toBeGreaterThan(Math.cos((1.5 * Math.PI) / 180));
  });
});

const dot = (x: ArrayLike<number>, y: ArrayLike<number>): number => x[0] * y[0] + x[1] * y[1] + x[2] * y[2];

/** The point of a triangle nearest to q: in its plane if the three areas agree, else on a side. */
function distanceTo(q: number[], corners: number[][], normal: number[]): number {
  const from = (a: number[], b: number[]) => a.map((x, k) => b[k] - x);
  const cross = (a: number[], b: number[]) => [
    a[1] * b[2] - a[2] * b[1],
    a[2] * b[0] - a[0] * b[2],
    a[0] * b[1] - a[1] * b[0],
  ];
  let nearest = Number.POSITIVE_INFINITY;
  let isOver = true;
  corners.forEach((a, k) => {
    const side = from(a, corners[(k + 1) % 3]);
    const away = from(a, q);
    const part = Math.min(1, Math.max(0, dot(side, away) / dot(side, side)));
    nearest = Math.min(nearest, Math.hypot(...away.map((x, i) => x - part * side[i])));
    if (dot(cross(side, away), normal) < 0) isOver = false;
  });
  return isOver ? Math.abs(dot(from(corners[0], q), normal)) : nearest;
}

/** The faces with an area: corners, unit normals and areas. */
function facesOf(mesh: Surface) {
  return Array.from({ length: mesh.triangles.length / 3 }, (_, t) => {
    const corners = [0, 1, 2].map((k) => [...mesh.positions.subarray(3 * mesh.triangles[3 * t + k]).subarray(0, 3)]);
    const [u, v] = [1, 2].map((i) => corners[i].map((x, k) => x - corners[0][k]));
    const n = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
    const size = Math.hypot(...n);
    return { corners, normal: n.map((x) => x / size), area: size / 2 };
  }).filter(({ area }) => area > 0);
}

/**
 * Degrees between stored normals and those of the nearest source faces, by looking at all of them,
 * over some samples: in the mean; and at most where all faces within four samples of it lie in one
 * plane. A sample without a normal counts as 180.
 */
function anglesOf(mesh: Mesh, image: GeometryImage, count: number): { mean: number; flat: number } {
  const faces = facesOf(mesh);
  const { positions } = toMesh(image);
  const normals = image.groups.flatMap((group) => [...group.normals!]).map((q) => (q - 32768) / 32767);
  const area = faces.reduce((sum, face) => sum + face.area, 0);
  const around = 4 * Math.sqrt((3 * area) / positions.length);
  const random = seeded(44);
  let [sum, flat] = [0, 0];
  for (let i = 0; i < count; i++) {
    const at = 3 * random.below(positions.length / 3);
    const q = [...positions.subarray(at, at + 3)];
    const distances = faces.map(({ corners, normal }) => distanceTo(q, corners, normal));
    const nearest = Math.min(...distances) + image.step;
    const own = [...normals.slice(at, at + 3)];
    const length = Math.hypot(...own);
    const near = faces.filter((_, t) => distances[t] <= nearest);
    const cosine = length > 0 ? Math.max(...near.map(({ normal }) => dot(normal, own) / length)) : -1;
    const degrees = (Math.acos(Math.min(1, cosine)) * 180) / Math.PI;
    sum += degrees / count;
    const beside = faces.filter((_, t) => distances[t] <= around);
    if (beside.every(({ normal }) => dot(normal, beside[0].normal) > 1 - 1e-9)) flat = Math.max(flat, degrees);
  }
  return { mean: sum, flat };
}

describe('normals agree with the nearest faces of the source', () => {
  test('a thin plate with a hole', () => {
    const mesh = drilledPlate(1, 0.05, 3);
    const { mean, flat } = anglesOf(mesh, buildGeometryImage(mesh, { size: 65 }), 300);
    expect(mean).toBeLessThan(5);
    expect(flat).toBeLessThan(1);
  });

  const meshes: [string, () => Mesh][] = [
    ['a thin plate with four holes', () => drilledPlate(2, 0.05, 6)],
    ['a block with nine holes', () => drilledPlate(3, 1, 6)],
    ...['box', 'bolt', 'bunny', 'torus', 'boulder'].map((name): [string, () => Mesh] => [name, () => asset(name)]),
  ];
  test.each(meshes)('%s at 257', { tags: ['all'] }, (name, make) => {
    const mesh = make();
    const { mean, flat } = anglesOf(mesh, buildGeometryImage(mesh, { size: 257 }), name === 'boulder' ? 300 : 1000);
    expect(mean).toBeLessThan(5);
    expect(flat).toBeLessThan(1);
  });
});

/**
 * Triangles that face away from all source faces nearest to their centers, by looking at all of
 * them, except for those that the rounding of their corners may have turned.
 */
function reversedOf(mesh: Mesh, image: GeometryImage): number {
  const faces = facesOf(mesh);
  const boxes = faces.map(({ corners }) => {
    const middle = [0, 1, 2].map((k) => (corners[0][k] + corners[1][k] + corners[2][k]) / 3);
    return { middle, radius: Math.max(...corners.map((p) => Math.hypot(...p.map((x, k) => x - middle[k])))) };
  });
  return facesOf(toMesh(image)).filter(({ corners, normal, area }) => {
    const longest = Math.max(...corners.map((p, k) => Math.hypot(...p.map((x, i) => x - corners[(k + 1) % 3][i]))));
    if ((2 * area) / longest <= Math.sqrt(3) * image.step * (1 + 1e-9)) return false;
    const q = [0, 1, 2].map((k) => (corners[0][k] + corners[1][k] + corners[2][k]) / 3);
    const away = boxes.map(({ middle }) => Math.hypot(...q.map((x, k) => x - middle[k])));
    const most = Math.min(...away.map((d, t) => d + boxes[t].radius));
    const near = faces.filter((_, t) => away[t] - boxes[t].radius <= most);
    const distances = near.map((face) => distanceTo(q, face.corners, face.normal));
    const nearest = Math.min(...distances) + image.step / 100;
    return near.every((face, t) => distances[t] > nearest || dot(face.normal, normal) < 0);
  }).length;
}

describe('reversed triangles', () => {
  const wedge = (): Mesh => mapped(box(), (x, y, z) => [x, y * (0.55 + x) * 0.2, 3 * z]);
  test.each<[string, () => Mesh]>([
    ['tetrahedron', tetrahedron],
    ['box', () => box()],
    ['wedge', wedge],
  ])('%s: none', (_, make) => {
    const mesh = make();
    const imageOf = (size: number) => buildGeometryImage(mesh, { size, charts: 'one', fit: 'off' });
    for (const size of [65, 257]) expect(countReversed(imageOf(size))).toBe(0);
    // A triangle that cuts off a sharp tip may face away from the faces nearest to its center.
    expect(reversedOf(mesh, imageOf(65))).toBeLessThan(10);
  });

  test.each([1, 2])('samples moved over others, seed %i: about as many as a look at all faces finds', (seed) => {
    const random = seeded(seed);
    const mesh = bumpySphere(seed, 2);
    const image = buildGeometryImage(mesh, { size: 33, charts: 'one', fit: 'off' });
    const geometry = squareOf(image).geometry.slice();
    for (let v = 0; v < geometry.length; v += 3) {
      if (random.next() > 0.05) continue;
      for (let k = v; k < v + 3; k++)
        geometry[k] = Math.min(65535, Math.max(0, Math.round(geometry[k] + random.between(-8000, 8000))));
    }
    const moved = withSquare(image, { geometry });
    const truth = reversedOf(mesh, moved);
    const found = countReversed(moved) ?? -1;
    expect(truth).toBeGreaterThan(20);
    expect(found).toBeGreaterThan(truth / 1.5);
    expect(found).toBeLessThan(truth * 1.5);
  });
});

describe('other meshes are refused with the reason', () => {
  test.each<[string, () => Mesh, RegExp]>([
    [
      'no triangle with three corners',
      () => ({ positions: Float64Array.of(0, 0, 0, 1, 0, 0), triangles: Uint32Array.of(0, 1, 1), groups: [] }),
      /expected a triangle with three corners, found none/,
    ],
    [
      'far from its origin',
      () => ({ ...box(), positions: box().positions.map((x) => x + 1e14) }),
      /near its origin|vertices/,
    ],
    ['tiny', () => ({ ...box(), positions: box().positions.map((x) => x * 1e-61) }), /extent of at least 1e-60/],
    ['huge', () => ({ ...box(), positions: box().positions.map((x) => x * 3e60) }), /coordinates up to 1e\+60/],
  ])('%s', (_, make, reason) => {
    expect(() => buildGeometryImage(make())).toThrow(MeshError);
    expect(() => buildGeometryImage(make())).toThrow(reason);
  });

  test.each([0, 16, 100, 256, 16385, Number.NaN])('size %d', (size) => {
    expect(() => buildGeometryImage(box(), { size })).toThrow(OptionError);
  });
});
