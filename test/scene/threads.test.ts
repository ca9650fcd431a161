/** Findings on threads and within a budget: compiled, as threads are. */
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Finding, SceneObject, SceneSummary } from '../../src/scene/records.ts';
import { variants } from '../contract/variants.ts';
import { randomRotation } from '../support/agreement.ts';
import { long, some } from '../support/long.ts';
import { type Random, seeded } from '../support/random.ts';
import { bumpySphere, torus } from '../support/shapes.ts';

const folder = new URL('../../dist/', import.meta.url);
const load = (file: string) => import(new URL(file, folder).href);
const { boundsOf, compose, createScene, openScene, translation }: typeof import('../../src/index.ts') =
  await load('index.js');
const { PlacedScene }: typeof import('../../src/scene/scene.ts') = await load('scene/scene.js');

const meshes = [bumpySphere(1, 1), torus(10, 6)];
const assets = variants.flatMap((variant) => meshes.map((mesh) => variant.build(mesh)));

const poseOf = (random: Random, room: number) => {
  const [x, y, z] = [0, 1, 2].map(() => random.between(-room, room));
  return compose(translation(x, y, z), randomRotation(random));
};

function randomObjects(random: Random, count: number): SceneObject[] {
  return Array.from({ length: count }, (_, i) => ({
    name: `${'abc'[i % 3]}/${i}`,
    asset: random.pick(assets),
    pose: poseOf(random, 2),
    sha256: String(i),
  }));
}

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

/** As on a slower machine: threads pay for few pairs, and stand before these are answered. */
function slowly(): void {
  const now = performance.now.bind(performance);
  vi.spyOn(performance, 'now').mockImplementation(() => 100 * now());
  vi.stubGlobal('setImmediate', (turn: () => void) => setTimeout(turn, 20));
}

describe.each(some(1, [1, 2, 3]))('any number of threads, seed %i', (seed) => {
  const random = seeded(seed);
  const objects = randomObjects(random, long ? 60 : 34);
  const options = { distance: true, all: true };
  const rules = {
    rules: [
      { id: 'x', a: 'a/*', b: '*' },
      { id: 'y', a: '*', b: '*', clearance: 0.1 },
      { id: 'none', a: 'z/*', b: '*' },
    ],
  };
  // Who listens cannot be sent to a thread.
  const onUnmatched = (): void => {};

  test.each(some(1, [true, false]))(
    'the same findings in the same order; moved before: %s',
    { tags: ['all', 'long'] },
    async (isMoved) => {
      const scene = createScene(objects, { rules, onUnmatched });
      if (isMoved) scene.step({ 'a/0': poseOf(random, 1), 'b/1': poseOf(random, 1) });
      const alone = await scene.findings({ ...options, jobs: 1 });
      expect(alone.findings.length).toBeGreaterThan(20);
      for (const jobs of some(1, [2, 3])) {
        slowly();
        const answer = vi.spyOn(PlacedScene.prototype, 'answer');
        const told: Finding[] = [];
        const together = await scene.findings({ ...options, jobs, onFinding: (finding) => told.push(finding) });
        const here = answer.mock.calls.reduce((sum, [pairs]) => sum + pairs.length, 0);
        expect(here, 'pairs of this thread').toBeLessThan(together.summary.checked);
        expect(together.findings).toEqual(alone.findings);
        expect(told).toEqual(alone.findings);
        expect({ ...together.summary, ms: null }).toEqual({ ...alone.summary, ms: null });
        vi.restoreAllMocks();
        vi.unstubAllGlobals();
      }
    },
  );

  test('called off, threads end', { tags: ['long'] }, async () => {
    slowly();
    const controller = new AbortController();
    let count = 0;
    const onFinding = (): void => {
      if (++count === 20) controller.abort(new Error('enough'));
    };
    const asked = createScene(objects, { rules, onUnmatched }).findings({
      ...options,
      jobs: 2,
      signal: controller.signal,
      onFinding,
    });
    await expect(asked).rejects.toThrow('enough');
  });
});

test('few pairs start no thread, whatever they are asked', { tags: ['all', 'long'] }, async () => {
  // A clock that goes by how often it is read.
  let reads = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => 0.05 * reads++);
  const answer = vi.spyOn(PlacedScene.prototype, 'answer');
  const { summary } = await createScene(randomObjects(seeded(5), 12)).findings({ jobs: 2 });
  expect(answer.mock.calls.reduce((sum, [pairs]) => sum + pairs.length, 0)).toBe(summary.checked);
});

