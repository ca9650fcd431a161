/**
 * Reads nodes and quads of a placed image (layout.as.ts) for the kernels of two images
 * (kernel.as.ts) and of an image and an OBB tree.
 *
 * A node is its slot, with its chart in the upper half, or NO_CHART above the charts.
 */
import { storeMoved } from '../../../kernels/pair-search.as';
import {
  BLOCK_BYTES,
  CHART,
  CHART_BYTES,
  CHARTS,
  CHILDREN,
  DEPTH,
  EXPONENT,
  FIRST_BLOCK,
  HEIGHT,
  LEAVES,
  LINK_BYTES,
  LINKS,
  NO_CHART,
  OVER,
  SAMPLES,
} from './layout.as';

const CORNER_BYTES: usize = 24;

@inline
export function nodeOf(slot: u32, chart: u32): u64 {
  return <u64>slot | (<u64>chart << 32);
}

// For the last node: the block below it, and if it and its children are quads.
export let block: u32 = 0;
export let isQuad: bool = false;
export let areQuadsBelow: bool = false;

@inline
export function lookAt(image: usize, node: u64): void {
  const slot = <u32>node;
  const chart = <u32>(node >> 32);
  if (chart == <u32>NO_CHART) {
    block = load<u32>(linkOf(image, slot) + CHILDREN);
    isQuad = false;
    areQuadsBelow = false;
    return;
  }
  const record = recordOf(image, chart);
  const first = load<u32>(record + FIRST_BLOCK);
  const leaves = load<u32>(record + LEAVES);
  if (slot < load<u32>(image + OVER)) {
    block = first;
    isQuad = load<u32>(record + EXPONENT) == 0;
  } else {
    const own = (slot >> 2) - first;
    block = first + 4 * own + 1 + (slot & 3);
    isQuad = own >= leaves;
  }
  areQuadsBelow = !isQuad && block - first >= leaves;
}

@inline
export function levelBelow(image: usize, node: u64, children: u32): u32 {
  const chart = <u32>(node >> 32);
  if (chart == <u32>NO_CHART) return load<u32>(linkOf(image, <u32>node) + DEPTH);
  // Blocks of level L + 1 begin at (4^L - 1) / 3.
  const record = recordOf(image, chart);
  const number = 3 * (children - load<u32>(record + FIRST_BLOCK)) + 1;
  return load<u32>(record + HEIGHT) + ((31 - <u32>clz(number)) >> 1) + 1;
}

@inline
export function recordOf(image: usize, chart: u32): usize {
  return <usize>load<u32>(image + CHARTS) + <usize>chart * CHART_BYTES;
}

@inline
function linkOf(image: usize, slot: u32): usize {
  return <usize>load<u32>(image + LINKS) + <usize>slot * LINK_BYTES;
}

@inline
export function lane(blocks: usize, slot: u32): usize {
  return blocks + <usize>(slot >> 2) * BLOCK_BYTES + ((slot & 3) << 2);
}

/** A node below `parent`, or itself, in its form on the stack. */
@inline
export function childOf(image: usize, slot: u32, parent: u64, isOpened: bool): u64 {
  const chart = <u32>(parent >> 32);
  return nodeOf(slot, isOpened && chart == <u32>NO_CHART ? load<u32>(linkOf(image, slot) + CHART) : chart);
}

export function quadOf(ofChart: usize, slot: u32, over: u32): u32 {
  if (slot < over) return 0;
  // Quads are in Morton order: bits of column and row alternate.
  const number = slot - ((load<u32>(ofChart + FIRST_BLOCK) + load<u32>(ofChart + LEAVES)) << 2);
  return (everyOtherBit(number >> 1) << load<u32>(ofChart + EXPONENT)) | everyOtherBit(number);
}

@inline
export function everyOtherBit(bits: u32): u32 {
  let x = bits & 0x55555555;
  x = (x | (x >> 1)) & 0x33333333;
  x = (x | (x >> 2)) & 0x0f0f0f0f;
  x = (x | (x >> 4)) & 0x00ff00ff;
  return (x | (x >> 8)) & 0x0000ffff;
}

export function loadQuad(ofChart: usize, quad: u32, grid: usize, pose: usize, moves: bool, to: usize): void {
  const exponent = load<u32>(ofChart + EXPONENT);
  const size: usize = (1 << exponent) + 1;
  const vertex = <usize>(quad >> exponent) * size + <usize>(quad & ((1 << exponent) - 1));
  const a = <usize>load<u32>(ofChart + SAMPLES) + 6 * vertex;
  const b = a + 6;
  const c = a + 6 * size;
  const d = c + 6;
  loadVertex(a, grid, pose, moves, to);
  loadVertex(c, grid, pose, moves, to + 2 * CORNER_BYTES);
  if (squareOf(a, d) <= squareOf(b, c)) {
    loadVertex(d, grid, pose, moves, to + CORNER_BYTES);
    copyVertex(to, to + 3 * CORNER_BYTES);
    loadVertex(b, grid, pose, moves, to + 4 * CORNER_BYTES);
    copyVertex(to + CORNER_BYTES, to + 5 * CORNER_BYTES);
  } else {
    loadVertex(b, grid, pose, moves, to + CORNER_BYTES);
    copyVertex(to + CORNER_BYTES, to + 3 * CORNER_BYTES);
    loadVertex(d, grid, pose, moves, to + 4 * CORNER_BYTES);
    copyVertex(to + 2 * CORNER_BYTES, to + 5 * CORNER_BYTES);
  }
}

@inline
function sample(at: usize, k: usize): f64 {
  return <f64>load<u16>(at + k);
}

/** Squared distance of two samples, exact: below 2^34. */
@inline
function squareOf(p: usize, q: usize): f64 {
  const x = sample(p, 0) - sample(q, 0);
  const y = sample(p, 2) - sample(q, 2);
  const z = sample(p, 4) - sample(q, 4);
  return x * x + y * y + z * z;
}

@inline
function loadVertex(at: usize, grid: usize, pose: usize, moves: bool, to: usize): void {
  const step = load<f64>(grid, 24);
  const x = load<f64>(grid) + sample(at, 0) * step;
  const y = load<f64>(grid, 8) + sample(at, 2) * step;
  const z = load<f64>(grid, 16) + sample(at, 4) * step;
  storeMoved(pose, moves, x, y, z, to);
}

@inline
function copyVertex(from: usize, to: usize): void {
  v128.store(to, v128.load(from));
  store<f64>(to, load<f64>(from, 16), 16);
}
