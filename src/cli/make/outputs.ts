/** Names output files: one for each input, or for each of its elements. */
import { basename, extname, join } from 'node:path';
import { InputError, OptionError } from '../../base/errors.ts';
import { MESH_ENDINGS } from '../../readers/formats.ts';
import { extensionOf, identityOf, kindOf, MODEL } from '../inputs/name.ts';

/**
 * Places outputs in `out` if that is or will be a folder, or at `out` for a single input.
 * `isFolder`: there are several outputs, in all calls together.
 */
export function planOutputs(
  inputs: readonly string[],
  names: readonly string[],
  out: string,
  extension: string,
  { isFolder }: { isFolder: boolean },
): string[] {
  if (out === '') throw new OptionError('--out: expected a path, found nothing');
  const kind = kindOf(out);
  const namesFile =
    kind === 'file' || kind === 'device' || (kind === null && !/[\\/]$/.test(out) && extname(out) !== '');
  if (isFolder && (kind === 'file' || kind === 'device' || (namesFile && extname(out) === extension))) {
    throw new InputError(`${out}: expected a folder for several outputs, found a file's name`);
  }
  const single = namesFile && !isFolder;
  const stemOf = (name: string): string => name.slice(0, -extensionOf(name).length || undefined);
  const outputs = names.map((name) => (single ? out : join(out, stemOf(name) + extension)));
  const sources = new Set(inputs.map(identityOf));
  const owner = new Map<string, string>();
  outputs.forEach((output, i) => {
    const key = identityOf(output);
    const other = owner.get(key);
    if (other !== undefined) throw new InputError(`${inputs[i]} and ${other} would both become ${output}`);
    if (sources.has(key)) throw new InputError(`${output}: would overwrite an input`);
    owner.set(key, inputs[i]);
  });
  const ending = extensionOf(out);
  if (single && (MESH_ENDINGS.includes(ending) || ending === MODEL)) {
    throw new InputError(
      `${out}: expected a name that ends with ${extension}, found one of ${ending === MODEL ? 'a model' : 'a mesh'}`,
    );
  }
  return outputs;
}

/** Characters that Windows forbids in names, and invisible ones. */
const UNSAFE = /[\\/:*?"<>|\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;
/** Device names on Windows, whatever follows the first dot. */
const RESERVED = /^(con|prn|aux|nul|com[0-9\u00b9\u00b2\u00b3]|lpt[0-9\u00b9\u00b2\u00b3])(\.|$)/i;
/** Bytes of a file name that every system accepts, less some for a number. */
const LONGEST_NAME = 255 - 30;
const LONGEST_ELEMENT = 100;

/**
 * Names one file per element, beside the output of the whole mesh: `out/a.obb` gives
 * `out/a.<element>.obb`. Names are safe on every platform, in composed Unicode. If two are equal,
 * perhaps but for case, the later ones are numbered: `a.wall~2.obb`. Adds all names to `taken`.
 */
export function planElementOutputs(output: string, names: readonly string[], taken: Set<string>): string[] {
  const extension = extname(output);
  const stem = output.slice(0, output.length - extension.length);
  const room = LONGEST_NAME - Buffer.byteLength(`${basename(stem)}.${extension}`);
  const safe = names.map((name) => safeName(name, Math.max(8, Math.min(LONGEST_ELEMENT, room))));
  const claim = (path: string): boolean => {
    const key = folded(path);
    if (taken.has(key)) return false;
    taken.add(key);
    return true;
  };
  const plain = safe.map((name) => `${stem}.${name}${extension}`);
  const isFree = plain.map(claim);
  const numbers = new Map<string, number>();
  return plain.map((path, i) => {
    if (isFree[i]) return path;
    const key = folded(safe[i]);
    for (let number = numbers.get(key) ?? 2; ; number++) {
      const numbered = `${stem}.${safe[i]}~${number}${extension}`;
      if (!claim(numbered)) continue;
      numbers.set(key, number + 1);
      return numbered;
    }
  });
}

/** Returns the folded prefix of the paths of a file's elements, in any format. */
export const elementStem = (output: string): string => folded(`${output.slice(0, -extname(output).length)}.`);

function safeName(name: string, room: number): string {
  let safe = '';
  let bytes = 0;
  for (const character of name.normalize('NFC').replaceAll(UNSAFE, '_').trim()) {
    bytes += Buffer.byteLength(character);
    if (bytes > room) break;
    safe += character;
  }
  return safe === '' || RESERVED.test(safe) ? `_${safe}` : safe;
}

/** Returns equal strings for names that some file system identifies. */
const folded = (name: string): string => name.normalize('NFC').toUpperCase().toLowerCase();
