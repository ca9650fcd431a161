/**
 * Stores bytes by the SHA-256 of their content, shared by machines: a folder, or any static file
 * server over it. The file of a digest is ab/cdef..., its first two digits and the others.
 *
 * Names are 64 hexadecimal digits, never paths. Everything read is checked against its digest, so
 * tampering with the store can stop work but cannot change answers.
 */
import { utimesSync } from 'node:fs';
import { join } from 'node:path';
import { InputError, OptionError } from '../../base/errors.ts';
import { printable } from '../../base/printable.ts';
import { sha256 } from '../../containers/hash.ts';
import { replaceWhole } from '../atomic-write.ts';
import { codeOf, explain, placeIn } from '../inputs/name.ts';
import { readNamed } from '../inputs/open.ts';

export interface AssetStore {
  /** @throws InputError unless there are bytes of this digest */
  read(digest: string): Promise<Uint8Array>;
}

export interface AssetFolder extends AssetStore {
  /** Stores bytes unless they exist. @returns their digest */
  write(bytes: Uint8Array): Promise<string>;
}

const MOST_BYTES = 2 ** 31;
/** A server silent for this long counts as lost. */
const SILENCE_MS = 30_000;

const isUrl = (place: string): boolean => /^https?:\/\//i.test(place);

/** @throws OptionError for a URL with credentials, a query or a fragment */
export function openStore(place: string): AssetStore {
  if (!isUrl(place)) return openFolder(place);
  const base = urlOf(place);
  return { read: (digest) => verified(digest, (path) => fetched(`${base}/${path}`)) };
}

/** @throws OptionError for a URL */
export function openFolder(folder: string): AssetFolder {
  if (isUrl(folder))
    throw new OptionError(
      '--assets: expected a folder to write assets to, found a URL, which only gicollide worker accepts',
    );
  const place = { ...placeIn(folder, 'the store'), largest: MOST_BYTES };
  return {
    read: (digest) => verified(digest, async (path) => readNamed(join(folder, path), place)),
    async write(bytes) {
      const digest = await sha256(bytes);
      const file = join(folder, pathOf(digest));
      try {
        if (isThere(() => readNamed(file, place), bytes)) utimesSync(file, new Date(), new Date());
        else await replaceWhole(file, [bytes]);
      } catch (error) {
        throw explain(file, error);
      }
      return digest;
    },
  };
}

export function pathOf(digest: string): string {
  if (!/^[0-9a-f]{64}$/.test(digest)) throw new InputError('expected a digest of 64 hexadecimal digits');
  return `${digest.slice(0, 2)}/${digest.slice(2)}`;
}

async function verified(digest: string, read: (path: string) => Promise<Uint8Array>): Promise<Uint8Array> {
  const path = pathOf(digest);
  const bytes = await read(path);
  const found = await sha256(bytes);
  if (found !== digest)
    throw new InputError(`--assets: ${path}: expected bytes of this digest, found those of ${found}`);
  return bytes;
}

/** True if these bytes are stored; bytes damaged by a failing disk are written again. */
function isThere(read: () => Uint8Array, bytes: Uint8Array): boolean {
  try {
    return Buffer.compare(read(), bytes) === 0;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false;
    throw error;
  }
}

function urlOf(place: string): string {
  const url = URL.canParse(place) ? new URL(place) : null;
  if (!url || url.username || url.password || url.search || url.hash)
    throw new OptionError('--assets: expected a folder or http(s)://host/path, without a name, a password or a query');
  return url.href.replace(/\/+$/, '');
}

async function fetched(url: string): Promise<Uint8Array> {
  const silence = new AbortController();
  let timer = setTimeout(() => silence.abort(), SILENCE_MS);
  const refuse = (found: string): never => {
    throw new InputError(`${url}: expected the file of an asset, found ${found}`);
  };
  try {
    const response = await fetch(url, { signal: silence.signal, credentials: 'omit' });
    if (!response.ok || !response.body) return refuse(`status ${response.status}`);
    const parts: Uint8Array[] = [];
    let length = 0;
    for await (const part of response.body) {
      clearTimeout(timer);
      timer = setTimeout(() => silence.abort(), SILENCE_MS);
      parts.push(part);
      length += part.length;
      if (length > MOST_BYTES) refuse(`more than ${MOST_BYTES} bytes`);
    }
    return Buffer.concat(parts);
  } catch (error) {
    if (error instanceof InputError) throw error;
    const { message, cause } = error as Error & { cause?: { code?: string; message?: string } };
    throw new InputError(`${url}: no answer (${printable(cause?.code ?? cause?.message ?? message)})`);
  } finally {
    clearTimeout(timer);
    silence.abort();
  }
}
