/** Answers in order, threads that fail, and assets that threads share. */
import { expect, test } from 'vitest';
import { adoptPlacement, placementOf } from '../../../src/kernels/memory.ts';
import { InputError } from '../../../src/math/errors.ts';
import { translation } from '../../../src/math/pose.ts';
import { check } from '../../../src/pair/pair.ts';
import { inOrder, openCrew, type SharedAssets, shareAssets } from '../../../src/pair/threads/crew.ts';
import type { Asset } from '../../../src/query/representation.ts';
import { variants } from '../../contract/variants.ts';
import { seeded } from '../../support/random.ts';
import { icosphere } from '../../support/shapes.ts';

const upTo = (count: number) => {
  let x = 0;
  return async (): Promise<number | null> => (x < count ? x++ : null);
};
const later = (ms: number) => new Promise((done) => setTimeout(done, ms));

test('answers that come in any order are given in that of the questions, and few are ahead, seed 6', async () => {
  const random = seeded(6);
  let [asked, given, most] = [0, 0, 0];
  const next = upTo(60);
  const answers: number[] = [];
  for await (const x of inOrder(
    async () => {
      asked++;
      return next();
    },
    async (x) => {
      await later(5 * random.next());
      return x;
    },
    () => 4,
  )) {
    answers.push(x);
    given++;
    most = Math.max(most, asked - given);
    if (x === 10) await later(30); // a reader that is slow
  }
  expect(answers).toEqual(Array.from({ length: 60 }, (_, i) => i));
  expect(most).toBeLessThanOrEqual(5);
});

test('an answer does not wait for the next question', async () => {
  let ask: (x: number | null) => void = () => {};
  const next = () =>
    new Promise<number | null>((done) => {
      ask = done;
    });
  const answers = inOrder(
    next,
    async (x) => -x,
    () => 4,
  );
  const first = answers.next();
  ask(1);
  expect(await first).toEqual({ done: false, value: -1 });
  const second = answers.next();
  await later(5);
  ask(null);
  expect(await second).toEqual({ done: true, value: undefined });
});

test('what fails, question or answer, comes after the answers before it', async () => {
  const answers: number[] = [];
  const collect = async (next: () => Promise<number | null>, answer: (x: number) => Promise<number>) => {
    answers.length = 0;
    for await (const x of inOrder(next, answer, () => 8)) answers.push(x);
  };
  const slowly = async (x: number) => {
    await later(x === 0 ? 20 : 1);
    if (x === 3) throw new Error('three');
    return x;
  };
  await expect(collect(upTo(6), slowly)).rejects.toThrow('three');
  expect(answers).toEqual([0, 1, 2]);
  const next = upTo(6);
  const failing = async () => {
    const x = await next();
    if (x === 2) throw new Error('two');
    return x;
  };
  await expect(collect(failing, slowly)).rejects.toThrow('two');
  expect(answers).toEqual([0, 1]);
});

const script = (text: string): URL =>
  new URL(
    `data:text/javascript,${encodeURIComponent(`import { parentPort as port } from 'node:worker_threads'; ${text}`)}`,
  );
const NOTHING = { assets: [], placed: [] };
const ready = 'port.postMessage({ task: -1 });';

test('a crew answers each task, and tells inputs from faults', async () => {
  const text = `port.on('message', ({ task, question: x }) => port.postMessage(x < 9 ? { task, answer: x * x }
    : { task, fault: { name: 'Odd', message: 'no ' + x, stack: 'here', isInput: x === 9 } })); ${ready}`;
  const crew = await openCrew<number, number>(3, script(text), NOTHING, null);
  expect(await Promise.all([1, 2, 3, 4, 5].map((x) => crew.run(x)))).toEqual([1, 4, 9, 16, 25]);
  await expect(crew.run(9)).rejects.toBeInstanceOf(InputError);
  const fault = await crew.run(10).catch((error: Error) => error);
  expect(fault).toMatchObject({ name: 'Odd', message: 'no 10', stack: 'here' });
  expect(fault).not.toBeInstanceOf(InputError);
  await crew.close();
});

test.each([
  ['ends', 'process.exit(7)', /ended, exit code 7/],
  ['throws', 'throw new TypeError("bad luck")', /bad luck/],
])('a thread that %s fails its tasks and all that follow', async (_, deed, message) => {
  const crew = await openCrew<number, number>(
    2,
    script(`port.on('message', () => { ${deed} }); ${ready}`),
    NOTHING,
    null,
  );
  await expect(crew.run(1)).rejects.toThrow(message);
  await expect(crew.run(2)).rejects.toThrow(message);
  await crew.close();
});

test('threads that cannot start are no crew', async () => {
  await expect(openCrew(2, script('throw new Error("not today")'), NOTHING, null)).rejects.toThrow('not today');
});

const strip = (a: Asset, b: Asset) => ({ ...check(a, b, { poseB: translation(0.7, 0.3, 0.1), all: true }), ms: null });

test.each(variants.map((variant) => [variant.name, variant] as const))(
  '%s: what is shared answers alike',
  (_, variant) => {
    const [a, b] = [variant.build(icosphere(2)), variant.build(icosphere(1))];
    const shared = shareAssets(a, b, a);
    const [copyA, copyB, again] = structuredClone(shared?.assets) as Asset[];
    expect(again).toBe(copyA);
    expect(strip(copyA, copyB)).toEqual(strip(a, b));
  },
);

test('arrays are shared, views of one buffer stay so, and placements go along', () => {
  const buffer = new ArrayBuffer(64);
  const inner = { numbers: new Float64Array(buffer, 8, 2), map: new Map([[1, new Uint16Array(buffer, 24, 3)]]) };
  const asset = { representation: 'none', inner, bytes: Buffer.from([1, 2, 3]) } as Asset;
  inner.numbers[1] = 5;
  adoptPlacement(inner, 4096);
  const shared = shareAssets(asset) as SharedAssets;
  const [copy] = shared.assets as (typeof asset & { inner: typeof inner; bytes: Uint8Array })[];
  expect(copy.inner.numbers).toEqual(Float64Array.of(0, 5));
  expect(copy.inner.numbers.buffer).toBeInstanceOf(SharedArrayBuffer);
  expect(copy.inner.map.get(1)?.buffer).toBe(copy.inner.numbers.buffer);
  expect([...copy.bytes]).toEqual([1, 2, 3]);
  expect(shared.placed).toEqual([[copy.inner, 4096]]);
  expect(shared.placed[0][0]).toBe(copy.inner);
  expect(placementOf(copy.inner)).toBeUndefined();
});

test('what holds a function or an open file is not shared', () => {
  expect(shareAssets({ representation: 'none', read: () => 1 } as Asset)).toBeNull();
  expect(shareAssets({ representation: 'none', parts: [new (class {})()] } as Asset)).toBeNull();
});
