// npm run watch: brings dist/ up to date whenever one of its sources changes. Each update is a
// process of its own, since a script of the build may have changed.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { watch } from 'chokidar';
import { SETTINGS } from './sources-digest.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

let isRunning = false;
let isAskedAgain = false;

async function update() {
  isAskedAgain = true;
  if (isRunning) return;
  isRunning = true;
  while (isAskedAgain) {
    isAskedAgain = false;
    const child = spawn(process.execPath, ['scripts/build.mjs', '--update'], { cwd: root, stdio: 'inherit' });
    const [code] = await once(child, 'close');
    if (!isAskedAgain) process.stderr.write(`watch: dist/ is ${code === 0 ? '' : 'not '}up to date\n`);
  }
  isRunning = false;
}

watch(['src', 'scripts', ...SETTINGS], {
  cwd: root,
  ignoreInitial: true,
  ignored: (path) => path.includes('.generated.'),
})
  .on('all', update)
  .on('ready', update);
