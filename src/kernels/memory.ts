/**
 * The one memory that WebAssembly kernels, their assets and workers share, and the kernels in it.
 *
 * Each kind's kernels are a module of their own (scripts/build-kernels.mjs), compiled when it is
 * first used: a page only loads the modules that it imports. A shared memory does not detach its
 * views when it grows, and workers see the same trees. Each thread has its own *workspace*, in
 * which a kernel works, apart from its results. Kernels keep no static data, only mutable globals,
 * which every instance has for itself. If an engine lacks WebAssembly, its SIMD or shared memories,
 * `kernels` returns null, and callers use the kind's own search.
 */
import { bytesOfModule } from './module-text.ts';

/** Arguments and results are 32-bit integers (addresses among them) and doubles. */
type KernelFunction = (...numbers: number[]) => number;

/** The module of a folder's kernel.as.ts: KERNEL of kernel.generated.ts. */
export interface KernelModule<Name extends string> {
  /** A letter for each frequent byte, two for another: see module-text.ts. */
  readonly code: string;
  /** A bit for each byte, four in a hexadecimal digit. */
  readonly frequent: string;
  /** For types alone. */
  readonly names?: Name;
}

/** The memory in which the kernels of a thread work. */
export interface KernelMemory {
  readonly memory: WebAssembly.Memory;
  /** Address of this thread's own WORKSPACE_BYTES. */
  readonly workspace: number;
}

export interface Kernels<Name extends string> extends KernelMemory {
  readonly functions: Readonly<Record<Name, KernelFunction>>;
}

/** Data to post to other threads for `joinKernels`. */
export interface SharedKernels {
  memory: WebAssembly.Memory;
  /** In shared memory: the number taken, and then the address of each. */
  workspaces: Uint32Array;
}

/** Each thread's stacks of pairs, moved triangles, expansions and lists of contacts. */
export const WORKSPACE_BYTES = 1 << 20;

/** All assets begin at multiples of this: a line of the cache, and more than any vector needs. */
const ALIGNMENT = 64;
const PAGE = 65536;
/** The limit of 32-bit addresses, and fallbacks for processes that may not reserve so much. */
const MOST_PAGES = [65536, 16384, 4096];
/** A module whose one function uses SIMD: `i8x16.popcnt(i8x16.splat(0))`. */
const WITH_SIMD = [
  ...[0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0],
  ...[10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11],
];

let memoryOfThread: KernelMemory | null | undefined;
/** True if the engine has WebAssembly, but not the addresses for a memory. */
let isShortOfAddresses = false;
let heapOfThread: Heap | undefined;

interface Compiled<Name extends string> {
  module: WebAssembly.Module;
  kernels: Kernels<Name>;
}
const compiled = new Map<object, Compiled<never>>();

/** True while a query reports contacts, with more to come: see `whileBusy`. */
let isBusy = false;

/**
 * Runs a callback in the middle of a query whose state is in the workspace: queries inside it find
 * no kernels and use the search. Code that keeps kernels for later must call `kernelMemory` again.
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
 * This thread's memory for kernels, made at the first call; null where the engine cannot run them,
 * or they are in use.
 */
export const kernelMemory = (): KernelMemory | null => (isBusy ? null : ownMemory());

/** A module's functions in this thread; compiled at the first call, in less than a millisecond. */
export function kernels<Name extends string>(kernel: KernelModule<Name>): Kernels<Name> | null {
  return isBusy ? null : (compile(kernel)?.kernels ?? null);
}

function ownMemory(): KernelMemory | null {
  if (memoryOfThread === undefined) {
    try {
      memoryOfThread = create();
    } catch (error) {
      memoryOfThread = null;
      isShortOfAddresses = error instanceof RangeError;
    }
  }
  return memoryOfThread;
}

/** @throws if an engine lacks SIMD or shared memory, or a page's policy forbids modules */
function create(): KernelMemory {
  new WebAssembly.Module(Uint8Array.from(WITH_SIMD));
  const memory = createMemory();
  heapOfThread = heapOf(memory);
  return { memory, workspace: allocate(WORKSPACE_BYTES) };
}

function compile<Name extends string>(kernel: KernelModule<Name>): Compiled<Name> | null {
  const own = ownMemory();
  if (!own) return null;
  const known = compiled.get(kernel);
  if (known) return known as Compiled<Name>;
  const module = new WebAssembly.Module(bytesOfModule(kernel));
  const made = { module, kernels: { ...own, functions: functionsOf<Name>(module, own.memory) } };
  compiled.set(kernel, made);
  return made;
}

