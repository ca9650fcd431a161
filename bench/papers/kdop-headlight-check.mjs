// Figure 8 of Raabe et al. 2006: all contacts of two headlights by distance and rotation, the
// machine at 100 MHz beside software: our kernel and our descent over k-DOP trees, and FCL.
//
//   npm run bench -- papers/kdop-headlight
import { check, compose, rotation } from 'gicollide';
import { shift } from '../inputs.mjs';
import { reasonNotToRun, runFcl } from '../native/fcl.mjs';
import { digits, mean, median, printTable, round, sum } from '../race.mjs';
import { answer, lamp, lampTree, posesByDistance } from './kdop-scene.mjs';

/** @typedef {import('gicollide').Pose} Pose */

const DISTANCES = [0.1, 0.2, 0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6, 0.65, 0.7, 0.8];
/** Place of the turned lamp: along a direction, in diagonals, and about an axis. */
const TURNED_AT = 0.4;
const ALONG = /** @type {const} */ ([0, 1, 0]);
const ABOUT = /** @type {const} */ ([0, 0, 1]);
/** Bits that fit one burst, and those of the paper's pipeline. */
const WIDTHS = /** @type {const} */ ([18, 35]);
/** Bits of the trees that software searches: what build takes by itself. */
const SOFTWARE_BITS = 16;

/**
 * Microseconds of all contacts: of each pose the median of `rounds`, contestants taking turns.
 *
 * @param {boolean} quick
 * @param {readonly Pose[]} poses
 * @param {number} rounds
 */
function software(quick, poses, rounds) {
  const tree = lampTree(quick, SOFTWARE_BITS);
  /** @param {Pose} poseB */
  const kernel = (poseB) => check(tree, tree, { poseB, all: true, maxContacts: 1e6 }).contacts.count;
  /** @param {Pose} poseB */
  const descent = (poseB) => check(tree, tree, { poseB, all: true, maxContacts: 1e6, engine: 'search' }).contacts.count;
  const asks = [kernel, descent];
  const counts = poses.map(kernel);
  for (const pose of poses) if (descent(pose) !== kernel(pose)) throw new Error('kernel and descent differ');
  const [ofKernel, ofDescent] = [0, 1].map(() => poses.map(() => /** @type {number[]} */ ([])));
  for (let round = 0; round < rounds; round++) {
    for (const [i, pose] of poses.entries()) {
      for (const [j, ask] of asks.entries()) {
        const from = performance.now();
        ask(pose);
        [ofKernel, ofDescent][j][i].push(1000 * (performance.now() - from));
      }
    }
  }
  return { counts, kernel: ofKernel.map(median), descent: ofDescent.map(median) };
}

/**
 * What a pose takes, microseconds.
 *
 * @typedef {object} Timed
 * @property {number} contacts
 * @property {number} pairs of nodes that the machine of 35 bits tests
 * @property {number} machine18
 * @property {number} machine35
 * @property {number} kernel
 * @property {number} descent
 * @property {number | null} fcl
 * @property {number} differs 1 where FCL lists another number of contacts
 */

/**
 * The machines and software at each pose; all must list the same contacts.
 *
 * @param {boolean} quick
 * @param {readonly Pose[]} poses
 * @param {number} rounds
 * @param {boolean} hasPeer whether FCL is there
 * @returns {Timed[]}
 */
function measured(quick, poses, rounds, hasPeer) {
  const times = software(quick, poses, rounds);
  const mesh = lamp(quick);
  const peer = hasPeer ? runFcl(mesh, mesh, poses, rounds, poses.length) : null;
  return poses.map((pose, i) => {
    const [narrow, wide] = WIDTHS.map((bits) => answer(quick, pose, { bits }));
    for (const { contacts } of [narrow, wide]) {
      if (contacts.length !== times.counts[i]) throw new Error('the machine lists other contacts');
    }
    return {
      contacts: wide.contacts.length,
      pairs: wide.pairs,
      machine18: narrow.microseconds,
      machine35: wide.microseconds,
      kernel: times.kernel[i],
      descent: times.descent[i],
      fcl: peer && median(peer.all[i]),
      differs: Number(peer !== null && peer.count[i] !== wide.contacts.length),
    };
  });
}

