/** Text from files and file names as a person may be shown it. */

/**
 * The text with what would move a terminal's cursor, start a line, or be seen by nobody as escapes:
 * control and format characters, line separators, lone surrogates.
 *
 * @example printable('a\u001b[2J.obj\n') // 'a\\u001b[2J.obj\\u000a'
 */
export const printable = (text: string): string => escaped(text, UNSEEN);

/**
 * The text with the characters of a pattern (flags g and u) as escapes, as `printable` writes them.
 *
 * @example escaped('a\tb', /\p{Cc}/gu) // 'a\\u0009b'
 */
export const escaped = (text: string, pattern: RegExp): string =>
  text.replaceAll(pattern, (character) => {
    const digits = character.codePointAt(0)!.toString(16).padStart(4, '0');
    return digits.length > 4 ? `\\u{${digits}}` : `\\u${digits}`;
  });

const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/**
 * A whole number with its thousands apart. toLocaleString takes 20 ms to learn how, once a program.
 *
 * @example grouped(16356340) // '16,356,340'
 */
export const grouped = (n: number): string => String(n).replace(/\B(?=(?:\d{3})+$)/g, ',');

/** A file's words on one line, and of a length for one. */
export function quoted(text: string): string {
  const line = printable(text.slice(0, 60));
  return `"${line.length > 40 ? `${line.slice(0, 37)}...` : line}"`;
}
