/** The poses of a and b: typed, moved by handles, reset. */
import { printable } from '../../../base/printable.ts';
import { standingPose } from '../../standing.ts';
import { poseOf, type ViewState } from '../../view-state.ts';
import { button, buttons, type Folding, make, section, write } from './elements.ts';
import { changed, type Panel, type Surroundings } from './panel.ts';
import { createPoseForm } from './pose-form.ts';

type Side = 'a' | 'b';
export type Gizmo = 'none' | 'move' | 'turn';

export interface PosePanel extends Panel {
  gizmo(mode: Gizmo): void;
  reset(): void;
}

const SIDES: [Side, string][] = [
  ['a', 'a'],
  ['b', 'b'],
];
const GIZMOS: [Gizmo, string][] = [
  ['none', 'none'],
  ['move', 'move'],
  ['turn', 'turn'],
];

export function createPose({ loaded, store, wishes }: Surroundings, folding: Folding): PosePanel {
  let side: Side = 'b';
  const form = createPoseForm((pose) => {
    const object = store.state[side];
    if (object !== null) store.set({ poses: { ...store.state.poses, [object]: pose } });
  });
  const name = make('p', { class: 'object-name' });
  const sides = buttons('Whose pose', SIDES, (chosen) => {
    side = chosen;
    show(store.state, true);
  });
  const handles = buttons('Handles', GIZMOS, (mode) => gizmo(mode));
  const gizmo = (mode: Gizmo) => {
    handles.press(mode);
    wishes.gizmo(mode);
  };
  let shown: string | null | undefined;
  const show = (state: ViewState, isForced: boolean) => {
    sides.press(side);
    const chosen = state[side];
    shown = chosen;
    const object = chosen === null ? undefined : loaded.numbers.get(chosen);
    form.element.hidden = object === undefined;
    write(name, chosen === null ? `no ${side} is chosen` : printable(chosen));
    reset.disabled = chosen === null || !Object.hasOwn(state.poses, chosen);
    if (object !== undefined) form.show(standingPose(loaded.document, state, object), isForced);
  };
  const putBack = () => {
    const object = store.state[side];
    if (object === null) return;
    store.set({ poses: Object.fromEntries(Object.entries(store.state.poses).filter(([key]) => key !== object)) });
    show(store.state, true);
  };
  const reset = button('Reset', putBack);
  const resetAll = button('Reset all', () => store.set({ poses: {} }));
  handles.press('none');
  return {
    element: section(
      'Pose',
      folding,
      make('div', { class: 'line' }, sides.element, name),
      make('div', { class: 'line' }, make('span', { class: 'hint' }, 'Handles'), handles.element),
      form.element,
      make('div', { class: 'line' }, reset, resetAll),
    ),
    gizmo,
    reset: putBack,
    follow(state, before) {
      // A drag of the other object selects it for the fields and for Reset.
      const other = side === 'a' ? 'b' : 'a';
      if (before && isMoved(other, state, before) && !isMoved(side, state, before)) side = other;
      resetAll.disabled = Object.keys(state.poses).length === 0;
      const isOther = state[side] !== shown;
      if (isOther || changed(state, before, 'poses', 'frame')) show(state, isOther);
    },
  };
}

function isMoved(side: Side, state: ViewState, before: ViewState): boolean {
  const name = state[side];
  return name !== null && name === before[side] && poseOf(state, name) !== poseOf(before, name);
}
