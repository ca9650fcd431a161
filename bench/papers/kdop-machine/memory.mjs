// The memory and what fetches from it: GetData of section 5.2.
//
// The memory answers one burst after the other; a burst takes its delay, then a word a cycle.
// GetData holds one item, a pair of nodes or of triangles: the next that the controller wants. It
// reads what is not in the registers of the item before, and not in the cache, if there is one.
import { burstsOfNode, burstsOfTriangle, cyclesOfBurst } from './parameters.mjs';

/** @typedef {import('./parameters.mjs').Parameters} Parameters */

/**
 * A pair to be tested.
 *
 * @typedef {object} Item
 * @property {boolean} isTriangles
 * @property {number} a node of a; or its triangle
 * @property {number} b
 */

/** A cycle that a hit in the cache takes: it is as wide as a node. */
const HIT_CYCLES = 1;

/**
 * Nodes that were asked for last; the one that has waited longest makes room.
 *
 * @param {number} room nodes
 */
export function createCache(room) {
  /** @type {Set<number>} */
  const held = new Set();
  return {
    /** Whether a node is there; it is from now on. @param {number} node */
    has(node) {
      const isHeld = held.delete(node);
      if (room === 0) return false;
      if (held.size === room) held.delete(held.values().next().value ?? -1);
      held.add(node);
      return isHeld;
    },
  };
}

/**
 * @param {readonly number[]} ks coefficients of a node of a and of b
 * @param {boolean} isShared whether both are the same tree, which memory and cache hold once
 * @param {Parameters} parameters
 */
export function createGetData(ks, isShared, parameters) {
  const { isKept, cacheNodes } = parameters;
  const triangleBursts = burstsOfTriangle(parameters);
  const cycles = cyclesOfBurst(parameters);
  const nodeBursts = ks.map((k) => burstsOfNode(k, parameters));
  const cache = createCache(cacheNodes);
  /** Numbers in the registers of each side: a node, a triangle. */
  const nodes = [-1, -1];
  const triangles = [-1, -1];
  const counts = { bursts: 0, busy: 0, nodes: 0, hits: 0, kept: 0 };
  /** @type {Item | null} */
  let item = null;
  let left = 0;

  /**
   * Cycles until one side's half of an item is there.
   *
   * @param {0 | 1} side
   * @param {number} number
   */
  function cyclesFor(side, number, isTriangle = false) {
    const registers = isTriangle ? triangles : nodes;
    if (isKept && registers[side] === number) {
      counts.kept++;
      return 0;
    }
    registers[side] = number;
    const bursts = isTriangle ? triangleBursts : nodeBursts[side];
    if (!isTriangle) {
      if (cache.has(isShared ? number : 2 * number + side)) {
        counts.hits++;
        return HIT_CYCLES;
      }
      counts.nodes++;
    }
    counts.bursts += bursts;
    counts.busy += bursts * cycles;
    return bursts * cycles;
  }

  return {
    counts,
    /** What has been asked for; null where nothing has. */
    get item() {
      return item;
    },
    get isReady() {
      return item !== null && left === 0;
    },
    /** @param {Item} next */
    request(next) {
      item = next;
      left = cyclesFor(0, next.a, next.isTriangles) + cyclesFor(1, next.b, next.isTriangles);
    },
    /** The item leaves for the pipeline, or for the triangle unit. */
    take() {
      item = null;
    },
    step() {
      if (left > 0) left--;
    },
  };
}
