/** Shared by readers of text: limits, named runs of triangles, and quotes for messages. */
import { FormatError, type Place } from '../base/errors.ts';
import { printable } from '../base/printable.ts';
import type { MeshGroup } from '../mesh/mesh.ts';

/** The longest typed array of all engines, given the memory. */
export const MAX_ELEMENTS = 2 ** 32 - 1;
/** UTF-16 units. */
export const MAX_NAME = 65_536;
/** Characters of a coordinate; the longest exact double has 1,077. */
export const MAX_NUMBER = 65_536;
/** More runs under one name are an attack on memory. */
const MAX_RUNS = 2 ** 22;

export interface Runs {
  list: MeshGroup[];
  open: { object: MeshGroup | null; group: MeshGroup | null };
}

/** Ends the last run of the kind at triangle `first`. Called at a face, not at the name. */
export function openRun(runs: Runs, kind: MeshGroup['kind'], name: string, first: number, line: number): void {
  if (runs.list.length >= MAX_RUNS) throw new FormatError({ line }, `at most ${MAX_RUNS} named runs of faces`, 'more');
  closeRun(runs.open[kind], first);
  runs.open[kind] = { kind, name, first, count: 0 };
  runs.list.push(runs.open[kind]);
}

export function closeRuns(runs: Runs, triangleCount: number): MeshGroup[] {
  closeRun(runs.open.object, triangleCount);
  closeRun(runs.open.group, triangleCount);
  return runs.list;
}

function closeRun(run: MeshGroup | null, end: number): void {
  if (run !== null) run.count = end - run.first;
}

/** The offset after a byte order mark. Throws FormatError for UTF-16. */
export function textStart(bytes: Uint8Array): number {
  const utf16 =
    bytes[0] === 0xff && bytes[1] === 0xfe ? 'FF FE' : bytes[0] === 0xfe && bytes[1] === 0xff ? 'FE FF' : '';
  if (utf16 !== '') throw new FormatError({ line: 1 }, 'UTF-8 text', `UTF-16 (byte order mark ${utf16})`);
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
}

const QUOTED = 40;
export const QUOTED_BYTES = 4 * (QUOTED + 1);

/** Quoted, cut to 40 characters, without characters that move a terminal's cursor. */
export function quote(token: string): string {
  const characters = Array.from(token.slice(0, 2 * QUOTED + 2));
  const cut = characters.length > QUOTED ? '...' : '';
  return `"${printable(characters.slice(0, QUOTED).join(''))}${cut}"`;
}

export const badNumber = (line: number, token: string) => new FormatError({ line }, 'a finite number', quote(token));
export const longNumber = (line: number) =>
  new FormatError({ line }, `a number of at most ${MAX_NUMBER} characters`, 'a longer one');
export const longName = (line: number) =>
  new FormatError({ line }, `a name of at most ${MAX_NAME} characters`, 'a longer one');
export const fewVertices = (place: Place, count: number) =>
  new FormatError(place, 'at least 3 vertices in a face', `${count}`);
export const nulByte = (line: number) => new FormatError({ line }, 'text', 'a zero byte');
export const tooMany = (place: Place) =>
  new FormatError(place, `no more than ${MAX_ELEMENTS} coordinates or corners in all`, 'more');
export const noFaces = () => new FormatError(null, 'at least one face', 'none');
