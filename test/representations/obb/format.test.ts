import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { readObj } from '../../../src/readers/obj/obj.ts';
import { decodeObbTree, encodeObbTree } from '../../../src/representations/obb/format.ts';
import { child, childrenOf, createCursor, triangleOf } from '../../../src/representations/obb/tree/cursor.ts';
import { DECODED, NodeReader } from '../../../src/representations/obb/tree/node.ts';
import type { ObbTree } from '../../../src/representations/obb/tree/obb-tree.ts';
import { verifyObbTree } from '../../../src/representations/obb/tree/verify.ts';
import {
  decodeWideBox,
  decodeWideChild,
  isWideLeaf,
  linkOfNode,
  WIDE_DECODED,
  wideCount,
  wideIndex,
  wideViews,
} from '../../../src/representations/obb/tree/wide-node.ts';
import { refusal } from '../../support/refusal.ts';

const root = new URL('../../../', import.meta.url);
const bytesOf = (path: string) => new Uint8Array(readFileSync(new URL(path, root)));

// gicollide 0.1.0 wrote those of version 1: gicollide build assets/box.obj -f obb [--node-bytes n]
// scripts/make-golden.mjs makes the others of them.
const golden = {
  40: bytesOf('test/golden/box-obb40-v2.obb'),
  20: bytesOf('test/golden/box-obb20-v2.obb'),
  64: bytesOf('test/golden/box-obb64-v2.obb'),
};

const readerOf = (tree: ObbTree) => new NodeReader(tree.nodes, tree.nodeBytes, tree.origin, tree.scale);

function boxOf(reader: NodeReader, node: number) {
  const box = new Float64Array(DECODED);
  reader.decode(node, box, 0);
  return { rotation: [...box.subarray(0, 9)], centre: [...box.subarray(9, 12)], half: [...box.subarray(12)] };
}

/** F, row by row, centre and half extents of a node of 64 bytes, as they are stored. */
function wideBoxOf(tree: ObbTree, node: number) {
  const box = new Float64Array(WIDE_DECODED);
  decodeWideBox(wideViews(tree.nodes), node, box, 0);
  return { rotation: [...box.subarray(0, 9)], centre: [...box.subarray(9, 12)], half: [...box.subarray(12)] };
}

/** Triangles below an item, leaves from left to right, each with the number of boxes above it. */
function leavesOf(tree: ObbTree, from = [0, 0, tree.triangles.length / 3]): { triangle: number; boxes: number }[] {
  const cursor = createCursor(tree);
  const walk = (node: number, first: number, count: number, above: number): { triangle: number; boxes: number }[] => {
    const boxes = above + (node >= 0 ? 1 : 0);
    const triangle = triangleOf(cursor, node, first, count);
    if (triangle >= 0) return [{ triangle, boxes }];
    const children = childrenOf(cursor, node, first, count);
    const [n, f, c] = [[...child.node], [...child.first], [...child.count]];
    return Array.from({ length: children }, (_, k) => k).flatMap((k) => walk(n[k], f[k], c[k], boxes));
  };
  return walk(from[0], from[1], from[2], 0);
}

