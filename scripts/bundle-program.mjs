// The end of npm run build: puts a bundle of the command line in the place of dist/cli/program.js.
// Unbundled, `gicollide check` loads 170 files and parses all that the library can, which takes
// longer than Node's own start; of the bundle it loads what it needs, in a few files. The library's
// modules in dist stay as tsc wrote them; the tests compile without this, over it, and so run the
// program file by file.
import { mkdirSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { licences } from './licences.mjs';
import { sourcesDigest } from './sources-digest.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const PROGRAM_FOLDER = join(root, 'dist/cli');
const CHUNK = /^chunk-.*\.js$/;

/** Packages that are native, that load files of their own by name, or that are seldom needed. */
const EXTERNAL = [
  ...['sharp', 'utif', 'pino', 'cli-progress', 'tinyglobby', 'piscina', 'chokidar'],
  ...['@gltf-transform/core', '@gltf-transform/extensions', 'meshoptimizer'],
];

/** @type {import('esbuild').Plugin} */
const onlyWhatIsNeeded = {
  name: 'only what is needed',
  setup({ onResolve, onLoad }) {
    // The tables of kinds and of builders, with code that is loaded when it is asked for, and without what reads and writes files.
    onLoad({ filter: /representations.(kinds|builders)\.ts$/ }, ({ path }) => {
      const text = readFileSync(path, 'utf8');
      const IMPORT = /^import \{ .* \} from '(\.\/\w+\/[\w/]+\.ts)';\n/gm;
      const imports = [...text.matchAll(IMPORT)];
      const ENTRY = /^ {2}(\w+): \(\) => (\w+),$/gm;
      const names = [...text.matchAll(ENTRY)].map(([, name]) => name);
      const contents = text
        .replaceAll(IMPORT, '')
        .replaceAll(/, format: \{[^}]+\}/g, '')
        .replaceAll(ENTRY, (_, name, code) => {
          const from = imports.find(([line]) => line.startsWith(`import { ${code} } `))?.[1];
          return `  ${name}: async () => (await import('${from}')).${code},`;
        });
      const left = contents.match(/await import\('\.|format: \{| from '\.\/\w+\//g) ?? [];
      if (names.length === 0 || left.length !== names.length) {
        throw new Error(`${path}: expected an import of its own and a line name: () => code, of each kind`);
      }
      return { contents, loader: 'ts' };
    });
    // The table of mesh formats, whose readers are loaded when a file is met: OBJ's, too.
    onLoad({ filter: /readers.formats\.ts$/ }, ({ path }) => {
      const text = readFileSync(path, 'utf8');
      const contents = text
        .replace("import { readObj } from './obj.ts';\n", '')
        .replace(/= readObj\(/, "= (await import('./obj.ts')).readObj(");
      if (/import .* from '\.\/obj\.ts'/.test(contents) || !contents.includes("await import('./obj.ts')"))
        throw new Error(`${path}: expected an import of readObj, and one call of it`);
      return { contents, loader: 'ts' };
    });
    // commander starts programs for commands that are files of their own, which ours are not: Node
    // need not load this for it.
    onResolve({ filter: /^node:child_process$/ }, ({ importer }) =>
      /node_modules.commander/.test(importer) ? { path: 'child_process', namespace: 'absent' } : undefined,
    );
    onLoad({ filter: /.*/, namespace: 'absent' }, () => ({ contents: 'export {};' }));
  },
};

/**
 * The modules that threads start with, by the names under which others look for them beside
 * themselves: in the bundle that is one folder.
 */
function workers() {
  /** @type {Record<string, string>} */
  const found = {};
  for (const file of readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.ts')) continue;
    const text = readFileSync(join(root, 'src', file), 'utf8');
    for (const [, name] of text.matchAll(/new URL\('\.\/([\w-]+)\.js', import\.meta\.url\)/g)) {
      const path = join('src', dirname(file), `${name}.ts`);
      if ((found[name] ?? path) !== path) throw new Error(`${path} and ${found[name]}: one name for two workers`);
      found[name] = path;
    }
  }
  return found;
}

/**
 * Writes program.js, the workers, and the files that these share, into a folder; returns esbuild's
 * account of what is in them.
 */
export async function bundleProgram(folder = PROGRAM_FOLDER) {
  mkdirSync(folder, { recursive: true });
  for (const name of readdirSync(folder)) if (CHUNK.test(name)) rmSync(join(folder, name));
  /** @satisfies {import('esbuild').BuildOptions} */
  const shared = /** @type {const} */ ({
    absWorkingDir: root,
    outdir: folder,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    external: [...EXTERNAL],
    define: { PROGRAM_DIGEST: JSON.stringify(sourcesDigest(root)) },
    // Names stay: --verbose shows them.
    minifySyntax: true,
    minifyWhitespace: true,
    // Of packages that are CommonJS, for what is Node's.
    banner: {
      js: "import{createRequire as requireFrom}from'node:module';const require=requireFrom(import.meta.url);",
    },
    metafile: true,
    logLevel: 'warning',
  });
  const all = Object.entries(workers());
  const isOfProgram = (/** @type {[string, string]} */ [, path]) => path.startsWith(join('src', 'cli'));
  const { metafile } = await build({
    ...shared,
    entryPoints: { program: 'src/cli/program.ts', ...Object.fromEntries(all.filter(isOfProgram)) },
    splitting: true,
    chunkNames: 'chunk-[name]-[hash]',
    plugins: [onlyWhatIsNeeded],
  });
  // The library's threads know the whole registry alone, so each is a file of its own, whole.
  const entryPoints = Object.fromEntries(all.filter((entry) => !isOfProgram(entry)));
  const threads = await build({ ...shared, entryPoints });
  const inputs = [metafile, threads.metafile].flatMap((each) => Object.keys(each.inputs));
  // Or tsc would take program.js for its own.
  if (folder === PROGRAM_FOLDER) rmSync(join(root, 'dist/.tsbuildinfo'), { force: true });
  writeFileSync(join(folder, 'LICENSES.txt'), licences(inputs));
  return metafile;
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) await bundleProgram();
