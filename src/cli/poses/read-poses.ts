/**
 * Reads poses from a file or a pipe in blocks, and parses the lines of a block. A file is one JSON
 * document, a pose per line, or 16 doubles a pose (.f64). Reading only splits lines. The threads
 * that answer also parse, since parsing takes longer than reading.
 */
import { closeSync, createReadStream, fstatSync, openSync, readSync } from 'node:fs';
import { cellsOf, mixedSeparators } from '../../base/cells.ts';
import { FormatError, InputError, OptionError } from '../../base/errors.ts';
import { isOneUnit } from '../../engine/units.ts';
import { copyPose, POSE_COUNTS, type Pose, poseOfNumbers, requirePose, validatePose } from '../../math/pose.ts';
import { explain, kindOf, type NamedPlace, STDIN } from '../inputs/name.ts';
import { openNamed, requireNoPointer } from '../inputs/open.ts';
import { about } from '../session.ts';
import {
  type AngleUnit,
  type Columns,
  columnsOf,
  columnsOfComments,
  type HeaderComment,
  headerComment,
  isIdle,
  placeOfRow,
  poseOfAngles,
  requireSameColumns,
} from './columns.ts';

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
/** Characters of a line that may name columns. */
const LONGEST_HEADER = 2 ** 15;
/** Comments that name columns, before the first row. */
const MOST_HEADERS = 100;
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
const PERCENT = 37;

/** What a user says of the poses. */
export interface PosesOptions {
  /** The unit of roll, pitch and yaw. */
  angles?: AngleUnit | undefined;
  /** The unit of the assets, if they record one. */
  units?: string | null | undefined;
}

export function openPoses(file: string, options: PosesOptions = {}): PoseSource {
  const bytes = bytesOf(file);
  const isBinary = file.toLowerCase().endsWith('.f64');
  if (isBinary) requireNoAngles(bytes.name, options);
  return isBinary ? binarySource(bytes) : textSource(bytes, LONGEST_LINE, options);
}

function requireNoAngles(name: string, { angles }: PosesOptions): void {
  if (angles) throw new InputError(`--angles: ${name} has no header with roll, pitch and yaw`);
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
      copyPose(block.numbers, 16 * i, pose, 0);
      requireOf(name, `pose ${block.first + i}`);
      const waits = visit(pose);
      if (waits) await waits;
    }
    return;
  }
  const lines = new TextDecoder().decode(block.bytes).split(/\r\n|\r|\n/);
  for (let i = 0; i < lines.length; i++) {
    if (isIdle(lines[i])) {
      if (lines[i].trim() !== '') requireSame(lines[i], block.line + i, block);
      continue;
    }
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

type Named = { name: string; columns?: Columns | undefined };

function parseLine(text: string, line: number, { name, columns }: Named): void {
  inFile(name, () => readPoseLine(text, line, columns, pose));
  requireOf(name, `the pose in line ${line}`);
}

const requireSame = (text: string, line: number, { name, columns }: Named): void =>
  inFile(name, () => requireSameColumns(text, line, columns));

/** Runs work on a line; its errors name the file. */
function inFile<T>(name: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof FormatError ? new InputError(error.describe(name)) : error;
  }
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
  const numbers = new Float64Array(bytes.length / 8);
  for (let i = 0; i < numbers.length; i++) numbers[i] = view.getFloat64(8 * i, true);
  return numbers;
}

// ---------------------------------------------------------------------------------------------------- text

function takeComment(text: string, line: number, comments: HeaderComment[]): void {
  if (text.length > LONGEST_HEADER)
    throw new FormatError({ line }, `comments of at most ${LONGEST_HEADER} characters`, `${text.length}`);
  const comment = headerComment(text, line);
  if (comment && comments.push(comment) > MOST_HEADERS)
    throw new FormatError({ line }, `at most ${MOST_HEADERS} comments that name columns`, 'more');
}

/** Where the first line ends, -1 if nowhere. */
function endOfLine(held: Uint8Array): number {
  const feed = held.indexOf(LINE_FEED);
  const back = held.subarray(0, feed < 0 ? held.length : feed).indexOf(RETURN);
  return back < 0 ? feed : back;
}

/** True if a line has ended, and the byte behind a return is known. */
function hasLine(held: Uint8Array): boolean {
  const end = endOfLine(held);
  return end >= 0 && (held[end] === LINE_FEED || end + 1 < held.length);
}

/** Skips comments and the header; returns its columns, and the number of the next line. */
async function takeHeader(
  window: ReturnType<typeof windowOn>,
  name: string,
  angles: AngleUnit | undefined,
): Promise<[Columns | undefined, number]> {
  const comments: HeaderComment[] = [];
  for (let line = 1; ; line++) {
    while (!hasLine(window.held()) && !window.hasEnded() && window.held().length < LONGEST_LINE) await window.pull();
    const held = window.held();
    const end = endOfLine(held);
    const text = new TextDecoder().decode(end < 0 ? held : held.subarray(0, end));
    const idle = isIdle(text);
    const isShort = text.length <= LONGEST_HEADER;
    if (idle) inFile(name, () => takeComment(text, line, comments));
    const columns = !idle && isShort ? inFile(name, () => columnsOf(text, line, angles)) : null;
    if (!idle && columns === null)
      return [inFile(name, () => columnsOfComments(comments, numbersIn(text)?.length ?? 0, angles)), line];
    if (end < 0) return [columns ?? undefined, line];
    window.take(end + (held[end] === RETURN && held[end + 1] === LINE_FEED ? 2 : 1));
    if (columns !== null) return [columns, line + 1];
  }
}

