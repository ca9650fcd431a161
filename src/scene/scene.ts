/**
 * Many objects, placed: which of them touch, or come too close.
 *
 * Boxes tell most pairs apart (box-tree.ts; broad-phase.ts where they move). Those that are left are
 * asked exactly, as `check` asks two assets in two poses: objects of one asset share it, and two
 * assets share what is prepared of them, whatever the number of their objects.
 *
 * Frames remember nothing but which boxes overlap and what touches. Tried: to begin with what told
 * a pair apart, or with the triangles that touched, in the frame before. Of 310 pairs of bunnies a
 * frame whose boxes overlap, those that are clear take 0.42 us, of which the call is 0.25 us, and
 * the seventh part that touches takes 1.9 us: all that could be saved is a fifth of a frame, less
 * what remembering costs.
 *
 * No field of a finding depends on the order of the objects, on what was asked before, or on
 * threads: of its two sides `a` has the lesser name, and its point is found anew by an engine that
 * remembers nothing.
 */
import { OptionError } from '../math/errors.ts';
import { type Pose, validatePose } from '../math/pose.ts';
import { printable } from '../math/printable.ts';
import { requireOptions, requireThat } from '../math/require.ts';
import { type Bounds, type Extent, extentOf, writeBounds } from '../pair/bounds.ts';
import { requireClearance } from '../pair/options.ts';
import { createPair, type Pair } from '../pair/pair.ts';
import { changesSoFar, hasChangedSince } from '../query/derived.ts';
import type { Report, Verdict } from '../query/report.ts';
import type { Asset } from '../query/representation.ts';
import { requireSameUnits } from '../query/units.ts';
import { isOfTriangles } from '../representations/operand.ts';
import { representationOf } from '../representations/registry.ts';
import { forOverlaps } from './box-tree.ts';
import { SweepAndPrune } from './broad-phase.ts';
import { findingId } from './finding-id.ts';
import { type Answered, answerHere, nearestFirst } from './pairs.ts';
import type {
  Finding,
  FindingClass,
  FindingsOptions,
  Frame,
  Party,
  Scene,
  SceneObject,
  SceneOptions,
  SceneSummary,
  Touching,
} from './report.ts';
import { type Ask, type Asked, asksOf } from './rules.ts';

/**
 * Puts objects together.
 *
 * @throws OptionError for a name that comes twice, for what is no pose, for rules that speak of no
 *   object, and for assets in different recorded units
 * @example const scene = createScene([
 *            { name: 'left', asset: bunny },
 *            { name: 'right', asset: bunny, pose: translation(0.4, 0, 0) },
 *            { name: 'far', asset: blob, pose: translation(9, 0, 0) },
 *          ]);
 *          const { findings, summary } = await scene.findings();
 *          findings.map(({ a, b }) => `${a.name} ${b.name}`) // ['left right']
 *          summary.pairs // 3
 *          scene.step({ right: translation(3, 0, 0) }).ended // [['left', 'right']]
 */
export const createScene = (objects: readonly SceneObject[], options: SceneOptions = {}): Scene =>
  placeScene(objects, options);

/** A scene in another thread: objects by their names, and their boxes as `place` wrote them. */
export function placeAgain(objects: readonly SceneObject[], options: SceneOptions, boxes: Float64Array): PlacedScene {
  const neverAsked: AnswerPairs = () => {
    throw new Error('a thread answers pairs alone');
  };
  // What matches nothing was told where the scene was made.
  return new PlacedScene(objects, { ...options, onUnmatched: () => {} }, neverAsked, boxes);
}

/** Answers pairs of a scene, as `candidates` has them, some at a time, in their order. */
export type AnswerPairs = (
  scene: PlacedScene,
  pairs: Float64Array,
  options: FindingsOptions,
) => AsyncIterable<Answered<Finding>>;

/** `createScene`, with what answers many pairs. */
export function placeScene(
  objects: readonly SceneObject[],
  options: SceneOptions = {},
  answerPairs: AnswerPairs = (scene, pairs, options) => answerHere(pairs, async (some) => scene.answer(some, options)),
): PlacedScene {
  requireOptions(options);
  requireThat(Array.isArray(objects), 'objects', 'a list', objects);
  return new PlacedScene(objects, options, answerPairs);
}

