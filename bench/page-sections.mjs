// What docs/speed.md says, task by task: each makes a section out of its newest row, or null where
// that row lacks what is asked for. Figures are the row's; no figure is typed here.
import { digits, mean } from './race.mjs';

/** @typedef {import('./rows.mjs').RowHead & Record<string, any>} Row */

/**
 * How long we take beside a peer, microseconds.
 *
 * @typedef {object} Answer
 * @property {string} question
 * @property {string} way ours
 * @property {number} time
 * @property {string} peer
 * @property {number} peerTime
 * @property {boolean} [isFloor] no peer: what nobody can be faster than
 */

/**
 * @typedef {object} Section
 * @property {string} title
 * @property {readonly Answer[]} answers
 * @property {readonly string[]} text paragraphs and tables
 * @property {string} [command] what makes the row anew, where it is not the task alone
 */

/** @typedef {(row: Row) => Section | null} Writer */

// Words.

/** @param {number} x */
const count = (x) => x.toLocaleString('en-US');

/**
 * Microseconds as text: two digits, three from a hundred on.
 *
 * @param {number | null | undefined} us
 */
export function time(us) {
  if (typeof us !== 'number') return '';
  const [value, unit] = us < 1000 ? [us, 'us'] : us < 1e6 ? [us / 1000, 'ms'] : [us / 1e6, 's'];
  return `${digits(value, value < 100 ? 2 : 3)} ${unit}`;
}

/** @param {number} ms */
const ofMs = (ms) => time(1000 * ms);

/** @param {number} x */
export const ratio = (x) => (x < 100 ? x.toPrecision(2) : String(digits(x)));

/** @param {readonly number[]} values */
const geometricMean = (values) => Math.exp(mean(values.map(Math.log)));

/**
 * A table in Markdown.
 *
 * @param {readonly string[]} head
 * @param {readonly (readonly (string | number)[])[]} rows
 */
export function table(head, rows) {
  const line = (/** @type {readonly (string | number)[]} */ cells) =>
    `| ${cells.join(' | ')} |`.replaceAll(/\| {2}(?=\|)/g, '| ');
  return [line(head), `|${head.map(() => '---|').join('')}`, ...rows.map(line)].join('\n');
}

// The sections.

const PEERS = /** @type {const} */ (['three-mesh-bvh', 'FCL, OBB']);

/** Contestants of `speed`, as its rows name them and as the page does. */
const CONTESTANTS = /** @type {const} */ ([
  ['obb, 64 bytes, prepared', '`prepare`, OBB 64'],
  ['obb, 64 bytes', '`check`, OBB 64'],
  ['obb, 40 bytes', '`check`, OBB 40'],
  ['k-DOPs', '`check`, k-DOP'],
  ['geometry images, prepared', '`prepare`, images'],
  ['geometry images', '`check`, images'],
]);

/**
 * @typedef {{ triangles: number[], rows: Record<string, Record<string, number | null>> }} SpeedPair
 */

/**
 * Of one measure, geometric means over the pairs that have both.
 *
 * @param {string} question
 * @param {string} measure
 * @param {readonly SpeedPair[]} pairs
 * @returns {Answer[]}
 */
function beside(question, measure, pairs) {
  return CONTESTANTS.flatMap(([name, way]) =>
    PEERS.flatMap((peer) => {
      const both = pairs.flatMap(({ rows }) => {
        const [own, theirs] = [rows[name]?.[measure], rows[peer]?.[measure]];
        return typeof own === 'number' && typeof theirs === 'number' ? [{ own, theirs }] : [];
      });
      if (both.length === 0) return [];
      const [own, peerTime] = [geometricMean(both.map((x) => x.own)), geometricMean(both.map((x) => x.theirs))];
      return [{ question, way, time: own, peer: peer.split(',')[0], peerTime }];
    }),
  );
}

