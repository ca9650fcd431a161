/** Files of many nodes as objects of a scene: what is shared, what is baked, and where each stands. */
import { describe, expect, test } from 'vitest';
import '../../src/representations/everything.ts';
import { boundsOf } from '../../src/engine/bounds.ts';
import { identity, movePoint, type Pose, rotation, translation, validatePose } from '../../src/math/pose.ts';
import type { Mesh } from '../../src/mesh/mesh.ts';
import type { FileNode } from '../../src/readers/mesh-file.ts';
import { representationOf } from '../../src/representations/kinds.ts';
import { AssetBuilder, type Source } from '../../src/scene/assets.ts';
import { some } from '../support/long.ts';
import { type Random, seeded } from '../support/random.ts';
import { bumpySphere } from '../support/shapes.ts';

const ball = bumpySphere(1, 1);

function sourceOf(nodes: Partial<FileNode>[], units: string | null = null): Source {
  const full = nodes.map((node, n) => ({ name: `n${n}`, parent: -1, matrix: identity(), mesh: 0, ...node }));
  const meshes = { meshes: [{ name: 'ball', mesh: ball }], nodes: full, units, notes: [] };
  return { file: 'a.x', sha256: '', meshes, asset: null, units, notes: [] };
}

function placedAll(source: Source, linear: Pose | null = null, units: string | null = null, moves = true) {
  const builder = new AssetBuilder({ units, moves });
  const parts = builder.partsOf(source, 'elements');
  return { parts, placed: parts.map((part) => builder.place(source, part, linear)), builder };
}

const product = (...poses: Pose[]): Pose =>
  poses.reduce((a, b) =>
    Float64Array.from({ length: 16 }, (_, i) =>
      [0, 1, 2, 3].reduce((sum, k) => sum + a[4 * (i >> 2) + k] * b[4 * k + (i & 3)], 0),
    ),
  );
const diagonal = (x: number, y: number, z: number): Pose =>
  Float64Array.of(x, 0, 0, 0, 0, y, 0, 0, 0, 0, z, 0, 0, 0, 0, 1);
const turned = (random: Random): Pose =>
  rotation(random.between(-1, 1), random.between(-1, 1), random.between(0.1, 1), random.between(0, 360));

/** The largest distance of a placed vertex from where the node's matrix moves the mesh's. */
function worst(
  { asset, within }: { asset: Parameters<typeof representationOf>[0]; within: Pose },
  mesh: Mesh,
  matrix: Pose,
): number {
  const { positions } = representationOf(asset).surface(asset);
  const [found, expected] = [new Float64Array(3), new Float64Array(3)];
  let most = 0;
  for (let v = 0; v < positions.length; v += 3) {
    movePoint(within, positions[v], positions[v + 1], positions[v + 2], found, 0);
    movePoint(matrix, mesh.positions[v], mesh.positions[v + 1], mesh.positions[v + 2], expected, 0);
    for (const k of [0, 1, 2]) most = Math.max(most, Math.abs(found[k] - expected[k]));
  }
  return most;
}

test('5,000 nodes of one mesh share one asset, where rigid poses are theirs to the bit', { tags: ['all'] }, () => {
  const random = seeded(1);
  const matrices = Array.from({ length: 5000 }, () =>
    product(translation(random.between(-9, 9), random.between(-9, 9), 0), turned(random)),
  );
  const { placed, builder } = placedAll(sourceOf(matrices.map((matrix) => ({ matrix }))));
  expect(new Set(placed.map(({ asset }) => asset)).size).toBe(1);
  expect(placed.map(({ within }) => within)).toEqual(matrices);
  expect(builder.baked).toBe(0);
});

test('nodes that are scaled alike share, whatever they are turned by and whichever last digits they have', () => {
  const random = seeded(2);
  const matrices = Array.from({ length: 200 }, () => {
    const scale = Math.fround(0.1) * (1 + random.between(-1e-8, 1e-8));
    return product(translation(random.next(), 1, 2), turned(random), diagonal(scale, scale, 3 * scale));
  });
  const { placed, builder } = placedAll(sourceOf(matrices.map((matrix) => ({ matrix }))));
  expect(new Set(placed.map(({ asset }) => asset)).size).toBeLessThanOrEqual(2);
  expect(builder.baked).toBeLessThanOrEqual(2);
  for (const [n, each] of placed.entries()) {
    validatePose(each.within, 'within');
    expect(worst(each, ball, matrices[n])).toBeLessThan(1e-14);
  }
});