export class PlacedScene implements Scene {
  readonly objects: Required<SceneObject>[];
  private readonly byName = new Map<string, number>();
  readonly boxes: Float64Array;
  private readonly asked: Asked;
  /** The number of each object's asset, and how many objects each asset has. */
  private readonly numberOf: Uint32Array;
  private readonly counts: number[] = [];
  /** Of each asset. */
  private readonly extents: Extent[] = [];
  private readonly areTriangles: boolean[] = [];
  private readonly pairs = new Map<number, Pair>();
  private sweep: SweepAndPrune | undefined;
  /** Calls of `findings` that are on their way: nothing moves meanwhile. */
  private asking = 0;
  /** Pairs that touched after the last step. */
  private found: ReadonlyMap<number, FindingClass> = new Map();
  /** Poses as they were given to a step: no step allocates them. */
  private readonly given: Pose[] = [];
  private readonly labels: string[] = [];
  /** A 1 for each object that has moved in this step. */
  private readonly isMoved: Uint8Array;
  /** Changes of geometry that the boxes know of. */
  private changes = changesSoFar();

  constructor(
    objects: readonly SceneObject[],
    readonly options: SceneOptions,
    private readonly answerPairs: AnswerPairs,
    boxes?: Float64Array,
  ) {
    requireClearance(options.clearance ?? 0);
    // By name, so that nothing that is said depends on the order in which they were given.
    this.objects = objects
      .map(({ name, asset, pose = IDENTITY, assetName = '', sha256 = null }, i) => {
        requireThat(typeof name === 'string' && name !== '', `objects[${i}].name`, 'a name', name);
        return { name, asset, pose: validatePose(pose, `pose of ${printable(name)}`), assetName, sha256 };
      })
      .sort((a, b) => compare(a.name, b.name));
    this.numberOf = new Uint32Array(this.objects.length);
    const numbers = new Map<Asset, number>();
    let units: string | null = null;
    for (const [i, { name, asset }] of this.objects.entries()) {
      if (this.byName.has(name))
        throw new OptionError(`objects: ${printable(name)} comes twice; names tell objects apart`);
      this.byName.set(name, i);
      // Boxes of different units would tell apart what touches.
      const own = representationOf(asset).units(asset);
      requireSameUnits(units, own);
      units ??= own;
      const number = numbers.get(asset) ?? numbers.size;
      numbers.set(asset, number);
      this.numberOf[i] = number;
      this.counts[number] = (this.counts[number] ?? 0) + 1;
    }
    this.asked = asksOf(
      this.objects.map(({ name }) => name),
      options,
    );
    this.boxes = boxes ?? new Float64Array(6 * this.objects.length);
    this.isMoved = new Uint8Array(this.objects.length);
    if (!boxes) for (let i = 0; i < this.objects.length; i++) this.place(i);
  }

  /** Writes the box of an object, larger by half of the widest clearance. */
  private place(i: number): void {
    const { asset, pose } = this.objects[i];
    this.extents[this.numberOf[i]] ??= extentOf(asset);
    writeBounds(this.extents[this.numberOf[i]], pose, this.boxes, 6 * i);
    const { widest } = this.asked;
    const isPlaced = this.boxes.subarray(6 * i, 6 * i + 6).every(Number.isFinite);
    requireThat(isPlaced, `pose of ${this.objects[i].name}`, 'one that keeps its object in range', pose);
    if (widest === 0) return;
    const half = (widest / 2) * (1 + 2 ** -40);
    for (let k = 6 * i; k < 6 * i + 3; k++) {
      this.boxes[k] = below(this.boxes[k] - half);
      this.boxes[k + 3] = above(this.boxes[k + 3] + half);
    }
  }

  async findings(options: FindingsOptions = {}): Promise<{ findings: Finding[]; summary: SceneSummary }> {
    this.asking++;
    try {
      return await this.findAll(options);
    } finally {
      this.asking--;
    }
  }

