/**
 * The panels in Chromium, with answers that somebody made up: what is typed reaches the store, what
 * is told can be read, by everybody, and names do nothing.
 */
// @module-tag browser
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { AxeResults } from 'axe-core';
import { build as bundle } from 'esbuild';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { rotation, translation } from '../../src/math/pose.ts';
import { FIRST_VIEW, type ViewState } from '../../src/viewer/view-state.ts';
import { chromiumProgram, sharedBrowser } from '../support/chromium.ts';
import { makeFolder } from '../support/cli.ts';
import { some } from '../support/long.ts';

const root = new URL('../..', import.meta.url);
const MEAN = '<img src=x onerror=alert(1)>/\u202egnp\u0007"';
const STAND = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];
const STATE_KEYS = Object.keys(FIRST_VIEW) as (keyof ViewState)[];

/** What comes to be, on however busy a machine. */
const soon = <T>(read: () => Promise<T>) => expect.poll(read, { timeout: 600_000 });

/** The page without a stage and an engine; what it wishes for is written down. */
const HARNESS = `
import { followAddress } from './src/viewer/page/address.ts';
import { createPanels } from './src/viewer/page/panels/index.ts';
import { createStore } from './src/viewer/page/store.ts';
import { FIRST_VIEW, writeView } from './src/viewer/view-state.ts';
globalThis.writeView = writeView;
globalThis.start = (loaded, first) => {
  const wished = globalThis.wished = [];
  const wish = (name) => (...words) => { wished.push([name, ...words]); };
  const store = globalThis.store = createStore({ ...FIRST_VIEW, ...first });
  followAddress(store);
  const panels = globalThis.panels = createPanels(
    { ...loaded, numbers: new Map(loaded.document.objects.map(({ name }, k) => [name, k])) }, store,
    { fit: wish('fit'), fitFinding: ({ id }) => wished.push(['fitFinding', id]), gizmo: wish('gizmo'), find: wish('find'),
       saving: { look: async () => null, save: async (changes) => {
        if (changes.some(({ note }) => note === 'refuse')) throw new Error('no \\u202eroom');
        wished.push(['save', changes]);
        return { revision: '1', entries: [], findings: changes.map((change) => ({ ...change, state: 'known' })) };
      } } });
  document.getElementById('app').replaceChildren(panels.element);
};`;

const facts = { depth: 8, bounds: 'spheres', triangles: 5000, low: [-1, -1, -1], high: [1, 1, 1], open: null };

function loadedOf(names: string[], pairs: [string, string][] = [], frames = 0) {
  const findings = pairs.map((pair, k) => ({
    ...{ id: String(k).padStart(16, '0'), rule: MEAN, class: ['overlap', 'near'][k % 2], level: 'error', state: 'new' },
    ...{ note: null, accepted: false, message: `message ${k}`, point: [1, 2, 3], box: null, again: null },
    subjects: pair.map((name) => ({ name, file: null, line: null, sha256: null, guid: null })),
    size: { kind: 'thickness', lower: k, upper: k },
  }));
  return {
    document: {
      ...{ gicollide: 'view/1', title: MEAN, tool: 'gicollide', units: 'm', summary: null, asked: {}, findings },
      assets: [{ name: 'one', representation: 'gi', sha256: null, bytes: 1 }],
      objects: names.map((name) => ({ name, asset: 0, pose: STAND, file: null, element: null, guid: null })),
      frames: Array.from({ length: frames }, (_, k) => ({
        time: k / 10,
        poses: {},
        ...(k === 7 && { touches: true }),
      })),
      ...{ baseline: pairs.length > 0 ? 'known.json' : null, again: { command: 'check', files: [], options: [] } },
    },
    facts: [{ ...facts, hasPages: true }],
  };
}

const SCENE = ['house/wall', 'house/pipe', MEAN, ...Array.from({ length: 3000 }, (_, k) => `garden/tree-${k}`)];
const PAIRS: [string, string][] = [
  ['house/wall', 'house/pipe'],
  ['house/pipe', MEAN],
  ['garden/tree-1', 'garden/tree-2'],
];

