/**
 * A list of any length of which only what is in view has elements: a scene has thousands of objects.
 * It has the focus as a whole, and one active row, as ARIA's listbox and tree have it.
 */
import { make } from './elements.ts';

export interface RowsOptions {
  role: 'listbox' | 'tree';
  label: string;
  /** Of a row, CSS pixels: the style sheet has the same. */
  height: number;
  /** Fills a row, which has its role and its id. */
  draw(index: number, row: HTMLElement): void;
  /** Somebody clicked a row, or pressed Enter or space on it. */
  onChoose(index: number, event: MouseEvent | KeyboardEvent): void;
  /** Any other key, on the active row; true where it was for this list. */
  onKey?(index: number, key: string): boolean;
}

export interface Rows {
  readonly element: HTMLElement;
  readonly active: number;
  /** Draws anew: there are so many rows now. */
  show(count: number): void;
  /** Makes a row the active one, and brings it into view. */
  activate(index: number): void;
}

/** Rows that have elements beyond each end of what is in view. */
const MARGIN = 4;

let lists = 0;

export function createRows({ role, label, height, draw, onChoose, onKey }: RowsOptions): Rows {
  const prefix = `row${lists++}`;
  const space = make('div', { class: 'space', role: 'presentation' });
  const element = make('div', { class: 'rows', role, tabindex: 0, 'aria-label': label }, space);
  if (role === 'tree') element.setAttribute('aria-multiselectable', 'true');
  let count = 0;
  let active = 0;
  const rowOf = (index: number): HTMLElement => {
    const kind = role === 'tree' ? 'treeitem' : 'option';
    const row = make('div', { class: index === active ? 'row active' : 'row', role: kind, id: `${prefix}-${index}` });
    row.style.top = `${index * height}px`;
    row.dataset.index = String(index);
    if (role === 'listbox') {
      row.setAttribute('aria-setsize', String(count));
      row.setAttribute('aria-posinset', String(index + 1));
    }
    draw(index, row);
    return row;
  };
  const drawAll = () => {
    const first = Math.max(0, Math.floor(element.scrollTop / height) - MARGIN);
    const end = Math.min(count, Math.ceil((element.scrollTop + (element.clientHeight || 400)) / height) + MARGIN);
    // The active row always has an element, which its list names.
    const indices = new Set(Array.from({ length: Math.max(0, end - first) }, (_, k) => first + k));
    if (active < count) indices.add(active);
    space.style.height = `${count * height}px`;
    space.replaceChildren(...[...indices].sort((a, b) => a - b).map(rowOf));
    if (active < count) element.setAttribute('aria-activedescendant', `${prefix}-${active}`);
    else element.removeAttribute('aria-activedescendant');
  };
  const activate = (index: number) => {
    if (count === 0) return;
    active = Math.max(0, Math.min(count - 1, index));
    const top = active * height;
    if (top < element.scrollTop) element.scrollTop = top;
    else if (top + height > element.scrollTop + element.clientHeight && element.clientHeight > 0)
      element.scrollTop = top + height - element.clientHeight;
    drawAll();
  };
  let asked = 0;
  element.addEventListener('scroll', () => {
    cancelAnimationFrame(asked);
    asked = requestAnimationFrame(drawAll);
  });
  new ResizeObserver(() => drawAll()).observe(element);
  element.addEventListener('click', (event) => {
    const row = (event.target as Element).closest<HTMLElement>('.row');
    if (!row || event.defaultPrevented) return;
    activate(Number(row.dataset.index));
    onChoose(active, event);
  });
  element.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.target !== element || count === 0) return;
    const page = Math.max(1, Math.floor(element.clientHeight / height) - 1);
    const to = { ArrowUp: active - 1, ArrowDown: active + 1, Home: 0, End: count - 1 }[event.key];
    const far = { PageUp: active - page, PageDown: active + page }[event.key];
    if (to !== undefined || far !== undefined) activate(to ?? far ?? 0);
    else if (event.key === 'Enter' || event.key === ' ') onChoose(active, event);
    else if (event.altKey || !onKey?.(active, event.key)) return;
    event.preventDefault();
  });
  return {
    element,
    get active() {
      return active;
    },
    show(rows) {
      count = rows;
      active = Math.max(0, Math.min(active, count - 1));
      drawAll();
    },
    activate,
  };
}
