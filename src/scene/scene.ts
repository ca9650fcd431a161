/**
 * Many objects, placed: which of them touch, or come too close.
 *
 * Boxes tell most pairs apart (broad-phase.ts). Those that are left are asked exactly, as `check`
 * asks two assets in two poses: objects of one asset share it, and two assets share what is prepared
 * of them, whatever the number of their objects.
 *
 * No field of a finding depends on the order of the objects, on what was asked before, or on
 * threads: of its two sides `a` has the lesser name, and its point is found anew by an engine that
 * remembers nothing.
 */
import { OptionError } from '../math/errors.ts';
import { type Pose, validatePose } from '../math/pose.ts';
import { requireOptions, requireThat } from '../math/require.ts';
import { type Bounds, writeBounds } from '../pair/bounds.ts';
import { requireClearance } from '../pair/options.ts';
import { createPair, type Pair } from '../pair/pair.ts';
import { isOfTriangles } from '../pair/stored.ts';
import type { Bracket, Contacts, Report, Verdict } from '../query/report.ts';
import type { Asset } from '../query/representation.ts';
import { representationOf } from '../representations/registry.ts';
import { forOverlaps, SweepAndPrune } from './broad-phase.ts';
import { findingId } from './finding-id.ts';
import { type Answered, answerHere, nearestFirst } from './pairs.ts';
import { type Ask, type Asked, asksOf, type Rules } from './rules.ts';

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
}

/** What a finding says of one of its two objects. */
export interface Party {
  name: string;
  asset: string | null;
  sha256: string | null;
  pose: number[];
}

/**
 * `contact`: the surfaces share a point. `near`: they do not, and are no farther apart than the
 * clearance that was asked for. `undecided`: which of these, or neither, could not be told.
 */
export type FindingClass = 'contact' | 'near' | 'undecided';

export interface Finding {
  type: 'finding';
  /** The same for the same two names and rule, in whatever order. */
  id: string;
  rule: string | null;
  class: FindingClass;
  /** The object with the lesser name. */
  a: Party;
  b: Party;
  /** A point where the two touch, or midway between their nearest points; null where none is known. */
  point: number[] | null;
  /** What the boxes of both have in common, each larger by half of the widest clearance of all. */
  box: Bounds;
  /** With `distance`. */
  distance?: number | null;
  bracket?: Bracket | null;
  /** With `all`. */
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
  contact: number;
  near: number;
  undecided: number;
  /** Left out since somebody allowed them. */
  allowed: number;
  ms: { broad: number; narrow: number };
}

export interface SceneOptions {
  /** Also what is closer than this, or as close. */
  clearance?: number;
  rules?: Rules;
  /** Objects of these names against all others alone. */
  against?: ReadonlySet<string>;
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
  /** Is handed every finding, in the order of `findings`; what it promises is waited for. */
  onFinding?: (finding: Finding) => unknown;
  /** Told how much of the pairs has been asked, from 0 to 1. */
  onProgress?: (done: number) => void;
  signal?: AbortSignal;
}

