/**
 * The page of `gicollide view`, as the package has it: without data, or a file that holds its data.
 */
import { readFileSync } from 'node:fs';
import { InputError } from '../math/errors.ts';
import { grouped } from '../math/printable.ts';
import type { ViewDocument } from '../viewer/document.ts';

/** Where data goes. */
const MARK = '<!--data-->';

/** Bytes of data in a page, at most: browsers open no longer ones in sensible time. */
export const MOST_BYTES = 200_000_000;

/** Bytes that are encoded at once; a multiple of three, so that pieces of base64 join. */
const BLOCK = 3 * 2 ** 16;

/** @throws InputError where the package was not built whole */
export function readPage(): string {
  try {
    // Beside lib/program.js of the package, and cli/program.js of dist.
    return readFileSync(new URL('../viewer/page.html', import.meta.url), 'utf8');
  } catch {
    throw new InputError('dist/viewer/page.html: no such file; npm run build makes it');
  }
}

/**
 * The content security policy that a page says of itself; one that runs nothing where it says none.
 */
export function policyOf(page: string): string {
  const [, policy] = /<meta http-equiv="Content-Security-Policy" content="([^"]*)"/i.exec(page) ?? [];
  return policy ?? "default-src 'none'";
}

/**
 * A page that holds its data, in pieces: the document as JSON, each asset as base64. The same
 * document gives the same bytes.
 *
 * @throws InputError for more than `mostBytes` of data
 */
export function pageWith(
  page: string,
  document: ViewDocument,
  files: readonly Uint8Array[],
  mostBytes = MOST_BYTES,
): AsyncIterable<string> {
  // What holds its data asks nobody, wherever somebody puts it.
  const parts = page.replace(" connect-src 'self';", '').split(MARK);
  if (parts.length !== 2) throw new Error(`the page has ${parts.length - 1} places for data`);
  // Nothing in it ends the element, or begins a comment.
  const json = JSON.stringify(document).replaceAll('<', '\\u003c');
  const bytes = files.reduce((sum, { length }) => sum + length, json.length);
  if (bytes > mostBytes)
    throw new InputError(
      `expected at most ${grouped(mostBytes)} bytes of data for one page, found ${grouped(bytes)}; without --html a server gives them`,
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
