// Inputs of the experiments of Raabe et al. 2006: two headlights at different distances and with
// different rotations (section 6.2), and the machine's means over them.
import { build, compose, identity } from 'gicollide';
import { direction, randomTurn, seeded, shift } from '../inputs.mjs';
import { mean, round, sum } from '../race.mjs';
import { headlight } from './headlight.mjs';
import { runMachine } from './kdop-machine/machine.mjs';

/** @typedef {import('gicollide').KdopTree} KdopTree */
/** @typedef {import('gicollide').Pose} Pose */
/** @typedef {import('./kdop-machine/machine.mjs').Answer} Answer */
/** @typedef {import('./kdop-machine/parameters.mjs').Parameters} Parameters */

/** Share of the lamp's triangles that --quick takes. */
const QUICK_SHARE = 0.08;

/** @param {boolean} quick */
export const lamp = (quick) => headlight(quick ? QUICK_SHARE : 1);

/** The format's widest coefficients; wider ones are rounded by the model. */
const MOST_BITS = 36;

/** @type {Map<string, KdopTree>} */
const trees = new Map();

/**
 * The lamp's tree for coefficients of so many bits.
 *
 * @param {boolean} quick
 * @param {number} bits
 */
export function lampTree(quick, bits) {
  const stored = Math.min(bits, MOST_BITS);
  const name = `${quick} ${stored}`;
  const tree = trees.get(name) ?? build(lamp(quick), { format: 'kdop', k: 24, bits: stored });
  trees.set(name, tree);
  return tree;
}

/**
 * Poses of b: at each distance the same turns and directions.
 *
 * @param {readonly number[]} distances of the centres, diagonals of the lamp
 * @param {number} rotations
 * @param {number} seed
 * @returns {Pose[][]} of each distance
 */
export function posesByDistance(distances, rotations, seed) {
  const random = seeded(seed);
  const placed = Array.from({ length: rotations }, () => ({ turn: randomTurn(random), along: direction(random) }));
  return distances.map((distance) => placed.map(({ turn, along }) => compose(shift(along, distance), turn)));
}

/** Distances of most experiments, from deep in each other to nearly apart. */
const distancesOf = (/** @type {boolean} */ quick) => (quick ? [0.05] : [0.3, 0.5, 0.6]);

/**
 * Poses of most experiments: two rotations at each distance, one for --quick.
 *
 * @param {boolean} quick
 */
export const posesOf = (quick) => posesByDistance(distancesOf(quick), quick ? 1 : 2, 2006).flat();

/**
 * All contacts at a pose, by the machine.
 *
 * @param {boolean} quick
 * @param {Pose} pose
 * @param {Partial<Parameters>} changes
 */
export function answer(quick, pose, changes) {
  const tree = lampTree(quick, changes.bits ?? MOST_BITS);
  return runMachine(tree, tree, identity(), pose, changes);
}

/**
 * Means over poses.
 *
 * @param {boolean} quick
 * @param {readonly Pose[]} poses
 * @param {Partial<Parameters> & { bits: number }} changes
 */
export function means(quick, poses, changes) {
  return summary(poses.map((pose) => answer(quick, pose, changes)));
}

/** @param {readonly Answer[]} answers */
export function summary(answers) {
  /** @param {(each: Answer) => number} value */
  const of = (value, decimals = 1) => round(mean(answers.map(value)), decimals);
  return {
    microseconds: of((each) => each.microseconds, 2),
    pairs: of((each) => each.pairs),
    tests: of((each) => each.axes),
    triangles: of((each) => each.triangles),
    bursts: of((each) => each.memory.bursts),
    memoryBusy: round(sum(answers.map(({ memory }) => memory.busy)) / sum(answers.map(({ cycles }) => cycles)), 3),
    contacts: sum(answers.map(({ contacts }) => contacts.length)),
  };
}
