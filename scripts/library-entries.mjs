// The library's entries in the package. Exports that need assets of any kind come from a module
// that registers all kinds, once. Other exports are passed on unchanged. Bundlers drop a call
// marked as pure together with its unused export, so a page gets the kinds' code only if it uses
// assets.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * Exports whose modules reach the table of kinds, but that need no kind or register their own:
 * `read` registers codecs, `build` builders, `LiveChecker` OBB trees.
 */
const WITHOUT_KINDS = [
  'read',
  'write',
  'createLibrary',
  'build',
  'readMesh',
  'readMeshFile',
  'readScene',
  'readMotion',
  'VERDICTS',
  'representations',
  'DEFAULT_MAX_CONTACTS',
  'LiveChecker',
];
/** @param {string} root @param {string} file @returns {string} */
const sourceOf = (root, file) =>
  readFileSync(join(root, file), 'utf8').replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');

/**
 * Modules that a module imports by `import`, `export` or `import()`, without type imports.
 *
 * @param {string} root
 * @param {string} file
 */
function importsOf(root, file) {
  const text = sourceOf(root, file).replaceAll(/^(import|export) type [^;]*;/gm, '');
  return [...text.matchAll(/(?:from|import\()\s*'(\.[^']+\.ts)'/g)].map(([, path]) => join(dirname(file), path));
}

/** Finds out if a module leads to the table of kinds. */
class Reach {
  /** @type {Map<string, boolean>} */
  #known = new Map();
  /** @param {string} root */
  constructor(root) {
    this.root = root;
  }

  /** @param {string} file @returns {boolean} */
  leads(file) {
    const known = this.#known.get(file);
    if (known !== undefined) return known;
    this.#known.set(file, false);
    const answer =
      file === join('src', 'representations', 'kinds.ts') ||
      importsOf(this.root, file).some((path) => this.leads(path));
    this.#known.set(file, answer);
    return answer;
  }
}

/**
 * The values that a module exports, and the module that each is of.
 *
 * @param {string} root
 * @param {string} file
 * @returns {Map<string, string>}
 */
function exportsOf(root, file) {
  const text = sourceOf(root, file);
  /** @type {Map<string, string>} */
  const found = new Map();
  for (const [, path] of text.matchAll(/^export \* from '(\.[^']+)';/gm))
    for (const [name, origin] of exportsOf(root, join(dirname(file), path))) found.set(name, origin);
  for (const [, names, path] of text.matchAll(/^export \{([^}]*)\}(?: from '(\.[^']+)')?;/gm)) {
    for (const item of names.split(',').map((name) => name.trim())) {
      if (item === '' || item.startsWith('type ')) continue;
      found.set(/** @type {string} */ (item.split(' as ').at(-1)), path ? join(dirname(file), path) : file);
    }
  }
  for (const [, name] of text.matchAll(/^export (?:async )?(?:function\*?|const|let|class) (\w+)/gm))
    found.set(name, file);
  return found;
}

/**
 * An entry consists of two modules. One registers kinds and has the exports that need them. The
 * other re-exports it and all others, and has no code, so that bundlers see through it.
 *
 * @param {string} root
 * @param {string} file its module in src
 * @returns {{ entry: string, registering: string }} their texts
 */
export function entryTexts(root, file) {
  const reach = new Reach(root);
  const names = [...exportsOf(root, file)];
  const knowing = names.flatMap(([name, origin]) =>
    !WITHOUT_KINDS.includes(name) && reach.leads(origin) ? [name] : [],
  );
  const plain = names.flatMap(([name]) => (knowing.includes(name) ? [] : [name]));
  const path = JSON.stringify(`./${file.replaceAll('\\', '/')}`);
  return {
    entry: `export { ${plain.join(', ')} } from ${path};\nexport { ${knowing.join(', ')} } from ${REGISTERING};\n`,
    registering: [
      `import { registerKinds } from './src/representations/everything.ts';`,
      `import { ${knowing.map((name) => `${name} as ${name}_`).join(', ')} } from ${path};`,
      'const knowing = (value) => (registerKinds(), value);',
      ...knowing.map((name) => `export const ${name} = /* @__PURE__ */ knowing(${name}_);`),
    ].join('\n'),
  };
}

const REGISTERING = "'registering'";

/**
 * Bundles the library's entries as described above.
 *
 * @param {string} root
 * @param {Record<string, string>} entries their modules in src, by the names of their bundles
 * @returns {{ entryPoints: Record<string, string>, plugin: import('esbuild').Plugin }} the plugin takes
 *   them; of the `-registering` ones nobody needs the files
 */
export function libraryBundle(root, entries) {
  const files = Object.values(entries);
  const texts = new Map(files.map((file) => [file, entryTexts(root, file)]));
  return {
    entryPoints: Object.fromEntries(
      Object.entries(entries).flatMap(([name, file]) => [
        [name, `entry:${file}`],
        [`${name}-registering`, `registering:${file}`],
      ]),
    ),
    plugin: {
      name: 'library entries',
      setup({ onResolve, onLoad }) {
        onResolve({ filter: /^(entry|registering):/ }, ({ path }) => {
          const [namespace, file] = path.split(':');
          return { path: file, namespace };
        });
        onResolve({ filter: /^registering$/ }, ({ importer }) => ({ path: importer, namespace: 'registering' }));
        for (const kind of /** @type {const} */ (['entry', 'registering'])) {
          onLoad({ filter: /./, namespace: kind }, ({ path }) => ({
            contents: texts.get(path)?.[kind] ?? '',
            loader: 'js',
            resolveDir: root,
          }));
        }
      },
    },
  };
}

/**
 * Rewrites a file that only re-exports others as `export from`. esbuild writes imports and then
 * exports, which bundlers take for code of the file. A file with code stays as it is. Lists may
 * continue on the next line, as in the files written here.
 *
 * @param {string} text
 */
export function handedOn(text) {
  const IMPORT = /\s*import\s*(?:\{([^}]*)\}\s*from\s*)?("[^"]*");/y;
  /** @type {Map<string, { name: string, from: string }>} */
  const origins = new Map();
  let at = 0;
  for (let found = IMPORT.exec(text); found; found = IMPORT.exec(text)) {
    at = IMPORT.lastIndex;
    for (const item of found[1]?.split(',') ?? []) {
      const [name, local = name] = item.trim().split(/\s+as\s+/);
      origins.set(local, { name, from: found[2] });
    }
  }
  const rest = /^\s*export\s*\{([^}]*)\};\s*$/.exec(text.slice(at));
  if (!rest) return text;
  /** @type {Map<string, string[]>} */
  const lines = new Map();
  for (const item of rest[1].split(',')) {
    const [local, name = local] = item.trim().split(/\s+as\s+/);
    const origin = origins.get(local);
    if (!origin) return text;
    const line = lines.get(origin.from) ?? [];
    line.push(origin.name === name ? name : `${origin.name} as ${name}`);
    lines.set(origin.from, line);
  }
  return [...lines].map(([from, names]) => `export{${names}}from${from};\n`).join('');
}