/** What has changed between two frames. */
export interface Frame {
  /** Pairs of names that touch now, or are too close, and did not before; and the other way round. */
  began: [string, string][];
  ended: [string, string][];
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
  step(poses: Readonly<Record<string, Pose | readonly number[]>>): Frame;
}

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
  return new PlacedScene(objects, options, neverAsked, boxes);
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
  answerPairs: AnswerPairs = (scene, pairs, options) => answerHere(pairs, (some) => scene.answer(some, options)),
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
  private readonly numbers = new Map<Asset, number>();
  private readonly counts: number[] = [];
  private readonly pairs = new Map<number, Pair>();
  private sweep: SweepAndPrune | undefined;
  /** Pairs that touched after the last step. */
  private touching = new Set<number>();

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
        return { name, asset, pose: validatePose(pose, `pose of ${name}`), assetName, sha256 };
      })
      .sort((a, b) => compare(a.name, b.name));
    for (const [i, { name, asset }] of this.objects.entries()) {
      if (this.byName.has(name)) throw new OptionError(`objects: ${name} comes twice; names tell objects apart`);
      this.byName.set(name, i);
      representationOf(asset);
      const number = this.numbers.get(asset) ?? this.numbers.size;
      this.numbers.set(asset, number);
      this.counts[number] = (this.counts[number] ?? 0) + 1;
    }
    this.asked = asksOf(
      this.objects.map(({ name }) => name),
      options,
    );
    this.boxes = boxes ?? new Float64Array(6 * this.objects.length);
    if (!boxes) for (let i = 0; i < this.objects.length; i++) this.place(i);
  }

  /** Writes the box of an object, larger by half of the widest clearance. */
  private place(i: number): void {
    const { asset, pose } = this.objects[i];
    writeBounds(asset, pose, this.boxes, 6 * i);
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
    requireOptions(options);
    const { onFinding, onProgress, signal } = options;
    signal?.throwIfAborted();
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
      const answers = await this.answerUntil(deadline, pairs, options);
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
  async answer(pairs: Float64Array, options: FindingsOptions): Promise<Finding[]> {
    const count = this.objects.length;
    const found: Finding[] = [];
    for (const key of pairs) {
      const [i, j] = [Math.floor(key / count), key % count];
      for (const ask of this.asked.asks(i, j)) {
        const verdict = this.classOf(i, j, ask.clearance);
        if (verdict !== 'clear') found.push(await this.finding(i, j, ask, verdict, options));
      }
    }
    return found;
  }

  /** Nearest pairs first; who is not asked in time is undecided. In the order of the pairs. */
  private async answerUntil(
    deadline: number,
    pairs: Float64Array,
    options: FindingsOptions,
  ): Promise<{ findings: Finding[]; unasked: number }> {
    const count = this.objects.length;
    const answers: Finding[][] = [];
    let unasked = 0;
    for (const n of nearestFirst(pairs, this.boxes)) {
      options.signal?.throwIfAborted();
      if (performance.now() < deadline) answers[n] = await this.answer(pairs.subarray(n, n + 1), options);
      else {
        const [i, j] = [Math.floor(pairs[n] / count), pairs[n] % count];
        const late = this.asked
          .asks(i, j)
          .map((ask) => this.finding(i, j, ask, 'undecided', { ...options, distance: false }));
        answers[n] = await Promise.all(late);
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
      const [a, b] = [this.objects[Math.floor(key / count)].asset, this.objects[key % count].asset];
      prepared.set(this.pairOf(a, b), [a, b]);
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

  /** The pair of two assets, prepared for as many questions as their objects have. */
  private pairOf(a: Asset, b: Asset): Pair {
    const [p, q] = [this.numbers.get(a)!, this.numbers.get(b)!];
    const key = p * this.counts.length + q;
    let pair = this.pairs.get(key);
    if (!pair) {
      const questions = this.sweep ? Number.POSITIVE_INFINITY : this.counts[p] * this.counts[q];
      pair = createPair(a, b, { questions });
      this.pairs.set(key, pair);
    }
    return pair;
  }

  private classOf(i: number, j: number, clearance: number): FindingClass | 'clear' {
    const [a, b] = [this.objects[i], this.objects[j]];
    const pair = this.pairOf(a.asset, b.asset);
    const verdict = pair.verdict(b.pose, a.pose);
    if (verdict !== 'clear' || clearance === 0) return verdict;
    const close: Verdict = pair.clearance(b.pose, clearance, a.pose);
    return close === 'contact' ? 'near' : close;
  }

  private async finding(
    i: number,
    j: number,
    ask: Ask,
    found: FindingClass,
    options: FindingsOptions,
  ): Promise<Finding> {
    const [a, b] = [this.objects[i], this.objects[j]];
    const { distance = false, all = false, maxContacts } = options;
    // A pair for this question alone: what it answers does not depend on others.
    const pair = createPair(a.asset, b.asset, { questions: 1 });
    const poses = { poseA: a.pose, poseB: b.pose };
    const areTriangles = isOfTriangles(a.asset) && isOfTriangles(b.asset);
    const listed = all ? { all, ...(maxContacts !== undefined && { maxContacts }) } : {};
    const contact = found === 'contact' ? pair.report({ ...poses, ...listed, contactPoints: areTriangles }) : undefined;
    // Of other kinds the nearest points alone say where.
    const asksFar = distance || found === 'near' || (found === 'contact' && !areTriangles);
    const apart = asksFar ? pair.report({ ...poses, distance: true }) : undefined;
    return {
      type: 'finding',
      id: await findingId(ask.rule, a.name, b.name),
      rule: ask.rule,
      class: found,
      a: partyOf(a),
      b: partyOf(b),
      point: pointOf(contact, apart),
      box: this.commonBox(i, j),
      ...(distance && { distance: apart?.distance ?? null, bracket: apart?.bracket ?? null }),
      ...(all && contact && { contacts: contact.contacts }),
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
    const count = this.objects.length;
    const moved: [number, Pose][] = Object.entries(poses).map(([name, pose]) => {
      const i = this.byName.get(name);
      if (i === undefined) throw new OptionError(`poses: the scene has no object ${name}`);
      return [i, validatePose(pose, `pose of ${name}`)];
    });
    if (!this.sweep) this.start();
    for (const [i, pose] of moved) {
      this.objects[i].pose.set(pose);
      this.place(i);
    }
    this.sweep!.update();
    const before = this.touching;
    this.touching = this.touchingNow();
    const named = (key: number): [string, string] => [
      this.objects[Math.floor(key / count)].name,
      this.objects[key % count].name,
    ];
    const only = (keys: Set<number>, others: Set<number>): [string, string][] =>
      [...keys]
        .filter((key) => !others.has(key))
        .sort((p, q) => p - q)
        .map(named);
    return { began: only(this.touching, before), ended: only(before, this.touching) };
  }

  /** From now on boxes move. */
  private start(): void {
    this.sweep = new SweepAndPrune(this.boxes);
    this.pairs.clear();
    this.touching = this.touchingNow();
  }

  private touchingNow(): Set<number> {
    const count = this.objects.length;
    const touching = new Set<number>();
    for (const key of this.sweep!.pairs) {
      const [i, j] = [Math.floor(key / count), key % count];
      if (this.asked.asks(i, j).some(({ clearance }) => this.classOf(i, j, clearance) !== 'clear')) touching.add(key);
    }
    return touching;
  }
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
