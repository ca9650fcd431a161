/** What the drawing computes before anything is drawn: what a ray meets, what a plane cuts, what a hand makes of a pose. */
import { describe, expect, test } from 'vitest';
import { Random } from '../../src/math/numbers.ts';
import { isRigid, type Pose, rotation } from '../../src/math/pose.ts';
import { sharpEdges } from '../../src/mesh/sharp-edges.ts';
import { coarsened } from '../../src/viewer/page/stage/coarse.ts';
import { type Clock, createPace } from '../../src/viewer/page/stage/frame-budget.ts';
import { blocksOf, chosen, pick, type Ray } from '../../src/viewer/page/stage/pick.ts';
import { cut, isLeft, sectionAlong } from '../../src/viewer/page/stage/section.ts';
import { moved, shifted, spaceOf, turned } from '../../src/viewer/page/stage/space.ts';
import type { Shape } from '../../src/viewer/protocol.ts';
import { box, octasphere } from '../support/shapes.ts';

function shapeOf({ positions, triangles }: { positions: ArrayLike<number>; triangles: Uint32Array }): Shape {
  return { origin: [0, 0, 0], positions: Float32Array.from(positions), triangles };
}

const unitBox = { low: [-1, -1, -1], high: [1, 1, 1] };
const ball = shapeOf(octasphere(4));

/** A rotation about anything, and a shift. */
function randomPose(random: Random, far: number): Pose {
  const entry = (): number => 2 * random.unit() - 1;
  const pose = rotation(entry(), entry(), entry() + 2, 360 * random.unit());
  for (let row = 0; row < 3; row++) pose[4 * row + 3] = far * entry();
  return pose;
}

describe('a ray', () => {
  test.each([1, 2, 3])('meets the ball that is nearest, where a sphere says, seed %i', (seed) => {
    const random = new Random(seed);
    const grid = blocksOf(ball);
    const targets = Array.from({ length: 50 }, (_, object) => ({
      object,
      pose: randomPose(random, 20),
      box: unitBox,
      grid,
      rank: 0,
      from: 0,
    }));
    let met = 0;
    for (let i = 0; i < 100; i++) {
      const from = [-40, 40 * random.unit() - 20, 40 * random.unit() - 20] as const;
      const ray: Ray = { from, way: [1, 0, 0] };
      const hit = pick(ray, targets, () => true);
      // Along x, the sphere about c is met where x = c_x - sqrt(1 - the square of what lies across).
      const expected = targets.flatMap(({ object, pose }) => {
        const across = (pose[7] - from[1]) ** 2 + (pose[11] - from[2]) ** 2;
        return across < 1 ? [{ object, far: pose[3] - Math.sqrt(1 - across) + 40, across }] : [];
      });
      const nearest = expected.sort((one, other) => one.far - other.far)[0];
      // At its rim the ball of triangles is smaller than the sphere.
      if (!nearest || nearest.across > 0.9) continue;
      met++;
      expect(hit?.object).toBe(nearest.object);
      expect(hit?.far).toBeCloseTo(nearest.far, 1);
      const there = moved(targets[nearest.object].pose, hit!.place);
      expect(there[0]).toBeCloseTo(-40 + hit!.far, 9);
    }
    expect(met).toBeGreaterThan(5);
  });

  test('meets a ghost only where nothing else is, and none that is cut away', () => {
    const grid = blocksOf(ball);
    const target = (object: number, x: number, rank: number, from = 0) => ({
      ...{ object, box: unitBox, grid, rank, from },
      pose: Float64Array.of(1, 0, 0, x, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1),
    });
    const ray: Ray = { from: [-20, 0.01, 0.02], way: [1, 0, 0] };
    const met = (...targets: ReturnType<typeof target>[]) => pick(ray, targets, () => true)?.object;
    expect(met(target(0, 0, 2), target(1, 5, 1), target(2, 10, 0))).toBe(2);
    expect(met(target(0, 0, 2), target(1, 5, 1))).toBe(1);
    expect(met(target(0, 0, 2), target(1, 5, 2))).toBe(0);
    expect(met(target(0, 0, 2, 22), target(1, 5, 2, 22))).toBe(1);
  });

  test('goes through what a section has cut away', () => {
    const pose = rotation(0, 0, 1, 0);
    const targets = [{ object: 0, pose, box: unitBox, grid: blocksOf(ball), rank: 0, from: 0 }];
    const ray: Ray = { from: [-5, 0.01, 0.02], way: [1, 0, 0] };
    const section = { axis: 'x', at: 0, isFlipped: true } as const;
    const hit = pick(ray, targets, (far) => isLeft(section, [far - 5, 0, 0]));
    expect(hit?.far).toBeCloseTo(6, 2);
  });
});

