/** Geometries to meshes and back: the triangles that three draws, by numbers that its `getX` gives. */
import {
  BoxGeometry,
  BufferAttribute,
  BufferGeometry,
  Int16BufferAttribute,
  InterleavedBuffer,
  InterleavedBufferAttribute,
  PlaneGeometry,
  TorusKnotGeometry,
  Uint8BufferAttribute,
} from 'three';
import { describe, expect, test } from 'vitest';
import { build, readObj } from '../../src/index.ts';
import { BoundsHelper, fromBufferGeometry, toBufferGeometry } from '../../src/three/index.ts';
import { some } from '../support/long.ts';
import { seeded } from '../support/random.ts';
import { box, bumpySphere, randomTriangles } from '../support/shapes.ts';

/** Coordinates of the corners, triangle after triangle. */
const cornersOf = ({ positions, triangles }: { positions: ArrayLike<number>; triangles: Uint32Array }): number[] =>
  Array.from(triangles).flatMap((v) => [positions[3 * v], positions[3 * v + 1], positions[3 * v + 2]]);

/** The same of a geometry, one corner after the other as three reads it. */
function drawnCorners(geometry: BufferGeometry): number[] {
  const { index, attributes, drawRange } = geometry;
  const total = Math.min(index ? index.count : attributes.position.count, drawRange.start + drawRange.count);
  const corners: number[] = [];
  for (let c = drawRange.start; c < total - ((total - drawRange.start) % 3); c++) {
    const v = index ? index.getX(c) : c;
    corners.push(attributes.position.getX(v), attributes.position.getY(v), attributes.position.getZ(v));
  }
  return corners;
}

const of = (position: BufferAttribute | InterleavedBufferAttribute): BufferGeometry =>
  new BufferGeometry().setAttribute('position', position);

/** A geometry of each way in which three can store one. */
const GEOMETRIES: Record<string, () => BufferGeometry> = {
  indexed: () => new TorusKnotGeometry(1, 0.3, 24, 6),
  'without an index': () => new TorusKnotGeometry(1, 0.3, 24, 6).toNonIndexed(),
  'in a range': () => {
    const geometry = new TorusKnotGeometry(1, 0.3, 24, 6);
    geometry.setDrawRange(9, 100);
    return geometry;
  },
  interleaved: () => {
    const numbers = Float32Array.from({ length: 7 * 12 }, (_, i) => Math.sin(i));
    return of(new InterleavedBufferAttribute(new InterleavedBuffer(numbers, 7), 3, 2));
  },
  'interleaved and quantised': () => {
    const numbers = Int16Array.from({ length: 4 * 12 }, (_, i) => 32767 * Math.sin(i));
    return of(new InterleavedBufferAttribute(new InterleavedBuffer(numbers, 4), 3, 1, true));
  },
  quantised: () => of(new Int16BufferAttribute(Int16Array.of(-32768, 0, 1, 5, 77, -3, 32767, 9, 2), 3, true)),
  'whole numbers': () => of(new Uint8BufferAttribute([0, 1, 2, 3, 4, 255, 6, 7, 8], 3)),
};

describe.each(Object.entries(GEOMETRIES))('%s', (_, make) => {
  const geometry = make();

  test('has the triangles that are drawn, welded or not', () => {
    const expected = drawnCorners(geometry);
    const welded = fromBufferGeometry(geometry);
    expect(cornersOf(welded)).toEqual(expected);
    expect(cornersOf(fromBufferGeometry(geometry, { weld: false }))).toEqual(expected);
    const used = new Set(welded.triangles);
    expect(used.size).toBe(welded.positions.length / 3);
    const points = Array.from(used, (v) => welded.positions.slice(3 * v, 3 * v + 3).join());
    expect(new Set(points).size).toBe(points.length);
  });

  test('keeps the vertices in their order where they are not welded', () => {
    const { positions } = fromBufferGeometry(geometry, { weld: false });
    const { position } = geometry.attributes;
    expect(positions.length).toBe(3 * position.count);
    for (let v = 0; v < position.count; v++) expect(positions[3 * v + 1]).toBe(position.getY(v));
  });
});

test.each(some(3, [1, 2, 3, 4, 5, 6, 7, 8]))('there and back again, seed %i', { tags: ['quick', 'long'] }, (seed) => {
  const random = seeded(seed);
  const mesh = randomTriangles(seed, 1 + random.below(200));
  mesh.positions.forEach((x, i) => {
    mesh.positions[i] = Math.fround(x);
  });
  expect(cornersOf(fromBufferGeometry(toBufferGeometry(mesh)))).toEqual(cornersOf(mesh));
  const tree = build(mesh, { format: 'obb' });
  expect(cornersOf(fromBufferGeometry(toBufferGeometry(tree)))).toEqual(cornersOf(mesh));
});

