/**
 * The objects that each object may meet, while they move a little from frame to frame.
 *
 * Each object has a wide box: its box in the pose in which it was entered, widened by a margin.
 * Pairs whose wide boxes meet are neighbors, and no others can meet until one of them has left its
 * wide box. It is then entered anew, and its wide box is compared with all others. If many have
 * left, all are entered anew: by a tree of boxes, and in LiveChecker by a sweep, which is less
 * code. A LiveChecker of 20,000 takes 1.3 s to begin if all are entered one by one, and 0.2 s by a
 * sweep.
 *
 * When an object leaves its wide box. Let m and h be the middle and half the sizes of a box of the
 * object in its own frame. Let D and d be M and t less those of the pose in which it was entered. A
 * point m + q with |q_j| <= h_j has moved along axis k by at most
 *   |D_k m + d_k| + sum |D_kj| h_j
 * which is compared with the margin. Boxes are widened by 2^-40 of all lengths beyond that. This is
 * more than the rounding of both boxes, of that sum, and of moved vertices, whose errors are below
 * 2^-46 of these lengths (extent.ts).
 *
 * Tried: sweep and prune (J. Cohen, M. Lin, D. Manocha, M. Ponamgi, "I-COLLIDE", I3D 1995), which
 * keeps the ends of all boxes sorted. It takes 50 ns an object, however few of them have moved.
 */
import { hasFrame } from '../math/pose.ts';
import { BOX, type forOverlaps, meetingOf } from './broad-phase.ts';

/** Entering so many objects one by one takes as long as entering all by a tree. */
const ENTRIES_A_TREE = 800;
/** Frames that a margin should last; its least and largest part of half the object's size. */
const FRAMES = 8;
const LEAST = 1 / 32;
const MOST = 1 / 2;

/** Numbers of an object: 12 of its pose when it was entered, m, h, and the margin. */
const ROW = 19;
const MIDDLE = 12;
const MARGIN = 18;

interface Bodies {
  readonly objects: { readonly length: number };
  /** Sixteen numbers an object. */
  readonly poses: Float64Array;
  /** m and h of an object. */
  middleBox(i: number): Float64Array;
  /** Writes the box of an object in its pose to `out`, six numbers at `at`. */
  copyBox(i: number, out: Float64Array, at: number): void;
}

export class Neighbors {
  /** The neighbors of each object, in no order; a list ends at its count. */
  readonly lists: number[][];
  readonly counts: Uint32Array;
  private readonly wide: Float64Array;
  private readonly rows: Float64Array;
  private readonly enteredIn: Float64Array;
  private frame = 0;
  private readonly meeting: Uint32Array;
  private readonly left: number[] = [];
  private leftCount = 0;
  /** Objects entered one by one since all were. */
  private entries = 0;

  constructor(
    private readonly bodies: Bodies,
    private readonly findOverlaps: typeof forOverlaps,
  ) {
    const { length } = bodies.objects;
    this.lists = Array.from({ length }, () => []);
    this.counts = new Uint32Array(length);
    this.wide = new Float64Array(BOX * length);
    this.rows = new Float64Array(ROW * length);
    this.enteredIn = new Float64Array(length);
    this.meeting = new Uint32Array(length);
    this.enterAll();
  }

  /**
   * Returns true if an object is inside its wide box in the pose of sixteen numbers at `from`, and
   * has not turned since it was entered. The pose is rigid then.
   */
  holdsUnturned(i: number, poses: Float64Array, from: number): boolean {
    const { rows } = this;
    const at = ROW * i;
    const margin = rows[at + MARGIN];
    return (
      Math.abs(poses[from + 3] - rows[at + 3]) <= margin &&
      Math.abs(poses[from + 7] - rows[at + 7]) <= margin &&
      Math.abs(poses[from + 11] - rows[at + 11]) <= margin &&
      poses[from] === rows[at] &&
      poses[from + 1] === rows[at + 1] &&
      poses[from + 2] === rows[at + 2] &&
      poses[from + 4] === rows[at + 4] &&
      poses[from + 5] === rows[at + 5] &&
      poses[from + 6] === rows[at + 6] &&
      poses[from + 8] === rows[at + 8] &&
      poses[from + 9] === rows[at + 9] &&
      poses[from + 10] === rows[at + 10] &&
      hasFrame(poses, from)
    );
  }

