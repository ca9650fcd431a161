/** Opens a GPU: a given device, the browser's, or that of the package `webgpu` in Node. */
import { GpuError } from '../base/errors.ts';
import { once, requireOptionTypes } from '../base/require.ts';
import { type AllTuples, collidingTuples } from './all-tuples.ts';
import { Gpu } from './gpu.ts';
import { type KdopLimits, type KdopOnGpu, type KdopSearch, openKdopSearch } from './kdop-poses.ts';
import { collidingBricks, type FoundBricks, type SortedBricks } from './sorted-bricks.ts';
import { type SurfaceBatch, type SurfaceBricks, surfaceBricks } from './surface-bricks.ts';
import type { GpuDevice } from './webgpu.ts';

/** An open GPU. Pass it as `device` to functions that can use one. */
export interface OpenGpu {
  /** The device's own name, as far as it is known. */
  readonly name: string;
  /** True if a program emulates the GPU: results are right, but slow. */
  readonly isSoftware: boolean;
  /** Yields the two-tuples of cubes that collide, all of them compared: see `collideAllPairs`. */
  allTuples(input: AllTuples): AsyncIterable<Uint32Array>;
  /** Finds the two-tuples of bricks with one key that have cubes in common: see `collideSorted`. */
  sortedBricks(input: SortedBricks): Promise<FoundBricks>;
  /** Yields the bricks of cells of triangles, except what f32 cannot decide: see `partitionAll`. */
  surfaceBricks(input: SurfaceBatch): AsyncIterable<SurfaceBricks>;
  /** Checks k-DOP trees in many pairs of poses: see `checkPoses`, and `steps` of a scene. */
  kdopTrees(trees: readonly KdopOnGpu[], limits?: KdopLimits): KdopSearch;
  /** Releases the device, unless you passed it in. */
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

const SOFTWARE = /swiftshader|llvmpipe|lavapipe|basic render/i;

/** Requested limits, if the adapter offers more than the guaranteed minimum. */
const LIMITS = ['maxStorageBufferBindingSize', 'maxBufferSize'] as const;

/**
 * Opens a GPU, to pass as `device` to functions that can use one.
 *
 * @param device an existing GPUDevice; it stays open
 * @throws GpuError if there is none, or its limits are too small; in Node the package `webgpu` may
 *   be missing
 * @example const gpu = await openGpu().catch(() => null); // null where there is no GPU
 */
export async function openGpu(options: { device?: GpuDevice } = {}): Promise<OpenGpu> {
  requireOptionTypes(options, { device: 'any' });
  const { device } = options;
  if (device) return opened(device, 'the device that was handed in', false, () => {});
  const own = await findDevice();
  return opened(own.device, own.name, own.isSoftware, () => own.device.destroy());
}

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

const entry = async (): Promise<Entry> =>
  (globalThis as { navigator?: { gpu?: Entry } }).navigator?.gpu ?? entryOfPackage();

/** Made once: the process crashes if it is garbage-collected before its devices. */
const entryOfPackage = /* @__PURE__ */ once(async (): Promise<Entry> => {
  // A bare module name would make bundlers of pages resolve it.
  const name = 'webgpu';
  const found = await import(/* @vite-ignore */ name).catch(() => null);
  if (!found) throw new GpuError('no WebGPU here: in Node, npm install webgpu');
  return (found as { create(flags: string[]): Entry }).create([]);
});
