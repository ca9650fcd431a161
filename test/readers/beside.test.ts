import { expect, test } from 'vitest';
import { besidePath } from '../../src/readers/beside.ts';

test.each([
  ['robot/arm.gltf', 'arm.bin', 'robot/arm.bin'],
  ['package://p/meshes/arm.gltf', 'textures/arm.png', 'package://p/meshes/textures/arm.png'],
  ['arm.gltf', './arm.bin', './arm.bin'],
  ['c:\\meshes\\arm.gltf', 'arm.bin', 'c:\\meshes\\arm.bin'],
])('%s names %s', (file, path, expected) => expect(besidePath(file, path)).toBe(expected));

test.each(['', '/etc/passwd', '\\\\host\\x', 'C:\\x', '../x', 'a/../../x', 'a\\..\\x', 'https://a/x', 'data:,'])(
  '%j is refused',
  (path) => expect(() => besidePath('a/b.gltf', path)).toThrow('expected a file in the same folder or below'),
);
