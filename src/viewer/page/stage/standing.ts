/**
 * Where each object stands: by hand, where the store has a pose of it, else where it was put last,
 * by its document or a frame.
 */
import type { ViewState } from '../../view-state.ts';
import type { Loaded } from '../parts.ts';

export interface Standing {
  /** The object was put there; the store's pose of it, if any, is the hand's. */
  put(object: number, pose: ArrayLike<number>, poses: ViewState['poses']): void;
  /** The objects that the hand has moved between two states, and where they stand now. */
  changes(state: ViewState, before: ViewState): [number, ArrayLike<number>][];
}

export function createStanding({ document, numbers }: Loaded): Standing {
  const { objects } = document;
  const base: ArrayLike<number>[] = objects.map(({ pose }) => pose);
  return {
    put(object, pose, poses) {
      const byHand = poses[objects[object].name];
      if (!byHand || byHand.some((entry, i) => entry !== pose[i])) base[object] = Float64Array.from(pose);
    },
    changes(state, before) {
      if (state.poses === before.poses) return [];
      const names = new Set([...Object.keys(state.poses), ...Object.keys(before.poses)]);
      return [...names].flatMap((name): [number, ArrayLike<number>][] => {
        const object = numbers.get(name);
        if (object === undefined || state.poses[name] === before.poses[name]) return [];
        return [[object, state.poses[name] ?? base[object]]];
      });
    },
  };
}
