// A fractal terrain by midpoint displacement (A. Fournier, D. Fussell, L. Carpenter, "Computer
// rendering of stochastic models", CACM 25(6), 1982): the middle of each square, then of each edge,
// is the mean of its neighbours and a random part, which shrinks from level to level.
//
// Only + - x / are used, so it is the same on any engine. Random numbers are drawn level by level,
// each level from a seed of its own, so a terrain's every other sample is the next smaller terrain.
import { seeded } from '../inputs.mjs';
import { STEPS } from './grid-image.mjs';

/** Height of the first displacements, either way, where the terrain is 1 wide. */
const RELIEF = 0.15;
/** Ratio of a level's displacements to those of the level above. */
const ROUGHNESS = 0.55;

/**
 * Heights of (2^exponent + 1)^2 samples, row by row, over a square 1 wide.
 *
 * @param {number} exponent
 * @param {number} seed
 */
export function heightsOf(exponent, seed) {
  const side = 2 ** exponent;
  const size = side + 1;
  const heights = new Float64Array(size * size);
  let relief = RELIEF;
  for (let level = 0, step = side; step > 1; level++, step /= 2) {
    const random = seeded(64 * seed + level);
    const displaced = (/** @type {number} */ mean) => mean + relief * (2 * random() - 1);
    const half = step / 2;
    for (let row = half; row < side; row += step) {
      for (let column = half; column < side; column += step) {
        const [above, below] = [(row - half) * size + column, (row + half) * size + column];
        heights[row * size + column] = displaced(
          (heights[above - half] + heights[above + half] + heights[below - half] + heights[below + half]) / 4,
        );
      }
    }
    for (let row = 0; row <= side; row += half) {
      for (let column = row % step === 0 ? half : 0; column <= side; column += step) {
        const at = row * size + column;
        heights[at] = displaced(meanOfNeighbours(heights, size, row, column, half));
      }
    }
    relief *= ROUGHNESS;
  }
  return heights;
}

/**
 * Of the two to four samples that are `half` above, below, left and right.
 *
 * @param {Float64Array} heights
 * @param {number} size
 * @param {number} row
 * @param {number} column
 * @param {number} half
 */
function meanOfNeighbours(heights, size, row, column, half) {
  const at = row * size + column;
  let [total, count] = [0, 0];
  if (row >= half) [total, count] = [total + heights[at - half * size], count + 1];
  if (row + half < size) [total, count] = [total + heights[at + half * size], count + 1];
  if (column >= half) [total, count] = [total + heights[at - half], count + 1];
  if (column + half < size) [total, count] = [total + heights[at + half], count + 1];
  return total / count;
}

/**
 * The terrain as samples of one chart: x and y from 0 to 1.
 *
 * @param {number} exponent
 * @param {number} seed
 */
export function terrain(exponent, seed) {
  const heights = heightsOf(exponent, seed);
  const size = 2 ** exponent + 1;
  const low = heights.reduce((least, height) => Math.min(least, height));
  const samples = new Uint16Array(3 * heights.length);
  for (let i = 0, row = 0; row < size; row++) {
    for (let column = 0; column < size; column++, i++) {
      samples[3 * i] = Math.round((column / (size - 1)) * STEPS);
      samples[3 * i + 1] = Math.round((row / (size - 1)) * STEPS);
      samples[3 * i + 2] = Math.round((heights[i] - low) * STEPS);
    }
  }
  return { name: 'terrain', exponent, charts: 1, samples, origin: Float64Array.of(0, 0, low), step: 1 / STEPS };
}
