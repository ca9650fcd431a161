/** The address holds the state of the view behind its #, so that a link shows the same again. */
import { readView, type ViewState, writeView } from '../view-state.ts';
import type { Store } from './parts.ts';

/** Milliseconds of rest before the address changes: browsers count how often it does. */
const REST = 300;

/** The server's secret in the address that it prints. */
const TOKEN = /[#&]token=/;

/**
 * Takes the state from the address, now and when somebody changes it, and writes it there when the
 * view rests. Does nothing to the history: a way back leads off the page.
 *
 * @param read the state that a text tells of, with what a view shows where that does not say
 */
export function followAddress(store: Store, read: (text: string) => ViewState = readView): void {
  /**
   * The state as it was written last, and what stands in the address then: browsers escape more.
   */
  let written: string | null = '';
  let hash = '';
  let waiting: ReturnType<typeof setTimeout> | undefined;
  const take = () => {
    if (location.hash === hash) return;
    hash = location.hash;
    store.set(read(hash.slice(1)));
    if (!TOKEN.test(hash)) return;
    // The printed address was opened where the view is already; nobody is to copy its token.
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
    // Somebody has just changed the address, and its event is still to come: that view wins.
    if (location.hash !== hash) return take();
    const text = writeView(store.state);
    if (text === written) return;
    written = text;
    try {
      history.replaceState(history.state, '', `${location.pathname}${location.search}${text && `#${text}`}`);
      hash = location.hash;
    } catch {
      // Pages within pages have addresses that nobody may change: the view goes on without.
    }
  };
  take();
  addEventListener('hashchange', take);
  addEventListener('pagehide', () => {
    if (waiting !== undefined) write();
  });
  store.follow(wait);
}

/** The address of this view, to be sent to somebody. */
export const linkOf = (store: Store): string => `${location.href.split('#')[0]}#${writeView(store.state)}`;
