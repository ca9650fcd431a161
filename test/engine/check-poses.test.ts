/** Many poses by the library, compiled, as its threads are. */
import { expect, test } from 'vitest';
import type { Asset } from '../../src/engine/representation.ts';
import { long } from '../support/long.ts';
import { seeded } from '../support/random.ts';
import { icosphere, torus } from '../support/shapes.ts';

const compiled: string = new URL('../../dist/index.js', import.meta.url).href;
const { build, check, checkPoses, OptionError, prepare, VERDICTS } = (await import(
  compiled
)) as typeof import('../../src/index.ts');

/** Turned about z and shifted, seed 3. */
function somePoses(count: number): Float64Array {
  const random = seeded(3);
  const poses = new Float64Array(16 * count);
  for (let at = 0; at < poses.length; at += 16) {
    const [x, y] = [random.between(-1, 1), random.between(-1, 1)];
    const length = Math.sqrt(x * x + y * y);
    poses.set([x / length, -y / length, 0, 0, y / length, x / length, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1], at);
    for (const i of [3, 7, 11]) poses[at + i] = random.between(-2, 2);
  }
  return poses;
}

const [a, b]: Asset[] = [
  build(torus(long ? 48 : 24, long ? 24 : 12), { format: 'obb' }),
  build(icosphere(long ? 2 : 1), { format: 'kdop' }),
];

test('the verdicts of check, pose for pose', { tags: ['quick', 'long'] }, async () => {
  const poses = somePoses(300);
  const verdicts = await checkPoses(a, b, poses);
  expect(verdicts).toHaveLength(300);
  const expected = Array.from(verdicts, (_, i) => check(a, b, { poseB: poses.subarray(16 * i, 16 * i + 16) }).verdict);
  expect(Array.from(verdicts, (verdict) => VERDICTS[verdict])).toEqual(expected);
});

test.each([
  ['obb', 'obb'],
  ['kdop', 'kdop'],
  ['gi', 'gi'],
  ['gi', 'obb'],
  ['kdop', 'gi'],
] as const)('many at once as one by one, of %s and %s', { tags: ['all', 'long'] }, async (first, second) => {
  const pair = [first, second].map((format, i) =>
    build(i === 0 ? icosphere(2) : icosphere(1), format === 'gi' ? { format, size: 17 } : { format }),
  );
  const poses = somePoses(1000);
  for (let n = 0; n < 1000; n++) {
    const pose = poses.subarray(16 * n, 16 * n + 16);
    // Lengths beyond the kernels' numbers; far; subnormal; six digits; unmoved.
    if (n % 9 === 1) pose[3] = 1e40;
    if (n % 9 === 2) pose[7] = -1e18;
    if (n % 9 === 3) pose[11] = 5e-324;
    if (n % 9 === 4) for (const i of [0, 1, 4, 5]) pose[i] = Math.round(1e6 * pose[i]) / 1e6;
    if (n % 99 === 5) pose.set([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]);
  }
  const verdicts = await checkPoses(pair[0], pair[1], poses, { jobs: 1 });
  const checker = prepare(pair[0], pair[1]);
  const turned = Float64Array.of(0, -1, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1);
  const met = new Set<number>();
  for (let n = 0; n < 1000; n++) {
    const pose = poses.slice(16 * n, 16 * n + 16);
    met.add(verdicts[n]);
    expect(checker.verdict(pose)).toBe(VERDICTS[verdicts[n]]);
    // Between two poses in a's frame, one of both.
    if (n % 10 === 0) expect(checker.verdict(turned, turned)).toBe(checker.verdict(Array.from(turned), turned));
    if (n % 50 === 0)
      expect(check(pair[0], pair[1], { poseB: pose, path: 'common' }).verdict).toBe(VERDICTS[verdicts[n]]);
  }
  expect(met).toEqual(new Set([0, 1]));
});

test('with threads: the same, whatever their number', { tags: ['all', 'long'] }, async () => {
  const poses = somePoses(long ? 140_000 : 40_000);
  const alone = await checkPoses(a, b, poses, { jobs: 1 });
  expect(alone.filter((verdict) => verdict === 1).length).toBeGreaterThan(1000);
  const together = await checkPoses(a, b, poses, { jobs: 3 });
  // Equal, without vitest's slow walk where they are.
  if (Buffer.compare(together, alone) !== 0) expect(together).toEqual(alone);
});

test('cubes, which have no kernel, too', { tags: ['quick', 'long'] }, async () => {
  const count = long ? 1400 : 300;
  const cubes = build(icosphere(2), { format: 'voxel', precision: 0.1 });
  const poses = somePoses(count);
  const verdicts = await checkPoses(cubes, b, poses, { jobs: 2 });
  const checker = prepare(cubes, b);
  expect(checker.isFast).toBe(false);
  for (let i = 0; i < count; i += 97)
    expect(VERDICTS[verdicts[i]]).toBe(checker.verdict(poses.subarray(16 * i, 16 * i + 16)));
});

test('what is no pose is named before anything is checked; none is none', { tags: ['quick', 'long'] }, async () => {
  const poses = somePoses(9);
  poses[16 * 7] = Number.NaN;
  await expect(checkPoses(a, b, poses)).rejects.toThrow(/^pose 7: entry 0 is NaN/);
  await expect(checkPoses(a, b, poses.subarray(1))).rejects.toThrow(/^poses: expected 16 numbers a pose, found 143$/);
  await expect(checkPoses(a, b, somePoses(1), { jobs: 0 })).rejects.toBeInstanceOf(OptionError);
  expect(await checkPoses(a, b, new Float64Array(0))).toHaveLength(0);
});
