/**
 * The lines of source files where the objects of findings begin: an element's `o` or `g` statement,
 * an instance in its scene file. Reports link to them.
 */
import { statSync } from 'node:fs';
import { InputError } from '../../math/errors.ts';
import { ANYWHERE, type NamedPlace, readNamed } from '../file-source.ts';
import { extensionOf, kindOf } from '../files.ts';

/** Larger files are not searched: they hold a text longer than a string may be. */
const LARGEST_FILE = 2 ** 28;

interface Side {
  name?: string;
  file?: string | null;
  element?: string;
  scene?: string;
  line?: number;
  sha256?: string | null;
}

/** Adds lines to the two sides of records that have files; each file is read once. */
export class SourceLines {
  private readonly known = new Map<string, ReadonlyMap<string, number>>();

  /** @param named where the files may lie, if a file names them; else a run has just read them */
  constructor(private readonly named?: NamedPlace) {}

  /** The record with its lines, where any is found: what it says of its file is the place of the line. */
  addTo(record: object): object {
    const { a, b } = record as { a?: Side; b?: Side };
    if (!a?.file && !b?.file) return record;
    return { ...record, a: this.located(a), b: this.located(b) };
  }

  private located(side: Side | undefined): Side | undefined {
    if (!side?.file) return side;
    const { file, element, scene } = side;
    if (element !== undefined) {
      const line = extensionOf(file) === '.obj' ? this.linesOf(file, statementsIn).get(element) : undefined;
      return line === undefined ? side : { ...side, line };
    }
    const line = scene === undefined ? undefined : this.linesOf(scene, namesIn).get(side.name ?? '');
    return line === undefined ? side : { ...side, file: scene!, line, sha256: null };
  }

  private linesOf(file: string, read: (text: string) => Map<string, number>): ReadonlyMap<string, number> {
    let lines = this.known.get(file);
    if (!lines) {
      const text = this.textOf(file);
      lines = text === null ? new Map() : read(text);
      this.known.set(file, lines);
    }
    return lines;
  }

  /**
   * The text of a file; null if the file is gone or too large, since a report does without it.
   *
   * @throws InputError for what is no regular file
   */
  private textOf(file: string): string | null {
    const kind = kindOf(file);
    // A run has read a pipe that its arguments name; what a file names is none.
    if (kind === null || (kind !== 'file' && !this.named)) return null;
    if (kind === 'file' && statSync(file).size > LARGEST_FILE) return null;
    try {
      return new TextDecoder().decode(readNamed(file, this.named ?? ANYWHERE));
    } catch (error) {
      if (kind === 'file' && error instanceof InputError) return null;
      throw error;
    }
  }
}

/** The first line of each name of an OBJ file: of its objects, and of groups that no object is called. */
function statementsIn(text: string): Map<string, number> {
  const groups = new Map<string, number>();
  const objects = new Map<string, number>();
  eachLine(text, (line, number) => {
    if (line[0] === 'v' || line[0] === 'f') return; // most are
    const [, kind, name] = /^\s*([og])\s+(.*)$/.exec(line.trimEnd()) ?? [];
    const names = kind === 'o' ? objects : groups;
    if (kind !== undefined && !names.has(name.trim())) names.set(name.trim(), number);
  });
  return new Map([...groups, ...objects]);
}

/** The line of each name in a scene file. */
function namesIn(text: string): Map<string, number> {
  const names = new Map<string, number>();
  eachLine(text, (line, number) => {
    for (const [, quoted] of line.matchAll(/"name"\s*:\s*("(?:[^"\\]|\\.)*")/g)) {
      const name = textOf(quoted);
      if (name !== null && !names.has(name)) names.set(name, number);
    }
  });
  return names;
}

/** A string of JSON; null where it is none. */
function textOf(quoted: string): string | null {
  try {
    return JSON.parse(quoted);
  } catch {
    return null;
  }
}

function eachLine(text: string, visit: (line: string, number: number) => void): void {
  let number = 1;
  for (let from = 0; from <= text.length; number++) {
    const end = text.indexOf('\n', from);
    visit(text.slice(from, end < 0 ? text.length : end), number);
    if (end < 0) return;
    from = end + 1;
  }
}
