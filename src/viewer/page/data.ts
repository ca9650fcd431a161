/** Loads the page's data from blocks of its own file, or from its server. */
import type { ViewDocument } from '../document.ts';

export interface Data {
  document: ViewDocument;
  files: Uint8Array[];
  /** Writes to the baseline; absent without a server. */
  save?: (changes: readonly BaselineChange[]) => Promise<void>;
}

interface BaselineChange {
  id: string;
  accepted: boolean;
  note: string | null;
}

const AT_ONCE = 6;
/** Bytes from which a request asks for no further asset: 5,000 requests of 40 KB take seconds. */
const ENOUGH = 4_000_000;
const TOKEN = 'gicollide-token';

export async function readData(onProgress: (done: number, all: number) => void): Promise<Data> {
  const inline = document.getElementById('document');
  return inline ? readInline(inline) : readServed(takeToken(), onProgress);
}

function readInline(block: HTMLElement): Data {
  const view: ViewDocument = JSON.parse(block.textContent ?? '');
  const files = view.assets.map((_, i) => {
    const element = document.getElementById(`asset-${i}`);
    const bytes = bytesOfBase64(element?.textContent ?? '');
    element?.remove(); // the text is a third longer than the bytes, and nobody needs it again
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
  throw new Error('expected the address that gicollide view printed, with its token; found none');
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
  const get = async (path: string): Promise<globalThis.Response> => {
    const response = await fetch(path, { headers }).catch(() => {
      throw new Error('gicollide view does not answer: was it ended?');
    });
    if (response.status === 403) throw new Error('the token is not this server’s: open the address that it printed');
    if (!response.ok) throw new Error(`${path}: ${response.status} ${response.statusText}`);
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
  const save = async (changes: readonly BaselineChange[]): Promise<void> => {
    const response = await fetch('data/baseline', {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(changes),
    });
    if (!response.ok)
      throw new Error((await response.text()).trim() || `the baseline was not saved: ${response.status}`);
  };
  return { document: view, files, save };
}
