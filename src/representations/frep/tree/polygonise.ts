/**
 * Converts the boundary of an F-rep object within its domain to triangles, for display.
 *
 * T. Ju, F. Losasso, S. Schaefer, J. Warren, "Dual Contouring of Hermite Data", SIGGRAPH 2002. An
 * octree of proved bounds first discards cells wholly outside or inside, so the work grows with the
 * surface. A cell has a vertex for every closed run of its edges that change sign (G. Nielson,
 * "Dual Marching Cubes", IEEE Visualization 2004; on a face with four such edges, each inside
 * corner's two go together). The quadrilateral of the four cells' vertices crosses every such edge.
 *
 * The surface is closed, whatever the signs. Every side of a triangle has as many triangles one way
 * as the other: one each, except if two cells touch in a face with four crossings. Proof: a side of
 * a quadrilateral belongs to a face of two cells, and to a pair of edges on it in both cells' runs.
 * Each pair gives that side once in each direction, as the signs along its two edges are opposite
 * around the face. A diagonal belongs to one edge. Every sign is computed once. Bounds are proved
 * but values are rounded, so a cell may have been discarded against the computed signs; it is
 * restored when an edge of it changes sign. The grid's outermost points are outside the domain,
 * thus outside.
 */
import { OptionError } from '../../../base/errors.ts';
import { once } from '../../../base/require.ts';
import { symmetricEigen } from '../../../math/linear.ts';
import type { Surface } from '../../../mesh/topology.ts';
import { depthAt, evaluateCube, moveToCrossing, timeOf } from './evaluate.ts';
import type { FrepObject, Program } from './program.ts';

/** Classifies the box about (u, v, w) by half extents: outside (-1), inside (1), unsure (0). */
export type Classify = (u: number, v: number, w: number, hu: number, hv: number, hw: number) => -1 | 0 | 1;

/** Part of the first cell before the domain; no simple fraction, so that faces miss the grid. */
const BEFORE = 0.41421356;
/** Maximum distance of a vertex from its cell, in cells: a neighbor may cut off a crease. */
const MARGIN = 0.5;
/** Most cells along a side; more make files that nothing opens. */
const FINEST = 1024;

/**
 * Corner i of a cell is high along axis k if bit k of i is set. Edges 4k to 4k + 3 run along axis k
 * from these corners.
 */
const STARTS = [0, 2, 4, 6, 0, 1, 4, 5, 0, 1, 2, 3];
const FACE_EDGES = [4, 10, 6, 8, 5, 11, 7, 9, 0, 9, 2, 8, 1, 11, 3, 10, 0, 5, 1, 4, 2, 7, 3, 6];
const FACE_CORNERS = [2, 6, 4, 0, 3, 7, 5, 1, 1, 5, 4, 0, 3, 7, 6, 2, 1, 3, 2, 0, 5, 7, 6, 4];
const NO_RUN = 255;
/** Per set of inside corners: the run of each of 12 edges, and the number of runs. */
const tables = once(() => {
  const runs = new Uint8Array(256 * 12).fill(NO_RUN);
  const counts = new Uint8Array(256);
  for (let corners = 0; corners < 256; corners++) counts[corners] = followRuns(corners, runs);
  return { runs, counts };
});

/** Writes the runs of the cells with these inside corners; returns their number. */
function followRuns(corners: number, runs: Uint8Array): number {
  const isIn = (corner: number): boolean => ((corners >> corner) & 1) === 1;
  const crosses = STARTS.map((start, e) => isIn(start) !== isIn(start + (1 << (e >> 2))));
  const follow = (e: number, run: number): void => {
    if (runs[12 * corners + e] !== NO_RUN) return;
    runs[12 * corners + e] = run;
    FACE_EDGES.forEach((edge, i) => {
      if (edge !== e) return;
      const step = isIn(FACE_CORNERS[i]) ? 1 : 3;
      let to = i;
      do to = (i & ~3) + ((to + step) & 3);
      while (!crosses[FACE_EDGES[to]]);
      follow(FACE_EDGES[to], run);
    });
  };
  let count = 0;
  crosses.forEach((does, e) => {
    if (does && runs[12 * corners + e] === NO_RUN) follow(e, count++);
  });
  return count;
}

const low = new Float64Array(3);
const high = new Float64Array(3);
const point = new Float64Array(3);
const normal = new Float64Array(3);

