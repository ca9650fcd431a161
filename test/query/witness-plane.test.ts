/** Thousands of pairs at one distance: few of them are looked at, and what is said of the others is true. */
import { describe, expect, test } from 'vitest';
import { build } from '../../src/api.ts';
import { triangleDistance } from '../../src/geometry/triangle-distance.ts';
import { compose, identity, rotation, translation } from '../../src/math/pose.ts';
import type { Mesh } from '../../src/mesh/mesh.ts';
import { check } from '../../src/pair/pair.ts';
import { BoundTree } from '../../src/query/bound-tree.ts';
import { hullLoader } from '../../src/query/narrow-phase.ts';
import { WitnessPlane } from '../../src/query/witness-plane.ts';
import { seeded } from '../support/random.ts';

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
  test.each(['obb', 'kdop'] as const)('%s: a hundredth of their pairs, and the distance', (format) => {
    const [a, b] = [-1, 1].map((height) => build(fan(2000, height), { format }));
    for (const gap of [0.1, 1e-9]) {
      const poseB = compose(turn, compose(translation(0, 0, gap), rotation(0, 0, 1, 77)));
      const { verdict, bracket, tests } = check(a, b, { distance: true, poseA: turn, poseB });
      expect(verdict).toBe('clear');
      expect(Math.abs((bracket?.lower ?? 0) - gap)).toBeLessThan(1e-14);
      expect(Math.abs((bracket?.upper ?? 0) - gap)).toBeLessThan(1e-14);
      expect(tests.bounds + tests.hulls).toBeLessThan(80_000);
    }
  });

  test('that touch: at once', () => {
    const [a, b] = [-1, 1].map((height) => build(fan(2000, height), { format: 'obb' }));
    const { verdict, tests } = check(a, b, { distance: true });
    expect(verdict).toBe('contact');
    expect(tests.bounds).toBeLessThan(100);
  });
});

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
    return { triangles, operand: { tree, load } };
  }

  test.each([1, 1e-160, 1e150, 2 ** -1040, 2 ** 1020])('lengths of about %d', (scale) => {
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
      const plane = new WitnessPlane(a.operand, b.operand);
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
