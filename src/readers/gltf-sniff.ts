/** Detects glTF; small, since every file is tested. */

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
