/**
 * Reads XML elements with their lines, by fast-xml-parser, and their attributes: numbers and known
 * names. Dangerous XML is refused before it is parsed: document types, and with them all entities
 * except the five of XML itself. Text between elements is read on demand. Errors have the line.
 */
import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { FormatError } from './errors.ts';
import { nearest } from './nearest.ts';
import { quoted } from './printable.ts';

export interface XmlElement {
  name: string;
  attributes: ReadonlyMap<string, string>;
  children: XmlElement[];
  line: number;
  /** All text directly inside; only with `texts`. References to characters stay as they are. */
  text?: string;
}

/** The parser takes half a second for 4 MB of elements. */
export const MOST_BYTES = 2 ** 24;
const MOST_NESTED = 64;

export interface XmlOptions {
  texts?: boolean;
  /** Default MOST_BYTES, which tags and short texts may have in any case. */
  mostBytes?: number;
  /** Elements inside each other; default 64. */
  mostNested?: number;
}

const ATTRIBUTES = ':@';
const START = XMLParser.getMetaDataSymbol() as unknown as symbol;

type ParsedNode = Record<string, ParsedNode[]> & { [ATTRIBUTES]?: Record<string, string> };

/**
 * @param bytes UTF-8; a byte order mark is skipped
 * @throws FormatError with the line, if known: also for document types, and too many nested
 *   elements
 */
