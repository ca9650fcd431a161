/** Geometry images opened by tiles: a check of two reads only the tiles that it enters. */

import { FormatError, InputError } from '../base/errors.ts';
import { requireOptionTypes, requireThat } from '../base/require.ts';
import { type ByteSource, countReads } from '../containers/byte-source.ts';
import type { PixelCodec } from '../containers/pixels.ts';
import { type CheckOptions, isAnsweredByTiles, queryOf } from '../engine/options.ts';
import { openPair, type Pair } from '../engine/prepared.ts';
import type { Report, Tolerance } from '../engine/records.ts';
import { type Answer, addTolerances, reportOf, TOUCHING } from '../engine/report.ts';
import type { Asset, Decoded } from '../engine/representation.ts';
import { requireSameUnits } from '../engine/units.ts';
import { decodeGeometryImage } from './gi/format/codec.ts';
import { meansOfSpheres, requireBounds } from './gi/search/descent.ts';
import { checkOpenedImages, type OpenedImage, type OpenOptions, openGeometryImage } from './gi/search/on-demand.ts';
import { subsampledPages } from './gi/search/pages.ts';
import type { GeometryImage, GiHeader } from './gi/tree/geometry-image.ts';
import { isOneScale } from './gi/tree/grid.ts';
import { lodWithin, requireLod, toleranceOf } from './gi/tree/subsample.ts';

export interface OpenImageOptions {
  /** Bytes of decoded tiles kept from one check to the next. Default: 128 MiB. */
  cacheBytes?: number;
}

/** A geometry image whose tiles are read when a check enters them. */
export interface OpenImage {
  representation: 'gi';
  header: GiHeader;
  tolerance: Tolerance;
  /**
   * True if it is read in parts. Images by other programs, whose tree must be built, and images
   * without Deflate, whose tiles have no checksums, are read whole on opening.
   */
  isOnDemand: boolean;
  /** True if its pages are in tiles. Pages of smaller images are one strip. */
  isTiled: boolean;
  /** Reads, bytes and decoded tiles so far. */
  readonly counts: { reads: number; bytes: number; tiles: number };
  /**
   * Checks this image as a. The report is that of `check`. Its `ms.load` is the time to read tiles,
   * which counts toward a budget. Questions that tiles can't answer (clearance, distance, source,
   * contactPoints, patches, path, other kinds of asset) read both images whole, once. Checks may
   * run concurrently.
   *
   * @throws OptionError as `check` does; FormatError for damage in the parts that were entered;
   *   InputError if the image cannot be read
   */
  check(other: OpenImage | Asset, options?: CheckOptions): Promise<Report>;
  /** Reads the image as `read` gives it, once; all its pages are checked against their digests. */
  read(): Promise<Decoded<GeometryImage>>;
  /** Closes the file. */
  close(): Promise<void>;
}

type ReaderOptions = OpenImageOptions &
  Pick<OpenOptions, 'inflate' | 'name'> & {
    units?: string | undefined;
  };

const openedImages = new WeakMap<OpenImage, OpenedImage>();

export async function openImageBy(
  codec: PixelCodec,
  source: ByteSource,
  options: ReaderOptions = {},
): Promise<OpenImage> {
  const isSource = typeof (source as ByteSource | null)?.read === 'function' && source.size >= 0;
  requireThat(isSource, 'source', 'a size and a read function', source);
  requireOptionTypes(options, { cacheBytes: 'number', inflate: 'any', name: 'string', units: 'string' });
  const counted = countReads(source);
  const opened = await openGeometryImage(counted, options);
  const { units = null } = options;
  let whole: Promise<Decoded<GeometryImage>> | null = null;
  const read = (): Promise<Decoded<GeometryImage>> => {
    whole ??= counted
      .read(0, counted.size)
      .then((bytes) => decodeGeometryImage(bytes, codec))
      .then((decoded) => {
        decoded.asset.header.units ||= units;
        return decoded;
      })
      .catch((error: unknown) => {
        whole = null; // what failed may be tried again
        const isUnnamed = error instanceof FormatError && options.name !== undefined;
        throw isUnnamed ? new InputError(error.describe(options.name as string)) : error;
      });
    return whole;
  };
  const { header, tolerance } = opened?.outline ?? (await read()).asset;
  header.units ||= units;
  const image: OpenImage = {
    representation: 'gi',
    header,
    tolerance,
    isOnDemand: opened !== null,
    isTiled: opened?.groups[0].spheres.page.tiled ?? false,
    get counts() {
      return { ...counted.counts, tiles: opened?.store.counts.decoded ?? 0 };
    },
    check: (other, wanted) => openPairOfImages(image, other).report(wanted),
    read,
    async close() {
      await counted.close?.();
    },
  };
  if (opened) openedImages.set(image, opened);
  return image;
}

const isOpenImage = (asset: OpenImage | Asset): asset is OpenImage => 'isOnDemand' in asset;

