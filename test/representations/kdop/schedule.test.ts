/** A stack or a queue of pairs: the same contacts, the stack with far fewer pairs waiting; and contacts are handed out as they are found. */
import { expect, test } from 'vitest';
import { check } from '../../../src/engine/prepared.ts';
import type { ContactPair } from '../../../src/engine/records.ts';
import { identity, translation } from '../../../src/math/pose.ts';
import { buildKdopTree } from '../../../src/representations/kdop/make.ts';
import { checkKdopTrees, type Trial } from '../../../src/representations/kdop/search/descent.ts';
import { variants } from '../../contract/variants.ts';
import { bumpySphere } from '../../support/shapes.ts';

const [a, b] = [buildKdopTree(bumpySphere(1, 3)), buildKdopTree(bumpySphere(2, 3))];
const query = { poseA: identity(), poseB: translation(0.4, 0.1, 0), all: true, maxContacts: 1e6, level: null };

test('a queue finds what a stack finds, and holds more pairs', () => {
  const stack: Trial = {};
  const queue: Trial = { isQueue: true };
  const found = checkKdopTrees(a, b, query, stack);
  expect(found?.contacts.count).toBeGreaterThan(100);
  expect(checkKdopTrees(a, b, query, queue)).toEqual(found);
  expect(stack.peak).toBeGreaterThan(1);
  expect(queue.peak).toBeGreaterThan(5 * (stack.peak ?? 0));
});

test.each(variants)(
  '$name: contacts are handed out as they are found, until somebody has had enough',
  { tags: ['all', 'long'] },
  ({ build }) => {
    const [p, q] = [build(bumpySphere(1, 2)), build(bumpySphere(2, 2))];
    const poseB = translation(0.3, 0.1, 0);
    for (const path of [{}, { path: 'common' }] as const) {
      const handed: ContactPair[] = [];
      const { contacts } = check(p, q, { ...path, poseB, all: true, onContact: (i, j) => void handed.push([i, j]) });
      expect(handed.length).toBeGreaterThan(10);
      expect(handed.sort((s, t) => s[0] - t[0] || s[1] - t[1])).toEqual(contacts.pairs);
      let seen = 0;
      const cut = check(p, q, { ...path, poseB, all: true, onContact: () => ++seen < 3 });
      expect([seen, cut.verdict, cut.contacts.count, cut.contacts.complete]).toEqual([3, 'contact', 3, false]);
    }
  },
);
