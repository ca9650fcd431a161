// The time of a run of the command line from start to end: a new process each, in turns, beside
// Node's own start. All other figures of bench/ leave this out. `cpu` is the processor time of the
// process until its end, the minimum of all rounds. It needs the bundled program: run npm run build
// first, because the tests compile over it.
//
//   npm run bench -- start-up
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { assetPath, PROGRAM, requireBundle, runNode } from './program.mjs';
import { median, printTable, round } from './race.mjs';

/** A process says at its end what it used. */
const TELL_CPU = `process.on('exit', () => {
  const { user, system } = process.cpuUsage();
  require('node:fs').writeSync(2, 'cpu ' + (user + system) + ' us');
});`;

/** @param {import('./race.mjs').Run} run */
export default function startUp({ quick, keep }) {
  requireBundle();
  const rounds = quick ? 1 : 30;
  const folder = mkdtempSync(join(tmpdir(), 'gicollide-'));
  const tell = join(folder, 'tell-cpu.cjs');
  writeFileSync(tell, TELL_CPU);
  /** @param {readonly string[]} args */
  const run = (args) => {
    const { wall, stderr } = runNode(['--require', tell, ...args], folder);
    return { wall, cpu: Number(/cpu (\d+) us$/.exec(stderr)?.[1]) / 1000 };
  };
  try {
    const sizes = quick ? [65] : [65, 257];
    const meshes = [assetPath('bunny'), assetPath('blob')];
    run([PROGRAM, 'build', ...meshes, assetPath('box'), '-f', 'obb,kdop', '-o', '.']);
    for (const size of sizes) run([PROGRAM, 'build', ...meshes, '--size', String(size), '-o', `gi${size}`]);
    /** @param {string} a @param {string} b */
    const check = (a, b) => [PROGRAM, 'check', a, b, '--translate-b', '0.4,0,0'];
    /** @type {Record<string, string[]>} */
    const runs = {
      'node -e 0': ['-e', '0'],
      'gicollide --version': [PROGRAM, '--version'],
      'gicollide --help': [PROGRAM, '--help'],
      'info, OBB tree': [PROGRAM, 'info', 'bunny.obb'],
      'check, OBB trees of 12 triangles': check('box.obb', 'box.obb'),
      'check, OBB trees': check('bunny.obb', 'blob.obb'),
      'check, k-DOP trees': check('bunny.kdop', 'blob.kdop'),
      ...Object.fromEntries(
        sizes.map((size) => [`check, images of ${size}`, check(`gi${size}/bunny.tiff`, `gi${size}/blob.tiff`)]),
      ),
      'check, meshes of 12 triangles': check(assetPath('box'), assetPath('box')),
      'check, meshes of 3674 and 5120 triangles': check(meshes[0], meshes[1]),
      'build, an OBB tree of 12 triangles': [
        PROGRAM,
        'build',
        assetPath('box'),
        '-f',
        'obb',
        '-o',
        'new.obb',
        '--force',
      ],
    };
    /** @type {Record<string, { wall: number, cpu: number }[]>} */
    const times = Object.fromEntries(Object.keys(runs).map((name) => [name, []]));
    for (let i = quick ? 0 : -1; i < rounds; i++) {
      for (const [name, args] of Object.entries(runs)) {
        const time = run(args);
        if (i >= 0) times[name].push(time); // the first round fills the disk's cache
      }
    }
    /** @param {(list: { wall: number, cpu: number }[]) => number} of */
    const all = (of) => Object.fromEntries(Object.entries(times).map(([name, list]) => [name, of(list)]));
    const ms = all((list) => Math.round(median(list.map(({ wall }) => wall))));
    const cpu = all((list) => round(Math.min(...list.map((time) => time.cpu)), 1));
    const lines = Object.entries(ms).map(([name, time]) => {
      const own = 'node -e 0';
      return [name, { ms: time, cpu: cpu[name], "of Node's own": round(cpu[name] / cpu[own], 2) }];
    });
    printTable('a run', Object.fromEntries(lines));
    keep({ rounds, ms, processorMs: cpu });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
