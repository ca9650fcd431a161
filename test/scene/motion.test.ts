/** Objects that move: every frame is as a scene that begins there, and asks no pair in vain. */
import { describe, expect, test } from 'vitest';
import { check } from '../../src/api.ts';
import { createScene } from '../../src/browser.ts';
import type { Asset } from '../../src/engine/representation.ts';
import { updateInPlace } from '../../src/engine/update.ts';
import { compose, identity, type Pose, rotation, translation } from '../../src/math/pose.ts';
import { buildObbTree } from '../../src/representations/obb/make/index.ts';
import { overlap } from '../../src/scene/broad-phase.ts';
import { Placed } from '../../src/scene/placed.ts';
import { Steps } from '../../src/scene/steps.ts';
import { variants } from '../contract/variants.ts';
import { randomDirection, randomRotation } from '../support/agreement.ts';
import { some } from '../support/long.ts';
import { type Random, seeded } from '../support/random.ts';
import { bumpySphere, torus } from '../support/shapes.ts';

const meshes = [bumpySphere(3, 1), torus(10, 6)];
const kinds: Asset[] = variants.map((variant, n) => variant.build(meshes[n % 2]));
const needle = buildObbTree(
  { ...meshes[0], positions: meshes[0].positions.map((x, k) => (k % 3 === 0 ? 9 * x : x / 9)) },
  { nodeBytes: 64 },
);
const nameOf = (i: number): string => `${'abc'[i % 3]}${i}`;

class Walk {
  readonly poses: Pose[];
  readonly names: string[];
  /** How far each moves in a frame; 0 for those that stay. */
  private readonly speeds: number[];

  constructor(
    readonly assets: readonly Asset[],
    private readonly random: Random,
    private readonly room: number,
  ) {
    this.names = assets.map((_, i) => nameOf(i));
    this.poses = assets.map(() => this.anywhere());
    this.speeds = assets.map(() => random.pick([0, 0.003, 0.03, 0.3]));
  }

  private anywhere(): Pose {
    const { random, room } = this;
    const [x, y, z] = [0, 1, 2].map(() => random.between(-room, room));
    return compose(translation(x, y, z), random.below(4) === 0 ? identity() : randomRotation(random));
  }

  /** Moves some a little and few far, and turns most; returns the poses that a step is given. */
  next(): Record<string, Pose> {
    const { random, poses, speeds, names } = this;
    const given: Record<string, Pose> = {};
    for (let i = 0; i < poses.length; i++) {
      const leaps = random.below(40) === 0;
      if (leaps) poses[i] = this.anywhere();
      else if (speeds[i] > 0 && random.below(4) > 0) {
        const [x, y, z] = randomDirection(random).map((d) => speeds[i] * d);
        poses[i] = compose(translation(x, y, z), poses[i]);
        if (random.below(3) > 0) poses[i] = compose(poses[i], rotation(...randomDirection(random), 90 * speeds[i]));
      } else if (random.below(2) === 0) continue;
      given[names[i]] = poses[i].slice();
    }
    return given;
  }

  /** The poses of all in the order of their names, as a step may be given them, too. */
  all(): Float64Array {
    const order = this.names.map((_, i) => i).sort((i, j) => (this.names[i] < this.names[j] ? -1 : 1));
    return Float64Array.from(order.flatMap((i) => [...this.poses[i]]));
  }

  objects() {
    return this.assets.map((asset, i) => ({ name: this.names[i], asset, pose: this.poses[i].slice() }));
  }
}

const pick = (random: Random, count: number): Asset[] =>
  Array.from({ length: count }, () => (random.below(4) === 0 ? needle : random.pick(kinds)));
const lineOf = ([a, b]: readonly string[]): string => `${a} ${b}`;

