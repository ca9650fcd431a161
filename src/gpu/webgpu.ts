/**
 * The parts of WebGPU in use, as shapes. `navigator.gpu` of browsers and the package `webgpu` of
 * Node fit them, and compiling needs the types of neither.
 *
 * W3C, "WebGPU", Candidate Recommendation, 2025.
 */

export interface GpuBuffer {
  readonly size: number;
  mapAsync(mode: number): Promise<void>;
  getMappedRange(offset?: number, size?: number): ArrayBuffer;
  unmap(): void;
  destroy(): void;
}

interface GpuMessage {
  readonly type: string;
  readonly message: string;
  readonly lineNum: number;
  readonly linePos: number;
}

interface ShaderModule {
  getCompilationInfo(): Promise<{ readonly messages: readonly GpuMessage[] }>;
}

interface Pipeline {
  getBindGroupLayout(index: number): object;
}

interface ComputePass {
  setPipeline(pipeline: Pipeline): void;
  setBindGroup(index: number, group: object): void;
  dispatchWorkgroups(x: number, y?: number, z?: number): void;
  end(): void;
}

interface CommandEncoder {
  beginComputePass(): ComputePass;
  copyBufferToBuffer(from: GpuBuffer, offset: number, to: GpuBuffer, at: number, size: number): void;
  finish(): object;
}

interface GpuLimits {
  readonly maxStorageBufferBindingSize: number;
  readonly maxBufferSize: number;
  readonly maxComputeWorkgroupsPerDimension: number;
  readonly maxComputeInvocationsPerWorkgroup: number;
  readonly maxComputeWorkgroupStorageSize: number;
  readonly maxStorageBuffersPerShaderStage: number;
}

export interface GpuDevice {
  readonly limits: GpuLimits;
  readonly lost: Promise<{ readonly reason?: string; readonly message: string }>;
  readonly queue: {
    submit(commands: object[]): void;
    writeBuffer(buffer: GpuBuffer, at: number, data: ArrayBufferView): void;
  };
  createBuffer(options: { size: number; usage: number; label?: string }): GpuBuffer;
  createShaderModule(options: { code: string; label?: string }): ShaderModule;
  createComputePipelineAsync(options: {
    layout: 'auto';
    compute: { module: ShaderModule; entryPoint: string };
    label?: string;
  }): Promise<Pipeline>;
  createBindGroup(options: { layout: object; entries: { binding: number; resource: { buffer: GpuBuffer } }[] }): object;
  createCommandEncoder(): CommandEncoder;
  pushErrorScope(filter: 'validation' | 'out-of-memory' | 'internal'): void;
  popErrorScope(): Promise<{ readonly message: string } | null>;
  destroy(): void;
}

export type GpuPipeline = Pipeline;

/** Values of GPUBufferUsage and GPUMapMode, which Node does not define by itself. */
export const USAGE = { mapRead: 0x1, copySource: 0x4, copyTarget: 0x8, uniform: 0x40, storage: 0x80 } as const;
export const MAP_READ = 0x1;
