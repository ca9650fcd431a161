/** Two large geometry images of which a check reads the tiles that it enters. */
import { nodeCodec, nodeInflate } from '../containers/pixels-node.ts';
import { isTiff } from '../containers/tiff-directory.ts';
import type { CheckOptions } from '../pair/options.ts';
import type { Report } from '../query/report.ts';
import type { Asset } from '../query/representation.ts';
import type { Input } from './file-source.ts';
import { about, type Session } from './inputs.ts';
import { type PairLabels, requireOneUnitOfPair, type UnitLabel, unitOf } from './units.ts';

export interface Asker {
  ask(options: CheckOptions): Report | Promise<Report>;
  /** Returns the assets if other threads can answer from now on; null while only this one can. */
  whole(): { a: Asset; b: Asset; loadMs: number } | null;
  close(): void;
}

/**
 * Smaller images, and images with a single strip for the sphere page, are read whole. Their pages
 * are then checked against digests for little more time. Measured: bunny and blob at a first
 * contact, CPU time of a process in ms without Node's own 64 (wall clock: bench/tiles-check.mjs):
 *
 *            257    513   1025   2049   4097
 *   whole    149    270    690  1,730  8,460
 *   tiles      -     97    113    105    124
 */
const SMALLEST = 2 ** 21;

/**
 * Opens both images; null if one is no geometry image, is small, or cannot be read in parts. Both
 * can then still be read whole.
 */
export async function openImages(
  inputA: Input,
  inputB: Input,
  labels: PairLabels,
  session: Session,
): Promise<Asker | null> {
  const start = performance.now();
  const closing = [inputA, inputB].map(
    ({ source }) =>
      () =>
        source?.close?.(),
  );
  const close = (): void => {
    for (const end of closing) end();
  };
  try {
    const open = async ({ path: file, source }: Input, label: UnitLabel | undefined) => {
      if (source === null) return null;
      if (source.size < SMALLEST || !isTiff(await source.read(0, 8))) return null;
      const { openImageBy } = await import('../pair/opened.ts');
      const options = { inflate: nodeInflate, name: file, units: label?.units };
      const image = await about(file, () => openImageBy(nodeCodec, source, options));
      await about(file, () => unitOf(image.header.units, label));
      closing.push(() => {
        const { bytes, reads } = image.counts;
        session.log.info(`${file}: ${bytes} of ${source.size} bytes in ${reads} reads`);
      });
      return image.isTiled ? image : null;
    };
    const a = await open(inputA, labels.a);
    const b = a && inputB !== inputA ? await open(inputB, labels.b) : a;
    if (a === null || b === null) return null;
    requireOneUnitOfPair(
      [inputA.path, unitOf(a.header.units, undefined)],
      [inputB.path, unitOf(b.header.units, undefined)],
    );
    const { openPairOfImages } = await import('../pair/opened.ts');
    const pair = openPairOfImages(a, b, { readsWhenItPays: true });
    const loadMs = performance.now() - start;
    return {
      ask: (options) => pair.report({ ...options, loadMs }),
      whole: () => pair.whole(),
      close,
    };
  } catch (error) {
    close();
    throw error;
  }
}
