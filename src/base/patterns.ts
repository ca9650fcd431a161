/** Matches names against patterns. */

/**
 * True if a name matches a pattern: `*` is any letters including slashes, `?` is one, `[1-9]` is
 * one of a class, `[!x]` one not of it. A bracket also matches itself, since names have some. Takes
 * at most as many steps as the product of both lengths.
 *
 * @example matches('house/*', 'house/wall-1') // true
 */
export const matches = (pattern: string, name: string): boolean =>
  fits(pattern, name) || (pattern.includes('[') && fits(pattern.match(TOKENS) ?? [], name));

/** A class, or a character; a class has no bracket inside. */
const TOKENS = /\[!?[^[\]]+\]|./gs;

function fits(tokens: ArrayLike<string>, name: string): boolean {
  let p = 0;
  let n = 0;
  /** After the last star: the pattern's place and the name's. */
  let afterStar = -1;
  let resume = 0;
  while (n < name.length) {
    if (tokens[p] === '*') {
      afterStar = ++p;
      resume = n;
    } else if (p < tokens.length && (tokens[p] === '?' || tokens[p] === name[n] || isOfClass(tokens[p], name[n]))) {
      p++;
      n++;
    } else if (afterStar >= 0) {
      p = afterStar;
      n = ++resume;
    } else return false;
  }
  while (tokens[p] === '*') p++;
  return p === tokens.length;
}

/** A number in brackets is that of a name: `beam[12]`. */
const INDEX = /^\[\d+\]$/;

function isOfClass(token: string, letter: string): boolean {
  if (token.length < 4 || INDEX.test(token)) return false;
  const isNot = token[1] === '!' && token.length > 3;
  const end = token.length - 1;
  let isFound = false;
  for (let k = isNot ? 2 : 1; k < end; k++) {
    const last = token[k + 1] === '-' && k + 2 < end ? token[k + 2] : token[k];
    if (letter >= token[k] && letter <= last) isFound = true;
    if (last !== token[k]) k += 2;
  }
  return isFound !== isNot;
}
