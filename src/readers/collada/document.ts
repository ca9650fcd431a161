/**
 * The elements of a COLLADA document by their ids, the numbers in their texts, and a budget for the
 * memory that these need.
 */
import { FormatError } from '../../base/errors.ts';
import { quoted } from '../../base/printable.ts';
import { required, type XmlElement } from '../../base/xml.ts';
import { type ReaderNote, warning } from '../mesh-file.ts';
import { TextCursor } from '../text-cursor.ts';

export interface ColladaDocument {
  root: XmlElement;
  /** By name and id; null if two elements have both. */
  byId: Map<string, XmlElement | null>;
  /** Bytes that arrays may still use. */
  left: number;
  numbers: Map<XmlElement, Float64Array>;
  notes: ReaderNote[];
}

export function documentOf(root: XmlElement, size: number): ColladaDocument {
  const byId: ColladaDocument['byId'] = new Map();
  const visit = (element: XmlElement): void => {
    const id = element.attributes.get('id');
    const key = `${element.name} ${id}`;
    if (id !== undefined) byId.set(key, byId.has(key) ? null : element);
    element.children.forEach(visit);
  };
  visit(root);
  return { root, byId, left: 2 ** 28 + 64 * size, numbers: new Map(), notes: [] };
}

/** Geometries may share arrays, so that small files could fill the memory. */
export function take(document: ColladaDocument, bytes: number, { line }: XmlElement): void {
  document.left -= bytes;
  if (document.left < 0)
    throw new FormatError({ line }, "meshes of at most 64 times the file's size plus 256 MiB", 'more');
}

export const childrenOf = (element: XmlElement | null, name: string): XmlElement[] =>
  element?.children.filter((child) => child.name === name) ?? [];

export const nameOf = (element: XmlElement): string =>
  element.attributes.get('name') || element.attributes.get('id') || '';

/** The address of another file, which is not read; null for an address in this file. */
export function elsewhere(element: XmlElement, attribute: string): string | null {
  const url = required(element, attribute);
  return url.includes('#') && !url.startsWith('#') ? url : null;
}

/**
 * @param scope is searched first, since writers repeat ids in other geometries
 * @throws FormatError if no element of one of the names has the id, or several have
 */
export function target(
  { byId }: ColladaDocument,
  element: XmlElement,
  attribute: string,
  names: readonly string[],
  scope: XmlElement | null = null,
): XmlElement {
  const url = required(element, attribute);
  const id = url.replace(/^#/, '');
  const near = scope?.children.find((child) => names.includes(child.name) && child.attributes.get('id') === id);
  if (near) return near;
  const found = names.map((name) => byId.get(`${name} ${id}`)).find((other) => other !== undefined);
  if (found) return found;
  const kinds = names.map((name) => `<${name}>`).join(' or ');
  const expected = `${attribute} of <${element.name}> to be the id of one ${kinds}`;
  throw new FormatError(
    { line: element.line },
    expected,
    `${quoted(url)}${found === null ? ', an id of several' : ''}`,
  );
}

/** All numbers in the element's text, each time the same array. */
export function numbersOf(document: ColladaDocument, element: XmlElement): Float64Array {
  const known = document.numbers.get(element);
  if (known) return known;
  const text = element.text ?? '';
  // A number and a blank have two characters at least.
  const numbers = new Float64Array((text.length + 1) >> 1);
  const cursor = new TextCursor(new TextEncoder().encode(text), { at: 0, line: element.line });
  let count = 0;
  while (cursor.toWord()) numbers[count++] = cursor.number();
  const found = numbers.slice(0, count);
  document.numbers.set(element, found);
  return found;
}

export function someNumbers(
  document: ColladaDocument,
  element: XmlElement,
  count: number,
  largest = 1e60,
): Float64Array {
  const numbers = numbersOf(document, element);
  if (numbers.length === count && numbers.every((x) => Math.abs(x) <= largest)) return numbers;
  const expected = `${count} numbers of size at most ${largest} in <${element.name}>`;
  const found = numbers.length === count ? 'a larger one' : `${numbers.length}`;
  throw new FormatError({ line: element.line }, expected, found);
}

/** A whole number, 0 or above. */
export function wholeOf(element: XmlElement, attribute: string, otherwise: number | null): number {
  const text = element.attributes.get(attribute)?.trim() ?? '';
  if (text === '' && otherwise !== null) return otherwise;
  const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  if (value < 2 ** 32) return value;
  const expected = `a whole number below 2^32 as ${attribute} of <${element.name}>`;
  throw new FormatError({ line: element.line }, expected, text === '' ? 'none' : quoted(text));
}

/** Fewer than the attribute `count` says are an error; more are read. */
export function requireCount(document: ColladaDocument, element: XmlElement, there: number, what: string): void {
  const count = wholeOf(element, 'count', there);
  if (count > there) throw new FormatError({ line: element.line }, `${count} ${what} in <${element.name}>`, `${there}`);
  if (count < there)
    document.notes.push(
      warning(`line ${element.line}: <${element.name}> has ${there} ${what}, but states ${count}; all were read`),
    );
}
