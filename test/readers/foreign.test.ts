/** Files that are no mesh for us are named, by their content, else by their names. */
import { deflateRawSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { readMesh } from '../../src/readers/formats.ts';

const bytes = (text: string): Uint8Array => Uint8Array.from(text, (character) => character.charCodeAt(0));
const EXPORT = ', which gicollide does not read; export glTF or OBJ';

/** The start of a zip archive: one entry of that name. */
function zip(name: string): string {
  const data = deflateRawSync('some text').toString('latin1');
  const short = (x: number): string => String.fromCharCode(x & 255, x >> 8);
  return `PK\x03\x04\x14\0\0\0\x08\0\0\0\0\0\0\0\0\0${short(data.length)}\0\0${short(9)}\0\0${short(name.length)}\0\0${name}${data}`;
}

const files: [string, string, string][] = [
  ['a.fbx', 'Kaydara FBX Binary  \0\x1a\0', `an FBX file${EXPORT}`],
  ['a.fbx', '; FBX 7.4.0 project file\n; ---\n', `an FBX file${EXPORT}`],
  ['a.obj', 'BLENDER-v293REND', `a Blender file${EXPORT}`],
  ['a.obj', "ISO-10303-21;\nHEADER;\nFILE_SCHEMA(('AUTOMOTIVE_DESIGN'));\n", `a STEP file${EXPORT}`],
  ['a.igs', `${'an IGES file'.padEnd(72)}S      1\n`, `an IGES file${EXPORT}`],
  ['a.usd', 'PXR-USDC\0\x08', `a USD file${EXPORT}`],
  ['a', '#usda 1.0\n', `a USD file${EXPORT}`],
  ['a.usdz', zip('scene.usdc'), `a USDZ file${EXPORT}`],
  ['a.3mf', zip('[Content_Types].xml'), `a 3MF file${EXPORT}`],
  ['a.zip', zip('a.obj'), 'a zip archive; unpack it'],
  ['a.obj.gz', '\x1f\x8b\x08\0', 'a compressed file; unpack it'],
  ['a.png', '\x89PNG\r\n\x1a\n', 'a PNG image'],
  ['a.jpg', '\xff\xd8\xff\xe0', 'a JPEG image'],
  ['a.pdf', '%PDF-1.7\n', 'a PDF document'],
  ['a.obj', '\n<!DOCTYPE html>\n<html>', 'an HTML page instead of the file'],
  [
    'a.obj',
    'version https://git-lfs.github.com/spec/v1\noid sha256:0\n',
    'a Git LFS pointer; git lfs pull fetches the file',
  ],
  ['a.obj', '', 'an empty file'],
  [
    'a.json',
    '\ufeff {"a": 1}'.replace('\ufeff', '\xef\xbb\xbf'),
    'JSON; the name of a model of an F-rep ends with .frep.json',
  ],
  ['a.svg', '<svg>', 'XML of a kind that gicollide does not read'],
  ['a.3DS', '\x4d\x4d\x02\x0a', `a 3DS file by its name${EXPORT}`],
  ['a.dxf', '  0\nSECTION\n  2\nHEADER\n', `a DXF file${EXPORT}`],
];

test.each(files)('%s, %j', async (name, text, found) => {
  const reading = readMesh(bytes(text), { name });
  await expect(reading).rejects.toThrow(/^expected a mesh \(.*OBJ.*\), found /);
  expect((await reading.catch((error) => error)).found).toBe(found);
});

test('what nobody knows keeps its own message', async () => {
  await expect(readMesh(bytes('hello\n'), { name: 'a.OBJ' })).rejects.toThrow('expected at least one face, found none');
  await expect(readMesh(bytes('hello\n'), { name: 'a.txt' })).rejects.toThrow(
    /^expected a mesh \(.*\), found another format$/,
  );
  // Random bytes.
  await expect(readMesh(bytes('\x01\n\0\x02'), { name: 'a.stl' })).rejects.toThrow(
    /^expected a mesh \(.*STL.*\), found /,
  );
  await expect(readMesh(bytes('v 0 0 zero\n'), { name: 'a.txt' })).rejects.toThrow('line 1: expected a finite number');
  await expect(readMesh(bytes('v 0 0 zero\n'), { name: 'a.fbx' })).rejects.toThrow(/FBX file by its name/);
  await expect(readMesh(bytes('v 0 0 zero\n'))).rejects.toThrow('line 1: expected a finite number, found "zero"');
});
