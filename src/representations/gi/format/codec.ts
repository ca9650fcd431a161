/**
 * Encodes a geometry image as a multi-page TIFF, if wanted with its source's triangles, and decodes
 * it; FORMAT.md describes the bytes.
 */
import { FormatError, OptionError } from '../../../base/errors.ts';
import { type ReadOptions, readBlob, sectionOf, writeBlob } from '../../../containers/blob.ts';
import { memorySource } from '../../../containers/byte-source.ts';
import { sha256, sha256OfSamples } from '../../../containers/hash.ts';
import { meshSections, narrowPositions, readMesh } from '../../../containers/mesh-sections.ts';
import type { Compression, PixelCodec, PixelPage } from '../../../containers/pixels.ts';
import { firstPageOf, isOurs, readDirectories, type TiffPage } from '../../../containers/tiff-directory.ts';
import { asciiJson, isolatePage, joinPages } from '../../../containers/tiff-writer.ts';
import type { Tolerance } from '../../../engine/records.ts';
import type { Codec, Decoded } from '../../../engine/representation.ts';
import { TOOL } from '../../../version.ts';
import {
  assembleImage,
  type ChartGroup,
  type EmbeddedSource,
  exponentOf,
  type GeometryImage,
  type GiHeader,
  LARGEST_EXPONENT,
} from '../tree/geometry-image.ts';
import { type Grid, padSquare, type SphereTree, sizeOf, treePixels } from '../tree/grid.ts';
import { buildSlabs, makeSlabs, withSlabs } from '../tree/slab-tree.ts';
import { buildSphereTree, buildTreesOfGroups } from '../tree/sphere-tree.ts';
import {
  inFileOrder,
  oddRoles,
  type PageRole,
  packCharts,
  packedSize,
  requirePages,
  rolesOf,
  shapeOf,
  unpackCharts,
} from './pages.ts';

const FORMAT_NAME = 'gicollide geometry image';
export const FORMAT_VERSION = 4;
/** Version 3 had spheres in every file, version 2 no slabs, version 1 one chart. */
const WITH_SLABS = 3;
const ONE_CHART = 1;
/** Node and triangle numbers have 31 bits. */
const MOST_PIXELS = 2 ** 30;

/**
 * Most bytes of pixels for a file of this size, so that a small file costs little time and memory:
 * Deflate can expand a byte to 1032, LZW to 2560. Our tightest file, a flat sheet with all pages
 * under Deflate, reaches 163 at 2049 x 2049 (1025 x 1025: 153, 513 x 513: 136). All pages of the
 * largest image, of 8193 x 8193, are 2.6e9.
 */
export const maxDecodedBytes = (fileBytes: number): number => Math.min(2 ** 32, 2 ** 23 + 256 * fileBytes);

/** Levels of a description's JSON; ours has three, and its walkers recurse. */
const MAX_LEVELS = 64;

export interface GiEncodeOptions {
  /** `deflate` by default. */
  compression?: Compression;
  /**
   * Pages of the file, including `geometry`; by default all that the image has. Missing spheres and
   * slabs are built again when the file is read. Missing normals and deviations stay missing; then
   * the bound of the whole image answers for its source.
   */
  pages?: readonly PageRole[];
}

/** The JSON in the first page's ImageDescription. */
export interface HeaderJson extends GiHeader {
  format: typeof FORMAT_NAME;
  version: number;
  origin: number[];
  step: number;
  /** Largest charts first; each group has a page of every role. */
  groups: { size: number; charts: number; radiusSteps?: number[]; deviationStep?: number }[];
  tolerance?: Tolerance;
  /** Digest of each page's decoded samples, in the file's order: group by group. */
  pages: { role: PageRole; sha256: string }[];
  /** Digest of the source's triangles, in the file's private tag. */
  embedded?: { sha256: string };
  /** Digest of everything above, in the JSON text of `JSON.stringify`. */
  sha256: string;
}

export const giCodec: Codec<GeometryImage> = { encode: encodeGeometryImage, decode: decodeGeometryImage };

