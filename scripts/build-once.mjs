// Runs npm run build, unless dist/ is up to date. npm runs this after installing a clone's
// packages, and before packing.
import { fileURLToPath } from 'node:url';
import { isBuiltFrom, readSources } from './sources-digest.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
if (!isBuiltFrom(root, readSources(root))) {
  const { build } = await import('./build.mjs');
  await build();
}
