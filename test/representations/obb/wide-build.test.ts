/** Wide trees: every child's box against rational arithmetic, and meshes that break builders. */
import { describe, expect, test } from 'vitest';
import { MeshError } from '../../../src/base/errors.ts';
import { allocate, kernelMemory, release, whileBusy } from '../../../src/kernels/memory.ts';
import type { Surface } from '../../../src/mesh/topology.ts';
import { buildObbTree } from '../../../src/representations/obb/make/index.ts';
import { buildWideTree, type WideTree } from '../../../src/representations/obb/make/kernel.ts';
import { verifyObbTree } from '../../../src/representations/obb/tree/verify.ts';
import {
  decodeWideBox,
  decodeWideChild,
  isWideLeaf,
  LARGEST_DEPTH,
  LARGEST_HALF,
  linkOfNode,
  WIDE_BYTES,
  WIDE_DECODED,
  wideCount,
  wideIndex,
  wideViews,
} from '../../../src/representations/obb/tree/wide-node.ts';
import { encodeWideNode } from '../../kernels/twins/obb-node.ts';
import { long } from '../../support/long.ts';
import { seeded } from '../../support/random.ts';
import { commonIntegers } from '../../support/rational.ts';
import {
  box,
  bumpySphere,
  collinearTriangles,
  cubesSurface,
  doubleTorus,
  grid,
  mapped,
  openCylinder,
  randomTriangles,
  repeated,
  together,
  torus,
} from '../../support/shapes.ts';

const scaled = (mesh: Surface, factor: number, shift = 0): Surface => ({
  positions: mesh.positions.map((x) => factor * x + shift),
  triangles: mesh.triangles,
});

const one: Surface = { positions: Float64Array.of(0, 0, 0, 1, 0, 0, 0, 1, 0), triangles: Uint32Array.of(0, 1, 2) };

const coincident = (count: number): Surface => ({
  positions: one.positions,
  triangles: Uint32Array.from({ length: 3 * count }, (_, i) => i % 3),
});

/** Every triangle twice as far out and as large as the one before, and crossed by the next. */
function spiral(count: number): Surface {
  const positions = Float64Array.from({ length: 9 * count }, (_, i) => {
    const t = Math.floor(i / 9);
    return 2 ** (t - count / 2) * [1, 0, 0, 0, 1, 0, 0, 0, 1][(i + t) % 9];
  });
  return { positions, triangles: Uint32Array.from({ length: 3 * count }, (_, i) => i) };
}

const SMALL: [string, Surface][] = [
  ['one triangle', one],
  ['one point, three times', { positions: Float64Array.of(3, 4, 5), triangles: Uint32Array.of(0, 0, 0) }],
  ['a cube', box(1)],
  ['bumpy sphere, seed 71', bumpySphere(71, 2)],
  ['60 random triangles, seed 72', randomTriangles(72, 60)],
  ['collinear triangles', collinearTriangles()],
  ['50 times the same triangle', coincident(50)],
  ['every triangle twice', repeated(bumpySphere(73, 1))],
  ['a plane', grid(6)],
  ['a needle', mapped(bumpySphere(74, 2), (x, y, z) => [1e5 * x, y, z])],
  ['up to 1e37', scaled(bumpySphere(75, 1), 5e36)],
  ['at 1e37', scaled(bumpySphere(76, 1), 1e30, 9e36)],
  ['of 1e-30', scaled(bumpySphere(77, 1), 1e-30)],
  ['denormals', scaled(bumpySphere(78, 1), 1e-320)],
  ['far from 0', scaled(bumpySphere(79, 2), 1, 1e7)],
  ['far from 0 and tiny', scaled(bumpySphere(80, 1), 1e-9, 1)],
  ['sizes from 2^-60 to 2^59', spiral(120)],
];

const SAME = long ? 2000 : 1000;
const LARGER: [string, Surface][] = [
  ['bumpy sphere, seed 81', bumpySphere(81, long ? 4 : 2)],
  ['a torus', torus(60, 40)],
  ['a plane of 3,200', grid(40)],
  ['3,000 random triangles, seed 82', randomTriangles(82, 3000)],
  ['3,000 triangles of 20 vertices, seed 83', randomTriangles(83, 3000, 20)],
  ['twice many times the same triangle', together(coincident(SAME), scaled(coincident(SAME), 1, 1))],
  ['two handles', doubleTorus()],
  ['cubes', cubesSurface(Array.from({ length: 40 }, (_, i) => [i % 5, (i >> 2) % 7, i % 3]))],
  [
    'three spheres, one huge, one tiny',
    together(bumpySphere(84, 3), scaled(bumpySphere(85, 3), 1e6), scaled(bumpySphere(86, 3), 1e-6)),
  ],
];

