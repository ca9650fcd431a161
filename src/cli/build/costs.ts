/**
 * What a job will take, by the sizes of its files and by its options: for threads, whose memory
 * must do for all, and for shards, which are to end together. No file is read.
 */
import { statSync } from 'node:fs';
import { extensionOf, STDIN } from '../files.ts';
import type { BuildFlags, BuildJob } from './job.ts';

/** Milliseconds of a processor, and the most bytes that are held at once. */
export interface Cost {
  ms: number;
  bytes: number;
}

const known = new WeakMap<BuildJob, Cost>();

/** The same for the same files and options, on any machine. */
export function predict(job: BuildJob): Cost {
  const before = known.get(job);
  if (before) return before;
  const cost = { ms: 0, bytes: 0 };
  for (const { file } of job.inputs) {
    const triangles = trianglesIn(file);
    for (const format of job.formats) {
      const own = costOf(format, triangles, job.flags);
      cost.ms += own.ms;
      cost.bytes = Math.max(cost.bytes, own.bytes);
    }
  }
  known.set(job, cost);
  return cost;
}

/** Bytes of a file a triangle, about; those of text have more. */
const TEXT_BYTES = 36;
const BINARY_BYTES = 30;
const TEXT = ['.obj', '.off', '.ifc'];

/** About as many as a file of this size has. What is not there has none. */
function trianglesIn(file: string): number {
  if (file === STDIN) return 0;
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  return size / (TEXT.includes(extensionOf(file)) ? TEXT_BYTES : BINARY_BYTES);
}

/** Of `auto`: what most models come to. */
const AUTO_SIZE = 513;
/** Triangles up to which charts of an image are chosen among many. */
const FEW = 5000;

/**
 * Measured of balls of 5,000, 50,000 and 300,000 triangles in OBJ, two thirds of the processor's
 * time on a busy machine, and the most memory of a process: gi 65, 257 and 513 samples a side 137,
 * 214 and 330 MB of 5,000 triangles, 230, 209 and 328 of 50,000; obb 108, 173 and 251 MB. Of a million
 * triangles gi 257 and obb: 617 and 556 MB; of 5,000 gi 1025: 415.
 */
function costOf(format: string, triangles: number, { size, fit }: BuildFlags): Cost {
  switch (format) {
    case 'gi': {
      const samples = (size === 'auto' ? AUTO_SIZE : size) ** 2;
      const ofMesh = Math.min(triangles, FEW) * 0.15 + triangles * 0.02;
      return { ms: 100 + ofMesh + samples * (fit ? 0.02 : 0.004), bytes: 2e8 + triangles * 600 + samples * 350 };
    }
    case 'frep':
      return { ms: 20, bytes: 1e8 };
    case 'obb':
      return { ms: 20 + triangles * 0.015, bytes: 1e8 + triangles * 600 };
    default:
      return { ms: 20 + triangles * 0.004, bytes: 1e8 + triangles * 500 };
  }
}
