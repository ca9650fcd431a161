// Z. Peng, B. Wu, "Collision Detection Algorithm Based on Data Parallelism", Tables I and II and
// equations 1 to 4, by counts: steps of the busiest processor, part by part, on as many processors
// as a part can use and on Q of them. The paper's algorithms run as they are printed, ours as the
// product has them (pram.mjs). Nothing is timed.
//
//   npm run bench -- papers/cubes-steps
import { build, collideAllPairs } from 'gicollide';
import { beginBlocks, nextBlock, placeTriangle, separatingAxes } from '#src/representations/voxel/make/surface-cells';
import { cellsOf } from '#src/representations/voxel/tree/cube-set';
import { cubesOfShell, hallOf } from '../cubes-inputs.mjs';
import { printTable } from '../race.mjs';
import { countingWorkers, runPrinted } from './pram.mjs';

/** N by the cells of a shell's edge, whose cubes are |C|. */
const GRID = { 2: [4, 8, 16, 32, 64], 3: [4, 8, 16, 32], 4: [4, 8, 16], 5: [4, 8] };
/** Q of Table II, for so many shells of the smallest size. */
const [PROCESSORS, SHARED] = [[1, 2, 4, 8, 16, 32, 64], 64];

/**
 * The given number of shells. The last equals the first, so two collide for every N.
 *
 * @param {number} models
 * @param {number} size
 */
function shells(models, size) {
  const others = hallOf(models - 1, size);
  return [...others, others[0]];
}

/**
 * Algorithm 1 of ours: bricks of 4 x 4 x 4 cells in which a triangle is cut, of each model; a
 * triangle within one cell takes one step.
 *
 * @param {ReturnType<typeof shells>} meshes
 */
function bricksCut(meshes) {
  return meshes.map(({ positions, triangles }) => {
    let steps = 0;
    const doubles = Float64Array.from(positions);
    const corners = Uint32Array.from(triangles);
    for (let t = 0; t < triangles.length; t += 3) {
      if (placeTriangle(doubles, corners, t, 1, 1)) {
        steps++;
        continue;
      }
      separatingAxes();
      beginBlocks();
      while (nextBlock(1, 1)) steps++;
    }
    return steps;
  });
}

/**
 * Models go to whoever is free: the busiest's steps.
 *
 * @param {readonly number[]} each
 * @param {number} processors
 */
function busiest(each, processors) {
  const loads = new Array(Math.min(each.length, processors)).fill(0);
  for (const steps of each) loads[loads.indexOf(Math.min(...loads))] += steps;
  return Math.max(...loads);
}

/**
 * Both ways on so many processors.
 *
 * @param {number} models
 * @param {number} size
 * @param {number} processors
 */
async function count(models, size, processors) {
  const meshes = shells(models, size);
  const sets = meshes.map((mesh) => build(mesh, { format: 'voxel', precision: 1 }));
  const printed = runPrinted(sets.map(cellsOf), processors);
  const { workers, steps } = countingWorkers(processors);
  const { work } = await collideAllPairs(sets, workers);
  if (work.tuples !== printed.total || work.collided !== printed.collided) {
    throw new Error(`${printed.total} two-tuples, ${printed.collided} collide; ours ${work.tuples}, ${work.collided}`);
  }
  const own = { partition: busiest(bricksCut(meshes), processors), ...steps };
  return { N: models, C: cubesOfShell(size), pairs: printed.pairs, total: printed.total, paper: printed.steps, own };
}

/** @typedef {Awaited<ReturnType<typeof count>>} Counted */

/**
 * @param {string} title
 * @param {Counted[]} rows
 * @param {(row: Counted, i: number) => string} name
 */
function print(title, rows, name) {
  for (const way of /** @type {const} */ (['paper', 'own'])) {
    printTable(
      `${title}: steps, ${way === 'paper' ? 'as printed' : 'ours'}`,
      Object.fromEntries(rows.map((row, i) => [name(row, i), row[way]])),
    );
  }
}

/** @param {import('../race.mjs').Run} run */
export default async function cubesSteps({ quick, keep }) {
  const grid = quick ? { 2: [4, 8, 16], 3: [4, 8] } : GRID;
  const unlimited = [];
  for (const [size, counts] of Object.entries(grid)) {
    for (const models of counts) unlimited.push(await count(models, Number(size), Infinity));
  }
  print('Table I', unlimited, ({ N, C }) => `N = ${N}, |C| = ${C}`);
  const [processors, models] = quick ? [[1, 2, 4], 16] : [PROCESSORS, SHARED];
  const shared = [];
  for (const Q of processors) shared.push({ Q, ...(await count(models, 2, Q)) });
  print('Table II', shared, (_, i) => `Q = ${processors[i]}`);
  keep({ unlimited, shared });
}
