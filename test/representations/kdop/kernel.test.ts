/** k-DOP trees that the kernel builds and fits: equal bytes at any time, links that are no tree. */
import { expect, test } from 'vitest';
import { FormatError } from '../../../src/base/errors.ts';
import { encodeKdopTree } from '../../../src/representations/kdop/format.ts';
import { updateKdopTree } from '../../../src/representations/kdop/index.ts';
import { fitKdops } from '../../../src/representations/kdop/kernel.ts';
import { buildKdopTree } from '../../../src/representations/kdop/make.ts';
import { DOP_SIZES } from '../../../src/representations/kdop/tree/dop-directions.ts';
import { type KdopTree, requireKdopTree } from '../../../src/representations/kdop/tree/kdop-tree.ts';
import { verifyKdopTree } from '../../../src/representations/kdop/tree/verify.ts';
import { long } from '../../support/long.ts';
import { seeded } from '../../support/random.ts';
import { bumpySphere, collinearTriangles, icosphere, mapped, randomTriangles, repeated } from '../../support/shapes.ts';

const SEEDS = Array.from({ length: long ? 60 : 12 }, (_, i) => 900 + i);

test.each(SEEDS)('a build is the same at any time, and an update to its own vertices, seed %i', async (seed) => {
  const random = seeded(seed);
  const mesh = random.pick([
    () => randomTriangles(seed, 1 + random.below(300)),
    () => bumpySphere(seed, 2),
    () => repeated(icosphere(1)),
    () => mapped(randomTriangles(seed, 40), (x, y, z) => [Math.round(3 * x), Math.round(3 * y), Math.round(3 * z)]),
    collinearTriangles,
  ])();
  const options = { k: random.pick(DOP_SIZES), bits: random.pick([8, 12, 16, 17, 32, 33, 36]) };
  const tree = buildKdopTree(mesh, options);
  let between = 0;
  const again = buildKdopTree(mesh, {
    ...options,
    onProgress: () => {
      between += buildKdopTree(bumpySphere(seed, 1)).links.length;
    },
  });
  expect(Buffer.compare(await encodeKdopTree(again), await encodeKdopTree(tree))).toBe(0);
  const { coefficients, origin, exponent } = updateKdopTree(tree, mesh.positions);
  expect({ coefficients, origin, exponent }).toEqual({
    coefficients: tree.coefficients,
    origin: tree.origin,
    exponent: tree.exponent,
  });
  expect(between).toBeGreaterThanOrEqual(0);
});

test.each(SEEDS)('whatever links say, they are refused or make a tree that holds its mesh, seed %i', (seed) => {
  const random = seeded(seed);
  const tree = buildKdopTree(randomTriangles(seed, 2 + random.below(30)), { k: random.pick(DOP_SIZES) });
  const moved = Float64Array.from(tree.positions, (x) => 2 * x);
  for (let n = 0; n < 40; n++) {
    const links = tree.links.slice();
    for (let i = random.below(3); i >= 0; i--) {
      links[random.below(links.length)] = random.pick([
        () => random.below(2 * links.length),
        () => random.below(2 ** 32),
        () => 2 ** 32 - 1 - random.below(2),
        () => links[random.below(links.length)],
      ])();
    }
    const damaged: KdopTree = { ...tree, links };
    let isTree = true;
    try {
      requireKdopTree(damaged);
    } catch {
      isTree = false;
    }
    if (isTree) expect(verifyKdopTree(updateKdopTree(damaged, moved)).problems).toEqual([]);
    else expect(() => updateKdopTree(damaged, moved)).toThrow(FormatError);
  }
});

test('a chain of nodes is a tree up to the depth that readers take', () => {
  const chain = (triangles: number): KdopTree => {
    const mesh = randomTriangles(5, triangles);
    const links = new Uint32Array(2 * triangles - 1);
    for (let i = 0; i < triangles - 1; i++) {
      links[2 * i] = (2 * i + 1) << 1;
      links[2 * i + 1] = (i << 1) | 1;
    }
    // The first child of each node is a leaf, the second one the next node.
    links[2 * triangles - 2] = ((triangles - 1) << 1) | 1;
    return { ...buildKdopTree(mesh), links };
  };
  for (const triangles of [2, 3, 128, 129, 130, 131, 400]) {
    const tree = chain(triangles);
    const { positions } = tree;
    if (triangles <= 129) expect(verifyKdopTree(updateKdopTree(tree, positions)).problems).toEqual([]);
    else expect(() => updateKdopTree(tree, positions)).toThrow(/128 levels/);
  }
});

test('links of another number, and corners that are no vertices, are refused', () => {
  const tree = buildKdopTree(icosphere(1));
  const { k, bits, links, positions, triangles } = tree;
  expect(fitKdops(tree, links.subarray(0, links.length - 2), { k, bits })).toBeNull();
  const corners = triangles.with(7, positions.length / 3);
  expect(fitKdops({ positions, triangles: corners }, links, { k, bits })).toBeNull();
  expect(() => updateKdopTree({ ...tree, triangles: corners }, positions)).toThrow(/vertex numbers below/);
});
