/** Keeps files of scenes in memory while their content stays the same. */
import { MadeAssets, type Source } from '../../scene/assets.ts';
import type { LoadMemory } from '../../scene/load.ts';
import type { FileDigests, Held } from './digests.ts';

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
