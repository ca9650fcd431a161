// npm run bench -- [gi|source|layout|structure|kdop|obb|mixed|cubes|frep ...] [--record]: the tasks by name, all without one.
const names = process.argv.slice(2).filter((arg) => !arg.startsWith('-'));
for (const name of names.length > 0
  ? names
  : ['gi', 'source', 'layout', 'structure', 'kdop', 'obb', 'mixed', 'cubes', 'frep'])
  await import(`./${name}-check.mjs`);
