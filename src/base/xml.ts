/**
 * Reads XML elements with their lines, by fast-xml-parser, and their attributes: numbers and known
 * names. Dangerous XML is refused before it is parsed: document types, and with them all entities
 * but the five of XML itself. Text between elements is ignored. Errors have the line.
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
}

/** The parser takes half a second for 4 MB of elements. */
export const MOST_BYTES = 2 ** 24;
const MOST_NESTED = 64;

const ATTRIBUTES = ':@';
const START = XMLParser.getMetaDataSymbol() as unknown as symbol;

type ParsedNode = Record<string, ParsedNode[]> & { [ATTRIBUTES]?: Record<string, string> };

/**
 * @param bytes UTF-8; a byte order mark is skipped
 * @throws FormatError with the line, if known: also for document types, and more than 64 nested
 *   elements
 */
export function readXml(bytes: Uint8Array): XmlElement {
  const text = decode(bytes);
  const lineOf = linesOf(text);
  const type = /<!(?!--|\[CDATA\[)/.exec(text);
  if (type) throw new FormatError({ line: lineOf(type.index) }, 'XML without a document type', 'a document type');
  const valid = XMLValidator.validate(text);
  if (valid !== true) throw new FormatError({ line: valid.err.line || 1 }, 'XML', problemOf(valid.err.msg));
  const roots = parse(text).filter((node) => nameOf(node) !== TEXT);
  if (roots.length !== 1) throw new FormatError(null, 'XML with one outermost element', `${roots.length}`);
  return elementOf(roots[0], lineOf);
}

function decode(bytes: Uint8Array): string {
  if (bytes.length > MOST_BYTES)
    throw new FormatError(null, `XML of at most ${MOST_BYTES / 2 ** 20} MiB`, `${bytes.length} bytes`);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new FormatError(null, 'XML in UTF-8', 'bytes that are not UTF-8');
  }
}

const TEXT = '#text';

function parse(text: string): ParsedNode[] {
  const parser = new XMLParser({
    ...{ preserveOrder: true, captureMetaData: true, ignoreDeclaration: true, ignorePiTags: true },
    ...{ ignoreAttributes: false, attributeNamePrefix: '', textNodeName: TEXT, trimValues: false },
    ...{ parseTagValue: false, parseAttributeValue: false, processEntities: false, maxNestedTags: MOST_NESTED - 1 },
  });
  try {
    return parser.parse(text);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    if (/nested/i.test(message)) throw new FormatError(null, `XML of at most ${MOST_NESTED} levels`, 'more');
    throw new FormatError(null, 'XML', short(message));
  }
}

/** The validator's message; it lists all elements that do not end, as JSON. */
const problemOf = (message: string): string =>
  message.startsWith("Invalid '[") ? 'elements that do not end' : short(message);

/** Messages may quote the whole text. */
const short = (message: string): string => (message.length > 100 ? `${message.slice(0, 97)}...` : message);

const nameOf = (node: ParsedNode): string => Object.keys(node).find((key) => key !== ATTRIBUTES) ?? '';

function elementOf(node: ParsedNode, lineOf: (index: number) => number): XmlElement {
  const name = nameOf(node);
  const { startIndex = 0 } = (node as unknown as Record<symbol, { startIndex?: number }>)[START] ?? {};
  const line = lineOf(startIndex);
  const attributes = new Map<string, string>();
  for (const [key, value] of Object.entries(node[ATTRIBUTES] ?? {})) attributes.set(key, plain(value, line));
  const children = node[name].filter((child) => nameOf(child) !== TEXT).map((child) => elementOf(child, lineOf));
  return { name, attributes, children, line };
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
    throw new FormatError({ line }, 'a reference to a character that XML knows', quoted(reference));
  });
}

function linesOf(text: string): (index: number) => number {
  const ends: number[] = [];
  for (const { index } of text.matchAll(/\r\n|\r|\n/g)) ends.push(index);
  return (index) => {
    let low = 0;
    let high = ends.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (ends[middle] < index) low = middle + 1;
      else high = middle;
    }
    return low + 1;
  };
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
      `a name that the robot has as ${attribute} of <${element.name}>`,
      quoted(name) + meant(name, [...known.keys()]),
    );
  return number;
}

export function meant(name: string, known: readonly string[]): string {
  const near = nearest(name, known);
  return near === null ? '' : `: did you mean ${near}?`;
}
