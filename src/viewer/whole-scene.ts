/** The scene as a whole: contacts while its objects move, and findings at their poses. */

import { contacts } from '../contacts/patches.ts';
import type { Asset } from '../engine/representation.ts';
import type { ReportFinding } from '../report/finding.ts';
import { FAILING, levelsOf } from '../report/finding.ts';
import { missingFinding, pairFinding } from '../report/pair-finding.ts';
import type { Scene, SceneObject, SceneOptions } from '../scene/records.ts';
import { placeScene } from '../scene/scene.ts';
import * as solids from '../solid/class-of.ts';
import type { ViewDocument } from './document.ts';
import type { Answer, Question } from './protocol.ts';

type Poses = Question<'find'>['poses'];

export class WholeScene {
  private readonly moving: Scene;
  private away = new Set<string>();

  /** @throws OptionError for objects that no scene can have */
  constructor(
    private readonly document: ViewDocument,
    private readonly assets: readonly Asset[],
  ) {
    this.moving = placeScene(this.objectsAt({}), this.options());
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
    return { pairs: this.moving.touching(), ms: performance.now() - start };
  }

  /** Returns the findings of `gicollide scene`, including those in a baseline. */
  async find(poses: Poses): Promise<Answer<'find'>> {
    const { asked, findings: known } = this.document;
    const scene = placeScene(this.objectsAt(poses), this.options(), { solids, contacts });
    const levelOf = levelsOf(asked.failOn ?? FAILING, asked.rules?.rules);
    const states = new Map(known.map((finding) => [finding.id, finding]));
    const hasStates = known.some(({ state }) => state !== null);
    const { findings } = await scene.findings();
    const told = findings.map((finding) => {
      const before = states.get(finding.id);
      const state = !hasStates ? null : !before || before.state === 'new' ? 'new' : stateAgain(before);
      const { note = null, accepted = false } = before ?? {};
      return pairFinding(finding, { level: levelOf(finding), state, note, accepted, again: null });
    });
    const found = new Set(told.map(({ id }) => id));
    const missing = known.filter(({ id, state }) => state !== null && state !== 'new' && !found.has(id));
    return { findings: [...told, ...missing.map(gone)] };
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
      ...(rules !== undefined && { rules }),
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
