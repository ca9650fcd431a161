/**
 * Measures the nearest triangles of two wide OBB trees, which nearest.as.ts finds.
 *
 * Distances come from geometry/triangle-distance.ts, with corners moved in doubles by each tree's
 * pose. So a bracket is as safe and as narrow as that of the common path.
 */
import type { DistanceBracket } from '../../../geometry/triangle-distance.ts';
import { triangleDistanceWithin } from '../../../geometry/triangle-distance.ts';
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
import type { Kernels } from '../../../kernels/memory.ts';
import type { Pose } from '../../../math/pose.ts';
import { type Goal, type Nearest, nothingMeasured } from '../../../query/nearest.ts';
import { type Workspace, writePoses } from '../../../query/pair-kernel.ts';
import { CANDIDATE_BYTES, CORNERS_OF_A, CORNERS_OF_B, GAP, LEFT, NORMAL, PLACES } from './layout.as.ts';

/** Steps of the kernel, some 100 ns each, between readings of the clock. */
const STEPS_A_LOOK = 512;
/**
 * Most pairs of triangles to measure. With more equally near ones, as in two fans apex to apex, a
 * plane of the common path separates them.
 */
const MOST_PAIRS = 2 ** 13;

const FOUND = RESULT / 8;
const LEFT_OUT = (RESULT + LEFT) / 4;
const FIRST_OF_A = (STEP + CORNERS_OF_A) / 8;
const FIRST_OF_B = (STEP + CORNERS_OF_B) / 8;
const TRIANGLE = 9;
const FIRST_NORMAL = (STEP + NORMAL) / 4;
const CANDIDATE = CANDIDATE_BYTES / 4;
const FIRST_POSE = POSE_A / 8;

const normal = new Float64Array(3);
const limit = new Float64Array(1);
const bracket: DistanceBracket = { lower: 0, upper: 0, onA: new Float64Array(3), onB: new Float64Array(3) };

export class NearestTriangles {
  private readonly doubles: Float64Array;
  private readonly floats: Float32Array;
  private readonly words: Uint32Array;
  private readonly nearest: Nearest = nothingMeasured();
  /** Lower bounds of the nearest pair, of all measured ones, and of all left out. */
  private lowerOfNearest = 0;
  private leastLower = 0;
  private left = 0;

  constructor(
    private readonly recordA: number,
    private readonly recordB: number,
    private readonly kernels: Kernels,
    private readonly workspace: Workspace,
  ) {
    const { buffer } = kernels.memory;
    this.doubles = new Float64Array(buffer, workspace.address, WORKSPACE_BYTES / 8);
    this.floats = new Float32Array(buffer, workspace.address, WORKSPACE_BYTES / 4);
    this.words = new Uint32Array(buffer, workspace.address, WORKSPACE_BYTES / 4);
  }

  find(poseA: Pose, poseB: Pose, goal: Goal): Nearest | undefined {
    if (!writePoses(this.workspace, poseA, poseB)) return undefined;
    const { nearest, recordA, recordB } = this;
    const { wideNearest, wideNearestResume } = this.kernels.functions;
    const { address } = this.workspace;
    this.reset();
    let state = wideNearest(recordA, recordB, address, Number.POSITIVE_INFINITY, STEPS_A_LOOK);
    if (state === UNSUITED) return undefined;
    for (;;) {
      this.measure(goal);
      if (state === ENDED || this.isFound(goal)) break;
      const isTimed = goal.deadline < Number.POSITIVE_INFINITY;
      if (!isTimed && nearest.tests.hulls > MOST_PAIRS) return undefined;
      if (isTimed && performance.now() >= goal.deadline) {
        nearest.isComplete = false;
        break;
      }
      state = wideNearestResume(address, this.beyond(goal), STEPS_A_LOOK);
    }
    const remaining = Math.max(0, Math.min(this.left, this.floats[LEFT_OUT], this.leastPending()));
    nearest.lower = Math.min(this.leastLower, remaining, nearest.upper);
    nearest.isApart = remaining > 0 && nearest.upper > 0;
    nearest.level = this.doubles[FOUND + 3];
    nearest.tests.bounds = this.doubles[FOUND + 1];
    return nearest;
  }

  private reset(): void {
    const { nearest } = this;
    nearest.upper = Number.POSITIVE_INFINITY;
    nearest.measured = Number.POSITIVE_INFINITY;
    nearest.a = -1;
    nearest.b = -1;
    nearest.isComplete = true;
    nearest.tests.hulls = 0;
    this.floats.fill(0, FIRST_NORMAL, FIRST_NORMAL + 3);
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
      nearest.tests.hulls++;
      limit[0] = nearest.upper;
      triangleDistanceWithin(doubles, ofA, doubles, FIRST_OF_B + TRIANGLE * (places & 3), bracket, limit);
      if (bracket.lower < this.leastLower) this.leastLower = bracket.lower;
      if (bracket.upper >= nearest.upper) continue;
      nearest.upper = bracket.upper;
      nearest.measured = bracket.upper;
      this.lowerOfNearest = bracket.lower;
      nearest.a = words[at];
      nearest.b = words[at + 1];
      nearest.onA.set(bracket.onA);
      nearest.onB.set(bracket.onB);
      this.aim();
    }
  }

  private aim(): void {
    const { onA, onB } = this.nearest;
    for (let k = 0; k < 3; k++) {
      let along = 0;
      for (let i = 0; i < 3; i++) along += this.doubles[FIRST_POSE + 4 * i + k] * (onB[i] - onA[i]);
      normal[k] = along;
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
