// Megabytes a second of reading mesh files, by format, beside three's loaders in the same run.
// Their results differ: gicollide makes doubles and numbered vertices, three makes floats. For STL
// and OBJ, three gives every triangle its own corners; for STL its mergeVertices joins them. Also
// STL, OBJ and GLB by the size of the file, in processor time, and whole processes beside assimp's
// and admesh's.
//
//   npm run bench -- readers
import { Document, NodeIO } from '@gltf-transform/core';
import { readObj, writeObj } from 'gicollide';
import { GLTFLoader } from 'three/examples/jsm/loaders/GLTFLoader.js';
import { OBJLoader } from 'three/examples/jsm/loaders/OBJLoader.js';
import { PLYLoader } from 'three/examples/jsm/loaders/PLYLoader.js';
import { STLLoader } from 'three/examples/jsm/loaders/STLLoader.js';
import { mergeVertices } from 'three/examples/jsm/utils/BufferGeometryUtils.js';
import { readMeshFile } from '#src/readers/formats';
import { readOff } from '#src/readers/off';
import { readPly } from '#src/readers/ply';
import { readStl } from '#src/readers/stl';
import { sample, stlBinary, subdivided, torus } from './inputs.mjs';
import { leastOfPrograms, PROGRAM } from './program.mjs';
import { collectGarbage, digits, elapsed, median, printTable, startClock, timeOf } from './race.mjs';

/** @typedef {import('gicollide').Mesh} Mesh */
/** @typedef {(bytes: Uint8Array) => unknown} Read */
/** @typedef {{ bytes: Uint8Array, ours: Read, three?: Read, merged?: Read }} Format */

/** @type {Record<string, string>} */
const NAMES = { ours: 'gicollide', three: 'three', merged: 'three, joined' };

const encode = (/** @type {string[]} */ lines) => new TextEncoder().encode(lines.join('\n'));
const bufferOf = (/** @type {Uint8Array} */ bytes) => /** @type {ArrayBuffer} */ (bytes.buffer);

/** Lines of all vertices or triangles: three numbers each. @param {ArrayLike<number>} numbers */
function* triples(numbers) {
  for (let k = 0; k < numbers.length; k += 3) yield [numbers[k], numbers[k + 1], numbers[k + 2]];
}

/** @param {Mesh} mesh */
function stlText({ positions, triangles }) {
  const vertex = (/** @type {number} */ v) => `      vertex ${positions.subarray(3 * v, 3 * v + 3).join(' ')}`;
  const facets = Array.from(triples(triangles), (corners) =>
    ['  facet normal 0 0 1', '    outer loop', ...corners.map(vertex), '    endloop', '  endfacet'].join('\n'),
  );
  return encode(['solid mesh', ...facets, 'endsolid mesh', '']);
}

/** @param {Mesh} mesh @param {string} encoding */
const plyHeader = ({ positions, triangles }, encoding) => [
  ...['ply', `format ${encoding} 1.0`, `element vertex ${positions.length / 3}`],
  ...['property float x', 'property float y', 'property float z'],
  ...[`element face ${triangles.length / 3}`, 'property list uchar int vertex_indices', 'end_header', ''],
];

/** @param {Mesh} mesh */
function plyBinary(mesh) {
  const header = encode(plyHeader(mesh, 'binary_little_endian'));
  const { positions, triangles } = mesh;
  const bytes = new Uint8Array(header.length + 4 * positions.length + (13 * triangles.length) / 3);
  bytes.set(header);
  const view = new DataView(bytes.buffer);
  let at = header.length;
  for (const x of positions) {
    view.setFloat32(at, x, true);
    at += 4;
  }
  for (const [corner, vertex] of triangles.entries()) {
    if (corner % 3 === 0) view.setUint8(at++, 3);
    view.setInt32(at, vertex, true);
    at += 4;
  }
  return bytes;
}

/** @param {Mesh} mesh */
function formatsOf(mesh) {
  const vertices = Array.from(triples(mesh.positions), (point) => point.join(' '));
  const faces = Array.from(triples(mesh.triangles), (corners) => `3 ${corners.join(' ')}`);
  const loadStl = (/** @type {Uint8Array} */ bytes) => new STLLoader().parse(bufferOf(bytes));
  const merged = (/** @type {Uint8Array} */ bytes) => mergeVertices(loadStl(bytes).deleteAttribute('normal'));
  const stl = { ours: readStl, three: loadStl, merged };
  const ply = { ours: readPly, three: (/** @type {Uint8Array} */ bytes) => new PLYLoader().parse(bufferOf(bytes)) };
  /** @type {Record<string, Format>} */
  const formats = {
    'STL, binary': { bytes: stlBinary(mesh), ...stl },
    'STL, text': { bytes: stlText(mesh), ...stl },
    'PLY, binary': { bytes: plyBinary(mesh), ...ply },
    'PLY, text': { bytes: encode([...plyHeader(mesh, 'ascii').slice(0, -1), ...vertices, ...faces, '']), ...ply },
    OFF: { bytes: encode(['OFF', `${vertices.length} ${faces.length} 0`, ...vertices, ...faces, '']), ours: readOff },
    OBJ: {
      bytes: writeObj(mesh),
      ours: (bytes) => readObj(bytes, { parser: 'scanner' }),
      three: (bytes) => new OBJLoader().parse(new TextDecoder().decode(bytes)),
    },
  };
  return formats;
}

