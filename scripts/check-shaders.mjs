// node scripts/check-shaders.mjs FILE...: compiles shaders by the package `webgpu`, on its device
// without hardware. Prints errors, one a line, and then exits with 1. Prints nothing if the
// package, which is optional, is missing.
import { pathToFileURL } from 'node:url';
import { shaderText } from './build-shaders.mjs';

const webgpu = await import('webgpu').catch(() => null);
if (!webgpu) process.exit(0);
Object.assign(globalThis, webgpu.globals);
// Kept until the end: the process crashes if this is collected before its devices.
const gpu = webgpu.create(['backend=null']);
const adapter = await gpu.requestAdapter();
const device = await adapter?.requestDevice();
if (!device) process.exit(0);
let failed = false;
for (const file of process.argv.slice(2)) {
  device.pushErrorScope('validation');
  const { messages } = await device.createShaderModule({ code: shaderText(pathToFileURL(file)) }).getCompilationInfo();
  await device.popErrorScope();
  for (const { type, message, lineNum, linePos } of messages) {
    console.log(`${file}:${lineNum}:${linePos}: ${message}`);
    failed ||= type === 'error';
  }
}
// Its threads would keep the process alive.
process.exit(gpu && !failed ? 0 : 1);
