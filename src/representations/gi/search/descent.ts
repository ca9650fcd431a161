/**
 * Tests two geometry images by a double traversal of their trees of spheres and slabs.
 *
 * Images are in memory or opened (pages.ts). A step that lacks a tile reports it and leaves its
 * pair on the stack. The kernel (kernel.ts) gives the same verdicts and lists, but its first
 * contact and its counts may differ.
 *
 * B. Benes, N. Gomez Villanueva, "GI-COLLIDE", SCCG 2005, section 4: one sphere of one tree against
 * the four children of the other's, in turns, with the exact triangle test at the bottom. A pose is
 * applied during the descent to the nodes that it meets. `bounds: 'spheres'` does exactly this; the
 * rest below is ours.
 *
 * Nodes whose spheres overlap are tested as disks, the part of the spheres in their slabs
 * (../tree/slab-tree.ts). A patch of surface is flat, so disks separate patches that nearly touch
 * long before spheres do. Two disks have centers d apart, normals n, m, radii r, s and half
 * thicknesses g, h. Points of the second are at most h along m and s long, so along n they extend
 * at most
 *   |n . m| h + sqrt(1 - (n . m)^2) s
 * The disks are apart if |n . d| is more than that plus g, and the same holds along m. Median tests
 * of first contact, pairs of nodes / of triangles, 257, near contact:
 *   bunny and bunny   clear   7,701 / 1,732 by spheres, 1,449 /  8 with slabs
 *                     contact 2,225 /   369,              537 / 21
 *   torus (5 charts)  clear  25,511 / 7,928,            2,609 /  4
 *                     contact 9,301 / 2,105,            1,443 / 30
 *
 * For atlases, the nodes over the charts are paired first, opening the larger of two, then chart
 * with chart.
 *
 * The descent runs in a's grid: a's centers are the stored integers, b's are mapped
 * (pair-kernel.ts proves that mapped bounds miss nothing). Decoding moves a center by
 * decodeError. `slack` is the sum of all errors, in a's grid. The squared distance and radius sums
 * have relative errors below 2^-49 and are compared with 2^-47 to spare. A comparison with NaN
 * counts as overlap. For disks, the map keeps angles except for `skew`, which includes 2^-44 for
 * rounding. m is within it of a unit vector across the mapped slab. So the half thickness grows by
 * at most twice skew times the radius, and the cosine squared by 2.1 skew. Both have eight times
 * skew to spare.
 *
 * Tried before: two descents, for images in memory and for tiles, of 1,080 lines. One for both
 * takes 1.1 times as long in memory, and as long by tiles. For sources: disks enlarged by the
 * page's own numbers, which cover spheres alone; a ball with thorns was then reported clear of
 * things that its thorns touch.
 */

import { requireThat } from '../../../base/require.ts';
import { requirePairs } from '../../../engine/bound-tree.ts';
import type { ContactPair, OnVisit, Outcome, Query, Witness } from '../../../engine/records.ts';
import { ContactList, isLate } from '../../../engine/records.ts';
import type { DistanceBracket } from '../../../geometry/triangle-distance.ts';
import { triangleDistance } from '../../../geometry/triangle-distance.ts';
import { trianglesIntersectAt } from '../../../geometry/triangle-triangle.ts';
import { normBound } from '../../../math/pose.ts';
import { childOver } from '../tree/chart-tree.ts';
import { type GeometryImage, groupOf } from '../tree/geometry-image.ts';
import { discOf } from '../tree/slab-tree.ts';
import {
  blocksOfChildren,
  blocksOfNode,
  blocksOfQuad,
  createSide,
  deviationAt,
  findNodes,
  firstBelow,
  type GridMap,
  isBeyond,
  levelOf,
  loadQuad,
  mapGrid,
  numberOf,
  numberOver,
  OUTWARD,
  type PagedImage,
  radiusOf,
  residentPages,
  residentSpheres,
  type Side,
  select,
  siblingOf,
} from './pages.ts';

