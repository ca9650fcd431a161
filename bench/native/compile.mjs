// Compiles the C++ peers where the machine has what it takes, and runs each in its own process.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('../../out/native', import.meta.url));

/**
 * As Debian compiles the libraries: most of what is timed lies in them already. No -march=native:
 * Eigen would then align its matrices as FCL does not.
 */
const FLAGS = ['-O2', '-DNDEBUG', '-std=c++17'];

/** @param {string} name */
const binaryOf = (name) => join(folder, name);

/**
 * Compiles NAME.cpp unless that is done; the first line of what went wrong, or null.
 *
 * @param {string} name
 * @param {readonly string[]} packages of pkg-config
 * @param {readonly string[]} [libraries] without such a file
 */
export function compile(name, packages, libraries = []) {
  const source = fileURLToPath(new URL(`${name}.cpp`, import.meta.url));
  const binary = binaryOf(name);
  if (existsSync(binary) && statSync(binary).mtimeMs > statSync(source).mtimeMs) return null;
  const found = [...libraries];
  if (packages.length > 0) {
    const { error, status, stdout, stderr } = spawnSync('pkg-config', ['--cflags', '--libs', ...packages], {
      encoding: 'utf8',
    });
    if (error) return 'no pkg-config';
    if (status !== 0) return stderr.trim().split('\n')[0];
    found.push(...stdout.trim().split(/\s+/));
  }
  mkdirSync(folder, { recursive: true });
  const compiler = spawnSync('g++', [source, '-o', binary, ...found, ...FLAGS], { encoding: 'utf8' });
  if (compiler.error) return 'no g++';
  if (compiler.status !== 0) return `g++: ${compiler.stderr.split('\n').find((line) => /error|ld:/.test(line))}`;
  return null;
}

/**
 * What a program prints, as JSON.
 *
 * @param {string} name
 * @param {readonly string[]} args
 * @throws Error with the program's last words
 */
export function runNative(name, args) {
  const { status, signal, stdout, stderr } = spawnSync(binaryOf(name), args, {
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  });
  if (status !== 0) throw new Error(`${name}: ${stderr.trim() || signal || `exit ${status}`}`);
  return JSON.parse(stdout);
}
