/** Patterns of names, with wildcards: of a scene's objects, and of classes. */

/**
 * True if a name matches a pattern: `*` is any letters including slashes, `?` is one. Takes at most
 * as many steps as the product of both lengths.
 *
 * @example matches('house/*', 'house/wall-1') // true
 */
export function matches(pattern: string, name: string): boolean {
  let p = 0;
  let n = 0;
  /** After the last star: the pattern's place and the name's. */
  let afterStar = -1;
  let resume = 0;
  while (n < name.length) {
    if (pattern[p] === '*') {
      afterStar = ++p;
      resume = n;
    } else if (p < pattern.length && (pattern[p] === '?' || pattern[p] === name[n])) {
      p++;
      n++;
    } else if (afterStar >= 0) {
      p = afterStar;
      n = ++resume;
    } else return false;
  }
  while (pattern[p] === '*') p++;
  return p === pattern.length;
}
