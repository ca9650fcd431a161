/** Scenes against brute force by `check`: every mixture, any order of objects, clearances, rules, frames. */
import { describe, expect, test } from 'vitest';
import { check } from '../../src/api.ts';
import { OptionError } from '../../src/base/errors.ts';
import { createScene } from '../../src/browser.ts';
import { boundsOf } from '../../src/engine/bounds.ts';
import { isOfTriangles } from '../../src/engine/operand.ts';
import type { Asset } from '../../src/engine/representation.ts';
import { updateInPlace } from '../../src/engine/update.ts';
import { compose, identity, movePoint, type Pose, translation } from '../../src/math/pose.ts';
import { representationOf } from '../../src/representations/kinds.ts';
import { buildObbTree } from '../../src/representations/obb/make/index.ts';
import type { Finding, SceneObject } from '../../src/scene/records.ts';
import { variants } from '../contract/variants.ts';
import { randomRotation } from '../support/agreement.ts';
import { long, some } from '../support/long.ts';
import { type Random, seeded } from '../support/random.ts';
import { bumpySphere, torus } from '../support/shapes.ts';

const meshes = [bumpySphere(1, 1), torus(10, 6)];
const assets: Asset[] = variants.flatMap((variant) => meshes.map((mesh) => variant.build(mesh)));
const wide = buildObbTree(meshes[0], { nodeBytes: 64 });

const poseOf = (random: Random, room: number): Pose => {
  const [x, y, z] = [0, 1, 2].map(() => random.between(-room, room));
  return compose(translation(x, y, z), random.below(3) === 0 ? identity() : randomRotation(random));
};

function randomObjects(random: Random, count: number, room: number): SceneObject[] {
  return Array.from({ length: count }, (_, i) => ({
    name: `${'abc'[i % 3]}/${i}`,
    asset: random.pick(assets),
    pose: poseOf(random, room),
  }));
}

/** "a b class", by `check` of every pair: of their surfaces, or as solids. */
function bruteForce(objects: readonly SceneObject[], clearance: number, solid: 'auto' | 'off'): string[] {
  const sorted = [...objects].sort((a, b) => (a.name < b.name ? -1 : 1));
  const found: string[] = [];
  for (const [i, a] of sorted.entries()) {
    for (const b of sorted.slice(i + 1)) {
      const poses = { poseA: a.pose!, poseB: b.pose! };
      if (solid === 'auto') {
        const known = check(a.asset, b.asset, { ...poses, clearance, solid }).class;
        if (known !== 'clear') found.push(`${a.name} ${b.name} ${known}`);
        continue;
      }
      const { verdict } = check(a.asset, b.asset, poses);
      const close = clearance === 0 ? verdict : check(a.asset, b.asset, { ...poses, clearance }).verdict;
      const known = verdict === 'clear' && close === 'contact' ? 'near' : verdict === 'clear' ? close : verdict;
      if (known !== 'clear') found.push(`${a.name} ${b.name} ${known}`);
    }
  }
  return found;
}

const told = (findings: readonly Finding[]): string[] =>
  findings.map((found) => `${found.a.name} ${found.b.name} ${found.class}`);

function shuffled<T>(random: Random, items: readonly T[]): T[] {
  const left = [...items];
  return Array.from(items, () => left.splice(random.below(left.length), 1)[0]);
}

