/**
 * A scene: many objects in their poses, and those that touch or come too close.
 *
 * Boxes separate most pairs (broad-phase.ts; motion.ts if objects move). The rest are tested
 * exactly, as `check` does (pair-findings.ts). No field of a finding depends on the order of the
 * objects, on earlier questions, or on threads: `a` has the lesser name, and the code that finds
 * the point has no memory.
 */
import { OptionError } from '../base/errors.ts';
import { printable } from '../base/printable.ts';
import { type OptionTypes, requireOptions, requireOptionTypes, requireThat, unknownOption } from '../base/require.ts';
import { requireShard, type Shard, shareOf } from '../base/shares.ts';
import { changesSoFar, hasChangedSince } from '../engine/asset-cache.ts';
import { requireDevice } from '../engine/on-device.ts';
import { requireDepth } from '../engine/options.ts';
import type { Pair } from '../engine/prepared.ts';
import type { Asset } from '../engine/representation.ts';
import { forOverlaps } from './broad-phase.ts';
import type { Ways } from './continuous.ts';
import { candidatesOf, stepOnDevice } from './on-device.ts';
import { type FindingParts, handed, PairFindings } from './pair-findings.ts';
import { type Answered, answerHere, costsOf, nearestFirst } from './pairs.ts';
import { Placed } from './placed.ts';
import type {
  Finding,
  FindingsOptions,
  Frame,
  FramePoses,
  Scene,
  SceneObject,
  SceneObjectGiven,
  SceneOptions,
  SceneSummary,
  StepsOptions,
  Touching,
} from './records.ts';
import { type Ask, type Asked, asksOf, choiceText, type RelatedPair, wouldTell } from './rules.ts';
import { Steps } from './steps.ts';

/** A scene's questions get their parts from the caller: one that only steps loads none of them. */
export interface SceneParts extends FindingParts {
  /** By default this thread answers. */
  answerPairs?: AnswerPairs;
  /** For continuous `steps`. */
  openWays?(placed: Placed, options: StepsOptions): Ways;
}

/** A scene in another thread: objects sorted by name, and boxes as `place` wrote them. */
export function placeAgain(
  objects: readonly SceneObjectGiven[],
  options: SceneOptions,
  boxes: Float64Array,
  parts: SceneParts,
): PlacedScene {
  const neverAsked: AnswerPairs = () => {
    throw new Error('a thread answers pairs alone');
  };
  // The original scene has already reported these.
  return new PlacedScene(objects, { ...options, onUnmatched: () => {} }, { ...parts, answerPairs: neverAsked }, boxes);
}

export type AnswerPairs = (
  scene: PlacedScene,
  pairs: Float64Array,
  options: FindingsOptions,
) => AsyncIterable<Answered<Finding>>;

export function placeScene(
  objects: readonly SceneObjectGiven[],
  options: SceneOptions = {},
  parts: SceneParts = {},
): PlacedScene {
  requireOptionTypes(options, OPTIONS);
  requireThat(Array.isArray(objects), 'objects', 'a list', objects);
  for (const [i, object] of objects.entries()) requireObject(object, i);
  requireDepth(options.depth ?? 'coarse');
  return new PlacedScene(objects, options, parts);
}

const OBJECT = {
  ...{ name: 'any', asset: 'any', pose: 'any', assetName: 'any', sha256: 'any', origin: 'any' },
} satisfies Record<keyof SceneObjectGiven, OptionTypes[string]>;

const OPTIONS: OptionTypes = {
  ...{ clearance: 'number', solid: 'string', tolerance: 'number', touchGap: 'number', depth: 'string' },
  ...{ rules: 'any', against: 'any', still: 'any', sides: 'any', related: 'any', absent: 'any', excluded: 'any' },
  ...{ absentIfc: 'any', onUnmatched: 'function' },
} satisfies Record<keyof SceneOptions, OptionTypes[string]>;

const QUESTIONS: OptionTypes = {
  ...{ distance: 'boolean', all: 'boolean', patches: 'boolean', maxContacts: 'number', budget: 'number' },
  ...{ jobs: 'number', shard: 'any', onFinding: 'function', onProgress: 'function', signal: 'any' },
} satisfies Record<keyof FindingsOptions, OptionTypes[string]>;

/** What other programs call a pose. */
const PLACES = /^(translate|translation|position|rotate|rotation|quaternion|matrix|matrixWorld|transform)$/;

