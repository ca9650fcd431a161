/** Files that have a record a line, read some lines at a time. */
import { FormatError, InputError } from '../math/errors.ts';
import type { NamedPlace } from './file-source.ts';
import { openLines } from './poses.ts';

/** Bytes that are read at once. */
const BLOCK = 2 ** 18;

/**
 * The lines of a file that are not blank, with their numbers from 1; '-' is stdin.
 *
 * @param named where it may lie, if another file names it: then it is a regular file
 */
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

/** An error of a line with the file and the line in front; a line of JSON has no lines of its own. */
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
