/**
 * The readable twin of gi/search/kernel.as.ts, where the method and the proof of its rounding are: the same numbers in float32 in the same order,
 * so that it meets the same pairs, tests as many and finds the same contact first. So a kernel that prunes less, or more, is caught.
 */

import type { Outcome, Query } from '../../../src/engine/records.ts';
import { ContactList } from '../../../src/engine/records.ts';
import { trianglesIntersectAt } from '../../../src/geometry/triangle-triangle.ts';
import { QUERY } from '../../../src/kernels/layout.as.ts';
import { kernelMemory, placementOf } from '../../../src/kernels/memory.ts';
import { isIdentity, movePoint, type Pose } from '../../../src/math/pose.ts';
import { kernelOfGeometryImages } from '../../../src/representations/gi/search/kernel.ts';
import type { GeometryImage } from '../../../src/representations/gi/tree/geometry-image.ts';
import { hullOfGeometryImage } from '../../../src/representations/gi/tree/unfold.ts';

/** What the kernel answers, and what its twin does of the nodes and the map that the kernel has read; undefined where there is no kernel. */
export function byKernelAndTwin(a: GeometryImage, b: GeometryImage, query: Query): [Outcome, Outcome] | undefined {
  const byKernel = kernelOfGeometryImages(a, b)?.search(query);
  const own = kernelMemory();
  if (!byKernel || !own) return undefined;
  const map = new Float32Array(own.memory.buffer, own.workspace + QUERY, 26).slice();
  const [treeA, treeB] = [placedTree(a), placedTree(b)];
  const walk = { bounds: 1, hulls: 0, level: 0 };
  const contacts = new ContactList(query);
  const meet = (chartA: number, quadA: number, chartB: number, quadB: number): boolean => {
    const firstA = 2 * (treeA.charts[8 * chartA + 4] + quadA);
    const firstB = 2 * (treeB.charts[8 * chartB + 4] + quadB);
    for (let i = 0; i < 4; i++) {
      loadTriangle(a, firstA + (i >> 1), query.poseA, cornersA);
      loadTriangle(b, firstB + (i & 1), query.poseB, cornersB);
      walk.hulls++;
      if (!trianglesIntersectAt(cornersA, 0, cornersB, 0)) continue;
      if (!contacts.add(firstA + (i >> 1), firstB + (i & 1))) return false;
    }
    return true;
  };
  // Where the roots are apart, no map was written.
  const areApart = byKernel.tests.bounds === 1 && byKernel.tests.hulls === 0;
  if (!areApart) walkSlabs(treeA, treeB, map, walk, meet);
  return [byKernel, contacts.outcome(walk)];
}

function placedTree(image: GeometryImage): SlabTree {
  const buffer = kernelMemory()?.memory.buffer as SharedArrayBuffer;
  const [blocks, links, charts, over, rootChart] = new Uint32Array(buffer, placementOf(image), 5);
  return {
    blocks: new Float32Array(buffer, blocks, (links - blocks) >> 2),
    links: new Uint32Array(buffer, links, 4 * over),
    charts: new Uint32Array(buffer, charts, 8 * image.charts),
    over,
    rootChart,
  };
}

const cornersA = new Float64Array(9);
const cornersB = new Float64Array(9);

function loadTriangle(image: GeometryImage, id: number, pose: Pose, corners: Float64Array): void {
  hullOfGeometryImage(image, id, corners);
  if (isIdentity(pose)) return;
  for (let k = 0; k < 9; k += 3) movePoint(pose, corners[k], corners[k + 1], corners[k + 2], corners, k);
}

/** An image as kernel.ts places it. */
interface SlabTree {
  /** Four nodes in 52 numbers: x, y, z, radius, normal x, y, z, half thickness, side x, y, z, along it, across; four of each. */
  blocks: Float32Array;
  /** Of slots over the charts, four words each: block of the children, chart whose root it is, deepest level of the children. */
  links: Uint32Array;
  /** Eight words a chart: first block, blocks before those over quads, -, exponent, first quad, levels above. */
  charts: Uint32Array;
  over: number;
  rootChart: number;
}

/** b's grid in a's: the first 26 numbers of the query in the kernel's workspace. */
type SlabMap = Float32Array;

interface SlabWalk {
  bounds: number;
  hulls: number;
  level: number;
}

const NO_CHART = 0xffffffff;
const MUCH_LARGER = 2;
const SCALE = 21;
const SLACK = 22;
const SKEW = 23;
const PARALLEL = 24;
const SPARE = 25;

/** Numbers of a node, and of a block of four. */
const NODE = 13;
const BLOCK = 4 * NODE;

