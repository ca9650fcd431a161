// Eq. 21 of Raabe et al. 2006, the bound of the fixed-point error, by exact arithmetic
// (kdop-exact.mjs): err = diff - diff' of every axis of every pair of nodes that a traversal by
// eqs. 3 to 6 tests, against 0 and the bound, by bits, k and level. And false positives: pairs that
// eqs. 3 to 6 separate and eqs. 7 to 10 do not. The premises of section 4.3, by sets of directions.
//
//   npm run bench -- papers/kdop-error
import { compose } from 'gicollide';
import { DOP_SIZES, dopDirections } from '#src/representations/kdop/tree/dop-directions';
import { direction, randomTurn, seeded, shift } from '../inputs.mjs';
import { digits, mean, printTable, sum } from '../race.mjs';
import { excess, fitness, seededDirections } from './kdop-directions.mjs';
import {
  bound,
  exactAxes,
  exactTraversal,
  exactTree,
  fixedEnds,
  fixedShift,
  poseOnGrid,
  roundedUp,
  scaled,
  WEIGHT,
} from './kdop-exact.mjs';
import { lamp } from './kdop-scene.mjs';

/** @typedef {import('./kdop-exact.mjs').Bits} Bits */
/** @typedef {import('./kdop-exact.mjs').ExactAxis} ExactAxis */
/** @typedef {import('./kdop-exact.mjs').ExactTree} ExactTree */
/** @typedef {import('./kdop-exact.mjs').Pair} Pair */
/** @typedef {import('#src/representations/kdop/tree/dop-directions').DopSize} DopSize */

const SEED = 21;
const WIDTHS = [8, 9, 10, 11, 12, 14, 16, 18, 20, 22, 26, 30, 35];
/** Widths at which all k are measured. */
const WIDTHS_OF_K = [8, 12, 16, 18, 35];
/** Bits of one kind; the others have MIDDLE bits. */
const APART = [8, 10, 12, 14, 16, 18, 20, 24];
const MIDDLE = 16;
const DISTANCES = [0.5, 0.6];

/** @param {boolean} quick */
function posesOf(quick) {
  const random = seeded(SEED);
  return Array.from({ length: quick ? 1 : 6 }, () => ({ turn: randomTurn(random), along: direction(random) })).flatMap(
    ({ turn, along }) => (quick ? [0.05] : DISTANCES).map((far) => poseOnGrid(compose(shift(along, far), turn))),
  );
}

/** Errors, as shares of the bound. */
class Errors {
  count = 0;
  least = Number.POSITIVE_INFINITY;
  greatest = 0;
  total = 0;
  /** Errors that are not proved to be at least 0. */
  below = 0;
  apart = 0;
  falsePositives = 0;

  /** @param {number} share @param {boolean} isProved */
  add(share, isProved) {
    this.count++;
    this.least = Math.min(this.least, share);
    this.greatest = Math.max(this.greatest, share);
    this.total += share;
    if (!isProved) this.below++;
  }

  /** @param {Pair} pair @param {boolean} isFixedApart */
  addPair({ isApart }, isFixedApart) {
    if (isFixedApart && !isApart) throw new Error('fixed point separates what eqs. 3 to 6 do not');
    if (isApart) this.apart++;
    if (isApart && !isFixedApart) this.falsePositives++;
  }

  get figures() {
    return {
      tests: this.count,
      least: digits(this.least, 2),
      mean: digits(this.total / this.count),
      greatest: digits(this.greatest),
      below: this.below,
      apart: this.apart,
      falsePositives: this.falsePositives,
      falseShare: digits(this.falsePositives / Math.max(1, this.apart), 2),
    };
  }
}

/** @typedef {{ axes: ExactAxis[], pairs: Pair[] }} Sample */

/**
 * Errors over samples, of all and by level.
 *
 * @param {ExactTree} tree
 * @param {readonly Sample[]} samples
 * @param {Bits} bits
 */
function errorsOf(tree, samples, bits) {
  const { b, c, z } = bits;
  const { k, largest } = tree;
  const rounded = roundedUp(tree, b, largest);
  const most = bound(bits);
  const all = new Errors();
  /** @type {Errors[]} */
  const byLevel = [];
  // To units 2^-FINE, times H.
  const imageShift = BigInt(WEIGHT - b - c);
  const pShift = BigInt(WEIGHT - z);
  const truncated = 1n << pShift;
  for (const { axes, pairs } of samples) {
    /** @param {'a' | 'b'} side */
    const cached = (side) => {
      /** @type {Map<number, bigint[]>} */
      const known = new Map();
      return (/** @type {number} */ node) => {
        let ends = known.get(node);
        if (!ends) {
          ends = axes.flatMap((axis) => fixedEnds(rounded, k * node, axis[side], c)).map((x) => x << imageShift);
          known.set(node, ends);
        }
        return ends;
      };
    };
    const [endsA, endsB] = [cached('a'), cached('b')];
    const shifts = axes.map(({ shift }) => fixedShift(shift, largest, z) << pShift);
    for (const pair of pairs) {
      const level = (byLevel[pair.level] ??= new Errors());
      const [a, b] = [endsA(pair.a), endsB(pair.b)];
      let isFixedApart = false;
      for (const [i, p] of shifts.entries()) {
        const first = a[2 * i] + p + b[2 * i + 1];
        const second = a[2 * i + 1] - (p + truncated) + b[2 * i];
        const fixed = first > second ? first : second;
        const [exact1, exact2] = [pair.diffs[2 * i], pair.diffs[2 * i + 1]];
        const error = (exact1 > exact2 ? exact1 : exact2) - fixed * largest;
        if (fixed > 0n) isFixedApart = true;
        const share = scaled(error, largest) / most;
        for (const errors of [all, level]) errors.add(share, error >= 0n);
      }
      for (const errors of [all, level]) errors.addPair(pair, isFixedApart);
    }
  }
  return {
    bits,
    bound: digits(most),
    ...all.figures,
    byLevel: byLevel.map(({ figures }, n) => ({ level: n, ...figures })),
  };
}

