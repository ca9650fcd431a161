/** `gicollide check` as scripts see it: verdicts, exit codes, the report, poses from everywhere, refusals. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Report } from '../../src/engine/records.ts';
import { build, write } from '../../src/index.ts';
import { ended, expectFailure, makeFolder, type Outcome, run, start, writeMesh } from '../support/cli.ts';
import { long, some } from '../support/long.ts';
import { box, icosphere } from '../support/shapes.ts';

const cwd = makeFolder();
const check = (args: readonly string[], input = ''): Promise<Outcome> =>
  run(['check', 'box.tiff', 'ball.tiff', ...args], { cwd, input });
const reports = (stdout: string): Report[] =>
  stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
const verdicts = (stdout: string): string[] => reports(stdout).map((report) => report.verdict);

/** Rows of a 4x4 that only shifts. */
const shift = (x: number, y = 0, z = 0): number[] => [1, 0, 0, x, 0, 1, 0, y, 0, 0, 1, z, 0, 0, 0, 1];
const FAR = shift(5);
const NEAR = shift(0.25);
const DOUBLED = [2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 1];

beforeAll(async () => {
  writeMesh(join(cwd, 'box.obj'), box());
  writeMesh(join(cwd, 'sphere.obj'), icosphere(1));
  writeFileSync(join(cwd, 'box.tiff'), await write(build(box(), { size: 17 })));
  for (const [name, k] of [
    ['box', 14],
    ['ball', 24],
  ] as const) {
    const mesh = name === 'box' ? box() : icosphere(1);
    writeFileSync(join(cwd, `${name}.kdop`), await write(build(mesh, { format: 'kdop', k })));
  }
  writeFileSync(join(cwd, 'ball.tiff'), await write(build(icosphere(1), { size: 17 }), { compression: 'none' }));
});

