/** Cubes against cubes and against triangles, under any poses: held to exact hulls of the moved corners, pair by pair. */
import { describe, expect, test } from 'vitest';
import '../../../src/representations/everything.ts';
import type { CheckOptions } from '../../../src/engine/options.ts';
import { check } from '../../../src/engine/prepared.ts';
import type { ContactPair } from '../../../src/engine/records.ts';
import type { Asset } from '../../../src/engine/representation.ts';
import { hullDistance } from '../../../src/geometry/gjk.ts';
import type { DistanceBracket } from '../../../src/geometry/triangle-distance.ts';
import { compose, identity, type Pose, rotation, translation, validatePose } from '../../../src/math/pose.ts';
import type { Mesh } from '../../../src/mesh/mesh.ts';
import { buildVoxels } from '../../../src/representations/voxel/make/index.ts';
import { cubesOf, type VoxelSet } from '../../../src/representations/voxel/tree/cube-set.ts';
import { expectAgreement, nearContact, randomDirection, randomRotation, shifted } from '../../support/agreement.ts';
import { BUILDERS } from '../../support/builders.ts';
import { cellsByBits, meetingPairs, nextBelow, primitivesOf, setOf } from '../../support/cubes.ts';
import { long } from '../../support/long.ts';
import { type Random, seeded } from '../../support/random.ts';
import { bumpySphere, mapped, octasphere, tetrahedron } from '../../support/shapes.ts';

const bothPaths: CheckOptions[] = [{}, { path: 'common' }];
const builtAs = (name: string, mesh: Mesh, options: object = {}): Asset => BUILDERS[name].build(mesh, options);

/** Everything of one pair, against all pairs of primitives. */
const agree = (a: Asset, b: Asset, poseA: Pose, poseB: Pose): ContactPair[] =>
  expectAgreement(a, b, poseA, poseB, meetingPairs(a, poseA, b, poseB));

/** Cells near a corner of the grid, in heaps and alone. */
function someCells(random: Random, count: number, corner = [0, 0, 0], spread = 7): number[][] {
  return Array.from({ length: count }, () => corner.map((k) => k + random.below(spread) - (spread >> 1)));
}

/** As six printed digits give it. */
const sixDigits = (pose: Pose): Pose =>
  validatePose(
    pose.map((x) => Number(x.toFixed(6))),
    'pose',
  );

describe('both where they were built', () => {
  test.each([0.25, 0.1, 1 / 3, 1e-100, 7e99])(
    'edges of %d: contact is an equal cell, seed 1',
    { tags: ['all'] },
    (precision) => {
      const random = seeded(1);
      for (let n = 0; n < 6; n++) {
        const corner = [
          [0, 0, 0],
          [-40, 7, 3],
          [2 ** 21 - 4, -(2 ** 21) + 3, 1000],
        ][n % 3];
        const [a, b] = [20, 30].map((count) => setOf(someCells(random, count, corner, n < 3 ? 7 : 4), precision));
        const cells = cellsByBits(b).map((cell) => cell.join(' '));
        const equal = cellsByBits(a).flatMap((cell, i): ContactPair[] => {
          const j = cells.indexOf(cell.join(' '));
          return j < 0 ? [] : [[i, j]];
        });
        expect(agree(a, b, identity(), identity())).toEqual(equal);
        expect(check(a, b)).toMatchObject({ path: 'native', tests: { hulls: 0 }, level: 0 });
        if (n === 4) expect(equal.length).toBeGreaterThan(0);
      }
    },
  );

  test('neighbours in the grid, over a face, an edge, a corner: clear', () => {
    for (const corner of [0, -1, 5, -(2 ** 20)]) {
      for (const [x, y, z] of cellsByBits(setOf(cube(3), 1)).slice(1)) {
        const [a, b] = [setOf([[corner, corner, corner]], 0.1), setOf([[corner + x, corner + y, corner + z]], 0.1)];
        for (const path of bothPaths) expect(check(a, b, path).verdict).toBe('clear');
        expect(agree(a, b, identity(), identity())).toEqual([]);
      }
    }
  });

  test('sets of all cells of a brick, of every second, and of one', () => {
    const all = setOf(cube(4), 1);
    const second = setOf(
      cube(4).filter(([x, y, z]) => (x + y + z) % 2 === 1),
      1,
    );
    const one = setOf([[3, 3, 3]], 1);
    expect(agree(all, second, identity(), identity()).length).toBe(32);
    expect(agree(second, one, identity(), identity())).toEqual([[31, 0]]);
    expect(agree(one, all, identity(), identity())).toEqual([[0, 63]]);
  });

  test('other precisions: 2 to 1, 3 to 1 and none to none, seed 2', () => {
    const random = seeded(2);
    for (const [p, q] of [
      [0.5, 0.25],
      [0.3, 0.1],
      [0.1, 0.07],
      [1, 0.999],
    ]) {
      const [a, b] = [setOf(someCells(random, 16, [0, 0, 0], 4), p), setOf(someCells(random, 16, [0, 0, 0], 4), q)];
      const found = agree(a, b, identity(), identity());
      expect(found.length).toBeGreaterThan(0);
      expect(found.length).toBeLessThan(cubesOf(a) * cubesOf(b));
    }
  });
});

