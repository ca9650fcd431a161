/** Blends: their bounds and lines held to values in whole numbers, their solids to those of minima and maxima, their file to what it says. */
import { describe, expect, test } from 'vitest';
import { build } from '../../../src/api.ts';
import { check } from '../../../src/engine/prepared.ts';
import { compose, translation } from '../../../src/math/pose.ts';
import { decodeFrep, encodeFrep } from '../../../src/representations/frep/format.ts';
import { compileFrep } from '../../../src/representations/frep/make/compile.ts';
import { readFrep } from '../../../src/representations/frep/make/model.ts';
import { blend, blendSlopes, boundBlend, lineOfBlend } from '../../../src/representations/frep/tree/blend.ts';
import { treeOf } from '../../../src/representations/frep/tree/describe.ts';
import { evaluate } from '../../../src/representations/frep/tree/evaluate.ts';
import { type FrepObject, OP } from '../../../src/representations/frep/tree/program.ts';
import { boundsOfCell } from '../../../src/representations/frep/tree/unfold.ts';
import { verifyFrep } from '../../../src/representations/frep/tree/verify.ts';
import { randomRotation } from '../../support/agreement.ts';
import {
  blended,
  type Dyadic,
  draft,
  dyadic,
  exactValue,
  isAtLeast,
  isAtMost,
  minus,
  plus,
  programOf,
  quadric,
  times,
} from '../../support/frep-programs.ts';
import { long, some } from '../../support/long.ts';
import { seeded } from '../../support/random.ts';
import { refusal } from '../../support/refusal.ts';

const model = (object: object, domain?: object): FrepObject =>
  compileFrep(readFrep(JSON.stringify({ object, ...(domain && { domain }) })));

/** The value of a blend of two numbers, in whole numbers: as the program of u and v. */
function exactBlend(
  isJoin: boolean,
  [amount, p, q]: Float64Array,
  f: number,
  g: number,
): { low: Dyadic; high: Dyadic } {
  const to = draft();
  const u = quadric(to, [0, 0, 0, 0, 0, 0, 1, 0, 0, 0]);
  const v = quadric(to, [0, 0, 0, 0, 0, 0, 0, 1, 0, 0]);
  blended(to, isJoin, u, v, amount, [p, q]);
  return exactValue(programOf(to), null, [f, g, 0].map(dyadic));
}