test('a number of jobs that is none, and a budget that is none', { tags: ['all', 'long'] }, async () => {
  const scene = createScene(randomObjects(seeded(5), 3));
  await expect(scene.findings({ jobs: 0 })).rejects.toThrow('jobs: expected a whole number from 1, found 0');
  await expect(scene.findings({ budget: -1 })).rejects.toThrow(/^budget: expected milliseconds from 0/);
});

/** How far the middles of two boxes are apart, over the boxes' diagonals together, squared. */
function nearness(a: SceneObject, b: SceneObject): number {
  const [p, q] = [a, b].map(({ asset, pose }) => boundsOf(asset, pose!));
  const square = (of: (k: number) => number): number => [0, 1, 2].reduce((sum, k) => sum + of(k) ** 2, 0);
  const middles = square((k) => p.low[k] + p.high[k] - q.low[k] - q.high[k]);
  return middles / square((k) => p.high[k] - p.low[k] + q.high[k] - q.low[k]);
}

describe.each(some(1, [7, 8, 9]))('a budget, seed %i', (seed) => {
  const objects = randomObjects(seeded(seed), 24);
  const byName = new Map(objects.map((object) => [object.name, object]));
  const nameOf = ({ a, b }: Finding): string => `${a.name} ${b.name}`;
  let whole: { findings: Finding[]; summary: SceneSummary };
  beforeAll(async () => {
    whole = await createScene(objects).findings();
  });

  test.each([0, 5, 40, 200, 1e9])(
    'that ends at look %d of the clock: the nearest pairs are asked, the rest is undecided',
    { tags: ['all', 'long'] },
    async (looks) => {
      const exact = new Map(whole.findings.map((finding) => [nameOf(finding), finding]));
      let reads = 0;
      vi.spyOn(performance, 'now').mockImplementation(() => (++reads > looks + 2 ? 1e12 : 0));
      const { findings, summary } = await createScene(objects).findings({ budget: 10 });
      vi.restoreAllMocks();
      const { pairs, apart, checked, unasked } = summary;
      const all = whole.summary;
      expect([pairs, apart, checked + unasked]).toEqual([all.pairs, all.apart, all.checked]);
      if (looks === 0) expect(checked).toBe(0);
      if (looks === 1e9) expect(findings).toEqual(whole.findings);
      expect(findings.map(nameOf)).toEqual(findings.map(nameOf).sort(byPair(objects)));
      const late = findings.filter(
        (finding) => finding.class === 'undecided' && finding.point === null && !isUndecided(exact, finding),
      );
      expect(late.length).toBeLessThanOrEqual(unasked);
      const near = (finding: Finding): number => nearness(byName.get(finding.a.name)!, byName.get(finding.b.name)!);
      const farthest = Math.max(0, ...findings.filter((finding) => finding.class === 'contact').map(near));
      for (const finding of late) expect(near(finding)).toBeGreaterThan(farthest - 1e-9);
      for (const finding of findings) {
        if (finding.class === 'contact') expect(finding).toEqual(exact.get(nameOf(finding)));
      }
      // Nothing that touches is left out.
      const told = new Set(findings.map(nameOf));
      for (const name of exact.keys()) expect(told.has(name)).toBe(true);
    },
  );
});

const isUndecided = (exact: ReadonlyMap<string, Finding>, { a, b }: Finding): boolean =>
  exact.get(`${a.name} ${b.name}`)?.class === 'undecided';

/** The order of findings: by the lesser name, then by the other. */
function byPair(objects: readonly SceneObject[]) {
  const rank = new Map(
    objects
      .map(({ name }) => name)
      .sort()
      .map((name, i) => [name, i]),
  );
  const of = (pair: string): number[] => pair.split(' ').map((name) => rank.get(name)!);
  return (p: string, q: string): number => of(p)[0] - of(q)[0] || of(p)[1] - of(q)[1];
}

test('a scene that is opened takes both, too', { tags: ['all'] }, async () => {
  const text = 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n';
  const instances = [
    { name: 'a', asset: 'x' },
    { name: 'b', asset: 'x' },
  ];
  const model = { gicollide: 'scene/1' as const, assets: { x: 'x.obj' }, instances };
  const scene = await openScene(model, { read: () => new TextEncoder().encode(text) });
  expect((await scene.findings({ jobs: 2 })).summary.contact).toBe(1);
  expect((await scene.findings({ budget: 0 })).summary).toMatchObject({
    contact: 0,
    undecided: 1,
    unasked: 1,
    checked: 0,
  });
});
