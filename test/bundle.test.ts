/** What a page pays: the size of what esbuild makes of an import of the package, and what it leaves for later. */
import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { describe, expect, test } from 'vitest';
import { kindsWith } from '../scripts/bundle-kinds.mjs';
import { libraryBundle } from '../scripts/library-entries.mjs';
import { some } from './support/long.ts';

/** The package in folders of a bundle's inputs: `zod`, `utif`, `ours` for this one. */
const PACKAGE = /node_modules\/((?:@[^/]+\/)?[^/]+)/;

const root = fileURLToPath(new URL('..', import.meta.url));
/** The modules of src as the package has them, each by itself. */
const MODULES = 'entry:src/browser.ts';
const modules = [libraryBundle(root, { browser: 'src/browser.ts' }).plugin, kindsWith()];

/** Bundles some names for a page, minified: of the modules, or of the package; chunks that are imported on demand are files of their own. */
async function makeBundle(names: string, from: string, splitting: boolean) {
  const { metafile, outputFiles } = await build({
    stdin: {
      contents: `export { ${names} } from '${from}';`,
      resolveDir: root,
    },
    bundle: true,
    splitting,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    minify: true,
    write: false,
    outdir: 'out',
    metafile: true,
    tsconfigRaw: {}, // ours leads `gicollide` to src/
    logLevel: 'silent',
    plugins: from === MODULES ? modules : [],
  });
  const all = Object.entries(metafile.outputs);
  /** The entry, and what it loads at once. */
  const first = new Set(all.filter(([, { entryPoint }]) => entryPoint === '<stdin>').map(([file]) => file));
  for (const file of first) {
    for (const { path, kind } of metafile.outputs[file].imports) if (kind === 'import-statement') first.add(path);
  }
  const packages = (at: 'once' | 'later') => {
    const inputs = all
      .filter(([file]) => first.has(file) === (at === 'once'))
      .flatMap(([, { inputs }]) => Object.keys(inputs));
    return [...new Set(inputs.map((input) => PACKAGE.exec(input)?.[1] ?? 'ours'))].sort();
  };
  const files = all.filter(([file]) => first.has(file)).flatMap(([, { inputs }]) => Object.keys(inputs));
  const texts = outputFiles.filter(({ path }) => [...first].some((file) => path.endsWith(basename(file))));
  return {
    bytes: all.reduce((sum, [file, { bytes }]) => sum + (first.has(file) ? bytes : 0), 0),
    gzip: texts.reduce((sum, { contents }) => sum + gzipSync(contents).length, 0),
    packages,
    files,
  };
}

const bundles = new Map<string, ReturnType<typeof makeBundle>>();

/** A bundle of some names, which all tests share. */
function bundle(names: string, from = MODULES, splitting = true): ReturnType<typeof makeBundle> {
  const key = `${names} ${from} ${splitting}`;
  const known = bundles.get(key) ?? makeBundle(names, from, splitting);
  bundles.set(key, known);
  return known;
}

describe('what is imported is all that is bundled', () => {
  test.each(
    some(2, [
      // Splitting puts modules whole into one chunk that readers, which come later, use, too: poses, errors, and who says what was wrong with an argument.
      ['translation', 2950],
      // 7 KB are earcut's, 5 those of the sweep that relieves it; 1 refuses unknown options.
      ['readObj', 50_000],
      ['trianglesIntersect', 20_000],
    ] as const),
  )('%s: at most %i bytes', { tags: ['quick', 'long'] }, async (name, most) => {
    expect((await bundle(name)).bytes).toBeLessThan(most);
  });
});

describe.each(some(1, ['read', 'write']))('%s', (name) => {
  test('is what knows the files of all kinds, at most 81 KB, and utif when pixels are met', {
    tags: ['quick', 'long'],
  }, async () => {
    const { bytes, packages } = await bundle(name);
    expect(bytes).toBeLessThan(81_000);
    expect(packages('once')).toEqual(['ours']);
    // And what readMesh loads when it meets a format.
    expect(packages('later')).toEqual(expect.arrayContaining(['pako', 'utif']));
  });
});

