/** Recognizes TIFFs by their first bytes. A file of its own: most runs need no more of TIFFs. */

/** True if the bytes start like a TIFF or BigTIFF (which the reader of TIFFs refuses by name). */
export function isTiff(bytes: Uint8Array): boolean {
  const [b0, b1, b2, b3] = bytes;
  return (
    (b0 === 0x49 && b1 === 0x49 && (b2 === 42 || b2 === 43) && b3 === 0) ||
    (b0 === 0x4d && b1 === 0x4d && b2 === 0 && (b3 === 42 || b3 === 43))
  );
}
