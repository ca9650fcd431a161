/** Models that depend on time: at each time they are the model that somebody would have written for that time alone. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { decodeFrep, encodeFrep } from '../../../src/representations/frep/format.ts';
import { compileFrep } from '../../../src/representations/frep/make/compile.ts';
import { derivedDomain } from '../../../src/representations/frep/make/domain.ts';
import { readFrep } from '../../../src/representations/frep/make/model.ts';
import { treeOf } from '../../../src/representations/frep/tree/describe.ts';
import { evaluate } from '../../../src/representations/frep/tree/evaluate.ts';
import type { FrepObject } from '../../../src/representations/frep/tree/program.ts';
import { duringOf, frozen } from '../../../src/representations/frep/tree/program.ts';
import { boundsOfCell, outsideOfFrep } from '../../../src/representations/frep/tree/unfold.ts';
import { verifyFrep } from '../../../src/representations/frep/tree/verify.ts';
import { gradientOf } from '../../support/frep-programs.ts';
import { some } from '../../support/long.ts';
import { seeded } from '../../support/random.ts';

const of = (model: object): FrepObject => compileFrep(readFrep(JSON.stringify(model)));
const domain = { min: [-2, -2, -2], max: [2, 2, 2] };
const time = { begin: -1, end: 2 };

/** What is written in a model that depends on time, and what it is at time t. */
type Written = (t: number | null) => object;

const POLYNOMIAL = [
  [1, 2, 0, 0],
  [-1, 0, 3, 0, 1],
  [0.5, 1, 0, 1, 2],
  [0.25, 0, 0, 0, 4],
  [-0.75, 0, 0, 1],
];
const moved: Written = (t) => (t === null ? { velocity: [0.5, -1, 0.25] } : { translate: [0.5 * t, -t, 0.25 * t] });
const LEAVES: Record<string, Written> = {
  quadric: (t) => ({
    quadric:
      t === null
        ? [[-1, 0.5], -1, [-1, 0, 0.25], [0, 1], 0.5, 0, [0.25, -1], 0, [0], [1, 2, 1]]
        : [-1 + 0.5 * t, -1, -1 + 0.25 * t * t, t, 0.5, 0, 0.25 - t, 0, 0, 1 + 2 * t + t * t],
  }),
  polynomial: (t) => ({
    polynomial: POLYNOMIAL.map(([c, i, j, k, l = 0]) => (t === null ? [c, i, j, k, l] : [c * t ** l, i, j, k])),
  }),
  waves: (t) => ({
    waves:
      t === null
        ? [
            [0.5, 1, 2, 3, 0.5, 4],
            [1, 0, 1, 0, 0],
          ]
        : [
            [0.5, 1, 2, 3, 0.5 + 4 * t],
            [1, 0, 1, 0, 0],
          ],
  }),
  'a sphere that moves': (t) => ({ sphere: { radius: 1, center: [0.25, 0, 0] }, ...moved(t) }),
  'a torus that moves': (t) => ({ torus: { major: 1, minor: 0.25, axis: 'x' }, ...moved(t) }),
  'a box that moves': (t) => ({ box: { size: [1, 2, 3] }, ...moved(t) }),
  'a cone that moves': (t) => ({ cone: { slope: 0.5, height: 1, axis: 'y' }, ...moved(t) }),
  'noise that moves': (t) => ({ noise: { amplitude: 1, frequency: 3, octaves: 2, seed: 5 }, ...moved(t) }),
  'a triangle that moves': (t) => ({
    triangle: {
      vertices: [
        [0, 0, 0],
        [1, 0, 0.5],
        [0, 1, 0],
      ],
      thickness: 0.5,
      perturbations: [{ by: { sphere: { radius: 1 } } }],
    },
    ...moved(t),
  }),
  'a wave in time that moves': (t) => ({
    waves: [t === null ? [1, 1, -2, 0.5, 0, 2] : [1, 1, -2, 0.5, 2 * t]],
    ...moved(t),
  }),
};
const SETS: Record<string, (shape: object, t: number | null) => object> = {
  alone: (shape) => shape,
  'turned and scaled': (shape) => ({
    union: [shape, { sphere: { radius: 0.125 } }],
    scale: [0.5, -0.75, 1.25],
    rotate: [
      { axis: [1, 2, 3], degrees: 40 },
      { axis: [0, 0, 1], degrees: 90 },
    ],
    translate: [0.125, 0, -0.25],
  }),
  'within what moves': (shape, t) => ({ sum: [shape, { sphere: { radius: 0.5 } }], scale: 2, ...moved(t) }),
  'a difference of a complement': (shape) => ({
    difference: [{ sphere: { radius: 2 } }, shape, { complement: shape }],
  }),
  perturbing: (shape, t) => ({
    ellipsoid: { radii: [1, 1, 0.5] },
    perturbations: [{ amount: -0.5, by: shape }, { by: shape }],
    ...moved(t),
  }),
  blended: (shape) => ({
    blend: { set: 'difference', shapes: [{ sphere: { radius: 1 } }, shape], amount: 0.25, widths: [0.5, 2] },
  }),
};

