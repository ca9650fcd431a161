/** The growing tree: siblings adjacent, each node unfolded once, levels counted, numbers kept while the arrays grow. */
import { expect, test } from 'vitest';
import { BoundTree, type NodeWriter, ROOT } from '../../src/engine/bound-tree.ts';
import { BOX_NUMBERS } from '../../src/geometry/rounded-box.ts';
import { seeded } from '../support/random.ts';

/** Node n has the children 3n + 1, 3n + 2, 3n + 3; those from `leaves` on are leaves of two hulls. A bound is filled with its number. */
function ternary(leaves: number, calls: number[] = []) {
  const write = (child: number, into: NodeWriter) => {
    const at = child >= leaves ? into.leaf(2 * child, 2) : into.branch(child);
    into.bounds.fill(child, at, at + BOX_NUMBERS);
  };
  return (node: number, into: NodeWriter) => {
    calls.push(node);
    if (node === ROOT) write(0, into);
    else for (let k = 1; k <= 3; k++) write(3 * node + k, into);
  };
}

test('nothing but the root is unfolded before it is asked for', () => {
  const calls: number[] = [];
  const tree = new BoundTree(ternary(1000, calls));
  expect(calls).toEqual([ROOT]);
  expect([tree.size, tree.link[0], tree.level[0], tree.isLeaf(0)]).toEqual([1, 0, 0, false]);
  const first = tree.firstChild(0);
  expect([first, tree.count[0], tree.size]).toEqual([1, 3, 4]);
  expect(tree.firstChild(0)).toBe(first);
  expect(calls).toEqual([ROOT, 0]);
});

test.each([1, 2])('grown in an order of chance it is the same tree, seed %i', { tags: ['all'] }, (seed) => {
  const random = seeded(seed);
  const tree = new BoundTree(ternary(3280));
  const open = [0];
  const seen = new Set<number>();
  while (open.length > 0) {
    const [i] = open.splice(random.below(open.length), 1);
    // What is stored of a node does not change as others grow.
    const number = tree.bounds[BOX_NUMBERS * i];
    seen.add(number);
    let level = 0;
    for (let n = number; n > 0; n = Math.floor((n - 1) / 3)) level++;
    expect(tree.level[i]).toBe(level);
    expect(tree.isLeaf(i)).toBe(number >= 3280);
    if (tree.isLeaf(i)) {
      expect([~tree.link[i], tree.count[i]]).toEqual([2 * number, 2]);
      continue;
    }
    expect(tree.own[i]).toBe(number);
    const first = tree.firstChild(i);
    for (let k = 0; k < 3; k++) {
      expect([...new Set(tree.bounds.subarray(BOX_NUMBERS * (first + k), BOX_NUMBERS * (first + k + 1)))]).toEqual([
        3 * number + 1 + k,
      ]);
      open.push(first + k);
    }
  }
  expect(seen.size).toBe(tree.size);
  expect(tree.size).toBe((3 ** 9 - 1) / 2);
});

test('a root that is a leaf, and no root or two', () => {
  const tree = new BoundTree((_, into) => into.leaf(0, 1));
  expect([tree.isLeaf(0), ~tree.link[0], tree.count[0]]).toEqual([true, 0, 1]);
  expect(() => new BoundTree(() => {})).toThrow('one root, this one 0');
  expect(
    () =>
      new BoundTree((_, into) => {
        into.leaf(0, 1);
        into.leaf(1, 1);
      }),
  ).toThrow('one root, this one 2');
});