/** @param {readonly Sample[]} samples */
const leastPOf = (samples) =>
  Math.min(...samples.flatMap(({ axes }) => axes.flatMap(({ a, b }) => [...a.weights, ...b.weights])).map(Number)) /
  2 ** WEIGHT;

const equal = (/** @type {number} */ n) => ({ b: n, c: n, z: n });

/** @param {boolean} quick */
function measured(quick) {
  const poses = posesOf(quick);
  const byK = [];
  let [byBits, apart, byLevel] = /** @type {any[]} */ ([[], [], []]);
  for (const k of DOP_SIZES) {
    const tree = exactTree(lamp(quick), k);
    const samples = poses.map((pose) => {
      const axes = exactAxes(k, pose);
      return { axes, pairs: exactTraversal(tree, tree, axes) };
    });
    const widths = quick ? [8, 16, 35] : k === 24 ? WIDTHS : WIDTHS_OF_K;
    const errors = widths.map((n) => {
      const { byLevel: levels, ...figures } = errorsOf(tree, samples, equal(n));
      if (k === 24 && (n === MIDDLE || n === 8)) byLevel.push({ bits: n, levels });
      return figures;
    });
    byK.push({
      k,
      pairs: sum(samples.map(({ pairs }) => pairs.length)),
      leastP: digits(leastPOf(samples), 4),
      errors: errors.filter(({ bits }) => WIDTHS_OF_K.includes(bits.b)),
    });
    if (k !== 24) continue;
    byBits = errors;
    const narrow = quick ? [8, 16] : APART;
    apart = ['b', 'c', 'z'].map((name) => ({
      name,
      errors: narrow.map((n) => {
        const { byLevel: _, ...figures } = errorsOf(tree, samples, { ...equal(MIDDLE), [name]: n });
        return figures;
      }),
    }));
  }
  return { poses: poses.length, byK, byBits, apart, byLevel };
}

/** Our sets, and others. @returns {[string, number[][]][]} */
function namedSets() {
  // biome-ignore format: four corners
  const corners = [[1, 1, 1], [1, 1, -1], [1, -1, 1], [-1, 1, 1]];
  // biome-ignore format: three directions
  const lean = [[1, 0, 0], [0.5, Math.sqrt(0.75), 0], [0, 0, 1]];
  return [
    ...DOP_SIZES.map((k) => /** @type {[string, number[][]]} */ ([`k = ${k}`, halfOf(k)])),
    ["an octahedron's faces", corners],
    ['a leaning box, 60 degrees', lean],
  ];
}

/** @param {DopSize} k */
const halfOf = (k) =>
  Array.from({ length: k / 2 }, (_, i) => Array.from(dopDirections(k).vectors.subarray(3 * i, 3 * i + 3)));

/** @param {boolean} quick */
function premises(quick) {
  const sample = { turns: quick ? 4 : 60, axes: quick ? 4 : 40, seed: SEED };
  const rounded = (/** @type {ReturnType<typeof fitness>} */ { k, dihedral, taken, leastP, rMax, vertices }) => ({
    ...{ k, dihedral: digits(dihedral, 4), taken: digits(taken, 4), leastP: digits(leastP, 4) },
    ...{ rMax: digits(rMax, 4), vertices },
  });
  const sets = namedSets().map(([name, half]) => ({
    ...{ name, ...rounded(fitness(half)) },
    excess: digits(excess(half, sample)),
  }));
  const count = quick ? 2 : 40;
  const random = [14, 24].flatMap((k) =>
    [0, 200].map((steps) => {
      const found = Array.from({ length: count }, (_, i) => seededDirections(k, SEED + i, steps)).map((half) => ({
        ...fitness(half),
        excess: excess(half, sample),
      }));
      const acute = found.filter(({ dihedral }) => dihedral < 90);
      return {
        k,
        isPushed: steps > 0,
        count,
        acute: acute.length,
        leastP: digits(Math.min(...found.map(({ leastP }) => leastP))),
        excess: digits(mean(found.map((each) => each.excess))),
      };
    }),
  );
  return { directions: sets, random };
}

/** @param {import('../race.mjs').Run} run */
export default function kdopError({ quick, keep }) {
  const found = { ...premises(quick), ...measured(quick) };
  printTable('directions', Object.fromEntries(found.directions.map(({ name, ...rest }) => [name, rest])));
  printTable('random ones', Object.fromEntries(found.random.map((each, i) => [i, /** @type {any} */ (each)])));
  /** @param {string} title @param {readonly any[]} errors */
  const print = (title, errors) =>
    printTable(title, Object.fromEntries(errors.map(({ bits: { b, c, z }, ...rest }) => [`${b} ${c} ${z}`, rest])));
  print('k = 24, b c z', found.byBits);
  for (const { name, errors } of found.apart) print(`only ${name}`, errors);
  for (const { k, errors } of found.byK) print(`k = ${k}`, errors);
  for (const { bits, levels } of found.byLevel) {
    printTable(
      `by level, ${bits} bits`,
      Object.fromEntries(levels.map((/** @type {any} */ each) => [each.level, each])),
    );
  }
  keep({ triangles: lamp(quick).triangles.length / 3, runs: 1, ...found });
}
