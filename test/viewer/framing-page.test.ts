/** Findings in a house, on the page and by `gicollide picture`: the two and where they meet. */
// @module-tag browser
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import sharp from 'sharp';
import { beforeAll, describe, expect, test } from 'vitest';
import { fitCamera, frameFinding } from '../../src/viewer/camera.ts';
import type { ViewDocument } from '../../src/viewer/document.ts';
import { FIRST_VIEW, readView, writeView } from '../../src/viewer/view-state.ts';
import { chromiumProgram, sharedBrowser } from '../support/chromium.ts';
import { makeFolder, run, writeMesh } from '../support/cli.ts';
import { box } from '../support/shapes.ts';
import { openViewer, until } from '../support/viewer-page.ts';

const cwd = makeFolder();

type Vector = readonly [number, number, number];

/** Names, middles and sizes. */
const PARTS: readonly (readonly [string, Vector, Vector])[] = [
  ['slab', [6, 4, -0.1], [12, 8, 0.2]],
  ['ceiling', [6, 4, 3.1], [12, 8, 0.2]],
  ['south', [6, 0.1, 1.5], [12, 0.2, 3]],
  ['north', [6, 7.9, 1.5], [12, 0.2, 3]],
  ['west', [0.1, 4, 1.5], [0.2, 7.6, 3]],
  ['east', [11.9, 4, 1.5], [0.2, 7.6, 3]],
  ['board behind', [6, 0.24, 1.5], [0.5, 0.1, 0.7]],
  ['board within', [0.1, 4, 1.5], [0.1, 0.5, 0.7]],
  ['lamp', [6, 4, 2.98], [0.6, 0.6, 0.06]],
];

/** Two that overlap or are in each other, and the one that is translucent. */
const PAIRS = [
  ['board behind', 'south', null],
  ['board within', 'west', 'west'],
  ['ceiling', 'lamp', null],
] as const;

let html = '';
let document: ViewDocument;

beforeAll(async () => {
  const assets: Record<string, { file: string }> = {};
  for (const [name, , size] of PARTS) {
    const file = `${name.replace(' ', '-')}.obj`;
    writeMesh(join(cwd, file), box(...size));
    assets[name] = { file };
  }
  const instances = PARTS.map(([name, translate]) => ({ name, asset: name, translate }));
  writeFileSync(join(cwd, 'house.scene.json'), JSON.stringify({ gicollide: 'scene/1', units: 'm', assets, instances }));
  html = join(cwd, 'house.html');
  const made = await run(['view', 'house.scene.json', '--up', 'z', '--html', html], { cwd });
  expect(made).toMatchObject({ code: 0 });
  const [, text] = /<script type="application\/json" id="document">(.*?)<\/script>/s.exec(readFileSync(html, 'utf8'))!;
  document = JSON.parse(text);
});

const findingOf = (a: string, b: string) =>
  document.findings.find(({ subjects }) => subjects[0].name === a && subjects[1]?.name === b)!;

interface Colours {
  blue: number;
  orange: number;
  contact: number;
}

/** Pixels of a, of b and of their contact; `part` keeps to the middle, where the picture is. */
async function coloursOf(
  png: Uint8Array,
  part: { left: number; top: number; width: number; height: number },
): Promise<Colours> {
  const data = await sharp(png).extract(part).removeAlpha().raw().toBuffer();
  const colours = { blue: 0, orange: 0, contact: 0 };
  for (let i = 0; i < data.length; i += 3) {
    const [r, g, b] = data.subarray(i, i + 3);
    if (b > r + 40 && b > g) colours.blue++;
    else if (r > b + 50 && g > b + 30) colours.orange++;
    else if (r > g + 80 && b > g + 40) colours.contact++;
  }
  return colours;
}

describe('gicollide picture', { tags: ['all'] }, () => {
  const part = { left: 0, top: 0, width: 480, height: 296 };
  async function drawn(...args: string[]): Promise<Colours> {
    const files = ['house.scene.json', '--up', 'z', '-o', 'out.png', '--size', '480x360'];
    expect(await run(['picture', ...files, ...args], { cwd })).toMatchObject({ code: 0 });
    return coloursOf(readFileSync(join(cwd, 'out.png')), part);
  }

  test.each(PAIRS)('shows %s and %s', async (a, b) => {
    const { id, box: place } = findingOf(a, b);
    const { blue, orange, contact } = await drawn('--finding', id);
    expect(Math.min(blue, orange)).toBeGreaterThan(500);
    expect(contact).toBeGreaterThan(20);
    // As it was: from one of four sides, all others hidden.
    const boxes = PARTS.filter(([name]) => name === a || name === b).map(([, middle, size]) => ({
      low: middle.map((x, k) => x - size[k] / 2),
      high: middle.map((x, k) => x + size[k] / 2),
    }));
    const framed = frameFinding(place, boxes);
    const camera = fitCamera(framed.box, 480 / 296, framed);
    const before = await drawn(
      '--view',
      writeView({ ...FIRST_VIEW, a, b, isIsolated: true, showsGhosts: false, camera }),
    );
    if (a !== 'board behind') expect(Math.min(before.blue, before.orange)).toBe(0);
  });
});

describe.skipIf(!chromiumProgram)('the page', () => {
  const part = { left: 320, top: 60, width: 600, height: 640 };

  test.each(PAIRS)('shows %s and %s', { tags: ['all'] }, async (a, b, through) => {
    const { id } = findingOf(a, b);
    const opened = await openViewer(await sharedBrowser(), `${pathToFileURL(html)}#finding=${id}`);
    const { page, messages } = opened;
    await until(page, `!document.querySelector('[data-rough]')`);
    await until(page, `location.hash.includes('camera')`);
    // The camera may still be under way.
    const seen = async (): Promise<boolean> => {
      const { blue, orange, contact } = await coloursOf(await page.screenshot(), part);
      // A solid in another has no contact.
      return Math.min(blue, orange) > 500 && (through !== null || contact > 20);
    };
    await expect.poll(seen, { timeout: 600_000 }).toBe(true);
    const state = readView(new URL(page.url()).hash);
    expect(state).toMatchObject({ a, b, finding: id, isIsolated: true, showsGhosts: true, through });
    await page.keyboard.press('i');
    await until(page, `location.hash.includes('ghosts=0')`);
    await page.keyboard.press('i');
    await until(page, `!location.hash.includes('isolated')`);
    expect(messages).toEqual([]);
    await page.context().close();
  });

  test('flies to a finding; the address has only where it ends', { tags: ['all'] }, async () => {
    const { page } = await openViewer(await sharedBrowser(), `${pathToFileURL(html)}`);
    // The page opens on its first finding.
    await until(page, `location.hash.includes('camera') && !document.querySelector('[data-rough]')`);
    const cameras = new Set<string>();
    await page.exposeFunction('tellCamera', (hash: string) =>
      cameras.add(writeView({ ...FIRST_VIEW, camera: readView(hash).camera })),
    );
    const old = await page.evaluate<string>(`(() => {
      for (const name of ['replaceState', 'pushState']) {
        const put = history[name].bind(history);
        history[name] = (...words) => { put(...words); tellCamera(location.hash); };
      }
      return location.hash;
    })()`);
    cameras.add(writeView({ ...FIRST_VIEW, camera: readView(old).camera }));
    await page.locator('[role="option"]').nth(1).click();
    const ends = () => cameras.size;
    await expect.poll(ends).toBe(2);
    await until(page, `!document.querySelector('[data-rough]')`);
    await page.waitForTimeout(600);
    expect(ends()).toBe(2);
    await page.context().close();
  });
});
