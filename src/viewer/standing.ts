/** The objects' poses in a view: moved by hand, otherwise by frames, otherwise initial. */
import type { ViewDocument } from './document.ts';
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