export async function encodeGeometryImage(
  image: GeometryImage,
  codec: PixelCodec,
  options: GiEncodeOptions = {},
): Promise<Uint8Array> {
  const compression = options.compression ?? 'deflate';
  if (compression !== 'deflate' && compression !== 'lzw' && compression !== 'none') {
    throw new OptionError(`compression ${String(compression)}: expected deflate, lzw or none`);
  }
  const roles = rolesToWrite(image, options.pages);
  const pages = pagesOf(image, roles);
  const attachment = image.source && (await encodeSource(image.source));
  const header: Omit<HeaderJson, 'sha256'> = {
    format: FORMAT_NAME,
    version: FORMAT_VERSION,
    ...image.header,
    options: writtenOptions(image.header.options, compression, options.pages && roles),
    origin: Array.from(image.origin),
    step: image.step,
    tolerance: image.tolerance,
    groups: image.groups.map(({ exponent, count, tree, deviation }) => ({
      size: sizeOf(exponent),
      charts: count,
      ...(roles.includes('spheres') && { radiusSteps: Array.from(tree.radiusSteps) }),
      ...(deviation && roles.includes('deviation') && { deviationStep: deviation.step }),
    })),
    pages: await Promise.all(
      pages.map(async ({ role, page }) => ({ role, sha256: await sha256OfSamples(page.samples) })),
    ),
    ...(attachment && { embedded: { sha256: await sha256(attachment) } }),
  };
  const encoded: Uint8Array[] = [];
  for (const { page } of pages) encoded.push(await codec.encode(page, compression));
  const file = joinPages(encoded, asciiJson({ ...header, sha256: await digestOf(header) }), attachment);
  if (options.pages) requireReadable(file, header, roles);
  return file;
}

/** A sheet's geometry alone may be so few bytes that every reader refuses it. */
function requireReadable(file: Uint8Array, { groups }: Pick<HeaderJson, 'groups'>, roles: readonly PageRole[]): void {
  try {
    const directories = readDirectories(file, { maxDecodedBytes: maxDecodedBytes(file.length) });
    if (!roles.includes('spheres')) requireRoom(groups, file.length, directories[0]);
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    throw new OptionError(
      `pages ${roles.join(',')}: expected ${error.expected}, found ${error.found}: write more pages`,
    );
  }
}

const digestOf = (header: object): Promise<string> => sha256(new TextEncoder().encode(JSON.stringify(header)));

function rolesToWrite(image: GeometryImage, asked: readonly PageRole[] | undefined): PageRole[] {
  const known = rolesOf(image);
  const roles = asked === undefined ? known : requirePages(asked, { keepsSource: image.source !== null });
  const missing = roles.find((role) => !known.includes(role));
  if (missing) throw new OptionError(`pages ${roles.join(',')}: the image has no ${missing}`);
  return roles;
}

/** The build options; `pages` only if they were chosen. */
function writtenOptions(
  { pages: _, ...built }: GiHeader['options'],
  compression: Compression,
  pages: readonly PageRole[] | undefined,
): GiHeader['options'] {
  return { ...built, compression, ...(pages && { pages: pages.join(',') }) };
}

const pagesOf = ({ groups }: GeometryImage, roles: readonly PageRole[]): { role: PageRole; page: PixelPage }[] =>
  groups.flatMap(({ geometry, normals, tree, deviation, count, exponent }) => {
    const samplesOf = { geometry, normals, spheres: tree.page, deviation: deviation?.page, slabs: tree.slabs };
    return roles.map((role) => ({ role, page: packCharts(samplesOf[role]!, count, shapeOf(role, exponent)) }));
  });

/**
 * Reads a geometry image, our own or any other: a 16-bit RGB page is padded to a square of 2^n + 1
 * samples per side.
 *
 * A page is trusted if the header has the digest of its samples. Other spheres are built again,
 * since a sphere that is too small would hide contacts.
 */
