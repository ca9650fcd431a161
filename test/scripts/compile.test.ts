/** Which test files have dist/ brought up to date before they run (test/support/compile.ts). */
import { expect, test } from 'vitest';
import { needsDist } from '../support/compile.ts';

const needs = (file: string): boolean => needsDist([`test/${file}.test.ts`]);

test.each([
  ['cli/check', 'runs the program, by a module of test/support'],
  ['cli/without-sharp', 'loads dist/index.js in a process of its own'],
  ['cli/queue', 'names it two imports away'],
  ['bench/bench', 'imports a bench, which imports the package'],
  ['docs/reference', 'runs a script, which reads dist/'],
  ['three/page', 'imports a subpath of the package'],
  ['engine/check-poses', 'starts threads of dist/'],
])('%s %s', (file) => {
  expect(needs(file)).toBe(true);
});

test.each(['readers/off', 'contract/check', 'representations/obb/kernel'])('%s imports src/ alone', (file) => {
  expect(needs(file)).toBe(false);
});

test('one file of many is enough', () => {
  expect(needsDist(['test/readers/off.test.ts', 'test/cli/check.test.ts'])).toBe(true);
});
