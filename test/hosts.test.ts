/** Hosts that lack globals of Node: imports need none of them, and digests need no Web Crypto. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { digestOf, sha256 } from '../src/containers/hash.ts';
import { ownSha256 } from '../src/containers/own-sha256.ts';
import { chromiumProgram, openPage } from './support/chromium.ts';
import { long } from './support/long.ts';
import { seeded } from './support/random.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

type Entry = { default: string; browser?: { default: string } };
const { exports } = JSON.parse(readFileSync(`${root}package.json`, 'utf8')) as { exports: Record<string, Entry> };
const entries = Object.values(exports).filter((entry) => typeof entry === 'object');
/** The files that pages, workers and apps import; Node's own entries keep `process`. */
const PORTABLE = entries.map((entry) => (entry.browser ?? entry).default);
const OF_NODE = entries.flatMap((entry) => (entry.browser ? [entry.default] : []));

/** React Native and jsdom lack the first two, Cloudflare Workers had no third; others are rarer. */
const LACKING = [
  ...['TextDecoder', 'TextEncoder', 'FinalizationRegistry', 'WeakRef', 'structuredClone', 'SharedArrayBuffer'],
  ...['crypto', 'performance', 'WebAssembly', 'Worker', 'Blob', 'fetch', 'atob', 'btoa', 'navigator', 'queueMicrotask'],
  ...['CompressionStream', 'DecompressionStream', 'AbortController', 'MessageChannel', 'Buffer'],
];

/** Imports files in a new process without some globals; then runs a script there. */
async function importedWithout(lacking: string[], files: string[], script = ''): Promise<string> {
  const code = `
    const { log } = console;
    for (const name of ${JSON.stringify(lacking)}) {
      delete globalThis[name];
      if (name in globalThis) throw new Error(name + ' is still there');
    }
    for (const file of ${JSON.stringify(files)}) await import(file);
    ${script}
    log('done');`;
  const args = ['--input-type=module', '--eval', code];
  return (await promisify(execFile)(process.execPath, args, { cwd: root })).stdout;
}

describe('the package is imported', () => {
  test.each(PORTABLE)('%s, without what hosts lack', { tags: ['all'] }, async (file) => {
    expect(await importedWithout([...LACKING, 'process'], [file])).toBe('done\n');
  });

  test.each(OF_NODE)('%s, with process alone', { tags: ['all'] }, async (file) => {
    const lacking = LACKING.filter((name) => !['Buffer', 'WebAssembly', 'AbortController'].includes(name));
    expect(await importedWithout(lacking, [file])).toBe('done\n');
  });

  test('and answers without FinalizationRegistry', async () => {
    const script = `
      const { build, check, readObj, translation } = await import('./dist/package/lib/browser.js');
      const { readFileSync } = await import('node:fs');
      const tree = build(readObj(readFileSync('assets/box.obj')), { format: 'obb' });
      log(check(tree, tree, { poseB: translation(9, 0, 0) }).verdict, check(tree, tree).verdict);`;
    const lacking = ['FinalizationRegistry', 'WeakRef'];
    expect(await importedWithout(lacking, PORTABLE, script)).toBe('clear contact\ndone\n');
  });
});

const expected = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

test('our SHA-256 is that of node:crypto: all lengths up to 300, and random ones, seed 43', () => {
  const random = seeded(43);
  const bytes = Uint8Array.from({ length: 100_000 }, () => random.between(0, 256));
  for (let length = 0; length <= 300; length++) {
    const part = bytes.subarray(length, 2 * length);
    expect(hex(ownSha256(part)), `${length} bytes`).toBe(expected(part));
  }
  for (let k = 0; k < (long ? 2000 : 40); k++) {
    const from = Math.floor(random.between(0, bytes.length));
    const part = bytes.subarray(from, Math.floor(random.between(from, bytes.length + 1)));
    expect(hex(ownSha256(part)), `${part.length} bytes from ${from}`).toBe(expected(part));
  }
});

test('the number of bits may exceed 32 bits', { tags: ['long'] }, () => {
  const bytes = new Uint8Array(2 ** 29 + 5).fill(7);
  expect(hex(ownSha256(bytes))).toBe(expected(bytes));
});

describe('without crypto.subtle', () => {
  test.each([
    ['crypto lacks it', {}],
    ['there is no crypto', undefined],
  ])('a digest is the same: %s', async (_, crypto) => {
    const own = Object.getOwnPropertyDescriptor(globalThis, 'crypto')!;
    Object.defineProperty(globalThis, 'crypto', { value: crypto, configurable: true });
    try {
      const bytes = Uint8Array.of(1, 2, 3);
      expect(await sha256(bytes)).toBe(expected(bytes));
      expect(hex(await digestOf(bytes))).toBe(expected(bytes));
    } finally {
      Object.defineProperty(globalThis, 'crypto', own);
    }
  });

  const testInPage = chromiumProgram ? test : test.skip;
  testInPage('a page of plain http reads and writes', { tags: ['all'] }, async () => {
    const { page, close } = await openPage('plain.test');
    try {
      const obj = readFileSync(`${root}assets/box.obj`, 'utf8');
      const found = await page.evaluate(async (text) => {
        const { gicollide } = globalThis as unknown as { gicollide: typeof import('../src/browser.ts') };
        const tree = gicollide.build(gicollide.readObj(new TextEncoder().encode(text)), { format: 'obb' });
        const bytes = await gicollide.write(tree);
        const { asset } = await gicollide.read(bytes);
        const { verdict } = gicollide.check(tree, asset);
        return {
          isSecure: (globalThis as { isSecureContext?: boolean }).isSecureContext,
          subtle: typeof crypto.subtle,
          verdict,
          bytes: Array.from(bytes),
        };
      }, obj);
      expect(found).toMatchObject({ isSecure: false, subtle: 'undefined', verdict: 'contact' });
      const { build, readObj, write } = await import('../src/index.ts');
      const here = await write(build(readObj(Buffer.from(obj)), { format: 'obb' }));
      expect(hex(Uint8Array.from(found.bytes))).toBe(hex(here));
    } finally {
      await close();
    }
  });
});
