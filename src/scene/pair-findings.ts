/**
 * Finds the relation of one pair of a scene's objects, while nothing moves: how the two meet, their
 * class as solids, and the place.
 *
 * Meshes of few triangles are asked without trees (small-pairs.ts). The answer does not depend on
 * earlier questions, nor on the engine, but for the place of larger meshes.
 */
import { printable } from '../base/printable.ts';
import type { Bounds } from '../engine/bounds.ts';
import { type ContactFinder, relativeOf } from '../engine/options.ts';
import { createPair } from '../engine/prepared.ts';
import type { ContactPair, Report, Solids, Verdict } from '../engine/records.ts';
import type * as Solid from '../solid/class-of.ts';
import { TOOL } from '../version.ts';
import type { FindingClass } from './classes.ts';
import { findingId } from './finding-id.ts';
import type { Placed } from './placed.ts';
import type { Finding, FindingsOptions, Origin, Party, SceneObject } from './records.ts';
import type { Ask } from './rules.ts';
import { FEWEST, SmallPairs } from './small-pairs.ts';

export interface FindingParts {
  /** For `findings`, unless solids are off. */
  solids?: Pick<typeof Solid, 'classOf' | 'openReasonOf' | 'solidOf'>;
  /** For `findings`. */
  contacts?: ContactFinder;
}

/** How two surfaces meet. */
interface Meeting {
  verdict: Verdict;
  /** Some pairs in contact, or all. */
  met: readonly ContactPair[];
  /** Null if the engines were not asked for one. */
  report: Report | null;
}

/** A new pair, so that the answer does not depend on others. */
const ONCE = { questions: 1 };

const cornersA = new Float64Array(9);
const cornersB = new Float64Array(9);

export class PairFindings {
  private readonly small: SmallPairs;
  private readonly parties: Party[] = [];

  constructor(
    private readonly placed: Placed,
    private readonly parts: FindingParts,
  ) {
    this.small = new SmallPairs(placed.objects);
  }

  find(i: number, j: number, ask: Ask, options: FindingsOptions): Finding | null {
    const { placed } = this;
    const { distance = false, patches = false } = options;
    const all = patches || (options.all ?? false);
    const meeting = this.meet(i, j, options, all);
    const solids = this.solidsOf(i, j, ask, meeting);
    const found = solids?.class ?? placed.classOf(i, j, ask.clearance, meeting.verdict);
    if (found === 'clear') return null;
    const meets = meeting.verdict === 'contact';
    // For other kinds only the nearest points give a place.
    const asksFar = distance || found === 'near' || (meets && !this.areTriangles(i, j));
    const apart = asksFar ? this.ask(i, j, { distance: true }) : undefined;
    const contact = meets ? (meeting.report ?? (all ? this.report(i, j, options, all) : undefined)) : undefined;
    const place = meets && !contact ? this.placeOf(i, j, meeting, options) : pointOf(contact);
    const finding = this.record(i, j, ask, found, place ?? witnessed(apart) ?? solids?.deepest ?? null);
    if (solids) {
      finding.inner = solids.inner;
      finding.closed = solids.closed;
      if (solids.thickness !== undefined) finding.thickness = solids.thickness;
      if (solids.reason) finding.reason = solids.reason;
      if (solids.bracket) finding.bracket = solids.bracket;
    }
    if (found === 'undecided') finding.reason = this.whyUndecided(ask, meeting.verdict, solids);
    if (distance || found === 'near') {
      finding.distance = apart?.distance ?? null;
      finding.bracket = apart?.bracket ?? null;
    }
    if (all && contact) finding.contacts = contact.contacts;
    return finding;
  }

  private whyUndecided({ clearance, tolerance }: Ask, verdict: Verdict, solids: Solids | undefined): string {
    // A function's reason; that of an open surface is why it is no solid.
    if (solids?.reason && solids.closed.every((isClosed) => isClosed)) return solids.reason;
    if (verdict === 'undecided') return 'they touch, or come closer than can be told';
    const { touchGap = 0 } = this.placed.options;
    if (verdict === 'contact' || solids?.thickness)
      return `the thickness may be more or less than the tolerance, ${tolerance}`;
    const limits = [
      ...(touchGap > 0 ? [`the touch gap, ${touchGap}`] : []),
      ...(clearance > 0 ? [`the clearance, ${clearance}`] : []),
    ];
    return `the distance may be more or less than ${limits.join(', or ')}`;
  }

  private areTriangles(i: number, j: number): boolean {
    return this.placed.isOfTriangles(i) && this.placed.isOfTriangles(j);
  }

  private meet(i: number, j: number, options: FindingsOptions, all: boolean): Meeting {
    const { placed } = this;
    const isFast = placed.isFast(i, j);
    if (!all && (!isFast || this.small.size(i) + this.small.size(j) <= FEWEST)) {
      const first = this.small.first(i, j);
      if (first) return { verdict: 'contact', met: [first], report: null };
      if (first === null) return { verdict: 'clear', met: [], report: null };
    }
    if (isFast) return { verdict: placed.meets(i, j), met: [], report: null };
    // Without a faster kernel the report alone tests contact, so that it isn't tested twice.
    const report = this.report(i, j, options, all);
    return { verdict: report.verdict, met: report.contacts.pairs, report };
  }

