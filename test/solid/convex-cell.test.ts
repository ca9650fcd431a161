/** Convex cells that planes cut, against points and the planes themselves. */
import { expect, test } from 'vitest';
import { Random } from '../../src/math/numbers.ts';
import { boxCell, type ConvexCell, halves, partBelow } from '../../src/solid/convex-cell.ts';

const seeds = Array.from({ length: 4 }, (_, k) => k + 1);
const SLIGHT = 2 ** -46;

interface HalfSpace {
  normal: number[];
  most: number;
}

const along = (normal: readonly number[], p: ArrayLike<number>, at = 0): number =>
  normal[0] * p[at] + normal[1] * p[at + 1] + normal[2] * p[at + 2];

/** A plane through about a point of a cell; of some, through a corner or along a face. */
function randomPlane(random: Random, { corners, faces }: ConvexCell): HalfSpace {
  const normal = [0, 1, 2].map(() => random.unit() - 0.5);
  const length = Math.hypot(...normal);
  const kind = random.integer() % 4;
  const chosen = kind === 0 ? [...faces[random.integer() % faces.length].normal] : normal.map((x) => x / length);
  const parts = Array.from(corners, (_, c) => (c % 3 === 0 ? random.unit() ** 4 : 0)).filter((_, c) => c % 3 === 0);
  const sum = parts.reduce((total, part) => total + part, 0);
  const point = [0, 1, 2].map((k) => parts.reduce((x, part, v) => x + (part / sum) * corners[3 * v + k], 0));
  const at = kind === 1 ? along(chosen, corners, 3 * (random.integer() % parts.length)) : along(chosen, point);
  return { normal: chosen, most: at };
}

/** Corners lie in all half-spaces, and each face's ring in its plane. */
function expectCell({ corners, faces }: ConvexCell, within: HalfSpace[]): void {
  const heightsOf = (normal: readonly number[]): number[] =>
    Array.from({ length: corners.length / 3 }, (_, v) => along(normal, corners, 3 * v));
  for (const { normal, most } of within) expect(Math.max(...heightsOf(normal))).toBeLessThan(most + 1e-12);
  for (const { normal, ring } of faces) {
    const heights = heightsOf(normal);
    expect(Math.min(...ring.map((v) => heights[v]))).toBeGreaterThan(Math.max(...heights) - 1e-12);
  }
  // Every edge has a face on either side.
  const edges = new Set(faces.flatMap(({ ring }) => ring.map((v, i) => `${v} ${ring[(i + 1) % ring.length]}`)));
  expect([...edges].filter((edge) => !edges.has(edge.split(' ').reverse().join(' ')))).toEqual([]);
}

/** Six times the volume, by tetrahedra from the first corner. */
function volumeOf({ corners, faces }: ConvexCell): number {
  let volume = 0;
  const from = (v: number): number[] => [0, 1, 2].map((k) => corners[3 * v + k] - corners[k]);
  for (const { ring } of faces)
    for (let i = 2; i < ring.length; i++) {
      const [p, q, r] = [from(ring[0]), from(ring[i - 1]), from(ring[i])];
      volume +=
        p[0] * (q[1] * r[2] - q[2] * r[1]) + p[1] * (q[2] * r[0] - q[0] * r[2]) + p[2] * (q[0] * r[1] - q[1] * r[0]);
    }
  return volume;
}

test.each(seeds)(
  'parts of a cell are below and above planes, and together the cell, seed %i',
  { tags: ['all'] },
  (seed) => {
    const random = new Random(seed);
    for (let n = 0; n < 20; n++) {
      const low = [0, 1, 2].map(() => random.unit() - 2);
      const high = low.map((x) => x + 0.01 + random.unit());
      let cell = boxCell(low, high);
      expect(volumeOf(cell)).toBeCloseTo(6 * low.reduce((product, x, k) => product * (high[k] - x), 1), 12);
      const within: HalfSpace[] = [];
      for (let cut = 0; cut < 12; cut++) {
        const { normal, most } = randomPlane(random, cell);
        const below = partBelow(cell, normal, most, SLIGHT);
        const parts = halves(cell, normal, most, 1e-6, SLIGHT);
        if (parts) {
          expect(below).toEqual(parts[0]);
          expectCell(parts[0], [...within, { normal, most }]);
          expectCell(parts[1], [...within, { normal: normal.map((x) => -x), most: -most }]);
          expect(volumeOf(parts[0]) + volumeOf(parts[1])).toBeCloseTo(volumeOf(cell), 12);
        }
        if (!parts) continue;
        const isAbove = random.integer() % 2 === 1;
        cell = parts[isAbove ? 1 : 0];
        within.push(isAbove ? { normal: normal.map((x) => -x), most: -most } : { normal, most });
      }
    }
  },
);

test('what is all on one side of a plane is left as it is, or nothing', () => {
  const cell = boxCell([0, 0, 0], [1, 1, 1]);
  expect(partBelow(cell, [1, 0, 0], 1, SLIGHT)).toBe(cell);
  expect(partBelow(cell, [1, 0, 0], -0.5, SLIGHT)).toBeNull();
  expect(halves(cell, [1, 0, 0], 1, 1e-9, SLIGHT)).toBeUndefined();
});
