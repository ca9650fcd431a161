/** Where the objects of a view stand: moved by hand, else by its frames, else as they were placed. */
import type { ViewDocument } from './document.ts';
import { poseOf, type ViewState } from './view-state.ts';

/**
 * The pose of an object: 16 numbers, row-major 4x4, rigid.
 *
 * @param object its number in the document
 */
export function standingPose(
  { objects, frames }: Pick<ViewDocument, 'objects' | 'frames'>,
  state: Pick<ViewState, 'poses' | 'frame'>,
  object: number,
): readonly number[] {
  const { name, pose } = objects[object];
  const moved = poseOf(state, name);
  if (moved) return moved;
  // Who is not in a frame stays where the frames before it left them.
  for (let k = Math.min(state.frame ?? -1, frames.length - 1); k >= 0; k--)
    if (Object.hasOwn(frames[k].poses, name)) return frames[k].poses[name];
  return pose;
}
