/** Where the camera goes for a finding: both objects and their contact are visible, by rays. */
import { Vector3 } from 'three';
import { describe, expect, test } from 'vitest';
import { type Pose, rotation, translation } from '../../src/math/pose.ts';
import {
  axesOf,
  type Box,
  fitCamera,
  frameFinding,
  laid,
  stood,
  tangentOf,
  UPS,
  type Up,
} from '../../src/viewer/camera.ts';
import { frameVisible, type Place, type Seen } from '../../src/viewer/framing.ts';
import { createFlight, type View } from '../../src/viewer/page/stage/flight.ts';
import { some } from '../support/long.ts';
import { type Random, seeded } from '../support/random.ts';
import { box, mapped, octasphere } from '../support/shapes.ts';

type Vector = readonly number[];

/** A box about its own middle, and where it stands. */
interface Block extends Seen {
  half: Vector;
}

const blockOf = ([w, h, d]: Vector, pose: Pose): Block => ({
  surface: mapped(box(1), (x, y, z) => [x * w, y * h, z * d]),
  pose,
  half: [w / 2, h / 2, d / 2],
});

const blockAt = (size: Vector, [x, y, z]: Vector): Block => blockOf(size, translation(x, y, z));

/** How far a ray goes until it meets a block from outside; by its slabs. */
function far({ half, pose }: Block, from: Vector, way: Vector): number {
  const turned = (v: Vector, k: number): number => pose[k] * v[0] + pose[4 + k] * v[1] + pose[8 + k] * v[2];
  const there = [from[0] - pose[3], from[1] - pose[7], from[2] - pose[11]];
  let [first, last] = [0, Infinity];
  for (let k = 0; k < 3; k++) {
    const ends = [-half[k], half[k]].map((end) => (end - turned(there, k)) / turned(way, k));
    first = Math.max(first, Math.min(...ends));
    last = Math.min(last, Math.max(...ends));
  }
  return first <= last ? first : Infinity;
}

const RAYS = 120;

/** Counts rays that meet a first, or b, and neighbors that meet different ones at one depth. */
function seenOf(
  [a, b]: readonly [Block, Block],
  frame: Box,
  direction: Vector,
): { a: number; b: number; both: number } {
  const { eye, target } = fitCamera(frame, 1, { direction });
  const { right, up, toward } = axesOf(direction);
  const depth = Math.hypot(...eye.map((x, k) => x - target[k]));
  const step = (2 * tangentOf(1)) / RAYS;
  const seen = { a: 0, b: 0, both: 0 };
  let above: { a: number; b: number }[] = [];
  for (let row = 0; row < RAYS; row++) {
    const line: typeof above = [];
    for (let column = 0; column < RAYS; column++) {
      const [u, v] = [(column + 0.5 - RAYS / 2) * step, (row + 0.5 - RAYS / 2) * step];
      const way = right.map((x, k) => u * x + v * up[k] - toward[k]);
      const met = { a: far(a, eye, way), b: far(b, eye, way) };
      line.push(met);
      if (met.a < met.b) seen.a++;
      if (met.b < met.a) seen.b++;
      for (const other of [line[column - 1], above[column]]) {
        if (!other || other.a < other.b === met.a < met.b) continue;
        const isNear = (p: typeof met): boolean => Math.abs(p.a - p.b) < 4 * step * depth;
        if (isNear(other) || isNear(met)) seen.both++;
      }
    }
    above = line;
  }
  return seen;
}

const between = (low: Vector, high: Vector): Place => ({
  box: { low, high },
  point: null,
});

/** The box that two blocks have in common, each by its own box. */
function commonBox(blocks: readonly Block[]): Box {
  const ends = blocks.map(({ half, pose }) => {
    const reach = [0, 1, 2].map((k) => half.reduce((sum, h, i) => sum + Math.abs(pose[4 * k + i]) * h, 0));
    return { low: reach.map((r, k) => pose[4 * k + 3] - r), high: reach.map((r, k) => pose[4 * k + 3] + r) };
  });
  const [p, q] = ends;
  return { low: p.low.map((x, k) => Math.max(x, q.low[k])), high: p.high.map((x, k) => Math.min(x, q.high[k])) };
}

const boxesOf = (blocks: readonly Block[]): Box[] => blocks.map((block) => commonBox([block, block]));

/** A wall along x, 6 long and 0.2 thick, its middle at y = 0. */
const wall = blockAt([6, 0.2, 3], [0, 0, 1.5]);
const panel = [0.5, 0.1, 0.7];

