/**
 * Where the objects of a view stand: moved by hand, else by its frames, else as they were placed.
 */
import type { ViewDocument } from './document.ts';
import { poseOf, type ViewState } from './view-state.ts';

type Moving = Pick<ViewDocument, 'objects' | 'frames'>;
type When = Pick<ViewState, 'poses' | 'frame'>;
type Poses = Map<string, readonly number[]>;

/**
 * The pose of an object: 16 numbers, row-major 4x4, rigid.
 *
 * @param object its number in the document
 */
export function standingPose(document: Moving, state: When, object: number): readonly number[] {
  const { name, pose } = document.objects[object];
  return poseOf(state, name) ?? movedByFrames(document, state.frame).get(name) ?? pose;
}

/** Whom frames and hands have moved, by their names, and where they stand. */
export function movedPoses(document: Moving, state: When): Poses {
  const all = new Map(movedByFrames(document, state.frame));
  for (const { name } of document.objects) {
    const pose = poseOf(state, name);
    if (pose) all.set(name, pose);
  }
  return all;
}

/** The frame in which a finding is met first; null of what is found where all stand still. */
export function firstFrameOf({ frames }: Pick<ViewDocument, 'frames'>, id: string): number | null {
  const frame = frames.findIndex(({ found }) => found?.includes(id));
  return frame < 0 ? null : frame;
}

/** Of each document, up to which frame it was gone through, and whom that has moved. */
const reached = new WeakMap<Moving, { frame: number; moved: Poses }>();

/**
 * Who is not in a frame stays where the frames before it left them: they are gone through in turn.
 */
function movedByFrames(document: Moving, frame: number | null): Poses {
  const { frames } = document;
  const last = Math.min(frame ?? -1, frames.length - 1);
  let known = reached.get(document);
  if (!known || known.frame > last) reached.set(document, (known = { frame: -1, moved: new Map() }));
  while (known.frame < last)
    for (const [name, pose] of Object.entries(frames[++known.frame].poses)) known.moved.set(name, pose);
  return known.moved;
}
