// The command line as a user runs it: a new process each time.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The path of the program. */
export const PROGRAM = fileURLToPath(new URL('../bin/gicollide.js', import.meta.url));

/** @param {string} name @param {string} ending */
export const assetPath = (name, ending = '.obj') =>
  fileURLToPath(new URL(`../assets/${name}${ending}`, import.meta.url));

/** Throws where there is no bundle. */
export function requireBundle() {
  if (!existsSync(new URL('../dist/package/lib/program.js', import.meta.url)))
    throw new Error('dist holds no bundle: npm run build');
}

/**
 * What a process says as it ends: the most memory that it had, kilobytes. Linux hands what a parent
 * had down to maxRSS, but not to VmHWM.
 */
const PEAK = `
import { readFileSync } from 'node:fs';
process.on('exit', () => {
  let peak = process.resourceUsage().maxRSS;
  if (process.platform === 'linux') peak = /VmHWM:\\s*(\\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? peak;
  process.stderr.write('peak ' + peak + ' kB');
});`;

/** Options of Node for it. */
export const TELL_PEAK = ['--import', `data:text/javascript,${encodeURIComponent(PEAK)}`];

/**
 * What a process told by TELL_PEAK, and its threads: megabytes; undefined where there is nothing.
 *
 * @param {string} stderr
 */
export function peakIn(stderr) {
  const peaks = [...stderr.matchAll(/peak (\d+) kB/g)].map(([, kilobytes]) => Number(kilobytes));
  return peaks.length === 0 ? undefined : Math.round(Math.max(...peaks) / 1024);
}

/**
 * Runs Node from its start to its end.
 *
 * @param {readonly string[]} args
 * @param {string} [cwd]
 * @returns what it printed, and milliseconds
 */
export function runNode(args, cwd) {
  const start = performance.now();
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd, encoding: 'utf8', maxBuffer: 2 ** 28 });
  if (status !== 0 && status !== 1) throw new Error(`${args.join(' ')}: ${stderr}`);
  return { stdout, stderr, wall: performance.now() - start };
}

/**
 * Runs a program, as those of other projects, from its start to its end.
 *
 * @param {string} program
 * @param {readonly string[]} args
 * @returns milliseconds of processor time, or a line that says why there are none
 */
export function processorTimeOf(program, args) {
  const script = 'TIMEFORMAT="%U %S"; command -v "$0" >/dev/null || exit 127; time "$0" "$@" >/dev/null 2>&1';
  const { status, stderr } = spawnSync('bash', ['-c', script, program, ...args], { encoding: 'utf8' });
  if (status === 127) return `${program} is not installed`;
  const seconds = /([\d.]+) ([\d.]+)\s*$/.exec(stderr ?? '');
  return seconds ? 1000 * (Number(seconds[1]) + Number(seconds[2])) : `${program} could not be timed`;
}
