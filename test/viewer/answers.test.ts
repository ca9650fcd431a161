/** What the page shows of the engine's answers, whenever they come: of the two in question alone. */
import { beforeAll, expect, test } from 'vitest';
import { identity } from '../../src/math/pose.ts';
import { FIRST_VIEW, type ViewState } from '../../src/viewer/view-state.ts';

interface Store {
  set(changes: Partial<ViewState>): void;
}

let followView: (parts: object) => void;
let createStore: (first: ViewState) => Store;

beforeAll(async () => {
  // Their types are those of a page.
  const [answers, store] = ['../../src/viewer/page/answers.ts', '../../src/viewer/page/store.ts'];
  ({ followView } = await import(/* @vite-ignore */ answers));
  ({ createStore } = await import(/* @vite-ignore */ store));
});

interface Asked {
  name: string;
  question: { a: number; b: number; asset: number };
  answer(answer: unknown): Promise<void>;
}

const settled = async (): Promise<void> => {
  for (let i = 0; i < 20; i++) await Promise.resolve();
};

/** A view of objects whose engine is the test, and the calls that reach stage and panels. */
function viewOf(...names: string[]) {
  const asked: Asked[] = [];
  const calls: [string, unknown][] = [];
  const ask = (name: string, question: Asked['question']): Promise<unknown> =>
    new Promise((resolve) => {
      const answer = (value: unknown): Promise<void> => {
        resolve(value);
        return settled();
      };
      asked.push({ name, question, answer });
    });
  const recorder = new Proxy({}, { get: (_, call: string) => (value: unknown) => calls.push([call, value]) });
  const objects = names.map((name, asset) => ({ name, asset, pose: Array.from(identity()) }));
  const loaded = {
    ...{ document: { objects, frames: [] }, facts: names.map(() => ({ depth: 3 })) },
    numbers: new Map(names.map((name, number) => [name, number])),
  };
  const store = createStore({ ...FIRST_VIEW, a: names[0], b: names[1] ?? null });
  followView({ loaded, store, engine: { ask, askLatest: ask }, stage: recorder, panels: recorder });
  const last = (call: string): unknown => calls.findLast(([name]) => name === call)?.[1];
  return { asked, store, last };
}

const quick = (verdict: 'clear' | 'contact', distance: number) => ({ verdict, distance, line: null });

test('an answer about the pair before is not shown of this one', async () => {
  const { asked, store, last } = viewOf('p', 'q', 'r');
  const [first] = asked.filter(({ name }) => name === 'quick');
  store.set({ b: 'r' });
  await settled();
  await first.answer(quick('clear', 1));
  expect(last('setQuick')).toBeUndefined();
  const second = asked.filter(({ name }) => name === 'quick')[1];
  expect(second.question).toMatchObject({ a: 0, b: 2 });
  await second.answer(quick('clear', 2));
  expect(last('setQuick')).toMatchObject({ distance: 2 });
});

test('where no pair is chosen any more, a late answer says nothing', async () => {
  const { asked, store, last } = viewOf('p', 'q');
  store.set({ b: null });
  await settled();
  await asked[0].answer(quick('contact', 0));
  expect([last('setQuick'), last('setContacts')]).toEqual([null, null]);
});

test('curves follow a drag, until the two are clear', async () => {
  const { asked, store, last } = viewOf('p', 'q');
  const move = async (x: number): Promise<Asked> => {
    store.set({ poses: { q: [1, 0, 0, x, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1] } });
    await settled();
    return asked.findLast(({ name }) => name === 'quick')!;
  };
  const touching = await move(1);
  await touching.answer(quick('contact', 0));
  const curves = asked.findLast(({ name }) => name === 'contacts')!;
  const apart = await move(2);
  await curves.answer({ count: 7 });
  expect(last('setContacts')).toEqual({ count: 7 });
  await apart.answer(quick('clear', 1));
  expect(last('setContacts')).toBeNull();
});

test('bounds of a level are drawn over one object, too, no deeper than it goes', async () => {
  const { asked, store, last } = viewOf('p');
  store.set({ level: 9 });
  await settled();
  const bounds = asked.find(({ name }) => name === 'bounds')!;
  expect(bounds.question).toEqual({ asset: 0, level: 3 });
  await bounds.answer('shape');
  expect(last('setBounds')).toBe('shape');
});
