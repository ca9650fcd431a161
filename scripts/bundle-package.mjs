// The last steps of npm run build: dist/package, the published part of dist. `lib` has the library,
// its subpaths, the program and the threads, bundled together to share code. `types` has the
// declarations. dist itself stays as tsc wrote it, file by file, for tests and benches.
//
// Unbundled, `gicollide check` loads 170 files and parses the whole library, which takes longer
// than Node's own start. From the bundle it loads only what it needs, in a few files.
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, brotliDecompressSync, constants } from 'node:zlib';
import { build, transform } from 'esbuild';
import { minifySync } from 'rolldown/utils';
import { loadedByKinds } from './bundle-kinds.mjs';
import { libraryEntries, nodeEntries, workers } from './entries.mjs';
import { joinChunks } from './join-chunks.mjs';
import { handedOn, libraryBundle } from './library-entries.mjs';
import { licences } from './licences.mjs';
import { marked } from './mark-pure.mjs';
import { sourcesDigest } from './sources-digest.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const PACKAGE_FOLDER = join(root, 'dist/package');
const compress = promisify(brotliCompress);

/**
 * Packages that stay outside of the bundle: native ones, ones that load files by name, ones that
 * differ in browsers, and rarely needed ones.
 */
const EXTERNAL = [
  ...['sharp', 'utif', 'pino', 'cli-progress', 'tinyglobby', 'piscina', 'chokidar', 'fflate', 'yaml'],
  ...['@gltf-transform/core', '@gltf-transform/extensions', 'meshoptimizer', 'three'],
];

/** Subpaths that register only the kinds that they need, or none. */
const KINDS = ['obb', 'kdop', 'gi', 'gi-browser', 'voxel', 'frep', 'solid', 'contacts'];

/** Subpaths of one kind, for pages. */
const CORE = ['obb', 'kdop', 'gi-browser', 'voxel', 'frep'];

/**
 * commander loads Node's modules by `require`, which ES modules don't have, and a helper for it
 * would be in every file. commander can also start programs as commands. This program has no such
 * commands, so Node need not load child_process.
 *
 * @type {import('esbuild').Plugin}
 */
const commanderAsModule = {
  name: 'commander as module',
  setup({ onLoad }) {
    onLoad({ filter: /node_modules.commander.lib.\w+\.js$/ }, ({ path }) => {
      const text = readFileSync(path, 'utf8')
        .replaceAll("require('node:child_process')", '{}')
        .replaceAll("require('node:", "globalThis.process.getBuiltinModule('node:");
      // Every run parses it. Names of classes and members stay.
      return { contents: minifySync(path, text, { compress: false, mangle: { toplevel: false } }).code };
    });
  },
};

/**
 * Parts that pages use without the rest. They are files of their own, because bundlers do not
 * always split a file. Targets of `import()` have their own file anyway.
 */
const APART = ['src/library.ts', 'src/build.ts'];

/** Entries that only split others. Their files are not imported. */
const NOT_WRITTEN = /-(registering|apart)\.js$/;

/** Options for writing a file. */
const WRITTEN = /** @type {const} */ ({
  // Names stay: --verbose shows them.
  minifySyntax: true,
  minifyWhitespace: true,
  // For an uncaught error, Node prints the whole line that throws.
  lineLimit: 160,
  legalComments: 'none', // LICENSES.txt has them
  charset: 'utf8',
  target: 'node20',
});

