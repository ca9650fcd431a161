/** Where sharp is not installed, or has no binary: images are read and written all the same, with one warning. */
// @module-tag long
import { spawn } from 'node:child_process';
import { copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { build, read, write } from '../../src/index.ts';
import { assets, ended, expectFailure, infoOf, makeFolder, run } from '../support/cli.ts';
import { long } from '../support/long.ts';
import { icosphere } from '../support/shapes.ts';

const cwd = makeFolder();
const library = new URL('../../dist/index.js', import.meta.url).href;

/** Resolves no import of sharp, as where it is not installed. */
const hooks = `export function resolve(name, context, next) {
  if (name !== 'sharp') return next(name, context);
  throw Object.assign(new Error("Cannot find package 'sharp'"), { code: 'ERR_MODULE_NOT_FOUND' });
}`;
const NOT_INSTALLED = `import { register } from 'node:module';
  register(${JSON.stringify(`data:text/javascript,${encodeURIComponent(hooks)}`)});`;
/** sharp is there, and its binary cannot be loaded. */
const NO_BINARY = 'process.dlopen = () => { throw new Error("no such instruction") };';

const WARNING = /^warning: images are read and written without sharp, [^\n]*it cannot be loaded \([^\n]*\)\n$/;

beforeAll(async () => {
  copyFileSync(join(assets, 'box.obj'), join(cwd, 'box.obj'));
  const image = build(icosphere(2), { size: 17 });
  writeFileSync(join(cwd, 'ball.tiff'), await write(image));
  writeFileSync(join(cwd, 'lzw.tiff'), await write(image, { compression: 'lzw' }));
});

/** Built with sharp, once, and what info says of its content. */
let bySharp: Promise<{ bytes: Buffer; content: unknown }> | undefined;
async function buildBySharp() {
  const args = ['build', 'box.obj', '--size', '17', '-o', 'by.tiff'];
  expect(await run(args, { cwd })).toMatchObject({ code: 0, stderr: '' });
  return { bytes: readFileSync(join(cwd, 'by.tiff')), content: (await infoOf(cwd, 'by.tiff')).content };
}

describe.concurrent.each([
  ['not installed', NOT_INSTALLED],
  ['no binary', NO_BINARY],
])('%s', (what, preload) => {
  const buildBox = (name: string) => ['build', 'box.obj', '--size', '17', '-o', `${name}.tiff`];
  const name = what.replace(' ', '-');
  /** In the short run one of the two says the rest: both meet the same loader. */
  const whole = long || what === 'not installed';

  test('build writes the same image, verify, check and info read it, with one warning', async () => {
    if (whole) {
      const without = `${name}-without.tiff`;
      const built = await run(buildBox(`${name}-without`), { cwd, preload });
      expect(built.code).toBe(0);
      expect(built.stderr).toMatch(WARNING);
      const by = await (bySharp ??= buildBySharp());
      expect((await infoOf(cwd, without)).content).toEqual(by.content);
      expect((await read(readFileSync(join(cwd, without)))).asset).toEqual((await read(by.bytes)).asset);
    }
    const check = await run(['check', 'lzw.tiff', 'lzw.tiff', '--json'], { cwd, preload });
    expect(check.stderr).toMatch(WARNING);
    expect(check.code).toBe(1);
    if (!whole) return;
    expect(await run(['verify', 'lzw.tiff', '--quiet'], { cwd, preload })).toMatchObject({ code: 0, stderr: '' });
    // What is decoded without sharp anyway warns of nothing.
    expect(await run(['check', 'ball.tiff', 'ball.tiff'], { cwd, preload })).toMatchObject({ code: 1, stderr: '' });
  });

  test.runIf(whole)('what takes sharp says so in one line', async () => {
    const lzw = await run([...buildBox(`${name}-lzw`), '--compression', 'lzw', '--log-level', 'error'], {
      cwd,
      preload,
    });
    expectFailure(lzw, 'box.obj: compression lzw needs sharp, which is not installed: choose deflate or none');
    const picture = await run(['info', 'ball.tiff', '--png', `${name}.png`], { cwd, preload });
    expectFailure(picture, /^a picture needs the package sharp, which cannot be loaded \(.+\)$/);
    expect(existsSync(join(cwd, `${name}.png`))).toBe(false);
  });

  test.runIf(whole)('the library: the same asset, and one warning of the process', async () => {
    const source = `
      import { readFileSync, writeFileSync } from 'node:fs';
      import { read, utifCodec, write } from '${library}';
      const { asset } = await read(readFileSync('lzw.tiff'));
      writeFileSync('${name}-library.tiff', await write(asset));
      console.log(utifCodec.name, (await read(readFileSync('${name}-library.tiff'))).asset.quads);`;
    const node = [
      '--import',
      `data:text/javascript,${encodeURIComponent(preload)}`,
      '--input-type=module',
      '-e',
      source,
    ];
    const child = spawn(process.execPath, node, { cwd });
    child.stdin.end();
    const { code, stdout, stderr } = await ended(child);
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'utif 256\n' });
    expect(stderr.match(/GICOLLIDE_NO_SHARP\] Warning: images are read and written without sharp/g)).toHaveLength(1);
    const { asset } = await read(readFileSync(join(cwd, `${name}-library.tiff`)));
    expect(asset).toEqual((await read(readFileSync(join(cwd, 'ball.tiff')))).asset);
  });
});
