// Searches the sphere tree of a geometry image in two ways in one language: by index arithmetic,
// and by pointers (B. Benes, N. Gomez Villanueva, "GI-COLLIDE", SCCG 2005, sections 4 and 5.2).
//
// Both trees have the same spheres in the same whole numbers, decode them in the same way, meet the
// same pairs in the same order and end in the same exact test of triangles. They only find children
// differently. Neither has slabs or the kernel, which gicollide has.
import { toMesh, trianglesIntersect } from 'gicollide';

/** @typedef {import('gicollide').GeometryImage} GeometryImage */
/** @typedef {import('gicollide').Pose} Pose */

/**
 * What both trees stand over: the image's grid and its triangles, two a quad.
 *
 * @typedef {object} Body
 * @property {number} depth of the tree; level 0 is the root
 * @property {Float64Array} origin
 * @property {number} step coordinate k of a centre q is origin[k] + q * step
 * @property {Float64Array} radiusSteps by level
 * @property {ArrayLike<number>} positions
 * @property {ArrayLike<number>} triangles
 * @property {Uint16Array} page the sphere page of the image, as the contract has it
 * @property {Node} root of the tree by pointers
 */

/**
 * @typedef {object} Node
 * @property {number} x whole numbers, as in the page
 * @property {number} y
 * @property {number} z
 * @property {number} r
 * @property {number} level
 * @property {number} quad of a leaf; -1 above
 * @property {Node[] | null} children four, or none
 */

/**
 * Where the page has a node: level `depth` in the square at the left, the smaller ones in a column
 * right of it.
 *
 * @param {number} depth
 * @param {number} level
 * @param {number} row
 * @param {number} column
 */
function pixelOf(depth, level, row, column) {
  const width = 3 << (depth - 1);
  const at =
    level === depth ? row * width + column : ((1 << depth) - (2 << level) + row) * width + (1 << depth) + column;
  return 4 * at;
}

/**
 * @param {GeometryImage} image of one chart
 * @returns {Node} the root
 */
export function treeByPointers(image) {
  const [{ exponent: depth, tree }] = image.groups;
  /** @param {number} level @param {number} row @param {number} column @returns {Node} */
  const grow = (level, row, column) => {
    const [x, y, z, r] = tree.page.subarray(pixelOf(depth, level, row, column));
    const isLeaf = level === depth;
    const child = (/** @type {number} */ k) => grow(level + 1, 2 * row + (k >> 1), 2 * column + (k & 1));
    const children = isLeaf ? null : [child(0), child(1), child(2), child(3)];
    return { x, y, z, r, level, quad: isLeaf ? (row << depth) + column : -1, children };
  };
  return grow(0, 0, 0);
}

/**
 * @param {GeometryImage} image of one chart
 * @returns {Body}
 */
export function bodyOf(image, root = treeByPointers(image)) {
  if (image.charts !== 1) throw new Error('expected one chart');
  const { origin, step } = image;
  const [{ exponent: depth, tree }] = image.groups;
  return { depth, origin, step, page: tree.page, radiusSteps: tree.radiusSteps, ...toMesh(image), root };
}

const [ofA, ofB] = [new Float64Array(9), new Float64Array(9)];
/** Pairs of spheres and of triangles that the last query tested. */
export const tested = { spheres: 0, triangles: 0 };

/**
 * Whether two quads share a point.
 *
 * @param {Body} a
 * @param {number} quadA
 * @param {Body} b
 * @param {number} quadB
 * @param {Pose} m
 */
export function quadsMeet(a, quadA, b, quadB, m) {
  for (let i = 0; i < 4; i++) {
    for (let k = 0; k < 3; k++) {
      const v = 3 * a.triangles[3 * (2 * quadA + (i >> 1)) + k];
      const w = 3 * b.triangles[3 * (2 * quadB + (i & 1)) + k];
      const [x, y, z] = [b.positions[w], b.positions[w + 1], b.positions[w + 2]];
      for (let axis = 0; axis < 3; axis++) {
        ofA[3 * k + axis] = a.positions[v + axis];
        ofB[3 * k + axis] = m[4 * axis] * x + m[4 * axis + 1] * y + m[4 * axis + 2] * z + m[4 * axis + 3];
      }
    }
    tested.triangles++;
    if (trianglesIntersect(ofA, ofB)) return true;
  }
  return false;
}

/** For the rounding of centres and radii. */
const WIDER = 1 + 1e-12;

