// Scenes of many objects: moving bunnies, a building, boxes, and boxes alone.
//
// 2 to 512 bunnies fly and turn in a cube and bounce off its walls. Their boxes fill a twentieth of
// the cube. They fly through each other; papers/bunnies has Figures 8 and 9 of GI-COLLIDE, with the
// response. A frame starts with the poses of all and ends with the list of touching pairs. The peer
// is FCL's dynamic AABB tree with OBB trees, before and after, with the same triangles in the same
// poses. Both must find the same number of touching pairs in every frame, and so must all pairs by
// `prepare` in every hundredth. Geometry images with the number of triangles of the paper fly in
// the same way, without a peer. Few bodies stand in rows, apart or in touching pairs, and all of
// them or one move a little.
//
//   npm run bench -- scene
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { boundsOf, build, compose, createScene, prepare, rotation } from 'gicollide';
import { forOverlaps } from '#src/scene/broad-phase';
import { makeBuilding } from '../scripts/make-building.mjs';
import { direction, randomTurn, sample, seeded } from './inputs.mjs';
import { reasonNotToRun, runFclBoxes, runFclFiles, runFclFrames } from './native/fcl.mjs';
import { assetPath, cpuIn, PROGRAM, runNode, TELL_CPU } from './program.mjs';
import { digits, elapsed, median, printTable, startClock, sum, timeOf } from './race.mjs';
import { apartments, objOf, sceneOf, strewnBoxes } from './scene-inputs.mjs';

/** @typedef {import('gicollide').Asset} Asset */

/** Share of the cube inside of the boxes of bunnies before they turn. */
const DENSITY = 0.05;
/** Motion and rotation of a bunny of diagonal 1 in a frame. */
const SPEED = 0.01;
const DEGREES = 2;
/** Storeys of the building: 6,006 elements. */
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

/** Frames of few bodies that make a sample: a frame alone takes as long as to read the clock. */
const FRAMES_A_SAMPLE = 50;

/** Bodies of a frame, how they lie, and how many of them move. */
export const FEW = /** @type {const} */ ([
  [2, 'apart', 2],
  [8, 'apart', 8],
  [64, 'apart', 64],
  [2, 'touching', 2],
  [8, 'touching', 8],
  [64, 'touching', 64],
  [64, 'apart', 1],
  [512, 'apart', 1],
]);

/**
 * Where bodies of a size lie: in rows with gaps, or so that neighbors of two touch.
 *
 * @param {number} count @param {'apart' | 'touching'} way @param {number} size
 */
export function placesOf(count, way, size) {
  const side = Math.ceil(Math.cbrt(count));
  return Array.from({ length: count }, (_, i) => {
    const n = way === 'touching' ? i >> 1 : i;
    const aside = way === 'touching' ? 0.3 * (i & 1) : 0;
    return [n % side, Math.floor(n / side) % side, Math.floor(n / side ** 2)].map(
      (at, k) => size * (2 * at + (k === 0 ? aside : 0)),
    );
  });
}

/** @param {(typeof FEW)[number]} bodies */
export const fewName = ([count, way, moved]) => `${count} ${way}, ${moved === count ? 'all move' : `${moved} moves`}`;

/**
 * Microseconds of `step` with few bodies in rows, and of FCL, whose tree is told who has moved.
 *
 * @param {(typeof FEW)[number]} bodies @param {number} frames @param {boolean} native
 */
