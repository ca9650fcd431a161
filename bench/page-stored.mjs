// Sections of docs/speed.md on stored assets: building and reading them, and their variants.
import { count, ofMs, table, time } from './page-text.mjs';
import { digits } from './race.mjs';

/** @typedef {import('./page-text.mjs').Writer} Writer */
/** @typedef {import('./page-text.mjs').Answer} Answer */

/** @type {Writer} */
export function startUp({ ms, processorMs = {} }) {
  const own = ms['node -e 0'];
  const runs = Object.entries(/** @type {Record<string, number>} */ (ms));
  return {
    title: 'How long does a run of the command line take?',
    answers: ['check, OBB trees', 'check, meshes of 3674 and 5120 triangles'].map((way) => {
      const question = 'from start to end';
      return { question, way, time: 1000 * ms[way], peer: 'Node alone', peerTime: 1000 * own, isFloor: true };
    }),
    text: [
      'A new process each, from start to end. The shortest possible run is Node alone.',
      table(
        ['run', 'time', 'processor time'],
        runs.map(([name, time]) => [name, ofMs(time), processorMs[name] ? ofMs(processorMs[name]) : '']),
      ),
    ],
  };
}

/**
 * Why building takes longer than with the peers, by the first word of the asset.
 *
 * @type {Record<string, string>}
 */
const WHY_MADE = {
  geometry:
    'A geometry image is a new parameterization of the surface, with a proved deviation. The peers only build trees over the existing triangles.',
  OBB: 'Each box of an OBB tree is turned to fit its triangles, and its bounds are proved. Boxes of three-mesh-bvh are parallel to the axes. FCL, which also turns its boxes, takes longer.',
};

/** @type {Writer} */
export function build({ assets, trees }) {
  /** @param {Record<string, Record<string, number | null>>} rows */
  const tableOf = (rows) => {
    const columns = [...new Set(Object.values(rows).flatMap((row) => Object.keys(row)))].filter(
      (key) => key !== 'triangles',
    );
    return table(
      ['mesh, triangles', ...columns],
      Object.entries(rows).map(([name, row]) => {
        const times = columns.map((key) => (typeof row[key] === 'number' ? ofMs(row[key]) : ''));
        return [`${name}, ${count(row.triangles ?? 0)}`, ...times];
      }),
    );
  };
  const fine = assets['fine bunny'];
  const image = /** @type {Record<string, number | null>} */ (trees);
  /**
   * @param {string} question
   * @param {Record<string, number | null>} row
   * @param {string} way
   * @returns {Answer[]}
   */
  const besidePeers = (question, row, way) =>
    ['three-mesh-bvh', 'FCL, OBB tree'].flatMap((peer) => {
      const [own, theirs] = [row[way], row[peer]];
      if (typeof own !== 'number' || typeof theirs !== 'number') return [];
      const why = WHY_MADE[/^\w+/.exec(way)?.[0] ?? ''];
      return [
        { question, way, time: 1000 * own, peer: peer.split(',')[0], peerTime: 1000 * theirs, ...(why && { why }) },
      ];
    });
  const ways = ['OBB tree, 64 bytes a node', 'OBB tree, 40 bytes a node', 'k-DOP tree', 'geometry image of 257'];
  return {
    title: 'How long does a build take?',
    answers: [
      ...ways.flatMap((way) => besidePeers(`building from ${count(fine.triangles)} triangles`, fine, way)),
      ...besidePeers(
        `a tree over the ${count(image.triangles ?? 0)} triangles of an image`,
        image,
        'spheres and slabs',
      ),
    ],
    text: [
      'One asset of each mesh, on one thread. FCL runs in its own process.',
      tableOf(assets),
      'Only the trees, over the triangles of an image. The GI-COLLIDE paper says that OBB trees need much more preprocessing than the spheres of an existing image.',
      tableOf({ 'image of 257': trees }),
    ],
  };
}

