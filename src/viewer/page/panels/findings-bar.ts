/** The bar below the picture: the shown finding, those before and after it, and its acceptance. */
import { grouped, printable } from '../../../base/printable.ts';
import type { ReportFinding } from '../../../report/finding.ts';
import { namesOf, stateOf } from './chosen-findings.ts';
import { button, type Child, counted, make, write } from './elements.ts';
import type { Names } from './names.ts';

/** The states' icons and meanings, in the order of the legend. */
const STATES: Record<string, readonly [icon: string, means: string]> = {
  new: ['+', 'not in the baseline'],
  worse: ['↑', 'larger than in the baseline'],
  known: ['=', 'in the baseline'],
  accepted: ['✓', 'in the baseline, and accepted'],
  unchecked: ['?', 'in the baseline, and not looked at'],
  gone: ['–', 'in the baseline, and no longer there'],
};

const iconOf = (state: string): HTMLElement =>
  make('span', { class: `state ${state}`, title: STATES[state][1], 'aria-hidden': 'true' }, STATES[state][0]);

/** The icon of a state, and its word for people who do not see it; nothing without a baseline. */
export const stateMark = (state: string): Child[] =>
  state in STATES ? [iconOf(state), make('span', { class: 'unseen' }, `${state}, `)] : [];

/** Explains the icons of the states that occur. */
export const legendOf = (states: ReadonlySet<string>): Child[] =>
  Object.keys(STATES)
    .filter((state) => states.has(state))
    .map((state) => make('span', { title: STATES[state][1] }, iconOf(state), state));

/** The color of a finding. Failing ones that are only too close have the color of that verdict. */
export const colorOf = ({ class: found, level }: Pick<ReportFinding, 'class' | 'level'>): string =>
  found === 'near' && level === 'error' ? 'near' : level;

interface Actions {
  step(by: number): void;
  accept(isAccepted: boolean): void;
  note(): void;
}

interface Shown {
  finding: ReportFinding | undefined;
  /** Its place in the list, from 0; -1 if it is not there. */
  row: number;
  count: number;
  /** The findings that are accepted together. */
  selected: readonly ReportFinding[];
}

/** @param saving for saving changes, if that is possible */
export function createFindingsBar(actions: Actions, names: Names, saving: HTMLElement | null) {
  const place = make('output');
  const about = make('output', { class: 'about' });
  const previous = button('‹', () => actions.step(-1), { 'aria-label': 'Previous finding', title: 'k' });
  const next = button('›', () => actions.step(1), { 'aria-label': 'Next finding', title: 'j' });
  const accept = button('Accept', () => actions.accept(accept.ariaPressed !== 'true'), { title: 'y' });
  const note = button('Note', actions.note, { title: 'n' });
  const element = make(
    'div',
    { class: 'findings-bar', role: 'group', 'aria-label': 'Finding' },
    ...[previous, place, next],
    ...(saving ? [accept, note, saving] : []),
    about,
  );
  return {
    element,
    accept: () => accept.click(),
    show({ finding, row, count, selected }: Shown) {
      write(place, row < 0 ? counted(count, 'finding') : `${grouped(row + 1)} of ${grouped(count)}`);
      previous.disabled = count === 0 || row === 0;
      next.disabled = count === 0 || row === count - 1;
      const words = make('span', {}, ...(finding ? inWords(finding, names) : []));
      // A screen reader repeats text that is written again.
      if (words.textContent !== about.textContent) about.replaceChildren(words);
      about.title = finding ? namesOf(finding) : '';
      const isMany = selected.length > 1;
      write(accept, isMany ? `Accept ${grouped(selected.length)}` : 'Accept');
      accept.disabled = selected.length === 0;
      accept.ariaPressed = String(selected.length > 0 && selected.every(({ accepted }) => accepted));
      note.disabled = !finding;
    },
  };
}

function inWords(finding: ReportFinding, names: Names): Child[] {
  const both = finding.subjects.map(({ name }) => names.label(name)).join(' / ');
  return [
    ...stateMark(stateOf(finding)),
    make('span', { class: `level ${colorOf(finding)}` }, printable(finding.class)),
    ` ${both}`,
  ];
}
