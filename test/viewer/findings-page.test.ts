/**
 * Findings on the whole page, in Chromium: the one that it opens on, the bar that stays in sight,
 * and a click on another object.
 */
// @module-tag browser
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readView } from '../../src/viewer/view-state.ts';
import { chromiumProgram, sharedBrowser } from '../support/chromium.ts';
import { assets, makeFolder, run, writeMesh } from '../support/cli.ts';
import { box } from '../support/shapes.ts';
import { type OpenViewer, openViewer, type PageOptions, until, violations } from '../support/viewer-page.ts';

const cwd = chromiumProgram ? makeFolder() : '';
const instances = [
  { name: 'far', asset: 'cube', translate: [20, 0, 0] },
  { name: 'shelf', asset: 'cube', translate: [0, 0, 0] },
  { name: 'crate', asset: 'cube', translate: [1, 0, 0] },
  { name: 'house/lamp', asset: 'cube', translate: [5, 0, 0] },
  { name: 'house/hook', asset: 'cube', translate: [5.5, 0, 0] },
];
const SCENE = { gicollide: 'scene/1', assets: { cube: 'cube.obj' }, instances };

describe.skipIf(!chromiumProgram)('findings on the page', () => {
  let browser: Browser;
  const opened: OpenViewer[] = [];

  beforeAll(async () => {
    browser = await sharedBrowser();
    writeMesh(join(cwd, 'cube.obj'), box(1));
    writeFileSync(join(cwd, 's.scene.json'), JSON.stringify(SCENE));
    // Shelf and crate only touch, which is no failure.
    expect(await run(['view', 's.scene.json', '--html', 's.html'], { cwd })).toMatchObject({ code: 0 });
    const robot = ['arm.urdf', 'arm-states.csv', 'arm-cell.scene.json'].map((name) => join(assets, name));
    const moving = [robot[0], '--states', robot[1], '--with', robot[2]];
    expect(await run(['view', ...moving, '--html', 'robot.html'], { cwd })).toMatchObject({ code: 0 });
  });
  afterAll(() => Promise.all(opened.map(({ page }) => page.context().close())));

  const open = async (name: string, view = '', options?: PageOptions): Promise<OpenViewer> => {
    const viewer = await openViewer(browser, `${pathToFileURL(join(cwd, name)).href}${view && `#${view}`}`, options);
    opened.push(viewer);
    return viewer;
  };
  const place = ({ page }: OpenViewer) => page.locator('.findings-bar output').first().textContent();
  /** The chosen row of the list. */
  const rows = ({ page }: OpenViewer) => page.getByRole('listbox', { name: 'Findings' }).locator('.row.chosen');
  const stateOf = async ({ page }: OpenViewer) => {
    // The address is written when the view rests.
    await until(page, "location.hash.includes('a=')");
    return readView(await page.evaluate('location.hash'));
  };

  test('a scene opens on the finding that fails: in the list, the details, the address and the camera', {
    tags: ['all'],
  }, async () => {
    const viewer = await open('s.html');
    const { page } = viewer;
    expect(await place(viewer)).toMatch(/^\d of 2$/);
    expect(await rows(viewer).locator('.name').allTextContents()).toEqual(['hook house', 'lamp house']);
    expect(await page.locator('.finding dl').textContent()).toContain('house/hook');
    const { a, b, finding, isIsolated, camera } = await stateOf(viewer);
    expect({ a, b, isIsolated }).toEqual({ a: 'house/hook', b: 'house/lamp', isIsolated: true });
    expect(finding).toMatch(/^[0-9a-f]{16}$/);
    // It looks at the two, not at the middle of everything.
    if (camera) expect(Math.abs(camera.target[0] - 5.25)).toBeLessThan(2);
    expect(viewer.messages).toEqual([]);
  });

  test('a click on another object in the picture or the tree drops the finding everywhere', {
    tags: ['long'],
  }, async () => {
    const viewer = await open('s.html');
    const { page } = viewer;
    const { finding: id } = await stateOf(viewer);
    await page.getByRole('treeitem', { name: 'crate' }).click();
    await until(page, '/b=crate/.test(location.hash) && !/finding/.test(location.hash)');
    expect(await page.locator('.finding dl').count()).toBe(0);
    expect(await rows(viewer).count()).toBe(0);
    expect(await place(viewer)).toBe('2 findings');
    // From the front, the crate stands in the middle of the picture, as a ghost.
    const other = await open('s.html', `finding=${id}&camera=1,-12,0,1,0,0`);
    expect(await place(other)).toMatch(/^\d of 2$/);
    await other.page.getByRole('application').click();
    await until(other.page, '/b=crate/.test(location.hash) && !/finding/.test(location.hash)');
    expect(await place(other)).toBe('2 findings');
  });

  test('a robot opens in the first frame in which it meets something, which the time line marks', {
    tags: ['all'],
  }, async () => {
    const viewer = await open('robot.html');
    const state = await stateOf(viewer);
    expect([state.a, state.b, state.frame]).toEqual(['arm-cell/cell/lamp', 'arm/forearm', 17]);
    expect(await viewer.page.locator('.time output').textContent()).toBe('17 of 40, time 0.85');
    expect(await viewer.page.locator('.marks').getAttribute('aria-label')).toMatch(/^Something touches in 1\d of 41 /);
    expect(await viewer.page.getByRole('button', { name: 'Scan' }).count()).toBe(0);
  });

  test.each<[PageOptions]>([
    [{ width: 1280, height: 800, theme: 'light' }],
    [{ width: 390, height: 844, theme: 'dark' }],
  ])('the bar is in sight, and axe-core finds nothing: %j', { tags: ['long'] }, async (options) => {
    const viewer = await open('s.html', '', options);
    const { page } = viewer;
    expect(await violations(viewer)).toEqual([]);
    for (const y of [0, 9999]) {
      await page.evaluate(`scrollTo(0, ${y})`);
      const shown = await page.evaluate<boolean>(`(() => {
        const next = document.querySelector('[aria-label="Next finding"]');
        const { left, top, width, height } = next.getBoundingClientRect();
        return width >= 24 && document.elementFromPoint(left + width / 2, top + height / 2) === next;
      })()`);
      expect(shown).toBe(true);
    }
  });
});
