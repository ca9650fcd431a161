/** What the OBJ readers accept, what they refuse and with which words; every case goes through both. */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { FormatError } from '../../src/base/errors.ts';
import { readObj } from '../../src/readers/obj/obj.ts';
import { MAX_NAME, MAX_NUMBER } from '../../src/readers/text.ts';
import { long } from '../support/long.ts';
import { PARSERS, text } from './obj-outcome.ts';

const FIXTURES = new URL('../fixtures/obj/', import.meta.url);
const TRIANGLE = 'v 0 0 0\nv 1 0 0\nv 0 1 0\n';

describe.each(PARSERS)('%s', (parser) => {
  const read = (source: string | Uint8Array) => readObj(typeof source === 'string' ? text(source) : source, { parser });
  const triangles = (source: string) => Array.from(read(source).triangles);
  const error = (source: string | Uint8Array): string => {
    try {
      read(source);
    } catch (thrown) {
      if (thrown instanceof FormatError) return thrown.message;
      throw thrown;
    }
    return 'none';
  };

  /** Per fixture: vertices, triangles and runs, or the error. */
  const expected: Record<string, object | string> = {
    'ahead.obj': { vertices: 6, triangles: '3 4 5 0 1 2', groups: ['object first 0+2'] },
    'bare-names.obj': {
      vertices: 3,
      triangles: '0 1 2 2 1 0 0 2 1',
      groups: ['group default 0+1', 'group default 1+1', 'object default 2+1', 'group two  names 2+1'],
    },
    'beyond-last-vertex.obj': 'line 8: expected a vertex number from 1 to 3, found "9/9/9"',
    'binary.obj': 'expected at least one face, found none',
    'bom-crlf.obj': { vertices: 4, triangles: '0 1 2 0 2 3', groups: ['object plate 0+2'] },
    'concave.obj': {
      vertices: 5,
      triangles: '1 2 3 0 1 3 0 3 4 1 2 3 1 3 0 3 0 1 3 1 2 0 0 0 0 0 0 3 2 1 3 1 0 4 3 0',
      groups: [],
    },
    'continuation.obj': { vertices: 4, triangles: '0 1 2 0 2 3 3 2 1', groups: ['group two  words 0+3'] },
    'continuation-breaks-token.obj': { vertices: 4, triangles: '0 1 2 0 2 3 0 1 2', groups: ['group two  words 0+3'] },
    'cr-line-ends.obj': { vertices: 3, triangles: '0 1 2', groups: ['group tri 0+1'] },
    'empty.obj': 'expected at least one face, found none',
    'everything.obj': { vertices: 4, triangles: '0 1 2 0 2 3 0 1 2 0 1 3', groups: [] },
    'names-utf8.obj': {
      vertices: 3,
      triangles: '0 1 2 0 1 2',
      groups: ['object café 0+1', 'object bad\ufffd\ufffdutf8 1+1'],
    },
    'relative.obj': { vertices: 6, triangles: '0 1 2 3 4 5 0 1 5', groups: ['object a 0+1', 'object b 1+2'] },
    'utf16.obj': 'line 1: expected UTF-8 text, found UTF-16 (byte order mark FF FE)',
    'windows-infinity.obj': 'line 1: expected a finite number, found "1.#INF"',
    'zero-byte.obj': 'line 4: expected text, found a zero byte',
  };
  test.each(readdirSync(FIXTURES))('fixture %s', (file) => {
    const bytes = new Uint8Array(readFileSync(new URL(file, FIXTURES)));
    const message = error(bytes);
    if (message !== 'none') return expect(message).toBe(expected[file]);
    const mesh = read(bytes);
    expect({
      vertices: mesh.positions.length / 3,
      triangles: mesh.triangles.join(' '),
      groups: mesh.groups.map(({ kind, name, first, count }) => `${kind} ${name} ${first}+${count}`),
    }).toEqual(expected[file]);
  });

  test('counts what is no triangle', () => {
    const file = readFileSync(new URL('everything.obj', FIXTURES));
    expect(read(new Uint8Array(file)).skipped).toEqual({ lines: 2, points: 1, freeForm: 2 });
  });

  test.each([
    ['v 1 2\nf 1 1 1\n', 'line 1: expected 3 coordinates, found 2'],
    ['\n\nv\n', 'line 3: expected 3 coordinates, found 0'],
    ['v 1 2 abc\n', 'line 1: expected a finite number, found "abc"'],
    ['v nan 0 0\n', 'line 1: expected a finite number, found "nan"'],
    ['v inf 0 0\n', 'line 1: expected a finite number, found "inf"'],
    ['v 0 Infinity 0\n', 'line 1: expected a finite number, found "Infinity"'],
    ['v 1e999 0 0\n', 'line 1: expected a finite number, found "1e999"'],
    ['v 0x10 0 0\n', 'line 1: expected a finite number, found "0x10"'],
    ['v 1,5 0 0\n', 'line 1: expected a finite number, found "1,5"'],
    ['v 1.0D+05 0 0\n', 'line 1: expected a finite number, found "1.0D+05"'],
    ['v 1e 0 0\n', 'line 1: expected a finite number, found "1e"'],
    ['v . 0 0\n', 'line 1: expected a finite number, found "."'],
    ['v + 0 0\n', 'line 1: expected a finite number, found "+"'],
    ['v 1..2 0 0\n', 'line 1: expected a finite number, found "1..2"'],
    ['v 0 0 0 v 1 1 1\n', 'line 1: expected a finite number, found "v"'],
    ['v 0 0 0 1 1e999\n', 'line 1: expected a finite number, found "1e999"'],
    ['v 0\u00a00 0\n', 'line 1: expected a finite number, found "0\u00a00"'],
    [`v ${'1'.repeat(50)}x 0 0\n`, `line 1: expected a finite number, found "${'1'.repeat(40)}..."`],
    [`v ${'😀'.repeat(50)} 0 0\n`, `line 1: expected a finite number, found "${'😀'.repeat(40)}..."`],
    ['v \u001b[2J\u202e\0 0 0\n', 'line 1: expected a finite number, found "\\u001b[2J\\u202e\\u0000"'],
    [
      `v 0.${'0'.repeat(MAX_NUMBER)} 0 0\n`,
      'line 1: expected a number of at most 65536 characters, found a longer one',
    ],
    [`o ${'n'.repeat(MAX_NAME + 1)}\n`, 'line 1: expected a name of at most 65536 characters, found a longer one'],
    ['v1 2 3\n', 'line 1: expected a blank after "v", found "v1"'],
    ['f-1 2 3\n', 'line 1: expected a blank after "f", found "f-1"'],
    [`${TRIANGLE}f 1 2 x\n`, 'line 4: expected a vertex such as 7, 7/1, 7//3 or 7/1/3, found "x"'],
    [`${TRIANGLE}f 1 2 3/1/1/1\n`, 'line 4: expected a vertex such as 7, 7/1, 7//3 or 7/1/3, found "3/1/1/1"'],
    [`${TRIANGLE}f 1 2 3/x\n`, 'line 4: expected a vertex such as 7, 7/1, 7//3 or 7/1/3, found "3/x"'],
    [`${TRIANGLE}f 1 2 /3\n`, 'line 4: expected a vertex such as 7, 7/1, 7//3 or 7/1/3, found "/3"'],
    [`${TRIANGLE}f 1 2 3.0\n`, 'line 4: expected a vertex such as 7, 7/1, 7//3 or 7/1/3, found "3.0"'],
    [`${TRIANGLE}f 1 2 3/-\n`, 'line 4: expected a vertex such as 7, 7/1, 7//3 or 7/1/3, found "3/-"'],
    [`${TRIANGLE}f 1 2 3#\n`, 'line 4: expected a vertex such as 7, 7/1, 7//3 or 7/1/3, found "3#"'],
    [`${TRIANGLE}f 1 2 3\\4\n`, 'line 4: expected a vertex such as 7, 7/1, 7//3 or 7/1/3, found "3\\4"'],
    [`${TRIANGLE}f 1 2\n`, 'line 4: expected at least 3 vertices in a face, found 2'],
    [`${TRIANGLE}f\n`, 'line 4: expected at least 3 vertices in a face, found 0'],
    [`${TRIANGLE}\nf \\\n1 \\\n2 # 3\n`, 'line 5: expected at least 3 vertices in a face, found 2'],
    [`${TRIANGLE}f 1 2 0\n`, 'line 4: expected vertex numbers that count from 1, found "0"'],
    [`${TRIANGLE}f -0/1 2 3\n`, 'line 4: expected vertex numbers that count from 1, found "-0/1"'],
    [`${TRIANGLE}f 1 2 4\n`, 'line 4: expected a vertex number from 1 to 3, found "4"'],
    [
      `${TRIANGLE}f 1 2 3\nf 1 2 99999999999999999999\n`,
      'line 5: expected a vertex number from 1 to 3, found "99999999999999999999"',
    ],
    [`${TRIANGLE}f 1 2 4294967297\n`, 'line 4: expected a vertex number from 1 to 3, found "4294967297"'],
    [`${TRIANGLE}f -1 -2 -4\n`, 'line 4: expected a relative vertex number from -3 to -1, found "-4"'],
    ['f 1 2 3\n', 'line 1: expected at least one vertex in the file, found "1"'],
    [`f -1 -2 -3\n${TRIANGLE}`, 'line 1: expected a vertex before a relative number, found "-1"'],
    [`${TRIANGLE}f 1 2 9\nf 1 2 x\n`, 'line 5: expected a vertex such as 7, 7/1, 7//3 or 7/1/3, found "x"'],
    [TRIANGLE, 'expected at least one face, found none'],
    ['g\0\n', 'line 1: expected text, found a zero byte'],
    ['usemtl a\\\n\0\n', 'line 2: expected text, found a zero byte'],
  ])('refuses %j', (source, message) => {
    expect(error(source)).toBe(message);
  });

  test.each([
    ['a tab and other blanks', 'v\t0 0\v0\nv 1 0\f0\n \tv 0 1 0\nf 1 2 3'],
    ['signs and points', 'v +0 -0. .0\nv 1.e0 0E-9 +.0e+1\nv 0 1 0\nf +1 2/+1/-1 3//\n'],
    ['a trailing comment', `${TRIANGLE}f 1 2 3 #4\n`],
    ['a form of v/vt/vn each', `${TRIANGLE}f 1/0/99 2//7 3/\n`],
    ['a # within a word, which is no comment, and so the line goes on', `${TRIANGLE}usemtl m#\\\nf 3 2 1\nf 1 2 3\n`],
    ['unknown keywords', `${TRIANGLE}vx 1\nfoo 1\nf 1 2 3\n\u001a`],
  ])('accepts %s', (_, source) => {
    expect(triangles(source)).toEqual([0, 1, 2]);
  });

  test('keeps -0, subnormals and the largest double', () => {
    const { positions } = read('v -0 5e-324 1.7976931348623157e308\nv -0e999 1e-999 2.225073858507201e-308\nf 1 2 1\n');
    expect(Array.from(positions)).toEqual([-0, 5e-324, Number.MAX_VALUE, -0, 0, 2.225073858507201e-308]);
  });

  test('runs of an object and of groups overlap; a name without faces leaves no trace', () => {
    const { groups } = read(`${TRIANGLE}f 1 2 3\ng a\no X\nf 1 2 3\ng b\ng c # d\nf 1 2 3 1\nf 1 2 3\no Y\ng d\n`);
    expect(groups).toEqual([
      { kind: 'group', name: 'a', first: 1, count: 1 },
      { kind: 'object', name: 'X', first: 1, count: 4 },
      { kind: 'group', name: 'c', first: 2, count: 3 },
    ]);
  });

  const n = long ? 40_000 : 20_000;
  test(`a face of ${n} vertices on ${n} lines`, { tags: ['quick', 'long'] }, () => {
    const ring = Array.from({ length: n }, (_, k) => `v ${k} ${k * k} 0`).join('\n');
    const { triangles } = read(`${ring}\nf ${Array.from({ length: n }, (_, k) => k + 1).join(' \\\n')}\n`);
    expect(triangles.length).toBe(3 * (n - 2));
    expect(Array.from(triangles.slice(-3))).toEqual([0, n - 2, n - 1]);
  });
});

