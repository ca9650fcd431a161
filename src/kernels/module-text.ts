/** Bytes of the WebAssembly modules that scripts/build-kernels.mjs writes as text. */

/** A letter for each of the frequent bytes, two for another. */
interface ModuleText {
  readonly code: string;
  /** A bit for each byte, whether it is frequent; four in a hexadecimal digit. */
  readonly frequent: string;
}

export function bytesOfModule({ code, frequent }: ModuleText): Uint8Array<ArrayBuffer> {
  const singles: number[] = [];
  const pairs: number[] = [];
  for (let byte = 0; byte < 256; byte++)
    ((Number.parseInt(frequent[byte >> 2], 16) >> (3 - (byte & 3))) & 1 ? singles : pairs).push(byte);
  const numbers = new Uint8Array(127);
  let letters = 0;
  for (let letter = 33; letter < 127; letter++)
    if (!'"$\'<\\`'.includes(String.fromCharCode(letter))) numbers[letter] = letters++;
  const bytes = new Uint8Array(code.length);
  let length = 0;
  for (let i = 0; i < code.length; i++) {
    const number = numbers[code.charCodeAt(i)];
    const beyond = number - singles.length;
    bytes[length++] = beyond < 0 ? singles[number] : pairs[singles.length * beyond + numbers[code.charCodeAt(++i)]];
  }
  return bytes.slice(0, length);
}
