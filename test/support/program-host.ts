/**
 * A process that runs one command line after the other. Starting Node and the program would take
 * ten times as long as most of the tested work. Each has its folder, its arguments, its exit code
 * and what it writes, as if it were alone; only how it ends is not seen.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import type { Outcome } from './cli.ts';

/** Ends what one command line writes to stdout, and to stderr. */
const MARK = '\0end of it\0';

const SOURCE = `
  const { main } = await import(process.argv[1]);
  const events = ['uncaughtException', 'unhandledRejection', 'warning', 'SIGINT', 'SIGTERM', 'SIGHUP'];
  const before = events.map((name) => process.listeners(name));
  const end = (stream) => new Promise((done) => stream.write(${JSON.stringify(MARK)}, done));
  process.on('disconnect', () => process.exit());
  process.on('message', async ({ args, cwd }) => {
    process.chdir(cwd);
    await main([process.execPath, 'gicollide', ...args]);
    const code = process.exitCode ?? 0;
    process.exitCode = undefined;
    process.stdout.removeAllListeners('error');
    events.forEach((name, i) => {
      process.removeAllListeners(name);
      for (const listener of before[i]) process.on(name, listener);
    });
    await Promise.all([end(process.stdout), end(process.stderr)]);
    process.send(code);
  });
`;

export interface ProgramHost {
  /** False while a command line runs, and for ever after one that ended the process. */
  isFree: boolean;
  run(args: readonly string[], cwd: string): Promise<Outcome>;
}

/** `module` exports the program's main. */
export function startHost(module: string, env: NodeJS.ProcessEnv): ProgramHost {
  const child = spawn(process.execPath, ['--input-type=module', '-e', SOURCE, pathToFileURL(module).href], {
    env,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  }) as ChildProcess & { stdout: Readable; stderr: Readable };
  const texts = { stdout: '', stderr: '' };
  let answer: ((ending: Pick<Outcome, 'code' | 'signal'>) => void) | undefined;
  let code: number | undefined;
  const settle = (): void => {
    if (code !== undefined && Object.values(texts).every((text) => text.endsWith(MARK)))
      answer?.({ code, signal: null });
  };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      texts[name] += text;
      settle();
    });
  }
  child.on('message', (said: number) => {
    code = said;
    settle();
  });
  child.on('close', (code, signal) => {
    host.isFree = false;
    answer?.({ code, signal });
    answer = undefined;
  });
  const host: ProgramHost = {
    isFree: true,
    async run(args, cwd) {
      host.isFree = false;
      code = undefined;
      Object.assign(texts, { stdout: '', stderr: '' });
      child.send({ args, cwd });
      const ending = await new Promise<Pick<Outcome, 'code' | 'signal'>>((done) => {
        answer = done;
      });
      host.isFree = answer !== undefined;
      answer = undefined;
      return { ...ending, stdout: texts.stdout.replace(MARK, ''), stderr: texts.stderr.replace(MARK, '') };
    },
  };
  return host;
}
