/** Pairs that are answered from memory: findings and their order are those of a new scene, and what is unchanged is not asked. */
import { expect, test } from 'vitest';
import '../../src/representations/everything.ts';
import { createScene } from '../../src/browser.ts';
import { SCENE_PARTS } from '../../src/complete.ts';
import type { Asset } from '../../src/engine/representation.ts';
import { compose, type Pose, translation } from '../../src/math/pose.ts';
import { buildKdopTree } from '../../src/representations/kdop/make.ts';
import { buildObbTree } from '../../src/representations/obb/make/index.ts';
import { KnownPairs } from '../../src/scene/known-pairs.ts';
import { answerHere } from '../../src/scene/pairs.ts';
import type { Finding, FindingsOptions, SceneObject, SceneOptions } from '../../src/scene/records.ts';
import { type AnswerPairs, placeScene, type SceneParts } from '../../src/scene/scene.ts';
import { randomRotation } from '../support/agreement.ts';
import { long } from '../support/long.ts';
import { type Random, seeded } from '../support/random.ts';
import { box, bumpySphere, torus } from '../support/shapes.ts';

const CHANGES = 50;
const meshes = [bumpySphere(1, 1), torus(10, 6), box()];
const makeAssets = (): Asset[] => [
  ...meshes.map((mesh) => buildObbTree(mesh, { nodeBytes: 64 })),
  ...meshes.map((mesh) => buildKdopTree(mesh)),
];
const answer: AnswerPairs = (scene, pairs, options) => answerHere(pairs, async (some) => scene.answer(some, options));

const poseOf = (random: Random): Pose => {
  const [x, y, z] = [0, 1, 2].map(() => random.between(-3, 3));
  const turned = random.below(2) === 0;
  return turned ? compose(translation(x, y, z), randomRotation(random)) : translation(Math.round(x), 0, 0);
};

interface State {
  objects: SceneObject[];
  options: SceneOptions;
  asks: FindingsOptions;
}

/** One change, as somebody makes one while a watch runs. */
function change({ objects, options, asks }: State, n: number, random: Random, assets: readonly Asset[]): State {
  const at = random.below(objects.length);
  const other = (changed: Partial<SceneObject>): SceneObject[] =>
    objects.map((object, i) => (i === at ? { ...object, ...changed } : object));
  switch (random.below(8)) {
    case 0:
      return { objects: other({ asset: random.pick(assets), sha256: `${n}` }), options, asks };
    case 1:
      return {
        objects: [...objects, { name: `c/${n}`, asset: random.pick(assets), pose: poseOf(random) }],
        options,
        asks,
      };
    case 2:
      return { objects: objects.length > 8 ? objects.filter((_, i) => i !== at) : objects, options, asks };
    case 3:
      return { objects, options: { ...options, clearance: random.pick([0, 0.1, 0.3]) }, asks };
    case 4: {
      const rule = { id: 'near', a: 'a/*', b: '*', clearance: random.pick([0, 0.2]) };
      return {
        objects,
        options: { ...options, rules: random.pick([{}, { rules: [rule] }, { allow: [{ a: 'b/*' }] }]) },
        asks,
      };
    }
    case 5:
      return { objects, options, asks: random.pick([{}, { distance: true }, { all: true }]) };
    case 6:
      return { objects: objects.toReversed(), options, asks };
    default:
      return { objects: other({ pose: poseOf(random) }), options, asks };
  }
}

const partsOf = (known: KnownPairs): SceneParts => ({ ...SCENE_PARTS, answerPairs: known.answerBy(answer) });

test.each(long ? [1, 2, 3, 4] : [1])(
  'seed %i: after each of 50 changes, findings are those of a new scene',
  { tags: ['all', 'long'] },
  async (seed) => {
    const random = seeded(seed);
    const assets = makeAssets();
    const known = new KnownPairs();
    const first = Array.from({ length: 12 }, (_, i) => ({
      ...{ name: `${'ab'[i % 2]}/${i}`, asset: random.pick(assets), pose: poseOf(random) },
    }));
    let state: State = { objects: first, options: {}, asks: {} };
    let [asked, all] = [0, 0];
    for (let n = 0; n <= CHANGES; n++) {
      const { objects, options, asks } = state;
      const heard: Finding[] = [];
      const scene = placeScene(objects, { ...options, onUnmatched: () => {} }, partsOf(known));
      const { findings, summary } = await scene.findings({ ...asks, onFinding: (finding) => heard.push(finding) });
      const fresh = await createScene(objects, { ...options, onUnmatched: () => {} }).findings(asks);
      expect(findings).toEqual(fresh.findings);
      expect(heard).toEqual(findings);
      expect({ ...summary, ms: null }).toEqual({ ...fresh.summary, ms: null });
      asked += known.asked;
      all += summary.checked;
      state = change(state, n, random, assets);
    }
    expect(asked).toBeLessThan(all / 2);
  },
);

test('of an object that moves, its pairs alone are asked; of nothing that changes, none', async () => {
  const asset = buildObbTree(box());
  const known = new KnownPairs();
  const objects = Array.from({ length: 20 }, (_, i) => ({ name: `o${i}`, asset, pose: translation(0.013 * i, 0, 0) }));
  const askedAfter = async (moved: SceneObject[]): Promise<number> => {
    await placeScene(moved, { solid: 'off' }, partsOf(known)).findings();
    return known.asked;
  };
  expect(await askedAfter(objects)).toBe((20 * 19) / 2);
  expect(await askedAfter(objects)).toBe(0);
  expect(await askedAfter(objects.toReversed())).toBe(0);
  const moved = objects.map((object, i) => (i === 7 ? { ...object, pose: translation(0, 0.01, 0) } : object));
  expect(await askedAfter(moved)).toBe(19);
  expect(await askedAfter([...moved, { ...moved[0], name: 'other' }])).toBe(20);
});

test('a run that was stopped keeps what it knew, and what it has found', async () => {
  const asset = buildObbTree(box());
  const known = new KnownPairs();
  const at = (y: number): SceneObject[] =>
    Array.from({ length: 20 }, (_, i) => ({ name: `o${i}`, asset, pose: translation(0.013 * i, i === 7 ? y : 0, 0) }));
  await placeScene(at(0), { solid: 'off' }, partsOf(known)).findings();
  const stop = new AbortController();
  const stopped = placeScene(at(1), { solid: 'off' }, partsOf(known)).findings({
    signal: stop.signal,
    onFinding: () => stop.abort(),
  });
  await expect(stopped).rejects.toThrow();
  await placeScene(at(0), { solid: 'off' }, partsOf(known)).findings();
  expect(known.asked).toBeLessThanOrEqual(19);
});