/** All cells from 0 to n - 1 along each axis. */
function cube(n: number): number[][] {
  return Array.from({ length: n ** 3 }, (_, i) => [i % n, Math.floor(i / n) % n, Math.floor(i / n ** 2)]);
}

describe('under poses', () => {
  test.each(Array.from({ length: long ? 12 : 6 }, (_, i) => 10 + i))(
    'at the end of contact, seed %i',
    { tags: ['quick', 'long'] },
    (seed) => {
      const random = seeded(seed);
      const corner = random.pick([
        [0, 0, 0],
        [-30, 12, -5],
        [100_000, -3, 2],
      ]);
      const [p, q] = [random.pick([0.25, 0.1, 1 / 3]), random.pick([0.25, 0.1, 0.5])];
      const [a, b] = [setOf(someCells(random, 12, corner), p), setOf(someCells(random, 12, corner), q)];
      const back = (edge: number) => translation(...(corner.map((k) => -k * edge) as [number, number, number]));
      const turned = () => (seed % 3 === 0 ? sixDigits(randomRotation(random)) : randomRotation(random));
      const poseA = compose(compose(translation(random.between(-9, 9), 2, -3), turned()), back(p));
      const start = compose(compose(translation(poseA[3], 2, -3), turned()), back(q));
      const direction = randomDirection(random);
      const met = onto(a, poseA, b, start);
      const [inside, outside] = nearContact(a, b, poseA, met, direction);
      expect(agree(a, b, poseA, inside).length).toBeGreaterThan(0);
      expect(agree(a, b, poseA, outside)).toEqual([]);
      for (const s of [0, 0.3]) agree(a, b, poseA, shifted(met, direction, s));
    },
  );

  test('rounded, turned by right angles and by 45 degrees: faces, edges and corners meet, seed 3', {
    tags: ['quick', 'long'],
  }, () => {
    const random = seeded(3);
    const turns = [
      identity(),
      rotation(0, 0, 1, 90),
      rotation(1, 0, 0, 180),
      rotation(0, 1, 0, 45),
      sixDigits(rotation(0, 0, 1, 30)),
    ];
    let contacts = 0;
    let clear = 0;
    for (let n = 0; n < (long ? 100 : 24); n++) {
      const precision = random.pick([0.25, 0.1, 1]);
      const [a, b] = [
        setOf(someCells(random, 8), precision),
        setOf(someCells(random, 8), random.pick([precision, 0.2])),
      ];
      const at = [0, 0, 0].map(() => precision * (random.below(7) - 3)) as [number, number, number];
      // Faces that meet on the grid, and by the last bit of the move not or just so.
      if (n % 3 === 1) at[0] = nextBelow(at[0]);
      if (n % 3 === 2) at[0] = -nextBelow(-at[0]);
      const turn = random.pick(turns);
      const [poseA, poseB] = [n % 2 === 0 ? identity() : turn, compose(translation(...at), turn)];
      if (agree(a, b, poseA, poseB).length > 0) contacts++;
      else clear++;
    }
    expect(Math.min(contacts, clear)).toBeGreaterThan(long ? 6 : 3);
  });

  test('one cube against one, corners and edges within a rounding of faces, seed 4', {
    tags: ['quick', 'long'],
  }, () => {
    const random = seeded(4);
    const verdicts = [0, 0];
    for (let n = 0; n < (long ? 340 : 30); n++) {
      const [a, b] = [0, 1].map(() => setOf(someCells(random, 1, [0, -3, 6]), random.pick([1, 0.1, 0.3])));
      const poseA = n % 2 === 0 ? identity() : randomRotation(random);
      let poseB = n % 5 === 0 ? sixDigits(randomRotation(random)) : randomRotation(random);
      // A corner of b onto a point of a face of a, then a few units of the last place to or fro.
      const corners = primitivesOf(a, poseA)[0];
      const w = [random.next(), random.next()];
      const point = [0, 1, 2].map((k) => {
        const [o, x, y] = [0, 1, 2].map((i) => corners[3 * i + k]);
        return o + w[0] * (x - o) + (n % 3 === 0 ? 0 : w[1]) * (y - o);
      });
      // The one that goes deepest: the first face is low along z.
      const inward = [0, 1, 2].map((k) => corners[12 + k] - corners[k]);
      const points = primitivesOf(b, poseB)[0];
      const depth = (i: number) => inward.reduce((sum, c, k) => sum + c * points[3 * i + k], 0);
      const deepest = Array.from({ length: 8 }, (_, i) => i).reduce((p, q) => (depth(q) > depth(p) ? q : p));
      const moved = points.slice(3 * deepest);
      poseB = compose(translation(...(point.map((x, k) => x - moved[k]) as [number, number, number])), poseB);
      poseB[3] += (n % 7) * 2 ** -51 - 2 ** -50;
      verdicts[agree(a, b, poseA, poseB).length]++;
    }
    expect(Math.min(...verdicts)).toBeGreaterThan(long ? 10 : 5);
  });

  test('edges that are parallel but for a hair, and only their product parts, seed 40', {
    tags: ['quick', 'long'],
  }, () => {
    const random = seeded(40);
    const a = setOf([[0, 0, 0]], 1);
    const verdicts = [0, 0];
    for (let n = 0; n < (long ? 170 : 40); n++) {
      const degrees = 10 ** random.between(-11, -3);
      // The edges at x = y = 0 cross halfway, b's outside the corner of a.
      const turned = compose(rotation(1, 1, 0, degrees), rotation(0, 0, 1, 180 + random.between(-40, 40)));
      const apart = -random.between(-0.1, 0.5) * degrees * (Math.PI / 180);
      const poseB = compose(compose(translation(apart, apart, 0.5), turned), translation(0, 0, -0.5));
      verdicts[agree(a, a, identity(), poseB).length]++;
    }
    expect(Math.min(...verdicts)).toBeGreaterThan(long ? 10 : 6);
  });

  test('a set with itself in one place: every cube meets itself, and neighbours as rounding has it, seed 5', {
    tags: ['quick', 'long'],
  }, () => {
    const random = seeded(5);
    for (const precision of [0.25, 0.1]) {
      const a = setOf(someCells(random, long ? 30 : 20, [3, -20, 0], 5), precision);
      for (const pose of [translation(1 / 3, 5, -0.1), randomRotation(random), sixDigits(randomRotation(random))]) {
        const found = new Set(agree(a, a, pose, pose).map(String));
        for (let i = 0; i < cubesOf(a); i++) if (!found.has(`${i},${i}`)) expect.fail(`${i} does not meet itself`);
      }
    }
  });

  test('at the ends of the grid, brought together, seed 6', () => {
    const random = seeded(6);
    for (const precision of [0.01, 0.25]) {
      const ends = [2 ** 21 - 4, -(2 ** 21) + 4];
      const [a, b] = ends.map((k) => setOf(someCells(random, 10, [k, k, -k]), precision));
      const size = 2 ** 22 * precision;
      for (let n = 0; n < 6; n++) {
        const [x, y, z] = [0, 0, 0].map(() => (random.below(9) - 4) * precision * (n < 3 ? 1 : random.next()));
        agree(a, b, identity(), translation(size + x, size + y, -size + z));
        const turn = compose(randomRotation(random), translation(-size / 2, -size / 2, size / 2));
        const other = compose(turn, translation(size + x, size + y, -size + z));
        agree(a, b, turn, n % 2 === 0 ? sixDigits(other) : other);
      }
    }
  });

  test('moving both by one pose changes no verdict, seed 7', () => {
    const random = seeded(7);
    const [a, b] = [setOf(someCells(random, 40), 0.25), setOf(someCells(random, 40, [20, 1, -9]), 0.1)];
    const direction = randomDirection(random);
    const start = onto(a, identity(), b, identity());
    const [inside] = nearContact(a, b, identity(), start, direction);
    for (let i = 0; i < 10; i++) {
      const motion = compose(translation(random.between(-50, 50), 7, -1), randomRotation(random));
      for (const [s, verdict] of [
        [-1e-6, 'contact'],
        [1e-6, 'clear'],
      ] as const) {
        const poseB = shifted(inside, direction, s);
        for (const path of bothPaths) {
          expect(check(a, b, { ...path, poseB }).verdict).toBe(verdict);
          expect(check(a, b, { ...path, poseA: motion, poseB: compose(motion, poseB) }).verdict).toBe(verdict);
        }
      }
    }
  });
});

