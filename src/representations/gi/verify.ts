/** Proves, for an image that came from anywhere, that every sphere of its tree holds the vertices it stands for. */
import type { Verification } from '../../query/representation.ts';
import { verifyChartTree } from './chart-tree.ts';
import { type Chart, chartsOf, type GeometryImage, sizeOf } from './geometry-image.ts';
import { decodeError, nodeOffset } from './sphere-tree.ts';

const MAX_PROBLEMS = 20;
const U = 2 ** -53;

/**
 * Bottom up: a sphere is proved by the vertices below it, or shorter, by child spheres that lie inside it and are proved, or
 * reported, before. The tree itself needs no proof: children are found by shifts, so it has no pointers that could go wrong.
 */
export function verifyGeometryImage(image: GeometryImage): Verification {
  const problems: string[] = [];
  let checked = verifyChartTree(image, problems);
  let number = 0;
  for (const chart of chartsOf(image)) {
    const where = image.charts === 1 ? '' : `chart ${number++}: `;
    checked += verifyChart(chart, where, problems);
    if (problems.length >= MAX_PROBLEMS) break;
  }
  return { checked, what: 'spheres', problems };
}

/** Proves one chart's tree; returns how many spheres it has looked at. */
function verifyChart(image: Chart, where: string, problems: string[]): number {
  const { exponent, geometry, tree, step } = image;
  const { page, radiusSteps } = tree;
  const size = sizeOf(exponent);
  const slack = decodeError(image);
  let checked = 0;

  /** At least the distance of two decoded grid points, model units. */
  const distance = (dx: number, dy: number, dz: number): number =>
    (step * Math.sqrt(dx * dx + dy * dy + dz * dz) + slack) * (1 + 4 * U);

  function holds(level: number, row: number, column: number, x: number, y: number, z: number, radius: number): boolean {
    if (level === exponent) {
      for (let k = 0; k < 4; k++) {
        const v = 3 * ((row + (k >> 1)) * size + column + (k & 1));
        if (distance(geometry[v] - x, geometry[v + 1] - y, geometry[v + 2] - z) > radius) return false;
      }
      return true;
    }
    for (let k = 0; k < 4; k++) {
      const r = 2 * row + (k >> 1);
      const c = 2 * column + (k & 1);
      const o = nodeOffset(exponent, level + 1, r, c);
      const reach = distance(page[o] - x, page[o + 1] - y, page[o + 2] - z) + page[o + 3] * radiusSteps[level + 1];
      if (reach * (1 + 4 * U) <= radius) continue;
      if (!holds(level + 1, r, c, x, y, z, radius)) return false;
    }
    return true;
  }

  for (let level = exponent; level >= 0; level--) {
    const nodes = 1 << level;
    for (let row = 0; row < nodes && problems.length < MAX_PROBLEMS; row++) {
      for (let column = 0; column < nodes && problems.length < MAX_PROBLEMS; column++) {
        const o = nodeOffset(exponent, level, row, column);
        checked++;
        if (holds(level, row, column, page[o], page[o + 1], page[o + 2], page[o + 3] * radiusSteps[level])) continue;
        problems.push(
          `${where}the sphere of level ${level}, row ${row}, column ${column} does not hold all of its vertices`,
        );
      }
    }
  }
  return checked;
}
