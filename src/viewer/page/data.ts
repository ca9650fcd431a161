/** Loads the page's data from blocks of its own file, or from its server. */
import type { BaselineNews, ViewDocument } from '../document.ts';
import type { Saving } from './parts.ts';

export interface Data {
  document: ViewDocument;
  files: Uint8Array[];
  /** The baseline; absent without a server. */
  saving?: Saving;
}

const AT_ONCE = 6;
/** A request of this many bytes asks for no further asset: 5,000 requests of 40 KB take seconds. */
const ENOUGH = 4_000_000;
const TOKEN = 'gicollide-token';

const HOW = 'Open the address that gicollide view has printed in its terminal, in this browser.';

/** The server has ended, or another run has taken its port. */
export class Ended extends Error {}

export async function readData(onProgress: (done: number, all: number) => void): Promise<Data> {
  const inline = document.getElementById('document');
  return inline ? readInline(inline) : readServed(takeToken(), onProgress);
}

function readInline(block: HTMLElement): Data {
  const view: ViewDocument = JSON.parse(block.textContent ?? '');
  const files = view.assets.map((_, i) => {
    const element = document.getElementById(`asset-${i}`);
    const bytes = bytesOfBase64(element?.textContent ?? '');
    element?.remove(); // the text is a third longer than the bytes, and is not needed again
    return bytes;
  });
  return { document: view, files };
}

function bytesOfBase64(text: string): Uint8Array {
  const letters = atob(text);
  const bytes = new Uint8Array(letters.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = letters.charCodeAt(i);
  return bytes;
}

/**
 * Takes the token from the printed address. It leaves the address at once, since users copy it, and
 * stays in this browser, so that a copied link works in another tab while the server runs. A later
 * server at the same port has another token.
 */
function takeToken(): string {
  const parts = location.hash.slice(1).split('&');
  const isToken = (part: string): boolean => /^token=[\w-]+$/.test(part);
  const given = parts.find(isToken)?.slice('token='.length);
  if (given) {
    const view = parts.filter((part) => !isToken(part)).join('&');
    history.replaceState(null, '', `${location.pathname}${view && `#${view}`}`);
  }
  const token = given ?? keptToken();
  if (given) keepToken(given);
  if (token) return token;
  // Reload once another tab has the token.
  addEventListener('storage', () => location.reload());
  throw new Error(`this link has no token, which the data need. ${HOW} This page then opens, too.`);
}

/** If the browser stores nothing, the printed address still works. */
function keepToken(token: string): void {
  try {
    localStorage.setItem(TOKEN, token);
  } catch {}
}

function keptToken(): string | null {
  try {
    return localStorage.getItem(TOKEN);
  } catch {
    return null;
  }
}

async function readServed(token: string, onProgress: (done: number, all: number) => void): Promise<Data> {
  const headers = { 'x-gicollide-token': token };
  const get = async (path: string, more: Record<string, string> = {}, body?: string): Promise<globalThis.Response> => {
    const asked = { headers: { ...headers, ...more }, ...(body && { method: 'POST', body }) };
    const response = await fetch(path, asked).catch(() => {
      throw new Ended(
        'gicollide view does not answer: it has ended. Start it again, and open the address that it prints.',
      );
    });
    const { ok, status, statusText } = response;
    if (status === 403) throw new Ended(`this page belongs to a run of gicollide view that has ended. ${HOW}`);
    if (!ok && status !== 304) throw new Error((await response.text()).trim() || `${path}: ${status} ${statusText}`);
    return response;
  };
  const view: ViewDocument = await (await get('data/document.json')).json();
  const all = view.assets.reduce((sum, { bytes }) => sum + bytes, 0);
  const files: Uint8Array[] = new Array(view.assets.length);
  let next = 0;
  let done = 0;
  const fetchSome = async (): Promise<void> => {
    while (next < files.length) {
      const first = next;
      for (let sum = 0; next < files.length && sum < ENOUGH; ) sum += view.assets[next++].bytes;
      const end = next;
      const bytes = await (await get(`data/asset/${first}${end > first + 1 ? `-${end - 1}` : ''}`)).arrayBuffer();
      for (let i = first, at = 0; i < end; i++)
        files[i] = new Uint8Array(bytes.slice(at, (at += view.assets[i].bytes)));
      onProgress((done += bytes.byteLength), all);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, fetchSome));
  if (view.baseline === null) return { document: view, files };
  let revision = '';
  const take = async (response: globalThis.Response): Promise<BaselineNews> => {
    const news: BaselineNews = await response.json();
    revision = news.revision;
    return news;
  };
  const saving: Saving = {
    async look() {
      const response = await get('data/baseline', { 'if-none-match': revision });
      return response.status === 304 ? null : take(response);
    },
    save: async (changes) =>
      take(await get('data/baseline', { 'content-type': 'application/json' }, JSON.stringify(changes))),
  };
  return { document: view, files, saving };
}
