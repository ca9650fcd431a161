/** Scenes measure thickness as finely as asked: the same classes, and states beside a baseline. */
import { describe, expect, test } from 'vitest';
import '../../src/representations/everything.ts';
import { refinerOf } from '../../src/cli/answerers.ts';
import { createScene, type Depth, type Finding, type SceneObject } from '../../src/index.ts';
import { compose, identity, type Pose, translation } from '../../src/math/pose.ts';
import { Comparison, updateBaseline } from '../../src/report/baseline.ts';
import type { ReportFinding } from '../../src/report/finding.ts';
import { pairFinding } from '../../src/report/pair-finding.ts';
import { buildObbTree } from '../../src/representations/obb/make/index.ts';
import { randomRotation } from '../support/agreement.ts';
import { some } from '../support/long.ts';
import { type Random, seeded } from '../support/random.ts';
import { box, bumpySphere, icosphere, torus } from '../support/shapes.ts';

const assets = [box(1, 0.5, 0.75), bumpySphere(1, 1), torus(10, 6), icosphere(1)].map((mesh) => buildObbTree(mesh));

const poseOf = (random: Random): Pose => {
  const [x, y, z] = [0, 1, 2].map(() => random.between(-1.5, 1.5));
  return compose(translation(x, y, z), random.below(3) === 0 ? identity() : randomRotation(random));
};

const randomObjects = (random: Random): Required<Pick<SceneObject, 'name' | 'asset' | 'pose'>>[] =>
  Array.from({ length: 10 }, (_, i) => ({ name: `${i}`, asset: random.pick(assets), pose: poseOf(random) }));

const findingsOf = async (objects: readonly SceneObject[], depth: Depth, tolerance: number, jobs = 1) =>
  (await createScene(objects, { depth, tolerance }).findings({ jobs })).findings;

const marks = { level: 'error', state: null, note: null, accepted: false, again: null } as const;
const reported = (findings: readonly Finding[]): ReportFinding[] => findings.map((found) => pairFinding(found, marks));

describe.each(
  some(
    [2, 6],
    Array.from({ length: 30 }, (_, n) => n + 1),
  ),
)('random scenes, seed %i', (seed) => {
  const random = seeded(seed);
  const objects = randomObjects(random);

  test.each([0, 0.2])('the same classes whatever the depth, tolerance %d', async (tolerance) => {
    const [off, coarse, fine] = await Promise.all(
      (['off', 'coarse', 'fine'] as const).map((depth) => findingsOf(objects, depth, tolerance)),
    );
    const plain = ({ thickness: _, point: __, ...finding }: Finding) => finding;
    expect(off.map(plain)).toEqual(fine.map(plain));
    expect(coarse.map(plain)).toEqual(fine.map(plain));
    for (const [n, { class: found, thickness }] of fine.entries()) {
      expect(off[n]).not.toHaveProperty('thickness');
      const rough = coarse[n].thickness!;
      expect(rough.lower).toBeLessThanOrEqual(thickness!.upper);
      expect(rough.upper).toBeGreaterThanOrEqual(thickness!.lower);
      if (['overlap', 'inside', 'same'].includes(found)) expect(rough.upper).toBeLessThanOrEqual(1.1 * rough.lower);
    }
  });

  test('a fine baseline stays green, and what has moved is judged as with fine brackets', async () => {
    const before = await findingsOf(objects, 'fine', 0);
    const base = updateBaseline(new Comparison(new Map()), { found: reported(before) });
    const moved = objects.map(({ pose, ...object }) => {
      const by = 0.15 * random.between(0, 1);
      return { ...object, pose: compose(translation(by, -by, 0), pose) };
    });
    for (const worse of [0, 0.1]) {
      const statesOf = async (now: readonly SceneObject[], depth: Depth) => {
        const refine = await refinerOf(now);
        return reported(await findingsOf(now, depth, 0)).map((finding) => {
          return new Comparison(base, worse).add(finding, refine).state;
        });
      };
      const fine = await statesOf(moved, 'fine');
      for (const depth of ['off', 'coarse'] as const) {
        const still = await statesOf(objects, depth);
        expect(still).toEqual(before.map(() => 'known'));
        expect(await statesOf(moved, depth)).toEqual(fine);
      }
    }
  });
});

test('a depth that is none is refused', () => {
  expect(() => createScene([], { depth: 'deep' as Depth })).toThrow(
    'depth: expected "off", "coarse" or "fine", found "deep"',
  );
});
