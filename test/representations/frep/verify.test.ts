/** verifyFrep against bounds that are right, and such that are wrong by a little: plain interval arithmetic stands for the queries' own. */
import { describe, expect, test } from 'vitest';
import { DEFAULT_RESOLUTION, type FrepObject, OP } from '../../../src/representations/frep/tree/program.ts';
import { type BoundsOfCell, verifyFrep } from '../../../src/representations/frep/tree/verify.ts';
import { nextBelow } from '../../support/cubes.ts';
import { long } from '../../support/long.ts';
import { seeded } from '../../support/random.ts';
import { commonIntegers } from '../../support/rational.ts';

/** Instructions as [op, left, right, third]. */
function objectOf(
  instructions: number[][],
  numbers: number[],
  domain: [number, number, number] = [1, 1, 1],
): FrepObject {
  return {
    representation: 'frep',
    center: [0, 0, 0],
    half: 1,
    domain,
    program: {
      ops: Uint8Array.from(instructions, ([op]) => op),
      left: Uint32Array.from(instructions, ([, left]) => left),
      right: Uint32Array.from(instructions, ([, , right]) => right),
      third: Uint32Array.from(instructions, ([, , , third]) => third ?? 0),
      numbers: Float64Array.from(numbers),
    },
    names: instructions.map(() => ''),
    header: { tool: 'a test', source: null, units: null, options: {} },
    resolution: DEFAULT_RESOLUTION,
  };
}

const nextAbove = (x: number) => -nextBelow(-x);
const ball = [-4, -4, -4, 0, 0, 0, 0, 0, 0, 1];

type Interval = [number, number];
/** Wider than what one operation rounds; what overflows is still above the largest number. */
const wider = ([a, b]: Interval): Interval => [
  Math.min(Number.MAX_VALUE, a - Math.abs(a) * 2 ** -52 - 1e-300),
  Math.max(-Number.MAX_VALUE, b + Math.abs(b) * 2 ** -52 + 1e-300),
];
const plus = (a: Interval, b: Interval) => wider([a[0] + b[0], a[1] + b[1]]);
const times = (a: Interval, b: Interval) => {
  const ends = a.flatMap((x) => b.map((y) => x * y));
  return wider([Math.min(...ends), Math.max(...ends)]);
};
const square = (a: Interval): Interval => {
  const [p, q] = [Math.abs(a[0]), Math.abs(a[1])];
  return times([a[0] * a[1] <= 0 ? 0 : Math.min(p, q), Math.max(p, q)], [Math.min(p, q), Math.max(p, q)]).map((x) =>
    Math.max(0, x),
  ) as Interval;
};
const sine = (a: Interval): Interval => {
  // Sines change no faster than angles; of large ones the engine's own are not trusted.
  const reach = (a[1] - a[0]) / 2 + 1e-15;
  const middle = Math.sin((a[0] + a[1]) / 2);
  return [middle - reach, middle + reach];
};

function polynomialAt(numbers: ArrayLike<number>, first: number, degree: number, [u, v, w]: number[]): number {
  let total = 0;
  let at = first;
  for (let i = 0, x = 1; i <= degree; i++, x *= u) {
    for (let j = 0, y = x; i + j <= degree; j++, y *= v) {
      for (let k = 0, z = y; i + j + k <= degree; k++, z *= w) total += numbers[at++] * z;
    }
  }
  return total;
}

