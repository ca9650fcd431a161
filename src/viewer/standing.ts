/**
 * The objects' poses in a view: moved by hand, otherwise by frames, otherwise initial. Completes
 * the state that a view begins with.
 */

import type { Level, ReportFinding } from '../report/finding.ts';
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

const LEVELS: readonly Level[] = ['error', 'warning', 'note'];

/** Completes a view state: chooses the first of the worst findings, otherwise the first pair. */
export function begun(
  { objects, findings, frames, again }: Pick<ViewDocument, 'objects' | 'findings' | 'frames' | 'again'>,
  state: ViewState,
): ViewState {
  const chosen = findings.find(({ id }) => id === state.finding);
  const worst = LEVELS.find((level) => findings.some((finding) => finding.level === level));
  const shown = new Set(objects.map(({ name }) => name));
  const isShown = (name: string): boolean => shown.has(name);
  const first =
    again.command === 'check'
      ? undefined
      : findings.find(({ level, subjects }) => level === worst && subjects.every(({ name }) => isShown(name)));
  const names = ((chosen ?? first)?.subjects ?? objects).map(({ name }) => name);
  const a = state.a ?? names.find((name) => name !== state.b) ?? null;
  const b = state.b ?? names.find((name) => name !== a) ?? null;
  return {
    ...state,
    a,
    b,
    isIsolated: state.isIsolated || chosen !== undefined,
    frame: state.frame ?? (chosen && firstFrameOf({ frames }, chosen.id)) ?? (frames.length > 0 ? 0 : null),
  };
}
