/**
 * Bounds the bricks that a mesh takes before it is cut, so that far too small cubes are refused at
 * once instead of after a minute and a gigabyte.
 *
 * Likely. A convex body that is shifted at random meets, on average, 1 + its widths + its shadows +
 * its volume cells of the unit grid, widths and shadows summed along all axes. This is the volume
 * of its Minkowski sum with a cell (R. Schneider, W. Weil, "Stochastic and Integral Geometry",
 * 2008, chapter 4). Bricks that several triangles share are counted several times.
 *
 * Certain. Space is cut into blocks of bricks. The part of one triangle in one block casts a shadow
 * along an axis, which the shadows of the bricks that hold that part cover. Blocks share no brick.
 * So the greatest shadow in each block, over all triangles and axes, may be added up, however many
 * triangles coincide. Cuts are off by some roundings of the coordinates, 2^-50 of their reach.
 * Parts less than 2^-36 of it wide are left out, unless they have no width and therefore an exact
 * place. For the others CUT removes more than cuts can add.
 *
 * Certain, for an inside. Cells of a coarse grid that are inside and that no triangle touches are
 * inside with all their bricks.
 *
 * Counted, if too many are likely but not certain. A brick is a cell of the grid of four times the
 * edge, whose walls are the same numbers. Both grids take a cell if its closed box meets the
 * triangle. So the brick is there when the cell is, but for rounding, 2^-45 of the reach; SURELY
 * outweighs it. This takes a sixteenth of the time of cutting, and a 64th for an inside.
 */
import { MeshError } from '../../../base/errors.ts';
import { cellOf, cubesIn, MOST_CELLS } from '../tree/cube-set.ts';
import { cut } from './kernel.ts';

export interface Model {
  positions: Float64Array | Float32Array;
  triangles: Uint32Array;
}

interface Measures {
  count: number;
  widths: number;
  shadows: number;
  volume: number;
  low: number[];
  high: number[];
}

/** Blocks along the box's longest side: few triangles share one, and few cross many. */
const LEAST_BLOCKS = 64;
const MOST_BLOCKS = 512;
/** Cells of the coarse grid along it. */
const COARSE_CELLS = 128;
const CUT = 0.99;
const SURELY = 1.01;
/** Factor by which likely bricks must exceed the limit to try a certain bound first. */
const FAR = 4;
const THIN = 2 ** -36;

/** The edge of a cube, and whether insides count. */
export interface CutOptions {
  precision: number;
  fill: boolean;
}

/**
 * Returns an error if the meshes certainly take more than `most` bricks together, else null.
 * Ignores meshes beyond the grid. If `fill`, meshes are closed and their insides count.
 */
export function lackOfRoom(meshes: readonly Model[], cutting: CutOptions, most: number): MeshError | null {
  const { precision, fill } = cutting;
  const measures = measuresOf(meshes);
  const likely = likelyBricks(measures, 4 * precision, fill);
  if (likely <= most || !(reachOf(measures) < MOST_CELLS * precision)) return null;
  let certain = 0;
  for (const mesh of likely > FAR * most ? meshes : []) {
    const measures = measuresOf([mesh]);
    certain += surfaceBricks(mesh, measures, precision, most - certain);
    if (fill && certain <= most) certain += insideBricks(mesh, measures, precision);
    if (certain > most) return tooMany(meshes, cutting, most);
  }
  return countedBricks(meshes, precision, most, fill) > SURELY * most ? tooMany(meshes, cutting, most) : null;
}

function countedBricks(meshes: readonly Model[], precision: number, most: number, fill: boolean): number {
  let count = 0;
  for (const mesh of meshes) {
    count += cubesOf(mesh, 4 * precision, most, fill);
    if (count > SURELY * most) break;
  }
  return count;
}

/** Cubes of an edge; Infinity if they are of more than `most` bricks. */
function cubesOf(mesh: Model, precision: number, most: number, fill: boolean): number {
  const { triangles } = mesh;
  const positions = Float64Array.from(mesh.positions);
  const likely = likelyBricksOf(mesh, { precision, fill });
  const { set } = cut({ positions, triangles, precision, fill, likely, most });
  return set ? cubesIn(set.masks) : Infinity;
}

