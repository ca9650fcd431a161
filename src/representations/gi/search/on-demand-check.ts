/**
 * Two opened geometry images against each other: the double traversal of descent.ts, which stops where a tile is missing.
 *
 * The pairs are met in one order, that of the depth-first descent, whatever is there and whatever must be read first: so what is found first, what is
 * listed and how much was tested depend on the images and poses alone, not on the cache, the file or the network.
 *
 * A pair whose tiles are missing is left on the stack, and a *scout* runs ahead: a copy of the descent that drops such pairs, tests no
 * triangles and notes what was missing. All of that is read in one batch; then the descent goes on where it stopped. From afar,
 * where a read is mostly waiting, the scout runs farther, and the stored bytes of the tiles below the nodes it met are read along.
 *
 * Not taken: to set pairs aside and go on with others, which finds another contact first whenever the cache holds other tiles; to read
 * just the tile that is missing, which is as fast from a disk but takes a round trip for each.
 *
 * Bounds and their rounding are those of descent.ts, where they are proved: the same numbers, taken from tiles. Slabs, which images that are read
 * whole have besides, are left out: they would be as many tiles again, and save pairs of nodes, not tiles.
 */
import { trianglesIntersectAt } from '../../../geometry/triangle-triangle.ts';
import { isIdentity, movePoint, type Pose } from '../../../math/pose.ts';
import { ContactList } from '../../../query/outcome.ts';
import type { Outcome, Query } from '../../../query/report.ts';
import { cutsDownAt } from '../tree/geometry-image.ts';
import { type GridMap, mapGrid } from './grid-map.ts';
import { blockAt, type OpenedGroup, type OpenedImage, offsetAt, placeOfChart } from './on-demand.ts';

/** A node of a chart in one integer: level, row and column; 4 + 13 + 13 bits. */
const LEVEL_SHIFT = 26;
const ROW_SHIFT = 13;
const COORDINATE_MASK = (1 << 13) - 1;

const SPARE = 1 - 2 ** -47;
const OUTWARD = 1 + 2 ** -47;

/**
 * How far a scout goes: pairs it looks at, twice as many with every batch up to `most`, tiles it asks for, and tiles below these whose bytes are read
 * along. Bunny and blob at 4097, first contact | all 10,998, from a disk in ms, from 20 ms and 100 Mbit/s away in batches:
 *   steps    64  near   60 ms    far, likely 0   10 | 69 batches    16    4 | 42
 *          1024         80                        8 | 54             16    3 | 28
 *         16384        150                        8 | 31             16    6 | 18   where a first contact needs 20 tiles, it reads 46
 */
const NEAR = { steps: 1 << 6, most: 1 << 6, wanted: 4, likely: 0 };
const FAR = { steps: 1 << 8, most: 1 << 16, wanted: 64, likely: 16 };

/** One image as the descent reads it, a chart at a time. */
interface Side {
  image: OpenedImage;
  pose: Pose;
  moves: boolean;
  /** What a radius in model units is in a's grid, enlarged for the pose. */
  scale: number;
  /** The chart at work, -1 before the first, and the levels above its root. */
  chart: number;
  height: number;
  group: OpenedGroup;
  exponent: number;
  /** Where the chart's parts of the pages start. */
  left: number;
  top: number;
  geometryLeft: number;
  geometryTop: number;
  firstQuad: number;
  /** Radius of one step of alpha per level, in a's grid. */
  radiusSteps: Float64Array;
  /** The quad whose triangles are in `triangles`: half 0 at 0, half 1 at 9. */
  quad: number;
  triangles: Float64Array;
  /** Numbers of the blocks that the pair at work needs, `count` of them, one maybe several times. */
  needs: Int32Array;
  count: number;
}

function createSide(image: OpenedImage, pose: Pose, norm: number, step: number): Side {
  const group = image.groups[0];
  return {
    image,
    pose,
    moves: !isIdentity(pose),
    scale: (norm / step) * OUTWARD,
    chart: -1,
    height: 0,
    group,
    exponent: group.exponent,
    left: 0,
    top: 0,
    geometryLeft: 0,
    geometryTop: 0,
    firstQuad: 0,
    radiusSteps: group.radiusSteps,
    quad: -1,
    triangles: new Float64Array(18),
    needs: new Int32Array(16),
    count: 0,
  };
}

