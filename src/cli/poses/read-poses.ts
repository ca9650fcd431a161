/**
 * Reads poses from a file or a pipe in blocks, and parses the lines of a block. A file is one JSON
 * document, a pose per line, or 16 doubles a pose (.f64). Reading only splits lines. The threads
 * that answer also parse, since parsing takes longer than reading.
 */
import { closeSync, createReadStream, fstatSync, openSync, readSync } from 'node:fs';
import { FormatError, InputError, OptionError } from '../../base/errors.ts';
import { nearest } from '../../base/nearest.ts';
import { quoted } from '../../base/printable.ts';
import { type Pose, poseOfNumbers, requirePose } from '../../math/pose.ts';
import { explain, kindOf, type NamedPlace, STDIN } from '../inputs/name.ts';
import { openNamed, requireNoPointer } from '../inputs/open.ts';
import { about } from '../session.ts';

/** Consecutive poses, to be posted to a thread; the block owns its buffer. */
export type Block = {
  name: string;
  /** True if more data was available; otherwise the next block may come much later or never. */
  hasMore: boolean;
  /** The number of its first pose, from 0. */
  first: number;
} & (
  | { kind: 'lines'; bytes: Uint8Array; line: number; columns?: Columns | undefined }
  | { kind: 'numbers'; numbers: Float64Array }
);

export interface PoseSource {
  readonly name: string;
  /** Returns at least one line or pose, otherwise up to `most` bytes; null at the end. */
  read(most: number): Promise<Block | null>;
  /** Bytes left to read; null if unknown. */
  left(): number | null;
  /** Restarts; undefined for a pipe, which can be read only once. */
  rewind?(): void;
  close(): void;
}

const POSE_BYTES = 128;
const CHUNK = 2 ** 18;
/** Longer lines are no poses, and are not read to their end. */
const LONGEST_LINE = 2 ** 20;
/** Enough for the poses of many thousands of objects. */
const LONGEST_FRAME = 2 ** 26;
/** V8's longest string. */
const LONGEST_DOCUMENT = 2 ** 29 - 24;

/** A space; characters below it don't print. */
const BLANK = 32;
const LINE_FEED = 10;
const RETURN = 13;
const BRACKET = 91;
const BRACE = 123;
const HASH = 35;

export function openPoses(file: string): PoseSource {
  const bytes = bytesOf(file);
  return file.toLowerCase().endsWith('.f64') ? binarySource(bytes) : textSource(bytes);
}

/** Opens lines of at most LONGEST_FRAME bytes. @param named place of a referenced file */
export const openLines = (file: string, named?: NamedPlace): PoseSource =>
  textSource(bytesOf(file, named), LONGEST_FRAME);

/** Splits a block in two; null if it has one pose or one line. */
export function halveBlock(block: Block): [Block, Block] | null {
  const { first } = block;
  if (block.kind === 'numbers') {
    const middle = 16 * Math.floor(block.numbers.length / 32);
    const [before, after] = [block.numbers.slice(0, middle), block.numbers.slice(middle)];
    return middle === 0
      ? null
      : [
          { ...block, hasMore: true, numbers: before },
          { ...block, numbers: after, first: first + middle / 16 },
        ];
  }
  const { bytes, line } = block;
  const last = bytes.length - 1; // where a line ends that is the last
  const before = last > 0 ? bytes.lastIndexOf(LINE_FEED, Math.floor((last - 1) / 2)) : -1;
  const end = 1 + (before >= 0 ? before : bytes.subarray(0, last).indexOf(LINE_FEED));
  if (end === 0) return null;
  const [head, tail] = [bytes.slice(0, end), bytes.slice(end)];
  const counted = countLines(head);
  return [
    { ...block, hasMore: true, bytes: head },
    { ...block, bytes: tail, line: line + counted.lines, first: first + counted.poses },
  ];
}

