/**
 * A device with what is compiled for it: buffers come from here, shaders run by their names, and
 * what goes wrong is one GpuError.
 *
 * Nothing is read back but what is asked for. Buffers are of at most as many bytes as a shader may
 * bind; who has more to do does it in batches.
 */
import { GpuError } from '../math/errors.ts';
import { SHADERS } from './shaders.generated.ts';
import { type GpuBuffer, type GpuDevice, type GpuPipeline, MAP_READ, USAGE } from './webgpu.ts';

/** Workgroups of one dimension, at most: what every device has. */
export const MOST_GROUPS = 65_535;

/** An entry of a shader, how many workgroups run it, and the buffers of the bindings that it uses. */
export interface Pass {
  shader: keyof typeof SHADERS;
  entry: string;
  buffers: Readonly<Record<number, GpuBuffer>>;
  groups: number;
}

/** Words of a buffer, `from` a word on; from the first unless given. */
export interface Read {
  buffer: GpuBuffer;
  words: number;
  from?: number;
}

export class Gpu {
  private readonly pipelines = new Map<string, Promise<GpuPipeline>>();
  private lost: string | null = null;

  constructor(readonly device: GpuDevice) {
    device.lost.then(({ message }) => {
      this.lost = message || 'without a reason';
    });
  }

  /** Bytes that one buffer may have. */
  get mostBytes(): number {
    const { maxStorageBufferBindingSize, maxBufferSize } = this.device.limits;
    return Math.min(maxStorageBufferBindingSize, maxBufferSize);
  }

  /** A buffer that shaders read and write, with data in it or zeros. */
  storage(data: ArrayBufferView | number): GpuBuffer {
    const bytes = typeof data === 'number' ? data : data.byteLength;
    if (bytes > this.mostBytes) throw new GpuError(`a buffer of ${bytes} bytes: the device has ${this.mostBytes}`);
    const buffer = this.device.createBuffer({
      size: Math.max(16, Math.ceil(bytes / 4) * 4),
      usage: USAGE.storage | USAGE.copySource | USAGE.copyTarget,
    });
    if (typeof data !== 'number') this.device.queue.writeBuffer(buffer, 0, ownBytes(data));
    return buffer;
  }

  /** Constants of a pass, four bytes each. */
  uniform(words: readonly number[]): GpuBuffer {
    const size = Math.ceil(words.length / 4) * 16;
    const buffer = this.device.createBuffer({ size, usage: USAGE.uniform | USAGE.copyTarget });
    const data = new Uint32Array(size / 4);
    data.set(words);
    this.device.queue.writeBuffer(buffer, 0, data);
    return buffer;
  }

  /**
   * Runs passes one after the other, and reads words of buffers when they are done.
   *
   * @throws GpuError where the device refuses them, runs out of memory, or is lost
   */
  async run(passes: readonly Pass[], reads: readonly Read[]): Promise<Uint32Array[]> {
    const pipelines = await Promise.all(passes.map(({ shader, entry }) => this.pipeline(shader, entry)));
    this.requireDevice();
    this.device.pushErrorScope('out-of-memory');
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
    const staged = reads.map(({ buffer, words, from = 0 }) => {
      const copy = this.device.createBuffer({ size: 4 * words, usage: USAGE.mapRead | USAGE.copyTarget });
      encoder.copyBufferToBuffer(buffer, 4 * from, copy, 0, 4 * words);
      return copy;
    });
    this.device.queue.submit([encoder.finish()]);
    const [invalid, lacking] = await Promise.all([this.device.popErrorScope(), this.device.popErrorScope()]);
    this.requireDevice();
    if (invalid ?? lacking) throw new GpuError((invalid ?? lacking)!.message.split('\n')[0]);
    try {
      return await Promise.all(
        staged.map(async (copy) => {
          await copy.mapAsync(MAP_READ);
          return new Uint32Array(copy.getMappedRange().slice(0));
        }),
      );
    } catch (error) {
      throw new GpuError(`the device is lost: ${this.lost ?? (error as Error).message}`);
    } finally {
      for (const copy of staged) copy.destroy();
    }
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
          throw new GpuError(`${name}: ${error.message.split('\n')[0]}`);
        });
      this.pipelines.set(name, pipeline);
    }
    return pipeline;
  }
}

/** Bytes that no other thread can write: a device takes no others, and Dawn ends the process at them. */
function ownBytes({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array {
  const bytes = new Uint8Array(buffer, byteOffset, byteLength);
  return typeof SharedArrayBuffer !== 'undefined' && buffer instanceof SharedArrayBuffer ? bytes.slice() : bytes;
}