export const likelyBricksOf = (mesh: Model, { precision, fill }: CutOptions): number =>
  likelyBricks(measuresOf([mesh]), 4 * precision, fill);

/** `cubes` is their number if it was counted. */
export function tooMany(
  meshes: readonly Model[],
  { precision: a, fill }: CutOptions,
  most: number,
  cubes?: number,
): MeshError {
  const measures = measuresOf(meshes);
  const likely = Math.max(most, cubes ?? measures.shadows / a ** 2 + (fill ? measures.volume / a ** 3 : 0));
  return new MeshError(
    `about ${Number(likely.toPrecision(2))} cubes of ${a} are more than ${most} bricks of 4 x 4 x 4 can hold: ` +
      `use a precision of ${precisionThatFits(measures, most, fill)} or more`,
  );
}

/** Returns a precision of two digits that likely takes at most `most` bricks. */
function precisionThatFits(measures: Measures, most: number, fill: boolean): number {
  // Triangles smaller than bricks share them.
  const few = { ...measures, count: Math.min(measures.count, most / 2) };
  let fitting = reachOf(measures) / (MOST_CELLS - 1);
  while (likelyBricks(few, 4 * fitting, fill) > most) fitting *= 1.01;
  const digit = 10 ** (Math.floor(Math.log10(fitting)) - 1);
  return Number((Math.ceil(fitting / digit) * digit).toPrecision(2));
}

function likelyBricks({ count, widths, shadows, volume }: Measures, edge: number, fill: boolean): number {
  return count + widths / edge + shadows / edge ** 2 + (fill ? volume / edge ** 3 : 0);
}

function measuresOf(meshes: readonly Model[]): Measures {
  const sum = {
    count: 0,
    widths: 0,
    shadows: 0,
    volume: 0,
    low: [Infinity, Infinity, Infinity],
    high: [-Infinity, -Infinity, -Infinity],
  };
  for (const mesh of meshes) addMeasures(sum, mesh);
  return sum;
}

const [p, q, r] = [new Float64Array(3), new Float64Array(3), new Float64Array(3)];

function addMeasures(sum: Measures, { positions, triangles }: Model): void {
  const { low, high } = sum;
  let volume = 0;
  for (let t = 0; t < triangles.length; t += 3) {
    for (let axis = 0; axis < 3; axis++) {
      p[axis] = positions[3 * triangles[t] + axis];
      q[axis] = positions[3 * triangles[t + 1] + axis];
      r[axis] = positions[3 * triangles[t + 2] + axis];
      const least = Math.min(p[axis], q[axis], r[axis]);
      const greatest = Math.max(p[axis], q[axis], r[axis]);
      sum.widths += greatest - least;
      low[axis] = Math.min(low[axis], least);
      high[axis] = Math.max(high[axis], greatest);
    }
    for (let axis = 0; axis < 3; axis++) {
      const [i, j] = [(axis + 1) % 3, (axis + 2) % 3];
      const twice = (q[i] - p[i]) * (r[j] - p[j]) - (q[j] - p[j]) * (r[i] - p[i]);
      sum.shadows += Math.abs(twice) / 2;
      if (axis === 2) volume += (twice / 6) * (p[2] + q[2] + r[2]);
    }
  }
  sum.count += triangles.length / 3;
  sum.volume += Math.abs(volume);
}

const reachOf = ({ low, high }: Measures): number => Math.max(...low.map(Math.abs), ...high.map(Math.abs));

/** A power of two times `precision`, at least a brick, with at most about `most` along the box. */
function coarseEdge({ low, high }: Measures, precision: number, most: number): number {
  const longest = Math.max(...high.map((x, axis) => x - low[axis]));
  let edge = 4 * precision;
  while (edge * most < longest) edge *= 2;
  return edge;
}

