/** The library as a browser gets it: bundled, in a context that has no DOM and nothing of Node, beside the library in Node. */
import { readFileSync } from 'node:fs';
import { createContext, runInContext } from 'node:vm';
import { beforeAll, describe, expect, test } from 'vitest';
import { bundleBrowser } from '../scripts/bundle-browser.mjs';
import {
  type Asset,
  build,
  type CheckOptions,
  check,
  compose,
  type Report,
  read,
  readObj,
  rotation,
  translation,
  write,
} from '../src/index.ts';
import type { ObbTree } from '../src/representations/obb/tree/obb-tree.ts';
import { verifyObbTree } from '../src/representations/obb/tree/verify.ts';
import { long } from './support/long.ts';
import { seeded } from './support/random.ts';

/** All that the bundle may use beside the language itself; every worker of a browser has it. */
const WORKER_GLOBALS = { CompressionStream, crypto, DecompressionStream, performance, TextDecoder, TextEncoder };

/** No eval either: pages may forbid it. */
const context = createContext({ ...WORKER_GLOBALS }, { codeGeneration: { strings: false, wasm: false } });
const inContext = (code: string) => runInContext(code, context);

/** What the bundle exports; its classes and arrays are the context's own. */
let browser: typeof import('../src/browser.ts');
/** Bytes as an array of the context, as a worker would have them. */
const handOver = (bytes: Uint8Array): Uint8Array => inContext('(numbers) => Uint8Array.from(numbers)')(bytes);
/** Compared as text: an array of another context equals none of this one. */
const textOf = ({ ms, ...report }: Report): string => JSON.stringify(report);

const meshOf = (name: string) => readObj(readFileSync(new URL(`../assets/${name}.obj`, import.meta.url)));
const files: Record<string, Uint8Array> = {};
const nodes: Record<string, Asset> = {};
const browsers: Record<string, Asset> = {};

beforeAll(async () => {
  inContext(await bundleBrowser({ name: 'gicollide' }));
  browser = inContext('gicollide');
  const bolt = build(meshOf('bolt'), { size: long ? 33 : 17 });
  const bunny = build(meshOf('bunny'), { size: long ? 33 : 17 });
  for (const compression of ['none', 'lzw', 'deflate'] as const) {
    files[`bolt-${compression}.tiff`] = await write(bolt, { compression });
    files[`bunny-${compression}.tiff`] = await write(bunny, { compression });
  }
  files['bunny.obb'] = await write(build(meshOf('bunny'), { format: 'obb', nodeBytes: 20 }));
  files['bolt.kdop'] = await write(build(meshOf('bolt'), { format: 'kdop', k: 18 }));
  for (const [name, bytes] of Object.entries(files)) {
    nodes[name] = (await read(bytes)).asset;
    browsers[name] = (await browser.read(handOver(bytes))).asset;
  }
});

test('the context has nothing of a page or of Node', () => {
  const names = ['window', 'self', 'document', 'navigator', 'process', 'Buffer', 'require', 'module', 'global'];
  for (const name of names) expect(inContext(`typeof ${name}`), name).toBe('undefined');
  expect(browser.read).not.toBe(read);
  expect(inContext('gicollide.utifCodec.name')).toBe('utif');
});

test.each([
  ['node:fs', "import 'node:fs';"],
  ['zlib', "import 'zlib';"],
  ['sharp', "export { sharpCodec } from './src/containers/pixels-sharp.ts';"],
])('what imports %s is not bundled', async (name, source) => {
  await expect(bundleBrowser({ source })).rejects.toThrow(`no browser has ${name}`);
});

type Triple = [number, number, number];

const PAIRS = [
  ['bunny-none.tiff', 'bolt-none.tiff'],
  ['bunny-lzw.tiff', 'bolt-lzw.tiff'],
  ['bunny-deflate.tiff', 'bolt-deflate.tiff'],
  ['bunny.obb', 'bolt-deflate.tiff'],
  ['bunny.obb', 'bolt.kdop'],
  ['bunny.obb', 'bunny.obb'],
  ['bolt.kdop', 'bolt.kdop'],
];

