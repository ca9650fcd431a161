/** First impacts against closed forms, by every kind that keeps the triangles as they are, and of functions. */
import { expect, test } from 'vitest';
import '../../src/representations/everything.ts';
import type { Asset } from '../../src/engine/representation.ts';
import type { Mesh } from '../../src/mesh/mesh.ts';
import type { Impact } from '../../src/motion/motion.ts';
import { impactOf } from '../../src/motion/moving-pair.ts';
import { compileFrep } from '../../src/representations/frep/make/compile.ts';
import { buildKdopTree } from '../../src/representations/kdop/make.ts';
import { buildObbTree } from '../../src/representations/obb/make/index.ts';
import { isFunction, MOTION_CASES, type MotionCase, modelOf, type Shape } from '../support/motion-cases.ts';
import { expectImpact } from '../support/motions.ts';

const BUILDS: Record<string, (mesh: Mesh) => Asset> = {
  'OBB 64': (mesh) => buildObbTree(mesh, { nodeBytes: 64 }),
  'OBB 40': (mesh) => buildObbTree(mesh, { nodeBytes: 40 }),
  'k-DOP': (mesh) => buildKdopTree(mesh),
};

const assetOf = (shape: Shape, build: (mesh: Mesh) => Asset): Asset =>
  isFunction(shape) ? compileFrep(modelOf(shape)) : build(shape);

/** A solid's cells that cannot be decided keep t1 from t0. */
const SLACK = 0.02;

function expectTruth({ truth, options, early = 0 }: MotionCase, impact: Impact, hasFunction: boolean): void {
  const { verdict, first } = impact;
  if (truth === 'never' || truth === 'hardly') {
    if (verdict === 'contact' || (verdict === 'undecided' && truth === 'never'))
      expect({ verdict, first }).toBe('clear');
    return;
  }
  const { at, within = 1e-14, isInstant, isGrazing } = truth;
  if (verdict === 'clear' || first === null) {
    expect({ verdict, first }).toBe('touching');
    return;
  }
  const isSure = !isInstant && !isGrazing && !hasFunction;
  if (isSure && verdict !== 'contact') expect({ verdict, first }).toBe('contact');
  const near = (options?.timeResolution ?? 2 ** -20) * 4 + (hasFunction ? SLACK : 0) + 2 * within + early;
  expect(first.from).toBeLessThanOrEqual(at + within);
  if (!isGrazing) expect(first.from).toBeGreaterThanOrEqual(at - near);
  if (verdict === 'contact') expect(first.to).toBeGreaterThanOrEqual(at - within);
  if (!isGrazing && !hasFunction) expect(first.to - first.from).toBeLessThanOrEqual(near);
}

test.each(MOTION_CASES)('$name', { tags: ['all'] }, (scene) => {
  const { a, b, motionA, motionB, options = {} } = scene;
  const hasFunction = isFunction(a) || isFunction(b);
  for (const [name, build] of Object.entries(BUILDS)) {
    const [first, second] = [assetOf(a, build), assetOf(b, build)];
    const impact = impactOf(first, second, motionA, motionB, options);
    expectTruth(scene, impact, hasFunction);
    expectImpact(impact, first, second, motionA, motionB, { ...options, count: 16 });
    // The other way round; of both, the kind of a alone.
    const swapped = impactOf(second, first, motionB, motionA, options);
    expectTruth(scene, swapped, hasFunction);
    const isSure = typeof scene.truth === 'string' || !scene.truth.isGrazing;
    if (impact.verdict !== swapped.verdict && isSure && !hasFunction)
      expect({ name, impact, swapped }).toBe('symmetric');
  }
});