describe('a panel', () => {
  test.each([
    ['behind a wall', [0, 0.14, 1.5]],
    ['before a wall', [0, -0.14, 1.5]],
    ['nearly sunk in its far side', [0, 0.06, 1.5]],
  ])('%s is seen with its wall and the contact', (_, place) => {
    const both = [blockAt(panel, place), wall] as const;
    const { box: frame, direction, through } = frameVisible(both, { box: commonBox(both), point: null });
    expect(through).toBeNull();
    const seen = seenOf(both, frame, direction);
    expect(Math.min(seen.a, seen.b)).toBeGreaterThan(200);
    expect(seen.both).toBeGreaterThan(10);
  });

  test('wholly in a wall is seen through it', () => {
    const both = [blockAt(panel, [0, 0, 1.5]), wall] as const;
    const { through } = frameVisible(both, { box: commonBox(both), point: [0, 0, 1.5] });
    expect(through).toBe(1);
    expect(frameVisible([wall, both[0]], { box: commonBox(both), point: [0, 0, 1.5] }).through).toBe(0);
  });

  test('deep in a block, which it does not touch, is seen through it', () => {
    const both = [blockAt([0.5, 0.5, 0.5], [0, 0, 0]), blockAt([2, 2, 2], [0.1, 0, 0])] as const;
    const place = { box: commonBox(both), point: [0, 0, 0] };
    expect(frameVisible(both, place).through).toBe(1);
    expect(frameVisible(both, { ...place, point: null }).through).toBe(1);
  });

  test('under a ceiling is seen from below', () => {
    const both = [blockAt([0.6, 0.6, 0.06], [0, 0, 2.98]), blockAt([12, 8, 0.2], [0, 0, 3.1])] as const;
    const { box: frame, direction, through } = frameVisible(both, { box: commonBox(both), point: null });
    expect(through).toBeNull();
    expect(direction[2]).toBeLessThan(0);
    expect(seenOf(both, frame, direction).a).toBeGreaterThan(200);
    // As it was.
    const before = frameFinding(commonBox(both), boxesOf(both));
    expect(seenOf(both, before.box, before.direction).a).toBe(0);
  });

  test('stands the same whatever axis is up', () => {
    for (const up of UPS) {
      const size = (v: Vector): Vector => laid(v, up).map(Math.abs);
      const both = [
        blockAt(size(panel), laid([0, 0.14, 1.5], up)),
        blockAt(size([6, 0.2, 3]), laid([0, 0, 1.5], up)),
      ] as const;
      const { direction, through } = frameVisible(both, { box: commonBox(both), point: null, up });
      expect(through).toBeNull();
      expect(stood(direction, up)).toEqual([-0.6, 1, 0.55]);
    }
  });
});

/** A small block half in a large one, anywhere in space. */
function randomPair(random: Random): readonly [Block, Block] {
  const size = (low: number, high: number): Vector => [0, 1, 2].map(() => random.between(low, high));
  const turn = rotation(random.between(-1, 1), random.between(-1, 1), random.between(0.1, 1), random.between(0, 360));
  const large = blockOf(size(0.5, 6), turn);
  const axis = random.below(3);
  const own = large.half.map((h, k) => (k === axis ? h * random.pick([-1, 1]) : random.between(-0.7, 0.7) * h));
  const pose = rotation(random.between(-1, 1), random.between(-1, 1), random.between(0.1, 1), random.between(0, 360));
  for (let k = 0; k < 3; k++) pose[4 * k + 3] = own.reduce((sum, x, i) => sum + turn[4 * k + i] * x, 0);
  return [blockOf(size(0.2, 0.5), pose), large];
}

describe('two blocks that overlap anywhere', { tags: ['quick', 'all', 'long'] }, () => {
  const seeds = Array.from({ length: 2000 }, (_, seed) => seed);
  let wrong = 0;
  test.each(some([40, 200], seeds))('are both seen, and where they meet, seed %i', (seed) => {
    const both = randomPair(seeded(seed));
    const place = commonBox(both);
    const { box: frame, direction, through } = frameVisible(both, { box: place, point: null });
    expect(through).toBeNull();
    const seen = seenOf(both, frame, direction);
    expect(Math.min(seen.a, seen.b)).toBeGreaterThan(30);
    expect(seen.both).toBeGreaterThan(0);
    expect(frameVisible(both, { box: place, point: null })).toEqual({ box: frame, direction, through });
    const before = seenOf(both, frame, frameFinding(place, boxesOf(both)).direction);
    if (Math.min(before.a, before.b, before.both) === 0) wrong++;
  });
  test('of which some were hidden from the first direction', () => expect(wrong).toBeGreaterThan(0));
});

