/** The page's baseline in Chromium: several tabs, edits on disk, a server that ends, bad links. */
// @module-tag browser
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { readBaseline } from '../../src/report/read-baseline.ts';
import { chromiumProgram, sharedBrowser } from '../support/chromium.ts';
import { ended, makeFolder, start, writeMesh } from '../support/cli.ts';
import { box } from '../support/shapes.ts';
import { goTo, openViewer, until } from '../support/viewer-page.ts';

/** Three boxes in a row: a meets b, and b meets c. */
async function serve() {
  const cwd = makeFolder();
  writeMesh(join(cwd, 'box.obj'), box(1, 1, 1));
  const instances = [0, 0.75, 1.5].map((x, n) => ({ name: 'abc'[n], asset: 'box', translate: [x, 0, 0] }));
  const scene = { gicollide: 'scene/1', assets: { box: 'box.obj' }, instances };
  writeFileSync(join(cwd, 's.scene.json'), JSON.stringify(scene));
  const server = start(['view', 's.scene.json', '--baseline', 'known.json'], { cwd });
  const outcome = ended(server);
  const [line] = (await Promise.race([
    once(createInterface(server.stdout), 'line'),
    outcome.then(({ stderr }) => Promise.reject(new Error(stderr))),
  ])) as [string];
  const close = async (): Promise<void> => {
    server.kill('SIGINT');
    expect(await outcome).toMatchObject({ code: 0 });
  };
  const file = join(cwd, 'known.json');
  return { address: line.trim(), close, file, known: () => [...readBaseline(readFileSync(file)).values()] };
}

const noteOf = (page: Page) => page.getByRole('textbox', { name: 'Note' });
const saveOf = (page: Page) => page.getByRole('button', { name: 'Save baseline' });
const conflictOf = (page: Page) => page.getByRole('group', { name: 'Changed here and elsewhere' });
const textOf = async (page: Page): Promise<string> => page.locator('body').innerText();
const says = (page: Page, text: string) => until(page, `document.body.innerText.includes(${JSON.stringify(text)})`);
/** Tabs look at the baseline when they get the focus. */
const focus = (page: Page) => page.evaluate("dispatchEvent(new Event('focus'))");

describe.skipIf(!chromiumProgram)('the baseline of a page', { tags: ['all'] }, () => {
  test('two tabs, one finding: the later one is told, and chooses', async () => {
    const { address, close, file, known } = await serve();
    const browser = await sharedBrowser();
    const first = await openViewer(browser, address);
    const second = await openViewer(browser, address, { theme: 'dark' });
    const [one, other] = [first.page, second.page];
    await noteOf(other).fill('mine');
    await noteOf(one).fill('theirs');
    await saveOf(one).click();
    await says(one, 'saved to known.json');
    await saveOf(other).click();
    await says(other, 'Theirs: not accepted, note “theirs”. Yours: not accepted, note “mine”.');
    expect(known()).toMatchObject([{ note: 'theirs' }]);
    await conflictOf(other).getByRole('button', { name: 'Keep mine' }).click();
    expect(await conflictOf(other).isVisible()).toBe(false);
    await saveOf(other).click();
    await says(other, 'saved to known.json');
    expect(known()).toMatchObject([{ note: 'mine' }]);
    // The first tab hears of it; so it does of an edit by hand.
    await focus(one);
    await expect.poll(() => noteOf(one).inputValue(), { timeout: 60_000 }).toBe('mine');
    await noteOf(one).fill('again');
    writeFileSync(file, readFileSync(file, 'utf8').replace('"mine"', '"by hand"'));
    await focus(one);
    await says(one, 'Theirs: not accepted, note “by hand”. Yours: not accepted, note “again”.');
    await conflictOf(one).getByRole('button', { name: 'Take theirs' }).click();
    expect(await noteOf(one).inputValue()).toBe('by hand');
    expect(await saveOf(one).isDisabled()).toBe(true);
    for (const { page, messages } of [first, second]) {
      expect(messages).toEqual([]);
      await page.context().close();
    }
    await close();
  });

  test('a server that has ended: the page says so, and gives the file', async () => {
    const { address, close, file, known } = await serve();
    const { page } = await openViewer(await sharedBrowser(), address);
    await noteOf(page).fill('first');
    await saveOf(page).click();
    await says(page, 'saved to known.json');
    await noteOf(page).fill('second');
    await close();
    await focus(page);
    await says(page, '1 change is not saved; gicollide view has ended');
    expect(await textOf(page)).not.toContain('saved to known.json');
    expect(await saveOf(page).isDisabled()).toBe(true);
    expect(await saveOf(page).getAttribute('title')).toContain('gicollide view has ended');
    const cut =
      "[...document.querySelectorAll('.findings-bar button')].filter((b) => b.scrollWidth > b.clientWidth + 1)";
    expect(await page.evaluate(`${cut}.length`)).toBe(0);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download the baseline' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('known.json');
    const [entry] = known();
    expect(readFileSync((await download.path())!, 'utf8')).toBe(
      readFileSync(file, 'utf8').replace('"first"', '"second"'),
    );
    expect(entry).toMatchObject({ note: 'first' });
    await page.context().close();
  });

  test('links: without a token, of an ended run, with unknown parts', async () => {
    const { address, close } = await serve();
    const { origin } = new URL(address);
    const browser = await sharedBrowser();
    const stranger = await openViewer(browser, `${origin}/#a=a`);
    const { page } = stranger;
    const told = async (): Promise<string | null> => page.getByRole('alert').textContent();
    expect(await told()).toMatch(/^this link has no token.*Open the address that gicollide view has printed/);
    // The printed address, in another tab of this browser.
    const tab = await page.context().newPage();
    await tab.goto(address);
    await page.waitForSelector('html[data-ready=true]', { state: 'attached' });
    await goTo(page, 'a=nobody&frame=7&finding=zz&colour=red');
    await says(page, '"colour": expected one of a, b,');
    await says(page, 'no object is called "nobody"; no finding has the id zz; and 1 more');
    await page.context().close();
    const old = await openViewer(browser, `${origin}/#token=${'x'.repeat(43)}`);
    expect(await old.page.getByRole('alert').textContent()).toMatch(/this page belongs to a run .* has ended/);
    // The printed address, in the same tab.
    await old.page.goto(address);
    await old.page.waitForSelector('html[data-ready=true]', { state: 'attached' });
    await old.page.context().close();
    await close();
  });
});
