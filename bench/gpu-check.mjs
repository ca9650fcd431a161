// Answers of a GPU, beside processors. Sets of cubes beside all processors, as in Z. Peng, B. Wu,
// "Collision Detection Algorithm Based on Data Parallelism", section V, by the number of models N:
// all two-tuples of cubes, and bricks sorted by key. The answers are compared word by word.
//
// The share of the card's bandwidth that the sort reaches is measured separately, beside copies
// from buffer to buffer. Transfers are timed separately, too: the same bytes go to the device and
// back, with nothing in between. A GPU in software shows that shaders are right, but never their
// speed; its rows say so. Without any GPU, the row has the reason, and the time of one core.
//
// k-DOP trees beside one core: gpu-kdop.mjs.
//
//   npm run bench -- gpu
import { availableParallelism } from 'node:os';
import { collideAllPairs, collideSorted, openGpu, openWorkers, partitionAll } from 'gicollide';
import { GpuError } from '#src/base/errors';
import { Gpu, Room } from '#src/gpu/gpu';
import { findDevice } from '#src/gpu/open';
import { digitsOf, radixSort } from '#src/gpu/radix-sort';
import { cubesOfHall, cubesOfShell, hallOf } from './cubes-inputs.mjs';
import { framesOnGpu, posesOnGpu } from './gpu-kdop.mjs';
import { bumpyBall, lathe, seeded, subdivided } from './inputs.mjs';
import { digits, median, printTable, round, secondsOf, sum } from './race.mjs';

/** @typedef {import('gicollide').OpenGpu} OpenGpu */
/** @typedef {import('gicollide').OpenWorkers} OpenWorkers */
/** @typedef {{ device: OpenGpu, spent: { milliseconds: number, up: number, down: number } }} Watched */

/** Cells an edge of a shell. */
const SIZE = 4;
/** N. The paper's greatest is 5,928. */
const COUNTS = {
  all: [192, 448, 896, 1792, 3136, 5928],
  sorted: [896, 5928, 16_384, 65_536],
};
const QUICK = { all: [16], sorted: [32] };
const WAYS = /** @type {const} */ ({ all: collideAllPairs, sorted: collideSorted });

/**
 * A device whose milliseconds are added up, and the bytes that go to it and come back.
 *
 * @param {OpenGpu} gpu
 * @returns {Watched}
 */
function watched(gpu) {
  const spent = { milliseconds: 0, up: 0, down: 0 };
  const bytesOf = (/** @type {object} */ input) =>
    sum(Object.values(input).map((value) => (ArrayBuffer.isView(value) ? value.byteLength : 0)));
  /** @type {OpenGpu} */
  const device = {
    ...gpu,
    async *allTuples(input) {
      const from = performance.now();
      spent.up += bytesOf(input);
      for await (const found of gpu.allTuples(input)) {
        spent.down += found.byteLength;
        yield found;
      }
      spent.milliseconds += performance.now() - from;
    },
    async sortedBricks(input) {
      const from = performance.now();
      const answer = await gpu.sortedBricks(input);
      spent.up += bytesOf(input);
      spent.down += answer.found.byteLength;
      spent.milliseconds += performance.now() - from;
      return answer;
    },
  };
  return { device, spent };
}

/**
 * Milliseconds in which so many bytes go to the device and back.
 *
 * @param {Gpu} gpu
 * @param {number} up
 * @param {number} down
 */
async function transfer(gpu, up, down) {
  const data = new Uint8Array(up);
  const seconds = await secondsOf(async () => {
    const room = new Room(gpu);
    room.storage(data);
    const buffer = room.storage(Math.max(4, down));
    await gpu.run([], [{ buffer, words: Math.max(4, down) / 4 }]);
    room.close();
  });
  return 1000 * seconds;
}

/**
 * Median milliseconds of the processors and of the GPU, in turn.
 *
 * @param {'all' | 'sorted'} way
 * @param {number} models
 * @param {{ gpu: Gpu, open: OpenGpu, workers: OpenWorkers, rounds: number }} lanes
 */
