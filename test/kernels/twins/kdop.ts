/**
 * The readable twin of the shaders kdop-axes.wgsl and kdop-poses.wgsl, whose heads say what is
 * computed and why 32 bits hold it: the same numbers, so that axes are equal to the bit, and counts
 * where there is no contact. So a shader that prunes less, or more, is caught.
 */

import { relativePose } from '../../../src/engine/pair-kernel.ts';
import type { Outcome, Query } from '../../../src/engine/records.ts';
import { ContactList } from '../../../src/engine/records.ts';
import { trianglesIntersectAt } from '../../../src/geometry/triangle-triangle.ts';
import { isIdentity, movePoint, type Pose } from '../../../src/math/pose.ts';
import { cellOf, facetTable } from '../../../src/representations/kdop/search/facets.ts';
import { groupBytesOf, groupsOf, type KdopGroups } from '../../../src/representations/kdop/search/groups.ts';
import {
  GROUP_COEFFICIENTS,
  GROUP_COUNT,
  GROUP_LEVEL,
  GROUP_WIDTH,
  GROUP_WIDTHS,
} from '../../../src/representations/kdop/search/layout.as.ts';
import { axesFor, reachOfKdopTree } from '../../../src/representations/kdop/search/projection.ts';
import { type DopDirections, dopDirections } from '../../../src/representations/kdop/tree/dop-directions.ts';
import type { KdopTree } from '../../../src/representations/kdop/tree/kdop-tree.ts';

interface KdopQuery {
  poseA: Pose;
  poseB: Pose;
  /** Of relativePose: b's frame in a's, and how far that may miss. */
  map: Float64Array;
  slack: number;
  isAll: boolean;
  /** How many axes, from 1 to (kA + kB) / 2; a's faces come first. */
  axes: number;
}

interface KdopWalk {
  /** Pairs of nodes and of triangles that were tested. */
  bounds: number;
  hulls: number;
  /** The deepest level of a binary tree that was reached. */
  level: number;
}

/** A node this many times as wide as the other is opened alone. */
const MUCH_WIDER = 6;

/** After so many axes no more are tested where at most so many pairs are left. */
const MANY_AXES = 12;
const FEW_PAIRS = 2;

/** Of P', after the point. */
const MAPPING_SCALE = 2 ** 15;
/** Images of the finer tree are shifted by so many bits, those of the other by more. */
const LEAST_SHIFT = 2;
const MOST_SHIFT = 31;
/** Beyond it, p decides alone; units u. */
const FARTHEST = 2 ** 30;
/** Of all vertices' images, for what doubles do to v, w and r. */
const ROUNDING = 2 ** -46;

/**
 * What the image of one side's nodes is computed from: up to three faces that bound it from below,
 * as many from above, and P' 2^15.
 */
interface Mapping {
  lower: number[];
  upper: number[];
  weights: number[];
}

/** One axis, ready; p - E rounded down and -(p + E) rounded down, units u. */
interface Axis {
  a: Mapping;
  b: Mapping;
  first: number;
  second: number;
}

/** Answers as the shaders do; trees have at most 16 bits. */
export function checkByTwin(a: KdopTree, b: KdopTree, query: Query): Outcome {
  const { poseA, poseB, all: isAll } = query;
  const { map, slack } = relativePose(poseA, poseB, reachOfKdopTree(a), reachOfKdopTree(b));
  const asked = { poseA, poseB, map, slack, isAll, axes: axesFor(a, b, query.own?.axes) };
  const contacts = new ContactList(query);
  return contacts.outcome(walkKdop(groupsOf(a), groupsOf(b), asked, (i, j) => contacts.add(i, j)));
}

/**
 * Finds the contacts of two trees, each reported by the numbers of its triangles; stops where
 * `onContact` returns false.
 */
