/**
 * Where links stand, against urdf-loader, which knows robots as objects of three.js: quaternions of
 * its own, Math.sin, and a DOM.
 */
import { expect, test } from 'vitest';
import { follow, linkPoses, restValues } from '../../src/readers/robot/robot.ts';
import { readUrdf } from '../../src/readers/robot/urdf.ts';
import { some } from '../support/long.ts';
import { seeded } from '../support/random.ts';
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
