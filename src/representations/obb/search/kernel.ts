/** Places wide OBB trees for the kernel, checks two with it, and measures their least distance. */
import { requireMesh } from '../../../containers/mesh-sections.ts';
import {
  answerPoses,
  askKernel,
  firstContact,
  LEAST_CAPACITY,
  verdictIn,
  type Workspace,
  workspaceOf,
  writePoses,
} from '../../../engine/pair-kernel.ts';
import { type Goal, type Nearest, nothingMeasured } from '../../../engine/records.ts';
import type { PairKernel } from '../../../engine/representation.ts';
import { type DistanceBracket, triangleDistanceWithin } from '../../../geometry/triangle-distance.ts';
import {
  CONTACTS,
  ENDED,
  POSE_A,
  RESULT,
  STACK,
  STATE,
  STEP,
  UNSUITED,
  WORKSPACE_BYTES,
} from '../../../kernels/layout.as.ts';
import {
  adoptPlacement,
  allocateFor,
  type KernelMemory,
  type Kernels,
  kernels,
  place,
  placementOf,
} from '../../../kernels/memory.ts';
import type { Pose } from '../../../math/pose.ts';
import type { ObbTree } from '../tree/obb-tree.ts';
import { LARGEST_COORDINATE, requireObbTree } from '../tree/requirements.ts';
import { localReaches, reachOfObbTree } from '../tree/unfold.ts';
import { checkObbTrees } from './descent.ts';
import { KERNEL, type KernelName } from './kernel.generated.ts';
import {
  BETWEEN,
  CANDIDATE_BYTES,
  CORNERS,
  CORNERS_OF_A,
  CORNERS_OF_B,
  FIRST,
  GAP,
  IS_FLOAT,
  LEFT,
  LOCAL_REACH,
  NODES,
  NORMAL,
  ORDER,
  ORIGIN,
  PLACES,
  POSITIONS,
  REACH,
  RECORD_BYTES,
  REST,
} from './layout.as.ts';

/** Copies the tree into the kernels' memory once; 0 without room or kernels. */
export function placeWideTree(tree: ObbTree): number {
  const known = placementOf(tree);
  if (known !== undefined) return known;
  const own = kernels(KERNEL);
  if (!own) return 0;
  // The kernel trusts its input, so check it again: a caller may have changed the tree.
  let localReach = localReaches.get(tree);
  if (localReach === undefined) {
    localReach = 1.01 * requireObbTree(tree).localReach;
    requireMesh(tree, LARGEST_COORDINATE);
  }
  const { nodes, positions, triangles } = tree;
  const order = tree.order as Uint32Array;
  const sizes = [RECORD_BYTES, nodes.byteLength, positions.byteLength, triangles.byteLength, order.byteLength];
  const offsets = [0];
  for (const size of sizes) offsets.push(Math.ceil((offsets.at(-1)! + size) / 64) * 64);
  const record = allocateFor(tree, offsets.at(-1)!);
  adoptPlacement(tree, record);
  if (record === 0) return 0;
  const [, atNodes, atPositions, atCorners, atOrder] = offsets.map((offset) => record + offset);
  place(atNodes, nodes);
  place(atPositions, positions);
  place(atOrder, order);
  writeCorners(new Uint32Array(own.memory.buffer, atCorners, triangles.length), order, triangles);
  const into = new DataView(own.memory.buffer, record, RECORD_BYTES);
  into.setUint32(NODES, atNodes, true);
  into.setUint32(CORNERS, atCorners, true);
  into.setUint32(POSITIONS, atPositions, true);
  into.setUint32(IS_FLOAT, positions instanceof Float32Array ? 1 : 0, true);
  into.setUint32(ORDER, atOrder, true);
  writePlacedNumbers(own, record, { origin: tree.origin, reach: reachOfObbTree(tree), localReach });
  return record;
}

