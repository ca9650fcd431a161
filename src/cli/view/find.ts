/**
 * What is found of the objects of a view: as `gicollide scene` finds it, and a baseline knows it.
 */
import type { BaselineEntry } from '../../report/baseline.ts';
import { FAILING, levelsOf } from '../../report/levels.ts';
import type { ReportFinding } from '../../report/model.ts';
import { toldBy } from '../../report/records.ts';
import { type PlacedScene, placeScene } from '../../scene/scene.ts';
import { answerOnThreads } from '../../scene/threads/answer-pairs.ts';
import type { ViewFrame } from '../../viewer/document.ts';
import type { FindingLog, Marks, Missing } from '../findings/finding-log.ts';
import { about, type Session } from '../inputs.ts';
import type { OpenedScene } from '../open-scene.ts';
import { type Frames, findInFrames, textOfTotals } from '../scene-frames.ts';
import { textOf } from '../scene-lines.ts';
import { createProgress } from '../terminal.ts';
import type { Found } from './source.ts';
import type { ViewFlags } from './view-flags.ts';

/** Puts the objects together, for threads to find what touches. @param name of all, for messages */
export function place(
  name: string,
  { objects, asked }: Pick<OpenedScene, 'objects' | 'asked'>,
  { log }: Session,
): Promise<PlacedScene> {
  const answerPairs = answerOnThreads(({ message }) => log.warn(`--jobs: one thread alone goes on: ${message}`));
  return about(name, () => placeScene(objects, asked, answerPairs));
}

/** What is found where the objects stand. @param facts of the last line; null: there is none */
export async function findStill(
  scene: PlacedScene,
  facts: OpenedScene['facts'] | null,
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
  const wasAsked = ({ rule, names: [a, b] }: BaselineEntry): boolean => b !== undefined && scene.looksAt(a, b, rule);
  const missing = await log.end(null, wasAsked, { command: 'scene' });
  return {
    findings: [...findings, ...missingFindings(missing)],
    summary: facts && textOf(summary, facts),
    frames: [],
  };
}

/** What is found frame by frame. */
export async function findMoving(
  scene: PlacedScene,
  { frames, movable, robot, facts }: OpenedScene & { frames: Frames },
  log: FindingLog,
  flags: ViewFlags,
): Promise<Found> {
  const taken: ViewFrame[] = [];
  const options = {
    ...{ failOn: flags.failOn ?? FAILING, facts: { objects: scene.objects.length, ...facts }, log },
    wasAsked: ({ names: [a, b] }: BaselineEntry): boolean => b !== undefined && scene.looksAt(a, b, null),
    ...{ stepping: {}, ...(robot && { robot: robot.facts }) },
  };
  const { summary, marks, missing } = await findInFrames(scene, kept(frames, taken), movable, options);
  const told = toldBy(summary).findings.map((finding, n) => ({ ...finding, ...shown(marks.flat()[n]) }));
  // In the order of the findings that a summary tells of.
  const firsts = summary.pairs.flatMap(({ first }) => Object.values(first));
  for (const [n, { id }] of told.entries()) (taken[firsts[n].frame].found ??= []).push(id);
  return { findings: [...told, ...missingFindings(missing)], summary: textOfTotals(summary, null), frames: taken };
}

const shown = ({ level, state, note, accepted }: Marks): Partial<ReportFinding> => ({
  ...{ level, state: state ?? null, note: note ?? null, accepted: accepted ?? false },
});

export const missingFindings = (missing: readonly Missing[]): ReportFinding[] =>
  missing.flatMap((record) => toldBy(record).findings);

/** The frames as they come, of which each is kept. */
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
