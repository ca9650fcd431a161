/** `gicollide cache`: what it removes, and what it never touches. */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { bundleLibrary } from '../../scripts/bundle-package.mjs';
import { sourcesDigest } from '../../scripts/sources-digest.mjs';
import { programDigest } from '../../src/cli/cache/program-digest.ts';
import { parseSize, sizeText } from '../../src/cli/cache/upkeep.ts';
import { entryOf, keyOf, opened, runScript } from '../support/cache.ts';
import { expectFailure, listFiles, makeFolder, run } from '../support/cli.ts';

/** Bytes of an entry before its payload, with no facts but {}. */
const HEAD = 86;

/** A cache of entries of 1000 bytes, the first of them of use a hundred days ago, the next a day later. */
async function filled(count: number) {
  const { cache, folder, lines } = await opened();
  const keys = Array.from({ length: count }, (_, n) => keyOf(String(n)));
  for (const [n, key] of keys.entries()) {
    await cache.put(key, new Uint8Array(1000 - HEAD).fill(n), {});
    const used = new Date(Date.now() - (100 - n) * 24 * 3600 * 1000);
    utimesSync(entryOf(folder, key), used, used);
  }
  const held = () => keys.flatMap((key, n) => (existsSync(entryOf(folder, key)) ? [n] : []));
  const task = (...args: string[]) => run(['cache', ...args, '--cache-dir', folder], { cwd: dirname(folder) });
  return { cache, folder, lines, keys, held, task };
}

const said = (line: string) => ({ code: 0, stdout: `${line}\n`, stderr: '' });

describe('prune', { tags: ['all'] }, () => {
  test('removes what was not of use for longest, until the rest fits', async () => {
    const { cache, keys, held, task } = await filled(10);
    expect(await task('prune', '--max-size', '10KB')).toMatchObject(
      said('10 entries, 10.0 KB; 0 removed, 0 bytes freed'),
    );
    await cache.get(keys[1]); // which is of use today
    expect(await task('prune', '--max-size', '7999')).toMatchObject(said('7 entries, 7.0 KB; 3 removed, 3.0 KB freed'));
    expect(held()).toEqual([1, 4, 5, 6, 7, 8, 9]);
    expect(await task('prune', '--max-size', '0.001mb')).toMatchObject(
      said('1 entry, 1.0 KB; 6 removed, 6.0 KB freed'),
    );
    expect(held()).toEqual([1]);
  });

  test('--dry-run removes nothing, and says what would go', async () => {
    const { folder, held, task } = await filled(4);
    const outcome = await task('prune', '--max-size', '1KB', '--dry-run', '--json');
    expect(JSON.parse(outcome.stdout)).toEqual({
      folder,
      entries: 4,
      bytes: 4000,
      removed: { entries: 3, bytes: 3000 },
      leftovers: { files: 0, bytes: 0 },
      dryRun: true,
    });
    const line = said('4 entries, 4.0 KB; 3 would be removed, 3.0 KB freed');
    expect(await task('prune', '--max-size', '1KB', '--dry-run')).toMatchObject(line);
    expect(held()).toEqual([0, 1, 2, 3]);
  });

  test('removes empty folders, and keeps the marker', async () => {
    const { folder, task } = await filled(5);
    await task('prune', '--max-size', '0');
    expect(readdirSync(folder)).toEqual(['gicollide-cache.json']);
    expect(await task('prune', '--max-size', '0', '-q')).toMatchObject({ code: 0, stdout: '', stderr: '' });
  });

  test('removes what killed writers left, and not what somebody may be writing', async () => {
    const { folder, keys, task } = await filled(1);
    const { signal } = await runScript(
      `
      const cache = await openCache({ folder: ${JSON.stringify(folder)}, log });
      fs.writeSync = () => process.kill(process.pid, 'SIGKILL');
      syncBuiltinESMExports();
      await cache.put(${JSON.stringify(keys[0])}, new Uint8Array(10), {});`,
    );
    expect(signal).toBe('SIGKILL');
    const [left] = listFiles(folder).filter((file) => file.endsWith('.tmp'));
    const [, host, id] = /\/\.gicollide-([0-9a-f]+)-(\d+)-/.exec(left) as string[];
    const elsewhere = left.replace(host, [...host].reverse().join(''));
    const kept = [left.replace(`-${id}-`, `-${process.pid}-`), elsewhere, `${left}x`];
    const old = elsewhere.replace(/[0-9a-f]+\.tmp$/, '000000000000.tmp');
    for (const file of [...kept, old]) writeFileSync(join(folder, file), 'half');
    utimesSync(join(folder, old), 1000, 1000);
    expect(await task('prune', '--max-size', '1GB')).toMatchObject(
      said('1 entry, 1.0 KB; 0 and 2 left by killed builds removed, 4 bytes freed'),
    );
    expect(listFiles(folder).filter((file) => file.includes('tmp'))).toEqual(kept.sort());
  });
});

