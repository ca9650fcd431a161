/** The server of `gicollide view`: who is answered, and what a change of the baseline must be. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { openPageBaseline } from '../../src/cli/view/page-baseline.ts';
import { type ServedView, type ServeOptions, serveView } from '../../src/cli/view/server.ts';
import type { ReportFinding } from '../../src/report/finding.ts';
import { readBaseline } from '../../src/report/read-baseline.ts';
import type { ViewDocument } from '../../src/viewer/document.ts';
import { makeFolder } from '../support/cli.ts';

const PAGE =
  '<!doctype html><meta http-equiv="Content-Security-Policy" content="default-src \'none\'; connect-src \'self\'"><!--data-->';

const findingOf = (id: string): ReportFinding => ({
  ...{ id, rule: 'overlap', class: 'overlap', level: 'error', state: 'new', note: null, accepted: false },
  subjects: ['a', 'b'].map((name) => ({ name, file: null, line: null, sha256: null, guid: null })),
  ...{ message: 'overlap', point: null, box: null, size: { kind: 'thickness', lower: 1, upper: 2 }, again: null },
});

const ONE = '0123456789abcdef';
const TWO = 'fedcba9876543210';
const NOTHING = { accepted: false, note: null };

const documentOf = (): ViewDocument => ({
  ...{ gicollide: 'view/1', title: '</script><b>', tool: 'gicollide', units: null },
  assets: [{ name: 'a', representation: 'obb', sha256: null, bytes: 3 }],
  ...{ objects: [], asked: {}, findings: [findingOf(ONE), findingOf(TWO)], summary: null, frames: [] },
  ...{ baseline: null, again: { command: 'check', files: [], options: [] } },
});

const open: ServedView[] = [];
afterEach(async () => {
  for (const served of open.splice(0)) await served.close();
});

async function serve(
  options: ServeOptions = {},
  document = documentOf(),
  files = [Uint8Array.of(1, 2, 3)],
): Promise<ServedView> {
  const served = await serveView(PAGE, { document, files }, options);
  open.push(served);
  return served;
}

interface Asked {
  method?: string;
  headers?: Record<string, string>;
  body?: string | Uint8Array;
}

/** One request, whose path and headers go out as they stand here. */
function ask({ port }: ServedView, path: string, { method = 'GET', headers = {}, body }: Asked = {}) {
  return new Promise<{ status: number; headers: Record<string, unknown>; text: string }>((done, failed) => {
    const asked = request({ host: '127.0.0.1', port, path, method, headers }, (response) => {
      const pieces: Buffer[] = [];
      response.on('data', (piece) => pieces.push(piece));
      response.on('end', () =>
        done({
          status: response.statusCode!,
          headers: response.headers,
          text: Buffer.concat(pieces).toString('latin1'),
        }),
      );
    });
    asked.on('error', failed);
    asked.end(body);
  });
}

const tokenOf = ({ token }: ServedView): Record<string, string> => ({ 'x-gicollide-token': token });
const statusOf = async (...args: Parameters<typeof ask>): Promise<number> => (await ask(...args)).status;

test('the page needs no token and has no data; data needs it in its header', async () => {
  const served = await serve();
  expect(served.address).toBe(`http://127.0.0.1:${served.port}/#token=${served.token}`);
  expect(Buffer.from(served.token, 'base64url')).toHaveLength(32);
  expect(await ask(served, '/')).toMatchObject({ status: 200, text: PAGE });
  expect(await ask(served, '/?a=b')).toMatchObject({ status: 200, text: PAGE });
  for (const path of ['/data/document.json', '/data/asset/0']) {
    expect(await statusOf(served, path)).toBe(403);
    expect(await statusOf(served, `${path}?token=${served.token}`)).toBe(403);
    for (const token of ['', served.token.slice(1), `${served.token}x`, served.token.toUpperCase()])
      expect(await statusOf(served, path, { headers: { 'x-gicollide-token': token } })).toBe(403);
  }
  const document = await ask(served, '/data/document.json', { headers: tokenOf(served) });
  expect(document).toMatchObject({ status: 200, headers: { 'content-type': 'application/json; charset=utf-8' } });
  expect(JSON.parse(document.text)).toEqual(documentOf());
  const asset = await ask(served, '/data/asset/0', { headers: tokenOf(served) });
  expect(asset).toMatchObject({ status: 200, text: '\x01\x02\x03' });
  expect((await serve()).token).not.toBe(served.token);
});

