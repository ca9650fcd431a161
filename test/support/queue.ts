/** A scene for a queue, its workers, and ways to make them fail. */
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ended, type Outcome, start, writeMesh } from './cli.ts';
import { seeded } from './random.ts';
import { icosphere } from './shapes.ts';

/** Writes many.scene.json into a folder: balls with many overlaps. */
export function writeScene(cwd: string, count: number, seed: number): void {
  const random = seeded(seed);
  writeMesh(join(cwd, 'ball.obj'), icosphere(2));
  const instances = Array.from({ length: count }, (_, i) => ({
    name: `ball-${i}`,
    asset: 'ball',
    translate: [0, 1, 2].map(() => random.between(-2, 2)),
  }));
  const scene = { gicollide: 'scene/1', assets: { ball: 'ball.obj' }, instances };
  writeFileSync(join(cwd, 'many.scene.json'), JSON.stringify(scene));
}

/** The output of a run, without its times. */
export const timeless = (stdout: string): string =>
  stdout.replaceAll(/"ms":\{[^}]*\}/g, '"ms":{}').replaceAll(/"seconds":[\d.]+/g, '');

export interface TestWorker {
  /** All its output. */
  text(): string;
  kill(signal: NodeJS.Signals): void;
  /** It waits for jobs, or has ended. */
  ready: Promise<unknown>;
  ended: Promise<Outcome>;
}

/** `gicollide worker`, with a module that runs in it, and in all of its threads, before. */
export function startWorker(url: string, cwd: string, preload?: string, args: readonly string[] = []): TestWorker {
  const child: ChildProcessWithoutNullStreams = start(
    ['worker', '--queue', url, '--assets', 'store', '--jobs', '1', ...args],
    { cwd, ...(preload !== undefined && { preload }) },
  );
  let text = '';
  const waits = new Promise<void>((done) => {
    child.stderr.on('data', (chunk) => {
      text += chunk;
      if (text.includes('waiting for jobs')) done();
    });
  });
  const outcome = ended(child);
  const ready = Promise.race([waits, outcome]);
  return { text: () => text, kill: (signal) => child.kill(signal), ready, ended: outcome };
}

/**
 * A module by which threads do something before they answer pairs of a scene: a block of so many
 * pairs in all is cut as [first, end).
 */
export const beforePairs = (pairs: number, action: string): string => `
import { isMainThread } from 'node:worker_threads';
if (!isMainThread) {
  const own = Float64Array.prototype.subarray;
  Object.getPrototypeOf(Float64Array.prototype).subarray = function (first, end) {
    if (this.length === ${pairs}) { ${action} }
    return own.call(this, first, end);
  };
}`;

/** To be `action`: a block ends when this file is there, so that workers are found at work. */
export const untilFile = (path: string): string => `
  while (!process.getBuiltinModule('fs').existsSync(${JSON.stringify(path)}))
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);`;

/** Waits until something is so. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((turn) => setTimeout(turn, 50));
}
