/**
 * Writes BCF 2.1 and 3.0 (buildingSMART): a zip of topics, which BIM tools show as issues. A topic
 * is a finding or a group of findings. Its viewpoint frames it, and selects its objects by IFC
 * GlobalIds. Lengths are meters if the report's unit is known.
 *
 * The worst 10,000 findings become topics. The worst of these have a picture; tools draw the others
 * from their viewpoints, which BCF 3.0 does not allow without a picture. A separate topic lists what
 * was left out or not checked.
 */

import { OptionError } from '../base/errors.ts';
import { sha256 } from '../containers/hash.ts';
import { converterOf } from '../engine/units.ts';
import { type Entry, zipped } from './bcf-zip.ts';
import type { Level, Report, ReportFinding, ReportWriter, WriterOptions } from './finding.ts';
import { amongWorst, MOST_PICTURES, worst } from './selection.ts';
import { cleanLine, dateOf, detailsOf, element, isOld, lineOf, namesOf, text, titleOf, XML_HEAD } from './text.ts';

/** A zip has room for 65,535 entries; a topic needs four. */
const MOST_FINDINGS = 10_000;
/** Findings that a group's description lists, and how many of them with details. */
const MOST_LISTED = 200;
const MOST_DETAILED = 5;

type Version = NonNullable<WriterOptions['bcfVersion']>;

const PRIORITIES: Readonly<Record<Level, string>> = { error: 'High', warning: 'Normal', note: 'Low' };
const TYPES = { pair: 'Clash', one: 'Issue', run: 'Remark' };
const STATUSES = { open: 'Open', closed: 'Closed' };

interface Topic {
  guid: string;
  type: string;
  status: string;
  title: string;
  priority: string;
  labels: string[];
  description: string;
  notes: string[];
  findings: readonly ReportFinding[];
}

export const bcf: ReportWriter = (report, { bcfVersion = '2.1', group = 'finding' }) =>
  zipped(entries(report, bcfVersion, group));

async function* entries(report: Report, version: Version, grouping: Parameters<typeof groupsOf>[1]) {
  const chosen = await worst(report, MOST_FINDINGS);
  const findings: ReportFinding[] = [];
  for await (const finding of chosen.findings()) findings.push(finding);
  const groups = groupsOf(findings, grouping);
  yield file('bcf.version', versionFile(version));
  // BCF 2.1 defines the lists of topic values in an optional schema.
  if (version === '3.0') yield file('extensions.xml', extensions(groups, report));
  const runTopic = await topicOfRun(report, chosen.left);
  if (runTopic) yield* topicEntries(runTopic, report, version);
  const known = new Map<string, number>();
  const isDrawn = amongWorst(
    groups.map(({ findings: [first] }) => first),
    MOST_PICTURES,
  );
  for (const group of groups) {
    // Two findings with the same id still get two topics.
    const count = known.get(group.key) ?? 0;
    known.set(group.key, count + 1);
    const guid = await guidOf('topic', count === 0 ? group.key : `${group.key}\n${count}`);
    const topic = topicOf(group, guid, report);
    if (!report.snapshot || isDrawn(group.findings[0])) yield* topicEntries(topic, report, version);
    else yield* topicEntries(undrawn(topic, groups.length), { ...report, snapshot: () => null }, version);
  }
}

/** Says that a topic has no picture, and out of how many topics. */
const undrawn = (topic: Topic, topics: number): Topic => ({
  ...topic,
  description: `${topic.description}\n\nThe worst ${MOST_PICTURES} of ${topics} topics have pictures, and this has none.`,
});

const file = (path: string, content: string): Entry => ({ path, bytes: new TextEncoder().encode(content) });

function versionFile(version: Version): string {
  const detailed = version === '2.1' ? element('DetailedVersion', {}, version) : null;
  return XML_HEAD + element('Version', { VersionId: version }, detailed);
}

function extensions(groups: readonly Group[], report: Report): string {
  const labels = new Set(groups.flatMap(labelsOf));
  const list = (name: string, item: string, values: Iterable<string>): string =>
    element(name, {}, ...[...values].map((value) => element(item, {}, text(value))));
  return (
    XML_HEAD +
    element(
      'Extensions',
      {},
      list('TopicTypes', 'TopicType', Object.values(TYPES)),
      list('TopicStatuses', 'TopicStatus', Object.values(STATUSES)),
      list('Priorities', 'Priority', Object.values(PRIORITIES)),
      list('TopicLabels', 'TopicLabel', labels),
      list('Users', 'User', [report.summary.tool.name]),
    )
  );
}

/** Returns rules and classes on one line each, since BCF 3.0 collapses blanks. */
const labelsOf = ({ findings }: Group): string[] => [
  ...new Set(findings.flatMap((finding) => [finding.rule, finding.class]).map(named)),
];

