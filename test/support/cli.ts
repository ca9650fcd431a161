/** Runs the compiled command line as a user's shell would, in folders that are gone afterwards. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import type { Surface } from '../../src/mesh/topology.ts';
import { writeObj } from '../../src/readers/obj/obj.ts';
import { type ProgramHost, startHost } from './program-host.ts';

/** The bundled program, as the package has it; test/support/compile.ts makes it. */
export const program = fileURLToPath(new URL('../../bin/gicollide.js', import.meta.url));
/** The program file by file, as tsc compiles it. */
export const plainProgram = fileURLToPath(new URL('./plain-program.mjs', import.meta.url));
export const assets = fileURLToPath(new URL('../../assets', import.meta.url));

export interface Outcome {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

export interface RunOptions {
  cwd: string;
  /** The content of stdin; empty and closed by default. */
  input?: string;
  env?: Record<string, string>;
  /** Source of a module that runs before the program: a fault, or a terminal that is none. */
  preload?: string;
  /** Another copy of the program. */
  program?: string;
}

const { CI, NO_COLOR, FORCE_COLOR, NODE_OPTIONS, ...env } = process.env;

const hosts: ProgramHost[] = [];

/** By a process that is free, or by another one where all are at work. */
function runInHost(args: readonly string[], cwd: string): Promise<Outcome> {
  let host = hosts.find(({ isFree }) => isFree);
  if (!host) {
    host = startHost(join(program, '../../dist/package/lib/program.js'), env);
    hosts.push(host);
  }
  return host.run(args, cwd);
}

/** Starts the program; what the parent's environment says of colours and CI does not reach it. */
export function start(args: readonly string[], options: RunOptions): ChildProcessWithoutNullStreams {
  const node = options.preload ? ['--import', `data:text/javascript,${encodeURIComponent(options.preload)}`] : [];
  const file = options.program ?? program;
  return spawn(process.execPath, [...node, file, ...args], { cwd: options.cwd, env: { ...env, ...options.env } });
}

/** Waits for the end of a program that `start` started, and for all that it writes. */
export function ended(child: ChildProcessWithoutNullStreams): Promise<Outcome> {
  const texts = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      texts[name] += text;
    });
  }
  return new Promise((done, failed) => {
    child.on('error', failed);
    child.on('close', (code, signal) => done({ code, signal, ...texts }));
  });
}

/** @example const { code, stdout } = await run(['info', 'box.tiff'], { cwd }); */
export const run = (args: readonly string[], options: RunOptions): Promise<Outcome> =>
  Object.keys(options).join() === 'cwd' ? runInHost(args, options.cwd) : runAlone(args, options);

/** `run` in a process of its own, as a user's shell starts it: for what its start and its end are. */
export function runAlone(args: readonly string[], options: RunOptions): Promise<Outcome> {
  const child = start(args, options);
  child.stdin.on('error', () => {}); // who fails early does not read it
  child.stdin.end(options.input ?? '');
  return ended(child);
}

/** A new folder, deleted after the run (compile.ts). */
export const makeFolder = (): string => realpathSync(mkdtempSync(join(process.env.TEST_FOLDERS ?? tmpdir(), 'test-')));

export function writeMesh(path: string, mesh: Surface): void {
  writeFileSync(path, writeObj(mesh, 'made by a test'));
}

/** Every file below a folder, sorted, with / between names. */
export function listFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(folder.length + 1)
        .replaceAll('\\', '/'),
    )
    .sort();
}

/** The contract of every failure: exit code 2, nothing on stdout, one line on stderr. */
export function expectFailure(outcome: Outcome, line: string | RegExp): void {
  expect(outcome).toMatchObject({ code: 2, stdout: '' });
  expectLine(outcome.stderr, line);
}

export function expectLine(stderr: string, line: string | RegExp): void {
  expect(stderr).toMatch(/^error: [^\n]+\n$/);
  expect(stderr.slice('error: '.length, -1)).toMatch(line);
}

/** What `info --json` says of a file. */
export async function infoOf(cwd: string, file: string): Promise<Record<string, unknown>> {
  return JSON.parse((await run(['info', file, '--json'], { cwd })).stdout);
}
