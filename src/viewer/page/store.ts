/** The view state and its followers. */
import type { ViewState } from '../view-state.ts';
import type { Store } from './parts.ts';

export function createStore(first: ViewState): Store {
  let state = first;
  let told = first;
  const listeners = new Set<(state: ViewState, before: ViewState) => void>();
  const tell = () => {
    const before = told;
    told = state;
    for (const listener of [...listeners]) if (listeners.has(listener)) listener(told, before);
  };
  return {
    get state() {
      return state;
    },
    isHeld: false,
    set(changes) {
      const keys = Object.keys(changes) as (keyof ViewState)[];
      if (keys.every((key) => Object.is(state[key], changes[key]))) return;
      // The first change of a task schedules the notification, which includes the later ones.
      if (state === told) queueMicrotask(tell);
      state = { ...state, ...changes };
    },
    follow(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
