/** Where the files lie that arguments name, or will lie when they come. */
import { dirname } from 'node:path';
import { kindOf } from '../files.ts';
import type { Wanted } from './reach.ts';

/** What makes a part of a path a pattern. */
const MAGIC = /[*?[\]{}()!+@]/;

/** @param args files, folders, and patterns, which may match more files tomorrow */
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

/** The folder above all that a pattern can match. */
function baseOf(pattern: string): string {
  const parts = pattern.split('/');
  const first = parts.findIndex((part) => MAGIC.test(part));
  return dirname([...parts.slice(0, first), 'x'].join('/'));
}