  /** Returns true if an object is inside its wide box in the rigid pose at `from`. */
  holds(i: number, poses: Float64Array, from: number): boolean {
    if (this.holdsUnturned(i, poses, from)) return true;
    const { rows } = this;
    const at = ROW * i;
    const margin = rows[at + MARGIN];
    // A comparison with NaN fails.
    return (
      shiftAlong(0, poses, from, rows, at) <= margin &&
      shiftAlong(4, poses, from, rows, at) <= margin &&
      shiftAlong(8, poses, from, rows, at) <= margin
    );
  }

  /** Makes the next update enter an object. */
  leave(i: number): void {
    this.left[this.leftCount++] = i;
  }

  /** Enters the objects that have left; ends a frame. */
  update(): void {
    this.frame++;
    if (this.leftCount === 0) return;
    this.entries += this.leftCount;
    if (this.entries > ENTRIES_A_TREE) this.enterAll();
    else for (let n = 0; n < this.leftCount; n++) this.enter(this.left[n]);
    this.leftCount = 0;
  }

  private enterAll(): void {
    const { counts, lists, wide, bodies } = this;
    for (let i = 0; i < bodies.objects.length; i++) this.widen(i);
    counts.fill(0);
    this.findOverlaps(wide, (i, j) => {
      lists[i][counts[i]++] = j;
      lists[j][counts[j]++] = i;
    });
    this.entries = 0;
  }

  private enter(i: number): void {
    const { counts, lists, wide, meeting } = this;
    this.widen(i);
    for (let n = 0; n < counts[i]; n++) {
      const j = lists[i][n];
      const ofJ = lists[j];
      ofJ[ofJ.indexOf(i)] = ofJ[--counts[j]];
    }
    counts[i] = 0;
    const found = meetingOf(wide, i, meeting);
    for (let n = 0; n < found; n++) {
      const j = meeting[n];
      if (j === i) continue;
      lists[i][counts[i]++] = j;
      lists[j][counts[j]++] = i;
    }
  }

  /** Writes the wide box of an object in its pose. */
  private widen(i: number): void {
    const { rows, wide, bodies } = this;
    const { poses } = bodies;
    const from = 16 * i;
    const own = bodies.middleBox(i);
    const margin = this.marginOf(i, own);
    const at = ROW * i;
    for (let k = 0; k < 12; k++) rows[at + k] = poses[from + k];
    for (let k = 0; k < BOX; k++) rows[at + MIDDLE + k] = own[k];
    rows[at + MARGIN] = margin;
    this.enteredIn[i] = this.frame;
    bodies.copyBox(i, wide, BOX * i);
    let lengths = margin + Math.abs(poses[from + 3]) + Math.abs(poses[from + 7]) + Math.abs(poses[from + 11]);
    for (let k = 0; k < BOX; k++) lengths += Math.abs(own[k]) + Math.abs(wide[BOX * i + k]);
    const wider = margin + 2 ** -40 * lengths + 2 ** -900;
    for (let k = BOX * i; k < BOX * i + 3; k++) {
      wide[k] -= wider;
      wide[k + 3] += wider;
    }
  }

  /** The farthest that a point of the object has moved along an axis, at most. */
  private shiftOf(i: number): number {
    const { rows, bodies } = this;
    const along = (k: number): number => shiftAlong(k, bodies.poses, 16 * i, rows, ROW * i);
    return Math.max(along(0), along(4), along(8));
  }

  private marginOf(i: number, own: Float64Array): number {
    const size = Math.max(own[3], own[4], own[5]);
    const frames = this.frame - this.enteredIn[i];
    const speed = frames > 0 ? this.shiftOf(i) / frames : 0;
    const margin = Math.min(MOST * size, Math.max(LEAST * size, FRAMES * speed));
    // Without a margin an object leaves at once.
    return margin < Number.POSITIVE_INFINITY ? margin : 0;
  }
}

/** How far a point of an object has moved along axis k / 4, at most: the formula above. */
function shiftAlong(k: number, poses: Float64Array, from: number, rows: Float64Array, at: number): number {
  const x = poses[from + k] - rows[at + k];
  const y = poses[from + k + 1] - rows[at + k + 1];
  const z = poses[from + k + 2] - rows[at + k + 2];
  const shift = x * rows[at + 12] + y * rows[at + 13] + z * rows[at + 14] + (poses[from + k + 3] - rows[at + k + 3]);
  return Math.abs(shift) + (Math.abs(x) * rows[at + 15] + Math.abs(y) * rows[at + 16] + Math.abs(z) * rows[at + 17]);
}
