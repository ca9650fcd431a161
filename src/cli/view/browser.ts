/** `--open`: opens an address in the system's browser. */
import { spawn } from 'node:child_process';

const OPENERS: Partial<Record<NodeJS.Platform, [string, ...string[]]>> = {
  darwin: ['open'],
  // `start` is a shell command, and its first quoted argument a title.
  win32: ['cmd', '/c', 'start', '""'],
};

export function openBrowser(address: string, onProblem: (problem: string) => void): void {
  const [program, ...args] = OPENERS[process.platform] ?? ['xdg-open'];
  const child = spawn(program, [...args, address], { detached: true, stdio: 'ignore' });
  child.once('error', ({ code }: NodeJS.ErrnoException) =>
    onProblem(`${program}: ${code === 'ENOENT' ? 'no such program' : code}`),
  );
  child.once('exit', (code) => {
    if (code) onProblem(`${program}: exit code ${code}`);
  });
  child.unref();
}