/** Calls `visit` with each pose, always in the same array. Throws a complete InputError. */
export async function visitPoses(block: Block, visit: (pose: Pose) => void | Promise<void>): Promise<void> {
  const { name } = block;
  if (block.kind === 'numbers') {
    for (let i = 0; 16 * i < block.numbers.length; i++) {
      pose.set(block.numbers.subarray(16 * i, 16 * i + 16));
      requireOf(name, `pose ${block.first + i}`);
      const waits = visit(pose);
      if (waits) await waits;
    }
    return;
  }
  const lines = new TextDecoder().decode(block.bytes).split(/\r\n|\r|\n/);
  for (let i = 0; i < lines.length; i++) {
    if (isIdle(lines[i])) continue;
    parseLine(lines[i], block.line + i, block);
    const waits = visit(pose);
    if (waits) await waits;
  }
}

const pose = new Float64Array(16);

function requireOf(name: string, what: string): void {
  try {
    requirePose(pose, what);
  } catch (error) {
    throw error instanceof InputError ? new InputError(`${name}: ${error.message}`) : error;
  }
}

function parseLine(
  text: string,
  line: number,
  { name, columns }: { name: string; columns?: Columns | undefined },
): void {
  try {
    readPoseLine(text, line, columns, pose);
  } catch (error) {
    throw error instanceof FormatError ? new InputError(error.describe(name)) : error;
  }
  requireOf(name, `the pose in line ${line}`);
}

// ------------------------------------------------------------------------------------------------- bytes

interface Bytes {
  name: string;
  /** Null at the end. */
  pull(): Promise<Uint8Array | null>;
  left(): number | null;
  rewind?(): void;
  close(): void;
}

/** Opens a file or stdin ('-'). Pipes and devices may be endless, and give bytes at any time. */
function bytesOf(path: string, named?: NamedPlace): Bytes {
  if (named) return ofFile(path, openNamed(path, { ...named, maxBytes: Number.POSITIVE_INFINITY }));
  if (path === STDIN) return streamed('stdin', process.stdin);
  let file: number;
  try {
    file = openSync(path, 'r');
    const stat = fstatSync(file);
    if (!stat.isFile() && !stat.isDirectory()) return streamed(path, createReadStream(path, { fd: file }));
  } catch (error) {
    throw explain(path, error);
  }
  return ofFile(path, file);
}

/** Reads an open regular file of any size, in pieces. */
function ofFile(path: string, file: number): Bytes {
  const { size } = fstatSync(file);
  if (kindOf(path) === 'file') requireNoPointer(path, file, size);
  let at = 0;
  return {
    name: path,
    async pull() {
      const chunk = new Uint8Array(CHUNK);
      try {
        const read = readSync(file, chunk, 0, CHUNK, at);
        at += read;
        return read === 0 ? null : chunk.subarray(0, read);
      } catch (error) {
        throw explain(path, error);
      }
    },
    left: () => Math.max(0, size - at),
    rewind() {
      at = 0;
    },
    close: () => closeSync(file),
  };
}

