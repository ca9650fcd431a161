// Compiles fcl-bench.cpp where the machine has what it takes, and runs it in a process of its own.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const source = fileURLToPath(new URL('fcl-bench.cpp', import.meta.url));
const folder = fileURLToPath(new URL('../../out/native', import.meta.url));
const binary = join(folder, 'fcl-bench');
const MAGIC = 0x31434647;

/**
 * As Debian compiles the library: most of what is timed lies in libfcl.so already. No
 * -march=native: Eigen would then align its matrices as the library does not.
 */
const FLAGS = ['-O2', '-DNDEBUG'];

/** Compiles unless that is done; the first line of what went wrong, or null. */
function compile() {
  if (existsSync(binary) && statSync(binary).mtimeMs > statSync(source).mtimeMs) return null;
  const packages = spawnSync('pkg-config', ['--cflags', '--libs', 'fcl', 'eigen3', 'ccd'], { encoding: 'utf8' });
  if (packages.error) return 'no pkg-config';
  if (packages.status !== 0) return packages.stderr.trim().split('\n')[0];
  mkdirSync(folder, { recursive: true });
  const found = packages.stdout.trim().split(/\s+/);
  const compiler = spawnSync('g++', [source, '-o', binary, ...found, '-std=c++17', ...FLAGS], { encoding: 'utf8' });
  if (compiler.error) return 'no g++';
  if (compiler.status !== 0) return `g++: ${compiler.stderr.split('\n').find((line) => /error|ld:/.test(line))}`;
  return null;
}

/** What cannot be done here, in a line, or null. */
export function reasonNotToRun() {
  try {
    return compile();
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

/** @param {readonly Surface[]} meshes @param {readonly Pose[]} poses */

function fileOf(meshes, poses) {
  const head = Uint32Array.of(
    MAGIC,
    ...meshes.flatMap(({ positions, triangles }) => [positions.length / 3, triangles.length / 3]),
    poses.length,
  );
  /** @type {(Uint32Array | Float64Array)[]} */
  const parts = [head];
  for (const mesh of meshes) parts.push(Float64Array.from(mesh.positions), Uint32Array.from(mesh.triangles));
  for (const pose of poses) parts.push(Float64Array.from(pose));
  return Buffer.concat(
    parts.map(({ buffer, byteOffset, byteLength }) => new Uint8Array(buffer, byteOffset, byteLength)),
  );
}

/**
 * What the program prints of two meshes at every pose of b in a's frame.
 *
 * @param {readonly Surface[]} meshes
 * @param {readonly Pose[]} poses
 * @param {number} rounds samples of a pose
 * @param {number | 'distance'} how
 * @throws Error with the program's last words
 */
function runProgram(meshes, poses, rounds, how) {
  const scratch = mkdtempSync(join(tmpdir(), 'fcl-bench-'));
  try {
    const file = join(scratch, 'scene.bin');
    writeFileSync(file, fileOf(meshes, poses));
    const { status, signal, stdout, stderr } = spawnSync(binary, [file, String(rounds), String(how)], {
      encoding: 'utf8',
      maxBuffer: 2 ** 28,
    });
    if (status !== 0) throw new Error(`fcl-bench: ${stderr.trim() || signal || `exit ${status}`}`);
    return JSON.parse(stdout);
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
export const runFcl = (meshA, meshB, poses, rounds, group) => runProgram([meshA, meshB], poses, rounds, group);

/**
 * FCL's RSS trees likewise: distances, and samples in microseconds of each.
 *
 * @param {readonly Surface[]} meshes
 * @param {readonly Pose[]} poses
 * @param {number} rounds samples of a pose
 * @returns {{ distance: number[], times: number[][] }}
 */
export const runFclDistance = (meshes, poses, rounds) => runProgram(meshes, poses, rounds, 'distance');
