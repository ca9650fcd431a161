/**
 * Solids given by functions: quadrics, perturbations, polynomials and sets of them; searched by
 * recursive subdivision with proved bounds.
 */
import { OptionError } from '../../base/errors.ts';
import type { Asset, Representation } from '../../engine/representation.ts';
import { checkFreps } from './search/descent.ts';
import { refineFrep } from './search/refine.ts';
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
  search: checkFreps,
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
      subdivision: { value: requireSubdivision },
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

function requireSubdivision(order: unknown): unknown {
  if (order !== 'octants' && order !== 'slices') {
    throw new OptionError(`subdivision ${order}: expected octants or slices`);
  }
  return order;
}
