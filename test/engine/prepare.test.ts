/** Many queries of one pair: the answers of check, and nothing left behind. */
import { spawnSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { OptionError } from '../../src/base/errors.ts';
import { check, prepare } from '../../src/engine/prepared.ts';
import type { Asset } from '../../src/engine/representation.ts';
import { kernelMemory } from '../../src/kernels/memory.ts';
import { compose, identity, rotation, translation } from '../../src/math/pose.ts';
import type { Mesh } from '../../src/mesh/mesh.ts';
import { type Variant, variants } from '../contract/variants.ts';
import { long } from '../support/long.ts';
import { seeded } from '../support/random.ts';
import { bumpySphere, icosphere } from '../support/shapes.ts';

/** Every variant's ball and bumpy sphere, built when they are first asked for. */
const built = new Map<string, Asset>();
const once = (shape: string, variant: Variant, mesh: () => Mesh): Asset => {
  const key = `${shape} ${variant.name}`;
  const asset = built.get(key) ?? variant.build(mesh());
  built.set(key, asset);
  return asset;
};
const ballOf = (variant: Variant) => once('ball', variant, () => icosphere(1));
const bumpyOf = (variant: Variant) => once('bumpy', variant, () => bumpySphere(4, 1));
const pairs = variants.flatMap((a) => variants.map((b) => [`${a.name} and ${b.name}`, a, b] as const));

describe('the verdicts of check', () => {
  const count = long ? 12 : 6;
  test.each(pairs)(`%s, ${count} poses of both, seed 4`, { tags: ['quick', 'long'] }, (_, a, b) => {
    const random = seeded(4);
    const [assetA, assetB] = [bumpyOf(a), ballOf(b)];
    const checker = prepare(assetA, assetB);
    for (let i = 0; i < count; i++) {
      const turn = rotation(random.between(-1, 1), random.between(-1, 1), 1, random.between(0, 360));
      const poseB = compose(translation(random.between(1, 2.6), random.between(-1, 1), 0), turn);
      const poseA = i % 2 === 0 ? identity() : compose(turn, translation(0.1, 0, 0));
      const { verdict } = check(assetA, assetB, { poseA, poseB });
      expect(checker.verdict(poseB, poseA)).toBe(verdict);
      expect(checker.contact(poseB, poseA)).toBe(verdict === 'contact');
    }
  });
});

test.skipIf(!kernelMemory())(
  'what is made of triangles is fast, in any mixture; cubes are not',
  { tags: ['quick', 'long'] },
  () => {
    for (const [, a, b] of pairs) {
      if (a.isFirst && b.isFirst) expect(prepare(ballOf(a), ballOf(b)).isFast).toBe(a.triangles && b.triangles);
    }
  },
);

const ball = (options: object = {}): Asset => variants[0].build(icosphere(1), options);

test('what is no pose is refused by the name of its side', { tags: ['quick', 'long'] }, () => {
  const checker = prepare(ball(), ball());
  expect(() => checker.contact(new Float64Array(16))).toThrow(/^pose of b: /);
  expect(() => checker.contact(identity(), new Float64Array(11))).toThrow(/^pose of a has 11 numbers/);
});

test('assets in different units are refused, and so is a query within another', { tags: ['all', 'long'] }, () => {
  expect(() => prepare(ball({ units: 'mm' }), ball({ units: 'm' }))).toThrow(OptionError);
  const checker = prepare(ball(), ball());
  const onContact = () => checker.contact(identity());
  expect(() => check(ball(), ball(), { poseB: translation(0.5, 0, 0), onContact })).toThrow(/within onContact/);
  expect(checker.contact(translation(9, 0, 0))).toBe(false);
});

test('coordinates beyond the range of boxes are checked all the same', { tags: ['quick', 'long'] }, () => {
  const kdop = variants.find(({ name }) => name.startsWith('kdop'));
  const far = icosphere(1);
  far.positions.forEach((x, i) => {
    far.positions[i] = 1e40 * x;
  });
  const [a, b] = [kdop?.build(far) as Asset, ball()];
  expect(prepare(a, b).contact(identity())).toBe(check(a, b).verdict === 'contact');
});

/** How many queries are measured; as many as 80,000 go before, so that all is compiled. */
const COUNT = long ? 200_000 : 100_000;

/** What a process that has collected all it could measures: bytes of heap that a million queries leave, and how often it was collected meanwhile. */
const program = `
import { PerformanceObserver } from 'node:perf_hooks';
import { build, prepare, translation } from ${JSON.stringify(new URL('../../dist/index.js', import.meta.url).href)};
const [positions, triangles] = [[], []];
for (let i = 0; i < ${long ? 1000 : 300}; i++) {
  const [x, y] = [Math.sin(i), Math.cos(1.3 * i)];
  positions.push(x, y, Math.sin(0.7 * i), x + 0.1, y, 0, x, y + 0.1, 0.1);
  triangles.push(3 * i, 3 * i + 1, 3 * i + 2);
}
const mesh = { positions: Float64Array.from(positions), triangles: Uint32Array.from(triangles), groups: [] };
const trees = FORMATS.map((options) => build(mesh, options));
const checker = prepare(trees[0], trees.at(-1));
const poseB = translation(0, 0, 0);
const poseA = translation(0, 0, 0);
let contacts = 0;
function ask(count) {
  for (let i = 0; i < count; i++) {
    poseB[3] = 1.5 + (i % 100) / 60;
    poseA[7] = (i % 7) / 100;
    QUESTIONS
  }
}
let collections = 0;
new PerformanceObserver((list) => { collections += list.getEntries().length; }).observe({ entryTypes: ['gc'] });
const turn = () => new Promise((done) => setTimeout(done, 20));
// Compiling is done beside the program, on a busy machine later than here: the best of some tries.
let best = { bytes: Infinity, collections: Infinity };
let asked = 0;
for (let i = 0; i < 30 && !(best.bytes < MOST && best.collections === 0); i++) {
  ask(COMPILING);
  await turn();
  gc();
  await turn();
  collections = 0;
  const before = process.memoryUsage().heapUsed;
  ask(MEASURED);
  const bytes = process.memoryUsage().heapUsed - before;
  await turn();
  asked += 2 * (COMPILING + MEASURED);
  if (collections < best.collections || bytes < best.bytes) best = { bytes, collections };
}
console.log(JSON.stringify({ isFast: checker.isFast, share: contacts / asked, ...best }));
`;

const wide = { format: 'obb', nodeBytes: 64 };
const CONTACTS = 'if (checker.contact(poseB, poseA)) contacts++; if (checker.contact(poseB)) contacts++;';

test.skipIf(!kernelMemory()).each([
  ['two wide OBB trees', [wide, wide], CONTACTS, COUNT],
  ['a k-DOP tree and an OBB tree of 40 bytes', [{ format: 'kdop' }, { format: 'obb' }], CONTACTS, COUNT],
])('%s: queries allocate nothing', { tags: ['all', 'long'] }, (_, formats, questions, count) => {
  const text = program
    .replace('FORMATS', JSON.stringify(formats))
    .replace('QUESTIONS', questions)
    .replaceAll('COMPILING', String(count / 5))
    .replaceAll('MEASURED', String(count / 2))
    .replace('MOST', String(6 * count));
  const args = ['--expose-gc', '--input-type=module', '--eval', text];
  const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  expect(stderr).toBe('');
  const { isFast, share, bytes, collections } = JSON.parse(stdout);
  expect({ isFast, collections }).toEqual({ isFast: true, collections: 0 });
  expect(share).toBeGreaterThan(0.04);
  expect(share).toBeLessThan(0.82);
  // A number a query would be 16 bytes, 1.6 MB in all, 3 MB in the long run; compiling what runs often leaves a tenth of one.
  expect(bytes).toBeLessThan(6 * count);
});