test('every answer has the headers that keep it to itself', async () => {
  const served = await serve();
  for (const path of ['/', '/none', '/data/document.json']) {
    const { headers } = await ask(served, path);
    expect(headers).toMatchObject({
      'content-security-policy': "default-src 'none'; connect-src 'self'; frame-ancestors 'none'",
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-resource-policy': 'same-origin',
      'cache-control': 'no-store',
    });
    expect(headers).not.toHaveProperty('cross-origin-opener-policy');
    expect(headers).not.toHaveProperty('access-control-allow-origin');
  }
  const isolated = await ask(await serve({ isIsolated: true }), '/');
  expect(isolated.headers).toMatchObject({
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-embedder-policy': 'require-corp',
  });
});

test('a name that somebody made to lead here is refused, with the token, too', async () => {
  const served = await serve();
  const { port } = served;
  for (const host of [`127.0.0.1:${port}`, `localhost:${port}`])
    expect(await statusOf(served, '/data/document.json', { headers: { host, ...tokenOf(served) } })).toBe(200);
  const others = ['evil.example', `evil.example:${port}`, '127.0.0.1', 'localhost', `localhost:${port + 1}`];
  for (const host of [...others, `127.0.0.1:${port}.evil.example`, `127.0.0.1.:${port}`, `[::1]:${port}`])
    expect([host, await statusOf(served, '/', { headers: { host, ...tokenOf(served) } })]).toEqual([host, 403]);
});

test('assets that follow each other come in one answer', async () => {
  const files = [[1, 2, 3], [], [4], [5, 6]].map((bytes) => Uint8Array.from(bytes));
  const served = await serve({}, documentOf(), files);
  const get = (range: string) => ask(served, `/data/asset/${range}`, { headers: tokenOf(served) });
  expect(await get('0-3')).toMatchObject({ status: 200, text: '\x01\x02\x03\x04\x05\x06' });
  expect(await get('1-2')).toMatchObject({ status: 200, text: '\x04' });
  expect(await get('3')).toMatchObject({ status: 200, text: '\x05\x06' });
  for (const range of ['0-4', '4', '2-1', '-2', '0-', '0-01', '0-1-2', '1-0', '0-99999999999', '0,1'])
    expect([range, (await get(range)).status]).toEqual([range, 404]);
  expect(await statusOf(served, '/data/asset/0-3')).toBe(403);
});

test('paths are taken as they stand: no tricks, no folder', async () => {
  const served = await serve();
  const tricks = ['/data/asset/../asset/0', '/data/asset/..%2f..%2fetc/passwd', '/data/asset/../../../etc/passwd'];
  const numbers = ['/data/asset/1', '/data/asset/-1', '/data/asset/00', '/data/asset/0x0', '/data/asset/1e0'];
  const names = [
    '/data/asset/',
    '/data/asset/length',
    '/data/asset/constructor',
    '/data/',
    '/data',
    '//',
    '/index.html',
  ];
  for (const path of [...tricks, ...numbers, ...names, '/data/baseline', '/data/asset/99999999999', '/..', '*', '/%00'])
    expect([path, await statusOf(served, path, { headers: tokenOf(served) })]).toEqual([path, 404]);
  const absolute = `http://127.0.0.1:${served.port}/data/asset/0`;
  expect(await statusOf(served, absolute, { headers: tokenOf(served) })).toBe(404);
});

const none = () => Promise.reject(new Error('never asked'));

test('other methods are refused', async () => {
  const served = await serve({ baseline: { look: none, save: none } });
  for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS', 'HEAD', 'PATCH'])
    for (const path of ['/', '/data/document.json', '/data/asset/0'])
      expect(await ask(served, path, { method, headers: tokenOf(served) })).toMatchObject({
        status: 405,
        headers: { allow: 'GET' },
      });
  for (const method of ['PUT', 'OPTIONS', 'DELETE'])
    expect(await ask(served, '/data/baseline', { method, headers: tokenOf(served) })).toMatchObject({
      status: 405,
      headers: { allow: 'GET, POST' },
    });
});

test('what is no HTTP ends the connection alone', async () => {
  const served = await serve();
  const answer = await new Promise<string>((done) => {
    const socket = connect(served.port, '127.0.0.1', () => socket.write('\0\0\0 nonsense\r\n\r\n'));
    let text = '';
    socket.on('data', (piece) => {
      text += piece;
    });
    socket.on('close', () => done(text));
  });
  expect(answer).toMatch(/^HTTP\/1\.1 400 /);
  expect(await statusOf(served, '/')).toBe(200);
});

