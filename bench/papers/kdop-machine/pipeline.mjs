// The pipeline of section 5.1: eq. 22 in seven stages, an axis a cycle and lane.
//
//   1 selection     12 of the 2k coefficients, by the correspondences j
//   2 products      12 of P' and a'; beside them those of the coefficients that are negative
//   3 first sums    of two products, and of two negative coefficients
//   4 second sums   of three: four images, four corrections
//   5 correction    2^-c sn added to each image; the image cut to the common unit
//   6 difference    diff1 and diff2, with p'
//   7 sign          whether one of them is positive
//
// Departure: the paper adds the corrections in stage six, to sums that hold p' already. Ours belong
// to trees with scales of their own, so each image is cut to the common unit first, as
// src/representations/kdop/search/projection.ts proves it right; p' comes in stage six instead.
//
// Wide products take more steps: stage 2 lasts `stages - 6` cycles. The registers of a test move on
// as one record; what a stage computes is written to it when the test enters that stage. Numbers
// are whole: doubles where they hold every sum, else integers of any length.
import { stagesFor } from './parameters.mjs';

/** @typedef {import('./host.mjs').Prepared} Prepared */
/** @typedef {import('./host.mjs').AxisData} AxisData */
/** @typedef {import('./host.mjs').Stored} Stored */
/** @typedef {number | bigint} Whole */

/**
 * A pair of nodes in work: what PipeData knows of it.
 *
 * @typedef {object} Pair
 * @property {number} a
 * @property {number} b
 * @property {number} number its place among the pairs tested
 * @property {boolean} isSeparated an axis was found: further results count for nothing
 */

/**
 * What moves through the stages: an axis of a pair, and its entry of PipeData.
 *
 * @typedef {object} Test
 * @property {Pair} pair
 * @property {number} axis
 * @property {AxisData} data
 * @property {boolean} isLast of the pair
 * @property {Whole[]} chosen coefficients: of a's lower end, upper end, of b's, three each
 * @property {Whole[]} products
 * @property {Whole[]} negative
 * @property {Whole[]} sums
 * @property {Whole[]} corrections
 * @property {Whole[]} images a's lower end, minus its upper end, b's likewise
 * @property {Whole} diff1
 * @property {Whole} diff2
 * @property {boolean} separates
 */

/** Stage 1. @param {Test} test @param {Stored} a @param {Stored} b @param {Whole} zero */
function select({ pair, data, chosen }, a, b, zero) {
  choose(chosen, 0, a, pair.a, data.facesA, data.isSingleA, zero);
  choose(chosen, 6, b, pair.b, data.facesB, data.isSingleB, zero);
}

/**
 * @param {Whole[]} chosen
 * @param {number} at
 * @param {Stored} tree
 * @param {number} node
 * @param {readonly number[]} faces
 * @param {boolean} isSingle the axis is a face's own: the other two multiplexers give 0
 * @param {Whole} zero
 */
function choose(chosen, at, { k, coefficients }, node, faces, isSingle, zero) {
  for (let i = 0; i < 6; i++) {
    chosen[at + i] = isSingle && i % 3 > 0 ? zero : coefficients[k * node + faces[i]];
  }
}

// What follows takes two whole numbers of one kind, doubles or integers; `any` since no type says
// so.
/** @param {any} x @param {any} y */
const times = (x, y) => x * y;
/** @param {any} x @param {any} y */
const plus = (x, y) => x + y;
/** @param {any} x @param {any} y */
const minus = (x, y) => x - y;

/** Stage 2. @param {Test} test @param {Whole} zero */
function multiply({ data, chosen, products, negative }, zero) {
  for (let i = 0; i < 12; i++) {
    const mapping = i < 6 ? data.mappingA : data.mappingB;
    products[i] = times(mapping[i % 3], chosen[i]);
    negative[i] = chosen[i] < zero ? chosen[i] : zero;
  }
}

/** Stage 3. @param {Test} test */
function addTwo({ products, negative, sums, corrections }) {
  for (let end = 0; end < 4; end++) {
    sums[end] = plus(products[3 * end], products[3 * end + 1]);
    corrections[end] = plus(negative[3 * end], negative[3 * end + 1]);
  }
}