describe.each(some(2, [1, 2, 3, 4]))('random scenes, seed %i', (seed) => {
  const random = seeded(seed);
  const objects = randomObjects(random, long ? 32 : 16, 3);

  test.each([
    [0, 'off'],
    [0.2, 'off'],
    [0, 'auto'],
    [0.2, 'auto'],
  ] as const)(
    'every pair as check has it, clearance %d, solids %s',
    { tags: ['quick', 'long'] },
    async (clearance, solid) => {
      const { findings, summary } = await createScene(objects, { clearance, solid }).findings();
      expect(told(findings)).toEqual(bruteForce(objects, clearance, solid));
      const { pairs, apart, checked } = summary;
      expect(pairs).toBe((objects.length * (objects.length - 1)) / 2);
      expect(apart + checked).toBe(pairs);
      expect(checked).toBeGreaterThan(findings.length - 1);
    },
  );

  test('the same findings in any order of the objects, and asked again', { tags: ['all', 'long'] }, async () => {
    const options = { distance: true, all: true };
    const scene = createScene(objects, { clearance: 0.1 });
    const { findings } = await scene.findings(options);
    expect((await scene.findings(options)).findings).toEqual(findings);
    const other = createScene(shuffled(random, objects), { clearance: 0.1 });
    expect((await other.findings(options)).findings).toEqual(findings);
    expect(new Set(findings.map(({ id }) => id)).size).toBe(findings.length);
    for (const { class: known, point, distance, contacts } of findings) {
      if (known === 'contact') expect(distance ?? 0).toBe(0);
      if (known === 'near') expect(distance).toBeGreaterThan(0);
      if (known !== 'undecided') expect(point).toHaveLength(3);
      if (contacts) expect(contacts.count).toBeGreaterThan(0);
    }
  });

  test('with patches each finding in contact has those of check, where both are made of triangles', {
    tags: ['all', 'long'],
  }, async () => {
    const { findings } = await createScene(objects, { clearance: 0.1 }).findings({ patches: true });
    const byName = new Map(objects.map((object) => [object.name, object]));
    let known = 0;
    for (const { a: nameA, b: nameB, contacts } of findings) {
      const [a, b] = [nameA, nameB].map(({ name }) => byName.get(name)!);
      const asked = { poseA: a.pose!, poseB: b.pose!, all: true };
      const areTriangles = isOfTriangles(a.asset) && isOfTriangles(b.asset);
      const expected = check(a.asset, b.asset, { ...asked, patches: areTriangles });
      expect(contacts?.patches).toEqual(expected.verdict === 'contact' ? expected.contacts.patches : undefined);
      if (contacts?.patches) known++;
    }
    expect(known).toBeGreaterThan(0);
  });

  test('frames: what began and what ended, as brute force has it', { tags: ['quick', 'long'] }, () => {
    const moving = objects.slice(0, 12).map((object) => ({ ...object }));
    const scene = createScene(moving);
    let touching = bruteForce(moving, 0, 'off');
    for (let frame = 0; frame < (long ? 16 : 8); frame++) {
      const poses: Record<string, Pose> = {};
      for (const object of moving) {
        if (random.below(3) === 0) continue;
        object.pose =
          random.below(5) === 0
            ? poseOf(random, 3)
            : compose(translation(random.between(-0.3, 0.3), 0, 0), object.pose!);
        poses[object.name] = object.pose;
      }
      const { began, ended } = scene.step(poses);
      const now = bruteForce(moving, 0, 'off');
      const names = (list: [string, string][]) => list.map(([a, b]) => `${a} ${b}`);
      const bare = (list: string[]) => list.map((line) => line.replace(/ \w+$/, ''));
      expect(names(began)).toEqual(bare(now.filter((line) => !bare(touching).includes(bare([line])[0]))));
      expect(names(ended)).toEqual(bare(touching.filter((line) => !bare(now).includes(bare([line])[0]))));
      touching = now;
    }
  });

  test('after steps the findings are those of the poses', { tags: ['all', 'long'] }, async () => {
    const scene = createScene(objects);
    const poses = Object.fromEntries(objects.map(({ name }) => [name, poseOf(random, 2)]));
    scene.step(poses);
    const placed = objects.map((object) => ({ ...object, pose: poses[object.name] }));
    expect((await scene.findings()).findings).toEqual((await createScene(placed).findings()).findings);
  });

  test('no moved vertex is outside of its bounds', { tags: ['quick', 'long'] }, () => {
    for (const asset of assets) {
      const pose =
        random.below(4) === 0
          ? identity()
          : compose(translation(random.between(-1e6, 1e6), 1, 0), randomRotation(random));
      const { low, high } = boundsOf(asset, pose);
      const { positions } = representationOf(asset).surface(asset);
      const moved = new Float64Array(3);
      for (let v = 0; v < positions.length; v += 3) {
        movePoint(pose, positions[v], positions[v + 1], positions[v + 2], moved, 0);
        for (let k = 0; k < 3; k++) {
          if (!(moved[k] >= low[k] && moved[k] <= high[k]))
            throw new Error(`${asset.representation}: ${moved} outside`);
        }
      }
    }
  });
});

