// The search of Raabe et al. 2006 in JavaScript, over whatever stores the coefficients: eqs. 3 to 6
// in floating point or eqs. 7 to 10 in whole numbers, every axis test with its twelve products, as
// in the paper. (The product's own search computes an image once a query and keeps it.)
//
// Contestants must not share compiled code, or the second kind of array slows the first one down:
// `freshSearch` makes each a copy of its own. So createSearch names nothing from outside itself.
import { runInThisContext } from 'node:vm';
import { trianglesIntersectAt } from '#src/geometry/triangle-triangle';

/** @typedef {Float64Array | Float32Array | Int32Array | Int16Array | Int8Array} Numbers */

/**
 * @typedef {{ deltas: Uint8Array, shifts: Uint8Array, parents: Uint32Array,
 *   deltaBits: number }} Packed
 */

/**
 * A tree as a contestant stores it. Either `coefficients` are there, or `packed` ones: of each
 * node its distance from the parent's in `deltaBits` bits, times 2^shift.
 *
 * @typedef {object} Stored
 * @property {Uint32Array} links
 * @property {Float64Array} sizes
 * @property {Float64Array} positions
 * @property {Uint32Array} triangles
 * @property {Numbers} coefficients k a node; of a packed tree the root's alone
 * @property {Packed | null} packed
 */

/**
 * Axes for a pose: of each side faces, six an axis (three for the lower end, three for the upper
 * one), and P, three an axis. Whole numbers where `step` is 1, else fractions and a step of 0.
 *
 * @typedef {object} Axes
 * @property {number} count
 * @property {Uint8Array} facesA
 * @property {Uint8Array} facesB
 * @property {Float64Array} weightsA
 * @property {Float64Array} weightsB
 * @property {Float64Array} below p', for diff1
 * @property {Float64Array} above p' and its last place, for diff2
 * @property {number} step what eq. 7 adds to P' of negative coefficients
 */

/**
 * @param {typeof trianglesIntersectAt} intersect
 * @param {number} k
 * @param {number} slots nodes a cache of decoded ones holds, a side; 0: the stack holds them
 */
