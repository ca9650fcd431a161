// Scenes of many objects: bunnies that move, a building, boxes, and boxes alone.
//
// Bunnies: 2 to 512 fly about in a cube whose walls they bounce off, and turn; a twentieth of the
// cube is inside of their boxes. They fly through each other: papers/bunnies has the seed's Figures
// 8 and 9, with their response. A frame takes the poses of all, and ends when it is
// known which pairs touch. The peer is FCL's dynamic AABB tree with OBB trees, before and after, of
// the same triangles in the same poses; both must find as many touching pairs in every frame, and
// so must all pairs by `prepare`, in every hundredth. Geometry images of as many triangles as the
// seed's fly the same way, without a peer.
//
//   npm run bench -- scene
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { boundsOf, build, compose, createScene, prepare, rotation } from 'gicollide';
import { forOverlaps } from '#src/scene/broad-phase';
import { makeBuilding } from '../scripts/make-building.mjs';
import { direction, randomTurn, sample, seeded } from './inputs.mjs';
import { reasonNotToRun, runFclBoxes, runFclFrames } from './native/fcl.mjs';
import { PROGRAM, runNode } from './program.mjs';
import { digits, elapsed, median, printTable, startClock, sum, timeOf } from './race.mjs';

/** @typedef {import('gicollide').Asset} Asset */

/** Of the cube, how much is inside of the boxes of bunnies that have not turned. */
const DENSITY = 0.05;
/** What a bunny of diagonal 1 moves and turns in a frame. */
const SPEED = 0.01;
const DEGREES = 2;
/** Of the building: 6,006 elements. */
const STOREYS = 42;
/** Frames between two that are asked about pair by pair. */
const FRAMES_A_LOOK = 100;
/** Poses of bodies, frame after frame: the same ones for the same number of bodies. */
export class Flight {
  /** 16 numbers a body. */
  poses;

  /** @param {number} count @param {number} side of the cube */
  constructor(count, side) {
    const random = seeded(count);
    this.side = side;
    this.bodies = Array.from({ length: count }, () => ({
      place: [side * random(), side * random(), side * random()],
      velocity: direction(random).map((x) => SPEED * x),
      turn: randomTurn(random),
      spin: rotation(...direction(random), DEGREES),
    }));
    this.poses = new Float64Array(16 * count);
    this.write();
  }

  advance() {
    for (const body of this.bodies) {
      const { place, velocity } = body;
      for (let k = 0; k < 3; k++) {
        place[k] += velocity[k];
        if (place[k] < 0) velocity[k] = Math.abs(velocity[k]);
        if (place[k] > this.side) velocity[k] = -Math.abs(velocity[k]);
      }
      body.turn = compose(body.spin, body.turn);
    }
    this.write();
  }

  write() {
    for (const [i, { turn, place }] of this.bodies.entries()) {
      this.poses.set(turn, 16 * i);
      for (let k = 0; k < 3; k++) this.poses[16 * i + 4 * k + 3] = place[k];
    }
  }

  /** @param {number} frames */
  *frames(frames) {
    for (let frame = 0; frame < frames; frame++) {
      if (frame > 0) this.advance();
      yield this.poses;
    }
  }
}

/** Sides of the cube in which so many fly. @param {Asset} asset @param {number} count */
export function sideOf(asset, count) {
  const { low, high } = boundsOf(asset);
  return Math.cbrt((count * (high[0] - low[0]) * (high[1] - low[1]) * (high[2] - low[2])) / DENSITY);
}

/**
 * What `step` takes, frame by frame.
 *
 * @param {Asset} asset
 * @param {Flight} flight from its start
 * @param {number} frames
 */
