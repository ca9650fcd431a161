/**
 * Checks two opened geometry images: the descent of descent.ts, over tiles.
 *
 * Pairs are met in depth-first order, whatever is loaded. So first contact, list and counts depend
 * only on the images and poses, not on the cache, the file or the network. They match the search of
 * whole images.
 *
 * A pair whose tiles are missing is left on the stack, and a *scout* runs ahead: a copy of the
 * descent that drops such pairs, tests no triangles and notes missing tiles. All of these are read
 * in one batch; then the descent resumes. On a remote source, where a read is mostly waiting, the
 * scout runs farther. The bytes of tiles below its nodes are then read, too.
 *
 * Not taken: continuing with other pairs, which finds another first contact whenever the cache
 * differs; reading only the missing tile, which is as fast from a disk but takes a round trip each.
 *
 * Slabs are read only down to a level and for sources, so more nodes are tested than in memory.
 * With slabs, a first contact of bunny and blob at 2049 takes a quarter of the tests, but 26 tiles
 * and 1.8 MB instead of 15 and 0.8.
 */
import type { BlockStore } from '../../../containers/block-store.ts';
import type { Outcome, Query } from '../../../query/report.ts';
import {
  copyDescent,
  createSearch,
  type Descent,
  END,
  MISSING,
  needsOf,
  OF_SOURCES,
  outcomeOf,
  run,
  step,
} from './descent.ts';
import type { OpenedImage } from './on-demand.ts';
import { blocksOfNode, blocksOfQuad, firstBelow, levelOf, type Side } from './pages.ts';

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

export interface OnDemandOutcome {
  outcome: Outcome;
  /** Milliseconds of waiting for tiles, scouts included. */
  tilesMs: number;
}

/**
 * Checks two opened images in their poses: verdict, list, numbering and first contact are those in
 * memory. Several checks may run at a time. A deadline includes reading.
 *
 * @param options `ofSources`: asks about the sources; then nothing is in contact
 * @throws FormatError for a damaged tile on the path; and errors of the sources
 */
export async function checkOpenedImages(
  a: OpenedImage,
  b: OpenedImage,
  query: Query,
  { ofSources = false }: { ofSources?: boolean } = {},
): Promise<OnDemandOutcome> {
  const stores = [a.store, b.store];
  const { deadline = Number.POSITIVE_INFINITY } = query;
  // A level's verdict uses slabs, as for whole images, but not for their sources.
  const isTimed = deadline < Number.POSITIVE_INFINITY;
  const means = ofSources
    ? OF_SOURCES
    : { findsSlabs: query.level !== null, findsSource: false, notesBracket: isTimed };
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
