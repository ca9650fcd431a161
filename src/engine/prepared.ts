/**
 * Questions about two assets; every answer comes from here.
 *
 * After many questions a pair is placed for a kernel, which takes as long as dozens of queries.
 * Their number alone decides when, so the same questions get the same engines on any machine.
 */
import { OptionError } from '../base/errors.ts';
import { printable } from '../base/printable.ts';
import { requireDoubles, requireOptionTypes, requireThat } from '../base/require.ts';
import { LEFT_OVER } from '../kernels/layout.as.ts';
import { copyPose, isRigid, type Pose, requirePose, rigidPose, UNMOVED } from '../math/pose.ts';
import { representationOf } from '../representations/kinds.ts';
import { changesSoFar, hasChangedSince, hold } from './asset-cache.ts';
import { answerOf, answerOfStored } from './ladder.ts';
import { witnessOf } from './narrow-phase.ts';
import { answerOnDevice } from './on-device.ts';
import { isOfTriangles, operandOf, requireTriangles } from './operand.ts';
import {
  type CheckOptions,
  type Question,
  questionOf,
  requireClearance,
  type SolidClassifier,
  type SolidQuestion,
} from './options.ts';
import type { PoseDevice } from './pose-device.ts';
import {
  areKdops,
  kernelOf,
  nearestKernelOf,
  ownKernel,
  trianglesOfWide,
  trianglesToBuild,
} from './prepared-kernel.ts';
import type { Goal, Nearest, Outcome, Query, Report, Solids, Verdict } from './records.ts';
import { requireNoCheck, whileAsking } from './reentrancy-guard.ts';
import { type Answer, addTolerances, reportOf } from './report.ts';
import type { Asset, PairKernel } from './representation.ts';
import type { Operand } from './traverse.ts';
import { requireSameUnits } from './units.ts';

/** Two assets, ready for questions. */
export interface Pair {
  /**
   * Answers as `check` does.
   *
   * @throws OptionError as `check` does
   */
  report(options?: CheckOptions): Report;
  /**
   * Returns whether the two touch, exactly as `report` answers. If `isFast`, nothing is allocated.
   *
   * @param poseB rigid: 16, 12 or 7 numbers, as for `check`; read before the call returns, not kept
   * @param poseA the pose of a; its own coordinates by default
   * @throws OptionError for an invalid pose, and within `onContact`
   */
  verdict(poseB: ArrayLike<number>, poseA?: ArrayLike<number>): Verdict;
  /**
   * Returns `verdict` as a boolean.
   *
   * @throws OptionError as `verdict`; and if the answer is `undecided`, which only F-reps give
   */
  contact(poseB: ArrayLike<number>, poseA?: ArrayLike<number>): boolean;
  /**
   * Returns the least distance of the two surfaces, 0 if they touch: the upper end of the bracket
   * that `report` gives, whose width is a few roundings. Null if it is not known to the last
   * digits, which only F-reps give. After enough questions it allocates hardly more than the
   * number.
   *
   * @throws OptionError as `verdict`
   */
  distance(poseB: ArrayLike<number>, poseA?: ArrayLike<number>): number | null;
  /**
   * Returns `verdict` for a clearance: 'contact' includes surfaces no farther apart than this
   * length; 'undecided' is within the rounding of distances.
   *
   * @throws OptionError as `verdict`, and if it is not a length from 0 to 1e150
   */
  clearance(poseB: ArrayLike<number>, length: number, poseA?: ArrayLike<number>): Verdict;
  /**
   * Returns `verdict` for many poses of b in a's frame. In Node it uses all processors if that is
   * faster.
   *
   * @param poses 16 numbers each, row-major 4x4, rigid; leave them unchanged until the answers
   *   arrive
   * @param options `device` from `openGpu` answers two k-DOP trees of up to 16 bits; the processors
   *   answer the poses that it cannot decide, and all other pairs
   * @returns a number each: 0 clear, 1 contact, 2 undecided; see VERDICTS
   * @throws OptionError for an invalid pose, before anything is checked; GpuError if a device fails
   */
  verdicts(poses: Float64Array, options?: ManyPosesOptions): Promise<Uint8Array>;
  /** True if `verdict` runs in WebAssembly from now on and allocates nothing. */
  readonly isFast: boolean;
  /** Releases prepared data; you can go on asking. */
  close(): void;
}

export interface PairOptions {
  /**
   * The expected number of questions: one engine answers all, and a kernel is placed at once if
   * that is worth the time. By default the pair decides after some dozens of questions.
   */
  questions?: number;
}

