/** Reads files of one record per line, some lines at a time. */
import { FormatError, InputError } from '../base/errors.ts';
import type { NamedPlace } from './inputs/name.ts';
import { openLines } from './poses/read-poses.ts';

const BLOCK = 2 ** 18;

/** Yields lines that are not blank, numbered from 1. @param named place of a referenced file */
export async function* linesOf(path: string, named?: NamedPlace): AsyncGenerator<{ text: string; line: number }> {
  const source = openLines(path, named);
  const decoder = new TextDecoder();
  try {
    for (let block = await source.read(BLOCK); block !== null; block = await source.read(BLOCK)) {
      if (block.kind !== 'lines') continue;
      const lines = decoder.decode(block.bytes).split(/\r\n|\r|\n/);
      for (const [i, text] of lines.entries()) if (text.trim() !== '') yield { text, line: block.line + i };
    }
  } finally {
    source.close();
  }
}

/** Prefixes errors of a line with file and line; JSON inside a line has no lines of its own. */
export function inLine<T>(file: string, line: number | null, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (line === null || !(error instanceof InputError)) throw error;
    if (error instanceof FormatError)
      throw new InputError(new FormatError({ line }, error.expected, error.found).describe(file));
    throw new InputError(`${file}:${line}: ${error.message}`);
  }
}
