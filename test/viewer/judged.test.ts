/** Two objects are judged by the chosen finding's question, otherwise by the scene's rules. */
// @module-tag all
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { lengthText } from '../../src/base/printable.ts';
import { createScene } from '../../src/browser.ts';
import { identity, translation } from '../../src/math/pose.ts';
import { toldBy } from '../../src/report/records.ts';
import type { Rules } from '../../src/scene/rules.ts';
import type { ViewDocument } from '../../src/viewer/document.ts';
import { ViewEngine } from '../../src/viewer/engine.ts';
import type { Judged } from '../../src/viewer/judged.ts';
import { quickAnswer, quickPair } from '../../src/viewer/quick.ts';
import { headlineOf, missingText, requiredText } from '../../src/viewer/words.ts';
import { makeFolder, program, run, writeMesh } from '../support/cli.ts';
import { box } from '../support/shapes.ts';
import { documentOf, obbOf } from '../support/view-documents.ts';

const ASSET = obbOf(box(1));
/** Places along x: a pipe 0.25 from a duct, a wall that the duct stands in, a post in both. */
const PLACES: Record<string, number> = { pipe: 0, duct: 1.25, wall: 2, post: 2.5 };
const RULES: Rules = {
  rules: [
    { id: 'mep', a: 'pipe', b: 'duct', clearance: 0.6 },
    { id: 'wide', a: 'pipe', b: 'duct', clearance: 0.5, tolerance: 0.01 },
    { id: 'walls', a: 'duct', b: 'wall' },
    { id: 'posts', a: 'wall', b: 'post', tolerance: 0.75 },
  ],
  allow: [{ a: 'duct', b: 'post', reason: 'fixed to it' }],
};

const objects = Object.entries(PLACES).map(([name, x]) => {
  return { asset: ASSET, name, pose: Array.from(translation(x, 0, 0)), file: `${name}.obj` };
});
const numberOf = (name: string): number => objects.findIndex((object) => object.name === name);

/** The findings of the scene, as its lines tell them. */
async function listed() {
  const placed = objects.map(({ pose, file, ...object }) => {
    return { ...object, pose: Float64Array.from(pose), origin: { file } };
  });
  const { findings } = await createScene(placed, { rules: RULES }).findings();
  return findings.flatMap((finding) => toldBy(JSON.parse(JSON.stringify(finding))).findings);
}

async function opened(changes: Partial<ViewDocument>) {
  const { document, files } = await documentOf(objects, {
    again: { command: 'scene', files: ['s.scene.json'], options: [] },
    ...changes,
  });
  const engine = new ViewEngine();
  await engine.answer('open', { document, files });
  const ask = async (a: string, b: string, finding: string | null = null, shift = 0) => {
    const question = {
      ...{ a: numberOf(a), b: numberOf(b), finding },
      poseA: translation(PLACES[a], 0, 0),
      poseB: translation(PLACES[b] + shift, 0, 0),
    };
    const quick = await engine.answer('quick', question);
    const full = await engine.answer('full', question);
    return { quick, full, words: headlineOf(full.report, full.judged, ' m').words };
  };
  return { engine, ask };
}

test('a near finding is near by its own rule: word, color, line and command have its clearance', async () => {
  const findings = await listed();
  const { ask } = await opened({ asked: { rules: RULES }, findings });
  const ids = Object.fromEntries(findings.map(({ rule, id }) => [rule, id]));
  const { quick, full, words } = await ask('duct', 'pipe', ids.wide);
  expect(quick).toMatchObject({ verdict: 'near', judged: { clearance: 0.5, tolerance: 0.01, by: 'finding' } });
  expect(quick.line === null).toBe(quick.distance === null);
  expect(words).toBe('near, 0.25 of 0.5 m');
  expect(full.report).toMatchObject({ class: 'near', witness: { a: expect.any(Array) } });
  expect(full.command).toContain('--clearance 0.5 --solid auto --tolerance 0.01 --distance --patches');
  expect((await ask('duct', 'pipe', ids.mep)).words).toBe('near, 0.25 of 0.6 m');
  // It stays its rule's question wherever the two are put.
  expect((await ask('duct', 'pipe', ids.mep, -0.3)).words).toBe('near, 0.55 of 0.6 m');
  expect((await ask('duct', 'pipe', ids.mep, -0.5)).words).toBe('clear');
  expect((await ask('duct', 'pipe', ids.mep, 0.75)).words).toBe('overlap');
  // A finding of other objects says nothing of these.
  expect((await ask('duct', 'wall', ids.mep)).full.judged).toMatchObject({ rule: 'walls', clearance: 0, by: 'scene' });
});

