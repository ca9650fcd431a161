/** What a watch hears of the file system: every change once, when it is quiet, and nothing of its own. */
// @module-tag all
import fs, {
  appendFileSync,
  mkdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { Changes, type ChangesOptions } from '../../src/cli/watch/changes.ts';
import { FileDigests } from '../../src/cli/watch/digests.ts';
import type { Wanted } from '../../src/cli/watch/watched-paths.ts';
import { placesOf } from '../../src/cli/watch/watched-paths.ts';
import { makeFolder } from '../support/cli.ts';

const open: Changes[] = [];
afterEach(async () => {
  for (const changes of open.splice(0)) await changes.close();
});

async function watching(wanted: Wanted, options: Partial<ChangesOptions> = {}) {
  const warnings: string[] = [];
  const changes = new Changes({ polls: false, isOutput: () => false, warn: (line) => warnings.push(line), ...options });
  open.push(changes);
  expect(await changes.follow(wanted)).toBe(true);
  expect(await changes.follow(wanted)).toBe(false);
  /** All paths that rounds tell, until these are among them; or until whoever hears must look for himself. */
  const heard = async (...expected: string[]): Promise<Set<string>> => {
    const all = new Set<string>();
    while (!expected.every((path) => all.has(path))) {
      const paths = await changes.next();
      if (paths === null) throw new Error(`ended before ${expected.find((path) => !all.has(path))} was told`);
      for (const path of paths) all.add(path);
      if (await changes.follow(wanted)) for (const path of expected) all.add(path);
    }
    return all;
  };
  return { changes, warnings, heard };
}

/** A folder with props/a.obj and props/b.obj. */
function makeProps(): { cwd: string; props: string; a: string; b: string } {
  const cwd = makeFolder();
  const props = join(cwd, 'props');
  mkdirSync(props);
  const [a, b] = ['a', 'b'].map((name) => join(props, `${name}.obj`));
  for (const file of [a, b]) writeFileSync(file, 'v 0 0 0\n');
  return { cwd, props, a, b };
}

test.each([false, true])(
  'a save in several writes, a rename over, 500 files at once are a round each; polling: %s',
  async (polls) => {
    const { props, a, b } = makeProps();
    const { heard } = await watching({ folders: [props], files: [] }, { polls });
    writeFileSync(a, '');
    appendFileSync(a, 'v 1 0 0\n');
    appendFileSync(a, 'v 2 0 0\n');
    await heard(a);
    writeFileSync(join(props, '.b.swp'), 'v 1 2 0\n');
    renameSync(join(props, '.b.swp'), b);
    // Who polls may have looked between two writes of the first, and tell it twice.
    for (const path of await heard(b)) expect([a, b]).toContain(path);
    const many = Array.from({ length: 500 }, (_, i) => join(props, `new/${i % 7}/${i}.obj`));
    for (let i = 0; i < 7; i++) mkdirSync(join(props, `new/${i}`), { recursive: true });
    for (const file of many) writeFileSync(file, 'v 0 0 0\n');
    const found = await heard(...many);
    expect([...found].filter((path) => path.endsWith('.obj'))).toHaveLength(500);
    unlinkSync(many[0]);
    expect(await heard(many[0])).toContain(many[0]);
  },
);

test('a file that grows is awaited', async () => {
  const { props, a } = makeProps();
  const { changes } = await watching({ folders: [props], files: [] });
  let pieces = 0;
  const write = (): void => {
    appendFileSync(a, 'v 1 0 0\n');
    if (++pieces < 12) setTimeout(write, 25);
  };
  write();
  expect(await changes.next()).toEqual([a]);
  expect(pieces).toBe(12);
});

test('what a watch writes itself, temporaries, hidden files and node_modules are no change', async () => {
  const { props, a } = makeProps();
  const out = join(props, 'out.obb');
  const { heard } = await watching({ folders: [props], files: [] }, { isOutput: (path) => path === out });
  mkdirSync(join(props, 'node_modules'));
  for (const name of ['out.obb', '.gicollide-0123456789ab-7-0123456789ab.tmp', '.hidden', 'node_modules/x.obj'])
    writeFileSync(join(props, name), '');
  writeFileSync(a, 'v 1 0 0\n');
  // The folder itself may be told.
  for (const path of await heard(a)) expect([a, props]).toContain(path);
});

test('a single file is heard of when it goes, comes back, or is replaced, and its neighbours are not', async () => {
  const { props, a, b } = makeProps();
  const { heard } = await watching({ folders: [], files: [a] });
  unlinkSync(a);
  expect(await heard(a)).toEqual(new Set([a]));
  writeFileSync(a, 'v 1 0 0\n');
  expect(await heard(a)).toEqual(new Set([a]));
  writeFileSync(b, 'v 1 0 0\n');
  writeFileSync(join(props, 'c.obj'), '');
  renameSync(join(props, 'c.obj'), a);
  expect(await heard(a)).toEqual(new Set([a]));
});

test('a folder that is not there yet is heard of when it comes, and one that was made anew is looked into', async () => {
  const cwd = makeFolder();
  const props = join(cwd, 'deep/props');
  const wanted = { folders: [props], files: [] };
  const { changes, heard } = await watching(wanted);
  mkdirSync(props, { recursive: true });
  await changes.next();
  expect(await changes.follow(wanted)).toBe(true);
  writeFileSync(join(props, 'a.obj'), '');
  await heard(join(props, 'a.obj'));
  rmSync(props, { recursive: true });
  mkdirSync(props);
  await changes.next();
  while (await changes.follow(wanted));
  writeFileSync(join(props, 'b.obj'), 'v 0 0 0\nv 0 0 0\n');
  await heard(join(props, 'b.obj'));
});

test('what a link leads to is heard of', async () => {
  const { cwd, props } = makeProps();
  const [target, link] = [join(cwd, 'target.obj'), join(props, 'link.obj')];
  writeFileSync(target, 'v 0 0 0\n');
  symlinkSync(target, link);
  const { heard } = await watching({ folders: [props], files: [link] });
  writeFileSync(target, 'v 1 0 0\nv 1 0 0\n');
  await heard(link);
});

test('where the system has no more watches, it looks again and again, after one warning', async () => {
  const { props, a, b } = makeProps();
  const watch = fs.watch;
  fs.watch = () => {
    throw Object.assign(new Error('ENOSPC: System limit for number of file watchers reached'), { code: 'ENOSPC' });
  };
  syncBuiltinESMExports();
  try {
    const { warnings, heard } = await watching({ folders: [props], files: [] });
    expect(warnings).toEqual([expect.stringMatching(/^watch: the system allows no more file watches \(ENOSPC\)/)]);
    writeFileSync(b, 'v 1 0 0\nv 1 0 0\n');
    await heard(b);
    writeFileSync(a, 'v 1 0 0\nv 1 0 0\n');
    await heard(a);
    expect(warnings).toHaveLength(1);
  } finally {
    fs.watch = watch;
    syncBuiltinESMExports();
  }
});

test('who waits hears of the end', async () => {
  const { props } = makeProps();
  const { changes } = await watching({ folders: [props], files: [] });
  const next = changes.next();
  await changes.close();
  expect(await next).toBeNull();
});

test('arguments name files, folders, and folders above what patterns may match', () => {
  const { cwd, props, a } = makeProps();
  const found = placesOf([a, props, join(cwd, 'x/**/*.obj'), join(cwd, 'y.obj'), '*.{obj,stl}', 'z/a?.obj']);
  expect(found).toEqual({ folders: [props, join(cwd, 'x'), '.', 'z'], files: [a, join(cwd, 'y.obj')] });
});

test('a file is hashed again where its time, its size or its place has changed', () => {
  const { a, b, props } = makeProps();
  const digests = new FileDigests();
  const first = digests.of(a);
  expect(first).toMatch(/^[0-9a-f]{64}$/);
  expect(digests.of(b)).toBe(first);
  expect(digests.of(join(props, 'none'))).toBeNull();
  const listing = digests.of(props);
  // At once, in the same tick of the clock, and of the same size.
  const { mtime } = statSync(a);
  writeFileSync(a, 'v 0 0 1\n');
  fs.utimesSync(a, mtime, mtime);
  expect(digests.of(a)).not.toBe(first);
  expect(digests.of(props)).toBe(listing);
  writeFileSync(join(props, 'c.obj'), '');
  expect(digests.of(props)).not.toBe(listing);
  const old = new Date('2020-01-01');
  fs.utimesSync(a, old, old);
  expect(digests.of(a)).toBe(digests.of(a));
  renameSync(b, a);
  fs.utimesSync(a, old, old);
  expect(digests.of(a)).toBe(first);
});
