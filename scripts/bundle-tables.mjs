// The tables of kinds and of builders as bundles have them, each by who imports it. Who looks a kind
// up (registry.ts, builders.ts) finds its name and no code: the code is registered by what loads it
// when it is needed (loading.ts), by a subpath of one kind, or by the library's entries, which know
// all kinds (everything.ts) where an import needs them.
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';

/** A line of a table. */
const ENTRY = /^ {2}(\w+): \(\) => (\w+),$/gm;
const IMPORT = /^import \{ (\w+) \} from '(\.\/\w+\/[\w/]+\.ts)';\n/gm;

/** What each importer finds, by its name. */
const FOUND = { 'registry.ts': '?names', 'builders.ts': '?names', 'loading.ts': '?later', 'everything.ts': undefined };

/** @param {string} path @param {string} suffix */
function table(path, suffix) {
  const text = readFileSync(path, 'utf8');
  const files = new Map([...text.matchAll(IMPORT)].map(([, name, file]) => [name, file]));
  const contents = text
    .replaceAll(IMPORT, '')
    .replaceAll(ENTRY, (_, name, code) =>
      suffix === '?names'
        ? `  ${name}: () => undefined,`
        : `  ${name}: async () => (await import('${files.get(code)}')).${code},`,
    );
  if (files.size === 0 || [...text.matchAll(ENTRY)].some(([, , code]) => !files.has(code)))
    throw new Error(`${path}: expected an import of its own and a line name: () => code, of each kind`);
  return contents;
}

/** @type {import('esbuild').Plugin} */
export const tables = {
  name: 'tables',
  setup({ onResolve, onLoad, resolve }) {
    onResolve({ filter: /\/(builder-)?code\.ts$/ }, async ({ path, importer, resolveDir, kind, pluginData }) => {
      if (pluginData === tables || kind === 'entry-point') return undefined;
      const name = basename(importer);
      if (!(name in FOUND))
        throw new Error(`${importer}: imports ${path}, and scripts/bundle-tables.mjs knows nothing of it`);
      const found = await resolve(path, { importer, resolveDir, kind, pluginData: tables });
      return { ...found, suffix: FOUND[/** @type {keyof typeof FOUND} */ (name)] ?? '' };
    });
    onLoad({ filter: /[\\/](builder-)?code\.ts$/ }, ({ path, suffix }) =>
      suffix ? { contents: table(path, suffix), loader: 'ts' } : undefined,
    );
  },
};
