// A step of npm run build: the page of `gicollide view` and `--html` as one file,
// dist/viewer/page.html, with its style, its script, and the library as the text of its worker.
// Both are packed, and a small script unpacks them. The command line puts data in the place of
// <!--data-->. Nothing else is loaded. The content security policy names the two scripts and the
// style by their hashes, and blocks all else.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { kindsWith } from './bundle-kinds.mjs';
import { licences } from './licences.mjs';
import { pack } from './pack-text.mjs';
import { trimLibrary } from './trim-library.mjs';
import { withoutUnusedMethods } from './trim-methods.mjs';
import { trimThree } from './trim-three.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const PAGE_FOLDER = join(root, 'dist/viewer');
const PAGE = 'src/viewer/page';

/** @typedef {{ html: string, bytes: number, gzip: number, parts: Record<string, number> }} ViewerBundle */

/**
 * Paths of packages that the page must not contain, such as zod, which checks files that people
 * write.
 */
const REFUSED = /node_modules\/(zod|utif|pako|fflate|earcut|fast-xml-parser|@gltf-transform|meshoptimizer)\//;

/** @type {import('esbuild').BuildOptions & { write: false }} */
const WRITTEN = {
  absWorkingDir: root,
  outdir: 'out',
  bundle: true,
  format: 'iife',
  platform: 'browser',
  target: 'es2022',
  charset: 'utf8',
  minify: true,
  legalComments: 'none', // LICENSES.txt has them
  write: false,
  tsconfigRaw: {}, // ours leads `gicollide` to src/
  logLevel: 'silent', // what is wrong is in the error
};

/**
 * A file of `src` and its imports, as a script or a style.
 *
 * @param {string} entry
 */
async function bundled(entry) {
  const isScript = entry.endsWith('.ts');
  const { outputFiles, metafile } = await build({
    ...WRITTEN,
    ...(isScript && { format: 'esm', minify: false }),
    entryPoints: [entry],
    metafile: true,
    plugins: [kindsWith('codec', 'code'), trimThree, trimLibrary],
  });
  const [output] = Object.values(metafile.outputs);
  const refused = Object.entries(output.inputs).filter(
    ([path, { bytesInOutput }]) => bytesInOutput > 0 && REFUSED.test(path),
  );
  if (refused.length > 0)
    throw new Error(`${entry}: expected none of these packages, found ${refused.map(([path]) => path).join(', ')}`);
  const [{ text }] = outputFiles;
  return { text: (isScript ? await withoutUnusedMethods(text, WRITTEN) : text).trim(), parts: output.inputs };
}

/** The last packed result, because a test bundles the page more than once. */
const last = { text: '', packed: '' };

/**
 * Two scripts as one block of the page, which src/viewer/page/loader.ts reads.
 *
 * @param {string} page @param {string} worker
 */
function packedBlock(page, worker) {
  const text = `${page}\0${worker}`;
  // An HTML parser would change these characters, and so the hash of the unpacked script.
  if (/[\0\r]/.test(page + worker)) throw new Error('a script has characters (NUL, CR) that HTML changes');
  const bytes = Buffer.from(text);
  if (text !== last.text) Object.assign(last, { text, packed: Buffer.from(pack(bytes)).toString('base64') });
  return `<script type="text/plain" id="worker" data-bytes="${bytes.length}">${last.packed}</script>`;
}

const hashOf = (/** @type {string} */ text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/**
 * The page and its sizes. Equal sources give equal bytes.
 *
 * @returns {Promise<ViewerBundle>} `parts`: bytes of all modules in it, by their paths
 */
export async function bundleViewer() {
  const [style, loader, script, worker] = await Promise.all(
    [`${PAGE}/style.css`, `${PAGE}/loader.ts`, `${PAGE}/main.ts`, 'src/viewer/worker.ts'].map(bundled),
  );
  const policy = [
    "default-src 'none'",
    `script-src ${hashOf(loader.text)} ${hashOf(script.text)} 'wasm-unsafe-eval'`,
    `style-src ${hashOf(style.text)}`,
    ...['worker-src blob:', 'img-src data: blob:', "connect-src 'self'", "base-uri 'none'", "form-action 'none'"],
  ].join('; ');
  const head = `<meta http-equiv="Content-Security-Policy" content="${policy}"><style>${style.text}</style>`;
  const scripts = `${packedBlock(script.text, worker.text)}\n<script>${loader.text}</script>`;
  const skeleton = readFileSync(join(root, PAGE, 'index.html'), 'utf8');
  const html = placed(placed(skeleton, '<!--head-->', head), '<!--data-->', `<!--data-->\n${scripts}`);
  /** @type {Record<string, number>} */
  const parts = { [`${PAGE}/index.html`]: Buffer.byteLength(skeleton) };
  for (const [path, { bytesInOutput }] of [style, loader, script, worker].flatMap((each) => Object.entries(each.parts)))
    if (bytesInOutput > 0) parts[path] = (parts[path] ?? 0) + bytesInOutput;
  return { html, bytes: Buffer.byteLength(html), gzip: gzipSync(html, { level: 9 }).length, parts };
}

/** @param {string} text @param {string} marker @param {string} instead */
function placed(text, marker, instead) {
  const pieces = text.split(marker);
  if (pieces.length !== 2) throw new Error(`${PAGE}/index.html: expected ${marker} once`);
  return pieces.join(instead);
}

/** Writes the page into dist/, and the licenses of its code. */
export async function writeViewer() {
  const { html, parts } = await bundleViewer();
  mkdirSync(PAGE_FOLDER, { recursive: true });
  writeFileSync(join(PAGE_FOLDER, 'LICENSES.txt'), licences(Object.keys(parts)));
  // Renamed into place: tests and a build may run at once.
  const unfinished = join(PAGE_FOLDER, `page.${process.pid}`);
  writeFileSync(unfinished, html);
  renameSync(unfinished, join(PAGE_FOLDER, 'page.html'));
}
