/** Elements and texts for panels, and their common data. Text becomes text nodes, never markup. */
import { grouped } from '../../../base/printable.ts';
import type { AssetFacts } from '../../protocol.ts';
import type { ViewState } from '../../view-state.ts';
import type { Loaded, Store, Wishes } from '../parts.ts';
import type { Names } from './names.ts';

export type Child = Node | string;
type Attributes = Record<string, string | number | boolean>;

/** Creates an element; `true` is an attribute without a value, `false` is none. */
export function make<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes))
    if (value !== false) element.setAttribute(name, value === true ? '' : String(value));
  element.append(...children);
  return element;
}

export function button(text: string, onClick: () => void, attributes: Attributes = {}): HTMLButtonElement {
  const element = make('button', { type: 'button', ...attributes }, text);
  element.addEventListener('click', onClick);
  return element;
}

export const labelled = (text: string, control: HTMLElement, attributes: Attributes = {}): HTMLLabelElement =>
  make('label', { class: 'field', ...attributes }, make('span', {}, text), control);

export interface Choice {
  element: HTMLLabelElement;
  control: HTMLSelectElement;
}

export function choice(
  label: string,
  options: readonly (readonly [value: string, words: string])[],
  onChange: (value: string) => void,
  { isBeside = false }: { isBeside?: boolean } = {},
): Choice {
  const control = make('select');
  fill(control, options);
  control.addEventListener('change', () => onChange(control.value));
  return { element: labelled(label, control, { class: isBeside ? 'field beside' : 'field' }), control };
}

export function fill(control: HTMLSelectElement, options: readonly (readonly [value: string, words: string])[]): void {
  const { value } = control;
  control.replaceChildren(...options.map(([key, words]) => make('option', { value: key }, words)));
  if (options.some(([key]) => key === value)) control.value = value;
}

export interface Check {
  element: HTMLLabelElement;
  control: HTMLInputElement;
}

export function check(text: string, onChange: (isChecked: boolean) => void): Check {
  const control = make('input', { type: 'checkbox' });
  control.addEventListener('change', () => onChange(control.checked));
  return { element: make('label', { class: 'check' }, control, make('span', {}, text)), control };
}

interface Switch<Value extends string> {
  element: HTMLElement;
  press(value: Value): void;
}

export function buttons<Value extends string>(
  label: string,
  options: readonly (readonly [value: Value, words: string])[],
  onPress: (value: Value) => void,
): Switch<Value> {
  const all = options.map(([value, words]) => button(words, () => onPress(value)));
  return {
    element: make('div', { class: 'switch', role: 'group', 'aria-label': label }, ...all),
    press: (value) => {
      for (const [k, [key]] of options.entries()) all[k].setAttribute('aria-pressed', String(key === value));
    },
  };
}

export interface Folding {
  isOpen: boolean;
}

export function section(title: string, { isOpen }: Folding, ...children: Child[]): HTMLDetailsElement {
  return make(
    'details',
    { class: 'section', open: isOpen },
    make('summary', {}, make('h2', {}, title)),
    make('div', { class: 'inside' }, ...children),
  );
}

/** A line with the short name of an object, and in small print its place. */
export const nameLine = (name: string, names: Names): HTMLElement =>
  make('div', { class: 'name' }, names.label(name) || '(no name)', ' ', make('small', {}, names.place(name)));

/** Skips equal text, since many texts are written at every move. */
export function write(element: HTMLElement, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

export const milliseconds = (ms: number): string => (ms > 0 ? `${ms.toFixed(2)} ms` : 'less than 0.1 ms');

/** `1 pair`, `1,200 pairs`. */
export const counted = (count: number, noun: string): string => `${grouped(count)} ${noun}${count === 1 ? '' : 's'}`;

/** The data that every part of the panels gets. */
export interface Surroundings {
  loaded: Loaded;
  store: Store;
  wishes: Wishes;
  names: Names;
  say(text: string, kind: 'status' | 'problem'): void;
  copy(text: string, what: string): void;
  /** Opens a panel, which may be folded, or a drawer. */
  reveal(panel: HTMLElement): void;
}

export interface Panel {
  readonly element: HTMLElement;
  /** Shows the state; `before` is null the first time. */
  follow(state: ViewState, before: ViewState | null): void;
}

/** Facts about the asset of an object; undefined if no object has this name. */
export function factsOf({ document, facts, numbers }: Loaded, name: string | null): AssetFacts | undefined {
  const object = name === null ? undefined : numbers.get(name);
  return object === undefined ? undefined : facts[document.objects[object].asset];
}

/** Makes an object a or b. If it is the other one already, the two are exchanged. */
export function take(store: Store, side: 'a' | 'b', name: string | null): void {
  const { a, b } = store.state;
  const isOther = name !== null && name === (side === 'a' ? b : a);
  const [first, second] = isOther ? [b, a] : side === 'a' ? [name, b] : [a, name];
  store.set({ a: first, b: second });
}

export const changed = (state: ViewState, before: ViewState | null, ...keys: (keyof ViewState)[]): boolean =>
  before === null || keys.some((key) => state[key] !== before[key]);