function groupOf({ groups }: OpenedImage, chart: number): OpenedGroup {
  let g = groups.length - 1;
  while (groups[g].firstChart > chart) g--;
  return groups[g];
}

/** Turns to a chart, `height` levels below the image's root. */
function select(side: Side, chart: number, height: number): void {
  side.height = height;
  if (side.chart === chart) return;
  const group = groupOf(side.image, chart);
  const slot = chart - group.firstChart;
  side.chart = chart;
  side.group = group;
  side.exponent = group.exponent;
  [side.left, side.top] = placeOfChart(group, slot, 'spheres');
  [side.geometryLeft, side.geometryTop] = placeOfChart(group, slot, 'geometry');
  side.firstQuad = group.firstQuad + (slot << (2 * group.exponent));
  side.radiusSteps = group.radiusSteps.map((step) => step * side.scale);
  side.quad = -1;
}

/** A descent that can be stopped, copied and gone on with. */
interface Descent {
  map: GridMap;
  a: Side;
  b: Side;
  /** Pairs over the charts: nodes by number, charts as ~number; and how deep each is. */
  pending: number[];
  /** Pairs of overlapping nodes of the two charts at work: a, b, and whose turn it is to be descended. */
  stack: Int32Array;
  top: number;
  bounds: number;
  deepest: number;
}

/** What a step met. */
const END = 0;
const OPENED = 1;
const LEAVES = 2;
const MISSING = 3;

/** One pair: END where none is left; MISSING where it could not be done, and is still there; LEAVES with both quads' triangles loaded. */
function step(descent: Descent): number {
  if (descent.top === 0) {
    if (descent.pending.length === 0) return END;
    stepOver(descent);
    return OPENED;
  }
  const { a, b, stack } = descent;
  const top = descent.top - 3;
  const nodeA = stack[top];
  const nodeB = stack[top + 1];
  const levelA = nodeA >> LEVEL_SHIFT;
  const levelB = nodeB >> LEVEL_SHIFT;
  a.count = 0;
  b.count = 0;
  if (levelA === a.exponent && levelB === b.exponent) {
    const isThere = loadQuad(a, nodeA);
    if (!loadQuad(b, nodeB) || !isThere) return MISSING;
    descent.top = top;
    return LEAVES;
  }
  const opensA = levelB === b.exponent || (stack[top + 2] === 0 && levelA < a.exponent);
  const isThere = opensA ? openA(descent, nodeA, nodeB) : openB(descent, nodeA, nodeB);
  return isThere ? OPENED : MISSING;
}

/** x, y, z and radius in a's grid, of a node at 0 and of the other's four children from 4 on; centres each on their own grid. */
const spheres = new Float64Array(20);

/** One sphere of b against the four children of a's. */
function openA(descent: Descent, nodeA: number, nodeB: number): boolean {
  const { a, b, map } = descent;
  const isThere = readNode(b, nodeB, 0);
  if (!readChildren(a, nodeA) || !isThere) return false;
  const { linear: m, shift: t, slack } = map;
  const [qx, qy, qz] = spheres;
  const x = m[0] * qx + m[1] * qy + m[2] * qz + t[0];
  const y = m[3] * qx + m[4] * qy + m[5] * qz + t[1];
  const z = m[6] * qx + m[7] * qy + m[8] * qz + t[2];
  const reach = spheres[3] + slack;
  pop(descent, a, nodeA);
  for (let k = 3; k >= 0; k--) {
    const p = 4 + 4 * k;
    const dx = spheres[p] - x;
    const dy = spheres[p + 1] - y;
    const dz = spheres[p + 2] - z;
    const sum = spheres[p + 3] + reach;
    if ((dx * dx + dy * dy + dz * dz) * SPARE > sum * sum) continue;
    push(descent, childOf(nodeA, k), nodeB, 1);
  }
  return true;
}

