// A million poses of one pair: poses a second of `checker.contact` on one thread, of `checkPoses`,
// and of the command line with --jobs 1, 2 and all processors, which reads and writes a line a
// pose; and the peak memory of the command line. Poses are seeded. Half of them are far apart, half
// near contact: those of nearContactPoses, shifted by up to a tenth of the distance.
//
// Then the time of a query besides its search: nanoseconds a pose of bodies far apart, beside
// three-mesh-bvh and FCL. Every call has another pose. All take turns, and the fastest pass over
// all poses counts.
//
//   npm run bench -- poses
import { spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, statSync, writeFileSync, writeSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { build, check, checkPoses, compose, prepare, write } from 'gicollide';
import { direction, nearContactPoses, randomTurn, sample, seeded, shift } from './inputs.mjs';
import { reasonNotToRun, runFcl } from './native/fcl.mjs';
import { PROGRAM, peakIn, TELL_PEAK } from './program.mjs';
import { elapsed, peerFirst, peerTree, printTable, secondsOf, startClock, sum } from './race.mjs';

/** @typedef {import('gicollide').Asset} Asset */

/** Threads: one, two, and a processor each. */
const JOBS = [...new Set([1, 2, availableParallelism()])];

/** @type {Record<string, (mesh: import('gicollide').Mesh) => Asset>} */
const FORMATS = {
  'OBB, 64 bytes a node': (mesh) => build(mesh, { format: 'obb', nodeBytes: 64 }),
  'OBB, 40 bytes a node': (mesh) => build(mesh, { format: 'obb' }),
  'k-DOP': (mesh) => build(mesh, { format: 'kdop' }),
};

/**
 * Sixteen numbers each.
 *
 * @param {readonly Asset[]} pair
 * @param {number} count
 */
function manyPoses([a, b], count) {
  const near = nearContactPoses(a, b, Math.min(500, count / 10), 1996);
  const random = seeded(2024);
  const poses = new Float64Array(16 * count);
  for (let i = 0; i < count; i++) {
    const pose = near[i % near.length];
    const along = direction(random);
    const way = i % 2 === 0 ? 0.1 * random() : 1 + random();
    poses.set(pose, 16 * i);
    for (let k = 0; k < 3; k++) poses[16 * i + 4 * k + 3] += way * along[k];
  }
  return poses;
}

/**
 * Lines of text, a million of them 230 MB, written by parts.
 *
 * @param {string} path
 * @param {Float64Array} poses
 */
function writeLines(path, poses) {
  const file = openSync(path, 'w');
  for (let at = 0; at < poses.length; ) {
    let text = '';
    for (let i = 0; i < 1000 && at < poses.length; i++, at += 16) text += `[${poses.subarray(at, at + 16).join()}]\n`;
    writeSync(file, text);
  }
  closeSync(file);
}

/**
 * A run of the program, with its output in a file: resolves with the most memory that it had,
 * megabytes, as it says itself.
 *
 * @param {string} folder
 * @param {readonly string[]} args
 * @returns {Promise<number>}
 */
function run(folder, args) {
  const output = openSync(join(folder, 'answers.ndjson'), 'w');
  const child = spawn(process.execPath, [...TELL_PEAK, PROGRAM, ...args], {
    cwd: folder,
    stdio: ['ignore', output, 'pipe'],
  });
  let stderr = '';
  child.stderr?.setEncoding('utf8').on('data', (text) => {
    stderr += text;
  });
  return new Promise((done, failed) => {
    child.on('close', (code) => {
      closeSync(output);
      const peak = peakIn(stderr);
      if (code === null || code > 1 || peak === undefined) failed(new Error(`${args.join(' ')}: ${stderr}`));
      else done(peak);
    });
  });
}

/**
 * Poses a second by the library: and how many were in contact.
 *
 * @param {readonly Asset[]} pair
 * @param {Float64Array} poses
 */
async function byLibrary([a, b], poses) {
  const count = poses.length / 16;
  const checker = prepare(a, b);
  const pose = new Float64Array(16);
  const ask = async (/** @type {number} */ most) => {
    let contacts = 0;
    for (let i = 0; i < most; i++) {
      pose.set(poses.subarray(16 * i, 16 * i + 16));
      if (checker.contact(pose)) contacts++;
    }
    return contacts;
  };
  await ask(Math.min(count, 20_000));
  let contacts = 0;
  const alone = await secondsOf(async () => {
    contacts = await ask(count);
  });
  /** @type {Record<string, number>} */
  const rates = { 'checker.contact, one thread': count / alone };
  for (const jobs of JOBS) {
    /** @type {ArrayLike<number>} */
    let verdicts = [];
    const seconds = await secondsOf(async () => {
      verdicts = await checkPoses(a, b, poses, { jobs });
    });
    rates[`checkPoses, ${jobs} threads`] = count / seconds;
    if (sum(Array.from(verdicts)) !== contacts) throw new Error('two numbers of contacts');
  }
  return { contacts, rates };
}

/**
 * Poses a second by the command line, and megabytes.
 *
 * @param {readonly Asset[]} pair
 * @param {Float64Array} poses
 * @param {string} folder
 */
async function byProgram(pair, poses, folder) {
  const files = ['a', 'b'].map((name) => `${name}.${pair[0].representation}`);
  for (const [i, file] of files.entries()) writeFileSync(join(folder, file), await write(pair[i]));
  writeLines(join(folder, 'poses.txt'), poses);
  writeFileSync(join(folder, 'poses.f64'), poses);
  /** @type {Record<string, number>} */
  const rates = {};
  /** @type {Record<string, number>} */
  const memory = {};
  /** @type {[string, number][]} */
  const runs = [
    ...JOBS.map((jobs) => /** @type {[string, number]} */ (['poses.txt', jobs])),
    ['poses.f64', Math.max(...JOBS)],
  ];
  for (const [file, jobs] of runs) {
    const args = ['check', ...files, '--json', '--poses', file, '--jobs', String(jobs)];
    const seconds = await secondsOf(async () => {
      memory[`${file}, ${jobs}`] = await run(folder, args);
    });
    rates[`check --poses ${file} --jobs ${jobs}`] = poses.length / 16 / seconds;
  }
  const sizes = ['poses.txt', 'poses.f64', 'answers.ndjson'].map((file) => {
    return `${file} ${(statSync(join(folder, file)).size / 1e6).toPrecision(3)} MB`;
  });
  console.log(`  ${sizes.join(', ')}`);
  return { rates, memory };
}

/** All kinds with a kernel. */
const FAR_FORMATS = {
  ...FORMATS,
  'geometry image': (/** @type {import('gicollide').Mesh} */ mesh) => build(mesh, { format: 'gi', size: 65 }),
};

/**
 * @typedef {object} Timed
 * @property {string} kind
 * @property {string} how
 * @property {() => number | Promise<number>} pass returns 0, as all poses are clear
 * @property {number} times that a pass asks every pose
 * @property {number} least nanoseconds
 */

/**
 * Nanoseconds a pose of bodies far apart; a row for each kind and each peer.
 *
 * @param {readonly import('gicollide').Mesh[]} meshes
 * @param {boolean} quick
 */
async function costsOfFar(meshes, quick) {
  const random = seeded(47);
  const poses = Array.from({ length: 500 }, () => compose(shift(direction(random), 5 + random()), randomTurn(random)));
  const moved = poses.map((pose) => compose(poses[0], pose));
  // Enough that a call's own cost is left out.
  const many = quick ? 1 : 20;
  const together = new Float64Array(16 * many * poses.length).map((_, i) => poses[(i >> 4) % poses.length][i & 15]);
  /** @type {Timed[]} */
  const contestants = [];
  /** @param {string} kind @param {string} how @param {() => number | Promise<number>} pass */
  const add = (kind, how, pass, times = 1) =>
    contestants.push({ kind, how, pass, times, least: Number.POSITIVE_INFINITY });
  for (const [kind, make] of Object.entries(FAR_FORMATS)) {
    const [a, b] = meshes.map(make);
    const checker = prepare(a, b);
    add(kind, 'contact', () => poses.filter((pose) => checker.contact(pose)).length);
    add(kind, 'contact, both moved', () => moved.filter((pose) => checker.contact(pose, poses[0])).length);
    add(kind, 'check', () => poses.filter((pose) => check(a, b, { poseB: pose }).verdict === 'contact').length);
    add(kind, 'checkPoses', async () => (await checkPoses(a, b, together, { jobs: 1 })).indexOf(1) + 1, many);
  }
  const [p, q] = meshes.map(peerTree);
  add('three-mesh-bvh', 'contact', () => poses.filter((pose) => peerFirst(p, q, pose)).length);
  for (let round = 0; round < (quick ? 3 : 60); round++) {
    for (const contestant of contestants) {
      startClock();
      if ((await contestant.pass()) !== 0) throw new Error(`${contestant.kind}: expected no contact`);
      const asked = contestant.times * poses.length;
      contestant.least = Math.min(contestant.least, (1e6 * elapsed()) / asked);
    }
  }
  /** @type {Record<string, Record<string, number>>} */
  const rows = {};
  for (const { kind, how, least } of contestants) rows[kind] = { ...rows[kind], [how]: Math.round(least) };
  const reason = reasonNotToRun();
  if (reason) console.log(`native bench skipped: ${reason}`);
  else {
    const { inTurn } = runFcl(meshes[0], meshes[1], poses, quick ? 3 : 60, 10);
    rows.FCL = { contact: Math.round((1e6 * sum(inTurn.map((samples) => Math.min(...samples)))) / poses.length) };
  }
  printTable('ns a pose, far apart', rows);
  return rows;
}

/** @param {import('./race.mjs').Run} run */
export default async function poses({ quick, keep }) {
  const count = quick ? 2000 : 1e6;
  const meshes = [sample('bunny'), sample('blob')];
  const folder = mkdtempSync(join(tmpdir(), 'gicollide-'));
  /** @type {Record<string, object>} */
  const formats = {};
  try {
    for (const [name, make] of Object.entries(FORMATS)) {
      const pair = meshes.map(make);
      const asked = manyPoses(pair, count);
      const own = await byLibrary(pair, asked);
      console.log(`\n${name}: ${count} poses of bunny and blob, ${own.contacts} in contact`);
      const { rates, memory } = await byProgram(pair, asked, folder);
      const all = Object.entries({ ...own.rates, ...rates }).map(([what, rate]) => [what, Number(rate.toPrecision(3))]);
      for (const [what, rate] of all) console.log(`  ${String(what).padEnd(38)}${String(rate).padStart(10)} poses/s`);
      for (const [what, megabytes] of Object.entries(memory)) {
        console.log(`  memory at most, ${what.padEnd(22)}${String(megabytes).padStart(10)} MB`);
      }
      formats[name] = { contacts: own.contacts, rates: Object.fromEntries(all), memory };
    }
    const far = await costsOfFar(meshes, quick);
    keep({ poses: count, processors: availableParallelism(), formats, far });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
