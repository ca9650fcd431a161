/** The engine of the page: every question, of every kind of asset, held to the library's own answers. */
import { expect, test } from 'vitest';
import { createScene } from '../../src/browser.ts';
import { isOfTriangles } from '../../src/engine/operand.ts';
import { check } from '../../src/engine/prepared.ts';
import type { Asset } from '../../src/engine/representation.ts';
import { compose, identity, rotation, translation } from '../../src/math/pose.ts';
import { boxOf } from '../../src/mesh/extent.ts';
import { representationOf } from '../../src/representations/kinds.ts';
import type { FindingClass } from '../../src/scene/classes.ts';
import type { ViewDocument } from '../../src/viewer/document.ts';
import { ViewEngine } from '../../src/viewer/engine.ts';
import type { Judged } from '../../src/viewer/judged.ts';
import type { Shape } from '../../src/viewer/protocol.ts';
import { quickAnswer, quickPair } from '../../src/viewer/quick.ts';
import { randomRotation } from '../support/agreement.ts';
import { untilLook } from '../support/clock.ts';
import { long } from '../support/long.ts';
import { seeded } from '../support/random.ts';
import { box, icosphere, openCylinder } from '../support/shapes.ts';
import { assetOfKind, documentOf, KINDS, obbOf } from '../support/view-documents.ts';

const known = new Map<string, Asset>();
function ofKind(kind: string): Asset {
  const asset = known.get(kind) ?? assetOfKind(kind);
  known.set(kind, asset);
  return asset;
}

async function opened(...args: Parameters<typeof documentOf>) {
  const { document, files } = await documentOf(...args);
  const engine = new ViewEngine();
  const facts = await engine.answer('open', { document, files });
  return { engine, facts, document };
}

/** The corners of a shape's box, in the asset's frame. */
function boxOfShape({ origin, positions, triangles }: Shape): number[] {
  const box = boxOf(positions, triangles);
  return Array.from(box, (x, k) => x + origin[k % 3]);
}

test('a document that is opened lazily: assets are read when a question needs them, with the same answers', async () => {
  const assets = ['gi', 'kdop', 'obb'].map(ofKind);
  const { document, files } = await documentOf(assets.map((asset) => ({ asset })));
  const broken = [...files.map((file) => file.slice()), Uint8Array.of(1, 2, 3)];
  const last = { ...document.assets[2], name: 'broken' };
  const more = { ...document, assets: [...document.assets, last], objects: [...document.objects] };
  more.objects.push({ ...document.objects[2], name: 'broken', asset: 3 });
  const lazy = new ViewEngine();
  expect(await lazy.answer('open', { document: more, files: broken, isLazy: true })).toEqual([]);
  const { engine } = await opened(assets.map((asset) => ({ asset })));
  const pair = { a: 0, b: 2, poseA: identity(), poseB: translation(0.5, 0, 0) };
  // Two at once read each asset once.
  const both = await Promise.all([lazy.answer('contacts', pair), lazy.answer('surface', { asset: 2 })]);
  const eager = [await engine.answer('contacts', pair), await engine.answer('surface', { asset: 2 })];
  expect(both).toEqual(eager);
  for (const question of [{ asset: 3 }, { asset: 4 }, { asset: -1 }])
    await expect(lazy.answer('surface', question)).rejects.toThrow(
      question.asset === 3 ? /^broken: / : /^asset: expected/,
    );
  await expect(lazy.answer('contacts', { ...pair, b: 7 })).rejects.toThrow(/^object: expected/);
  await expect(lazy.answer('touching', { poses: {} })).rejects.toThrow(/^broken: /);
  const whole = new ViewEngine();
  await whole.answer('open', { document, files, isLazy: true });
  // A pair first: the scene needs the assets of all objects, too.
  const full = [await whole.answer('full', { ...pair, b: 1 }), await engine.answer('full', { ...pair, b: 1 })];
  for (const one of full) one.text = one.text.replace(/ [\d.]+ ms/, '');
  expect({ ...full[0], report: {} }).toEqual({ ...full[1], report: {} });
  const touching = await whole.answer('touching', { poses: {} });
  expect(touching.pairs).toEqual((await engine.answer('touching', { poses: {} })).pairs);
});

