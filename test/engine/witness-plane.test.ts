/** Thousands of pairs at one distance: few of them are looked at, and what is said of the others is true. */
import { describe, expect, test } from 'vitest';
import { build } from '../../src/api.ts';
import { BoundTree } from '../../src/engine/bound-tree.ts';
import { hullLoader } from '../../src/engine/narrow-phase.ts';
import { operandOf } from '../../src/engine/operand.ts';
import { check } from '../../src/engine/prepared.ts';
import type { Operand } from '../../src/engine/traverse.ts';
import { WitnessPlane } from '../../src/engine/witness-plane.ts';
import { triangleDistance } from '../../src/geometry/triangle-distance.ts';
import { compose, identity, rotation, translation } from '../../src/math/pose.ts';
import type { Mesh } from '../../src/mesh/mesh.ts';
import { randomDirection, randomRotation } from '../support/agreement.ts';
import { long } from '../support/long.ts';
import { seeded } from '../support/random.ts';
import { bumpySphere } from '../support/shapes.ts';

/** `n` triangles round the origin, their other corners on a circle at `height`. */
function fan(n: number, height: number): Mesh {
  const rim = Array.from({ length: n }, (_, k) => {
    const angle = (2 * Math.PI * k) / n;
    return [Math.cos(angle), Math.sin(angle), height];
  });
  const corners = rim.map((_, k) => [0, k + 1, ((k + 1) % n) + 1]);
  return {
    positions: Float64Array.from([0, 0, 0, ...rim.flat()]),
    triangles: Uint32Array.from(corners.flat()),
    groups: [],
  };
}

describe('two fans of 2,000 triangles, apex to apex', () => {
  const turn = compose(rotation(1, 2, 3, 40), translation(0.1, 0.2, 0.3));
  test.each(['obb', 'kdop'] as const)(
    '%s: a hundredth of their pairs, and the distance',
    { tags: ['all'] },
    (format) => {
      const [a, b] = [-1, 1].map((height) => build(fan(2000, height), { format }));
      for (const gap of [0.1, 1e-9]) {
        const poseB = compose(turn, compose(translation(0, 0, gap), rotation(0, 0, 1, 77)));
        const { verdict, bracket, tests } = check(a, b, { distance: true, poseA: turn, poseB });
        expect(verdict).toBe('clear');
        expect(Math.abs((bracket?.lower ?? 0) - gap)).toBeLessThan(1e-14);
        expect(Math.abs((bracket?.upper ?? 0) - gap)).toBeLessThan(1e-14);
        expect(tests.bounds + tests.hulls).toBeLessThan(40_000);
      }
    },
  );

  test('that touch: at once', () => {
    const [a, b] = [-1, 1].map((height) => build(fan(2000, height), { format: 'obb' }));
    const { verdict, tests } = check(a, b, { distance: true });
    expect(verdict).toBe('contact');
    expect(tests.bounds).toBeLessThan(100);
  });
});

const UNMOVED = { poseA: identity(), poseB: identity() };
const scaleOf = (at: number[], size: number): number => Math.max(size, ...at.map(Math.abs));

describe('a gap is no more than any distance, seed 5', () => {
  const { between } = seeded(5);
  const COUNT = 6;

  /** A tree of one leaf, of triangles about a point. */
  function side(
    size: number,
    at: number[],
  ): { triangles: Float64Array; operand: ConstructorParameters<typeof WitnessPlane>[0] } {
    const triangles = Float64Array.from({ length: 9 * COUNT }, (_, k) => at[k % 3] + size * between(-1, 1));
    const tree = new BoundTree((_, into) => void into.leaf(0, COUNT));
    const load = hullLoader((id, out) => {
      out.set(triangles.subarray(9 * id, 9 * id + 9));
      return 3;
    }, identity());
    return { triangles, operand: { tree, load, reach: 10 * scaleOf(at, size) } };
  }

  test.each([1, 1e-160, 1e150, 2 ** -1040, 2 ** 1020])('lengths of about %d', { tags: ['all'] }, (scale) => {
    let said = 0;
    const out = { lower: 0, upper: 0, onA: new Float64Array(3), onB: new Float64Array(3) };
    for (let tries = 0; tries < 200; tries++) {
      const far = between(0, 4);
      const a = side(scale, [0, 0, 0]);
      const b = side(scale * between(0, 1), [0, 0, scale * far]);
      let upper = Number.POSITIVE_INFINITY;
      let aim: [Float64Array, Float64Array] = [new Float64Array(3), new Float64Array(3)];
      for (let p = 0; p < COUNT; p++) {
        for (let q = 0; q < COUNT; q++) {
          triangleDistance(a.triangles, 9 * p, b.triangles, 9 * q, out);
          if (out.upper >= upper) continue;
          upper = out.upper;
          aim = [out.onA.slice(), out.onB.slice()];
        }
      }
      const plane = new WitnessPlane(a.operand, b.operand, UNMOVED);
      expect(plane.gap(0, 0)).toBe(Number.NEGATIVE_INFINITY);
      for (const noise of [0, 1e-9, 1]) {
        plane.aim(
          aim[0].map((x) => x + noise * scale * between(-1, 1)),
          aim[1],
          2 * COUNT,
        );
        const gap = plane.gap(0, 0);
        if (gap > 0) said++;
        // NaN, where the points are one, says nothing.
        expect(gap > upper, `try ${tries}, noise ${noise}`).toBe(false);
      }
      plane.aim(...aim, COUNT);
      expect(plane.gap(0, 0) > 0).toBe(false);
    }
    if (scale > 1e-300 && scale < 1e300) expect(said).toBeGreaterThan(50);
  });
});