function streamed(name: string, stream: NodeJS.ReadableStream & { destroy(): unknown }): Bytes {
  const chunks = (stream as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
  return {
    name,
    async pull() {
      try {
        const { done, value } = await chunks.next();
        return done ? null : value;
      } catch (error) {
        throw explain(name, error);
      }
    },
    left: () => null,
    // A waiting writer must not keep the program alive.
    close: () => void stream.destroy(),
  };
}

function windowOn(bytes: Bytes) {
  let held: Uint8Array = new Uint8Array(0);
  /** The buffer, with spare room, since a long line grows by many chunks. */
  let store = held;
  let hasEnded = false;
  return {
    held: (): Uint8Array => held,
    hasEnded: (): boolean => hasEnded,
    left: (): number | null => {
      const left = bytes.left();
      return left === null ? null : left + held.length;
    },
    async pull(): Promise<void> {
      const chunk = await bytes.pull();
      if (chunk === null) hasEnded = true;
      else if (held.length === 0) {
        store = chunk;
        held = chunk;
      } else {
        const from = held.byteOffset - store.byteOffset;
        const to = from + held.length;
        if (to + chunk.length <= store.length) {
          store.set(chunk, to);
          held = store.subarray(from, to + chunk.length);
        } else {
          store = new Uint8Array(2 * held.length + chunk.length);
          store.set(held);
          store.set(chunk, held.length);
          held = store.subarray(0, held.length + chunk.length);
        }
      }
    },
    /** Removes the first bytes, and returns a copy. */
    take(length: number): Uint8Array {
      const taken = new Uint8Array(held.subarray(0, length));
      held = held.subarray(length);
      return taken;
    },
    clear(): void {
      held = new Uint8Array(0);
      hasEnded = false;
    },
  };
}

// ------------------------------------------------------------------------------------------------- doubles

/** Reads little-endian doubles, 16 per pose, without a header, as numpy's tofile writes them. */
function binarySource(bytes: Bytes): PoseSource {
  const window = windowOn(bytes);
  let first = 0;
  return {
    name: bytes.name,
    async read(most) {
      while (window.held().length < POSE_BYTES && !window.hasEnded()) await window.pull();
      const { length } = window.held();
      if (length === 0) return null;
      if (length < POSE_BYTES) {
        const place = { byte: POSE_BYTES * first };
        throw new InputError(
          new FormatError(place, `${POSE_BYTES} bytes of a pose`, `${length} bytes`).describe(bytes.name),
        );
      }
      const poses = Math.floor(Math.min(length, Math.max(most, POSE_BYTES)) / POSE_BYTES);
      const numbers = doublesOf(window.take(poses * POSE_BYTES));
      first += poses;
      const hasMore = window.held().length >= POSE_BYTES || (window.left() ?? 0) > 0;
      return { kind: 'numbers', name: bytes.name, hasMore, numbers, first: first - poses };
    },
    left: window.left,
    ...(bytes.rewind && {
      rewind() {
        bytes.rewind?.();
        window.clear();
        first = 0;
      },
    }),
    close: bytes.close,
  };
}

function doublesOf(bytes: Uint8Array): Float64Array {
  const view = new DataView(bytes.buffer);
  return Float64Array.from({ length: bytes.length / 8 }, (_, i) => view.getFloat64(8 * i, true));
}

// ---------------------------------------------------------------------------------------------------- text

/** Skips comments and the header; returns its columns, and the number of the next line. */
async function takeHeader(window: ReturnType<typeof windowOn>, name: string): Promise<[Columns | undefined, number]> {
  for (let line = 1; ; line++) {
    const endOf = (): number => window.held().indexOf(LINE_FEED);
    while (endOf() < 0 && !window.hasEnded() && window.held().length < LONGEST_LINE) await window.pull();
    const end = endOf();
    const text = new TextDecoder().decode(window.held().subarray(0, end < 0 ? window.held().length : end));
    const idle = isIdle(text);
    const columns = idle ? null : await about(name, () => columnsOf(text, line));
    if (end < 0 || (!idle && columns === null)) return [columns ?? undefined, line];
    window.take(end + 1);
    if (columns !== null) return [columns, line + 1];
  }
}

/** @param longest bytes of a line; more than a pose can have if every line is wanted, not poses */
function textSource(bytes: Bytes, longest = LONGEST_LINE): PoseSource {
  const { name } = bytes;
  const window = windowOn(bytes);
  let line = 1;
  let poses = 0;
  let hasBegun = false;
  let columns: Columns | undefined;
  let document: Float64Array | null = null;
  let given = 0;

  /** Looks at the first character: a brace begins a document, which is read to its end. */
  async function begin(): Promise<void> {
    hasBegun = true;
    const firstLetter = (): number => window.held().findIndex((byte, i) => byte > 0x20 && !isMark(window.held(), i));
    while (firstLetter() < 0 && !window.hasEnded() && window.held().length < LONGEST_LINE) await window.pull();
    if (isMark(window.held(), 0)) window.take(3);
    if (longest !== LONGEST_LINE) return;
    if (window.held()[firstLetter()] === BRACE) document = await readDocument(window.take(window.held().length), bytes);
    else if (window.held()[firstLetter()] !== BRACKET) [columns, line] = await takeHeader(window, name);
  }

  return {
    name,
    async read(most) {
      if (!hasBegun) await begin();
      if (document) {
        if (given === document.length) return null;
        const count = 16 * Math.max(1, Math.floor(most / POSE_BYTES));
        const numbers = document.slice(given, given + count);
        given += numbers.length;
        const isLast = given === document.length;
        return { kind: 'numbers', name, hasMore: !isLast, numbers, first: (given - numbers.length) / 16 };
      }
      // Files give as much as requested; pipes give what is available, even a single line.
      const isPipe = bytes.left() === null;
      let end = endOfLines(window.held(), most);
      while ((end === 0 || (!isPipe && window.held().length < most)) && !window.hasEnded()) {
        if (end === 0 && window.held().length > longest) break;
        const looked = window.held().length;
        await window.pull();
        end = endOfLines(window.held(), most, looked);
      }
      if (end === 0) end = window.held().length;
      if (end === 0) return null;
      const taken = window.take(end);
      const from = { first: poses, line };
      const counted = countLines(taken);
      line += counted.lines;
      poses += counted.poses;
      const hasMore = window.held().includes(LINE_FEED) || (window.left() ?? 0) > 0;
      return { kind: 'lines', name, hasMore, bytes: taken, ...from, columns };
    },
    left: () => (document ? (document.length - given) * 8 : window.left()),
    ...(bytes.rewind && {
      rewind() {
        given = 0;
        if (document) return;
        bytes.rewind?.();
        window.clear();
        line = 1;
        poses = 0;
        hasBegun = false;
      },
    }),
    close: bytes.close,
  };
}

async function readDocument(first: Uint8Array, bytes: Bytes): Promise<Float64Array> {
  const parts = [first];
  let length = parts[0].length;
  for (let part = await bytes.pull(); part !== null; part = await bytes.pull()) {
    parts.push(part);
    length += part.length;
    if (length > LONGEST_DOCUMENT) {
      const advice = `a document of at most ${LONGEST_DOCUMENT} bytes, or a pose a line, of any number`;
      throw new InputError(new FormatError(null, advice, `${length + (bytes.left() ?? 0)} bytes`).describe(bytes.name));
    }
  }
  // At most two are in memory at a time: the parts, the whole, the text, the objects.
  let whole: Buffer | null = Buffer.concat(parts);
  parts.length = 0;
  const text = whole.toString('utf8');
  whole = null;
  return about(bytes.name, () => parseDocument(text));
}

/** True if the byte belongs to the UTF-8 mark that some editors write first. */
const isMark = (bytes: Uint8Array, i: number): boolean =>
  i < 3 && bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;

/** Returns the end of the last line within `most` bytes, otherwise of the first; 0 if none ends. */
function endOfLines(held: Uint8Array, most: number, looked = 0): number {
  const within = looked >= most ? -1 : held.lastIndexOf(LINE_FEED, Math.min(most, held.length) - 1);
  const end = within >= 0 ? within : held.indexOf(LINE_FEED, looked);
  if (end >= 0 || held.length < CHUNK) return end + 1;
  // Lines that end with a lone return: the last one may be half of a pair.
  const start = looked >= CHUNK ? looked - 1 : 0;
  const last = held.subarray(start).lastIndexOf(RETURN, held.length - 2 - start);
  return last < 0 ? 0 : start + last + 1;
}

/** Counts line ends, and lines that are neither blank nor a comment. */
function countLines(bytes: Uint8Array): { lines: number; poses: number } {
  let lines = 0;
  let poses = 0;
  let isBlank = true;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i];
    if (byte > BLANK) {
      if (isBlank && byte !== HASH) poses++;
      isBlank = false;
    } else if (byte === LINE_FEED || (byte === RETURN && bytes[i + 1] !== LINE_FEED)) {
      lines++;
      isBlank = true;
    }
  }
  return { lines, poses };
}

