/** Deflate by the platform's streams, which Node has since 18 and browsers since 2023. */
import { FormatError } from '../base/errors.ts';

/**
 * Inflates a zlib stream to exactly `length` bytes and compares its Adler-32 checksum. Rejects with
 * FormatError, and stops as soon as the bytes are too many.
 */
export type Inflate = (data: Uint8Array, length: number) => Promise<Uint8Array>;

/** @example (await inflate(deflateSync(Uint8Array.of(1, 2, 3)), 3))[2] // 3 */
export const inflate: Inflate = async (data, length) => {
  const bytes = new Uint8Array(length);
  const found = await inflateInto(data, bytes).catch((error: unknown) => corrupt(error));
  if (found === length) return bytes;
  const words = typeof found === 'string' ? found : found > length ? 'more' : `${found} bytes`;
  throw new FormatError(null, `deflate data of ${length} bytes`, words);
};

/**
 * How many bytes a zlib stream gives: `bytes` has the first of them. If they are more than it has
 * room for, there are at least as many as the result says. Rejects with the platform's error.
 */
export async function inflateInto(data: Uint8Array, bytes: Uint8Array): Promise<number> {
  let total = 0;
  for await (const chunk of piped(data, new DecompressionStream('deflate'))) {
    if (total + chunk.length > bytes.length) return total + chunk.length;
    bytes.set(chunk, total);
    total += chunk.length;
  }
  return total;
}

/** A zlib stream of the bytes. */
export async function deflate(bytes: Uint8Array): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of piped(bytes, new CompressionStream('deflate'))) chunks.push(chunk);
  const stream = new Uint8Array(chunks.reduce((sum, chunk) => sum + chunk.length, 0));
  let at = 0;
  for (const chunk of chunks) {
    stream.set(chunk, at);
    at += chunk.length;
  }
  return stream;
}

/** The chunks that a stream makes of the bytes; leaving early cancels it. */
async function* piped(bytes: Uint8Array, stream: CompressionStream | DecompressionStream) {
  const writer = stream.writable.getWriter();
  // The reader also reports a failed write.
  writer.write(bytes as Uint8Array<ArrayBuffer>).catch(() => {});
  writer.close().catch(() => {});
  const reader = stream.readable.getReader();
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
  } finally {
    await reader.cancel().catch(() => {}); // nothing to do where it has ended
  }
}

/** An inflater's error in one line. */
export function corrupt(error: unknown): string {
  return `corrupt data (${error instanceof Error ? error.message : String(error)})`;
}
