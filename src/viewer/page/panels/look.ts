/**
 * The drawing options: the theme, surfaces, bounds of a level, visited nodes, contacts, and the
 * place of the section, the plane that cuts away a part of the view.
 */
import { printable } from '../../../base/printable.ts';
import type { Visits } from '../../protocol.ts';
import type { ViewState } from '../../view-state.ts';
import { axisOf, placedBox, placeIn, STEPS } from '../stage/section.ts';
import {
  buttons,
  changed,
  check,
  choice,
  counted,
  type Folding,
  factsOf,
  labelled,
  make,
  type Panel,
  type Surroundings,
  section,
  write,
} from './elements.ts';

export interface LookPanel extends Panel {
  setVisits(visits: Visits | null): void;
  stepLevel(by: number): void;
  nextSurface(): void;
  nextOthers(): void;
}

const SURFACES: [ViewState['surface'], string][] = [
  ['solid', 'solid'],
  ['wire', 'wire'],
  ['glass', 'glass'],
  ['hidden', 'hidden'],
];

const OTHERS: [string, Pick<ViewState, 'isIsolated' | 'showsGhosts'>][] = [
  ['shown', { isIsolated: false, showsGhosts: true }],
  ['ghosts', { isIsolated: true, showsGhosts: true }],
  ['hidden', { isIsolated: true, showsGhosts: false }],
];

const othersOf = ({ isIsolated, showsGhosts }: ViewState): number => (!isIsolated ? 0 : showsGhosts ? 1 : 2);

export function createLook(surroundings: Surroundings, folding: Folding): LookPanel {
  const { store } = surroundings;
  const surface = buttons('Surface', SURFACES, (value) => store.set({ surface: value }));
  const level = createLevel(surroundings);
  const visits = createVisits(surroundings);
  const cut = createSection(surroundings);
  const checks = createChecks(surroundings);
  const theme = createTheme(surroundings);
  return {
    element: section(
      'Look',
      folding,
      make('div', { class: 'line of-picture' }, make('span', { class: 'hint' }, 'Surface'), surface.element),
      checks.element,
      level.element,
      visits.element,
      cut.element,
      theme.element,
    ),
    setVisits: visits.setVisits,
    stepLevel: level.step,
    nextSurface() {
      const at = SURFACES.findIndex(([value]) => value === store.state.surface);
      store.set({ surface: SURFACES[(at + 1) % SURFACES.length][0] });
    },
    nextOthers: () => store.set(OTHERS[(othersOf(store.state) + 1) % OTHERS.length][1]),
    follow(state, before) {
      if (changed(state, before, 'surface')) surface.press(state.surface);
      for (const part of [level, visits, cut, checks, theme]) part.follow(state, before);
    },
  };
}

const THEMES: [ViewState['theme'], string][] = [
  ['auto', 'system'],
  ['light', 'light'],
  ['dark', 'dark'],
];

function createTheme({ store }: Surroundings): Panel {
  const theme = buttons('Theme', THEMES, (value) => store.set({ theme: value }));
  return {
    element: make('div', { class: 'line' }, make('span', { class: 'hint' }, 'Theme'), theme.element),
    follow(state) {
      theme.press(state.theme);
      document.documentElement.dataset.theme = state.theme;
    },
  };
}

/** The deepest level of the two. */
const depthOf = ({ loaded }: Surroundings, { a, b }: ViewState): number =>
  Math.max(...[a, b].map((name) => factsOf(loaded, name)?.depth ?? 0));

function boundsOf({ loaded }: Surroundings, { a, b }: ViewState): string {
  const words = [a, b].flatMap((name) => factsOf(loaded, name)?.bounds ?? []);
  return [...new Set(words.map(printable))].join(' and ');
}

function createSlider(label: string, onChange: (value: number | null) => void) {
  const control = make('input', { type: 'range', min: -1, max: 0, step: 1 });
  const output = make('output', {}, 'off');
  control.addEventListener('input', () => onChange(Number(control.value) < 0 ? null : Number(control.value)));
  return {
    element: make('div', { class: 'slider of-picture' }, labelled(label, control), output),
    show(value: number | null, depth: number, words: string) {
      control.max = String(depth);
      control.value = String(Math.min(value ?? -1, depth));
      write(output, words);
      control.setAttribute('aria-valuetext', words);
    },
  };
}

function createLevel(surroundings: Surroundings): Panel & { step(by: number): void } {
  const { store } = surroundings;
  const slider = createSlider('Bounds of a level', (level) => store.set({ level }));
  return {
    element: slider.element,
    step(by) {
      const next = Math.min((store.state.level ?? -1) + by, depthOf(surroundings, store.state));
      store.set({ level: next < 0 ? null : next });
    },
    follow(state, before) {
      if (!changed(state, before, 'level', 'a', 'b')) return;
      const depth = depthOf(surroundings, state);
      const words =
        state.level === null ? 'off' : `${Math.min(state.level, depth)} of ${depth}, ${boundsOf(surroundings, state)}`;
      slider.show(state.level, depth, words);
    },
  };
}

