/** The scene as a whole: contacts while its objects move, and findings at their poses. */

import { contacts } from '../contacts/patches.ts';
import type { Asset } from '../engine/representation.ts';
import type { ReportFinding } from '../report/finding.ts';
import { FAILING, levelsOf } from '../report/finding.ts';
import { missingFinding, pairFinding } from '../report/pair-finding.ts';
import { findingId } from '../scene/finding-id.ts';
import type { Finding, SceneObject, SceneOptions } from '../scene/records.ts';
import { type Ask, type Asked, asksOf } from '../scene/rules.ts';
import { type PlacedScene, placeScene } from '../scene/scene.ts';
import * as solids from '../solid/class-of.ts';
import type { ViewDocument } from './document.ts';
import { type Judged, judgedBy, listedRules, strictest, UNLISTED } from './judged.ts';
import type { Answer, PairQuestion, Question } from './protocol.ts';

type Poses = Question<'find'>['poses'];

export class WholeScene {
  /** Made for the first question about all objects, which needs all assets. */
  private placed: PlacedScene | undefined;
  private readonly asked: Asked;
  private readonly numbers: ReadonlyMap<string, number>;
  private away = new Set<string>();
  /** The document's findings and those of the last search, by their ids. */
  private readonly known: Map<string, ReportFinding>;
  /** Rules of pairs that a file of findings lists; null if the scene's rules are known. */
  private readonly listed: ReturnType<typeof listedRules>;

  /** @param assets may still be read until a question about all objects */
  constructor(
    private readonly document: ViewDocument,
    private readonly assets: readonly Asset[],
  ) {
    const names = document.objects.map(({ name }) => name);
    this.numbers = new Map(names.map((name, n) => [name, n]));
    this.known = new Map(document.findings.map((finding) => [finding.id, finding]));
    this.listed = listedRules(document);
    this.asked = asksOf(names, this.options());
  }

  private get moving(): PlacedScene {
    this.placed ??= placeScene(this.objectsAt({}), this.options());
    return this.placed;
  }

  /** @throws OptionError for objects that no scene can have */
  requireScene(): void {
    void this.moving;
  }

  judge({ a, b, finding = null }: Pick<PairQuestion, 'a' | 'b' | 'finding'>): Judged {
    const { objects, asked } = this.document;
    const names = [objects[a].name, objects[b].name];
    const chosen = finding === null ? undefined : this.known.get(finding);
    const isOfBoth = chosen?.subjects.length === 2 && chosen.subjects.every(({ name }) => names.includes(name));
    const own = isOfBoth ? judgedBy(chosen, asked) : null;
    if (own) return own;
    const asks = this.asksOf(names[0], names[1]).map((ask) => ({ ...ask, rule: this.ruleOf(ask.rule) }));
    return strictest({ asks, isAllowed: a !== b && this.asked.isAllowed(a, b) }, asked);
  }

  private asksOf(a: string, b: string): readonly Ask[] {
    const [i, j] = [this.numbers.get(a), this.numbers.get(b)];
    return i === undefined || j === undefined || i === j ? [] : this.asked.asks(i, j);
  }

  /** Rules of listed pairs are named by ids of findings. */
  private ruleOf(rule: string | null): string | null {
    if (!this.listed || rule === null) return rule;
    const finding = this.known.get(rule);
    return finding && finding.rule !== finding.class ? finding.rule : null;
  }

  touching(poses: Poses): Answer<'touching'> {
    const start = performance.now();
    const homes = this.document.objects.filter(({ name }) => this.away.has(name));
    const moved = Object.entries(poses).map(([name, pose]) => [name, Float64Array.from(pose)] as const);
    // Keep `away` until the step succeeds: a step that is refused moves nothing.
    const all = new Map<string, Float64Array | readonly number[]>([
      ...homes.map(({ name, pose }) => [name, pose] as const),
      ...moved,
    ]);
    this.moving.step(Object.fromEntries(all));
    this.away = new Set(moved.map(([name]) => name));
    const pairs = this.moving.touching().filter(({ a, b }) => this.isTold(a, b, this.away));
    return { pairs, ms: performance.now() - start };
  }

