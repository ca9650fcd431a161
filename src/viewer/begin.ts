/** Completes a view state: chooses the first of the worst findings, otherwise the first pair. */
import type { Level } from '../report/finding.ts';
import type { ViewDocument } from './document.ts';
import { firstFrameOf } from './standing.ts';
import type { ViewState } from './view-state.ts';

const LEVELS: readonly Level[] = ['error', 'warning', 'note'];

export function begun(
  { objects, findings, frames, again }: Pick<ViewDocument, 'objects' | 'findings' | 'frames' | 'again'>,
  state: ViewState,
): ViewState {
  const chosen = findings.find(({ id }) => id === state.finding);
  const worst = LEVELS.find((level) => findings.some((finding) => finding.level === level));
  const shown = new Set(objects.map(({ name }) => name));
  const isShown = (name: string): boolean => shown.has(name);
  const first =
    again.command === 'check'
      ? undefined
      : findings.find(({ level, subjects }) => level === worst && subjects.every(({ name }) => isShown(name)));
  const names = ((chosen ?? first)?.subjects ?? objects).map(({ name }) => name);
  const a = state.a ?? names.find((name) => name !== state.b) ?? null;
  const b = state.b ?? names.find((name) => name !== a) ?? null;
  return {
    ...state,
    a,
    b,
    isIsolated: state.isIsolated || chosen !== undefined,
    frame: state.frame ?? (chosen && firstFrameOf({ frames }, chosen.id)) ?? (frames.length > 0 ? 0 : null),
  };
}
