/** Methods that nothing names are left out of a bundle, and nothing else is. */
import { expect, test } from 'vitest';
import { unusedMethods, withoutUnusedMethods } from '../../scripts/trim-methods.mjs';

const namesOf = (text: string): string[] => unusedMethods(text).map(({ name }) => name);

test.each([
  ['of every class that has it', 'class A { x() {} y() {} } class B { x() {} } new A().y(); new B();', ['x', 'x']],
  ['though it calls itself', 'class A { x() { return this.x(); } static z() {} } new A();', ['x', 'z']],
  ['with its accessors', 'class A { get x() { return 1; } set x(v) {} get y() { return 2; } } new A().y;', ['x', 'x']],
  ['not by a string', 'class A { x() {} } new A()["x"]();', []],
  ['not by a part of a destructured record', 'class A { x() {} } const { x } = new A(); x();', []],
  ['not by a comment', 'class A { x() {} } new A(); // x', []],
  ['not what the language calls', 'class A { constructor() {} toJSON() {} toString() {} valueOf() {} then() {} }', []],
  ['not what is computed or private', 'class A { [Symbol.iterator]() {} ["x"]() {} #y() {} } new A();', []],
  ['not functions of records', 'const a = { x() {} }; a;', []],
])('%s', (_, text, unused) => {
  expect(namesOf(text)).toEqual(unused);
});

test('until nothing is left to leave out, with what only they needed', async () => {
  const text = `
    class Helper { help() { return 'helped'; } }
    function aid() { return new Helper().help(); }
    class A { one() { return this.two(); } two() { return aid(); } three() { return 3; } }
    globalThis.found = new A().three();`;
  const rest = await withoutUnusedMethods(text, { format: 'iife' });
  for (const name of ['one', 'two', 'aid', 'Helper']) expect(rest).not.toContain(name);
  const scope: { found?: number } = {};
  new Function('globalThis', rest)(scope);
  expect(scope.found).toBe(3);
});
