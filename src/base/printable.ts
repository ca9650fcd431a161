/** Text from files, file names, ids and proved lengths, made safe and short for people. */

/**
 * Escapes characters that move a terminal's cursor, start a line, or are invisible: control and
 * format characters, line separators, lone surrogates.
 *
 * @example printable('a\u001b[2J.obj\n') // 'a\\u001b[2J.obj\\u000a'
 */
export const printable = (text: string): string => (PLAIN.test(text) ? text : escaped(text, UNSEEN));

/** Escapes the characters of a pattern (flags g and u), as `printable` does. */
export const escaped = (text: string, pattern: RegExp): string =>
  text.replaceAll(pattern, (character) => {
    const digits = character.codePointAt(0)!.toString(16).padStart(4, '0');
    return digits.length > 4 ? `\\u{${digits}}` : `\\u${digits}`;
  });

/** Most texts, which need no look at each character's class. */
const PLAIN = /^[ -~]*$/;
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/**
 * Escapes the first character of marks that start a command to a CI runner anywhere in a line:
 * `##[` for GitHub, `##vso[` for Azure, `##teamcity[`. JSON reads the escape back.
 *
 * @example withoutMarks('##[error]x.obj') // '\\u0023#[error]x.obj'
 */
export const withoutMarks = (text: string): string => text.replace(/#(?=#(?:|vso|teamcity)\[)/g, '\\u0023');

/** @example brief('a name of many letters', 8) // 'a na ... ters' */
export function brief(text: string, most: number): string {
  const half = most / 2;
  return text.length <= most ? text : `${text.slice(0, Math.ceil(half))} ... ${text.slice(-Math.floor(half))}`;
}

/** '16,356,340' for 16356340. toLocaleString needs 20 ms for its first call. */
export const grouped = (n: number): string => String(n).replace(/\B(?=(?:\d{3})+$)/g, ',');

/** `1,200 pairs`, `2 meshes`, `1 geometry`. */
export const counted = (n: number, noun: string): string => `${grouped(n)} ${n === 1 ? noun : pluralOf(noun)}`;

const pluralOf = (noun: string): string =>
  /[^aeiou]y$/.test(noun) ? `${noun.slice(0, -1)}ies` : `${noun}${/(?:s|sh|ch|x)$/.test(noun) ? 'es' : 's'}`;

/** Proved bounds of a length. An upper end of Number.MAX_VALUE or more is unknown. */
interface Bounds {
  lower: number;
  upper: number;
}

/**
 * Writes a bracket as one number with the fewest digits that lie inside it, if its ends agree to a
 * hundredth. Otherwise writes both ends, as `rangeText` does.
 *
 * @example bracketText({ lower: 44.637, upper: 44.96 }) // '44.8'
 */
export function bracketText({ lower, upper }: Bounds): string {
  if (upper >= Number.MAX_VALUE) return `at least ${lower}`;
  if (upper - lower > upper / 100) return rangeText({ lower, upper });
  const middle = lower + (upper - lower) / 2;
  for (let digits = 1; digits < 17; digits++) {
    const rounded = Number(middle.toPrecision(digits));
    if (rounded >= lower && rounded <= upper) return String(rounded);
  }
  return String(middle);
}

/**
 * Writes both ends of a bracket, rounded inward to six digits, or more if they agree in six.
 *
 * @example rangeText({ lower: 0.12345678, upper: 0.5 }) // '0.123457 to 0.5'
 */
export function rangeText({ lower, upper }: Bounds, word: 'to' | 'and' = 'to'): string {
  const inside = (x: number, side: -1 | 1): number => {
    for (let digits = 6; digits < 17; digits++) {
      const rounded = Number(x.toPrecision(digits));
      const [mantissa, exponent] = x.toExponential(digits - 1).split('e');
      const next = Number(`${Number(mantissa.replace('.', '')) + side}e${Number(exponent) - digits + 1}`);
      for (const candidate of [rounded, next]) if (candidate >= lower && candidate <= upper) return candidate;
    }
    return x;
  };
  return `${inside(lower, 1)} ${word} ${inside(upper, -1)}`;
}

/** @example short(0.123456789) // '0.123457' */
export const short = (x: number): string => String(Number(x.toPrecision(6)));

/** Bounds of a length in at most six digits each; one number if they agree to a hundredth. */
export function lengthText(bounds: Bounds): string {
  const { lower, upper } = bounds;
  if (upper >= Number.MAX_VALUE) return `at least ${short(lower)}`;
  return upper - lower > upper / 100 ? `${short(lower)} to ${short(upper)}` : short(Number(bracketText(bounds)));
}

/** Rounds a place to six digits of its largest coordinate; from a million on, to whole units. */
export function roundedPoint(point: readonly number[]): number[] {
  const largest = Math.max(...point.map(Math.abs));
  const decimals = Math.min(100, Math.max(0, 5 - Number(largest.toExponential().split('e')[1])));
  return point.map((x) => Number(x.toFixed(decimals)));
}

/** @example pointText([2.4072161, 1e-17, 0.916327]) // '(2.40722 0 0.91633)' */
export const pointText = (point: readonly number[]): string => `(${roundedPoint(point).join(' ')})`;

/** Quotes a file's text, shortened to one line. */
export function quoted(text: string): string {
  const line = printable(text.slice(0, 60));
  return `"${line.length > 40 ? `${line.slice(0, 37)}...` : line}"`;
}

/** Digits of an id that are printed, and that are needed to name a finding. */
const SHOWN = 8;
export const FEWEST_DIGITS = 6;
const MOST_NAMED = 4;

/** Shortens ids to their first digits; those that begin alike stay whole. */
export function idsInShort(ids: readonly string[]): string[] {
  const counts = new Map<string, number>();
  const short = ids.map((id) => id.slice(0, SHOWN));
  for (const id of short) counts.set(id, (counts.get(id) ?? 0) + 1);
  return ids.map((id, n) => (counts.get(short[n]!) === 1 ? short[n]! : id));
}

/** Returns the ids that a text may mean: the one that it is, or all that begin with it. */
export function idsMeant(text: string, ids: Iterable<string>): string[] {
  const begun = new Set<string>();
  for (const id of ids) {
    if (id === text) return [id];
    if (text.length >= FEWEST_DIGITS && id.startsWith(text)) begun.add(id);
  }
  return [...begun];
}

/**
 * Names the ids that an ambiguous text may mean.
 *
 * @param wordsOf what an id stands for
 */
export function ambiguousText(text: string, meant: readonly string[], wordsOf: (id: string) => string): string {
  const named = meant.slice(0, MOST_NAMED).map((id) => `${id} (${wordsOf(id)})`);
  const more = meant.length > MOST_NAMED ? [`${meant.length - MOST_NAMED} more`] : [];
  return `${text}: ${meant.length} findings have ids that begin so: ${[...named, ...more].join(', ')}`;
}
