/**
 * The content of files of every kind as plain numbers, as the readers in other languages print it
 * as JSON (ports/c/dump.c and test/ports/dump.py).
 */
import { createLibrary } from '../../src/api.ts';
import { sharpCodec } from '../../src/containers/pixels-sharp.ts';
import { readDirectories } from '../../src/containers/tiff-directory.ts';
import { chartsOf, type GeometryImage, toMesh } from '../../src/representations/gi/tree/geometry-image.ts';
import { nodeOffset } from '../../src/representations/gi/tree/grid.ts';
import { decodeNormal, decodeOffset, normal } from '../../src/representations/gi/tree/slab-tree.ts';
import { dopDirections } from '../../src/representations/kdop/tree/dop-directions.ts';
import { isLeaf, type KdopTree, quantumOf, target } from '../../src/representations/kdop/tree/kdop-tree.ts';
import { child, childrenOf, createCursor, triangleOf } from '../../src/representations/obb/tree/cursor.ts';
import { DECODED } from '../../src/representations/obb/tree/node.ts';
import type { ObbTree } from '../../src/representations/obb/tree/obb-tree.ts';
import { decodeWideBox, decodeWideChild, WIDTH } from '../../src/representations/obb/tree/wide-node.ts';
import type { VoxelSet } from '../../src/representations/voxel/tree/cube-set.ts';

type Tree = ObbTree | KdopTree;
type Json = Record<string, unknown>;

const { read } = createLibrary(sharpCodec);

/**
 * The library's result in the form that the other readers print. They refuse images of other
 * programs.
 */
export async function decodedFile(bytes: Uint8Array): Promise<Json> {
  const { asset } = await read(bytes.slice());
  const known = asset as unknown as Tree | VoxelSet | GeometryImage;
  if (known.representation !== 'gi') {
    const version = new DataView(bytes.buffer, bytes.byteOffset).getUint32(12, true);
    return decodedBlob(known, version);
  }
  const { description } = readDirectories(bytes)[0];
  if (!description?.includes('gicollide')) throw new Error('an image by others');
  const { pages } = JSON.parse(description);
  return decodedImage(
    known,
    pages.map(({ role }: { role: string }) => role),
  );
}

/** Node, triangle, depth, corners outside of its box: an entry of a walk. */
type Step = [number, number, number, number];

function walkOfObb(tree: ObbTree): Step[] {
  const cursor = createCursor(tree);
  const walk = (node: number, first: number, count: number, depth: number): Step[] => {
    const triangle = triangleOf(cursor, node, first, count);
    const step: Step = [Math.max(-1, node), triangle, depth, 0];
    if (triangle >= 0) return [step];
    const children = childrenOf(cursor, node, first, count);
    const [n, f, c] = [[...child.node], [...child.first], [...child.count]];
    return [step, ...Array.from({ length: children }, (_, k) => walk(n[k], f[k], c[k], depth + 1)).flat()];
  };
  return walk(0, 0, tree.triangles.length / 3, 0);
}

function walkOfKdop({ links }: KdopTree, node = 0, depth = 0): Step[] {
  const aim = target(links[node]);
  if (isLeaf(links[node])) return [[node, aim, depth, 0]];
  const below = [aim, aim + 1].flatMap((child) => walkOfKdop({ links } as KdopTree, child, depth + 1));
  return [[node, -1, depth, 0], ...below];
}