/** BCF 3.0 has no empty text. */
const named = (name: string): string => cleanLine(name).trim().replaceAll(/ +/g, ' ') || '-';

function topicOf(group: Group, guid: string, { summary }: Report): Topic {
  const { findings } = group;
  const worstLevel = (['error', 'warning'] as const).find((level) => findings.some((one) => one.level === level));
  const isClosed = findings.every((one) => isOld(one) && (one.accepted || one.state === 'gone'));
  const listed = findings.slice(0, MOST_LISTED);
  const details = listed.map((finding, k) => {
    const lines = detailsOf(finding, summary).map(([name, value]) => `${name}: ${value}`);
    const head = findings.length === 1 ? [] : [titleOf(finding)];
    return [...head, ...(k < MOST_DETAILED ? lines : [])].join('\n');
  });
  if (metresOf(summary.units) === null) details.push('The unit of lengths is not known: the viewpoint takes metres.');
  if (listed.length < findings.length) details.push(`and ${findings.length - listed.length} more`);
  return {
    guid,
    type: findings.every(({ subjects }) => subjects.length > 1) ? TYPES.pair : TYPES.one,
    status: isClosed ? STATUSES.closed : STATUSES.open,
    title: named(group.title),
    priority: PRIORITIES[worstLevel ?? 'note'],
    labels: labelsOf(group),
    description: details.join('\n\n'),
    notes: [...new Set(findings.flatMap(({ note }) => note ?? []))].slice(0, MOST_LISTED),
    findings,
  };
}

/** Returns null if the search was complete, the file has all findings, and there is no warning. */
async function topicOfRun({ summary }: Report, left: number): Promise<Topic | null> {
  const { incomplete, failures, warnings } = summary;
  const cut = left > 0 ? [`${left} findings are not in this file, which holds the worst ${MOST_FINDINGS}`] : [];
  const lines = [
    ...cut,
    ...incomplete,
    ...failures.map(({ subject, message }) => `not checked: ${subject}: ${message}`),
  ];
  if (lines.length + warnings.length === 0) return null;
  const isWhole = lines.length === 0;
  return {
    guid: await guidOf('run', summary.command),
    type: TYPES.run,
    status: STATUSES.open,
    title: named(
      `${summary.tool.name} ${summary.command}: ${isWhole ? 'there are warnings' : 'this list is not complete'}`,
    ),
    priority: PRIORITIES[isWhole ? 'warning' : 'error'],
    labels: [],
    description: [summary.asked, ...lines, ...warnings.map((own) => `warning: ${lineOf(own)}`)].join('\n'),
    notes: [],
    findings: [],
  };
}

async function* topicEntries(topic: Topic, report: Report, version: Version): AsyncGenerator<Entry> {
  const folder = `${topic.guid}/`;
  const viewpointGuid = await guidOf('viewpoint', topic.guid);
  const viewpoint = viewpointOf(topic, viewpointGuid, report, version);
  const [first] = topic.findings;
  const snapshot = first && viewpoint !== null ? await report.snapshot?.(first) : null;
  // BCF 3.0 has no viewpoint without a picture.
  const isShown = viewpoint !== null && (version !== '3.0' || snapshot != null);
  const comments: string[] = [];
  for (const note of topic.notes) {
    comments.push(commentOf(note, await guidOf('comment', `${topic.guid}\n${note}`), report));
  }
  const pictures = [
    element('Viewpoint', {}, 'viewpoint.bcfv'),
    snapshot ? element('Snapshot', {}, 'snapshot.png') : null,
  ];
  const shown = isShown ? { guid: viewpointGuid, files: pictures } : null;
  // Some tools look for a topic's folder entry.
  yield { path: folder, bytes: new Uint8Array(0) };
  yield file(`${folder}markup.bcf`, markupOf(topic, comments, shown, report, version));
  if (isShown) yield file(`${folder}viewpoint.bcfv`, viewpoint);
  if (snapshot) yield { path: `${folder}snapshot.png`, bytes: snapshot, stored: true };
}

const commentOf = (note: string, guid: string, { summary }: Report): string =>
  element(
    'Comment',
    { Guid: guid },
    element('Date', {}, dateOf(summary)),
    element('Author', {}, text(summary.tool.name)),
    element('Comment', {}, text(note.trim() || '-')),
  );

