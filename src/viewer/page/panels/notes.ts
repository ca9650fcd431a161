/** The user's notes on findings, their acceptance, and saving them. */
import { printable } from '../../../base/printable.ts';
import type { ReportFinding } from '../../../report/finding.ts';
import { button, check, labelled, make, type Surroundings, write } from './elements.ts';

interface Said {
  accepted: boolean;
  note: string | null;
}

/** Maximum characters of a note, as in a baseline. */
const LONGEST = 10_000;

export function createNotes({ loaded, wishes, say }: Surroundings, onChange: () => void) {
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
  const setOne = (finding: ReportFinding, some: Partial<Said>) => {
    const { accepted, note } = { ...before(finding), ...changes.get(finding.id), ...some };
    const old = before(finding);
    if (accepted === old.accepted && (note ?? '') === (old.note ?? '')) changes.delete(finding.id);
    else changes.set(finding.id, { accepted, note });
  };
  const change = (findings: readonly ReportFinding[], some: Partial<Said>) => {
    for (const finding of findings) setOne(finding, some);
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
    accept: (findings: readonly ReportFinding[], accepted: boolean) => change(findings, { accepted }),
    isChanged: (id: string): boolean => changes.has(id),
    /** The fields of a finding. */
    fields(finding: ReportFinding): HTMLElement {
      const { accepted, note } = shown(finding);
      if (baseline === null) return make('p', { hidden: note === null }, `note: ${printable(note ?? '')}`);
      const box = check('accepted', (isAccepted) => change([finding], { accepted: isAccepted }));
      box.control.checked = accepted;
      const text = make('textarea', { rows: 2, maxlength: LONGEST });
      text.value = note ?? '';
      text.addEventListener('input', () => change([finding], { note: text.value.trim() || null }));
      return make('div', { class: 'fields' }, box.element, labelled('Note', text));
    },
  };
}
