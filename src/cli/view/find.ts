/** Finds contacts for a view, as `gicollide scene` does, and compares them with a baseline. */
import type { BaselineEntry } from '../../report/baseline.ts';
import type { ReportFinding } from '../../report/finding.ts';
import { FAILING, levelsOf } from '../../report/finding.ts';
import { toldBy } from '../../report/records.ts';
import { answerOnThreads } from '../../scene/answer-pairs.ts';
import type { Covered } from '../../scene/coverage.ts';
import { type PlacedScene, placeScene } from '../../scene/scene.ts';
import type { ViewFrame } from '../../viewer/document.ts';
import { partsOfStill } from '../answerers.ts';
import type { FindingLog, Marks, Missing } from '../findings/finding-log.ts';
import type { OpenedScene } from '../open-scene.ts';
import { type Frames, findInFrames, textOfTotals } from '../scene-frames.ts';
import { textOf } from '../scene-lines.ts';
import { about, type Session, type WarningRecord } from '../session.ts';
import { listOf } from '../tell-coverage.ts';
import { createProgress } from '../terminal.ts';
import type { Found } from './source.ts';
import type { ViewFlags } from './view-flags.ts';

export async function place(
  name: string,
  { objects, asked }: Pick<OpenedScene, 'objects' | 'asked'>,
  { log }: Session,
): Promise<PlacedScene> {
  const answerPairs = answerOnThreads(({ message }) => log.warn(`--jobs: one thread alone goes on: ${message}`));
  const parts = { ...(await partsOfStill()), answerPairs };
  return about(name, () => placeScene(objects, asked, parts));
}

export interface Beside {
  covered: Pick<Covered, 'findings' | 'failures' | 'open'>;
  warnings(): readonly WarningRecord[];
  facts: OpenedScene['facts'];
}

/** Checks the objects at their poses. @param beside null for a pair, which has no last line */
export async function findStill(
  scene: PlacedScene,
  beside: Beside | null,
  log: FindingLog,
  flags: ViewFlags,
  session: Session,
): Promise<Found> {
  const progress = createProgress('view', session.global);
  const levelOf = levelsOf(flags.failOn ?? FAILING, scene.options.rules?.rules);
  const findings: ReportFinding[] = [];
  const { summary } = await scene
    .findings({
      ...(flags.jobs && { jobs: flags.jobs }),
      onProgress: (done) => progress.update('pairs', done),
      onFinding: (finding) => {
        findings.push(...toldBy(log.mark(finding, levelOf(finding))).findings);
      },
    })
    .finally(() => progress.stop());
  const open = beside?.covered.open;
  const wasAsked = ({ rule, names: [a, b] }: BaselineEntry): boolean =>
    b !== undefined && !open?.has(a) && !open?.has(b) && scene.looksAt(a, b, rule);
  const missing = await log.end(null, wasAsked, { command: 'scene' });
  const unchecked = beside?.covered.findings.flatMap((record) => toldBy(record).findings) ?? [];
  return {
    findings: [...findings, ...unchecked, ...missingFindings(missing)],
    summary: beside && withWarnings(textOf(summary, beside.facts), beside.warnings()),
    frames: [],
  };
}

function withWarnings(text: string, warnings: readonly WarningRecord[]): string {
  const { warnings: lines = [] } = listOf(warnings);
  return [text, ...lines.map((line) => `warning: ${line}`)].join('; ');
}

export async function findMoving(
  scene: PlacedScene,
  { frames, movable, robot }: OpenedScene & { frames: Frames },
  { covered, warnings, facts }: Beside,
  log: FindingLog,
  flags: ViewFlags,
): Promise<Found> {
  const taken: ViewFrame[] = [];
  const options = {
    ...{ failOn: flags.failOn ?? FAILING, facts: { objects: scene.objects.length, ...facts }, log },
    looksAt: (a: string, b: string): boolean => scene.looksAt(a, b, null),
    ...{ covered, warnings },
    ...{ stepping: {}, ...(robot && { robot: robot.facts }) },
  };
  const { summary, marks, missing } = await findInFrames(scene, kept(frames, taken), movable, options);
  const told = toldBy(summary).findings.map((finding, n) => ({ ...finding, ...shown(marks.flat()[n]) }));
  // In the order of the summary's findings.
  const firsts = summary.pairs.flatMap(({ first }) => Object.values(first));
  for (const [n, { id }] of told.entries()) (taken[firsts[n].frame].found ??= []).push(id);
  const unchecked = covered.findings.flatMap((record) => toldBy(record).findings);
  return {
    findings: [...told, ...unchecked, ...missingFindings(missing)],
    summary: withWarnings(textOfTotals(summary, null), warnings()),
    frames: taken,
  };
}

const shown = ({ level, state, note, accepted }: Marks): Partial<ReportFinding> => ({
  ...{ level, state: state ?? null, note: note ?? null, accepted: accepted ?? false },
});

export const missingFindings = (missing: readonly Missing[]): ReportFinding[] =>
  missing.flatMap((record) => toldBy(record).findings);

async function* kept(frames: Frames, taken: ViewFrame[]): Frames {
  for await (const frame of frames) {
    const poses = (movable: OpenedScene['movable']): ReturnType<typeof frame.poses> => {
      const own = frame.poses(movable);
      const numbers = Object.entries(own).map(([name, pose]) => [name, Array.from(pose)] as const);
      taken.push({ time: frame.time, poses: Object.fromEntries(numbers) });
      return own;
    };
    yield { ...frame, poses };
  }
}
