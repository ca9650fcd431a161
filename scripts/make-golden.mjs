// Writes the golden files of version 2 of .obb and .kdop from those of version 1, which an earlier
// program built. So the trees stay the same when builders change.
//
//   npm run build && node scripts/make-golden.mjs
import { readFileSync, writeFileSync } from 'node:fs';
import { read, write } from '../dist/index.js';

const folder = new URL('../test/golden/', import.meta.url);

for (const name of ['box-obb20', 'box-obb40', 'box-obb64', 'box-kdop24']) {
  const extension = name.includes('obb') ? 'obb' : 'kdop';
  const { asset } = await read(readFileSync(new URL(`${name}-v1.${extension}`, folder)));
  writeFileSync(new URL(`${name}-v2.${extension}`, folder), await write(asset));
}
