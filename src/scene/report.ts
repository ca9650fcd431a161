/** What a scene is made of and asked, and what it answers: the records that scripts and the library share. */
import type { GpuError } from '../math/errors.ts';
import type { Pose } from '../math/pose.ts';
import type { Shard } from '../math/shares.ts';
import type { PlacementModel } from '../motion/placement.ts';
import type { Bounds } from '../pair/bounds.ts';
import type { SolidMode } from '../pair/solids.ts';
import type { PoseDevice } from '../query/pose-device.ts';
import type { Bracket, Contacts } from '../query/report.ts';
import type { Asset } from '../query/representation.ts';
import type { Split } from '../readers/elements.ts';
import type { FindingClass, SurfaceClass } from './classes.ts';
import type { Rules } from './rules.ts';

/** The file that an asset was made of, and how a scene placed it: enough to make it again. */
export interface Origin {
  file: string;
  /** The element of the file, and how that was split. */
  element?: string;
  split?: Split;
  /** What its own program tells it by: the GlobalId of IFC. */
  guid?: string;
  /** The scene file that placed it. */
  scene?: string;
  /** How it did, as that says it. */
  placement?: PlacementModel;
  /** The unit of the file's lengths, and of the scene's, where one is known. */
  units?: { file: string | null; scene: string | null };
}

/** One object of a scene. */
export interface SceneObject {
  /** Of this object alone. */
  name: string;
  asset: Asset;
  /** Where it stands; at its asset's own coordinates unless given. */
  pose?: Pose;
  /** What its asset is called, and of which bytes it was made. */
  assetName?: string;
  sha256?: string | null;
  origin?: Origin | null;
}

/** What a finding says of one of its two objects; where that came from a file, from which. */
export interface Party extends Partial<Origin> {
  name: string;
  asset: string | null;
  sha256: string | null;
  pose: number[];
}

export interface Finding {
  type: 'finding';
  /** The same for the same two names and rule, in whatever order. */
  id: string;
  rule: string | null;
  class: FindingClass;
  /** The object with the lesser name. */
  a: Party;
  b: Party;
  /**
   * A point where the surfaces touch, or midway between their nearest points; of one inside the other
   * the middle of a ball inside both; null where none is known.
   */
  point: number[] | null;
  /** What the boxes of both have in common, each larger by half of the widest clearance of all. */
  box: Bounds;
  /** What was asked, so that it can be asked again, and by whom. */
  asked: { clearance: number; tolerance: number; touchGap: number; solid: SolidMode };
  tool: string;
  /** Of solids, unless nobody asks for them: see Solids. */
  inner?: 'a' | 'b' | null;
  closed?: [boolean, boolean];
  thickness?: Bracket | null;
  /** Where the class is that of surfaces: why. */
  reason?: string;
  /** With `distance`; the bracket also where a primitive touches. */
  distance?: number | null;
  bracket?: Bracket | null;
  /** With `all` or `patches`, where the surfaces touch. */
  contacts?: Contacts;
}

export interface SceneSummary {
  type: 'summary';
  objects: number;
  /** Pairs that were asked for; of these, told apart by their boxes, and asked exactly. */
  pairs: number;
  apart: number;
  checked: number;
  /** Left by a budget without having been asked: `undecided`. */
  unasked: number;
  /** Of a share: which, and how many pairs the others ask. */
  shard?: Shard & { others: number };
  /** Findings of each class. */
  overlap: number;
  inside: number;
  same: number;
  contact: number;
  touch: number;
  near: number;
  undecided: number;
  /** Left out since somebody allowed them. */
  allowed: number;
  /** Where there are some: how many pairs each rule and each allowance is of. */
  rules?: { id: string; pairs: number }[];
  allow?: { a: string; b: string; reason: string | null; pairs: number }[];
  ms: { broad: number; narrow: number };
}

export interface SceneOptions {
  /** Also what is closer than this, or as close. */
  clearance?: number;
  /** How findings speak of solids, as `check` has it; `auto` unless given. */
  solid?: SolidMode;
  tolerance?: number;
  touchGap?: number;
  rules?: Rules;
  /** Objects of these names against all others alone. */
  against?: ReadonlySet<string>;
  /** Objects of these names are not asked about each other: what stands about those that matter. */
  still?: ReadonlySet<string>;
  /** Names that the scene has and that are not here: a pattern may stand for these. */
  absent?: readonly string[];
  /** Is told of a pattern that matches nothing, one line, which otherwise is refused. */
  onUnmatched?: (problem: string) => void;
}

