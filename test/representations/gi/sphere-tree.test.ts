/** Every sphere holds its vertices, in exact arithmetic on the decoded values; `tight` is near the smallest; `seed` is the paper's. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { readObj } from '../../../src/readers/obj/obj.ts';
import { buildGeometryImage } from '../../../src/representations/gi/make/index.ts';
import type { GeometryImage } from '../../../src/representations/gi/tree/geometry-image.ts';
import { type Grid, nodeOffset, sizeOf, treeHeight, treeWidth } from '../../../src/representations/gi/tree/grid.ts';
import { buildSphereTree, type SphereMethod } from '../../../src/representations/gi/tree/sphere-tree.ts';
import { verifyGeometryImage } from '../../../src/representations/gi/tree/verify.ts';
import { squareImage, squareOf, withSquare } from '../../support/gi.ts';
import { long, some } from '../../support/long.ts';
import { seeded } from '../../support/random.ts';
import { commonIntegers } from '../../support/rational.ts';
import { bumpySphere } from '../../support/shapes.ts';

/** Samples that no surface would have: every value as likely as any other, or few values, or a fold. */
function noise(seed: number, exponent: number, values = 65536): Uint16Array {
  const random = seeded(seed);
  return Uint16Array.from({ length: 3 * sizeOf(exponent) ** 2 }, () => (values === 1 ? 7 : random.below(values)));
}

function imageOf(geometry: Uint16Array, exponent: number, grid: Grid, method: SphereMethod): GeometryImage {
  const tree = buildSphereTree(geometry, exponent, grid, method);
  const header = { tool: 'test', source: null, units: null, options: {} };
  return squareImage({ exponent, ...grid, geometry, tree }, header);
}

/** By the definition, on rationals: |vertex - centre|^2 <= radius^2 for the decoded doubles. */
function expectContained(image: GeometryImage): void {
  const { exponent, geometry, origin, step, tree } = squareOf(image);
  const size = sizeOf(exponent);
  const decode = (q: number, k: number) => origin[k] + q * step;
  for (let level = 0; level <= exponent; level++) {
    const span = 1 << (exponent - level);
    for (let row = 0; row < 1 << level; row++) {
      for (let column = 0; column < 1 << level; column++) {
        const o = nodeOffset(exponent, level, row, column);
        const centre = [0, 1, 2].map((k) => decode(tree.page[o + k], k));
        const numbers = [...centre, tree.page[o + 3] * tree.radiusSteps[level]];
        for (let r = row * span; r <= (row + 1) * span; r++) {
          for (let c = column * span; c <= (column + 1) * span; c++) {
            for (let k = 0; k < 3; k++) numbers.push(decode(geometry[3 * (r * size + c) + k], k));
          }
        }
        const [x, y, z, radius, ...vertices] = commonIntegers(numbers);
        for (let v = 0; v < vertices.length; v += 3) {
          const [dx, dy, dz] = [vertices[v] - x, vertices[v + 1] - y, vertices[v + 2] - z];
          if (dx * dx + dy * dy + dz * dz > radius * radius) {
            throw new Error(
              `vertex ${v / 3} reaches out of the sphere of level ${level}, row ${row}, column ${column}`,
            );
          }
        }
      }
    }
  }
}

const unit: Grid = { origin: new Float64Array(3), step: 1 / 65535 };
const grids: [string, Grid][] = [
  ['unit grid', unit],
  ['odd grid', { origin: Float64Array.of(-0.1, 1 / 3, 0.7), step: 0.1 / 65535 }],
  ['far grid', { origin: Float64Array.of(1e6 + 0.1, -3e7, 1e3), step: 1e-7 }],
  ['tiny grid', { origin: Float64Array.of(1e-90, 0, 0), step: 1e-100 }],
];

