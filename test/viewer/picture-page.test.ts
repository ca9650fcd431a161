/** The picture of the page, by pixels: seams, faces in one plane, round shapes, halos, points. */
// @module-tag browser
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chromiumProgram, sharedBrowser } from '../support/chromium.ts';
import { makeFolder, run, writeMesh } from '../support/cli.ts';
import { box, icosphere, mapped, octasphere } from '../support/shapes.ts';
import { openViewer, until } from '../support/viewer-page.ts';

const cwd = chromiumProgram ? makeFolder() : '';

type Color = readonly [number, number, number];
interface Picture {
  width: number;
  height: number;
  at(column: number, row: number): Color;
}

const brightness = ([r, g, b]: Color): number => r + g + b;
const isBlue = ([r, , b]: Color): boolean => b > r + 50;
const isMagenta = ([r, g, b]: Color): boolean => r > 170 && g < 70 && b > 60;

/** Both from low to high. */
function writeBox(name: string, low: Color, high: Color): void {
  writeMesh(
    join(cwd, `${name}.obj`),
    mapped(box(1), (...place) => {
      const [x, y, z] = place.map((p, k) => low[k] + (p + 0.5) * (high[k] - low[k]));
      return [x, y, z];
    }),
  );
}

function writeScene(name: string, ...parts: string[]): string {
  const assets = Object.fromEntries(parts.map((part) => [part, `${part}.obj`]));
  const instances = parts.map((part) => ({ name: part, asset: part }));
  writeFileSync(
    join(cwd, `${name}.scene.json`),
    JSON.stringify({ gicollide: 'scene/1', units: 'm', assets, instances }),
  );
  return `${name}.scene.json`;
}