test('without a finding the strictest of all rules about the two judges, and none of an allowed pair', async () => {
  const { ask } = await opened({ asked: { rules: RULES } });
  const { full, words } = await ask('pipe', 'duct');
  expect(full.judged).toMatchObject({ rule: 'mep, wide', clearance: 0.6, tolerance: 0, by: 'scene' });
  expect(words).toBe('near, 0.25 of 0.6 m');
  expect(requiredText(full.judged, ' m')).toBe('0.6 m apart, by mep, wide');
  const posts = await ask('wall', 'post');
  expect(posts.words).toBe('touch');
  expect(requiredText(posts.full.judged, '')).toBe('no contact, overlaps up to 0.75 count as touch, by posts');
  const allowed = await ask('duct', 'post', null, -0.5);
  expect(allowed.full.judged.by).toBe('allowed');
  expect(headlineOf(allowed.full.report, allowed.full.judged, '')).toEqual({ words: 'overlap', kind: 'touch' });
  expect(requiredText(allowed.full.judged, '')).toBe('nothing: the scene allows this pair');
  expect((await ask('pipe', 'post')).full.judged.by).toBe('unasked');
});

test('a file of findings: each line has its own clearance, curves, and nothing touches that is not listed', async () => {
  const findings = await listed();
  expect(findings.map(({ rule }) => rule)).toEqual(['mep', 'wide', 'walls', 'posts']);
  const again = { command: 'scene' as const, files: ['f.ndjson'], findings: 'f.ndjson', options: [] };
  const { engine, ask } = await opened({ again, asked: { clearance: 0.6 }, findings });
  const touching = async (poses: Record<string, ArrayLike<number>>) =>
    (await engine.answer('touching', { poses })).pairs.map(({ a, b, class: found }) => `${a} ${b} ${found}`);
  const walls = await ask('duct', 'wall');
  expect(walls.full.judged).toMatchObject({ rule: 'walls', clearance: 0 });
  expect(walls.full.contacts.patches).not.toEqual([]);
  expect((await ask('duct', 'pipe')).words).toBe('near, 0.25 of 0.6 m');
  // The scene allowed it, and the file does not list it; so it counts once one of them moves.
  expect(await touching({})).toEqual(['duct pipe near', 'duct wall contact', 'post wall contact']);
  const away = Array.from(translation(2, 0, 0));
  expect(await touching({ post: away })).toEqual([
    ...['duct pipe near', 'duct post contact', 'duct wall contact', 'post wall contact'],
  ]);
  const again1 = (await engine.answer('find', { poses: {} })).findings;
  expect(again1.map(({ id, rule, level }) => [id, rule, level])).toEqual(
    findings.map(({ id, rule, level }) => [id, rule, level]),
  );
  const again2 = (await engine.answer('find', { poses: { post: away } })).findings;
  expect(again2.map(({ rule }) => rule).sort()).toEqual(['mep', 'overlap', 'posts', 'walls', 'wide']);
});

test('one inside the other is told at once, where surfaces are apart', async () => {
  const { document, files } = await documentOf([{ asset: obbOf(box(1)) }, { asset: obbOf(box(4)) }]);
  const engine = new ViewEngine();
  await engine.answer('open', { document, files });
  const at = (x: number) => ({ a: 0, b: 1, poseA: translation(x, 0, 0), poseB: identity() });
  expect(await engine.answer('quick', at(0))).toMatchObject({ verdict: 'clear', class: 'inside' });
  expect((await engine.answer('quick', at(9))).class).toBeUndefined();
  const { report, judged } = await engine.answer('full', at(0));
  expect(headlineOf(report, judged, '')).toEqual({ words: 'inside', kind: 'contact' });
});

test('findings.ndjson of the program: the copied line prints what the page says', async () => {
  const cwd = makeFolder();
  writeMesh(join(cwd, 'box.obj'), box());
  const instances = Object.entries(PLACES).map(([name, x]) => ({ name, asset: 'box', translate: [x, 0, 0] }));
  const scene = { gicollide: 'scene/1', units: 'm', assets: { box: 'box.obj' }, instances, ...RULES };
  writeFileSync(join(cwd, 's.scene.json'), JSON.stringify(scene));
  const { stdout } = await run(['scene', 's.scene.json', '--json'], { cwd });
  writeFileSync(join(cwd, 'f.ndjson'), stdout);
  for (const input of ['f.ndjson', 's.scene.json']) {
    expect((await run(['view', input, '--html', 'f.html'], { cwd })).code).toBe(0);
    const { document, files } = pageOf(join(cwd, 'f.html'));
    const engine = new ViewEngine();
    await engine.answer('open', { document, files });
    const numbers = new Map(document.objects.map(({ name }, n) => [name, n]));
    for (const { id, class: found, subjects } of document.findings) {
      const [a, b] = subjects.map(({ name }) => numbers.get(name)!);
      const [poseA, poseB] = [document.objects[a].pose, document.objects[b].pose];
      const full = await engine.answer('full', { a, b, poseA, poseB, finding: id });
      expect(full.report.class).toBe(found);
      expect(full.command.startsWith(`gicollide check --finding 'f.ndjson#${id}' `)).toBe(input === 'f.ndjson');
      expect(full.command).not.toMatch(/--(pose|translate)-/);
      const typed = shell(full.command, cwd);
      expect(untimed(typed)).toBe(untimed(full.text));
      expect(typed).toContain(`  solids: ${found}`);
      const moved = await engine.answer('full', { a, b, poseA, poseB: translation(3.25, 0, 0), finding: id });
      expect(moved.command).toContain('--translate-b 3.25,0,0');
      expect(untimed(shell(moved.command, cwd))).toBe(untimed(moved.text));
    }
  }
});

