/** The programs of docs/other-languages.md in C and in Python: what they print is what the page says. */
// @module-tag all
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import { sharpCodec } from '../../src/containers/pixels-sharp.ts';
import { readObj } from '../../src/readers/obj/obj.ts';
import { encodeGeometryImage } from '../../src/representations/gi/format/codec.ts';
import { buildGeometryImage } from '../../src/representations/gi/make/index.ts';
import { encodeObbTree } from '../../src/representations/obb/format.ts';
import { buildObbTree } from '../../src/representations/obb/make/index.ts';
import { C99, compileC, hasCompiler, runTool } from '../support/c-compiler.ts';
import { makeFolder } from '../support/cli.ts';
import { python } from '../support/python.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const page = readFileSync(join(root, 'docs/other-languages.md'), 'utf8');
const folder = makeFolder();
const at = (name: string) => join(folder, name);

/** The block of a language, and the lines that it prints: the last ones of the console behind it. */
function example(language: string): { text: string; printed: string } {
  const [, text, printed] = new RegExp(
    `\`\`\`${language}\\n(.*?)\`\`\`\\n\\n\`\`\`console\\n(?:\\$ [^\\n]*\\n)*(.*?)\`\`\``,
    's',
  ).exec(page)!;
  return { text, printed };
}

beforeAll(async () => {
  const bunny = readObj(new Uint8Array(readFileSync(join(root, 'assets/bunny.obj'))));
  mkdirSync(at('out'));
  writeFileSync(at('out/bunny.obb'), await encodeObbTree(buildObbTree(bunny)));
  writeFileSync(at('out/bunny.tiff'), await encodeGeometryImage(buildGeometryImage(bunny, { size: 33 }), sharpCodec));
});

describe.skipIf(!hasCompiler)('C (needs gcc)', () => {
  test('near.c prints what the page says', () => {
    const { text, printed } = example('c');
    compileC('-', at('near'), [...C99, '-O2', '-I', 'ports/c'], text);
    expect(runTool(at('near'), [at('out/bunny.obb')]).toString()).toBe(printed);
  });
});

describe.skipIf(!python)('Python (needs numpy)', () => {
  test('area.py prints what the page says', () => {
    const { text, printed } = example('python');
    const env = { ...process.env, PYTHONPATH: join(root, 'ports/python') };
    const { stdout, stderr } = spawnSync(python!, ['-B', '-c', text], { cwd: folder, encoding: 'utf8', env });
    expect({ stdout, stderr }).toEqual({ stdout: printed, stderr: '' });
  });
});
