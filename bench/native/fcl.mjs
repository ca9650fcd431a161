// FCL on two meshes: fcl-bench.cpp in a process of its own.
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compile, runNative } from './compile.mjs';

const NAME = 'fcl-bench';
const MAGIC = 0x31434647;

/** What cannot be done here, in a line, or null. */
export function reasonNotToRun() {
  try {
    return compile(NAME, ['fcl', 'eigen3', 'ccd']);
  } catch (error) {
    return /** @type {Error} */ (error).message;
  }
}

/** @typedef {import('gicollide').Surface} Surface */
/** @typedef {import('gicollide').Pose} Pose */

/**
 * What the program says of two meshes, pose by pose.
 *
 * @typedef {object} FclRun
 * @property {number[]} hit 1 where they touch
 * @property {number[]} count of all contacts
 * @property {number[][]} first samples in microseconds of the first contact
 * @property {number[][]} all of all contacts
 * @property {number[][]} inTurn samples in milliseconds of every `group` poses
 * @property {number[]} buildMs of a's tree and of b's
 * @property {number[]} nodeBytes
 */

/**
 * The file that the program reads: two meshes at most, then numbers.
 *
 * @param {string} path
 * @param {readonly Surface[]} meshes
 * @param {number} count of poses, or of boxes
 * @param {Iterable<Float64Array>} numbers written one after the other: all of them need not be held
 */
function writeInput(path, meshes, count, numbers) {
  const sizes = meshes.flatMap(({ positions, triangles }) => [positions.length / 3, triangles.length / 3]);
  const file = openSync(path, 'w');
  try {
    writeSync(file, Uint32Array.of(MAGIC, ...sizes, ...Array(4 - sizes.length).fill(0), count));
    for (const { positions, triangles } of meshes) {
      writeSync(file, Float64Array.from(positions));
      writeSync(file, Uint32Array.from(triangles));
    }
    for (const part of numbers) writeSync(file, part);
  } finally {
    closeSync(file);
  }
}

/**
 * What the program prints.
 *
 * @param {readonly Surface[]} meshes
 * @param {number} count of poses, or of boxes
 * @param {Iterable<Float64Array>} numbers
 * @param {number | string} rounds samples of a pose; or how many objects there are
 * @param {number | 'distance' | 'frames' | 'boxes' | 'straight' | 'screw'} how
 * @throws Error with the program's last words
 */
function runProgram(meshes, count, numbers, rounds, how) {
  const scratch = mkdtempSync(join(tmpdir(), 'fcl-bench-'));
  try {
    const file = join(scratch, 'scene.bin');
    writeInput(file, meshes, count, numbers);
    return runNative(NAME, [file, String(rounds), String(how)]);
  } finally {
    rmSync(scratch, { recursive: true });
  }
}

/**
 * FCL's OBB trees on two meshes, at every pose of b in a's frame.
 *
 * @param {Surface} meshA
 * @param {Surface} meshB
 * @param {readonly Pose[]} poses
 * @param {number} rounds samples of a pose
 * @param {number} group poses a sample of `inTurn`
 * @returns {FclRun}
 */
export const runFcl = (meshA, meshB, poses, rounds, group) =>
  runProgram([meshA, meshB], poses.length, poses, rounds, group);

/**
 * FCL's RSS trees likewise: distances, and samples in microseconds of each.
 *
 * @param {readonly Surface[]} meshes
 * @param {readonly Pose[]} poses
 * @param {number} rounds samples of a pose
 * @returns {{ distance: number[], times: number[][] }}
 */
export const runFclDistance = (meshes, poses, rounds) => runProgram(meshes, poses.length, poses, rounds, 'distance');

/**
 * FCL's conservative advancement of RSS trees: when b, which moves from a pose to another in a unit
 * of time, touches a, which stands.
 *
 * @param {readonly Surface[]} meshes
 * @param {readonly (readonly [Pose, Pose])[]} motions
 * @param {'straight' | 'screw'} between
 * @param {number} rounds samples of a motion
 * @param {number} resolution a part of the motion's time
 * @returns {{ impact: number[], steps: number[], published: number[], times: number[][] }} of each
 *   motion: the time of contact, 2 where there is none; how many poses were looked at; the time that
 *   fcl::continuousCollide says; samples in microseconds
 */
export const runFclMotion = (meshes, motions, between, rounds, resolution) =>
  runProgram(meshes, 2 * motions.length, motions.flat(), `${rounds},${resolution}`, between);

/**
 * FCL's dynamic AABB tree over objects of one mesh that move.
 *
 * @param {Surface} mesh
 * @param {number} objects
 * @param {Iterable<Float64Array>} frames the poses of all objects, 16 numbers each
 * @param {number} [batch] frames of which one sample is taken: their mean is the time of each
 * @returns {{ times: number[], contacts: number[] }} of each frame: microseconds, and touching pairs
 */
export const runFclFrames = (mesh, objects, frames, batch = 1) =>
  runProgram([mesh], 0, frames, `${objects},${batch}`, 'frames');

/**
 * FCL's dynamic AABB tree over boxes that stand.
 *
 * @param {Float64Array} boxes six numbers each: the lowest corner, then the highest
 * @param {number} rounds
 * @returns {{ pairs: number, times: number[] }} pairs that overlap, and milliseconds of each round
 */
export const runFclBoxes = (boxes, rounds) => runProgram([], boxes.length / 6, [boxes], rounds, 'boxes');

/**
 * Elements of OBJ files in a process of its own, which reads them, builds OBB trees, and finds the
 * pairs that touch.
 *
 * @param {readonly string[]} files one, all against all; or two, each against the other
 * @returns {{ pairs: number, touching: number, cpuMs: number }} pairs whose boxes meet, pairs that
 *   touch, and processor milliseconds of the whole process
 */
export const runFclFiles = (files) => runNative(NAME, [files.join(), '1', 'files']);
