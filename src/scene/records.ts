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

/** The file of an asset and its placement in a scene: enough to make it again. */
export interface Origin {
  file: string;
  /** The element of the file, and how the file was split. */
  element?: string;
  split?: Split;
  /** Its identifier in the program that made it: the GlobalId of IFC. */
  guid?: string;
  /** Its class, type, storey and materials in IFC. */
  ifc?: IfcFacts;
  /** The scene file. */
  scene?: string;
  /** The placement, as in the scene file. */
  placement?: PlacementModel;
  /** How the file was read: the length of `--weld`, and the tolerance of curves. */
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
  /** The asset's name, and the SHA-256 of the bytes from which it was made. */
  assetName?: string;
  sha256?: string | null;
  origin?: Origin | null;
}

/** An object of a scene to open. */
export interface SceneObjectGiven extends Omit<SceneObject, 'pose'> {
  /** 16, 12 or 7 numbers, as for `check`. Default: the asset's own coordinates. */
  pose?: ArrayLike<number>;
}

/** One of the two objects of a finding, with its file. */
export interface Party extends Partial<Omit<Origin, 'ifc'>> {
  name: string;
  ifc?: Omit<IfcFacts, 'kinds'>;
  /** Name of the asset, and the SHA-256 of its file, in hexadecimal; null if unknown. */
  asset: string | null;
  sha256: string | null;
  /** 16 numbers, row-major 4x4. */
  pose: number[];
}

/** Two objects of a scene that touch, are too close, or are undecided. */
export interface Finding {
  type: 'finding';
  /** The same in every run for the same rule and the same two names, in either order. */
  id: string;
  /** The rule's id; null if the scene has no rules. */
  rule: string | null;
  class: FindingClass;
  /** `a` has the name that sorts first. */
  a: Party;
  b: Party;
  /**
   * A point where the surfaces touch, or midway between their nearest points. If one is inside the
   * other: the center of a ball inside both. Null if unknown.
   */
  point: number[] | null;
  /** The intersection of both boxes, each widened by half of the largest clearance of all. */
  box: Bounds;
  /** The question, so that it can be repeated, and the program's version. */
  asked: { clearance: number; tolerance: number; touchGap: number; solid: SolidMode };
  tool: string;
  /** For solids, unless `solid` is off: see Solids. */
  inner?: 'a' | 'b' | null;
  closed?: [boolean, boolean];
  thickness?: Bracket | null;
  /** Why the class is that of surfaces, or why it is undecided. */
  reason?: string;
  /** With the option `distance`, and if `near`. `bracket` also if a primitive touches. */
  distance?: number | null;
  bracket?: Bracket | null;
  /** With `all` or `patches`, if the surfaces touch. */
  contacts?: Contacts;
}

/** Counts of a search for findings. */
export interface SceneSummary {
  type: 'summary';
  objects: number;
  /** Pairs of the rules; those that are apart by their boxes; those that were tested exactly. */
  pairs: number;
  apart: number;
  checked: number;
  /** Pairs not tested within the budget: `undecided`. */
  unasked: number;
  /** With a shard: its index and count, and the number of pairs in the others. */
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
  /** Pairs that no rule covers, if there are any. */
  uncovered?: number;
  /** The number of pairs of each rule and each allowance, if there are any. */
  rules?: { id: string; pairs: number }[];
  allow?: { a: string; b: string; reason: string | null; pairs: number }[];
  ms: { broad: number; narrow: number };
}

/** Options of a scene. Lengths are in the units of its assets. */
export interface SceneOptions {
  /** Objects up to this far apart are reported, too. */
  clearance?: number;
  /** How findings classify solids, as for `check`. Default: `auto`. */
  solid?: SolidMode;
  /** Overlaps up to this thickness are `touch`. Default: 0. */
  tolerance?: number;
  /** Gaps up to this length are `touch`, too. Default: 0. */
  touchGap?: number;
  /**
   * Precision of `thickness`: `off`, `coarse` (default: `upper` is at most 1.1 times `lower`) or
   * `fine`. Classes are the same.
   */
  depth?: Depth;
  rules?: Rules;
  /** Check objects with these names only against all others. */
  against?: ReadonlySet<string>;
  /** Surroundings: objects with these names are not checked against each other. */
  still?: ReadonlySet<string>;
  /** Check only pairs of one object of `a` and one of `b`: names of groups, or choices. */
  sides?: ChosenSides;
  /** Pairs that belong together in their file, such as a whole and its part. They may touch. */
  related?: readonly RelatedPair[];
  /** Names of objects that are missing. Patterns may match them. */
  absent?: readonly string[];
  /** Names of `absent` that were left out by an option. */
  excluded?: readonly string[];
  /** Facts of IFC about names of `absent` that are IFC elements. */
  absentIfc?: ReadonlyMap<string, IfcFacts>;
  /** Receives one line for a pattern without a match. Without it, that is an error. */
  onUnmatched?: (problem: string) => void;
}