describe('rules', () => {
  const row = (names: string[]): SceneObject[] =>
    names.map((name, i) => ({ name, asset: wide, pose: translation(0.5 * i, 0, 0) }));
  const objects = row(['wall/1', 'wall/2', 'pipe/1', 'pipe/2', 'door']);
  const found = async (rules: object, more: object = {}) => {
    const { findings, summary } = await createScene(objects, { rules, ...more }).findings();
    return { lines: findings.map(({ a, b, rule }) => `${a.name} ${b.name} ${rule}`), summary };
  };

  test('pairs of a rule alone are asked, by groups and patterns, a pair once a rule', async () => {
    const groups = { walls: ['wall/*'], hard: ['wall/1', 'door'] };
    const { lines, summary } = await found({
      groups,
      rules: [
        { id: 'x', a: 'walls', b: 'pipe/?' },
        { id: 'y', a: 'hard', b: '*' },
      ],
    });
    const isWall = (name: string) => name.startsWith('wall');
    const isHard = (name: string) => name === 'wall/1' || name === 'door';
    const expected = bruteForce(objects, 0, 'off').flatMap((line) => {
      const [a, b] = line.split(' ');
      const crosses = isWall(a) !== isWall(b) && (a.startsWith('pipe') || b.startsWith('pipe'));
      return [...(crosses ? [`${a} ${b} x`] : []), ...(isHard(a) || isHard(b) ? [`${a} ${b} y`] : [])];
    });
    expect(expected.length).toBeGreaterThan(8);
    expect(lines).toEqual(expected);
    expect(summary.pairs).toBe(9);
  });

  test('what is allowed is not asked, and is counted; one side alone means with anything', async () => {
    const { lines, summary } = await found({
      allow: [
        { a: 'door', reason: 'doors stand in walls' },
        { a: 'wall/*', b: 'pipe/1' },
      ],
    });
    expect(lines.some((line) => line.includes('door') || /wall.*pipe\/1|pipe\/1.*wall/.test(line))).toBe(false);
    expect(lines.length).toBeGreaterThan(0);
    expect(summary).toMatchObject({ pairs: 4, allowed: 6 });
  });

  test('a rule’s own clearance, and the scene’s', async () => {
    const apart = [
      { name: 'a', asset: wide },
      { name: 'b', asset: wide, pose: translation(3, 0, 0) },
      { name: 'c', asset: wide, pose: translation(-3, 0, 0) },
    ];
    const rules = {
      rules: [
        { id: 'r', a: 'a', b: 'b', clearance: 2 },
        { id: 's', a: 'a', b: 'c' },
      ],
    };
    expect(told((await createScene(apart, { rules }).findings()).findings)).toEqual(['a b near']);
    expect(told((await createScene(apart, { rules, clearance: 2 }).findings()).findings)).toEqual([
      'a b near',
      'a c near',
    ]);
  });

  test('one side against the other', async () => {
    const { findings, summary } = await createScene(objects, { against: new Set(['door', 'pipe/1']) }).findings();
    expect(summary.pairs).toBe(6);
    for (const { a, b } of findings) expect(/^(door|pipe\/1)$/.test(a.name)).not.toBe(/^(door|pipe\/1)$/.test(b.name));
  });

  test.each([
    [{ rules: [{ id: 'x', a: 'wal/*', b: '*' }] }, 'rules[0].a: "wal/*" matches no object'],
    [{ rules: [{ id: 'x', a: 'pipe/3', b: '*' }] }, 'rules[0].a: "pipe/3" matches no object; did you mean "pipe/1"?'],
    [{ groups: { walls: ['huose'] } }, 'groups.walls[0]: "huose" matches no object'],
    [{ allow: [{ a: 'door', b: 'dor' }] }, 'allow[0].b: "dor" matches no object; did you mean "door"?'],
    [{ rules: [{ id: 'x', a: 'door', b: 'door' }] }, 'rules[0]: a and b are one object, which makes no pair'],
    [
      {
        rules: [
          { id: 'x', a: '*', b: '*' },
          { id: 'x', a: '*', b: '*' },
        ],
      },
      'rules[1].id: "x" comes twice',
    ],
  ])('%j is refused', (rules, message) => {
    expect(() => createScene(objects, { rules })).toThrow(OptionError);
    expect(() => createScene(objects, { rules })).toThrow(message);
  });

  test('a pattern without a match is told where somebody listens, and matches nothing', async () => {
    const told: string[] = [];
    const rules = { rules: [{ id: 'x', a: 'wal/*', b: '*' }], allow: [{ a: 'dor' }] };
    const scene = createScene(objects, { rules, onUnmatched: (problem) => told.push(problem) });
    expect(told).toEqual([
      'rules[0].a: "wal/*" matches no object; did you mean "wall/*"?',
      'allow[0].a: "dor" matches no object; did you mean "door"?',
    ]);
    expect((await scene.findings()).summary.pairs).toBe(0);
  });

  test('assets in different units are refused, however far apart', () => {
    const [m, mm] = ['m', 'mm'].map((units) => buildObbTree(meshes[0], { nodeBytes: 64, units }));
    const far = { name: 'far', asset: mm, pose: translation(99, 0, 0) };
    expect(() => createScene([{ name: 'x', asset: m }, far])).toThrow(/^units: a is in/);
    expect(() => createScene([{ name: 'x', asset: wide }, far])).toThrow(/^units: a is in .*an unknown unit/);
  });

  test('nothing moves while findings are on their way', async () => {
    const scene = createScene(objects);
    const asked = scene.findings();
    expect(() => scene.step({ door: identity() })).toThrow(/^step: findings are being computed/);
    await asked;
    expect(() => scene.step({ door: identity() })).not.toThrow();
  });

  test('names that come twice, and poses that are none, are refused', () => {
    expect(() => createScene([...objects, objects[0]])).toThrow('wall/1 comes twice');
    expect(() => createScene([{ name: 'x', asset: wide, pose: new Float64Array(16) }])).toThrow(/^pose of x/);
    expect(() => createScene(objects).step({ wal: identity() })).toThrow('no object wal');
  });
});

