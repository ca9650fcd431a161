/** What is left of three draws the same pixels as all of it, and refuses what was left out by its name. */
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { expect, test } from 'vitest';
import { withoutUnusedMethods } from '../../scripts/trim-methods.mjs';
import { trimThree } from '../../scripts/trim-three.mjs';
import { chromiumProgram, sharedBrowser } from '../support/chromium.ts';

/** Shaders of our own with instances, clipping and lines, and those of three that stay; a camera that is moved. */
const SCENE = `
import * as THREE from 'three';
import { OrbitControls } from 'three/addons/controls/OrbitControls.js';
const renderer = new THREE.WebGLRenderer({ antialias: true, stencil: true, preserveDrawingBuffer: true });
renderer.setSize(320, 240);
renderer.localClippingEnabled = true;
document.body.append(renderer.domElement);
const scene = new THREE.Scene();
scene.background = new THREE.Color(0x203040);
const camera = new THREE.PerspectiveCamera(45, 4 / 3, 0.1, 100);
camera.position.set(4, 3, 6);
new OrbitControls(camera, renderer.domElement).update();
const solid = new THREE.BufferGeometry();
solid.setAttribute('position', new THREE.BufferAttribute(Float32Array.of(0, 0, 1, 1, 0, -0.5, -1, 0, -0.5, 0, 1.4, 0), 3));
solid.setIndex([0, 1, 3, 1, 2, 3, 2, 0, 3, 0, 2, 1]);
const own = new THREE.ShaderMaterial({
  clipping: true,
  clippingPlanes: [new THREE.Plane(new THREE.Vector3(0, -1, 0), 0.8)],
  side: THREE.DoubleSide,
  vertexShader: \`varying vec3 at;
    #include <clipping_planes_pars_vertex>
    void main() {
      vec4 mvPosition = modelViewMatrix * instanceMatrix * vec4(position, 1.0);
      at = mvPosition.xyz;
      gl_Position = projectionMatrix * mvPosition;
      #include <clipping_planes_vertex>
    }\`,
  fragmentShader: \`varying vec3 at;
    #include <clipping_planes_pars_fragment>
    void main() {
      #include <clipping_planes_fragment>
      gl_FragColor = vec4(0.5 + 0.5 * normalize(cross(dFdx(at), dFdy(at))), 1.0);
      #include <colorspace_fragment>
    }\`,
});
const many = new THREE.InstancedMesh(solid, own, 5);
for (let i = 0; i < 5; i++) many.setMatrixAt(i, new THREE.Matrix4().makeTranslation(0.8 * i - 2, 0, -1));
const glass = new THREE.MeshBasicMaterial({ color: 0xff8800, transparent: true, opacity: 0.5 });
scene.add(many, new THREE.Mesh(solid, glass), new THREE.LineSegments(solid, new THREE.LineBasicMaterial({ color: 0xffffff })));
renderer.render(scene, camera);
const hit = new THREE.Raycaster(camera.position, camera.position.clone().negate().normalize());
globalThis.drawn = () => [renderer.info.render.triangles, hit.intersectObject(many).length, renderer.domElement.toDataURL()];
globalThis.refused = () => renderer.setRenderTarget(new THREE.WebGLRenderTarget(8, 8));
`;

/** A page that has drawn the scene, and what its console says. */
async function drawn(plugins: (typeof trimThree)[]) {
  const { outputFiles } = await build({
    stdin: { contents: SCENE, resolveDir: fileURLToPath(new URL('../..', import.meta.url)) },
    bundle: true,
    format: 'esm',
    write: false,
    tsconfigRaw: {},
    plugins,
  });
  const [{ text }] = outputFiles;
  const content = plugins.length > 0 ? await withoutUnusedMethods(text, {}) : text;
  const page = await (await sharedBrowser()).newPage();
  const said: string[] = [];
  page.on('console', (message) => said.push(message.text()));
  page.on('pageerror', ({ message }) => said.push(message));
  await page.setContent('<!doctype html><title>three</title>');
  await page.addScriptTag({ type: 'module', content });
  return { page, said, found: await page.evaluate<unknown[]>('drawn()'), bytes: content.length };
}

test.runIf(chromiumProgram)('the same pixels, with two thirds of it', { tags: ['long'] }, async () => {
  const [trimmed, whole] = [await drawn([trimThree]), await drawn([])];
  expect(trimmed.said).toEqual([]);
  expect(trimmed.found).toEqual(whole.found);
  expect(whole.found[0]).toBe(24);
  expect(trimmed.bytes).toBeLessThan((2 / 3) * whole.bytes);
  await expect(trimmed.page.evaluate('refused()')).rejects.toThrow('is left out of this page (scripts/trim-three.mjs)');
  for (const { page } of [trimmed, whole]) await page.close();
});
