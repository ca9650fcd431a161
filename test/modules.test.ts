// @module-tag all
/** How many modules of the program a run needs: scripts/count-modules.mjs counts. */
import { beforeAll, expect, test } from 'vitest';
import { countModules } from '../scripts/count-modules.mjs';

let counted: Awaited<ReturnType<typeof countModules>>;
beforeAll(async () => {
  counted = await countModules();
});

// The aim is 150 and 40 of a check, 60 entered of a build, and 90 of a scene.
test.each([
  ['check', 108, 56],
  ['build', 150, 106],
  ['scene', 253, 165],
] as const)('%s: evaluates at most %i modules, and enters at most %i', (command, mostEvaluated, mostEntered) => {
  const { evaluated, entered } = counted[command];
  expect(entered.length).toBeGreaterThan(20);
  expect(evaluated.length).toBeLessThanOrEqual(mostEvaluated);
  expect(entered.length).toBeLessThanOrEqual(mostEntered);
});

test('a check of two images loads no solids, no motion and no patches, a scene that stands still no motion', () => {
  const handed = /^(solid|motion)\/|^contacts\/|^scene\/(?!classes)/;
  expect(counted.check.evaluated.filter((path) => handed.test(path))).toEqual([]);
  const moving = /^motion\/(?!placement)|^scene\/continuous/;
  expect(counted.scene.evaluated.filter((path) => moving.test(path))).toEqual([]);
});

test('the build of an image takes no code of other kinds, and none that answers', () => {
  const others = /^representations\/((kdop|obb|voxel|frep)\/(index|format|make\b)|\w+\/search)/;
  const rooms = /^(solid|motion)\/|^scene\/(?!classes)/;
  // What an element of a scene that is a box or a ball becomes.
  const taken = counted.build.evaluated.filter((path) => others.test(path) || rooms.test(path));
  expect(taken).toEqual(['representations/frep/make/primitive.js']);
});
