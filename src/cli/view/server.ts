/**
 * The server of `gicollide view`, for browsers of this machine. Also makes its page, and opens a
 * browser.
 *
 * Any web page can send requests here, so there are three checks. Only this machine's host names
 * are accepted, since a foreign name can be made to resolve here. Data needs a token that no such
 * page knows. A change also needs the page's own origin.
 */

import { spawn } from 'node:child_process';
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliDecompressSync } from 'node:zlib';
import { InputError } from '../../base/errors.ts';
import { grouped, printable } from '../../base/printable.ts';
import type { ViewDocument } from '../../viewer/document.ts';
import type { LoadedView } from './load-view.ts';
import type { PageBaseline } from './page-baseline.ts';

export interface ServeOptions {
  /** A free port unless given. */
  port?: number;
  /** True to isolate the page from others, so that its threads may share memory. */
  isIsolated?: boolean;
  /** What pages hear of the baseline, and change there; absent if nothing can be saved. */
  baseline?: Pick<PageBaseline, 'look' | 'save'> | undefined;
}

export interface ServedView {
  /** To open in a browser: it contains the token. */
  address: string;
  port: number;
  token: string;
  close(): Promise<void>;
}

const HOST = '127.0.0.1';
const TOKEN_HEADER = 'x-gicollide-token';
const HOW = 'open the address that gicollide view printed, with its token';
/** Maximum bytes of a request's body: 100,000 findings that are accepted together. */
const MOST_SENT = 16_000_000;

class Refusal extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly headers: Record<string, string> = {},
  ) {
    super(message);
  }
}

interface Route {
  method: 'GET' | 'POST';
  type: string;
  /** True if it needs the token. */
  isData: boolean;
  /** Null if the browser has it already. */
  body(request: IncomingMessage): string | Uint8Array | Promise<string | null>;
}

type Shown = Pick<LoadedView, 'document' | 'files'>;