const SPARE = 1 - 2 ** -47;

/** Stack of an ended descent, for reuse: making one costs as much as a small search. */
let spareStack: Int32Array | null = null;

function takeStack(): Int32Array {
  const stack = spareStack ?? new Int32Array(3 * 256);
  spareStack = null;
  return stack;
}

export interface Means {
  /** True to test overlapping spheres as disks. */
  findsSlabs: boolean;
  /** True to ask about the sources: apart, or unknown. */
  findsSource: boolean;
  /** True to report a distance bracket, however little was searched. */
  notesBracket: boolean;
}

export interface Descent {
  map: GridMap;
  a: Side;
  b: Side;
  /** Pairs above the charts: nodes by number, charts as ~number, each with its depth. */
  pending: number[];
  over: number;
  /** Pairs of overlapping nodes of the current two charts: a, b, and the side to open next. */
  stack: Int32Array;
  top: number;
  bounds: number;
  deepest: number;
  /** True if overlapping nodes were not opened because of the query's level or time. */
  isUndecided: boolean;
  /**
   * Bounds on the distance in a's grid. `lower` only holds if no pair was left open. Triangles that
   * don't meet change neither.
   */
  upper: number;
  lower: number;
  /** True if every tested pair updates the bounds. */
  notesBracket: boolean;
  onVisit: OnVisit | undefined;
}

function createDescent(a: PagedImage, b: PagedImage, query: Query, means: Means): Descent {
  const map = mapGrid(a.outline, b.outline, query.poseA, query.poseB);
  const limit = query.level ?? Number.POSITIVE_INFINITY;
  const descent: Descent = {
    map,
    a: createSide(a, query.poseA, 1, a.outline.step, limit, means),
    b: createSide(b, query.poseB, map.norm, a.outline.step, limit, means),
    pending: [a.outline.charts === 1 ? ~0 : 0, 0, b.outline.charts === 1 ? ~0 : 0, 0],
    over: 0,
    stack: takeStack(),
    top: 0,
    bounds: 0,
    deepest: 0,
    isUndecided: false,
    upper: Number.POSITIVE_INFINITY,
    lower: Number.POSITIVE_INFINITY,
    notesBracket: means.notesBracket,
    onVisit: query.onVisit,
  };
  if (means.notesBracket) noteOver(descent, descent.pending[0], descent.pending[2]);
  return descent;
}

export const END = 0;
const OPENED = 1;
const LEAVES = 2;
export const MISSING = 3;

/**
 * Tests one pair. Returns END if none is left; MISSING if a block is, with the pair still there;
 * LEAVES with both quads' triangles loaded.
 */
export function step(descent: Descent): number {
  if (descent.top === 0) return stepOver(descent);
  const { a, b, stack } = descent;
  const top = descent.top - 3;
  const nodeA = stack[top];
  const nodeB = stack[top + 1];
  const levelA = levelOf(nodeA);
  const levelB = levelOf(nodeB);
  if (levelA === a.bottom && levelB === b.bottom) {
    if (levelA === a.group.leaf && levelB === b.group.leaf) {
      if (!loadQuad(a, nodeA) || !loadQuad(b, nodeB)) return MISSING;
      if (a.findsSource && !(findNodes(a, nodeA, 1) && findNodes(b, nodeB, 1))) return MISSING;
      descent.top = top;
      return LEAVES;
    }
    // At the query's level these charts give no more information.
    const meet = noteUpper(descent, nodeA, nodeB);
    if (meet === undefined) return MISSING;
    descent.isUndecided ||= meet;
    descent.top = meet ? 0 : top;
    return OPENED;
  }
  return opensA(descent) ? open(descent, 0, nodeA, nodeB) : open(descent, 1, nodeB, nodeA);
}

