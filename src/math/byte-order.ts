/** The machine's order of bytes. */

export const LITTLE_ENDIAN = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1;

/** Reverses the bytes of every element, in place. */
export function swapBytes(bytes: Uint8Array, elementBytes: number): void {
  for (let start = 0; start < bytes.length; start += elementBytes) {
    for (let i = start, j = start + elementBytes - 1; i < j; i++, j--) {
      const first = bytes[i];
      bytes[i] = bytes[j];
      bytes[j] = first;
    }
  }
}
