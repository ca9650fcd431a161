/**
 * The highest point below planes, within a box: the greatest t with t <= e_i + n_i . y for every i,
 * and |y_k| <= h_k.
 *
 * Its dual is to mix the planes so that the mixture is low everywhere:
 *
 *   least  sum w_i e_i + sum h_k |sum w_i n_ik|,   w_i >= 0, sum w_i = 1,
 *
 * Walls are planes that the point must not be above, whatever its height: e_j + n_j . y >= 0. They
 * join the mixture with any weights v_j >= 0, which do not count in the sum. It is
 * a program of four rows, solved by the simplex method (G. Dantzig, "Linear Programming and
 * Extensions", 1963) on its tableau. Nothing rests on how good the weights are: any weights give an
 * upper bound, which is computed from them with its rounding.
 */

/** Planes at most. */
export const MOST_PLANES = 16;

/** Weights, then the parts of the mixture along +x, +y, +z and -x, -y, -z, then the right side. */
const COLUMNS = MOST_PLANES + 7;
const RIGHT = COLUMNS - 1;
const POSITIVE = MOST_PLANES;
const NEGATIVE = MOST_PLANES + 3;
/** Of the program: the sum of the weights, the mixture's three coordinates, and what is left to gain. */
const ROWS = 5;
const GAIN = 4;
/** Most steps; a few are taken. What is not the least by then is an upper bound all the same. */
const MOST_STEPS = 40;
/** Relative gains that are not worth a step. */
const LITTLE = 2 ** -40;

const tableau = new Float64Array(ROWS * COLUMNS);
const basis = new Int32Array(4);

/** Planes over a box, and where the highest point below them is. */
export class Roof {
  count = 0;
  /** Heights of the planes above the box's middle. */
  readonly heights = new Float64Array(MOST_PLANES);
  /** x, y, z each: how they rise. */
  readonly slopes = new Float64Array(3 * MOST_PLANES);
  /** 1 a plane that is a wall. */
  readonly isWall = new Uint8Array(MOST_PLANES);
  /** Half of what the box spans along x, y, z. */
  readonly half = new Float64Array(3);
  /** About where the highest point is, from the box's middle. */
  readonly top = new Float64Array(3);
  /** 1 a plane that the highest point is below of, and would be higher without. */
  readonly isTight = new Uint8Array(MOST_PLANES);

  /** No less than what the lowest plane gives by itself. */
  private single = 0;

  /** No less than the height of the highest point; Infinity where there is no plane but walls. */
  solve(): number {
    if (!this.begin()) {
      this.top.fill(0);
      return Number.POSITIVE_INFINITY;
    }
    for (let step = 0; step < MOST_STEPS; step++) if (!this.step()) break;
    for (let k = 0; k < 3; k++) {
      // Minus the multipliers of the rows, as the costs of +k and of -k have them.
      const row = GAIN * COLUMNS;
      const y = (tableau[row + NEGATIVE + k] - tableau[row + POSITIVE + k]) / 2;
      this.top[k] = Math.max(-this.half[k], Math.min(this.half[k], y));
    }
    return Math.min(this.single, this.bound());
  }

  /** Whether a wall leaves nothing of the box, but for rounding of 2^-46 of its size. */
  isEmpty = false;