describe('a section', () => {
  test('of a ball is a circle, in an object that stands anywhere', () => {
    const pose = rotation(1, 2, 3, 50);
    pose.set([1e6], 3);
    const space = spaceOf([[unitBox, pose]]);
    const segments: number[] = [];
    cut(ball, pose, { axis: 'x', at: 1e6 + 0.6, isFlipped: false }, space, segments);
    expect(segments.length).toBeGreaterThan(6 * 40);
    for (let i = 0; i < segments.length; i += 3) {
      const [x, y, z] = [0, 1, 2].map((k) => segments[i + k] / space.scale + space.origin[k]);
      expect(x - 1e6).toBeCloseTo(0.6, 9);
      expect(Math.hypot(y, z)).toBeCloseTo(0.8, 1);
    }
  });
});

describe('a hand', () => {
  test.each([4, 5])('makes rigid poses however often it turns and shifts, seed %i', (seed) => {
    const random = new Random(seed);
    let pose = Array.from(randomPose(random, 10));
    for (let i = 0; i < 2000; i++) {
      const angle = random.unit() - 0.5;
      const turn = [0, 0, 0, Math.cos(angle)];
      turn[i % 3] = Math.sin(angle);
      const about = [random.unit(), random.unit(), random.unit()] as [number, number, number];
      const before = pose;
      pose = turned(pose, turn, about);
      if (i === 0) {
        // The same as turning every point about the place.
        const spin = rotation(
          ...([0, 1, 2].map((k) => Number(k === 0)) as [number, number, number]),
          (360 * angle) / Math.PI,
        );
        const place = moved(before, [1, 2, 3]);
        const expected = moved(
          spin,
          place.map((x, k) => x - about[k]),
        ).map((x, k) => x + about[k]);
        moved(pose, [1, 2, 3]).forEach((x, k) => {
          expect(x).toBeCloseTo(expected[k], 9);
        });
      }
    }
    expect(isRigid(Float64Array.from(pose))).toBe(true);
    for (let k = 0; k < 3; k++) expect(Math.hypot(pose[k], pose[4 + k], pose[8 + k])).toBeCloseTo(1, 14);
  });

  test('shifts without a change to what turns', () => {
    const pose = rotation(1, 2, 3, 40);
    const after = shifted(pose, [1, 2, 3]);
    expect(after.filter((_, i) => i % 4 !== 3)).toEqual(Array.from(pose).filter((_, i) => i % 4 !== 3));
    expect([after[3], after[7], after[11]]).toEqual([1, 2, 3]);
  });
});

test('a click chooses b, with Alt a; the second ever makes a pair', () => {
  expect(chosen({ a: null, b: null }, 'x', { isAlt: false })).toEqual({ a: null, b: 'x' });
  expect(chosen({ a: null, b: 'x' }, 'y', { isAlt: false })).toEqual({ a: 'x', b: 'y' });
  expect(chosen({ a: 'x', b: 'y' }, 'z', { isAlt: false })).toEqual({ a: 'x', b: 'z' });
  expect(chosen({ a: 'x', b: 'y' }, 'z', { isAlt: true })).toEqual({ a: 'z', b: 'y' });
  expect(chosen({ a: 'x', b: 'y' }, 'y', { isAlt: true })).toEqual({ a: 'y', b: 'x' });
  expect(chosen({ a: 'x', b: 'y' }, 'x', { isAlt: false })).toEqual({ a: 'x', b: 'y' });
});

test('a box has twelve edges, a ball none', () => {
  expect(sharpEdges(box()).length).toBe(2 * 12);
  expect(sharpEdges(octasphere(4)).length).toBe(0);
});

test('a coarse ball has fewer triangles and stays in its box', () => {
  const few = coarsened(ball);
  expect(few.triangles.length).toBeLessThan(ball.triangles.length / 2);
  expect(few.triangles.length).toBeGreaterThan(3 * 50);
  for (const x of few.positions) expect(Math.abs(x)).toBeLessThanOrEqual(1);
  for (const v of few.triangles) expect(v).toBeLessThan(few.positions.length / 3);
});

