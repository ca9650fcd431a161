/** What printable lets through, and how it shows the rest. */

import { expect, test } from 'vitest';
import { FormatError } from '../../src/base/errors.ts';
import { bracketText, brief, counted, grouped, printable, rangeText } from '../../src/base/printable.ts';
import { seeded } from '../support/random.ts';

test.each([
  ['plain text, other alphabets and signs', 'häschen 兎 🐇.obj', 'häschen 兎 🐇.obj'],
  ['what moves a cursor', 'a\u001b[2J\u009b1m\r\n\t', 'a\\u001b[2J\\u009b1m\\u000d\\u000a\\u0009'],
  ['what turns the direction, or nobody sees', '\u202e\u200b\u2028\u{e0001}', '\\u202e\\u200b\\u2028\\u{e0001}'],
  ['half of a pair', '\ud800x', '\\ud800x'],
])('%s', (_, text, shown) => {
  expect(printable(text)).toBe(shown);
  expect(printable(shown)).toBe(shown);
});

test('what stands in a file does not reach a terminal by the message about it', () => {
  const error = new FormatError({ byte: 8 }, 'a digest \n"', 'posi\u009btions\u001b[2J');
  expect(error.message).toBe('byte 8: expected a digest \\u000a", found posi\\u009btions\\u001b[2J');
  expect(error.describe('box.kdop')).toBe(
    'box.kdop: byte 8: expected a digest \\u000a", found posi\\u009btions\\u001b[2J',
  );
});

test('of what is long a message shows the beginning and the end', () => {
  expect(brief('12345678', 8)).toBe('12345678');
  expect(brief('123456789', 8)).toBe('1234 ... 6789');
  const { message } = new FormatError({ line: 1 }, 'a shape', `<${'x'.repeat(5e6)}>; --allow-outside allows it`);
  expect(message.length).toBeLessThan(700);
  expect(message).toMatch(/^line 1: expected a shape, found <xxx.* \.\.\. x.*x>; --allow-outside allows it$/);
});

test('thousands are told apart as toLocaleString does', () => {
  for (let digits = 0; digits < 16; digits++) {
    for (const n of [10 ** digits - 1, 10 ** digits, 3 * 10 ** digits + 7])
      if (Number.isSafeInteger(n)) expect(grouped(n)).toBe(n.toLocaleString('en-US'));
  }
});

test.each([
  [1, 'mesh', '1 mesh'],
  [2, 'mesh', '2 meshes'],
  [1200, 'geometry', '1,200 geometries'],
  [0, 'key', '0 keys'],
  [2, 'box', '2 boxes'],
])('%i %s is counted as %s', (n, noun, text) => expect(counted(n, noun)).toBe(text));

test.each([
  ['a hundredth wide', 44.637, 44.96, '44.8'],
  ['a point', 0.1 + 0.2, 0.1 + 0.2, '0.30000000000000004'],
  ['a point and its neighbor', 0.3, 0.1 + 0.2, '0.3'],
  ['around a whole number', 20 - 1e-9, 20 + 1e-9, '20'],
  ['wide', 0.96, 1.04, '0.96 to 1.04'],
  ['wide, with many digits', 0.123456789, 0.987654321, '0.123457 to 0.987654'],
  ['from below one power of ten to above another', 0.0999999999, 10.0000001, '0.1 to 10'],
  ['from zero', 0, 1 / 3, '0 to 0.333333'],
  ['nothing', 0, 0, '0'],
  ['without an upper end', 0.123456789, Number.POSITIVE_INFINITY, 'at least 0.123456789'],
])('a bracket %s', (_, lower, upper, text) => {
  expect(bracketText({ lower, upper })).toBe(text);
});

test('every number lies inside its bracket; one has the fewest digits, seed 41', () => {
  const random = seeded(41);
  for (let i = 0; i < 2000; i++) {
    const lower = random.pick([random.between(0, 1), random.below(1000) / 100, 0]) * 10 ** (random.below(40) - 20);
    const width = random.pick([0, 1, 1e-2, 0.99e-2, random.next() * 0.02, 10 ** -random.below(17)]) * lower;
    const bracket = { lower, upper: lower + width };
    const text = bracketText(bracket);
    const numbers = text.split(' to ').map(Number);
    const [low, high] = rangeText(bracket, 'and').split(' and ').map(Number);
    for (const x of [...numbers, low, high]) {
      expect(x, text).toBeGreaterThanOrEqual(lower);
      expect(x, text).toBeLessThanOrEqual(bracket.upper);
    }
    expect(high - low, text).toBeGreaterThanOrEqual(width - 2.1e-5 * bracket.upper);
    if (numbers.length === 2) {
      expect(numbers, text).toEqual([low, high]);
      expect(width).toBeGreaterThan(bracket.upper / 101);
      continue;
    }
    expect(width).toBeLessThan(bracket.upper / 99 || 1);
    // Every number of fewer digits lies outside: the two next to the lower end show it.
    const [mantissa, exponent] = text.includes('e') ? text.split('e') : Number(text).toExponential().split('e');
    const digits = mantissa.replace('.', '').length;
    for (let fewer = 1; fewer < digits; fewer++) {
      const unit = Number(exponent) - fewer + 1;
      const below = Math.floor(Number(`${lower}e${-unit}`.replace(/e(.*)e(.*)/, (_, x, y) => `e${+x + +y}`)));
      for (const n of [below - 1, below, below + 1]) {
        const x = Number(`${n}e${unit}`);
        if (x >= lower && x <= bracket.upper) expect.fail(`${x} lies in ${JSON.stringify(bracket)}, printed ${text}`);
      }
    }
  }
});
