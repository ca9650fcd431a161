/** The page as one file: its size, its content, and its policy. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { bundleViewer } from '../../scripts/bundle-viewer.mjs';

// Its types are those of a page.
const path = '../../src/viewer/page/unpack.ts';
const { unpack } = await import(/* @vite-ignore */ path);

const page = await bundleViewer();
const BUDGET = 350_000;

/** What the page is made of, the largest first: packages, and our own folders. */
function shares(): [string, number][] {
  const sums = new Map<string, number>();
  for (const [path, bytes] of Object.entries(page.parts)) {
    const [, name] = /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path) ?? [];
    const folder =
      name ??
      path
        .split('/')
        .slice(1, /^src\/(representations|viewer)/.test(path) ? 3 : 2)
        .join('/');
    sums.set(folder, (sums.get(folder) ?? 0) + bytes);
  }
  return [...sums].sort(([, a], [, b]) => b - a);
}

test('at most 350 KB compressed, with everything', () => {
  const lines = shares().map(([name, bytes]) => `${bytes} ${name}`);
  expect(page.gzip, `${page.gzip} bytes compressed, ${page.bytes} in all:\n${lines.join('\n')}`).toBeLessThan(BUDGET);
});

test('the same bytes again', async () => {
  expect((await bundleViewer()).html === page.html).toBe(true);
});

test('nothing that builds assets, reads meshes or checks what people write', () => {
  const paths = Object.keys(page.parts).filter((path) =>
    /^src\/(cli\/|readers\/(?!json-messages))|\/(gi|voxel|frep)\/build\/(?!update|quantise\.)|\/(zod|utif|pako|fflate)\//.test(
      path,
    ),
  );
  expect(paths).toEqual([]);
});

/** The packed block: the page's script and its worker's. */
function unpacked(): string[] {
  const [, count, text] = /id="worker" data-bytes="(\d+)">([\w+/=]+)<\/script>/.exec(page.html) ?? [];
  return new TextDecoder('utf-8', { fatal: true })
    .decode(unpack(Buffer.from(text, 'base64'), Number(count)))
    .split('\0');
}

test('its policy names the two scripts and the one style that it has', () => {
  const [, policy] = /http-equiv="Content-Security-Policy" content="([^"]+)"/.exec(page.html) ?? [];
  const hashOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
  const scripts = [...page.html.matchAll(/<script>([\s\S]*?)<\/script>/g)].map(([, text]) => text);
  const styles = [...page.html.matchAll(/<style>([\s\S]*?)<\/style>/g)].map(([, text]) => text);
  expect([scripts.length, styles.length, unpacked().length]).toEqual([1, 1, 2]);
  scripts.push(unpacked()[0]);
  expect(policy).toMatch(/^default-src 'none'; /);
  expect(policy).toContain(`script-src ${scripts.map(hashOf).join(' ')} 'wasm-unsafe-eval';`);
  expect(policy).toContain(`style-src ${hashOf(styles[0])};`);
});

test('what goes into it has its place before the script', () => {
  expect(page.html.split('<!--data-->')).toHaveLength(2);
  expect(page.html.indexOf('<!--data-->')).toBeLessThan(page.html.indexOf('<script>'));
  // An element that ends is the whole of its script, and nothing in it hides the end.
  expect(page.html.match(/<\/script/gi)).toHaveLength(2);
  expect(page.html.match(/<!--/g)).toHaveLength(1);
});

test('beside it stands whose code it has', () => {
  const text = readFileSync(new URL('../../dist/viewer/LICENSES.txt', import.meta.url), 'utf8');
  for (const name of ['three', 'robust-predicates']) expect(text).toMatch(new RegExp(`^${name} \\d`, 'm'));
});