  /** The plane that is lowest by itself has all the weight; false where there is none. */
  private begin(): boolean {
    const { count, heights, slopes, half, isWall } = this;
    let best = -1;
    this.isEmpty = false;
    let least = Number.POSITIVE_INFINITY;
    for (let i = 0; i < count; i++) {
      let highest = heights[i];
      for (let k = 0; k < 3; k++) highest += half[k] * Math.abs(slopes[3 * i + k]);
      if (isWall[i] === 1) {
        if (highest < 0) this.isEmpty = true;
        continue;
      }
      if (highest < least) {
        least = highest;
        best = i;
      }
    }
    if (best < 0) return false;
    this.single = least + 2 ** -46 * (Math.abs(heights[best]) + half[0] + half[1] + half[2]);
    tableau.fill(0);
    for (let i = 0; i < count; i++) {
      tableau[i] = 1 - isWall[i];
      tableau[GAIN * COLUMNS + i] = heights[i];
      for (let k = 0; k < 3; k++) tableau[(1 + k) * COLUMNS + i] = slopes[3 * i + k];
    }
    tableau[RIGHT] = 1;
    for (let k = 0; k < 3; k++) {
      tableau[(1 + k) * COLUMNS + POSITIVE + k] = -1;
      tableau[(1 + k) * COLUMNS + NEGATIVE + k] = 1;
      tableau[GAIN * COLUMNS + POSITIVE + k] = half[k];
      tableau[GAIN * COLUMNS + NEGATIVE + k] = half[k];
    }
    pivot(0, best);
    for (let k = 0; k < 3; k++) pivot(1 + k, slopes[3 * best + k] >= 0 ? POSITIVE + k : NEGATIVE + k);
    return true;
  }

  /** Exchanges one column of the basis; false where none gains. */
  private step(): boolean {
    const gains = GAIN * COLUMNS;
    let scale = Math.abs(tableau[gains + RIGHT]);
    for (let k = 0; k < 3; k++) scale = Math.max(scale, this.half[k]);
    let entering = -1;
    let most = -LITTLE * scale;
    for (let column = 0; column < RIGHT; column++) {
      if (column >= this.count && column < POSITIVE) continue;
      const gain = tableau[gains + column];
      if (gain >= most) continue;
      most = gain;
      entering = column;
    }
    if (entering < 0) return false;
    let leaving = -1;
    let least = Number.POSITIVE_INFINITY;
    for (let row = 0; row < 4; row++) {
      const rate = tableau[row * COLUMNS + entering];
      if (rate <= LITTLE) continue;
      const ratio = tableau[row * COLUMNS + RIGHT] / rate;
      if (ratio >= least) continue;
      least = ratio;
      leaving = row;
    }
    if (leaving < 0) return false;
    pivot(leaving, entering);
    return true;
  }

  /** The bound that the weights of the basis give, rounded up. */
  private bound(): number {
    const { heights, slopes, half, isTight, isWall } = this;
    isTight.fill(0);
    let sum = 0;
    let height = 0;
    let size = 0;
    let length = 0;
    let [x, y, z] = [0, 0, 0];
    for (let row = 0; row < 4; row++) {
      const i = basis[row];
      const weight = tableau[row * COLUMNS + RIGHT];
      if (i >= this.count || !(weight > 0)) continue;
      isTight[i] = 1;
      if (isWall[i] === 0) sum += weight;
      length += weight;
      height += weight * heights[i];
      size += weight * Math.abs(heights[i]);
      x += weight * slopes[3 * i];
      y += weight * slopes[3 * i + 1];
      z += weight * slopes[3 * i + 2];
    }
    // Slopes are no longer than 2, so the sums of their products are within 2^-48 of the extents.
    const spread = half[0] * Math.abs(x) + half[1] * Math.abs(y) + half[2] * Math.abs(z);
    const rounding = 2 ** -46 * (size + length * (half[0] + half[1] + half[2]));
    const bound = (height + spread + rounding) / sum;
    return sum > 0 && !Number.isNaN(bound) ? bound + Math.abs(bound) * 2 ** -50 : Number.POSITIVE_INFINITY;
  }
}

/** Makes a column the basis's in a row. */
function pivot(row: number, column: number): void {
  const at = row * COLUMNS;
  const scale = 1 / tableau[at + column];
  for (let c = 0; c < COLUMNS; c++) tableau[at + c] *= scale;
  for (let r = 0; r < ROWS; r++) {
    const factor = tableau[r * COLUMNS + column];
    if (r === row || factor === 0) continue;
    for (let c = 0; c < COLUMNS; c++) tableau[r * COLUMNS + c] -= factor * tableau[at + c];
  }
  basis[row] = column;
}