describe('clear', () => {
  test('removes all entries; builds go on', { tags: ['all'] }, async () => {
    const { cache, keys, held, lines, task } = await filled(6);
    expect(await task('clear')).toMatchObject(said('0 entries, 0 bytes; 6 removed, 6.0 KB freed'));
    expect(await cache.get(keys[0])).toBeNull();
    await cache.put(keys[3], new Uint8Array(5), {});
    expect([held(), lines]).toEqual([[3], []]);
  });
});

describe('what is no entry stays', { tags: ['all'] }, () => {
  test.each([
    ['prune', '--max-size', '0'],
    ['clear', '--json'],
  ])('%s', async (...args) => {
    const { folder, keys, task } = await filled(1);
    const near = dirname(entryOf(folder, keys[0]));
    const name = keyOf('mine').slice(2);
    const mine = [
      'thesis.tex',
      `${name}.entry`, // at the top
      'ab/notes.txt',
      `ab/${name}`,
      `ab/${name}.entry.bak`,
      `ab/${name}.entry`, // by its name, not by what it holds
      `ab/${name.toUpperCase()}.entry`,
      'abc/x',
      `AB.d/${name}.entry`,
      '.git/config',
    ];
    for (const file of mine) {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      writeFileSync(join(folder, file), 'mine');
    }
    mkdirSync(join(folder, `ab/${keyOf('folder').slice(2)}.entry/x`), { recursive: true });
    mkdirSync(join(folder, 'empty'));
    expect(await task(...args)).toMatchObject({ code: 0, stderr: '' });
    expect(existsSync(near)).toBe(false);
    expect(listFiles(folder)).toEqual([...mine, 'gicollide-cache.json'].sort());
    expect(existsSync(join(folder, 'empty'))).toBe(true);
    for (const file of mine) expect(readFileSync(join(folder, file), 'utf8')).toBe('mine');
  });

  test.skipIf(process.platform === 'win32')('links are not followed out of the folder', async () => {
    const { folder, keys, task } = await filled(2);
    const outside = (await filled(3)).folder;
    const before = listFiles(outside);
    symlinkSync(join(outside, keyOf('0').slice(0, 2)), join(folder, '00'));
    symlinkSync(outside, join(folder, 'ff'));
    const place = entryOf(folder, keys[0]);
    symlinkSync(entryOf(outside, keys[1]), place.replace(/[^/]{68}$/, `${'0'.repeat(62)}.entry`));
    expect(await task('clear')).toMatchObject(said('0 entries, 0 bytes; 2 removed, 2.0 KB freed'));
    expect(listFiles(outside)).toEqual(before);
  });

  test('an empty file in the place of an entry is what a crash left', async () => {
    const { folder, keys, task } = await filled(1);
    writeFileSync(entryOf(folder, keys[0]), '');
    expect(await task('clear')).toMatchObject(said('0 entries, 0 bytes; 1 removed, 0 bytes freed'));
  });
});

describe('a folder that is no cache is refused, and stays as it is', { tags: ['all'] }, () => {
  test.each([[['prune', '--max-size', '1GB']], [['clear']], [['info']]])('%j', async (args) => {
    const home = makeFolder();
    const entry = entryOf(home, keyOf('x'));
    mkdirSync(dirname(entry));
    writeFileSync(entry, 'GICE');
    writeFileSync(join(home, 'file'), '');
    const before = listFiles(home);
    const task = (dir: string) => run(['cache', ...args, '--cache-dir', dir], { cwd: home });
    expectFailure(await task(home), `${home}: expected a cache of gicollide, found no gicollide-cache.json in it`);
    expectFailure(await task('missing'), /missing: no such folder$/);
    expectFailure(await task('file'), /file: expected a folder, found a file$/);
    writeFileSync(join(home, 'gicollide-cache.json'), '{"gicollide":"cache/2"}');
    expectFailure(await task(home), /expected \{"gicollide":"cache\/1"\}, found /);
    rmSync(join(home, 'gicollide-cache.json'));
    expect(listFiles(home)).toEqual(before);
  });

  test('one that nobody has begun, where the cache would be, holds nothing', async () => {
    const cwd = makeFolder();
    const env = { GICOLLIDE_CACHE_DIR: 'cache' };
    const info = await run(['cache', 'info'], { cwd, env });
    expect(info).toMatchObject({ code: 0, stderr: '' });
    expect(info.stdout.startsWith(`${join(cwd, 'cache')}\n0 entries, 0 bytes\nprogram `)).toBe(true);
    expect(await run(['cache', 'clear'], { cwd, env })).toMatchObject(
      said('0 entries, 0 bytes; 0 removed, 0 bytes freed'),
    );
    expect(listFiles(cwd)).toEqual([]);
  });
});

test('info says where the cache is, what it holds, and whose', { tags: ['all'] }, async () => {
  const { folder, task } = await filled(3);
  const { stdout } = await task('info');
  expect(stdout).toMatch(
    /^.*\n3 entries, 3\.0 KB; the oldest was last used on \d{4}-\d\d-\d\d\nprogram [0-9a-f]{16}: only programs with this number share entries\n$/,
  );
  const record = JSON.parse((await task('info', '--json')).stdout);
  expect(record).toMatchObject({ folder, entries: 3, bytes: 3000, program: expect.stringMatching(/^[0-9a-f]{64}$/) });
  expect(Date.parse(record.oldest)).toBeLessThan(Date.now());
});

