/** Where the objects of findings begin: lines of OBJ files and of scene files. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { SourceLines } from '../../src/cli/findings/source-lines.ts';
import { makeFolder } from '../support/cli.ts';

const cwd = makeFolder();
const file = (name: string, text: string): string => {
  const path = join(cwd, name);
  writeFileSync(path, text);
  return path;
};

test('an element by its o statement, or by its g statement where no object is called so', () => {
  const obj = file('a.obj', '# o no\no wall 1\r\nv 0 0 0\ng door\ng wall 1\no door2\n  o  spaced \no wall 1\n');
  const lines = new SourceLines();
  const lineOf = (element: string) => (lines.addTo({ a: { file: obj, element } }) as { a: { line?: number } }).a.line;
  expect(['wall 1', 'door', 'door2', 'spaced', 'no', 'v'].map(lineOf)).toEqual([2, 4, 6, 7, undefined, undefined]);
});

test('an instance by the line of its name; what is not found keeps its file', () => {
  const scene = file(
    's.scene.json',
    '{\n"instances": [\n{"name": "a \\"b\\"", "asset": "x"},\n{"asset":"x","name":"c"}]}',
  );
  const located = (name: string) => {
    const side = { name, file: 'x.obb', scene, sha256: '00' };
    return (new SourceLines().addTo({ a: side, b: side }) as { b: object }).b;
  };
  expect(located('a "b"')).toMatchObject({ file: scene, line: 3, sha256: null });
  expect(located('c')).toMatchObject({ file: scene, line: 4 });
  expect(located('d')).toMatchObject({ file: 'x.obb', sha256: '00' });
  expect(new SourceLines().addTo({ a: { file: 'gone.obj', element: 'x' } })).toEqual({
    a: { file: 'gone.obj', element: 'x' },
  });
});