/** @param view its current document is sent on each request */
export async function serveView(page: string, view: Shown, options: ServeOptions = {}): Promise<ServedView> {
  const { port = 0, isIsolated = false, baseline } = options;
  const token = randomBytes(32).toString('base64url');
  const headers = headersOf(page, isIsolated);
  let own = port;
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    requireHost(request, own);
    const routes = routesTo(request.url?.split('?')[0] ?? '', page, view, baseline);
    if (routes.length === 0) throw new Refusal(404, `no such page: ${HOW}`);
    const route = routes.find(({ method }) => method === request.method);
    const allow = routes.map(({ method }) => method).join(', ');
    if (!route) throw new Refusal(405, `expected ${allow}`, { allow });
    const { type, isData } = route;
    if (isData) requireToken(request, token);
    const body = await route.body(request);
    if (body === null) response.writeHead(304, headers).end();
    else send(response, 200, { ...headers, 'content-type': type }, body);
  };
  const server = createServer((request, response) => {
    response.on('error', () => {}); // whoever asked has gone
    answer(request, response).catch((error: unknown) => refuse(response, error, headers));
  });
  own = await listen(server, port);
  return {
    address: `http://${HOST}:${own}/#token=${token}`,
    ...{ port: own, token },
    close: () =>
      new Promise<void>((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}

const JSON_TYPE = 'application/json; charset=utf-8';

/** Paths are compared literally, so none leads to a file. */
function routesTo(path: string, page: string, { document, files }: Shown, baseline: ServeOptions['baseline']): Route[] {
  const get = { method: 'GET' as const, isData: true };
  if (path === '/') return [{ ...get, isData: false, type: 'text/html; charset=utf-8', body: () => page }];
  // Browsers request it by themselves, and complain in the console.
  if (path === '/favicon.ico') return [{ ...get, isData: false, type: 'image/png', body: () => '' }];
  if (path === '/data/document.json') return [{ ...get, type: JSON_TYPE, body: () => JSON.stringify(document) }];
  const asked = assetsAt(path, files);
  if (asked)
    return [
      { ...get, type: 'application/octet-stream', body: () => (asked.length === 1 ? asked[0] : Buffer.concat(asked)) },
    ];
  if (path !== '/data/baseline' || !baseline) return [];
  const look = async ({ headers }: IncomingMessage): Promise<string | null> => {
    const news = await baseline.look();
    return headers['if-none-match'] === news.revision ? null : JSON.stringify(news);
  };
  const save = async (request: IncomingMessage): Promise<string> => {
    requireOwnOrigin(request);
    return JSON.stringify(await baseline.save(await bodyOf(request)));
  };
  return [
    { ...get, type: JSON_TYPE, body: look },
    { method: 'POST', type: JSON_TYPE, isData: true, body: save },
  ];
}

/** The files of one asset, or of several that follow each other: requests take time. */
function assetsAt(path: string, files: readonly Uint8Array[]): readonly Uint8Array[] | null {
  const [, first, last = first] = /^\/data\/asset\/(0|[1-9]\d{0,8})(?:-([1-9]\d{0,8}))?$/.exec(path) ?? [];
  if (first === undefined || Number(last) >= files.length || Number(last) < Number(first)) return null;
  return files.slice(Number(first), Number(last) + 1);
}

/** Listens on this machine's own address only. @returns the port */
function listen(server: Server, port: number): Promise<number> {
  return new Promise((done, failed) => {
    server.once('error', ({ code }: NodeJS.ErrnoException) => {
      const why = code === 'EADDRINUSE' ? 'the port is taken' : code === 'EACCES' ? 'permission denied' : code;
      failed(new InputError(`--port ${port}: ${why}`));
    });
    server.listen(port, HOST, () => done((server.address() as AddressInfo).port));
  });
}

function headersOf(page: string, isIsolated: boolean): Record<string, string> {
  return {
    'content-security-policy': `${policyOf(page)}; frame-ancestors 'none'`,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cross-origin-resource-policy': 'same-origin',
    'cache-control': 'no-store',
    ...(isIsolated && {
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-embedder-policy': 'require-corp',
    }),
  };
}

function send(response: ServerResponse, status: number, headers: Record<string, string>, body: string | Uint8Array) {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  response.writeHead(status, { ...headers, 'content-length': String(bytes.length) }).end(bytes);
}

function refuse(response: ServerResponse, error: unknown, headers: Record<string, string>): void {
  const isTheirs = error instanceof Refusal || error instanceof InputError;
  const status = error instanceof Refusal ? error.status : isTheirs ? 400 : 500;
  const more = error instanceof Refusal ? error.headers : {};
  const line = isTheirs ? printable(error.message) : 'internal fault';
  send(response, status, { ...headers, ...more, 'content-type': 'text/plain; charset=utf-8' }, `${line}\n`);
}

// ------------------------------------------------------------------------------------------- who may ask

/** Accepts the names of this machine at this port; browsers leave out 80. */
function requireHost({ headers }: IncomingMessage, port: number): void {
  const names = [HOST, 'localhost'];
  const hosts = [...names.map((name) => `${name}:${port}`), ...(port === 80 ? names : [])];
  if (!hosts.includes(headers.host ?? '')) throw new Refusal(403, `another host: ${HOW}`);
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Compares digests in constant time. */
function requireToken({ headers }: IncomingMessage, token: string): void {
  const given = headers[TOKEN_HEADER];
  if (typeof given !== 'string' || !timingSafeEqual(digest(given), digest(token)))
    throw new Refusal(403, `no token, or that of a run that has ended: ${HOW}`);
}

/** Requests of other pages have their origin, or none. */
function requireOwnOrigin({ headers }: IncomingMessage): void {
  if (headers.origin !== `http://${headers.host}`) throw new Refusal(403, 'another origin');
  const [type] = (headers['content-type'] ?? '').split(';');
  if (type.trim().toLowerCase() !== 'application/json') throw new Refusal(415, 'expected application/json');
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const tooLong = new Refusal(413, `expected at most ${MOST_SENT} bytes`, { connection: 'close' });
  if (Number(request.headers['content-length'] ?? 0) > MOST_SENT) throw tooLong;
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of request.iterator({ destroyOnReturn: false })) {
    length += piece.length;
    if (length > MOST_SENT) throw tooLong;
    pieces.push(piece);
  }
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(pieces)));
  } catch {
    throw new Refusal(400, 'expected JSON');
  }
}

