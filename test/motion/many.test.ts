/**
 * Many random motions of few triangles, of the library's own motions, against `check` at many times: thin sheets, needles, points,
 * triangles without area; tiny, huge, and far from the origin; slow, fast, still; on a lattice, where corners and edges meet. 10^5 of
 * them in the long run.
 */
import { expect, test } from 'vitest';
import '../../src/representations/everything.ts';
import type { Asset } from '../../src/engine/representation.ts';
import { compose, type Pose, translation } from '../../src/math/pose.ts';
import type { Mesh } from '../../src/mesh/mesh.ts';
import type { RigidMotion } from '../../src/motion/motion.ts';
import { type Between, keyed, screw, still, straight } from '../../src/motion/motions.ts';
import { impactOf } from '../../src/motion/moving-pair.ts';
import { buildKdopTree } from '../../src/representations/kdop/make.ts';
import { buildObbTree } from '../../src/representations/obb/make/index.ts';
import { randomDirection, randomRotation } from '../support/agreement.ts';
import { long } from '../support/long.ts';
import { expectImpact, moving } from '../support/motions.ts';
import { type Random, seeded } from '../support/random.ts';
import {
  box,
  bumpySphere,
  collinearTriangles,
  grid,
  mapped,
  octasphere,
  randomTriangles,
  tetrahedron,
  torus,
} from '../support/shapes.ts';

type Point = [number, number, number];

const triangle = (...corners: number[]): Mesh => ({
  positions: Float64Array.from(corners),
  triangles: Uint32Array.of(0, 1, 2),
  groups: [],
});

const SHAPES: Mesh[] = [
  box(1.5, 0.7, 0.2),
  tetrahedron(),
  octasphere(0),
  bumpySphere(26, 1),
  torus(8, 5),
  randomTriangles(3, 5),
  collinearTriangles(),
  mapped(grid(2), (u, v) => [2 * u - 1, 2 * v - 1, 0]),
  box(1e-3, 1e-3, 2),
  triangle(0, 0, 0, 0, 0, 0, 0, 0, 0),
  triangle(-1, 0, 0, 1, 0, 0, 1, 0, 0),
  triangle(-1, 0, 0, 1, 0, 0, 0, 1e-9, 0),
  triangle(-1, -1, 0, 1, -1, 0, 0, 1, 1e-12),
];

interface World {
  trees: Asset[];
  /** Of lengths. */
  scale: number;
  /** Where the shapes are, in their own frames. */
  centre: Point;
}

function worldOf(scale: number, centre: Point): World {
  const trees = SHAPES.map((shape, i) => {
    const mesh = mapped(shape, (x, y, z) => [centre[0] + scale * x, centre[1] + scale * y, centre[2] + scale * z]);
    return i % 2 === 0 ? buildObbTree(mesh, { nodeBytes: 64 }) : buildKdopTree(mesh);
  });
  return { trees, scale, centre };
}

const ordinary = worldOf(1, [0, 0, 0]);
const WORLDS = [
  ordinary,
  ordinary,
  ordinary,
  worldOf(1e-7, [0, 0, 0]),
  worldOf(1e8, [0, 0, 0]),
  worldOf(1, [1e5, -3e4, 7e3]),
];

const placed = (at: readonly number[], turn: Pose, { centre: [x, y, z] }: World): Pose =>
  compose(translation(...(at as Point)), compose(turn, translation(-x, -y, -z)));
const away = (random: Random, length: number): Point => randomDirection(random).map((x) => length * x) as Point;
const lattice = (random: Random, reach: number, scale: number): Point =>
  [0, 0, 0].map(() => (scale * Math.round(8 * random.between(-reach, reach))) / 8) as Point;

/** By name, so that the one that fails is told. */
const MOTIONS: Record<string, (random: Random, world: World) => RigidMotion> = {
  still: (random, world) => still(placed(away(random, 3 * world.scale), randomRotation(random), world)),
  straight: (random, world) => straight(...ends(random, world), { about: world.centre }),
  screw: (random, world) => screw(...ends(random, world)),
  turns: (random, world) => straight(...ends(random, world), { turns: 1 + random.below(3), about: world.centre }),
  keyed(random, world) {
    const [first, second] = ends(random, world);
    const [third] = ends(random, world);
    const poses = [first, second, third].map((pose, i) => ({ time: [0, 0.4, 1][i], pose }));
    return keyed(poses, { between: random.pick<Between>(['straight', 'screw', 'cubic']) });
  },
  bezier(random, world) {
    const [first, last] = ends(random, world);
    const control = [away(random, 3 * world.scale), away(random, 3 * world.scale)];
    const keys = [
      { time: 0, pose: first, control },
      { time: 1, pose: last },
    ];
    return keyed(keys, { between: 'bezier', about: world.centre });
  },
  tiny(random, world) {
    const [pose] = ends(random, world);
    const by = translation(...away(random, world.scale * random.pick([1e-9, 1e-4])));
    return straight(pose, compose(by, pose));
  },
  fast(random, world) {
    const way = away(random, world.scale * 10 ** random.between(1, 7));
    const aside = away(random, 0.5 * world.scale);
    const turn = randomRotation(random);
    const at = (sign: number) =>
      placed(
        way.map((x, k) => sign * x + aside[k]),
        turn,
        world,
      );
    return straight(at(1), at(-1), { about: world.centre });
  },
  lattice(random, { scale, centre }) {
    const [from, to] = [lattice(random, 3, scale), lattice(random, 1, scale)];
    const at = from.map((x, k) => x - centre[k]) as Point;
    return moving({ at, velocity: to.map((x, k) => x - from[k]) as Point, hasSpeedAlone: random.below(4) === 0 });
  },
};