interface OpenedPair {
  report(options?: CheckOptions): Promise<Report>;
  whole(): { pair: Pair; a: Asset; b: Asset; loadMs: number } | null;
}

interface OpenedPairOptions {
  /** Reads both images whole once questions by tiles have cost as much as that. */
  readsWhenItPays?: boolean;
}

/**
 * Seconds to read a byte of pixels, and to test a pair of spheres by tiles. Once tiles have cost as
 * much as reading both images, they may be read whole: never more than twice the better way.
 * Counted, not clocked: the same poses give the same answers.
 */
const READING = 8e-9;
const TESTING = 5e-8;

export function openPairOfImages(
  a: OpenImage | Asset,
  b: OpenImage | Asset,
  { readsWhenItPays = false }: OpenedPairOptions = {},
): OpenedPair {
  const [openedA, openedB] = [a, b].map((side) => (isOpenImage(side) ? openedImages.get(side) : undefined));
  let whole: { pair: Pair; a: Asset; b: Asset; loadMs: number } | null = null;
  let bounds = 0;
  const readWhole = async (): Promise<NonNullable<typeof whole>> => {
    const start = performance.now();
    const assetOf = async (side: OpenImage | Asset) => (isOpenImage(side) ? (await side.read()).asset : side);
    const [assetA, assetB] = [await assetOf(a), await assetOf(b)];
    return { pair: openPair(assetA, assetB), a: assetA, b: assetB, loadMs: performance.now() - start };
  };
  const hasPaid = (): boolean => {
    if (!readsWhenItPays || !openedA || !openedB) return false;
    const both = openedA === openedB ? [openedA] : [openedA, openedB];
    const decoded = both.reduce((sum, { store }) => sum + store.counts.decodedBytes, 0);
    const all = both.reduce((sum, { store }) => sum + store.wholeBytes, 0);
    return TESTING * bounds + READING * decoded > READING * all;
  };
  return {
    async report(options = {}) {
      if (openedA && openedB && !whole && areTilesEnough(openedA, openedB, options) && !hasPaid()) {
        const report = await reportByTiles(openedA, openedB, options);
        bounds += report.tests.bounds;
        return report;
      }
      const found = whole ?? (await readWhole());
      const loadMs = (options.loadMs ?? 0) + (whole ? 0 : found.loadMs);
      whole = found;
      return found.pair.report({ ...options, loadMs });
    },
    whole: () => whole,
  };
}

/** Stored distances answer for sources, and the slabs in the files for levels. */
const areTilesEnough = (a: OpenedImage, b: OpenedImage, options: CheckOptions): boolean =>
  isAnsweredByTiles(options) &&
  (!options.source || (a.hasDeviations && b.hasDeviations)) &&
  (options.level === undefined || options.bounds !== undefined || !(a.makesSlabs || b.makesSlabs)) &&
  [a, b].every((image) => isCoarsenedByTiles(image, options));

/**
 * Charts that lose samples are stitched together, which needs all their rims. Radii on one scale
 * need all pixels of a level for its largest.
 */
const isCoarsenedByTiles = ({ outline, groups }: OpenedImage, { lod, maxError }: CheckOptions): boolean =>
  (outline.charts === 1 && !isOneScale(groups[0].radiusSteps)) ||
  (maxError === undefined && (lod ?? groups[0].exponent) >= groups[0].exponent);

function coarserOpened(image: OpenedImage, { lod, maxError }: CheckOptions): OpenedImage {
  if (lod === undefined && maxError === undefined) return image;
  const m = lod ?? lodWithin(image.groups[0], maxError);
  requireLod(m);
  if (m >= image.groups[0].exponent) return image;
  const tolerance = toleranceOf(image.groups[0], m, image.outline.tolerance);
  return { ...subsampledPages(image, m), outline: { ...image.outline, tolerance } };
}

async function reportByTiles(a: OpenedImage, b: OpenedImage, options: CheckOptions): Promise<Report> {
  requireSameUnits(a.outline.header.units, b.outline.header.units);
  if (options.bounds !== undefined) requireBounds(options.bounds);
  const query = queryOf(options);
  const start = performance.now();
  if (options.budget !== undefined) query.deadline = start + options.budget;
  const [askedA, askedB] = [coarserOpened(a, options), coarserOpened(b, options)];
  const { source = false } = options;
  const means = options.bounds && meansOfSpheres(query);
  const { outcome, tilesMs } = await checkOpenedImages(askedA, askedB, query, { ofSources: source, means });
  const ms = performance.now() - start;
  const isTouching = options.budget !== undefined && outcome.verdict === 'contact';
  const answer: Answer = { outcome, engine: 'tiles', nearest: isTouching ? TOUCHING : null };
  const loadMs = (options.loadMs ?? 0) + tilesMs;
  return reportOf(answer, { ...options, loadMs }, a.outline, b.outline, {
    tolerance: addTolerances(askedA.outline.tolerance, askedB.outline.tolerance),
    distance: false,
    queryMs: ms - tilesMs,
  });
}
