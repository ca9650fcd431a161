/**
 * SHA-256 through Web Crypto, which Node and browsers share. Pages of plain http lack it, and get
 * our own code.
 */

/** Lower-case hexadecimal digest of the bytes. */
export async function sha256(bytes: Uint8Array): Promise<string> {
  return Array.from(await digestOf(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** The 32 bytes of the digest. */
export async function digestOf(bytes: Uint8Array): Promise<Uint8Array> {
  const subtle = globalThis.crypto?.subtle as typeof globalThis.crypto.subtle | undefined;
  // Only a host without Web Crypto loads it.
  if (!subtle) return (await import('./own-sha256.ts')).ownSha256(bytes);
  return new Uint8Array(await subtle.digest('SHA-256', bytes as Uint8Array<ArrayBuffer>));
}

/** Digest of 16-bit samples, low byte first. */
export async function sha256OfSamples(samples: Uint16Array): Promise<string> {
  const bytes = new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength);
  if (new Uint8Array(Uint16Array.of(1).buffer)[0] === 1) return sha256(bytes);
  const swapped = bytes.slice();
  for (let i = 0; i < swapped.length; i += 2) [swapped[i], swapped[i + 1]] = [bytes[i + 1], bytes[i]];
  return sha256(swapped);
}