describe.each(some(2, [1, 2, 3, 4, 5]))('seed %i', (seed) => {
  test('bounds and lines hold all values between', { tags: ['all', 'long'] }, () => {
    const random = seeded(seed);
    const out = new Float64Array(2);
    const line = new Float64Array(4);
    for (let trial = 0; trial < (long ? 1000 : 400); trial++) {
      const isJoin = trial % 2 === 0;
      const size = 10 ** random.pick([0, 0, 0, -3, 5, 40, -140, -160, -300]);
      const numbers = Float64Array.of(
        random.pick([0, 1, -1]) * size * 10 ** random.between(-3, 2),
        ...[0, 1].map(() => Math.max(1e-60, size * 10 ** random.between(-3, 2))),
      );
      // A few widths of the interval, from a point to one around 0; an end at 0 in places.
      const ends = [0, 1].map(() => {
        const low = random.pick([0, 1, 1, 1]) * random.between(-1, 1);
        const high = low + random.pick([0, 1e-9, 0.1, 1]) * random.between(0, 1);
        return [low * size, high * size];
      });
      const [[f1, f2], [g1, g2]] = ends;
      boundBlend({ isJoin, numbers, at: 0 }, f1, f2, g1, g2, out);
      lineOfBlend({ isJoin, numbers, at: 0 }, f1, f2, g1, g2, line);
      for (let i = 0; i < 6; i++) {
        const [f, g] = ends.map(([low, high], k) =>
          i < 4
            ? (i >> k) & 1
              ? high
              : low
            : Math.min(high, Math.max(low, low + random.between(0, 1) * (high - low))),
        );
        const { low, high } = exactBlend(isJoin, numbers, f, g);
        const where = `trial ${trial}: ${isJoin} ${numbers.join(' ')} at ${f} ${g} of ${ends.join(' ')}`;
        expect(isAtLeast(high, out[0]) && isAtMost(low, out[1]), where).toBe(true);
        const onLine = [dyadic(f), dyadic(g)].reduce(
          (sum, x, k) => plus(sum, times(dyadic(line[k]), x)),
          dyadic(line[2]),
        );
        const [below, above] = [minus(low, onLine), minus(high, onLine)];
        expect(isAtMost(below, line[3]) && isAtLeast(above, -line[3]), `line, ${where}`).toBe(true);
        // In plain doubles: as near as the bounds' own rounding.
        const value = blend({ isJoin, numbers, at: 0 }, f, g);
        const near = 2 ** -44 * (Math.abs(f) + Math.abs(g) + Math.abs(numbers[0])) + Number.MIN_VALUE;
        expect(isAtMost(minus(low, dyadic(value)), near) && isAtLeast(minus(high, dyadic(value)), -near), where).toBe(
          true,
        );
      }
    }
  });

  test('away from where both are 0 lines close in by the second order, near it by the first', {
    tags: ['quick', 'long'],
  }, () => {
    const random = seeded(seed + 100);
    const line = new Float64Array(4);
    for (let trial = 0; trial < 50; trial++) {
      const numbers = Float64Array.of(random.between(-1, 1), random.between(0.5, 2), random.between(0.5, 2));
      const [f, g] = [random.pick([-1, 1]) * random.between(0.5, 1), random.between(-1, 1)];
      const rest = [2 ** -4, 2 ** -8].map((h) => {
        lineOfBlend({ isJoin: trial % 2 === 0, numbers, at: 0 }, f - h, f + h, g - h, g + h, line);
        return line[3];
      });
      expect(rest[1]).toBeLessThan(rest[0] / 200);
      lineOfBlend({ isJoin: true, numbers, at: 0 }, -1e-3, 1e-3, -1e-3, 1e-3, line);
      expect(line[3]).toBeLessThan(2e-3);
    }
  });

  test('without an amount the sign is that of the maximum or minimum, whatever the sizes', {
    tags: ['quick', 'long'],
  }, () => {
    const random = seeded(seed + 200);
    const none = Float64Array.of(0, 1, 1);
    const any = (): number => random.pick([-1, 1]) * 10 ** random.between(-200, 150);
    for (let trial = 0; trial < 2000; trial++) {
      const [f, g] = [any(), any()];
      expect(Math.sign(blend({ isJoin: true, numbers: none, at: 0 }, f, g)) >= 0).toBe(Math.max(f, g) >= 0);
      expect(Math.sign(blend({ isJoin: false, numbers: none, at: 0 }, f, g)) >= 0).toBe(Math.min(f, g) >= 0);
    }
  });

  test('slopes are those of the values', { tags: ['quick', 'long'] }, () => {
    const random = seeded(seed + 300);
    const out = new Float64Array(2);
    for (let trial = 0; trial < 100; trial++) {
      const numbers = Float64Array.of(random.between(-1, 1), random.between(0.5, 2), random.between(0.5, 2));
      const [f, g] = [random.between(0.2, 1), random.between(-1, 1)];
      const isJoin = trial % 2 === 0;
      blendSlopes({ isJoin, numbers, at: 0 }, f, g, out);
      const at = (x: number, y: number): number => blend({ isJoin, numbers, at: 0 }, x, y);
      const h = 1e-5;
      expect(out[0]).toBeCloseTo((at(f + h, g) - at(f - h, g)) / (2 * h), 6);
      expect(out[1]).toBeCloseTo((at(f, g + h) - at(f, g - h)) / (2 * h), 6);
    }
  });

  test('of no amount at all the solids are those of sets, and cost hardly more cells', {
    tags: ['quick', 'long'],
  }, () => {
    const random = seeded(seed + 400);
    const shapes = [{ sphere: { radius: 1 } }, { box: { size: [2.4, 0.6, 0.6] } }];
    const ball = model({ sphere: { radius: 0.4 } });
    for (const set of ['union', 'intersection', 'difference'] as const) {
      const [hard, soft] = [model({ [set]: shapes }), model({ blend: { set, shapes } })];
      const cells = { hard: 0, soft: 0 };
      for (let trial = 0; trial < 20; trial++) {
        const at = [0, 1, 2].map(() => random.between(-1.5, 1.5));
        const poses = { poseB: compose(translation(at[0], at[1], at[2]), randomRotation(random)) };
        const [one, other] = [check(hard, ball, poses), check(soft, ball, poses)];
        expect(other.verdict, `${set} at ${at}`).toBe(one.verdict);
        cells.hard += one.tests.bounds;
        cells.soft += other.tests.bounds;
      }
      // The first cell alone is bounded as a blend: a few cells a pose.
      expect(cells.soft).toBeLessThan(1.3 * cells.hard + 3 * 20);
    }
  });
});

