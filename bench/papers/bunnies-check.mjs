// The seed's Figures 1, 8 and 9 (B. Benes, N. Gomez Villanueva, "GI-COLLIDE", SCCG 2005, sections
// 4, 5 and 5.1): bunnies that fly about in a cube and turn, bounce off its walls and off each
// other.
//
//   npm run bench -- papers/bunnies
//
// One flight for each number of bunnies, by images of the paper's size: a frame moves all, detects
// which pairs touch, and gives each that does its response, impulses without loss at the patches of
// contact. Detection and response are timed apart. The poses of all frames are then asked again, by
// each contestant in turn and more than once; a frame counts by its least time.
//
// As in the paper, only the test of a pair differs: sweep and prune over boxes, as I-COLLIDE has
// it, stands before each of ours. The paper's query of the paper's spheres, the product's query of
// tight spheres and slabs, OBB trees and FCL (whose dynamic AABB tree comes before its OBB trees)
// test the same triangles, those that the image stores. FCL has the place of I-COLLIDE, which is
// not run.
import { availableParallelism } from 'node:os';
import { advance, boundsOf, build, massOf, openPair, prepare, respond, toMesh } from 'gicollide';
import { direction, randomTurn, sample, seeded } from '../inputs.mjs';
import { reasonNotToRun, runFclFrames } from '../native/fcl.mjs';
import { digits, elapsed, printTable, round, startClock, sum } from '../race.mjs';
import { SweepAndPrune } from './sweep-and-prune.mjs';

/** @typedef {import('gicollide').Asset} Asset */
/** @typedef {import('gicollide').Pose} Pose */
/**
 * @typedef {import('gicollide').MassProperties & import('gicollide').RigidVelocity & { pose: Pose
 * }} Body
 */
/** @typedef {(poseA: Pose, poseB: Pose) => boolean} Touch */

/** Samples a side, as the paper has it: 8,192 triangles. */
const SIZE = 65;
/** Share of the cube inside of the boxes of bunnies before they turn. */
const DENSITY = 0.05;
/** Motion and rotation of a bunny of diagonal 1 in a frame. */
const SPEED = 0.01;
const RADIANS = 0.035;
/** Asked so often by each contestant. */
const ROUNDS = 2;
/** Frames before the first picture. */
const LOOK_AFTER = 100;
/** One in so many samples of the image is kept for a picture. */
const SAMPLES_A_POINT = 8;

/** Figures of the paper's sections 5 and 5.1. The curves are only images. */
const PAPER = {
  frames: 3000,
  triangles: { 'I-COLLIDE': 8444, 'GI-COLLIDE': 8450 },
  'ms a collision': { 'I-COLLIDE': [9.5, 11.5], 'GI-COLLIDE': [0.29, 0.94] },
  objects: [2, 256],
};

/** The boxes of bodies in their poses, about the corners of the asset's own. */
class Boxes {
  /** @param {Asset} asset @param {number} count */
  constructor(asset, count) {
    const { low, high } = boundsOf(asset);
    this.middle = low.map((x, k) => (x + high[k]) / 2);
    this.half = low.map((x, k) => (high[k] - x) / 2);
    this.numbers = new Float64Array(6 * count);
  }

  /** @param {Float64Array} poses 16 numbers a body */
  place(poses) {
    const { middle, half, numbers } = this;
    for (let at = 0, to = 0; at < poses.length; at += 16, to += 6) {
      for (let k = 0; k < 3; k++) {
        const row = at + 4 * k;
        const [x, y, z] = [poses[row], poses[row + 1], poses[row + 2]];
        const centre = x * middle[0] + y * middle[1] + z * middle[2] + poses[row + 3];
        // A little wider than rounding can make it.
        const reach = (Math.abs(x) * half[0] + Math.abs(y) * half[1] + Math.abs(z) * half[2]) * (1 + 1e-9);
        numbers[to + k] = centre - reach;
        numbers[to + 3 + k] = centre + reach;
      }
    }
  }
}

/** Which pairs touch, frame after frame: sweep and prune, and a way to ask a pair. */
class Detector {
  /** @param {Asset} asset @param {number} count @param {Touch} touch */
  constructor(asset, count, touch) {
    this.count = count;
    this.touch = touch;
    this.boxes = new Boxes(asset, count);
    /** @type {SweepAndPrune | null} */
    this.sweep = null;
    /** @type {number[]} numbers of pairs, i * count + j */
    this.touching = [];
    this.asked = 0;
  }

