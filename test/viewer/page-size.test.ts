/** The page as one file: what it weighs, what is in it, and that its policy lets in its own script and style alone. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { bundleViewer } from '../../scripts/bundle-viewer.mjs';

const page = await bundleViewer();
const BUDGET = 388_000;

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

test('at most 388 KB compressed, with everything', () => {
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

test('its policy names the one script and the one style that it has', () => {
  const [, policy] = /http-equiv="Content-Security-Policy" content="([^"]+)"/.exec(page.html) ?? [];
  const hashOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
  const scripts = [...page.html.matchAll(/<script>([\s\S]*?)<\/script>/g)].map(([, text]) => text);
  const styles = [...page.html.matchAll(/<style>([\s\S]*?)<\/style>/g)].map(([, text]) => text);
  expect([scripts.length, styles.length]).toEqual([1, 1]);
  expect(policy).toMatch(/^default-src 'none'; /);
  expect(policy).toContain(`script-src ${hashOf(scripts[0])} 'wasm-unsafe-eval';`);
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
