// Sections of docs/speed.md on queries.
import { count, geometricMean, ofMs, ratio, table, time } from './page-text.mjs';
import { digits } from './race.mjs';

/** @typedef {import('./page-text.mjs').Writer} Writer */
/** @typedef {import('./page-text.mjs').Answer} Answer */

const PEERS = /** @type {const} */ (['three-mesh-bvh', 'FCL, OBB']);

/** Contestants of `speed`: names in rows, and on the page. */
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
 * Answers for one measure: geometric means over the pairs that have both times.
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
export function speed(row) {
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
      ? [`${way} in ${slower.length} of ${all.length} pairs, with ${ratio(most.times)} times as long in ${most.pair}`]
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
      'Microseconds a query on one thread, first contact / all contacts. Medians over poses near contact: half of them 10^-3 apart, half 10^-3 deep. Each query is repeated, so its nodes are in the caches. A simulation sees "another pose every time". In one run all contestants have the same triangles and poses. The peers are three-mesh-bvh, and the OBB trees of FCL in C++.',
      table(['pair, triangles', ...columns.map(([, label]) => label)], lines),
      worst.length > 0
        ? `Slower than FCL for the first contact: ${worst.join('; ')}.`
        : 'No pair is slower than FCL for the first contact.',
    ],
  };
}

/** @type {Writer} */
export function poses({ poses: asked, formats, far = {} }) {
  const names = Object.keys(formats);
  const ways = Object.keys(formats[names[0]].rates);
  /** @param {string} name @param {string} way */
  const us = (name, way) => 1e6 / formats[name].rates[way];
  const [alone] = ways;
  const text = ways.find((way) => way.includes('poses.txt'));
  const costs = Object.entries(/** @type {Record<string, Record<string, number>>} */ (far));
  const hows = [...new Set(costs.flatMap(([, row]) => Object.keys(row)))];
  const ofPeers = costs.filter(([name]) => !('check' in far[name]));
  return {
    title: 'How many poses a second?',
    answers: [
      ...(text
        ? [
            {
              question: 'a pose of many',
              way: alone,
              time: us(names[0], alone),
              peer: `\`${text}\``,
              peerTime: us(names[0], text),
              isOwn: true,
            },
          ]
        : []),
      ...ofPeers.map(([peer, row]) => ({
        question: 'a pose of bodies far apart',
        ...{ way: `${names[0]}, prepared`, time: far[names[0]].contact / 1000, peer, peerTime: row.contact / 1000 },
      })),
    ],
    text: [
      `${count(asked)} poses of bunny and blob, half of them near contact. The table has poses a second: by \`prepare\` on one thread, by \`checkPoses\`, and by the command line, which reads and writes a line for each pose.`,
      table(
        ['', ...names],
        ways.map((way) => [way, ...names.map((name) => count(formats[name].rates[way]))]),
      ),
      ...(costs.length > 0
        ? [
            'Bodies far apart, which shows the time of a query besides its search. Nanoseconds a pose, with a new pose in each call:',
            table(
              ['', ...hows],
              costs.map(([name, row]) => [name, ...hows.map((how) => row[how] ?? '')]),
            ),
          ]
        : []),
    ],
  };
}

/** @type {Writer} */
export function mixed({ later, fresh, mixtures, doors, distance }) {
  const kinds = Object.keys(later);
  const peer = 'three-mesh-bvh';
  return {
    title: 'Distances, and pairs of different kinds',
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
      'Bunny and blob near contact; distances of a hundredth to two sizes. The common path answers pairs of different kinds, and queries for which a kind has no search of its own.',
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
      // Older rows have none.
      ...(doors ? [tableOfDoors(doors)] : []),
    ],
  };
}

