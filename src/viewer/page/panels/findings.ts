/** The panel of findings: the list, its filters and order, the selection, a finding's details. */
import { grouped, pointText, printable } from '../../../base/printable.ts';
import type { ReportFinding } from '../../../report/finding.ts';
import { firstFrameOf } from '../../standing.ts';
import type { ViewState } from '../../view-state.ts';
import { createSelection, type Filter, fitting, namesOf, type Order, stateOf } from './chosen-findings.ts';
import {
  button,
  type Child,
  changed,
  choice,
  counted,
  type Folding,
  fill,
  labelled,
  make,
  nameLine,
  type Panel,
  type Surroundings,
  section,
  write,
} from './elements.ts';
import { colorOf, createFindingsBar, legendOf, stateMark } from './findings-bar.ts';
import type { Names } from './names.ts';
import { createNotes } from './notes.ts';
import { createRows } from './rows.ts';

export interface FindingsPanel extends Panel {
  /** Stays in sight beside the picture. */
  readonly bar: HTMLElement;
  readonly isEmpty: boolean;
  /** The findings that pass the filter, in their order, with their notes. */
  listed(): readonly ReportFinding[];
  setFindings(findings: readonly ReportFinding[], poses: ViewState['poses']): void;
  step(by: number): void;
  search(): void;
  /** Accepts the selected findings, or undoes that. */
  accept(): void;
  note(): void;
}

export function createFindings(surroundings: Surroundings, folding: Folding): FindingsPanel {
  const { loaded, store, names, reveal } = surroundings;
  const { baseline, summary, units } = loaded.document;
  const again = createAgain(surroundings);
  const notes = createNotes(surroundings, () => list.refresh());
  const details = make('div', { class: 'finding' });
  const list = createList(
    surroundings,
    notes,
    (finding) => choose(finding),
    () => showBar(),
  );
  const accept = (isAccepted: boolean) => {
    const ids = new Set(list.selected().map(({ id }) => id));
    notes.accept(
      list.all().filter(({ id }) => ids.has(id)),
      isAccepted,
    );
    list.clear();
    showDetails();
  };
  const bar = createFindingsBar(
    { step: list.step, accept, note: () => note() },
    names,
    baseline === null ? null : notes.element,
  );
  const showBar = () => {
    const finding = list.chosen();
    bar.element.hidden = list.all().length === 0;
    bar.show({ ...list.place(), finding: finding && notes.shown(finding), selected: list.selected() });
  };
  const choose = (finding: ReportFinding) => showPair(finding, surroundings);
  const showDetails = () => {
    const finding = list.chosen();
    details.replaceChildren(...(finding ? [detailsOf(finding, units), notes.fields(finding)] : []));
  };
  /** An address may name only a finding. */
  const settle = () => {
    const finding = list.chosen();
    if (finding && store.state.a === null && store.state.b === null) choose(finding);
  };
  const note = () => {
    const field = details.querySelector('textarea');
    element.open = true;
    reveal(element);
    field?.focus();
    field?.scrollIntoView({ block: 'center' });
  };
  const head = summary === null ? [] : [make('p', { class: 'hint' }, printable(summary))];
  const element = section('Findings', folding, ...head, ...list.elements(again.element), details);
  return {
    element,
    bar: bar.element,
    get isEmpty() {
      return list.all().length === 0;
    },
    ...{ search: list.search, listed: list.listed, step: list.step, accept: bar.accept, note },
    setFindings(all, poses) {
      again.settle(poses);
      list.setFindings(all);
      showDetails();
      queueMicrotask(settle);
    },
    follow(state, before) {
      again.follow(state);
      if (changed(state, before, 'finding')) {
        list.mark();
        showDetails();
        settle();
      } else if (state.finding !== null && changed(state, before, 'a', 'b') && !isOf(list.chosen(), state))
        store.set({ finding: null });
    },
  };
}

/** True if a finding is about the two that are shown. */
const isOf = (finding: ReportFinding | undefined, { a, b }: ViewState): boolean =>
  finding?.subjects.every(({ name }) => name === a || name === b) ?? false;

type Notes = ReturnType<typeof createNotes>;