/** True if a's node of the top pair is opened; the pair must not be at the bottom of both. */
function opensA({ a, b, stack, top }: Descent): boolean {
  return levelOf(stack[top - 2]) === b.bottom || (stack[top - 1] === 0 && levelOf(stack[top - 3]) < a.bottom);
}

/** Bounds the distance of two nodes and says if they overlap; undefined if a block is missing. */
function noteUpper(descent: Descent, nodeA: number, nodeB: number): boolean | undefined {
  const { a, b, map } = descent;
  if (!findNodes(a, nodeA, 1) || !findNodes(b, nodeB, 1)) return undefined;
  for (let k = 0; k < 3; k++) {
    centres[k] = a.samples[a.offset + k];
    centres[3 + k] = b.samples[b.offset + k];
  }
  const radii = radiusOf(a, levelOf(nodeA), a.offset) + radiusOf(b, levelOf(nodeB), b.offset);
  noteDistance(descent, Math.sqrt(squaredGap(map)), radii);
  return rootsOverlap(map, radii);
}

/** The same for two nodes above the charts. */
function noteOver(descent: Descent, nodeA: number, nodeB: number): void {
  const radii = readRoot(descent.a, nodeA, 0) + readRoot(descent.b, nodeB, 3);
  noteDistance(descent, Math.sqrt(squaredGap(descent.map)), radii);
}

function noteDistance(descent: Descent, distance: number, radii: number): void {
  descent.upper = Math.min(descent.upper, distance + radii);
  // Overlapping nodes are opened, or leave everything undecided.
  const gap = distance - radii;
  if (gap > descent.map.slack) descent.lower = Math.min(descent.lower, gap);
}

function open(descent: Descent, which: 0 | 1, node: number, other: number): number {
  const { a, b, map } = descent;
  const opened = which === 0 ? a : b;
  const fixed = which === 0 ? b : a;
  const first = firstBelow(node, 1);
  if (!findNodes(fixed, other, 1) || !findNodes(opened, first, 2)) return MISSING;
  const { linear: m, shift: t, slack } = map;
  const { samples: s, offset: o } = fixed;
  const x = which === 1 ? s[o] : m[0] * s[o] + m[1] * s[o + 1] + m[2] * s[o + 2] + t[0];
  const y = which === 1 ? s[o + 1] : m[3] * s[o] + m[4] * s[o + 1] + m[5] * s[o + 2] + t[1];
  const z = which === 1 ? s[o + 2] : m[6] * s[o] + m[7] * s[o + 1] + m[8] * s[o + 2] + t[2];
  const radius = radiusOf(fixed, levelOf(other), o);
  const reach = radius + slack;
  const { samples: q, offset, stride } = opened;
  const hasSlabs = a.slabs !== undefined || b.slabs !== undefined;
  let isLoaded = false;
  const stack = pop(descent, opened.height + levelOf(first));
  let { top } = descent;
  for (let k = 3; k >= 0; k--) {
    if (isBeyond(opened, siblingOf(first, k))) continue;
    const p = offset + (k >> 1) * stride + (k & 1) * 4;
    const dx = (which === 0 ? q[p] : m[0] * q[p] + m[1] * q[p + 1] + m[2] * q[p + 2] + t[0]) - x;
    const dy = (which === 0 ? q[p + 1] : m[3] * q[p] + m[4] * q[p + 1] + m[5] * q[p + 2] + t[1]) - y;
    const dz = (which === 0 ? q[p + 2] : m[6] * q[p] + m[7] * q[p + 1] + m[8] * q[p + 2] + t[2]) - z;
    const own = radiusOf(opened, levelOf(first), p);
    const sum = own + reach;
    const d2 = dx * dx + dy * dy + dz * dz;
    if (descent.notesBracket) noteDistance(descent, Math.sqrt(d2), own + radius);
    let isApart = d2 * SPARE > sum * sum;
    if (!isApart && hasSlabs) {
      if (!isLoaded) loadDisc(fixed, which === 0 ? map : null, o, levelOf(other));
      isLoaded = true;
      loadDisc(opened, which === 1 ? map : null, p, levelOf(first));
      const gap = gapOfDiscs(map.skew);
      if (gap > 0) {
        if (gap < descent.lower) descent.lower = gap;
        isApart = true;
      }
    }
    if (descent.onVisit !== undefined) tellNodes(descent, descent.onVisit, which, siblingOf(first, k), other, isApart);
    if (isApart) continue;
    stack[top + which] = siblingOf(first, k);
    stack[top + 1 - which] = other;
    stack[top + 2] = 1 - which;
    top += 3;
  }
  descent.top = top;
  return OPENED;
}