/** @param {Mesh} mesh */
async function glbOf({ positions, triangles }) {
  const document = new Document();
  const buffer = document.createBuffer();
  const points = document.createAccessor().setType('VEC3').setArray(Float32Array.from(positions)).setBuffer(buffer);
  const indices = document.createAccessor().setArray(triangles).setBuffer(buffer);
  const primitive = document.createPrimitive().setAttribute('POSITION', points).setIndices(indices);
  document.createScene().addChild(document.createNode().setMesh(document.createMesh().addPrimitive(primitive)));
  return new NodeIO().writeBinary(document);
}

/** @typedef {(mesh: Mesh) => Uint8Array | Promise<Uint8Array>} Make */
/** @typedef {{ triangles: number[], make: Make, three: Read }} Kind */

/** Files by their size: 100 KB to 250 MB of STL, and so on. @type {Record<string, Kind>} */
const KINDS = {
  STL: {
    triangles: [2000, 20_000, 200_000, 400_000, 5_000_000],
    make: stlBinary,
    three: (bytes) => new STLLoader().parse(bufferOf(bytes)),
  },
  OBJ: {
    triangles: [600, 900, 6000, 40_000, 900_000],
    make: (mesh) => writeObj(mesh),
    three: (bytes) => new OBJLoader().parse(new TextDecoder().decode(bytes)),
  },
  GLB: {
    triangles: [55_000, 2_750_000],
    make: glbOf,
    three: (bytes) => new GLTFLoader().parseAsync(/** @type {ArrayBuffer} */ (bytes.slice().buffer), ''),
  },
};

/** The least time of a read: small files are read several times in a row. */
async function leastTimes(/** @type {Uint8Array} */ bytes, /** @type {Read[]} */ ways, quick = false) {
  const repeats = quick ? 1 : Math.ceil(4e6 / bytes.length);
  const rounds = quick ? 1 : bytes.length > 1e8 ? 3 : 12;
  const least = ways.map(() => Infinity);
  for (let round = 0; round <= rounds; round++) {
    for (const [w, read] of ways.entries()) {
      collectGarbage();
      startClock();
      for (let i = 0; i < repeats; i++) await read(bytes);
      if (round > 0 || quick) least[w] = Math.min(least[w], elapsed() / repeats);
    }
  }
  return least;
}

/** @param {string} file */
const programsOf = (file) => ({
  'gicollide info': [process.execPath, PROGRAM, 'info', file],
  'assimp info': ['assimp', 'info', file],
  ...(file.endsWith('.stl') && { admesh: ['admesh', file] }),
});

async function bySize(quick = false) {
  /** @type {Record<string, Record<string, number | null>>} */
  const sizes = {};
  /** @type {Record<string, Record<string, number | string | null>>} */
  const whole = {};
  for (const [kind, { triangles, make, three }] of Object.entries(KINDS)) {
    for (const count of quick ? [200] : triangles) {
      const bytes = await make(torus(count));
      const ours = (/** @type {Uint8Array} */ own) => readMeshFile(own);
      const [own, peer] = await leastTimes(bytes, [ours, three], quick);
      const name = `${kind}, ${digits(bytes.length / 1e6)} MB`;
      sizes[name] = {
        MB: digits(bytes.length / 1e6),
        gicollide: digits(bytes.length / 1e3 / own),
        three: digits(bytes.length / 1e3 / peer),
      };
      if (quick || (bytes.length > 1e7 && bytes.length < 1e8))
        whole[name] = leastOfPrograms(bytes, `mesh.${kind.toLowerCase()}`, programsOf, quick ? 1 : 3);
    }
  }
  return { sizes, whole };
}

/** @param {import('./race.mjs').Run} run */
export default async function readers({ quick, keep }) {
  let mesh = sample('bunny');
  for (let k = quick ? 3 : 0; k < 3; k++) mesh = subdivided(mesh);
  /** @type {Record<string, Record<string, number | null>>} */
  const rows = {};
  for (const [name, { bytes, ...readers }] of Object.entries(formatsOf(mesh))) {
    const ways = Object.entries(readers).map(([way, read]) => ({ way, read, ms: /** @type {number[]} */ ([]) }));
    // The first of each is to warm up.
    for (let turn = 0; turn < (quick ? 2 : 6); turn++) {
      for (const { read, ms } of ways) {
        collectGarbage();
        ms.push(timeOf(() => read(bytes)));
      }
    }
    const speeds = ways.map(({ way, ms }) => [NAMES[way], digits(bytes.length / 1e3 / median(ms.slice(1)))]);
    rows[name] = { MB: digits(bytes.length / 1e6), ...Object.fromEntries(speeds) };
  }
  printTable('MB a second', rows);
  const { sizes, whole } = await bySize(quick);
  printTable('MB a second, by size', sizes);
  printTable('whole processes, ms', whole);
  keep({ triangles: mesh.triangles.length / 3, rows, sizes, whole });
}