export async function decodeGeometryImage(
  bytes: Uint8Array,
  codec: PixelCodec,
  options: ReadOptions = {},
): Promise<Decoded<GeometryImage>> {
  const directories = await directoriesOf(bytes);
  const first = directories[0];
  const json = parseDescription(first);
  if (isOurs(first)) {
    const header = await readHeader(json, first, directories);
    const asset = await readOwn(bytes, directories, header, codec, options);
    if (options.bounds !== 'spheres') makeSlabs(asset.groups);
    return { asset, warnings: [] };
  }
  // Only our files have these, so this one has lost its header.
  const odd = directories.find(({ channels, attachment }) => channels === 1 || attachment !== null);
  if (odd) {
    throw new FormatError({ byte: first.ifd }, 'a header of gicollide in ImageDescription for the next pages', 'none');
  }
  const exponent = plainExponent(first, directories.length, bytes.length);
  const { samples } = await decodePage(codec, bytes, first);
  const geometry = padSquare(samples, first, exponent);
  const warnings: string[] = [];
  const grid = readPlainGrid(json, first, warnings);
  warnings.push('no sphere tree with a valid header: built on loading');
  const header = { tool: TOOL, source: null, units: null, options: {} };
  // The kernels are loaded here, since no other file needs them.
  const { kernelFitter } = await import('../tree/kernel.ts');
  const tree = buildSphereTree(geometry, exponent, grid, 'tight', kernelFitter);
  const group = { exponent, count: 1, geometry, normals: null, tree, deviation: null };
  if (options.bounds !== 'spheres') makeSlabs([group]);
  const { width, height } = first;
  const isPadded = geometry !== samples;
  if (isPadded)
    warnings.push(`${width} by ${height} samples: the last ones are repeated to make a square of ${sizeOf(exponent)}`);
  return { asset: assembleImage(grid, [group], header, { stored: isPadded ? { width, height } : null }), warnings };
}

async function directoriesOf(bytes: Uint8Array): Promise<TiffPage[]> {
  const page = await firstPageOf(memorySource(bytes));
  // The numbers may be of any type: floats, bytes, or words.
  if (page?.isGray && !page.isOurs)
    throw new FormatError(
      { byte: 0 },
      'a geometry image, whose pixels are points x, y, z',
      'a gray image, such as a height map',
    );
  return readDirectories(bytes, { maxDecodedBytes: maxDecodedBytes(bytes.length) });
}

/**
 * Exponent of the least square for a foreign page. Throws FormatError if there is none, if it is
 * much larger than the file, or if other pages suggest several charts.
 */
function plainExponent({ width, height, channels, ifd }: TiffPage, pages: number, fileBytes: number): number {
  const refuse = (expected: string, found: string): never => {
    throw new FormatError({ byte: ifd }, expected, found);
  };
  const most = sizeOf(LARGEST_EXPONENT);
  const sides = `${width} by ${height} by ${channels}`;
  if (Math.min(width, height) < 2 || Math.max(width, height) > most || channels !== 3)
    refuse(`a first page of RGB samples, 2 to ${most} each way`, sides);
  let exponent = 0;
  while (sizeOf(exponent) < Math.max(width, height)) exponent++;
  if (pages > 1 && (exponentOf(width) < 0 || width !== height))
    refuse('one page, or a first one of 2^n + 1 by 2^n + 1 (17 to 8193) RGB samples', `${pages}, ${sides}`);
  const bytes = 6 * sizeOf(exponent) ** 2;
  const room = maxDecodedBytes(fileBytes);
  if (bytes > room) refuse(`at most ${room} bytes of pixels, padded to a square`, `${sides}: ${bytes} bytes`);
  return exponent;
}

async function readOwn(
  bytes: Uint8Array,
  directories: TiffPage[],
  header: HeaderJson,
  codec: PixelCodec,
  options: ReadOptions,
): Promise<GeometryImage> {
  const { tool, source, units, step } = header;
  const grid = { origin: Float64Array.from(header.origin), step };
  const roles = rolesIn(header.pages, header.groups.length);
  if (!roles.includes('spheres')) requireRoom(header.groups, bytes.length, directories[0]);
  const groups: (Omit<ChartGroup, 'tree'> & { tree: SphereTree | null })[] = [];
  for (const [g, { size, charts: count, radiusSteps, deviationStep }] of header.groups.entries()) {
    const exponent = exponentOfChart(size);
    const samples: Partial<Record<PageRole, Uint16Array>> = {};
    for (const [k, role] of roles.entries()) {
      const index = g * roles.length + k;
      const page = await decodePage(codec, bytes, directories[index]);
      const found = await sha256OfSamples(page.samples);
      const stated = header.pages[index].sha256;
      if (found !== stated) {
        throw new FormatError(
          { byte: directories[index].ifd },
          `a ${role} page with the digest its header states, ${asciiJson(stated.slice(0, 12)).slice(1, -1)}...`,
          `${found.slice(0, 12)}...: the page is damaged`,
        );
      }
      samples[role] = unpackCharts(page, count, shapeOf(role, exponent));
    }
    groups.push({
      exponent,
      count,
      geometry: samples.geometry!,
      normals: samples.normals ?? null,
      tree: treeOf(samples, { exponent, count, ...grid }, header, radiusSteps),
      deviation: samples.deviation ? { page: samples.deviation, step: deviationStep! } : null,
    });
  }
  const quads = groups.reduce((sum, { exponent, count }) => sum + (count << (2 * exponent)), 0);
  const built = roles.includes('spheres')
    ? []
    : buildTreesOfGroups(groups, grid, header.options.spheres === 'seed' ? 'seed' : 'tight');
  return assembleImage(
    grid,
    groups.map((group, g) => ({ ...group, tree: group.tree ?? built[g] })),
    { tool, source, units, options: header.options },
    {
      tolerance: header.tolerance ?? null,
      source: header.embedded ? await readAttachment(directories[0], header.embedded.sha256, quads, options) : null,
    },
  );
}

