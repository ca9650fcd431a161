/** What frames miss: nothing that dense samples see is left out, and what is said of times is so. */
import { describe, expect, test } from 'vitest';
import { build, createScene, openPair, updateGeometry } from '../../src/index.ts';
import { compose, type Pose, rotation, translation } from '../../src/math/pose.ts';
import { screw } from '../../src/motion/motions.ts';
import type { Frame, SceneObject, SceneOptions, StepsOptions } from '../../src/scene/records.ts';
import { some } from '../support/long.ts';
import { type Random, seeded } from '../support/random.ts';
import { box, icosphere } from '../support/shapes.ts';

const ball = build(icosphere(1), { format: 'obb' });
const cube = build(box(), { format: 'kdop' });
const sheet = build(
  { positions: Float64Array.of(0, -9, -9, 0, 9, -9, 0, 0, 9), triangles: Uint32Array.of(0, 1, 2), groups: [] },
  { format: 'obb' },
);

async function stepsOf(
  objects: SceneObject[],
  frames: Record<string, Pose>[],
  options: StepsOptions = {},
  sceneOptions: SceneOptions = {},
): Promise<Frame[]> {
  const found: Frame[] = [];
  for await (const frame of createScene(objects, sceneOptions).steps(frames, { continuous: true, ...options }))
    found.push(frame);
  return found;
}

test('a ball through a sheet, which no frame shows', async () => {
  const objects = [
    { name: 'ball', asset: ball },
    { name: 'sheet', asset: sheet },
  ];
  const at = (x: number) => ({ ball: translation(x, 0, 0) });
  const [first, second, third] = await stepsOf(objects, [at(-1e6), at(-10), at(6)]);
  expect(first.impacts).toBeUndefined();
  expect(second.impacts).toEqual([]);
  expect([...third.began, ...third.ended]).toEqual([]);
  const [{ from, to, ...impact }] = third.impacts!;
  expect(impact).toEqual({ a: 'ball', b: 'sheet', class: 'contact', isMissed: true });
  expect(from).toBeLessThanOrEqual(9 / 16);
  expect(to).toBeCloseTo(9 / 16, 5);
});

test('what a frame shows has its time, too; what touches is not told again', async () => {
  const objects = [
    { name: 'a', asset: cube },
    { name: 'b', asset: cube },
  ];
  const at = (x: number) => ({ b: translation(x, 0, 0) });
  const frames = await stepsOf(objects, [at(4), at(0.5), at(0.25), at(4)]);
  expect(frames[1].began).toEqual([['a', 'b']]);
  expect(frames[1].impacts).toMatchObject([{ class: 'contact', isMissed: false }]);
  expect(frames[1].impacts![0].to).toBeCloseTo(3 / 3.5, 5);
  expect(frames.slice(2).map(({ impacts }) => impacts)).toEqual([[], []]);
});

test('a clearance is near, and rules say who is asked', async () => {
  const objects = ['a', 'b', 'c'].map((name) => ({ name, asset: ball }));
  const frames = [-9, 9].map((x) => ({ b: translation(x, 2.5, 0), c: translation(x, -2.5, 0) }));
  const rules = { rules: [{ id: 'room', a: 'a', b: 'b', clearance: 1 }] };
  const [, { impacts }] = await stepsOf([objects[0], objects[1], objects[2]], frames, {}, { rules });
  expect(impacts).toMatchObject([{ a: 'a', b: 'b', class: 'near', isMissed: true }]);
});

test('straight, about a point of each object', async () => {
  const objects = [
    { name: 'a', asset: cube },
    { name: 'b', asset: cube },
  ];
  const frames = [translation(3, 0, 0), compose(translation(-3, 0, 0), rotation(0, 0, 1, 180))].map((b) => ({ b }));
  const told = async (options: StepsOptions) => (await stepsOf(objects, frames, options))[1].impacts!.length;
  expect(await told({ between: 'straight' })).toBe(1);
  // By a screw as well: the axis is halfway. About a point far out it swings round, well clear.
  expect(await told({})).toBe(0);
  expect(await told({ between: 'straight', about: () => [0, 30, 0] })).toBe(0);
});

test.each<[StepsOptions, string]>([
  [{ between: 'line' as never }, 'between: expected screw or straight, found "line"'],
  [{ timeResolution: 2 }, 'timeResolution: expected above 0, up to 1, found 2'],
  [{ device: { place: () => {} } as never }, 'device'],
  [{ continous: true } as never, 'continous: no such option; did you mean continuous?'],
])('%j is refused', async (options, message) => {
  await expect(
    stepsOf(
      [
        { name: 'a', asset: ball },
        { name: 'b', asset: ball },
      ],
      [{}],
      options,
    ),
  ).rejects.toThrow(message);
});

describe('random frames, against dense samples', () => {
  const SAMPLES = 60;
  const poseOf = (random: Random): Pose => {
    const [x, y, z, degrees] = [6, 6, 6, 170].map((most) => random.between(-most, most));
    return compose(translation(x, y, z), rotation(random.between(-1, 1), 1, random.next(), degrees));
  };

  test.each(
    some(
      6,
      Array.from({ length: 80 }, (_, seed) => seed),
    ),
  )('seed %i', { tags: ['all', 'long'] }, async (seed) => {
    const random = seeded(seed);
    const assets = [ball, cube, sheet];
    const objects = Array.from({ length: 6 }, (_, i) => ({
      name: `o${i}`,
      asset: assets[i % 3],
      pose: poseOf(random),
    }));
    const poses = Array.from({ length: 4 }, () =>
      objects.map(({ pose }) => (random.below(4) === 0 ? pose : poseOf(random))),
    );
    const frames = poses.map((own) => Object.fromEntries(own.map((pose, i) => [`o${i}`, pose])));
    const found = await stepsOf(objects, frames);
    for (let f = 1; f < frames.length; f++) {
      const ways = objects.map((_, i) => screw(poses[f - 1][i], poses[f][i]));
      for (let i = 0; i < objects.length; i++)
        for (let j = i + 1; j < objects.length; j++) {
          const pair = openPair(objects[i].asset, objects[j].asset);
          const touches = (s: number): boolean => pair.contact(ways[j].poseAt(s), ways[i].poseAt(s));
          const impact = found[f].impacts!.find(({ a, b }) => a === `o${i}` && b === `o${j}`);
          if (touches(0)) {
            expect(impact).toBeUndefined();
            continue;
          }
          const until = impact ? impact.from : 1;
          for (let n = 1; n <= SAMPLES; n++) expect(touches((n / SAMPLES) * until * (1 - 1e-12))).toBe(false);
          if (!impact) expect(touches(1)).toBe(false);
          else if (impact.class === 'contact') expect(touches(impact.to)).toBe(true);
          if (impact) expect(impact.isMissed).toBe(!touches(1));
        }
    }
  });
});

test('nothing is proved of the way of what has changed its shape, also where findings were asked between', async () => {
  const soft = build(icosphere(1), { format: 'obb' });
  const scene = createScene([
    { name: 'soft', asset: soft },
    { name: 'sheet', asset: sheet },
  ]);
  const steps = scene.steps([{}, { soft: translation(-3, 0, 0) }, {}], { continuous: true });
  await steps.next();
  await steps.next();
  updateGeometry(
    soft,
    icosphere(1).positions.map((x) => 2 * x),
    { inPlace: true },
  );
  await scene.findings();
  await expect(steps.next()).rejects.toThrow('continuous: soft has another shape than in the frame before');
});
