/** BCF 2.1 and 3.0: topics, cameras in metres, GlobalIds, groups, the zip, and what the standard's text says. */

import fc from 'fast-check';
import { unzipSync } from 'fflate';
import { expect, test } from 'vitest';
import { bcf } from '../../src/report/bcf.ts';
import type { Report, ReportFinding, WriterOptions } from '../../src/report/finding.ts';
import {
  asWritten,
  bytesOf,
  findingOf,
  manyFindings,
  oneOfEach,
  report,
  reportOf,
  subjectOf,
} from '../support/findings.ts';
import { long } from '../support/long.ts';
import { testWithSchemas, xmllint } from '../support/schemas.ts';
import { elementsOf, parseXml, type XmlElement } from '../support/xml-tree.ts';

const VERSIONS = ['2.1', '3.0'] as const;
const GUID = /^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

type Files = Record<string, string>;

async function filesOf(one: Report, options: WriterOptions = {}): Promise<Files> {
  const files = unzipSync(await bytesOf(bcf, one, options));
  return Object.fromEntries(Object.entries(files).map(([path, bytes]) => [path, Buffer.from(bytes).toString('utf8')]));
}

const named = (files: Files, name: string): XmlElement[] =>
  Object.entries(files)
    .filter(([path]) => path.endsWith(`/${name}`))
    .map(([, content]) => parseXml(content));

const only = (element: XmlElement, name: string): XmlElement => {
  const found = elementsOf(element, name);
  expect(found.length).toBe(1);
  return found[0];
};

const vectorOf = (element: XmlElement, name: string): number[] =>
  only(element, name).children.map((child) => Number(child.text));

const dot = (a: number[], b: number[]): number => a.reduce((sum, x, axis) => sum + x * b[axis], 0);

test.each(VERSIONS)('BCF %s: a folder a topic, whose files name each other', async (bcfVersion) => {
  const snapshot = () => Uint8Array.of(1, 2, 3);
  const files = await filesOf({ ...reportOf(oneOfEach), snapshot }, { bcfVersion });
  expect(parseXml(files['bcf.version']).attributes.VersionId).toBe(bcfVersion);
  const folders = Object.keys(files).filter((path) => path.endsWith('/'));
  expect(folders.length).toBe(oneOfEach.length);
  for (const folder of folders) {
    expect(folder.slice(0, -1)).toMatch(GUID);
    const markup = parseXml(files[`${folder}markup.bcf`]);
    expect(`${only(markup, 'Topic').attributes.Guid}/`).toBe(folder);
    const [view] = elementsOf(markup, 'Viewpoint');
    // What is gone says nowhere where it was.
    if (files[`${folder}viewpoint.bcfv`] === undefined) expect(view).toBeUndefined();
    else {
      expect(view.text).toBe('viewpoint.bcfv');
      expect(only(markup, 'Snapshot').text).toBe('snapshot.png');
      expect(files[`${folder}snapshot.png`]).toBe('\u0001\u0002\u0003');
      const [reference] = [...elementsOf(markup, 'ViewPoint'), ...elementsOf(markup, 'Viewpoints')].filter(
        ({ attributes }) => attributes.Guid,
      );
      expect(parseXml(files[`${folder}viewpoint.bcfv`]).attributes.Guid).toBe(reference.attributes.Guid);
    }
  }
  expect(named(files, 'viewpoint.bcfv').length).toBe(oneOfEach.length - 1);
});

