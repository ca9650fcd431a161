/** Updates of OBB trees: boxes that hold their vertices and are hardly larger, and broken trees. */
import { describe, expect, test } from 'vitest';
import { FormatError } from '../../../src/base/errors.ts';
import { kernelMemory } from '../../../src/kernels/memory.ts';
import { floatExtent } from '../../../src/mesh/extent.ts';
import type { Mesh } from '../../../src/mesh/mesh.ts';
import { buildObbTree } from '../../../src/representations/obb/make/index.ts';
import { buildWideTree, type WideTree } from '../../../src/representations/obb/make/kernel.ts';
import { child, childrenOf, createCursor, triangleOf } from '../../../src/representations/obb/tree/cursor.ts';
import { DECODED } from '../../../src/representations/obb/tree/node.ts';
import type { ObbTree } from '../../../src/representations/obb/tree/obb-tree.ts';
import { requireObbTree } from '../../../src/representations/obb/tree/requirements.ts';
import { verifyObbTree } from '../../../src/representations/obb/tree/verify.ts';
import { isWideLeaf, linkOfNode, wideViews } from '../../../src/representations/obb/tree/wide-node.ts';
import { fitByKernel, updateObbTree } from '../../../src/representations/obb/update/index.ts';
import { setWideLink, wideLink } from '../../kernels/twins/obb-node.ts';
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
  // A triangle alone is a child of a node of 33 or more.
  'triangles of many sizes': () => {
    const { positions, triangles } = randomTriangles(9, 64);
    const sized = positions.map((x, i) => 8 ** -Math.floor(i / 9) * (x + (i % 3 === 0 ? 4 : 0)));
    return { positions: sized, triangles, groups: [] };
  },
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

/**
 * How much longer half extents are than vertices below them need along the box's axes, over what
 * the layouts and float32 may add: at most 1.
 */
function looseness(tree: ObbTree): number {
  const { nodeBytes, positions, triangles } = tree;
  const { origin, reach } = floatExtent(positions, triangles);
  const cursor = createCursor(tree);
  const box = new Float64Array(DECODED);
  let worst = 0;
  const below = (node: number, first: number, count: number): number[] => {
    const triangle = triangleOf(cursor, node, first, count);
    let corners: number[] = [];
    if (triangle >= 0) corners = [...triangles.subarray(3 * triangle, 3 * triangle + 3)];
    else {
      const children = childrenOf(cursor, node, first, count);
      const items = Array.from({ length: children }, (_, j) => [child.node[j], child.first[j], child.count[j]]);
      corners = [...new Set(items.flatMap(([item, from, many]) => below(item, from, many)))];
    }
    if (node < 0) return corners;
    cursor.reader.decode(node, box, 0);
    for (let i = 0; i < 3; i++) {
      let need = 0;
      for (const v of corners) {
        let along = 0;
        for (let k = 0; k < 3; k++) along += box[3 * k + i] * (positions[3 * v + k] - box[9 + k]);
        need = Math.max(need, Math.abs(along));
      }
      // Eight bits of a half extent; steps of 16 bits; float32 about an anchor, however large.
      const steps = nodeBytes === 64 ? need / 100 + reach * 2 ** -11 : nodeBytes === 20 ? reach / 32000 : 0;
      const size = Math.abs(origin[0]) + Math.abs(origin[1]) + Math.abs(origin[2]) + reach;
      worst = Math.max(worst, (box[12 + i] - need) / (steps + reach * 2 ** -17 + size * 2 ** -44));
    }
    return corners;
  };
  below(0, 0, triangles.length / 3);
  return worst;
}

describe.each(Object.entries(MESHES))('%s', { tags: ['all'] }, (_, make) => {
  const mesh = make();
  const seeds = Array.from({ length: long ? 12 : 6 }, (_, i) => 300 + i);

  test.each(seeds)('boxes are as small as vertices need, the same at any time and width, seed %i', (seed) => {
    const positions = Float64Array.from(moved(mesh, seed), Math.fround);
    for (const nodeBytes of [64, 40, 20]) {
      const tree = buildObbTree(mesh, { nodeBytes });
      const updated = updateObbTree(tree, positions);
      expect(looseness(updated), `${nodeBytes} bytes`).toBeLessThan(1);
      const singles = updateObbTree(tree, Float32Array.from(positions));
      expect(Buffer.compare(updated.nodes, singles.nodes)).toBe(0);
      updateObbTree(tree, positions, { inPlace: true });
      const twice = updateObbTree(updated, positions, { inPlace: true });
      expect(Buffer.compare(updated.nodes, twice.nodes)).toBe(0);
    }
  });

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

test.skipIf(!kernelMemory())('nodes that are no tree are left to the twin, which says why', () => {
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

test.each([40, 20])('nodes of %i bytes that are no tree, and quaternions that are none, are refused', (nodeBytes) => {
  const tree = buildObbTree(icosphere(1), { nodeBytes });
  const { positions } = tree;
  const random = seeded(nodeBytes);
  for (let n = 0; n < 300; n++) {
    const nodes = tree.nodes.slice();
    const node = random.below(nodes.length / nodeBytes);
    const at = nodeBytes * node + (nodeBytes === 40 ? random.pick([0, 4, 8, 36]) : random.pick([0, 2, 4, 18]));
    nodes[at + random.below(nodeBytes === 40 ? 4 : 2)] ^= 1 << random.below(8);
    const damaged = { ...tree, nodes };
    let isTree = true;
    try {
      requireObbTree(damaged);
    } catch {
      isTree = false;
    }
    if (isTree) expect(verifyObbTree(updateObbTree(damaged, positions)).problems).toEqual([]);
    else expect(() => updateObbTree(damaged, positions)).toThrow(FormatError);
  }
  const corners = tree.triangles.with(5, positions.length / 3);
  expect(() => updateObbTree({ ...tree, triangles: corners }, positions)).toThrow(/vertex numbers below/);
});
