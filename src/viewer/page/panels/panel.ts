/** What every part of the panels is given, and what it gives. */
import type { AssetFacts } from '../../protocol.ts';
import type { ViewState } from '../../view-state.ts';
import type { Loaded, Store, Wishes } from '../parts.ts';

export interface Surroundings {
  loaded: Loaded;
  store: Store;
  wishes: Wishes;
  say(text: string, kind: 'status' | 'problem'): void;
  copy(text: string, what: string): void;
}

export interface Panel {
  readonly element: HTMLElement;
  /** Shows the state; `before` is null the first time. */
  follow(state: ViewState, before: ViewState | null): void;
}

/** What is known of the asset of an object; undefined where no object has this name. */
export function factsOf({ document, facts, numbers }: Loaded, name: string | null): AssetFacts | undefined {
  const object = name === null ? undefined : numbers.get(name);
  return object === undefined ? undefined : facts[document.objects[object].asset];
}

/** Makes an object a or b. If it is the other one already, the two are exchanged. */
export function take(store: Store, side: 'a' | 'b', name: string | null): void {
  const { a, b } = store.state;
  const isOther = name !== null && name === (side === 'a' ? b : a);
  const [first, second] = isOther ? [b, a] : side === 'a' ? [name, b] : [a, name];
  store.set({ a: first, b: second, finding: null });
}

export const changed = (state: ViewState, before: ViewState | null, ...keys: (keyof ViewState)[]): boolean =>
  before === null || keys.some((key) => state[key] !== before[key]);
