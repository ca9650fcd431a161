// The controller of section 5.2: which pair is fetched next.
//
// A pair that no axis separated is opened as the search opens it: both nodes, or the larger alone
// where it is more than twice as large (src/representations/kdop/search/descent.ts; the paper does
// not say). Two leaves become a pair of triangles.
//
//   ahead    a stack of tests, as in the paper: children are put on it when their parents' result
//            leaves the pipeline, and GetData takes the top whenever it is free. What is fetched
//            next depends on what is known by then.
//   search   the search's order: children are fetched one after the other, a stack holds the pairs
//            that were left, and the top is opened when all children's results are known.
//   queue    `ahead`, but the oldest test is taken.

/** @typedef {import('./memory.mjs').Item} Item */
/** @typedef {import('./host.mjs').Stored} Stored */
/** @typedef {import('./parameters.mjs').Parameters} Parameters */

/** A node this many times as large as the other is opened alone. */
const RATIO = 2;

/** @typedef {Pick<Stored, 'links' | 'sizes'>} Openable */

/** @param {Openable} tree @param {number} node */
const isLeaf = ({ links }, node) => (links[node] & 1) === 1;

/**
 * What is to be tested where a pair of nodes may share a point.
 *
 * @param {Openable} a
 * @param {Openable} b
 * @param {number} nodeA
 * @param {number} nodeB
 * @returns {Item[]}
 */
export function opened(a, b, nodeA, nodeB) {
  const [endsA, endsB] = [isLeaf(a, nodeA), isLeaf(b, nodeB)];
  const [firstA, firstB] = [a.links[nodeA] >>> 1, b.links[nodeB] >>> 1];
  if (endsA && endsB) return [{ isTriangles: true, a: firstA, b: firstB }];
  const [sizeA, sizeB] = [a.sizes[nodeA], b.sizes[nodeB]];
  const ofA = !endsA && (endsB || RATIO * sizeA >= sizeB) ? [firstA, firstA + 1] : [nodeA];
  const ofB = !endsB && (endsA || RATIO * sizeB >= sizeA) ? [firstB, firstB + 1] : [nodeB];
  return ofA.flatMap((i) => ofB.map((j) => ({ isTriangles: false, a: i, b: j })));
}

/**
 * @param {Stored} a
 * @param {Stored} b
 * @param {Parameters['order']} order
 */
export function createController(a, b, order) {
  /** Tests that wait; of `search`, what is to be opened. @type {Item[]} */
  const waiting = [];
  /** Of `search`: children in their order. @type {Item[]} */
  const children = [];
  const roots = { isTriangles: false, a: 0, b: 0 };
  if (order === 'search') children.push(roots);
  else waiting.push(roots);
  let head = 0;
  let peak = 1;
  return {
    /** Most entries that waited at once. */
    get peak() {
      return peak;
    },
    get isEmpty() {
      return waiting.length === head && children.length === 0;
    },
    /** No axis separated a pair of nodes. @param {number} nodeA @param {number} nodeB */
    overlap(nodeA, nodeB) {
      const next = opened(a, b, nodeA, nodeB);
      if (order === 'search') waiting.push(next[0].isTriangles ? next[0] : { isTriangles: false, a: nodeA, b: nodeB });
      else if (order === 'queue') waiting.push(...next);
      else waiting.push(...next.reverse());
      peak = Math.max(peak, waiting.length - head);
    },
    /**
     * What is to be fetched; null while nothing can be.
     *
     * @param {boolean} isAllKnown no result is out
     * @returns {Item | null}
     */
    next(isAllKnown) {
      if (order === 'queue') return head < waiting.length ? waiting[head++] : null;
      if (order === 'ahead') return waiting.pop() ?? null;
      if (children.length === 0) {
        const item = isAllKnown ? waiting.pop() : undefined;
        if (item === undefined || item.isTriangles) return item ?? null;
        children.push(...opened(a, b, item.a, item.b));
      }
      return children.shift() ?? null;
    },
  };
}
