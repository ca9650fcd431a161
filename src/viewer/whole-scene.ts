/** The scene as a whole: contacts while its objects move, and findings at their poses. */

import { contacts } from '../contacts/patches.ts';
import type { Asset } from '../engine/representation.ts';
import type { ReportFinding } from '../report/finding.ts';
import { FAILING, levelsOf } from '../report/finding.ts';
import { missingFinding, pairFinding } from '../report/pair-finding.ts';
import { findingId } from '../scene/finding-id.ts';
import type { Finding, SceneObject, SceneOptions } from '../scene/records.ts';
import { type PlacedScene, placeScene } from '../scene/scene.ts';
import * as solids from '../solid/class-of.ts';
import type { ViewDocument } from './document.ts';
import { type Judged, judgedBy, listedRules, strictest, UNLISTED } from './judged.ts';
import type { Answer, PairQuestion, Question } from './protocol.ts';

type Poses = Question<'find'>['poses'];
type About = Pick<PairQuestion, 'a' | 'b' | 'finding'>;

export class WholeScene {
  private placed: PlacedScene | undefined;
  private away = new Set<string>();
  /** The document's findings and those of the last search, by their ids. */
  private readonly known: Map<string, ReportFinding>;
  /** Rules of pairs that a file of findings lists; null if the scene's rules are known. */
  private readonly listed: ReturnType<typeof listedRules>;

  constructor(
    private readonly document: ViewDocument,
    private readonly assets: readonly Asset[],
  ) {
    this.known = new Map(document.findings.map((finding) => [finding.id, finding]));
    this.listed = listedRules(document);
  }

  /**
   * The scene at its initial poses. The first use needs all assets.
   *
   * @throws OptionError for objects that no scene can have
   */
  get moving(): PlacedScene {
    this.placed ??= placeScene(this.objectsAt({}), this.options());
    return this.placed;
  }

  judge(question: About): Judged {
    const own = this.ownJudged(question);
    if (own) return own;
    const { objects, asked } = this.document;
    const { asks, isAllowed } = this.moving.questionsOf(objects[question.a].name, objects[question.b].name);
    return strictest({ asks: asks.map((ask) => ({ ...ask, rule: this.ruleOf(ask.rule) })), isAllowed }, asked);
  }

  /** The question of the chosen finding, which needs no assets; null if it has none of its own. */
  ownJudged({ a, b, finding = null }: About): Judged | null {
    const { objects, asked } = this.document;
    const names = [objects[a].name, objects[b].name];
    const chosen = finding === null ? undefined : this.known.get(finding);
    const isOfBoth = chosen?.subjects.length === 2 && chosen.subjects.every(({ name }) => names.includes(name));
    return isOfBoth ? judgedBy(chosen, asked) : null;
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

  /** A file of findings says nothing of other pairs, so these count once one of them moves. */
  private isTold(a: string, b: string, moved: ReadonlySet<string>): boolean {
    if (!this.listed || moved.has(a) || moved.has(b)) return true;
    return this.moving.questionsOf(a, b).asks.some(({ rule }) => rule !== UNLISTED);
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
      // A file of findings has levels, and not the rules that gave them.
      const level = this.listed && before?.class === finding.class ? before.level : levelOf(finding);
      return pairFinding(finding, { level, state, note, accepted, again: null });
    });
    const found = new Set(told.map(({ id }) => id));
    for (const finding of told) this.known.set(finding.id, finding);
    const missing = known.filter(({ id, state }) => state !== null && state !== 'new' && !found.has(id));
    return { findings: [...told, ...missing.map(gone)] };
  }

  /** Gives findings of listed pairs the ids and the rules that they have in their file. */
  private asListed(findings: readonly Finding[], moved: ReadonlySet<string>): readonly Finding[] {
    if (!this.listed) return findings;
    return findings.flatMap((finding): Finding[] => {
      const [a, b] = [finding.a.name, finding.b.name];
      if (finding.rule !== UNLISTED) return [{ ...finding, id: finding.rule!, rule: this.ruleOf(finding.rule) }];
      const isListed = this.moving.questionsOf(a, b).asks.length > 1;
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
