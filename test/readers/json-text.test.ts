/** JSON's text: long strings, strings without an end, keys that come twice. */
import { expect, test } from 'vitest';
import { parseJson } from '../../src/base/json-text.ts';
import { long } from '../support/long.ts';
import { seeded } from '../support/random.ts';

test('a string of many letters without an end is refused, not cut in all ways there are', () => {
  const text = `{"name": "${'['.repeat(50_000)}\n", "b": 1}`;
  expect(() => parseJson(text)).toThrow(/^line 1: expected a value, found the string/);
});

test('a string of ten million letters, as a value and as a key', { tags: ['all'] }, () => {
  const text = 'a'.repeat(1e7);
  expect(parseJson(JSON.stringify({ [text]: text }))).toEqual({ [text]: text });
  expect(() => parseJson(`{"${text}": 1, "${text}": 2}`)).toThrow('each key of an object once');
});

test('keys with escapes, before blanks, in objects of lists', () => {
  expect(() => parseJson('[{"a": "b:", "\\u0061" \n: 2}]')).toThrow(
    /^line 1: expected each key of an object once, found "a" again/,
  );
  const sound = '{"a": {"a": ["a", "\\"", "\\\\"]}, "b\\"": "a", "c": [{"a": 1}, {"a": 1}]}';
  expect(parseJson(sound)).toEqual(JSON.parse(sound));
});

test(`texts with letters changed, seed 3: refused as JSON.parse does, with a line`, { tags: ['all', 'long'] }, () => {
  const random = seeded(3);
  const sound = '{"a": [1, -2.5e3, "x\\n\\u0041\\\\", true, null], "b": {"c": "d e"}}';
  for (let n = 0; n < (long ? 67_000 : 5_000); n++) {
    const at = random.below(sound.length);
    const put = random.pick(['', '"', '\\', '{', '}', '[', ']', ',', ':', '\n', '\u0001', '0', 'u', 'e']);
    const text = sound.slice(0, at) + put + sound.slice(at + random.below(3));
    let value: unknown;
    let isJson = true;
    try {
      value = JSON.parse(text);
    } catch {
      isJson = false;
    }
    if (!isJson) expect(() => parseJson(text), text).toThrow(/^line \d: expected /);
    else expect(parseJson(text), text).toEqual(value);
  }
});