  private async findAll(options: FindingsOptions): Promise<{ findings: Finding[]; summary: SceneSummary }> {
    requireOptions(options);
    const { onFinding, onProgress, signal } = options;
    signal?.throwIfAborted();
    this.renew();
    const start = performance.now();
    const count = this.objects.length;
    const pairs = this.candidates();
    const broad = performance.now();
    const found: Finding[] = [];
    const summary: SceneSummary = {
      ...{ type: 'summary', objects: count, pairs: this.asked.pairs, apart: 0, checked: pairs.length, unasked: 0 },
      ...{ contact: 0, near: 0, undecided: 0, allowed: this.asked.allowed, ms: { broad: 0, narrow: 0 } },
    };
    const take = async (finding: Finding): Promise<void> => {
      summary[finding.class]++;
      found.push(finding);
      await onFinding?.(finding);
    };
    if (options.budget !== undefined) {
      const deadline = start + requireBudget(options.budget);
      const answers = this.answerUntil(deadline, pairs, options);
      summary.unasked = answers.unasked;
      for (const finding of answers.findings) await take(finding);
    } else {
      let done = 0;
      for await (const { findings, asked } of this.answerPairs(this, pairs, options)) {
        for (const finding of findings) await take(finding);
        done += asked;
        onProgress?.(done / pairs.length);
        signal?.throwIfAborted();
      }
    }
    summary.checked -= summary.unasked;
    summary.apart = summary.pairs - pairs.length;
    summary.ms = { broad: round(broad - start), narrow: round(performance.now() - broad) };
    return { findings: found, summary };
  }

  /** Pairs that are asked about and whose boxes meet: i * objects + j for i < j, ascending. */
  private candidates(): Float64Array {
    const count = this.objects.length;
    const near: number[] = [];
    const add = (i: number, j: number): void => {
      if (this.asked.asks(i, j).length > 0) near.push(i * count + j);
    };
    if (this.sweep) for (const key of this.sweep.pairs) add(Math.floor(key / count), key % count);
    else forOverlaps(this.boxes, add);
    return Float64Array.from(near).sort();
  }

  /** The findings of pairs, as `candidates` has them, in this thread. */
  answer(pairs: Float64Array, options: FindingsOptions): Finding[] {
    const count = this.objects.length;
    const found: Finding[] = [];
    for (const key of pairs) {
      const [i, j] = [Math.floor(key / count), key % count];
      for (const ask of this.asked.asks(i, j)) {
        const finding = this.finding(i, j, ask, options);
        if (finding) found.push(finding);
      }
    }
    return found;
  }

  /** Nearest pairs first; who is not asked in time is undecided. In the order of the pairs. */
  private answerUntil(
    deadline: number,
    pairs: Float64Array,
    options: FindingsOptions,
  ): { findings: Finding[]; unasked: number } {
    const count = this.objects.length;
    const answers: Finding[][] = [];
    let unasked = 0;
    for (const n of nearestFirst(pairs, this.boxes)) {
      options.signal?.throwIfAborted();
      if (performance.now() < deadline) answers[n] = this.answer(pairs.subarray(n, n + 1), options);
      else {
        const [i, j] = [Math.floor(pairs[n] / count), pairs[n] % count];
        answers[n] = this.asked.asks(i, j).map((ask) => this.record(i, j, ask, 'undecided', null));
        unasked++;
      }
    }
    return { findings: answers.flat(), unasked };
  }

  /** The pairs of assets that these pairs of objects are of, prepared; for other threads to share. */
  prepare(pairs: Float64Array): Map<Pair, [Asset, Asset]> {
    const count = this.objects.length;
    const prepared = new Map<Pair, [Asset, Asset]>();
    for (const key of pairs) {
      const [i, j] = [Math.floor(key / count), key % count];
      prepared.set(this.pairOf(i, j), [this.objects[i].asset, this.objects[j].asset]);
    }
    return prepared;
  }

  /** Whether objects have been moved by `step`. */
  get isMoving(): boolean {
    return this.sweep !== undefined;
  }

  /** As a scene that has been moved: its pairs expect any number of questions. */
  expectSteps(): this {
    this.sweep = new SweepAndPrune(this.boxes);
    return this;
  }

  /** The pair of two objects' assets, prepared for as many questions as their objects have. */
  private pairOf(i: number, j: number): Pair {
    const p = this.numberOf[i];
    const q = this.numberOf[j];
    const key = p * this.counts.length + q;
    let pair = this.pairs.get(key);
    if (!pair) {
      const questions = this.sweep ? Number.POSITIVE_INFINITY : this.counts[p] * this.counts[q];
      pair = createPair(this.objects[i].asset, this.objects[j].asset, { questions });
      this.pairs.set(key, pair);
    }
    return pair;
  }

  private isOfTriangles(i: number): boolean {
    const number = this.numberOf[i];
    this.areTriangles[number] ??= isOfTriangles(this.objects[i].asset);
    return this.areTriangles[number];
  }

