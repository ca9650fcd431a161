/** The page's one verdict in Chromium: a finding's own rule gives it, with its line and curves. */
// @module-tag browser
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser } from 'playwright-core';
import sharp from 'sharp';
import { beforeAll, describe, expect, test } from 'vitest';
import { CAPTION_HEIGHT } from '../../src/picture/draw.ts';
import { chromiumProgram, sharedBrowser } from '../support/chromium.ts';
import { makeFolder, run, writeMesh } from '../support/cli.ts';
import { box } from '../support/shapes.ts';
import { answer, goTo, openViewer, violations } from '../support/viewer-page.ts';

const cwd = chromiumProgram ? makeFolder() : '';

/** A pipe 0.25 from a duct, and a duct in a wall: two rules with their own clearances. */
const SCENE = {
  ...{ gicollide: 'scene/1', units: 'm', assets: { box: 'box.obj' } },
  instances: [
    { name: 'pipe', asset: 'box' },
    { name: 'duct', asset: 'box', translate: [1.25, 0, 0] },
    { name: 'wall', asset: 'box', translate: [2, 0.1, 0.1] },
  ],
  rules: [
    { id: 'mep', a: 'pipe', b: 'duct', clearance: 0.6 },
    { id: 'walls', a: 'duct', b: 'wall', clearance: 0.1 },
  ],
};

describe.skipIf(!chromiumProgram)('the verdict of a finding', { tags: ['all'] }, () => {
  let browser: Browser;
  let findings: { id: string; rule: string }[];

  beforeAll(async () => {
    browser = await sharedBrowser();
    writeMesh(join(cwd, 'box.obj'), box());
    writeFileSync(join(cwd, 's.scene.json'), JSON.stringify(SCENE));
    const { stdout } = await run(['scene', 's.scene.json', '--json'], { cwd });
    writeFileSync(join(cwd, 'f.ndjson'), stdout);
    findings = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
      .filter(({ type }) => type === 'finding');
  });

  test.each([
    ['s.scene.json', 'light'],
    ['f.ndjson', 'dark'],
  ] as const)('%s, %s: near by its own rule, with its line; an overlap with its curves', async (input, theme) => {
    expect((await run(['view', input, '--html', 'f.html'], { cwd })).code).toBe(0);
    const [mep, walls] = ['mep', 'walls'].map((id) => findings.find(({ rule }) => rule === id)!.id);
    const address = pathToFileURL(join(cwd, 'f.html')).href;
    const viewer = await openViewer(browser, `${address}#finding=${mep}`, { theme });
    const { page } = viewer;
    const near = await answer(page);
    expect(near.words).toBe('near, 0.25 of 0.6 m');
    expect(near.text).toContain('solids: near');
    expect(near.command).toMatch(
      input === 'f.ndjson' ? /--finding 'f.ndjson#/ : /--scene s.scene.json --clearance 0.6 /,
    );
    const color = await page.evaluate("getComputedStyle(document.querySelector('.verdict')).color");
    expect(color).toBe(theme === 'light' ? 'rgb(123, 63, 179)' : 'rgb(201, 162, 255)');
    expect(await violations(viewer)).toEqual([]);
    const withLine = await page.locator('.stage canvas').screenshot();
    await page.keyboard.press('d');
    await page.waitForSelector('.stage:not([data-rough])');
    expect((await page.locator('.stage canvas').screenshot()).equals(withLine)).toBe(false);
    // Without a finding the rule about the two judges, so the words stay.
    await goTo(page, 'a=pipe&b=duct');
    expect((await answer(page, '--clearance 0.6')).words).toBe('near, 0.25 of 0.6 m');
    await goTo(page, `finding=${walls}&a=duct&b=wall`);
    const overlap = await answer(page, input === 'f.ndjson' ? walls : '--clearance 0.1 ');
    expect(overlap.words).toBe('overlap');
    expect(overlap.text).toMatch(/\d+ patch/);
    expect(overlap.command).toContain('--patches');
    expect(viewer.messages).toEqual([]);
    await page.context().close();
  });

  test('below the picture of a near finding stands the word of the page, in its color', async () => {
    for (const { id, rule } of findings) {
      const drawn = await run(['picture', 's.scene.json', '--finding', id, '-o', 'p.png'], { cwd });
      expect(drawn).toMatchObject({ code: 0, stderr: '' });
      const { data, info } = await sharp(join(cwd, 'p.png')).removeAlpha().raw().toBuffer({ resolveWithObject: true });
      let violet = 0;
      for (let i = 3 * info.width * (info.height - CAPTION_HEIGHT); i < data.length; i += 3)
        if (data[i] === 123 && data[i + 1] === 63 && data[i + 2] === 179) violet++;
      if (rule === 'mep') expect(violet).toBeGreaterThan(30);
      else expect(violet).toBe(0);
    }
  });
});
