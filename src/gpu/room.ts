/** Buffers that are destroyed together. */
import type { Gpu } from './gpu.ts';
import type { GpuBuffer } from './webgpu.ts';

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
