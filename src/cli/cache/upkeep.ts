/**
 * Lists a cache's content and prunes it: least recently used entries, leftovers of killed writers,
 * and empty folders. Nothing else in the folder is touched, and links are not followed. Builds may
 * run meanwhile; they rebuild missing entries. Also reads and prints sizes in bytes.
 */
import { closeSync, type Dirent, lstatSync, readdirSync, readSync, rmdirSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { InvalidArgumentError } from 'commander';
import { grouped } from '../../base/printable.ts';
import { isLeftover } from '../atomic-write.ts';
import { ANYWHERE, explain } from '../inputs/name.ts';
import { openNamed } from '../inputs/open.ts';
import { MAGIC } from './entry.ts';

interface Item {
  path: string;
  bytes: number;
  /** Last use, in milliseconds. */
  used: number;
}

interface Holdings {
  /** Least recently used first. */
  entries: Item[];
  leftovers: Item[];
  folders: string[];
}

export interface Amount {
  entries: number;
  bytes: number;
}

export const amountOf = (items: readonly Item[]): Amount => ({
  entries: items.length,
  bytes: items.reduce((sum, { bytes }) => sum + bytes, 0),
});

const FOLDER = /^[0-9a-f]{2}$/;
const ENTRY = /^[0-9a-f]{62}\.entry$/;

export function holdingsOf(folder: string): Holdings {
  const folders = namesIn(folder)
    .filter((item) => item.isDirectory() && FOLDER.test(item.name))
    .map(({ name }) => join(folder, name));
  const entries: Item[] = [];
  const leftovers: Item[] = [];
  const now = Date.now();
  for (const place of [folder, ...folders]) {
    for (const { name } of namesIn(place).filter((item) => item.isFile())) {
      const isEntry = place !== folder && ENTRY.test(name);
      if (!isEntry && !name.endsWith('.tmp')) continue;
      const item = itemAt(join(place, name));
      if (item && isEntry) entries.push(item);
      else if (item && isLeftover(name, now - item.used)) leftovers.push(item);
    }
  }
  entries.sort((p, q) => p.used - q.used || (p.path < q.path ? -1 : 1));
  return { entries, leftovers, folders };
}

function namesIn(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if (isGone(error)) return [];
    throw explain(folder, error);
  }
}

/** Returns undefined if the file was removed meanwhile. */
function itemAt(path: string): Item | undefined {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  return stat && { path, bytes: stat.size, used: stat.mtimeMs };
}

const isGone = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT';

export interface Pruned {
  held: Amount;
  removed: Amount;
  leftovers: Amount;
  refusal: string | null;
}

export interface PruneOptions {
  /** Bytes to keep in entries; null removes all of them. */
  most: number | null;
  /** True to only report what would be removed. */
  isDry?: boolean;
}

export function prune(folder: string, { most, isDry = false }: PruneOptions): Pruned {
  const { entries, leftovers, folders } = holdingsOf(folder);
  let refusal: string | null = null;
  const remove = ({ path }: Item): 'removed' | 'gone' | 'kept' => {
    try {
      if (!isDry) unlinkSync(path);
      return 'removed';
    } catch (error) {
      if (isGone(error)) return 'gone';
      refusal ??= explain(path, error).message;
      return 'kept';
    }
  };
  let left = amountOf(entries).bytes;
  const removed: Item[] = [];
  const kept: Item[] = [];
  for (const entry of entries) {
    const isOver = most === null || left > most;
    const outcome = isOver && isOurs(entry) ? remove(entry) : 'kept';
    if (outcome === 'kept') kept.push(entry);
    else left -= entry.bytes;
    if (outcome === 'removed') removed.push(entry);
  }
  const cleared = leftovers.filter((item) => remove(item) === 'removed');
  if (!isDry) for (const empty of folders) removeEmpty(empty);
  return {
    held: amountOf(isDry ? entries : kept),
    removed: amountOf(removed),
    leftovers: amountOf(cleared),
    refusal,
  };
}

/** True if a file with an entry's name begins like an entry; after a crash it may be empty. */
function isOurs({ path, bytes }: Item): boolean {
  if (bytes === 0) return true;
  const start = Buffer.alloc(MAGIC.length);
  try {
    const file = openNamed(path, { ...ANYWHERE, maxBytes: Number.POSITIVE_INFINITY });
    try {
      readSync(file, start);
    } finally {
      closeSync(file);
    }
  } catch {
    return true; // gone, or not to be read: removing it says which
  }
  return start.toString('latin1') === MAGIC;
}

function removeEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // The folder is not empty, or a build has just begun to write there.
  }
}

/** 1 KB is 1000 bytes. */
const UNITS = ['KB', 'MB', 'GB', 'TB'];

export function parseSize(text: string): number {
  const [, number, unit] = /^(\d{1,15}(?:\.\d{1,9})?) ?(KB|MB|GB|TB)?$/i.exec(text.trim()) ?? [];
  const bytes = Math.floor(Number(number) * 1000 ** (UNITS.indexOf(unit?.toUpperCase() ?? '') + 1));
  if (Number.isSafeInteger(bytes)) return bytes;
  throw new InvalidArgumentError('Expected a number of bytes, or of KB, MB, GB or TB, as 500MB.');
}

/** @example sizeText(3_200_000_000) // '3.2 GB' */
export function sizeText(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`;
  let [value, unit] = [bytes / 1000, 0];
  // A value that would be shown as 1000.0 uses the next unit.
  while (value >= 999.95 && unit < UNITS.length - 1) [value, unit] = [value / 1000, unit + 1];
  const [whole, fraction] = value.toFixed(1).split('.');
  return `${grouped(Number(whole))}.${fraction} ${UNITS[unit]}`;
}