function parseDocument(text: string): Float64Array {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new FormatError(null, 'JSON', (error as Error).message);
  }
  const queries = (value as { queries?: unknown }).queries;
  if (!Array.isArray(queries)) throw new FormatError(null, 'an object with an array "queries"', typeof queries);
  const numbers = new Float64Array(16 * queries.length);
  queries.forEach((query: unknown, i) => {
    const matrix = (query as { T?: unknown } | null)?.T;
    if (!isNumbers(matrix)) throw new FormatError(null, `16 numbers as "T" of query ${i}`, shorten(matrix));
    pose.set(matrix);
    requirePose(pose, `query ${i}`);
    numbers.set(matrix, 16 * i);
  });
  return numbers;
}

function isNumbers(value: unknown): value is number[] {
  return Array.isArray(value) && value.length === 16 && value.every((x) => typeof x === 'number');
}

/*
 * Parses a pose from a line of text: JSON or CSV numbers in the form of `poseOfNumbers`. With a
 * header, columns may have any order.
 */

/** Index of each column in position and quaternion; null for an ignored column. */
export type Columns = readonly (number | null)[];

const PLACE = ['x', 'y', 'z', 'qx', 'qy', 'qz', 'qw'];
/** Other names of the same columns. */
const ALSO: Record<string, string> = { tx: 'x', ty: 'y', tz: 'z', px: 'x', py: 'y', pz: 'z' };
const LEFT_OUT = ['time', 'timestamp', 't', 'name', 'id', 'frame'];