function tellNodes(
  { a, b }: Descent,
  onVisit: OnVisit,
  which: 0 | 1,
  node: number,
  other: number,
  isApart: boolean,
): void {
  const [nodeA, nodeB] = which === 0 ? [node, other] : [other, node];
  const levelA = a.height + levelOf(nodeA);
  const levelB = b.height + levelOf(nodeB);
  onVisit({ kind: 'nodes', a: numberOf(a, nodeA), b: numberOf(b, nodeB), levelA, levelB, isApart });
}

function pop(descent: Descent, level: number): Int32Array {
  descent.top -= 3;
  descent.bounds += 4;
  if (level > descent.deepest) descent.deepest = level;
  if (descent.top + 12 > descent.stack.length) {
    const bigger = new Int32Array(2 * descent.stack.length);
    bigger.set(descent.stack);
    descent.stack = bigger;
  }
  return descent.stack;
}

function stepOver(descent: Descent): number {
  const { a, b, pending } = descent;
  if (pending.length === 0) return END;
  const [overA, overB] = [a.image.outline, b.image.outline];
  requirePairs(++descent.over, 2 * overA.charts, 2 * overB.charts);
  const heightB = pending.pop()!;
  const nodeB = pending.pop()!;
  const heightA = pending.pop()!;
  const nodeA = pending.pop()!;
  descent.bounds++;
  descent.deepest = Math.max(descent.deepest, heightA, heightB);
  const radiusA = readRoot(a, nodeA, 0);
  const radiusB = readRoot(b, nodeB, 3);
  if (descent.notesBracket) noteDistance(descent, Math.sqrt(squaredGap(descent.map)), radiusA + radiusB);
  const isApart = !rootsOverlap(descent.map, radiusA + radiusB);
  if (descent.onVisit !== undefined) {
    const [numberA, numberB] = [numberOver(a.image, nodeA), numberOver(b.image, nodeB)];
    descent.onVisit({ kind: 'nodes', a: numberA, b: numberB, levelA: heightA, levelB: heightB, isApart });
  }
  if (isApart) return OPENED;
  if (nodeA < 0 && nodeB < 0) {
    select(a, ~nodeA, heightA);
    select(b, ~nodeB, heightB);
    descent.stack.fill(0, 0, 3);
    descent.top = 3;
  } else if (nodeA >= 0 && (nodeB < 0 || radiusA >= radiusB) && heightA < a.limit) {
    for (let k = 1; k >= 0; k--) pending.push(childOver(overA.roots, nodeA, k), heightA + 1, nodeB, heightB);
  } else if (nodeB >= 0 && heightB < b.limit) {
    for (let k = 1; k >= 0; k--) pending.push(nodeA, heightA, childOver(overB.roots, nodeB, k), heightB + 1);
  } else {
    noteOver(descent, nodeA, nodeB);
    descent.isUndecided = true;
  }
  return OPENED;
}

/** Centers of the current two nodes above the charts' levels, each in its own grid. */
const centres = new Float64Array(6);

