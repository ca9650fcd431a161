/** gicollide/three in a page that draws: a GLB with its trees, objects that move, bounds as lines. */
// @module-tag browser
import { Document, NodeIO } from '@gltf-transform/core';
import { Mesh } from 'three';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bundleBrowser } from '../../scripts/bundle-browser.mjs';
import '../../src/representations/everything.ts';
import { GicollideObb, storeTrees } from '../../src/gltf-extension/index.ts';
import { LiveChecker, toBufferGeometry } from '../../src/three/index.ts';
import { chromiumProgram, type OpenPage, openPage } from '../support/chromium.ts';
import { bumpySphere } from '../support/shapes.ts';

const SOURCE = `
export * as three from 'three';
export { GLTFLoader } from 'three/examples/jsm/loaders/GLTFLoader.js';
export * as live from 'gicollide/three';
`;

/** What the script of the page has as globals. */
declare const kit: {
  three: typeof import('three');
  GLTFLoader: typeof import('three/examples/jsm/loaders/GLTFLoader.js').GLTFLoader;
  live: typeof import('../../src/three/index.ts');
};

/** A GLB of one mesh, with its tree. */
async function glbOf(mesh: ReturnType<typeof bumpySphere>): Promise<Uint8Array> {
  const document = new Document();
  const buffer = document.createBuffer();
  const points = document.createAccessor().setType('VEC3').setArray(Float32Array.from(mesh.positions));
  const indices = document.createAccessor().setArray(mesh.triangles.slice());
  for (const accessor of [points, indices]) accessor.setBuffer(buffer);
  const primitive = document.createPrimitive().setAttribute('POSITION', points).setIndices(indices);
  const ball = document.createMesh('ball').addPrimitive(primitive);
  document.createScene().addChild(document.createNode('ball').setMesh(ball));
  await storeTrees(document);
  return new NodeIO().registerExtensions([GicollideObb]).writeBinary(document);
}

const STEPS = [0, 0.5, 1, 1.5, 2, 2.5, 3];

describe.skipIf(!chromiumProgram)('in Chromium', () => {
  let opened: OpenPage;
  const glb = glbOf(bumpySphere(1, 2));

  beforeAll(async () => {
    opened = await openPage();
    await opened.page.addScriptTag({ content: await bundleBrowser({ source: SOURCE, name: 'kit' }) });
  });
  afterAll(() => opened.close());

  test('a ball that passes another, drawn with its bounds, is what it is in Node', async () => {
    const drawn = await opened.page.evaluate(
      async ({ bytes, steps }) => {
        const { three, GLTFLoader, live } = kit;
        const warnings: string[] = [];
        const loader = new GLTFLoader();
        loader.register((parser) => new live.GicollideObbPlugin(parser, { onWarning: (line) => warnings.push(line) }));
        const { scene } = await loader.parseAsync(Uint8Array.from(bytes).buffer, '');
        const ball = scene.getObjectByName('ball')!;
        const other = ball.clone();
        const helper = new live.BoundsHelper(live.storedTree(ball)!, { level: 1, color: 'white' });
        other.add(helper);
        const stage = new three.Scene().add(ball, other);
        const camera = new three.PerspectiveCamera(60, 1, 0.1, 20);
        camera.position.z = 6;
        const renderer = new three.WebGLRenderer({ preserveDrawingBuffer: true });
        renderer.setSize(64, 64);
        const checker = new live.LiveChecker().add(ball).add(other);
        const verdicts: string[] = [];
        const lit: number[] = [];
        const pixels = new Uint8Array(64 * 64 * 4);
        for (const [n, x] of steps.entries()) {
          other.position.x = x;
          checker.update();
          verdicts.push(checker.verdict(ball, other));
          helper.level = n % (helper.depth + 1);
          helper.update();
          renderer.render(stage, camera);
          const gl = renderer.getContext();
          gl.readPixels(0, 0, 64, 64, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
          lit.push(pixels.filter((value, i) => i % 4 === 0 && value > 100).length);
        }
        renderer.dispose();
        return { verdicts, lit, warnings, same: live.storedTree(ball) === live.storedTree(other) };
      },
      { bytes: Array.from(await glb), steps: STEPS },
    );
    const [a, b] = [1, 2].map(() => new Mesh(toBufferGeometry(bumpySphere(1, 2))));
    const checker = new LiveChecker().add(a).add(b);
    const expected = STEPS.map((x) => {
      b.position.x = x;
      checker.update();
      return checker.verdict(a, b);
    });
    expect(drawn.verdicts).toEqual(expected);
    expect(new Set(expected)).toEqual(new Set(['contact', 'clear']));
    expect([drawn.same, drawn.warnings]).toEqual([true, []]);
    for (const count of drawn.lit) expect(count).toBeGreaterThan(20);
  });
});
