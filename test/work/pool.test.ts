/** Threads that answer, fail and end; kernels' workspaces in them. Compiled, as threads are. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { InputError } from '#src/base/errors';
import { adoptPlacement, allocate, kernelMemory, release, WORKSPACE_BYTES } from '#src/kernels/memory';
import { openPool } from '#src/work/pool';

const folder = mkdtempSync(join(tmpdir(), 'gicollide-pool-'));
afterAll(() => rmSync(folder, { recursive: true }));

const compiled = (name: string): string => JSON.stringify(new URL(`../../dist/${name}.js`, import.meta.url).href);

/** A module for threads: what they do before they are ready, and how they answer a task x. */
let modules = 0;
function threadOf(answer: string, before = ''): URL {
  const path = join(folder, `${modules++}.mjs`);
  writeFileSync(
    path,
    `import { kernelMemory } from ${compiled('kernels/memory')};
    import { InputError } from ${compiled('base/errors')};
    ${before}
    export const begin = async (assets, data) => async (x) => { ${answer} };`,
  );
  return pathToFileURL(path);
}
const open = (answer: string, before?: string) =>
  openPool<undefined, number, number>(2, { module: threadOf(answer, before) });

test('a pool answers each task, and tells inputs from faults', async () => {
  const fault = "throw Object.assign(new (x === 9 ? InputError : Error)('no ' + x), { name: 'Odd', stack: 'here' });";
  const pool = await open(`if (x < 9) return x * x; ${fault}`);
  const answers = await Promise.all([1, 2, 3, 4, 5].map((x) => pool.run(x)));
  expect(answers.map(({ answer }) => answer)).toEqual([1, 4, 9, 16, 25]);
  await expect(pool.run(9)).rejects.toBeInstanceOf(InputError);
  const odd = await pool.run(10).catch((error: Error) => error);
  expect(odd).toMatchObject({ name: 'Odd', message: 'no 10', stack: 'here' });
  expect(odd).not.toBeInstanceOf(InputError);
  expect((await pool.run(2)).answer).toBe(4);
  await pool.close();
});

test('assets and data come to each thread, in shared memory', async () => {
  const numbers = new Uint8Array(new SharedArrayBuffer(4));
  const module = threadOf('data.numbers[x] = assets[0].values[x]; return 0;');
  const assets = [{ representation: 'none', values: Uint8Array.of(5, 6, 7, 8) }];
  const pool = await openPool<object, number, number>(2, { module, assets, data: { numbers } });
  await Promise.all([0, 1, 3].map((x) => pool.run(x)));
  expect([...numbers]).toEqual([5, 6, 0, 8]);
  await pool.close();
});

test('with isolates, a thread that ends fails its own task alone', async () => {
  const module = threadOf('if (x === 2) process.exit(7); return x;');
  const pool = await openPool<undefined, number, number>(1, { module, isolates: true });
  const tasks = [1, 2, 3].map((x) => pool.run(x).then(({ answer }) => answer));
  expect((await Promise.allSettled(tasks)).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(pool.isLost).toBe(false);
  await pool.close();
});

test.each([
  ['ends', 'process.exit(7);', /exited with code: 7/],
  [
    'throws in between',
    "return new Promise(() => setImmediate(() => { throw new TypeError('bad luck'); }));",
    /bad luck/,
  ],
])('a thread that %s fails its tasks, those that wait, and all that follow', async (_, deed, message) => {
  const pool = await open(deed);
  const tasks = [1, 2, 3, 4, 5, 6].map((x) => pool.run(x));
  for (const { status, reason } of (await Promise.allSettled(tasks)) as PromiseRejectedResult[]) {
    expect(status).toBe('rejected');
    expect(reason.message).toMatch(message);
  }
  await expect(pool.run(7)).rejects.toThrow(message);
  await pool.close();
});

test.each([
  ['throw', "throw new Error('not today');", 'not today'],
  ['end', 'process.exit(4);', 'exited with code: 4'],
])('threads that %s before they are ready are no pool', async (_, before, message) => {
  await expect(open('return x;', before)).rejects.toThrow(message);
});

test('close ends threads in the middle of work', async () => {
  const pool = await open('for (;;);');
  const ends = Promise.allSettled([1, 2, 3].map((x) => pool.run(x)));
  await pool.close();
  expect((await ends).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
});

test('each thread takes a workspace of its own, which comes back', async () => {
  const own = kernelMemory()?.workspace as number;
  const before = allocate(WORKSPACE_BYTES);
  release(before);
  const asset = { representation: 'none' };
  adoptPlacement(asset, 4096);
  const module = threadOf('return new Promise((done) => setTimeout(done, 50, kernelMemory().workspace));');
  const pool = await openPool<undefined, number, number>(3, { module, assets: [asset] });
  const answers = await Promise.all([1, 2, 3].map((x) => pool.run(x)));
  const addresses = [...answers.map(({ answer }) => answer), own].sort((a, b) => a - b);
  for (let i = 1; i < 4; i++) expect(addresses[i] - addresses[i - 1]).toBeGreaterThanOrEqual(WORKSPACE_BYTES);
  await pool.close();
  expect(allocate(WORKSPACE_BYTES)).toBe(before);
});
