/**
 * How files of meshes begin: enough to tell their formats, without their readers. Each function is
 * given a file's first bytes and how many it has in all.
 */

/** How many bytes of a file tell its format. */
export const HEAD = 512;
/** Bytes of a binary STL before its triangles: a text of 80, and how many triangles. */
export const STL_HEADER = 84;
/** Bytes of a triangle in a binary STL: a normal, three points, and two for a colour. */
export const STL_TRIANGLE = 50;

const latin = new TextDecoder('latin1');

/** A text's first bytes, without a byte order mark and blanks before the first word. */
const textOf = (head: Uint8Array): string =>
  latin
    .decode(head)
    .replace(/^\xef\xbb\xbf/, '')
    .trimStart();

/** `ply` on a line of its own. */
export const isPly = (head: Uint8Array): boolean => /^ply[ \t]*(?:[\r\n]|$)/.test(latin.decode(head.subarray(0, 64)));

/**
 * `OFF`, or with letters for what each vertex has, behind comments. ModelNet's files have the first
 * count right behind it.
 */
export const isOff = (head: Uint8Array): boolean =>
  /^(?:#[^\r\n]*[\r\n]\s*)*(?:(?:ST)?C?N?4?n?OFF(?=[\s\d#]|$)|off(?=[\s#]|$))/.test(textOf(head));

/**
 * Which kind of STL a file is.
 *
 * Length decides, not the word `solid`: many writers begin the 80 bytes of a binary file with it.
 * A file whose length is not that of its triangles is a binary one all the same where it begins as
 * no file of another format does: with text up to a zero byte, and with triangles whose normals
 * have the length 1 or 0. So a file that was cut off is known, and so is one with bytes behind its
 * last triangle, which a few writers leave.
 *
 * @param bytes of the file, its first HEAD or more
 * @returns null for what is no STL
 */
export function stlKind(bytes: Uint8Array, size: number): 'binary' | 'ascii' | null {
  const head = bytes.subarray(0, HEAD);
  if (size >= STL_HEADER && size === STL_HEADER + STL_TRIANGLE * stlTriangles(head)) return 'binary';
  if (!head.includes(0)) return /^solid(?:\s|$)/i.test(textOf(head)) ? 'ascii' : null;
  return size >= STL_HEADER && looksLikeStl(head) ? 'binary' : null;
}

/** How many triangles a binary STL says that it has. */
export const stlTriangles = (head: Uint8Array): number =>
  new DataView(head.buffer, head.byteOffset, STL_HEADER).getUint32(STL_HEADER - 4, true);

function looksLikeStl(head: Uint8Array): boolean {
  const text = head.subarray(0, STL_HEADER - 4);
  const zero = text.indexOf(0);
  // A zero byte of its own follows the text, or its count has one.
  const isText = text
    .subarray(0, zero < 0 ? text.length : zero)
    .every((byte) => byte >= 32 || (byte >= 9 && byte <= 13));
  const count = stlTriangles(head);
  const whole = Math.min(count, Math.floor((head.length - STL_HEADER) / STL_TRIANGLE));
  if (!isText || count === 0 || !head.subarray(0, STL_HEADER).includes(0)) return false;
  const view = new DataView(head.buffer, head.byteOffset, head.length);
  for (let t = 0; t < whole; t++) {
    const at = STL_HEADER + STL_TRIANGLE * t;
    let square = 0;
    for (let k = 0; k < 12; k++) {
      const x = view.getFloat32(at + 4 * k, true);
      if (!Number.isFinite(x)) return false;
      if (k < 3) square += x * x;
    }
    if (square !== 0 && Math.abs(square - 1) > 0.01) return false;
  }
  return true;
}
