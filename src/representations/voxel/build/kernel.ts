/**
 * The cells of a surface by the kernel where there is one and memory for it: the same bytes as
 * surface-cells.ts and brick-table.ts give, in 0.4 of the time.
 *
 * Memory, in that of the kernels, until it returns: 24 bytes a vertex, 12 a triangle, 16 a brick that
 * there is room for and 8 to 16 for its slots; twice the bricks while the room is doubled, or while
 * they are put in order. What is likely is made room for at once, so doubling is rare. The largest
 * set, of 2^26 bricks, takes 2.1 GB beside its own 1.1; the process keeps that for the next.
 */
import { allocate, kernels, place, release, whileBusy } from '../../../kernels/memory.ts';
import { type Bricks, bricksOf } from '../tree/brick-table.ts';
import type { CubeSet } from '../tree/cube-set.ts';
import { REPORT_EVERY, toOne } from './surface-cells.ts';

/** Bricks from which on the kernel pays for being compiled, a few milliseconds. */
const LEAST_BRICKS = 2 ** 14;
/** Bricks that room is made for at first, at most: what is likely may be too much. */
const FIRST_ROOM = 2 ** 22;
const BRICK_BYTES = 16;

export interface SurfaceTask {
  positions: Float64Array;
  triangles: Uint32Array;
  precision: number;
  /** About how many bricks there will be. */
  likely: number;
  /** More than this are too many. */
  most: number;
  progress: (stage: string, fraction: number) => void;
}

/** A surface's bricks: in order, as they came, or none where there are too many. */
export interface Surface {
  count: number;
  set: CubeSet | null;
  bricks: Bricks | null;
}

/**
 * The cells that hold a point of a triangle; null where there is no kernel, no memory, or too little
 * to do.
 *
 * @param inOrder whether bricks are wanted in order, or as a table that others can be added to
 */
export function surfaceByKernel(task: SurfaceTask, inOrder: boolean): Surface | null {
  const own = task.likely >= LEAST_BRICKS ? kernels() : null;
  if (!own) return null;
  const { memory, functions, workspace } = own;
  const { positions, triangles, precision, most, progress } = task;
  const held: number[] = [];
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
  try {
    const atPositions = hold(positions.byteLength);
    const atTriangles = hold(triangles.byteLength);
    place(atPositions, positions);
    place(atTriangles, triangles);
    functions.cubesBegin(workspace, precision, toOne(precision));
    let room = Math.min(most + 1, Math.ceil(task.likely), FIRST_ROOM);
    let bricks = hold(BRICK_BYTES * room);
    let slots = 0;
    const prepare = () => {
      const count = 2 ** Math.ceil(Math.log2(2 * room));
      slots = hold(4 * count);
      functions.cubesTable(bricks, room, slots, count);
    };
    prepare();
    const count = triangles.length / 3;
    for (let done = 0; done < count; ) {
      if (done % REPORT_EVERY === 0) whileBusy(() => progress('surface', done / count));
      const end = Math.min(count, done - (done % REPORT_EVERY) + REPORT_EVERY);
      done = functions.cubesSurface(atPositions, atTriangles, done, end);
      if (done === end) continue;
      const made = functions.cubesCount();
      if (made > most) return { count: made, set: null, bricks: null };
      giveBack(slots);
      room = Math.min(most + 1, 2 * room);
      const more = hold(BRICK_BYTES * room);
      words(more, 4 * made).set(words(bricks, 4 * made));
      giveBack(bricks);
      bricks = more;
      prepare();
    }
    whileBusy(() => progress('surface', 1));
    const made = functions.cubesCount();
    if (made > most) return { count: made, set: null, bricks: null };
    giveBack(slots);
    giveBack(atTriangles);
    giveBack(atPositions);
    if (!inOrder) return { count: made, set: null, bricks: bricksOf(words(bricks, 4 * made)) };
    whileBusy(() => progress('order', 0));
    const ordered = functions.cubesOrder(hold(BRICK_BYTES * made)) >>> 0;
    // Copies: the memory is shared, and goes to the next.
    const keys = words(ordered, 2 * made).slice();
    const masks = words(ordered + 8 * made, 2 * made).slice();
    whileBusy(() => progress('order', 1));
    return { count: made, set: { precision, keys, masks }, bricks: null };
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  } finally {
    for (const address of held) release(address);
  }
}