/** A server that saves to a file, and what sends it a change. */
async function saving(file = join(makeFolder(), 'known.json')) {
  const document = documentOf();
  const baseline = openPageBaseline(file, { worse: undefined, refine: null }, document.findings);
  const served = await serve({ baseline }, document);
  const own = {
    'x-gicollide-token': served.token,
    origin: `http://127.0.0.1:${served.port}`,
    'content-type': 'application/json',
  };
  const post = (body: unknown, headers: Record<string, string> = own) =>
    ask(served, '/data/baseline', {
      method: 'POST',
      headers,
      body: typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body),
    });
  const look = async (seen = '') => {
    const { status, text } = await ask(served, '/data/baseline', { headers: { ...own, 'if-none-match': seen } });
    return { status, ...(text !== '' && JSON.parse(text)) };
  };
  return { file, document, served, own, post, look };
}

test('accepted and noted findings reach the baseline, and the document', async () => {
  const { file, document, served, post } = await saving();
  const answer = await post([{ id: ONE, accepted: true, note: 'so be it', seen: NOTHING }]);
  expect(answer.status).toBe(200);
  expect(JSON.parse(answer.text)).toMatchObject({
    conflicts: [],
    findings: [
      { id: ONE, state: 'known', note: 'so be it', accepted: true },
      { id: TWO, state: 'new', note: null, accepted: false },
    ],
  });
  const entry = { id: ONE, rule: 'overlap', names: ['a', 'b'], class: 'overlap' };
  const size = { kind: 'thickness', lower: 1, upper: 2 };
  const known = () => [...readBaseline(readFileSync(file)).values()];
  expect(known()).toEqual([{ ...entry, size, accepted: true, note: 'so be it' }]);
  const shown = JSON.parse((await ask(served, '/data/document.json', { headers: tokenOf(served) })).text);
  expect(shown.findings[0]).toMatchObject({ state: 'known', accepted: true });
  expect(document.findings[1].state).toBe('new');
  // What somebody else has written meanwhile stays.
  writeFileSync(
    file,
    readFileSync(file, 'utf8').replace(
      'null]',
      '{"id":"00000000000000aa","rule":"r","names":["x"],"class":"c"},\nnull]',
    ),
  );
  expect(
    (
      await post([
        { id: ONE, accepted: false, note: null, seen: { accepted: true, note: 'so be it' } },
        { id: TWO, accepted: false, note: null, seen: NOTHING },
      ])
    ).status,
  ).toBe(200);
  expect(known()).toEqual([
    { id: '00000000000000aa', rule: 'r', names: ['x'], class: 'c' },
    { ...entry, size },
  ]);
});

/** What a page that was loaded a while ago sends, and what has become of the baseline since. */
const elsewhere: [string, (file: string, post: (body: unknown) => Promise<unknown>) => unknown][] = [
  ['in another tab', (_, post) => post([{ id: ONE, accepted: true, note: 'theirs', seen: NOTHING }])],
  [
    'on disk',
    (file) => {
      const text = readFileSync(file, 'utf8');
      writeFileSync(file, text.replace('"note":"first"', '"accepted":true,"note":"theirs"'));
    },
  ],
];

test.each(elsewhere)(
  'a finding that was changed %s is not changed again by who did not see it',
  async (where, change) => {
    const { file, post, look } = await saving();
    const known = () => readBaseline(readFileSync(file));
    let seen: object = NOTHING;
    if (where === 'on disk') {
      seen = { accepted: false, note: 'first' };
      expect((await post([{ id: ONE, accepted: false, note: 'first', seen: NOTHING }])).status).toBe(200);
    }
    const { revision } = await look();
    await change(file, post);
    const mine = { id: ONE, accepted: false, note: 'mine', seen };
    const { status, text } = await post([mine, { id: TWO, accepted: true, note: null, seen: NOTHING }]);
    // The other finding is saved, and this one named, as others left it.
    expect([status, JSON.parse(text)]).toMatchObject([
      200,
      {
        conflicts: [ONE],
        findings: [
          { accepted: true, note: 'theirs' },
          { accepted: true, state: 'known' },
        ],
      },
    ]);
    expect(JSON.parse(text).revision).not.toBe(revision);
    expect(known().get(ONE)).toMatchObject({ accepted: true, note: 'theirs' });
    expect(known().get(TWO)).toMatchObject({ accepted: true });
    // Who has seen that may still have it another way.
    const again = await post([{ ...mine, seen: { accepted: true, note: 'theirs' } }]);
    expect(JSON.parse(again.text)).toMatchObject({ conflicts: [] });
    expect(known().get(ONE)).toMatchObject({ note: 'mine' });
    expect(known().get(ONE)).not.toHaveProperty('accepted');
  },
);