const OPENERS: Partial<Record<NodeJS.Platform, [string, ...string[]]>> = {
  darwin: ['open'],
  // `start` is a shell command, and its first quoted argument a title.
  win32: ['cmd', '/c', 'start', '""'],
};

/** `--open`: opens an address in the system's browser. */
export function openBrowser(address: string, onProblem: (problem: string) => void): void {
  const [program, ...args] = OPENERS[process.platform] ?? ['xdg-open'];
  const child = spawn(program, [...args, address], { detached: true, stdio: 'ignore' });
  child.once('error', ({ code }: NodeJS.ErrnoException) =>
    onProblem(`${program}: ${code === 'ENOENT' ? 'no such program' : code}`),
  );
  child.once('exit', (code) => {
    if (code) onProblem(`${program}: exit code ${code}`);
  });
  child.unref();
}

const MARK = '<!--data-->';

/** Maximum bytes of data in a page, which browsers open in reasonable time. */
export const MOST_BYTES = 200_000_000;

/** Bytes encoded at once; a multiple of three, so that pieces of base64 join. */
const BLOCK = 3 * 2 ** 16;

/** Beside lib/ in the package, compressed; beside cli/ in a build of the clone. */
const PAGES = ['../viewer/page.html.br', '../../viewer/page.html'];

/** @throws InputError if the package is incomplete */
export function readPage(): string {
  const page = PAGES.map((path) => new URL(path, import.meta.url)).find((url) => existsSync(url));
  if (!page)
    throw new InputError('the page of gicollide is missing: install gicollide again, or run npm run build in a clone');
  const bytes = readFileSync(page);
  return (page.pathname.endsWith('.br') ? brotliDecompressSync(bytes) : bytes).toString('utf8');
}

/** Returns the page's own content security policy, or one that allows nothing. */
function policyOf(page: string): string {
  const [, policy] = /<meta http-equiv="Content-Security-Policy" content="([^"]*)"/i.exec(page) ?? [];
  return policy ?? "default-src 'none'";
}

/** Yields a page with base64 data; equal documents give equal bytes. */
export function pageWith(
  page: string,
  document: ViewDocument,
  files: readonly Uint8Array[],
  mostBytes = MOST_BYTES,
): AsyncIterable<string> {
  // A page with its data needs no server, wherever it is stored.
  const parts = page.replace(" connect-src 'self';", '').split(MARK);
  if (parts.length !== 2) throw new Error(`the page has ${parts.length - 1} places for data`);
  // Escaped, so that it neither ends the element nor begins a comment.
  const json = JSON.stringify(document).replaceAll('<', '\\u003c');
  const bytes = files.reduce((sum, { length }) => sum + length, json.length);
  if (bytes > mostBytes)
    throw new InputError(
      `expected at most ${grouped(mostBytes)} bytes of data for one page, found ${grouped(bytes)}; without --html, a server sends them`,
    );
  return piecesOf(parts, json, files);
}

async function* piecesOf([head, tail]: readonly string[], json: string, files: readonly Uint8Array[]) {
  yield `${head}<script type="application/json" id="document">${json}</script>`;
  for (const [n, file] of files.entries()) {
    yield `\n<script type="application/octet-stream" id="asset-${n}">`;
    for (let at = 0; at < file.length; at += BLOCK)
      yield Buffer.from(file.buffer, file.byteOffset + at, Math.min(BLOCK, file.length - at)).toString('base64');
    yield '</script>';
  }
  yield tail;
}
