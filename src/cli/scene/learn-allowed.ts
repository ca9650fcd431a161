/** `gicollide scene --learn-allowed`: prints SRDF that lets pairs of links touch, by a sample. */
import { OptionError } from '../../base/errors.ts';
import type { LinkPair } from '../../readers/robot/srdf.ts';
import { element, XML_HEAD } from '../../report/text.ts';
import { loadKinds } from '../../representations/kinds.ts';
import type { SceneObject } from '../../scene/records.ts';
import { adjacentLinks } from '../../scene/robot.ts';
import { APART, reachOf, type Sample, Sampler, TOUCHED } from '../../scene/sampled-pairs.ts';
import { type Begin, openPool } from '../../work/pool.ts';
import { answerRanges, openSchedule, type Range, threadsFor } from '../../work/schedule.ts';
import type { SampleFlag } from '../arguments.ts';
import { type Session, warnOf } from '../session.ts';
import { print } from '../terminal.ts';
import type { RobotScene } from './robot.ts';

/** Warm-up of a thread, and of this one, in ms. */
const WARM_MS = 500;
const COLD_MS = 100;

interface ThreadData extends Sample {
  names: string[];
  assets: number[];
}

export const begin: Begin<ThreadData, Range, Uint8Array> = async (assets, { names, assets: numbers, ...sample }) => {
  await loadKinds('obb', ...assets.map(({ representation }) => representation));
  const objects = names.map((name, n) => ({ name, asset: assets[numbers[n]] }));
  const sampler = new Sampler(objects, sample);
  return ([first, end]) => sampler.seen(first, end);
};

/**
 * Prints the SRDF, with a line more for each pair that it does not name yet: adjacent links, and
 * links that touch in all states of the sample, or in none.
 *
 * @throws OptionError unless all objects are of one robot
 */
export async function learnAllowed(
  robots: RobotScene['robots'],
  objects: readonly SceneObject[],
  { states, seed }: SampleFlag,
  jobs: number | undefined,
  session: Session,
): Promise<void> {
  if (robots.length !== 1 || objects.length > robots[0].moving.parts.length)
    throw new OptionError('--learn-allowed needs one robot and no other object: name only its URDF file');
  const [{ file, moving, semantics, srdf }] = robots;
  const { robot, parts } = moving;
  const { links } = robot;
  const { sampled, endless } = reachOf(robot);
  for (const name of endless)
    warnOf(file, `joint ${name} has no limits to sample within: pairs of links on both sides are left out`, session);
  const isWhole = links.map(({ shapes }, link) => {
    const made = parts.filter((part) => part.link === link).length;
    return made > 0 && made === shapes.length;
  });
  const keyOf = ({ a, b }: Pick<LinkPair, 'a' | 'b'>): number => a * links.length + b;
  const named = new Set([...(semantics?.mayTouch ?? []), ...(semantics?.enabled ?? [])].map(keyOf));
  const adjacent = adjacentLinks(robot).filter((pair) => !named.has(keyOf(pair)));
  for (const pair of adjacent) named.add(keyOf(pair));
  const asked: LinkPair[] = [];
  for (let a = 0; a < links.length; a++) {
    for (let b = a + 1; b < links.length; b++) {
      const isAsked = isWhole[a] && isWhole[b] && sampled[a] === sampled[b] && !named.has(keyOf({ a, b }));
      if (isAsked) asked.push({ a, b, reason: '' });
    }
  }
  const pairs = Uint32Array.from(asked.flatMap(({ a, b }) => [a, b]));
  const marks = await marksOf(objects, { robot, parts, pairs, seed }, states, jobs, session);
  const marked = (mark: number): LinkPair[] => asked.filter((_, p) => marks[p] === mark);
  const sample = `of ${states} random states (seed ${seed})`;
  const groups: [comment: string, reason: string, pairs: LinkPair[]][] = [
    ['Links that hang on each other.', 'Adjacent', adjacent],
    [`In contact in all ${sample}.`, 'Always', marked(TOUCHED)],
    [`In contact in none ${sample}: a sample, not a proof.`, 'Never', marked(APART)],
  ];
  const lines = groups.flatMap(([comment, reason, own]) => [
    ...(own.length > 0 ? [`  <!-- ${comment} -->`] : []),
    ...own.map(
      ({ a, b }) => `  ${element('disable_collisions', { link1: links[a].name, link2: links[b].name, reason })}`,
    ),
  ]);
  await print(inserted(srdf, robot.name, lines));
  const counts = groups.map(([, reason, own]) => `${own.length} ${reason.toLowerCase()}`).join(', ');
  session.log.info(`${file}: ${states} states, seed ${seed}: ${counts}, of ${asked.length + adjacent.length} pairs`);
}

async function marksOf(
  objects: readonly SceneObject[],
  sample: Sample,
  states: number,
  jobs: number | undefined,
  session: Session,
): Promise<Uint8Array> {
  const all = new Uint8Array(sample.pairs.length / 2);
  const sampler = new Sampler(
    objects.map(({ name, asset }) => ({ name, asset })),
    sample,
  );
  const assets = [...new Set(objects.map(({ asset }) => asset))];
  const schedule = openSchedule<Range, Uint8Array>(threadsFor(jobs), {
    answer: ([first, end]) => sampler.seen(first, end),
    openMs: WARM_MS,
    coldMs: COLD_MS,
    open(threads) {
      const names = objects.map(({ name }) => name);
      const data: ThreadData = { ...sample, names, assets: objects.map(({ asset }) => assets.indexOf(asset)) };
      return openPool(threads, { module: new URL('./learn-allowed.js', import.meta.url), assets, data });
    },
    onAlone: ({ message }) => session.log.warn(`--jobs: no other thread starts, so one does all the work: ${message}`),
  });
  for await (const marks of answerRanges(schedule, states, assets))
    for (const [p, mark] of marks.entries()) all[p] |= mark;
  return all;
}

const END = /<\/robot\s*>(?=(?:\s|<!--(?:(?!-->)[\s\S])*-->)*$)/;
const EMPTY = /\/>(?=(?:\s|<!--(?:(?!-->)[\s\S])*-->)*$)/;

/** The file with lines before its end. Without a file, a new one. */
function inserted(srdf: Uint8Array | null, name: string, lines: readonly string[]): string {
  const added = lines.map((line) => `${line}\n`).join('');
  if (!srdf) return `${XML_HEAD}${element('robot', { name }, `\n${added}`)}\n`;
  const text = new TextDecoder().decode(srdf);
  if (lines.length === 0) return text;
  return END.test(text) ? text.replace(END, (end) => added + end) : text.replace(EMPTY, () => `>\n${added}</robot>`);
}