/** @throws RangeError where the process may not reserve the addresses */
function createMemory(): WebAssembly.Memory {
  let refusal: unknown;
  for (const maximum of MOST_PAGES) {
    try {
      return new WebAssembly.Memory({ initial: 32, maximum, shared: true });
    } catch (error) {
      refusal = error; // The next is smaller.
    }
  }
  throw refusal;
}

function functionsOf<Name extends string>(
  module: WebAssembly.Module,
  memory: WebAssembly.Memory,
): Kernels<Name>['functions'] {
  return new WebAssembly.Instance(module, { env: { memory } }).exports as Kernels<Name>['functions'];
}

/** Data to post to `threads` threads, with a workspace for each; null without kernels or memory. */
export function shareKernels(threads: number): SharedKernels | null {
  const own = kernelMemory();
  if (!own) return null;
  const workspaces = new Uint32Array(new SharedArrayBuffer(4 * (threads + 1)));
  for (let i = 1; i <= threads; i++) workspaces[i] = allocate(WORKSPACE_BYTES);
  const shared = { memory: own.memory, workspaces };
  if (!workspaces.includes(0, 1)) return shared;
  releaseWorkspaces(shared);
  return null;
}

export function releaseWorkspaces({ workspaces }: SharedKernels): void {
  for (const address of workspaces.subarray(1)) release(address);
}

/**
 * Joins the first thread's memory from another thread, before it asks for kernels, and takes one of
 * the workspaces. Addresses mean the same. This thread allocates only from memory that it has added
 * itself, so that no two threads give away the same block. It compiles the modules that it uses;
 * engines keep the code of a process's equal modules once.
 *
 * @throws Error if all workspaces are taken
 */
export function joinKernels({ memory, workspaces }: SharedKernels): void {
  const number = Atomics.add(workspaces, 0, 1) + 1;
  if (number >= workspaces.length) throw new Error('joinKernels: more threads than workspaces');
  heapOfThread = { memory, free: [], taken: new Map() };
  compiled.clear();
  memoryOfThread = { memory, workspace: workspaces[number] };
}

// -------------------------------------------------------------------------------------- allocation

interface Heap {
  memory: WebAssembly.Memory;
  /** By address, no two adjacent. */
  free: { at: number; bytes: number }[];
  /** The length of every allocated block. */
  taken: Map<number, number>;
}

/** All of a memory except its first line, since 0 is no address. */
function heapOf(memory: WebAssembly.Memory): Heap {
  return { memory, free: [{ at: ALIGNMENT, bytes: memory.buffer.byteLength - ALIGNMENT }], taken: new Map() };
}

const roundUp = (bytes: number): number => Math.ceil(bytes / ALIGNMENT) * ALIGNMENT;

/**
 * Returns the address of this number of bytes, a multiple of 64, with any content. Returns 0
 * without kernels or memory. Make views of the memory after this, with `kernelMemory`; older ones
 * stay valid, but end where the memory ended.
 */
export const allocate = (bytes: number): number => (heapOfThread ? takeBlock(heapOfThread, bytes) : 0);