/** F on a box, by natural interval extension. */
function natural({ program }: FrepObject, box: Interval[]): Interval {
  const { ops, left, right, third, numbers } = program;
  const n = (at: number): Interval => [numbers[at], numbers[at]];
  const values: Interval[] = [];
  ops.forEach((op, i) => {
    const [f, g] = [values[left[i]], values[right[i]]];
    const terms: Interval[] = [];
    if (op === OP.QUADRIC) {
      const [u, v, w] = box;
      const monomials = [
        square(u),
        square(v),
        square(w),
        times(u, v),
        times(u, w),
        times(v, w),
        u,
        v,
        w,
        [1, 1] as Interval,
      ];
      terms.push(...monomials.map((m, k) => times(n(left[i] + k), m)));
    } else if (op === OP.POLYNOMIAL) {
      // The value at a point; on a box no more than that no term is larger than at its farthest corner.
      const size = polynomialAt(
        numbers.map(Math.abs),
        left[i],
        right[i],
        box.map(([a, b]) => Math.max(-a, b)),
      );
      const isPoint = box.every(([a, b]) => a === b);
      const value = isPoint
        ? polynomialAt(
            numbers,
            left[i],
            right[i],
            box.map(([a]) => a),
          )
        : 0;
      const reach = size * (isPoint ? 1e-13 : 1 + 1e-13);
      terms.push([value - reach, value + reach]);
    } else if (op === OP.WAVES) {
      for (let at = left[i]; at < left[i] + 5 * right[i]; at += 5) {
        const phase = box.map((x, k) => times(n(at + 1 + k), x)).reduce(plus, n(at + 4));
        terms.push(times(n(at), sine(phase)));
      }
    }
    if (terms.length > 0) values.push(terms.reduce(plus));
    else if (op === OP.SUM) values.push(plus(f, g));
    else if (op === OP.INTERSECTION) values.push([Math.min(f[0], g[0]), Math.min(f[1], g[1])]);
    else if (op === OP.UNION) values.push([Math.max(f[0], g[0]), Math.max(f[1], g[1])]);
    else values.push(plus(f, times(n(third[i]), square([Math.max(0, g[0]), Math.max(0, g[1])]))));
  });
  return values[ops.length - 1];
}

const mock: BoundsOfCell = (object, u, v, w, h, out) => {
  const centre = [u, v, w];
  const all = natural(
    object,
    centre.map((c, k) => [c - h[k], c + h[k]]),
  );
  const middle = natural(
    object,
    centre.map((c) => [c, c]),
  );
  // What is no number is unknown.
  out.set([...all, ...middle].map((x, k) => (Number.isNaN(x) ? [-Infinity, Infinity][k % 2] : x)));
};

/** The mock's bounds, number `which` changed. */
const changed =
  (which: number, change: (x: number, u: number, h: readonly number[]) => number): BoundsOfCell =>
  (object, u, v, w, h, out) => {
    mock(object, u, v, w, h, out);
    out[which] = change(out[which], u, h);
  };

const mixed = objectOf(
  [
    [OP.QUADRIC, 0, 10],
    [OP.POLYNOMIAL, 10, 3],
    [OP.WAVES, 30, 2],
    [OP.SUM, 0, 2],
    [OP.PERTURBATION, 3, 1, 40],
    [OP.QUADRIC, 41, 10],
    [OP.INTERSECTION, 4, 5],
    [OP.PERTURBATION, 6, 0, 51],
    [OP.UNION, 6, 7],
  ],
  [
    ...ball,
    ...[0.3, -1, 0, 0.25, 1, -0.5, 0.125, 2, 0, 1, -0.3, 0, 1, 0, 0.7, 0, 0.1, 1e-9, -0.01, 1],
    ...[0.05, 8, 1, 0, 0.3, -0.02, 0.1, 30, -7, 2],
    -0.5,
    ...[0, 0, 0, 0, 0, 0, -1, 0.5, 0, 0.25],
    1.5,
  ],
  [1, 0.3, 0.7],
);

