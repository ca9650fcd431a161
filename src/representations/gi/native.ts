/**
 * Two geometry images against each other: the double traversal of their sphere trees.
 *
 * B. Benes, N. Gomez Villanueva, "GI-COLLIDE", SCCG 2005, section 4: one sphere of one tree against the four children of
 * the other's, in turns, the exact triangle test at the bottom; a pose is applied to what the descent meets, on the way.
 *
 * The descent runs in a's grid, where a's centres are the stored integers and b's are mapped (relative-pose.ts, where it is proved
 * that mapped bounds miss nothing). Decoding moves a centre by decodeError. `slack` is the sum of all errors, in a's grid; the squared
 * distance and radius sums have relative errors below 2^-49 and are compared with 2^-47 to spare. A comparison with NaN counts as
 * overlap.
 */
import { trianglesIntersectAt } from '../../geometry/triangle-triangle.ts';
import { isIdentity, movePoint, type Pose } from '../../math/pose.ts';
import { relativePose } from '../../query/relative-pose.ts';
import { ContactList, type Outcome, type Query } from '../../query/report.ts';
import { cutsDown, type GeometryImage, sizeOf } from './geometry-image.ts';
import { decodeError, nodeOffset, treeWidth } from './sphere-tree.ts';
import { COORDINATE_MASK, LEVEL_SHIFT, ROW_SHIFT, reachOfGeometryImage } from './unfold.ts';

const SPARE = 1 - 2 ** -47;

/** Pending pairs of overlapping nodes: a, b, and whose turn it is to be descended. */
let stack = new Int32Array(3 * 256);

/** One image as the traversal reads it: its pages, and how a leaf becomes two triangles in the common frame. */
interface Side {
  page: Uint16Array;
  exponent: number;
  width: number;
  /** Radius of one step of alpha per level, in a's grid, enlarged for the pose. */
  radiusSteps: Float64Array;
  image: GeometryImage;
  pose: Pose;
  moves: boolean;
  /** The quad whose triangles are in `triangles`: half 0 at 0, half 1 at 9. */
  quad: number;
  triangles: Float64Array;
}

function createSide(image: GeometryImage, pose: Pose, scale: number): Side {
  return {
    page: image.tree.page,
    exponent: image.exponent,
    width: treeWidth(image.exponent),
    radiusSteps: image.tree.radiusSteps.map((step) => step * scale * (1 + 2 ** -48)),
    image,
    pose,
    moves: !isIdentity(pose),
    quad: -1,
    triangles: new Float64Array(18),
  };
}

/** B's grid in a's: a centre q of b lies at `linear` q + `shift`, row-major; and the error and lengthening bounds of that. */
interface GridMap {
  linear: Float64Array;
  shift: Float64Array;
  norm: number;
  slack: number;
}

function mapGrid(a: GeometryImage, b: GeometryImage, poseA: Pose, poseB: Pose): GridMap {
  const { map, norm, slack } = relativePose(poseA, poseB, reachOfGeometryImage(a), reachOfGeometryImage(b));
  const linear = new Float64Array(9);
  const shift = new Float64Array(3);
  for (let i = 0; i < 3; i++) {
    let sum = map[4 * i + 3] - a.origin[i];
    for (let k = 0; k < 3; k++) {
      linear[3 * i + k] = (map[4 * i + k] * b.step) / a.step;
      sum += map[4 * i + k] * b.origin[k];
    }
    shift[i] = sum / a.step;
  }
  return { linear, shift, norm, slack: ((slack + decodeError(a) + 2 * decodeError(b)) / a.step) * (1 + 2 ** -40) };
}

