/** A view as the text behind an address's #: what is written is read, and nothing else gets through. */
import { deepStrictEqual } from 'node:assert/strict';
import { describe, expect, test } from 'vitest';
import { rotation } from '../../src/math/pose.ts';
import { FIELD_OF_VIEW, fitCamera, tangentOf } from '../../src/viewer/camera.ts';
import { FIRST_VIEW, poseOf, readView, type ViewState, writeView } from '../../src/viewer/view-state.ts';
import { some } from '../support/long.ts';
import { type Random, seeded } from '../support/random.ts';

const NAMES = [
  ...['left', '', 'a b', 'a&b=c', '#level=3', '100%', '%41', "it's", '</script>', '__proto__', 'constructor', 'pose.a'],
  ...['\u202egpj.obj', 'Wände/Süd', '\ud800', 'x\udc00y', '\u{1f40e}', 'a,b', '+1', 'line\nbreak'],
];

const numberOf = (random: Random): number =>
  random.pick([0, -0, 1, -0.1, 1e-300, 1e21, 1 / 3, random.between(-1e6, 1e6), 2 ** -1074]);

function poseFor(random: Random): number[] {
  const turn = () => random.between(-1, 1);
  const pose = rotation(turn(), turn(), turn() || 1, random.pick([0, 90, -90, random.between(-180, 180)]));
  for (const at of [3, 7, 11]) pose[at] = numberOf(random);
  return [...pose];
}

function viewFor(random: Random): ViewState {
  const maybe = <T>(value: T): T | null => (random.below(2) ? value : null);
  const place = (): [number, number, number] => [numberOf(random), numberOf(random), numberOf(random)];
  return {
    a: maybe(random.pick(NAMES)),
    b: maybe(random.pick(NAMES)),
    poses: Object.fromEntries(Array.from({ length: random.below(4) }, () => [random.pick(NAMES), poseFor(random)])),
    camera: maybe({ eye: place(), target: [random.between(2e6, 3e6), numberOf(random), 5] as const }),
    frame: maybe(random.below(1e6)),
    finding: maybe(random.pick(NAMES)),
    isIsolated: random.below(2) === 1,
    showsGhosts: random.below(2) === 1,
    through: maybe(random.pick(NAMES)),
    surface: random.pick(['solid', 'wire', 'glass', 'hidden']),
    level: maybe(random.below(30)),
    visits: maybe(random.below(5) ? random.below(30) : ('front' as const)),
    showsContacts: random.below(2) === 1,
    showsDistance: random.below(2) === 1,
    showsPages: random.below(2) === 1,
    isOrthographic: random.below(2) === 1,
    section: maybe({ axis: random.pick(['x', 'y', 'z']), at: numberOf(random), isFlipped: random.below(2) === 1 }),
    theme: random.pick(['auto', 'light', 'dark']),
  };
}

describe('what is written is read', { tags: ['quick', 'long'] }, () => {
  const seeds = Array.from({ length: 2000 }, (_, seed) => seed);
  test.each(some(100, seeds))('seed %i', (seed) => {
    const view = viewFor(seeded(seed));
    const text = writeView(view);
    const problems: string[] = [];
    // Vitest's own comparison takes an object named __proto__ for a difference.
    deepStrictEqual(
      readView(text, (problem) => problems.push(problem)),
      view,
    );
    expect(problems).toEqual([]);
    expect(text).toMatch(/^[\w&=.,%+!~*()-]*$/);
    expect(writeView(readView(text))).toBe(text);
    deepStrictEqual(readView(`http://127.0.0.1:8080/?x=1#${text}`), view);
    expect(new URL(`http://127.0.0.1:8080/#${text}`).hash.slice(1)).toBe(text);
    // What a chat does to an address.
    deepStrictEqual(readView(text.replaceAll(',', '%2C')), view);
  });
});

test('the first view is no text at all, and no text the first view', () => {
  expect(writeView(FIRST_VIEW)).toBe('');
  expect(readView('')).toStrictEqual(FIRST_VIEW);
  expect(readView('http://127.0.0.1:8080/')).toStrictEqual(FIRST_VIEW);
  deepStrictEqual(told('http://127.0.0.1:8080/#token=abc_-'), []);
  expect(readView('file:///tmp/a=b.html')).toStrictEqual(FIRST_VIEW);
});

const told = (text: string): string[] => {
  const problems: string[] = [];
  expect(readView(text, (problem) => problems.push(problem))).toStrictEqual(FIRST_VIEW);
  return problems;
};

