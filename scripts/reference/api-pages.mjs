// The pages of docs/reference/api, and the exports that each of them describes.

/**
 * The pages. An export is on the first page that has its name in `names`, or else its file in
 * `files`.
 *
 * @type {readonly { page: string, title: string, about: string, names?: string, files: RegExp }[]}
 */
export const PAGES = [
  {
    page: 'assets',
    title: 'Assets: build, read, write',
    about: 'Build assets from meshes and models, write them as bytes, and read them again.',
    names: 'build BuildOptions updateGeometry UpdateOptions read write representations VERSION createLibrary',
    files:
      /^(engine\/representation|representations\/(kinds|(?:gi|obb|kdop)\/|voxel\/(?:tree|make))|containers\/(blob|pixels|tiff-directory)|engine\/bounds)/,
  },
  {
    page: 'pairs',
    title: 'Pairs: check, prepare, many poses',
    about: 'Check two assets: whether they touch, where, and how far apart they are.',
    names: 'openPair Pair createPair check prepare checkPoses',
    files:
      /^(engine\/(prepared\.|options|search-checker|records|bounds)|complete|representations\/check|motion\/moving-pair|contacts|solid\/class-of|geometry\/)/,
  },
  {
    page: 'poses',
    title: 'Poses and errors',
    about: 'Rigid poses (row-major 4x4 matrices of 16 numbers), and the errors that functions throw.',
    files: /^(base|math)\//,
  },
  {
    page: 'meshes',
    title: 'Meshes and their files',
    about: 'Flat arrays of coordinates and indices, and the files that hold them.',
    files: /^(readers|mesh)\//,
  },
  {
    page: 'scenes',
    title: 'Scenes',
    about: 'Many placed objects: which of them touch, with rules, and frame by frame.',
    names: 'openScene createScene',
    files: /^scene\//,
  },
  {
    page: 'motions',
    title: 'Motions',
    about: 'The time when two moving objects first touch, or a proof that they never do.',
    files: /^motion\//,
  },
  {
    page: 'queries',
    title: 'One asset: points, rays, volume',
    about: 'Points inside or outside, hits of rays, nearest points, and volumes.',
    files: /^solid\//,
  },
  {
    page: 'images',
    title: 'Large images by tiles',
    about: 'Queries of large geometry images that read only the needed tiles.',
    names: 'openImage OpenImage OpenImageOptions',
    files: /^(representations\/opened|containers\/)/,
  },
  {
    page: 'cubes',
    title: 'Cubes and GPUs',
    about: 'Thousands of models on one grid of cubes, and GPUs.',
    files: /^(representations\/voxel|gpu)/,
  },
  { page: 'freps', title: 'F-reps', about: 'Solids of functions.', files: /^representations\/frep/ },
  { page: 'lint', title: 'Lint', about: 'Faults of meshes.', files: /^lint\// },
  {
    page: 'three',
    title: 'three.js and glTF',
    about: 'Conversion of three.js geometries, live checks, and trees stored in a GLB.',
    files: /^(three|gltf-extension)\//,
  },
  {
    page: 'parts',
    title: 'Small imports',
    about: 'Entries with one kind of asset each, for small web pages.',
    files: /^subpaths\//,
  },
  { page: 'more', title: 'More', about: 'All other exports.', files: /./ },
];
