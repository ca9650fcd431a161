/** SHA-256 of files of any size, read in pieces to save memory. */
import { createHash } from 'node:crypto';
import { closeSync, readSync } from 'node:fs';
import { ANYWHERE, type NamedPlace, openNamed } from './file-source.ts';
import { explain } from './files.ts';

const PIECE = 2 ** 20;

let piece: Uint8Array | undefined;

/** Returns a regular file's SHA-256 in hexadecimal digits. */
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