describe.each(some(2, [1, 2, 3, 4, 5, 6]))('seed %i', (seed) => {
  test('frames are as scenes that begin there, and say what changed', { tags: ['quick', 'long'] }, () => {
    const random = seeded(seed);
    for (const [count, room, clearance] of [
      [2, 1.5, 0],
      [9, 2.5, 0.2],
      [40, 5, 0],
    ]) {
      const walk = new Walk(pick(random, count), random, room);
      const scene = createScene(walk.objects(), { clearance });
      const [ofAll, mixed] = [0, 1].map(() => createScene(walk.objects(), { clearance }));
      let before = scene.touching();
      const kept: [unknown, unknown][] = [];
      for (let frame = 0; frame < 40; frame++) {
        const given = walk.next();
        const told = scene.step(given);
        const { began, ended } = told;
        const now = createScene(walk.objects(), { clearance }).touching();
        const touching = scene.touching();
        expect(touching).toEqual(now);
        for (const other of [ofAll, mixed]) {
          const isNamed = other === mixed && random.below(2) === 0;
          expect(other.step(isNamed ? given : walk.all())).toEqual({ began, ended });
          expect(other.touching()).toEqual(now);
          expect(other.objects.map(({ pose }) => pose)).toEqual(scene.objects.map(({ pose }) => pose));
        }
        kept.push([told, structuredClone(told)], [touching, structuredClone(touching)]);
        const lines = (list: typeof now) => list.map(({ a, b }) => `${a} ${b}`);
        expect(began.map(lineOf)).toEqual(lines(now).filter((line) => !lines(before).includes(line)));
        expect(ended.map(lineOf)).toEqual(lines(before).filter((line) => !lines(now).includes(line)));
        before = now;
      }
      for (const [given, copy] of kept) expect(given).toEqual(copy);
    }
  });

  test('few frames, by check of every pair', { tags: ['all', 'long'] }, () => {
    const random = seeded(seed + 100);
    const walk = new Walk(pick(random, 8), random, 2);
    const scene = createScene(walk.objects());
    for (let frame = 0; frame < 12; frame++) {
      scene.step(walk.next());
      const sorted = walk.objects().sort((p, q) => (p.name < q.name ? -1 : 1));
      const pairs = sorted.flatMap((a, n) => sorted.slice(n + 1).map((b) => ({ a, b })));
      const found = pairs.flatMap(({ a, b }) => {
        const { verdict } = check(a.asset, b.asset, { poseA: a.pose, poseB: b.pose });
        return verdict === 'clear' ? [] : [{ a: a.name, b: b.name, class: verdict }];
      });
      expect(scene.touching()).toEqual(found);
    }
  });

  test('asked are the pairs of moved objects whose boxes meet', { tags: ['quick', 'long'] }, () => {
    const random = seeded(seed + 200);
    const asks = () => ({ asks: () => [], widest: random.pick([0, 0.1]) });
    // So many that all are entered anew now and then.
    const walk = new Walk(pick(random, 120), random, 9);
    const placed = new Placed(walk.objects(), {}, asks);
    const steps = new Steps(placed);
    const { widest } = placed.asked;
    for (let frame = 0; frame < 60; frame++) {
      const before = placed.objects.map(({ pose }) => pose.slice());
      const given = walk.next();
      const pairs = steps.advance(random.below(2) === 0 ? given : walk.all());
      const moved = placed.objects.map(({ pose }, i) => pose.some((x, k) => x !== before[i][k]));
      const fresh = new Placed(walk.objects(), {}, () => ({ asks: () => [], widest }));
      fresh.expectMoves();
      for (let i = 0; i < 120; i++) fresh.place(i);
      const expected: number[] = [];
      for (let i = 0; i < 120; i++)
        for (let j = i + 1; j < 120; j++)
          if ((moved[i] || moved[j]) && overlap(fresh.boxes, i, fresh.boxes, j)) expected.push(120 * i + j);
      expect(pairs.asked.slice(0, pairs.askedCount).sort((p, q) => p - q)).toEqual(expected);
      if (frame % 7 === 0) expect(placed.boxes).toEqual(fresh.boxes);
    }
  });

  test('geometry that changes in place, of what moves and of what stays', { tags: ['quick', 'long'] }, () => {
    const random = seeded(seed + 300);
    const assets = [0, 1, 2].map((k) => buildObbTree(bumpySphere(seed + k, 1), { nodeBytes: 64 }));
    const walk = new Walk(
      Array.from({ length: 8 }, () => random.pick(assets)),
      random,
      2.5,
    );
    const scene = createScene(walk.objects());
    for (let frame = 0; frame < 30; frame++) {
      if (random.below(3) === 0) {
        const [size, by] = [random.between(0.2, 2), random.between(-1, 1)];
        updateInPlace(
          random.pick(assets),
          meshes[0].positions.map((x) => size * x + by),
        );
      }
      scene.step(walk.next());
      expect(scene.touching()).toEqual(createScene(walk.objects()).touching());
    }
  });
});

test('objects that take the poses of each other, as the scene holds them, swap places', () => {
  const objects = [0, 5, 0.1].map((x, i) => ({ name: nameOf(i), asset: needle, pose: translation(0, x, 0) }));
  const scene = createScene(objects);
  const [a, b] = scene.objects.map(({ pose }) => pose);
  expect(scene.step({ a0: b, b1: a })).toEqual({ began: [['b1', 'c2']], ended: [['a0', 'c2']] });
  expect(scene.objects.map(({ pose }) => pose[7])).toEqual([5, 0, 0.1]);
});

test('an object that stays is not asked about, whoever else moves', () => {
  let asked = 0;
  const objects = [0, 0.1, 5].map((x, i) => ({ name: nameOf(i), asset: needle, pose: translation(0, x, 0) }));
  const once = [{ rule: null, clearance: 0, tolerance: 0 }];
  const placed = new Placed(objects, {}, () => ({
    widest: 0,
    asks() {
      asked++;
      return once;
    },
  }));
  const steps = new Steps(placed);
  asked = 0;
  steps.step({ c2: translation(0, 6, 0) });
  steps.step({ a0: translation(0, 0, 0) });
  expect(asked).toBe(0);
  steps.step({ a0: translation(0.01, 0, 0) });
  expect(asked).toBe(1);
});