describe('long inputs that are slow for a careless reader', () => {
  const cases: [string, string][] = [
    ['digits, then junk', `v ${'1'.repeat(1e6)}x 0 0\n`],
    ['blanks within a name', `o a${' '.repeat(1e6)}b\n${TRIANGLE}f 1 2 3\n`],
    ['backslashes', `${TRIANGLE}f 1 2 3 ${'\\'.repeat(1e6)}\n`],
    ['continuations', `${TRIANGLE}f 1 2 3 ${'\\\n'.repeat(long ? 3e5 : 1e5)}\n`],
    ['hashes', `${TRIANGLE}f 1 2 3 ${'#'.repeat(1e6)}\n`],
    ['names without faces', `${'g x\n'.repeat(long ? 3e5 : 6e4)}${TRIANGLE}f 1 2 3\n`],
  ];
  test.each(cases.flatMap(([name, source]) => PARSERS.map((parser) => [name, parser, source] as const)))(
    '%s (%s)',
    { tags: ['quick', 'long'] },
    (_, parser, source) => {
      try {
        readObj(text(source), { parser });
      } catch (error) {
        expect(error).toBeInstanceOf(FormatError);
      }
    },
  );
});

test('auto takes both sides of the size limit, to the same mesh', () => {
  const source = `${TRIANGLE}f 1 2 3\n#`;
  const below = readObj(text(source.padEnd(2 ** 15, ' ')));
  const above = readObj(text(source.padEnd(2 ** 15 + 1, ' ')));
  expect(above).toEqual(below);
});

test('refuses other parsers', () => {
  const parser = 'own' as 'auto';
  expect(() => readObj(text(TRIANGLE), { parser })).toThrow(
    /^parser: expected auto or obj-file-parser or scanner, found "own"$/,
  );
});

test('reads a view into a larger buffer', () => {
  const whole = text(`xx${TRIANGLE}f 1 2 3\nf 9 9 9\n`);
  const view = whole.subarray(2, whole.length - 8);
  for (const parser of PARSERS) expect(readObj(view, { parser }).triangles.length).toBe(3);
});
