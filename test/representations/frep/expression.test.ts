/** Expressions in models: their values, refusals, and verdicts on solids that are made of them. */
import { beforeAll, describe, expect, test } from 'vitest';
import { check } from '../../../src/api.ts';
import { rotation, translation } from '../../../src/math/pose.ts';
import { decodeFrep, encodeFrep } from '../../../src/representations/frep/format.ts';
import { compileFrep } from '../../../src/representations/frep/make/compile.ts';
import { readFrep } from '../../../src/representations/frep/make/model.ts';
import { CellFunction } from '../../../src/representations/frep/tree/cell-function.ts';
import { undefinedIn } from '../../../src/representations/frep/tree/defined.ts';
import { treeOf } from '../../../src/representations/frep/tree/describe.ts';
import { depthAt, evaluate, evaluateCube } from '../../../src/representations/frep/tree/evaluate.ts';
import { type FrepObject, frozen, OP, requireProgram } from '../../../src/representations/frep/tree/program.ts';
import { boundsOfCell, outsideOfFrep } from '../../../src/representations/frep/tree/unfold.ts';
import { verifyFrep } from '../../../src/representations/frep/tree/verify.ts';
import { applied, constant, objectFrom } from '../../support/frep-programs.ts';
import { long, some } from '../../support/long.ts';
import { type Random, seeded } from '../../support/random.ts';
import { countsSteps, stepsSoFar } from '../../support/steps.ts';

// Steps of the files that ran before this one in the same process don't count.
beforeAll(() => void stepsSoFar());

const cube = (half: number) => ({ min: [-half, -half, -half], max: [half, half, half] });
const modelOf = (object: object, more: object = {}): FrepObject =>
  compileFrep(readFrep(JSON.stringify({ domain: cube(1.25), object, ...more })));
const expressed = (expression: string, more: object = {}): FrepObject => modelOf({ expression }, more);

type Function3 = (x: number, y: number, z: number) => number;
const { sin, cos, tan, exp, log, sqrt, abs, min, max, PI } = Math;

const VALUES: [string, Function3][] = [
  [
    '1 - x^2 - y^2 - z^2 + 0.1 * sin(8*x) * cos(8*y)',
    (x, y, z) => 1 - x * x - y * y - z * z + 0.1 * sin(8 * x) * cos(8 * y),
  ],
  ['-x^2', (x) => -(x * x)],
  ['2^-x', (x) => 2 ** -x],
  ['2^3^0.5', () => 2 ** (3 ** 0.5)],
  ['1 - -x - +y', (x, y) => 1 + x - y],
  ['8 / 4 / 2 - 1 - 1', () => -1],
  ['x / 4 + .5e1*y - 2.5E-1*z', (x, y, z) => x / 4 + 5 * y - 0.25 * z],
  ['1 - sqrt(x^2 + y^2 + z^2)', (x, y, z) => 1 - sqrt(x * x + y * y + z * z)],
  ['(x^6 + y^6 + z^6)^(1/3)', (x, y, z) => (x ** 6 + y ** 6 + z ** 6) ** (1 / 3)],
  ['exp(-(x^2 + y^2) / 0.2) - z', (x, y, z) => exp(-(x * x + y * y) / 0.2) - z],
  ['3 / (2 + x) - y', (x, y) => 3 / (2 + x) - y],
  ['(2 + x)^y - z', (x, y, z) => (2 + x) ** y - z],
  ['(2 + x)^-1.5', (x) => (2 + x) ** -1.5],
  ['log(2 + x) * tan(y / 2) * pi', (x, y) => log(2 + x) * tan(y / 2) * PI],
  ['-2 * max(x, y, -z) + abs(min(x, 0.3))', (x, y, z) => -2 * max(x, y, -z) + abs(min(x, 0.3))],
  ['(x + y + z)^4 + (x - y)^5', (x, y, z) => (x + y + z) ** 4 + (x - y) ** 5],
  ['sin(x) * sin(x) + cos(x)^2 - 1', () => 0],
];

