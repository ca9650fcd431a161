/** Finds the places of files that arguments match, now or later. */
import { dirname } from 'node:path';
import { kindOf } from '../inputs/name.ts';
import type { Wanted } from './reach.ts';

const MAGIC = /[*?[\]{}()!+@]/;

/** @param args files, folders, and patterns, which may match more files later */
export function placesOf(args: Iterable<string>): Wanted {
  const folders: string[] = [];
  const files: string[] = [];
  for (const arg of args) {
    const kind = kindOf(arg);
    if (kind === 'folder') folders.push(arg);
    else if (kind === null && MAGIC.test(arg)) folders.push(baseOf(arg));
    else files.push(arg);
  }
  return { folders, files };
}

/** Returns the folder above all possible matches of a pattern. */
function baseOf(pattern: string): string {
  const parts = pattern.split('/');
  const first = parts.findIndex((part) => MAGIC.test(part));
  return dirname([...parts.slice(0, first), 'x'].join('/'));
}
