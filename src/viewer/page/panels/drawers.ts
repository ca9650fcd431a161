/**
 * Panels on pages with little room: each has a button, and one is open beside the picture. Wide
 * pages show all panels at once.
 */
import { button, make } from './elements.ts';

export interface Drawer {
  label: string;
  /** Folding parts open with their drawer. */
  parts: readonly HTMLElement[];
  onOpen?(): void;
}

export interface Drawers {
  readonly element: HTMLElement;
  /** Opens the drawer with this part, and closes the others; null: closes all. */
  show(part: HTMLElement | null): void;
  /** Reports now and after changes if the page is narrow. */
  follow(listener: (isNarrow: boolean) => void): void;
}

/** In a scene, three columns leave the picture less than half of the page below this width. */
const NARROW = '(max-width: 1099px), (max-height: 519px)';
const NARROW_PAIR = '(max-width: 759px), (max-height: 519px)';

export function createDrawers(all: readonly Drawer[], { isScene }: { isScene: boolean }): Drawers {
  const narrow = matchMedia(isScene ? NARROW : NARROW_PAIR);
  const keys = all.map((drawer) => button(drawer.label, () => press(drawer), { 'aria-expanded': false }));
  const element = make('nav', { 'aria-label': 'Panels' }, ...keys);
  let open: Drawer | null = null;
  const show = (drawer: Drawer | null): void => {
    open = drawer;
    drawer?.onOpen?.();
    for (const [k, each] of all.entries()) {
      keys[k].setAttribute('aria-expanded', String(each === drawer));
      for (const part of each.parts) {
        part.classList.toggle('shown', each === drawer);
        if (each === drawer && part instanceof HTMLDetailsElement) part.open = true;
      }
    }
  };
  const press = (drawer: Drawer): void => show(drawer === open ? null : drawer);
  return {
    element,
    show: (part) => show(all.find(({ parts }) => part !== null && parts.includes(part)) ?? null),
    follow(listener) {
      const tell = (): void => listener(narrow.matches);
      narrow.addEventListener('change', tell);
      tell();
    },
  };
}