const EXPECTED = '16, 12, 8 or 7 numbers of a pose';

const COMMENT = '#';

/** True for blank lines and comments. */
export function isIdle(line: string): boolean {
  let i = 0;
  while (i < line.length && line.charCodeAt(i) <= 32) i++;
  return i === line.length || line[i] === COMMENT;
}

const cellsOf = (text: string): string[] => text.trim().split(/\s*[,;]\s*|\s+/);

/** Returns null if the line is no header. @throws FormatError for unknown or missing columns */
export function columnsOf(text: string, line: number): Columns | null {
  if (!/^\s*["']?[a-z]/i.test(text)) return null;
  const names = cellsOf(text).map((cell) => cell.replace(/^(["'])(.*)\1$/, '$2').toLowerCase());
  const columns = names.map((name) => {
    if (LEFT_OUT.includes(name)) return null;
    const number = PLACE.indexOf(ALSO[name] ?? name);
    if (number >= 0) return number;
    const near = nearest(name, PLACE);
    const meant = near === null ? '' : `: did you mean ${near}?`;
    throw new FormatError({ line }, `columns of ${PLACE.join(' ')}, and time`, quoted(name) + meant);
  });
  for (const [number, name] of PLACE.entries()) {
    const count = columns.filter((column) => column === number).length;
    if (count !== 1) throw new FormatError({ line }, `one column ${name}`, count === 0 ? 'none' : `${count} of them`);
  }
  return columns;
}

/** Parses the pose of a line into `out`; does not check that a matrix is rigid. */
function readPoseLine(text: string, line: number, columns: Columns | undefined, out: Pose): void {
  const numbers = text.trimStart().startsWith('[') ? ofJson(text) : cellsOf(text).map(numberOf);
  if (numbers === null || numbers.some(Number.isNaN)) throw new FormatError({ line }, EXPECTED, shorten(text));
  if (columns === undefined) {
    setPose(out, numbers, line, text);
    return;
  }
  if (numbers.length !== columns.length)
    throw new FormatError({ line }, `${columns.length} numbers, as the header has names`, `${numbers.length}`);
  const place = new Float64Array(7);
  columns.forEach((column, i) => {
    if (column !== null) place[column] = numbers[i];
  });
  setPose(out, [...place], line, text);
}

function setPose(out: Pose, numbers: readonly number[], line: number, text: string): void {
  try {
    const pose = poseOfNumbers(numbers);
    if (pose === null) throw new FormatError({ line }, EXPECTED, shorten(text));
    out.set(pose);
  } catch (error) {
    throw error instanceof OptionError ? new FormatError({ line }, 'a quaternion of length 1', shorten(text)) : error;
  }
}

function ofJson(text: string): number[] | null {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) && value.every((x) => typeof x === 'number') ? value : null;
  } catch {
    return null;
  }
}

const numberOf = (cell: string): number => (cell === '' ? Number.NaN : Number(cell));

export function shorten(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? 'nothing');
  return text.length > 50 ? `${text.slice(0, 47)}...` : text;
}
