/**
 * Git LFS pointers: texts of a few lines that a checkout without `git lfs pull` has in place of
 * files. Any file may be one, so whoever opens files asks here. A pointer's bytes must not be taken
 * for content: 36 of them are three points of a glTF buffer.
 *
 * https://github.com/git-lfs/git-lfs/blob/main/docs/spec.md
 */

/** A pointer has fewer bytes than this. */
export const LONGEST_POINTER = 1024;

/** Ends a message. */
export const A_POINTER = 'a pointer of Git LFS in place of the file; git lfs pull fetches that';

const START = 'version https://git-lfs.github.com/spec/';
const EARLY_START = 'version https://hawser.github.com/spec/';

/** @param bytes a file's, or its first ones */
export function isPointer(bytes: Uint8Array): boolean {
  if (bytes[0] !== START.charCodeAt(0)) return false;
  const text = String.fromCharCode(...bytes.subarray(0, START.length));
  return text === START || text.startsWith(EARLY_START);
}

/** The SHA-256 of the file that a pointer stands for, or null. */
export function pointedDigest(bytes: Uint8Array): string | null {
  if (bytes.length >= LONGEST_POINTER || !isPointer(bytes)) return null;
  return /\noid sha256:([0-9a-f]{64})\r?\n/.exec(String.fromCharCode(...bytes))?.[1] ?? null;
}
