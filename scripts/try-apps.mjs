// node scripts/try-apps.mjs FOLDER
//
// Tries the package that is installed in a folder as pages get it: an app of Vite, one of webpack,
// and a page without a bundler. Each builds, reads a TIFF, checks, prepares, and asks for many
// poses in a worker, in Chromium; what it found must be what Node finds. Deno and Bun run the same
// code where they are installed. Missing programs are named and skipped.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join, normalize, resolve } from 'node:path';
import { chromium } from 'playwright-core';

const folder = resolve(process.argv[2] ?? '.');
const LIBRARY = '/node_modules/gicollide/dist/package/lib/browser.js';
const PROGRAMS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

const SHARED = `
import { build, check, openPair, prepare, read, readObj, translation, write } from 'gicollide';
export const tetrahedron = 'v 0 0 0\\nv 1 0 0\\nv 0 1 0\\nv 0 0 1\\nf 1 3 2\\nf 1 2 4\\nf 1 4 3\\nf 2 3 4\\n';
export async function verdictsOf(image) {
  const poses = Float64Array.of(...translation(9, 0, 0), ...translation(0.1, 0, 0));
  return [...(await openPair(image, image).verdicts(poses))];
}
export async function ask(bytes) {
  const tree = build(readObj(new TextEncoder().encode(tetrahedron)), { format: 'obb' });
  const again = (await read(await write(tree))).asset;
  const image = (await read(bytes)).asset;
  return [
    check(tree, again, { poseB: translation(3, 0, 0), distance: true }).distance.toFixed(6),
    prepare(tree, image).contact(translation(0.2, 0, 0)),
    image.representation,
  ];
}
`;
const WORKER = `
import { read } from 'gicollide';
import { verdictsOf } from './shared.mjs';
addEventListener('message', async ({ data }) => postMessage(await verdictsOf((await read(data)).asset)));
`;
const MAIN = `
import { ask } from './shared.mjs';
const bytes = new Uint8Array(await (await fetch('/image.tiff')).arrayBuffer());
const worker = new Worker(new URL('./worker.mjs', import.meta.url), { type: 'module' });
const failed = new Promise((_, reject) => worker.addEventListener('error', ({ message }) => reject(new Error(message))));
const answered = new Promise((done) => worker.addEventListener('message', ({ data }) => done(data)));
worker.postMessage(bytes);
const told = async () => [...(await ask(bytes)), await Promise.race([answered, failed])];
document.title = await told().then(JSON.stringify, String);
`;
/** The result that every one of them must find. */
const EXPECTED = '["2.000000",true,"gi",[0,1]]';

/** @param {string} name @param {Record<string, string>} files */
function write(name, files) {
  const app = join(folder, name);
  mkdirSync(app, { recursive: true });
  for (const [file, text] of Object.entries(files)) writeFileSync(join(app, file), text);
  return app;
}

/**
 * Modules by their names' endings: what npm init writes says CommonJS.
 *
 * @param {(text: string) => string} edit
 */
const sources = (edit = (text) => text) => ({
  'main.mjs': edit(MAIN),
  'worker.mjs': edit(WORKER),
  'shared.mjs': edit(SHARED),
});
/** @param {string} script */
const page = (script) =>
  `<!doctype html><link rel="icon" href="data:,"><script type="module" src="${script}"></script>`;

async function withVite() {
  const { build } = await import('vite');
  const app = write('app-vite', { ...sources(), 'index.html': page('./main.mjs') });
  const settings = { target: 'es2022', minify: true, emptyOutDir: true };
  await build({ root: app, base: './', logLevel: 'error', worker: { format: 'es' }, build: settings });
  return join(app, 'dist');
}

async function withWebpack() {
  const { default: webpack } = await import('webpack');
  const app = write('app-webpack', sources());
  const output = { path: join(app, 'dist'), filename: 'main.js', publicPath: './' };
  await new Promise((done, failed) =>
    webpack({ mode: 'production', context: app, entry: './main.mjs', output, performance: false }, (error, stats) => {
      const problem = error ?? (stats?.hasErrors() ? new Error(stats.toString('errors-only')) : null);
      if (problem) failed(problem);
      else done(null);
    }),
  );
  writeFileSync(join(app, 'dist/index.html'), page('./main.js'));
  return join(app, 'dist');
}

