// The sections of docs/speed.md, task by task. Each is made from its newest row, or is null if that
// row lacks a figure. All figures come from rows; none is typed here.
import { queries, solid } from './page-queries.mjs';
import {
  budget,
  cubes,
  deform,
  distance,
  lint,
  mixed,
  motion,
  poses,
  refit,
  scene,
  source,
  speed,
} from './page-questions.mjs';
import { build, frep, gi, kdop, layout, obb, readers, startUp, structure, tiles } from './page-stored.mjs';
import { three } from './page-three.mjs';
import { view } from './page-view.mjs';

/** @typedef {import('./page-text.mjs').Writer} Writer */

/** By task, in the order of the page. @type {Record<string, Writer>} */
export const SECTIONS = {
  speed,
  poses,
  scene,
  'start-up': startUp,
  build,
  readers,
  tiles,
  budget,
  mixed,
  distance,
  motion,
  solid,
  queries,
  refit,
  deform,
  lint,
  view,
  three,
  gi,
  source,
  cubes,
  frep,
  structure,
  kdop,
  obb,
  layout,
};