test.each(VERSIONS)(
  'BCF %s: the worst 25 topics are drawn, and the others say that they are not',
  async (bcfVersion) => {
    const asked: string[] = [];
    const snapshot = ({ id }: ReportFinding) => {
      asked.push(id);
      return Uint8Array.of(1);
    };
    const findings = Array.from({ length: 60 }, (_, k) =>
      findingOf({ id: `f${k}`, level: k % 6 === 5 ? 'error' : 'note' }),
    );
    const files = await filesOf({ ...reportOf(findings), snapshot }, { bcfVersion });
    const drawn = (all: Files) => Object.keys(all).filter((path) => path.endsWith('/snapshot.png')).length;
    expect(drawn(files)).toBe(25);
    const errors = findings.filter(({ level }) => level === 'error').map(({ id }) => id);
    expect(asked).toEqual(expect.arrayContaining(errors));
    expect(asked.length).toBe(25);
    const undrawn = named(files, 'markup.bcf').filter((markup) => elementsOf(markup, 'Snapshot').length === 0);
    expect(undrawn.length).toBe(35);
    for (const markup of undrawn)
      expect(only(markup, 'Description').text).toContain('The worst 25 of 60 topics have pictures, and this has none.');
    const byRule = await filesOf({ ...reportOf(findings), snapshot }, { bcfVersion, group: 'rule' });
    expect(drawn(byRule)).toBe(1);
  },
);

test.each(VERSIONS)('BCF %s: a topic says what it is about, and what somebody wrote', async (bcfVersion) => {
  const files = await filesOf(reportOf([oneOfEach[5]]), { bcfVersion });
  const [markup] = named(files, 'markup.bcf');
  const topic = only(markup, 'Topic');
  expect(topic.attributes).toMatchObject({ TopicType: 'Clash', TopicStatus: 'Closed' });
  expect(only(topic, 'Title').text).toBe('pipe-3 and wall-2: overlap, 20 thick');
  expect(only(topic, 'CreationDate').text).toBe('2001-09-09T01:46:40Z');
  expect(only(topic, 'Priority').text).toBe('Low');
  expect(only(topic, 'Description').text).toContain('thickness: 19.9 to 20.1 mm\n');
  expect(only(markup, 'Filename').text).toBe('plan/house.obj');
  const comment = elementsOf(markup, 'Comment').find(({ attributes }) => attributes.Guid)!;
  expect(elementsOf(comment, 'Comment')[0].text).toBe('cast in, see drawing 7');
});

test('words that topics use stand in the lists of BCF 3.0', async () => {
  const findings = [...oneOfEach, findingOf({ id: 'odd', rule: ' a  b ', class: '' })];
  const files = await filesOf(reportOf(findings, { incomplete: ['cut'] }), { bcfVersion: '3.0' });
  const lists = parseXml(files['extensions.xml']);
  const allowed = (name: string) => elementsOf(lists, name).map(({ text }) => text);
  for (const markup of named(files, 'markup.bcf')) {
    const { attributes } = only(markup, 'Topic');
    expect(allowed('TopicType')).toContain(attributes.TopicType);
    expect(allowed('TopicStatus')).toContain(attributes.TopicStatus);
    expect(allowed('Priority')).toContain(only(markup, 'Priority').text);
    for (const { text } of elementsOf(markup, 'Label')) expect(allowed('TopicLabel')).toContain(text);
    expect(allowed('User')).toContain(only(markup, 'CreationAuthor').text);
  }
});

test.each(['mm', 'm', 'ft'])('the camera sees the whole box, in metres, of %s', async (units) => {
  const scale = { mm: 0.001, m: 1, ft: 0.3048 }[units]!;
  const [view] = named(await filesOf(reportOf([findingOf()], { units })), 'viewpoint.bcfv');
  const from = vectorOf(view, 'CameraViewPoint');
  const direction = vectorOf(view, 'CameraDirection');
  const up = vectorOf(view, 'CameraUpVector');
  expect(dot(direction, direction)).toBeCloseTo(1, 12);
  expect(dot(up, up)).toBeCloseTo(1, 12);
  expect(dot(direction, up)).toBeCloseTo(0, 12);
  expect(up[2]).toBeGreaterThan(0);
  const half = (Number(only(view, 'FieldOfView').text) / 2) * (Math.PI / 180);
  const { low, high } = findingOf().box!;
  // Nor is it a speck: a cube of 0.2 m is seen from less than 1.2 m.
  const away = from.map((x, axis) => scale * (low[axis] / 2 + high[axis] / 2) - x);
  expect(dot(away, away)).toBeLessThan((scale * 1000 * 1.2) ** 2);
  for (let corner = 0; corner < 8; corner++) {
    const ray = from.map((x, axis) => scale * ((corner >> axis) & 1 ? high : low)[axis] - x);
    // Rounding may make more than one of the cosine of nothing.
    expect(Math.acos(Math.min(1, dot(ray, direction) / Math.sqrt(dot(ray, ray))))).toBeLessThan(half);
  }
});