/** What a written page has in it. */
function pageOf(file: string): { document: ViewDocument; files: Uint8Array[] } {
  const html = readFileSync(file, 'utf8');
  const [, text] = /<script type="application\/json" id="document">(.*?)<\/script>/s.exec(html)!;
  const assets = html.matchAll(/<script type="application\/octet-stream" id="asset-\d+">(.*?)<\/script>/gs);
  return { document: JSON.parse(text), files: Array.from(assets, ([, bytes]) => Buffer.from(bytes, 'base64')) };
}

/** What a shell prints of a line that somebody copied. A contact has exit code 1. */
function shell(line: string, cwd: string): string {
  const called = `gicollide() { "${process.execPath}" "${program}" "$@"; }\n${line}`;
  return spawnSync('sh', ['-c', called], { cwd, encoding: 'utf8' }).stdout;
}

const untimed = (text: string): string => text.replaceAll(/[\d.]+ ms/g, 'ms');

test('within the clearance, by bounds alone: near, as by a distance', () => {
  const asked: Judged = { rule: null, clearance: 0.5, tolerance: 0, touchGap: 0, solid: 'off', by: 'scene' };
  const wordsOf = (lower: number): string =>
    headlineOf({ verdict: 'contact', distance: null, bracket: { lower, upper: 0.375 } }, asked, '').words;
  expect(wordsOf(0.25)).toBe('near, 0.25 to 0.375 of 0.5');
  // They may touch.
  expect(wordsOf(0)).toBe('contact');
});

test('quick: what may touch is not near', () => {
  const asked: Judged = { rule: null, clearance: 0.5, tolerance: 0, touchGap: 0, solid: 'off', by: 'scene' };
  const pair = quickPair(ASSET, ASSET);
  const report: typeof pair.pair.report = (options) => ({ ...pair.pair.report(options), verdict: 'undecided' });
  const unsure = { ...pair, pair: Object.assign(Object.create(pair.pair), { report }) };
  expect(quickAnswer(pair, identity(), translation(1.25, 0, 0), asked).verdict).toBe('near');
  expect(quickAnswer(unsure, identity(), translation(1.25, 0, 0), asked).verdict).toBe('undecided');
  expect(quickAnswer(unsure, identity(), translation(4, 0, 0), asked).verdict).toBe('clear');
});

test('what one worker has found, another judges by', async () => {
  const [slow, quick] = [await opened({ asked: { rules: RULES } }), await opened({ asked: { rules: RULES } })];
  const { findings } = await slow.engine.answer('find', { poses: {} });
  const { id } = findings.find(({ rule }) => rule === 'wide')!;
  expect((await quick.ask('duct', 'pipe', id)).quick.judged.rule).toBe('mep, wide');
  await quick.engine.answer('learn', { findings });
  expect((await quick.ask('duct', 'pipe', id)).quick.judged).toMatchObject({ rule: 'wide', by: 'finding' });
});

test('lengths have six digits at most', () => {
  const asked: Judged = { rule: null, clearance: 2 / 3, tolerance: 0, touchGap: 0, solid: 'auto', by: 'scene' };
  const found = { verdict: 'near', distance: 1 / 3, bracket: null } as const;
  expect(headlineOf(found, asked, ' mm').words).toBe('near, 0.333333 of 0.666667 mm');
  expect(missingText(found, asked.clearance, ' mm')).toBe('0.333333 mm too little');
  const between = { distance: 0.5, bracket: { lower: 0.25, upper: 0.75 } };
  expect(missingText(between, 0.5, '')).toBe('0 to 0.25 too little');
  expect(lengthText({ lower: 0.25123412, upper: 0.25123413 })).toBe('0.251234');
  expect(lengthText({ lower: 0.1234567, upper: 0.1298765 })).toBe('0.123457 to 0.129877');
});
