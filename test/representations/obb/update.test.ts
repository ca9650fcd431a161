/** Updates of OBB trees: the kernel against its twin byte for byte, boxes against rational arithmetic, trees that break updaters. */
import { describe, expect, test } from 'vitest';
import { kernels } from '../../../src/kernels/memory.ts';
import { floatExtent } from '../../../src/mesh/extent.ts';
import type { Mesh } from '../../../src/mesh/mesh.ts';
import { buildObbTree } from '../../../src/representations/obb/make/index.ts';
import { buildWideTree, type WideTree } from '../../../src/representations/obb/make/kernel.ts';
import { verifyObbTree } from '../../../src/representations/obb/tree/verify.ts';
import { isWideLeaf, linkOfNode, wideViews } from '../../../src/representations/obb/tree/wide-node.ts';
import { fitByKernel, updateObbTree } from '../../../src/representations/obb/update/index.ts';
import { setWideLink, wideLink } from '../../kernels/twins/obb-node.ts';
import { fitWideBoxes } from '../../kernels/twins/obb-update.ts';
import { long } from '../../support/long.ts';
import { seeded } from '../../support/random.ts';
import {
  box,
  bumpySphere,
  collinearTriangles,
  grid,
  icosphere,
  mapped,
  randomTriangles,
  repeated,
  tetrahedron,
} from '../../support/shapes.ts';

const MESHES: Record<string, () => Mesh> = {
  'a tetrahedron': tetrahedron,
  'a triangle': () => ({ ...tetrahedron(), triangles: Uint32Array.of(0, 1, 2) }),
  'a point': () => ({ positions: Float64Array.of(1, 2, 3), triangles: Uint32Array.of(0, 0, 0), groups: [] }),
  'a box': box,
  'a bumpy sphere': () => bumpySphere(5, long ? 4 : 3),
  'every triangle twice': () => repeated(icosphere(2)),
  'a grid': () => grid(20),
  needles: collinearTriangles,
  'random triangles': () => randomTriangles(8, 200),
  'vertices that no triangle has': () => {
    const { positions, triangles } = icosphere(1);
    return { positions: Float64Array.of(...positions, 1e30, -1e30, 5), triangles, groups: [] };
  },
};

/** Vertices by seed: noise of some size on a mesh that is scaled, moved and bent. */
function moved({ positions }: Mesh, seed: number): Float64Array {
  const random = seeded(seed);
  const scale = random.pick([1, 1e-3, 1e-20, 1e10, 0]);
  const noise = random.pick([0, 1e-6, 0.1, 10]);
  const shift = random.pick([0, 1, 1e5]);
  const bend = random.between(0, 3);
  return positions.map((x, i) => {
    const other = positions[i - (i % 3) + ((i + 1) % 3)] % 1e6;
    return scale * ((x % 1e6) + Math.sin(bend * other) + noise * random.between(-1, 1)) + shift;
  });
}

describe.each(Object.entries(MESHES))('%s', { tags: ['all'] }, (_, make) => {
  const mesh = make();
  const seeds = Array.from({ length: long ? 12 : 6 }, (_, i) => 300 + i);

  test.skipIf(!kernels()).each(seeds)(
    'the kernel gives the bytes of its twin, seed %i',
    { tags: ['all', 'long'] },
    (seed) => {
      const { nodes, order } = buildWideTree(mesh.positions, mesh.triangles) as WideTree;
      const positions = moved(mesh, seed);
      for (const stored of [positions, Float32Array.from(positions)]) {
        const next = { positions: stored, triangles: mesh.triangles };
        const extent = floatExtent(stored, mesh.triangles);
        const expected = nodes.slice();
        fitWideBoxes(expected, order, next, extent);
        const found = fitByKernel(nodes, order, next);
        expect(found?.origin).toEqual(extent.origin);
        expect(found?.largest).toBe(extent.largest);
        expect(Buffer.compare(found?.nodes as Uint8Array, expected)).toBe(0);
      }
    },
  );

  test.each(seeds)('every box holds what is below it in every layout, seed %i', { tags: ['all', 'long'] }, (seed) => {
    const positions = moved(mesh, seed);
    for (const nodeBytes of [64, 40, 20]) {
      const tree = updateObbTree(buildObbTree(mesh, { nodeBytes }), positions);
      expect(verifyObbTree(tree).problems).toEqual([]);
      // As a build of the moved mesh has them: the origin, the steps, and the width of coordinates.
      const fresh = buildObbTree({ ...mesh, positions }, { nodeBytes });
      expect([tree.origin, tree.scale, tree.positions]).toEqual([fresh.origin, fresh.scale, fresh.positions]);
    }
  });
});

test.skipIf(!kernels())('nodes that are no tree are left to the twin, which says why', () => {
  const { positions, triangles } = icosphere(1);
  const { nodes, order } = buildWideTree(positions, triangles) as WideTree;
  const mesh = { positions, triangles };
  const views = wideViews(nodes);
  const total = nodes.length / 64;
  const [leaf, branch] = [true, false].map((isLeaf) =>
    Array.from({ length: total }, (_, i) => i).find((i) => isWideLeaf(linkOfNode(views, i)) === isLeaf),
  ) as number[];
  const WRONG: [number, number][] = [
    [leaf, wideLink(order.length - 1, 4, 'leaf')],
    [leaf, wideLink(0, 4, 'leaf')],
    [leaf, wideLink(2 ** 29 - 1, 4, 'leaf')],
    [leaf, wideLink(leaf, 4, 'inner')],
    [branch, wideLink(branch, 4, 'inner')],
    [branch, wideLink(total - 2, 4, 'inner')],
    [branch, wideLink(branch + 1, 1, 'inner')],
    [0, wideLink(0, 1, 'leaf')],
  ];
  for (const [node, link] of WRONG) {
    const old = linkOfNode(views, node);
    setWideLink(views, node, link);
    expect(fitByKernel(nodes, order, mesh)).toBeNull();
    setWideLink(views, node, old);
  }
  expect(fitByKernel(nodes, order, { positions, triangles: triangles.map((v, i) => (i === 7 ? 42 : v)) })).toBeNull();
  expect(
    fitByKernel(
      nodes,
      order.map((t, i) => (i === 7 ? 80 : t)),
      mesh,
    ),
  ).toBeNull();
  expect(fitByKernel(nodes, order, mesh)).not.toBeNull();
});

test('boxes of small motions are hardly larger than those of a build', () => {
  const mesh = bumpySphere(9, 3);
  const bent = mapped(mesh, (x, y, z) => [x + 0.02 * Math.sin(2 * y), y, z]);
  const areaOf = ({ nodes }: { nodes: Uint8Array }): number => {
    const views = wideViews(nodes);
    let area = 0;
    for (let node = 0; node < nodes.length / 64; node++) {
      const [x, y, z] = [3, 7, 11].map(
        (at) => new Float32Array(Uint32Array.of(views.halves[32 * node + at] << 16).buffer)[0],
      );
      area += x * y + y * z + z * x;
    }
    return area;
  };
  const fresh = areaOf(buildObbTree(bent, { nodeBytes: 64 }));
  expect(areaOf(updateObbTree(buildObbTree(mesh, { nodeBytes: 64 }), bent.positions)) / fresh).toBeLessThan(1.1);
});
