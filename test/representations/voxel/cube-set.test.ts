/** Cells are half-open and exact; keys are Morton codes; cubes are numbered by brick, then by bit. */
import { describe, expect, test } from 'vitest';
import {
  bitCell,
  bitOf,
  brickCell,
  type CubeSet,
  cellOf,
  cellsOf,
  firstCubes,
  highKey,
  lowKey,
  MOST_CELLS,
  popcount,
} from '../../../src/representations/voxel/tree/cube-set.ts';
import { seeded } from '../../support/random.ts';

const PRECISIONS = [0.1, 1 / 3, 1, 0.25, 1e-100, 7e99, 0.30000000000000004, 4503599627370497];

/** The double after x, away from 0 or towards it. */
function beside(x: number, outward: boolean): number {
  const double = Float64Array.of(x);
  new BigInt64Array(double.buffer)[0] += outward ? 1n : -1n;
  return double[0];
}

test.each(PRECISIONS)('seed 1: a number is in the one cell between two multiples of %d', { tags: ['all'] }, (a) => {
  const random = seeded(1);
  for (let n = 0; n < 20_000; n++) {
    const k = Math.round(random.between(-1, 1) * 2 ** random.between(0, 21));
    const wall = k * a;
    const x = [wall, beside(wall, true), k === 0 ? -5e-324 : beside(wall, false), random.between(-1, 1) * a * 2 ** 20][
      n & 3
    ];
    const cell = cellOf(x, a);
    if (!(Number.isInteger(cell) && cell * a <= x && x < (cell + 1) * a)) expect.fail(`${x} is not in cell ${cell}`);
    if (cellOf(wall, a) !== k) expect.fail(`${wall} is not in cell ${k}`);
  }
});

test('the first and the last cell', () => {
  for (const a of PRECISIONS) {
    expect(cellOf(-MOST_CELLS * a, a)).toBe(-MOST_CELLS);
    expect(cellOf(beside(MOST_CELLS * a, false), a)).toBe(MOST_CELLS - 1);
  }
});

/** The code by its definition, bit by bit. */
function slowCode(i: number, j: number, k: number): bigint {
  let code = 0n;
  [i, j, k].forEach((cell, axis) => {
    const brick = BigInt(Math.floor(cell / 4) + 2 ** 19);
    for (let bit = 0n; bit < 20n; bit++) code |= ((brick >> bit) & 1n) << (3n * bit + BigInt(axis));
  });
  return code;
}

/** The code of the cell in its brick, likewise. */
function slowBit(i: number, j: number, k: number): number {
  const digits = [i, j, k].map((cell) => [((cell % 2) + 2) % 2, Math.floor((((cell % 4) + 4) % 4) / 2)]);
  return digits.reduce((sum, [unit, two], axis) => sum + unit * 2 ** axis + two * 2 ** (3 + axis), 0);
}

test('seed 2: keys are the Morton code of the brick, and lead back to it', () => {
  const random = seeded(2);
  const some = () => Math.floor(random.between(-1, 1) * 2 ** random.between(1, 21));
  const cells = Array.from({ length: 5000 }, () => [some(), some(), some()]);
  cells.push([-MOST_CELLS, -MOST_CELLS, -MOST_CELLS], [MOST_CELLS - 1, MOST_CELLS - 1, MOST_CELLS - 1], [0, -1, 0]);
  for (const [i, j, k] of cells) {
    const low = lowKey(i, j, k);
    const high = highKey(i, j, k);
    expect((BigInt(high) << 30n) | BigInt(low)).toBe(slowCode(i, j, k));
    const bit = bitOf(i, j, k);
    expect(bit).toBe(slowBit(i, j, k));
    expect([0, 1, 2].map((axis) => brickCell(low, high, axis) + bitCell(bit, axis))).toEqual([i, j, k]);
  }
});

test('seed 3: bits are counted', () => {
  const random = seeded(3);
  for (const x of [0, 1, 0x80000000, 0xffffffff, ...Array.from({ length: 1000 }, () => random.below(2 ** 32))]) {
    const ones = x.toString(2).replaceAll('0', '').length;
    expect(popcount(x)).toBe(ones);
    expect(popcount(x | 0)).toBe(ones);
  }
});

describe('cubes of a set', () => {
  const set: CubeSet = {
    precision: 1,
    keys: Uint32Array.of(lowKey(-4, 8, 0), highKey(-4, 8, 0), lowKey(5, -1, 0), highKey(5, -1, 0)),
    masks: Uint32Array.of(0x80000001, 0x80000000, 0, 1),
  };
  test('are numbered by brick', () => {
    expect([...firstCubes(set)]).toEqual([0, 3, 4]);
  });
  test('are listed by brick, then by bit', () => {
    expect([...cellsOf(set)]).toEqual([-4, 8, 0, -1, 11, 1, -1, 11, 3, 4, -4, 2]);
  });
  test('can be none', () => {
    const none = { precision: 1, keys: new Uint32Array(0), masks: new Uint32Array(0) };
    expect([...firstCubes(none)]).toEqual([0]);
    expect(cellsOf(none).length).toBe(0);
  });
});
