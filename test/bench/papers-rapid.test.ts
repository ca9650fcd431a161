/**
 * Rungs of RAPID's ladder that only measurements have: they are one tree, whatever they store; and
 * what rounding without fitting leaves out is what the writer of the product's boxes puts right.
 */
import { describe, expect, it } from 'vitest';
import { nearContactPoses, sample } from '../../bench/inputs.mjs';
import {
  cursorHolding,
  decodedBoxes,
  leastBoxes,
  plainCursor,
  roundedBoxes,
  roundedTree,
} from '../../bench/papers/rapid-trees.mjs';
import { build, check, identity, type ObbTree } from '../../src/index.ts';
import { checkObbTrees } from '../../src/representations/obb/search/descent.ts';
import { verifyObbTree } from '../../src/representations/obb/tree/verify.ts';

const SEED = 7;
const bolt = sample('bolt');
const tree = build(bolt, { format: 'obb', nodeBytes: 40 });
const poses = nearContactPoses(tree, tree, 8, SEED);

type Cursor = ReturnType<typeof plainCursor>;
const query = { poseA: identity(), all: true, maxContacts: 1e6, level: null };
const contactsOf = (a: Cursor, b: Cursor) =>
  poses.map((poseB) => checkObbTrees(tree, tree, { ...query, poseB }, a, b).contacts.count);
const exact = poses.map((poseB) => check(tree, tree, { poseB, all: true, maxContacts: 1e6 }).contacts.count);

describe('rungs', () => {
  it.each([72, 68, 64, 44] as const)(`%i bytes: the contacts of 40, near contact (seed ${SEED})`, (bytes) => {
    expect(contactsOf(plainCursor(tree, bytes), plainCursor(tree, bytes, 1))).toEqual(exact);
  });

  it(`132 bytes: the contacts of 40, and no box is decoded (seed ${SEED})`, () => {
    const [a, b] = [cursorHolding(tree, decodedBoxes(tree)), cursorHolding(tree, decodedBoxes(tree))];
    expect(contactsOf(a, b)).toEqual(exact);
    expect([a.decoded, b.decoded]).toEqual([0, 0]);
  });
});

describe('boxes that are rounded and not fitted', () => {
  const problemsOf = (rounded: ObbTree) => verifyObbTree(rounded).problems.length;

  it.each([40, 20] as const)('%i bytes: do not hold their triangles, where fitted ones do', (nodeBytes) => {
    const fitted = build(bolt, { format: 'obb', nodeBytes });
    expect(problemsOf(fitted)).toBe(0);
    expect(problemsOf(roundedTree(fitted, leastBoxes(fitted)))).toBeGreaterThan(0);
  });

  it('are the least boxes to the precision of what stores them', () => {
    const { boxes } = leastBoxes(tree);
    const rounded = roundedBoxes(boxes);
    const worst = Math.max(...boxes.map((x, i) => Math.abs(x - rounded[i])));
    expect(worst).toBeGreaterThan(0);
    expect(worst).toBeLessThan(2 ** -24);
  });
});
