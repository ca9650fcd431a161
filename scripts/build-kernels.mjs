// Compiles every *.as.ts of src, AssemblyScript with SIMD and shared memory, into
// src/kernels/module.generated.ts: one WebAssembly module as base64, so that the library finds it
// in Node, in a worker and in a bundle alike, without reading a file. Entries, whose exports are
// the module's, are src/kernels/index.as.ts, every kernel.as.ts and every for-device.as.ts.
//
// Makes a second one, src/kernels/reading.generated.ts, of src/kernels/fold.as.ts and of every
// tree/reading.as.ts: it reads files in a small memory of its own. Does nothing where a result is
// newer than all sources.
import { existsSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';

const root = new URL('../src/', import.meta.url);

/**
 * @typedef {object} Module
 * @property {string} target the file that is made, in src
 * @property {(name: string) => boolean} isEntry whether a source's exports are the module's
 * @property {string[]} memory asc's options of its memory
 */

/** @type {Module[]} */
const MODULES = [
  {
    target: 'kernels/module.generated.ts',
    isEntry: (name) => /(^|\/)(kernels\/index|kernel|for-device)\.as\.ts$/.test(name),
    // 65,536 pages are all that 32-bit addresses reach; what a process may have is decided where
    // the memory is made.
    memory: ['--importMemory', '--sharedMemory', '--initialMemory', '16', '--maximumMemory', '65536'],
  },
  {
    target: 'kernels/reading.generated.ts',
    isEntry: (name) => /(^|\/)(kernels\/fold|tree\/reading)\.as\.ts$/.test(name),
    memory: ['--initialMemory', '2'],
  },
];

export async function buildKernels() {
  const sources = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .map((name) => name.replaceAll('\\', '/'))
    .filter((name) => name.endsWith('.as.ts'))
    .sort();
  const dependencies = [...sources.map((name) => new URL(name, root)), new URL(import.meta.url)];
  const newest = Math.max(...dependencies.map((file) => statSync(file).ctimeMs));
  for (const module of MODULES) {
    const target = new URL(module.target, root);
    if (!existsSync(target) || statSync(target).mtimeMs <= newest) await compile(module, sources);
  }
}

/** @param {Module} module @param {readonly string[]} sources all *.as.ts of src */
async function compile({ target, isEntry, memory }, sources) {
  const asc = await import('assemblyscript/asc');
  let binary;
  const { error, stderr } = await asc.main(
    [
      ...sources.filter(isEntry),
      ...['--outFile', 'module.wasm', '-O3', '--noAssert', '--runtime', 'stub', '--use', 'abort='],
      ...['--enable', 'simd', '--enable', 'threads', ...memory],
    ],
    {
      readFile: (name) => (sources.includes(name) ? readFileSync(new URL(name, root), 'utf8') : null),
      writeFile: (name, contents) => {
        if (name === 'module.wasm') binary = contents;
      },
      listFiles: () => [],
    },
  );
  if (error || !binary) throw new Error(`kernels: ${stderr.toString() || error}`);
  const text = `// Made by scripts/build-kernels.mjs out of the *.as.ts of src.\nexport const MODULE =\n  '${Buffer.from(binary).toString('base64')}';\n`;
  // Renamed into place: tests and a build may run at once.
  const unfinished = new URL(target.replace('.ts', `.${process.pid}`), root);
  writeFileSync(unfinished, text);
  renameSync(unfinished, new URL(target, root));
}
