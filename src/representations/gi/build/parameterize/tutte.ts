/**
 * Places the inner vertices of a mesh with a fixed rim in the means of their neighbors.
 *
 * W. Tutte, "How to draw a graph", Proceedings of the London Mathematical Society 13, 1963: with
 * the rim on a convex polygon no triangle turns over. The linear system is symmetric and positive.
 * Conjugate gradients with the diagonal as preconditioner solve it (J. Shewchuk, "An Introduction
 * to the Conjugate Gradient Method Without the Agonizing Pain", 1994, section 12). Equal weights
 * suffice, since the mesh is coarse and later every vertex moves.
 */
import { nextInTriangle as next, previousInTriangle as previous } from '../../../../mesh/topology.ts';
import type { HalfedgeMesh } from './simplify.ts';

const TOLERANCE = 1e-15;

/** Sets x and y of the vertices `free`; their neighbors are free, too, or placed already. */
export function placeInMeans(mesh: HalfedgeMesh, free: Int32Array, x: Float64Array, y: Float64Array): void {
  const { origin, twin, outgoing } = mesh;
  const row = new Int32Array(outgoing.length).fill(-1);
  free.forEach((v, i) => {
    row[v] = i;
  });
  const start = new Int32Array(free.length + 1);
  const column: number[] = [];
  const valence = new Float64Array(free.length);
  const knownX = new Float64Array(free.length);
  const knownY = new Float64Array(free.length);
  for (let i = 0; i < free.length; i++) {
    const first = outgoing[free[i]];
    let e = first;
    do {
      const n = origin[next(e)];
      valence[i]++;
      if (row[n] >= 0) column.push(row[n]);
      else {
        knownX[i] += x[n];
        knownY[i] += y[n];
      }
      e = twin[previous(e)];
    } while (e !== first);
    start[i + 1] = column.length;
  }
  const matrix = { start, column: Int32Array.from(column), valence };
  const solvedX = solve(matrix, knownX);
  const solvedY = solve(matrix, knownY);
  free.forEach((v, i) => {
    x[v] = solvedX[i];
    y[v] = solvedY[i];
  });
}

/** Valence on the diagonal, -1 in each column of row i. */
interface MeanMatrix {
  start: Int32Array;
  column: Int32Array;
  valence: Float64Array;
}

function solve({ start, column, valence }: MeanMatrix, known: Float64Array): Float64Array {
  const n = known.length;
  const x = new Float64Array(n);
  const residual = known.slice();
  const direction = new Float64Array(n);
  const image = new Float64Array(n);
  let rho = 0;
  let size = 0;
  for (let i = 0; i < n; i++) {
    direction[i] = residual[i] / valence[i];
    rho += residual[i] * direction[i];
    size += residual[i] * residual[i];
  }
  const enough = TOLERANCE * TOLERANCE * size;
  for (let step = 0; step < 10 * n + 100 && size > enough; step++) {
    let curvature = 0;
    for (let i = 0; i < n; i++) {
      let sum = valence[i] * direction[i];
      for (let k = start[i]; k < start[i + 1]; k++) sum -= direction[column[k]];
      image[i] = sum;
      curvature += sum * direction[i];
    }
    if (!(curvature > 0)) break;
    const length = rho / curvature;
    const before = rho;
    rho = 0;
    size = 0;
    for (let i = 0; i < n; i++) {
      x[i] += length * direction[i];
      residual[i] -= length * image[i];
      rho += (residual[i] * residual[i]) / valence[i];
      size += residual[i] * residual[i];
    }
    const turn = rho / before;
    for (let i = 0; i < n; i++) direction[i] = residual[i] / valence[i] + turn * direction[i];
  }
  return x;
}
