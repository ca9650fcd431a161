/** A finding as a row, and with all its details. */
import { bracketText, printable } from '../../../base/printable.ts';
import type { ReportFinding } from '../../../report/finding.ts';
import { namesOf, stateOf } from './chosen-findings.ts';
import { make } from './elements.ts';
import { point } from './numbers.ts';

export interface RowMarks {
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

const sizeOf = (size: NonNullable<ReportFinding['size']>): string =>
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
