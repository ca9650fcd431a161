/**
 * Computes digests of files again only if a file may have changed, and keeps files of scenes in
 * memory while their content stays the same.
 */
import { createHash } from 'node:crypto';
import { type BigIntStats, statSync } from 'node:fs';
import { MadeAssets, type Source } from '../../scene/assets.ts';
import type { LoadMemory } from '../../scene/load.ts';
import { filesBelow, kindOf } from '../inputs/name.ts';
import { fileDigest, MOST_NAMED } from '../inputs/open.ts';
import type { Digests } from '../make/fresh.ts';

/** Nanoseconds in which a second change may have the same time: clocks are coarse (FAT: 2 s). */
const COARSE = 2_000_000_000n;
interface Known {
  stamp: string;
  digest: string;
}

export class FileDigests {
  private readonly known = new Map<string, Known>();

  /** Returns a file's SHA-256 in hexadecimal; for a folder the names below; null if missing. */
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
    // A referenced file may have any size; it is not read then.
    if (stat.size > MOST_NAMED) return `large ${stamp}`;
    const now = BigInt(Date.now()) * 1_000_000n;
    const digest = digestOf(path);
    if (digest !== null && stat.mtimeNs < now - COARSE) this.known.set(path, { stamp, digest });
    else this.known.delete(path);
    return digest;
  }

  /** Returns undefined for pipes and the like: their readers report errors. */
  asked(): Digests {
    return {
      get: (path) => {
        const digest = kindOf(path) === 'file' ? this.of(path) : null;
        return digest === null ? undefined : Promise.resolve(digest);
      },
      set() {},
    };
  }

  areStill(held: Held): boolean {
    for (const [path, digest] of held) if (this.of(path) !== digest) return false;
    return true;
  }
}

export type Held = ReadonlyMap<string, string | null>;

/** Returns a stamp that changes with each write, cheaper than a digest. */
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

export class SourceMemory {
  private readonly made = new MadeAssets();
  private readonly kept = new Map<string, { source: Source; held: Held }>();
  private readonly used = new Map<string, Set<string>>();

  constructor(private readonly digests: FileDigests) {}

  for(scene: string, recorder: FileRecorder): LoadMemory {
    const used = new Set<string>();
    this.used.set(scene, used);
    return {
      made: this.made,
      source: async (name, file, read) => {
        const key = JSON.stringify([name, file]);
        used.add(key);
        const before = this.kept.get(key);
        if (before && this.digests.areStill(before.held)) {
          recorder.add(before.held);
          return before.source;
        }
        const { result: source, held } = await recorder.during(read);
        // Keeps it only if these bytes were read, and no later ones.
        if ([...held.values()].includes(source.sha256)) this.kept.set(key, { source, held });
        else this.kept.delete(key);
        return source;
      },
    };
  }

  /** Drops entries that no scene uses. @param scenes that still exist */
  forgetUnused(scenes: ReadonlySet<string>): void {
    for (const scene of this.used.keys()) if (!scenes.has(scene)) this.used.delete(scene);
    const used = new Set([...this.used.values()].flatMap((keys) => [...keys]));
    for (const key of this.kept.keys()) if (!used.has(key)) this.kept.delete(key);
  }
}

/** Records the files that are read, with their content just before. */
export class FileRecorder {
  readonly held = new Map<string, string | null>();
  private recent = new Map<string, string | null>();

  constructor(private readonly digests: FileDigests) {}

  readonly opened = (path: string): void => {
    const digest = this.digests.of(path);
    this.held.set(path, digest);
    this.recent.set(path, digest);
  };

  /** Adds known files that are not read again. */
  add(held: Held): void {
    for (const [path, digest] of held) this.held.set(path, digest);
  }

  /** Returns the files read during `work`; one call at a time. */
  async during<T>(work: () => Promise<T>): Promise<{ result: T; held: Held }> {
    const recent = new Map<string, string | null>();
    this.recent = recent;
    return { result: await work(), held: recent };
  }
}
