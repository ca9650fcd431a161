/** SHA-256 of files, read piece by piece: of any size, in little memory. */
import { createHash } from 'node:crypto';
import { closeSync, readSync } from 'node:fs';
import { ANYWHERE, type NamedPlace, openNamed } from './file-source.ts';
import { explain } from './files.ts';

/** Bytes that are hashed at once. */
const PIECE = 2 ** 20;

let piece: Uint8Array | undefined;

/**
 * The SHA-256 of what a regular file holds, in hexadecimal digits.
 *
 * @throws InputError where it may not be read, or lies elsewhere
 */
export function fileDigest(path: string, place: NamedPlace = ANYWHERE): string {
  piece ??= new Uint8Array(PIECE);
  const file = openNamed(path, { ...place, maxBytes: Number.POSITIVE_INFINITY });
  try {
    const hash = createHash('sha256');
    for (let read = 1; read > 0; hash.update(piece.subarray(0, read))) read = readSync(file, piece, 0, PIECE, null);
    return hash.digest('hex');
  } catch (error) {
    throw explain(path, error);
  } finally {
    closeSync(file);
  }
}