  /** Whether many questions of two objects' assets are answered by a kernel. */
  private isFast(i: number, j: number): boolean {
    const questions = this.counts[this.numberOf[i]] * this.counts[this.numberOf[j]];
    return (questions > 1 || this.sweep !== undefined) && this.pairOf(i, j).isFast;
  }

  /** @param known what is known already of whether they touch */
  private classOf(i: number, j: number, clearance: number, known?: Verdict): FindingClass | 'clear' {
    const poseA = this.objects[i].pose;
    const poseB = this.objects[j].pose;
    const verdict = known ?? this.pairOf(i, j).verdict(poseB, poseA);
    if (verdict !== 'clear' || clearance === 0) return verdict;
    const close: Verdict = this.pairOf(i, j).clearance(poseB, clearance, poseA);
    return close === 'contact' ? 'near' : close;
  }

  /** What is found of two; null where they are clear. */
  private finding(i: number, j: number, ask: Ask, options: FindingsOptions): Finding | null {
    // Where no kernel is quicker to tell, the report tells whether they touch, and is not asked twice.
    const isFast = this.isFast(i, j);
    const quick = isFast ? this.classOf(i, j, ask.clearance) : 'clear';
    if (isFast && quick === 'clear') return null;
    const [a, b] = [this.objects[i], this.objects[j]];
    const { distance = false, all = false, maxContacts } = options;
    // A pair for this question alone: what it answers does not depend on others.
    const pair = createPair(a.asset, b.asset, { questions: 1 });
    const poses = { poseA: a.pose, poseB: b.pose };
    const areTriangles = this.isOfTriangles(i) && this.isOfTriangles(j);
    const listed = all ? { all, ...(maxContacts !== undefined && { maxContacts }) } : {};
    const askAll = (): Report => pair.report({ ...poses, ...listed, contactPoints: areTriangles });
    const early = isFast ? undefined : askAll();
    const found = isFast ? quick : this.classOf(i, j, ask.clearance, early?.verdict);
    if (found === 'clear') return null;
    const contact = found === 'contact' ? (early ?? askAll()) : undefined;
    // Of other kinds the nearest points alone say where.
    const asksFar = distance || found === 'near' || (found === 'contact' && !areTriangles);
    const apart = asksFar ? pair.report({ ...poses, distance: true }) : undefined;
    return {
      ...this.record(i, j, ask, found, pointOf(contact, apart)),
      ...(distance && { distance: apart?.distance ?? null, bracket: apart?.bracket ?? null }),
      ...(all && contact && { contacts: contact.contacts }),
    };
  }

  private record(i: number, j: number, ask: Ask, found: FindingClass, point: number[] | null): Finding {
    const [a, b] = [this.objects[i], this.objects[j]];
    return {
      type: 'finding',
      id: findingId(ask.rule, a.name, b.name),
      rule: ask.rule,
      class: found,
      a: partyOf(a),
      b: partyOf(b),
      point,
      box: this.commonBox(i, j),
    };
  }

  private commonBox(i: number, j: number): Bounds {
    const edge = (k: number): [number, number] => [this.boxes[6 * i + k], this.boxes[6 * j + k]];
    return {
      low: [0, 1, 2].map((k) => Math.max(...edge(k))),
      high: [3, 4, 5].map((k) => Math.min(...edge(k))),
    };
  }

  step(poses: Readonly<Record<string, Pose | readonly number[]>>): Frame {
    if (this.asking > 0) throw new OptionError('step: findings are on their way; wait for them');
    this.renew();
    const moved = this.takePoses(poses);
    if (!this.sweep) this.start();
    const { isMoved, objects, given } = this;
    for (const i of moved) {
      isMoved[i] = 1;
      const { pose } = objects[i];
      const to = given[i];
      for (let k = 0; k < 12; k++) pose[k] = to[k];
      this.place(i);
    }
    this.sweep!.update();
    const before = this.found;
    this.found = this.findNow(before);
    isMoved.fill(0);
    return { began: this.only(this.found, before), ended: this.only(before, this.found) };
  }

  touching(): Touching[] {
    if (!this.sweep) this.start();
    const keys = [...this.found.keys()].sort((p, q) => p - q);
    return keys.map((key) => {
      const [a, b] = this.namesOf(key);
      return { a, b, class: this.found.get(key)! };
    });
  }

