/** Compiles and runs programs in C where gcc and g++ are installed. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export const hasCompiler = ['gcc', 'g++'].every((name) => spawnSync(name, ['--version']).status === 0);
if (!hasCompiler) console.warn('skipped: the reader in C is not tested, since gcc and g++ are not installed here');

const STRICT = ['-Wall', '-Wextra', '-Werror', '-pedantic'];
export const C99 = [...STRICT, '-std=c99'];
export const SANITISED = [...C99, '-O1', '-g', '-fsanitize=address,undefined', '-fno-sanitize-recover=all'];
export const CPP11 = [...STRICT, '-x', 'c++', '-std=c++11'];

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Runs a command in the project's root; throws with what it said where it fails. */
export function runTool(command: string, args: readonly string[], input?: string): Buffer {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd: root, input, maxBuffer: 2 ** 30 });
  if (error) throw error;
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${status}\n${stderr}`);
  return stdout;
}

/** @param source a path from the project's root, or a program's text where `-` stands for it */
export function compileC(source: string, program: string, flags: readonly string[], text?: string): void {
  const compiler = flags.includes('c++') ? 'g++' : 'gcc';
  runTool(compiler, [...flags, ...(text ? ['-x', 'c'] : []), source, '-o', program, '-lm'], text);
}