/** One sphere of a against the four children of b's. */
function openB(descent: Descent, nodeA: number, nodeB: number): boolean {
  const { a, b, map } = descent;
  const isThere = readNode(a, nodeA, 0);
  if (!readChildren(b, nodeB) || !isThere) return false;
  const { linear: m, shift: t, slack } = map;
  const x = spheres[0] - t[0];
  const y = spheres[1] - t[1];
  const z = spheres[2] - t[2];
  const reach = spheres[3] + slack;
  pop(descent, b, nodeB);
  for (let k = 3; k >= 0; k--) {
    const p = 4 + 4 * k;
    const qx = spheres[p];
    const qy = spheres[p + 1];
    const qz = spheres[p + 2];
    const dx = m[0] * qx + m[1] * qy + m[2] * qz - x;
    const dy = m[3] * qx + m[4] * qy + m[5] * qz - y;
    const dz = m[6] * qx + m[7] * qy + m[8] * qz - z;
    const sum = spheres[p + 3] + reach;
    if ((dx * dx + dy * dy + dz * dz) * SPARE > sum * sum) continue;
    push(descent, nodeA, childOf(nodeB, k), 0);
  }
  return true;
}

const nodeAt = (level: number, row: number, column: number): number =>
  (level << LEVEL_SHIFT) | (row << ROW_SHIFT) | column;

function childOf(node: number, k: number): number {
  const row = (node >> ROW_SHIFT) & COORDINATE_MASK;
  const column = node & COORDINATE_MASK;
  return nodeAt((node >> LEVEL_SHIFT) + 1, 2 * row + (k >> 1), 2 * column + (k & 1));
}

/** Takes the pair off that is being opened, a node of `side` by its children. */
function pop(descent: Descent, side: Side, node: number): void {
  descent.top -= 3;
  descent.bounds += 4;
  const level = side.height + (node >> LEVEL_SHIFT) + 1;
  if (level > descent.deepest) descent.deepest = level;
}

function push(descent: Descent, nodeA: number, nodeB: number, turn: number): void {
  if (descent.top + 3 > descent.stack.length) {
    const bigger = new Int32Array(2 * descent.stack.length);
    bigger.set(descent.stack);
    descent.stack = bigger;
  }
  const { stack, top } = descent;
  stack[top] = nodeA;
  stack[top + 1] = nodeB;
  stack[top + 2] = turn;
  descent.top = top + 3;
}

/** Column and row on the sphere page, left by `place`. */
let column = 0;
let row = 0;

/** Where a node of the chart at work stands on its page; the layout is tree-page.ts's. */
function place(side: Side, node: number): void {
  const level = node >> LEVEL_SHIFT;
  column = side.left + (node & COORDINATE_MASK);
  row = side.top + ((node >> ROW_SHIFT) & COORDINATE_MASK);
  if (level < side.exponent) {
    column += 1 << side.exponent;
    row += (1 << side.exponent) - (2 << level);
  }
}

/** Reads a node's sphere into `spheres`; false where its block is missing. */
function readNode(side: Side, node: number, at: number): boolean {
  place(side, node);
  return readPixel(side, node >> LEVEL_SHIFT, at);
}

function readPixel(side: Side, level: number, at: number): boolean {
  const { spheres: page } = side.group;
  const block = find(side, blockAt(page, column, row));
  if (!block) return false;
  copySphere(block, offsetAt(page, column, row), side.radiusSteps[level], at);
  return true;
}

function copySphere(block: Uint16Array, o: number, radiusStep: number, at: number): void {
  spheres[at] = block[o];
  spheres[at + 1] = block[o + 1];
  spheres[at + 2] = block[o + 2];
  spheres[at + 3] = block[o + 3] * radiusStep;
}