describe('values', () => {
  test.each(VALUES)('%s', (expression, value) => {
    const object = expressed(expression);
    const random = seeded(1);
    const outside = outsideOfFrep(object);
    requireProgram(object.program);
    requireProgram(outside.program);
    for (let n = 0; n < 50; n++) {
      const [x, y, z] = [0, 1, 2].map(() => random.between(-1.25, 1.25));
      const expected = value(x, y, z);
      expect(evaluate(object, x, y, z)).toBeCloseTo(expected, 11);
      expect(evaluate(outside, x, y, z)).toBeCloseTo(-expected, 11);
    }
  });

  test('far from the origin, as exact as coordinates are', () => {
    const object = expressed('1 - (x - 1e8)^2 - y^2 - z^2', {
      domain: { min: [1e8 - 2, -2, -2], max: [1e8 + 2, 2, 2] },
    });
    expect(evaluate(object, 1e8 + 1, 0, 0)).toBe(0);
  });

  test('scaled, rotated and translated like any shape, in a sum, a set and a perturbation', () => {
    const placed = { scale: [2, 1, 1], rotate: { axis: [0, 0, 1], degrees: 90 }, translate: [0.1, 0, 0.2] };
    const object = modelOf({ expression: 'sin(x) + y^3 * z', ...placed });
    for (const [x, y, z] of [
      [0.5, 0.25, -0.5],
      [0, 1, 1],
    ]) {
      const [u, v, w] = [y / 2, -(x - 0.1), z - 0.2];
      expect(evaluate(object, x, y, z)).toBeCloseTo(sin(u) + v ** 3 * w, 12);
    }
    const sum = modelOf({ sum: [{ sphere: { radius: 1 } }, { expression: 'exp(x)' }] });
    expect(evaluate(sum, 0.5, 0.5, 0)).toBeCloseTo(0.5 + exp(0.5), 12);
    const dented = modelOf({
      difference: [{ sphere: { radius: 1 } }, { expression: 'exp(x) - 2' }],
      perturbations: [{ by: { expression: 'cos(x)' }, amount: -0.5 }],
    });
    expect(evaluate(dented, 0.25, 0, 0)).toBeCloseTo(min(1 - 0.0625, 2 - exp(0.25)) - cos(0.25) ** 2 / 2, 12);
  });

  test('of the time, by t and by a velocity', () => {
    const object = expressed('sin(3*x - 2*t) + t^2 * y', { time: { begin: 0, end: 2 } });
    for (const t of [0, 0.5, 2])
      expect(evaluate(frozen(object, t), 0.3, 0.4, 0)).toBeCloseTo(sin(0.9 - 2 * t) + t * t * 0.4, 12);
    const moved = modelOf({ expression: 'exp(x*y)', velocity: [1, 0, 0] });
    expect(evaluate(frozen(moved, 0.5), 0.3, 0.4, 0)).toBeCloseTo(exp(-0.2 * 0.4), 12);
  });

  test('slopes, by the way from which normals come', () => {
    const random = seeded(2);
    for (const [expression] of VALUES.filter(([text]) => !/max|1 - 1|- 1$|sqrt|x\^2$|0\.5$/.test(text))) {
      const { program } = expressed(expression);
      const at = [0, 1, 2].map(() => random.between(-0.7, 0.7));
      const normal = new Float64Array(3);
      const depth = depthAt(program, [Infinity, Infinity, Infinity], Float64Array.from(at), normal);
      const value = (k: number, by: number) =>
        evaluateCube(program, ...(at.map((x, n) => (n === k ? x + by : x)) as [number, number, number]));
      const slopes = [0, 1, 2].map((k) => (value(k, 1e-5) - value(k, -1e-5)) / 2e-5);
      const length = Math.hypot(...slopes);
      for (let k = 0; k < 3; k++) expect(normal[k], expression).toBeCloseTo(-slopes[k] / length, 6);
      expect(depth).toBeCloseTo(value(0, 0) / length, 8);
    }
  });

  test('equal parts are one instruction, and what info calls them', () => {
    const object = expressed('sin(3*x)^2 + cos(3*x) - 2*sin(3*x)^5');
    const { ops } = object.program;
    expect([...ops].filter((op) => op === OP.SINE)).toHaveLength(1);
    expect([...ops].filter((op) => op === OP.QUADRIC)).toHaveLength(1);
    expect(treeOf(expressed('1 - 0.5 * sin(3*x) * cos(y)^3'))).toEqual([
      'expression (sum)',
      '  product',
      '    -0.5 times the sine',
      '      quadric',
      '    power 3',
      '      cosine',
      '        quadric',
      '  quadric',
    ]);
  });
});

