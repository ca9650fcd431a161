/** Checks a view against its document: a link may be of another scene, or of an earlier one. */
import { idsMeant, printable } from '../base/printable.ts';
import type { ViewDocument } from './document.ts';
import type { ViewState } from './view-state.ts';

/** A part of a view that its document does not have. */
export interface Unknown {
  /** One line. */
  problem: string;
  key: 'object' | 'finding' | 'frame';
  name: string;
  /** The names that there are. */
  known: readonly string[];
}

/** Returns a view with its finding's whole id, without the parts that its document lacks. */
export function knownView(
  { objects, findings, frames }: Pick<ViewDocument, 'objects' | 'findings' | 'frames'>,
  state: ViewState,
  onUnknown: (unknown: Unknown) => void,
): ViewState {
  const names = new Set(objects.map(({ name }) => name));
  const isKnown = (name: string | null): boolean => {
    if (name === null || names.has(name)) return true;
    onUnknown({ problem: `no object is called "${printable(name)}"`, key: 'object', name, known: [...names] });
    return false;
  };
  const known: ViewState = {
    ...state,
    a: isKnown(state.a) ? state.a : null,
    b: isKnown(state.b) ? state.b : null,
    poses: Object.fromEntries(Object.entries(state.poses).filter(([name]) => isKnown(name))),
  };
  const { finding: id, frame } = state;
  if (id !== null) {
    const ids = findings.map((finding) => finding.id);
    const meant = idsMeant(id, ids);
    known.finding = meant.length === 1 ? meant[0]! : null;
    const begin = `several findings have ids that begin with ${printable(id)}`;
    const problem = meant.length > 1 ? begin : `no finding has the id ${printable(id)}`;
    if (meant.length !== 1) onUnknown({ problem, key: 'finding', name: id, known: meant.length > 1 ? meant : ids });
  }
  if (frame !== null && frame >= frames.length) {
    known.frame = null;
    const most = frames.length === 0 ? 'nothing moves here' : `the last one is ${frames.length - 1}`;
    onUnknown({ problem: `there is no frame ${frame}: ${most}`, key: 'frame', name: String(frame), known: [] });
  }
  return known;
}