test('who wants what others have done already is told nothing', async () => {
  const { post } = await saving();
  const change = [{ id: ONE, accepted: true, note: 'both', seen: NOTHING }];
  await post(change);
  expect(JSON.parse((await post(change)).text)).toMatchObject({ conflicts: [] });
});

test('pages hear of the baseline when it has changed, and of nothing twice', async () => {
  const { file, post, look, served } = await saving();
  expect(await statusOf(served, '/data/baseline')).toBe(403);
  const first = await look();
  expect(first).toMatchObject({ status: 200, entries: [], findings: [{ state: 'new' }, { state: 'new' }] });
  expect(await look(first.revision)).toEqual({ status: 304 });
  await post([{ id: ONE, accepted: true, note: null, seen: NOTHING }]);
  const second = await look(first.revision);
  expect(second).toMatchObject({ status: 200, findings: [{ id: ONE, state: 'known', accepted: true }, { id: TWO }] });
  expect(second.entries).toEqual([...readBaseline(readFileSync(file)).values()]);
  expect(await look(second.revision)).toEqual({ status: 304 });
  // A file that only looks different, and one that is.
  writeFileSync(file, readFileSync(file, 'utf8').replaceAll(',"', ', "'));
  expect(await look(second.revision)).toEqual({ status: 304 });
  writeFileSync(file, readFileSync(file, 'utf8').replace('"accepted":true', '"note":"by hand"'));
  expect(await look(second.revision)).toMatchObject({ findings: [{ accepted: false, note: 'by hand' }, {}] });
  writeFileSync(file, '{');
  expect(await ask(served, '/data/baseline', { headers: tokenOf(served) })).toMatchObject({
    status: 400,
    text: expect.stringMatching(/known\.json:1: .*\n$/),
  });
  rmSync(file);
  expect(await look()).toMatchObject({ entries: [], findings: [{ state: 'new', note: null }, { state: 'new' }] });
});

test('a note on a finding that is gone stays, even if its line was pruned meanwhile', async () => {
  const { document, file, post } = await saving();
  document.findings[1] = { ...document.findings[1], state: 'gone', size: null };
  expect((await post([{ id: TWO, accepted: false, note: 'look again', seen: NOTHING }])).status).toBe(200);
  expect(readBaseline(readFileSync(file)).get(TWO)).toMatchObject({ note: 'look again', names: ['a', 'b'] });
});

test.each([
  ['no token', '/data/document.json', {}],
  ['the token of a run that has ended', '/data/document.json', { 'x-gicollide-token': 'x'.repeat(43) }],
  ['another address', '/room', {}],
  ['another host', '/', { host: 'evil.example' }],
])('%s: one line says what to open', async (_, path, headers) => {
  const { text } = await ask(await serve(), path, { headers });
  expect(text).toMatch(/^[^\n]+: open the address that gicollide view printed, with its token\n$/);
});

test('a note is text, whatever it holds', async () => {
  const { file, post } = await saving();
  const note = '</script><img src=x onerror=alert(1)>\u202e\n","accepted":true';
  expect((await post([{ id: ONE, accepted: false, note, seen: NOTHING }])).status).toBe(200);
  expect(readBaseline(readFileSync(file)).get(ONE)).toMatchObject({ note });
  expect(readBaseline(readFileSync(file)).get(ONE)).not.toHaveProperty('accepted');
});

test('a change comes from the page itself, with the token', async () => {
  const { file, own, served, post } = await saving();
  const change = [{ id: ONE, accepted: true, note: null, seen: NOTHING }];
  const { origin: _, ...without } = own;
  const { 'x-gicollide-token': __, ...tokenless } = own;
  expect((await post(change, tokenless)).status).toBe(403);
  expect((await post(change, without)).status).toBe(403);
  const origins = [
    'null',
    'http://evil.example',
    `https://127.0.0.1:${served.port}`,
    `http://localhost:${served.port}`,
  ];
  for (const origin of [...origins, `http://127.0.0.1:${served.port}/`, `http://127.0.0.1:${served.port + 1}`])
    expect([origin, (await post(change, { ...own, origin })).status]).toEqual([origin, 403]);
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/json5', ''])
    expect([type, (await post(change, { ...own, 'content-type': type })).status]).toEqual([type, 415]);
  expect(existsSync(file)).toBe(false);
  expect((await post(change, { ...own, 'content-type': 'application/json; charset=utf-8' })).status).toBe(200);
});

