/**
 * The two descents of sphere-descents.mjs in AssemblyScript: the same spheres, pairs and order, by
 * index arithmetic and by pointers. Both bodies are the one in memory, of which the second is moved.
 * Two quads are tested by the caller.
 *
 * Memory, in bytes: the pose, 12 doubles; origin and step, 4; a radius step a level; at STACK what
 * is pending; at TREE the page of spheres, and after it nodes with pointers.
 */

/** Whether two quads of the body, the second moved, share a point. */
@external("leaf", "quadsMeet")
declare function quadsMeet(quadA: i32, quadB: i32): bool;

const ORIGIN: usize = 96;
const STEP: usize = 120;
const RADIUS_STEPS: usize = 128;
const STACK: usize = 1024;
/** For the rounding of centres and radii. */
const WIDER: f64 = 1.0 + 1e-12;

/** Of a pair by index: level, row and column of both nodes, and whose turn it is. */
const BY_INDEX: usize = 28;
/** Of a pair by pointers: two nodes, and whose turn it is. */
const BY_POINTER: usize = 12;

// A node with pointers: x, y, z and r of 16 bits each, then numbers of 32 bits.
const LEVEL: usize = 8;
const QUAD: usize = 12;
/** Four addresses; the first is 0 where there are no children. */
const CHILDREN: usize = 16;

let spheres: u32 = 0;

/** Pairs of spheres that the last query tested. */
export function spheresTested(): u32 {
  return spheres;
}

@inline
function pixelOf(page: usize, depth: i32, level: i32, row: i32, column: i32): usize {
  const width = 3 << (depth - 1);
  const at =
    level == depth ? row * width + column : ((1 << depth) - (2 << level) + row) * width + (1 << depth) + column;
  return page + (<usize>at << 3);
}

/** Coordinate k of the centre of the sphere at `at`, in the body's frame. */
@inline
function centre(at: usize, k: usize): f64 {
  return load<f64>(ORIGIN + (k << 3)) + <f64>load<u16>(at + (k << 1)) * load<f64>(STEP);
}

@inline
function radius(at: usize, level: i32): f64 {
  return <f64>load<u16>(at, 6) * load<f64>(RADIUS_STEPS + (<usize>level << 3));
}

/** Coordinate k of a point that the pose has moved. */
@inline
function moved(k: usize, x: f64, y: f64, z: f64): f64 {
  const row = k << 5;
  return load<f64>(row) * x + load<f64>(row, 8) * y + load<f64>(row, 16) * z + load<f64>(row, 24);
}

/** Whether the sphere at `p` and the moved one at `q` share a point. */
@inline
function overlap(p: usize, levelP: i32, q: usize, levelQ: i32): bool {
  const ux = centre(q, 0);
  const uy = centre(q, 1);
  const uz = centre(q, 2);
  const dx = centre(p, 0) - moved(0, ux, uy, uz);
  const dy = centre(p, 1) - moved(1, ux, uy, uz);
  const dz = centre(p, 2) - moved(2, ux, uy, uz);
  const sum = (radius(p, levelP) + radius(q, levelQ)) * WIDER;
  return dx * dx + dy * dy + dz * dz <= sum * sum;
}

@inline
function pushIndex(
  top: usize,
  levelP: i32,
  rowP: i32,
  columnP: i32,
  levelQ: i32,
  rowQ: i32,
  columnQ: i32,
  turn: i32,
): usize {
  store<i32>(top, levelP);
  store<i32>(top, rowP, 4);
  store<i32>(top, columnP, 8);
  store<i32>(top, levelQ, 12);
  store<i32>(top, rowQ, 16);
  store<i32>(top, columnQ, 20);
  store<i32>(top, turn, 24);
  return top + BY_INDEX;
}

/** @param page address of the spheres */
export function meetByIndex(page: usize, depth: i32): bool {
  spheres = 1;
  const first = pixelOf(page, depth, 0, 0, 0);
  if (!overlap(first, 0, first, 0)) return false;
  let top = pushIndex(STACK, 0, 0, 0, 0, 0, 0, 0);
  while (top > STACK) {
    top -= BY_INDEX;
    const levelP = load<i32>(top);
    const rowP = load<i32>(top, 4);
    const columnP = load<i32>(top, 8);
    const levelQ = load<i32>(top, 12);
    const rowQ = load<i32>(top, 16);
    const columnQ = load<i32>(top, 20);
    const turn = load<i32>(top, 24);
    if (levelP == depth && levelQ == depth) {
      if (quadsMeet((rowP << depth) + columnP, (rowQ << depth) + columnQ)) return true;
      continue;
    }
    spheres += 4;
    const next = <usize>(3 << (depth - 1)) << 3;
    if (levelP < depth && (turn == 0 || levelQ == depth)) {
      const q = pixelOf(page, depth, levelQ, rowQ, columnQ);
      const children = pixelOf(page, depth, levelP + 1, 2 * rowP, 2 * columnP);
      for (let k = 3; k >= 0; k--) {
        const c = children + (<usize>(k >> 1)) * next + (<usize>(k & 1) << 3);
        if (!overlap(c, levelP + 1, q, levelQ)) continue;
        top = pushIndex(top, levelP + 1, 2 * rowP + (k >> 1), 2 * columnP + (k & 1), levelQ, rowQ, columnQ, 1);
      }
    } else {
      const p = pixelOf(page, depth, levelP, rowP, columnP);
      const children = pixelOf(page, depth, levelQ + 1, 2 * rowQ, 2 * columnQ);
      for (let k = 3; k >= 0; k--) {
        const c = children + (<usize>(k >> 1)) * next + (<usize>(k & 1) << 3);
        if (!overlap(p, levelP, c, levelQ + 1)) continue;
        top = pushIndex(top, levelP, rowP, columnP, levelQ + 1, 2 * rowQ + (k >> 1), 2 * columnQ + (k & 1), 0);
      }
    }
  }
  return false;
}

@inline
function pushPointers(top: usize, p: usize, q: usize, turn: i32): usize {
  store<usize>(top, p);
  store<usize>(top, q, 4);
  store<i32>(top, turn, 8);
  return top + BY_POINTER;
}

/** @param root address of the root's node */
export function meetByPointer(root: usize): bool {
  spheres = 1;
  if (!overlap(root, 0, root, 0)) return false;
  let top = pushPointers(STACK, root, root, 0);
  while (top > STACK) {
    top -= BY_POINTER;
    const p = load<usize>(top);
    const q = load<usize>(top, 4);
    const turn = load<i32>(top, 8);
    const hasP = load<usize>(p + CHILDREN) != 0;
    const hasQ = load<usize>(q + CHILDREN) != 0;
    if (!hasP && !hasQ) {
      if (quadsMeet(load<i32>(p + QUAD), load<i32>(q + QUAD))) return true;
      continue;
    }
    spheres += 4;
    if (hasP && (turn == 0 || !hasQ)) {
      const levelQ = load<i32>(q + LEVEL);
      for (let k = 3; k >= 0; k--) {
        const c = load<usize>(p + CHILDREN + (<usize>k << 2));
        if (overlap(c, load<i32>(c + LEVEL), q, levelQ)) top = pushPointers(top, c, q, 1);
      }
    } else {
      const levelP = load<i32>(p + LEVEL);
      for (let k = 3; k >= 0; k--) {
        const c = load<usize>(q + CHILDREN + (<usize>k << 2));
        if (overlap(p, levelP, c, load<i32>(c + LEVEL))) top = pushPointers(top, p, c, 0);
      }
    }
  }
  return false;
}
