// The command line as a user runs it: a new process each time.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
 * Printed by a process at its end: its peak memory, kilobytes. Linux hands what a parent had down
 * to maxRSS, but not to VmHWM.
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

/** Options of Node for a process that tells, as it ends, the processor time of all its threads. */
export const TELL_CPU = [
  '--import',
  `data:text/javascript,${encodeURIComponent(
    "process.on('exit', () => { const { user, system } = process.cpuUsage(); process.stderr.write('cpu ' + (user + system) / 1000 + ' ms'); });",
  )}`,
];

/** Processor milliseconds of a process told by TELL_CPU. @param {string} stderr */
export const cpuIn = (stderr) => Number(/cpu ([\d.]+) ms/.exec(stderr)?.[1]);

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
 * The least processor time of programs on a file, from their start to their end.
 *
 * @param {Uint8Array} bytes
 * @param {string} name the file's
 * @param {(file: string) => Record<string, readonly string[]>} programsOf each with its arguments
 * @returns milliseconds of each, or a line that says why there are none
 */
export function leastOfPrograms(bytes, name, programsOf, rounds = 3) {
  const folder = mkdtempSync(join(tmpdir(), 'gicollide-bench-'));
  try {
    const file = join(folder, name);
    writeFileSync(file, bytes);
    return Object.fromEntries(
      Object.entries(programsOf(file)).map(([way, words]) => {
        const times = Array.from({ length: rounds }, () => processorTimeOf(words));
        const numbers = times.filter((time) => typeof time === 'number');
        return [way, numbers.length > 0 ? Math.round(Math.min(...numbers)) : times[0]];
      }),
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** @param {readonly string[]} words a program and its arguments */
function processorTimeOf(words) {
  const script = 'TIMEFORMAT="%U %S"; command -v "$0" >/dev/null || exit 127; time "$0" "$@" >/dev/null 2>&1';
  const { status, stderr } = spawnSync('bash', ['-c', script, ...words], { encoding: 'utf8' });
  if (status === 127) return `${words[0]} is not installed`;
  const seconds = /([\d.]+) ([\d.]+)\s*$/.exec(stderr ?? '');
  return seconds ? 1000 * (Number(seconds[1]) + Number(seconds[2])) : `${words[0]} could not be timed`;
}