/** @type {Writer} */
export function readers({ triangles, rows, sizes = {} }) {
  const bySize = Object.entries(/** @type {Record<string, Record<string, number>>} */ (sizes));
  const formats = Object.entries(/** @type {Record<string, Record<string, number | undefined>>} */ (rows));
  const peers = ['three', 'three, joined'];
  return {
    title: 'How fast are files of meshes read?',
    answers: formats.flatMap(([way, row]) =>
      peers.flatMap((peer) => {
        const [size, own, theirs] = [row.MB, row.gicollide, row[peer]];
        if (!size || !own || !theirs) return [];
        const question = `reading ${count(triangles)} triangles`;
        const why =
          peer === 'three'
            ? "three's loader keeps three separate corners for each triangle. gicollide joins equal ones."
            : '';
        return [
          { question, way, time: (1e6 * size) / own, peer, peerTime: (1e6 * size) / theirs, ...(why && { why }) },
        ];
      }),
    ),
    text: [
      `A mesh of ${count(triangles)} triangles in each format, from bytes in memory to a mesh, in megabytes a second. gicollide reads doubles, and joins the equal corners of an STL. three reads floats; for STL and OBJ, its triangles share no corners. "Joined" includes its mergeVertices.`,
      table(
        ['format', 'MB', 'gicollide', ...peers],
        formats.map(([name, row]) => [name, ...['MB', 'gicollide', ...peers].map((key) => row[key] ?? '')]),
      ),
      ...(bySize.length > 0
        ? [
            'Processor time by the size of the file. GLB files have only positions and indices; gicollide merges their coincident vertices, three does not.',
            table(
              ['file', 'gicollide', 'three'],
              bySize.map(([name, row]) => [name, row.gicollide, row.three]),
            ),
          ]
        : []),
    ],
  };
}

/** @type {Writer} */
export function tiles({ rows, timed, http, poses }) {
  const listed = /** @type {any[]} */ (rows);
  const inTime = /** @type {any[]} */ (timed);
  const largest = listed.at(-1);
  /** @type {[string, string][]} */
  const coarser = [
    ['source', '--source'],
    ['level', '--level 5'],
    ['sourceLevel', '--source --level 5'],
    ['lod', '--lod 5'],
    ['budget', '--budget 15'],
  ];
  return {
    title: 'How fast is a check of two large images from files?',
    answers: [
      {
        question: `two images of ${largest.size} from files, ${largest.megabytes} MB`,
        way: 'by tiles, as needed',
        time: 1000 * largest.process.wall,
        peer: 'the whole images',
        peerTime: 1000 * largest.process.wallWhole,
        isOwn: true,
      },
      ...coarser.map(([name, option]) => ({
        question: `two images of ${largest.size} from files, opened anew`,
        way: option,
        time: 1000 * largest.coarser[name].ms,
        peer: 'the full check by tiles',
        peerTime: 1000 * largest.library.ms,
        isOwn: true,
      })),
    ],
    text: [
      'A run of the command line from start to end, by tiles and with whole images. Then the library, warm, with both files opened again for each pose, and the amount that it reads of both.',
      table(
        ['samples a side', 'files', 'process, tiles', 'process, whole', 'library, tiles', 'read', 'tiles'],
        listed.map(({ size, megabytes, process, library }) => [
          ...[size, `${megabytes} MB`, ofMs(process.wall), ofMs(process.wallWhole)],
          ...[ofMs(library.ms), `${library.kilobytes} kB`, library.tiles],
        ]),
      ),
      `Other options of the library for the same ${poses.library} poses: time, amount read, and number of decided poses.`,
      table(
        ['samples a side', 'full check', ...coarser.map(([, option]) => option)],
        listed.map((row) => [
          row.size,
          ...[row.library, ...coarser.map(([name]) => row.coarser[name])].map(
            (/** @type {any} */ { ms, kilobytes, decided }) => `${ofMs(ms)}, ${kilobytes} kB, ${decided}`,
          ),
        ]),
      ),
      `Figure 13 of the GI-COLLIDE paper: 15 ms of a frame for a check of one image of ${largest.size} against others. The time includes opening both files; the last column has the decided poses of ${poses.library}.`,
      table(
        ['samples a side of the other', 'median', 'slowest', 'decided'],
        inTime.map(({ size, ms, slowest, decided }) => [size, ofMs(ms), ofMs(slowest), decided]),
      ),
      `Over HTTP with byte ranges, two images of ${largest.size}, opened again for each of a third of the poses: the amount read of ${largest.megabytes} MB, and the number of requests.`,
      table(
        ['query', 'read', 'requests', 'decided'],
        [['full', 'full check'], ...coarser].map(([name, option]) => {
          const { kilobytes, reads, decided } = http[name];
          return [option, `${kilobytes} kB`, reads, decided];
        }),
      ),
    ],
    command: `npm run bench -- tiles --sizes=${listed.map(({ size }) => size).join(',')}`,
  };
}

