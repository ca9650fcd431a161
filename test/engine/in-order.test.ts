/** Answers in the order of the questions. */
import { expect, test } from 'vitest';
import { inOrder } from '../../src/base/ordered-concurrency.ts';
import { seeded } from '../support/random.ts';

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
