/**
 * Opens a geometry image without reading it, and checks two opened images. Opening reads
 * directories, header, and the charts' root spheres. Other tiles are read and decoded when a query
 * needs them (block-store.ts).
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
import type { Outcome, Query } from '../../../engine/records.ts';
import { identity } from '../../../math/pose.ts';
import {
  exponentOfChart,
  FORMAT_VERSION,
  maxDecodedBytes,
  parseDescription,
  readHeader,
  rolesIn,
} from '../format/codec.ts';
import { packedSize, shapeOf } from '../format/pages.ts';
import { treeOverRoots } from '../tree/chart-tree.ts';
import type { GeometryImage } from '../tree/geometry-image.ts';
import { treePixels } from '../tree/grid.ts';
import {
  copyDescent,
  createSearch,
  type Descent,
  END,
  type Means,
  MISSING,
  needsOf,
  OF_SOURCES,
  outcomeOf,
  run,
  step,
} from './descent.ts';
import {
  blocksOfNode,
  blocksOfQuad,
  createSide,
  findNodes,
  firstBelow,
  levelOf,
  type PagedGroup,
  type Side,
  select,
} from './pages.ts';

export type OpenOptions = BlockStoreOptions;

interface OpenedGroup extends PagedGroup {
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

/*
 * Checks two opened geometry images: the descent of descent.ts, over tiles.
 *
 * Pairs are met in depth-first order, whatever is loaded. So first contact, list and counts depend
 * only on the images and poses, not on the cache, the file or the network. They match the search of
 * whole images.
 *
 * A pair whose tiles are missing is left on the stack, and a *scout* runs ahead. It is a copy of
 * the descent that drops such pairs, tests no triangles and notes missing tiles. All of these are
 * read in one batch; then the descent resumes. On a remote source, where a read is mostly waiting,
 * the scout runs farther. The bytes of tiles below its nodes are then read, too.
 *
 * Not taken: Continuing with other pairs finds another first contact whenever the cache differs.
 * Reading only the missing tile is as fast from a disk, but takes a round trip for each tile.
 *
 * Slabs are read only down to a level and for sources, so more nodes are tested than in memory.
 * With slabs, a first contact of bunny and blob at 2049 takes a quarter of the tests, but 26 tiles
 * and 1.8 MB instead of 15 and 0.8.
 */

/**
 * Reach of a scout: pairs, doubled with every batch up to `most`; tiles; tiles below these whose
 * bytes are read as well. Bunny and blob at 4097, first contact | all 10,998, from a disk in ms,
 * from 20 ms and 100 Mbit/s away in batches:
 *   steps    64  near   60 ms    far, likely 0   10 | 69 batches    16    4 | 42
 *          1024         80                        8 | 54             16    3 | 28
 *         16384        150                        8 | 31             16    6 | 18
 * If a first contact needs 20 tiles, the last reads 46.
 */
const NEAR = { steps: 1 << 6, most: 1 << 6, wanted: 4, likely: 0 };
const FAR = { steps: 1 << 8, most: 1 << 16, wanted: 64, likely: 16 };

interface OnDemandOutcome {
  outcome: Outcome;
  /** Milliseconds of waiting for tiles, scouts included. */
  tilesMs: number;
}

/**
 * Checks two opened images in their poses: verdict, list, numbering and first contact are those in
 * memory. Several checks may run at a time. A deadline includes reading.
 *
 * @param options `ofSources`: asks about the sources; then nothing is in contact; `means`: the
 *   bounds to test, if not the default
 * @throws FormatError for a damaged tile on the path; and errors of the sources
 */
export async function checkOpenedImages(
  a: OpenedImage,
  b: OpenedImage,
  query: Query,
  { ofSources = false, means: wanted }: { ofSources?: boolean; means?: Means | undefined } = {},
): Promise<OnDemandOutcome> {
  const stores = [a.store, b.store];
  const { deadline = Number.POSITIVE_INFINITY } = query;
  // A level's verdict uses slabs, as for whole images, but not for their sources.
  const isTimed = deadline < Number.POSITIVE_INFINITY;
  const means = ofSources
    ? OF_SOURCES
    : (wanted ?? { findsSlabs: query.level !== null, findsSource: false, notesBracket: isTimed });
  const search = createSearch(a, b, query, means);
  let tilesMs = 0;
  let held: (() => void) | null = null;
  let batch = 0;
  try {
    for (;;) {
      for (const store of new Set(stores)) store.now++;
      if (run(search, query.deadline) !== MISSING) break;
      held?.();
      held = null;
      const start = performance.now();
      if (start >= deadline) {
        search.descent.isUndecided = true;
        break;
      }
      held = await loadMissing(search.descent, stores, batch++);
      tilesMs += performance.now() - start;
    }
  } finally {
    held?.();
  }
  return { outcome: outcomeOf(search), tilesMs };
}

/** Reads missing and predicted tiles. Call the result to release the missing ones after use. */
async function loadMissing(descent: Descent, stores: BlockStore[], batch: number): Promise<() => void> {
  const needs = needsOf(descent);
  const reach = stores.some(({ source }) => source.isRemote) ? FAR : NEAR;
  const steps = Math.min(reach.most, reach.steps * 2 ** batch);
  const ahead = scout(descent, { ...reach, steps });
  const results = await Promise.allSettled(
    stores.map((store, s) => store.load(needs[s], [...ahead[s].wanted], [...ahead[s].likely])),
  );
  const release = (): void => {
    results.forEach(({ status }, s) => {
      if (status === 'fulfilled') stores[s].release(needs[s]);
    });
  };
  const failed = results.find((result) => result.status === 'rejected');
  if (failed) {
    release();
    throw failed.reason;
  }
  return release;
}

interface Ahead {
  wanted: Set<number>;
  likely: Set<number>;
}

function scout(descent: Descent, reach: typeof NEAR): [Ahead, Ahead] {
  const ahead: [Ahead, Ahead] = [
    { wanted: new Set(), likely: new Set() },
    { wanted: new Set(), likely: new Set() },
  ];
  const copy = copyDescent(descent);
  const sides = [copy.a, copy.b];
  for (let steps = 0; steps < reach.steps; steps++) {
    const met = step(copy);
    if (met === END) break;
    if (met !== MISSING) continue;
    const needs = needsOf(copy);
    copy.top -= 3;
    for (let s = 0; s < 2; s++) {
      const { blocks } = sides[s].image.store;
      for (const id of needs[s]) if (!blocks[id]) ahead[s].wanted.add(id);
      if (ahead[s].likely.size < reach.likely) noteBelow(sides[s], copy.stack[copy.top + s], ahead[s].likely);
    }
    if (ahead[0].wanted.size + ahead[1].wanted.size >= reach.wanted) break;
  }
  return ahead;
}

/** Adds blocks of a node's descendants and samples, as far as a level is one block. */
function noteBelow(side: Side, node: number, into: Set<number>): void {
  const { leaf, spheres } = side.group;
  const most = Math.min(spheres.page.blockWidth, spheres.page.blockHeight);
  const levels = leaf - levelOf(node);
  for (let below = 1; below <= levels; below++) {
    if (1 << below > most) return;
    into.add(blocksOfNode(side, firstBelow(node, below))[0]);
  }
  into.add(blocksOfQuad(side, firstBelow(node, levels))[0]);
}
