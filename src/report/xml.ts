/** XML as text: what is escaped, and elements. */
import { clean } from './text.ts';

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  // Also where it need not be: `]]>` must not stand in text.
  '>': '&gt;',
  '"': '&quot;',
  // As they are, a parser would make a space or another end of line of these.
  '\r': '&#13;',
  '\n': '&#10;',
  '\t': '&#9;',
};

export const XML_HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n';

/** Text between tags. */
export const text = (value: string): string => clean(value).replaceAll(/[&<>\r]/g, (c) => ENTITIES[c]);

const attribute = (value: string): string => clean(value).replaceAll(/[&<>"\r\n\t]/g, (c) => ENTITIES[c]);

export type Attributes = Readonly<Record<string, string | number | null>>;

/** `<name a="1"`; what is null is left out. */
const opening = (name: string, attributes: Attributes): string =>
  Object.entries(attributes)
    .filter(([, value]) => value !== null)
    .reduce((tag, [key, value]) => `${tag} ${key}="${attribute(String(value))}"`, `<${name}`);

/** A start tag alone, for what is written piece by piece. */
export const startTag = (name: string, attributes: Attributes): string => `${opening(name, attributes)}>\n`;

/**
 * @param children XML; blanks are left out
 * @example element('a', { b: '"' }, text('<')) // '<a b="&quot;">&lt;</a>'
 */
export function element(name: string, attributes: Attributes, ...children: (string | null)[]): string {
  const inside = children.filter(Boolean).join('');
  return inside ? `${opening(name, attributes)}>${inside}</${name}>` : `${opening(name, attributes)}/>`;
}