function createSearch(intersect, k, slots) {
  const cornersA = new Float64Array(9);
  const cornersB = new Float64Array(9);
  let pending = new Int32Array(1 << 12);
  /** Decoded coefficients of pending pairs: a's, then b's. */
  let held = new Int16Array(0);
  const children = new Int16Array(4 * k);
  const cacheA = { rows: new Int16Array(k * slots), node: new Int32Array(slots) };
  const cacheB = { rows: new Int16Array(k * slots), node: new Int32Array(slots) };

  /**
   * @param {Axes} axes
   * @param {Numbers} a
   * @param {number} atA
   * @param {Numbers} b
   * @param {number} atB
   */
  function isApart({ count, facesA, facesB, weightsA, weightsB, below, above }, a, atA, b, atB) {
    for (let i = 0; i < count; i++) {
      const f = 6 * i;
      const w = 3 * i;
      const p0 = weightsA[w];
      const p1 = weightsA[w + 1];
      const p2 = weightsA[w + 2];
      const q0 = weightsB[w];
      const q1 = weightsB[w + 1];
      const q2 = weightsB[w + 2];
      const diff1 =
        p0 * a[atA + facesA[f]] +
        p1 * a[atA + facesA[f + 1]] +
        p2 * a[atA + facesA[f + 2]] +
        below[i] +
        (q0 * b[atB + facesB[f + 3]] + q1 * b[atB + facesB[f + 4]] + q2 * b[atB + facesB[f + 5]]);
      if (diff1 > 0) return true;
      const diff2 =
        q0 * b[atB + facesB[f]] +
        q1 * b[atB + facesB[f + 1]] +
        q2 * b[atB + facesB[f + 2]] -
        above[i] +
        (p0 * a[atA + facesA[f + 3]] + p1 * a[atA + facesA[f + 4]] + p2 * a[atA + facesA[f + 5]]);
      if (diff2 > 0) return true;
    }
    return false;
  }

  /**
   * @param {Axes} axes
   * @param {Numbers} a
   * @param {number} atA
   * @param {Numbers} b
   * @param {number} atB
   */
  function isApartInFixedPoint({ count, facesA, facesB, weightsA, weightsB, below, above }, a, atA, b, atB) {
    for (let i = 0; i < count; i++) {
      const f = 6 * i;
      const w = 3 * i;
      const p0 = weightsA[w];
      const p1 = weightsA[w + 1];
      const p2 = weightsA[w + 2];
      const q0 = weightsB[w];
      const q1 = weightsB[w + 1];
      const q2 = weightsB[w + 2];
      let x = a[atA + facesA[f]];
      let y = a[atA + facesA[f + 1]];
      let z = a[atA + facesA[f + 2]];
      let diff1 = below[i] + (x < 0 ? (p0 + 1) * x : p0 * x) + (y < 0 ? (p1 + 1) * y : p1 * y);
      diff1 += z < 0 ? (p2 + 1) * z : p2 * z;
      x = b[atB + facesB[f + 3]];
      y = b[atB + facesB[f + 4]];
      z = b[atB + facesB[f + 5]];
      diff1 += (x < 0 ? (q0 + 1) * x : q0 * x) + (y < 0 ? (q1 + 1) * y : q1 * y) + (z < 0 ? (q2 + 1) * z : q2 * z);
      if (diff1 > 0) return true;
      x = b[atB + facesB[f]];
      y = b[atB + facesB[f + 1]];
      z = b[atB + facesB[f + 2]];
      let diff2 = (x < 0 ? (q0 + 1) * x : q0 * x) + (y < 0 ? (q1 + 1) * y : q1 * y) - above[i];
      diff2 += z < 0 ? (q2 + 1) * z : q2 * z;
      x = a[atA + facesA[f + 3]];
      y = a[atA + facesA[f + 4]];
      z = a[atA + facesA[f + 5]];
      diff2 += (x < 0 ? (p0 + 1) * x : p0 * x) + (y < 0 ? (p1 + 1) * y : p1 * y) + (z < 0 ? (p2 + 1) * z : p2 * z);
      if (diff2 > 0) return true;
    }
    return false;
  }

  /**
   * A child's coefficients from its parent's.
   *
   * @param {Packed} packed
   * @param {number} node
   * @param {Numbers} from
   * @param {number} at
   * @param {Int16Array} into
   * @param {number} to
   */
  function decode({ deltas, shifts, deltaBits }, node, from, at, into, to) {
    const shift = shifts[node];
    if (deltaBits === 8) {
      for (let i = 0; i < k; i++) into[to + i] = from[at + i] - (deltas[k * node + i] << shift);
    } else if (deltaBits === 4) {
      for (let i = 0; i < k; i += 2) {
        const byte = deltas[(k * node + i) >> 1];
        into[to + i] = from[at + i] - ((byte & 15) << shift);
        into[to + i + 1] = from[at + i + 1] - ((byte >> 4) << shift);
      }
    } else {
      // Six bits: three bytes hold four.
      for (let i = 0; i < k; i += 4) {
        const byte = (3 * (k * node + i)) >> 2;
        const word = deltas[byte] | (deltas[byte + 1] << 8) | (deltas[byte + 2] << 16);
        into[to + i] = from[at + i] - ((word & 63) << shift);
        into[to + i + 1] = from[at + i + 1] - (((word >> 6) & 63) << shift);
        into[to + i + 2] = from[at + i + 2] - (((word >> 12) & 63) << shift);
        into[to + i + 3] = from[at + i + 3] - ((word >> 18) << shift);
      }
    }
  }

  /**
   * The place of a node in the cache. A missing node is made from its parent.
   *
   * @param {Stored} tree
   * @param {typeof cacheA} cache
   * @param {number} node
   * @returns {number}
   */
  function cached(tree, cache, node) {
    const { coefficients, packed } = tree;
    const slot = node & (slots - 1);
    if (cache.node[slot] === node) return k * slot;
    if (packed === null || node === 0) cache.rows.set(coefficients.subarray(0, k), k * slot);
    else {
      const parent = packed.parents[node];
      const at = cached(tree, cache, parent);
      decode(packed, node, cache.rows, at, cache.rows, k * slot);
    }
    cache.node[slot] = node;
    return k * slot;
  }

  /** @param {Stored} tree @param {number} t @param {Float64Array} into */
  function load({ positions, triangles }, t, into) {
    for (let corner = 0; corner < 3; corner++) {
      const v = 3 * triangles[3 * t + corner];
      for (let c = 0; c < 3; c++) into[3 * corner + c] = positions[v + c];
    }
  }

  /** @param {import('gicollide').Pose} pose */
  function move(pose) {
    for (let v = 0; v < 9; v += 3) {
      const x = cornersA[v];
      const y = cornersA[v + 1];
      const z = cornersA[v + 2];
      for (let c = 0; c < 3; c++)
        cornersA[v + c] = pose[4 * c] * x + pose[4 * c + 1] * y + pose[4 * c + 2] * z + pose[4 * c + 3];
    }
  }

  /**
   * All contacts.
   *
   * @param {Stored} a
   * @param {Stored} b
   * @param {import('gicollide').Pose} pose of a
   * @param {Axes} axes
   */
  return function search(a, b, pose, axes) {
    const isFixed = axes.step > 0;
    const { packed: packedA } = a;
    const { packed: packedB } = b;
    const isHeld = packedA !== null && packedB !== null && slots === 0;
    const isCached = packedA !== null && slots > 0;
    const storedA = isCached ? cacheA.rows : a.coefficients;
    const storedB = isCached ? cacheB.rows : b.coefficients;
    if (isCached) {
      cacheA.node.fill(-1);
      cacheB.node.fill(-1);
    }
    if (isHeld) {
      if (held.length < k * pending.length) held = new Int16Array(k * pending.length);
      held.set(a.coefficients.subarray(0, k), 0);
      held.set(b.coefficients.subarray(0, k), k);
    }
    const found = { nodes: 1, triangles: 0, contacts: 0 };
    let top = 0;
    const isRootApart = isFixed
      ? isApartInFixedPoint(axes, a.coefficients, 0, b.coefficients, 0)
      : isApart(axes, a.coefficients, 0, b.coefficients, 0);
    if (!isRootApart) {
      pending[0] = pending[1] = 0;
      top = 2;
    }
    while (top > 0) {
      top -= 2;
      const nodeA = pending[top];
      const nodeB = pending[top + 1];
      const linkA = a.links[nodeA];
      const linkB = b.links[nodeB];
      if (linkA & linkB & 1) {
        found.triangles++;
        load(a, linkA >>> 1, cornersA);
        move(pose);
        load(b, linkB >>> 1, cornersB);
        if (intersect(cornersA, 0, cornersB, 0)) found.contacts++;
        continue;
      }
      const takesA = (linkA & 1) === 0 && ((linkB & 1) === 1 || 2 * a.sizes[nodeA] >= b.sizes[nodeB]);
      const takesB = (linkB & 1) === 0 && ((linkA & 1) === 1 || 2 * b.sizes[nodeB] >= a.sizes[nodeA]);
      const firstA = takesA ? linkA >>> 1 : nodeA;
      const firstB = takesB ? linkB >>> 1 : nodeB;
      const countA = takesA ? 2 : 1;
      const countB = takesB ? 2 : 1;
      if (top + 8 > pending.length) {
        const longer = new Int32Array(2 * pending.length);
        longer.set(pending);
        pending = longer;
        if (isHeld) {
          const wider = new Int16Array(k * pending.length);
          wider.set(held);
          held = wider;
        }
      }
      if (isHeld) {
        // The children are decoded once for all of their pairs.
        const at = k * top;
        for (let i = 0; i < countA; i++) {
          if (takesA) decode(packedA, firstA + i, held, at, children, k * i);
          else for (let j = 0; j < k; j++) children[j] = held[at + j];
        }
        for (let i = 0; i < countB; i++) {
          if (takesB) decode(packedB, firstB + i, held, at + k, children, k * (2 + i));
          else for (let j = 0; j < k; j++) children[2 * k + j] = held[at + k + j];
        }
      }
      for (let i = 0; i < countA; i++) {
        const placeA = isCached ? cached(a, cacheA, firstA + i) : k * (isHeld ? i : firstA + i);
        for (let j = 0; j < countB; j++) {
          const placeB = isCached ? cached(b, cacheB, firstB + j) : k * (isHeld ? 2 + j : firstB + j);
          found.nodes++;
          const x = isHeld ? children : storedA;
          const y = isHeld ? children : storedB;
          if (isFixed ? isApartInFixedPoint(axes, x, placeA, y, placeB) : isApart(axes, x, placeA, y, placeB)) continue;
          pending[top] = firstA + i;
          pending[top + 1] = firstB + j;
          if (isHeld) {
            for (let n = 0; n < k; n++) {
              held[k * top + n] = children[placeA + n];
              held[k * top + k + n] = children[placeB + n];
            }
          }
          top += 2;
        }
      }
    }
    return found;
  };
}

