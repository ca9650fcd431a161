/** Words and escaping that all reports share, and elements of XML as text. */
import { escaped, rangeText, roundedPoint } from '../base/printable.ts';
import type { Failure, Level, ReportFinding, ReportSummary, State } from './finding.ts';

export const LEVELS: readonly Level[] = ['error', 'warning', 'note'];
export const STATES: readonly State[] = ['new', 'worse', 'known', 'gone', 'unchecked'];

/** Characters that XML forbids or that break JSON or CSV; tabs and line ends may stay. */
const FORBIDDEN = /(?![\t\n\r])[\p{Cc}\p{Cs}\ufffe\uffff]/gu;
/** Also characters that start a line or change the direction of the text. */
const FORBIDDEN_IN_LINES = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069\ufffe\uffff]/gu;

/** Escapes control characters, lone surrogates and U+FFFE. */
export const clean = (text: string): string => escaped(text, FORBIDDEN);

/** Like `clean`, on one line: also escapes tabs, line ends and changes of direction. */
export const cleanLine = (text: string): string => escaped(text, FORBIDDEN_IN_LINES);

/** Returns `pipe-3 and wall-2`. */
export const namesOf = ({ subjects }: ReportFinding): string => subjects.map(({ name }) => name).join(' and ');

/** Returns `pipe-3 and wall-2: overlap, 20 thick`. */
export function titleOf(finding: ReportFinding): string {
  const tail = finding.state === 'unchecked' ? ' (not checked in this run)' : '';
  return `${namesOf(finding)}: ${finding.message}${tail}`;
}

/** True if a baseline knows it, so that it needs no action now. An accepted one may get worse. */
export const isOld = ({ state, accepted }: ReportFinding): boolean =>
  (accepted && state !== 'worse') || state === 'known' || state === 'gone' || state === 'unchecked';

/** A note if a baseline knows the finding: tools that ignore its state would count it as open. */
export const shownLevel = (finding: ReportFinding): Level => (isOld(finding) ? 'note' : finding.level);

/** True if it is unknown whether the finding exists. */
export const isOpen = (finding: ReportFinding): boolean =>
  finding.state === 'unchecked' || (OPEN_CLASSES.includes(finding.class) && !isOld(finding));

const OPEN_CLASSES = ['undecided', 'unchecked'];

/** Returns `part.stl: 84 bytes behind the last triangle were skipped`. */
export const lineOf = ({ subject, message }: Failure): string => `${subject}: ${message}`;

/** Returns `3 errors, 1 warning, 0 notes`. */
export const levelsInWords = ({ counts }: ReportSummary): string =>
  LEVELS.map((level) => `${counts[level]} ${level}${counts[level] === 1 ? '' : 's'}`).join(', ');

/** Returns `2 new, 40 known`; null without a baseline. */
export function statesInWords({ states }: ReportSummary): string | null {
  if (!states) return null;
  return (
    STATES.filter((state) => states[state] > 0)
      .map((state) => `${states[state]} ${state}`)
      .join(', ') || 'nothing in the baseline'
  );
}

/** Returns `2001-09-09T01:46:40Z`. */
export const dateOf = ({ epoch }: ReportSummary): string => `${new Date(epoch * 1000).toISOString().slice(0, 19)}Z`;

export function detailsOf(finding: ReportFinding, { units }: ReportSummary): [name: string, value: string][] {
  const { subjects, state, note, accepted, size, box, again } = finding;
  const unit = units ? ` ${units}` : '';
  const details: [string, string | null][] = [
    ['rule', finding.rule],
    ['class', finding.class],
    ['state', state && `${state}${accepted ? ', accepted' : ''}`],
    ['note', note],
    ...subjects.map((subject, k): [string, string] => [
      subjects.length > 1 ? `object ${k + 1}` : 'object',
      [subject.name, placeOf(subject), subject.guid].filter(Boolean).join(', '),
    ]),
    ['point', finding.point && `${roundedPoint(finding.point).join(', ')}${unit}`],
    ['box', box && `${roundedPoint(box.low).join(', ')} to ${roundedPoint(box.high).join(', ')}${unit}`],
    [size?.kind ?? '', size && `${rangeText(size)}${unit}`],
    ['again', again],
    ['id', finding.id],
  ];
  return details.filter((detail): detail is [string, string] => Boolean(detail[1]));
}

/** Returns `plan/house.obj:12`; null if no file is known. */
export const placeOf = ({ file, line }: { file: string | null; line: number | null }): string | null =>
  file && (line === null ? file : `${file}:${line}`);

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  // Escaped everywhere: `]]>` must not occur in text.
  '>': '&gt;',
  '"': '&quot;',
  // A parser would turn these into a space or another line end.
  '\r': '&#13;',
  '\n': '&#10;',
  '\t': '&#9;',
};

export const XML_HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n';

export const text = (value: string): string => clean(value).replaceAll(/[&<>\r]/g, (c) => ENTITIES[c]);

const attribute = (value: string): string => clean(value).replaceAll(/[&<>"\r\n\t]/g, (c) => ENTITIES[c]);

export type Attributes = Readonly<Record<string, string | number | null>>;

/** Returns `<name a="1"`; attributes that are null are left out. */
const opening = (name: string, attributes: Attributes): string =>
  Object.entries(attributes)
    .filter(([, value]) => value !== null)
    .reduce((tag, [key, value]) => `${tag} ${key}="${attribute(String(value))}"`, `<${name}`);

/** Returns a start tag alone, for elements that are written piece by piece. */
export const startTag = (name: string, attributes: Attributes): string => `${opening(name, attributes)}>\n`;

/** @param children XML; null and empty ones are left out */
export function element(name: string, attributes: Attributes, ...children: (string | null)[]): string {
  const inside = children.filter(Boolean).join('');
  return inside ? `${opening(name, attributes)}>${inside}</${name}>` : `${opening(name, attributes)}/>`;
}
