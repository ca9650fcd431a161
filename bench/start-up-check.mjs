// How long a run of the command line takes, from its start to its end: a new process each, in turns, against Node's own start. Every other
// figure of bench/ leaves this out. Wants the bundled program: npm run build first, since the tests compile over it.
//
//   npm run bench -- start-up [--record]
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { keep, median } from './race.mjs';

const ROUNDS = 15;
const root = fileURLToPath(new URL('..', import.meta.url));
const program = join(root, 'bin/gicollide.js');
const asset = (name) => join(root, 'assets', `${name}.obj`);
if (!existsSync(join(root, 'dist/cli/LICENSES.txt'))) throw new Error('dist holds no bundle: npm run build');

const folder = mkdtempSync(join(tmpdir(), 'gicollide-'));
function run(args) {
  const start = performance.now();
  const { status, stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' });
  if (status !== 0 && status !== 1) throw new Error(`${args.join(' ')}: ${stderr}`);
  return performance.now() - start;
}

try {
  const pair = (ending) => [`bunny${ending}`, `blob${ending}`];
  run([program, 'build', asset('bunny'), asset('blob'), '-f', 'obb,kdop', '-o', '.']);
  for (const size of ['65', '257'])
    run([program, 'build', asset('bunny'), asset('blob'), '--size', size, '-o', `gi${size}`]);
  const check = (a, b) => [program, 'check', a, b, '--translate-b', '0.4,0,0'];
  const runs = {
    'node -e 0': ['-e', '0'],
    'gicollide --version': [program, '--version'],
    'gicollide --help': [program, '--help'],
    'info, OBB tree': [program, 'info', 'bunny.obb'],
    'check, OBB trees': check(...pair('.obb')),
    'check, k-DOP trees': check(...pair('.kdop')),
    'check, images of 65': check('gi65/bunny.tiff', 'gi65/blob.tiff'),
    'check, images of 257': check('gi257/bunny.tiff', 'gi257/blob.tiff'),
    'check, meshes of 12 triangles': check(asset('box'), asset('box')),
    'check, meshes of 3674 and 5120 triangles': check(asset('bunny'), asset('blob')),
  };
  const times = Object.fromEntries(Object.keys(runs).map((name) => [name, []]));
  for (let i = -1; i < ROUNDS; i++) {
    for (const [name, args] of Object.entries(runs)) {
      const time = run(args);
      if (i >= 0) times[name].push(time); // the first round fills the disk's cache
    }
  }
  const ms = {};
  for (const [name, list] of Object.entries(times)) {
    ms[name] = Math.round(median(list));
    const ratio = ms[name] / ms['node -e 0'];
    console.log(`${name.padEnd(42)}${String(ms[name]).padStart(5)} ms${ratio.toFixed(2).padStart(7)} x Node's own`);
  }
  keep('start-up', { rounds: ROUNDS, ms });
} finally {
  rmSync(folder, { recursive: true, force: true });
}