describe('bounds that are right', () => {
  test('of every instruction, on a domain that no power of two is', { tags: ['long'] }, () => {
    const { checked, what, problems } = verifyFrep(mixed, mock);
    expect(problems).toEqual([]);
    expect(what).toBe('cells');
    expect(checked).toBeGreaterThan(500);
    expect(checked).toBeLessThan(4682);
  });

  test('of infinity', { tags: ['quick', 'long'] }, () => {
    const nothing: BoundsOfCell = (_, _u, _v, _w, _h, out) => out.set([-Infinity, Infinity, -Infinity, Infinity]);
    const object = long ? mixed : objectOf([[OP.QUADRIC, 0, 10]], ball);
    expect(verifyFrep(object, nothing)).toEqual({ checked: 4681, what: 'cells', problems: [] });
  });

  test('cells that are proved outside are not halved', () => {
    const outside = objectOf([[OP.QUADRIC, 0, 10]], [0, 0, 0, 0, 0, 0, 0, 0, 0, -1]);
    expect(verifyFrep(outside, mock)).toEqual({ checked: 1, what: 'cells', problems: [] });
  });

  const degree = long ? 10 : 5;
  test(`polynomials of degree ${degree} with coefficients of all sizes, seed 3`, { tags: ['all', 'long'] }, () => {
    const random = seeded(3);
    const count = ((degree + 1) * (degree + 2) * (degree + 3)) / 6;
    const numbers = Array.from({ length: count }, () => (random.next() - 0.5) * 10 ** random.between(-300, 60));
    const { checked, problems } = verifyFrep(objectOf([[OP.POLYNOMIAL, 0, degree]], numbers), mock);
    expect(problems).toEqual([]);
    expect(checked).toBeGreaterThan(500);
  });

  test('perturbations of perturbations: values of 2^64 times as many bits', { tags: ['all', 'long'] }, () => {
    const instructions = [[OP.QUADRIC, 0, 10]];
    const numbers = [...ball];
    for (let i = 1; i < (long ? 64 : 44); i++) {
      instructions.push([OP.PERTURBATION, i - 1, i - 1, numbers.length]);
      numbers.push(i % 2 === 0 ? 1e60 : 1e-60);
    }
    expect(verifyFrep(objectOf(instructions, numbers), mock).problems).toEqual([]);
  });

  test('a large program is checked in part', { tags: ['all'] }, () => {
    const instructions = Array.from({ length: 2048 }, (_, i) => [OP.QUADRIC, 10 * i, 10]);
    for (let i = 1; i < 2048; i++) instructions.push([OP.UNION, i, i === 1 ? 0 : instructions.length - 1]);
    const object = objectOf(
      instructions,
      instructions.slice(0, 2048).flatMap(() => ball),
    );
    const everything: BoundsOfCell = (_, _u, _v, _w, _h, out) => out.set([-Infinity, Infinity, -Infinity, 1]);
    const { checked, problems } = verifyFrep(object, everything);
    expect(problems).toEqual([]);
    expect(checked).toBeGreaterThan(20);
    expect(checked).toBeLessThan(200);
  });
});