describe.concurrent('verdicts and exit codes', { tags: ['quick', 'long'] }, () => {
  const said: [string, string[], number, RegExp][] = [
    [
      'clear in spite of --level and --clearance',
      ['--translate-b', '5,0,0', '--level', '0', '--clearance', '2'],
      0,
      /^clear {2}box\.tiff {2}ball\.tiff\n$/,
    ],
    [
      'an awaited contact, of every one',
      ['--translate-b', '.5,0,0', '--all', '--expect', 'contact'],
      0,
      /^contact .*\n {2}\d+ contacts: (\d+-\d+ ){10}\.\.\.\n$/,
    ],
    [
      '--contact-points and --lod',
      ['--translate-b', '.5,0,0', '--contact-points', '--lod', '3'],
      1,
      /^contact at \(.*\) {2}box\.tiff {2}ball\.tiff\n {2}one contact: triangle \d+ of a, triangle \d+ of b\n {2}from \(.*\) to \(.*\), normal \(.*\), triangle depth \d/,
    ],
    [
      'a cut list, awaited, said',
      ['--all', '--max-contacts', '3', '--translate-b', '.5,0,0', '--expect', 'contact'],
      3,
      /^contact .*\n {2}3 contacts, and more: the list was cut; raise --max-contacts: /,
    ],
    ['clear, awaited contact', ['--translate-b', '5,0,0', '--expect', 'contact'], 1, /^clear /],
    [
      'within --clearance',
      ['--translate-b', '5,0,0', '--clearance', '4'],
      1,
      /^contact within 4 at \(.*\) {2}box.*\n {2}one pair within 4: triangle \d+ of a, triangle \d+ of b\n$/,
    ],
    [
      'every pair within --clearance',
      ['--translate-b', '5,0,0', '--clearance', '4', '--all'],
      1,
      /^contact within 4 at \(.*\) {2}box.*\n {2}[\d,]+ pairs of triangles within 4: (\d+-\d+ ){10}\.\.\.\n$/,
    ],
    [
      'the --distance',
      ['--translate-b', '5,0,0', '--distance'],
      0,
      /^clear .*\n {2}distance \d\.\d+: \(.*\) on triangle \d+ of a, \(.*\) on triangle \d+ of b\n$/,
    ],
    [
      'no --budget',
      ['--translate-b', '.5,0,0', '--budget', '0'],
      3,
      /^undecided .*\n {2}--budget 0 ended the search: give it more milliseconds\n {2}distance between 0 and \d/,
    ],
    [
      '--bounds spheres',
      ['--translate-b', '5,0,0', '--bounds', 'spheres', '-v'],
      0,
      /^clear .*\n {2}engine search: 1 sphere test, 0 triangle tests, to level 0, [\d.]+ ms\n$/,
    ],
    [
      '--bounds spheres and no --budget',
      ['--translate-b', '.5,0,0', '--bounds', 'spheres', '--budget', '0'],
      3,
      /^undecided .*\n {2}--budget 0 ended .*\n {2}distance between 0 and \d/,
    ],
    [
      'to --level 1',
      ['--translate-b', '.5,0,0', '--level', '1'],
      3,
      /^undecided .*\n {2}--level 1 ended the search: raise it, or leave it out\n/,
    ],
    ['clear', ['--translate-b', '5,0,0'], 0, /^clear {2}box\.tiff {2}ball\.tiff\n$/],
    [
      'contact',
      ['--translate-b', '.5,0,0'],
      1,
      /^contact at \((-?[\d.]{1,9}(e-\d+)?( |\))){3} {2}box\.tiff {2}ball\.tiff\n {2}one contact: triangle \d+ of a, triangle \d+ of b\n$/,
    ],
    ['clear where contact is awaited', ['--translate-b', '5,0,0', '--expect', 'contact'], 1, /^clear /],
    ['closer than --clearance', ['--translate-b', '5,0,0', '--clearance', '4'], 1, /^contact /],
    ['farther than --clearance', ['--translate-b', '5,0,0', '--clearance', '2'], 0, /^clear /],
    [
      '--distance',
      ['--translate-b', '5,0,0', '--distance'],
      0,
      /^clear .*\n {2}distance \d\.\d+: \(.*\) on triangle \d+ of a, \(.*\) on triangle \d+ of b\n$/,
    ],
    [
      'out of --budget',
      ['--translate-b', '.5,0,0', '--budget', '0'],
      3,
      /^undecided .*\n {2}--budget 0 ended .*\n {2}distance between 0 and \d/,
    ],
    [
      '--contact-points',
      ['--translate-b', '.5,0,0', '--contact-points'],
      1,
      /\n {2}from \(.*\) to \(.*\), normal \(.*\), triangle depth \d/,
    ],
    [
      '--patches, which take all contacts',
      ['--translate-b', '.5,0,0', '--patches'],
      1,
      /\n {2}\d+ contacts: .*\n {2}1 patch:\n {2}closed curve, length \d.*, centre \(.*\), normal \(.*\), \d+ pairs\n$/,
    ],
    ['--lod', ['--translate-b', '.5,0,0', '--lod', '3'], 1, /^contact /],
    ['ended by --level', ['--translate-b', '.5,0,0', '--level', '1'], 3, /^undecided .*\n {2}--level 1 ended /],
    ['every contact', ['--translate-b', '.5,0,0', '--all'], 1, /\n {2}\d+ contacts: (\d+-\d+ ){10}\.\.\.\n$/],
    [
      'a cut list',
      ['--translate-b', '.5,0,0', '--all', '--max-contacts', '3'],
      3,
      /\n {2}3 contacts, and more: the list was cut; raise --max-contacts: /,
    ],
    [
      'a cut list, awaited',
      ['--all', '--max-contacts', '3', '--translate-b', '.5,0,0', '--expect', 'contact'],
      3,
      /^contact/,
    ],
    ['clear in spite of --level', ['--translate-b', '5,0,0', '--level', '0'], 0, /^clear /],
    ['an awaited contact', ['--translate-b', '.5,0,0', '--expect', 'contact'], 0, /^contact /],
  ];
  test.each(some(9, said))('%s', async (_, args, code, text) => {
    const outcome = await check(args);
    expect(outcome).toMatchObject({ code, stderr: '' });
    expect(outcome.stdout).toMatch(text);
  });

  test('cd check is check, and --quiet keeps the verdict', async () => {
    const args = ['--log-level', 'info', 'cd', 'check', 'box.tiff', 'ball.tiff', '--translate-b', '5,0,0'];
    for (const more of some(1, [['--quiet'], []])) {
      const outcome = await run([...args, ...more], { cwd });
      expect(outcome).toMatchObject({ code: 0, stderr: '', stdout: expect.stringMatching(/^clear /) });
    }
    if (long) expect((await check(['-q', '--translate-b', '5,0,0'])).stdout).toMatch(/^clear /);
  });

  test('a mesh is built in memory, and an asset touches itself', async () => {
    const mesh = await run(['check', 'box.obj', 'box.tiff', '--translate-b', '0,0,1.5', '--verbose'], { cwd });
    expect(mesh.code).toBe(0);
    expect(mesh.stdout).toMatch(
      /^clear {2}box\.obj {2}box\.tiff\n {2}engine common: \d+ bound tests?, \d+ triangle tests?, /,
    );
    expect(mesh.stderr).toBe('info: box.obj: a mesh, built in memory as an OBB tree\n');
    // In the short run an image with itself is on-demand.test.ts's.
    if (long) expect(await run(['check', 'box.tiff', 'box.tiff'], { cwd })).toMatchObject({ code: 1, stderr: '' });
  });
});