  /** @param {Float64Array} poses @param {readonly Pose[]} views of them */
  detect(poses, views) {
    this.boxes.place(poses);
    if (this.sweep) this.sweep.update();
    else this.sweep = new SweepAndPrune(this.boxes.numbers);
    const { count, touching, touch } = this;
    touching.length = 0;
    for (const pair of this.sweep.pairs) {
      this.asked++;
      if (touch(views[Math.floor(pair / count)], views[pair % count])) touching.push(pair);
    }
    return touching;
  }
}

/** @param {Float64Array} poses */
const viewsOf = (poses) => Array.from({ length: poses.length / 16 }, (_, i) => poses.subarray(16 * i, 16 * i + 16));

/** Bunnies of one image in a cube, who fly freely between collisions: seeded by their number. */
class Flight {
  /** Pairs whose approach impulses have ended, and the times of that, in milliseconds. */
  responses = 0;
  manifoldMs = 0;
  impulseMs = 0;
  /** The largest change of a pair's momentum and energy, as a part of it. */
  momentumOff = 0;
  energyOff = 0;

  /** @param {Asset} image @param {number} count */
  constructor(image, count) {
    const random = seeded(count);
    const { low, high } = boundsOf(image);
    const { mass, inertia, centre } = massOf(image);
    this.pair = openPair(image, image);
    this.side = Math.cbrt((count * (high[0] - low[0]) * (high[1] - low[1]) * (high[2] - low[2])) / DENSITY);
    const { contact } = prepare(image, image);
    /** @type {Body[]} */
    this.bodies = [];
    while (this.bodies.length < count) {
      const pose = randomTurn(random);
      for (const k of [3, 7, 11]) pose[k] = this.side * random();
      // None touches another at the start.
      if (this.bodies.some((other) => contact(pose, other.pose))) continue;
      const velocity = direction(random).map((x) => SPEED * x);
      const angularVelocity = direction(random).map((x) => RADIANS * x);
      this.bodies.push({ mass, inertia, centre, pose, velocity, angularVelocity });
    }
    /** Bodies that have been given an impulse by another. */
    this.met = new Set();
  }

  /** Moves all for a frame, and turns back those whose center of mass has left the cube. */
  advance() {
    this.bodies = this.bodies.map((body) => {
      const moved = advance(body, 1);
      const { pose, centre } = moved;
      const place = [0, 1, 2].map((k) => centre.reduce((total, x, j) => total + pose[4 * k + j] * x, pose[4 * k + 3]));
      const contacts = [0, 1, 2].flatMap((k) => {
        const inward = place[k] < 0 ? 1 : place[k] > this.side ? -1 : 0;
        return inward === 0 ? [] : [{ normal: [0, 1, 2].map((axis) => (axis === k ? inward : 0)), points: [place] }];
      });
      return contacts.length > 0 ? { ...moved, ...respond(moved, WALL, contacts).a } : moved;
    });
  }

  /** @param {Float64Array} poses to write to */
  write(poses) {
    for (const [i, { pose }] of this.bodies.entries()) poses.set(pose, 16 * i);
  }

  /** Energy of all. */
  energy() {
    return sum(this.bodies.map(energyOf));
  }

  /** Gives those that touch and approach their impulses. @param {readonly number[]} touching */
  respond(touching) {
    const count = this.bodies.length;
    for (const pair of touching) {
      const [i, j] = [Math.floor(pair / count), pair % count];
      const [a, b] = [this.bodies[i], this.bodies[j]];
      const from = performance.now();
      const { contacts } = this.pair.report({
        ...{ poseA: a.pose, poseB: b.pose, all: true, patches: true, maxContacts: 2 ** 20 },
      });
      const between = performance.now();
      const { a: ofA, b: ofB, impulses } = respond(a, b, contacts.patches ?? []);
      this.manifoldMs += between - from;
      this.impulseMs += performance.now() - between;
      if (impulses.length === 0) continue;
      this.responses++;
      this.met.add(i).add(j);
      const [nextA, nextB] = [
        { ...a, ...ofA },
        { ...b, ...ofB },
      ];
      const before = energyOf(a) + energyOf(b);
      this.energyOff = Math.max(this.energyOff, Math.abs(energyOf(nextA) + energyOf(nextB) - before) / before);
      this.momentumOff = Math.max(this.momentumOff, momentumOff([a, b], [nextA, nextB]));
      this.bodies[i] = nextA;
      this.bodies[j] = nextB;
    }
  }
}

