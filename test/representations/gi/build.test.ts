/** From mesh to image: folds bit-equal, samples on the source, quality, refusals, determinism. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { readObj } from '../../../src/containers/obj.ts';
import { MeshError, OptionError } from '../../../src/math/errors.ts';
import { measureDeviation } from '../../../src/mesh/deviation.ts';
import type { Mesh } from '../../../src/mesh/mesh.ts';
import { analyseTopology } from '../../../src/mesh/topology.ts';
import { TriangleTree } from '../../../src/mesh/triangle-tree.ts';
import { buildGeometryImage } from '../../../src/representations/gi/build.ts';
import { type GeometryImage, sizeOf, toMesh } from '../../../src/representations/gi/geometry-image.ts';
import { box, bumpySphere, grid, icosphere, moebiusStrip, tetrahedron, torus, twoBoxes } from '../../support/shapes.ts';

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
  const size = sizeOf(image.exponent);
  for (const [a, b] of boundaryCopies(size)) {
    for (const page of [image.geometry, image.normals!]) {
      expect([...page.subarray(3 * a, 3 * a + 3)]).toEqual([...page.subarray(3 * b, 3 * b + 3)]);
    }
  }
}

describe('an image of a closed genus-0 mesh', () => {
  test.each<[string, () => Mesh, number]>([
    ['bunny', () => asset('bunny'), 80],
    ['blob', () => asset('blob'), 85],
    ['bolt', () => asset('bolt'), 74],
    ['star', () => asset('star'), 80],
    ['boulder', () => asset('boulder'), 74],
    ['box', () => asset('box'), 74],
    ['tetrahedron', tetrahedron, 80],
    ['needle of 1000:1', () => stretched(icosphere(4), 1000), 100],
    ['sheet of 100:1', () => stretched(box(1, 100, 100), 1), 85],
  ])('%s at 257 x 257', (_, make, decibels) => {
    const mesh = make();
    const image = buildGeometryImage(mesh);
    expectFolded(image);
    const surface = toMesh(image);
    const deviation = measureDeviation(mesh, surface, { samples: 60_000 });
    expect(deviation.psnr).toBeGreaterThan(decibels);
    // Every sample lies on the source to within its quantum.
    const tree = new TriangleTree(mesh);
    let farthest = 0;
    for (let v = 0; v < surface.positions.length; v += 3) {
      const [x, y, z] = surface.positions.subarray(v, v + 3);
      farthest = Math.max(farthest, tree.closestDistanceSquared(x, y, z));
    }
    expect(Math.sqrt(farthest)).toBeLessThan(0.9 * image.step);
  });

  test.each([11, 12, 13, 14])(
    'bumpy sphere, seed %i: the stored surface is closed where welded, of genus 0',
    (seed) => {
      const image = buildGeometryImage(bumpySphere(seed), { size: 33 });
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

  test('normals are unit length and point outward', () => {
    const image = buildGeometryImage(icosphere(4), { size: 65 });
    const { positions } = toMesh(image);
    for (let v = 0; v < positions.length; v += 3) {
      const n = [0, 1, 2].map((k) => (image.normals![v + k] - 32768) / 32767);
      expect(Math.abs(n[0] * n[0] + n[1] * n[1] + n[2] * n[2] - 1)).toBeLessThan(2e-4);
      expect(n[0] * positions[v] + n[1] * positions[v + 1] + n[2] * positions[v + 2]).toBeGreaterThan(0.99);
    }
  });

  test('the stored surface turns outward as the source does', () => {
    const { positions: p, triangles } = toMesh(buildGeometryImage(box(1, 2, 3), { size: 33 }));
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

  test('two builds are equal, and other placements give the same quality', () => {
    const mesh = bumpySphere(5);
    const image = buildGeometryImage(mesh, { size: 65 });
    expect(buildGeometryImage(mesh, { size: 65 })).toEqual(image);
    const psnr = (m: Mesh) =>
      measureDeviation(m, toMesh(buildGeometryImage(m, { size: 65 })), { samples: 40_000 }).psnr;
    const moved = { ...mesh, positions: mesh.positions.map((x) => 1000 * x + 5e5) };
    expect(Math.abs(psnr(moved) - psnr(mesh))).toBeLessThan(1);
  });

  test.each([-198, 198])('scaled by 2^%d, to the ends of what is accepted, every pixel stays', (power) => {
    const mesh = bumpySphere(6, 2);
    const image = buildGeometryImage(mesh, { size: 33 });
    const scaled = buildGeometryImage({ ...mesh, positions: mesh.positions.map((x) => x * 2 ** power) }, { size: 33 });
    expect(scaled.geometry).toEqual(image.geometry);
    expect(scaled.normals).toEqual(image.normals);
    expect(scaled.tree.page).toEqual(image.tree.page);
    expect(scaled.step).toBe(image.step * 2 ** power);
  });

  test('every size makes an image of that size', () => {
    for (const size of [17, 33, 129, 513]) {
      const image = buildGeometryImage(box(), { size });
      expect(image.geometry.length).toBe(3 * size * size);
      expectFolded(image);
    }
  });
});

describe('other meshes are refused with the reason', () => {
  test.each<[string, () => Mesh, RegExp]>([
    ['torus', torus, /genus 1/],
    ['open grid', () => grid(4), /1 boundary loop \(16 open edges\)/],
    ['two boxes', twoBoxes, /2 components/],
    ['Moebius strip', moebiusStrip, /boundary|orient/],
    [
      'one triangle',
      () => ({ positions: Float64Array.of(0, 0, 0, 1, 0, 0, 0, 1, 0), triangles: Uint32Array.of(0, 1, 2), groups: [] }),
      /open edges/,
    ],
    [
      'no area',
      () => ({ ...tetrahedron(), positions: tetrahedron().positions.map((x, i) => (i % 3 === 0 ? x + i : 0)) }),
      /area|extent|triangles/,
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
