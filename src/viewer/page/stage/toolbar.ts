/** The tools over the picture: undo and redo, handles, the section, and the kind of view. */
import type { Section } from '../../view-state.ts';
import type { Steps } from '../address.ts';
import { button, make } from '../panels/elements.ts';
import type { Loaded, Store } from '../parts.ts';
import { placedBox, sectionAlong } from './section.ts';

export type Handles = 'none' | 'move' | 'turn';

interface Toolbar {
  readonly element: HTMLElement;
  setHandles(mode: Handles): void;
}

/** Paths in a square of 16. */
const ICONS = {
  undo: 'M5 2 2 5l3 3M2 5h7a4.5 4.5 0 0 1 0 9H6',
  redo: 'm11 2 3 3-3 3m3-3H7a4.5 4.5 0 0 0 0 9h3',
  move: 'M8 1v14M1 8h14M6 3l2-2 2 2M6 13l2 2 2-2M3 6 1 8l2 2m10-4 2 2-2 2',
  turn: 'M13.5 6A6 6 0 1 0 14 9m0-7v4h-4',
  cut: 'M3 5v9h10V5zm0 0 3-3h10m-3 3 3-3m-3 12 3-3V2M1 9h14',
  flip: 'M8 1v14M5 4 1 8l4 4zm6 0 4 4-4 4z',
  ortho: 'M2 5h9v9H2zm0 0 3-3h9v9l-3 3m0-9 3-3',
} as const;

export function createToolbar(loaded: Loaded, store: Store, steps: Steps, setGizmo: (mode: Handles) => void): Toolbar {
  let handles: Handles = 'none';
  const setHandles = (mode: Handles): void => {
    handles = mode;
    press(move, mode === 'move');
    press(turn, mode === 'turn');
    setGizmo(mode);
  };
  const take = (mode: Handles) => (): void => setHandles(handles === mode ? 'none' : mode);
  const undo = tool('undo', 'Undo', 'Undo (Ctrl+Z)', () => steps.go(-1));
  const redo = tool('redo', 'Redo', 'Redo (Ctrl+Y)', () => steps.go(1));
  const move = tool('move', 'Move', 'Handles that move (m)', take('move'));
  const turn = tool('turn', 'Turn', 'Handles that turn (t)', take('turn'));
  const section = createSectionTools(loaded, store);
  const ortho = tool('ortho', 'Ortho', 'Orthographic view (o)', () =>
    store.set({ isOrthographic: !store.state.isOrthographic }),
  );
  const show = (): void => {
    press(ortho, store.state.isOrthographic);
    section.show();
  };
  setHandles('none');
  show();
  store.follow(show);
  steps.follow(() => {
    undo.disabled = !steps.can(-1);
    redo.disabled = !steps.can(1);
  });
  return {
    element: make(
      'div',
      { class: 'toolbar', role: 'group', 'aria-label': 'Tools of the picture' },
      ...[group(undo, redo), group(move, turn), section.element, group(ortho)],
    ),
    setHandles,
  };
}

function createSectionTools(loaded: Loaded, store: Store) {
  const box = placedBox(loaded);
  const set = (section: Section | null): void => store.set({ section });
  const along = (axis: Section['axis']): void => set(sectionAlong(axis, box, store.state));
  const cut = tool('cut', 'Section', 'Cut with a plane; drag its handle in the picture', () =>
    store.state.section ? set(null) : along('x'),
  );
  const axes = (['x', 'y', 'z'] as const).map((axis) => ({
    axis,
    element: button(axis, () => along(axis), { title: `Cut along ${axis}` }),
  }));
  const flip = tool('flip', 'Flip', 'Cut away the other side', () => {
    const { section } = store.state;
    if (section) set({ ...section, isFlipped: !section.isFlipped });
  });
  return {
    element: group(cut, ...axes.map(({ element }) => element), flip),
    show(): void {
      const { section } = store.state;
      press(cut, section !== null);
      press(flip, section?.isFlipped ?? false);
      for (const { axis, element } of axes) press(element, axis === section?.axis);
      for (const element of [...axes.map(({ element }) => element), flip]) element.hidden = section === null;
    },
  };
}

const group = (...parts: HTMLElement[]): HTMLElement => make('div', { class: 'tool-group' }, ...parts);

const press = (element: HTMLElement, isPressed: boolean): void =>
  element.setAttribute('aria-pressed', String(isPressed));

function tool(icon: keyof typeof ICONS, label: string, title: string, onClick: () => void): HTMLButtonElement {
  const element = button(label, onClick, { title });
  const space = 'http://www.w3.org/2000/svg';
  const [picture, path] = [document.createElementNS(space, 'svg'), document.createElementNS(space, 'path')];
  picture.setAttribute('viewBox', '0 0 16 16');
  picture.setAttribute('aria-hidden', 'true');
  path.setAttribute('d', ICONS[icon]);
  picture.append(path);
  element.prepend(picture);
  return element;
}