function requireObject(object: SceneObjectGiven, i: number): void {
  requireOptions(object, `objects[${i}]`);
  for (const name in object) {
    if (Object.hasOwn(OBJECT, name)) continue;
    if (PLACES.test(name)) throw new OptionError(`objects[${i}].${name}: no such option; did you mean pose?`);
    throw new OptionError(`objects[${i}].${unknownOption(name, Object.keys(OBJECT)).message}`);
  }
}

const answerInTurns: AnswerPairs = (scene, pairs, options) =>
  answerHere(pairs, async (some) => scene.answer(some, options));

export class PlacedScene implements Scene {
  private readonly placed: Placed;
  private moving: Steps | undefined;
  /** Number of running calls of `findings`; while there are any, nothing may move. */
  private asking = 0;
  /** True while frames are taken ahead and poses do not match the returned frame. */
  private isAhead = false;
  /** Valid while nothing moves. */
  private known: PairFindings | undefined;
  /** Pairs that the last call of `findings` left to other shares. */
  private left: ReadonlySet<number> = new Set();

  constructor(
    objects: readonly SceneObjectGiven[],
    options: SceneOptions,
    private readonly parts: SceneParts,
    boxes?: Float64Array,
  ) {
    this.placed = new Placed(objects, options, (sorted) => asksByRules(sorted, options), boxes);
  }

  get objects(): Required<SceneObject>[] {
    return this.placed.objects;
  }

  get boxes(): Float64Array {
    return this.placed.boxes;
  }

  get options(): SceneOptions {
    return this.placed.options;
  }

  /** True if an object has this name. */
  has(name: string): boolean {
    return this.placed.numberNamed(name) !== undefined;
  }

  /** True if this share would report a contact, even as allowed. Rule null: by any rule. */
  looksAt(a: string, b: string, rule: string | null): boolean {
    const [i, j] = [this.placed.numberNamed(a), this.placed.numberNamed(b)];
    if (i === undefined || j === undefined) return false;
    if (this.left.has(Math.min(i, j) * this.objects.length + Math.max(i, j))) return false;
    return wouldTell(this.placed.asked, i, j, rule);
  }

  private get finder(): PairFindings {
    this.known ??= new PairFindings(this.placed, this.parts);
    return this.known;
  }

  asks(i: number, j: number): readonly Ask[] {
    return this.placed.asked.asks(i, j);
  }

  /** Pairs that are allowed because they belong together. */
  get related(): readonly RelatedPair[] {
    return this.placed.asked.related;
  }

  async findings(options: FindingsOptions = {}): Promise<{ findings: Finding[]; summary: SceneSummary }> {
    requireOptionTypes(options, QUESTIONS);
    const findings: Finding[] = [];
    const onFinding = (finding: Finding): unknown => {
      findings.push(finding);
      return options.onFinding?.(finding);
    };
    return { findings, summary: await this.tell({ ...options, onFinding }) };
  }

  /** Like `findings`, but only `onFinding` receives them: there may be millions. */
  async tell(options: FindingsOptions): Promise<SceneSummary> {
    if (this.isAhead) throw new OptionError('findings: frames are being checked; wait for the last one');
    this.asking++;
    try {
      return await this.tellAll(options);
    } finally {
      this.asking--;
      if (this.asking === 0) this.known = undefined;
    }
  }

  private async tellAll(options: FindingsOptions): Promise<SceneSummary> {
    const { onFinding, onProgress, signal } = options;
    signal?.throwIfAborted();
    this.renew();
    if (this.options.solid === 'require') this.requireSolids();
    const start = performance.now();
    const count = this.objects.length;
    const all = this.candidates();
    const pairs = this.takeShare(all, options.shard);
    const broad = performance.now();
    const summary: SceneSummary = {
      ...{
        type: 'summary',
        objects: count,
        pairs: this.placed.asked.pairs,
        apart: 0,
        checked: pairs.length,
        unasked: 0,
      },
      ...{ overlap: 0, inside: 0, same: 0, contact: 0, touch: 0, near: 0, undecided: 0 },
      ...(this.options.solid !== 'off' && { open: 0 }),
      ...{ allowed: this.placed.asked.allowed, ms: { broad: 0, narrow: 0 } },
    };
    const take = (finding: Finding): unknown => {
      summary[finding.class]++;
      return onFinding?.(finding);
    };
    if (options.budget !== undefined) {
      requireThat(!options.shard, 'shard', 'no shard with a budget', options.shard);
      const deadline = start + requireBudget(options.budget);
      const answers = this.answerUntil(deadline, pairs, options);
      summary.unasked = answers.unasked;
      for (const finding of answers.findings) await take(finding);
    } else {
      let done = 0;
      const { answerPairs = answerInTurns } = this.parts;
      for await (const { findings, asked } of answerPairs(this, pairs, options)) {
        for (const finding of findings) {
          const taken = take(finding);
          // Thousands of findings need not wait for a turn each.
          if (taken !== undefined) await taken;
        }
        done += asked;
        onProgress?.(done / pairs.length);
        signal?.throwIfAborted();
      }
    }
    if (summary.open !== undefined) summary.open = this.openObjects().length;
    const { uncovered } = this.placed.asked;
    Object.assign(summary, uncovered > 0 && { uncovered }, this.matches());
    summary.checked -= summary.unasked;
    summary.apart = summary.pairs - all.length;
    if (options.shard) {
      const { index, count } = options.shard;
      summary.shard = { index, count, others: all.length - pairs.length };
    }
    summary.ms = { broad: round(broad - start), narrow: round(performance.now() - broad) };
    return summary;
  }