/** Writes the center of a node above the charts, or of chart ~node's root; returns the radius. */
function readRoot({ image, scale, findsSource }: Side, node: number, at: number): number {
  const beyond = findsSource ? largestDeviation(image) * scale : 0;
  if (node >= 0) {
    const { spheres } = image.outline.roots;
    for (let k = 0; k < 3; k++) centres[at + k] = spheres[4 * node + k];
    return spheres[4 * node + 3] * scale + beyond;
  }
  const { roots, firstRoot, rootStride, firstChart, radiusSteps } = groupOf(image, ~node);
  const o = firstRoot + (~node - firstChart) * rootStride;
  for (let k = 0; k < 3; k++) centres[at + k] = roots[o + k];
  return roots[o + 3] * (radiusSteps[0] * scale) + beyond;
}

/** No page holds a larger deviation. */
const largestDeviation = ({ groups }: PagedImage): number =>
  Math.max(...groups.map(({ deviationStep }) => 65535 * deviationStep));

function rootsOverlap(map: GridMap, radii: number): boolean {
  const sum = radii + map.slack;
  return !(squaredGap(map) * SPARE > sum * sum);
}

function squaredGap({ linear: m, shift: t }: GridMap): number {
  let d2 = 0;
  for (let i = 0; i < 3; i++) {
    const moved = m[3 * i] * centres[3] + m[3 * i + 1] * centres[4] + m[3 * i + 2] * centres[5] + t[i];
    const d = centres[i] - moved;
    d2 += d * d;
  }
  return d2;
}

/** Current nodes in a's grid: center, radius, normal, half thickness. */
const discA = new Float64Array(8);
const discB = new Float64Array(8);

const own = new Float64Array(8);

/** Loads a node into discA, or with a map into discB, enlarged by its errors and deviation. */
function loadDisc(side: Side, map: GridMap | null, o: number, level: number): void {
  const { samples, slabs, group } = side;
  const radius = samples[o + 3] * (group.radiusSteps[level] * side.scale);
  const beyond = side.deviations ? beyondDisc(side, o, level) : 0;
  if (!map) {
    discOf(samples, slabs, o, radius, discA);
    discA[3] += beyond;
    discA[7] += beyond;
    return;
  }
  const { linear: m, shift: t, skew, slack, toUnit, scale } = map;
  discOf(samples, slabs, o, radius / scale, own);
  const x = own[0];
  const y = own[1];
  const z = own[2];
  const nx = own[4];
  const ny = own[5];
  const nz = own[6];
  discB[0] = m[0] * x + m[1] * y + m[2] * z + t[0];
  discB[1] = m[3] * x + m[4] * y + m[5] * z + t[1];
  discB[2] = m[6] * x + m[7] * y + m[8] * z + t[2];
  discB[4] = (m[0] * nx + m[1] * ny + m[2] * nz) * toUnit;
  discB[5] = (m[3] * nx + m[4] * ny + m[5] * nz) * toUnit;
  discB[6] = (m[6] * nx + m[7] * ny + m[8] * nz) * toUnit;
  discB[3] = own[3] * scale + slack + beyond;
  discB[7] = own[7] * scale + 8 * skew * discB[3] + slack + beyond;
}

/**
 * The source's distance beyond a disk. Above the quads, a page's deviation is beyond the sphere, at
 * any height above the slab. But points laid on a quad are within its own deviation of its
 * triangles, which are in the disks of all nodes above.
 */
const beyondDisc = (side: Side, o: number, level: number): number =>
  level === side.group.exponent ? deviationAt(side, o) : 65535 * side.group.deviationStep * side.scale;

/** Least distance between discA and discB along either normal; 0 or less if unknown. */
function gapOfDiscs(skew: number): number {
  const parallel = 1 + 8 * skew;
  const x = discB[0] - discA[0];
  const y = discB[1] - discA[1];
  const z = discB[2] - discA[2];
  const cosine = discA[4] * discB[4] + discA[5] * discB[5] + discA[6] * discB[6];
  const sine = Math.sqrt(Math.max(0, parallel - cosine * cosine));
  const along = Math.abs(cosine);
  const alongA = Math.abs(x * discA[4] + y * discA[5] + z * discA[6]);
  const gapA = alongA * SPARE - (discA[7] + along * discB[7] + sine * discB[3]);
  if (gapA > 0) return gapA / parallel;
  const alongB = Math.abs(x * discB[4] + y * discB[5] + z * discB[6]);
  return (alongB * SPARE - (discB[7] + along * discA[7] + sine * discA[3])) / parallel;
}

