/** The header: title, theme, link to the view, help. */
import { printable } from '../../../base/printable.ts';
import type { ViewState } from '../../view-state.ts';
import { linkOf } from '../address.ts';
import { button, choice, make } from './elements.ts';
import { KEYS } from './keys.ts';
import type { Panel, Surroundings } from './panel.ts';

const THEMES: [ViewState['theme'], string][] = [
  ['auto', 'as the system'],
  ['light', 'light'],
  ['dark', 'dark'],
];

export interface Header extends Panel {
  help(): void;
  copyLink(): void;
  /** True if single keys are commands; users of dictation may turn them off. */
  readonly hasKeys: boolean;
}

export function createHeader({ loaded, store, wishes, copy }: Surroundings): Header {
  const { title, tool } = loaded.document;
  const theme = choice('Theme', THEMES, (value) => store.set({ theme: value as ViewState['theme'] }), {
    isBeside: true,
  });
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
        button('Fit', () => wishes.fit(), { title: 'Everything in view (f)' }),
        button('Copy link', copyLink),
        theme.element,
        button('Help', help.show),
      ),
      help.element,
    ),
    help: help.show,
    copyLink,
    get hasKeys() {
      return help.keys.checked;
    },
    follow(state) {
      theme.control.value = state.theme;
      document.documentElement.dataset.theme = state.theme;
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
      ...KEYS.map(({ keys: names, does }) =>
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
    make('h2', { id: 'help-title' }, 'Help'),
    make(
      'p',
      {},
      'Drag to look from another side; the wheel or two fingers come nearer. A click makes an object b, with Alt a; with Shift you drag it. a is blue, b is orange. The verdict follows every move: contact, if the two surfaces share at least one point; clear, if it is proved that they share none; undecided otherwise.',
    ),
    table,
    make('label', { class: 'check' }, keys, make('span', {}, 'keys of one letter are commands')),
    make('p', { class: 'hint' }, printable(tool)),
    close,
  );
  const show = (): void => {
    element.showModal();
    // The attribute autofocus makes browsers complain if the page already has a focus.
    close.focus();
  };
  return { element, keys, show };
}
