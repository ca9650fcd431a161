/**
 * The closed set of errors in a caller's input.
 *
 * The command line turns each into one line on stderr and exit code 2. Anything else that is thrown
 * is a fault of our own.
 */
import { brief, printable } from './printable.ts';

/**
 * Common base class, so that one `instanceof` distinguishes bad input from a bug.
 *
 * @example const error = await read(bytes).catch((reason) => reason); // the bytes of an OBJ file are no asset
 *          error instanceof InputError // true
 */
export class InputError extends Error {
  override name = 'InputError';
}

/** Position of an error: a line of a text file, from 1, or an offset in a binary one. */
export type Place = { line: number } | { byte: number } | null;

const LONGEST_QUOTE = 600;

const quotable = (text: string): string => printable(brief(text, LONGEST_QUOTE));

/**
 * Bytes that are not what they claim to be. `message` never names the file (bytes have none);
 * `describe(file)` does.
 *
 * @example new FormatError({ line: 12 }, 'a vertex number from 1 to 8', '9').describe('box.obj')
 *          // 'box.obj:12: expected a vertex number from 1 to 8, found 9'
 */
export class FormatError extends InputError {
  override name = 'FormatError';
  readonly expected: string;
  readonly found: string;
  constructor(
    readonly place: Place,
    expected: string,
    found: string,
  ) {
    // Both may quote the file: any characters, any length.
    const [wanted, quoted] = [quotable(expected), quotable(found)];
    super(`${placeText(place)}expected ${wanted}, found ${quoted}`);
    this.expected = wanted;
    this.found = quoted;
  }
  describe(file: string): string {
    const where = this.place !== null && 'line' in this.place ? `${file}:${this.place.line}: ` : `${file}: `;
    const offset = this.place !== null && 'byte' in this.place ? `byte ${this.place.byte}: ` : '';
    return `${where}${offset}expected ${this.expected}, found ${this.found}`;
  }
}

function placeText(place: Place): string {
  if (place === null) return '';
  return 'line' in place ? `line ${place.line}: ` : `byte ${place.byte}: `;
}

/** A mesh that is well formed but cannot become the requested representation. */
export class MeshError extends InputError {
  override name = 'MeshError';
}

/** An option, a pose or a combination of them that makes no sense. */
export class OptionError extends InputError {
  override name = 'OptionError';
}

/**
 * A GPU that is missing, too small, lost, or refuses a request: the CPU can answer instead. The
 * message is the first line of the device's message.
 */
export class GpuError extends Error {
  override name = 'GpuError';

  constructor(message: string) {
    super(message.split('\n')[0]);
  }
}

/*
 * Git LFS pointers: texts of a few lines that a checkout without `git lfs pull` has in place of
 * files. Any file may be one, so all code that opens files asks here. A pointer's bytes must not be
 * taken for content: 36 of them are three points of a glTF buffer.
 *
 * https://github.com/git-lfs/git-lfs/blob/main/docs/spec.md
 */

/** A pointer has fewer bytes than this. */
export const LONGEST_POINTER = 1024;

/** Ends a message. */
export const A_POINTER = 'a Git LFS pointer; git lfs pull fetches the file';

const START = 'version https://git-lfs.github.com/spec/';
const EARLY_START = 'version https://hawser.github.com/spec/';

/** @param bytes a file's bytes, or only the first ones */
export function isPointer(bytes: Uint8Array): boolean {
  if (bytes[0] !== START.charCodeAt(0)) return false;
  const text = String.fromCharCode(...bytes.subarray(0, START.length));
  return text === START || text.startsWith(EARLY_START);
}

/** The SHA-256 of the file that a pointer stands for, or null. */
export function pointedDigest(bytes: Uint8Array): string | null {
  if (bytes.length >= LONGEST_POINTER || !isPointer(bytes)) return null;
  return /\noid sha256:([0-9a-f]{64})\r?\n/.exec(String.fromCharCode(...bytes))?.[1] ?? null;
}