function surfaceBricks({ positions, triangles }: Model, measures: Measures, precision: number, most: number): number {
  const blocks = Math.max(LEAST_BLOCKS, Math.min(MOST_BLOCKS, Math.sqrt(measures.count)));
  const edge = coarseEdge(measures, precision, blocks);
  const base = measures.low.map((x) => cellOf(x, edge));
  const thin = THIN * reachOf(measures);
  const unit = CUT / (4 * precision) ** 2;
  const greatest = new Map<number, number>();
  let sum = 0;

  const divide = (polygon: number[], from: number[], to: number[]): void => {
    const sides = to.map((block, axis) => block - from[axis]);
    const axis = sides.indexOf(Math.max(...sides));
    if (sides[axis] > 0) {
      const plane = from[axis] + Math.ceil(sides[axis] / 2);
      const below = partOf(polygon, axis, plane * edge, 1, thin);
      const above = partOf(polygon, axis, plane * edge, -1, thin);
      if (below.length > 0) divide(below, from, to.with(axis, plane - 1));
      if (above.length > 0) divide(above, from.with(axis, plane), to);
      return;
    }
    const block = from.reduce((number, k, i) => number * 2 ** 17 + k - base[i], 0);
    const shadow = Math.max(shadowOf(polygon, 0), shadowOf(polygon, 1), shadowOf(polygon, 2));
    const more = shadow - (greatest.get(block) ?? 0);
    if (!(more > 0)) return;
    greatest.set(block, shadow);
    sum += more * unit;
  };

  for (let t = 0; t < triangles.length && sum <= most; t += 3) {
    const polygon: number[] = [];
    for (let corner = t; corner < t + 3; corner++) {
      polygon.push(...positions.subarray(3 * triangles[corner], 3 * triangles[corner] + 3));
    }
    const [from, to] = [1, -1].map((sign) =>
      [0, 1, 2].map((axis) => cellOf(sign * leastOf(polygon, axis, sign), edge)),
    );
    divide(polygon, from, to);
  }
  return sum;
}

function leastOf(polygon: number[], axis: number, sign: number): number {
  let least = Infinity;
  for (let k = axis; k < polygon.length; k += 3) least = Math.min(least, sign * polygon[k]);
  return least;
}

/** The part of a polygon with sign * (x - plane) <= 0 along an axis; empty if it is thin. */
function partOf(polygon: number[], axis: number, plane: number, sign: number, thin: number): number[] {
  const part: number[] = [];
  const { length } = polygon;
  for (let k = 0; k < length; k += 3) {
    const next = (k + 3) % length;
    const here = sign * (polygon[k + axis] - plane);
    const there = sign * (polygon[next + axis] - plane);
    if (here <= 0) part.push(polygon[k], polygon[k + 1], polygon[k + 2]);
    if (!((here < 0 && there > 0) || (here > 0 && there < 0))) continue;
    const s = here / (here - there);
    for (let i = 0; i < 3; i++) {
      part.push(i === axis ? plane : polygon[k + i] + s * (polygon[next + i] - polygon[k + i]));
    }
  }
  const isThin = [0, 1, 2].some((i) => {
    const extent = -leastOf(part, i, -1) - leastOf(part, i, 1);
    return extent < thin && (extent !== 0 || i === axis);
  });
  return isThin ? [] : part;
}

function shadowOf(polygon: number[], axis: number): number {
  const [i, j] = [(axis + 1) % 3, (axis + 2) % 3];
  let twice = 0;
  for (let k = 3; k + 3 < polygon.length; k += 3) {
    const [x, y] = [polygon[k + i] - polygon[i], polygon[k + j] - polygon[j]];
    twice += x * (polygon[k + 3 + j] - polygon[j]) - y * (polygon[k + 3 + i] - polygon[i]);
  }
  return Math.abs(twice) / 2;
}

function insideBricks(mesh: Model, measures: Measures, precision: number): number {
  const edge = coarseEdge(measures, precision, COARSE_CELLS);
  const [filled, surface] = [true, false].map((fill) => cubesOf(mesh, edge, Infinity, fill));
  return (filled - surface) * (edge / (4 * precision)) ** 3;
}
