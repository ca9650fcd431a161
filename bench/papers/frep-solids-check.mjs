// The collision of two and of three functionally defined solids, as sections with what they share;
// and scenes of 2 to 64 of them.
//
// S. Vyatkin, B. Dolgovesov, "Collision Detection of Functionally Defined Objects for Constant
// Time", Figures 1 and 8: pictures of collisions, without a number; section 1: "one should test
// whether any two or more objects collided". Outlines are where F is 0 in the plane z = 0, found by
// plain evaluation between points of a grid; the shared part is cells that a check has proved.
//
//   npm run bench -- papers/frep-solids
import { readFileSync } from 'node:fs';
import { build, check, compose, createScene, readFrep, translation } from 'gicollide';
import { evaluate } from '#src/representations/frep/tree/evaluate';
import { randomTurn, seeded } from '../inputs.mjs';
import { digits, elapsed, median, printTable, startClock } from '../race.mjs';

/** @typedef {import('gicollide').FrepObject} FrepObject */

const PAPER = { figures: '1 and 8', section: '1', solids: 'two or more' };

/** @param {object} object @param {object} [domain] */
const model = (object, domain) => build(readFrep(JSON.stringify({ object, ...(domain && { domain }) })));
/** @param {string} name */
const source = (name) => JSON.parse(readFileSync(new URL(`../../assets/${name}.frep.json`, import.meta.url), 'utf8'));

// ---------------------------------------------------------------------------------------- sections

/** Half of the region that is drawn. */
const ACROSS = 1.6;
const UP = 1.2;

/**
 * Where a function changes sign along the edges of a grid in the plane z = 0: pieces of its
 * outline, a segment of two points each, joined to lines.
 *
 * @param {(x: number, y: number) => number} f
 * @param {number} cells across
 */
function outline(f, cells) {
  const step = (2 * ACROSS) / cells;
  const rows = Math.round((2 * UP) / step);
  const x = (/** @type {number} */ i) => -ACROSS + i * step;
  const y = (/** @type {number} */ j) => -UP + j * step;
  const values = Array.from({ length: rows + 1 }, (_, j) =>
    Array.from({ length: cells + 1 }, (_, i) => f(x(i), y(j)) || 1e-300),
  );
  /** By the edge that they end on: the other end. @type {Map<string, string[]>} */
  const links = new Map();
  /** @type {Map<string, [number, number]>} */
  const points = new Map();
  /** @param {number} i @param {number} j @param {number} di @param {number} dj */
  const crossing = (i, j, di, dj) => {
    const [a, b] = [values[j][i], values[j + dj][i + di]];
    if (a > 0 === b > 0) return null;
    const key = `${i} ${j} ${di}`;
    const t = a / (a - b);
    points.set(key, [digits(x(i + t * di), 4) ?? 0, digits(y(j + t * dj), 4) ?? 0]);
    return key;
  };
  for (let j = 0; j < rows; j++) {
    for (let i = 0; i < cells; i++) {
      const ends = [crossing(i, j, 1, 0), crossing(i, j + 1, 1, 0), crossing(i, j, 0, 1), crossing(i + 1, j, 0, 1)];
      const own = ends.filter((end) => end !== null);
      for (let k = 0; k + 1 < own.length; k += 2) {
        links.set(own[k], [...(links.get(own[k]) ?? []), own[k + 1]]);
        links.set(own[k + 1], [...(links.get(own[k + 1]) ?? []), own[k]]);
      }
    }
  }
  return joined(links).map((path) => path.map((key) => points.get(key)));
}

/** Paths along links, each link once. @param {Map<string, string[]>} links */
function joined(links) {
  /** @type {string[][]} */
  const paths = [];
  for (const start of links.keys()) {
    let next = links.get(start)?.pop();
    if (next === undefined) continue;
    const path = [start];
    for (let last = start; next !== undefined; ) {
      /** @type {string[]} */
      const back = links.get(next) ?? [];
      back.splice(back.indexOf(last), 1);
      path.push(next);
      [last, next] = [next, back.pop()];
    }
    paths.push(path);
  }
  return paths;
}

/** How far apart points are that fill a cell. */
const DOTS = 0.028;

/**
 * Common points of two solids in the plane z = 0, from cells that are wholly in both.
 *
 * @param {FrepObject} a
 * @param {FrepObject} b
 * @param {number} resolution
 */
function shared(a, b, resolution) {
  const { cells, verdict } = check(a, b, { all: true, resolution });
  const contacts = cells?.contacts ?? [];
  const points = contacts.flatMap(({ center, size, isInside }) => {
    if (!isInside || Math.abs(center[2]) > size[2] / 2) return [];
    const [columns, rows] = [0, 1].map((k) => Math.ceil(size[k] / DOTS));
    return Array.from({ length: columns * rows }, (_, i) => [
      digits(center[0] + size[0] * (((i % columns) + 0.5) / columns - 0.5), 4),
      digits(center[1] + size[1] * ((Math.floor(i / columns) + 0.5) / rows - 0.5), 4),
    ]);
  });
  return { verdict, cells: contacts.length, points };
}

