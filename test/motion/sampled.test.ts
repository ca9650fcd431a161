/** Random motions of every ordered pair of kinds against `check` at many times; those without rotation against rational numbers, too. */
// @module-tag all
// @module-tag long
import { expect, test } from 'vitest';
import '../../src/representations/everything.ts';
import type { Asset } from '../../src/engine/representation.ts';
import type { Mesh } from '../../src/mesh/mesh.ts';
import { impactOf } from '../../src/motion/moving-pair.ts';
import { compileFrep } from '../../src/representations/frep/make/compile.ts';
import { randomDirection, surfaceOf } from '../support/agreement.ts';
import { BUILDERS } from '../support/builders.ts';
import { long } from '../support/long.ts';
import { modelOf } from '../support/motion-cases.ts';
import { expectImpact, expectLeastDistance, moving, randomMotion, still } from '../support/motions.ts';
import { type Random, seeded } from '../support/random.ts';
import {
  box,
  bumpySphere,
  collinearTriangles,
  octasphere,
  randomTriangles,
  tetrahedron,
  torus,
} from '../support/shapes.ts';
import { timesInContact } from '../support/translating.ts';

const closed = [bumpySphere(26, 1), torus(8, 5), tetrahedron(), box(1.5, 0.7, 0.2)];
const build = (kind: string, options: object) => (mesh: Mesh) => BUILDERS[kind].build(mesh, options);
const functions = [
  { sphere: { radius: 0.8 } },
  { torus: { major: 0.9, minor: 0.3 } },
  { difference: [{ box: { size: [1.6, 1.2, 0.8] } }, { sphere: { radius: 0.5, center: [0.3, 0, 0.4] } }] },
].map((object) => compileFrep(modelOf({ object })));

/** Assets of every kind; one of each answers for all where time is short. */
const ASSETS: Record<string, Asset[]> = {
  gi: closed.map(build('gi', { size: 17 })),
  kdop: closed.map(build('kdop', { k: 18, bits: 16 })),
  obb: closed.map(build('obb', { nodeBytes: 64 })),
  'obb 40': closed.map(build('obb', { nodeBytes: 40 })),
  voxel: closed.map(build('voxel', { precision: 0.125 })),
  frep: functions,
};
const pairs = Object.keys(ASSETS).flatMap((a) => Object.keys(ASSETS).map((b): [string, string] => [a, b]));

/** So many motions, fewer of functions: those take long, two of them longest. */
function countOf(kindA: string, kindB: string, few: number, many: number): number {
  const functions = Number(kindA === 'frep') + Number(kindB === 'frep');
  return Math.ceil((long ? many / 2 : few) / [1, long ? 10 : 2, long ? 40 : 6][functions]);
}

test.each(pairs)('%s and %s, seed 26', (kindA, kindB) => {
  const random = seeded(26);
  let wide = 0;
  const count = countOf(kindA, kindB, 6, 60);
  for (let n = 0; n < count; n++) {
    const [a, b] = [random.pick(ASSETS[kindA]), random.pick(ASSETS[kindB])];
    const moveA = random.below(2) === 0 ? still() : randomMotion(random, 2);
    const moveB = randomMotion(random);
    const options = {
      timeResolution: random.pick([2 ** -20, 2 ** -12, 0.01]),
      ...(random.below(4) === 0 && { clearance: random.pick([0.01, 0.3]) }),
    };
    const impact = impactOf(a, b, moveA, moveB, options);
    if (!expectImpact(impact, a, b, moveA, moveB, { ...options, count: 24 })) wide++;
  }
  // What grazes is rare. Functions have cells that cannot be decided.
  if (kindA !== 'frep' && kindB !== 'frep') expect(wide).toBeLessThanOrEqual(1 + count / 20);
});

const small: Mesh[] = [tetrahedron(), box(1.5, 0.7, 0.2), octasphere(0), randomTriangles(3, 5), collinearTriangles()];
const smallTrees = ['obb', 'kdop'].flatMap((kind) => small.map((mesh) => BUILDERS[kind].build(mesh, {})));

test.each(pairs.filter(([a, b]) => long || a === b))('least distances of %s and %s, seed 27', (kindA, kindB) => {
  const random = seeded(27);
  for (let n = 0; n < countOf(kindA, kindB, 4, 16); n++) {
    const [a, b] = [random.pick(ASSETS[kindA]), random.pick(ASSETS[kindB])];
    const [moveA, moveB] = [randomMotion(random, 3), randomMotion(random, 4)];
    expectLeastDistance(impactOf(a, b, moveA, moveB, { distance: true }), a, b, moveA, moveB);
  }
});

/** Whole multiples of a 16th: all is exact, and corners, edges and faces meet. */
const lattice = (random: Random, reach: number): [number, number, number] =>
  [0, 0, 0].map(() => Math.round(16 * random.between(-reach, reach)) / 16) as [number, number, number];

test.each(Array.from({ length: long ? 10 : 2 }, (_, i) => 2600 + i))(
  'straight motions against rational numbers, seed %i',
  (seed) => {
    const random = seeded(seed);
    for (let n = 0; n < 12; n++) {
      const [a, b] = [random.pick(smallTrees), random.pick(smallTrees)];
      const isOnLattice = random.below(2) === 0;
      const start = isOnLattice
        ? lattice(random, 3)
        : (randomDirection(random).map((x) => 3 * x) as [number, number, number]);
      const velocity = start.map((x, k) => -1.5 * x + (isOnLattice ? lattice(random, 1)[k] : random.between(-1, 1)));
      const formula = { at: start, velocity: velocity as [number, number, number] };
      const straight = { at: start, velocity };
      const truth = timesInContact(surfaceOf(a), { at: [0, 0, 0], velocity: [0, 0, 0] }, surfaceOf(b), straight);
      const impact = impactOf(a, b, still(), moving(formula), { allIntervals: true });
      expectTimes(truth, impact, { seed, n });
    }
  },
);

type Answer = ReturnType<typeof impactOf>;

function expectTimes(truth: [number, number][], { verdict, first, intervals }: Answer, where: object): void {
  const within = 1e-12;
  const told = { truth, verdict, first, intervals, ...where };
  if (truth.length === 0) {
    if (verdict === 'contact') expect(told).toBe('clear');
    return;
  }
  if (verdict === 'clear' || first === null) {
    expect(told).toBe('touching');
    return;
  }
  if (first.from > truth[0][0] + within) expect(told).toBe('from before');
  if (verdict === 'contact' && first.to < truth[0][0] - within) expect(told).toBe('to behind');
  // Contact that lasts is found.
  if (truth[0][1] - truth[0][0] > 1e-3 && verdict !== 'contact') expect(told).toBe('contact');
  if (intervals === null) expect(told).toBe('intervals');
  // All true contact lies in pieces of contact, or undecided ones; what is told as contact lies in true contact.
  const covered = (time: number): boolean =>
    (intervals ?? []).some(({ from, to }) => from - within <= time && time <= to + within);
  for (const [from, to] of truth)
    for (let k = 0; k <= 20; k++)
      if (!covered(from + ((to - from) * k) / 20)) expect({ time: from, ...told }).toBe('covered');
  for (const piece of intervals ?? [])
    if (
      piece.verdict === 'contact' &&
      !truth.some(([from, to]) => from - within <= piece.from && piece.to <= to + within)
    )
      expect({ piece, ...told }).toBe('contact');
}
