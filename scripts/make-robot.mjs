/**
 * Makes a robot of seven moving links for assets/, in the formats of ROS and MoveIt: collision
 * shapes (URDF), allowed pairs and a named state (SRDF), a motion (CSV), and the robot's cell.
 */

/** Content of <geometry>, and its place. @typedef {[shape: string, xyz?: string]} Shape */

/** @type {Record<string, Shape[]>} */
const links = {
  base: [['<mesh filename="parts/base.obj" scale="0.001 0.001 0.001"/>']],
  shoulder: [['<cylinder radius="0.12" length="0.18"/>', '0 0 0.1']],
  upper_arm: [
    ['<box size="0.1 0.1 0.5"/>', '0 0 0.25'],
    ['<sphere radius="0.08"/>', '0 0 0.5'],
  ],
  forearm: [['<cylinder radius="0.05" length="0.36"/>', '0 0 0.19']],
  hand: [['<box size="0.2 0.06 0.05"/>', '0 0 0.035']],
  finger_left: [['<box size="0.02 0.03 0.1"/>', '0 0 0.05']],
  finger_right: [['<box size="0.02 0.03 0.1"/>', '0 0 0.05']],
  tool: [],
};

/**
 * @typedef {object} Joint
 * @property {string} name
 * @property {string} type
 * @property {string} from
 * @property {string} to
 * @property {string} xyz
 * @property {string} [more] what else stands in it
 */

/** @type {Joint[]} */
const joints = [
  {
    name: 'turn',
    type: 'revolute',
    from: 'base',
    to: 'shoulder',
    xyz: '0 0 0.4',
    more: '<axis xyz="0 0 1"/><limit lower="-2.9" upper="2.9" effort="200" velocity="2"/>',
  },
  {
    name: 'lift',
    type: 'revolute',
    from: 'shoulder',
    to: 'upper_arm',
    xyz: '0 0 0.2',
    more: '<axis xyz="0 1 0"/><limit lower="-1.8" upper="1.8" effort="200" velocity="2"/>',
  },
  {
    name: 'bend',
    type: 'revolute',
    from: 'upper_arm',
    to: 'forearm',
    xyz: '0 0 0.5',
    more: '<axis xyz="0 1 0"/><limit lower="-2.5" upper="2.5" effort="100" velocity="2"/>',
  },
  { name: 'roll', type: 'continuous', from: 'forearm', to: 'hand', xyz: '0 0 0.38', more: '<axis xyz="0 0 1"/>' },
  {
    name: 'grip',
    type: 'prismatic',
    from: 'hand',
    to: 'finger_left',
    xyz: '0.02 0 0.061',
    more: '<axis xyz="1 0 0"/><limit lower="0" upper="0.06" effort="20" velocity="0.1"/>',
  },
  {
    name: 'grip_mirror',
    type: 'prismatic',
    from: 'hand',
    to: 'finger_right',
    xyz: '-0.02 0 0.061',
    more: '<axis xyz="-1 0 0"/><limit lower="0" upper="0.06" effort="20" velocity="0.1"/><mimic joint="grip"/>',
  },
  { name: 'point', type: 'fixed', from: 'hand', to: 'tool', xyz: '0 0 0.15' },
];

/** @param {Shape} shape */
const collision = ([shape, xyz]) =>
  `    <collision>${xyz ? `<origin xyz="${xyz}"/>` : ''}<geometry>${shape}</geometry></collision>`;

/** @param {[string, Shape[]]} link */
const link = ([name, shapes]) =>
  shapes.length === 0
    ? [`  <link name="${name}"/>`]
    : [`  <link name="${name}">`, ...shapes.map(collision), '  </link>'];

/** @param {Joint} joint */
const joint = ({ name, type, from, to, xyz, more = '' }) => [
  `  <joint name="${name}" type="${type}">`,
  `    <parent link="${from}"/><child link="${to}"/><origin xyz="${xyz}"/>`,
  ...(more ? [`    ${more}`] : []),
  '  </joint>',
];

const urdf = [
  '<?xml version="1.0"?>',
  '<robot name="arm">',
  ...Object.entries(links).flatMap(link),
  ...joints.flatMap(joint),
  '</robot>',
];

/** Pairs that may touch. */
const adjacent = [
  ['base', 'shoulder'],
  ['shoulder', 'upper_arm'],
  ['upper_arm', 'forearm'],
  ['forearm', 'hand'],
  ['hand', 'finger_left'],
  ['hand', 'finger_right'],
];

const srdf = [
  '<?xml version="1.0"?>',
  '<robot name="arm">',
  '  <group_state name="ready" group="arm">',
  '    <joint name="turn" value="-1.5"/><joint name="lift" value="0.5"/><joint name="bend" value="1.6"/><joint name="roll" value="0"/>',
  '  </group_state>',
  '  <group_state name="open" group="hand"><joint name="grip" value="0.05"/></group_state>',
  ...adjacent.map(([a, b]) => `  <disable_collisions link1="${a}" link2="${b}" reason="Adjacent"/>`),
  '  <disable_collisions link1="finger_left" link2="finger_right" reason="They close on each other"/>',
  '</robot>',
];

/** Half a turn to the left in 40 steps, while the hand rolls and closes. */
const states = ['time,turn,lift,bend,roll,grip'];
for (let n = 0; n <= 40; n++) states.push([n / 20, (3 * n - 60) / 40, 0.5, 1.6, n / 20, (40 - n) / 800].join(','));

const cell = {
  gicollide: 'scene/1',
  description: 'What stands about arm.urdf',
  units: 'm',
  assets: { cell: { file: 'parts/cell.obj', split: 'groups', units: 'mm' } },
  instances: [{ name: 'cell', asset: 'cell' }],
};

/** Files of assets/ by their names. @type {Record<string, string>} */
export const robotFiles = {
  'arm.urdf': `${urdf.join('\n')}\n`,
  'arm.srdf': `${srdf.join('\n')}\n`,
  'arm-states.csv': `${states.join('\n')}\n`,
  'arm-cell.scene.json': `${JSON.stringify(cell, null, 2)}\n`,
};
