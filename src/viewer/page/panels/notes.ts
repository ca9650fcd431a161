/**
 * The user's notes on findings, their acceptance, and saving them. The page looks at the baseline
 * now and then, and shows both versions of a finding that was changed here and elsewhere.
 */
import { printable } from '../../../base/printable.ts';
import { isSame, type Said } from '../../../report/baseline.ts';
import type { ReportFinding } from '../../../report/finding.ts';
import { Ended } from '../data.ts';
import { Drafts } from '../drafts.ts';
import { button, check, counted, labelled, make, type Surroundings, write } from './elements.ts';

/** Maximum characters of a note, as in a baseline. */
const LONGEST = 10_000;

/** Milliseconds between two looks at the baseline while the page is visible. */
const OFTEN = 5000;

export function createNotes(surroundings: Surroundings, onChange: () => void) {
  const { findings, baseline } = surroundings.loaded.document;
  const drafts = new Drafts(findings);
  const ids = new Set(findings.map(({ id }) => id));
  let showFields = () => {};
  const output = make('output', { class: 'hint' });
  const refresh = () => {
    draw();
    onChange();
  };
  const exchange = createExchange(surroundings, drafts, refresh);
  const save = button('Save baseline', () => void exchange.send(), { class: 'main' });
  const keep = button('Download the baseline', () => download(drafts.text(), printable(baseline ?? '')));
  const draw = () => {
    const { problem, isSending } = exchange;
    const count = drafts.changes.size;
    const others = [...drafts.changes.keys()].filter((id) => drafts.theirs(id)).length;
    const isEnded = problem instanceof Ended;
    save.disabled = count === 0 || isEnded || isSending;
    keep.hidden = count === 0 || !isEnded;
    const parts = [
      count > 0 && `${count} ${count === 1 ? 'change is' : 'changes are'} not saved`,
      others > 0 && `${counted(others, 'finding')} changed elsewhere, too`,
      isEnded ? 'gicollide view has ended' : problem?.message,
    ];
    write(output, printable(parts.filter(Boolean).join('; ')));
    save.title = output.textContent ?? '';
    showFields();
  };
  const change = (changed: readonly ReportFinding[], some: Partial<Said>) => {
    for (const finding of changed) drafts.change(finding, some);
    refresh();
  };
  addEventListener('beforeunload', (event) => {
    if (drafts.changes.size > 0) event.preventDefault();
  });
  draw();
  return {
    /** The button that saves, and how much there is to save. */
    element: make('div', { class: 'line' }, save, keep, output),
    shown: (finding: ReportFinding): ReportFinding => drafts.shown(finding),
    isChanged: (id: string): boolean => drafts.changes.has(id),
    accept: (changed: readonly ReportFinding[], accepted: boolean) => change(changed, { accepted }),
    fields(finding: ReportFinding): HTMLElement {
      const { note } = drafts.shown(finding);
      if (baseline === null) return make('p', { hidden: note === null }, `note: ${printable(note ?? '')}`);
      if (!ids.has(finding.id))
        return make('p', { class: 'hint' }, 'Found where objects were moved: not in the baseline.');
      const fields = createFields(finding, drafts, { change, refresh });
      showFields = fields.show;
      fields.show();
      return fields.element;
    },
  };
}

/** Saves the changes, and looks at the baseline now and then. */
function createExchange({ loaded, wishes, store, say }: Surroundings, drafts: Drafts, refresh: () => void) {
  const { findings, baseline } = loaded.document;
  const { saving } = wishes;
  const state: { problem: Error | null; isSending: boolean } = { problem: null, isSending: false };
  const complain = () => say(`not saved: ${printable(state.problem?.message ?? '')}`, 'problem');
  const fail = (error: unknown) => {
    state.problem = error instanceof Error ? error : new Error(String(error));
    // Changes that were saved before are no news any more.
    if (state.problem instanceof Ended) say('', 'status');
  };
  const send = async () => {
    // A second save would mistake the first one for another user's.
    state.isSending = true;
    refresh();
    const sent = [...drafts.changes.values()];
    try {
      const news = await saving!.save(sent);
      drafts.settle(sent, news);
      state.problem = null;
      const [first] = news.conflicts ?? [];
      if (first === undefined) say(`saved to ${printable(baseline ?? '')}`, 'status');
      else {
        const [a = null, b = null] = findings.find(({ id }) => id === first)?.subjects.map(({ name }) => name) ?? [];
        store.set({ finding: first, a, b });
        say('not saved, since this finding was also changed elsewhere: keep yours, or take theirs', 'problem');
      }
    } catch (error) {
      fail(error);
      complain();
    }
    state.isSending = false;
    refresh();
  };
  const look = async () => {
    if (document.hidden) return;
    const before = state.problem;
    try {
      const news = await saving!.look();
      state.problem = null;
      if (news) drafts.hear(news);
      if (news ?? before) refresh();
    } catch (error) {
      fail(error);
      if (state.problem?.message === before?.message) return;
      if (drafts.changes.size > 0) complain();
      refresh();
    }
  };
  if (saving) {
    void look();
    for (const event of ['focus', 'visibilitychange']) addEventListener(event, () => void look());
    // The browser writes each failure to its console: once is enough.
    setInterval(() => state.problem instanceof Ended || void look(), OFTEN);
  }
  return Object.assign(state, { send });
}

interface Handlers {
  change(findings: readonly ReportFinding[], some: Partial<Said>): void;
  refresh(): void;
}

function createFields(finding: ReportFinding, drafts: Drafts, { change, refresh }: Handlers) {
  const { id } = finding;
  const choose = (whose: 'mine' | 'theirs') => {
    drafts.choose(id, whose);
    refresh();
  };
  const box = check('accepted', (accepted) => change([finding], { accepted }));
  const text = make('textarea', { rows: 2, maxlength: LONGEST });
  text.addEventListener('input', () => change([finding], { note: text.value.trim() || null }));
  const both = make('p');
  const conflict = make(
    'div',
    { class: 'conflict', role: 'group', 'aria-label': 'Changed here and elsewhere' },
    both,
    button('Keep mine', () => choose('mine')),
    button('Take theirs', () => choose('theirs')),
  );
  return {
    element: make('div', { class: 'fields' }, conflict, box.element, labelled('Note', text)),
    show() {
      const mine = drafts.shown(finding);
      const theirs = drafts.theirs(id);
      conflict.hidden = theirs === null;
      if (theirs)
        write(both, `This finding was also changed elsewhere. Theirs: ${wordsOf(theirs)}. Yours: ${wordsOf(mine)}.`);
      box.control.checked = mine.accepted;
      // Spaces at the end belong to a word that is still being typed.
      if (!isSame(mine, { ...mine, note: text.value.trim() })) text.value = mine.note ?? '';
    },
  };
}

const wordsOf = ({ accepted, note }: Said): string =>
  `${accepted ? 'accepted' : 'not accepted'}, ${note ? `note “${printable(note)}”` : 'no note'}`;

function download(text: string, path: string): void {
  const href = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
  make('a', { href, download: path.split(/[\\/]/).at(-1) ?? '' }).click();
  setTimeout(() => URL.revokeObjectURL(href));
}