/**
 * Returns the object's boundary, closed at its domain; no triangles if no grid point is inside.
 *
 * @param resolution cells along the longest side of the domain, 1 to 1024
 * @param classify proved results for boxes within the domain, in the model cube
 * @returns in the asset's frame, counter-clockwise from outside
 * @throws OptionError for more than 1024 cells
 * @example polygonise(sphere, 64, () => 0) // works without bounds too, as long as a volume of cells takes
 */
export function polygonise(object: FrepObject, resolution: number, classify: Classify): Surface {
  if (resolution > FINEST) {
    throw new OptionError(`expected at most ${FINEST} cells along a side of a surface, found ${resolution}`);
  }
  const grid = gridOf(object, resolution, classify);
  descend(
    grid,
    [0, 0, 0],
    grid.steps.map((n) => n + 1),
  );
  const edges = crossedEdges(grid);
  const vertices = verticesOf(grid, edges);
  return {
    positions: Float64Array.from(vertices.positions, (x, i) => object.center[i % 3] + object.half * x),
    triangles: cutQuads(object, edges.quads, vertices),
  };
}

interface Grid {
  object: FrepObject;
  classify: Classify;
  steps: readonly number[];
  coordinates: readonly Float64Array[];
  /** Steps along each axis between point numbers; a cell has its lowest point's number. */
  stride: readonly number[];
  /** Per point: 0 unknown, 1 outside, 2 inside. Untouched pages use no memory. */
  signs: Uint8Array;
  cells: number[];
  corners: number[];
  cellNumbers: Map<number, number>;
}

function gridOf(object: FrepObject, resolution: number, classify: Classify): Grid {
  const { domain } = object;
  const steps = domain.map((d) => Math.max(1, Math.round(resolution * d)));
  const coordinates = steps.map((n, k) =>
    Float64Array.from({ length: n + 2 }, (_, i) => domain[k] * ((2 * (i - BEFORE)) / n - 1)),
  );
  const stride = [1, steps[0] + 2, (steps[0] + 2) * (steps[1] + 2)];
  const signs = new Uint8Array(stride[2] * (steps[2] + 2));
  return { object, classify, steps, coordinates, stride, signs, cells: [], corners: [], cellNumbers: new Map() };
}

const indexAt = ({ stride, steps }: Grid, at: number, k: number): number => Math.floor(at / stride[k]) % (steps[k] + 2);

const cornerOf = ({ stride }: Grid, cell: number, i: number): number =>
  cell + (i & 1) + (i & 2 ? stride[1] : 0) + (i & 4 ? stride[2] : 0);

function isInside(grid: Grid, at: number): boolean {
  const { object, coordinates, signs } = grid;
  if (signs[at] === 0) {
    let isIn = true;
    for (let k = 0; k < 3; k++) {
      point[k] = coordinates[k][indexAt(grid, at, k)];
      if (Math.abs(point[k]) > object.domain[k]) isIn = false;
    }
    signs[at] = isIn && evaluateCube(object.program, point[0], point[1], point[2], timeOf(object)) >= 0 ? 2 : 1;
  }
  return signs[at] === 2;
}

function take(grid: Grid, cell: number): void {
  let set = 0;
  for (let i = 0; i < 8; i++) if (isInside(grid, cornerOf(grid, cell, i))) set |= 1 << i;
  if (tables().counts[set] === 0) return;
  grid.cellNumbers.set(cell, grid.cells.length);
  grid.cells.push(cell);
  grid.corners.push(set);
}

function setBox({ object, steps, coordinates }: Grid, from: readonly number[], to: readonly number[], margin: number) {
  const { domain } = object;
  for (let k = 0; k < 3; k++) {
    const more = (2 * margin * domain[k]) / steps[k];
    low[k] = Math.max(-domain[k], coordinates[k][from[k]] - more);
    high[k] = Math.min(domain[k], coordinates[k][to[k]] + more);
  }
}

