/** Opens a GPU: one that is handed in, the browser's, or that of the package `webgpu` in Node. */
import { GpuError } from '../math/errors.ts';
import { requireOptionTypes } from '../math/require.ts';
import { type AllTuples, collidingTuples } from './all-tuples.ts';
import { Gpu } from './gpu.ts';
import { type KdopLimits, type KdopOnGpu, type KdopSearch, openKdopSearch } from './kdop-poses.ts';
import { collidingBricks, type FoundBricks, type SortedBricks } from './sorted-bricks.ts';
import { type SurfaceBatch, type SurfaceBricks, surfaceBricks } from './surface-bricks.ts';
import type { GpuDevice } from './webgpu.ts';

/** A GPU that is open. It goes to those who can use one as their `device`. */
export interface OpenGpu {
  /** What the device calls itself, as far as that is known. */
  readonly name: string;
  /** Whether it is a program that stands in for a GPU: right, and slow. */
  readonly isSoftware: boolean;
  /** The two-tuples of cubes that collide, all of them compared: see `collideAllPairs`. */
  allTuples(input: AllTuples): AsyncIterable<Uint32Array>;
  /** The two-tuples of bricks with one key that have cubes in common: see `collideSorted`. */
  sortedBricks(input: SortedBricks): Promise<FoundBricks>;
  /** The bricks of cells that triangles take, but for what f32 cannot tell: see `partitionAll`. */
  surfaceBricks(input: SurfaceBatch): AsyncIterable<SurfaceBricks>;
  /** k-DOP trees for many pairs of poses: see `checkPoses`, and `steps` of a scene. */
  kdopTrees(trees: readonly KdopOnGpu[], limits?: KdopLimits): KdopSearch;
  /** Gives the device back, unless it was handed in. */
  close(): void;
}

interface Adapter {
  readonly info?: { vendor?: string; architecture?: string; device?: string; description?: string };
  readonly isFallbackAdapter?: boolean;
  readonly limits: GpuDevice['limits'];
  requestDevice(options: { requiredLimits: Record<string, number> }): Promise<GpuDevice>;
}

interface Entry {
  requestAdapter(options?: { powerPreference: string }): Promise<Adapter | null>;
}

/** Programs that stand in for a GPU, by what their adapters call themselves. */
const SOFTWARE = /swiftshader|llvmpipe|lavapipe|basic render/i;

/** What is asked for where the adapter has more than every device must have. */
const LIMITS = ['maxStorageBufferBindingSize', 'maxBufferSize'] as const;

/**
 * @param device a GPUDevice that is there already; it stays open
 * @throws GpuError where there is none, or one that is too small: in Node the package `webgpu` may be
 *   missing
 * @example const gpu = await openGpu().catch(() => null); // null where there is no GPU
 */
export async function openGpu(options: { device?: GpuDevice } = {}): Promise<OpenGpu> {
  requireOptionTypes(options, { device: 'any' });
  const { device } = options;
  if (device) return opened(device, 'the device that was handed in', false, () => {});
  const own = await findDevice();
  return opened(own.device, own.name, own.isSoftware, () => own.device.destroy());
}

/**
 * The system's device, its name, and whether it is a program.
 *
 * @throws GpuError where there is none
 */
export async function findDevice(): Promise<{ device: GpuDevice; name: string; isSoftware: boolean }> {
  const adapter = await (await entry()).requestAdapter({ powerPreference: 'high-performance' });
  if (!adapter) throw new GpuError('no adapter: the system offers no GPU to WebGPU');
  const requiredLimits = Object.fromEntries(LIMITS.map((name) => [name, adapter.limits[name]]));
  const device = await adapter.requestDevice({ requiredLimits }).catch((error: Error) => {
    throw new GpuError(`no device: ${error.message}`);
  });
  const { vendor = '', architecture = '', device: model = '', description = '' } = adapter.info ?? {};
  const name = [vendor, description || model || architecture].filter(Boolean).join(' ') || 'a GPU without a name';
  return { device, name, isSoftware: adapter.isFallbackAdapter === true || SOFTWARE.test(`${name} ${architecture}`) };
}

function opened(device: GpuDevice, name: string, isSoftware: boolean, close: () => void): OpenGpu {
  const gpu = gpuOf(device, close);
  return {
    name,
    isSoftware,
    allTuples: (input) => collidingTuples(gpu, input),
    sortedBricks: (input) => collidingBricks(gpu, input),
    surfaceBricks: (input) => surfaceBricks(gpu, input),
    kdopTrees: (trees, limits) => openKdopSearch(gpu, trees, limits),
    close,
  };
}

function gpuOf(device: GpuDevice, close: () => void): Gpu {
  try {
    return new Gpu(device);
  } catch (error) {
    close();
    throw error;
  }
}

/** The package's: the process ends badly where it is collected before its devices. */
let kept: Entry | undefined;

/** `navigator.gpu`, of the browser or of the package. */
async function entry(): Promise<Entry> {
  const own = (globalThis as { navigator?: { gpu?: Entry } }).navigator?.gpu ?? kept;
  if (own) return own;
  // Not by its bare name: bundlers of pages would look for it.
  const name = 'webgpu';
  const found = await import(/* @vite-ignore */ name).catch(() => null);
  if (!found) throw new GpuError('no WebGPU here: in Node, npm install webgpu');
  kept = (found as { create(flags: string[]): Entry }).create([]);
  return kept;
}
