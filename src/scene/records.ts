/** The records of a scene: objects, options, findings, frames. */
import type { GpuError } from '../base/errors.ts';
import type { Shard } from '../base/shares.ts';
import type { Bounds } from '../engine/bounds.ts';
import type { Depth, SolidMode } from '../engine/options.ts';
import type { PoseDevice } from '../engine/pose-device.ts';
import type { Bracket, Contacts } from '../engine/records.ts';
import type { Asset } from '../engine/representation.ts';
import type { Pose } from '../math/pose.ts';
import type { PlacementModel } from '../motion/placement.ts';
import type { Split } from '../readers/elements.ts';
import type { IfcFacts } from '../readers/mesh-file.ts';
import type { FindingClass, SurfaceClass } from './classes.ts';
import type { ChosenSides, RelatedPair, Rules } from './rules.ts';

/** An asset's file and its placement by a scene: enough to make it again. */
export interface Origin {
  file: string;
  /** The element of the file, and how the file was split. */
  element?: string;
  split?: Split;
  /** Its identifier in the authoring program: the GlobalId of IFC. */
  guid?: string;
  /** What IFC says about it. */
  ifc?: IfcFacts;
  /** The scene file. */
  scene?: string;
  /** The placement, as in the scene file. */
  placement?: PlacementModel;
  /** How the file was read: vertices that are closer were joined; the tolerance of curves. */
  weld?: number;
  chordTolerance?: string;
  /** The unit of the file's lengths and that of the scene's, if known. */
  units?: { file: string | null; scene: string | null };
}

/** One object of a scene. */
export interface SceneObject {
  /** Unique in the scene. */
  name: string;
  asset: Asset;
  /** Default: the asset's own coordinates. */
  pose?: Pose;
  /** The asset's name, and the digest of the bytes it was made from. */
  assetName?: string;
  sha256?: string | null;
  origin?: Origin | null;
}

/** An object of a scene to open. */
export interface SceneObjectGiven extends Omit<SceneObject, 'pose'> {
  /** 16, 12 or 7 numbers, as for `check`. Default: the asset's own coordinates. */
  pose?: ArrayLike<number>;
}

/** One of the two objects of a finding, with the file that it is from. */
export interface Party extends Partial<Omit<Origin, 'ifc'>> {
  name: string;
  ifc?: Omit<IfcFacts, 'kinds'>;
  asset: string | null;
  sha256: string | null;
  pose: number[];
}

export interface Finding {
  type: 'finding';
  /** The same for the same two names and rule, in either order. */
  id: string;
  rule: string | null;
  class: FindingClass;
  /** `a` has the lesser name. */
  a: Party;
  b: Party;
  /**
   * A point where the surfaces touch, or midway between their nearest points. If one is inside the
   * other: the center of a ball inside both. Null if unknown.
   */
  point: number[] | null;
  /** The intersection of both boxes, each widened by half of the widest clearance of all. */
  box: Bounds;
  /** The question, for repeating it, and the program's version. */
  asked: { clearance: number; tolerance: number; touchGap: number; solid: SolidMode };
  tool: string;
  /** For solids, unless `solid` is off: see Solids. */
  inner?: 'a' | 'b' | null;
  closed?: [boolean, boolean];
  thickness?: Bracket | null;
  /** Why the class is that of surfaces, if it is. */
  reason?: string;
  /** With `distance`; the bracket also if a primitive touches. */
  distance?: number | null;
  bracket?: Bracket | null;
  /** With `all` or `patches`, if the surfaces touch. */
  contacts?: Contacts;
}

export interface SceneSummary {
  type: 'summary';
  objects: number;
  /** Pairs covered by the rules; of these, separated by their boxes, and tested exactly. */
  pairs: number;
  apart: number;
  checked: number;
  /** Pairs not tested within the budget: `undecided`. */
  unasked: number;
  /** With a shard: which one, and the number of pairs in the others. */
  shard?: Shard & { others: number };
  /** Findings of each class. */
  overlap: number;
  inside: number;
  same: number;
  contact: number;
  touch: number;
  near: number;
  undecided: number;
  /** Objects that bound no solid, unless `solid` is off. */
  open?: number;
  /** Pairs left out by allowances. */
  allowed: number;
  /** The number of pairs of each rule and each allowance, if there are any. */
  rules?: { id: string; pairs: number }[];
  allow?: { a: string; b: string; reason: string | null; pairs: number }[];
  ms: { broad: number; narrow: number };
}

export interface SceneOptions {
  /** Objects no farther apart than this length are reported, too. */
  clearance?: number;
  /** How findings classify solids, as for `check`. Default: `auto`. */
  solid?: SolidMode;
  tolerance?: number;
  touchGap?: number;
  /**
   * How finely findings measure `thickness`: `off`, `coarse` (default: `upper` is at most 1.1 times
   * `lower`) or `fine`. Classes are the same.
   */
  depth?: Depth;
  rules?: Rules;
  /** Check objects of these names only against all others. */
  against?: ReadonlySet<string>;
  /** Surroundings: objects of these names are not checked against each other. */
  still?: ReadonlySet<string>;
  /** Check only pairs of one object of `a` and one of `b`, which are names of groups or choices. */
  sides?: ChosenSides;
  /** Pairs that belong together by their file, such as a whole and its part; they are allowed. */
  related?: readonly RelatedPair[];
  /** Names of missing objects, which patterns may match. */
  absent?: readonly string[];
  /** Those of `absent` that are left out on demand. */
  excluded?: readonly string[];
  /** What IFC says about those of them that are its elements. */
  absentIfc?: ReadonlyMap<string, IfcFacts>;
  /** Receives a pattern that matches nothing, one line, which is an error otherwise. */
  onUnmatched?: (problem: string) => void;
}

