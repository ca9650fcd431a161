/** Values held against sums of terms as the format defines them, gradients against differences of values. */
import { describe, expect, test } from 'vitest';
import { depthAt, evaluate, evaluateCube, moveToCrossing } from '../../../src/representations/frep/tree/evaluate.ts';
import { coefficientsOf, type FrepObject, OP, type Program } from '../../../src/representations/frep/tree/program.ts';
import { gradientOf } from '../../support/frep-programs.ts';
import { type Random, seeded } from '../../support/random.ts';

const seed = 71;

/** Instructions as [op, left, right, third]. */
function programOf(instructions: number[][], numbers: number[]): Program {
  return {
    ops: Uint8Array.from(instructions, ([op]) => op),
    left: Uint32Array.from(instructions, ([, left]) => left),
    right: Uint32Array.from(instructions, ([, , right]) => right),
    third: Uint32Array.from(instructions, ([, , , third]) => third ?? 0),
    numbers: Float64Array.from(numbers),
  };
}

/** What the format's description says, term by term. */
function expected({ ops, left, right, third, numbers }: Program, u: number, v: number, w: number): number {
  const values: number[] = [];
  ops.forEach((op, i) => {
    const [f, g] = [values[left[i]], values[right[i]]];
    const c = numbers.subarray(left[i]);
    if (op === OP.QUADRIC) {
      const terms = [u * u, v * v, w * w, u * v, u * w, v * w, u, v, w, 1];
      values.push(terms.reduce((sum, term, n) => sum + c[n] * term, 0));
    } else if (op === OP.POLYNOMIAL) {
      let [sum, n] = [0, 0];
      for (let a = 0; a <= right[i]; a++)
        for (let b = 0; a + b <= right[i]; b++)
          for (let d = 0; a + b + d <= right[i]; d++) sum += c[n++] * u ** a * v ** b * w ** d;
      values.push(sum);
    } else if (op === OP.WAVES) {
      let sum = 0;
      for (let n = 0; n < 5 * right[i]; n += 5)
        sum += c[n] * Math.sin(c[n + 1] * u + c[n + 2] * v + c[n + 3] * w + c[n + 4]);
      values.push(sum);
    } else if (op === OP.SUM) values.push(f + g);
    else if (op === OP.PERTURBATION) values.push(f + numbers[third[i]] * Math.max(g, 0) ** 2);
    else values.push(op === OP.INTERSECTION ? Math.min(f, g) : Math.max(f, g));
  });
  return values[values.length - 1];
}

/** Leaves of every kind, and what joins them at random; each instruction reads the one before, so that all of them count. */
function randomProgram(random: Random): Program {
  const numbers: number[] = [];
  const take = (count: number, size: number): number => {
    const at = numbers.length;
    for (let n = 0; n < count; n++) numbers.push(random.between(-size, size));
    return at;
  };
  const leaf = (): number[] => {
    const op = random.below(3);
    if (op === OP.QUADRIC) return [op, take(10, 1), 10];
    const size = op === OP.POLYNOMIAL ? 3 + random.below(4) : 1 + random.below(4);
    return [op, take(op === OP.POLYNOMIAL ? coefficientsOf(size) : 5 * size, op === OP.POLYNOMIAL ? 1 : 4), size];
  };
  const instructions = [leaf()];
  for (let n = 0; n < 1 + random.below(40); n++) {
    const before = instructions.length - 1;
    instructions.push(leaf());
    const op = OP.SUM + random.below(4);
    const [left, right] = random.pick([
      [before, before + 1],
      [before + 1, before],
    ]);
    instructions.push([op, left, right, op === OP.PERTURBATION ? take(1, 0.2) : 0]);
  }
  return programOf(instructions, numbers);
}

describe(`programs at random (seed ${seed})`, () => {
  const random = seeded(seed);
  const programs = Array.from({ length: 200 }, () => randomProgram(random));
  const somewhere = () => [random.between(-1, 1), random.between(-1, 1), random.between(-1, 1)] as const;

  test('values are the sums of their terms', () => {
    for (const program of programs) {
      const at = somewhere();
      const value = evaluateCube(program, ...at);
      const wanted = expected(program, ...at);
      expect(Math.abs(value - wanted)).toBeLessThan(1e-10 * (1 + Math.abs(wanted)));
    }
  });

  test('gradients are what values grow by', () => {
    let compared = 0;
    for (const program of programs) {
      const at = somewhere();
      const gradient = gradientOf(program, at);
      const slope = Math.hypot(...gradient);
      for (let k = 0; k < 3; k++) {
        const [there, back] = [1, -1].map((side) => {
          const moved = [...at] as [number, number, number];
          moved[k] += side * 2 ** -20;
          return (side * (expected(program, ...moved) - expected(program, ...at))) / 2 ** -20;
        });
        // Beside a kink the two sides differ.
        if (Math.abs(there - back) > 1e-3 * (1 + slope)) continue;
        compared++;
        expect(Math.abs(gradient[k] - (there + back) / 2)).toBeLessThan(2e-3 * (1 + slope));
      }
    }
    expect(compared).toBeGreaterThan(580);
  });
});

