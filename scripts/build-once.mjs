// npm run build, unless dist/ is built from the present sources. npm runs it after it has installed
// a clone's packages, and before it packs.
import { fileURLToPath } from 'node:url';
import { isBuiltFrom, readSources } from './sources-digest.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
if (!isBuiltFrom(root, readSources(root))) {
  const { build } = await import('./build.mjs');
  await build();
}