test('a point alone is framed; units that nobody knows are said; no number, no camera', async () => {
  const alone = await filesOf(reportOf([findingOf({ box: null, point: [1, 2, 3] })], { units: null }));
  const [view] = named(alone, 'viewpoint.bcfv');
  const offset = vectorOf(view, 'CameraViewPoint').map((x, axis) => x - [1, 2, 3][axis]);
  expect(Math.sqrt(dot(offset, offset))).toBeCloseTo(0.5, 12);
  expect(only(named(alone, 'markup.bcf')[0], 'Description').text).toContain('The unit of lengths is not known');
  const box = { low: [0, 0, 0], high: [1e308, 1e308, Number.NaN] };
  expect(named(await filesOf(reportOf([findingOf({ box })])), 'viewpoint.bcfv')).toEqual([]);
});

test('objects with a GlobalId are selected, others are not', async () => {
  const guid = '0BTBFw6f90Nfh9rP1dlXr2';
  const subjects = [subjectOf('a', null, guid), subjectOf('b', null, 'not-a-GlobalId')];
  const [view] = named(await filesOf(reportOf([findingOf({ subjects })])), 'viewpoint.bcfv');
  expect(elementsOf(view, 'Component').map(({ attributes }) => attributes)).toEqual([{ IfcGuid: guid }]);
  expect(only(view, 'Visibility').attributes).toEqual({ DefaultVisibility: 'true' });
});

const at = (id: string, a: string, b: string, x: number, rule = 'mep'): ReportFinding =>
  findingOf({ id, rule, subjects: [subjectOf(a), subjectOf(b)], box: { low: [x, 0, 0], high: [x + 1, 1, 1] } });

const titlesOf = async (findings: ReportFinding[], options: WriterOptions): Promise<string[]> =>
  named(await filesOf(reportOf(findings), options), 'markup.bcf').map((markup) => only(markup, 'Title').text);

test('groups: a rule, an element, what hangs together', async () => {
  const findings = [
    ...[at('1', 'beam-1', 'duct', 0), at('2', 'beam-2', 'duct', 10), at('3', 'beam-3', 'duct', 0.5, 'steel')],
    ...[at('4', 'beam-3', 'door', 1.5, 'steel'), findingOf({ id: '5', box: null })],
  ];
  expect(await titlesOf(findings, { group: 'rule' })).toEqual(['mep: 3 findings', 'steel: 2 findings']);
  expect(await titlesOf(findings, { group: 'element' })).toEqual([
    ...['duct: 3 findings', 'beam-3 and door: overlap, 20 thick', 'pipe-3 and wall-2: overlap, 20 thick'],
  ]);
  expect(await titlesOf(findings, { group: 'cluster' })).toEqual([
    ...['Around beam-1 and duct: 3 findings', 'beam-2 and duct: overlap, 20 thick'],
    'pipe-3 and wall-2: overlap, 20 thick',
  ]);
});