export interface FindingsOptions {
  /** True to report how far apart the two of a finding are. */
  distance?: boolean;
  /** True to list every pair of touching triangles. */
  all?: boolean;
  /**
   * True to list them and join them to patches, as `check` does: `contacts.patches`, for assets of
   * triangles, unless the list was cut.
   */
  patches?: boolean;
  maxContacts?: number;
  /**
   * Milliseconds, after which the rest is `undecided`. Nearest pairs are tested first, in this
   * thread.
   */
  budget?: number;
  /**
   * Threads, in Node, up to four times the processors. Default: one per processor. 1: this thread
   * alone. Findings do not depend on it.
   */
  jobs?: number;
  /**
   * Test only this share of the pairs whose boxes meet. Shares are the same on every machine and of
   * about equal cost; together they find what one call without them finds. Not with a budget.
   */
  shard?: Shard;
  /** Receives every finding, in the order of `findings`; a promise that it returns is awaited. */
  onFinding?: (finding: Finding) => unknown;
  /** Receives the part of the pairs tested so far, from 0 to 1. */
  onProgress?: (done: number) => void;
  signal?: AbortSignal;
}

/**
 * Poses by the names of objects; or the poses of all objects in one array, sixteen numbers each, in
 * the order of `objects`, which are sorted by name.
 */
export type FramePoses = Readonly<Record<string, Pose | readonly number[]>> | Float64Array;

export interface StepsOptions {
  /**
   * A device from `openGpu`, which tests k-DOP trees of up to 16 bits. This thread tests the pairs
   * that it cannot decide, and all others; with a clearance it tests all. Results are the same.
   */
  device?: PoseDevice | undefined;
  /** Called once if the device fails. This thread then goes on alone. */
  onAlone?: (error: GpuError) => void;
  /**
   * True to find contacts between frames: `impacts` of each frame but the first, since the one
   * before. Not with a device.
   */
  continuous?: boolean;
  /**
   * With `continuous`: the motion from frame to frame, `screw` (default) or `straight`; see the
   * functions of these names.
   */
  between?: 'screw' | 'straight';
  /**
   * With `straight`: the point of an object that moves straight, in its frame. Default: its origin.
   */
  about?: (name: string) => readonly number[] | undefined;
  /** With `continuous`: the width of an impact's interval. Default: 2^-20. */
  timeResolution?: number;
}

/** The changes between two frames. */
export interface Frame {
  /** Pairs of names that touch now, or are too close, and did not before; and the reverse. */
  began: [string, string][];
  ended: [string, string][];
  /** With `continuous`, but for the first frame: impacts since the frame before, by name. */
  impacts?: FrameImpact[];
}

/**
 * Two objects that met on the way to a frame, and were clear in the one before. They are apart
 * until `from`, and of `class` at `to`, parts of the way from 0 to 1. `undecided`: apart until
 * `from`, and then too close to decide.
 */
export interface FrameImpact extends Touching {
  from: number;
  to: number;
  /** True if the frame itself does not show it. */
  isMissed: boolean;
}

/** Two objects that touch, or are too close. */
export interface Touching {
  /** The lesser name. */
  a: string;
  b: string;
  class: SurfaceClass;
}

export interface Scene {
  readonly objects: readonly Required<SceneObject>[];
  /**
   * Returns pairs of objects that touch or come too close in their current poses, by name. Don't
   * move objects before the findings arrive.
   */
  findings(options?: FindingsOptions): Promise<{ findings: Finding[]; summary: SceneSummary }>;
  /**
   * Moves objects, and returns the changes.
   *
   * @param poses by name, and objects without one stay; or of all objects in the order of
   *   `objects`, sixteen numbers each, which is faster if most of them move
   * @throws OptionError for an unknown name, another count of numbers, and an invalid pose
   */
  step(poses: FramePoses): Frame;
  /**
   * Steps through frames and yields the changes of each; `touching` then refers to it. With a
   * device some hundreds of frames are taken ahead, to test their pairs at once. Ask the scene
   * nothing else until the last one.
   *
   * @param frames poses, as for `step`
   * @throws OptionError as `step`, after the frames before it; GpuError if a device fails and there
   *   is no `onAlone`
   */
  steps(frames: AsyncIterable<FramePoses> | Iterable<FramePoses>, options?: StepsOptions): AsyncGenerator<Frame, void>;
  /**
   * Returns all pairs that touched or came too close after the last step, or at first, sorted by
   * name.
   */
  touching(): Touching[];
}