/** Options of one search for findings. */
export interface FindingsOptions {
  /** True to report the distance of the two objects of each finding. */
  distance?: boolean;
  /** True to list every pair of touching triangles. */
  all?: boolean;
  /**
   * True to list these pairs and join them to `contacts.patches`, as `check` does. For assets of
   * triangles, unless the list was cut.
   */
  patches?: boolean;
  maxContacts?: number;
  /**
   * Time limit in milliseconds. Pairs that are not tested by then are `undecided`. The nearest
   * pairs are tested first, in this thread.
   */
  budget?: number;
  /**
   * Maximum number of threads, in Node: up to four times the number of processors. Default: one per
   * processor. 1: only this thread. Findings do not depend on it.
   */
  jobs?: number;
  /**
   * Test only this share of the pairs whose boxes meet. Shares are the same on every machine, and
   * of about equal cost. Together they have the findings of one call without shards. Not with a
   * budget.
   */
  shard?: Shard;
  /** Receives every finding, in the order of `findings`. A promise that it returns is awaited. */
  onFinding?: (finding: Finding) => unknown;
  /** Receives the part of the pairs tested so far, from 0 to 1. */
  onProgress?: (done: number) => void;
  signal?: AbortSignal;
}

/**
 * Poses by the names of objects. Or the poses of all objects in one array: sixteen numbers each, in
 * the order of `objects`, which are sorted by name.
 */
export type FramePoses = Readonly<Record<string, Pose | readonly number[]>> | Float64Array;

export interface StepsOptions {
  /**
   * A device from `openGpu`. It tests k-DOP trees of up to 16 bits. This thread tests all other
   * pairs, and those that the device cannot decide; with a clearance, it tests all pairs. Results
   * are the same.
   */
  device?: PoseDevice | undefined;
  /** Called once if the device fails. This thread then goes on alone. */
  onAlone?: (error: GpuError) => void;
  /**
   * True to find contacts between frames. Each frame except the first then has `impacts`: those
   * since the frame before. Not with a device.
   */
  continuous?: boolean;
  /**
   * With `continuous`: the motion from frame to frame, `screw` (default) or `straight`; see the
   * functions of these names.
   */
  between?: 'screw' | 'straight';
  /** With `straight`: the object's point that moves straight, in its frame. Default: its origin. */
  about?: (name: string) => readonly number[] | undefined;
  /** With `continuous`: the width of an impact's interval. Default: 2^-20. */
  timeResolution?: number;
}

/** The changes between two frames. */
export interface Frame {
  /** Pairs of names that began to touch, or to be too close; pairs that ended. */
  began: [string, string][];
  ended: [string, string][];
  /** With `continuous`, except in the first frame: impacts since the frame before, by name. */
  impacts?: FrameImpact[];
}

/**
 * Two objects that were clear in one frame and met before or in the next. They are apart until
 * `from`, and have `class` at `to`; both are parts of the step, from 0 to 1. `undecided`: apart
 * until `from`, then too close to decide.
 */
export interface FrameImpact extends Touching {
  from: number;
  to: number;
  /** True if the frame itself does not show it. */
  isMissed: boolean;
}

/** Two objects that touch, or are too close. */
export interface Touching {
  /** The name that sorts first. */
  a: string;
  b: string;
  class: SurfaceClass;
}

/** Objects that move, and the questions about all of their pairs. */
export interface Scene {
  readonly objects: readonly Required<SceneObject>[];
  /**
   * Returns pairs of objects that touch or are too close in their current poses, sorted by name.
   * Don't move objects before the findings arrive.
   */
  findings(options?: FindingsOptions): Promise<{ findings: Finding[]; summary: SceneSummary }>;
  /**
   * Moves objects, and returns the changes.
   *
   * @param poses by name; objects without one stay. Or the poses of all objects in the order of
   *   `objects`, sixteen numbers each, which is faster if most of them move
   * @throws OptionError for an unknown name, a wrong count of numbers, or an invalid pose
   */
  step(poses: FramePoses): Frame;
  /**
   * Steps through frames and yields the changes of each. `touching` then refers to that frame. With
   * a device, some hundreds of frames are read ahead, to test their pairs at once. Don't use the
   * scene for anything else until the last frame.
   *
   * @param frames poses, as for `step`
   * @throws OptionError as `step`, after the frames before it; GpuError if a device fails without
   *   `onAlone`
   */
  steps(frames: AsyncIterable<FramePoses> | Iterable<FramePoses>, options?: StepsOptions): AsyncGenerator<Frame, void>;
  /**
   * Returns all pairs that touch or are too close after the last step, or before the first one,
   * sorted by name.
   */
  touching(): Touching[];
}
