// npm run bundle -> out/gicollide.browser.js: the package for a page or a worker as one ES module,
// with its size. It bundles what `import 'gicollide'` resolves to in a browser, so dist must be
// compiled.
import { mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

/**
 * Refuses every import that no browser has, used or not. esbuild prints its place.
 *
 * @type {import('esbuild').Plugin}
 */
const browserOnly = {
  name: 'browser only',
  setup({ onResolve }) {
    onResolve({ filter: /^[^./]/ }, ({ path }) => {
      const isNative = isBuiltin(path) || /^(sharp|@img)(\/|$)/.test(path);
      return isNative ? { errors: [{ text: `no browser has ${path}` }] } : undefined;
    });
  },
};

/**
 * The package's entry for browsers, minified.
 *
 * @param {{ source?: string, name?: string }} options an ES module, or with `name` a script that
 *   defines that one global; `source` is what is bundled instead
 * @throws where something imports sharp or a module of Node
 */
export async function bundleBrowser({ source = "export * from 'gicollide';", name } = {}) {
  const { outputFiles } = await build({
    stdin: { contents: source, resolveDir: fileURLToPath(new URL('..', import.meta.url)) },
    bundle: true,
    ...(name ? { format: 'iife', globalName: name } : { format: 'esm' }),
    platform: 'browser',
    target: 'es2022',
    minify: true,
    write: false,
    tsconfigRaw: {}, // ours leads `gicollide` to src/
    logLevel: 'silent', // what is wrong is in the error
    plugins: [browserOnly],
  });
  return outputFiles[0].text;
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const text = await bundleBrowser();
  mkdirSync(new URL('../out/', import.meta.url), { recursive: true });
  writeFileSync(new URL('../out/gicollide.browser.js', import.meta.url), text);
  console.log(`out/gicollide.browser.js: ${Buffer.byteLength(text)} bytes, ${gzipSync(text).length} compressed`);
}
