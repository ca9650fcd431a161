/** The findings: which there are, which one is shown, and what somebody says of it. */
import { grouped, printable } from '../../../math/printable.ts';
import type { ReportFinding } from '../../../report/model.ts';
import { firstFrameOf } from '../../standing.ts';
import type { ViewState } from '../../view-state.ts';
import { type Filter, fitting } from './chosen-findings.ts';
import { button, make, section, write } from './elements.ts';
import { createFilters } from './finding-filters.ts';
import { detailsOf, drawFinding } from './finding-text.ts';
import { createNotes } from './notes.ts';
import { counted } from './numbers.ts';
import { changed, type Panel, type Surroundings } from './panel.ts';
import { createRows } from './rows.ts';

export interface FindingsPanel extends Panel {
  readonly isEmpty: boolean;
  setFindings(findings: readonly ReportFinding[]): void;
  /** Shows the finding so many rows further on. */
  step(by: number): void;
  search(): void;
}

export function createFindings(surroundings: Surroundings, isOpen: boolean): FindingsPanel {
  const { loaded, store, wishes } = surroundings;
  let findings: readonly ReportFinding[] = [];
  let listed: number[] = [];
  const filter: Filter = { rule: '', class: '', state: '', text: '', order: 'found' };
  const output = make('output', { class: 'hint' });
  const details = make('div', { class: 'finding' });
  /** Where the objects were moved to when somebody asked last, and for the findings that are shown. */
  let asked: ViewState['poses'] = {};
  let found = asked;
  const findAgain = () => {
    asked = store.state.poses;
    wishes.find();
  };
  const again = button('Find again', findAgain, { title: 'Where the objects stand now' });
  const showAgain = ({ poses }: ViewState) => {
    again.hidden = poses === found || [poses, found].every((each) => Object.keys(each).length === 0);
  };
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
    // Of none, the count and what was looked at are all that there is to say.
    for (const { element } of [filters, list]) element.hidden = findings.length === 0;
  };
  const choose = (finding: ReportFinding) => showPair(finding, surroundings);
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
    get isEmpty() {
      return findings.length === 0;
    },
    search: filters.search,
    setFindings(all) {
      findings = all;
      found = asked;
      showAgain(store.state);
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
      showAgain(state);
      if (!changed(state, before, 'finding')) return;
      list.show(listed.length);
      showChosen(state);
      const at = listed.findIndex((k) => findings[k].id === state.finding);
      if (at >= 0) list.activate(at);
      settle();
    },
  };
}

/** Shows a finding: its pair, alone and framed. */
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