/** What takes the middle of the first primitive of b to that of a, nearly. */
function onto(a: Asset, poseA: Pose, b: Asset, poseB: Pose): Pose {
  const middle = (asset: Asset, pose: Pose, k: number) => {
    const along = primitivesOf(asset, pose)[0].filter((_, i) => i % 3 === k);
    return along.reduce((sum, x) => sum + x, 0) / along.length;
  };
  const [x, y, z] = [0, 1, 2].map((k) => Math.round(1000 * (middle(a, poseA, k) - middle(b, poseB, k))) / 1000);
  return compose(translation(x, y, z), poseB);
}

describe('against triangles', () => {
  const mesh = mapped(bumpySphere(3, 0), (x, y, z) => [x, 0.8 * y, 1.2 * z]);
  const others: [string, Asset][] = [
    ['gi', builtAs('gi', octasphere(1), { size: 17 })],
    ['kdop', builtAs('kdop', mesh)],
    ['obb', builtAs('obb', mesh)],
  ];
  const cubes = buildVoxels(
    mapped(octasphere(1), (x, y, z) => [x, y, 0.7 * z]),
    { precision: 0.4 },
  );

  test.each(others)('%s: at the end of contact, through each other, on the grid, seed 8', (_, other) => {
    const random = seeded(8);
    const direction = randomDirection(random);
    const poseA = compose(translation(3, -2, 1), randomRotation(random));
    const start = compose(translation(3, -2, 1), randomRotation(random));
    const [inside, outside] = nearContact(cubes, other, poseA, start, direction);
    expect(agree(cubes, other, poseA, inside).length).toBeGreaterThan(0);
    expect(agree(cubes, other, poseA, outside)).toEqual([]);
    expect(check(cubes, other, { poseA, poseB: inside }).path).toBe('common');
    expect(agree(cubes, other, poseA, shifted(start, direction, 1.1)).length).toBeGreaterThan(0);
    agree(other, cubes, translation(0.4, 0, 2), identity());
  });

  test('flat triangles on the faces of cubes: the lower faces touch, of the upper the last double, seed 9', () => {
    const set = setOf([[0, 0, 0]], 1);
    for (const [z, verdict] of [
      [0, 'contact'],
      [nextBelow(0), 'clear'],
      [1, 'clear'],
      [nextBelow(1), 'contact'],
    ] as const) {
      const plate = {
        positions: Float64Array.of(-1, -1, z, 3, -1, z, -1, 3, z),
        triangles: Uint32Array.of(0, 1, 2),
        groups: [],
      };
      for (const name of ['kdop', 'obb']) {
        const asset = builtAs(name, plate);
        expect(check(set, asset).verdict).toBe(verdict);
        expect(check(asset, set).verdict).toBe(verdict);
        agree(set, asset, identity(), identity());
      }
    }
  });
});

