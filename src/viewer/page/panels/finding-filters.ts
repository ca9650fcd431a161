/** The fields that filter and sort the findings. */
import { printable } from '../../../base/printable.ts';
import type { ReportFinding } from '../../../report/finding.ts';
import { type Filter, type Order, stateOf } from './chosen-findings.ts';
import { choice, fill, labelled, make } from './elements.ts';

const ORDERS: [Order, string][] = [
  ['found', 'as found'],
  ['size', 'size'],
  ['class', 'class'],
  ['name', 'name'],
];

export function createFilters(filter: Filter, onChange: () => void) {
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
