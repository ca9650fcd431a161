/**
 * A file on a server, read by ranges (R. Fielding, M. Nottingham, J. Reschke, "HTTP Semantics", RFC
 * 9110, 2022, section 14).
 *
 * Every answer must be 206 with the requested Content-Range, as many bytes, the same total size,
 * and the same ETag and Last-Modified as the first. So parts of two versions of a file never mix. A
 * server that ignores ranges answers 200 with the whole file, and a compressing one may count other
 * bytes than the file's. Both are refused by name, before their bytes are read.
 */
import { InputError } from '../base/errors.ts';
import { printable } from '../base/printable.ts';
import { requireOptionTypes, requireThat } from '../base/require.ts';
import { type ByteSource, requireRange } from './byte-source.ts';

export interface HttpSourceOptions {
  /** Replaces the platform's, for example to retry or wait. */
  fetch?: typeof globalThis.fetch;
  headers?: Record<string, string>;
  /** Aborts pending requests. */
  signal?: AbortSignal;
  /** Milliseconds without a byte after which a server is given up; 30,000 by default. */
  silenceMs?: number;
  /** Largest allowed file in bytes; 2 GiB by default. */
  maxBytes?: number;
}

const MOST_BYTES = 2 ** 31;
const SILENCE_MS = 30_000;
const FIRST_ROOM = 2 ** 16;

/** First request: the directories of images up to 4097 x 4097, and a small image whole. */
const HEAD = 2 ** 16;
/** A round trip of 20 ms is 64 KiB at 26 Mbit/s. */
const GAP = 2 ** 16;

/**
 * Opens a file on a server: one request, for its first 64 KiB. From another origin, a browser needs
 * the server to expose Content-Range (Access-Control-Expose-Headers: Content-Range, ETag). Usage:
 * `const image = await openImage(await httpSource(url))`.
 *
 * @throws InputError if there is no such file, if the server does not answer, falls silent or
 *   ignores ranges, and if the file is larger than `maxBytes`
 * @example const file = await write(build(readObj(bytes), { size: 33 }));
 *          const fetch = async (_url, { headers }) => { // in place of a server
 *            const [from, to] = headers.Range.match(/\d+/g).map(Number);
 *            const part = file.subarray(from, to + 1);
 *            const range = `bytes ${from}-${from + part.length - 1}/${file.length}`;
 *            return new Response(part, { status: 206, headers: { 'content-range': range } });
 *          };
 *          const image = await openImage(await httpSource('https://example.org/bunny.tiff', { fetch }));
 *          (await image.check(image, { poseB: translation(2, 0, 0) })).verdict // 'clear'
 */
export async function httpSource(url: string | URL, options: HttpSourceOptions = {}): Promise<ByteSource> {
  requireThat(typeof url === 'string' || url instanceof URL, 'url', 'a string or a URL', url);
  requireOptionTypes(options, {
    ...{ fetch: 'function', headers: 'any', signal: 'any', silenceMs: 'number', maxBytes: 'number' },
  });
  const { fetch = globalThis.fetch, headers = {}, signal, maxBytes = MOST_BYTES, silenceMs = SILENCE_MS } = options;
  requireThat(silenceMs > 0, 'silenceMs', 'a number of milliseconds above 0', silenceMs);
  const name = String(url);
  let version: Version | null = null;

  const request = async (offset: number, length: number): Promise<Part> => {
    const last = offset + length - 1;
    const patience = new Patience(silenceMs, signal);
    try {
      return await ask(offset, last, patience);
    } finally {
      patience.end();
    }
  };

  const ask = async (offset: number, last: number, patience: Patience): Promise<Part> => {
    const asked = fetch(url, { headers: { ...headers, Range: `bytes=${offset}-${last}` }, signal: patience.signal });
    const response = await patience.wait(asked).catch((error: unknown) => {
      throw new InputError(`${name}: no answer (${reasonOf(error)})`);
    });
    const refuse = async (expected: string, found: string): Promise<never> => {
      await response.body?.cancel().catch(() => {});
      throw new InputError(`${name}: expected ${expected}, found ${found}`);
    };
    if (response.status === 200) {
      await refuse(
        'a part of the file (206)',
        'all of it (200): the server ignores ranges, so fetch the file and read() it',
      );
    }
    if (response.status !== 206) await refuse('a part of the file (206)', `status ${response.status}`);
    const encoding = response.headers.get('content-encoding');
    if (encoding !== null && encoding !== 'identity') await refuse('the file without encoding', `encoding ${encoding}`);
    const stated = response.headers.get('content-range');
    const match = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(stated ?? '');
    if (!match) {
      const found = stated === null ? 'none that can be read' : `"${shown(stated)}"`;
      await refuse('a Content-Range with the size of the file', found);
    }
    const [from, to, size] = match!.slice(1).map(Number);
    if (from !== offset || to !== Math.min(last, size - 1) || !Number.isSafeInteger(size)) {
      await refuse(`bytes ${offset} to ${last}`, `"${shown(stated!)}"`);
    }
    if (size > maxBytes) await refuse(`a file of at most ${maxBytes} bytes`, `${size}; maxBytes raises the limit`);
    const now: Version = {
      size,
      etag: response.headers.get('etag'),
      modified: response.headers.get('last-modified'),
    };
    version ??= now;
    if (version.size !== now.size || version.etag !== now.etag || version.modified !== now.modified) {
      await refuse('the version of the file that was opened', 'another one: it has changed while it was read');
    }
    return { bytes: await bodyOf(response, to - from + 1, name, patience), size };
  };

  const head = await request(0, HEAD);
  return {
    size: head.size,
    gap: GAP,
    isRemote: true,
    async read(offset, length) {
      requireRange({ offset, length }, head.size);
      if (offset + length <= head.bytes.length) return head.bytes.subarray(offset, offset + length);
      return (await request(offset, length)).bytes;
    },
  };
}