async function compare(way, models, { gpu, open, workers, rounds }) {
  const collide = WAYS[way];
  const sets = cubesOfHall(models, SIZE);
  const expected = await collide(sets, workers);
  /** @type {Record<'cpu' | 'gpu' | 'device' | 'transfers', number[]>} */
  const times = { cpu: [], gpu: [], device: [], transfers: [] };
  let spent = { milliseconds: 0, up: 0, down: 0 };
  for (let turn = -1; turn < rounds; turn++) {
    const own = watched(open);
    let found = expected;
    const cpu = await secondsOf(() => collide(sets, workers));
    const onGpu = await secondsOf(async () => {
      found = await collide(sets, workers, { device: own.device });
    });
    requireSame(found, expected, ['pairs', 'cubes', 'first', 'keys', 'masks']);
    spent = own.spent;
    const transfers = await transfer(gpu, spent.up, spent.down);
    if (turn < 0) continue; // shaders are compiled, and code is warm
    times.cpu.push(1000 * cpu);
    times.gpu.push(1000 * onGpu);
    times.device.push(spent.milliseconds);
    times.transfers.push(transfers);
  }
  const [cpu, whole, device, transfers] = Object.values(times).map((each) => round(median(each), 2));
  const { tuples, cubes } = expected.work;
  return {
    'two-tuples': tuples,
    'processors, ms': cpu,
    'GPU, ms': whole,
    'on the device': device,
    'transfers, ms': transfers,
    'MB up': round(spent.up / 1e6, 2),
    'MB down': round(spent.down / 1e6, 2),
    factor: digits(cpu / whole),
    'cubes/s': digits((1000 * cubes) / whole),
    'two-tuples/s': digits((1000 * tuples) / whole),
  };
}

/**
 * Meshes that become cubes: shells whose triangles have many cells each, and bodies whose triangles
 * have few.
 *
 * @param {boolean} small
 * @returns {Record<string, { meshes: import('gicollide').Mesh[], precision: number }>}
 */
function inputsOfPartition(small) {
  let ball = small ? lathe() : bumpyBall(1);
  for (let n = 0; n < (small ? 0 : 3); n++) ball = subdivided(ball);
  return {
    'shells, large triangles': { meshes: hallOf(small ? 8 : 2000, SIZE), precision: small ? 0.3 : 0.07 },
    'bodies, small triangles': {
      meshes: small ? [ball] : [ball, ball, ball, ball],
      precision: small ? 1 / 32 : 1 / 512,
    },
  };
}

/**
 * Median milliseconds in which meshes become cubes, by the processors and by the GPU, in turn.
 *
 * @param {{ meshes: import('gicollide').Mesh[], precision: number }} input
 * @param {{ open: OpenGpu, workers: OpenWorkers, rounds: number }} lanes
 */
async function comparePartitions({ meshes, precision }, { open, workers, rounds }) {
  const expected = await partitionAll(meshes, precision, workers);
  /** @type {Record<'cpu' | 'gpu', number[]>} */
  const times = { cpu: [], gpu: [] };
  let [cut, left] = [0, 0];
  /** @type {OpenGpu} */
  const device = {
    ...open,
    async *surfaceBricks(input) {
      for await (const told of open.surfaceBricks(input)) {
        cut += told.cut;
        left += told.left.length / 2;
        yield told;
      }
    },
  };
  for (let turn = -1; turn < rounds; turn++) {
    let found = expected;
    [cut, left] = [0, 0];
    const cpu = await secondsOf(() => partitionAll(meshes, precision, workers));
    const onGpu = await secondsOf(async () => {
      found = await partitionAll(meshes, precision, workers, { device });
    });
    for (const [n, set] of found.entries()) requireSame(set, expected[n], ['keys', 'masks']);
    if (turn < 0) continue; // shaders are compiled, and code is warm
    times.cpu.push(1000 * cpu);
    times.gpu.push(1000 * onGpu);
  }
  const [cpu, gpu] = [times.cpu, times.gpu].map((each) => round(median(each), 2));
  const bricks = sum(expected.map(({ keys }) => keys.length / 2));
  return {
    models: meshes.length,
    triangles: sum(meshes.map(({ triangles }) => triangles.length / 3)),
    bricks,
    'processors, ms': cpu,
    'GPU, ms': gpu,
    factor: digits(cpu / gpu),
    'bricks/s': digits((1000 * bricks) / gpu),
    'bricks of triangles': cut,
    'left to the processor': left,
  };
}

/** Records that are sorted: 100 MB, which a buffer of every device holds. */
const SORTED = 2 ** 23;
/** Copies that are timed together. */
const COPIES = 20;

/**
 * Gigabytes a second that are read and written: by copies from buffer to buffer, and by a sort of
 * records of three words by 60 bits, which reads each twice a digit and writes it once.
 *
 * @param {Gpu} gpu
 * @param {number} records
 */
