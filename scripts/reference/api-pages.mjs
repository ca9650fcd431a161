// Which page of docs/reference tells of what the library exports.

/**
 * A page, what it is about, and what stands on it: names, and whatever files of these paths
 * declare. The first page that takes a name has it.
 *
 * @type {readonly { page: string, title: string, about: string, names?: string, files: RegExp }[]}
 */
export const PAGES = [
  {
    page: 'assets',
    title: 'Assets: build, read, write',
    about: 'Meshes and models become assets, assets become bytes, and bytes assets again.',
    names: 'build BuildOptions updateGeometry UpdateOptions read write representations VERSION createLibrary',
    files:
      /^(engine\/representation|representations\/(kinds|(?:gi|obb|kdop)\/|voxel\/(?:tree|make))|containers\/(blob|pixels|tiff-directory)|engine\/bounds)/,
  },
  {
    page: 'pairs',
    title: 'Pairs: check, prepare, many poses',
    about: 'Two assets and a question: do they touch, where, how far are they apart?',
    names: 'openPair Pair createPair check prepare checkPoses',
    files:
      /^(engine\/(prepared\.|options|search-checker|records|bounds)|complete|representations\/check|motion\/moving-pair|contacts|solid\/class-of|geometry\/)/,
  },
  {
    page: 'poses',
    title: 'Poses and errors',
    about: 'Where things stand: 16 numbers, row-major 4x4, rigid. And what is thrown where something is wrong.',
    files: /^(base|math)\//,
  },
  {
    page: 'meshes',
    title: 'Meshes and their files',
    about: 'Flat arrays of coordinates and of indices, and the files that they are read from.',
    files: /^(readers|mesh)\//,
  },
  {
    page: 'scenes',
    title: 'Scenes',
    about: 'Many objects, placed: which of them touch, by which rules, from frame to frame.',
    names: 'openScene createScene',
    files: /^scene\//,
  },
  {
    page: 'motions',
    title: 'Motions',
    about: 'When two that move first touch, or the proof that they never do.',
    files: /^motion\//,
  },
  {
    page: 'queries',
    title: 'One asset: points, rays, volume',
    about: 'Where a point lies, what a ray meets, what is nearest, how much a solid holds.',
    files: /^solid\//,
  },
  {
    page: 'images',
    title: 'Large images by tiles',
    about: 'Geometry images that are asked without being read.',
    names: 'openImage OpenImage OpenImageOptions',
    files: /^(representations\/opened|containers\/)/,
  },
  {
    page: 'cubes',
    title: 'Cubes and GPUs',
    about: 'Thousands of models on one grid, and the devices that answer.',
    files: /^(representations\/voxel|gpu)/,
  },
  { page: 'freps', title: 'F-reps', about: 'Solids of functions.', files: /^representations\/frep/ },
  { page: 'lint', title: 'Lint', about: 'What is wrong with a mesh.', files: /^lint\// },
  {
    page: 'three',
    title: 'three.js and glTF',
    about: 'Geometries of three.js to meshes and back, and trees that a GLB stores.',
    files: /^(three|gltf-extension)\//,
  },
  {
    page: 'parts',
    title: 'A part of it alone',
    about: 'Entries that bring one kind of asset, for pages that count kilobytes.',
    files: /^subpaths\//,
  },
  { page: 'more', title: 'More', about: 'What stands on no other page.', files: /./ },
];