test('lengths have their unit; a clearance that equals the distance says so, and what to do', async () => {
  const asked = async (...more: string[]) =>
    run(['check', 'box.obj', 'box.obj', '--translate-b', '5,0,0', '--units', 'm', ...more], { cwd });
  const { distance } = JSON.parse((await asked('--distance', '--json')).stdout);
  expect((await asked('--distance')).stdout).toContain(`  distance ${Number(distance.toPrecision(6))} m: (`);
  const tie = await asked('--clearance', `${Math.round(distance)}`);
  expect(tie).toMatchObject({ code: 3, stderr: '' });
  expect(tie.stdout).toBe(
    `undecided  box.obj  box.obj\n  the distance equals the clearance of ${Math.round(distance)} m, up to rounding: choose a slightly smaller or larger --clearance\n`,
  );
  expect((await asked('--clearance', '4.5')).stdout).toMatch(
    /^contact within 4\.5 m at \(.*\) m {2}box\.obj {2}box\.obj\n/,
  );
});

describe.concurrent('k-DOP trees', { tags: ['quick', 'long'] }, () => {
  const of = (args: string[]) => run(['check', ...args, '--json'], { cwd });

  test('with themselves, with images and meshes: one verdict; --source holds', async () => {
    for (const [args, code, path] of some<[string[], number, string]>(3, [
      [['box.kdop', 'ball.kdop', '--translate-b', '1.6,0,0', '--source'], 0, 'native'],
      [['box.kdop', 'sphere.obj', '--translate-b', '1.2,0,0', '--source'], 1, 'common'],
      [['box.tiff', 'ball.kdop', '--translate-b', '1.2,0,0'], 1, 'common'],
      [['box.kdop', 'ball.kdop', '--translate-b', '1.2,0,0', '--source'], 1, 'native'],
    ])) {
      const outcome = await of(args);
      expect(outcome).toMatchObject({ code, stderr: '' });
      expect(reports(outcome.stdout)[0]).toMatchObject({ path, verdict: code === 1 ? 'contact' : 'clear' });
    }
  });

  test('--axes: the same answer', async () => {
    const list = async (...axes: string[]) => {
      const { code, stdout } = await of(['box.kdop', 'ball.kdop', '--translate-b', '1.2,0,0', '--all', ...axes]);
      expect(code).toBe(1);
      return reports(stdout)[0];
    };
    const whole = await list();
    const few = await list('--axes', '2');
    expect(whole.contacts.count).toBeGreaterThan(0);
    expect(few.contacts).toEqual(whole.contacts);
    expect(few.tests.bounds).toBeGreaterThan(whole.tests.bounds);
    if (long) expect((await list('--axes', '19')).tests).toEqual(whole.tests);
  });

  test.each(
    some<[string[], RegExp]>(1, [
      [['box.kdop', 'ball.kdop', '--axes', '20'], /^axes 20: expected a whole number from 1 to 19$/],
      [['box.kdop', 'ball.kdop', '--axes', '0'], /'--axes <n>'.*whole number from 1/],
      [['box.kdop', 'ball.tiff', '--axes', '3'], /^axes: both must be k-DOP trees, found gi$/],
      [['box.obj', 'ball.kdop', '--axes', '3'], /^axes: both must be k-DOP trees, found obb$/],
    ]),
  )('%j is refused', async (args, line) => expectFailure(await of(args), line));
});