test('the full answer about a pair of a scene waits for the other assets, whose rules judge it', async () => {
  const objects = ['obb', 'kdop', 'frep'].map((kind) => ({ asset: ofKind(kind) }));
  const { document, files } = await documentOf(objects);
  const lazy = new ViewEngine();
  await lazy.answer('open', { document, files, isLazy: true });
  const { engine } = await opened(objects);
  const pair = { a: 0, b: 1, poseA: identity(), poseB: translation(0.5, 0, 0) };
  const [{ report, judged, text }, eager] = [await lazy.answer('full', pair), await engine.answer('full', pair)];
  expect([report.verdict, report.class, judged]).toEqual([eager.report.verdict, eager.report.class, eager.judged]);
  expect(text.split('\n').length).toBe(eager.text.split('\n').length);
  const [touching, all] = [lazy, engine].map((each) => each.answer('touching', { poses: {} }));
  expect((await touching).pairs).toEqual((await all).pairs);
});

test('the line of a scene with frames has no pose of an object that no frame moves', async () => {
  const frames = [{ time: null, poses: { a: Array.from(identity()) } }];
  const again: ViewDocument['again'] = { command: 'scene', files: ['s.json'], options: [] };
  const objects = [obbOf(box(1, 1, 1)), obbOf(box(1, 1, 1))].map((asset) => ({ asset }));
  const { engine } = await opened(objects, { frames, again });
  const line = async (poseB: Float64Array) =>
    (await engine.answer('full', { a: 0, b: 1, poseA: identity(), poseB })).command;
  expect(await line(identity())).toMatch(/^gicollide check a b --scene s.json --translate-a 0,0,0 --solid/);
  expect(await line(translation(3, 0, 0))).toContain('--translate-b 3,0,0');
});

test.each(KINDS)('%s: facts, surface and bounds', { tags: ['all'] }, async (kind) => {
  const asset = ofKind(kind);
  const { engine, facts } = await opened([{ asset }]);
  const [{ depth, low, high, open, hasPages, triangles }] = facts;
  expect(depth).toBe(representationOf(asset).depth(asset));
  expect(hasPages).toBe(kind === 'gi');
  // Cubes of a surface are no solid.
  expect(open === null).toBe(kind !== 'voxel');
  const stored = representationOf(asset).surface(asset);
  const surface = await engine.answer('surface', { asset: 0 });
  // Vertices are copied at sharp edges, and no corner moves.
  expect(surface.triangles.length).toBe(stored.triangles.length);
  expect(surface.normals!.length).toBe(surface.positions.length);
  const moved = Array.from(stored.triangles, (v, c) => {
    const way = (k: number) => surface.positions[3 * surface.triangles[c] + k] + surface.origin[k];
    return Math.max(...[0, 1, 2].map((k) => 1e6 * Math.abs(way(k) - stored.positions[3 * v + k])));
  });
  expect(moved.reduce((most, x) => Math.max(most, x), 0)).toBeLessThan(10);
  expect(triangles).toBe(kind === 'frep' ? 0 : stored.triangles.length / 3);
  const drawn = boxOfShape(surface);
  const exact = boxOf(stored.positions, stored.triangles);
  for (let k = 0; k < 6; k++) expect(drawn[k]).toBeCloseTo(exact[k], 5);
  // An F-rep's is that of cells, which hold it.
  for (let k = 0; k < 3; k++) {
    expect(low[k]).toBeLessThanOrEqual(exact[k] + 1e-3);
    expect(high[k]).toBeGreaterThanOrEqual(exact[3 + k] - 1e-3);
  }
  for (const level of [0, 1, Math.min(4, depth)]) {
    const bounds = await engine.answer('bounds', { asset: 0, level });
    expect(bounds.triangles.length).toBeGreaterThan(0);
    expect(Math.max(...bounds.triangles)).toBeLessThan(bounds.positions.length / 3);
  }
  await expect(engine.answer('bounds', { asset: 0, level: depth + 1 })).rejects.toThrow(/level/);
});

test('what is handed out is nobody’s but the caller’s: it may be posted away', { tags: ['all'] }, async () => {
  const { engine } = await opened([{ asset: ofKind('obb') }]);
  const first = await engine.answer('surface', { asset: 0 });
  structuredClone(first, { transfer: [first.positions.buffer as ArrayBuffer, first.triangles.buffer as ArrayBuffer] });
  const second = await engine.answer('surface', { asset: 0 });
  expect(second.triangles.length).toBeGreaterThan(0);
});

test('singles are about the middle: a part a million units away keeps its shape', { tags: ['all'] }, async () => {
  const far = box(1);
  for (let i = 0; i < far.positions.length; i++) far.positions[i] += 1e7;
  const { engine } = await opened([{ asset: obbOf(far) }]);
  const { origin, positions } = await engine.answer('surface', { asset: 0 });
  const exact = Array.from(positions, (x, i) => x + origin[i % 3]);
  expect(exact.slice(0, far.positions.length)).toEqual(Array.from(far.positions));
});

