// The page of `gicollide view` in Chromium, without a graphics card: the time from a pointer's move
// to the displayed verdict, frames a second of a scene of 5,000 instances, and the opening of a
// scene of 5,000 meshes. It is the whole page: workers, drawing and panels.
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { writeObj } from 'gicollide';
import { FIELD_OF_VIEW } from '#src/viewer/camera';
import { FIRST_VIEW, writeView } from '#src/viewer/view-state';
import { normalised, sheet } from './inputs.mjs';
import { PROGRAM, runNode } from './program.mjs';
import { digits, median } from './race.mjs';
import { opening } from './view-opening.mjs';

/** @typedef {import('gicollide').Mesh} Mesh */
/** @typedef {import('playwright-core').Page} Page */

const PROGRAMS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const FLAGS = ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'];

const WIDTH = 1280;
const HEIGHT = 800;
/** Moves of the pointer that are timed. */
const MOVES = 100;
/** Milliseconds of orbiting. */
const ORBIT = 6000;
const INSTANCES = 5000;

/**
 * Counts frames, by the fence that the page sets behind each, and times answers: to the change of the
 * verdict's text or of a figure beside it, from when the page gets a move and from when the browser
 * does, and to the end of the frame after.
 */
const WATCH = `
globalThis.watched = { frames: 0, own: [], written: [], shown: [] };
let since = 0;
let got = 0;
let done = () => {};
const fence = WebGL2RenderingContext.prototype.fenceSync;
WebGL2RenderingContext.prototype.fenceSync = function (...given) {
  watched.frames++;
  return fence.apply(this, given);
};
addEventListener('pointermove', ({ timeStamp }) => {
  since = timeStamp;
  got = performance.now();
}, true);
const told = new MutationObserver(() => {
  if (since === 0) return;
  const begin = since;
  since = 0;
  watched.own.push(performance.now() - got);
  watched.written.push(performance.now() - begin);
  requestAnimationFrame(() => setTimeout(() => {
    watched.shown.push(performance.now() - begin);
    done();
  }));
});
// The page's policy lets no script poll from outside.
globalThis.shown = (count) => new Promise((resolve) => {
  done = () => { if (watched.shown.length >= count) resolve(); };
  done();
});
addEventListener('DOMContentLoaded', () => {
  const wait = new MutationObserver(() => {
    const parts = document.querySelectorAll('.verdict, .facts');
    if (parts.length < 2) return;
    wait.disconnect();
    for (const part of parts) told.observe(part, { childList: true, characterData: true, subtree: true });
  });
  wait.observe(document.body, { childList: true, subtree: true });
});`;

/**
 * @param {readonly Mesh[]} meshes two that are dragged
 * @param {{ quick: boolean }} options quick: a small scene is opened, and nothing else
 * @returns what was measured, or why nothing was
 */
export async function inBrowser(meshes, { quick }) {
  const executablePath = PROGRAMS.find((file) => existsSync(file));
  if (!executablePath) return { skipped: 'no Chromium; apt-get install chromium brings one' };
  const playwright = await import('playwright-core').catch(() => null);
  if (!playwright) return { skipped: 'no playwright-core; npm install brings it' };
  const folder = mkdtempSync(join(tmpdir(), 'gicollide-bench-'));
  const browser = await playwright.chromium.launch({ executablePath, args: FLAGS });
  try {
    const opened = await opening(browser, folder, { quick });
    console.log(`in Chromium ${browser.version()}, ${WIDTH} x ${HEIGHT} pixels, SwiftShader:`);
    console.log(`  opening: ${JSON.stringify(opened)}`);
    const known = { version: browser.version(), pixels: [WIDTH, HEIGHT], opened };
    if (quick) return known;
    /** @param {string} file @param {string} view */
    const open = async (file, view) => {
      const page = await browser.newPage({ viewport: { width: WIDTH, height: HEIGHT } });
      await page.addInitScript(WATCH);
      await page.goto(`${pathToFileURL(file).href}#${view}`);
      await page.waitForSelector('html[data-ready=true]', { state: 'attached' });
      return page;
    };
    const drag = await dragged(
      await open(pairFile(folder, meshes), writeView({ ...FIRST_VIEW, a: 'a.obj', b: 'b.obj', camera: CAMERA })),
    );
    const orbit = await orbited(await open(sceneFile(folder), ''));
    console.log(`  a move to its verdict: ${JSON.stringify(drag)}`);
    console.log(`  ${INSTANCES} instances: ${JSON.stringify(orbit)}`);
    return { ...known, drag, orbit };
  } finally {
    await browser.close();
    rmSync(folder, { recursive: true });
  }
}

