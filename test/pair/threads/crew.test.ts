/** Threads that answer, that fail and that end; kernels' workspaces in them. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { allocate, kernels, release, WORKSPACE_BYTES } from '../../../src/kernels/memory.ts';
import { InputError } from '../../../src/math/errors.ts';
import { openCrew } from '../../../src/pair/threads/crew.ts';

const folder = mkdtempSync(join(tmpdir(), 'gicollide-crew-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** A module for threads: what they do before they are ready, and how they answer a task x. */
let modules = 0;
function threadOf(answer: string, begin = ''): URL {
  const path = join(folder, `${modules++}.mjs`);
  writeFileSync(
    path,
    `import { threadId, workerData } from 'node:worker_threads';\n${begin}
    export default async (x) => (x === null ? { ms: 0 } : ${answer});`,
  );
  return pathToFileURL(path);
}
const open = (answer: string, begin?: string) => openCrew<number, number>(2, threadOf(answer, begin));

test('a crew answers each task, and tells inputs from faults', async () => {
  const fault = "{ fault: { name: 'Odd', message: 'no ' + x, stack: 'here', isInput: x === 9 } }";
  const crew = await open(`x < 9 ? { answer: x * x, ms: 1 } : ${fault}`);
  const answers = await Promise.all([1, 2, 3, 4, 5].map((x) => crew.run(x)));
  expect(answers.map(({ answer }) => answer)).toEqual([1, 4, 9, 16, 25]);
  await expect(crew.run(9)).rejects.toBeInstanceOf(InputError);
  const odd = await crew.run(10).catch((error: Error) => error);
  expect(odd).toMatchObject({ name: 'Odd', message: 'no 10', stack: 'here' });
  expect(odd).not.toBeInstanceOf(InputError);
  expect((await crew.run(2)).answer).toBe(4);
  await crew.close();
});

test.each([
  ['ends', 'process.exit(7)', /exited with code: 7/],
  ['throws in between', "new Promise(() => setImmediate(() => { throw new TypeError('bad luck'); }))", /bad luck/],
])('a thread that %s fails its tasks, those that wait, and all that follow', async (_, deed, message) => {
  const crew = await open(deed);
  const tasks = [1, 2, 3, 4, 5, 6].map((x) => crew.run(x));
  for (const { status, reason } of (await Promise.allSettled(tasks)) as PromiseRejectedResult[]) {
    expect(status).toBe('rejected');
    expect(reason.message).toMatch(message);
  }
  await expect(crew.run(7)).rejects.toThrow(message);
  await crew.close();
});

test.each([
  ['throw', "throw new Error('not today');", 'not today'],
  ['end', 'process.exit(4);', 'exited with code: 4'],
])('threads that %s before they are ready are no crew', async (_, begin, message) => {
  await expect(open('{ answer: x }', begin)).rejects.toThrow(message);
});

test('close ends threads in the middle of work', async () => {
  const crew = await open('{ answer: (() => { for (;;); })() }');
  const ends = Promise.allSettled([1, 2, 3].map((x) => crew.run(x)));
  await crew.close();
  expect((await ends).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
});

test('each thread takes a workspace of its own, which comes back', async () => {
  const own = kernels()?.workspace as number;
  const before = allocate(WORKSPACE_BYTES);
  release(before);
  const shared = { assets: [], placed: [[{}, 4096] as [object, number]] };
  const taken = 'const { workspaces } = workerData.kernels, mine = workspaces[1 + Atomics.add(workspaces, 0, 1)];';
  const file = threadOf('{ answer: await new Promise((done) => setTimeout(done, 50, mine)), ms: 1 }', taken);
  const crew = await openCrew<number, number>(3, file, shared);
  const answers = await Promise.all([1, 2, 3].map((x) => crew.run(x)));
  const addresses = [...answers.map(({ answer }) => answer), own].sort((a, b) => a - b);
  for (let i = 1; i < 4; i++) expect(addresses[i] - addresses[i - 1]).toBeGreaterThanOrEqual(WORKSPACE_BYTES);
  await crew.close();
  expect(allocate(WORKSPACE_BYTES)).toBe(before);
});