function createVisits(surroundings: Surroundings): Panel & { setVisits(visits: Visits | null): void } {
  const { store } = surroundings;
  let told: Visits | null = null;
  const slider = createSlider('Visited at a level', (visits) => store.set({ visits }));
  const front = check('visited: where the search stops', (isFront) => store.set({ visits: isFront ? 'front' : null }));
  const bars = make('div', { class: 'bars', role: 'group', 'aria-label': 'Pairs of nodes visited, level by level' });
  const show = (state: ViewState) => {
    const depth = Math.max(depthOf(surroundings, state), (told?.levels.length ?? 1) - 1);
    const level = state.visits === 'front' ? null : state.visits;
    front.control.checked = state.visits === 'front';
    const pairs = level === null || !told ? undefined : (told.levels[level] ?? 0);
    const many = pairs === undefined ? '' : `, ${counted(pairs, 'pair')}`;
    const cut = state.visits !== null && told?.isCut ? '; the first 10,000 of each are drawn' : '';
    slider.show(level, depth, level === null ? `off${cut}` : `${Math.min(level, depth)} of ${depth}${many}${cut}`);
    bars.hidden = state.visits === null || !told;
    for (const [k, bar] of [...bars.children].entries()) bar.setAttribute('aria-pressed', String(k === state.visits));
  };
  const drawBars = () => {
    const levels = told?.levels ?? [];
    // The counts grow exponentially, so the bars show logarithms.
    const highest = Math.max(1, ...levels.map((count) => Math.log2(1 + count)));
    bars.replaceChildren(
      ...levels.map((count, level) => {
        const label = `level ${level}: ${counted(count, 'pair')}`;
        const bar = make('button', { type: 'button', class: 'bar', 'aria-label': label, title: label });
        const column = make('span', { class: 'column' });
        column.style.height = `${Math.round((100 * Math.log2(1 + count)) / highest)}%`;
        bar.append(column);
        bar.addEventListener('click', () => store.set({ visits: level }));
        return bar;
      }),
    );
  };
  return {
    element: make('div', { class: 'of-picture' }, slider.element, front.element, bars),
    setVisits(visits) {
      const isSame = visits?.levels.join() === told?.levels.join();
      told = visits;
      if (!isSame) drawBars();
      show(store.state);
    },
    follow(state, before) {
      if (changed(state, before, 'visits', 'a', 'b')) show(state);
    },
  };
}

function createChecks(surroundings: Surroundings): Panel {
  const { loaded, store } = surroundings;
  const contacts = check('contacts', (showsContacts) => store.set({ showsContacts }));
  const distance = check('distance', (showsDistance) => store.set({ showsDistance }));
  const choose = (value: string) => store.set(OTHERS.find(([name]) => name === value)?.[1] ?? {});
  const others = choice(
    'Other objects',
    OTHERS.map(([name]) => [name, name]),
    choose,
    { isBeside: true },
  );
  for (const { element } of [contacts, distance, others]) element.classList.add('of-picture');
  const pages = check('pages', (showsPages) => store.set({ showsPages }));
  return {
    element: make('div', { class: 'checks' }, ...[contacts, distance, pages, others].map(({ element }) => element)),
    follow(state) {
      contacts.control.checked = state.showsContacts;
      distance.control.checked = state.showsDistance;
      others.control.value = OTHERS[othersOf(state)][0];
      pages.control.checked = state.showsPages;
      pages.element.hidden = ![state.a, state.b].some((name) => factsOf(loaded, name)?.hasPages);
    },
  };
}

/** The place of the section, which the toolbar turns on. */
function createSection({ loaded, store }: Surroundings): Panel {
  const box = placedBox(loaded);
  const slider = make('input', { type: 'range', min: 0, max: STEPS, step: 1 });
  const output = make('output');
  slider.addEventListener('input', () => {
    const { section } = store.state;
    if (!section) return;
    const k = axisOf(section);
    const at = placeIn(box, k, box.low[k] + (Number(slider.value) * (box.high[k] - box.low[k])) / STEPS);
    store.set({ section: { ...section, at } });
  });
  const element = make('div', { class: 'slider of-picture' }, labelled('Cut at', slider), output);
  return {
    element,
    follow(state, before) {
      if (!changed(state, before, 'section')) return;
      const { section } = state;
      element.hidden = section === null;
      if (!section) return;
      const k = axisOf(section);
      const words = `${section.axis} ${section.isFlipped ? '<' : '>'} ${section.at}`;
      slider.value = String((STEPS * (section.at - box.low[k])) / (box.high[k] - box.low[k] || 1));
      slider.setAttribute('aria-valuetext', words);
      write(output, words);
    },
  };
}