/** Walks the tree as a reader would: calls back for each child with the triangles below it. Returns the deepest level. */
function walk({ nodes, order }: WideTree, visit: (node: number, child: number, below: number[]) => void): number {
  const views = wideViews(nodes);
  let deepest = 0;
  const trianglesBelow = (node: number, level: number): number[] => {
    deepest = Math.max(deepest, level);
    const link = linkOfNode(views, node);
    const all: number[] = [];
    for (let j = 0; j < wideCount(link); j++) {
      const at = wideIndex(link) + j;
      if (!isWideLeaf(link) && at <= node) throw new Error(`child ${at} of node ${node}`);
      const below = isWideLeaf(link) ? [order[at]] : trianglesBelow(at, level + 1);
      visit(node, j, below);
      for (const triangle of below) all.push(triangle);
    }
    return all;
  };
  const all = trianglesBelow(0, 0);
  expect(all.length).toBe(order.length);
  expect(new Set(all).size).toBe(order.length);
  return deepest;
}

/** F^T (p - origin - c) lies in the child's box and the node's, on rationals. */
function expectContained({ positions, triangles }: Surface, tree: WideTree): void {
  const views = wideViews(tree.nodes);
  const { shorts, bytes } = views;
  const decoded = new Float64Array(WIDE_DECODED);
  const bounds = new Float64Array(6);
  const deepest = walk(tree, (node, child, below) => {
    decodeWideBox(views, node, decoded, 0);
    decodeWideChild(views, node, child, bounds, 0);
    const half = decoded.subarray(12, 15);
    expect(Math.max(...half)).toBeLessThan(LARGEST_HALF);
    const vertices = [...new Set(below.flatMap((t) => [...triangles.subarray(3 * t, 3 * t + 3)]))];
    const corners = vertices.flatMap((v) => [...positions.subarray(3 * v, 3 * v + 3)]);
    const whole = commonIntegers([...tree.origin, ...decoded.subarray(9, 12), ...bounds, ...half, ...corners]);
    const p = whole.slice(15);
    for (let v = 0; v < p.length; v += 3) {
      for (let i = 0; i < 3; i++) {
        let u = 0n;
        for (let k = 0; k < 3; k++) u += BigInt(shorts[32 * node + 4 * k + i]) * (p[v + k] - whole[k] - whole[3 + k]);
        const isInside =
          whole[6 + i] * 32767n <= u &&
          u <= whole[9 + i] * 32767n &&
          -whole[12 + i] * 32767n <= u &&
          u <= whole[12 + i] * 32767n;
        if (!isInside) throw new Error(`vertex ${vertices[v / 3]} is not in child ${child} of node ${node}, axis ${i}`);
      }
    }
  });
  expect(deepest).toBeLessThan(LARGEST_DEPTH);
  const nodes = tree.nodes.length / WIDE_BYTES;
  expect(nodes).toBeLessThanOrEqual(Math.ceil(0.6 * tree.order.length));
  for (let node = 0; node < nodes; node++) {
    for (let j = wideCount(linkOfNode(views, node)); j < 4; j++) {
      for (let k = 0; k < 12; k += 4) {
        expect(bytes[WIDE_BYTES * node + 40 + k + j]).toBe(255);
        expect(bytes[WIDE_BYTES * node + 52 + k + j]).toBe(0);
      }
    }
  }
}

/** The tree by the kernel. */
const treeOf = ({ positions, triangles }: Surface): WideTree => buildWideTree(positions, triangles) as WideTree;

describe('a tree', () => {
  test.each(SMALL)('boxes hold their triangles: %s', { tags: ['all'] }, (_, mesh) => {
    expectContained(mesh, treeOf(mesh));
  });

  test.each(LARGER)('boxes hold their triangles, in doubles: %s', { tags: ['all', 'long'] }, (_, mesh) => {
    expect(verifyObbTree(buildObbTree({ ...mesh, groups: [] }, { nodeBytes: 64 })).problems).toEqual([]);
  });

  test.each(SMALL)('boxes of a hasty tree hold their triangles: %s', { tags: ['all'] }, (_, mesh) => {
    const tree = buildWideTree(mesh.positions, mesh.triangles, { isHasty: true }) as WideTree;
    expectContained(mesh, tree);
    const decoded = new Float64Array(WIDE_DECODED);
    for (let node = 0; node < tree.nodes.length / WIDE_BYTES; node++) {
      decodeWideBox(wideViews(tree.nodes), node, decoded, 0);
      const reach = decoded.subarray(9).reduce((sum, x) => sum + Math.abs(x), 0);
      expect(reach).toBeLessThanOrEqual(tree.localReach);
    }
  });

  test('refuses what float32 nodes cannot hold, and nothing', () => {
    const huge = Float64Array.of(0, 0, 0, 1.01e37, 0, 0, 0, 1, 0);
    const unknown = huge.map((x) => (x > 1 ? Number.NaN : x));
    expect(() => buildWideTree(huge, one.triangles)).toThrow(MeshError);
    expect(() => buildWideTree(unknown, one.triangles)).toThrow(/found NaN/);
    expect(() => buildWideTree(one.positions, new Uint32Array(0))).toThrow(/expected triangles/);
  });

  test('reports progress that never goes back', { tags: ['all', 'long'] }, () => {
    const { positions, triangles } = randomTriangles(90, 200_000, 300);
    let last = -1;
    let reports = 0;
    const onProgress = (stage: string, fraction: number) => {
      expect(stage).toBe('boxes');
      expect(fraction).toBeGreaterThanOrEqual(last);
      expect(fraction).toBeLessThanOrEqual(1);
      last = fraction;
      reports++;
    };
    buildWideTree(positions, triangles, { onProgress });
    expect(reports).toBeGreaterThan(2);
  });
});