/** From some way off to nearby, or past. */
function ends(random: Random, world: World): [Pose, Pose] {
  const [from, to] = [3, random.pick([0, 1, 3])].map((length) =>
    placed(away(random, length * world.scale), randomRotation(random), world),
  );
  return [from, to];
}

test.each(Array.from({ length: long ? 4 : 1 }, (_, i) => 26_000 + i))(
  'many motions, seed %i',
  { tags: ['all', 'long'] },
  (seed) => {
    const random = seeded(seed);
    const verdicts = { clear: 0, contact: 0, undecided: 0 };
    const count = long ? 600 : 300;
    let wide = 0;
    for (let n = 0; n < count; n++) {
      const world = random.pick(WORLDS);
      const [a, b] = [random.pick(world.trees), random.pick(world.trees)];
      const name = random.pick(Object.keys(MOTIONS));
      const moveA = random.below(2) === 0 ? MOTIONS.straight(random, world) : stand(world);
      const moveB = MOTIONS[name](random, world);
      const options = {
        timeResolution: random.pick([2 ** -24, 2 ** -20, 2 ** -10]),
        ...(random.below(8) === 0 && { clearance: world.scale * random.pick([1e-6, 0.1]) }),
      };
      const impact = impactOf(a, b, moveA, moveB, options);
      if (!expectImpact(impact, a, b, moveA, moveB, { ...options, count: 12 })) wide++;
      verdicts[impact.verdict]++;
    }
    // Neither trivial nor given up. Points and segments touch at an instant, which may be missed.
    expect(verdicts.clear).toBeGreaterThan(count / 4);
    expect(verdicts.contact).toBeGreaterThan(count / 4);
    expect(verdicts.undecided).toBeLessThan(count / 6);
    expect(wide).toBeLessThan(count / 8);
  },
);

/** At its place, from 0 to 1. */
const stand = (world: World): RigidMotion => {
  const pose = placed([0, 0, 0], translation(0, 0, 0), world);
  return straight(pose, pose);
};

test.each([1e-155, 1e-163, 1e-170, 1e-250])(
  'nothing is missed where squares of lengths underflow: %f, seed 163',
  { tags: ['all', 'long'] },
  (scale) => {
    const random = seeded(163);
    const world = worldOf(scale, [0, 0, 0]);
    for (let n = 0; n < (long ? 300 : 150); n++) {
      const [a, b] = [random.pick(world.trees), random.pick(world.trees)];
      const moveB = MOTIONS[random.pick(Object.keys(MOTIONS))](random, world);
      expectImpact(impactOf(a, b, stand(world), moveB), a, b, stand(world), moveB, { count: 50 });
    }
  },
);

test.each(Array.from({ length: long ? 7 : 2 }, (_, i) => 2700 + i))(
  'straight motions and screws are where the formula has them, seed %i',
  { tags: ['quick', 'long'] },
  (seed) => {
    const random = seeded(seed);
    for (let n = 0; n < 50; n++) {
      const axis = randomDirection(random);
      const isScrew = random.below(2) === 0;
      const about = away(random, 2);
      const pitch = random.pick([0, 1, -3]);
      const formula = moving({
        at: away(random, 5),
        velocity: isScrew ? (axis.map((x) => pitch * x) as Point) : away(random, 4),
        axis,
        turn: random.between(-3, 3),
        about,
        facing: randomRotation(random),
      });
      const between = isScrew
        ? screw(formula.poseAt(0), formula.poseAt(1))
        : straight(formula.poseAt(0), formula.poseAt(1), { about });
      for (let k = 0; k <= 10; k++) {
        const [own, theirs] = [formula.poseAt(k / 10), between.poseAt(k / 10)];
        for (let i = 0; i < 12; i++)
          if (Math.abs(own[i] - theirs[i]) > 1e-9) expect({ n, k, own, theirs }).toBe('there');
      }
    }
  },
);
