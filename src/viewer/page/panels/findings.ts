/** The panel of findings: the list, the selection, and the user's notes. */
import { grouped, printable } from '../../../base/printable.ts';
import type { ReportFinding } from '../../../report/finding.ts';
import { firstFrameOf } from '../../standing.ts';
import type { ViewState } from '../../view-state.ts';
import { type Filter, fitting } from './chosen-findings.ts';
import { button, type Folding, make, section, write } from './elements.ts';
import { createFilters } from './finding-filters.ts';
import { detailsOf, drawFinding } from './finding-text.ts';
import { createNotes } from './notes.ts';
import { counted } from './numbers.ts';
import { changed, type Panel, type Surroundings } from './panel.ts';
import { createRows } from './rows.ts';

export interface FindingsPanel extends Panel {
  readonly isEmpty: boolean;
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