const mixtures = KINDS.flatMap((a, i) => KINDS.slice(i).map((b) => [a, b] as const));

test.each(mixtures)(
  '%s and %s: quick and full say what check says, seed 25',
  { tags: ['all', 'long'] },
  async (p, q) => {
    const [a, b] = [ofKind(p), ofKind(q)];
    const { engine } = await opened([{ asset: a }, { asset: b }]);
    const random = seeded(25);
    const seen = new Set<string>();
    for (let n = 0; n < (long ? 12 : 6); n++) {
      const poseA = compose(translation(1, 2, 3), randomRotation(random));
      const away = [0, 0, 0].map(() => random.between(-2.2, 2.2)) as [number, number, number];
      const poseB = compose(translation(1 + away[0], 2 + away[1], 3 + away[2]), randomRotation(random));
      const question = { a: 0, b: 1, poseA, poseB };
      const { verdict, distance } = check(a, b, { poseA, poseB, distance: true });
      seen.add(verdict);
      const quick = await engine.answer('quick', question);
      expect(quick.problem).toBeNull();
      expect(quick.verdict).toBe(check(a, b, { poseA, poseB }).verdict);
      // Of F-reps both are brackets.
      const digits = p === 'frep' || q === 'frep' ? 3 : 9;
      if (quick.distance !== null && distance !== null) expect(quick.distance).toBeCloseTo(distance, digits);
      // Two F-reps that touch have a common point at once, a mesh and an F-rep at rest alone.
      const isPoint = quick.distance === 0 && p === 'frep' && q === 'frep';
      expect(quick.line === null).toBe(quick.distance === null || (quick.distance === 0 && !isPoint));
      if (isPoint) for (let k = 0; k < 3; k++) expect(quick.line![k]).toBeCloseTo(quick.line![3 + k], 9);
      if (n >= (long ? 3 : 2)) continue;
      const full = await engine.answer('full', question);
      expect(full.problem).toBeNull();
      expect(full.report.verdict).toBe(verdict);
      expect(full.report.class).toBeDefined();
      expect(full.contacts.patches !== undefined).toBe(isOfTriangles(a) && isOfTriangles(b) && full.contacts.complete);
      const moving = await engine.answer('contacts', question);
      if (isOfTriangles(a) && isOfTriangles(b)) expect(moving).toEqual(full.contacts);
      else expect(moving.count).toBe(0);
    }
    expect(seen).toEqual(new Set(['clear', 'contact']));
  },
);

test('quick says what check says in 100 poses near contact, seed 7', { tags: ['all'] }, async () => {
  const [a, b] = [obbOf(icosphere(3)), ofKind('gi')];
  const { engine } = await opened([{ asset: a }, { asset: b }]);
  const random = seeded(7);
  for (let n = 0; n < 100; n++) {
    const turn = randomRotation(random);
    const poseB = compose(compose(rotation(0, 0, 1, 3.6 * n), translation(random.between(1.9, 2.2), 0, 0)), turn);
    const question = { a: 0, b: 1, poseA: identity(), poseB };
    const { verdict, distance, line } = await engine.answer('quick', question);
    const expected = check(a, b, { poseB, distance: true });
    expect(verdict).toBe(expected.verdict);
    if (distance !== null) expect(distance).toBeCloseTo(expected.distance!, 12);
    if (line && distance) {
      const [x, y, z, u, v, w] = line;
      expect(Math.hypot(x - u, y - v, z - w)).toBeCloseTo(distance, 12);
    }
  }
});

test('a clearance makes what is closer near, and the distance is told', { tags: ['all'] }, async () => {
  const objects = [{ asset: obbOf(box(1)) }, { asset: obbOf(box(1)) }];
  const { engine } = await opened(objects, { asked: { clearance: 0.5 } });
  const question = { a: 0, b: 1, poseA: identity(), poseB: translation(1.25, 0, 0) };
  const { verdict, line, distance } = await engine.answer('quick', question);
  expect(verdict).toBe('near');
  expect(line === null).toBe(distance === null);
  const { report, contacts, command } = await engine.answer('full', question);
  expect(report).toMatchObject({ verdict: 'contact', class: 'near', distance: expect.closeTo(0.25, 12) });
  expect(contacts.patches).toEqual([]);
  expect(command).toContain('--clearance 0.5 --solid auto --distance --patches');
});