/**
 * Whether the two root spheres overlap: the first test of a query.
 *
 * @param {Body} a
 * @param {Body} b
 * @param {Pose} m
 */
function rootsOverlap(a, b, m) {
  tested.spheres = 1;
  tested.triangles = 0;
  const [p, q] = [pixelOf(a.depth, 0, 0, 0), pixelOf(b.depth, 0, 0, 0)];
  const ux = b.origin[0] + b.page[q] * b.step;
  const uy = b.origin[1] + b.page[q + 1] * b.step;
  const uz = b.origin[2] + b.page[q + 2] * b.step;
  const dx = a.origin[0] + a.page[p] * a.step - (m[0] * ux + m[1] * uy + m[2] * uz + m[3]);
  const dy = a.origin[1] + a.page[p + 1] * a.step - (m[4] * ux + m[5] * uy + m[6] * uz + m[7]);
  const dz = a.origin[2] + a.page[p + 2] * a.step - (m[8] * ux + m[9] * uy + m[10] * uz + m[11]);
  const sum = (a.page[p + 3] * a.radiusSteps[0] + b.page[q + 3] * b.radiusSteps[0]) * WIDER;
  return dx * dx + dy * dy + dz * dz <= sum * sum;
}

/** A pair by index: the level, row and column of both nodes, and whose turn it is. */
const ENTRY = 7;
const pending = new Int32Array(ENTRY * 4096);

/**
 * @param {number} at
 * @param {number} levelP
 * @param {number} rowP
 * @param {number} columnP
 * @param {number} levelQ
 * @param {number} rowQ
 * @param {number} columnQ
 * @param {number} turn
 */
function push(at, levelP, rowP, columnP, levelQ, rowQ, columnQ, turn) {
  pending[at] = levelP;
  pending[at + 1] = rowP;
  pending[at + 2] = columnP;
  pending[at + 3] = levelQ;
  pending[at + 4] = rowQ;
  pending[at + 5] = columnQ;
  pending[at + 6] = turn;
  return at + ENTRY;
}

/**
 * The seed's traversal of both trees in turns, by index arithmetic: do they share a point?
 *
 * @param {Body} a
 * @param {Body} b
 * @param {Pose} m places b in a's frame
 */
export function meetByIndex(a, b, m) {
  if (!rootsOverlap(a, b, m)) return false;
  let top = push(0, 0, 0, 0, 0, 0, 0, 0);
  while (top > 0) {
    top -= ENTRY;
    const levelP = pending[top];
    const rowP = pending[top + 1];
    const columnP = pending[top + 2];
    const levelQ = pending[top + 3];
    const rowQ = pending[top + 4];
    const columnQ = pending[top + 5];
    const turn = pending[top + 6];
    if (levelP === a.depth && levelQ === b.depth) {
      if (quadsMeet(a, (rowP << a.depth) + columnP, b, (rowQ << b.depth) + columnQ, m)) return true;
      continue;
    }
    const p = pixelOf(a.depth, levelP, rowP, columnP);
    const q = pixelOf(b.depth, levelQ, rowQ, columnQ);
    tested.spheres += 4;
    if (levelP < a.depth && (turn === 0 || levelQ === b.depth)) {
      const ux = b.origin[0] + b.page[q] * b.step;
      const uy = b.origin[1] + b.page[q + 1] * b.step;
      const uz = b.origin[2] + b.page[q + 2] * b.step;
      const x = m[0] * ux + m[1] * uy + m[2] * uz + m[3];
      const y = m[4] * ux + m[5] * uy + m[6] * uz + m[7];
      const z = m[8] * ux + m[9] * uy + m[10] * uz + m[11];
      const r = b.page[q + 3] * b.radiusSteps[levelQ];
      const children = pixelOf(a.depth, levelP + 1, 2 * rowP, 2 * columnP);
      for (let k = 3; k >= 0; k--) {
        const c = children + 4 * ((k >> 1) * (3 << (a.depth - 1)) + (k & 1));
        const dx = a.origin[0] + a.page[c] * a.step - x;
        const dy = a.origin[1] + a.page[c + 1] * a.step - y;
        const dz = a.origin[2] + a.page[c + 2] * a.step - z;
        const sum = (a.page[c + 3] * a.radiusSteps[levelP + 1] + r) * WIDER;
        if (dx * dx + dy * dy + dz * dz > sum * sum) continue;
        top = push(top, levelP + 1, 2 * rowP + (k >> 1), 2 * columnP + (k & 1), levelQ, rowQ, columnQ, 1);
      }
    } else {
      const x = a.origin[0] + a.page[p] * a.step;
      const y = a.origin[1] + a.page[p + 1] * a.step;
      const z = a.origin[2] + a.page[p + 2] * a.step;
      const r = a.page[p + 3] * a.radiusSteps[levelP];
      const children = pixelOf(b.depth, levelQ + 1, 2 * rowQ, 2 * columnQ);
      for (let k = 3; k >= 0; k--) {
        const c = children + 4 * ((k >> 1) * (3 << (b.depth - 1)) + (k & 1));
        const ux = b.origin[0] + b.page[c] * b.step;
        const uy = b.origin[1] + b.page[c + 1] * b.step;
        const uz = b.origin[2] + b.page[c + 2] * b.step;
        const dx = m[0] * ux + m[1] * uy + m[2] * uz + m[3] - x;
        const dy = m[4] * ux + m[5] * uy + m[6] * uz + m[7] - y;
        const dz = m[8] * ux + m[9] * uy + m[10] * uz + m[11] - z;
        const sum = (b.page[c + 3] * b.radiusSteps[levelQ + 1] + r) * WIDER;
        if (dx * dx + dy * dy + dz * dz > sum * sum) continue;
        top = push(top, levelP, rowP, columnP, levelQ + 1, 2 * rowQ + (k >> 1), 2 * columnQ + (k & 1), 0);
      }
    }
  }
  return false;
}

