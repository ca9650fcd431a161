/** A binary STL takes memory for what the mesh has and hardly more: no second copy of the file. */
import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { long } from '../support/long.ts';

const formats = new URL('../../dist/readers/formats.js', import.meta.url).href;
const SIDE = long ? 1000 : 500;

/** Reads a grid of squares; prints bytes of the file, and what the peak of memory grew by. */
const SOURCE = `
  const { readMeshFile } = await import(${JSON.stringify(formats)});
  const side = ${SIDE};
  const bytes = new Uint8Array(84 + 100 * side * side);
  const view = new DataView(bytes.buffer);
  view.setUint32(80, 2 * side * side, true);
  let at = 84;
  for (let i = 0; i < side; i++) {
    for (let j = 0; j < side; j++) {
      for (const corners of [[i, j, i + 1, j, i + 1, j + 1], [i, j, i + 1, j + 1, i, j + 1]]) {
        at += 12;
        for (let k = 0; k < 6; k += 2, at += 12) {
          view.setFloat32(at, corners[k], true);
          view.setFloat32(at + 4, corners[k + 1], true);
        }
        at += 2;
      }
    }
  }
  const peak = () => process.resourceUsage().maxRSS * 1024;
  const before = peak();
  const { meshes } = await readMeshFile(bytes, { open() {} });
  const vertices = meshes[0].mesh.positions.length / 3;
  console.log(JSON.stringify({ size: bytes.length, vertices, grew: peak() - before }));
`;

test(`${2 * SIDE * SIDE} triangles`, { tags: ['all', 'long'] }, () => {
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', SOURCE], { encoding: 'utf8' });
  expect(stderr).toBe('');
  const { size, vertices, grew } = JSON.parse(stdout);
  expect(vertices).toBe((SIDE + 1) ** 2);
  // Twelve bytes a triangle for its corners, as many for vertices, and a table; and code.
  expect(grew).toBeLessThan(0.75 * size + 5e6);
});