test.each(some(3, [1, 2, 3, 4, 5, 6, 7, 8, 9]))(
  'seed %i: scales, mirrors, shears and turns, nested: where the matrix says',
  { tags: ['quick', 'long'] },
  (seed) => {
    const random = seeded(seed);
    const factor = () => random.pick([-2, -1, -0.5, 0.5, 1, 1, 3]);
    const nodes: Partial<FileNode>[] = [];
    const world: Pose[] = [];
    for (let n = 0; n < 12; n++) {
      const shear = Float64Array.of(1, random.pick([0, 0, 0.5]), 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1);
      const matrix = product(translation(n, 0, -n), turned(random), diagonal(factor(), factor(), factor()), shear);
      const parent = random.below(n + 1) - 1;
      nodes.push({ parent, matrix });
      world.push(parent < 0 ? matrix : product(world[parent], matrix));
    }
    const { placed } = placedAll(sourceOf(nodes));
    for (const [n, each] of placed.entries()) {
      validatePose(each.within, 'within');
      const size = Math.max(...world[n].map(Math.abs));
      expect(worst(each, ball, world[n])).toBeLessThan(1e-14 * size * 100);
    }
  },
);

test('what the instance does comes after the node; its units before', () => {
  const matrix = product(translation(1, 0, 0), rotation(0, 0, 1, 90));
  const { placed, builder } = placedAll(sourceOf([{ matrix }], 'm'), diagonal(2, 2, 2), 'mm');
  expect([builder.converted, builder.baked]).toEqual([1, 1]);
  const expected = product(diagonal(2, 2, 2), diagonal(1000, 1000, 1000), matrix);
  expect(worst(placed[0], ball, expected)).toBeLessThan(1e-11);
});

test('a flat node is a surface, too', () => {
  const { placed } = placedAll(sourceOf([{ matrix: diagonal(1, 1, 0) }]));
  expect(worst(placed[0], ball, diagonal(1, 1, 0))).toBe(0);
});

describe('primitives', () => {
  const solid = (primitive: FileNode['primitive'], matrix = identity()): Partial<FileNode> => ({
    ...{ mesh: null, matrix, primitive: primitive! },
  });
  const boundsAlone = (node: Partial<FileNode>, units: string | null = null, to: string | null = null) => {
    const { placed } = placedAll(sourceOf([node], units), null, to);
    return { bounds: boundsOf(placed[0].asset, placed[0].within), kind: placed[0].asset.representation };
  };
  test.each<[string, Partial<FileNode>, number[]]>([
    ['a box', solid({ shape: 'box', size: [1, 2, 4] }), [0.5, 1, 2]],
    ['a cylinder along z', solid({ shape: 'cylinder', radius: 1, length: 4 }), [1, 1, 2]],
    ['a sphere, moved', solid({ shape: 'sphere', radius: 3 }, translation(5, 0, 0)), [8, 3, 3]],
    [
      'a box, scaled and turned',
      solid({ shape: 'box', size: [1, 2, 4] }, product(rotation(0, 0, 1, 90), diagonal(2, 1, 1))),
      [1, 1, 2],
    ],
  ])('%s is an F-rep of its size', (_, node, high) => {
    const { bounds, kind } = boundsAlone(node);
    expect(kind).toBe('frep');
    for (const k of [0, 1, 2]) {
      expect(bounds.high[k]).toBeGreaterThanOrEqual(high[k]);
      expect(bounds.high[k]).toBeLessThan(1.1 * high[k]);
    }
  });
  test('in other units', () => {
    const { bounds } = boundsAlone(solid({ shape: 'sphere', radius: 0.5 }, translation(1, 0, 0)), 'm', 'mm');
    expect(bounds.high[0]).toBeGreaterThanOrEqual(1500);
    expect(bounds.high[0]).toBeLessThan(1550);
  });
  test('share, and refuse what is flat and a part that is all', () => {
    const ballNode = solid({ shape: 'sphere', radius: 1 });
    const { placed } = placedAll(sourceOf([ballNode, { ...ballNode, primitive: { shape: 'sphere', radius: 1 } }]));
    expect(placed[0].asset).toBe(placed[1].asset);
    const flat = { ...ballNode, matrix: diagonal(1, 1, 0) };
    expect(() => placedAll(sourceOf([flat]))).toThrow('expected a matrix with a determinant other than 0, found 0');
    expect(() => new AssetBuilder({ units: null, moves: false }).partsOf(sourceOf([ballNode]), null)).toThrow(
      'add "split": "elements"',
    );
  });
});