/** Names of the numbers that `verdicts` returns. */
export const VERDICTS: readonly Verdict[] = ['clear', 'contact', 'undecided'];

export interface ManyPosesOptions {
  jobs?: number;
  device?: PoseDevice | undefined;
}

type AnswerPoses = (a: Asset, b: Asset, poses: Float64Array, options?: ManyPosesOptions) => Promise<Uint8Array>;

/**
 * See index.ts; this thread computes `verdicts`. Without a number of questions, the same two assets
 * always give the same pair.
 */
export const openPair = (a: Asset, b: Asset, options?: PairOptions): Pair =>
  options === undefined
    ? (memoryOf(a, b).pair ??= createPair(a, b, {}, answerHere))
    : createPair(a, b, options, answerHere);

/** See api.ts; `solid`, `contactPoints` and `patches` need what answers them among the options. */
export function check(a: Asset, b: Asset, options: CheckOptions = {}): Report {
  const memory = memoryOf(a, b);
  requireSameUnits(representationOf(a).units(a), representationOf(b).units(b));
  memory.asked++;
  return reportOn(memory, a, b, options);
}

/** A pair of assets, prepared for any number of poses. */
export type Checker = Pick<Pair, 'contact' | 'verdict' | 'distance' | 'clearance' | 'isFast'>;

/**
 * Prepares two assets for many queries: everything independent of the poses is done here, once.
 * Cubes and F-reps are checked as `check` does. For other kinds it may build trees, once in an
 * asset's lifetime, which takes microseconds a triangle.
 *
 * @throws OptionError for assets whose recorded units differ, and if only one records its unit
 * @example const checker = prepare(bunny, blob);
 *          const pose = translation(2, 0, 0);
 *          checker.contact(pose) // false
 *          pose[3] = 0.4;
 *          checker.contact(pose) // true: the same array, moved
 *          checker.distance(pose) // 0
 */
export function prepare(a: Asset, b: Asset, ...others: never[]): Checker {
  const [options = {}] = others;
  for (const name in options as object)
    throw new OptionError(`${printable(name)}: prepare has no options; poses and lengths are arguments of the checker`);
  return openPair(a, b, { questions: Number.POSITIVE_INFINITY });
}

/** Questions about one kind before a kernel, which takes as long as some dozens to prepare. */
const PATIENCE = 32;
/**
 * Triangles of wide trees, 2.4 us each, that are built in the time of a question that they save: a
 * question to the kind's own search, and one to the common engine.
 */
const TRIANGLES_A_SEARCH = 16;
const TRIANGLES_A_MIXTURE = 64;
/** Hasty trees of k-DOP trees take 0.8 us a triangle, and save at least 85 us a question. */
const TRIANGLES_A_KDOP = 1024;
const MOST_PATIENCE = 4096;
/** The same for the nearest triangles, whose questions take ten times as long. */
const PATIENCE_FOR_NEAREST = 8;
const TRIANGLES_A_NEAREST = 512;

class Memory {
  asked = 0;
  pair: Pair | undefined;
  /** Null if there is none; undefined before the search for it. */
  placed: PairKernel | null | undefined;
  /** Questions before the kernel; undefined until needed. */
  private patience: number | undefined;
  private placedForNearest: PairKernel | null | undefined;
  private patienceForNearest: number | undefined;
  private placedForSources: PairKernel['nearest'] | null;
  /** State of the last replacement pair, if the number of questions is known. */
  private instead: Memory | undefined;
  private changes = changesSoFar();

  constructor(
    private readonly a: Asset,
    private readonly b: Asset,
    private readonly questions?: number,
  ) {
    this.place();
  }

  private place(): void {
    const { a, b, questions } = this;
    this.placed = questions === undefined ? undefined : paysFor(questions, a, b) ? (kernelOf(a, b) ?? null) : null;
  }

  renew(): void {
    const known = this.changes;
    if (known === changesSoFar()) return;
    this.changes = changesSoFar();
    if (!hasChangedSince(this.a, known) && !hasChangedSince(this.b, known)) return;
    this.placedForNearest = undefined;
    this.placedForSources = undefined;
    this.instead = undefined;
    this.place();
  }

  kernel(): PairKernel | undefined {
    this.renew();
    if (this.placed === undefined) {
      if (this.asked <= PATIENCE) return undefined;
      this.patience ??= patienceOf(this.a, this.b);
      if (this.asked <= this.patience) return undefined;
      this.placed = kernelOf(this.a, this.b) ?? null;
    }
    return this.placed ?? undefined;
  }

