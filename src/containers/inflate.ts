/** Deflate data to bytes, by the platform, without a library: what Node and browsers share. */
import { FormatError } from '../math/errors.ts';

/**
 * The bytes of a zlib stream, which must be `length` exactly; its Adler-32 checksum is compared.
 * Rejects with FormatError, and stops as soon as the bytes are too many.
 */
export type Inflate = (data: Uint8Array, length: number) => Promise<Uint8Array>;

/**
 * By DecompressionStream, which Node has since 18 and browsers since 2023.
 *
 * @example (await inflate(deflateSync(Uint8Array.of(1, 2, 3)), 3))[2] // 3
 */
export const inflate: Inflate = async (data, length) => {
  const stream = new DecompressionStream('deflate');
  const writer = stream.writable.getWriter();
  // A failed write shows in the reader too, which reports it.
  writer.write(data as Uint8Array<ArrayBuffer>).catch(() => {});
  writer.close().catch(() => {});
  const reader = stream.readable.getReader();
  const bytes = new Uint8Array(length);
  let at = 0;
  for (;;) {
    const { done, value } = await reader.read().catch((error: unknown) => {
      throw new FormatError(null, `deflate data of ${length} bytes`, corrupt(error));
    });
    if (done) break;
    if (at + value.length > length) {
      await reader.cancel().catch(() => {});
      throw new FormatError(null, `deflate data of ${length} bytes`, 'more');
    }
    bytes.set(value, at);
    at += value.length;
  }
  if (at !== length) throw new FormatError(null, `deflate data of ${length} bytes`, `${at} bytes`);
  return bytes;
};

/** What an inflater's error is for a reader of one line. */
export function corrupt(error: unknown): string {
  return `corrupt data (${error instanceof Error ? error.message : String(error)})`;
}