const NAMES = 'sin, cos, tan, exp, log, sqrt, abs, min, max';
describe('refusals', () => {
  test.each([
    ['sin(8 * * x)', `a number, x, y, z, t, pi or one of ${NAMES} at character 9 of object.expression, found "*"`],
    ['sinus(x)', `a number, x, y, z, t, pi or one of ${NAMES} at character 1 of object.expression, found "sinus"`],
    ['constructor(x)', 'at character 1 of object.expression, found "constructor"'],
    ['(x', ') at character 3 of object.expression, found the end'],
    ['x)', 'an operator, or the end, at character 2 of object.expression, found ")"'],
    ['2 x', 'an operator, or the end, at character 3 of object.expression, found "x"'],
    ['sin x', '( at character 5 of object.expression, found "x"'],
    ['1 $ 2', 'a number, a name or one of + - * / ^ ( ) , at character 3 of object.expression, found "$"'],
    ['x +', 'at character 4 of object.expression, found the end'],
    ['', 'text that is not empty at object.expression, found ""'],
    [' ', 'at character 2 of object.expression, found the end'],
    ['x / 0', 'a divisor other than 0 at character 3 of object.expression, found 0'],
    ['sqrt(-1)', 'constants that have a value at character 1 of object.expression, found -1'],
    ['log(0)', 'constants that have a value at character 1 of object.expression, found 0'],
    ['exp(709)', 'exponents of at most 708 at character 1 of object.expression, found 709'],
    ['cos(1e9)', 'angles of at most 1048576 radians at character 1 of object.expression, found 1000000000'],
    ['x / 1e400', 'a number that fits a double at character 5 of object.expression, found "1e400"'],
    ['x * 0.0001e-400', 'a number that fits a double at character 5 of object.expression, found "0.0001e-400"'],
    ['x + \u{1f600}', 'at character 5 of object.expression, found "\u{1f600}"'],
    ['x^2000', 'an exponent up to 1024 at character 2 of object.expression, found 2000'],
    ['min(x)', '2 arguments or more of min at character 1 of object.expression, found 1'],
    ['sin(x, y)', '1 argument of sin at character 1 of object.expression, found 2'],
    [`${'('.repeat(500)}x`, 'at most 64 levels of brackets and signs at character 65 of object.expression, found more'],
    [`${'-'.repeat(500)}x`, 'at most 64 levels of brackets and signs'],
    [`${'x^'.repeat(500)}x`, 'at most 64 levels of brackets and signs'],
    ['x'.repeat(10_001), 'object.expression'],
    ['1e61*x', 'coefficients of at most 1e60 at object.expression'],
    ['1e61*sin(x)', 'factors of at most 1e60 at object.expression'],
    ['1 / x', 'a divisor other than 0 in the whole domain at object.expression, found perhaps 0 near'],
    ['tan(2*x)', 'a divisor other than 0 in the whole domain at object.expression, found perhaps 0 near'],
    ['x^-0.5', 'powers of numbers above 0 in the whole domain at object.expression, found one of 0 or less near'],
    [
      'sqrt(x)',
      'roots of numbers of 0 or more in the whole domain at object.expression, found one of a number below 0',
    ],
    ['log(x + 1.24)', 'logarithms of numbers above 0 in the whole domain at object.expression, found'],
    ['exp(600*x)', 'exponents of at most 708 in the whole domain at object.expression, found a larger one near'],
    ['cos(1e6*x)', 'angles of at most 1048576 radians in the whole domain at object.expression, found a larger one'],
  ])('%.40s', (expression, message) => {
    expect(() => expressed(expression)).toThrow(message);
  });

  test('other than text, and without a domain', () => {
    expect(() => modelOf({ expression: 7 })).toThrow('text at object.expression, found 7');
    expect(() => compileFrep(readFrep('{"object": {"expression": "1 - x^2"}}'))).toThrow(
      'a domain, since object.expression has no known bound',
    );
  });

  test('only where it matters: roots of squares, and what the domain leaves out', () => {
    for (const text of ['sqrt(x^2)', 'sqrt(max(0, x))', '1 / (x^2 + 1e-4)', 'log(x + 1.2501)', 'abs(x)^0.1'])
      expect(() => expressed(text)).not.toThrow();
    expect(() => modelOf({ expression: '1 / x' }, { domain: { min: [1, 0, 0], max: [2, 1, 1] } })).not.toThrow();
  });

  test('at a time of the span alone', () => {
    const time = { begin: 0, end: 1 };
    expect(() => expressed('1 / (3 + x - 2*t)', { time })).toThrow(/a divisor other than 0 .* near .* at time/);
    expect(() => expressed('1 / (3.3 + x - 2*t)', { time })).not.toThrow();
  });

  test('nested functions that read their argument twice take instructions in proportion', () => {
    for (const [text, most] of [
      ['abs(@ - 0.5)', 3],
      ['tan(@ / 9)', 4],
      ['-abs(tan(@ / 9) * 2)', 6],
    ] as const) {
      let nested = 'x';
      for (let n = 0; n < 20; n++) nested = text.replace('@', nested);
      expect(expressed(nested).program.ops.length).toBeLessThanOrEqual(20 * most + 3);
    }
  });

  test('the longest expressions are read in few steps', () => {
    for (const part of ['x+', 'sin(x)*', 'sin(x)+', '2*x-', 'x*', 'max(x,y)+', 'x/2+']) {
      const text = `${part.repeat(Math.floor(9_990 / part.length))}1`;
      expect(expressed(text).program.ops.length).toBeGreaterThan(0);
    }
  });
});