test('an amount fills the edge between two, and takes it away below 0', () => {
  const shapes = [{ box: { size: [4, 4, 1] } }, { cylinder: { radius: 0.5, height: 4 } }];
  const domain = { min: [-3, -3, -3], max: [3, 3, 3] };
  const filled = model({ blend: { set: 'union', shapes, amount: 0.3, widths: [0.5, 0.5] } }, domain);
  const carved = model({ blend: { set: 'union', shapes, amount: -0.1, widths: [0.5, 0.5] } });
  const plain = model({ union: shapes });
  const probe = model({ sphere: { radius: 0.02 } });
  const verdictAt = (object: FrepObject, x: number, z: number): string =>
    check(object, probe, { poseB: translation(x, 0, z) }).verdict;
  // Just out of the corner between the plate and the rod, and just inside of it.
  expect([plain, filled, carved].map((object) => verdictAt(object, 0.56, 0.56))).toEqual(['clear', 'contact', 'clear']);
  expect([plain, filled, carved].map((object) => verdictAt(object, 0.47, 0.52))).toEqual([
    'contact',
    'contact',
    'clear',
  ]);
});

test('every way round, by the formula, and verified in whole numbers', { tags: ['all', 'long'] }, () => {
  const f = { ellipsoid: { radii: [1, 0.5, 0.5] } };
  const g = { ellipsoid: { radii: [0.5, 1, 0.5], center: [0.2, 0, 0] } };
  const domain = { min: [-2, -2, -2], max: [2, 2, 2] };
  const shapes = [f, g];
  const blended = (set: string): object => ({ blend: { set, shapes, amount: 0.25, widths: [0.5, 2] } });
  for (const [set, turn, side] of [
    ['union', 1, 1],
    ['intersection', 1, -1],
    ['difference', -1, -1],
  ] as const) {
    const [object, negative] = [model(blended(set), domain), model({ complement: blended(set) }, domain)];
    for (const [x, y, z] of [
      [0.1, 0.2, 0.3],
      [1.1, 0, 0.1],
      [-0.7, 0.9, -0.2],
    ]) {
      const p = evaluate(model(f), x, y, z);
      const q = turn * evaluate(model(g), x, y, z);
      const value = p + q + side * Math.sqrt(p * p + q * q) + 0.25 / (1 + (p / 0.5) ** 2 + (q / 2) ** 2);
      expect(evaluate(object, x, y, z)).toBeCloseTo(value, 12);
      expect(evaluate(negative, x, y, z)).toBeCloseTo(-value, 12);
    }
    for (const each of long ? [object, negative] : [set === 'union' ? negative : object])
      expect(verifyFrep(each, boundsOfCell).problems).toEqual([]);
  }
});

test('verify finds bounds of a blend that are off by a little', () => {
  const shapes = [{ sphere: { radius: 1 } }, { sphere: { radius: 1, center: [1, 0, 0] } }];
  const object = model({ blend: { set: 'union', shapes, amount: -0.5 } });
  const off: typeof boundsOfCell = (...cell) => {
    boundsOfCell(...cell);
    cell[5][2] += 1e-9;
  };
  expect(verifyFrep(object, off).problems.length).toBeGreaterThan(0);
});

test('a model says what it lacks, and info what it is', () => {
  const shapes = [{ sphere: { radius: 1 } }, { sphere: { radius: 1, center: [1, 0, 0] } }];
  const said = (object: object): string => {
    try {
      model(object);
    } catch (error) {
      return (error as Error).message;
    }
    return 'none';
  };
  expect(said({ blend: { set: 'union', shapes, amount: 1 } })).toContain(
    'expected a domain, since object.blend has an amount that enlarges it',
  );
  expect(said({ blend: { set: 'union', shapes, amount: -1 } })).toBe('none');
  expect(said({ blend: { set: 'union', shapes: [shapes[0]] } })).toContain('object.blend.shapes');
  expect(said({ blend: { set: 'union', shapes, widths: [1, 0] } })).toContain('object.blend.widths[1]');
  expect(treeOf(model({ blend: { set: 'union', shapes } }))).toEqual([
    'blend (blended union)',
    '  sphere (quadric)',
    '  sphere (quadric)',
  ]);
});

test('files: a blend is read back; one of the first version has none; widths are above 0', async () => {
  const object = model({
    blend: { set: 'difference', shapes: [{ sphere: { radius: 1 } }, { box: { size: [1, 1, 1] } }], widths: [2, 3] },
  });
  const bytes = await encodeFrep(object);
  const { asset } = await decodeFrep(bytes.slice());
  expect(asset.program).toEqual(object.program);
  expect(asset.program.ops.at(-1)).toBe(OP.MEET);
  const bad = {
    ...object,
    program: { ...object.program, numbers: object.program.numbers.map((x) => (x === 2 ? 0 : x)) },
  };
  expect((await refusal(decodeFrep(await encodeFrep(bad)))).message).toContain('expected widths from 1e-60, found 0');
  expect(() => build(readFrep('{"object":{"blend":{"set":"union","shapes":[]}}}'))).toThrow('blend');
});
