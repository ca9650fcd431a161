/**
 * A mesh into cubes by the kernel where there is one and memory for it: the same bytes as
 * surface-cells.ts and brick-table.ts give, in 0.4 of the time. An inside is found in TypeScript,
 * and set in the kernel's table.
 *
 * Memory, in that of the kernels, until it returns: 24 bytes a vertex, 12 a triangle, 16 a brick
 * that there is room for and 8 to 16 for its slots; twice the bricks while the room is doubled, or while
 * they are put in order. What is likely is made room for at once, so doubling is rare. The largest
 * set, of 2^26 bricks, takes 2.1 GB beside its own 1.1; the process keeps that for the next.
 */
import { allocate, type Kernels, kernels, place, release, whileBusy } from '../../../kernels/memory.ts';
import type { BrickTable } from '../tree/brick-table.ts';
import type { CubeSet } from '../tree/cube-set.ts';
import { REPORT_EVERY, toOne } from './surface-cells.ts';

/**
 * Bricks, of all models that this thread cuts, from which on the kernel pays for being compiled, a
 * few milliseconds.
 */
const LEAST_BRICKS = 2 ** 14;
/** Bricks of one model from which on it pays to place it. */
const LEAST_OF_MODEL = 2 ** 6;
/** Bricks that room is made for at first, at most: what is likely may be too much. */
const FIRST_ROOM = 2 ** 22;
const BRICK_BYTES = 16;

/** Bricks that this thread was likely asked for so far. */
let asked = 0;

export interface CutTask {
  positions: Float64Array;
  triangles: Uint32Array;
  precision: number;
  /** About how many bricks there will be. */
  likely: number;
  /** More than this are too many. */
  most: number;
  progress: (stage: string, fraction: number) => void;
}

/** A model's cubes; null where they are of more than `most` bricks. */
export interface Cut {
  set: CubeSet | null;
  /** How many cubes there are, where somebody has counted. */
  cubes?: number | undefined;
}

/** Adds the inside to the bricks of the surface; see addInside. */
export type AddInside = (bricks: BrickTable, progress: CutTask['progress']) => number | undefined;

/**
 * The cells that hold a point of a triangle, and what `inside` adds; null where there is no kernel,
 * no memory, or too little to do.
 */
export function cutByKernel(task: CutTask, inside?: AddInside): Cut | null {
  asked += task.likely;
  const own = task.likely >= LEAST_OF_MODEL && asked >= LEAST_BRICKS ? kernels() : null;
  if (!own) return null;
  const held: number[] = [];
  try {
    return cut(own, task, inside, held);
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  } finally {
    for (const address of held) release(address);
  }
}

function cut(
  { memory, functions, workspace }: Kernels,
  { positions, triangles, precision, likely, most, progress }: CutTask,
  inside: AddInside | undefined,
  held: number[],
): Cut {
  const hold = (bytes: number): number => {
    const address = allocate(bytes);
    if (address === 0) throw new RangeError('no memory');
    held.push(address);
    return address;
  };
  const giveBack = (address: number) => {
    held.splice(held.indexOf(address), 1);
    release(address);
  };
  const words = (address: number, count: number) => new Uint32Array(memory.buffer, address, count);
  // Whoever is told may cut another: by the twin, since the kernel is at work.
  const tell = (stage: string, fraction: number) => whileBusy(() => progress(stage, fraction));
  const atPositions = hold(positions.byteLength);
  const atTriangles = hold(triangles.byteLength);
  place(atPositions, positions);
  place(atTriangles, triangles);
  functions.cubesBegin(workspace, precision, toOne(precision));
  let room = Math.min(most + 1, Math.ceil(likely), FIRST_ROOM);
  let bricks = hold(BRICK_BYTES * room);
  let slots = 0;
  const prepare = () => {
    const count = 2 ** Math.ceil(Math.log2(2 * room));
    slots = hold(4 * count);
    functions.cubesTable(bricks, room, slots, count);
  };
  /** False where there are too many. */
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
  tell('surface', 1);
  if (functions.cubesCount() > most) return { set: null };
  giveBack(atTriangles);
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
  const cubes = inside?.(table, tell);
  if (cubes !== undefined) return { set: null, cubes };
  giveBack(slots);
  tell('order', 0);
  const made = functions.cubesCount();
  const ordered = functions.cubesOrder(hold(BRICK_BYTES * made)) >>> 0;
  // Copies: the memory is shared, and goes to the next.
  const keys = words(ordered, 2 * made).slice();
  const masks = words(ordered + 8 * made, 2 * made).slice();
  tell('order', 1);
  return { set: { precision, keys, masks } };
}
