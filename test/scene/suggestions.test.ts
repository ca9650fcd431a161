/** Suggestions for names that match nothing: by all edits of a word, and with other prefixes. */
import { expect, test } from 'vitest';
import { nearest } from '../../src/base/nearest.ts';
import { Exclusion, matches, Suggestions } from '../../src/base/patterns.ts';
import { asksOf } from '../../src/scene/rules.ts';
import { some } from '../support/long.ts';
import { seeded } from '../support/random.ts';

const NAMES = ['room/lamp', 'hall/lamp', 'room/wall-1', 'door', 'house/arm/base', 'house/beam[12]', 'pipe/1'];

test.each([
  ['lamp', '; did you mean "room/lamp" or "hall/lamp"?'],
  ['arm/base', '; did you mean "house/arm/base"?'],
  ['base', '; did you mean "house/arm/base"?'],
  ['beam[12]', '; did you mean "house/beam[12]"?'],
  ['room/door', '; did you mean "door"?'],
  ['attic/lamp', '; did you mean "room/lamp" or "hall/lamp"?'],
  ['lmap', '; did you mean "room/lamp" or "hall/lamp"?'],
  ['Door', '; did you mean "door"?'],
  ['pipe/3', '; did you mean "pipe/1"?'],
  ['lamp*', '; did you mean "*/lamp*"?'],
  ['attic/lamp*', '; did you mean "*/lamp*"?'],
  ['house/doo?', '; did you mean "doo?"?'],
  ['huose/*', '; did you mean "house/*"?'],
  ['chair*', ''],
  ['attic/*', ''],
  ['elephant', ''],
])('%j', (text, hint) => expect(new Suggestions(NAMES).hint(text)).toBe(hint));

test('of many names two are shown, and the others counted; a long one is cut', () => {
  const lamps = Array.from({ length: 40 }, (_, k) => `room-${k}/lamp`);
  expect(new Suggestions(lamps).hint('lamp')).toBe('; did you mean "room-0/lamp", "room-1/lamp" or 38 others?');
  expect(new Suggestions(lamps.slice(0, 3)).hint('lamp')).toBe(
    '; did you mean "room-0/lamp", "room-1/lamp" or "room-2/lamp"?',
  );
  const long = `${'a'.repeat(999)}/x\u001b`;
  expect(new Suggestions([long]).hint('x\u001b')).toBe(`; did you mean "${'a'.repeat(37)}..."?`);
});

test('an exclusion, and rules of names that gained a prefix', () => {
  const exclusion = new Exclusion(['lmap']);
  for (const name of NAMES) exclusion.has(name);
  expect(() => exclusion.requireMatched()).toThrow('--exclude: "lmap" matches no object; did you mean "room/lamp" or');
  const told: string[] = [];
  const rules = { groups: { static: ['door', 'base'] }, rules: [{ id: 'x', a: 'statics', b: 'wall-?' }] };
  asksOf(NAMES, { rules, onUnmatched: (problem) => told.push(problem) });
  expect(told).toEqual([
    'groups.static[1]: "base" matches no object; did you mean "house/arm/base"?',
    'rules[0].a: "statics" matches no object; did you mean "static"?',
    'rules[0].b: "wall-?" matches no object; did you mean "*/wall-?"?',
  ]);
});

test('hundreds of wrong rules of five thousand objects: all are told, the first with hints', () => {
  const names = Array.from({ length: 5000 }, (_, k) => `floor-${k % 13}/wall-type-${k}`);
  const told: string[] = [];
  const rules = Array.from({ length: 300 }, (_, k) => ({ id: `${k}`, a: `wall-tipe-${k}x`, b: `wall-typ?-${k}*` }));
  asksOf(names, { rules: { rules }, onUnmatched: (problem) => told.push(problem) });
  expect(told.length).toBe(600);
  expect(told[0]).toContain('; did you mean "floor-0/wall-type-0"?');
  expect(told[1]).toContain('; did you mean "*/wall-typ?-0*"?');
  expect(told.at(-1)).toMatch(/matches no object$/);
});

/** Words at most `edits` insertions, removals, changes or swaps away, each letter touched once. */
function isNear(a: string, b: string, edits: number): boolean {
  if (edits < 0) return false;
  if (a === '' || b === '') return Math.max(a.length, b.length) <= edits;
  if (a[0] === b[0] && isNear(a.slice(1), b.slice(1), edits)) return true;
  const isSwap = a[0] === b[1] && a[1] === b[0] && isNear(a.slice(2), b.slice(2), edits - 1);
  return (
    isSwap ||
    isNear(a.slice(1), b.slice(1), edits - 1) ||
    isNear(a.slice(1), b, edits - 1) ||
    isNear(a, b.slice(1), edits - 1)
  );
}

test.each(some(1, [1, 2, 3]))('the nearest word, by trying all edits, seed %i', (seed) => {
  const random = seeded(seed);
  const word = (): string => Array.from({ length: 1 + random.below(6) }, () => random.pick([...'abc'])).join('');
  for (let i = 0; i < 300; i++) {
    const [key, most] = [word(), 1 + random.below(3)];
    const known = Array.from({ length: 5 }, word);
    const distances = known.map((name) => [0, 1, 2, 3].find((edits) => isNear(key, name, edits)) ?? 9);
    const least = Math.min(...distances);
    const expected = least > most ? null : known[distances.indexOf(least)];
    expect([key, known, most, nearest(key, known, most)]).toEqual([key, known, most, expected]);
  }
});

test.each(some(1, [4, 5]))('a suggested pattern matches something, seed %i', (seed) => {
  const random = seeded(seed);
  const part = () => Array.from({ length: 1 + random.below(3) }, () => random.pick([...'ab*?'])).join('');
  const name = () => Array.from({ length: 1 + random.below(3) }, () => part().replaceAll(/[*?]/g, 'c')).join('/');
  for (let i = 0; i < 500; i++) {
    const known = Array.from({ length: 4 }, name);
    const pattern = Array.from({ length: 1 + random.below(3) }, part).join('/');
    if (known.some((own) => matches(pattern, own))) continue;
    for (const [, meant] of new Suggestions(known).hint(pattern).matchAll(/"([^"]+)"/g))
      expect(known.some((own) => own === meant || matches(meant, own))).toBe(true);
  }
});
