/**
 * A geometry image that is not read but opened: its directories and header, and of its pixels the
 * charts' root spheres. What a query enters is read and decoded then, tile by tile
 * (block-store.ts).
 *
 * What is believed. Header, directories and their places are checked as those of an image that is
 * read whole. The digests of whole pages cannot be; in their place stands the Adler-32 checksum
 * that Deflate keeps of every tile, which finds damage as surely as 1 in 2^32, but not a tile that
 * somebody has put in another's place. Who must know reads the whole file.
 *
 * The sphere page suits this: levels 0 to 6 share one tile of 128 x 128, level 7 is one, and below,
 * as a page's parts start on multiples of their own size, all descendants on a level of a node of
 * level n - 7 are one tile. So a query that ends at one place reads about one tile a level: the
 * logarithm of the image's size.
 */
import type { BlockStoreOptions, StoredPage } from '../../../containers/block-store.ts';
import { BlockStore } from '../../../containers/block-store.ts';
import type { ByteSource } from '../../../containers/byte-source.ts';
import { readDirectoriesOf } from '../../../containers/tiff.ts';
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

/** The charts of one size, on pages whose blocks come when they are needed. */
export interface OpenedGroup extends PagedGroup {
  geometry: StoredPage;
  spheres: StoredPage;
}

export interface OpenedImage {
  /** All that is known without pixels: a geometry image with no groups. */
  outline: GeometryImage;
  /** Largest charts first. */
  groups: OpenedGroup[];
  store: BlockStore;
  /** Whether slabs, which the file has none of, are made where it is read whole. */
  makesSlabs: boolean;
  /** Whether what is known of the source is how far it lies from each node's triangles, no more. */
  hasDeviations: boolean;
}

/**
 * Charts of an atlas whose roots are looked for here and there; of more, all may as well be read.
 */
const MOST_CHARTS = 256;

/**
 * Opens a geometry image of ours; null where it can only be read whole: an image by somebody else,
 * whose tree must be built, one without spheres, pages that are not Deflate, whose blocks have no
 * checksums, slabs in other blocks than the spheres, an atlas of very many charts.
 *
 * @throws FormatError for what is no TIFF of ours or is damaged, as far as was read; what the
 *   source throws
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

/**
 * Reads every chart's root; returns their spheres: centre, in steps, and radius, in model units.
 */
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
