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
const TEXT_BYTES = 70;
const BINARY_BYTES = 40;
const TEXT = ['.obj', '.off', '.ifc'];

/** About as many as a file of this size has. What is not there has none. */
function trianglesIn(file: string): number {
  if (file === STDIN) return 0;
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  return size / (TEXT.includes(extensionOf(file)) ? TEXT_BYTES : BINARY_BYTES);
}

/** Of `auto`: what most models come to. */
const AUTO_SIZE = 513;

function costOf(format: string, triangles: number, { size, fit }: BuildFlags): Cost {
  switch (format) {
    case 'gi': {
      const samples = (size === 'auto' ? AUTO_SIZE : size) ** 2;
      const ms = 150 + triangles * 0.05 + samples * (fit ? 0.02 : 0.01);
      return { ms, bytes: 1e8 + triangles * 2000 + samples * 400 };
    }
    case 'frep':
      return { ms: 20, bytes: 5e7 };
    default:
      return { ms: 20 + triangles * 0.02, bytes: 6e7 + triangles * 1500 };
  }
}