function few([count, way, moved], frames, native) {
  const mesh = sample('bunny');
  const asset = build(mesh, { format: 'obb', nodeBytes: 64 });
  const { low, high } = boundsOf(asset);
  const size = Math.hypot(...low.map((x, k) => high[k] - x));
  const places = placesOf(count, way, size);
  const poseAt = (/** @type {number[]} */ [x, y, z]) => Float64Array.of(1, 0, 0, x, 0, 1, 0, y, 0, 0, 1, z, 0, 0, 0, 1);
  // Scenes sort their objects by name, and digits alone would not stay in order.
  const nameOf = (/** @type {number} */ i) => `bunny-${String(i).padStart(3, '0')}`;
  const objects = places.map((place, i) => ({ name: nameOf(i), asset, pose: poseAt(place) }));
  /** Two frames that take turns. */
  const all = [0, 1].map((up) =>
    Float64Array.from(places.flatMap(([x, y, z], i) => [...poseAt([x, y + (i < moved ? up * 1e-3 * size : 0), z])])),
  );
  const byName = all.map((poses) =>
    Object.fromEntries(Array.from({ length: moved }, (_, i) => [nameOf(i), poses.slice(16 * i, 16 * i + 16)])),
  );
  const touching = createScene(objects).touching().length;
  const own = medianOfSteps(createScene(objects), byName, frames);
  const ownOfAll = medianOfSteps(createScene(objects), all, frames);
  function* flight() {
    for (let frame = 0; frame < frames; frame++) yield all[frame % 2];
  }
  const fcl = native ? runFclFrames(mesh, count, flight(), FRAMES_A_SAMPLE) : null;
  if (fcl?.contacts.some((found) => found !== touching)) throw new Error(`${touching} pairs, FCL says another number`);
  const theirs = fcl && median(fcl.times.slice(frames >> 1));
  return {
    'us a frame': digits(own),
    'poses of all in one array': digits(ownOfAll),
    'FCL, us a frame': digits(theirs),
    'ratio to FCL': digits(theirs && own / theirs),
    'ratio, one array': digits(theirs && ownOfAll / theirs),
  };
}

/**
 * Microseconds of a step, the median of the second half of the samples; no pair may begin or end to
 * touch.
 *
 * @param {import('gicollide').Scene} scene
 * @param {readonly import('gicollide').FramePoses[]} two
 * @param {number} frames
 */
