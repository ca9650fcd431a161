/** Bytes out of hexadecimal digits, as WebAssembly modules are kept in text. */

/**
 * Returns the bytes of lower-case digits, two a byte, as they are made here: nothing is checked.
 *
 * @example bytesOfDigits('00ff') // Uint8Array [0, 255]
 */
export function bytesOfDigits(digits: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(digits.length / 2);
  for (let i = 0; i < bytes.length; i++) bytes[i] = 16 * digitAt(digits, 2 * i) + digitAt(digits, 2 * i + 1);
  return bytes;
}

function digitAt(digits: string, at: number): number {
  const letter = digits.charCodeAt(at);
  return letter < 58 ? letter - 48 : letter - 87;
}
