/**
 * What assets are built of meshes and models with, in one module to load: assets from files do
 * without.
 */

export { build } from '../api.ts';
export { describeLosses } from '../mesh/clean.ts';
export { describeCuts } from '../mesh/manifold.ts';
export { builderNamed } from '../representations/builders.ts';
export { loadBuilders } from '../representations/loading.ts';
