// A helicopter of sixteen primitives, balls and prisms, each a square grid of samples wrapped around
// it. Only + - x / and sqrt are used, so it is the same on any engine.
//
// Frame: x forward, y to the left, z up; the main rotor turns about the z axis and is 1 wide.
import { STEPS } from './grid-image.mjs';

/** @typedef {readonly [number, number, number]} Triple */

/**
 * @typedef {object} Primitive
 * @property {'ball' | 'rod' | 'box'} shape a ball, a prism of round section, one of square section
 * @property {0 | 1 | 2} along which axis its poles or ends lie
 * @property {Triple} centre
 * @property {Triple} half its extent from the centre, along x, y and z
 * @property {number} [narrower] how much less wide it is at its low end
 */

/** @type {Readonly<Record<string, Primitive>>} */
const PRIMITIVES = {
  cabin: { shape: 'ball', along: 0, centre: [0.05, 0, 0], half: [0.22, 0.1, 0.11] },
  nose: { shape: 'ball', along: 0, centre: [0.18, 0, -0.02], half: [0.13, 0.085, 0.085] },
  engine: { shape: 'ball', along: 0, centre: [-0.04, 0, 0.1], half: [0.16, 0.06, 0.05] },
  boom: { shape: 'rod', along: 0, centre: [-0.37, 0, 0.04], half: [0.27, 0.045, 0.045], narrower: 0.6 },
  fin: { shape: 'box', along: 2, centre: [-0.61, 0, 0.11], half: [0.035, 0.006, 0.1] },
  stabiliser: { shape: 'box', along: 1, centre: [-0.5, 0, 0.04], half: [0.03, 0.11, 0.005] },
  mast: { shape: 'rod', along: 2, centre: [0, 0, 0.17], half: [0.014, 0.014, 0.05] },
  hub: { shape: 'ball', along: 2, centre: [0, 0, 0.22], half: [0.03, 0.03, 0.014] },
  'front blade': { shape: 'box', along: 0, centre: [0.26, 0, 0.22], half: [0.24, 0.018, 0.003] },
  'rear blade': { shape: 'box', along: 0, centre: [-0.26, 0, 0.22], half: [0.24, 0.018, 0.003] },
  'left blade': { shape: 'box', along: 1, centre: [0, 0.26, 0.22], half: [0.018, 0.24, 0.003] },
  'right blade': { shape: 'box', along: 1, centre: [0, -0.26, 0.22], half: [0.018, 0.24, 0.003] },
  'left skid': { shape: 'rod', along: 0, centre: [0.03, 0.1, -0.17], half: [0.22, 0.009, 0.009] },
  'right skid': { shape: 'rod', along: 0, centre: [0.03, -0.1, -0.17], half: [0.22, 0.009, 0.009] },
  legs: { shape: 'box', along: 1, centre: [0.03, 0, -0.13], half: [0.012, 0.1, 0.045] },
  'tail rotor': { shape: 'rod', along: 1, centre: [-0.62, 0.025, 0.14], half: [0.07, 0.004, 0.07] },
};

/** Charts of an image. */
export const CHARTS = Object.keys(PRIMITIVES).length;

/**
 * Round a section once, from u = 0 to 1: a square standing on its corner, blown up to a circle or to
 * an upright square.
 *
 * @param {number} u
 * @param {boolean} isRound
 */
function sectionAt(u, isRound) {
  const turn = 4 * u;
  const x = Math.abs(turn - 2) - 1;
  const y = turn <= 2 ? 1 - Math.abs(turn - 1) : Math.abs(turn - 3) - 1;
  const length = isRound ? Math.sqrt(x * x + y * y) : Math.max(Math.abs(x), Math.abs(y));
  return [x / length, y / length];
}

/**
 * From one end to the other, v = 0 to 1: how far from the axis, and where along it, from -1 to 1.
 *
 * @param {number} v
 * @param {boolean} isBall
 */
function profileAt(v, isBall) {
  if (isBall) {
    const along = 2 * v - 1;
    const away = 1 - Math.abs(along);
    const length = Math.sqrt(along * along + away * away);
    return [away / length, along / length];
  }
  // A quarter of the rows for each end.
  if (v <= 0.25) return [4 * v, -1];
  if (v >= 0.75) return [4 - 4 * v, 1];
  return [1, 4 * v - 2];
}

/**
 * The helicopter's samples, chart after chart.
 *
 * @param {number} exponent of a chart
 * @param {number} width of the main rotor, model units
 */
export function helicopter(exponent, width) {
  const side = 2 ** exponent;
  const primitives = Object.values(PRIMITIVES);
  const lowest = [0, 1, 2].map((k) => Math.min(...primitives.map(({ centre, half }) => centre[k] - half[k])));
  const highest = [0, 1, 2].map((k) => Math.max(...primitives.map(({ centre, half }) => centre[k] + half[k])));
  const extent = Math.max(...highest.map((x, k) => x - lowest[k]));
  const samples = new Uint16Array(CHARTS * 3 * (side + 1) ** 2);
  const sections = [true, false].map((isRound) =>
    Float64Array.from({ length: 2 * (side + 1) }, (_, i) => sectionAt((i >> 1) / side, isRound)[i & 1]),
  );
  let at = 0;
  for (const { shape, along, centre, half, narrower = 0 } of primitives) {
    const section = sections[shape === 'box' ? 1 : 0];
    const [across, up] = [(along + 1) % 3, (along + 2) % 3];
    for (let row = 0; row <= side; row++) {
      const [away, forward] = profileAt(row / side, shape === 'ball');
      const wide = away * (1 - (narrower * (1 - forward)) / 2);
      for (let column = 0; column <= side; column++, at += 3) {
        samples[at + along] = stepsOf(centre[along] + half[along] * forward, along);
        samples[at + across] = stepsOf(centre[across] + half[across] * wide * section[2 * column], across);
        samples[at + up] = stepsOf(centre[up] + half[up] * wide * section[2 * column + 1], up);
      }
    }
  }
  /** @param {number} x @param {number} k */
  function stepsOf(x, k) {
    return Math.round(((x - lowest[k]) / extent) * STEPS);
  }
  return {
    ...{ name: 'helicopter', exponent, charts: CHARTS, samples },
    origin: Float64Array.from(lowest, (x) => x * width),
    step: (extent * width) / STEPS,
  };
}
