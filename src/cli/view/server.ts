/**
 * The server of `gicollide view`, for browsers of this machine. Any web page can send requests
 * here, so there are three checks. Only this machine's host names are accepted, since a foreign
 * name can be made to resolve here. Data needs a token that no such page knows. A change also needs
 * the page's own origin.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { InputError } from '../../base/errors.ts';
import { printable } from '../../base/printable.ts';
import { policyOf } from '../viewer-page.ts';
import type { LoadedView } from './load-view.ts';

export interface ServeOptions {
  /** A free port unless given. */
  port?: number;
  /** True to isolate the page from others, so that its threads may share memory. */
  isIsolated?: boolean;
  /** Applies the page's changes; absent without a baseline. @throws InputError for bad ones */
  save?: ((body: unknown) => Promise<unknown>) | undefined;
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
/** Maximum bytes of a request's body. */
const MOST_SENT = 1_000_000;

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
  body(request: IncomingMessage): string | Uint8Array | Promise<string>;
}

type Shown = Pick<LoadedView, 'document' | 'files'>;

/** @param view its current document is sent on each request */
export async function serveView(page: string, view: Shown, options: ServeOptions = {}): Promise<ServedView> {
  const { port = 0, isIsolated = false, save } = options;
  const token = randomBytes(32).toString('base64url');
  const headers = headersOf(page, isIsolated);
  let own = port;
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    requireHost(request, own);
    const route = routeTo(request.url?.split('?')[0] ?? '', page, view, save);
    if (!route) throw new Refusal(404, 'no such page');
    const { method, type, isData } = route;
    if (request.method !== method) throw new Refusal(405, `expected ${method}`, { allow: method });
    if (isData) requireToken(request, token);
    send(response, 200, { ...headers, 'content-type': type }, await route.body(request));
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
function routeTo(path: string, page: string, { document, files }: Shown, save: ServeOptions['save']): Route | null {
  const get = { method: 'GET' as const, isData: true };
  if (path === '/') return { ...get, isData: false, type: 'text/html; charset=utf-8', body: () => page };
  // Browsers request it by themselves, and complain in the console.
  if (path === '/favicon.ico') return { ...get, isData: false, type: 'image/png', body: () => '' };
  if (path === '/data/document.json') return { ...get, type: JSON_TYPE, body: () => JSON.stringify(document) };
  const number = /^\/data\/asset\/(0|[1-9]\d{0,8})$/.exec(path)?.[1];
  const file = number === undefined ? undefined : files[Number(number)];
  if (file) return { ...get, type: 'application/octet-stream', body: () => file };
  if (path !== '/data/baseline' || !save) return null;
  const body = async (request: IncomingMessage): Promise<string> => {
    requireOwnOrigin(request);
    return JSON.stringify(await save(await bodyOf(request)));
  };
  return { method: 'POST', type: JSON_TYPE, isData: true, body };
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
  if (!hosts.includes(headers.host ?? '')) throw new Refusal(403, 'another host');
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Compares digests in constant time. */
function requireToken({ headers }: IncomingMessage, token: string): void {
  const given = headers[TOKEN_HEADER];
  if (typeof given !== 'string' || !timingSafeEqual(digest(given), digest(token)))
    throw new Refusal(403, 'no token, or another one: open the address that gicollide view printed');
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