/** @param {readonly Timed[]} poses */
function meansOf(poses) {
  /** @param {keyof Timed} name */
  const of = (name) => {
    const values = poses.map((pose) => pose[name]);
    return values.includes(null) ? null : round(mean(values.map(Number)), 2);
  };
  return {
    contacts: of('contacts'),
    pairs: of('pairs'),
    machine18: of('machine18'),
    machine35: of('machine35'),
    kernel: of('kernel'),
    descent: of('descent'),
    fcl: of('fcl'),
  };
}

/**
 * Times by distance, means over the rotations, and by the angle of one rotation.
 *
 * @param {boolean} quick
 * @param {boolean} hasPeer
 */
function series(quick, hasPeer) {
  const distances = quick ? [0.05, 0.6] : DISTANCES;
  const [rotations, rounds] = quick ? [1, 2] : [6, 7];
  const places = posesByDistance(distances, rotations, 2006);
  const angles = Array.from({ length: quick ? 2 : 24 }, (_, i) => (quick ? 180 : 15) * i);
  const turned = angles.map((degrees) => compose(shift([...ALONG], TURNED_AT), rotation(...ABOUT, degrees)));
  const timed = measured(quick, [...places.flat(), ...turned], rounds, hasPeer);
  const byDistance = distances.map((distance, d) => {
    return { distance, ...meansOf(timed.slice(d * rotations, (d + 1) * rotations)) };
  });
  const last = timed.slice(distances.length * rotations);
  const byRotation = angles.map((degrees, i) => ({ degrees, ...meansOf([last[i]]) }));
  const fclDiffers = sum(timed.map(({ differs }) => differs));
  return { byDistance, byRotation, turnedAt: TURNED_AT, rotations, rounds, poses: timed.length, fclDiffers };
}

/** Latency of a 32-bit product and of a sum on processors of this century, cycles. */
const CYCLES_A_STEP = 3 + 1;

/**
 * Approximate megahertz of this processor: the best of several chains of products and sums, in
 * which each operation waits for the previous one.
 */
function clockOfProcessor() {
  const steps = 5e7;
  let [best, x] = [Number.POSITIVE_INFINITY, 1];
  for (let turn = 0; turn < 12; turn++) {
    const from = performance.now();
    for (let i = 0; i < steps; i++) x = (Math.imul(x, 1664525) + 1013904223) | 0;
    best = Math.min(best, performance.now() - from);
  }
  if (Number.isNaN(x)) throw new Error('the result was used');
  return round((steps * CYCLES_A_STEP) / best / 1000, 0);
}

/** @param {import('../race.mjs').Run} run */
export default async function kdopHeadlight({ quick, keep }) {
  const reason = quick ? 'quick' : reasonNotToRun();
  if (reason) console.log(`FCL left out: ${reason}`);
  const { byDistance, byRotation, ...counts } = series(quick, reason === null);
  const table = (/** @type {Record<string, number | null>[]} */ rows) =>
    Object.fromEntries(rows.map((row, i) => [i, row]));
  printTable('all contacts, us, by distance', table(byDistance));
  printTable('by rotation', table(byRotation));
  // Only poses in contact: for separate lamps, machine and software test at most a few pairs.
  const touching = byDistance.filter(({ contacts }) => Number(contacts) > 0);
  /**
   * How many times the time of the machine.
   *
   * @param {'machine18' | 'kernel' | 'descent' | 'fcl'} name
   */
  const ratio = (name) => {
    if (touching.length === 0 || touching[0][name] === null) return null;
    return digits(mean(touching.map((row) => Number(row[name]))) / mean(touching.map((row) => Number(row.machine35))));
  };
  const ratios = {
    machine18: ratio('machine18'),
    kernel: ratio('kernel'),
    descent: ratio('descent'),
    fcl: ratio('fcl'),
  };
  console.log('\ntimes over that of the machine of 35 bits:', JSON.stringify(ratios));
  keep({
    ...counts,
    triangles: lamp(quick).triangles.length / 3,
    runs: counts.rounds,
    native: reason === null ? 'FCL' : null,
    megahertz: quick ? null : clockOfProcessor(),
    machineMegahertz: 100,
    byDistance,
    byRotation,
    ratios,
    // Section 6.2.
    paper: { triangles: 5947, factor: 4, softwareMegahertz: 1000 },
  });
}