/** Reads a node's children, from 4 on; false where a block is missing, all that are needed having been noted. */
function readChildren(side: Side, node: number): boolean {
  const level = (node >> LEVEL_SHIFT) + 1;
  place(side, childOf(node, 0));
  const { spheres: stored } = side.group;
  const { blockWidth, blockHeight } = stored.page;
  if ((column % blockWidth) + 1 < blockWidth && (row % blockHeight) + 1 < blockHeight) {
    const block = find(side, blockAt(stored, column, row));
    if (!block) return false;
    const o = offsetAt(stored, column, row);
    const radiusStep = side.radiusSteps[level];
    copySphere(block, o, radiusStep, 4);
    copySphere(block, o + 4, radiusStep, 8);
    copySphere(block, o + 4 * blockWidth, radiusStep, 12);
    copySphere(block, o + 4 * blockWidth + 4, radiusStep, 16);
    return true;
  }
  let isThere = true;
  const [x, y] = [column, row];
  for (let k = 0; k < 4; k++) {
    column = x + (k & 1);
    row = y + (k >> 1);
    if (!readPixel(side, level, 4 + 4 * k)) isThere = false;
  }
  return isThere;
}

/** A block, noted as needed and used; undefined where it is missing. */
function find(side: Side, id: number): Uint16Array | undefined {
  side.needs[side.count++] = id;
  const { store } = side.image;
  store.used[id] = store.now;
  return store.blocks[id];
}

/** The samples at the corners of a quad: a square image of two by two. */
const corners = new Uint16Array(12);

/** Decodes and moves the corners of a quad, unless they are those of the call before; false where a block is missing. */
function loadQuad(side: Side, node: number): boolean {
  const quadRow = (node >> ROW_SHIFT) & COORDINATE_MASK;
  const quadColumn = node & COORDINATE_MASK;
  const quad = side.firstQuad + quadRow * (1 << side.exponent) + quadColumn;
  if (side.quad === quad) return true;
  const { geometry } = side.group;
  let isThere = true;
  for (let k = 0; k < 4; k++) {
    const x = side.geometryLeft + quadColumn + (k & 1);
    const y = side.geometryTop + quadRow + (k >> 1);
    const block = find(side, blockAt(geometry, x, y));
    if (!block) {
      isThere = false;
      continue;
    }
    const o = offsetAt(geometry, x, y);
    for (let i = 0; i < 3; i++) corners[3 * k + i] = block[o + i];
  }
  if (!isThere) return false;
  side.quad = quad;
  const isDown = cutsDownAt(corners, 2, 0);
  for (let i = 0; i < 6; i++) loadVertex(side, (isDown ? DOWN : UP)[i], 3 * i);
  return true;
}

/** Corners of the two halves: FORMAT.md. */
const DOWN = [0, 3, 2, 0, 1, 3];
const UP = [0, 1, 2, 1, 3, 2];

function loadVertex(side: Side, corner: number, offset: number): void {
  const { origin, step } = side.image.outline;
  const x = origin[0] + corners[3 * corner] * step;
  const y = origin[1] + corners[3 * corner + 1] * step;
  const z = origin[2] + corners[3 * corner + 2] * step;
  if (side.moves) {
    movePoint(side.pose, x, y, z, side.triangles, offset);
  } else {
    side.triangles[offset] = x;
    side.triangles[offset + 1] = y;
    side.triangles[offset + 2] = z;
  }
}

/** A pair of nodes over the charts, or of charts, the larger of two opened. All of these are in memory. */
function stepOver(descent: Descent): void {
  const { a, b, pending } = descent;
  const heightB = pending.pop()!;
  const nodeB = pending.pop()!;
  const heightA = pending.pop()!;
  const nodeA = pending.pop()!;
  descent.bounds++;
  descent.deepest = Math.max(descent.deepest, heightA, heightB);
  const radiusA = readRoot(a, nodeA, 0);
  const radiusB = readRoot(b, nodeB, 4);
  if (!rootsOverlap(descent.map, radiusA + radiusB)) return;
  if (nodeA < 0 && nodeB < 0) {
    select(a, ~nodeA, heightA);
    select(b, ~nodeB, heightB);
    push(descent, 0, 0, 0);
  } else if (nodeA >= 0 && (nodeB < 0 || radiusA >= radiusB)) {
    const { children } = a.image.outline.roots;
    for (let k = 1; k >= 0; k--) pending.push(children[2 * nodeA + k], heightA + 1, nodeB, heightB);
  } else {
    const { children } = b.image.outline.roots;
    for (let k = 1; k >= 0; k--) pending.push(nodeA, heightA, children[2 * nodeB + k], heightB + 1);
  }
}

