/** A WebGPU device that computes nothing, and fails as a test asks for: no hardware does so on demand. */
import type { GpuBuffer, GpuDevice } from '../../src/gpu/webgpu.ts';

export interface Faults {
  limits?: Partial<GpuDevice['limits']>;
  /** The error that a scope of this kind reports. */
  scope?: { filter: string; message: string };
  /** The device is lost when the first commands reach it. */
  isLost?: boolean;
  /** A pipeline is refused. */
  pipeline?: string;
}

const LIMITS: GpuDevice['limits'] = {
  maxStorageBufferBindingSize: 2 ** 27,
  maxBufferSize: 2 ** 28,
  maxComputeWorkgroupsPerDimension: 65_535,
  maxComputeInvocationsPerWorkgroup: 256,
  maxComputeWorkgroupStorageSize: 16_384,
  maxStorageBuffersPerShaderStage: 8,
};

/** Counts the buffers that were not returned. */
export interface FakeDevice extends GpuDevice {
  buffers: number;
}

export function fakeDevice({ limits, scope, isLost, pipeline }: Faults = {}): FakeDevice {
  const scopes: string[] = [];
  let lose: (value: { message: string }) => void = () => {};
  let gone = false;
  const device: FakeDevice = {
    buffers: 0,
    limits: { ...LIMITS, ...limits },
    lost: new Promise((done) => {
      lose = done;
    }),
    queue: {
      submit: () => {
        if (isLost) device.destroy();
      },
      writeBuffer: () => {},
    },
    createBuffer({ size }): GpuBuffer {
      device.buffers++;
      return {
        size,
        mapAsync: async () => {
          if (gone) throw new DOMException('the buffer is gone', 'AbortError');
        },
        getMappedRange: () => new ArrayBuffer(size),
        unmap: () => {},
        destroy: () => {
          device.buffers--;
        },
      };
    },
    createShaderModule: () => ({ getCompilationInfo: async () => ({ messages: [] }) }),
    createComputePipelineAsync: async () => {
      if (pipeline) throw new DOMException(pipeline, 'GPUPipelineError');
      return { getBindGroupLayout: () => ({}) };
    },
    createBindGroup: () => ({}),
    createCommandEncoder: () => ({
      beginComputePass: () => ({ setPipeline() {}, setBindGroup() {}, dispatchWorkgroups() {}, end() {} }),
      copyBufferToBuffer() {},
      finish: () => ({}),
    }),
    pushErrorScope: (filter) => scopes.push(filter),
    async popErrorScope() {
      const filter = scopes.pop();
      if (gone) throw new DOMException('no scope of a device that is gone', 'OperationError');
      return scope?.filter === filter ? { message: scope?.message ?? '' } : null;
    },
    destroy() {
      gone = true;
      lose({ message: 'it was unplugged\nwhile it ran' });
    },
  };
  return device;
}

/** Runs work where `navigator.gpu` offers a device, or an adapter that has none: a message. */
export async function withNavigator<Answer>(
  device: GpuDevice | string | null,
  work: () => Promise<Answer>,
): Promise<Answer> {
  const before = Object.getOwnPropertyDescriptor(globalThis, 'navigator');
  const requestDevice = async () => {
    if (typeof device === 'string') throw new DOMException(device, 'OperationError');
    return device;
  };
  const adapter = { info: { vendor: 'fake' }, limits: LIMITS, requestDevice };
  const gpu = { requestAdapter: async () => (device === null ? null : adapter) };
  Object.defineProperty(globalThis, 'navigator', { value: { gpu }, configurable: true });
  try {
    return await work();
  } finally {
    if (before) Object.defineProperty(globalThis, 'navigator', before);
    else Reflect.deleteProperty(globalThis, 'navigator');
  }
}

/**
 * Source of a module that a program loads before its own: a device that leaves all to the processor,
 * and is lost when it has answered once.
 */
export const LOST_GPU = `
  let runs = 0;
  const buffer = (size) => ({
    size,
    destroy() {},
    unmap() {},
    mapAsync: async () => { if (++runs > 1) throw new Error('it fell out'); },
    getMappedRange: () => new Uint32Array(size / 4).fill(2).buffer,
  });
  const pass = { setPipeline() {}, setBindGroup() {}, dispatchWorkgroups() {}, end() {} };
  const device = {
    limits: {
      maxStorageBufferBindingSize: 2 ** 27,
      maxBufferSize: 2 ** 28,
      maxComputeInvocationsPerWorkgroup: 256,
      maxComputeWorkgroupsPerDimension: 65535,
      maxComputeWorkgroupStorageSize: 16384,
      maxStorageBuffersPerShaderStage: 8,
    },
    lost: new Promise(() => {}),
    queue: { submit() {}, writeBuffer() {} },
    createBuffer: ({ size }) => buffer(size),
    createShaderModule: () => ({}),
    createComputePipelineAsync: async () => ({ getBindGroupLayout: () => ({}) }),
    createBindGroup: () => ({}),
    createCommandEncoder: () => ({ beginComputePass: () => pass, copyBufferToBuffer() {}, finish: () => ({}) }),
    pushErrorScope() {},
    popErrorScope: async () => null,
    destroy() {},
  };
  const adapter = { info: { vendor: 'ours' }, limits: device.limits, requestDevice: async () => device };
  Object.defineProperty(globalThis, 'navigator', { value: { gpu: { requestAdapter: async () => adapter } } });`;
