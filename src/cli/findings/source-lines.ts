/**
 * Finds the source lines of findings' objects, for links in reports: an `o` or `g` statement of an
 * element, or an instance in its scene file.
 */
import { statSync } from 'node:fs';
import { InputError } from '../../base/errors.ts';
import { ANYWHERE, extensionOf, kindOf, type NamedPlace } from '../inputs/name.ts';
import { readNamed } from '../inputs/open.ts';

/** Larger files are not searched, since a string cannot hold them. */
const LARGEST_FILE = 2 ** 28;

interface Side {
  name?: string;
  file?: string | null;
  element?: string;
  scene?: string;
  line?: number;
  sha256?: string | null;
}

/** Adds lines to the sides of records that have files; each file is read once. */
export class SourceLines {
  private readonly known = new Map<string, ReadonlyMap<string, number>>();

  /** @param named allowed places if a file names the files; otherwise a run has just read them */
  constructor(private readonly named?: NamedPlace) {}

  addTo(record: object): object {
    const { a, b } = record as { a?: Side; b?: Side };
    if (!a?.file && !b?.file) return record;
    return { ...record, ...(a && { a: this.located(a) }), ...(b && { b: this.located(b) }) };
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

  /** Returns null if the file is missing or too large, which a report can tolerate. */
  private textOf(file: string): string | null {
    const kind = kindOf(file);
    // A run has already consumed a pipe that is an argument; a referenced file is never a pipe.
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

/** Returns the first line of each name in an OBJ file; objects take precedence over groups. */
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