test('a distance near nothing is told: it is right to its roundings', { tags: ['all'] }, async () => {
  const { engine } = await opened([{ asset: obbOf(box(1)) }, { asset: obbOf(box(1)) }]);
  const poseB = translation(1 + 2 ** -40, 0.1, 0.2);
  const { verdict, distance, bracket } = await engine.answer('quick', { a: 0, b: 1, poseA: identity(), poseB });
  expect(verdict).toBe('clear');
  // A machine that is busy may not find it within a frame.
  if (bracket === undefined) expect(distance).toBeCloseTo(2 ** -40, 13);
});

const PLAIN: Judged = {
  ...{ rule: null, clearance: 0, tolerance: 0, touchGap: 0, solid: 'auto', by: 'scene' },
};

test('what a frame leaves of the distance is told as bounds of it', { tags: ['all'] }, () => {
  const pair = quickPair(ofKind('obb'), ofKind('gi'));
  const poseB = translation(3, 0.5, 0.2);
  const whole = untilLook(Number.POSITIVE_INFINITY, () => quickAnswer(pair, identity(), poseB, PLAIN));
  const exact = check(ofKind('obb'), ofKind('gi'), { poseB, distance: true });
  const { distance } = exact;
  expect(whole.result).toMatchObject({ verdict: 'clear', distance, line: expect.any(Array), problem: null });
  expect(whole.result.bracket).toBeUndefined();
  // Time ends after the verdict, and in the search for the distance.
  const { result } = untilLook(whole.reads - 3, () => quickAnswer(pair, identity(), poseB, PLAIN));
  expect(result).toMatchObject({ verdict: 'clear', distance: null, line: null, problem: null });
  expect(result.bracket!.lower).toBeLessThanOrEqual(distance!);
  expect(result.bracket!.upper).toBeGreaterThanOrEqual(distance!);
});

test('what engines refuse is the problem of an answer, in one line', { tags: ['all'] }, async () => {
  const { engine } = await opened([{ asset: ofKind('obb') }, { asset: ofKind('gi') }]);
  const question = { a: 0, b: 1, poseA: identity(), poseB: [2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 1] };
  const problem = 'pose of b scales by 2; a pose is rigid; scale the mesh (gicollide build --scale)';
  expect(await engine.answer('quick', question)).toMatchObject({ problem, verdict: 'undecided', distance: null });
  expect(await engine.answer('full', question)).toMatchObject({ problem, text: '', report: { verdict: 'undecided' } });
  const open = obbOf(openCylinder());
  const solids = await opened([{ asset: open }, { asset: ofKind('gi') }], { asked: { solid: 'require' } });
  const still = { ...question, poseB: identity() };
  expect((await solids.engine.answer('full', still)).problem).toMatch(/^solid: a .*$/);
});

test('questions of nothing that there is are refused', { tags: ['all'] }, async () => {
  const engine = new ViewEngine();
  await expect(engine.answer('surface', { asset: 0 })).rejects.toThrow('surface: no document is open');
  const { engine: open } = await opened([{ asset: ofKind('obb') }]);
  await expect(open.answer('surface', { asset: 1 })).rejects.toThrow('asset: expected the number of an asset, found 1');
  const question = { a: 0, b: 1, poseA: identity(), poseB: identity() };
  await expect(open.answer('quick', question)).rejects.toThrow('object: expected the number of an object, found 1');
  await expect(open.answer('pages', { asset: 0 })).rejects.toThrow('pages: expected a geometry image, found obb');
});

