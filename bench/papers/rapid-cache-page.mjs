// Section of docs/experiments.md on the cache of decoded boxes, "realtime compression" in P.
// Terdiman's "RAPID Hack".
import { chart } from '../chart.mjs';
import { count, table, time } from '../page-text.mjs';
import { colorOf } from '../svg.mjs';

/** @typedef {import('../page-text.mjs').Row} Row */
/** @typedef {import('./index.mjs').Finding} Finding */

const SMALL = 0.05;
/** Smallest gain that counts. */
const GAIN = 1.05;
/** Gain from which an option would be worth it. */
const WORTH = 1.3;

const percent = (/** @type {number} */ x) => `${(100 * x).toFixed(1)} %`;
const size = (/** @type {number | null} */ slots) => (slots === null ? 'all' : count(slots));
const last = (/** @type {readonly any[]} */ values) => values[values.length - 1];
const fastest = (/** @type {readonly any[]} */ rows) => rows.reduce((p, q) => (q.us < p.us ? q : p));
const ofSize = (/** @type {readonly any[]} */ rows, /** @type {number} */ slots) =>
  rows.find((row) => row.slots === slots);

/** @param {Row} row @returns {Finding} */
function subset({ layouts }) {
  const shares = Object.values(layouts).map(({ nodes, rows }) => last(rows).decoded / nodes);
  return {
    claim: '"Only a little subset is actually needed to resolve collision queries at runtime" (Realtime compression)',
    verdict: Math.max(...shares) < SMALL ? 'confirmed' : 'refuted',
    why: Object.entries(layouts)
      .map(
        ([name, { nodes, rows }]) =>
          `${name}: a search meets ${count(Math.round(last(rows).decoded))} of ${count(nodes)} nodes (${percent(last(rows).decoded / nodes)}), ${count(Math.round(last(rows).asked))} times in all`,
      )
      .join('; ')
      .concat('.'),
  };
}

/** @param {Row} row @returns {Finding} */
function efficient({ layouts }) {
  const gains = Object.entries(layouts).map(([name, { rows }]) => {
    const best = fastest(rows);
    return { name, first: rows[0], best, enough: rows.find((/** @type {any} */ { hits }) => hits >= 0.9) };
  });
  const least = Math.min(...gains.map(({ first, best }) => first.us / best.us));
  return {
    claim:
      '"Used in a standard rigid-body simulator, this method should be efficient, because we often need to make multiple collision queries in search of the exact collision time" (Realtime compression; tried in OPCODE since, by the update of August 2002)',
    verdict: least > GAIN ? 'confirmed' : 'refuted',
    why: gains
      .map(
        ({ name, first, best, enough }) =>
          `${name}: ${size(enough?.slots)} boxes answer ${percent(enough?.hits)} of the requests, and a search takes ${time(first.us)} with ${size(first.slots)} and ${time(best.us)} with ${size(best.slots)} (${(first.us / best.us).toFixed(2)} times as fast)`,
      )
      .join('; ')
      .concat('.'),
  };
}

/** @param {Row} row @returns {Finding} */
function coherence({ layouts }) {
  const pairs = Object.values(layouts).map(({ rows }) => {
    const { hits, emptiedHits } = last(rows);
    return { kept: (1 - hits) * 100, emptied: (1 - emptiedHits) * 100 };
  });
  const gain = Math.min(...pairs.map(({ kept, emptied }) => emptied / kept));
  return {
    claim:
      '"If we use temporal coherence, we can decompress a given branch the first time it\'s needed, then keep it in a local cache" (Realtime compression)',
    verdict: gain > 2 ? 'confirmed' : 'partly',
    why: `If the cache is kept between steps, ${pairs.map(({ kept }) => kept.toFixed(1)).join(', ')} % of the boxes must be decoded. If it is emptied before each step, ${pairs.map(({ emptied }) => emptied.toFixed(1)).join(', ')} %.`,
  };
}

/** @param {Row} row */
function option({ layouts, product }) {
  const gains = Object.entries(layouts).map(([name, { rows }]) => {
    const [own, best] = [ofSize(rows, product), fastest(rows)];
    return { name, best, gain: own.us / best.us };
  });
  const most = Math.max(...gains.map(({ gain }) => gain));
  const each = gains.map(({ name, best, gain }) => `${name} ${gain.toFixed(2)} times with ${size(best.slots)} boxes`);
  return `The product's cache has ${count(product)} boxes. Another size would gain at most: ${each.join(', ')}. ${most < WORTH ? `That is less than ${WORTH}, so there is no option for it.` : `An option would be worth it.`}`;
}

/** @param {Row} row @param {string} bytes */
function cacheTable({ layouts }, bytes) {
  const { rows } = layouts[bytes];
  return table(
    ['boxes', 'asked for in a search', 'decoded', 'in the cache', 'a search', 'emptied before each look', 'a search'],
    rows.map((/** @type {any} */ each) => [
      size(each.slots),
      count(Math.round(each.asked)),
      count(Math.round(each.decoded)),
      percent(each.hits),
      time(each.us),
      percent(each.emptiedHits),
      time(each.emptiedUs),
    ]),
  );
}

/** @param {Row} row */
function picture({ layouts }) {
  const series = Object.entries(layouts).flatMap(([name, { rows, nodes }]) => {
    const at = (/** @type {any} */ { slots }) => slots ?? nodes / 2;
    const points = (/** @type {string} */ what, factor = 1) =>
      rows.map((/** @type {any} */ each) => /** @type {[number, number]} */ ([at(each), factor * each[what]]));
    const [contestant, isLarge] = [name.slice(0, 6), name.endsWith('large')];
    const look = { name, colour: colorOf(contestant), dash: isLarge ? '6 4' : '' };
    const emptied = { ...look, name: `${name}, emptied before each look`, dash: '2 3' };
    return [
      { kind: 'hits', ...look, points: points('hits', 100) },
      ...(isLarge ? [] : [{ kind: 'hits', ...emptied, points: points('emptiedHits', 100) }]),
      { kind: 'us', ...look, points: points('us') },
      ...(isLarge ? [] : [{ kind: 'us', ...emptied, points: points('emptiedUs') }]),
    ];
  });
  const of = (/** @type {string} */ kind) => series.filter((each) => each.kind === kind);
  const x = { name: 'boxes in the cache; the last point: all', log: true };
  return chart('The cache of decoded boxes in a search for the time of contact', [
    { title: 'Boxes that were in the cache', x, y: { name: '%', low: 0, high: 100 }, series: of('hits') },
    { title: 'Time of a search', x, y: { name: 'microseconds', low: 0 }, series: of('us') },
  ]);
}

/** @type {import('./index.mjs').Experiment} */
export const rapidCache = {
  paper: 'rapid',
  task: 'papers/rapid-cache',
  reads: ({ product }) => product !== undefined,
  title: 'Realtime compression: the cache of branches in a search for the time of contact',
  write: (row) => ({
    findings: [subset(row), efficient(row), coherence(row)],
    text: [
      `${row.names.join(' against ')}, and two balls of 69,312 triangles as "large". One flies and turns towards the other, and gicollide's search bisects the time of contact in ${row.looks} steps. There are ${row.searches} searches. The time of a step is the minimum of ${row.runs} rounds, in which all sizes take turns. The cache is direct-mapped, and empty at the start of a search. With 0 boxes, each box is decoded whenever it is needed. "Emptied" is the same cache, emptied between steps.`,
      ...Object.keys(row.layouts).flatMap((name) => [`${name}:`, cacheTable(row, name)]),
      option(row),
    ],
    pictures: { 'rapid-cache': picture(row) },
  }),
};
