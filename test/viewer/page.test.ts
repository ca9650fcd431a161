/** The page of `gicollide view` in Chromium: it says what the command line says, wherever objects are put, and does nothing else. */
// @module-tag browser
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import type { Browser } from 'playwright-core';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { compose, type Pose, rotation, translation } from '../../src/math/pose.ts';
import { tangentOf } from '../../src/viewer/camera.ts';
import type { ViewDocument } from '../../src/viewer/document.ts';
import { FIRST_VIEW, readView, type ViewState, writeView } from '../../src/viewer/view-state.ts';
import { chromiumProgram, launchBrowser, sharedBrowser } from '../support/chromium.ts';
import { ended, makeFolder, program, run, start, writeMesh } from '../support/cli.ts';
import { long, some } from '../support/long.ts';
import { seeded } from '../support/random.ts';
import { box, boxText, icosphere, torus } from '../support/shapes.ts';
import {
  answer,
  foreignRequests,
  goTo,
  type OpenViewer,
  openViewer,
  type PageOptions,
  until,
  violations,
} from '../support/viewer-page.ts';

const cwd = chromiumProgram ? makeFolder() : '';
const MEAN = '<img src=x onerror=globalThis.hit=1>';

/** `gicollide view` of these inputs as a file. */
async function written(name: string, ...args: string[]): Promise<string> {
  const outcome = await run(['view', ...args, '--html', name], { cwd });
  expect(outcome).toMatchObject({ code: 0, stderr: '' });
  return join(cwd, name);
}

/** What a written page shows. */
function documentOf(file: string): ViewDocument {
  const [, text] = /<script type="application\/json" id="document">(.*?)<\/script>/s.exec(readFileSync(file, 'utf8'))!;
  return JSON.parse(text);
}

/** The two of a page, by their names. */
function pairOf(file: string): { a: string; b: string } {
  const [a, b] = documentOf(file).objects.map(({ name }) => name);
  return { a, b };
}

/** A view as an address, of what differs from the first one. */
const viewOf = (changes: Partial<ViewState>): string => writeView({ ...FIRST_VIEW, ...changes });

/** Times differ from run to run. */
const untimed = (text: string): string => text.replaceAll(/\d+(\.\d+)? ms/g, 'ms').trimEnd();

/** What a shell prints of a command that somebody copied. */
const typed = (command: string): string =>
  spawnSync('sh', ['-c', `gicollide() { "${process.execPath}" "${program}" "$@"; }\n${command}`], {
    cwd,
    encoding: 'utf8',
  }).stdout;

