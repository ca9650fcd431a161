/** Two large geometry images of which a check reads the tiles that it enters. */

import { type CountedSource, countReads } from '../containers/byte-source.ts';
import { isTiff } from '../containers/tiff-directory.ts';
import type { CheckOptions } from '../pair/check.ts';
import type { Report } from '../query/report.ts';
import type { Asset } from '../query/representation.ts';
import type { OpenedImage } from '../representations/gi/search/on-demand.ts';
import { fileSource, nodeInflate } from './file-source.ts';
import { about, type Session } from './session.ts';

/** Answers check after check of one pair of files. */
export interface Asker {
  ask(options: CheckOptions): Promise<Report>;
  /** What other threads can answer of from now on; null as long as only this one can. */
  whole?(): { a: Asset; b: Asset; loadMs: number } | null;
  close(): void;
}

/**
 * Below, and where the sphere page is one strip, an image is read whole: its pages are then held to their digests, for little more time. Processor
 * time of a process in ms, Node's own 64 left out, bunny and blob at a first contact, whole | by tiles (wall clock: bench/tiles-check.mjs):
 * 257: 149 | -; 513: 270 | 97; 1025: 690 | 113; 2049: 1,730 | 105; 4097: 8,460 | 124.
 */
const SMALLEST = 2 ** 21;

/**
 * What reading costs, in seconds a byte of pixels, by tiles or whole, and a pair of spheres that is tested by tiles: after as much work as reading
 * all of them is, a pair of images is read whole for the poses that are left, so that no number of poses takes more than twice the better way. Counted, not
 * clocked: the same poses give the same answers; which contact is met first may be another from then on.
 */
const READING = 8e-9;
const TESTING = 5e-8;

/**
 * Opens both files; null where either is no geometry image, is small, or cannot be read in parts.
 *
 * @param readWhole what answers after many poses
 */
export async function openPair(
  fileA: string,
  fileB: string,
  readWhole: () => Promise<Asker>,
  session: Session,
): Promise<Asker | null> {
  const start = performance.now();
  const sources: CountedSource[] = [];
  const close = (): void => {
    for (const source of sources) source.close?.();
  };
  try {
    const open = async (file: string): Promise<OpenedImage | null> => {
      const source = fileSource(file);
      if (source === null) return null;
      const counted = countReads(source);
      sources.push(counted);
      if (source.size < SMALLEST || !isTiff(await source.read(0, 8))) return null;
      const { openGeometryImage } = await import('../representations/gi/search/on-demand.ts');
      const image = await about(file, () => openGeometryImage(counted, { inflate: nodeInflate, name: file }));
      return image?.groups[0].spheres.page.tiled ? image : null;
    };
    const a = await open(fileA);
    const b = a && fileB !== fileA ? await open(fileB) : a;
    if (a === null || b === null) {
      close();
      return null;
    }
    const { checkOnDemand } = await import('../pair/open-image.ts');
    const openMs = performance.now() - start;
    const costOfAll = READING * (wholeBytesOf(a) + (a === b ? 0 : wholeBytesOf(b)));
    let bounds = 0;
    let whole: Asker | null = null;
    return {
      async ask(options) {
        const spent = TESTING * bounds + READING * (decodedBytesOf(a) + (a === b ? 0 : decodedBytesOf(b)));
        if (spent > costOfAll) whole ??= await readWhole();
        if (whole) return whole.ask(options);
        const report = await checkOnDemand(a, b, { ...options, loadMs: openMs });
        bounds += report.tests.bounds;
        return report;
      },
      whole: () => whole?.whole?.() ?? null,
      close() {
        for (const [i, { counts, size }] of sources.entries()) {
          const file = [fileA, fileB][i];
          session.log.info(`${file}: ${counts.bytes} of ${size} bytes in ${counts.reads} reads`);
        }
        close();
      },
    };
  } catch (error) {
    close();
    throw error;
  }
}

const wholeBytesOf = ({ store }: OpenedImage): number => store.wholeBytes;
const decodedBytesOf = ({ store }: OpenedImage): number => store.counts.decodedBytes;
