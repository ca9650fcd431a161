/**
 * Builds one large OBB tree on several threads, in the memory that they share. The calling thread
 * builds the top, all others build parts. The numbers of each part's nodes and places are known in
 * advance (binary.as.ts), so the bytes are those of one thread.
 */

import { allocate, kernels, release, writeBytes } from '../../../kernels/memory.ts';
import type { Mesh } from '../../../mesh/mesh.ts';
import { type Begin, openPool, type Pool } from '../../../work/pool.ts';
import type { ObbTree } from '../tree/obb-tree.ts';
import { KERNEL } from './binary-kernel.generated.ts';
import { binaryTree, buildObbTree, type ObbBuildOptions } from './index.ts';
import { type BinaryBuild, beginBinary, layBinary, planBinary, readBinary } from './kernel.ts';

/** With fewer triangles, opening threads takes longer than they save. */
const LEAST = 200_000;
/** Tasks per thread: enough that the last ones keep no other thread waiting for long. */
const TASKS = 8;

/** Numbers of parts: from `first` to before `end`. */
interface Parts {
  first: number;
  end: number;
}

/**
 * The threads' memory areas, one after the other, allocated by the calling thread. Memory that a
 * thread allocates itself is lost when it ends.
 */
interface Rooms {
  readonly first: number;
  readonly bytes: number;
  readonly threads: number;
  /** Address of a word: the number of parts in work or done. */
  readonly taken: number;
}

type Job = BinaryBuild & { rooms: Rooms };

/**
 * Like buildObbTree, with the same bytes. The calling thread builds trees of 64 bytes a node, small
 * trees, and trees for which threads or memory are missing.
 *
 * @param least the number of triangles from which threads are opened
 */
export async function buildObbTreeOn(
  threads: number,
  mesh: Mesh,
  options: ObbBuildOptions,
  least = LEAST,
): Promise<ObbTree> {
  const nodeBytes = options.nodeBytes ?? 40;
  const isBinary = nodeBytes === 40 || nodeBytes === 20;
  const isLarge = threads > 1 && mesh.triangles.length >= 3 * Math.max(least, 1);
  const made = isBinary && isLarge ? await buildOn(threads, mesh, nodeBytes, options) : undefined;
  return made ?? buildObbTree(mesh, options);
}

async function buildOn(
  threads: number,
  mesh: Mesh,
  nodeBytes: 40 | 20,
  options: ObbBuildOptions,
): Promise<ObbTree | undefined> {
  const own = kernels(KERNEL);
  if (!own) return undefined;
  const { memory, functions } = own;
  const held: number[] = [];
  const hold = (bytes: number): number => {
    const address = allocate(bytes);
    if (address === 0) throw new Error('no memory for nodes');
    held.push(address);
    return address;
  };
  const put = (from: ArrayBufferView): number => {
    const address = hold(from.byteLength);
    writeBytes(memory, address, from);
    return address;
  };
  const plan = planBinary(mesh.positions, mesh.triangles, nodeBytes);
  try {
    const build = layBinary(plan, { functions, hold, put });
    const bytes = roomOf(build, functions.binaryBuildScratch());
    const rooms = { first: hold(threads * bytes), bytes, threads, taken: put(Uint32Array.of(0)) };
    beginBinary(functions, build, hold);
    functions.binaryBuildRoot(plan.count);
    const found = functions.binaryBuildTop(build.most);
    if (found === build.most) return undefined;
    const reach = Math.max(
      functions.binaryBuildReach(),
      await runParts({ ...build, rooms }, found, options.onProgress),
    );
    return binaryTree(mesh, nodeBytes, readBinary(plan, build, memory, reach), options);
  } catch {
    return undefined;
  } finally {
    for (const address of held) release(address);
  }
}

/** Returns the largest coordinate that a box reaches. */
async function runParts(job: Job, found: number, onProgress: ObbBuildOptions['onProgress']): Promise<number> {
  const { threads } = job.rooms;
  const module = new URL('./obb-workers.js', import.meta.url);
  const pool: Pool<Parts, number> = await openPool(threads, { module, data: job, needsKernels: true });
  try {
    const step = Math.ceil(found / (TASKS * threads));
    const tasks = Array.from({ length: Math.ceil(found / step) }, (_, i) => ({
      first: i * step,
      end: Math.min(found, (i + 1) * step),
    }));
    let done = 0;
    const run = async (parts: Parts): Promise<number> => {
      const { answer } = await pool.run(parts);
      onProgress?.('boxes', ++done / tasks.length);
      return answer;
    };
    return Math.max(0, ...(await Promise.all(tasks.map(run))));
  } finally {
    await pool.close();
  }
}

const LINE = 64;
const inLines = (bytes: number): number => Math.ceil(bytes / LINE) * LINE;

/** Bytes of the data of beginBinary. */
const roomOf = ({ vertices }: BinaryBuild, scratch: number): number => inLines(4 * vertices) + inLines(scratch);

export const begin: Begin<Job, Parts, number> = async (_, { rooms, ...build }) => {
  const own = kernels(KERNEL);
  if (!own) throw new Error('no kernels to share');
  const { functions, memory } = own;
  const number = Atomics.add(new Uint32Array(memory.buffer, rooms.taken, 1), 0, 1);
  if (number >= rooms.threads) throw new Error('more threads than rooms');
  let at = rooms.first + number * rooms.bytes;
  beginBinary(functions, build, (bytes) => {
    const address = at;
    at += inLines(bytes);
    return address;
  });
  return ({ first, end }) => {
    for (let part = first; part < end; part++) functions.binaryBuildTask(part);
    return functions.binaryBuildReach();
  };
};