describe.concurrent('--json: the report of the contract', () => {
  const expectReport = (report: Report): void => {
    expect(Object.keys(report)).toEqual([
      'verdict',
      'a',
      'b',
      'path',
      'engine',
      'tolerance',
      'contacts',
      'distance',
      'witness',
      'bracket',
      'level',
      'tests',
      'ms',
      'run',
    ]);
    expect(report.a).toEqual({ file: 'box.tiff', representation: 'gi' });
    expect(report.b).toEqual({ file: 'ball.tiff', representation: 'gi' });
    expect(['native', 'common']).toContain(report.path);
    // Of two images of 17 samples a side, each within a tenth of its source.
    const { missing, excess } = report.tolerance as { missing: number; excess: number };
    for (const length of [missing, excess]) expect(length > 0.01 && length < 0.2).toBe(true);
    expect([report.distance, report.witness]).toEqual([null, null]);
    expect(Object.keys(report.contacts)).toEqual(['count', 'complete', 'pairs']);
    expect(report.contacts.pairs).toHaveLength(report.contacts.count);
    expect(Object.keys(report.tests)).toEqual(['bounds', 'hulls']);
    expect(Object.keys(report.ms)).toEqual(['load', 'query']);
    for (const n of [report.level, report.tests.bounds, report.tests.hulls]) expect(Number.isInteger(n)).toBe(true);
    for (const ms of [report.ms.load, report.ms.query]) expect(ms).toBeGreaterThan(0);
  };

  let first: Promise<Outcome> | undefined;
  const firstContact = () => (first ??= check(['--translate-b', '.5,0,0', '--json']));

  test('of the first contact', async () => {
    const { code, stdout } = await firstContact();
    const [report] = reports(stdout);
    expectReport(report);
    expect(code).toBe(1);
    expect(report).toMatchObject({ verdict: 'contact', contacts: { count: 1, complete: false } });
  });

  test('of all: sorted by a, then by b, the first contact among them', async () => {
    const { stdout } = await check(['--translate-b', '.5,0,0', '--json', '--all']);
    const [report] = reports(stdout);
    expectReport(report);
    expect(report.contacts.complete).toBe(true);
    const { pairs } = report.contacts;
    expect(pairs).toEqual(pairs.toSorted(([a, b], [c, d]) => a - c || b - d));
    expect(new Set(pairs.map(String)).size).toBe(pairs.length);
    expect(pairs).toContainEqual(reports((await firstContact()).stdout)[0].contacts.pairs[0]);
    for (const [a, b] of pairs) expect(Math.max(a, b)).toBeLessThan(512);
  });

  test('of a clear pair', async () => {
    const { code, stdout } = await check(['--translate-b', '5,0,0', '--json']);
    expectReport(reports(stdout)[0]);
    expect(code).toBe(0);
    expect(reports(stdout)[0]).toMatchObject({ verdict: 'clear', contacts: { count: 0, complete: true, pairs: [] } });
  });
});

