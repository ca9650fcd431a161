/** A geometry image to a multi-page TIFF and back; the bytes are described in FORMAT.md. */
import { sha256, sha256OfSamples } from '../../containers/hash.ts';
import type { Compression, PixelCodec, PixelPage } from '../../containers/pixels.ts';
import { asciiJson, isolatePage, joinPages, readDirectories, type TiffPage } from '../../containers/tiff.ts';
import { FormatError, OptionError } from '../../math/errors.ts';
import type { Decoded } from '../../query/representation.ts';
import { TOOL } from '../../version.ts';
import { exponentOf, type GeometryImage, type GiHeader, sizeOf } from './geometry-image.ts';
import { buildSphereTree, treeHeight, treeWidth } from './sphere-tree.ts';

const FORMAT_NAME = 'gicollide geometry image';
const FORMAT_VERSION = 1;

/**
 * Bytes of pixels that a file of so many bytes may ask for, so that a small one costs little time and memory: Deflate can be made to give
 * 1032 for one, LZW 2560. Our own under Deflate, all pages, 2049 x 2049: a box 19 for one; a flat sheet, the tightest there is, 130 (its
 * 1025 x 1025: 123, 513 x 513: 107).
 */
const maxDecodedBytes = (fileBytes: number): number => Math.min(2 ** 31, 2 ** 23 + 256 * fileBytes);

/** Levels of the JSON in a description; ours has three, and what walks it recurses. */
const MAX_LEVELS = 64;

export interface GiEncodeOptions {
  /** `deflate` by default. */
  compression?: Compression;
}

type PageRole = 'geometry' | 'normals' | 'spheres';

/** The JSON in the first page's ImageDescription. */
interface HeaderJson extends GiHeader {
  format: typeof FORMAT_NAME;
  version: number;
  /** Digest of each page's decoded samples, in the file's order of pages. */
  pages: { role: PageRole; sha256: string }[];
  size: number;
  origin: number[];
  step: number;
  radiusSteps: number[];
  /** Digest of the JSON text of everything above, as `JSON.stringify` writes it. */
  sha256: string;
}

export async function encodeGeometryImage(
  image: GeometryImage,
  codec: PixelCodec,
  options: GiEncodeOptions = {},
): Promise<Uint8Array> {
  const compression = options.compression ?? 'deflate';
  if (compression !== 'deflate' && compression !== 'lzw' && compression !== 'none') {
    throw new OptionError(`compression ${String(compression)}: expected deflate, lzw or none`);
  }
  const pages = pagesOf(image);
  const header: Omit<HeaderJson, 'sha256'> = {
    format: FORMAT_NAME,
    version: FORMAT_VERSION,
    ...image.header,
    options: { ...image.header.options, compression },
    size: sizeOf(image.exponent),
    origin: Array.from(image.origin),
    step: image.step,
    radiusSteps: Array.from(image.tree.radiusSteps),
    pages: await Promise.all(
      pages.map(async ({ role, page }) => ({ role, sha256: await sha256OfSamples(page.samples) })),
    ),
  };
  const encoded: Uint8Array[] = [];
  for (const { page } of pages) encoded.push(await codec.encode(page, compression));
  return joinPages(encoded, asciiJson({ ...header, sha256: await digestOf(header) }));
}

const digestOf = (header: object): Promise<string> => sha256(new TextEncoder().encode(JSON.stringify(header)));

function pagesOf(image: GeometryImage): { role: PageRole; page: PixelPage }[] {
  const side = sizeOf(image.exponent);
  const square = { width: side, height: side, channels: 3 as const };
  const tree = { width: treeWidth(image.exponent), height: treeHeight(image.exponent), channels: 4 as const };
  return [
    { role: 'geometry', page: { ...square, samples: image.geometry } },
    ...(image.normals ? [{ role: 'normals' as const, page: { ...square, samples: image.normals } }] : []),
    { role: 'spheres', page: { ...tree, samples: image.tree.page } },
  ];
}

/**
 * Reads a geometry image, ours or anybody's: a 16-bit RGB TIFF of 2^n + 1 by 2^n + 1 is one.
 *
 * A page is believed when the header names its digest and the decoded samples have it. Spheres that no header vouches for are
 * built anew, since a sphere that is too small would hide contacts.
 */
