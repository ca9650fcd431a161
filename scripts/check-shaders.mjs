// node scripts/check-shaders.mjs FILE...: compiles shaders by the package `webgpu`, on its device
// without hardware. Prints what is wrong, a line each, and then ends with exit code 1; says nothing
// where the package is missing, which is optional.
import { pathToFileURL } from 'node:url';
import { shaderText } from './build-shaders.mjs';

const webgpu = await import('webgpu').catch(() => null);
if (!webgpu) process.exit(0);
Object.assign(globalThis, webgpu.globals);
// Kept to the end: the process ends badly where it is collected before its devices.
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
// Its threads keep a process alive.
process.exit(gpu && !failed ? 0 : 1);