const POSES = long ? 12 : 6;

test.each(PAIRS)(
  `%s and %s: the verdict and every contact are those of Node under ${POSES} poses, seed 1`,
  { tags: ['all', 'long'] },
  (a, b) => {
    const random = seeded(1);
    const verdicts: Record<string, number> = { clear: 0, contact: 0 };
    for (let k = 0; k < POSES; k++) {
      const shift = [0, 0, 0].map(() => random.between(-0.6, 0.6));
      const axis = [0, 0, 0].map(() => random.between(-1, 1));
      const options: CheckOptions = {
        poseB: compose(translation(...(shift as Triple)), rotation(...(axis as Triple), random.between(0, 360))),
        all: k % 2 === 0,
        maxContacts: 1_000_000,
      };
      const expected = check(nodes[a], nodes[b], options);
      expect(textOf(browser.check(browsers[a], browsers[b], options))).toBe(textOf(expected));
      verdicts[expected.verdict]++;
    }
    expect(verdicts.clear).toBeGreaterThan(long ? 2 : 0);
    expect(verdicts.contact).toBeGreaterThan(long ? 2 : 0);
  },
);

test('distance, witness points and clearance are those of Node', () => {
  for (const options of [
    { distance: true },
    { clearance: 0.04 },
    { clearance: 0.095, all: true, contactPoints: true },
  ]) {
    const query = { ...options, poseB: translation(0.55, 0.1, 0) };
    const expected = check(nodes['bunny.obb'], nodes['bolt-lzw.tiff'], query);
    expect(textOf(browser.check(browsers['bunny.obb'], browsers['bolt-lzw.tiff'], query))).toBe(textOf(expected));
  }
});

test('a page that forbids WebAssembly builds neither images nor k-DOP trees, and says so', { tags: ['all'] }, () => {
  const box = readFileSync(new URL('../assets/box.obj', import.meta.url));
  const mesh = browser.readObj(handOver(box));
  for (const options of [{ size: 17, charts: 'one' }, { format: 'kdop' }] as const) {
    expect(() => browser.build(mesh, options)).toThrow(/in WebAssembly, which is missing here/);
  }
});

test('a page that forbids WebAssembly builds OBB trees that hold their mesh', { tags: ['all'] }, async () => {
  const box = readFileSync(new URL('../assets/box.obj', import.meta.url));
  const bytes = await browser.write(browser.build(browser.readObj(handOver(box)), { format: 'obb' }));
  const { asset } = await read(Uint8Array.from(bytes));
  expect(verifyObbTree(asset as ObbTree).problems).toEqual([]);
  expect(check(asset, asset, { poseB: translation(0.5, 0, 0) }).verdict).toBe('contact');
  expect(check(asset, asset, { poseB: translation(50, 0, 0) }).verdict).toBe('clear');
});

describe('a damaged file is refused in the browser, too:', () => {
  const names = ['bunny-none.tiff', 'bunny-lzw.tiff', 'bunny-deflate.tiff', 'bunny.obb', 'bolt.kdop'];
  const damages: [string, (bytes: Uint8Array) => Uint8Array][] = [
    ['cut in half', (bytes) => bytes.slice(0, bytes.length >> 1)],
    ['with a byte changed in the middle', (bytes) => bytes.with(bytes.length >> 1, bytes[bytes.length >> 1] ^ 1)],
    ['with the first byte changed', (bytes) => bytes.with(0, 0)],
    ['empty', () => new Uint8Array(0)],
  ];
  test.each(names.flatMap((name) => damages.map(([what, damage]) => [name, what, damage] as const)))(
    '%s, %s',
    async (name, _what, damage) => {
      const damaged = damage(files[name]);
      await expect(read(damaged)).rejects.toHaveProperty('name', 'FormatError');
      const error = await browser.read(handOver(damaged)).catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(browser.FormatError);
      expect(String(error)).toMatch(/^FormatError: [^\n]+ found [^\n]+$/);
    },
  );
});
