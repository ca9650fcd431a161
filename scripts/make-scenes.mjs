/**
 * Makes the sample scenes of assets/ and the meshes in assets/parts/ that they alone place (`npm run
 * assets`): a game room, a robot cell, one storey of a building. Byte for byte the same on any
 * machine: whole numbers, and no arithmetic beyond + - *.
 */

import { mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { makeBuilding } from './make-building.mjs';
import { robotFiles } from './make-robot.mjs';

/** @typedef {[x: number, y: number, z: number]} Point */
/** @typedef {{ name: string, low: Point, high: Point }} Box of a mesh of boxes, an object each */

/** Millimetres. @type {Box[]} */
const room = [
  { name: 'floor', low: [0, 0, -100], high: [6000, 5000, 0] },
  { name: 'wall-south', low: [0, -200, 0], high: [6000, 0, 2500] },
  { name: 'wall-north', low: [0, 5000, 0], high: [6000, 5200, 2500] },
  { name: 'wall-west', low: [-200, -200, 0], high: [0, 5200, 2500] },
  { name: 'wall-east-1', low: [6000, -200, 0], high: [6200, 2000, 2500] },
  { name: 'wall-east-2', low: [6000, 3000, 0], high: [6200, 5200, 2500] },
  { name: 'table-top', low: [2000, 2000, 760], high: [3600, 2800, 800] },
  ...[0, 1, 2, 3].map((i) => {
    const [x, y] = [2000 + 1520 * (i & 1), 2000 + 720 * (i >> 1)];
    return /** @type {Box} */ ({ name: `table-leg-${i + 1}`, low: [x, y, 0], high: [x + 80, y + 80, 760] });
  }),
];

/** Millimetres; the robot stands at the origin. @type {Box[]} */
const cell = [
  { name: 'floor', low: [-1500, -1500, -50], high: [1500, 1500, 0] },
  { name: 'conveyor', low: [500, -1400, 0], high: [850, 1400, 420] },
  { name: 'fence-1', low: [-1500, -1500, 0], high: [-1470, 1500, 1800] },
  { name: 'fence-2', low: [-1500, 1470, 0], high: [450, 1500, 1800] },
  { name: 'post', low: [340, 150, 0], high: [420, 230, 1500] },
  { name: 'lamp', low: [380, -60, 820], high: [520, 60, 900] },
];

/** Each along z from its joint, in millimetres. @type {Record<string, Box[]>} */
const links = {
  base: [{ name: 'base', low: [-150, -150, 0], high: [150, 150, 400] }],
  link: [{ name: 'link', low: [-60, -60, -60], high: [60, 60, 560] }],
  gripper: [
    { name: 'palm', low: [-90, -45, -40], high: [90, 45, 40] },
    { name: 'finger-left', low: [-90, -20, 40], high: [-60, 20, 140] },
    { name: 'finger-right', low: [60, -20, 40], high: [90, 20, 140] },
  ],
};

const roomScene = {
  gicollide: 'scene/1',
  description: 'A room of a game: what stands in a wall or in a table, and where nobody can walk?',
  units: 'm',
  assets: {
    room: { file: 'parts/room.obj', split: 'groups', units: 'mm' },
    crate: 'box.obj',
    bunny: 'bunny.obj',
    ring: 'torus.obj',
    vase: 'vase.frep.json',
  },
  instances: [
    { name: 'room', asset: 'room' },
    { name: 'crate-1', asset: 'crate', translate: [0.5, 4.5, 0.25] },
    { name: 'crate-2', asset: 'crate', translate: [0.55, 4.45, 0.75], rotate: { axis: [0, 0, 1], degrees: 20 } },
    { name: 'crate-3', asset: 'crate', translate: [5.8, 4, 0.25] },
    { name: 'crate-4', asset: 'crate', translate: [4.4, 2.4, 0.5], scale: 2 },
    { name: 'bunny', asset: 'bunny', translate: [2.6, 2.4, 1.11], rotate: { axis: [1, 0, 0], degrees: 90 } },
    { name: 'left bunny', asset: 'bunny', translate: [2.1, 2.4, 1.11], rotate: { axis: [1, 0, 0], degrees: 90 } },
    { name: 'ring', asset: 'ring', translate: [3.2, 2.3, 0.9] },
    { name: 'vase', asset: 'vase', translate: [1, 1, 0.62], rotate: { axis: [1, 0, 0], degrees: 90 } },
  ],
  groups: { props: ['crate-*', '*bunny', 'ring', 'vase'], building: ['room/*'] },
  rules: [
    { id: 'stuck', a: 'props', b: 'building' },
    { id: 'crowded', a: 'props', b: 'props' },
    { id: 'room to walk', a: 'crate-*', b: 'room/table-*', clearance: 0.6 },
  ],
  allow: [
    { a: 'crate-*', b: 'room/floor', reason: 'crates stand on it' },
    { a: 'crate-1', b: 'crate-2', reason: 'one stands on the other' },
  ],
};

const cellScene = {
  gicollide: 'scene/1',
  description: 'A robot over a conveyor, in one state: what does it touch, and what is too close?',
  units: 'm',
  assets: {
    cell: { file: 'parts/cell.obj', split: 'groups', units: 'mm' },
    base: { file: 'parts/base.obj', units: 'mm' },
    link: { file: 'parts/link.obj', units: 'mm' },
    gripper: { file: 'parts/gripper.obj', split: 'groups', units: 'mm' },
    bolt: 'bolt.obj',
  },
  instances: [
    { name: 'cell', asset: 'cell' },
    { name: 'robot/base', asset: 'base' },
    { name: 'robot/upper arm', asset: 'link', translate: [0, 0, 0.46], rotate: { axis: [0, 1, 0], degrees: 30 } },
    {
      ...{
        name: 'robot/forearm',
        asset: 'link',
        translate: [0.25, 0, 0.893],
        rotate: { axis: [0, 1, 0], degrees: 110 },
      },
      scale: [0.8, 0.8, 0.9],
    },
    { name: 'robot/gripper', asset: 'gripper', translate: [0.673, 0, 0.739], quaternion: [1, 0, 0, 0] },
    { name: 'part-1', asset: 'bolt', translate: [0.673, 0, 0.52], scale: 0.2 },
    { name: 'part-2', asset: 'bolt', translate: [0.673, 0.5, 0.5], scale: 0.2 },
  ],
  groups: { robot: ['robot/*'], parts: ['part-*'] },
  rules: [
    { id: 'robot in cell', a: 'robot', b: 'cell/*', clearance: 0.1 },
    { id: 'robot and itself', a: 'robot', b: 'robot' },
    { id: 'grip', a: 'robot', b: 'parts', clearance: 0.02 },
    { id: 'parts lie', a: 'parts', b: 'cell/*' },
  ],
  allow: [
    { a: 'robot/base', b: 'cell/floor', reason: 'it stands there' },
    { a: 'robot/base', b: 'robot/upper arm', reason: 'a joint' },
    { a: 'robot/upper arm', b: 'robot/forearm', reason: 'a joint' },
    { a: 'robot/forearm', b: 'robot/gripper/palm', reason: 'a joint' },
    { a: 'robot/gripper/finger-*', b: 'robot/gripper/palm', reason: 'one piece' },
  ],
};

const buildingScene = {
  gicollide: 'scene/1',
  description: 'A storey of a building: where do pipes, ducts and conduits meet what they should not?',
  assets: { storey: { file: 'parts/building.obj', split: 'groups', units: 'mm' } },
  instances: [{ name: 'A', asset: 'storey' }],
  groups: {
    services: ['A/pipe-*', 'A/duct-*', 'A/conduit-*'],
    structure: ['A/slab-*', 'A/column-*', 'A/beam-*', 'A/wall-*'],
  },
  rules: [
    { id: 'services in the structure', a: 'services', b: 'structure' },
    { id: 'services in doors', a: 'services', b: 'A/door-*', clearance: 100 },
  ],
  allow: [
    { a: 'A/conduit-*', b: 'A/slab-*', reason: 'conduits lie on slabs' },
    { a: 'A/pipe-*', b: 'A/slab-*', reason: 'so do pipes' },
  ],
};

/**
 * The meshes and scenes: path below assets/ -> text, the same on any machine.
 *
 * @returns {Record<string, string>}
 */
export function makeScenes() {
  return {
    'parts/room.obj': toObj('a room with a table, for room.scene.json', room),
    'parts/cell.obj': toObj('what stands about a robot, for robot-cell.scene.json', cell),
    ...Object.fromEntries(
      Object.entries(links).map(([name, boxes]) => [
        `parts/${name}.obj`,
        toObj(`a piece of a robot, for robot-cell.scene.json`, boxes),
      ]),
    ),
    'parts/building.obj': makeBuilding({ storeys: 1, seed: 1 }).obj,
    'room.scene.json': toText(roomScene),
    'robot-cell.scene.json': toText(cellScene),
    'building.scene.json': toText(buildingScene),
    ...robotFiles,
  };
}

/**
 * @param {string} comment
 * @param {readonly Box[]} boxes
 */
function toObj(comment, boxes) {
  const lines = [`# gicollide sample: ${comment}; millimetres, by scripts/make-scenes.mjs`];
  for (const [n, { name, low, high }] of boxes.entries()) {
    lines.push(`o ${name}`);
    for (let i = 0; i < 8; i++)
      lines.push(`v ${[i & 1, i & 2, i & 4].map((bit, k) => (bit ? high : low)[k]).join(' ')}`);
    for (const face of ['1342', '5687', '1265', '3784', '1573', '2486'])
      lines.push(`f ${[...face].map((v) => Number(v) + 8 * n).join(' ')}`);
  }
  return `${lines.join('\n')}\n`;
}

/**
 * JSON with an entry of a list or of a record a line.
 *
 * @param {object} scene
 */
function toText(scene) {
  /** @param {unknown} value @returns {string} */
  const inline = (value) => {
    if (Array.isArray(value)) return `[${value.map(inline).join(', ')}]`;
    if (typeof value !== 'object' || value === null) return JSON.stringify(value);
    return `{ ${pairs(value, inline).join(', ')} }`;
  };
  /** @param {object} record @param {(value: unknown) => string} text */
  const pairs = (record, text) =>
    Object.entries(record).map(([key, value]) => `${JSON.stringify(key)}: ${text(value)}`);
  const block = (/** @type {unknown} */ value) => {
    if (typeof value !== 'object' || value === null) return inline(value);
    const [open, close] = Array.isArray(value) ? '[]' : '{}';
    const items = Array.isArray(value) ? value.map(inline) : pairs(value, inline);
    return `${open}\n    ${items.join(',\n    ')}\n  ${close}`;
  };
  return `{\n  ${pairs(scene, block).join(',\n  ')}\n}\n`;
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const folder = new URL('../assets/', import.meta.url);
  mkdirSync(new URL('parts/', folder), { recursive: true });
  for (const [name, text] of Object.entries(makeScenes())) writeFileSync(new URL(name, folder), text);
}