/** As a page from a CDN: the modules as they are. */
async function withoutBundler() {
  return write('app-plain', {
    ...sources((text) => text.replace("'gicollide'", `'${LIBRARY}'`)),
    'index.html': page('./main.mjs'),
  });
}

const TYPES = { '.html': 'text/html', '.js': 'text/javascript', '.mjs': 'text/javascript', '.tiff': 'image/tiff' };

/**
 * The title of a page after it has run.
 *
 * @param {import('playwright-core').Browser} browser
 * @param {string} app
 */
async function titleOf(browser, app) {
  const server = createServer(({ url = '/' }, answer) => {
    const path = normalize(decodeURIComponent(new URL(url, 'http://host').pathname));
    const isShared = path === '/image.tiff' || path.startsWith('/node_modules/');
    const file = join(isShared ? folder : app, path === '/' ? 'index.html' : path);
    if (!existsSync(file)) return void answer.writeHead(404).end();
    const type = TYPES[/** @type {keyof typeof TYPES} */ (extname(file))] ?? 'application/octet-stream';
    answer.writeHead(200, { 'content-type': type }).end(readFileSync(file));
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', () => done(null)));
  const opened = await browser.newPage();
  /** @type {string[]} */
  const errors = [];
  opened.on('pageerror', ({ message }) => errors.push(message));
  try {
    const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
    await opened.goto(`http://127.0.0.1:${port}/`);
    await opened.waitForFunction('document.title').catch(() => {});
    return (await opened.title()) || errors.join('; ') || 'nothing';
  } finally {
    await opened.close();
    server.close();
  }
}

/** @param {string} name @param {string} found */
function compare(name, found) {
  console.log(`${name}: ${found === EXPECTED ? 'as expected' : `expected ${EXPECTED}, found ${found}`}`);
  if (found !== EXPECTED) process.exitCode = 1;
}

const NODE_LIKE = `
import { readFileSync } from 'node:fs';
import { read } from 'gicollide';
import { ask, verdictsOf } from './shared.mjs';
const bytes = new Uint8Array(readFileSync('image.tiff'));
console.log(JSON.stringify([...(await ask(bytes)), await verdictsOf((await read(bytes)).asset)]));
process.exit();
`;

write('.', {
  'shared.mjs': SHARED,
  'all.mjs': NODE_LIKE,
  'tetrahedron.obj': SHARED.match(/= '(v .*?)';/)?.[1].replaceAll('\\n', '\n') ?? '',
});
const program = join(folder, 'node_modules/gicollide/bin/gicollide.js');
const args = [program, 'build', 'tetrahedron.obj', '--size', '17', '-o', 'image.tiff', '--force'];
const { status, stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' });
if (status !== 0) throw new Error(stderr);
/** @type {[name: string, program: string, args: string[]][]} */
const RUNTIMES = [
  ['Node', process.execPath, []],
  ['Deno', 'deno', ['run', '--allow-all', '--node-modules-dir=manual']],
  ['Bun', 'bun', []],
];
for (const [name, runtime, flags] of RUNTIMES) {
  const run = spawnSync(runtime, [...flags, 'all.mjs'], { cwd: folder, encoding: 'utf8' });
  if (run.error) console.log(`${name}: skipped, not installed`);
  else compare(name, run.stdout.trim() || run.stderr.slice(-2000));
}
const executablePath = PROGRAMS.find((file) => existsSync(file));
if (!executablePath) console.log('pages: skipped, no Chromium; apt-get install chromium brings one');
else {
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  compare('Vite', await titleOf(browser, await withVite()));
  compare('webpack', await titleOf(browser, await withWebpack()));
  compare('a page without a bundler', await titleOf(browser, await withoutBundler()));
  await browser.close();
}
