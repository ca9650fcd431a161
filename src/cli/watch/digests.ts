/** Digests of files, taken anew only of those that may have changed. */
import { createHash } from 'node:crypto';
import { type BigIntStats, statSync } from 'node:fs';
import type { Digests } from '../build/fresh.ts';
import { fileDigest } from '../file-digest.ts';
import { MOST_NAMED } from '../file-source.ts';
import { filesBelow, kindOf } from '../files.ts';

/**
 * Nanoseconds after a change in which another one may have the same time, since clocks of file
 * systems are coarse (FAT: 2 s): what is as young as that is read again.
 */
const COARSE = 2_000_000_000n;
interface Known {
  stamp: string;
  digest: string;
}

export class FileDigests {
  private readonly known = new Map<string, Known>();

  /** A file's SHA-256 in hexadecimal digits; of a folder the names below; null of nothing. */
  of(path: string): string | null {
    const stat = statOf(path);
    if (stat === null) {
      this.known.delete(path);
      return null;
    }
    if (stat.isDirectory()) return listingOf(path);
    if (!stat.isFile()) return 'device';
    const stamp = `${stat.dev} ${stat.ino} ${stat.size} ${stat.mtimeNs}`;
    const known = this.known.get(path);
    if (known?.stamp === stamp) return known.digest;
    // A file that another file names may be of any size, and is not read then.
    if (stat.size > MOST_NAMED) return `large ${stamp}`;
    const now = BigInt(Date.now()) * 1_000_000n;
    const digest = digestOf(path);
    if (digest !== null && stat.mtimeNs < now - COARSE) this.known.set(path, { stamp, digest });
    else this.known.delete(path);
    return digest;
  }

  /** The same for whoever waits for digests. What is no file is read there, and says why. */
  asked(): Digests {
    return {
      get: (path) => {
        const digest = kindOf(path) === 'file' ? this.of(path) : null;
        return digest === null ? undefined : Promise.resolve(digest);
      },
      set() {},
    };
  }

  /** Whether files hold what they held. */
  areStill(held: Held): boolean {
    for (const [path, digest] of held) if (this.of(path) !== digest) return false;
    return true;
  }
}

/** What files and folders hold, by their paths. */
export type Held = ReadonlyMap<string, string | null>;

/** Tells that a file was written, for less than a digest costs. */
export function stampOf(path: string): string | null {
  const stat = statOf(path);
  return stat && `${stat.dev} ${stat.ino} ${stat.size} ${stat.mtimeNs}`;
}

function listingOf(folder: string): string | null {
  try {
    return createHash('sha256')
      .update(JSON.stringify(filesBelow(folder)))
      .digest('hex');
  } catch {
    return null;
  }
}

function statOf(path: string): BigIntStats | null {
  try {
    return statSync(path, { bigint: true });
  } catch {
    return null;
  }
}

function digestOf(path: string): string | null {
  try {
    return fileDigest(path);
  } catch {
    return null;
  }
}