describe.skipIf(!chromiumProgram)('the picture', () => {
  const pages: Page[] = [];
  afterAll(() => Promise.all(pages.map((page) => page.context().close())));

  beforeAll(() => {
    writeBox('front', [0, -0.2, 0], [4, 0, 2]);
    writeBox('side', [-0.2, -0.2, 0], [0, 4, 2]);
    writeBox('back', [-1, 3, 0], [-0.9, 4, 2]);
    writeBox('part', [0.3, -0.2, -1.1], [3.7, 0.53, 3.1]);
    writeMesh(join(cwd, 'ball.obj'), octasphere(3));
    writeMesh(join(cwd, 'fine.obj'), icosphere(4));
    writeMesh(
      join(cwd, 'knob.obj'),
      mapped(octasphere(3), (x, y, z) => [0.4 * x, 0.4 * y, 0.4 * z]),
    );
    const sphere = {
      domain: { min: [-1.5, -1.5, -1.5], max: [1.5, 1.5, 1.5] },
      object: { ellipsoid: { radii: [1, 1, 1] } },
    };
    writeFileSync(join(cwd, 'sphere.frep.json'), JSON.stringify(sphere));
  });

  async function open(name: string, args: string[], view: string): Promise<Page> {
    const outcome = await run(['view', ...args, '--html', `${name}.html`], { cwd });
    expect(outcome).toMatchObject({ code: 0, stderr: '' });
    const viewer = await openViewer(await sharedBrowser(), `${pathToFileURL(join(cwd, `${name}.html`)).href}#${view}`);
    pages.push(viewer.page);
    return viewer.page;
  }
  /** The drawing at rest, in screen pixels. */
  async function picture(page: Page): Promise<Picture> {
    await until(page, '!document.querySelector(".stage .stage[data-rough]")');
    // Tools stand over the picture.
    await page.evaluate(`for (const { style } of document.querySelectorAll('.over')) style.display = 'none'`);
    const png = await page.locator('.stage canvas').first().screenshot();
    const { data, info } = await sharp(png).removeAlpha().raw().toBuffer({ resolveWithObject: true });
    const { width, height } = info;
    return {
      ...{ width, height },
      at(column, row) {
        const from = 3 * (row * width + column);
        return [data[from], data[from + 1], data[from + 2]];
      },
    };
  }
  function* pixels({ width, height, at }: Picture): Generator<[number, number, Color]> {
    for (let row = 0; row < height; row++)
      for (let column = 0; column < width; column++) yield [column, row, at(column, row)];
  }

  test('where walls meet, no pixel is darker than both of them', { tags: ['all'] }, async () => {
    const scene = writeScene('walls', 'front', 'side', 'back');
    const page = await open('walls', [scene], 'a=back&b=&contacts=0&camera=6,-7,5,1,0,1');
    const seen = await picture(page);
    let dark = 0;
    for (const [column, row, own] of pixels(seen)) {
      if (column < 4 || row < 4 || column >= seen.width - 4 || row >= seen.height - 4) continue;
      const beside = [seen.at(column - 4, row), seen.at(column + 4, row)].map(brightness);
      const around = [...beside, ...[-4, 4].map((far) => brightness(seen.at(column, row + far)))];
      // On the walls, away from their edges: the ground and the sky are far lighter.
      if (Math.max(...around) > 560 || Math.max(...around) - Math.min(...around) > 60) continue;
      if (brightness(own) < Math.min(...beside) - 24) dark++;
    }
    expect(dark).toBe(0);
  });

  test('of two faces in one plane one is seen, that of a chosen object', { tags: ['all'] }, async () => {
    const scene = writeScene('plane', 'front', 'back', 'part');
    const page = await open('plane', [scene], 'a=front&b=back&contacts=0&distance=0&camera=4.3,-7,3.2,2,0,1');
    const seen = await picture(page);
    // The other one has the same front from 0.3 to 3.7.
    const row = Math.round(seen.height / 2);
    const found = Array.from({ length: seen.width }, (_, column) => isBlue(seen.at(column, row)));
    const [first, last] = [found.indexOf(true), found.lastIndexOf(true)];
    expect(last - first).toBeGreaterThan(300);
    expect(found.slice(first, last + 1)).not.toContain(false);
  });

  test('a ball of 512 triangles has no facets', { tags: ['all'] }, async () => {
    const page = await open(
      'ball',
      ['ball.obj', 'fine.obj', '--translate-b', '9,0,0'],
      'distance=0&camera=0,2.2,5.6,0,0,0',
    );
    const seen = await picture(page);
    // Not through the ground's lines.
    const row = Math.round(0.4 * seen.height);
    const line = Array.from({ length: seen.width }, (_, column) => seen.at(column, row))
      .filter(isBlue)
      .map(brightness);
    expect(line.length).toBeGreaterThan(150);
    // The rim is darker.
    const inner = line.slice(line.length / 6, -line.length / 6);
    const steps = inner.slice(1).map((light, i) => Math.abs(light - inner[i]));
    expect(Math.max(...steps)).toBeLessThan(9);
  });

  test('no halo is seen without its core', { tags: ['all'] }, async () => {
    // All of the curve is before the ball.
    const args = ['fine.obj', 'knob.obj', '--translate-b', '0,-1,0'];
    const page = await open('halo', args, 'camera=1,-6,1.5,0,0,0');
    await until(page, '!!document.querySelector(".report:not([hidden]):not(.old)")');
    const seen = await picture(page);
    const found = [...pixels(seen)];
    const cores = found.filter(([, , color]) => isMagenta(color));
    expect(cores.length).toBeGreaterThan(100);
    const box = [0, 1].map((k) => [
      Math.min(...cores.map((core) => core[k] as number)),
      Math.max(...cores.map((core) => core[k] as number)),
    ]);
    const isWithin = ([column, row]: readonly [number, number, Color]) =>
      column > box[0][0] - 12 && column < box[0][1] + 12 && row > box[1][0] - 12 && row < box[1][1] + 12;
    const halos = found.filter((each) => isWithin(each) && Math.min(...each[2]) > 200);
    const lone = halos.filter(
      ([column, row]) => !cores.some(([x, y]) => Math.abs(x - column) < 6 && Math.abs(y - row) < 6),
    );
    expect(halos.length).toBeGreaterThan(20);
    expect(lone).toEqual([]);
  });

  test('the contact of two F-reps has a point, in words, too', { tags: ['all'] }, async () => {
    const args = ['sphere.frep.json', 'sphere.frep.json', '--translate-b', '1.5,0,0'];
    const page = await open('freps', args, 'surface=hidden&camera=0.7,-6,0,0.7,0,0');
    await until(page, '/ at -?[0-9.]+, -?[0-9.]+, -?[0-9.]+/.test(document.body.innerText)');
    const seen = await picture(page);
    const dots = [...pixels(seen)].filter(([, , color]) => isMagenta(color));
    expect(dots.length).toBeGreaterThan(30);
    const [x, y] = [0, 1].map((k) => dots.reduce((sum, dot) => sum + (dot[k] as number), 0) / dots.length);
    // A point of both is a unit from either middle at most.
    expect(Math.abs(x - seen.width / 2)).toBeLessThan(80);
    expect(Math.abs(y - seen.height / 2)).toBeLessThan(220);
  });
});