/** @type {Node[]} */
const nodes = [];
const turns = new Int32Array(4096);

/**
 * The same by pointers.
 *
 * @param {Body} a
 * @param {Body} b
 * @param {Pose} m
 */
export function meetByPointer(a, b, m) {
  if (!rootsOverlap(a, b, m)) return false;
  nodes[0] = a.root;
  nodes[1] = b.root;
  turns[0] = 0;
  let top = 1;
  while (top > 0) {
    top--;
    const p = nodes[2 * top];
    const q = nodes[2 * top + 1];
    const turn = turns[top];
    if (!p.children && !q.children) {
      if (quadsMeet(a, p.quad, b, q.quad, m)) return true;
      continue;
    }
    tested.spheres += 4;
    if (p.children && (turn === 0 || !q.children)) {
      const ux = b.origin[0] + q.x * b.step;
      const uy = b.origin[1] + q.y * b.step;
      const uz = b.origin[2] + q.z * b.step;
      const x = m[0] * ux + m[1] * uy + m[2] * uz + m[3];
      const y = m[4] * ux + m[5] * uy + m[6] * uz + m[7];
      const z = m[8] * ux + m[9] * uy + m[10] * uz + m[11];
      const r = q.r * b.radiusSteps[q.level];
      for (let k = 3; k >= 0; k--) {
        const c = p.children[k];
        const dx = a.origin[0] + c.x * a.step - x;
        const dy = a.origin[1] + c.y * a.step - y;
        const dz = a.origin[2] + c.z * a.step - z;
        const sum = (c.r * a.radiusSteps[c.level] + r) * WIDER;
        if (dx * dx + dy * dy + dz * dz > sum * sum) continue;
        nodes[2 * top] = c;
        nodes[2 * top + 1] = q;
        turns[top++] = 1;
      }
    } else if (q.children) {
      const x = a.origin[0] + p.x * a.step;
      const y = a.origin[1] + p.y * a.step;
      const z = a.origin[2] + p.z * a.step;
      const r = p.r * a.radiusSteps[p.level];
      for (let k = 3; k >= 0; k--) {
        const c = q.children[k];
        const ux = b.origin[0] + c.x * b.step;
        const uy = b.origin[1] + c.y * b.step;
        const uz = b.origin[2] + c.z * b.step;
        const dx = m[0] * ux + m[1] * uy + m[2] * uz + m[3] - x;
        const dy = m[4] * ux + m[5] * uy + m[6] * uz + m[7] - y;
        const dz = m[8] * ux + m[9] * uy + m[10] * uz + m[11] - z;
        const sum = (c.r * b.radiusSteps[c.level] + r) * WIDER;
        if (dx * dx + dy * dy + dz * dz > sum * sum) continue;
        nodes[2 * top] = p;
        nodes[2 * top + 1] = c;
        turns[top++] = 0;
      }
    }
  }
  return false;
}