/** @type {Writer} */
export function frep(row) {
  const pairs = Object.entries(/** @type {Record<string, Record<string, any>>} */ (row.speed));
  const ways = ['octants, mixes', 'octants', 'slices, 6', 'slices, 10', 'random, 1000'];
  const labels = [
    'gicollide',
    'without mixes',
    "the paper's slices, 2^6 cells",
    'slices, 2^10',
    'random search, N = 1000',
  ];
  const [balls] = pairs;
  const { missed, gaps, constant } = row;
  const missedOf = (/** @type {string} */ depth) => `${digits(100 * missed['two balls'][depth]['random, 1000'], 2)} %`;
  const gapsOf = (/** @type {string} */ way) => {
    const visits = Object.entries(/** @type {Record<string, number>} */ (gaps[`two balls: ${way}`]));
    const [gap, cells] = visits[visits.length - 1];
    return `${count(cells)} for a gap of ${gap}`;
  };
  const spreads = ['slices, first', 'octants, first'].map((name) => `${constant[name].time['deviation, %']} %`);
  return {
    title: 'How fast are F-reps checked?',
    answers: ['slices, 6', 'slices, 10', 'random, 1000'].map((way) => ({
      question: `${balls[0]}, 10^-3 clear or deep`,
      way: 'octants, mixes',
      time: balls[1]['octants, mixes'].time,
      peer: labels[ways.indexOf(way)],
      peerTime: balls[1][way].time,
      isOwn: true,
    })),
    text: [
      'Two F-reps, 10^-3 apart or deep, medians over the poses. A cell is empty if it would take too long. The F-rep paper halves slices of x and y before z. The random search starts from Sobol points and proves nothing.',
      table(
        ['pair', ...labels],
        pairs.map(([name, line]) => [name, ...ways.map((way) => time(line[way]?.time))]),
      ),
      `Visited cells until two balls are proved clear: ${gapsOf('octants, mixes')} with mixes, ${gapsOf('octants')} without, ${gapsOf('slices')} by slices. A random search of 1,000 points misses ${missedOf('1e-4')} of the contacts of two balls that are 10^-4 deep, and ${missedOf('1e-6')} at 10^-6. The paper's claim of constant time does not hold: over positions, the time deviates by ${spreads.join(' (slices) and ')} (octants) of its mean. It follows the number of visited cells:`,
      '![Time by cells, cells by gap, contacts missed](frep-constant-time.svg)',
    ],
  };
}

/** @type {Writer} */
export function structure({ first, scenes, bytesOfNode, growth, size }) {
  if (!scenes) return null;
  const [index, pointer] = Object.keys(first);
  const sizes = /** @type {Record<string, number>[]} */ (growth);
  const columns = Object.keys(sizes[0]).filter((key) => key !== 'size' && key !== 'triangles');
  return {
    title: 'Sphere trees: index arithmetic or pointers?',
    answers: [
      {
        question: 'spheres alone, two bunnies near contact',
        way: 'by index arithmetic',
        time: first[index],
        peer: 'by pointers',
        peerTime: first[pointer],
        isOwn: true,
      },
    ],
    text: [
      `Both searches are JavaScript, have the same spheres in whole numbers and test the same pairs; they find children differently. A node takes ${bytesOfNode.index} bytes by index and about ${bytesOfNode.pointer} by pointers. In Figure 10 of the GI-COLLIDE paper, indices are up to 19 % faster for 2 to 256 moving bunnies, with every pair tested.${size ? ` The table has images of ${size} samples a side with the paper's spheres, and minima of all rounds:` : ''}`,
      table(
        ['bunnies', 'pairs', 'us a pair, index', 'us a pair, pointers', 'index / pointers'],
        Object.entries(/** @type {Record<string, Record<string, number>>} */ (scenes)).map(([bodies, x]) => [
          ...[bodies, count(x.pairs), x.index, x.pointer, x.ratio],
        ]),
      ),
      'Median number of tests of a query near contact, as images grow: with spheres alone, and with spheres and slabs.',
      table(
        ['samples a side', 'triangles', ...columns],
        sizes.map((line) => [
          line.size,
          count(line.triangles),
          ...columns.map((key) => (line[key] === undefined ? '' : count(line[key]))),
        ]),
      ),
    ],
  };
}