describe('of nodes above many hulls, moved: no more than any distance below them', () => {
  const kinds = [{ format: 'obb' }, { format: 'kdop' }, { size: 17 }] as const;
  const assets = kinds.map((options, k) => build(bumpySphere(k + 1, 1), options));

  /** All hulls below a node. */
  function below({ tree }: Operand, node: number): number[] {
    const first = tree.isLeaf(node) ? ~tree.link[node] : tree.firstChild(node);
    const numbers = Array.from({ length: tree.count[node] }, (_, k) => first + k);
    return tree.isLeaf(node) ? numbers : numbers.flatMap((child) => below({ tree } as Operand, child));
  }

  function leastDistance(a: Operand, i: number, b: Operand, j: number): { upper: number; aim: Float64Array[] } {
    const out = { lower: 0, upper: 0, onA: new Float64Array(3), onB: new Float64Array(3) };
    let upper = Number.POSITIVE_INFINITY;
    let aim: Float64Array[] = [];
    for (const p of below(a, i)) {
      const from = a.load(p).points.slice(0, 9);
      for (const q of below(b, j)) {
        triangleDistance(from, 0, b.load(q).points, 0, out, upper);
        if (out.upper >= upper) continue;
        upper = out.upper;
        aim = [out.onA.slice(), out.onB.slice()];
      }
    }
    return { upper, aim };
  }

  test.each(long ? [61, 62, 63, 64, 65, 66] : [61])('seed %i', { tags: ['all', 'long'] }, (seed) => {
    const random = seeded(seed);
    let said = 0;
    for (let trial = 0; trial < 12; trial++) {
      const far = random.pick([0, 1e3, 1e7]);
      const poseA = compose(translation(far, -far / 3, 2), randomRotation(random));
      const [x, y, z] = randomDirection(random).map((c) => c * random.between(2, 6));
      const poseB = compose(translation(far + x, y - far / 3, 2 + z), randomRotation(random));
      const a = operandOf(random.pick(assets), poseA);
      const b = operandOf(random.pick(assets), poseB);
      const plane = new WitnessPlane(a, b, { poseA, poseB });
      const { upper, aim } = leastDistance(a, 0, b, 0);
      for (const noise of [0, 1e-3, 0.3]) {
        plane.aim(
          aim[0].map((c) => c + noise * random.between(-1, 1)),
          aim[1],
          1e6,
        );
        const gap = plane.gap(0, 0);
        expect(gap).toBeLessThanOrEqual(upper);
        if (noise === 0 && gap > 0.9 * upper) said++;
        const [i, j] = [a, b].map(({ tree }) => tree.firstChild(0) + random.below(tree.count[0]));
        expect(plane.gap(i, j)).toBeLessThanOrEqual(leastDistance(a, i, b, j).upper);
        // Siblings are parts: what is told of both is what is told of the node above.
        const ofA = Array.from({ length: a.tree.count[0] }, (_, k) => plane.gap(a.tree.firstChild(0) + k, 0));
        expect(Math.min(...ofA)).toBe(gap);
      }
    }
    expect(said).toBeGreaterThan(3);
  });

  test('little credit says nothing, or the same', () => {
    const poseB = translation(4, 0.3, 0.1);
    const a = operandOf(assets[0], identity());
    const b = operandOf(assets[1], poseB);
    const { aim } = leastDistance(a, 0, b, 0);
    const plane = new WitnessPlane(a, b, { poseA: identity(), poseB });
    plane.aim(aim[0], aim[1], 1e6);
    const whole = plane.gap(0, 0);
    for (let credit = 0; credit < 40; credit++) {
      plane.aim(aim[0], aim[1], credit);
      expect([Number.NEGATIVE_INFINITY, whole]).toContain(plane.gap(0, 0));
    }
  });
});
