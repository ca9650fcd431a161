// Compiles src/kernels/index.as.ts, AssemblyScript with SIMD and shared memory, into src/kernels/module.generated.ts: the WebAssembly
// module as base64, so that the library finds it in Node, in a worker and in a bundle alike, without reading a file. Does nothing where
// that is newer than all sources.
import { existsSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const folder = new URL('../src/kernels/', import.meta.url);
const target = new URL('module.generated.ts', folder);

export async function buildKernels() {
  const sources = readdirSync(folder).filter((name) => name.endsWith('.as.ts'));
  const dependencies = [...sources.map((name) => new URL(name, folder)), new URL(import.meta.url)];
  const newest = Math.max(...dependencies.map((file) => statSync(file).mtimeMs));
  if (existsSync(target) && statSync(target).mtimeMs > newest) return;
  const asc = await import('assemblyscript/asc');
  let binary;
  const { error, stderr } = await asc.main(
    [
      'index.as.ts',
      ...['--outFile', 'module.wasm', '-O3', '--noAssert', '--runtime', 'stub', '--use', 'abort='],
      ...['--enable', 'simd', '--enable', 'threads'],
      // 65,536 pages are all that 32-bit addresses reach; what a process may have is decided where the memory is made.
      ...['--importMemory', '--sharedMemory', '--initialMemory', '16', '--maximumMemory', '65536'],
    ],
    {
      readFile: (name) =>
        name.endsWith('.as.ts') && existsSync(new URL(name, folder))
          ? readFileSync(new URL(name, folder), 'utf8')
          : null,
      writeFile: (name, contents) => {
        if (name === 'module.wasm') binary = contents;
      },
      listFiles: () => [],
    },
  );
  if (error || !binary) throw new Error(`src/kernels: ${stderr.toString() || error}`);
  const text = `// Made by scripts/build-kernels.mjs out of src/kernels/*.as.ts.\nexport const MODULE =\n  '${Buffer.from(binary).toString('base64')}';\n`;
  // Renamed into place: tests and a build may run at once.
  const unfinished = new URL(`module.generated.${process.pid}`, folder);
  writeFileSync(unfinished, text);
  renameSync(unfinished, target);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildKernels();
