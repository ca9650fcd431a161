// Runs npm run build where it has not been run, or src has changed since: installing builds nothing.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const program = join(root, 'dist/package/lib/program.js');
const built = existsSync(program) ? statSync(program).mtimeMs : 0;
const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' });
if (sources.some((file) => statSync(join(root, 'src', file)).mtimeMs > built)) {
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  const { status } = spawnSync(npm, ['run', 'build'], { cwd: root, stdio: 'inherit', shell: npm === 'npm.cmd' });
  process.exitCode = status ?? 1;
}
