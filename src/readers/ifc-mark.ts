/** Detects IFC in any of its encodings; small, since every mesh file is tested. */

/** Also for IFC in other encodings, and STEP files whose schema comes after the head. */
export function isIfc(head: Uint8Array): boolean {
  const text = new TextDecoder('latin1').decode(head);
  if (!/^(\xef\xbb\xbf)?\s*ISO-10303-21\b/.test(text)) return otherCoat(text) !== null;
  const schema = /FILE_SCHEMA\s*\(\s*\(\s*'\s*(\w{3})/i.exec(text);
  return schema === null || /^IFC$/i.test(schema[1]);
}

/** Names an encoding of IFC other than STEP; null for other files. */
export function otherCoat(head: string): string | null {
  if (head.startsWith('PK\u0003\u0004') && /\.ifc(xml)?/i.test(head))
    return 'ifcZIP, which gicollide does not read; unpack it';
  if (/^(\xef\xbb\xbf)?\s*</.test(head) && /ifcXML|buildingsmart.*ifc/is.test(head))
    return 'ifcXML, which gicollide does not read; export IFC as a STEP file (.ifc)';
  return null;
}
