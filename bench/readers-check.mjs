// How fast files of a mesh are read, beside three's loaders in the same run: megabytes a second of
// each format. What each makes differs: ours are doubles and vertices with numbers, three's are
// floats; of an STL and an OBJ it gives every triangle corners of its own, which for an STL its
// mergeVertices joins.
//
//   npm run bench -- readers
import { readObj, writeObj } from 'gicollide';
import { OBJLoader } from 'three/examples/jsm/loaders/OBJLoader.js';
import { PLYLoader } from 'three/examples/jsm/loaders/PLYLoader.js';
import { STLLoader } from 'three/examples/jsm/loaders/STLLoader.js';
import { mergeVertices } from 'three/examples/jsm/utils/BufferGeometryUtils.js';
import { readOff } from '#src/readers/off';
import { readPly } from '#src/readers/ply';
import { readStl } from '#src/readers/stl';
import { sample, subdivided } from './inputs.mjs';
import { collectGarbage, digits, median, printTable, timeOf } from './race.mjs';

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
function stlBinary({ positions, triangles }) {
  const bytes = new Uint8Array(84 + (50 * triangles.length) / 3);
  const view = new DataView(bytes.buffer);
  view.setUint32(80, triangles.length / 3, true);
  for (const [corner, vertex] of triangles.entries()) {
    const at = 84 + 50 * Math.floor(corner / 3) + 12 * (1 + (corner % 3));
    for (let k = 0; k < 3; k++) view.setFloat32(at + 4 * k, positions[3 * vertex + k], true);
  }
  return bytes;
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

/** @param {import('./race.mjs').Run} run */
export default function readers({ quick, keep }) {
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
  keep({ triangles: mesh.triangles.length / 3, rows });
}