const decodePage = (codec: PixelCodec, file: Uint8Array, page: TiffPage): Promise<PixelPage> =>
  codec.decodePage ? codec.decodePage(file, page) : codec.decode(isolatePage(file, page));

/** Bytes for making a tree beside its pages, whatever its size. */
const TREE_BYTES = 512;

/** Counts built pages like decoded ones, so that a small file costs little. */
function requireRoom(groups: HeaderJson['groups'], fileBytes: number, { ifd }: TiffPage): void {
  const bytes = groups.reduce(
    (sum, { size, charts }) => sum + charts * (TREE_BYTES + 8 * treePixels(exponentOfChart(size))),
    0,
  );
  const most = maxDecodedBytes(fileBytes);
  if (bytes > most) throw new FormatError({ byte: ifd }, `at most ${most} bytes of spheres to build`, `${bytes}`);
}

/** The stored tree, or null if the file has none. */
function treeOf(
  { geometry, spheres, slabs }: Partial<Record<PageRole, Uint16Array>>,
  { exponent, count, ...grid }: Grid & Pick<ChartGroup, 'exponent' | 'count'>,
  { version }: HeaderJson,
  radiusSteps: readonly number[] | undefined,
): SphereTree | null {
  if (!spheres) return null;
  const tree = { page: spheres, radiusSteps: Float64Array.from(radiusSteps!) };
  if (slabs) return { ...tree, slabs };
  // Older files keep their search: most were written before there were slabs.
  if (version < FORMAT_VERSION) return tree;
  return withSlabs(tree, () => buildSlabs(geometry!, exponent, count, grid, tree));
}

async function readAttachment(
  { attachment, ifd }: TiffPage,
  stated: string,
  quads: number,
  options: ReadOptions,
): Promise<EmbeddedSource> {
  if (attachment === null) throw new FormatError({ byte: ifd }, 'the source that the header lists', 'none');
  const found = await sha256(attachment);
  if (found !== stated) {
    throw new FormatError(
      { byte: ifd },
      `a source with the digest ${stated.slice(0, 12)}...`,
      `${found.slice(0, 12)}...: it is damaged`,
    );
  }
  return decodeSource(attachment, quads, options);
}

/** The exponent of a side of 2^n + 1 samples, or -1. Charts may be one quad, unlike one square. */
export function exponentOfChart(size: unknown): number {
  for (let n = 0; n <= LARGEST_EXPONENT; n++) if (sizeOf(n) === size) return n;
  return -1;
}

type Json = Record<string, unknown>;

