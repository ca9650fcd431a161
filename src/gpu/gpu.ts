/**
 * Wraps a device: creates buffers, runs shaders by name, and reports every failure as one GpuError.
 *
 * Only requested buffers are read back. A buffer is limited to the bytes that a shader may bind;
 * larger work needs batches.
 */
import { GpuError } from '../base/errors.ts';
import { SHADERS } from './shaders.generated.ts';
import { type GpuBuffer, type GpuDevice, type GpuPipeline, MAP_READ, USAGE } from './webgpu.ts';

/** Largest number of workgroups of one dimension, which every device has. */
export const MOST_GROUPS = 65_535;

/** Limits that shaders need. Devices in WebGPU's compatibility mode may have less. */
const LEAST = {
  maxComputeInvocationsPerWorkgroup: 256,
  maxComputeWorkgroupsPerDimension: MOST_GROUPS,
  maxComputeWorkgroupStorageSize: 16_384,
  maxStorageBuffersPerShaderStage: 8,
} as const;

export interface Pass {
  shader: keyof typeof SHADERS;
  entry: string;
  buffers: Readonly<Record<number, GpuBuffer>>;
  groups: number;
}

export interface Read {
  buffer: GpuBuffer;
  words: number;
  from?: number;
}

export class Gpu {
  private readonly pipelines = new Map<string, Promise<GpuPipeline>>();
  /** Errors of buffers created since the last run; null for each valid one. */
  private made: Promise<{ readonly message: string } | null>[] = [];
  private lost: string | null = null;

  /** @throws GpuError in WebGPU's compatibility mode, which may have less than shaders need */
  constructor(readonly device: GpuDevice) {
    for (const [name, least] of Object.entries(LEAST)) {
      const found = device.limits[name as keyof typeof LEAST];
      if (!(found >= least))
        throw new GpuError(`limits too small: expected ${name} of at least ${least}, found ${found}`);
    }
    device.lost.then(({ message }) => {
      this.lost = message || 'without a reason';
    });
  }

  get mostBytes(): number {
    const { maxStorageBufferBindingSize, maxBufferSize } = this.device.limits;
    return Math.min(maxStorageBufferBindingSize, maxBufferSize);
  }

  storage(data: ArrayBufferView | number): GpuBuffer {
    const bytes = typeof data === 'number' ? data : data.byteLength;
    if (bytes > this.mostBytes) throw new GpuError(`a buffer of ${bytes} bytes: the device allows ${this.mostBytes}`);
    const size = Math.max(16, Math.ceil(bytes / 4) * 4);
    const buffer = this.buffer(size, USAGE.storage | USAGE.copySource | USAGE.copyTarget);
    if (typeof data !== 'number') this.device.queue.writeBuffer(buffer, 0, ownBytes(data));
    return buffer;
  }

  uniform(words: readonly number[]): GpuBuffer {
    const size = Math.ceil(words.length / 4) * 16;
    const buffer = this.buffer(size, USAGE.uniform | USAGE.copyTarget);
    const data = new Uint32Array(size / 4);
    data.set(words);
    this.device.queue.writeBuffer(buffer, 0, data);
    return buffer;
  }

  /**
   * Runs passes one after the other, then reads words of buffers.
   *
   * @throws GpuError if the device refuses them, runs out of memory, or is lost
   */
  async run(passes: readonly Pass[], reads: readonly Read[]): Promise<Uint32Array[]> {
    try {
      return await this.submit(passes, reads);
    } catch (error) {
      if (error instanceof GpuError || error instanceof TypeError) throw error;
      this.requireDevice();
      throw new GpuError((error as Error).message);
    }
  }

  private async submit(passes: readonly Pass[], reads: readonly Read[]): Promise<Uint32Array[]> {
    const pipelines = await Promise.all(passes.map(({ shader, entry }) => this.pipeline(shader, entry)));
    this.requireDevice();
    const staged: GpuBuffer[] = [];
    try {
      this.device.pushErrorScope('validation');
      const encoder = this.device.createCommandEncoder();
      for (const [n, { buffers, groups }] of passes.entries()) {
        const pass = encoder.beginComputePass();
        pass.setPipeline(pipelines[n]);
        const entries = Object.entries(buffers).map(([n, buffer]) => ({ binding: Number(n), resource: { buffer } }));
        pass.setBindGroup(0, this.device.createBindGroup({ layout: pipelines[n].getBindGroupLayout(0), entries }));
        pass.dispatchWorkgroups(groups);
        pass.end();
      }
      for (const { buffer, words, from = 0 } of reads) {
        const copy = this.buffer(4 * words, USAGE.mapRead | USAGE.copyTarget);
        encoder.copyBufferToBuffer(buffer, 4 * from, copy, 0, 4 * words);
        staged.push(copy);
      }
      this.device.queue.submit([encoder.finish()]);
      // An invalid buffer also makes its pass invalid: report the cause first.
      const wrong = await Promise.all([...this.made.splice(0), this.device.popErrorScope()]);
      const first = wrong.find((each) => each !== null);
      if (first) throw new GpuError(first.message);
      this.requireDevice();
      return await Promise.all(
        staged.map(async (copy) => {
          await copy.mapAsync(MAP_READ);
          return new Uint32Array(copy.getMappedRange().slice(0));
        }),
      );
    } finally {
      for (const copy of staged) copy.destroy();
    }
  }

  private buffer(size: number, usage: number): GpuBuffer {
    this.device.pushErrorScope('out-of-memory');
    const buffer = this.device.createBuffer({ size, usage });
    this.made.push(this.device.popErrorScope().catch((error: Error) => error));
    return buffer;
  }

  private requireDevice(): void {
    if (this.lost !== null) throw new GpuError(`the device is lost: ${this.lost}`);
  }

  private pipeline(shader: keyof typeof SHADERS, entryPoint: string): Promise<GpuPipeline> {
    const name = `${shader}: ${entryPoint}`;
    let pipeline = this.pipelines.get(name);
    if (!pipeline) {
      const module = this.device.createShaderModule({ code: SHADERS[shader], label: shader });
      pipeline = this.device
        .createComputePipelineAsync({ layout: 'auto', compute: { module, entryPoint }, label: name })
        .catch((error: Error) => {
          throw new GpuError(`${name}: ${error.message}`);
        });
      this.pipelines.set(name, pipeline);
    }
    return pipeline;
  }
}

/** Copies shared bytes: devices accept only unshared ones, and Dawn ends the process otherwise. */
function ownBytes({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array {
  const bytes = new Uint8Array(buffer, byteOffset, byteLength);
  return typeof SharedArrayBuffer !== 'undefined' && buffer instanceof SharedArrayBuffer ? bytes.slice() : bytes;
}

/** Buffers that are destroyed together. */
export class Room {
  private readonly buffers: GpuBuffer[] = [];

  constructor(readonly gpu: Gpu) {}

  storage(data: ArrayBufferView | number): GpuBuffer {
    return this.kept(this.gpu.storage(data));
  }

  uniform(words: readonly number[]): GpuBuffer {
    return this.kept(this.gpu.uniform(words));
  }

  close(): void {
    for (const buffer of this.buffers.splice(0)) buffer.destroy();
  }

  private kept(buffer: GpuBuffer): GpuBuffer {
    this.buffers.push(buffer);
    return buffer;
  }
}