function walkKdop(
  a: KdopGroups,
  b: KdopGroups,
  query: KdopQuery,
  onContact: (triangleA: number, triangleB: number) => unknown,
): KdopWalk {
  const { poseA, poseB, isAll } = query;
  const common = Math.max(a.quantumExponent, b.quantumExponent);
  const shiftA = Math.min(MOST_SHIFT, LEAST_SHIFT + common - a.quantumExponent);
  const shiftB = Math.min(MOST_SHIFT, LEAST_SHIFT + common - b.quantumExponent);
  const sizeA = 2 ** (a.quantumExponent - common);
  const sizeB = 2 ** (b.quantumExponent - common);
  const axes = axesOf(a, b, query, 2 ** (common - 15 + LEAST_SHIFT));
  const viewA = viewOf(a);
  const viewB = viewOf(b);
  const walk: KdopWalk = { bounds: 0, hulls: 0, level: 0 };
  // Group of a, the nodes that count as bits, and the same of b.
  const pending = [0, allOf(viewA, 0), 0, allOf(viewB, 0)];
  while (pending.length > 0) {
    const nodesB = pending.pop() as number;
    const groupB = pending.pop() as number;
    const nodesA = pending.pop() as number;
    const groupA = pending.pop() as number;
    walk.bounds += countOf(nodesA) * countOf(nodesB);
    walk.level = Math.max(walk.level, wordOf(viewA, groupA, GROUP_LEVEL), wordOf(viewB, groupB, GROUP_LEVEL));
    const next: number[] = [];
    let deepest = 0;
    const gapBy = (axes: readonly Axis[], i: number, j: number) =>
      gapOf(axes, viewA, groupA, i, shiftA, viewB, groupB, j, shiftB);
    const pairs = pairsOf(nodesA, nodesB);
    const left = pairs.filter(([i, j]) => gapBy(axes.slice(0, MANY_AXES), i, j) <= 0);
    const tested = left.length > FEW_PAIRS ? axes : axes.slice(0, MANY_AXES);
    for (const [i, j] of left) {
      const gap = gapBy(tested, i, j);
      if (gap > 0) continue;
      const linkA = wordOf(viewA, groupA, 4 * i);
      const linkB = wordOf(viewB, groupB, 4 * j);
      const isLeafA = (linkA & 1) === 1;
      const isLeafB = (linkB & 1) === 1;
      if (isLeafA && isLeafB) {
        walk.hulls++;
        loadTriangle(a, linkA >>> 1, poseA, cornersA);
        loadTriangle(b, linkB >>> 1, poseB, cornersB);
        if (!trianglesIntersectAt(cornersA, 0, cornersB, 0)) continue;
        const triangleA = a.leaves[4 * (linkA >>> 1) + 3];
        const triangleB = b.leaves[4 * (linkB >>> 1) + 3];
        if (onContact(triangleA, triangleB) === false || !isAll) return walk;
        continue;
      }
      const widthA = sizeA * widthOf(viewA, groupA, i);
      const widthB = sizeB * widthOf(viewB, groupB, j);
      const opensA = !isLeafA && (isLeafB || widthB <= MUCH_WIDER * widthA);
      const opensB = !isLeafB && (isLeafA || widthA <= MUCH_WIDER * widthB);
      const belowA = opensA ? linkA >>> 1 : groupA;
      const belowB = opensB ? linkB >>> 1 : groupB;
      const entry = [belowA, opensA ? allOf(viewA, belowA) : 1 << i, belowB, opensB ? allOf(viewB, belowB) : 1 << j];
      // The deepest in each other last, to be taken up next.
      if (isAll || next.length === 0 || gap < deepest) {
        next.push(...entry);
        deepest = gap;
      } else next.splice(next.length - 4, 0, ...entry);
    }
    pending.push(...next);
  }
  return walk;
}

/** The pairs of nodes that count, a's first to last. */
function pairsOf(nodesA: number, nodesB: number): [number, number][] {
  const pairs: [number, number][] = [];
  for (let i = 0; i < GROUP_WIDTH; i++) {
    for (let j = 0; j < GROUP_WIDTH; j++) if ((nodesA >> i) & (nodesB >> j) & 1) pairs.push([i, j]);
  }
  return pairs;
}

interface View {
  words: Int32Array;
  floats: Float32Array;
  numbers: Int16Array;
  bytes: number;
}

const viewOf = ({ groups: { buffer }, k }: KdopGroups): View => ({
  words: new Int32Array(buffer),
  floats: new Float32Array(buffer),
  numbers: new Int16Array(buffer),
  bytes: groupBytesOf(k),
});

const wordOf = ({ words, bytes }: View, group: number, at: number): number => words[(group * bytes + at) / 4];

const widthOf = ({ floats, bytes }: View, group: number, node: number): number =>
  floats[(group * bytes + GROUP_WIDTHS) / 4 + node];

/** Coefficient of a face of a node of a group. */
const coefficientOf = ({ numbers, bytes }: View, group: number, node: number, face: number): number =>
  numbers[(group * bytes + GROUP_COEFFICIENTS) / 2 + GROUP_WIDTH * face + node];

const allOf = (view: View, group: number): number => (1 << wordOf(view, group, GROUP_COUNT)) - 1;

