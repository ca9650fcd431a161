// sphere-descents.as.ts compiled, with a body in its memory: the searches of sphere-descents.mjs in
// WebAssembly.
import { readFileSync } from 'node:fs';
import { quadsMeet } from './sphere-descents.mjs';

/** @typedef {import('./sphere-descents.mjs').Body} Body */
/** @typedef {import('./sphere-descents.mjs').Node} Node */
/** @typedef {import('gicollide').Pose} Pose */

// As in sphere-descents.as.ts.
const [ORIGIN, STEP, RADIUS_STEPS] = [96, 120, 128];
const TREE = 1 << 17;
const [LEVEL, QUAD, CHILDREN] = [8, 12, 16];
/** Bytes of a node with pointers, which take 4 bytes each. */
export const NODE_BYTES = 32;
const PAGE = 65536;

/**
 * AssemblyScript of this folder, compiled.
 *
 * @param {string} name
 * @returns {Promise<Uint8Array<ArrayBuffer>>}
 */
export async function compiled(name) {
  const { default: asc } = await import('assemblyscript/asc');
  const source = readFileSync(new URL(name, import.meta.url), 'utf8');
  /** @type {Uint8Array<ArrayBuffer> | undefined} */
  let binary;
  const { error, stderr } = await asc.main(
    [name, '--outFile', 'module.wasm', '-O3', '--noAssert', '--runtime', 'stub', '--use', 'abort=', '--importMemory'],
    {
      readFile: (wanted) => (wanted === name ? source : null),
      writeFile: (wanted, contents) => {
        if (wanted === 'module.wasm') binary = Uint8Array.from(/** @type {Uint8Array} */ (contents));
      },
      listFiles: () => [],
    },
  );
  if (error || !binary) throw new Error(`${name}: ${stderr.toString() || error}`);
  return binary;
}

/**
 * Writes a tree with pointers, a node before its children, and returns where the next one goes.
 *
 * @param {DataView} view
 * @param {Node} node
 * @param {number} at
 */
function writeNode(view, node, at) {
  for (const [i, value] of [node.x, node.y, node.z, node.r].entries()) view.setUint16(at + 2 * i, value, true);
  view.setInt32(at + LEVEL, node.level, true);
  view.setInt32(at + QUAD, node.quad, true);
  let next = at + NODE_BYTES;
  for (const [k, child] of (node.children ?? []).entries()) {
    view.setUint32(at + CHILDREN + 4 * k, next, true);
    next = writeNode(view, child, next);
  }
  return next;
}

/**
 * The two descents of a body against itself, moved.
 *
 * @param {Body} body
 * @returns {Promise<{ byIndex: (pose: Pose) => boolean, byPointer: (pose: Pose) => boolean, spheresTested: () => number }>}
 */
export async function descentsInWasm(body) {
  const { depth, origin, step, radiusSteps, page, root } = body;
  const nodes = (4 ** (depth + 1) - 1) / 3;
  const rootAt = TREE + page.byteLength;
  const pages = Math.ceil((rootAt + NODE_BYTES * nodes) / PAGE);
  const memory = new WebAssembly.Memory({ initial: pages, maximum: pages, shared: false });
  /** @type {Pose} */
  let posed = new Float64Array(16);
  const leaf = { quadsMeet: (/** @type {number} */ p, /** @type {number} */ q) => quadsMeet(body, p, body, q, posed) };
  const instance = new WebAssembly.Instance(new WebAssembly.Module(await compiled('sphere-descents.as.ts')), {
    env: { memory },
    leaf,
  });
  const { meetByIndex, meetByPointer, spheresTested } = /** @type {Record<string, (...values: number[]) => number>} */ (
    /** @type {unknown} */ (instance.exports)
  );
  const numbers = new Float64Array(memory.buffer, 0, TREE / 8);
  numbers.set(origin, ORIGIN / 8);
  numbers[STEP / 8] = step;
  numbers.set(radiusSteps, RADIUS_STEPS / 8);
  new Uint16Array(memory.buffer, TREE, page.length).set(page);
  writeNode(new DataView(memory.buffer), root, rootAt);
  const place = (/** @type {Pose} */ pose) => {
    posed = pose;
    for (let i = 0; i < 12; i++) numbers[i] = pose[i];
  };
  return {
    byIndex(pose) {
      place(pose);
      return meetByIndex(TREE, depth) !== 0;
    },
    byPointer(pose) {
      place(pose);
      return meetByPointer(rootAt) !== 0;
    },
    spheresTested,
  };
}
