/** The findings: which there are, which one is shown, and what somebody says of it. */
import { grouped, printable } from '../../../math/printable.ts';
import type { ReportFinding } from '../../../report/model.ts';
import type { ViewState } from '../../view-state.ts';
import { type Filter, fitting, namesOf, type Order, stateOf } from './chosen-findings.ts';
import { button, choice, fill, labelled, make, section, write } from './elements.ts';
import { createNotes } from './notes.ts';
import { point, short } from './numbers.ts';
import { changed, type Panel, type Surroundings } from './panel.ts';
import { createRows } from './rows.ts';

const ORDERS: [Order, string][] = [
  ['found', 'as found'],
  ['size', 'size'],
  ['class', 'class'],
  ['name', 'name'],
];

export interface FindingsPanel extends Panel {
  setFindings(findings: readonly ReportFinding[]): void;
  /** Shows the finding so many rows further on. */
  step(by: number): void;
  search(): void;
}

export function createFindings(surroundings: Surroundings, isOpen: boolean): FindingsPanel {
  const { loaded, store, wishes, say } = surroundings;
  let findings: readonly ReportFinding[] = [];
  let listed: number[] = [];
  const filter: Filter = { rule: '', class: '', state: '', text: '', order: 'found' };
  const output = make('output', { class: 'hint' });
  const details = make('div', { class: 'finding' });
  const again = button('Find again', () => wishes.find(), { hidden: true, title: 'Where the objects stand now' });
  const notes = createNotes(surroundings, () => refresh());
  const list = createRows({
    ...{ role: 'listbox', label: 'Findings', height: 48 },
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
    const all = `${grouped(findings.length)} ${findings.length === 1 ? 'finding' : 'findings'}`;
    write(output, listed.length === findings.length ? all : `${grouped(listed.length)} of ${all}`);
    list.show(listed.length);
  };
  const choose = (finding: ReportFinding) => {
    const [a, b] = finding.subjects.map(({ name }) => name);
    const missing = finding.subjects.find(({ name }) => !loaded.numbers.has(name));
    if (missing) {
      store.set({ finding: finding.id });
      say(`${printable(missing.name)} is not in this view`, 'status');
      return;
    }
    store.set({ finding: finding.id, a, b: b ?? null, isIsolated: true });
    wishes.fitFinding(finding);
  };
  const chosen = ({ finding: id }: ViewState) => findings.find((finding) => finding.id === id);
  const showChosen = (state: ViewState) => {
    const finding = chosen(state);
    details.replaceChildren(...(finding ? [detailsOf(finding, loaded.document.units), notes.fields(finding)] : []));
  };
  /** An address may name a finding alone. */
  const settle = () => {
    const finding = chosen(store.state);
    if (finding && store.state.a === null && store.state.b === null) choose(finding);
  };
  const { summary, baseline } = loaded.document;
  return {
    element: section(
      'Findings',
      isOpen,
      ...(summary === null ? [] : [make('p', { class: 'hint' }, printable(summary))]),
      filters.element,
      make('div', { class: 'line' }, output, again),
      list.element,
      details,
      ...(baseline === null ? [] : [notes.element]),
    ),
    search: filters.search,
    setFindings(all) {
      findings = all;
      notes.take(all);
      filters.offer(all);
      refresh();
      showChosen(store.state);
      queueMicrotask(settle);
    },
    step(by) {
      if (listed.length === 0) return;
      const at = listed.findIndex((k) => findings[k].id === store.state.finding);
      const next = at < 0 ? (by > 0 ? 0 : listed.length - 1) : Math.max(0, Math.min(listed.length - 1, at + by));
      list.activate(next);
      choose(findings[listed[next]]);
    },
    follow(state, before) {
      again.hidden = Object.keys(state.poses).length === 0;
      if (!changed(state, before, 'finding')) return;
      list.show(listed.length);
      showChosen(state);
      const at = listed.findIndex((k) => findings[k].id === state.finding);
      if (at >= 0) list.activate(at);
      settle();
    },
  };
}

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
    /** The values that these findings have. */
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

function drawFinding(finding: ReportFinding, row: HTMLElement, { isChosen, isChanged }: RowMarks): void {
  const { level, class: found, rule, size, note } = finding;
  const state = stateOf(finding);
  row.classList.toggle('chosen', isChosen);
  row.setAttribute('aria-selected', String(isChosen));
  row.title = `${namesOf(finding)}: ${printable(finding.message)}`;
  const about = [rule === found ? '' : printable(rule), state, note ? 'note' : '', isChanged ? 'not saved' : ''];
  row.append(
    make(
      'div',
      { class: 'head' },
      make('span', { class: `level ${level}` }, printable(found)),
      make('span', { class: 'about' }, about.filter(Boolean).join(', ')),
      make('span', { class: 'size' }, size ? sizeOf(size) : ''),
    ),
    make('div', { class: 'name' }, namesOf(finding)),
  );
}

function sizeOf({ kind, lower, upper }: NonNullable<ReportFinding['size']>): string {
  const range = upper - lower <= upper / 1000 ? short(upper) : `${short(lower)} to ${short(upper)}`;
  return `${range} ${kind === 'thickness' ? 'thick' : 'apart'}`;
}

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
    ['at', at && `${point(at)}${unit}`],
    ['again', again],
  ];
  return make(
    'dl',
    {},
    ...entries.flatMap(([name, value]) => (value ? [make('dt', {}, name), make('dd', {}, printable(value))] : [])),
  );
}
