/** A Python with numpy, where one is installed. */
import { spawnSync } from 'node:child_process';

/** Its command; undefined where there is none. */
export const python: string | undefined = ['python3', '/usr/bin/python3'].find(
  (name) => spawnSync(name, ['-c', 'import numpy']).status === 0,
);
if (!python) console.warn('skipped: the reader in Python is not tested, since no python3 with numpy is installed here');