test.each([
  ['level=-1', 'level: expected a whole number from 0, found "-1"'],
  ['level=1e3', 'level: expected a whole number from 0, found "1e3"'],
  ['level=9999999999999999', 'level: expected a whole number from 0, found "9999999999999999"'],
  ['level', 'level: expected a whole number from 0, found ""'],
  ['surface=__proto__', 'surface: expected solid, wire, glass, hidden, found "__proto__"'],
  ['isolated=true', 'isolated: expected 0 or 1, found "true"'],
  ['section=w,1', 'section: expected x,1.5 or y,1.5 or z,1.5, optionally with ,flipped, found "w,1"'],
  ['section=x,NaN', 'section: expected x,1.5 or y,1.5 or z,1.5, optionally with ,flipped, found "x,NaN"'],
  [
    'camera=0,0,0,0,0,0',
    'camera: expected six numbers: the position of the camera, then another place that it looks at',
  ],
  ['camera=1e999,0,0,0,0,0', 'camera: expected six numbers'],
  ['pose.b=1,2,3', 'pose."b": expected 16 numbers, a row-major 4x4 matrix that is rigid, found "1,2,3"'],
  ['pose.b=2,0,0,0,0,2,0,0,0,0,2,0,0,0,0,1', 'rigid, found "2,0,0,0,0,2,0'],
  ['pose.b=1,0,0,NaN,0,1,0,0,0,0,1,0,0,0,0,1', 'rigid, found "1,0,0,NaN'],
  ['pose.b=1,0,0,0x10,0,1,0,0,0,0,1,0,0,0,0,1', 'rigid, found "1,0,0,0x10'],
  ['a=%', '"a=%": a % without two digits after it'],
  ['a=%ff', '"a=%ff": a % without two digits after it'],
  ['cam\u202eera=1', '"cam\\u202eera": expected one of a, b, finding,'],
  ['__proto__=1', '"__proto__": expected one of'],
  ['hasOwnProperty', '"hasOwnProperty": expected one of'],
])('%s is left out, and said', (text, problem) => {
  const problems = told(text);
  expect(problems).toHaveLength(1);
  expect(problems[0]).toContain(problem);
});

test('an old link that isolates is one with ghosts', () => {
  expect(readView('isolated=1')).toStrictEqual({ ...FIRST_VIEW, isIsolated: true });
  expect(readView('isolated=1&ghosts=0&through=wall').showsGhosts).toBe(false);
});

test('a text of more than a million characters is not looked at', () => {
  expect(told('&'.repeat(1_000_001))).toEqual(['expected a view of at most 1000000 characters, found 1000001']);
});

test('names of what every object of JavaScript has are names like others', () => {
  const pose = [1, 0, 0, 5, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];
  const view = readView(`pose.__proto__=${pose}&a=__proto__`);
  expect(poseOf(view, '__proto__')).toEqual(pose);
  expect(poseOf(view, 'constructor')).toBeUndefined();
  expect(Object.getPrototypeOf(view.poses)).toBe(Object.prototype);
  expect(({} as Record<string, unknown>)['3']).toBeUndefined();
});

test('the tangent is that of half of the field of view, of the shorter side', () => {
  expect(tangentOf(1.6)).toBeCloseTo(Math.tan((FIELD_OF_VIEW / 360) * Math.PI), 14);
  expect(tangentOf(0.5)).toBe(2 * tangentOf(2));
});

test.each([0.3, 1, 2.5])('the camera has the whole box in view, width by height %d', (aspect) => {
  const random = seeded(1);
  for (let n = 0; n < 20; n++) {
    const low = [0, 1, 2].map(() => random.between(-1e6, 1e6));
    const high = low.map((x) => x + random.between(0, 10 ** random.between(-2, 5)));
    const { eye, target } = fitCamera({ low, high }, aspect);
    const toward = [0, 1, 2].map((k) => eye[k]! - target[k]!);
    const distance = Math.hypot(...toward);
    const across = [-toward[1]!, toward[0]!, 0];
    const rightLength = Math.hypot(...across);
    for (let corner = 0; corner < 8; corner++) {
      const from = [0, 1, 2].map((k) => ((corner >> k) & 1 ? high[k]! : low[k]!) - target[k]!);
      const along = from.reduce((sum, x, k) => sum + x * toward[k]!, 0) / distance;
      const right = from.reduce((sum, x, k) => sum + x * across[k]!, 0) / rightLength;
      const up = Math.sqrt(Math.max(0, from.reduce((sum, x) => sum + x * x, 0) - along * along - right * right));
      const half = (distance - along) * Math.tan((FIELD_OF_VIEW / 360) * Math.PI);
      expect(up).toBeLessThan(half / Math.min(1, aspect));
      expect(Math.abs(right)).toBeLessThan(half * Math.max(1, aspect));
    }
  }
});