describe.each<SphereMethod>(['tight', 'seed'])('%s spheres hold their vertices', (method) => {
  for (const [name, grid] of grids) {
    test.each([
      ['noise', 1, 65536],
      ['noise of three values', 2, 3],
      ['one point', 3, 1],
    ])(`${name}: %s, seed %i`, (_, seed, values) => {
      const image = imageOf(noise(seed, 4, values), 4, grid, method);
      expectContained(image);
      expect(verifyGeometryImage(image).problems).toEqual([]);
    });
  }

  test.each(some(1, [21, 22]))('bumpy sphere, seed %i', { tags: ['quick', 'long'] }, (seed) => {
    const [levels, size] = long ? [3, 33] : [1, 17];
    const image = buildGeometryImage(bumpySphere(seed, levels), { size, spheres: method });
    expectContained(image);
    expect(verifyGeometryImage(image)).toEqual({
      checked: (4 * (size - 1) ** 2 - 1) / 3,
      what: 'spheres',
      problems: [],
    });
  });
});

test('the page is laid out as the paper draws it', () => {
  for (const n of [4, 5, 8, 13]) {
    expect([treeWidth(n), treeHeight(n)]).toEqual([3 * 2 ** (n - 1), 2 ** n]);
    for (let level = 0; level <= n; level++) {
      const [x, y] = level === n ? [0, 0] : [2 ** n, 2 ** n - 2 ** (level + 1)];
      for (const [row, column] of [
        [0, 0],
        [2 ** level - 1, 0],
        [0, 2 ** level - 1],
        [2 ** level - 1, 2 ** level - 1],
      ]) {
        expect(nodeOffset(n, level, row, column)).toBe(4 * ((y + row) * treeWidth(n) + x + column));
      }
    }
  }
  // No two nodes share a pixel.
  const seen = new Set<number>();
  for (let level = 0; level <= 5; level++) {
    for (let i = 0; i < 4 ** level; i++) seen.add(nodeOffset(5, level, i >> level, i & ((1 << level) - 1)));
  }
  expect(seen.size).toBe((4 ** 6 - 1) / 3);
});

type Point = number[];
const distance = (p: Point, q: Point) => Math.hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]);

/** The radius of the smallest ball about four points: the least that any candidate for its centre needs. */
function radiusAboutFour(points: Point[]): number {
  const reach = (centre: Point) => Math.max(...points.map((p) => distance(p, centre)));
  const minus = (p: Point, q: Point) => p.map((x, k) => x - q[k]);
  const dot = (p: Point, q: Point) => p[0] * q[0] + p[1] * q[1] + p[2] * q[2];
  const cross = (p: Point, q: Point) => [
    p[1] * q[2] - p[2] * q[1],
    p[2] * q[0] - p[0] * q[2],
    p[0] * q[1] - p[1] * q[0],
  ];
  /** The point as far from `p` as from p + u, p + v and p + w; w may be a normal of theirs for the plane through p. */
  const equallyFar = (p: Point, u: Point, v: Point, w: Point, ww: number): Point => {
    const [vw, wu, uv] = [cross(v, w), cross(w, u), cross(u, v)];
    const determinant = 2 * dot(u, vw);
    return p.map((x, k) => x + (dot(u, u) * vw[k] + dot(v, v) * wu[k] + ww * uv[k]) / determinant);
  };
  const radii: number[] = [];
  for (let i = 0; i < 4; i++) {
    const [p, u, v] = [points[i], minus(points[(i + 1) % 4], points[i]), minus(points[(i + 2) % 4], points[i])];
    radii.push(reach(equallyFar(p, u, v, cross(u, v), 0)));
    for (let k = 0; k < i; k++) radii.push(reach(p.map((x, axis) => (x + points[k][axis]) / 2)));
  }
  const [u, v, w] = [1, 2, 3].map((k) => minus(points[k], points[0]));
  radii.push(reach(equallyFar(points[0], u, v, w, dot(w, w))));
  return Math.min(...radii.filter((radius) => !Number.isNaN(radius)));
}

