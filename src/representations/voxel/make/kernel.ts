/**
 * Turns a mesh into cubes in WebAssembly (kernel.as.ts). An inside is found in TypeScript, and set
 * in the kernel's table.
 *
 * Memory within the kernels' memory, until it returns: 24 bytes per vertex, 12 per triangle, 16 per
 * brick for which there is room, and 8 to 16 for its slots. Bricks need twice that while the room
 * is doubled, or while they are sorted. Room for the likely number is allocated at once, so
 * doubling is rare. The largest set, of 2^26 bricks, takes 2.1 GB beside its own 1.1; the process
 * keeps that for the next.
 */

import { OptionError } from '../../../base/errors.ts';
import { runBuild, type Workshop, whileBusy, whyNotBuilt } from '../../../kernels/memory.ts';
import type { CubeSet } from '../tree/cube-set.ts';
import { addInside, type BrickTable } from './inside-cells.ts';
import { KERNEL, type KernelName } from './kernel.generated.ts';
import { toOne } from './surface-cells.ts';

/** Limits the first room, since the estimate may be too high. */
const FIRST_ROOM = 2 ** 22;
const BRICK_BYTES = 16;
/** The kernel's scratch: see cubesBegin. */
const SCRATCH_BYTES = 2 ** 13;
const REPORT_EVERY = 4096;

interface CutTask {
  positions: Float64Array;
  triangles: Uint32Array;
  precision: number;
  /** True to add the inside, too: then the model is closed. */
  fill?: boolean;
  /** Single bricks of triangles that are added: see cubesBricks, and `triangles` there. */
  bricks?: { triangles: Uint32Array; list: Uint32Array };
  likely: number;
  most: number;
  progress?: (stage: string, fraction: number) => void;
}

/** A model's cubes; null if there are more than `most` bricks. */
export interface Cut {
  set: CubeSet | null;
  cubes?: number | undefined;
}

/**
 * Finds the cells that hold a point of a triangle, and with `fill` those with centers inside.
 *
 * @throws OptionError without WebAssembly, or if its memory is too small
 */
export function cut(task: CutTask): Cut {
  const found = runBuild(KERNEL, (workshop) => cutIn(workshop, task));
  if (!found) throw new OptionError(`cubes are made in WebAssembly, ${whyNotBuilt()}; stored cubes can be read`);
  return found;
}

function cutIn({ memory, functions, hold, put, giveBack }: Workshop<KernelName>, task: CutTask): Cut {
  const { positions, triangles, precision, fill, bricks: single, likely, most, progress = () => {} } = task;
  const words = (address: number, count: number) => new Uint32Array(memory.buffer, address, count);
  // The listener may cut another model.
  const tell = (stage: string, fraction: number) => whileBusy(() => progress(stage, fraction));
  const atPositions = put(positions);
  const atTriangles = put(triangles);
  functions.cubesBegin(hold(SCRATCH_BYTES), precision, toOne(precision));
  let room = Math.max(1, Math.min(most + 1, Math.ceil(likely), FIRST_ROOM));
  let bricks = hold(BRICK_BYTES * room);
  let slots = 0;
  const prepare = () => {
    const count = 2 ** Math.ceil(Math.log2(2 * room));
    slots = hold(4 * count);
    functions.cubesTable(bricks, room, slots, count);
  };
  const grow = (): boolean => {
    const made = functions.cubesCount();
    if (made > most) return false;
    giveBack(slots);
    room = Math.min(most + 1, 2 * room);
    const more = hold(BRICK_BYTES * room);
    words(more, 4 * made).set(words(bricks, 4 * made));
    giveBack(bricks);
    bricks = more;
    prepare();
    return true;
  };
  prepare();
  const count = triangles.length / 3;
  for (let done = 0; done < count; ) {
    if (done % REPORT_EVERY === 0) tell('surface', done / count);
    const end = Math.min(count, done - (done % REPORT_EVERY) + REPORT_EVERY);
    done = functions.cubesSurface(atPositions, atTriangles, done, end);
    if (done < end && !grow()) return { set: null };
  }
  giveBack(atTriangles);
  if (single) {
    const [atAll, atList, entries] = [put(single.triangles), put(single.list), single.list.length / 4];
    for (let done = 0; done < entries; ) {
      done = functions.cubesBricks(atPositions, atAll, atList, done, entries);
      if (done < entries && !grow()) return { set: null };
    }
  }
  tell('surface', 1);
  if (functions.cubesCount() > most) return { set: null };
  giveBack(atPositions);
  const table: BrickTable = {
    get count() {
      return functions.cubesCount();
    },
    add(x, y, z, word0, word1) {
      while (!functions.cubesAdd(x, y, z, word0, word1)) if (!grow()) return;
    },
    cells: () => functions.cubesCells(),
  };
  const cubes = fill ? addInside(table, most, positions, triangles, precision, tell) : undefined;
  if (cubes !== undefined) return { set: null, cubes };
  giveBack(slots);
  tell('order', 0);
  const made = functions.cubesCount();
  const ordered = functions.cubesOrder(hold(BRICK_BYTES * made)) >>> 0;
  // Copied, since the memory is shared and reused.
  const keys = words(ordered, 2 * made).slice();
  const masks = words(ordered + 8 * made, 2 * made).slice();
  tell('order', 1);
  return { set: { precision, keys, masks } };
}