interface Part {
  bytes: Uint8Array;
  size: number;
}

/** Waits for one answer. Ends the request after too long a silence, or on the caller's signal. */
class Patience {
  private readonly controller = new AbortController();
  private readonly obey = (): void => this.controller.abort(this.outer?.reason);

  constructor(
    private readonly ms: number,
    private readonly outer: AbortSignal | undefined,
  ) {
    if (outer?.aborted) this.obey();
    else outer?.addEventListener('abort', this.obey);
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** Waits at most `ms` for a promise, also that of a fetch that ignores its signal. */
  wait<T>(coming: Promise<T>): Promise<T> {
    return new Promise((done, failed) => {
      const timer = setTimeout(() => {
        failed(new Error(`no bytes for ${this.ms / 1000} s`));
        this.controller.abort();
      }, this.ms);
      const settled = (): void => clearTimeout(timer);
      coming.then(done, failed).then(settled);
    });
  }

  end(): void {
    this.outer?.removeEventListener('abort', this.obey);
  }
}

interface Version {
  size: number;
  etag: string | null;
  modified: string | null;
}

/**
 * Reads a body of exactly `length` bytes, and no further. A server may promise more than it sends:
 * room is at most twice the bytes received.
 */
async function bodyOf(response: Response, length: number, name: string, patience: Patience): Promise<Uint8Array> {
  let bytes: Uint8Array = new Uint8Array(Math.min(length, FIRST_ROOM));
  let at = 0;
  try {
    const reader = response.body?.getReader();
    while (reader) {
      const { done, value } = await patience.wait(reader.read());
      if (done) break;
      if (at + value.length > length) {
        await reader.cancel().catch(() => {});
        throw new InputError(`${name}: expected ${length} bytes, found more`);
      }
      if (at + value.length > bytes.length) {
        const more = new Uint8Array(Math.min(length, Math.max(2 * bytes.length, at + value.length)));
        more.set(bytes);
        bytes = more;
      }
      bytes.set(value, at);
      at += value.length;
    }
  } catch (error) {
    if (error instanceof InputError) throw error;
    throw new InputError(`${name}: the answer broke off after ${at} of ${length} bytes (${reasonOf(error)})`);
  }
  if (at !== length) throw new InputError(`${name}: expected ${length} bytes, found ${at}`);
  return bytes;
}

/** fetch hides the system's words in the cause. */
function reasonOf(error: unknown): string {
  const { message, cause } = error as { message?: string; cause?: { message?: string; code?: string } };
  return shown(cause?.code ?? (cause?.message || message) ?? String(error));
}

const shown = (text: string): string => printable(text).slice(0, 80);