/** The radius of the smallest ball about few points: the largest among those of every four (Helly). */
function smallestRadius(points: Point[]): number {
  let radius = 0;
  for (let a = 0; a < points.length; a++) {
    for (let b = 0; b < a; b++) {
      for (let c = 0; c < b; c++) {
        for (let d = 0; d < c; d++) {
          radius = Math.max(radius, radiusAboutFour([points[a], points[b], points[c], points[d]]));
        }
      }
    }
  }
  return radius;
}

test.each(some(1, [31, 32]))(
  'tight spheres are within a hundredth of the smallest, bumpy sphere, seed %i',
  { tags: ['all', 'long'] },
  (seed) => {
    const image = buildGeometryImage(bumpySphere(seed, long ? 4 : 1), { size: long ? 65 : 33 });
    const { exponent, geometry, step, tree } = squareOf(image);
    const size = sizeOf(exponent);
    const random = seeded(seed);
    for (let level = 0; level <= exponent; level++) {
      const span = 1 << (exponent - level);
      for (let trial = 0; trial < (long ? 4 : 2); trial++) {
        const [row, column] = [random.below(1 << level), random.below(1 << level)];
        const o = nodeOffset(exponent, level, row, column);
        const centre = [...tree.page.subarray(o, o + 3)];
        const vertices: Point[] = [];
        for (let r = row * span; r <= (row + 1) * span; r++) {
          for (let c = column * span; c <= (column + 1) * span; c++) {
            vertices.push([...geometry.subarray(3 * (r * size + c), 3 * (r * size + c) + 3)]);
          }
        }
        // The smallest ball about the farthest few is no larger than the one about all.
        vertices.sort((p, q) => distance(q, centre) - distance(p, centre));
        const least = smallestRadius(vertices.slice(0, 14));
        const radius = (tree.page[o + 3] * tree.radiusSteps[level]) / step;
        expect(radius / least, `level ${level}, row ${row}, column ${column}`).toBeLessThan(1.012);
      }
    }
  },
);

test.each(
  some(1, [
    ['bunny', long ? 1.0008 : 1.0006],
    ['blob', 1.0009],
  ]),
)('the leaves of %s are %d of the smallest or less, on average', { tags: ['all', 'long'] }, (name, bound) => {
  const mesh = readObj(readFileSync(new URL(`../../../assets/${name}.obj`, import.meta.url)));
  const { exponent, geometry, step, tree } = squareOf(buildGeometryImage(mesh, { size: long ? 257 : 129 }));
  const size = sizeOf(exponent);
  const oneStep = Math.max(...tree.radiusSteps) / step;
  const stride = long ? 5 : 16;
  let own = 0;
  let ofOneStep = 0;
  let leaves = 0;
  for (let row = 0; row < size - 1; row += stride) {
    for (let column = 0; column < size - 1; column += stride) {
      const points = [0, 1, size, size + 1].map((k) => {
        const v = 3 * (row * size + column + k);
        return [...geometry.subarray(v, v + 3)];
      });
      const least = radiusAboutFour(points);
      const o = nodeOffset(exponent, exponent, row, column);
      const radius = (tree.page[o + 3] * tree.radiusSteps[exponent]) / step;
      expect(radius).toBeGreaterThan(least * (1 - 1e-9));
      const centre = [...tree.page.subarray(o, o + 3)];
      const needed = Math.max(...points.map((p) => distance(p, centre)));
      own += radius / least;
      ofOneStep += (Math.ceil(needed / oneStep) * oneStep) / least;
      leaves++;
    }
  }
  expect(own / leaves).toBeLessThan(bound);
  expect(ofOneStep / leaves, 'one step for all levels would not do').toBeGreaterThan(bound);
});

