// What the machine of A. Raabe, S. Hochguertel, J. K. Anlauf, G. Zachmann, "Hardware-Accelerated
// Collision Detection using Bounded-Error Fixed-Point Arithmetic", 2006, is made of: widths, counts
// and cycles. README.md says which of them the paper states and which are our assumptions.

/**
 * @typedef {object} Parameters
 * @property {number} bits width of a coefficient, sign included; the tree's own where left out
 * @property {number} mappingBits bits of P' after the point, at most
 * @property {number} axes n: axes that a pair of nodes is tested on
 * @property {boolean} isFurther more axes, up to all that are prepared, while the next pair is
 *   being loaded (Figure 7)
 * @property {number} edgeAxes edge x edge axes that follow those of the faces
 * @property {number} pipelines axes of a pair that are tested side by side
 * @property {'ahead' | 'search' | 'queue'} order which pair is fetched next: `ahead`, the top of a
 *   stack of tests, before the results of the last ones are known; `search`, the pair that the
 *   search tests next, for whose choice results are waited for; `queue`, the oldest
 * @property {boolean} isKept whether a node in the registers that the next pair needs stays there
 * @property {number} wordBits of the memory, a cycle
 * @property {number} burstWords words of a burst
 * @property {number} burstDelay cycles before a burst's first word
 * @property {number} linkBits of a node, beside its coefficients
 * @property {number} triangleBits of a triangle
 * @property {number} triangleCycles of a test of two triangles
 * @property {number} deltaBits of a coefficient stored as its difference from the parent's; 0
 *   stores
 *   coefficients themselves
 * @property {number} cacheNodes nodes that a cache holds; 0: no cache
 */

/** Clock of memory and pipeline: cycles a microsecond (sections 5.3 and 6). */
export const CYCLES_A_MICROSECOND = 100;

/** Bits of the shift that a node with stored differences has beside its link: of up to 64. */
export const SHIFT_BITS = 6;

/** Widths that one 18-bit multiplier takes, and that further limbs add: a limb has no sign. */
const LIMB = 17;

/** The paper's machine, as it was built: 24-DOPs of 35 bits, 24 axes (section 6.1). */
export const PAPER = /** @type {const} */ ({
  bits: 35,
  mappingBits: 34,
  axes: 24,
  isFurther: false,
  edgeAxes: 0,
  pipelines: 1,
  order: 'ahead',
  isKept: true,
  wordBits: 64,
  burstWords: 8,
  burstDelay: 2,
  linkBits: 64,
  triangleBits: 9 * 32,
  triangleCycles: 20,
  deltaBits: 0,
  cacheNodes: 0,
});

/**
 * The paper's machine, but for what is given. P' is as wide as a coefficient without its sign,
 * which it does not need.
 *
 * @param {Partial<Parameters>} [changes]
 * @returns {Parameters}
 */
export function parametersOf(changes = {}) {
  const bits = changes.bits ?? PAPER.bits;
  return { ...PAPER, mappingBits: bits - 1, ...changes };
}

/**
 * Bursts that a node takes. With 64 bits of link, 24 coefficients of 18 bits fill one and of 40
 * bits two: the steps of Figure 3.
 *
 * @param {number} k coefficients
 * @param {Parameters} parameters
 */
export function burstsOfNode(k, { bits, deltaBits, linkBits, wordBits, burstWords }) {
  const stored = deltaBits > 0 ? k * deltaBits + SHIFT_BITS : k * bits;
  return Math.ceil((stored + linkBits) / (wordBits * burstWords));
}

/** Bursts that a triangle takes. @param {Parameters} parameters */
export const burstsOfTriangle = ({ triangleBits, wordBits, burstWords }) =>
  Math.ceil(triangleBits / (wordBits * burstWords));

/** Cycles of a burst. @param {Parameters} parameters */
export const cyclesOfBurst = ({ burstDelay, burstWords }) => burstDelay + burstWords;

/**
 * Stages of the pipeline: seven (section 5.1), and two more for 35 bits (section 6.1), whose
 * products take 18-bit multipliers more than one step. Wider ones: two for each doubling of limbs.
 *
 * @param {number} bits
 */
export const stagesFor = (bits) => 7 + 2 * Math.ceil(Math.log2(Math.ceil((bits - 1) / LIMB)));
