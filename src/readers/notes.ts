/**
 * Notes of readers on files and their elements, and their texts. scene/coverage.ts makes findings
 * and counts of them.
 */
import { FormatError } from '../base/errors.ts';
import { grouped, printable } from '../base/printable.ts';

export interface ReaderNote {
  /**
   * - `warning`: leaves every surface whole, such as data without a surface, or bytes after the
   *   end.
   * - `missing`: the surface of an element is missing, wholly or in part.
   * - `left out`: an element without a surface of its own, such as lines or points. A warning
   *   counts these notes, so their own texts are for lists alone.
   */
  kind: 'warning' | 'missing' | 'left out';
  /** The name of the element; null in a warning about the file. */
  element: string | null;
  text: string;
  /** The identifier of the element in the file: the GlobalId of IFC. */
  id?: string;
  /** True if an element has some surface, and other parts of it are missing. */
  isPart?: boolean;
}

export const warning = (text: string): ReaderNote => ({ kind: 'warning', element: null, text });

export const missing = (
  element: string,
  text: string,
  { id, isPart = false }: Pick<ReaderNote, 'id' | 'isPart'> = {},
): ReaderNote => ({ ...{ kind: 'missing', element, text, isPart }, ...(id !== undefined && { id }) });

export const leftOut = (element: string, text: string, id?: string): ReaderNote => ({
  ...{ kind: 'left out', element, text },
  ...(id !== undefined && { id }),
});

/** A file without triangles; the notes account for its elements. */
export class NoSurfaceError extends FormatError {
  constructor(
    readonly notes: readonly ReaderNote[],
    expected: string,
    found: string,
  ) {
    super(null, expected, found);
  }
}

const SHOWN = 3;
const LONGEST_NAME = 120;

const short = (name: string): string =>
  printable(name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME - 3)}...` : name);

export const someOf = (names: readonly string[]): string =>
  `${names.slice(0, SHOWN).map(short).join(', ')}${names.length > SHOWN ? ', ...' : ''}`;

export const leftOutText = (names: readonly string[], noun: string): string =>
  `${grouped(names.length)} ${noun}${names.length === 1 ? '' : 's'} without faces left out: ${someOf(names)}`;

export const warningsIn = (notes: readonly ReaderNote[]): string[] =>
  notes.filter(({ kind }) => kind === 'warning').map(({ text }) => text);

export function linesOfNotes(notes: readonly ReaderNote[]): string[] {
  const lines: string[] = [];
  const reasons = new Map<string, string[]>();
  for (const { kind, element, text } of notes) {
    if (kind !== 'missing') continue;
    const names = reasons.get(text) ?? [];
    names.push(element ?? '');
    reasons.set(text, names);
  }
  for (const [text, names] of reasons)
    lines.push(
      `${grouped(names.length)} incomplete ${names.length === 1 ? 'element' : 'elements'} (${text}): ${someOf(names)}`,
    );
  return [...lines, ...warningsIn(notes)];
}
