/**
 * The panel of findings: the list, its filters and order, the selection, a finding's details, and
 * the user's notes.
 */
import { bracketText, grouped, printable } from '../../../base/printable.ts';
import type { ReportFinding } from '../../../report/finding.ts';
import { firstFrameOf } from '../../standing.ts';
import type { ViewState } from '../../view-state.ts';
import { type Filter, fitting, namesOf, type Order, stateOf } from './chosen-findings.ts';
import {
  button,
  changed,
  check,
  choice,
  counted,
  type Folding,
  fill,
  labelled,
  make,
  type Panel,
  point,
  type Surroundings,
  section,
  write,
} from './elements.ts';
import { createRows } from './rows.ts';

export interface FindingsPanel extends Panel {
  readonly isEmpty: boolean;
  /** The findings that pass the filter, in their order, with their notes. */
  listed(): ReportFinding[];
  setFindings(findings: readonly ReportFinding[]): void;
  step(by: number): void;
  search(): void;
}

export function createFindings(surroundings: Surroundings, folding: Folding): FindingsPanel {
  const { loaded, store } = surroundings;
  let findings: readonly ReportFinding[] = [];
  let listed: number[] = [];
  const filter: Filter = { rule: '', class: '', state: '', text: '', order: 'found' };
  const output = make('output', { class: 'hint' });
  const details = make('div', { class: 'finding' });
  const again = createAgain(surroundings);
  const notes = createNotes(surroundings, () => refresh());
  const list = createRows({
    ...{ role: 'listbox', label: 'Findings', height: 66 },
    draw: (index, row) =>
      drawFinding(notes.shown(findings[listed[index]]), row, {
        isChosen: findings[listed[index]].id === store.state.finding,
        isChanged: notes.isChanged(findings[listed[index]].id),
      }),
    onChoose: (index) => choose(findings[listed[index]]),
  });
  const filters = createFilters(filter, () => refresh());
  const refresh = () => {
    const shown = findings.map(notes.shown);
    listed = fitting(shown, filter);
    const all = counted(findings.length, 'finding');
    write(output, listed.length === findings.length ? all : `${grouped(listed.length)} of ${all}`);
    list.show(listed.length);
    // Without findings, show only the count and the summary.
    for (const { element } of [filters, list]) element.hidden = findings.length === 0;
  };
  const choose = (finding: ReportFinding) => showPair(finding, surroundings);
  const chosen = ({ finding: id }: ViewState) => findings.find((finding) => finding.id === id);
  const rowOf = ({ finding: id }: ViewState) => listed.findIndex((k) => findings[k].id === id);
  const showChosen = (state: ViewState) => {
    const finding = chosen(state);
    details.replaceChildren(...(finding ? [detailsOf(finding, loaded.document.units), notes.fields(finding)] : []));
  };
  /** An address may name only a finding. */
  const settle = () => {
    const finding = chosen(store.state);
    if (finding && store.state.a === null && store.state.b === null) choose(finding);
  };
  const line = make('div', { class: 'line' }, output, again.element);
  return {
    element: layOut(loaded.document, folding, [filters.element, line, list.element, details], notes.element),
    get isEmpty() {
      return findings.length === 0;
    },
    search: filters.search,
    listed: () => listed.map((k) => notes.shown(findings[k])),
    setFindings(all) {
      findings = all;
      again.settle();
      filters.offer(all);
      refresh();
      showChosen(store.state);
      queueMicrotask(settle);
    },
    step(by) {
      if (listed.length === 0) return;
      const next = steppedFrom(rowOf(store.state), by, listed.length);
      list.activate(next);
      choose(findings[listed[next]]);
    },
    follow(state, before) {
      again.follow(state);
      if (!changed(state, before, 'finding')) return;
      list.show(listed.length);
      showChosen(state);
      const at = rowOf(state);
      if (at >= 0) list.activate(at);
      settle();
    },
  };
}

function layOut(
  { summary, baseline }: Surroundings['loaded']['document'],
  folding: Folding,
  parts: readonly HTMLElement[],
  notes: HTMLElement,
): HTMLElement {
  const head = summary === null ? [] : [make('p', { class: 'hint' }, printable(summary))];
  return section('Findings', folding, ...head, ...parts, ...(baseline === null ? [] : [notes]));
}

/** The button that searches again; hidden while the findings match the poses. */
function createAgain({ store, wishes }: Surroundings) {
  /** Moved poses of the last request, and of the findings that are shown. */
  let asked: ViewState['poses'] = {};
  let found = asked;
  const findAgain = () => {
    asked = store.state.poses;
    wishes.find();
  };
  const element = button('Find again', findAgain, { title: 'Where the objects stand now' });
  const follow = ({ poses }: ViewState) => {
    element.hidden = areSamePlaces(poses, found);
  };
  return {
    element,
    follow,
    settle() {
      found = asked;
      follow(store.state);
    },
  };
}

/** True if two sets of moved poses agree. Usually both are empty. */
const areSamePlaces = (poses: ViewState['poses'], others: ViewState['poses']): boolean =>
  poses === others || [poses, others].every((each) => Object.keys(each).length === 0);

