/** The pages in Chromium: what is pointed at there is marked on the surface, and the other way round. */
// @module-tag browser
import { readFileSync } from 'node:fs';
import { build as bundle } from 'esbuild';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { build } from '../../src/index.ts';
import { type GeometryImage, toMesh } from '../../src/representations/gi/tree/geometry-image.ts';
import { pagesOf } from '../../src/viewer/gi-pages.ts';
import { chromiumProgram, sharedBrowser } from '../support/chromium.ts';
import { icosphere, together, torus } from '../support/shapes.ts';

const root = new URL('../..', import.meta.url);
/** A turn about z by 90 degrees, exactly, and a shift. */
const TURN = [0, -1, 0, 10, 1, 0, 0, 20, 0, 0, 1, 30, 0, 0, 0, 1];
const STAND = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];
const MEAN = '<img src=x onerror=alert(1)>\u202eb';

/** The store, the engine and the stage, as small as they can be; what the stage is told is written down. */
const HARNESS = `
import { createPages } from './src/viewer/page/image-pages.ts';
import { FIRST_VIEW } from './src/viewer/view-state.ts';
globalThis.open = (names, poses, texts) => {
  const read = (text) => JSON.parse(text, (key, value) =>
    key === 'places' ? Float32Array.from(value, (x) => x ?? NaN)
    : key === 'rgba' ? Uint8ClampedArray.from(value)
    : key === 'charts' ? Int32Array.from(value) : value);
  const told = globalThis.told = { pointer: [], asked: [] };
  const listeners = [];
  let state = { ...FIRST_VIEW, a: names[0], b: names[1] };
  const store = {
    get state() { return state; },
    set(changes) { const before = state; state = { ...state, ...changes }; for (const tell of listeners) tell(state, before); },
    follow(listener) { listeners.push(listener); },
  };
  const objects = names.map((name, i) => ({ name, asset: i, pose: poses[i] }));
  const facts = texts.map((text) => ({ hasPages: text !== null }));
  const loaded = { document: { objects, frames: [] }, facts, numbers: new Map(names.map((name, i) => [name, i])) };
  const ask = async (name, { asset }) => {
    told.asked.push([name, asset]);
    if (texts[asset] === 'broken') throw new Error('pages: \\u202e<b>broken</b>');
    return read(texts[asset]);
  };
  const stage = { setPointer: (place) => told.pointer.push(place), onPoint: (listener) => { globalThis.pointAt = listener; } };
  globalThis.store = store;
  document.getElementById('pages').replaceChildren(createPages(loaded, store, { ask }, stage).element);
};`;

const asText = (image: GeometryImage): string =>
  JSON.stringify(pagesOf(image), (_, value) => (ArrayBuffer.isView(value) ? Array.from(value as Float32Array) : value));

