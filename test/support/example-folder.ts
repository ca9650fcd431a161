/**
 * The steps that a README of examples/ tells: its commands, what each prints, and the edits between
 * them.
 */
import { spawnSync } from 'node:child_process';
import { copyFileSync, cpSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { makeFolder } from './cli.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/**
 * A copy of a folder of examples/, below a folder that stands for the installed package, so that
 * its package.json, which names file:../.., holds.
 */
export function copyOfExample(name: string): string {
  const top = makeFolder();
  for (const file of ['package.json', 'bin/gicollide.js']) {
    mkdirSync(join(top, file, '..'), { recursive: true });
    copyFileSync(join(root, file), join(top, file));
  }
  symlinkSync(join(root, 'dist'), join(top, 'dist'), 'junction');
  const cwd = join(top, 'examples', name);
  const isSource = (path: string) => !['out', 'node_modules'].includes(basename(path));
  cpSync(join(root, 'examples', name), cwd, { recursive: true, filter: isSource });
  return cwd;
}

/**
 * Runs `npm ci`, without a network; returns the program that npx then runs. npm 10 would run
 * `prepare` of the package, which has no sources here.
 */
export function installExample(cwd: string): string {
  const settings = { offline: 'true', ignore_scripts: 'true', update_notifier: 'false' };
  const set = Object.entries(settings).map(([name, value]) => [`npm_config_${name}`, value]);
  const env = { ...process.env, ...Object.fromEntries(set) };
  const { status, stderr } = spawnSync('npm ci', { cwd, env, shell: true, encoding: 'utf8' });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  const { bin } = JSON.parse(readFileSync(join(cwd, 'node_modules/gicollide/package.json'), 'utf8'));
  readFileSync(join(cwd, 'node_modules/.bin/gicollide')); // npx looks here
  return join(cwd, 'node_modules/gicollide', bin.gicollide);
}

export type Step =
  | { kind: 'install' }
  | { kind: 'run'; words: string[]; code: number; printed: string }
  | { kind: 'edit'; file: string; from: string; to: string };

/** A fenced block: its language and its text. */
const BLOCK = /^```(\w*)\n([\s\S]*?)^```$/gm;

/** The steps in order: a block of `sh` has one command, and the next block is what it prints. */
export function stepsOf(readme: string): Step[] {
  const steps: Step[] = [];
  for (const [, language, text] of readme.matchAll(BLOCK)) {
    const last = steps.at(-1);
    if (language === 'sh') steps.push(commandOf(text));
    else if (language === 'diff') steps.push(editOf(text));
    else if (language === '' && last?.kind === 'run' && last.printed === '') last.printed = text;
    else throw new Error(`a block that is no step: ${text}`);
  }
  return steps;
}

function commandOf(text: string): Step {
  if (text === 'npm ci\n') return { kind: 'install' };
  const match = /^npx --no-install gicollide (.*?)(?: # exit code (\d))?\n$/.exec(text);
  if (!match) throw new Error(`no command of gicollide: ${text}`);
  return { kind: 'run', words: match[1].split(' '), code: Number(match[2] ?? 0), printed: '' };
}

function editOf(text: string): Step {
  const match = /^--- (\S+)\n-(.*\n)\+(.*\n)$/.exec(text);
  if (!match) throw new Error(`no change of one line: ${text}`);
  const [, file, from, to] = match;
  return { kind: 'edit', file, from, to };
}

/** Text without what differs from run to run: how long it took. */
export const withoutTimes = (text: string): string => text.replaceAll(/\b\d+\.\d+ (s|ms)\b/g, '0.0 $1');
