/** The language of project files: what is one, and the line for what is none. */
import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { makeSchema } from '../../scripts/make-schema.mjs';
import { InputError } from '../../src/base/errors.ts';
import { schemaNotes } from '../../src/base/schema-notes.ts';
import { type ProjectModel, projectSchema, readProject } from '../../src/project/project-file.ts';
import { some } from '../support/long.ts';
import { type Random, seeded } from '../support/random.ts';
import { refusal } from '../support/refusal.ts';

type Json = Record<string | number, unknown>;

const golden = readFileSync(new URL('../golden/project-v1.json', import.meta.url), 'utf8');
const schema = readFileSync(new URL('../../docs/project.schema.json', import.meta.url), 'utf8');

test('a file of version 1 stays readable', () => {
  const { build, scenes, jobs, cache } = readProject(golden);
  expect(build?.map(({ include }) => include)).toEqual([
    'props/**/*.{obj,glb}',
    ['walls/', 'floor.stl'],
    'ball.frep.json',
  ]);
  expect(scenes).toHaveLength(2);
  expect([jobs, cache]).toEqual([4, { folder: '.gicollide', maxSize: '2GB' }]);
});

test('docs/project.schema.json is what the reader uses, and takes what it takes', () => {
  expect(schema).toBe(makeSchema(projectSchema, schemaNotes));
  const validate = new Ajv2020({ strict: false }).compile(JSON.parse(schema));
  expect(validate(JSON.parse(golden))).toBe(true);
  expect(validate({ gicollide: 'project/2' })).toBe(false);
});

const project = (more: object): string => JSON.stringify({ gicollide: 'project/1', ...more });
const entry = (more: object): string => project({ build: [{ include: 'a.obj' }, { include: '*.obj', ...more }] });

describe('one line for what is no project', () => {
  test.each<[text: string, line: RegExp]>([
    ['', /^line 1: expected a value, found the end of the text/],
    ['{"gicollide": "project/1",\n "build": [}', /^line 2/],
    ['[]', /expected an object, found a list of 0/],
    ['{}', /expected "project\/1" at gicollide, found nothing/],
    ['{"gicollide": "project/2"}', /expected "project\/1" at gicollide, found "project\/2"/],
    [project({ builds: [] }), /only known keys, found "builds": did you mean build\?/],
    [entry({ nodebytes: 20 }), /only known keys at build\[1\], found "nodebytes": did you mean nodeBytes\?/],
    [entry({ nodeBytes: 21 }), /expected 40 or 20 or 64 at build\[1\]\.nodeBytes, found 21/],
    [entry({ size: 100 }), /expected 17 or 33 .* or "auto" at build\[1\]\.size, found 100/],
    [entry({ format: ['obb', 'frep'] }), /expected "gi" or .* at build\[1\]\.format\[1\], found "frep"/],
    [entry({ format: [] }), /a list of at least 1 at build\[1\]\.format/],
    [entry({ include: '' }), /text that is not empty at build\[1\]\.include/],
    [entry({ scale: 0 }), /a number above 0 at build\[1\]\.scale, found 0/],
    [project({ build: [{ out: 'x' }] }), /at build\[0\]\.include, found nothing/],
    [project({ scenes: [{ files: 'a.obj', failon: [] }] }), /at scenes\[0\], found "failon": did you mean failOn\?/],
    [project({ scenes: [{ files: 'a.obj', report: { junitt: 'x' } }] }), /scenes\[0\]\.report.*"junitt"/],
    [project({ jobs: 0 }), /at jobs, found 0/],
    [project({ cache: { maxSize: 'much' } }), /expected a size, as 500MB or 2GB, at cache\.maxSize, found "much"/],
  ])('%s', (text, line) => {
    expect(refusal(() => readProject(text)).message).toMatch(line);
  });
});

const STRANGE: unknown[] = [
  ...[null, true, 0, -1, 2 ** 60, '', ' ', '**', '../x', '\0', 'x'.repeat(2000), [], {}, [[]], [{}]],
  ...[{ include: 'a' }, ['a'], [null], { __proto__: null, constructor: 1 }],
];

/** A copy in which something stands that does not belong there. */
function mutant(random: Random): Json {
  const copy: Json = JSON.parse(golden);
  for (let times = 1 + random.below(3); times > 0; times--) {
    let at = copy;
    for (;;) {
      const keys = Object.keys(at);
      if (keys.length === 0) break;
      const key = random.pick(keys);
      const inner = at[key];
      if (typeof inner === 'object' && inner !== null && random.below(4) > 0) {
        at = inner as Json;
        continue;
      }
      if (random.below(5) === 0) delete at[key];
      else at[key] = structuredClone(random.pick(STRANGE));
      break;
    }
  }
  return copy;
}

test.each(some(2, [1, 2, 3, 4, 5, 6, 7, 8]))(
  'whatever stands there, it is a project or one line: seed %i',
  { tags: ['all', 'long'] },
  (seed) => {
    const random = seeded(seed);
    const validate = new Ajv2020({ strict: false }).compile(JSON.parse(schema));
    let refused = 0;
    for (let n = 0; n < 300; n++) {
      const value = JSON.parse(JSON.stringify(mutant(random)));
      let model: ProjectModel | null = null;
      try {
        model = readProject(JSON.stringify(value));
      } catch (error) {
        expect(error).toBeInstanceOf(InputError);
        expect((error as Error).message).not.toMatch(/\n/);
        refused++;
      }
      expect([JSON.stringify(value), validate(value)]).toEqual([JSON.stringify(value), model !== null]);
    }
    expect(refused).toBeGreaterThan(50);
  },
);