describe.skipIf(!chromiumProgram)('in a browser', () => {
  const one = build(icosphere(2), { size: 17 });
  const several = build(together(torus(), icosphere(1)), { size: 17 });
  let page: Page;
  const said: string[] = [];

  beforeAll(async () => {
    const { outputFiles } = await bundle({
      stdin: { contents: HARNESS, resolveDir: root.pathname },
      bundle: true,
      write: false,
      format: 'iife',
    });
    const browser = await sharedBrowser();
    page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    page.on('console', (message) => said.push(message.text()));
    page.on('pageerror', (error) => said.push(error.message));
    await page.setContent('<!doctype html><html lang="en"><title>pages</title><main><h1>Pages</h1><div id="pages">');
    await page.addStyleTag({ content: readFileSync(new URL('src/viewer/page/gi-pages.css', root), 'utf8') });
    await page.addScriptTag({ content: outputFiles[0].text });
  });
  afterAll(async () => {
    await page?.close();
    expect(said).toEqual([]);
  });

  const open = async (images: (GeometryImage | 'broken' | null)[], names = ['left', 'right']): Promise<void> => {
    const texts = images.map((image) => (image === null || image === 'broken' ? image : asText(image)));
    const call = `open(${JSON.stringify(names)}, ${JSON.stringify([STAND, TURN])}, ${JSON.stringify(texts)})`;
    await page.evaluate(call);
    await page.evaluate('store.set({ showsPages: true })');
  };
  const pointers = (): Promise<(number[] | null)[]> => page.evaluate('told.pointer');
  const canvas = (image: number, index: number): Locator =>
    page.locator('.gi-image').nth(image).locator('canvas').nth(index);
  const readout = (image: number): Promise<string | null> =>
    page.locator('.gi-image').nth(image).locator('.gi-readout').textContent();

  /** Moves the pointer to the middle of a pixel. */
  async function point(at: Locator, x: number, y: number): Promise<void> {
    await at.scrollIntoViewIfNeeded();
    const box = (await at.boundingBox())!;
    const [width, height] = await at.evaluate((element) => {
      const { width, height } = element as unknown as { width: number; height: number };
      return [width, height];
    });
    await page.mouse.move(box.x + ((x + 0.5) * box.width) / width, box.y + ((y + 0.5) * box.height) / height);
  }

  test('nothing is there, and nothing is asked, before pages are shown; nor when they no longer are', async () => {
    await page.evaluate(`open(['left', 'right'], ${JSON.stringify([STAND, TURN])}, ['', ''])`);
    expect(await page.locator('.gi-pages').isHidden()).toBe(true);
    expect(await page.evaluate('told.asked')).toEqual([]);
    await open([one, one]);
    await page.locator('canvas').first().waitFor();
    await page.evaluate('store.set({ showsPages: false })');
    expect(await page.locator('canvas').count()).toBe(0);
  });

  test('a pixel marks its place on the surface, where the object stands', { tags: ['all'] }, async () => {
    await open([one, one]);
    await canvas(1, 0).waitFor();
    const { positions } = toMesh(one);
    for (const [x, y] of [
      [0, 0],
      [16, 16],
      [5, 11],
    ]) {
      await point(canvas(1, 0), x, y);
      const [px, py, pz] = positions.subarray(3 * (17 * y + x));
      const place = (await pointers()).at(-1)!;
      [10 - py, 20 + px, 30 + pz].forEach((value, k) => {
        expect(place[k]).toBeCloseTo(value, 5);
      });
      expect(await readout(1)).toMatch(`row ${y}, column ${x}: x ${String(px.toPrecision(3)).slice(0, 3)}`);
    }
    await point(canvas(0, 0), 1, 2);
    expect(await page.locator('.gi-image').nth(1).locator('.gi-row:visible').count()).toBe(0);
    await page.mouse.move(1, 1);
    expect((await pointers()).at(-1)).toBeNull();
  });

  test('a place of the surface is crossed on every page, and moves with its object', async () => {
    await open([one, several]);
    await canvas(1, 0).waitFor();
    const { positions } = toMesh(one);
    const vertex = 17 * 4 + 9;
    const place = Array.from(positions.subarray(3 * vertex, 3 * vertex + 3));
    await page.evaluate(`pointAt({ object: 0, place: ${JSON.stringify(place)} })`);
    expect(await readout(0)).toMatch(/^row 4, column 9: /);
    expect(await page.locator('.gi-image').first().locator('.gi-row:visible').count()).toBe(4);
    await page.evaluate(`store.set({ poses: { left: ${JSON.stringify(TURN)} } })`);
    const moved = (await pointers()).at(-1)!;
    expect(moved[0]).toBeCloseTo(10 - place[1], 5);
    await page.evaluate('pointAt(null)');
    expect((await pointers()).at(-1)).toBeNull();
    expect(await page.locator('.gi-row:visible').count()).toBe(0);
  });

  test('the arrow keys go from sample to sample, and stop at the sides', async () => {
    await open([one, null]);
    await canvas(0, 0).waitFor();
    expect(await page.locator('.gi-image').count()).toBe(1);
    await canvas(0, 0).focus();
    await page.keyboard.press('ArrowRight');
    expect(await readout(0)).toMatch(/^row 8, column 9: /);
    await page.keyboard.press('Shift+ArrowUp');
    expect(await readout(0)).toMatch(/^row 0, column 9: /);
    await page.keyboard.press('Escape');
    expect(await readout(0)).toMatch(/^Point/);
  });

  test('the level that is shown frames its node, and the tree’s page its own', { tags: ['all'] }, async () => {
    await open([one, several]);
    await canvas(1, 0).waitFor();
    await page.evaluate('store.set({ level: 2 })');
    await point(canvas(0, 0), 5, 11);
    expect(await readout(0)).toMatch(/; node of level 2: row 2, column 1$/);
    const framed = (await page.locator('.gi-image').first().locator('.gi-node').first().boundingBox())!;
    const whole = (await canvas(0, 0).boundingBox())!;
    expect((framed.x - whole.x) / whole.width).toBeCloseTo(4 / 17, 2);
    expect(framed.width / whole.width).toBeCloseTo(5 / 17, 2);
    // Level 3 has 8 x 8 nodes right of the leaves, from their top.
    await point(canvas(0, 3), 16 + 2, 5);
    expect(await readout(0)).toMatch(/^row 11, column 5: .*; node of level 3: row 5, column 2$/);
    await point(canvas(0, 3), 23, 15);
    expect(await readout(0)).toMatch(/^Point/);
  });

  test('a name full of markup is text, and so is an error', async () => {
    await open([one, 'broken'], [MEAN, 'right']);
    await page.locator('.gi-readout').filter({ hasText: 'broken' }).waitFor();
    expect(await page.locator('.gi-pages').textContent()).toBe('pages: \\u202e<b>broken</b>');
    await open([one, null], [MEAN, 'right']);
    await page.locator('h2').waitFor();
    expect(await page.locator('h2').textContent()).toBe('<img src=x onerror=alert(1)>\\u202eb');
    expect(await page.locator('img').count()).toBe(0);
    await open([null, null]);
    expect(await page.locator('.gi-readout').textContent()).toBe('Neither of the two is a geometry image.');
  });

  test('nothing is wider than 390 pixels', async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await open([one, several]);
    await canvas(1, 0).waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
    await page.setViewportSize({ width: 1280, height: 900 });
  });
});