export interface FindingsOptions {
  /** Say how far apart the two of a finding are. */
  distance?: boolean;
  /** List every pair of touching triangles. */
  all?: boolean;
  /**
   * Likewise, and put these together to patches, as `check` does: `contacts.patches`, of assets made
   * of triangles, unless the list was cut.
   */
  patches?: boolean;
  maxContacts?: number;
  /**
   * Milliseconds after which no other pair is asked: nearest pairs are asked first, in this thread,
   * and the rest is `undecided`.
   */
  budget?: number;
  /**
   * Threads, in Node: as many as there are processors unless given, and at most four times as many;
   * 1 is this one alone. Findings do not depend on their number.
   */
  jobs?: number;
  /**
   * Ask this share alone of the pairs whose boxes meet. The same scene has the same shares on every
   * machine, of about equal cost, and all of them together find what one call without finds. Not with
   * a budget.
   */
  shard?: Shard;
  /** Is handed every finding, in the order of `findings`; what it promises is waited for. */
  onFinding?: (finding: Finding) => unknown;
  /** Told how much of the pairs has been asked, from 0 to 1. */
  onProgress?: (done: number) => void;
  signal?: AbortSignal;
}

/** Poses by the names of objects. */
export type FramePoses = Readonly<Record<string, Pose | readonly number[]>>;

export interface StepsOptions {
  /**
   * What `openGpu` gives tells which k-DOP trees of up to 16 bits touch, in place of this thread, which
   * does what it cannot decide, and all other pairs. Nothing is left to it where a clearance is asked
   * for. What is found is the same.
   */
  device?: PoseDevice | undefined;
  /** Hears, once, that the device has failed. This thread goes on alone then. */
  onAlone?: (error: GpuError) => void;
  /**
   * Find what frames miss: `impacts` of each frame but the first, of the way from the one before. Not
   * with a device.
   */
  continuous?: boolean;
  /**
   * With `continuous`: how objects go from frame to frame, by a `screw`, which is so unless given, or
   * `straight`; see the motions of these names.
   */
  between?: 'screw' | 'straight';
  /** With `straight`: the point of an object that moves straight, in its frame; its origin unless given. */
  about?: (name: string) => readonly number[] | undefined;
  /** With `continuous`: how close `from` and `to` of an impact come; 2^-20 unless given. */
  timeResolution?: number;
}

/** What has changed between two frames. */
export interface Frame {
  /** Pairs of names that touch now, or are too close, and did not before; and the other way round. */
  began: [string, string][];
  ended: [string, string][];
  /** With `continuous`, but for the first frame: who met on the way here, by their names. */
  impacts?: FrameImpact[];
}

/**
 * Two that met on the way to a frame, and were clear in the one before: apart until `from`, and at
 * `to` what `class` says, parts of the way from 0 to 1. `undecided`: apart until `from`, and then too
 * close to tell.
 */
export interface FrameImpact extends Touching {
  from: number;
  to: number;
  /** Whether the frame itself does not show it. */
  isMissed: boolean;
}

/** Two that touch, or are too close. */
export interface Touching {
  /** The lesser name. */
  a: string;
  b: string;
  class: SurfaceClass;
}

export interface Scene {
  readonly objects: readonly Required<SceneObject>[];
  /**
   * Pairs of objects that touch or come too close where they stand, by their names. Nothing may be
   * moved before they are there.
   */
  findings(options?: FindingsOptions): Promise<{ findings: Finding[]; summary: SceneSummary }>;
  /**
   * Moves objects, and says what has changed.
   *
   * @param poses by name; who is not named stays
   * @throws OptionError for a name that no object has, and for what is no pose
   */
  step(poses: FramePoses): Frame;
  /**
   * Steps from frame to frame, and gives what each has changed; `touching` then speaks of it. With a
   * device frames are taken ahead, some hundreds of them, so that their pairs are asked at once: until
   * the last is there, the scene is to be asked nothing else.
   *
   * @param frames poses by name, as `step` takes them
   * @throws OptionError as `step`, after the frames before it; GpuError where a device fails and
   *   nobody hears of it
   */
  steps(frames: AsyncIterable<FramePoses> | Iterable<FramePoses>, options?: StepsOptions): AsyncGenerator<Frame, void>;
  /** All that touched or came too close after the last step, or where they stood, sorted by their names. */
  touching(): Touching[];
}