export function readXml(bytes: Uint8Array, options: XmlOptions = {}): XmlElement {
  const { texts: withTexts = false, mostBytes = MOST_BYTES, mostNested = MOST_NESTED } = options;
  const text = decode(bytes, mostBytes);
  const lineOf = linesOf(text);
  const type = /<!(?!--|\[CDATA\[)/.exec(text);
  if (type) throw new FormatError({ line: lineOf(type.index) }, 'XML without a document type', 'a document type');
  const zero = text.indexOf('\0');
  if (zero >= 0) throw new FormatError({ line: lineOf(zero) }, 'XML', 'a zero byte');
  const valid = XMLValidator.validate(text);
  if (valid !== true) throw new FormatError({ line: valid.err.line || 1 }, 'XML', problemOf(valid.err.msg));
  const { short, placeOf, textOf } = withoutTexts(text, withTexts ? LONG : Number.POSITIVE_INFINITY);
  if (short.length > MOST_BYTES)
    throw new FormatError(null, `at most ${MOST_BYTES / 2 ** 20} MiB of tags`, `${short.length} bytes`);
  const roots = parse(short, mostNested).filter((node) => nameOf(node) !== TEXT);
  if (roots.length !== 1) throw new FormatError(null, 'XML with one outermost element', `${roots.length}`);
  return elementOf(roots[0], (index) => lineOf(placeOf(index)), withTexts ? textOf : null);
}

function decode(bytes: Uint8Array, most: number): string {
  if (bytes.length > most) throw new FormatError(null, `XML of at most ${most / 2 ** 20} MiB`, `${bytes.length} bytes`);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new FormatError(null, 'XML in UTF-8', 'bytes that are not UTF-8');
  }
}

const TEXT = '#text';

/** XML has no zero byte, so that no text of a file looks so. */
const MARK = /\0(\d+)\0/g;
const LONG = 200;

/**
 * Replaces texts of `least` characters by their numbers, since the parser copies text character by
 * character: numbers of 76 MB take 13 s and 3 GB there. A text runs from a tag's end to the next
 * tag's start. A comment in it disappears with it.
 */
function withoutTexts(
  text: string,
  least: number,
): {
  short: string;
  placeOf(index: number): number;
  textOf(marked: string): string;
} {
  const parts: string[] = [];
  const texts: string[] = [];
  /** The end of each text's mark in the short text, and how much shorter the text is by then. */
  const ends: number[] = [];
  const shifts: number[] = [];
  let [from, length] = [0, 0];
  let end = 0;
  for (;;) {
    const open = text.indexOf('>', end);
    end = open < 0 ? open : text.indexOf('<', open);
    if (end < 0) break;
    const at = text.lastIndexOf('>', end) + 1;
    if (end - at < least) continue;
    const mark = `\0${texts.length}\0`;
    parts.push(text.slice(from, at), mark);
    length += at - from + mark.length;
    texts.push(text.slice(at, end));
    ends.push(length);
    shifts.push(end - length);
    from = end;
  }
  parts.push(text.slice(from));
  return {
    short: parts.join(''),
    placeOf(index) {
      const k = countUpTo(ends, index);
      return k === 0 ? index : index + shifts[k - 1];
    },
    textOf: (marked) => marked.replaceAll(MARK, (mark, n: string) => texts[Number(n)] ?? mark),
  };
}

function parse(text: string, mostNested: number): ParsedNode[] {
  const parser = new XMLParser({
    ...{ preserveOrder: true, captureMetaData: true, ignoreDeclaration: true, ignorePiTags: true },
    ...{ ignoreAttributes: false, attributeNamePrefix: '', textNodeName: TEXT, trimValues: false },
    ...{ parseTagValue: false, parseAttributeValue: false, processEntities: false, maxNestedTags: mostNested - 1 },
  });
  try {
    return parser.parse(text);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    if (/nested/i.test(message)) throw new FormatError(null, `XML of at most ${mostNested} levels`, 'more');
    throw new FormatError(null, 'XML', short(message));
  }
}

/** The validator's message; it lists all elements that do not end, as JSON. */
const problemOf = (message: string): string =>
  message.startsWith("Invalid '[") ? 'elements without an end tag' : short(message);

/** Messages may quote the whole text. */
const short = (message: string): string => (message.length > 100 ? `${message.slice(0, 97)}...` : message);

const nameOf = (node: ParsedNode): string => Object.keys(node).find((key) => key !== ATTRIBUTES) ?? '';

function elementOf(
  node: ParsedNode,
  lineOf: (index: number) => number,
  textOf: ((marked: string) => string) | null,
): XmlElement {
  const name = nameOf(node);
  const { startIndex = 0 } = (node as unknown as Record<symbol, { startIndex?: number }>)[START] ?? {};
  const line = lineOf(startIndex);
  const attributes = new Map<string, string>();
  for (const [key, value] of Object.entries(node[ATTRIBUTES] ?? {})) attributes.set(key, plain(value, line));
  const inner = node[name];
  const children = inner.filter((child) => nameOf(child) !== TEXT).map((child) => elementOf(child, lineOf, textOf));
  const element: XmlElement = { name, attributes, children, line };
  if (textOf)
    element.text = textOf(inner.map((child) => (child[TEXT] as unknown as string | undefined) ?? '').join(''));
  return element;
}

const NAMED: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

function plain(value: string, line: number): string {
  const spaced = value.replaceAll(/[\t\n\r]/g, ' ');
  if (!spaced.includes('&')) return spaced;
  return spaced.replaceAll(/&([^;&]{0,12};?)/g, (reference, body: string) => {
    const [, name, decimal, hexadecimal] = /^(?:([a-z]+)|#(\d+)|#x([\da-f]+));$/i.exec(body) ?? [];
    if (name && Object.hasOwn(NAMED, name)) return NAMED[name];
    const code = decimal ? Number(decimal) : Number.parseInt(hexadecimal ?? '', 16);
    if (code > 0 && code <= 0x10ffff) return String.fromCodePoint(code);
    throw new FormatError({ line }, 'a reference that XML defines', quoted(reference));
  });
}

function linesOf(text: string): (index: number) => number {
  const ends: number[] = [];
  for (const { index } of text.matchAll(/\r\n|\r|\n/g)) ends.push(index);
  return (index) => countUpTo(ends, index - 1) + 1;
}

function countUpTo(sorted: readonly number[], most: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle] <= most) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Default limit of numbers: products of a few stay in range. */
const LARGEST_NUMBER = 1e60;

export function required(element: XmlElement, attribute: string): string {
  const value = element.attributes.get(attribute);
  if (value === undefined || value === '')
    throw new FormatError({ line: element.line }, `<${element.name} ${attribute}="...">`, value === '' ? '""' : 'none');
  return value;
}

export function only(element: XmlElement, name: string): XmlElement | null {
  const found = element.children.filter((child) => child.name === name);
  if (found.length > 1)
    throw new FormatError({ line: found[1].line }, `one <${name}> in <${element.name}>`, `${found.length}`);
  return found[0] ?? null;
}

const NUMBER = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i;

/** Numbers separated by spaces; `otherwise` if the attribute is missing. */
export function numbersIn(
  element: XmlElement | null,
  attribute: string,
  otherwise: readonly number[],
  largest: number = LARGEST_NUMBER,
): number[] {
  const text = element?.attributes.get(attribute);
  if (!element || text === undefined) return [...otherwise];
  const words = text.trim().split(/ +/);
  const numbers = words.map((word) => (NUMBER.test(word) ? Number(word) : Number.NaN));
  if (numbers.length === otherwise.length && numbers.every((x) => Math.abs(x) <= largest)) return numbers;
  const many = otherwise.length === 1 ? 'a number' : `${otherwise.length} numbers`;
  const macro = /\$[{(]/.test(text) ? ': run xacro first' : '';
  const limit = numbers.some((x) => Math.abs(x) > largest) ? ` of size at most ${largest}` : '';
  throw new FormatError(
    { line: element.line },
    `${many}${limit} as ${attribute} of <${element.name}>`,
    quoted(text) + macro,
  );
}

export function knownNumber(element: XmlElement, attribute: string, known: ReadonlyMap<string, number>): number {
  const name = required(element, attribute);
  const number = known.get(name);
  if (number === undefined)
    throw new FormatError(
      { line: element.line },
      `a name of the robot as ${attribute} of <${element.name}>`,
      quoted(name) + meant(name, [...known.keys()]),
    );
  return number;
}

export function meant(name: string, known: readonly string[]): string {
  const near = nearest(name, known);
  return near === null ? '' : `: did you mean ${near}?`;
}