const WALL = { mass: Number.POSITIVE_INFINITY };

/** @param {Body} body */
function energyOf({ mass, inertia, pose, velocity, angularVelocity: w }) {
  const local = [0, 1, 2].map((j) => pose[j] * w[0] + pose[4 + j] * w[1] + pose[8 + j] * w[2]);
  const turning = sum(local.map((x, i) => x * sum(local.map((y, j) => inertia[3 * i + j] * y))));
  return (mass * sum(velocity.map((x) => x * x)) + turning) / 2;
}

/**
 * How much two bodies' momentum changes, as a part of the sum of its sizes. @param {Body[]} before
 * @param {Body[]} after
 */
function momentumOff(before, after) {
  let [off, all] = [0, 0];
  for (let k = 0; k < 3; k++) {
    off += Math.abs(sum(after.map(({ mass, velocity }, i) => mass * (velocity[k] - before[i].velocity[k]))));
    all += sum([...before, ...after].map(({ mass, velocity }) => mass * Math.abs(velocity[k])));
  }
  return off / all;
}

/**
 * A flight, all of its poses, and which pairs touch in each frame.
 *
 * @param {Asset} image
 * @param {number} count
 * @param {number} frames
 * @param {Touch} touch
 */
function fly(image, count, frames, touch) {
  const flight = new Flight(image, count);
  const detector = new Detector(image, count, touch);
  const before = flight.energy();
  const poses = new Float64Array(16 * count * frames);
  /** @type {number[]} */
  const contacts = [];
  for (let frame = 0; frame < frames; frame++) {
    if (frame > 0) flight.advance();
    const own = poses.subarray(16 * count * frame, 16 * count * (frame + 1));
    flight.write(own);
    const touching = detector.detect(own, viewsOf(own));
    contacts.push(touching.length);
    // In the order of their numbers: the sweep's depends on how it came there.
    flight.respond(touching.toSorted((p, q) => p - q));
  }
  return { flight, poses, contacts, energyChange: flight.energy() / before - 1 };
}

/**
 * Microseconds of each frame by a way to ask pairs; throws where another number of pairs touches.
 *
 * @param {Asset} asset
 * @param {{ poses: Float64Array, contacts: readonly number[] }} flown
 * @param {number} count
 * @param {Touch} touch
 */
function replay(asset, { poses, contacts }, count, touch) {
  const detector = new Detector(asset, count, touch);
  return contacts.map((expected, frame) => {
    const own = poses.subarray(16 * count * frame, 16 * count * (frame + 1));
    const views = viewsOf(own);
    startClock();
    const found = detector.detect(own, views).length;
    const time = 1000 * elapsed();
    if (found !== expected) throw new Error(`frame ${frame}: ${found} pairs touch, the flight had ${expected}`);
    return time;
  });
}

/** The least of each frame, over rounds. @param {number[][]} rounds */
const least = (rounds) => rounds[0].map((_, frame) => Math.min(...rounds.map((times) => times[frame])));

