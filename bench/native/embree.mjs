// Embree on one mesh, a question at a time: embree-bench.cpp in a process of its own.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compile, runNative } from './compile.mjs';

const NAME = 'embree-bench';
const MAGIC = 0x31424d45;

/** What cannot be done here, in a line, or null. */
export function reasonNotToRun() {
  try {
    const reason = compile(NAME, [], ['-lembree3']);
    return reason && /rtcore\.h/.test(reason) ? 'no Embree 3 (libembree-dev)' : reason;
  } catch (error) {
    return /** @type {Error} */ (error).message;
  }
}

/**
 * Embree's answers: the distance of a ray's first hit, -1 for a miss, or of the nearest point.
 *
 * @param {import('gicollide').Surface} mesh
 * @param {Float64Array} questions a point and a direction each, six numbers
 * @param {number} rounds of which the fastest counts
 * @param {'rays' | 'robust' | 'points'} how
 * @returns {{ buildMs: number, us: number, distances: number[] }} `us`: microseconds a question
 */
export function runEmbree({ positions, triangles }, questions, rounds, how) {
  const scratch = mkdtempSync(join(tmpdir(), 'embree-bench-'));
  try {
    const file = join(scratch, 'questions.bin');
    const header = Uint32Array.of(MAGIC, positions.length / 3, triangles.length / 3, questions.length / 6);
    const parts = [header, Float64Array.from(positions), Uint32Array.from(triangles), questions];
    writeFileSync(file, Buffer.concat(parts.map(({ buffer }) => Buffer.from(buffer))));
    return runNative(NAME, [file, String(rounds), how]);
  } finally {
    rmSync(scratch, { recursive: true });
  }
}
