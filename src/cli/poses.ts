/** Poses from a file or a pipe: one JSON document, or an array of 16 numbers a line. */
import { FormatError } from '../math/errors.ts';
import { type Pose, validatePose } from '../math/pose.ts';
import { explain, readWhole } from './files.ts';
import { about } from './session.ts';

/**
 * The poses of `--poses`: from a file all at once, so that a bad one is found before the first answer; from stdin ('-') a line
 * as it comes, so that another program can ask and wait.
 */
export async function* readPoses(file: string): AsyncGenerator<Pose> {
  if (file !== '-') {
    const text = new TextDecoder().decode(readWhole(file));
    const poses = await about(file, () => (isDocument(text) ? parseDocument(text) : parseLines(text)));
    yield* poses;
    return;
  }
  let line = 0;
  const held: string[] = [];
  for await (const text of linesOfStdin()) {
    line++;
    if (held.length > 0 || isDocument(text)) held.push(text);
    else if (text.trim() !== '') {
      const pose = await about('stdin', () => parseLine(text, line));
      yield pose;
    }
  }
  if (held.length > 0) yield* await about('stdin', () => parseDocument(held.join('\n')));
}

/** Lines as soon as they are whole. Leaving the loop closes stdin, so that a writer who waits does not keep us. */
async function* linesOfStdin(): AsyncGenerator<string> {
  let rest = '';
  try {
    for await (const chunk of process.stdin.setEncoding('utf8') as AsyncIterable<string>) {
      rest += rest === '' ? chunk.replace(/^\uFEFF/, '') : chunk;
      if (!chunk.includes('\n')) continue;
      const lines = rest.split('\n');
      rest = lines.pop() as string;
      yield* lines;
    }
  } catch (error) {
    throw explain('stdin', error);
  }
  if (rest !== '') yield rest;
}

const isDocument = (text: string): boolean => /^\s*\{/.test(text);

function parseDocument(text: string): Pose[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new FormatError(null, 'JSON', (error as Error).message);
  }
  const queries = (value as { queries?: unknown }).queries;
  if (!Array.isArray(queries)) throw new FormatError(null, 'an object with an array "queries"', typeof queries);
  return queries.map((query: unknown, i) => {
    const matrix = (query as { T?: unknown } | null)?.T;
    if (!isNumbers(matrix)) throw new FormatError(null, `16 numbers as "T" of query ${i}`, shorten(matrix));
    return validatePose(matrix, `query ${i}`);
  });
}

function parseLines(text: string): Pose[] {
  const poses: Pose[] = [];
  text.split(/\r\n|\r|\n/).forEach((line, i) => {
    if (line.trim() !== '') poses.push(parseLine(line, i + 1));
  });
  return poses;
}

function parseLine(text: string, line: number): Pose {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new FormatError({ line }, 'a JSON array of 16 numbers', shorten(text));
  }
  if (!isNumbers(value)) throw new FormatError({ line }, 'a JSON array of 16 numbers', shorten(text));
  return validatePose(value, `the pose in line ${line}`);
}

function isNumbers(value: unknown): value is number[] {
  return Array.isArray(value) && value.length === 16 && value.every((x) => typeof x === 'number');
}

function shorten(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? 'nothing');
  return text.length > 50 ? `${text.slice(0, 47)}...` : text;
}
