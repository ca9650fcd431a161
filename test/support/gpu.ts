/**
 * A GPU for tests: SwiftShader, a program that stands in for one, from Debian's package chromium.
 * Without it, or without the package webgpu, tests that need one are skipped, and the reason is
 * printed.
 */
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { Gpu } from '../../src/gpu/gpu.ts';
import { findDevice, openGpu } from '../../src/gpu/open.ts';
import type { GpuDevice } from '../../src/gpu/webgpu.ts';

const DRIVERS = ['/usr/lib/chromium/vk_swiftshader_icd.json'];

/** Environment with the GPU, for processes that a test starts. */
export function softwareGpu(): Record<string, string> {
  const driver = DRIVERS.find((file) => existsSync(file));
  return driver ? { VK_DRIVER_FILES: driver, VK_ICD_FILENAMES: driver, XDG_RUNTIME_DIR: tmpdir() } : {};
}

/**
 * The first device loads the driver. Processes that are started later find none, unless a test
 * passes it.
 */
async function find(): Promise<GpuDevice | null> {
  const before = { ...process.env };
  Object.assign(process.env, softwareGpu());
  try {
    return await openDevice();
  } catch (error) {
    console.log(`GPU tests are skipped: ${(error as Error).message}; apt-get install chromium libvulkan1 brings one`);
    return null;
  } finally {
    for (const name of Object.keys(softwareGpu())) {
      if (before[name] === undefined) delete process.env[name];
      else process.env[name] = before[name];
    }
  }
}

/** A device of one's own, which a test may lose. */
export const openDevice = async (): Promise<GpuDevice> => (await findDevice()).device;

/** One for all tests of a process: shaders take seconds to compile for a processor. */
const device = await find();

/** Open as long as the tests run; null where there is none. */
export const gpu = device && (await openGpu({ device }));

/** Runs single shaders on the same device. */
export function newGpu(): Gpu {
  if (!device) throw new Error('no GPU here');
  return new Gpu(device);
}