function takeBlock({ memory, free, taken }: Heap, bytes: number): number {
  const size = Math.max(ALIGNMENT, roundUp(bytes));
  let block = free.find((candidate) => candidate.bytes >= size);
  while (!block) {
    const last = free.at(-1);
    const atEnd = last !== undefined && last.at + last.bytes === memory.buffer.byteLength ? last.bytes : 0;
    const pages = Math.ceil((size - atEnd) / PAGE);
    try {
      // The old end, not the end that this thread has seen: another thread may grow the memory at
      // the same time, and then the new part is not next to `last`.
      returnBlock(free, PAGE * memory.grow(pages), PAGE * pages);
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

export function release(address: number): void {
  if (heapOfThread) releaseBlock(heapOfThread, address);
}

function releaseBlock({ free, taken }: Heap, address: number): void {
  const bytes = taken.get(address);
  if (bytes === undefined) return;
  taken.delete(address);
  returnBlock(free, address, bytes);
}

function returnBlock(free: Heap['free'], at: number, bytes: number): void {
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

/** The tools of a build: functions, and blocks of their memory until the build ends. */
export interface Workshop<Name extends string> {
  readonly memory: WebAssembly.Memory;
  readonly functions: Kernels<Name>['functions'];
  /** The address of this number of bytes, as from `allocate`. */
  hold(bytes: number): number;
  put(from: ArrayBufferView): number;
  giveBack(address: number): void;
}

/** A heap has no room for a request. */
class FullHeap extends Error {}

/**
 * Runs a build by a kernel's module in this thread's memory, or again in a memory of its own if
 * that one is full. Builds also run while the kernels are in use (`whileBusy`). Then each has an
 * instance of its own, with a state that no other code touches.
 *
 * @returns undefined if the engine lacks WebAssembly, or no memory can hold the build
 */
export function runBuild<T, Name extends string>(
  kernel: KernelModule<Name>,
  work: (workshop: Workshop<Name>) => T,
): T | undefined {
  const own = compile(kernel);
  if (!own || !heapOfThread) return undefined;
  const { module, kernels } = own;
  const functions = isBusy ? functionsOf<Name>(module, kernels.memory) : kernels.functions;
  try {
    return runIn(heapOfThread, functions, work);
  } catch (error) {
    if (!(error instanceof FullHeap)) throw error;
  }
  const spare = createSpare<Name>(module);
  try {
    return spare && runIn(spare.heap, spare.functions, work);
  } catch (error) {
    if (error instanceof FullHeap) return undefined;
    throw error;
  }
}

/**
 * Why runBuild has given nothing, for messages: reads on after "WebAssembly, ". V8 reserves 10 GB
 * of addresses for a memory, however small, unless its trap handler is off.
 */
export function whyNotBuilt(): string {
  if (ownMemory()) return 'whose memory of at most 4 GB is too small for this build';
  if (!isShortOfAddresses) return 'which is missing here';
  return (
    'which needs 13 GB of address space (not of memory), and this process may not reserve so much: ' +
    'raise its limit (ulimit -v), or set NODE_OPTIONS=--disable-wasm-trap-handler'
  );
}

/** A memory for a single build; undefined if the process may not reserve another. */
function createSpare<Name extends string>(
  module: WebAssembly.Module,
): { heap: Heap; functions: Kernels<Name>['functions'] } | undefined {
  try {
    const memory = createMemory();
    return { heap: heapOf(memory), functions: functionsOf<Name>(module, memory) };
  } catch {
    return undefined;
  }
}

function runIn<T, Name extends string>(
  heap: Heap,
  functions: Kernels<Name>['functions'],
  work: (workshop: Workshop<Name>) => T,
): T {
  const { memory } = heap;
  const held = new Set<number>();
  const hold = (bytes: number): number => {
    const address = takeBlock(heap, bytes);
    if (address === 0) throw new FullHeap();
    held.add(address);
    return address;
  };
  const put = (from: ArrayBufferView): number => {
    const address = hold(from.byteLength);
    writeBytes(memory, address, from);
    return address;
  };
  const giveBack = (address: number): void => {
    held.delete(address);
    releaseBlock(heap, address);
  };
  try {
    return work({ memory, functions, hold, put, giveBack });
  } finally {
    for (const address of held) releaseBlock(heap, address);
  }
}

/** Undefined if the engine reports no collected owners: Cloudflare Workers before mid-2025. */
const owners = typeof FinalizationRegistry === 'undefined' ? undefined : new FinalizationRegistry<number>(release);

/** Like `allocate`, while `owner` lives. Returns 0, no room, if its end is not reported. */
export function allocateFor(owner: object, bytes: number): number {
  if (!owners) return 0;
  const address = allocate(bytes);
  if (address !== 0) owners.register(owner, address, owner);
  return address;
}

/** Releases what `allocateFor` gave an owner, before it ends. */
export function releaseFrom(owner: object, address: number): void {
  owners?.unregister(owner);
  release(address);
}

/** Writes an array's bytes at an address. */
export const place = (address: number, from: ArrayBufferView): void =>
  writeBytes((kernelMemory() as KernelMemory).memory, address, from);

export function writeBytes({ buffer }: WebAssembly.Memory, address: number, from: ArrayBufferView): void {
  const bytes = new Uint8Array(buffer, address, from.byteLength);
  bytes.set(new Uint8Array(from.buffer, from.byteOffset, from.byteLength));
}

const placements = new WeakMap<object, number>();

/**
 * The address of an asset's, or its part's, data in the memory; 0 if there was no room, undefined
 * if it was never placed.
 */
export const placementOf = (owner: object): number | undefined => placements.get(owner);

/**
 * Remembers that address, in the thread that has placed the owner and in workers. Their copies of
 * the owner are other objects, but the address means the same to all. So the data there must
 * suffice for a query. It lasts as long as the owner in the thread that allocated it.
 */
export function adoptPlacement(owner: object, address: number): void {
  placements.set(owner, address);
}

/**
 * Moves an owner's placement to another one, whose old placement is released. Only in the thread
 * that has allocated both, while no other reads them.
 */
export function movePlacement(from: object, to: object): void {
  const old = placements.get(to);
  const address = placements.get(from);
  owners?.unregister(to);
  owners?.unregister(from);
  placements.delete(to);
  placements.delete(from);
  if (old !== undefined && old !== address) release(old);
  if (address === undefined) return;
  placements.set(to, address);
  if (address !== 0) owners?.register(to, address, to);
}