function stepped(asset, flight, frames) {
  const poses = Object.fromEntries(
    flight.bodies.map((_, i) => [`bunny-${i}`, flight.poses.subarray(16 * i, 16 * i + 16)]),
  );
  const scene = createScene(Object.entries(poses).map(([name, pose]) => ({ name, asset, pose: pose.slice() })));
  const checker = prepare(asset, asset);
  /** @type {number[]} */
  const times = [];
  /** @type {number[]} */
  const contacts = [];
  /** @type {number[]} */
  const looks = [];
  let touching = 0;
  for (const _ of flight.frames(frames)) {
    startClock();
    const { began, ended } = scene.step(poses);
    times.push(1000 * elapsed());
    // What touches from the start on has not begun.
    if (times.length === 1) touching = touchingPairs(checker, Object.values(poses)).length;
    else touching += began.length - ended.length;
    contacts.push(touching);
    if (times.length % FRAMES_A_LOOK !== 0) continue;
    startClock();
    const found = touchingPairs(checker, Object.values(poses)).length;
    looks.push(1000 * elapsed());
    if (found !== touching) throw new Error(`frame ${times.length}: ${touching} pairs, all pairs say ${found}`);
  }
  return { times, contacts, looks };
}

/** @param {import('gicollide').Checker} checker @param {import('gicollide').Pose[]} poses */
function touchingPairs(checker, poses) {
  const pairs = [];
  for (let i = 0; i < poses.length; i++)
    for (let j = i + 1; j < poses.length; j++) if (checker.contact(poses[j], poses[i])) pairs.push([i, j]);
  return pairs;
}

/** Microseconds a frame of every contestant. @param {number} count @param {number} frames @param {boolean} native */
function bunnies(count, frames, native) {
  const mesh = sample('bunny');
  const asset = build(mesh, { format: 'obb', nodeBytes: 64 });
  const flight = () => new Flight(count, sideOf(asset, count));
  const peers = native ? [runFclFrames(mesh, count, flight().frames(frames))] : [];
  const own = stepped(asset, flight(), frames);
  if (native) peers.push(runFclFrames(mesh, count, flight().frames(frames)));
  for (const { contacts } of peers) {
    const frame = contacts.findIndex((x, i) => x !== own.contacts[i]);
    if (frame >= 0) throw new Error(`frame ${frame}: ${own.contacts[frame]} pairs, FCL says ${contacts[frame]}`);
  }
  const collisions = sum(own.contacts);
  const ours = median(own.times);
  const fclTimes = peers.flatMap(({ times }) => times);
  const theirs = fclTimes.length > 0 ? median(fclTimes) : null;
  const fclAll = fclTimes.length > 0 ? sum(fclTimes) / peers.length : null;
  const all = own.looks.length > 0 ? median(own.looks) : null;
  return {
    'touching a frame': digits(collisions / frames),
    'us a frame': digits(ours),
    'all frames, ms': digits(sum(own.times) / 1000),
    'us a collision': digits(collisions > 0 ? sum(own.times) / collisions : null),
    'all pairs, us a frame': digits(all),
    'FCL, us a frame': digits(theirs),
    'FCL, us a collision': digits(collisions > 0 && fclAll !== null ? fclAll / collisions : null),
    'FCL, all frames, ms': digits(fclAll === null ? null : fclAll / 1000),
    'ratio to FCL': digits(theirs === null ? null : ours / theirs),
  };
}

/** Boxes strewn over a cube, about one overlap each. @param {number} count */
function strewnBoxes(count) {
  const random = seeded(count);
  const side = Math.cbrt(count / 0.3);
  const boxes = new Float64Array(6 * count);
  for (let i = 0; i < count; i++) {
    for (let k = 0; k < 3; k++) {
      boxes[6 * i + k] = side * random();
      boxes[6 * i + 3 + k] = boxes[6 * i + k] + 0.5 + random();
    }
  }
  return boxes;
}

/** Boxes alone: milliseconds, and nanoseconds of each of n log n + k. @param {number} count @param {boolean} native */
function broadPhase(count, native) {
  const boxes = strewnBoxes(count);
  let pairs = 0;
  const work = () => {
    pairs = 0;
    forOverlaps(boxes, () => pairs++);
  };
  const fcl = native ? runFclBoxes(boxes, 5) : null;
  work();
  const ms = timeOf(work, 9);
  // FCL rounds the middles of boxes, so a pair of thousands may differ.
  if (fcl && Math.abs(fcl.pairs - pairs) > 1 + pairs / 1000) throw new Error(`${pairs} pairs, FCL says ${fcl.pairs}`);
  const theirs = fcl && median(fcl.times);
  return {
    pairs,
    ms: digits(ms),
    'ns of n log n + k': digits((1e6 * ms) / (count * Math.log2(count) + pairs)),
    'FCL, ms': digits(theirs),
    'ratio to FCL': digits(theirs && ms / theirs),
  };
}