/** Moves by so many rows; without a selection, goes to the first or the last row. */
function steppedFrom(row: number, by: number, count: number): number {
  if (row < 0) return by > 0 ? 0 : count - 1;
  return Math.max(0, Math.min(count - 1, row + by));
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
  isChanged: boolean;
}

export function drawFinding(finding: ReportFinding, row: HTMLElement, { isChosen, isChanged }: RowMarks): void {
  const { level, class: found, rule, size, note } = finding;
  const state = stateOf(finding);
  row.classList.toggle('chosen', isChosen);
  row.setAttribute('aria-selected', String(isChosen));
  row.title = `${namesOf(finding)}: ${printable(finding.message)}`;
  // A rule's name may be long, and is cut at its end.
  const about = [state, note ? 'note' : '', isChanged ? 'not saved' : '', rule === found ? '' : printable(rule)];
  row.append(
    make(
      'div',
      { class: 'head' },
      make('span', { class: `level ${level}` }, printable(found)),
      make('span', { class: 'about' }, about.filter(Boolean).join(', ')),
      make('span', { class: 'size' }, size ? sizeOf(size) : ''),
    ),
    ...finding.subjects.map(({ name }) => make('div', { class: 'name' }, printable(name))),
  );
}

export const sizeOf = (size: NonNullable<ReportFinding['size']>): string =>
  `${bracketText(size)} ${size.kind === 'thickness' ? 'thick' : 'apart'}`;

export function detailsOf(finding: ReportFinding, units: string | null): HTMLElement {
  const unit = units ? ` ${units}` : '';
  const { rule, message, subjects, point: at, again } = finding;
  const entries: [string, string | null][] = [
    ['rule', rule],
    ['found', message],
    ...subjects.map(({ name, file, guid }, k): [string, string] => [
      subjects.length > 1 ? 'ab'[k] : 'object',
      [name, file === name ? null : file, guid].filter(Boolean).join(', '),
    ]),
    ['at', at && `${point(at)}${unit}`],
    ['again', again],
  ];
  return make(
    'dl',
    {},
    ...entries.flatMap(([name, value]) => (value ? [make('dt', {}, name), make('dd', {}, printable(value))] : [])),
  );
}

interface Said {
  accepted: boolean;
  note: string | null;
}

/** Maximum characters of a note, as in a baseline. */
const LONGEST = 10_000;

/** The user's notes on findings, their acceptance, and saving them. */
function createNotes({ loaded, wishes, say }: Surroundings, onChange: () => void) {
  const { baseline } = loaded.document;
  /** Saved changes (a new search gives the baseline's state at page load), then unsaved ones. */
  const saved = new Map<string, Said>();
  const changes = new Map<string, Said>();
  const output = make('output', { class: 'hint' });
  const before = (finding: ReportFinding): Said => saved.get(finding.id) ?? finding;
  const save = button('Save baseline', () => void send(), { class: 'main' });
  const refresh = () => {
    const n = changes.size;
    save.disabled = n === 0 || !wishes.save;
    write(output, n === 0 ? '' : `${n} ${n === 1 ? 'change is' : 'changes are'} not saved`);
  };
  const send = async () => {
    const sent = [...changes];
    save.disabled = true;
    try {
      await wishes.save?.(sent.map(([id, { accepted, note }]) => ({ id, accepted, note })));
      for (const [id, said] of sent) {
        saved.set(id, said);
        if (changes.get(id) === said) changes.delete(id);
      }
      say(`saved to ${printable(baseline ?? '')}`, 'status');
    } catch (error) {
      say(`not saved: ${printable(error instanceof Error ? error.message : String(error))}`, 'problem');
    }
    refresh();
    onChange();
  };
  const change = (finding: ReportFinding, some: Partial<Said>) => {
    const { accepted, note } = { ...before(finding), ...changes.get(finding.id), ...some };
    const old = before(finding);
    if (accepted === old.accepted && (note ?? '') === (old.note ?? '')) changes.delete(finding.id);
    else changes.set(finding.id, { accepted, note });
    refresh();
    onChange();
  };
  addEventListener('beforeunload', (event) => {
    if (changes.size > 0) event.preventDefault();
  });
  refresh();
  /** A finding with what was said of it here. */
  const shown = (finding: ReportFinding): ReportFinding => {
    const said = changes.get(finding.id) ?? saved.get(finding.id);
    return said ? { ...finding, ...said } : finding;
  };
  return {
    /** The button that saves, and how much there is to save. */
    element: make('div', { class: 'line' }, save, output),
    shown,
    isChanged: (id: string): boolean => changes.has(id),
    /** The fields of a finding. */
    fields(finding: ReportFinding): HTMLElement {
      const { accepted, note } = shown(finding);
      if (baseline === null) return make('p', { hidden: note === null }, `note: ${printable(note ?? '')}`);
      const box = check('accepted', (isAccepted) => change(finding, { accepted: isAccepted }));
      box.control.checked = accepted;
      const text = make('textarea', { rows: 2, maxlength: LONGEST });
      text.value = note ?? '';
      text.addEventListener('input', () => change(finding, { note: text.value.trim() || null }));
      return make('div', { class: 'fields' }, box.element, labelled('Note', text));
    },
  };
}