test('check, which answers at once, takes the code of all kinds, and neither utif nor zod', {
  tags: ['long'],
}, async () => {
  const [alone, both] = [await bundle('check'), await bundle('read, write, check')];
  expect(alone.packages('once')).toEqual(['ours', 'robust-predicates']);
  expect(both.packages('once')).toEqual(['ours', 'robust-predicates']);
  // What reads and writes files: who only asks has none of it.
  expect(both.bytes - alone.bytes).toBeLessThan(39_400);
});

describe('who asks about assets loads nothing that builds them', () => {
  /** Beside what geometry images are updated by, and trees over surfaces. */
  const BUILDERS = /representations\/(gi\/build\/(?!update|quantise\.)|voxel\/build|frep\/build)/;

  test.each(
    some(1, [
      // 116 KB of the kernels, 8 of what closes the seams of coarser atlases, 7 of what asks of sources.
      ['check', 590_000],
      ['prepare, read', 553_500],
      // With what proves that nothing meets between two frames. Loaded on demand it would be an entry
      // of its own: what it shares with others is then kept whole, and `build` has 693 KB, not 362.
      ['createScene', 717_000],
    ] as const),
  )('%s: at most %i bytes', { tags: ['long'] }, async (names, most) => {
    const { bytes, files } = await bundle(names);
    expect(bytes).toBeLessThan(most);
    expect(files.filter((file) => BUILDERS.test(file))).toEqual([]);
  });

  test('and who builds them loads nothing that answers', { tags: ['all'] }, async () => {
    const { bytes, files } = await bundle('build, readObj');
    // 472 KB: images choose their size, cut along creases, fit, slide samples and have two kernels;
    // formulas of F-reps are proved to have values, by the bounds of cells.
    expect(bytes).toBeLessThan(475_000);
    expect(files.filter((file) => /representations\/\w+\/search/.test(file))).toEqual([]);
  });
});

test('zod comes with readFrep, which is synchronous, and with nothing else', { tags: ['long'] }, async () => {
  expect((await bundle('readFrep')).packages('once')).toContain('zod');
  // All of them at once take what each takes.
  expect((await bundle('build, prepare, openImage, readObj')).packages('once')).not.toContain('zod');
});

describe('the package, whose files hold many modules each', () => {
  test.each(
    some(3, [
      // Of an OBB tree's file and the search, without kernels, solids and what builds.
      ['read, prepare', 'gicollide/obb', 40_000],
      ['translation', 'gicollide', 1024],
      ['translation', 'gicollide/obb', 1024],
      // 3 KB more since files are joined that the program loads together (scripts/join-chunks.mjs).
      ['read', 'gicollide', 39_700],
      ['check', 'gicollide', 258_000],
      // Neither solids nor patches.
      ['prepare', 'gicollide', 207_500],
      // 16 KB are the kernel that searches; neither other kinds nor what builds.
      ['check', 'gicollide/obb', 53_500],
      ['build', 'gicollide/obb', 26_200],
      ['check', 'gicollide/gi', 82_000],
      ['build, readObj', 'gicollide', 192_000],
      ['createScene', 'gicollide/scene', 289_500],
    ] as const),
  )('%s of %s: at most %i bytes, compressed', { tags: ['quick', 'long'] }, async (names, from, most) => {
    expect((await bundle(names, from, names !== 'translation')).gzip).toBeLessThanOrEqual(most);
  });

  test('lines that Node may show with an error that nobody catches are short', () => {
    const folder = new URL('../dist/package/lib/', import.meta.url);
    const scripts = readdirSync(folder).filter((name) => name.endsWith('.js'));
    const lines = scripts.flatMap((name) => readFileSync(new URL(name, folder), 'utf8').split('\n'));
    expect(lines.filter(({ length }) => length > 2000)).toEqual([]);
    expect(lines.length).toBeGreaterThan(10_000);
  });

  test('a subpath of one kind has nothing of the others', { tags: ['all'] }, async () => {
    const [alone, all] = [await bundle('check', 'gicollide/obb'), await bundle('check', 'gicollide')];
    expect(alone.bytes).toBeLessThan(0.5 * all.bytes);
  });
});
