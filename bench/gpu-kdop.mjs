// k-DOP trees on a GPU beside one core: many poses of a pair, and frames of many objects. Without a
// GPU, only the work of the core is measured: preparing, following boxes, answering.
import { build, createScene, prepare } from 'gicollide';
import '#src/representations/everything';
import { placePair } from '#src/engine/on-device';
import { Placed } from '#src/scene/placed';
import { Steps } from '#src/scene/steps';
import { nearContactPoses, sample } from './inputs.mjs';
import { digits, median, printTable, secondsOf, sum, timeOf } from './race.mjs';
import { Flight, sideOf } from './scene-check.mjs';

/** @typedef {import('gicollide').KdopTree} KdopTree */
/** @typedef {import('gicollide').OpenGpu} OpenGpu */

/** Bytes of a query that go to the device, and of its answer. */
const UP = 176;
const DOWN = 16;

const treeOf = (/** @type {string} */ name) => build(sample(name), { format: 'kdop', bits: 16 });

/**
 * Near contact, 16 numbers each, and again from the first on.
 *
 * @param {KdopTree} a
 * @param {KdopTree} b
 * @param {number} count
 */
function manyPoses(a, b, count) {
  const near = nearContactPoses(a, b, Math.min(400, count), 1996);
  const poses = new Float64Array(16 * count);
  for (let i = 0; i < count; i++) poses.set(near[i % near.length], 16 * i);
  return poses;
}

/**
 * Microseconds a pose: prepared by a core, answered by a core, and with a GPU.
 *
 * @param {OpenGpu | null} gpu
 * @param {boolean} quick
 */
export async function posesOnGpu(gpu, quick) {
  const [a, b] = [treeOf('bunny'), treeOf('blob')];
  // A batch.
  const count = quick ? 64 : 2 ** 14;
  const poses = manyPoses(a, b, count);
  const microseconds = (/** @type {number} */ ms) => (1000 * ms) / count;
  /** @type {import('#src/engine/pose-device').PoseDevice} */
  const nobody = {
    kdopTrees: () => ({ most: count, answer: async () => new Uint32Array(), close: () => {} }),
  };
  const placed = placePair(a, b, nobody);
  if (!placed) throw new Error('no kernels');
  const assets = Uint32Array.from({ length: 2 * count }, (_, n) => n % 2);
  const prepared = timeOf(() => void placed.answer({ assets, posesA: null, posesB: poses }), 9);
  const checker = prepare(a, b);
  const pose = new Float64Array(16);
  let contacts = 0;
  const answered = timeOf(() => {
    contacts = 0;
    for (let at = 0; at < poses.length; at += 16) {
      pose.set(poses.subarray(at, at + 16));
      contacts += Number(checker.contact(pose));
    }
  }, 9);
  /** @type {number | null} */
  let whole = null;
  if (gpu) {
    const { openPair } = await import('gicollide');
    const times = [];
    for (let turn = -1; turn < 5; turn++) {
      /** @type {Uint8Array} */
      let told = new Uint8Array();
      const seconds = await secondsOf(async () => {
        told = await openPair(a, b).verdicts(poses, { device: gpu });
      });
      if (sum(Array.from(told)) !== contacts) throw new Error('the GPU gives other verdicts than the processor');
      if (turn >= 0) times.push(seconds);
    }
    whole = microseconds(1000 * median(times));
  }
  const row = {
    poses: count,
    'prepared, us a pose': digits(microseconds(prepared)),
    'answered by a core, us a pose': digits(microseconds(answered)),
    'with the GPU, us a pose': digits(whole),
    'bytes up and down': UP + DOWN,
  };
  printTable('poses of two k-DOP trees, k = 24', { 'bunny and blob': row });
  return row;
}

/**
 * Microseconds a frame of so many bunnies that fly, on a core and with a GPU: `follow` validates
 * poses and finds boxes that meet, `ask` is what touches.
 *
 * @param {OpenGpu | null} gpu
 * @param {number} count
 * @param {number} frames
 */
async function framesOf(gpu, count, frames) {
  const asset = treeOf('bunny');
  const flight = new Flight(count, sideOf(asset, count));
  const names = flight.bodies.map((_, i) => `bunny-${i}`);
  const all = Array.from(flight.frames(frames), (poses) =>
    Object.fromEntries(names.map((name, i) => [name, poses.slice(16 * i, 16 * i + 16)])),
  );
  const objects = Object.entries(all[0]).map(([name, pose]) => ({ name, asset, pose }));
  const plain = [{ rule: null, clearance: 0, tolerance: 0 }];
  const placed = new Placed(objects, {}, () => ({ asks: () => plain, widest: 0 }));
  const steps = new Steps(placed);
  /** @type {Record<'follow' | 'ask', number[]>} */
  const times = { follow: [], ask: [] };
  let [pairs, touching] = [0, 0];
  /** @type {number[]} */
  const expected = [];
  for (const poses of all) {
    const from = performance.now();
    const asked = steps.advance(poses);
    const followed = performance.now();
    const { began, ended } = steps.answer(asked);
    times.ask.push(1000 * (performance.now() - followed));
    times.follow.push(1000 * (followed - from));
    pairs += asked.askedCount;
    touching = steps.touching().length;
    expected.push(began.length + ended.length);
  }
  /** @type {number | null} */
  let whole = null;
  if (gpu) {
    const scene = createScene(objects);
    let n = 0;
    const seconds = await secondsOf(async () => {
      for await (const { began, ended } of scene.steps(all, { device: gpu })) {
        if (began.length + ended.length !== expected[n++]) throw new Error(`frame ${n}: not what the processor says`);
      }
    });
    whole = (1e6 * seconds) / frames;
  }
  const [follow, ask] = Object.values(times).map(median);
  return {
    'pairs a frame': Math.round(pairs / frames),
    touching,
    'follow, us': digits(follow),
    'ask, us': digits(ask),
    'a core, us a frame': digits(follow + ask),
    'with the GPU, us a frame': digits(whole),
  };
}

/**
 * @param {OpenGpu | null} gpu
 * @param {boolean} quick
 */
export async function framesOnGpu(gpu, quick) {
  /** @type {Record<string, Awaited<ReturnType<typeof framesOf>>>} */
  const rows = {};
  for (const count of quick ? [16] : [512, 2048, 10_000])
    rows[`${count} bunnies`] = await framesOf(gpu, count, quick ? 4 : 60);
  printTable('frames, k = 24', rows);
  return rows;
}
