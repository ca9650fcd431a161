/**
 * Makes the meshes of examples/game, robot and building, the robot and its plan (`npm run assets`).
 * Scenes, projects, baselines and what CI runs are written by hand: they are what a reader changes.
 * Byte for byte the same on any machine, as assets/ are.
 */

import { mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { pierced, pipe } from './make-building.mjs';
import { robotFiles } from './make-robot.mjs';

/** @typedef {number[]} Point millimetres */
/** @typedef {{ points: Point[], faces: number[][] }} Solid polygons, counter-clockwise from outside */
/** @typedef {Record<string, Solid>} Elements of a mesh file, by their names */

/** @param {Point} low @param {Point} high */
const box = (low, high) => pierced(low, high);

/**
 * A ramp: it rises along x from nothing to the whole height.
 *
 * @param {Point} low
 * @param {Point} high
 * @returns {Solid}
 */
function ramp([x0, y0, z0], [x1, y1, z1]) {
  const points = [
    [x0, y0, z0],
    [x1, y0, z0],
    [x1, y1, z0],
    [x0, y0, z1],
    [x1, y0, z1],
    [x1, y1, z1],
  ];
  return {
    points,
    faces: [
      [2, 1, 0],
      [3, 4, 5],
      [0, 1, 4, 3],
      [1, 2, 5, 4],
      [2, 0, 3, 5],
    ],
  };
}

/** Y is up, as in glTF. @type {Elements} */
const level = {
  floor: box([-200, -100, -200], [12200, 0, 8200]),
  'wall-north': box([-200, 0, -200], [12200, 3000, 0]),
  'wall-south': box([-200, 0, 8000], [12200, 3000, 8200]),
  'wall-west': box([-200, 0, 0], [0, 3000, 8000]),
  'wall-east': pierced([12000, 0, 0], [12200, 3000, 8000], 0, [{ low: [12000, 0, 3400], high: [12200, 2200, 4600] }]),
  'wall-inner': box([6000, 0, 0], [6150, 3000, 5000]),
  platform: box([9000, 0, 5500], [12000, 1000, 8000]),
  ramp: ramp([7000, 0, 5500], [9000, 1000, 7500]),
};

/** Each stands on its origin. @type {Record<string, Elements>} */
const props = {
  crate: { crate: box([-400, 0, -400], [400, 800, 400]) },
  barrel: { barrel: pipe([0, 0, 0], [0, 900, 0], 300) },
  pillar: { pillar: pipe([0, 0, 0], [0, 3000, 0], 250) },
  player: { player: pipe([0, 0, 0], [0, 1800, 0], 350) },
};

const table = [
  box([-700, 740, -400], [700, 780, 400]),
  ...[0, 1, 2, 3].map((i) => {
    const [x, z] = [-680 + 1300 * (i & 1), -380 + 700 * (i >> 1)];
    return box([x, 0, z], [x + 60, 740, z + 60]);
  }),
];

/** The robot of assets/ stands at the origin, z is up. @type {Record<string, Elements>} */
const robotCell = {
  cell: {
    floor: box([-1500, -1500, -50], [1500, 1500, 0]),
    conveyor: box([500, -1400, 0], [850, 1400, 420]),
    'fence-1': box([-1500, -1500, 0], [-1470, 1500, 1800]),
    'fence-2': box([-1500, 1470, 0], [450, 1500, 1800]),
    lamp: box([380, -60, 820], [520, 60, 900]),
  },
  post: { post: box([-40, -40, 0], [40, 40, 1500]) },
};

/** @type {Elements} */
const structure = {
  'slab-0': box([0, 0, -200], [12000, 8000, 0]),
  'slab-1': box([0, 0, 3000], [12000, 8000, 3200]),
  ...Object.fromEntries(
    [0, 1, 2, 3, 4, 5].map((i) => {
      const [x, y] = [5850 * (i % 3), i < 3 ? 0 : 7700];
      return [`column-${i + 1}`, box([x, y, 0], [x + 300, y + 300, 3000])];
    }),
  ),
  'beam-1': box([5875, 300, 2600], [6125, 7700, 3000]),
  'wall-south-1': pierced([300, 0, 0], [5850, 200, 3000], 1, [{ low: [2000, 0, 900], high: [4000, 200, 2200] }]),
  'wall-south-2': pierced([6150, 0, 0], [11700, 200, 3000], 1, [{ low: [8000, 0, 900], high: [10000, 200, 2200] }]),
  'wall-inner-1': pierced([4000, 200, 0], [4150, 8000, 3000], 0, [
    { low: [4000, 2950, 2150], high: [4150, 3450, 2550] },
    { low: [4000, 4300, 2600], high: [4150, 4500, 2800] },
    { low: [4000, 6000, 0], high: [4150, 7000, 2100] },
  ]),
  'wall-inner-2': pierced([9000, 200, 0], [9150, 8000, 3000], 0, [
    { low: [9000, 2950, 2150], high: [9150, 3450, 2550] },
    { low: [9000, 4950, 2150], high: [9150, 5350, 2550] },
  ]),
};

/** @type {Elements} */
const services = {
  'duct-supply': box([500, 3000, 2200], [11500, 3400, 2500]),
  'duct-return': box([500, 5000, 2200], [11500, 5300, 2500]),
  'duct-branch': box([7000, 3400, 2250], [7300, 4900, 2450]),
  'pipe-heating': pipe([300, 245, 150], [3900, 245, 150], 50),
  'pipe-riser': pipe([11000, 600, -400], [11000, 600, 3600], 75),
  'pipe-sprinkler': pipe([500, 4400, 2700], [5700, 4400, 2700], 25),
};

/** @param {string} comment @param {Elements} elements */
function toObj(comment, elements) {
  const lines = [`# gicollide example: ${comment}; millimetres, by scripts/make-examples.mjs`];
  let first = 1;
  for (const [name, { points, faces }] of Object.entries(elements)) {
    lines.push(`o ${name}`);
    for (const point of points) lines.push(`v ${point.join(' ')}`);
    for (const face of faces) lines.push(`f ${face.map((v) => v + first).join(' ')}`);
    first += points.length;
  }
  return `${lines.join('\n')}\n`;
}

/**
 * The binary chunk of a GLB: positions as floats in meters, then the corners of triangles.
 *
 * @param {readonly Solid[]} solids
 */
function toArrays(solids) {
  const vertices = Float32Array.from(
    solids.flatMap(({ points }) => points.flat()),
    (x) => x / 1000,
  );
  let first = 0;
  const corners = solids.flatMap(({ points, faces }) => {
    const start = first;
    first += points.length;
    return faces.flatMap((face) => face.slice(2).flatMap((v, k) => [face[0], face[k + 1], v].map((i) => i + start)));
  });
  return { vertices, triangles: Uint16Array.from(corners) };
}

/** @param {string} name @param {ReturnType<typeof toArrays>} arrays @param {number} byteLength */
function glbHeader(name, { vertices, triangles }, byteLength) {
  const along = [0, 1, 2].map((axis) => vertices.filter((_, i) => i % 3 === axis));
  const min = along.map((values) => Math.min(...values));
  const max = along.map((values) => Math.max(...values));
  return {
    asset: { version: '2.0', generator: 'gicollide, scripts/make-examples.mjs' },
    scene: 0,
    scenes: [{ nodes: [0] }],
    nodes: [{ name, mesh: 0 }],
    meshes: [{ name, primitives: [{ attributes: { POSITION: 0 }, indices: 1 }] }],
    accessors: [
      { bufferView: 0, componentType: 5126, count: vertices.length / 3, type: 'VEC3', min, max },
      { bufferView: 1, componentType: 5123, count: triangles.length, type: 'SCALAR' },
    ],
    bufferViews: [
      { buffer: 0, byteLength: vertices.byteLength, target: 34962 },
      { buffer: 0, byteOffset: vertices.byteLength, byteLength: triangles.byteLength, target: 34963 },
    ],
    buffers: [{ byteLength }],
  };
}

/**
 * A GLB of one node and one mesh.
 *
 * @param {string} name
 * @param {readonly Solid[]} solids
 */
function toGlb(name, solids) {
  const arrays = toArrays(solids);
  const { vertices, triangles } = arrays;
  const binary = Buffer.alloc(vertices.byteLength + triangles.byteLength + (-triangles.byteLength & 3));
  for (const [i, x] of vertices.entries()) binary.writeFloatLE(x, 4 * i);
  for (const [i, v] of triangles.entries()) binary.writeUInt16LE(v, vertices.byteLength + 2 * i);
  const json = JSON.stringify(glbHeader(name, arrays, binary.length));
  const text = Buffer.from(json.padEnd(json.length + (-json.length & 3)));
  const words = (/** @type {number[]} */ ...values) => {
    const bytes = Buffer.alloc(4 * values.length);
    for (const [i, value] of values.entries()) bytes.writeUInt32LE(value, 4 * i);
    return bytes;
  };
  return Buffer.concat([
    words(0x46546c67, 2, 28 + text.length + binary.length),
    words(text.length, 0x4e4f534a),
    text,
    words(binary.length, 0x004e4942),
    binary,
  ]);
}

const arm = robotFiles['arm.urdf'].replace('parts/base.obj', 'meshes/base.obj');

/**
 * Paths below examples/ and what is there, the same on any machine.
 *
 * @returns {Record<string, string | Buffer>}
 */
export function makeExamples() {
  return {
    'game/level.obj': toObj('the level', level),
    ...Object.fromEntries(
      Object.entries(props).map(([name, elements]) => [`game/props/${name}.obj`, toObj(`a ${name}`, elements)]),
    ),
    'game/props/table.glb': toGlb('table', table),
    'robot/arm.urdf': arm,
    'robot/arm.srdf': robotFiles['arm.srdf'],
    'robot/plan.csv': robotFiles['arm-states.csv'],
    'robot/meshes/base.obj': toObj("the robot's base", { base: box([-150, -150, 0], [150, 150, 400]) }),
    'robot/meshes/cell.obj': toObj('what stands about the robot', robotCell.cell),
    'robot/meshes/post.obj': toObj('a post that can be moved', robotCell.post),
    'building/structure.obj': toObj('a storey: slabs, columns, beams, walls', structure),
    'building/services.obj': toObj('its ducts and pipes', services),
  };
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const folder = new URL('../examples/', import.meta.url);
  for (const name of ['game/props/', 'robot/meshes/', 'building/'])
    mkdirSync(new URL(name, folder), { recursive: true });
  for (const [name, content] of Object.entries(makeExamples())) writeFileSync(new URL(name, folder), content);
}
