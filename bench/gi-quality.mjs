// Quality of geometry images: deviation from the source, its proved bound, time, and bytes.
//
//   npm run bench -- gi                    assets/
//   npm run bench -- gi --sets=<folder>    your own meshes (folder/meshes/*.obj), too
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { build, measureDeviation, readObj, toMesh, write } from 'gicollide';
import { measuresOf } from './gi-measures.mjs';
import { drilledBlock, npmTeapot, sample, tornScan, tubeBundle } from './inputs.mjs';
import { digits, printTable, round } from './race.mjs';

/** @typedef {import('gicollide').Mesh} Mesh */
/** @typedef {Record<string, number | string | null>} Row */

const SAMPLES = ['blob', 'bolt', 'boulder', 'box', 'bunny', 'star', 'torus'];

/** As gicollide build and gicollide build --charts best. */
const CHARTS = /** @type {const} */ (['auto', 'best']);

/**
 * @param {boolean} quick
 * @param {string | undefined} sets
 * @returns {Record<string, () => Mesh>}
 */
export function meshesOf(quick, sets) {
  if (quick) return { bolt: () => sample('bolt') };
  /** @type {Record<string, () => Mesh>} */
  const meshes = {
    ...Object.fromEntries(SAMPLES.map((name) => [name, () => sample(name)])),
    teapot: npmTeapot,
    'drilled block': drilledBlock,
    'tube bundle': tubeBundle,
    'torn scan': () => tornScan(1),
  };
  if (sets === undefined) return meshes;
  const folder = join(sets, 'meshes');
  const files = readdirSync(folder).filter((name) => name.endsWith('.obj'));
  for (const file of files.sort())
    meshes[`own ${basename(file, '.obj')}`] = () => readObj(readFileSync(join(folder, file)));
  return meshes;
}

/**
 * A row a mesh and choice of charts, of the image that `gicollide build` makes.
 *
 * - `s`: processor time of the build, bound and trees included
 * - `on it`, `dB`: 20 log10(diagonal / rms), the worse direction; with samples on the source, and
 *   as built
 * - `bound`: the proved deviation in parts of the diagonal; `bound / found`: over the greatest
 *   distance that 100,000 samples find, which is at most the true one
 * - `B/triangle`: of the file, by the triangles of the source
 * - the rest is told in gi-measures.mjs
 *
 * @param {Record<string, () => Mesh>} meshes
 * @param {number} size
 */
export async function qualityOf(meshes, size) {
  /** @type {Record<string, Row>} */
  const rows = {};
  for (const [name, make] of Object.entries(meshes)) {
    const mesh = make();
    for (const charts of CHARTS) {
      try {
        rows[`${name}, ${charts}`] = await rowOf(mesh, { size, charts });
      } catch (error) {
        // Points and segments alone have no area to sample.
        console.log(`${name}, ${charts}: ${/** @type {Error} */ (error).message}`);
      }
    }
  }
  printTable(`geometry images of ${size} x ${size}`, rows);
  return rows;
}

/**
 * @param {Mesh} mesh
 * @param {{ size: number, charts: 'auto' | 'best' }} options
 * @returns {Promise<Row>}
 */
async function rowOf(mesh, options) {
  const before = process.cpuUsage();
  const image = build(mesh, options);
  const { user, system } = process.cpuUsage(before);
  const found = measureDeviation(mesh, toMesh(image));
  const onSource = measureDeviation(mesh, toMesh(build(mesh, { ...options, fit: 'off' })));
  const { missing, excess } = image.tolerance ?? { missing: Number.NaN, excess: Number.NaN };
  const triangles = mesh.triangles.length / 3;
  const { length } = await write(image);
  return {
    triangles,
    charts: image.charts,
    s: digits((user + system) / 1e6),
    'on it': round(onSource.psnr),
    dB: round(found.psnr),
    bound: digits(Math.max(missing, excess) / found.diagonal),
    'bound / found': digits(Math.max(missing, excess) / Math.max(found.maxAB, found.maxBA)),
    bytes: length,
    'B/triangle': digits(length / triangles),
    ...measuresOf(mesh, image),
  };
}