  /** A file of findings does not mention other pairs, so these count once one of them moves. */
  private isTold(a: string, b: string, moved: ReadonlySet<string>): boolean {
    if (!this.listed || moved.has(a) || moved.has(b)) return true;
    return this.asksOf(a, b).some(({ rule }) => rule !== UNLISTED);
  }

  /** Returns the findings of `gicollide scene`, including those in a baseline. */
  async find(poses: Poses): Promise<Answer<'find'>> {
    const { asked, findings: known } = this.document;
    const scene = placeScene(this.objectsAt(poses), this.options(), { solids, contacts });
    const levelOf = levelsOf(asked.failOn ?? FAILING, asked.rules?.rules);
    const states = new Map(known.map((finding) => [finding.id, finding]));
    const hasStates = known.some(({ state }) => state !== null);
    const { findings } = await scene.findings();
    const moved = new Set(Object.keys(poses));
    const told = this.asListed(findings, moved).map((finding) => {
      const before = states.get(finding.id);
      const state = !hasStates ? null : !before || before.state === 'new' ? 'new' : stateAgain(before);
      const { note = null, accepted = false } = before ?? {};
      // A file of findings has levels, but not the rules that lead to them.
      const level = this.listed && before?.class === finding.class ? before.level : levelOf(finding);
      return pairFinding(finding, { level, state, note, accepted, again: null });
    });
    const found = new Set(told.map(({ id }) => id));
    this.learn(told);
    const missing = known.filter(({ id, state }) => state !== null && state !== 'new' && !found.has(id));
    return { findings: [...told, ...missing.map(gone)] };
  }

  learn(findings: readonly ReportFinding[]): null {
    for (const finding of findings) this.known.set(finding.id, finding);
    return null;
  }

  /** Gives findings of listed pairs the ids and the rules that they have in their file. */
  private asListed(findings: readonly Finding[], moved: ReadonlySet<string>): readonly Finding[] {
    if (!this.listed) return findings;
    return findings.flatMap((finding): Finding[] => {
      const [a, b] = [finding.a.name, finding.b.name];
      if (finding.rule !== UNLISTED) return [{ ...finding, id: finding.rule!, rule: this.ruleOf(finding.rule) }];
      const isListed = this.asksOf(a, b).length > 1;
      if (isListed || !this.isTold(a, b, moved)) return [];
      return [{ ...finding, id: findingId(null, a, b), rule: null }];
    });
  }

  private objectsAt(poses: Poses): SceneObject[] {
    const { document, assets } = this;
    return document.objects.map(({ name, asset, pose, file, element, guid }) => {
      const { name: assetName, sha256 } = document.assets[asset];
      const origin =
        file === null ? null : { file, ...(element !== null && { element }), ...(guid !== null && { guid }) };
      const at = Object.hasOwn(poses, name) ? poses[name] : pose;
      return { name, asset: assets[asset], pose: Float64Array.from(at), assetName, sha256, origin };
    });
  }

  private options(): SceneOptions {
    const { clearance, solid, tolerance, touchGap, rules, against, still, sides, related } = this.document.asked;
    return {
      ...(clearance !== undefined && { clearance }),
      ...(solid !== undefined && { solid }),
      ...(tolerance !== undefined && { tolerance }),
      ...(touchGap !== undefined && { touchGap }),
      ...((this.listed ?? rules) && { rules: this.listed ?? rules }),
      ...(against && { against: new Set(against) }),
      ...(still && { still: new Set(still) }),
      ...(sides && { sides }),
      ...(related && { related }),
      // The writer of the document has already been warned.
      onUnmatched: () => {},
    };
  }
}

/** A finding in the baseline stays known, even if it vanished and came back. */
const stateAgain = ({ state }: ReportFinding): ReportFinding['state'] => (state === 'worse' ? 'worse' : 'known');

function gone(finding: ReportFinding): ReportFinding {
  const { state, subjects } = finding;
  const names = subjects.map(({ name }) => name);
  return missingFinding({ ...finding, names, state: state === 'unchecked' ? state : 'gone' });
}
