/**
 * Places a tree of boxes over an asset's triangles in the kernels' memory, and asks it about rays
 * and points (kernel.as.ts). The tree is made once an asset has been asked often enough to make it
 * worthwhile.
 */
import type { Asset } from '../../engine/representation.ts';
import { allocate, allocateFor, type Kernels, kernels, place, release, releaseFrom } from '../../kernels/memory.ts';
import { isIdentity } from '../../math/pose.ts';
import type { Surface } from '../../mesh/topology.ts';
import { representationOf } from '../../representations/kinds.ts';
import type { Target } from '../walk.ts';
import { KERNEL, type KernelName } from './kernel.generated.ts';
import {
  CANDIDATES,
  CENTRE,
  CORNERS,
  LENGTH,
  LOWER,
  MISSED,
  MOST_CANDIDATES,
  MOVES,
  NODE_BYTES,
  NODES,
  NORM,
  ORDER,
  POSE,
  R,
  RECORD_BYTES,
  SHORTEST,
  SIZES,
  SLACK,
  TO_OWN,
  TRIANGLE,
  UNSURE,
  UPPER,
} from './layout.as.ts';

/** Questions that take as long as a triangle's part of the tree: measured. */
const QUESTIONS_A_TRIANGLE = 1 / 8;
/** No tree before so many questions, however few the triangles. */
const LEAST_QUESTIONS = 64;
/** Sizes of assets whose products stay within the doubles. */
const LEAST_SIZE = 2 ** -200;
const MOST_SIZE = 2 ** 200;
/** The root's box is larger by this, in the nodes' unit. */
const ROOM = 2 ** -10;
const BOX_BYTES = 48;

/** An asset's tree, or the number of questions before it. */
export class PointSearch {
  private questions = 0;
  /** The number of questions that make a tree worthwhile; Infinity if none can be made. */
  private worth = LEAST_QUESTIONS;
  private isCounted = false;
  private record = 0;
  private target: Target | null = null;
  private own: Kernels<KernelName> | null = null;
  /** Views of the workspace up to the results of a ray, and of the candidates. */
  private numbers: Float64Array = new Float64Array(0);
  private words: Uint32Array = new Uint32Array(0);
  private candidates: Uint32Array = new Uint32Array(0);

  /** True if the tree is ready, in the target's pose. Counts questions until it is worthwhile. */
  isReady(asset: Asset, target: Target, count: number): boolean {
    if (this.record === 0) {
      this.questions += count;
      if (this.questions < this.worth) return false;
      this.make(asset);
      if (this.record === 0) return false;
    }
    // Not within `onContact`, where another query's state is in the workspace.
    if (kernels(KERNEL) === null) return false;
    if (this.target !== target) this.write(target);
    return true;
  }

  /**
   * Searches for the first triangle on the ray of three numbers at `i`, after `isReady`: LEAVES or
   * ENTERS, with `found`, MISSED or UNSURE.
   */
  ray(origins: ArrayLike<number>, directions: ArrayLike<number>, i: number, longest: number, found: RayFound): number {
    const { functions, workspace } = this.own!;
    const state = functions.searchRay(
      this.record,
      workspace,
      origins[i],
      origins[i + 1],
      origins[i + 2],
      directions[i],
      directions[i + 1],
      directions[i + 2],
      longest,
    );
    if (state === MISSED || state === UNSURE) return state;
    const { numbers } = this;
    found.lower = numbers[LOWER / 8];
    found.upper = numbers[UPPER / 8];
    found.x = numbers[R / 8];
    found.y = numbers[R / 8 + 1];
    found.z = numbers[R / 8 + 2];
    found.length = numbers[LENGTH / 8];
    found.triangle = this.words[TRIANGLE / 4];
    return state;
  }

  /** Returns how many triangles may be nearest to a point; -1 if the caller must search itself. */
  nearest(x: number, y: number, z: number): number {
    const { functions, workspace } = this.own!;
    return functions.searchNearest(this.record, workspace, x, y, z);
  }

  /** A triangle that may be nearest. */
  candidate(i: number): number {
    return this.candidates[4 * i + 2];
  }

  /** Releases the tree's memory: a garbage collector may not run between a thousand updates. */
  forget(): void {
    if (this.record === 0) return;
    releaseFrom(this, this.record);
    this.record = 0;
    this.target = null;
    this.questions = 0;
    this.worth = LEAST_QUESTIONS;
    this.isCounted = false;
  }

  private make(asset: Asset): void {
    const own = kernels(KERNEL);
    if (own === null) return;
    const surface = representationOf(asset).surface(asset);
    const count = surface.triangles.length / 3;
    if (!this.isCounted) {
      this.isCounted = true;
      this.worth = Math.max(LEAST_QUESTIONS, QUESTIONS_A_TRIANGLE * count);
      if (this.questions < this.worth) return;
    }
    this.worth = Number.POSITIVE_INFINITY;
    const frame = frameOf(surface);
    if (frame) this.record = placed(this, own, surface, frame);
    if (this.record === 0) return;
    const { buffer } = own.memory;
    this.own = own;
    this.numbers = new Float64Array(buffer, own.workspace, TRIANGLE / 8);
    this.words = new Uint32Array(buffer, own.workspace, TRIANGLE / 4 + 1);
    this.candidates = new Uint32Array(buffer, own.workspace + CANDIDATES, 4 * MOST_CANDIDATES);
  }