/** Writes the centre of a node over the charts, or of chart ~node's root, into `spheres`; returns the radius in a's grid. */
function readRoot({ image, scale }: Side, node: number, at: number): number {
  if (node >= 0) {
    const over = image.outline.roots.spheres;
    for (let k = 0; k < 3; k++) spheres[at + k] = over[4 * node + k];
    return over[4 * node + 3] * scale;
  }
  const { roots, firstChart, radiusSteps } = groupOf(image, ~node);
  const o = 4 * (~node - firstChart);
  for (let k = 0; k < 3; k++) spheres[at + k] = roots[o + k];
  return roots[o + 3] * (radiusSteps[0] * scale);
}

function rootsOverlap({ linear: m, shift: t, slack }: GridMap, radii: number): boolean {
  let d2 = 0;
  for (let i = 0; i < 3; i++) {
    const moved = m[3 * i] * spheres[4] + m[3 * i + 1] * spheres[5] + m[3 * i + 2] * spheres[6] + t[i];
    const d = spheres[i] - moved;
    d2 += d * d;
  }
  const sum = radii + slack;
  return !(d2 * SPARE > sum * sum);
}

/** The answer, and how long it took to have the tiles that it needed. */
export interface OnDemandOutcome {
  outcome: Outcome;
  /** Milliseconds of waiting for tiles, scouts included. */
  tilesMs: number;
}

/**
 * Checks two opened images in their poses: verdict, list and numbering of those that are read whole. Several checks may run at a time.
 *
 * @param query with neither clearance nor level: where a level ends it depends on more than these bounds, on slabs
 * @throws FormatError for a damaged tile, of those that are entered; what the sources throw
 */
export async function checkOpenedImages(a: OpenedImage, b: OpenedImage, query: Query): Promise<OnDemandOutcome> {
  const map = mapGrid(a.outline, b.outline, query.poseA, query.poseB);
  const descent: Descent = {
    map,
    a: createSide(a, query.poseA, 1, a.outline.step),
    b: createSide(b, query.poseB, map.norm, a.outline.step),
    pending: [a.outline.charts === 1 ? ~0 : 0, 0, b.outline.charts === 1 ? ~0 : 0, 0],
    stack: new Int32Array(3 * 256),
    top: 0,
    bounds: 0,
    deepest: 0,
  };
  const contacts = new ContactList(query);
  const search = { contacts, hulls: 0 };
  let tilesMs = 0;
  let held: (() => void) | null = null;
  let batch = 0;
  try {
    while (run(descent, search) === MISSING) {
      held?.();
      held = null;
      const start = performance.now();
      held = await loadMissing(descent, batch++);
      tilesMs += performance.now() - start;
    }
  } finally {
    held?.();
  }
  const { bounds, deepest: level } = descent;
  const outcome = contacts.outcome({ level, bounds, hulls: search.hulls });
  return { outcome, tilesMs };
}

interface Search {
  contacts: ContactList;
  hulls: number;
}

/** Descends until nothing more can change the answer, END, or a tile is missing. */
function run(descent: Descent, search: Search): number {
  descent.a.image.store.now++;
  if (descent.b.image !== descent.a.image) descent.b.image.store.now++;
  for (;;) {
    const met = step(descent);
    if (met === END || met === MISSING) return met;
    if (met === LEAVES && testLeaves(descent, search)) return END;
  }
}