describe('bounds that are wrong', () => {
  // u <= 1/4: its interval extension is what it takes on, at corners.
  const plane = objectOf([[OP.QUADRIC, 0, 10]], [0, 0, 0, 0, 0, 0, -1, 0, 0, 0.25]);
  const isFar = (u: number) => u > 0.3 && u < 0.8;

  test.each<[string, number, (x: number, u: number, h: readonly number[]) => number, RegExp]>([
    [
      'a lower one, by a unit',
      0,
      (x, u, h) => (isFar(u) ? 0.25 - u - h[0] + 2 ** -52 : x),
      /lower bound .* is above the value at .* by /,
    ],
    [
      'an upper one, by a unit',
      1,
      (x, u, h) => (isFar(u) ? 0.25 - u + h[0] - 2 ** -52 : x),
      /upper bound .* is below the value at .* by /,
    ],
    ['a lower one of the centre', 2, (x, u) => (u < -0.5 ? 0.25 - u + 2 ** -52 : x), /lower bound .* at the centre/],
    ['an upper one of the centre', 3, (x, u) => (isFar(u) ? 0.25 - u - 2 ** -53 : x), /upper bound .* at the centre/],
    ['a lower one above everything', 0, () => Infinity, /lower bound Infinity is above the value/],
    ['an upper one below everything', 1, () => -Infinity, /upper bound -Infinity is below the value/],
    ['no number', 0, () => Number.NaN, /lower bound NaN is no number/],
    ['no number above', 1, () => Number.NaN, /upper bound NaN is no number/],
  ])('%s', (_, which, change, message) => {
    const { problems, what } = verifyFrep(plane, changed(which, change));
    expect(what).toBe('cells');
    expect(problems.length).toBeGreaterThan(0);
    expect(problems.length).toBeLessThanOrEqual(20);
    for (const problem of problems) {
      expect(problem).toMatch(/^cell \S+ \S+ \S+ \+- \S+ \S+ \S+: .+$/);
      expect(problem).toMatch(message);
    }
  });

  test('the value of a wave, by 1e-14', { tags: ['all', 'long'] }, () => {
    const waves = objectOf([[OP.WAVES, 0, 1]], [1, 50, 20, -65536, 3]);
    expect(verifyFrep(waves, mock).problems).toEqual([]);
    expect(
      verifyFrep(
        waves,
        changed(2, (x) => x + 2e-11),
      ).problems.length,
    ).toBeGreaterThan(0);
    const slow = objectOf([[OP.WAVES, 0, 1]], [1, 0.5, 0.25, -1, 1]);
    if (long) expect(verifyFrep(slow, mock).problems).toEqual([]);
    for (const which of [2, 3]) {
      const off = changed(which, (x) => x + (which === 2 ? 1e-14 : -1e-14));
      expect(verifyFrep(slow, off).problems.length).toBeGreaterThan(0);
    }
  });

  test('a polynomial of degree 12, by one unit in the last place, seed 5', { tags: ['all'] }, () => {
    const random = seeded(5);
    // No term can be less than at the corner (-1, -1, -1).
    const numbers: number[] = [];
    for (let p = 0; p <= 12; p++) {
      for (let q = 0; p + q <= 12; q++) {
        for (let r = 0; p + q + r <= 12; r++) numbers.push(random.next() * ((p + q + r) % 2 === 0 ? -1 : 1));
      }
    }
    // It is negative everywhere, so that the root alone is checked.
    numbers[0] = -1000;
    const object = objectOf([[OP.POLYNOMIAL, 0, 12]], numbers);
    let below = -numbers.reduce((total, n) => total + Math.abs(n), 0) - 1e-9;
    const isBelow = (x: number) => {
      const [first, ...rest] = commonIntegers([x, ...numbers]);
      return first <= -rest.reduce((total, n) => total + (n < 0n ? -n : n), 0n);
    };
    while (isBelow(nextAbove(below))) below = nextAbove(below);
    const lower =
      (bound: number): BoundsOfCell =>
      (_, _u, _v, _w, _h, out) =>
        out.set([bound, -1, -Infinity, Infinity]);
    expect(verifyFrep(object, lower(below))).toEqual({ checked: 1, what: 'cells', problems: [] });
    const { problems } = verifyFrep(object, lower(nextAbove(below)));
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(/is above the value at -1 -1 -1 by /);
  });

  test('signs alone: only what is not negative, or is, counts', { tags: ['all'] }, () => {
    const sloppy: BoundsOfCell = (object, u, v, w, h, out) => {
      mock(object, u, v, w, h, out);
      for (let i = 0; i < 4; i++) out[i] *= 1000;
    };
    expect(verifyFrep(plane, sloppy).problems.length).toBeGreaterThan(0);
    expect(verifyFrep(plane, sloppy, { signs: true }).problems).toEqual([]);
    const wrong: BoundsOfCell = (object, u, v, w, h, out) => {
      sloppy(object, u, v, w, h, out);
      if (h[0] < 0.2 && u > 0.2) out[0] = 0;
    };
    expect(verifyFrep(plane, wrong, { signs: true }).problems[0]).toMatch(/lower bound 0 is above the value at/);
    const empty: BoundsOfCell = (object, u, v, w, h, out) => {
      sloppy(object, u, v, w, h, out);
      if (h[0] < 0.2 && u < 0) out[1] = -1;
    };
    expect(verifyFrep(plane, empty, { signs: true }).problems[0]).toMatch(/upper bound -1 is below the value at/);
  });
});
