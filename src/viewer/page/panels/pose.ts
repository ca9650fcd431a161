/** Where a and b stand: typed, moved by handles, put back. */
import { InputError } from '../../../math/errors.ts';
import { printable } from '../../../math/printable.ts';
import { standingPose } from '../../standing.ts';
import type { ViewState } from '../../view-state.ts';
import { button, buttons, choice, labelled, make, section, write } from './elements.ts';
import { changed, type Panel, type Surroundings } from './panel.ts';
import { numberOf, placed, TURN_FIELDS, type Turn, textsOf, turned } from './pose-text.ts';

type Side = 'a' | 'b';
export type Gizmo = 'none' | 'move' | 'turn';

export interface PosePanel extends Panel {
  gizmo(mode: Gizmo): void;
  /** Puts the object back whose pose is shown. */
  reset(): void;
}

const TURNS: [Turn, string][] = [
  ['axis', 'axis and degrees'],
  ['quaternion', 'quaternion'],
  ['matrix', '16 numbers'],
];
const PLACES = ['x', 'y', 'z'];

export function createPose({ loaded, store, wishes }: Surroundings, isOpen: boolean): PosePanel {
  let side: Side = 'b';
  const problem = make('p', { class: 'problem', role: 'alert' });
  const form = createForm(problem);
  const name = make('p', { class: 'object-name' });
  const sides = buttons<Side>(
    'Whose pose',
    [
      ['a', 'a'],
      ['b', 'b'],
    ],
    (chosen) => {
      side = chosen;
      show(store.state, true);
    },
  );
  const handles = buttons<Gizmo>(
    'Handles',
    [
      ['none', 'none'],
      ['move', 'move'],
      ['turn', 'turn'],
    ],
    (mode) => gizmo(mode),
  );
  const gizmo = (mode: Gizmo) => {
    handles.press(mode);
    wishes.gizmo(mode);
  };
  const numberIn = (state: ViewState): number | undefined => {
    const object = state[side];
    return object === null ? undefined : loaded.numbers.get(object);
  };
  const show = (state: ViewState, isForced: boolean) => {
    sides.press(side);
    const object = numberIn(state);
    form.element.hidden = object === undefined;
    write(name, object === undefined ? `no ${side} is chosen` : printable(loaded.document.objects[object].name));
    reset.disabled = true;
    if (object === undefined) return;
    reset.disabled = !Object.hasOwn(state.poses, loaded.document.objects[object].name);
    form.show(standingPose(loaded.document, state, object), isForced);
  };
  const putBack = () => {
    const object = store.state[side];
    if (object === null) return;
    store.set({ poses: Object.fromEntries(Object.entries(store.state.poses).filter(([key]) => key !== object)) });
    show(store.state, true);
  };
  const reset = button('Reset', putBack);
  const resetAll = button('Reset all', () => store.set({ poses: {} }));
  form.onApply((pose) => {
    const object = store.state[side];
    if (object !== null) store.set({ poses: { ...store.state.poses, [object]: pose } });
  });
  handles.press('none');
  return {
    element: section(
      'Pose',
      isOpen,
      make('div', { class: 'line' }, sides.element, name),
      make('div', { class: 'line' }, make('span', { class: 'hint' }, 'Handles'), handles.element),
      form.element,
      problem,
      make('div', { class: 'line' }, reset, resetAll),
    ),
    gizmo,
    reset: putBack,
    follow(state, before) {
      resetAll.disabled = Object.keys(state.poses).length === 0;
      const isOther = state[side] !== before?.[side];
      if (isOther || changed(state, before, 'poses', 'frame')) show(state, isOther);
    },
  };
}

interface PoseForm {
  element: HTMLFormElement;
  /** Shows a pose, unless somebody is typing one. */
  show(pose: readonly number[], isForced: boolean): void;
  onApply(listener: (pose: readonly number[]) => void): void;
}

function createForm(problem: HTMLElement): PoseForm {
  let turn: Turn = 'axis';
  let shown: readonly number[] = [];
  let apply: (pose: readonly number[]) => void = () => {};
  const places = PLACES.map(() => input());
  let turns: HTMLInputElement[] = [];
  const turnFields = make('div', { class: 'numbers' });
  const placeFields = make('fieldset', {}, make('legend', {}, 'Move'));
  placeFields.append(make('div', { class: 'numbers' }, ...places.map((field, k) => labelled(PLACES[k], field))));
  const how = choice(
    'Turn by',
    TURNS,
    (value) => {
      turn = value as Turn;
      draw();
    },
    true,
  );
  const element = make(
    'form',
    { class: 'pose', autocomplete: 'off', novalidate: true },
    placeFields,
    make('fieldset', {}, make('legend', {}, 'Turn'), how.element, turnFields),
    make('button', { type: 'submit' }, 'Apply'),
  );
  const draw = () => {
    turns = TURN_FIELDS[turn].map(() => input());
    turnFields.className = `numbers ${turn}`;
    turnFields.replaceChildren(...turns.map((field, k) => labelled(TURN_FIELDS[turn][k], field)));
    placeFields.hidden = turn === 'matrix';
    fillIn();
  };
  const fillIn = () => {
    write(problem, '');
    const texts = [shown[3], shown[7], shown[11]].map(String);
    for (const [k, field] of places.entries()) put(field, texts[k]);
    if (shown.length > 0) for (const [k, text] of textsOf(turn, shown).entries()) put(turns[k], text);
  };
  const isTyped = (field: HTMLInputElement): boolean => field.value !== field.defaultValue;
  element.addEventListener('submit', (event) => {
    event.preventDefault();
    try {
      // Who moves an object alone leaves its turn as it is, to the bit.
      const pose = turns.some(isTyped)
        ? turned(
            turn,
            turns.map(({ value }) => value),
          )
        : shown;
      const [x, y, z] = places.map((field, k) =>
        isTyped(field) ? numberOf(field.value, PLACES[k]) : shown[4 * k + 3],
      );
      shown = turn === 'matrix' ? [...pose] : [...placed(pose, x, y, z)];
      fillIn();
      apply(shown);
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      write(problem, error.message);
    }
  });
  element.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') fillIn();
  });
  draw();
  return {
    element,
    show(pose, isForced) {
      if (!isForced && [...places, ...turns].some(isTyped)) return;
      shown = pose;
      fillIn();
    },
    onApply(listener) {
      apply = listener;
    },
  };
}

const input = (): HTMLInputElement => make('input', { type: 'text', inputmode: 'text', spellcheck: 'false' });

/** What a field is put to is what it is compared with, to tell what was typed. */
function put(field: HTMLInputElement, text: string): void {
  field.defaultValue = text;
  field.value = text;
}