/** From the side, so that b, beyond a, comes nearer when it is dragged to the left. */
const CAMERA = /** @type {const} */ ({ eye: [0.6, -4, 0], target: [0.6, 0, 0] });

/** @param {string} folder @param {readonly Mesh[]} meshes */
function pairFile(folder, meshes) {
  const files = meshes.map((mesh, n) => {
    const file = join(folder, `${'ab'[n]}.obj`);
    writeFileSync(file, writeObj(mesh));
    return file;
  });
  return written(join(folder, 'pair.html'), [...files, '--translate-b', '1.2,0,0', '--up', 'z']);
}

/** Rings of 500 triangles in a block, apart from each other. @param {string} folder */
function sceneFile(folder) {
  const ring = normalised(
    sheet(10, 25, (u, v) => {
      const [along, across] = [2 * Math.PI * u, 2 * Math.PI * v];
      const r = 1 + 0.4 * Math.cos(across);
      return [r * Math.cos(along), r * Math.sin(along), 0.4 * Math.sin(across)];
    }),
  );
  writeFileSync(join(folder, 'ring.obj'), writeObj(ring));
  const instances = Array.from({ length: INSTANCES }, (_, i) => ({
    name: `ring-${i}`,
    asset: 'ring',
    translate: [1.1 * (i % 20), 1.1 * (Math.floor(i / 20) % 25), 1.1 * Math.floor(i / 500)],
  }));
  const scene = join(folder, 'rings.scene.json');
  writeFileSync(scene, JSON.stringify({ gicollide: 'scene/1', assets: { ring: 'ring.obj' }, instances }));
  return written(join(folder, 'scene.html'), [scene]);
}

/** @param {string} html @param {readonly string[]} args */
function written(html, args) {
  runNode([PROGRAM, 'view', ...args, '--html', html]);
  return html;
}

/** Drags b over a, a move after another: each begins when the one before is shown. @param {Page} page */
async function dragged(page) {
  const canvas = await boxOf(page);
  const middle = canvas.y + canvas.height / 2;
  await page.waitForTimeout(2000);
  // b is on the right of the middle, where the camera looks between the two.
  const pixels = canvas.height / (2 * 4 * Math.tan((FIELD_OF_VIEW * Math.PI) / 360));
  const from = canvas.x + canvas.width / 2 + 0.6 * pixels;
  await page.mouse.move(from, middle);
  await page.keyboard.down('Shift');
  await page.mouse.down();
  for (let move = 1; move <= MOVES; move++) {
    const { shown } = await watched(page);
    await page.mouse.move(from - (move * 1.2 * pixels) / MOVES, middle);
    await page.evaluate(`Promise.race([shown(${shown.length + 1}), new Promise((done) => setTimeout(done, 2000))])`);
  }
  await page.mouse.up();
  await page.keyboard.up('Shift');
  const { own, written, shown } = await watched(page);
  await page.close();
  const figures = (/** @type {number[]} */ ms) => ({
    ...{ median: digits(median(ms)), worst: digits(Math.max(...ms)), 'in a frame': ms.filter((x) => x <= 16).length },
  });
  return {
    ...{ moves: MOVES, answered: written.length },
    ...{ 'in the page, ms': figures(own), 'verdict, ms': figures(written), 'frame of it, ms': figures(shown) },
  };
}

/** Turns the view by the pointer, as fast as moves are taken. @param {Page} page */
async function orbited(page) {
  const canvas = await boxOf(page);
  const [x, y] = [canvas.x + canvas.width / 2, canvas.y + canvas.height / 2];
  await page.waitForTimeout(3000);
  await page.mouse.move(x, y);
  await page.mouse.down();
  /** @param {number} ms */
  const turn = async (ms) => {
    const { frames } = await watched(page);
    const start = performance.now();
    while (performance.now() - start < ms) {
      const angle = performance.now() / 700;
      await page.mouse.move(x + 150 * Math.cos(angle), y + 100 * Math.sin(angle));
    }
    return ((await watched(page)).frames - frames) / ((performance.now() - start) / 1000);
  };
  await turn(ORBIT / 2); // the page learns how much it may draw
  const rate = await turn(ORBIT);
  await page.mouse.up();
  await page.close();
  return { instances: INSTANCES, triangles: 500, 'frames a second': digits(rate) };
}

/** @param {Page} page */
async function boxOf(page) {
  const box = await page.locator('.stage canvas').boundingBox();
  if (!box) throw new Error('the page draws nothing');
  return box;
}

/** @param {Page} page @returns {Promise<{ frames: number, own: number[], written: number[], shown: number[] }>} */
const watched = (page) => page.evaluate('watched');