/** Checks two geometry images in their poses. */
export function checkGeometryImages(a: GeometryImage, b: GeometryImage, query: Query): Outcome {
  const map = mapGrid(a, b, query.poseA, query.poseB);
  const sideA = createSide(a, query.poseA, 1 / a.step);
  const sideB = createSide(b, query.poseB, map.norm / a.step);
  const limit = query.level ?? Number.POSITIVE_INFINITY;
  const bottomA = Math.min(a.exponent, limit);
  const bottomB = Math.min(b.exponent, limit);
  const reachesLeaves = bottomA === a.exponent && bottomB === b.exponent;
  const { page: pageA, radiusSteps: radiusA, width: widthA } = sideA;
  const { page: pageB, radiusSteps: radiusB, width: widthB } = sideB;
  const [m00, m01, m02, m10, m11, m12, m20, m21, m22] = map.linear;
  const [t0, t1, t2] = map.shift;
  const { slack } = map;
  const contacts = new ContactList(query.onContact);
  let bounds = 1;
  let hulls = 0;
  let deepest = 0;
  let undecided = false;
  let cut = false;

  let top = 0;
  if (overlaps(map, sideA, sideB)) {
    stack[0] = 0;
    stack[1] = 0;
    stack[2] = 0;
    top = 3;
  }
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
        undecided = true;
        break;
      }
      loadQuad(sideA, rowA, columnA);
      loadQuad(sideB, rowB, columnB);
      for (let i = 0; i < 4; i++) {
        hulls++;
        if (!trianglesIntersectAt(sideA.triangles, 9 * (i >> 1), sideB.triangles, 9 * (i & 1))) continue;
        if (contacts.count === query.maxContacts) {
          cut = true;
          break;
        }
        cut = !contacts.add(2 * sideA.quad + (i >> 1), 2 * sideB.quad + (i & 1));
        if (cut || !query.all) break;
      }
      if (cut || (!query.all && contacts.count > 0)) break;
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
      const o = nodeOffset(b.exponent, levelB, rowB, columnB);
      const qx = pageB[o];
      const qy = pageB[o + 1];
      const qz = pageB[o + 2];
      const x = m00 * qx + m01 * qy + m02 * qz + t0;
      const y = m10 * qx + m11 * qy + m12 * qz + t1;
      const z = m20 * qx + m21 * qy + m22 * qz + t2;
      const reach = pageB[o + 3] * radiusB[levelB] + slack;
      const level = levelA + 1;
      if (level > deepest) deepest = level;
      const radiusStep = radiusA[level];
      const first = nodeOffset(a.exponent, level, 2 * rowA, 2 * columnA);
      for (let k = 3; k >= 0; k--) {
        const p = first + (k >> 1) * 4 * widthA + (k & 1) * 4;
        const dx = pageA[p] - x;
        const dy = pageA[p + 1] - y;
        const dz = pageA[p + 2] - z;
        const sum = pageA[p + 3] * radiusStep + reach;
        if ((dx * dx + dy * dy + dz * dz) * SPARE > sum * sum) continue;
        stack[top] = (level << LEVEL_SHIFT) | ((2 * rowA + (k >> 1)) << ROW_SHIFT) | (2 * columnA + (k & 1));
        stack[top + 1] = nodeB;
        stack[top + 2] = 1;
        top += 3;
      }
    } else {
      const o = nodeOffset(a.exponent, levelA, rowA, columnA);
      const x = pageA[o] - t0;
      const y = pageA[o + 1] - t1;
      const z = pageA[o + 2] - t2;
      const reach = pageA[o + 3] * radiusA[levelA] + slack;
      const level = levelB + 1;
      if (level > deepest) deepest = level;
      const radiusStep = radiusB[level];
      const first = nodeOffset(b.exponent, level, 2 * rowB, 2 * columnB);
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
        stack[top] = nodeA;
        stack[top + 1] = (level << LEVEL_SHIFT) | ((2 * rowB + (k >> 1)) << ROW_SHIFT) | (2 * columnB + (k & 1));
        stack[top + 2] = 0;
        top += 3;
      }
    }
  }
  return {
    verdict: contacts.count > 0 ? 'contact' : undecided ? 'undecided' : 'clear',
    contacts: {
      count: contacts.count,
      complete: !cut && !undecided && (query.all || contacts.count === 0),
      pairs: contacts.sorted(),
    },
    level: deepest,
    tests: { bounds, hulls },
  };
}

/** The two roots. */
function overlaps(map: GridMap, a: Side, b: Side): boolean {
  const p = nodeOffset(a.exponent, 0, 0, 0);
  const q = nodeOffset(b.exponent, 0, 0, 0);
  const { linear: m, shift: t } = map;
  let d2 = 0;
  for (let i = 0; i < 3; i++) {
    const moved = m[3 * i] * b.page[q] + m[3 * i + 1] * b.page[q + 1] + m[3 * i + 2] * b.page[q + 2] + t[i];
    const d = a.page[p + i] - moved;
    d2 += d * d;
  }
  const sum = a.page[p + 3] * a.radiusSteps[0] + b.page[q + 3] * b.radiusSteps[0] + map.slack;
  return !(d2 * SPARE > sum * sum);
}

/** Decodes and moves the corners of a quad, unless they are those of the call before. */
function loadQuad(side: Side, row: number, column: number): void {
  const quad = row * (1 << side.exponent) + column;
  if (side.quad === quad) return;
  side.quad = quad;
  const size = sizeOf(side.exponent);
  const { geometry } = side.image;
  const v = row * size + column;
  if (cutsDown(geometry, size, row, column)) {
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

function loadVertex(side: Side, vertex: number, offset: number): void {
  const { geometry, origin, step } = side.image;
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