describe('what a query asks', () => {
  const random = seeded(20);
  const a = setOf(someCells(random, 30, [0, 0, 0], 5), 0.25);
  const b = setOf(someCells(random, 30, [1, -1, 0], 5), 0.25);
  const poses: [string, Pose][] = [
    ['in place', identity()],
    ['shifted', translation(0.3, 0.1, 0)],
    ['turned', compose(translation(0.2, 0, 0.1), rotation(1, 2, 3, 40))],
  ];

  test.each(poses)(
    '%s: a list is cut at its limit and no sooner, and onContact ends it',
    { tags: ['all'] },
    (_, poseB) => {
      const expected = agree(a, b, identity(), poseB);
      const count = expected.length;
      expect(count).toBeGreaterThan(5);
      const among = new Set(expected.map(String));
      for (const path of bothPaths) {
        const listed = (maxContacts: number) => check(a, b, { ...path, poseB, all: true, maxContacts });
        expect(listed(count).contacts).toEqual({ count, complete: true, pairs: expected });
        for (const limit of [count - 1, 3, 1]) {
          const { verdict, contacts } = listed(limit);
          expect([verdict, contacts.count, contacts.complete]).toEqual(['contact', limit, false]);
          expect(contacts.pairs.filter((pair) => !among.has(String(pair)))).toEqual([]);
          expect(contacts.pairs).toEqual([...contacts.pairs].sort((p, q) => p[0] - q[0] || p[1] - q[1]));
        }
        for (const end of [1, 4, count + 1]) {
          const met: ContactPair[] = [];
          const onContact = (p: number, q: number) => met.push([p, q]) < end;
          const { contacts } = check(a, b, { ...path, poseB, all: true, onContact });
          expect(contacts).toMatchObject({ count: Math.min(end, count), complete: end > count });
          expect(met.sort((p, q) => p[0] - q[0] || p[1] - q[1])).toEqual(contacts.pairs);
        }
      }
    },
  );

  test.each(poses)('%s: a level never proves what is not so, and the deepest proves all', (_, inside) => {
    const direction = randomDirection(random);
    for (const poseB of [0, 0.8, 1.6, 2.4, 3.2].map((s) => shifted(inside, direction, s))) {
      const whole = check(a, b, { poseB, all: true });
      for (const path of bothPaths) {
        for (let level = 0; level <= 8; level++) {
          const { verdict, contacts, level: reached } = check(a, b, { ...path, poseB, level });
          expect(reached).toBeLessThanOrEqual(level);
          if (verdict !== 'undecided') expect(verdict).toBe(whole.verdict);
          else expect(contacts).toEqual({ count: 0, complete: false, pairs: [] });
          if (verdict === 'contact') expect(whole.contacts.pairs).toContainEqual(contacts.pairs[0]);
        }
        expect(check(a, b, { ...path, poseB, level: 40, all: true })).toMatchObject({
          verdict: whole.verdict,
          contacts: whole.contacts,
        });
      }
    }
    expect(check(a, b, { poseB: translation(0, 0, 90), level: 0 })).toMatchObject({ verdict: 'clear', level: 0 });
    expect(check(a, b, { poseB: inside, level: 0 }).verdict).toBe('undecided');
  });

  test('queries leave nothing behind, one asset on both sides or asked for in between', () => {
    const poseB = poses[2][1];
    const fresh = () => setOf(cellsByBits(a), 0.25);
    const first = check(a, b, { poseB, all: true });
    for (const other of [a, b, setOf([[0, 0, 0]], 3)]) {
      check(other, a, { poseA: poseB, all: true });
      expect({ ...check(a, b, { poseB, all: true }), ms: first.ms }).toEqual(first);
    }
    // An octree that has been unfolded half, by others' queries, is the same tree.
    expect({ ...check(fresh(), b, { poseB, all: true }), ms: first.ms }).toEqual(first);
  });
});