  nearestKernel(): PairKernel | undefined {
    this.renew();
    if (this.placedForNearest === undefined) {
      const asked = this.questions ?? this.asked;
      if (asked <= PATIENCE_FOR_NEAREST) return undefined;
      this.patienceForNearest ??= patienceForNearest(this.a, this.b);
      if (asked <= this.patienceForNearest) return undefined;
      this.placedForNearest = nearestKernelOf(this.a, this.b) ?? null;
    }
    return this.placedForNearest ?? undefined;
  }

  nearestSources(atOnce: boolean): PairKernel['nearest'] {
    this.renew();
    if (this.placedForSources === undefined) {
      if (!atOnce && (this.questions ?? this.asked) <= PATIENCE) return undefined;
      const { a, b } = this;
      const isOneKind = a.representation === b.representation;
      this.placedForSources = (isOneKind && representationOf(a).kernel?.nearestSources?.(a, b)) || null;
    }
    return this.placedForSources ?? undefined;
  }

  /** Subsampled images have their own state. */
  ofAsked(a: Asset, b: Asset): Memory {
    this.renew();
    if (a === this.a && b === this.b) return this;
    if (this.questions === undefined) {
      const memory = memoryOf(a, b);
      memory.asked++;
      return memory;
    }
    if (this.instead?.a !== a || this.instead.b !== b) this.instead = new Memory(a, b, this.questions);
    return this.instead;
  }

  forget(): void {
    this.placed = undefined;
    this.placedForNearest = undefined;
    this.placedForSources = undefined;
    this.instead = undefined;
    this.asked = 0;
  }
}

/** State of pairs without a number of questions; it notices changes of its assets itself. */
const memories = new WeakMap<Asset, WeakMap<Asset, Memory>>();

function memoryOf(a: Asset, b: Asset): Memory {
  let ofA = memories.get(a);
  if (!ofA) {
    requireAsset(a, 'a');
    ofA = new WeakMap();
    memories.set(a, ofA);
  }
  let memory = ofA.get(b);
  if (!memory) {
    requireAsset(b, 'b');
    memory = new Memory(a, b);
    ofA.set(b, memory);
  }
  return memory;
}

function requireAsset(asset: Asset, what: string): void {
  representationOf(asset, what);
  requireThat(
    !('isOnDemand' in asset),
    what,
    'an asset from build or read (an opened image has a method check)',
    asset,
  );
}

/** With as many questions as preparing a kernel takes, the total is at most twice the best one. */
function patienceOf(a: Asset, b: Asset): number {
  if (!isOfTriangles(a) || !isOfTriangles(b)) return Number.POSITIVE_INFINITY;
  if (ownKernel(a, b)) return PATIENCE;
  const isOneKind = a.representation === b.representation;
  const perQuestion = areKdops(a, b) ? TRIANGLES_A_KDOP : isOneKind ? TRIANGLES_A_SEARCH : TRIANGLES_A_MIXTURE;
  return Math.min(MOST_PATIENCE, PATIENCE + (trianglesToBuild(a, b) + trianglesToBuild(b, a)) / perQuestion);
}

function patienceForNearest(a: Asset, b: Asset): number {
  if (!isOfTriangles(a) || !isOfTriangles(b)) return Number.POSITIVE_INFINITY;
  const triangles = trianglesOfWide(a) + trianglesOfWide(b);
  return Math.min(MOST_PATIENCE, PATIENCE_FOR_NEAREST + triangles / TRIANGLES_A_NEAREST);
}

const paysFor = (questions: number, a: Asset, b: Asset): boolean =>
  questions > MOST_PATIENCE || (questions > PATIENCE && questions > patienceOf(a, b));

const DISTANCE: Goal = { distance: true, clearance: 0, deadline: Number.POSITIVE_INFINITY, follows: true };
const CLEARANCE: Goal = { ...DISTANCE, distance: false };

const neverAsked: AnswerPoses = () => {
  throw new Error('a pair without verdicts');
};

/** @param answerPoses computes `verdicts`, for pairs that a caller is handed */
export function createPair(a: Asset, b: Asset, options: PairOptions = {}, answerPoses = neverAsked): Pair {
  requireOptionTypes(options, { questions: 'number' });
  const { questions } = options;
  requireSameUnits(representationOf(a, 'a').units(a), representationOf(b, 'b').units(b));
  requireThat(questions === undefined || questions >= 0, 'questions', 'a number from 0', questions);
  return pairOf(questions === undefined ? memoryOf(a, b) : new Memory(a, b, questions), a, b, answerPoses);
}