/** u and 2 u - 1/2, which are equal at 1/2, joined. */
const joined = (op: number): Program =>
  programOf(
    [
      [OP.QUADRIC, 0, 10],
      [OP.QUADRIC, 10, 10],
      [op, 0, 1, 20],
    ],
    [0, 0, 0, 0, 0, 0, 1, 0, 0, 0, ...[0, 0, 0, 0, 0, 0, 2, 0, 0, -0.5], 3],
  );

test('where two are equal, the gradient is of the one on the left', () => {
  for (const op of [OP.INTERSECTION, OP.UNION]) {
    expect(evaluateCube(joined(op), 0.5, 0, 0)).toBe(0.5);
    expect(gradientOf(joined(op), [0.5, 0, 0])).toEqual([1, 0, 0]);
  }
});

test('a perturbation starts without a step or a kink', () => {
  // u + 3 max(2 u - 1/2, 0)^2
  for (const [u, value, slope] of [
    [0, 0, 1],
    [0.25, 0.25, 1],
    [0.5, 0.5 + 3 / 4, 1 + 12 * 0.5],
  ]) {
    expect(evaluateCube(joined(OP.PERTURBATION), u, 0, 0)).toBe(value);
    expect(gradientOf(joined(OP.PERTURBATION), [u, 0, 0])).toEqual([expect.closeTo(slope, 12), 0, 0]);
  }
});

const ball: FrepObject = {
  representation: 'frep',
  center: [10, 20, 30],
  half: 4,
  domain: [1, 0.5, 1],
  program: programOf([[OP.QUADRIC, 0, 10]], [-1, -1, -1, 0, 0, 0, 0, 0, 0, 0.64]),
  names: ['ball'],
  header: { tool: 'a test', source: null, units: null, options: {} },
  resolution: 10,
};

test("evaluate takes points of the asset's frame, and does not ask for the domain", () => {
  expect(evaluate(ball, 10, 20, 30)).toBe(0.64);
  expect(evaluate(ball, 12, 20, 30)).toBe(0.64 - 0.25);
  expect(evaluate(ball, 10, 23, 30)).toBe(0.64 - 0.5625);
});

test('depth and normal are those of the nearer of surface and domain', () => {
  const normal = new Float64Array(3);
  const depth = (...at: number[]): number => depthAt(ball.program, ball.domain, Float64Array.from(at), normal);
  const expectNormal = (...wanted: number[]) => {
    for (let k = 0; k < 3; k++) expect(normal[k]).toBeCloseTo(wanted[k], 12);
  };
  expect(depth(0.8 - 1e-6, 0, 0)).toBeCloseTo(1e-6, 11);
  expectNormal(1, 0, 0);
  expect(depth(0, -0.5 + 1e-6, 0)).toBeCloseTo(1e-6, 11);
  expectNormal(0, -1, 0);
  expect(depth(0, 0.6, 0)).toBeCloseTo(-0.1, 11);
  expect(depth(0, 0, 0.9)).toBeLessThan(0);
  // No slope, no normal.
  expect(depthAt(ball.program, [9, 9, 9], Float64Array.of(0, 0, 0), normal)).toBe(0.64);
  expectNormal(0, 0, 0);
});

test('a line leaves the solid at its surface or at its domain', () => {
  const normal = new Float64Array(3);
  const point = Float64Array.of(7, 0.3, 0.2);
  moveToCrossing(ball.program, ball.domain, { axis: 0, inner: 0.1, outer: -1.3 }, point, normal);
  expect(point[0]).toBeCloseTo(-Math.sqrt(0.64 - 0.09 - 0.04), 13);
  expect(point[1]).toBe(0.3);
  for (let k = 0; k < 3; k++) expect(normal[k]).toBeCloseTo(point[k] / 0.8, 13);
  point.set([0.1, 7, 0.2]);
  moveToCrossing(ball.program, ball.domain, { axis: 1, inner: 0.4, outer: 0.6 }, point, normal);
  expect([...point]).toEqual([0.1, 0.5, 0.2]);
  expect([...normal]).toEqual([0, 1, 0]);
});
