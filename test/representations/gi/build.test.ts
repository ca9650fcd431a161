/** From mesh to image: folds bit-equal, samples on the source, quality, refusals, determinism. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { MeshError, OptionError } from '../../../src/base/errors.ts';
import { measureDeviation } from '../../../src/mesh/deviation.ts';
import type { Mesh } from '../../../src/mesh/mesh.ts';
import { vertexNormals } from '../../../src/mesh/topology.ts';
import { TriangleTree } from '../../../src/mesh/triangle-tree.ts';
import { readObj } from '../../../src/readers/obj/obj.ts';
import { buildGeometryImage } from '../../../src/representations/gi/make/index.ts';
import { type GeometryImage, toMesh } from '../../../src/representations/gi/tree/geometry-image.ts';
import { sizeOf } from '../../../src/representations/gi/tree/grid.ts';
import { squareOf } from '../../support/gi.ts';
import { long, some } from '../../support/long.ts';
import { box, bumpySphere, icosphere, tetrahedron } from '../../support/shapes.ts';
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
    const image = buildGeometryImage(mesh, { size: long ? 257 : 129, fit: 'off' });
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
    const { positions: p, triangles } = toMesh(buildGeometryImage(box(1, 2, 3), { size: 33, fit: 'off' }));
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
      const image = buildGeometryImage(box(), { size });
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
    ['box', () => box()],
    ['bunny', () => asset('bunny')],
  ];
  test.each(some(1, smooth))('%s: of unit length to within the quantum', (_, make) => {
    const normals = normalsOf(buildGeometryImage(make(), { size: long ? 129 : 65 }));
    // Each component is off by half a step of 1 / 32767 at most, the vector by sqrt(3) of that.
    let worst = 0;
    for (let i = 0; i < normals.length; i += 3) {
      const length = Math.sqrt(normals[i] ** 2 + normals[i + 1] ** 2 + normals[i + 2] ** 2);
      worst = Math.max(worst, Math.abs(length - 1));
    }
    expect(worst).toBeLessThanOrEqual(Math.sqrt(3) / 2 / 32767 + 1e-12);
    expect(worst).toBeGreaterThan(0);
  });

  // Vertex normals of a mesh inscribed in the unit sphere are its vertices (normals.ts), so the interpolated normal of a point p is p / |p|.
  test.each(some(1, [0, 1]))("icosphere of level %i: the source's, interpolated, not the facets'", (levels) => {
    const image = buildGeometryImage(icosphere(levels), { size: long ? 129 : 65, fit: 'off' });
    const { positions, triangles } = toMesh(image);
    const normals = normalsOf(image);
    let worst = 0;
    for (let i = 0; i < positions.length; i += 3) {
      const length = Math.sqrt(positions[i] ** 2 + positions[i + 1] ** 2 + positions[i + 2] ** 2);
      for (let k = 0; k < 3; k++) worst = Math.max(worst, Math.abs(normals[i + k] - positions[i + k] / length));
    }
    // Half a step of the normal's; and sqrt(3) / 2 steps of the position's, seen from 0.79, the icosahedron's inscribed radius.
    expect(worst).toBeLessThan(0.5 / 32767 + ((Math.sqrt(3) / 2) * image.step) / 0.79);
    const facets = vertexNormals(positions, triangles);
    expect(Math.max(...facets.map((x, i) => Math.abs(x - normals[i])))).toBeGreaterThan(0.1);
  });

  const few: [string, () => Mesh][] = [
    ['tetrahedron', tetrahedron],
    ['bumpy sphere, seed 62', () => bumpySphere(62, 1)],
  ];
  test.each(some(1, few))('%s: those of a source triangle that holds the sample', (_, make) => {
    const mesh = make();
    const image = buildGeometryImage(mesh, { size: long ? 129 : 65, fit: 'off' });
    const { positions } = toMesh(image);
    const stored = normalsOf(image);
    const source = vertexNormals(mesh.positions, mesh.triangles);
    for (let i = 0; i < positions.length; i += 3 * 5) {
      const best = nearestNormal(mesh, source, positions.subarray(i, i + 3), image.step, stored.subarray(i, i + 3));
      expect(best, `sample ${i / 3}`).toBeLessThan(1);
    }
  });
});

/** Least error, in units of what rounding allows, of a normal against those that triangles near p have there. */
function nearestNormal(mesh: Mesh, source: Float64Array, p: Float64Array, step: number, normal: Float64Array): number {
  let best = Number.POSITIVE_INFINITY;
  for (let t = 0; t < mesh.triangles.length; t += 3) {
    const [a, b, c] = [0, 1, 2].map((k) => 3 * mesh.triangles[t + k]);
    const edge = (from: number, to: number) => [0, 1, 2].map((k) => mesh.positions[to + k] - mesh.positions[from + k]);
    const dot = (x: number[], y: number[]) => x[0] * y[0] + x[1] * y[1] + x[2] * y[2];
    const [u, v] = [edge(a, b), edge(a, c)];
    const d = [0, 1, 2].map((k) => p[k] - mesh.positions[a + k]);
    const [uu, uv, vv, du, dv] = [dot(u, u), dot(u, v), dot(v, v), dot(d, u), dot(d, v)];
    const determinant = uu * vv - uv * uv;
    const beta = (vv * du - uv * dv) / determinant;
    const gamma = (uu * dv - uv * du) / determinant;
    const off = Math.hypot(...d.map((x, k) => x - beta * u[k] - gamma * v[k]));
    // A step moves a coordinate in the triangle by at most a step over the altitude.
    const altitude = Math.sqrt(determinant / Math.max(uu, vv, uu + vv - 2 * uv));
    const spare = step / altitude;
    if (off > step || Math.min(beta, gamma, 1 - beta - gamma) < -spare) continue;
    const n = [0, 1, 2].map((k) => source[a + k] * (1 - beta - gamma) + source[b + k] * beta + source[c + k] * gamma);
    const length = Math.hypot(...n);
    // Three unit normals with weights off by `spare` each, divided by the length; twice that for the division itself.
    const allowed = 0.5 / 32767 + (6 * spare) / length;
    best = Math.min(best, Math.max(...n.map((x, k) => Math.abs(x / length - normal[k]))) / allowed);
  }
  return best;
}

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