test('an update in place is seen by findings and by the next step, whoever moves', async () => {
  const tree = buildObbTree(meshes[0], { nodeBytes: 64 });
  const scene = createScene([
    { name: 'a', asset: tree },
    { name: 'b', asset: wide, pose: translation(9, 0, 0) },
  ]);
  const shifted = (by: number) => meshes[0].positions.map((x, k) => (k % 3 === 0 ? x + by : x));
  const found = async () => (await scene.findings()).findings.length;
  expect(await found()).toBe(0);
  updateInPlace(tree, shifted(9));
  expect(await found()).toBe(1);
  updateInPlace(tree, shifted(0));
  expect(scene.step({})).toEqual({ began: [], ended: [] });
  updateInPlace(tree, shifted(9));
  expect(scene.step({})).toEqual({ began: [['a', 'b']], ended: [] });
  expect(await found()).toBe(1);
  updateInPlace(tree, shifted(0));
  expect(scene.step({ b: translation(8, 0, 0) })).toEqual({ began: [], ended: [['a', 'b']] });
});

test('a step that is refused moves nobody', () => {
  const scene = createScene([
    { name: 'a', asset: wide },
    { name: 'b', asset: wide, pose: translation(9, 0, 0) },
  ]);
  expect(() => scene.step({ b: identity(), a: new Float64Array(16) })).toThrow(/^pose of a/);
  expect(() => scene.step({ b: identity(), c: identity() })).toThrow('no object c');
  expect(scene.step({})).toEqual({ began: [], ended: [] });
  expect(scene.objects[1].pose).toEqual(translation(9, 0, 0));
});

test('poses of all objects in one array: what is refused, and that nobody has moved then', () => {
  const scene = createScene([
    { name: 'b', asset: wide, pose: translation(9, 0, 0) },
    { name: 'a', asset: wide },
  ]);
  const together = Float64Array.of(...identity(), ...identity());
  const changed = (...entries: [k: number, x: number][]) => {
    const poses = together.slice();
    for (const [k, x] of entries) poses[k] = x;
    return poses;
  };
  const refused: [poses: Float64Array, message: string][] = [
    [together.subarray(1), 'poses: expected 32 numbers, 16 an object, found 31'],
    [
      changed([16, 2]),
      'poses[1], of b scales by 2, 1, 1 along its columns; a pose is rigid; scale the mesh (gicollide build --scale)',
    ],
    [changed([3, Number.NaN]), 'poses[0], of a: entry 3 is NaN, not a finite number'],
    [changed([3, 1], [15, 2]), 'poses[0], of a: the last row is 0 0 0 2, not 0 0 0 1'],
    [changed([15, 2]), 'poses[0], of a: the last row is 0 0 0 2, not 0 0 0 1'],
    [changed([19, 1e151]), 'poses[1], of b: entry 3 is 1e+151; a pose shifts by at most 1e+150'],
  ];
  for (const [poses, message] of refused) expect(() => scene.step(poses)).toThrow(message);
  expect(() => scene.step(new Float32Array(32) as never)).toThrow('poses: expected poses by name, or a Float64Array');
  expect(scene.objects.map(({ pose }) => pose)).toEqual([identity(), translation(9, 0, 0)]);
  expect(scene.step(together)).toEqual({ began: [['a', 'b']], ended: [] });
  expect(scene.step(changed([19, 9]))).toEqual({ began: [], ended: [['a', 'b']] });
  expect(scene.step(changed([19, 9]))).toEqual({ began: [], ended: [] });
});

test('a search that is called off ends with what called it off', { tags: ['long'] }, async () => {
  const random = seeded(9);
  const many = Array.from({ length: 60 }, (_, i) => ({ name: `${i}`, asset: wide, pose: poseOf(random, 1) }));
  const controller = new AbortController();
  const asked = createScene(many).findings({
    signal: controller.signal,
    onFinding: () => controller.abort(new Error('enough')),
  });
  await expect(asked).rejects.toThrow('enough');
});

test('a step that cannot be answered is answered by the next', () => {
  const scene = createScene([
    { name: 'a', asset: wide },
    { name: 'b', asset: wide, pose: translation(9, 0, 0) },
  ]);
  scene.step({});
  let refused: unknown;
  check(wide, wide, {
    onContact: () => {
      try {
        scene.step({ b: translation(0.1, 0, 0) });
      } catch (error) {
        refused = error;
      }
      return false;
    },
  });
  expect(refused).toBeInstanceOf(OptionError);
  expect(scene.step({})).toEqual({ began: [['a', 'b']], ended: [] });
});