const countOf = (bits: number): number => (bits & 1) + ((bits >> 1) & 1) + ((bits >> 2) & 1) + (bits >> 3);

/**
 * How far apart two nodes are on the axis where they are farthest apart, above 0; or how deep in
 * each other, at most. Units u.
 */
function gapOf(
  axes: readonly Axis[],
  viewA: View,
  groupA: number,
  nodeA: number,
  shiftA: number,
  viewB: View,
  groupB: number,
  nodeB: number,
  shiftB: number,
): number {
  let gap = Number.NEGATIVE_INFINITY;
  for (const { a, b, first, second } of axes) {
    // Lower ends, and minus the upper ends: section 4.1.
    const lowerA = endOf(a.lower, a.weights, viewA, groupA, nodeA, shiftA);
    const upperA = endOf(a.upper, a.weights, viewA, groupA, nodeA, shiftA);
    const lowerB = endOf(b.lower, b.weights, viewB, groupB, nodeB, shiftB);
    const upperB = endOf(b.upper, b.weights, viewB, groupB, nodeB, shiftB);
    // Eq. 22.
    gap = Math.max(gap, lowerA + first + upperB, upperA + second + lowerB);
  }
  return gap;
}

/** Eq. 7: P' . a', in units u. */
function endOf(
  faces: readonly number[],
  weights: readonly number[],
  view: View,
  group: number,
  node: number,
  shift: number,
): number {
  let sum = weights[0] * coefficientOf(view, group, node, faces[0]);
  for (let m = 1; m < weights.length; m++) sum += weights[m] * coefficientOf(view, group, node, faces[m]);
  return sum >> shift;
}

const shift = new Float64Array(3);

/** An axis before it is mapped: which face's it is, L and v, p and what E begins with. */
interface Turned {
  ofA: boolean;
  own: number;
  axis: Float64Array;
  turned: Float64Array;
  p: number;
}

/** Section 4.1: all axes of the query, a's faces first. */
function turnedAxes(a: KdopGroups, b: KdopGroups, { map, axes }: KdopQuery): Turned[] {
  // oA - T oB.
  movePoint(map, b.origin[0], b.origin[1], b.origin[2], shift, 0);
  for (let i = 0; i < 3; i++) shift[i] = a.origin[i] - shift[i];
  return Array.from({ length: axes }, (_, i) => {
    const ofA = i < a.k / 2;
    const own = ofA ? i : i - a.k / 2;
    const [x, y, z] = dopDirections(ofA ? a.k : b.k).vectors.subarray(3 * own);
    const axis = ofA ? Float64Array.of(x, y, z) : new Float64Array(3);
    if (!ofA) for (let k = 0; k < 3; k++) axis[k] = map[4 * k] * x + map[4 * k + 1] * y + map[4 * k + 2] * z;
    const turned = new Float64Array(3);
    for (let k = 0; k < 3; k++) turned[k] = map[k] * axis[0] + map[4 + k] * axis[1] + map[8 + k] * axis[2];
    return { ofA, own, axis, turned, p: axis[0] * shift[0] + axis[1] * shift[1] + axis[2] * shift[2] };
  });
}

function axesOf(a: KdopGroups, b: KdopGroups, query: KdopQuery, unit: number): Axis[] {
  const directionsA = dopDirections(a.k);
  const directionsB = dopDirections(b.k);
  return turnedAxes(a, b, query).map(({ ofA, own, axis, turned, p }) => {
    const mappingA = ofA ? ownMapping(own, a.k) : mappingOf(directionsA, axis);
    const mappingB = ofA ? mappingOf(directionsB, turned) : ownMapping(own, b.k);
    const error = errorOf(query, restOf(directionsA, axis, mappingA), a, restOf(directionsB, turned, mappingB), b);
    return { a: mappingA, b: mappingB, first: inUnits(p - error, unit), second: inUnits(-p - error, unit) };
  });
}

/** Words of an axis in the shaders' buffers. */
export const AXIS_WORDS = 8;

