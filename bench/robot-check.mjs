// A robot of ten links in 500 states: the time of a state until the touching links are known. Links
// are meshes of 5,120 triangles in a row, stretched along their axis. Adjacent links may touch, so
// 36 pairs are checked. The peers are what you would write without a scene: the same 36 pairs by
// `check`, and by `prepare`. All three must find the same pairs in every state.
//
//   npm run bench -- robot
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build, check, createScene, prepare } from 'gicollide';
import { readUrdf } from '#src/readers/robot/urdf';
import { adjacentLinks, allowancesOf, MovingRobot } from '#src/scene/robot';
import { sample, seeded } from './inputs.mjs';
import { assetPath, PROGRAM, runNode } from './program.mjs';
import { digits, elapsed, median, printTable, startClock } from './race.mjs';

const LINKS = 10;
/** Between two joints; a link is longer than that, and overlaps its neighbours. */
const STEP = 0.35;
/** Radians of a joint to either side: links reach others. */
const REACH = 2;
const SAMPLE = 'blob';
const MESH = 'link.obj';
const SCALE = [0.2, 0.2, 0.7];

const urdf = () => {
  const links = Array.from(
    { length: LINKS },
    (_, n) =>
      `<link name="link-${n}"><collision><origin xyz="0 0 ${STEP / 2}"/><geometry><mesh filename="${MESH}" scale="${SCALE.join(' ')}"/></geometry></collision></link>`,
  );
  const joints = links.slice(1).map(
    (_, n) =>
      `<joint name="joint-${n}" type="revolute"><parent link="link-${n}"/><child link="link-${n + 1}"/>
        <origin xyz="0 0 ${STEP}"/><axis xyz="${n % 4 < 3 ? '0 1 0' : '1 0 0'}"/><limit lower="-${REACH}" upper="${REACH}"/></joint>`,
  );
  return `<robot name="snake">${[...links, ...joints].join('\n')}</robot>`;
};

/**
 * Every joint swings, each at a pace of its own.
 *
 * @param {number} count
 * @returns {Map<number, number>[]}
 */
function swing(count) {
  const random = seeded(1);
  const paces = Array.from({ length: LINKS - 1 }, () => [1 + 4 * random(), 2 * Math.PI * random()]);
  return Array.from(
    { length: count },
    (_, n) => new Map(paces.map(([pace, phase], k) => [k, REACH * Math.sin((2 * Math.PI * pace * n) / count + phase)])),
  );
}

/** @param {Iterable<[string, string]>} pairs */
const sorted = (pairs) => [...pairs].map((pair) => [...pair].sort().join(' ')).sort();

/** @param {import('./race.mjs').Run} run */
export default function robot({ quick, keep }) {
  const model = readUrdf(new TextEncoder().encode(urdf()));
  const mesh = sample(SAMPLE);
  const positions = mesh.positions.map((x, i) => x * SCALE[i % 3]);
  const asset = build({ ...mesh, positions }, { format: 'obb', nodeBytes: 64 });
  const states = swing(quick ? 50 : 500);
  const start = new MovingRobot(model);
  const objects = Object.entries(start.poses()).map(([name, pose]) => ({ name, asset, pose }));
  const scene = createScene(objects, { rules: { allow: allowancesOf(start, null) } });
  const adjacent = new Set(adjacentLinks(model).map(({ a, b }) => `${a} ${b}`));
  /** @type {[string, string][]} */
  const asked = [];
  for (let a = 0; a < LINKS; a++)
    for (let b = a + 1; b < LINKS; b++) if (!adjacent.has(`${a} ${b}`)) asked.push([`link-${a}`, `link-${b}`]);
  const checker = prepare(asset, asset);

  /** Milliseconds a state. @type {Record<string, number[]>} */
  const times = { joints: [], scene: [], prepared: [], checks: [] };
  let touching = 0;
  const moving = new MovingRobot(model);
  for (const state of [...states.slice(0, 20), ...states]) {
    startClock();
    moving.move(state);
    const poses = moving.poses();
    times.joints.push(elapsed());
    scene.step(poses);
    const found = sorted(scene.touching().map(({ a, b }) => /** @type {[string, string]} */ ([a, b])));
    times.scene.push(elapsed());
    startClock();
    const prepared = sorted(asked.filter(([a, b]) => checker.contact(poses[b], poses[a])));
    times.prepared.push(elapsed());
    startClock();
    const checked = sorted(
      asked.filter(([a, b]) => check(asset, asset, { poseA: poses[a], poseB: poses[b] }).verdict === 'contact'),
    );
    times.checks.push(elapsed());
    if (`${found}` !== `${prepared}` || `${found}` !== `${checked}`)
      throw new Error(`the scene finds ${found}; prepared pairs ${prepared}; checks ${checked}`);
    touching += found.length;
  }
  const row = {
    states: states.length,
    links: LINKS,
    triangles: mesh.triangles.length / 3,
    pairs: asked.length,
    'touching a state': digits(touching / times.scene.length),
    ...Object.fromEntries(
      Object.entries(times).map(([name, ms]) => [`${name}, ms a state`, digits(median(ms.slice(20)))]),
    ),
    'command, ms a state': digits(commandLine(states)),
  };
  printTable('a robot', { [`${LINKS} links`]: row });
  keep(row);
}

/**
 * `gicollide scene --states`, less what one state takes: milliseconds a state.
 *
 * @param {Map<number, number>[]} states
 */
function commandLine(states) {
  const folder = mkdtempSync(join(tmpdir(), 'gicollide-'));
  try {
    writeFileSync(join(folder, 'r.urdf'), urdf());
    copyFileSync(assetPath(SAMPLE), join(folder, MESH));
    const header = Array.from({ length: LINKS - 1 }, (_, k) => `joint-${k}`).join(',');
    const csv = states.map((state) => [...state.values()].join(','));
    writeFileSync(join(folder, 'all.csv'), [header, ...csv].join('\n'));
    writeFileSync(join(folder, 'one.csv'), [header, csv[0]].join('\n'));
    const [all, one] = ['all.csv', 'one.csv'].map((file) =>
      median(Array.from({ length: 3 }, () => runNode([PROGRAM, 'scene', 'r.urdf', '--states', file], folder).wall)),
    );
    return (all - one) / (states.length - 1);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
