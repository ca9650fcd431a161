// Figure 8 of Raabe et al. 2006: all contacts of two headlights by distance and rotation, the machine
// at 100 MHz beside software: our kernel and our descent over k-DOP trees, and FCL.
//
//   npm run bench -- papers/kdop-headlight
import { check, identity } from 'gicollide';
import { checkKdopTrees } from '#src/representations/kdop/search/descent';
import { reasonNotToRun, runFcl } from '../native/fcl.mjs';
import { digits, mean, median, printTable, round } from '../race.mjs';
import { answer, lamp, lampTree, posesByDistance, summary } from './kdop-scene.mjs';

/** @typedef {import('gicollide').Pose} Pose */

const DISTANCES = [0.1, 0.2, 0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6, 0.65, 0.7, 0.8];
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
  const descent = (poseB) => {
    const query = { poseA: identity(), poseB, all: true, maxContacts: 1e6, level: null };
    return checkKdopTrees(tree, tree, query)?.contacts.count ?? 0;
  };
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
 * Of each distance, means over its poses.
 *
 * @param {boolean} quick
 */
function byDistance(quick) {
  const distances = quick ? [0.05, 0.6] : DISTANCES;
  const [rotations, rounds] = quick ? [1, 2] : [6, 7];
  const places = posesByDistance(distances, rotations, 2006);
  const poses = places.flat();
  const times = software(quick, poses, rounds);
  const mesh = lamp(quick);
  const reason = quick ? 'quick' : reasonNotToRun();
  if (reason) console.log(`FCL left out: ${reason}`);
  const fcl = reason === null ? runFcl(mesh, mesh, poses, rounds, poses.length).all.map(median) : null;
  const rows = distances.map((distance, d) => {
    const own = places[d].map((_, i) => d * rotations + i);
    const machines = WIDTHS.map((bits) => places[d].map((pose) => answer(quick, pose, { bits })));
    for (const answers of machines) {
      for (const [i, { contacts }] of answers.entries()) {
        if (contacts.length !== times.counts[own[i]]) throw new Error('the machine lists other contacts');
      }
    }
    const [narrow, wide] = machines.map(summary);
    const [kernel, descent, peer] = [times.kernel, times.descent, fcl].map((all) =>
      all === null ? null : round(mean(own.map((i) => all[i])), 2),
    );
    const contacts = round(wide.contacts / rotations);
    return {
      distance,
      contacts,
      pairs: wide.pairs,
      machine18: narrow.microseconds,
      machine35: wide.microseconds,
      kernel,
      descent,
      fcl: peer,
    };
  });
  return { rows, rotations, rounds, poses: poses.length, native: reason === null ? 'FCL' : null };
}

/** Latency of a 32-bit product and of a sum on processors of this century, cycles. */
const CYCLES_A_STEP = 3 + 1;

/**
 * Megahertz of this processor, nearly: the best of several chains of products and sums, each of which
 * waits for the one before.
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
  const { rows, ...counts } = byDistance(quick);
  printTable(
    'all contacts, us, by distance',
    Object.fromEntries(rows.map(({ distance, ...rest }) => [distance, rest])),
  );
  // Where the lamps touch: apart from each other the machine and software test a few pairs at most.
  const touching = rows.filter(({ contacts }) => contacts > 0);
  /** @param {'machine18' | 'machine35' | 'kernel' | 'descent' | 'fcl'} name */
  const of = (name) => {
    const values = touching.map((row) => row[name]);
    return values.includes(null) || values.length === 0 ? null : mean(values.map(Number));
  };
  const [machine, narrow, kernel, descent, fcl] = [
    of('machine35'),
    of('machine18'),
    of('kernel'),
    of('descent'),
    of('fcl'),
  ];
  /** How many times as long software takes. @param {number | null} time */
  const ratio = (time) => (time === null || machine === null ? null : digits(time / machine));
  const ratios = { machine18: ratio(narrow), kernel: ratio(kernel), descent: ratio(descent), fcl: ratio(fcl) };
  console.log('\ntimes over that of the machine of 35 bits:', JSON.stringify(ratios));
  keep({
    ...counts,
    triangles: lamp(quick).triangles.length / 3,
    runs: counts.rounds,
    megahertz: quick ? null : clockOfProcessor(),
    machineMegahertz: 100,
    byDistance: rows,
    ratios,
    // Section 6.2.
    paper: { triangles: 5947, factor: 4, softwareMegahertz: 1000 },
  });
}
