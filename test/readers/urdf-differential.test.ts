/**
 * Where links stand, against urdf-loader, which knows robots as objects of three.js: quaternions of
 * its own, Math.sin, and a DOM.
 */
import { Euler, Quaternion } from 'three';
import { expect, test } from 'vitest';
import { follow, linkPoses, restValues } from '../../src/readers/robot/robot.ts';
import { readUrdf } from '../../src/readers/robot/urdf.ts';
import { some } from '../support/long.ts';
import { type Random, seeded } from '../support/random.ts';
import { randomRobot, urdfOf } from '../support/robots.ts';
import { loaded, rowsOf } from '../support/urdf-loader.ts';

const SEEDS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20];
const STATES = 200;

test.each(some(5, SEEDS))(
  `seed %i: ${STATES} states of a robot of 12 links, to 1e-12`,
  { tags: ['quick', 'long'] },
  async (seed) => {
    const random = seeded(seed);
    const model = randomRobot(random, 12);
    const text = urdfOf(model);
    const robot = readUrdf(new TextEncoder().encode(text));
    const theirs = await loaded(text);
    for (const { name } of robot.joints) theirs.joints[name].ignoreLimits = true;
    expect(robot.links.map(({ name }) => name).sort()).toEqual([...model.links].sort());
    for (let state = 0; state < STATES; state++) {
      const values = restValues(robot);
      for (const [k, { name, type, mimic }] of robot.joints.entries()) {
        if (type === 'fixed' || mimic) continue;
        values[k] = random.between(-4, 4);
        theirs.setJointValue(name, values[k]);
      }
      follow(robot, values);
      theirs.updateMatrixWorld(true);
      const off = linkPoses(robot, values).map((pose, n) => {
        const rows = rowsOf(theirs.links[robot.links[n].name].matrixWorld.elements);
        return Math.max(...pose.map((x, k) => Math.abs(x - rows[k])));
      });
      expect(Math.max(...off)).toBeLessThan(1e-12);
    }
  },
);

/*
 * Planar and floating joints, and quaternions: urdf-loader is given chains of joints of one value
 * in their place, and angles.
 */

interface Many {
  type: 'planar' | 'floating' | 'continuous';
  parent: number;
  xyz: number[];
  quaternion: number[];
}

const three = (random: Random): number[] => [0, 0, 0].map(() => random.between(-1, 1));
const quaternionOf = (random: Random): number[] => [...three(random), random.between(-1, 1)];

/** Roll, pitch and yaw. */
function anglesOf([x, y, z, w]: readonly number[]): number[] {
  const euler = new Euler().setFromQuaternion(new Quaternion(x, y, z, w).normalize(), 'ZYX');
  return [euler.x, euler.y, euler.z];
}

const jointOf = (name: string, type: string, [parent, child]: string[], inside: string) =>
  `<joint name="${name}" type="${type}"><parent link="${parent}"/><child link="${child}"/>${inside}</joint>`;

const CHAINS = {
  planar: ['prismatic 1 0 0', 'prismatic 0 1 0', 'continuous 0 0 1'],
  floating: ['1 0 0', '0 1 0', '0 0 1']
    .map((axis) => `prismatic ${axis}`)
    .concat(['0 0 1', '0 1 0', '1 0 0'].map((axis) => `continuous ${axis}`)),
  continuous: ['continuous 0 0 1'],
};

function chainOf({ type, parent, xyz, quaternion }: Many, n: number): string {
  const links = [`l${parent}`, ...CHAINS[type].slice(1).map((_, k) => `l${n}-${k}`), `l${n}`];
  const joints = CHAINS[type].map((part, k) => {
    const [kind, ...axis] = part.split(' ');
    const origin = k === 0 ? `<origin xyz="${xyz.join(' ')}" rpy="${anglesOf(quaternion).join(' ')}"/>` : '';
    return jointOf(`j${n}-${k}`, kind, links.slice(k, k + 2), `${origin}<axis xyz="${axis.join(' ')}"/>`);
  });
  return [...links.slice(1).map((link) => `<link name="${link}"/>`), ...joints].join('');
}

test.each(some(3, SEEDS))(
  `seed %i: ${STATES} states of planar and floating joints, and quaternions, to 1e-12`,
  { tags: ['quick', 'long'] },
  async (seed) => {
    const random = seeded(1000 + seed);
    const model = Array.from(
      { length: 8 },
      (_, n): Many => ({
        ...{ type: random.pick(['planar', 'floating', 'continuous'] as const), parent: random.below(n + 1) },
        ...{ xyz: three(random), quaternion: quaternionOf(random) },
      }),
    );
    const own = model.map(({ type, parent, xyz, quaternion }, k) => {
      const origin = `<origin xyz="${xyz.join(' ')}" quat_xyzw="${quaternion.join(' ')}"/>`;
      const axis = '<axis xyz="0 0 1"/>';
      return `<link name="l${k + 1}"/>${jointOf(`j${k + 1}`, type, [`l${parent}`, `l${k + 1}`], origin + axis)}`;
    });
    const robotOf = (inside: string[]) => `<robot name="r" version="1.1"><link name="l0"/>${inside.join('')}</robot>`;
    const robot = readUrdf(new TextEncoder().encode(robotOf(own)));
    const theirs = await loaded(robotOf(model.map((joint, k) => chainOf(joint, k + 1))));
    for (const name of Object.keys(theirs.joints)) theirs.joints[name].ignoreLimits = true;
    const values = restValues(robot);
    for (let state = 0; state < STATES; state++) {
      for (const { name, type, first } of robot.joints) {
        const [x, y, z] = three(random);
        const turned = type === 'floating' ? quaternionOf(random) : [random.between(-4, 4)];
        values.set(
          type === 'continuous' ? turned : type === 'planar' ? [x, y, ...turned] : [x, y, z, ...turned],
          first,
        );
        const angles = type === 'floating' ? anglesOf(turned).reverse() : turned;
        const chain = type === 'continuous' ? angles : type === 'planar' ? [x, y, ...angles] : [x, y, z, ...angles];
        for (const [k, value] of chain.entries()) theirs.setJointValue(`${name}-${k}`, value);
      }
      follow(robot, values);
      theirs.updateMatrixWorld(true);
      const off = linkPoses(robot, values).map((pose, n) => {
        const rows = rowsOf(theirs.links[robot.links[n].name].matrixWorld.elements);
        return Math.max(...pose.map((x, k) => Math.abs(x - rows[k])));
      });
      expect(Math.max(...off)).toBeLessThan(1e-12);
    }
  },
);
