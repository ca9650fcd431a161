/**
 * Bounds the height of points below several roofs, over a convex cell, by mixtures of its corners.
 *
 * A roof is a convex function of a point. Its value at a mixture of corners is no more than the
 * same mixture of its values at the corners. So with m[i][v], the height of roof i at corner v, no
 * point of the cell is below all roofs and higher than
 *
 *   greatest over mixtures x of corners  least over roofs i  sum x_v m[i][v]
 *
 * which is the value of a matrix game. It equals, over mixtures y of roofs,
 *
 *   the least of the greatest, over corners v, of  sum y_i m[i][v]
 *
 * J. von Neumann, "Zur Theorie der Gesellschaftsspiele", 1928; as a linear program by G. Dantzig,
 * 1951, in whose condensed tableau it is solved. Any mixture of roofs gives an upper bound,
 * computed from it with its rounding, so its quality is not critical.
 *
 * Tried: boxes as cells, and over each an affine function above every roof. It needs no corners,
 * but thin oblique cells took thousands of boxes.
 */

import { MOST_CORNERS } from './convex-cell.ts';

export const MOST_ROOFS = 16;

const WIDTH = MOST_ROOFS + 1;
/** Most steps, usually a few. The result is an upper bound even if it is not the least by then. */
const MOST_STEPS = 48;
/** Smaller gains, relative to 1, are not worth a step. */
const LITTLE = 2 ** -40;

/** A row for each corner and one for the gains; a column for each roof and the right side. */
const tableau = new Float64Array((MOST_CORNERS + 1) * WIDTH);
/** The variable of each row and column: a roof i, or ~v for the corner v. */
const rowOf = new Int32Array(MOST_CORNERS);
const columnOf = new Int32Array(MOST_ROOFS);

export class Roof {
  roofs = 0;
  corners = 0;
  /** m[i][v] at MOST_CORNERS i + v. */
  readonly heights = new Float64Array(MOST_ROOFS * MOST_CORNERS);
  /** Weights of the highest mixture of corners, in sum 1, and those of the roofs. */
  readonly ofCorners = new Float64Array(MOST_CORNERS);
  readonly ofRoofs = new Float64Array(MOST_ROOFS);

  /** Returns an upper bound of the value; Infinity without roofs. */
  solve(): number {
    const { roofs, corners, heights, ofCorners, ofRoofs } = this;
    ofCorners.fill(1 / corners, 0, corners);
    ofRoofs.fill(0);
    if (roofs === 0) return Number.POSITIVE_INFINITY;
    let low = Number.POSITIVE_INFINITY;
    let high = Number.NEGATIVE_INFINITY;
    for (let i = 0; i < roofs; i++) {
      for (let v = 0; v < corners; v++) {
        low = Math.min(low, heights[MOST_CORNERS * i + v]);
        high = Math.max(high, heights[MOST_CORNERS * i + v]);
      }
    }
    // Heights from 1 to 2 make the value positive: the y_i over it maximize their sum with corner
    // sums <= 1.
    const scale = high > low ? 1 / (high - low) : 0;
    for (let v = 0; v < corners; v++) {
      const row = WIDTH * v;
      for (let i = 0; i < roofs; i++) tableau[row + i] = 1 + (heights[MOST_CORNERS * i + v] - low) * scale;
      tableau[row + roofs] = 1;
      rowOf[v] = ~v;
    }
    tableau.fill(1, WIDTH * corners, WIDTH * corners + roofs);
    tableau[WIDTH * corners + roofs] = 0;
    for (let i = 0; i < roofs; i++) columnOf[i] = i;
    for (let step = 0; step < MOST_STEPS; step++) if (!this.step()) break;
    this.readMixtures();
    return this.bound(high - low);
  }

  private step(): boolean {
    const { roofs, corners } = this;
    const gains = WIDTH * corners;
    let column = -1;
    let most = LITTLE;
    for (let i = 0; i < roofs; i++) {
      if (tableau[gains + i] <= most) continue;
      most = tableau[gains + i];
      column = i;
    }
    if (column < 0) return false;
    let row = -1;
    let least = Number.POSITIVE_INFINITY;
    for (let v = 0; v < corners; v++) {
      const rate = tableau[WIDTH * v + column];
      if (rate <= LITTLE) continue;
      const ratio = tableau[WIDTH * v + roofs] / rate;
      if (ratio >= least) continue;
      least = ratio;
      row = v;
    }
    if (row < 0) return false;
    const at = WIDTH * row;
    const pivot = 1 / tableau[at + column];
    for (let i = 0; i <= roofs; i++) if (i !== column) tableau[at + i] *= pivot;
    for (let v = 0; v <= corners; v++) {
      const factor = tableau[WIDTH * v + column];
      if (v === row || factor === 0) continue;
      for (let i = 0; i <= roofs; i++) if (i !== column) tableau[WIDTH * v + i] -= factor * tableau[at + i];
      tableau[WIDTH * v + column] = -factor * pivot;
    }
    tableau[at + column] = pivot;
    [rowOf[row], columnOf[column]] = [columnOf[column], rowOf[row]];
    return true;
  }

  private readMixtures(): void {
    const { roofs, corners, ofCorners, ofRoofs } = this;
    let sum = 0;
    for (let v = 0; v < corners; v++) {
      const part = tableau[WIDTH * v + roofs];
      if (rowOf[v] < 0 || !(part > 0)) continue;
      ofRoofs[rowOf[v]] = part;
      sum += part;
    }
    for (let i = 0; i < roofs; i++) ofRoofs[i] /= sum;
    let total = 0;
    for (let i = 0; i < roofs; i++) total += partOf(i, corners);
    if (!(total > 0)) return;
    ofCorners.fill(0, 0, corners);
    for (let i = 0; i < roofs; i++) if (columnOf[i] < 0) ofCorners[~columnOf[i]] = partOf(i, corners) / total;
  }

  private bound(range: number): number {
    const { roofs, corners, heights, ofRoofs } = this;
    let least = Number.POSITIVE_INFINITY;
    for (let i = 0; i < roofs; i++) {
      let most = Number.NEGATIVE_INFINITY;
      for (let v = 0; v < corners; v++) most = Math.max(most, heights[MOST_CORNERS * i + v]);
      if (most < least) least = most;
    }
    let sum = 0;
    for (let i = 0; i < roofs; i++) sum += ofRoofs[i];
    let mixed = Number.NEGATIVE_INFINITY;
    let size = 0;
    for (let v = 0; v < corners; v++) {
      let height = 0;
      for (let i = 0; i < roofs; i++) {
        const part = ofRoofs[i] * heights[MOST_CORNERS * i + v];
        height += part;
        size = Math.max(size, Math.abs(part));
      }
      if (height > mixed) mixed = height;
    }
    const bound = (mixed + 2 ** -46 * (size + range)) / sum;
    return bound < least ? bound + Math.abs(bound) * 2 ** -50 : least;
  }
}

/** The weight of a column's corner: its reduced cost, negated. */
const partOf = (column: number, corners: number): number =>
  columnOf[column] < 0 ? Math.max(0, -tableau[WIDTH * corners + column]) : 0;