const round = Math.fround;

const dot = (ax: number, ay: number, az: number, bx: number, by: number, bz: number): number =>
  round(round(round(ax * bx) + round(ay * by)) + round(az * bz));

/** One node: x, y, z, radius, normal, half thickness, side, how far it goes along that and across. */
type Box = Float32Array;
const boxesA = Array.from({ length: 4 }, () => new Float32Array(NODE));
const boxesB = Array.from({ length: 4 }, () => new Float32Array(NODE));

function loadBox(blocks: Float32Array, slot: number, box: Box): void {
  for (let k = 0; k < NODE; k++) box[k] = blocks[BLOCK * (slot >>> 2) + 4 * k + (slot & 3)];
}

function moveBox(m: SlabMap, box: Box): void {
  const [x, y, z, , nx, ny, nz, , ux, uy, uz] = box;
  for (let i = 0; i < 3; i++) {
    box[i] = dot(m[3 * i], m[3 * i + 1], m[3 * i + 2], x, y, z) + m[9 + i];
    box[4 + i] = dot(m[12 + 3 * i], m[13 + 3 * i], m[14 + 3 * i], nx, ny, nz);
    box[8 + i] = dot(m[12 + 3 * i], m[13 + 3 * i], m[14 + 3 * i], ux, uy, uz);
  }
  box[3] = round(box[3] * m[SCALE]) + m[SLACK];
  const spare = round(m[SLACK] + round(box[3] * m[SKEW]));
  for (const k of [7, 11, 12]) box[k] = round(box[k] * m[SCALE]) + spare;
}

/** How far a box reaches in its plane along a vector, by what of that is along its side and its square in the plane. */
function inPlane(bySide: number, square: number, box: Box): number {
  const rest = Math.max(0, round(square - round(bySide * bySide)));
  return round(round(Math.abs(bySide) * box[11]) + round(round(Math.sqrt(rest)) * box[12]));
}

/** How far the balls overlap by their size; null where the two are apart. `one` is in all lanes of the kernel, `other` in one of them. */
function overlap(one: Box, other: Box, map: SlabMap): number | null {
  const [dx, dy, dz] = [0, 1, 2].map((k) => round(other[k] - one[k]));
  const along = (box: Box, k: number) => dot(box[k], box[k + 1], box[k + 2], dx, dy, dz);
  const across = (a: Box, i: number, b: Box, k: number) => dot(a[i], a[i + 1], a[i + 2], b[k], b[k + 1], b[k + 2]);
  const radii = round(other[3] + one[3]);
  const square = round(radii * radii);
  const distance = dot(dx, dy, dz, dx, dy, dz);
  const ball = round(square - distance);
  const [byN, byM] = [Math.abs(along(one, 4)), Math.abs(along(other, 4))];
  const cosine = Math.abs(across(one, 4, other, 4));
  const rest = round(map[PARALLEL] - round(cosine * cosine));
  const sine = round(Math.sqrt(rest));
  const leftOne = round(byN - round(one[7] + round(cosine * other[7])));
  const leftOther = round(byM - round(other[7] + round(cosine * one[7])));
  if (ball < 0 || round(sine * other[3]) < leftOne || round(sine * one[3]) < leftOther) return null;
  const rounding = round(radii * map[SPARE]);
  if (round(round(inPlane(across(one, 4, other, 8), rest, other) - leftOne) + rounding) < 0) return null;
  if (round(round(inPlane(across(other, 4, one, 8), rest, one) - leftOther) + rounding) < 0) return null;
  const long = round(map[PARALLEL] * distance);
  const lineOne = inPlane(along(one, 8), round(long - round(byN * byN)), one);
  const lineOther = inPlane(along(other, 8), round(long - round(byM * byM)), other);
  const byNormals = round(round(byN * one[7]) + round(byM * other[7]));
  const line = round(round(byNormals + round(square * map[SPARE])) + round(lineOne + lineOther));
  return line < distance ? null : round(ball / square);
}

/** What a node has below it. */
interface Below {
  block: number;
  isQuad: boolean;
  areQuads: boolean;
  level: number;
}

function lookAt({ links, charts, over }: SlabTree, slot: number, chart: number): Below {
  if (chart === NO_CHART) return { block: links[4 * slot], isQuad: false, areQuads: false, level: links[4 * slot + 2] };
  const [first, leaves, , exponent, , height] = charts.subarray(8 * chart, 8 * chart + 6);
  const own = (slot >>> 2) - first;
  const isRoot = slot < over;
  const block = isRoot ? first : first + 4 * own + 1 + (slot & 3);
  const isQuad = isRoot ? exponent === 0 : own >= leaves;
  const level = height + ((31 - Math.clz32(3 * (block - first) + 1)) >>> 1) + 1;
  return { block, isQuad, areQuads: !isQuad && block - first >= leaves, level };
}

