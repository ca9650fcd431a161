// Removes the parts of the library that the viewer's page never calls, for
// scripts/bundle-viewer.mjs. The page reads assets and queries them. It writes no assets, moves no
// vertices and verifies no bounds. A removed function throws an error with its name if it is
// called.
import { readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const SOURCE = fileURLToPath(new URL('../src', import.meta.url));

/**
 * Functions and classes of modules, by the modules' paths.
 *
 * @type {Record<string, string[]>}
 */
const UNUSED_FUNCTIONS = {
  'containers/tiff-writer.ts': ['encodePage'],
  'representations/frep/format.ts': ['encodeFrep'],
  'representations/frep/tree/describe.ts': ['describeFrep'],
  'representations/frep/tree/verify.ts': ['verifyFrep'],
  'representations/gi/make/update.ts': ['updateGeometryImage'],
  'representations/gi/format/codec.ts': ['encodeGeometryImage'],
  'representations/gi/index.ts': ['describe'],
  'representations/gi/tree/verify.ts': ['verifyGeometryImage'],
  'representations/kdop/format.ts': ['encodeKdopTree'],
  'representations/kdop/index.ts': ['describe', 'layout', 'updateKdopTree'],
  'representations/kdop/tree/verify.ts': ['verifyKdopTree'],
  'representations/obb/format.ts': ['encodeObbTree', 'layoutLadder'],
  'representations/obb/index.ts': ['describe'],
  'representations/obb/tree/verify.ts': ['verifyObbTree'],
  'representations/obb/update/index.ts': ['updateObbTree', 'updateWideTree'],
  'representations/voxel/format.ts': ['encodeVoxels'],
  'representations/voxel/index.ts': ['describe'],
  'representations/voxel/tree/verify.ts': ['verifyVoxels'],
  // For scenes and poses on a GPU.
  'representations/kdop/search/on-device.ts': ['placeRecord', 'relater', 'tableOfDirections', 'treeOf'],
  'engine/on-device.ts': ['answerOnDevice'],
  'engine/prepared.ts': ['answerHere'],
  // The page asks about what is stored.
  'engine/sources.ts': ['answerOfSources'],
  'scene/on-device.ts': ['candidatesOf', 'stepOnDevice'],
  // A page has no shards of a scene.
  'base/shares.ts': ['readShard', 'shareOf'],
  'scene/pairs.ts': ['costsOf'],
};

/** @type {import('esbuild').Plugin} */
export const trimLibrary = {
  name: 'trim library',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^[^./]/ }, ({ path }) =>
      isBuiltin(path) || /^(sharp|@img)(\/|$)/.test(path) ? { errors: [{ text: `no page has ${path}` }] } : undefined,
    );
    // For LZW, which nothing that is put into the page is compressed by.
    onResolve({ filter: /^utif$/ }, ({ path }) => ({ path, namespace: 'left-out' }));
    onLoad({ filter: /.*/, namespace: 'left-out' }, () => ({ contents: refusal('utif') }));
    onLoad({ filter: /src.(containers|math|pair|representations|scene).*\.ts$/ }, ({ path }) => {
      const name = relative(SOURCE, path).split(sep).join('/');
      const unused = UNUSED_FUNCTIONS[name];
      if (!unused) return undefined;
      return { contents: unused.reduce(withoutFunction, readFileSync(path, 'utf8')), loader: 'ts' };
    });
  },
};

const refusal = (/** @type {string} */ name) =>
  `throw new Error('${name} is left out of this page (scripts/trim-library.mjs)');`;

/**
 * The text of a module with a function, or the constructor of a class, that throws. It ends at the
 * first brace that stands at the beginning of a line.
 *
 * @param {string} text @param {string} unused
 */
function withoutFunction(text, unused) {
  const found = new RegExp(`^((?:export )?)(?:async )?(function\\*?|class) ${unused}\\b[\\s\\S]*?^\\}$`, 'm').exec(
    text,
  );
  if (!found) throw new Error(`expected a function or a class ${unused}`);
  const body = found[2] === 'class' ? `{ constructor() { ${refusal(unused)} } }` : `() { ${refusal(unused)} }`;
  const instead = `${found[1]}${found[2] === 'class' ? 'class' : 'function'} ${unused}${body}`;
  return text.slice(0, found.index) + instead + text.slice(found.index + found[0].length);
}
