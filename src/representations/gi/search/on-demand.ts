/**
 * Opens a geometry image without reading it: directories, header, and the charts' root spheres.
 * Other tiles are read and decoded when a query needs them (block-store.ts).
 *
 * Header, directories and their places are checked as in an image that is read whole. Whole pages'
 * digests cannot be checked. Instead, the Adler-32 checksum that Deflate keeps for every tile finds
 * damage, up to 1 in 2^32, but not a swapped tile. To be sure, read the whole file.
 *
 * In the sphere page, levels 0 to 6 share one tile of 128 x 128, and level 7 is one tile. Parts of
 * the page start at multiples of their own size. So below that, all descendants on a level of a
 * node of level n - 7 are one tile. A query that ends at one place reads about one tile per level:
 * the logarithm of the image's size.
 */
import { BlockStore, type BlockStoreOptions, type StoredPage } from '../../../containers/block-store.ts';
import type { ByteSource } from '../../../containers/byte-source.ts';
import { readDirectoriesOf } from '../../../containers/tiff-directory.ts';
import { identity } from '../../../math/pose.ts';
import { packedSize } from '../format/chart-pages.ts';
import {
  exponentOfChart,
  FORMAT_VERSION,
  maxDecodedBytes,
  parseDescription,
  readHeader,
  rolesIn,
} from '../format/codec.ts';
import { shapeOf } from '../format/page-roles.ts';
import { treeOverRoots } from '../tree/chart-tree.ts';
import type { GeometryImage } from '../tree/geometry-image.ts';
import { treePixels } from '../tree/tree-page.ts';
import { blocksOfNode, createSide, findNodes, type PagedGroup, select } from './pages.ts';

export type OpenOptions = BlockStoreOptions;

export interface OpenedGroup extends PagedGroup {
  geometry: StoredPage;
  spheres: StoredPage;
}

export interface OpenedImage {
  /** A geometry image with no groups. */
  outline: GeometryImage;
  groups: OpenedGroup[];
  store: BlockStore;
  /** True if a whole reading builds slabs that the file lacks. */
  makesSlabs: boolean;
  /** True if only the nodes' deviations from the source are known. */
  hasDeviations: boolean;
}

/** With more charts, scattered roots are as much work as the whole file. */
const MOST_CHARTS = 256;

/**
 * Opens one of our geometry images; null if it must be read whole. That is a foreign image, one
 * without spheres, or an atlas of very many charts. It is also an image with pages other than
 * Deflate, without checksums, or with slabs in other blocks than the spheres.
 *
 * @throws FormatError for a foreign or damaged TIFF, as far as it was read; and errors of the
 *   source
 */
export async function openGeometryImage(source: ByteSource, options: OpenOptions = {}): Promise<OpenedImage | null> {
  const directories = await readDirectoriesOf(source, { maxDecodedBytes: maxDecodedBytes(source.size) });
  const first = directories[0];
  if (!first.description?.includes('gicollide')) return null;
  const header = await readHeader(parseDescription(first), first, directories);
  const roles = rolesIn(header.pages, header.groups.length);
  if (!roles.includes('spheres')) return null;
  const wanted = roles.filter((role) => role !== 'normals');
  const pages = header.groups.flatMap((_, g) =>
    wanted.map((role) => directories[g * roles.length + roles.indexOf(role)]),
  );
  const charts = header.groups.reduce((sum, group) => sum + group.charts, 0);
  if (charts > MOST_CHARTS || pages.some(({ compression }) => compression !== 'deflate')) return null;

  const store = new BlockStore(source, pages, options);
  const pageOf = (g: number, role: (typeof wanted)[number]): StoredPage | undefined =>
    wanted.includes(role) ? store.pages[g * wanted.length + wanted.indexOf(role)] : undefined;
  const isInStep = (role: 'slabs' | 'deviation'): boolean =>
    header.groups.every((_, g) => {
      const { blockWidth, blockHeight } = pageOf(g, 'spheres')!.page;
      const page = pageOf(g, role)?.page;
      return !page || (page.blockWidth === blockWidth && page.blockHeight === blockHeight);
    });
  if (!isInStep('slabs')) return null;
  // Small pages are one block, and the deviations' are the smallest.
  const findsDeviations = roles.includes('deviation') && isInStep('deviation');
  let [firstChart, firstQuad, firstNode] = [0, 0, 0];
  const groups = header.groups.map(({ size, charts: count, radiusSteps, deviationStep }, g): OpenedGroup => {
    const exponent = exponentOfChart(size);
    const shape = shapeOf('spheres', exponent);
    const group: OpenedGroup = {
      exponent,
      leaf: exponent,
      count,
      columns: packedSize(count, shape).width / shape.width,
      firstChart,
      firstQuad,
      firstNode,
      radiusSteps: Float64Array.from(radiusSteps!),
      geometry: pageOf(g, 'geometry')!,
      spheres: pageOf(g, 'spheres')!,
      slabs: pageOf(g, 'slabs'),
      deviations: findsDeviations ? pageOf(g, 'deviation') : undefined,
      deviationStep: deviationStep ?? 0,
      roots: new Uint16Array(4 * count),
      firstRoot: 0,
      rootStride: 4,
    };
    firstChart += count;
    firstQuad += count << (2 * exponent);
    firstNode += count * treePixels(exponent);
    return group;
  });
  const { tool, source: mesh, units, options: built, step } = header;
  const grid = { origin: Float64Array.from(header.origin), step };
  const outline: GeometryImage = {
    representation: 'gi',
    ...grid,
    groups: [],
    charts,
    quads: firstQuad,
    roots: treeOverRoots(new Float64Array(0), 0, grid, firstNode),
    tolerance: header.tolerance ?? null,
    source: null,
    stored: null,
    header: { tool, source: mesh, units, options: built },
  };
  const hasDeviations = findsDeviations && outline.tolerance !== null && !header.embedded;
  const makesSlabs = header.version === FORMAT_VERSION && !roles.includes('slabs');
  const image = { outline, groups, store, makesSlabs, hasDeviations };
  outline.roots = treeOverRoots(await loadRoots(image), charts, grid, firstNode);
  return image;
}

async function loadRoots(image: OpenedImage): Promise<Float64Array> {
  const { outline, store } = image;
  const root = 0;
  const side = createSide(image, identity(), 1, 1, 0, { findsSlabs: false, findsSource: false });
  const needed: number[] = [];
  for (let chart = 0; chart < outline.charts; chart++) {
    select(side, chart, 0);
    needed.push(...blocksOfNode(side, root));
  }
  await store.load(needed);
  const spheres = new Float64Array(4 * outline.charts);
  for (let chart = 0; chart < outline.charts; chart++) {
    select(side, chart, 0);
    findNodes(side, root, 1);
    const { roots, radiusSteps } = side.group;
    for (let k = 0; k < 4; k++) {
      const sample = side.samples[side.offset + k];
      roots[4 * side.slot + k] = sample;
      spheres[4 * chart + k] = k < 3 ? sample : sample * radiusSteps[0];
    }
  }
  store.release(needed);
  return spheres;
}