async function bandwidth(gpu, records) {
  const random = seeded(2009);
  const bytes = 12 * records;
  const data = Uint32Array.from({ length: 3 * records }, () => Math.floor(2 ** 30 * random()));
  const places = digitsOf([2 ** 30 - 1, 2 ** 30 - 1]);
  /** @type {Record<'copies' | 'sort', number[]>} */
  const times = { copies: [], sort: [] };
  const room = new Room(gpu);
  const [from, into] = [room.storage(data), room.storage(bytes)];
  const done = () => gpu.run([], [{ buffer: into, words: 1 }]);
  for (let turn = -1; turn < 5; turn++) {
    await done();
    const copies = await secondsOf(() => {
      const encoder = gpu.device.createCommandEncoder();
      for (let n = 0; n < COPIES; n++) encoder.copyBufferToBuffer(from, 0, into, 0, bytes);
      gpu.device.queue.submit([encoder.finish()]);
      return done();
    });
    const own = new Room(gpu);
    const { passes, sorted } = radixSort(own, own.storage(data), own.storage(bytes), records, places);
    await done();
    const sort = await secondsOf(() => gpu.run(passes, [{ buffer: sorted, words: 1 }]));
    own.close();
    if (turn < 0) continue;
    times.copies.push(copies);
    times.sort.push(sort);
  }
  room.close();
  const [copies, sort] = [median(times.copies), median(times.sort)];
  const row = {
    records,
    'sort, ms': digits(1000 * sort),
    'records/s': digits(records / sort),
    'sort, GB/s': digits((3 * bytes * places.length) / sort / 1e9),
    'copies, GB/s': digits((2 * bytes * COPIES) / copies / 1e9),
  };
  printTable('bandwidth', { sort: row });
  return row;
}

/**
 * Throws where a word of two answers differs.
 *
 * @template {string} Name
 * @param {Record<Name, Uint32Array>} found
 * @param {Record<Name, Uint32Array>} expected
 * @param {readonly Name[]} names
 */
function requireSame(found, expected, names) {
  for (const name of names) {
    const isSame = found[name].length === expected[name].length && found[name].every((x, n) => x === expected[name][n]);
    if (!isSame) throw new Error(`${name}: the GPU gives another answer than the processors`);
  }
}

/** @param {import('./race.mjs').Run} run */
export default async function onGpu({ quick, keep }) {
  const cores = availableParallelism();
  const own = await findDevice().catch((/** @type {unknown} */ error) => {
    if (!(error instanceof GpuError)) throw error;
    console.log(`no GPU: nothing is measured of it, and nothing is claimed (${error.message})`);
    return error.message;
  });
  if (typeof own === 'string') {
    const [poses, frames] = [await posesOnGpu(null, quick), await framesOnGpu(null, quick)];
    keep({ cores, gpu: null, reason: own, poses, frames });
    return;
  }
  console.log(`${own.name}, beside ${cores} cores; |C| = ${cubesOfShell(SIZE)}; medians, in turn`);
  if (own.isSoftware) console.log('a program that stands in for a GPU: its times say nothing, and nothing is claimed');
  const workers = openWorkers(cores);
  try {
    const isSmall = quick || own.isSoftware;
    const open = await openGpu({ device: own.device });
    const lanes = { gpu: new Gpu(own.device), open, workers, rounds: quick ? 1 : 5 };
    /** @type {Record<string, Record<string, Awaited<ReturnType<typeof compare>>>>} */
    const tables = { all: {}, sorted: {} };
    for (const way of /** @type {const} */ (['all', 'sorted'])) {
      for (const models of (isSmall ? QUICK : COUNTS)[way]) {
        tables[way][`N = ${models}`] = await compare(way, models, lanes);
      }
      printTable(way === 'all' ? 'all two-tuples' : 'sorted bricks', tables[way]);
    }
    /** @type {Record<string, Awaited<ReturnType<typeof comparePartitions>>>} */
    const partition = {};
    for (const [name, input] of Object.entries(inputsOfPartition(isSmall)))
      partition[name] = await comparePartitions(input, lanes);
    printTable('meshes into cubes', partition);
    const sort = await bandwidth(lanes.gpu, isSmall ? 2 ** 12 : SORTED);
    const [poses, frames] = [await posesOnGpu(open, isSmall), await framesOnGpu(open, isSmall)];
    keep({ cores, gpu: own.name, isSoftware: own.isSoftware, ...tables, partition, sort, poses, frames });
  } finally {
    await workers.close();
    own.device.destroy();
  }
  // Dawn's threads would keep the process alive.
  process.exit();
}