function pairOf(memory: Memory, a: Asset, b: Asset, answerPoses: AnswerPoses): Pair {
  const verdict = (placeB: ArrayLike<number>, placeA: ArrayLike<number> = UNMOVED): Verdict => {
    requireNoCheck();
    const poseB = sixteenDoubles(placeB, 'pose of b');
    const poseA = placeA === UNMOVED ? UNMOVED : sixteenDoubles(placeA, 'pose of a');
    memory.asked++;
    const kernel = memory.kernel();
    return kernel ? kernel.verdict(poseA, poseB) : reportOn(memory, a, b, { poseA, poseB }).verdict;
  };
  const nearest = (placeB: ArrayLike<number>, placeA: ArrayLike<number>, goal: Goal): Nearest | undefined => {
    requireNoCheck();
    const poseB = rigidPose(placeB, 'pose of b');
    const poseA = placeA === UNMOVED ? UNMOVED : rigidPose(placeA, 'pose of a');
    memory.asked++;
    return memory.nearestKernel()?.nearest?.(poseA, poseB, goal);
  };
  return {
    report: (options = {}) => {
      memory.asked++;
      return reportOn(memory, a, b, options);
    },
    verdict,
    contact(poseB, poseA = UNMOVED) {
      const answer = verdict(poseB, poseA);
      if (answer === 'undecided')
        throw new OptionError('contact: the two come closer than can be resolved; use verdict');
      return answer === 'contact';
    },
    distance(poseB, poseA = UNMOVED) {
      const found = nearest(poseB, poseA, DISTANCE);
      return found ? found.upper : reportOn(memory, a, b, { poseA, poseB, distance: true }).distance;
    },
    clearance(poseB, length, poseA = UNMOVED) {
      if (length === 0) return verdict(poseB, poseA);
      CLEARANCE.clearance = requireClearance(length);
      const found = nearest(poseB, poseA, CLEARANCE);
      if (!found) return reportOn(memory, a, b, { poseA, poseB, clearance: length }).verdict;
      return found.upper <= length ? 'contact' : found.lower > length ? 'clear' : 'undecided';
    },
    verdicts: (poses, options) => answerPoses(a, b, poses, options),
    get isFast() {
      memory.renew();
      return Boolean(memory.placed);
    },
    close: () => memory.forget(),
  };
}

/** Leaves the test of such numbers to the kernel or the report. */
const sixteenDoubles = (numbers: ArrayLike<number>, name: string): Pose =>
  numbers instanceof Float64Array && numbers.length === 16 ? numbers : rigidPose(numbers, name);

const reportOn = (memory: Memory, a: Asset, b: Asset, options: CheckOptions): Report =>
  whileAsking(() =>
    options?.patches && requireClearance(options.clearance ?? 0) > 0
      ? answerBoth(memory, a, b, options)
      : answerOptions(memory, a, b, options),
  );

/** Patches need surfaces that share points, so the clearance counts only without patches. */
function answerBoth(memory: Memory, a: Asset, b: Asset, options: CheckOptions): Report {
  const met = answerOptions(memory, a, b, { ...options, clearance: 0 });
  if (met.verdict === 'contact') return met;
  const near = answerOptions(memory, a, b, { ...options, patches: false });
  if (met.verdict === 'clear' && near.contacts.complete) near.contacts.patches = [];
  near.tests = { bounds: met.tests.bounds + near.tests.bounds, hulls: met.tests.hulls + near.tests.hulls };
  near.ms.query = Math.round(1000 * (near.ms.query + met.ms.query)) / 1000;
  return near;
}

function answerOptions(memory: Memory, a: Asset, b: Asset, options: CheckOptions): Report {
  const question = questionOf(a, b, options);
  const { a: askedA, b: askedB, query } = question;
  if (question.contactPoints) requireTriangles('contactPoints', askedA, askedB);
  if (question.patches) requireTriangles('patches', askedA, askedB);
  const placed = memory.ofAsked(askedA, askedB);
  const began = performance.now();
  const answer = answerOf(question, placed);
  const queryMs = performance.now() - began;
  const { contacts } = answer.outcome;
  const { poseA, poseB } = query;
  const operands = (): [Operand, Operand] => [operandOf(askedA, poseA), operandOf(askedB, poseB)];
  if (query.findsWitness) addWitness(answer, operands);
  if (question.contactPoints && !contacts.points)
    contacts.points = question.contacts!.points(...operands(), contacts.pairs);
  if (question.patches && contacts.complete && !contacts.patches)
    contacts.patches = question.contacts!.patches(...operands(), contacts.pairs);
  const tolerance = addTolerances(
    representationOf(askedA).tolerance(askedA),
    representationOf(askedB).tolerance(askedB),
  );
  const { solid, solids: classifier } = question;
  const report = reportOf(answer, options, a, b, { tolerance, distance: question.distance, queryMs });
  return solid && classifier ? { ...report, ...solidsOf(question, solid, classifier, answer.outcome, memory) } : report;
}