/** A clock that stands still until it is told, and a card that takes what a test says. */
function createTime() {
  let now = 0;
  let waiting: { at: number; run: () => void }[] = [];
  const clock: Clock = {
    now: () => now,
    after(ms, run) {
      const call = { at: now + ms, run };
      waiting.push(call);
      return () => {
        waiting = waiting.filter((other) => other !== call);
      };
    },
  };
  return {
    clock,
    pass(ms: number) {
      now += ms;
      const due = waiting.filter(({ at }) => at <= now);
      waiting = waiting.filter(({ at }) => at > now);
      for (const { run } of due) run();
    },
  };
}

describe('the pace of frames', () => {
  /** Frames of a card that takes `costOf` milliseconds; each allowed one as it was drawn. */
  function createCard(costOf: (sharpness: number, isSmooth: boolean, drawn: number) => number, triangles = 100) {
    const { clock, pass } = createTime();
    let isAsked = false;
    const pace = createPace(() => {
      isAsked = true;
    }, clock);
    const frame = () => {
      isAsked = false;
      const allowed = pace.allow();
      const drawn = Math.min(triangles, allowed.most);
      pace.drew(allowed, { triangles: drawn, isAll: drawn === triangles });
      const ms = costOf(allowed.sharpness, allowed.isSmooth, drawn);
      pass(ms);
      pace.took(ms);
      return allowed;
    };
    const move = () => {
      pace.moved();
      return frame();
    };
    return { pace, pass, frame, move, isAsked: () => isAsked };
  }

  test('the first frame after a move is full, and nothing waits for it', () => {
    const { pace, pass, frame, move, isAsked } = createCard((sharpness, isSmooth) =>
      isSmooth ? 90 : 40 * sharpness * sharpness,
    );
    for (let i = 0; i < 20; i++) move();
    expect(move()).toMatchObject({ isSmooth: false });
    expect(pace.isRough()).toBe(true);
    pass(0);
    expect(isAsked()).toBe(true);
    expect(frame()).toMatchObject({ isSmooth: true, sharpness: 1 });
    expect(pace.isRough()).toBe(false);
    // An answer that arrives is drawn in full, too.
    expect(frame()).toMatchObject({ isSmooth: true, sharpness: 1 });
  });

  test('a move loses only as many pixels as its frames ask', () => {
    const after = (ms: number): number => {
      const { move } = createCard((sharpness, isSmooth) => (isSmooth ? 4 * ms : ms * sharpness * sharpness));
      let last = move();
      for (let i = 0; i < 40; i++) last = move();
      return last.sharpness;
    };
    expect([10, 33, 40, 60, 100, 1000].map(after)).toEqual([1, 1, 0.875, 0.75, 0.5, 0.5]);
  });

  test('where a full frame is slow, an answer amid a move does not ask for one', () => {
    const { pass, frame, move, isAsked } = createCard((sharpness, isSmooth) => (isSmooth ? 400 : 60 * sharpness));
    for (let i = 0; i < 20; i++) move();
    expect(frame()).toMatchObject({ isSmooth: false });
    pass(20);
    expect(isAsked()).toBe(false);
    pass(50);
    expect(isAsked()).toBe(true);
    expect(frame()).toMatchObject({ isSmooth: true, sharpness: 1 });
  });

  test('a heavy scene rests in two steps', () => {
    // 300 triangles a millisecond.
    const { pace, pass, frame, move, isAsked } = createCard((_, __, drawn) => drawn / 300, 1_000_000);
    for (let i = 0; i < 20; i++) move();
    pass(200);
    expect(isAsked()).toBe(true);
    expect(frame().most).toBeLessThan(1_000_000);
    expect([pace.isRough(), isAsked()]).toEqual([true, false]);
    pass(500);
    expect(isAsked()).toBe(true);
    expect(frame().most).toBeGreaterThan(1_000_000);
    expect(pace.isRough()).toBe(false);
  });
});

test('a section begins in the middle of the scene, or of the two that are shown', () => {
  const box = { low: [0, 0, 0], high: [36, 12, 9] } as Parameters<typeof sectionAlong>[1];
  const camera = { eye: [1, 2, 3], target: [12, 8.9, 1.7] } as const;
  const whole = { section: null, camera, isIsolated: false };
  expect(sectionAlong('x', box, whole)).toEqual({ axis: 'x', at: 18, isFlipped: false });
  const framed = { ...whole, isIsolated: true };
  expect(sectionAlong('x', box, framed).at).toBe(12);
  expect(sectionAlong('z', box, { ...framed, section: { axis: 'x', at: 5, isFlipped: true } })).toEqual({
    ...{ axis: 'z', at: 1.7, isFlipped: true },
  });
  expect(sectionAlong('x', box, { ...framed, section: { axis: 'x', at: 5, isFlipped: true } }).at).toBe(5);
});
