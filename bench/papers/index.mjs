// The papers' experiments, in the order of docs/experiments.md: a line each. An experiment is measured
// by a task of bench/ and written down by a module NAME-page.mjs beside this one.
import { boxes } from './boxes-page.mjs';
import { bunnies } from './bunnies-page.mjs';
import { cubesPrecision } from './cubes-precision-page.mjs';
import { cubesSteps } from './cubes-steps-page.mjs';
import { cubesTime } from './cubes-time-page.mjs';
import { falseHits } from './false-hits-page.mjs';
import { frepBlend } from './frep-blend-page.mjs';
import { frepSolids } from './frep-solids-page.mjs';
import { frepTest10 } from './frep-test10-page.mjs';
import { frepTime } from './frep-time-page.mjs';
import { frepWorst } from './frep-worst-page.mjs';
import { kdopAxes } from './kdop-axes-page.mjs';
import { kdopBits } from './kdop-bits-page.mjs';
import { kdopError } from './kdop-error-page.mjs';
import { kdopFuture } from './kdop-future-page.mjs';
import { kdopGrowth } from './kdop-growth-page.mjs';
import { kdopHeadlight } from './kdop-headlight-page.mjs';
import { kdopProjections } from './kdop-projections-page.mjs';
import { kdopSoftware } from './kdop-software-page.mjs';
import { planes } from './planes-page.mjs';
import { pointers } from './pointers-page.mjs';
import { rapidCache } from './rapid-cache-page.mjs';
import { rapidOperations } from './rapid-operations-page.mjs';
import { rapidOrientations } from './rapid-orientations-page.mjs';
import { rapidRungs } from './rapid-rungs-page.mjs';
import { rapidUnfitted } from './rapid-unfitted-page.mjs';
import { frame, terrain } from './terrain-page.mjs';

/** @typedef {import('../page-text.mjs').Row} Row */

/**
 * What a paper says, and what our figures say of it.
 *
 * @typedef {object} Finding
 * @property {string} claim the paper's, and where it stands there
 * @property {'confirmed' | 'refuted' | 'partly' | 'not comparable'} verdict computed from the row
 * @property {string} why in a sentence, with the row's figures
 */

/**
 * @typedef {object} Account
 * @property {readonly Finding[]} findings
 * @property {readonly string[]} text paragraphs and tables in Markdown
 * @property {Record<string, string>} [pictures] SVG by name: docs/experiments/NAME.svg
 */

/**
 * @typedef {object} Experiment
 * @property {keyof typeof PAPERS} paper
 * @property {string} title the paper's figure or table, and what it shows
 * @property {string} task whose newest row is read: `papers/NAME`, or another one of bench/
 * @property {readonly string[]} [also] further tasks whose newest rows are needed
 * @property {(row: Row) => boolean} [reads] false for rows from before the task measured what is
 *   written; the experiment is left out until a newer one is recorded
 * @property {(row: Row, also: Record<string, Row>) => Account} write figures are the rows'; none is
 *   typed
 */

/** Authors, title, place and year, by the name that experiments use. */
export const PAPERS = {
  gi: 'B. Beneš, N. Gómez Villanueva, *GI-COLLIDE: Collision Detection with Geometry Images*, SCCG 2005',
  kdop: 'A. Raabe, S. Hochgürtel, J. K. Anlauf, G. Zachmann, *Hardware-Accelerated Collision Detection using Bounded-Error Fixed-Point Arithmetic*, WSCG 2006',
  rapid: 'P. Terdiman, *RAPID Hack*, 2000 to 2002',
  frep: 'S. I. Vyatkin, B. S. Dolgovesov, *Collision Detection of Functionally Defined Objects for Constant Time*',
  cubes: 'Z. Peng, B. Wu, *Collision Detection Algorithm Based on Data Parallelism*',
};

/** @type {readonly Experiment[]} */
export const EXPERIMENTS = [
  ...[bunnies, pointers, boxes, terrain, frame, planes, falseHits],
  ...[kdopGrowth, kdopError, kdopBits, kdopAxes, kdopHeadlight, kdopFuture],
  ...[kdopProjections, kdopSoftware],
  ...[rapidRungs, rapidOperations, rapidOrientations, rapidUnfitted, rapidCache],
  ...[frepSolids, frepWorst, frepTime, frepTest10, frepBlend],
  ...[cubesSteps, cubesTime, cubesPrecision],
];

/** Tasks that measure them, each once. */
export const PAPER_TASKS = [...new Set(EXPERIMENTS.flatMap(({ task, also = [] }) => [task, ...also]))];