/** Stage 4. @param {Test} test */
function addThird({ products, negative, sums, corrections }) {
  for (let end = 0; end < 4; end++) {
    sums[end] = plus(sums[end], products[3 * end + 2]);
    corrections[end] = plus(corrections[end], negative[3 * end + 2]);
  }
}

/** Stage 5. @param {Test} test @param {Prepared} prepared */
function correct({ sums, corrections, images }, { toUnitA, toUnitB }) {
  for (let end = 0; end < 4; end++) {
    images[end] = (end < 2 ? toUnitA : toUnitB)(plus(sums[end], corrections[end]));
  }
}

/** Stage 6. @param {Test} test */
function subtract(test) {
  const { images, data } = test;
  test.diff1 = plus(plus(images[0], data.below), images[3]);
  test.diff2 = plus(minus(images[1], data.above), images[2]);
}

/** Stage 7. @param {Test} test @param {Whole} zero */
function sign(test, zero) {
  test.separates = test.diff1 > zero || test.diff2 > zero;
}

/**
 * @param {Stored} a
 * @param {Stored} b
 * @param {Prepared} prepared
 * @param {number} bits
 * @param {number} lanes
 */
export function createPipeline(a, b, prepared, bits, lanes) {
  const stages = stagesFor(bits);
  const products = stages - 5;
  const { zero, axes } = prepared;
  /** A shift register of as many tests a stage as there are lanes; slots are used in turn. */
  const slots = Array.from({ length: stages }, () => Array.from({ length: lanes }, () => blank(axes[0], zero)));
  const used = new Array(stages).fill(0);
  let newest = 0;
  let inside = 0;

  /** @param {number} stage from 1 */
  const slotOf = (stage) => (newest - stage + 1 + stages) % stages;
  /** @param {number} stage @param {(test: Test) => void} work */
  function at(stage, work) {
    const slot = slotOf(stage);
    for (let lane = 0; lane < used[slot]; lane++) work(slots[slot][lane]);
  }
  /** @param {Test} test */
  const selects = (test) => select(test, a, b, zero);
  /** @param {Test} test */
  const multiplies = (test) => multiply(test, zero);
  /** @param {Test} test */
  const corrects = (test) => correct(test, prepared);
  /** @param {Test} test */
  const signs = (test) => sign(test, zero);

  return {
    stages,
    get isEmpty() {
      return inside === 0;
    },
    /**
     * Hands out the tests that have left the last stage, in the order of their axes.
     *
     * @param {(test: Test) => void} onResult
     */
    leave(onResult) {
      if (inside === 0) return;
      at(stages, onResult);
      const slot = slotOf(stages);
      inside -= used[slot];
      used[slot] = 0;
    },
    /**
     * A cycle: every test enters its next stage, those given the first. What is in the last has
     * left.
     *
     * @param {Pair | null} pair
     * @param {number} first axis
     * @param {number} count axes, no more than lanes
     * @param {boolean} isLast
     */
    step(pair, first, count, isLast) {
      newest = (newest + 1) % stages;
      used[newest] = count;
      inside += count;
      for (let lane = 0; lane < count && pair !== null; lane++) {
        const test = slots[newest][lane];
        test.pair = pair;
        test.axis = first + lane;
        test.data = axes[first + lane];
        test.isLast = isLast && lane === count - 1;
      }
      if (inside === 0) return;
      at(1, selects);
      at(products, multiplies);
      at(products + 1, addTwo);
      at(products + 2, addThird);
      at(products + 3, corrects);
      at(products + 4, subtract);
      at(stages, signs);
    },
  };
}

/** @param {AxisData} data @param {Whole} zero @returns {Test} */
function blank(data, zero) {
  /** @param {number} length @returns {Whole[]} */
  const row = (length) => new Array(length).fill(zero);
  return {
    pair: { a: 0, b: 0, number: -1, isSeparated: true },
    axis: 0,
    data,
    isLast: false,
    chosen: row(12),
    products: row(12),
    negative: row(12),
    sums: row(4),
    corrections: row(4),
    images: row(4),
    diff1: zero,
    diff2: zero,
    separates: false,
  };
}
