// The table of kinds (src/representations/kinds.ts) in bundles. The table loads code by import(). A
// bundler that follows these imports would include code that a page never needs, and could not
// split what the rest shares with it.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const TABLE = 'src/representations/kinds.ts';

/** A line of the table with an import(). */
const LOADER = /^ {4}(codec|code|builder): async \(\) => \(await import\('\.\/([\w/-]+\.ts)'\)\)\.(\w+),\n/gm;

/** @param {string} text */
function loadersOf(text) {
  const loaders = [...text.matchAll(LOADER)].map(([, member, file, name]) => ({ member, file, name }));
  if (loaders.length === 0 || loaders.length !== text.split('import(').length - 1)
    throw new Error(
      `${TABLE}: expected lines "codec: async () => (await import('./FILE')).NAME," and no other import()`,
    );
  return loaders;
}

/** The modules that the table loads, by their paths. @param {string} root @returns {string[]} */
export const loadedByKinds = (root) =>
  loadersOf(readFileSync(join(root, TABLE), 'utf8')).map(({ file }) => `src/representations/${file}`);

/**
 * The table without its import()s, except for these members, which are imported statically.
 *
 * @param {...('codec' | 'code')} members
 * @returns {import('esbuild').Plugin}
 */
export const kindsWith = (...members) => ({
  name: 'kinds',
  setup({ onLoad }) {
    onLoad({ filter: /src.representations.kinds\.ts$/ }, ({ path }) => {
      const text = readFileSync(path, 'utf8');
      const had = loadersOf(text).filter(({ member }) => members.some((name) => name === member));
      const imports = had.map(({ file, name }) => `import { ${name} } from './${file}';\n`).join('');
      const rows = text.replaceAll(LOADER, (_, member, file, name) =>
        had.some((loader) => loader.file === file && loader.name === name)
          ? `    ${member}: async () => ${name},\n`
          : '',
      );
      return { contents: imports + rows, loader: 'ts' };
    });
  },
});