function descend(grid: Grid, from: readonly number[], to: readonly number[]): void {
  const { steps, stride, classify } = grid;
  const sizes = to.map((x, k) => x - from[k]);
  const longest = Math.max(...sizes);
  if (longest === 1) {
    take(grid, from[0] + from[1] * stride[1] + from[2] * stride[2]);
    return;
  }
  setBox(grid, from, to, 0);
  const [u, v, w] = from.map((_, k) => (low[k] + high[k]) / 2);
  const [hu, hv, hw] = from.map((_, k) => (high[k] - low[k]) / 2 + 2 ** -52);
  const side = classify(u, v, w, hu, hv, hw);
  const isWithin = from.every((x, k) => x > 0 && to[k] <= steps[k]);
  if (side < 0 || (side > 0 && isWithin)) return;
  const cut = from.map((x, k) => (2 * sizes[k] > longest ? (x + to[k]) >> 1 : to[k]));
  for (let i = 0; i < 8; i++) {
    if (cut.some((x, k) => (i >> k) & 1 && x === to[k])) continue;
    descend(
      grid,
      from.map((x, k) => ((i >> k) & 1 ? cut[k] : x)),
      to.map((x, k) => ((i >> k) & 1 ? x : cut[k])),
    );
  }
}

interface Edges {
  /** The crossing and its normal: six numbers per edge. */
  crossings: number[];
  /** Twelve per cell: the number of the edge; -1 if it does not change sign. */
  edgeOf: number[];
  /** Four cells per edge with its index there: 12 times the cell's number, plus the index. */
  quads: number[];
}

/** Finds every edge that changes sign, once; restores discarded cells around it. */
function crossedEdges(grid: Grid): Edges {
  const { object, coordinates, cells, corners, cellNumbers } = grid;
  const { program, domain } = object;
  const time = timeOf(object);
  const edgeNumbers = new Map<number, number>();
  const crossings: number[] = [];
  const quads: number[] = [];
  const edgeOf: number[] = [];
  const { runs } = tables();
  for (let number = 0; number < cells.length; number++) {
    for (let e = 0; e < 12; e++) {
      edgeOf.push(-1);
      if (runs[12 * corners[number] + e] === NO_RUN) continue;
      const axis = e >> 2;
      const start = cornerOf(grid, cells[number], STARTS[e]);
      const known = edgeNumbers.get(4 * start + axis); // an edge goes by its start and axis
      edgeOf[12 * number + e] = known ?? edgeNumbers.size;
      if (known !== undefined) continue;
      edgeNumbers.set(4 * start + axis, edgeNumbers.size);
      const isStartIn = isInside(grid, start);
      for (let k = 0; k < 3; k++) point[k] = coordinates[k][indexAt(grid, start, k)];
      const end = coordinates[axis][indexAt(grid, start, axis) + 1];
      const begin = point[axis];
      const line = isStartIn ? { axis, inner: begin, outer: end } : { axis, inner: end, outer: begin };
      moveToCrossing(program, domain, line, point, normal, time);
      crossings.push(...point, ...normal);
      // Counter-clockwise as seen from the edge's end.
      const [i, j] = [1 << ((axis + 1) % 3), 1 << ((axis + 2) % 3)];
      const round = [0, i, i + j, j].map((corner) => {
        const cell = start - cornerOf(grid, 0, corner);
        if (!cellNumbers.has(cell)) take(grid, cell);
        return 12 * (cellNumbers.get(cell) as number) + STARTS.indexOf(corner, 4 * axis);
      });
      quads.push(...(isStartIn ? round : round.reverse()));
    }
  }
  return { crossings, edgeOf, quads };
}

interface Vertices {
  /** In the model cube. */
  positions: number[];
  isSharp: boolean[];
  vertexOf: Uint32Array;
}

function verticesOf(grid: Grid, { crossings, edgeOf }: Edges): Vertices {
  const { object, cells, corners } = grid;
  const positions: number[] = [];
  const isSharp: boolean[] = [];
  const vertexOf = new Uint32Array(edgeOf.length);
  const { runs, counts } = tables();
  for (let number = 0; number < cells.length; number++) {
    const from = [0, 1, 2].map((k) => indexAt(grid, cells[number], k));
    const to = from.map((x) => x + 1);
    setBox(grid, from, to, MARGIN);
    for (let run = 0; run < counts[corners[number]]; run++) {
      let count = 0;
      for (let e = 0; e < 12; e++) {
        if (runs[12 * corners[number] + e] !== run) continue;
        vertexOf[12 * number + e] = isSharp.length;
        for (let i = 0; i < 6; i++) planes[6 * count + i] = crossings[6 * edgeOf[12 * number + e] + i];
        count++;
      }
      isSharp.push(placeVertex(object, low, high, count, point));
      positions.push(...point);
    }
  }
  return { positions, isSharp, vertexOf };
}