/** The boxes of nodes, and those that nodes of 64 bytes have for each child. */
function boxesOf(tree: ObbTree) {
  const { reader } = createCursor(tree);
  const row = new Float64Array(DECODED);
  const origin = tree.nodeBytes === 64 ? [...tree.origin] : [0, 0, 0];
  const boxOf = (low: number[], high: number[]) => ({
    rotation: [...row.subarray(0, 9)],
    origin,
    centre: [...row.subarray(9, 12)],
    low,
    high,
  });
  const boxes: Json[] = [];
  const slots: Json[] = [];
  for (let node = 0; node < reader.count; node++) {
    if (reader.wide) decodeWideBox(reader.wide, node, row, 0);
    else reader.decode(node, row, 0);
    const half = [...row.subarray(12)];
    const low = half.map((h) => -h);
    boxes.push(boxOf(low, half));
    for (let j = 0; j < WIDTH && reader.wide; j++) {
      const bounds = new Float64Array(6);
      decodeWideChild(reader.wide, node, j, bounds, 0);
      slots.push(boxOf([...bounds.subarray(0, 3)], [...bounds.subarray(3)]));
    }
  }
  return { boxes, slots };
}

const meshOf = ({ positions, triangles }: Tree) => ({ vertices: [...positions], triangles: [...triangles] });

function decodedBlob(asset: Tree | VoxelSet, version: number): Json {
  const start = { kind: asset.representation, version };
  if (asset.representation === 'obb')
    return { ...start, ...meshOf(asset), nodeBytes: asset.nodeBytes, ...boxesOf(asset), walk: walkOfObb(asset) };
  if (asset.representation === 'kdop')
    return {
      ...start,
      ...meshOf(asset),
      k: asset.k,
      bits: asset.bits,
      quantum: quantumOf(asset),
      origin: [...asset.origin],
      directions: [...dopDirections(asset.k).vectors],
      coefficients: [...asset.coefficients],
      walk: walkOfKdop(asset),
    };
  const { precision, keys } = asset;
  return { ...start, precision, bricks: keys.length / 2, cells: cellsOf(asset) };
}

/** Cells one by one, as FORMAT.md has it: bit n of a code is bit floor(n / 3) of number n mod 3. */
function cellsOf({ keys, masks }: VoxelSet): number[] {
  const cells: number[] = [];
  for (let brick = 0; brick < keys.length / 2; brick++) {
    const key = BigInt(keys[2 * brick]) | (BigInt(keys[2 * brick + 1]) << 30n);
    for (let bit = 0; bit < 64; bit++) {
      if (((masks[2 * brick + (bit >> 5)] >>> (bit & 31)) & 1) === 0) continue;
      const code = (key << 6n) | BigInt(bit);
      const cell = [-(2 ** 21), -(2 ** 21), -(2 ** 21)];
      for (let n = 0; n < 66; n++) if ((code >> BigInt(n)) & 1n) cell[n % 3] += 2 ** Math.floor(n / 3);
      cells.push(...cell);
    }
  }
  return cells;
}

/** The stored surface, and of each level of each chart the spheres and slabs, those that the file has. */
function decodedImage(image: GeometryImage, roles: readonly string[]): Json {
  const { positions, triangles } = toMesh(image);
  const levels: Json[] = [];
  for (const { exponent, tree, origin, step } of chartsOf(image)) {
    for (let level = 0; level <= exponent && roles.includes('spheres'); level++) {
      const found = { centres: [] as number[], radii: [] as number[], normals: [] as number[], planes: [] as number[] };
      for (let node = 0; node < 4 ** level; node++) {
        const at = nodeOffset(exponent, level, node >> level, node & ((1 << level) - 1));
        const radius = tree.page[at + 3] * tree.radiusSteps[level];
        for (let k = 0; k < 3; k++) found.centres.push(origin[k] + tree.page[at + k] * step);
        found.radii.push(radius);
        if (!tree.slabs || !roles.includes('slabs')) continue;
        decodeNormal(tree.slabs[at], tree.slabs[at + 1]);
        found.normals.push(...normal.map((x) => x + 0)); // no -0
        found.planes.push(decodeOffset(tree.slabs[at + 2], radius), decodeOffset(tree.slabs[at + 3], radius));
      }
      levels.push(found);
    }
  }
  return { kind: 'gi', vertices: [...positions], triangles: [...triangles], levels };
}