describe('how far', () => {
  /** The least distance over all pairs of primitives, bracketed. */
  function leastDistance(a: Asset, poseA: Pose, b: Asset, poseB: Pose): { lower: number; upper: number }[] {
    const out: DistanceBracket = { lower: 0, upper: 0, onA: new Float64Array(3), onB: new Float64Array(3) };
    const [p, q] = [primitivesOf(a, poseA), primitivesOf(b, poseB)].map((all) => all.map((x) => Float64Array.from(x)));
    return p.flatMap((x) =>
      q.map((y) => {
        hullDistance(x, x.length / 3, y, y.length / 3, out);
        return { lower: out.lower, upper: out.upper };
      }),
    );
  }

  const mesh = mapped(tetrahedron(), (x, y, z) => [x, 0.8 * y, 1.2 * z]);
  test.each<[string, (random: Random) => Asset]>([
    ['voxel', (random) => setOf(someCells(random, 25, [3, -9, 4]), 0.1)],
    ['obb', () => builtAs('obb', mesh)],
    ['kdop', () => builtAs('kdop', mesh)],
  ])('voxel x %s: distance, witness points and clearance, seed 30', (_, make) => {
    const random = seeded(30);
    const a: VoxelSet = setOf(someCells(random, 25, [0, 2, -5]), 0.25);
    const b = make(random);
    for (let n = 0; n < 5; n++) {
      const poseA = n === 0 ? identity() : randomRotation(random);
      const start = n < 2 ? identity() : randomRotation(random);
      const poseB = shifted(onto(a, poseA, b, start), randomDirection(random), 3);
      const all = leastDistance(a, poseA, b, poseB);
      const least = all.reduce((low, { lower }) => Math.min(low, lower), 9);
      const most = all.reduce((low, { upper }) => Math.min(low, upper), 9);
      const { verdict, distance, bracket, witness } = check(a, b, { poseA, poseB, distance: true });
      expect(verdict).toBe(most > 0 ? 'clear' : 'contact');
      expect(bracket?.lower).toBeLessThanOrEqual(most);
      expect(bracket?.upper).toBeGreaterThanOrEqual(least);
      expect((bracket?.upper ?? 9) - (bracket?.lower ?? 0)).toBeLessThan(1e-13);
      expect(distance).toBe(bracket?.upper);
      const [p, q] = [witness?.a ?? [], witness?.b ?? []];
      expect(Math.abs(Math.hypot(...p.map((x, k) => x - q[k])) - (distance ?? 9))).toBeLessThan(1e-13);
      const swapped = check(b, a, { poseA: poseB, poseB: poseA, distance: true });
      expect(Math.abs((swapped.distance ?? 9) - (distance ?? 0))).toBeLessThan(1e-13);
      expect(check(a, b, { poseA, poseB, clearance: most + 1e-13 }).verdict).toBe('contact');
      if (least > 1e-13) expect(check(a, b, { poseA, poseB, clearance: least - 1e-13 }).verdict).toBe('clear');
      const clearance = most + 0.03;
      const listed = check(a, b, { poseA, poseB, clearance, all: true, maxContacts: 1e6 });
      expect(listed.contacts.count).toBe(all.filter(({ upper }) => upper <= clearance).length);
      for (let level = 0; level < 9; level++) {
        const answer = check(a, b, { poseA, poseB, distance: true, level });
        expect(answer.bracket?.lower).toBeLessThanOrEqual(most);
        expect(answer.bracket?.upper).toBeGreaterThanOrEqual(least);
      }
    }
  });

  test('neighbours in the grid are a last digit apart', () => {
    const [a, b] = [setOf([[0, 0, 0]], 1), setOf([[1, 0, 0]], 1)];
    const { verdict, bracket } = check(a, b, { distance: true });
    expect(verdict).toBe('clear');
    expect(bracket?.lower).toBeGreaterThan(0.99 * 2 ** -53);
    expect(bracket?.upper).toBeLessThan(1e-14);
    expect(check(a, b, { clearance: 1e-9 }).verdict).toBe('contact');
  });
});