export function parseDescription(page: TiffPage): Json | null {
  if (page.description === null) return null;
  let value: unknown;
  try {
    value = JSON.parse(page.description);
  } catch {
    return null; // an ImageDescription may have any text
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

/** Squares of lengths outside leave the range of doubles. */
const isLength = (x: unknown): x is number => typeof x === 'number' && x >= 1e-110 && x <= 1e110;
const isCoordinate = (x: unknown): x is number => typeof x === 'number' && Math.abs(x) <= 1e110;
const isOrigin = (x: unknown): x is number[] => Array.isArray(x) && x.length === 3 && x.every(isCoordinate);

/** Farther from the origin, steps vanish in doubles; the builder keeps this limit, too. */
function requireNear(origin: number[], step: number, place: { byte: number }): void {
  const far = origin.find((x) => Math.abs(x) > 2 ** 36 * 65536 * step);
  if (far !== undefined)
    throw new FormatError(place, `an origin within 2^36 extents of 0 for the step ${step}`, `${far}`);
}

/** A description that names gicollide is our header or a damaged one. */
export async function readHeader(json: Json | null, page: TiffPage, directories: TiffPage[]): Promise<HeaderJson> {
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
  require(Number.isInteger(json.version) &&
    (json.version as number) >= ONE_CHART &&
    (json.version as number) <=
      FORMAT_VERSION, `version ${ONE_CHART} to ${FORMAT_VERSION} (written by a newer gicollide?)`, json.version);
  require(isOrigin(json.origin), 'origin, three coordinates,', json.origin);
  require(isLength(json.step), 'step, a length,', json.step);
  requireNear(json.origin as number[], json.step as number, place);
  const stored =
    json.version === ONE_CHART ? [{ size: json.size, charts: 1, radiusSteps: json.radiusSteps }] : json.groups;
  require(Array.isArray(stored) && stored.length > 0, 'groups of charts', stored);
  const groups = stored as HeaderJson['groups'];
  require(isPageList(json.pages), 'pages with their roles and digests', json.pages);
  const pages = json.pages as HeaderJson['pages'];
  const roles = rolesIn(pages, groups.length);
  let above = LARGEST_EXPONENT + 1;
  let pixels = 0;
  for (const group of groups) {
    const exponent = exponentOfChart(group?.size);
    require(exponent >= 0 && exponent < above, 'sizes of charts, 2^n + 1, the largest first,', group?.size);
    above = exponent;
    require(Number.isInteger(group.charts) && group.charts > 0, 'a number of charts', group.charts);
    pixels += group.charts * treePixels(exponent);
    require(pixels <= MOST_PIXELS, `charts of ${MOST_PIXELS} spheres at most`, pixels);
    const lengths = roles.includes('spheres')
      ? `radiusSteps, ${exponent + 1} lengths,`
      : 'no radiusSteps, of no spheres,';
    const count = roles.includes('spheres') ? exponent + 1 : 0;
    require(areRadiusSteps(group.radiusSteps, count), lengths, group.radiusSteps);
    // All groups must agree with the first.
    require(groups[0].deviationStep === undefined
      ? group.deviationStep === undefined
      : isDeviationStep(group.deviationStep), 'deviationStep, a length in every group or none,', group.deviationStep);
  }
  requireRoles(roles, json.version as number, groups[0].deviationStep, require);
  const wanted = groups.flatMap(() => roles).join(' ');
  require(pages.map((p) => p.role).join(' ') === wanted, `the pages ${wanted}`, pages.map((p) => p.role).join(' '));
  if (pages.length !== directories.length) {
    throw new FormatError(place, `the ${pages.length} pages that the header lists`, `${directories.length}`);
  }
  pages.forEach(({ role }, i) => {
    const { width, height, channels, ifd } = directories[i];
    const { size, charts } = groups[Math.floor(i / roles.length)];
    const page = packedSize(charts, shapeOf(role, exponentOfChart(size)));
    if (width !== page.width || height !== page.height || channels !== page.channels) {
      throw new FormatError(
        { byte: ifd },
        `a ${role} page of ${page.width} by ${page.height} by ${page.channels}`,
        `${width} by ${height} by ${channels}`,
      );
    }
  });
  require(isTolerance(json.tolerance), 'tolerance, two lengths or null,', json.tolerance);
  require(json.embedded === undefined ||
    typeof (json.embedded as Json | null)?.sha256 === 'string', 'the digest of an embedded source', json.embedded);
  require(typeof json.tool === 'string', 'tool', json.tool);
  require(json.units === null || typeof json.units === 'string', 'units', json.units);
  require(json.source === null || isSource(json.source), 'source, a name and a digest,', json.source);
  require(isOptions(json.options), 'options', json.options);
  const { sha256: stated, ...rest } = json;
  const found = await digestOf(rest);
  require(stated === found, `the digest of its words, ${found.slice(0, 12)}...,`, stated);
  return { ...json, groups } as unknown as HeaderJson;
}

function requireRoles(
  roles: readonly PageRole[],
  version: number,
  deviationStep: number | undefined,
  require: (condition: boolean, expected: string, found: unknown) => void,
): void {
  const odd = oddRoles(roles);
  require(odd === null, `the page of ${odd}`, roles.join(' '));
  require(version >= WITH_SLABS || !roles.includes('slabs'), `slabs from version ${WITH_SLABS} on`, version);
  require(version >= FORMAT_VERSION || roles.includes('spheres'), `spheres before version ${FORMAT_VERSION}`, version);
  require(roles.includes('deviation') ===
    (deviationStep !== undefined), 'deviationStep with a page of deviations', deviationStep);
}

/** Roles of the first group's pages, in file order. A header with other roles is refused. */
export const rolesIn = (pages: HeaderJson['pages'], groups: number): PageRole[] =>
  inFileOrder(pages.slice(0, Math.ceil(pages.length / groups)).map(({ role }) => role));

/** True if valid; a file without radii has no steps. */
const areRadiusSteps = (steps: unknown, count: number): boolean =>
  count === 0
    ? steps === undefined
    : Array.isArray(steps) && steps.length === count && steps.every((s) => s === 0 || isLength(s));

/** 0 for an image that is exactly its source. */
const isDeviationStep = (x: unknown): boolean => typeof x === 'number' && x >= 0 && x <= 1e110;

function isTolerance(value: unknown): boolean {
  const { missing, excess } = (value ?? { missing: 0, excess: 0 }) as Record<string, unknown>;
  return isDeviationStep(missing) && isDeviationStep(excess);
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
    !Array.isArray(value) &&
    Object.values(value).every((option) => typeof option === 'string' || typeof option === 'number')
  );
}

/** Keeps messages on one line, in ASCII. */
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
  warnings.push('no origin and step in ImageDescription: 0 and 1/65535 are used');
  return { origin: new Float64Array(3), step: 1 / 65535 };
}