  private report(i: number, j: number, { patches = false, maxContacts }: FindingsOptions, all: boolean): Report {
    const areTriangles = this.areTriangles(i, j);
    const listed = all ? { all, ...(maxContacts !== undefined && { maxContacts }) } : {};
    const contacts = handed(this.parts, 'contacts');
    return this.ask(i, j, { ...listed, contactPoints: areTriangles, patches: patches && areTriangles, contacts });
  }

  private ask(i: number, j: number, options: object): Report {
    const [a, b] = [this.placed.objects[i], this.placed.objects[j]];
    return createPair(a.asset, b.asset, ONCE).report({ ...options, poseA: a.pose, poseB: b.pose });
  }

  /** For two objects that meet: a point where they do. */
  private placeOf(i: number, j: number, { met }: Meeting, options: FindingsOptions): number[] | null {
    const first = met[0] ?? this.small.first(i, j);
    if (!first) return pointOf(this.report(i, j, options, false));
    this.small.corners(i, first[0], cornersA);
    this.small.corners(j, first[1], cornersB);
    return handed(this.parts, 'contacts').middle(cornersA, cornersB);
  }

  private solidsOf(i: number, j: number, { clearance, tolerance }: Ask, { verdict, met }: Meeting): Solids | undefined {
    const { solid = 'auto', touchGap = 0, depth = 'coarse' } = this.placed.options;
    if (solid === 'off') return undefined;
    const [a, b] = [this.placed.objects[i], this.placed.objects[j]];
    const poses = { poseA: a.pose, poseB: b.pose };
    const names = [printable(a.name), printable(b.name)] as const;
    const asked = { mode: solid, tolerance, touchGap, relative: relativeOf(depth), reach: false, names };
    return handed(this.parts, 'solids').classOf(a.asset, b.asset, { ...poses, clearance }, asked, {
      verdict: (length) => (length === 0 ? verdict : this.placed.within(i, j, length)),
      met,
      contacts: (p, q) => {
        const known = p === a.asset && q === b.asset ? this.small.all(i, j) : undefined;
        if (known) return known;
        const all = { all: true, maxContacts: Number.MAX_SAFE_INTEGER };
        return createPair(p, q, ONCE).report({ ...poses, ...all }).contacts.pairs;
      },
    });
  }

  record(i: number, j: number, ask: Ask, found: FindingClass, point: number[] | null): Finding {
    const [a, b] = [this.placed.objects[i], this.placed.objects[j]];
    const { clearance, tolerance } = ask;
    const { touchGap = 0, solid = 'auto' } = this.placed.options;
    return {
      type: 'finding',
      id: findingId(ask.rule, a.name, b.name),
      rule: ask.rule,
      class: found,
      a: (this.parties[i] ??= partyOf(a)),
      b: (this.parties[j] ??= partyOf(b)),
      point,
      box: this.commonBox(i, j),
      asked: { clearance, tolerance, touchGap, solid },
      tool: TOOL,
    };
  }

  private commonBox(i: number, j: number): Bounds {
    const { boxes } = this.placed;
    const [p, q] = [6 * i, 6 * j];
    return {
      low: [Math.max(boxes[p], boxes[q]), Math.max(boxes[p + 1], boxes[q + 1]), Math.max(boxes[p + 2], boxes[q + 2])],
      high: [
        Math.min(boxes[p + 3], boxes[q + 3]),
        Math.min(boxes[p + 4], boxes[q + 4]),
        Math.min(boxes[p + 5], boxes[q + 5]),
      ],
    };
  }
}

export function handed<Parts extends object, Name extends keyof Parts & string>(
  parts: Parts,
  name: Name,
): NonNullable<Parts[Name]> {
  const part = parts[name];
  if (!part) throw new Error(`this scene is not handed ${name}`);
  return part;
}

function partyOf({ name, assetName, sha256, pose, origin }: Required<SceneObject>): Party {
  const own = { name, asset: assetName || null, sha256, pose: Array.from(pose) };
  if (!origin?.ifc) return { ...own, ...(origin as Omit<Origin, 'ifc'> | null) };
  const { ifc, ...from } = origin;
  const { kinds: _, ...facts } = ifc;
  return { ...own, ...from, ifc: facts };
}

function pointOf(contact: Report | undefined): number[] | null {
  const segment = contact?.contacts.points?.[0];
  return segment ? middleOf(segment.from, segment.to) : witnessed(contact);
}

const witnessed = (report: Report | undefined): number[] | null =>
  report?.witness ? middleOf(report.witness.a, report.witness.b) : null;

const middleOf = (p: readonly number[], q: readonly number[]): number[] => p.map((x, k) => x / 2 + q[k] / 2);