function quadOf({ charts, over }: SlabTree, slot: number, chart: number): number {
  if (slot < over) return 0;
  const number = slot - 4 * (charts[8 * chart] + charts[8 * chart + 1]);
  return (everyOtherBit(number >>> 1) << charts[8 * chart + 3]) | everyOtherBit(number);
}

function everyOtherBit(bits: number): number {
  let x = bits & 0x55555555;
  x = (x | (x >>> 1)) & 0x33333333;
  x = (x | (x >>> 2)) & 0x0f0f0f0f;
  x = (x | (x >>> 4)) & 0x00ff00ff;
  return (x | (x >>> 8)) & 0x0000ffff;
}

const chartOf = ({ links }: SlabTree, slot: number, chart: number): number =>
  chart === NO_CHART ? links[4 * slot + 1] : chart;

/**
 * Finds the quads that may meet; stops where `meet` returns false.
 *
 * @param meet is handed chart and quad of a, and of b; it counts hulls itself
 */
function walkSlabs(
  a: SlabTree,
  b: SlabTree,
  map: SlabMap,
  walk: SlabWalk,
  meet: (chartA: number, quadA: number, chartB: number, quadB: number) => boolean,
): void {
  const pending = [0, a.rootChart, 0, b.rootChart];
  while (pending.length > 0) {
    const chartB = pending.pop() as number;
    const slotB = pending.pop() as number;
    const chartA = pending.pop() as number;
    const slotA = pending.pop() as number;
    const belowA = lookAt(a, slotA, chartA);
    const belowB = lookAt(b, slotB, chartB);
    let opensA = !belowA.isQuad;
    let opensB = !belowB.isQuad;
    if (opensA && opensB) {
      const radiusA = a.blocks[BLOCK * (slotA >>> 2) + 12 + (slotA & 3)];
      const radiusB = round(map[SCALE] * b.blocks[BLOCK * (slotB >>> 2) + 12 + (slotB & 3)]);
      if (radiusA > round(MUCH_LARGER * radiusB)) opensB = false;
      else if (radiusB > round(MUCH_LARGER * radiusA)) opensA = false;
    } else if (!opensA && !opensB) {
      if (!meet(chartA, quadOf(a, slotA, chartA), chartB, quadOf(b, slotB, chartB))) return;
      continue;
    }
    if (opensA) walk.level = Math.max(walk.level, belowA.level);
    if (opensB) walk.level = Math.max(walk.level, belowB.level);
    const firstA = opensA ? 4 * belowA.block : slotA;
    const firstB = opensB ? 4 * belowB.block : slotB;
    const countA = opensA ? 4 : 1;
    const countB = opensB ? 4 : 1;
    for (let i = 0; i < countA; i++) loadBox(a.blocks, firstA + i, boxesA[i]);
    for (let j = 0; j < countB; j++) {
      loadBox(b.blocks, firstB + j, boxesB[j]);
      moveBox(map, boxesB[j]);
    }
    walk.bounds += countA * countB;
    const areQuads = (belowA.isQuad || belowA.areQuads) && (belowB.isQuad || belowB.areQuads);
    const isBottom = areQuads && opensA === !belowA.isQuad && opensB === !belowB.isQuad;
    let most = Number.NEGATIVE_INFINITY;
    let best = pending.length;
    for (let i = 0; i < countA; i++) {
      for (let j = 0; j < countB; j++) {
        const by = opensB ? overlap(boxesA[i], boxesB[j], map) : overlap(boxesB[j], boxesA[i], map);
        if (by === null) continue;
        const [nextA, nextB] = [firstA + i, firstB + j];
        if (isBottom) {
          if (!meet(chartA, quadOf(a, nextA, chartA), chartB, quadOf(b, nextB, chartB))) return;
          continue;
        }
        if (by > most) {
          most = by;
          best = pending.length;
        }
        pending.push(
          nextA,
          opensA ? chartOf(a, nextA, chartA) : chartA,
          nextB,
          opensB ? chartOf(b, nextB, chartB) : chartB,
        );
      }
    }
    // The pair that overlaps most is to be on top.
    for (let k = 0; best < pending.length && k < 4; k++) {
      const last = pending.length - 4 + k;
      [pending[last], pending[best + k]] = [pending[best + k], pending[last]];
    }
  }
}
