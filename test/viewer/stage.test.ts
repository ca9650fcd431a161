/** The drawing in a browser: what is seen of a scene, and what the store hears when somebody points and drags. */
// @module-tag browser
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isRigid } from '../../src/math/pose.ts';
import { FIRST_VIEW, type ViewState } from '../../src/viewer/view-state.ts';
import { chromiumProgram, sharedBrowser } from '../support/chromium.ts';
import { box, octasphere } from '../support/shapes.ts';

/** The globals of the page: a store of a few lines, and a stage of what it is given. */
const SOURCE = `
import { createStage } from './src/viewer/page/stage/index.ts';
function createStore(first) {
  let state = first, before = first, isWaiting = false;
  const listeners = new Set();
  return {
    get state() { return state; },
    set(changes) {
      state = { ...state, ...changes };
      if (isWaiting) return;
      isWaiting = true;
      queueMicrotask(() => { isWaiting = false; const old = before; before = state; for (const tell of listeners) tell(state, old); });
    },
    follow(listener) { listeners.add(listener); return () => listeners.delete(listener); },
  };
}
globalThis.open = ({ shapes, objects, first }) => {
  globalThis.stage?.dispose();
  const numbers = new Map(objects.map(({ name }, i) => [name, i]));
  const facts = shapes.map(({ size }) => ({ low: [-size, -size, -size], high: [size, size, size] }));
  globalThis.store = createStore(first);
  globalThis.stage = createStage({ document: { objects, frames: [] }, facts, numbers }, store);
  stage.element.style.height = '100vh';
  document.body.append(stage.element);
  shapes.forEach(({ positions, triangles }, i) =>
    stage.setSurface(i, { origin: [0, 0, 0], positions: Float32Array.from(positions), triangles: Uint32Array.from(triangles) }));
};
/** Red, green and blue of a pixel, as the page draws them now. */
globalThis.pixel = (x, y) => {
  stage.render();
  const gl = document.querySelector('canvas').getContext('webgl2');
  const out = new Uint8Array(4);
  gl.readPixels(x, gl.drawingBufferHeight - 1 - y, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, out);
  return [...out.subarray(0, 3)];
};`;

const WIDTH = 640;
const HEIGHT = 480;
const [X, Y] = [WIDTH / 2, HEIGHT / 2];

/** A ball of radius 1 and a box from -1 to 1. */
const shapes = [octasphere(3), box(2)].map(({ positions, triangles }) => ({
  size: 1,
  positions: Array.from(positions),
  triangles: Array.from(triangles),
}));
const at = (x: number, y = 0, z = 0): number[] => [1, 0, 0, x, 0, 1, 0, y, 0, 0, 1, z, 0, 0, 0, 1];

/** What SOURCE makes of the page's globals; evaluated there. */
declare const window: {
  open(scene: object): void;
  pixel(x: number, y: number): number[];
  store: { state: ViewState; set(changes: Partial<ViewState>): void };
  stage: Record<string, (...values: unknown[]) => unknown>;
};

