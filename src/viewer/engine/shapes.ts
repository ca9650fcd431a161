/** Triangles to draw for assets, and facts about them. */

import type { Asset } from '../../engine/representation.ts';
import { boxOf } from '../../mesh/extent.ts';
import type { Surface } from '../../mesh/topology.ts';
import { representationOf } from '../../representations/kinds.ts';
import { solidOf } from '../../solid/class-of.ts';
import type { AssetFacts, Shape } from '../protocol.ts';
import { shapeOf } from '../shape.ts';

/** With more triangles, an asset is drawn coarser if its kind allows it. */
const MOST_DRAWN = 4_000_000;

const BOUNDS: Readonly<Record<string, string>> = {
  ...{ gi: 'spheres', kdop: 'k-DOPs', obb: 'boxes', voxel: 'cubes', frep: 'cells' },
};

const FREP_LEVEL = 5;

export function factsOf(asset: Asset): AssetFacts {
  const { name, depth, solid, own, boundsOfLevel, surface } = representationOf(asset);
  const stored = solid ? null : surface(asset);
  const seen = stored ?? boundsOfLevel(asset, Math.min(FREP_LEVEL, depth(asset)));
  const corners = Array.from(own?.box?.(asset) ?? boxOf(seen.positions, seen.triangles));
  return {
    depth: depth(asset),
    bounds: BOUNDS[name] ?? 'bounds',
    triangles: stored ? stored.triangles.length / 3 : 0,
    low: corners.slice(0, 3) as AssetFacts['low'],
    high: corners.slice(3) as AssetFacts['high'],
    open: solidOf(asset).reason,
    hasPages: name === 'gi',
  };
}

/** Returns the stored surface, or a coarser one if it has too many triangles. */
export const surfaceShape = (asset: Asset): Shape => owned(drawnSurface(asset));

function drawnSurface(asset: Asset): Surface {
  const { surface, own, boundsOfLevel, depth } = representationOf(asset);
  const isDrawn = ({ triangles }: Surface): boolean => triangles.length <= 3 * MOST_DRAWN;
  const whole = surface(asset);
  if (isDrawn(whole)) return whole;
  const subsample = own?.options?.lod?.instead;
  for (let level = depth(asset) - 1; level > 0; level--) {
    const coarser = subsample ? surface(subsample(asset, level)) : boundsOfLevel(asset, level);
    if (isDrawn(coarser)) return coarser;
  }
  return whole;
}

/**
 * Returns the bounds of one level.
 *
 * @throws OptionError if there is no such level, or it has too many to draw
 */
export const boundsShape = (asset: Asset, level: number): Shape =>
  owned(representationOf(asset).boundsOfLevel(asset, level));

/** The caller owns the arrays, since a worker transfers them. */
const owned = ({ positions, triangles }: Surface): Shape => shapeOf({ positions, triangles: triangles.slice() });
