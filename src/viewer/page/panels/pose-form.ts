/** The fields of a pose: a place and a turn. Enter applies them; errors say why. */
import { InputError } from '../../../base/errors.ts';
import { choice, labelled, make, write } from './elements.ts';
import { numberOf, placed, TURN_FIELDS, type Turn, textsOf, turned } from './pose-text.ts';

const TURNS: [Turn, string][] = [
  ['axis', 'axis and degrees'],
  ['quaternion', 'quaternion'],
  ['matrix', '16 numbers'],
];
const PLACES = ['x', 'y', 'z'];

export function createPoseForm(onApply: (pose: readonly number[]) => void) {
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
    /** Shows a pose; unless it is forced, not while somebody is typing one. */
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
