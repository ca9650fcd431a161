/**
 * Sets of cubes by the definition, for tests: Morton codes bit by bit, corners from the cell's numbers, contact by brute force over all
 * pairs of primitives. Shares no code with src/geometry/cube-set.ts.
 */

import type { ContactPair } from '../../src/engine/records.ts';
import type { Asset } from '../../src/engine/representation.ts';
import type { Pose } from '../../src/math/pose.ts';
import type { VoxelSet } from '../../src/representations/voxel/tree/cube-set.ts';
import { surfaceOf } from './agreement.ts';
import { hullsMeet } from './oracle.ts';

type Cell = readonly number[];

/** The Morton code of a cell, 22 bits an axis, x lowest: the brick's 60 bits over the 6 bits within. */
function mortonOf(cell: Cell): bigint {
  let code = 0n;
  cell.forEach((k, axis) => {
    for (let bit = 0; bit < 22; bit++)
      code |= BigInt(Math.floor((k + 2 ** 21) / 2 ** bit) % 2) << BigInt(3 * bit + axis);
  });
  return code;
}

/** The set of some cells, in any order; a cell that comes twice is one cube. */
export function setOf(cells: readonly Cell[], precision: number): VoxelSet {
  const bricks = new Map<bigint, bigint>();
  for (const cell of cells) {
    const code = mortonOf(cell);
    bricks.set(code >> 6n, (bricks.get(code >> 6n) ?? 0n) | (1n << (code & 63n)));
  }
  const sorted = [...bricks].sort(([p], [q]) => (p < q ? -1 : 1));
  const words = (parts: (brick: [bigint, bigint]) => bigint[]) => Uint32Array.from(sorted.flatMap(parts), Number);
  return {
    representation: 'voxel',
    precision,
    keys: words(([key]) => [key & 0x3fffffffn, key >> 30n]),
    masks: words(([, mask]) => [mask & 0xffffffffn, mask >> 32n]),
    header: { tool: 'test', source: null, units: null, options: {} },
  };
}

/** The cells of a set in the order of their numbers, read bit by bit. */
export function cellsByBits({ keys, masks }: Pick<VoxelSet, 'keys' | 'masks'>): number[][] {
  const cells: number[][] = [];
  for (let at = 0; at < keys.length; at += 2) {
    const key = BigInt(keys[at]) | (BigInt(keys[at + 1]) << 30n);
    const mask = BigInt(masks[at]) | (BigInt(masks[at + 1]) << 32n);
    for (let bit = 0n; bit < 64n; bit++) {
      if (!((mask >> bit) & 1n)) continue;
      const code = (key << 6n) | bit;
      cells.push(
        [0, 1, 2].map((axis) => {
          let k = 0;
          for (let i = 0; i < 22; i++) k += Number((code >> BigInt(3 * i + axis)) & 1n) * 2 ** i;
          return k - 2 ** 21;
        }),
      );
    }
  }
  return cells;
}

/** The next double towards minus infinity. */
export function nextBelow(x: number): number {
  if (x === 0) return -Number.MIN_VALUE;
  const double = Float64Array.of(x);
  new BigInt64Array(double.buffer)[0] += x > 0 ? -1n : 1n;
  return double[0];
}

/** Eight corners, x, y, z each: all that doubles of the cell can be lies between them. */
export function cornersOf(cell: Cell, precision: number): number[] {
  const low = cell.map((k) => k * precision);
  const high = cell.map((k) => nextBelow((k + 1) * precision));
  return Array.from({ length: 8 }, (_, i) => [0, 1, 2].map((axis) => ((i >> axis) & 1 ? high : low)[axis])).flat();
}

/** The points of every primitive of an asset as the pose moves them: cubes' corners, or triangles'. */
export function primitivesOf(asset: Asset, pose: Pose): number[][] {
  return own(asset).map((points) => movedBy(pose, points));
}

function own(asset: Asset): number[][] {
  if (asset.representation === 'voxel') {
    const set = asset as VoxelSet;
    return cellsByBits(set).map((cell) => cornersOf(cell, set.precision));
  }
  const { positions, triangles } = surfaceOf(asset);
  return Array.from({ length: triangles.length / 3 }, (_, t) =>
    [0, 1, 2].flatMap((k) => Array.from(positions.subarray(3 * triangles[3 * t + k], 3 * triangles[3 * t + k] + 3))),
  );
}

/** Points as the contract moves them. */
export function movedBy(m: Pose, points: readonly number[]): number[] {
  if (m.every((x, i) => x === (i % 5 === 0 ? 1 : 0))) return [...points];
  return points.map((_, i) => {
    const [x, y, z] = points.slice(i - (i % 3), i - (i % 3) + 3);
    const row = 4 * (i % 3);
    return m[row] * x + m[row + 1] * y + m[row + 2] * z + m[row + 3];
  });
}

/** Every pair of primitives that meet, sorted by a, then b: exact, pair by pair. */
export function meetingPairs(a: Asset, poseA: Pose, b: Asset, poseB: Pose): ContactPair[] {
  const [p, q] = [primitivesOf(a, poseA), primitivesOf(b, poseB)];
  const boxes = q.map(extent);
  return p.flatMap((hull, i) => {
    const box = extent(hull);
    return q.flatMap((other, j): ContactPair[] => {
      const apart = [0, 1, 2].some((k) => boxes[j][3 + k] < box[k] || box[3 + k] < boxes[j][k]);
      return !apart && hullsMeet(hull, other) ? [[i, j]] : [];
    });
  });
}

/** Least x, y, z and greatest. */
function extent(points: readonly number[]): number[] {
  const along = (axis: number) => points.filter((_, i) => i % 3 === axis);
  return [...[0, 1, 2].map((axis) => Math.min(...along(axis))), ...[0, 1, 2].map((axis) => Math.max(...along(axis)))];
}
