/** `gicollide build` on several threads: the same files, lines and warnings, in the same order. */
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { BUILD_DEFAULTS, type BuildJob } from '../../src/cli/make/job.ts';
import { predict, threadsWorth } from '../../src/cli/make/threads.ts';
import { assets, ended, listFiles, makeFolder, run, runAlone, start, writeMesh } from '../support/cli.ts';
import { box } from '../support/shapes.ts';

/** Lines without what took how long. */
const plain = (text: string): string => text.replaceAll(/[\d.]+ s(?=$|;)/gm, 'T s');

/** Meshes that are worth threads, one that is none, and one that loses a triangle. */
function workspace(): string {
  const cwd = makeFolder();
  for (const name of ['a', 'b', 'd', 'f']) writeMesh(join(cwd, `${name}.obj`), box());
  writeFileSync(join(cwd, 'c.obj'), 'v 0 0\n');
  writeFileSync(join(cwd, 'e.obj'), `${readFileSync(join(cwd, 'a.obj'), 'utf8')}f 1 1 2\n`);
  return cwd;
}

const FILES = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => `${name}.obj`);
const ARGS = ['build', ...FILES, '--size', '65', '-f', 'gi,obb'];

describe.concurrent('threads', () => {
  test('the same files, lines, warnings and exit code for any number', { tags: ['long'] }, async () => {
    // Also where no memory is free: then one after the other.
    const full = 'process.availableMemory = () => 0;';
    const runs = ['1', '2', '4', '3'].map(async (jobs) => {
      const cwd = workspace();
      const { code, stdout, stderr } = await runAlone([...ARGS, '--jobs', jobs], {
        cwd,
        ...(jobs === '3' && { preload: full }),
      });
      const bytes = listFiles(join(cwd, 'out')).map((file) => [
        file,
        readFileSync(join(cwd, 'out', file)).toString('base64'),
      ]);
      return { code, stdout: plain(stdout), stderr, bytes };
    });
    const [one, ...others] = await Promise.all(runs);
    expect(one.code).toBe(2);
    expect(one.stdout.split('\n').map((line) => line.split(' ')[0])).toEqual([
      ...['a', 'b', 'd', 'e', 'f'].flatMap((name) => [`out/${name}.tiff`, `out/${name}.obb`]),
      '10',
      '',
    ]);
    expect(one.stderr).toMatch(/^error: c\.obj:1: .*\nwarning: e\.obj: .*\n/);
    for (const other of others) expect(other).toEqual(one);
  });

  test('threads find their module, and what they made is fresh for one', { tags: ['long'] }, async () => {
    const cwd = workspace();
    const preload = `import { Worker } from 'node:worker_threads'; process.on('worker', () => process.stderr.write('a thread\\n'));`;
    const { stderr } = await runAlone([...ARGS, '--jobs', '2'], { cwd, preload });
    expect(stderr.match(/^a thread$/gm)).toHaveLength(2);
    const { stdout } = await run([...ARGS, '--jobs', '1'], { cwd });
    expect(stdout).toMatch(/^10 fresh, 1 failed, /);
  });

  test('a thread that dies fails its job alone, in one line', { tags: ['all'] }, async () => {
    const cwd = workspace();
    const preload = `
      import { isMainThread } from 'node:worker_threads';
      import { createRequire } from 'node:module';
      if (!isMainThread) {
        const fs = createRequire('/')('node:fs');
        const { openSync } = fs;
        fs.openSync = (path, ...more) => (String(path) === 'b.obj' ? process.exit(7) : openSync(path, ...more));
        createRequire('/')('node:module').syncBuiltinESMExports();
      }`;
    const { code, stdout, stderr } = await runAlone([...ARGS, '--jobs', '2'], { cwd, preload });
    expect(code).toBe(2);
    expect(stderr).toMatch(/^error: b\.obj: the thread that built it has failed: [^\n]*7\n/);
    expect(listFiles(join(cwd, 'out'))).toEqual(
      ['a', 'd', 'e', 'f'].flatMap((name) => [`${name}.obb`, `${name}.tiff`]).sort(),
    );
    expect(stdout).toMatch(/\n8 built, 2 failed, /);
  });

  test('an interrupt ends all threads, and leaves whole files alone', { tags: ['long'] }, async () => {
    const cwd = makeFolder();
    for (const name of ['a', 'b', 'c', 'd']) copyFileSync(join(assets, 'torus.obj'), join(cwd, `${name}.obj`));
    const child = start(['build', '.', '--size', '513', '--jobs', '2'], { cwd });
    const end = ended(child);
    await new Promise<void>((first) => child.stdout.once('data', () => first()));
    child.kill('SIGINT');
    expect((await end).signal).toBe('SIGINT');
    const made = listFiles(cwd).filter((file) => !file.endsWith('.obj'));
    expect(made.length).toBeGreaterThan(0);
    for (const file of made) expect((await run(['info', file], { cwd })).code).toBe(0);
  });
});

describe('how many threads', { tags: ['all'] }, () => {
  const job = (file: string, formats: string[]): BuildJob => ({
    ...{ kind: 'mesh', inputs: [{ file, outputs: [] }], formats, flags: BUILD_DEFAULTS },
  });

  test('as many as there is work for', () => {
    const cwd = makeFolder();
    writeMesh(join(cwd, 'a.obj'), box());
    const file = join(cwd, 'a.obj');
    expect(threadsWorth([job(file, ['gi'])], 8)).toBe(1);
    expect(threadsWorth([job(file, ['obb']), job(file, ['obb'])], 8)).toBe(1);
    expect(threadsWorth([job(file, ['gi']), job(file, ['gi']), job(file, ['gi'])], 8)).toBe(3);
    expect(
      threadsWorth(
        Array.from({ length: 100 }, () => job(file, ['gi'])),
        8,
      ),
    ).toBe(8);
  });

  test('larger files and images are dearer', () => {
    const cwd = makeFolder();
    const file = join(cwd, 'a.obj');
    writeFileSync(file, 'x'.repeat(1000));
    const small = predict(job(file, ['gi']));
    writeFileSync(file, 'x'.repeat(20_000_000));
    const large = predict(job(file, ['gi']));
    expect(large.ms).toBeGreaterThan(2 * small.ms);
    expect(large.bytes).toBeGreaterThan(2 * small.bytes);
    expect(predict({ ...job(file, ['gi']), flags: { ...BUILD_DEFAULTS, size: 2049 } }).bytes).toBeGreaterThan(
      2 * large.bytes,
    );
    expect(predict(job(join(cwd, 'none.obj'), ['obb'])).ms).toBeLessThan(100);
  });
});