/** The list, its filters, and the selection in it. */
function createList(
  { loaded, store, names }: Surroundings,
  notes: Notes,
  onChoose: (finding: ReportFinding) => void,
  onChange: () => void,
) {
  const canSelect = loaded.document.baseline !== null;
  let findings: readonly ReportFinding[] = [];
  let listed: readonly ReportFinding[] = [];
  /** The row to step from if the chosen finding is not listed. */
  let last = -1;
  const filter: Filter = { rule: '', class: '', state: '', text: '', order: 'found' };
  const about = createCount(canSelect);
  const chosen = () => findings.find(({ id }) => id === store.state.finding);
  const row = () => listed.findIndex(({ id }) => id === store.state.finding);
  const selection = createSelection(() => listed.map(({ id }) => id));
  const isSelected = (id: string) => selection.has(id) || (selection.isEmpty() && id === store.state.finding);
  const rows = createRows({
    ...{ role: 'listbox', label: 'Findings', height: 66 },
    draw(index, element) {
      const { id } = listed[index];
      const marks = { isChosen: id === store.state.finding, isSelected: isSelected(id) };
      const box = canSelect ? tickBox(selection.has(id)) : '';
      drawFinding(listed[index], element, { ...marks, isChanged: notes.isChanged(id), names, box });
    },
    onChoose: (index) => onChoose(listed[index]),
    ...(canSelect && {
      onSelect(how, index) {
        selection.change(how, index, store.state.finding);
        redraw();
      },
    }),
  });
  const filters = createFilters(filter, () => refresh());
  const wordsOf = ({ subjects }: ReportFinding) => subjects.map(({ name }) => names.label(name)).join(' ');
  const redraw = () => {
    rows.show(listed.length);
    onChange();
  };
  const refresh = () => {
    const shown = findings.map(notes.shown);
    listed = fitting(shown, filter, wordsOf).map((k) => shown[k]);
    about.show(shown, listed.length);
    // Without findings, show only the count and the summary.
    for (const element of [filters.element, rows.element, about.legend]) element.hidden = findings.length === 0;
    redraw();
  };
  const mark = () => {
    const at = row();
    if (at >= 0) rows.activate((last = at));
    redraw();
  };
  return {
    ...{ chosen, refresh, mark, search: filters.search, all: () => findings, listed: () => [...listed] },
    place: () => ({ row: row(), count: listed.length }),
    elements: (beside: HTMLElement) => [
      filters.element,
      make('div', { class: 'line' }, about.count, beside),
      rows.element,
      about.legend,
    ],
    selected(): readonly ReportFinding[] {
      const ticked = listed.filter(({ id }) => selection.has(id));
      return ticked.length > 0 ? ticked : [chosen() ?? []].flat().map(notes.shown);
    },
    clear() {
      selection.clear();
      redraw();
    },
    setFindings(all: readonly ReportFinding[]) {
      findings = all;
      filters.offer(all);
      refresh();
      mark();
    },
    step(by: number) {
      const to = listed[steppedFrom(row(), by, { last, count: listed.length })];
      if (to) onChoose(to);
    },
  };
}

/** The number of listed findings, and the legend of their states. */
function createCount(canSelect: boolean) {
  const count = make('output', { class: 'hint' });
  const legend = make('p', { class: 'legend hint' });
  return {
    ...{ count, legend },
    show(findings: readonly ReportFinding[], listed: number) {
      const all = counted(findings.length, 'finding');
      write(count, listed === findings.length ? all : `${grouped(listed)} of ${all}`);
      legend.replaceChildren(...legendOf(new Set([...findings.map(stateOf), canSelect ? 'accepted' : ''])));
    },
  };
}

const tickBox = (isTicked: boolean): HTMLElement =>
  make('span', { class: 'pick', 'aria-hidden': 'true' }, isTicked ? '☑' : '☐');

/** The button that searches again; hidden while the findings match the poses. */
function createAgain({ store, wishes }: Surroundings) {
  /** Moved poses of the findings that are shown. */
  let found: ViewState['poses'] = {};
  const element = button('Find again', () => wishes.find(), { title: 'Where the objects stand now' });
  const follow = ({ poses }: ViewState) => {
    element.hidden = areSamePlaces(poses, found);
  };
  return {
    element,
    follow,
    settle(poses: ViewState['poses']) {
      found = poses;
      follow(store.state);
    },
  };
}

/** True if two sets of moved poses agree. Usually both are empty. */
const areSamePlaces = (poses: ViewState['poses'], others: ViewState['poses']): boolean =>
  poses === others || [poses, others].every((each) => Object.keys(each).length === 0);

/**
 * Moves by so many rows. A chosen finding that is not listed any more was at the `last` row.
 * Without any, goes to the first or the last row.
 */
function steppedFrom(row: number, by: number, { last, count }: { last: number; count: number }): number {
  const next = row >= 0 ? row + by : last >= 0 ? last - Number(by < 0) : by > 0 ? 0 : count - 1;
  return Math.max(0, Math.min(count - 1, next));
}

