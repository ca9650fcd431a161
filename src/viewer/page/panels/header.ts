/** The header (title, link to the view, help), and the keyboard commands of the page. */
import { printable } from '../../../base/printable.ts';
import { linkOf } from '../address.ts';
import { button, make, type Surroundings } from './elements.ts';

export interface Header {
  readonly element: HTMLElement;
  help(): void;
  copyLink(): void;
  /** True if single keys are commands; users of dictation may turn them off. */
  readonly hasKeys: boolean;
}

export function createHeader({ loaded, store, wishes, copy }: Surroundings): Header {
  const { title, tool } = loaded.document;
  const help = createHelp(tool);
  const copyLink = () => copy(linkOf(store), 'the link to this view');
  return {
    element: make(
      'header',
      {},
      make('h1', { title: printable(title) }, printable(title)),
      make(
        'div',
        { class: 'tools' },
        button('Fit', () => wishes.fit(), { class: 'of-picture', title: 'Everything in view (f)' }),
        button('Copy link', copyLink),
        button('Help', help.show),
      ),
      help.element,
    ),
    help: help.show,
    copyLink,
    get hasKeys() {
      return help.keys.checked;
    },
  };
}

function createHelp(tool: string) {
  const keys = make('input', { type: 'checkbox', checked: true });
  const table = make(
    'table',
    {},
    make('caption', {}, 'Keys'),
    make(
      'tbody',
      {},
      ...[...KEYS, ...STEP_KEYS].map(({ keys: names, does }) =>
        make(
          'tr',
          {},
          make('th', { scope: 'row' }, ...names.flatMap((name) => [make('kbd', {}, name), ' '])),
          make('td', {}, does),
        ),
      ),
    ),
  );
  const close = button('Close', () => element.close());
  const element = make(
    'dialog',
    { 'aria-labelledby': 'help-title' },
    make('div', { class: 'line' }, make('h2', { id: 'help-title' }, 'Help'), close),
    make(
      'p',
      {},
      'Drag to turn the view. Zoom with the wheel or two fingers. Click an object to make it b, or Alt-click it to make it a. Shift-drag an object to move it. a is blue, b is orange. The verdict follows every move. It is contact if the two surfaces share at least one point, clear if it is proved that they share none, and otherwise undecided.',
    ),
    table,
    make('label', { class: 'check' }, keys, make('span', {}, 'keys of one letter are commands')),
    make('p', { class: 'hint' }, printable(tool)),
  );
  const show = (): void => {
    element.showModal();
    // The attribute autofocus makes browsers complain if the page already has a focus.
    close.focus();
  };
  return { element, keys, show };
}

export const KEYS = [
  { name: 'help', keys: ['?'], does: 'this help' },
  { name: 'search', keys: ['/'], does: 'search findings, or objects if there are none' },
  { name: 'next', keys: ['j'], does: 'next finding' },
  { name: 'previous', keys: ['k'], does: 'previous finding' },
  { name: 'accept', keys: ['y'], does: 'accept the selected findings, or undo that' },
  { name: 'note', keys: ['n'], does: 'write a note on the finding' },
  { name: 'play', keys: ['Space'], does: 'play or pause' },
  { name: 'back', keys: [','], does: 'one frame back' },
  { name: 'on', keys: ['.'], does: 'one frame on' },
  { name: 'fit', keys: ['f'], does: 'fit everything in view' },
  { name: 'orthographic', keys: ['o'], does: 'orthographic or perspective view' },
  { name: 'isolate', keys: ['i'], does: 'other objects: shown, ghosts, hidden' },
  { name: 'swap', keys: ['x'], does: 'swap a and b' },
  { name: 'move', keys: ['m'], does: 'handles that move' },
  { name: 'turn', keys: ['t'], does: 'handles that turn' },
  { name: 'none', keys: ['Escape'], does: 'no handles' },
  { name: 'reset', keys: ['r'], does: 'put the object back' },
  { name: 'surface', keys: ['w'], does: 'surface: solid, wire, glass, hidden' },
  { name: 'coarser', keys: ['['], does: 'bounds one level up' },
  { name: 'finer', keys: [']'], does: 'bounds one level down' },
  { name: 'contacts', keys: ['c'], does: 'show or hide contacts' },
  { name: 'distance', keys: ['d'], does: 'show or hide the line of the distance' },
  { name: 'link', keys: ['l'], does: 'copy the link' },
] as const;

/** address.ts handles these, even if single keys are turned off. */
const STEP_KEYS = [
  { keys: ['Ctrl+Z'], does: 'undo: poses, pairs and findings' },
  { keys: ['Ctrl+Y', 'Ctrl+Shift+Z'], does: 'redo' },
] as const;

export type Command = (typeof KEYS)[number]['name'];

const FIELDS = 'input, select, textarea, [contenteditable]';
const SPACE_WORKS = `${FIELDS}, button, summary, a, [role=tree], [role=listbox]`;

/** Runs commands by their keys; fields keep their keys. */
export function listen(handlers: Record<Command, () => void>, isOn: () => boolean): void {
  const commands = new Map<string, Command>(
    KEYS.flatMap(({ name, keys }) => keys.map((key): [string, Command] => [key === 'Space' ? ' ' : key, name])),
  );
  document.addEventListener('keydown', (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || !isOn()) return;
    const { key } = event;
    const command = commands.get(key);
    const target = event.target instanceof Element ? event.target : null;
    if (!command || document.querySelector('dialog[open]')) return;
    if (target?.matches(key === ' ' ? SPACE_WORKS : FIELDS) && !isFree(target, key)) return;
    event.preventDefault();
    handlers[command]();
  });
}

/** Keys that go through the findings, wherever a list of choices has the focus. */
const OF_FINDINGS = 'jk/';

/** Check boxes and sliders use few keys, so letters are commands there too. */
const isFree = (target: Element, key: string): boolean =>
  target.matches('select')
    ? OF_FINDINGS.includes(key)
    : key !== ' ' && target.matches('input[type=range], input[type=checkbox]');
