/**
 * A geometry image that is not read but opened: its directories and header, and of its pixels the charts' root spheres. What a query enters is read
 * and decoded then, tile by tile (block-store.ts).
 *
 * What is believed. Header, directories and their places are checked as those of an image that is read whole. The digests of whole pages cannot be; in
 * their place stands the Adler-32 checksum that Deflate keeps of every tile, which finds damage as surely as 1 in 2^32, but not a tile that
 * somebody has put in another's place. Who must know reads the whole file.
 *
 * The sphere page suits this: levels 0 to 6 share one tile of 128 x 128, level 7 is one, and below, as a page's parts start on
 * multiples of their own size, all descendants on a level of a node of level n - 7 are one tile. So a query that ends at one place reads about one tile a
 * level: the logarithm of the image's size.
 */
import type { BlockStoreOptions, StoredPage } from '../../../containers/block-store.ts';
import { BlockStore } from '../../../containers/block-store.ts';
import type { ByteSource } from '../../../containers/byte-source.ts';
import { readDirectoriesOf } from '../../../containers/tiff.ts';
import { packedSize } from '../format/chart-pages.ts';
import { exponentOfChart, maxDecodedBytes, parseDescription, readHeader, rolesIn, shapeOf } from '../format/codec.ts';
import { treeOverRoots } from '../tree/chart-tree.ts';
import type { GeometryImage } from '../tree/geometry-image.ts';
import { nodeOffset, treePixels, treeWidth } from '../tree/tree-page.ts';

export type OpenOptions = BlockStoreOptions;

/** The charts of one size, on pages whose blocks come when they are needed. */
export interface OpenedGroup {
  exponent: number;
  count: number;
  /** Charts side by side on a page. */
  columns: number;
  firstChart: number;
  firstQuad: number;
  radiusSteps: Float64Array;
  geometry: StoredPage;
  spheres: StoredPage;
  /** The pixel of each chart's root. */
  roots: Uint16Array;
}

export interface OpenedImage {
  /** All that is known without pixels: a geometry image with no groups. */
  outline: GeometryImage;
  /** Largest charts first. */
  groups: OpenedGroup[];
  store: BlockStore;
}

/** Charts of an atlas whose roots are looked for here and there; with more of them, reading all is no more work. */
const MOST_CHARTS = 256;

/**
 * Opens a geometry image of ours; null where it can only be read whole: an image by somebody else, whose tree must be built, pages that are not
 * Deflate, whose blocks have no checksums, an atlas of very many charts.
 *
 * @throws FormatError for what is no TIFF of ours or is damaged, as far as was read; what the source throws
 */
export async function openGeometryImage(source: ByteSource, options: OpenOptions = {}): Promise<OpenedImage | null> {
  const directories = await readDirectoriesOf(source, { maxDecodedBytes: maxDecodedBytes(source.size) });
  const first = directories[0];
  if (!first.description?.includes('gicollide')) return null;
  const header = await readHeader(parseDescription(first), first, directories);
  const roles = rolesIn(header.pages, header.groups);
  const pageOf = (g: number, role: 'geometry' | 'spheres') => directories[g * roles.length + roles.indexOf(role)];
  const pages = header.groups.flatMap((_, g) => [pageOf(g, 'geometry'), pageOf(g, 'spheres')]);
  const charts = header.groups.reduce((sum, group) => sum + group.charts, 0);
  if (charts > MOST_CHARTS || pages.some(({ compression }) => compression !== 'deflate')) return null;

  const store = new BlockStore(source, pages, options);
  let [firstChart, firstQuad, firstNode] = [0, 0, 0];
  const groups = header.groups.map(({ size, charts: count, radiusSteps }, g): OpenedGroup => {
    const exponent = exponentOfChart(size);
    const shape = shapeOf('spheres', exponent);
    const group: OpenedGroup = {
      exponent,
      count,
      columns: packedSize(count, shape).width / shape.width,
      firstChart,
      firstQuad,
      radiusSteps: Float64Array.from(radiusSteps),
      geometry: store.pages[2 * g],
      spheres: store.pages[2 * g + 1],
      roots: new Uint16Array(4 * count),
    };
    firstChart += count;
    firstQuad += count << (2 * exponent);
    firstNode += count * treePixels(exponent);
    return group;
  });
  await loadRoots(store, groups);
  const { tool, source: mesh, units, options: built, step } = header;
  const grid = { origin: Float64Array.from(header.origin), step };
  const outline: GeometryImage = {
    representation: 'gi',
    ...grid,
    groups: [],
    charts,
    quads: firstQuad,
    roots: treeOverRoots(rootSpheres(groups, charts), charts, grid, firstNode),
    tolerance: header.tolerance ?? null,
    source: null,
    header: { tool, source: mesh, units, options: built },
  };
  return { outline, groups, store };
}

/** Reads the pixel of every chart's root. */
async function loadRoots(store: BlockStore, groups: readonly OpenedGroup[]): Promise<void> {
  const places = groups.flatMap((group) =>
    Array.from({ length: group.count }, (_, slot) => {
      const [x, y] = rootPixel(group.exponent);
      const [left, top] = placeOfChart(group, slot, 'spheres');
      return { group, slot, x: left + x, y: top + y };
    }),
  );
  const needed = places.map(({ group, x, y }) => blockAt(group.spheres, x, y));
  await store.load(needed);
  places.forEach(({ group, slot, x, y }, i) => {
    const block = store.blocks[needed[i]] as Uint16Array;
    const o = offsetAt(group.spheres, x, y);
    group.roots.set(block.subarray(o, o + 4), 4 * slot);
  });
  store.release(needed);
}

/** Column and row of a chart's root in its part of the sphere page. */
function rootPixel(exponent: number): [number, number] {
  const pixel = nodeOffset(exponent, 0, 0, 0) / 4;
  const width = treeWidth(exponent);
  return [pixel % width, Math.floor(pixel / width)];
}

/** Column and row where a chart's part of a page starts. */
export function placeOfChart(
  { exponent, columns }: OpenedGroup,
  slot: number,
  role: 'geometry' | 'spheres',
): [number, number] {
  const { width, height } = shapeOf(role, exponent);
  return [(slot % columns) * width, Math.floor(slot / columns) * height];
}

/** The number of the block that holds a pixel. */
export function blockAt({ page, first, across }: StoredPage, x: number, y: number): number {
  return first + Math.floor(y / page.blockHeight) * across + Math.floor(x / page.blockWidth);
}

/** Offset of a pixel's samples in its block. */
export function offsetAt({ page }: StoredPage, x: number, y: number): number {
  return page.channels * ((y % page.blockHeight) * page.blockWidth + (x % page.blockWidth));
}

/** Centre, in steps, and radius, in model units, of every chart's root. */
function rootSpheres(groups: readonly OpenedGroup[], charts: number): Float64Array {
  const spheres = new Float64Array(4 * charts);
  for (const { firstChart, count, roots, radiusSteps } of groups) {
    for (let i = 0; i < 4 * count; i++) {
      spheres[4 * firstChart + i] = i % 4 === 3 ? roots[i] * radiusSteps[0] : roots[i];
    }
  }
  return spheres;
}