function showPair(finding: ReportFinding, { loaded, store, wishes, say }: Surroundings): void {
  const [a, b] = finding.subjects.map(({ name }) => name);
  const missing = finding.subjects.find(({ name }) => !loaded.numbers.has(name));
  if (missing) {
    store.set({ finding: finding.id });
    say(`${printable(missing.name)} is not in this view`, 'status');
    return;
  }
  const frame = firstFrameOf(loaded.document, finding.id) ?? store.state.frame;
  store.set({ finding: finding.id, a, b: b ?? null, isIsolated: true, frame });
  wishes.fitFinding(finding);
}

const ORDERS: [Order, string][] = [
  ['found', 'as found'],
  ['size', 'size'],
  ['class', 'class'],
  ['name', 'name'],
];

function createFilters(filter: Filter, onChange: () => void) {
  const any: [string, string][] = [['', 'any']];
  const of = (label: string, key: 'rule' | 'class' | 'state') => {
    const made = choice(label, any, (value) => {
      filter[key] = value;
      onChange();
    });
    return { ...made, key };
  };
  const all = [of('Rule', 'rule'), of('Class', 'class'), of('State', 'state')];
  const order = choice('Sort by', ORDERS, (value) => {
    filter.order = value as Order;
    onChange();
  });
  const text = make('input', { type: 'search', placeholder: 'names, messages, notes', autocomplete: 'off' });
  text.addEventListener('input', () => {
    filter.text = text.value;
    onChange();
  });
  return {
    element: make(
      'div',
      { class: 'filters' },
      labelled('Search', text, { class: 'field wide' }),
      ...all.map(({ element }) => element),
      order.element,
    ),
    search: () => text.focus(),
    offer(findings: readonly ReportFinding[]) {
      for (const { key, element, control } of all) {
        const values = new Set(findings.map((finding) => (key === 'state' ? stateOf(finding) : finding[key])));
        values.delete('');
        element.hidden = values.size === 0;
        fill(control, [...any, ...[...values].sort().map((value): [string, string] => [value, printable(value)])]);
        filter[key] = control.value;
      }
    },
  };
}

interface RowMarks {
  isChosen: boolean;
  isSelected: boolean;
  isChanged: boolean;
  /** Selects this one beside others. */
  box: Child;
  names: Names;
}

function drawFinding(finding: ReportFinding, row: HTMLElement, marks: RowMarks): void {
  const { class: found, rule, size, note } = finding;
  const state = stateOf(finding);
  row.classList.toggle('chosen', marks.isChosen);
  row.classList.toggle('accepted', finding.accepted);
  row.setAttribute('aria-selected', String(marks.isSelected));
  row.title = `${namesOf(finding)}: ${printable(finding.message)}`;
  // A rule's name may be long, and is cut at its end.
  const about = [note ? 'note' : '', marks.isChanged ? 'not saved' : '', rule === found ? '' : printable(rule)];
  row.append(
    make(
      'div',
      { class: 'head' },
      marks.box,
      make('span', { class: `level ${colorOf(finding)}` }, printable(found)),
      ...stateMark(state),
      make('span', { class: 'about' }, about.filter(Boolean).join(', ')),
      make('span', { class: 'size' }, size ? sizeOf(size) : ''),
    ),
    ...finding.subjects.map(({ name }) => nameLine(name, marks.names)),
  );
}

/** In three digits, since a row has little room; the details have more. */
export const sizeOf = ({ kind, lower, upper }: NonNullable<ReportFinding['size']>): string => {
  const [low, high] = [lower, upper].map((x) => `${Number(x.toPrecision(3))}`);
  const length = upper >= Number.MAX_VALUE ? `at least ${low}` : low === high ? low : `${low} to ${high}`;
  return `${length} ${kind === 'thickness' ? 'thick' : 'apart'}`;
};

function detailsOf(finding: ReportFinding, units: string | null): HTMLElement {
  const unit = units ? ` ${units}` : '';
  const { rule, message, subjects, point: at, again } = finding;
  const entries: [string, string | null][] = [
    ['rule', rule],
    ['found', message],
    ...subjects.map(({ name, file, guid }, k): [string, string] => [
      subjects.length > 1 ? 'ab'[k] : 'object',
      [name, file === name ? null : file, guid].filter(Boolean).join(', '),
    ]),
    ['at', at && `${pointText(at)}${unit}`],
    ['again', again],
  ];
  return make(
    'dl',
    {},
    ...entries.flatMap(([name, value]) => (value ? [make('dt', {}, name), make('dd', {}, printable(value))] : [])),
  );
}
