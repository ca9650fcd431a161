/** Keeps the view state in the address behind its #, so that a link shows the same again. */
import { readView, type ViewState, writeView } from '../view-state.ts';
import type { Store } from './parts.ts';

/** Milliseconds of rest before the address changes, since browsers limit the rate. */
const REST = 300;

const TOKEN = /[#&]token=/;

/**
 * Reads the state from the address, now and after each edit, and writes it there when the view
 * rests. The history stays unchanged, so that Back leaves the page.
 *
 * @param read parses a text, and completes the view
 */
export function followAddress(store: Store, read: (text: string) => ViewState = readView): void {
  /** The state written last, and the resulting address: browsers escape more. */
  let written: string | null = '';
  let hash = '';
  let waiting: ReturnType<typeof setTimeout> | undefined;
  const take = () => {
    if (location.hash === hash) return;
    hash = location.hash;
    store.set(read(hash.slice(1)));
    if (!TOKEN.test(hash)) return;
    // The printed address was opened again in this view: remove its token before it is copied.
    written = null;
    wait();
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
    const text = writeView(store.state);
    if (text === written) return;
    written = text;
    try {
      history.replaceState(history.state, '', `${location.pathname}${location.search}${text && `#${text}`}`);
      hash = location.hash;
    } catch {
      // Embedded pages cannot change their address: go on without.
    }
  };
  take();
  addEventListener('hashchange', take);
  addEventListener('pagehide', () => {
    if (waiting !== undefined) write();
  });
  store.follow(wait);
}

export const linkOf = (store: Store): string => `${location.href.split('#')[0]}#${writeView(store.state)}`;
