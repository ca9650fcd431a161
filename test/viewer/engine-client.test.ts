/**
 * The page's client of its workers: with workers that a test holds, which of two is asked, and what
 * of a flood is; in Chromium, where there is one, the real worker under the page's own CSP and under
 * poorer ones.
 */
// @module-tag browser
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { check } from '../../src/engine/prepared.ts';
import { identity, translation } from '../../src/math/pose.ts';
import type { Answer } from '../../src/viewer/protocol.ts';
import { chromiumProgram, sharedBrowser } from '../support/chromium.ts';
import { icosphere } from '../support/shapes.ts';
import { assetOfKind, documentOf, obbOf } from '../support/view-documents.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** A script of the viewer as the page has it. */
async function bundled(path: string, name?: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [`${root}src/viewer/${path}`],
    ...{ bundle: true, format: 'iife', platform: 'browser', target: 'es2022', minify: true, write: false },
    ...(name && { globalName: name }),
    tsconfigRaw: {},
  });
  return outputFiles[0].text;
}

interface Engine {
  ask(name: string, question: unknown): Promise<unknown>;
  askLatest(name: string, question: unknown): Promise<unknown>;
  close(): void;
}

describe('with workers that the test holds', () => {
  /** Workers in the order of their start: what they were asked, and how they answer. */
  const workers: FakeWorker[] = [];
  class FakeWorker {
    asked: { id: number; name: string; question: unknown }[] = [];
    onmessage: ((event: { data: unknown }) => void) | undefined;
    onerror: ((event: { message?: string; preventDefault(): void }) => void) | undefined;
    isEnded = false;
    constructor(readonly url: string) {
      workers.push(this);
    }
    postMessage(message: { id: number; name: string; question: unknown }, transfer: ArrayBuffer[]): void {
      this.asked.push(structuredClone(message, { transfer }));
    }
    answer(n: number, answer: unknown): void {
      this.onmessage?.({ data: { id: this.asked[n].id, answer } });
    }
    terminate(): void {
      this.isEnded = true;
    }
  }
  let startEngine: (script: { url: string }) => Engine;
  const names = ({ asked }: FakeWorker) => asked.map(({ name }) => name);

  beforeAll(async () => {
    // Its types are those of a page.
    const path = '../../src/viewer/page/engine-client.ts';
    ({ startEngine } = await import(/* @vite-ignore */ path));
  });
  beforeEach(() => {
    workers.length = 0;
    (globalThis as { Worker?: unknown }).Worker = FakeWorker;
  });
  afterAll(() => {
    delete (globalThis as { Worker?: unknown }).Worker;
  });

  test('the other worker starts when something slow is asked, and opens first', async () => {
    const engine = startEngine({ url: 'worker.js' });
    const open = { document: {}, files: [Uint8Array.of(1, 2)] };
    const facts = engine.ask('open', open);
    engine.ask('quick', { a: 0 }).catch(() => {});
    engine.ask('touching', { poses: {} }).catch(() => {});
    expect(workers.length).toBe(1);
    const surface = engine.ask('surface', { asset: 0 });
    engine.ask('full', { a: 0 }).catch(() => {});
    expect(workers.map(names)).toEqual([
      ['open', 'quick', 'touching'],
      ['open', 'surface', 'full'],
    ]);
    // The first worker has copies of the files, so the second takes them.
    expect(workers[0].asked[0].question).toEqual({ document: {}, files: [Uint8Array.of(1, 2)] });
    expect(workers[1].asked[0].question).toEqual({ document: {}, files: [Uint8Array.of(1, 2)], isLazy: true });
    expect(open.files[0].buffer.byteLength).toBe(0);
    workers[0].answer(0, ['facts']);
    workers[1].answer(1, 'shape');
    expect(await facts).toEqual(['facts']);
    expect(await surface).toBe('shape');
    engine.close();
    expect(workers.map(({ isEnded }) => isEnded)).toEqual([true, true]);
    await expect(engine.ask('quick', {})).rejects.toThrow('the engine is closed');
  });

  test('of a flood the first and the last are asked, and those between give null', async () => {
    const engine = startEngine({ url: 'worker.js' });
    const answers = [1, 2, 3, 4].map((n) => engine.askLatest('quick', n));
    const other = engine.askLatest('touching', 'own');
    expect(workers[0].asked.map(({ question }) => question)).toEqual([1, 'own']);
    expect(await answers[1]).toBeNull();
    expect(await answers[2]).toBeNull();
    workers[0].answer(0, 'first');
    expect(await answers[0]).toBe('first');
    await new Promise((done) => setTimeout(done));
    expect(workers[0].asked.map(({ question }) => question)).toEqual([1, 'own', 4]);
    workers[0].answer(1, 'other');
    workers[0].answer(2, 'last');
    expect([await other, await answers[3]]).toEqual(['other', 'last']);
    const again = engine.askLatest('quick', 5);
    workers[0].answer(3, 'again');
    expect(await again).toBe('again');
  });

  test('a question that fails lets the one that waits go on', async () => {
    const engine = startEngine({ url: 'worker.js' });
    const first = engine.askLatest('quick', 1);
    const last = engine.askLatest('quick', 2);
    workers[0].onmessage?.({ data: { id: 1, error: 'object: expected the number of an object, found 7' } });
    await expect(first).rejects.toThrow('object: expected the number of an object, found 7');
    await new Promise((done) => setTimeout(done));
    workers[0].answer(1, 'fine');
    expect(await last).toBe('fine');
  });

  test('a worker that stops, or never starts, refuses everything in one line', async () => {
    const engine = startEngine({ url: 'worker.js' });
    const asked = engine.ask('open', { document: {}, files: [] });
    workers[0].onerror?.({ preventDefault() {} });
    await expect(asked).rejects.toThrow(
      /^the worker that answers the questions cannot be started; .*worker-src blob:$/,
    );
    await expect(engine.ask('quick', {})).rejects.toThrow(/^the worker that answers the questions cannot be started/);
    const answered = startEngine({ url: 'worker.js' });
    const first = answered.ask('quick', {});
    workers[1].answer(0, 'one');
    expect(await first).toBe('one');
    const second = answered.ask('quick', {});
    workers[1].onerror?.({ message: 'out of memory', preventDefault() {} });
    await expect(second).rejects.toThrow('the worker has stopped: out of memory');
    (globalThis as { Worker?: unknown }).Worker = class {
      constructor() {
        throw new Error('refused');
      }
    };
    await expect(startEngine({ url: 'worker.js' }).ask('quick', {})).rejects.toThrow(
      /^the worker .* cannot be started.*\(refused\)$/,
    );
  });
});

