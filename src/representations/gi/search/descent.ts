/**
 * Two geometry images against each other: the double traversal of their trees of spheres and slabs.
 *
 * In doubles, any level. Where the kernel (kernel.ts) answers too, verdicts and lists are the same; which
 * contact is met first, and how much is tested on the way, is not.
 *
 * B. Benes, N. Gomez Villanueva, "GI-COLLIDE", SCCG 2005, section 4: one sphere of one tree against the four children of
 * the other's, in turns, the exact triangle test at the bottom; a pose is applied to what the descent meets, on the way.
 *
 * Nodes whose spheres overlap are tested as discs, what their slabs leave of the spheres (../tree/slab-tree.ts): a patch of surface is flat, and so tells
 * itself apart from another that nearly touches it long before their spheres do. Two discs with centres d apart, normals n, m, radii r, s and half
 * thicknesses g, h: what is in the second is at most h along m and s long, so at most |n . m| h + sqrt(1 - (n . m)^2) s along n, and where
 * |n . d| is more than that and g they are apart; likewise along m. Median tests of first contact, pairs of nodes / of triangles, 257, near contact:
 *   bunny and bunny   clear 7,701 / 1,732 by spheres, 1,449 / 8 with slabs   contact 2,225 / 369, 537 / 21
 *   torus (5 charts)        25,511 / 7,928,           2,609 / 4                    9,301 / 2,105, 1,443 / 30
 *
 * Of atlases, first the nodes over the charts are paired, the larger of two opened, then chart with chart.
 *
 * The descent runs in a's grid, where a's centres are the stored integers and b's are mapped (relative-pose.ts, where it is proved
 * that mapped bounds miss nothing). Decoding moves a centre by decodeError. `slack` is the sum of all errors, in a's grid; the squared
 * distance and radius sums have relative errors below 2^-49 and are compared with 2^-47 to spare. A comparison with NaN counts as
 * overlap. Of discs: the map keeps angles but for `skew`, which 2^-44 for rounding is in; m is within it of a unit vector across the mapped slab, whose
 * half thickness is then more by twice skew times the radius at most, and the cosine squared by 2.1 skew. Both have eight times skew to spare.
 */

import { trianglesIntersectAt } from '../../../geometry/triangle-triangle.ts';
import { isIdentity, movePoint, type Pose } from '../../../math/pose.ts';
import { requirePairs } from '../../../query/bound-tree.ts';
import { ContactList } from '../../../query/outcome.ts';
import type { Outcome, Query } from '../../../query/report.ts';
import { childOver } from '../tree/chart-tree.ts';
import { cutsDownAt, type GeometryImage, groupOf } from '../tree/geometry-image.ts';
import { sizeOf } from '../tree/grid.ts';
import { discOf } from '../tree/slab-tree.ts';
import { nodeOffset, type SphereTree, treePixels, treeWidth } from '../tree/tree-page.ts';
import { type GridMap, mapGrid, OUTWARD } from './grid-map.ts';

/** A node of a chart in one integer: level, row and column; 4 + 13 + 13 bits. */
const LEVEL_SHIFT = 26;
const ROW_SHIFT = 13;
const COORDINATE_MASK = (1 << 13) - 1;

const SPARE = 1 - 2 ** -47;

/** Pending pairs of overlapping nodes of two charts: a, b, and whose turn it is to be descended. */
let stack = new Int32Array(3 * 256);

/** One image as the traversal reads it, a chart at a time: its pages, and how a leaf becomes two triangles in the common frame. */
interface Side {
  image: GeometryImage;
  pose: Pose;
  moves: boolean;
  /** What a radius in model units is in a's grid, enlarged for the pose. */
  scale: number;
  /** The chart at work; -1 before the first. */
  chart: number;
  /** Levels above its root. */
  height: number;
  page: Uint16Array;
  tree: SphereTree;
  /** Offset of its tree in `page`, of its samples in `geometry`, and its first quad's number. */
  base: number;
  firstSample: number;
  firstQuad: number;
  geometry: Uint16Array;
  exponent: number;
  width: number;
  /** Radius of one step of alpha per level, in a's grid. */
  radiusSteps: Float64Array;
  /** The quad whose triangles are in `triangles`: half 0 at 0, half 1 at 9. */
  quad: number;
  triangles: Float64Array;
}

