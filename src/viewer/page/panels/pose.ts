/** The poses of a and b: typed as a place and a turn, reset. */

import { InputError } from '../../../base/errors.ts';
import { printable } from '../../../base/printable.ts';
import { standingPose } from '../../standing.ts';
import { poseOf, type ViewState } from '../../view-state.ts';
import {
  button,
  buttons,
  changed,
  choice,
  type Folding,
  labelled,
  make,
  type Panel,
  type Surroundings,
  section,
  write,
} from './elements.ts';
import { numberOf, placed, TURN_FIELDS, type Turn, textsOf, turned } from './pose-text.ts';

type Side = 'a' | 'b';

export interface PosePanel extends Panel {
  reset(): void;
}

const SIDES: [Side, string][] = [
  ['a', 'a'],
  ['b', 'b'],
];

export function createPose({ loaded, store, names }: Surroundings, folding: Folding): PosePanel {
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
  let shown: string | null | undefined;
  const show = (state: ViewState, isForced: boolean) => {
    sides.press(side);
    const chosen = state[side];
    shown = chosen;
    const object = chosen === null ? undefined : loaded.numbers.get(chosen);
    form.element.hidden = object === undefined;
    write(name, chosen === null ? `no ${side} is chosen` : names.label(chosen));
    name.title = printable(chosen ?? '');
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
  return {
    element: section(
      'Pose',
      folding,
      make('div', { class: 'line' }, sides.element, name),
      form.element,
      make('div', { class: 'line' }, reset, resetAll),
    ),
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

const TURNS: [Turn, string][] = [
  ['axis', 'axis and degrees'],
  ['quaternion', 'quaternion'],
  ['matrix', 'all numbers'],
];
const PLACES = ['x', 'y', 'z'];

/** Fields of a place and a turn. Enter applies them; errors explain what is wrong. */
function createPoseForm(onApply: (pose: readonly number[]) => void) {
  let shown: readonly number[] = [];
  const problem = make('p', { class: 'problem', role: 'alert' });
  const places = PLACES.map(() => input());
  const turns = createTurnFields(() => fillIn());
  const fillIn = () => {
    write(problem, '');
    placeFields.hidden = turns.turn === 'matrix';
    if (shown.length === 0) return;
    for (const [k, field] of places.entries()) put(field, String(shown[4 * k + 3]));
    turns.show(shown);
  };
  const apply = () => {
    // Moving an object without typing a turn keeps its turn to the bit.
    const pose = turns.isTyped() ? turns.read() : shown;
    const [x, y, z] = places.map((field, k) => (isTyped(field) ? numberOf(field.value, PLACES[k]) : shown[4 * k + 3]));
    shown = turns.turn === 'matrix' ? [...pose] : [...placed(pose, x, y, z)];
    fillIn();
    onApply(shown);
  };
  const placeFields = make(
    'fieldset',
    {},
    make('legend', {}, 'Move'),
    make('div', { class: 'numbers' }, ...places.map((field, k) => labelled(PLACES[k], field))),
  );
  const submit = make('button', { type: 'submit' }, 'Apply');
  const attributes = { class: 'pose', autocomplete: 'off', novalidate: true };
  const element = make('form', attributes, placeFields, turns.element, submit, problem);
  element.addEventListener('submit', (event) => {
    event.preventDefault();
    try {
      apply();
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      write(problem, error.message);
    }
  });
  element.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') fillIn();
  });
  return {
    element,
    /** Shows a pose. Unless it is forced, it waits while the user is typing one. */
    show(pose: readonly number[], isForced: boolean): void {
      if (!isForced && (places.some(isTyped) || turns.isTyped())) return;
      shown = pose;
      fillIn();
    },
  };
}

function createTurnFields(onChange: () => void) {
  let turn: Turn = 'axis';
  let fields: HTMLInputElement[] = [];
  const place = make('div');
  const draw = () => {
    fields = TURN_FIELDS[turn].map(() => input());
    place.className = `numbers ${turn}`;
    place.replaceChildren(...fields.map((field, k) => labelled(TURN_FIELDS[turn][k], field)));
  };
  const choose = (value: string) => {
    turn = value as Turn;
    draw();
    onChange();
  };
  draw();
  return {
    element: make(
      'fieldset',
      {},
      make('legend', {}, 'Turn'),
      choice('Turn by', TURNS, choose, { isBeside: true }).element,
      place,
    ),
    get turn() {
      return turn;
    },
    show(pose: readonly number[]) {
      for (const [k, text] of textsOf(turn, pose).entries()) put(fields[k], text);
    },
    isTyped: () => fields.some(isTyped),
    read: () =>
      turned(
        turn,
        fields.map(({ value }) => value),
      ),
  };
}

const input = (): HTMLInputElement => make('input', { type: 'text', spellcheck: 'false' });

function put(field: HTMLInputElement, text: string): void {
  field.defaultValue = text;
  field.value = text;
}

const isTyped = (field: HTMLInputElement): boolean => field.value !== field.defaultValue;
