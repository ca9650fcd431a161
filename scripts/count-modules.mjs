// Counts the modules of dist/ that a run evaluates, and those that it enters, which means that one
// of their functions runs. The counts come from V8's coverage, with modules as tsc compiles them.
//
//   node scripts/count-modules.mjs            both counts, of a check, a build and a scene
//   node scripts/count-modules.mjs --files    and their paths; a dash marks what is not entered
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const DIST = pathToFileURL(join(root, 'dist/')).href;
const PROGRAM = `const { main } = await import('${DIST}cli/program.js'); await main(['', '', ...process.argv.slice(1)]);`;

/** @typedef {{ evaluated: string[], entered: string[] }} Modules paths in dist/, sorted */
/** @typedef {{ ranges: { count: number }[] }} Counted a function, and how often it ran */

/**
 * Runs the program in a folder and counts its modules.
 *
 * @param {string[]} args
 * @param {string} cwd
 * @returns {Promise<Modules>}
 */
async function modulesOf(args, cwd) {
  const folder = mkdtempSync(join(cwd, 'coverage-'));
  const { NODE_OPTIONS, ...env } = process.env;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', PROGRAM, '--', ...args], {
    cwd,
    env: { ...env, NODE_V8_COVERAGE: folder },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    said += text;
  });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`gicollide ${args.join(' ')}: expected exit code 0, found ${code}: ${said}`);
  /** @type {Set<string>} */
  const evaluated = new Set();
  /** @type {Set<string>} */
  const entered = new Set();
  for (const file of readdirSync(folder)) {
    /** @type {{ result: { url: string, functions: Counted[] }[] }} */
    const { result } = JSON.parse(readFileSync(join(folder, file), 'utf8'));
    for (const { url, functions } of result) {
      if (!url.startsWith(DIST)) continue;
      const path = url.slice(DIST.length);
      evaluated.add(path);
      // The first is the module itself.
      if (functions.slice(1).some(({ ranges }) => ranges[0].count > 0)) entered.add(path);
    }
  }
  return { evaluated: [...evaluated].sort(), entered: [...entered].sort() };
}

/**
 * Counts for the most frequent runs: a check of two images, an image's build, a scene.
 *
 * @returns {Promise<Record<'check' | 'build' | 'scene', Modules>>}
 */
export async function countModules() {
  const cwd = mkdtempSync(join(tmpdir(), 'count-modules-'));
  const asset = (/** @type {string} */ name) => join(root, 'assets', name);
  try {
    const build = await modulesOf(['build', asset('bunny.obj'), '-o', 'a.tiff'], cwd);
    await modulesOf(['build', asset('blob.obj'), '-o', 'b.tiff'], cwd);
    const check = await modulesOf(['check', 'a.tiff', 'b.tiff', '--expect', 'contact'], cwd);
    const scene = await modulesOf(['scene', asset('room.scene.json'), '--fail-on', 'none', '--jobs', '1'], cwd);
    return { check, build, scene };
  } finally {
    rmSync(cwd, { recursive: true, force: true });
  }
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  for (const [command, { evaluated, entered }] of Object.entries(await countModules())) {
    console.log(`${command}: evaluates ${evaluated.length} modules, enters ${entered.length}`);
    if (!process.argv.includes('--files')) continue;
    for (const path of evaluated) console.log(`  ${entered.includes(path) ? path : `- ${path}`}`);
  }
}