/** @param {boolean} quick */
function sections(quick) {
  const domain = { min: [-1.7, -1.3, -1], max: [1.7, 1.3, 1] };
  const [kidney, asteroid, flange] = ['kidney', 'asteroid', 'noise-sphere'].map((name) => source(name).object);
  const shapes = [
    { union: [kidney], translate: [-0.3, 0.1, 0] },
    { union: [asteroid], translate: [0.35, -0.15, 0] },
    { union: [flange], scale: 0.6, translate: [-0.05, -0.42, 0] },
  ];
  const solids = shapes.map((shape) => model(shape, domain));
  const both = model({ intersection: [shapes[0], shapes[1]] }, domain);
  const [grid, resolution] = quick ? [24, 3] : [72, 7];
  const outlines = solids.map((solid) => outline((x, y) => evaluate(solid, x, y, 0), grid));
  const pairs = [
    [0, 1],
    [0, 2],
    [1, 2],
  ].map(([i, j]) => check(solids[i], solids[j], { solid: 'auto' }).class);
  return {
    names: ['kidney', 'asteroid', 'noise sphere'],
    outlines,
    two: shared(solids[0], solids[1], resolution),
    three: shared(both, solids[2], resolution),
    classes: pairs,
  };
}

// ------------------------------------------------------------------------------------------ scenes

/** One of the shapes of several kinds. @param {() => number} random @param {number} i */
function someSolid(random, i) {
  const size = () => 0.25 + 0.25 * random();
  if (i % 4 === 0) return model({ ellipsoid: { radii: [size(), size(), size()] } });
  if (i % 4 === 1) return model({ torus: { major: 0.4, minor: 0.15 } });
  if (i % 4 === 2) {
    const by = { ellipsoid: { radii: [0.2, 0.2, 0.2], center: [0.3, 0, 0] } };
    return model({ ellipsoid: { radii: [0.4, 0.3, 0.3] }, perturbations: [{ by }] });
  }
  return model({ difference: [{ box: { size: [0.7, 0.7, 0.4] } }, { cylinder: { radius: 0.2 } }] });
}

/** @param {number} solids @param {number} rounds */
async function scene(solids, rounds) {
  const random = seeded(64);
  // The number of solids in a unit of volume stays the same.
  const edge = 0.75 * Math.cbrt(solids);
  const objects = Array.from({ length: solids }, (_, i) => {
    const [x, y, z] = [0, 0, 0].map(() => edge * (random() - 0.5));
    return { name: `solid ${i}`, asset: someSolid(random, i), pose: compose(translation(x, y, z), randomTurn(random)) };
  });
  /** @type {Record<string, { ms: number[], found: Awaited<ReturnType<ReturnType<typeof createScene>['findings']>> | null }>} */
  const modes = { off: { ms: [], found: null }, auto: { ms: [], found: null } };
  for (let round = 0; round < rounds; round++) {
    for (const [solid, mode] of Object.entries(modes)) {
      const asked = createScene(objects, /** @type {import('gicollide').SceneOptions} */ ({ solid }));
      startClock();
      mode.found = await asked.findings({ jobs: 1 });
      mode.ms.push(elapsed());
    }
  }
  const findings = modes.auto.found?.findings ?? [];
  const classes = Object.fromEntries(
    ['overlap', 'inside', 'contact', 'undecided'].map((name) => [
      name,
      findings.filter((each) => each.class === name).length,
    ]),
  );
  return {
    pairs: (solids * (solids - 1)) / 2,
    checked: modes.auto.found?.summary.checked ?? 0,
    'contacts, ms': digits(median(modes.off.ms)),
    'classes, ms': digits(median(modes.auto.ms)),
    contacts: modes.off.found?.findings.length ?? 0,
    ...classes,
  };
}

/** @param {import('../race.mjs').Run} run */
export default async function frepSolids({ quick, keep }) {
  const rounds = quick ? 1 : 5;
  /** @type {Record<string, Awaited<ReturnType<typeof scene>>>} */
  const scenes = {};
  await scene(8, 1); // warms up
  for (const solids of quick ? [2, 4] : [2, 4, 8, 16, 32, 64]) scenes[solids] = await scene(solids, rounds);
  printTable('scenes of solids, one thread', scenes);
  const drawn = sections(quick);
  printTable('what is drawn', {
    two: { ...drawn.two, points: drawn.two.points.length },
    three: { ...drawn.three, points: drawn.three.points.length },
  });
  keep({ runs: rounds, threads: 1, paper: PAPER, scenes, sections: drawn });
}