test('what a file may hold and no build makes: a pole in the domain is unknown, never in or out', {
  tags: ['all'],
}, () => {
  const object = objectFrom((to) => {
    applied(to, OP.LOGARITHM, constant(to, -1), 1);
  });
  const out = new Float64Array(4);
  boundsOfCell(object, 0, 0, 0, [1, 1, 1], out);
  expect(out[0] >= 0 || out[1] < 0 || out[2] >= 0 || out[3] < 0).toBe(false);
  expect(undefinedIn(object.program, [1, 1, 1], [0, 0])?.isProved).toBe(true);
  expect(verifyFrep(object, boundsOfCell).problems).toEqual([
    'instruction 1 needs logarithms of numbers above 0, and has one of 0 or less near 0 0 0',
  ]);
  expect(check(object, object).verdict).toBe('undecided');
});

test('verify finds bounds that are too narrow', { tags: ['all'] }, () => {
  const object = expressed('exp(x) * sin(3*y) + (2 + z)^-1.5 + log(3 + x)');
  expect(verifyFrep(object, boundsOfCell).problems).toEqual([]);
  const narrow: typeof boundsOfCell = (...all) => {
    boundsOfCell(...all);
    const out = all[5];
    const by = (out[1] - out[0]) / 8;
    out[0] += by;
    out[1] -= by;
  };
  expect(verifyFrep(object, narrow).problems.length).toBeGreaterThan(0);
});

test('a file of them is read back, of version 4; one without them is of version 3', async () => {
  const object = expressed('1 - x^2 - y^2 - z^2 + 0.1 * sin(8*x) * cos(8*y)');
  const bytes = await encodeFrep(object);
  expect(bytes[12]).toBe(4);
  expect((await decodeFrep(bytes.slice())).asset).toEqual(object);
  expect((await encodeFrep(expressed('1 - x^2')))[12]).toBe(3);
});

describe('checks', () => {
  const bumpy = expressed('1 - x^2 - y^2 - z^2 + 0.1 * sin(8*x) * cos(8*y)');
  const ball = compileFrep(readFrep('{"object": {"sphere": {"radius": 0.5}}}'));
  /** Along x from the middle: 1 - x^2 + 0.1 sin(8 x) = 0. */
  let surface = 1;
  for (let n = 0; n < 60; n++)
    surface -= (1 - surface ** 2 + 0.1 * sin(8 * surface)) / (-2 * surface + 0.8 * cos(8 * surface));

  test('one of a formula and a ball, around the place where they touch', () => {
    const at = (gap: number) => check(bumpy, ball, { poseB: translation(surface + 0.5 + gap, 0, 0) });
    expect(at(-1e-3).verdict).toBe('contact');
    expect(at(0.05).verdict).toBe('clear');
    const { verdict, cells } = at(-1e-2);
    expect(verdict).toBe('contact');
    expect(evaluate(bumpy, ...(cells!.contacts[0].point as [number, number, number]))).toBeGreaterThanOrEqual(0);
  });

  test('the same surface by waves and by a formula: the same verdicts, cells of the same order', () => {
    const waves = modelOf({
      sum: [
        { sphere: { radius: 1 } },
        {
          waves: [
            [0.05, 8, 8, 0, 0],
            [0.05, 8, -8, 0, 0],
          ],
        },
      ],
    });
    for (const gap of [-0.02, 0.02, 0.1]) {
      const poseB = translation(0.3, surface + 0.35 + gap, 0.1);
      const [a, b] = [check(bumpy, ball, { poseB }), check(waves, ball, { poseB })];
      expect(a.verdict).toBe(b.verdict);
      expect(a.tests.bounds).toBeLessThan(4 * b.tests.bounds + 50);
    }
  });

  test('a distance, all cells, a level and a budget of them', () => {
    const far = check(bumpy, ball, { poseB: translation(3, 0, 0), distance: true });
    expect(far.distance).not.toBeNull();
    const cells = check(bumpy, ball, { poseB: translation(1.3, 0, 0), all: true, level: 4 });
    expect(cells.verdict).toBe('contact');
  });
});

