/** The scanner and the obj-file-parser path agree to the bit, errors and their lines included, on whatever comes. */

import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readMeshFile } from '../../src/readers/formats.ts';
import { long } from '../support/long.ts';
import { outcome, text } from './obj-outcome.ts';

const FIXTURES = new URL('../fixtures/obj/', import.meta.url);
const SEED = 20261107;
const RUNS = long ? 25_000 : 1500;

function agree(bytes: Uint8Array): void {
  expect(outcome(bytes, 'scanner')).toEqual(outcome(bytes, 'obj-file-parser'));
}

test.each(readdirSync(FIXTURES))('fixture %s', { tags: ['all'] }, (file) => {
  agree(new Uint8Array(readFileSync(new URL(file, FIXTURES))));
});

const ASSETS = new URL('../../assets/', import.meta.url);

test.each(readdirSync(ASSETS, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.obj')))(
  'asset %s: meshes, nodes and notes',
  { tags: ['all'] },
  async (file) => {
    const bytes = new Uint8Array(readFileSync(new URL(file, ASSETS)));
    const scanned = await readMeshFile(bytes, { parser: 'scanner' });
    expect(await readMeshFile(bytes, { parser: 'obj-file-parser' })).toEqual(scanned);
    expect(await readMeshFile(bytes)).toEqual(scanned);
  },
);

const blank = fc.constantFrom(' ', ' ', ' ', ' ', '\t', '  ', ' \\\n', ' \\\r\n ', '\\\r', '\v');
const lineEnd = fc.constantFrom('\n', '\n', '\n', '\r\n', '\r', ' \n', ' # note\n', '#\n', '\n\n\\\n');
const number = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: -9, max: 9 }).map(String) },
  { weight: 4, arbitrary: fc.double({ noNaN: true, noDefaultInfinity: true }).map(String) },
  { weight: 4, arbitrary: fc.double({ min: -1e3, max: 1e3, noNaN: true }).map((x) => x.toPrecision(17)) },
  { weight: 2, arbitrary: fc.stringMatching(/^[-+]?\d{0,25}\.\d{1,25}([eE][-+]?\d{1,3})?$/) },
);
const coordinate = fc.oneof({ weight: 200, arbitrary: number }, fc.stringMatching(/^[-+.\deE#]{1,6}$/));
const index = fc.integer({ min: 1, max: 5 }).map(String);
const corner = fc.oneof(
  { weight: 300, arbitrary: index },
  { weight: 30, arbitrary: fc.integer({ min: -4, max: -1 }).map(String) },
  {
    weight: 20,
    arbitrary: fc.tuple(index, fc.constantFrom('/', '//', '/1', '//2', '/1/2', '/-1/-1')).map((t) => t.join('')),
  },
  { weight: 5, arbitrary: fc.integer({ min: -10, max: 14 }).map(String) },
  { weight: 1, arbitrary: fc.stringMatching(/^[-+/\d.x]{1,5}$/) },
);
const name = fc.constantFrom('a', 'b', 'a b', 'a  b', 'é', '#c', 'x#1', '\\', '');
const words = (keyword: string, tokens: fc.Arbitrary<string[]>) =>
  tokens.chain((list) =>
    fc
      .array(blank, { minLength: list.length + 1, maxLength: list.length + 1 })
      .map((blanks) => keyword + list.map((token, k) => (k === 0 ? ' ' : '') + blanks[k] + token).join('')),
  );
const statement = fc.oneof(
  { weight: 12, arbitrary: words('v', fc.array(coordinate, { minLength: 3, maxLength: 3 })) },
  { weight: 2, arbitrary: words('v', fc.array(coordinate, { minLength: 3, maxLength: 8 })) },
  { weight: 12, arbitrary: words('f', fc.array(corner, { minLength: 3, maxLength: 3 })) },
  { weight: 4, arbitrary: words('f', fc.array(corner, { minLength: 4, maxLength: 9 })) },
  { weight: 1, arbitrary: words('fo', fc.array(corner, { minLength: 3, maxLength: 4 })) },
  {
    weight: 3,
    arbitrary: words(
      'o',
      name.map((n) => [n]),
    ),
  },
  {
    weight: 3,
    arbitrary: words(
      'g',
      name.map((n) => [n]),
    ),
  },
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      'g',
      'o',
      's',
      's off',
      'l 1 2',
      'p 1',
      'vt 0 0',
      'vn 0 0 1',
      'usemtl m#',
      'usemtl m#\\\nf 1 2 3',
      'usemtl m #\\',
      'l 1 \\',
      'curv2 1 2',
      '# \\',
      '',
    ),
  },
);
const file = fc
  .tuple(
    fc.constantFrom('', '', '\ufeff'),
    fc.constantFrom('', 'v 0 0 0\nv 4 0 0\nv 4 4 0\nv 1 1 0\nv 0 4 0\n'),
    fc.array(fc.tuple(statement, lineEnd), { maxLength: 25 }),
  )
  .map(([mark, vertices, statements]) => mark + vertices + statements.map(([s, end]) => s + end).join(''));

test(`generated files (seed ${SEED})`, { tags: ['all', 'long'] }, () => {
  let meshes = 0;
  fc.assert(
    fc.property(file, (source) => {
      agree(text(source));
      if ('bits' in outcome(text(source), 'scanner')) meshes++;
    }),
    { seed: SEED, numRuns: RUNS },
  );
  expect(meshes).toBeGreaterThan(RUNS / (long ? 5 : 6)); // neither nothing but errors ...
  expect(meshes).toBeLessThan(RUNS); // ... nor none
});

test(`files with bytes changed, put in and left out (seed ${SEED})`, { tags: ['all', 'long'] }, () => {
  const nasty = fc.constantFrom(
    ...Array.from(text('\0\t\n\v\r #+-./0129\\efgolpv'), Number),
    0x1a,
    0x85,
    0xa0,
    0xc3,
    0xe2,
    0xff,
  );
  const edit = fc.record({ at: fc.nat(), byte: nasty, kind: fc.constantFrom('change', 'insert', 'delete') });
  fc.assert(
    fc.property(file, fc.array(edit, { minLength: 1, maxLength: 4 }), (source, edits) => {
      const bytes = Array.from(text(source));
      for (const { at, byte, kind } of edits) {
        const gone = kind === 'insert' ? 0 : 1;
        bytes.splice(at % (bytes.length + 1), gone, ...(kind === 'delete' ? [] : [byte]));
      }
      agree(Uint8Array.from(bytes));
    }),
    { seed: SEED, numRuns: RUNS },
  );
});

test(`random bytes (seed ${SEED})`, { tags: ['all', 'long'] }, () => {
  fc.assert(fc.property(fc.uint8Array({ maxLength: 64 }), agree), { seed: SEED, numRuns: RUNS });
});
