/** Opens and loads the two inputs of a check; of two large geometry images it reads tiles alone. */

import { InputError } from '../../base/errors.ts';
import type { ReadOptions } from '../../containers/blob.ts';
import { boundsOf } from '../../engine/bounds.ts';
import type { CheckOptions } from '../../engine/options.ts';
import type { Report } from '../../engine/records.ts';
import type { Asset } from '../../engine/representation.ts';
import { kindNamed, representationOf } from '../../representations/kinds.ts';
import { about, type Session } from '../session.ts';
import {
  labelsOf,
  type PairLabels,
  type PairUnits,
  requireOneUnitOfPair,
  sizeOf,
  sizeWarning,
  type UnitLabel,
  unitOf,
} from '../units.ts';
import { loadAsset } from './load.ts';
import { isSameFile, kindOf, nameOf } from './name.ts';
import { type Input, openGiven } from './open.ts';

export interface InputPair {
  a: Input;
  /** The same as `a` if a file is checked against itself: a pipe gives its bytes once. */
  b: Input;
  labels: PairLabels;
}

export function openBoth(
  [fileA, fileB]: readonly [string, string],
  flags: PairUnits & { units?: string | undefined },
  session: Session,
): InputPair {
  for (const file of [fileA, fileB])
    if (kindOf(file) === 'folder')
      throw new InputError(`${file}: it is a folder; gicollide scene checks the files of a folder`);
  const a = openGiven(fileA, session);
  const isOne = isSameFile(fileA, fileB);
  const b = isOne ? a : openGiven(fileB, session);
  return { a, b, labels: labelsOf(flags, { isSameFile: isOne }) };
}

/** @throws OptionError if only one file records a unit, or they differ */
export async function loadBoth(
  { a, b, labels }: InputPair,
  session: Session,
  options: ReadOptions = {},
): Promise<[Asset, Asset]> {
  const { asset } = await loadAsset(a, session, labels.a, options);
  const { asset: other } = b === a ? { asset } : await loadAsset(b, session, labels.b, options);
  const told = ({ path }: Input, own: Asset) => [nameOf(path, session), representationOf(own).units(own)] as const;
  requireOneUnitOfPair(told(a, asset), told(b, other));
  if (!told(a, asset)[1]) {
    const size = (own: Asset): number => {
      const { low, high } = boundsOf(own);
      return sizeOf([...low, ...high]);
    };
    const warning = sizeWarning([
      [nameOf(a.path, session), size(asset)],
      [nameOf(b.path, session), size(other)],
    ]);
    if (warning !== null) session.log.warn(warning);
  }
  return [asset, other];
}

export interface Asker {
  ask(options: CheckOptions): Report | Promise<Report>;
  /** Unit of both assets, if it is known. */
  readonly units: string | null;
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
export async function openImages({ a: inputA, b: inputB, labels }: InputPair, session: Session): Promise<Asker | null> {
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
      if (source.size < SMALLEST || !kindNamed('gi').sniff(await source.read(0, 8))) return null;
      const [{ openImageBy }, { nodeCodec, nodeInflate }] = await Promise.all([
        import('../../representations/opened.ts'),
        import('../../containers/pixels-node.ts'),
      ]);
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
    requireOneUnitOfPair([inputA.path, a.header.units], [inputB.path, b.header.units]);
    const { openPairOfImages } = await import('../../representations/opened.ts');
    const pair = openPairOfImages(a, b, { readsWhenItPays: true });
    const loadMs = performance.now() - start;
    return {
      ask: (options) => pair.report({ ...options, loadMs }),
      units: a.header.units,
      whole: () => pair.whole(),
      close,
    };
  } catch (error) {
    close();
    throw error;
  }
}