function createSide(image: GeometryImage, pose: Pose, norm: number, step: number): Side {
  const { tree, geometry, exponent } = image.groups[0];
  return {
    image,
    pose,
    moves: !isIdentity(pose),
    scale: (norm / step) * OUTWARD,
    chart: -1,
    height: 0,
    page: tree.page,
    tree,
    base: 0,
    firstSample: 0,
    firstQuad: 0,
    geometry,
    exponent,
    width: 0,
    radiusSteps: tree.radiusSteps,
    quad: -1,
    triangles: new Float64Array(18),
  };
}

/** Turns to a chart, `height` levels below the image's root. */
function select(side: Side, chart: number, height: number): void {
  side.height = height;
  if (side.chart === chart) return;
  const group = groupOf(side.image, chart);
  const slot = chart - group.firstChart;
  const { exponent, tree } = group;
  side.chart = chart;
  side.page = tree.page;
  side.tree = tree;
  side.base = slot * 4 * treePixels(exponent);
  side.geometry = group.geometry;
  side.firstSample = slot * sizeOf(exponent) * sizeOf(exponent);
  side.firstQuad = group.firstQuad + (slot << (2 * exponent));
  side.exponent = exponent;
  side.width = treeWidth(exponent);
  side.radiusSteps = tree.radiusSteps.map((step) => step * side.scale);
  side.quad = -1;
}

/** What a search has found so far. */
interface Search {
  query: Query;
  map: GridMap;
  contacts: ContactList;
  bounds: number;
  hulls: number;
  deepest: number;
  isUndecided: boolean;
  /** Nothing more can change the answer. */
  done: boolean;
}

/** Checks two geometry images in their poses. */
export function checkGeometryImages(a: GeometryImage, b: GeometryImage, query: Query): Outcome {
  const map = mapGrid(a, b, query.poseA, query.poseB);
  const sideA = createSide(a, query.poseA, 1, a.step);
  const sideB = createSide(b, query.poseB, map.norm, a.step);
  const contacts = new ContactList(query);
  const search: Search = {
    query,
    map,
    contacts,
    bounds: 0,
    hulls: 0,
    deepest: 0,
    isUndecided: false,
    done: false,
  };
  pairCharts(search, sideA, sideB);
  const { bounds, hulls, deepest: level, isUndecided } = search;
  return contacts.outcome({ level, bounds, hulls, isUndecided });
}

/** Descends over the charts of both, and for every two whose roots overlap into these. */
function pairCharts(search: Search, sideA: Side, sideB: Side): void {
  const [a, b] = [sideA.image, sideB.image];
  const limit = search.query.level ?? Number.POSITIVE_INFINITY;
  // Nodes over the charts by number, charts as ~number; and how deep each is.
  const pending = [a.charts === 1 ? ~0 : 0, 0, b.charts === 1 ? ~0 : 0, 0];
  let pairs = 0;
  while (pending.length > 0 && !search.done) {
    requirePairs(++pairs, 2 * a.charts, 2 * b.charts);
    const heightB = pending.pop()!;
    const nodeB = pending.pop()!;
    const heightA = pending.pop()!;
    const nodeA = pending.pop()!;
    search.bounds++;
    search.deepest = Math.max(search.deepest, heightA, heightB);
    const radiusA = readRoot(sideA, nodeA, 0);
    const radiusB = readRoot(sideB, nodeB, 3);
    if (!overlaps(search.map, radiusA + radiusB)) continue;
    if (nodeA < 0 && nodeB < 0) {
      select(sideA, ~nodeA, heightA);
      select(sideB, ~nodeB, heightB);
      checkCharts(search, sideA, sideB);
    } else if (nodeA >= 0 && (nodeB < 0 || radiusA >= radiusB) && heightA < limit) {
      for (let k = 1; k >= 0; k--) pending.push(childOver(a.roots, nodeA, k), heightA + 1, nodeB, heightB);
    } else if (nodeB >= 0 && heightB < limit) {
      for (let k = 1; k >= 0; k--) pending.push(nodeA, heightA, childOver(b.roots, nodeB, k), heightB + 1);
    } else {
      search.isUndecided = true;
    }
  }
}

