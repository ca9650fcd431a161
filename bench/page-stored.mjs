// What docs/speed.md says of what is stored: how it is built and read, and what its searches are
// chosen by.
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
      'A new process each, from its start to its end.',
      table(
        ['run', 'time', 'of processors'],
        runs.map(([name, time]) => [name, ofMs(time), processorMs[name] ? ofMs(processorMs[name]) : '']),
      ),
    ],
  };
}

/**
 * Why making takes longer than the peers take, by the first word of what is made.
 *
 * @type {Record<string, string>}
 */
const WHY_MADE = {
  geometry:
    'A geometry image is a new parameterization of the surface, with a proved deviation. The peers make trees over the triangles that are there.',
  OBB: 'Each box of an OBB tree is turned to fit its triangles, and a file holds proved boxes. Boxes of three-mesh-bvh lie along the axes. FCL, which turns its boxes as well, takes longer.',
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
    title: 'How long does an asset take to make?',
    answers: [
      ...ways.flatMap((way) => besidePeers(`making one of ${count(fine.triangles)} triangles`, fine, way)),
      ...besidePeers(`a tree of an image's ${count(image.triangles ?? 0)} triangles`, image, 'spheres and slabs'),
    ],
    text: [
      'One asset of a mesh, on one thread. FCL is timed in its own process.',
      tableOf(assets),
      'The trees alone over the triangles of an image. The seed paper says that OBB trees need much more preprocessing than the spheres of an image that is there.',
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
          peer === 'three' ? "three's loader leaves every triangle its own corners. Ours joins equal ones." : '';
        return [
          { question, way, time: (1e6 * size) / own, peer, peerTime: (1e6 * size) / theirs, ...(why && { why }) },
        ];
      }),
    ),
    text: [
      `A mesh of ${count(triangles)} triangles in each format, from bytes in memory to a mesh, in megabytes a second. Ours are doubles, and equal corners of an STL become one vertex. three's are floats, and of an STL and an OBJ every triangle has corners of its own; "joined" is with its mergeVertices behind.`,
      table(
        ['format', 'MB', 'gicollide', ...peers],
        formats.map(([name, row]) => [name, ...['MB', 'gicollide', ...peers].map((key) => row[key] ?? '')]),
      ),
      ...(bySize.length > 0
        ? [
            'By the size of the file, in processor time; of a GLB, positions and indices alone. Vertices of a GLB at one point become one; three does not join them.',
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
    title: 'What does it take to check two large images from files?',
    answers: [
      {
        question: `two images of ${largest.size} from files, ${largest.megabytes} MB`,
        way: 'by the tiles that it enters',
        time: 1000 * largest.process.wall,
        peer: 'the whole images',
        peerTime: 1000 * largest.process.wallWhole,
      },
      ...coarser.map(([name, option]) => ({
        question: `two images of ${largest.size} from files, opened anew`,
        way: option,
        time: 1000 * largest.coarser[name].ms,
        peer: 'the full check by tiles',
        peerTime: 1000 * largest.library.ms,
      })),
    ],
    text: [
      'A process of the command line from start to end, by tiles and whole; then the library, warm, both files opened anew for every pose, and what it reads of both.',
      table(
        ['samples a side', 'files', 'process, tiles', 'process, whole', 'library, tiles', 'read', 'tiles'],
        listed.map(({ size, megabytes, process, library }) => [
          ...[size, `${megabytes} MB`, ofMs(process.wall), ofMs(process.wallWhole)],
          ...[ofMs(library.ms), `${library.kilobytes} kB`, library.tiles],
        ]),
      ),
      `Other answers to the same ${poses.library} poses, by the library: time, what is read, and how many were decided.`,
      table(
        ['samples a side', 'full check', ...coarser.map(([, option]) => option)],
        listed.map((row) => [
          row.size,
          ...[row.library, ...coarser.map(([name]) => row.coarser[name])].map(
            (/** @type {any} */ { ms, kilobytes, decided }) => `${ofMs(ms)}, ${kilobytes} kB, ${decided}`,
          ),
        ]),
      ),
      `The seed paper's Figure 13, a frame's 15 ms for a check of one image of ${largest.size} against others: the time with opening both files, and how many of ${poses.library} poses were decided.`,
      table(
        ['samples a side of the other', 'median', 'slowest', 'decided'],
        inTime.map(({ size, ms, slowest, decided }) => [size, ofMs(ms), ofMs(slowest), decided]),
      ),
      `Over HTTP, by ranges, both of ${largest.size} and opened anew for each of a third of the poses: what both take of ${largest.megabytes} MB, and in how many requests.`,
      table(
        ['asked', 'read', 'requests', 'decided'],
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
    'ours',
    'ours without mixes',
    "the seed's slices, 2^6 cells",
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
    title: 'Do two solids of functions touch?',
    answers: ['slices, 6', 'slices, 10', 'random, 1000'].map((way) => ({
      question: `${balls[0]}, 10^-3 clear or deep`,
      way: 'octants, mixes',
      time: balls[1]['octants, mixes'].time,
      peer: labels[ways.indexOf(way)],
      peerTime: balls[1][way].time,
    })),
    text: [
      'Two F-reps 10^-3 clear or deep, median over the poses; empty where it would take too long. The seed paper halves slices of x and y before z; the random search starts from Sobol points and proves nothing.',
      table(
        ['pair', ...labels],
        pairs.map(([name, line]) => [name, ...ways.map((way) => time(line[way]?.time))]),
      ),
      `Cells visited until two balls are proved clear: ${gapsOf('octants, mixes')} with mixes, ${gapsOf('octants')} without, ${gapsOf('slices')} by slices. A random search of 1,000 points misses ${missedOf('1e-4')} of the contacts of two balls that are 10^-4 deep, and ${missedOf('1e-6')} at 10^-6. The paper's constant time does not hold: over positions the time deviates by ${spreads.join(' (slices) and ')} (octants) of its mean. It follows the cells visited:`,
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
    title: "Do the seed paper's claims about sphere trees hold?",
    answers: [
      {
        question: 'spheres alone, two bunnies near contact',
        way: 'by index arithmetic',
        time: first[index],
        peer: 'by pointers',
        peerTime: first[pointer],
      },
    ],
    text: [
      `Both sides are JavaScript over the same spheres in whole numbers and test the same pairs; only the way to a child differs. A node takes ${bytesOfNode.index} bytes by index and about ${bytesOfNode.pointer} by pointers. The paper (Figure 10) finds indices up to 19 % faster with 2 to 256 moving bunnies, each pair tested${size ? `. Ours are images of ${size} samples a side with its spheres, and the least of all rounds` : ''}:`,
      table(
        ['bunnies', 'pairs', 'us a pair, index', 'us a pair, pointers', 'index / pointers'],
        Object.entries(/** @type {Record<string, Record<string, number>>} */ (scenes)).map(([bodies, x]) => [
          ...[bodies, count(x.pairs), x.index, x.pointer, x.ratio],
        ]),
      ),
      'Tests of a query near contact, medians, as images grow: by spheres alone, and with the slabs that images have beside them.',
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
    title: 'Which k, how many bits, how many axes?',
    answers: [],
    text: [
      `${name}, near contact.`,
      table(
        ['', 'first contact', 'all contacts'],
        own.map((key) => [key, time(first[key]), time(all[key])]),
      ),
      "The seed's figures in software, in doubles: all contacts by bits of a coefficient, by test axes, and by k.",
      measured('bits', byBits),
      measured('axes', byAxes),
      measured('k', byK),
      'Bytes of tree a triangle, by k and bits; `doubles` is what they replace.',
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
    title: 'Nodes of 40 or of 20 bytes?',
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
            'Long lists of contacts, of two fans each of whose triangles meets each of the other, in trees of 64 bytes a node:',
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
    title: 'An image beside a tree of its source',
    answers: [
      ...answers('two bunnies as images, first contact', first),
      ...answers('two bunnies as images, all contacts', all),
    ],
    text: [
      `Two bunnies as images of ${size} x ${size}; three-mesh-bvh runs on the ${count(2 * (size - 1) ** 2)} triangles that each stores, and on the source's 3,674. Each query is timed by itself, with the others in between.`,
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
    title: 'Strips or tiles?',
    answers: [],
    text: [
      'Three pages of the bunny, cut in strips or in tiles: bytes against strips of 1 MiB, time to decode with sharp, and the kilobytes that hold 64 x 64 quads and their spheres.',
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
