/** A cache of builds for tests: what it says, its files, and scripts that open it as other processes. */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { openCache } from '../../src/cli/cache/cache.ts';
import type { Log } from '../../src/cli/terminal.ts';
import { ended, makeFolder, type Outcome } from './cli.ts';

export const keyOf = (text: string): string => createHash('sha256').update(text).digest('hex');

export const entryOf = (folder: string, key: string): string => join(folder, key.slice(0, 2), `${key.slice(2)}.entry`);

/** A log that keeps its lines, each with its level in front. */
export function listening(): { log: Log; lines: string[] } {
  const lines: string[] = [];
  const at = (level: string) => (line: unknown) => lines.push(`${level}: ${line}`);
  return { lines, log: { info: at('info'), warn: at('warn'), error: at('error') } as unknown as Log };
}

export async function opened(folder = join(makeFolder(), 'cache')) {
  const { log, lines } = listening();
  const cache = await openCache({ folder, log });
  if (!cache) throw new Error(lines.join('\n'));
  return { cache, folder, lines };
}

/** The module as tsc compiled it, which processes of Node's own load. */
const compiled = fileURLToPath(new URL('../../dist/cli/cache/cache.js', import.meta.url));

/** Runs a script that has `openCache`, `log`, and `lines`, which it prints at its end, in a process of its own. */
export function runScript(
  script: string,
  { before = '', uid }: { before?: string; uid?: number } = {},
): Promise<Outcome> {
  const source = `
    import fs from 'node:fs';
    import { createHash } from 'node:crypto';
    import { syncBuiltinESMExports } from 'node:module';
    process.on('warning', ({ message }) => lines.push('warning: ' + message));
    const lines = [];
    const log = {};
    for (const level of ['info', 'warn', 'error']) log[level] = (line) => lines.push(level + ': ' + line);
    const keyOf = (text) => createHash('sha256').update(text).digest('hex');
    ${before}
    const { openCache } = await import(${JSON.stringify(pathToFileURL(compiled).href)});
    ${script}
    process.stdout.write(lines.map((line) => line + '\\n').join(''));`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', source], {
    cwd: '/',
    ...(uid !== undefined && { uid, gid: uid }),
  });
  child.stdin.end();
  return ended(child);
}