describe.each(Object.entries(LEAVES))('%s', (_, leaf) => {
  test.each(Object.entries(SETS))('%s', { tags: ['all'] }, (_, set) => {
    const object = of({ domain, time, object: set(leaf(null), null) });
    expect(object.span).toEqual([-1, 2]);
    const random = seeded(11);
    for (const t of [-1, 0, 0.5, 1.25, 2]) {
      const still = of({ domain, object: set(leaf(t), t) });
      expect(still.span).toBeUndefined();
      const at = frozen(object, t);
      for (let n = 0; n < 20; n++) {
        const x = [0, 1, 2].map(() => random.between(-2, 2));
        const value = evaluate(still, x[0], x[1], x[2]);
        const scale = 1e-9 * (1 + Math.abs(value)) * 100;
        expect(Math.abs(evaluate(at, x[0], x[1], x[2]) - value)).toBeLessThan(scale);
        const u = x.map((c) => c / 2) as [number, number, number];
        const gradient = gradientOf(still.program, u);
        const size = Math.hypot(...gradient);
        // Where two of a set are equal one gradient is as good as the other.
        const own = gradientOf(at.program, u, t);
        for (let k = 0; k < 3; k++) expect(Math.abs(own[k] - gradient[k])).toBeLessThan(1e-6 * (1 + size) * 10);
        // The complement's function is the negative.
        expect(evaluate(outsideOfFrep(at), x[0], x[1], x[2])).toBeCloseTo(-evaluate(at, x[0], x[1], x[2]), 9);
      }
    }
  });

  test('bounds hold exact values at each time, and at all times of a piece', { tags: ['long'] }, () => {
    const object = of({ domain, time, object: SETS.perturbing(leaf(null), null) });
    for (const t of some(1, [0.3, -1, 0])) expect(verifyFrep(frozen(object, t), boundsOfCell).problems).toEqual([]);
    const piece = duringOf(object, 0.25, 0.375);
    for (const t of some(1, [0.3, 0.25, 0.375])) {
      const { problems } = verifyFrep(frozen(object, t), (_, u, v, w, h, out) => boundsOfCell(piece, u, v, w, h, out));
      expect(problems).toEqual([]);
    }
  });

  test('comes back from its bytes', async () => {
    const object = of({ domain, time, object: SETS.blended(leaf(null), null) });
    const { asset } = await decodeFrep(await encodeFrep(object));
    expect(asset).toEqual(object);
    expect(treeOf(asset).length).toBeGreaterThan(2);
    // Of a view of one time all times are stored.
    expect(await encodeFrep(frozen(object, 0.5))).toEqual(await encodeFrep(object));
  });
});

test('verify finds bounds of one time that are told of another', () => {
  const object = of({ domain, time, object: LEAVES['a sphere that moves'](null) });
  const { problems } = verifyFrep(frozen(object, 1), (_, u, v, w, h, out) =>
    boundsOfCell(frozen(object, 0), u, v, w, h, out),
  );
  expect(problems.length).toBeGreaterThan(0);
});

