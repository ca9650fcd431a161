/** Buffers that are needed for a while, and go together. */
import type { Gpu } from './gpu.ts';
import type { GpuBuffer } from './webgpu.ts';

export class Room {
  private readonly buffers: GpuBuffer[] = [];

  constructor(readonly gpu: Gpu) {}

  /** As Gpu has it. */
  storage(data: ArrayBufferView | number): GpuBuffer {
    return this.kept(this.gpu.storage(data));
  }

  /** As Gpu has it. */
  uniform(words: readonly number[]): GpuBuffer {
    return this.kept(this.gpu.uniform(words));
  }

  /** Gives back what came from here. */
  close(): void {
    for (const buffer of this.buffers.splice(0)) buffer.destroy();
  }

  private kept(buffer: GpuBuffer): GpuBuffer {
    this.buffers.push(buffer);
    return buffer;
  }
}
