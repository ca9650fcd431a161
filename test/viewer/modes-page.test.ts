/**
 * The page of `gicollide view` in sizes and modes: narrow, low, touched, printed, in high contrast,
 * magnified, and without WebGL.
 */
// @module-tag browser
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Locator, Page } from 'playwright-core';
import sharp from 'sharp';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { chromiumProgram, sharedBrowser } from '../support/chromium.ts';
import { makeFolder, run, writeMesh } from '../support/cli.ts';
import { some } from '../support/long.ts';
import { box } from '../support/shapes.ts';
import { type OpenViewer, openViewer, type PageOptions, until, violations } from '../support/viewer-page.ts';

const cwd = chromiumProgram ? makeFolder() : '';
const LONG = `Duplex_Electrical/${'IfcBuildingElementProxy'.repeat(6)}`;
const NO_WEBGL = `HTMLCanvasElement.prototype.getContext = new Proxy(HTMLCanvasElement.prototype.getContext, {
  apply: (get, canvas, [kind, ...rest]) => (/webgl/.test(kind) ? null : Reflect.apply(get, canvas, [kind, ...rest])),
});`;

/** 61 boxes in a row, each of which overlaps the next. */
function sceneText(): string {
  const names = Array.from({ length: 61 }, (_, k) => (k < 2 ? `${LONG}-${k}` : `box-${k}`));
  return JSON.stringify({
    gicollide: 'scene/1',
    units: 'm',
    assets: { box: 'box.obj' },
    instances: names.map((name, k) => ({ name, asset: 'box', translate: [0.9 * k, 0, 0] })),
    rules: [{ id: 'apart', a: '*', b: '*' }],
  });
}