test('clusters are those of comparing all boxes with all, seed 12', { tags: ['all', 'long'] }, async () => {
  const box = fc
    .array(fc.tuple(fc.integer({ min: 0, max: 12 }), fc.integer({ min: 0, max: 3 })), { minLength: 3, maxLength: 3 })
    .map((sides) => ({ low: sides.map(([low]) => low), high: sides.map(([low, size]) => low + size) }));
  await fc.assert(
    fc.asyncProperty(fc.array(box, { minLength: 1, maxLength: 12 }), async (boxes) => {
      const cluster = boxes.map((_, k) => k);
      // Until nothing changes: whoever meets has the lesser number.
      for (let isDone = false; !isDone; ) {
        isDone = true;
        boxes.forEach((a, i) => {
          boxes.forEach((b, j) => {
            const meet = [0, 1, 2].every((axis) => a.low[axis] <= b.high[axis] && b.low[axis] <= a.high[axis]);
            if (meet && cluster[i] < cluster[j]) [cluster[j], isDone] = [cluster[i], false];
          });
        });
      }
      const sizes = [...new Set(cluster)].map((root) => cluster.filter((one) => one === root).length);
      const findings = boxes.map((one, k) => findingOf({ id: `${k}`, box: one }));
      const titles = await titlesOf(findings, { group: 'cluster' });
      expect(titles.map((title) => Number(/: (\d+) findings$/.exec(title)?.[1] ?? 1))).toEqual(sizes);
    }),
    { seed: 12, numRuns: long ? 670 : 40 },
  );
});

test('a topic keeps its GUID from run to run, and two findings of one id are two topics', async () => {
  const guids = async (findings: ReportFinding[]) =>
    named(await filesOf(reportOf(findings)), 'markup.bcf').map((markup) => only(markup, 'Topic').attributes.Guid);
  const [first] = await guids([findingOf()]);
  const [, second, third] = await guids([findingOf({ id: 'x' }), findingOf({ message: 'other words' }), findingOf()]);
  expect(second).toBe(first);
  expect(third).not.toBe(first);
});

test('the worst 10,000 are topics, and a topic says what is missing', { tags: ['all', 'long'] }, async () => {
  const count = long ? 34_000 : 10_050;
  const one = { ...reportOf([], { failures: [{ subject: 'a.obj', message: 'broken' }] }) };
  const files = await filesOf({ ...one, findings: () => manyFindings(count) }, { group: 'rule' });
  const [run, ...topics] = named(files, 'markup.bcf');
  expect(only(run, 'Title').text).toBe('gicollide scene: this list is not complete');
  expect(only(run, 'Description').text.split('\n').slice(1)).toEqual([
    ...[`${count - 10_000} findings are not in this file, which holds the worst 10000`, 'not checked: a.obj: broken'],
  ]);
  expect(topics.length).toBe(7);
});

test('the bytes do not depend on the time zone', async () => {
  const zone = process.env.TZ;
  const zipped: string[] = [];
  for (const one of ['UTC', 'Pacific/Auckland', 'America/St_Johns']) {
    process.env.TZ = one;
    zipped.push((await bytesOf(bcf, reportOf(oneOfEach))).toString('hex'));
  }
  if (zone === undefined) delete process.env.TZ;
  else process.env.TZ = zone;
  expect(new Set(zipped).size).toBe(1);
});

test.each(VERSIONS)(
  'BCF %s: any text is well-formed and comes back, seed 13',
  { tags: ['all', 'long'] },
  async (bcfVersion) => {
    await fc.assert(
      fc.asyncProperty(report, fc.constantFrom('finding', 'rule', 'element', 'cluster'), async (one, group) => {
        const files = await filesOf(one, { bcfVersion, group });
        const text = named(files, 'markup.bcf')
          .map((markup) => only(markup, 'Description').text)
          .join('\n');
        for (const { subjects } of one.findings() as Iterable<ReportFinding>) {
          for (const { name } of subjects) expect(text).toContain(asWritten(name).trim());
        }
        for (const view of named(files, 'viewpoint.bcfv')) {
          expect(vectorOf(view, 'CameraViewPoint').every(Number.isFinite)).toBe(true);
        }
      }),
      { seed: 13, numRuns: long ? 340 : 30 },
    );
  },
);

