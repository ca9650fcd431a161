/**
 * Contacts of small meshes at rest, without trees: triangles outside of the box that two objects
 * have in common are dropped, and the others are tested pair by pair.
 *
 * Every test is exact. Vertices are moved as the engines move them, boxes are those of the moved
 * vertices, and the last test is theirs. So the verdict and the list are theirs, too. The first
 * contact is the lowest pair of triangles, which no tree decides.
 *
 * A tree takes microseconds a triangle to build, and most elements of a building are asked about a
 * few times: 160 elements that meet 326 times need no tree at all.
 */
import { derived } from '../engine/asset-cache.ts';
import { isOfTriangles } from '../engine/operand.ts';
import type { ContactPair } from '../engine/records.ts';
import type { Asset } from '../engine/representation.ts';
import { trianglesIntersectAt } from '../geometry/triangle-triangle.ts';
import { isIdentity, movePoint, type Pose } from '../math/pose.ts';
import { boxOf } from '../mesh/extent.ts';
import type { Surface } from '../mesh/topology.ts';
import { representationOf } from '../representations/kinds.ts';

/** Larger meshes are left to trees, and so are pairs that need more tests. */
const MOST_TRIANGLES = 2 ** 13;
const MOST_TESTS = 2 ** 18;
/** Numbers of moved vertices that are kept: 64 MB. */
const MOST_KEPT = 2 ** 23;

/** Up to this many triangles of both sides a kernel is not asked, even if it is ready. */
export const FEWEST = 64;

interface Moved {
  positions: Float64Array;
  triangles: Uint32Array;
  box: Float64Array;
}

/** Triangles of one side that reach into the common box. */
interface Near {
  numbers: Uint32Array;
  count: number;
  /** Nine numbers each. */
  corners: Float64Array;
  /** Six numbers each. */
  boxes: Float64Array;
  /** Per vertex: a bit for each face of the common box that it is beyond. */
  beyond: Uint8Array;
}

const createNear = (): Near => ({
  numbers: new Uint32Array(64),
  count: 0,
  corners: new Float64Array(64 * 9),
  boxes: new Float64Array(64 * 6),
  beyond: new Uint8Array(256),
});

/** Scratch: questions do not nest. */
const nearA = createNear();
const nearB = createNear();
const common = new Float64Array(6);

const surfaces = /* @__PURE__ */ derived<Asset, Surface | null>();

function sizeOf(asset: Asset): number {
  const count = representationOf(asset).own?.primitives?.(asset) ?? Number.POSITIVE_INFINITY;
  return count <= MOST_TRIANGLES && isOfTriangles(asset) ? count : Number.POSITIVE_INFINITY;
}

/** The objects of a scene while none of them moves. */
export class SmallPairs {
  private moved: Moved[] = [];
  private kept = 0;
  private readonly sizes = new Map<Asset, number>();
  private readonly sizeOf: number[] = [];

  constructor(private readonly objects: readonly { asset: Asset; pose: Pose }[]) {}

  /** Number of triangles of object i; Infinity if it is too large, or not of triangles. */
  size(i: number): number {
    return (this.sizeOf[i] ??= this.sizeOfAsset(this.objects[i].asset));
  }

  private sizeOfAsset(asset: Asset): number {
    const size = this.sizes.get(asset) ?? sizeOf(asset);
    this.sizes.set(asset, size);
    return size;
  }

  /** The lowest pair of triangles that touch, or null; undefined if there are too many. */
  first(i: number, j: number): ContactPair | null | undefined {
    if (!this.select(i, j)) return undefined;
    for (let p = 0; p < nearA.count; p++) {
      const q = nextContact(p, 0);
      if (q < nearB.count) return [nearA.numbers[p], nearB.numbers[q]];
    }
    return null;
  }

  /** All pairs of triangles that touch, ascending; undefined if there are too many. */
  all(i: number, j: number): ContactPair[] | undefined {
    if (!this.select(i, j)) return undefined;
    const pairs: ContactPair[] = [];
    for (let p = 0; p < nearA.count; p++)
      for (let q = nextContact(p, 0); q < nearB.count; q = nextContact(p, q + 1))
        pairs.push([nearA.numbers[p], nearB.numbers[q]]);
    return pairs;
  }

  /** Writes the corners of a triangle of object i. */
  corners(i: number, triangle: number, out: Float64Array): void {
    writeCorners(this.movedOf(i), triangle, out, 0);
  }