/**
 * A search with compiled code of its own.
 *
 * @param {number} k
 * @param {number} [slots] nodes a cache holds, a power of two; 0: none
 * @returns {ReturnType<typeof createSearch>}
 */
export const freshSearch = (k, slots = 0) => runInThisContext(`(${createSearch})`)(trianglesIntersectAt, k, slots);

/**
 * Coefficients as distances from the parent's, rounded down: what is read is never less than what
 * was stored. The parent is the one that is read, so errors do not add up.
 *
 * @param {Int16Array} coefficients
 * @param {Uint32Array} links
 * @param {number} k a multiple of 4
 * @param {4 | 6 | 8} deltaBits
 */
export function packed(coefficients, links, k, deltaBits) {
  const read = Int32Array.from(coefficients);
  const deltas = new Uint8Array(Math.ceil((k * links.length * deltaBits) / 8) + 3);
  const shifts = new Uint8Array(links.length);
  const parents = new Uint32Array(links.length);
  const most = 2 ** deltaBits;
  for (const [node, link] of links.entries()) {
    if (link & 1) continue;
    for (const child of [link >>> 1, (link >>> 1) + 1]) {
      parents[child] = node;
      let shift = 0;
      const own = Array.from({ length: k }, (_, i) => read[k * node + i] - coefficients[k * child + i]);
      while (own.some((d) => d >> shift >= most)) shift++;
      shifts[child] = shift;
      for (const [i, d] of own.entries()) {
        const delta = d >> shift;
        const bit = (k * child + i) * deltaBits;
        const word = delta << (bit & 7);
        deltas[bit >> 3] |= word & 255;
        if (word > 255) deltas[(bit >> 3) + 1] |= word >> 8;
        read[k * child + i] = read[k * node + i] - (delta << shift);
      }
    }
  }
  return { packed: { deltas, shifts, parents, deltaBits }, read };
}
