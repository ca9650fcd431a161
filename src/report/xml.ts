/** Writes XML as text: escaping and elements. */
import { clean } from './text.ts';

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  // Escaped everywhere: `]]>` must not occur in text.
  '>': '&gt;',
  '"': '&quot;',
  // A parser would turn these into a space or another line end.
  '\r': '&#13;',
  '\n': '&#10;',
  '\t': '&#9;',
};

export const XML_HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n';

export const text = (value: string): string => clean(value).replaceAll(/[&<>\r]/g, (c) => ENTITIES[c]);

const attribute = (value: string): string => clean(value).replaceAll(/[&<>"\r\n\t]/g, (c) => ENTITIES[c]);

export type Attributes = Readonly<Record<string, string | number | null>>;

/** Returns `<name a="1"`; attributes that are null are left out. */
const opening = (name: string, attributes: Attributes): string =>
  Object.entries(attributes)
    .filter(([, value]) => value !== null)
    .reduce((tag, [key, value]) => `${tag} ${key}="${attribute(String(value))}"`, `<${name}`);

/** Returns a start tag alone, for elements that are written piece by piece. */
export const startTag = (name: string, attributes: Attributes): string => `${opening(name, attributes)}>\n`;

/** @param children XML; null and empty ones are left out */
export function element(name: string, attributes: Attributes, ...children: (string | null)[]): string {
  const inside = children.filter(Boolean).join('');
  return inside ? `${opening(name, attributes)}>${inside}</${name}>` : `${opening(name, attributes)}/>`;
}
