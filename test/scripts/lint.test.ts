/** scripts/lint.mjs: its rules, and a list of exceptions that only shrinks. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { lint, problemsOf } from '../../scripts/lint.mjs';
import { makeFolder } from '../support/cli.ts';

const columns = (count: number, start = '// ') => start.padEnd(count, 'x');
const entriesOf = (text: string, file = 'src/a.ts') => problemsOf(file, text).map(({ entry }) => entry);
const linesOf = (text: string, file = 'src/a.ts') => problemsOf(file, text).map(({ line }) => line);

describe('comments', () => {
  test('a comment may reach column 100 and no farther', () => {
    expect(linesOf(`${columns(100)}\n${columns(101)}\n`)).toEqual([2]);
    expect(linesOf(`/**\n${columns(101, ' * ')}\n */\nexport const a = 1;\n`)).toEqual([2]);
    expect(linesOf(`export const a = 1; ${columns(101 - 20)}\n`)).toEqual([1]);
  });

  test('columns are characters, not bytes or halves of a pair', () => {
    expect(linesOf(`// ${'é'.repeat(97)}\n// ${'😀'.repeat(97)}\n`)).toEqual([]);
  });

  test('code, and text that looks like a comment, may be wider', () => {
    expect(linesOf(`export const a = '${'x'.repeat(100)}';\n`)).toEqual([]);
    expect(linesOf(`export const a = \`\n${columns(101)}\n\`;\n`)).toEqual([]);
    expect(linesOf(`/** @type {number} */ export const a = ${'1'.repeat(100)};\n`)).toEqual([]);
  });

  test.each(['src/a.as.ts', 'src/a.wgsl'])('%s, which has no parser', (file) => {
    expect(linesOf(`@inline\n${columns(101)}\n${columns(100)}\n`, file)).toEqual([2]);
  });
});

describe('booleans', () => {
  test.each([
    ['export function f(a: number, b: boolean) {}', 'f(b: boolean)'],
    ['export function f(a = true) {}', 'f(a = true)'],
    ['export function f(a?: boolean | undefined) {}', 'f(a?: boolean | undefined)'],
    ['export const f = async (a: boolean, b: number): Promise<void> => {};', 'f(a: boolean)'],
    ['export default function (a: boolean, b: number) {}', 'default(a: boolean)'],
    ['function f(a: boolean, b: number) {}\nexport { f as g };', 'f(a: boolean)'],
    ['export class A { constructor(private readonly a: boolean) {} }', 'A.constructor(private readonly a: boolean)'],
    ['export class A { f(a: boolean, b: number) {} }', 'A.f(a: boolean)'],
    ['export interface A { f(a: boolean, b: number): void }', 'A.f(a: boolean)'],
    ['export interface A { f?: ((a: boolean, b: number) => void) | undefined }', 'A.f(a: boolean)'],
    ['export type F = (a: boolean, b: number) => void;', 'F(a: boolean)'],
    ['export const a = { f(a: boolean, b: number) {} };', 'a.f(a: boolean)'],
  ])('%s', (text, entry) => {
    expect(entriesOf(text)).toEqual([entry]);
  });

  test('a JSDoc comment gives types, too', () => {
    const text = '/** Says it. @param {string} a @param {boolean} [b] */\nexport function f(a, b) {}\n';
    expect(entriesOf(text, 'scripts/a.mjs')).toEqual(['f(b)']);
  });

  test.each([
    'function f(a: boolean, b: number) {}',
    'export const setVisible = (isVisible: boolean) => {};',
    'export interface A { setVisible(isVisible: boolean): void }',
    'export function f(a: number, { b = true }: { b?: boolean } = {}): boolean { return b; }',
    'export class A { #f(a: boolean, b: number) {} }',
    'export class A { private f(a: boolean, b: number) {} }',
    'export class A { set a(a: boolean) {} }',
    'export function f(a: (b: number) => boolean, c: readonly boolean[]) {}',
  ])('allowed: %s', (text) => {
    expect(entriesOf(text)).toEqual([]);
  });
});