/** Centres of the two nodes above the charts' levels, each on its own grid. */
const centres = new Float64Array(6);

/** Writes the centre of a node over the charts, or of chart ~node's root; returns the radius in a's grid. */
function readRoot({ image, scale }: Side, node: number, at: number): number {
  const { spheres } = image.roots;
  if (node >= 0) {
    for (let k = 0; k < 3; k++) centres[at + k] = spheres[4 * node + k];
    return spheres[4 * node + 3] * scale;
  }
  const group = groupOf(image, ~node);
  const { exponent, tree } = group;
  const o = (~node - group.firstChart) * 4 * treePixels(exponent) + nodeOffset(exponent, 0, 0, 0);
  for (let k = 0; k < 3; k++) centres[at + k] = tree.page[o + k];
  return tree.page[o + 3] * (tree.radiusSteps[0] * scale);
}

/** Whether the two nodes of `centres` overlap. */
function overlaps({ linear: m, shift: t, slack }: GridMap, radii: number): boolean {
  let d2 = 0;
  for (let i = 0; i < 3; i++) {
    const moved = m[3 * i] * centres[3] + m[3 * i + 1] * centres[4] + m[3 * i + 2] * centres[5] + t[i];
    const d = centres[i] - moved;
    d2 += d * d;
  }
  const sum = radii + slack;
  return !(d2 * SPARE > sum * sum);
}