const FACES = ['1 3 4 2', '5 6 8 7', '1 2 6 5', '3 7 8 4', '1 5 7 3', '2 4 8 6'];

/** An OBJ of as many boxes, an object each. @param {Float64Array} boxes */
function objOf(boxes) {
  const lines = [];
  for (let i = 0; i < boxes.length; i += 6) {
    lines.push(`o box-${i / 6}`);
    for (let v = 0; v < 8; v++) lines.push(`v ${[0, 1, 2].map((k) => boxes[i + k + 3 * ((v >> k) & 1)]).join(' ')}`);
    for (const face of FACES) lines.push(`f ${face.replaceAll(/\d/g, (v) => String(Number(v) - 9))}`);
  }
  return `${lines.join('\n')}\n`;
}

/** A scene file of one box many times, turned. @param {Float64Array} boxes */
function sceneOf(boxes) {
  const random = seeded(1);
  return JSON.stringify({
    gicollide: 'scene/1',
    assets: { box: 'box.obj' },
    instances: Array.from({ length: boxes.length / 6 }, (_, i) => ({
      name: `box-${i}`,
      asset: 'box',
      translate: Array.from(boxes.subarray(6 * i, 6 * i + 3)),
      rotate: { axis: direction(random), degrees: 360 * random() },
    })),
  });
}

/** The command line from its start to its end, loading included: seconds. @param {boolean} quick */
function programs(quick) {
  const folder = mkdtempSync(join(tmpdir(), 'gicollide-'));
  const boxes = strewnBoxes(quick ? 100 : 10_000);
  try {
    const files = {
      building: 'building.obj',
      'boxes, an object each': 'boxes.obj',
      'boxes of one asset': 'b.scene.json',
    };
    writeFileSync(join(folder, files.building), makeBuilding({ storeys: quick ? 1 : STOREYS }).obj);
    writeFileSync(join(folder, 'boxes.obj'), objOf(boxes));
    writeFileSync(join(folder, 'box.obj'), objOf(Float64Array.of(0, 0, 0, 1, 1, 1)));
    writeFileSync(join(folder, 'b.scene.json'), sceneOf(boxes));
    return Object.fromEntries(
      Object.entries(files).map(([name, file]) => {
        const [classes, surfaces] = [
          ['--solid', 'auto'],
          ['--solid', 'off'],
        ].map((flags) => {
          const runs = Array.from({ length: quick ? 1 : 3 }, () => {
            const { stdout, wall } = runNode([PROGRAM, 'scene', file, '--json', ...flags], folder);
            return { wall, summary: JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '') };
          });
          return { ...runs[0].summary, seconds: digits(median(runs.map(({ wall }) => wall)) / 1000) };
        });
        const { objects, pairs, checked, contact } = surfaces;
        const { overlap, touch } = classes;
        const seconds = { seconds: classes.seconds, 'without classes': surfaces.seconds };
        return [name, { objects, pairs, checked, contact, overlap, touch, ...seconds }];
      }),
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @param {import('./race.mjs').Run} run */
export default function scene({ quick, options, keep }) {
  const reason = options['no-native'] ? 'as asked' : reasonNotToRun();
  if (reason) console.log(`native bench skipped: ${reason}`);
  const frames = quick ? 100 : 3000;
  /** @type {Record<string, ReturnType<typeof bunnies>>} */
  const moving = {};
  if (!quick) bunnies(4, FRAMES_A_LOOK, false); // warm
  for (let count = 2; count <= (quick ? 4 : 512); count *= 2) moving[count] = bunnies(count, frames, !reason);
  printTable(`bunnies, ${frames} frames`, moving);
  /** @type {Record<string, ReturnType<typeof broadPhase>>} */
  const broad = {};
  for (const count of quick ? [100] : [1000, 3000, 10_000, 30_000, 100_000]) broad[count] = broadPhase(count, !reason);
  printTable('boxes alone', broad);
  const program = programs(quick);
  printTable('gicollide scene', program);
  keep({
    ...{ native: reason ? null : 'FCL', cores: availableParallelism(), runs: 1 },
    ...{ frames, density: DENSITY, moving, broad, program },
  });
}