function cutQuads(object: FrepObject, quads: readonly number[], vertices: Vertices): Uint32Array {
  const { positions, isSharp, vertexOf } = vertices;
  const triangles: number[] = [];
  for (let i = 0; i < quads.length; i += 4) {
    const q = [0, 1, 2, 3].map((k) => vertexOf[quads[i + k]]);
    const hasCrease = q.some((v) => isSharp[v]);
    const turn =
      badness(object, positions, q[1], q[3], hasCrease) < badness(object, positions, q[0], q[2], hasCrease) ? 1 : 0;
    for (const k of [0, 1, 2, 0, 2, 3]) triangles.push(q[(k + turn) & 3]);
  }
  return Uint32Array.from(triangles);
}

function badness(object: FrepObject, positions: readonly number[], a: number, b: number, hasCrease: boolean): number {
  for (let k = 0; k < 3; k++) point[k] = (positions[3 * a + k] + positions[3 * b + k]) / 2;
  if (hasCrease) return Math.abs(depthAt(object.program, object.domain, point, normal, timeOf(object)));
  return squared(point, positions.slice(3 * a, 3 * a + 3));
}

/** Corner i of a box is high along axis k if bit k of i is set. Triangles face outward. */
const BOX_TRIANGLES = [
  0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4, 2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5,
];

/**
 * Returns axis-aligned boxes as a surface, each closed by itself.
 *
 * @param cells center x, y, z and half extents of each box
 * @example boxesSurface([0, 0, 0, 1, 1, 1]).triangles.length // 36
 */
export function boxesSurface(cells: ArrayLike<number>): Surface {
  const count = Math.floor(cells.length / 6);
  const positions = new Float64Array(24 * count);
  const triangles = new Uint32Array(36 * count);
  for (let box = 0; box < count; box++) {
    for (let i = 0; i < 24; i++) {
      const [corner, k] = [(i / 3) | 0, i % 3];
      positions[24 * box + i] = cells[6 * box + k] + ((corner >> k) & 1 ? 1 : -1) * cells[6 * box + 3 + k];
    }
    for (let i = 0; i < 36; i++) triangles[36 * box + i] = 8 * box + BOX_TRIANGLES[i];
  }
  return { positions, triangles };
}

/*
 * Places the vertex of a dual contour's cell: on the surface, its creases and corners.
 *
 * A vertex is at the least-squares intersection of the tangent planes at its crossings; in
 * directions without one, at the crossings' mean. If the planes meet in several directions, the
 * crossings move to a quarter of their distance from the vertex, and the vertex is found again.
 * This happens twice, so that creases of curved faces become sharp. Last it moves along the
 * gradient to the surface, or by bisection. It never leaves the domain, nor its cell by more than
 * half a cell (held strictly to the cell, oblique creases got notches of a quarter of a cell).
 */

const SINGULAR = 0.01;
const PASSES = 3;
/** In the model cube. */
const CLOSE = 2 ** -44;

/** Input: at most 12 crossings of a run, point and outward unit normal each, in the model cube. */
export const planes = new Float64Array(6 * 12);

interface Field {
  program: Program;
  domain: readonly number[];
  time: number;
}

const matrix = new Float64Array(9);
const moments = new Float64Array(3);
const axes = new Float64Array(9);
const pull = new Float64Array(3);

/**
 * Finds the vertex of a run of `count` crossings, which are in `planes`.
 *
 * @param lowest with `highest`, the box for the vertex, within the domain; in the model cube
 * @param out receives the vertex
 * @returns true if planes of several directions meet there
 */
function placeVertex(
  object: FrepObject,
  lowest: Float64Array,
  highest: Float64Array,
  count: number,
  out: Float64Array,
): boolean {
  const { program, domain } = object;
  const field: Field = { program, domain, time: timeOf(object) };
  low.set(lowest);
  high.set(highest);
  let rank = meet(count);
  for (let pass = 1; pass < PASSES && rank > 1; pass++) {
    const [x, y, z] = point;
    for (let i = 0; i < 6 * count; i += 6) {
      point.set([x + (planes[i] - x) / 4, y + (planes[i + 1] - y) / 4, z + (planes[i + 2] - z) / 4]);
      if (Math.abs(project(field)) > CLOSE) continue;
      planes.set(point, i);
      planes.set(normal, i + 3);
    }
    rank = meet(count);
  }
  if (Math.abs(project(field)) > CLOSE) bisect(field);
  out.set(point);
  return rank > 1;
}

