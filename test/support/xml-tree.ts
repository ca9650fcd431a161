/** A strict parser of XML without documents types, for what tests read back: elements, attributes, text. */

export interface XmlElement {
  name: string;
  attributes: Record<string, string>;
  children: XmlElement[];
  /** All text of an element and its descendants. */
  text: string;
}

const NAMED: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
// Section 2.2 of XML 1.0, production 2.
const CHARACTERS = /^[\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]*$/u;
const TAG = /<(\/?)([A-Za-z_][\w.-]*)((?:\s+[A-Za-z_][\w.:-]*\s*=\s*"[^"<]*")*)\s*(\/?)>/y;

function decoded(raw: string): string {
  const text = raw.replaceAll(/&(?:#(\d+)|#x([0-9a-fA-F]+)|(\w+));|&/g, (all, decimal, hex, name) => {
    if (decimal || hex) return String.fromCodePoint(Number.parseInt(decimal ?? hex, decimal ? 10 : 16));
    if (!Object.hasOwn(NAMED, name ?? '')) throw new Error(`no entity: ${all}`);
    return NAMED[name];
  });
  if (!CHARACTERS.test(text)) throw new Error(`a character that XML forbids in ${JSON.stringify(raw)}`);
  return text;
}

/** Section 3.3.3: an attribute's ends of lines and tabs are spaces, unless they were escaped. */
const attributeOf = (raw: string): string => decoded(raw.replaceAll(/[\t\n\r]/g, ' '));

/** Section 2.11: ends of lines are line feeds, unless they were escaped. */
function textOf(raw: string): string {
  if (raw.includes(']]>')) throw new Error(']]> in text');
  return decoded(raw.replaceAll(/\r\n?/g, '\n'));
}

/** @throws Error where it is not well-formed, or more than this parser knows */
export function parseXml(source: string): XmlElement {
  const head = /^<\?xml version="1.0" encoding="UTF-8"\?>\n/.exec(source);
  if (!head) throw new Error('no XML declaration');
  const root: XmlElement = { name: '', attributes: {}, children: [], text: '' };
  const open = [root];
  for (let at = head[0].length; at < source.length; ) {
    const next = source.indexOf('<', at);
    const text = textOf(source.slice(at, next < 0 ? undefined : next));
    for (const element of open) element.text += text;
    if (next < 0) break;
    TAG.lastIndex = next;
    const tag = TAG.exec(source);
    if (!tag) throw new Error(`no tag at ${next}: ${source.slice(next, next + 60)}`);
    at = TAG.lastIndex;
    const [, closes, name, list, isEmpty] = tag;
    if (closes) {
      if (open.length < 2 || open.pop()!.name !== name) throw new Error(`</${name}> closes nothing`);
      continue;
    }
    const element: XmlElement = { name, attributes: {}, children: [], text: '' };
    for (const [, key, value] of list.matchAll(/([\w.:-]+)\s*=\s*"([^"]*)"/g)) {
      if (Object.hasOwn(element.attributes, key)) throw new Error(`${name} has two of ${key}`);
      element.attributes[key] = attributeOf(value);
    }
    open.at(-1)!.children.push(element);
    if (!isEmpty) open.push(element);
  }
  if (open.length !== 1 || root.children.length !== 1) throw new Error('not one element that is closed');
  return root.children[0];
}

/** All elements of a name inside another, in their order. */
export function elementsOf(element: XmlElement, name: string): XmlElement[] {
  return element.children.flatMap((child) => [...(child.name === name ? [child] : []), ...elementsOf(child, name)]);
}
