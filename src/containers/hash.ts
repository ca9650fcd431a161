/** SHA-256: by Web Crypto, which Node and browsers share, or else by ourselves. */

/** The digest's 32 bytes. Pages of plain http have no Web Crypto. */
export async function digestBytes(bytes: Uint8Array): Promise<Uint8Array> {
  const subtle = globalThis.crypto?.subtle as
    | { digest(name: string, bytes: Uint8Array<ArrayBuffer>): Promise<ArrayBuffer> }
    | undefined;
  if (!subtle) return (await import('./sha256.ts')).sha256Bytes(bytes);
  return new Uint8Array(await subtle.digest('SHA-256', bytes as Uint8Array<ArrayBuffer>));
}

/** Lower-case hexadecimal digest of the bytes. */
export async function sha256(bytes: Uint8Array): Promise<string> {
  return Array.from(await digestBytes(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Digest of 16-bit samples, low byte first. */
export async function sha256OfSamples(samples: Uint16Array): Promise<string> {
  const bytes = new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength);
  if (new Uint8Array(Uint16Array.of(1).buffer)[0] === 1) return sha256(bytes);
  const swapped = bytes.slice();
  for (let i = 0; i < swapped.length; i += 2) [swapped[i], swapped[i + 1]] = [bytes[i + 1], bytes[i]];
  return sha256(swapped);
}