function medianOfSteps(scene, two, frames) {
  /** @type {number[]} */
  const times = [];
  for (let frame = 0; frame < frames; frame += FRAMES_A_SAMPLE) {
    let changed = 0;
    startClock();
    for (let n = 0; n < FRAMES_A_SAMPLE; n++) {
      const { began, ended } = scene.step(two[n % 2]);
      changed += began.length + ended.length;
    }
    times.push((1000 * elapsed()) / FRAMES_A_SAMPLE);
    if (changed > 0) throw new Error(`frame ${frame}: pairs begin or end to touch`);
  }
  return median(times.slice(times.length >> 1));
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
    // Pairs that touch from the start on are not counted as begun.
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

/** Rounds of each program, and the scenes whose threads are compared. */
const ROUNDS = 3;

/**
 * The command line from its start to its end: processor and wall seconds, the least of some rounds,
 * and the peer's processor time on the same files.
 *
 * @param {boolean} quick @param {boolean} native
 */
function programs(quick, native) {
  const folder = mkdtempSync(join(tmpdir(), 'gicollide-'));
  try {
    writeScenes(folder, quick);
    /** @type {Record<string, { args: string[], files?: string[] }>} */
    const scenes = {
      building: { args: ['building.obj'], files: ['building.obj'] },
      'apartments, fabric x fixtures': { args: ['a.obj', '--against', 'e.obj'], files: ['a.obj', 'e.obj'] },
      'apartments, fabric x fabric': { args: ['a.obj'], files: ['a.obj'] },
      'boxes, an object each': { args: ['boxes.obj'], files: ['boxes.obj'] },
      'boxes of one asset, turned': { args: ['b.scene.json'] },
      room: { args: [assetPath('room', '.scene.json')] },
    };
    return Object.fromEntries(
      Object.entries(scenes).map(([name, { args, files }]) => {
        const row = programRow(folder, args, quick ? 1 : ROUNDS);
        if (!native || !files) return [name, row];
        const runs = Array.from({ length: quick ? 1 : ROUNDS }, () =>
          runFclFiles(files.map((file) => join(folder, file))),
        );
        const fcl = Math.min(...runs.map(({ cpuMs }) => cpuMs)) / 1000;
        const { touching } = runs[0];
        return [
          name,
          { ...row, 'FCL, s': digits(fcl), 'FCL touching': touching, 'ratio to FCL': digits(Number(row.off) / fcl) },
        ];
      }),
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @param {string} folder @param {boolean} quick */
function writeScenes(folder, quick) {
  const boxes = strewnBoxes(quick ? 100 : 10_000);
  const { a, e } = apartments();
  const files = {
    ...{ 'a.obj': a, 'e.obj': e, 'boxes.obj': objOf(boxes), 'b.scene.json': sceneOf(boxes) },
    'building.obj': makeBuilding({ storeys: quick ? 1 : STOREYS }).obj,
    'box.obj': objOf(Float64Array.of(0, 0, 0, 1, 1, 1)),
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
}

/**
 * Without classes and with them, on one thread and on two.
 *
 * @param {string} folder
 * @param {string[]} args
 * @param {number} rounds
 */
function programRow(folder, args, rounds) {
  const ways = { off: ['--solid', 'off', '--jobs', '1'], one: ['--jobs', '1'], two: ['--jobs', '2'] };
  /** @type {Record<string, { cpu: number, wall: number }>} */
  const least = {};
  /** @type {Record<string, number>} */
  let summary = {};
  for (let round = 0; round < rounds; round++) {
    for (const [way, flags] of Object.entries(ways)) {
      if (way === 'off' && args[0].includes('room')) continue;
      const { stdout, stderr, wall } = runNode([...TELL_CPU, PROGRAM, 'scene', ...args, '--json', ...flags], folder);
      const known = (least[way] ??= { cpu: Number.POSITIVE_INFINITY, wall: Number.POSITIVE_INFINITY });
      known.cpu = Math.min(known.cpu, cpuIn(stderr) / 1000);
      known.wall = Math.min(known.wall, wall / 1000);
      if (way === 'one') summary = JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '');
    }
  }
  const { objects, pairs, checked, contact, overlap, touch } = summary;
  const { off, one, two } = least;
  return {
    ...{ objects, pairs, checked, contact, overlap, touch },
    ...(off && { 'no classes, s': digits(off.wall), off: digits(off.cpu) }),
    ...{ 'classes, s': digits(one.wall), 'classes, processor': digits(one.cpu) },
    'two threads / one': digits(two.wall / one.wall),
  };
}

/**
 * The first frame of bunnies, in a process of its own: milliseconds from the scene to its frame.
 *
 * @param {number} count @param {number} rounds
 */
function firstFrame(count, rounds) {
  const module = fileURLToPath(new URL('scene-first-frame.mjs', import.meta.url));
  const runs = Array.from({ length: rounds }, () => JSON.parse(runNode([module, String(count)]).stdout));
  return { 'first frame, ms': digits(Math.min(...runs.map(({ ms }) => ms))), contacts: runs[0].contacts };
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
  /** @type {Record<string, ReturnType<typeof few>>} */
  const rows = {};
  for (const bodies of quick ? FEW.slice(0, 1) : FEW)
    rows[fewName(bodies)] = few(bodies, quick ? 10 : bodies[1] === 'touching' ? 2000 : 10_000, !reason);
  printTable('few bodies', rows);
  /** @type {Record<string, ReturnType<typeof broadPhase>>} */
  const broad = {};
  for (const count of quick ? [100] : [1000, 3000, 10_000, 30_000, 100_000]) broad[count] = broadPhase(count, !reason);
  printTable('boxes alone', broad);
  const program = programs(quick, !reason);
  printTable('gicollide scene', program);
  /** @type {Record<string, ReturnType<typeof firstFrame>>} */
  const first = {};
  for (const count of quick ? [4] : [2, 64, 512]) first[count] = firstFrame(count, quick ? 1 : 5);
  printTable('the first frame', first);
  keep({
    ...{ native: reason ? null : 'FCL', cores: availableParallelism(), runs: 1 },
    ...{ frames, density: DENSITY, moving, few: rows, broad, program, first },
  });
}
