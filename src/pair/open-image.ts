/** Geometry images that are opened, not read: a check of two reads the tiles that it enters. */

import { type ByteSource, countReads } from '../containers/byte-source.ts';
import type { PixelCodec } from '../containers/pixels.ts';
import type { Report, Tolerance } from '../query/report.ts';
import type { Asset, Decoded } from '../query/representation.ts';
import { requireSameUnits } from '../query/units.ts';
import { decodeGeometryImage } from '../representations/gi/format/codec.ts';
import { type OpenedImage, openGeometryImage } from '../representations/gi/search/on-demand.ts';
import { checkOpenedImages } from '../representations/gi/search/on-demand-check.ts';
import type { GeometryImage, GiHeader } from '../representations/gi/tree/geometry-image.ts';
import { addTolerances, type CheckOptions, check, isAnsweredByTiles, queryOf, round } from './check.ts';

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
   * Whether it is read in parts. Images by others, whose tree must be built, and such as are not compressed by Deflate, whose tiles have no
   * checksums, were read whole when they were opened.
   */
  isOnDemand: boolean;
  /** What was read so far: reads, bytes, and tiles that were decoded. */
  readonly counts: { reads: number; bytes: number; tiles: number };
  /**
   * `check`, of this as a: the same report, `ms.load` with the time that tiles took. What takes more than tiles (clearance, distance, budget,
   * level, source, lod, contactPoints, path, or another kind of asset) reads the images whole, once. Several checks may run at a time.
   *
   * @throws OptionError as `check` does; FormatError for damage in what was entered; InputError when it cannot be read
   */
  check(other: OpenImage | Asset, options?: CheckOptions): Promise<Report>;
  /** The image as `read` gives it, all its pages held to their digests; read once. */
  read(): Promise<Decoded<GeometryImage>>;
  /** Lets go of the file. */
  close(): Promise<void>;
}

/** The report of two opened images. */
export async function checkOnDemand(a: OpenedImage, b: OpenedImage, options: CheckOptions): Promise<Report> {
  requireSameUnits(a.outline.header.units, b.outline.header.units);
  const query = queryOf(a.outline, b.outline, options);
  const start = performance.now();
  const { outcome, tilesMs } = await checkOpenedImages(a, b, query);
  const ms = performance.now() - start;
  return {
    verdict: outcome.verdict,
    a: { file: options.fileA ?? null, representation: 'gi' },
    b: { file: options.fileB ?? null, representation: 'gi' },
    path: 'native',
    tolerance: addTolerances(a.outline.tolerance, b.outline.tolerance),
    contacts: outcome.contacts,
    distance: null,
    witness: null,
    bracket: null,
    level: outcome.level,
    tests: outcome.tests,
    ms: { load: round((options.loadMs ?? 0) + tilesMs), query: round(ms - tilesMs) },
  };
}

const openedImages = new WeakMap<OpenImage, OpenedImage>();

/** See `openImage` of createLibrary. */
export async function openImageBy(
  codec: PixelCodec,
  source: ByteSource,
  options: OpenImageOptions = {},
): Promise<OpenImage> {
  const counted = countReads(source);
  const opened = await openGeometryImage(counted, options);
  let whole: Promise<Decoded<GeometryImage>> | null = null;
  const read = (): Promise<Decoded<GeometryImage>> => {
    whole ??= counted
      .read(0, counted.size)
      .then((bytes) => decodeGeometryImage(bytes, codec))
      .catch((error: unknown) => {
        whole = null; // what failed may be tried again
        throw error;
      });
    return whole;
  };
  const { header, tolerance } = opened?.outline ?? (await read()).asset;
  const image: OpenImage = {
    representation: 'gi',
    header,
    tolerance,
    isOnDemand: opened !== null,
    get counts() {
      return { ...counted.counts, tiles: opened?.store.counts.decoded ?? 0 };
    },
    async check(other, wanted = {}) {
      const openedOther = openedImages.get(other as OpenImage);
      if (opened && openedOther && isAnsweredByTiles(wanted)) return checkOnDemand(opened, openedOther, wanted);
      const start = performance.now();
      const { asset } = await read();
      const otherAsset = isOpenImage(other) ? (await other.read()).asset : other;
      const loadMs = (wanted.loadMs ?? 0) + performance.now() - start;
      return check(asset, otherAsset, { ...wanted, loadMs });
    },
    read,
    async close() {
      await counted.close?.();
    },
  };
  if (opened) openedImages.set(image, opened);
  return image;
}

const isOpenImage = (asset: OpenImage | Asset): asset is OpenImage => 'isOnDemand' in asset;
