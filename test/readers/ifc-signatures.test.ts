/** The signatures of IFC's records against the schemas that web-ifc has, as its types tell them. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { SIGNATURES } from '../../src/readers/ifc/arguments.ts';

/** What a record derives of others is not among the arguments that these types tell. */
const DERIVED = ['IFCORIENTEDEDGE', 'IFCSIUNIT', 'IFCMIRROREDPROFILEDEF'];

const types = join(dirname(createRequire(import.meta.url).resolve('web-ifc')), 'ifc-schema.d.ts');
const schemas = readFileSync(types, 'utf8')
  .split(/^export declare namespace /m)
  .slice(1);

test.each(schemas.map((text) => [text.split(' ')[0], text]))('%s', (_, text) => {
  const classes = [...text.matchAll(/^ {4}class (\w+) .*?^ {8}constructor\((.*?)\);$/gms)];
  const parameters = new Map(classes.map(([, name, list]) => [name.toUpperCase(), list.split(/, (?=\w+: )/)]));
  let compared = 0;
  for (const [name, signature] of Object.entries(SIGNATURES)) {
    const known = parameters.get(name);
    if (!known || DERIVED.includes(name)) continue;
    for (const [k, letter] of [...signature].entries()) {
      if (letter === '?' || k >= known.length) continue;
      const small = letter.toLowerCase();
      const type = known[k].slice(known[k].indexOf(': ') + 2);
      const depth = type.split('[]').length - 1;
      const place = `${name} ${known[k]}`;
      expect([place, depth]).toEqual([place, { k: 2, q: 2, l: 1, p: 1, t: 1 }[small] ?? 0]);
      // What may be missing must not be asked for.
      if (type.includes('| null')) expect([place, letter]).toEqual([place, letter.toUpperCase()]);
      const isNumber = /^\(*(number|Ifc\w*(Measure|Integer|Value|Count|Real)\b|NumberHandle)/.test(type);
      if (small === 'n' || small === 'p' || small === 'q') expect([place, isNumber]).toEqual([place, true]);
      if (small === 'r' || small === 'l' || small === 'k') expect([place, isNumber]).toEqual([place, false]);
      compared++;
    }
    expect([name, /[a-z]/.test(signature.slice(known.length))]).toEqual([name, false]);
  }
  expect(compared).toBeGreaterThan(150);
});
