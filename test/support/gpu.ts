/**
 * A GPU for tests: SwiftShader, a program that stands in for one, from Debian's package chromium.
 * Without it, or without the package webgpu, tests that need one are skipped, and the reason is
 * printed.
 */
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { findDevice, type OpenGpu, openGpu } from '../../src/gpu/open.ts';
import type { GpuDevice } from '../../src/gpu/webgpu.ts';

const DRIVERS = ['/usr/lib/chromium/vk_swiftshader_icd.json'];

/** What the system needs to know to use it; of processes that tests start, too. */
export function softwareGpu(): Record<string, string> {
  const driver = DRIVERS.find((file) => existsSync(file));
  return driver ? { VK_DRIVER_FILES: driver, VK_ICD_FILENAMES: driver, XDG_RUNTIME_DIR: tmpdir() } : {};
}

async function find(): Promise<OpenGpu | null> {
  Object.assign(process.env, softwareGpu());
  try {
    return await openGpu();
  } catch (error) {
    console.log(`GPU tests are skipped: ${(error as Error).message}; apt-get install chromium libvulkan1 brings one`);
    return null;
  }
}

/** Open as long as the tests run; null where there is none. */
export const gpu = await find();

/** A device of one's own, which a test may lose. */
export const openDevice = async (): Promise<GpuDevice> => (await findDevice()).device;