describe.concurrent('a pose', () => {
  /** b turned by 90 degrees about z, then shifted, the same in three spellings. */
  test('by --pose, by --rotate and --translate, and by its inverse on the other side', { tags: ['long'] }, async () => {
    const list = async (args: string[]) => reports((await check([...args, '--all', '--json'])).stdout)[0].contacts;
    const whole = await list(['--pose-b', '[0 -1 0 1.25 1 0 0 .125 0 0 1 0 0 0 0 1]']);
    expect(whole.count).toBeGreaterThan(0);
    for (const same of some(1, [
      ['--rotate-a', '0,0,1,-90', '--translate-a', '-.125,1.25,0'],
      ['--pose-b', '0,-1,0,1.25, 1,0,0,.125, 0,0,1,0, 0,0,0,1'],
      ['--translate-b', '1.25,.125,0', '--rotate-b', '0,0,1,90'],
      ['--pose-a', '0 1 0 -.125 -1 0 0 1.25 0 0 1 0 0 0 0 1'],
    ])) {
      expect(await list(same)).toEqual(whole);
    }
    if (long) expect(await list(['--translate-b', '1.25,.125,0'])).not.toEqual(whole);
  });

  test.each(
    some<[string, string[], RegExp]>(2, [
      ['a mirror', ['--pose-a', '-1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1'], /^--pose-a mirrors/],
      ['a shear', ['--pose-b', '1,.5,0,0,0,1,0,0,0,0,1,0,0,0,0,1'], /^--pose-b (shears|scales)/],
      [
        'a scale',
        ['--pose-b', DOUBLED.join()],
        /^--pose-b scales by 2; a pose is rigid; scale the mesh \(gicollide build --scale\)$/,
      ],
      ['NaN', ['--pose-b', 'NaN,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1'], /'--pose-b <m>'.*16 numbers/],
      ['15 numbers', ['--pose-b', FAR.slice(1).join()], /'--pose-b <m>'.*16 numbers/],
      ['column-major', ['--pose-b', '1,0,0,0,0,1,0,0,0,0,1,0,5,0,0,1'], /row-major/],
      ['2 numbers', ['--translate-b', '1,2'], /'--translate-b <x,y,z>'.*3 numbers/],
      ['no axis', ['--rotate-b', '0,0,0,90'], /axis/],
      [
        'two poses of one asset',
        ['--pose-b', FAR.join(), '--translate-b', '1,0,0'],
        /^--pose-b is a whole pose: leave out/,
      ],
      ['a bad number', ['--max-contacts', '0'], /'--max-contacts <n>'.*whole number from 1/],
      ['a bad level', ['--level', '-1'], /'--level <n>'.*whole number from 0/],
      ['a bad verdict', ['--expect', 'undecided'], /'--expect <verdict>'.*clear, contact/],
      ['--poses beside a pose', ['--poses', 'many.json', '--pose-b', FAR.join()], /^--poses .*leave out --pose-b$/],
      ['--poses beside a turn', ['--poses', 'many.json', '--rotate-a', '0,0,1,9'], /^--poses .*leave out --rotate-a$/],
      ['--poses from nowhere', ['--poses', 'gone.json'], /^gone\.json: no such file$/],
    ]),
  )('%s is refused', { tags: ['quick', 'long'] }, async (_, args, line) => expectFailure(await check(args), line));
});

test('--source of an image that records no tolerance is refused', async () => {
  // As version 0.1.0 wrote them.
  writeFileSync(join(cwd, 'old.tiff'), readFileSync(new URL('../golden/box-17-v1.tiff', import.meta.url)));
  const outcome = await run(['check', 'old.tiff', 'ball.tiff', '--source'], { cwd });
  expectFailure(outcome, /^--source: old\.tiff records no tolerance/);
});

