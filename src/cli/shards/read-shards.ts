/**
 * Opens the shards of a run, and checks that each is whole, that all belong to one run, and that
 * none is missing. Each file is read once before anything is printed, and once during the merge, so
 * only one block of each is in memory.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { FormatError, InputError } from '../../base/errors.ts';
import { parseJson } from '../../base/json-text.ts';
import { printable } from '../../base/printable.ts';
import type { Covered } from '../../scene/coverage.ts';
import { ANYWHERE, explain, kindOf } from '../inputs/name.ts';
import { inLine, linesOf } from '../lines.ts';
import { sayUnchecked } from '../scene/print-scene.ts';
import { about, type Session, type WarningRecord } from '../session.ts';
import { readBody, readHeader, type ShardError, type ShardHeader, type ShardUnchecked } from './shard-file.ts';

interface Item {
  type: string;
  /** For findings and collisions. */
  pair?: number;
  a?: Named;
  b?: Named;
  class?: string;
  /** For errors: the objects that could not be read. */
  names?: string[];
}
type Named = string | { name: string };

export interface ShardFile {
  file: string;
  header: ShardHeader;
  /** Lines between the first and the last that belong to no pair. */
  others: Item[];
  summary: object;
}

/** Numbers of a file's lines by class, or by type; an error counts for each of its objects. */
export type Counts = Readonly<Record<string, number>>;

/** Holds a shard's summary to its other lines. @throws FormatError */
export type Audit = (header: ShardHeader, summary: object, counts: Counts) => void;

/** @throws InputError of one line unless they are all shards of one run, each once */
export async function openShards(args: readonly string[], audit: Audit, session: Session): Promise<ShardFile[]> {
  const shards: ShardFile[] = [];
  for (const arg of args) {
    const isFolder = kindOf(arg) === 'folder';
    let found = 0;
    for (const file of isFolder ? filesIn(arg) : [arg]) {
      const shard = await openShard(file, audit);
      if (typeof shard !== 'string') {
        shards.push(shard);
        found++;
      } else if (isFolder) session.log.warn(`${file}: not a shard; skipped`);
      else throw new InputError(`${file}: expected a shard, which --report blob=dir writes, found ${shard}`);
    }
    if (found === 0)
      throw new InputError(`${arg}: expected a folder with shards, which --report blob=dir writes, found none`);
  }
  requireOneRun(shards);
  return shards.sort((a, b) => a.header.index - b.header.index);
}

const OTHER = 'another file';

/** Describes a file that is no shard, by its first lines. --manifest merges manifests. */
const otherThan = (begin: string): string =>
  /^\s*\{\s*"gicollide": ?"manifest\//.test(begin)
    ? 'a manifest: --manifest <file> says where the merged one goes'
    : OTHER;

function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => !name.startsWith('.'))
      .map((name) => join(folder, name))
      .filter((file) => kindOf(file) === 'file')
      .sort();
  } catch (error) {
    throw explain(folder, error);
  }
}

/** Returns the shard, or words for another kind of file. It is read twice, so a pipe is refused. */
async function openShard(file: string, audit: Audit): Promise<ShardFile | string> {
  let header: ShardHeader | null = null;
  let begin = '';
  let summary: object | null = null;
  let last = -1;
  const counts: Record<string, number> = {};
  const others: Item[] = [];
  for await (const { text, line } of linesOf(file, ANYWHERE)) {
    if (!header) {
      begin += text;
      // A manifest has its mark in the second line.
      if (begin.trim() === '{') continue;
      const first = firstRecord(text);
      header = inLine(file, line, () => readHeader(first));
      if (!header) return otherThan(begin);
      continue;
    }
    const { command, names } = header;
    inLine(file, line, () => {
      if (summary) throw new FormatError(null, 'nothing after the summary', 'another line');
      const item = readBody<Item>(parseJson(text), command);
      if (item.type === 'summary') summary = item;
      else if (item.pair === undefined) others.push(item);
      else {
        const [i, j] = [Math.floor(item.pair / names.length), item.pair % names.length];
        if (item.pair < last || !(i < j))
          throw new FormatError(null, 'pairs of two numbers, ascending', `${item.pair}`);
        if (names[i] !== nameOf(item.a!) || names[j] !== nameOf(item.b!))
          throw new FormatError(null, `a ${item.type} of the pair ${item.pair}`, 'one of other names');
        last = item.pair;
      }
      const counted = item.class ?? item.type;
      counts[counted] = (counts[counted] ?? 0) + (item.names?.length ?? 1);
    });
  }
  if (!header) return OTHER;
  if (!summary)
    throw new InputError(`${file}: expected a summary as the last line, found none: the file is incomplete`);
  const sound = header;
  await about(file, () => audit(sound, summary as object, counts));
  return { file, header, others, summary };
}