/** @param {{ times: Record<string, Record<string, number>>, ratios: Record<string, Record<string, number>> }} doors */
function tableOfDoors({ times, ratios }) {
  const names = ['first', 'later', 'prepare', 'prepared', 'poses'];
  return table(
    ['mixture, and its time in times of the slower kind alone', ...names],
    Object.entries(ratios).map(([name, of]) => [
      name,
      ...names.map((door) => `${time(times[name][door] * (/^(prepare|poses)$/.test(door) ? 1000 : 1))}, ${of[door]} x`),
    ]),
  );
}

/**
 * @typedef {Record<'motions' | 'hits' | 'times' | 'wrong' | 'undecided' | 'FCL times' | 'FCL wrong', number>
 *   & Record<string, number>} MotionRow
 */

/** @type {Writer} */
export function motion({ pairs, resolution }) {
  const rows = Object.entries(
    /** @type {Record<string, { triangles: number[], rows: Record<string, MotionRow> }>} */ (pairs),
  ).flatMap(([name, { triangles, rows: ways }]) =>
    Object.entries(ways).map(([between, row]) => ({ name, triangles: triangles.map(count).join(' x '), between, row })),
  );
  if (rows.some(({ row }) => typeof row['FCL us'] !== 'number')) return null;
  const total = (/** @type {string} */ key) => rows.reduce((sum, { row }) => sum + row[key], 0);
  const columns = ['us, hit', 'us, miss', 'us, longest', 'FCL us, hit', 'FCL us, miss', 'FCL us, longest'];
  return {
    title: 'When does a moving body touch another?',
    answers: rows.map(({ name, between, row }) => ({
      question: `the first impact, ${name}, ${between}`,
      way: '`impact`, OBB 64',
      time: row.us,
      peer: 'FCL, RSS',
      peerTime: row['FCL us'],
    })),
    text: [
      `The time of first contact, to a resolution of ${resolution} of the motion. One body moves through the other, beside it or far from it, and turns by up to 120 degrees, straight or along a screw. The first table has medians and the longest times, and how often each program evaluates the poses. The second table has geometric means.`,
      table(
        ['pair, triangles', 'motions', 'hits', ...columns, 'evaluations', 'evaluations of FCL'],
        rows.map(({ name, triangles, between, row }) => [
          `${name}, ${triangles}`,
          `${row.motions} ${between}`,
          row.hits,
          ...columns.map((key) => time(row[key])),
          row.times,
          row['FCL times'],
        ]),
      ),
      `\`check\` at 2,048 times of each of the ${total('motions')} motions shows how many answers are wrong. gicollide: ${total('wrong')} wrong, ${total('undecided')} undecided. FCL's conservative advancement: ${total('FCL wrong')} wrong, by a direct call of its traversal, which keeps the trees. FCL's \`continuousCollide\`, which rebuilds the trees in each step: ${total('FCL, continuousCollide, wrong')} wrong.`,
    ],
  };
}