/** Places two wide trees; undefined without kernels or memory. */
export function kernelOfWideTrees(a: ObbTree, b: ObbTree): PairKernel | undefined {
  const recordA = placeWideTree(a);
  const recordB = placeWideTree(b);
  const own = kernels(KERNEL);
  if (!own || recordA === 0 || recordB === 0) return undefined;
  const workspace = workspaceOf(own);
  const { wideQuery, wideResume, wideList, wideListResume, widePoses, sortContacts } = own.functions;
  const triangles = new NearestTriangles(
    { record: recordA, vertices: a.positions.length / 3 },
    { record: recordB, vertices: b.positions.length / 3 },
    own,
    workspace,
  );
  return {
    nearest: (poseA, poseB, goal) => triangles.find(poseA, poseB, goal),
    // These functions keep the trees, which must outlive their records.
    verdict(poseA, poseB) {
      const isPlaced = writePoses(workspace, poseA, poseB);
      if (!isPlaced || wideQuery(recordA, recordB, workspace.address, LEAST_CAPACITY) === UNSUITED) {
        return checkObbTrees(a, b, firstContact(poseA, poseB)).verdict;
      }
      return verdictIn(workspace);
    },
    verdicts: (poses, verdicts) =>
      answerPoses(workspace, poses, verdicts, (count) => widePoses(recordA, recordB, workspace.address, count)),
    search: (query) =>
      askKernel(workspace, query, {
        start: (isAll, capacity) =>
          isAll
            ? wideList(recordA, recordB, workspace.address, capacity)
            : wideQuery(recordA, recordB, workspace.address, capacity),
        resume: query.all ? wideListResume : wideResume,
        sortContacts,
      }),
  };
}

/*
 * Measures the nearest triangles of two wide OBB trees, which nearest.as.ts finds.
 *
 * Distances come from geometry/triangle-distance.ts, with corners moved in doubles by each tree's
 * pose. So a bracket is as safe and as narrow as that of the common path.
 */

/** Steps of the kernel, some 100 ns each, between readings of the clock. */
const STEPS_A_LOOK = 512;
/**
 * Pairs of triangles to measure in vain before the plane between the nearest pair is tried; more
 * with many vertices, since the plane examines all of them. About two vertices of a mesh there are
 * some 36 pairs.
 */
const LEAST_IN_VAIN = 48;
const VERTICES_A_PAIR = 32;
/**
 * Pairs of triangles to measure before ties are left out. With thousands of equally near ones, as
 * in two fans apex to apex or two parallel faces, the plane between the nearest pair proves that
 * they are no nearer. Most searches measure fewer; the last digits of their answers are those of
 * the nearest pair of all, whatever the order.
 */
const TIES_AFTER = 2 ** 10;

const FOUND = RESULT / 8;
const LEFT_OUT = (RESULT + LEFT) / 4;
const REST_OF_TRIANGLES = (RESULT + REST) / 8;
const FIRST_OF_A = (STEP + CORNERS_OF_A) / 8;
const FIRST_OF_B = (STEP + CORNERS_OF_B) / 8;
const TRIANGLE = 9;
const FIRST_NORMAL = (STEP + NORMAL) / 4;
const FIRST_BETWEEN = (STEP + BETWEEN) / 8;
const FIRST_PLACES = (STEP + FIRST) / 4;
const CANDIDATE = CANDIDATE_BYTES / 4;
const FIRST_POSE = POSE_A / 8;

const normal = new Float64Array(3);
const limit = new Float64Array(1);
const along = new Float64Array(3);
const bracket: DistanceBracket = { lower: 0, upper: 0, onA: new Float64Array(3), onB: new Float64Array(3), along };

interface PlacedTree {
  record: number;
  vertices: number;
}

class NearestTriangles {
  private readonly doubles: Float64Array;
  private readonly floats: Float32Array;
  private readonly words: Uint32Array;
  private readonly nearest: Nearest = nothingMeasured();
  /** Lower bounds of the nearest pair, of all measured ones, and of all left out. */
  private lowerOfNearest = 0;
  private leastLower = 0;
  private left = 0;
  private measured = 0;
  /** Pairs measured since the nearest that are no nearer, except for rounding. */
  private inVain = 0;
  /** True if the trees are known to meet. */
  private isContact = false;
  /** Places in leaf order of the nearest triangles, kept for what follows; -1 before the first. */
  private placeA = -1;
  private placeB = -1;

  constructor(
    private readonly a: PlacedTree,
    private readonly b: PlacedTree,
    private readonly kernels: Kernels<KernelName>,
    private readonly workspace: Workspace,
  ) {
    const { buffer } = kernels.memory;
    this.doubles = new Float64Array(buffer, workspace.address, WORKSPACE_BYTES / 8);
    this.floats = new Float32Array(buffer, workspace.address, WORKSPACE_BYTES / 4);
    this.words = new Uint32Array(buffer, workspace.address, WORKSPACE_BYTES / 4);
  }

