// docs/experiments.md on the cache of decoded boxes of P. Terdiman's "RAPID Hack", step 3.
import { chart } from '../chart.mjs';
import { count, ratio, table, time } from '../page-text.mjs';

/** @typedef {import('../page-text.mjs').Row} Row */
/** @typedef {import('./index.mjs').Finding} Finding */

const SMALL = 0.05;
/** A gain that is one. */
const GAIN = 0.95;

const percent = (/** @type {number} */ x) => `${(100 * x).toFixed(1)} %`;
const size = (/** @type {number | null} */ slots) => (slots === null ? 'all' : count(slots));
const last = (/** @type {readonly any[]} */ values) => values[values.length - 1];

/** @param {Row} row @returns {Finding} */
function subset({ layouts }) {
  const shares = Object.values(layouts).map(({ nodes, rows }) => last(rows).decoded / nodes);
  const [bytes, { nodes, rows }] = Object.entries(layouts)[0];
  return {
    claim: 'Only a little subset of the tree is needed to resolve queries (step 3).',
    verdict: Math.max(...shares) < SMALL ? 'confirmed' : 'refuted',
    why: `a search for the time of contact meets ${count(Math.round(last(rows).decoded))} of ${count(nodes)} nodes of ${bytes}, ${percent(last(rows).decoded / nodes)}, and asks for them ${count(Math.round(last(rows).asked))} times.`,
  };
}

/** @param {Row} row @returns {Finding} */
function efficient({ layouts }) {
  const gains = Object.entries(layouts).map(([bytes, { rows }]) => {
    const best = rows.reduce((/** @type {any} */ p, /** @type {any} */ q) => (q.us < p.us ? q : p));
    const enough = rows.find((/** @type {any} */ { hits }) => hits >= 0.9);
    return { bytes, best, enough, gain: best.us / rows[0].us };
  });
  const most = Math.max(...gains.map(({ gain }) => gain));
  return {
    claim:
      'Branches that are decompressed once and kept while the time of contact is searched for make this efficient (step 3; not tried there).',
    verdict: most < GAIN ? 'confirmed' : 'refuted',
    why: gains
      .map(
        ({ bytes, best, enough, gain }) =>
          `with nodes of ${bytes}, ${size(enough?.slots)} boxes have ${percent(enough?.hits)} of what is asked for, and a search takes ${ratio(gain)} of its time at ${size(best.slots)} boxes`,
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
    claim: 'Temporal coherence is what a cache lives on: queries of one search meet the same branches (step 3).',
    verdict: gain > 2 ? 'confirmed' : 'partly',
    why: `kept from look to look, ${pairs.map(({ kept }) => kept.toFixed(1)).join(' and ')} % of the boxes have to be decoded; emptied before each look, ${pairs.map(({ emptied }) => emptied.toFixed(1)).join(' and ')} %.`,
  };
}

/** @param {Row} row @param {string} bytes */
function cacheTable({ layouts }, bytes) {
  const { rows, heldUs } = layouts[bytes];
  return table(
    ['boxes', 'asked for in a search', 'decoded', 'in the cache', 'a search', 'emptied before each look', 'a search'],
    [
      ...rows.map((/** @type {any} */ each) => [
        size(each.slots),
        count(Math.round(each.asked)),
        count(Math.round(each.decoded)),
        percent(each.hits),
        time(each.us),
        percent(each.emptiedHits),
        time(each.emptiedUs),
      ]),
      ['all, decoded beforehand', '', '', '', time(heldUs), '', ''],
    ],
  );
}

/** @param {Row} row */
function picture({ layouts }) {
  const series = Object.entries(layouts).flatMap(([bytes, { rows, nodes }], i) => {
    const at = (/** @type {any} */ { slots }) => slots ?? nodes / 2;
    const points = (/** @type {string} */ what, factor = 1) =>
      rows.map((/** @type {any} */ each) => /** @type {[number, number]} */ ([at(each), factor * each[what]]));
    const colour = ['blue', 'orange'][i];
    return [
      { kind: 'hits', name: `${bytes} a node`, colour, points: points('hits', 100) },
      {
        kind: 'hits',
        name: `${bytes}, emptied before each look`,
        colour,
        dash: '6 4',
        points: points('emptiedHits', 100),
      },
      { kind: 'us', name: `${bytes} a node`, colour, points: points('us') },
      { kind: 'us', name: `${bytes}, emptied before each look`, colour, dash: '6 4', points: points('emptiedUs') },
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
  title: 'The cache of branches in a search for the time of contact',
  write: (row) => ({
    findings: [subset(row), efficient(row), coherence(row)],
    text: [
      `${row.names.join(' against ')}: one flies and turns towards the other, and the time of contact is bisected in ${row.looks} looks. ${row.searches} searches, the median of ${row.runs} rounds in which all sizes take turns. A cache is direct-mapped and empty when a search begins; one box is no cache, but for a box that is asked for twice running. "Emptied" is the same cache when nothing is kept from look to look.`,
      ...Object.keys(row.layouts).flatMap((bytes) => [`Nodes of ${bytes}:`, cacheTable(row, bytes)]),
    ],
    pictures: { 'rapid-cache': picture(row) },
  }),
};