/** Adds the points of the first pair in contact, unless the engine knows them. */
function addWitness({ outcome, nearest }: Answer, operands: () => [Operand, Operand]): void {
  const { verdict, contacts, point, witness } = outcome;
  if (verdict !== 'contact' || contacts.count === 0 || point || witness !== undefined) return;
  if (nearest !== null && nearest.a >= 0 && nearest.upper > 0) return;
  outcome.witness = witnessOf(...operands(), contacts.pairs[0]);
}

function solidsOf(
  question: Question,
  asked: SolidQuestion,
  { classOf }: SolidClassifier,
  known: Outcome,
  memory: Memory,
): Solids {
  const { a, b, query } = question;
  const plain: Query = { ...query, all: false, clearance: 0, onContact: undefined, onVisit: undefined };
  const ask = (p: Asset, q: Asset, query: Query): Outcome =>
    answerOfStored({ ...question, a: p, b: q, query, distance: false, isBySearch: false }, memory.ofAsked(p, q))
      .outcome;
  return classOf(a, b, query, asked, {
    verdict(clearance) {
      return clearance === (query.clearance ?? 0) ? known.verdict : ask(a, b, { ...plain, clearance }).verdict;
    },
    met: known.contacts.pairs,
    contacts(p, q) {
      const isListed = p === a && q === b && !query.clearance && query.all && known.contacts.complete;
      if (isListed) return known.contacts.pairs;
      return ask(p, q, { ...plain, all: true, maxContacts: Number.POSITIVE_INFINITY }).contacts.pairs;
    },
  });
}

/** Poses that this thread answers before it yields to the event loop. */
const TURN = 1024;

/** Computes `verdicts` in this thread. */
export async function answerHere(
  a: Asset,
  b: Asset,
  poses: Float64Array,
  { device }: ManyPosesOptions = {},
): Promise<Uint8Array> {
  const verdicts = new Uint8Array(requirePoses(poses));
  const checker = prepareForPoses(a, b);
  if (device && (await answerOnDevice(a, b, poses, device, verdicts, checker.verdict))) return verdicts;
  const letGo = hold(a, b);
  try {
    for (let first = 0; first < verdicts.length; first += TURN) {
      checker.answer(poses.subarray(16 * first), verdicts.subarray(first, first + TURN));
      await new Promise((turn) => setTimeout(turn));
    }
  } finally {
    letGo();
  }
  return verdicts;
}

/** Returns the number of poses. OptionErrors give the number of the invalid pose. */
export function requirePoses(poses: Float64Array): number {
  requireDoubles(poses, 'poses');
  if (poses.length % 16 !== 0) throw new OptionError(`poses: expected 16 numbers a pose, found ${poses.length}`);
  const pose = new Float64Array(16);
  for (let i = 0; i < poses.length / 16; i++) {
    copyPose(poses, 16 * i, pose, 0);
    if (!isRigid(pose)) requirePose(pose, `pose ${i}`);
  }
  return poses.length / 16;
}

export interface PosesChecker {
  /** Writes verdicts, as numbers of VERDICTS, of as many poses of b as these have room for. */
  answer(poses: Float64Array, verdicts: Uint8Array): void;
  verdict(poseB: Pose): Verdict;
}

/** Prepares two assets for more poses than it takes to prepare a kernel. */
export function prepareForPoses(a: Asset, b: Asset): PosesChecker {
  requireSameUnits(representationOf(a, 'a').units(a), representationOf(b, 'b').units(b));
  const memory = new Memory(a, b, Number.POSITIVE_INFINITY);
  const { verdict } = pairOf(memory, a, b, answerHere);
  const pose = new Float64Array(16);
  return {
    verdict,
    answer(poses, verdicts) {
      requireNoCheck();
      const kernel = memory.kernel();
      const areAnswered = kernel?.verdicts?.(poses, verdicts) ?? false;
      for (let i = 0; i < verdicts.length; i++) {
        if (areAnswered && verdicts[i] !== LEFT_OVER) continue;
        copyPose(poses, 16 * i, pose, 0);
        verdicts[i] = VERDICTS.indexOf(verdict(pose));
      }
    },
  };
}