/** @param longest bytes of a line; more than a pose can have if every line is wanted, not poses */
function textSource(bytes: Bytes, longest = LONGEST_LINE, options: PosesOptions = {}): PoseSource {
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
    else if (window.held()[firstLetter()] !== BRACKET) [columns, line] = await takeHeader(window, name, options.angles);
    if (!columns?.angles) requireNoAngles(name, options);
    requireUnit(name, columns, options);
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

/** Refuses a header whose unit of lengths is not that of the assets. */
function requireUnit(name: string, columns: Columns | undefined, { units }: PosesOptions): void {
  const own = columns?.lengths;
  if (!own) return;
  if (units && !isOneUnit(own, units))
    throw new InputError(`${name}: expected lengths in ${units}, as the assets record it, found ${own} in its header`);
  // Recordings of robots say meters, beside meshes that say nothing.
  if (!units && !isOneUnit(own, 'm'))
    throw new InputError(
      `${name}: expected assets that record a unit, found lengths in ${own} in its header: name the unit with --units-a and --units-b`,
    );
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
  if (!bytes.includes(RETURN)) {
    // Looks at the first letters of each line alone.
    for (let at = 0; at < bytes.length; ) {
      const end = bytes.indexOf(LINE_FEED, at);
      const stop = end < 0 ? bytes.length : end;
      if (end >= 0) lines++;
      while (at < stop && bytes[at] <= BLANK) at++;
      if (at < stop && bytes[at] !== HASH && bytes[at] !== PERCENT) poses++;
      at = stop + 1;
    }
    return { lines, poses };
  }
  let isBlank = true;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i];
    if (byte > BLANK) {
      if (isBlank && byte !== HASH && byte !== PERCENT) poses++;
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
    if (!isNumbers(matrix)) throw new FormatError(null, `16, 12 or 7 numbers as "T" of query ${i}`, shorten(matrix));
    validatePose(matrix, `query ${i}`, pose);
    numbers.set(pose, 16 * i);
  });
  return numbers;
}

function isNumbers(value: unknown): value is number[] {
  return Array.isArray(value) && POSE_COUNTS.includes(value.length) && value.every((x) => typeof x === 'number');
}

/*
 * Parses a pose from a line of text: JSON or CSV numbers in the form of `poseOfNumbers`. With a
 * header, columns may have any order.
 */

const EXPECTED = '16, 12, 8 or 7 numbers of a pose';

/** Parses the pose of a line into `out`; does not check that a matrix is rigid. */
function readPoseLine(text: string, line: number, columns: Columns | undefined, out: Pose): void {
  const numbers = numbersIn(text);
  if (columns === undefined) {
    if (numbers === null || numbers.some(Number.isNaN)) throw notNumbers(text, line, EXPECTED);
    setPose(out, requireOneReading(numbers, line), line, text);
    return;
  }
  const { roles, angles } = columns;
  if (numbers === null || (numbers.length !== roles.length && mixedSeparators(text)))
    throw notNumbers(text, line, EXPECTED);
  if (numbers.length !== roles.length)
    throw new FormatError(
      { line },
      `${roles.length} numbers, as the ${columns.isByCount ? 'first row has' : 'header has names'}`,
      `${numbers.length}`,
    );
  if (roles.some((role, i) => role !== null && Number.isNaN(numbers[i])))
    throw notNumbers(text, line, `${roles.length} columns of numbers`);
  const place = placeOfRow(numbers, columns);
  if (angles) out.set(poseOfAngles(place, angles, line));
  else setPose(out, place.slice(0, 7), line, text);
}

const numbersIn = (text: string): number[] | null =>
  text.trimStart().startsWith('[') ? ofJson(text) : cellsOf(text).map(numberOf);

function notNumbers(text: string, line: number, wanted: string): FormatError {
  const [expected, found] = mixedSeparators(text) ?? [wanted, text];
  return new FormatError({ line }, expected, shorten(found));
}

/** Later times are no seconds: the year 5138. */
const LATEST_SECOND = 1e11;
/** Earlier times are no nanoseconds since 1970: January 12 of that year. */
const FIRST_NANOSECOND = 1e15;

/** Numbers without a header: refuses those that files of two kinds have in another order. */
function requireOneReading(numbers: number[], line: number): number[] {
  const [time] = numbers;
  if (numbers.length === 8 && Math.abs(time) > LATEST_SECOND)
    throw new FormatError(
      { line },
      'a header that says whether qw comes first (EuRoC) or last (TUM), since the time is not in seconds',
      'none',
    );
  // EuRoC's ground truth; a number and a matrix (KITTI-360) has no such time.
  if (numbers.length !== 17 || time < FIRST_NANOSECOND) return numbers;
  const [, x, y, z, qw, qx, qy, qz] = numbers;
  return [x, y, z, qx, qy, qz, qw];
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
