/** SHA-256 of files, read piece by piece: of any size, in little memory. */
import { createHash } from 'node:crypto';
import { closeSync, openSync, readSync } from 'node:fs';

/** Bytes that are hashed at once. */
const PIECE = 2 ** 20;

let piece: Uint8Array | undefined;

/** The SHA-256 of what a file holds, in hexadecimal digits. @throws what the system says */
export function fileDigest(path: string): string {
  piece ??= new Uint8Array(PIECE);
  const file = openSync(path, 'r');
  try {
    const hash = createHash('sha256');
    for (let read = 1; read > 0; hash.update(piece.subarray(0, read))) read = readSync(file, piece, 0, PIECE, null);
    return hash.digest('hex');
  } finally {
    closeSync(file);
  }
}