/** The double traversal of two charts whose roots overlap. */
function checkCharts(search: Search, sideA: Side, sideB: Side): void {
  const { query, map, contacts } = search;
  const limit = query.level ?? Number.POSITIVE_INFINITY;
  const bottomA = Math.min(sideA.exponent, Math.max(0, limit - sideA.height));
  const bottomB = Math.min(sideB.exponent, Math.max(0, limit - sideB.height));
  const reachesLeaves = bottomA === sideA.exponent && bottomB === sideB.exponent;
  const { page: pageA, radiusSteps: radiusA, width: widthA, base: baseA, exponent: exponentA } = sideA;
  const { page: pageB, radiusSteps: radiusB, width: widthB, base: baseB, exponent: exponentB } = sideB;
  const [m00, m01, m02, m10, m11, m12, m20, m21, m22] = map.linear;
  const [t0, t1, t2] = map.shift;
  const { slack } = map;
  let bounds = 0;
  let hulls = 0;
  let deepestA = 0;
  let deepestB = 0;
  const isCut = sideA.tree.slabs !== undefined || sideB.tree.slabs !== undefined;
  const parallel = 1 + 8 * map.skew;
  stack[0] = 0;
  stack[1] = 0;
  stack[2] = 0;
  let top = 3;
  while (top > 0) {
    top -= 3;
    const nodeA = stack[top];
    const nodeB = stack[top + 1];
    const turn = stack[top + 2];
    const levelA = nodeA >> LEVEL_SHIFT;
    const levelB = nodeB >> LEVEL_SHIFT;
    const rowA = (nodeA >> ROW_SHIFT) & COORDINATE_MASK;
    const columnA = nodeA & COORDINATE_MASK;
    const rowB = (nodeB >> ROW_SHIFT) & COORDINATE_MASK;
    const columnB = nodeB & COORDINATE_MASK;
    if (levelA === bottomA && levelB === bottomB) {
      if (!reachesLeaves) {
        search.isUndecided = true;
        break;
      }
      loadQuad(sideA, rowA, columnA);
      loadQuad(sideB, rowB, columnB);
      for (let i = 0; i < 4; i++) {
        hulls++;
        if (!trianglesIntersectAt(sideA.triangles, 9 * (i >> 1), sideB.triangles, 9 * (i & 1))) continue;
        search.done = !contacts.add(2 * sideA.quad + (i >> 1), 2 * sideB.quad + (i & 1));
        if (search.done) break;
      }
      if (search.done) break;
      continue;
    }
    if (top + 12 > stack.length) {
      const bigger = new Int32Array(2 * stack.length);
      bigger.set(stack);
      stack = bigger;
    }
    bounds += 4;
    if (levelB === bottomB || (turn === 0 && levelA < bottomA)) {
      // One sphere of b against the four children of a's.
      const o = baseB + nodeOffset(exponentB, levelB, rowB, columnB);
      const qx = pageB[o];
      const qy = pageB[o + 1];
      const qz = pageB[o + 2];
      const x = m00 * qx + m01 * qy + m02 * qz + t0;
      const y = m10 * qx + m11 * qy + m12 * qz + t1;
      const z = m20 * qx + m21 * qy + m22 * qz + t2;
      const reach = pageB[o + 3] * radiusB[levelB] + slack;
      const level = levelA + 1;
      if (level > deepestA) deepestA = level;
      const radiusStep = radiusA[level];
      const first = baseA + nodeOffset(exponentA, level, 2 * rowA, 2 * columnA);
      let isLoaded = false;
      for (let k = 3; k >= 0; k--) {
        const p = first + (k >> 1) * 4 * widthA + (k & 1) * 4;
        const dx = pageA[p] - x;
        const dy = pageA[p + 1] - y;
        const dz = pageA[p + 2] - z;
        const sum = pageA[p + 3] * radiusStep + reach;
        if ((dx * dx + dy * dy + dz * dz) * SPARE > sum * sum) continue;
        if (isCut) {
          if (!isLoaded) loadMovedDisc(sideB, map, o, levelB);
          isLoaded = true;
          loadDisc(sideA, p, level);
          if (areApart(parallel)) continue;
        }
        stack[top] = (level << LEVEL_SHIFT) | ((2 * rowA + (k >> 1)) << ROW_SHIFT) | (2 * columnA + (k & 1));
        stack[top + 1] = nodeB;
        stack[top + 2] = 1;
        top += 3;
      }
    } else {
      const o = baseA + nodeOffset(exponentA, levelA, rowA, columnA);
      const x = pageA[o] - t0;
      const y = pageA[o + 1] - t1;
      const z = pageA[o + 2] - t2;
      const reach = pageA[o + 3] * radiusA[levelA] + slack;
      const level = levelB + 1;
      if (level > deepestB) deepestB = level;
      const radiusStep = radiusB[level];
      const first = baseB + nodeOffset(exponentB, level, 2 * rowB, 2 * columnB);
      let isLoaded = false;
      for (let k = 3; k >= 0; k--) {
        const p = first + (k >> 1) * 4 * widthB + (k & 1) * 4;
        const qx = pageB[p];
        const qy = pageB[p + 1];
        const qz = pageB[p + 2];
        const dx = m00 * qx + m01 * qy + m02 * qz - x;
        const dy = m10 * qx + m11 * qy + m12 * qz - y;
        const dz = m20 * qx + m21 * qy + m22 * qz - z;
        const sum = pageB[p + 3] * radiusStep + reach;
        if ((dx * dx + dy * dy + dz * dz) * SPARE > sum * sum) continue;
        if (isCut) {
          if (!isLoaded) loadDisc(sideA, o, levelA);
          isLoaded = true;
          loadMovedDisc(sideB, map, p, level);
          if (areApart(parallel)) continue;
        }
        stack[top] = nodeA;
        stack[top + 1] = (level << LEVEL_SHIFT) | ((2 * rowB + (k >> 1)) << ROW_SHIFT) | (2 * columnB + (k & 1));
        stack[top + 2] = 0;
        top += 3;
      }
    }
  }
  search.bounds += bounds;
  search.hulls += hulls;
  search.deepest = Math.max(search.deepest, sideA.height + deepestA, sideB.height + deepestB);
}