test.each(KINDS)('%s: broken bytes are one line that names the asset', { tags: ['all'] }, async (kind) => {
  const name = 'part\u001b[2J\n\u202e<img src=x>';
  const { document, files } = await documentOf([{ asset: ofKind(kind), name }]);
  const broken: [string, Uint8Array][] = [
    ['cut', files[0].slice(0, files[0].length / 2)],
    ['empty', new Uint8Array()],
    ['text', new TextEncoder().encode('<!doctype html>')],
  ];
  for (const [what, bytes] of broken) {
    const engine = new ViewEngine();
    const later = engine.answer('open', { document, files: [bytes] });
    const error = await later.catch((reason) => reason);
    expect(error.name, what).toBe('InputError');
    expect(error.message).toMatch(/^part\\u001b\[2J\\u000a\\u202e<img src=x>: .*expected .*found .*$/);
    await expect(engine.answer('surface', { asset: 0 })).rejects.toThrow(error.message);
  }
});

test('a document of other objects than there are assets is refused', { tags: ['all'] }, async () => {
  const { document, files } = await documentOf([{ asset: ofKind('obb') }]);
  const open = (changed: Partial<ViewDocument>, bytes = files) =>
    new ViewEngine().answer('open', {
      document: { ...document, ...changed },
      files: bytes.map((each) => each.slice()),
    });
  await expect(open({}, [])).rejects.toThrow('files: expected 1, one for each asset, found Array of 0');
  const [object] = document.objects;
  await expect(open({ objects: [{ ...object, asset: 3 }] })).rejects.toThrow(
    'asset of a: expected the number of an asset',
  );
  await expect(open({ objects: [object, object] })).rejects.toThrow('objects: a comes twice');
  await expect(open({ objects: [{ ...object, pose: [1] }] })).rejects.toThrow('pose of a has 1 numbers');
});

/** Three boxes in a row: a and b overlap, c is alone. */
const row = () => [
  { asset: obbOf(box(1)), name: 'a', file: 'row.obj', element: 'a' },
  { asset: obbOf(box(1)), name: 'b', pose: Array.from(translation(0.5, 0, 0)) },
  { asset: obbOf(box(1)), name: 'c', pose: Array.from(translation(5, 0, 0)) },
];

test('touching: where they are put, and the others where the document has them', { tags: ['all'] }, async () => {
  const { engine } = await opened(row());
  const pairs = async (poses: Record<string, ArrayLike<number>>) =>
    (await engine.answer('touching', { poses })).pairs.map(({ a, b, class: found }) => `${a} ${b} ${found}`);
  expect(await pairs({})).toEqual(['a b contact']);
  expect(await pairs({ c: translation(1.25, 0, 0) })).toEqual(['a b contact', 'b c contact']);
  expect(await pairs({ a: translation(9, 0, 0) })).toEqual([]);
  await expect(pairs({ nobody: identity() })).rejects.toThrow('poses: the scene has no object nobody');
  await expect(pairs({ b: [1] })).rejects.toThrow(/pose/);
  expect(await pairs({})).toEqual(['a b contact']);
});

test('find: what the scene finds, with what the document knows of it', { tags: ['all'] }, async () => {
  const rules = { rules: [{ id: 'r', a: '*', b: '*', severity: 'warning' as const }] };
  const { engine, document } = await opened(row(), { asked: { rules } });
  const { findings } = await engine.answer('find', { poses: {} });
  const objects = row().map(({ asset, name, pose = identity() }) => ({ name, asset, pose: Float64Array.from(pose) }));
  const expected = await createScene(objects, { rules }).findings();
  expect(findings.map(({ id }) => id)).toEqual(expected.findings.map(({ id }) => id));
  const message = 'overlap, 0.5 thick';
  const marks = { level: 'warning', state: null, note: null, accepted: false };
  expect(findings).toMatchObject([{ class: 'overlap', rule: 'r', message, ...marks }]);
  expect(findings[0].subjects.map(({ file }) => file)).toEqual(['row.obj', null]);
  document.findings = [{ ...findings[0], state: 'known', note: 'so be it', accepted: true }];
  const both = await engine.answer('find', { poses: { c: translation(1.25, 0, 0) } });
  expect(both.findings).toMatchObject([
    { id: findings[0].id, state: 'known', note: 'so be it', accepted: true },
    { state: 'new', note: null, accepted: false, subjects: [{ name: 'b' }, { name: 'c' }] },
  ]);
  const none = await engine.answer('find', { poses: { a: translation(-9, 0, 0) } });
  expect(none.findings).toMatchObject([{ id: findings[0].id, state: 'gone', message: 'overlap, no longer found' }]);
});

test('find: levels are those of the classes that fail', { tags: ['all'] }, async () => {
  const levels = async (failOn?: FindingClass[]) => {
    const { engine } = await opened(row(), { asked: failOn ? { failOn } : {} });
    const { findings } = await engine.answer('find', { poses: { c: translation(1.5, 0, 0) } });
    return findings.map(({ class: found, level }) => `${found} ${level}`);
  };
  expect(await levels()).toEqual(['overlap error', 'touch note']);
  expect(await levels(['touch'])).toEqual(['overlap note', 'touch error']);
});

test('an object may be called as what every record has', { tags: ['all'] }, async () => {
  const [a, b] = row();
  const { engine } = await opened([
    { ...a, name: '__proto__' },
    { ...b, name: 'constructor' },
  ]);
  const { pairs } = await engine.answer('touching', { poses: {} });
  expect(pairs).toEqual([{ a: '__proto__', b: 'constructor', class: 'contact' }]);
  const away = JSON.parse(`{"__proto__":${JSON.stringify(Array.from(translation(9, 0, 0)))}}`);
  expect((await engine.answer('touching', { poses: away })).pairs).toEqual([]);
  expect((await engine.answer('find', { poses: away })).findings).toEqual([]);
});
