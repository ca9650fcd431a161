/**
 * Solids given by functions: quadrics, perturbations, polynomials and sets of them; searched by
 * recursive subdivision with proved bounds.
 */

import { OptionError } from '../../base/errors.ts';
import { registerPrimitives } from '../../engine/ladder.ts';
import { registerOtherLeaves } from '../../engine/other-leaves.ts';
import { answerOfPrimitives } from '../../engine/primitive-pairs.ts';
import type { Outcome, Query } from '../../engine/records.ts';
import type { Asset, Representation } from '../../engine/representation.ts';
import { checkFreps } from './search/descent.ts';
import { checkAtRandom, MOST_TRIALS } from './search/random.ts';
import { refineFrep } from './search/refine.ts';
import { checkBySeed, requireSeed } from './search/seed.ts';
import { reachOfFrep } from './tree/cell-function.ts';
import { describeFrep } from './tree/describe.ts';
import { boxesSurface, polygonise } from './tree/polygonise.ts';
import { type FrepObject, frozen, MOST_RESOLUTION, requireProgram } from './tree/program.ts';
import {
  boundsOfCell,
  cellsOf,
  cellsOfLevel,
  classifyBox,
  coreOfFrep,
  hullOfFrep,
  isSameFrep,
  levelsOfFrep,
  outsideOfFrep,
  unfoldFrep,
} from './tree/unfold.ts';
import { verifyFrep } from './tree/verify.ts';

const SURFACE_RESOLUTION = 7;

export const frep: Representation<FrepObject> = {
  name: 'frep',
  engines() {
    registerOtherLeaves();
    registerPrimitives(answerOfPrimitives);
  },
  // The function is the source.
  tolerance: () => ({ missing: 0, excess: 0 }),
  units: ({ header }) => header.units,
  describe: (object, bytes) => describeFrep(sound(object), bytes, levelsOfFrep(object) + 1),
  verify: (object) => verifyFrep(sound(object), boundsOfCell),
  surface: (object, resolution = SURFACE_RESOLUTION) =>
    polygonise(sound(object), 2 ** resolution, (...box) => classifyBox(object, box)),
  depth: levelsOfFrep,
  boundsOfLevel: (object, level) => boxesSurface(cellsOfLevel(object, level)),
  unfold: unfoldFrep,
  hull: hullOfFrep,
  reach: reachOfFrep,
  search: searchAsAsked,
  solid: {
    refine: refineFrep,
    core: coreOfFrep,
    outside: outsideOfFrep,
    isSame: isSameFrep,
    primitive: ({ primitive, isOutside }) => (primitive && !isOutside ? primitive : null),
  },
  own: {
    options: {
      resolution: { instead: resolved },
      search: { value: requireSearch },
      subdivision: { value: requireSubdivision },
      trials: { value: requireTrials },
      time: { instead: (object, time) => frozen(object, time as number), value: requireTime },
    },
    volumes: (object, ids) => boxesSurface(cellsOf(object, ids)),
  },
};

/** Rechecks the program, since walking an invalid one might not end. */
function sound(object: FrepObject): FrepObject {
  requireProgram(object.program);
  return object;
}

const views = new WeakMap<FrepObject, Map<number, FrepObject>>();

/** Returns the same object per resolution, so that unfolded trees are reused. */
function resolved(object: FrepObject, resolution: unknown): FrepObject {
  if (
    typeof resolution !== 'number' ||
    !Number.isInteger(resolution) ||
    resolution < 1 ||
    resolution > MOST_RESOLUTION
  ) {
    throw new OptionError(`resolution ${resolution}: expected a whole number from 1 to ${MOST_RESOLUTION}`);
  }
  if (resolution === object.resolution) return object;
  let all = views.get(object);
  if (!all) {
    all = new Map();
    views.set(object, all);
  }
  let view = all.get(resolution);
  if (!view) {
    view = { ...object, resolution };
    all.set(resolution, view);
  }
  return view;
}

/** A time requires an object that depends on it. */
function requireTime(time: unknown, a: Asset, b: Asset): unknown {
  if (![a, b].some((asset) => asset.representation === 'frep' && (asset as FrepObject).span))
    throw new OptionError(`time ${time}: neither of the two depends on time`);
  return time;
}

function searchAsAsked(a: FrepObject, b: FrepObject, query: Query): Outcome {
  const search = query.own?.search;
  if (search === 'seed') return checkBySeed(a, b, query);
  return search === 'random' ? checkAtRandom(a, b, query) : checkFreps(a, b, query);
}

const SEARCHES = ['octants', 'slices', 'seed', 'random'];
/** Options that searches without proofs cannot answer. */
const BEYOND = ['distance', 'clearance', 'budget', 'source', 'solid', 'path', 'onVisit'];

function requireSearch(search: unknown, a: Asset, b: Asset, options: Readonly<Record<string, unknown>>): unknown {
  if (!SEARCHES.includes(search as string))
    throw new OptionError(`search ${search}: expected octants, slices, seed or random`);
  if (options.subdivision !== undefined)
    throw new OptionError('subdivision: it is the old name of search; leave out one of the two');
  if (search !== 'seed' && search !== 'random') return search;
  const beyond = BEYOND.find(
    (name) => (options[name] && options[name] !== 'off') || (name === 'budget' && options[name] === 0),
  );
  if (beyond) throw new OptionError(`search ${search}: it decides only contact; leave out ${beyond}`);
  if (search === 'random') {
    if (options.all) throw new OptionError('search random: it ends at its first point; leave out all');
    return search;
  }
  requireSeed(a as FrepObject, 'a');
  requireSeed(b as FrepObject, 'b');
  return search;
}

function requireSubdivision(order: unknown): unknown {
  if (order !== 'octants' && order !== 'slices') {
    throw new OptionError(`subdivision ${order}: expected octants or slices`);
  }
  return order;
}

function requireTrials(trials: unknown, _a: Asset, _b: Asset, { search }: Readonly<Record<string, unknown>>): unknown {
  if (search !== 'random') throw new OptionError('trials: it applies to the random search; add search random');
  if (!(Number.isInteger(trials) && (trials as number) >= 1 && (trials as number) <= MOST_TRIALS))
    throw new OptionError(`trials ${trials}: expected a whole number from 1 to ${MOST_TRIALS}`);
  return trials;
}