/** Children in the order that both standards ask for; those of one version alone are in its list. */
const ORDERS: Record<string, Record<string, string[]>> = {
  '2.1': {
    Markup: ['Header', 'Topic', 'Comment', 'Viewpoints'],
    Header: ['File'],
    Topic: ['Title', 'Priority', 'Labels', 'CreationDate', 'CreationAuthor', 'Description'],
    PerspectiveCamera: ['CameraViewPoint', 'CameraDirection', 'CameraUpVector', 'FieldOfView'],
  },
  '3.0': {
    Markup: ['Header', 'Topic'],
    Header: ['Files'],
    Topic: [
      ...['Title', 'Priority', 'Labels', 'CreationDate', 'CreationAuthor', 'Description'],
      ...['Comments', 'Viewpoints'],
    ],
    PerspectiveCamera: ['CameraViewPoint', 'CameraDirection', 'CameraUpVector', 'FieldOfView', 'AspectRatio'],
  },
};

test.each(VERSIONS)('BCF %s: elements stand in the order of the standard', async (bcfVersion) => {
  const subjects = [subjectOf('a', null, '0BTBFw6f90Nfh9rP1dlXr2')];
  const one = { ...reportOf([...oneOfEach, findingOf({ id: 'x', subjects })]), snapshot: () => Uint8Array.of(1) };
  const files = await filesOf(one, { bcfVersion });
  const orders: Record<string, string[]> = {
    ...ORDERS[bcfVersion],
    VisualizationInfo: ['Components', 'PerspectiveCamera'],
    Components: ['Selection', 'Visibility'],
    ViewPoint: ['Viewpoint', 'Snapshot'],
    ...{ CameraViewPoint: ['X', 'Y', 'Z'], CameraDirection: ['X', 'Y', 'Z'], CameraUpVector: ['X', 'Y', 'Z'] },
  };
  const seen = new Set<string>();
  const inOrder = ({ name, children }: XmlElement): void => {
    if (orders[name] && children.length > 0) {
      const numbers = children.map((child) => orders[name].indexOf(child.name));
      expect(numbers, name).not.toContain(-1);
      expect(numbers, name).toEqual([...numbers].sort((a, b) => a - b));
      seen.add(name);
    }
    children.forEach(inOrder);
  };
  [...named(files, 'markup.bcf'), ...named(files, 'viewpoint.bcfv')].forEach(inOrder);
  // In 2.1 a viewpoint of the markup is called as the list is.
  expect([...seen].sort()).toEqual(
    Object.keys(orders)
      .filter((name) => bcfVersion === '3.0' || name !== 'ViewPoint')
      .sort(),
  );
});

const SCHEMAS: Record<string, string> = {
  ...{ 'bcf.version': 'version.xsd', 'extensions.xml': 'extensions.xsd' },
  ...{ 'markup.bcf': 'markup.xsd', 'viewpoint.bcfv': 'visinfo.xsd' },
};

for (const version of VERSIONS) {
  const folder = `bcf-${version}`;
  const names = ['markup', 'visinfo', 'version', 'extensions'].map((name) => `${folder}/${name}.xsd`);
  testWithSchemas(names, `BCF ${version} is valid by the schemas of buildingSMART`, async () => {
    const subjects = [subjectOf('a', null, '0BTBFw6f90Nfh9rP1dlXr2'), subjectOf(' '), subjectOf('')];
    const findings = [...oneOfEach, findingOf({ id: 'odd', rule: ' ', class: '', message: '', note: ' ', subjects })];
    for (const group of ['finding', 'rule', 'element', 'cluster'] as const) {
      const one = { ...reportOf(findings, { incomplete: ['cut'] }), snapshot: () => Uint8Array.of(1) };
      const files = await filesOf(one, { bcfVersion: version, group });
      for (const [path, content] of Object.entries(files)) {
        const schema = SCHEMAS[path.split('/').at(-1)!];
        if (schema) expect(xmllint(content, `${folder}/${schema}`), path).toBe('');
      }
    }
  });
}

test.each([
  ['2.1', 1],
  ['3.0', 0],
] as const)('BCF %s: a topic without a picture has %i viewpoints', async (bcfVersion, count) => {
  const files = await filesOf(reportOf([findingOf()]), { bcfVersion });
  expect(named(files, 'viewpoint.bcfv')).toHaveLength(count);
  expect(elementsOf(named(files, 'markup.bcf')[0], 'Viewpoint')).toHaveLength(count);
});
