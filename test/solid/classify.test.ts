/** How two solids lie, against sets of tetrahedra. */
import { expect, test } from 'vitest';
import { identity } from '../../src/math/pose.ts';
import { Random } from '../../src/math/random.ts';
import { traverse } from '../../src/query/traverse.ts';
import { obb } from '../../src/representations/obb/index.ts';
import { operandOf } from '../../src/representations/operand.ts';
import { classify } from '../../src/solid/classify.ts';
import { placeBody } from '../../src/solid/solid.ts';
import { some } from '../support/long.ts';
import { type KuhnSolid, lieOf, poseOf, randomGridPose, randomSolid, surfaceOf } from './kuhn.ts';

/** A grid solid with something in it. */
function someSolid(random: Random, most: number): KuhnSolid {
  for (;;) {
    const solid = randomSolid(
      random,
      1 + (random.integer() % most),
      0.2 + 0.9 * random.unit(),
      random.integer() % 2 === 0,
    );
    if (solid.tetrahedra.size > 0) return solid;
  }
}

const seeds = Array.from({ length: 400 }, (_, k) => k + 1);

test.each(some(20, seeds))('random solids on a grid lie as their sets say, seed %i', (seed) => {
  const random = new Random(seed);
  for (let n = 0; n < 20; n++) {
    const a = someSolid(random, 3);
    const b = random.integer() % 8 === 0 ? a : someSolid(random, 2);
    const pose = randomGridPose(random, random.integer() % 2);
    const [treeA, treeB] = [a, b].map((solid) => obb.build!(surfaceOf(solid), {}));
    const poseA = identity();
    const poseB = poseOf(pose);
    const query = { poseA, poseB, all: true, maxContacts: Number.POSITIVE_INFINITY, level: null };
    const { contacts } = traverse(operandOf(treeA, poseA), operandOf(treeB, poseB), query);
    const found = classify(placeBody(treeA, poseA), placeBody(treeB, poseB), contacts.pairs);
    const expected = lieOf(a, b, pose, contacts.count > 0);
    expect(found.inner ? `${found.lie} ${found.inner}` : found.lie, `case ${n}`).toBe(expected);
  }
});
