import { expect, test } from 'vitest';
import { translation } from '../../src/math/pose.ts';
import { impactOfFreps } from '../../src/motion/impact-of-freps.ts';
import { compileFrep } from '../../src/representations/frep/build/compile.ts';
import { readFrep } from '../../src/representations/frep/build/model.ts';

const of = (model: object) => compileFrep(readFrep(JSON.stringify(model)));

const growing = of({
  domain: { min: [-3, -3, -3], max: [3, 3, 3] },
  object: { quadric: [-1, -1, -1, 0, 0, 0, 0, 0, 0, [1, 2, 1]] },
});
const plane = of({
  domain: { min: [-4, -4, -4], max: [4, 4, 4] },
  object: { halfSpace: { normal: [0, 0, 1], offset: -2 } },
});
const ball = of({ object: { sphere: { radius: 1 } } });

test('a ball of radius 1 + t meets a plane at distance 1.5 at time 0.5', () => {
  const impact = impactOfFreps(growing, plane, { poseB: translation(0, 0, 0.5) });
  expect(impact.verdict).toBe('contact');
});

test('a ball that flies by its velocity', () => {
  const flying = of({ object: { sphere: { radius: 1 }, velocity: [4, 0, 0] } });
  const impact = impactOfFreps(flying, ball, { poseB: translation(5, 0, 0) });
  expect(impact.verdict).toBe('contact');
});