function randomFormula(random: Random): [string, Function3] {
  const c = (low: number, high: number) => Math.round(1000 * random.between(low, high)) / 1000;
  const [a, k, l, m, r] = [c(0.02, 0.3), c(1, 9), c(1, 9), c(0.5, 3), c(0.4, 0.9)];
  return random.pick<[string, Function3]>([
    [
      `${r} - sqrt(x^2+y^2+z^2) + ${a}*sin(${k}*x)*cos(${l}*y)`,
      (x, y, z) => r - sqrt(x * x + y * y + z * z) + a * sin(k * x) * cos(l * y),
    ],
    [
      `${r}^4 - abs(x)^3.5 - y^4 - exp(${m}*z) * z^4`,
      (x, y, z) => r ** 4 - abs(x) ** 3.5 - y ** 4 - exp(m * z) * z ** 4,
    ],
    [`${a} / (0.1 + x^2 + y^2 + z^2) - ${m}`, (x, y, z) => a / (0.1 + x * x + y * y + z * z) - m],
    [
      `${r}^2 - x^2 - y^2 - z^2 - ${a} * log(1.5 + sin(${k}*z)) * x`,
      (x, y, z) => r * r - x * x - y * y - z * z - a * log(1.5 + sin(k * z)) * x,
    ],
  ]);
}

describe.each(some([1, 3], [1, 2, 3, 4, 5, 6, 7, 8]))('verdicts held to samples, seed %i', (seed) => {
  test('no clear where a sample is in both, no contact at a point that is out', {
    tags: ['quick', 'all', 'long'],
  }, () => {
    const random = seeded(seed);
    for (let trial = 0; trial < (long ? 40 : 10); trial++) {
      const [[one, f], [two, g]] = [randomFormula(random), randomFormula(random)];
      const [a, b] = [expressed(one), expressed(two)];
      const poseB = rotation(random.between(-1, 1), 1, random.between(-1, 1), random.between(-180, 180));
      for (let k = 0; k < 3; k++) poseB[4 * k + 3] = random.between(-1.2, 1.2);
      const into = (p: number[]) =>
        [0, 1, 2].map((k) => [0, 1, 2].reduce((s, n) => s + poseB[4 * n + k] * (p[n] - poseB[4 * n + 3]), 0));
      const least = (p: number[]): number => {
        const q = into(p);
        const inDomains = min(...p.map((x) => 1.25 - abs(x)), ...q.map((x) => 1.25 - abs(x)));
        return min(inDomains, f(p[0], p[1], p[2]), g(q[0], q[1], q[2]));
      };
      const { verdict, cells } = check(a, b, { poseB });
      const where = `${one} and ${two}, trial ${trial}`;
      if (verdict === 'contact') expect(least([...cells!.contacts[0].point]), where).toBeGreaterThan(-1e-9);
      if (verdict !== 'clear') continue;
      for (let n = 0; n < 3000; n++)
        expect(least([0, 1, 2].map(() => random.between(-1.25, 1.25))), where).toBeLessThan(1e-9);
    }
  });
});

test('cells of a formula without end: nothing is said of what overflows', () => {
  const object = objectFrom((to) => {
    let f = constant(to, 700);
    for (let n = 0; n < 30; n++) f = applied(to, n % 2 === 0 ? OP.EXPONENTIAL : OP.POWER, f, 1e60, 1024);
  });
  const cell = new CellFunction(object.program, null);
  cell.start(Float64Array.of(1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0), 0);
  cell.bound(0);
  cell.centre(0);
  expect(cell.upper < 0).toBe(false);
  expect(cell.centreUpper < 0).toBe(false);
});

test('bounds of what overflows are infinite, not NaN, which verify would report', () => {
  const object = expressed('(x - 0.5) * exp(560*y) * exp(560*z) * exp(560*y) + 1', { domain: cube(1) });
  const out = new Float64Array(4);
  boundsOfCell(object, -0.5, 0.5, 0.5, [0.5, 0.5, 0.5], out);
  expect(out[3]).toBe(Number.POSITIVE_INFINITY);
  expect(out.some(Number.isNaN)).toBe(false);
});

test.skipIf(!countsSteps)('none of this takes many steps', () => {
  expect(stepsSoFar()).toBeLessThan(4e9);
});
