/** Many queries of one pair: the answers of check, and nothing left behind. */
import { spawnSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { kernels } from '../../src/kernels/memory.ts';
import { OptionError } from '../../src/math/errors.ts';
import { compose, identity, rotation, translation } from '../../src/math/pose.ts';
import { check, prepare } from '../../src/pair/pair.ts';
import type { Asset } from '../../src/query/representation.ts';
import { variants } from '../contract/variants.ts';
import { seeded } from '../support/random.ts';
import { bumpySphere, icosphere } from '../support/shapes.ts';

const pairs = variants.flatMap((a) => variants.map((b) => [`${a.name} and ${b.name}`, a, b] as const));

describe('the verdicts of check', () => {
  test.each(pairs)('%s, 12 poses of both, seed 4', (_, a, b) => {
    const random = seeded(4);
    const [assetA, assetB] = [a.build(bumpySphere(4, 1)), b.build(icosphere(1))];
    const checker = prepare(assetA, assetB);
    for (let i = 0; i < 12; i++) {
      const turn = rotation(random.between(-1, 1), random.between(-1, 1), 1, random.between(0, 360));
      const poseB = compose(translation(random.between(1, 2.6), random.between(-1, 1), 0), turn);
      const poseA = i % 2 === 0 ? identity() : compose(turn, translation(0.1, 0, 0));
      const { verdict } = check(assetA, assetB, { poseA, poseB });
      expect(checker.verdict(poseB, poseA)).toBe(verdict);
      expect(checker.contact(poseB, poseA)).toBe(verdict === 'contact');
    }
  });
});

test.skipIf(!kernels())('what is made of triangles is fast, in any mixture; cubes are not', () => {
  for (const [, a, b] of pairs) {
    if (a.isFirst && b.isFirst)
      expect(prepare(a.build(icosphere(1)), b.build(icosphere(1))).isFast).toBe(a.triangles && b.triangles);
  }
});

const ball = (options: object = {}): Asset => variants[0].build(icosphere(1), options);

test('what is no pose is refused by the name of its side', () => {
  const checker = prepare(ball(), ball());
  expect(() => checker.contact(new Float64Array(16))).toThrow(/^pose of b: /);
  expect(() => checker.contact(identity(), new Float64Array(12))).toThrow(/^pose of a has 12 numbers/);
});

test('assets in different units are refused, and so is a query within another', () => {
  expect(() => prepare(ball({ units: 'mm' }), ball({ units: 'm' }))).toThrow(OptionError);
  const checker = prepare(ball(), ball());
  const onContact = () => checker.contact(identity());
  expect(() => check(ball(), ball(), { poseB: translation(0.5, 0, 0), onContact })).toThrow(/within onContact/);
  expect(checker.contact(translation(9, 0, 0))).toBe(false);
});

test('coordinates beyond the range of boxes are checked all the same', () => {
  const kdop = variants.find(({ name }) => name.startsWith('kdop'));
  const far = icosphere(1);
  far.positions.forEach((x, i) => {
    far.positions[i] = 1e40 * x;
  });
  const [a, b] = [kdop?.build(far) as Asset, ball()];
  expect(prepare(a, b).contact(identity())).toBe(check(a, b).verdict === 'contact');
});

/** What a process that has collected all it could measures: bytes of heap that a million queries leave, and how often it was collected meanwhile. */
const program = `
import { PerformanceObserver } from 'node:perf_hooks';
import { build, prepare, translation } from ${JSON.stringify(new URL('../../dist/index.js', import.meta.url).href)};
const [positions, triangles] = [[], []];
for (let i = 0; i < 3000; i++) {
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
    if (checker.contact(poseB, poseA)) contacts++;
    if (checker.contact(poseB)) contacts++;
  }
}
let collections = 0;
new PerformanceObserver((list) => { collections += list.getEntries().length; }).observe({ entryTypes: ['gc'] });
const turn = () => new Promise((done) => setTimeout(done, 20));
ask(20000);
ask(20000);
await turn();
gc();
await turn();
collections = 0;
const before = process.memoryUsage().heapUsed;
ask(100000);
const bytes = process.memoryUsage().heapUsed - before;
await turn();
console.log(JSON.stringify({ isFast: checker.isFast, contacts, bytes, collections }));
`;

test.skipIf(!kernels()).each([
  [
    'two wide OBB trees',
    [
      { format: 'obb', nodeBytes: 64 },
      { format: 'obb', nodeBytes: 64 },
    ],
  ],
  ['a k-DOP tree and an OBB tree of 40 bytes', [{ format: 'kdop' }, { format: 'obb' }]],
])('%s: 200,000 queries allocate nothing', (_, formats) => {
  const text = program.replace('FORMATS', JSON.stringify(formats));
  const args = ['--expose-gc', '--input-type=module', '--eval', text];
  const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  expect(stderr).toBe('');
  const { isFast, contacts, bytes, collections } = JSON.parse(stdout);
  expect({ isFast, collections }).toEqual({ isFast: true, collections: 0 });
  expect(contacts).toBeGreaterThan(10_000);
  expect(contacts).toBeLessThan(230_000);
  // A number a query would be 16 bytes, 3 MB in all; compiling what runs often leaves a tenth of one.
  expect(bytes).toBeLessThan(600_000);
});
