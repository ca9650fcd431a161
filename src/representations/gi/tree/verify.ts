/**
 * Proves that every sphere and slab of an image's tree holds its vertices, whatever the image's
 * origin. Spheres as in the seed paper must also hold the box of their corners, or the four spheres
 * below. If it holds its source, also proves that each corner of a source triangle is in the
 * spheres that must find it. Other deviations from the source remain the builder's claim.
 */
import type { Verification } from '../../../engine/representation.ts';
import { verifyChartTree } from './chart-tree.ts';
import { type Chart, chartsOf, type GeometryImage } from './geometry-image.ts';
import { decodeError, nodeOffset, sizeOf, treePixels } from './grid.ts';
import { decodeNormal, decodeOffset, normal } from './slab-tree.ts';
import { seedRadius } from './sphere-tree.ts';

const MAX_PROBLEMS = 20;
const U = 2 ** -53;

/**
 * Bottom up: a sphere is proved by its vertices, or faster, by child spheres inside it that are
 * proved or reported before. The tree needs no proof: its children are found by shifts, so no
 * pointer can be wrong.
 */
export function verifyGeometryImage(image: GeometryImage): Verification {
  const problems: string[] = [];
  let checked = verifyChartTree(image, problems);
  const isSeed = image.header.options.spheres === 'seed';
  let number = 0;
  for (const chart of chartsOf(image)) {
    const where = image.charts === 1 ? '' : `chart ${number++}: `;
    checked += verifyChart(chart, { where, isSeed }, problems);
    if (problems.length >= MAX_PROBLEMS) break;
  }
  verifySource(image, problems);
  return { checked, what: 'spheres', problems };
}

/** Checks that a listing quad's enlarged sphere, and those above, hold every source corner. */
function verifySource(image: GeometryImage, problems: string[]): void {
  const { source, groups, origin, step } = image;
  if (!source) return;
  const { positions, triangles, offsets, items } = source;
  const found = new Uint8Array(triangles.length / 3);
  const slack = decodeError(image);
  for (const { exponent, count, tree, deviation, firstQuad } of groups) {
    const pixels = treePixels(exponent);
    for (let own = 0; own < count << (2 * exponent); own++) {
      const quad = firstQuad + own;
      const end = Math.min(offsets[quad + 1], items.length);
      for (let i = offsets[quad]; i < end; i++) {
        const triangle = items[i];
        for (let k = 0; k < 3; k++) {
          if ((found[triangle] >> k) & 1) continue;
          const v = 3 * triangles[3 * triangle + k];
          let isHeld = true;
          for (let level = exponent; level >= 0 && isHeld; level--) {
            const [row, column] = [(own >> exponent) & ((1 << exponent) - 1), own & ((1 << exponent) - 1)];
            const node =
              (own >> (2 * exponent)) * pixels +
              nodeOffset(exponent, level, row >> (exponent - level), column >> (exponent - level)) / 4;
            const squares = [0, 1, 2].map(
              (a) => (positions[v + a] - (origin[a] + tree.page[4 * node + a] * step)) ** 2,
            );
            const radius =
              tree.page[4 * node + 3] * tree.radiusSteps[level] +
              (deviation ? deviation.page[node] * deviation.step : 0);
            isHeld = Math.sqrt(squares[0] + squares[1] + squares[2]) <= (radius + slack) * (1 + 2 ** -40);
          }
          if (isHeld) found[triangle] |= 1 << k;
        }
      }
    }
  }
  for (let t = 0; t < found.length && problems.length < MAX_PROBLEMS; t++) {
    if (found[t] !== 7) problems.push(`triangle ${t} of the embedded source is not within the spheres of its quads`);
  }
}

function verifyChart(image: Chart, { where, isSeed }: { where: string; isSeed: boolean }, problems: string[]): number {
  const { exponent, geometry, tree, step } = image;
  const { page, radiusSteps, slabs } = tree;
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
        const isHeld = holds(level, row, column, page[o], page[o + 1], page[o + 2], page[o + 3] * radiusSteps[level]);
        const place = `level ${level}, row ${row}, column ${column}`;
        if (!isHeld) problems.push(`${where}the sphere of ${place} does not hold all of its vertices`);
        else if (isSeed && page[o + 3] * radiusSteps[level] < seedRadius(image, level, row, column))
          problems.push(
            `${where}the sphere of ${place} does not hold ${level === exponent ? 'the box of its corners' : 'the four spheres below it'}, as the seed paper requires`,
          );
        // A slab is measured in its sphere, so a wrong sphere's slab is not reported.
        else if (slabs && !isBetween(image, slabs, level, row, column))
          problems.push(`${where}the slab of ${place} does not hold all of its vertices`);
      }
    }
  }
  return checked;
}

/** True if all vertices are between the node's planes; tests the vertices on each level. */
function isBetween(image: Chart, slabs: Uint16Array, level: number, row: number, column: number): boolean {
  const { exponent, geometry, tree, step } = image;
  const size = sizeOf(exponent);
  const span = 1 << (exponent - level);
  const o = nodeOffset(exponent, level, row, column);
  decodeNormal(slabs[o], slabs[o + 1]);
  const [x, y, z] = [normal[0], normal[1], normal[2]];
  const length = Math.sqrt(x * x + y * y + z * z);
  const centre = x * tree.page[o] + y * tree.page[o + 1] + z * tree.page[o + 2];
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (let r = row * span; r <= (row + 1) * span; r++) {
    let v = 3 * (r * size + column * span);
    for (let c = 0; c <= span; c++, v += 3) {
      const height = x * geometry[v] + y * geometry[v + 1] + z * geometry[v + 2];
      if (height < low) low = height;
      if (height > high) high = height;
    }
  }
  const radius = tree.page[o + 3] * tree.radiusSteps[level];
  const slack = decodeError(image);
  const below = (step * (low - centre)) / length - slack;
  const above = (step * (high - centre)) / length + slack;
  return (
    decodeOffset(slabs[o + 2], radius) <= below - 8 * U * Math.abs(below) &&
    above + 8 * U * Math.abs(above) <= decodeOffset(slabs[o + 3], radius)
  );
}
