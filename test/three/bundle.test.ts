/** What a page pays that imports gicollide/three: its own three is left alone, and nothing builds unasked. */
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { expect, test } from 'vitest';

/** Bundles some names of gicollide/three, minified; three stays the page's. */
async function bundle(names: string) {
  const { metafile, outputFiles } = await build({
    stdin: {
      contents: `export { ${names} } from 'gicollide/three';`,
      resolveDir: fileURLToPath(new URL('../..', import.meta.url)),
    },
    ...{ bundle: true, format: 'esm', platform: 'browser', target: 'es2022', minify: true },
    ...{ write: false, metafile: true, external: ['three'], logLevel: 'silent' },
    tsconfigRaw: {}, // ours leads `gicollide` to src/
  } as const);
  const [{ inputs, imports }] = Object.values(metafile.outputs);
  return {
    zipped: gzipSync(outputFiles[0].contents).length,
    inputs: Object.keys(inputs),
    imports: new Set(imports.filter(({ external }) => external).map(({ path }) => path)),
  };
}

test.each([
  ['fromBufferGeometry, poseOf', 4_000],
  // An asset's surface takes the code of all kinds.
  ['toBufferGeometry', 175_000],
  ['GicollideObbPlugin, storedTree', 12_000],
  ['LiveChecker', 260_000],
  ['LiveChecker, GicollideObbPlugin, BoundsHelper, fromBufferGeometry, toBufferGeometry', 262_000],
] as const)('%s: at most %i bytes, compressed', { tags: ['all'] }, async (names, most) => {
  const { zipped, imports, inputs } = await bundle(names);
  expect(zipped).toBeLessThan(most);
  expect([...imports].filter((path) => path !== 'three')).toEqual([]);
  expect(inputs.filter((input) => /node_modules\/(three|@gltf-transform|zod)\//.test(input))).toEqual([]);
});