describe('the language', () => {
  const refused = (model: object): string => {
    try {
      of(model);
    } catch (error) {
      return (error as Error).message;
    }
    throw new Error('it was taken');
  };
  const sphere = { sphere: { radius: 1 } };

  test.each<[string, object, string]>([
    [
      'a time of what stands still',
      { time, object: sphere },
      'expected a model that depends on time for the option time',
    ],
    ['a velocity of 0', { time, object: { ...sphere, velocity: [0, 0, 0] } }, 'expected a model that depends on time'],
    ['an end before the begin', { time: { begin: 1, end: 0 }, object: sphere }, 'expected begin before end at time'],
    ['an end at the begin', { time: { begin: 1, end: 1 }, object: sphere }, 'expected begin before end at time'],
    ['no end', { time: { begin: 1 }, object: sphere }, 'at time.end, found nothing'],
    ['a time too large', { time: { begin: 0, end: 2e6 }, object: sphere }, 'at time.end, found 2000000'],
    ['a velocity of two', { object: { ...sphere, velocity: [1, 2] } }, 'expected a list of 3 at object.velocity'],
    [
      'a wave of seven',
      { domain, object: { waves: [[1, 2, 3, 4, 5, 6, 7]] } },
      'expected a list of 5 or 6 at object.waves[0]',
    ],
    ['a wave of four', { domain, object: { waves: [[1, 2, 3, 4]] } }, 'expected a list of 5 or 6 at object.waves[0]'],
    ['a term of six', { domain, object: { polynomial: [[1, 2, 3, 4, 5, 6]] } }, 'at object.polynomial[0]'],
    [
      'a term too high',
      { domain, object: { polynomial: [[1, 4, 4, 4, 1]] } },
      'expected exponents with a sum of at most 12',
    ],
    [
      'a coefficient of nothing',
      { domain, object: { quadric: [[], 0, 0, 0, 0, 0, 0, 0, 0, 0] } },
      'at object.quadric[0]',
    ],
    [
      'a coefficient of words',
      { domain, object: { quadric: ['t', 0, 0, 0, 0, 0, 0, 0, 0, 0] } },
      'at object.quadric[0], found "t"',
    ],
    [
      'a fast wave',
      { domain, object: { waves: [[1, 0, 0, 0, 0, 1e5]] } },
      'expected waves of at most 65536 radians in the time at object.waves',
    ],
    [
      'a long wave',
      { domain, time: { begin: 0, end: 1e5 }, object: { waves: [[1, 0, 0, 0, 0, 1]] } },
      'radians in the time',
    ],
    ['a growth without a domain', { object: { quadric: [-1, -1, -1, 0, 0, 0, 0, 0, 0, [1, 1]] } }, 'expected a domain'],
    ['a mistyped velocity', { object: { ...sphere, velocty: [1, 0, 0] } }, 'did you mean velocity?'],
  ])('%s', (_, model, message) => {
    expect(refused(model)).toContain(message);
    expect(refused(model)).not.toContain('\n');
  });

  test('a domain that is found holds what moves at all times', () => {
    const shape = { union: [{ ...sphere, velocity: [2, 0, 0] }, sphere], velocity: [0, -1, 0], scale: 2 };
    const { min, max } = derivedDomain(readFrep(JSON.stringify({ object: shape })).object, [-1, 3]);
    // x: 2 (2 t +- 1), y: +-2 - t
    [-6, -5, -2].forEach((least, k) => {
      expect(min[k]).toBeLessThanOrEqual(least);
      expect(min[k]).toBeGreaterThan(least - 1);
    });
    [14, 3, 2].forEach((most, k) => {
      expect(max[k]).toBeGreaterThanOrEqual(most);
      expect(max[k]).toBeLessThan(most + 1);
    });
    expect(of({ object: { ...sphere, velocity: [1, 0, 0] } }).span).toEqual([0, 1]);
  });

  test('what names no time is compiled as ever', () => {
    const plain = of({ domain, object: { quadric: [-1, -1, -1, 0, 0, 0, 0, 0, 0, 1] } });
    expect(of({ domain, object: { quadric: [[-1], -1, -1, 0, 0, 0, 0, 0, 0, [1, 0]] } }).program).toEqual(
      plain.program,
    );
    expect(of({ domain, object: { waves: [[1, 2, 3, 4, 5, 0]] } }).program).toEqual(
      of({ domain, object: { waves: [[1, 2, 3, 4, 5]] } }).program,
    );
  });

  test('the sample depends on time', () => {
    const text = readFileSync(new URL('../../../assets/swell.frep.json', import.meta.url), 'utf8');
    expect(of(JSON.parse(text)).span).toEqual([0, 4]);
  });
});