describe('parameters', () => {
  test.each([
    ['export function f(a, b, c, d, e, g, h = 1) {}', 'f(7 parameters)'],
    ['export class A { f(a: A, b: A, c: A, d: A, e: A, f: A, g: A, h: A) {} }', 'A.f(8 parameters)'],
    ['export type F = (a: A, b: A, c: A, d: A, e: A, f: A, ...g: A[]) => void;', 'F(7 parameters)'],
  ])('%s', (text, entry) => {
    expect(entriesOf(text)).toEqual([entry]);
  });

  test('six are allowed, and any number of what no other module calls', () => {
    expect(entriesOf('export function f(a, b, c, d, e, { g, h, i }) {}')).toEqual([]);
    expect(entriesOf('const f = (a, b, c, d, e, g, h) => a;\nexport const a = 1;\n')).toEqual([]);
    expect(
      entriesOf('export function f(a: i32, b: i32, c: i32, d: i32, e: i32, g: i32, h: i32): void {}', 'src/a.as.ts'),
    ).toEqual([]);
  });

  test('an exception has a reason, holds in any file, and goes with what it allows', () => {
    const root = makeFolder();
    mkdirSync(join(root, 'src'));
    const allowed = { 'f(7 parameters)': 'a reason' };
    expect(lint(root, { allowed })).toEqual([
      'scripts/lint.mjs: expected f(7 parameters) somewhere, found it gone: remove its exception',
    ]);
    writeFileSync(join(root, 'src/a.ts'), 'export function f(a, b, c, d, e, g, h) {}\n');
    expect(lint(root, { allowed })).toEqual([]);
    expect(lint(root)).toEqual(['src/a.ts:1: parameters: expected at most 6, found f(7 parameters)']);
  });
});

describe('the list', () => {
  /** A folder whose one file breaks each rule once, at lines 1 and 2. */
  function makeProject() {
    const root = makeFolder();
    for (const folder of ['src', 'scripts']) mkdirSync(join(root, folder));
    const write = (file: string, text: string) => writeFileSync(join(root, file), text);
    write('src/a.ts', `${columns(117)}\nexport function f(a: boolean, b: number) {}\n`);
    const list = () => readFileSync(join(root, 'scripts/lint-baseline.txt'), 'utf8');
    return { root, write, list };
  }
  const listed = (file: string) =>
    problemsOf(file, `${columns(117)}\nexport function f(a: boolean, b: number) {}\n`).map(
      ({ rule, entry }) => `${rule} ${file} ${entry}\n`,
    );

  test('each line says file, line, rule, expected and found', () => {
    expect(lint(makeProject().root)).toEqual([
      'src/a.ts:1: comments: expected a comment of at most 100 columns, found 117',
      'src/a.ts:2: booleans: expected an option that has a name, found the positional boolean f(a: boolean)',
    ]);
  });

  test('what is listed is allowed, wherever it moves in its file, and once', () => {
    const { root, write } = makeProject();
    write('scripts/lint-baseline.txt', listed('src/a.ts').join(''));
    expect(lint(root)).toEqual([]);
    write('src/a.ts', `export class A {\n  ${columns(117)}\n}\nexport function f(a: boolean, b: number) {}\n`);
    expect(lint(root)).toEqual([]);
    write('src/a.ts', `${columns(117)}\nexport function f(a: boolean, b: number) {}\n${columns(117)}\n`);
    expect(lint(root)).toEqual(['src/a.ts:3: comments: expected a comment of at most 100 columns, found 117']);
  });

  test('an entry without a place is an error until --prune removes it', () => {
    const { root, write, list } = makeProject();
    write('scripts/lint-baseline.txt', listed('src/a.ts').join(''));
    write('src/a.ts', 'export function f(a: boolean, b: number) {}\n');
    expect(lint(root)).toEqual([
      expect.stringMatching(
        /^scripts\/lint-baseline\.txt:1: comments: expected \w{8} in src\/a\.ts, found it gone: run npm run lint -- --prune$/,
      ),
    ]);
    expect(lint(root, { prune: true })).toEqual([]);
    expect(list()).toBe('booleans src/a.ts f(a: boolean)\n');
  });

  test('--prune lists nothing new, and follows code to another file', () => {
    const { root, write, list } = makeProject();
    write('scripts/lint-baseline.txt', listed('src/old.ts').join(''));
    write('src/b.ts', 'export function g(a: boolean, b: number) {}\n');
    expect(lint(root, { prune: true })).toEqual([
      'src/b.ts:1: booleans: expected an option that has a name, found the positional boolean g(a: boolean)',
    ]);
    expect(list()).toBe(listed('src/a.ts').sort().join(''));
  });
});