test('a box of three is closed when it is welded', () => {
  expect(fromBufferGeometry(new BoxGeometry()).positions.length / 3).toBe(8);
  expect(fromBufferGeometry(new BoxGeometry(), { weld: false }).positions.length / 3).toBe(24);
});

test('groups have the names of their materials, as far as they are drawn, and come back', () => {
  const geometry = new BoxGeometry();
  geometry.setDrawRange(3, 12);
  expect(fromBufferGeometry(geometry, { groups: true }).groups).toEqual([
    { kind: 'group', name: 'material 0', first: 0, count: 1 },
    { kind: 'group', name: 'material 1', first: 1, count: 2 },
    { kind: 'group', name: 'material 2', first: 3, count: 1 },
  ]);
  const whole = fromBufferGeometry(new BoxGeometry(), { groups: true });
  expect(toBufferGeometry(whole, { groups: 'group' }).groups).toEqual(new BoxGeometry().groups);
  const obj = readObj(
    new TextEncoder().encode('v 0 0 0\nv 1 0 0\nv 0 1 0\no a\nf 1 2 3\no b\nf 3 2 1\no a\nf 2 3 1\n'),
  );
  expect(toBufferGeometry(obj, { groups: 'object' }).groups).toEqual([
    { start: 0, count: 3, materialIndex: 0 },
    { start: 3, count: 3, materialIndex: 1 },
    { start: 6, count: 3, materialIndex: 0 },
  ]);
});

describe('what is no one surface is refused in a line', () => {
  const geometries: [string, () => BufferGeometry, RegExp][] = [
    ['no positions', () => new BufferGeometry(), /expected the attribute position, found none/],
    [
      'points of a plane',
      () => of(new BufferAttribute(new Float32Array(6), 2)),
      /expected 3 numbers a vertex, found 2/,
    ],
    [
      'no number',
      () => of(new BufferAttribute(new Float32Array(9).fill(Number.NaN), 3)),
      /finite coordinates, found NaN/,
    ],
    [
      'a corner that is no vertex',
      () => of(new BufferAttribute(new Float32Array(9), 3)).setIndex([0, 1, 3]),
      /numbers of vertices below 3, found 3 at corner 2/,
    ],
  ];
  test.each(geometries)('%s', (_, make, message) => {
    expect(() => fromBufferGeometry(make())).toThrow(message);
  });

  test('what can change its shape, unless at rest', () => {
    const geometry = new PlaneGeometry();
    geometry.morphAttributes.position = [geometry.attributes.position.clone()];
    expect(() => fromBufferGeometry(geometry)).toThrow(/expected one shape, found morph targets; set atRest/);
    expect(fromBufferGeometry(geometry, { atRest: true }).triangles.length).toBe(6);
    expect(() => fromBufferGeometry({} as BufferGeometry)).toThrow(/expected a BufferGeometry of three/);
    expect(() => fromBufferGeometry(geometry, { wled: true } as object)).toThrow(/did you mean weld/);
  });
});

describe('lines of bounds', () => {
  const pairsOf = (helper: BoundsHelper): number => helper.geometry.attributes.position.count / 2;

  test('of one box twelve, of a level as many for each of its boxes', () => {
    const tree = build(bumpySphere(1, 3), { format: 'obb' });
    const helper = new BoundsHelper(tree);
    expect(pairsOf(helper)).toBe(12);
    helper.level = 3;
    helper.update();
    expect(pairsOf(helper)).toBe(8 * 12);
    helper.level = helper.depth + 1;
    expect(() => helper.update()).toThrow(/level: expected a whole number from 0 to \d+, found/);
    helper.dispose();
  });

  test('of a tree of a millimetre as of one of a kilometre', () => {
    for (const size of [1e-6, 1e6]) {
      const mesh = box(size);
      expect(pairsOf(new BoundsHelper(build(mesh, { format: 'obb' }), { level: 0 }))).toBe(12);
    }
  });

  test.each(['gi', 'kdop', 'obb', 'voxel'] as const)('of %s they hold the surface', { tags: ['all'] }, (format) => {
    const mesh = bumpySphere(2, 2);
    const asset = build(
      mesh,
      format === 'voxel' ? { format, precision: 0.2 } : format === 'gi' ? { format, size: 17 } : { format },
    );
    const { geometry } = new BoundsHelper(asset, { level: 1 });
    geometry.computeBoundingBox();
    for (const axis of ['x', 'y', 'z'] as const) {
      const own = Array.from(mesh.positions.filter((_, i) => i % 3 === 'xyz'.indexOf(axis)));
      expect(geometry.boundingBox!.min[axis]).toBeLessThan(Math.min(...own) + 0.05);
      expect(geometry.boundingBox!.max[axis]).toBeGreaterThan(Math.max(...own) - 0.05);
    }
  });
});