describe('usage', { tags: ['all'] }, () => {
  test.each<[string[], RegExp]>([
    [[], /^expected prune, info or clear \(see gicollide cache --help\)$/],
    [['prun'], /^unknown command 'prun' \(Did you mean prune\?\)$/],
    [['prune'], /^--max-size: expected a size, as 2GB; gicollide\.json can have it as cache\.maxSize$/],
    [['prune', '--max-size', '3 parsecs'], /Expected a number of bytes, or of KB, MB, GB or TB, as 500MB\.$/],
    [['clear', '--max-size', '3'], /^unknown option '--max-size'/],
    [['info', 'x'], /^too many arguments for 'info'/],
  ])('%j', async (args, line) => expectFailure(await run(['cache', ...args], { cwd: makeFolder() }), line));

  test.each([
    [
      'cache --help',
      /\n {2}prune {2}[\s\S]*\n {2}info[\s\S]*\n {2}clear[\s\S]*\n {2}\$ gicollide cache prune --max-size 2GB\n/,
    ],
    ['help cache', /Usage: gicollide cache /],
    ['cache prune --help', /--max-size <size> [\s\S]*--dry-run [\s\S]*Exit code 0/],
    ['cache info --help', /--cache-dir <dir> [\s\S]*GICOLLIDE_CACHE_DIR[\s\S]*Exit code 0/],
    ['cache clear --help', /--json [\s\S]*Exit code 0/],
  ])('%s', async (line, text) => {
    const outcome = await run(line.split(' '), { cwd: makeFolder() });
    expect(outcome).toMatchObject({ code: 0, stderr: '' });
    expect(outcome.stdout).toMatch(text);
  });
});

describe('sizes', { tags: ['all'] }, () => {
  test.each([
    ['0', 0],
    ['4096', 4096],
    ['1KB', 1000],
    ['1.5 gb', 1_500_000_000],
    ['0.0001KB', 0],
    ['2TB', 2e12],
  ])('%s', (text, bytes) => expect(parseSize(text)).toBe(bytes));

  test.each(['', '-1', 'GB', '1e9', '0x10', '1 KiB', '1.', '.5MB', '1GB 2', '99999999999999TB', 'NaN', 'Infinity'])(
    'not %j',
    (text) => expect(() => parseSize(text)).toThrow('Expected a number of bytes'),
  );

  test.each([
    [999, '999 bytes'],
    [1000, '1.0 KB'],
    [999_949, '999.9 KB'],
    [999_950, '1.0 MB'],
    [3_200_000_000, '3.2 GB'],
    [12_345_678_000_000_000, '12,345.7 TB'],
  ])('%i is %s', (bytes, text) => expect(sizeText(bytes)).toBe(text));
});

describe("the program's digest", () => {
  const root = fileURLToPath(new URL('../..', import.meta.url));

  test('is that of its sources, in the bundle; a byte that changes changes it', { tags: ['all'] }, async () => {
    const copy = makeFolder();
    for (const folder of ['src/cli', 'scripts']) mkdirSync(join(copy, folder), { recursive: true });
    const write = (file: string, text: string) => writeFileSync(join(copy, file), text);
    write('package-lock.json', '{}');
    write('src/cli/a.ts', 'a');
    write('src/b.wgsl', 'b');
    const before = sourcesDigest(copy);
    const changes: (() => void)[] = [
      () => write('src/cli/a.ts', 'A'),
      () => write('src/b.wgsl', 'B'),
      () => write('src/c.ts', ''),
      () => write('src/page.css', ''),
      () => write('scripts/bundle.mjs', ''),
      () => write('package-lock.json', '{ }'),
    ];
    const digests = changes.map((change) => {
      change();
      return sourcesDigest(copy);
    });
    expect(new Set([before, ...digests]).size).toBe(7);
    // Generated files, pages for people and scripts that build nothing don't count.
    write('src/module.generated.ts', 'x');
    write('src/FORMAT.md', 'x');
    write('scripts/make-site.mjs', 'x');
    expect(sourcesDigest(copy)).toBe(digests.at(-1));
    const { stdout } = await run(['cache', 'info', '--json'], { cwd: copy, env: { GICOLLIDE_CACHE_DIR: 'none' } });
    expect(JSON.parse(stdout).program).toBe(sourcesDigest(root));
  });

  test('stands in the bundle as a constant, and no file is read for it', { tags: ['long'] }, async () => {
    const folder = join(root, `dist/test-digest-${process.pid}`);
    await bundleLibrary(folder);
    const files = readdirSync(folder).filter((file) =>
      readFileSync(join(folder, file), 'utf8').includes(sourcesDigest(root)),
    );
    rmSync(folder, { recursive: true });
    expect(files).toHaveLength(1);
  });

  test('file by file is that of the modules that run', { tags: ['all'] }, () => {
    expect(programDigest()).toMatch(/^[0-9a-f]{64}$/);
    expect(programDigest()).toBe(programDigest());
    expect(programDigest()).not.toBe(sourcesDigest(root));
  });
});
