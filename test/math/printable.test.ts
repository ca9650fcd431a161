/** What printable lets through, and how it shows the rest. */

import { expect, test } from 'vitest';
import { FormatError } from '../../src/math/errors.ts';
import { brief, grouped, printable } from '../../src/math/printable.ts';

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
  const { message } = new FormatError({ line: 1 }, 'a shape', `<${'x'.repeat(5e6)}>; --allow-outside reads others`);
  expect(message.length).toBeLessThan(700);
  expect(message).toMatch(/^line 1: expected a shape, found <xxx.* \.\.\. x.*x>; --allow-outside reads others$/);
});

test('thousands are told apart as toLocaleString does', () => {
  for (let digits = 0; digits < 16; digits++) {
    for (const n of [10 ** digits - 1, 10 ** digits, 3 * 10 ** digits + 7])
      if (Number.isSafeInteger(n)) expect(grouped(n)).toBe(n.toLocaleString('en-US'));
  }
});