export function needsOf(descent: Descent): [number[], number[]] {
  const { a, b, stack, top } = descent;
  const [nodeA, nodeB] = [stack[top - 3], stack[top - 2]];
  if (levelOf(nodeA) === a.bottom && levelOf(nodeB) === b.bottom) {
    const areLeaves = a.bottom === a.group.leaf && b.bottom === b.group.leaf;
    const needs: [number[], number[]] = [[], []];
    if (areLeaves) needs[0].push(...blocksOfQuad(a, nodeA));
    if (areLeaves) needs[1].push(...blocksOfQuad(b, nodeB));
    if (!areLeaves || a.findsSource) needs[0].push(...blocksOfNode(a, nodeA));
    if (!areLeaves || a.findsSource) needs[1].push(...blocksOfNode(b, nodeB));
    return needs;
  }
  return opensA(descent)
    ? [blocksOfChildren(a, nodeA), blocksOfNode(b, nodeB)]
    : [blocksOfNode(a, nodeA), blocksOfChildren(b, nodeB)];
}

export const copyDescent = (descent: Descent): Descent => ({
  ...descent,
  a: { ...descent.a, quad: -1, triangles: new Float64Array(18) },
  b: { ...descent.b, quad: -1, triangles: new Float64Array(18) },
  pending: descent.pending.slice(),
  onVisit: undefined,
  stack: descent.stack.slice(),
});

export interface Search {
  descent: Descent;
  contacts: ContactList;
  hulls: number;
  findsWitness: boolean;
  /** Of the first contact that it met. */
  witness: Witness | undefined;
}

export const createSearch = (a: PagedImage, b: PagedImage, query: Query, means: Means): Search => ({
  descent: createDescent(a, b, query, means),
  contacts: new ContactList(query),
  hulls: 0,
  findsWitness: query.findsWitness ?? false,
  witness: undefined,
});

/** Descends until the answer is final or time is up (END), or a block is missing. */
export function run(search: Search, deadline?: number): number {
  const { descent } = search;
  for (let steps = 0; ; steps++) {
    if (isLate(deadline, steps)) {
      descent.isUndecided = true;
      return END;
    }
    const met = step(descent);
    if (met === END || met === MISSING) return met;
    if (met === LEAVES && !testLeaves(search)) return END;
  }
}

function testLeaves(search: Search): boolean {
  const { a, b } = search.descent;
  if (a.findsSource) return areSourcesApart(search);
  search.descent.lower = 0;
  for (let i = 0; i < 4; i++) {
    countHulls(search, i);
    if (!trianglesIntersectAt(a.triangles, 9 * (i >> 1), b.triangles, 9 * (i & 1))) continue;
    const pair: ContactPair = [2 * a.quad + (i >> 1), 2 * b.quad + (i & 1)];
    if (search.findsWitness && !search.witness) {
      triangleDistance(a.triangles, 9 * (i >> 1), b.triangles, 9 * (i & 1), between);
      search.witness = { a: Array.from(between.onA), b: Array.from(between.onB), pair };
    }
    if (!search.contacts.add(...pair)) return false;
  }
  return true;
}

function countHulls(search: Search, i: number): void {
  const { a, b, onVisit } = search.descent;
  search.hulls++;
  if (onVisit !== undefined) onVisit({ kind: 'hulls', a: 2 * a.quad + (i >> 1), b: 2 * b.quad + (i & 1) });
}

