// npm run bench -- [gi|source|layout|structure|kdop|obb|mixed|cubes|frep|speed|start-up|tiles|poses ...] [--record]: the tasks by name, all without one.
// `--sets <folder>` goes with speed, as --sets=<folder> does.
const names = process.argv.slice(2).filter((arg, i, args) => !arg.startsWith('-') && args[i - 1] !== '--sets');
for (const name of names.length > 0
  ? names
  : [
      'gi',
      'source',
      'layout',
      'structure',
      'kdop',
      'obb',
      'mixed',
      'cubes',
      'frep',
      'speed',
      'start-up',
      'tiles',
      'poses',
    ])
  await import(`./${name}-check.mjs`);
