/**
 * Trees of 40 and of 20 bytes a node over meshes of more than a part: every box holds what is below
 * it, and threads change no byte.
 */
import { describe, expect, test } from 'vitest';
import { whileBusy } from '../../../src/kernels/memory.ts';
import type { Mesh } from '../../../src/mesh/mesh.ts';
import { decodeObbTree, encodeObbTree } from '../../../src/representations/obb/format.ts';
import { binaryTree, buildObbTree } from '../../../src/representations/obb/make/index.ts';
import { portableNodes } from '../../../src/representations/obb/make/portable.ts';
import { reachOfObbTree } from '../../../src/representations/obb/tree/unfold.ts';
import { verifyObbTree } from '../../../src/representations/obb/tree/verify.ts';
import { bumpySphere, grid, mapped, randomTriangles, soup, together } from '../../support/shapes.ts';

// What globalSetup has compiled: a worker is a file for Node, not a module of the test's.
const compiled = (path: string): string => new URL(`../../../dist/${path}`, import.meta.url).href;
const { buildObbTreeOn } = (await import(
  compiled('representations/obb/make/obb-workers.js')
)) as typeof import('../../../src/representations/obb/make/obb-workers.ts');
const { kernelMemory } = (await import(
  compiled('kernels/memory.js')
)) as typeof import('../../../src/kernels/memory.ts');

const SIZES = [40, 20] as const;
const sphere = bumpySphere(71, 4);

const coincident = (count: number): Mesh => ({
  positions: Float64Array.of(0, 0, 0, 1, 0, 0, 0, 1, 0),
  triangles: Uint32Array.from({ length: 3 * count }, (_, i) => i % 3),
  groups: [],
});

const scaled = (mesh: Mesh, factor: number, shift = 0): Mesh =>
  mapped(mesh, (x, y, z) => [factor * x + shift, factor * y + shift, factor * z + shift]);

const MESHES: [string, Mesh][] = [
  ['bumpy sphere, seed 71', sphere],
  ['its triangles, no vertex shared', soup(sphere)],
  ['4,000 random triangles, seed 72', randomTriangles(72, 4000)],
  ['3,000 triangles of 20 vertices, seed 73', randomTriangles(73, 3000, 20)],
  ['3,000 times the same triangle', coincident(3000)],
  ['a plane', grid(40)],
  ['of 1e30', scaled(sphere, 1e30)],
  ['of 1e-30', scaled(sphere, 1e-30)],
  ['denormals', scaled(sphere, 1e-320)],
  ['far from 0 and tiny', scaled(sphere, 1e-9, 1)],
  ['three spheres, one huge, one tiny', together(sphere, scaled(sphere, 1e12), scaled(sphere, 1e-12, 3)) as Mesh],
];

describe.each(SIZES)('%i bytes a node', (nodeBytes) => {
  test.each(MESHES)('%s', async (_, mesh) => {
    const tree = buildObbTree(mesh, { nodeBytes });
    expect(verifyObbTree(tree).problems).toEqual([]);
    // Without what the builder knows, so that it is computed.
    expect(reachOfObbTree({ ...tree })).toBe(reachOfObbTree(tree));
    const { asset: read } = await decodeObbTree(await encodeObbTree(tree));
    expect(Buffer.compare(read.nodes, tree.nodes)).toBe(0);
    const again = whileBusy(() => buildObbTree(mesh, { nodeBytes }));
    expect(Buffer.compare(again.nodes, tree.nodes)).toBe(0);
  });

  test('more triangles than a word counts', { tags: ['all'] }, () => {
    expect(verifyObbTree(buildObbTree(bumpySphere(74, 6), { nodeBytes })).problems).toEqual([]);
  });

  test('1, 2 and 3 threads give the same bytes, seed 75', { tags: ['all'] }, async () => {
    const mesh = bumpySphere(75, 6);
    const alone = buildObbTree(mesh, { nodeBytes });
    for (const threads of [1, 2, 3]) {
      const tree = await buildObbTreeOn(threads, mesh, { nodeBytes }, 1);
      expect(Buffer.compare(tree.nodes, alone.nodes)).toBe(0);
      expect(tree.order).toEqual(alone.order);
    }
  });

  test('builds on threads leave no memory behind, seed 76', { tags: ['all'] }, async () => {
    const mesh = bumpySphere(76, 5);
    const sizes: (number | undefined)[] = [];
    for (let i = 0; i < 4; i++) {
      await buildObbTreeOn(2, mesh, { nodeBytes }, 1);
      sizes.push(kernelMemory()?.memory.buffer.byteLength);
    }
    expect(sizes[3]).toBe(sizes[0]);
  });

  test.each(MESHES)('without WebAssembly: %s', (_, mesh) => {
    const reach = 0;
    const tree = binaryTree(mesh, nodeBytes, { ...portableNodes(mesh, nodeBytes), reach }, {});
    expect(verifyObbTree(tree).problems).toEqual([]);
  });
});
