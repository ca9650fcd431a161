/** Whether bytes begin as glTF does: small, since it is asked of every file. */

/** The first four bytes of a GLB, "glTF", little-endian. */
const MAGIC = 0x46546c67;

/** Keys of which one is the first in a glTF file. */
const KEYS =
  'accessors|animations|asset|buffers|bufferViews|cameras|extensions|extensionsRequired|extensionsUsed|extras|images|' +
  'materials|meshes|nodes|samplers|scene|scenes|skins|textures';
/** Marked as pure for bundles: a page that reads no mesh leaves it out. */
const FIRST_KEY = /* @__PURE__ */ new RegExp(`^\\uFEFF?\\s*\\{\\s*"(?:${KEYS})"\\s*:`);

/** Whether a file begins as a GLB does, or as JSON whose first key is one of glTF's. */
export const looksLikeGltf = (head: Uint8Array): boolean =>
  isGlb(head) || FIRST_KEY.test(new TextDecoder('utf-8', { ignoreBOM: true }).decode(head));

export const isGlb = (bytes: Uint8Array): boolean =>
  bytes.length >= 4 && new DataView(bytes.buffer, bytes.byteOffset, 4).getUint32(0, true) === MAGIC;
