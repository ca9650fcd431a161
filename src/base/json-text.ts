/** Parses JSON, with the place of syntax errors, and refuses duplicate keys. */
import { FormatError } from './errors.ts';
import { quoted } from './printable.ts';

/**
 * @param text UTF-8 if it is bytes; a byte order mark is skipped
 * @throws FormatError, with the line, for invalid JSON, and for a duplicate key in an object
 */
export function parseJson(text: string | Uint8Array): unknown {
  return parse(typeof text === 'string' ? text.replace(/^\uFEFF/, '') : decode(text));
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new FormatError(null, 'JSON in UTF-8', 'bytes that are not UTF-8');
  }
}

function parse(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw (
      syntaxError(text) ?? new FormatError(null, 'JSON', `an error: ${error instanceof Error ? error.message : error}`)
    );
  }
  refuseRepeatedKeys(text);
  return value;
}

/** JSON.parse silently takes the last of equal keys. The text is valid JSON. */
function refuseRepeatedKeys(text: string): void {
  /** The keys of each open object, null for a list. */
  const open: (Set<string> | null)[] = [];
  for (let i = 0; i < text.length; i++) {
    const character = text.charCodeAt(i);
    if (character === OPEN) open.push(new Set());
    else if (character === OPEN_LIST) open.push(null);
    else if (character === CLOSE || character === CLOSE_LIST) open.pop();
    else if (character === QUOTE) {
      const start = i;
      let isPlain = true;
      // A loop: a pattern would need a stack as deep as the string is long.
      for (i++; text.charCodeAt(i) !== QUOTE; i++) {
        if (text.charCodeAt(i) !== BACKSLASH) continue;
        isPlain = false;
        i++;
      }
      const keys = open.length > 0 ? open[open.length - 1] : null;
      if (!keys) continue;
      COLON.lastIndex = i + 1;
      if (!COLON.test(text)) continue;
      const key: string = isPlain ? text.slice(start + 1, i) : JSON.parse(text.slice(start, i + 1));
      if (keys.has(key)) {
        const line = text.slice(0, start).split(/\r\n?|\n/).length;
        throw new FormatError({ line }, 'each key of an object once', `${quoted(key)} again`);
      }
      keys.add(key);
    }
  }
}

/** Codes of { } [ ] " and the backslash. */
const OPEN = 0x7b;
const CLOSE = 0x7d;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = /[ \t\n\r]*:/y;
const SPACE = /[ \t\n\r]*/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const SCALAR = /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.+-])/y;

/** Used once JSON.parse has failed: engines' messages often lack the place. */
function syntaxError(text: string): FormatError | null {
  let i = 0;
  const match = (pattern: RegExp): boolean => {
    pattern.lastIndex = i;
    const isThere = pattern.test(text);
    if (isThere) i = pattern.lastIndex;
    return isThere;
  };
  // A loop: a pattern for a whole string tries all ways to cut one that has no end.
  const matchString = (): boolean => {
    const start = i;
    for (let k = text[i] === '"' ? i + 1 : text.length; k < text.length; k++) {
      i = k;
      // Control characters must be escaped in JSON.
      if (text.charCodeAt(k) < 32 || (text[k] === '\\' && !match(ESCAPE))) break;
      if (text[k] === '"') {
        i = k + 1;
        return true;
      }
      if (text[k] === '\\') k = i - 1;
    }
    i = start;
    return false;
  };
  const closers: string[] = [];
  let expected: 'a value' | 'a key in quotes' | 'a colon' | 'a comma' | 'the end' = 'a value';
  /** True just after an opening bracket: it may be closed at once. */
  let isOpen = false;
  for (;;) {
    match(SPACE);
    const closer = closers.at(-1);
    const character = text[i];
    const afterValue = closers.length > 0 ? 'a comma' : 'the end';
    if (expected === 'the end') {
      if (i === text.length) return null;
    } else if (character === closer && closer !== undefined && (isOpen || expected === 'a comma')) {
      closers.pop();
      i++;
      isOpen = false;
      expected = closers.length > 0 ? 'a comma' : 'the end';
      continue;
    } else if (expected === 'a comma' && character === ',') {
      i++;
      expected = closer === '}' ? 'a key in quotes' : 'a value';
      continue;
    } else if (expected === 'a colon' && character === ':') {
      i++;
      expected = 'a value';
      continue;
    } else if (expected === 'a key in quotes' && matchString()) {
      isOpen = false;
      expected = 'a colon';
      continue;
    } else if (expected === 'a value' && (character === '{' || character === '[')) {
      closers.push(character === '{' ? '}' : ']');
      i++;
      isOpen = true;
      expected = character === '{' ? 'a key in quotes' : 'a value';
      continue;
    } else if (expected === 'a value' && (matchString() || match(SCALAR))) {
      isOpen = false;
      expected = afterValue;
      continue;
    }
    let line = 1;
    for (let k = text.indexOf('\n'); k >= 0 && k < i; k = text.indexOf('\n', k + 1)) line++;
    const isClosable = closer !== undefined && (isOpen || expected === 'a comma');
    const wanted = expected === 'the end' ? 'nothing after the value' : expected;
    return new FormatError({ line }, isClosable ? `${wanted} or ${closer}` : wanted, foundAt(text, i));
  }
}

function foundAt(text: string, i: number): string {
  if (i >= text.length) return 'the end of the text';
  const word = /^[\w.+-]+/.exec(text.slice(i, i + 60));
  if (text[i] === '"') return `the string ${quoted(text.slice(i + 1, i + 30).split(/["\n]/)[0])}`;
  return quoted(word ? word[0] : String.fromCodePoint(text.codePointAt(i) ?? 0));
}
