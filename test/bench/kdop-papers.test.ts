/**
 * The experiments of the k-DOP paper: each runs on tiny input, and its page is made of its row
 * alone.
 */
import { expect, test, vi } from 'vitest';
import type { Row } from '../../bench/page-text.mjs';
import { headlight } from '../../bench/papers/headlight.mjs';
import kdopAxesTask from '../../bench/papers/kdop-axes-check.mjs';
import { kdopAxes } from '../../bench/papers/kdop-axes-page.mjs';
import kdopBitsTask from '../../bench/papers/kdop-bits-check.mjs';
import { kdopBits } from '../../bench/papers/kdop-bits-page.mjs';
import kdopErrorTask from '../../bench/papers/kdop-error-check.mjs';
import { kdopError } from '../../bench/papers/kdop-error-page.mjs';
import kdopFutureTask from '../../bench/papers/kdop-future-check.mjs';
import { kdopFuture } from '../../bench/papers/kdop-future-page.mjs';
import kdopGrowthTask from '../../bench/papers/kdop-growth-check.mjs';
import { kdopGrowth } from '../../bench/papers/kdop-growth-page.mjs';
import kdopHeadlightTask from '../../bench/papers/kdop-headlight-check.mjs';
import { kdopHeadlight } from '../../bench/papers/kdop-headlight-page.mjs';
import kdopProjectionsTask from '../../bench/papers/kdop-projections-check.mjs';
import { kdopProjections } from '../../bench/papers/kdop-projections-page.mjs';
import kdopSoftwareTask from '../../bench/papers/kdop-software-check.mjs';
import { kdopSoftware } from '../../bench/papers/kdop-software-page.mjs';

test.each([
  { experiment: kdopBits, task: kdopBitsTask },
  { experiment: kdopAxes, task: kdopAxesTask },
  { experiment: kdopHeadlight, task: kdopHeadlightTask },
  { experiment: kdopFuture, task: kdopFutureTask },
  { experiment: kdopGrowth, task: kdopGrowthTask },
  { experiment: kdopError, task: kdopErrorTask },
  { experiment: kdopProjections, task: kdopProjectionsTask },
  { experiment: kdopSoftware, task: kdopSoftwareTask },
])('$experiment.task', { tags: ['all'] }, async ({ experiment, task }) => {
  let row: object = {};
  const printed = vi.spyOn(console, 'log').mockImplementation(() => {});
  await task({ quick: true, options: {}, keep: (kept) => void (row = kept) });
  expect(printed).toHaveBeenCalled();
  printed.mockRestore();
  // What results.jsonl would hold of it.
  const { findings, text, pictures = {} } = experiment.write(JSON.parse(JSON.stringify(row)) as Row, {});
  expect(findings.length).toBeGreaterThan(0);
  const words = [...findings.flatMap(({ claim, verdict, why }) => [claim, verdict, why]), ...text].join('\n');
  for (const part of [words, ...Object.values(pictures)]) expect(part).not.toMatch(/undefined|NaN|Infinity|\[object/);
});

test("the headlight has as many triangles as the paper's", () => {
  const { positions, triangles } = headlight();
  expect(triangles.length / 3).toBe(5947);
  expect(Math.max(...triangles)).toBe(positions.length / 3 - 1);
});