const nameOf = (party: Named): string => (typeof party === 'string' ? party : party.name);

function firstRecord(text: string): unknown {
  if (!text.startsWith('{')) return null;
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof InputError) return null;
    throw error;
  }
}

/** Properties that shards of one run share, with messages, the plainest first. */
const ALIKE = [
  ['tool', 'it has another version of the tool'],
  ['command', 'it is of another command'],
  ['content', 'it has other objects (names, poses, files, or readable elements)'],
  ['asked', 'it has other options'],
  ['run', 'it is of another run'],
  ['count', 'it has another number of shards'],
  ['names', 'it has other names'],
  ['incomplete', 'it has skipped other files'],
] as const;

function requireOneRun(shards: readonly ShardFile[]): void {
  const [first] = shards;
  const byIndex = new Map<number, string>();
  for (const { file, header } of shards) {
    for (const [key, problem] of ALIKE) {
      const [its, other] = [header[key], first.header[key]].map((value) => JSON.stringify(value));
      if (its === other) continue;
      const which = key === 'asked' ? `: ${differingKey(header.asked, first.header.asked)}` : '';
      const shown = its.length + other.length < 80 ? `, expected ${printable(other)}, found ${printable(its)}` : '';
      throw new InputError(`${file}: expected a shard of the run of ${first.file}: ${problem}${which}${shown}`);
    }
    const { index, count } = header;
    const twin = byIndex.get(index);
    if (twin !== undefined) throw new InputError(`${file}: shard ${index}/${count} comes twice: it is also in ${twin}`);
    byIndex.set(index, file);
  }
  const { count } = first.header;
  const missing = Array.from({ length: count }, (_, n) => n + 1).filter((index) => !byIndex.has(index));
  if (missing.length === 0) return;
  const shown = missing.slice(0, MOST_SHOWN).map((index) => `${index}/${count}`);
  const more = missing.length > MOST_SHOWN ? ` and ${missing.length - MOST_SHOWN} more` : '';
  throw new InputError(`${first.file}: expected all shards of its run, missing: ${shown.join(', ')}${more}`);
}

const MOST_SHOWN = 10;

function differingKey(a: object, b: object): string {
  const [own, other] = [a, b] as Record<string, unknown>[];
  const keys = [...new Set([...Object.keys(own), ...Object.keys(other)])];
  return keys.find((key) => JSON.stringify(own[key]) !== JSON.stringify(other[key])) ?? 'their order';
}

/** Logs what could not be read, and returns it: all shards of a run have it alike. */
export function coveredOf(
  { header: { names, partial = [] }, others }: ShardFile,
  session: Session,
): Pick<Covered, 'findings' | 'failures' | 'open'> & { warnings: WarningRecord[] } {
  const ofType = <T>(type: string): T[] => others.filter((item) => item.type === type) as T[];
  const covered = {
    failures: ofType<ShardError>('error').map(({ names, message }) => ({ names, problem: message })),
    findings: ofType<ShardUnchecked>('unchecked').map((item) => ({ ...item, type: 'finding' as const })),
    warnings: ofType<WarningRecord>('warning'),
    open: new Set(partial.map((n) => names[n])),
  };
  for (const { subject, message } of covered.warnings) session.log.warn(`${subject}: ${message}`);
  sayUnchecked(covered, [], session);
  return covered;
}

/** Yields the lines of pairs of all shards by number; those of one pair shard by shard. */
export async function* mergedPairs<Line extends { pair: number }>(
  shards: readonly ShardFile[],
): AsyncGenerator<Line, void, undefined> {
  const open = shards.map((shard) => pairsOf<Line>(shard));
  const heads = await Promise.all(open.map((lines) => lines.next()));
  while (true) {
    let least = -1;
    for (const [n, { done, value }] of heads.entries())
      if (!done && (least < 0 || (value as Line).pair < (heads[least].value as Line).pair)) least = n;
    if (least < 0) return;
    yield heads[least].value as Line;
    heads[least] = await open[least].next();
  }
}

async function* pairsOf<Line extends { pair: number }>(shard: ShardFile): AsyncGenerator<Line, void, undefined> {
  for await (const { text, line } of linesOf(shard.file, ANYWHERE)) {
    if (line === 1) continue;
    const item = inLine(shard.file, line, () => readBody<Line>(parseJson(text), shard.header.command));
    if (item.pair !== undefined) yield item;
  }
}
