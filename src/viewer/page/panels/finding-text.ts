/** A finding as its row, and all that is known of it. */
import { printable } from '../../../math/printable.ts';
import type { ReportFinding } from '../../../report/model.ts';
import { namesOf, stateOf } from './chosen-findings.ts';
import { make } from './elements.ts';
import { point, short } from './numbers.ts';

export interface RowMarks {
  isChosen: boolean;
  isChanged: boolean;
}

/** Fills a row of a list. */
export function drawFinding(finding: ReportFinding, row: HTMLElement, { isChosen, isChanged }: RowMarks): void {
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

/** Names and values. */
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