/** The axes of a query as the shaders' buffers have them. */
export function axisWordsByTwin(a: KdopTree, b: KdopTree, poseA: Pose, poseB: Pose): Uint32Array {
  const { map, slack } = relativePose(poseA, poseB, reachOfKdopTree(a), reachOfKdopTree(b));
  const query = { poseA, poseB, map, slack, isAll: true, axes: axesFor(a, b, undefined) };
  const groups = [groupsOf(a), groupsOf(b)];
  const common = Math.max(groups[0].quantumExponent, groups[1].quantumExponent);
  const axes = axesOf(groups[0], groups[1], query, 2 ** (common - 15 + LEAST_SHIFT));
  const words = new Uint32Array(AXIS_WORDS * axes.length);
  const shorts = new Uint16Array(words.buffer);
  const numbers = new Int32Array(words.buffer);
  const placeOf = (face: number): number => GROUP_COEFFICIENTS + 2 * GROUP_WIDTH * face;
  for (const [n, axis] of axes.entries()) {
    const ofA = n < a.k / 2;
    const [own, other] = ofA ? [axis.a, axis.b] : [axis.b, axis.a];
    // Less 1, so that the sign alone tells if a gap is above 0.
    numbers[AXIS_WORDS * n] = axis.first - 1;
    numbers[AXIS_WORDS * n + 1] = axis.second - 1;
    const places = [own.lower[0], own.upper[0], ...other.lower, ...other.upper].map(placeOf);
    shorts.set([...other.weights, 0, ...places], 2 * (AXIS_WORDS * n + 2));
  }
  return words;
}

/** E. */
const errorOf = ({ slack }: KdopQuery, restA: number, a: KdopGroups, restB: number, b: KdopGroups): number =>
  (2 * slack + (restA + ROUNDING) * a.radius + (restB + ROUNDING) * b.radius) * (1 + 2 ** -40);

/** Rounded down, and cut. */
const inUnits = (x: number, unit: number): number => Math.max(-FARTHEST, Math.min(FARTHEST, Math.floor(x / unit)));

const oppositeOf = (face: number, k: number): number => (face < k / 2 ? face + k / 2 : face - k / 2);

/** A direction along itself. */
function ownMapping(face: number, k: number): Mapping {
  return { lower: Array(3).fill(oppositeOf(face, k)), upper: Array(3).fill(face), weights: [-MAPPING_SCALE, 0, 0] };
}

/** The nearest multiple of 2^-15, times 2^15. */
const roundedWeight = (weight: number): number => Math.max(0, Math.min(MAPPING_SCALE, Math.floor(weight + 0.5)));

/** The facet, by k's table. */
export function facetIn(table: Uint8Array, normals: Float64Array, x: number, y: number, z: number): number {
  const cell = 2 * cellOf(x, y, z);
  const first = 3 * table[cell];
  const second = 3 * table[cell + 1];
  const alongFirst = normals[first] * x + normals[first + 1] * y + normals[first + 2] * z;
  const alongSecond = normals[second] * x + normals[second + 1] * y + normals[second + 2] * z;
  return (alongSecond > alongFirst ? second : first) / 3;
}

/** From the facet whose cone v is in. */
function mappingOf(directions: DopDirections, v: Float64Array): Mapping {
  const { k, facets, normals, weights } = directions;
  const facet = 3 * facetIn(facetTable(k), normals, v[0], v[1], v[2]);
  const mapping: Mapping = { lower: [], upper: [], weights: [] };
  for (let m = 0; m < 3; m++) {
    const at = 3 * (facet + m);
    const weight = weights[at] * v[0] + weights[at + 1] * v[1] + weights[at + 2] * v[2];
    mapping.weights.push(-roundedWeight(weight * MAPPING_SCALE));
    mapping.upper.push(facets[facet + m]);
    mapping.lower.push(oppositeOf(facets[facet + m], k));
  }
  return mapping;
}

/** |r|. */
function restOf({ vectors }: DopDirections, v: Float64Array, { upper, weights }: Mapping): number {
  let squares = 0;
  for (let k = 0; k < 3; k++) {
    let d = v[k];
    for (let m = 0; m < 3; m++) d += (weights[m] / MAPPING_SCALE) * vectors[3 * upper[m] + k];
    squares += d * d;
  }
  return Math.sqrt(squares);
}

const cornersA = new Float64Array(9);
const cornersB = new Float64Array(9);

/** Moves the triangle of a leaf by the tree's own pose. */
function loadTriangle({ leaves, positions }: KdopGroups, leaf: number, pose: Pose, out: Float64Array): void {
  const moves = !isIdentity(pose);
  for (let corner = 0; corner < 3; corner++) {
    const v = 3 * leaves[4 * leaf + corner];
    if (moves) movePoint(pose, positions[v], positions[v + 1], positions[v + 2], out, 3 * corner);
    else for (let i = 0; i < 3; i++) out[3 * corner + i] = positions[v + i];
  }
}