  find(poseA: Pose, poseB: Pose, goal: Goal): Nearest | undefined {
    const { nearest } = this;
    if (!writePoses(this.workspace, poseA, poseB) || !this.begin()) return undefined;
    let follows = goal.follows === true && this.placeA >= 0;
    this.isContact = false;
    if (follows) this.measureLast(goal);
    while (!this.search(goal, follows)) {
      follows = false;
      this.begin();
    }
    const leftOut = Math.min(this.left, this.floats[LEFT_OUT], this.doubles[REST_OF_TRIANGLES]);
    const remaining = Math.max(0, Math.min(leftOut, this.leastPending()));
    nearest.lower = Math.min(this.leastLower, remaining, nearest.upper);
    nearest.isApart = remaining > 0 && nearest.upper > 0;
    nearest.level = this.doubles[FOUND + 3];
    nearest.tests.bounds = this.doubles[FOUND + 1];
    nearest.tests.hulls = this.measured + this.doubles[FOUND + 2];
    return nearest;
  }

  private begin(): boolean {
    const { kernels, workspace, a, b } = this;
    this.reset();
    return kernels.functions.wideNearest(a.record, b.record, workspace.address) !== UNSUITED;
  }

  private measureLast(goal: Goal): void {
    this.kernels.functions.wideNearestStart(this.workspace.address, this.placeA, this.placeB);
    this.measure(goal);
  }

  /**
   * Returns false if it has to start over, without the last pair: it would leave pairs unmeasured,
   * and the last digits would depend on the start. Also if the trees are found to meet.
   */
  private search(goal: Goal, follows: boolean): boolean {
    const { nearest, workspace } = this;
    const { wideNearestResume } = this.kernels.functions;
    const isTimed = goal.deadline < Number.POSITIVE_INFINITY;
    let look = LEAST_IN_VAIN + (this.a.vertices + this.b.vertices) / VERTICES_A_PAIR;
    while (!this.isFound(goal)) {
      const touches = goal.distance && !this.isContact && 4 * this.lowerOfNearest <= nearest.upper && nearest.a >= 0;
      const looks = goal.distance && this.inVain >= look;
      const leavesTies = goal.distance && this.measured > TIES_AFTER;
      if (follows && (touches || looks || leavesTies)) return false;
      if (touches) {
        this.isContact = this.hasContact();
        return !this.isContact;
      }
      if (looks) {
        look = 4 * this.inVain;
        if (this.isSeparated()) break;
      }
      // Within a time both ends of the bracket count.
      const farthest = goal.distance || isTimed ? nearest.upper : goal.clearance;
      const most = leavesTies ? this.lowerOfNearest : farthest;
      const state = wideNearestResume(workspace.address, this.beyond(goal), most, Number(leavesTies), STEPS_A_LOOK);
      this.measure(goal);
      if (state === ENDED) break;
      if (isTimed && performance.now() >= goal.deadline && !this.isFound(goal)) {
        nearest.isComplete = false;
        break;
      }
    }
    return true;
  }

  /**
   * True if the trees meet, by the exact search for a first contact. Nothing else is left to find
   * once the lower end of the nearest pair's bracket is at most a quarter of its upper end. From 0
   * to the upper end is then only a third more than the bracket's width, which is that of rounding.
   */
  private hasContact(): boolean {
    const { doubles, kernels, workspace, a, b } = this;
    const [bounds, hulls, level] = doubles.subarray(FOUND + 1, FOUND + 4);
    kernels.functions.wideQuery(a.record, b.record, workspace.address, LEAST_CAPACITY);
    doubles[FOUND + 1] += bounds;
    doubles[FOUND + 2] += hulls;
    doubles[FOUND + 3] = Math.max(doubles[FOUND + 3], level);
    this.leastLower = 0;
    return doubles[FOUND] > 0;
  }

  /** True if nothing is pending and the nearest pair's plane proves that no other is nearer. */
  private isSeparated(): boolean {
    const { doubles, workspace, a, b } = this;
    const { wideNearestPlane } = this.kernels.functions;
    const gap = wideNearestPlane(workspace.address, a.vertices, b.vertices, this.lowerOfNearest);
    if (!(gap > 0)) return false;
    doubles[REST_OF_TRIANGLES] = Math.min(doubles[REST_OF_TRIANGLES], gap);
    this.words[STATE / 4] = 0;
    return true;
  }

  private reset(): void {
    const { nearest } = this;
    nearest.upper = Number.POSITIVE_INFINITY;
    nearest.measured = Number.POSITIVE_INFINITY;
    nearest.a = -1;
    nearest.b = -1;
    nearest.isComplete = true;
    this.measured = 0;
    this.inVain = 0;
    this.floats.fill(0, FIRST_NORMAL, FIRST_NORMAL + 3);
    this.doubles.fill(0, FIRST_BETWEEN, FIRST_BETWEEN + 6);
    this.lowerOfNearest = Number.POSITIVE_INFINITY;
    this.leastLower = Number.POSITIVE_INFINITY;
    this.left = Number.POSITIVE_INFINITY;
  }