/** @type {Writer} */
function speed(row) {
  const pairs = /** @type {Record<string, SpeedPair>} */ (row.pairs);
  const all = Object.values(pairs);
  const columns = [...CONTESTANTS, ...PEERS.map((peer) => /** @type {const} */ ([peer, peer.split(',')[0]]))];
  const lines = Object.entries(pairs).map(([name, { triangles, rows }]) => [
    `${name}, ${triangles.map(count).join(' x ')}`,
    ...columns.map(([key]) => {
      const { 'any median': first, 'all: any median': every } = rows[key] ?? {};
      if (typeof first !== 'number') return '';
      return typeof every === 'number' ? `${digits(first)} / ${digits(every)}` : String(digits(first));
    }),
  ]);
  const worst = CONTESTANTS.flatMap(([name, way]) => {
    const slower = Object.entries(pairs).flatMap(([pair, { rows }]) => {
      const times = Number(rows[name]?.['any median'] ?? Number.NaN) / Number(rows['FCL, OBB']?.['any median']);
      return times > 1 ? [{ pair, times }] : [];
    });
    const [most] = slower.toSorted((a, b) => b.times - a.times);
    return most
      ? [`${way} in ${slower.length} of ${all.length} pairs, ${ratio(most.times)} times as long in ${most.pair}`]
      : [];
  });
  return {
    title: 'Do two bodies touch, and where?',
    answers: [
      ...beside('first contact', 'any median', all),
      ...beside('first contact, another pose every time', 'in turn', all),
      ...beside('all contacts', 'all: any median', all),
    ],
    text: [
      'Microseconds a query, median over poses near contact, half of them 10^-3 clear and half as deep, first contact / all contacts, by one thread. A query is repeated here, so that it finds its nodes in the caches; "another pose every time" is what a simulation sees. Every contestant has the same triangles and poses in one run: three-mesh-bvh, the usual choice in JavaScript, and the OBB trees of FCL, in C++.',
      table(['pair, triangles', ...columns.map(([, label]) => label)], lines),
      worst.length > 0
        ? `Slower than FCL at the first contact: ${worst.join('; ')}.`
        : 'No pair is slower than FCL at the first contact.',
    ],
  };
}

/** @type {Writer} */
function poses({ poses: asked, formats }) {
  const names = Object.keys(formats);
  const ways = Object.keys(formats[names[0]].rates);
  /** @param {string} name @param {string} way */
  const us = (name, way) => 1e6 / formats[name].rates[way];
  const [alone] = ways;
  const text = ways.find((way) => way.includes('poses.txt'));
  return {
    title: 'How many poses a second?',
    answers: text
      ? [
          {
            question: 'a pose of many',
            way: alone,
            time: us(names[0], alone),
            peer: `\`${text}\``,
            peerTime: us(names[0], text),
          },
        ]
      : [],
    text: [
      `${count(asked)} poses of bunny and blob, half of them near contact. Poses a second by \`prepare\` in one thread, by \`checkPoses\`, and by the command line, which reads and writes a line each:`,
      table(
        ['', ...names],
        ways.map((way) => [way, ...names.map((name) => count(formats[name].rates[way]))]),
      ),
    ],
  };
}

/** @type {Writer} */
function startUp({ ms }) {
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
        ['run', 'time'],
        runs.map(([name, time]) => [name, ofMs(time)]),
      ),
    ],
  };
}

