/** Sets of cubes for tests: from cells, at random, and what they have in common by brute force over strings. */
import { type Collisions, commonCubes } from '../../../../src/representations/voxel/bulk/collide.ts';
import {
  bitOf,
  type CubeSet,
  cellsOf,
  highKey,
  lowKey,
  MOST_CELLS,
} from '../../../../src/representations/voxel/tree/cube-set.ts';
import { type Random, seeded } from '../../../support/random.ts';

export type Cell = [number, number, number];

/** The set of some cells, in any order, any of them many times. */
export function setOf(cells: readonly Cell[], precision = 1): CubeSet {
  const bricks = new Map<bigint, bigint>();
  for (const [i, j, k] of cells) {
    const key = (BigInt(highKey(i, j, k)) << 32n) | BigInt(lowKey(i, j, k));
    bricks.set(key, (bricks.get(key) ?? 0n) | (1n << BigInt(bitOf(i, j, k))));
  }
  const sorted = [...bricks].sort(([a], [b]) => (a < b ? -1 : 1));
  const words = (which: 0 | 1) =>
    Uint32Array.from(sorted.flatMap((brick) => [Number(brick[which] & 0xffffffffn), Number(brick[which] >> 32n)]));
  return { precision, keys: words(0), masks: words(1) };
}

/** Cells of a box, some share of them. */
export function boxOf(random: Random, corner: Cell, size: number, share: number): Cell[] {
  const cells: Cell[] = [];
  for (let x = 0; x < size; x++) {
    for (let y = 0; y < size; y++) {
      for (let z = 0; z < size; z++) {
        if (random.next() < share) cells.push([corner[0] + x, corner[1] + y, corner[2] + z]);
      }
    }
  }
  return cells;
}

/** Models that meet in many ways: dense, sparse, on both sides of 0, in the last corners of the grid, equal, disjoint, empty. */
export function scene(seed: number): CubeSet[] {
  const random = seeded(seed);
  const around = (reach: number): Cell => [0, 0, 0].map(() => random.below(2 * reach + 1) - reach) as Cell;
  const sets = [
    ...Array.from({ length: 5 }, () => boxOf(random, around(4), 6, 0.6)),
    ...Array.from({ length: 4 }, () => Array.from({ length: 60 }, () => around(6))),
    boxOf(random, [-MOST_CELLS, MOST_CELLS - 3, -1], 3, 0.9),
    boxOf(random, [-MOST_CELLS, MOST_CELLS - 3, -1], 3, 0.9),
    boxOf(random, [1000, 1000, -1000], 3, 1),
    [],
  ].map((cells) => setOf(cells));
  sets.push(sets[2], setOf([]), sets[6], sets[2]);
  return sets;
}

const names = (set: CubeSet): string[] => {
  const cells = cellsOf(set);
  return Array.from({ length: cells.length / 3 }, (_, n) => cells.subarray(3 * n, 3 * n + 3).join());
};

/** [i, j, cubes in common] of each colliding pair. */
export type Shared = [number, number, string[]][];

/** Every cube of every model against those of every other. */
export function bruteForce(sets: readonly CubeSet[]): Shared {
  const cells = sets.map((set) => new Set(names(set)));
  return cells.flatMap((a, i): Shared => {
    return cells.flatMap((b, j): Shared => {
      const shared = j > i ? [...a].filter((cell) => b.has(cell)) : [];
      return shared.length > 0 ? [[i, j, shared.sort()]] : [];
    });
  });
}

export function sharedIn(collisions: Collisions): Shared {
  return Array.from({ length: collisions.pairs.length / 2 }, (_, p) => {
    const shared = names(commonCubes(collisions, p)).sort();
    return [collisions.pairs[2 * p], collisions.pairs[2 * p + 1], shared];
  });
}

/** All but what it cost. */
export const answerOf = ({ work, ...answer }: Collisions) => answer;
