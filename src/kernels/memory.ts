/**
 * The one memory that WebAssembly kernels, their assets and workers share, and the kernels in it.
 *
 * A shared memory does not detach its views when it grows, and a worker that is handed it sees the
 * same trees. What a kernel writes to besides its results, its *workspace*, is each instance's own:
 * kernels keep no mutable static data, only mutable globals, which every instance has for itself.
 *
 * Where an engine lacks WebAssembly, its SIMD or shared memories, `kernels` gives null, and callers
 * ask the kind's own search.
 */
import { MODULE } from './module.generated.ts';

/** Functions of the module take and give 32-bit integers (addresses among them) and doubles. */
type KernelFunction = (...numbers: number[]) => number;

export interface Kernels {
  readonly memory: WebAssembly.Memory;
  readonly functions: Readonly<Record<string, KernelFunction>>;
  /** Address of WORKSPACE_BYTES that are this instance's own. */
  readonly workspace: number;
}

/** What other threads need to `join`: post it. */
export interface SharedKernels {
  module: WebAssembly.Module;
  memory: WebAssembly.Memory;
  /** In shared memory: how many are taken, and then the address of each. */
  workspaces: Uint32Array;
}

/** Of each instance: stacks of pending pairs, moved triangles, expansions, lists of contacts. */
export const WORKSPACE_BYTES = 1 << 20;

/** All assets begin at multiples of this: a line of the cache, and more than any vector needs. */
const ALIGNMENT = 64;
const PAGE = 65536;
/**
 * The most that addresses of 32 bits reach, and what is asked for where a process may not reserve
 * so much.
 */
const MOST_PAGES = [65536, 16384, 4096];

let kernelsOfThread: Kernels | null | undefined;
let moduleOfThread: WebAssembly.Module | undefined;

/** Whether a query hands out contacts, with more to come: see `whileBusy`. */
let isBusy = false;

/**
 * Runs somebody's code in the middle of a query whose state is in the workspace: what that code
 * asks meanwhile finds no kernels, and asks the search. Whoever keeps kernels for later calls
 * `kernels` again to see.
 */
export function whileBusy<T>(work: () => T): T {
  const wasBusy = isBusy;
  isBusy = true;
  try {
    return work();
  } finally {
    isBusy = wasBusy;
  }
}

/**
 * This thread's kernels, compiled at the first call: about a millisecond; null where the engine
 * cannot, or they are in use.
 */
export function kernels(): Kernels | null {
  if (isBusy) return null;
  if (kernelsOfThread === undefined) {
    try {
      kernelsOfThread = create();
    } catch {
      kernelsOfThread = null;
    }
  }
  return kernelsOfThread;
}