test('seed spheres: the box of the corners and half its diagonal, then the box of the children', () => {
  const image = imageOf(noise(41, 4), 4, unit, 'seed');
  const { geometry, tree } = squareOf(image);
  const nodeOf = (level: number, row: number, column: number) => {
    const o = nodeOffset(4, level, row, column);
    return { centre: [...tree.page.subarray(o, o + 3)], radius: tree.page[o + 3] * tree.radiusSteps[level] * 65535 };
  };
  for (let row = 0; row < 16; row++) {
    for (let column = 0; column < 16; column++) {
      const corners = [0, 1, 17, 18].map((k) => 3 * (row * 17 + column + k));
      const low = [0, 1, 2].map((k) => Math.min(...corners.map((v) => geometry[v + k])));
      const high = [0, 1, 2].map((k) => Math.max(...corners.map((v) => geometry[v + k])));
      const { centre, radius } = nodeOf(4, row, column);
      centre.forEach((x, k) => {
        expect(Math.abs(x - (low[k] + high[k]) / 2)).toBeLessThanOrEqual(0.5);
      });
      const half = Math.hypot(...[0, 1, 2].map((k) => (high[k] - low[k]) / 2));
      expect(radius).toBeGreaterThanOrEqual(half);
      expect(radius).toBeLessThan(half + 3);
    }
  }
  for (let level = 3; level >= 0; level--) {
    for (let i = 0; i < 4 ** level; i++) {
      const [row, column] = [i >> level, i & ((1 << level) - 1)];
      const parent = nodeOf(level, row, column);
      const children = [0, 1, 2, 3].map((k) => nodeOf(level + 1, 2 * row + (k >> 1), 2 * column + (k & 1)));
      for (const child of children) {
        expect(distance(child.centre, parent.centre) + child.radius).toBeLessThanOrEqual(parent.radius * (1 + 1e-12));
      }
      const reach = Math.max(...children.map((child) => distance(child.centre, parent.centre) + child.radius));
      expect(parent.radius).toBeLessThan(reach + 3);
      parent.centre.forEach((x, k) => {
        const low = Math.min(...children.map((child) => child.centre[k] - child.radius));
        const high = Math.max(...children.map((child) => child.centre[k] + child.radius));
        expect(Math.abs(x - Math.min(65535, Math.max(0, (low + high) / 2)))).toBeLessThanOrEqual(0.5001);
      });
    }
  }
});

test.each(some(1, [51, 52, 53]))(
  'verify finds a shrunken sphere on any level, seed %i',
  { tags: ['quick', 'long'] },
  (seed) => {
    const image = buildGeometryImage(bumpySphere(seed, long ? 3 : 1), { size: 33 });
    const random = seeded(seed);
    for (let level = 0; level <= 5; level++) {
      const [row, column] = [random.below(1 << level), random.below(1 << level)];
      const o = nodeOffset(5, level, row, column);
      const page = squareOf(image).tree.page.slice();
      page[o + 3] = Math.floor(page[o + 3] * 0.97) - 8;
      const { problems } = verifyGeometryImage(withSquare(image, { tree: { ...squareOf(image).tree, page } }));
      expect(problems).toEqual([
        `the sphere of level ${level}, row ${row}, column ${column} does not hold all of its vertices`,
      ]);
    }
  },
);

test('verify measures from decoded vertices: spheres that fit before the rounding and not after it', () => {
  const grid: Grid = { origin: Float64Array.of(1e6 + 0.1, 0, 0), step: 1e-7 };
  const geometry = Uint16Array.from({ length: 3 * 17 * 17 }, (_, i) => (i % 6 === 3 ? 2 : 0)); // x: 0, 2, 0, 2 ...
  const image = imageOf(geometry, 4, grid, 'tight');
  expect(verifyGeometryImage(image).problems).toEqual([]);
  const page = squareOf(image).tree.page.map((_, i) => (i % 4 === 0 || i % 4 === 3 ? 1 : 0));
  const tight = withSquare(image, {
    tree: { page, radiusSteps: new Float64Array(5).fill(grid.step * (1 + 2 ** -40)) },
  });
  expect(() => expectContained(tight)).toThrow(/reaches out/);
  expect(verifyGeometryImage(tight).problems).not.toEqual([]);
});