/** @type {Writer} */
export function distance({ gaps, pairs }) {
  const named = Object.entries(pairs);
  const peer = 'FCL, RSS';
  const ours = 'obb, 64 bytes, prepared';
  /** @param {Record<string, Record<string, number>>} us @param {string} row */
  const over = (us, row) => geometricMean(Object.values(us[row]).map(Number));
  if (named.some(([, { us }]) => Object.values(us[peer]).some((x) => x === null))) return null;
  return {
    title: 'Many distances of one pair',
    answers: named.map(([name, { us }]) => ({
      question: `the least distance, ${name}`,
      way: ours,
      time: over(us, ours),
      peer,
      peerTime: over(us, peer),
    })),
    text: [
      `Gaps of ${gaps.join(', ')} of the larger body's size, with ${named[0][1].poses} poses each. The tables have medians; the last one has geometric means over the columns.`,
      ...named.flatMap(([name, { worstPose }]) =>
        worstPose ? [`${name}: ${ratio(worstPose.ratio)} times as long as FCL in the worst pose.`] : [],
      ),
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
export function source({ size, first, told, bytes }) {
  return {
    title: 'What does `--source` cost?',
    answers: ['images with sources, --source', 'images, --source'].map((way) => ({
      question: '`--source`, first contact',
      way,
      time: first[way],
      peer: 'the plain check of the images',
      peerTime: first['images, plain'],
      isOwn: true,
    })),
    text: [
      `Two bunnies as images of ${size} x ${size}. \`--source\` answers for the source meshes, within the proved deviation; the plain check of the images answers less. Without embedded sources, \`--source\` proves \`clear\` from a gap of ${told} times both tolerances on. The file has ${count(bytes.plain)} bytes, or ${count(bytes.withSource)} with its source.`,
      table(
        ['first contact', 'time'],
        Object.entries(first).map(([name, us]) => [name, time(Number(us))]),
      ),
    ],
  };
}

/** @type {Writer} */
export function cubes({ factor, sorted, meshes, cores }) {
  const [models, most] = /** @type {[string, Record<string, number>]} */ (Object.entries(factor).at(-1));
  const halls = Object.entries(/** @type {Record<string, Record<string, number>>} */ (sorted));
  // Older rows have no chosen number of threads.
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
        isOwn: true,
      },
      ...chosen.map(([name, x]) => ({
        question: name,
        way: 'the chosen number of threads',
        time: 1000 * x['Q chosen'],
        peer: 'one thread',
        peerTime: 1000 * x['Q = 1'],
        isOwn: true,
      })),
      ...Object.values(/** @type {Record<string, Record<string, number>>} */ (meshes ?? {})).map((x) => ({
        question: `cutting a mesh into ${count(x.cubes)} cubes`,
        way: 'the kernel',
        time: 1000 * x['kernel, ms'],
        peer: 'the same in TypeScript',
        peerTime: 1000 * x['twin, ms'],
        isOwn: true,
      })),
    ],
    text: [
      `Sets of cubes, compared by bricks with equal keys, on Q threads of ${cores} processors.`,
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
export function budget({ rows }) {
  const named = Object.entries(rows);
  return {
    title: 'What does `--budget` cost if it is large enough?',
    answers: ['hit', 'miss'].map((part) => {
      const own = named.filter(([name]) => name.endsWith(part)).map(([, row]) => row);
      return {
        question: `\`check\` within a budget, a ${part}`,
        way: 'with --budget, kinds with a kernel',
        time: geometricMean(own.map((row) => row.budget)),
        peer: 'the plain check',
        peerTime: geometricMean(own.map((row) => row.plain)),
        isOwn: true,
      };
    }),
    text: [
      'Time of a query of bunny and blob near contact. The plain question is asked first. If the two are clear, the report also has a bracket of the distance.',
      table(
        ['pair', 'plain `check`', 'with a budget', 'ratio', '`prepare`'],
        named.map(([name, row]) => [name, time(row.plain), time(row.budget), ratio(row.ratio), time(row.prepared)]),
      ),
    ],
  };
}

/** @type {Writer} */
export function refit({ times, prices }) {
  const named = Object.entries(times);
  const peer = 'three-mesh-bvh';
  const ours = 'obb, 64 bytes, in place, prepared, and a verdict';
  const ways = Object.keys(named[0][1].updates);
  return {
    title: 'How long does an update for moved vertices take?',
    answers: named.map(([name, { triangles, updates }]) => ({
      question: `new positions for ${name}, ${count(triangles)} triangles`,
      way: ours,
      time: 1000 * updates[ours],
      peer,
      peerTime: 1000 * updates[peer],
    })),
    text: [
      'The number of vertices stays the same. The second table has full builds. A contestant "in place" also answers a verdict of a prepared pair.',
      table(
        ['update', ...named.map(([name]) => name)],
        ways.map((way) => [way, ...named.map(([, { updates }]) => ofMs(updates[way]))]),
      ),
      table(
        ['build', ...named.map(([name]) => name)],
        Object.keys(named[0][1].builds).map((way) => [way, ...named.map(([, { builds }]) => ofMs(builds[way]))]),
      ),
      'Time of a first contact of updated trees, as a multiple of that of newly built trees, hit / miss:',
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
export function deform({ pairs, price }) {
  const named = Object.entries(pairs);
  const ways = Object.keys(named[0][1].rows);
  return {
    title: 'How long does a continuous check of deforming meshes take?',
    answers: [],
    text: [
      'Time to fit both trees of swept boxes to a step, and to prove the pair clear from one frame to the next or find its first contact:',
      table(
        ['pair', ...named.map(([name]) => name)],
        ways.map((way) => [way, ...named.map(([, { rows }]) => ofMs(rows[way].ms))]),
      ),
      `A tree that was fitted to a twist, beside one that was built there in ${ofMs(price.build)}. The pair almost touches:`,
      table(
        ['twist', 'growth of box areas', 'descent, fitted', 'descent, newly built', 'frames until a build is worth it'],
        Object.entries(price.rows).map(([name, row]) => [
          name,
          `${row.growth}`,
          ofMs(row['descent, fitted, ms']),
          ofMs(row['descent, made anew, ms']),
          count(row['frames that pay for a build']),
        ]),
      ),
    ],
  };
}

/** @type {Writer} */
export function scene({ frames, density, moving, few, broad, program, first }) {
  const counts = Object.entries(moving);
  const boxes = Object.entries(broad);
  const programs = Object.entries(program);
  const bodies = Object.entries(few);
  const FCL = "FCL's dynamic AABB tree";
  /** @param {number | undefined} s */
  const ofSeconds = (s) => (s === undefined ? '' : time(1e6 * s));
  return {
    title: 'How long does a scene take, and a frame of moving objects?',
    answers: [
      ...counts.map(([n, row]) => ({
        question: `a frame of ${n} moving bunnies, OBB trees`,
        way: '`Scene.step`',
        time: row['us a frame'],
        peer: FCL,
        peerTime: row['FCL, us a frame'],
      })),
      ...bodies.map(([name, row]) => ({
        question: `a frame of ${name}`,
        ...{ way: '`Scene.step`', time: row['us a frame'], peer: FCL, peerTime: row['FCL, us a frame'] },
      })),
      ...programs
        .filter(([, row]) => row['FCL, s'] !== undefined)
        .map(([name, row]) => ({
          question: `a scene from its files: ${name}`,
          way: '`gicollide scene --solid off`',
          time: 1e6 * row.off,
          peer: 'FCL in C++ on the same files',
          peerTime: 1e6 * row['FCL, s'],
          why: 'Starting Node takes 0.05 s. JavaScript compares all pairs of boxes, and applies rules and reports.',
        })),
      ...boxes.slice(-1).map(([n, row]) => ({
        question: `which of ${count(Number(n))} boxes overlap`,
        way: 'a tree of boxes',
        time: 1000 * row.ms,
        peer: FCL,
        peerTime: 1000 * row['FCL, ms'],
      })),
    ],
    text: [
      `Bunnies that fly and turn in a cube, as in Figures 8 and 9 of the GI-COLLIDE paper. Their boxes fill ${100 * density} % of it. A frame starts with placing all of them and ends with the list of touching pairs. Both programs find the same number in each of ${count(frames)} frames. Times of a frame are medians. The time of a collision is that of all frames over the number of all touching pairs.`,
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
      'Rows of bodies: apart, or in touching pairs. In each frame all of them move a little, or one does.',
      table(
        ['bunnies', 'a frame', 'FCL, a frame', 'ratio to FCL'],
        bodies.map(([name, row]) => [
          ...[name, time(row['us a frame']), time(row['FCL, us a frame'])],
          row['ratio to FCL'],
        ]),
      ),
      'Random boxes alone, each overlapping about two others. The time is that of finding all pairs once, as for a scene without motion. It is also given over n log n + k, for n boxes and k pairs.',
      table(
        ['boxes', 'pairs', 'time', 'time / (n log n + k)', 'FCL', 'ratio to FCL'],
        boxes.map(([n, row]) => [
          ...[count(Number(n)), count(row.pairs), ofMs(row.ms), `${row['ns of n log n + k']} ns`],
          ...[ofMs(row['FCL, ms']), row['ratio to FCL']],
        ]),
      ),
      '`gicollide scene` from start to end on one thread: it reads the files, builds trees and decides every pair exactly, with classes of solids and depths, and without (`--solid off`). FCL reads the same OBJ files and finds the touching pairs. Wall-clock time, and processor time.',
      table(
        [
          ...['scene', 'objects', 'pairs', 'checked exactly', 'overlap', 'touch', 'with classes', 'processor'],
          ...['two threads / one', 'without classes', 'processor', 'FCL, processor', 'ratio to FCL'],
        ],
        programs.map(([name, row]) => [
          ...[name, count(row.objects), count(row.pairs), count(row.checked), count(row.overlap), count(row.touch)],
          ...[ofSeconds(row['classes, s']), ofSeconds(row['classes, processor']), row['two threads / one']],
          ...[ofSeconds(row['no classes, s']), ofSeconds(row.off), ofSeconds(row['FCL, s'])],
          row['ratio to FCL'] ?? '',
        ]),
      ),
      'The first frame of bunnies in a new process, from the scene to the end of the frame. It includes compilation, which later frames do not need.',
      table(
        ['bunnies', 'the first frame', 'touching'],
        Object.entries(first).map(([n, row]) => [count(Number(n)), ofMs(row['first frame, ms']), row.contacts]),
      ),
    ],
  };
}

/** @type {Writer} */
export function lint({ meshes, whole = {} }) {
  const named = Object.entries(meshes);
  const [, last] = named[named.length - 1];
  const ways = Object.keys(last.ms);
  const peer = ways[ways.length - 1];
  const tree = ways[ways.length - 2];
  const PROCESS = 'without self-contacts';
  const programs = Object.entries(/** @type {Record<string, Record<string, number>>} */ (whole)).filter(
    ([, row]) => row.admesh,
  );
  return {
    title: 'How long does lint take?',
    answers: [
      ...named.map(([name, { triangles, ms }]) => ({
        question: `self-intersections of ${name}, ${count(triangles)} triangles`,
        way: '`selfContacts`',
        time: 1000 * ms['self-contacts'],
        peer,
        peerTime: 1000 * ms[peer],
      })),
      ...named.slice(-1).map(([name, { triangles, ms }]) => ({
        question: `all faults of ${name}, ${count(triangles)} triangles`,
        way: '`lint`, all rules',
        time: 1000 * ms.lint,
        peer: `building ${tree}`,
        peerTime: 1000 * ms[tree],
        isOwn: true,
      })),
      ...programs.map(([name, row]) => ({
        question: `faults of ${name} as an STL file, without self-intersections`,
        ...{ way: '`gicollide lint`', time: 1000 * row[PROCESS], peer: 'admesh', peerTime: 1000 * row.admesh },
        why: 'Starting Node takes longer than admesh takes for a small file.',
      })),
    ],
    text: [
      'From meshes in memory to findings. gicollide decides all pairs of triangles exactly, also those with a common vertex or edge. The peer tests only the others, within rounding; its time includes its tree.',
      table(
        ['', ...named.map(([name, { triangles }]) => `${name}, ${count(triangles)} triangles`)],
        [
          ...ways.map((way) => [way, ...named.map(([, { ms }]) => ofMs(ms[way]))]),
          ['lint, per triangle', ...named.map(([, row]) => time(row['us a triangle']))],
        ],
      ),
      ...(programs.length > 0
        ? [
            'Whole processes on STL files: processor time, minimum of some rounds. admesh does not look for self-intersections.',
            table(
              ['', ...programs.map(([name]) => name)],
              Object.keys(programs[0][1]).map((way) => [way, ...programs.map(([, row]) => ofMs(row[way]))]),
            ),
          ]
        : []),
    ],
  };
}
