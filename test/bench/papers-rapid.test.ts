/**
 * Rungs of RAPID's ladder that only measurements have: they are one tree, whatever they store; what
 * rounding without fitting leaves out is what fitting puts right; and operations are counted as one
 * counts them by hand.
 */
import { describe, expect, it } from 'vitest';
import { nearContactPoses, randomTurn, sample, seeded } from '../../bench/inputs.mjs';
import { Counter, counted } from '../../bench/papers/rapid-counting.mjs';
import { countsOfWays } from '../../bench/papers/rapid-operations-check.mjs';
import { signsOf } from '../../bench/papers/rapid-orientations-check.mjs';
import { RungSearch } from '../../bench/papers/rapid-search.mjs';
import type { Layout } from '../../bench/papers/rapid-trees.mjs';
import {
  approximateRoot,
  bytesOf,
  leastBoxes,
  RUNGS,
  RungTree,
  throughParents,
  turnOfQuaternion,
  unitQuaternion,
} from '../../bench/papers/rapid-trees.mjs';
import { build } from '../../src/index.ts';
import { bruteForce } from '../support/oracle.ts';

const SEED = 7;
const bolt = sample('bolt');
const tree = build(bolt, { format: 'obb', nodeBytes: 40 });
const [least, asTheyCome] = [leastBoxes(tree), leastBoxes(tree, { renamed: false })];
const of = (orientation: Layout['orientation']): Layout => ({ orientation, real: 4, pointers: 1 });
const LAYOUTS: readonly Layout[] = [
  ...RUNGS,
  { ...RUNGS[0]!, aligned: true },
  ...(['sign', 'newton1', 'newton2', 'euler'] as const).map(of),
];
const named = LAYOUTS.map((layout) => [`${bytesOf(layout)} bytes, ${layout.orientation}`, layout] as const);

/** How far corners are outside of what nodes decode to: of their planes, and as sums of axes. */
function outside(rung: RungTree): number {
  const box = new Float64Array(15);
  let worst = Number.NEGATIVE_INFINITY;
  for (const [node, below] of least.below.entries()) {
    rung.decode(rung.bytes * node, box);
    const [m, c, h] = [box.subarray(0, 9), box.subarray(9, 12), box.subarray(12)];
    const axes = [0, 1, 2].map((k) => [m[k]!, m[3 + k]!, m[6 + k]!] as const);
    const triple = ([p, q, r]: readonly (readonly number[])[]) =>
      p![0]! * (q![1]! * r![2]! - q![2]! * r![1]!) +
      p![1]! * (q![2]! * r![0]! - q![0]! * r![2]!) +
      p![2]! * (q![0]! * r![1]! - q![1]! * r![0]!);
    for (const t of below) {
      for (const vertex of bolt.triangles.subarray(3 * t, 3 * t + 3)) {
        const v = [0, 1, 2].map((k) => bolt.positions[3 * vertex + k]! - c[k]!);
        for (let i = 0; i < 3; i++) {
          const along = axes[i]!.reduce((sum, x, k) => sum + x * v[k]!, 0);
          const part = triple(axes.map((axis, k) => (k === i ? v : axis))) / triple(axes);
          worst = Math.max(worst, Math.abs(along) - h[i]!, Math.abs(part) - h[i]!);
        }
      }
    }
  }
  return worst;
}

describe('rungs', () => {
  it('take the bytes of the text', () => {
    expect(RUNGS.map(bytesOf)).toEqual([132, 72, 68, 64, 44, 40]);
  });

  const poses = nearContactPoses(tree, tree, 4, SEED);
  const meets = poses.map((pose) => bruteForce(bolt, null, bolt, pose).length > 0);

  const holds = (layout: Layout) => {
    const trees = [least, asTheyCome].map((boxes) => new RungTree(tree, layout, boxes));
    for (const rung of trees) expect(outside(rung)).toBeLessThanOrEqual(0);
    const search = new RungSearch(trees[0]!, trees[1]!);
    expect(poses.map((pose) => search.meets(pose))).toEqual(meets);
  };
  const title = `%s: every triangle is in its boxes, and near contact verdicts are right (seed ${SEED})`;

  it.each(named.slice(0, RUNGS.length))(title, (_, layout) => holds(layout));
  it.each(named.slice(RUNGS.length))(title, { tags: ['all'] }, (_, layout) => holds(layout));

  it('test the same pairs of boxes, with whatever pointers', () => {
    const tests = RUNGS.slice(1, 4).map((layout) => {
      const rung = new RungTree(tree, layout, least);
      const search = new RungSearch(rung, rung);
      return poses.map((pose) => [search.meets(pose), search.tests, search.triangles]);
    });
    for (const each of tests) expect(each).toEqual(tests[0]);
  });

  it.each(RUNGS.slice(1))('$orientation, $pointers pointers: without fitting, boxes leave out triangles', (layout) => {
    expect(outside(new RungTree(tree, layout, asTheyCome, { fitted: false }))).toBeGreaterThan(2 ** -30);
  });

  it("boxes of the parent's frame in single precision are near the least ones", () => {
    const apart = throughParents(tree, least.boxes).map((x, i) => Math.abs(x - least.boxes[i]!));
    expect(Math.max(...apart)).toBeGreaterThan(2 ** -26);
    expect(Math.max(...apart)).toBeLessThan(2 ** -20);
  });
});