  /** Validates all poses before one is taken; returns who has another than before. */
  private takePoses(poses: Readonly<Record<string, Pose | readonly number[]>>): number[] {
    const moved: number[] = [];
    for (const [name, pose] of Object.entries(poses)) {
      const i = this.byName.get(name);
      if (i === undefined) throw new OptionError(`poses: the scene has no object ${name}`);
      this.given[i] ??= new Float64Array(16);
      this.labels[i] ??= `pose of ${name}`;
      const given = validatePose(pose, this.labels[i], this.given[i]);
      if (!areSame(given, this.objects[i].pose)) moved.push(i);
    }
    return moved;
  }

  /** Pairs that are among these and not among the others, by their names, sorted. */
  private only(those: ReadonlyMap<number, unknown>, others: ReadonlyMap<number, unknown>): [string, string][] {
    const left: number[] = [];
    for (const key of those.keys()) if (!others.has(key)) left.push(key);
    return left.sort((p, q) => p - q).map((key) => this.namesOf(key));
  }

  private namesOf(key: number): [string, string] {
    const count = this.objects.length;
    return [this.objects[Math.floor(key / count)].name, this.objects[key % count].name];
  }

  /** From now on boxes move. */
  private start(): void {
    this.sweep = new SweepAndPrune(this.boxes);
    this.pairs.clear();
    this.isMoved.fill(1);
    this.found = this.findNow(this.found);
    this.isMoved.fill(0);
  }

  /** Places again what an update in place has given other geometry. */
  private renew(): void {
    const known = this.changes;
    this.changes = changesSoFar();
    if (known === this.changes) return;
    for (const [i, { asset }] of this.objects.entries()) {
      if (!hasChangedSince(asset, known)) continue;
      this.extents[this.numberOf[i]] = extentOf(asset);
      this.place(i);
      this.isMoved[i] = 1;
    }
    this.sweep?.update();
  }

  /** Two of whom none has moved are as they were. */
  private findNow(before: ReadonlyMap<number, FindingClass>): Map<number, FindingClass> {
    const count = this.objects.length;
    const { isMoved } = this;
    const found = new Map<number, FindingClass>();
    for (const key of this.sweep!.pairs) {
      const i = Math.floor(key / count);
      const j = key - i * count;
      const known = isMoved[i] + isMoved[j] > 0 ? this.classOfAll(i, j) : before.get(key);
      if (known !== undefined && known !== 'clear') found.set(key, known);
    }
    return found;
  }

  /** Of all that is asked of two: a contact first, then what is undecided. */
  private classOfAll(i: number, j: number): FindingClass | 'clear' {
    const asks = this.asked.asks(i, j);
    let worst: FindingClass | 'clear' = 'clear';
    for (let n = 0; n < asks.length && worst !== 'contact'; n++) {
      const found = this.classOf(i, j, asks[n].clearance);
      if (found !== 'clear' && worst !== 'undecided') worst = found;
    }
    return worst;
  }
}

/** Bit by bit, but for the sign of 0, which moves nothing. */
function areSame(a: Pose, b: Pose): boolean {
  for (let k = 0; k < 12; k++) if (a[k] !== b[k]) return false;
  return true;
}

const IDENTITY = Float64Array.of(1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1);
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

function requireBudget(budget: number): number {
  requireThat(typeof budget === 'number' && budget >= 0, 'budget', 'milliseconds from 0', budget);
  return budget;
}

const round = (ms: number): number => Math.round(ms * 1000) / 1000;
/** Past the rounding of a sum. */
const below = (x: number): number => x - Math.abs(x) * 2 ** -52;
const above = (x: number): number => x + Math.abs(x) * 2 ** -52;

function partyOf({ name, assetName, sha256, pose }: Required<SceneObject>): Party {
  return { name, asset: assetName || null, sha256, pose: Array.from(pose) };
}

/** Where two touch, or the middle between their nearest points. */
function pointOf(contact: Report | undefined, apart: Report | undefined): number[] | null {
  const segment = contact?.contacts.points?.[0];
  if (segment) return segment.from.map((x, k) => x / 2 + segment.to[k] / 2);
  const witness = contact?.witness ?? apart?.witness;
  return witness ? witness.a.map((x, k) => x / 2 + witness.b[k] / 2) : null;
}
