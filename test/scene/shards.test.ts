/** Shares of a scene: together the whole, and of about equal cost, by steps and not by the clock. */
import { describe, expect, test } from 'vitest';
import '../../src/representations/everything.ts';
import { createScene } from '../../src/browser.ts';
import { compose, translation } from '../../src/math/pose.ts';
import { buildKdopTree } from '../../src/representations/kdop/make.ts';
import type { Finding, SceneObject } from '../../src/scene/records.ts';
import { randomRotation } from '../support/agreement.ts';
import { some } from '../support/long.ts';
import { seeded } from '../support/random.ts';
import { box, bumpySphere, torus } from '../support/shapes.ts';
import { countsSteps, stepsSoFar } from '../support/steps.ts';

/** Props of 12 to some thousand triangles, half of them turned. */
function props(seed: number, count: number): SceneObject[] {
  const random = seeded(seed);
  const assets = [box(1), bumpySphere(1, 2), bumpySphere(2, 3), torus(24, 12)].map((mesh) => buildKdopTree(mesh));
  return Array.from({ length: count }, (_, i) => {
    const [x, y, z] = [0, 1, 2].map(() => random.between(0, 1.1 * Math.cbrt(count)));
    const pose = compose(translation(x, y, z), randomRotation(random));
    return { name: `prop-${i}`, asset: random.pick(assets), pose: i % 2 === 0 ? pose : translation(x, y, z) };
  });
}

const asked = { clearance: 0.1, solid: 'off' } as const;

const key = ({ a, b }: Finding): string => `${a.name} ${b.name}`;

describe.each(some(1, [1, 2, 3]))('props, seed %i', (seed) => {
  test('every finding is in one share, and in the order of the whole', { tags: ['long'] }, async () => {
    const scene = createScene(props(seed, 40), asked);
    const whole = await scene.findings({ jobs: 1 });
    for (const count of [1, 2, 5]) {
      const found = new Map<string, Finding>();
      let checked = 0;
      for (let index = 1; index <= count; index++) {
        const share = await createScene(props(seed, 40), asked).findings({ jobs: 1, shard: { index, count } });
        const own = share.findings.map(key);
        expect(own).toEqual(whole.findings.map(key).filter((each) => own.includes(each)));
        for (const finding of share.findings) {
          expect(found.has(key(finding))).toBe(false);
          found.set(key(finding), finding);
        }
        expect(share.summary).toMatchObject({ pairs: whole.summary.pairs, apart: whole.summary.apart });
        expect(share.summary.shard).toEqual({ index, count, others: whole.summary.checked - share.summary.checked });
        checked += share.summary.checked;
      }
      expect(checked).toBe(whole.summary.checked);
      expect(whole.findings.map((finding) => found.get(key(finding)))).toEqual(whole.findings);
    }
  });

  test.runIf(countsSteps)(
    'no share takes half as many steps more than the mean',
    { tags: ['all', 'long'] },
    async () => {
      const scene = createScene(props(seed, 120), { solid: 'off' });
      // What is made once for all, of assets and of pairs of them.
      await scene.findings({ jobs: 1 });
      const steps: number[] = [];
      for (let index = 1; index <= 4; index++) {
        stepsSoFar();
        await scene.findings({ jobs: 1, shard: { index, count: 4 } });
        steps.push(stepsSoFar());
      }
      const mean = steps.reduce((sum, each) => sum + each, 0) / steps.length;
      expect(Math.max(...steps) / mean).toBeLessThan(1.5);
    },
  );
});

test('a share is no part of a budget, and is one of as many as there are', async () => {
  const scene = createScene(props(1, 4));
  await expect(scene.findings({ shard: { index: 1, count: 2 }, budget: 5 })).rejects.toThrow(
    /^shard: expected no shard with a budget/,
  );
  await expect(scene.findings({ shard: { index: 3, count: 2 } })).rejects.toThrow(/^shard "3\/2": expected i\/n/);
});