describe('orientations', () => {
  it(`q and -q turn alike: w >= 0 loses nothing (seed ${SEED})`, () => {
    const random = seeded(SEED);
    const [p, q] = [new Float64Array(9), new Float64Array(9)];
    let [different, apart] = [0, 0];
    for (let i = 0; i < 1000; i++) {
      const pose = randomTurn(random);
      const m = Float64Array.from([0, 1, 2, 4, 5, 6, 8, 9, 10], (k) => pose[k]!);
      const [x, y, z, w] = unitQuaternion(m) as [number, number, number, number];
      turnOfQuaternion(p, x, y, z, w);
      turnOfQuaternion(q, -x, -y, -z, -w);
      if (p.some((entry, k) => entry !== q[k])) different++;
      apart = Math.max(apart, ...p.map((entry, k) => Math.abs(entry - m[k]!)));
    }
    expect(different).toBe(0);
    expect(apart).toBeLessThan(1e-12);
    const { negative, lost } = signsOf(tree, asTheyCome);
    expect(negative).toBeGreaterThan(0);
    expect(lost).toBe(0);
  });

  it('an approximate root is never above the root, and near it after each step', () => {
    for (const [steps, error] of [0.0344, 0.00176, 4.8e-6, 3.5e-11].entries()) {
      const parts = Array.from({ length: 5000 }, (_, i) => approximateRoot((i + 1) / 5000, steps)).map(
        (root, i) => root / Math.sqrt((i + 1) / 5000) - 1,
      );
      expect(Math.max(...parts.map(Math.abs))).toBeLessThan(error);
      if (steps > 0) expect(Math.max(...parts)).toBeLessThan(1e-15);
    }
  });
});

describe('operations', () => {
  it('are counted as they run, without indices, heads of loops and signs of numbers', () => {
    const counter = new Counter();
    function some(a: number[], i: number) {
      let sum = 0;
      for (let k = 0; k < 3; k++) sum = sum + a[k + i - 1]! * -a[i]!;
      return Math.abs(sum) > 1 ? Math.sqrt(-sum) : sum / 2;
    }
    const { some: counting } = counted({ some }, counter);
    expect(counting!([1, 2, 3], 1)).toBe(some([1, 2, 3], 1));
    expect(counter.counts).toEqual({ add: 3, multiply: 3, divide: 0, negate: 4, root: 1, abs: 1, compare: 1 });
  });

  // By hand. Matrices: nine sums of three products, and three for the centre: 27 + 18, 9 + 6. The
  // product of quaternions: four sums of four products, 16 + 12. A matrix of one: 9 products, 12
  // additions, and 9 doublings of sums or 3 of parts. To turn a vector: 6 + 3 for a cross product,
  // 3 doublings, 6 + 3 for another one, 3 products and 6 additions: 30.
  it.each([
    [0, 27 + 18, 9 + 6],
    [1, 16 + 12 + (9 + 12 + 9), 30],
    [2, 16 + 12 + (9 + 12 + 3), 30],
    [3, 2 * (3 + 3 + 1) + 16 + 12 + (9 + 12 + 3), 30],
    [4, 9 + 12 + 3 + (27 + 18), 9 + 6],
    [5, 2 * (9 + 12 + 3) + (27 + 18), 9 + 6],
    [6, 9 + 12 + 3 + 3 * 30, 30],
  ])('of way %i: %i for the rotation and %i for the centre', (way, rotation, centre) => {
    const counts = countsOfWays()[way]!;
    expect([counts.all - counts.centre, counts.centre]).toEqual([rotation, centre]);
  });

  it('13 more is a product of quaternions, as a matrix whose sums are doubled', () => {
    const [matrices, quaternions] = countsOfWays();
    expect(quaternions!.all - quaternions!.centre - (matrices!.all - matrices!.centre)).toBe(13);
  });
});