describe.skipIf(!chromiumProgram)('in a browser', () => {
  let scene: string;
  let viewer: OpenViewer;
  beforeAll(async () => {
    mkdirSync(cwd, { recursive: true });
    writeMesh(join(cwd, 'box.obj'), box());
    writeFileSync(join(cwd, 'row.scene.json'), sceneText());
    const outcome = await run(['view', 'row.scene.json', '--html', 'row.html'], { cwd });
    expect(outcome).toMatchObject({ code: 0, stderr: '' });
    scene = pathToFileURL(join(cwd, 'row.html')).href;
  });
  afterEach(async () => {
    expect(viewer.messages).toEqual([]);
    await viewer.page.context().close();
  });
  afterAll(() => viewer?.page.context().close());

  const open = async (options: PageOptions): Promise<Page> => {
    viewer = await openViewer(await sharedBrowser(), scene, options);
    await until(viewer.page, "/overlap/.test(document.querySelector('.verdict').textContent)");
    return viewer.page;
  };
  const areaOf = async (part: Locator): Promise<number> => {
    const { width, height } = (await part.boundingBox())!;
    return width * height;
  };
  const isInSight = (page: Page, selector: string): Promise<boolean> =>
    page.evaluate(`(() => {
      const part = document.querySelector(${JSON.stringify(selector)});
      const { left, top, right, bottom } = part.getBoundingClientRect();
      const seen = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
      return left >= 0 && top >= 0 && right <= innerWidth && bottom <= innerHeight && part.contains(seen);
    })()`);
  const PANELS = ['Findings', 'Objects', 'Pair', 'Pose', 'Look'];

  const sizes = some(2, [
    [390, 844, 'light'],
    [844, 390, 'dark'],
    [1024, 700, 'light'],
    [768, 1024, 'dark'],
  ] as const);
  test.each(sizes)(
    'at %i x %i, %s: the picture has half of the page, and one panel opens at a time',
    { tags: ['all', 'long'] },
    async (width, height, theme) => {
      const page = await open({ width, height, theme, isTouch: true });
      expect(await areaOf(page.locator('.stage canvas'))).toBeGreaterThan((width * height) / 2);
      expect(await isInSight(page, '.verdict')).toBe(true);
      for (const name of PANELS) {
        const key = page.getByRole('navigation').getByRole('button', { name, exact: true });
        await key.click();
        expect(await key.getAttribute('aria-expanded')).toBe('true');
        expect(await page.locator('aside:visible').count()).toBe(1);
        expect(await page.getByRole('navigation').locator('[aria-expanded=true]').count()).toBe(1);
        expect(await isInSight(page, '.verdict')).toBe(true);
        expect(await areaOf(page.locator('.stage canvas'))).toBeGreaterThan((width * height) / 4);
        expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
        expect(await violations(viewer)).toEqual([]);
      }
      await page.getByRole('button', { name: 'Look', exact: true }).click();
      expect(await page.locator('aside:visible').count()).toBe(0);
    },
  );

  test('three columns leave the picture half of the width, and the verdict stays at the top of its own', {
    tags: ['all'],
  }, async () => {
    const page = await open({ width: 1100, height: 700 });
    expect((await page.locator('.stage canvas').boundingBox())!.width).toBeGreaterThan(540);
    const last = page.getByRole('group', { name: 'Theme' });
    await last.scrollIntoViewIfNeeded();
    expect(await page.locator('aside.right').evaluate((aside) => aside.scrollTop)).toBeGreaterThan(100);
    expect(await isInSight(page, '.verdict')).toBe(true);
    // A page that is made narrow and wide again keeps its verdict, which is where it was.
    await page.setViewportSize({ width: 800, height: 700 });
    await until(page, "document.querySelector('main .verdict')");
    await page.setViewportSize({ width: 1100, height: 700 });
    await until(page, "document.querySelector('aside.right > :first-child .verdict')");
  });

  test.each([
    [false, 24],
    [true, 40],
  ])('what is pressed has room for a finger (touch: %s): %i pixels', { tags: ['all'] }, async (isTouch, least) => {
    const page = await open({ width: isTouch ? 390 : 1280, height: 844, isTouch });
    // Faces of the view cube turn away, and other keys and drags do the same.
    const small = `[...document.querySelectorAll('button, select, input, textarea, summary, .row, .fold, .side')]
      .map((part) => part.matches('[type=checkbox]') ? part.closest('label') : part)
      .filter((part) => part.checkVisibility({ visibilityProperty: true }))
      .filter((part) => !part.matches('.cube > button'))
      .filter((part) => !part.matches('.fold, .side') || !${isTouch})
      .map((part) => [part.outerHTML.slice(0, 80), part.getBoundingClientRect()])
      .filter(([, { width, height }]) => Math.min(width, height) < 24 || height < ${least})
      .map(([text, { width, height }]) => [text, width, height])`;
    await page.evaluate("for (const part of document.querySelectorAll('details')) part.open = true");
    for (const name of isTouch ? PANELS : ['']) {
      if (name) await page.getByRole('navigation').getByRole('button', { name, exact: true }).click();
      expect(await page.evaluate(small)).toEqual([]);
    }
  });

  test('at 400 % nothing is wider than the page, and long names neither', { tags: ['all'] }, async () => {
    const page = await open({ width: 320, height: 256 });
    for (const name of PANELS) {
      await page.getByRole('navigation').getByRole('button', { name, exact: true }).click();
      const wide = `[document.documentElement, ...document.querySelectorAll('aside, aside .rows, main, header, .over')]
        .filter((part) => part.scrollWidth > part.clientWidth + 1).map((part) => part.outerHTML.slice(0, 80))`;
      expect(await page.evaluate(wide)).toEqual([]);
      expect(await page.locator('.stage canvas').boundingBox()).toMatchObject({ width: 320 });
    }
  });

  test('on a phone / opens the list and goes to its search, and a closed drawer gives its room back', {
    tags: ['all'],
  }, async () => {
    const page = await open({ width: 390, height: 844 });
    const height = async () => (await page.locator('.stage canvas').boundingBox())!.height;
    const before = await height();
    await page.keyboard.press('/');
    await page.keyboard.type('box-30');
    await expect.poll(() => page.getByRole('listbox', { name: 'Findings' }).locator('.row').count()).toBe(2);
    await expect.poll(height).toBeLessThan(before);
    await page.getByRole('navigation').getByRole('button', { name: 'Findings' }).click();
    await expect.poll(height).toBe(before);
  });

  test('on a phone the pages of images are a drawer', { tags: ['all'] }, async () => {
    const build = await run(['build', 'box.obj', '--size', '17', '-o', 'images'], { cwd });
    expect(build.code).toBe(0);
    const outcome = await run(['view', 'images/box.tiff', 'box.obj', '--html', 'image.html'], { cwd });
    expect(outcome).toMatchObject({ code: 0 });
    viewer = await openViewer(await sharedBrowser(), pathToFileURL(join(cwd, 'image.html')).href, { width: 390 });
    const { page } = viewer;
    const key = page.getByRole('navigation').getByRole('button', { name: 'Pages' });
    expect(await page.locator('.pages').isVisible()).toBe(false);
    await key.click();
    await page.locator('.gi-pixels').first().waitFor();
    await key.click();
    expect(await page.locator('.pages').isVisible()).toBe(false);
  });

  test('who wants less motion sees the end of a move at once', { tags: ['all'] }, async () => {
    const page = await open({});
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await page.reload();
    await page.waitForSelector('html[data-ready]', { state: 'attached' });
    const cube = page.locator('div.cube');
    const first = await cube.getAttribute('style');
    // The first frame that differs is the last one.
    const next = await page.evaluate(`new Promise((done) => {
      const cube = document.querySelector('div.cube');
      const look = () => cube.getAttribute('style') === ${JSON.stringify(first)}
        ? requestAnimationFrame(look) : done(cube.getAttribute('style'));
      document.querySelector('.cube > button').click();
      look();
    })`);
    await page.waitForTimeout(300);
    expect(await cube.getAttribute('style')).toBe(next);
  });

  test('printed, it is a sheet: the picture and all findings of the filter, black on white', {
    tags: ['all'],
  }, async () => {
    const page = await open({ theme: 'dark' });
    const pdf = (await page.pdf({ format: 'A4' })).toString('latin1');
    expect(Number(/\/Count (\d+)/.exec(pdf)?.[1])).toBeGreaterThanOrEqual(3);
    expect(pdf).toContain('/Subtype /Image');
    await page.getByRole('searchbox').first().fill('box-1');
    await page.evaluate("dispatchEvent(new Event('beforeprint'))");
    await page.emulateMedia({ media: 'print' });
    const sheet = page.locator('.sheet');
    expect(await page.locator('.page > :visible').count()).toBe(1);
    expect(await sheet.locator('h1').textContent()).toBe('row.scene.json');
    expect(await sheet.locator('p').first().textContent()).toMatch(/^gicollide .*, \d{4}-\d\d-\d\d \d\d:\d\d$/);
    expect(await sheet.locator('caption').textContent()).toBe('11 of 60 findings');
    const heads = await sheet.locator('th').allTextContents();
    expect(heads).toEqual(expect.arrayContaining(['class', 'size', 'objects']));
    const rows = await sheet.locator('tbody tr').allTextContents();
    const pairs = rows.map((row) => /^\d+overlapapart0\.1 thick(box-\d+)(box-\d+)/.exec(row)?.slice(1).join(' '));
    expect(pairs.sort()).toEqual(
      Array.from({ length: 11 }, (_, k) => [`box-${9 + k}`, `box-${10 + k}`].sort().join(' ')).sort(),
    );
    expect(await page.evaluate('getComputedStyle(document.body).color')).toBe('rgb(0, 0, 0)');
    expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe('rgb(255, 255, 255)');
    const { channels } = await sharp(await sheet.locator('canvas').screenshot()).stats();
    // Light paper, and something on it.
    expect(Math.min(...channels.map(({ mean }) => mean))).toBeGreaterThan(150);
    expect(Math.max(...channels.map(({ stdev }) => stdev))).toBeGreaterThan(5);
    await page.evaluate("dispatchEvent(new Event('afterprint'))");
    expect(await page.locator('.sheet > *').count()).toBe(0);
  });

  test('high contrast keeps the chosen row, the pressed button and the dots', { tags: ['all'] }, async () => {
    const page = await open({});
    await page.emulateMedia({ forcedColors: 'active' });
    await page.keyboard.press('j');
    const rows = page.getByRole('listbox', { name: 'Findings' });
    await rows.locator('[aria-selected=true]').waitFor();
    const paperOf = (selector: string): Promise<string> =>
      page.evaluate(`getComputedStyle(document.querySelector(${JSON.stringify(selector)})).backgroundColor`);
    expect(await paperOf('.row[aria-selected=true]')).not.toBe(await paperOf('.row[aria-selected=false]'));
    expect(await paperOf('.switch [aria-pressed=true]')).not.toBe(await paperOf('.switch [aria-pressed=false]'));
    const [chosen, other] = [rows.locator('[aria-selected=true]'), rows.locator('[aria-selected=false]').first()];
    for (const row of [chosen, other]) {
      const { x, y, height } = (await row.locator('.level').boundingBox())!;
      const clip = { x, y: y + height / 2 - 5, width: 10, height: 10 };
      const { channels } = await sharp(await page.screenshot({ clip })).stats();
      expect(Math.max(...channels.map(({ max, min }) => max - min))).toBeGreaterThan(100);
    }
    expect(await violations(viewer)).toEqual([]);
  });

  test.each([
    [1280, 800],
    [390, 844],
  ])(
    'without WebGL, at %i x %i, the page says so, answers, and has no controls of a picture',
    {
      tags: ['all'],
    },
    async (width, height) => {
      const page = await open({ width, height, before: NO_WEBGL });
      expect(await page.locator('.stage').first().innerText()).toMatch(/No picture[\s\S]*WebGL 2/);
      expect(await page.locator('canvas:visible').count()).toBe(0);
      await page.evaluate("for (const part of document.querySelectorAll('details')) part.open = true");
      for (const name of ['Fit', 'wire', 'move'])
        expect(await page.getByRole('button', { name }).isVisible()).toBe(false);
      expect(await page.getByRole('button', { name: 'Copy link' }).isVisible()).toBe(true);
      expect(await isInSight(page, '.verdict')).toBe(true);
      expect(await violations(viewer)).toEqual([]);
      await page.evaluate("dispatchEvent(new Event('beforeprint'))");
      expect(await page.locator('.sheet canvas').count()).toBe(0);
      expect(await page.locator('.sheet tbody tr').count()).toBe(60);
    },
  );
});