test.each([
  ['no JSON', '{'],
  ['nothing', ''],
  ['no UTF-8', Uint8Array.of(0x5b, 0x22, 0xff, 0x22, 0x5d)],
  ['no list', {}],
  ['null', 'null'],
  ['an id that is none', [{ id: '../../etc/pass', accepted: true, note: null, seen: NOTHING }]],
  ['an id with a line', [{ id: `${ONE}\n`, accepted: true, note: null, seen: NOTHING }]],
  ['an id that no finding has', [{ id: '0000000000000000', accepted: true, note: null, seen: NOTHING }]],
  ['no boolean', [{ id: ONE, accepted: 1, note: null, seen: NOTHING }]],
  ['no note', [{ id: ONE, accepted: true, seen: NOTHING }]],
  ['nothing seen', [{ id: ONE, accepted: true, note: null }]],
  ['half seen', [{ id: ONE, accepted: true, note: null, seen: { accepted: true } }]],
  ['a long note', [{ id: ONE, accepted: true, note: 'x'.repeat(10_001), seen: NOTHING }]],
  ['another key', [{ id: ONE, accepted: true, note: null, seen: NOTHING, rule: 'x' }]],
  ['a prototype', '[{"id":"0123456789abcdef","accepted":true,"note":null,"seen":null,"__proto__":{}}]'],
])('%s is no change', async (_, body) => {
  const { file, post } = await saving();
  const answer = await post(body);
  expect(answer.status).toBe(400);
  expect(answer.text).toMatch(/^[^\n]+\n$/);
  expect(existsSync(file)).toBe(false);
});

test('more than 16 megabytes are refused, said or not', async () => {
  const { file, own, served, post } = await saving();
  const long = JSON.stringify([{ id: ONE, accepted: true, note: 'x'.repeat(16_000_000), seen: NOTHING }]);
  expect((await post(long)).status).toBe(413);
  const chunked = { ...own, 'transfer-encoding': 'chunked' };
  expect((await post(long, chunked)).status).toBe(413);
  expect(existsSync(file)).toBe(false);
  expect(await statusOf(served, '/')).toBe(200);
});

test('who goes in the middle of a change ends nothing', async () => {
  const { file, own, served } = await saving();
  const headers = Object.entries({ ...own, host: `127.0.0.1:${served.port}`, 'content-length': '100' });
  const lines = ['POST /data/baseline HTTP/1.1', ...headers.map((header) => header.join(': ')), '', '[{"id"'];
  await new Promise<void>((done) => {
    const socket = connect(served.port, '127.0.0.1', () => socket.end(lines.join('\r\n')));
    socket.resume().on('close', () => done());
  });
  await new Promise<void>((done) => {
    const socket = connect(served.port, '127.0.0.1', () => {
      socket.write(lines.join('\r\n'), () => socket.resetAndDestroy());
    });
    socket.on('error', () => {}).on('close', () => done());
  });
  expect(await statusOf(served, '/')).toBe(200);
  expect(existsSync(file)).toBe(false);
});

test('a baseline that cannot be read or written is one line, and is as it was', async () => {
  const folder = makeFolder();
  const broken = join(folder, 'broken.json');
  writeFileSync(broken, '{"gicollide":"baseline/9"}');
  const change = [{ id: ONE, accepted: true, note: null, seen: NOTHING }];
  const answer = await (await saving(broken)).post(change);
  expect(answer).toMatchObject({ status: 400, text: expect.stringMatching(/^.*broken\.json: expected [^\n]+\n$/) });
  expect(readFileSync(broken, 'utf8')).toBe('{"gicollide":"baseline/9"}');
  mkdirSync(join(folder, 'folder'));
  const unwritable = await (await saving(join(folder, 'broken.json', 'known.json'))).post(change);
  expect(unwritable).toMatchObject({
    status: 400,
    text: expect.stringContaining('a part of its path is not a folder'),
  });
});

test('a port that is taken is one line', async () => {
  const { port } = await serve();
  await expect(serve({ port })).rejects.toThrow(`--port ${port}: the port is taken`);
});
