/** The tools over the picture: undo and history, the view cube, the section, the up axis. */
// @module-tag browser
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Frame, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readView, type ViewState } from '../../src/viewer/view-state.ts';
import { chromiumProgram, sharedBrowser } from '../support/chromium.ts';
import { makeFolder, run, writeMesh } from '../support/cli.ts';
import { box } from '../support/shapes.ts';
import { goTo, type OpenViewer, openViewer, type PageOptions, until, violations } from '../support/viewer-page.ts';

const cwd = chromiumProgram ? makeFolder() : '';
const ALL = { tags: ['all'] };

async function written(name: string, ...args: string[]): Promise<string> {
  const outcome = await run(['view', ...args, '--html', name], { cwd });
  expect(outcome).toMatchObject({ code: 0, stderr: '' });
  return join(cwd, name);
}

describe.skipIf(!chromiumProgram)('tools over the picture', () => {
  let browser: Browser;
  let pair: string;
  const opened: OpenViewer[] = [];

  beforeAll(async () => {
    browser = await sharedBrowser();
    writeMesh(join(cwd, 'one.obj'), box(1));
    writeMesh(join(cwd, 'other.obj'), box(0.5, 1, 0.25));
    pair = await written('pair.html', 'one.obj', 'other.obj', '--translate-b', '2,0,0', '--up', 'z');
  });
  afterAll(() => Promise.all(opened.map(({ page }) => page.context().close())));

  const FRONT = 'camera=0,-10,0,0,0,0';
  async function open(view = '', options?: PageOptions, file = pair): Promise<Page> {
    const viewer = await openViewer(browser, `${pathToFileURL(file).href}${view && `#${view}`}`, options);
    opened.push(viewer);
    expect(viewer.messages).toEqual([]);
    return viewer.page;
  }
  const state = async (page: Page): Promise<ViewState> => readView(await page.evaluate('location.href'));
  const entries = (page: Page): Promise<number> => page.evaluate('history.length') as Promise<number>;
  const rest = (page: Page): Promise<void> => page.waitForTimeout(700);
  const canvasBox = async (page: Page) => (await page.locator('canvas').first().boundingBox())!;
  /** The middle of the picture and pixels per length there, for FRONT. */
  async function scaleOf(page: Page): Promise<{ x: number; y: number; unit: number }> {
    const { x, y, width, height } = await canvasBox(page);
    return {
      ...{ x: x + width / 2, y: y + height / 2 },
      unit: Math.min(width, height) / 20 / Math.tan((17 * Math.PI) / 180),
    };
  }
  /** Drags b, with a pause longer than the address needs. */
  async function dragB(page: Page, by: number): Promise<void> {
    const { x, y, unit } = await scaleOf(page);
    const { poses } = await state(page);
    const at = x + (poses['other.obj']?.[3] ?? 2) * unit;
    await page.keyboard.down('Shift');
    await page.mouse.move(at, y);
    await page.mouse.down();
    await page.mouse.move(at + (by * unit) / 2, y, { steps: 3 });
    await rest(page);
    await page.mouse.move(at + by * unit, y, { steps: 3 });
    await page.mouse.up();
    await page.keyboard.up('Shift');
    await rest(page);
  }
  const xOfB = async (page: Page): Promise<number> => (await state(page)).poses['other.obj']?.[3] ?? 2;

  test('a drag is one step, which undo, redo and the history take back', ALL, async () => {
    const page = await open(FRONT);
    const undo = page.getByRole('button', { name: 'Undo' });
    expect(await undo.isDisabled()).toBe(true);
    const before = await entries(page);
    await dragB(page, 1);
    const there = await xOfB(page);
    expect(there).toBeGreaterThan(2.8);
    expect(await entries(page)).toBe(before + 1);
    // The camera has no steps.
    await page.keyboard.press('ArrowRight');
    await rest(page);
    const turned = (await state(page)).camera;
    expect(turned?.eye[0]).not.toBe(0);
    expect(await entries(page)).toBe(before + 1);
    await page.keyboard.press('Control+z');
    await until(page, '!/pose/.test(location.hash)');
    await rest(page);
    expect((await state(page)).camera).toEqual(turned);
    await page.keyboard.press('Control+Shift+Z');
    await until(page, '/pose/.test(location.hash)');
    expect(await xOfB(page)).toBe(there);
    await page.evaluate('history.back()');
    await until(page, '!/pose/.test(location.hash)');
    expect(await page.getByRole('button', { name: 'Redo' }).isDisabled()).toBe(false);
    await page.getByRole('button', { name: 'Redo' }).click();
    await until(page, '/pose/.test(location.hash)');
    await undo.click();
    await until(page, '!/pose/.test(location.hash)');
    expect(await undo.isDisabled()).toBe(true);
    // Another way: the step that was undone is gone.
    await dragB(page, -0.5);
    expect(await page.getByRole('button', { name: 'Redo' }).isDisabled()).toBe(true);
  });

  test('a pair is a step, an entered link is one, and a reloaded page goes on', ALL, async () => {
    const page = await open(FRONT);
    const swap = (): Promise<void> => page.keyboard.press('x');
    await swap();
    await rest(page);
    expect(await state(page)).toMatchObject({ a: 'other.obj', b: 'one.obj' });
    await goTo(page, `${FRONT}&level=2`);
    await rest(page);
    await page.keyboard.press('Control+z');
    await until(page, '/a=other/.test(location.hash)');
    await page.reload();
    await page.waitForSelector('html[data-ready]', { state: 'attached' });
    await page.keyboard.press('Control+z');
    await until(page, '!/a=other/.test(location.hash)');
    await rest(page);
    expect(await state(page)).toMatchObject({ a: 'one.obj', b: 'other.obj', level: null });
  });

  test('a finding is a step, with its camera', ALL, async () => {
    const three = [0, 0.8, 1.6].map((x, k) => ({ name: `box ${k}`, asset: 'box', translate: [x, 3 * x, 0] }));
    const scene = { gicollide: 'scene/1', assets: { box: 'big.obj' }, instances: three };
    writeFileSync(join(cwd, 'three.scene.json'), JSON.stringify(scene));
    writeMesh(join(cwd, 'big.obj'), box(4));
    const page = await open('', {}, await written('three.html', 'three.scene.json'));
    await page.keyboard.press('j');
    await until(page, '/camera/.test(location.hash)');
    await rest(page);
    const { finding, camera, a, b } = await state(page);
    const before = await entries(page);
    await page.keyboard.press('k');
    await rest(page);
    const later = await state(page);
    expect(later.finding).not.toBe(finding);
    expect(await entries(page)).toBe(before + 1);
    await page.keyboard.press('Control+z');
    await rest(page);
    expect(await state(page)).toMatchObject({ finding, camera, a, b });
    await page.evaluate('history.forward()');
    await rest(page);
    expect(await state(page)).toEqual(later);
  });

  test('fields keep their own undo', ALL, async () => {
    const page = await open(FRONT);
    await dragB(page, 1);
    const there = await xOfB(page);
    await page.getByRole('textbox', { name: 'x', exact: true }).first().click();
    await page.keyboard.type('7');
    await page.keyboard.press('Control+z');
    await rest(page);
    expect(await xOfB(page)).toBe(there);
  });

  test('a page that cannot change the history has undo all the same', ALL, async () => {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
    const page = await context.newPage();
    await page.setContent('<iframe sandbox="allow-scripts" style="width:1200px;height:760px"></iframe>');
    const html = JSON.stringify(readFileSync(pair, 'utf8'));
    await page.evaluate(`document.querySelector('iframe').srcdoc = ${html}`);
    const frame: Frame = await (await page.waitForSelector('iframe')).contentFrame().then((found) => found!);
    await frame.waitForSelector('html[data-ready]', { state: 'attached' });
    const shown = (): Promise<string> => frame.locator('.two select').first().inputValue();
    const first = await shown();
    await frame.locator('canvas').first().focus();
    await page.keyboard.press('x');
    await expect.poll(shown, { timeout: 60_000 }).not.toBe(first);
    await rest(page);
    const undo = frame.getByRole('button', { name: 'Undo' });
    expect(await undo.isDisabled()).toBe(false);
    await undo.click();
    await expect.poll(shown, { timeout: 60_000 }).toBe(first);
    await rest(page);
    await page.keyboard.press('Control+y');
    await expect.poll(shown, { timeout: 60_000 }).not.toBe(first);
    await context.close();
  });

  const SIDES = [
    ['top', 2, 1],
    ['right', 0, 1],
    ['left', 0, -1],
  ] as const;
  test('the cube shows from where the picture is seen, and looks from its faces', ALL, async () => {
    const page = await open();
    const frontAt = (): Promise<string> => page.evaluate("document.querySelector('.cube').style.transform");
    const before = await frontAt();
    for (const [name, axis, sign] of SIDES) {
      const face = (await page.getByRole('button', { name, exact: true }).boundingBox())!;
      if (name !== 'left') await page.mouse.click(face.x + face.width / 2, face.y + face.height / 2);
      else {
        await page.getByRole('button', { name: 'left', exact: true }).focus();
        await page.keyboard.press('Enter');
      }
      await until(page, '/camera/.test(location.hash)');
      await rest(page);
      const { eye, target } = (await state(page)).camera!;
      const way = eye.map((x, k) => x - target[k]);
      expect((sign * way[axis]) / Math.hypot(...way)).toBeGreaterThan(0.9999);
      expect(await frontAt()).not.toBe(before);
      // From above, the next face has no width: look from the first side again.
      await page.keyboard.press('f');
      await expect.poll(frontAt, { timeout: 60_000 }).toBe(before);
    }
  });

  test('a face that has the focus by keyboard is turned to the front', ALL, async () => {
    const page = await open();
    await page.getByRole('button', { name: 'front', exact: true }).focus();
    await page.keyboard.press('Tab');
    const back = page.getByRole('button', { name: 'back', exact: true });
    expect(await page.evaluate('document.activeElement.textContent')).toBe('back');
    const { x, y, width, height } = (await back.boundingBox())!;
    expect([width, height]).toEqual([48, 48]);
    const seen = `document.elementFromPoint(${x + 24}, ${y + 24}).textContent`;
    expect(await page.evaluate(seen)).toBe('back');
  });

  test('the section has its tools over the picture, and a handle that drags its plane', ALL, async () => {
    const page = await open(FRONT);
    expect(await page.getByRole('button', { name: 'Flip' }).isVisible()).toBe(false);
    await page.getByRole('button', { name: 'Section' }).click();
    await until(page, '/section=x/.test(location.hash)');
    const { at } = (await state(page)).section!;
    const { x, y, unit } = await scaleOf(page);
    await page.mouse.move(x + at * unit + 60, y);
    await page.mouse.down();
    await page.mouse.move(x + at * unit + 60 - unit, y, { steps: 4 });
    await page.mouse.up();
    await rest(page);
    expect((await state(page)).section?.at).toBeCloseTo(at - 1, 1);
    await page.getByRole('button', { name: 'Flip' }).click();
    await page.getByRole('button', { name: 'z', exact: true }).click();
    await rest(page);
    expect((await state(page)).section).toMatchObject({ axis: 'z', isFlipped: true });
    await page.getByRole('button', { name: 'Section' }).click();
    await until(page, '!/section/.test(location.hash)');
  });

  test('an orthographic view is a link, and a click finds what it shows', ALL, async () => {
    const far = [1, 0, 0, 2, 0, 1, 0, 40, 0, 0, 1, 0, 0, 0, 0, 1].join();
    const page = await open(`${FRONT}&pose.other.obj=${far}&a=one.obj`);
    const { x, y, unit } = await scaleOf(page);
    const titleAt = async (place: number): Promise<string> => {
      await page.mouse.move(x, y - 200);
      await page.mouse.move(x + place * unit, y);
      await rest(page);
      return page.evaluate("document.querySelector('canvas').title");
    };
    expect(await titleAt(2)).toBe('');
    await page.keyboard.press('o');
    await until(page, '/orthographic=1/.test(location.hash)');
    expect(await titleAt(2)).toBe('other.obj');
    expect(await titleAt(1)).toBe('');
    expect(await page.getByRole('button', { name: 'Ortho' }).getAttribute('aria-pressed')).toBe('true');
  });

  test('y is up for OBJ', ALL, async () => {
    const page = await open('', {}, await written('y.html', 'one.obj'));
    await page.mouse.click(
      ...(await page.getByRole('button', { name: 'top', exact: true }).boundingBox().then(middle)),
    );
    await until(page, '/camera/.test(location.hash)');
    await rest(page);
    const { eye, target } = (await state(page)).camera!;
    expect(eye[1] - target[1]).toBeGreaterThan(0.999 * Math.hypot(...eye.map((x, k) => x - target[k])));
  });

  test.each([
    [1280, 800, 'light'],
    [390, 844, 'dark'],
  ] as const)(
    'axe-core finds nothing at %i pixels, and tools are at least 44 pixels',
    ALL,
    async (width, height, theme) => {
      const page = await open('section=x,0.2', { width, height, theme });
      const viewer = opened.find((one) => one.page === page)!;
      expect(await violations(viewer)).toEqual([]);
      for (const tool of await page.locator('.toolbar button:visible').all()) {
        const box = (await tool.boundingBox())!;
        expect(Math.min(box.width, box.height)).toBeGreaterThanOrEqual(43);
        expect(box.x + box.width).toBeLessThanOrEqual(width);
      }
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
    },
  );
});

const middle = (box: { x: number; y: number; width: number; height: number } | null): [number, number] => [
  box!.x + box!.width / 2,
  box!.y + box!.height / 2,
];