/** @param {boolean} native */
function contestants(native) {
  const mesh = sample('bunny');
  const image = build(mesh, { size: SIZE });
  const seed = build(mesh, { size: SIZE, spheres: 'seed' });
  const surface = { ...toMesh(image), groups: [] };
  const tree = build(surface, { format: 'obb', nodeBytes: 64 });
  const [images, trees] = [image, tree].map((asset) => prepare(asset, asset));
  const alone = openPair(seed, seed);
  /** @type {Record<string, Touch>} */
  const ways = {
    'spheres alone': (poseA, poseB) => alone.report({ poseA, poseB, bounds: 'spheres' }).verdict === 'contact',
    images: (poseA, poseB) => images.contact(poseB, poseA),
    'OBB 64': (poseA, poseB) => trees.contact(poseB, poseA),
  };
  /** @param {number} count @param {number} frames */
  const measure = (count, frames) => {
    const flown = fly(image, count, frames, ways.images);
    const { flight, poses, contacts } = flown;
    /** @type {Record<string, number[][]>} */
    const times = {};
    let unlike = 0;
    for (let turn = 0; turn < ROUNDS; turn++) {
      for (const [name, touch] of Object.entries(ways)) (times[name] ??= []).push(replay(image, flown, count, touch));
      if (!native) continue;
      const all = Array.from({ length: frames }, (_, i) => poses.subarray(16 * count * i, 16 * count * (i + 1)));
      const peer = runFclFrames(surface, count, all);
      (times.FCL ??= []).push(peer.times);
      // It rounds: pairs that only just touch may be missed.
      unlike = contacts.filter((x, frame) => x !== peer.contacts[frame]).length;
      if (unlike > 1 + frames / 100) throw new Error(`FCL has another number of pairs in ${unlike} frames`);
    }
    const collisions = sum(contacts);
    const ms = Object.fromEntries(Object.entries(times).map(([name, rounds]) => [name, sum(least(rounds)) / 1000]));
    return {
      collisions,
      responses: flight.responses,
      ...Object.fromEntries(Object.entries(ms).map(([name, x]) => [`${name}, ms`, digits(x)])),
      'patches, ms': digits(flight.manifoldMs),
      'impulses, ms': digits(flight.impulseMs),
      'frames unlike FCL': native ? unlike : null,
      'momentum off': digits(flight.momentumOff, 2),
      'energy off': digits(flight.energyOff, 2),
      'energy, change of all': digits(flown.energyChange, 2),
    };
  };
  return { image, ways, measure };
}

/**
 * Data of a picture: some points of the surface, and for each bunny a pose (the rows of its
 * rotation, then its place), whether it touches another, and whether it has met one.
 *
 * @param {Asset} image
 * @param {number} count
 * @param {number} frames
 * @param {Touch} touch
 */
function lookAt(image, count, frames, touch) {
  const { flight, poses } = fly(image, count, frames, touch);
  const last = poses.subarray(-16 * count);
  const touching = new Detector(image, count, touch).detect(last, viewsOf(last));
  const short = (/** @type {Iterable<number>} */ numbers) => Array.from(numbers, (x) => round(x, 3));
  const { positions } = toMesh(/** @type {import('gicollide').GeometryImage} */ (image));
  const points = Array.from({ length: Math.floor(positions.length / 3 / SAMPLES_A_POINT) }, (_, i) =>
    short(positions.subarray(3 * SAMPLES_A_POINT * i, 3 * SAMPLES_A_POINT * i + 3)),
  );
  return {
    ...{ side: round(flight.side, 3), frames, points },
    poses: viewsOf(last).map((pose) => short([0, 1, 2, 4, 5, 6, 8, 9, 10, 3, 7, 11].map((k) => pose[k]))),
    touching: [...new Set(touching.flatMap((pair) => [Math.floor(pair / count), pair % count]))].toSorted(
      (p, q) => p - q,
    ),
    met: [...flight.met].toSorted((p, q) => p - q),
  };
}

/** @param {import('../race.mjs').Run} run */
export default function bunnies({ quick, options, keep }) {
  const reason = options['no-native'] ? 'as asked' : reasonNotToRun();
  if (reason) console.log(`native bench skipped: ${reason}`);
  const { image, ways, measure } = contestants(!reason);
  const frames = quick ? 60 : PAPER.frames;
  measure(quick ? 4 : 16, quick ? 10 : 300); // warm
  /** @type {Record<string, ReturnType<typeof measure>>} */
  const moving = {};
  for (let count = 2; count <= (quick ? 8 : PAPER.objects[1]); count *= 2) moving[count] = measure(count, frames);
  printTable(`bunnies, ${frames} frames`, moving);
  keep({
    ...{ native: reason ? null : 'FCL', cores: availableParallelism(), rounds: ROUNDS },
    ...{ frames, size: SIZE, density: DENSITY, moving, paper: PAPER },
    look: lookAt(image, quick ? 8 : 512, quick ? 10 : LOOK_AFTER, ways.images),
  });
}
