/** A field that names an object: a list if there are few, otherwise text with suggestions. */
import { printable } from '../../../base/printable.ts';
import { fill, make } from './elements.ts';
import { type Surroundings, take } from './panel.ts';

export interface ObjectField {
  element: HTMLElement;
  show(name: string | null): void;
}

const FEW = 60;

export function createObjectField(side: 'a' | 'b', surroundings: Surroundings): ObjectField {
  return surroundings.loaded.document.objects.length <= FEW
    ? listField(side, surroundings)
    : textField(side, surroundings);
}

function listField(side: 'a' | 'b', { loaded, store }: Surroundings): ObjectField {
  const { objects } = loaded.document;
  const element = make('select');
  fill(element, [['', '(none)'], ...objects.map(({ name }, k): [string, string] => [String(k), printable(name)])]);
  element.addEventListener('change', () => {
    take(store, side, element.value === '' ? null : objects[Number(element.value)].name);
  });
  return {
    element,
    show(name) {
      const object = name === null ? undefined : loaded.numbers.get(name);
      element.value = object === undefined ? '' : String(object);
    },
  };
}

let fields = 0;

function textField(side: 'a' | 'b', { loaded, store, say }: Surroundings): ObjectField {
  const { objects } = loaded.document;
  const names = objects.map(({ name }) => printable(name));
  const plain = names.map((name) => name.toLowerCase());
  const options = make('datalist', { id: `names${fields++}` });
  const control = make('input', { type: 'text', list: options.id, autocomplete: 'off', spellcheck: 'false' });
  const element = make('span', { class: 'names' }, control, options);
  const show = (name: string | null) => {
    control.value = name === null ? '' : printable(name);
  };
  control.addEventListener('input', () => {
    const part = control.value.toLowerCase();
    const offered: string[] = [];
    for (let k = 0; k < names.length && offered.length < FEW; k++) if (plain[k].includes(part)) offered.push(names[k]);
    options.replaceChildren(...offered.map((value) => make('option', { value })));
  });
  control.addEventListener('change', () => {
    const object = names.indexOf(control.value.trim());
    if (control.value.trim() === '') take(store, side, null);
    else if (object >= 0) take(store, side, objects[object].name);
    else {
      say(`no object is called ${control.value.trim()}`, 'problem');
      show(store.state[side]);
    }
  });
  return { element, show };
}
