/**
 * How a file begins that is IFC, in any of its coats. It is asked of every mesh file, so it is
 * small.
 */

/**
 * Whether a file begins as an IFC file does, or is IFC in another coat, to be refused by name. A
 * STEP file whose schema stands further behind may be one.
 */
export function isIfc(head: Uint8Array): boolean {
  const text = new TextDecoder('latin1').decode(head);
  if (!/^(\xef\xbb\xbf)?\s*ISO-10303-21\b/.test(text)) return otherCoat(text) !== null;
  const schema = /FILE_SCHEMA\s*\(\s*\(\s*'\s*(\w{3})/i.exec(text);
  return schema === null || /^IFC$/i.test(schema[1]);
}

/** What a file is that has IFC in it and is no STEP file; null of others. */
export function otherCoat(head: string): string | null {
  if (head.startsWith('PK\u0003\u0004') && /\.ifc(xml)?/i.test(head))
    return 'ifcZIP, which gicollide does not read; unpack it';
  if (/^(\xef\xbb\xbf)?\s*</.test(head) && /ifcXML|buildingsmart.*ifc/is.test(head))
    return 'ifcXML, which gicollide does not read; export IFC as a STEP file (.ifc)';
  return null;
}