describe('a direction', () => {
  const both = [blockAt(panel, [0, 0.14, 1.5]), wall] as const;
  const place = between([-0.25, 0.09, 1.15], [0.25, 0.1, 1.85]);

  test('that shows all stays', () => {
    const from = [0.8, 1, 0.3];
    expect(frameVisible(both, { ...place, from }).direction).toEqual(from);
  });

  test('that hides something goes', () => {
    const from = [0.6, -1, 0.55];
    expect(frameVisible(both, { ...place, from }).direction).toEqual([-0.6, 1, 0.55]);
  });

  test('shows the gap between two that are near', () => {
    const plates = [blockAt([2, 0.1, 2], [0, 0, 1]), blockAt([2, 0.1, 2], [0, 0.4, 1])] as const;
    const { direction, through } = frameVisible(plates, {
      ...between([-1, 0.05, 0], [1, 0.35, 2]),
      point: [-1, 0.2, 0.5],
    });
    expect(through).toBeNull();
    // From the side of the point.
    expect(direction[0]).toBeLessThan(0);
  });

  test('of parallel lines of sight does not begin in a room', () => {
    // An eye fits into the room; a parallel view from the side begins outside.
    const shell = (size: number) => mapped(box(1), (x, y, z) => [size * x, size * y, size * z]);
    const [outer, inner] = [shell(42), shell(40)];
    const surface = {
      positions: Float64Array.of(...outer.positions, ...inner.positions),
      triangles: Uint32Array.of(...outer.triangles, ...inner.triangles.map((corner) => corner + 8)),
    };
    const inside = [blockAt(panel, [0, 19.96, 0]), { surface, pose: translation(0, 0, 0) }] as const;
    const where = { box: { low: [-0.25, 19.91, -0.35], high: [0.25, 20.01, 0.35] }, point: [0.25, 20, 0] };
    expect(frameVisible(inside, where).through).toBeNull();
    expect(frameVisible(inside, { ...where, isOrthographic: true }).through).toBe(1);
  });
});

test('an eye in a solid sees nothing', () => {
  const both = [blockAt([0.4, 0.4, 0.4], [0, 0, 3]), blockAt([6, 6, 6], [0, 0, 0])] as const;
  // From within, both and their contact would be seen.
  const { direction, through } = frameVisible(both, { box: commonBox(both), point: null, from: [0.6, -1, -0.55] });
  expect(through).toBeNull();
  expect(direction).toEqual([0.6, -1, 0.55]);
});

describe('surfaces of many triangles', () => {
  const fine = octasphere(7);
  const ball = (radius: number, x: number): Seen => ({
    surface: mapped(fine, (a, b, c) => [radius * a, radius * b, radius * c]),
    pose: translation(x, 0, 0),
  });

  test('a ball in a ball that it touches from inside is seen through it', () => {
    const where = { box: { low: [0, -1, -1], high: [2, 1, 1] }, point: [2, 0, 0] };
    expect(frameVisible([ball(1, 1), ball(2, 0)], where).through).toBe(1);
  });

  test('of two balls that overlap both are seen', () => {
    const where = { box: { low: [-0.1, -1, -1], high: [0.1, 1, 1] }, point: [0, 0, 0.4] };
    const { direction, through } = frameVisible([ball(1, -0.9), ball(1, 0.9)], where);
    expect(through).toBeNull();
    expect(Math.abs(direction[0])).toBeLessThan(0.9 * Math.hypot(...direction));
  });
});

/** What a flight shows at a part of its time, which at half of it is half of the way. */
function viewBetween(from: View, to: View, part: number, up: Up): View {
  let shown = from;
  const flight = createFlight((view) => {
    shown = view;
  }, up);
  flight.begin(from, to);
  flight.step(0);
  flight.step(300 * part);
  return shown;
}

describe('a flight to the other side', () => {
  const view = (eye: Vector, target: Vector) => ({ eye: new Vector3(...eye), target: new Vector3(...target) });
  const parts = Array.from({ length: 101 }, (_, k) => k / 100);

  test.each(UPS)('goes around the target, with %s up', (up) => {
    const [from, to] = [view([6, -10, 5], [0, 0, 0]), view([-3, 5, -2.5], [1, 0, 0])];
    for (const part of parts) {
      const { eye, target } = viewBetween(from, to, part, up);
      // As it was, the eye came to the target.
      expect(eye.distanceTo(target)).toBeGreaterThan(6.7);
      expect(eye.distanceTo(target)).toBeLessThan(12.8);
    }
    for (const [part, end] of [
      [0, from],
      [1, to],
    ] as const) {
      expect(viewBetween(from, to, part, up).eye.distanceTo(end.eye)).toBeLessThan(1e-9);
    }
  });

  test('from above turns the shorter way', () => {
    const { eye } = viewBetween(view([0, 0, 10], [0, 0, 0]), view([10, 0, 0], [0, 0, 0]), 0.5, 'z');
    expect(eye.toArray().map((x) => x / 10)).toEqual([
      expect.closeTo(Math.SQRT1_2),
      expect.closeTo(0),
      expect.closeTo(Math.SQRT1_2),
    ]);
    const half = viewBetween(view([-10, -1, 0], [0, 0, 0]), view([-10, 1, 0], [0, 0, 0]), 0.5, 'z');
    expect(half.eye.x).toBeLessThan(-9);
  });
});