  private matches(): Pick<SceneSummary, 'rules' | 'allow'> {
    const { rules = [], allow = [] } = this.options.rules ?? {};
    const { matched } = this.placed.asked;
    const ofRules = rules.map(({ id }, r) => ({ id, pairs: matched.rules[r] }));
    const ofAllow = allow.map(({ a, b = '*', reason = null }, r) => ({
      ...{ a: choiceText(a), b: choiceText(b), reason },
      pairs: matched.allow[r],
    }));
    return { ...(rules.length > 0 && { rules: ofRules }), ...(allow.length > 0 && { allow: ofAllow }) };
  }

  /** Throws for the first object that bounds no solid, even if nothing is near it. */
  private requireSolids(): void {
    const { solidOf } = handed(this.parts, 'solids');
    for (const { name, asset } of this.objects) {
      const { reason } = solidOf(asset);
      if (reason !== null) throw new OptionError(`solid: ${printable(name)} ${reason}`);
    }
  }

  openObjects(): { name: string; reason: string }[] {
    const { openReasonOf } = handed(this.parts, 'solids');
    return this.objects.flatMap(({ name, asset }) => {
      const reason = openReasonOf(asset);
      return reason === null ? [] : [{ name, reason }];
    });
  }

  /** Checked pairs whose boxes meet: i * objects + j for i < j, ascending. */
  private candidates(): Float64Array {
    const count = this.objects.length;
    const near: number[] = [];
    const add = (i: number, j: number): void => {
      if (this.placed.asked.asks(i, j).length > 0) near.push(i * count + j);
    };
    forOverlaps(this.boxes, add);
    return Float64Array.from(near).sort();
  }

  private takeShare(pairs: Float64Array, shard: Shard | undefined): Float64Array {
    this.left = new Set();
    if (!shard) return pairs;
    const assets = this.objects.map(({ asset }) => asset);
    const share = shareOf(costsOf(pairs, assets, this.boxes), requireShard(shard));
    const own = Float64Array.from(share, (n) => pairs[n]);
    const isOwn = new Set(own);
    this.left = new Set(pairs.filter((key) => !isOwn.has(key)));
    return own;
  }

  answer(pairs: Float64Array, options: FindingsOptions): Finding[] {
    const count = this.objects.length;
    const found: Finding[] = [];
    const { finder } = this;
    for (const key of pairs) {
      const [i, j] = [Math.floor(key / count), key % count];
      for (const ask of this.placed.asked.asks(i, j)) {
        const finding = finder.find(i, j, ask, options);
        if (finding) found.push(finding);
      }
    }
    return found;
  }

  undecided(pairs: Float64Array, reason?: string): Finding[] {
    const count = this.objects.length;
    return Array.from(pairs).flatMap((key) => {
      const [i, j] = [Math.floor(key / count), key % count];
      return this.placed.asked.asks(i, j).map((ask) => ({
        ...this.finder.record(i, j, ask, 'undecided', null),
        ...(reason !== undefined && { reason }),
      }));
    });
  }

  private answerUntil(
    deadline: number,
    pairs: Float64Array,
    options: FindingsOptions,
  ): { findings: Finding[]; unasked: number } {
    const answers: Finding[][] = [];
    let unasked = 0;
    for (const n of nearestFirst(pairs, this.boxes)) {
      options.signal?.throwIfAborted();
      if (performance.now() < deadline) answers[n] = this.answer(pairs.subarray(n, n + 1), options);
      else {
        answers[n] = this.undecided(pairs.subarray(n, n + 1), NO_TIME);
        unasked++;
      }
    }
    return { findings: answers.flat(), unasked };
  }