/** A node of each, in a's grid: centre, radius, normal, half thickness; every point of it is as near to the centre, and along the normal. */
const discA = new Float64Array(8);
const discB = new Float64Array(8);

/** Loads a's node at `o` into discA. */
function loadDisc({ page, tree, radiusSteps }: Side, o: number, level: number): void {
  discOf(tree, o, page[o + 3] * radiusSteps[level], discA);
}

const own = new Float64Array(8);

/** Loads b's node at `o` into discB, as the map moves it; larger by what the map may miss. */
function loadMovedDisc({ page, tree, radiusSteps }: Side, map: GridMap, o: number, level: number): void {
  const { linear: m, shift: t, skew, slack, toUnit, scale } = map;
  discOf(tree, o, (page[o + 3] * radiusSteps[level]) / scale, own);
  for (let i = 0; i < 3; i++) {
    discB[i] = m[3 * i] * own[0] + m[3 * i + 1] * own[1] + m[3 * i + 2] * own[2] + t[i];
    discB[4 + i] = (m[3 * i] * own[4] + m[3 * i + 1] * own[5] + m[3 * i + 2] * own[6]) * toUnit;
  }
  discB[3] = own[3] * scale + slack;
  discB[7] = own[7] * scale + 8 * skew * discB[3] + slack;
}

/** Whether a plane across either's normal parts discA from discB. */
function areApart(parallel: number): boolean {
  const [x, y, z] = [discB[0] - discA[0], discB[1] - discA[1], discB[2] - discA[2]];
  const cosine = discA[4] * discB[4] + discA[5] * discB[5] + discA[6] * discB[6];
  const sine = Math.sqrt(Math.max(0, parallel - cosine * cosine));
  const along = Math.abs(cosine);
  const alongA = Math.abs(x * discA[4] + y * discA[5] + z * discA[6]);
  if (alongA * SPARE > discA[7] + along * discB[7] + sine * discB[3]) return true;
  const alongB = Math.abs(x * discB[4] + y * discB[5] + z * discB[6]);
  return alongB * SPARE > discB[7] + along * discA[7] + sine * discA[3];
}

/** Decodes and moves the corners of a quad, unless they are those of the call before. */
function loadQuad(side: Side, row: number, column: number): void {
  const quad = side.firstQuad + row * (1 << side.exponent) + column;
  if (side.quad === quad) return;
  side.quad = quad;
  const size = sizeOf(side.exponent);
  const v = side.firstSample + row * size + column;
  if (cutsDownAt(side.geometry, size, v)) {
    loadVertex(side, v, 0);
    loadVertex(side, v + size + 1, 3);
    loadVertex(side, v + size, 6);
    copyVertex(side, 0, 9);
    loadVertex(side, v + 1, 12);
    copyVertex(side, 3, 15);
  } else {
    loadVertex(side, v, 0);
    loadVertex(side, v + 1, 3);
    loadVertex(side, v + size, 6);
    copyVertex(side, 3, 9);
    loadVertex(side, v + size + 1, 12);
    copyVertex(side, 6, 15);
  }
}

/** @param vertex its number among those of all charts of the group */
function loadVertex(side: Side, vertex: number, offset: number): void {
  const { geometry } = side;
  const { origin, step } = side.image;
  const x = origin[0] + geometry[3 * vertex] * step;
  const y = origin[1] + geometry[3 * vertex + 1] * step;
  const z = origin[2] + geometry[3 * vertex + 2] * step;
  if (side.moves) {
    movePoint(side.pose, x, y, z, side.triangles, offset);
  } else {
    side.triangles[offset] = x;
    side.triangles[offset + 1] = y;
    side.triangles[offset + 2] = z;
  }
}

function copyVertex(side: Side, from: number, to: number): void {
  side.triangles[to] = side.triangles[from];
  side.triangles[to + 1] = side.triangles[from + 1];
  side.triangles[to + 2] = side.triangles[from + 2];
}