export async function decodeGeometryImage(bytes: Uint8Array, codec: PixelCodec): Promise<Decoded<GeometryImage>> {
  const directories = readDirectories(bytes, { maxDecodedBytes: maxDecodedBytes(bytes.length) });
  const first = directories[0];
  const exponent = exponentOf(first.width);
  if (exponent < 0 || first.height !== first.width || first.channels !== 3) {
    throw new FormatError(
      { byte: first.ifd },
      'a first page of 2^n + 1 by 2^n + 1 (17 to 8193) RGB samples',
      `${first.width} by ${first.height} by ${first.channels}`,
    );
  }
  const warnings: string[] = [];
  const json = parseDescription(first);
  const ours = first.description?.includes('gicollide') ? await readHeader(json, first, exponent, directories) : null;
  const read = async (role: PageRole, index: number): Promise<Uint16Array> => {
    const { samples } = await codec.decode(isolatePage(bytes, directories[index]));
    const stated = ours?.pages[index].sha256;
    if (stated !== undefined) {
      const found = await sha256OfSamples(samples);
      if (found !== stated) {
        throw new FormatError(
          { byte: directories[index].ifd },
          `a ${role} page with the digest its header states, ${asciiJson(stated.slice(0, 12)).slice(1, -1)}...`,
          `${found.slice(0, 12)}...: the page is damaged`,
        );
      }
    }
    return samples;
  };
  const geometry = await read('geometry', 0);
  if (ours) {
    const normals = ours.pages.findIndex((page) => page.role === 'normals');
    const image: GeometryImage = {
      representation: 'gi',
      exponent,
      origin: Float64Array.from(ours.origin),
      step: ours.step,
      geometry,
      normals: normals < 0 ? null : await read('normals', normals),
      tree: {
        page: await read(
          'spheres',
          ours.pages.findIndex((page) => page.role === 'spheres'),
        ),
        radiusSteps: Float64Array.from(ours.radiusSteps),
      },
      header: { tool: ours.tool, source: ours.source, units: ours.units, options: ours.options },
    };
    return { asset: image, warnings };
  }
  const grid = readPlainGrid(json, first, warnings);
  warnings.push('no sphere tree that a header vouches for: built on loading');
  const header = { tool: TOOL, source: null, units: null, options: {} };
  const tree = buildSphereTree(geometry, exponent, grid);
  return {
    asset: { representation: 'gi', exponent, ...grid, geometry, normals: null, tree, header },
    warnings,
  };
}

type Json = Record<string, unknown>;

function parseDescription(page: TiffPage): Json | null {
  if (page.description === null) return null;
  let value: unknown;
  try {
    value = JSON.parse(page.description);
  } catch {
    return null; // any text may stand in an ImageDescription
  }
  if (isDeeper(value, MAX_LEVELS)) {
    throw new FormatError({ byte: page.ifd }, `JSON of at most ${MAX_LEVELS} levels in the description`, 'more');
  }
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : null;
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1));
}

/** Lengths outside are refused: their squares leave the range of doubles. */
const isLength = (x: unknown): x is number => typeof x === 'number' && x >= 1e-110 && x <= 1e110;
const isCoordinate = (x: unknown): x is number => typeof x === 'number' && Math.abs(x) <= 1e110;
const isOrigin = (x: unknown): x is number[] => Array.isArray(x) && x.length === 3 && x.every(isCoordinate);

/** Farther from its origin of coordinates, an image's steps would vanish in the doubles; the builder keeps to this as well. */
function requireNear(origin: number[], step: number, place: { byte: number }): void {
  const far = origin.find((x) => Math.abs(x) > 2 ** 36 * 65536 * step);
  if (far !== undefined)
    throw new FormatError(place, `an origin within 2^36 extents of 0 for the step ${step}`, `${far}`);
}