describe.skipIf(!chromiumProgram)('the page', () => {
  let browser: Browser;
  let pair: string;
  let images: string;
  let a: string;
  let b: string;
  const opened: OpenViewer[] = [];

  beforeAll(async () => {
    browser = await sharedBrowser();
    writeMesh(join(cwd, 'box.obj'), box());
    writeMesh(join(cwd, 'ring.obj'), torus(24, 12));
    writeMesh(join(cwd, 'ball.obj'), icosphere(2));
    pair = await written('pair.html', 'box.obj', 'ring.obj', '--translate-b', '0.4,0,0');
    ({ a, b } = pairOf(pair));
    const build = await run(['build', 'box.obj', 'ball.obj', '--size', '17', '-o', 'images'], { cwd });
    expect(build.code).toBe(0);
    images = await written('images.html', 'images/box.tiff', 'images/ball.tiff', '--translate-b', '3,0,0');
  });
  afterAll(() => Promise.all(opened.map(({ page }) => page.context().close())));

  const open = async (address: string, options?: PageOptions): Promise<OpenViewer> => {
    const viewer = await openViewer(browser, address, options);
    opened.push(viewer);
    return viewer;
  };
  const openFile = (file: string, view = '', options?: PageOptions): Promise<OpenViewer> =>
    open(`${pathToFileURL(file).href}${view && `#${view}`}`, options);
  /** Nothing was said and nothing asked for; the page is closed. */
  const expectQuiet = async (viewer: OpenViewer, ...own: string[]): Promise<void> => {
    expect(viewer.messages).toEqual([]);
    expect(foreignRequests(viewer, ...own)).toEqual([]);
    await viewer.page.context().close();
  };

  test('says of the pair what its command prints', { tags: ['long'] }, async () => {
    const viewer = await openFile(pair);
    const said = await answer(viewer.page);
    expect(said).toMatchObject({ verdict: 'contact', words: 'overlap' });
    expect(said.command).toMatch(/^gicollide check box.obj ring.obj --translate-b 0.4,0,0 --solid auto /);
    expect(untimed(said.text)).toBe(untimed(typed(said.command)));
    await expectQuiet(viewer, pathToFileURL(pair).href);
  });

  const seed = 25053;
  const random = seeded(seed);
  const pose = (): Pose => {
    const [x, y, z] = [random.between(-1, 1), random.between(-1, 1), random.between(-1, 1)];
    const far = random.between(0.2, 1.8);
    return compose(translation(far * x, far * y, far * z), rotation(x - y, y + z, z - x, random.between(0, 360)));
  };
  const poses = some(12, Array.from({ length: 100 }, pose));

  test(`${poses.length} poses: verdicts as check --poses gives them, seed ${seed}`, {
    tags: ['quick', 'long'],
  }, async () => {
    writeFileSync(join(cwd, 'poses.json'), JSON.stringify({ queries: poses.map((T) => ({ T: [...T] })) }));
    const { stdout } = await run(['check', 'box.obj', 'ring.obj', '--poses', 'poses.json', '--json'], { cwd });
    const expected = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).verdict);
    const viewer = await openFile(pair);
    const verdicts: string[] = [];
    for (const T of poses) {
      await goTo(viewer.page, viewOf({ a, b, poses: { [b]: [...T] } }));
      const said = await answer(viewer.page, String(T[3]));
      verdicts.push(said.verdict);
      expect(said.text).toContain(`  solids: ${said.words === 'inside' ? 'a is inside b' : said.words}`);
    }
    expect(verdicts).toEqual(expected.slice(0, verdicts.length));
    expect(new Set(verdicts).size).toBe(2);
    await expectQuiet(viewer, pathToFileURL(pair).href);
  });

  test('an object that is dragged is where the address and the command say, and the verdict is of there', {
    tags: ['all'],
  }, async () => {
    const file = await written('drag.html', 'box.obj', 'ball.obj');
    const { a: first, b: second } = pairOf(file);
    const camera = { eye: [0, -8, 0], target: [0, 0, 0] } as const;
    const viewer = await openFile(file, viewOf({ a: first, b: second, camera }));
    const { page } = viewer;
    await answer(page);
    const canvas = (await page.locator('.stage canvas').boundingBox())!;
    const [x, y] = [canvas.x + canvas.width / 2, canvas.y + canvas.height / 2];
    // The ball is larger than the box in its middle, and so in front.
    await page.mouse.move(x, y);
    await page.keyboard.down('Shift');
    await page.mouse.down();
    for (let step = 1; step <= 20; step++) await page.mouse.move(x + (step * canvas.height) / 50, y);
    await page.mouse.up();
    await page.keyboard.up('Shift');
    // The field has it at once; the address follows when the view rests, the answer when the objects do.
    const field = "document.querySelector('form.pose input').value";
    const said = `document.querySelector('[aria-label="Command"]').textContent`;
    await until(
      page,
      `location.hash.includes(\`,\${${field}},\`) && ${said}.includes(\`--translate-b \${${field}},\`)`,
    );
    const { poses: moved } = readView(new URL(page.url()).hash);
    expect(Object.keys(moved)).toEqual([second]);
    const placed = moved[second];
    // To the right of who looks along y, and no nearer.
    expect(placed[3]).toBeGreaterThan(1);
    expect(placed[7]).toBe(0);
    // Six digits of the scene's size, which is about 3, and no rounding errors.
    expect(Number(placed[3].toFixed(5))).toBe(placed[3]);
    expect(Number(placed[11].toFixed(5))).toBe(placed[11]);
    for (const part of placed) expect(String(part)).not.toContain('e-');
    const rested = await answer(page, String(placed[3]));
    expect(untimed(rested.text)).toBe(untimed(typed(rested.command)));
    const check = ['check', 'box.obj', 'ball.obj', '--pose-b', placed.join(' '), '--json'];
    expect(JSON.parse((await run(check, { cwd })).stdout).verdict).toBe(rested.verdict);
    await expectQuiet(viewer, pathToFileURL(file).href);
  });

  test('a contact curve is drawn where it is', { tags: ['long'] }, async () => {
    const view = { a, b, camera: { eye: [1, -3, 2], target: [0.1, 0, 0] }, showsDistance: false } as const;
    const { stdout } = await run(['check', 'box.obj', 'ring.obj', '--translate-b', '0.4,0,0', '--patches', '--json'], {
      cwd,
    });
    const points = JSON.parse(stdout).contacts.patches.flatMap(({ outline }: { outline: number[][][] }) =>
      outline.flat(),
    );
    const viewer = await openFile(pair, viewOf(view));
    await answer(viewer.page);
    const shots: Buffer[] = [];
    for (const showsContacts of [true, false]) {
      if (!showsContacts) await viewer.page.keyboard.press('c');
      // The address follows when the view rests, and is drawn.
      await until(viewer.page, `/contacts=/.test(location.hash) === ${!showsContacts}`);
      await viewer.page.waitForSelector('.stage:not([data-rough])');
      shots.push(await viewer.page.locator('.stage canvas').screenshot());
    }
    await expectQuiet(viewer, pathToFileURL(pair).href);
    const { near, changed } = await differences(shots, points, view.camera);
    expect(near).toBeGreaterThan(0.95);
    expect(changed).toBeGreaterThan(0.001);
    expect(changed).toBeLessThan(0.06);
  });

  test('who points at a geometry image sees where that is on its pages, and the other way round', {
    tags: ['long'],
  }, async () => {
    const camera = { eye: [3, -9, 0], target: [3, 0, 0] } as const;
    const viewer = await openFile(images, viewOf({ ...pairOf(images), camera, showsPages: true }));
    const { page } = viewer;
    await answer(page);
    await page.locator('.gi-pixels').nth(7).waitFor();
    const canvas = (await page.locator('.stage canvas').boundingBox())!;
    await page.mouse.move(canvas.x + canvas.width / 2, canvas.y + canvas.height / 2);
    // The nearest place of the ball to who looks along y, which is b.
    await until(page, "/^row/.test(document.querySelectorAll('.gi-readout')[1].textContent)");
    const [, x, y, z] = /: x (\S+) y (\S+) z ([^\s;]+)/.exec(
      (await page.locator('.gi-readout').nth(1).textContent()) ?? '',
    )!;
    expect(Number(y)).toBeLessThan(-0.8);
    expect(Math.hypot(Number(x), Number(z))).toBeLessThan(0.4);
    const before = await page.locator('.stage canvas').screenshot();
    await page.locator('.gi-pixels').nth(4).hover();
    const after = await page.locator('.stage canvas').screenshot();
    expect(before.equals(after)).toBe(false);
    await expectQuiet(viewer, pathToFileURL(images).href);
  });

  const looks = some(2, [
    [1280, 800, 'light'],
    [390, 844, 'dark'],
    [1280, 800, 'dark'],
    [390, 844, 'light'],
  ] as const);
  test.each(looks)(
    '%d x %d, %s: axe-core finds nothing, and nothing is wider than the page',
    { tags: ['all', 'long'] },
    async (...look) => {
      const [width, height, theme] = look;
      const room = await written('room.html', await sceneFile());
      for (const file of long ? [pair, room] : width > 1000 ? [room] : [pair]) {
        const viewer = await openFile(file, '', { width, height, theme });
        await answer(viewer.page);
        expect(await violations(viewer)).toEqual([]);
        expect(await viewer.page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
        await expectQuiet(viewer, pathToFileURL(file).href);
      }
    },
  );

  test('where the policy allows no WebAssembly the stored trees answer the same', { tags: ['long'] }, async () => {
    const html = readFileSync(pair, 'utf8');
    expect(html).toContain("'wasm-unsafe-eval'");
    const file = join(cwd, 'no-wasm.html');
    writeFileSync(file, html.replaceAll(/ ?'wasm-unsafe-eval'/g, ''));
    const viewer = await openFile(file);
    const said = await answer(viewer.page);
    expect(said.verdict).toBe('contact');
    const lines = (text: string): string[] => untimed(text).split('\n').slice(1);
    expect(lines(said.text)).toEqual(lines(typed(said.command)));
    // Browsers say that the policy forbade something; nothing else is said.
    expect(viewer.messages.filter((message) => !/WebAssembly|Content Security Policy/.test(message))).toEqual([]);
    expect(foreignRequests(viewer, pathToFileURL(file).href)).toEqual([]);
    await viewer.page.context().close();
  });

  test('names of files and of elements that are markup are text', { tags: ['long'] }, async () => {
    writeMesh(join(cwd, `${MEAN}.obj`), box());
    writeFileSync(
      join(cwd, 'mean.obj'),
      `${boxText(MEAN, 0)}${boxText('</script><script>hit=1</script>\u202eb', 0.5, 8)}`,
    );
    for (const args of [[`${MEAN}.obj`, 'ring.obj'], ['mean.obj']]) {
      const file = await written('mean.html', ...args);
      const viewer = await openFile(file);
      await answer(viewer.page);
      expect(await viewer.page.evaluate('globalThis.hit')).toBeUndefined();
      expect(await viewer.page.locator('img, [onerror]').count()).toBe(0);
      const text = await viewer.page.locator('body').innerText();
      expect(text).toContain(MEAN);
      expect(text).not.toContain('\u202e');
      await expectQuiet(viewer, pathToFileURL(file).href);
    }
  });

  describe('from the server', { tags: ['long'] }, () => {
    let other: Browser;
    beforeAll(async () => {
      other = await launchBrowser();
    });
    afterAll(() => other?.close());

    /** The address that it prints; it ends when the test does. */
    async function serve(...args: string[]): Promise<{ address: string; close(): Promise<void> }> {
      const server = start(['view', ...args], { cwd });
      const outcome = ended(server);
      const [line] = (await Promise.race([
        once(createInterface(server.stdout), 'line'),
        outcome.then(({ stderr }) => Promise.reject(new Error(stderr))),
      ])) as [string];
      const close = async (): Promise<void> => {
        server.kill('SIGINT');
        expect(await outcome).toMatchObject({ code: 0, stderr: '' });
      };
      return { address: line.trim(), close };
    }

    test.each(some(1, [[[]], [['--coop']]]))('%s: two browsers at once, each with its own view', async (flags) => {
      const { address, close } = await serve('box.obj', 'ring.obj', '--translate-b', '0.4,0,0', ...flags);
      const viewers = [await open(`${address}&level=1`), await openViewer(other, address)];
      expect(viewers[0].page.url()).toMatch(/#(?!.*token).*level=1$/);
      // The printed address, opened where the view is already.
      await goTo(viewers[0].page, `${new URL(address).hash.slice(1)}&level=2`);
      await until(viewers[0].page, '/level=2/.test(location.hash) && !/token/.test(location.hash)');
      await goTo(viewers[1].page, viewOf({ a, b, poses: { [b]: [...translation(9.5, 0, 0)] } }));
      expect((await answer(viewers[1].page, '9.5')).verdict).toBe('clear');
      const said = await answer(viewers[0].page);
      expect(said.verdict).toBe('contact');
      expect(untimed(said.text)).toBe(untimed(typed(said.command)));
      for (const viewer of viewers) {
        expect(await viewer.page.evaluate('crossOriginIsolated')).toBe(flags.length > 0);
        await expectQuiet(viewer, new URL(address).origin);
      }
      await close();
    });

    test('its link opens in another tab, and a view behind the printed address is kept', async () => {
      const { address, close } = await serve('box.obj', 'ring.obj', '--translate-b', '0.4,0,0');
      const viewer = await open(`${address}&${viewOf({ a: b, b: a, level: 1 })}`);
      const { page } = viewer;
      expect(readView(page.url())).toMatchObject({ a: b, b: a, level: 1 });
      expect(page.url()).not.toContain('token');
      const tab = await page.context().newPage();
      await tab.goto(page.url());
      await tab.waitForSelector('html[data-ready=true]', { state: 'attached' });
      expect((await answer(tab)).verdict).toBe('contact');
      await expectQuiet(viewer, new URL(address).origin);
      const stranger = await open(page.url());
      expect(await stranger.page.getByRole('alert').textContent()).toContain('this link has no token');
      await stranger.page.context().close();
      await close();
    });
  });

  test('a scene of 5,000 instances is drawn, and one that is dragged is asked about', { tags: ['long'] }, async () => {
    const file = await written('many.html', await manyFile(5000));
    const names = documentOf(file).objects.map(({ name }) => name);
    expect(names).toHaveLength(5000);
    const viewer = await openFile(file);
    const seen = async (): Promise<number> =>
      (await colours(await viewer.page.locator('.stage canvas').screenshot())).size;
    // Roughly where no graphics card draws, the more so on a busy machine. Without the boxes it is 29.
    await expect.poll(seen, { timeout: 600_000 }).toBeGreaterThan(40);
    const [first, second] = [names[0], names[4999]];
    await goTo(viewer.page, viewOf({ a: first, b: second, poses: { [second]: [...translation(0.515625, 0, 0)] } }));
    expect((await answer(viewer.page, '0.515625')).verdict).toBe('contact');
    await expectQuiet(viewer, pathToFileURL(file).href);
  });
});

async function sceneFile(): Promise<string> {
  const instances = [
    { name: 'shelf/upper', asset: 'box' },
    { name: 'shelf/lower', asset: 'box', translate: [0, 0, -0.9] },
    { name: 'ring', asset: 'ring', translate: [0.3, 0, 0] },
    { name: 'far', asset: 'ring', translate: [9, 0, 0] },
  ];
  const assets = { box: 'box.obj', ring: 'ring.obj' };
  writeFileSync(join(cwd, 'room.scene.json'), JSON.stringify({ gicollide: 'scene/1', assets, instances }));
  return 'room.scene.json';
}

/** Boxes on a grid, apart from each other. */
async function manyFile(count: number): Promise<string> {
  const instances = Array.from({ length: count }, (_, i) => ({
    name: `box-${i}`,
    asset: 'box',
    translate: [2 * (i % 50), 2 * Math.floor(i / 50), 0],
  }));
  writeFileSync(
    join(cwd, 'many.scene.json'),
    JSON.stringify({ gicollide: 'scene/1', assets: { box: 'box.obj' }, instances }),
  );
  return 'many.scene.json';
}

/** The colours of a picture, by their four upper bits a channel. */
async function colours(png: Buffer): Promise<Set<number>> {
  const { data } = await sharp(png).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  const found = new Set<number>();
  for (let i = 0; i < data.length; i += 3)
    found.add(((data[i] >> 4) << 8) | ((data[i + 1] >> 4) << 4) | (data[i + 2] >> 4));
  return found;
}

interface Camera {
  eye: readonly number[];
  target: readonly number[];
}

/**
 * In what two pictures of one view differ: the share of these places that have such a pixel within
 * two of their own, and the share of such pixels.
 */
async function differences(shots: readonly Buffer[], points: readonly Vector[], camera: Camera) {
  const [shown, without] = await Promise.all(
    shots.map((png) => sharp(png).removeAlpha().raw().toBuffer({ resolveWithObject: true })),
  );
  const { width, height } = shown.info;
  const isOther = (x: number, y: number): boolean => {
    const at = 3 * (y * width + x);
    return [0, 1, 2].reduce((sum, k) => sum + Math.abs(shown.data[at + k] - without.data[at + k]), 0) > 30;
  };
  const isNear = (point: Vector): boolean => {
    const [x, y] = projected(point, camera, width, height);
    for (let dy = -2; dy <= 2; dy++) for (let dx = -2; dx <= 2; dx++) if (isOther(x + dx, y + dy)) return true;
    return false;
  };
  let changed = 0;
  for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) if (isOther(x, y)) changed++;
  return { near: points.filter(isNear).length / points.length, changed: changed / (width * height) };
}

type Vector = readonly number[];
const minus = (p: Vector, q: Vector): number[] => p.map((value, k) => value - q[k]);
const dot = (p: Vector, q: Vector): number => p.reduce((sum, value, k) => sum + value * q[k], 0);
const cross = ([a, b, c]: Vector, [d, e, f]: Vector): number[] => [b * f - c * e, c * d - a * f, a * e - b * d];
const unit = (p: Vector): number[] => p.map((value) => value / Math.sqrt(dot(p, p)));

/** Where a place is seen; y is up, as in OBJ. */
function projected(point: Vector, { eye, target }: Camera, width: number, height: number): [number, number] {
  const ahead = unit(minus(target, eye));
  const right = unit(cross(ahead, [0, 1, 0]));
  const up = cross(right, ahead);
  const from = minus(point, eye);
  const scale = height / 2 / tangentOf(width / height) / dot(from, ahead);
  return [Math.round(width / 2 + scale * dot(from, right)), Math.round(height / 2 - scale * dot(from, up))];
}
