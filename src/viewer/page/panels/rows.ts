/**
 * A list of any length that has elements only for the visible rows: a scene has thousands of
 * objects. The list has the focus, and one active row, as in ARIA's listbox and tree. The list of
 * the pairs that touch now is one.
 */

import { printable } from '../../../base/printable.ts';
import type { ReportFinding } from '../../../report/finding.ts';
import { poseOf, type ViewState } from '../../view-state.ts';
import type { Selecting } from './chosen-findings.ts';
import {
  changed,
  counted,
  type Folding,
  make,
  milliseconds,
  nameLine,
  type Surroundings,
  section,
  write,
} from './elements.ts';
import { colorOf } from './findings-bar.ts';

interface RowsOptions {
  role: 'listbox' | 'tree';
  label: string;
  /** CSS pixels per row. */
  height: number;
  draw(index: number, row: HTMLElement): void;
  onChoose(index: number, event: MouseEvent | KeyboardEvent): void;
  /** Handles other keys on the active row; returns true if the key was used. */
  onKey?(index: number, key: string): boolean;
  /** Selects several. A click on `.pick` in a row is a tick. */
  onSelect?(how: Selecting, index: number): void;
}

const MARGIN = 4;

let lists = 0;

export function createRows(options: RowsOptions) {
  const { role, label, height } = options;
  const prefix = `row${lists++}`;
  const space = make('div', { class: 'space', role: 'presentation' });
  const element = make('div', { class: 'rows', role, tabindex: 0, 'aria-label': label }, space);
  if (role === 'tree' || options.onSelect) element.setAttribute('aria-multiselectable', 'true');
  const at = { count: 0, active: 0 };
  /** True until the active row has been brought into view: a hidden list has no height. */
  let isLost = false;
  const draw = () => {
    if (isLost && element.clientHeight > 0) bring();
    space.style.height = `${at.count * height}px`;
    space.replaceChildren(
      ...inSight(element, height, at).map((index) => rowOf(options, `${prefix}-${index}`, index, at)),
    );
    if (at.count > 0) element.setAttribute('aria-activedescendant', `${prefix}-${at.active}`);
    else element.removeAttribute('aria-activedescendant');
  };
  /** Makes a row the active one, and brings it into view. */
  const activate = (index: number) => {
    if (at.count === 0) return;
    at.active = within(index, at.count);
    isLost = true;
    draw();
  };
  const bring = () => {
    isLost = false;
    const top = at.active * height;
    space.style.height = `${at.count * height}px`;
    element.scrollTop = Math.max(top + height - element.clientHeight, Math.min(element.scrollTop, top));
  };
  let asked = 0;
  element.addEventListener('scroll', () => {
    cancelAnimationFrame(asked);
    asked = requestAnimationFrame(draw);
  });
  new ResizeObserver(draw).observe(element);
  listen(element, options, at, activate);
  return {
    element,
    /** Draws the list again with this number of rows. */
    show(count: number): void {
      at.count = count;
      at.active = within(at.active, count);
      draw();
    },
    activate,
  };
}

interface At {
  count: number;
  active: number;
}

const within = (index: number, count: number): number => Math.max(0, Math.min(count - 1, index));

function inSight(element: HTMLElement, height: number, { count, active }: At): number[] {
  const first = Math.max(0, Math.floor(element.scrollTop / height) - MARGIN);
  // A folded list has no height yet.
  const end = Math.ceil((element.scrollTop + (element.clientHeight || 400)) / height) + MARGIN;
  const indices = new Set(count > 0 ? [active] : []);
  for (let index = first; index < Math.min(count, end); index++) indices.add(index);
  return [...indices].sort((a, b) => a - b);
}

function rowOf({ role, height, draw }: RowsOptions, id: string, index: number, { count, active }: At): HTMLElement {
  const kind = role === 'tree' ? 'treeitem' : 'option';
  const row = make('div', { class: index === active ? 'row active' : 'row', role: kind, id });
  row.style.top = `${index * height}px`;
  row.style.height = `${height}px`;
  row.dataset.index = String(index);
  if (role === 'listbox') {
    row.setAttribute('aria-setsize', String(count));
    row.setAttribute('aria-posinset', String(index + 1));
  }
  draw(index, row);
  return row;
}

function listen(element: HTMLElement, options: RowsOptions, at: At, activate: (index: number) => void): void {
  const { height, onChoose, onKey, onSelect } = options;
  element.addEventListener('click', (event) => {
    const target = event.target as Element;
    const row = target.closest<HTMLElement>('.row');
    if (!row) return;
    activate(Number(row.dataset.index));
    if (onSelect && event.shiftKey) onSelect('range', at.active);
    else if (onSelect && target.closest('.pick')) onSelect('tick', at.active);
    else if (onSelect && (event.ctrlKey || event.metaKey)) onSelect('add', at.active);
    else onChoose(at.active, event);
  });
  element.addEventListener('keydown', (event) => {
    if (at.count === 0) return;
    if (event.ctrlKey || event.metaKey) {
      const how = event.key === ' ' ? 'add' : event.key === 'a' ? 'all' : null;
      if (!onSelect || !how) return;
      event.preventDefault();
      return onSelect(how, at.active);
    }
    const page = Math.max(1, Math.floor(element.clientHeight / height) - 1);
    const to = targetOf(event.key, at, page);
    if (to !== null) {
      activate(to);
      if (event.shiftKey) onSelect?.('range', at.active);
    } else if (event.key === 'Enter' || event.key === ' ') onChoose(at.active, event);
    else if (event.altKey || !onKey?.(at.active, event.key)) return;
    event.preventDefault();
  });
}

