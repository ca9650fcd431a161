/**
 * The objects' poses in a view: moved by hand, otherwise by frames, otherwise initial. Completes
 * the state that a view begins with.
 */

import type { ReportFinding } from '../report/finding.ts';
import { severityOfFinding } from '../report/severity.ts';
import { isOld, LEVELS } from '../report/text.ts';
import type { ViewDocument } from './document.ts';
import type { FramingQuestion } from './protocol.ts';
import { poseOf, type ViewState } from './view-state.ts';

type Moving = Pick<ViewDocument, 'objects' | 'frames'>;
type When = Pick<ViewState, 'poses' | 'frame'>;
type Poses = Map<string, readonly number[]>;

/**
 * Returns an object's pose: 16 numbers, row-major 4x4, rigid.
 *
 * @param object its number in the document
 */
export function standingPose(document: Moving, state: When, object: number): readonly number[] {
  const { name, pose } = document.objects[object];
  return poseOf(state, name) ?? movedByFrames(document, state.frame).get(name) ?? pose;
}

export function movedPoses(document: Moving, state: When): Poses {
  const all = new Map(movedByFrames(document, state.frame));
  for (const { name } of document.objects) {
    const pose = poseOf(state, name);
    if (pose) all.set(name, pose);
  }
  return all;
}

/** Returns the frame in which a finding first occurs; null for findings at the initial poses. */
export function firstFrameOf({ frames }: Pick<ViewDocument, 'frames'>, id: string): number | null {
  const frame = frames.findIndex(({ found }) => found?.includes(id));
  return frame < 0 ? null : frame;
}

/** Returns the question how to frame a finding; null if its objects are not in the view. */
export function framingQuestion(
  document: Moving,
  state: When & Pick<ViewState, 'isOrthographic'>,
  { subjects, point, box }: ReportFinding,
): FramingQuestion | null {
  const objects = subjects.flatMap(({ name }) => {
    const object = document.objects.findIndex((one) => one.name === name);
    return object < 0 ? [] : [{ object, pose: standingPose(document, state, object) }];
  });
  return objects.length > 0 ? { objects, point, box, isOrthographic: state.isOrthographic } : null;
}

/** Per document: the last frame evaluated, and the poses there. */
const reached = new WeakMap<Moving, { frame: number; moved: Poses }>();

/** Objects absent from a frame keep their previous pose, so frames are evaluated in turn. */
function movedByFrames(document: Moving, frame: number | null): Poses {
  const { frames } = document;
  const last = Math.min(frame ?? -1, frames.length - 1);
  let known = reached.get(document);
  if (!known || known.frame > last) reached.set(document, (known = { frame: -1, moved: new Map() }));
  while (known.frame < last)
    for (const [name, pose] of Object.entries(frames[++known.frame].poses)) known.moved.set(name, pose);
  return known.moved;
}

type Opening = Pick<ViewDocument, 'objects' | 'findings' | 'frames' | 'again'>;

/**
 * Returns the most important finding: those that fail before notes, new before known and accepted
 * ones, in motion before still ones, the worst level first, the earliest frame first; then in the
 * order in which `scene` prints them. Its objects are in the view.
 */
function firstOf({ objects, findings, frames }: Opening): ReportFinding | undefined {
  const shown = new Set(objects.map(({ name }) => name));
  const met = new Map(frames.flatMap(({ found = [] }, frame) => found.map((id) => [id, frame] as const)).reverse());
  const rank = (finding: ReportFinding): number[] => {
    const frame = met.get(finding.id) ?? -1;
    // A robot stands on its floor in all frames.
    const isStill = frames.length > 0 && !frames[frame]?.touches;
    const isNote = finding.level === 'note';
    const severity = severityOfFinding(finding);
    return [
      Number(isNote),
      Number(isOld(finding)),
      Number(isStill),
      LEVELS.indexOf(finding.level),
      frame,
      severity.rank,
      -severity.amount,
      -severity.size,
    ];
  };
  let first: { finding: ReportFinding; rank: number[] } | undefined;
  for (const finding of findings) {
    if (!finding.subjects.every(({ name }) => shown.has(name))) continue;
    const own = rank(finding);
    const k = first?.rank.findIndex((x, i) => x !== own[i]) ?? 0;
    if (!first || own[k]! < first.rank[k]!) first = { finding, rank: own };
  }
  return first?.finding;
}

/** Completes a view state: chooses the pair of the most important finding, or else the first. */
export function begun(document: Opening, state: ViewState): ViewState {
  const { objects, findings, frames, again } = document;
  const chosen = findings.find(({ id }) => id === state.finding);
  const isOpen = state.a === null && state.b === null;
  const found = chosen ?? (again.command === 'check' ? undefined : firstOf(document));
  const names = (found?.subjects ?? objects).map(({ name }) => name);
  const a = state.a ?? names.find((name) => name !== state.b) ?? null;
  const b = state.b ?? names.find((name) => name !== a) ?? null;
  const met = found && (chosen || isOpen) ? firstFrameOf({ frames }, found.id) : null;
  return {
    ...state,
    a,
    b,
    isIsolated: state.isIsolated || chosen !== undefined,
    frame: state.frame ?? met ?? (frames.length > 0 ? 0 : null),
  };
}

/** Like `begun`, but a view that names no object and no finding shows the first that fails. */
export function opened(document: Opening, state: ViewState): ViewState {
  const isOpen = state.a === null && state.b === null && state.finding === null;
  const first = isOpen && document.again.command === 'scene' ? firstOf(document) : undefined;
  return begun(document, first && first.level !== 'note' ? { ...state, finding: first.id } : state);
}
