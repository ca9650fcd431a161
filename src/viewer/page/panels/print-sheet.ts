/** The sheet that is printed instead of the page: the picture, and a table of the listed findings. */
import { printable } from '../../../base/printable.ts';
import type { ReportFinding } from '../../../report/finding.ts';
import { stateOf } from './chosen-findings.ts';
import { counted, make, type Surroundings } from './elements.ts';
import { sizeOf } from './findings.ts';

interface Printed {
  /** The findings that pass the filter, in their order, with their notes. */
  findings(): readonly ReportFinding[];
  /** Holds the word of the verdict. */
  verdict: HTMLElement;
}

const COLUMNS = ['no.', 'state', 'class', 'size', 'objects', 'note'];

/** Fills the sheet whenever the browser is about to print. */
export function createSheet({ loaded, store, wishes }: Surroundings, { findings, verdict }: Printed): HTMLElement {
  const { title, tool, summary, findings: all } = loaded.document;
  const element = make('section', { class: 'sheet' });
  addEventListener('beforeprint', () => {
    const { a, b } = store.state;
    const listed = findings();
    const now = new Date();
    const date = new Date(now.getTime() - 60_000 * now.getTimezoneOffset()).toISOString();
    const picture = wishes.picture();
    const caption = `${printable([a, b].filter(Boolean).join(' and '))}: ${verdict.querySelector('.verdict')?.textContent}`;
    element.replaceChildren(
      make('h1', {}, printable(title)),
      make('p', {}, `${printable(tool)}, ${date.slice(0, 16).replace('T', ' ')}`),
      ...(summary === null ? [] : [make('p', {}, printable(summary))]),
      make('figure', {}, ...(picture ? [picture] : []), make('figcaption', {}, caption)),
      ...(listed.length > 0 ? [tableOf(listed, all.length)] : []),
    );
  });
  addEventListener('afterprint', () => element.replaceChildren());
  return element;
}

function tableOf(findings: readonly ReportFinding[], all: number): HTMLElement {
  const rows = findings.map(cellsOf);
  const columns = COLUMNS.flatMap((name, k) => (rows.some((cells) => cells[k].length > 0) ? [{ name, k }] : []));
  const of = findings.length < all ? ` of ${counted(all, 'finding')}` : '';
  return make(
    'table',
    {},
    make('caption', {}, of ? `${findings.length}${of}` : counted(all, 'finding')),
    make('thead', {}, make('tr', {}, ...columns.map(({ name }) => make('th', { scope: 'col' }, name)))),
    make(
      'tbody',
      {},
      ...rows.map((cells) => make('tr', {}, ...columns.map(({ k }) => make('td', {}, ...linesOf(cells[k]))))),
    ),
  );
}

const linesOf = (words: readonly string[]) => words.map((text) => make('div', {}, printable(text)));

/** Lines of each column's cell; a column without any is left out. */
function cellsOf(finding: ReportFinding, index: number): string[][] {
  const { rule, class: found, size, subjects, note } = finding;
  return [
    [String(index + 1)],
    [stateOf(finding)].filter(Boolean),
    rule === found ? [found] : [found, rule],
    size ? [sizeOf(size)] : [],
    subjects.map(({ name }) => name),
    note ? [note] : [],
  ];
}
