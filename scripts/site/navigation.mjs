// The order of the site: sections, their pages, and what the list beside a page calls them.

/** @type {readonly { title: string, pages: readonly (readonly [file: string, title: string])[] }[]} */
export const SECTIONS = [
  {
    title: 'Try it',
    pages: [
      ['README.md', 'Overview'],
      ['docs/try.md', 'The first five minutes'],
      ['docs/install.md', 'Installation'],
      ['docs/view.md', 'The viewer'],
      ['docs/troubleshooting.md', 'Troubleshooting'],
    ],
  },
  {
    title: 'Guides',
    pages: [
      ['docs/guides/games.md', 'Games'],
      ['docs/guides/robots.md', 'Robots'],
      ['docs/guides/buildings.md', 'Buildings'],
      ['docs/guides/ci.md', 'Continuous integration'],
      ['docs/guides/browsers.md', 'Browsers'],
    ],
  },
  {
    title: 'By task',
    pages: [
      ['docs/usage.md', 'The command line'],
      ['docs/library.md', 'The library'],
      ['docs/scene.md', 'Scenes'],
      ['docs/robots.md', 'Robots and states'],
      ['docs/motion.md', 'Motions'],
      ['docs/queries.md', 'Points, rays, volumes'],
      ['docs/three.md', 'three.js'],
      ['docs/lint.md', 'Lint'],
      ['docs/baseline.md', 'Baselines'],
      ['docs/reports.md', 'Reports'],
      ['docs/projects.md', 'Projects'],
      ['docs/queue.md', 'A queue of workers'],
      ['docs/frep.md', 'Modeling with functions'],
    ],
  },
  {
    title: 'Reference',
    pages: [
      ['docs/reference/cli.md', 'Commands and options'],
      ['docs/reference/api.md', 'Functions and types'],
      ['docs/glossary.md', 'Glossary'],
    ],
  },
  {
    title: 'Formats',
    pages: [
      ['docs/formats.md', 'File formats'],
      ['docs/meshes.md', 'Mesh formats'],
      ['src/representations/gi/FORMAT.md', 'Geometry images'],
      ['src/representations/obb/FORMAT.md', 'OBB trees'],
      ['src/representations/kdop/FORMAT.md', 'k-DOP trees'],
      ['src/representations/voxel/FORMAT.md', 'Cubes'],
      ['src/representations/frep/FORMAT.md', 'F-reps'],
      ['docs/gltf-extension.md', 'Trees in a GLB'],
      ['docs/other-languages.md', 'Readers in C and Python'],
    ],
  },
  {
    title: 'Exactness',
    pages: [
      ['docs/verdicts.md', 'Verdicts'],
      ['docs/solids.md', 'Solids'],
      ['docs/contacts.md', 'Contacts'],
      ['docs/how-it-works.md', 'How it works'],
      ['docs/engines.md', 'Engines'],
    ],
  },
  {
    title: 'Speed and size',
    pages: [
      ['docs/speed.md', 'Speed'],
      ['docs/space.md', 'Space'],
      ['docs/scale.md', 'Scale'],
    ],
  },
  { title: 'Experiments', pages: [['docs/experiments.md', 'The five papers']] },
  {
    title: 'Project',
    pages: [
      ['CHANGELOG.md', 'Changes'],
      ['CONTRIBUTING.md', 'Contributing'],
      ['SECURITY.md', 'Security'],
    ],
  },
];

/** Pictures that a live page stands behind: the page's file in the site, and the words that make it. */
export const LIVE = [
  {
    picture: 'docs/view-visits.png',
    file: 'live/pair.html',
    words: 'view assets/bunny.obj assets/blob.obj --translate-b 0.4,0,0',
  },
  { picture: 'docs/view-scene.png', file: 'live/room.html', words: 'view assets/room.scene.json' },
];