/** @type {Writer} */
function build({ assets, trees }) {
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
      return [{ question, way, time: 1000 * own, peer: peer.split(',')[0], peerTime: 1000 * theirs }];
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
function tiles({ rows, timed, http, poses }) {
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
function mixed({ later, fresh, mixtures, doors, distance }) {
  const kinds = Object.keys(later);
  const peer = 'three-mesh-bvh';
  return {
    title: 'How far apart are two bodies? What do mixed pairs cost?',
    answers: Object.keys(distance)
      .filter((name) => name !== peer)
      .map((name) => ({
        question: 'the least distance',
        way: name,
        time: distance[name],
        peer,
        peerTime: distance[peer],
      })),
    text: [
      'Bunny and blob, near contact; the distance a hundredth to two of their sizes apart. The common path answers mixed pairs of anything, and what a kind has no search of its own for.',
      table(
        ['first contact', 'own search', 'common path', 'own search, first query', 'common path, first query'],
        kinds.map((kind) => [
          `${kind} x ${kind}`,
          ...[later[kind].native, later[kind]['common path'], fresh[kind].native, fresh[kind].common].map(time),
        ]),
      ),
      table(
        ['mixtures by `check`', 'first contact'],
        Object.entries(mixtures).map(([name, us]) => [name, time(Number(us))]),
      ),
      // Rows of older versions have none.
      ...(doors ? [tableOfDoors(doors)] : []),
    ],
  };
}

/** @param {{ times: Record<string, Record<string, number>>, ratios: Record<string, Record<string, number>> }} doors */
function tableOfDoors({ times, ratios }) {
  const names = ['first', 'later', 'prepare', 'prepared', 'poses'];
  return table(
    ["mixtures by door, and times the slower one's own path", ...names],
    Object.entries(ratios).map(([name, of]) => [
      name,
      ...names.map((door) => `${time(times[name][door] * (/^(prepare|poses)$/.test(door) ? 1000 : 1))}, ${of[door]} x`),
    ]),
  );
}

/** @type {Writer} */
function distance({ gaps, pairs }) {
  const named = Object.entries(pairs);
  const peer = 'FCL, RSS';
  const ours = 'obb, 64 bytes, prepared';
  /** @param {Record<string, Record<string, number>>} us @param {string} row */
  const over = (us, row) => geometricMean(Object.values(us[row]).map(Number));
  if (named.some(([, { us }]) => Object.values(us[peer]).some((x) => x === null))) return null;
  return {
    title: 'How far apart are two bodies, asked many times?',
    answers: named.map(([name, { us }]) => ({
      question: `the least distance, ${name}`,
      way: ours,
      time: over(us, ours),
      peer,
      peerTime: over(us, peer),
    })),
    text: [
      `Gaps of ${gaps.join(', ')} of the larger body's size, ${named[0][1].poses} poses of each; medians. Above, geometric means over the gaps.`,
      ...named.map(([name, { us }]) =>
        table(
          [name, ...Object.keys(us[ours])],
          Object.entries(us).map(([row, times]) => [row, ...Object.values(times).map((x) => time(Number(x)))]),
        ),
      ),
    ],
  };
}

/** @type {Writer} */
function source({ size, first, told, bytes }) {
  return {
    title: 'What does it cost to speak of the sources?',
    answers: ['images with sources, --source', 'images, --source'].map((way) => ({
      question: '`--source`, first contact',
      way,
      time: first[way],
      peer: 'the plain check of the images',
      peerTime: first['images, plain'],
    })),
    text: [
      `Two bunnies as images of ${size} x ${size}. Without embedded sources, \`--source\` tells them apart from ${told} of both tolerances on. The file takes ${count(bytes.plain)} bytes, with its source ${count(bytes.withSource)}.`,
      table(
        ['first contact', 'time'],
        Object.entries(first).map(([name, us]) => [name, time(Number(us))]),
      ),
    ],
  };
}

/** @type {Writer} */
function cubes({ factor, sorted, meshes, cores }) {
  const [models, most] = /** @type {[string, Record<string, number>]} */ (Object.entries(factor).at(-1));
  const halls = Object.entries(/** @type {Record<string, Record<string, number>>} */ (sorted));
  // Rows of before the count of the work chose have none of these.
  const chosen = halls.filter(([, x]) => 'Q chosen' in x);
  const columns = [...(chosen.length > 0 ? ['Q chosen'] : []), 'Q = 1', 'Q = 2', 'Q = 4'];
  return {
    title: 'Which of thousands of models collide?',
    answers: [
      {
        question: `${models} models of cubes, all pairs`,
        way: 'bricks sorted by key',
        time: 1000 * most['sorted, ms'],
        peer: "the paper's two-tuples of cubes",
        peerTime: 1000 * most['all pairs, ms'],
      },
      ...chosen.map(([name, x]) => ({
        question: name,
        way: 'as many threads as pay',
        time: 1000 * x['Q chosen'],
        peer: 'one thread',
        peerTime: 1000 * x['Q = 1'],
      })),
      ...Object.values(/** @type {Record<string, Record<string, number>>} */ (meshes ?? {})).map((x) => ({
        question: `a mesh into ${count(x.cubes)} cubes`,
        way: 'the kernel',
        time: 1000 * x['kernel, ms'],
        peer: 'the same in TypeScript',
        peerTime: 1000 * x['twin, ms'],
      })),
    ],
    text: [
      `Sets of cubes by bricks with equal keys, on Q workers of ${cores} processors.`,
      table(
        ['models', 'bricks', 'colliding pairs', ...columns],
        halls.map(([name, x]) => [
          ...[name, count(x.bricks), x['colliding pairs']],
          ...columns.map((column) => ofMs(x[column])),
        ]),
      ),
    ],
  };
}

/** @type {Writer} */
function frep(row) {
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
function structure({ first, scenes, bytesOfNode, growth }) {
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
      `Both sides are JavaScript over the same spheres in whole numbers and test the same pairs; only the way to a child differs. A node takes ${bytesOfNode.index} bytes by index and about ${bytesOfNode.pointer} by pointers. The paper (Figure 10) finds indices up to 19 % faster with 2 to 256 moving bunnies, each pair tested:`,
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
function kdop({ pairs, bytes }) {
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
function obb({ pairs, bytes, cache, steps = 1000 }) {
  const own = ['obb, 40 bytes a node', 'obb, 20 bytes a node', 'obb, common path'];
  const lines = Object.entries(/** @type {Record<string, any>} */ (pairs)).flatMap(([name, { first, all }]) =>
    own.map((key) => [`${name}, ${key}`, time(first[key]), time(all[key])]),
  );
  return {
    title: 'Nodes of 40 or of 20 bytes?',
    answers: [],
    text: [
      `A triangle takes ${digits(bytes[40])} bytes of tree with nodes of 40 bytes, ${digits(bytes[20])} with 20, and ${digits(bytes['three-mesh-bvh'])} in three-mesh-bvh. In a slow motion of ${count(steps)} steps, the cache of decoded boxes makes all contacts ${cache[40].gain} times as fast (20 bytes: ${cache[20].gain}).`,
      table(['', 'first contact', 'all contacts'], lines),
    ],
  };
}

/** @type {Writer} */
function gi({ size, first, all }) {
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
function layout({ layouts }) {
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

/** @type {Writer} */
function budget({ rows }) {
  const named = Object.entries(rows);
  return {
    title: 'What does a budget cost that is enough?',
    answers: ['hit', 'miss'].map((part) => {
      const own = named.filter(([name]) => name.endsWith(part)).map(([, row]) => row);
      return {
        question: `\`check\` within a budget, a ${part}`,
        way: 'with --budget, kinds with a kernel',
        time: geometricMean(own.map((row) => row.budget)),
        peer: 'the plain check',
        peerTime: geometricMean(own.map((row) => row.plain)),
      };
    }),
    text: [
      'Microseconds a query of bunny and blob near contact. First the plain question is asked; where nothing is shared, the report has a bracket of the distance besides.',
      table(
        ['pair', 'plain `check`', 'with a budget', 'ratio', '`prepare`'],
        named.map(([name, row]) => [name, time(row.plain), time(row.budget), ratio(row.ratio), time(row.prepared)]),
      ),
    ],
  };
}

/** @type {Writer} */
function refit({ times, prices }) {
  const named = Object.entries(times);
  const peer = 'three-mesh-bvh';
  const ours = 'obb, 64 bytes, in place, prepared, and a verdict';
  const ways = Object.keys(named[0][1].updates);
  return {
    title: 'How long does an update take, and what does it cost in queries?',
    answers: named.map(([name, { triangles, updates }]) => ({
      question: `new positions for ${name}, ${count(triangles)} triangles`,
      way: ours,
      time: 1000 * updates[ours],
      peer,
      peerTime: 1000 * updates[peer],
    })),
    text: [
      'An update with as many vertices as before; builds in the second table. A contestant in place follows with a verdict of a prepared pair.',
      table(
        ['update', ...named.map(([name]) => name)],
        ways.map((way) => [way, ...named.map(([, { updates }]) => ofMs(updates[way]))]),
      ),
      table(
        ['build', ...named.map(([name]) => name)],
        Object.keys(named[0][1].builds).map((way) => [way, ...named.map(([, { builds }]) => ofMs(builds[way]))]),
      ),
      'A first contact of trees that were updated, as a multiple of what trees take that were built for the same vertices, hit / miss:',
      table(
        ['deformation', ...Object.keys(Object.values(prices)[0]).filter((name) => name.endsWith('refit'))],
        Object.entries(prices).map(([deformation, row]) => [
          deformation,
          ...Object.entries(row)
            .filter(([name]) => name.endsWith('refit'))
            .map(([, x]) => `${x['hit x']} / ${x['miss x']}`),
        ]),
      ),
    ],
  };
}

/** @type {Writer} */
function scene({ frames, density, moving, broad, program }) {
  const counts = Object.entries(moving);
  const [most, last] = counts[counts.length - 1];
  const boxes = Object.entries(broad);
  const FCL = "FCL's dynamic AABB tree";
  return {
    title: 'How long does a frame of many moving objects take, and a scene?',
    answers: [
      {
        question: `a frame of ${most} moving bunnies, OBB trees`,
        way: '`Scene.step`',
        time: last['us a frame'],
        peer: FCL,
        peerTime: last['FCL, us a frame'],
      },
      ...boxes.slice(-1).map(([n, row]) => ({
        question: `which of ${count(Number(n))} boxes overlap`,
        way: 'a tree of boxes',
        time: 1000 * row.ms,
        peer: FCL,
        peerTime: 1000 * row['FCL, ms'],
      })),
    ],
    text: [
      `Bunnies that fly about and turn, in a cube of which their boxes fill ${100 * density} %: the seed's Figures 8 and 9. A frame places all of them and ends when it is known which pairs touch; both find as many in each of ${count(frames)} frames. Times of a frame are medians, those of a collision are of all frames over all pairs that touched in one.`,
      table(
        [
          'bunnies',
          'touching',
          'a frame',
          'all frames',
          'a collision',
          'all pairs by `prepare`, a frame',
          'FCL, a frame',
          'FCL, a collision',
          'ratio to FCL',
        ],
        counts.map(([n, row]) => [
          ...[
            n,
            row['touching a frame'],
            time(row['us a frame']),
            ofMs(row['all frames, ms']),
            time(row['us a collision']),
          ],
          ...[time(row['all pairs, us a frame']), time(row['FCL, us a frame']), time(row['FCL, us a collision'])],
          row['ratio to FCL'],
        ]),
      ),
      'Boxes alone, strewn over space, each overlapping about two: what is found once, as a scene that stands still takes it; and the time over n log n + k, n boxes and k pairs.',
      table(
        ['boxes', 'pairs', 'time', 'of each of n log n + k', 'FCL', 'ratio to FCL'],
        boxes.map(([n, row]) => [
          ...[count(Number(n)), count(row.pairs), ofMs(row.ms), `${row['ns of n log n + k']} ns`],
          ...[ofMs(row['FCL, ms']), row['ratio to FCL']],
        ]),
      ),
      '`gicollide scene` from its start to its end: files are read, trees built, and every pair is told exactly.',
      table(
        ['scene', 'objects', 'pairs', 'asked exactly', 'in contact', 'time'],
        Object.entries(program).map(([name, row]) => [
          ...[name, count(row.objects), count(row.pairs), count(row.checked), count(row.contact)],
          time(1e6 * row.seconds),
        ]),
      ),
    ],
  };
}

/** By task, in the order of the page. @type {Record<string, Writer>} */
export const SECTIONS = {
  speed,
  poses,
  scene,
  'start-up': startUp,
  build,
  tiles,
  budget,
  mixed,
  distance,
  refit,
  gi,
  source,
  cubes,
  frep,
  structure,
  kdop,
  obb,
  layout,
};