describe('the worked example', () => {
  const format = readFileSync(new URL('src/representations/obb/FORMAT.md', root), 'utf8');
  const rows = [
    ...format.slice(format.indexOf('## Worked example')).matchAll(/^\| (.+?) +\| (.+?) +\| (.+?) +\|$/gm),
  ].slice(2);
  const stated = (column: number) => Object.fromEntries(rows.map((row) => [row[1], row[column]]));

  /** The rows about the bytes alone, by offsets that stand in the document. */
  function bytesRows(bytes: Uint8Array): Record<string, string> {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    const sections = view.getUint32(16, true);
    const entries = Array.from({ length: sections }, (_, i) => {
      const name = String.fromCharCode(...bytes.subarray(32 + 32 * i, 44 + 32 * i)).replace(/\0+$/, '');
      return `${name} ${view.getBigUint64(48 + 32 * i, true)}`;
    });
    return {
      'bytes in the file': `${view.getBigUint64(24, true)}`,
      's and j': `${sections} ${view.getUint32(20, true)}`,
      'first bytes of the sections': entries.join(', '),
      'bytes of the checksum': Buffer.from(bytes.subarray(-4)).toString('hex'),
    };
  }

  /** The rows about what is decoded. `from`: the item whose node is shown. */
  function decodedRows(tree: ObbTree, from: [number, number, number], quaternion: number[], nodes: Uint8Array) {
    const size = tree.nodeBytes;
    const box = boxOf(readerOf(tree), from[0]);
    const turned = boxOf(new NodeReader(nodes, size, tree.origin, tree.scale), 0);
    return {
      N: `${tree.nodes.length / size}`,
      'a node': `${from[0]}`,
      'its bytes': Buffer.from(tree.nodes.subarray(size * from[0], size * (from[0] + 1))).toString('hex'),
      'its rotation, row by row': box.rotation.join(' '),
      'its centre': box.centre.join(' '),
      'its half extents': box.half.join(' '),
      'triangles below it': leavesOf(tree, from)
        .map(({ triangle }) => triangle)
        .join(' '),
      'triangles below the root': leavesOf(tree)
        .map(({ triangle }) => triangle)
        .join(' '),
      'qx qy qz of another': quaternion.join(' '),
      'its R': turned.rotation.join(' '),
    };
  }

  test('of 40 bytes a node is what box-obb40-v2.obb holds', async () => {
    const { asset, warnings } = await decodeObbTree(golden[40]);
    expect(warnings).toEqual([]);
    const quaternion = [0.25, -0.125, 0.5];
    const node = new Uint8Array(Float32Array.of(...quaternion, 0, 0, 0, 0, 0, 0, 0).buffer);
    expect({ ...bytesRows(golden[40]), ...decodedRows(asset, [3, 0, 0], quaternion, node) }).toEqual(stated(2));
  });

  test('of 20 bytes a node is what box-obb20-v2.obb holds', async () => {
    const { asset, warnings } = await decodeObbTree(golden[20]);
    expect(warnings).toEqual([]);
    const quaternion = [8192, -4096, 16384];
    const node = new Uint8Array(Int16Array.of(...quaternion, 0, 0, 0, 0, 0, 0, 0).buffer);
    expect({ ...bytesRows(golden[20]), ...decodedRows(asset, [1, 0, 2], quaternion, node) }).toEqual(stated(3));
  });

  test('of 64 bytes a node is what box-obb64-v2.obb holds', async () => {
    const { asset, warnings } = await decodeObbTree(golden[64]);
    expect(warnings).toEqual([]);
    const table = format.slice(format.indexOf('And `test/golden/box-obb64-v2.obb`'));
    const stated = Object.fromEntries(
      [...table.matchAll(/^\| (.+?) +\| (.+?) +\|$/gm)].slice(2).map((row) => [row[1], row[2]]),
    );
    const views = wideViews(asset.nodes);
    const node = 3;
    const link = linkOfNode(views, node);
    const [count, index] = [wideCount(link), wideIndex(link)];
    const box = wideBoxOf(asset, node);
    const child = new Float64Array(6);
    decodeWideChild(views, node, 1, child, 0);
    expect({
      ...bytesRows(golden[64]),
      N: `${asset.nodes.length / 64}`,
      'triangles below the root': leavesOf(asset)
        .map(({ triangle }) => triangle)
        .join(' '),
      'a node': `${node}`,
      'its bytes': Buffer.from(asset.nodes.subarray(64 * node, 64 * node + 64)).toString('hex'),
      'its F, row by row': box.rotation.join(' '),
      'its centre': box.centre.join(' '),
      'its half extents': box.half.join(' '),
      'its children': isWideLeaf(link)
        ? `triangles ${[...(asset.order as Uint32Array).subarray(index, index + count)].join(' ')}`
        : `nodes ${Array.from({ length: count }, (_, j) => index + j).join(' ')}`,
      'low and high of child 1': `${[...child.subarray(0, 3)].join(' ')}, ${[...child.subarray(3)].join(' ')}`,
    }).toEqual(stated);
  });

  test.each([40, 20, 64] as const)('the file of %d bytes a node is proved, and holds the mesh', async (nodeBytes) => {
    const { asset } = await decodeObbTree(golden[nodeBytes]);
    expect(verifyObbTree(asset).problems).toEqual([]);
    const { positions, triangles } = readObj(bytesOf('assets/box.obj'));
    expect(Array.from(asset.positions)).toEqual(Array.from(positions));
    expect(asset.triangles).toEqual(triangles);
    expect(asset.header.source?.name).toBe('box.obj');
  });
});

test.each([40, 20, 64] as const)(
  'version 1 of %d bytes a node holds the same tree, and is written as 2',
  async (size) => {
    const older = bytesOf(`test/golden/box-obb${size}-v1.obb`);
    const [before, after] = [older, golden[size]].map((bytes) => decodeObbTree(bytes.slice()));
    expect((await before).asset).toEqual((await after).asset);
    expect(await encodeObbTree((await before).asset)).toEqual(golden[size]);
    for (const bytes of [older, golden[size]]) {
      bytes[bytes.length - 50] ^= 4;
      expect((await refusal(decodeObbTree(bytes))).message).toMatch(/expected the checksum [0-9a-f]+, found/);
      bytes[12] = 3;
      expect((await refusal(decodeObbTree(bytes))).message).toBe(
        'byte 12: expected a version of obb that this reader knows (1, 2), found 3',
      );
    }
  },
);
