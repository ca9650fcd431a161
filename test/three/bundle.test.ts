/** What a page pays that imports gicollide/three: its own three is left alone, and nothing builds unasked. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Bundles some names of gicollide/three, minified; three stays the page's. */
async function bundle(names: string) {
  const { metafile, outputFiles } = await build({
    stdin: {
      contents: `export { ${names} } from 'gicollide/three';`,
      resolveDir: root,
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
  ['fromBufferGeometry, poseOf', 4_400],
  // An asset's surface takes the code of all kinds.
  ['toBufferGeometry', 199_500],
  ['GicollideObbPlugin, storedTree', 12_000],
  // Wide OBB trees alone: searched, built and refitted.
  ['LiveChecker', 80_000],
  ['LiveChecker, GicollideObbPlugin, BoundsHelper, fromBufferGeometry, toBufferGeometry', 220_500],
] as const)('%s: at most %i bytes, compressed', { tags: ['all'] }, async (names, most) => {
  const { zipped, imports, inputs } = await bundle(names);
  expect(zipped).toBeLessThan(most);
  expect([...imports].filter((path) => path !== 'three')).toEqual([]);
  expect(inputs.filter((input) => /node_modules\/(three|@gltf-transform|zod)\//.test(input))).toEqual([]);
});

/** Runs a program as a bundler makes it for a page, without what it does not use. */
async function run(contents: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: root },
    ...{ bundle: true, format: 'esm', platform: 'browser', target: 'es2022', write: false, logLevel: 'silent' },
    ...{ external: ['node:fs'], tsconfigRaw: {} },
  } as const);
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module'], {
    ...{ cwd: root, encoding: 'utf8', input: outputFiles[0].text },
  });
  return stdout + stderr;
}

test('an asset of another kind: the error names the import, and with it the checker answers', {
  tags: ['all'],
}, async () => {
  const begin = `
    import { build, readFrep } from 'gicollide/frep';
    import { LiveChecker } from 'gicollide/three';
    import { BoxGeometry, Mesh, Object3D } from 'three';
    const asset = build(readFrep('{"object": {"sphere": {"radius": 1}}}'));
    const box = new Mesh(new BoxGeometry());`;
  const update = 'add(box).add(new Object3D(), { asset }).update()';
  expect(await run(`${begin} try { new LiveChecker().${update}; } catch ({ message }) { console.log(message); }`)).toBe(
    "asset: frep needs its code; add import { representations } from 'gicollide' and pass LiveChecker kinds: representations\n",
  );
  expect(
    await run(`import { representations } from 'gicollide'; ${begin}
    console.log(new LiveChecker({ kinds: representations }).${update}[0].verdict);`),
  ).toBe('contact\n');
});

test('trees of 40 bytes of gicollide/obb: a kernel where the page builds, else their search', {
  tags: ['all'],
}, async () => {
  const ask = (kind: string) => `
    let report;
    for (let i = 0; i < 100; i++) report = check(tree, tree, { poseB: translation(3, 0, 0) });
    console.log('${kind}', report.engine, report.verdict);`;
  expect(
    await run(`import { build, check, translation } from 'gicollide/obb';
    import { SphereGeometry } from 'three';
    const { index, attributes } = new SphereGeometry(1, 16, 8);
    const mesh = { positions: Float64Array.from(attributes.position.array), triangles: Uint32Array.from(index.array), groups: [] };
    const tree = build(mesh);${ask('built')}`),
  ).toBe('built kernel clear\n');
  expect(
    await run(`import { check, read, translation } from 'gicollide/obb';
    import { readFileSync } from 'node:fs';
    const { asset: tree } = await read(readFileSync('test/golden/box-obb40-v1.obb'));${ask('read')}`),
  ).toMatch(/^read search (clear|contact)\n$/);
});