/** In 3.0, comments and viewpoints are inside the topic, and each list inside an element. */
function markupOf(
  topic: Topic,
  comments: string[],
  shown: { guid: string; files: (string | null)[] } | null,
  { summary }: Report,
  version: Version,
): string {
  const isNew = version === '3.0';
  const list = (name: string, items: string[]): string[] =>
    isNew && items.length > 0 ? [element(name, {}, ...items)] : items;
  const labels = topic.labels.map((label) => element(isNew ? 'Label' : 'Labels', {}, text(label)));
  const views = shown ? [element(isNew ? 'ViewPoint' : 'Viewpoints', { Guid: shown.guid }, ...shown.files)] : [];
  const behind = [...list('Comments', comments), ...list('Viewpoints', views)];
  const { guid, type, status, title, priority, description } = topic;
  const topicElement = element(
    'Topic',
    { Guid: guid, TopicType: type, TopicStatus: status },
    element('Title', {}, text(title)),
    element('Priority', {}, text(priority)),
    ...list('Labels', labels),
    element('CreationDate', {}, dateOf(summary)),
    element('CreationAuthor', {}, text(summary.tool.name)),
    element('Description', {}, text(description.trim() || '-')),
    ...(isNew ? behind : []),
  );
  return XML_HEAD + element('Markup', {}, header(topic, isNew), topicElement, ...(isNew ? [] : behind));
}

function header({ findings }: Topic, isNew: boolean): string | null {
  const names = new Set(findings.flatMap(({ subjects }) => subjects.flatMap(({ file: name }) => name || [])));
  if (names.size === 0) return null;
  const attributes = { [isNew ? 'IsExternal' : 'isExternal']: 'true' };
  const files = [...names].map((name) => element('File', attributes, element('Filename', {}, text(named(name)))));
  return element('Header', {}, isNew ? element('Files', {}, ...files) : files.join(''));
}

function viewpointOf(topic: Topic, guid: string, { summary }: Report, version: Version): string | null {
  const camera = cameraFor(topic.findings, metresOf(summary.units) ?? ((length) => length));
  if (!camera) return null;
  const xyz = (name: string, values: readonly number[]): string =>
    element(name, {}, ...values.map((x, axis) => element('XYZ'[axis], {}, String(x))));
  const view = element(
    'PerspectiveCamera',
    {},
    xyz('CameraViewPoint', camera.from),
    xyz('CameraDirection', camera.direction),
    xyz('CameraUpVector', camera.up),
    element('FieldOfView', {}, String(FIELD_OF_VIEW)),
    version === '3.0' ? element('AspectRatio', {}, '1') : null,
  );
  return XML_HEAD + element('VisualizationInfo', { Guid: guid }, componentsOf(topic), view);
}

/** A GlobalId: 128 bits with 6 a letter. */
const IFC_GUID = /^[0-3][0-9A-Za-z_$]{21}$/;

/** Selects the objects that a BIM tool can find. */
function componentsOf({ findings }: Topic): string | null {
  const guids = new Set(findings.flatMap(({ subjects }) => subjects.flatMap(({ guid }) => guid ?? [])));
  const selected = [...guids].filter((guid) => IFC_GUID.test(guid));
  if (selected.length === 0) return null;
  return element(
    'Components',
    {},
    element('Selection', {}, ...selected.map((guid) => element('Component', { IfcGuid: guid }))),
    element('Visibility', { DefaultVisibility: 'true' }),
  );
}

/** Returns SHA-256 in the shape of a UUID of version 5, the same in every run. */
async function guidOf(kind: string, key: string): Promise<string> {
  const digest = await sha256(new TextEncoder().encode(`gicollide ${kind} ${key}`));
  const variant = '89ab'[Number.parseInt(digest[16], 16) & 3];
  return [
    digest.slice(0, 8),
    digest.slice(8, 12),
    `5${digest.slice(13, 16)}`,
    variant + digest.slice(17, 20),
    digest.slice(20, 32),
  ].join('-');
}

/** The field of view, in degrees: BCF 2.1 allows 45 to 60, and the sine of half of 60 is exact. */
export const FIELD_OF_VIEW = 60;
const SINE_OF_HALF = 0.5;
/** Factor on the radius of the framed ball, so that some surroundings are visible. */
const MARGIN = 1.5;
/** Meters shown around a single point. */
const LEAST_RADIUS = 0.25;

/** From the front right, from above; z is up, as in IFC. */
const BACK = scaled([1, -1, 1], 1 / Math.sqrt(3));
/** Perpendicular to the direction, in its plane with z. */
const UP = scaled([-1, 1, 2], 1 / Math.sqrt(6));

export interface Camera {
  from: readonly number[];
  direction: readonly number[];
  up: readonly number[];
}

/**
 * @param toMetres converts a length of the report
 * @returns null if no finding has a place
 */
