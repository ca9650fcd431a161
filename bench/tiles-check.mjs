// From two files to a verdict: geometry images of which a check reads the tiles that it enters, against the same images read whole.
//
//   npm run bench -- tiles                               prints the table, of 513, 1025 and 2049 samples a side
//   npm run bench -- tiles --sizes=513,1025,2049,4097    4097 takes five minutes and a gigabyte to build; images are kept in out/tiles
//   npm run bench -- tiles --record                      and appends the row to bench/results.jsonl
//
// "process" columns: a new process of the command line for every pose and way, `ms.load` + `ms.query` of its report, medians; `wall` is the
// process from start to end. "library" columns: this process, warm, both files opened anew for every pose; bytes, tiles and reads of both, means.
// The whole image is asked for by --contact-points, which tiles do not answer. A third of the poses is far apart, a third 1e-3 clear of the
// meshes, a third 1e-3 in contact.
import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, fstatSync, mkdirSync, openSync, readFileSync, readSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build, compose, openImage, readObj, rotation, translation } from 'gicollide';
import { direction, keep, median, nearContactPoses, seeded } from './race.mjs';

const option = (name, absent) => process.argv.find((arg) => arg.startsWith(`--${name}=`))?.split('=')[1] ?? absent;
const sizes = option('sizes', '513,1025,2049').split(',').map(Number);
const POSES = Number(option('poses', 6));
const WARM_POSES = 60;
const program = fileURLToPath(new URL('../bin/gicollide.js', import.meta.url));
const folder = option('images', fileURLToPath(new URL('../out/tiles', import.meta.url)));
const NAMES = ['bunny', 'blob'];
const asset = (name) => fileURLToPath(new URL(`../assets/${name}.obj`, import.meta.url));
const fileOf = (name, size) => `${folder}/${name}-${size}.tiff`;

function run(args) {
  const start = performance.now();
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], { encoding: 'utf8' });
  if (status !== 0 && status !== 1) throw new Error(`${args.join(' ')}: ${stderr}`);
  return { stdout, wall: performance.now() - start };
}

/** What a user of the library would write: a file by its parts. */
function fileSource(path) {
  const file = openSync(path, 'r');
  return {
    size: fstatSync(file).size,
    gap: 4096,
    isRemote: false,
    async read(offset, length) {
      const bytes = new Uint8Array(length);
      if (readSync(file, bytes, 0, length, offset) !== length) throw new Error(`${path}: shorter than it was`);
      return bytes;
    },
    close: () => closeSync(file),
  };
}

const trees = NAMES.map((name) => build(readObj(readFileSync(asset(name))), { format: 'obb' }));
function posesOf(count) {
  const near = nearContactPoses(...trees, Math.ceil((2 * count) / 3), 2005);
  const random = seeded(7);
  const far = Array.from({ length: count - near.length }, () =>
    compose(translation(...direction(random).map((x) => 2.5 * x)), rotation(...direction(random), 360 * random())),
  );
  return [...near, ...far];
}

const poses = posesOf(POSES);
const warmPoses = posesOf(WARM_POSES);
const rows = [];
const mean = (values) => values.reduce((sum, x) => sum + x, 0) / values.length;
for (const size of sizes) {
  mkdirSync(folder, { recursive: true });
  for (const name of NAMES) {
    if (!existsSync(fileOf(name, size))) run(['build', asset(name), '--size', size, '-o', fileOf(name, size)]);
  }
  const files = NAMES.map((name) => fileOf(name, size));
  const times = { tiles: [], whole: [], wall: [], wallWhole: [] };
  for (const pose of poses) {
    const args = ['check', ...files, '--json', '--pose-b', Array.from(pose).join(',')];
    const [tiles, whole] = [run(args), run([...args, '--contact-points'])];
    const [a, b] = [tiles, whole].map(({ stdout }) => JSON.parse(stdout));
    if (a.verdict !== b.verdict) throw new Error(`${size}: ${a.verdict} by tiles, ${b.verdict} whole`);
    times.tiles.push(a.ms.load + a.ms.query);
    times.whole.push(b.ms.load + b.ms.query);
    times.wall.push(tiles.wall);
    times.wallWhole.push(whole.wall);
  }
  const warm = { ms: [], bytes: [], tiles: [], reads: [], bounds: [] };
  for (const pose of warmPoses) {
    const start = performance.now();
    const [a, b] = await Promise.all(files.map((file) => openImage(fileSource(file))));
    const { tests } = await a.check(b, { poseB: pose });
    warm.ms.push(performance.now() - start);
    for (const key of ['bytes', 'tiles', 'reads']) warm[key].push(a.counts[key] + b.counts[key]);
    warm.bounds.push(tests.bounds);
    await Promise.all([a.close(), b.close()]);
  }
  const row = {
    size,
    megabytes: Number((files.reduce((sum, file) => sum + readFileSync(file).length, 0) / 1e6).toFixed(1)),
    process: Object.fromEntries(Object.entries(times).map(([key, list]) => [key, Number(median(list).toFixed(1))])),
    slowest: Number(Math.max(...times.tiles).toFixed(1)),
    library: {
      ms: Number(median(warm.ms).toFixed(1)),
      kilobytes: Math.round(mean(warm.bytes) / 1e3),
      tiles: Number(mean(warm.tiles).toFixed(1)),
      reads: Number(mean(warm.reads).toFixed(1)),
      bounds: Math.round(mean(warm.bounds)),
    },
  };
  rows.push(row);
  const { process: p, library: l } = row;
  console.log(
    `${String(size).padStart(5)}: files ${row.megabytes} MB; a process: ${p.tiles} ms by tiles (slowest ${row.slowest}), ${p.whole} whole, ` +
      `wall ${p.wall} and ${p.wallWhole}; the library, warm: ${l.ms} ms, ${l.kilobytes} kB in ${l.reads} reads, ${l.tiles} tiles, ${l.bounds} pairs`,
  );
}
keep('tiles-check', { poses: { process: POSES, library: WARM_POSES }, rows });
