/** Checks of any two assets held to the oracle on their stored surfaces, and the poses at which that is hard. */
import { expect } from 'vitest';
import type { CheckOptions } from '../../src/engine/options.ts';
import { check } from '../../src/engine/prepared.ts';
import type { ContactPair } from '../../src/engine/records.ts';
import type { Asset } from '../../src/engine/representation.ts';
import { compose, type Pose, rotation, translation } from '../../src/math/pose.ts';
import type { Surface } from '../../src/mesh/topology.ts';
import { representationOf } from '../../src/representations/kinds.ts';
import { bruteForce } from './oracle.ts';
import type { Random } from './random.ts';

export function randomDirection(random: Random): [number, number, number] {
  for (;;) {
    const v = [0, 0, 0].map(() => random.between(-1, 1));
    const length = Math.hypot(...v);
    if (length > 0.1 && length < 1) return v.map((x) => x / length) as [number, number, number];
  }
}

export const randomRotation = (random: Random): Pose => rotation(...randomDirection(random), random.between(0, 360));

/** The pose moved by s along a direction. */
export const shifted = (pose: Pose, direction: readonly number[], s: number): Pose =>
  compose(translation(s * direction[0], s * direction[1], s * direction[2]), pose);

/** Poses of b along a direction at which contact ends, bisected to 1e-9: the last found in contact and the first found clear. */
export function nearContact(a: Asset, b: Asset, poseA: Pose, start: Pose, direction: readonly number[]): [Pose, Pose] {
  let [inside, outside] = [0, 8];
  while (outside - inside > 1e-9) {
    const middle = (inside + outside) / 2;
    if (check(a, b, { poseA, poseB: shifted(start, direction, middle) }).verdict === 'contact') inside = middle;
    else outside = middle;
  }
  return [shifted(start, direction, inside), shifted(start, direction, outside)];
}

const surfaces = new WeakMap<Asset, Surface>();

/** The stored surface. */
export function surfaceOf(asset: Asset): Surface {
  if (!surfaces.has(asset)) surfaces.set(asset, representationOf(asset).surface(asset));
  return surfaces.get(asset) as Surface;
}

const byNumbers = (p: number[], q: number[]): number => p[0] - q[0] || p[1] - q[1];

/** The same pairs in the same order; vitest is asked where they are not, for it takes its time. */
function expectPairs(pairs: readonly ContactPair[], expected: readonly ContactPair[]): void {
  if (pairs.length !== expected.length || pairs.some(([p, q], i) => p !== expected[i][0] || q !== expected[i][1]))
    expect(pairs).toEqual(expected);
}

/**
 * Verdict and list against brute force in rational arithmetic, natively and by the common path, of the first contact and of all,
 * and for b against a. Returns the contacts.
 *
 * @param expected the contacts, where the primitives are no triangles of the surface
 */
export function expectAgreement(
  a: Asset,
  b: Asset,
  poseA: Pose,
  poseB: Pose,
  expected: ContactPair[] = bruteForce(surfaceOf(a), poseA, surfaceOf(b), poseB),
): ContactPair[] {
  const verdict = expected.length > 0 ? 'contact' : 'clear';
  const paths: CheckOptions[] = [{}, { path: 'common' }];
  for (const path of paths) {
    const all = check(a, b, { ...path, poseA, poseB, all: true, maxContacts: 1e6 });
    if (all.verdict !== verdict || all.contacts.count !== expected.length || !all.contacts.complete)
      expect(all).toMatchObject({ verdict, contacts: { count: expected.length, complete: true } });
    expectPairs(all.contacts.pairs, expected);
    if (path.path && all.path !== 'common') expect(all.path).toBe('common');
    const first = check(a, b, { ...path, poseA, poseB });
    const found = first.contacts.pairs[0];
    const contacts = { count: Math.min(1, expected.length), complete: expected.length === 0 };
    if (
      first.verdict !== verdict ||
      first.contacts.count !== contacts.count ||
      first.contacts.complete !== contacts.complete
    )
      expect(first).toMatchObject({ verdict, contacts });
    if (expected.length > 0 && !expected.some(([p, q]) => p === found?.[0] && q === found[1]))
      expect(expected).toContainEqual(found);
    const swapped = check(b, a, { ...path, poseA: poseB, poseB: poseA, all: true, maxContacts: 1e6 });
    expectPairs(swapped.contacts.pairs.map(([p, q]): ContactPair => [q, p]).sort(byNumbers), expected);
  }
  return expected;
}