/** True if both quads' sources are apart, by their deviations; otherwise all is undecided. */
function areSourcesApart(search: Search): boolean {
  const { descent } = search;
  const { a, b, map } = descent;
  const margin = (deviationAt(a, a.offset) + deviationAt(b, b.offset) + map.slack) * map.toCommon;
  for (let i = 0; i < 4; i++) {
    countHulls(search, i);
    triangleDistance(a.triangles, 9 * (i >> 1), b.triangles, 9 * (i & 1), between, margin);
    if (between.lower > margin) {
      descent.lower = Math.min(descent.lower, (between.lower - margin) / map.toCommonLeast);
      continue;
    }
    descent.upper = Math.min(descent.upper, (between.upper / map.toCommon) * OUTWARD);
    descent.isUndecided = true;
    return false;
  }
  return true;
}

const between: DistanceBracket = { lower: 0, upper: 0, onA: new Float64Array(3), onB: new Float64Array(3) };

export function outcomeOf({ descent, contacts, hulls, witness }: Search): Outcome {
  const { bounds, deepest: level, isUndecided, upper, lower, map, notesBracket } = descent;
  const outcome = contacts.outcome({ level, bounds, hulls, isUndecided });
  if (witness) outcome.witness = witness;
  if (upper < Number.POSITIVE_INFINITY && contacts.count === 0)
    outcome.upper = ((upper + map.slack) * map.toCommon + excessOf(descent.a) + excessOf(descent.b)) * OUTWARD;
  if (notesBracket && outcome.verdict === 'clear') {
    const least = Math.max(0, ((lower - map.slack) * map.toCommonLeast) / OUTWARD);
    // Files with contradictory pages still get a bracket.
    outcome.lower = Math.min(least, outcome.upper ?? Number.POSITIVE_INFINITY);
  }
  return outcome;
}

function excessOf({ findsSource, image, pose }: Side): number {
  return findsSource ? normBound(pose) * (image.outline.tolerance?.excess ?? Number.POSITIVE_INFINITY) : 0;
}

export const OF_SOURCES: Means = { findsSlabs: true, findsSource: true, notesBracket: true };

/** Decides if sources are apart; undefined unless both images have deviations but no source. */
export function checkSources(a: GeometryImage, b: GeometryImage, query: Query): Outcome | undefined {
  if (![a, b].every(knowsDeviations)) return undefined;
  return searched(createSearch(residentPages(a), residentPages(b), query, OF_SOURCES), query);
}

const knowsDeviations = ({ groups, source, tolerance }: GeometryImage): boolean =>
  source === null && tolerance !== null && groups.every(({ deviation }) => deviation !== null);

const RESIDENT: Means = { findsSlabs: true, findsSource: false, notesBracket: false };

export function checkGeometryImages(a: GeometryImage, b: GeometryImage, query: Query): Outcome {
  if (query.own?.bounds === 'spheres') return checkBySpheres(a, b, query);
  return searched(createSearch(residentPages(a), residentPages(b), query, RESIDENT), query);
}

/**
 * The paper's query, section 4. The two root spheres come first. Then it zigzags, a's root being
 * opened first: one sphere of one image against four of the other. At the deepest level it tests
 * triangles. A time limit leaves a bracket of the distance, "the best possible fit that was found".
 */
function checkBySpheres(a: GeometryImage, b: GeometryImage, query: Query): Outcome {
  const means = meansOfSpheres(query);
  return searched(createSearch(residentSpheres(a), residentSpheres(b), query, means), query);
}

export const meansOfSpheres = ({ deadline }: Query): Means => ({
  findsSlabs: false,
  findsSource: false,
  notesBracket: deadline !== undefined,
});

/** Throws OptionError for bounds to which no query can be restricted. */
export function requireBounds(bounds: unknown): unknown {
  requireThat(bounds === 'spheres', 'bounds', '"spheres"', bounds);
  return bounds;
}

function searched(search: Search, query: Query): Outcome {
  run(search, query.deadline);
  spareStack = search.descent.stack;
  return outcomeOf(search);
}
