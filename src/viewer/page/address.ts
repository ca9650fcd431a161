/**
 * Keeps the view state in the address behind its #, so that a link shows the same again. Also keeps
 * the steps of undo, redo and the browser's history: poses, pairs and findings.
 */
import { FIRST_VIEW, readView, type ViewState, writeView } from '../view-state.ts';
import type { Store } from './parts.ts';

/** Milliseconds of rest before the address changes, since browsers limit the rate. */
const REST = 300;

const TOKEN = /[#&]token=/;

export interface Steps {
  /** -1 undoes the last step, 1 redoes one. */
  go(by: number): void;
  can(by: number): boolean;
  /** Calls the listener after each change of `can`. */
  follow(listener: () => void): void;
}

/**
 * Reads the state from the address, now and after each edit, and writes it there when the view
 * rests. A step is an entry in the browser's history; other changes replace the entry. Embedded
 * pages cannot change the history: they go through the steps that the page has seen.
 *
 * @param read parses a text, and completes the view
 */
export function followAddress(store: Store, read: (text: string) => ViewState = readView): Steps {
  /** The view at each step; those before the page was loaded are missing. */
  const steps: ViewState[] = [];
  let at = stepIn(history.state) ?? 0;
  let hasHistory = true;
  /** The state written last, and the resulting address: browsers escape more. */
  let written: string | null = '';
  let hash = '';
  let waiting: ReturnType<typeof setTimeout> | undefined;
  let tell = () => {};
  const take = () => {
    const step = stepIn(history.state);
    if (location.hash === hash && (step ?? at) === at) return;
    hash = location.hash;
    // A link that was entered here is a step of its own.
    if (step === null && steps.length > 0) steps.length = ++at;
    else at = step ?? at;
    const known = steps[at];
    store.set(known ? returned(known, store.state) : read(hash.slice(1)));
    steps[at] = store.state;
    // The printed address has a token, which leaves before the address is copied.
    if (step === null && (at > 0 || TOKEN.test(hash))) written = null;
    wait();
    tell();
  };
  const wait = () => {
    clearTimeout(waiting);
    waiting = setTimeout(write, REST);
  };
  const write = () => {
    clearTimeout(waiting);
    waiting = undefined;
    // The user has just edited the address, and its event is pending: that view wins.
    if (location.hash !== hash) return take();
    if (store.isHeld) return wait();
    const text = writeView(store.state);
    if (text === written) return;
    written = text;
    const isStep = stepOf(steps[at]) !== stepOf(store.state);
    // Back finds the first entry by its number.
    if (isStep && stepIn(history.state) === null) put('replaceState', at);
    if (isStep) steps.length = ++at;
    hasHistory = put(isStep ? 'pushState' : 'replaceState', at, text);
    hash = location.hash;
    steps[at] = store.state;
    tell();
  };
  const can = (by: number): boolean => steps[at + by] !== undefined || (by < 0 && at > 0 && hasHistory);
  const go = (by: number): void => {
    if (store.isHeld) return;
    if (waiting !== undefined) write();
    if (!can(by)) return;
    if (hasHistory) {
      history.go(by);
      return;
    }
    at += by;
    store.set(returned(steps[at], store.state));
    tell();
  };
  take();
  steps[at] = store.state;
  // Both come after Back; the second finds nothing new.
  for (const event of ['popstate', 'hashchange']) addEventListener(event, take);
  addEventListener('pagehide', () => {
    if (waiting !== undefined) write();
  });
  listenToKeys(go);
  store.follow(wait);
  return {
    ...{ go, can },
    follow(listener) {
      tell = listener;
      tell();
    },
  };
}

/** Returns false for embedded pages, whose address stays. */
function put(how: 'pushState' | 'replaceState', step: number, text?: string): boolean {
  try {
    const address = text === undefined ? undefined : `${location.pathname}${location.search}${text && `#${text}`}`;
    history[how]({ step }, '', address);
    return true;
  } catch {
    return false;
  }
}

/** Fields that undo their own typing. */
const TYPED = 'input:not([type=checkbox], [type=range]), textarea';

function listenToKeys(go: Steps['go']): void {
  addEventListener('keydown', (event) => {
    const by = byKey(event);
    if (by === 0 || (event.target instanceof Element && event.target.matches(TYPED))) return;
    event.preventDefault();
    go(by);
  });
}

function byKey({ key, ctrlKey, metaKey, shiftKey, altKey }: KeyboardEvent): number {
  if (altKey || ctrlKey === metaKey) return 0;
  const letter = key.toLowerCase();
  if (letter === 'z') return shiftKey ? 1 : -1;
  return letter === 'y' && !shiftKey ? 1 : 0;
}

const stepIn = (state: unknown): number | null => (state as { step?: number } | null)?.step ?? null;

/** The part of a view whose changes are steps. */
const stepOf = ({ a, b, poses, finding }: ViewState): string => writeView({ ...FIRST_VIEW, a, b, poses, finding });

/** Another finding is shown from its own view; everything else from the current one. */
const returned = ({ a, b, poses, finding, ...then }: ViewState, now: ViewState): Partial<ViewState> => ({
  ...{ a, b, poses, finding },
  ...(finding !== now.finding && {
    camera: then.camera,
    frame: then.frame,
    isIsolated: then.isIsolated,
    through: then.through,
  }),
});

export const linkOf = (store: Store): string => `${location.href.split('#')[0]}#${writeView(store.state)}`;
