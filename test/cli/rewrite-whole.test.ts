/** Runs that change one file at the same time: none is lost, whoever is killed. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { rewriteWhole } from '../../src/cli/atomic-write.ts';
import { makeFolder } from '../support/cli.ts';

const MODULE = new URL('../../dist/cli/atomic-write.js', import.meta.url).href;

const append = (file: string, line: string): Promise<void> =>
  rewriteWhole(file, async () => {
    const before = readFileSync(file, 'utf8');
    await new Promise((turn) => setImmediate(turn));
    return Buffer.from(`${before}${line}\n`);
  });

/** The source of a process that appends lines to a file, or that stops while it holds the lock. */
const appending = (file: string, lines: readonly string[]): string => `
  import { readFileSync } from 'node:fs';
  import { rewriteWhole } from ${JSON.stringify(MODULE)};
  for (const line of ${JSON.stringify(lines)})
    await rewriteWhole(${JSON.stringify(file)}, async () =>
      Buffer.from(readFileSync(${JSON.stringify(file)}, 'utf8') + line + '\\n'));`;
const stopping = (file: string): string => `
  import { rewriteWhole } from ${JSON.stringify(MODULE)};
  setInterval(() => {}, 1000);
  await rewriteWhole(${JSON.stringify(file)}, () => {
    console.log(process.pid);
    return new Promise(() => {});
  });`;

const started = (source: string): ChildProcess =>
  spawn(process.execPath, ['--input-type=module', '-e', source], { stdio: ['ignore', 'pipe', 'inherit'] });

const isLock = (name: string): boolean => name.endsWith('.lock');
const lockIn = (folder: string): string => join(folder, readdirSync(folder).find(isLock)!);

/** A folder with a file of one line. */
function begun() {
  const folder = makeFolder();
  const file = join(folder, 'list.txt');
  writeFileSync(file, 'first\n');
  return { folder, file, lines: () => readFileSync(file, 'utf8').trim().split('\n').slice(1).sort() };
}

/** A folder whose lock is held by a process that has been killed. */
async function abandoned() {
  const { folder, file, lines } = begun();
  const child = started(stopping(file));
  await once(child.stdout!, 'data');
  child.kill('SIGKILL');
  await once(child, 'close');
  expect(readdirSync(lockIn(folder))).toHaveLength(1);
  return { folder, file, lines };
}

const named = (count: number, prefix: string): string[] =>
  Array.from({ length: count }, (_, n) => `${prefix}${String(n).padStart(2, '0')}`);

test('12 changes in one process', async () => {
  const { folder, file, lines } = begun();
  const all = named(12, 'line-');
  await Promise.all(all.map((line) => append(file, line)));
  expect(lines()).toEqual(all);
  expect(readdirSync(folder)).toEqual(['list.txt']);
});

test('20 processes, beside a lock whose owner was killed', { tags: ['long'] }, async () => {
  const { folder, file, lines } = await abandoned();
  const all = named(20, 'process-').map((name) => named(5, `${name}-`));
  const children = all.map((some) => started(appending(file, some)));
  expect(await Promise.all(children.map(async (child) => (await once(child, 'close'))[0]))).toEqual(all.map(() => 0));
  expect(lines()).toEqual(all.flat());
  expect(readdirSync(folder)).toEqual(['list.txt']);
});

test('a change that fails keeps the file, and frees the lock', async () => {
  const { folder, file, lines } = begun();
  await expect(rewriteWhole(file, () => Promise.reject(new Error('no')))).rejects.toThrow(/^no$/);
  expect(readdirSync(folder)).toEqual(['list.txt']);
  await append(file, 'a');
  expect(lines()).toEqual(['a']);
});

test('a lock that was taken over is noticed, and nothing is written', async () => {
  const { folder, file, lines } = begun();
  const late = rewriteWhole(file, async () => {
    rmSync(join(lockIn(folder), readdirSync(lockIn(folder))[0]));
    return Buffer.from('wrong\n');
  });
  await expect(late).rejects.toThrow(/list\.txt: another run took over the lock; nothing was written$/);
  expect(lines()).toEqual([]);
  expect(readdirSync(folder)).toEqual(['list.txt']);
});

test('a folder that cannot be locked is one line', async () => {
  const { folder, file, lines } = begun();
  let lock = '';
  await rewriteWhole(file, async () => {
    lock = lockIn(folder);
    return readFileSync(file);
  });
  writeFileSync(lock, '');
  await expect(append(file, 'a')).rejects.toThrow(/list\.txt: the lock beside it: a part of its path is not a folder$/);
  expect(lines()).toEqual([]);
  expect(readdirSync(folder)).toHaveLength(2);
});

describe('a lock is taken over', () => {
  test('if its owner was killed', { tags: ['all'] }, async () => {
    const { folder, file, lines } = await abandoned();
    await append(file, 'next');
    expect(lines()).toEqual(['next']);
    expect(readdirSync(folder)).toEqual(['list.txt']);
  });

  /** Holds a lock by a file of this name and content. */
  async function heldBy(owner: (own: string, life: string) => readonly string[]) {
    const { folder, file, lines } = begun();
    let [lock, name, content] = ['', '', ''];
    await rewriteWhole(file, async () => {
      lock = lockIn(folder);
      [name, content] = owner(readdirSync(lock)[0], readFileSync(join(lock, readdirSync(lock)[0]), 'utf8'));
      return readFileSync(file);
    });
    mkdirSync(lock);
    writeFileSync(join(lock, name), content);
    return { file, lines };
  }

  test.each([
    ['on another host', (own: string, life: string) => [own.replace(/-[0-9a-f]{12}-/, '-0123456789ab-'), life]],
    ['before the last start of the system', (own: string) => [own, '0-0-0 17']],
    ['something else', () => ['notes.txt', '']],
  ] as const)('after a while, if its owner was %s', { tags: ['long'] }, async (_, owner) => {
    const { file, lines } = await heldBy(owner);
    await append(file, 'next');
    expect(lines()).toEqual(['next']);
  });

  test.runIf(process.platform === 'linux')('if another process has the number of its owner', async () => {
    const { file, lines } = await heldBy((own, life) => [own, `${life.split(' ')[0]} 1`]);
    await append(file, 'next');
    expect(lines()).toEqual(['next']);
  });

  test.runIf(process.platform === 'linux')(
    'if its owner was killed, and its parent has not asked about it',
    { tags: ['all'] },
    async () => {
      const { file, lines } = begun();
      // The shell becomes a process that asks about no child.
      const script = '"$0" --input-type=module -e "$1" & exec sleep 600';
      const parent = spawn('sh', ['-c', script, process.execPath, stopping(file)], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const [id] = await once(parent.stdout!, 'data');
      process.kill(Number(id), 'SIGKILL');
      await append(file, 'next');
      parent.kill('SIGKILL');
      expect(lines()).toEqual(['next']);
    },
  );
});
