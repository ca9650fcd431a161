// npm run build, unless dist/ is built from the present sources. npm runs it after it has installed a
// clone's packages, and before it packs.
import { fileURLToPath } from 'node:url';
import { readSources, recordedSources, recordSources } from './sources-digest.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const sources = readSources(root);
if (recordedSources(root)?.digest === sources.digest) {
  // Files that were written again, as by a change of branches and back, need not be read at each start.
  recordSources(root, sources);
} else {
  const { build } = await import('./build.mjs');
  await build();
}