  private write(target: Target): void {
    const { pose, toOwn, operand } = target;
    const { buffer } = this.own!.memory;
    const numbers = new Float64Array(buffer, this.record, RECORD_BYTES / 8);
    new Uint32Array(buffer, this.record, RECORD_BYTES / 4)[MOVES / 4] = isIdentity(pose) ? 0 : 1;
    for (let k = 0; k < 12; k++) {
      numbers[POSE / 8 + k] = pose[k];
      numbers[TO_OWN / 8 + k] = toOwn.map[k];
    }
    numbers[SLACK / 8] = toOwn.slack + 2 ** -400;
    numbers[NORM / 8] = toOwn.norm;
    numbers[SHORTEST / 8] = toOwn.shortest * (1 - 2 ** -40);
    numbers[SIZES / 8] = operand.reach + Math.abs(pose[3]) + Math.abs(pose[7]) + Math.abs(pose[11]);
    this.target = target;
  }
}

/** A ray's first triangle, in lengths of r. */
export interface RayFound {
  triangle: number;
  lower: number;
  upper: number;
  /** r, and its length. */
  x: number;
  y: number;
  z: number;
  length: number;
}

/** The nodes' unit, and the box in it: see layout.as.ts. */
interface Frame {
  centre: number[];
  scale: number;
  half: number[];
}

/** Undefined if the asset has no size, one beyond the kernel, or corners that are no vertices. */
function frameOf({ positions, triangles }: Surface): Frame | undefined {
  const low = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  const high = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (let c = 0; c < triangles.length; c++) {
    const at = 3 * triangles[c];
    for (let k = 0; k < 3; k++) {
      const x = positions[at + k];
      if (!Number.isFinite(x)) return undefined;
      if (x < low[k]) low[k] = x;
      if (x > high[k]) high[k] = x;
    }
  }
  const half = low.map((x, k) => high[k] / 2 - x / 2);
  const size = Math.max(...half);
  if (!(size > LEAST_SIZE && size < MOST_SIZE)) return undefined;
  let scale = 1;
  while (size * scale > 1) scale /= 2;
  while (size * scale <= 0.5) scale *= 2;
  return { centre: low.map((x, k) => x / 2 + high[k] / 2), scale, half: half.map((x) => x * scale) };
}

/** The address of a record that lasts as long as `owner`; 0 without room. */
function placed(owner: object, own: Kernels<KernelName>, surface: Surface, frame: Frame): number {
  const { functions, memory } = own;
  const { centre, scale, half } = frame;
  const count = surface.triangles.length / 3;
  const positions = surface.positions instanceof Float64Array ? surface.positions : new Float64Array(surface.positions);
  const held: number[] = [];
  const hold = (bytes: number): number => {
    const address = allocate(bytes);
    held.push(address);
    return address;
  };
  try {
    // All nodes but perhaps the root have four children, and a triangle below each.
    const sizes = [positions.byteLength, surface.triangles.byteLength, 4 * count, BOX_BYTES * count];
    const [points, corners, order, spans] = sizes.map(hold);
    const [nodes, scratch] = [NODE_BYTES * Math.ceil(count / 3 + 1), functions.searchBuildScratch()].map(hold);
    if (held.includes(0)) return 0;
    place(points, positions);
    place(corners, surface.triangles);
    const unit = [...centre, scale];
    const nodeCount = functions.searchBuild(points, corners, count, ...unit, order, spans, nodes, scratch);
    const bytes = [RECORD_BYTES, NODE_BYTES * nodeCount, 72 * count, 4 * count];
    const ends: number[] = [];
    for (const size of bytes) ends.push((ends.at(-1) ?? 0) + Math.ceil(size / 64) * 64);
    const record = allocateFor(owner, ends[3]);
    if (record === 0) return 0;
    const [toNodes, toCorners, toOrder] = ends.map((end) => record + end);
    const all = new Uint8Array(memory.buffer);
    all.copyWithin(toNodes, nodes, nodes + bytes[1]);
    all.copyWithin(toOrder, order, order + bytes[3]);
    functions.searchCorners(points, corners, count, order, toCorners);
    const words = new Uint32Array(memory.buffer, record, RECORD_BYTES / 4);
    words[NODES / 4] = toNodes;
    words[CORNERS / 4] = toCorners;
    words[ORDER / 4] = toOrder;
    const numbers = new Float64Array(memory.buffer, record, RECORD_BYTES / 8);
    numbers.set([...centre, scale, ...half.map((x) => -x - ROOM), ...half.map((x) => x + ROOM)], CENTRE / 8);
    return record;
  } finally {
    for (const address of held) if (address !== 0) release(address);
  }
}