  /** Leaves the triangles that reach into the common box; false if there are too many. */
  private select(i: number, j: number): boolean {
    if (this.size(i) + this.size(j) === Number.POSITIVE_INFINITY) return false;
    const a = this.movedOf(i);
    const b = this.movedOf(j);
    for (let k = 0; k < 3; k++) {
      common[k] = Math.max(a.box[k], b.box[k]);
      common[k + 3] = Math.min(a.box[k + 3], b.box[k + 3]);
    }
    nearA.count = nearB.count = 0;
    if (common[0] > common[3] || common[1] > common[4] || common[2] > common[5]) return true;
    selectNear(a, nearA);
    if (nearA.count > 0) selectNear(b, nearB);
    return nearA.count * nearB.count <= MOST_TESTS;
  }

  private movedOf(i: number): Moved {
    let known = this.moved[i];
    if (!known) {
      const { asset, pose } = this.objects[i];
      let surface = surfaces.get(asset);
      if (!surface) {
        surface = representationOf(asset).surface(asset);
        surfaces.set(asset, surface);
      }
      const { triangles } = surface;
      const positions = movedBy(pose, surface.positions);
      known = { positions, triangles, box: boxOf(positions, triangles) };
      if (positions !== surface.positions) this.kept += positions.length;
      if (this.kept > MOST_KEPT) {
        this.moved = [];
        this.kept = positions.length;
      }
      this.moved[i] = known;
    }
    return known;
  }
}

function movedBy(pose: Pose, positions: Float64Array): Float64Array {
  if (isIdentity(pose)) return positions;
  const moved = new Float64Array(positions.length);
  for (let k = 0; k < positions.length; k += 3)
    movePoint(pose, positions[k], positions[k + 1], positions[k + 2], moved, k);
  return moved;
}

function selectNear({ positions, triangles }: Moved, near: Near): void {
  const vertices = positions.length / 3;
  if (near.beyond.length < vertices) near.beyond = new Uint8Array(2 * vertices);
  const count = triangles.length / 3;
  if (near.numbers.length < count) {
    near.numbers = new Uint32Array(2 * count);
    near.corners = new Float64Array(18 * count);
    near.boxes = new Float64Array(12 * count);
  }
  const { beyond, numbers, corners, boxes } = near;
  const lowX = common[0];
  const lowY = common[1];
  const lowZ = common[2];
  const highX = common[3];
  const highY = common[4];
  const highZ = common[5];
  for (let v = 0, k = 0; v < vertices; v++, k += 3) {
    const x = positions[k];
    const y = positions[k + 1];
    const z = positions[k + 2];
    beyond[v] =
      (x < lowX ? 1 : x > highX ? 2 : 0) | (y < lowY ? 4 : y > highY ? 8 : 0) | (z < lowZ ? 16 : z > highZ ? 32 : 0);
  }
  let found = 0;
  for (let t = 0, c = 0; t < count; t++, c += 3)
    if ((beyond[triangles[c]] & beyond[triangles[c + 1]] & beyond[triangles[c + 2]]) === 0) numbers[found++] = t;
  near.count = found;
  for (let n = 0; n < found; n++) {
    writeCorners({ positions, triangles }, numbers[n], corners, 9 * n);
    for (let k = 0; k < 3; k++) {
      const p = corners[9 * n + k];
      const q = corners[9 * n + 3 + k];
      const r = corners[9 * n + 6 + k];
      boxes[6 * n + k] = p < q ? (p < r ? p : r) : q < r ? q : r;
      boxes[6 * n + 3 + k] = p > q ? (p > r ? p : r) : q > r ? q : r;
    }
  }
}

function writeCorners(
  { positions, triangles }: Omit<Moved, 'box'>,
  triangle: number,
  out: Float64Array,
  at: number,
): void {
  for (let corner = 0; corner < 3; corner++) {
    const v = 3 * triangles[3 * triangle + corner];
    for (let k = 0; k < 3; k++) out[at + 3 * corner + k] = positions[v + k];
  }
}

/** The next of b's triangles, from `from` on, that touches a's triangle `p`; b's count if none. */
function nextContact(p: number, from: number): number {
  const { boxes, corners, count } = nearB;
  const at = 6 * p;
  const own = nearA.boxes;
  const lowX = own[at];
  const lowY = own[at + 1];
  const lowZ = own[at + 2];
  const highX = own[at + 3];
  const highY = own[at + 4];
  const highZ = own[at + 5];
  for (let q = from, k = 6 * from; q < count; q++, k += 6) {
    if (boxes[k] > highX || boxes[k + 3] < lowX || boxes[k + 1] > highY || boxes[k + 4] < lowY) continue;
    if (boxes[k + 2] > highZ || boxes[k + 5] < lowZ) continue;
    if (trianglesIntersectAt(nearA.corners, 9 * p, corners, 9 * q)) return q;
  }
  return count;
}
