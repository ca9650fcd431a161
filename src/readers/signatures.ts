/**
 * Detects mesh formats, glTF and IFC among them, from a file's first bytes and its size, without
 * their readers. The code is small, since every file is tested.
 */

export const HEAD = 512;
/** A text of 80 bytes, and the number of triangles. */
export const STL_HEADER = 84;
/** A normal, three points, and two bytes for a color. */
export const STL_TRIANGLE = 50;

const latin1 = (bytes: Uint8Array): string => new TextDecoder('latin1').decode(bytes);

const textOf = (head: Uint8Array): string =>
  latin1(head)
    .replace(/^\xef\xbb\xbf/, '')
    .trimStart();

/** `ply` on a line of its own. */
export const isPly = (head: Uint8Array): boolean => /^ply[ \t]*(?:[\r\n]|$)/.test(latin1(head.subarray(0, 64)));

/** After comments, perhaps with letters before. ModelNet adds the first count without a blank. */
export const isOff = (head: Uint8Array): boolean =>
  /^(?:#[^\r\n]*[\r\n]\s*)*(?:(?:ST)?C?N?4?n?OFF(?=[\s\d#]|$)|off(?=[\s#]|$))/.test(textOf(head));

/**
 * Decides between binary and text STL; null for other files.
 *
 * The length decides, not the word `solid`, which begins many binary files. If the length does not
 * match the triangles, a file is still binary if it begins like no other format. That means text up
 * to a zero byte, and triangles whose normals have the length 1 or 0. This covers truncated files,
 * bytes after the last triangle, which a few writers leave, and a count of 0, which others never
 * fill in.
 */
export function stlKind(bytes: Uint8Array, size: number): 'binary' | 'ascii' | null {
  const head = bytes.subarray(0, HEAD);
  if (size >= STL_HEADER && size === STL_HEADER + STL_TRIANGLE * stlTriangles(head)) return 'binary';
  if (!head.includes(0)) return /^solid(?:\s|$)/i.test(textOf(head)) ? 'ascii' : null;
  return size >= STL_HEADER && looksLikeStl(head, size) ? 'binary' : null;
}

export const stlTriangles = (head: Uint8Array): number =>
  new DataView(head.buffer, head.byteOffset, STL_HEADER).getUint32(STL_HEADER - 4, true);

/** Triangles that end where the file does, or -1. */
export const stlTrianglesBySize = (size: number): number =>
  (size - STL_HEADER) % STL_TRIANGLE === 0 ? (size - STL_HEADER) / STL_TRIANGLE : -1;

function looksLikeStl(head: Uint8Array, size: number): boolean {
  const text = head.subarray(0, STL_HEADER - 4);
  const zero = text.indexOf(0);
  // A zero byte follows the text, at its end or in the count.
  const isText = text
    .subarray(0, zero < 0 ? text.length : zero)
    .every((byte) => byte >= 32 || (byte >= 9 && byte <= 13));
  if (!isText || !head.subarray(0, STL_HEADER).includes(0)) return false;
  const whole = Math.floor((head.length - STL_HEADER) / STL_TRIANGLE);
  const count = stlTriangles(head);
  if (count === 0) return stlTrianglesBySize(size) > 0 && areTriangles(head, 0, Math.max(whole, 1), { areSome: true });
  return areTriangles(head, 0, Math.min(count, whole));
}

/**
 * True if the bytes of these triangles of a binary STL have finite numbers, and normals of length 1
 * or 0.
 *
 * @param areSome also requires that none has zeros alone, as padding has
 */
export function areTriangles(bytes: Uint8Array, first: number, end: number, { areSome = false } = {}): boolean {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  for (let t = first; t < end; t++) {
    const at = STL_HEADER + STL_TRIANGLE * t;
    if (at + STL_TRIANGLE > bytes.length) return false;
    let [square, most] = [0, 0];
    for (let k = 0; k < 12; k++) {
      const x = view.getFloat32(at + 4 * k, true);
      if (!Number.isFinite(x)) return false;
      if (k < 3) square += x * x;
      most = Math.max(most, Math.abs(x));
    }
    if ((square !== 0 && Math.abs(square - 1) > 0.01) || (areSome && most === 0)) return false;
  }
  return true;
}

const MAGIC = 0x46546c67;

const KEYS =
  'accessors|animations|asset|buffers|bufferViews|cameras|extensions|extensionsRequired|extensionsUsed|extras|images|' +
  'materials|meshes|nodes|samplers|scene|scenes|skins|textures';
/** Pure, so that bundles of pages that read no mesh leave it out. */
const FIRST_KEY = /* @__PURE__ */ new RegExp(`^\\uFEFF?\\s*\\{\\s*"(?:${KEYS})"\\s*:`);

export const looksLikeGltf = (head: Uint8Array): boolean =>
  isGlb(head) || FIRST_KEY.test(new TextDecoder('utf-8', { ignoreBOM: true }).decode(head));

export const isGlb = (bytes: Uint8Array): boolean =>
  bytes.length >= 4 && new DataView(bytes.buffer, bytes.byteOffset, 4).getUint32(0, true) === MAGIC;

/** True also for IFC in other encodings, and for STEP files whose schema comes after the head. */
export function isIfc(head: Uint8Array): boolean {
  const text = latin1(head);
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
