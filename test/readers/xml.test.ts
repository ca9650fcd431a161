import { expect, test } from 'vitest';
import { MOST_BYTES, readXml } from '../../src/base/xml.ts';
import { refusal } from '../support/refusal.ts';

const read = (text: string) => readXml(new TextEncoder().encode(text));

test('elements have their lines, whatever ends a line', () => {
  const { children } = read('<a>\r\n<b/>\r<c\n x="1"/>text\n<d><![CDATA[<e/>]]></d></a>');
  expect(children.map(({ name, line }) => [name, line])).toEqual([
    ['b', 2],
    ['c', 3],
    ['d', 5],
  ]);
});

test('a byte order mark, a declaration, remarks and instructions are skipped', () =>
  expect(read('\uFEFF<?xml version="1.0"?><!-- <b/> --><?do this?><a/>').name).toBe('a'));

test('names that mean something to JavaScript are names, or refused', () => {
  for (const name of ['__proto__', 'constructor', 'prototype'])
    for (const text of [`<${name}/>`, `<a ${name}="1"/>`]) refusal(() => read(text));
  expect(({} as Record<string, unknown>).polluted).toBeUndefined();
});

/** Whatever is expanded or nested without end, in texts that are short. */
test.each([
  [
    'entities',
    '<!DOCTYPE a [<!ENTITY b "bbbb"><!ENTITY c "&b;&b;&b;">]>\n<a x="&c;"/>',
    'line 1: expected XML without a document type',
  ],
  [
    'entities of a file',
    '\n<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>',
    'line 2: expected XML without a document type',
  ],
  ['entities in small letters', '<!doctype a><a/>', 'line 1: expected XML without a document type'],
  ['entities that nobody defines', '<a x="&b;"/>', 'line 1: expected a reference that XML defines'],
  ['10^5 levels', '<a>'.repeat(1e5), 'expected XML'],
  ['65 levels', '<a>'.repeat(65) + '</a>'.repeat(65), 'expected XML of at most 64 levels'],
  ['10^5 open brackets', `<a>${'<'.repeat(1e5)}`, 'expected XML'],
  ['10^5 references', `<a x="${'&amp'.repeat(1e5)}"/>`, 'line 1: expected a reference'],
  ['two outermost elements', '<a/><b/>', 'expected XML with one outermost element, found 2'],
  ['a remark without end', '<a><!--</a>', 'expected XML'],
  ['a text that is cut off', '<a>\n<b>\n<c x="1"/>', 'line 1: expected XML, found elements without an end tag'],
  ['text alone', 'abc', 'line 1: expected XML'],
  ['nothing', '', 'line 1: expected XML'],
  ['a zero', '<a x="&#0;"/>', 'line 1: expected a reference'],
])('%s: one line', (_, text, expected) => expect(refusal(() => read(text)).message).toContain(expected));

test('bytes that are not UTF-8, and too many', () => {
  expect(refusal(() => readXml(Uint8Array.of(0x3c, 0xff))).message).toContain('expected XML in UTF-8');
  expect(refusal(() => readXml(new Uint8Array(MOST_BYTES + 1))).message).toContain('expected XML of at most 16 MiB');
});