function targetOf(key: string, { count, active }: At, page: number): number | null {
  switch (key) {
    case 'ArrowUp':
      return active - 1;
    case 'ArrowDown':
      return active + 1;
    case 'PageUp':
      return active - page;
    case 'PageDown':
      return active + page;
    case 'Home':
      return 0;
    case 'End':
      return count - 1;
  }
  return null;
}

type Pair = { a: string; b: string; class: string };

/**
 * The pairs that touch now; a click shows one. A pair at the poses of a finding has the class of
 * the finding. If the list of findings has other pairs, a line says why.
 */
export function createTouching({ loaded, store, names }: Surroundings, folding: Folding) {
  let pairs: Pair[] = [];
  let findings = new Map<string, ReportFinding>();
  /** The places of objects when the findings were shown. */
  let found: Pick<ViewState, 'poses'> = { poses: {} };
  const output = make('p', { class: 'hint' });
  const stands = (name: string): boolean => poseOf(store.state, name) === poseOf(found, name);
  const areStanding = (): boolean =>
    [store.state, found].flatMap(({ poses }) => Object.keys(poses)).every((name) => stands(name));
  const findingOf = ({ a, b }: Pair): ReportFinding | undefined =>
    stands(a) && stands(b) && loaded.document.frames.length === 0 ? findings.get(keyOf(a, b)) : undefined;
  const list = createRows({
    ...{ role: 'listbox', label: 'Pairs that touch now', height: 66 },
    draw: (index, row) => {
      const { a, b, class: touching } = pairs[index];
      const isChosen = a === store.state.a && b === store.state.b;
      const listed = findingOf(pairs[index]);
      const [word, level] = listed ? [listed.class, colorOf(listed)] : [touching, levelOf(touching)];
      row.classList.toggle('chosen', isChosen);
      row.setAttribute('aria-selected', String(isChosen));
      row.append(
        make('div', { class: 'head' }, make('span', { class: `level ${level}` }, printable(word))),
        ...[a, b].map((name) => nameLine(name, names)),
      );
      row.title = printable(`${a} and ${b}`);
    },
    onChoose: (index) => {
      const { a, b } = pairs[index];
      store.set({ a, b, finding: findingOf(pairs[index])?.id ?? null });
    },
  });
  const element = section('Touching now', folding, output, list.element);
  element.hidden = true;
  let took = 0;
  const show = () => {
    const listed = pairs.reduce((sum, { a, b }) => sum + Number(findings.has(keyOf(a, b))), 0);
    const differences =
      loaded.document.frames.length > 0
        ? []
        : differenceOf(pairs.length - listed, findings.size - listed, areStanding());
    write(output, [`${counted(pairs.length, 'pair')}, ${milliseconds(took)}`, ...differences].join('; '));
    list.show(pairs.length);
  };
  return {
    element,
    setTouching(all: Pair[], ms: number): void {
      pairs = all;
      took = ms;
      element.hidden = false;
      show();
    },
    setFindings(all: readonly ReportFinding[], poses: ViewState['poses']): void {
      const two = all.filter(
        ({ subjects, state }) => subjects.length === 2 && state !== 'gone' && state !== 'unchecked',
      );
      // If a pair has several findings, the first counts.
      findings = new Map(two.reverse().map((finding) => [keyOf(...namesOf(finding)), finding]));
      found = { poses };
      show();
    },
    follow(state: ViewState, before: ViewState | null): void {
      if (changed(state, before, 'a', 'b')) list.show(pairs.length);
    },
  };
}

const keyOf = (a: string, b: string): string => JSON.stringify(a < b ? [a, b] : [b, a]);
const namesOf = ({ subjects: [a, b] }: ReportFinding): [string, string] => [a.name, b.name];

/** Why the list of findings has other pairs. */
function differenceOf(others: number, missing: number, areStanding: boolean): string[] {
  const lines: string[] = [];
  if (others > 0)
    lines.push(`${counted(others, 'pair')} not among the findings${areStanding ? '' : ', since objects moved'}`);
  if (missing > 0)
    lines.push(
      `${counted(missing, 'pair')} of the findings not here: ${
        areStanding
          ? 'no surfaces touch, as where one object is inside the other'
          : 'objects moved, or one is inside the other'
      }`,
    );
  return lines;
}

const levelOf = (touching: string): string =>
  touching === 'undecided' ? 'warning' : touching === 'near' ? 'near' : 'error';