  prepare(pairs: Float64Array): Map<Pair, [Asset, Asset]> {
    const count = this.objects.length;
    const prepared = new Map<Pair, [Asset, Asset]>();
    for (const key of pairs) {
      const [i, j] = [Math.floor(key / count), key % count];
      prepared.set(this.placed.pairOf(i, j), [this.objects[i].asset, this.objects[j].asset]);
    }
    return prepared;
  }

  get isMoving(): boolean {
    return this.moving !== undefined;
  }

  expectSteps(): this {
    this.placed.expectMoves();
    return this;
  }

  step(poses: FramePoses): Frame {
    this.requireStill('step');
    this.renew();
    this.moving ??= new Steps(this.placed);
    return this.moving.step(poses);
  }

  async *steps(
    frames: AsyncIterable<FramePoses> | Iterable<FramePoses>,
    options: StepsOptions = {},
  ): AsyncGenerator<Frame, void> {
    requireSteps(options);
    const candidates = options.device ? candidatesOf(this.placed) : null;
    if (!candidates) {
      yield* options.continuous ? this.stepContinuously(frames, options) : this.stepAll(frames);
      return;
    }
    this.requireStill('steps');
    this.renew();
    this.moving ??= new Steps(this.placed);
    this.isAhead = true;
    try {
      yield* stepOnDevice(this.moving, this.placed, candidates, frames, options);
    } finally {
      this.isAhead = false;
    }
  }

  private async *stepAll(frames: AsyncIterable<FramePoses> | Iterable<FramePoses>): AsyncGenerator<Frame, void> {
    for await (const poses of frames) yield this.step(poses);
  }

  private async *stepContinuously(
    frames: AsyncIterable<FramePoses> | Iterable<FramePoses>,
    options: StepsOptions,
  ): AsyncGenerator<Frame, void> {
    const ways = handed(this.parts, 'openWays')(this.placed, options);
    let isFirst = true;
    let known = changesSoFar();
    for await (const poses of frames) {
      // The proofs about a way assume one shape.
      const changed = isFirst ? undefined : this.objects.find(({ asset }) => hasChangedSince(asset, known));
      if (changed)
        throw new OptionError(`continuous: ${printable(changed.name)} has another shape than in the frame before`);
      known = changesSoFar();
      this.renew();
      ways.leave();
      const frame = this.step(poses);
      yield isFirst ? frame : { ...frame, impacts: ways.arrive(this.moving!.touches) };
      isFirst = false;
    }
  }

  get forDevice(): number {
    return candidatesOf(this.placed)?.objects ?? 0;
  }

  private requireStill(call: string): void {
    if (this.asking > 0) throw new OptionError(`${call}: findings are being computed; wait for them`);
    if (this.isAhead) throw new OptionError(`${call}: frames are being checked; wait for the last one`);
  }

  touching(): Touching[] {
    this.moving ??= new Steps(this.placed);
    return this.moving.touching();
  }

  private renew(): void {
    if (this.moving) this.moving.renew();
    else this.placed.renew();
  }
}

const asksByRules = (objects: readonly Required<SceneObject>[], options: SceneOptions): Asked =>
  asksOf(
    objects.map(({ name }) => name),
    { ...options, ifc: objects.map(({ origin }) => origin?.ifc) },
  );

function requireSteps(options: StepsOptions): void {
  requireOptionTypes(options, {
    ...{ device: 'any', onAlone: 'function', continuous: 'boolean', between: 'string', about: 'function' },
    timeResolution: 'number',
  });
  const { device, continuous, between = 'screw', timeResolution } = options;
  if (device) requireDevice(device);
  requireThat(!(device && continuous), 'device', 'no device with continuous', device);
  requireThat(between === 'screw' || between === 'straight', 'between', 'screw or straight', between);
  const isPart = timeResolution === undefined || (timeResolution > 0 && timeResolution <= 1);
  requireThat(isPart, 'timeResolution', 'above 0, up to 1', timeResolution);
}

const NO_TIME = 'not checked: the time limit came first';

function requireBudget(budget: number): number {
  requireThat(typeof budget === 'number' && budget >= 0, 'budget', 'milliseconds from 0', budget);
  return budget;
}

const round = (ms: number): number => Math.round(ms * 1000) / 1000;