/** The library and the program; esbuild makes a file for each set of entries that share code. */
async function bundle() {
  const entries = Object.entries(libraryEntries());
  const library = libraryBundle(root, Object.fromEntries(entries.filter(([name]) => !KINDS.includes(name))));
  const { metafile, outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: {
      ...library.entryPoints,
      ...Object.fromEntries(entries.filter(([name]) => KINDS.includes(name))),
      program: 'src/cli/program.ts',
      ...Object.fromEntries(APART.map((file, i) => [`${i}-apart`, file])),
      ...workers(),
    },
    outdir: 'dist/package/lib',
    bundle: true,
    splitting: true,
    chunkNames: 'chunk-[name]-[hash]',
    format: 'esm',
    platform: 'node',
    target: 'node20',
    external: [...EXTERNAL],
    define: { PROGRAM_DIGEST: JSON.stringify(sourcesDigest(root)) },
    legalComments: 'none',
    charset: 'utf8',
    write: false,
    metafile: true,
    tsconfigRaw: {}, // ours leads `gicollide` to src/
    logLevel: 'warning',
    plugins: [library.plugin, commanderAsModule],
  });
  const outputs = Object.entries(metafile.outputs).map(([file, { entryPoint, inputs }]) => ({
    name: basename(file),
    root: entryPoint,
    isApart: APART.some((module) => module in inputs),
    text: outputFiles.find(({ path }) => basename(path) === basename(file))?.text ?? '',
  }));
  return { inputs: Object.keys(metafile.inputs), files: outputs.filter(({ name }) => !NOT_WRITTEN.test(name)) };
}

/** Writes `lib`. */
export async function bundleLibrary(folder = join(PACKAGE_FOLDER, 'lib')) {
  const { inputs, files } = await bundle();
  // Only for the program: a page has all kinds that it needs.
  const unseen = loadedByKinds(root);
  const lost = unseen.find((module) => !files.some((file) => file.root === module));
  if (lost) throw new Error(`expected an output file for ${lost}`);
  const joined = await joinChunks(files, {
    unseen,
    library: Object.keys(libraryEntries()),
    core: CORE,
    node: nodeEntries(),
  });
  const hidden = joined.flatMap(({ name, roots }) =>
    roots.some((module) => unseen.includes(module)) ? [`./${name}`] : [],
  );
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const { name, text } of joined) {
    if (text.includes('Dynamic require of')) throw new Error(`${name}: a bundled package uses require`);
    writeFileSync(join(folder, name), marked(handedOn((await transform(text, WRITTEN)).code), hidden));
  }
  writeFileSync(join(folder, 'LICENSES.txt'), licences(inputs));
}

/**
 * Declarations for TypeScript from 4.9 on. Typed arrays have no parameter before 5.7, and paths end
 * with `.js` before 5.0.
 *
 * @param {string} text
 */
const forOldCompilers = (text) =>
  text
    .replaceAll(
      /\b((?:Uint|Int|Float|BigInt|BigUint)\d+(?:Clamped)?Array)<(?:ArrayBufferLike|ArrayBuffer|SharedArrayBuffer)>/g,
      '$1',
    )
    .replaceAll(/((?:from|import\() ?["']\.[^"']+)\.ts(["'])/g, '$1.js$2');

/** Copies the declarations of the library's entries and their imports, as tsc wrote them. */
export function copyTypes(folder = join(PACKAGE_FOLDER, 'types')) {
  rmSync(folder, { recursive: true, force: true });
  const files = new Set(
    Object.values(libraryEntries()).map((file) => file.replace(/^src./, '').replace(/\.ts$/, '.d.ts')),
  );
  for (const file of files) {
    const text = readFileSync(join(root, 'dist', file), 'utf8');
    for (const [, target] of text.matchAll(/(?:from|import\() ?["'](\.[^"']+)\.[jt]s["']/g))
      files.add(`${join(dirname(file), target)}.d.ts`);
    mkdirSync(join(folder, dirname(file)), { recursive: true });
    writeFileSync(join(folder, file), forOldCompilers(text));
  }
}

/** The viewer's page, compressed better than in a tarball, and the licenses of its code. */
export async function packPage() {
  const folder = join(PACKAGE_FOLDER, 'viewer');
  const target = join(folder, 'page.html.br');
  const page = readFileSync(join(root, 'dist/viewer/page.html'));
  mkdirSync(folder, { recursive: true });
  cpSync(join(root, 'dist/viewer/LICENSES.txt'), join(folder, 'LICENSES.txt'));
  // Compression takes two seconds.
  if (existsSync(target) && brotliDecompressSync(readFileSync(target)).equals(page)) return;
  writeFileSync(target, await compress(page, { params: { [constants.BROTLI_PARAM_LGWIN]: 22 } }));
}
