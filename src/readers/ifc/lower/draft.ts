/** Edits a STEP file: replaces records and adds others. All other records keep their bytes. */
import { FormatError } from '../../../base/errors.ts';
import type { RecordOf } from '../step-records.ts';
import { MOST_ID, type StepFile } from '../step-scanner.ts';

const SPACE = 32;

/** Characters of added records per chunk of bytes; one string for all might be too long. */
const CHUNK = 1 << 20;

export class Draft {
  private readonly replaced = new Map<number, string>();
  private readonly added: string[] = [];
  private last: number;

  constructor(
    private readonly file: StepFile,
    private readonly recordOf: RecordOf,
  ) {
    this.last = file.ids.reduce((most, id) => Math.max(most, id), 0);
  }

  /** The record keeps its id; `text` is its new type and arguments: `IFCDIRECTION((0.,0.,1.))`. */
  replace(record: number, text: string): void {
    this.replaced.set(record, text);
  }

  isReplaced(record: number): boolean {
    return this.replaced.has(record);
  }

  /** Returns a reference to the new record: `#123`. */
  add(text: string): string {
    do this.last = this.last < MOST_ID ? this.last + 1 : 1;
    while (this.recordOf(this.last) >= 0);
    if (this.added.length + this.file.count >= MOST_ID) throw new FormatError(null, 'unused ids', 'none');
    this.added.push(`#${this.last}=${text};`);
    return `#${this.last}`;
  }

  /** The edited file. Strings that are too long for web-ifc's 16-bit counts are blanked in it. */
  done(): Uint8Array {
    const { bytes, heads, starts, ids } = this.file;
    const base = this.withoutLongStrings();
    if (this.replaced.size === 0 && this.added.length === 0) return base;
    const encoder = new TextEncoder();
    // Before this record, no place is surely within the section of data.
    const pieces = [bytes.subarray(0, heads[0])];
    let [first, size] = [0, 0];
    this.added.forEach((text, k) => {
      size += text.length;
      if (size < CHUNK && k + 1 < this.added.length) return;
      pieces.push(encoder.encode(`${this.added.slice(first, k + 1).join('\n')}\n`));
      [first, size] = [k + 1, 0];
    });
    let from = heads[0];
    for (const record of [...this.replaced.keys()].sort((a, b) => heads[a] - heads[b])) {
      const text = `#${ids[record]}=${this.replaced.get(record)}`;
      pieces.push(base.subarray(from, heads[record]), encoder.encode(text));
      from = endOf(bytes, starts[record]);
    }
    pieces.push(base.subarray(from));
    return joined(pieces);
  }

  private withoutLongStrings(): Uint8Array {
    const { bytes, longStrings } = this.file;
    if (longStrings.length === 0) return bytes;
    const copy = bytes.slice();
    for (const [from, to] of longStrings) {
      copy[from + 1] = copy[from];
      copy.fill(SPACE, from + 2, to);
    }
    return copy;
  }
}

/** The shortest text of a number that STEP allows: digits, a point, digits. */
export function real(x: number): string {
  const text = `${x + 0}`;
  if (text.includes('.')) return text;
  const [digits, exponent] = text.split('e');
  return exponent === undefined ? `${digits}.` : `${digits}.E${exponent}`;
}

/** Points and triangles with numbers from 0, as a closed IfcTriangulatedFaceSet. */
export function faceSet(draft: Draft, points: readonly (readonly number[])[], triangles: readonly number[][]): string {
  const list = draft.add(`IFCCARTESIANPOINTLIST3D((${points.map(reals).join()}))`);
  const corners = triangles.map((triangle) => `(${triangle.map((v) => v + 1).join()})`);
  return `IFCTRIANGULATEDFACESET(${list},$,.T.,(${corners.join()}),$)`;
}

export const reals = (list: ArrayLike<number>): string => `(${Array.from(list, real).join(',')})`;

/** The byte after the matching bracket; strings and comments may hold brackets. */
function endOf(bytes: Uint8Array, start: number): number {
  let depth = 0;
  for (let at = start; ; at++) {
    const c = bytes[at];
    if (c === 39 || c === 34) at = bytes.indexOf(c, at + 1);
    else if (c === 47 && bytes[at + 1] === 42) {
      at += 2;
      while (bytes[at] !== 42 || bytes[at + 1] !== 47) at++;
      at++;
    } else if (c === 40) depth++;
    else if (c === 41 && --depth === 0) return at + 1;
  }
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}