function cameraFor(findings: readonly ReportFinding[], toMetres: (length: number) => number): Camera | null {
  const corners = findings.flatMap(({ box, point }) => (box ? [box.low, box.high] : point ? [point] : []));
  if (corners.length === 0) return null;
  const low = [0, 1, 2].map((axis) => toMetres(least(corners, axis, 1)));
  const high = [0, 1, 2].map((axis) => toMetres(-least(corners, axis, -1)));
  const half = low.map((x, axis) => (high[axis] - x) / 2);
  const radius = Math.max(LEAST_RADIUS, MARGIN * Math.sqrt(half[0] * half[0] + half[1] * half[1] + half[2] * half[2]));
  const from = BACK.map((x, axis) => low[axis] + half[axis] + (x * radius) / SINE_OF_HALF);
  return from.every(Number.isFinite) ? { from, direction: scaled(BACK, -1), up: UP } : null;
}

/** Returns the least coordinate; with sign -1 the least of the negated ones. */
const least = (points: readonly (readonly number[])[], axis: number, sign: number): number =>
  points.reduce((lowest, point) => Math.min(lowest, sign * point[axis]), Number.POSITIVE_INFINITY);

function scaled(vector: readonly number[], factor: number): number[] {
  return vector.map((x) => x * factor);
}

/** Null for an unknown unit: then lengths count as meters. */
function metresOf(units: string | null): ((length: number) => number) | null {
  if (units === null) return null;
  try {
    return converterOf(units, 'm');
  } catch (error) {
    if (error instanceof OptionError) return null;
    throw error;
  }
}

export interface Group {
  /** Stable from run to run while the group's namesake exists. */
  key: string;
  title: string;
  /** At least one, in the report's order. */
  findings: ReportFinding[];
}

type Grouping = NonNullable<WriterOptions['group']>;

/**
 * Returns groups in the order of their first findings.
 *
 * - `rule`: findings of one rule.
 * - `element`: findings of one object. For a pair it is the object with more findings, so that a
 *   duct through twenty beams is one topic.
 * - `cluster`: findings connected by boxes that meet.
 */
export function groupsOf(findings: readonly ReportFinding[], grouping: Grouping): Group[] {
  if (grouping === 'finding') return findings.map((one) => ({ key: one.id, title: titleOf(one), findings: [one] }));
  const keyOf = KEYS[grouping](findings);
  const groups = new Map<string, ReportFinding[]>();
  findings.forEach((finding, k) => {
    const key = keyOf(finding, k);
    const group = groups.get(key);
    if (group) group.push(finding);
    else groups.set(key, [finding]);
  });
  return [...groups].map(([key, members]) => ({
    key: `${grouping}:${key}`,
    title: members.length === 1 ? titleOf(members[0]) : `${TITLES[grouping](members, key)}: ${members.length} findings`,
    findings: members,
  }));
}

type KeyOf = (finding: ReportFinding, k: number) => string;

const KEYS: Readonly<Record<Exclude<Grouping, 'finding'>, (findings: readonly ReportFinding[]) => KeyOf>> = {
  rule: () => (finding) => finding.rule,
  element: (findings) => {
    const counts = new Map<string, number>();
    for (const { subjects } of findings) {
      for (const { name } of subjects) counts.set(name, (counts.get(name) ?? 0) + 1);
    }
    return ({ subjects }) => {
      const [first, ...others] = subjects.map(({ name }) => name);
      return others.reduce((most, name) => (counts.get(name)! > counts.get(most)! ? name : most), first ?? '');
    };
  },
  cluster: (findings) => {
    const roots = clustersOf(findings);
    return (_, k) => findings[roots[k]].id;
  },
};

const TITLES: Readonly<
  Record<Exclude<Grouping, 'finding'>, (members: readonly ReportFinding[], key: string) => string>
> = {
  rule: (_, key) => key,
  element: (_, key) => key,
  cluster: (members) => `Around ${namesOf(members[0])}`,
};

/** Returns the first finding of each one's cluster. A finding without a box is alone. */
function clustersOf(findings: readonly ReportFinding[]): number[] {
  const parents = findings.map((_, k) => k);
  const rootOf = (k: number): number => {
    let root = k;
    while (parents[root] !== root) root = parents[root] = parents[parents[root]];
    return root;
  };
  const boxed = findings.flatMap(({ box }, k) => (box ? [{ k, ...box }] : []));
  boxed.sort((a, b) => a.low[0] - b.low[0] || a.k - b.k);
  let open: typeof boxed = [];
  for (const box of boxed) {
    open = open.filter(({ high }) => high[0] >= box.low[0]);
    for (const other of open) {
      const meet = [1, 2].every((axis) => other.low[axis] <= box.high[axis] && box.low[axis] <= other.high[axis]);
      if (!meet) continue;
      const [a, b] = [rootOf(box.k), rootOf(other.k)];
      parents[Math.max(a, b)] = Math.min(a, b);
    }
    open.push(box);
  }
  return findings.map((_, k) => rootOf(k));
}