function create(): Kernels {
  const letters = atob(MODULE);
  const bytes = new Uint8Array(letters.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = letters.charCodeAt(i);
  const module = new WebAssembly.Module(bytes);
  const memory = createMemory();
  const instance = instantiate(module, memory);
  const functions = functionsOf(instance);
  const start = roundUp(functions.heapBase());
  free.push({ at: start, bytes: memory.buffer.byteLength - start });
  moduleOfThread = module;
  // Set before the workspace is allocated, which needs it.
  kernelsOfThread = { memory, functions, workspace: 0 };
  return { ...kernelsOfThread, workspace: allocate(WORKSPACE_BYTES) };
}

function createMemory(): WebAssembly.Memory {
  for (const maximum of MOST_PAGES) {
    try {
      return new WebAssembly.Memory({ initial: 32, maximum, shared: true });
    } catch {
      // The next is smaller.
    }
  }
  throw new RangeError('no memory for kernels');
}

function instantiate(module: WebAssembly.Module, memory: WebAssembly.Memory): WebAssembly.Instance {
  return new WebAssembly.Instance(module, { env: { memory } });
}

const functionsOf = (instance: WebAssembly.Instance) => instance.exports as unknown as Record<string, KernelFunction>;

/**
 * What to post to so many threads, with a workspace for each; null where this one has no kernels or
 * no memory is left.
 */
export function shareKernels(threads: number): SharedKernels | null {
  const own = kernels();
  if (!own || !moduleOfThread) return null;
  const workspaces = new Uint32Array(new SharedArrayBuffer(4 * (threads + 1)));
  for (let i = 1; i <= threads; i++) workspaces[i] = allocate(WORKSPACE_BYTES);
  const shared = { module: moduleOfThread, memory: own.memory, workspaces };
  if (!workspaces.includes(0, 1)) return shared;
  releaseWorkspaces(shared);
  return null;
}

/** Gives back what `shareKernels` has allocated, when the threads have ended. */
export function releaseWorkspaces({ workspaces }: SharedKernels): void {
  for (const address of workspaces.subarray(1)) release(address);
}

/**
 * In another thread, before it asks for kernels: makes the first one's memory its own, and takes
 * one of the workspaces. Addresses mean the same. What this thread allocates it takes from what it
 * grows the memory by itself, so that no two threads give away the same block.
 *
 * @throws Error where all workspaces are taken
 */
export function joinKernels({ module, memory, workspaces }: SharedKernels): void {
  const number = Atomics.add(workspaces, 0, 1) + 1;
  if (number >= workspaces.length) throw new Error('joinKernels: more threads than workspaces');
  free.length = 0;
  moduleOfThread = module;
  kernelsOfThread = { memory, functions: functionsOf(instantiate(module, memory)), workspace: workspaces[number] };
}

// ------------------------------------------------------------------------------------------------- allocation

/** Free blocks by address, no two adjacent; and how long every block is that was given away. */
const free: { at: number; bytes: number }[] = [];
const taken = new Map<number, number>();

const roundUp = (bytes: number): number => Math.ceil(bytes / ALIGNMENT) * ALIGNMENT;

/**
 * The address of so many bytes, a multiple of 64, with anything in them; 0 where there is no memory
 * for them, nor any kernels. Views of the memory are made after this: `new
 * Uint8Array(kernels().memory.buffer, address, bytes)`; older ones stay good, but end where the
 * memory ended.
 */
export function allocate(bytes: number): number {
  const own = kernelsOfThread;
  if (!own) return 0;
  const size = Math.max(ALIGNMENT, roundUp(bytes));
  let block = free.find((candidate) => candidate.bytes >= size);
  while (!block) {
    const last = free.at(-1);
    const atEnd = last !== undefined && last.at + last.bytes === own.memory.buffer.byteLength ? last.bytes : 0;
    const pages = Math.ceil((size - atEnd) / PAGE);
    try {
      // Where it ended, not where this thread saw it end: another one may grow it at the same time,
      // and then what is new is not next to `last`.
      returnBlock(PAGE * own.memory.grow(pages), PAGE * pages);
    } catch {
      return 0;
    }
    block = free.find((candidate) => candidate.bytes >= size);
  }
  const { at } = block;
  block.at += size;
  block.bytes -= size;
  if (block.bytes === 0) free.splice(free.indexOf(block), 1);
  taken.set(at, size);
  return at;
}

/** Gives back what `allocate` gave. */
export function release(address: number): void {
  const bytes = taken.get(address);
  if (bytes === undefined) return;
  taken.delete(address);
  returnBlock(address, bytes);
}

function returnBlock(at: number, bytes: number): void {
  let i = free.findIndex((block) => block.at > at);
  if (i < 0) i = free.length;
  free.splice(i, 0, { at, bytes });
  const next = free[i + 1];
  if (next && at + bytes === next.at) {
    free[i].bytes += next.bytes;
    free.splice(i + 1, 1);
  }
  const before = free[i - 1];
  if (before && before.at + before.bytes === at) {
    before.bytes += free[i].bytes;
    free.splice(i, 1);
  }
}

/** Gives back what assets own when they are collected. */
const owners = new FinalizationRegistry<number>(release);

/** `allocate` for as long as `owner` lives. */
export function allocateFor(owner: object, bytes: number): number {
  const address = allocate(bytes);
  if (address !== 0) owners.register(owner, address, owner);
  return address;
}

/** Writes an array's bytes at an address. */
export function place(address: number, from: ArrayBufferView): void {
  const bytes = new Uint8Array((kernels() as Kernels).memory.buffer, address, from.byteLength);
  bytes.set(new Uint8Array(from.buffer, from.byteOffset, from.byteLength));
}

const placements = new WeakMap<object, number>();

/**
 * The address of what an asset, or a part of one, has in the memory; 0 where there was no room,
 * undefined where nobody has placed it.
 *
 * @example const known = placementOf(tree);
 *          if (known !== undefined) return known;
 *          const address = allocateFor(tree, bytes);
 *          adoptPlacement(tree, address); // and fill it
 */
export const placementOf = (owner: object): number | undefined => placements.get(owner);

/**
 * Remembers that address: by the thread that has placed the owner, and by workers, whose copies of
 * the owner are other objects, but the address means the same to all. So what is there must say all
 * that a query needs. It lasts as long as the owner of the thread that allocated it.
 */
export function adoptPlacement(owner: object, address: number): void {
  placements.set(owner, address);
}

/**
 * Gives an owner what another one has in the memory, which that one then has no more; what it had
 * itself, if anything, goes. Only in the thread that has allocated both, while no other reads them.
 */
export function movePlacement(from: object, to: object): void {
  const old = placements.get(to);
  const address = placements.get(from);
  owners.unregister(to);
  owners.unregister(from);
  placements.delete(to);
  placements.delete(from);
  if (old !== undefined && old !== address) release(old);
  if (address === undefined) return;
  placements.set(to, address);
  if (address !== 0) owners.register(to, address, to);
}