describe('the kernel', () => {
  test('is there', () => expect(kernelMemory()).not.toBeNull());

  test('is not disturbed by a build of whoever is told of its progress', { tags: ['quick', 'long'] }, () => {
    const mesh = bumpySphere(94, long ? 6 : 4);
    const other = bumpySphere(95, 2);
    const expected = treeOf(other);
    let told = 0;
    const onProgress = () => {
      if (told++ === 0) expect(treeOf(other)).toEqual(expected);
    };
    const built = buildWideTree(mesh.positions, mesh.triangles, { onProgress });
    expect(told).toBeGreaterThan(0);
    expect(built).toEqual(treeOf(mesh));
  });

  test('builds the same while it is in use, and gives back what it held', () => {
    const mesh = bumpySphere(96, 2);
    const expected = treeOf(mesh);
    const before = allocate(64);
    release(before);
    whileBusy(() => {
      expect(kernelMemory()).toBeNull();
      expect(treeOf(mesh)).toEqual(expected);
    });
    expect(allocate(64)).toBe(before);
    release(before);
  });

  test('builds in a memory of its own where the one that all share is full', { tags: ['all'] }, () => {
    const mesh = bumpySphere(97, 2);
    const expected = treeOf(mesh);
    const held: number[] = [];
    // Blocks of half the size each time, until none of any size is left.
    for (let bytes = 2 ** 31; bytes >= 64; ) {
      const address = allocate(bytes);
      if (address === 0) bytes /= 2;
      else held.push(address);
    }
    try {
      expect(treeOf(mesh)).toEqual(expected);
    } finally {
      for (const address of held) release(address);
    }
  });

  test('moves to more room where nodes are many', { tags: ['all'] }, () => {
    const { positions, triangles } = openCylinder(40, 40);
    const tree = treeOf({ positions, triangles });
    expect(tree.nodes.length).toBeGreaterThan(WIDE_BYTES * (8 + 0.44 * 3200));
    expect(tree).toEqual(treeOf({ positions, triangles }));
  });

  test('a million coincident triangles', { tags: ['long'] }, () => {
    expect(walk(treeOf(coincident(1_000_000)), () => {})).toBeLessThan(14);
  });
});

test.each([92, 93])('bytes of any boxes decode to what holds them, seed %i', { tags: ['quick', 'long'] }, (seed) => {
  const random = seeded(seed);
  const bytes = new Uint8Array(WIDE_BYTES);
  const views = wideViews(bytes);
  const frame = Float64Array.of(1, 0, 0, 0, 1, 0, 0, 0, 1);
  const spans = new Float64Array(24);
  const decoded = new Float64Array(WIDE_DECODED);
  const bounds = new Float64Array(6);
  for (let trial = 0; trial < (long ? 3000 : 1500); trial++) {
    const count = 1 + random.below(4);
    const size = 2 ** random.between(-140, 120);
    const margin = random.pick([0, 1e-44, size * 2 ** -45]) + 1e-44;
    for (let j = 0; j < count; j++) {
      for (let i = 0; i < 3; i++) {
        const [a, b] = [random.between(-size, size), random.below(3) ? random.between(-size, size) : size];
        spans[6 * j + i] = Math.min(a, b);
        spans[6 * j + 3 + i] = Math.max(a, b);
      }
    }
    encodeWideNode(views, 0, frame, spans, count, margin);
    decodeWideBox(views, 0, decoded, 0);
    for (let j = 0; j < count; j++) {
      decodeWideChild(views, 0, j, bounds, 0);
      for (let i = 0; i < 3; i++) {
        const centre = decoded[9 + i];
        const least = Math.max(bounds[i], -decoded[12 + i]);
        const most = Math.min(bounds[3 + i], decoded[12 + i]);
        const [low, high] = [spans[6 * j + i] - centre, spans[6 * j + 3 + i] - centre];
        if (!(least <= low && high <= most)) throw new Error(`trial ${trial}: ${low} ${high} not in ${least} ${most}`);
        // And not much more: a step on each side, and the half extent's rounding. Denormal half extents have few digits.
        const slack = (decoded[12 + i] * 2) / 255 + 2 * margin + 2 ** -132;
        if (!(low - least <= 1.01 * slack && most - high <= 1.01 * slack)) throw new Error(`trial ${trial}: loose`);
      }
    }
  }
});