/** The triangles of both quads; whether the search has its answer. */
function testLeaves({ a, b }: Descent, search: Search): boolean {
  const { contacts } = search;
  for (let i = 0; i < 4; i++) {
    search.hulls++;
    if (!trianglesIntersectAt(a.triangles, 9 * (i >> 1), b.triangles, 9 * (i & 1))) continue;
    if (!contacts.add(2 * a.quad + (i >> 1), 2 * b.quad + (i & 1))) return true;
  }
  return false;
}

/** Reads what the descent lacks, and what its scout found that it will; returns what lets go of the former when that was used. */
async function loadMissing(descent: Descent, batch: number): Promise<() => void> {
  const { a, b } = descent;
  const [needsA, needsB] = [needsOf(a), needsOf(b)];
  const reach = a.image.store.source.isRemote || b.image.store.source.isRemote ? FAR : NEAR;
  const steps = Math.min(reach.most, reach.steps * 2 ** batch);
  const [aheadA, aheadB] = scout(descent, { ...reach, steps });
  const loads = [
    { store: a.image.store, needs: needsA, ahead: aheadA },
    { store: b.image.store, needs: needsB, ahead: aheadB },
  ];
  const results = await Promise.allSettled(
    loads.map(({ store, needs, ahead }) => store.load(needs, [...ahead.wanted], [...ahead.likely])),
  );
  const release = (): void => {
    results.forEach(({ status }, i) => {
      if (status === 'fulfilled') loads[i].store.release(loads[i].needs);
    });
  };
  const failed = results.find((result) => result.status === 'rejected');
  if (failed) {
    release();
    throw failed.reason;
  }
  return release;
}

const needsOf = ({ needs, count }: Side): number[] => Array.from(needs.subarray(0, count));

/** Numbers of blocks that a scout found missing, and of those below them. */
interface Ahead {
  wanted: Set<number>;
  likely: Set<number>;
}

/** Runs ahead of a descent that has stopped. */
function scout(descent: Descent, reach: typeof NEAR): [Ahead, Ahead] {
  const ahead: [Ahead, Ahead] = [
    { wanted: new Set(), likely: new Set() },
    { wanted: new Set(), likely: new Set() },
  ];
  const copy: Descent = {
    ...descent,
    a: { ...descent.a, triangles: new Float64Array(18), needs: new Int32Array(16), quad: -1 },
    b: { ...descent.b, triangles: new Float64Array(18), needs: new Int32Array(16), quad: -1 },
    pending: descent.pending.slice(),
    stack: descent.stack.slice(),
  };
  const sides = [copy.a, copy.b];
  for (let steps = 0; steps < reach.steps; steps++) {
    const met = step(copy);
    if (met === END) break;
    if (met !== MISSING) continue;
    copy.top -= 3;
    for (let s = 0; s < 2; s++) {
      const { blocks } = sides[s].image.store;
      for (let i = 0; i < sides[s].count; i++) {
        const id = sides[s].needs[i];
        if (!blocks[id]) ahead[s].wanted.add(id);
      }
      if (ahead[s].likely.size < reach.likely) noteBelow(sides[s], copy.stack[copy.top + s], ahead[s].likely);
    }
    if (ahead[0].wanted.size + ahead[1].wanted.size >= reach.wanted) break;
  }
  return ahead;
}

/** The blocks that hold all descendants of a node on a level of their own, and its samples: where these are one block. */
function noteBelow(side: Side, node: number, into: Set<number>): void {
  const { group, exponent } = side;
  const level = node >> LEVEL_SHIFT;
  const nodeRow = (node >> ROW_SHIFT) & COORDINATE_MASK;
  const nodeColumn = node & COORDINATE_MASK;
  const { blockWidth, blockHeight } = group.spheres.page;
  const most = Math.min(blockWidth, blockHeight);
  for (let below = level + 1; below <= exponent; below++) {
    const shift = below - level;
    if (1 << shift > most) return;
    place(side, nodeAt(below, nodeRow << shift, nodeColumn << shift));
    into.add(blockAt(group.spheres, column, row));
  }
  const shift = exponent - level;
  into.add(blockAt(group.geometry, side.geometryLeft + (nodeColumn << shift), side.geometryTop + (nodeRow << shift)));
}