describe.skipIf(!chromiumProgram)('in Chromium', () => {
  const scripts: Record<string, string> = {};
  const server = createServer(({ url = '' }, answer) => {
    const { searchParams, pathname } = new URL(url, 'http://127.0.0.1');
    const csp = searchParams.get('csp');
    if (csp) answer.setHeader('content-security-policy', csp);
    const script = scripts[pathname];
    answer.setHeader('content-type', script ? 'text/javascript' : 'text/html');
    answer.end(
      script ?? '<!doctype html><title>engine</title><link rel="icon" href="data:,"><script src="/client.js"></script>',
    );
  });

  beforeAll(async () => {
    scripts['/client.js'] = await bundled('page/engine-client.ts', 'client');
    scripts['/worker.txt'] = await bundled('worker.ts');
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  });
  afterAll(() => {
    server.close();
  });

  const PAGE = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; img-src data:; connect-src 'self'";

  const [a, b] = [obbOf(icosphere(3)), assetOfKind('gi')];

  /** Opens a sphere and a geometry image under a policy, and asks them. */
  async function asked(csp: string, questions: [name: string, question: unknown][]) {
    const { document, files } = await documentOf([{ asset: a }, { asset: b }]);
    const page: Page = await (await sharedBrowser()).newPage();
    try {
      await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/?csp=${encodeURIComponent(csp)}`);
      const data = { document, files: files.map((bytes) => Array.from(bytes)), questions };
      return await page.evaluate(async ({ document, files, questions }) => {
        const text = await (await fetch('/worker.txt')).text();
        const engine = (globalThis as never as { client: { startEngine(script: object): Engine } }).client.startEngine({
          text,
        });
        const answers: unknown[] = [];
        const told = (promise: Promise<unknown>) =>
          promise.then(
            (answer) => answers.push(JSON.parse(JSON.stringify(answer))),
            (error: Error) => answers.push(error.message),
          );
        await told(engine.ask('open', { document, files: files.map((bytes) => Uint8Array.from(bytes)) }));
        for (const [name, question] of questions) await told(engine.ask(name, question));
        engine.close();
        return answers;
      }, data);
    } finally {
      await page.close();
    }
  }

  const poseB = Array.from(translation(2.5, 0, 0));
  const apart = { a: 0, b: 1, poseA: Array.from(identity()), poseB };
  const near = { ...apart, poseB: Array.from(translation(0.5, 0, 0)) };

  test.each([
    ['the page’s policy', `${PAGE}; worker-src blob:`, 'kernel'],
    ['no WebAssembly', `${PAGE.replace(" 'wasm-unsafe-eval'", '')}; worker-src blob:`, 'common'],
  ])('%s: both workers answer as check does', { tags: ['all'] }, async (_, csp, engine) => {
    const questions: [string, unknown][] = [
      ['quick', apart],
      ['quick', near],
      ['full', near],
      ['touching', { poses: { b: poseB } }],
      ['find', { poses: {} }],
    ];
    const [facts, far, contact, full, touching, found] = (await asked(csp, questions)) as never[];
    const expected = check(a, b, { poseB: translation(2.5, 0, 0), distance: true });
    expect(facts).toMatchObject([{ bounds: 'boxes' }, { bounds: 'spheres', hasPages: true }]);
    expect(far).toMatchObject({ verdict: 'clear', engine });
    // What a slow machine does not find within a frame is bounded.
    const { distance, bracket } = far as Answer<'quick'>;
    const { lower, upper } = bracket ?? { lower: distance! - 1e-9, upper: distance! + 1e-9 };
    expect(lower).toBeLessThanOrEqual(expected.distance!);
    expect(upper).toBeGreaterThanOrEqual(expected.distance!);
    expect(contact).toMatchObject({ verdict: 'contact', distance: 0, line: null });
    expect(full).toMatchObject({ report: { verdict: 'contact', class: 'overlap' }, problem: null });
    expect(touching).toMatchObject({ pairs: [] });
    expect(found).toMatchObject({ findings: [{ class: 'overlap' }] });
  });

  test('a policy without workers is said in one line', { tags: ['long'] }, async () => {
    const answers = await asked(`${PAGE}; worker-src 'none'`, [['quick', apart]]);
    for (const answer of answers)
      expect(answer).toMatch(/^the worker that answers the questions cannot be started[^\n]*$/);
  });
});
