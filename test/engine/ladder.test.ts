/** One ladder: docs/engines.md shows it, and every door says who answered. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { build, check, identity, type Mesh, openPair, prepare, readFrep, translation } from '../../src/index.ts';
import { placementOf } from '../../src/kernels/memory.ts';
import { DOP_SIZES } from '../../src/representations/kdop/tree/dop-directions.ts';
import { nearContact, randomDirection, randomRotation, surfaceOf } from '../support/agreement.ts';
import { untilLook } from '../support/clock.ts';
import { some } from '../support/long.ts';
import { bruteForce } from '../support/oracle.ts';
import { seeded } from '../support/random.ts';
import { box, bumpySphere, icosphere, mapped, torus } from '../support/shapes.ts';

const near = translation(0.5, 0.1, 0);

test('docs/engines.md shows the ladder, rung by rung', () => {
  const textOf = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
  const rows = [...textOf('docs/engines.md').matchAll(/^\| `(\w+)` \| (?:native|common) \|/gm)].map(([, name]) => name);
  const rungs = [...textOf('src/engine/ladder.ts').matchAll(/\{ engine: '(\w+)', answer/g)].map(([, name]) => name);
  expect(rungs).toHaveLength(6);
  expect(rows).toEqual(rungs);
});

describe('the engine in the report', () => {
  const ball = icosphere(2);
  const assets = {
    gi: build(ball, { size: 17 }),
    kdop: build(ball, { format: 'kdop' }),
    obb: build(ball, { format: 'obb' }),
    wide: build(ball, { format: 'obb', nodeBytes: 64 }),
    voxel: build(ball, { format: 'voxel', precision: 0.2 }),
  };
  const kinds = Object.keys(assets) as (keyof typeof assets)[];

  test.each(kinds)('%s: a pair that is asked once prepares nothing', (kind) => {
    const { engine } = check(assets[kind], assets[kind], { poseB: near });
    expect(kind === 'wide' ? ['common', 'search'] : ['search']).toContain(engine);
  });

  test.each(kinds)('%s: asked much, by a kernel where there is one; cubes have none', (kind) => {
    const pair = openPair(assets[kind], assets[kind], { questions: 1000 });
    expect(pair.report({ poseB: near }).engine).toBe(kind === 'voxel' ? 'search' : 'kernel');
    expect(pair.isFast).toBe(kind !== 'voxel');
    expect(pair.report({ poseB: near, level: 2 }).engine).not.toBe('kernel');
    expect(pair.report({ poseB: near, distance: true }).engine).toBe(kind === 'voxel' ? 'closest' : 'kernel');
    expect(pair.report({ poseB: near, path: 'common' }).engine).toBe('common');
  });

  test.each(kinds)('%s: a budget that is enough costs what the plain question costs', (kind) => {
    for (const [poseB, verdict] of [
      [near, 'contact'],
      [translation(5, 0, 0), 'clear'],
    ] as const) {
      const plain = check(assets[kind], assets[kind], { poseB });
      const inTime = check(assets[kind], assets[kind], { poseB, budget: 1e6 });
      expect([plain.verdict, inTime.verdict]).toEqual([verdict, verdict]);
      if (kind === 'wide' || kind === 'voxel') continue; // of 64 bytes: asked once by the common path
      expect(inTime).toMatchObject({ engine: 'search', tests: plain.tests, contacts: plain.contacts });
      // Balls of radius 1, 5 apart: a gap of 3.
      if (verdict === 'contact') expect(inTime.bracket).toEqual({ lower: 0, upper: 0 });
      else expect(inTime.bracket?.upper).toBeGreaterThan(2.9);
    }
  });

  // Two shells, one a hair within the other: no contact, and thousands of pairs of bounds.
  test.each([
    ['gi', { size: 33 }] as const,
    ['wide', { format: 'obb', nodeBytes: 64 }] as const,
    ['kdop', { format: 'kdop' }] as const,
    ['kdop 30', { format: 'kdop', bits: 30 }] as const,
  ])('%s: a kernel looks at the clock, and what it leaves open is undecided', { tags: ['all'] }, (_, options) => {
    const [inner, outer] = [1, 1.02].map((r) =>
      build(
        mapped(icosphere(4), (x, y, z) => [r * x, r * y, r * z]),
        options,
      ),
    );
    const pair = openPair(inner, outer, { questions: 1000 });
    const plain = pair.report();
    expect(plain).toMatchObject({ verdict: 'clear', engine: 'kernel' });
    expect(plain.tests.bounds).toBeGreaterThan(3000);
    // The question's own look, that of the query's time, and those of the search.
    const inTime = (looks: number) => untilLook(looks, () => pair.report({ budget: 1 })).result;
    expect(inTime(1e6)).toMatchObject({ verdict: 'clear', engine: 'kernel', tests: plain.tests });
    for (const looks of [2, 3, 4]) {
      const { verdict, bracket } = inTime(looks);
      expect(verdict).toBe('undecided');
      // Some 0.02 apart, but for what images round off.
      expect(bracket?.lower).toBeLessThan(0.021);
      expect(bracket?.upper).toBeGreaterThan(0.01);
      // The first pairs that the search follows down depend on the trees.
      expect(bracket?.upper).toBeLessThan(0.2);
    }
  });

  test('without a number of questions: the first 32 prepare nothing, and a mixture waits for longer', () => {
    const pair = openPair(build(box(), { format: 'kdop' }), build(box(), { format: 'kdop' }));
    const engines = Array.from({ length: 40 }, () => pair.report({ poseB: near }).engine);
    expect(engines.indexOf('kernel')).toBe(32);
    expect(new Set(engines.slice(32))).toEqual(new Set(['kernel']));
  });

  // 320 triangles each: a question of a mixture pays for 64 of them, one of two of a kind for 16.
  test.each([
    ['a k-DOP tree and an OBB tree', 'kdop', 'obb', 32 + 640 / 64],
    ['a k-DOP tree and a wide one, over which none is built', 'kdop', 'wide', 32 + 320 / 64],
    ['two OBB trees of 40 bytes', 'obb', 'obb', 32 + 640 / 16],
  ] as const)('%s wait until their questions have paid for wide trees', (_, a, b, questions) => {
    const pair = openPair({ ...assets[a] }, { ...assets[b] });
    const engines = Array.from({ length: 80 }, () => pair.report({ poseB: near }).engine);
    expect(engines.indexOf('kernel')).toBe(Math.floor(questions));
    expect(new Set(engines.slice(questions))).toEqual(new Set(['kernel']));
  });

  test.each([8, 16, 17, 36])('k-DOP trees of any bits have a kernel: %i', (bits) => {
    const [a, b] = [build(box(), { format: 'kdop', bits }), build(box(), { format: 'kdop', bits: 19 })];
    expect(openPair(a, b, { questions: 1000 }).report({ poseB: near }).engine).toBe('kernel');
  });

  test('an option of one kind alone prepares nothing either', () => {
    const tree = build(box(), { format: 'kdop' });
    expect(check(tree, tree, { poseB: near, axes: 3 }).engine).toBe('search');
    expect(placementOf(tree)).toBeUndefined();
    expect(openPair(tree, tree, { questions: 1000 }).report({ poseB: near, axes: 3 }).engine).toBe('search');
  });

  test.each(kinds)('%s: engine search leaves all others out', (kind) => {
    const pair = openPair(assets[kind], { ...assets[kind] }, { questions: 1000 });
    const report = pair.report({ poseB: near, all: true, engine: 'search' });
    const plain = pair.report({ poseB: near, all: true });
    expect(report).toMatchObject({ engine: 'search', verdict: plain.verdict, contacts: plain.contacts });
  });

  test('engine search is refused where it cannot answer', () => {
    expect(() => check(assets.kdop, assets.obb, { engine: 'search' })).toThrow(
      'engine: expected two assets of one kind with a search, found kdop and obb',
    );
    expect(() => check(assets.kdop, assets.kdop, { engine: 'search', distance: true })).toThrow(/leave out distance/);
    expect(() => check(assets.kdop, assets.kdop, { engine: 'kernel' } as never)).toThrow(/engine: expected "search"/);
  });

  test('one engine answers as many questions as were said, of images subsampled too', () => {
    const enginesFor = (questions: number) => {
      const pair = openPair(assets.gi, assets.gi, { questions });
      return new Set(Array.from({ length: 40 }, () => pair.report({ poseB: near, lod: 2 }).engine));
    };
    expect(enginesFor(1000)).toEqual(new Set(['kernel']));
    expect(enginesFor(32)).toEqual(new Set(['search']));
  });

  test.each(kinds.flatMap((a) => kinds.map((b) => [a, b] as const)))(
    '%s and %s: the same verdict and list by every door',
    (a, b) => {
      for (const x of [0.3, 1.2, 1.9, 2.5]) {
        const poseB = translation(x, 0.1, 0.05);
        const common = check(assets[a], assets[b], { poseB, all: true, path: 'common' });
        for (const questions of [1, 1000]) {
          const pair = openPair(assets[a], assets[b], { questions });
          const report = pair.report({ poseB, all: true });
          expect([report.verdict, report.contacts]).toEqual([common.verdict, common.contacts]);
          expect(pair.verdict(poseB)).toBe(common.verdict);
        }
        expect(prepare(assets[a], assets[b]).verdict(poseB)).toBe(common.verdict);
      }
    },
  );
});

test.each([
  ['triangles', 4e8, /vertex numbers below/],
  ['triangles', 5000, /vertex numbers below/],
  ['positions', Number.NaN, /coordinates up to/],
] as const)('a k-DOP tree whose %s a caller has set to %d is refused, not trusted', (part, value, expected) => {
  const tree = build(icosphere(2), { format: 'kdop' });
  tree[part][7] = value;
  expect(() => openPair(tree, build(box(), { format: 'kdop' }), { questions: 1e6 }).verdict(identity())).toThrow(
    expected,
  );
});

test('`engine` is for questions about contact, and classes of solids ask others beside it', () => {
  const [a, b] = [build(icosphere(2), { format: 'kdop' }), build(icosphere(2), { format: 'kdop' })];
  const options = { poseB: translation(1.6, 0, 0), engine: 'search' } as const;
  const { engine, ...plain } = options;
  const asked = { solid: 'auto', touchGap: 0.2 } as const;
  expect(check(a, b, { ...options, ...asked }).class).toBe(check(a, b, { ...plain, ...asked }).class);
  expect(() => check(a, b, { ...options, budget: 0 })).toThrow(/leave out budget/);
});

test('options that are inherited count, whatever is asked', () => {
  const [a, b] = [build(icosphere(2), { format: 'obb' }), build(icosphere(2), { format: 'obb' })];
  const inherited = Object.assign(Object.create({ poseB: translation(9, 0, 0) }), { solid: 'auto' });
  expect(check(a, b, inherited).class).toBe('clear');
});

test.each(some(1, [7, 8, 9]))('what was asked before changes no answer about two k-DOP trees, seed %i', (seed) => {
  const random = seeded(seed);
  const poses = Array.from({ length: 40 }, () =>
    translation(random.between(-2, 2), random.between(-2, 2), random.between(-2, 2)),
  );
  const rocks = () => [bumpySphere(3, seed), torus(40, 20, 0.9, 0.3)].map((mesh) => build(mesh, { format: 'kdop' }));
  const ask = ([a, b]: ReturnType<typeof rocks>, distance: boolean) => {
    const pair = openPair(a, b, { questions: 1000 });
    return poses.map((poseB) => {
      const { contacts, tests, distance: gap } = pair.report({ poseB, distance });
      return { contacts, tests, gap };
    });
  };
  const [first, second] = [rocks(), rocks()];
  const contacts = ask(first, false);
  expect(contacts.filter(({ contacts: { count } }) => count > 0).length).toBeGreaterThan(5);
  const gaps = ask(second, true);
  expect(ask(second, false)).toEqual(contacts);
  expect(ask(first, true)).toEqual(gaps);
});

describe('k-DOP trees beside every kind', { tags: ['all', 'long'] }, () => {
  const ball = readFrep('{"object": {"sphere": {"radius": 0.7}}}');

  // Pairs of triangles are held to rational arithmetic, cubes and F-reps to the common engine.
  test.each(some(1, [1, 2, 3, 4, 5, 6]))('few and many questions, any k and bits, seed %i', (seed) => {
    const random = seeded(seed);
    const kdopOf = (mesh: Mesh) =>
      build(mesh, { format: 'kdop', k: random.pick(DOP_SIZES), bits: 8 + random.below(29) });
    const blob = bumpySphere(seed, 1);
    const others = [
      kdopOf(blob),
      build(blob, { size: 17 }),
      build(blob, { format: 'obb' }),
      build(blob, { format: 'obb', nodeBytes: 64 }),
      build(blob, { format: 'voxel', precision: 0.2 }),
      build(ball),
    ];
    for (const other of others) {
      const a = kdopOf(torus(8, 5));
      const isOfTriangles = !['voxel', 'frep'].includes(other.representation);
      const start = randomRotation(random);
      const poses = nearContact(a, other, identity(), start, randomDirection(random));
      for (const poseB of [...poses, start]) {
        const common = check(a, other, { poseB, all: true, maxContacts: 1e6, path: 'common' });
        if (isOfTriangles) {
          const expected = bruteForce(surfaceOf(a), identity(), surfaceOf(other), poseB);
          expect(common.contacts.pairs).toEqual(expected);
          expect(common.verdict).toBe(expected.length > 0 ? 'contact' : 'clear');
        }
        for (const questions of [1, 1e6]) {
          const pair = openPair(a, other, { questions });
          const report = pair.report({ poseB, all: true, maxContacts: 1e6 });
          expect([report.verdict, report.contacts]).toEqual([common.verdict, common.contacts]);
          expect(pair.verdict(poseB)).toBe(common.verdict);
          if (isOfTriangles) expect(pair.isFast).toBe(questions > 1);
        }
        if (other.representation !== 'kdop') continue;
        const bySearch = check(a, other, { poseB, all: true, maxContacts: 1e6, engine: 'search' });
        expect(bySearch.contacts).toEqual(common.contacts);
      }
    }
  });
});
