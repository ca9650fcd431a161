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
 * Text without the marks that start a command to a CI runner anywhere in a line: `##[` for GitHub,
 * `##vso[` for Azure, `##teamcity[`. The first character becomes an escape, which JSON reads back.
 *
 * @example withoutMarks('##[error]x.obj') // '\\u0023#[error]x.obj'
 */
export const withoutMarks = (text: string): string => text.replace(/#(?=#(?:|vso|teamcity)\[)/g, '\\u0023');

/**
 * The text; of a longer one than `most` characters its first half and its last.
 *
 * @example brief('a name of many letters', 8) // 'a na ... ters'
 */
export function brief(text: string, most: number): string {
  const half = most / 2;
  return text.length <= most ? text : `${text.slice(0, Math.ceil(half))} ... ${text.slice(-Math.floor(half))}`;
}

/**
 * A whole number with its thousands apart. toLocaleString takes 20 ms to learn how, once a program.
 *
 * @example grouped(16356340) // '16,356,340'
 */
export const grouped = (n: number): string => String(n).replace(/\B(?=(?:\d{3})+$)/g, ',');