  private beyond(goal: Goal): number {
    if (this.nearest.a < 0) return Number.POSITIVE_INFINITY;
    return goal.distance ? Math.min(this.nearest.upper, this.lowerOfNearest) : goal.clearance;
  }

  private isFound({ distance, clearance }: Goal): boolean {
    return this.nearest.upper === 0 || (!distance && this.nearest.measured <= clearance);
  }

  private measure(goal: Goal): void {
    const { doubles, floats, words, nearest } = this;
    const count = doubles[FOUND];
    for (let k = 0; k < count; k++) {
      const at = CONTACTS / 4 + CANDIDATE * k;
      const gap = floats[at + GAP / 4];
      if (this.isFound(goal) || (gap > 0 && gap > this.beyond(goal))) {
        if (gap < this.left) this.left = gap;
        continue;
      }
      const places = words[at + PLACES / 4];
      const ofA = FIRST_OF_A + TRIANGLE * (places >> 2);
      this.measured++;
      limit[0] = nearest.upper;
      triangleDistanceWithin(doubles, ofA, doubles, FIRST_OF_B + TRIANGLE * (places & 3), bracket, limit);
      if (bracket.lower < this.leastLower) this.leastLower = bracket.lower;
      this.inVain = bracket.upper < this.lowerOfNearest ? 0 : this.inVain + 1;
      if (bracket.upper === Number.POSITIVE_INFINITY) continue;
      if (bracket.lower === 0) for (let i = 0; i < 3; i++) along[i] = bracket.onB[i] - bracket.onA[i];
      for (let i = 0; i < 3; i++) doubles[FIRST_BETWEEN + 3 + i] = along[i];
      if (bracket.upper >= nearest.upper) continue;
      nearest.upper = bracket.upper;
      nearest.measured = bracket.upper;
      this.lowerOfNearest = bracket.lower;
      nearest.a = words[at];
      nearest.b = words[at + 1];
      this.placeA = words[FIRST_PLACES] + (places >> 2);
      this.placeB = words[FIRST_PLACES + 1] + (places & 3);
      nearest.onA.set(bracket.onA);
      nearest.onB.set(bracket.onB);
      this.aim();
    }
  }

  private aim(): void {
    for (let k = 0; k < 3; k++) {
      this.doubles[FIRST_BETWEEN + k] = along[k];
      let sum = 0;
      for (let i = 0; i < 3; i++) sum += this.doubles[FIRST_POSE + 4 * i + k] * along[i];
      normal[k] = sum;
    }
    // At most 1 long, also in float32.
    const length = Math.sqrt(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]);
    const scale = (1 - 2 ** -20) / length;
    const isLong = length > 0 && scale < 2 ** 100;
    for (let k = 0; k < 3; k++) this.floats[FIRST_NORMAL + k] = isLong ? normal[k] * scale : 0;
  }

  private leastPending(): number {
    let least = Number.POSITIVE_INFINITY;
    const end = (STACK + this.words[STATE / 4]) / 4;
    for (let at = (STACK + GAP) / 4; at < end; at += CANDIDATE) if (this.floats[at] < least) least = this.floats[at];
    return least;
  }
}

/**
 * Addresses of a placed tree's arrays (layout.as.ts) that change with its vertices or identify
 * them. Updates read and write them, too.
 */
export interface PlacedArrays {
  nodes: number;
  corners: number;
  positions: number;
}

export function placedArrays({ memory }: KernelMemory, record: number): PlacedArrays {
  const from = new DataView(memory.buffer, record, RECORD_BYTES);
  return {
    nodes: from.getUint32(NODES, true),
    corners: from.getUint32(CORNERS, true),
    positions: from.getUint32(POSITIONS, true),
  };
}

export function writePlacedNumbers(
  { memory }: KernelMemory,
  record: number,
  { origin, reach, localReach }: { origin: Float64Array; reach: number; localReach: number },
): void {
  const into = new DataView(memory.buffer, record, RECORD_BYTES);
  for (let k = 0; k < 3; k++) into.setFloat64(ORIGIN + 8 * k, origin[k], true);
  into.setFloat64(REACH, reach, true);
  into.setFloat64(LOCAL_REACH, localReach, true);
}

/** Copies the triangles' vertices in leaf order, so that a query reads adjacent memory. */
export function writeCorners(corners: Uint32Array, order: Uint32Array, triangles: Uint32Array): void {
  for (let i = 0; i < order.length; i++) {
    const t = 3 * order[i];
    corners[3 * i] = triangles[t];
    corners[3 * i + 1] = triangles[t + 1];
    corners[3 * i + 2] = triangles[t + 2];
  }
}