/*
 * Stores the source's triangles in an image's file: a blob (containers/blob.ts) that other readers
 * of the TIFF skip.
 */

const KIND = 'src';
const VERSION = 1;
const LARGEST_COORDINATE = 1e110;

function encodeSource({ positions, triangles, offsets, items }: EmbeddedSource): Promise<Uint8Array> {
  const counts = new Uint32Array(offsets.length - 1);
  for (let quad = 0; quad < counts.length; quad++) counts[quad] = offsets[quad + 1] - offsets[quad];
  const isNarrow = counts.every((count) => count < 65536);
  return writeBlob(KIND, VERSION, { vertices: positions.length / 3, triangles: triangles.length / 3 }, [
    ...meshSections({ positions: narrowPositions(positions), triangles }),
    { name: 'counts', data: isNarrow ? Uint16Array.from(counts) : counts },
    { name: 'items', data: items },
  ]);
}

/** Throws FormatError unless it is such a blob. `quads` is the image's number of quads. */
async function decodeSource(bytes: Uint8Array, quads: number, options?: ReadOptions): Promise<EmbeddedSource> {
  const blob = await readBlob(bytes, KIND, [VERSION], options);
  const { vertices, triangles: count } = blob.header;
  for (const number of [vertices, count]) {
    if (!(Number.isInteger(number) && (number as number) >= 0))
      throw new FormatError(null, 'numbers of vertices and triangles in the embedded source', String(number));
  }
  const { mesh } = readMesh(blob, vertices as number, count as number, LARGEST_COORDINATE);
  const isNarrow = blob.sections.get('counts') instanceof Uint16Array;
  const counts = sectionOf(blob, 'counts', isNarrow ? 'u16' : 'u32', quads);
  const items = sectionOf(blob, 'items', 'u32');
  const offsets = new Uint32Array(quads + 1);
  let sum = 0;
  for (let quad = 0; quad < quads; quad++) {
    sum += counts[quad];
    if (sum > items.length) break;
    offsets[quad + 1] = sum;
  }
  if (sum !== items.length)
    throw new FormatError(null, `${items.length} triangles in the quads' lists`, `${sum} or more`);
  const odd = items.find((triangle) => triangle >= (count as number));
  if (odd !== undefined) throw new FormatError(null, `triangle numbers below ${count} in the quads' lists`, `${odd}`);
  return { positions: Float64Array.from(mesh.positions), triangles: mesh.triangles, offsets, items };
}