/** Moves `point` towards the surface by Newton's steps as long as they help; sets `normal`. */
function project({ program, domain, time }: Field): number {
  let depth = depthAt(program, domain, point, normal, time);
  for (let step = 0; step < 12 && Math.abs(depth) > CLOSE; step++) {
    const [x, y, z] = point;
    for (let k = 0; k < 3; k++) point[k] = Math.min(high[k], Math.max(low[k], point[k] + depth * normal[k]));
    const next = depthAt(program, domain, point, normal, time);
    if (!(Math.abs(next) < Math.abs(depth))) {
      point.set([x, y, z]);
      break;
    }
    depth = next;
  }
  return depth;
}

/** If Newton's steps failed, bisects towards the box's nearest corner on the other side. */
function bisect({ program, domain, time }: Field): void {
  const isIn = depthAt(program, domain, point, normal, time) >= 0;
  const here = [...point];
  let there: number[] | null = null;
  for (let corner = 0; corner < 8; corner++) {
    for (let k = 0; k < 3; k++) point[k] = (corner >> k) & 1 ? high[k] : low[k];
    const isOther = depthAt(program, domain, point, normal, time) >= 0 !== isIn;
    if (isOther && (there === null || squared(point, here) < squared(there, here))) there = [...point];
  }
  point.set(here);
  for (let step = 0; there !== null && step < 48; step++) {
    for (let k = 0; k < 3; k++) point[k] = (here[k] + there[k]) / 2;
    const side = depthAt(program, domain, point, normal, time) >= 0 === isIn ? here : there;
    for (let k = 0; k < 3; k++) side[k] = point[k];
  }
}

/** Moves `point` to where the planes meet in the cell. Returns the number of directions. */
function meet(count: number): number {
  matrix.fill(0);
  pull.fill(0);
  const mean = [0, 0, 0];
  for (let i = 0; i < 6 * count; i += 6) for (let k = 0; k < 3; k++) mean[k] += planes[i + k] / count;
  for (let i = 0; i < 6 * count; i += 6) {
    const [a, b, c] = planes.subarray(i + 3, i + 6);
    const offset = a * (planes[i] - mean[0]) + b * (planes[i + 1] - mean[1]) + c * (planes[i + 2] - mean[2]);
    [a, b, c].forEach((x, k) => {
      pull[k] += x * offset;
      for (let n = 0; n < 3; n++) matrix[3 * k + n] += x * planes[i + 3 + n];
    });
  }
  symmetricEigen(matrix, moments, axes);
  const order = [0, 1, 2].sort((a, b) => moments[b] - moments[a]);
  let rank = order.filter((k) => moments[k] > SINGULAR * moments[order[0]]).length;
  for (; ; rank--) {
    point.set(mean);
    for (const k of order.slice(0, rank)) {
      const along = (axes[3 * k] * pull[0] + axes[3 * k + 1] * pull[1] + axes[3 * k + 2] * pull[2]) / moments[k];
      for (let n = 0; n < 3; n++) point[n] += along * axes[3 * k + n];
    }
    if (rank === 2) slideIntoCell(axes.subarray(3 * order[2], 3 * order[2] + 3));
    const free = point.slice();
    for (let k = 0; k < 3; k++) point[k] = Math.min(high[k], Math.max(low[k], point[k]));
    if (rank < 2 || squared(free, point) <= 2 ** -40 * squared(low, high)) return rank;
  }
}

function slideIntoCell(direction: Float64Array): void {
  let least = Number.NEGATIVE_INFINITY;
  let most = Number.POSITIVE_INFINITY;
  for (let k = 0; k < 3; k++) {
    if (Math.abs(direction[k]) < 2 ** -30) continue;
    const a = (low[k] - point[k]) / direction[k];
    const b = (high[k] - point[k]) / direction[k];
    least = Math.max(least, Math.min(a, b));
    most = Math.min(most, Math.max(a, b));
  }
  const by = least > 0 ? least : Math.min(0, most);
  if (least <= most) for (let k = 0; k < 3; k++) point[k] += by * direction[k];
}

export function squared(a: ArrayLike<number>, b: ArrayLike<number>): number {
  return (a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]);
}
