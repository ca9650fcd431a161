/** Geometry images that are opened, not read: a check of two reads the tiles that it enters. */
import { type ByteSource, countReads } from '../containers/byte-source.ts';
import type { PixelCodec } from '../containers/pixels.ts';
import { FormatError, InputError } from '../math/errors.ts';
import { requireOptions, requireThat } from '../math/require.ts';
import type { Report, Tolerance } from '../query/report.ts';
import type { Asset, Decoded } from '../query/representation.ts';
import { requireSameUnits } from '../query/units.ts';
import { decodeGeometryImage } from '../representations/gi/format/codec.ts';
import { type OpenedImage, type OpenOptions, openGeometryImage } from '../representations/gi/search/on-demand.ts';
import { checkOpenedImages } from '../representations/gi/search/on-demand-check.ts';
import { subsampledPages } from '../representations/gi/search/pages.ts';
import type { GeometryImage, GiHeader } from '../representations/gi/tree/geometry-image.ts';
import { lodWithin, requireLod, toleranceOf } from '../representations/gi/tree/subsample.ts';
import { type CheckOptions, isAnsweredByTiles, queryOf } from './options.ts';
import { openPair, type Pair } from './pair.ts';
import { type Answer, addTolerances, reportOf, TOUCHING } from './report.ts';

export interface OpenImageOptions {
  /** Bytes of decoded tiles that are kept from one check to the next; 128 MiB by default. */
  cacheBytes?: number;
}

/** A geometry image whose tiles are read when a check enters them. */
export interface OpenImage {
  representation: 'gi';
  header: GiHeader;
  tolerance: Tolerance;
  /**
   * Whether it is read in parts. Two sorts were read whole when they were opened: images by others,
   * whose tree must be built, and images without Deflate, whose tiles have no checksums.
   */
  isOnDemand: boolean;
  /**
   * Whether its pages are in tiles, so that a check of a large image reads little of it; pages of
   * smaller ones are one strip.
   */
  isTiled: boolean;
  /** What was read so far: reads, bytes, and tiles that were decoded. */
  readonly counts: { reads: number; bytes: number; tiles: number };
  /**
   * `check`, of this as a: the same report, `ms.load` with the time that tiles took, which counts
   * for a budget. What takes more than tiles (clearance, distance, source, contactPoints, patches, path, or
   * another kind of asset) reads the images whole, once. Several checks may run at a time.
   *
   * @throws OptionError as `check` does; FormatError for damage in what was entered; InputError
   *   when it cannot be read
   */
  check(other: OpenImage | Asset, options?: CheckOptions): Promise<Report>;
  /** The image as `read` gives it, all its pages held to their digests; read once. */
  read(): Promise<Decoded<GeometryImage>>;
  /** Lets go of the file. */
  close(): Promise<void>;
}

/** What an image is opened with in Node: how its tiles are inflated, and its name for messages. */
export type ReaderOptions = OpenImageOptions &
  Pick<OpenOptions, 'inflate' | 'name'> & {
    /** The unit of its coordinates, if it records none. */
    units?: string | undefined;
  };

const openedImages = new WeakMap<OpenImage, OpenedImage>();

/** See `openImage` of index.ts. */
export async function openImageBy(
  codec: PixelCodec,
  source: ByteSource,
  options: ReaderOptions = {},
): Promise<OpenImage> {
  const isSource = typeof (source as ByteSource | null)?.read === 'function' && source.size >= 0;
  requireThat(isSource, 'source', 'a size and a read function', source);
  requireOptions(options);
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

/** A pair where one side or both are images that are opened. */
export interface OpenedPair {
  /** What `check` answers, by tiles where these are enough. */
  report(options?: CheckOptions): Promise<Report>;
  /** The pair read whole, and how long that took in milliseconds; null as long as tiles answer. */
  whole(): { pair: Pair; a: Asset; b: Asset; loadMs: number } | null;
}

export interface OpenedPairOptions {
  /**
   * Whether a pair that has been asked as much as reading it costs is read whole for the questions
   * that are left.
   */
  readsWhenItPays?: boolean;
}

/**
 * Seconds: reading a byte of pixels, by tiles or whole, and testing a pair of spheres by tiles.
 * After as much work as reading both images would be, they may be read whole. So no number of poses
 * takes more than twice the better way. Counted, not clocked: the same poses give the same answers.
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

/**
 * Of sources, where no more is kept of them than how far they may be from each node; of a level,
 * where its verdict is that of the slabs in the files.
 */
const areTilesEnough = (a: OpenedImage, b: OpenedImage, options: CheckOptions): boolean =>
  isAnsweredByTiles(options) &&
  (!options.source || (a.hasDeviations && b.hasDeviations)) &&
  (options.level === undefined || !(a.makesSlabs || b.makesSlabs)) &&
  [a, b].every((image) => isCoarsenedByTiles(image, options));

/** Charts that lose samples are stitched together, which takes all their rims. */
const isCoarsenedByTiles = ({ outline, groups }: OpenedImage, { lod, maxError }: CheckOptions): boolean =>
  outline.charts === 1 || (maxError === undefined && (lod ?? groups[0].exponent) >= groups[0].exponent);

/** An opened image as coarse as is asked for, on the tiles that it has. */
function coarserOpened(image: OpenedImage, { lod, maxError }: CheckOptions): OpenedImage {
  if (lod === undefined && maxError === undefined) return image;
  const m = lod ?? lodWithin(image.groups[0], maxError);
  requireLod(m);
  if (m >= image.groups[0].exponent) return image;
  const tolerance = toleranceOf(image.groups[0], m, image.outline.tolerance);
  return { ...subsampledPages(image, m), outline: { ...image.outline, tolerance } };
}

/** Of two images by the tiles that the search enters. */
async function reportByTiles(a: OpenedImage, b: OpenedImage, options: CheckOptions): Promise<Report> {
  requireSameUnits(a.outline.header.units, b.outline.header.units);
  const query = queryOf(options);
  const start = performance.now();
  if (options.budget !== undefined) query.deadline = start + options.budget;
  const [askedA, askedB] = [coarserOpened(a, options), coarserOpened(b, options)];
  const { source = false } = options;
  const { outcome, tilesMs } = await checkOpenedImages(askedA, askedB, query, source);
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