/** A description that speaks of gicollide is our header or a damaged one, never somebody's text. */
async function readHeader(
  json: Json | null,
  page: TiffPage,
  exponent: number,
  directories: TiffPage[],
): Promise<HeaderJson> {
  const place = { byte: page.ifd };
  if (json === null || json.format !== FORMAT_NAME) {
    throw new FormatError(
      place,
      `a header of format "${FORMAT_NAME}"`,
      shorten(json === null ? page.description : json.format),
    );
  }
  const require = (condition: boolean, expected: string, found: unknown): void => {
    if (!condition) {
      throw new FormatError(place, `${expected} in the header`, shorten(found));
    }
  };
  require(json.version === FORMAT_VERSION, `version ${FORMAT_VERSION} (written by a newer gicollide?)`, json.version);
  require(json.size === sizeOf(exponent), `size ${sizeOf(exponent)}, the first page's,`, json.size);
  require(isOrigin(json.origin), 'origin, three coordinates,', json.origin);
  require(isLength(json.step), 'step, a length,', json.step);
  requireNear(json.origin as number[], json.step as number, place);
  const steps = json.radiusSteps;
  require(Array.isArray(steps) &&
    steps.length === exponent + 1 &&
    steps.every((s) => s === 0 || isLength(s)), `radiusSteps, ${exponent + 1} lengths,`, steps);
  require(isPageList(json.pages), 'pages with their roles and digests', json.pages);
  const pages = json.pages as HeaderJson['pages'];
  const roles = pages.map((p) => p.role).join(' ');
  require(roles === 'geometry normals spheres' ||
    roles === 'geometry spheres', 'the pages geometry, normals and spheres', roles);
  if (pages.length !== directories.length) {
    throw new FormatError(place, `the ${pages.length} pages that the header lists`, `${directories.length}`);
  }
  pages.forEach(({ role }, i) => {
    const { width, height, channels, ifd } = directories[i];
    const wanted = role === 'spheres' ? [treeWidth(exponent), treeHeight(exponent), 4] : [page.width, page.height, 3];
    if (width !== wanted[0] || height !== wanted[1] || channels !== wanted[2]) {
      throw new FormatError(
        { byte: ifd },
        `a ${role} page of ${wanted.join(' by ')}`,
        `${width} by ${height} by ${channels}`,
      );
    }
  });
  require(typeof json.tool === 'string', 'tool', json.tool);
  require(json.units === null || typeof json.units === 'string', 'units', json.units);
  require(json.source === null || isSource(json.source), 'source, a name and a digest,', json.source);
  require(isOptions(json.options), 'options', json.options);
  const { sha256: stated, ...rest } = json;
  const found = await digestOf(rest);
  require(stated === found, `the digest of its words, ${found.slice(0, 12)}...,`, stated);
  return json as unknown as HeaderJson;
}

function isPageList(value: unknown): boolean {
  return (
    Array.isArray(value) && value.every((page) => typeof page?.role === 'string' && typeof page?.sha256 === 'string')
  );
}

function isSource(value: unknown): boolean {
  const source = value as Json;
  return typeof source === 'object' && typeof source.name === 'string' && typeof source.sha256 === 'string';
}

function isOptions(value: unknown): boolean {
  return (
    typeof value === 'object' &&
    value !== null &&
    Object.values(value).every((option) => typeof option === 'string' || typeof option === 'number')
  );
}

/** In ASCII, since a message is one line, whatever a file holds. */
function shorten(value: unknown): string {
  const text = value === undefined ? 'nothing' : asciiJson(value);
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}

/** Origin and step of a foreign image: from a JSON description, else the unit cube. */
function readPlainGrid(json: Json | null, page: TiffPage, warnings: string[]) {
  if (json !== null && (json.origin !== undefined || json.step !== undefined)) {
    if (!isOrigin(json.origin) || !isLength(json.step)) {
      throw new FormatError(
        { byte: page.ifd },
        'origin, three coordinates, and step, a length, in the description',
        `${shorten(json.origin)} and ${shorten(json.step)}`,
      );
    }
    requireNear(json.origin, json.step, { byte: page.ifd });
    return { origin: Float64Array.from(json.origin), step: json.step };
  }
  warnings.push('no origin and step in ImageDescription: 0 and 1/65535 taken');
  return { origin: new Float64Array(3), step: 1 / 65535 };
}