describe.skipIf(!chromiumProgram)('in a browser', () => {
  let script: string;
  let style: string;
  let page: Page;
  const said: string[] = [];

  beforeAll(async () => {
    const stdin = { contents: HARNESS, resolveDir: root.pathname };
    script = (await bundle({ stdin, bundle: true, write: false, format: 'iife' })).outputFiles[0].text;
    const sheet = new URL('src/viewer/page/style.css', root).pathname;
    style = (await bundle({ entryPoints: [sheet], bundle: true, write: false })).outputFiles[0].text;
    // A window for all tests: each has a document of its own in it.
    page = await (await sharedBrowser()).newPage();
    page.on('console', (message) => said.push(message.text()));
    page.on('pageerror', (error) => said.push(error.message));
  });
  afterEach(() => {
    expect(said.splice(0)).toEqual([]);
  });
  afterAll(() => page?.close());

  type Loaded = ReturnType<typeof loadedOf>;
  const open = async (
    loaded: Loaded,
    first: Partial<ViewState> = {},
    { width = 1280, height = 900, colorScheme = 'light' as 'light' | 'dark', address = 'about:blank' } = {},
  ): Promise<void> => {
    await page.goto(address);
    await page.setViewportSize({ width, height });
    await page.emulateMedia({ colorScheme });
    const text = readFileSync(new URL('src/viewer/page/index.html', root), 'utf8');
    await page.setContent(text);
    await page.addStyleTag({ content: style });
    await page.addScriptTag({ content: script });
    await page.evaluate(`start(${JSON.stringify(loaded)}, ${JSON.stringify(first)})`);
  };
  const state = (): Promise<ViewState> => page.evaluate('store.state');
  const wished = (): Promise<unknown[]> => page.evaluate('wished');
  const field = (name: string) => page.getByRole('textbox', { name, exact: true });

  test('typed poses reach the store, to the bit; what is no pose says why and changes nothing', {
    tags: ['all'],
  }, async () => {
    await open(loadedOf(['left', 'right']), { a: 'left', b: 'right' });
    await field('x').fill('0.1');
    await field('x').press('Enter');
    await soon(async () => (await state()).poses.right?.[3]).toBe(0.1);
    await field('axis x').fill('1');
    await field('axis z').fill('1');
    await field('degrees').fill('33.3');
    await field('degrees').press('Enter');
    const turned = rotation(1, 0, 1, 33.3);
    turned[3] = 0.1;
    await soon(async () => (await state()).poses.right).toEqual([...turned]);
    await field('y').fill('1e999');
    await field('y').press('Enter');
    expect(await page.getByRole('alert').first().textContent()).toBe('y: 1e999 is no number');
    await field('y').press('Escape');
    expect(await field('y').inputValue()).toBe('0');
    expect((await state()).poses.right).toEqual([...turned]);
    await page.getByRole('button', { name: 'Reset', exact: true }).click();
    await soon(async () => (await state()).poses).toEqual({});
  });

  test('who drags a has its fields, and puts it back', { tags: ['all'] }, async () => {
    await open(loadedOf(['left', 'right']), { a: 'left', b: 'right' });
    await page.evaluate(`store.set({ poses: { left: ${JSON.stringify([...translation(3, 0, 0)])} } })`);
    await soon(() => field('x').inputValue()).toBe('3');
    await page.keyboard.press('r');
    await soon(async () => (await state()).poses).toEqual({});
    expect(await field('x').inputValue()).toBe('0');
  });

  test('the answer starts with class, size, distance and what was required; effort and raw text are folded', {
    tags: ['all'],
  }, async () => {
    await open(loadedOf(['left', 'right']), { a: 'left', b: 'right' });
    const word = page.locator('.verdict');
    expect(await word.textContent()).toBe('checking');
    const judged = { rule: 'pipes', clearance: 0.6, tolerance: 0, touchGap: 0, solid: 'auto', by: 'finding' };
    const quick = {
      ...{ verdict: 'contact', distance: 0, engine: 'kernel', tests: { bounds: 61100, hulls: 28 }, ms: 0.216, judged },
      problem: null,
    };
    const setQuick = (changes: object) => page.evaluate(`panels.setQuick(${JSON.stringify({ ...quick, ...changes })})`);
    await setQuick({});
    expect(await word.textContent()).toBe('contact');
    const report = { ...quick, class: 'inside', inner: 'a', thickness: { lower: 0.2512341, upper: 0.2512343 } };
    const full = {
      report: { ...report, reason: null, ms: { query: 7.5 } },
      ...{ judged, contacts: {}, text: 'contact  <b>\n', command: 'gicollide', problem: null },
    };
    const setFull = (changes: object) =>
      page.evaluate(`panels.setFull(${JSON.stringify({ ...full, report: { ...full.report, ...changes } })})`);
    await setFull({});
    const facts = page.locator('.facts dd');
    expect(await facts.allTextContents()).toEqual([
      ...['a is inside b', '0.251234 m', '0 m', '0.6 m apart, by pipes', '0.22 ms', '61,100 bounds, 28 hulls'],
      ...['kernel', '7.50 ms'],
    ]);
    const seen = await Promise.all((await facts.all()).map((fact) => fact.isVisible()));
    expect(seen).toEqual([true, true, true, true, false, false, false, false]);
    const raw = page.getByLabel('Answer of the command line');
    expect(await raw.isVisible()).toBe(false);
    await page.getByText('Tests and raw text').click();
    expect(await raw.textContent()).toBe('contact  <b>');
    expect(await raw.isVisible()).toBe(true);
    expect(await page.getByLabel('Command', { exact: true }).textContent()).toBe('gicollide');
    await soon(() => page.locator('.answer [role=status]').textContent()).toBe('inside, a is inside b');
    // What is apart and too close has a word and a color of its own.
    await setFull({ class: 'near', inner: null, thickness: null, distance: 1 / 3, bracket: null });
    expect(await word.textContent()).toBe('near, 0.333333 of 0.6 m');
    expect(await facts.nth(2).textContent()).toBe('0.333333 m, 0.266667 m too little');
    expect(await word.getAttribute('class')).toBe('verdict near');
    await soon(() => page.locator('.answer [role=status]').textContent()).toBe('near, 0.333333 of 0.6 m');
    // While something moves nothing is said that is no longer known.
    await page.evaluate('panels.setFull(null)');
    await setQuick({ verdict: 'clear', distance: 2 });
    expect(await facts.first().textContent()).toBe('…');
    await soon(() => page.locator('.answer [role=status]').textContent()).toBe('clear');
    await setQuick({ verdict: 'clear', class: 'inside' });
    expect(await word.getAttribute('class')).toBe('verdict contact');
    await setQuick({ problem: 'a has\u202e no solid' });
    expect(await page.locator('.answer .problem').textContent()).toBe('a has\\u202e no solid');
  });

  test('pairs that touch now have the class of their finding; a line says why the list differs', {
    tags: ['all'],
  }, async () => {
    await open(loadedOf(SCENE, PAIRS));
    const rows = page.getByRole('listbox', { name: 'Pairs that touch now' }).locator('.row');
    const line = page.locator('.section').filter({ has: page.getByRole('heading', { name: 'Touching now' }) });
    const hint = () => line.locator('.hint').textContent();
    const pairs = PAIRS.map(([a, b]) => ({ a, b, class: 'contact' }));
    const touch = (all: object[]) => page.evaluate(`panels.setTouching(${JSON.stringify(all)}, 1.5)`);
    await touch(pairs);
    expect(await hint()).toBe('3 pairs, 1.50 ms');
    expect(await rows.locator('.level').allTextContents()).toEqual(['overlap', 'near', 'overlap']);
    expect(await rows.locator('.level.near').count()).toBe(1);
    await rows.nth(1).click();
    await soon(state).toMatchObject({ a: 'house/pipe', b: MEAN, finding: '0000000000000001' });
    await touch(pairs.slice(1));
    expect(await hint()).toContain('1 pair of the findings not here: no surfaces touch, as where one object is inside');
    await page.evaluate(`store.set({ poses: { 'house/pipe': ${JSON.stringify([...translation(9, 0, 0)])} } })`);
    await touch([{ a: 'house/pipe', b: 'garden/tree-7', class: 'near' }, pairs[2]]);
    expect(await hint()).toBe(
      '2 pairs, 1.50 ms; 1 pair not among the findings, since objects moved; 2 pairs of the findings not here: objects moved, or one is inside the other',
    );
    expect(await rows.locator('.level').allTextContents()).toEqual(['near', 'overlap']);
  });

  test('j and k go from finding to finding, which isolates and frames its pair', { tags: ['all'] }, async () => {
    await open(loadedOf(SCENE, PAIRS));
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await soon(state).toMatchObject({ a: 'house/pipe', b: MEAN, isIsolated: true, finding: '0000000000000001' });
    await page.keyboard.press('k');
    await soon(state).toMatchObject({ a: 'house/wall', b: 'house/pipe' });
    expect((await wished()).map((wish) => (wish as string[])[1])).toEqual(
      ['0', '1', '0'].map((id) => id.padStart(16, '0')),
    );
    await page.getByRole('combobox', { name: 'Class' }).selectOption('near');
    expect(await page.getByRole('option', { name: 'near' }).and(page.locator('.row')).count()).toBe(1);
  });

  test('what was found elsewhere can be asked again once all is put back', { tags: ['all'] }, async () => {
    await open(loadedOf(SCENE, PAIRS), { a: 'house/wall', b: 'house/pipe' });
    const again = page.getByRole('button', { name: 'Find again' });
    expect(await again.isVisible()).toBe(false);
    await page.evaluate(`store.set({ poses: { 'house/pipe': ${JSON.stringify([...translation(9, 0, 0)])} } })`);
    await again.click();
    expect((await wished()).at(-1)).toEqual(['find']);
    await page.evaluate('panels.setFindings([], store.state.poses)');
    expect(await again.isVisible()).toBe(false);
    await page.getByRole('button', { name: 'Reset all' }).click();
    expect(await again.isVisible()).toBe(true);
  });

  test('an address that names a finding alone shows its pair', { tags: ['all'] }, async () => {
    await open(loadedOf(SCENE, PAIRS), { finding: '2'.padStart(16, '0') });
    await soon(state).toMatchObject({ a: 'garden/tree-1', b: 'garden/tree-2', isIsolated: true });
  });

  test('what is accepted and noted is counted until it is saved', { tags: ['long'] }, async () => {
    await open(loadedOf(SCENE, PAIRS));
    await page.keyboard.press('j');
    const save = page.getByRole('button', { name: 'Save baseline' });
    expect(await save.isDisabled()).toBe(true);
    await page.getByRole('textbox', { name: 'Note' }).fill('refuse');
    await save.click();
    await soon(() => page.locator('.alert p').textContent()).toBe('not saved: no \\u202eroom');
    expect(await page.getByText('1 change is not saved').count()).toBe(1);
    await page.getByRole('textbox', { name: 'Note' }).fill(MEAN);
    await page.getByRole('checkbox', { name: 'accepted' }).check();
    await save.click();
    await soon(() => save.isDisabled()).toBe(true);
    expect((await wished()).at(-1)).toEqual([
      'save',
      [{ id: '0'.repeat(16), accepted: true, note: MEAN, seen: { accepted: false, note: null } }],
    ]);
    const first = page.getByRole('listbox', { name: 'Findings' }).locator('.row').first();
    expect(await first.textContent()).toContain('accepted');
    // Found anew by an engine that knows the baseline as it was.
    await page.evaluate(`panels.setFindings(${JSON.stringify(loadedOf(SCENE, PAIRS).document.findings)}, {})`);
    expect(await first.textContent()).toContain('accepted');
  });

  const bar = () => page.getByRole('group', { name: 'Finding' });
  const list = () => page.getByRole('listbox', { name: 'Findings' });
  const placed = () => bar().getByRole('status').first().textContent();

  test('the bar tells the place in the list and its order, and goes on where a finding has left it', {
    tags: ['all'],
  }, async () => {
    await open(loadedOf(SCENE, PAIRS));
    expect(await placed()).toBe('3 findings');
    await bar().getByRole('button', { name: 'Next finding' }).click();
    await soon(placed).toBe('1 of 3');
    expect(await bar().getByRole('button', { name: 'Previous finding' }).isDisabled()).toBe(true);
    expect(await bar().locator('.about').textContent()).toBe('+new, overlap wall / pipe');
    expect(await bar().locator('.about').getAttribute('title')).toBe('house/wall and house/pipe');
    await page.getByRole('combobox', { name: 'Sort by' }).selectOption('size');
    await soon(placed).toBe('3 of 3');
    await page.keyboard.press('k');
    await soon(placed).toBe('2 of 3');
    await page.getByRole('combobox', { name: 'State' }).selectOption('new');
    await page.getByRole('combobox', { name: 'Sort by' }).selectOption('found');
    await page.keyboard.press('y');
    await soon(placed).toBe('2 findings');
    await page.keyboard.press('j');
    await soon(state).toMatchObject({ finding: '2'.padStart(16, '0') });
    await soon(placed).toBe('2 of 2');
  });

  test('j, k and / work while a list of choices has the focus, and its own keys stay', { tags: ['all'] }, async () => {
    await open(loadedOf(SCENE, PAIRS));
    const order = page.getByRole('combobox', { name: 'Sort by' });
    await order.focus();
    for (const key of ['j', 'j', 'k']) await page.keyboard.press(key);
    await soon(state).toMatchObject({ finding: '0'.repeat(16) });
    await page.keyboard.press('n');
    expect(await order.inputValue()).toBe('name');
    await page.keyboard.press('/');
    expect(await page.evaluate('document.activeElement.type')).toBe('search');
    await page.keyboard.press('j');
    expect(await page.evaluate('document.activeElement.value')).toBe('j');
  });

  const ACCEPTED = { accepted: true, note: null };

  test('several are accepted at once: with Shift, with Ctrl, by boxes and by keys', { tags: ['all'] }, async () => {
    await open(loadedOf(SCENE, PAIRS));
    const rows = list().locator('.row');
    const accept = bar().getByRole('button', { name: /^Accept/ });
    expect(await list().getAttribute('aria-multiselectable')).toBe('true');
    expect(await accept.isDisabled()).toBe(true);
    await rows.nth(0).click();
    await rows.nth(2).click({ modifiers: ['Shift'] });
    expect(await accept.textContent()).toBe('Accept 3');
    expect(await list().getByRole('option', { selected: true }).count()).toBe(3);
    // The finding that is shown stays.
    expect(await placed()).toBe('1 of 3');
    await rows.nth(1).click({ modifiers: ['ControlOrMeta'] });
    await accept.click();
    expect(await page.getByText('2 changes are not saved').count()).toBe(1);
    expect(await list().locator('.row.accepted').count()).toBe(2);
    expect(await list().getByRole('option', { selected: true }).count()).toBe(1);
    // A box selects without showing another finding; all accepted ones are taken back together.
    await rows.nth(0).locator('.pick').click();
    await rows.nth(2).locator('.pick').click();
    await soon(() => accept.getAttribute('aria-pressed')).toBe('true');
    await accept.click();
    expect(await list().locator('.row.accepted').count()).toBe(0);
    expect(await page.getByText(/not saved/).count()).toBe(0);
    expect(await placed()).toBe('1 of 3');
    await list().focus();
    await page.keyboard.press('Home');
    await page.keyboard.press('Shift+ArrowDown');
    expect(await accept.textContent()).toBe('Accept 2');
    await page.keyboard.press('Control+a');
    expect(await accept.textContent()).toBe('Accept 3');
    await page.keyboard.press('y');
    await page.getByRole('button', { name: 'Save baseline' }).click();
    await soon(async () => (await wished()).at(-1)).toEqual([
      'save',
      ['0', '1', '2'].map((id) => ({ id: id.padStart(16, '0'), ...ACCEPTED, seen: { ...ACCEPTED, accepted: false } })),
    ]);
  });

  test('a finding that a filter hides is not accepted with the others', { tags: ['all'] }, async () => {
    await open(loadedOf(SCENE, PAIRS));
    await list().focus();
    await page.keyboard.press('Control+a');
    await page.getByRole('combobox', { name: 'Class' }).selectOption('overlap');
    await soon(() =>
      bar()
        .getByRole('button', { name: /^Accept/ })
        .textContent(),
    ).toBe('Accept 2');
  });

  test('another object drops the finding; a change of sides keeps it', { tags: ['all'] }, async () => {
    await open(loadedOf(SCENE, PAIRS));
    await page.keyboard.press('j');
    await soon(() => page.locator('.finding dl').count()).toBe(1);
    await page.keyboard.press('x');
    await soon(state).toMatchObject({ a: 'house/pipe', b: 'house/wall', finding: '0'.repeat(16) });
    // As the stage does at a click.
    await page.evaluate("store.set({ a: 'house/wall', b: 'garden/tree-7' })");
    await soon(state).toMatchObject({ finding: null });
    await soon(() => page.locator('.finding dl').count()).toBe(0);
    expect(await list().locator('.row.chosen').count()).toBe(0);
    expect(await placed()).toBe('3 findings');
    expect(await page.evaluate('writeView(store.state)')).not.toContain('finding');
  });

  test('the row of a finding that an address names is in sight, far down', { tags: ['all'] }, async () => {
    const many = Array.from({ length: 300 }, (_, k): [string, string] => [`garden/tree-${k}`, `garden/tree-${k + 1}`]);
    await open(loadedOf(SCENE, many), { finding: '250'.padStart(16, '0') });
    await soon(placed).toBe('251 of 300');
    const isInSight = `(() => {
      const row = document.querySelector('.rows .row.chosen');
      const [own, all] = [row, row.closest('.rows')].map((each) => each.getBoundingClientRect());
      return own.top >= all.top && own.bottom <= all.bottom + 1;
    })()`;
    await soon(() => page.evaluate(isInSight)).toBe(true);
  });

  test('icons of states are explained, for those that occur', { tags: ['all'] }, async () => {
    const loaded = loadedOf(SCENE, PAIRS);
    loaded.document.findings[1].state = 'worse';
    await open(loaded);
    expect(await page.locator('.legend').textContent()).toBe('+new↑worse✓accepted');
  });

  test('the note of the finding is a key and a button away, wherever the panel is', { tags: ['all'] }, async () => {
    await open(loadedOf(SCENE, PAIRS), {}, { width: 390, height: 844 });
    await page.keyboard.press('j');
    await bar().getByRole('button', { name: 'Note' }).click();
    await page.keyboard.type('by the architect');
    const note = page.getByRole('textbox', { name: 'Note' });
    expect(await note.inputValue()).toBe('by the architect');
    expect(await bar().isVisible()).toBe(true);
  });

  test('names are short in rows and lists, whole in titles, and either is found', { tags: ['all'] }, async () => {
    const wall = 'house/IfcWall/Basic Wall:Interior - Partition:138584/2O2Fr$t4X7Zf8NOew3FLPP';
    const phone = 'phones/IfcBuildingElementProxy/Telephone Outlet:Telephone Outlet:611904/2O2Fr$t4X7Zf8NOew3FLPQ';
    await open(loadedOf([...SCENE, wall, phone], [[phone, wall]]), { a: wall, b: phone });
    const row = list().locator('.row').first();
    expect(await row.locator('.name').allTextContents()).toEqual([
      'Telephone Outlet 611904 IfcBuildingElementProxy, phones',
      'Basic Wall 138584 IfcWall, house',
    ]);
    expect(await row.getAttribute('title')).toContain(wall);
    const a = page.getByLabel('a', { exact: true });
    expect([await a.inputValue(), await a.getAttribute('title')]).toEqual(['Basic Wall 138584', wall]);
    for (const words of ['Telephone Outlet 611904', 'Outlet:611904/2O2Fr', 'PROXY phone']) {
      await page.getByRole('searchbox').first().fill(words);
      await soon(placed).toBe('1 finding');
    }
    await page.getByRole('searchbox').first().fill('nothing');
    await soon(placed).toBe('0 findings');
    for (const words of ['Telephone Outlet 611904', phone]) {
      await a.fill(words);
      await a.press('Enter');
      await soon(state).toMatchObject({ a: phone });
      await page.evaluate(`store.set({ a: ${JSON.stringify(wall)} })`);
    }
  });

  test('a scene of no finding says so, and is asked again where an object was moved', { tags: ['all'] }, async () => {
    const loaded = loadedOf(['p', 'q', 'r']);
    await open({ ...loaded, document: { ...loaded.document, summary: '3 objects, 3 pairs' as never } });
    expect(await page.getByText('3 objects, 3 pairs').isVisible()).toBe(true);
    expect(await page.locator('.hint', { hasText: '0 findings' }).isVisible()).toBe(true);
    expect(await bar().isVisible()).toBe(false);
    expect(await page.getByRole('combobox', { name: 'Rule' }).isVisible()).toBe(false);
    await page.evaluate(`store.set({ poses: { p: ${JSON.stringify(STAND)} } })`);
    await page.getByRole('button', { name: 'Find again' }).click();
    expect((await wished()).at(-1)).toEqual(['find']);
  });

  test('the tree of 3,003 objects has elements for what is in sight, and chooses by keys', {
    tags: ['all'],
  }, async () => {
    await open(loadedOf(SCENE, PAIRS));
    const tree = page.getByRole('tree', { name: 'Objects' });
    expect(await tree.getByRole('treeitem').allTextContents()).toHaveLength(3);
    await page.getByRole('searchbox').nth(1).fill('tree 29');
    await soon(() => tree.getByRole('treeitem').count()).toBeGreaterThan(5);
    expect(await tree.getByRole('treeitem').count()).toBeLessThan(60);
    await tree.focus();
    await page.keyboard.press('End');
    await page.keyboard.press('a');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    await soon(state).toMatchObject({ a: 'garden/tree-2999', b: 'garden/tree-2998' });
    await page.getByLabel('b', { exact: true }).fill('house/wall');
    await page.getByLabel('b', { exact: true }).press('Enter');
    await soon(state).toMatchObject({ a: 'garden/tree-2999', b: 'house/wall' });
    // Nothing stands beside itself.
    await page.getByLabel('a', { exact: true }).fill('house/wall');
    await page.getByLabel('a', { exact: true }).press('Enter');
    await soon(state).toMatchObject({ a: 'house/wall', b: 'garden/tree-2999' });
  });

  test('frames are stepped, scrubbed and played to their end', { tags: ['all'] }, async () => {
    await open(loadedOf(SCENE, PAIRS, 12));
    await page.keyboard.press('.');
    await page.keyboard.press('.');
    await page.keyboard.press(',');
    await soon(state).toMatchObject({ frame: 1 });
    await page.getByRole('slider', { name: 'Frame' }).press('End');
    await soon(state).toMatchObject({ frame: 11 });
    expect(await page.locator('.time output').textContent()).toBe('11 of 11, time 1.1');
    await page.getByRole('combobox', { name: 'Speed' }).selectOption('10');
    await page.getByRole('button', { name: 'Play' }).click();
    await soon(() => page.getByRole('button', { name: 'Play' }).count()).toBe(1);
    await soon(state).toMatchObject({ frame: 11 });
    const marks = page.locator('.marks');
    expect(await marks.getAttribute('aria-label')).toBe('Something touches in 1 of 12 frames');
    // Only that frame is painted.
    const painted = `(() => {
      const canvas = document.querySelector('.marks');
      const { data, width } = canvas.getContext('2d').getImageData(0, 0, canvas.width, 1);
      return Array.from({ length: width }, (_, k) => k).filter((k) => data[4 * k + 3] > 0);
    })()`;
    await soon(() => page.evaluate(painted)).toEqual([7]);
  });

  test('the store tells once a task, of the last state and of the one before', { tags: ['all'] }, async () => {
    await open(loadedOf(['left', 'right']));
    const told = await page.evaluate(`new Promise((done) => {
      const told = [];
      store.follow((state, before) => told.push([state.level, before.level, state.surface]));
      store.set({ level: 1 });
      store.set({ level: 2 });
      store.set({ surface: 'wire' });
      setTimeout(() => { store.set({ level: 2 }); setTimeout(() => done(told)); });
    })`);
    expect(told).toEqual([[2, null, 'wire']]);
  });

  test('an address that somebody changes just before another view is written there wins', {
    tags: ['all'],
  }, async () => {
    const file = join(makeFolder(), 'page.html');
    writeFileSync(file, '');
    await open(loadedOf(['left', 'right']), {}, { address: pathToFileURL(file).href });
    await page.evaluate('store.set({ level: 1 })');
    // A page that goes writes at once: here before it hears of the change.
    await page.evaluate(`new Promise((done) => {
      addEventListener('hashchange', () => setTimeout(done), { once: true });
      location.hash = 'level=2';
      dispatchEvent(new Event('pagehide'));
    })`);
    expect(await state()).toMatchObject({ level: 2 });
    expect(await page.evaluate('location.hash')).toBe('#level=2');
  });

  test('keys of one letter do as the help says, until somebody wants none', { tags: ['all'] }, async () => {
    await open(loadedOf(['left', 'right']), { a: 'left', b: 'right' });
    for (const key of ['x', 'w', ']', ']', '[', 'c', 'd', 'i', 'm']) await page.keyboard.press(key);
    const changed = { a: 'right', b: 'left', surface: 'wire', level: 0, showsContacts: false, showsDistance: false };
    await soon(state).toMatchObject({ ...changed, isIsolated: true });
    expect((await wished()).at(-1)).toEqual(['gizmo', 'move']);
    await page.keyboard.press('?');
    await page.getByRole('checkbox', { name: 'keys of one letter' }).uncheck();
    await page.keyboard.press('Escape');
    await page.keyboard.press('x');
    expect(await state()).toMatchObject({ a: 'right' });
  });

  test('names of markup are text', { tags: ['all'] }, async () => {
    await open(loadedOf(SCENE, PAIRS), { a: MEAN, b: 'house/pipe', finding: '1'.padStart(16, '0') });
    await page.evaluate(`panels.setTouching([{ a: ${JSON.stringify(MEAN)}, b: 'house/pipe', class: 'contact' }], 1)`);
    await page.evaluate(`panels.say(${JSON.stringify(MEAN)}, 'problem')`);
    expect(await page.evaluate('document.images.length')).toBe(0);
    expect(await page.evaluate('/[\\u202e\\u0007]/.test(document.body.innerText + document.title)')).toBe(false);
    expect(await page.locator('h1').textContent()).toBe('<img src=x onerror=alert(1)>/\\u202egnp\\u0007"');
    expect(await page.evaluate('Object.keys(store.state)')).toEqual(STATE_KEYS);
  });

  const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  const looks = some(2, [
    [1280, 'light'],
    [390, 'dark'],
    [1280, 'dark'],
    [390, 'light'],
  ] as const);
  test.each(looks)(
    'axe-core finds nothing at %i pixels, %s, and nothing is wider',
    { tags: ['all', 'long'] },
    async (width, colorScheme) => {
      const shown = { a: MEAN, b: 'house/pipe', finding: '1'.padStart(16, '0'), level: 1, visits: 1 };
      await open(loadedOf(SCENE, PAIRS, 3), shown, { width, height: 844, colorScheme });
      await page.evaluate("for (const part of document.querySelectorAll('details')) part.open = true");
      await page.evaluate("panels.say('wrong', 'problem'); panels.setVisits({ levels: [1, 20, 300] })");
      const judged = { rule: null, clearance: 0.6, tolerance: 0, touchGap: 0, solid: 'auto', by: 'scene' };
      const near = { verdict: 'near', distance: 0.3, engine: 'kernel', tests: { bounds: 1, hulls: 1 }, ms: 1, judged };
      await page.evaluate(`panels.setQuick(${JSON.stringify({ ...near, problem: null })})`);
      await page.evaluate("panels.setTouching([{ a: 'house/pipe', b: 'garden/tree-7', class: 'near' }], 1)");
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
      for (const help of [false, true]) {
        if (help) await page.getByRole('button', { name: 'Help' }).click();
        const found: AxeResults = await page.evaluate(`${axe};axe.run(document)`);
        expect(found.violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);
      }
    },
  );
});
