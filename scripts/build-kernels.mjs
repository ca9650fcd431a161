// Compiles the kernels: AssemblyScript with SIMD and shared memory. Every kernel.as.ts,
// binary-kernel.as.ts and for-device.as.ts of src becomes a WebAssembly module. A file
// kernel.generated.ts beside it exports the module as text (KERNEL), so that the library works in
// Node, in a worker and in a bundle without reading a file. A page loads only the modules that it
// imports. Other *.as.ts are parts, compiled into each module that imports them. A module newer
// than its sources is not compiled again.
//
// All modules share one memory, so none may have static data. One module has a small memory of its
// own: kernels/reading.generated.ts, of kernels/fold.as.ts and every tree/reading.as.ts, reads
// files.
import { existsSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = new URL('../src/', import.meta.url);
const ENTRY = /(^|\/)((binary-)?kernel|for-device)\.as\.ts$/;
const OF_READING = /(^|\/)(kernels\/fold|tree\/reading)\.as\.ts$/;
const OPTIONS = ['-O3', '--noAssert', '--runtime', 'stub', '--use', 'abort=', '--enable', 'simd'];
// 65,536 pages are the limit of 32-bit addresses. The creator of the memory decides its size.
const SHARED_MEMORY = [
  ...['--enable', 'threads', '--importMemory', '--noExportMemory', '--sharedMemory'],
  ...['--initialMemory', '16', '--maximumMemory', '65536'],
];
const OWN_MEMORY = ['--initialMemory', '2'];

/** @param {string} name @returns {string} */
const textOf = (name) => readFileSync(new URL(name, root), 'utf8');

/**
 * A source and all its imports, direct and indirect.
 *
 * @param {string} name
 * @param {Set<string>} found
 */
function sourcesOf(name, found = new Set()) {
  if (found.has(name)) return found;
  found.add(name);
  for (const [, path] of textOf(name).matchAll(/from '(\.[^']+\.as)'/g))
    sourcesOf(posix.join(posix.dirname(name), `${path}.ts`), found);
  return found;
}

/**
 * A module to make: its entries, whose exports are the module's, its memory and its file.
 *
 * @typedef {{ entries: readonly string[], memory: readonly string[], name: string }} Module
 */

/** @param {readonly string[]} sources @returns {Module[]} */
const modulesOf = (sources) => [
  ...sources
    .filter((name) => ENTRY.test(name))
    .map((entry) => ({
      entries: [entry],
      memory: SHARED_MEMORY,
      name: entry.replace(/\.as\.ts$/, '.generated.ts'),
    })),
  {
    entries: sources.filter((name) => OF_READING.test(name)),
    memory: OWN_MEMORY,
    name: 'kernels/reading.generated.ts',
  },
];

/** @param {Module} module */
function isStale({ entries, name }) {
  const target = new URL(name, root);
  if (!existsSync(target)) return true;
  const sources = entries.flatMap((entry) => [...sourcesOf(entry)]);
  const files = [import.meta.url, ...sources.map((source) => new URL(source, root))];
  return files.some((file) => statSync(new URL(file)).ctimeMs >= statSync(target).mtimeMs);
}

/**
 * @param {Module} module
 * @param {readonly string[]} sources
 * @returns {Promise<Uint8Array>}
 */
async function compile({ entries, memory, name: target }, sources) {
  const asc = await import('assemblyscript/asc');
  /** @type {Uint8Array | undefined} */
  let binary;
  const { error, stderr } = await asc.main([...entries, '--outFile', 'module.wasm', ...OPTIONS, ...memory], {
    readFile: (/** @type {string} */ name) => (sources.includes(name) ? textOf(name) : null),
    writeFile: (/** @type {string} */ name, /** @type {string | Uint8Array} */ contents) => {
      if (name === 'module.wasm' && typeof contents !== 'string') binary = contents;
    },
    listFiles: () => [],
  });
  if (error || !binary) throw new Error(`${target}: ${stderr.toString() || error}`);
  return binary;
}

const DATA_SECTION = 11;

/**
 * Refuses a module that would write constants to the shared memory.
 *
 * @param {Module} module
 * @param {Uint8Array} binary
 */
function requireNoData({ name }, binary) {
  // A header of eight bytes; then sections: a number, a length in groups of seven bits, contents.
  for (let at = 8; at < binary.length; ) {
    if (binary[at++] === DATA_SECTION)
      throw new Error(`${name}: expected no static data; pass the address of what its caller has placed`);
    let length = 0;
    let shift = 0;
    do {
      length |= (binary[at] & 127) << shift;
      shift += 7;
    } while (binary[at++] > 127);
    at += length;
  }
}

/** Printable letters that need no escape in a string, whatever its quotes, or in a page. */
const LETTERS = Array.from({ length: 94 }, (_, i) => String.fromCharCode(33 + i)).filter(
  (letter) => !'"$\'<\\`'.includes(letter),
);
/** The last two letters begin a pair, for a byte that is not among the most frequent ones. */
const SINGLE = LETTERS.length - 2;

/**
 * The module as text: a letter for each of the 86 most frequent bytes, two for another.
 * It is as long as the module and compresses as well as that does. Base64 hides from a compressor
 * what repeats. Compressed bytes of the search of OBB trees: 9,910; so 9,890, as hexadecimal digits
 * 10,934, as base64 13,612.
 *
 * @param {Uint8Array} binary
 */
function textOfModule(binary) {
  const counts = new Uint32Array(256);
  for (const byte of binary) counts[byte]++;
  const all = Array.from(counts.keys());
  const frequent = new Set(all.toSorted((p, q) => counts[q] - counts[p] || p - q).slice(0, SINGLE));
  const rare = all.filter((byte) => !frequent.has(byte));
  const letters = all.map(() => '');
  for (const [i, byte] of [...frequent].sort((p, q) => p - q).entries()) letters[byte] = LETTERS[i];
  for (const [i, byte] of rare.entries())
    letters[byte] = LETTERS[SINGLE + Math.floor(i / SINGLE)] + LETTERS[i % SINGLE];
  const bits = all.map((byte) => (frequent.has(byte) ? '1' : '0')).join('');
  return {
    code: Array.from(binary, (byte) => letters[byte]).join(''),
    frequent: bits.replace(/.{4}/g, (four) => Number.parseInt(four, 2).toString(16)),
  };
}

/** @param {Module} module @param {Uint8Array} binary */
function generated({ entries }, binary) {
  const functions = WebAssembly.Module.exports(new WebAssembly.Module(binary)).map(({ name }) => `'${name}'`);
  const { code, frequent } = textOfModule(binary);
  return [
    `// Made by scripts/build-kernels.mjs from ${entries.map((entry) => posix.basename(entry)).join(', ')}.`,
    `export type KernelName = ${functions.join(' | ')};`,
    '',
    'export const KERNEL: { readonly code: string; readonly frequent: string; readonly names?: KernelName } = {',
    `  frequent: '${frequent}',`,
    `  code: '${code}',`,
    '};',
    '',
  ].join('\n');
}

export async function buildKernels() {
  const sources = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .map((name) => name.replaceAll('\\', '/'))
    .filter((name) => name.endsWith('.as.ts'))
    .sort();
  for (const module of modulesOf(sources).filter(isStale)) {
    const binary = await compile(module, sources);
    requireNoData(module, binary);
    // Renamed into place: tests and a build may run at once.
    const target = fileURLToPath(new URL(module.name, root));
    const unfinished = target.replace(/ts$/, `${process.pid}`);
    writeFileSync(unfinished, generated(module, binary));
    renameSync(unfinished, target);
  }
}