/** @type {Writer} */
export function kdop({ pairs, bytes }) {
  const [[name, { first, all, byBits, byAxes, byK }]] = Object.entries(/** @type {Record<string, any>} */ (pairs));
  const own = Object.keys(first).filter((key) => key !== 'three-mesh-bvh');
  /** @param {string} head @param {Record<string, { bounds: number, microseconds: number }>} rows */
  const measured = (head, rows) =>
    table(
      [head, ...Object.keys(rows)],
      [
        ['pairs of nodes', ...Object.values(rows).map((x) => x.bounds)],
        ['us', ...Object.values(rows).map((x) => x.microseconds)],
      ],
    );
  return {
    title: 'k-DOP trees: which k, how many bits, how many axes?',
    answers: [],
    text: [
      `${name}, near contact.`,
      table(
        ['', 'first contact', 'all contacts'],
        own.map((key) => [key, time(first[key]), time(all[key])]),
      ),
      "The k-DOP paper's figures in software, in doubles: all contacts by bits of a coefficient, by test axes, and by k.",
      measured('bits', byBits),
      measured('axes', byAxes),
      measured('k', byK),
      'Bytes of tree a triangle, by k and bits, beside `doubles`.',
      table(
        ['k', ...Object.keys(bytes[24])],
        Object.entries(/** @type {Record<string, Record<string, number>>} */ (bytes)).map(([k, line]) => [
          k,
          ...Object.values(line),
        ]),
      ),
    ],
  };
}

/** @type {Writer} */
export function obb({ pairs, bytes, cache, steps = 1000, lists = {} }) {
  const own = ['obb, 40 bytes a node', 'obb, 20 bytes a node', 'obb, common path'];
  const long = Object.entries(/** @type {Record<string, Record<string, number>>} */ (lists));
  const lines = Object.entries(/** @type {Record<string, any>} */ (pairs)).flatMap(([name, { first, all }]) =>
    own.map((key) => [`${name}, ${key}`, time(first[key]), time(all[key])]),
  );
  return {
    title: 'OBB trees: nodes of 40 or of 20 bytes?',
    answers: long.map(([n, row]) => ({
      question: `a list of ${count(Number(n))} contacts`,
      ...{
        way: 'OBB tree, 64 bytes a node',
        time: row.kernel,
        peer: 'three-mesh-bvh',
        peerTime: row['three-mesh-bvh'],
      },
    })),
    text: [
      `A triangle takes ${digits(bytes[40])} bytes of tree with nodes of 40 bytes, ${digits(bytes[20])} with 20, and ${digits(bytes['three-mesh-bvh'])} in three-mesh-bvh. In a slow motion of ${count(steps)} steps, the cache of decoded boxes makes all contacts ${cache[40].gain} times as fast (20 bytes: ${cache[20].gain}).`,
      table(['', 'first contact', 'all contacts'], lines),
      ...(long.length > 0
        ? [
            'Long lists of contacts in trees of 64 bytes a node. Each triangle of one fan meets each triangle of the other.',
            table(
              ['contacts', 'kernel', 'search in JavaScript', 'three-mesh-bvh'],
              long.map(([n, row]) => [
                count(Number(n)),
                ...['kernel', 'search', 'three-mesh-bvh'].map((way) => time(row[way])),
              ]),
            ),
          ]
        : []),
    ],
  };
}

/** @type {Writer} */
export function gi({ size, first, all }) {
  /** @param {string} question @param {Record<string, number>} times */
  const answers = (question, times) =>
    Object.keys(times)
      .filter((peer) => peer !== 'gicollide')
      .map((peer) => ({ question, way: `images of ${size}`, time: times.gicollide, peer, peerTime: times[peer] }));
  return {
    title: 'Geometry images beside trees',
    answers: [
      ...answers('two bunnies as images, first contact', first),
      ...answers('two bunnies as images, all contacts', all),
    ],
    text: [
      `Two bunnies as images of ${size} x ${size}. three-mesh-bvh runs on the ${count(2 * (size - 1) ** 2)} triangles of each image, and on the 3,674 triangles of the source. Each query is timed alone, with the others in between.`,
      table(
        ['', 'first contact', 'all contacts'],
        Object.keys(first).map((key) => [key, time(first[key]), time(all[key])]),
      ),
    ],
  };
}

/** @type {Writer} */
export function layout({ layouts }) {
  return {
    title: 'Geometry images: strips or tiles?',
    answers: [],
    text: [
      'Three pages of the bunny, in strips or in tiles: bytes compared with strips of 1 MiB, time to decode with sharp, and the kilobytes of 64 x 64 quads with their spheres.',
      ...Object.entries(/** @type {Record<string, Record<string, Record<string, number>>>} */ (layouts)).map(
        ([name, lines]) =>
          table(
            [name, 'bytes', 'decode', 'window'],
            Object.entries(lines).map(([key, x]) => [
              key,
              `${x['bytes, %']} %`,
              ofMs(x['sharp ms']),
              `${x['window KB']} KB`,
            ]),
          ),
      ),
    ],
  };
}
