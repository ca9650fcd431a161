/** The package's page for `gicollide view`: without data, or as a file with its data. */
import { existsSync, readFileSync } from 'node:fs';
import { brotliDecompressSync } from 'node:zlib';
import { InputError } from '../base/errors.ts';
import { grouped } from '../base/printable.ts';
import type { ViewDocument } from '../viewer/document.ts';

const MARK = '<!--data-->';

/** Maximum bytes of data in a page, which browsers open in reasonable time. */
export const MOST_BYTES = 200_000_000;

/** Bytes encoded at once; a multiple of three, so that pieces of base64 join. */
const BLOCK = 3 * 2 ** 16;

/** @throws InputError if the package is incomplete */
export function readPage(): string {
  const page = new URL('../viewer/page.html', import.meta.url);
  try {
    // Compressed beside lib/program.js of the package, plain beside cli/program.js of dist.
    const isCompressed = existsSync(new URL(`${page}.br`));
    return isCompressed
      ? brotliDecompressSync(readFileSync(new URL(`${page}.br`))).toString('utf8')
      : readFileSync(page, 'utf8');
  } catch {
    throw new InputError('dist/viewer/page.html: no such file; npm run build makes it');
  }
}

/** Returns the page's own content security policy, or one that allows nothing. */
export function policyOf(page: string): string {
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