describe.concurrent('--poses', () => {
  const lines = (...poses: unknown[]): string => poses.map((pose) => `${JSON.stringify(pose)}\n`).join('');
  const document = (...poses: number[][]): string => JSON.stringify({ queries: poses.map((T) => ({ T })) }, null, 1);
  let files = 0;
  const many = (text: string): string[] => {
    const name = `${files++}.txt`;
    writeFileSync(join(cwd, name), text);
    return ['--poses', name, '--json'];
  };

  test.each(
    some(2, [
      ['a document', document(FAR, NEAR, FAR), 'stdin'],
      [
        'lines with CRLF, blank ones and no end',
        `\uFEFF${lines(FAR, NEAR)}\n${JSON.stringify(FAR)}`.replaceAll('\n', '\r\n'),
        'file',
      ],
      ['lines', lines(FAR, NEAR, FAR), 'file'],
    ]),
  )(
    '%s, from a file or from stdin: an answer a pose, in order, the highest code',
    { tags: ['quick', 'long'] },
    async (_, text, from) => {
      for (const way of long ? ['file', 'stdin'] : [from]) {
        const outcome = await (way === 'file' ? check(many(text)) : check(['--poses', '-', '--json'], text));
        expect(outcome).toMatchObject({ code: 1, stderr: '' });
        expect(verdicts(outcome.stdout)).toEqual(['clear', 'contact', 'clear']);
      }
    },
  );

  test('the same answers as one by one', { tags: ['long'] }, async () => {
    const poses = Array.from({ length: 12 }, (_, i) => shift(0.1 + 0.15 * i, 0.05 * i, -0.03 * i));
    const together = reports((await check([...many(document(...poses)), '--all'])).stdout);
    for (const i of some(2, [0, 11, 5])) {
      const [{ run: _, ...alone }]: (Report & { run?: object })[] = reports(
        (await check(['--pose-b', poses[i].join(), '--all', '--json'])).stdout,
      );
      // One alone is answered without a kernel, by other tests.
      const effort = { ms: null, tests: null, level: null };
      expect({ ...together[i], ...effort }).toEqual({ ...alone, ...effort, pose: i });
    }
  });

  test('undecided outranks the other verdict', async () => {
    const outcome = await check([...many(document(FAR, NEAR)), '--level', '1', '--expect', 'contact']);
    expect(outcome.code).toBe(3);
    expect(verdicts(outcome.stdout)).toEqual(['clear', 'undecided']);
  });

  test('without --json: a line a pose', async () => {
    writeFileSync(join(cwd, 'both.txt'), lines(FAR, NEAR));
    const said = async (...more: string[]) => (await check(['--poses', 'both.txt', ...more])).stdout;
    const place = String.raw`contact at \(-?[\d.e-]+ -?[\d.e-]+ -?[\d.e-]+\)`;
    expect(await said()).toMatch(new RegExp(`^pose 0: clear\npose 1: ${place}\n2 poses: 1 contact, 1 clear\n$`));
    expect(await said('-q')).toMatch(new RegExp(`^pose 0: clear\npose 1: ${place}\n$`));
    expect(await said('--budget', '0')).toMatch(
      /\npose 1: undecided: --budget 0 ended the search: .*\n2 poses: 0 contact, 1 clear, 1 undecided\n$/,
    );
  });

  test('stdin: a line is answered before the next is sent, and the end of input ends it', {
    tags: ['all'],
  }, async () => {
    const child = start(['check', 'box.tiff', 'ball.tiff', '--poses', '-', '--json'], { cwd });
    const answers: string[] = [];
    for (const pose of [FAR, NEAR, FAR]) {
      const answer = new Promise<string>((done) => child.stdout.once('data', (chunk) => done(String(chunk))));
      child.stdin.write(`${JSON.stringify(pose)}\n`);
      answers.push(...verdicts(await answer));
    }
    child.stdin.end();
    expect(await ended(child)).toMatchObject({ code: 1, stderr: '' });
    expect(answers).toEqual(['clear', 'contact', 'clear']);
  });

  test('stdin: a bad line ends it at once, though the writer still waits', { tags: ['long'] }, async () => {
    const child = start(['check', 'box.tiff', 'ball.tiff', '--poses', '-', '--json'], { cwd });
    child.stdin.on('error', () => {});
    child.stdin.write(lines(FAR, DOUBLED));
    const outcome = await ended(child);
    expect(outcome.code).toBe(2);
    expect(outcome.stderr).toBe(
      'error: stdin: the pose in line 2 scales by 2; a pose is rigid; scale the mesh (gicollide build --scale)\n',
    );
    expect(verdicts(outcome.stdout)).toEqual(['clear']);
  });

  const bad: [string, string, RegExp][] = [
    ['words', `${lines(FAR)}far away\n`, /^\d+\.txt:2: expected 16, 12, 8 or 7 numbers of a pose, found far away$/],
    [
      '15 numbers',
      lines(FAR, FAR, FAR.slice(1)),
      /^\d+\.txt:3: expected 16, 12, 8 or 7 numbers of a pose, found \[0,0,5/,
    ],
    [
      'a scale',
      lines(FAR, DOUBLED),
      /^\d+\.txt: .*line 2 scales by 2; a pose is rigid; scale the mesh \(gicollide build --scale\)$/,
    ],
    ['too large a number', `[1e999${',0'.repeat(15)}]`, /^\d+\.txt: .*line 1.*Infinity/],
    ['null', lines([...FAR.slice(1), null]), /^\d+\.txt:1: /],
    ['no JSON', '{"queries": [', /^\d+\.txt: expected JSON, found /],
    ['no queries', '{"poses": []}', /^\d+\.txt: .*"queries"/],
    ['a query without T', '{"queries": [{"t": []}]}', /^\d+\.txt: expected 16, 12 or 7 numbers as "T" of query 0/],
    [
      'a scale in a document',
      document(FAR, DOUBLED),
      /^\d+\.txt: query 1 scales by 2; a pose is rigid; scale the mesh \(gicollide build --scale\)$/,
    ],
    ['nothing', '', /^--poses \d+\.txt: expected at least one pose, found none$/],
    ['no query', '{"queries": []}', /^--poses \d+\.txt: expected at least one pose, found none$/],
  ];
  test.each(some(1, bad))(
    'a file with %s: one line, and no answer before it',
    { tags: ['quick', 'long'] },
    async (_, text, line) => {
      expectFailure(await check(many(text)), line);
    },
  );

  test('an empty pipe is no verdict', async () => {
    expectFailure(await check(['--poses', '-']), /^--poses -: expected at least one pose, found none$/);
  });
});

describe.concurrent('files that are no asset', () => {
  beforeAll(async () => {
    const whole = readFileSync(join(cwd, 'ball.tiff'));
    const pixels = { create: { width: 17, height: 17, channels: 3 as const, background: 'red' } };
    writeFileSync(join(cwd, 'png.tiff'), await sharp(pixels).png().toBuffer());
    writeFileSync(join(cwd, 'grey8.tiff'), await sharp(pixels).tiff({ compression: 'lzw' }).toBuffer());
    writeFileSync(join(cwd, 'big.tiff'), await sharp(pixels).tiff({ compression: 'lzw', bigtiff: true }).toBuffer());
    writeFileSync(join(cwd, 'text.tiff'), 'a text\n');
    writeFileSync(join(cwd, 'empty.tiff'), '');
    writeFileSync(join(cwd, 'cut.tiff'), whole.subarray(0, whole.length - 100));
    writeFileSync(join(cwd, 'head.tiff'), whole.subarray(0, 9));
    const flipped = Uint8Array.from(whole);
    flipped[whole.length >> 1] ^= 1;
    writeFileSync(join(cwd, 'flipped.tiff'), flipped);
    mkdirSync(join(cwd, 'folder.tiff'));
  });

  test.each(
    some<[string, RegExp]>(2, [
      ['flipped.tiff', /^flipped\.tiff: .*damaged/],
      [
        'png.tiff',
        /^png\.tiff: .*expected a collision asset \(a geometry image, a k-DOP tree, an OBB tree, cubes or an F-rep\), found bytes 89 50 4e 47/,
      ],
      ['gone.tiff', /^gone\.tiff: no such file$/],
      ['folder.tiff', /^folder\.tiff: it is a folder; gicollide scene checks the files of a folder$/],
      ['box.tiff/x', /^box\.tiff\/x: a part of its path is not a folder$/],
      ['text.tiff', /^text\.tiff: .*expected a collision asset/],
      ['empty.tiff', /^empty\.tiff: .*found an empty file$/],
      ['grey8.tiff', /^grey8\.tiff: .*16/],
      ['big.tiff', /^big\.tiff: /],
      ['cut.tiff', /^cut\.tiff: /],
      ['head.tiff', /^head\.tiff: /],
    ]),
  )('%s: one line that names it, exit code 2', { tags: ['quick', 'long'] }, async (name, line) => {
    expectFailure(await run(['check', 'box.tiff', name], { cwd }), line);
  });
});
