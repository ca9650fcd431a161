/** Links that touch in all states of a sample, or in none: against intervals, and in parts. */
import { expect, test } from 'vitest';
import { begin } from '../../src/cli/scene/learn-allowed.ts';
import { readUrdf } from '../../src/readers/robot/urdf.ts';
import { loadKinds } from '../../src/representations/kinds.ts';
import { buildObbTree } from '../../src/representations/obb/make/index.ts';
import { MovingRobot } from '../../src/scene/robot.ts';
import { APART, reachOf, type Sample, Sampler, TOUCHED } from '../../src/scene/sampled-pairs.ts';
import { some } from '../support/long.ts';
import { seeded } from '../support/random.ts';
import { box } from '../support/shapes.ts';

await loadKinds('obb');

const SHAPE = '<collision><geometry><mesh filename="box.obj"/></geometry></collision>';
const joint = (name: string, parent: string, type: string, inside = '') =>
  `<joint name="${name}-joint" type="${type}"><parent link="${parent}"/><child link="${name}"/>${inside}</joint>`;
const robotOf = (inside: string) => readUrdf(new TextEncoder().encode(`<robot name="r">${inside}</robot>`));
const objectsOf = (names: readonly string[], sizes: readonly number[]) =>
  names.map((name, n) => ({ name, asset: buildObbTree(box(sizes[n])) }));

/** All pairs of links of a robot with a shape each. */
function sampleOf(inside: string, pairs: [string, string][], seed = 1): Sample {
  const robot = robotOf(inside);
  const numberOf = (name: string) => robot.links.findIndex((link) => link.name === name);
  return { robot, parts: new MovingRobot(robot).parts, pairs: Uint32Array.from(pairs.flat().map(numberOf)), seed };
}

const STATES = 400;

test.each(some(3, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]))(
  'seed %i: cubes on rails touch as the intervals of their joints say',
  { tags: ['quick', 'long'] },
  (seed) => {
    const random = seeded(seed);
    const rails = Array.from({ length: 8 }, (_, n) => {
      const low = random.between(-2, 2);
      return { name: `l${n}`, low, high: low + random.between(0.1, 1.5) };
    });
    const inside = rails.map(({ name, low, high }) => {
      const limits = `<axis xyz="1 0 0"/><limit lower="${low}" upper="${high}"/>`;
      return `<link name="${name}">${SHAPE}</link>${joint(name, 'base', 'prismatic', limits)}`;
    });
    const all = rails.flatMap((a, i) => rails.slice(i + 1).map((b) => [a, b] as const));
    const sample = sampleOf(
      `<link name="base"/>${inside.join('')}`,
      all.map(([a, b]) => [a.name, b.name]),
      seed,
    );
    const names = rails.map(({ name }) => name);
    const marks = new Sampler(objectsOf(names, Array(8).fill(1)), sample).seen(0, STATES);
    let known = 0;
    for (const [p, [a, b]] of all.entries()) {
      // Cubes of edge 1 touch if their middles are no farther apart than that.
      const most = Math.max(b.high - a.low, a.high - b.low);
      const least = Math.max(b.low - a.high, a.low - b.high);
      const where = `${p}: ${least} to ${most}`;
      // A margin that hundreds of states do not miss.
      if (most <= 1) expect(marks[p], where).toBe(TOUCHED);
      else if (least > 1) expect(marks[p], where).toBe(APART);
      else if (most > 1.3 && least < 0.7) expect(marks[p], where).toBe(TOUCHED | APART);
      else continue;
      known++;
    }
    expect(known).toBeGreaterThan(10);
  },
);

const THREE = `<link name="base"/>
  <link name="wide">${SHAPE}</link>${joint('wide', 'base', 'fixed')}
  <link name="small">${SHAPE}</link>${joint('small', 'base', 'prismatic', '<limit lower="-0.5" upper="0.5"/>')}`;

test('a mesh that is wholly inside of another one touches it', () => {
  const sample = sampleOf(THREE, [['wide', 'small']]);
  const objects = objectsOf(['wide', 'small'], [4, 0.5]);
  expect([...new Sampler(objects, sample).seen(0, 50)]).toEqual([TOUCHED]);
});

test('marks of parts, by a thread too, come to those of the whole; another seed takes other states', async () => {
  const limits = '<axis xyz="1 0 0"/><limit lower="0" upper="1.001"/>';
  const inside = `<link name="a">${SHAPE}</link><link name="b">${SHAPE}</link>${joint('b', 'a', 'prismatic', limits)}`;
  const objects = objectsOf(['a', 'b'], [1, 1]);
  const of = (seed: number) => sampleOf(inside, [['a', 'b']], seed);
  // Of 1000 states about one is apart: whether it is in a part tells states from each other.
  const sampler = (seed: number) => new Sampler(objects, of(seed));
  const marks = Array.from({ length: 20 }, (_, n) => sampler(1).seen(100 * n, 100 * n + 100)[0]);
  expect(marks.reduce((all, mark) => all | mark)).toBe(sampler(1).seen(0, 2000)[0]);
  const answer = await begin(
    objects.map(({ asset }) => asset),
    { ...of(1), names: ['a', 'b'], assets: [0, 1] },
  );
  const fresh = (await answer([1900, 2000])) as Uint8Array;
  expect(fresh[0]).toBe(marks[19]);
  const others = Array.from({ length: 20 }, (_, n) => sampler(2).seen(100 * n, 100 * n + 100)[0]);
  expect(others).not.toEqual(marks);
});

test('joints without limits part what a sample covers, but for the one that all hangs on', () => {
  const links = ['base', 'a', 'b', 'c', 'd'].map((name) => `<link name="${name}"/>`).join('');
  const robot = robotOf(
    `${links}${joint('a', 'base', 'floating')}${joint('b', 'a', 'prismatic')}${joint('c', 'a', 'revolute')}${joint('d', 'c', 'fixed')}`,
  );
  const { sampled, rigid, endless } = reachOf(robot);
  const numbers = robot.links.map(({ name }, n) => [name, sampled[n], rigid[n]]);
  expect(numbers).toEqual([
    ['base', 0, 0],
    ['a', 1, 1],
    ['b', 2, 2],
    ['c', 1, 3],
    ['d', 1, 3],
  ]);
  expect(endless).toEqual(['b-joint']);
});
