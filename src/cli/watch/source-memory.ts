/** Files of scenes that were read before, for as long as they hold what they held. */
import { MadeAssets, type Source } from '../../scene/assets.ts';
import type { LoadMemory } from '../../scene/load.ts';
import type { FileDigests, Held } from './digests.ts';

/** Shared by all scenes of a watch. */
export class SourceMemory {
  private readonly made = new MadeAssets();
  private readonly kept = new Map<string, { source: Source; held: Held }>();
  /** Which of these each scene has asked for. */
  private readonly used = new Map<string, Set<string>>();

  constructor(private readonly digests: FileDigests) {}

  /** What one load of a scene takes and leaves. */
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
        // These bytes were read, and not others that came meanwhile.
        if ([...held.values()].includes(source.sha256)) this.kept.set(key, { source, held });
        else this.kept.delete(key);
        return source;
      },
    };
  }

  /** Forgets what no scene has asked for. @param scenes that there are still */
  forgetUnused(scenes: ReadonlySet<string>): void {
    for (const scene of this.used.keys()) if (!scenes.has(scene)) this.used.delete(scene);
    const used = new Set([...this.used.values()].flatMap((keys) => [...keys]));
    for (const key of this.kept.keys()) if (!used.has(key)) this.kept.delete(key);
  }
}

/** Writes down which files are read, and what they hold just before. */
export class FileRecorder {
  readonly held = new Map<string, string | null>();
  private recent = new Map<string, string | null>();

  constructor(private readonly digests: FileDigests) {}

  readonly opened = (path: string): void => {
    const digest = this.digests.of(path);
    this.held.set(path, digest);
    this.recent.set(path, digest);
  };

  /** What is not read again, since it is known. */
  add(held: Held): void {
    for (const [path, digest] of held) this.held.set(path, digest);
  }

  /** What was read while something is done; one at a time. */
  async during<T>(work: () => Promise<T>): Promise<{ result: T; held: Held }> {
    const recent = new Map<string, string | null>();
    this.recent = recent;
    return { result: await work(), held: recent };
  }
}
