// node scripts/check-shaders.mjs FILE...: compiles shaders by the package `webgpu`, on its device
// without hardware. Prints what is wrong, a line each, and then ends with exit code 1; says nothing
// where the package is missing, which is optional.
import { readFileSync } from 'node:fs';

const webgpu = await import('webgpu').catch(() => null);
if (!webgpu) process.exit(0);
Object.assign(globalThis, webgpu.globals);
const adapter = await webgpu.create(['backend=null']).requestAdapter();
const device = await adapter?.requestDevice();
if (!device) process.exit(0);
let failed = false;
for (const file of process.argv.slice(2)) {
  device.pushErrorScope('validation');
  const { messages } = await device.createShaderModule({ code: readFileSync(file, 'utf8') }).getCompilationInfo();
  await device.popErrorScope();
  for (const { type, message, lineNum, linePos } of messages) {
    console.log(`${file}:${lineNum}:${linePos}: ${message}`);
    failed ||= type === 'error';
  }
}
// Its threads keep a process alive.
process.exit(failed ? 1 : 0);
