/** Scene files that are wrong somewhere: whatever stands there, a scene answers or is refused in one line. */
import { describe, expect, test } from 'vitest';
import { InputError } from '../../src/base/errors.ts';
import { read as decode } from '../../src/browser.ts';
import { SCENE_PARTS } from '../../src/complete.ts';
import { writeObj } from '../../src/readers/obj/obj.ts';
import { FINDING_CLASSES } from '../../src/scene/classes.ts';
import { openSceneBy } from '../../src/scene/load.ts';
import { long } from '../support/long.ts';
import { type Random, seeded } from '../support/random.ts';
import { box } from '../support/shapes.ts';

type Json = Record<string | number, unknown>;

const files: Record<string, Uint8Array> = {
  'box.obj': writeObj(box(), 'a box'),
  'two.obj': new TextEncoder().encode('o floor\nv 0 0 0\nv 9 0 0\nv 0 9 0\nf 1 2 3\no wall\nv 0 0 5\nf 1 2 4\n'),
  'broken.obj': new TextEncoder().encode('v 0 0\n'),
  'ball.frep.json': new TextEncoder().encode('{"object": {"sphere": {"radius": 0.5}}}'),
};
const read = (file: string): Uint8Array => {
  const bytes = Object.hasOwn(files, file) ? files[file] : undefined;
  if (!bytes) throw new InputError(`${JSON.stringify(file)}: no such file`);
  return bytes;
};

const base = (): Json => ({
  gicollide: 'scene/1',
  units: 'm',
  assets: { box: 'box.obj', house: { file: 'two.obj', split: 'groups', units: 'mm' }, ball: 'ball.frep.json' },
  instances: [
    { name: 'a', asset: 'box', translate: [1, 0, 0], rotate: { axis: [0, 0, 1], degrees: 30 } },
    { name: 'b', asset: 'box', quaternion: [0, 0, 0, 1], scale: [2, -1, 1] },
    { name: 'c', asset: 'house', matrix: [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1] },
    { name: 'd', asset: 'ball' },
  ],
  groups: { boxes: ['a', 'b'] },
  rules: [
    { id: 'r', a: 'boxes', b: '*' },
    { id: 's', a: 'c/*', b: '?', clearance: 0.5 },
  ],
  allow: [{ a: 'a', b: 'd', reason: 'it may' }, { a: 'c/wall' }],
});

const STRANGE: unknown[] = [
  ...[
    null,
    true,
    [],
    {},
    '',
    ' ',
    'a',
    'c/*',
    '*',
    '?',
    '**?',
    'box',
    'box.obj',
    '../box.obj',
    'broken.obj',
    'mm',
    'furlong',
  ],
  ...[0, -0, 1, -1, 0.5, 1e-300, 1e-150, 1e20, 1e149, 1e150, 1e151, 1e308, -1e150, 2 ** 53],
  ...['\u0000\n\u001b[31mgicollide', '__proto__', 'constructor', 'x'.repeat(1500), [[[]]], [0, 0, 0], [1, 0, 0, 0]],
];

/** Every place of a value: what holds it, and its key. */
function places(value: unknown, found: [Json, string | number][] = []): [Json, string | number][] {
  if (typeof value !== 'object' || value === null) return found;
  const keys = Array.isArray(value) ? value.keys() : Object.keys(value);
  for (const key of keys) {
    found.push([value as Json, key]);
    places((value as Json)[key], found);
  }
  return found;
}

/** One change of a scene's value. */
function change(scene: Json, random: Random): void {
  const all = places(scene);
  const [holder, key] = random.pick(all);
  const how = random.below(6);
  if (how === 0) delete holder[key];
  else if (how === 1) holder[key] = structuredClone(random.pick(all.map(([object, at]) => object[at])));
  else if (how === 2 && Array.isArray(holder))
    holder.splice(Number(key), random.below(2), structuredClone(random.pick(holder)));
  else if (how === 3 && !Array.isArray(holder)) {
    const value = holder[key];
    delete holder[key];
    const names = ['unit', 'nmae', 'scal', '', 'toString', `${key}s`];
    Object.defineProperty(holder, random.pick(names), { value, enumerable: true, configurable: true, writable: true });
  } else holder[key] = structuredClone(random.pick(STRANGE));
}

/** A text: of a changed value, or with letters changed. */
function mutant(random: Random): string {
  const scene = base();
  const letters = random.below(5) === 0;
  for (let n = letters ? 0 : 1 + random.below(3); n > 0; n--) change(scene, random);
  let text = JSON.stringify(scene);
  for (let n = letters ? 1 + random.below(4) : 0; n > 0; n--) {
    const at = random.below(text.length);
    const put = random.pick([
      '',
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"',
      '\\',
      '\n',
      '1e999',
      '-',
      'null',
      '\ufeff',
      '[['.repeat(2000),
    ]);
    text = text.slice(0, at) + put + text.slice(at + random.below(3));
  }
  return text;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there
const UNPRINTABLE = /[\u0000-\u001f\u007f\u2028\u2029]/;

/** What is wrong with what came of a text; null where nothing is. */
async function problemOf(text: string, counts: { answered: number; refused: number }): Promise<string | null> {
  const lineProblem = (line: string): string | null =>
    UNPRINTABLE.test(line) || line.length > 3000 ? `a message of no line: ${JSON.stringify(line).slice(0, 900)}` : null;
  try {
    const scene = await openSceneBy(decode, text, { read }, SCENE_PARTS);
    const { findings, summary } = await scene.findings({ distance: true });
    counts.answered++;
    for (const { problem } of scene.unchecked) if (lineProblem(problem)) return lineProblem(problem);
    if (summary.apart + summary.checked !== summary.pairs) return `pairs do not add up: ${JSON.stringify(summary)}`;
    if (findings.length !== FINDING_CLASSES.reduce((sum, found) => sum + summary[found], 0))
      return 'findings do not add up';
    return null;
  } catch (error) {
    counts.refused++;
    if (!(error instanceof InputError)) return `${(error as Error).stack}`;
    return lineProblem(error.message);
  }
}

const COUNT = long ? 15_000 : 800;

describe('mutated scene files', () => {
  test(`${COUNT} of them, seed 1: an answer, or one line`, { tags: ['long'] }, async () => {
    const counts = { answered: 0, refused: 0 };
    const problems: string[] = [];
    for (let seed = 0; seed < COUNT && problems.length < 5; seed++) {
      const text = mutant(seeded(1_000_003 + seed));
      const problem = await problemOf(text, counts);
      if (problem !== null) problems.push(`${seed}: ${problem}\n${text}`);
    }
    expect(problems).toEqual([]);
    expect(counts.answered).toBeGreaterThan(COUNT / 20);
    expect(counts.refused).toBeGreaterThan(COUNT / 5);
  });
});