describe.skipIf(!chromiumProgram)('the stage', () => {
  let page: Page;
  const heard: string[] = [];

  beforeAll(async () => {
    const { outputFiles } = await build({
      stdin: { contents: SOURCE, resolveDir: fileURLToPath(new URL('../..', import.meta.url)) },
      bundle: true,
      format: 'iife',
      write: false,
      tsconfigRaw: {},
    });
    const browser = await sharedBrowser();
    page = await browser.newPage({ viewport: { width: WIDTH, height: HEIGHT }, reducedMotion: 'reduce' });
    // What the tests' own reading of pixels makes the driver say.
    page.on('console', (message) => {
      if (!message.text().includes('ReadPixels')) heard.push(message.text());
    });
    page.on('pageerror', (error) => heard.push(String(error)));
    await page.setContent('<!doctype html><style>body { margin: 0 }</style>');
    await page.addScriptTag({ content: outputFiles[0].text });
  });
  afterAll(() => page?.close());

  /** Seen from the front, -y, with x to the right and z up; a and b are two balls unless given. */
  async function show(changes: Partial<ViewState> = {}, objects: object[] = []): Promise<void> {
    const pair = [
      { name: 'a', asset: 0, pose: at(-1.5) },
      { name: 'b', asset: 0, pose: at(1.5) },
    ];
    const camera = { eye: [0, -10, 0], target: [0, 0, 0] } as const;
    const first = { ...FIRST_VIEW, a: 'a', b: 'b', camera, ...changes };
    await page.evaluate((scene) => window.open(scene), { shapes, objects: [...pair, ...objects], first });
    await settled();
  }
  const settled = (): Promise<unknown> =>
    page.evaluate('new Promise((done) => setTimeout(() => requestAnimationFrame(done), 50))');
  const state = (): Promise<ViewState> => page.evaluate(() => ({ ...window.store.state }));
  const pixel = (x: number, y: number): Promise<number[]> =>
    page.evaluate(([x, y]) => window.pixel(x, y), [x, y] as const);
  const isBlue = ([red, , blue]: number[]): boolean => blue > red + 60;
  const isOrange = ([red, green, blue]: number[]): boolean => red > blue + 60 && green > blue + 30;
  const isGrey = ([red, green, blue]: number[]): boolean =>
    Math.max(red, green, blue) - Math.min(red, green, blue) < 25;
  /** Where x of the plane y = 0 is on the screen: the field is 34 degrees high. */
  const across = (x: number): number => X + (x / 10 / Math.tan((17 * Math.PI) / 180)) * (HEIGHT / 2);

  test('a is blue, b is orange, others are grey', { tags: ['all'] }, async () => {
    await show({}, [{ name: 'c', asset: 1, pose: at(0, 30) }]);
    expect(isBlue(await pixel(across(-1.5), Y))).toBe(true);
    expect(isOrange(await pixel(across(1.5), Y))).toBe(true);
    expect(isGrey(await pixel(X, Y))).toBe(true);
    const before = await pixel(X, Y);
    await page.evaluate(() => window.store.set({ isIsolated: true }));
    await settled();
    expect(await pixel(X, Y)).not.toEqual(before);
  });

  test('what is moved is drawn where it is, with coordinates of ten million', { tags: ['all'] }, async () => {
    const far = 1e7;
    const objects = [{ name: 'c', asset: 0, pose: at(far + 4, far, far) }];
    const camera = { eye: [far, far - 10, far], target: [far, far, far] } as const;
    const poses = { a: at(far - 1.5, far, far), b: at(far + 1.5, far, far) };
    await show({ camera, poses }, objects);
    expect(isBlue(await pixel(across(-1.5), Y))).toBe(true);
    expect(isOrange(await pixel(across(1.5), Y))).toBe(true);
    await page.evaluate((pose) => window.store.set({ poses: { a: pose } }), at(far, far, far + 1.5));
    await settled();
    expect(isBlue(await pixel(across(-1.5), Y))).toBe(false);
    expect(isBlue(await pixel(X, Math.round(Y - (across(1.5) - X))))).toBe(true);
  });

  test('a contact curve is seen, also behind a surface', { tags: ['all'] }, async () => {
    await show();
    const curve = [
      [-3, -2, 0],
      [3, -2, 0],
    ];
    const patch = { kind: 'curve', outline: [curve], centre: [0, 0, 0] };
    const isContact = ([red, green, blue]: number[]): boolean => red > 180 && green < 90 && blue > 80;
    await page.evaluate((patches) => window.stage.setContacts({ patches }), [patch]);
    expect(isContact(await pixel(X, Y))).toBe(true);
    await page.evaluate(() => window.store.set({ showsContacts: false }));
    await settled();
    expect(isContact(await pixel(X, Y))).toBe(false);
    await page.evaluate(() => window.store.set({ showsContacts: true }));
    const behind = curve.map(([x, , z]) => [x, 2, z]);
    await page.evaluate(() => window.stage.setContacts(null));
    const plain = await pixel(across(-1.5), Y);
    await page.evaluate(
      (outline) => window.stage.setContacts({ patches: [{ kind: 'curve', outline: [outline] }] }),
      behind,
    );
    const faint = await pixel(across(-1.5), Y);
    expect(faint[0]).toBeGreaterThan(plain[0] + 30);
  });

  test('a section takes away what lies beyond it', { tags: ['all'] }, async () => {
    await show({ section: { axis: 'x', at: 0, isFlipped: false } });
    expect(isBlue(await pixel(across(-1.5), Y))).toBe(true);
    expect(isOrange(await pixel(across(1.5), Y))).toBe(false);
  });

  test('somebody points at a surface: the object, and the place in its frame', { tags: ['all'] }, async () => {
    await show();
    await page.evaluate(() => window.stage.onPoint((place: unknown) => Object.assign(window, { pointed: place })));
    await page.mouse.move(across(1.5), Y);
    const pointed = await page.waitForFunction('globalThis.pointed');
    const { object, place } = (await pointed.jsonValue()) as { object: number; place: number[] };
    expect(object).toBe(1);
    expect(Math.hypot(...place)).toBeCloseTo(1, 1);
    expect(place[1]).toBeLessThan(-0.9);
    await page.mouse.move(X, 20);
    await page.waitForFunction('globalThis.pointed === null');
  });

  test('a click chooses, with Alt the other one', { tags: ['all'] }, async () => {
    await show({}, [{ name: 'c', asset: 1, pose: at(0, 5) }]);
    await page.mouse.click(X, Y);
    expect(await state()).toMatchObject({ a: 'a', b: 'c' });
    await page.keyboard.down('Alt');
    await page.mouse.click(across(1.5), Y);
    await page.keyboard.up('Alt');
    expect(await state()).toMatchObject({ a: 'b', b: 'c' });
  });

  async function drag(from: [number, number], to: [number, number]): Promise<void> {
    await page.mouse.move(...from);
    await page.mouse.down();
    await page.mouse.move((from[0] + to[0]) / 2, (from[1] + to[1]) / 2, { steps: 4 });
    await page.mouse.move(...to, { steps: 4 });
    await page.mouse.up();
  }

  test('Shift and a drag move an object in the plane of the screen', { tags: ['all'] }, async () => {
    await show();
    await page.keyboard.down('Shift');
    await drag([across(1.5), Y], [across(1.5) + 60, Y - 30]);
    await page.keyboard.up('Shift');
    const { poses, camera } = await state();
    const pixels = across(1) - X;
    // The ball is taken by its front, which is nearer than its middle.
    expect(poses.b[3]).toBeCloseTo(1.5 + (60 / pixels) * 0.9, 1);
    expect(poses.b[7]).toBe(0);
    expect(poses.b[11]).toBeCloseTo((30 / pixels) * 0.9, 1);
    expect(poses.b.filter((_, i) => i % 4 !== 3)).toEqual(at(0).filter((_, i) => i % 4 !== 3));
    expect(camera?.eye).toEqual([0, -10, 0]);
  });

  test('handles move along an axis and turn about one; Escape takes it back', { tags: ['long'] }, async () => {
    await show();
    await page.evaluate(() => window.stage.setGizmo('move'));
    await settled();
    await drag([across(1.5) + 60, Y], [across(1.5) + 100, Y + 25]);
    const { b } = (await state()).poses;
    expect(b[3]).toBeCloseTo(1.5 + 40 / (across(1) - X), 1);
    expect([b[7], b[11]]).toEqual([0, 0]);

    await show();
    await page.evaluate(() => window.stage.setGizmo('turn'));
    await settled();
    // The ring about y is a circle round the middle, of 84 pixels: a quarter of it.
    const eighth = 84 * Math.SQRT1_2;
    await drag([across(1.5) + eighth, Y - eighth], [across(1.5) - eighth, Y - eighth]);
    const turned = (await state()).poses.b;
    expect(isRigid(Float64Array.from(turned))).toBe(true);
    expect(turned[0]).toBeCloseTo(0, 1);
    expect(turned[8]).toBeCloseTo(1, 1);
    expect(turned[3]).toBeCloseTo(1.5, 12);

    const before = (await state()).poses;
    await page.mouse.move(across(1.5) + eighth, Y - eighth);
    await page.mouse.down();
    await page.mouse.move(across(1.5) + 40, Y - 60, { steps: 3 });
    await page.keyboard.press('Escape');
    await page.mouse.up();
    expect((await state()).poses).toEqual(before);
  });

  test('an orthographic view: far things are as large, are picked, cut, and dragged by their handles', {
    tags: ['all'],
  }, async () => {
    const poses = { b: at(1.5, 30) };
    await show({ poses });
    expect(isOrange(await pixel(across(1.5), Y))).toBe(false);
    await page.evaluate(() => window.store.set({ isOrthographic: true }));
    await settled();
    for (const x of [0.6, 2.4]) expect(isOrange(await pixel(across(x), Y))).toBe(true);
    for (const x of [-2.4, -0.6]) expect(isBlue(await pixel(across(x), Y))).toBe(true);
    // What stands behind the eye is seen, too.
    await page.evaluate((pose) => window.store.set({ poses: { b: pose } }), at(1.5, -30));
    await settled();
    expect(isOrange(await pixel(across(2.4), Y))).toBe(true);
    await page.evaluate(() => window.stage.setGizmo('move'));
    await settled();
    await drag([across(1.5) + 60, Y], [across(1.5) + 100, Y + 25]);
    const { b } = (await state()).poses;
    expect(b[3]).toBeCloseTo(1.5 + 40 / (across(1) - X), 1);
    expect([b[7], b[11]]).toEqual([-30, 0]);
    await page.evaluate(() => window.store.set({ section: { axis: 'x', at: 0, isFlipped: false } }));
    await settled();
    expect(isOrange(await pixel(across(2.2), Y))).toBe(false);
    expect(isBlue(await pixel(across(-1.5), Y))).toBe(true);
    const patch = { kind: 'curve', outline: [[at(-3), at(3)].map(([, , , x]) => [x, 5, 0])], centre: [0, 0, 0] };
    await page.evaluate((patches) => window.stage.setContacts({ patches }), [patch]);
    const [red, green] = await pixel(across(-0.3), Y);
    expect([red > 180, green < 90]).toEqual([true, true]);
    // What the pointer is at stays there while the view comes nearer.
    await page.mouse.move(across(2), Y);
    await page.mouse.wheel(0, -400);
    await page.waitForFunction('store.state.camera.eye[1] > -9');
    await settled();
    const { eye, target } = (await state()).camera!;
    const reach = Math.hypot(...eye.map((x, k) => x - target[k])) / 10;
    expect(target[0] + 2 * reach).toBeCloseTo(2, 1);
  });

  test('the handle of a section drags it; Escape puts it back', { tags: ['all'] }, async () => {
    const section = { axis: 'x', at: 0.5, isFlipped: false } as const;
    await show({ section });
    await drag([across(0.5) + 60, Y], [across(0.5) + 60 - (across(1) - X), Y]);
    expect((await state()).section).toMatchObject({ axis: 'x', at: expect.closeTo(-0.5, 1) });
    await page.evaluate((section) => window.store.set({ section }), section);
    await settled();
    await page.mouse.move(across(0.5) + 60, Y);
    await page.mouse.down();
    await page.mouse.move(across(0.5) + 100, Y, { steps: 3 });
    await page.keyboard.press('Escape');
    await page.mouse.up();
    expect((await state()).section).toEqual(section);
    // The plane ends where everything does.
    await drag([across(0.5) + 60, Y], [across(0.5) + 300, Y]);
    expect((await state()).section?.at).toBe(2.5);
  });

  test('keys turn the view; everything in view is no camera', { tags: ['all'] }, async () => {
    await show();
    await page.focus('canvas');
    await page.keyboard.press('ArrowRight');
    await page.waitForFunction('Math.abs(store.state.camera.eye[0]) > 0.5');
    const { camera } = await state();
    expect(Math.hypot(...camera!.eye)).toBeCloseTo(10, 6);
    await page.evaluate(() => window.stage.fit());
    expect((await state()).camera).toBeNull();
    await page.evaluate(() => window.stage.fit({ box: { low: [1, -0.5, -0.5], high: [2, 0.5, 0.5] } }));
    expect((await state()).camera?.target).toEqual([1.5, 0, 0].map((x) => expect.closeTo(x, 9)));
  });

  describe('others are ghosts', () => {
    /** A box before a, as the camera sees it. */
    const before = { name: 'c', asset: 1, pose: at(-1.5, -1.9) };
    const isolated = { isIsolated: true } as const;
    const corner = [across(-2.6), Math.round(Y - (across(1) - X))] as const;
    const near = (p: number[], q: number[]): number => Math.max(...p.map((x, k) => Math.abs(x - q[k])));

    test('which hide neither object, nor their contact', { tags: ['all'] }, async () => {
      await show({}, [before]);
      expect(isGrey(await pixel(across(-1.5), Y))).toBe(true);
      const outline = [
        [-2, -0.9, 0.3],
        [-1, -0.9, 0.3],
      ];
      const contacts = { patches: [{ kind: 'curve', outline: [outline] }] };
      const places = [[across(-1.5), Y], [across(-1.5), Math.round(Y - 0.33 * (across(1) - X))], corner] as const;
      const seen: number[][][] = [];
      for (const showsGhosts of [false, true]) {
        await show({ ...isolated, showsGhosts }, [before]);
        await page.evaluate((found) => window.stage.setContacts(found), contacts);
        const pixels: number[][] = [];
        for (const [x, y] of places) pixels.push(await pixel(x, y));
        seen.push(pixels);
      }
      const [hidden, ghosts] = seen;
      expect(isBlue(ghosts[0])).toBe(true);
      expect(ghosts.slice(0, 2)).toEqual(hidden.slice(0, 2));
      expect(near(ghosts[2], hidden[2])).toBeGreaterThan(4);
      expect(near(ghosts[2], hidden[2])).toBeLessThan(60);
    });

    test('which are cut away before the target', { tags: ['all'] }, async () => {
      const close = { name: 'c', asset: 1, pose: at(0, -5, 0) };
      await show({ ...isolated, showsGhosts: false }, [close]);
      const hidden = await pixel(X, Y);
      await show(isolated, [close]);
      expect(await pixel(X, Y)).toEqual(hidden);
    });

    test('which the pointer meets where neither object is', { tags: ['all'] }, async () => {
      await show(isolated, [before]);
      await page.evaluate(() => {
        Object.assign(window, { pointed: null });
        window.stage.onPoint((place: unknown) => Object.assign(window, { pointed: place }));
      });
      await page.mouse.move(across(-1.5), Y);
      await page.waitForFunction('globalThis.pointed?.object === 0');
      await page.mouse.move(...corner);
      await page.waitForFunction('globalThis.pointed?.object === 2');
    });

    test('and what hides a contact is translucent', { tags: ['all'] }, async () => {
      const poses = { a: at(0), b: at(0, -2) };
      await show({ ...isolated, poses });
      const solid = await pixel(X, Y);
      expect(isOrange(solid)).toBe(true);
      await page.evaluate(() => window.store.set({ through: 'b' }));
      await settled();
      expect((await pixel(X, Y))[2]).toBeGreaterThan(solid[2] + 60);
      await page.evaluate(() => window.stage.onPoint((place: unknown) => Object.assign(window, { pointed: place })));
      await page.mouse.move(X + 2, Y);
      await page.waitForFunction('globalThis.pointed?.object === 0');
      await page.evaluate(() => window.store.set({ isIsolated: false }));
      await settled();
      expect(await pixel(X, Y)).toEqual(solid);
    });

    test('and fit shows the two, from where the camera is', { tags: ['all'] }, async () => {
      await show({ poses: { a: at(4), b: at(7) } }, [{ name: 'c', asset: 1, pose: at(-30) }]);
      await page.evaluate(() => window.stage.fit());
      expect((await state()).camera).toBeNull();
      await show({ ...isolated, poses: { a: at(4), b: at(7) } }, [{ name: 'c', asset: 1, pose: at(-30) }]);
      await page.evaluate(() => window.stage.fit());
      const { eye, target } = (await state()).camera!;
      expect(target).toEqual([5.5, 0, 0]);
      expect([eye[0], eye[2]]).toEqual([expect.closeTo(5.5), expect.closeTo(0)]);
      expect(eye[1]).toBeGreaterThan(-20);
    });

    test('and many of them are drawn in few triangles', { tags: ['long'] }, async () => {
      const many = Array.from({ length: 5000 }, (_, i) => ({
        name: `many ${i}`,
        asset: 0,
        pose: at(3 * (i % 20), 3 * (Math.floor(i / 20) % 25), 3 * Math.floor(i / 500)),
      }));
      await show({ ...isolated, camera: null }, many);
      await page.evaluate(() => window.store.set({ camera: { eye: [30, -99, 90], target: [30, 30, 15] } }));
      await settled();
      const drawn = (await page.evaluate(() => window.stage.render())) as { calls: number; triangles: number };
      expect(drawn.triangles).toBeLessThan(310_000);
      expect(drawn.calls).toBeLessThan(12);
    });
  });

  test('five thousand objects are few draws', { tags: ['long'] }, async () => {
    const many = Array.from({ length: 5000 }, (_, i) => ({
      name: `many ${i}`,
      asset: 1,
      pose: at(3 * (i % 20), 3 * (Math.floor(i / 20) % 25), 3 * Math.floor(i / 500)),
    }));
    await show({ camera: null }, many);
    const drawn = (await page.evaluate(() => window.stage.render())) as { calls: number; triangles: number };
    expect(drawn.calls).toBeLessThan(10);
    expect(drawn.triangles).toBeGreaterThan(5000 * 12);
  });

  test('a view that rests is drawn as well as can be', { tags: ['all'] }, async () => {
    await show();
    await page.waitForSelector('.stage:not([data-rough])');
    // While it moves it may be less, and it comes to rest again.
    await page.evaluate(() => window.store.set({ camera: { eye: [0, -9, 1], target: [0, 0, 0] } }));
    await settled();
    await page.waitForSelector('.stage:not([data-rough])');
    expect(isBlue(await pixel(across(-1.5), Y))).toBe(true);
  });

  test('a lost context comes back, and nothing is said on the console', { tags: ['all'] }, async () => {
    await show();
    await page.evaluate(`{
      globalThis.lose = document.querySelector('canvas').getContext('webgl2').getExtension('WEBGL_lose_context');
      lose.loseContext();
    }`);
    await page.waitForSelector('.stage-note:not([hidden])');
    await page.evaluate('lose.restoreContext()');
    await page.waitForSelector('.stage-note[hidden]', { state: 'attached' });
    expect(isBlue(await pixel(across(-1.5), Y))).toBe(true);
    expect(heard).toEqual([]);
  });
});
